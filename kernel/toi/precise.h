/* SPDX-License-Identifier: MIT
 * For sources that are compiled once per precision, with CAROM_REAL_BITS: the type of a number, and names that end in
 * the precision.
 */
#ifndef CAROM_TOI_PRECISE_H
#define CAROM_TOI_PRECISE_H

/* PRECISE(carom_toi_pairs): carom_toi_pairs_f32 or carom_toi_pairs_f64. */
#if CAROM_REAL_BITS == 32
typedef float real;
#define PRECISE(name) name##_f32
#elif CAROM_REAL_BITS == 64
typedef double real;
#define PRECISE(name) name##_f64
#else
#error "define CAROM_REAL_BITS as 32 or 64"
#endif

#endif
