/* Opening a .meg file: the head is read and checked, the rest is mapped and not touched.
 *
 * So the time to open does not depend on the size of the file. Invariant on success: header and table have the right
 * hash; the file has exactly the size that the header says; every section lies inside it, behind the one before; the
 * sizes of all sections agree with the numbers of the graph (meg_layout.c). What the sections hold is checked when
 * it is first used (meg_check.c).
 *
 * A mapped file must not be cut short by another program while it is open: touching the lost pages would end the
 * process (SIGBUS). Replacing it by rename, as meguri_save does, is safe: the mapping keeps the old file. A file that
 * is copied, or lies in the caller's memory, has no such condition. */
#define _GNU_SOURCE
#include "io/format.h"
#include "io/meg.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define MAGIC_BYTES 8
#define FILE_TEXT   300                 /* bytes of a name in an advice */
#define COPIED      ((uint64_t)1 << 24) /* bytes between two looks at a cancel */

/* What is opened. */
typedef struct source {
    const char *path; /* for messages */
    bool is_path;     /* … and it leads there */
    int fd;           /* -1: */
    const unsigned char *data;
    uint64_t bytes;
} source;

static meguri_status fetch(meguri_ctx *ctx, const source *from, void *to, uint64_t bytes, uint64_t offset) {
    if (from->fd >= 0) return mg_pread_all(ctx, from->fd, to, bytes, offset, from->path);
    if (bytes) memcpy(to, from->data + offset, bytes);
    return MEGURI_OK;
}

/* ---- what is wrong with a file ---------------------------------------------------------------------------------- */

static meguri_status damaged(meguri_ctx *ctx, const char *path, const char *what) {
    return mg_fail(ctx, MEGURI_BAD_INPUT, MG_MEG_DAMAGED "%s" MG_MEG_DAMAGED_ADVICE, path, what);
}

static meguri_status cut_short(meguri_ctx *ctx, const char *path, uint64_t there, uint64_t needed) {
    return mg_fail(ctx, MEGURI_BAD_INPUT,
                   MG_MEG_DAMAGED "it %s (%" PRIu64 " bytes of %" PRIu64 " are there)" MG_MEG_DAMAGED_ADVICE, path,
                   there < needed ? "ends too early" : "goes on behind its end", there, needed);
}

static bool looks_like_text(const char *head, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)head[i] < 32 && !strchr("\n\r\t\f", head[i])) return false;
    return true;
}

/* What it is instead, from its decompressed beginning. */
static meguri_status is_instead(meguri_ctx *ctx, const char *path, const mg_input *input) {
    const char *text = input->head + MG_PAD, *is, *remedy;
    bool packed = input->compression != MG_PLAIN;
    if (input->head_bytes >= MAGIC_BYTES && memcmp(text, MG_MEG_MAGIC, MAGIC_BYTES) == 0)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%s is compressed with %s, and a .meg file is opened in place: decompress it first.", path,
                       mg_compressions[input->compression].name);
    if (mg_find_foreign(&is, &remedy, input, true))
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%s is %s, not a .meg file, and is not read; %s.", path, is, remedy);
    if (!looks_like_text(text, input->head_bytes))
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%s is not a .meg file; `meguri build` makes one from edge lists and other formats.", path);
    return mg_fail(ctx, MEGURI_BAD_INPUT,
                   "%s is a text file%s%s, not a .meg file; `meguri build %.*s -o NAME.meg` makes one from it, "
                   "`meguri overview %.*s` shows what it holds.",
                   path, packed ? " compressed with " : "", packed ? mg_compressions[input->compression].name : "",
                   FILE_TEXT, path, FILE_TEXT, path);
}

static meguri_status not_a_meg(meguri_ctx *ctx, const source *from, const unsigned char *head, uint64_t bytes) {
    mg_input input;
    const char *path = from->path;
    bool begins = bytes >= 2 && memcmp(head, MG_MEG_MAGIC, (size_t)MG_MIN(bytes, (uint64_t)MAGIC_BYTES)) == 0;
    if (begins) return cut_short(ctx, path, bytes, sizeof(mg_meg_header));
    if (bytes >= 5 && (memcmp(head, "\x89MEG", 4) == 0 || memcmp(head, "\x09MEG", 4) == 0))
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%s was a .meg file, but a transfer in text mode has changed its bytes; copy it again in binary "
                       "mode.",
                       path);
    meguri_status status =
        from->is_path ? mg_input_open(&input, ctx, path) : mg_input_memory(&input, ctx, path, head, bytes);
    if (status == MEGURI_OK) status = mg_input_peek(&input, MG_FIRST_LOOK);
    if (status == MEGURI_OK) status = is_instead(ctx, path, &input);
    mg_input_close(&input);
    return status;
}

