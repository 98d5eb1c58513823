/* Statistics of the searches, as the reference code of the benchmark defines them.
 *
 * A quartile is the mean of the two values around it (which are the same one if it falls on a value). Rates are
 * compared by their harmonic mean; its deviation is Norris's (The standard errors of the geometric and harmonic means
 * and their application to index numbers, Annals of Mathematical Statistics 11, 1940). */
#include "graph500/graph500.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double middle(const double *values, uint32_t low, uint32_t high) {
    return values[low] + (values[high] - values[low]) / 2;
}

meguri_graph500_statistics mg_graph500_statistics(double *values, uint32_t count) {
    meguri_graph500_statistics s = {0};
    uint32_t last = count - 1;
    qsort(values, count, sizeof *values, by_value);
    s.min = values[0];
    s.first_quartile = middle(values, last / 4, count / 4);
    s.median = middle(values, last / 2, count / 2);
    s.third_quartile = middle(values, last - count / 4, last - last / 4);
    s.max = values[last];
    for (uint32_t i = 0; i < count; i++) s.mean += values[i];
    s.mean /= count;
    for (uint32_t i = 0; i < count; i++) s.stddev += (values[i] - s.mean) * (values[i] - s.mean);
    s.stddev = last ? sqrt(s.stddev / last) : 0;
    return s;
}

meguri_graph500_statistics mg_graph500_rate_statistics(double *inverses, uint32_t count) {
    meguri_graph500_statistics s = mg_graph500_statistics(inverses, count);
    return (meguri_graph500_statistics){
        .min = 1 / s.max,
        .first_quartile = 1 / s.third_quartile,
        .median = 1 / s.median,
        .third_quartile = 1 / s.first_quartile,
        .max = 1 / s.min,
        .mean = 1 / s.mean,
        .stddev = count > 1 ? s.stddev / (s.mean * s.mean * sqrt(count - 1)) : 0,
    };
}
