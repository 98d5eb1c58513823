/* io: one file per format, in and out; the .meg file.
 *
 * Text readers turn chunks of a file into mg_edge_blocks (graph/graph.h); writers turn a graph into lines. */
#ifndef MG_IO_H
#define MG_IO_H

#include "graph/graph.h"

#include <meguri/extra/escape.h>
#include <meguri/extra/list.h>
#include <meguri/io.h>

/* ---- names of files (formats.c, compression.c) ----------------------------------------------------------------------
 */

typedef enum mg_compression { MG_PLAIN, MG_GZIP, MG_ZSTD, MG_XZ, MG_COMPRESSIONS } mg_compression;
typedef struct mg_compression_row {
    const char *name, *suffix, *magic;
    size_t magic_bytes;
} mg_compression_row;
extern const mg_compression_row mg_compressions[MG_COMPRESSIONS];

/* How a file is compressed, from its first bytes. */
mg_compression mg_compression_of(const void *head, size_t bytes);
/* Bytes of a name before .gz, .zst or .xz, and which it is, where anybody asks. */
size_t mg_uncompressed_name(mg_compression *compression, const char *name);
/* Whether the beginning of a name ends so, and is longer; capitals do not matter. */
bool mg_ends_with(const char *name, size_t length, const char *suffix);
/* The same for all of it but .gz and the like. */
bool mg_has_suffix(const char *name, const char *suffix);

/* ---- files written whole or not at all (outfile.c) -------------------------------------------------------------- */

/* A file under a temporary name in the folder of its final one: mg_outfile_commit syncs and renames it,
 * mg_outfile_abandon removes it. A crash in between leaves the old file as it was. Pipes, devices and open
 * descriptors (/dev/stdout, or "-") cannot be replaced by renaming: they are written as the bytes come. */
typedef struct mg_outfile {
    int fd;
    char *path, *temporary; /* temporary is NULL for an unnamed file that gets its name at commit */
    char *target;           /* what is replaced: the path with its symbolic links followed */
    meguri_write_fn write;  /* a function of the caller's that takes the bytes instead; no descriptor then */
    void *user;
    bool direct;   /* nothing to rename, and not seekable: mg_outfile_write only */
    bool waits;    /* for somebody who takes the bytes: a pipe, a terminal */
    bool terminal; /* lines are escaped (meguri/extra/escape.h) */
    meguri_escaper escaper;
} mg_outfile;
meguri_status mg_outfile_open(mg_outfile *out, meguri_ctx *ctx, const char *path);
/* What a caller's sink leads to. */
typedef struct mg_output {
    const char *path;      /* NULL: */
    meguri_write_fn write; /* NULL too: memory */
    void *user;
    const char *name; /* for messages: the path, or what stands for it */
    const char *form; /* ends in the suffix that says what is written; empty where nothing says it */
    char suffix[24];  /* the sink's own form behind "_."; empty: it has none */
} mg_output;
/* `function` is what needs it, for messages. *out must not move. Memory is refused unless it is allowed. */
meguri_status mg_output_of(mg_output *out, meguri_ctx *ctx, const meguri_sink *sink, bool memory, const char *function);
meguri_status mg_outfile_open_output(mg_outfile *out, meguri_ctx *ctx, const mg_output *output);
/* Refuses a file of so many bytes or more with the figures where the disk has no room for it. */
meguri_status mg_outfile_expect(meguri_ctx *ctx, const mg_outfile *file, uint64_t bytes);
/* Asks for the room of the whole file at once, so that a full disk is found before the work, not after it. */
meguri_status mg_outfile_reserve(meguri_ctx *ctx, mg_outfile *file, uint64_t bytes);
/* Everything or a failure with the reason (MEGURI_NO_DISK): at the end, or at a place (from any thread). */
meguri_status mg_outfile_write(meguri_ctx *ctx, mg_outfile *file, const void *data, size_t bytes);
meguri_status mg_outfile_write_at(meguri_ctx *ctx, mg_outfile *file, const void *data, size_t bytes, uint64_t offset);
/* The file is closed afterwards, also on failure. */
meguri_status mg_outfile_commit(meguri_ctx *ctx, mg_outfile *file);
void mg_outfile_abandon(mg_outfile *file); /* does nothing after a commit, nor to a zeroed struct */

/* A file that several processes write together at their places. One finds a name for it, makes it when all know the
 * name, and commits it when all have synced what they wrote; the others join it, and leave it. Abandoned by any,
 * nothing of it remains. */
meguri_status mg_outfile_name_shared(mg_outfile *out, meguri_ctx *ctx, const char *path);
meguri_status mg_outfile_make_shared(mg_outfile *out, meguri_ctx *ctx);
meguri_status mg_outfile_join(mg_outfile *out, meguri_ctx *ctx, const char *path, const char *temporary);
meguri_status mg_outfile_sync(meguri_ctx *ctx, const mg_outfile *file);
void mg_outfile_leave(mg_outfile *file); /* closes it, and leaves it where it is */

