/* The zoo of graphs: shapes, random ones, and hostile ones. */
#include "support/zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t zoo_random(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static void add(zoo_graph *g, uint64_t from, uint64_t to) {
    if ((g->count & (g->count - 1)) == 0) /* at powers of two: sanitizers copy at every growth */
        g->pairs = realloc(g->pairs, (g->count ? g->count : 1) * 4 * sizeof *g->pairs);
    if (!g->pairs) abort();
    g->pairs[2 * g->count] = from;
    g->pairs[2 * g->count + 1] = to;
    g->count++;
}

typedef enum weight_style { NO_WEIGHTS, BYTES, SHORTS, WORDS, QUARTERS, TENTHS, NEGATIVE, STYLES } weight_style;

static void add_weights(zoo_graph *g, weight_style style, uint64_t seed) {
    if (style == NO_WEIGHTS) return;
    g->weights = calloc(g->count + 1, sizeof *g->weights);
    if (!g->weights) abort();
    for (uint64_t i = 0; i < g->count; i++) {
        uint64_t r = zoo_random(&seed);
        switch (style) {
        case BYTES: g->weights[i] = (double)(r % 256); break;
        case SHORTS: g->weights[i] = (double)(r % 65536); break;
        case WORDS: g->weights[i] = (double)(r % 4294967296u); break;
        case QUARTERS: g->weights[i] = (double)(r % 1000) / 4; break;
        case TENTHS: g->weights[i] = (double)(r % 1000) / 10; break;
        default: g->weights[i] = (double)(r % 1000) / 8 - 50; break;
        }
    }
}

static void shape(zoo_graph *g, int shape_index, uint64_t seed) {
    uint64_t i, j;
    switch (shape_index) {
    case 0: strcpy(g->name, "empty"); break;
    case 1:
        strcpy(g->name, "one vertex, no edge");
        g->vertices = 1;
        break;
    case 2:
        strcpy(g->name, "one loop");
        add(g, 7, 7);
        break;
    case 3:
        strcpy(g->name, "one edge");
        add(g, 3, 1);
        break;
    case 4:
        strcpy(g->name, "path of 1000");
        for (i = 0; i + 1 < 1000; i++) add(g, i, i + 1);
        break;
    case 5:
        strcpy(g->name, "cycle, odd ids");
        for (i = 0; i < 101; i++) add(g, 2 * i + 1, 2 * ((i + 1) % 101) + 1);
        break;
    case 6:
        strcpy(g->name, "star of 3000, hub last");
        for (i = 0; i < 3000; i++) add(g, 3000, i);
        break;
    case 7:
        strcpy(g->name, "clique of 40, loops too");
        for (i = 0; i < 40; i++)
            for (j = 0; j < 40; j++) add(g, i, j);
        break;
    case 8:
        strcpy(g->name, "isolated vertices everywhere");
        g->vertices = 500;
        for (i = 0; i < 100; i++) add(g, 100 + zoo_random(&seed) % 200, 100 + zoo_random(&seed) % 200);
        break;
    case 9:
        strcpy(g->name, "parallel edges and loops");
        for (i = 0; i < 2000; i++) add(g, zoo_random(&seed) % 20, zoo_random(&seed) % 20);
        break;
    case 10:
        strcpy(g->name, "ids up to 2^64-1");
        for (i = 0; i < 300; i++) add(g, UINT64_MAX - zoo_random(&seed) % 50, zoo_random(&seed) % 50);
        add(g, UINT64_MAX, 0);
        break;
    case 11:
        strcpy(g->name, "ids anywhere in 64 bits");
        for (i = 0; i < 400; i++) {
            uint64_t a = zoo_random(&seed) % 60, b = zoo_random(&seed) % 60;
            add(g, zoo_random(&a), zoo_random(&b));
        }
        break;
    case 12:
        strcpy(g->name, "negative ids");
        g->signed_ids = true;
        for (i = 0; i < 300; i++) add(g, zoo_random(&seed) % 100 - 50, zoo_random(&seed) % 100 - 50);
        break;
    case 13:
        strcpy(g->name, "the ends of the signed ids");
        g->signed_ids = true;
        add(g, (uint64_t)INT64_MIN, (uint64_t)INT64_MAX);
        add(g, (uint64_t)INT64_MAX, (uint64_t)-1);
        add(g, 0, (uint64_t)INT64_MIN);
        break;
    case 14:
        strcpy(g->name, "skewed");
        for (i = 0; i < 4000; i++) {
            uint64_t a = zoo_random(&seed) % 500, b = zoo_random(&seed) % 500;
            add(g, a * a / 500 * a / 500, b * b / 500);
        }
        break;
    case 15:
        strcpy(g->name, "mesh");
        for (i = 0; i < 60; i++)
            for (j = 0; j < 60; j++) {
                if (j + 1 < 60) add(g, (i * 60 + j) * 7 % 3600, (i * 60 + j + 1) * 7 % 3600);
                if (i + 1 < 60) add(g, (i * 60 + j) * 7 % 3600, ((i + 1) * 60 + j) * 7 % 3600);
            }
        break;
    case 16:
        strcpy(g->name, "uniform, large enough for threads");
        for (i = 0; i < 140000; i++) add(g, zoo_random(&seed) % 20000, zoo_random(&seed) % 20000);
        break;
    default: g->name[0] = '\0'; break;
    }
}

/* Every shape, with every style of weights in turn for the shapes that have many edges. */
bool zoo_get(zoo_graph *out, int index) {
    static const weight_style styles_of_small[] = {NO_WEIGHTS, BYTES};
    int at = 0;
    for (int s = 0;; s++) {
        *out = (zoo_graph){0};
        bool many = s == 9 || s == 14;
        int styles = many ? STYLES : 2;
        if (index < at + styles) {
            weight_style style = many ? (weight_style)(index - at) : styles_of_small[index - at];
            shape(out, s, 1000u + (uint64_t)s);
            if (!out->name[0]) {
                zoo_free(out);
                return false;
            }
            add_weights(out, style, 77u + (uint64_t)index);
            size_t used = strlen(out->name);
            snprintf(out->name + used, sizeof out->name - used, ", weights %d", style);
            return true;
        }
        at += styles;
        if (s > 100) return false;
    }
}

void zoo_free(zoo_graph *graph) {
    free(graph->pairs);
    free(graph->weights);
    *graph = (zoo_graph){0};
}
