/* One file that all ranks read: whether it is the same one.
 *
 * Ranks read a part of a file each, so where a machine has another file of that name (a stale copy, one that is still
 * being copied) the answer would be one of none of them. Each rank says what it sees: the size, and a hash of the same
 * bytes. Of a file up to 64 MiB these are all; of a longer one the first MiB, the last, and 1,024 blocks of 64 KiB
 * between them at places that follow from the size, unless all are asked for.
 *
 * The hash is the sum of the hashes of pieces, each with its number as the seed: so threads hash in any order. */
#define _GNU_SOURCE /* O_CLOEXEC */
#include "shards/shards.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define PIECE   ((uint64_t)1 << 16) /* bytes that are read and hashed at a time */
#define WHOLE   ((uint64_t)64 << 20)
#define ENDS    (((uint64_t)1 << 20) / PIECE) /* pieces of the first MiB, and of the last */
#define BETWEEN 1024

/* ---- what this rank sees ---------------------------------------------------------------------------------------- */

typedef struct hashing {
    meguri_ctx *ctx;
    const char *path;
    int fd;
    uint64_t bytes, pieces;
    bool whole;
    uint64_t sum;
} hashing;

static uint64_t begin_of(const hashing *h, uint64_t piece) {
    if (h->whole || piece < ENDS) return piece * PIECE;
    if (piece < 2 * ENDS) return h->bytes - (2 * ENDS - piece) * PIECE;
    return (uint64_t)((unsigned __int128)(h->bytes - PIECE) * (piece - 2 * ENDS) / (BETWEEN - 1)) / 4096 * 4096;
}

static void hash_pieces(void *what, mg_worker *worker) {
    hashing *h = what;
    unsigned char block[PIECE];
    for (mg_range r; mg_take(worker, &r);)
        for (uint64_t piece = r.begin; piece < r.end; piece++) {
            uint64_t begin = begin_of(h, piece), bytes = MG_MIN(PIECE, h->bytes - begin);
            meguri_status status = mg_pread_all(h->ctx, h->fd, block, bytes, begin, h->path);
            if (status != MEGURI_OK) {
                mg_loop_fail(worker, status);
                return;
            }
            mg_fetch_add(&h->sum, XXH3_64bits_withSeed(block, bytes, piece));
        }
}

static meguri_status hash_file(mg_seen *out, meguri_ctx *ctx, const char *path, bool whole) {
    struct stat facts;
    hashing h = {.ctx = ctx, .path = path, .fd = open(path, O_RDONLY | O_CLOEXEC)};
    meguri_status status = MEGURI_OK;
    if (h.fd < 0 || fstat(h.fd, &facts) != 0)
        status = mg_fail(ctx, MEGURI_BAD_INPUT, "cannot open %s: %s.", path, strerror(errno));
    else {
        double since = mg_now();
        h.bytes = (uint64_t)facts.st_size;
        h.whole = whole || h.bytes <= WHOLE;
        h.pieces = h.whole ? (h.bytes + PIECE - 1) / PIECE : 2 * ENDS + BETWEEN;
        mg_loop loop = {.ctx = ctx,
                        .threads = mg_threads(ctx, h.pieces, 16),
                        .items = h.pieces,
                        .work = hash_pieces,
                        .what = &h,
                        .phase = "compare",
                        .total = h.pieces};
        status = mg_loop_run(&loop);
        *out = (mg_seen){MG_SEEN_FILE, h.bytes, h.sum};
        mg_trace_phase(ctx, "shards", "compare", -1, (int64_t)MG_MIN(h.bytes, h.pieces * PIECE), since);
    }
    if (h.fd >= 0) close(h.fd);
    return status;
}

meguri_status mg_see_file(mg_seen *out, meguri_ctx *ctx, const char *path, bool whole) {
    struct stat facts;
    *out = (mg_seen){.kind = MG_SEEN_NOTHING};
    if (strcmp(path, "-") == 0) out->kind = MG_SEEN_STREAM;
    else if (stat(path, &facts) == 0) {
        if (S_ISREG(facts.st_mode)) return hash_file(out, ctx, path, whole);
        out->kind = MG_SEEN_STREAM; /* and not opened: that would be heard at the other end of a pipe */
    } else if (errno != ENOENT && errno != ENOTDIR)
        return mg_fail(ctx, MEGURI_BAD_INPUT, "cannot open %s: %s.", path, strerror(errno));
    return MEGURI_OK;
}

typedef struct memory {
    const unsigned char *data;
    uint64_t bytes;
} memory;

static uint64_t hash_memory(const void *what, uint64_t begin, uint64_t end) {
    const memory *m = what;
    uint64_t sum = 0;
    for (uint64_t piece = begin; piece < end; piece++)
        sum += XXH3_64bits_withSeed(m->data + piece * PIECE, MG_MIN(PIECE, m->bytes - piece * PIECE), piece);
    return sum;
}

uint64_t mg_hash_memory(meguri_ctx *ctx, const void *data, uint64_t bytes) {
    const memory m = {data, bytes};
    uint64_t pieces = data ? (bytes + PIECE - 1) / PIECE : 0;
    return mg_sum_over(ctx, mg_threads(ctx, pieces, 16), pieces, hash_memory, &m) ^ bytes;
}

/* ---- where ranks differ ----------------------------------------------------------------------------------------- */

static bool is_seen(const mg_seen *a, const mg_seen *b) {
    return a->kind == b->kind && a->bytes == b->bytes && a->hash == b->hash;
}

