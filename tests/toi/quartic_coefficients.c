/* SPDX-License-Identifier: MIT
 * For scripts/derive_quartic: reads px py vx vy ax ay r t, prints the coefficients of ferrari_expand() and f, g, h, k
 * of quartic_at(), for every line.
 */
#include <stdio.h>

#include "toi/ferrari.h"

int main(void)
{
    quartic_scaled m = {0};
    double t;
    while (scanf("%la %la %la %la %la %la %la %la", &m.q.px, &m.q.py, &m.q.vx, &m.q.vy, &m.q.ax, &m.q.ay, &m.q.r, &t) ==
           8) {
        m.hx = m.q.ax / 2;
        m.hy = m.q.ay / 2;
        m.rr = m.q.r * m.q.r;
        const ferrari_quartic e = ferrari_expand(&m.q);
        const quartic_point p = quartic_at(&m, t);
        printf("%a %a %a %a %a %a %a %a %a\n", e.a4, e.a3, e.a2, e.a1, e.a0, p.f, p.g, p.h, p.k);
    }
    return 0;
}
