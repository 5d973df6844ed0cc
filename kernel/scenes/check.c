/* SPDX-License-Identifier: MIT
 * Checks the description of a scene. Reports an error in one lower-case sentence: "body 7: radius -1 is negative".
 *
 * It reports the first problem found. Even unused values (the coordinates of an open box) must be numbers: they are
 * hashed and written.
 */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/fpenv.h"
#include "scenes/scenes.h"

#define LIDAR_TURN 6.2831853071795865 /* 2 pi, rounded up */

/* The thing being checked, to begin the sentence: "body 7: ", "wall 2: ", "". */
typedef struct checker {
    carom_problem *problem; /* where to write the sentence, or NULL */
    const char *thing;      /* NULL: the scene itself */
    size_t index;           /* SIZE_MAX: the only thing of its kind */
} checker;

/* Writes the sentence and returns the status. */
__attribute__((format(printf, 3, 4))) static carom_status refuse(const checker *at, carom_status status,
                                                                 const char *format, ...)
{
    if (at->problem != NULL) {
        char *text = at->problem->text;
        const size_t size = sizeof at->problem->text;
        size_t used = 0;
        if (at->thing != NULL) {
            used = (size_t)(at->index == SIZE_MAX ? snprintf(text, size, "%s: ", at->thing)
                                                  : snprintf(text, size, "%s %zu: ", at->thing, at->index));
        }
        va_list list;
        va_start(list, format);
        vsnprintf(text + used, size - used, format, list);
        va_end(list);
    }
    return status;
}

#define DEMAND(call)                                                                                                   \
    do {                                                                                                               \
        const carom_status demanded = (call);                                                                          \
        if (demanded != CAROM_OK) {                                                                                    \
            return demanded;                                                                                           \
        }                                                                                                              \
    } while (0)

/* ---- numbers ---- */

static carom_status number(const checker *at, const char *name, double value)
{
    return isnan(value) ? refuse(at, CAROM_ERROR_VALUE, "%s is not a number", name) : CAROM_OK;
}

static carom_status finite_number(const checker *at, const char *name, double value)
{
    DEMAND(number(at, name, value));
    return isfinite(value) ? CAROM_OK : refuse(at, CAROM_ERROR_VALUE, "%s is infinite", name);
}

static carom_status coordinate(const checker *at, const char *name, double value)
{
    DEMAND(finite_number(at, name, value));
    return fabs(value) <= CAROM_SCENE_RANGE_F64
               ? CAROM_OK
               : refuse(at, CAROM_ERROR_VALUE, "%s %.9g is more than %.9g from 0", name, value, CAROM_SCENE_RANGE_F64);
}

/* Allows infinity. */
static carom_status not_negative(const checker *at, const char *name, double value)
{
    DEMAND(number(at, name, value));
    return value >= 0 ? CAROM_OK : refuse(at, CAROM_ERROR_VALUE, "%s %.9g is negative", name, value);
}

static carom_status share(const checker *at, const char *name, double value)
{
    DEMAND(number(at, name, value));
    return value >= 0 && value <= 1 ? CAROM_OK : refuse(at, CAROM_ERROR_VALUE, "%s %.9g is not in [0, 1]", name, value);
}

/* ---- lists ---- */

static carom_status list(const checker *at, const char *name, const void *items, uint32_t count, uint32_t most)
{
    if (count > most) {
        return refuse(at, CAROM_ERROR_ARGUMENT, "%s: %u, at most %u", name, count, most);
    }
    return count == 0 || items != NULL ? CAROM_OK
                                       : refuse(at, CAROM_ERROR_ARGUMENT, "%s: NULL, though there are %u", name, count);
}

/* ---- bodies ---- */

/* Is a body's centre between the sides at `low` and `high`, if these stop it? An inactive body may be anywhere, but it
 * may become active, so it must not be too large. */
static carom_status inside(const checker *at, const carom_scene_body *b, const carom_scene_box *box,
                           carom_scene_sides sides, const char *name, double centre, double low, double high)
{
    const bool stops = !isinf(b->mass) && scene_stops(box->category, box->mask, b->category, b->mask);
    if (sides == CAROM_SIDES_OPEN || (sides == CAROM_SIDES_SOLID && !stops)) {
        return CAROM_OK;
    }
    if (!b->inactive && (centre < low || centre > high)) {
        return refuse(at, CAROM_ERROR_VALUE, "%s %.9g is outside the box, %.9g to %.9g", name, centre, low, high);
    }
    const double radius = b->radius + b->radius_spread;
    return 2 * radius <= high - low
               ? CAROM_OK
               : refuse(at, CAROM_ERROR_VALUE, "radius %.9g is too large for the box, %s %.9g to %.9g", radius, name,
                        low, high);
}