/* The first of those ranks that are most and see the same. */
static int most_common(const mg_seen *all, int ranks) {
    int best = 0, most = 0;
    for (int r = 0; r < ranks && 2 * most < ranks; r++) {
        int count = 0;
        for (int other = 0; other < ranks; other++) count += is_seen(&all[r], &all[other]);
        if (count > most) {
            most = count;
            best = r;
        }
    }
    return best;
}

/* "rank 1 differs", "ranks 1 and 2 differ", "ranks 1, 2, …, 8 and 90 more differ": those that do not see `usual`. */
static void list_ranks(char *text, size_t room, const mg_seen *all, int ranks, const mg_seen *usual) {
    enum { NAMED = 8 };
    int count = 0, named = 0;
    for (int r = 0; r < ranks; r++) count += !is_seen(&all[r], usual);
    size_t used = (size_t)snprintf(text, room, count == 1 ? "rank" : "ranks");
    for (int r = 0; r < ranks && named < NAMED; r++) {
        if (is_seen(&all[r], usual)) continue;
        const char *before = named == 0 ? " " : named + 1 == count ? " and " : ", ";
        used += (size_t)snprintf(text + used, room - used, "%s%d", before, r);
        named++;
    }
    if (named < count) used += (size_t)snprintf(text + used, room - used, " and %d more", count - named);
    snprintf(text + used, room - used, count == 1 ? " differs" : " differ");
}

static void describe(char *text, size_t room, const mg_seen *seen) {
    if (seen->kind == MG_SEEN_NOTHING) snprintf(text, room, "no such file");
    else if (seen->kind == MG_SEEN_STREAM) snprintf(text, room, "not a regular file");
    else snprintf(text, room, "%" PRIu64 " bytes", seen->bytes);
}

/* Names all ranks that do not see what most see, and what the first of them sees. */
static meguri_status fail_differing(meguri_ctx *ctx, meguri_cluster *c, const char *name, const mg_seen *mine) {
    char ranks[160], odd[64], usual[64];
    mg_seen *all = mg_alloc_essential(ctx, (uint64_t)c->size, sizeof *all, "what ranks see of a file");
    meguri_status status = all ? mg_all_gather(ctx, c, &c->all, mine, sizeof *mine, all) : MEGURI_NO_MEMORY;
    if (status != MEGURI_OK) {
        c->failed = status;
        mg_free(all);
        return status;
    }
    int most = most_common(all, c->size), first = 0;
    while (first < c->size - 1 && is_seen(&all[first], &all[most])) first++;
    list_ranks(ranks, sizeof ranks, all, c->size, &all[most]);
    describe(odd, sizeof odd, &all[first]);
    describe(usual, sizeof usual, &all[most]);
    bool same_size = strcmp(odd, usual) == 0;
    mg_free(all);
#define DIFFERS "%.300s is not the same file on all ranks: %s from rank %d "
#define REMEDY  "; put it in a folder that all machines share, or copy it to all of them again."
    if (same_size) return mg_fail(ctx, MEGURI_BAD_INPUT, DIFFERS "in content (%s)" REMEDY, name, ranks, most, usual);
    return mg_fail(ctx, MEGURI_BAD_INPUT, DIFFERS "(rank %d: %s, rank %d: %s)" REMEDY, name, ranks, most, first, odd,
                   most, usual);
}

/* ---- agreement -------------------------------------------------------------------------------------------------- */

/* What goes round: numbers of what is seen, and their complements; whether some rank failed, and another did not;
 * whether what the first rank sees is read by it alone. */
typedef struct round_trip {
    mg_seen most, complement;
    uint64_t failed, good, alone;
} round_trip;

/* Says whose failure it is, if it is not that of all. */
static void name_rank(meguri_ctx *ctx, const meguri_cluster *c, meguri_status status) {
    char sentence[900];
    if (status != MEGURI_BAD_INPUT && status != MEGURI_NOT_FOUND) return;
    snprintf(sentence, sizeof sentence, "%s", meguri_ctx_error(ctx));
    mg_begin(ctx);
    mg_fail_again(ctx, status, "rank %d: %s", c->rank, sentence);
}

meguri_status mg_agree_seen(meguri_ctx *ctx, meguri_cluster *c, meguri_status status, const char *name,
                            const mg_seen *seen) {
    if (c->size < 2) return status;
    if (c->failed) return status == MEGURI_OK ? MEGURI_ENGINE_FAILED : status;
    round_trip r = {.most = *seen,
                    .complement = {~seen->kind, ~seen->bytes, ~seen->hash},
                    .failed = status != MEGURI_OK,
                    .good = status == MEGURI_OK,
                    .alone = c->rank == 0 && seen->kind == MG_SEEN_STREAM};
    meguri_status talk = mg_reduce_u64(ctx, c, &c->all, &r.most.kind, sizeof r / 8, MG_MAXIMUM);
    if (talk != MEGURI_OK) return talk;
    if (r.failed && r.good && status != MEGURI_OK) name_rank(ctx, c, status);
    if (r.failed) return mg_agree(ctx, c, status);
    const mg_seen least = {~r.complement.kind, ~r.complement.bytes, ~r.complement.hash};
    return r.alone || is_seen(&r.most, &least) ? MEGURI_OK : fail_differing(ctx, c, name, seen);
}

meguri_status mg_agree_file(meguri_ctx *ctx, meguri_cluster *c, const char *path, bool whole) {
    mg_seen seen = {0};
    if (c->size < 2) return MEGURI_OK;
    meguri_status status = path ? mg_see_file(&seen, ctx, path, whole) : MEGURI_OK;
    return mg_agree_seen(ctx, c, status, path ? path : "a file beside another", &seen);
}
