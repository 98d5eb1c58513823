/* Programs out of files: C is compiled by the compiler of the machine, once, and loaded.
 *
 * What was compiled lies in $XDG_CACHE_HOME/meguri/programs, or ~/.cache/meguri/programs, under the hash of all that it
 * depends on: the text after all its includes, the compiler and its version, the flags, the processor. It ends with a
 * hash of itself (which loaders do not look at), so that one that is damaged is found out and made again; and is
 * renamed when it is whole. Processes that want the same at once wait for the first. */
#define _GNU_SOURCE /* dladdr, mkostemps */

#include "pregel/pregel.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#define PATH   4096                /* bytes of a path */
#define TRAIL  0x314752504d47524dU /* "MRGMPRG1": marks the hash at the end of a file */
#define WORDS  64                  /* of a command */
#define SPOKEN 1600                /* bytes of what a compiler says that a sentence has room for */

extern char **environ;

struct meguri_program_file {
    void *handle;
    const meguri_program_list *list;
};

/* ---- small things ----------------------------------------------------------------------------------------------- */

/* The whole of a file, ended by a zero; NULL where it cannot be read. To be freed. */
static char *read_file(const char *path, size_t *bytes) {
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    char *text = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) ? malloc((size_t)about.st_size + 1) : NULL;
    size_t done = 0;
    for (ssize_t got = 1; text && done < (size_t)about.st_size && got > 0; done += got > 0 ? (size_t)got : 0)
        got = read(fd, text + done, (size_t)about.st_size - done);
    close(fd);
    if (text) text[done] = '\0';
    *bytes = text ? done : 0;
    return text;
}

static bool make_folders(char *path) {
    for (char *at = path + 1;; at++) {
        if (*at != '/' && *at) continue;
        char end = *at;
        *at = '\0';
        bool there = mkdir(path, 0700) == 0 || access(path, X_OK) == 0;
        *at = end;
        if (!there || !end) return there;
    }
}

/* A command as a list of words, on its way to posix_spawnp. */
typedef struct command {
    char *words[WORDS + 1];
    int count;
    char *text; /* of the compiler, cut into words */
} command;

static void add(command *c, const char *word) {
    if (c->count < WORDS) c->words[c->count++] = (char *)word;
    c->words[c->count] = NULL;
}

static bool begin_command(command *c, const char *compiler) {
    static const char *const flags[] = {
        "-O3",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        "-ffp-contract=off",
        "-fno-math-errno",
#if defined __x86_64__
        "-march=native",
#endif
    };
    char *rest = NULL;
    *c = (command){.text = strdup(compiler)};
    if (!c->text) return false;
    for (char *word = strtok_r(c->text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) add(c, word);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) add(c, flags[i]);
    return true;
}

/* Runs it with its output and what it says in files; the exit code, or -1 where it could not be started, or 128 and the
 * signal that ended it. */
static int run_command(const command *c, int output, int said) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    int state = 0;
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    int error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, output, 1);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, said, 2);
    if (!error) error = posix_spawnp(&child, c->words[0], &actions, NULL, c->words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) {
        errno = error;
        return -1;
    }
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

/* ---- the compiler ----------------------------------------------------------------------------------------------- */

typedef struct compiling {
    meguri_ctx *ctx;
    const char *path;
    meguri_compile_options options;
    char include[PATH + 2]; /* "-I…" */
    char cache[PATH];       /* the folder; "" : there is none */
    int text, said;         /* unnamed files: the program after its includes; what the compiler says */
    XXH64_hash_t key;
    char object[PATH + 64];
} compiling;

/* The folder of the headers: as it lies beside the installed library, or in the tree that it was built from. */
static bool find_headers(compiling *c) {
    static const char *const places[] = {MEGURI_HEADERS_FROM_LIBRARY, "../../include"};
    Dl_info about;
    char file[2 * PATH], real[PATH];
    if (c->options.include) {
        snprintf(c->include, sizeof c->include, "-I%s", c->options.include);
        return true;
    }
    if (!dladdr((const void *)(uintptr_t)meguri_run, &about) || !about.dli_fname || !realpath(about.dli_fname, real))
        return false;
    char *slash = strrchr(real, '/');
    if (slash) *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(file, sizeof file, "%s/%s/meguri/pregel.h", real, places[i]);
        if (access(file, R_OK) != 0) continue;
        int length = snprintf(c->include, sizeof c->include, "-I%s/%s", real, places[i]);
        return length > 0 && (size_t)length < sizeof c->include;
    }
    return false;
}

static void find_cache(compiling *c) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool own = cache && *cache == '/';
    int length = -1;
    if (c->options.cache) length = snprintf(c->cache, PATH, "%s", c->options.cache);
    else if (own || (home && *home == '/'))
        length = snprintf(c->cache, PATH, "%s%s/meguri/programs", own ? cache : home, own ? "" : "/.cache");
    if (length <= 0 || length >= PATH || !make_folders(c->cache)) c->cache[0] = '\0';
}

/* Whether a compiler that has said this had nothing to write to: it repeats the system's words. One that could not even
 * say anything, where files have a limit, has met that limit. */
