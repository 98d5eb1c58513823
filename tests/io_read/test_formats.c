/* Every other format: what is read, and what is refused with which sentence. */
#include "reading.h"

#include <ctype.h>

static meguri_read_options as(meguri_format format) {
    return (meguri_read_options){.size = sizeof(meguri_read_options), .format = format};
}
static meguri_read_options going(meguri_direction direction) {
    static const meguri_build_options builds[] = {{.size = sizeof *builds},
                                                  {.size = sizeof *builds, .direction = MEGURI_DIRECTED},
                                                  {.size = sizeof *builds, .direction = MEGURI_UNDIRECTED}};
    return (meguri_read_options){.size = sizeof(meguri_read_options), .build = &builds[direction]};
}
static const meguri_read_options no_weights = {
    .size = sizeof no_weights,
    .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .ignore_weights = 1}};
static const meguri_read_options everything = {.size = sizeof everything,
                                               .build = &(meguri_build_options){.size = sizeof(meguri_build_options),
                                                                                .duplicates = MEGURI_DUPLICATES_KEEP,
                                                                                .keep_loops = 1}};

/* ---- CSV -------------------------------------------------------------------------------------------------------- */

static void csv_columns(void **state) {
    (void)state;
    const char *want = "directed u8 unsigned 2 of 2\n1: 2(5)\n2: 3(6)\n3:\n";
    expect("a.csv", BYTES("source,target,weight\n1,2,5\n2,3,6\n"), NULL, want);
    expect("a.csv", BYTES("weight;dst;src\n5;2;1\n6;3;2\n"), NULL, want);
    expect("a.csv", BYTES("from\tto\tcost\r\n1\t2\t5\r\n2\t3\t6\r\n"), NULL, want);
    expect("a.csv", BYTES("Source Target Weight\n1 2 5\n2 3 6\n"), NULL, want);
    expect("a.csv", BYTES("start|end|label|distance\n1|2|x|5\n2|3|y z|6\n"), NULL, want);
    meguri_read_options csv = as(MEGURI_FORMAT_CSV);
    expect("a.csv", BYTES(":START_ID(Station),:END_ID(Station),length:int\n1,2,5\n2,3,6\n"), &csv, want);
    expect("a.csv", BYTES("\xef\xbb\xbf\"source\",\"target\",\"weight\"\n\"1\",\"2\",\"5\"\n2 , 3 , 6\n\n"), NULL,
           want);
    expect("a.csv", BYTES("note,source,target,weight\n\"a, \"\"b\"\"\nc\",1,2,5\n\"\n\n\",2,3,6"), NULL, want);
    const char *plain = "directed none unsigned 2 of 2\n1: 2\n2: 3\n3:\n";
    expect("a.csv", BYTES("source,target\n1,2\n2,3\n"), NULL, plain);
    expect("a.csv", BYTES("source,target,weight\n1,2,x\n2,3,\n"), &no_weights, plain);
    expect("a.csv", BYTES("source,target,colour\n1,2,red\n2,3,blue\n"), NULL, plain);
    expect("a.csv", BYTES("u,v\n1,2\n2,3\n"), NULL, plain);
    expect("a.csv", BYTES("one,other\n1,2\n2,3\n"), NULL, plain);
    expect("a.csv", BYTES("one,other,w\n1,2,5\n2,3,6\n"), NULL, want);
    /* Two letters in the first line of strings are vertices. */
    expect("a.csv", BYTES("u,v\nv,w\n"), NULL, "directed none string 2 of 2\nu: v\nv: w\nw:\n");
    expect("a.csv", BYTES("source,target\n"), NULL, "directed none unsigned 0 of 0\n");
    expect_warning("a.csv", BYTES("one,other\n1,2\n2,3\n"), NULL,
                   "a.csv:1: this is taken for a header that names no source and target");
    expect_warning("a.csv", BYTES("source,target,third\n1,2,5\n2,3,6\n"), NULL,
                   "a.csv:1: the column 'third' holds numbers and is read as the weights");
}

static void csv_strings(void **state) {
    (void)state;
    expect("a.csv", BYTES("from,to\nTokyo,\"Washington, D.C.\"\n\"Washington, D.C.\",\"\"\"Q\"\"\"\n"), NULL,
           "directed none string 2 of 2\nTokyo: Washington, D.C.\nWashington, D.C.: \"Q\"\n\"Q\":\n");
    expect("a.csv", BYTES("from,to\n\xe6\x9d\xb1 \xe4\xba\xac,1\n"), NULL,
           "directed none string 1 of 1\n\xe6\x9d\xb1 \xe4\xba\xac: 1\n1:\n");
    expect("a.tsv", BYTES("from\tto\n\"Heroes\"\tLow\n"), NULL, "directed none string 1 of 1\n\"Heroes\": Low\nLow:\n");
}

