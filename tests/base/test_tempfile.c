/* Temporary files, and whole reads and writes. */
#define _GNU_SOURCE
#include "support/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

static meguri_ctx *context_in(const char *folder) {
    meguri_ctx *ctx = NULL;
    meguri_ctx_options options = {.size = sizeof options, .threads = 1, .temp_dir = folder};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    return ctx;
}

static size_t entries(const char *folder) {
    size_t count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    while (readdir(dir)) count++;
    closedir(dir);
    return count - 2; /* . and .. */
}

static void files_have_no_name(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], back[12] = "";
    folder_new(folder);
    meguri_ctx *ctx = context_in(folder);
    int first = mg_tempfile(ctx), second = mg_tempfile(ctx);
    assert_true(first >= 0 && second >= 0 && first != second);
    assert_int_equal(entries(folder), 0);
    struct stat info;
    assert_int_equal(fstat(first, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600); /* nobody else reads our edges */
    assert_true(fcntl(first, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(mg_pwrite_all(ctx, first, "hello world", 12, 100000, "a file"), MEGURI_OK);
    assert_int_equal(mg_pread_all(ctx, first, back, 12, 100000, "a file"), MEGURI_OK);
    assert_string_equal(back, "hello world");
    assert_int_equal(mg_pread_all(ctx, second, back, 0, 5, "a file"), MEGURI_OK); /* nothing is always there */
    close(first);
    close(second);
    folder_remove(folder);
    context_done(ctx);
}

static void missing_folder_is_reported(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], missing[2 * FOLDER_TEXT];
    folder_new(folder);
    snprintf(missing, sizeof missing, "%s/missing", folder);
    meguri_ctx *ctx = context_in(missing);
    assert_int_equal(mg_tempfile(ctx), -1);
    const char *error = meguri_ctx_error(ctx);
    assert_non_null(strstr(error, missing));
    assert_non_null(strstr(error, "No such file or directory"));
    assert_non_null(strstr(error, "TMPDIR"));
    assert_int_equal(error[strlen(error) - 1], '.');
    meguri_ctx_free(ctx);

    FILE *file = fopen(missing, "w"); /* a file where a folder should be */
    assert_non_null(file);
    fclose(file);
    ctx = context_in(missing);
    assert_int_equal(mg_tempfile(ctx), -1);
    assert_non_null(strstr(meguri_ctx_error(ctx), "Not a directory"));
    meguri_ctx_free(ctx);
    folder_remove(folder);
}

/* procfs takes no files of ours, with or without a name. */
static void unwritable_folder_is_reported(void **state) {
    (void)state;
    meguri_ctx *ctx = context_in("/proc");
    assert_int_equal(mg_tempfile(ctx), -1);
    assert_non_null(strstr(meguri_ctx_error(ctx), "/proc: "));
    assert_null(strstr(meguri_ctx_error(ctx), "Success"));
    context_done(ctx);
}

static void full_disk_is_reported(void **state) {
    (void)state;
    int fd = open("/dev/full", O_RDWR | O_CLOEXEC);
    if (fd < 0) skip_because("no /dev/full here");
    meguri_ctx *ctx = context_with(1);
    assert_int_equal(mg_pwrite_all(ctx, fd, "x", 1, 0, "the spilled edges"), MEGURI_NO_DISK);
    assert_non_null(strstr(meguri_ctx_error(ctx), "there is no room to write the spilled edges in /"));
    assert_non_null(strstr(meguri_ctx_error(ctx), "(No space left on device): free some disk space"));
    mg_begin(ctx);
    assert_int_equal(mg_pwrite_all(ctx, -1, "x", 1, 0, "nothing"), MEGURI_NO_DISK);
    assert_string_equal(meguri_ctx_error(ctx), "cannot write nothing: Bad file descriptor.");
    close(fd);
    context_done(ctx);
}

static void short_file_is_reported(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], back[100];
    folder_new(folder);
    meguri_ctx *ctx = context_in(folder);
    int fd = mg_tempfile(ctx);
    assert_int_equal(mg_pwrite_all(ctx, fd, "0123456789", 10, 0, "a file"), MEGURI_OK);
    assert_int_equal(mg_pread_all(ctx, fd, back, 11, 0, "the short file"), MEGURI_BAD_INPUT);
    assert_string_equal(meguri_ctx_error(ctx), "cannot read the short file: it ends too early.");
    mg_begin(ctx);
    assert_int_equal(mg_pread_all(ctx, -1, back, 1, 0, "nothing"), MEGURI_BAD_INPUT);
    assert_string_equal(meguri_ctx_error(ctx), "cannot read nothing: Bad file descriptor.");
    close(fd);
    folder_remove(folder);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_have_no_name),
        cmocka_unit_test(missing_folder_is_reported),
        cmocka_unit_test(unwritable_folder_is_reported),
        cmocka_unit_test(full_disk_is_reported),
        cmocka_unit_test(short_file_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
