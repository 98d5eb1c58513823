/* Compiled programs on disk: $XDG_CACHE_HOME/meguri/kernels, or ~/.cache/meguri/kernels; nothing is kept where another
 * user can write to that folder (base/cache_folder.c).
 *
 * A file is named by the hash of all that the program depends on: device, driver, options, text. It begins with that
 * hash, the length and a hash of the rest, and is written under another name and renamed, so that processes that write
 * the same at once leave a whole file, and one that is damaged is found out and replaced. */
#define _GNU_SOURCE /* O_CLOEXEC */

#include "device/internal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define MAGIC 0x314c4e52454b474dU /* "MGKERNL1" */
#define MOST  ((uint64_t)256 << 20)

typedef struct head {
    uint64_t magic;
    mg_cache_key key;
    uint64_t bytes, hash;
} head;

mg_cache_key mg_cache_key_of(const char *const *texts, size_t count) {
    XXH64_hash_t half[2] = {1, 2};
    for (size_t i = 0; i < count; i++)
        for (int h = 0; h < 2; h++) half[h] = XXH64(texts[i], strlen(texts[i]) + 1, half[h]);
    return (mg_cache_key){{half[0], half[1]}};
}

static bool file_of(char path[MG_PATH], meguri_ctx *ctx, mg_cache_key key) {
    char folder[MG_PATH];
    if (!mg_cache_folder(folder, ctx, "kernels", NULL)) return false;
    int length = snprintf(path, MG_PATH, "%s/%016" PRIx64 "%016" PRIx64, folder, key.half[0], key.half[1]);
    return length > 0 && length < MG_PATH;
}

static bool read_whole(int fd, void *data, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        ssize_t got = read(fd, (char *)data + done, bytes - done);
        if (got <= 0) return false;
        done += (size_t)got;
    }
    return true;
}

static bool write_whole(int fd, const void *data, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        ssize_t put = write(fd, (const char *)data + done, bytes - done);
        if (put <= 0) return false;
        done += (size_t)put;
    }
    return true;
}

void *mg_cache_read(meguri_ctx *ctx, mg_cache_key key, size_t *bytes) {
    char path[MG_PATH];
    struct stat about;
    head h;
    void *data = NULL;
    *bytes = 0;
    if (!file_of(path, ctx, key)) return NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0) return NULL;
    bool good = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && read_whole(fd, &h, sizeof h) && h.magic == MAGIC &&
                memcmp(&h.key, &key, sizeof key) == 0 && h.bytes > 0 && h.bytes <= MOST &&
                (uint64_t)about.st_size == sizeof h + h.bytes;
    if (good) data = malloc((size_t)h.bytes);
    if (data && !(read_whole(fd, data, (size_t)h.bytes) && XXH64(data, (size_t)h.bytes, 0) == h.hash)) {
        free(data);
        data = NULL;
    }
    close(fd);
    if (data) *bytes = (size_t)h.bytes;
    return data;
}

void mg_cache_write(meguri_ctx *ctx, mg_cache_key key, const void *data, size_t bytes) {
    char path[MG_PATH], temporary[MG_PATH + 16];
    mg_refusal why;
    if (bytes > MOST || !file_of(path, ctx, key)) return;
    snprintf(temporary, sizeof temporary, "%s.", path);
    int fd = mg_create_random(&why, temporary, 0600);
    if (fd < 0) return;
    head h = {MAGIC, key, bytes, XXH64(data, bytes, 0)};
    bool good = write_whole(fd, &h, sizeof h) && write_whole(fd, data, bytes);
    if (close(fd) != 0 || !good || rename(temporary, path) != 0) unlink(temporary);
}
