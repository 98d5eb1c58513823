/* Statistics against values worked out by hand. */
#define _GNU_SOURCE
#include "graph500/graph500.h"
#include "support/unit.h"

#include <math.h>

static void near(double got, double wanted) {
    if (!(fabs(got - wanted) <= 1e-12 * fabs(wanted))) fail_msg("%.17g instead of %.17g", got, wanted);
}

static void expect(const double *values, uint32_t count, const double wanted[7]) {
    double copy[64];
    memcpy(copy, values, count * sizeof *copy);
    meguri_graph500_statistics s = mg_graph500_statistics(copy, count);
    near(s.min, wanted[0]);
    near(s.first_quartile, wanted[1]);
    near(s.median, wanted[2]);
    near(s.third_quartile, wanted[3]);
    near(s.max, wanted[4]);
    near(s.mean, wanted[5]);
    near(s.stddev, wanted[6]);
}

static void of_values(void **state) {
    (void)state;
    expect((double[]){7}, 1, (double[]){7, 7, 7, 7, 7, 7, 0});
    expect((double[]){3, 1}, 2, (double[]){1, 1, 2, 3, 3, 2, sqrt(2)});
    expect((double[]){4, 1, 7}, 3, (double[]){1, 1, 4, 7, 7, 4, 3});
    /* Places 0.75 and 2.25 of 0 … 3: between the first and the second value, and between the third and the fourth. */
    expect((double[]){40, 10, 30, 20}, 4, (double[]){10, 15, 25, 35, 40, 25, sqrt(500.0 / 3)});
    expect((double[]){5, 3, 1, 2, 4}, 5, (double[]){1, 2, 3, 4, 5, 3, sqrt(2.5)});
    expect((double[]){2, 8, 1, 4, 7, 5, 3, 6}, 8, (double[]){1, 2.5, 4.5, 6.5, 8, 4.5, sqrt(6)});
}

static void of_64_values(void **state) {
    (void)state;
    double values[64];
    for (int i = 0; i < 64; i++) values[i] = (i * 37) % 64 + 1; /* 1 … 64, mixed */
    expect(values, 64, (double[]){1, 16.5, 32.5, 48.5, 64, 32.5, sqrt(64.0 * 65 / 12)});
}

static void of_rates(void **state) {
    (void)state;
    /* Rates 1, 1/2, 1/4 (their inverses 1, 2, 4): harmonic mean 3/7. */
    double inverses[] = {4, 1, 2};
    meguri_graph500_statistics s = mg_graph500_rate_statistics(inverses, 3);
    near(s.min, 0.25);
    near(s.first_quartile, 0.25);
    near(s.median, 0.5);
    near(s.third_quartile, 1);
    near(s.max, 1);
    near(s.mean, 3.0 / 7);
    /* Squared distances of the inverses from 7/3: (16 + 1 + 25) / 9; as a sample half of that; Norris divides the root
     * by the square of their mean and the root of one fewer. */
    near(s.stddev, sqrt(42.0 / 9 / 2) / (49.0 / 9 * sqrt(2)));
    double one[] = {0.125};
    s = mg_graph500_rate_statistics(one, 1);
    near(s.mean, 8);
    near(s.stddev, 0);
    double four[] = {1, 2, 3, 4};
    s = mg_graph500_rate_statistics(four, 4);
    near(s.first_quartile, 1 / 3.5);
    near(s.median, 1 / 2.5);
    near(s.third_quartile, 1 / 1.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_values),
        cmocka_unit_test(of_64_values),
        cmocka_unit_test(of_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
