/* Files written whole or not at all: names, rights, links, devices, full disks, and a process killed while it writes.
 *
 * With the argument "named" the same tests run in a process to which the system denies unnamed files (a filter on the
 * system call), as file systems do that have none. Other arguments make the program a child of its own tests: it is
 * started anew, because a forked child must not use the threads of its parent. */
#define _GNU_SOURCE
#include "io/io.h"
#include "meg/graphs.h"
#include "support/sinks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static bool named; /* unnamed files are denied */
static char folder[FOLDER_NAME];

static int set_up(void **state) {
    (void)state;
    make_folder_on_disk(folder);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    remove_folder(folder);
    return 0;
}

static const char *in_folder(const char *name) {
    static char paths[4][FOLDER_NAME + 300];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int files_in_folder(void) {
    int count = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) count += e->d_name[0] != '.' || strlen(e->d_name) > 2;
    closedir(d);
    return count;
}

static meguri_status write_text(meguri_ctx *ctx, const char *path, const char *text) {
    mg_outfile file;
    mg_begin(ctx);
    meguri_status status = mg_outfile_open(&file, ctx, path);
    if (status == MEGURI_OK) status = mg_outfile_write(ctx, &file, text, strlen(text));
    if (status == MEGURI_OK) status = mg_outfile_commit(ctx, &file);
    mg_outfile_abandon(&file);
    return status;
}