/* A spread around `middle`. Drawn coordinates must be in range; velocities have no range. */
static carom_status spread(const checker *at, const char *name, double middle, double value)
{
    DEMAND(not_negative(at, name, value));
    DEMAND(finite_number(at, name, value));
    return fabs(middle) + value <= CAROM_SCENE_RANGE_F64 || name[0] == 'v'
               ? CAROM_OK
               : refuse(at, CAROM_ERROR_VALUE, "%s %.9g takes it further than %.9g from 0", name, value,
                        CAROM_SCENE_RANGE_F64);
}

/* The spread of a number that differs by world. Both ends of the range must be in [least, most]. */
static carom_status own_spread(const checker *at, const char *name, double middle, double value, double least,
                               double most)
{
    char called[32];
    snprintf(called, sizeof called, "%s_spread", name);
    DEMAND(not_negative(at, called, value));
    DEMAND(finite_number(at, called, value));
    if (value != 0 && !(middle - value >= least)) {
        return refuse(at, CAROM_ERROR_VALUE, "%s %.9g takes %s below %.9g", called, value, name, least);
    }
    return value == 0 || middle + value <= most
               ? CAROM_OK
               : refuse(at, CAROM_ERROR_VALUE, "%s %.9g takes %s above %.9g", called, value, name, most);
}

/* The numbers of a body that may differ by world. That the box has room for the greatest radius is checked with the
 * radius. */
static carom_status check_body_spreads(const checker *at, const carom_scene_body *b)
{
    DEMAND(finite_number(at, "action_scale", b->action_scale));
    DEMAND(own_spread(at, "radius", b->radius, b->radius_spread, 0, CAROM_SCENE_RANGE_F64));
    DEMAND(own_spread(at, "mass", b->mass, b->mass_spread, SCENE_LEAST_MASS, SCENE_MOST_MASS));
    DEMAND(own_spread(at, "restitution", b->restitution, b->restitution_spread, 0, 1));
    DEMAND(own_spread(at, "damping", b->damping, b->damping_spread, 0, 1));
    DEMAND(own_spread(at, "ax", b->ax, b->ax_spread, -DBL_MAX, DBL_MAX));
    DEMAND(own_spread(at, "ay", b->ay, b->ay_spread, -DBL_MAX, DBL_MAX));
    return own_spread(at, "action_scale", b->action_scale, b->action_scale_spread, -DBL_MAX, DBL_MAX);
}

static carom_status check_body(const checker *at, const carom_scene_desc *desc, const carom_scene_body *b)
{
    /* Position and velocity. Their sums with the spread must be finite. */
    DEMAND(coordinate(at, "x", b->x));
    DEMAND(coordinate(at, "y", b->y));
    DEMAND(finite_number(at, "vx", b->vx));
    DEMAND(finite_number(at, "vy", b->vy));
    DEMAND(spread(at, "x_spread", b->x, b->x_spread));
    DEMAND(spread(at, "y_spread", b->y, b->y_spread));
    DEMAND(spread(at, "vx_spread", 0, b->vx_spread));
    DEMAND(spread(at, "vy_spread", 0, b->vy_spread));
    DEMAND(finite_number(at, "vx_spread", fabs(b->vx) + b->vx_spread));
    DEMAND(finite_number(at, "vy_spread", fabs(b->vy) + b->vy_spread));

    DEMAND(not_negative(at, "radius", b->radius));
    DEMAND(coordinate(at, "radius", b->radius));
    DEMAND(number(at, "mass", b->mass));
    if (b->mass <= 0) {
        return refuse(at, CAROM_ERROR_VALUE, "mass %.9g is not positive", b->mass);
    }
    if (b->mass < SCENE_LEAST_MASS || (b->mass > SCENE_MOST_MASS && !isinf(b->mass))) {
        return refuse(at, CAROM_ERROR_VALUE, "mass %.9g is neither infinite nor in [%.9g, %.9g]", b->mass,
                      SCENE_LEAST_MASS, SCENE_MOST_MASS);
    }

    DEMAND(share(at, "restitution", b->restitution));
    DEMAND(share(at, "damping", b->damping));
    DEMAND(finite_number(at, "ax", b->ax));
    DEMAND(finite_number(at, "ay", b->ay));
    DEMAND(check_body_spreads(at, b));

    /* A fixed body cannot move. */
    if (isinf(b->mass)) {
        if (b->vx != 0 || b->vy != 0 || b->vx_spread != 0 || b->vy_spread != 0) {
            return refuse(at, CAROM_ERROR_VALUE, "its mass is infinite, but it has a velocity");
        }
        if (b->ax != 0 || b->ay != 0 || b->ax_spread != 0 || b->ay_spread != 0) {
            return refuse(at, CAROM_ERROR_VALUE, "its mass is infinite, but it has an acceleration");
        }
        if (b->acts) {
            return refuse(at, CAROM_ERROR_ARGUMENT, "its mass is infinite, but it acts");
        }
    }
    if (b->player >= CAROM_MAX_PLAYERS) {
        return refuse(at, CAROM_ERROR_ARGUMENT, "there is no player %u", b->player);
    }

    /* Within the box, wherever it is drawn. */
    const carom_scene_box *box = &desc->box;
    for (int side = -1; side <= 1; side++) {
        DEMAND(inside(at, b, box, box->horizontal, "x", b->x + side * b->x_spread, box->x0, box->x1));
        DEMAND(inside(at, b, box, box->vertical, "y", b->y + side * b->y_spread, box->y0, box->y1));
    }
    return CAROM_OK;
}

