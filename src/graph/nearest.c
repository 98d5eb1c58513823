/* Names that are like one that does not exist: the same but for capitals, longer, containing it, or a few letters
 * apart.
 *
 * Names are compared as characters, not bytes, so that one wrong letter counts the same in every script; capitals are
 * told from small letters in ASCII only. On large graphs the search ends after a moment with what it has. */
#include "graph/graph.h"

#include <string.h>

#define SHOWN       4    /* names in the sentence */
#define LONGEST     96   /* characters of a name that are compared */
#define BLOCK       1024 /* names asked for at a time */
#define PATIENCE    0.25 /* seconds */
#define SENTENCE    512
#define CLOSE(name) ((name) / 3 + 1)

typedef struct letters {
    uint32_t at[LONGEST];
    uint32_t count;
} letters;

typedef struct nearest {
    letters wanted;
    struct {
        const char *name;
        size_t length;
        uint32_t far;
    } best[SHOWN];
    uint32_t count;
} nearest;

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

static void spell(letters *to, const char *name, size_t length) {
    to->count = 0;
    for (size_t at = 0, bytes; at < length && to->count < LONGEST; at += bytes)
        to->at[to->count++] = next_letter((const unsigned char *)name + at, length - at, &bytes);
}

static bool contains(const letters *name, const letters *part, uint32_t *at) {
    for (*at = 0; *at + part->count <= name->count; ++*at)
        if (memcmp(name->at + *at, part->at, part->count * sizeof *part->at) == 0) return true;
    return false;
}

/* Letters to change, add or leave out (Levenshtein); more than `most` need not be exact. */
static uint32_t edits(const letters *a, const letters *b, uint32_t most) {
    uint32_t row[LONGEST + 1];
    if (a->count > b->count + most || b->count > a->count + most) return most + 1;
    for (uint32_t j = 0; j <= b->count; j++) row[j] = j;
    for (uint32_t i = 1; i <= a->count; i++) {
        uint32_t diagonal = row[0], least = row[0] = i;
        for (uint32_t j = 1; j <= b->count; j++) {
            uint32_t changed = diagonal + (a->at[i - 1] != b->at[j - 1]);
            diagonal = row[j];
            uint32_t shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = changed < shorter ? changed : shorter;
            if (row[j] < least) least = row[j];
        }
        if (least > most) return most + 1;
    }
    return row[b->count];
}

/* How unlike two names are; UINT32_MAX: too much to be meant. */
static uint32_t distance(const letters *wanted, const letters *name) {
    enum { STARTS = 10, INSIDE = STARTS + LONGEST + 1, OTHER = INSIDE + LONGEST + 1 }; /* the shortest first */
    uint32_t most = CLOSE(wanted->count), at = 0, changes = edits(wanted, name, most);
    if (changes <= 1 && changes < wanted->count) return changes;
    if (wanted->count > 0 && contains(name, wanted, &at)) return (at == 0 ? STARTS : INSIDE) + name->count;
    return changes <= most && changes < wanted->count ? OTHER + changes : UINT32_MAX;
}

static void consider(nearest *n, const char *name, size_t length) {
    letters spelt;
    spell(&spelt, name, length);
    uint32_t far = distance(&n->wanted, &spelt);
    if (far == UINT32_MAX || (n->count == SHOWN && far >= n->best[SHOWN - 1].far)) return;
    uint32_t place = n->count < SHOWN ? n->count++ : SHOWN - 1;
    for (; place > 0 && n->best[place - 1].far > far; place--) n->best[place] = n->best[place - 1];
    n->best[place].name = name;
    n->best[place].length = length;
    n->best[place].far = far;
}

static void look_around(nearest *n, meguri_ctx *ctx, const meguri_graph *graph) {
    const char *names[BLOCK];
    size_t lengths[BLOCK];
    double until = mg_now() + PATIENCE;
    for (uint64_t first = 0; first < graph->vertices && mg_now() < until && !mg_cancelled(ctx); first += BLOCK) {
        uint64_t count = MG_MIN(graph->vertices - first, (uint64_t)BLOCK);
        if (meguri_graph_names(names, lengths, ctx, graph, first, count) != MEGURI_OK) return;
        for (uint64_t i = 0; i < count; i++) consider(n, names[i], lengths[i]);
        mg_progress(ctx, "names", first, graph->vertices);
    }
}

/* Adds `"name"` to a text, without anything that steers a terminal. */
static void add_name(char *text, size_t room, const char *before, const char *name, size_t length) {
    size_t used = strlen(text);
    int shown = length > 60 ? 60 : (int)length;
    while (shown > 0 && (size_t)shown < length && ((unsigned char)name[shown] & 0xC0) == 0x80) shown--;
    snprintf(text + used, room - used, "%s\"%.*s%s\"", before, shown, name, (size_t)shown < length ? "…" : "");
    for (char *c = text + used; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F) *c = '?';
}

meguri_status meguri_graph_find_like(uint64_t *vertex, meguri_ctx *ctx, const meguri_graph *graph, const char *text) {
    char sentence[SENTENCE], names[SENTENCE] = "";
    meguri_status status = meguri_graph_find_text(vertex, ctx, graph, text);
    if (status != MEGURI_NOT_FOUND || graph->elsewhere || graph->id_kind != MEGURI_ID_STRING) return status;
    snprintf(sentence, sizeof sentence, "%s", meguri_ctx_error(ctx));
    nearest n = {.count = 0};
    spell(&n.wanted, text, strlen(text));
    look_around(&n, ctx, graph);
    for (uint32_t i = 0; i < n.count; i++)
        add_name(names, sizeof names, i == 0 ? "" : i + 1 == n.count ? " or " : ", ", n.best[i].name, n.best[i].length);
    size_t length = strlen(sentence);
    if (n.count > 0 && length > 0) sentence[length - 1] = '\0'; /* the full stop */
    mg_begin(ctx);
    if (n.count == 0) return mg_fail(ctx, status, "%s", sentence);
    return mg_fail(ctx, status, "%s; did you mean %s?", sentence, names);
}
