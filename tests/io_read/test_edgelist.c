/* Edge lists: separators, columns, ids, weights, comments, line ends. */
#define _GNU_SOURCE
#include "reading.h"

#include <errno.h>

static const meguri_read_options list = {.size = sizeof list, .format = MEGURI_FORMAT_EDGELIST};
static const meguri_read_options strings = {.size = sizeof strings, .ids = MEGURI_IDS_STRING};
static const meguri_read_options integers = {.size = sizeof integers, .ids = MEGURI_IDS_INTEGER};
static const meguri_read_options no_weights = {
    .size = sizeof no_weights,
    .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .ignore_weights = 1}};
static const meguri_read_options undirected = {
    .size = sizeof undirected,
    .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .direction = MEGURI_UNDIRECTED}};
static const meguri_read_options everything = {.size = sizeof everything,
                                               .build = &(meguri_build_options){.size = sizeof(meguri_build_options),
                                                                                .duplicates = MEGURI_DUPLICATES_KEEP,
                                                                                .keep_loops = 1}};

static void separators(void **state) {
    (void)state;
    const char *want = "directed none unsigned 2 of 2\n1: 20\n3: 1\n20:\n";
    expect("a.el", BYTES("1 20\n3 1\n"), NULL, want);
    expect("a.txt", BYTES("1\t20\n3\t1\n"), NULL, want);
    expect("a.csv", BYTES("1,20\n3,1\n"), NULL, want);
    expect("a", BYTES("1;20\n3;1\n"), NULL, want);
    expect("a", BYTES("1, 20\n3 ,1\n"), NULL, want);
    expect("a", BYTES("  1   20  \n\t3 \t 1\t\n"), NULL, want);
    expect("a", BYTES("1\t20\n3 1\n"), NULL, want); /* blanks and tabs mix freely */
    const char *weighted = "directed u8 unsigned 2 of 2\n1: 20(5)\n3: 1(6)\n20:\n";
    expect("a", BYTES("1 20 5\n3 1 6\n"), NULL, weighted);
    expect("a", BYTES("1,20,5\n3,1,6\n"), NULL, weighted);
    expect("a", BYTES("1\t20\t5\n3\t1\t6\n"), NULL, weighted);
    expect("a", BYTES("1 ; 20 ; 5\n3;1;6 \n"), NULL, weighted);
}

/* Quotes around a number do not make it a text: a file that a spreadsheet wrote with quotes everywhere, or here and
 * there, has integer ids all the same. */
static void quoted_numbers(void **state) {
    (void)state;
    const char *want = "directed none unsigned 2 of 2\n1: 20\n3: 1\n20:\n";
    expect("a", BYTES("\"1\",\"20\"\n\"3\",\"1\"\n"), NULL, want);
    expect("a", BYTES("1;20\n\"3\" ; \"1\" \r\n"), NULL, want);
    expect("a", BYTES("\"1\",\"20\"\n3,1\n"), NULL, want); /* the first line is no header */
    const char *weighted = "directed f32 signed 2 of 2\n-3: 1(0.5)\n1: 20(5)\n20:\n";
    expect("a", BYTES("\"1\",\"20\",\"5\"\n\"-3\",1,\"0.5\"\n"), NULL, weighted);
    expect("a", BYTES("1,20,5\n-3,\"1\",\"5e-1\"\n"), &integers, weighted);
    expect("a", BYTES("\"x\",\"y\",\"2\"\n"), NULL, "directed u8 string 1 of 1\nx: y(2)\ny:\n");
    refuse("a", BYTES("1,20,5\n3,1,\"5x\"\n"), NULL, "a:2: the weight '\"5x\"' is not a number");
    refuse("a", BYTES("1,20,5\n3,1,\"9007199254740993\"\n"), NULL, "is a whole number above 2^53");
    refuse("a", BYTES("1,20\n3,\"1\n"), &integers, "a:2: the id '\"1' is not an integer");
    refuse("a", BYTES("1 20\n\"3\" 1\n"), &integers, "a:2: the id '\"3\"' is not an integer");
}