/* All players must act with equally many bodies. The sentence names a body that gives the scene this many players. */
static carom_status check_players(const carom_scene_desc *desc, carom_problem *problem)
{
    const uint32_t players = scene_players(desc), first = scene_actors(desc, 0);
    checker at = {problem, "body", 0};
    for (uint32_t player = 1; player < players; player++) {
        const uint32_t acting = scene_actors(desc, player);
        if (acting == first) {
            continue;
        }

        while (desc->bodies[at.index].player < player) {
            at.index++;
        }
        return refuse(&at, CAROM_ERROR_ARGUMENT,
                      "it is player %u's; %u of player %u's bodies act, but %u of player 0's",
                      desc->bodies[at.index].player, acting, player, first);
    }
    return CAROM_OK;
}

/* A scene with a slow body must have no accelerations, and each body its own clock. */
static carom_status check_slow(checker *at, const carom_scene_desc *desc)
{
    /* The first slow body, and the first accelerated one. */
    uint32_t slow = 0, accelerated = 0;
    while (slow < desc->body_count && !desc->bodies[slow].slow) {
        slow++;
    }
    while (accelerated < desc->body_count && desc->bodies[accelerated].ax == 0 && desc->bodies[accelerated].ay == 0) {
        accelerated++;
    }
    if (slow == desc->body_count) {
        return CAROM_OK;
    }

    at->thing = "body";
    at->index = slow;
    if (desc->advance != CAROM_OWN_CLOCK) {
        return refuse(at, CAROM_ERROR_ARGUMENT, "it is slow, which advance_all does not allow");
    }
    if ((scene_varies(desc) & (CAROM_VARIES_AX | CAROM_VARIES_AY)) != 0) {
        return refuse(at, CAROM_ERROR_ARGUMENT, "it is slow, which accelerations that differ by world do not allow");
    }
    if (accelerated < desc->body_count) {
        return refuse(at, CAROM_ERROR_ARGUMENT, "it is slow, which the acceleration of body %u does not allow",
                      accelerated);
    }
    return CAROM_OK;
}

static carom_status check_bodies(const carom_scene_desc *desc, carom_problem *problem)
{
    checker at = {problem, NULL, SIZE_MAX};
    if (desc->body_count == 0) {
        return refuse(&at, CAROM_ERROR_ARGUMENT, "bodies: there are none");
    }
    DEMAND(list(&at, "bodies", desc->bodies, desc->body_count, CAROM_SCENE_BODIES));

    at.thing = "body";
    for (uint32_t k = 0; k < desc->body_count; k++) {
        at.index = k;
        DEMAND(check_body(&at, desc, &desc->bodies[k]));
    }
    DEMAND(check_players(desc, problem));
    return check_slow(&at, desc);
}

/* ---- things that do not move ---- */

