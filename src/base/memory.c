/* Allocation within a budget.
 *
 * Invariant: account->used is the sum of the bytes of all live blocks, minus pages given back (each counted once,
 * however often and by however many threads). A block carries a 64-byte head (so payloads stay 64-byte aligned) that
 * names its account; small blocks come from malloc, large ones from mmap, which lets us ask for huge pages (1.1–1.3x on
 * most kernels), trim in place and give pages back while a block is consumed. */
#define _GNU_SOURCE
#include "base/ctx.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEAD      64u
#define LARGE     ((size_t)1 << 20)
#define HUGE_PAGE ((size_t)2 << 20)

/* ThreadSanitizer does not see that mremap moves memory: it would take the new place for whatever lay there before. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MOVES_UNSEEN 1
#endif
#endif
#ifndef MOVES_UNSEEN
#define MOVES_UNSEEN 0
#endif

typedef struct block_head {
    mg_account *account;
    size_t bytes;             /* payload */
    size_t mapped;            /* of the mapping, 0 for malloc */
    uint64_t *released_pages; /* a bit for each page of the mapping that was given back; NULL: none */
    size_t released;          /* bytes of the payload in such pages: not counted any more */
    bool pieced;              /* some pages come from other blocks, so that it is several mappings */
} block_head;

static block_head *head_of(void *block) { return (block_head *)((char *)block - HEAD); }
static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

mg_account *mg_account_new(uint64_t limit) {
    mg_account *account = calloc(1, sizeof *account);
    if (!account) return NULL;
    account->recycler = mg_recycler_new();
    if (!account->recycler) {
        free(account);
        return NULL;
    }
    account->limit = limit;
    account->root = account;
    atomic_store(&account->holders, 1);
    return account;
}

mg_account *mg_account_within(mg_account *parent, uint64_t limit) {
    mg_account *account = calloc(1, sizeof *account);
    if (!account) return NULL;
    account->limit = limit;
    account->parent = mg_account_share(parent);
    account->root = parent->root;
    atomic_store(&account->holders, 1);
    return account;
}

mg_account *mg_account_share(mg_account *account) {
    atomic_fetch_add(&account->holders, 1);
    return account;
}

void mg_account_drop(mg_account *account) {
    while (account && atomic_fetch_sub(&account->holders, 1) == 1) {
        mg_account *parent = account->parent;
        mg_recycler_free(account->recycler);
        free(account);
        account = parent;
    }
}

/* Gives bytes back to an account, and to those that it counts in. */
static void unreserve(mg_account *account, uint64_t bytes) {
    for (; account; account = account->parent) atomic_fetch_sub(&account->used, bytes);
}

/* Three digits, rounded. Whole numbers all the way, so that no locale writes its decimal comma. */
const char *mg_size_text(char buffer[MG_SIZE_TEXT], uint64_t bytes) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    unsigned __int128 unit_bytes = 1;
    unsigned unit = 0, parts = 1; /* what is shown is a number of 1, 10 or 100 parts of a unit */
    while (bytes / unit_bytes >= 1000) {
        unit_bytes *= 1000;
        unit++;
    }
    if (unit) parts = bytes / unit_bytes < 10 ? 100 : bytes / unit_bytes < 100 ? 10 : 1;
    unsigned shown = (unsigned)((bytes * (unsigned __int128)parts + unit_bytes / 2) / unit_bytes);
    if (shown == 1000) { /* rounded up to one digit more */
        shown = 100;
        if (parts == 1) unit++;
        parts = parts == 1 ? 100 : parts / 10;
    }
    if (parts == 1) snprintf(buffer, MG_SIZE_TEXT, "%u %s", shown, units[unit]);
    else snprintf(buffer, MG_SIZE_TEXT, "%u.%0*u %s", shown / parts, parts == 100 ? 2 : 1, shown % parts, units[unit]);
    return buffer;
}

