/* The reading side of io: what the files behind meguri_read share.
 *
 * An input is a file, a pipe or memory, compressed or not. It is cut into chunks of whole lines (input.c), which the
 * threads of a pass parse at the same time (read_pass.c), each into a block of edges (read_block.c) that goes to
 * mg_edges. What a line looks like is known to one file per format. The graph does
 * not depend on which thread was first: integer ids are sorted, names are numbered in the order of the chunks, and
 * where errors meet, the one nearest to the start of the input is reported. */
#ifndef MG_IO_READ_H
#define MG_IO_READ_H

#include "io/io.h"
#include "io/number.h"

/* ---- decompressing (decompress.c)
 * --------------------------------------------------------------------------------------- */

typedef struct mg_decompressor mg_decompressor;
meguri_status mg_decompressor_new(mg_decompressor **out, meguri_ctx *ctx, mg_compression compression, const char *name);
void mg_decompressor_free(mg_decompressor *decompressor);
/* What is wrong with the data, after MEGURI_BAD_INPUT; the context does not know it yet. */
const char *mg_decompressor_error(const mg_decompressor *decompressor);
/* Whether it stands behind a whole member, or before the first. */
bool mg_decompressor_is_between(const mg_decompressor *decompressor);
/* Decompresses from *in (moved on) into `out`; *made is 0 only if more input is needed, or with *ended at the end of
 * the last member. `last` says that no input follows what is there. */
meguri_status mg_decompress(mg_decompressor *decompressor, const uint8_t **in, size_t *in_bytes, bool last, char *out,
                            size_t room, size_t *made, bool *ended);

/* ---- inputs (input.c) ------------------------------------------------------------------------------------------- */

/* Readable bytes before and behind every chunk and header line. */
#define MG_PAD 64

typedef enum mg_cut {
    MG_CUT_LINES,
    MG_CUT_QUOTED, /* at the ends of lines that are not inside double quotes */
    MG_CUT_RECORDS /* of mg_plan.record_bytes */
} mg_cut;

/* The longest line (or CSV record) where a reader needs it whole: all but adjacency lists and METIS, whose lines may be
 * as long as a vertex has neighbours. Whatever is longer is no graph, and must not fill the memory. */
#define MG_LONGEST_LINE ((size_t)1 << 20)
#define MG_OVERLONG_TEXT                                                                                               \
    "this line is longer than 1 MiB, which no line of this format is; the file may be damaged, lack line ends or "     \
    "have "                                                                                                            \
    "an open double quote."

/* Whole lines: end[-1] is always '\n' (one is added if the last line has none). The buffer belongs to the thread. */
typedef struct mg_chunk {
    const char *begin, *end;
    uint64_t sequence; /* 0, 1, 2 … within the input */
    uint64_t offset;   /* of begin in the decompressed input */
    uint64_t line;     /* number of its first line, from 1; 0: counted when an error needs it */
    uint64_t rows;     /* mg_plan.count_rows' sum over the chunks before */
    /* Where a line begins that is longer than allowed, or NULL. The chunk ends before it. */
    const char *overlong;
    char *buffer;
    size_t room;
} mg_chunk;

/* How an input is to be cut. */
typedef struct mg_plan {
    mg_cut cut;
    size_t record_bytes;
    size_t chunk_bytes;
    size_t longest_line; /* 0: any length */
    /* Where set, chunks are made in order, by one thread at a time, and this is called on each. */
    uint64_t (*count_rows)(const char *begin, const char *end);
} mg_plan;