static carom_status check_box(const carom_scene_box *box, carom_problem *problem)
{
    const checker at = {problem, "box", SIZE_MAX};
    if ((unsigned)box->horizontal > CAROM_SIDES_PERIODIC || (unsigned)box->vertical > CAROM_SIDES_PERIODIC) {
        const bool is_vertical = (unsigned)box->horizontal <= CAROM_SIDES_PERIODIC;
        return refuse(&at, CAROM_ERROR_ARGUMENT, "%s sides are of no known kind, %d",
                      is_vertical ? "vertical" : "horizontal", (int)(is_vertical ? box->vertical : box->horizontal));
    }

    DEMAND(coordinate(&at, "x0", box->x0));
    DEMAND(coordinate(&at, "y0", box->y0));
    DEMAND(coordinate(&at, "x1", box->x1));
    DEMAND(coordinate(&at, "y1", box->y1));
    if (box->horizontal != CAROM_SIDES_OPEN && !(box->x0 < box->x1)) {
        return refuse(&at, CAROM_ERROR_VALUE, "x0 %.9g is not less than x1 %.9g", box->x0, box->x1);
    }
    if (box->vertical != CAROM_SIDES_OPEN && !(box->y0 < box->y1)) {
        return refuse(&at, CAROM_ERROR_VALUE, "y0 %.9g is not less than y1 %.9g", box->y0, box->y1);
    }
    return share(&at, "restitution", box->restitution);
}

static carom_status check_walls(const carom_scene_desc *desc, carom_problem *problem)
{
    checker at = {problem, NULL, SIZE_MAX};
    DEMAND(list(&at, "walls", desc->walls, desc->wall_count, CAROM_SCENE_BODIES));
    at.thing = "wall";
    for (uint32_t k = 0; k < desc->wall_count; k++) {
        const carom_scene_wall *wall = &desc->walls[k];
        at.index = k;
        DEMAND(coordinate(&at, "ax", wall->ax));
        DEMAND(coordinate(&at, "ay", wall->ay));
        DEMAND(coordinate(&at, "bx", wall->bx));
        DEMAND(coordinate(&at, "by", wall->by));
        if (wall->ax == wall->bx && wall->ay == wall->by) {
            return refuse(&at, CAROM_ERROR_VALUE, "both ends are the same point");
        }
        DEMAND(share(&at, "restitution", wall->restitution));

        const double most = CAROM_SCENE_RANGE_F64;
        DEMAND(own_spread(&at, "ax", wall->ax, wall->ax_spread, -most, most));
        DEMAND(own_spread(&at, "ay", wall->ay, wall->ay_spread, -most, most));
        DEMAND(own_spread(&at, "bx", wall->bx, wall->bx_spread, -most, most));
        DEMAND(own_spread(&at, "by", wall->by, wall->by_spread, -most, most));
    }
    return CAROM_OK;
}

static carom_status check_polygon(const checker *at, const carom_scene_polygon *p)
{
    if (p->corners < 3) {
        return refuse(at, CAROM_ERROR_ARGUMENT, "%u corners, at least 3", p->corners);
    }
    DEMAND(list(at, "x", p->x, p->corners, CAROM_SCENE_BODIES));
    DEMAND(list(at, "y", p->y, p->corners, CAROM_SCENE_BODIES));

    for (uint32_t k = 0; k < p->corners; k++) {
        char name[24];
        snprintf(name, sizeof name, "x[%u]", k);
        DEMAND(coordinate(at, name, p->x[k]));
        name[0] = 'y';
        DEMAND(coordinate(at, name, p->y[k]));
    }

    for (uint32_t k = 0; k < p->corners; k++) {
        DEMAND(own_spread(at, "x", p->x[k], p->x_spread, -CAROM_SCENE_RANGE_F64, CAROM_SCENE_RANGE_F64));
        DEMAND(own_spread(at, "y", p->y[k], p->y_spread, -CAROM_SCENE_RANGE_F64, CAROM_SCENE_RANGE_F64));
    }

    /* An edge must have a direction, also for batches in f32. */
    for (uint32_t k = 0; k < p->corners; k++) {
        const uint32_t next = k + 1 < p->corners ? k + 1 : 0;
        if ((float)p->x[k] == (float)p->x[next] && (float)p->y[k] == (float)p->y[next]) {
            return refuse(at, CAROM_ERROR_VALUE, "corners %u and %u are the same point (in f32)", k, next);
        }
    }
    return share(at, "restitution", p->restitution);
}

