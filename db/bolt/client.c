/* The client: handshake, HELLO and LOGON, RUN and PULL.
 *
 * Requests that belong together go out in one write (HELLO with LOGON, RUN with PULL). After a FAILURE the server
 * ignores everything until RESET; a connection that has failed is of no use any more here and is made anew. */
#include "bolt/bolt.h"
#include "bolt/secret.h"

#include <meguri/extra/escape.h>
#include <meguri/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HELLO = 0x01,
    GOODBYE = 0x02,
    RUN = 0x10,
    PULL = 0x3F,
    LOGON = 0x6A,
    SUCCESS = 0x70,
    RECORD = 0x71,
    FAILURE = 0x7F,
    RECORDS_AT_A_TIME = 65536,
    GOODBYE_SECONDS = 1
};

struct mg_bolt {
    mg_stream *stream;
    mg_frames frames;
    mg_bytes message, out;
    mg_bytes answer; /* to mg_bolt_ask */
    int version;
    bool ready;    /* logged in, and nothing has failed since */
    bool running;  /* records may still come */
    bool may_pass; /* what failed may go well at another time */
    double timeout;
    const char *password; /* of the caller, for the server's words not to repeat it; NULL: none */
    uint64_t received;
    char where[600]; /* host, port and database, for sentences */
    char database[256];
    char error[MG_BOLT_ERROR];
};

const char *mg_bolt_error(const mg_bolt *bolt) { return bolt->error; }
bool mg_bolt_may_pass(const mg_bolt *bolt) { return bolt->may_pass; }
int mg_bolt_version(const mg_bolt *bolt) { return bolt->version; }
uint64_t mg_bolt_received(const mg_bolt *bolt) { return bolt->received; }

static meguri_status fail(mg_bolt *bolt, meguri_status status, const char *text) {
    snprintf(bolt->error, sizeof bolt->error, "%s: %s", bolt->where, text);
    bolt->ready = bolt->running = false;
    return status;
}

static meguri_status misunderstood(mg_bolt *bolt) {
    return fail(bolt, MEGURI_ENGINE_FAILED,
                "the answer is not one of Bolt; is this the Bolt port of a graph database?");
}

static meguri_status lost(mg_bolt *bolt, meguri_status status) {
    bolt->ready = bolt->running = false;
    bolt->may_pass = true;
    return status;
}

/* ---- sending ---------------------------------------------------------------------------------------------------- */

static void begin(mg_bolt *bolt, uint8_t tag, uint8_t fields) {
    bolt->message.length = 0;
    mg_pack_struct(&bolt->message, tag, fields);
}

static void end(mg_bolt *bolt) { mg_frames_put(&bolt->out, &bolt->message); }

static meguri_status flush(mg_bolt *bolt) {
    if (bolt->out.failed) return fail(bolt, MEGURI_NO_MEMORY, "the system has no memory for a message.");
    meguri_status status = mg_stream_write(bolt->stream, bolt->out.data, bolt->out.length, bolt->error);
    bolt->out.length = 0;
    return status == MEGURI_OK ? status : lost(bolt, status);
}

static void pack_pair(mg_bytes *out, const char *key, const char *text) {
    mg_pack_string(out, key);
    mg_pack_string(out, text);
}

static void pack_login(mg_bytes *out, const mg_bolt_options *options) {
    pack_pair(out, "scheme", options->username ? "basic" : "none");
    if (!options->username) return;
    pack_pair(out, "principal", options->username);
    pack_pair(out, "credentials", options->password);
}

static void send_hello(mg_bolt *bolt, const mg_bolt_options *options) {
    char agent[64];
    snprintf(agent, sizeof agent, "meguri/%s", meguri_version());
    const uint32_t login = options->username ? 3 : 1;
    bool apart = bolt->version >= 501, named = bolt->version >= 503;
    begin(bolt, HELLO, 1);
    mg_pack_map(&bolt->message, 1 + (named ? 1 : 0) + (apart ? 0 : login));
    pack_pair(&bolt->message, "user_agent", agent);
    if (named) {
        mg_pack_string(&bolt->message, "bolt_agent");
        mg_pack_map(&bolt->message, 1);
        pack_pair(&bolt->message, "product", agent);
    }
    if (!apart) pack_login(&bolt->message, options);
    end(bolt);
    if (!apart) return;
    begin(bolt, LOGON, 1);
    mg_pack_map(&bolt->message, login);
    pack_login(&bolt->message, options);
    end(bolt);
}