typedef struct mg_input {
    meguri_ctx *ctx;
    const char *name;   /* for people */
    const char *memory; /* the input itself, or NULL: it is behind fd */
    int fd;
    bool close_fd;
    bool random;                 /* any part can be read at any time */
    uint64_t start;              /* where the input begins in the file */
    uint64_t size;               /* compressed bytes, where random */
    uint64_t done_before, total; /* for the progress: bytes of other inputs, of all */
    mg_compression compression;
    mg_decompressor *decompressor;

    uint8_t *raw; /* compressed bytes that were read and not yet used */
    size_t raw_begin, raw_end;
    uint64_t raw_offset; /* compressed bytes read so far */
    bool raw_ended;
    bool ended;         /* nothing more to decompress */
    const char *damage; /* what is wrong with the compressed data, once decompressing has failed */

    char *head; /* the decompressed beginning; the text starts at head + MG_PAD */
    size_t head_bytes, head_room;
    size_t used;                           /* of the head: where the next header line or the first chunk begins */
    size_t line_start;                     /* of the last header line */
    uint64_t dropped_bytes, dropped_lines; /* before the head */
    bool cut_off;                          /* the head is all that is known here, but not all there is */

    pthread_mutex_t lock; /* for what follows */
    bool has_lock;
    mg_plan plan;
    bool in_order;     /* chunks are made one after another */
    uint64_t position; /* decompressed offset of the next chunk */
    uint64_t limit;    /* where chunks end: the size, or the end of this part's share */
    uint64_t sequence, lines, rows;
    char *rest; /* in order: what was decompressed behind the last chunk */
    size_t rest_bytes, rest_room;

    bool dealt;      /* in shares, and in order: one part makes the chunks and deals them out */
    mg_chunk *given; /* to this part */
    uint64_t given_count, given_next;
} mg_input;

/* "-" is standard input. On failure *input is still to be closed. */
meguri_status mg_input_open(mg_input *input, meguri_ctx *ctx, const char *path);
meguri_status mg_input_memory(mg_input *input, meguri_ctx *ctx, const char *name, const void *data, size_t bytes);
/* The beginning of an input that another process reads, or all of it. */
meguri_status mg_input_elsewhere(mg_input *input, meguri_ctx *ctx, const char *name, const void *head, size_t bytes,
                                 bool whole);
void mg_input_close(mg_input *input);
/* Compressed bytes that are read ahead, at most. */
#define MG_RAW_BYTES ((size_t)256 << 10)
/* Reads ahead until so many of the first compressed bytes are in input->raw, or all; before anything is decompressed.
 */
meguri_status mg_input_fill(mg_input *input, size_t want);
/* Decides whether binary edges that begin as compressed data does are compressed (ambiguous.c); `format` is theirs. */
meguri_status mg_input_settle(mg_input *input, meguri_format format);
/* The input is not compressed, whatever it begins with; nothing has been taken from it yet. */
void mg_input_take_as_it_is(mg_input *input);
/* The next decompressed bytes: fills `to` as far as the input goes. After MEGURI_BAD_INPUT with input->damage the
 * context has no sentence yet, and *got bytes before the damage are good. */
meguri_status mg_input_decompress(mg_input *input, char *to, size_t room, size_t *got);
/* A buffer of MG_PAD + want + MG_PAD bytes that holds what the old one held. */
meguri_status mg_buffer_room(meguri_ctx *ctx, char **buffer, size_t *room, size_t want);
uint64_t mg_count_lines(const char *begin, const char *end);

/* ---- its beginning (head.c) ------------------------------------------------------------------------------------- */

/* Makes the head at least `want` bytes, or as long as the input is. */
meguri_status mg_input_peek(mg_input *input, size_t want);
meguri_status mg_input_give_head(mg_input *input, const void *head, size_t bytes);
/* The next header line, without its end; *begin is NULL at the end of the input. The bytes stay valid until the next
 * call. Lines above MG_LONGEST_LINE are refused. */
meguri_status mg_input_line(mg_input *input, const char **begin, const char **end);
/* Puts the last header line back. */
void mg_input_unread(mg_input *input);
/* Drops the blank lines and comments before the first line that says something. */
meguri_status mg_input_skip_nothing(mg_input *input);
/* The number of the last header line. */
uint64_t mg_input_header_line(const mg_input *input);

