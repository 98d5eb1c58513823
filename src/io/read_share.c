/* Reading in shares: the same parsers, each process with a part of the text.
 *
 * A plain file is cut at line ends into as many shares as there are parts. What cannot be cut (compressed files, pipes,
 * fields that may have line ends in quotes) is decompressed by one part, which deals chunks of whole lines out to all;
 * each round every part gets some, in the order of the parts. Headers are read by all parts, so what they say is known
 * everywhere; only of a pipe one part sends the beginning to the others.
 *
 * Parts are in the order of the text, so of several failures the one of the first part is nearest to the start. String
 * ids are numbered by first appearance: a name's number here, counted from where this part's names of the same round
 * begin among those of all, is larger than those of all names that stand before it. */
#include "io/read.h"

#include <inttypes.h>
#include <sys/stat.h>

/* Of a pipe, for all parts: more than any look ahead sees. */
#define HEAD_BYTES (MG_LOOK_BYTES + MG_LONGEST_LINE + ((size_t)1 << 20))

/* ---- counting --------------------------------------------------------------------------------------------------- */

static meguri_status sum(const mg_reader *reader, meguri_status status, uint64_t *values, uint64_t *all,
                         uint32_t count) {
    const mg_share_of *share = &reader->share->of;
    return share->sum(share->user, status, values, all, count);
}

static bool marks_edges(const mg_reader *reader) { return mg_merge_needs_numbers(reader->build.duplicates); }

bool mg_reader_has_marks(const mg_reader *reader) { return mg_edges_names(reader->edges) || marks_edges(reader); }

/* `here` of them are in this part. */
static meguri_status add_mark(mg_share_marks *marks, mg_reader *reader, meguri_status status, uint64_t here) {
    uint64_t start = here - (marks->count ? marks->mark[marks->count - 1].end : 0), all = 0;
    mg_share_mark *mark =
        mg_resize(reader->ctx, marks->mark, (marks->count + 1) * sizeof *mark, "the order of the input");
    if (mark) marks->mark = mark;
    else if (status == MEGURI_OK) status = MEGURI_NO_MEMORY;
    status = sum(reader, status, &start, &all, 1);
    if (status != MEGURI_OK) return status;
    marks->mark[marks->count++] = (mg_share_mark){here, marks->before + start};
    marks->before += all;
    return MEGURI_OK;
}

/* After a failure of the first, which all parts hear of, none adds the second. */
meguri_status mg_reader_mark(mg_reader *reader, meguri_status status) {
    const mg_names *names = mg_edges_names(reader->edges);
    bool told = names != NULL;
    if (names) status = add_mark(&reader->name_marks, reader, status, mg_names_count(names));
    if (!marks_edges(reader) || (told && status != MEGURI_OK)) return status;
    return add_mark(&reader->edge_marks, reader, status, mg_edges_count(reader->edges));
}

uint64_t mg_share_place(const mg_share_marks *marks, uint64_t number) {
    uint64_t low = 0, high = marks->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (marks->mark[middle].end <= number) low = middle + 1;
        else high = middle;
    }
    uint64_t begin = low ? marks->mark[low - 1].end : 0;
    return marks->mark[low].start + (number - begin);
}

/* The first line that a remark is about, of those that the parts have found: sums of as many numbers as there are
 * parts, of which each adds its own. */
static meguri_status agree_on_first(const mg_pass *pass, mg_noted *noted, bool here) {
    const mg_share_of *share = &pass->reader->share->of;
    uint32_t parts = (uint32_t)share->parts;
    uint64_t *lines = mg_alloc_array_zero(pass->reader->ctx, 2 * (uint64_t)parts, sizeof *lines, "places of remarks");
    if (lines && here) lines[share->part] = noted->inside;
    uint64_t none[2] = {0};
    meguri_status status = lines ? sum(pass->reader, MEGURI_OK, lines, lines + parts, parts)
                                 : sum(pass->reader, MEGURI_NO_MEMORY, none, none + 1, 1);
    noted->inside = UINT64_MAX;
    for (uint32_t i = 0; i < parts && status == MEGURI_OK; i++)
        if (lines[parts + i]) noted->inside = MG_MIN(noted->inside, lines[parts + i]);
    mg_free(lines);
    return status;
}

