/* Damaged .meg files: every byte of a small one changed, every length, bytes behind the end, and numbers that lie under
 * checksums that are right. Each is opened and read to the end: never a crash, always a clear sentence or the true
 * data. */
#define _GNU_SOURCE
#include "meg/graphs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct subject {
    meguri_ctx *ctx;
    meguri_graph *graph;
    answer truth[ANSWERS];
    unsigned char *bytes;
    size_t count;
    memory_file file;
    uint64_t refused_at_open, refused_later, fine;
} subject;

static subject new_subject(meguri_graph *(*make)(meguri_ctx *)) {
    subject s = {.ctx = new_context(2)};
    s.graph = make(s.ctx);
    ask_everything(s.truth, s.ctx, s.graph);
    s.bytes = saved_bytes(s.ctx, s.graph, &s.count);
    s.file = new_memory_file(s.bytes, s.count);
    return s;
}

static void free_subject(subject *s) {
    close(s->file.fd);
    free(s->bytes);
    free_answers(s->truth);
    meguri_graph_free(s->graph);
    assert_int_equal(meguri_ctx_memory_used(s->ctx), 0);
    meguri_ctx_free(s->ctx);
}

static void assert_sentence(const subject *s, meguri_status status) {
    const char *text = meguri_ctx_error(s->ctx);
    assert_int_equal(status, MEGURI_BAD_INPUT);
    if (strlen(text) < 20 || text[strlen(text) - 1] != '.') fail_msg("no sentence: %s", text);
}

/* Opens the file as it is now and asks everything; whatever is answered must be true. */
static void try_it(subject *s, const char *what, uint64_t at) {
    meguri_graph *g;
    meguri_status status = meguri_open(&g, s->ctx, s->file.path, NULL);
    if (status != MEGURI_OK) {
        assert_null(g);
        assert_sentence(s, status);
        s->refused_at_open++;
        return;
    }
    answer told[ANSWERS];
    bool all = true;
    ask_everything(told, s->ctx, g);
    for (int i = 0; i < ANSWERS; i++) {
        if (told[i].status != s->truth[i].status) {
            all = false;
            assert_int_equal(told[i].status, MEGURI_BAD_INPUT);
        } else if (told[i].count != s->truth[i].count ||
                   (told[i].count && memcmp(told[i].bytes, s->truth[i].bytes, told[i].count) != 0)) {
            fail_msg("%s %llu: answer %d is wrong", what, (unsigned long long)at, i);
        }
    }
    free_answers(told);
    if (!all) assert_sentence(s, meguri_graph_verify(s->ctx, g));
    *(all ? &s->fine : &s->refused_later) += 1;
    meguri_graph_free(g);
}

enum { FULL_SECTIONS = 19 }; /* of make_full_graph */

static void every_byte_changed(void **state) {
    (void)state;
    subject s = new_subject(make_full_graph);
    for (size_t at = 0; at < s.count; at++) {
        unsigned char changed = s.bytes[at] ^ (unsigned char)(1u << (at * 5 % 8));
        assert_int_equal(pwrite(s.file.fd, &changed, 1, (off_t)at), 1);
        try_it(&s, "byte", at);
        assert_int_equal(pwrite(s.file.fd, &s.bytes[at], 1, (off_t)at), 1);
    }
    /* Header and table at opening; every byte of every section and of its list of hashes later; the rest fills pages.
     */
    uint64_t in_sections = 0;
    for (uint32_t part = 0; part < s.graph->part_count; part++)
        if (s.graph->part[part].data) in_sections += s.graph->part[part].bytes + 8;
    assert_int_equal(s.refused_at_open, 128 + FULL_SECTIONS * 40);
    assert_int_equal(s.refused_later, in_sections);
    assert_int_equal(s.fine, s.count - s.refused_at_open - s.refused_later);
    try_it(&s, "whole", 0);
    free_subject(&s);
}

