/* Neo4j's CSV import format: headers, id spaces, points, types, two files beside each other, and what is refused. */
#define _GNU_SOURCE
#include "reading.h"
#include "support/unit.h"

#include <math.h>
#include <unistd.h>

static void relationships(void **state) {
    (void)state;
    const char *want = "directed u8 unsigned 2 of 2\n1: 2(5)\n2: 3(6)\n3:\n";
    meguri_read_options neo4j = {.size = sizeof neo4j, .format = MEGURI_FORMAT_NEO4J},
                        strings = {.size = sizeof strings, .ids = MEGURI_IDS_STRING};
    expect("a.csv", BYTES(":START_ID,:END_ID,:TYPE,weight:long\n1,2,A,5\n2,3,B,6\n"), NULL, want);
    expect("a.txt", BYTES("length:int;:TYPE;a:END_ID(S);b:START_ID(S)\n5;A;2;1\n6;\"B; \"\"D\"\"\";3;2\n"), &neo4j,
           want);
    refuse("a.csv", BYTES(":START_ID,:END_ID,:TYPE\n1,2,A\n2,3,\"B\nC\"\n"), NULL, "a.csv:3: the value 'B");
    expect("a.csv",
           BYTES("note,:START_ID,cost:double,:END_ID,tags:string[]\n\"a, \"\"b\"\"\nc\",1,5,2,x\n\"\n\",2,6,3,"), NULL,
           want);
    expect("a.csv", BYTES("# exported\n:START_ID|:END_ID|:IGNORE\r\n1|2|weight\r\n2|3|\r\n"), NULL,
           "directed none unsigned 2 of 2\n1: 2\n2: 3\n3:\n");
    expect("a.csv",
           BYTES(":start_id\t:end_id\t:type\tweight:int\tnote\n1\t2\t\"A;B\" \t5\n2\t\"3\"\tC\t6\t\"x\ny\"\r\n"), NULL,
           want);
    expect("a.csv", BYTES("distance,value,:START_ID,:END_ID\n5,9,1,2\n6,9,2,3\n"), NULL, want);
    expect("a.csv", BYTES(":START_ID(P),:END_ID(Q)\n1,1\n2,1\n"), &strings,
           "directed none string 2 of 2\nP:1: Q:1\nQ:1:\nP:2: Q:1\n");
    expect("a.csv", BYTES(":START_ID,:END_ID(Q)\nx,1\n"), &strings, "directed none string 1 of 1\nx: Q:1\nQ:1:\n");
}

static void nodes(void **state) {
    (void)state;
    expect("n.csv", BYTES("uid:ID,name,:LABEL\n3,\"a\nb\",L\n-1,,L;M\n"), NULL,
           "directed none signed 0 of 0\n-1:\n3:\n");
    expect("n.csv", BYTES(":ID\na\nb c\n"), NULL, "directed none string 0 of 0\na:\nb c:\n");
    expect("n.csv", BYTES(":ID\n"), NULL, "directed none unsigned 0 of 0\n");
    expect("n.csv", BYTES("a:ID(P),name,b:ID(P)\n1,x,1\n2,,\n3\n"), NULL, "directed none string 0 of 0\n11:\n2:\n3:\n");
    expect("n.csv", BYTES("i:id,x:Double,y:DOUBLE\n1,2,3\n2\n"), NULL,
           "directed none unsigned 0 of 0\n1: @2,3\n2: @nan,nan\n");
    expect("n.csv", BYTES("i:ID,p:point\nx,\"{x:1, y : 2.5 ,crs: cartesian}\"\ny,\n"), NULL,
           "directed none string 0 of 0\nx: @1,2.5\ny: @nan,nan\n");
    expect_warning("n.csv", BYTES("i:ID,p:point,q:point\nx,\"{x:1,y:2}\",\n"), NULL,
                   "of its 2 columns of points the first is read");
}

