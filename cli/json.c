/* JSON on a stream of stdio. */
#include "cli.h"

static meguri_status put(void *file, const void *data, size_t bytes) {
    return fwrite(data, 1, bytes, file) == bytes ? MEGURI_OK : MEGURI_NO_DISK; /* told when the stream is finished */
}

meguri_json cli_json_to(FILE *file) { return (meguri_json){.size = sizeof(meguri_json), .write = put, .user = file}; }