enum {
    MG_FIRST_LOOK = 64 << 10, /* what every input is asked for first */
    MG_LOOK_BYTES = 1 << 20,  /* where the first line that says something is looked for */
    MG_SAMPLE_LINES = 1000,   /* how many lines are looked at, that one included, and how far behind it */
    MG_SAMPLE_BYTES = 64 << 10
};

/* A look at the first lines that are neither blank nor comments, from `used` on. */
typedef struct mg_sample {
    mg_input *input;
    size_t start, at, limit;
    int lines;       /* given out so far */
    bool c_comments; /* set by the caller: "c …" is a comment, as in DIMACS */
    bool has_c;      /* there was one */
    char *copy;
    size_t room;
    uint64_t number, next_number; /* of the last line, of the one at `at` */
    bool cut;                     /* the line is longer than MG_LONGEST_LINE, of which this is the beginning */
    bool too_far; /* there are only blanks and comments in the first MG_LOOK_BYTES, and more behind them */
} mg_sample;
void mg_sample_start(mg_sample *sample, mg_input *input);
void mg_sample_end(mg_sample *sample);
/* The next line, with a line end behind it; it belongs to the caller until the next call. NULL where the look ends. */
meguri_status mg_sample_line(mg_sample *sample, char **line, const char **end);

/* ---- its chunks (input.c) --------------------------------------------------------------------------------------- */

/* From here on chunks, from `used` to the end. */
meguri_status mg_input_start(mg_input *input, const mg_plan *plan);
/* … of this part alone, where that can be; else the input is to be dealt. */
meguri_status mg_input_share(mg_input *input, int part, int parts);
/* The next chunk in chunk->buffer, or begin NULL at the end; called by any thread. */
meguri_status mg_input_next(mg_input *input, mg_chunk *chunk);
/* The same in order, also where the input is dealt: by the part that reads it. */
meguri_status mg_input_make(mg_input *input, mg_chunk *chunk);
/* Number of the line at `where` in a chunk. */
uint64_t mg_input_line_number(mg_input *input, const mg_chunk *chunk, const char *where);
/* Reports how far we are; whether the user has had enough. */
bool mg_input_cancelled(const mg_input *input);

/* ---- the whole of one meguri_read (read.c) ---------------------------------------------------------------------- */

typedef enum mg_answer { MG_UNKNOWN, MG_YES, MG_NO } mg_answer;

typedef struct mg_reader {
    meguri_ctx *ctx;
    meguri_read_options options;
    meguri_build_options build; /* to which they point */
    mg_locale c_locale;
    meguri_builder *builder;
    mg_edges *edges; /* of the builder */
    mg_answer string_ids;
    mg_answer weighted;
    meguri_direction direction;
    uint64_t bytes, bytes_total;
    uint64_t passes;            /* that were begun */
    size_t chunk_bytes;         /* 0: by size of the input and memory; tests make it small */
    int negative_ids, huge_ids; /* some id is below 0, above 2^63-1; set from many threads */

    const mg_read_share *share; /* NULL: all is read here */
    uint64_t dealt;             /* inputs that were dealt: the parts take turns */
    mg_share_marks name_marks;  /* of string ids in shares */
    mg_share_marks edge_marks;  /* of edges in shares, where their order counts */

    const char *const *paths; /* all inputs, where they are files */
    size_t path_count;
    struct mg_file_place *places; /* of those on disk, in order; NULL: not asked for yet */
    size_t place_count;
    char *space;                          /* the id space of Neo4j's ids; NULL: none was named yet */
    struct mg_neo4j_header *neo4j;        /* the last header of Neo4j's files; NULL: there was none yet */
    struct mg_kept *kept;                 /* what mg_reader_keep gave */
    meguri_column_data *own_columns;      /* the columns of the options and one of types; NULL: those of the options */
    struct mg_names_beside *names_beside; /* of numbered vertices (names_beside.c); NULL: there are none */
} mg_reader;