static void csv_refused(void **state) {
    (void)state;
    meguri_read_options csv = as(MEGURI_FORMAT_CSV);
    refuse("a.csv", BYTES("id,code,name,lat\n1,2,x,4\n"), NULL,
           "a.csv:1: no columns are named source and target among the 4");
    refuse("a.csv", BYTES("source,target\n1,2\n3\n"), NULL, "a.csv:3: 1 column found, but the header names 2");
    refuse("a.csv", BYTES("source,target\n1,2\n3,4,5\n"), NULL, "a.csv:3: 3 columns found, but the header names 2");
    refuse("a.csv", BYTES("source,target\n1,2\n,4\n"), NULL, "a.csv:3: an id is missing");
    refuse("a.csv", BYTES("source,target,weight\n1,2,3\n3,4,\n"), NULL, "a.csv:3: the weight is missing");
    refuse("a.csv", BYTES("source,target,weight\n1,2,3\n3,4,5z\n"), NULL, "a.csv:3: the weight '5z' is not a number");
    refuse("a.csv", BYTES("source,target,weight\n1,2,3\n3,4,inf\n"), NULL, "a.csv:3: the weight 'inf' is not finite");
    refuse("a.csv", BYTES("source,target\n1,2\n3,4\"5\n"), NULL, "a.csv:3: a double quote is not where one may be");
    refuse("a.csv", BYTES("source,target\n1,2\n\"3\"x,4\n"), NULL, "a.csv:3: a double quote is not where one may be");
    refuse("a.csv", BYTES("source,target\n1,2\n\"3,4\n"), NULL, "a.csv:3: a double quote is not where one may be");
    refuse("a.csv", BYTES("note,source,target\n\"a\nb\",1,2\nc,3,4,5\n"), NULL, "a.csv:4: 4 columns found");
    refuse("a.csv", BYTES("source,target\nx,\"a\nb\"\n"), NULL, "an id is not UTF-8 text, or holds a line end");
    refuse("a.csv", BYTES(""), &csv, "a.csv is empty, where a header line should name columns");
    refuse("a.csv", BYTES("word\n1\n"), &csv, "a.csv:1: this line does not hold columns");
    meguri_read_options integers = {.size = sizeof integers, .ids = MEGURI_IDS_INTEGER};
    refuse("a.csv", BYTES("source,target\n1,2\n3,x\n"), &integers, "a.csv:3: the id 'x' is not an integer of 64 bits");
    refuse("a.csv", BYTES("source,target\n-1,2\n3,18446744073709551615\n"), NULL, "some ids are negative");
}

/* ---- Matrix Market ---------------------------------------------------------------------------------------------- */

#define MTX "%%MatrixMarket matrix coordinate "

static void mtx_read(void **state) {
    (void)state;
    meguri_read_options directed = going(MEGURI_DIRECTED), undirected = going(MEGURI_UNDIRECTED);
    expect("a.mtx", BYTES(MTX "pattern general\n% c\n\n4 4 2\n1 2\n3 1\n"), NULL,
           "directed none unsigned 2 of 2\n1: 2\n2:\n3: 1\n4:\n");
    expect("a.txt", BYTES("%%matrixmarket MATRIX Coordinate Real General\r\n3 3 2\r\n1 2 -.5\r\n3 1 2.5e1\r\n"), NULL,
           "directed f32 unsigned 2 of 2\n1: 2(-0.5)\n2:\n3: 1(25)\n");
    expect("a.mtx", BYTES(MTX "integer symmetric\n3 3 3\n2 1 5\n% between\n3 3 9\n\n3 1 7\n"), NULL,
           "undirected u8 unsigned 2 of 3\n1: 2(5) 3(7)\n2: 1(5)\n3: 1(7)\n");
    expect("a.mtx", BYTES(MTX "integer symmetric\n3 3 3\n2 1 5\n3 3 9\n3 1 7\n"), &directed,
           "directed u8 unsigned 4 of 5\n1: 2(5) 3(7)\n2: 1(5)\n3: 1(7)\n");
    expect("a.mtx", BYTES(MTX "real skew-symmetric\n2 2 1\n2 1 5\n"), NULL,
           "undirected u8 unsigned 1 of 1\n1: 2(5)\n2: 1(5)\n");
    expect("a.mtx", BYTES(MTX "real skew-symmetric\n2 2 1\n2 1 5\n"), &directed,
           "directed f32 unsigned 2 of 2\n1: 2(-5)\n2: 1(5)\n");
    expect("a.mtx", BYTES(MTX "pattern general\n2 2 1\n2 1\n"), &undirected,
           "undirected none unsigned 1 of 1\n1: 2\n2: 1\n");
    expect("a.mtx", BYTES(MTX "real general\n2 2 2\n2 1 inf\n1 2 nan\n"), &no_weights,
           "directed none unsigned 2 of 2\n1: 2\n2: 1\n");
    expect("a.mtx", BYTES(MTX "pattern symmetric\n3 3 3\n2 1\n2 1\n3 3\n"), &everything,
           "undirected none unsigned 3 of 3\n1: 2 2\n2: 1 1\n3: 3\n");
    expect("a.mtx", BYTES(MTX "pattern general\n0 0 0\n"), NULL, "directed none unsigned 0 of 0\n");
    expect("a.mtx", BYTES(MTX "pattern general\n2 2 0"), NULL, "directed none unsigned 0 of 0\n1:\n2:\n");
    /* No banner, but a size line and a name that says what it is. */
    expect("a.mtx", BYTES("3 3 2\n1 2 .5\n3 1 7\n"), NULL, "directed f32 unsigned 2 of 2\n1: 2(0.5)\n2:\n3: 1(7)\n");
    expect_warning("a.mtx", BYTES("3 3 2\n1 2\n3 1\n"), NULL, "read as 'matrix coordinate pattern general'");
    expect("a.el", BYTES("3 3 2\n1 2 5\n3 1 7\n"), &everything,
           "directed u8 unsigned 3 of 3\n1: 2(5)\n2:\n3: 1(7) 3(2)\n");
    expect("a.mtx", BYTES("2 1\n3 1\n"), NULL, "directed none unsigned 2 of 2\n1:\n2: 1\n3: 1\n");
}

