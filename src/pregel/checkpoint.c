/* Checkpoints: a run that ended too early goes on where it was, with any number of workers.
 *
 * A folder has a manifest and, for each worker, a part: what its vertices are, have sent and have asked when all have
 * computed a superstep and nothing has been delivered. Parts have the number of their generation in their names; when
 * all are whole and on the disk, the manifest of the new generation takes the place of the old one (rename), and then
 * the parts of the old generation go. So a run that is killed at any moment leaves a checkpoint that is whole.
 *
 * The manifest has hashes of all that programs see (identity.c), and size and hash of each part: what is damaged, or of
 * another run, is refused. */
#define _GNU_SOURCE /* O_CLOEXEC */

#include "pregel/checkpoint.h"
#include "pregel/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define PATH 4352

/* What a part begins with. */
typedef struct head {
    uint64_t worker, workers, count, singles, questions;
    mg_pregel_counts all;
} head;

static uint64_t hash_manifest(const mg_manifest *m) { return XXH64(m, offsetof(mg_manifest, hash), 0); }

static void name_part(char path[PATH], const char *folder, uint64_t generation, uint64_t worker) {
    snprintf(path, PATH, "%.4000s/part-%" PRIu64 "-%" PRIu64, folder, generation, worker);
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

typedef struct part_file {
    mg_pregel_worker *w;
    int fd;
    uint64_t bytes;
    XXH64_state_t *hash;
    char path[PATH];
    meguri_status status;
} part_file;

static void put(part_file *f, const void *data, uint64_t bytes) {
    if (f->status != MEGURI_OK || !bytes) return;
    f->status = mg_pwrite_all(f->w->ctx, f->fd, data, bytes, f->bytes, f->path);
    XXH64_update(f->hash, data, bytes);
    f->bytes += bytes;
}

/* What comes next begins at a multiple of 8 bytes. */
static void align(part_file *f) {
    static const char zeros[8];
    put(f, zeros, (8 - f->bytes % 8) % 8);
}

static void put_all(part_file *f, const void *data, uint64_t bytes) {
    put(f, data, bytes);
    align(f);
}

/* Columns of programs that have ended lie by position: a part has a range of them. */
static mg_range home_of(const mg_pregel_worker *w, uint64_t worker, uint64_t workers) {
    return mg_share(w->run->graph->vertices, (int)worker, (int)workers);
}

static void put_state(part_file *f) {
    mg_pregel_worker *w = f->w;
    const meguri_program *p = w->program;
    head h = {.worker = w->me, .workers = w->workers, .count = w->count, .all = w->all};
    h.all.computed += w->step.computed; /* what comes after it is counted again */
    for (int t = 0; t < w->threads; t++) {
        h.singles += w->tallies[t].parcel_count;
        h.questions += w->tallies[t].question_count;
    }
    put_all(f, &h, sizeof h);
    for (uint64_t place = 0; place < w->count; place++) {
        uint32_t position = mg_pregel_position(w, place);
        put(f, &position, sizeof position);
    }
    align(f);
    put_all(f, w->globals, p->globals_bytes);
    put_all(f, w->reals, p->aggregator_count * sizeof *w->reals);
    put_all(f, w->wholes, p->aggregator_count * sizeof *w->wholes);
    for (uint32_t i = 0; i < p->aggregator_count; i++)
        if (p->aggregators[i].kind == MEGURI_OWN) put_all(f, w->owns[i], p->aggregators[i].bytes);
    put_all(f, w->values, w->count * p->value_bytes);
    put_all(f, w->send, w->count * p->message_bytes);
    put_all(f, w->halted, w->words * 8);
    put_all(f, w->done, w->words * 8);
    put_all(f, w->sent, w->words * 8);
    put_all(f, w->left, w->left ? w->count * w->left_bytes : 0);
    mg_range home = home_of(w, w->me, w->workers);
    for (uint32_t i = 0; i < w->number; i++) {
        uint64_t bytes = w->run->programs->programs[i]->value_bytes, first = w->run->parts ? 0 : home.begin;
        if (w->run->values[i]) put_all(f, w->run->values[i] + first * bytes, (home.end - home.begin) * bytes);
    }
    for (int t = 0; t < w->threads; t++) put(f, w->tallies[t].keys, w->tallies[t].parcel_count * sizeof(uint64_t));
    for (int t = 0; t < w->threads; t++) put(f, w->tallies[t].parcels, w->tallies[t].parcel_count * p->parcel_bytes);
    align(f);
    for (int t = 0; t < w->threads; t++)
        put(f, w->tallies[t].questions, w->tallies[t].question_count * sizeof(uint32_t));
    align(f);
}

/* A file that is whole and on the disk, or none. */
static meguri_status create(part_file *f) {
    mg_refusal why;
    f->fd = mg_create_instead(&why, f->path, 0666);
    if (f->fd >= 0) return MEGURI_OK;
    return mg_fail(f->w->ctx, MEGURI_NO_DISK, "%s: a checkpoint cannot be written there: %s.", f->path, why.text);
}

static meguri_status finish(part_file *f) {
    if (f->status == MEGURI_OK && fsync(f->fd) != 0 && errno != EINVAL)
        f->status = mg_fail(f->w->ctx, MEGURI_NO_DISK, "%s: writing failed: %s.", f->path, strerror(errno));
    close(f->fd);
    if (f->status != MEGURI_OK) unlink(f->path);
    return f->status;
}

static meguri_status write_part(mg_pregel_worker *w, const char *folder, mg_manifest *m) {
    part_file f = {.w = w, .hash = XXH64_createState()};
    name_part(f.path, folder, m->generation, w->me);
    meguri_status status =
        f.hash ? create(&f) : mg_fail(w->ctx, MEGURI_NO_MEMORY, "there is no memory for a checkpoint.");
    if (status == MEGURI_OK) {
        XXH64_reset(f.hash, 0);
        put_state(&f);
        m->part_bytes[w->me] = f.bytes;
        m->part_hash[w->me] = XXH64_digest(f.hash);
        status = finish(&f);
    }
    XXH64_freeState(f.hash);
    return status;
}

static meguri_status write_manifest(mg_pregel_worker *w, const char *folder, mg_manifest *m) {
    part_file f = {.w = w, .hash = XXH64_createState()};
    char path[PATH];
    snprintf(path, sizeof path, "%.4000s/checkpoint", folder);
    snprintf(f.path, sizeof f.path, "%.4000s/checkpoint.new", folder);
    m->hash = hash_manifest(m);
    meguri_status status =
        f.hash ? create(&f) : mg_fail(w->ctx, MEGURI_NO_MEMORY, "there is no memory for a checkpoint.");
    if (status == MEGURI_OK) {
        XXH64_reset(f.hash, 0);
        put(&f, m, sizeof *m);
        status = finish(&f);
    }
    XXH64_freeState(f.hash);
    if (status == MEGURI_OK && rename(f.path, path) != 0)
        status =
            mg_fail(w->ctx, MEGURI_NO_DISK, "%s: a checkpoint cannot be written there: %s.", path, strerror(errno));
    return status;
}

meguri_status mg_checkpoint_write(mg_pregel_worker *w, bool begins) {
    const char *folder = w->run->options.checkpoint;
    char old[PATH];
    mg_manifest m = {.magic = MG_CHECKPOINT_MAGIC,
                     .identity = w->identity,
                     .generation = begins ? 0 : w->all.supersteps + 1,
                     .program = w->number,
                     .superstep = w->span.superstep,
                     .workers = w->workers};
    mg_refusal why;
    if (begins && !mg_create_folder(&why, folder, 0777) && why.error != EEXIST)
        return mg_fail(w->ctx, MEGURI_NO_DISK, "%s: this folder for checkpoints cannot be made: %s.", folder, why.text);
    meguri_status status = mg_pregel_agree(w, begins ? MEGURI_OK : write_part(w, folder, &m));
    if (status == MEGURI_OK && w->cluster)
        status = mg_reduce_u64(w->ctx, w->cluster, &w->cluster->all, m.part_bytes, 2 * MG_PREGEL_WORKERS, MG_SUM);
    if (status == MEGURI_OK && w->me == 0) status = write_manifest(w, folder, &m);
    status = mg_pregel_agree(w, status);
    if (status != MEGURI_OK) return status;
    for (uint64_t k = 0; k < w->saved_workers && w->me == 0 && w->saved != m.generation; k++) {
        name_part(old, folder, w->saved, k);
        unlink(old);
    }
    w->saved = m.generation;
    w->saved_workers = begins ? 0 : w->workers;
    return MEGURI_OK;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* The whole of a file of a known size and hash. */
static meguri_status read_whole(void **out, mg_pregel_worker *w, const char *path, uint64_t bytes, uint64_t hash) {
    struct stat about;
    meguri_status status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *out = NULL;
    if (fd < 0)
        return mg_fail(w->ctx, MEGURI_BAD_INPUT, "%s: a part of the checkpoint is missing: %s.", path, strerror(errno));
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || (uint64_t)about.st_size != bytes)
        status =
            mg_fail(w->ctx, MEGURI_BAD_INPUT, "%s: this part of the checkpoint is damaged: its size is wrong.", path);
    else {
        *out = mg_alloc(w->ctx, bytes, "a checkpoint");
        status = *out ? mg_pread_all(w->ctx, fd, *out, bytes, 0, path) : MEGURI_NO_MEMORY;
    }
    close(fd);
    if (status == MEGURI_OK && hash && XXH64(*out, bytes, 0) != hash)
        status =
            mg_fail(w->ctx, MEGURI_BAD_INPUT, "%s: this part of the checkpoint is damaged: its hash is wrong.", path);
    if (status == MEGURI_OK) return MEGURI_OK;
    mg_free(*out);
    *out = NULL;
    return status;
}

static meguri_status check_manifest(mg_pregel_worker *w, const mg_manifest *m, const char *path) {
    meguri_ctx *ctx = w->ctx;
    if (m->magic != MG_CHECKPOINT_MAGIC || m->hash != hash_manifest(m) || !m->workers || m->workers > MG_PREGEL_WORKERS)
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%s: this is no checkpoint, or it is damaged.", path);
    const char *other = mg_identity_difference(&m->identity, &w->identity);
    if (other)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%s: this checkpoint is of another %s; resume with what it was begun with.", path, other);
    if (m->program >= w->run->programs->count) /* although its hash is right */
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%s: this is no checkpoint, or it is damaged.", path);
    return MEGURI_OK;
}

/* One of another version has another size. */
static meguri_status check_version(mg_pregel_worker *w, const char *path) {
    uint64_t magic = 0, kind = ~(uint64_t)0 >> 8;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool other = fd >= 0 && pread(fd, &magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
                 magic != MG_CHECKPOINT_MAGIC && (magic & kind) == (MG_CHECKPOINT_MAGIC & kind);
    if (fd >= 0) close(fd);
    if (!other) return MEGURI_OK;
    return mg_fail(w->ctx, MEGURI_BAD_INPUT,
                   "%s: this checkpoint was written by another version of meguri; resume it with that one, or begin "
                   "anew.",
                   path);
}

meguri_status mg_checkpoint_look(mg_pregel_worker *w, uint64_t *program, bool *there) {
    const char *folder = w->run->options.resume;
    char path[PATH];
    void *data = NULL;
    struct stat about;
    snprintf(path, sizeof path, "%.4000s/checkpoint", folder);
    meguri_status status = MEGURI_OK;
    if (stat(path, &about) != 0)
        status = mg_fail(w->ctx, errno == ENOENT || errno == ENOTDIR ? MEGURI_NOT_FOUND : MEGURI_BAD_INPUT,
                         "%s: there is no checkpoint to resume from: %s.", folder, strerror(errno));
    if (status == MEGURI_OK) status = check_version(w, path);
    if (status == MEGURI_OK) status = read_whole(&data, w, path, sizeof(mg_manifest), 0);
    if (status == MEGURI_OK) status = check_manifest(w, data, path);
    status = mg_pregel_agree(w, status);
    if (status == MEGURI_OK && w->cluster) { /* it has the sizes and hashes of all parts */
        const mg_seen seen = {MG_SEEN_FILE, sizeof(mg_manifest), ((const mg_manifest *)data)->hash};
        status = mg_agree_seen(w->ctx, w->cluster, status, path, &seen);
    }
    if (status == MEGURI_OK) {
        w->manifest = data;
        if (w->run->options.checkpoint && strcmp(w->run->options.checkpoint, folder) == 0) { /* it will be replaced */
            w->saved = w->manifest->generation;
            w->saved_workers = w->saved ? w->manifest->workers : 0;
        }
        *program = w->manifest->program;
        *there = w->manifest->generation > 0;
    } else mg_free(data);
    return status;
}

/* What is left of a part; NULL where it ends too early. */
typedef struct part_reader {
    const char *at, *end;
} part_reader;
static const void *take(part_reader *r, uint64_t bytes) {
    const char *at = r->at;
    uint64_t padded = bytes + (8 - bytes % 8) % 8;
    if (!at || (uint64_t)(r->end - at) < padded) return r->at = NULL;
    r->at += padded;
    return at;
}

static void set_bit(uint64_t *bits, uint64_t place, const uint64_t *from, uint64_t i) {
    if (from[i / 64] >> i % 64 & 1) bits[place / 64] |= (uint64_t)1 << place % 64;
}

/* The vertices of a part that are this worker's. */
typedef struct part_state {
    const uint32_t *positions;
    const char *values, *send, *left;
    const uint64_t *halted, *done, *sent;
} part_state;

static void take_vertices(mg_pregel_worker *w, const head *h, const part_state *s) {
    const meguri_program *p = w->program;
    for (uint64_t i = 0; i < h->count; i++) {
        if (mg_pregel_owner(w, s->positions[i]) != w->me) continue;
        uint64_t place = mg_pregel_place(w, s->positions[i]);
        memcpy(w->values + place * p->value_bytes, s->values + i * p->value_bytes, p->value_bytes);
        if (p->message_bytes)
            memcpy(w->send + place * p->message_bytes, s->send + i * p->message_bytes, p->message_bytes);
        if (s->left) memcpy(w->left + place * w->left_bytes, s->left + i * w->left_bytes, w->left_bytes);
        set_bit(w->halted, place, s->halted, i);
        set_bit(w->done, place, s->done, i);
        set_bit(w->sent, place, s->sent, i);
    }
}

/* Columns of programs that have ended: in parts those of this home, else of all vertices, of which workers that are
 * threads each take a share. */
static bool take_columns(mg_pregel_worker *w, const head *h, part_reader *r) {
    const mg_run *run = w->run;
    mg_range home = home_of(w, h->worker, h->workers), mine = {0, run->graph->vertices};
    if (run->parts || run->shared) mine = home_of(w, w->me, w->workers);
    uint64_t begin = MG_MAX(home.begin, mine.begin), end = MG_MIN(home.end, mine.end);
    for (uint32_t k = 0; k < w->number; k++) {
        uint64_t bytes = run->programs->programs[k]->value_bytes, first = run->parts ? mine.begin : 0;
        if (!run->values[k]) continue;
        const char *from = take(r, (home.end - home.begin) * bytes);
        if (!from) return false;
        if (begin < end)
            memcpy(run->values[k] + (begin - first) * bytes, from + (begin - home.begin) * bytes,
                   (end - begin) * bytes);
    }
    return true;
}

/* Messages to single vertices go on from the worker that has the source; questions from any one. */
static meguri_status take_letters(mg_pregel_worker *w, const head *h, part_reader *r, bool *whole) {
    meguri_tally *t = &w->tallies[0];
    size_t bytes = w->program->parcel_bytes;
    const uint64_t *keys = take(r, h->singles * sizeof *keys);
    const char *parcels = take(r, h->singles * bytes);
    const uint32_t *questions = take(r, h->questions * sizeof *questions);
    *whole = keys && parcels && questions;
    for (uint64_t i = 0; i < h->singles && *whole; i++) {
        uint64_t key;
        memcpy(&key, keys + i, sizeof key);
        uint32_t source = (uint32_t)key;
        if (w->span.position_of_key && source < w->run->graph->vertices) source = w->span.position_of_key[source];
        *whole = source < w->run->graph->vertices && key >> 32 < w->run->graph->vertices;
        if (!*whole || mg_pregel_owner(w, source) != w->me) continue;
        if (t->parcel_count == t->parcel_room && !t->more_parcels(t)) return MEGURI_NO_MEMORY;
        t->keys[t->parcel_count] = key;
        if (bytes) memcpy(t->parcels + t->parcel_count * bytes, parcels + i * bytes, bytes);
        t->parcel_count++;
    }
    /* Who asked is not known: all workers ask, which costs messages once and changes nothing. */
    for (uint64_t i = 0; i < h->questions && *whole; i++) {
        if (t->question_count == t->question_room && !t->more_questions(t)) return MEGURI_NO_MEMORY;
        *whole = questions[i] < w->run->graph->vertices;
        t->questions[t->question_count++] = questions[i];
    }
    return MEGURI_OK;
}

static meguri_status take_part(mg_pregel_worker *w, part_reader *r, uint64_t worker, bool *whole) {
    const meguri_program *p = w->program;
    const head *h = take(r, sizeof *h);
    *whole = h && h->worker == worker && h->workers == w->manifest->workers && h->count <= w->run->graph->vertices &&
             h->singles <= (uint64_t)(r->end - r->at) / 8 && h->questions <= (uint64_t)(r->end - r->at) / 4;
    if (!*whole) return MEGURI_OK;
    uint64_t words = mg_bitmap_words(h->count);
    part_state s = {.positions = take(r, h->count * sizeof *s.positions)};
    for (uint64_t i = 0; i < h->count && s.positions; i++) *whole &= s.positions[i] < w->run->graph->vertices;
    if (!*whole || !s.positions) return MEGURI_OK;
    const void *globals = take(r, p->globals_bytes);
    const void *reals = take(r, p->aggregator_count * sizeof *w->reals);
    const void *wholes = take(r, p->aggregator_count * sizeof *w->wholes);
    if (globals && p->globals_bytes) memcpy(w->globals, globals, p->globals_bytes);
    if (wholes && p->aggregator_count) {
        memcpy(w->reals, reals, p->aggregator_count * sizeof *w->reals);
        memcpy(w->wholes, wholes, p->aggregator_count * sizeof *w->wholes);
    }
    for (uint32_t i = 0; i < p->aggregator_count; i++) {
        const void *own = p->aggregators[i].kind == MEGURI_OWN ? take(r, p->aggregators[i].bytes) : NULL;
        if (own) memcpy(w->owns[i], own, p->aggregators[i].bytes);
    }
    s.values = take(r, h->count * p->value_bytes);
    s.send = take(r, h->count * p->message_bytes);
    s.halted = take(r, words * 8);
    s.done = take(r, words * 8);
    s.sent = take(r, words * 8);
    s.left = w->left ? take(r, h->count * w->left_bytes) : NULL;
    *whole = s.sent && (s.left || !w->left);
    if (!*whole) return MEGURI_OK;
    take_vertices(w, h, &s);
    w->all = h->all;
    *whole = take_columns(w, h, r);
    return *whole ? take_letters(w, h, r, whole) : MEGURI_OK;
}

/* What the last superstep would have counted. */
static void count_again(mg_pregel_worker *w) {
    meguri_tally *t = &w->tallies[0];
    for (uint64_t word = 0; word < w->words; word++) {
        uint64_t present = w->count - word * 64 >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << w->count % 64) - 1;
        t->active += (uint64_t)__builtin_popcountll(~w->halted[word] & present);
        for (uint64_t bits = w->sent[word]; bits; bits &= bits - 1) {
            uint32_t row = mg_pregel_row(w, word * 64 + (uint64_t)__builtin_ctzll(bits));
            uint64_t degree = mg_row_end(&w->out, row) - mg_row_begin(&w->out, row);
            t->senders += degree > 0;
            t->arcs += degree;
        }
    }
    t->singles = t->parcel_count;
}

meguri_status mg_checkpoint_read(mg_pregel_worker *w) {
    const mg_manifest *m = w->manifest;
    meguri_status status = MEGURI_OK;
    char path[PATH];
    for (uint64_t k = 0; k < m->workers && status == MEGURI_OK; k++) {
        void *data = NULL;
        bool whole = true;
        name_part(path, w->run->options.resume, m->generation, k);
        status = read_whole(&data, w, path, m->part_bytes[k], m->part_hash[k]);
        if (status == MEGURI_OK) {
            part_reader r = {data, (const char *)data + m->part_bytes[k]};
            status = take_part(w, &r, k, &whole);
            whole = whole && r.at == r.end;
        }
        if (status == MEGURI_OK && !whole)
            status = mg_fail(w->ctx, MEGURI_BAD_INPUT, "%s: this part of the checkpoint is damaged.", path);
        mg_free(data);
    }
    if (status == MEGURI_OK) count_again(w);
    w->span.superstep = m->superstep;
    return mg_pregel_agree(w, status);
}