/* ---- header ----------------------------------------------------------------------------------------------------- */

/* Reads the header; from its magic and version on it is a .meg file of ours, but not yet an undamaged one. */
static meguri_status read_header(mg_meg_header *header, meguri_ctx *ctx, const source *from) {
    const char *path = from->path;
    unsigned char head[sizeof *header] = {0};
    uint64_t there = MG_MIN(from->bytes, sizeof head);
    if (from->bytes == 0)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%s is empty, not a .meg file; `meguri build` makes one from edge lists and other formats.",
                       path);
    meguri_status status = fetch(ctx, from, head, there, 0);
    if (status != MEGURI_OK) return status;
    if (there < MAGIC_BYTES || memcmp(head, MG_MEG_MAGIC, MAGIC_BYTES) != 0) return not_a_meg(ctx, from, head, there);
    memcpy(header, head, sizeof *header);
    if (there < sizeof head) return cut_short(ctx, path, there, sizeof head);
    if (header->major != MG_MEG_MAJOR)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%s has version %u of the .meg format, and this meguri knows version %d; %s.", path,
                       header->major, MG_MEG_MAJOR,
                       header->major > MG_MEG_MAJOR ? "use a newer meguri" : "it is damaged, build it again");
    return MEGURI_OK;
}

/* Reads header and table into one block and checks their hash. */
static meguri_status read_head(unsigned char **out, meguri_ctx *ctx, const source *from, const mg_meg_header *header) {
    const char *path = from->path;
    uint64_t file_bytes = from->bytes;
    const char *wrong = "its header holds sizes that cannot be right";
    *out = NULL;
    if (header->header_bytes < sizeof *header || header->entry_bytes < sizeof(mg_meg_entry) ||
        header->header_bytes % 8 || header->entry_bytes % 8)
        return damaged(ctx, path, wrong);
    uint64_t bytes = header->header_bytes + (uint64_t)header->sections * header->entry_bytes;
    if (bytes > MG_MEG_MAX_HEAD) return damaged(ctx, path, wrong);
    if (bytes > file_bytes) return cut_short(ctx, path, file_bytes, bytes);
    unsigned char *head = mg_alloc(ctx, bytes, "the head of a .meg file");
    if (!head) return MEGURI_NO_MEMORY;
    memcpy(head, header, sizeof *header); /* as it was read once, should somebody be writing */
    meguri_status status = fetch(ctx, from, head + sizeof *header, bytes - sizeof *header, sizeof *header);
    if (status == MEGURI_OK) {
        memset(head + offsetof(mg_meg_header, head_hash), 0, 8);
        if (XXH3_64bits(head, bytes) != header->head_hash)
            status = damaged(ctx, path, "its header does not match its checksum");
    }
    if (status == MEGURI_OK && header->file_bytes != file_bytes)
        status = cut_short(ctx, path, file_bytes, header->file_bytes);
    if (status != MEGURI_OK) mg_free(head);
    else *out = head;
    return status;
}

static meguri_status take_numbers(meguri_graph *graph, meguri_ctx *ctx, const mg_meg_header *header, const char *path) {
    if (header->flags & ~MG_MEG_DIRECTED)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%s uses something that this meguri does not know (flags %#x); use a newer meguri.", path,
                       header->flags);
    if (header->chunk_log2 < MG_MEG_MIN_CHUNK || header->chunk_log2 > MG_MEG_MAX_CHUNK)
        return damaged(ctx, path, "its chunks have a size that cannot be right");
    graph->vertices = header->vertices;
    graph->rows = header->rows;
    graph->arcs = header->arcs;
    graph->edges = header->edges;
    graph->isolated = header->isolated;
    graph->directed = header->flags & MG_MEG_DIRECTED;
    graph->weight_type = mg_code_type(header->weight_type);
    graph->declared_weights = mg_code_type(header->declared_weights);
    graph->id_kind = (meguri_id_kind)header->id_kind;
    graph->order = (meguri_order)header->order;
    graph->offset_bytes = header->offset_bytes;
    graph->id_base = header->id_base;
    graph->input_edges = header->input_edges;
    graph->dropped_duplicates = header->dropped_duplicates;
    graph->dropped_loops = header->dropped_loops;
    graph->file_bytes = header->file_bytes;
    graph->file_hash = header->head_hash;
    const char *wrong = mg_meg_check_numbers(graph);
    return wrong ? damaged(ctx, path, wrong) : MEGURI_OK;
}

