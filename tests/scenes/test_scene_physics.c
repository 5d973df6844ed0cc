/* SPDX-License-Identifier: MIT
 * Physics of scenes, independent of the reference: conservation, symmetry, and no overlap at any event.
 * CAROM_TEST_ONLY=test_... in the environment plays one of the tests.
 */
#include "scene_stage.h"

#include <float.h>

/* ---- conservation ---- */

TEST(test_conservation)
{
    static const carom_scene_sides all_sides[] = {CAROM_SIDES_OPEN, CAROM_SIDES_SOLID, CAROM_SIDES_PERIODIC};
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        for (int k = 0; k < 12; k++) {
            const carom_scene_sides sides = all_sides[k % 3];
            gas g = gas_of(10 + (uint64_t)k, k < 6 ? 20 : 40, 5, k < 6 ? 0.2 : 0.5, k & 1, sides);
            g.desc.advance = k / 3 % 2 != 0 ? CAROM_ADVANCE_ALL : CAROM_OWN_CLOCK;
            if (sides == CAROM_SIDES_OPEN) { /* they fall together and fly apart */
                for (uint32_t b = 0; b < g.desc.body_count; b++) {
                    g.bodies[b].vx -= g.bodies[b].x;
                    g.bodies[b].vy -= g.bodies[b].y;
                }
            }
            stage s = stage_of(&g.desc, engine, CAROM_F64);
            const sums start = sums_of(&g.desc, &s.state);
            const double push = sqrt(2 * start.energy * g.desc.body_count);
            for (int tick = 0; tick < 40; tick++) {
                play(&s, 0.75, 1);
                assert_true(closest(&g.desc, &s.state) >= 1 - 1e-9);
                assert_inside(&g.desc, &s.state);
            }
            const sums end = sums_of(&g.desc, &s.state);
            assert_true(impacts_of(&s) > (sides == CAROM_SIDES_OPEN ? 20 : 80));
            assert_true(fabs(end.energy - start.energy) <= 1e-12 * start.energy);
            if (sides != CAROM_SIDES_SOLID) {
                assert_true(hypot(end.px - start.px, end.py - start.py) <= 1e-12 * push);
            }
            if (sides == CAROM_SIDES_OPEN) {
                assert_true(fabs(end.angular - start.angular) <= 1e-11 * push * 5);
            }
            end_stage(&s);
            free(g.bodies);
        }
    }
}

/* Energy never grows where impacts lose some, and momentum stays. */
TEST(test_losses)
{
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        gas g = gas_of(77, 30, 5, 0.3, true, CAROM_SIDES_PERIODIC);
        for (uint32_t k = 0; k < 30; k++) {
            g.bodies[k].restitution = 0.9;
        }
        g.desc.contact_time = 1e-6;
        stage s = stage_of(&g.desc, engine, CAROM_F64);
        const sums start = sums_of(&g.desc, &s.state);
        double before = start.energy;
        for (int tick = 0; tick < 50; tick++) {
            play(&s, 0.5, 1);
            const sums now = sums_of(&g.desc, &s.state);
            assert_true(now.energy <= before * (1 + 1e-14));
            assert_true(hypot(now.px - start.px, now.py - start.py) <= 1e-12 * sqrt(2 * start.energy * 30));
            assert_true(closest(&g.desc, &s.state) >= 1 - 1e-9);
            before = now.energy;
        }
        assert_true(before < 0.5 * start.energy);
        end_stage(&s);
        free(g.bodies);
    }
}

TEST(test_long_drift)
{
    const uint64_t events = (uint64_t)unless_short(1000000, 100000);
    for (int solid = 0; solid < 2; solid++) {
        gas g = gas_of(5, 400, 20, 0.4, true, solid ? CAROM_SIDES_SOLID : CAROM_SIDES_PERIODIC);
        stage s = stage_of(&g.desc, CAROM_ENGINE_DEEP, CAROM_F64);
        const sums start = sums_of(&g.desc, &s.state);
        while (impacts_of(&s) < events) {
            const uint64_t before = impacts_of(&s);
            play(&s, 2, 5);
            assert_true(impacts_of(&s) > before);
        }
        const double drift = fabs(sums_of(&g.desc, &s.state).energy - start.energy) / start.energy;
        print_message("%" PRIu64 " impacts: energy drift %.2g\n", impacts_of(&s), drift);
        assert_true(drift <= 1e-10);
        assert_true(closest(&g.desc, &s.state) >= 1 - 1e-9);
        assert_inside(&g.desc, &s.state);
        end_stage(&s);
        free(g.bodies);
    }
}

