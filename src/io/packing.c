/* How files may be packed: what their names end in and what they begin with. */
#include "io/io.h"

const mg_packing_row mg_packings[MG_PACKINGS] = {
    [MG_PLAIN] = {"plain", "", "", 0},
    [MG_GZIP] = {"gzip", ".gz", "\x1f\x8b", 2},
    [MG_ZSTD] = {"zstd", ".zst", "\x28\xb5\x2f\xfd", 4},
    [MG_XZ] = {"xz", ".xz", "\xfd\x37zXZ", 6},
};

mg_packing mg_packing_of(const void *head, size_t bytes) {
    mg_packing found = MG_PACKINGS - 1;
    while (found != MG_PLAIN && (bytes < mg_packings[found].magic_bytes ||
                                 memcmp(head, mg_packings[found].magic, mg_packings[found].magic_bytes)))
        found--;
    return found;
}

size_t mg_unpacked_name(mg_packing *packing, const char *name) {
    size_t length = strlen(name);
    mg_packing found = MG_PACKINGS - 1;
    while (found != MG_PLAIN && !mg_ends_with(name, length, mg_packings[found].suffix)) found--;
    if (packing) *packing = found;
    return length - strlen(mg_packings[found].suffix);
}