/* ---- text that grows (write_text.c) ----------------------------------------------------------------------------- */

typedef struct mg_text {
    meguri_ctx *ctx;
    char *data;
    size_t used, room;
    bool failed; /* out of memory: nothing is added any more */
} mg_text;

bool mg_text_grow(mg_text *text, size_t bytes);
void mg_text_free(mg_text *text);
/* Makes room for `bytes` more; false if there is none, which is also noted in the text. */
static inline bool mg_text_need(mg_text *text, size_t bytes) {
    return text->room - text->used >= bytes || mg_text_grow(text, bytes);
}
void mg_text_add(mg_text *text, const char *bytes, size_t count);
void mg_text_format(mg_text *text, const char *format, ...) MG_PRINTF(2, 3); /* for heads; whole numbers only */

/* Decimal numbers at `at`, the end is returned. No locale has a say. */
#define MG_INTEGER_TEXT 20 /* bytes at most */
char *mg_put_u64(char *at, uint64_t value);
char *mg_put_i64(char *at, int64_t value);

/* ---- bytes on their way out (sink.c) ---------------------------------------------------------------------------- */

/* To a file that appears whole or not at all, to a function of the caller, or into memory. The first failure stays, and
 * nothing goes out after it: who writes much need not ask after every piece. */
typedef struct mg_sink {
    meguri_ctx *ctx;
    mg_text text; /* what has not gone out yet; everything, where it stays in memory */
    mg_outfile file;
    bool to_file;               /* or to a function; else memory */
    mg_compression compression; /* of a file; set between opening and the first byte */
    mg_text packed;             /* what goes out of it */
    uint64_t sent;              /* bytes that have gone out */
    void *c_locale;             /* numbers look the same in every locale */
    meguri_status status;
} mg_sink;

/* NULL: memory. */
meguri_status mg_sink_open(mg_sink *out, meguri_ctx *ctx, const mg_output *output);
void mg_sink_add(mg_sink *sink, const char *bytes, size_t count);
void mg_sink_put(mg_sink *sink, const char *text);
void mg_sink_char(mg_sink *sink, char c);
void mg_sink_format(mg_sink *sink, const char *format, ...) MG_PRINTF(2, 3);
/* Hands over what a function of the caller has not got yet. */
void mg_sink_flush(mg_sink *sink);
/* The same as a meguri_write_fn, whose user is the sink. */
meguri_status mg_sink_take(void *sink, const void *data, size_t bytes);
/* The end: the last bytes go out and the file gets its name, if it is to be kept and all went well. Returns how it went
 * with all of it. What is in memory stays until mg_sink_free. */
meguri_status mg_sink_close(mg_sink *sink, bool keep);
void mg_sink_free(mg_sink *sink);

/* ---- for people and JSON (json.c) ------------------------------------------------------------------------------- */

#define MG_REAL_TEXT 32
/* The shortest of 15 digits or more that reads back the same, the same in every locale. */
const char *mg_real_text(char buffer[MG_REAL_TEXT], double number);

/* ---- in shares: what several processes read or write together --------------------------------------------------- */

/* Part `part` of `parts`. All parts make the same calls in the same places. */
typedef struct mg_share_of {
    int part, parts;
    void *user;
    /* How it went here; a failure at one is a failure at all. values[i] becomes the sum of those of the parts before,
     * all[i] that of all parts. */
    meguri_status (*sum)(void *user, meguri_status status, uint64_t *values, uint64_t *all, uint32_t count);
} mg_share_of;

/* ---- text in shares (read_share.c) ------------------------------------------------------------------------------ */

/* For inputs that cannot be cut: part p gets data[begins[p] … begins[p + 1]) of the one part that has any; *out is an
 * mg_alloc block. How it went goes with it, as in sum. */
typedef struct mg_read_share {
    mg_share_of of;
    meguri_status (*deal)(void *user, meguri_status status, void **out, uint64_t *bytes, const void *data,
                          const uint64_t *begins);
} mg_read_share;

/* The names, or edges, from here to `end` of a part are numbered from `start` on by where they stand in the input. */
typedef struct mg_share_mark {
    uint64_t end, start;
} mg_share_mark;

typedef struct mg_share_marks {
    mg_share_mark *mark;
    uint64_t count, before; /* before: of all parts, so far */
} mg_share_marks;
/* The place in the input of a name or edge of this part. */
uint64_t mg_share_place(const mg_share_marks *marks, uint64_t number);

