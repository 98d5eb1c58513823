/* The spool: shares that have come, or have been written, in a file, so that an interruption costs no more than the
 * shares that were on their way.
 *
 * The file is a mark and the hash of what decides what is done, then for each share a head with a hash of all of it,
 * and its records as they came. It is only ever appended to, a share at a time; what is damaged at its end is cut off.
 */
#include "source/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

typedef struct file_head {
    char mark[8];
    uint64_t hash;
    uint64_t began; /* seconds since the beginning of 1970 */
} file_head;

typedef struct share_head {
    uint32_t database, relationships;
    uint64_t first, last;
    uint32_t part, parts;
    uint64_t bytes;
    uint64_t hash; /* of the records, begun with the hash of all before */
} share_head;

typedef struct entry {
    share_head head;
    const uint8_t *records;
} entry;

struct mg_spool {
    int fd;
    char *path;
    pthread_mutex_t lock; /* for what is appended */
    uint64_t end, began;
    uint8_t *data; /* what was there before */
    size_t mapped;
    entry *entries;
    size_t count;
};

static const char mark[8] = "MEGPULL2";

static uint64_t hash_of(const share_head *head, const uint8_t *records) {
    return XXH3_64bits_withSeed(records, head->bytes, XXH3_64bits(head, offsetof(share_head, hash)));
}

static int by_place(const void *a, const void *b) {
    const share_head *p = &((const entry *)a)->head, *q = &((const entry *)b)->head;
    if (p->database != q->database) return p->database < q->database ? -1 : 1;
    if (p->relationships != q->relationships) return p->relationships < q->relationships ? -1 : 1;
    if (p->first != q->first) return p->first < q->first ? -1 : 1;
    return p->part < q->part ? -1 : p->part > q->part;
}

static meguri_status fail(meguri_ctx *ctx, const char *path, const char *what) {
    return mg_source_fail(ctx, MEGURI_NO_DISK, "%s %s: %s.", path, what, strerror(errno));
}

/* Finds all shares that are whole. */
static meguri_status look_through(mg_spool *spool, meguri_ctx *ctx) {
    size_t at = sizeof(file_head), room = 0;
    share_head head;
    while (spool->mapped - at >= sizeof head) {
        memcpy(&head, spool->data + at, sizeof head);
        const uint8_t *records = spool->data + at + sizeof head;
        if (meguri_ctx_progress(ctx, "resume", at, spool->mapped) != MEGURI_OK) return MEGURI_CANCELLED;
        if (head.bytes > spool->mapped - at - sizeof head || hash_of(&head, records) != head.hash) break;
        if (spool->count == room) {
            room = room ? 2 * room : 256;
            entry *grown = realloc(spool->entries, room * sizeof *grown);
            if (!grown) return mg_source_no_memory(ctx);
            spool->entries = grown;
        }
        spool->entries[spool->count++] = (entry){head, records};
        at += sizeof head + head.bytes;
    }
    spool->end = at;
    if (spool->count) qsort(spool->entries, spool->count, sizeof *spool->entries, by_place);
    return MEGURI_OK;
}

/* Whether a file of this name, if there is one, was begun by a run like this, of whatever version: else it is
 * somebody's, and not to be overwritten. */
static bool is_ours(const mg_spool *spool) {
    char start[sizeof mark];
    ssize_t bytes = pread(spool->fd, start, sizeof start - 1, 0);
    return bytes >= 0 && memcmp(start, mark, (size_t)bytes) == 0;
}

/* What is there already, if it is of use. */
static meguri_status take_old(mg_spool *spool, meguri_ctx *ctx, uint64_t hash) {
    struct stat facts;
    file_head head;
    if (fstat(spool->fd, &facts) != 0 || facts.st_size < (off_t)sizeof head) return MEGURI_OK;
    void *data = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_SHARED, spool->fd, 0);
    if (data == MAP_FAILED) return fail(ctx, spool->path, "cannot be read");
    spool->data = data;
    spool->mapped = (size_t)facts.st_size;
    memcpy(&head, data, sizeof head);
    if (memcmp(head.mark, mark, sizeof mark) != 0 || head.hash != hash) return MEGURI_OK;
    spool->began = head.began;
    return look_through(spool, ctx);
}

