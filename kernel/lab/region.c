/* SPDX-License-Identifier: MIT
 * Points in a region, sorted into cells.
 */
#include "lab/region.h"

#include "base/memory.h"

#include <string.h>

bool carom_region_is_valid(const carom_region *region)
{
    return region != NULL && isfinite(region->x0) && isfinite(region->y0) && region->width > 0 && region->height > 0 &&
           isfinite(region->x0 + region->width) && isfinite(region->y0 + region->height);
}

bool carom_region_points_valid(const carom_region *region, size_t n, const double *x, const double *y)
{
    const double right = region->x0 + region->width, upper = region->y0 + region->height;
    bool valid = n <= UINT32_MAX;
    for (size_t i = 0; i < n && valid; i++) {
        valid = x[i] >= region->x0 && x[i] <= right && y[i] >= region->y0 && y[i] <= upper;
    }
    return valid;
}

/* The number of cells along an axis: as many as are `reach` wide, limited to about the best number for n points. */
static uint32_t cells_along(double side, bool periodic, double reach, double most)
{
    const double count = floor(fmin(side / reach, most));
    return count >= (periodic ? 3 : 1) ? (uint32_t)count : 1;
}

static uint32_t cell_along(double d, double side, uint32_t cells)
{
    const double at = d / side * cells;
    return at >= cells ? cells - 1 : (uint32_t)at;
}

static uint32_t cell_of(const region_cells *c, double x, double y)
{
    const uint32_t column = cell_along(x - c->region.x0, c->region.width, c->columns);
    return cell_along(y - c->region.y0, c->region.height, c->rows) * c->columns + column;
}

bool carom_region_cells_make(const carom_region *region, size_t n, const double *x, const double *y, double reach,
                             region_cells *cells)
{
    const double most = fmin(2 + 2 * sqrt((double)n), 40000);
    region_cells c = {.region = *region, .n = n};
    c.columns = cells_along(region->width, region->periodic_x, reach, most);
    c.rows = cells_along(region->height, region->periodic_y, reach, most);

    const size_t count = (size_t)c.columns * c.rows;
    size_t used = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1 && (c.all = carom_memory_take(used)) == NULL) {
            return false;
        }
        used = 0;
        c.x = memory_part(c.all, &used, n * sizeof *c.x);
        c.y = memory_part(c.all, &used, n * sizeof *c.y);
        c.id = memory_part(c.all, &used, n * sizeof *c.id);
        c.begin = memory_part(c.all, &used, (count + 2) * sizeof *c.begin);
    }

    /* Counted one cell further on, so that begin[cell + 1] is a cell's next free place, and finally its end. */
    for (size_t i = 0; i < n; i++) {
        c.begin[cell_of(&c, x[i], y[i]) + 2]++;
    }
    for (size_t k = 2; k < count + 2; k++) {
        c.begin[k] += c.begin[k - 1];
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t at = c.begin[cell_of(&c, x[i], y[i]) + 1]++;
        c.x[at] = x[i];
        c.y[at] = y[i];
        c.id[at] = (uint32_t)i;
    }

    *cells = c;
    return true;
}

void carom_region_cells_end(region_cells *cells)
{
    carom_memory_release(cells->all);
    cells->all = NULL;
}

/* The existing cells of one axis from `at` - 1 to `at` + 1. */
static uint32_t along(uint32_t at, uint32_t cells, bool periodic, uint32_t found[3])
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < 3; k++) {
        const bool beyond = (k == 0 && at == 0) || (k == 2 && at + 1 == cells);
        if (k == 1 || (cells > 1 && (periodic || !beyond))) {
            found[count++] = at + k == 0 ? cells - 1 : at + k > cells ? 0 : at + k - 1;
        }
    }
    return count;
}

uint32_t carom_region_cells_around(const region_cells *cells, double x, double y, uint32_t around[9])
{
    const uint32_t cell = cell_of(cells, x, y);
    uint32_t columns[3], rows[3], count = 0;
    const uint32_t wide = along(cell % cells->columns, cells->columns, cells->region.periodic_x, columns);
    const uint32_t high = along(cell / cells->columns, cells->rows, cells->region.periodic_y, rows);
    for (uint32_t r = 0; r < high; r++) {
        for (uint32_t c = 0; c < wide; c++) {
            around[count++] = rows[r] * cells->columns + columns[c];
        }
    }
    return count;
}
