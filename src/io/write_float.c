/* The shortest decimal form of a double.
 *
 * After R. Giulietti, "The Schubfach way to render doubles" (2020): of all decimals that round to the value, the one
 * with the fewest digits, and of these the nearest, is found with three multiplications by a power of ten of 128
 * bits. The double is c·2^q; every decimal between the two halfway points to its neighbours reads back as it. At the
 * decimal exponent k where that interval is at least one and less than ten units wide, the answer is one of at most
 * four candidates: two multiples of ten, or the two whole numbers next to the value.
 *
 * The table of powers is worked out with long arithmetic when a file needs it (a fraction of a millisecond), so there
 * is neither a global to initialise nor a page of constants to trust. */
#include "io/write.h"

#include <math.h>

typedef unsigned __int128 u128;

#define LOWEST  (-292) /* powers of ten that doubles need */
#define HIGHEST 324
#define LIMBS   20 /* 64-bit digits of the long numbers: 10^324 has 1077 bits, and 128 more are wanted below it */

/* 10^e in 128 bits with the top bit set, rounded up. */
typedef struct power {
    uint64_t high, low;
} power;

struct mg_powers {
    power of[HIGHEST - LOWEST + 1];
};

/* floor(log2(10^e)) and floor(log10(2^e)), exact in the range of doubles. */
static int log2_of_power10(int e) { return (int)(((int64_t)e * 1741647) >> 19); }
static int log10_of_power2(int e) { return (int)(((int64_t)e * 1262611) >> 22); }
/* floor(log10(3/4 · 2^e)) */
static int log10_of_three_quarters(int e) { return (int)(((int64_t)e * 1262611 - 524031) >> 22); }

static int top_bit(const uint64_t *limb) {
    for (int i = LIMBS - 1; i >= 0; i--)
        if (limb[i]) return i * 64 + 63 - __builtin_clzll(limb[i]);
    return -1;
}

static uint64_t bits_at(const uint64_t *limb, int bit) { /* 64 bits from `bit` on; zeros below the number */
    if (bit <= -64) return 0;
    if (bit < 0) return limb[0] << -bit;
    int i = bit / 64, shift = bit % 64;
    uint64_t low = limb[i] >> shift;
    return shift && i + 1 < LIMBS ? low | limb[i + 1] << (64 - shift) : low;
}

/* The top 128 bits of a long number; one more if anything lies below them, or if `inexact`. */
static power top_of(const uint64_t *limb, bool inexact) {
    int lowest = top_bit(limb) - 127;
    power p = {bits_at(limb, lowest + 64), bits_at(limb, lowest)};
    for (int i = 0; i * 64 < lowest && !inexact; i++) {
        uint64_t below = limb[i];
        if ((i + 1) * 64 > lowest) below &= ((uint64_t)1 << (lowest % 64)) - 1;
        inexact = below != 0;
    }
    if (inexact && ++p.low == 0) p.high++;
    return p;
}

static void times_ten(uint64_t *limb) {
    u128 carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (u128)limb[i] * 10;
        limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

static void divided_by_ten(uint64_t *limb) { /* floor; floors of floors are exact */
    u128 rest = 0;
    for (int i = LIMBS - 1; i >= 0; i--) {
        rest = rest << 64 | limb[i];
        limb[i] = (uint64_t)(rest / 10);
        rest %= 10;
    }
}

meguri_status mg_powers_new(mg_powers **out, meguri_ctx *ctx) {
    mg_powers *powers = *out = mg_alloc(ctx, sizeof *powers, "a table of powers of ten");
    if (!powers) return MEGURI_NO_MEMORY;
    uint64_t limb[LIMBS] = {1};
    for (int e = 0; e <= HIGHEST; e++, times_ten(limb)) powers->of[e - LOWEST] = top_of(limb, false);
    memset(limb, 0, sizeof limb);
    limb[LIMBS - 1] = (uint64_t)1 << 63; /* 2^1279 / 10^n keeps more than 128 bits down to n = 292 */
    for (int e = -1; e >= LOWEST; e--) {
        divided_by_ten(limb);
        powers->of[e - LOWEST] = top_of(limb, true);
    }
    return MEGURI_OK;
}

void mg_powers_free(mg_powers *powers) { mg_free(powers); }

/* The high 64 bits of p·x, the last of which is also set if anything non-zero was cut off: enough to compare with
 * whole numbers ("round to odd"). */
static uint64_t product(power p, uint64_t x) {
    u128 low = (u128)p.low * x, high = (u128)p.high * x + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

typedef struct decimal {
    uint64_t digits;
    int exponent; /* of ten */
} decimal;

/* The decimal for c·2^q; `closer`: c is the smallest of its binade, so the neighbour below is twice as near. */
static decimal shortest(const mg_powers *powers, uint64_t c, int q, bool closer) {
    int k = closer ? log10_of_three_quarters(q) : log10_of_power2(q);
    int shift = q + log2_of_power10(-k) + 1;
    power p = powers->of[-k - LOWEST];
    /* Four times the two ends of the interval and the value itself, in units of 10^k. */
    uint64_t lower = product(p, (4 * c - 2 + closer) << shift);
    uint64_t value = product(p, (4 * c) << shift);
    uint64_t upper = product(p, (4 * c + 2) << shift);
    if (c % 2) { /* ties go to even, so the ends of an odd one's interval belong to its neighbours */
        lower++;
        upper--;
    }
    uint64_t whole = value / 4;
    if (whole >= 10) {
        uint64_t tens = whole / 10 * 40;
        bool down = lower <= tens, up = tens + 40 <= upper;
        if (down != up) return (decimal){whole / 10 + up, k + 1};
    }
    bool down = lower <= 4 * whole, up = 4 * whole + 4 <= upper;
    if (down != up) return (decimal){whole + up, k};
    uint64_t middle = 4 * whole + 2;
    return (decimal){whole + (value > middle || (value == middle && whole % 2)), k};
}

/* digits · 10^exponent, with a point where people expect one. */
static char *put_decimal(char *at, decimal d) {
    char digits[MG_INTEGER_TEXT];
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    int count = (int)(mg_put_u64(digits, d.digits) - digits), point = count + d.exponent;
    if (point > 17 || point < -4) {
        *at++ = digits[0];
        if (count > 1) {
            *at++ = '.';
            memcpy(at, digits + 1, (size_t)count - 1);
            at += count - 1;
        }
        *at++ = 'e';
        return mg_put_i64(at, point - 1);
    }
    if (point <= 0) { /* 0.00ddd */
        *at++ = '0';
        *at++ = '.';
        for (; point < 0; point++) *at++ = '0';
    }
    for (int i = 0; i < MG_MAX(count, point); i++) {
        if (i > 0 && i == point) *at++ = '.';
        *at++ = i < count ? digits[i] : '0';
    }
    return at;
}

char *mg_put_double(char *at, const mg_powers *powers, double value) {
    const uint64_t hidden = (uint64_t)1 << 52;
    uint64_t bits;
    if (isnan(value)) return (char *)memcpy(at, "nan", 3) + 3;
    if (value < 0) {
        *at++ = '-';
        value = -value;
    }
    if (isinf(value)) return (char *)memcpy(at, "inf", 3) + 3;
    if (value < 9007199254740992.0 && value == (double)(uint64_t)value) return mg_put_u64(at, (uint64_t)value);
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & (hidden - 1);
    int exponent = (int)(bits >> 52);
    if (exponent == 0) return put_decimal(at, shortest(powers, fraction, -1074, false));
    return put_decimal(at, shortest(powers, fraction | hidden, exponent - 1075, fraction == 0 && exponent > 1));
}
