/* SPDX-License-Identifier: MIT
 * A library that uses OpenMP and does not know Carom. */
#ifndef CAROM_TESTS_BASE_FOREIGN_OPENMP_H
#define CAROM_TESTS_BASE_FOREIGN_OPENMP_H

#define FOREIGN_SUM 4950

/* Works on four threads, or alone if the compiler has no OpenMP; FOREIGN_SUM. */
int foreign_openmp(void);

#endif