static carom_status check_polygons(const carom_scene_desc *desc, carom_problem *problem)
{
    checker at = {problem, NULL, SIZE_MAX};
    DEMAND(list(&at, "polygons", desc->polygons, desc->polygon_count, CAROM_SCENE_BODIES));

    uint64_t corners = 0;
    for (uint32_t k = 0; k < desc->polygon_count; k++) {
        at.thing = "polygon";
        at.index = k;
        DEMAND(check_polygon(&at, &desc->polygons[k]));
        corners += desc->polygons[k].corners;
        if (corners > CAROM_SCENE_BODIES) {
            return refuse(&at, CAROM_ERROR_ARGUMENT, "with its corners there are more than %d", CAROM_SCENE_BODIES);
        }
    }
    return CAROM_OK;
}

/* The directions of an arc's ends differ, also in f32, unless the ends are the same point. */
static bool has_ends(const carom_scene_arc *arc)
{
    const double ax = arc->ax - arc->x, ay = arc->ay - arc->y, bx = arc->bx - arc->x, by = arc->by - arc->y;
    const double cross = ax * by - ay * bx, dot = ax * bx + ay * by;
    return fabs(cross) > 0x1p-16 * dot;
}

static carom_status check_arcs(const carom_scene_desc *desc, carom_problem *problem)
{
    checker at = {problem, NULL, SIZE_MAX};
    DEMAND(list(&at, "arcs", desc->arcs, desc->arc_count, CAROM_SCENE_BODIES));
    at.thing = "arc";
    for (uint32_t k = 0; k < desc->arc_count; k++) {
        const carom_scene_arc *arc = &desc->arcs[k];
        at.index = k;
        DEMAND(coordinate(&at, "x", arc->x));
        DEMAND(coordinate(&at, "y", arc->y));
        DEMAND(coordinate(&at, "radius", arc->radius));
        DEMAND(coordinate(&at, "ax", arc->ax));
        DEMAND(coordinate(&at, "ay", arc->ay));
        DEMAND(coordinate(&at, "bx", arc->bx));
        DEMAND(coordinate(&at, "by", arc->by));
        if (!(arc->radius >= 0x1p-100)) {
            return refuse(&at, CAROM_ERROR_VALUE, "radius %.9g is not positive", arc->radius);
        }
        if ((arc->ax != arc->bx || arc->ay != arc->by) && !has_ends(arc)) {
            return refuse(&at, CAROM_ERROR_VALUE, "a and b are in the same direction from the centre");
        }
        if ((unsigned)arc->sides > CAROM_ARC_WITHOUT) {
            return refuse(&at, CAROM_ERROR_ARGUMENT, "there are no sides %d", (int)arc->sides);
        }
        DEMAND(share(&at, "restitution", arc->restitution));
    }
    return CAROM_OK;
}

/* ---- rules and views ---- */

static carom_status is_body(const checker *at, const carom_scene_desc *desc, uint32_t body)
{
    return body < desc->body_count ? CAROM_OK : refuse(at, CAROM_ERROR_ARGUMENT, "there is no body %u", body);
}

/* The part of a rule that depends on its kind: the thing that its body meets, approaches, or is within. */
static carom_status check_which(const checker *at, const carom_scene_desc *desc, const carom_scene_rule *rule)
{
    const uint32_t which = rule->which;

    switch (rule->kind) {
    case CAROM_RULE_MEETS_SIDE:
        if (which > 3) {
            return refuse(at, CAROM_ERROR_ARGUMENT, "there is no side %u", which);
        }
        return (which < 2 ? desc->box.horizontal : desc->box.vertical) == CAROM_SIDES_SOLID
                   ? CAROM_OK
                   : refuse(at, CAROM_ERROR_ARGUMENT, "body %u cannot meet side %u, which is not solid", rule->body,
                            which);
    case CAROM_RULE_MEETS_WALL:
        return which < desc->wall_count ? CAROM_OK : refuse(at, CAROM_ERROR_ARGUMENT, "there is no wall %u", which);
    case CAROM_RULE_MEETS_POLYGON:
        return which < desc->polygon_count ? CAROM_OK
                                           : refuse(at, CAROM_ERROR_ARGUMENT, "there is no polygon %u", which);
    case CAROM_RULE_MEETS_ARC:
        return which < desc->arc_count ? CAROM_OK : refuse(at, CAROM_ERROR_ARGUMENT, "there is no arc %u", which);
    case CAROM_RULE_NEARS_BODY:
        DEMAND(is_body(at, desc, which));
        return which != rule->body ? CAROM_OK
                                   : refuse(at, CAROM_ERROR_ARGUMENT, "body %u cannot come nearer to itself", which);
    case CAROM_RULE_WITHIN:
        DEMAND(coordinate(at, "x1", rule->x1));
        DEMAND(coordinate(at, "y1", rule->y1));
        if (!(rule->x <= rule->x1)) {
            return refuse(at, CAROM_ERROR_VALUE, "x %.9g is more than x1 %.9g", rule->x, rule->x1);
        }
        return rule->y <= rule->y1 ? CAROM_OK
                                   : refuse(at, CAROM_ERROR_VALUE, "y %.9g is more than y1 %.9g", rule->y, rule->y1);
    case CAROM_RULE_ACTS:
        return desc->bodies[rule->body].acts
                   ? CAROM_OK
                   : refuse(at, CAROM_ERROR_ARGUMENT, "it is about body %u, which does not act", rule->body);
    default:
        return CAROM_OK;
    }
}