/* Whether this input's edges are to be stored with weights; refuses if it has them and an earlier one has not. */
meguri_status mg_reader_weights(mg_reader *reader, const mg_input *input, bool has_weights, bool *store);
/* What the format says, unless the options say otherwise; refuses if an earlier input said something else. */
meguri_status mg_reader_direction(mg_reader *reader, const mg_input *input, meguri_direction format);
/* Refuses formats of numbered vertices where ids are strings. */
meguri_status mg_reader_numbered(mg_reader *reader, const mg_input *input);
/* Reads the names of its vertices, if there is a table of them beside it (names_beside.c); and when the graph is there,
 * gives them to it. */
meguri_status mg_reader_names_beside(mg_reader *reader, const mg_input *input);
bool mg_reader_has_names(const mg_reader *reader);
/* For formats that do not say how many vertices there are. */
meguri_status mg_reader_declare_names(mg_reader *reader);
meguri_status mg_reader_give_names(meguri_graph *graph, mg_reader *reader);
void mg_reader_free_names(mg_reader *reader);

/* A column that is to be read. */
static inline const meguri_column_data *mg_reader_column(const mg_reader *reader, uint32_t column) {
    const meguri_column_data *first = reader->options.columns;
    return (const meguri_column_data *)((const char *)first + column * first->size);
}

/* Opens an input that is to be read by the options. */
meguri_status mg_reader_open(mg_reader *reader, mg_input *input, const char *path);
/* One input, of whichever format. */
meguri_status mg_reader_input(mg_reader *reader, mg_input *input);
meguri_status mg_reader_start(mg_reader *reader, meguri_ctx *ctx, size_t chunk_bytes,
                              const meguri_read_options *options);
void mg_reader_finish(mg_reader *reader);
/* Cleared memory until then; not for many threads. */
void *mg_reader_keep(mg_reader *reader, uint64_t bytes);
meguri_status mg_reader_check_paths(meguri_ctx *ctx, const char *const *paths, size_t count);

/* For tests and fuzzers: reads a text in memory, as if from a file of that name. */
meguri_status mg_read_memory(meguri_graph **out, meguri_ctx *ctx, const char *name, const void *data, size_t bytes,
                             size_t chunk_bytes, const meguri_read_options *options);
/* meguri_read with chunks of a given size. */
meguri_status mg_read_files(meguri_graph **out, meguri_ctx *ctx, const char *const *paths, size_t path_count,
                            size_t chunk_bytes, const meguri_read_options *options);

/* ---- kinds of ids (read_ids.c) ---------------------------------------------------------------------------------- */

/* An id that is told about, and its line; 0: there is none. */
typedef struct mg_seen_id {
    uint64_t line;
    char id[64];
} mg_seen_id;
/* The ids in the first lines of an input. */
typedef struct mg_ids_seen {
    uint64_t all, integers;
    mg_seen_id other; /* the first that is no integer */
    bool like_number; /* but it looks like a number */
    mg_seen_id zero;  /* the first integer that is written with zeros before it */
} mg_ids_seen;
/* `quoted` where an integer would have to be taken out of quotes, which the parser does not do. */
void mg_see_id(mg_ids_seen *seen, uint64_t line, const char *id, size_t length, bool quoted);
/* Settles the kind of ids at the first input that has any. */
meguri_status mg_reader_ids(mg_reader *reader, const mg_input *input, const mg_ids_seen *seen);

/* ---- a pass over an input by many threads (read_pass.c) --------------------------------------------------------- */

/* What a pass finds here and there and tells once, in a warning: how often, and where first. */
typedef enum mg_remark {
    MG_ALONE,        /* lines with a single id */
    MG_HIDDEN,       /* comments that look like data */
    MG_MORE_COLUMNS, /* lines with more columns than are read */
    MG_SKIPPED,      /* lines that are wrong */
    MG_MISFITS,      /* values that do not fit the type that was promised */
    MG_REMARKS
} mg_remark;
typedef struct mg_noted {
    uint64_t count;
    uint64_t sequence;     /* of the chunk with the first */
    uint64_t line, offset; /* of that chunk, as in mg_chunk */
    uint64_t inside;       /* lines before it in the chunk; after the pass, its number in the input */
} mg_noted;

