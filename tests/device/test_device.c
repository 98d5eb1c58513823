/* The device room: which devices there are and which is taken, memory within a budget, compiling and the programs on
 * disk, primitives against plain loops, a device that is lost. */
#define _GNU_SOURCE
#include "support/device.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

/* ---- devices ---------------------------------------------------------------------------------------------------- */

static void listed(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    uint32_t count = 0, chosen = 0;
    assert_int_equal(meguri_devices(&count, NULL, ctx), MEGURI_OK);
    for (uint32_t i = 0; i < count; i++) {
        meguri_device_info info = {.size = sizeof info};
        assert_int_equal(meguri_device_get_info(&info, ctx, i), MEGURI_OK);
        assert_true(*info.name && *info.platform && info.memory && info.largest);
        chosen += info.chosen != 0;
    }
    assert_int_equal(chosen, 1);
    meguri_device_info info = {.size = sizeof info};
    assert_int_equal(meguri_device_get_info(&info, ctx, count), MEGURI_NOT_FOUND);
    assert_int_equal(meguri_device_get_info(NULL, ctx, 0), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_devices(NULL, NULL, ctx), MEGURI_BAD_ARGUMENT);
    context_done(ctx);
}

static meguri_status open_by(const char *wanted, char error[512]) {
    meguri_ctx *ctx = device_context(wanted, 0);
    mg_device *device;
    meguri_status status = mg_device_get(&device, ctx);
    assert_true((status == MEGURI_OK) == (device != NULL));
    snprintf(error, 512, "%s", meguri_ctx_error(ctx));
    context_done(ctx);
    return status;
}

static void chosen(void **state) {
    (void)state;
    char error[512], part[8] = "";
    meguri_ctx *ctx = device_context(NULL, 0);
    meguri_device_info info = {.size = sizeof info};
    assert_int_equal(meguri_device_get_info(&info, ctx, 0), MEGURI_OK);
    snprintf(part, sizeof part, "%s", info.name);
    const char *kind = info.kind == MEGURI_DEVICE_CPU ? "cpu" : "gpu";
    if (!info.trouble) {
        assert_int_equal(open_by(info.name, error), MEGURI_OK);
        assert_int_equal(open_by("0", error), MEGURI_OK);
        assert_int_equal(open_by(kind, error), MEGURI_OK);
    }
    assert_int_equal(open_by("no such device", error), MEGURI_ENGINE_FAILED);
    assert_non_null(strstr(error, "there is no device \"no such device\" here; there is 0 "));
    assert_int_equal(open_by("99", error), MEGURI_ENGINE_FAILED);
    assert_int_equal(open_by("99999999999999999999", error), MEGURI_ENGINE_FAILED);
    context_done(ctx);
}

static cl_int CL_API_CALL no_platforms(cl_uint most, cl_platform_id *out, cl_uint *count) {
    (void)most, (void)out, (void)count;
    return -1001;
}

