/* base: status, context, allocation and memory budget, log, clock, progress, trace.
 *
 * Everything above stands on this room; it includes nothing but the public headers. Names that cross files inside
 * the library start with mg_, public ones with meguri_. */
#ifndef MG_BASE_H
#define MG_BASE_H

#include <meguri/context.h>
#include <meguri/extra/escape.h>
#include <meguri/extra/words.h>
#include <meguri/result.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#define MG_MIN(a, b) ((a) < (b) ? (a) : (b))
#define MG_MAX(a, b) ((a) > (b) ? (a) : (b))
/* No context has more threads than this: per-thread tables may have a fixed size. */
#define MG_MAX_THREADS         1024
#define MG_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* ---- failures (context.c) --------------------------------------------------------------------------------------- */

/* Notes the sentence of a failure and returns `status`, so that callers can write `return mg_fail(…)`.
 * May be called from parallel regions: the first failure since mg_begin() wins. */
meguri_status mg_fail(meguri_ctx *ctx, meguri_status status, const char *format, ...) MG_PRINTF(3, 4);
/* The same for a sentence that another context, or process, has noted: if it has several lines, it keeps them. */
meguri_status mg_fail_again(meguri_ctx *ctx, meguri_status status, const char *format, ...) MG_PRINTF(3, 4);

/* BAD_ARGUMENT, with a sentence if there is a context: something that the public function `function` cannot do without
 * is NULL. */
meguri_status mg_missing(meguri_ctx *ctx, const char *function);

/* Every public function that can fail calls this first: forgets the last failure of this thread with this context, and
 * the last cancel of its callback for progress. Any number of threads may call with one context: what a call notes (its
 * failure, its progress, what it warns of) is its thread's, found through the context (caller.c). */
void mg_begin(meguri_ctx *ctx);

/* Threads that work for one that called: what they note is noted for that one. _caller names the calling thread, for
 * _act_for on the other one, which goes back to being itself with 0. */
uintptr_t mg_calling_thread(void);
void mg_act_for(uintptr_t thread);
bool mg_is_worker(void); /* it acts for another */
/* After their work: what they had for the log, or for the listener of the trace, is told. */
void mg_hear_workers(const meguri_ctx *ctx);

/* Around every call of a function that the library was given. What that calls in turn, with the same context, leaves
 * what is noted here alone; and where it ends by an exception of C++ (or the thread is cancelled), the call that it
 * leaves is marked, and the next one fails instead of going on with what was left half done. Callbacks come on the
 * calling thread alone.
 *
 *     MG_OUTSIDE(outside, ctx);
 *     status = take(user, …);
 *     mg_inside(&outside, status); // what it failed with: its sentence, if it left one, is that of the call
 */
typedef struct mg_drain mg_drain;
typedef struct mg_outside {
    struct mg_caller *caller;
    char *error; /* the sentence of a failure that has been noted already */
    int failed, cancelled;
    double last_progress;
    mg_drain *drain;
    bool inside; /* it has returned */
} mg_outside;
mg_outside mg_go_outside(meguri_ctx *ctx);
void mg_inside(mg_outside *outside, meguri_status status);
void mg_outside_left(mg_outside *outside);
#define MG_OUTSIDE(name, ctx) mg_outside name __attribute__((cleanup(mg_outside_left))) = mg_go_outside(ctx)

/* What workers hand over to the thread that called while that works, too: `now` is looked at wherever it may report
 * progress, and where it is set, drain is called. Returns the one before, to be set again. */
struct mg_drain {
    _Atomic int now;
    void (*drain)(mg_drain *drain);
};
mg_drain *mg_set_drain(meguri_ctx *ctx, mg_drain *drain);

/* Objects that serve one call at a time: claimed by a call for as long as it works with them. MEGURI_BUSY where another
 * one does; `what` names it in the sentence. */
typedef _Atomic int mg_claim;
meguri_status mg_claim_for(meguri_ctx *ctx, mg_claim *claim, const char *what);
static inline void mg_claim_end(mg_claim *claim) { atomic_store_explicit(claim, 0, memory_order_release); }

