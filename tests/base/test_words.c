/* Words for people: counts with their nouns, numbers as they are typed, suggestions, files that are missing. */
#define _GNU_SOURCE /* what unit.h uses */
#include "support/unit.h"

#include <errno.h>
#include <meguri/extra/words.h>
#include <sys/stat.h>

static void counts(void **state) {
    (void)state;
    static const struct {
        uint64_t count;
        const char *noun, *text;
    } rows[] = {{0, "edge", "0 edges"},
                {1, "edge", "1 edge"},
                {1, "vertex", "1 vertex"},
                {2000, "vertex", "2,000 vertices"},
                {3, "process", "3 processes"},
                {2, "community", "2 communities"},
                {2, "key", "2 keys"},
                {12, "query", "12 queries"},
                {2, "search", "2 searches"},
                {2, "box", "2 boxes"},
                {2, "self-loop", "2 self-loops"},
                {1, "input edge", "1 input edge"},
                {UINT64_MAX, "byte", "18,446,744,073,709,551,615 bytes"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[MEGURI_COUNT_TEXT];
        assert_string_equal(meguri_count_text(text, rows[i].count, rows[i].noun), rows[i].text);
    }
}

typedef struct typed {
    const char *text;
    uint64_t count, bytes; /* WRONG: refused */
} typed;
#define WRONG (UINT64_MAX - 7)

static void numbers(void **state) {
    (void)state;
    static const typed rows[] = {
        {"0", 0, 0},
        {"5000", 5000, 5000},
        {"007", 7, 7},
        {"1e6", 1000000, 1000000},
        {"1E6", 1000000, 1000000},
        {"1.5e3", 1500, 1500},
        {"2e+2", 200, 200},
        {"25e-1", WRONG, WRONG},
        {"250e-1", 25, 25},
        {"10k", 10000, 10000},
        {"10K", 10000, 10000},
        {"2M", 2000000, 2000000},
        {"2 M", 2000000, 2000000},
        {"1.5G", 1500000000, 1500000000},
        {"3T", 3000000000000, 3000000000000},
        {"1Ki", 1024, 1024},
        {"4Mi", 4194304, 4194304},
        {"1gi", 1073741824, 1073741824},
        {"1.5Ki", 1536, 1536},
        {"0.5Ki", 512, 512},
        {"1.5", WRONG, WRONG},
        {"1.50000", WRONG, WRONG},
        {"2.000000000000000000000000000", 2, 2},
        {"0.0001k", WRONG, 0},
        {"0.7Gi", WRONG, 751619276},
        {"1.2345k", WRONG, 1234},
        {"1B", WRONG, 1},
        {"1kB", WRONG, 1000},
        {"1KiB", WRONG, 1024},
        {"1.5GiB", WRONG, 1610612736},
        {"1 GB", WRONG, 1000000000},
        {"18446744073709551615", UINT64_MAX, UINT64_MAX},
        {"18446744073709551616", WRONG, WRONG},
        {"18446744073709551615e0", UINT64_MAX, UINT64_MAX},
        {"1e19", 10000000000000000000u, 10000000000000000000u},
        {"1e20", WRONG, WRONG},
        {"1e999999999999", WRONG, WRONG},
        {"0e999999999999", 0, 0},
        {"16777216Ti", WRONG, WRONG},
        {"16777215Ti", 18446742974197923840u, 18446742974197923840u},
        {"99999999999999999999999999k", WRONG, WRONG},
        {"", WRONG, WRONG},
        {".", WRONG, WRONG},
        {"e6", WRONG, WRONG},
        {"1e", WRONG, WRONG},
        {"1e+", WRONG, WRONG},
        {"k", WRONG, WRONG},
        {"B", WRONG, WRONG},
        {"1i", WRONG, WRONG},
        {"1kk", WRONG, WRONG},
        {"1X", WRONG, WRONG},
        {"1GG", WRONG, WRONG},
        {"1.5.5G", WRONG, WRONG},
        {"-1", WRONG, WRONG},
        {"+1", WRONG, WRONG},
        {" 7", WRONG, WRONG},
        {"7 ", WRONG, WRONG},
        {"7  k", WRONG, WRONG},
        {"0x10", WRONG, WRONG},
        {"1,000", WRONG, WRONG},
        {"nan", WRONG, WRONG},
        {"inf", WRONG, WRONG},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t count = WRONG, bytes = WRONG;
        int whole = meguri_parse_count(&count, rows[i].text), sized = meguri_parse_size(&bytes, rows[i].text);
        if (whole != (rows[i].count != WRONG) || count != rows[i].count)
            fail_msg("'%s' is %d, %llu", rows[i].text, whole, (unsigned long long)count);
        if (sized != (rows[i].bytes != WRONG) || bytes != rows[i].bytes)
            fail_msg("'%s' is %d, %llu bytes", rows[i].text, sized, (unsigned long long)bytes);
    }
}

/* Whole numbers with decimals and units, against arithmetic in doubles that are exact there. */
static void random_numbers(void **state) {
    (void)state;
    uint64_t random = 5;
    static const struct {
        const char *name;
        double is;
    } units[] = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"Ki", 1024}, {"Mi", 1048576}, {"Gi", 1073741824}};
    for (int i = 0; i < 20000; i++) {
        char text[64];
        uint64_t got = 0;
        unsigned digits = (unsigned)(next_random(&random) % 100000), behind = (unsigned)(next_random(&random) % 4);
        size_t unit = next_random(&random) % COUNT_OF(units);
        double scale = behind == 0 ? 1 : behind == 1 ? 10 : behind == 2 ? 100 : 1000, value = digits * units[unit].is;
        snprintf(text, sizeof text, "%u.%0*u%s", digits / (unsigned)scale, (int)behind, digits % (unsigned)scale,
                 units[unit].name);
        if (!behind) snprintf(text, sizeof text, "%u%s", digits, units[unit].name);
        bool whole = (uint64_t)value % (uint64_t)scale == 0;
        assert_int_equal(meguri_parse_count(&got, text), whole);
        if (whole && got != (uint64_t)value / (uint64_t)scale) fail_msg("%s is %llu", text, (unsigned long long)got);
    }
}

