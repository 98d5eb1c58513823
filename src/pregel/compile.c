/* Programs out of files: C is compiled by the compiler of the machine, once, and loaded.
 *
 * What was compiled lies in $XDG_CACHE_HOME/meguri/programs, or ~/.cache/meguri/programs, under the hash of all that it
 * depends on: the text after all its includes, the compiler and its version, the flags, the processor. It ends with a
 * hash of itself (which loaders do not look at), so that one that is damaged is found out and made again; and is
 * renamed when it is whole. Processes that want the same at once wait for the first. Where another user could write to
 * that folder (base/cache_folder.c), or there is none, the program is compiled into a folder of this process alone. */
#define _GNU_SOURCE /* dladdr */

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

#define TRAIL  0x314752504d47524dU /* "MRGMPRG1": marks the hash at the end of a file */
#define WORDS  64                  /* of a command */
#define SPOKEN 1600                /* bytes of what a compiler says that a sentence has room for */

extern char **environ;

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
    static const char *const flags[] =
    { "-O3",
      "-fPIC",
      "-shared",
      "-fvisibility=hidden",
      "-ffp-contract=off",
      "-fno-math-errno",
      /* What C no longer has since 1999, and what is never meant: a function without a declaration returns garbage. */
      "-Werror=implicit-function-declaration",
      "-Werror=implicit-int",
      "-Werror=int-conversion",
      "-Werror=return-type",
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
    char include[MG_PATH + 2]; /* "-I…" */
    char folder[MG_PATH];      /* of the object */
    bool kept;                 /* it is the cache; else it goes with the object, once that is loaded */
    int text, said;            /* unnamed files: the program after its includes; what the compiler says */
    XXH64_hash_t key;          /* of the object in the cache */
    uint64_t words;            /* the hash of the compiler's name and options */
    uint64_t bare;             /* the hash of the text, wherever it lies */
    char object[MG_PATH + 64];
} compiling;

/* The folder of the headers: as it lies beside the installed library, or in the tree that it was built from. */
static bool find_headers(compiling *c) {
    static const char *const places[] = {MEGURI_HEADERS_FROM_LIBRARY, "../../include"};
    Dl_info about;
    char file[2 * MG_PATH], real[MG_PATH];
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

static uint64_t hash_words(const command *line) {
    uint64_t hash = 0;
    for (int i = 0; i < line->count; i++) hash = XXH64(line->words[i], strlen(line->words[i]) + 1, hash);
    return hash;
}

/* The text after all includes: it belongs to the key of the cache. Without the lines by which the preprocessor names
 * files (# 1 "file.c"), and without empty ones, it is what the program is, wherever its file lies and whatever its
 * comments say. */
static meguri_status hash_text(compiling *c) {
    int copy = dup(c->text);
    FILE *text = copy >= 0 ? fdopen(copy, "r") : NULL;
    char *line = NULL;
    size_t room = 0;
    if (!text) {
        if (copy >= 0) close(copy);
        return mg_fail(c->ctx, MEGURI_NO_MEMORY, "%s: what the preprocessor makes of it cannot be read: %s.", c->path,
                       strerror(errno));
    }
    rewind(text);
    for (ssize_t length; (length = getline(&line, &room, text)) > 0;) {
        c->key = XXH64(line, (size_t)length, c->key);
        if (*line != '\n' && strncmp(line, "# ", 2) != 0) c->bare = XXH64(line, (size_t)length, c->bare);
    }
    free(line);
    fclose(text);
    return MEGURI_OK;
}

static meguri_status run_compiler(compiling *c, const char *output) {
    const char *compiler = c->options.compiler ? c->options.compiler : getenv("CC");
    if (!compiler || !compiler[strspn(compiler, " \t")]) compiler = "cc";
    command line;
    if (!begin_command(&line, compiler)) return mg_fail(c->ctx, MEGURI_NO_MEMORY, "there is no memory for a command.");
    c->words = hash_words(&line);
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
    if (!output) c->key = hash_words(&line);
    free(line.text);
    if (status == MEGURI_OK && !output) status = hash_text(c);
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
    mg_refusal why;
    char *data = read_file(path, &bytes);
    if (!data) return false;
    const trail end = {TRAIL, XXH64(data, bytes, 0)};
    free(data);
    int fd = mg_open_again(&why, path, true);
    if (fd < 0) return false;
    bool good = pwrite(fd, &end, sizeof end, (off_t)bytes) == (ssize_t)sizeof end;
    return close(fd) == 0 && good;
}

/* What processes that were killed have left of the same program: with the folder locked nobody else is at it. */
static void remove_leftovers(const compiling *c) {
    const char *object = strrchr(c->object, '/') + 1;
    size_t length = strlen(object);
    DIR *folder = opendir(c->folder);
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        if (strncmp(entry->d_name, object, length) == 0 && entry->d_name[length] == '.')
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) closedir(folder);
}

