/* SPDX-License-Identifier: MIT
 * fdlibm's functions in plain C. The algorithms and coefficients are those of fdlibm 5.3 ("Freely Distributable LIBM",
 * Sun Microsystems 1993), with the quadrant rule of the later versions in atan2 (|y/x| > 2^60).
 */
#include "fdlibm_plain.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static int32_t high_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int32_t)(bits >> 32);
}

static double with_high(double x, int32_t high)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits & 0xffffffffu) | (uint64_t)(uint32_t)high << 32;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

static double without_low(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= ~UINT64_C(0xffffffff);
    memcpy(&x, &bits, sizeof bits);
    return x;
}

/* ---- sine and cosine ---- */

static double kernel_sin(double x, double y, int with_tail)
{
    static const double s1 = -1.66666666666666324348e-01, s2 = 8.33333333332248946124e-03,
                        s3 = -1.98412698298579493134e-04, s4 = 2.75573137070700676789e-06,
                        s5 = -2.50507602534068634195e-08, s6 = 1.58969099521155010221e-10;
    if ((high_of(x) & 0x7fffffff) < 0x3e400000) {
        return x;
    }
    double z = x * x, v = z * x;
    double r = s2 + z * (s3 + z * (s4 + z * (s5 + z * s6)));
    if (!with_tail) {
        return x + v * (s1 + z * r);
    }
    return x - ((z * (0.5 * y - v * r) - y) - v * s1);
}

static double kernel_cos(double x, double y)
{
    static const double c1 = 4.16666666666666019037e-02, c2 = -1.38888888888741095749e-03,
                        c3 = 2.48015872894767294178e-05, c4 = -2.75573143513906633035e-07,
                        c5 = 2.08757232129817482790e-09, c6 = -1.13596475577881948265e-11;
    int32_t ix = high_of(x) & 0x7fffffff;
    if (ix < 0x3e400000) {
        return 1;
    }
    double z = x * x;
    double r = z * (c1 + z * (c2 + z * (c3 + z * (c4 + z * (c5 + z * c6)))));
    if (ix < 0x3fd33333) {
        return 1 - (0.5 * z - (z * r - x * y));
    }
    double qx = ix > 0x3fe90000 ? 0.28125 : with_high(0, ix - 0x00200000);
    double hz = 0.5 * z - qx, a = 1 - qx;
    return a - (hz - (z * r - x * y));
}

/* x - n pi/2 as y[0] + y[1]; returns n. */
static int reduce(double x, double y[2])
{
    static const double invpio2 = 6.36619772367581382433e-01, pio2_1 = 1.57079632673412561417e+00,
                        pio2_1t = 6.07710050650619224932e-11, pio2_2 = 6.07710050630396597660e-11,
                        pio2_2t = 2.02226624879595063154e-21, pio2_3 = 2.02226624871116645580e-21,
                        pio2_3t = 8.47842766036889956997e-32;
    /* The high words of n pi/2. */
    static const int32_t multiples[32] = {
        0x3FF921FB, 0x400921FB, 0x4012D97C, 0x401921FB, 0x401F6A7A, 0x4022D97C, 0x4025FDBB, 0x402921FB,
        0x402C463A, 0x402F6A7A, 0x4031475C, 0x4032D97C, 0x40346B9C, 0x4035FDBB, 0x40378FDB, 0x403921FB,
        0x403AB41B, 0x403C463A, 0x403DD85A, 0x403F6A7A, 0x40407E4C, 0x4041475C, 0x4042106C, 0x4042D97C,
        0x4043A28C, 0x40446B9C, 0x404534AC, 0x4045FDBB, 0x4046C6CB, 0x40478FDB, 0x404858EB, 0x404921FB};
    int32_t hx = high_of(x), ix = hx & 0x7fffffff;
    if (ix <= 0x3fe921fb) {
        y[0] = x;
        y[1] = 0;
        return 0;
    }
    if (ix < 0x4002d97c) { /* |x| < 3 pi/4: n is 1 or -1 */
        double sign = hx > 0 ? 1 : -1, z = fabs(x) - pio2_1;
        if (ix != 0x3ff921fb) {
            y[0] = z - pio2_1t;
            y[1] = (z - y[0]) - pio2_1t;
        } else {
            z -= pio2_2;
            y[0] = z - pio2_2t;
            y[1] = (z - y[0]) - pio2_2t;
        }
        y[0] *= sign;
        y[1] *= sign;
        return (int)sign;
    }
    double t = fabs(x);
    int n = (int)(t * invpio2 + 0.5);
    double fn = n, r = t - fn * pio2_1, w = fn * pio2_1t;
    y[0] = r - w;
    if (n >= 32 || ix == multiples[n - 1]) {
        int j = ix >> 20;
        if (j - ((high_of(y[0]) >> 20) & 0x7ff) > 16) {
            t = r;
            w = fn * pio2_2;
            r = t - w;
            w = fn * pio2_2t - ((t - r) - w);
            y[0] = r - w;
            if (j - ((high_of(y[0]) >> 20) & 0x7ff) > 49) {
                t = r;
                w = fn * pio2_3;
                r = t - w;
                w = fn * pio2_3t - ((t - r) - w);
                y[0] = r - w;
            }
        }
    }
    y[1] = (r - y[0]) - w;
    if (hx < 0) {
        y[0] = -y[0];
        y[1] = -y[1];
        return -n;
    }
    return n;
}