static void mtx_types(void **state) {
    (void)state;
    expect("a.mtx", BYTES(MTX "integer general\n%%GraphBLAS type bool\n2 2 2\n1 2 7\n2 1 0\n"), NULL,
           "directed u8 unsigned 2 of 2\n1: 2(1)\n2: 1(0)\n");
    expect("a.mtx", BYTES(MTX "real general\n%%GraphBLAS type float\n2 2 1\n1 2 0.1\n"), NULL,
           "directed f32 unsigned 1 of 1\n1: 2(0.10000000149011612)\n2:\n");
    expect("a.mtx", BYTES(MTX "real general\n%%GraphBLAS type double\n2 2 1\n1 2 0.1\n"), NULL,
           "directed f64 unsigned 1 of 1\n1: 2(0.10000000000000001)\n2:\n");
    expect("a.mtx", BYTES(MTX "real general\n%%GraphBLAS some remark\n2 2 1\n1 2 0.5\n"), NULL,
           "directed f32 unsigned 1 of 1\n1: 2(0.5)\n2:\n");
    expect("a.mtx", BYTES(MTX "integer general\n%%GraphBLAS type uint8_t\n2 2 1\n1 2 256\n"), NULL,
           "directed u16 unsigned 1 of 1\n1: 2(256)\n2:\n");
    expect_warning("a.mtx", BYTES(MTX "integer general\n%%GraphBLAS type uint8_t\n2 2 1\n1 2 256\n"), NULL,
                   "some values (1, of which this is the first) do not fit uint8_t; they are kept as written.");
    refuse("a.mtx", BYTES(MTX "real general\n%%GraphBLAS type float\n2 2 1\n1 2 1e200\n"), NULL,
           "a.mtx:4: the weight '1e200' is beyond the range");
    refuse("a.mtx", BYTES(MTX "real general\n%%GraphBLAS type gunk\n2 2 0\n"), NULL,
           "a.mtx:2: the %%GraphBLAS line names");
    refuse("a.mtx", BYTES(MTX "real general\n%%GraphBLAS type double complex\n2 2 0\n"), NULL,
           "a.mtx:2: complex values");
    refuse("a.mtx", BYTES(MTX "integer skew-symmetric\n%%GraphBLAS type uint8_t\n2 2 0\n"), NULL,
           "a.mtx:2: a skew-symmetric matrix has negative values, which uint8_t does not hold");
}

