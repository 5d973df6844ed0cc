/* SPDX-License-Identifier: MIT
 * Structs of the library for NumPy: names, types and offsets of their members, and their defaults. The package fills
 * such a record from keywords and passes it as bytes.
 */
#include "binding.h"

#include <stddef.h>
#include <string.h>

typedef struct member {
    const char *name;
    const char *type; /* NumPy's: "=f8" */
    size_t offset;
} member;

#define MEMBER(type, name, code) {#name, code, offsetof(type, name)}
#define COUNT(table) (sizeof table / sizeof table[0])

#define REAL "=f8"
#define WORD "=u4"
#define ENUM "=i4"
#define WHOLE "=i4"
#define FLAG "?"
#define POINTER "=u8"

_Static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8 && sizeof(int) == 4 && sizeof(bool) == 1,
               "the types above are for 64-bit systems");

#define CSB_MAP(name, code) MEMBER(carom_csb_map, name, code)
static const member csb_map_members[] = {CSB_MAP(checkpoints, POINTER), CSB_MAP(count, WORD), CSB_MAP(laps, WORD)};

#define FALL_BODY(name, code) MEMBER(carom_fall_body, name, code)
static const member fall_body_members[] = {
    FALL_BODY(x, REAL),
    FALL_BODY(y, REAL),
    FALL_BODY(vx, REAL),
    FALL_BODY(vy, REAL),
    FALL_BODY(ax, REAL),
    FALL_BODY(ay, REAL),
    FALL_BODY(radius, REAL),
    FALL_BODY(mass, REAL),
    FALL_BODY(fixed, WHOLE),
    FALL_BODY(corner_count, WORD),
    FALL_BODY(corners, "(6,2)=f8"),
};

#define BODY(name, code) MEMBER(carom_scene_body, name, code)
static const member scene_body_members[] = {
    BODY(x, REAL),
    BODY(y, REAL),
    BODY(vx, REAL),
    BODY(vy, REAL),
    BODY(radius, REAL),
    BODY(mass, REAL),
    BODY(restitution, REAL),
    BODY(damping, REAL),
    BODY(ax, REAL),
    BODY(ay, REAL),
    BODY(x_spread, REAL),
    BODY(y_spread, REAL),
    BODY(vx_spread, REAL),
    BODY(vy_spread, REAL),
    BODY(category, WORD),
    BODY(mask, WORD),
    BODY(sensor, FLAG),
    BODY(slow, FLAG),
    BODY(inactive, FLAG),
    BODY(acts, FLAG),
    BODY(user, WHOLE),
    BODY(player, WORD),
    BODY(action_scale, REAL),
    BODY(radius_spread, REAL),
    BODY(mass_spread, REAL),
    BODY(restitution_spread, REAL),
    BODY(damping_spread, REAL),
    BODY(ax_spread, REAL),
    BODY(ay_spread, REAL),
    BODY(action_scale_spread, REAL),
};

#define WALL(name, code) MEMBER(carom_scene_wall, name, code)
static const member scene_wall_members[] = {
    WALL(ax, REAL),        WALL(ay, REAL),        WALL(bx, REAL),        WALL(by, REAL),   WALL(restitution, REAL),
    WALL(one_sided, FLAG), WALL(sensor, FLAG),    WALL(category, WORD),  WALL(mask, WORD), WALL(ax_spread, REAL),
    WALL(ay_spread, REAL), WALL(bx_spread, REAL), WALL(by_spread, REAL),
};

#define RULE(name, code) MEMBER(carom_scene_rule, name, code)
static const member scene_rule_members[] = {
    RULE(kind, ENUM),   RULE(body, WORD), RULE(category, WORD), RULE(which, WORD),   RULE(x, REAL),  RULE(y, REAL),
    RULE(reward, REAL), RULE(to, WHOLE),  RULE(ends, FLAG),     RULE(winner, WHOLE), RULE(x1, REAL), RULE(y1, REAL),
};

