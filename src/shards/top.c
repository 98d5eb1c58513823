/* The highest items of a result in parts, and its largest groups: each process selects its own, and of all these the
 * best are taken. Members of a group may be anywhere: each process counts those it has, and the home of the vertex that
 * names the group adds up. */
#include "shards/shards.h"

/* The highest of all processes; `top` becomes them. */
static meguri_status merge(mg_top *top, meguri_ctx *ctx, meguri_cluster *c, uint64_t most) {
    uint64_t count = top->count, longest = count;
    meguri_status status = mg_reduce_u64(ctx, c, &c->all, &longest, 1, MG_MAXIMUM);
    if (status != MEGURI_OK || !longest) return status;
    mg_top_item *mine = mg_alloc_array_zero(ctx, longest + 1, sizeof *mine, "the highest of a result");
    mg_top_item *all = mg_alloc_array(ctx, (longest + 1) * (uint64_t)c->size, sizeof *all, "the highest of a result");
    mg_top best = {0};
    status = mine && all ? mg_top_new(&best, ctx, most, longest * (uint64_t)c->size) : MEGURI_NO_MEMORY;
    status = mg_agree(ctx, c, status);
    if (status == MEGURI_OK) {
        mine[0].key = count;
        if (count) memcpy(mine + 1, top->items, count * sizeof *mine);
        status = mg_all_gather(ctx, c, &c->all, mine, (longest + 1) * sizeof *mine, all);
    }
    for (int p = 0; p < c->size && status == MEGURI_OK; p++) {
        const mg_top_item *theirs = all + (longest + 1) * (uint64_t)p;
        if (theirs[0].key > longest) status = mg_strange(ctx, c, "more items than there can be");
        for (uint64_t i = 0; i < theirs[0].key && status == MEGURI_OK; i++) mg_top_add(&best, theirs[1 + i]);
    }
    mg_free(mine);
    mg_free(all);
    if (status != MEGURI_OK) {
        mg_top_free(&best);
        return status;
    }
    mg_top_finish(&best);
    mg_top_free(top);
    *top = best;
    return MEGURI_OK;
}

meguri_status mg_shards_top(uint64_t *vertices, double *values, uint64_t *count, meguri_ctx *ctx, void *parts,
                            const meguri_result *result, const char *column, uint64_t most) {
    mg_shards *shards = parts;
    meguri_column c;
    mg_top top = {0};
    meguri_status status = mg_top_column(&c, ctx, result, column, false);
    if (status == MEGURI_OK) status = mg_check_part(ctx, shards, &c);
    if (status == MEGURI_OK) status = mg_top_of_column(&top, ctx, &c, shards->home.begin, most);
    mg_call call = {.name = "meguri_result_top"};
    mg_call_text(&call, "column", column);
    mg_call_number(&call, "number of vertices", most);
    status = mg_agree_call(ctx, shards->cluster, status, &call);
    if (status == MEGURI_OK) status = merge(&top, ctx, shards->cluster, most);
    for (uint64_t i = 0; i < top.count && status == MEGURI_OK; i++) {
        vertices[i] = top.items[i].item;
        if (values) values[i] = mg_top_value(top.items[i].key, c.type);
        *count = i + 1;
    }
    mg_top_free(&top);
    return status;
}

/* ---- groups ----------------------------------------------------------------------------------------------------- */

/* How many members a group has here. */
typedef struct part_of_group {
    uint64_t group, members;
} part_of_group;

typedef struct counting {
    const mg_shards *shards;
    const uint64_t *sorted; /* the groups of the vertices of this process */
    uint64_t next, count;
} counting;

static uint64_t next_parts(void *user, void *items, uint32_t *to, uint64_t capacity) {
    counting *c = user;
    const mg_shards *s = c->shards;
    uint64_t made = 0;
    while (made < capacity && c->next < c->count && c->sorted[c->next] < s->vertices) {
        uint64_t begin = c->next;
        uint64_t group = c->sorted[begin];
        while (c->next < c->count && c->sorted[c->next] == group) c->next++;
        ((part_of_group *)items)[made] = (part_of_group){group, c->next - begin};
        to[made++] = (uint32_t)mg_home(s->vertices, s->cluster->size, group);
    }
    return made;
}

static meguri_status sort_groups(uint64_t **out, meguri_ctx *ctx, const meguri_column *c) {
    uint64_t *sorted = *out = mg_alloc_array(ctx, c->count, sizeof *sorted, "the sizes of groups");
    if (!sorted) return MEGURI_NO_MEMORY;
    for (uint64_t v = 0; v < c->count; v++) {
        const void *item = (const char *)c->data + v * c->stride;
        sorted[v] = c->item_bytes == 8 ? *(const uint64_t *)item : *(const uint32_t *)item;
    }
    return mg_sort_u64(ctx, sorted, NULL, 0, c->count, 64);
}

/* The largest groups that are named by vertices of this process. */
static meguri_status select_groups(mg_top *top, meguri_ctx *ctx, const mg_shards *s, const part_of_group *parts,
                                   uint64_t count, uint64_t most) {
    uint64_t homes = s->home.end - s->home.begin;
    uint64_t *members = mg_alloc_array_zero(ctx, homes, sizeof *members, "the sizes of groups");
    meguri_status status = members ? mg_top_new(top, ctx, most, homes) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK && top->most) {
        for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
            uint64_t place = parts[i].group - s->home.begin;
            if (place >= homes) status = mg_strange(ctx, s->cluster, "a position that this process is not home of");
            else members[place] += parts[i].members;
        }
        for (uint64_t v = 0; v < homes; v++)
            if (members[v]) mg_top_add(top, (mg_top_item){.key = members[v], .item = s->home.begin + v});
        mg_top_finish(top);
    }
    mg_free(members);
    return status;
}

meguri_status mg_shards_groups(uint64_t *groups, uint64_t *sizes, uint64_t *count, meguri_ctx *ctx, void *parts,
                               const meguri_result *result, const char *column, uint64_t most) {
    mg_shards *shards = parts;
    meguri_column c;
    uint64_t *sorted = NULL;
    void *counts_here = NULL;
    uint64_t part_count = 0;
    mg_top top = {0};
    meguri_status status = mg_top_column(&c, ctx, result, column, true);
    if (status == MEGURI_OK) status = mg_check_part(ctx, shards, &c);
    if (status == MEGURI_OK) status = sort_groups(&sorted, ctx, &c);
    mg_call call = {.name = "meguri_result_groups"};
    mg_call_text(&call, "column", column);
    mg_call_number(&call, "number of groups", most);
    status = mg_agree_call(ctx, shards->cluster, status, &call);
    counting counts = {.shards = shards, .sorted = sorted, .count = status == MEGURI_OK ? c.count : 0};
    const mg_route_source source = {next_parts, &counts, sizeof(part_of_group)};
    if (status == MEGURI_OK)
        status = mg_route(&counts_here, &part_count, ctx, shards->cluster, &source, "the sizes of groups");
    mg_free(sorted);
    if (status == MEGURI_OK)
        status = mg_agree(ctx, shards->cluster, select_groups(&top, ctx, shards, counts_here, part_count, most));
    mg_free(counts_here);
    if (status == MEGURI_OK) status = merge(&top, ctx, shards->cluster, most);
    for (uint64_t i = 0; i < top.count && status == MEGURI_OK; i++) {
        groups[i] = top.items[i].item;
        sizes[i] = top.items[i].key;
        *count = i + 1;
    }
    mg_top_free(&top);
    return status;
}