static void every_length(void **state) {
    (void)state;
    subject s = new_subject(make_full_graph);
    for (size_t length = s.count; length-- > 0;) {
        assert_int_equal(ftruncate(s.file.fd, (off_t)length), 0);
        try_it(&s, "length", length);
    }
    assert_int_equal(s.refused_at_open, s.count);
    free_subject(&s);
}

static void bytes_behind_the_end(void **state) {
    (void)state;
    subject s = new_subject(make_full_graph);
    for (size_t more = 1; more < 10000; more = more * 3 / 2 + 1) {
        assert_int_equal(ftruncate(s.file.fd, (off_t)(s.count + more)), 0);
        try_it(&s, "longer by", more);
    }
    assert_true(s.refused_at_open > 10);
    assert_int_equal(s.refused_later + s.fine, 0);
    free_subject(&s);
}

static meguri_graph *make_two_chunks(meguri_ctx *ctx) { return make_large_graph(ctx, 140000, 3); }

/* A larger file, changed at one byte of each page. */
static void a_byte_of_every_page(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2);
    meguri_graph *graph = make_two_chunks(ctx), *g;
    size_t count;
    unsigned char *bytes = saved_bytes(ctx, graph, &count);
    memory_file file = new_memory_file(bytes, count);
    uint64_t refused = 0, fine = 0;
    for (size_t at = 4096; at < count; at += 4096) {
        unsigned char changed = bytes[at + at / 4096 % 16] ^ 0x10;
        assert_int_equal(pwrite(file.fd, &changed, 1, (off_t)(at + at / 4096 % 16)), 1);
        assert_int_equal(meguri_open(&g, ctx, file.path, NULL), MEGURI_OK);
        meguri_status status = meguri_graph_verify(ctx, g);
        assert_true(status == MEGURI_OK || status == MEGURI_BAD_INPUT);
        if (status == MEGURI_OK) {
            assert_null(graphs_differ(ctx, graph, g));
            fine++;
        } else refused++;
        meguri_graph_free(g);
        assert_int_equal(pwrite(file.fd, &bytes[at + at / 4096 % 16], 1, (off_t)(at + at / 4096 % 16)), 1);
    }
    assert_true(refused > 1000 && fine < 8);
    close(file.fd);
    free(bytes);
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
}

/* ---- lies under right checksums --------------------------------------------------------------------------------- */

/* Changes `size` bytes, makes the checksums right, and expects a refusal at opening or, if `part` is one, at its first
 * use, with a piece of text. */
static void lie(subject *s, uint64_t at, size_t size, uint64_t value, bool at_open, const char *piece) {
    meguri_graph *g;
    unsigned char *copy = malloc(s->count);
    assert_non_null(copy);
    memcpy(copy, s->bytes, s->count);
    memcpy(copy + at, &value, size);
    reseal(copy, s->count);
    assert_int_equal(pwrite(s->file.fd, copy, s->count, 0), (ssize_t)s->count);
    free(copy);
    meguri_status status = meguri_open(&g, s->ctx, s->file.path, NULL);
    if (at_open) assert_null(g);
    else {
        if (status != MEGURI_OK) fail_msg("not opened: %s", meguri_ctx_error(s->ctx));
        /* The accessors first: they must be safe without a verdict on the whole. */
        answer told[ANSWERS];
        ask_everything(told, s->ctx, g);
        free_answers(told);
        status = meguri_graph_verify(s->ctx, g);
    }
    assert_sentence(s, status);
    if (!strstr(meguri_ctx_error(s->ctx), piece))
        fail_msg("byte %llu: %s", (unsigned long long)at, meguri_ctx_error(s->ctx));
    meguri_graph_free(g);
}

