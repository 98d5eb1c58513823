/* Files that are created, and folders for code: whatever another user has put on the way. Those who are not root cannot
 * make what belongs to others, and see the rest alone. */
#define _GNU_SOURCE
#include "base/ctx.h"
#include "base/walk.h"

#include "support/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { OTHER = 54321 };

static char folder[FOLDER_TEXT], text[8][2 * FOLDER_TEXT];

/* A path in the folder; of the last eight all hold. */
static const char *in(const char *name) {
    static int turn;
    char *out = text[turn++ % 8];
    snprintf(out, sizeof text[0], "%s/%s", folder, name);
    return out;
}

static int setup(void **state) {
    (void)state;
    folder_new(folder);
    return 0;
}
static int teardown(void **state) {
    (void)state;
    folder_remove(folder);
    return 0;
}

static void need_root(void) {
    if (geteuid() != 0) skip_because("only root can make files of other users");
}

static void put(const char *name, const char *content) {
    FILE *file = fopen(in(name), "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}
static void expect(const char *name, const char *content) {
    char got[64] = "";
    FILE *file = fopen(in(name), "r");
    assert_non_null(file);
    assert_true(fread(got, 1, sizeof got - 1, file) < sizeof got);
    fclose(file);
    assert_string_equal(got, content);
}

static void plant(const char *to, const char *name, unsigned owner) {
    assert_int_equal(symlink(to, in(name)), 0);
    if (geteuid() == 0) assert_int_equal(lchown(in(name), owner, owner), 0);
}

static void make(const char *name, unsigned mode, unsigned owner) {
    assert_int_equal(mkdir(in(name), 0700), 0);
    assert_int_equal(chmod(in(name), mode), 0);
    if (owner) assert_int_equal(chown(in(name), owner, owner), 0);
}

/* ---- new files -------------------------------------------------------------------------------------------------- */

typedef int creating(mg_refusal *why, const char *path, unsigned mode);

static int again(mg_refusal *why, const char *path, unsigned mode) { return mg_open_again(why, path, mode != 0); }

/* The error, or 0 and the file is closed; a failure has words. */
static int error_of(creating *create, const char *path) {
    mg_refusal why = {0};
    int fd = create(&why, path, 0644);
    if (fd >= 0) {
        assert_int_equal(write(fd, "new", 3), 3);
        assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
        close(fd);
        return 0;
    }
    assert_true(*why.text);
    return why.error;
}

static void nothing_is_overwritten(void **state) {
    (void)state;
    put("precious", "precious");
    plant("precious", "link", 0);
    plant("none", "dangling", 0);
    assert_int_equal(mkdir(in("sub"), 0700), 0);
    assert_int_equal(error_of(mg_create, in("fresh")), 0);
    expect("fresh", "new");
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"fresh", "precious", "link", "dangling"};
        assert_int_equal(error_of(mg_create, in(names[i])), EEXIST);
    }
    assert_int_equal(access(in("none"), F_OK), -1);
    assert_int_equal(error_of(mg_create, in("missing/x")), ENOENT);
    assert_int_equal(error_of(mg_create, in("precious/x")), ENOTDIR);
    expect("precious", "precious");
    assert_int_equal(link(in("precious"), in("second")), 0);
    assert_int_equal(error_of(mg_create_instead, in("link")), 0);
    assert_int_equal(error_of(mg_create_instead, in("dangling")), 0);
    assert_int_equal(error_of(mg_create_instead, in("second")), 0);
    assert_int_equal(error_of(mg_create_instead, in("absent")), 0);
    assert_int_not_equal(error_of(mg_create_instead, in("sub")), 0);
    expect("precious", "precious");
    expect("second", "new");
    expect("dangling", "new");
}

static void only_ones_own_is_opened_again(void **state) {
    (void)state;
    put("old", "old");
    put("twice", "twice");
    plant("old", "link", 0);
    assert_int_equal(link(in("twice"), in("second")), 0);
    assert_int_equal(mkfifo(in("pipe"), 0600), 0);
    assert_int_equal(error_of(again, in("old")), 0);
    expect("old", "new");
    assert_int_equal(error_of(again, in("link")), ELOOP);
    assert_int_equal(error_of(again, in("twice")), EPERM);
    assert_int_equal(error_of(again, in("second")), EPERM);
    assert_int_equal(error_of(again, in("pipe")), EPERM);
    assert_int_equal(error_of(again, in("none")), ENOENT);
    assert_int_not_equal(error_of(again, folder), 0);
    expect("twice", "twice");
    need_root();
    assert_int_equal(chown(in("old"), OTHER, OTHER), 0);
    assert_int_equal(error_of(again, in("old")), EPERM);
}

