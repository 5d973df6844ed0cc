/* SPDX-License-Identifier: MIT
 * The variants of carom/toi.h: their names and properties.
 */
#include <carom/toi.h>

#include <string.h>

static const carom_toi_variant_info variants[CAROM_TOI_VARIANTS] = {
    [CAROM_TOI_POW] = {"pow", "b*b - 4*a*c, a call to pow() for every square", false, false},
    [CAROM_TOI_POW_FOLDED] = {"pow-folded", "the same as compilers may fold it: x*x for every pow(x, 2)", true, true},
    [CAROM_TOI_TEXTBOOK] = {"textbook", "(-B - sqrt(B*B - 4*A*C)) / (2*A)", true, true},
    [CAROM_TOI_COMPONENTS] = {"components", "b*b - a*c, (-b - sqrt d) / a, in coordinates", true, true},
    [CAROM_TOI_DOT] = {"dot", "the same arithmetic as dot products", true, true},
    [CAROM_TOI_HALF_B] = {"half-b", "b*b - a*c, -(b + sqrt d) / a", true, true},
    [CAROM_TOI_CITARDAUQ] = {"citardauq", "b*b - a*c, c / (-b + sqrt d)", true, true},
    [CAROM_TOI_CROSS] = {"cross", "r*r*a - (p x v)^2, (-b - sqrt d) / a", true, true},
    [CAROM_TOI_CROSS_CITARDAUQ] = {"cross-citardauq", "r*r*a - (p x v)^2, c / (-b + sqrt d)", true, true},
    [CAROM_TOI_FMA_KAHAN] = {"fma-kahan", "b*b - a*c by error-free products, c / (-b + sqrt d)", true, true},
    [CAROM_TOI_ACCURATE] = {"accurate", "b, c and d in twice the precision, c / (-b + sqrt d)", true, true},
    [CAROM_TOI_RSQRT_NEWTON] = {"rsqrt-newton", "approximate root and quotient by Newton steps", true, false},
    [CAROM_TOI_NORMALISED] = {"normalised", "swept test: the fraction of the tick, from both roots", true, true},
    [CAROM_TOI_BACKWARD] = {"backward", "time since impact, the earlier root if it is not positive", true, true},
};

const carom_toi_variant_info *carom_toi_variant_describe(int variant)
{
    const int plain = variant & ~CAROM_TOI_BRANCHES;
    return plain >= 0 && plain < CAROM_TOI_VARIANTS ? &variants[plain] : NULL;
}

carom_status carom_toi_variant_find(const char *name, int *variant)
{
    if (name == NULL || variant == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const char *slash = strchr(name, '/');
    const size_t length = slash != NULL ? (size_t)(slash - name) : strlen(name);
    if (slash != NULL && strcmp(slash, "/branches") != 0) {
        return CAROM_ERROR_ARGUMENT;
    }
    int found = length == 4 && memcmp(name, "fast", 4) == 0 ? CAROM_TOI_FAST : -1;
    for (int v = 0; v < CAROM_TOI_VARIANTS && found < 0; v++) {
        if (strlen(variants[v].name) == length && memcmp(name, variants[v].name, length) == 0) {
            found = v;
        }
    }
    if (found < 0) {
        return CAROM_ERROR_ARGUMENT;
    }
    *variant = slash != NULL ? found | CAROM_TOI_BRANCHES : found;
    return CAROM_OK;
}
