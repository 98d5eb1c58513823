/* Bytes to and from a server, over TCP or TLS, with time limits. Sockets do not block: all waiting is done in poll, so
 * that a limit ends it, and so does mg_stream_stop. A limit is a moment, not a length of silence: a server that sends a
 * byte now and then does not move it. */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "bolt/bolt.h"
#include "bolt/lookup.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct mg_stream {
    int fd;
    SSL_CTX *tls;
    SSL *ssl; /* NULL: in the clear */
    BIO_METHOD *method;
    double until;    /* when reading and writing ends, whatever has come, by now() */
    int wake;        /* -1: there is none */
    char where[300]; /* for sentences */
};

static meguri_status fail(char error[MG_BOLT_ERROR], const char *where, const char *what, const char *advice) {
    snprintf(error, MG_BOLT_ERROR, "%s: %s; %s", where, what, advice);
    return MEGURI_ENGINE_FAILED;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void mg_stream_limit(mg_stream *stream, double seconds) { stream->until = now() + seconds; }

/* True, with errno, where the limit is passed. */
static bool is_late(const mg_stream *stream) {
    bool late = now() >= stream->until;
    if (late) errno = ETIMEDOUT;
    return late;
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

/* False with errno where nothing happens before the limit, or somebody wants it to end. */
static bool wait_for(const mg_stream *stream, int fd, short events) {
    struct pollfd wanted[] = {{.fd = fd, .events = events}, {.fd = stream->wake, .events = POLLIN}};
    int ready;
    do {
        double seconds = stream->until - now();
        int milliseconds = seconds > 1e6 ? 1000000000 : seconds > 0 ? (int)(1e3 * seconds) + 1 : 0;
        ready = poll(wanted, 2, milliseconds); /* without the second where that is negative */
    } while (ready < 0 && errno == EINTR);
    if (ready == 0) errno = ETIMEDOUT;
    if (ready > 0 && wanted[1].revents) {
        errno = ECANCELED;
        return false;
    }
    return ready > 0;
}

static const char *why(int number) {
    return number == ETIMEDOUT      ? "there was no answer in time"
           : number == ECONNREFUSED ? "nobody answers at this port"
           : number == ECONNRESET   ? "the other side has broken off the connection"
           : number == EPIPE        ? "the other side has closed the connection"
                                    : strerror(number);
}

static bool is_out_of_files(int number) { return number == EMFILE || number == ENFILE; }
static const char more_files[] =
    "allow more of them (ulimit -n), or ask for fewer databases and connections at a time.";

/* ---- TCP -------------------------------------------------------------------------------------------------------- */

static int connect_to(const mg_stream *stream, const struct addrinfo *to) {
    int on = 1, failed = 0;
    socklen_t size = sizeof failed;
    int fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, to->ai_protocol);
    if (fd < 0) return -1;
    if (connect(fd, to->ai_addr, to->ai_addrlen) != 0) {
        if (errno != EINPROGRESS || !wait_for(stream, fd, POLLOUT)) failed = errno;
        else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size) != 0) failed = errno;
    }
    if (failed) {
        close(fd);
        errno = failed;
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    return fd;
}

/* The addresses of the host, which are to be freed; stops waiting as everybody here does. */
static meguri_status find_host(struct addrinfo **out, const mg_stream *stream, const mg_bolt_uri *uri,
                               char error[MG_BOLT_ERROR]) {
    mg_lookup *lookup = mg_lookup_new(uri->host, uri->port);
    if (!lookup && is_out_of_files(errno)) return fail(error, stream->where, strerror(errno), more_files);
    if (!lookup) {
        snprintf(error, MG_BOLT_ERROR, "the system has no memory, or no thread, to look up %s.", uri->host);
        return MEGURI_NO_MEMORY;
    }
    bool answered = wait_for(stream, mg_lookup_descriptor(lookup), POLLIN);
    int number = errno, code = answered ? mg_lookup_take(out, lookup) : 0;
    mg_lookup_leave(lookup);
    if (!answered)
        return fail(error, stream->where, number == ETIMEDOUT ? "no name server has answered in time" : why(number),
                    "is the name of the host right?");
    return code ? fail(error, stream->where, gai_strerror(code), "is the name of the host right?") : MEGURI_OK;
}

