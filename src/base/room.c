/* Why a file cannot grow any further: a full disk, a quota, a limit on the size of files; with the figures. */
#include "base/base.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

bool mg_is_no_room(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

/* Bytes that a file of this process may have; UINT64_MAX without a limit. */
static uint64_t size_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : UINT64_MAX;
}

/* Bytes that are free on the disk of a file, and those that it has; false for what is no file, such as /dev/full. */
static bool look_at(int fd, uint64_t *free_bytes, uint64_t *written) {
    struct statvfs disk;
    struct stat what;
    if (fstat(fd, &what) != 0 || !S_ISREG(what.st_mode) || fstatvfs(fd, &disk) != 0) return false;
    *free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    *written = (uint64_t)what.st_blocks * 512; /* its size counts holes, too */
    return true;
}

uint64_t mg_room_in(int fd) {
    uint64_t free_bytes, written;
    return look_at(fd, &free_bytes, &written) ? MG_MIN(free_bytes, size_limit()) : UINT64_MAX;
}

mg_no_room mg_no_room_in(int fd, int error, uint64_t wanted) {
    mg_no_room text = {.advice = "free some disk space or write elsewhere"};
    char has[MG_SIZE_TEXT], most[MG_SIZE_TEXT];
    uint64_t free_bytes, written;
    if (error == EFBIG && size_limit() != UINT64_MAX) {
        snprintf(text.reason, sizeof text.reason, "a limit of this process is reached: no file may have more than %s",
                 mg_size_text(most, size_limit()));
        text.advice = "raise that limit (ulimit -f)";
    } else if (error == EFBIG) {
        snprintf(text.reason, sizeof text.reason, "%s", strerror(error));
        text.advice = "write to a file system that holds larger files";
    } else if (look_at(fd, &free_bytes, &written)) {
        snprintf(text.reason, sizeof text.reason, "%s; %s are %s, and %s are free", strerror(error),
                 mg_size_text(has, wanted ? wanted : written), wanted ? "needed" : "written",
                 mg_size_text(most, free_bytes));
    } else snprintf(text.reason, sizeof text.reason, "%s", strerror(error));
    return text;
}