static void line_ends(void **state) {
    (void)state;
    const char *want = "directed none unsigned 2 of 2\n1: 20\n3: 1\n20:\n";
    expect("a", BYTES("1 20\n3 1"), NULL, want);
    expect("a", BYTES("1 20\r\n3 1\r\n"), NULL, want);
    expect("a", BYTES("1 20\r\n3 1"), NULL, want);
    expect("a", BYTES("1 20\n3 1\r\n"), NULL, want);
    expect("a", BYTES("1 20\r\n3 1\n"), NULL, want);
    expect("a", BYTES("1,20\r\n3,1\r\n"), NULL, want);
    expect("a", BYTES("\n\n1 20\n  \n\r\n3 1\n\n"), NULL, want);
    expect("a",
           BYTES("\xef\xbb\xbf"
                 "1 20\n3 1\n"),
           NULL, want);
    expect("a", BYTES("\xef\xbb\xbf# a comment\r\n1 20\r\n3 1\r\n"), NULL, want);
}

static void comments(void **state) {
    (void)state;
    const char *want = "directed none unsigned 2 of 2\n1: 20\n3: 1\n20:\n";
    expect("a", BYTES("# from to\n1 20\n% more\n3 1\n"), NULL, want);
    expect("a", BYTES("// x\n1 20\n   # indented\n//\n3 1\n#\n"), NULL, want);
    expect("a", BYTES("#1 2 3 4 5\n%%5 6\n1 20\n3 1\n# \xff\xfe no UTF-8\n"), NULL, want);
    refuse("a", BYTES("/ x y\n1 20\n"), &integers, "a:1: the id '/' is not an integer");
}

static void nothing(void **state) {
    (void)state;
    const char *want = "directed none unsigned 0 of 0\n";
    expect("a.el", BYTES(""), NULL, want);
    expect("a.el", BYTES("\n"), NULL, want);
    expect("a.el", BYTES("# nothing\n\n"), NULL, want);
    expect_warning("a.el", BYTES(""), NULL, "a.el holds no edges.");
    expect_warning("a.el", BYTES("# nothing"), NULL, "a.el holds no edges.");
}

static void loops_and_duplicates(void **state) {
    (void)state;
    bytes text = BYTES("1 2 5\n2 1 4\n1 1 3\n1 2 2\n1 1 3\n");
    expect("a", text, NULL, "directed u8 unsigned 2 of 5\n1: 2(2)\n2: 1(4)\n");
    expect("a", text, &undirected, "undirected u8 unsigned 1 of 5\n1: 2(2)\n2: 1(2)\n");
    expect("a", text, &everything, "directed u8 unsigned 5 of 5\n1: 1(3) 1(3) 2(2) 2(5)\n2: 1(4)\n");
    expect("a", BYTES("7 7\n"), NULL, "directed none unsigned 0 of 1\n7:\n");
}

static void wide_ids(void **state) {
    (void)state;
    expect("a", BYTES("0 18446744073709551615\n"), NULL,
           "directed none unsigned 1 of 1\n0: 18446744073709551615\n18446744073709551615:\n");
    /* Every number of digits in both places, so that every way through the fast loop is taken. */
    expect("a",
           BYTES("1 22\n333 4444\n55555 666666\n7777777 88888888\n999999999 1000000000\n4294967295 4294967296\n"
                 "12345678901 123456789012\n1234567890123 12345678901234\n123456789012345 1234567890123456\n"
                 "12345678901234567 123456789012345678\n1234567890123456789 12345678901234567890\n"),
           NULL,
           "directed none unsigned 11 of 11\n1: 22\n22:\n333: 4444\n4444:\n55555: 666666\n666666:\n"
           "7777777: 88888888\n88888888:\n999999999: 1000000000\n1000000000:\n4294967295: 4294967296\n4294967296:\n"
           "12345678901: 123456789012\n123456789012:\n1234567890123: 12345678901234\n12345678901234:\n"
           "123456789012345: 1234567890123456\n1234567890123456:\n12345678901234567: 123456789012345678\n"
           "123456789012345678:\n1234567890123456789: 12345678901234567890\n12345678901234567890:\n");
    expect("a", BYTES("0007 00000000000000000000000000000042\n"), NULL, "directed none unsigned 1 of 1\n7: 42\n42:\n");
    refuse("a", BYTES("1 2\n1 18446744073709551616\n"), &integers,
           "a:2: the id '18446744073709551616' is not an integer of 64 bits; with the option ids (string)");
    refuse("a", BYTES("1 2\n1 99999999999999999999999\n"), &integers, "a:2: the id '99999999999999999999999'");
}