/* A line that is skipped, and why. */
typedef struct mg_skipped {
    uint64_t sequence, line, offset, inside; /* as in mg_noted */
    char why[300];
} mg_skipped;
enum { MG_SHOWN_SKIPPED = 3 };

typedef struct mg_pass mg_pass;
typedef meguri_status (*mg_chunk_fn)(mg_pass *pass, const mg_chunk *chunk);

struct mg_pass {
    mg_reader *reader;
    mg_input *input;
    mg_chunk_fn parse;
    void *format;   /* what the format's parser needs to know */
    bool is_table;  /* options of tables say what is to become of wrong weights */
    uint64_t place; /* of its first chunk */
    uint64_t lines; /* data lines, added up by the parser with mg_fetch_add */
    uint64_t edges; /* edges added */

    pthread_mutex_t lock; /* for what follows */
    pthread_cond_t moved;
    mg_noted noted[MG_REMARKS];
    mg_skipped skipped[MG_SHOWN_SKIPPED]; /* the first, in the order of the input */
    uint32_t shown;
    uint64_t turn;        /* chunks below have had their turn */
    uint64_t failed_at;   /* lowest sequence that failed; UINT64_MAX: none */
    meguri_status status; /* of a failure whose sentence is already in the context */
    bool has_error;
    char error[1024];
};

#define MG_LAST_CHUNK (((uint64_t)1 << 40) - 1) /* behind all of an input */
/* Where a chunk is among all of all inputs: the order of the places of blocks is that of the text. */
static inline uint64_t mg_chunk_place(const mg_pass *pass, const mg_chunk *chunk) {
    return pass->place + chunk->sequence;
}
/* Parses all chunks of an input, from `used` on. In shares, the counts are those of all parts afterwards. */
meguri_status mg_pass_run(mg_pass *pass, mg_plan plan);
/* Parses what there is on so many threads; how it went so far. */
meguri_status mg_pass_work(mg_pass *pass, int threads);
/* Deals an input out, chunk by chunk, and parses what comes here (read_share.c). */
meguri_status mg_pass_deal(mg_pass *pass, int threads);
/* Tells all parts how the pass went, and sums up what they counted; notes where the names of each began. */
meguri_status mg_pass_sum(mg_pass *pass, meguri_status status);
meguri_status mg_reader_mark(mg_reader *reader, meguri_status status);
bool mg_reader_has_marks(const mg_reader *reader);
/* Notes what is wrong at a place of a chunk: "FILE:LINE: …" */
meguri_status mg_pass_fail(mg_pass *pass, const mg_chunk *chunk, const char *where, const char *format, ...)
    MG_PRINTF(4, 5);
/* The same of a line that can be skipped, if the options say so: then it is counted, and the parser goes on with the
 * next one where mg_pass_skips. */
meguri_status mg_pass_bad(mg_pass *pass, const mg_chunk *chunk, const char *where, const char *format, ...)
    MG_PRINTF(4, 5);
bool mg_pass_skips(mg_pass *pass, const mg_chunk *chunk);
/* Notes that a chunk has so many remarks of a kind, the first at `where`. */
void mg_pass_remark(mg_pass *pass, const mg_chunk *chunk, const char *where, mg_remark kind, uint64_t count);
/* Waits until all chunks before this one have had their turn; false if one of them failed. */
bool mg_pass_wait_turn(mg_pass *pass, const mg_chunk *chunk);
void mg_pass_end_turn(mg_pass *pass, const mg_chunk *chunk);
/* What is wrong in the last header line, or with the input as a whole. */
meguri_status mg_header_fail(mg_input *input, const char *format, ...) MG_PRINTF(2, 3);

/* ---- blocks of edges (read_block.c) ----------------------------------------------------------------------------- */