static void refused(void **state) {
    (void)state;
    meguri_read_options neo4j = {.size = sizeof neo4j, .format = MEGURI_FORMAT_NEO4J},
                        integers = {.size = sizeof integers, .ids = MEGURI_IDS_INTEGER};
    refuse("a.csv", BYTES("source,target\n1,2\n"), &neo4j, "a.csv:1: this is no header of Neo4j's import format");
    refuse("a.csv", BYTES(":START_ID,:END_ID,:ID\n1,2,3\n"), &neo4j, "a.csv:1: this is no header");
    refuse("a.csv", BYTES(""), &neo4j, "a.csv is empty");
    refuse("a.csv", BYTES("a:ID,b:ID\n1,2\n"), &integers, "a.csv:1: ids of several columns are texts");
    refuse("a.csv", BYTES("a:ID,b:ID\n1,2\n3,\xff\n"), NULL, "a.csv:3: an id is not UTF-8 text");
    refuse("a.csv", BYTES(":ID,:ID,:ID,:ID,:ID,:ID,:ID,:ID,:ID\n"), NULL, "a.csv:1: 9 columns are :ID");
    refuse("a.csv", BYTES(":ID,:ID\na,b\n,\n"), NULL, "a.csv:3: an id is missing");
    refuse("a.csv", BYTES(":START_ID,:END_ID,:TYPE,:TYPE\n1,2,A,B\n"), NULL, "a.csv:1: two columns are :TYPE");
    refuse("a.csv", BYTES(":START_ID(P),:END_ID(Q)\n1,2\n"), NULL,
           "a.csv:1: there are ids of the id space 'Q' here and of 'P'");
    refuse("a.csv", BYTES(":START_ID,:END_ID\n1,2\n3\n"), NULL, "a.csv:3: an id is missing");
    refuse("a.csv", BYTES(":START_ID,:END_ID\n1,2\n3,4,5\n"), NULL, "a.csv:3: 3 columns found, but the header names 2");
    refuse("a.csv", BYTES(":START_ID,:END_ID\n1,2\n,3\n"), NULL, "a.csv:3: an id is missing");
    refuse("a.csv", BYTES(":START_ID,:END_ID,weight:int\n1,2,3\n1,3,\n"), NULL, "a.csv:3: the weight is missing");
    refuse("a.csv", BYTES(":START_ID,:END_ID\n1,2\n3,x\n"), &integers, "a.csv:3: the id 'x' is not an integer");
    refuse("a.csv", BYTES("weight:int,:START_ID,:END_ID,weight:long\n1,2,3,4\n"), NULL,
           "columns 1 and 4 have the same name");
    refuse("n.csv", BYTES(":ID,x:double,y:double\n1,2,3\n2,2,north\n"), NULL,
           "n.csv:3: the coordinate 'north' is not a number");
    refuse("n.csv", BYTES(":ID,x:double,y:double\n1,2,3\n1,2,3\n"), NULL, "the vertex 1 has coordinates twice");
    refuse("n.csv", BYTES(":ID,p:point\n1,\"{x:1,y:2}\"\n2,{x:1}\n"), NULL, "n.csv:3: the point '{x:1}'");
    refuse("n.csv", BYTES(":ID,p:point\n1,\"{x:1,y:2\"\n"), NULL, "n.csv:2: the point '{x:1,y:2'");
    refuse("n.csv", BYTES(":ID,p:point\n1,\"{x:1,x:2,y:1}\"\n"), NULL, "n.csv:2: the point");
}

/* Of the edge from 8 to 7: what it is, and since when. */
static void check_columns(meguri_ctx *ctx, const meguri_graph *g) {
    meguri_column_info info = {.size = sizeof info};
    uint32_t type, since;
    uint64_t count;
    uint8_t types[2];
    uint16_t years[2];
    const char *name;
    assert_int_equal(meguri_graph_find_edge_column(&type, ctx, g, "type"), MEGURI_OK);
    assert_int_equal(meguri_graph_find_edge_column(&since, ctx, g, "since"), MEGURI_OK);
    assert_int_equal(meguri_graph_edge_column(&info, ctx, g, type), MEGURI_OK);
    assert_true(info.kind == MEGURI_COLUMN_TYPES && info.label_count == 2 && info.item_bytes == 1);
    assert_int_equal(meguri_graph_neighbor_values(types, NULL, 2, &count, ctx, g, 1, type), MEGURI_OK);
    assert_int_equal(meguri_graph_edge_label(&name, ctx, g, type, types[0]), MEGURI_OK);
    assert_string_equal(name, "RAIL");
    assert_int_equal(meguri_graph_edge_label(&name, ctx, g, type, types[1]), MEGURI_OK);
    assert_string_equal(name, "ROAD");
    assert_int_equal(meguri_graph_neighbor_values(years, NULL, 2, &count, ctx, g, 1, since), MEGURI_OK);
    assert_true(count == 2 && years[0] == 2001 && years[1] == 7);
}

/* Nodes beside relationships, named or not, and types as a column with names. */
static void files(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], paths[3][FOLDER_TEXT + 32];
    static const char *const names[] = {"nodes.csv", "relationships.csv", "more.csv"};
    static const char *const texts[] = {"uid:ID,x:double,y:double\n7,1,2\n9,,\n8,3,4\n",
                                        ":START_ID,:END_ID,:TYPE,since:int\n7,8,ROAD,1999\n8,7,RAIL,2001\n",
                                        ":START_ID,:END_ID,since:int,:TYPE\n8,11,7,ROAD\n"};
    reading r;
    reading_start(&r, 2);
    folder_new(folder);
    for (int i = 0; i < 3; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
        FILE *file = fopen(paths[i], "w");
        assert_true(file && fputs(texts[i], file) >= 0 && fclose(file) == 0);
    }
    const meguri_column_data since = {.size = sizeof since, .name = "since"};
    meguri_read_options o = {.size = sizeof o, .columns = &since, .column_count = 1};
    const char *const ways[][3] = {
        {paths[1], paths[2]}, {paths[0], paths[1], paths[2]}, {paths[2], paths[1], paths[0]}};
    for (int way = 0; way < 3; way++) {
        meguri_graph *g;
        assert_int_equal(meguri_read(&g, r.ctx, ways[way], way ? 3 : 2, &o), MEGURI_OK);
        char *text = graph_text(r.ctx, g);
        assert_string_equal(text,
                            "directed none unsigned 3 of 3\n7: 8 @1,2\n8: 7 11 @3,4\n9: @nan,nan\n11: @nan,nan\n");
        free(text);
        double x[4], y[4];
        assert_int_equal(meguri_graph_coordinates(x, y, r.ctx, g, 0, 4), MEGURI_OK);
        assert_true(x[0] == 1 && y[0] == 2 && x[1] == 3 && y[1] == 4 && isnan(x[2]) && isnan(x[3]));
        check_columns(r.ctx, g);
        meguri_graph_free(g);
    }
    folder_remove(folder);
    reading_end(&r);
}