static void lies_in_the_header(void **state) {
    (void)state;
    subject s = new_subject(make_full_graph);
    const uint64_t huge = UINT64_MAX;
    static const struct {
        uint64_t at;
        size_t size;
        const char *piece;
    } fields[] = {{24, 8, "damaged"},  {32, 8, "vertices"}, {40, 8, "rows"},     {48, 8, "arcs"},
                  {56, 8, "edges"},    {64, 8, "isolated"}, {108, 1, "weights"}, {109, 1, "ids"},
                  {110, 1, "order"},   {111, 1, "4 nor 8"}, {120, 1, "damaged"}, {12, 4, "damaged"},
                  {116, 4, "damaged"}, {112, 4, "damaged"}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        lie(&s, fields[i].at, fields[i].size, huge, true, fields[i].piece);
    lie(&s, 32, 8, 7, true, "damaged"); /* vertices: the maps are too short */
    lie(&s, 32, 8, UINT32_MAX - 2, true, "damaged");
    lie(&s, 32, 8, 0, true, "damaged");
    lie(&s, 40, 8, 4, true, "damaged");                 /* rows */
    lie(&s, 48, 8, 8, true, "damaged");                 /* arcs */
    lie(&s, 48, 8, UINT64_C(1) << 62, true, "damaged"); /* arcs * 4 is 0 in 64 bits */
    lie(&s, 56, 8, 8, true, "edges");
    lie(&s, 56, 8, 3, true, "edges");
    lie(&s, 104, 4, 1, true, "edges");   /* directed: edges are arcs */
    lie(&s, 108, 1, 0, true, "damaged"); /* no weights: then they must not be there */
    lie(&s, 108, 1, 1, true, "wrong size");
    lie(&s, 109, 1, 0, true, "damaged"); /* integer ids: names must not be there */
    lie(&s, 111, 1, 8, true, "wrong size");
    lie(&s, 112, 4, 8, true, "damaged"); /* a section less */
    lie(&s, 112, 4, 0, true, "damaged");
    lie(&s, 120, 1, 11, true, "damaged");
    free_subject(&s);
}

enum { ENTRY = 128, NUMBER = 0, ITEM = 8, OFFSET = 16, BYTES = 24 };

static void lies_in_the_table(void **state) {
    (void)state;
    subject s = new_subject(make_full_graph);
    for (uint64_t i = 0; i < FULL_SECTIONS; i++) {
        uint64_t entry = ENTRY + 40 * i;
        lie(&s, entry + OFFSET, 8, 0, true, "overlap");
        lie(&s, entry + OFFSET, 8, 4096 * (i + 1) + 8, true, "overlap");
        lie(&s, entry + OFFSET, 8, UINT64_MAX - 4095, true, "overlap");
        lie(&s, entry + BYTES, 8, UINT64_MAX, true, "damaged");
        lie(&s, entry + BYTES, 8, UINT64_MAX - 4096 * (i + 1) + 1, true, "damaged");
        lie(&s, entry + BYTES, 8, 4096, true, "damaged");
        if (i == 10 || i == 12) lie(&s, entry + BYTES, 8, 3, false, "too few names");
        else if (i != 6) lie(&s, entry + BYTES, 8, 3, true, "damaged");
        else lie(&s, entry + BYTES, 8, 3, false, "name offsets"); /* names may have any size, but not any offsets */
        lie(&s, entry + ITEM, 4, 3, true, "wrong size");
    }
    lie(&s, ENTRY + 40 + NUMBER, 4, 1, true, "twice");
    lie(&s, ENTRY + 40 + NUMBER, 4, 0, true, "newer");
    free_subject(&s);
}

static void lies_in_the_sections(void **state) {
    (void)state;
    subject s = new_subject(make_full_graph);
    /* The sections of the full graph lie on one page each, in the order of their numbers. */
    enum { ROWS = 4096, NEIGHBORS = 8192, WEIGHTS = 12288, TO_USER = 16384, TO_INTERNAL = 20480, NAME_AT = 24576 };
    enum { NAMES = 28672, INDEX = 32768 };
    lie(&s, ROWS, 4, 1, false, "row offsets");     /* does not begin at 0 */
    lie(&s, ROWS + 4, 4, 4, false, "row offsets"); /* falls */
    lie(&s, ROWS + 4, 4, UINT32_MAX, false, "row offsets");
    lie(&s, ROWS + 20, 4, 6, false, "row offsets"); /* does not end at the arcs */
    lie(&s, ROWS + 20, 4, 8, false, "row offsets");
    lie(&s, NEIGHBORS + 8, 4, 6, false, "neighbours");
    lie(&s, NEIGHBORS + 24, 4, UINT32_MAX, false, "neighbours");
    lie(&s, WEIGHTS + 12, 4, 0x7fc00000, false, "weights"); /* NaN */
    lie(&s, TO_USER, 4, 6, false, "internal-to-user");
    lie(&s, TO_USER, 4, 2, false, "undo"); /* twice the same */
    lie(&s, TO_INTERNAL + 4, 4, UINT32_MAX, false, "user-to-internal");
    lie(&s, TO_INTERNAL + 4, 4, 0, false, "undo");
    lie(&s, NAME_AT, 8, 1, false, "name offsets");
    lie(&s, NAME_AT + 8, 8, 1000, false, "name offsets");
    lie(&s, NAME_AT + 8, 8, UINT64_MAX, false, "name offsets");
    lie(&s, NAME_AT + 48, 8, 4, false, "name offsets");
    for (uint64_t slot = 0; slot < 128; slot++) lie(&s, INDEX + 4 * slot, 4, 6, false, "name index");
    free_subject(&s);
}

/* ---- a path index ----------------------------------------------------------------------------------------------- */

static meguri_graph *make_narrow(meguri_ctx *ctx) { return make_indexed_graph(ctx, 3); }
static meguri_graph *make_real(meguri_ctx *ctx) { return make_indexed_graph(ctx, 11); }
static meguri_graph *make_wide(meguri_ctx *ctx) { return make_indexed_graph(ctx, 13); }
static meguri_graph *make_uncontracted(meguri_ctx *ctx) { return make_indexed_graph(ctx, INDEXED - 1); }

static void every_byte_of_an_index(void **state) {
    (void)state;
    subject s = new_subject(make_real);
    uint64_t sum = 0;
    for (uint32_t number = 11; number <= 15; number++) {
        uint64_t bytes, begin = section_of(s.bytes, number, &bytes);
        sum += bytes;
        for (uint64_t at = begin; at < begin + bytes; at++) {
            unsigned char changed = s.bytes[at] ^ (unsigned char)(1u << (at * 5 % 8));
            assert_int_equal(pwrite(s.file.fd, &changed, 1, (off_t)at), 1);
            try_it(&s, "byte", at);
            assert_int_equal(pwrite(s.file.fd, &s.bytes[at], 1, (off_t)at), 1);
        }
    }
    assert_int_equal(s.refused_later, sum);
    free_subject(&s);
}

static void lies_in_an_index(void **state) {
    (void)state;
    subject s = new_subject(make_narrow);
    uint64_t bytes, facts = section_of(s.bytes, 11, &bytes), heights = section_of(s.bytes, 12, &bytes),
                    rows = section_of(s.bytes, 13, &bytes);
    uint64_t last_row = rows + bytes - 4, edges = section_of(s.bytes, 14, &bytes), last_edge = edges + bytes - 12;
    uint64_t halves = section_of(s.bytes, 15, &bytes), count = bytes / 16, vertices = (last_row - rows) / 4;
    lie(&s, facts, 8, count + 1, false, "index facts");
    lie(&s, facts + 8, 8, 2 * count + 1, false, "index facts");
    lie(&s, facts + 16, 8, vertices + 1, false, "index facts");
    lie(&s, facts + 24, 8, 2, false, "index facts");
    lie(&s, facts + 56, 8, 1, false, "index facts");
    lie(&s, heights, 4, vertices, false, "index heights");
    lie(&s, rows, 4, 1, false, "index rows");
    lie(&s, rows + 4, 4, count + 1, false, "index rows");
    lie(&s, last_row, 4, count - 1, false, "index rows");
    lie(&s, last_edge, 4, vertices, false, "index edges");     /* no such height */
    lie(&s, last_edge, 4, vertices - 1, false, "index edges"); /* not upwards: to itself */
    uint64_t place = count - 1;
    lie(&s, halves + 16 * place, 8, place << 32 | place, false, "index halves"); /* stands for itself */
    lie(&s, halves, 8, count << 32 | 1, false, "index halves");
    lie(&s, halves, 8, UINT64_C(1) << 32 | count, false, "index halves");
    lie(&s, halves, 8, UINT64_C(1) << 63 | 1000000, false, "index halves"); /* no such arc */
    lie(&s, halves, 8, UINT64_MAX, false, "index halves");
    for (uint64_t entry = ENTRY; entry < 4096; entry += 40) { /* sizes, and that there are five */
        uint32_t number = 0, sections;
        memcpy(&sections, s.bytes + 112, 4);
        if (entry == ENTRY + 40 * (uint64_t)sections) break;
        memcpy(&number, s.bytes + entry, 4);
        if (number < 11) continue;
        lie(&s, entry + BYTES, 8, 8, true, "damaged");
        lie(&s, entry + BYTES, 8, UINT64_MAX, true, "damaged");
        lie(&s, entry + ITEM, 4, 3, true, "wrong size");
        lie(&s, entry + NUMBER, 4, 99, true, "are not there"); /* one that nobody knows, in its place */
    }
    free_subject(&s);
    s = new_subject(make_real);
    edges = section_of(s.bytes, 14, &bytes);
    lie(&s, edges, 8, UINT64_C(0x7ff8000000000000), false, "index edges"); /* NaN */
    lie(&s, edges + 8, 8, UINT64_C(0xbff0000000000000), false, "index edges");
    free_subject(&s);
    s = new_subject(make_wide);
    edges = section_of(s.bytes, 14, &bytes);
    lie(&s, edges, 8, (UINT64_C(1) << 62) + 1, false, "index edges"); /* sums would run over */
    free_subject(&s);
}

/* What no rule can see may give a wrong path or a sentence, and nothing worse. */
static void random_lies_in_an_index(void **state) {
    (void)state;
    meguri_graph *(*const makers[])(meguri_ctx *) = {make_narrow, make_real, make_wide, make_uncontracted};
    uint64_t random = 1, refused = 0, answered = 0;
    for (size_t m = 0; m < sizeof makers / sizeof *makers; m++) {
        subject s = new_subject(makers[m]);
        unsigned char *copy = malloc(s.count);
        assert_non_null(copy);
        for (int i = 0; i < 300; i++) {
            memcpy(copy, s.bytes, s.count);
            for (int change = 0; change <= i % 3; change++) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
                uint64_t bytes, begin = section_of(s.bytes, 11 + (uint32_t)(random >> 40) % 5, &bytes);
                uint64_t at = begin + (random >> 33) % bytes / 4 * 4, from = begin + (random >> 20) % bytes / 4 * 4;
                memcpy(copy + at, s.bytes + from, 4); /* numbers that occur are more often in bounds */
                if (i % 4 == 0) copy[at] = (unsigned char)(random >> 56);
            }
            reseal(copy, s.count);
            assert_int_equal(pwrite(s.file.fd, copy, s.count, 0), (ssize_t)s.count);
            meguri_graph *g;
            if (meguri_open(&g, s.ctx, s.file.path, NULL) != MEGURI_OK) continue;
            answer told[ANSWERS];
            ask_everything(told, s.ctx, g);
            assert_true(told[7].status == MEGURI_OK || told[7].status == MEGURI_BAD_INPUT);
            *(told[7].status == MEGURI_OK ? &answered : &refused) += 1;
            free_answers(told);
            meguri_graph_free(g);
        }
        free(copy);
        free_subject(&s);
    }
    assert_true(refused > 100 && answered > 100);
}