/* A block being filled; it grows where its capacity was guessed too small. */
typedef struct mg_block {
    meguri_ctx *ctx;
    uint64_t count, capacity;
    bool wide; /* ids of 8 bytes */
    void *ends;
    meguri_type weight_type; /* NONE, U32 or F64 */
    void *weights;
    uint32_t column_count;
    bool labelled;            /* some column has names for values, which `labels` of this block number */
    mg_block_column *columns; /* column_count of them, for `capacity` edges */
    mg_names **labels;        /* of each column; NULL: it has none */
} mg_block;

meguri_status mg_block_new(mg_block *out, meguri_ctx *ctx, uint64_t capacity, bool weighted);
void mg_block_free(mg_block *block);
/* About how many lines and words a chunk has, from the first of them. Close guesses save the system the clearing of
 * pages that nobody needs. */
uint64_t mg_guess_lines(const mg_chunk *chunk);
uint64_t mg_guess_words(const mg_chunk *chunk);
bool mg_block_grow(mg_block *block);
bool mg_block_widen(mg_block *block);         /* ids to 8 bytes */
bool mg_block_widen_weights(mg_block *block); /* weights to doubles */
/* Vertices that stand alone on their line. */
typedef struct mg_alone {
    uint64_t *ids;
    uint64_t count, room;
} mg_alone;
meguri_status mg_alone_push(meguri_ctx *ctx, mg_alone *alone, uint64_t id);
/* Hands them over; the list is empty afterwards, also on failure. */
meguri_status mg_alone_add(mg_pass *pass, mg_alone *alone);

/* Trims the block and hands it over; it is empty afterwards, also on failure. */
meguri_status mg_block_add(mg_pass *pass, const mg_chunk *chunk, mg_block *block);
/* The same for a block whose ids are numbers in `names`, a table of this chunk alone: merges the tables in the order
 * of the input, so that a vertex is numbered by its first appearance. Every chunk of the pass must come here. */
meguri_status mg_block_add_named(mg_pass *pass, const mg_chunk *chunk, mg_block *block, const mg_names *names);

/* False where there is no memory. The weight is looked at only if the block has weights. */
static inline bool mg_block_push(mg_block *block, uint64_t from, uint64_t to, double weight) {
    if ((from | to) > UINT32_MAX && !block->wide && !mg_block_widen(block)) return false;
    if (block->count == block->capacity && !mg_block_grow(block)) return false;
    uint64_t at = block->count;
    if (block->wide) {
        uint64_t *ends = block->ends;
        ends[2 * at] = from;
        ends[2 * at + 1] = to;
    } else {
        uint32_t *ends = block->ends;
        ends[2 * at] = (uint32_t)from;
        ends[2 * at + 1] = (uint32_t)to;
    }
    if (block->weight_type == MEGURI_TYPE_U32) {
        if (weight >= 0 && weight <= UINT32_MAX && (double)(uint32_t)weight == weight)
            ((uint32_t *)block->weights)[at] = (uint32_t)weight;
        else if (!mg_block_widen_weights(block)) return false;
    }
    if (block->weight_type == MEGURI_TYPE_F64) ((double *)block->weights)[at] = weight;
    block->count = at + 1;
    return true;
}

/* ---- words of a line (words.c) ---------------------------------------------------------------------------------- */

/* How the columns of a line are parted. */
typedef enum mg_separator {
    MG_BLANKS = ' ',
    MG_TAB = '\t',
    MG_COMMA = ',',
    MG_SEMICOLON = ';',
    MG_BAR = '|'
} mg_separator;

/* Blanks around a separator do not count. Moves *p behind it; false where there is none (at the end of the line). */
static inline bool mg_skip_separator(const char **p, char separator) {
    const char *at = *p;
    if (separator == MG_TAB) {
        while (*at == ' ') at++;
        *p = at + (*at == MG_TAB);
        return *at == MG_TAB;
    }
    at = mg_skip_blanks(at);
    if (separator == MG_BLANKS) {
        bool moved = at != *p;
        *p = at;
        return moved && *at != '\n';
    }
    if (*at != separator) return false;
    *p = mg_skip_blanks(at + 1);
    return true;
}