static void signed_ids(void **state) {
    (void)state;
    expect("a", BYTES("-1 -1 1.0\n-2147483648 -1 0.5\n2147483647 -2147483648 0.25\n"), &everything,
           "directed f32 signed 3 of 3\n-2147483648: -1(0.5)\n-1: -1(1)\n2147483647: -2147483648(0.25)\n");
    expect("a", BYTES("-9223372036854775808 9223372036854775807\n"), NULL,
           "directed none signed 1 of 1\n-9223372036854775808: 9223372036854775807\n9223372036854775807:\n");
    expect("a", BYTES("-0 5\n"), NULL, "directed none unsigned 1 of 1\n0: 5\n5:\n");
    refuse("a", BYTES("1 2\n-5 9223372036854775808\n"), NULL, "a:2: some ids are negative and others above");
    refuse("a", BYTES("1 -9223372036854775809\n"), &integers, "a:1: the id '-9223372036854775809'");
    refuse("a", BYTES("-1 5\n12-34\n"), &integers, "a:2: 1 column found");
    expect("a", BYTES("-1 5\n12\n-34\n"), &integers, "directed none signed 1 of 1\n-34:\n-1: 5\n5:\n12:\n");
    refuse("a", BYTES("1 --5\n"), &integers, "a:1: the id '--5'");
    refuse("a", BYTES("1 +5\n"), &integers, "a:1: the id '+5'");
}

/* Negative here, huge there: whichever line is named, it is refused. */
static void mixed_signs(void **state) {
    (void)state;
    refuse("a", BYTES("1 -2\n3 4\n5 6\n7 18446744073709551615\n"), NULL, "some ids are negative and others above");
    refuse("a", BYTES("7 18446744073709551615\n3 4\n5 6\n1 -2\n"), NULL, "some ids are negative and others above");
}

static void string_ids(void **state) {
    (void)state;
    expect("a", BYTES("b a\na c\n"), NULL, "directed none string 2 of 2\nb: a\na: c\nc:\n");
    expect("a", BYTES("b a 1\na c 0.5\n"), NULL, "directed f32 string 2 of 2\nb: a(1)\na: c(0.5)\nc:\n");
    expect("a", BYTES("New York\tS\xc3\xa3o Paulo\t7\nS\xc3\xa3o Paulo\t\xe6\x9d\xb1\xe4\xba\xac\t8\n"), NULL,
           "directed u8 string 2 of 2\nNew York: S\xc3\xa3o Paulo(7)\nS\xc3\xa3o Paulo: "
           "\xe6\x9d\xb1\xe4\xba\xac(8)\n\xe6\x9d\xb1\xe4\xba\xac:\n");
    expect("a", BYTES("New York,Boston\r\n Boston , Rome \r\n"), NULL,
           "directed none string 2 of 2\nNew York: Boston\nBoston: Rome\nRome:\n");
    expect("a", BYTES("\"x, y\",\"say \"\"hi\"\"\",3\nz,\"x, y\",4\n"), NULL,
           "directed u8 string 2 of 2\nx, y: say \"hi\"(3)\nsay \"hi\":\nz: x, y(4)\n");
    /* A letter anywhere in the first thousand lines makes all ids strings, and 007 is not 7. */
    expect("a", BYTES("7 007\n7 x\n"), NULL, "directed none string 2 of 2\n7: 007 x\n007:\nx:\n");
    expect("a", BYTES("7 007\n"), &strings, "directed none string 1 of 1\n7: 007\n007:\n");
    expect("a", BYTES("1 18446744073709551616\n"), NULL,
           "directed none string 1 of 1\n1: 18446744073709551616\n18446744073709551616:\n");
    expect("a", BYTES("1.5 2\n"), NULL, "directed none string 1 of 1\n1.5: 2\n2:\n");
    refuse("a", BYTES("a b\n\xff z\n"), NULL, "a:2: an id is not UTF-8 text");
    refuse("a", BYTES("a\tb\n\tz\n"), NULL, "a:2: an id is missing");
    refuse("a", BYTES("a,b\nx,\"y\n"), NULL, "a:2: a double quote is not where one may be");
    refuse("a", BYTES("a,b\nx,y\"z\n"), NULL, "a:2: a double quote is not where one may be");
    /* Also in the first lines, of which none says how the others look. */
    refuse("a", BYTES("\n1\n2\n"), NULL, "a:2: 1 column found, but an edge list has 2 or 3 (from, to, weight); with");
    expect("a", BYTES("1\n"), &list, "directed none unsigned 0 of 0\n1:\n");
    expect("a.el.gz", BYTES("5\n\n7\n"), NULL, "directed none unsigned 0 of 0\n5:\n7:\n");
    expect("a", BYTES("5\r\n1 2\r\n2 3\r\n"), NULL, "directed none unsigned 2 of 2\n1: 2\n2: 3\n3:\n5:\n");
    expect("a.el", BYTES("# n\n -5\n7\n1,2,9\n"), NULL, "directed u8 signed 1 of 1\n-5:\n1: 2(9)\n2:\n7:\n");
    expect("a", BYTES("5\n1;2\n\"3\";4\n"), NULL, "directed none unsigned 2 of 2\n1: 2\n2:\n3: 4\n4:\n5:\n");
    expect_warning("a", BYTES("5\n1 2\n"), NULL,
                   "a:1: lines with a single id (1, of which this is the first) are taken");
    refuse("a", BYTES("5\n1 2\n1 2 3\n"), NULL, "a:3: 3 columns found, but the first line has 2");
    refuse("a", BYTES("5\nx y\n"), NULL, "a:1: 1 column found, but the first line has 2");
    refuse("a", BYTES("5\nx\n"), NULL, "a:2: 1 column found, but an edge list has 2 or 3");
    refuse("a", BYTES("5\n1 2\n"), &strings, "a:1: 1 column found, but an edge list has 2 or 3");
    refuse("a", BYTES("a b\nc\n"), NULL, "a:2: 1 column found, but the first line has 2");
    refuse("a", BYTES("a b\nc d e\n"), NULL, "a:2: 3 columns found, but the first line has 2");
    refuse("a", BYTES("a b 1\nc d\n"), NULL, "a:2: 2 columns found, but the first line has 3");
    refuse("a", BYTES("a b 1\nc d x\n"), NULL, "a:2: the weight 'x' is not a number");
}