#define QUERY(name, code) MEMBER(carom_query, name, code)
static const member query_members[] = {
    QUERY(world, POINTER), QUERY(x, REAL),      QUERY(y, REAL),       QUERY(dx, REAL),
    QUERY(dy, REAL),       QUERY(radius, REAL), QUERY(range, REAL),   QUERY(category, WORD),
    QUERY(mask, WORD),     QUERY(ignore, WORD), QUERY(sensors, FLAG),
};

#define FOUND(name, code) MEMBER(carom_found, name, code)
static const member found_members[] = {
    FOUND(kind, ENUM), FOUND(index, WORD), FOUND(part, WORD), FOUND(inside, FLAG), FOUND(distance, REAL),
    FOUND(x, REAL),    FOUND(y, REAL),     FOUND(nx, REAL),   FOUND(ny, REAL),
};

/* Arguments of hooks. */
#define IMPACT(name, code) MEMBER(carom_impact, name, code)
static const member impact_members[] = {
    IMPACT(world_id, POINTER),
    IMPACT(time, REAL),
    IMPACT(kind, WORD),
    IMPACT(first, WORD),
    IMPACT(second, WORD),
    IMPACT(part, WORD),
    IMPACT(x1, REAL),
    IMPACT(y1, REAL),
    IMPACT(x2, REAL),
    IMPACT(y2, REAL),
    IMPACT(nx, REAL),
    IMPACT(ny, REAL),
    IMPACT(inverse_mass1, REAL),
    IMPACT(inverse_mass2, REAL),
    IMPACT(vx1, REAL),
    IMPACT(vy1, REAL),
    IMPACT(vx2, REAL),
    IMPACT(vy2, REAL),
};

#define RANGE(name, code) MEMBER(carom_scene_range, name, code)
static const member range_members[] = {
    RANGE(precision, ENUM), RANGE(first, POINTER), RANGE(count, POINTER),  RANGE(stride, POINTER),
    RANGE(dt, REAL),        RANGE(tick, POINTER),  RANGE(x32, POINTER),    RANGE(y32, POINTER),
    RANGE(vx32, POINTER),   RANGE(vy32, POINTER),  RANGE(x64, POINTER),    RANGE(y64, POINTER),
    RANGE(vx64, POINTER),   RANGE(vy64, POINTER),  RANGE(active, POINTER), RANGE(user, POINTER),
    RANGE(value, POINTER),
};

#define POLYGON(name, code) MEMBER(carom_scene_polygon, name, code)
static const member scene_polygon_members[] = {
    POLYGON(x, POINTER),        POLYGON(y, POINTER),     POLYGON(corners, WORD),
    POLYGON(restitution, REAL), POLYGON(sensor, FLAG),   POLYGON(category, WORD),
    POLYGON(mask, WORD),        POLYGON(x_spread, REAL), POLYGON(y_spread, REAL),
};

#define ARC(name, code) MEMBER(carom_scene_arc, name, code)
static const member scene_arc_members[] = {
    ARC(x, REAL),  ARC(y, REAL),           ARC(radius, REAL), ARC(ax, REAL),     ARC(ay, REAL),       ARC(bx, REAL),
    ARC(by, REAL), ARC(restitution, REAL), ARC(sides, ENUM),  ARC(sensor, FLAG), ARC(category, WORD), ARC(mask, WORD),
};

#define VIEW(name, code) MEMBER(carom_scene_view, name, code)
static const member scene_view_members[] = {VIEW(body, WORD), VIEW(bodies, POINTER), VIEW(count, WORD)};

