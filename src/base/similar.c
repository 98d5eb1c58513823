/* Names that are like one that does not exist: the same but for capitals, longer, containing it, or a few letters
 * apart (optimal string alignment: Levenshtein's distance, in which a swap of neighbours is one change, too).
 *
 * Names are compared as characters, not bytes, so that one wrong letter counts the same in every script; capitals are
 * told from small letters in ASCII only. Every suggestion of the library and the command comes from here. */
#include "base/base.h"

#include <meguri/extra/escape.h>
#include <meguri/extra/words.h>
#include <string.h>

#define CLOSE(letters) ((letters) / 3 + 1) /* changes that a misspelt word may have */

enum { PART = 3 }; /* letters of an option or a file from which on names that contain them are meant */

/* How unlike names are, the least first: at most a letter is wrong; the name begins with what was typed, or contains
 * it; more letters are wrong. */
enum { STARTS = 10, INSIDE = STARTS + MG_SIMILAR_LETTERS + 1, OTHER = INSIDE + MG_SIMILAR_LETTERS + 1 };

/* ---- distance --------------------------------------------------------------------------------------------------- */

/* One character; a byte that begins none counts as one. */
static uint32_t next_letter(const unsigned char *s, size_t left, size_t *bytes) {
    size_t length = s[0] < 0xC2 ? 1 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 1;
    if (length > left) length = 1;
    *bytes = length;
    if (length == 1) return s[0] >= 'A' && s[0] <= 'Z' ? (uint32_t)s[0] + 32 : s[0];
    uint32_t letter = s[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++) letter = letter << 6 | (s[i] & 0x3Fu);
    return letter;
}

static void spell(mg_letters *to, const char *name, size_t length) {
    to->count = 0;
    for (size_t at = 0, bytes; at < length && to->count < MG_SIMILAR_LETTERS; at += bytes)
        to->at[to->count++] = next_letter((const unsigned char *)name + at, length - at, &bytes);
}

static bool contains(const mg_letters *name, const mg_letters *part, uint32_t *at) {
    for (*at = 0; *at + part->count <= name->count; ++*at)
        if (memcmp(name->at + *at, part->at, part->count * sizeof *part->at) == 0) return true;
    return false;
}

/* Letters to change, add, leave out or swap; more than `most` need not be exact. */
static uint32_t edits(const mg_letters *a, const mg_letters *b, uint32_t most) {
    uint32_t row[3][MG_SIMILAR_LETTERS + 1];
    if (a->count > b->count + most || b->count > a->count + most) return most + 1;
    for (uint32_t j = 0; j <= b->count; j++) row[0][j] = j;
    for (uint32_t i = 1; i <= a->count; i++) {
        uint32_t *now = row[i % 3], least = now[0] = i;
        const uint32_t *before = row[(i + 2) % 3], *two_before = row[(i + 1) % 3];
        for (uint32_t j = 1; j <= b->count; j++) {
            uint32_t best = before[j - 1] + (a->at[i - 1] != b->at[j - 1]);
            best = MG_MIN(best, MG_MIN(before[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a->at[i - 1] == b->at[j - 2] && a->at[i - 2] == b->at[j - 1])
                best = MG_MIN(best, two_before[j - 2] + 1);
            now[j] = best;
            least = MG_MIN(least, best);
        }
        if (least > most + 1) return most + 1; /* a swap reaches back two rows, and adds one */
    }
    return row[a->count % 3][b->count];
}

/* UINT32_MAX: too unlike to be meant. */
static uint32_t distance(const mg_similar *s, const mg_letters *name) {
    uint32_t most = CLOSE(s->telling), part = s->of_few ? PART : 1, at = 0, changes = edits(&s->wanted, name, most);
    if (changes <= 1 && changes < s->telling) return changes;
    if (s->wanted.count >= part && contains(name, &s->wanted, &at)) return (at == 0 ? STARTS : INSIDE) + name->count;
    return changes <= most && changes < s->telling ? OTHER + changes : UINT32_MAX;
}

/* ---- the nearest of many ---------------------------------------------------------------------------------------- */

void mg_similar_start(mg_similar *s, const char *typed, bool of_few) {
    s->count = 0;
    s->of_few = of_few;
    spell(&s->wanted, typed, strlen(typed));
    s->telling = s->wanted.count;
}

void mg_similar_see(mg_similar *s, const char *name, size_t length) {
    mg_letters spelt;
    spell(&spelt, name, length);
    uint32_t far = distance(s, &spelt);
    if (far == UINT32_MAX || (s->count == MG_SIMILAR && far >= s->best[MG_SIMILAR - 1].far)) return;
    uint32_t place = s->count < MG_SIMILAR ? s->count++ : MG_SIMILAR - 1;
    for (; place > 0 && s->best[place - 1].far > far; place--) s->best[place] = s->best[place - 1];
    size_t kept = MG_MIN(length, sizeof s->best[place].name - 1);
    memcpy(s->best[place].name, name, kept);
    s->best[place].name[kept] = '\0';
    s->best[place].far = far;
}

static int tier(uint32_t far) { return far <= 1 ? 0 : far < INSIDE ? 1 : far < OTHER ? 2 : (int)far; }

/* Of a few names, such as options, only those are meant that are alike in the same way as the best. */
static uint32_t count_meant(const mg_similar *s) {
    uint32_t count = s->count;
    while (s->of_few && count > 1 && tier(s->best[count - 1].far) != tier(s->best[0].far)) count--;
    return count;
}

/* A name between quotes, cut between two characters, without anything that steers a terminal. */
static size_t put_name(char *out, size_t room, const char *before, const char *name, const char *dashes) {
    size_t length = strlen(name), shown = MG_MIN(length, (size_t)MG_SIMILAR_SHOWN);
    const char *quote = *dashes ? "" : "'";
    while (shown > 0 && shown < length && ((unsigned char)name[shown] & 0xC0) == 0x80) shown--;
    char escaped[MG_SIMILAR_SHOWN * 6 + 8];
    meguri_escape(escaped, sizeof escaped, name, shown);
    int bytes = snprintf(out, room, "%s%s%s%s%s%s", before, quote, dashes, escaped, shown < length ? "…" : "", quote);
    return bytes > 0 ? (size_t)bytes : 0;
}

size_t mg_similar_text(char *out, size_t room, const mg_similar *s, const char *dashes) {
    uint32_t count = count_meant(s);
    size_t used = 0;
    if (!count) {
        snprintf(out, room, ".");
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *before = i == 0 ? "; did you mean " : i + 1 == count ? " or " : ", ";
        used +=
            put_name(used < room ? out + used : NULL, used < room ? room - used : 0, before, s->best[i].name, dashes);
    }
    return used + (size_t)snprintf(used < room ? out + used : NULL, used < room ? room - used : 0, "?");
}

size_t meguri_did_you_mean(char *out, size_t room, const char *typed, const char *const *names, size_t count,
                           const char *dashes) {
    mg_similar s;
    if (!typed || (!names && count) || (!out && room)) return 0;
    mg_similar_start(&s, typed, true);
    for (size_t i = 0; i < count; i++)
        if (names[i]) mg_similar_see(&s, names[i], strlen(names[i]));
    return mg_similar_text(out, room, &s, dashes ? dashes : "");
}