static void mtx_refused(void **state) {
    (void)state;
    refuse("a.mtx", BYTES("%%MatrixMarket vector coordinate real general\n2 2 0\n"), NULL,
           "a.mtx:1: only Matrix Market's 'matrix'");
    refuse("a.mtx", BYTES("%%MatrixMarket matrix array real general\n2 2\n1\n"), NULL,
           "a.mtx:1: an array is a full matrix");
    refuse("a.mtx", BYTES(MTX "complex general\n2 2 0\n"), NULL, "a.mtx:1: complex values cannot be weights");
    refuse("a.mtx", BYTES(MTX "real hermitian\n2 2 0\n"), NULL, "a.mtx:1: a hermitian matrix");
    refuse("a.mtx", BYTES(MTX "pattern skew-symmetric\n2 2 0\n"), NULL, "a.mtx:1: a pattern has no values");
    refuse("a.mtx", BYTES(MTX "real"), NULL, "a.mtx:1: the symmetry must be general");
    refuse("a.mtx", BYTES(MTX "real general\n"), NULL, "the size line (rows, columns, entries) is missing");
    refuse("a.mtx", BYTES(MTX "real general\n2 2\n"), NULL, "a.mtx:2: the size line must hold three whole numbers");
    refuse("a.mtx", BYTES(MTX "real general\n2 3 0\n"), NULL, "a.mtx:2: a matrix of 2 by 3 is not square");
    refuse("a.mtx", BYTES(MTX "real general\n5000000000 5000000000 0\n"), NULL,
           "a.mtx:2: 5000000000 vertices are more");
    refuse("a.mtx", BYTES(MTX "pattern general\n2 2 2\n1 2\n"), NULL, "a.mtx holds 1 entries, but its header says 2");
    refuse("a.mtx", BYTES(MTX "pattern general\n2 2 1\n1 2\n2 1\n"), NULL,
           "a.mtx holds 2 entries, but its header says 1");
    refuse("a.mtx", BYTES(MTX "pattern general\n2 2 1\n1 3\n"), NULL,
           "a.mtx:3: vertex 3 is out of range: the header says 1 to 2");
    refuse("a.mtx", BYTES(MTX "pattern general\n2 2 1\n0 1\n"), NULL, "a.mtx:3: vertex 0 is out of range");
    refuse("a.mtx", BYTES(MTX "pattern general\n2 2 1\n1 x\n"), NULL, "a.mtx:3: 'x' is not a vertex number");
    refuse("a.mtx", BYTES(MTX "pattern general\n2 2 1\n1\n"), NULL, "a.mtx:3: a vertex number is missing");
    refuse("a.mtx", BYTES(MTX "pattern general\n2 2 1\n1 2 3\n"), NULL,
           "a.mtx:3: 3 columns found, but the header says 2");
    refuse("a.mtx", BYTES(MTX "real general\n2 2 1\n1 2\n"), NULL, "a.mtx:3: the weight is missing");
    refuse("a.mtx", BYTES(MTX "real general\n2 2 1\n1 2\n"), &no_weights, "a.mtx:3: the value of the entry is missing");
    refuse("a.mtx", BYTES(MTX "real general\n2 2 1\n1 2 3 4\n"), NULL,
           "a.mtx:3: 4 columns found, but the header says 3");
    refuse("a.mtx", BYTES(MTX "real general\n2 2 1\n1 2 pi\n"), NULL, "a.mtx:3: the weight 'pi' is not a number");
    refuse("a.mtx", BYTES(MTX "integer skew-symmetric\n2 2 1\n2 2 1\n"), NULL,
           "a.mtx:3: a skew-symmetric matrix has no entries on its diagonal");
    meguri_read_options strings = {.size = sizeof strings, .ids = MEGURI_IDS_STRING};
    refuse("a.mtx", BYTES(MTX "pattern general\n2 2 0\n"), &strings,
           "a.mtx numbers its vertices, so it cannot be read with string ids");
}

/* ---- DIMACS and PACE -------------------------------------------------------------------------------------------- */

static void dimacs_read(void **state) {
    (void)state;
    expect("a.gr", BYTES("c road\nc\np sp 4 3\na 1 2 10\nc between\na 2 1 10\na 3 1 300\n"), NULL,
           "directed u16 unsigned 3 of 3\n1: 2(10)\n2: 1(10)\n3: 1(300)\n4:\n");
    expect("a.txt", BYTES("p sp 2 1\na 1 2 10"), NULL, "directed u8 unsigned 1 of 1\n1: 2(10)\n2:\n");
    expect("a.gr", BYTES("p sp 2 1\na 1 2 x\n"), &no_weights, "directed none unsigned 1 of 1\n1: 2\n2:\n");
    expect("a.gr", BYTES("p sp 3 1\na 1 2\n"), NULL, "directed none unsigned 1 of 1\n1: 2\n2:\n3:\n");
    expect("a.gr", BYTES("a 0 7 10\na 7 0 11\n"), NULL, "directed u8 unsigned 2 of 2\n0: 7(10)\n7: 0(11)\n");
    expect("a", BYTES("a 0 7 10\na 7 0 11\n"), NULL, "directed u8 unsigned 2 of 2\n0: 7(10)\n7: 0(11)\n");
    expect_warning("a.gr", BYTES("a 0 7 10\n"), NULL, "a.gr has no 'p' line; it is read as DIMACS, with arcs 'a'");
    expect("a.col", BYTES("c x\np edge 3 2\ne 1 2\ne 3 2\n"), NULL,
           "undirected none unsigned 2 of 2\n1: 2\n2: 1 3\n3: 2\n");
    expect("a.col", BYTES("p col 2 1\ne 1 2\ne 2 1\n"), NULL, "undirected none unsigned 1 of 2\n1: 2\n2: 1\n");
    expect("a.gr", BYTES("p sp 2 0\n"), NULL, "directed none unsigned 0 of 0\n1:\n2:\n");
}

