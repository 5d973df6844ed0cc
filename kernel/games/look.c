/* SPDX-License-Identifier: MIT
 * The functions of carom/look.h, from a game's table and a world's fields.
 */
#include "games/look.h"

#include <math.h>
#include <string.h>

#include "games/game.h"
#include "worlds/device.h"
#include "worlds/layout.h"

const char *carom_look_style_name(carom_look_style style)
{
    static const char *const names[CAROM_LOOK_STYLES] = {
        [CAROM_LOOK_PLAIN] = "plain",   [CAROM_LOOK_FIRST] = "first",   [CAROM_LOOK_SECOND] = "second",
        [CAROM_LOOK_THIRD] = "third",   [CAROM_LOOK_FOURTH] = "fourth", [CAROM_LOOK_BALL] = "ball",
        [CAROM_LOOK_DANGER] = "danger", [CAROM_LOOK_FIXED] = "fixed",   [CAROM_LOOK_SENSOR] = "sensor",
        [CAROM_LOOK_WALL] = "wall",     [CAROM_LOOK_FIELD] = "field",   [CAROM_LOOK_TARGET] = "target"};
    return (unsigned)style < CAROM_LOOK_STYLES ? names[style] : NULL;
}

/* ---- reading a world ---- */

/* The table of a batch's game. A game without one gets a table in `room` and `group` with its fields x and y. */
static const game_look *look_of(const carom_worlds *worlds, game_look *room, look_group *group)
{
    const carom_game *game = worlds->desc.game;
    if (game->look != NULL) {
        return game->look;
    }

    const look_group bodies = {.name = "body",
                               .count = game->info.bodies,
                               .style = CAROM_LOOK_PLAIN,
                               .mass = 1,
                               .x = {"x", 0},
                               .y = {"y", 0},
                               .vx = {"vx", 0},
                               .vy = {"vy", 0}};
    memset(room, 0, sizeof *room);
    *group = bodies;

    /* As many bodies as both fields have elements. */
    size_t x, y;
    if (carom_worlds_find_field(worlds, "x", &x) == CAROM_OK && carom_worlds_find_field(worlds, "y", &y) == CAROM_OK) {
        const uint32_t least = worlds->layout.fields[x].count < worlds->layout.fields[y].count
                                   ? worlds->layout.fields[x].count
                                   : worlds->layout.fields[y].count;
        group->count = group->count < least ? group->count : least;
        room->groups = group;
        room->group_count = 1;
    }
    return room;
}

static bool is_world(const carom_worlds *worlds, size_t world)
{
    return worlds != NULL && world < worlds->desc.count;
}

/* A field of a world, looked up once by name for all its elements; without a field (NULL) every element is NAN. */
typedef struct look_column {
    const carom_field *field;
    const unsigned char *at;
    size_t stride;
} look_column;

static look_column column_of(const carom_worlds *worlds, size_t world, const char *name)
{
    look_column column = {NULL, NULL, 0};
    size_t index;
    if (name != NULL && carom_worlds_find_field(worlds, name, &index) == CAROM_OK) {
        column.field = &worlds->layout.fields[index];
        column.at = (const unsigned char *)field_in(column.field, carom_worlds_tile_of(worlds, world),
                                                    carom_worlds_lane_of(worlds, world));
        column.stride = field_stride(&worlds->layout, column.field);
    }
    return column;
}

static double read_column(const look_column *column, uint32_t element)
{
    if (column->field == NULL || element >= column->field->count) {
        return (double)NAN;
    }
    return field_number(column->field, column->at + element * column->stride);
}

double carom_look_read(const carom_worlds *worlds, size_t world, const char *name, uint32_t element)
{
    const look_column column = column_of(worlds, world, name);
    return read_column(&column, element);
}

/* The columns of a group's bodies. */
typedef struct look_columns {
    look_column x, y, vx, vy, ax, ay, facing, size, there;
} look_columns;

static look_columns columns_of(const carom_worlds *worlds, size_t world, const look_group *group)
{
    const look_columns columns = {
        .x = column_of(worlds, world, group->x.field),
        .y = column_of(worlds, world, group->y.field),
        .vx = column_of(worlds, world, group->vx.field),
        .vy = column_of(worlds, world, group->vy.field),
        .ax = column_of(worlds, world, group->ax.field),
        .ay = column_of(worlds, world, group->ay.field),
        .facing = column_of(worlds, world, group->facing.field),
        .size = column_of(worlds, world, group->size.field),
        .there = column_of(worlds, world, group->there.field),
    };
    return columns;
}

static double or_zero(double value)
{
    return isnan(value) ? 0 : value;
}

/* Body k of a group, as the table and the world's fields describe it. */
static carom_look_body body_of(const look_columns *columns, const look_group *group, uint32_t k)
{
    carom_look_body body;
    memset(&body, 0, sizeof body);
    body.name = group->name;
    body.number = k;
    body.style = group->style;
    body.mass = group->mass;

    body.radius =
        group->size.field != NULL ? or_zero(read_column(&columns->size, group->size.first + k)) : group->radius;
    body.x = read_column(&columns->x, group->x.first + k) + (group->corner ? body.radius : 0);
    body.y = read_column(&columns->y, group->y.first + k) + (group->corner ? body.radius : 0);
    body.vx = or_zero(read_column(&columns->vx, group->vx.first + k));
    body.vy = or_zero(read_column(&columns->vy, group->vy.first + k));
    if (group->polar) {
        const double speed = body.vx, angle = body.vy;
        body.vx = speed * cos(angle);
        body.vy = speed * sin(angle);
    }

    body.ax = or_zero(read_column(&columns->ax, group->ax.first + k));
    body.ay = or_zero(read_column(&columns->ay, group->ay.first + k));

    const double facing = read_column(&columns->facing, group->facing.first + k);
    body.has_facing = !isnan(facing);
    body.facing = or_zero(facing);
    body.there = group->there.field == NULL || read_column(&columns->there, group->there.first + k) != 0;
    return body;
}