static bool has_no_room(const char *said) {
    static const int errors[] = {EFBIG, ENOSPC, EDQUOT};
    struct rlimit limit;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strstr(said, strerror(errors[i]))) return true;
    if (strstr(said, strsignal(SIGXFSZ))) return true;
    return !*said && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/* What the compiler has said, which is the sentence: it names file and line itself. */
static meguri_status fail_with_words(compiling *c) {
    char said[SPOKEN + 1];
    ssize_t got = pread(c->said, said, SPOKEN, 0);
    while (got > 0 && (said[got - 1] == '\n' || ((unsigned char)said[got - 1] & 0xc0) == 0x80)) got--;
    said[got > 0 ? got : 0] = '\0';
    if (has_no_room(said))
        return mg_fail(c->ctx, MEGURI_NO_DISK,
                       "%s: the compiler has no room to write what it makes of it; free some, or raise the limit of "
                       "file sizes (ulimit -f)%s%s",
                       c->path, *said ? ":\n" : ".", said);
    return mg_fail(c->ctx, MEGURI_BAD_INPUT, "%s: it does not compile:\n%s", c->path, said);
}

static meguri_status run_compiler(compiling *c, const char *output) {
    const char *compiler = c->options.compiler ? c->options.compiler : getenv("CC");
    if (!compiler || !compiler[strspn(compiler, " \t")]) compiler = "cc";
    command line;
    if (!begin_command(&line, compiler)) return mg_fail(c->ctx, MEGURI_NO_MEMORY, "there is no memory for a command.");
    add(&line, c->include);
    if (output) {
        add(&line, "-o");
        add(&line, output);
    } else add(&line, "-E");
    add(&line, c->path);
    if (output) add(&line, "-lm");
    if (ftruncate(c->said, 0) != 0) lseek(c->said, 0, SEEK_SET); /* an unnamed file of our own */
    int code = run_command(&line, c->text, c->said);
    meguri_status status = MEGURI_OK;
    if (code < 0)
        status =
            mg_fail(c->ctx, MEGURI_ENGINE_FAILED, "the compiler %s cannot be run: %s; install one, or name one in CC.",
                    line.words[0], strerror(errno));
    else if (code == 127)
        status = mg_fail(c->ctx, MEGURI_ENGINE_FAILED, "there is no compiler %s; install one, or name one in CC.",
                         line.words[0]);
    else if (code > 128 && code != 128 + SIGXFSZ)
        status =
            mg_fail(c->ctx, MEGURI_ENGINE_FAILED, "%s: the compiler %s was ended by signal %d (%s) before it was done.",
                    c->path, line.words[0], code - 128, strsignal(code - 128));
    else if (code != 0) status = fail_with_words(c);
    if (status == MEGURI_OK && !output) { /* the key: text, command, processor */
        XXH64_hash_t key = 0;
        char block[65536];
        for (int i = 0; i < line.count; i++) key = XXH64(line.words[i], strlen(line.words[i]) + 1, key);
        uint64_t at = 0;
        for (ssize_t got; (got = pread(c->text, block, sizeof block, (off_t)at)) > 0; at += (uint64_t)got)
            key = XXH64(block, (size_t)got, key);
        c->key = key;
    }
    free(line.text);
    return status;
}

/* What -march=native stands for, and which compiler it is: the same text is another program elsewhere. */
static void add_machine(compiling *c) {
    size_t bytes;
    char *about = NULL;
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[4096];
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "model name", 10) == 0 || strncmp(line, "flags", 5) == 0)
            c->key = XXH64(line, strlen(line), c->key);
        if (*line == '\n') break; /* the first processor stands for all */
    }
    if (file) fclose(file);
    about = read_file("/etc/os-release", &bytes); /* another system has another compiler of the same name */
    if (about) c->key = XXH64(about, bytes, c->key);
    free(about);
}

/* ---- the cache -------------------------------------------------------------------------------------------------- */

typedef struct trail {
    uint64_t mark, hash;
} trail;

/* Whether a file is there, and whole. */
static bool is_whole(const char *path) {
    size_t bytes;
    trail end = {0};
    char *data = read_file(path, &bytes);
    bool good = data && bytes > sizeof end;
    if (good) memcpy(&end, data + bytes - sizeof end, sizeof end);
    good = good && end.mark == TRAIL && end.hash == XXH64(data, bytes - sizeof end, 0);
    free(data);
    return good;
}

static bool seal(const char *path) {
    size_t bytes;
    char *data = read_file(path, &bytes);
    if (!data) return false;
    const trail end = {TRAIL, XXH64(data, bytes, 0)};
    free(data);
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0) return false;
    bool good = write(fd, &end, sizeof end) == (ssize_t)sizeof end;
    return close(fd) == 0 && good;
}

/* What processes that were killed have left of the same program: with the folder locked nobody else is at it. */
static void remove_leftovers(const compiling *c) {
    const char *object = strrchr(c->object, '/') + 1;
    size_t length = strlen(object);
    DIR *folder = opendir(c->cache);
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        if (strncmp(entry->d_name, object, length) == 0 && entry->d_name[length] == '.')
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) closedir(folder);
}

