/* Tests look at fewer cases where a sanitizer makes each of them many times as slow. */
#ifndef SANITIZED_H
#define SANITIZED_H

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#if __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__) && !defined(UNDER_TSAN)
#define UNDER_TSAN 1
#endif
#ifndef UNDER_TSAN
#define UNDER_TSAN 0
#endif
#ifndef UNDER_ASAN
#define UNDER_ASAN 0
#endif

/* Whether this case is looked at: all of them, and one of `every` under a sanitizer; which one changes with `turn`. */
#define ONE_OF(every, turn) (!(UNDER_TSAN || UNDER_ASAN) || (turn) % (every) == 0)

#endif