meguri_status mg_pass_sum(mg_pass *pass, meguri_status status) {
    enum { COUNTS = 2 + MG_REMARKS };
    uint64_t counts[COUNTS] = {pass->lines, pass->edges}, all[COUNTS] = {0};
    for (int kind = 0; kind < MG_REMARKS; kind++) counts[2 + kind] = pass->noted[kind].count;
    status = sum(pass->reader, status, counts, all, COUNTS);
    if (status != MEGURI_OK) return status;
    pass->lines = all[0];
    pass->edges = all[1];
    for (int kind = 0; kind < MG_REMARKS && status == MEGURI_OK; kind++) {
        bool here = pass->noted[kind].count != 0;
        pass->noted[kind].count = all[2 + kind];
        if (all[2 + kind]) status = agree_on_first(pass, &pass->noted[kind], here);
    }
    if (status != MEGURI_OK) return status;
    return pass->input->dealt ? MEGURI_OK : mg_reader_mark(pass->reader, MEGURI_OK);
}

/* ---- chunks for all --------------------------------------------------------------------------------------------- */

/* What lies before the chunks of a part, and before each of them. */
typedef struct parcel {
    uint64_t chunks, last;
} parcel;
typedef struct label {
    uint64_t bytes, offset, line, rows;
    uint64_t overlong; /* whether a line that is too long follows */
} label;

/* Parcels in the making. */
typedef struct packet {
    char *data;
    uint64_t used, room;
} packet;

static char *add(packet *p, meguri_ctx *ctx, uint64_t bytes) {
    if (!p->data || p->used + bytes > p->room) {
        uint64_t room = MG_MAX(p->used + bytes, 2 * p->room);
        char *data = mg_resize(ctx, p->data, room, "text for others");
        if (!data) return NULL;
        p->data = data;
        p->room = room;
    }
    p->used += bytes;
    return p->data + p->used - bytes;
}

static meguri_status add_chunk(packet *p, mg_input *input, const mg_chunk *chunk) {
    uint64_t bytes = (uint64_t)(chunk->end - chunk->begin);
    const label about = {bytes, chunk->offset, chunk->line, chunk->rows, chunk->overlong != NULL};
    char *to = add(p, input->ctx, sizeof about + bytes + 2 * MG_PAD);
    if (!to) return MEGURI_NO_MEMORY;
    memcpy(to, &about, sizeof about);
    memcpy(to + sizeof about, chunk->begin - MG_PAD, bytes + 2 * MG_PAD); /* with what is readable around it */
    return MEGURI_OK;
}

/* `each` chunks for every part. */
static meguri_status make_parcels(packet *p, uint64_t *begins, mg_pass *pass, mg_chunk *chunk, int each, bool *last) {
    mg_input *input = pass->input;
    int parts = pass->reader->share->of.parts;
    meguri_status status = MEGURI_OK;
    p->used = 0;
    for (int part = 0; part < parts && status == MEGURI_OK; part++) {
        begins[part] = p->used;
        parcel about = {0};
        if (!add(p, input->ctx, sizeof about)) return MEGURI_NO_MEMORY;
        for (int i = 0; i < each && status == MEGURI_OK && !*last; i++) {
            status = mg_input_make(input, chunk);
            /* Damaged data is an end, too, until what stands before it has been parsed. */
            if (status == MEGURI_BAD_INPUT && input->damage) status = MEGURI_OK;
            *last = status == MEGURI_OK && !chunk->begin;
            if (status != MEGURI_OK || *last) break;
            status = add_chunk(p, input, chunk);
            about.chunks++;
        }
        memcpy(p->data + begins[part], &about, sizeof about);
    }
    begins[parts] = p->used;
    const uint64_t yes = 1;
    for (int part = 0; part < parts && *last && status == MEGURI_OK; part++)
        memcpy(p->data + begins[part] + offsetof(parcel, last), &yes, sizeof yes);
    return status;
}

