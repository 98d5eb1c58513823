/* How files may be compressed: what their names end in and what they begin with. */
#include "io/io.h"

const mg_compression_row mg_compressions[MG_COMPRESSIONS] = {
    [MG_PLAIN] = {"plain", "", "", 0},
    [MG_GZIP] = {"gzip", ".gz", "\x1f\x8b", 2},
    [MG_ZSTD] = {"zstd", ".zst", "\x28\xb5\x2f\xfd", 4},
    [MG_XZ] = {"xz", ".xz", "\xfd\x37zXZ", 6},
};

mg_compression mg_compression_of(const void *head, size_t bytes) {
    mg_compression found = MG_COMPRESSIONS - 1;
    while (found != MG_PLAIN && (bytes < mg_compressions[found].magic_bytes ||
                                 memcmp(head, mg_compressions[found].magic, mg_compressions[found].magic_bytes)))
        found--;
    return found;
}

size_t mg_uncompressed_name(mg_compression *compression, const char *name) {
    size_t length = strlen(name);
    mg_compression found = MG_COMPRESSIONS - 1;
    while (found != MG_PLAIN && !mg_ends_with(name, length, mg_compressions[found].suffix)) found--;
    if (compression) *compression = found;
    return length - strlen(mg_compressions[found].suffix);
}
