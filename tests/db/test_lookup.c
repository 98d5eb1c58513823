/* Hosts whose name is looked up: a name server that does not answer is given up in time and at once when somebody says
 * so, and what it answers in the end is freed. The linker has getaddrinfo and freeaddrinfo lead here (--wrap). */
#define _GNU_SOURCE
#include "support/unit.h"

#include "bolt/bolt.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <pthread.h>

int __real_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **out);
void __real_freeaddrinfo(struct addrinfo *list);
int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **out);
void __wrap_freeaddrinfo(struct addrinfo *list);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int asked, freed;
static bool silent; /* the name server */

static void change(int *count) {
    pthread_mutex_lock(&lock);
    ++*count;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_until(const int *count, int wanted) {
    pthread_mutex_lock(&lock);
    while (*count < wanted) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void set_silent(bool value) {
    pthread_mutex_lock(&lock);
    silent = value;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **out) {
    change(&asked);
    pthread_mutex_lock(&lock);
    while (silent) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    if (strcmp(host, "nowhere.test") == 0) return EAI_AGAIN;
    return __real_getaddrinfo("127.0.0.1", port, hints, out);
}

void __wrap_freeaddrinfo(struct addrinfo *list) {
    __real_freeaddrinfo(list);
    change(&freed);
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

typedef struct opening {
    mg_bolt_uri uri;
    mg_stream_options options;
    int wake[2];
    mg_stream *stream;
    meguri_status status;
    char error[MG_BOLT_ERROR];
} opening;

static void *open_it(void *user) {
    opening *o = user;
    o->status = mg_stream_open(&o->stream, &o->uri, &o->options, o->error);
    return NULL;
}

static void start(opening *o, const char *host, int port, double seconds) {
    *o = (opening){.options = {.connect_timeout = seconds, .timeout = seconds, .wake = &o->wake[0]}};
    assert_int_equal(pipe(o->wake), 0);
    snprintf(o->uri.host, sizeof o->uri.host, "%s", host);
    snprintf(o->uri.port, sizeof o->uri.port, "%d", port);
    asked = freed = 0;
}

static void end(opening *o) {
    mg_stream_close(o->stream);
    close(o->wake[0]), close(o->wake[1]);
}

/* A socket that listens, and its port. */
static int listen_somewhere(int *port) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0 && bind(fd, (struct sockaddr *)&at, size) == 0 && listen(fd, 4) == 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    *port = ntohs(at.sin_port);
    return fd;
}

static void an_answer_is_used(void **state) {
    opening o;
    int port, fd = listen_somewhere(&port);
    (void)state;
    start(&o, "here.test", port, 60);
    open_it(&o);
    assert_int_equal(o.status, MEGURI_OK);
    assert_int_equal(freed, 1);
    end(&o);
    close(fd);
}

static void a_name_that_nobody_knows(void **state) {
    opening o;
    (void)state;
    start(&o, "nowhere.test", 1, 60);
    open_it(&o);
    assert_int_equal(o.status, MEGURI_ENGINE_FAILED);
    assert_non_null(strstr(o.error, "is the name of the host right?"));
    end(&o);
}

static void a_silent_name_server_is_given_up(void **state) {
    opening o;
    (void)state;
    start(&o, "slow.test", 1, 0.05);
    set_silent(true);
    open_it(&o);
    assert_int_equal(o.status, MEGURI_ENGINE_FAILED);
    assert_string_equal(o.error, "slow.test:1: no name server has answered in time; is the name of the host right?");
    set_silent(false);
    wait_until(&freed, 1); /* by the thread that nobody waits for */
    end(&o);
}

static void whoever_waits_for_a_name_can_be_stopped(void **state) {
    opening o;
    pthread_t thread;
    (void)state;
    start(&o, "slow.test", 1, 1e6);
    set_silent(true);
    assert_int_equal(pthread_create(&thread, NULL, open_it, &o), 0);
    wait_until(&asked, 1);
    assert_int_equal(write(o.wake[1], "", 1), 1);
    pthread_join(thread, NULL); /* the name server has still not answered */
    assert_int_equal(o.status, MEGURI_ENGINE_FAILED);
    assert_int_equal(freed, 0);
    set_silent(false);
    wait_until(&freed, 1);
    end(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_used),
        cmocka_unit_test(a_name_that_nobody_knows),
        cmocka_unit_test(a_silent_name_server_is_given_up),
        cmocka_unit_test(whoever_waits_for_a_name_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