static carom_status check_rule(const checker *at, const carom_scene_desc *desc, const carom_scene_rule *rule)
{
    if ((unsigned)rule->kind > CAROM_RULE_MEETS_ARC) {
        return refuse(at, CAROM_ERROR_ARGUMENT, "there is no kind %d", (int)rule->kind);
    }
    DEMAND(is_body(at, desc, rule->body));
    DEMAND(coordinate(at, "x", rule->x));
    DEMAND(coordinate(at, "y", rule->y));
    DEMAND(check_which(at, desc, rule));
    DEMAND(finite_number(at, "reward", rule->reward));

    /* The receiver of the reward. */
    const uint32_t gets = rule->to < 0 ? rule->body : (uint32_t)rule->to;
    if (rule->to < -1) {
        return refuse(at, CAROM_ERROR_ARGUMENT, "there is no body %d", rule->to);
    }
    DEMAND(is_body(at, desc, gets));
    if (rule->reward != 0 && !desc->bodies[gets].acts) {
        return refuse(at, CAROM_ERROR_ARGUMENT, "body %u is to get its reward, but does not act", gets);
    }

    /* Whether it ends the game, and the winner. */
    if (rule->ends && !(scene_is_counted(rule->kind) && rule->kind != CAROM_RULE_TICK)) {
        return refuse(at, CAROM_ERROR_ARGUMENT, "it ends the game, but body %u meets nothing by it", rule->body);
    }
    if (rule->winner < -1 || rule->winner >= (int32_t)scene_players(desc)) {
        return refuse(at, CAROM_ERROR_ARGUMENT, "there is no player %d to win", rule->winner);
    }
    return rule->winner < 0 || rule->ends
               ? CAROM_OK
               : refuse(at, CAROM_ERROR_ARGUMENT, "player %d wins by it, but it does not end the game", rule->winner);
}

static carom_status check_rules(const carom_scene_desc *desc, carom_problem *problem)
{
    checker at = {problem, NULL, SIZE_MAX};
    DEMAND(list(&at, "rules", desc->rules, desc->rule_count, CAROM_SCENE_RULES));
    at.thing = "rule";
    for (uint32_t k = 0; k < desc->rule_count; k++) {
        at.index = k;
        DEMAND(check_rule(&at, desc, &desc->rules[k]));
    }
    return CAROM_OK;
}

static carom_status check_view(const checker *at, const carom_scene_desc *desc, const carom_scene_view *view)
{
    DEMAND(is_body(at, desc, view->body));
    DEMAND(list(at, "bodies", view->bodies, view->count, CAROM_SCENE_OBSERVED - 1));
    if (view->count != desc->views[0].count) {
        return refuse(at, CAROM_ERROR_ARGUMENT, "body %u sees %u others, but that of view 0 sees %u", view->body,
                      view->count, desc->views[0].count);
    }

    for (uint32_t k = 0; k < view->count; k++) {
        DEMAND(is_body(at, desc, view->bodies[k]));
        if (view->bodies[k] == view->body) {
            return refuse(at, CAROM_ERROR_ARGUMENT, "body %u would see itself", view->body);
        }
        for (uint32_t i = 0; i < k; i++) {
            if (view->bodies[i] == view->bodies[k]) {
                return refuse(at, CAROM_ERROR_ARGUMENT, "body %u would see body %u twice", view->body, view->bodies[k]);
            }
        }
    }
    return CAROM_OK;
}

