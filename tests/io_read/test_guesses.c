/* What could be meant in two ways: refused, or read in the likelier way with a warning that names the place and what
 * settles it; and sentences that say what is wrong, not what is wrong with a part of it. */
#define _GNU_SOURCE
#include "reading.h"

#include <unistd.h>
#include <zstd.h>

static const meguri_read_options strings = {.size = sizeof strings, .ids = MEGURI_IDS_STRING};
static const meguri_read_options integers = {.size = sizeof integers, .ids = MEGURI_IDS_INTEGER};
static const meguri_read_options csv = {.size = sizeof csv, .format = MEGURI_FORMAT_CSV};

/* The graph, and exactly one warning, with this part. */
static void guess(const char *name, bytes text, const char *want, const char *warning) {
    expect(name, text, NULL, want);
    expect_warning(name, text, NULL, warning);
}

static void expect_silence(const char *name, bytes text, const meguri_read_options *options) {
    reading r;
    meguri_graph *graph;
    reading_start(&r, 2);
    if (mg_read_memory(&graph, r.ctx, name, text.data, text.length, 0, options) != MEGURI_OK)
        fail_msg("refused: %s", meguri_ctx_error(r.ctx));
    if (r.warnings) fail_msg("warning '%s'", r.warning);
    meguri_graph_free(graph);
    reading_end(&r);
}

static void decimal_commas(void **state) {
    (void)state;
    refuse("a", BYTES("1 2 1,5\n"), NULL, "a:1: the weight '1,5' has a decimal comma");
    refuse("a", BYTES("x y 1,5\n"), NULL, "a:1: the weight '1,5' has a decimal comma");
    refuse("a", BYTES("1;2;1,5\n"), NULL, "a:1: the weight '1,5' has a decimal comma");
    refuse("a", BYTES("x;y;-1,5\n"), NULL, "a:1: the weight '-1,5' has a decimal comma");
    refuse("a", BYTES("1\t2\t1,5\n"), NULL, "a:1: the weight '1,5' has a decimal comma");
    refuse("a", BYTES("1 2 3\n1 2 1,5\n"), NULL, "a:2: the weight '1,5' has a decimal comma");
    refuse("a", BYTES("source,target,weight\n1,2,\"1,5\"\n"), NULL, "a:2: the weight '1,5' has a decimal comma");
    refuse("a", BYTES("source;target;weight\n1;2;1,5\n"), NULL, "a:2: the weight '1,5' has a decimal comma");
    refuse("a", BYTES("source,target,weight\n1,2,\"a,b\"\n"), NULL, "a:2: the weight 'a,b' is not a number");
    /* Commas that part names with blanks stay what they are. */
    expect("a", BYTES("New York,Boston\n"), NULL, "directed none string 1 of 1\nNew York: Boston\nBoston:\n");
    expect("a", BYTES("1 , 2\n"), NULL, "directed none unsigned 1 of 1\n1: 2\n2:\n");
    expect("a", BYTES("a;b,c\n"), NULL, "directed none string 1 of 1\na;b: c\nc:\n");
}

/* Quotes go around whole fields, and a number is a weight: so commas inside of names are seen to be none between
 * columns. */
static void commas_in_names(void **state) {
    (void)state;
    const char *cities = "directed u8 string 1 of 1\na;b: Paris, Texas(2)\nParis, Texas:\n";
    expect("a", BYTES("\"a;b\";Paris, Texas;2\n"), NULL, cities);
    expect("a", BYTES("\"a;b\" ; \"Paris, Texas\" ; 2\n"), NULL, cities);
    expect("a", BYTES("\"a;b\",\"Paris, Texas\",2\n"), NULL, cities);
    expect("a", BYTES("x;Paris, Texas;2\n"), NULL, "directed u8 string 1 of 1\nx: Paris, Texas(2)\nParis, Texas:\n");
    expect("a", BYTES("x;Paris, Texas;.5\n"), NULL, "directed none string 1 of 1\nx;Paris: Texas;.5\nTexas;.5:\n");
    expect("a", BYTES("x;Paris, Texas;-0.5\n"), NULL,
           "directed f32 string 1 of 1\nx: Paris, Texas(-0.5)\nParis, Texas:\n");
    expect("a", BYTES("\"a;b\";\"c,d\"\n"), NULL, "directed none string 1 of 1\na;b: c,d\nc,d:\n");
}