static void suggestions(void **state) {
    (void)state;
    static const char *const names[] = {"scale",  "seed",      "format", "keep-loops", "keep-duplicates",
                                        "degree", "kronecker", "Ōsaka",  "Odawara",    NULL};
    static const struct {
        const char *typed, *text;
    } rows[] = {{"scael", "; did you mean 'scale'?"},
                {"SCALE", "; did you mean 'scale'?"},
                {"formt", "; did you mean 'format'?"},
                {"keep-dup", "; did you mean 'keep-duplicates'?"},
                {"keep", "; did you mean 'keep-loops' or 'keep-duplicates'?"},
                {"loops", "; did you mean 'keep-loops'?"},
                {"degre", "; did you mean 'degree'?"},
                {"kroneker", "; did you mean 'kronecker'?"},
                {"Osaka", "; did you mean 'Ōsaka'?"},
                {"Odawra", "; did you mean 'Odawara'?"},
                {"frobnicate", "."},
                {"", "."},
                {"k", "."},
                {"e", "."}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[200];
        size_t length = meguri_did_you_mean(text, sizeof text, rows[i].typed, names, COUNT_OF(names), "");
        if (strcmp(text, rows[i].text) != 0) fail_msg("%s: %s", rows[i].typed, text);
        assert_int_equal(length, strlen(text) == 1 ? 0 : strlen(text));
    }
    char text[200];
    meguri_did_you_mean(text, sizeof text, "formt", names, COUNT_OF(names), "--");
    assert_string_equal(text, "; did you mean --format?");
    static const char *const evil[] = {"\x1b[31mred"};
    meguri_did_you_mean(text, sizeof text, "[31mred", evil, 1, "");
    assert_string_equal(text, "; did you mean '\\x1B[31mred'?");
}

/* A swap at the end of a word that was far away until then. */
static void swaps(void **state) {
    (void)state;
    uint64_t random = 9;
    for (int i = 0; i < 3000; i++) {
        char name[40], swapped[40], text[100], wanted[100];
        size_t length = 2 + next_random(&random) % 20, at = next_random(&random) % (length - 1);
        for (size_t k = 0; k < length; k++) name[k] = (char)('a' + (k * 7 + i) % 26);
        name[length] = '\0';
        memcpy(swapped, name, length + 1);
        swapped[at] = name[at + 1];
        swapped[at + 1] = name[at];
        const char *const names[] = {name};
        meguri_did_you_mean(text, sizeof text, swapped, names, 1, "");
        snprintf(wanted, sizeof wanted, "; did you mean '%s'?", name);
        assert_string_equal(text, wanted);
    }
}

static void make(const char *folder, const char *name) {
    char path[2 * FOLDER_TEXT];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static void missing_files(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], path[4 * FOLDER_TEXT], text[1024], wanted[1024];
    folder_new(folder);
    make(folder, "roads.csv");
    make(folder, "rail.csv.gz");
    make(folder, ".hidden.csv");
    make(folder, "g.el");
    static const struct {
        const char *typed, *meant;
    } rows[] = {
        {"raods.csv", "roads.csv"}, {"roads.cvs", "roads.csv"}, {"roads", "roads.csv"}, {"rail.csv", "rail.csv.gz"},
        {"Roads.csv", "roads.csv"}, {"hidden.csv", NULL},       {"x.el", NULL},         {"none.meg", NULL},
        {"buses.csv", NULL}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, rows[i].typed);
        assert_int_equal(meguri_cannot_open(text, sizeof text, path, ENOENT), MEGURI_NOT_FOUND);
        if (rows[i].meant)
            snprintf(wanted, sizeof wanted, "cannot open %s: no such file; did you mean '%s/%s'?", path, folder,
                     rows[i].meant);
        else snprintf(wanted, sizeof wanted, "cannot open %s: no such file.", path);
        assert_string_equal(text, wanted);
    }
    snprintf(path, sizeof path, "%s/deeper/roads.csv", folder);
    assert_int_equal(meguri_cannot_open(text, sizeof text, path, ENOENT), MEGURI_NOT_FOUND);
    snprintf(wanted, sizeof wanted, "cannot open %s: no such file, and no folder %s/deeper/.", path, folder);
    assert_string_equal(text, wanted);
    assert_int_equal(meguri_cannot_open(text, sizeof text, "secret", EACCES), MEGURI_BAD_INPUT);
    assert_string_equal(text, "cannot open secret: Permission denied.");
    folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),      cmocka_unit_test(numbers), cmocka_unit_test(random_numbers),
        cmocka_unit_test(suggestions), cmocka_unit_test(swaps),   cmocka_unit_test(missing_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