static void dimacs_refused(void **state) {
    (void)state;
    refuse("a.gr", BYTES("p sp 2 2\na 1 2 10\n"), NULL, "a.gr holds 1 edges, but its problem line says 2");
    refuse("a.gr", BYTES("p sp 2 1\na 1 2 10\na 1 2 10\n"), NULL, "a.gr holds 2 edges, but its problem line says 1");
    refuse("a.gr", BYTES("c\np sp 2 1\na 1 3 10\n"), NULL, "a.gr:3: vertex 3 is out of range: the header says 1 to 2");
    refuse("a.gr", BYTES("p sp 2 1\na 0 1 10\n"), NULL, "a.gr:2: vertex 0 is out of range");
    refuse("a.gr", BYTES("p sp 2 2\na 1 2 10\na 1 2\n"), NULL, "a.gr:3: the weight is missing");
    refuse("a.gr", BYTES("p sp 2 1\na 1 2 10 11\n"), NULL, "a.gr:2: 5 columns found");
    refuse("a.gr", BYTES("p sp 2 1\na 1 2 ten\n"), NULL, "a.gr:2: the weight 'ten' is not a number");
    refuse("a.gr", BYTES("p sp 2 2\na 1 2 3\nx 1 2 3\n"), NULL,
           "a.gr:3: a line must start with c, p, a or e, but this one with 'x'");
    refuse("a.gr", BYTES("p sp 2 1\na 1 2 3\np sp 2 1\n"), NULL,
           "a.gr:3: a problem line must be the first and the only one");
    refuse("a.gr", BYTES("p sp 2\na 1 2 3\n"), NULL, "a.gr:1: the problem line must be 'p KIND VERTICES EDGES'");
    refuse("a.gr", BYTES("p sp 5000000000 1\na 1 2 3\n"), NULL, "a.gr:1: 5000000000 vertices are more");
    refuse("a.co", BYTES("c x\np aux sp co 2\nv 1 2 3\n"), NULL, "a.co is a file of coordinates");
    refuse("a.co", BYTES("v 1 2 3\n"), NULL, "a.co is a file of coordinates");
}

static void pace(void **state) {
    (void)state;
    meguri_read_options as_pace = as(MEGURI_FORMAT_PACE), directed = going(MEGURI_DIRECTED);
    expect("a.gr", BYTES("c x\np tw 4 2\n1 2\nc y\n3 1\n"), NULL,
           "undirected none unsigned 2 of 2\n1: 2 3\n2: 1\n3: 1\n4:\n");
    expect("a.gr", BYTES("p tw 3 1\n3 1\n"), &directed, "directed none unsigned 1 of 1\n1:\n2:\n3: 1\n");
    expect("a", BYTES("p tw 2 0"), NULL, "undirected none unsigned 0 of 0\n1:\n2:\n");
    expect("a", BYTES("p td 2 1\r\n1 2\r\n"), NULL, "undirected none unsigned 1 of 1\n1: 2\n2: 1\n");
    refuse("a.gr", BYTES("p tw 2 2\n1 2\n"), NULL, "a.gr holds 1 edges, but its problem line says 2");
    refuse("a.gr", BYTES("p tw 2 1\n1 2 3\n"), NULL, "a.gr:2: 3 columns found, but 2 expected");
    refuse("a.gr", BYTES("p tw 2 1\n1\n"), NULL, "a.gr:2: a vertex number is missing");
    refuse("a.gr", BYTES("p tw 2 1\n1 9\n"), NULL, "a.gr:2: vertex 9 is out of range");
    refuse("a.gr", BYTES("1 2\n"), &as_pace, "the problem line ('p tw VERTICES EDGES') is missing");
}

/* ---- METIS ------------------------------------------------------------------------------------------------------ */

