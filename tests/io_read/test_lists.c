/* Lists of vertices and of pairs: rows and fields, whatever parts them; allocations that fail. The command's tests
 * (tests/cli/test_lists.py) look ids up. */
#define _GNU_SOURCE
#include "io/list.h"
#include "io_read/reading.h"
#include "support/faults.h"

typedef struct trial {
    meguri_list_kind kind;
    bytes text;
    const char *want; /* rows in lines, their line before them, fields in brackets; or the sentence */
} trial;

static const trial trials[] = {
    {MEGURI_LIST_VERTICES, BYTES("5\n7\n"), "1[5]\n2[7]\n"},
    {MEGURI_LIST_VERTICES, BYTES("\n# x\n 5 \t\r\n\n\t7"), "3[5]\n5[7]\n"},
    {MEGURI_LIST_VERTICES, BYTES("New York\nWashington, D.C.\n"), "1[New York]\n2[Washington, D.C.]\n"},
    {MEGURI_LIST_VERTICES, BYTES("Washington, D.C.\nNew York\n"), "1[Washington][D.C.]\n2[New York]\n"},
    {MEGURI_LIST_VERTICES, BYTES("\"New York\"\n\"a\"\"b\"\nsay \"hi\"\n\"x\" y\n"),
     "1[New York]\n2[a\"b]\n3[say \"hi\"]\n4[\"x\" y]\n"},
    {MEGURI_LIST_VERTICES, BYTES("5 0.5\n7  1 2\n-8\n"), "1[5][0.5]\n2[7][1][2]\n3[-8]\n"},
    {MEGURI_LIST_VERTICES, BYTES("5 0.5\nx 1\n"), "1[5 0.5]\n2[x 1]\n"},
    {MEGURI_LIST_VERTICES, BYTES("vertex,level\n5,0\n7,1\n"), "2[5][0]\n3[7][1]\n"},
    {MEGURI_LIST_VERTICES, BYTES("a;vertex\n\"x;y\";\"two\nlines\"\n;\n"), "2[x;y][two\nlines]\n4[][]\n"},
    {MEGURI_LIST_VERTICES, BYTES("vertex\nx\nvertex\n"), "2[x]\n3[vertex]\n"},
    {MEGURI_LIST_VERTICES, BYTES("id\nx\nid\n"), "1[id]\n2[x]\n3[id]\n"},
    {MEGURI_LIST_VERTICES, BYTES("%x\n//y\n% z\n//\n%%\n"), "1[%x]\n2[//y]\n"},
    {MEGURI_LIST_VERTICES, BYTES("\xef\xbb\xbfvertex\n5\n"), "2[5]\n"},
    {MEGURI_LIST_VERTICES, BYTES("vertex|x\n5|6\n"), "2[5][6]\n"},
    {MEGURI_LIST_VERTICES, BYTES("a\t\"b\"\t\"c\"d\t\n"), "1[a][b][\"c\"d]\n"},
    {MEGURI_LIST_VERTICES, BYTES("x,\"y\n"), "a:1: a quoted field does not end as it should"},
    {MEGURI_LIST_VERTICES, BYTES("x,y\nx,\"y\"z\n"), "a:2: a quoted field does not end as it should"},
    {MEGURI_LIST_VERTICES, BYTES("5\n\0\n"), "a:2: there is a zero byte in it; give one id a line, as text."},
    {MEGURI_LIST_VERTICES, BYTES("#\n"), "a has no ids; give one a line."},
    {MEGURI_LIST_PAIRS, BYTES(""), "a has no ids; give two a line."},
    {MEGURI_LIST_PAIRS, BYTES("1 2\n\"New York\" Rome k=3\n"), "1[1][2]\n2[New York][Rome][k=3]\n"},
    {MEGURI_LIST_PAIRS, BYTES("New York\tRome\tk=3 limit=2\n1 2\n"), "1[New York][Rome][k=3 limit=2]\n2[1][2]\n"},
    {MEGURI_LIST_PAIRS, BYTES("1, 2\n 3 ,4 ,\n"), "1[1][2]\n2[3][4][]\n"},
    {MEGURI_LIST_PAIRS, BYTES("from;to;k\n1;2;\n"), "2[1][2][]\n"},
    {MEGURI_LIST_PAIRS, BYTES("u v\nx y\n"), "2[x][y]\n"},
    {MEGURI_LIST_PAIRS, BYTES("u v\nv w\n"), "1[u][v]\n2[v][w]\n"},
    {MEGURI_LIST_PAIRS, BYTES("Von Nach\n1 2\n3 4\n"), "2[1][2]\n3[3][4]\n"},
    {MEGURI_LIST_PAIRS, BYTES("a b\n1 2\n"), "1[a][b]\n2[1][2]\n"},
    {MEGURI_LIST_PAIRS, BYTES("a b k=1\n1 2\n3 4\n"), "1[a][b][k=1]\n2[1][2]\n3[3][4]\n"},
    {MEGURI_LIST_PAIRS, BYTES("Von Nach\nx 2\n"), "1[Von][Nach]\n2[x][2]\n"},
    {MEGURI_LIST_PAIRS, BYTES("{\"from\": 1,\n {} \n"), "1[{\"from\": 1,]\n2[{}]\n"},
    {MEGURI_LIST_PAIRS,
     BYTES("\xff\xfe"
           "1\0 \0"
           "2\0\n\0"),
     "a is UTF-16 text"},
};

static meguri_status read_list(meguri_list **list, meguri_ctx *ctx, const trial *t) {
    mg_input input;
    *list = NULL;
    mg_begin(ctx);
    meguri_status status = mg_input_memory(&input, ctx, "a", t->text.data, t->text.length);
    if (status == MEGURI_OK) status = mg_list_read_input(list, &input, t->kind);
    mg_input_close(&input);
    return status;
}

static void rows_and_fields(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        reading r;
        meguri_list *list;
        char got[1000] = "";
        size_t used = 0;
        reading_start(&r, 1);
        meguri_status status = read_list(&list, r.ctx, &trials[i]);
        if (status != MEGURI_OK) {
            assert_int_equal(status, MEGURI_BAD_INPUT);
            if (!strstr(meguri_ctx_error(r.ctx), trials[i].want))
                fail_msg("'%s' in place of '%s'", meguri_ctx_error(r.ctx), trials[i].want);
        }
        for (uint64_t row = 0; row < meguri_list_rows(list); row++) {
            used += (size_t)snprintf(got + used, sizeof got - used, "%d", (int)meguri_list_line(list, row));
            for (uint32_t c = 0; meguri_list_field(list, row, c); c++)
                used += (size_t)snprintf(got + used, sizeof got - used, "[%s]", meguri_list_field(list, row, c));
            used += (size_t)snprintf(got + used, sizeof got - used, "\n");
        }
        if (status == MEGURI_OK) assert_string_equal(got, trials[i].want);
        meguri_list_free(list);
        reading_end(&r);
    }
}

static meguri_status attempt(meguri_ctx *ctx, void *what) {
    meguri_list *list;
    meguri_status status = read_list(&list, ctx, what);
    if (status != MEGURI_OK) assert_null(list);
    meguri_list_free(list);
    return status;
}

static void every_allocation(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        reading r;
        trial t = trials[i];
        if (strncmp(t.want, "a", 1) == 0) continue;
        reading_start(&r, 1);
        assert_true(fail_each_allocation(r.ctx, attempt, &t, LEAVES_NOTHING) >= 6);
        assert_int_equal(attempt(r.ctx, &t), MEGURI_OK);
        reading_end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_and_fields), cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