double fdlibm_plain_sin(double x)
{
    double y[2];
    if ((high_of(x) & 0x7fffffff) <= 0x3fe921fb) {
        return kernel_sin(x, 0, 0);
    }
    switch (reduce(x, y) & 3) {
    case 0:
        return kernel_sin(y[0], y[1], 1);
    case 1:
        return kernel_cos(y[0], y[1]);
    case 2:
        return -kernel_sin(y[0], y[1], 1);
    default:
        return -kernel_cos(y[0], y[1]);
    }
}

double fdlibm_plain_cos(double x)
{
    double y[2];
    switch (reduce(x, y) & 3) {
    case 0:
        return kernel_cos(y[0], y[1]);
    case 1:
        return -kernel_sin(y[0], y[1], 1);
    case 2:
        return -kernel_cos(y[0], y[1]);
    default:
        return kernel_sin(y[0], y[1], 1);
    }
}

/* ---- arc tangent ---- */

double fdlibm_plain_atan(double x)
{
    static const double high[] = {4.63647609000806093515e-01, 7.85398163397448278999e-01, 9.82793723247329054082e-01,
                                  1.57079632679489655800e+00};
    static const double low[] = {2.26987774529616870924e-17, 3.06161699786838301793e-17, 1.39033110312309984516e-17,
                                 6.12323399573676603587e-17};
    static const double a[] = {3.33333333333329318027e-01,  -1.99999999998764832476e-01, 1.42857142725034663711e-01,
                               -1.11111104054623557880e-01, 9.09088713343650656196e-02,  -7.69187620504482999495e-02,
                               6.66107313738753120669e-02,  -5.83357013379057348645e-02, 4.97687799461593236017e-02,
                               -3.65315727442169155270e-02, 1.62858201153657823623e-02};
    int32_t hx = high_of(x), ix = hx & 0x7fffffff;
    int id = -1;
    if (ix >= 0x44100000) {
        return hx > 0 ? high[3] + low[3] : -high[3] - low[3];
    }
    if (ix < 0x3fdc0000) {
        if (ix < 0x3e400000) {
            return x;
        }
    } else {
        x = fabs(x);
        if (ix < 0x3fe60000) {
            id = 0;
            x = (2 * x - 1) / (2 + x);
        } else if (ix < 0x3ff30000) {
            id = 1;
            x = (x - 1) / (x + 1);
        } else if (ix < 0x40038000) {
            id = 2;
            x = (x - 1.5) / (1 + 1.5 * x);
        } else {
            id = 3;
            x = -1 / x;
        }
    }
    double z = x * x, w = z * z;
    double s1 = z * (a[0] + w * (a[2] + w * (a[4] + w * (a[6] + w * (a[8] + w * a[10])))));
    double s2 = w * (a[1] + w * (a[3] + w * (a[5] + w * (a[7] + w * a[9]))));
    if (id < 0) {
        return x - x * (s1 + s2);
    }
    z = high[id] - ((x * (s1 + s2) - low[id]) - x);
    return hx < 0 ? -z : z;
}

double fdlibm_plain_atan2(double y, double x)
{
    static const double pi = 3.1415926535897931160e+00, pi_low = 1.2246467991473531772e-16,
                        half_pi = 1.5707963267948965580e+00;
    int32_t ix = high_of(x) & 0x7fffffff, iy = high_of(y) & 0x7fffffff;
    int down = signbit(y) != 0, left = signbit(x) != 0;
    if (x == 1) {
        return fdlibm_plain_atan(y);
    }
    if (y == 0) {
        return left ? (down ? -pi : pi) : y;
    }
    if (x == 0) {
        return down ? -half_pi : half_pi;
    }
    double z;
    int k = (iy - ix) >> 20;
    if (k > 60) {
        z = half_pi + 0.5 * pi_low;
        left = 0;
    } else if (left && k < -60) {
        z = 0;
    } else {
        z = fdlibm_plain_atan(fabs(y / x));
    }
    if (!left) {
        return down ? -z : z;
    }
    return down ? (z - pi_low) - pi : pi - (z - pi_low);
}

/* ---- logarithm and power ---- */

