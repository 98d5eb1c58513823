/* One file that all processes write, each at its places, under a temporary name in the folder of the final one.
 *
 * The first process makes it, once all know the name, and gives it its final one when all have synced what they wrote.
 * Until then every process can remove it, and does when something fails anywhere: also when the one that made it is
 * gone. */
#include "shards/shards.h"

/* The first byte comes last: who looks in between sees no name. */
static void note(meguri_cluster *c, const char *name) {
    size_t length = strlen(name);
    __atomic_store_n(&c->unfinished[0], '\0', __ATOMIC_SEQ_CST);
    if (!length || length >= sizeof c->unfinished) return;
    memcpy(c->unfinished + 1, name + 1, length);
    __atomic_store_n(&c->unfinished[0], name[0], __ATOMIC_SEQ_CST);
}

const char *meguri_cluster_unfinished(const meguri_cluster *cluster) { return cluster ? cluster->unfinished : ""; }

meguri_status mg_shared_open(mg_outfile *out, meguri_ctx *ctx, meguri_cluster *c, const char *path) {
    char name[sizeof c->unfinished] = "";
    meguri_status status = MEGURI_OK;
    *out = (mg_outfile){.fd = -1};
    if (c->rank == 0) {
        status = mg_outfile_name_shared(out, ctx, path);
        if (status == MEGURI_OK && strlen(out->temporary) >= sizeof name)
            status = mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the name %s is too long.", path);
        if (status == MEGURI_OK) snprintf(name, sizeof name, "%s", out->temporary);
    }
    status = mg_agree(ctx, c, status);
    if (status == MEGURI_OK) status = mg_broadcast(ctx, c, &c->all, 0, name, sizeof name);
    if (status == MEGURI_OK) note(c, name);
    status = mg_agree(ctx, c, status); /* all know the name: now it may come to be */
    if (status == MEGURI_OK && c->rank == 0) status = mg_outfile_make_shared(out, ctx);
    status = mg_agree(ctx, c, status);
    if (status == MEGURI_OK && c->rank != 0) status = mg_outfile_join(out, ctx, path, name);
    status = mg_agree(ctx, c, status);
    if (status != MEGURI_OK) {
        mg_outfile_abandon(out);
        note(c, "");
    }
    return status;
}

meguri_status mg_shared_close(meguri_ctx *ctx, meguri_cluster *c, mg_outfile *file, meguri_status status) {
    if (status == MEGURI_OK) status = mg_outfile_sync(ctx, file);
    status = mg_agree(ctx, c, status);
    if (status == MEGURI_OK) {
        if (c->rank == 0) status = mg_outfile_commit(ctx, file);
        status = mg_agree(ctx, c, status);
    }
    if (status == MEGURI_OK) mg_outfile_leave(file);
    else mg_outfile_abandon(file);
    note(c, "");
    return status;
}