/* What libmeguri_db calls: its own file, new or old. */
static void public_function(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    int fd;
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(meguri_ctx_create(&fd, ctx, in("kept")), MEGURI_OK);
        assert_int_equal(pwrite(fd, "kept", 4, 0), 4);
        close(fd);
    }
    expect("kept", "kept");
    plant("kept", "link", 0);
    assert_int_equal(meguri_ctx_create(&fd, ctx, in("link")), MEGURI_NO_DISK);
    assert_int_equal(fd, -1);
    assert_non_null(strstr(meguri_ctx_error(ctx), "it is a symbolic link"));
    assert_int_equal(meguri_ctx_create(NULL, ctx, in("link")), MEGURI_BAD_ARGUMENT);
    context_done(ctx);
}

/* ---- the way to them -------------------------------------------------------------------------------------------- */

static void links_on_the_way(void **state) {
    (void)state;
    need_root();
    make("real", 0755, 0);
    make("shared", 01777, 0);
    make("theirs", 0755, OTHER);
    const char *const goes[] = {"mine", "shared/mine", "theirs/link", "a/../mine", "chain"};
    const char *const refused[] = {"shared/link", "mine/../shared/link", "chained"};
    make("a", 0755, 0);
    plant("real", "mine", 0);
    plant("../real", "shared/mine", 0);
    plant("../real", "theirs/link", OTHER); /* whose folder it is */
    plant("../real", "shared/link", OTHER);
    plant("shared/mine/.", "chain", 0);
    plant("shared/link", "chained", 0);
    plant("loop", "loop", 0);
    for (size_t i = 0; i < COUNT_OF(goes); i++) {
        char path[3 * FOLDER_TEXT];
        snprintf(path, sizeof path, "%s/f%zu", in(goes[i]), i);
        assert_int_equal(error_of(mg_create, path), 0);
        snprintf(path, sizeof path, "real/f%zu", i);
        expect(path, "new");
    }
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        char path[3 * FOLDER_TEXT];
        mg_refusal why;
        snprintf(path, sizeof path, "%s/refused", in(refused[i]));
        assert_int_equal(error_of(mg_create, path), EPERM);
        assert_int_equal(error_of(mg_create_instead, path), EPERM);
        assert_int_equal(error_of(again, path), EPERM);
        assert_false(mg_create_folder(&why, path, 0755));
        assert_int_equal(why.error, EPERM);
        assert_string_equal(why.text,
                            "link is a symbolic link of another user (54321); give the path that it leads to");
        assert_int_equal(mg_create_unnamed(&why, in(refused[i]), 0600), -1);
    }
    assert_int_equal(access(in("real/refused"), F_OK), -1);
    assert_int_equal(error_of(mg_create, in("loop/x")), ELOOP);
    char path[5000];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_int_equal(error_of(mg_create, path), ENAMETOOLONG);
    path[4500] = '/';
    assert_int_equal(error_of(mg_create, path), ENAMETOOLONG);
}

static void folders(void **state) {
    (void)state;
    mg_refusal why;
    assert_true(mg_create_folder(&why, in("new"), 0755));
    assert_true(mg_create_folder(&why, in("slashes///"), 0755));
    assert_false(mg_create_folder(&why, in("new"), 0755));
    assert_int_equal(why.error, EEXIST);
    assert_false(mg_create_folder(&why, in("missing/new"), 0755));
    assert_int_equal(why.error, ENOENT);
}

/* ---- folders for code ------------------------------------------------------------------------------------------- */

static int warnings;
static char warning[1024];
static void take(void *user, meguri_log_level level, const char *said) {
    (void)user, (void)level;
    warnings++;
    snprintf(warning, sizeof warning, "%s", said);
}

static meguri_ctx *listening(const char *temporary) {
    meguri_ctx *ctx;
    const meguri_ctx_options o = {
        .size = sizeof o, .threads = 1, .log = take, .log_level = MEGURI_LOG_WARNING, .temp_dir = temporary};
    assert_int_equal(meguri_ctx_new(&ctx, &o), MEGURI_OK);
    warnings = 0;
    return ctx;
}

/* Whether the cache below this folder is used; if not, with one warning that says why (NULL: none), however often. */
static void cache_is(const char *name, bool used, const char *why) {
    char out[MG_PATH];
    meguri_ctx *ctx = listening(NULL);
    setenv("XDG_CACHE_HOME", in(name), 1);
    for (int turn = 0; turn < 3; turn++) assert_int_equal(mg_cache_folder(out, ctx, "test", NULL), used);
    assert_int_equal(warnings, why ? 1 : 0);
    if (why && !strstr(warning, why)) fail_msg("%s: %s", name, warning);
    if (used) {
        struct stat facts;
        assert_int_equal(lstat(out, &facts), 0);
        assert_int_equal(facts.st_mode & 07777, 0700);
        assert_int_equal(facts.st_uid, geteuid());
    }
    meguri_ctx_free(ctx);
}