/* Chunks lie where they arrived. */
static meguri_status open_parcel(mg_input *input, char *data, uint64_t bytes, bool *last) {
    parcel about;
    if (bytes < sizeof about) return mg_fail(input->ctx, MEGURI_ENGINE_FAILED, "text was lost on its way.");
    memcpy(&about, data, sizeof about);
    *last = about.last != 0;
    mg_chunk *given = mg_resize(input->ctx, input->given, MG_MAX(about.chunks, 1u) * sizeof *given, "text of others");
    if (!given) return MEGURI_NO_MEMORY;
    input->given = given;
    input->given_count = about.chunks;
    input->given_next = 0;
    char *at = data + sizeof about;
    for (uint64_t i = 0; i < about.chunks; i++) {
        label of;
        memcpy(&of, at, sizeof of);
        char *begin = at + sizeof of + MG_PAD;
        given[i] =
            (mg_chunk){.begin = begin, .end = begin + of.bytes, .offset = of.offset, .line = of.line, .rows = of.rows};
        if (of.overlong) given[i].overlong = given[i].end;
        at = begin + of.bytes + MG_PAD;
    }
    return MEGURI_OK;
}

/* A header that is longer than what is known of a pipe would be read differently here and there. */
static meguri_status check_start(const mg_pass *pass, meguri_status status) {
    const mg_input *input = pass->input;
    uint64_t used = input->dropped_bytes + input->used, mine = used, all = 0;
    status = sum(pass->reader, status, &used, &all, 1);
    if (status != MEGURI_OK || all == mine * (uint64_t)pass->reader->share->of.parts) return status;
    return mg_fail(input->ctx, MEGURI_BAD_INPUT,
                   "the header of %s is too long to be read by several processes from a pipe; save it to a file.",
                   input->name);
}

meguri_status mg_pass_deal(mg_pass *pass, int threads) {
    mg_reader *reader = pass->reader;
    mg_input *input = pass->input;
    const mg_share_of *share = &reader->share->of;
    int whose = input->random ? (int)(reader->dealt++ % (unsigned)share->parts) : 0;
    packet p = {0};
    mg_chunk chunk = {0};
    bool made_last = false, last = false;
    uint64_t *begins = mg_alloc_array_zero(reader->ctx, (uint64_t)share->parts + 1, sizeof *begins, "text for others");
    meguri_status status = check_start(pass, begins ? MEGURI_OK : MEGURI_NO_MEMORY);
    while (!last && status == MEGURI_OK) {
        void *arrived = NULL;
        uint64_t bytes = 0;
        if (whose == share->part) status = make_parcels(&p, begins, pass, &chunk, threads, &made_last);
        status = reader->share->deal(share->user, status, &arrived, &bytes, p.data, begins);
        if (status == MEGURI_OK) status = open_parcel(input, arrived, bytes, &last);
        if (status == MEGURI_OK) status = mg_pass_work(pass, threads);
        if (mg_reader_has_marks(reader)) status = mg_reader_mark(reader, status);
        mg_free(arrived);
    }
    if (status == MEGURI_OK && input->damage) status = mg_fail(reader->ctx, MEGURI_BAD_INPUT, "%s", input->damage);
    mg_free(chunk.buffer);
    mg_free(input->given);
    input->given = NULL;
    input->given_count = 0;
    mg_free(p.data);
    mg_free(begins);
    return status;
}

/* ---- inputs ----------------------------------------------------------------------------------------------------- */

/* Everybody can open a file; what is none, one part reads. */
static meguri_status is_file(bool *out, const mg_reader *reader, const char *path) {
    struct stat facts;
    uint64_t pipe = 0, all = 0;
    if (reader->share->of.part == 0)
        pipe = strcmp(path, "-") == 0 || (stat(path, &facts) == 0 && !S_ISDIR(facts.st_mode) && !facts.st_size);
    meguri_status status = sum(reader, MEGURI_OK, &pipe, &all, 1);
    *out = all == 0;
    return status;
}