/* What one thread makes at its first use, or works with, while others wait (gate.c); all zero: open. */
typedef struct mg_gate {
    _Atomic uintptr_t holder; /* a thread; 0: none */
} mg_gate;
/* Waits until no other thread is in, with looks for a cancel. MEGURI_BUSY, and a sentence with `what`, where this
 * thread itself is in: it was called from a callback of what it does there. *entered is the gate, or NULL. */
meguri_status mg_gate_enter(mg_gate **entered, meguri_ctx *ctx, mg_gate *gate, const char *what);
/* NULL: it did not enter. */
void mg_gate_leave(mg_gate **entered);
bool mg_gate_is_held(const mg_gate *gate); /* by this thread */
/* What is passed to mg_gate_enter: left at the end of the block at the latest, also by an exception. */
#define MG_ENTERED(name) mg_gate *name __attribute__((cleanup(mg_gate_leave))) = NULL

/* The threads of a context and its children (par/team.h), which end with it; NULL before there are any. */
typedef struct mg_team mg_team;
mg_team *mg_ctx_team(const meguri_ctx *ctx);
/* False: another thread was first. */
bool mg_ctx_keep_team(meguri_ctx *ctx, mg_team *team, void (*end)(mg_team *team));
/* The context that a child of children belongs to, whose are team, devices and folders. */
meguri_ctx *mg_ctx_root(const meguri_ctx *ctx);

/* The devices of a context (device/device.h), which end with it, too; NULL before anybody asked for them. */
typedef struct mg_devices mg_devices;
mg_devices *mg_ctx_devices(const meguri_ctx *ctx);
bool mg_ctx_keep_devices(meguri_ctx *ctx, mg_devices *devices, void (*end)(mg_devices *devices));
mg_gate *mg_ctx_device_gate(meguri_ctx *ctx);
/* For a child whose warnings are of no interest. */
void mg_ctx_silence(meguri_ctx *ctx);
/* As the options have them. */
const char *mg_ctx_device_wanted(const meguri_ctx *ctx);
uint64_t mg_ctx_device_memory(const meguri_ctx *ctx);

/* ---- memory (memory.c) ------------------------------------------------------------------------------------------ */

/* All memory of the library comes from here: 64-byte aligned, counted against the budget of the context (and
 * still counted if the object outlives it), in huge pages where large. `what` names it in the failure text.
 * On failure the context holds MEGURI_NO_MEMORY's sentence (what was asked, what there is) and NULL is returned.
 * Thread-safe. Zero bytes give a valid pointer. */
void *mg_alloc(meguri_ctx *ctx, size_t bytes, const char *what);
void *mg_alloc_zero(meguri_ctx *ctx, size_t bytes, const char *what);
/* count * size with overflow caught. */
void *mg_alloc_array(meguri_ctx *ctx, uint64_t count, size_t size, const char *what);
void *mg_alloc_array_zero(meguri_ctx *ctx, uint64_t count, size_t size, const char *what);
/* Zeroed, and counted, but no budget refuses it: only where the system has no memory is there none. For what is small
 * and without which ranks could not tell each other that a budget is too small for their work. */
void *mg_alloc_essential(meguri_ctx *ctx, uint64_t count, size_t size, const char *what);
/* As realloc: the old block stays valid (and owned by the caller) on failure. NULL grows from nothing. */
void *mg_resize(meguri_ctx *ctx, void *block, size_t bytes, const char *what);
/* Gives the end of a block back; never fails, the block does not move. */
void mg_trim(void *block, size_t bytes);
/* Gives the pages inside [from, from+bytes) of a large block back while the block stays allocated (its content
 * there is lost and must not be written again): an input can be consumed while the output grows. Counted. */
void mg_release_pages(void *block, size_t from, size_t bytes);
void mg_free(void *block);
/* What a block takes of its budget; 0 of NULL. */
uint64_t mg_block_bytes(const void *block);
char *mg_strdup(meguri_ctx *ctx, const char *text, const char *what);

