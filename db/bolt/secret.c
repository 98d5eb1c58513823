/* Memory for passwords: see secret.h. Every block is a mapping of its own, with its size in front. */
#define _GNU_SOURCE /* MADV_DONTDUMP */
#include "bolt/secret.h"

#include <string.h>
#include <sys/mman.h>

enum { HEAD = 64, PAGE_TEXTS = 65536 - HEAD }; /* bytes */

static size_t *size_of(void *block) { return (size_t *)(void *)((char *)block - HEAD); }

void *mg_secret_resize(void *block, size_t bytes) {
    if (bytes > SIZE_MAX / 2) return NULL;
    size_t whole = bytes + HEAD;
    char *mapping = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return NULL;
    madvise(mapping, whole, MADV_DONTDUMP);
    (void)mlock(mapping, whole); /* the limit may be small */
    char *made = mapping + HEAD;
    *size_of(made) = whole;
    if (block) {
        size_t old = *size_of(block) - HEAD;
        memcpy(made, block, old < bytes ? old : bytes);
        mg_secret_release(block);
    }
    return made;
}

void mg_secret_release(void *block) {
    if (!block) return;
    size_t whole = *size_of(block);
    explicit_bzero(block, whole - HEAD);
    munmap((char *)block - HEAD, whole);
}

static void *resize(void *user, void *block, size_t bytes) {
    (void)user;
    return mg_secret_resize(block, bytes);
}

const mg_heap mg_secret_heap = {resize, mg_secret_release, NULL};

/* ---- many texts ------------------------------------------------------------------------------------------------- */

struct mg_secret_page {
    struct mg_secret_page *before;
    size_t used, room;
    char texts[];
};

char *mg_secrets_new(mg_secrets *secrets, size_t length) {
    struct mg_secret_page *page = secrets->last;
    if (length > SIZE_MAX / 4) return NULL;
    if (!page || page->room - page->used <= length) {
        size_t room = length + 1 > PAGE_TEXTS - sizeof *page ? length + 1 : PAGE_TEXTS - sizeof *page;
        page = mg_secret_resize(NULL, sizeof *page + room);
        if (!page) return NULL;
        *page = (struct mg_secret_page){.before = secrets->last, .room = room};
        secrets->last = page;
    }
    char *text = page->texts + page->used;
    page->used += length + 1;
    text[length] = '\0';
    return text;
}

char *mg_secrets_copy(mg_secrets *secrets, const char *text) {
    size_t length = strlen(text);
    char *copy = mg_secrets_new(secrets, length);
    return copy ? memcpy(copy, text, length) : NULL;
}

void mg_secrets_free(mg_secrets *secrets) {
    while (secrets->last) {
        struct mg_secret_page *page = secrets->last;
        secrets->last = page->before;
        mg_secret_release(page);
    }
}

/* ---- words of a server ------------------------------------------------------------------------------------------ */

size_t mg_secret_hide(char *out, size_t room, const char *text, size_t length, const char *password) {
    size_t hidden = password ? strlen(password) : 0, used = 0;
    for (size_t at = 0; at < length && used + 1 < room;) {
        bool found = hidden && length - at >= hidden && memcmp(text + at, password, hidden) == 0;
        for (size_t end = at + (found ? hidden : 1); at < end && used + 1 < room; at++)
            out[used++] = found ? '*' : text[at];
    }
    out[used] = '\0';
    return used;
}
