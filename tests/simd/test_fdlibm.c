/* SPDX-License-Identifier: MIT
 * fdlibm's functions in lanes, to the bit against the plain C of fdlibm_plain.c, and to 1 ulp against the C library.
 * Compiled like a kernel, once per instruction set (f64); exits with 77 where this machine cannot run that one.
 */
#include "test.h"

#include "fdlibm_plain.h"
#include "simd/fdlibm.h"
#include "this_isa.h"

#define COUNT (1 << 16) /* arguments of a sort; a multiple of every width */
#define PI 3.141592653589793

static _Alignas(64) double x[COUNT], y[COUNT], out[COUNT], more[COUNT];
static uint64_t random_state;

/* In [-1, 1). */
static double unit(void)
{
    return (double)(int64_t)rng_next(&random_state) * 0x1p-63;
}

/* Garbage in other lanes must not matter: every argument comes with neighbours of all sorts. */
static void fill_angles(void)
{
    for (int i = 0; i < COUNT; i++) {
        double near = (double)(rng_next(&random_state) % (i % 3 == 0 ? 300000 : 45)) * (PI / 2);
        switch (rng_next(&random_state) % 8) {
        case 0:
            x[i] = unit() * 524288;
            break;
        case 1:
            x[i] = unit() * 8;
            break;
        case 2: /* a multiple of pi/2, or some ulps off */
            x[i] = near * (1 + (double)((int)(rng_next(&random_state) % 5) - 2) * 0x1p-52);
            break;
        case 3:
            x[i] = near + unit() * pow(2, -(double)(rng_next(&random_state) % 60));
            break;
        case 4:
            x[i] = unit() * pow(2, -(double)(rng_next(&random_state) % 1080));
            break;
        case 5: /* the bounds of the branches */
            x[i] = (PI / 4 + unit() * 0x1p-20) * (double)(1 + 2 * (rng_next(&random_state) % 2));
            break;
        case 6:
            x[i] = (double)(rng_next(&random_state) % 3) * -0.0;
            break;
        default:
            x[i] = unit() * 100;
        }
        x[i] = fabs(x[i]) <= 524288 ? (rng_next(&random_state) % 2 != 0 ? x[i] : -x[i]) : 1;
    }
}

static void check(const char *what, int i, double found, double expected)
{
    if (memcmp(&found, &expected, sizeof found) != 0) {
        fail_msg("%s, argument %a %a: %a instead of %a", what, x[i], y[i], found, expected);
    }
}

/* Within one ulp of the C library. */
static void check_near(const char *what, int i, double found, double expected)
{
    if (found != expected && nextafter(found, expected) != expected) {
        fail_msg("%s, argument %a %a: %a, the C library says %a", what, x[i], y[i], found, expected);
    }
}

TEST(test_sincos)
{
    fill_angles();
    for (int i = 0; i < COUNT; i += LANES) {
        vreal s, c;
        fd_sincos(v_load(&x[i]), &s, &c);
        v_store(&out[i], s);
        v_store(&more[i], c);
    }
    for (int i = 0; i < COUNT; i++) {
        check("sin", i, out[i], fdlibm_plain_sin(x[i]));
        check("cos", i, more[i], fdlibm_plain_cos(x[i]));
        check_near("sin", i, out[i], sin(x[i]));
        check_near("cos", i, more[i], cos(x[i]));
    }
}

/* fdlibm has a table of the high words of n pi/2; the lanes multiply. */
TEST(test_multiples)
{
    for (int n = 1; n <= 32; n++) {
        for (int step = -3; step <= 3; step++) {
            for (int l = 0; l < LANES; l++) {
                x[l] = l % 2 == 0 ? n * (PI / 2) * (1 + step * 0x1p-52) : n * (PI / 2) + step * 0x1p-19;
            }
            vreal s, c;
            fd_sincos(v_load(x), &s, &c);
            v_store(out, s);
            for (int l = 0; l < LANES; l++) {
                check("sin", l, out[l], fdlibm_plain_sin(x[l]));
            }
        }
    }
}