/* Between the two, the pages of large blocks that are freed become those of new ones (recycle.c). They may be nested.
 */
void mg_recycle_begin(meguri_ctx *ctx);
void mg_recycle_end(meguri_ctx *ctx);

/* Bytes that can still be allocated within the budget. */
uint64_t mg_memory_left(const meguri_ctx *ctx);

/* For tests: the k-th allocation from now (1 = the next) fails, once; 0 turns it off. Also counts allocations. */
void mg_memory_fail_at(meguri_ctx *ctx, uint64_t k);
/* … unless it is one that a budget cannot refuse. */
void mg_memory_refuse_at(meguri_ctx *ctx, uint64_t k);
uint64_t mg_memory_allocations(const meguri_ctx *ctx);

/* "1.5 GB" and so on, into a buffer of the caller. */
#define MG_SIZE_TEXT 32
const char *mg_size_text(char buffer[MG_SIZE_TEXT], uint64_t bytes);

/* ---- progress, cancel, log (context.c) -------------------------------------------------------------------------- */

/* Reports progress if the calling thread is the one that entered the library and enough time has passed since the
 * last report, and takes what workers have to hand over; returns true if the work has been cancelled (now or before),
 * or its time is over. Cheap enough for every block of some 10 µs of work, from any thread. */
bool mg_progress(meguri_ctx *ctx, const char *phase, uint64_t done, uint64_t total);
bool mg_cancelled(const meguri_ctx *ctx);
/* Reports the same as the last time, within work that takes long. */
bool mg_progress_again(meguri_ctx *ctx);
/* The status to return after a cancel, or when time is over. */
meguri_status mg_fail_cancelled(meguri_ctx *ctx);

/* Notes that of `wanted` threads only `made` could be had, and why (errno): the context has no more from now on. Warns
 * once. */
void mg_fewer_threads(meguri_ctx *ctx, uint32_t made, uint32_t wanted, int error);

void mg_log(meguri_ctx *ctx, meguri_log_level level, const char *format, ...) MG_PRINTF(3, 4);
/* A warning of how an input was understood. Between mg_hold_warnings and mg_end_warnings it waits (as long as there is
 * room for more) for the end, and is told only if that is good: a guess about what could not be read is of no use, and
 * whoever reads one failure should not have to find it among warnings. */
void mg_warn(meguri_ctx *ctx, const char *format, ...) MG_PRINTF(2, 3);
void mg_hold_warnings(meguri_ctx *ctx);
void mg_end_warnings(meguri_ctx *ctx, bool good);

/* ---- characters (escape.c) -------------------------------------------------------------------------------------- */

/* Bytes of the UTF-8 character at the start of a text; 0 if it is not one, or not all of it is there. */
size_t mg_utf8_length(const char *text, size_t left);
/* The code point of a character of so many bytes, if it is one that meguri/extra/escape.h escapes. */
#define MG_NO_CONTROL UINT32_MAX
uint32_t mg_control(const char *text, size_t length);
#define MG_ESCAPED 16 /* bytes of an escaped character, at most */
/* The first character of a text, escaped where it must be, without a zero behind it; *bytes of the text are used up. */
size_t mg_escape_character(char out[MG_ESCAPED], size_t *bytes, const char *text, size_t left);
/* As meguri_escape; `lines`: tabs and line ends stay. */
const char *mg_escape(char *out, size_t room, const char *text, size_t length, bool lines);
/* What stands for the first character of a text within a string of JSON, where that is not itself; *bytes of the text
 * are used up. Bytes that are not UTF-8 become U+FFFD. */
const char *mg_json_escape(char room[MG_ESCAPED], size_t *bytes, const char *text, size_t left);
/* ---- sentences for people (similar.c, missing.c; <meguri/extra/words.h>)
 * -------------------------------------------------
 */