static void later_strings(void **state) {
    (void)state;
    size_t room = 40000, used = 0;
    char *text = malloc(room);
    for (int i = 0; i < 2000; i++) used += (size_t)snprintf(text + used, room - used, "%d %d\n", i, i + 1);
    used += (size_t)snprintf(text + used, room - used, "17 Tokyo\n");
    refuse("big.el", (bytes){text, used}, NULL,
           "big.el:2001: the id 'Tokyo' is not an integer of 64 bits; with the option ids (string) all are read as "
           "strings.");
    free(text);
}

static void columns(void **state) {
    (void)state;
    refuse("a.txt", BYTES("x\n"), NULL, "a.txt:1: 1 column found, but an edge list has 2 or 3");
    refuse("a.txt", BYTES("1::2\n"), NULL, "--separator names what parts them");
    refuse("a.txt", BYTES("# c\n\n1 2 3 4\n"), NULL, "a.txt:3: 4 columns found, but an edge list has 2 or 3");
    /* A single id is a vertex that may have no edge; the reader warns. */
    expect("a", BYTES("1 2\n3 4\n5\n"), NULL, "directed none unsigned 2 of 2\n1: 2\n2:\n3: 4\n4:\n5:\n");
    expect("a", BYTES("1 2 7\n2\n 5 \n"), NULL, "directed u8 unsigned 1 of 1\n1: 2(7)\n2:\n5:\n");
    refuse("a", BYTES("a b\nc\n"), NULL, "a:2: 1 column found, but the first line has 2");
    refuse("a", BYTES("1 2\n3 4\n5 6 7\n"), NULL, "a:3: 3 columns found, but the first line has 2");
    refuse("a", BYTES("1 2 3\n3 4\n"), NULL, "a:2: 2 columns found, but the first line has 3");
    refuse("a", BYTES("1 2 3\n3 4 5 6\n"), NULL, "a:2: 4 columns found, but the first line has 3");
    refuse("a", BYTES("1,2\n3,\n"), NULL, "a:2: an id is missing");
    refuse("a", BYTES("1,2\n,3\n"), NULL, "a:2: an id is missing");
    refuse("a", BYTES("1,2\n3 4\n"), NULL, "a:2: 1 column found, but the first line has 2");
    refuse("a", BYTES("1,2\n3 4,5\n"), &integers, "a:2: the id '3 4' is not an integer");
    refuse("a", BYTES("1 2\n3x 4\n"), &integers, "a:2: the id '3x' is not an integer");
    refuse("a", BYTES("1 2\n3 4x\n"), &integers, "a:2: the id '4x' is not an integer");
    refuse("a", BYTES("1 2\n12345678901234567890123 4\n"), &integers, "a:2: the id '12345678901234567890123'");
}