static void none(void **state) {
    (void)state;
    static const mg_opencl table = {.GetPlatformIDs = no_platforms};
    meguri_ctx *ctx = context_with(1);
    mg_device *device;
    uint32_t count = 1;
    const char *why = NULL;
    assert_int_equal(mg_devices_use(ctx, &table), MEGURI_OK);
    assert_int_equal(meguri_devices(&count, &why, ctx), MEGURI_OK);
    assert_int_equal(count, 0);
    assert_non_null(strstr(why, "no platform is installed"));
    assert_int_equal(mg_device_get(&device, ctx), MEGURI_ENGINE_FAILED);
    assert_non_null(strstr(meguri_ctx_error(ctx), "there is no device: "));
    context_done(ctx);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static void memory(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 1 << 20);
    mg_device *device;
    mg_buffer a, b, empty;
    uint32_t numbers[1000], back[1000];
    for (uint32_t i = 0; i < 1000; i++) numbers[i] = i * i;
    assert_int_equal(mg_device_get(&device, ctx), MEGURI_OK);
    assert_int_equal(device->memory, 1 << 20);
    assert_int_equal(mg_buffer_new(&a, ctx, device, 1000, 4, "numbers"), MEGURI_OK);
    assert_int_equal(mg_buffer_new(&empty, ctx, device, 0, 4, "nothing"), MEGURI_OK);
    assert_int_equal(mg_buffer_write(ctx, &a, 0, numbers, sizeof numbers), MEGURI_OK);
    assert_int_equal(mg_buffer_read(ctx, &a, 0, back, sizeof back), MEGURI_OK);
    assert_memory_equal(numbers, back, sizeof back);
    assert_int_equal(device->sent, sizeof numbers);
    assert_int_equal(device->received, sizeof numbers);
    assert_int_equal(mg_buffer_fill(ctx, &a, 7), MEGURI_OK);
    assert_int_equal(mg_buffer_read(ctx, &a, 400, back, 400), MEGURI_OK);
    for (uint32_t i = 0; i < 100; i++) assert_int_equal(back[i], 7);
    assert_int_equal(mg_buffer_new(&b, ctx, device, 1 << 18, 4, "the neighbours"), MEGURI_NO_MEMORY);
    assert_non_null(strstr(meguri_ctx_error(ctx), "for the neighbours: 1.05 MB asked"));
    mg_begin(ctx);
    assert_int_equal(mg_buffer_new(&b, ctx, device, UINT64_MAX, 8, "too much"), MEGURI_NO_MEMORY);
    mg_buffer_free(&b); /* does nothing */
    mg_buffer_free(&empty);
    mg_buffer_free(&a);
    assert_int_equal(device->used, 0);
    assert_true(device->peak >= 4000);
    context_done(ctx);
}

/* ---- compiling -------------------------------------------------------------------------------------------------- */

static void does_not_compile(void **state) {
    (void)state;
    static const mg_kernel_text wrong = {"wrong.cl", "kernel void nothing(global uint *x) { *x = absent_name; }\n"};
    static const mg_kernel_text right = {"right.cl", "kernel void something(global uint *x) { *x = 5; }\n"};
    meguri_ctx *ctx = device_context(NULL, 0);
    mg_device *device;
    mg_kernel kernel;
    mg_buffer buffer;
    uint32_t word = 0;
    assert_int_equal(mg_device_get(&device, ctx), MEGURI_OK);
    assert_int_equal(mg_kernel_new(&kernel, ctx, device, &wrong, "", "nothing"), MEGURI_ENGINE_FAILED);
    assert_non_null(strstr(meguri_ctx_error(ctx), "wrong.cl does not compile"));
    mg_begin(ctx);
    assert_int_equal(mg_kernel_new(&kernel, ctx, device, &right, "", "other"), MEGURI_ENGINE_FAILED);
    assert_non_null(strstr(meguri_ctx_error(ctx), "no such kernel"));
    mg_kernel_free(&kernel); /* does nothing */
    mg_begin(ctx);
    assert_int_equal(mg_kernel_new(&kernel, ctx, device, &right, "", "something"), MEGURI_OK);
    assert_int_equal(mg_buffer_new(&buffer, ctx, device, 1, 4, "a word"), MEGURI_OK);
    assert_int_equal(MG_LAUNCH(ctx, &kernel, 1, 1, MG_BUFFER(&buffer)), MEGURI_OK);
    assert_int_equal(mg_device_finish(ctx, device), MEGURI_OK);
    assert_int_equal(mg_buffer_read(ctx, &buffer, 0, &word, 4), MEGURI_OK);
    assert_int_equal(word, 5);
    mg_buffer_free(&buffer);
    mg_kernel_free(&kernel);
    context_done(ctx);
}

/* Where programs are kept while a test looks at them. */
typedef struct kept {
    char folder[FOLDER_TEXT], programs[FOLDER_TEXT + 32], before[FOLDER_TEXT];
} kept;