/* Looking for names that are like one that does not exist. */
enum { MG_SIMILAR = 4, MG_SIMILAR_LETTERS = 96, MG_SIMILAR_SHOWN = 120, MG_SIMILAR_TEXT = 640 };
typedef struct mg_letters {
    uint32_t at[MG_SIMILAR_LETTERS];
    uint32_t count;
} mg_letters;
typedef struct mg_similar {
    mg_letters wanted;
    uint32_t telling; /* letters of it by which changes are measured: of a file those before its suffix */
    bool of_few;      /* only names that are as like as the best one are meant */
    struct {
        char name[256]; /* its beginning, if it is longer */
        uint32_t far;
    } best[MG_SIMILAR];
    uint32_t count;
} mg_similar;
void mg_similar_start(mg_similar *s, const char *typed, bool of_few);
void mg_similar_see(mg_similar *s, const char *name, size_t length);
/* As meguri_did_you_mean. */
size_t mg_similar_text(char *out, size_t room, const mg_similar *s, const char *dashes);

/* Fails because a file could not be opened, after errno `error`. */
meguri_status mg_fail_open(meguri_ctx *ctx, const char *path, int error);

/* ---- clock and trace (trace.c) ---------------------------------------------------------------------------------- */

/* Seconds from an arbitrary point; monotonic. */
double mg_now(void);

/* What went over the network of a cluster in a step. */
typedef struct mg_step_kind {
    const char *name;                  /* of a kind of message */
    int64_t messages, bytes;           /* sent by all processes */
    int64_t most_messages, most_bytes; /* by the process that sent most bytes */
} mg_step_kind;
typedef struct mg_step_traffic {
    const char *grid; /* "2x3", "pairs" */
    int64_t block;    /* places of a block: bits of the bitmap of a process's vertices */
    bool packed;
    int64_t most_process; /* that sent most */
    int kinds;
    mg_step_kind kind[4];
    double waited;            /* seconds, by the process that waited longest, for any message */
    double under_way, hidden; /* mean of all processes: messages of these kinds under way; … while it worked */
} mg_step_traffic;

/* Numbers that belong together, under names of their own: an object of the line. */
#define MG_STEP_MEMBERS 6
typedef struct mg_step_group {
    const char *name;
    int count;
    struct {
        const char *name;
        int64_t number;
    } member[MG_STEP_MEMBERS];
} mg_step_group;

/* What the first step of a search tells about all of it, where it could have gone about it in several ways. */
typedef struct mg_step_search {
    const char *strategy;
    int64_t vertices; /* of the graph */
    int64_t source;   /* position; of several side by side the first one's */
    int64_t searches; /* side by side, sharing their steps */
    bool thresholds;  /* it goes by these, in seconds; infinite: never */
    bool measured;    /* they were found by trials */
    double above, below;
} mg_step_search;

/* One line of the trace. Names are short constants; a NULL name or a negative number is left out. */
typedef struct mg_step {
    const char *run;    /* what is running: "read", "build", "bfs" … */
    int64_t step;       /* number of the step within the run */
    const char *phase;  /* for runs whose steps differ in kind: "parse", "sort" … */
    int64_t frontier;   /* vertices the step starts from */
    int64_t edges;      /* edges looked at */
    const char *way;    /* the way the policy chose: "push", "pull", "list", "bitmap" … */
    const char *engine; /* "host", "device", "cluster" */
    int64_t threads;
    double seconds;
    int64_t bytes;    /* bytes moved; on a cluster, sent by all processes */
    int64_t messages; /* sent by all processes */
    const mg_step_traffic *traffic;
    int64_t lane; /* steps of one lane follow each other, those of several overlap: 0, or the thread that works alone */
    int64_t active; /* vertices that are active after it */
    const mg_step_group *groups;
    int group_count;
    const mg_step_search *search;
} mg_step;
#define MG_STEP_NONE                                                                                                   \
    { NULL, -1, NULL, -1, -1, NULL, NULL, -1, -1.0, -1, -1, NULL, 0, -1, NULL, 0, NULL }