static void cache_modes(void **state) {
    (void)state;
    cache_is("cache", true, NULL);
    cache_is("cache", true, NULL);
    static const unsigned modes[] = {0777, 01777, 0770, 0702, 0755, 0750, 0500};
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        assert_int_equal(chmod(in("cache/meguri/test"), modes[i]), 0);
        cache_is("cache", false, (modes[i] & 022) && !(modes[i] & 01000) ? "other users can write to" : "has mode");
    }
    assert_int_equal(chmod(in("cache/meguri/test"), 0700), 0);
    static const char *const above[] = {"cache/meguri", "cache"};
    for (size_t i = 0; i < COUNT_OF(above); i++) {
        assert_int_equal(chmod(in(above[i]), 0775), 0);
        cache_is("cache", false, "(mode 0775); set XDG_CACHE_HOME to a folder that only you can write to");
        assert_int_equal(chmod(in(above[i]), 0777), 0);
        cache_is("cache", false, "(mode 0777)");
        assert_int_equal(chmod(in(above[i]), i ? 01777 : 0755), 0);
        cache_is("cache", true, NULL);
    }
    plant("cache", "own", 0);
    cache_is("own", true, NULL);
    put("file", "");
    cache_is("file", false, NULL); /* there can be none: nothing to warn of */
    cache_is("file/x", false, NULL);
}

static void cache_owners(void **state) {
    (void)state;
    need_root();
    cache_is("cache", true, NULL);
    static const char *const folders_there[] = {"cache/meguri/test", "cache/meguri", "cache"};
    for (size_t i = 0; i < COUNT_OF(folders_there); i++) {
        assert_int_equal(chown(in(folders_there[i]), OTHER, OTHER), 0);
        cache_is("cache", false, "belongs to another user (54321)");
        assert_int_equal(chown(in(folders_there[i]), 0, 0), 0);
    }
    make("shared", 01777, 0); /* as /tmp is, where another user was first */
    make("shared/meguri", 0700, OTHER);
    cache_is("shared", false, "shared/meguri belongs to another user (54321)");
    plant("../cache", "shared/link", OTHER);
    cache_is("shared/link", false, "link is a symbolic link of another user (54321)");
    make("theirs", 0755, OTHER);
    plant("../cache", "theirs/link", OTHER); /* a link that is followed elsewhere, but who owns it can change it */
    cache_is("theirs/link", false, "theirs belongs to another user (54321)");
    make("fresh", 01777, 0);
    cache_is("fresh", true, NULL);
}

static void cache_of_nobody(void **state) {
    (void)state;
    char out[MG_PATH], *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
    meguri_ctx *ctx = listening(NULL);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_false(mg_cache_folder(out, ctx, "test", NULL));
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_false(mg_cache_folder(out, ctx, "test", NULL));
    setenv("HOME", folder, 1);
    assert_true(mg_cache_folder(out, ctx, "test", NULL));
    assert_string_equal(out, in(".cache/meguri/test"));
    assert_true(mg_cache_folder(out, ctx, "test", in("given")));
    assert_string_equal(out, in("given"));
    assert_int_equal(warnings, 0);
    if (home) setenv("HOME", home, 1);
    free(home);
    meguri_ctx_free(ctx);
}

static void private_folders(void **state) {
    (void)state;
    char first[MG_PATH], second[MG_PATH];
    struct stat facts;
    make("temporary", 01777, 0);
    meguri_ctx *ctx = listening(in("temporary"));
    assert_int_equal(mg_private_folder(first, ctx), MEGURI_OK);
    assert_int_equal(mg_private_folder(second, ctx), MEGURI_OK);
    assert_string_not_equal(first, second);
    assert_int_equal(lstat(first, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0700);
    assert_int_equal(rmdir(first), 0);
    assert_int_equal(rmdir(second), 0);
    assert_int_equal(chmod(in("temporary"), 0777), 0);
    assert_int_equal(mg_private_folder(first, ctx), MEGURI_NO_DISK);
    assert_non_null(strstr(meguri_ctx_error(ctx), "set TMPDIR to a folder that only you can write to"));
    assert_int_equal(chmod(in("temporary"), 0700), 0);
    meguri_ctx_free(ctx);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_overwritten),
        TEST(only_ones_own_is_opened_again),
        TEST(public_function),
        TEST(links_on_the_way),
        TEST(folders),
        TEST(cache_modes),
        TEST(cache_owners),
        TEST(cache_of_nobody),
        TEST(private_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
