/* bolt: the protocol of graph databases, versions 4.1 to 4.4 and 5.0 to 5.8; what a client says and hears.
 *
 * A connection belongs to one thread, except that any thread may call mg_bolt_stop. Nothing here knows graphs: a query
 * goes out with its parameters, records come back as cursors into the message that they came in. Failures leave one
 * sentence in the connection; passwords are in none of them. */
#ifndef MG_BOLT_H
#define MG_BOLT_H

#include "bolt/framing.h"

#include <meguri/status.h>

#define MG_BOLT_ERROR 768

/* ---- where (uri.c) ---------------------------------------------------------------------------------------------- */

typedef enum mg_tls {
    MG_TLS_NONE,     /* bolt:// neo4j:// */
    MG_TLS_VERIFIED, /* bolt+s:// neo4j+s:// */
    MG_TLS_ANY       /* bolt+ssc:// neo4j+ssc://: encrypted, whoever it is */
} mg_tls;

typedef struct mg_bolt_uri {
    mg_tls tls;
    char host[256], port[8];
    char database[256]; /* empty: the server's default */
} mg_bolt_uri;

/* Names and passwords in a URI are refused: it is visible to everybody on the machine. */
meguri_status mg_bolt_parse_uri(mg_bolt_uri *out, const char *text, char error[MG_BOLT_ERROR]);

/* A text that was to be a URI, for a sentence: without what may be a name or a password. */
const char *mg_bolt_show_uri(char out[MG_BOLT_ERROR], const char *text);

/* ---- bytes to and from a server (stream.c, which alone knows sockets and OpenSSL) ---------------------------------
 */

typedef struct mg_stream mg_stream;
typedef struct mg_stream_options {
    double connect_timeout; /* seconds for each step of connecting */
    double timeout;         /* seconds in which an answer to a greeting, and then each record, must come */
    const char *ca_file;    /* certificates to trust instead of the system's; NULL: the system's */
    const int *wake;        /* when this descriptor can be read from, whoever waits fails; NULL: there is none */
} mg_stream_options;

meguri_status mg_stream_open(mg_stream **out, const mg_bolt_uri *uri, const mg_stream_options *options,
                             char error[MG_BOLT_ERROR]);
/* At least one byte, or a failure: the end of the stream is one. */
meguri_status mg_stream_read(size_t *got, mg_stream *stream, void *data, size_t room, char error[MG_BOLT_ERROR]);
meguri_status mg_stream_write(mg_stream *stream, const void *data, size_t bytes, char error[MG_BOLT_ERROR]);
/* Makes whoever waits for it fail at once. */
void mg_stream_stop(mg_stream *stream);
/* All that is read and written from now on must be done within so many seconds, however much of it comes. */
void mg_stream_limit(mg_stream *stream, double seconds);
void mg_stream_close(mg_stream *stream);

/* ---- the client (client.c) -------------------------------------------------------------------------------------- */

typedef struct mg_bolt_options {
    mg_stream_options stream;
    const char *username, *password; /* both NULL: the server wants none */
    size_t message_most;             /* bytes of a message at most; 0: 64 MiB */
    const mg_heap *heap;             /* for messages; NULL: the system's */
} mg_bolt_options;

typedef struct mg_bolt mg_bolt;

/* Connects, agrees on a version and logs in. */
meguri_status mg_bolt_open(mg_bolt **out, const mg_bolt_uri *uri, const mg_bolt_options *options,
                           char error[MG_BOLT_ERROR]);
void mg_bolt_close(mg_bolt *bolt); /* says goodbye, if it may */
void mg_bolt_stop(mg_bolt *bolt);

/* Sends a query, whose records must come within the time-out each, whatever else comes between them. `parameters` is a
 * map, packed; NULL: there are none. */
meguri_status mg_bolt_run(mg_bolt *bolt, const char *query, const mg_bytes *parameters, bool writes);
/* The next record: the cursor is at its list of fields. *more is false when there are none left. */
meguri_status mg_bolt_next(bool *more, mg_cursor *record, mg_bolt *bolt);
/* A query that has one record; *record as above, until the next call. A second one is a failure. */
meguri_status mg_bolt_ask(mg_cursor *record, mg_bolt *bolt, const char *query, const mg_bytes *parameters);

const char *mg_bolt_error(const mg_bolt *bolt);
/* Whether the last failure may pass: the connection was lost, or the database says so. */
bool mg_bolt_may_pass(const mg_bolt *bolt);
int mg_bolt_version(const mg_bolt *bolt);       /* 404 is 4.4, 508 is 5.8 */
uint64_t mg_bolt_received(const mg_bolt *bolt); /* bytes */

#endif