bool mg_trace_on(const meguri_ctx *ctx);
void mg_trace(meguri_ctx *ctx, const mg_step *step);
/* The common case: a phase of a run on the host, started at `since` (of mg_now). */
void mg_trace_phase(meguri_ctx *ctx, const char *run, const char *phase, int64_t edges, int64_t bytes, double since);

/* ---- types (types.c) -------------------------------------------------------------------------------------------- */

/* The number that files have for a type, which is not that of the interface: of what is stored since the first version
 * 0 none, 1 u8, 2 u16, 3 u32, 4 f32, 5 f64, 6 u64. A code that is unknown becomes what is no type. */
uint8_t mg_type_code(meguri_type type);
meguri_type mg_code_type(uint8_t code);
/* A type for the numbers of both; NONE does not count. */
meguri_type mg_type_join(meguri_type a, meguri_type b);
static inline bool mg_type_is_real(meguri_type type) { return type == MEGURI_TYPE_F32 || type == MEGURI_TYPE_F64; }
static inline bool mg_type_is_signed(meguri_type type) { return type >= MEGURI_TYPE_I8 && type <= MEGURI_TYPE_I64; }
static inline bool mg_type_is_unsigned(meguri_type type) { return type >= MEGURI_TYPE_U8 && type <= MEGURI_TYPE_U64; }
static inline bool mg_type_is_number(meguri_type type) { return type >= MEGURI_TYPE_I8 && type <= MEGURI_TYPE_F64; }
/* Those that values of edges are stored as, and weights. */
static inline bool mg_type_is_value(meguri_type type) { return type >= MEGURI_TYPE_U8 && type <= MEGURI_TYPE_F64; }
/* Columns of edges and vertices. */
static inline bool mg_type_is_column(meguri_type type) { return type >= MEGURI_TYPE_I8 && type <= MEGURI_TYPE_VERTEX; }
static inline bool mg_type_is_weight(meguri_type type) { return mg_type_is_value(type) && type != MEGURI_TYPE_U64; }

/* ---- results (result.c) ----------------------------------------------------------------------------------------- */

/* Bytes of an item in columns of results whose vertices are uint32_t: all but those of graphs in parts with more than
 * 2^32 - 2 vertices. */
size_t mg_column_size(meguri_type type);
/* The types that columns of results have. */
static inline bool mg_type_is_result(meguri_type type) {
    return (mg_type_is_signed(type) && type != MEGURI_TYPE_I64) || type == MEGURI_TYPE_U64 || type == MEGURI_TYPE_F64 ||
           type == MEGURI_TYPE_VERTEX;
}
/* An empty result to fill; freed with meguri_result_free. */
meguri_status mg_result_new(meguri_result **out, meguri_ctx *ctx);
/* Takes an mg_alloc block over, also on failure: the memory behind columns. */
meguri_status mg_result_own(meguri_ctx *ctx, meguri_result *result, void *block);
/* `data` lies in an owned block, stride bytes from item to item. The name is copied. */
meguri_status mg_result_add_column(meguri_ctx *ctx, meguri_result *result, const char *name, meguri_type type,
                                   const void *data, uint64_t count, uint64_t stride);
/* A result is a table of vertices unless this says what else. */
void mg_result_set_kind(meguri_result *result, meguri_table_kind kind);
/* An item of a column of signed integers, however wide it is. */
int64_t mg_column_integer(const meguri_column *column, const void *item);
/* The same, of levels that are signed integers of `bytes`: 1, 2 or 4. */
meguri_status mg_result_add_levels(meguri_ctx *ctx, meguri_result *result, const char *name, uint32_t bytes,
                                   const void *data, uint64_t count, uint64_t stride);
/* The same, of vertices that are items of `bytes`: 4 or 8. */
meguri_status mg_result_add_vertices(meguri_ctx *ctx, meguri_result *result, const char *name, uint32_t bytes,
                                     const void *data, uint64_t count, uint64_t stride);