/* ---- sections --------------------------------------------------------------------------------------------------- */

/* Where a section and its list of hashes end; false if that is not inside the file. */
static bool section_end(uint64_t *end, const mg_meg_entry *entry, uint32_t chunk_log2, uint64_t file_bytes) {
    if (entry->offset > file_bytes || entry->bytes > file_bytes - entry->offset) return false;
    /* From here on all sums are below 2^63 + 2^54: the file's size came from the system. */
    *end = entry->offset + mg_meg_list_at(entry->bytes) + mg_meg_chunks(entry->bytes, chunk_log2) * 8;
    return *end <= file_bytes;
}

static void take_section(mg_meg_file *file, meguri_graph *graph, mg_part part, const mg_meg_entry *entry) {
    const unsigned char *data = (const unsigned char *)file->base + entry->offset;
    mg_meg_section *s = &file->section[part];
    s->present = true;
    s->data = data;
    s->bytes = entry->bytes;
    s->list = data + mg_meg_list_at(entry->bytes);
    s->chunks = mg_meg_chunks(entry->bytes, file->chunk_log2);
    s->list_hash = entry->list_hash;
    s->offset = entry->offset;
    graph->part[part] = (mg_part_data){.data = data, .bytes = entry->bytes};
}

static mg_meg_entry entry_at(const unsigned char *head, const mg_meg_header *header, uint32_t i) {
    mg_meg_entry entry;
    memcpy(&entry, head + header->header_bytes + (uint64_t)i * header->entry_bytes, sizeof entry);
    return entry;
}

/* How many columns there are says how many parts: by the sizes of the sections that describe them. */
static meguri_status count_columns(mg_meg_file *file, meguri_ctx *ctx, meguri_graph *graph, const unsigned char *head,
                                   const mg_meg_header *header) {
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < header->sections && status == MEGURI_OK; i++) {
        mg_meg_entry entry = entry_at(head, header, i);
        int part = mg_meg_part(graph, entry.number);
        if (part != MG_PART_COLUMNS && part != MG_PART_VERTEX_COLUMNS) continue;
        mg_column_set set = part == MG_PART_COLUMNS ? MG_OF_EDGES : MG_OF_VERTICES;
        uint64_t count = entry.bytes / sizeof(mg_column);
        if (count > header->sections) return damaged(ctx, file->path, "it has more columns than sections");
        status = mg_graph_make_columns(ctx, graph, set, (uint32_t)count);
    }
    if (status != MEGURI_OK) return status;
    file->section = mg_alloc_array_zero(ctx, graph->part_count, sizeof *file->section, "the sections of a .meg file");
    return file->section ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status take_sections(mg_meg_file *file, meguri_ctx *ctx, meguri_graph *graph, const unsigned char *head,
                                   const mg_meg_header *header) {
    uint64_t end = header->header_bytes + (uint64_t)header->sections * header->entry_bytes;
    for (uint32_t i = 0; i < header->sections; i++) {
        mg_meg_entry entry = entry_at(head, header, i);
        int part = mg_meg_part(graph, entry.number);
        if (part < 0 && entry.flags & MG_MEG_MUST_KNOW)
            return mg_fail(ctx, MEGURI_BAD_INPUT,
                           "%s has a section (number %u) that this meguri does not know and must; use a newer meguri.",
                           file->path, entry.number);
        if (entry.offset % MG_MEG_PAGE || entry.offset < end ||
            !section_end(&end, &entry, file->chunk_log2, file->bytes))
            return damaged(ctx, file->path, "its sections overlap or lie outside the file");
        if (part < 0) continue;
        if (file->section[part].present) return damaged(ctx, file->path, "it has a section twice");
        take_section(file, graph, (mg_part)part, &entry);
        if (entry.element_bytes != mg_meg_element_bytes(graph, (mg_part)part))
            return damaged(ctx, file->path, "a section has elements of the wrong size");
    }
    if (end != file->bytes) return damaged(ctx, file->path, "its last section does not end at the end of the file");
    mg_part culprit;
    const char *wrong = mg_meg_check_parts(graph, &culprit);
    if (wrong)
        return mg_fail(ctx, MEGURI_BAD_INPUT, MG_MEG_DAMAGED "its %s %s" MG_MEG_DAMAGED_ADVICE, file->path,
                       mg_meg_part_name(graph, culprit), wrong);
    return MEGURI_OK;
}