static void letters(void **state) {
    (void)state;
    const char *edges = "undirected none unsigned 2 of 2\n1: 2\n2: 1 3\n3: 2\n";
    guess("a.txt", BYTES("e 1 2\ne 2 3\n"), edges, "has no 'p' line; it is read as DIMACS, undirected");
    guess("a.txt", BYTES("c hello\n\ne 1 2\nc\ne 2 3\n"), edges, "with format el the letters are ids");
    guess("a.txt", BYTES("a 1 2\na 0 1\n"), "directed none unsigned 2 of 2\n0: 1\n1: 2\n2:\n", "with arcs 'a'");
    guess("a.txt", BYTES("a 1 2 7\n"), "directed u8 unsigned 1 of 1\n1: 2(7)\n2:\n", "with arcs 'a'");
    /* Other names besides: an edge list after all. */
    expect("a.txt", BYTES("a b 5\ne c 6\n"), NULL, "directed u8 string 2 of 2\na: b(5)\nb:\ne: c(6)\nc:\n");
    expect("a.txt", BYTES("e 1 5\nf 1 6\n"), NULL, "directed u8 string 2 of 2\ne: 1(5)\n1:\nf: 1(6)\n");
    refuse("a.txt", BYTES("v 1 7\nv 2 7\ne 1 2\n"), NULL, "a format that is not read");
    refuse("a.txt", BYTES("t # 0\nv 0 1\nv 1 1\ne 0 1 5\n"), NULL, "a format that is not read");
    refuse("a.txt", BYTES("v 1 2 3\n"), NULL, "is a file of coordinates");
}

static void comments(void **state) {
    (void)state;
    guess("a.el", BYTES("a\tb\n#love\tc\n# love\tc\n#hate\td\n"), "directed none string 1 of 1\na: b\nb:\n",
          "a.el:2: lines that start with #, % or // are comments, but 2 of them, of which this is the first");
    expect_warning("a.el", BYTES("//x.org,b\na,b\n"), NULL,
                   "a.el:1: lines that start with #, % or // are comments, but 1 of");
    expect("a", BYTES("source\ttarget\na\t#love\n#love\tc\n"), NULL,
           "directed none string 2 of 2\na: #love\n#love: c\nc:\n");
    expect_silence("a.el", BYTES("a\t#love\n"), NULL);
    expect_silence("a.el", BYTES("#source\ttarget\n# a comment\n#x\na\tb\n"), NULL);
    expect_silence("a.el", BYTES("#1 2\n3 4\n"), NULL); /* among numbers it is a comment */
    meguri_read_options adj = {.size = sizeof adj, .format = MEGURI_FORMAT_ADJACENCY};
    expect_warning("a.el", BYTES("a b c\n#love c\n"), &adj, "a.el:2: lines that start with #");
}

static void headers(void **state) {
    (void)state;
    refuse("a", BYTES("source,source,target\n1,2,3\n"), NULL, "a:1: columns 1 and 2 have the same name, and both");
    refuse("a", BYTES("source,to,weight,to\n1,2,3,4\n"), NULL, "a:1: columns 2 and 4 have the same name, and both");
    refuse("a", BYTES("source,target,weight,Weight\n1,2,3,4\n"), NULL, "a:1: columns 3 and 4 have the same name");
    guess("a", BYTES("from,to,start\n1,2,3\n"), "directed none unsigned 1 of 1\n1: 2\n2:\n",
          "columns 1 and 3 could both hold the ids that edges come from; column 1 is read");
    guess("a", BYTES("source,target,dist,cost\n1,2,3,4\n"), "directed u8 unsigned 1 of 1\n1: 2(4)\n2:\n",
          "columns 3 and 4 could both hold the weights; column 4 is read");
    expect_silence("a", BYTES("start,end,source,target\n1,2,3,4\n"), NULL);
    expect("a", BYTES("start,end,source,target\n1,2,3,4\n"), NULL, "directed none unsigned 1 of 1\n3: 4\n4:\n");
    guess("a", BYTES("weight,source,tgt\n5,1,2\n"), "directed u8 unsigned 1 of 1\n1: 2(5)\n2:\n",
          "a:1: this is taken for a header that names no other end of the edges; ids are read from columns 2 and 3");
    guess("a", BYTES("x,source\n1,2\n"), "directed none unsigned 1 of 1\n1:\n2: 1\n", "from columns 2 and 1");
    refuse("a", BYTES("source,x,y\n1,2,3\n"), &csv, "no columns are named source and target");
    expect_silence("a", BYTES("u v\n1 2\n"), NULL);
    guess("a", BYTES("u v\nx y\n"), "directed none string 1 of 1\nx: y\ny:\n",
          "a:1: the first line, 'u' and 'v', is taken for a header; --no-header reads it as data");
    expect_silence("a", BYTES("u v\nv w\n"), NULL);
    guess("a", BYTES("x y\n1 z\n"), "directed none string 2 of 2\nx: y\ny:\n1: z\nz:\n",
          "a:1: the first line, 'x' and 'y', is read as data; --header reads it as the names");
}

