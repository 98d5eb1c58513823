/* Sinks: where output goes, the same for graphs, results, paths, tables and pages. */
#ifndef MEGURI_SINK_H
#define MEGURI_SINK_H

#include <meguri/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Either a path or a function; {.size = sizeof sink, .path = "roads.meg"} is a sink. */
typedef struct meguri_sink {
    size_t size;           /* sizeof(meguri_sink) */
    const char *path;      /* a file, which appears whole or not at all; "-" is standard output; NULL: */
    const char *form;      /* what is written, as the suffix of a file would say it, such as "tsv" or "csv.gz"; NULL:
                              the suffix of the path says it */
    meguri_write_fn write; /* gets the bytes in their order, piece by piece; after a failure it is not called again */
    void *user;            /* its first argument */
} meguri_sink;

#ifdef __cplusplus
}
#endif
#endif