static void metis_read(void **state) {
    (void)state;
    meguri_read_options directed = going(MEGURI_DIRECTED), as_metis = as(MEGURI_FORMAT_METIS);
    const char *triangle = "undirected none unsigned 3 of 3\n1: 2 3\n2: 1 3\n3: 1 2\n4:\n";
    bytes plain = BYTES("% comment\n4 3\n2 3\n% more\n1 3\n 1 2 \n\n");
    expect("a.graph", plain, NULL, triangle);
    expect("a.metis", plain, NULL, triangle);
    expect("a.txt", plain, &as_metis, triangle);
    expect("a.graph", plain, &everything, triangle);
    expect("a.graph", plain, &directed, "directed none unsigned 6 of 6\n1: 2 3\n2: 1 3\n3: 1 2\n4:\n");
    expect("a.graph", BYTES("4 3\r\n2 3\r\n1 3\r\n1 2\r\n\r\n\r\n\n"), NULL, triangle);
    expect("a.graph", BYTES("4 3 0\n2 3\n1 3\n1 2\n\n"), NULL, triangle);
    expect("a.graph", BYTES("2 1 1\n2 7\n1 7"), NULL, "undirected u8 unsigned 1 of 1\n1: 2(7)\n2: 1(7)\n");
    expect("a.graph", BYTES("2 1 001\n2 7\n1 7"), &no_weights, "undirected none unsigned 1 of 1\n1: 2\n2: 1\n");
    expect("a.graph", BYTES("2 1 10\n9 2\n8 1\n"), NULL, "undirected none unsigned 1 of 1\n1: 2\n2: 1\n");
    expect("a.graph", BYTES("2 1 11\n9 2 7\n8 1 7\n"), NULL, "undirected u8 unsigned 1 of 1\n1: 2(7)\n2: 1(7)\n");
    expect("a.graph", BYTES("2 1 011 3\n9 9 9 2 7\n8 8 8 1 7\n"), NULL,
           "undirected u8 unsigned 1 of 1\n1: 2(7)\n2: 1(7)\n");
    /* The hundreds digit as METIS, Chaco and the DIMACS challenge mean it. */
    expect("a.graph", BYTES("3 2 100\n9 2\n9 1 3\n9 2\n"), NULL,
           "undirected none unsigned 2 of 2\n1: 2\n2: 1 3\n3: 2\n");
    expect("a.graph", BYTES("3 2 100\n1 2\n2 1 3\n3 2\n"), NULL,
           "undirected none unsigned 2 of 2\n1: 2\n2: 1 3\n3: 2\n");
    expect("a.graph", BYTES("3 2 100\n2\n1 3\n2\n"), NULL, "undirected none unsigned 2 of 2\n1: 2\n2: 1 3\n3: 2\n");
    expect("a.graph", BYTES("3 2 110\n5 4 2\n5 4 1 3\n5 4 2\n"), NULL,
           "undirected none unsigned 2 of 2\n1: 2\n2: 1 3\n3: 2\n");
    expect("a.graph", BYTES("2 1 101\n6 2 7\n6 1 7\n"), NULL, "undirected u8 unsigned 1 of 1\n1: 2(7)\n2: 1(7)\n");
    expect("a.graph", BYTES("2 1 101\n2 7\n1 7\n"), NULL, "undirected u8 unsigned 1 of 1\n1: 2(7)\n2: 1(7)\n");
    /* Arcs instead of edges: as many neighbours as the header says edges. */
    expect("a.graph", BYTES("3 3\n2 3\n\n2\n"), NULL, "undirected none unsigned 3 of 3\n1: 2 3\n2: 1 3\n3: 1 2\n");
    expect("a.graph", BYTES("3 3\n2 3\n\n2\n"), &directed, "directed none unsigned 3 of 3\n1: 2 3\n2:\n3: 2\n");
    expect("a.graph", BYTES("3 3 100\n2 3\n\n2\n"), NULL, "undirected none unsigned 3 of 3\n1: 2 3\n2: 1 3\n3: 1 2\n");
    /* Loops, listed once and listed twice. */
    expect("a.graph", BYTES("2 2\n1 2\n1\n"), &everything, "undirected none unsigned 2 of 2\n1: 1 2\n2: 1\n");
    expect("a.graph", BYTES("2 2\n1 1 2\n1\n"), &everything, "undirected none unsigned 2 of 2\n1: 1 2\n2: 1\n");
    expect("a.graph", BYTES("2 2\n1 2\n1\n"), NULL, "undirected none unsigned 1 of 2\n1: 2\n2: 1\n");
    /* Parallel edges. */
    expect("a.graph", BYTES("2 2\n2 2\n1 1\n"), &everything, "undirected none unsigned 2 of 2\n1: 2 2\n2: 1 1\n");
    expect("a.graph", BYTES("0 0\n"), NULL, "undirected none unsigned 0 of 0\n");
    expect("a.graph", BYTES("2 0\n\n\n"), NULL, "undirected none unsigned 0 of 0\n1:\n2:\n");
    /* Without the name, an edge list is an edge list. */
    expect("a.txt", BYTES("4 3\n2 3\n1 3\n1 2\n"), NULL, "directed none unsigned 4 of 4\n1: 2 3\n2: 3\n3:\n4: 3\n");
}

