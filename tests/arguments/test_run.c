/* Vertex programs: files, and runs. */
#include "arguments.h"

MEGURI_VERTEX(still, uint64_t, meguri_none, meguri_none);
static inline void still_compute(still_vertex *v, uint64_t *value) {
    *value = 1;
    still_halt(v);
}
MEGURI_PROGRAM(still, .max_supersteps = 1);
static const meguri_program *const programs[] = {&still_program};
static const meguri_program_list list = {MEGURI_PREGEL_ABI, sizeof list, 1, programs};

CALLS(meguri_run) {
    meguri_result *result;
    meguri_run_options o = {.size = sizeof o};
    BAD(meguri_run(NULL, w.ctx, w.graph, &list, NULL));
    BAD(meguri_run(&result, NULL, w.graph, &list, NULL));
    BAD(meguri_run(&result, w.ctx, NULL, &list, NULL));
    BAD(meguri_run(&result, w.ctx, w.graph, NULL, NULL));
    BAD_SIZES(o, meguri_run(&result, w.ctx, w.graph, &list, &o));
    BAD_ENUM(meguri_delivery, o.delivery, meguri_run(&result, w.ctx, w.graph, &list, &o));
    BAD_VALUES(uint32_t, o.workers, meguri_run(&result, w.ctx, w.graph, &list, &o), 257, UINT32_MAX);
    BAD_VALUES(int, o.argc, meguri_run(&result, w.ctx, w.graph, &list, &o), -1, 1, INT32_MAX);
    meguri_program_list other = list;
    other.abi = 0;
    assert_int_equal(meguri_run(&result, w.ctx, w.graph, &other, NULL), MEGURI_BAD_INPUT);
    other = list;
    other.count = 0;
    assert_int_equal(meguri_run(&result, w.ctx, w.graph, &other, NULL), MEGURI_BAD_INPUT);
    assert_null(result);
    assert_int_equal(meguri_run(&result, w.ctx, w.graph, &list, NULL), MEGURI_OK);
    meguri_result_free(result);
}

CALLS(meguri_program_open) {
    meguri_program_file *file;
    meguri_compile_options o = {.size = sizeof o};
    BAD(meguri_program_open(NULL, w.ctx, "p.c", NULL));
    BAD(meguri_program_open(&file, NULL, "p.c", NULL));
    BAD(meguri_program_open(&file, w.ctx, NULL, NULL));
    BAD_SIZES(o, meguri_program_open(&file, w.ctx, "p.c", &o));
    NOWHERE(meguri_program_open(&file, w.ctx, "/no/such/program.c", NULL));
    NOWHERE(meguri_program_open(&file, w.ctx, "/no/such/program.so", NULL));
    assert_null(file);
}
CALLS(meguri_program_file_list) { assert_null(meguri_program_file_list(NULL)); }
CALLS(meguri_program_close) { meguri_program_close(NULL); }
CALLS(meguri_delivery_name) {
    assert_string_equal(meguri_delivery_name((meguri_delivery)-1), "unknown");
    assert_string_equal(meguri_delivery_name((meguri_delivery)8), "unknown");
}

IN_PARTS(meguri_run) {
    meguri_result *result;
    meguri_run_options o = {.size = sizeof o, .workers = 2}; /* the processes are the workers */
    assert_int_equal(meguri_run(&result, w.ctx, w.parts, &list, &o), MEGURI_BAD_ARGUMENT);
    assert_null(result);
    assert_int_equal(meguri_run(&result, w.ctx, w.parts, &list, NULL), MEGURI_OK);
    meguri_result_free(result);
}

int main(void) {
    static const row rows[] = {
        ROW(meguri_run),           ROW(meguri_program_open),  ROW(meguri_program_file_list),
        ROW(meguri_program_close), ROW(meguri_delivery_name), PART_ROW(meguri_run),
    };
    return run_rows(rows, COUNT_OF(rows));
}