/* ---- public functions ---- */

carom_status carom_look_bodies(const carom_worlds *worlds, size_t world, carom_look_body *bodies, size_t capacity,
                               size_t *count)
{
    if (!is_world(worlds, world) || count == NULL || (bodies == NULL && capacity != 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (!carom_mirror_open(worlds, world, 1, MIRROR_TILES)) {
        return CAROM_ERROR_DEVICE;
    }
    game_look room;
    look_group group;
    const game_look *look = look_of(worlds, &room, &group);
    const uint32_t most = look->bodies != NULL ? look->bodies(worlds->context) : UINT32_MAX;
    uint32_t number = 0;

    /* All bodies are counted, but only those for which there is room are described. */
    for (uint32_t g = 0; g < look->group_count; g++) {
        const uint32_t size = look->groups[g].count != 0 ? look->groups[g].count : most;
        const look_columns columns = columns_of(worlds, world, &look->groups[g]);
        for (uint32_t k = 0; k < size && number < most; k++, number++) {
            if (number < capacity) {
                bodies[number] = body_of(&columns, &look->groups[g], k);
                bodies[number].id = number;
                if (look->body != NULL) {
                    look->body(worlds->context, number, &bodies[number]);
                }
            }
        }
    }
    *count = number;
    return carom_mirror_close(worlds, world, 1, 0, CAROM_OK);
}

carom_status carom_look_shapes(const carom_worlds *worlds, size_t world, carom_look_shape *shapes, size_t capacity,
                               size_t *count)
{
    if (!is_world(worlds, world) || count == NULL || (shapes == NULL && capacity != 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (!carom_mirror_open(worlds, world, 1, MIRROR_TILES)) {
        return CAROM_ERROR_DEVICE;
    }
    game_look room;
    look_group group;
    const game_look *look = look_of(worlds, &room, &group);
    look_sink sink = {shapes, capacity, 0};
    if (look->shapes != NULL) {
        look->shapes(worlds, world, &sink);
    }
    *count = sink.count;
    return carom_mirror_close(worlds, world, 1, 0, CAROM_OK);
}

carom_status carom_look_numbers(const carom_worlds *worlds, size_t world, carom_look_number *numbers, size_t capacity,
                                size_t *count)
{
    if (!is_world(worlds, world) || count == NULL || (numbers == NULL && capacity != 0)) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (!carom_mirror_open(worlds, world, 1, MIRROR_TILES)) {
        return CAROM_ERROR_DEVICE;
    }
    game_look room;
    look_group group;
    const game_look *look = look_of(worlds, &room, &group);
    for (uint32_t k = 0; k < look->number_count && k < capacity; k++) {
        const look_number *from = &look->numbers[k];
        numbers[k].name = from->name;
        numbers[k].player = from->player;
        numbers[k].value = carom_look_read(worlds, world, from->field, from->element);
    }
    *count = look->number_count;
    return carom_mirror_close(worlds, world, 1, 0, CAROM_OK);
}

/* The view of a game without a table: around its bodies, with a margin. */
static carom_look_view around_bodies(const carom_worlds *worlds, size_t world)
{
    carom_look_view view = {.x0 = -1, .y0 = -1, .x1 = 1, .y1 = 1, .dt = 1};
    size_t count = 0;
    carom_look_body body;
    game_look room;
    look_group group;
    const game_look *look = look_of(worlds, &room, &group);

    look_columns columns;
    memset(&columns, 0, sizeof columns);
    if (look->group_count > 0) {
        columns = columns_of(worlds, world, &look->groups[0]);
    }
    for (uint32_t k = 0; look->group_count > 0 && k < look->groups[0].count; k++) {
        body = body_of(&columns, &look->groups[0], k);
        if (isfinite(body.x) && isfinite(body.y)) {
            view.x0 = count == 0 || body.x < view.x0 ? body.x : view.x0;
            view.y0 = count == 0 || body.y < view.y0 ? body.y : view.y0;
            view.x1 = count == 0 || body.x > view.x1 ? body.x : view.x1;
            view.y1 = count == 0 || body.y > view.y1 ? body.y : view.y1;
            count++;
        }
    }

    /* A margin of a quarter of the longer side on each side, or of 1 if all bodies are at one point. */
    const double wide = view.x1 - view.x0, high = view.y1 - view.y0;
    const double margin = 0.25 * (wide > high ? wide : high) + (wide > 0 || high > 0 ? 0 : 1);
    view.x0 -= margin;
    view.y0 -= margin;
    view.x1 += margin;
    view.y1 += margin;
    return view;
}

carom_status carom_look_view_of(const carom_worlds *worlds, size_t world, carom_look_view *view)
{
    if (!is_world(worlds, world) || view == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const game_look *look = worlds->desc.game->look;
    if (look != NULL) {
        *view = look->view;
        if (look->view_of != NULL) {
            look->view_of(worlds->context, view);
        }
        view->dt = view->dt > 0 ? view->dt : 1;
    }

    /* Only what depends on the world itself is read from it. */
    if (look != NULL && look->dt == NULL) {
        return CAROM_OK;
    }
    if (!carom_mirror_open(worlds, world, 1, MIRROR_TILES)) {
        return CAROM_ERROR_DEVICE;
    }
    if (look == NULL) {
        *view = around_bodies(worlds, world);
    } else {
        const double own = carom_look_read(worlds, world, look->dt, 0);
        view->dt = isnan(own) ? view->dt : own;
    }
    return carom_mirror_close(worlds, world, 1, 0, CAROM_OK);
}