/* Adds a fact or changes it. The name is a constant. */
meguri_status mg_result_set_number(meguri_ctx *ctx, meguri_result *result, const char *name, uint64_t number);
meguri_status mg_result_set_real(meguri_ctx *ctx, meguri_result *result, const char *name, double real);
/* The items of a column one after another, as `type` has them; where they lie apart, or are narrower integers, in a
 * copy
 * (*owned, for mg_free). *out is NULL where there is no such column. `count`: of the items there should be. */
meguri_status mg_result_items(const void **out, void **owned, meguri_ctx *ctx, const meguri_result *result,
                              const char *name, meguri_type type, uint64_t count);
/* The same, of vertices that are items of `bytes`. */
meguri_status mg_result_vertices(const void **out, void **owned, meguri_ctx *ctx, const meguri_result *result,
                                 const char *name, uint32_t bytes, uint64_t count);
/* A constant: it is not copied. */
meguri_status mg_result_set_text(meguri_ctx *ctx, meguri_result *result, const char *name, const char *text);

/* ---- the highest of many (result_top.c) ------------------------------------------------------------------------- */

typedef struct mg_top_item {
    uint64_t key, item; /* the higher key is the higher; of equal keys the smaller item */
} mg_top_item;
typedef struct mg_top {
    mg_top_item *items; /* when finished: the highest, in order */
    uint64_t most, count, room;
    mg_top_item lowest; /* of those kept, where `full`: what is not higher does not count */
    bool full;
} mg_top;
meguri_status mg_top_new(mg_top *out, meguri_ctx *ctx, uint64_t most, uint64_t items);
void mg_top_put(mg_top *top, mg_top_item item);
static inline void mg_top_add(mg_top *top, mg_top_item item) {
    bool low = item.key < top->lowest.key || (item.key == top->lowest.key && item.item > top->lowest.item);
    if (!(top->full && low)) mg_top_put(top, item);
}
void mg_top_finish(mg_top *top);
void mg_top_free(mg_top *top);
/* As meguri_result_top and meguri_result_groups, of a result that is here as a whole. */
meguri_status mg_result_top(uint64_t *vertices, double *values, uint64_t *count, meguri_ctx *ctx,
                            const meguri_result *result, const char *column, uint64_t most);
meguri_status mg_result_groups(uint64_t *groups, uint64_t *sizes, uint64_t *count, meguri_ctx *ctx,
                               const meguri_result *result, const char *column, uint64_t most);
/* A column of numbers, or of vertices where it is to make groups. */
meguri_status mg_top_column(meguri_column *column, meguri_ctx *ctx, const meguri_result *result, const char *name,
                            bool groups);
/* Of a column of numbers; items are vertices from `first` on. */
meguri_status mg_top_of_column(mg_top *out, meguri_ctx *ctx, const meguri_column *column, uint64_t first,
                               uint64_t most);
/* The number behind the key of an item. */
double mg_top_value(uint64_t key, meguri_type type);

/* ---- files that cannot grow (room.c) ---------------------------------------------------------------------------- */

/* What to say about a file that cannot grow: the reason with its figures, and what to do. */
typedef struct mg_no_room {
    char reason[192];
    const char *advice;
} mg_no_room;
bool mg_is_no_room(int error); /* of errno: a full disk, a quota, a limit on the size of files */
/* `wanted`: bytes of all of it, or 0 where nobody knows. */
mg_no_room mg_no_room_in(int fd, int error, uint64_t wanted);
/* Bytes that a new file can have; UINT64_MAX where nothing is known. */
uint64_t mg_room_in(int fd);

/* ---- files that are created (create.c, target.c) ---------------------------------------------------------------- */

#define MG_PATH    4096 /* bytes of a path */
#define MG_WHY     640
#define MG_LETTERS 6 /* random ones, of temporary names */

/* Why a file was not opened. */
typedef struct mg_refusal {
    int error; /* errno; EPERM, too, where another user could choose which file it is */
    char text[MG_WHY];
} mg_refusal;

/* All of these return a descriptor, or -1, and follow no symbolic link of another user (walk.c) and none in the last
 * place. A new file, of which nothing may have the name; one in the place of a file or link that has it (which is
 * removed); one without a name in a folder; one with a name that goes on with MG_LETTERS letters, for which `path` has
 * room. */