static kept keep_elsewhere(void) {
    kept k;
    const char *cache = getenv("XDG_CACHE_HOME");
    snprintf(k.before, sizeof k.before, "%s", cache ? cache : "");
    folder_new(k.folder);
    snprintf(k.programs, sizeof k.programs, "%s/meguri/kernels", k.folder);
    setenv("XDG_CACHE_HOME", k.folder, 1);
    return k;
}

static void keep_as_before(kept *k) {
    if (*k->before) setenv("XDG_CACHE_HOME", k->before, 1);
    else unsetenv("XDG_CACHE_HOME");
    folder_remove(k->folder);
}

static void on_disk(void **state) {
    (void)state;
    const char *texts[] = {"device", "text"}, *others[] = {"devicet", "ext"};
    mg_cache_key key = mg_cache_key_of(texts, 2), other = mg_cache_key_of(others, 2);
    char path[2 * FOLDER_TEXT], data[5000];
    size_t bytes = 1;
    kept k = keep_elsewhere();
    meguri_ctx *ctx = context_with(1);
    memset(data, 'x', sizeof data);
    assert_memory_not_equal(&key, &other, sizeof key);
    assert_null(mg_cache_read(ctx, key, &bytes));
    assert_int_equal(bytes, 0);
    mg_cache_write(ctx, key, data, sizeof data);
    void *back = mg_cache_read(ctx, key, &bytes);
    assert_int_equal(bytes, sizeof data);
    assert_memory_equal(back, data, sizeof data);
    free(back);
    assert_null(mg_cache_read(ctx, other, &bytes));
    snprintf(path, sizeof path, "%s/%016lx%016lx", k.programs, key.half[0], key.half[1]);
    for (long at = 0; at < 5040; at += 39) { /* every byte counts, and so does the length */
        FILE *file = fopen(path, "r+");
        fseek(file, at, SEEK_SET);
        int byte = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(byte ^ 1, file);
        fclose(file);
        assert_null(mg_cache_read(ctx, key, &bytes));
        mg_cache_write(ctx, key, data, sizeof data);
        assert_int_equal(truncate(path, at), 0);
        assert_null(mg_cache_read(ctx, key, &bytes));
        mg_cache_write(ctx, key, data, sizeof data);
    }
    /* Nothing else is left in the folder. */
    DIR *folder = opendir(k.programs);
    int files = 0;
    for (struct dirent *e; (e = readdir(folder));) files += e->d_name[0] != '.';
    closedir(folder);
    assert_int_equal(files, 1);
    /* What others could have put there is not taken, and nothing is put there. */
    assert_int_equal(chmod(k.programs, 0777), 0);
    assert_null(mg_cache_read(ctx, key, &bytes));
    mg_cache_write(ctx, other, data, sizeof data);
    assert_int_equal(chmod(k.programs, 0700), 0);
    assert_null(mg_cache_read(ctx, other, &bytes));
    back = mg_cache_read(ctx, key, &bytes);
    assert_non_null(back);
    free(back);
    keep_as_before(&k);
    setenv("XDG_CACHE_HOME", "/dev/null/nowhere", 1); /* no folder can be made there */
    mg_cache_write(ctx, key, data, sizeof data);
    assert_null(mg_cache_read(ctx, key, &bytes));
    context_done(ctx);
    if (*k.before) setenv("XDG_CACHE_HOME", k.before, 1);
    else unsetenv("XDG_CACHE_HOME");
}