/* The first part opens it, and sends the others its beginning, behind a byte that says whether it is all there is. */
static meguri_status open_pipe(mg_input *input, mg_reader *reader, const char *path) {
    const mg_share_of *share = &reader->share->of;
    meguri_ctx *ctx = reader->ctx;
    void *arrived = NULL;
    uint64_t bytes = 0;
    packet p = {0};
    uint64_t *begins = mg_alloc_array_zero(ctx, (uint64_t)share->parts + 1, sizeof *begins, "text for others");
    meguri_status status = begins ? MEGURI_OK : MEGURI_NO_MEMORY;
    *input = (mg_input){.fd = -1};
    if (share->part == 0) {
        if (status == MEGURI_OK) status = mg_reader_open(reader, input, path);
        if (status == MEGURI_OK) status = mg_input_peek(input, HEAD_BYTES);
        for (int part = 1; part < share->parts && status == MEGURI_OK; part++) {
            char *to = add(&p, ctx, 1 + input->head_bytes);
            if (to) to[0] = input->ended;
            if (to) memcpy(to + 1, input->head + MG_PAD, input->head_bytes);
            else status = MEGURI_NO_MEMORY;
            begins[part + 1] = p.used;
        }
        input->random = false; /* as nobody else can read it */
    }
    status = reader->share->deal(share->user, status, &arrived, &bytes, p.data, begins);
    const char *head = arrived;
    if (status == MEGURI_OK && share->part != 0 && bytes)
        status = mg_input_elsewhere(input, ctx, strcmp(path, "-") == 0 ? "standard input" : path, head + 1,
                                    (size_t)bytes - 1, head[0] != 0);
    mg_free(arrived);
    mg_free(p.data);
    mg_free(begins);
    return status;
}

static meguri_status read_path(mg_reader *reader, const char *path) {
    mg_input input = {.fd = -1};
    bool file;
    meguri_status status = is_file(&file, reader, path);
    if (status != MEGURI_OK) return status;
    status = file ? mg_reader_open(reader, &input, path) : open_pipe(&input, reader, path);
    if (status == MEGURI_OK) status = mg_reader_input(reader, &input);
    mg_input_close(&input);
    return status;
}

meguri_status mg_read_in_shares(mg_read_part *out, meguri_ctx *ctx, const char *const *paths, size_t count,
                                const meguri_read_options *options, const mg_read_share *share) {
    mg_reader reader = {0};
    *out = (mg_read_part){0};
    meguri_status status = mg_reader_check_paths(ctx, paths, count);
    if (status != MEGURI_OK) return status;
    status = mg_reader_start(&reader, ctx, 0, options);
    reader.share = share;
    reader.paths = paths;
    reader.path_count = count;
    if (status == MEGURI_OK && reader.options.coordinates)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                         "a graph in parts has no coordinates: leave %s out, or build the graph in one process.",
                         reader.options.coordinates);
    for (size_t i = 0; i < count && status == MEGURI_OK; i++) status = read_path(&reader, paths[i]);
    if (status == MEGURI_OK) {
        *out = (mg_read_part){.builder = reader.builder,
                              .edges = reader.edges,
                              .names = mg_edges_names(reader.edges),
                              .name_marks = reader.name_marks,
                              .edge_marks = reader.edge_marks,
                              .negative = reader.negative_ids,
                              .huge = reader.huge_ids,
                              .directed = reader.direction != MEGURI_UNDIRECTED,
                              .weighted = reader.weighted == MG_YES};
        reader.builder = NULL;
        reader.name_marks = reader.edge_marks = (mg_share_marks){0};
    }
    mg_reader_finish(&reader);
    return status;
}

void mg_read_part_free(mg_read_part *part) {
    meguri_builder_free(part->builder);
    mg_free(part->name_marks.mark);
    mg_free(part->edge_marks.mark);
    *part = (mg_read_part){0};
}