/* What rounding does to the energy of elastic impacts must be a random walk: a bias of a few percent of a spacing shows
 * after a million of them. CAROM_TEST_LONG plays 10^8. */
TEST(test_no_heating)
{
    static const double radii[] = {0.5, 0.7, 0.9, 1};
    enum { BODIES = 20, WORLDS = 16 };
    const double worlds = WORLDS, bodies = BODIES;
    const double wanted = at_length(100000000 / 8, 400000, 400000);
    for (int precision = CAROM_F32; precision <= CAROM_F64; precision += CAROM_F64 - CAROM_F32) {
        for (size_t k = 0; k < sizeof radii / sizeof *radii; k++) {
            const double epsilon = precision == CAROM_F32 ? FLT_EPSILON : DBL_EPSILON;
            double impacts = 0, drift = 0;
            for (uint64_t world = 0; world < WORLDS; world++) {
                gas g = gas_of(900 + world, BODIES, 5, 0.25, false, CAROM_SIDES_PERIODIC);
                const double scale = radii[k] / g.bodies[0].radius;
                for (uint32_t b = 0; b < BODIES; b++) {
                    g.bodies[b].radius = radii[k];
                    g.bodies[b].x *= scale, g.bodies[b].y *= scale;
                }
                g.desc.box.x0 *= scale, g.desc.box.y0 *= scale, g.desc.box.x1 *= scale, g.desc.box.y1 *= scale;
                stage s = stage_of(&g.desc, CAROM_ENGINE_WIDE, (carom_precision)precision);
                const double start = sums_of(&g.desc, &s.state).energy;
                while ((double)impacts_of(&s) < wanted / worlds) {
                    play(&s, 1, 100);
                }
                drift += sums_of(&g.desc, &s.state).energy / start - 1;
                impacts += (double)impacts_of(&s);
                end_stage(&s);
                free(g.bodies);
            }
            /* of a body, which takes part in two of BODIES * WORLDS impacts */
            const double bias = drift / worlds / epsilon / (2 * impacts / (bodies * worlds));
            print_message("radius %g, f%d: %.3g impacts, %.4f spacings an impact\n", radii[k], precision, impacts,
                          bias);
            assert_true(fabs(bias) < 0.013);
        }
    }
}

/* ---- no overlap between events, seen by a response hook ---- */

typedef struct moment {
    double time;
    uint32_t body;
    double x, y, vx, vy; /* from here on */
} moment;

typedef struct diary {
    moment *moments;
    size_t count, capacity;
} diary;

static void write_moment(diary *d, double time, uint32_t body, double x, double y, double vx, double vy)
{
    if (d->count < d->capacity) {
        const moment m = {time, body, x, y, vx, vy};
        d->moments[d->count] = m;
    }
    d->count++;
}

/* A custom elastic response. */
static void note_impacts(void *user, size_t count, carom_impact *impacts)
{
    diary *d = user;
    for (size_t k = 0; k < count; k++) {
        carom_impact *i = &impacts[k];
        const double u = (i->vx1 - i->vx2) * i->nx + (i->vy1 - i->vy2) * i->ny;
        const double push = -2 * u / (i->inverse_mass1 + i->inverse_mass2);
        i->vx1 += push * i->inverse_mass1 * i->nx;
        i->vy1 += push * i->inverse_mass1 * i->ny;
        write_moment(d, i->time, i->first, i->x1, i->y1, i->vx1, i->vy1);
        if (i->kind == CAROM_IMPACT_BODY) {
            i->vx2 -= push * i->inverse_mass2 * i->nx;
            i->vy2 -= push * i->inverse_mass2 * i->ny;
            write_moment(d, i->time, i->second, i->x2, i->y2, i->vx2, i->vy2);
        }
    }
}