static meguri_status make_marks(mg_meg_file *file, meguri_ctx *ctx, const meguri_graph *graph) {
    uint64_t chunks = 0;
    for (uint32_t part = 0; part < graph->part_count; part++) {
        file->section[part].first_chunk = chunks;
        chunks += file->section[part].chunks;
    }
    file->checked = mg_alloc_array_zero(ctx, chunks / 64 + 1, 8, "the marks of what has been checked");
    return file->checked ? MEGURI_OK : MEGURI_NO_MEMORY;
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static void close_file(mg_backing *backing) {
    mg_meg_file *file = (mg_meg_file *)backing;
    if (file->base && !file->copy && !file->borrowed) munmap(file->base, file->bytes);
    if (file->borrowed && file->release) file->release(file->user);
    mg_free(file->copy);
    mg_free(file->checked);
    mg_free(file->section);
    mg_free(file->path);
    mg_free(file);
}

static meguri_status map_file(mg_meg_file *file, meguri_ctx *ctx, const source *from) {
    void *base = mmap(NULL, from->bytes, PROT_READ, MAP_SHARED, from->fd, 0);
    if (base == MAP_FAILED)
        return mg_fail(ctx, errno == ENOMEM ? MEGURI_NO_MEMORY : MEGURI_BAD_INPUT, "cannot map %s into memory: %s.",
                       from->path, strerror(errno));
    file->base = base;
    file->backing.mapped_bytes = from->bytes;
    return MEGURI_OK;
}

static meguri_status copy_file(mg_meg_file *file, meguri_ctx *ctx, const source *from) {
    char *copy = file->copy = mg_alloc(ctx, from->bytes, "a copy of a .meg file");
    if (!copy) return MEGURI_NO_MEMORY;
    file->base = copy;
    file->backing.memory_bytes = from->bytes;
    meguri_status status = MEGURI_OK;
    for (uint64_t done = 0; done < from->bytes && status == MEGURI_OK; done += COPIED) {
        if (mg_progress(ctx, "open", done, from->bytes)) return mg_fail_cancelled(ctx);
        status = fetch(ctx, from, copy + done, MG_MIN((uint64_t)COPIED, from->bytes - done), done);
    }
    return status;
}

static meguri_status new_file(mg_meg_file **out, meguri_ctx *ctx, const source *from, const meguri_open_options *o) {
    mg_meg_file *file = *out = mg_alloc_zero(ctx, sizeof *file, "an open .meg file");
    if (!file) return MEGURI_NO_MEMORY;
    file->backing = (mg_backing){.check = mg_meg_check, .close = close_file};
    file->path = mg_strdup(ctx, from->path, "the name of a .meg file");
    if (!file->path) return MEGURI_NO_MEMORY;
    file->backing.name = file->path;
    file->bytes = from->bytes;
    if (o->copy || (from->fd < 0 && (uintptr_t)from->data % 8)) return copy_file(file, ctx, from);
    if (from->fd >= 0) return map_file(file, ctx, from);
    file->base = (void *)from->data; /* which is only read */
    file->borrowed = true;
    file->release = o->release;
    file->user = o->user;
    return MEGURI_OK;
}

static meguri_status check_regular(source *from, struct stat *facts, meguri_ctx *ctx) {
    if (fstat(from->fd, facts) != 0)
        return mg_fail(ctx, MEGURI_BAD_INPUT, "cannot open %s: %s.", from->path, strerror(errno));
    if (S_ISDIR(facts->st_mode))
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%s is a folder; give the name of a .meg file.", from->path);
    if (!S_ISREG(facts->st_mode))
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%s is not a file on disk; a .meg file is mapped, so save it to disk first.", from->path);
    from->bytes = (uint64_t)facts->st_size;
    return MEGURI_OK;
}

/* The descriptor of a file, if any, is to be closed; `text` gets a name for what has none. */
static meguri_status find_source(source *from, struct stat *facts, char text[32], meguri_ctx *ctx, const char *path,
                                 const meguri_open_options *o) {
    *from = (source){.path = path, .fd = -1, .data = o->data, .bytes = o->bytes};
    if (o->data) {
        if (!path) from->path = "the graph in memory";
        return mg_check_count(ctx, o->bytes, 1, "bytes");
    }
    from->is_path = path != NULL;
    if (path) from->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not keep us waiting */
    else if (o->descriptor >= 0) {
        snprintf(text, 32, "descriptor %d", o->descriptor);
        from->path = text;
        from->fd = fcntl(o->descriptor, F_DUPFD_CLOEXEC, 0);
    } else
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "meguri_open needs the name of a file, `data` in memory or a `descriptor`.");
    return from->fd < 0 ? mg_fail_open(ctx, from->path, errno) : check_regular(from, facts, ctx);
}