int mg_create(mg_refusal *why, const char *path, unsigned mode);
int mg_create_instead(mg_refusal *why, const char *path, unsigned mode);
int mg_create_unnamed(mg_refusal *why, const char *folder, unsigned mode);
int mg_create_random(mg_refusal *why, char *path, unsigned mode);
bool mg_create_folder(mg_refusal *why, const char *path, unsigned mode);
void mg_random_letters(char out[MG_LETTERS + 1]);
/* A regular file that is there, to read and write; `own`: refused where it belongs to another user. */
int mg_open_again(mg_refusal *why, const char *path, bool own);
/* A pipe or device that is there, to write. */
int mg_open_special(mg_refusal *why, const char *path);

/* What the name of an output leads to: own symbolic links are followed. */
typedef struct mg_target {
    const char *called; /* in sentences */
    char *path;         /* to mg_free, also on failure */
    int fd; /* a descriptor that was named (/dev/stdout), a pipe or a device; -1: it is, or will be, a file */
} mg_target;
meguri_status mg_target_find(mg_target *out, meguri_ctx *ctx, const char *path, const char *called);
#define MG_PATIENCE_MS 50 /* between two looks whether the work is cancelled, while nobody takes the bytes */

/* ---- folders for code (cache_folder.c) -------------------------------------------------------------------------- */

/* The folder of what was compiled, $XDG_CACHE_HOME/meguri/NAME or ~/.cache/meguri/NAME, or the one that is `given`: it
 * is made where it is missing. False where there is none, or where another user could put code there, of which the log
 * is warned once. */
bool mg_cache_folder(char out[MG_PATH], meguri_ctx *ctx, const char *name, const char *given);
/* A new folder in the temporary one, that no other user can look into; to be removed by the caller. */
meguri_status mg_private_folder(char out[MG_PATH], meguri_ctx *ctx);

/* ---- temporary files (tempfile.c) ------------------------------------------------------------------------------- */

/* A file without a name in the context's temporary folder: it vanishes with the process. -1 and a failure text if
 * it cannot be made. */
int mg_tempfile(meguri_ctx *ctx);
/* Whole reads and writes at a place; a full disk is MEGURI_NO_DISK with a clear sentence. `name` is for the text. */
meguri_status mg_pwrite_all(meguri_ctx *ctx, int fd, const void *data, size_t bytes, uint64_t offset, const char *name);
meguri_status mg_pread_all(meguri_ctx *ctx, int fd, void *data, size_t bytes, uint64_t offset, const char *name);
const char *mg_temp_dir(const meguri_ctx *ctx);

/* ---- options structs -------------------------------------------------------------------------------------------- */

/* Copies a caller's options struct over what is in `to`: the caller's may be older and shorter, in which case members
 * that it does not know stay as they are, or NULL. The first field of every options struct is its size. */
meguri_status mg_options_over(meguri_ctx *ctx, void *to, size_t to_size, const void *from, const char *name);
/* The same over defaults, which meguri_…_options_init sets (options.c). */
#define MG_OPTIONS(ctx, to, from, type)                                                                                \
    (type##_init((to), sizeof(type)), mg_options_over((ctx), (to), sizeof(type), (from), #type))
/* The same over zeros, for other structs of the caller's. */
meguri_status mg_options(meguri_ctx *ctx, void *to, size_t to_size, const void *from, const char *name);

/* That `count` items of a caller, so far apart, can be in memory at all: where they cannot, the number is wrong. `what`
 * names them. */
meguri_status mg_check_count(meguri_ctx *ctx, uint64_t count, uint64_t bytes, const char *what);
/* Gives a caller, who may know a shorter struct, the first bytes of `item`; *out begins with the size that he knows.
 * Without a context a wrong size is a status and no sentence. */
meguri_status mg_hand_out(meguri_ctx *ctx, void *out, size_t known, const void *item, const char *name);

#endif