static void written(meguri_ctx *ctx, const char *path, const char *text) {
    if (write_text(ctx, path, text) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
}

static void holds(const char *path, const char *text) {
    size_t count;
    unsigned char *bytes = file_bytes(path, &count);
    bytes[count] = '\0';
    assert_string_equal((char *)bytes, text);
    free(bytes);
}

static void refused(meguri_ctx *ctx, const char *path, meguri_status expected, const char *piece) {
    assert_int_equal(write_text(ctx, path, "x"), expected);
    const char *text = meguri_ctx_error(ctx);
    if (!strstr(text, piece) || text[strlen(text) - 1] != '.') fail_msg("%s", text);
}

static void new_and_replaced(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(1);
    struct stat st;
    mode_t old = umask(027);
    written(ctx, in_folder("a"), "one");
    holds(in_folder("a"), "one");
    assert_int_equal(stat(in_folder("a"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640); /* the umask is honoured */
    assert_int_equal(chmod(in_folder("a"), 0604), 0);
    written(ctx, in_folder("a"), "two");
    holds(in_folder("a"), "two");
    assert_int_equal(stat(in_folder("a"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0604); /* the mode stays */
    umask(old);
    assert_int_equal(files_in_folder(), 1);
    /* A name in the present folder, and one as long as names may be. */
    char name[256], before[512];
    assert_non_null(getcwd(before, sizeof before));
    memset(name, 'n', 255);
    name[255] = '\0';
    assert_int_equal(chdir(folder), 0);
    written(ctx, "b", "three");
    written(ctx, name, "four");
    written(ctx, name, "five");
    assert_int_equal(chdir(before), 0);
    holds(in_folder("b"), "three");
    holds(in_folder(name), "five");
    assert_int_equal(files_in_folder(), 3);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    meguri_ctx_free(ctx);
}

static void abandoned(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(1);
    mg_outfile file;
    written(ctx, in_folder("a"), "old");
    assert_int_equal(mg_outfile_open(&file, ctx, in_folder("a")), MEGURI_OK);
    assert_int_equal(mg_outfile_write(ctx, &file, "new", 3), MEGURI_OK);
    assert_int_equal(files_in_folder(), named ? 2 : 1);
    mg_outfile_abandon(&file);
    mg_outfile_abandon(&file);
    holds(in_folder("a"), "old");
    assert_int_equal(files_in_folder(), 1);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    meguri_ctx_free(ctx);
}

/* meguri_file: the same from outside. */
static void of_the_caller(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(1);
    meguri_file *file = NULL;
    written(ctx, in_folder("a"), "old");
    for (int finished = 0; finished < 2; finished++) {
        assert_int_equal(meguri_file_open(&file, ctx, in_folder("a")), MEGURI_OK);
        assert_int_equal(meguri_file_write(ctx, file, "one", 3), MEGURI_OK);
        assert_int_equal(meguri_file_write(ctx, file, NULL, 0), MEGURI_OK);
        assert_int_equal(meguri_file_write(ctx, file, "two", 3), MEGURI_OK);
        holds(in_folder("a"), "old");
        if (finished) {
            assert_int_equal(meguri_file_finish(ctx, file), MEGURI_OK);
            assert_int_equal(meguri_file_write(ctx, file, "x", 1), MEGURI_BAD_ARGUMENT);
            assert_int_equal(meguri_file_finish(ctx, file), MEGURI_BAD_ARGUMENT);
        }
        meguri_file_free(file);
        holds(in_folder("a"), finished ? "onetwo" : "old");
        assert_int_equal(files_in_folder(), 1);
    }
    assert_int_equal(meguri_file_open(&file, ctx, "/dev/full"), MEGURI_OK);
    assert_int_equal(meguri_file_write(ctx, file, "x", 1), MEGURI_NO_DISK);
    assert_non_null(strstr(meguri_ctx_error(ctx), "no room to write /dev/full (No space left on device):"));
    assert_int_equal(meguri_file_finish(ctx, file), MEGURI_BAD_ARGUMENT);
    meguri_file_free(file);
    assert_int_equal(meguri_file_open(&file, ctx, in_folder("none/a")), MEGURI_BAD_ARGUMENT);
    assert_null(file);
    assert_int_equal(meguri_file_open(&file, ctx, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_file_open(&file, NULL, in_folder("a")), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_file_open(NULL, ctx, in_folder("a")), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_file_write(ctx, NULL, "x", 1), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_file_write(NULL, NULL, "x", 1), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_file_finish(ctx, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_file_finish(NULL, NULL), MEGURI_BAD_ARGUMENT);
    meguri_file_free(NULL);
    for (uint64_t k = 1; k == 1 || !file; k++) {
        mg_memory_fail_at(ctx, k);
        meguri_status status = meguri_file_open(&file, ctx, in_folder("b"));
        mg_memory_fail_at(ctx, 0);
        assert_int_equal(status, file ? MEGURI_OK : MEGURI_NO_MEMORY);
        assert_true(k > 1 || !file);
    }
    meguri_file_free(file);
    assert_int_equal(files_in_folder(), 1);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    meguri_ctx_free(ctx);
}

static void links(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(1);
    struct stat st;
    assert_int_equal(mkdir(in_folder("sub"), 0755), 0);
    assert_int_equal(symlink("sub/target", in_folder("link")), 0);
    assert_int_equal(symlink("link", in_folder("link2")), 0);
    written(ctx, in_folder("link2"), "first"); /* through two links to a file that is not there yet */
    holds(in_folder("sub/target"), "first");
    written(ctx, in_folder("link2"), "second");
    holds(in_folder("sub/target"), "second");
    assert_int_equal(lstat(in_folder("link"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(symlink(in_folder("sub/target"), in_folder("absolute")), 0);
    written(ctx, in_folder("absolute"), "third");
    holds(in_folder("sub/target"), "third");
    assert_int_equal(symlink("round", in_folder("round")), 0);
    refused(ctx, in_folder("round"), MEGURI_NO_DISK, "symbolic links");
    assert_int_equal(symlink("sub", in_folder("folder")), 0);
    refused(ctx, in_folder("folder"), MEGURI_BAD_ARGUMENT, "is a folder");
    meguri_ctx_free(ctx);
}

static void places_that_do_not_work(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(1);
    refused(ctx, "", MEGURI_BAD_ARGUMENT, "empty");
    refused(ctx, folder, MEGURI_BAD_ARGUMENT, "is a folder");
    refused(ctx, in_folder("none/a"), MEGURI_BAD_ARGUMENT, "does not exist");
    refused(ctx, in_folder("new/"), MEGURI_BAD_ARGUMENT, "names a folder");
    written(ctx, in_folder("a"), "text");
    refused(ctx, in_folder("a/b"), MEGURI_BAD_ARGUMENT, "not a folder");
    refused(ctx, in_folder("."), MEGURI_BAD_ARGUMENT, "is a folder");
    refused(ctx, "/proc/nothing-can-be-made-here", MEGURI_NO_DISK, "no files can be made in /proc");
    refused(ctx, "/dev/full", MEGURI_NO_DISK, "no room");
    if (geteuid() != 0) { /* root may write anywhere */
        assert_int_equal(chmod(in_folder("a"), 0444), 0);
        refused(ctx, in_folder("a"), MEGURI_NO_DISK, "Permission");
        assert_int_equal(chmod(folder, 0555), 0);
        refused(ctx, in_folder("c"), MEGURI_NO_DISK, "no files can be made");
        assert_int_equal(chmod(folder, 0755), 0);
    }
    written(ctx, "/dev/null", "nothing");
    assert_int_equal(files_in_folder(), 1);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    meguri_ctx_free(ctx);
}

/* A pipe by its name in a folder, and a descriptor of a file that others write to as well. */
static void direct_outputs(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(1);
    char buffer[16] = {0}, name[32];
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    int reader = open(in_folder("pipe"), O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    written(ctx, in_folder("pipe"), "flow");
    assert_int_equal(read(reader, buffer, sizeof buffer), 4);
    assert_string_equal(buffer, "flow");
    close(reader);
    int fd = open(in_folder("log"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    assert_int_equal(write(fd, "before ", 7), 7);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    written(ctx, name, "between");
    assert_int_equal(write(fd, " behind", 7), 7);
    close(fd);
    holds(in_folder("log"), "before between behind");
    refused(ctx, "/dev/fd/987", MEGURI_NO_DISK, "cannot write");
    assert_int_equal(files_in_folder(), 2);
    meguri_ctx_free(ctx);
}

/* ---- children --------------------------------------------------------------------------------------------------- */

static void deny_unnamed_files(void) {
    const unsigned unnamed = 020000000; /* the bit that makes O_TMPFILE of O_DIRECTORY */
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, unnamed, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("seccomp");
        exit(1);
    }
}

static meguri_graph *small(meguri_ctx *ctx) { return make_large_graph(ctx, 2000, 3); }
static meguri_graph *larger(meguri_ctx *ctx) { return make_large_graph(ctx, 100000, 4); } /* 4.4 MB */

/* Saves the one and the other over each other until it is killed. */
static int save_for_ever(const char *path) {
    meguri_ctx *ctx = new_context(2);
    meguri_graph *graphs[2] = {small(ctx), larger(ctx)};
    for (unsigned i = 0;; i++) {
        if (meguri_save(ctx, graphs[i % 2], to_file(path), NULL) != MEGURI_OK) return 1;
        if (i == 0 && write(STDOUT_FILENO, "+", 1) != 1) return 1;
    }
}

enum { NO_RIGHTS = 40, WRONG = 41 };
#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: %s is not so; %s\n", __LINE__, #condition, meguri_ctx_error(ctx));               \
            return WRONG;                                                                                              \
        }                                                                                                              \
    } while (0)

/* Where nothing more fits than the small graph: the large one is refused and the small one stays whole. */
static int fill_up(const char *where) {
    char path[FOLDER_NAME + 64], text[FOLDER_NAME + 64];
    meguri_ctx *ctx = new_context(2);
    meguri_graph *little = small(ctx), *big = larger(ctx), *back;
    snprintf(path, sizeof path, "%s/g.meg", where);
    snprintf(text, sizeof text, "%s/g.wel", where);
    EXPECT(meguri_save(ctx, little, to_file(path), NULL) == MEGURI_OK);
    EXPECT(meguri_write(ctx, little, to_file(text), NULL) == MEGURI_OK);
    EXPECT(meguri_save(ctx, big, to_file(path), NULL) == MEGURI_NO_DISK);
    EXPECT(strstr(meguri_ctx_error(ctx), "no room") && strstr(meguri_ctx_error(ctx), path));
    EXPECT(meguri_write(ctx, big, to_file(text), NULL) == MEGURI_NO_DISK);
    EXPECT(strstr(meguri_ctx_error(ctx), "no room") && strstr(meguri_ctx_error(ctx), text));
    EXPECT(meguri_open(&back, ctx, path, NULL) == MEGURI_OK);
    EXPECT(graphs_differ(ctx, little, back) == NULL);
    size_t count;
    unsigned char *bytes = file_bytes(text, &count);
    EXPECT(count > 6000 * 10 && bytes[count - 1] == '\n');
    free(bytes);
    strcpy(folder, where);
    EXPECT(files_in_folder() == 2);
    meguri_graph_free(back);
    meguri_graph_free(big);
    meguri_graph_free(little);
    meguri_ctx_free(ctx);
    return 0;
}

static int fill_small_disk(const char *where) {
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return NO_RIGHTS;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return NO_RIGHTS;
    if (mount("tmpfs", where, "tmpfs", 0, "size=1m") != 0) return NO_RIGHTS;
    if (named) deny_unnamed_files(); /* only now: afterwards no rights can be gained */
    return fill_up(where);
}

static int fill_limited_size(const char *where) {
    struct rlimit limit = {1 << 20, 1 << 20};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return NO_RIGHTS;
    return fill_up(where);
}

/* Starts this program anew with a job; its standard output goes to `out` if that is not -1. */
static pid_t start(const char *job, const char *argument, int out) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (out >= 0) dup2(out, STDOUT_FILENO);
        execl("/proc/self/exe", "outfile", named ? "named" : "plain", job, argument, (char *)NULL);
        _exit(127);
    }
    return child;
}

static int result_of(pid_t child) {
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void killed_while_writing(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(1);
    meguri_graph *graphs[2] = {small(ctx), larger(ctx)};
    size_t sizes[2], count;
    unsigned char *bytes[2] = {saved_bytes(ctx, graphs[0], &sizes[0]), saved_bytes(ctx, graphs[1], &sizes[1])};
    const char *path = in_folder("g.meg");
    int seen[2] = {0, 0};
    uint64_t random = 11;
    for (int round = 0; round < 40; round++) {
        int ends[2];
        char ready;
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        pid_t child = start("save-for-ever", path, ends[1]);
        close(ends[1]);
        assert_int_equal(read(ends[0], &ready, 1), 1); /* it has saved once */
        random = random * 6364136223846793005u + 1442695040888963407u;
        usleep((useconds_t)(random >> 33) % 20000);
        kill(child, SIGKILL);
        assert_int_equal(result_of(child), 128 + SIGKILL);
        close(ends[0]);
        unsigned char *now = file_bytes(path, &count);
        int which = count == sizes[1];
        assert_int_equal(count, sizes[which]);
        assert_memory_equal(now, bytes[which], count);
        free(now);
        seen[which]++;
    }
    /* An unnamed file vanishes with the process, but for the moment between getting a name and taking the old one's
     * place, which a busy disk may draw out; a named one stays, and then most rounds leave one. */
    if (!named) assert_true(files_in_folder() <= 10);
    assert_true(seen[0] + seen[1] == 40);
    for (int i = 0; i < 2; i++) {
        free(bytes[i]);
        meguri_graph_free(graphs[i]);
    }
    meguri_ctx_free(ctx);
}

static void no_room_left(const char *job) {
    int result = result_of(start(job, folder, -1));
    if (result == NO_RIGHTS && getenv("MEGURI_REQUIRE_ALL")) fail_msg("%s: the system does not let us", job);
    if (result == NO_RIGHTS) skip();
    assert_int_equal(result, 0);
}

static void disk_full(void **state) {
    (void)state;
    no_room_left("small-disk");
}

static void size_limit(void **state) {
    (void)state;
    no_room_left("limited-size");
}

int main(int argc, char **argv) {
    named = argc > 1 && strcmp(argv[1], "named") == 0;
    if (argc > 3 && strcmp(argv[2], "small-disk") == 0) return fill_small_disk(argv[3]);
    if (named) deny_unnamed_files();
    if (argc > 3 && strcmp(argv[2], "save-for-ever") == 0) return save_for_ever(argv[3]);
    if (argc > 3 && strcmp(argv[2], "limited-size") == 0) return fill_limited_size(argv[3]);
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(new_and_replaced),
        T(abandoned),
        T(of_the_caller),
        T(links),
        T(places_that_do_not_work),
        T(direct_outputs),
        T(killed_while_writing),
        T(disk_full),
        T(size_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
