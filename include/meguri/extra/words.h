/* Words in sentences for people: numbers with their nouns, numbers as people write them, what a misspelt word was meant
 * to be, files that cannot be opened. The library's own sentences are made with these; programs may use them, too. */
#ifndef MEGURI_WORDS_H
#define MEGURI_WORDS_H

#include <meguri/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A count and its noun, which is given for one: "1 vertex", "2,000 vertices", "0 edges". */
#define MEGURI_COUNT_TEXT 96
const char *meguri_count_text(char buffer[MEGURI_COUNT_TEXT], uint64_t count, const char *noun);

/* A whole number as people write counts: 5000, 1e6, 10k, 2M, 1.5G (powers of 1000), 1Ki, 4Mi, 1Gi (of 1024); k, M, G
 * and T. 0 where the text is not such a number, is not whole, or does not fit 64 bits. */
int meguri_parse_count(uint64_t *out, const char *text);
/* The same for bytes, whose units may have a B (kB, MiB), and are rounded down: 1.5GiB, 0.7GB. */
int meguri_parse_size(uint64_t *out, const char *text);

/* "; did you mean 'roads.csv'?" for those of some names that are like the one that was typed: the same but for capitals
 * or a letter, longer, containing it, or a few letters apart. "." where none is like it. As snprintf: cut to `room`
 * bytes; 0: none. `dashes` stands before each name: "--" of options, else "". */
size_t meguri_did_you_mean(char *out, size_t room, const char *typed, const char *const *names, size_t count,
                           const char *dashes);

/* Why a file could not be opened, after errno `error`: "cannot open road.csv: no such file; did you mean 'roads.csv'?",
 * of names in its folder; MEGURI_NOT_FOUND, or MEGURI_BAD_INPUT where there is one. */
meguri_status meguri_cannot_open(char *out, size_t room, const char *path, int error);

#ifdef __cplusplus
}
#endif
#endif