/* Whether a field ends at p, but for blanks. */
static inline bool mg_at_field_end(const char *p, char separator) {
    if (separator == MG_BLANKS) return mg_is_blank(*p) || *p == '\n';
    while (mg_is_blank(*p) && *p != separator) p++;
    return *p == separator || *p == '\n';
}

static inline const char *mg_line_end(const char *p, const char *end) {
    const char *found = memchr(p, '\n', (size_t)(end - p));
    return found ? found : end;
}

/* Fields between commas, semicolons and bars may be quoted; those between tabs keep their quotes. */
static inline bool mg_has_quotes(char separator) { return separator != MG_BLANKS && separator != MG_TAB; }

/* The text of a field: without blanks around it and, where it may be quoted, without the double quotes around it
 * (RFC 4180; doubled quotes inside become one, in place). */
typedef struct mg_field {
    char *text;
    size_t length;
} mg_field;
/* The field at *p, which moves to the separator or line end behind it. False if its quotes are wrong. */
bool mg_take_field(const char **p, const char *end, char separator, bool quotes, mg_field *field);

/* Whether a field says that there is no value: it is empty, or NA, NaN, null, None in any capitals. */
bool mg_is_missing(const mg_field *field);

/* A piece of text as printf's %.*s takes it: the word at p, shortened if long. */
typedef struct mg_word {
    int length;
    const char *text;
} mg_word;
mg_word mg_word_at(const char *p, char separator);
/* How many bytes of a text fit, without half a UTF-8 character at the end. */
size_t mg_cut_text(const char *text, size_t length, size_t room);
/* How many columns the line at p has. */
unsigned mg_count_columns(const char *p, char separator);
/* Whether a word stands at p, alone. */
static inline bool mg_is_word(const char *p, const char *word) {
    size_t length = strlen(word);
    return strncmp(p, word, length) == 0 && (mg_is_blank(p[length]) || p[length] == '\n');
}
/* Whether a line holds nothing but a comment (# or % or //). */
static inline bool mg_is_comment(const char *p) { return *p == '#' || *p == '%' || (*p == '/' && p[1] == '/'); }

/* An integer id, with its sign if it has one. False where there is none that fits 64 bits. */
static inline bool mg_parse_id(const char **p, uint64_t *id, bool *negative, bool *huge) {
    if (mg_parse_u64(p, id)) {
        *huge |= *id > INT64_MAX;
        return true;
    }
    const char *at = *p + 1;
    if (**p != '-' || !mg_parse_u64(&at, id) || *id > (uint64_t)INT64_MAX + 1) return false;
    *negative |= *id != 0;
    *id = 0 - *id;
    *p = at;
    return true;
}
/* The same, also in double quotes where fields may have them: quotes are about text, not about what it says. */
static inline bool mg_parse_field_id(const char **p, char separator, uint64_t *id, bool *negative, bool *huge) {
    if (mg_parse_id(p, id, negative, huge)) return true;
    const char *at = *p + 1;
    if (**p != '"' || !mg_has_quotes(separator) || !mg_parse_id(&at, id, negative, huge) || *at != '"') return false;
    *p = at + 1;
    return true;
}
/* Notes that a chunk has negative or huge ids, and refuses both together. */
meguri_status mg_note_ids(mg_pass *pass, const mg_chunk *chunk, const char *where, bool negative, bool huge);

/* That a field is a name. */
meguri_status mg_check_name(mg_pass *pass, const mg_chunk *chunk, const mg_field *field);
/* The number of a field that is an id as a string, in a table of names; refuses what is no name. */
meguri_status mg_take_name(mg_pass *pass, const mg_chunk *chunk, mg_names *names, const mg_field *field,
                           uint32_t *number);

