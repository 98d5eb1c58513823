/* Status codes: every function of libmeguri that can fail returns one of these. */
#ifndef MEGURI_STATUS_H
#define MEGURI_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, value, exit code of the command, text) — the one list of failures. Later versions have more of them: treat
 * every code that is not MEGURI_OK as a failure, also one that you do not know. */
#define MEGURI_STATUS_LIST(X)                                                                                          \
    X(OK, 0, 0, "done")                                                                                                \
    X(WRONG_ANSWER, 1, 1, "the answer was checked and is wrong")                                                       \
    X(BAD_ARGUMENT, 2, 2, "wrong usage")                                                                               \
    X(BAD_INPUT, 3, 3, "bad input")                                                                                    \
    X(NOT_FOUND, 4, 3, "no such file or vertex")                                                                       \
    X(NO_MEMORY, 5, 4, "not enough memory")                                                                            \
    X(NO_DISK, 6, 4, "not enough disk, or writing failed")                                                             \
    X(ENGINE_FAILED, 7, 5, "engine, device or cluster failed or absent")                                               \
    X(CANCELLED, 8, 130, "interrupted")                                                                                \
    X(UNSUPPORTED, 9, 5, "this engine or kind of graph cannot do it")                                                  \
    X(TIMEOUT, 10, 5, "the time is over")                                                                              \
    X(BUSY, 11, 5, "another call works with it")

typedef enum meguri_status {
#define MEGURI_STATUS_ENUM(name, value, exit_code, text) MEGURI_##name = value,
    MEGURI_STATUS_LIST(MEGURI_STATUS_ENUM)
#undef MEGURI_STATUS_ENUM
} meguri_status;

/* A short general text for a status; the particulars of a failure are in meguri_ctx_error(). */
const char *meguri_status_text(meguri_status status);

/* The exit code that the meguri command gives for a status (documented in its man page). */
int meguri_status_exit_code(meguri_status status);

#ifdef __cplusplus
}
#endif
#endif