#define SCENE(name, code) MEMBER(carom_scene_desc, name, code)
/* A member of a nested struct, with a flat name. */
#define INNER(name, path, code) {name, code, offsetof(carom_scene_desc, path)}
static const member scene_members[] = {
    SCENE(bodies, POINTER),
    SCENE(body_count, WORD),
    SCENE(walls, POINTER),
    SCENE(wall_count, WORD),
    SCENE(polygons, POINTER),
    SCENE(polygon_count, WORD),
    SCENE(arcs, POINTER),
    SCENE(arc_count, WORD),
    SCENE(rules, POINTER),
    SCENE(rule_count, WORD),
    SCENE(views, POINTER),
    SCENE(view_count, WORD),
    SCENE(dt, REAL),
    SCENE(speed_limit, REAL),
    SCENE(least_impulse, REAL),
    SCENE(contact_time, REAL),
    SCENE(max_events, WORD),
    SCENE(last_tick, WORD),
    SCENE(ends_at_sensor, FLAG),
    SCENE(solver, ENUM),
    SCENE(advance, ENUM),
    SCENE(engine, ENUM),
    SCENE(action_scale, REAL),
    SCENE(action, ENUM),
    SCENE(user_words, FLAG),
    SCENE(tick_hook, POINTER),
    SCENE(response_hook, POINTER),
    SCENE(user, POINTER),
    SCENE(varies, WORD),
    SCENE(dt_spread, REAL),
    INNER("box_x0", box.x0, REAL),
    INNER("box_y0", box.y0, REAL),
    INNER("box_x1", box.x1, REAL),
    INNER("box_y1", box.y1, REAL),
    INNER("box_horizontal", box.horizontal, ENUM),
    INNER("box_vertical", box.vertical, ENUM),
    INNER("box_restitution", box.restitution, REAL),
    INNER("box_category", box.category, WORD),
    INNER("box_mask", box.mask, WORD),
    INNER("lidar_rays", lidar.rays, WORD),
    INNER("lidar_range", lidar.range, REAL),
    INNER("lidar_first", lidar.first, REAL),
    INNER("lidar_step", lidar.step, REAL),
    INNER("lidar_mask", lidar.mask, WORD),
    INNER("lidar_tells", lidar.tells, WORD),
    INNER("lidar_sensors", lidar.sensors, FLAG),
    INNER("reward_kind", reward.kind, ENUM),
    INNER("reward_body", reward.body, WORD),
    INNER("reward_x", reward.x, REAL),
    INNER("reward_y", reward.y, REAL),
    INNER("reward_hook", reward.hook, POINTER),
    INNER("final_value_kind", final_value.kind, ENUM),
    INNER("final_value_body", final_value.body, WORD),
    INNER("final_value_x", final_value.x, REAL),
    INNER("final_value_y", final_value.y, REAL),
    INNER("final_value_hook", final_value.hook, POINTER),
};

#define EVENT(name, code) MEMBER(carom_event, name, code)
static const member event_members[] = {
    EVENT(left, REAL), EVENT(first, WORD), EVENT(second, WORD), EVENT(part, WORD), EVENT(kind, WORD),
    EVENT(x, REAL),    EVENT(y, REAL),     EVENT(nx, REAL),     EVENT(ny, REAL),   EVENT(impulse, REAL),
};

#define CONTACT(name, code) MEMBER(carom_contact, name, code)
static const member contact_members[] = {
    CONTACT(x, REAL),           CONTACT(y, REAL),         CONTACT(nx, REAL),           CONTACT(ny, REAL),
    CONTACT(impulse, REAL),     CONTACT(time, "(2,)=f8"), CONTACT(centre, "(2,2)=f8"), CONTACT(before, "(2,2)=f8"),
    CONTACT(after, "(2,2)=f8"),
};

#define SEARCH(name, code) MEMBER(carom_search_desc, name, code)
static const member search_members[] = {
    SEARCH(planner, ENUM),
    SEARCH(player, WORD),
    SEARCH(action_kind, POINTER),
    SEARCH(sequences, POINTER),
    SEARCH(horizon, POINTER),
    SEARCH(hold, POINTER),
    SEARCH(seed, POINTER),
    SEARCH(rollouts, POINTER),
    SEARCH(milliseconds, REAL),
    SEARCH(generations, POINTER),
    SEARCH(discount, REAL),
    SEARCH(reward_weight, REAL),
    SEARCH(final_weight, REAL),
    SEARCH(value_at_end, FLAG),
    SEARCH(elites, POINTER),
    SEARCH(sigma, REAL),
    SEARCH(sigma_least, REAL),
    SEARCH(keep, REAL),
    SEARCH(mutation, REAL),
    SEARCH(mutation_spread, REAL),
    SEARCH(temperature, REAL),
    SEARCH(other, ENUM),
    SEARCH(policy, POINTER),
    SEARCH(other_share, REAL),
    SEARCH(other_rounds, WORD),
    SEARCH(value_kind, POINTER),
    SEARCH(observation_kind, POINTER),
    SEARCH(observed, POINTER),
    SEARCH(reward_kind, POINTER),
    SEARCH(weights, POINTER),
    SEARCH(candidates, POINTER),
    SEARCH(network_weight, REAL),
    SEARCH(network_plan, FLAG),
    SEARCH(against, ENUM),
    SEARCH(cut_after, POINTER),
    SEARCH(cut_keep, REAL),
    SEARCH(candidate_count, POINTER),
    SEARCH(stream, POINTER),
};

