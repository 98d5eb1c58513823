/* A text may say what it is, where its first line is a comment such as "# format el": that of ids alone could look like
 * something else, a header or a line of another format. Files that convert writes begin so where they would otherwise
 * be taken for what they are not. */
#include "io/format.h"

#define WORDS "# format "

meguri_format mg_declared_format(const mg_input *input) {
    const char *text = input->head + MG_PAD + input->used, *name = text + strlen(WORDS);
    size_t bytes = input->head_bytes - input->used, length = 0;
    if (bytes < strlen(WORDS) || memcmp(text, WORDS, strlen(WORDS)) != 0) return MEGURI_FORMAT_AUTO;
    for (int i = 1; mg_format_row((meguri_format)i); i++) {
        const char *known = meguri_format_name((meguri_format)i);
        length = strlen(known);
        if (mg_format_row((meguri_format)i)->declared && strncmp(name, known, length) == 0 &&
            *mg_skip_blanks(name + length) == '\n')
            return (meguri_format)i;
    }
    return MEGURI_FORMAT_AUTO;
}

/* What a reader without options takes a text for. */
static meguri_status detect(meguri_format *out, meguri_ctx *ctx, const char *name, const mg_text *text) {
    mg_reader reader;
    mg_input input = {.fd = -1};
    meguri_status status = mg_reader_start(&reader, ctx, 0, NULL);
    if (status == MEGURI_OK) status = mg_input_memory(&input, ctx, name, text->data, text->used);
    if (status == MEGURI_OK) status = mg_input_peek(&input, MG_FIRST_LOOK);
    if (status == MEGURI_OK) status = mg_refuse_foreign(&input, true);
    if (status == MEGURI_OK) status = mg_detect(out, &reader, &input);
    mg_input_close(&input);
    mg_reader_finish(&reader);
    return status;
}

meguri_status mg_declare_format(mg_text *text, const mg_write_job *job) {
    meguri_ctx *ctx;
    meguri_format found = MEGURI_FORMAT_AUTO;
    const char *name = meguri_format_name(job->format);
    /* One of its own, because sentences about this text are of no interest. */
    const meguri_ctx_child_options options = {.size = sizeof options, .threads = 1};
    meguri_status status = text->used ? meguri_ctx_child(&ctx, job->ctx, &options) : MEGURI_OK;
    if (status != MEGURI_OK || !text->used) return status;
    mg_ctx_silence(ctx);
    status = detect(&found, ctx, job->path, text);
    meguri_ctx_free(ctx);
    if (status == MEGURI_NO_MEMORY) return mg_fail(job->ctx, status, "not enough memory to look at what is written.");
    if (status == MEGURI_OK && found == MEGURI_FORMAT_EDGELIST) return MEGURI_OK;
    size_t more = strlen(WORDS) + strlen(name) + 1;
    if (!mg_text_need(text, more)) return MEGURI_NO_MEMORY;
    memmove(text->data + more, text->data, text->used);
    memcpy(text->data, WORDS, strlen(WORDS));
    memcpy(text->data + strlen(WORDS), name, strlen(name));
    text->data[more - 1] = '\n';
    text->used += more;
    return MEGURI_OK;
}