static void zero_bytes(void **state) {
    (void)state;
    refuse("a", BYTES("1 2\n3\0 4\n"), NULL, "a holds zero bytes, so it is no text");
    refuse("a", BYTES("a b\n\0c d\n"), &strings, "a holds zero bytes");
}

static void weights(void **state) {
    (void)state;
    expect("a", BYTES("1 2 0\n1 3 4294967295\n"), NULL,
           "directed u32 unsigned 2 of 2\n1: 2(0) 3(4294967295)\n2:\n3:\n");
    expect("a", BYTES("1 2 -5\n1 3 1e3\n1 4 .5\n1 5 5.\n"), NULL,
           "directed f32 unsigned 4 of 4\n1: 2(-5) 3(1000) 4(0.5) 5(5)\n2:\n3:\n4:\n5:\n");
    expect("a", BYTES("1 2 1.0\n1 3 2e0\n1 4 300E-2\n"), NULL,
           "directed u8 unsigned 3 of 3\n1: 2(1) 3(2) 4(3)\n2:\n3:\n4:\n");
    expect("a", BYTES("1 2 0.1\n1 3 +7\n"), NULL,
           "directed f64 unsigned 2 of 2\n1: 2(0.10000000000000001) 3(7)\n2:\n3:\n");
    expect("a", BYTES("1 2 9007199254740992\n"), NULL, "directed f32 unsigned 1 of 1\n1: 2(9007199254740992)\n2:\n");
    expect("a", BYTES("1 2 18446744073709551616\n"), NULL,
           "directed f32 unsigned 1 of 1\n1: 2(1.8446744073709552e+19)\n2:\n");
    expect("a", BYTES("1 2 x\n3 4 2020-01-01\n"), &no_weights, "directed none unsigned 2 of 2\n1: 2\n2:\n3: 4\n4:\n");
    expect("a", BYTES("1 2 inf\n3 4 nan\n"), &no_weights, "directed none unsigned 2 of 2\n1: 2\n2:\n3: 4\n4:\n");
    refuse("a", BYTES("1 2 3\n1 3 9007199254740993\n"), NULL,
           "a:2: the weight '9007199254740993' is a whole number above");
    refuse("a", BYTES("1 2 3\n1 3 -9223372036854775807\n"), NULL, "a:2: the weight '-9223372036854775807' is a whole");
    refuse("a", BYTES("1 2 3\n1 3 123456789012345678901234567890\n"), NULL, "is a whole number above 2^53");
    refuse("a", BYTES("1 2 3\n1 3 inf\n"), NULL, "a:2: the weight 'inf' is not finite");
    refuse("a", BYTES("1 2 3\n1 3 -Infinity\n"), NULL, "a:2: the weight '-Infinity' is not finite");
    refuse("a", BYTES("1 2 3\n1 3 NaN\n"), NULL, "a:2: the weight 'NaN' is not finite");
    refuse("a", BYTES("1 2 3\n1 3 1e999\n"), NULL, "a:2: the weight '1e999' is beyond the range");
    refuse("a", BYTES("1 2 3\n1 3 1,5\n"), NULL, "a:2: the weight '1,5' has a decimal comma");
    refuse("a", BYTES("1 2 3\n1 3 0x10\n"), NULL, "a:2: the weight '0x10' is not a number");
    refuse("a", BYTES("1 2 3\n1 3 1e\n"), NULL, "a:2: the weight '1e' is not a number");
    refuse("a", BYTES("1 2 3\n1 3 .\n"), NULL, "a:2: the weight '.' is not a number");
    refuse("a", BYTES("1 2 3\n1 3 1.5.5\n"), NULL, "a:2: the weight '1.5.5' is not a number");
    refuse("a", BYTES("1,2,3\n1,3,\n"), NULL, "a:2: the weight is missing");
    refuse("a", BYTES("1 2 ten\n"), NULL, "a:1: the weight 'ten' is not a number");
}