static void metis_refused(void **state) {
    (void)state;
    refuse("a.graph", BYTES("% only\n"), NULL, "a.graph: the METIS header (vertices, edges) is missing");
    refuse("a.graph", BYTES("4\n"), NULL, "a.graph:1: a METIS header must be");
    refuse("a.graph", BYTES("4 3 0 1 7\n"), NULL, "a.graph:1: a METIS header must be");
    refuse("a.graph", BYTES("4 x\n"), NULL, "a.graph:1: a METIS header must be");
    refuse("a.graph", BYTES("4 3 2\n"), NULL, "a.graph:1: the third number, fmt");
    refuse("a.graph", BYTES("2 1\n2\n1\n2\n"), NULL, "a.graph:4: there are more lines than the 2 vertices");
    refuse("a.graph", BYTES("3 1\n2\n1\n"), NULL, "a.graph lists the neighbours of 2 vertices, but its header says 3");
    refuse("a.graph", BYTES("2 1\n3\n1\n"), NULL, "a.graph:2: vertex 3 is out of range: the header says 1 to 2");
    refuse("a.graph", BYTES("2 1\n2 x\n1\n"), NULL, "a.graph:2: 'x' is not a vertex number");
    refuse("a.graph", BYTES("2 1 1\n2\n1 7\n"), NULL, "a.graph:2: the weight of the last neighbour is missing");
    refuse("a.graph", BYTES("2 1 1\n2 a\n1 7\n"), NULL, "a.graph:2: the weight 'a' is not a number");
    refuse("a.graph", BYTES("2 1 10\n\n1 1\n"), NULL, "a.graph:2: a vertex weight is missing");
    refuse("a.graph", BYTES("3 9\n2\n1\n\n"), NULL, "a.graph lists 2 neighbours, but its header says 9 edges");
    refuse("a.graph", BYTES("3 1\n2\n3\n\n"), NULL, "a.graph is not symmetric");
    refuse("a.graph", BYTES("3 2\n2 3\n\n1 2\n"), NULL, "a.graph is not symmetric");
    refuse("a.graph", BYTES("2 1 1\n2 7\n1 8\n"), NULL, "a.graph is not symmetric");
}

/* ---- adjacency lists, binary edges ------------------------------------------------------------------------------ */

static void adjacency(void **state) {
    (void)state;
    meguri_read_options adj = as(MEGURI_FORMAT_ADJACENCY);
    expect("a", BYTES("# x\n1 2 3\n2\n\n3 1\n9\n"), &adj, "directed none unsigned 3 of 3\n1: 2 3\n2:\n3: 1\n9:\n");
    expect("a", BYTES("1,2,3\r\n2\r\n"), &adj, "directed none unsigned 2 of 2\n1: 2 3\n2:\n3:\n");
    expect("a", BYTES("5\n1\t2\t3"), &adj, "directed none unsigned 2 of 2\n1: 2 3\n2:\n3:\n5:\n");
    expect("a", BYTES("-1 2 18\n2\n"), &adj, "directed none signed 2 of 2\n-1: 2 18\n2:\n18:\n");
    expect("a", BYTES("b a c\nd\na d\n"), &adj, "directed none string 3 of 3\nb: a c\na: d\nc:\nd:\n");
    expect("a", BYTES("New York\tBoston\tS\xc3\xa3o Paulo\nRome\n"), &adj,
           "directed none string 2 of 2\nNew York: Boston S\xc3\xa3o Paulo\nBoston:\nS\xc3\xa3o Paulo:\nRome:\n");
    expect("a", BYTES("# nothing\n"), &adj, "directed none unsigned 0 of 0\n");
    adj.ids = MEGURI_IDS_INTEGER;
    refuse("a", BYTES("1 2\n3 x 4\n"), &adj, "a:2: the id 'x' is not an integer of 64 bits");
    refuse("a", BYTES("1,2\n3,,4\n"), &adj, "a:2: an id is missing");
    refuse("a", BYTES("1 2\n-1 18446744073709551615\n"), &adj, "some ids are negative");
    expect("a", BYTES("\"1\",2,\"3\"\n3,1\n"), &adj, "directed none unsigned 3 of 3\n1: 2 3\n2:\n3: 1\n");
}