/* An index without an empty slot would be searched for ever. */
static void full_name_index(void **state) {
    (void)state;
    subject s = new_subject(make_full_graph);
    memset(s.bytes + 32768, 0, 512);
    lie(&s, 32768, 4, 0, false, "name index");
    free_subject(&s);
}

static meguri_graph *make_with_ids(meguri_ctx *ctx) {
    char name[GRAPH_NAME];
    return make_graph(ctx, 24 + 6 * 2, name); /* listed ids, nothing else */
}

static meguri_graph *make_with_signed_ids(meguri_ctx *ctx) {
    char name[GRAPH_NAME];
    return make_graph(ctx, 24 + 6 * 4 + 5, name); /* f64 weights */
}

static meguri_graph *make_with_base(meguri_ctx *ctx) {
    char name[GRAPH_NAME];
    return make_graph(ctx, 24 + 6 * 3, name);
}

static void lies_about_ids(void **state) {
    (void)state;
    subject s = new_subject(make_with_ids);
    lie(&s, 12288 + 8, 8, 0, false, "ids");
    lie(&s, 12288 + 8, 8, 8, false, "ids");
    lie(&s, 12288 + 40, 8, 5, false, "ids");
    free_subject(&s);
    s = new_subject(make_with_signed_ids);
    lie(&s, 16384, 8, 1, false, "ids");
    lie(&s, 16384 + 40, 8, (uint64_t)-4, false, "ids");
    lie(&s, 12288, 8, UINT64_C(0x7ff8000000000000), false, "weights");
    free_subject(&s);
    s = new_subject(make_with_base);
    lie(&s, 72, 8, INT64_MAX - 4, true, "ids"); /* the sixth would wrap around */
    lie(&s, 32, 8, 0, true, "damaged");
    free_subject(&s);
}

