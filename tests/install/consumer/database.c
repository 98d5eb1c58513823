/* A user of libmeguri_db: a configuration that is not valid is refused. */
#include <meguri.h>
#include <meguri/db.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    meguri_ctx *ctx = NULL;
    meguri_source *source = NULL;
    if (meguri_ctx_new(&ctx, NULL)) return 1;
    meguri_status status = meguri_source_new(&source, ctx, "[]", "config.json");
    int right = status != MEGURI_OK && !source && strstr(meguri_ctx_error(ctx), "config.json");
    printf("%s\n", meguri_ctx_error(ctx));
    meguri_ctx_free(ctx);
    return !right;
}
