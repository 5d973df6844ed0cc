/* SPDX-License-Identifier: MIT
 * What PufferLib 5's pufferenv.h declares for an environment; the driver is test_puffer.c.
 */
#ifndef CAROM_TESTS_PUFFER_PUFFERENV_H
#define CAROM_TESTS_PUFFER_PUFFERENV_H

#include "dict.h"
#include "raylib.h"

typedef struct Env Env;
typedef struct Log Log;

typedef struct Agent {
    obs_t *observations;
    float *actions, *rewards, *terminals;
    unsigned char *action_mask;
    int policy;
} Agent;

void puf_init(Env *env, Dict *kwargs);
void puf_reset(Env *env);
void puf_step(Env *env);
void puf_render(Env *env);
void puf_close(Env *env);
void puf_log(Log *log, Dict *out);

#endif