/* Compiles into c->object, by way of another name. */
static meguri_status compile_to(compiling *c) {
    char temporary[PATH + 128];
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", c->object);
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return mg_fail(c->ctx, MEGURI_NO_DISK, "%s: a compiled program cannot be written there: %s.", c->object,
                       strerror(errno));
    close(fd);
    meguri_status status = run_compiler(c, temporary);
    if (status == MEGURI_OK && (!seal(temporary) || rename(temporary, c->object) != 0))
        status = mg_fail(c->ctx, MEGURI_NO_DISK, "%s: a compiled program cannot be written there: %s.", c->object,
                         strerror(errno));
    if (status != MEGURI_OK) unlink(temporary);
    return status;
}

static meguri_status compile(compiling *c) {
    struct stat about;
    if (stat(c->path, &about) != 0)
        return mg_fail(c->ctx, errno == ENOENT ? MEGURI_NOT_FOUND : MEGURI_BAD_INPUT, "%s: %s.", c->path,
                       strerror(errno));
    if (!S_ISREG(about.st_mode)) return mg_fail(c->ctx, MEGURI_BAD_INPUT, "%s: it is no file.", c->path);
    if (!find_headers(c))
        return mg_fail(c->ctx, MEGURI_ENGINE_FAILED,
                       "meguri/pregel.h was not found beside the library; install the headers, or name their folder in "
                       "`include`.");
    if ((c->text = mg_tempfile(c->ctx)) < 0 || (c->said = mg_tempfile(c->ctx)) < 0) return MEGURI_NO_DISK;
    meguri_status status = run_compiler(c, NULL);
    if (status != MEGURI_OK) return status;
    add_machine(c);
    find_cache(c);
    const char *folder = c->cache[0] ? c->cache : mg_temp_dir(c->ctx);
    snprintf(c->object, sizeof c->object, "%s/%016" PRIx64 "%s.so", folder, (uint64_t)c->key,
             c->cache[0] ? "" : "-once");
    int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool alone = lock >= 0 && flock(lock, LOCK_EX) == 0;
    if (!c->cache[0] || !is_whole(c->object)) {
        if (alone && c->cache[0]) remove_leftovers(c);
        status = compile_to(c);
    }
    if (lock >= 0) close(lock); /* and with it the lock */
    return status;
}

/* ---- loading ---------------------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

static meguri_status load(meguri_program_file *file, meguri_ctx *ctx, const char *object, const char *path) {
    char real[PATH];
    if (!realpath(object, real))
        return mg_fail(ctx, errno == ENOENT ? MEGURI_NOT_FOUND : MEGURI_BAD_INPUT, "%s: %s.", path, strerror(errno));
    file->handle = dlopen(real, RTLD_NOW | RTLD_LOCAL);
    if (!file->handle) return mg_fail(ctx, MEGURI_BAD_INPUT, "%s: it cannot be loaded: %s.", path, dlerror());
    file->list = dlsym(file->handle, "meguri_programs");
    if (!file->list)
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%s: it has no vertex program; end it with MEGURI_RUN(&NAME_program).",
                       path);
    if (file->list->abi != MEGURI_PREGEL_ABI || file->list->size != sizeof *file->list)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%s: it was compiled for version %" PRIu32
                       " of meguri/pregel.h, and this library has version %d; "
                       "compile it again.",
                       path, file->list->abi, MEGURI_PREGEL_ABI);
    return MEGURI_OK;
}

meguri_status meguri_program_open(meguri_program_file **out, meguri_ctx *ctx, const char *path,
                                  const meguri_compile_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx || !path) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    compiling c = {.ctx = ctx, .path = path, .text = -1, .said = -1};
    meguri_status status = mg_options(ctx, &c.options, sizeof c.options, options, "meguri_compile_options");
    meguri_program_file *file = status == MEGURI_OK ? mg_alloc_zero(ctx, sizeof *file, "a program") : NULL;
    if (status == MEGURI_OK && !file) status = MEGURI_NO_MEMORY;
    bool compiled = ends_with(path, ".c");
    if (status == MEGURI_OK && !compiled && !ends_with(path, ".so"))
        status = mg_fail(ctx, MEGURI_BAD_INPUT, "%s: a vertex program is a file in C, .c, or compiled, .so.", path);
    if (status == MEGURI_OK && compiled) status = compile(&c);
    if (status == MEGURI_OK) status = load(file, ctx, compiled ? c.object : path, path);
    if (c.text >= 0) close(c.text);
    if (c.said >= 0) close(c.said);
    if (compiled && !c.cache[0] && c.object[0]) unlink(c.object);
    if (status == MEGURI_OK) *out = file;
    else meguri_program_close(file);
    return status;
}

const meguri_program_list *meguri_program_file_list(const meguri_program_file *file) {
    return file ? file->list : NULL;
}

void meguri_program_close(meguri_program_file *file) {
    if (!file) return;
    if (file->handle) dlclose(file->handle);
    mg_free(file);
}