/* Without anything that is not known. */
static bool begin(mg_spool *spool, uint64_t hash) {
    file_head head = {.hash = hash, .began = (uint64_t)time(NULL)};
    memcpy(head.mark, mark, sizeof mark);
    if (spool->end) return ftruncate(spool->fd, (off_t)spool->end) == 0;
    spool->end = sizeof head;
    spool->began = head.began;
    return ftruncate(spool->fd, 0) == 0 && pwrite(spool->fd, &head, sizeof head, 0) == (ssize_t)sizeof head;
}

/* The file is open: what it holds is taken over, if it is of a run like this. Only then may it be removed. */
static meguri_status take_over(mg_spool *spool, meguri_ctx *ctx, uint64_t hash) {
    spool->end = SIZE_MAX;
    if (flock(spool->fd, LOCK_EX | LOCK_NB) != 0)
        return mg_source_fail(ctx, MEGURI_NO_DISK, "%s: another process is at work on it; wait for its end.",
                              spool->path);
    if (!is_ours(spool))
        return mg_source_fail(ctx, MEGURI_BAD_INPUT,
                              "%s is where a run notes what it has done, but holds something else; move it away.",
                              spool->path);
    spool->end = 0;
    meguri_status status = take_old(spool, ctx, hash);
    if (status != MEGURI_OK) {
        spool->end = SIZE_MAX; /* what is there may be of use another time */
        return status;
    }
    return begin(spool, hash) ? MEGURI_OK : fail(ctx, spool->path, "cannot be written");
}

meguri_status mg_spool_open(mg_spool **out, meguri_ctx *ctx, const char *path, const char *suffix, uint64_t hash) {
    mg_spool *spool = calloc(1, sizeof *spool);
    *out = NULL;
    if (spool) spool->path = malloc(strlen(path) + strlen(suffix) + 1);
    if (!spool || !spool->path) {
        free(spool);
        return mg_source_no_memory(ctx);
    }
    sprintf(spool->path, "%s%s", path, suffix);
    pthread_mutex_init(&spool->lock, NULL);
    meguri_status status = meguri_ctx_create(&spool->fd, ctx, spool->path);
    if (status == MEGURI_OK) status = take_over(spool, ctx, hash);
    if (status == MEGURI_OK) *out = spool;
    else mg_spool_close(spool, false);
    return status;
}

uint64_t mg_spool_began(const mg_spool *spool) { return spool->began; }

void mg_spool_find(mg_spool *spool, mg_share *share) {
    entry wanted = {.head = {.database = share->database,
                             .relationships = share->relationships,
                             .first = share->first,
                             .part = share->part}};
    const entry *found = spool->count ? bsearch(&wanted, spool->entries, spool->count, sizeof wanted, by_place) : NULL;
    if (!found || found->head.last != share->last || found->head.parts != share->parts) return;
    share->records = found->records;
    share->bytes = found->head.bytes;
    share->done = true;
}

static bool write_all(int fd, const void *data, size_t bytes, uint64_t *at) {
    for (const char *p = data; bytes;) {
        ssize_t written = pwrite(fd, p, bytes, (off_t)*at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        p += written;
        *at += (uint64_t)written;
        bytes -= (size_t)written;
    }
    return true;
}

bool mg_spool_add(mg_spool *spool, const mg_share *share) {
    share_head head = {.database = share->database,
                       .relationships = share->relationships,
                       .first = share->first,
                       .last = share->last,
                       .part = share->part,
                       .parts = share->parts,
                       .bytes = share->bytes};
    head.hash = hash_of(&head, share->records);
    pthread_mutex_lock(&spool->lock);
    uint64_t at = spool->end;
    bool good =
        write_all(spool->fd, &head, sizeof head, &at) && write_all(spool->fd, share->records, share->bytes, &at);
    if (good) spool->end = at;
    pthread_mutex_unlock(&spool->lock);
    return good;
}

void mg_spool_close(mg_spool *spool, bool remove) {
    if (!spool) return;
    if (remove || (spool->fd >= 0 && spool->end <= sizeof(file_head))) unlink(spool->path);
    if (spool->data) munmap(spool->data, spool->mapped);
    if (spool->fd >= 0) close(spool->fd);
    pthread_mutex_destroy(&spool->lock);
    free(spool->entries);
    free(spool->path);
    free(spool);
}