#define CANDIDATE(name, code) MEMBER(carom_candidate, name, code)
static const member candidate_members[] = {CANDIDATE(other, ENUM), CANDIDATE(policy, POINTER)};

#define TEXT_(number) #number
#define TEXT(number) TEXT_(number)
#define EACH_PLAYER(code) "(" TEXT(CAROM_MAX_PLAYERS) ",)=" code
#define RESULT(name, code) MEMBER(carom_result, name, code)
static const member result_members[] = {
    RESULT(winner, WHOLE),
    RESULT(ticks, WORD),
    RESULT(score, EACH_PLAYER("i4")),
    RESULT(fault, WORD),
    RESULT(returns, EACH_PLAYER("f8")),
};

static PyObject *layout_of(size_t size, const member *members, size_t count, const void *defaults)
{
    PyObject *list = PyList_New(0);
    if (list == NULL) {
        return NULL;
    }
    for (size_t k = 0; k < count; k++) {
        PyObject *entry = Py_BuildValue("(ssn)", members[k].name, members[k].type, (Py_ssize_t)members[k].offset);
        if (entry == NULL || PyList_Append(list, entry) != 0) {
            Py_XDECREF(entry);
            Py_DECREF(list);
            return NULL;
        }
        Py_DECREF(entry);
    }
    return Py_BuildValue("(nNy#)", (Py_ssize_t)size, list, (const char *)defaults, (Py_ssize_t)size);
}

static bool put(PyObject *all, const char *name, PyObject *layout)
{
    const bool good = layout != NULL && PyDict_SetItemString(all, name, layout) == 0;
    Py_XDECREF(layout);
    return good;
}

#define PUT(name, type, members, defaults) put(all, name, layout_of(sizeof(type), members, COUNT(members), defaults))

static PyObject *layouts(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    const carom_csb_map csb_map = {NULL, 0, 3};
    carom_fall_body fall_body;
    memset(&fall_body, 0, sizeof fall_body);
    fall_body.radius = fall_body.mass = 1;
    const carom_scene_body body = carom_scene_body_default();
    carom_scene_wall wall;
    memset(&wall, 0, sizeof wall);
    wall.restitution = 1;
    const carom_scene_rule rule = carom_scene_rule_default();
    carom_scene_polygon polygon;
    memset(&polygon, 0, sizeof polygon);
    carom_scene_arc arc;
    memset(&arc, 0, sizeof arc);
    arc.restitution = 1;
    carom_scene_view view;
    memset(&view, 0, sizeof view);
    const carom_scene_desc scene = carom_scene_desc_default();
    carom_impact impact;
    memset(&impact, 0, sizeof impact);
    carom_scene_range range;
    memset(&range, 0, sizeof range);
    carom_event event;
    memset(&event, 0, sizeof event);
    carom_contact contact;
    memset(&contact, 0, sizeof contact);
    carom_result result;
    memset(&result, 0, sizeof result);
    const carom_search_desc search = carom_search_desc_default(carom_game_at(0));
    carom_candidate candidate;
    memset(&candidate, 0, sizeof candidate);
    const carom_query query = carom_query_default();
    carom_found found;
    memset(&found, 0, sizeof found);
    PyObject *all = PyDict_New();
    if (all == NULL || !PUT("query", carom_query, query_members, &query) ||
        !PUT("found", carom_found, found_members, &found) ||
        !PUT("csb_map", carom_csb_map, csb_map_members, &csb_map) ||
        !PUT("fall_body", carom_fall_body, fall_body_members, &fall_body) ||
        !PUT("scene_body", carom_scene_body, scene_body_members, &body) ||
        !PUT("scene_wall", carom_scene_wall, scene_wall_members, &wall) ||
        !PUT("scene_rule", carom_scene_rule, scene_rule_members, &rule) ||
        !PUT("scene_polygon", carom_scene_polygon, scene_polygon_members, &polygon) ||
        !PUT("scene_arc", carom_scene_arc, scene_arc_members, &arc) ||
        !PUT("scene_view", carom_scene_view, scene_view_members, &view) ||
        !PUT("impact", carom_impact, impact_members, &impact) ||
        !PUT("range", carom_scene_range, range_members, &range) ||
        !PUT("scene", carom_scene_desc, scene_members, &scene) || !PUT("event", carom_event, event_members, &event) ||
        !PUT("contact", carom_contact, contact_members, &contact) ||
        !PUT("result", carom_result, result_members, &result) ||
        !PUT("search", carom_search_desc, search_members, &search) ||
        !PUT("candidate", carom_candidate, candidate_members, &candidate)) {
        Py_XDECREF(all);
        return NULL;
    }
    return all;
}