TEST(test_no_overlap_at_any_event)
{
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        for (int policy = CAROM_OWN_CLOCK; policy <= CAROM_ADVANCE_ALL; policy++) {
            gas g = gas_of(31, 25, 5, 0.4, true, CAROM_SIDES_SOLID);
            diary d = {NULL, 0, 100000};
            d.moments = malloc(d.capacity * sizeof *d.moments);
            g.desc.response_hook = note_impacts;
            g.desc.user = &d;
            g.desc.advance = (carom_advance)policy;
            stage s = stage_of(&g.desc, engine, CAROM_F64);
            const sums start = sums_of(&g.desc, &s.state);
            scene_state now = scene_state_new(25);
            size_t looked = 0;
            for (int tick = 0; tick < 20; tick++) {
                double *v = s.state.number, at[25] = {0};
                d.count = 0;
                OWNED(scene_state) paths = scene_state_new(25);
                scene_state_copy(&paths, &s.state);
                play(&s, 1, 1);
                assert_true(d.count <= d.capacity);
                v = paths.number;
                for (size_t e = 0; e < d.count; e++) {
                    const moment *m = &d.moments[e];
                    assert_true(e == 0 || m->time >= d.moments[e - 1].time);
                    v[m->body] = m->x, v[25 + m->body] = m->y, v[50 + m->body] = m->vx, v[75 + m->body] = m->vy;
                    at[m->body] = m->time;
                    for (uint32_t k = 0; k < 25; k++) {
                        now.number[k] = v[k] + v[50 + k] * (m->time - at[k]);
                        now.number[25 + k] = v[25 + k] + v[75 + k] * (m->time - at[k]);
                    }
                    assert_true(closest(&g.desc, &now) >= 1 - 1e-9);
                    assert_inside(&g.desc, &now);
                    looked++;
                }
            }
            assert_true(looked > 500);
            assert_true(fabs(sums_of(&g.desc, &s.state).energy / start.energy - 1) < 1e-12);
            end_scene_state(&now);
            end_stage(&s);
            free(d.moments);
            free(g.bodies);
        }
    }
}
/* ---- symmetries ---- */

TEST(test_time_reversal)
{
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        for (int k = 0; k < 4; k++) {
            gas g = gas_of(40 + (uint64_t)k, 30, 5, 0.3, true, k & 1 ? CAROM_SIDES_SOLID : CAROM_SIDES_PERIODIC);
            g.desc.advance = k & 2 ? CAROM_ADVANCE_ALL : CAROM_OWN_CLOCK;
            stage s = stage_of(&g.desc, engine, CAROM_F64);
            scene_state start = scene_state_new(30);
            scene_state_copy(&start, &s.state);
            play(&s, 0.25, 20);
            assert_true(impacts_of(&s) > 20);
            for (size_t f = 60; f < 120; f++) {
                s.state.number[f] = -s.state.number[f];
            }
            scene_put(s.worlds, 0, &s.state);
            play(&s, 0.25, 20);
            for (size_t f = 60; f < 120; f++) {
                s.state.number[f] = -s.state.number[f];
            }
            for (size_t f = 0; f < 60 && !(k & 1); f++) { /* one box on is the same position */
                s.state.number[f] = start.number[f] + remainder(s.state.number[f] - start.number[f], 10);
            }
            assert_true(apart(&s.state, &start) < 1e-7);
            end_scene_state(&start);
            end_stage(&s);
            free(g.bodies);
        }
    }
}

/* Bodies in another order. A prediction and a response are the same to the bit seen from either body; but through a
 * periodic side the normal is not, for the shift is added to the one or to the other. */
TEST(test_permutation)
{
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        for (int k = 0; k < 6; k++) {
            static const carom_scene_sides all_sides[] = {CAROM_SIDES_OPEN, CAROM_SIDES_SOLID, CAROM_SIDES_PERIODIC};
            const carom_scene_sides sides = all_sides[k % 3];
            gas g = gas_of(50 + (uint64_t)k, 30, 5, 0.3, true, sides);
            g.desc.advance = k >= 3 ? CAROM_ADVANCE_ALL : CAROM_OWN_CLOCK;
            carom_scene_body other[30];
            for (uint32_t b = 0; b < 30; b++) {
                g.bodies[b].vx -= sides == CAROM_SIDES_OPEN ? g.bodies[b].x : 0;
                g.bodies[b].vy -= sides == CAROM_SIDES_OPEN ? g.bodies[b].y : 0;
            }
            for (uint32_t b = 0; b < 30; b++) {
                other[b * 7 % 30] = g.bodies[b];
            }
            stage s = stage_of(&g.desc, engine, CAROM_F64);
            carom_scene_desc permuted = g.desc;
            permuted.bodies = other;
            stage t = stage_of(&permuted, engine, CAROM_F64);
            play(&s, 0.5, 6);
            play(&t, 0.5, 6);
            assert_true(impacts_of(&s) > 20 && impacts_of(&s) == impacts_of(&t));
            scene_state back = scene_state_new(30);
            for (uint32_t b = 0; b < 30; b++) {
                for (size_t f = 0; f < 4; f++) {
                    back.number[f * 30 + b] = t.state.number[f * 30 + b * 7 % 30];
                }
            }
            if (sides == CAROM_SIDES_PERIODIC) {
                assert_true(apart(&back, &s.state) < 1e-7);
            } else {
                assert_memory_equal(back.number, s.state.number, 120 * sizeof(double));
            }
            end_scene_state(&back);
            end_stage(&s);
            end_stage(&t);
            free(g.bodies);
        }
    }
}