double fdlibm_plain_log(double x)
{
    static const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10,
                        l1 = 6.666666666666735130e-01, l2 = 3.999999999940941908e-01, l3 = 2.857142874366239149e-01,
                        l4 = 2.222219843214978396e-01, l5 = 1.818357216161805012e-01, l6 = 1.531383769920937332e-01,
                        l7 = 1.479819860511658591e-01;
    int k = 0;
    int32_t hx = high_of(x);
    if (hx < 0x00100000) {
        k -= 54;
        x *= 18014398509481984.0; /* 2^54 */
        hx = high_of(x);
    }
    k += (hx >> 20) - 1023;
    hx &= 0x000fffff;
    int32_t i = (hx + 0x95f64) & 0x100000;
    x = with_high(x, hx | (i ^ 0x3ff00000));
    k += i >> 20;
    double f = x - 1, dk = k;
    if ((0x000fffff & (2 + hx)) < 3) {
        if (f == 0) {
            return k == 0 ? 0 : dk * ln2_high + dk * ln2_low;
        }
        double r = f * f * (0.5 - 0.33333333333333333 * f);
        return k == 0 ? f - r : dk * ln2_high - ((r - dk * ln2_low) - f);
    }
    double s = f / (2 + f), z = s * s, w = z * z;
    double t1 = w * (l2 + w * (l4 + w * l6)), t2 = z * (l1 + w * (l3 + w * (l5 + w * l7))), r = t2 + t1;
    if (((hx - 0x6147a) | (0x6b851 - hx)) > 0) {
        double hfsq = 0.5 * f * f;
        return k == 0 ? f - (hfsq - s * (hfsq + r)) : dk * ln2_high - ((hfsq - (s * (hfsq + r) + dk * ln2_low)) - f);
    }
    return k == 0 ? f - s * (f - r) : dk * ln2_high - ((s * (f - r) - dk * ln2_low) - f);
}

double fdlibm_plain_pow(double x, double y)
{
    static const double bp[] = {1.0, 1.5}, dp_h[] = {0, 5.84962487220764160156e-01},
                        dp_l[] = {0, 1.35003920212974897128e-08}, l1 = 5.99999999999994648725e-01,
                        l2 = 4.28571428578550184252e-01, l3 = 3.33333329818377432918e-01,
                        l4 = 2.72728123808534006489e-01, l5 = 2.30660745775561754067e-01,
                        l6 = 2.06975017800338417784e-01, p1 = 1.66666666666666019037e-01,
                        p2 = -2.77777777770155933842e-03, p3 = 6.61375632143793436117e-05,
                        p4 = -1.65339022054652515390e-06, p5 = 4.13813679705723846039e-08,
                        lg2 = 6.93147180559945286227e-01, lg2_h = 6.93147182464599609375e-01,
                        lg2_l = -1.90465429995776804525e-09, cp = 9.61796693925975554329e-01,
                        cp_h = 9.61796700954437255859e-01, cp_l = -7.02846165095275826516e-09;
    int32_t ix = high_of(x);
    int n = (ix >> 20) - 0x3ff, k;
    int32_t j = ix & 0x000fffff;
    ix = j | 0x3ff00000;
    if (j <= 0x3988E) { /* |x| < sqrt(3/2) */
        k = 0;
    } else if (j < 0xBB67A) { /* |x| < sqrt(3) */
        k = 1;
    } else {
        k = 0;
        n++;
        ix -= 0x00100000;
    }
    double ax = with_high(x, ix);
    /* log2(x) as t1 + t2 */
    double u = ax - bp[k], v = 1 / (ax + bp[k]), ss = u * v, s_h = without_low(ss);
    double t_h = with_high(0, ((ix >> 1) | 0x20000000) + 0x00080000 + (k << 18));
    double t_l = ax - (t_h - bp[k]), s_l = v * ((u - s_h * t_h) - s_h * t_l), s2 = ss * ss;
    double r = s2 * s2 * (l1 + s2 * (l2 + s2 * (l3 + s2 * (l4 + s2 * (l5 + s2 * l6)))));
    r += s_l * (s_h + ss);
    s2 = s_h * s_h;
    t_h = without_low(3 + s2 + r);
    t_l = r - ((t_h - 3) - s2);
    u = s_h * t_h;
    v = s_l * t_h + t_l * ss;
    double p_h = without_low(u + v), p_l = v - (p_h - u);
    double z_h = cp_h * p_h, z_l = cp_l * p_h + p_l * cp + dp_l[k], t = n;
    double t1 = without_low(((z_h + z_l) + dp_h[k]) + t), t2 = z_l - (((t1 - t) - dp_h[k]) - z_h);
    /* 2^(y log2(x)) */
    double y1 = without_low(y);
    p_l = (y - y1) * t1 + y * t2;
    p_h = y1 * t1;
    double z = p_l + p_h, whole = 0;
    if (fabs(z) > 0.5) {
        whole = z < 0 ? -floor(0.5 - z) : floor(z + 0.5);
        p_h -= whole;
    }
    t = without_low(p_l + p_h);
    u = t * lg2_h;
    v = (p_l - (t - p_h)) * lg2 + t * lg2_l;
    z = u + v;
    double w = v - (z - u);
    t = z * z;
    t1 = z - t * (p1 + t * (p2 + t * (p3 + t * (p4 + t * p5))));
    r = (z * t1) / (t1 - 2) - (w + z * w);
    return ldexp(1 - (r - z), (int)whole);
}
