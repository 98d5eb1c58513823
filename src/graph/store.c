/* Arrays written from front to back, in memory or — beyond the budget — in an unnamed file that is mapped when it is
 * complete, so that everything that reads rows works the same on both. */
#define _GNU_SOURCE
#include "graph/internal.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

meguri_status mg_store_new(mg_store *out, meguri_ctx *ctx, uint64_t room, bool on_disk, const char *what) {
    *out = (mg_store){.fd = -1};
    if (on_disk) {
        out->fd = mg_tempfile(ctx);
        return out->fd < 0 ? MEGURI_NO_DISK : MEGURI_OK;
    }
    out->memory = mg_alloc(ctx, room, what);
    return out->memory ? MEGURI_OK : MEGURI_NO_MEMORY;
}

void mg_store_take(mg_store *out, void *memory) { *out = (mg_store){.memory = memory, .fd = -1}; }

meguri_status mg_store_append(meguri_ctx *ctx, mg_store *store, const void *data, uint64_t bytes) {
    meguri_status status = MEGURI_OK;
    if (store->fd >= 0) status = mg_pwrite_all(ctx, store->fd, data, bytes, store->bytes, "a temporary file of rows");
    else if (store->memory + store->bytes != data) memmove(store->memory + store->bytes, data, bytes);
    store->bytes += bytes;
    return status;
}

meguri_status mg_store_finish(mg_part_data *out, meguri_ctx *ctx, mg_store *store) {
    *out = (mg_part_data){.bytes = store->bytes};
    if (store->fd < 0) {
        mg_trim(store->memory, store->bytes);
        out->data = out->owned = store->memory;
        store->memory = NULL;
        return MEGURI_OK;
    }
    if (store->bytes) {
        void *mapped = mmap(NULL, store->bytes, PROT_READ, MAP_SHARED, store->fd, 0);
        if (mapped == MAP_FAILED)
            return mg_fail(ctx, MEGURI_NO_MEMORY, "cannot map a temporary file of rows: %s.", strerror(errno));
        out->data = out->mapped = mapped;
        out->mapped_bytes = store->bytes;
    }
    mg_store_free(store);
    return MEGURI_OK;
}

void mg_store_free(mg_store *store) {
    mg_free(store->memory);
    if (store->fd >= 0) close(store->fd);
    *store = (mg_store){.fd = -1};
}

void mg_part_data_free(mg_part_data *data) {
    mg_free(data->owned);
    if (data->mapped) munmap(data->mapped, data->mapped_bytes);
    *data = (mg_part_data){0};
}