/* Vertices that are numbered: which numbers there are. */
typedef struct mg_numbers {
    uint64_t first, last;
} mg_numbers;
/* Fails because of the vertex number at p. */
meguri_status mg_fail_vertex(mg_pass *pass, const mg_chunk *chunk, const char *p, mg_numbers numbers);
/* A vertex number at *p, which moves to the next word or line end. */
static inline meguri_status mg_take_vertex(mg_pass *pass, const mg_chunk *chunk, const char **p, mg_numbers numbers,
                                           uint64_t *id) {
    const char *at = *p;
    if (!mg_parse_u64(&at, id) || *id < numbers.first || *id > numbers.last || (!mg_is_blank(*at) && *at != '\n'))
        return mg_fail_vertex(pass, chunk, *p, numbers);
    *p = mg_skip_blanks(at);
    return MEGURI_OK;
}

/* Fails because of the weight at p. */
meguri_status mg_fail_weight(mg_pass *pass, const mg_chunk *chunk, const char *p, char separator,
                             mg_number_status status);
meguri_status mg_fail_weight_field(mg_pass *pass, const mg_chunk *chunk, const mg_field *field,
                                   mg_number_status status);
/* A weight at *p, which moves to the next word or line end. */
static inline meguri_status mg_take_weight(mg_pass *pass, const mg_chunk *chunk, const char **p, double *weight) {
    const char *at = *p;
    mg_number_status status = mg_parse_number(&at, weight, pass->reader->c_locale);
    if (status != MG_NUMBER_OK || (!mg_is_blank(*at) && *at != '\n'))
        return mg_fail_weight(pass, chunk, *p, MG_BLANKS, status);
    *p = mg_skip_blanks(at);
    return MEGURI_OK;
}
/* Skips a word and the blanks behind it. */
static inline const char *mg_skip_word(const char *p) {
    while (!mg_is_blank(*p) && *p != '\n') p++;
    return mg_skip_blanks(p);
}
/* Whether a header line holds exactly `count` numbers. */
bool mg_header_numbers(const char *p, uint64_t *numbers, int count);

/* ---- what formats share ----------------------------------------------------------------------------------------- */

/* How the lines of an edge list look. */
typedef struct mg_edge_list {
    char separator;
    char usual; /* the character between the columns of most lines */
    bool crlf;
    unsigned columns;      /* 2 or 3; 0: there are no lines */
    unsigned name_columns; /* if ids are strings: blanks are part of them where there are tabs */
    bool weighted;         /* the third column is stored */
} mg_edge_list;
/* Looks at the first lines, and settles the kind of ids. */
meguri_status mg_look_at_edges(mg_reader *reader, mg_input *input, mg_edge_list *list);
meguri_status mg_read_edges(mg_reader *reader, mg_input *input, mg_edge_list *list);
/* Whether a comment could be a line of ids instead: it has so many columns, and no blank behind its sign. */
bool mg_is_hidden_line(const char *comment, char separator, unsigned columns);
/* Warns that there were such lines. */
void mg_tell_hidden(const mg_pass *pass);

/* What parts the columns of a line, by what makes sense of it. */
char mg_choose_separator(const char *line, const char *end);
/* … by the first of tabs, commas and semicolons that there is. */
char mg_find_separator(const char *line, const char *end);
/* The same of a header: bars too, and no tabs in quotes. */
char mg_header_separator(const char *line, const char *end);
/* Whether a name is one that headers give to the columns of ids. */
bool mg_is_column_name(const char *text, size_t length);

/* Coordinates by id, from a .co file; the vertices that it names are vertices of the graph. */
meguri_status mg_read_coords(mg_reader *reader, mg_input *input);

/* ---- columns of edges (read_columns.c) -------------------------------------------------------------------------- */

/* Declares the columns of the options. */
meguri_status mg_reader_columns(mg_reader *reader);
/* Gives a new block the columns; such blocks are handed over by mg_block_add_named, whose names may be NULL. */
meguri_status mg_block_columns(mg_block *block, const mg_pass *pass);
void mg_block_free_columns(mg_block *block);
bool mg_block_grow_columns(mg_block *block, uint64_t capacity);
/* The values of the edge that is pushed next, one field for each column. */
meguri_status mg_block_values(mg_block *block, mg_pass *pass, const mg_chunk *chunk, const mg_field *fields);

#endif
