/* Graph databases: functions of libmeguri_db. */
#include "arguments.h"

#include <meguri/db.h>

static const char config[] = "{\"databases\": [\"bolt://127.0.0.1:1\"]}";

CALLS(meguri_source_new) {
    meguri_source *source;
    BAD(meguri_source_new(NULL, w.ctx, config, "c"));
    BAD(meguri_source_new(&source, NULL, config, "c"));
    BAD(meguri_source_new(&source, w.ctx, NULL, "c"));
    BAD(meguri_source_new(&source, w.ctx, config, NULL));
    BAD(meguri_source_new(&source, w.ctx, "{}", "c"));
    BAD(meguri_source_new(&source, w.ctx, "[]", "c"));
    BAD(meguri_source_new(&source, w.ctx, "{\"databases\": \"bolt://h\"}", "c"));
    BAD(meguri_source_new(&source, w.ctx, "{\"databases\": [\"ftp://h\"]}", "c"));
    BAD(meguri_source_new(&source, w.ctx, "{\"databases\": [\"bolt://h\"], \"proxy\": \"P\"}", "c"));
    assert_int_equal(meguri_source_new(&source, w.ctx, "{", "c"), MEGURI_BAD_INPUT);
    assert_null(source);
}

CALLS(meguri_source_read) {
    meguri_source *source;
    BAD(meguri_source_read(NULL, w.ctx, "c.json", NULL));
    BAD(meguri_source_read(&source, NULL, "c.json", NULL));
    BAD(meguri_source_read(&source, w.ctx, NULL, NULL));
    assert_int_equal(meguri_source_read(&source, w.ctx, "nowhere.json", NULL), MEGURI_NOT_FOUND);
    assert_int_equal(meguri_source_read(&source, w.ctx, "/dev/null", NULL), MEGURI_BAD_INPUT);
    assert_int_equal(meguri_source_read(&source, w.ctx, "", "{}"), MEGURI_NOT_FOUND);
    assert_null(source);
}

CALLS(meguri_source_free) { meguri_source_free(NULL); }

static meguri_source *some_source(void) {
    meguri_source *source;
    assert_int_equal(meguri_source_new(&source, w.ctx, config, "c"), MEGURI_OK);
    return source;
}

CALLS(meguri_pull) {
    meguri_source *source = some_source();
    meguri_pull_info info = {.size = sizeof info};
    meguri_pull_options o = {.size = sizeof o};
    BAD(meguri_pull(&info, NULL, source, "nowhere.meg", NULL));
    BAD(meguri_pull(&info, w.ctx, NULL, "nowhere.meg", NULL));
    BAD(meguri_pull(&info, w.ctx, source, NULL, NULL));
    BAD(meguri_pull(&info, w.ctx, source, "", NULL));
    BAD_SIZES(info, meguri_pull(&info, w.ctx, source, "nowhere.meg", NULL));
    BAD_SIZES(o, meguri_pull(&info, w.ctx, source, "nowhere.meg", &o));
    meguri_source_free(source);
}

CALLS(meguri_pull_estimate) {
    meguri_source *source = some_source();
    meguri_pull_info info = {.size = sizeof info};
    BAD(meguri_pull_estimate(NULL, w.ctx, source));
    BAD(meguri_pull_estimate(&info, NULL, source));
    BAD(meguri_pull_estimate(&info, w.ctx, NULL));
    BAD_SIZES(info, meguri_pull_estimate(&info, w.ctx, source));
    meguri_source_free(source);
}

CALLS(meguri_write_back) {
    meguri_source *source = some_source();
    meguri_write_back_info info = {.size = sizeof info};
    meguri_write_back_options o = {.size = sizeof o, .property = "p"};
    BAD(meguri_write_back(&info, NULL, source, w.graph, w.result, &o));
    BAD(meguri_write_back(&info, w.ctx, NULL, w.graph, w.result, &o));
    BAD(meguri_write_back(&info, w.ctx, source, NULL, w.result, &o));
    BAD(meguri_write_back(&info, w.ctx, source, w.graph, NULL, &o));
    BAD(meguri_write_back(&info, w.ctx, source, w.graph, w.result, NULL));
    BAD(meguri_write_back(&info, w.ctx, source, w.named, w.result, &o)); /* of another graph */
    BAD_VALUES(const char *, o.property, meguri_write_back(&info, w.ctx, source, w.graph, w.result, &o), NULL, "");
    BAD_VALUES(const char *, o.column, meguri_write_back(&info, w.ctx, source, w.graph, w.result, &o), "none", "");
    BAD_SIZES(info, meguri_write_back(&info, w.ctx, source, w.graph, w.result, &o));
    BAD_SIZES(o, meguri_write_back(&info, w.ctx, source, w.graph, w.result, &o));
    meguri_source_free(source);
}

IN_PARTS(meguri_write_back) {
    meguri_source *source = some_source();
    const meguri_write_back_options o = {.size = sizeof o, .property = "p"};
    ELSEWHERE(meguri_write_back(NULL, w.ctx, source, w.parts, w.result, &o));
    meguri_source_free(source);
}

CALLS(meguri_pull_options_init) { CHECK_INIT(meguri_pull_options); }
CALLS(meguri_write_back_options_init) { CHECK_INIT(meguri_write_back_options); }

int main(void) {
    static const row rows[] = {ROW(meguri_source_new),
                               ROW(meguri_source_read),
                               ROW(meguri_source_free),
                               ROW(meguri_pull),
                               ROW(meguri_pull_estimate),
                               ROW(meguri_write_back),
                               PART_ROW(meguri_write_back),
                               ROW(meguri_pull_options_init),
                               ROW(meguri_write_back_options_init)};
    return run_rows(rows, COUNT_OF(rows));
}