static PyObject *fall_box(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    carom_fall_body bodies[8];
    memset(bodies, 0, sizeof bodies);
    const uint32_t count = carom_fall_box(bodies);
    return PyBytes_FromStringAndSize((const char *)bodies, (Py_ssize_t)(count * sizeof bodies[0]));
}

static PyObject *bits_line(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    const char *line = NULL;
    if (!PyArg_ParseTuple(arguments, "s", &line)) {
        return NULL;
    }
    double n[4];
    const carom_status status = carom_fantastic_bits_read_line(line, n);
    if (status != CAROM_OK && status != CAROM_ERROR_VALUE) {
        return result_of(status, NULL);
    }
    return Py_BuildValue("(dddd)", n[0], n[1], n[2], n[3]);
}

static PyObject *csb_base_map(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    Py_ssize_t index = 0;
    if (!PyArg_ParseTuple(arguments, "n", &index)) {
        return NULL;
    }
    uint32_t count = 0;
    const int32_t(*map)[2] = index < 0 ? NULL : carom_csb_base_map((size_t)index, &count);
    if (map == NULL) {
        PyErr_Format(PyExc_IndexError, "there are base maps 0 to %d", CAROM_CSB_BASE_MAPS - 1);
        return NULL;
    }
    return PyBytes_FromStringAndSize((const char *)map, (Py_ssize_t)(count * sizeof map[0]));
}

static PyObject *csb_get_map(PyObject *module, PyObject *arguments)
{
    PyObject *batch;
    unsigned map = 0;
    if (!PyArg_ParseTuple(arguments, "OI", &batch, &map)) {
        return NULL;
    }
    const carom_worlds *worlds = handle_object(module, batch, HANDLE_WORLDS);
    if (worlds == NULL) {
        return NULL;
    }
    uint32_t n = 0, laps = 0;
    int32_t xy[1024][2];
    const carom_status status = carom_csb_get_map(worlds, map, &n, &laps, xy, 1024);
    if (status != CAROM_OK) {
        return result_of(status, NULL);
    }
    return Py_BuildValue("(Iy#)", laps, (const char *)xy, (Py_ssize_t)(n * sizeof xy[0]));
}

PyMethodDef layout_methods[] = {
    {"layouts", layouts, METH_NOARGS, "name -> (size, [(member, type, offset)], default)"},
    {"fall_box", fall_box, METH_NOARGS, "The bodies of the default scene of fall."},
    {"fantastic_bits_read_line", bits_line, METH_VARARGS, "A bot's line as four numbers."},
    {"csb_base_map", csb_base_map, METH_VARARGS, "Checkpoints of a base map."},
    {"csb_get_map", csb_get_map, METH_VARARGS, "Laps and checkpoints of a map of a batch."},
    {NULL, NULL, 0, NULL},
};