static void send_pull(mg_bolt *bolt) {
    begin(bolt, PULL, 1);
    mg_pack_map(&bolt->message, 1);
    mg_pack_string(&bolt->message, "n");
    mg_pack_integer(&bolt->message, RECORDS_AT_A_TIME);
    end(bolt);
}

/* ---- receiving -------------------------------------------------------------------------------------------------- */

static meguri_status receive(mg_cursor *message, mg_bolt *bolt) {
    for (;;) {
        uint8_t *at;
        size_t room, got;
        mg_frame_state state = mg_frames_next(message, &bolt->frames);
        if (state == MG_FRAME_READY) return MEGURI_OK;
        if (state == MG_FRAME_TOO_LARGE)
            return fail(bolt, MEGURI_ENGINE_FAILED,
                        "a message is larger than the 64 MiB that one may have; is this a graph database?");
        if (!mg_frames_room(&at, &room, &bolt->frames))
            return fail(bolt, MEGURI_NO_MEMORY, "the system has no memory for a message.");
        meguri_status status = mg_stream_read(&got, bolt->stream, at, room, bolt->error);
        if (status != MEGURI_OK) return lost(bolt, status);
        mg_frames_arrived(&bolt->frames, got);
        bolt->received += got;
    }
}

/* The head of a message; its fields follow in the cursor. */
static meguri_status receive_head(uint8_t *tag, mg_cursor *fields, mg_bolt *bolt) {
    mg_value head;
    meguri_status status = receive(fields, bolt);
    if (status != MEGURI_OK) return status;
    if (!mg_unpack(&head, fields) || head.kind != MG_STRUCT || head.count > 1) return misunderstood(bolt);
    *tag = head.tag;
    return MEGURI_OK;
}

static bool find_text(mg_value *out, mg_cursor map, const char *key) {
    bool found;
    return mg_unpack_find(&found, &map, key) && found && mg_unpack(out, &map) && out->kind == MG_TEXT;
}

/* The server's own words, which may repeat what it was sent. */
static meguri_status refused(mg_bolt *bolt, mg_cursor fields) {
    mg_value code, text;
    char plain[400], words[500];
    if (!find_text(&text, fields, "message")) return misunderstood(bolt);
    if (!find_text(&code, fields, "neo4j_code") && !find_text(&code, fields, "code")) code.length = 0;
    size_t length = mg_secret_hide(plain, sizeof plain, text.text, text.length, bolt->password);
    while (length && strchr(" \r\n\t", plain[length - 1])) length--;
    meguri_escape(words, sizeof words, plain, length);
    char *w = words + strlen(words);
    static const char security[] = "Neo.ClientError.Security.", passing[] = "Neo.TransientError.";
    bool login = code.length > sizeof security && memcmp(code.text, security, sizeof security - 1) == 0;
    bolt->may_pass = code.length > sizeof passing && memcmp(code.text, passing, sizeof passing - 1) == 0;
    if (w > words && w[-1] == '.') w[-1] = '\0';
    snprintf(bolt->error, sizeof bolt->error, "%s: the database refuses: %s%s.", bolt->where, words,
             login ? "; NEO4J_USERNAME, NEO4J_PASSWORD or a password file say who logs in" : "");
    bolt->ready = bolt->running = false;
    return MEGURI_ENGINE_FAILED;
}

