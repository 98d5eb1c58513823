/* Text that grows, and whole numbers in it. */
#include "io/write.h"

bool mg_text_grow(mg_text *text, size_t bytes) {
    if (text->failed) return false;
    size_t room = MG_MAX(text->used + bytes, text->room + text->room / 2);
    char *data = mg_resize(text->ctx, text->data, MG_MAX(room, (size_t)1 << 16), "text to write");
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->room = MG_MAX(room, (size_t)1 << 16);
    return true;
}

void mg_text_free(mg_text *text) {
    mg_free(text->data);
    *text = (mg_text){0};
}

void mg_text_add(mg_text *text, const char *bytes, size_t count) {
    if (count == 0 || !mg_text_need(text, count)) return;
    memcpy(text->data + text->used, bytes, count);
    text->used += count;
}

void mg_text_format(mg_text *text, const char *format, ...) {
    char line[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    mg_text_add(text, line, (size_t)MG_MIN(length, (int)sizeof line - 1));
}

static const char pairs[201] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                               "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                               "8081828384858687888990919293949596979899";

static unsigned digits_of(uint64_t value) {
    unsigned digits = 1;
    for (;;) {
        if (value < 10) return digits;
        if (value < 100) return digits + 1;
        if (value < 1000) return digits + 2;
        if (value < 10000) return digits + 3;
        value /= 10000;
        digits += 4;
    }
}

/* Two digits at a time from the back: half the divisions. */
char *mg_put_u64(char *at, uint64_t value) {
    char *end = at + digits_of(value), *to = end;
    while (value >= 100) {
        to -= 2;
        memcpy(to, pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) memcpy(at, pairs + value * 2, 2);
    else *at = (char)('0' + value);
    return end;
}

char *mg_put_i64(char *at, int64_t value) {
    if (value >= 0) return mg_put_u64(at, (uint64_t)value);
    *at = '-';
    return mg_put_u64(at + 1, 0 - (uint64_t)value);
}