TEST(test_atan)
{
    static const double bounds[] = {0.4375, 0.6875, 1.1875, 2.4375, 0x1p-27, 0x1p66, 0, 1};
    for (int i = 0; i < COUNT; i++) {
        x[i] = i % 4 == 0 ? bounds[rng_next(&random_state) % 8] * (1 + unit() * (i % 8 == 0 ? 0 : 0x1p-50))
                          : unit() * pow(2, (double)(rng_next(&random_state) % 160) - 80);
        x[i] = i % 16 == 0 ? -x[i] : x[i];
        y[i] = 0;
    }
    for (int i = 0; i < COUNT; i += LANES) {
        v_store(&out[i], fd_atan(v_load(&x[i])));
    }
    for (int i = 0; i < COUNT; i++) {
        check("atan", i, out[i], fdlibm_plain_atan(x[i]));
        check_near("atan", i, out[i], atan(x[i]));
    }
}

TEST(test_atan2)
{
    for (int i = 0; i < COUNT; i++) {
        static const double odd[] = {0, -0.0, 1, -1, 1e-300, -1e-300, 1e300, -1e300};
        const double scale = pow(2, (double)(rng_next(&random_state) % 160) - 80);
        x[i] = i % 4 == 0 ? odd[rng_next(&random_state) % 8] : unit() * (i % 4 == 1 ? scale : 100);
        y[i] = i % 8 == 0 ? odd[rng_next(&random_state) % 8] : unit() * 100;
    }
    for (int i = 0; i < COUNT; i += LANES) {
        v_store(&out[i], fd_atan2(v_load(&y[i]), v_load(&x[i])));
    }
    for (int i = 0; i < COUNT; i++) {
        check("atan2", i, out[i], fdlibm_plain_atan2(y[i], x[i]));
        check_near("atan2", i, out[i], atan2(y[i], x[i]));
    }
}

TEST(test_log)
{
    for (int i = 0; i < COUNT; i++) {
        x[i] = i % 4 == 0   ? 1 + unit() * pow(2, -(double)(rng_next(&random_state) % 54))
               : i % 4 == 1 ? pow(2, (double)(rng_next(&random_state) % 2000) - 1000)
               : i % 4 == 2 ? fabs(unit()) * pow(2, (double)(rng_next(&random_state) % 2000) - 1000) + 1e-307
                            : 0.01 / (40 * fabs(unit()) + 1e-9);
        x[i] = x[i] > 0 ? x[i] : 1;
        y[i] = 0;
    }
    for (int i = 0; i < COUNT; i += LANES) {
        v_store(&out[i], fd_log(v_load(&x[i])));
    }
    for (int i = 0; i < COUNT; i++) {
        check("log", i, out[i], fdlibm_plain_log(x[i]));
        check_near("log", i, out[i], log(x[i]));
    }
}

/* The power is our own: it need only be the same everywhere and within 1e-12. It is fdlibm's, and far better. */
TEST(test_pow)
{
    for (int i = 0; i < COUNT; i++) {
        do {
            x[i] = i % 2 == 0 ? 0.5 + unit() * 0.4999 : fabs(unit()) * 3;
            x[i] = x[i] > 0.0009765625 ? x[i] : 0.9;
            y[i] = i % 4 == 0 ? unit() * 100 : unit() * 2000;
        } while (fabs(y[i] * log2(x[i])) > 1000);
    }
    for (int i = 0; i < COUNT; i += LANES) {
        v_store(&out[i], fd_pow(v_load(&x[i]), v_load(&y[i])));
    }
    for (int i = 0; i < COUNT; i++) {
        check("pow", i, out[i], fdlibm_plain_pow(x[i], y[i]));
        check_near("pow", i, out[i], pow(x[i], y[i]));
    }
}

SET_UP
{
    needs_this_isa();
    random_state = test_seed(1);
}
