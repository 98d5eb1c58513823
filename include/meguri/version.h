/* The version of the library; the build reads these three numbers too. */
#ifndef MEGURI_VERSION_H
#define MEGURI_VERSION_H

#define MEGURI_VERSION_MAJOR 0
#define MEGURI_VERSION_MINOR 1
#define MEGURI_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* "major.minor.patch" of the library in use. */
const char *meguri_version(void);

#ifdef __cplusplus
}
#endif
#endif