/* What spans the border between two chunks. */
static void lies_across_chunks(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2);
    meguri_graph *graph = make_large_graph(ctx, 300000, 2), *g;
    size_t count;
    unsigned char *bytes = saved_bytes(ctx, graph, &count);
    uint64_t row_offsets, ids, large = 599999;
    memcpy(&row_offsets, bytes + ENTRY + OFFSET, 8);
    memcpy(&ids, bytes + ENTRY + 40 * 5 + OFFSET, 8);
    for (int round = 0; round < 3; round++) {
        unsigned char *copy = malloc(count);
        assert_non_null(copy);
        memcpy(copy, bytes, count);
        /* The last element of the first chunk is larger than the first of the second. */
        if (round == 0) memcpy(copy + row_offsets + (1 << 20) - 4, &large, 4);
        if (round == 1) memset(copy + ids + (1 << 20) - 8, 0x7f, 8);
        if (round == 2) memcpy(copy + ids + (1 << 20), copy + ids + (1 << 20) - 8, 8);
        reseal(copy, count);
        memory_file file = new_memory_file(copy, count);
        assert_int_equal(meguri_open(&g, ctx, file.path, NULL), MEGURI_OK);
        assert_int_equal(meguri_graph_verify(ctx, g), MEGURI_BAD_INPUT);
        assert_non_null(strstr(meguri_ctx_error(ctx), "out of order"));
        meguri_graph_free(g);
        close(file.fd);
        free(copy);
    }
    free(bytes);
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_changed),      cmocka_unit_test(every_length),
        cmocka_unit_test(bytes_behind_the_end),    cmocka_unit_test(a_byte_of_every_page),
        cmocka_unit_test(lies_in_the_header),      cmocka_unit_test(lies_in_the_table),
        cmocka_unit_test(lies_in_the_sections),    cmocka_unit_test(full_name_index),
        cmocka_unit_test(lies_about_ids),          cmocka_unit_test(lies_across_chunks),
        cmocka_unit_test(every_byte_of_an_index),  cmocka_unit_test(lies_in_an_index),
        cmocka_unit_test(random_lies_in_an_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