static carom_status check_views(const carom_scene_desc *desc, carom_problem *problem)
{
    checker at = {problem, NULL, SIZE_MAX};
    uint32_t views[CAROM_MAX_PLAYERS] = {0};
    DEMAND(list(&at, "views", desc->views, desc->view_count, CAROM_SCENE_VIEWS));

    at.thing = "view";
    for (uint32_t k = 0; k < desc->view_count; k++) {
        at.index = k;
        DEMAND(check_view(&at, desc, &desc->views[k]));
        views[desc->bodies[desc->views[k].body].player]++;
    }

    /* Players' observations have one shape: equally many views. */
    at.thing = NULL;
    for (uint32_t player = 1; player < scene_players(desc); player++) {
        if (views[player] != views[0]) {
            return refuse(&at, CAROM_ERROR_ARGUMENT, "views: %u are player 0's, but %u player %u's", views[0],
                          views[player], player);
        }
    }
    return CAROM_OK;
}

/* The longest range of rays in a periodic box: a ray meets the nearest image of a body, so others must be beyond it. */
static double lidar_reach(const carom_scene_desc *desc)
{
    double reach = INFINITY, widest = 0;
    for (uint32_t i = 0; i < desc->body_count; i++) {
        widest = fmax(widest, desc->bodies[i].radius + desc->bodies[i].radius_spread);
    }
    if (desc->box.horizontal == CAROM_SIDES_PERIODIC) {
        reach = (desc->box.x1 - desc->box.x0) / 2 - widest;
    }
    if (desc->box.vertical == CAROM_SIDES_PERIODIC) {
        reach = fmin(reach, (desc->box.y1 - desc->box.y0) / 2 - widest);
    }
    return reach;
}

static carom_status check_lidar(const carom_scene_desc *desc, carom_problem *problem)
{
    const checker at = {problem, "lidar", SIZE_MAX};
    const carom_scene_lidar *lidar = &desc->lidar;
    DEMAND(finite_number(&at, "range", lidar->range));
    DEMAND(finite_number(&at, "first", lidar->first));
    DEMAND(finite_number(&at, "step", lidar->step));
    if (lidar->rays == 0) {
        return CAROM_OK;
    }

    if (lidar->rays > CAROM_SCENE_RAYS) {
        return refuse(&at, CAROM_ERROR_ARGUMENT, "%u rays, at most %d", lidar->rays, CAROM_SCENE_RAYS);
    }
    if (scene_actors(desc, 0) == 0) {
        return refuse(&at, CAROM_ERROR_ARGUMENT, "no body acts, so none can see");
    }
    const unsigned long long rays = (uint64_t)scene_players(desc) * scene_actors(desc, 0) * lidar->rays,
                             numbers = rays * scene_lidar_numbers(lidar);
    if (numbers > CAROM_SCENE_LIDAR) {
        return refuse(&at, CAROM_ERROR_ARGUMENT, "its rays give %llu numbers, at most %d", numbers, CAROM_SCENE_LIDAR);
    }

    if (lidar->range <= 0 || lidar->range > CAROM_SCENE_RANGE_F64) {
        return refuse(&at, CAROM_ERROR_VALUE, "range %.9g is not between 0 and %.9g", lidar->range,
                      CAROM_SCENE_RANGE_F64);
    }
    if (lidar->range > lidar_reach(desc)) {
        return refuse(&at, CAROM_ERROR_VALUE, "range %.9g is more than half of the periodic box minus a radius, %.9g",
                      lidar->range, lidar_reach(desc));
    }
    if (fabs(lidar->first) > LIDAR_TURN || fabs(lidar->step) > LIDAR_TURN) {
        return refuse(&at, CAROM_ERROR_VALUE, "the angle %s %.9g is more than a turn",
                      fabs(lidar->first) > LIDAR_TURN ? "first" : "step",
                      fabs(lidar->first) > LIDAR_TURN ? lidar->first : lidar->step);
    }
    return CAROM_OK;
}

/* ---- the rest ---- */

static carom_status check_solver(const carom_scene_desc *desc, carom_problem *problem)
{
    const checker at = {problem, "solver", SIZE_MAX};
    const int variant = (int)desc->solver;
    const carom_toi_variant_info *info = carom_toi_variant_describe(variant);
    if (info == NULL) {
        return refuse(&at, CAROM_ERROR_ARGUMENT, "there is none with number %d", variant);
    }
    if ((variant & CAROM_TOI_BRANCHES) != 0) {
        return refuse(&at, CAROM_ERROR_ARGUMENT, "%s/branches is for arrays of pairs only", info->name);
    }
    if (variant == CAROM_TOI_NORMALISED || variant == CAROM_TOI_BACKWARD) {
        return refuse(&at, CAROM_ERROR_ARGUMENT, "%s answers another question", info->name);
    }
    return CAROM_OK;
}