/* Many lines through blocks that widen on the way, against sums made here. */
static void many_lines(void **state) {
    (void)state;
    enum { LINES = 200000 };
    size_t room = (size_t)LINES * 24, used = 0;
    char *text = malloc(room);
    for (uint64_t i = 0; i < LINES; i++) {
        uint64_t to = i == 150000 ? UINT64_C(5000000000) : (i * 7919) % LINES;
        used +=
            (size_t)snprintf(text + used, room - used, "%llu %llu\n", (unsigned long long)i, (unsigned long long)to);
    }
    for (uint32_t threads = 1; threads <= 4; threads++) {
        reading r;
        meguri_graph *graph;
        meguri_graph_info info = {.size = sizeof info};
        reading_start(&r, threads);
        assert_int_equal(mg_read_memory(&graph, r.ctx, "a", text, used, 100000, NULL), MEGURI_OK);
        assert_int_equal(meguri_graph_get_info(&info, r.ctx, graph), MEGURI_OK);
        assert_int_equal(info.vertices, LINES + 1);
        assert_int_equal(info.input_edges, LINES);
        for (uint64_t i = 1; i < LINES; i += 997) {
            uint64_t neighbor, count;
            assert_int_equal(meguri_graph_neighbors(&neighbor, NULL, NULL, 1, &count, r.ctx, graph, i), MEGURI_OK);
            if ((i * 7919) % LINES == i) continue;
            assert_int_equal(count, 1);
            assert_int_equal(neighbor, (i * 7919) % LINES);
        }
        meguri_graph_free(graph);
        reading_end(&r);
    }
    free(text);
}

/* A chunk that starts with few long lines and goes on with many short ones: what was guessed from its start is far too
 * small, with and without weights, narrow and wide. */
static void wrong_guesses(void **state) {
    (void)state;
    enum { LONG = 40000, LINES = 50000 };
    static const char *const tails[] = {"%d %d\n", "%d %d 7\n", "%d %d 7.5\n", "%d 50000000%05d\n"};
    size_t room = LONG + LINES * 24;
    char *text = malloc(room);
    for (size_t t = 0; t < sizeof tails / sizeof *tails; t++) {
        memset(text, '#', LONG);
        text[LONG - 1] = '\n';
        size_t used = LONG;
        for (int i = 0; i < LINES; i++)
            used += (size_t)snprintf(text + used, room - used, tails[t], i, (i + 1) % LINES);
        reading r;
        meguri_graph *graph;
        meguri_graph_info info = {.size = sizeof info};
        reading_start(&r, 1);
        assert_int_equal(mg_read_memory(&graph, r.ctx, "a", text, used, room, NULL), MEGURI_OK);
        assert_int_equal(meguri_graph_get_info(&info, r.ctx, graph), MEGURI_OK);
        assert_int_equal(info.edges, LINES);
        for (uint64_t v = 0; v < LINES; v += 101) {
            uint64_t neighbor, count, id;
            double weight;
            assert_int_equal(meguri_graph_neighbors(&neighbor, &weight, NULL, 1, &count, r.ctx, graph, v), MEGURI_OK);
            assert_int_equal(count, 1);
            assert_int_equal(meguri_graph_ids(&id, r.ctx, graph, neighbor, 1), MEGURI_OK);
            assert_int_equal(id, (v + 1) % LINES + (t == 3 ? UINT64_C(5000000000000) : 0));
            assert_true(weight == (t == 1 ? 7 : t == 2 ? 7.5 : 1));
        }
        meguri_graph_free(graph);
        reading_end(&r);
    }
    free(text);
}

