/* Defaults of the options of this library, as those of libmeguri have them (docs of meguri_ctx_options). */
#include "source/source.h"

#include <string.h>

static void set(void *options, size_t size) {
    if (!options || size < sizeof size) return;
    memset(options, 0, size);
    memcpy(options, &size, sizeof size); /* their first member */
}

void meguri_pull_options_init(meguri_pull_options *options, size_t size) { set(options, size); }
void meguri_write_back_options_init(meguri_write_back_options *options, size_t size) { set(options, size); }