/* Compiles into c->object, by way of another name. */
static meguri_status compile_to(compiling *c) {
    char temporary[MG_PATH + 128];
    mg_refusal why;
    snprintf(temporary, sizeof temporary, "%s.", c->object);
    int fd = mg_create_random(&why, temporary, 0600);
    if (fd < 0)
        return mg_fail(c->ctx, MEGURI_NO_DISK, "%s: a compiled program cannot be written there: %s.", c->object,
                       why.text);
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
    if (stat(c->path, &about) != 0) return mg_fail_open(c->ctx, c->path, errno);
    if (!S_ISREG(about.st_mode)) return mg_fail(c->ctx, MEGURI_BAD_INPUT, "%s: it is no file.", c->path);
    if (!find_headers(c))
        return mg_fail(c->ctx, MEGURI_ENGINE_FAILED,
                       "meguri/pregel.h was not found beside the library; install the headers, or name their folder in "
                       "`include`.");
    if ((c->text = mg_tempfile(c->ctx)) < 0 || (c->said = mg_tempfile(c->ctx)) < 0) return MEGURI_NO_DISK;
    meguri_status status = run_compiler(c, NULL);
    if (status != MEGURI_OK) return status;
    add_machine(c);
    c->kept = mg_cache_folder(c->folder, c->ctx, "programs", c->options.cache);
    if (!c->kept && (status = mg_private_folder(c->folder, c->ctx)) != MEGURI_OK) {
        *c->folder = '\0'; /* there is none to remove */
        return status;
    }
    snprintf(c->object, sizeof c->object, "%s/%016" PRIx64 ".so", c->folder, (uint64_t)c->key);
    int lock = open(c->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool alone = lock >= 0 && flock(lock, LOCK_EX) == 0;
    if (!is_whole(c->object)) {
        if (alone) remove_leftovers(c);
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

/* That all ranks have the same program, before any of it runs: of C the text that was compiled, and the options that
 * the user has given the compiler, else the file. */
static meguri_status agree(compiling *c, meguri_status status, bool compiled) {
    meguri_cluster *cluster = c->options.cluster;
    const char *compiler = c->options.compiler ? c->options.compiler : getenv("CC");
    const char *flags = compiler ? strchr(compiler, ' ') : NULL; /* the compiler may lie elsewhere on each machine */
    mg_seen seen = {0};
    if (!cluster || cluster->size < 2) return status;
    status = mg_agree_call(c->ctx, cluster, status, &(mg_call){.name = "meguri_program_open"});
    if (status != MEGURI_OK) return status;
    status = compiled ? mg_program_text(&seen, c->ctx, c->path, c->text) : mg_see_file(&seen, c->ctx, c->path, true);
    if (compiled && flags) seen.hash = XXH64(flags, strlen(flags), seen.hash);
    return mg_agree_seen(c->ctx, cluster, status, c->path, &seen);
}

static meguri_status load(meguri_program_file *file, meguri_ctx *ctx, const char *object, const char *path) {
    char real[MG_PATH];
    if (!realpath(object, real)) return mg_fail_open(ctx, path, errno);
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
    size_t bytes;
    char *code = read_file(real, &bytes);
    if (code) file->text = XXH64(code, bytes, 0);
    free(code);
    return MEGURI_OK;
}

meguri_status meguri_program_open(meguri_program_file **out, meguri_ctx *ctx, const char *path,
                                  const meguri_compile_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx || !path) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    compiling c = {.ctx = ctx, .path = path, .text = -1, .said = -1};
    meguri_status status = MG_OPTIONS(ctx, &c.options, options, meguri_compile_options);
    meguri_program_file *file = status == MEGURI_OK ? mg_alloc_zero(ctx, sizeof *file, "a program") : NULL;
    if (status == MEGURI_OK && !file) status = MEGURI_NO_MEMORY;
    bool compiled = ends_with(path, ".c");
    if (status == MEGURI_OK && !compiled && !ends_with(path, ".so"))
        status = mg_fail(ctx, MEGURI_BAD_INPUT, "%s: a vertex program is a file in C, .c, or compiled, .so.", path);
    if (status == MEGURI_OK && compiled) status = compile(&c);
    status = agree(&c, status, compiled);
    if (status == MEGURI_OK) status = load(file, ctx, compiled ? c.object : path, path);
    if (status == MEGURI_OK && compiled) { /* rather than of the object */
        file->text = c.bare;
        file->compiler = c.words;
    }
    if (c.options.cluster) status = mg_agree(ctx, c.options.cluster, status);
    if (c.text >= 0) close(c.text);
    if (c.said >= 0) close(c.said);
    if (!c.kept && *c.folder) {
        unlink(c.object);
        rmdir(c.folder);
    }
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