static uint64_t left_in(const mg_account *account) {
    uint64_t used = atomic_load(&account->used);
    return used < account->limit ? account->limit - used : 0;
}

static void no_memory(meguri_ctx *ctx, size_t bytes, const char *what, bool by_budget) {
    char asked[MG_SIZE_TEXT], used[MG_SIZE_TEXT], limit[MG_SIZE_TEXT];
    const mg_account *account = ctx->account;
    for (; by_budget && account->parent && bytes <= left_in(account); account = account->parent) {
    }
    mg_size_text(asked, bytes);
    mg_size_text(used, atomic_load(&account->used));
    mg_size_text(limit, account->limit);
    if (by_budget)
        mg_fail(ctx, MEGURI_NO_MEMORY,
                "not enough memory for %s: %s asked, %s of the budget of %s in use; allow more memory or use a "
                "smaller graph.",
                what, asked, used, limit);
    else
        mg_fail(ctx, MEGURI_NO_MEMORY,
                "the system has no memory for %s: %s asked, %s in use; free memory or use a "
                "smaller graph.",
                what, asked, used);
}

/* Whether a test wants this allocation to fail. */
static bool made_to_fail(mg_account *of, bool essential) {
    mg_account *account = of->root;
    uint64_t number = atomic_fetch_add(&account->allocations, 1) + 1;
    return number == atomic_load(&account->fail_at) && (!essential || atomic_load(&account->fail_essential));
}

static void note_peak(mg_account *account, uint64_t now) {
    uint64_t peak = atomic_load(&account->peak);
    while (now > peak && !atomic_compare_exchange_weak(&account->peak, &peak, now)) {
    }
}

/* Takes bytes from one account; false if they are not there. `recycled`: kept pages will serve first. */
static bool reserve_in(mg_account *account, size_t bytes, bool recycled) {
    uint64_t used = atomic_load(&account->used), kept;
    do {
        kept = atomic_load(&account->kept);
        if (recycled) kept -= MG_MIN(kept, bytes);
        if (bytes > account->limit || used > account->limit - bytes) return false;
        if (kept > account->limit - bytes - used) { /* what is kept is in the way */
            mg_recycler_drop(account);
            kept = 0;
        }
    } while (!atomic_compare_exchange_weak(&account->used, &used, used + bytes));
    note_peak(account, used + bytes + kept);
    return true;
}

/* Takes bytes from the budget, and from those that it is a part of. */
static bool reserve(mg_account *account, size_t bytes, bool recycled) {
    if (made_to_fail(account, false)) return false;
    for (mg_account *a = account; a; a = a->parent) {
        if (reserve_in(a, bytes, recycled)) continue;
        for (mg_account *taken = account; taken != a; taken = taken->parent) atomic_fetch_sub(&taken->used, bytes);
        return false;
    }
    return true;
}

static size_t mapping_size(size_t bytes) { return (bytes + HEAD + page_size() - 1) / page_size() * page_size(); }

/* Huge pages help from the first whole one on. */
static void ask_for_huge_pages(void *base, size_t mapped) {
    if (mapped >= HUGE_PAGE) madvise(base, mapped, MADV_HUGEPAGE);
}

/* Memory for bytes that are counted already. */
static void *make_block(meguri_ctx *ctx, size_t bytes, bool zero, bool recycled, const char *what) {
    mg_account *account = ctx->account;
    void *base = NULL;
    size_t mapped = 0;
    bool pieced = false;
    if (bytes >= LARGE) {
        mapped = mapping_size(bytes);
        base = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED) base = NULL;
        else ask_for_huge_pages(base, mapped);
        pieced = base && recycled && mg_recycler_take(account->root, base, mapped);
    } else {
        /* Not a byte more than asked: sanitizers see the true end. */
        if (posix_memalign(&base, HEAD, HEAD + bytes) != 0) base = NULL;
        if (base && zero) memset((char *)base + HEAD, 0, bytes);
    }
    if (!base) {
        unreserve(account, bytes);
        no_memory(ctx, bytes, what, false);
        return NULL;
    }
    atomic_fetch_add(&account->holders, 1);
    *(block_head *)base = (block_head){.account = account, .bytes = bytes, .mapped = mapped, .pieced = pieced};
    return (char *)base + HEAD;
}

