/* The .meg file inside: what lies where. docs/meg-format.md is the same in words, to the byte.
 *
 * A file is a header, a table of sections, and the sections, each on a page of its own. A section is divided into
 * chunks of 2^chunk_log2 bytes; behind it lies the list of its chunks' hashes, whose own hash is in the table, whose
 * hash, with the header's, is in the header. So any range of any section can be checked by reading its chunks
 * alone, and a whole section by all threads at once. */
#ifndef MG_IO_MEG_H
#define MG_IO_MEG_H

#include "io/io.h"

#define MG_MEG_MAGIC          "\x89MEG\r\n\x1a\n" /* as PNG's: shows what a transfer in text mode did */
#define MG_MEG_MAJOR          1                   /* a reader refuses files with another one */
#define MG_MEG_MINOR          0                   /* a reader ignores what a larger one adds */
#define MG_MEG_MINOR_LATER    1                   /* written where there are sections that 1.0 did not have: */
#define MG_MEG_FIRST_SECTIONS 15                  /* the last number of these */
#define MG_MEG_PAGE           4096u
#define MG_MEG_CHUNK_LOG2     20u
#define MG_MEG_MIN_CHUNK      12u
#define MG_MEG_MAX_CHUNK      30u
#define MG_MEG_MAX_HEAD       ((uint64_t)1 << 28) /* bytes of header and table */
#define MG_MEG_DIRECTED       1u                  /* the only flag of a graph so far */
#define MG_MEG_MUST_KNOW      1u                  /* flag of a section: do not open the file without knowing it */
#define MG_MEG_DAMAGED        "%s is damaged: "
#define MG_MEG_DAMAGED_ADVICE "; copy it again from where it came, or build it again."

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "a .meg file is little-endian and is mapped, not translated; this machine is big-endian"
#endif

typedef struct mg_meg_header {
    unsigned char magic[8];
    uint16_t major, minor;
    uint32_t header_bytes; /* where the table begins */
    uint64_t head_hash;    /* XXH3-64 of header and table, this field being zero */
    uint64_t file_bytes;
    uint64_t vertices, rows, arcs, edges, isolated;
    uint64_t id_base;
    uint64_t input_edges, dropped_duplicates, dropped_loops;
    uint32_t flags;
    uint8_t weight_type, id_kind, order, offset_bytes;
    uint32_t sections;
    uint32_t entry_bytes;
    uint8_t chunk_log2;
    uint8_t declared_weights; /* 0: as they are stored */
    uint8_t unused[6];        /* zero */
} mg_meg_header;
_Static_assert(sizeof(mg_meg_header) == 128, "the header has 128 bytes in the file");

typedef struct mg_meg_entry {
    uint32_t number; /* mg_meg_number() of the part */
    uint32_t flags;
    uint32_t element_bytes;
    uint32_t unused; /* zero */
    uint64_t offset; /* in the file, a multiple of MG_MEG_PAGE */
    uint64_t bytes;
    uint64_t list_hash; /* XXH3-64 of the list of chunk hashes */
} mg_meg_entry;
_Static_assert(sizeof(mg_meg_entry) == 40, "an entry of the table has 40 bytes in the file");

/* ---- layout (meg_layout.c) -------------------------------------------------------------------------------------- */

/* The numbers of the parts in files; they never change, whatever the order of mg_part. 0 and -1: no such. */
uint32_t mg_meg_number(const meguri_graph *graph, mg_part part);
int mg_meg_part(const meguri_graph *graph, uint32_t number);
const char *mg_meg_part_name(const meguri_graph *graph, mg_part part); /* "neighbours", for sentences */
bool mg_meg_must_know(const meguri_graph *graph, mg_part part);

/* Bytes of an element of a part; the graph's numbers must have passed mg_meg_check_numbers. */
uint32_t mg_meg_element_bytes(const meguri_graph *graph, mg_part part);
/* The numbers of a graph against each other; NULL, or what is wrong with them. */
const char *mg_meg_check_numbers(const meguri_graph *graph);
/* The sizes of its parts against the numbers, and which parts must and must not be there. */
const char *mg_meg_check_parts(const meguri_graph *graph, mg_part *culprit);

static inline uint64_t mg_meg_chunks(uint64_t bytes, uint32_t chunk_log2) {
    return (bytes >> chunk_log2) + ((bytes & (((uint64_t)1 << chunk_log2) - 1)) != 0);
}
/* Where the list of hashes of a section begins, counted from the section. */
static inline uint64_t mg_meg_list_at(uint64_t bytes) { return (bytes + 7) / 8 * 8; }

/* ---- a file to be written (meg_plan.c) -------------------------------------------------------------------------- */

/* A file in the making: what goes where. */
typedef struct mg_meg_planned {
    mg_part part;
    const unsigned char *data;
    uint64_t bytes, offset, chunks;
    uint64_t *hashes;
} mg_meg_planned;

typedef struct mg_meg_plan {
    const meguri_graph *graph;
    mg_meg_planned *section; /* in the order of the parts */
    uint32_t sections;
    uint64_t *hashes; /* of all chunks of all sections: so many */
    uint64_t chunks;
    unsigned char *head;
    uint64_t head_bytes, file_bytes;
    uint64_t done, work; /* bytes, for the progress */
} mg_meg_plan;

static const uint64_t mg_meg_chunk_bytes = (uint64_t)1 << MG_MEG_CHUNK_LOG2;

/* Sections for all parts that p->graph has, with room for their hashes. Refuses a graph that could not be opened again.
 */
meguri_status mg_meg_plan_make(mg_meg_plan *p, meguri_ctx *ctx, const char *path);
void mg_meg_plan_free(mg_meg_plan *p);
/* Makes header and table, p->head, once every hash is known. */
void mg_meg_head(mg_meg_plan *p);

/* ---- an open file (meg_open.c, meg_check.c) --------------------------------------------------------------------- */

typedef struct mg_meg_section {
    const unsigned char *data;
    const unsigned char *list; /* chunk hashes, 8 bytes each */
    uint64_t bytes;
    uint64_t chunks;
    uint64_t list_hash;
    uint64_t offset;      /* in the file, for sentences */
    uint64_t first_chunk; /* its bits in mg_meg_file.checked begin here */
    bool present;
    bool list_checked;  /* atomic */
    bool whole_checked; /* atomic */
} mg_meg_section;

typedef struct mg_meg_file {
    mg_backing backing; /* first: the graph knows no more of it */
    char *path;
    void *base;                  /* of the mapping, or: */
    void *copy;                  /* a block of ours; NULL: */
    bool borrowed;               /* the caller's memory */
    void (*release)(void *user); /* which is told when it is no longer needed; may be NULL */
    void *user;
    uint64_t bytes;
    uint32_t chunk_log2;
    mg_meg_section *section; /* of each part of the graph */
    uint64_t *checked;       /* a bit for each chunk of each section; atomic */
    bool parallel;           /* a row names a neighbour twice; known when the neighbours are checked; atomic */
} mg_meg_file;

/* mg_backing.check of a file. Thread-safe by itself. */
meguri_status mg_meg_check(mg_backing *backing, meguri_ctx *ctx, const meguri_graph *graph, mg_part part,
                           uint64_t begin, uint64_t end);

#endif
