/* SPDX-License-Identifier: MIT
 * What PufferLib 4's vecenv.h declares for an environment; the driver is test_puffer.c.
 */
#ifndef CAROM_TESTS_PUFFER_VECENV_H
#define CAROM_TESTS_PUFFER_VECENV_H

#include "dict.h"
#include "raylib.h"

void my_init(Env *env, Dict *kwargs);
void my_log(Log *log, Dict *out);

#endif
