/* SPDX-License-Identifier: MIT
 * fdlibm's sine, cosine, arc tangent, logarithm and power in plain C, with branches on the words of a double as in
 * fdlibm: the reference for kernel/simd/fdlibm.h. For finite arguments; sine and cosine for |x| <= 2^19.
 */
#ifndef CAROM_TESTS_SIMD_FDLIBM_PLAIN_H
#define CAROM_TESTS_SIMD_FDLIBM_PLAIN_H

double fdlibm_plain_sin(double x);
double fdlibm_plain_cos(double x);
double fdlibm_plain_atan(double x);
double fdlibm_plain_atan2(double y, double x);
double fdlibm_plain_log(double x);           /* x > 0 */
double fdlibm_plain_pow(double x, double y); /* x > 0, without overflow and with a normal result */

#endif
