/* The version of the library; the build reads these three numbers too. */
#ifndef MEGURI_VERSION_H
#define MEGURI_VERSION_H

#define MEGURI_VERSION_MAJOR 0
#define MEGURI_VERSION_MINOR 1
#define MEGURI_VERSION_PATCH 0

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One number that grows with the version: 1002003 is 1.2.3. */
#define MEGURI_VERSION_NUMBER (MEGURI_VERSION_MAJOR * 1000000 + MEGURI_VERSION_MINOR * 1000 + MEGURI_VERSION_PATCH)

/* "major.minor.patch" of the library in use. */
const char *meguri_version(void);
/* The same as a number, to be compared with MEGURI_VERSION_NUMBER, that of the headers. */
uint32_t meguri_version_number(void);

#ifdef __cplusplus
}
#endif
#endif