/* Mirrored in x (bit 0) and in y (bit 1), and then x and y exchanged (bit 2). */
static void mirror(int how, double *x, double *y)
{
    *x = how & 1 ? -*x : *x;
    *y = how & 2 ? -*y : *y;
    if (how & 4) {
        const double old = *x;
        *x = *y;
        *y = old;
    }
}

#define MIRROR_CORNERS 5

/* A gas with walls and a polygon among its bodies, seen in a mirror: the same to the bit. (A wall seen from its other
 * end is the same only to rounding where bodies accelerate; so none is one-sided.) */
TEST(test_mirrors)
{
    static const carom_scene_wall plain_walls[] = {{-5, -2, -1, -4, 1, false, false}, {1, 4.5, 4, 1.5, 1, true, false}};
    static const double plain_x[] = {2, 4, 3, 3.2, 1.5}, plain_y[] = {-4, -3.5, -2.5, -1, -1.2};
    for (int engine = CAROM_ENGINE_WIDE; engine <= CAROM_ENGINE_DEEP; engine++) {
        for (int k = 0; k < 8; k++) {
            const bool accelerates = k & 1, narrow = k & 2;
            gas g = gas_of(60 + (uint64_t)k, 16, 5, 0.1, true, k & 4 ? CAROM_SIDES_PERIODIC : CAROM_SIDES_SOLID);
            for (uint32_t b = 0; b < 16 && accelerates; b++) {
                g.bodies[b].ax = 0.25 * (b % 3), g.bodies[b].ay = -0.5;
            }
            scene_state first = scene_state_new(16);
            for (int how = 0; how < 8; how++) {
                carom_scene_body bodies[16];
                carom_scene_wall walls[2];
                double x[MIRROR_CORNERS], y[MIRROR_CORNERS];
                const carom_scene_polygon polygon = {x, y, MIRROR_CORNERS, 1, false};
                carom_scene_desc d = g.desc;
                memcpy(bodies, g.bodies, sizeof bodies);
                memcpy(walls, plain_walls, sizeof walls);
                memcpy(x, plain_x, sizeof x);
                memcpy(y, plain_y, sizeof y);
                for (int b = 0; b < 16; b++) {
                    mirror(how, &bodies[b].x, &bodies[b].y);
                    mirror(how, &bodies[b].vx, &bodies[b].vy);
                    mirror(how, &bodies[b].ax, &bodies[b].ay);
                }
                for (int w = 0; w < 2; w++) {
                    mirror(how, &walls[w].ax, &walls[w].ay);
                    mirror(how, &walls[w].bx, &walls[w].by);
                    const bool turned = ((how & 1) + (how >> 1 & 1) + (how >> 2 & 1)) % 2 != 0;
                    walls[w].one_sided = walls[w].one_sided && !accelerates;
                    if (turned && walls[w].one_sided) { /* the remainder is right */
                        const carom_scene_wall old = walls[w];
                        walls[w].ax = old.bx, walls[w].ay = old.by, walls[w].bx = old.ax, walls[w].by = old.ay;
                    }
                }
                for (int c = 0; c < MIRROR_CORNERS; c++) {
                    mirror(how, &x[c], &y[c]);
                }
                d.bodies = bodies;
                d.walls = walls, d.wall_count = 2;
                d.polygons = &polygon, d.polygon_count = 1;
                OWNED(stage) s = stage_of(&d, engine, narrow ? CAROM_F32 : CAROM_F64);
                play(&s, 0.5, 12);
                for (uint32_t b = 0; b < 16; b++) { /* and back */
                    double *v = s.state.number;
                    const int again = how & 4 ? 4 | (how & 1) << 1 | (how & 2) >> 1 : how;
                    mirror(again, &v[b], &v[16 + b]);
                    mirror(again, &v[32 + b], &v[48 + b]);
                }
                if (how == 0) {
                    scene_state_copy(&first, &s.state);
                    assert_true(impacts_of(&s) > 5);
                } else {
                    assert_true(apart(&s.state, &first) == 0);
                }
            }
            end_scene_state(&first);
            free(g.bodies);
        }
    }
}