/* A program on disk that is whole, but none of this driver's: it is compiled again. */
static void foreign_program(void **state) {
    (void)state;
    static const mg_kernel_text text = {"kept.cl", "kernel void kept(global uint *x) { *x = 6; }\n"};
    kept k = keep_elsewhere();
    for (int turn = 0; turn < 3; turn++) {
        meguri_ctx *ctx = device_context(NULL, 0);
        mg_device *device;
        mg_kernel kernel;
        assert_int_equal(mg_device_get(&device, ctx), MEGURI_OK);
        assert_int_equal(mg_kernel_new(&kernel, ctx, device, &text, "", "kept"), MEGURI_OK);
        mg_kernel_free(&kernel);
        DIR *folder = opendir(k.programs);
        for (struct dirent *e; turn == 0 && (e = readdir(folder));) {
            mg_cache_key key;
            if (sscanf(e->d_name, "%16lx%16lx", &key.half[0], &key.half[1]) == 2)
                mg_cache_write(ctx, key, "nonsense", 8);
        }
        closedir(folder);
        context_done(ctx);
    }
    keep_as_before(&k);
}

/* ---- primitives ------------------------------------------------------------------------------------------------- */

static void check_scan(meguri_ctx *ctx, mg_primitives *p, uint64_t count, uint64_t seed) {
    uint32_t *items = malloc((count + 1) * sizeof *items), *back = malloc((count + 1) * sizeof *back), total, sum = 0;
    mg_buffer buffer;
    for (uint64_t i = 0; i < count; i++) items[i] = (uint32_t)next_random(&seed) % 5000;
    assert_int_equal(mg_buffer_new(&buffer, ctx, p->device, count, 4, "items"), MEGURI_OK);
    assert_int_equal(mg_buffer_write(ctx, &buffer, 0, items, count * 4), MEGURI_OK);
    for (uint64_t i = 0; i < count; i++) sum += items[i];
    assert_int_equal(mg_device_sum(ctx, p, &buffer, count), MEGURI_OK);
    assert_int_equal(mg_device_total(&total, ctx, p), MEGURI_OK);
    assert_int_equal(total, sum);
    assert_int_equal(mg_device_exscan(ctx, p, &buffer, count), MEGURI_OK);
    assert_int_equal(mg_buffer_read(ctx, &buffer, 0, back, count * 4), MEGURI_OK);
    sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal(back[i], sum);
        sum += items[i];
    }
    assert_int_equal(mg_device_total(&total, ctx, p), MEGURI_OK);
    assert_int_equal(total, sum);
    mg_buffer_free(&buffer);
    free(items);
    free(back);
}

static void check_bits(meguri_ctx *ctx, mg_primitives *p, uint64_t words, uint64_t seed) {
    uint32_t *bits = malloc((words + 1) * sizeof *bits), *list = malloc((32 * words + 1) * sizeof *list), total;
    mg_buffer buffer, out;
    for (uint64_t i = 0; i < words; i++)
        bits[i] = (uint32_t)(next_random(&seed) % 3 ? next_random(&seed) & next_random(&seed) : 0);
    assert_int_equal(mg_buffer_new(&buffer, ctx, p->device, words, 4, "bits"), MEGURI_OK);
    assert_int_equal(mg_buffer_new(&out, ctx, p->device, 32 * words, 4, "a list"), MEGURI_OK);
    assert_int_equal(mg_buffer_write(ctx, &buffer, 0, bits, words * 4), MEGURI_OK);
    assert_int_equal(mg_device_list_bits(ctx, p, &out, &buffer, words), MEGURI_OK);
    assert_int_equal(mg_device_total(&total, ctx, p), MEGURI_OK);
    assert_int_equal(mg_buffer_read(ctx, &out, 0, list, (uint64_t)total * 4), MEGURI_OK);
    uint64_t at = 0;
    for (uint64_t v = 0; v < 32 * words; v++)
        if (bits[v / 32] >> (v % 32) & 1) assert_int_equal(list[at++], v);
    assert_int_equal(at, total);
    mg_buffer_free(&buffer);
    mg_buffer_free(&out);
    free(bits);
    free(list);
}