/* Each step has so many seconds: looking up the host, and each of its addresses. */
static meguri_status open_socket(mg_stream *stream, const mg_bolt_uri *uri, double seconds, char error[MG_BOLT_ERROR]) {
    struct addrinfo *found = NULL;
    mg_stream_limit(stream, seconds);
    meguri_status status = find_host(&found, stream, uri, error);
    if (status != MEGURI_OK) return status;
    for (const struct addrinfo *to = found; to && stream->fd < 0; to = to->ai_next) {
        mg_stream_limit(stream, seconds);
        stream->fd = connect_to(stream, to);
    }
    int number = errno;
    freeaddrinfo(found);
    if (stream->fd >= 0) return MEGURI_OK;
    return fail(error, stream->where, why(number),
                is_out_of_files(number) ? more_files : "is the database running, and is this its Bolt port?");
}

/* ---- TLS -------------------------------------------------------------------------------------------------------- */

/* A socket as OpenSSL sees it. Its own would be killed by SIGPIPE where the other side has left. */
static int bio_write(BIO *bio, const char *data, int bytes) {
    const mg_stream *stream = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    ssize_t sent = send(stream->fd, data, (size_t)bytes, MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
    return (int)sent;
}

static int bio_read(BIO *bio, char *data, int room) {
    const mg_stream *stream = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    ssize_t got = recv(stream->fd, data, (size_t)room, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
    return (int)got;
}

static long bio_control(BIO *bio, int what, long number, void *pointer) {
    (void)bio, (void)number, (void)pointer;
    return what == BIO_CTRL_FLUSH;
}

static int bio_create(BIO *bio) {
    BIO_set_init(bio, 1);
    return 1;
}

static BIO *socket_bio(mg_stream *stream) {
    stream->method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    if (!stream->method || !BIO_meth_set_write(stream->method, bio_write) ||
        !BIO_meth_set_read(stream->method, bio_read) || !BIO_meth_set_ctrl(stream->method, bio_control) ||
        !BIO_meth_set_create(stream->method, bio_create))
        return NULL;
    BIO *bio = BIO_new(stream->method);
    if (bio) BIO_set_data(bio, stream);
    return bio;
}

/* What OpenSSL says about its last failure. */
static const char *tls_reason(const mg_stream *stream, char text[256]) {
    long verified = stream->ssl ? SSL_get_verify_result(stream->ssl) : X509_V_OK;
    unsigned long code = ERR_peek_last_error();
    if (verified != X509_V_OK)
        snprintf(text, 256, "its certificate is not to be trusted (%s)", X509_verify_cert_error_string(verified));
    else if (code)
        snprintf(text, 256, "TLS failed (%s)", ERR_reason_error_string(code) ? ERR_reason_error_string(code) : "?");
    else snprintf(text, 256, "the connection ended while TLS began");
    ERR_clear_error();
    return text;
}

/* Does what OpenSSL waits for; false with errno where it has failed for good, or in time. */
static bool tls_wait(mg_stream *stream, int result) {
    switch (SSL_get_error(stream->ssl, result)) {
    case SSL_ERROR_WANT_READ: return wait_for(stream, stream->fd, POLLIN);
    case SSL_ERROR_WANT_WRITE: return wait_for(stream, stream->fd, POLLOUT);
    case SSL_ERROR_ZERO_RETURN: errno = 0; return false;
    case SSL_ERROR_SYSCALL: return false;
    default: errno = EPROTO; return false;
    }
}

static bool tls_prepare(mg_stream *stream, const mg_bolt_uri *uri, const char *ca_file) {
    stream->tls = SSL_CTX_new(TLS_client_method());
    if (!stream->tls || !SSL_CTX_set_min_proto_version(stream->tls, TLS1_2_VERSION)) return false;
    if (uri->tls == MG_TLS_VERIFIED) {
        SSL_CTX_set_verify(stream->tls, SSL_VERIFY_PEER, NULL);
        if (ca_file ? !SSL_CTX_load_verify_locations(stream->tls, ca_file, NULL)
                    : !SSL_CTX_set_default_verify_paths(stream->tls))
            return false;
    }
    stream->ssl = SSL_new(stream->tls);
    BIO *bio = stream->ssl ? socket_bio(stream) : NULL;
    if (!bio) return false;
    SSL_set_bio(stream->ssl, bio, bio);
    unsigned char address[16];
    bool numeric = inet_pton(AF_INET, uri->host, address) == 1 || inet_pton(AF_INET6, uri->host, address) == 1;
    if (numeric) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(stream->ssl), uri->host);
    return SSL_set_tlsext_host_name(stream->ssl, uri->host) && SSL_set1_host(stream->ssl, uri->host);
}

static meguri_status open_tls(mg_stream *stream, const mg_bolt_uri *uri, const char *ca_file,
                              char error[MG_BOLT_ERROR]) {
    char text[256];
    ERR_clear_error();
    if (!tls_prepare(stream, uri, ca_file))
        return fail(error, ca_file ? ca_file : stream->where, tls_reason(stream, text),
                    "certificates to trust are a file in PEM form.");
    for (int result; (result = SSL_connect(stream->ssl)) != 1;)
        if (is_late(stream) || !tls_wait(stream, result)) {
            bool late = errno == ETIMEDOUT, doubted = SSL_get_verify_result(stream->ssl) != X509_V_OK;
            return fail(error, stream->where, late ? why(ETIMEDOUT) : tls_reason(stream, text),
                        doubted && !late
                            ? "name its certificate, or that of its authority, as the file of certificates to trust "
                              "(--ca-file); bolt+ssc:// takes any certificate, so that whoever answers gets the "
                              "password."
                            : "a server without TLS wants bolt://, by which the password goes out in the clear.");
        }
    return MEGURI_OK;
}

/* ---- the stream ------------------------------------------------------------------------------------------------- */

meguri_status mg_stream_open(mg_stream **out, const mg_bolt_uri *uri, const mg_stream_options *options,
                             char error[MG_BOLT_ERROR]) {
    mg_stream *stream = calloc(1, sizeof *stream);
    *out = NULL;
    if (!stream) {
        snprintf(error, MG_BOLT_ERROR, "the system has no memory for a connection.");
        return MEGURI_NO_MEMORY;
    }
    stream->fd = -1;
    stream->wake = options->wake ? *options->wake : -1;
    snprintf(stream->where, sizeof stream->where, "%s:%s", uri->host, uri->port);
    meguri_status status = open_socket(stream, uri, options->connect_timeout, error);
    mg_stream_limit(stream, options->connect_timeout);
    if (status == MEGURI_OK && uri->tls != MG_TLS_NONE) status = open_tls(stream, uri, options->ca_file, error);
    mg_stream_limit(stream, options->timeout);
    if (status == MEGURI_OK) *out = stream;
    else mg_stream_close(stream);
    return status;
}

void mg_stream_stop(mg_stream *stream) {
    if (stream) shutdown(stream->fd, SHUT_RDWR);
}

void mg_stream_close(mg_stream *stream) {
    if (!stream) return;
    SSL_free(stream->ssl);
    SSL_CTX_free(stream->tls);
    BIO_meth_free(stream->method);
    if (stream->fd >= 0) close(stream->fd);
    free(stream);
}

static meguri_status broken(const mg_stream *stream, int number, char error[MG_BOLT_ERROR]) {
    return fail(error, stream->where, number ? why(number) : "the other side has closed the connection",
                number == ETIMEDOUT ? "allow more time, or look into the log of the database."
                                    : "look into the log of the database.");
}

meguri_status mg_stream_read(size_t *got, mg_stream *stream, void *data, size_t room, char error[MG_BOLT_ERROR]) {
    if (room > INT32_MAX) room = INT32_MAX;
    for (;;) {
        if (is_late(stream)) return broken(stream, errno, error);
        errno = 0;
        int result = stream->ssl ? SSL_read(stream->ssl, data, (int)room) : (int)recv(stream->fd, data, room, 0);
        if (result > 0) {
            *got = (size_t)result;
            return MEGURI_OK;
        }
        bool again = stream->ssl
                         ? tls_wait(stream, result)
                         : result < 0 && (errno == EINTR || (errno == EAGAIN && wait_for(stream, stream->fd, POLLIN)));
        if (!again) return broken(stream, errno, error);
    }
}

meguri_status mg_stream_write(mg_stream *stream, const void *data, size_t bytes, char error[MG_BOLT_ERROR]) {
    const char *at = data, *end = at + bytes;
    while (at < end) {
        if (is_late(stream)) return broken(stream, errno, error);
        size_t left = (size_t)(end - at) < INT32_MAX ? (size_t)(end - at) : INT32_MAX;
        errno = 0;
        int result =
            stream->ssl ? SSL_write(stream->ssl, at, (int)left) : (int)send(stream->fd, at, left, MSG_NOSIGNAL);
        if (result > 0) {
            at += result;
            continue;
        }
        bool again = stream->ssl
                         ? tls_wait(stream, result)
                         : result < 0 && (errno == EINTR || (errno == EAGAIN && wait_for(stream, stream->fd, POLLOUT)));
        if (!again) return broken(stream, errno, error);
    }
    return MEGURI_OK;
}