static carom_status check_measure(const char *name, const carom_scene_measure *m, const carom_scene_desc *desc,
                                  carom_problem *problem)
{
    const checker at = {problem, name, SIZE_MAX};
    if ((unsigned)m->kind > CAROM_MEASURE_USER) {
        return refuse(&at, CAROM_ERROR_ARGUMENT, "there is no kind %d", (int)m->kind);
    }
    if (m->body >= desc->body_count) {
        return refuse(&at, CAROM_ERROR_ARGUMENT, "there is no body %u", m->body);
    }
    DEMAND(coordinate(&at, "x", m->x));
    DEMAND(coordinate(&at, "y", m->y));
    return m->kind != CAROM_MEASURE_USER || m->hook != NULL ? CAROM_OK
                                                            : refuse(&at, CAROM_ERROR_ARGUMENT, "it has no hook");
}

static carom_status check_scene(const carom_scene_desc *desc, carom_problem *problem)
{
    const checker at = {problem, NULL, SIZE_MAX};

    DEMAND(finite_number(&at, "dt", desc->dt));
    if (desc->dt <= 0) {
        return refuse(&at, CAROM_ERROR_VALUE, "dt %.9g is not positive", desc->dt);
    }
    if (desc->dt < DBL_MIN) {
        return refuse(&at, CAROM_ERROR_VALUE, "dt %.9g is less than %.9g", desc->dt, DBL_MIN);
    }

    DEMAND(own_spread(&at, "dt", desc->dt, desc->dt_spread, DBL_MIN, DBL_MAX));
    if ((desc->varies & ~(uint32_t)SCENE_VARIES_ALL) != 0) {
        return refuse(&at, CAROM_ERROR_ARGUMENT, "varies: %#x has unknown bits", desc->varies);
    }

    DEMAND(not_negative(&at, "speed_limit", desc->speed_limit));
    DEMAND(finite_number(&at, "least_impulse", desc->least_impulse));
    DEMAND(not_negative(&at, "least_impulse", desc->least_impulse));
    DEMAND(finite_number(&at, "contact_time", desc->contact_time));
    DEMAND(not_negative(&at, "contact_time", desc->contact_time));
    if (desc->last_tick > INT32_MAX) {
        return refuse(&at, CAROM_ERROR_ARGUMENT, "last_tick %u is more than %d", desc->last_tick, INT32_MAX);
    }

    DEMAND(check_solver(desc, problem));
    if ((unsigned)desc->advance > CAROM_ADVANCE_ALL) {
        return refuse(&at, CAROM_ERROR_ARGUMENT, "advance: there is no policy %d", (int)desc->advance);
    }
    if ((unsigned)desc->engine > CAROM_ENGINE_DEEP) {
        return refuse(&at, CAROM_ERROR_ARGUMENT, "engine: there is none with number %d", (int)desc->engine);
    }

    DEMAND(finite_number(&at, "action_scale", desc->action_scale));
    if ((unsigned)desc->action > CAROM_ACTION_ACCELERATION) {
        return refuse(&at, CAROM_ERROR_ARGUMENT, "action: there is none with number %d", (int)desc->action);
    }
    DEMAND(check_measure("reward", &desc->reward, desc, problem));
    return check_measure("final_value", &desc->final_value, desc, problem);
}

static carom_status check(const carom_scene_desc *desc, carom_problem *problem)
{
    const checker at = {problem, NULL, SIZE_MAX};
    if (desc == NULL) {
        return refuse(&at, CAROM_ERROR_ARGUMENT, "there is no description");
    }
    if (desc->size != sizeof *desc) {
        return refuse(&at, CAROM_ERROR_ARGUMENT, "the size of the description is %zu, not %zu: start from the default",
                      desc->size, sizeof *desc);
    }
    DEMAND(check_box(&desc->box, problem));
    DEMAND(check_bodies(desc, problem));
    DEMAND(check_walls(desc, problem));
    DEMAND(check_polygons(desc, problem));
    DEMAND(check_arcs(desc, problem));
    DEMAND(check_rules(desc, problem));
    DEMAND(check_views(desc, problem));
    DEMAND(check_lidar(desc, problem));
    return check_scene(desc, problem);
}

carom_status carom_scene_check(const carom_scene_desc *desc, carom_problem *problem)
{
    if (problem != NULL) {
        problem->text[0] = '\0';
    }
    const fenv_t caller = fp_begin_text();
    const carom_status status = check(desc, problem);
    fp_end_text(caller);
    return status;
}