/* A SUCCESS, whose map is in the cursor. */
static meguri_status expect_success(mg_cursor *map, mg_bolt *bolt) {
    uint8_t tag;
    meguri_status status = receive_head(&tag, map, bolt);
    if (status != MEGURI_OK) return status;
    if (tag == FAILURE) return refused(bolt, *map);
    return tag == SUCCESS ? MEGURI_OK : misunderstood(bolt);
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

/* Four versions, each with so many before it: 5.8–5.0, 4.4–4.3, 4.1. */
static const uint8_t offer[] = {0x60, 0x60, 0xB0, 0x17, 0, 8, 8, 5, 0, 1, 4, 4, 0, 0, 1, 4, 0, 0, 0, 0};

static meguri_status shake_hands(mg_bolt *bolt) {
    uint8_t answer[4];
    size_t has = 0, got;
    meguri_status status = mg_stream_write(bolt->stream, offer, sizeof offer, bolt->error);
    while (status == MEGURI_OK && has < sizeof answer) {
        status = mg_stream_read(&got, bolt->stream, answer + has, sizeof answer - has, bolt->error);
        if (status == MEGURI_OK) has += got;
    }
    if (status != MEGURI_OK) {
        fail(bolt, status,
             "the connection was made, but nothing came that is Bolt; is this its port, and does it want TLS "
             "(bolt+s://)?");
        return lost(bolt, status);
    }
    bolt->version = 100 * answer[3] + answer[2];
    bool known = bolt->version == 401 || (bolt->version >= 403 && bolt->version <= 404) ||
                 (bolt->version >= 500 && bolt->version <= 508);
    if (known && !answer[0] && !answer[1]) return MEGURI_OK;
    if (memcmp(answer, "HTTP", 4) == 0)
        return fail(bolt, MEGURI_ENGINE_FAILED, "this is a port for HTTP; Bolt's is 7687 by default.");
    if (answer[0] | answer[1] | answer[2] | answer[3]) return misunderstood(bolt);
    return fail(bolt, MEGURI_ENGINE_FAILED, "the server speaks none of Bolt 4.1, 4.3, 4.4 and 5.0 to 5.8.");
}

static meguri_status log_in(mg_bolt *bolt, const mg_bolt_options *options) {
    mg_cursor map;
    bolt->message.heap = bolt->out.heap = &mg_secret_heap;
    send_hello(bolt, options);
    meguri_status status = flush(bolt);
    mg_bytes_free(&bolt->message);
    mg_bytes_free(&bolt->out);
    bolt->message.heap = bolt->out.heap = options->heap;
    if (status == MEGURI_OK) status = expect_success(&map, bolt);
    if (status == MEGURI_OK && bolt->version >= 501) status = expect_success(&map, bolt);
    bolt->ready = status == MEGURI_OK;
    return status;
}

meguri_status mg_bolt_open(mg_bolt **out, const mg_bolt_uri *uri, const mg_bolt_options *options,
                           char error[MG_BOLT_ERROR]) {
    mg_bolt *bolt = calloc(1, sizeof *bolt);
    *out = NULL;
    size_t most = options->message_most ? options->message_most : (size_t)64 << 20;
    if (!bolt || !mg_frames_new(&bolt->frames, most, options->heap)) {
        free(bolt);
        snprintf(error, MG_BOLT_ERROR, "the system has no memory for a connection.");
        return MEGURI_NO_MEMORY;
    }
    bolt->answer.heap = options->heap;
    bolt->timeout = options->stream.timeout;
    bolt->password = options->password;
    snprintf(bolt->database, sizeof bolt->database, "%s", uri->database);
    snprintf(bolt->where, sizeof bolt->where, "%s:%s%s%s", uri->host, uri->port, *uri->database ? "/" : "",
             uri->database);
    meguri_status status = mg_stream_open(&bolt->stream, uri, &options->stream, bolt->error);
    if (status != MEGURI_OK) bolt->may_pass = true;
    if (status == MEGURI_OK) status = shake_hands(bolt);
    if (status == MEGURI_OK) status = log_in(bolt, options);
    if (status == MEGURI_OK) *out = bolt;
    else {
        snprintf(error, MG_BOLT_ERROR, "%s", bolt->error);
        mg_bolt_close(bolt);
    }
    return status;
}

void mg_bolt_stop(mg_bolt *bolt) {
    if (bolt) mg_stream_stop(bolt->stream);
}

void mg_bolt_close(mg_bolt *bolt) {
    if (!bolt) return;
    if (bolt->ready && !bolt->running) {
        mg_stream_limit(bolt->stream, GOODBYE_SECONDS);
        begin(bolt, GOODBYE, 0);
        end(bolt);
        flush(bolt);
    }
    mg_stream_close(bolt->stream);
    mg_frames_free(&bolt->frames);
    mg_bytes_free(&bolt->message);
    mg_bytes_free(&bolt->out);
    mg_bytes_free(&bolt->answer);
    free(bolt);
}

/* ---- queries ---------------------------------------------------------------------------------------------------- */

meguri_status mg_bolt_run(mg_bolt *bolt, const char *query, const mg_bytes *parameters, bool writes) {
    mg_cursor map;
    bool named = *bolt->database;
    mg_stream_limit(bolt->stream, bolt->timeout);
    begin(bolt, RUN, 3);
    mg_pack_string(&bolt->message, query);
    if (parameters) mg_bytes_add(&bolt->message, parameters->data, parameters->length);
    else mg_pack_map(&bolt->message, 0);
    bolt->message.failed |= parameters && parameters->failed;
    mg_pack_map(&bolt->message, (named ? 1 : 0) + (writes ? 0 : 1));
    if (named) pack_pair(&bolt->message, "db", bolt->database);
    if (!writes) pack_pair(&bolt->message, "mode", "r");
    end(bolt);
    send_pull(bolt);
    meguri_status status = flush(bolt);
    if (status == MEGURI_OK) status = expect_success(&map, bolt);
    bolt->running = status == MEGURI_OK;
    return status;
}

/* The end of what was asked for: there may be more. */
static meguri_status pull_more(bool *more, mg_bolt *bolt, mg_cursor map) {
    mg_value value;
    bool found;
    if (!mg_unpack_find(&found, &map, "has_more")) return misunderstood(bolt);
    *more = found && mg_unpack(&value, &map) && value.kind == MG_BOOL && value.integer;
    bolt->running = *more;
    if (!*more) return MEGURI_OK;
    send_pull(bolt);
    return flush(bolt);
}

meguri_status mg_bolt_next(bool *more, mg_cursor *record, mg_bolt *bolt) {
    *more = bolt->running;
    while (*more) {
        uint8_t tag;
        meguri_status status = receive_head(&tag, record, bolt);
        if (status != MEGURI_OK) return status;
        if (tag == RECORD) {
            mg_stream_limit(bolt->stream, bolt->timeout);
            return MEGURI_OK;
        }
        if (tag == FAILURE) return refused(bolt, *record);
        if (tag != SUCCESS) return misunderstood(bolt);
        status = pull_more(more, bolt, *record);
        if (status != MEGURI_OK) return status;
    }
    return MEGURI_OK;
}

meguri_status mg_bolt_ask(mg_cursor *record, mg_bolt *bolt, const char *query, const mg_bytes *parameters) {
    bool more;
    mg_cursor first;
    meguri_status status = mg_bolt_run(bolt, query, parameters, false);
    if (status == MEGURI_OK) status = mg_bolt_next(&more, &first, bolt);
    if (status != MEGURI_OK) return status;
    if (!more) return fail(bolt, MEGURI_ENGINE_FAILED, "the database has no answer to a question that has always one.");
    /* What comes behind it may move the buffer. */
    mg_bytes_free(&bolt->answer);
    mg_bytes_add(&bolt->answer, first.at, (size_t)(first.end - first.at));
    if (bolt->answer.failed) return fail(bolt, MEGURI_NO_MEMORY, "the system has no memory for an answer.");
    status = mg_bolt_next(&more, &first, bolt);
    if (status == MEGURI_OK && more)
        return fail(bolt, MEGURI_ENGINE_FAILED, "the database has several answers to a question that has always one.");
    *record = (mg_cursor){bolt->answer.data, bolt->answer.data + bolt->answer.length};
    return status;
}