static void compressed(void **state) {
    (void)state;
    meguri_read_options bin32 = as(MEGURI_FORMAT_BIN32), bin48 = as(MEGURI_FORMAT_BIN48),
                        bin64 = as(MEGURI_FORMAT_BIN64);
    expect("a", BYTES("\1\0\0\0\2\0\0\0\xff\xff\xff\xff\1\0\0\0"), &bin32,
           "directed none unsigned 2 of 2\n1: 2\n2:\n4294967295: 1\n");
    expect("a", BYTES("\xef\xbb\xbf\0\2\0\0\0"), &bin32, "directed none unsigned 1 of 1\n2:\n12565487: 2\n");
    expect("a", BYTES("\1\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\4\0\0\0\1\0\2\0"), &bin48,
           "directed none unsigned 2 of 2\n1: 2\n2:\n4294967299: 8589934596\n8589934596:\n");
    expect("a", BYTES("\1\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"), &bin64,
           "directed none unsigned 1 of 1\n1: 18446744073709551615\n18446744073709551615:\n");
    expect("a", BYTES(""), &bin64, "directed none unsigned 0 of 0\n");
    refuse("a", BYTES("\1\0\0\0\2\0\0\0\3"), &bin32, "a ends inside an edge: its size is no multiple of 8 bytes");
    refuse("a", BYTES("\1\0\0\0\2\0\0\0"), &bin48, "a ends inside an edge: its size is no multiple of 12 bytes");
    refuse("a", BYTES("\1\0\0\0\2\0\0\0"), &bin64, "a ends inside an edge: its size is no multiple of 16 bytes");
    refuse("a", BYTES("\1\0\0\0\2\0\0\0"), NULL,
           "a holds zero bytes, so it is no text; if it holds binary edges, the option format says which");
}

/* ---- what is no graph ------------------------------------------------------------------------------------------- */

static void foreign(void **state) {
    (void)state;
    refuse("a.meg", BYTES("\x89MEG\r\n\x1a\n\0\0\0\0"), NULL, "a.meg is a .meg file already");
    refuse("a.bz2", BYTES("BZh91AY&SY"), NULL,
           "a.bz2 is compressed with bzip2, which is not read; decompress it first");
    refuse("a.zip", BYTES("PK\3\4xxxx"), NULL, "a.zip is a zip archive, which is not read; decompress it first");
    expect("a.el", BYTES("BZhang\tbob\n"), NULL, "directed none string 1 of 1\nBZhang: bob\nbob:\n");
    refuse("a.7z", BYTES("7z\xbc\xaf\x27\x1c\0"), NULL, "a.7z is a 7z archive");
}

static void names_of_formats(void **state) {
    (void)state;
    assert_string_equal(meguri_format_name(MEGURI_FORMAT_MATRIX_MARKET), "mtx");
    assert_string_equal(meguri_format_name((meguri_format)99), "unknown");
    assert_int_equal(meguri_format_from_name("bin48"), MEGURI_FORMAT_BIN48);
    assert_int_equal(meguri_format_from_name("auto"), MEGURI_FORMAT_AUTO);
    assert_int_equal(meguri_format_from_name("gif"), -1);
    assert_int_equal(meguri_format_from_name(NULL), -1);
    for (int f = MEGURI_FORMAT_AUTO; f <= MEGURI_FORMAT_BIN64; f++)
        assert_int_equal(meguri_format_from_name(meguri_format_name((meguri_format)f)), f);
}

/* Every suffix of the list names its format, however it is written and compressed. */
static void paths_of_formats(void **state) {
    (void)state;
    static const char *const suffixes[] = {
#define SUFFIXES(constant, number, name, suffixes, text) [number] = suffixes,
        MEGURI_FORMAT_LIST(SUFFIXES)
#undef SUFFIXES
    };
    static const char *const compressions[] = {"", ".gz", ".zst", ".xz", ".XZ"};
    for (int f = MEGURI_FORMAT_AUTO; f <= MEGURI_FORMAT_BIN64; f++) {
        char words[64], path[128];
        snprintf(words, sizeof words, "%s", suffixes[f]);
        for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
            for (size_t p = 0; p < sizeof compressions / sizeof *compressions; p++) {
                snprintf(path, sizeof path, "some.folder/a%s%s", word, compressions[p]);
                assert_int_equal(meguri_format_of_path(path), f);
                for (char *c = path; *c; c++) *c = (char)toupper((unsigned char)*c);
                assert_int_equal(meguri_format_of_path(path), f);
                snprintf(path, sizeof path, "some%s/a%s", word, compressions[p]);
                assert_int_equal(meguri_format_of_path(path), MEGURI_FORMAT_AUTO);
            }
    }
    static const char *const none[] = {"-",          "a",     ".el",   "el",    "a.gz", "a.gz.gz",
                                       "a.el.gz.gz", "a.meg", "a.col", "a.el ", ".gz",  "."};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(meguri_format_of_path(none[i]), MEGURI_FORMAT_AUTO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_columns),      cmocka_unit_test(csv_strings),    cmocka_unit_test(csv_refused),
        cmocka_unit_test(mtx_read),         cmocka_unit_test(mtx_types),      cmocka_unit_test(mtx_refused),
        cmocka_unit_test(dimacs_read),      cmocka_unit_test(dimacs_refused), cmocka_unit_test(pace),
        cmocka_unit_test(metis_read),       cmocka_unit_test(metis_refused),  cmocka_unit_test(adjacency),
        cmocka_unit_test(compressed),       cmocka_unit_test(foreign),        cmocka_unit_test(names_of_formats),
        cmocka_unit_test(paths_of_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
