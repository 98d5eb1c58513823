/* What the verbs about graph databases share. */
#ifndef CLI_DATABASE_H
#define CLI_DATABASE_H

#include "cli.h"

#include <meguri/db.h>

/* The functions of libmeguri_db. */
typedef struct cli_database {
    meguri_status (*source_new)(meguri_source **out, meguri_ctx *ctx, const char *config, const char *name);
    meguri_status (*source_read)(meguri_source **out, meguri_ctx *ctx, const char *path, const char *more);
    void (*source_free)(meguri_source *source);
    meguri_status (*pull)(meguri_pull_info *out, meguri_ctx *ctx, const meguri_source *source, const char *path,
                          const meguri_pull_options *options);
    meguri_status (*pull_estimate)(meguri_pull_info *out, meguri_ctx *ctx, const meguri_source *source);
    meguri_status (*write_back)(meguri_write_back_info *out, meguri_ctx *ctx, const meguri_source *source,
                                const meguri_graph *graph, const meguri_result *result,
                                const meguri_write_back_options *options);
} cli_database;

meguri_status cli_database_load(cli_database *out, cli_run *run);

extern const cli_option cli_login_options[];

/* A source by the configuration, or the URIs, that were named, and by the options. */
meguri_status cli_database_source(meguri_source **out, const cli_database *database, cli_run *run,
                                  const char *const *places, size_t count);

#endif