/* What a file says itself: its format, in a comment of its first line. */
static void declared_formats(void **state) {
    (void)state;
    expect_silence("a", BYTES("# format el\nsource\ttarget\n"), NULL);
    expect("a", BYTES("# format el\nsource\ttarget\n"), NULL, "directed none string 1 of 1\nsource: target\ntarget:\n");
    expect("a", BYTES("# format el\r\nann\tbob\r\n1\t2\r\n3\t4\r\n"), NULL,
           "directed none string 3 of 3\nann: bob\nbob:\n1: 2\n2:\n3: 4\n4:\n");
    expect("a", BYTES("\xef\xbb\xbf# format adj\n1 2 3\n"), NULL, "directed none unsigned 2 of 2\n1: 2 3\n2:\n3:\n");
    expect("a", BYTES("# format csv\ntarget,source,\"x\ny\"\n1,2,3\n"), NULL,
           "directed u8 unsigned 1 of 1\n1:\n2: 1(3)\n");
    expect("a", BYTES("# format el\nsource,target\n1,2\n"), &csv, "directed none unsigned 1 of 1\n1: 2\n2:\n");
    meguri_read_options header = {.size = sizeof header, .header = MEGURI_HEADER_YES};
    expect("a", BYTES("# format el\nu\tv\nx\ty\n"), &header, "directed none string 1 of 1\nx: y\ny:\n");
    /* Other comments, and formats whose comments begin otherwise. */
    expect("a", BYTES("# format ell\nsource,target\n1,2\n"), NULL, "directed none unsigned 1 of 1\n1: 2\n2:\n");
    expect("a", BYTES("# format el 2\nsource,target\n1,2\n"), NULL, "directed none unsigned 1 of 1\n1: 2\n2:\n");
    expect("a", BYTES("# format bin32\n1 2\n"), NULL, "directed none unsigned 1 of 1\n1: 2\n2:\n");
    expect("a", BYTES("# format gr\n1 2\n"), NULL, "directed none unsigned 1 of 1\n1: 2\n2:\n");
    expect("a", BYTES("\n# format el\nsource,target\n1,2\n"), NULL, "directed none unsigned 1 of 1\n1: 2\n2:\n");
}