static void *allocate(meguri_ctx *ctx, size_t bytes, bool zero, const char *what) {
    bool recycled = bytes >= LARGE && !zero && !MOVES_UNSEEN;
    if (bytes > SIZE_MAX / 2 || !reserve(ctx->account, bytes, recycled)) {
        no_memory(ctx, bytes, what, true);
        return NULL;
    }
    return make_block(ctx, bytes, zero, recycled, what);
}

void *mg_alloc_essential(meguri_ctx *ctx, uint64_t count, size_t size, const char *what) {
    mg_account *account = ctx->account;
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || made_to_fail(account, true)) {
        no_memory(ctx, size, what, false);
        return NULL;
    }
    for (mg_account *a = account; a; a = a->parent) note_peak(a, atomic_fetch_add(&a->used, bytes) + bytes);
    return make_block(ctx, bytes, true, false, what);
}

void *mg_alloc(meguri_ctx *ctx, size_t bytes, const char *what) { return allocate(ctx, bytes, false, what); }
void *mg_alloc_zero(meguri_ctx *ctx, size_t bytes, const char *what) { return allocate(ctx, bytes, true, what); }

static size_t product(uint64_t count, size_t size) {
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

void *mg_alloc_array(meguri_ctx *ctx, uint64_t count, size_t size, const char *what) {
    return allocate(ctx, product(count, size), false, what);
}

void *mg_alloc_array_zero(meguri_ctx *ctx, uint64_t count, size_t size, const char *what) {
    return allocate(ctx, product(count, size), true, what);
}

void *mg_resize(meguri_ctx *ctx, void *block, size_t bytes, const char *what) {
    if (!block) return mg_alloc(ctx, bytes, what);
    block_head *head = head_of(block);
    if (bytes <= head->bytes) {
        mg_trim(block, bytes);
        return block;
    }
    if (!MOVES_UNSEEN && head->mapped && !head->pieced && !head->released_pages && head->account == ctx->account &&
        bytes <= SIZE_MAX / 2) {
        size_t more = bytes - head->bytes, mapped = mapping_size(bytes);
        if (!reserve(head->account, more, false)) {
            no_memory(ctx, more, what, true);
            return NULL;
        }
        char *base = mremap(head, head->mapped, mapped, MREMAP_MAYMOVE);
        if (base == MAP_FAILED) {
            unreserve(head->account, more);
            no_memory(ctx, more, what, false);
            return NULL;
        }
        head = (block_head *)base;
        head->bytes = bytes;
        head->mapped = mapped;
        ask_for_huge_pages(base, mapped);
        return base + HEAD;
    }
    void *bigger = mg_alloc(ctx, bytes, what);
    if (!bigger) return NULL;
    memcpy(bigger, block, head->bytes);
    mg_free(block);
    return bigger;
}

/* Released bytes among the first `bytes` of the payload. */
static size_t released_within(const block_head *head, size_t bytes) {
    if (!head->released_pages) return 0;
    size_t page = page_size(), end = HEAD + bytes, released = 0;
    for (size_t p = 0; p * page < end; p++)
        if (head->released_pages[p / 64] >> (p % 64) & 1) released += MG_MIN(page, end - p * page);
    return released;
}

void mg_trim(void *block, size_t bytes) {
    block_head *head = head_of(block);
    if (bytes >= head->bytes) return;
    size_t counted = head->bytes - head->released;
    head->released = released_within(head, bytes);
    head->bytes = bytes;
    unreserve(head->account, counted - (bytes - head->released));
    if (head->mapped && mapping_size(bytes) < head->mapped) {
        size_t keep = mapping_size(bytes);
        munmap((char *)head + keep, head->mapped - keep);
        head->mapped = keep;
    }
}

/* The bits of a block's released pages, made by whoever needs them first; NULL if there is no memory for them. */
static uint64_t *released_pages(block_head *head) {
    uint64_t *bits = __atomic_load_n(&head->released_pages, __ATOMIC_ACQUIRE);
    if (bits) return bits;
    uint64_t *made = calloc(head->mapped / page_size() / 64 + 1, sizeof *made);
    if (!made) return NULL;
    if (__atomic_compare_exchange_n(&head->released_pages, &bits, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    free(made);
    return bits;
}

void mg_release_pages(void *block, size_t from, size_t bytes) {
    block_head *head = head_of(block);
    if (!head->mapped || from >= head->bytes) return;
    size_t page = page_size(), end = HEAD + from + MG_MIN(bytes, head->bytes - from);
    size_t first = (HEAD + from + page - 1) / page, last = end / page, fresh = 0;
    uint64_t *bits = first < last ? released_pages(head) : NULL;
    if (!bits || madvise((char *)head + first * page, (last - first) * page, MADV_DONTNEED) != 0) return;
    for (size_t p = first; p < last; p++) {
        uint64_t bit = (uint64_t)1 << (p % 64);
        if (!(__atomic_fetch_or(&bits[p / 64], bit, __ATOMIC_RELAXED) & bit)) fresh += page;
    }
    __atomic_fetch_add(&head->released, fresh, __ATOMIC_RELAXED);
    unreserve(head->account, fresh);
}

void mg_free(void *block) {
    if (!block) return;
    block_head *head = head_of(block);
    mg_account *account = head->account;
    bool whole = !head->released_pages; /* else pages of it are missing */
    unreserve(account, head->bytes - head->released);
    free(head->released_pages);
    if (head->mapped && whole && !MOVES_UNSEEN) mg_recycler_give(account->root, head, head->mapped);
    else if (head->mapped) munmap(head, head->mapped);
    else free(head);
    mg_account_drop(account);
}

uint64_t mg_block_bytes(const void *block) {
    const block_head *head = block ? (const block_head *)((const char *)block - HEAD) : NULL;
    return head ? head->bytes - head->released : 0;
}

char *mg_strdup(meguri_ctx *ctx, const char *text, const char *what) {
    size_t bytes = strlen(text) + 1;
    char *copy = mg_alloc(ctx, bytes, what);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

uint64_t mg_memory_left(const meguri_ctx *ctx) {
    uint64_t left = UINT64_MAX;
    for (const mg_account *a = ctx->account; a; a = a->parent) left = MG_MIN(left, left_in(a));
    return left;
}

static void fail_at(meguri_ctx *ctx, uint64_t k, bool essential) {
    mg_account *root = ctx->account->root;
    atomic_store(&root->fail_essential, essential);
    atomic_store(&root->fail_at, k ? atomic_load(&root->allocations) + k : 0);
}

void mg_memory_fail_at(meguri_ctx *ctx, uint64_t k) { fail_at(ctx, k, true); }
void mg_memory_refuse_at(meguri_ctx *ctx, uint64_t k) { fail_at(ctx, k, false); }

uint64_t mg_memory_allocations(const meguri_ctx *ctx) { return atomic_load(&ctx->account->root->allocations); }
uint64_t meguri_ctx_memory_limit(const meguri_ctx *ctx) { return ctx ? ctx->account->limit : 0; }
uint64_t meguri_ctx_memory_used(const meguri_ctx *ctx) { return ctx ? atomic_load(&ctx->account->used) : 0; }
uint64_t meguri_ctx_memory_peak(const meguri_ctx *ctx) { return ctx ? atomic_load(&ctx->account->peak) : 0; }