/* *out is the caller's to free, whatever is returned. */
static meguri_status open_graph(meguri_graph **out, meguri_ctx *ctx, const source *from, const meguri_open_options *o) {
    mg_meg_header header = {0};
    mg_meg_file *file = NULL;
    unsigned char *head = NULL;
    meguri_graph *graph = *out = mg_graph_shell(ctx);
    if (!graph) return MEGURI_NO_MEMORY;
    meguri_status status = read_header(&header, ctx, from);
    if (status == MEGURI_OK) status = read_head(&head, ctx, from, &header);
    if (status == MEGURI_OK) status = take_numbers(graph, ctx, &header, from->path);
    if (status != MEGURI_OK) goto cleanup;
    status = new_file(&file, ctx, from, o);
    if (file) graph->backing = &file->backing;
    if (status != MEGURI_OK) goto cleanup;
    file->chunk_log2 = header.chunk_log2;
    status = count_columns(file, ctx, graph, head, &header);
    if (status == MEGURI_OK) status = take_sections(file, ctx, graph, head, &header);
    if (status == MEGURI_OK) status = make_marks(file, ctx, graph);
cleanup:
    mg_free(head);
    return status;
}

static bool is_borrowed(const meguri_graph *graph) {
    return graph && graph->backing && ((const mg_meg_file *)graph->backing)->borrowed;
}

static meguri_status open_whole(meguri_graph **out, meguri_ctx *ctx, const char *path, const meguri_open_options *o) {
    double start = mg_now();
    source from;
    struct stat facts = {0};
    char text[32];
    meguri_graph *graph = NULL;
    meguri_status status = find_source(&from, &facts, text, ctx, path, o);
    if (status == MEGURI_OK) status = open_graph(&graph, ctx, &from, o);
    bool borrowed = is_borrowed(graph);
    if (from.fd >= 0) close(from.fd);
    if (status == MEGURI_OK) {
        graph->file_device = facts.st_dev;
        graph->file_inode = facts.st_ino;
        mg_trace_phase(ctx, "open", o->copy ? "copy" : "map", (int64_t)graph->arcs, (int64_t)from.bytes, start);
        *out = graph;
    } else meguri_graph_free(graph);
    if (!borrowed && o->release) o->release(o->user);
    return status;
}

meguri_status meguri_open(meguri_graph **out, meguri_ctx *ctx, const char *path, const meguri_open_options *options) {
    meguri_open_options o;
    const mg_makers *makers;
    meguri_layout copy;
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_open_options);
    if (status != MEGURI_OK) return status; /* what would be released is not known */
    status = mg_layout_makers(&makers, &copy, ctx, &o.layout);
    if (status == MEGURI_OK && !makers) return open_whole(out, ctx, path, &o);
    if (status == MEGURI_OK && (o.copy || o.data || !path))
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                         "copy, data, descriptor: with a layout a file is opened by its name; leave them out.");
    if (status == MEGURI_OK) return makers->open(out, ctx, path, o.layout);
    if (o.release) o.release(o.user);
    return status;
}