static void ids(void **state) {
    (void)state;
    static const struct {
        bytes text;
        const char *want, *warning;
    } cases[] = {
        {BYTES("1 2\n3 x\n"), "directed none string 2 of 2\n1: 2\n2:\n3: x\nx:\n", "a.el:2: the id 'x' is not a plain"},
        {BYTES("# c\n\n1.0 2\n"), "directed none string 1 of 1\n1.0: 2\n2:\n", "a.el:3: the id '1.0' is not a plain"},
        {BYTES("1e5 x\n"), "directed none string 1 of 1\n1e5: x\nx:\n", "a.el:1: the id '1e5' is not a plain"},
        {BYTES("+1 x\n"), "directed none string 1 of 1\n+1: x\nx:\n", "a.el:1: the id '+1' is not a plain"},
        {BYTES("0x1f x\n"), "directed none string 1 of 1\n0x1f: x\nx:\n", "a.el:1: the id '0x1f' is not a plain"},
        {BYTES("18446744073709551616 x\n"), "directed none string 1 of 1\n18446744073709551616: x\nx:\n",
         "a.el:1: the id '18446744073709551616' is not a plain"},
        {BYTES("source,target\n1,2\n3,x\n"), "directed none string 2 of 2\n1: 2\n2:\n3: x\nx:\n",
         "a.el:3: the id 'x' is not a plain"},
        {BYTES("1 2\n3 007\n"), "directed none unsigned 2 of 2\n1: 2\n2:\n3: 7\n7:\n",
         "a.el:2: the id '007' is read as"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        guess("a.el", cases[i].text, cases[i].want, cases[i].warning);
    expect_silence("a.el", BYTES("x y\n1 z\n"), NULL);
    expect_silence("a.el", BYTES("1 2\n3 x\n"), &strings);
    expect_silence("a.el", BYTES("007 7\n"), &strings);
    expect_silence("a.el", BYTES("007 7\n"), &integers);
    expect_silence("a.el", BYTES("0 -0\n-1 10\n"), NULL);
    expect_silence("a.el", BYTES("\"1\",\"2\"\n"), NULL);
    refuse("a", BYTES("1\r2\r3\r"), NULL, "a:1: there is a carriage return inside the line");
    refuse("a",
           BYTES("\xff\xfe"
                 "1\0 \0"
                 "2\0\n\0"),
           NULL, "a is UTF-16 text");
    refuse("a",
           BYTES("1\0 \0"
                 "2\0\n\0"),
           NULL, "a is UTF-16 text");
}

static void empty_columns(void **state) {
    (void)state;
    const char *empty = "a column is empty: there is nothing between two tabs";
    refuse("a", BYTES("1\t\t2\n"), NULL, empty);
    refuse("a", BYTES("1\t2\n3\t\t4\n"), NULL, empty);
    refuse("a", BYTES("1\t2\t3\n3\t\t4\n"), NULL, empty);
    refuse("a", BYTES("1\t2\t3\n3\t4\t \t4\n"), NULL, empty);
    expect("a", BYTES("1 2\t3\n4  5 \t 6\t\n"), NULL, "directed u8 unsigned 2 of 2\n1: 2(3)\n2:\n4: 5(6)\n5:\n");
}

static void zero_bytes(void **state) {
    (void)state;
    enum { LINES = 100000 };
    static char text[LINES * 16];
    size_t used = 0;
    for (int i = 0; i < LINES; i++) used += (size_t)snprintf(text + used, sizeof text - used, "%d %d\n", i, i + 1);
    memcpy(text + used, "1 \0\0\0\n", 6);
    refuse("a", (bytes){text, used + 6}, NULL, "a:100001: this line holds a zero byte, so it is no text");
}

/* Parse errors that stand before damaged data are named, however the data is cut; and the other way round. */
static void damage_in_order(void **state) {
    (void)state;
    enum { SIZE = 300000 };
    static char text[SIZE], compressed[SIZE + 1000];
    uint32_t random = 1;
    for (size_t i = 0; i < SIZE; i++) { /* incompressible, so that the damage stands at the end */
        random = random * 1664525 + 1013904223;
        text[i] = i % 12 == 11 ? '\n' : i % 12 == 5 ? ' ' : (char)('0' + (random >> 24) % 10);
    }
    size_t size = ZSTD_compress(compressed, sizeof compressed, text, SIZE, 1);
    assert_false(ZSTD_isError(size));
    refuse("a.el", (bytes){compressed, size - 7}, NULL, "its zstd data ends too early");
    memcpy(text + 12 * 20000, "x", 1);
    size = ZSTD_compress(compressed, sizeof compressed, text, SIZE, 1);
    refuse("a.el", (bytes){compressed, size - 7}, NULL, "a.el:20001: the id 'x");
}

/* ---- files beside each other ------------------------------------------------------------------------------------ */

static char folder[200], path_room[3][256];

static int make_folder(void **state) {
    (void)state;
    const char *above = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/meguri-guesses-XXXXXX", above && *above ? above : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) unlink(path_room[i]);
    return rmdir(folder);
}

static const char *write_file(int slot, const char *name, const char *text) {
    snprintf(path_room[slot], sizeof path_room[slot], "%s/%s", folder, name);
    FILE *file = fopen(path_room[slot], "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path_room[slot];
}

/* Reads g.e and what is beside it: the graph or, with want NULL, a failure; and what was said. */
static void read_files(const char *const *paths, size_t count, const meguri_read_options *options, const char *want,
                       const char *part) {
    reading r;
    meguri_graph *graph;
    reading_start(&r, 2);
    meguri_status status = meguri_read(&graph, r.ctx, paths, count, options);
    const char *said = want ? r.warning : meguri_ctx_error(r.ctx);
    if (!want) {
        assert_int_equal(status, MEGURI_BAD_INPUT);
        assert_int_equal(r.warnings, 0);
    } else if (status != MEGURI_OK) fail_msg("refused: %s", meguri_ctx_error(r.ctx));
    if (!strstr(said, part)) fail_msg("'%s' does not contain '%s'", said, part);
    if (want) {
        char *text = graph_text(r.ctx, graph);
        assert_string_equal(text, want);
        assert_int_equal(r.warnings, *part != '\0');
        free(text);
    }
    meguri_graph_free(graph);
    reading_end(&r);
}

static void vertex_files(void **state) {
    (void)state;
    const char *e = write_file(0, "g.e", "1 2\n");
    write_file(1, "g.v", "1 7\n2 8\n5\n");
    read_files(
        &e, 1, NULL, "directed none unsigned 1 of 1\n1: 2\n2:\n5:\n",
        "g.v:1: lines with more than an id (2, of which this is the first) are read as far as their first column");
    write_file(1, "g.v", "1\n2\nx\n");
    read_files(&e, 1, NULL, NULL, "g.v:3: the id 'x' is not an integer of 64 bits, but those of the edges are");
    write_file(0, "g.e", "a\tNew York\n");
    write_file(1, "g.v", "New York\tbig\nx y\n1\n");
    read_files(&e, 1, NULL, "directed none string 1 of 1\nNew York:\nx y:\n1:\na: New York\n",
               "g.v:1: lines with more");
    write_file(1, "g.v", "#love\na\n");
    read_files(&e, 1, NULL, "directed none string 1 of 1\na: New York\nNew York:\n", "g.v:1: lines that start with #");
    write_file(0, "g.e", "");
    write_file(1, "g.v", "1 9\n");
    reading r;
    meguri_graph *graph;
    reading_start(&r, 1);
    assert_int_equal(meguri_read(&graph, r.ctx, &e, 1, NULL), MEGURI_OK);
    assert_int_equal(r.warnings, 2); /* also that there are no edges */
    meguri_graph_free(graph);
    reading_end(&r);
}

static void second_inputs(void **state) {
    (void)state;
    meguri_read_options o = {.size = sizeof o};
    for (int i = 0; i < 2; i++) unlink(path_room[i]); /* of the test before */
    const char *paths[] = {write_file(0, "a.el", "1 2\n"), write_file(1, "b.el", "# c\n3 4\nx y\n")};
    read_files(paths, 2, &o, NULL, "b.el:3: the id 'x' is not an integer of 64 bits, but those read before are");
    o.coordinates = write_file(2, "g.co", "c nothing\n");
    read_files(paths, 1, &o, "directed none unsigned 1 of 1\n1: 2\n2:\n", "g.co names no vertex");
    o.coordinates = write_file(2, "g.co", "v 1 2 3\nv x 3 4\n");
    read_files(paths, 1, &o, NULL, "g.co:2: a line of coordinates must be 'v ID X Y'");
}

/* Of what is refused nothing else is told, however much was guessed before; of what is read everything is. */
static void warnings_wait(void **state) {
    (void)state;
    enum { INPUTS = 300 };                            /* more warnings than are kept */
    for (int i = 0; i < 2; i++) unlink(path_room[i]); /* of the test before */
    const char *paths[INPUTS + 1], *empty = write_file(0, "nothing.el", "");
    meguri_graph *graph;
    reading r;
    for (int i = 0; i < INPUTS; i++) paths[i] = empty;
    paths[INPUTS] = write_file(1, "last.el", "1 2\n");
    reading_start(&r, 2);
    assert_int_equal(meguri_read(&graph, r.ctx, paths, INPUTS + 1, NULL), MEGURI_OK);
    assert_int_equal(r.warnings, INPUTS);
    meguri_graph_free(graph);
    reading_end(&r);
    paths[8] = write_file(1, "last.el", "1 x\n2\n");
    read_files(paths, 9, NULL, NULL, "last.el:2: 1 column found");
    refuse("a", BYTES("1 x\n2\n"), NULL, "a:2: 1 column found");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimal_commas),
        cmocka_unit_test(commas_in_names),
        cmocka_unit_test(letters),
        cmocka_unit_test(comments),
        cmocka_unit_test(headers),
        cmocka_unit_test(declared_formats),
        cmocka_unit_test(ids),
        cmocka_unit_test(empty_columns),
        cmocka_unit_test(zero_bytes),
        cmocka_unit_test(damage_in_order),
        cmocka_unit_test(vertex_files),
        cmocka_unit_test(second_inputs),
        cmocka_unit_test(warnings_wait),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
