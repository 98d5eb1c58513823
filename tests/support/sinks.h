/* Sinks and options in one expression, good until the next such call of the same thread. */
#ifndef TESTS_SUPPORT_SINKS_H
#define TESTS_SUPPORT_SINKS_H

#include <meguri.h>

static inline const meguri_sink *to_file(const char *path) {
    static _Thread_local meguri_sink sink;
    sink = (meguri_sink){.size = sizeof sink, .path = path};
    return &sink;
}

static inline const meguri_write_options *as_format(meguri_format format) {
    static _Thread_local meguri_write_options options;
    options = (meguri_write_options){.size = sizeof options, .format = format};
    return &options;
}

static inline const meguri_open_options *in_layout(const meguri_layout *layout) {
    static _Thread_local meguri_open_options options;
    meguri_open_options_init(&options, sizeof options);
    options.layout = layout;
    return &options;
}

#endif
