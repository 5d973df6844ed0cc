/* SPDX-License-Identifier: MIT
 * The directions of a scene's rays, which all its bodies share.
 *
 * They are computed in double, also for worlds in f32, which round them.
 */
#define CAROM_ISA_SCALAR CAROM_ISA_SCALAR
#define CAROM_REAL_BITS 64

#include "base/fpenv.h"
#include "base/memory.h"
#include "scenes/scenes.h"
#include "simd/elementary.h"

carom_status carom_scene_aim_rays(carom_scene *scene)
{
    const carom_scene_lidar *lidar = &scene->desc.lidar;
    if (lidar->rays == 0) {
        return CAROM_OK;
    }
    scene->rays = (double *)carom_memory_take((size_t)lidar->rays * 2 * sizeof(double));
    if (scene->rays == NULL) {
        return CAROM_ERROR_MEMORY;
    }

    const fp_environment caller = fp_begin();
    const double step = lidar->step != 0 ? lidar->step : V_TWO_PI / lidar->rays;
    for (uint32_t k = 0; k < lidar->rays; k++) {
        v_sincos(lidar->first + k * step, &scene->rays[(size_t)2 * k + 1], &scene->rays[(size_t)2 * k]);
    }
    fp_end(caller);
    return CAROM_OK;
}