/* A plain reader of "id id" lines between blanks: false if it refuses, else the sum of f(from, to) over all lines. */
static bool read_plainly(const char *text, uint64_t *sum, uint64_t *edges) {
    char copy[400], *rest = copy, *line;
    snprintf(copy, sizeof copy, "%s", text);
    bool negative = false, huge = false;
    *sum = *edges = 0;
    while ((line = strsep(&rest, "\n"))) {
        uint64_t ids[2];
        int words = 0;
        char *more = NULL;
        for (char *word = strtok_r(line, " \t\r", &more); word; word = strtok_r(NULL, " \t\r", &more)) {
            if (words == 0 && *word == '#') break;
            const char *digits = word + (*word == '-');
            if (words == 2 || !*digits || digits[strspn(digits, "0123456789")]) return false;
            errno = 0;
            uint64_t size = strtoull(digits, NULL, 10);
            if (errno || (*word == '-' && size > (uint64_t)1 << 63)) return false;
            negative |= *word == '-' && size;
            huge |= *word != '-' && size > INT64_MAX;
            ids[words++] = *word == '-' ? 0 - size : size;
        }
        if (words == 2) {
            *sum += (ids[0] * 31 + ids[1]) * (ids[1] + 7);
            ++*edges;
        }
    }
    return !negative || !huge;
}

static bool read_really(reading *r, const char *text, size_t chunk, uint64_t *sum, uint64_t *edges) {
    meguri_graph *graph;
    meguri_read_options options = {.size = sizeof options, .ids = MEGURI_IDS_INTEGER};
    options.build = everything.build;
    if (mg_read_memory(&graph, r->ctx, "a", text, strlen(text), chunk, &options) != MEGURI_OK) return false;
    meguri_graph_info info = {.size = sizeof info};
    assert_int_equal(meguri_graph_get_info(&info, r->ctx, graph), MEGURI_OK);
    uint64_t ids[100], neighbors[100], count;
    *sum = 0;
    *edges = info.edges;
    assert_int_equal(meguri_graph_ids(ids, r->ctx, graph, 0, info.vertices), MEGURI_OK);
    for (uint64_t v = 0; v < info.vertices; v++) {
        assert_int_equal(meguri_graph_neighbors(neighbors, NULL, NULL, 100, &count, r->ctx, graph, v), MEGURI_OK);
        for (uint64_t i = 0; i < count; i++) *sum += (ids[v] * 31 + ids[neighbors[i]]) * (ids[neighbors[i]] + 7);
    }
    meguri_graph_free(graph);
    return true;
}

/* Random lines that are nearly right, where a fast loop could take too much. */
static void against_a_plain_reader(void **state) {
    (void)state;
    static const char alphabet[] = "0123456789  \t\n\n\r-#.x";
    uint64_t seed = 5;
    int good = 0;
    reading r;
    reading_start(&r, 1);
    for (int trial = 0; trial < 20000; trial++) {
        char text[300] = "1 2\n"; /* says that there are two columns */
        size_t start = 4, used = start;
        int lines = 1 + trial % 5;
        for (int i = 0; i < lines; i++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            unsigned long long from = (seed >> 11) >> (seed >> 5) % 53, to = (seed >> 17) >> (seed >> 40) % 47;
            used += (size_t)snprintf(text + used, sizeof text - used, "%llu%c%llu%s", from, trial % 7 == 0 ? '\t' : ' ',
                                     to, trial % 3 == 0 ? "\r\n" : "\n");
        }
        for (int change = trial % 4; change > 0; change--) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            text[start + (seed >> 33) % (used - start)] = alphabet[(seed >> 50) % (sizeof alphabet - 1)];
        }
        uint64_t want = 0, found = 0, want_edges = 0, found_edges = 0;
        bool plain = read_plainly(text, &want, &want_edges);
        bool real = read_really(&r, text, trial % 2 ? 20 : 0, &found, &found_edges);
        if (plain != real || (plain && (want != found || want_edges != found_edges)))
            fail_msg("'%s' is %s here and %s there", text, plain ? "read" : "refused", real ? "read" : "refused");
        good += plain;
    }
    assert_true(good > 5000 && good < 19000);
    reading_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separators),
        cmocka_unit_test(quoted_numbers),
        cmocka_unit_test(line_ends),
        cmocka_unit_test(comments),
        cmocka_unit_test(nothing),
        cmocka_unit_test(wide_ids),
        cmocka_unit_test(loops_and_duplicates),
        cmocka_unit_test(signed_ids),
        cmocka_unit_test(mixed_signs),
        cmocka_unit_test(string_ids),
        cmocka_unit_test(later_strings),
        cmocka_unit_test(columns),
        cmocka_unit_test(zero_bytes),
        cmocka_unit_test(weights),
        cmocka_unit_test(many_lines),
        cmocka_unit_test(wrong_guesses),
        cmocka_unit_test(against_a_plain_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
