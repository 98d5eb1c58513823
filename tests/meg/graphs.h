/* Graphs made by hand, part by part, in every combination that a .meg file can hold; and what the tests of files
 * share: temporary folders, files in memory, resealing a file that was changed. */
#ifndef MEG_GRAPHS_H
#define MEG_GRAPHS_H

#include "base/base.h"
#include "graph/graph.h"

#include <meguri.h>

meguri_ctx *new_context(uint32_t threads);

/* The index-th graph and its name; NULL when there are no more. Aborts if memory runs out. */
#define GRAPH_NAME 96
meguri_graph *make_graph(meguri_ctx *ctx, int index, char name[GRAPH_NAME]);
/* The one with the most parts, and one whose sections have several chunks. */
meguri_graph *make_full_graph(meguri_ctx *ctx);
meguri_graph *make_large_graph(meguri_ctx *ctx, uint64_t vertices, uint64_t degree);
/* A small one with a path index: 0 … INDEXED - 1, of all types of weights, directed and not, with costs of 4 and 8
 * bytes; the last has vertices that are not contracted. */
enum { NOT_INDEXED = 24 + 6 * 6 * 16, INDEXED = 15 }; /* of make_graph, which has them last */
meguri_graph *make_indexed_graph(meguri_ctx *ctx, int index);

/* NULL if the two are the same in every field and every byte of every part; else what differs. */
const char *graphs_differ(meguri_ctx *ctx, const meguri_graph *a, const meguri_graph *b);

/* Everything that the public interface tells about a graph, function by function. */
enum { ANSWERS = 11 };
typedef struct answer {
    meguri_status status;
    void *bytes; /* mallocked */
    size_t count;
} answer;
void ask_everything(answer out[ANSWERS], meguri_ctx *ctx, const meguri_graph *graph);
void free_answers(answer answers[ANSWERS]);

/* A file without a name that can be opened by a path. */
typedef struct memory_file {
    int fd;
    char path[64];
} memory_file;
memory_file new_memory_file(const void *bytes, size_t count);
/* The bytes of a file, mallocked. */
unsigned char *file_bytes(const char *path, size_t *count);
unsigned char *saved_bytes(meguri_ctx *ctx, const meguri_graph *graph, size_t *count);

/* Where a section of a file begins, by its number, and how large it is; aborts where there is none. */
uint64_t section_of(const unsigned char *bytes, uint32_t number, uint64_t *size);
/* Makes every checksum of a changed .meg file right again, as far as its table can be followed. */
void reseal(unsigned char *bytes, size_t count);

#define FOLDER_NAME 512
/* A folder for a test; removed with all that is in it. */
void make_folder(char path[FOLDER_NAME]); /* in memory where possible: syncing is what takes the time */
void make_folder_on_disk(char path[FOLDER_NAME]);
void remove_folder(const char *path);

#endif