/* What a part has read. */
typedef struct mg_read_part {
    meguri_builder *builder;
    mg_edges *edges; /* in it, in raw ids, or numbers of names */
    mg_names *names; /* in it: string ids that occur here; NULL: ids are integers */
    mg_share_marks name_marks;
    mg_share_marks edge_marks; /* where the options need it (mg_merge_needs_numbers): edges by mg_edges_number */
    bool negative, huge;       /* some id here is below 0, above 2^63-1 */
    bool directed;
    bool weighted;
} mg_read_part;

/* As meguri_read, up to where the graph would be built; all parts call it. What a header declares, all parts have. */
meguri_status mg_read_in_shares(mg_read_part *out, meguri_ctx *ctx, const char *const *paths, size_t count,
                                const meguri_read_options *options, const mg_read_share *share);
void mg_read_part_free(mg_read_part *part);

/* ---- results in shares (result_part.c) -------------------------------------------------------------------------- */

/* Some rows of a result. Vertices are numbered here alone: first those of the rows, then others that columns name. */
typedef struct mg_result_part {
    uint64_t first, rows, all_rows; /* where they begin in the whole, how many they are and it has */
    meguri_id_kind id_kind;
    const uint64_t *ids;          /* of integer ids */
    const uint64_t *name_offsets; /* of string ids, with a place more than there are vertices */
    const char *names;
    uint64_t longest_name; /* of the whole */
    bool narrow;           /* no id of the whole is above 2^63-1 */
    meguri_column *columns;
    uint32_t column_count;
} mg_result_part;

/* That the name says how a result is to be written. */
meguri_status mg_result_check_path(meguri_ctx *ctx, const char *path);
/* These rows into the file that all parts write: together the bytes of meguri_result_write, but for how compressed
 * files are cut. */
meguri_status mg_result_write_part(meguri_ctx *ctx, const mg_result_part *part, mg_outfile *file, const char *path,
                                   const mg_share_of *share);

/* ---- lists (list.c), and lines of them taken apart (list_split.c) ----------------------------------------------- */

bool mg_list_has_pairs(const meguri_list *list);
/* The line of the header; 0: there is none. */
uint64_t mg_list_header_line(const meguri_list *list);

#define MG_LIST_WHOLE '\0' /* nothing parts a line: it is one field */

/* Whether a line that begins so is a comment: with #, or with % or //, which could begin an id, and a blank or another
 * sign. */
bool mg_list_is_remark(const char *at);
/* What parts the fields of a line, behind which a line end stands: a tab, comma, semicolon, bar or, else, blanks. */
char mg_list_separator(const char *line, const char *end);

typedef enum mg_list_taken {
    MG_LIST_TAKEN,
    MG_LIST_LAST, /* and no field follows */
    MG_LIST_OPEN, /* a double quote has no end */
    MG_LIST_WRONG /* something else than a separator follows its end */
} mg_list_taken;
/* The field at *rest, which moves to the next one. It is cut off in place, without blanks around it and without its
 * double quotes, in which two stand for one. */
mg_list_taken mg_list_take(char **rest, char separator, char **field);

/* Whether names of columns are those of a pair, and which; of the lists of names in io/csv.h. */
bool mg_list_find_pair(uint32_t *from, uint32_t *to, const char *const *names, uint32_t count);
/* The column of vertices: the preferred one, else one of a usual name. */
bool mg_list_find_vertex(uint32_t *column, const char *const *names, uint32_t count, const char *prefer);
/* Whether a name is that of a column which numbers rows, and says nothing. */
bool mg_list_is_index(const char *name);

/* ---- a .meg file in shares (meg_part.c) ------------------------------------------------------------------------- */

#define MG_SECTION_CHUNK ((uint64_t)1 << 20) /* bytes that one process writes and hashes as a whole */

/* A file whose sections several processes write. */
typedef struct mg_meg_parts mg_meg_parts;
/* `numbers` has all numbers of the graph, and the sizes of the parts that there are (with any pointer as data). The
 * plan is the same at all processes. */
meguri_status mg_meg_parts_new(mg_meg_parts **out, meguri_ctx *ctx, const meguri_graph *numbers, const char *path);
void mg_meg_parts_free(mg_meg_parts *parts);
uint64_t mg_meg_parts_bytes(const mg_meg_parts *parts); /* of the file */
/* Bytes of a part from `first` on, in whole chunks: first is a multiple of MG_SECTION_CHUNK, and so is `bytes`, but at
 * the end of the part. */
meguri_status mg_meg_parts_write(meguri_ctx *ctx, mg_meg_parts *parts, mg_outfile *file, mg_part part, const void *data,
                                 uint64_t first, uint64_t bytes);
/* Hashes of chunks, 0 for those that are not written here: the sums over all processes belong here in the end. */
uint64_t *mg_meg_parts_hashes(mg_meg_parts *parts, uint64_t *count);
/* What one process writes in the end. */
meguri_status mg_meg_parts_finish(meguri_ctx *ctx, mg_meg_parts *parts, mg_outfile *file);

#endif