static void primitives(void **state) {
    (void)state;
    static const uint64_t counts[] = {0, 1, 2, 31, 63, 64, 65, 511, 512, 513, 16384, 16385, 100000};
    meguri_ctx *ctx = device_context(NULL, 0);
    mg_device *device;
    mg_primitives p;
    assert_int_equal(mg_device_get(&device, ctx), MEGURI_OK);
    for (int turn = 0; turn < 2; turn++) {
        device->in_turns = turn == 0;
        assert_int_equal(mg_primitives_open(&p, ctx, device, 100000), MEGURI_OK);
        for (size_t i = 0; i < COUNT_OF(counts); i++) {
            check_scan(ctx, &p, counts[i], i);
            check_bits(ctx, &p, counts[i] / 4, i);
        }
        mg_primitives_close(&p);
    }
    assert_int_equal(device->used, 0);
    context_done(ctx);
}

/* ---- a device that fails ---------------------------------------------------------------------------------------- */

static void lost(void **state) {
    (void)state;
    static const cl_int codes[] = {CL_DEVICE_NOT_AVAILABLE, CL_OUT_OF_RESOURCES, CL_MEM_OBJECT_ALLOCATION_FAILURE};
    meguri_ctx *ctx = faulty_context();
    mg_device *device;
    mg_primitives p;
    assert_int_equal(mg_device_get(&device, ctx), MEGURI_OK);
    for (size_t c = 0; c < COUNT_OF(codes); c++)
        for (uint64_t k = 1;; k++) {
            faulty.calls = 0;
            faulty.fail_at = k;
            faulty.code = codes[c];
            mg_begin(ctx);
            meguri_status status = mg_primitives_open(&p, ctx, device, 1000);
            if (status == MEGURI_OK) status = mg_device_list_bits(ctx, &p, &p.sums, &p.total, 1);
            mg_primitives_close(&p);
            assert_int_equal(faulty.buffers, 0);
            assert_int_equal(device->used, 0);
            if (status == MEGURI_OK) break;
            assert_int_equal(status, c == 2 ? MEGURI_NO_MEMORY : MEGURI_ENGINE_FAILED);
            assert_non_null(strstr(meguri_ctx_error(ctx), device->name));
        }
    faulty.fail_at = 0;
    context_done(ctx);
}

/* Queues that were waited for and released. */
static struct {
    cl_command_queue waited_for;
    uint64_t released;
} queues;

static cl_int CL_API_CALL noted_finish(cl_command_queue queue) {
    queues.waited_for = queue;
    return true_opencl.Finish(queue);
}

static cl_int CL_API_CALL noted_release(cl_command_queue queue) {
    assert_ptr_equal(queue, queues.waited_for);
    queues.released++;
    return true_opencl.ReleaseCommandQueue(queue);
}

/* A device is closed when its kernels are done: PoCL runs on while a process ends, and crashes there. */
static void waited_for(void **state) {
    (void)state;
    static mg_opencl table;
    table = faulty_table();
    table.Finish = noted_finish;
    table.ReleaseCommandQueue = noted_release;
    meguri_ctx *ctx = context_with(2);
    mg_device *device;
    mg_primitives p;
    assert_int_equal(mg_devices_use(ctx, &table), MEGURI_OK);
    assert_int_equal(mg_device_get(&device, ctx), MEGURI_OK);
    assert_int_equal(mg_primitives_open(&p, ctx, device, 1000), MEGURI_OK);
    assert_int_equal(mg_device_list_bits(ctx, &p, &p.sums, &p.total, 1), MEGURI_OK);
    mg_primitives_close(&p);
    queues.waited_for = NULL;
    queues.released = 0;
    context_done(ctx);
    assert_true(queues.released > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listed),          cmocka_unit_test(chosen),     cmocka_unit_test(none),
        cmocka_unit_test(memory),          cmocka_unit_test(on_disk),    cmocka_unit_test(does_not_compile),
        cmocka_unit_test(foreign_program), cmocka_unit_test(primitives), cmocka_unit_test(lost),
        cmocka_unit_test(waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