/* Headers in files of their own, as neo4j-admin has them: what goes on with which, and what does not. */
static const char *const pieces[][2] = {{"nodes-header.csv", "key:ID,x:double,y:double\n\n"},
                                        {"nodes-1.csv", "#1,1,2\na\n"},
                                        {"nodes-2.csv", "b,3,4\n"},
                                        {"roads-header.csv", ":START_ID,:END_ID,:TYPE,km:int"},
                                        {"roads-1.csv", "#1,a,ROAD,5\na,b,RAIL,6\n"},
                                        {"roads-2.csv", "b,#1,ROAD,7\n"},
                                        {"whole.csv", ":START_ID,:END_ID,:TYPE,km:int\n#1,a,ROAD,5\na,b,RAIL,6\n"},
                                        {"wrong.csv", ":START_ID,:ENDE,:TYPE,km:int\nb,#1,ROAD,7\n"},
                                        {"wide.csv", "b,#1,ROAD,7,8\n"},
                                        {"empty.csv", ""}};

static void headers_of_their_own(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], paths[COUNT_OF(pieces)][FOLDER_TEXT + 32];
    reading r;
    reading_start(&r, 2);
    folder_new(folder);
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, pieces[i][0]);
        FILE *file = fopen(paths[i], "w");
        assert_true(file && fputs(pieces[i][1], file) >= 0 && fclose(file) == 0);
    }
    static const char all[] = "directed none string 3 of 3\n#1: a @1,2\na: b @nan,nan\nb: #1 @3,4\n",
                      bare[] = "directed none string 3 of 3\n#1: a\na: b\nb: #1\n";
    const struct {
        int count, numbers[8];
        bool named; /* the format is given */
        const char *want, *failure, *warning;
    } rows[] = {{6, {0, 1, 2, 3, 4, 5}, false, all, NULL, NULL},
                {6, {3, 4, 5, 0, 1, 2}, true, all, NULL, NULL},
                {7, {0, 1, 2, 9, 3, 4, 5}, false, all, NULL, "empty.csv holds no nodes"},
                {2, {6, 5}, true, bare, NULL, NULL},
                {2, {6, 7}, true, NULL, "wrong.csv:1: this is no header", NULL},
                {3, {3, 6, 7}, true, NULL, "wrong.csv:1: this is no header", NULL},
                {2, {3, 8}, false, NULL, "wide.csv:1: 5 columns found, but the header names 4", NULL},
                {1, {3}, false, "directed none unsigned 0 of 0\n", NULL, "roads-header.csv holds no edges"},
                {4, {3, 4, 5, 0}, false, bare, NULL, "nodes-header.csv holds no nodes"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *inputs[8];
        meguri_graph *g;
        meguri_read_options o = {
            .size = sizeof o,
            .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .ignore_weights = 1}};
        if (rows[i].named) o.format = MEGURI_FORMAT_NEO4J;
        for (int k = 0; k < rows[i].count; k++) inputs[k] = paths[rows[i].numbers[k]];
        r.warnings = 0;
        meguri_status status = meguri_read(&g, r.ctx, inputs, (size_t)rows[i].count, &o);
        assert_int_equal(status, rows[i].failure ? MEGURI_BAD_INPUT : MEGURI_OK);
        if (rows[i].failure) assert_non_null(strstr(meguri_ctx_error(r.ctx), rows[i].failure));
        char *text = g ? graph_text(r.ctx, g) : NULL;
        if (text) assert_string_equal(text, rows[i].want);
        assert_int_equal(r.warnings, rows[i].warning != NULL);
        if (rows[i].warning) assert_non_null(strstr(r.warning, rows[i].warning));
        free(text);
        meguri_graph_free(g);
    }
    folder_remove(folder);
    reading_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relationships),
        cmocka_unit_test(nodes),
        cmocka_unit_test(refused),
        cmocka_unit_test(files),
        cmocka_unit_test(headers_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
