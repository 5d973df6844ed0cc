/* SPDX-License-Identifier: MIT
 * Box2D as a peer: with all circles as bullets, which it sweeps against each other and the walls; and without sweeping,
 * in thick walls.
 */
#include "peer.h"

#include <box2d/box2d.h>

#include <memory>
#include <vector>

namespace
{

/* As its manual recommends. */
constexpr int VELOCITY_ITERATIONS = 8;
constexpr int POSITION_ITERATIONS = 3;
constexpr double THICK = 5; /* half the thickness of walls in radii, where nothing is swept */

struct box2d_worlds {
    std::vector<std::unique_ptr<b2World>> worlds;
    std::vector<b2Body *> bodies; /* [worlds][circles] */
};

float real(double value)
{
    return static_cast<float>(value);
}

b2FixtureDef elastic(const b2Shape *shape)
{
    b2FixtureDef def;
    def.shape = shape;
    def.friction = 0;
    def.restitution = 1;
    def.restitutionThreshold = 0;
    return def;
}

void add_walls(b2World *world, const peer_scene *scene, bool swept)
{
    const float x = real(scene->width), y = real(scene->height), t = real(THICK * scene->radius);
    const b2Vec2 corners[4] = {{0, 0}, {x, 0}, {x, y}, {0, y}};
    const b2Vec2 centres[4] = {{x / 2, -t}, {x + t, y / 2}, {x / 2, y + t}, {-t, y / 2}};
    const b2BodyDef def;
    b2Body *ground = world->CreateBody(&def);
    for (int i = 0; i < 4; i++) {
        b2EdgeShape edge;
        b2PolygonShape block;
        edge.SetTwoSided(corners[i], corners[(i + 1) % 4]);
        block.SetAsBox(i % 2 == 0 ? x / 2 + 2 * t : t, i % 2 == 0 ? t : y / 2 + 2 * t, centres[i], 0);
        const b2FixtureDef wall = elastic(swept ? static_cast<b2Shape *>(&edge) : &block);
        ground->CreateFixture(&wall);
    }
}

b2Body *add_circle(b2World *world, const peer_scene *scene, const peer_circle *c, bool bullet)
{
    b2BodyDef def;
    def.type = b2_dynamicBody;
    def.position.Set(real(c->x), real(c->y));
    def.linearVelocity.Set(real(c->vx * PEER_RATE), real(c->vy * PEER_RATE));
    def.bullet = bullet;
    b2Body *body = world->CreateBody(&def);
    b2CircleShape shape;
    shape.m_radius = real(scene->radius);
    b2FixtureDef fixture = elastic(&shape);
    fixture.density = real(1 / (3.14159265358979 * scene->radius * scene->radius));
    body->CreateFixture(&fixture);
    return body;
}

void *create(const peer *self, const peer_scene *scene)
{
    const bool swept = self == &carom_peer_box2d;
    box2d_worlds *all = new box2d_worlds;
    all->worlds.reserve(scene->worlds);
    all->bodies.reserve(scene->worlds * scene->circles);
    for (size_t w = 0; w < scene->worlds; w++) {
        all->worlds.push_back(std::make_unique<b2World>(b2Vec2(0, 0)));
        b2World *world = all->worlds.back().get();
        world->SetAllowSleeping(false);
        world->SetContinuousPhysics(swept);
        add_walls(world, scene, swept);
        for (size_t i = 0; i < scene->circles; i++) {
            all->bodies.push_back(add_circle(world, scene, &scene->start[w * scene->circles + i], swept));
        }
    }
    return all;
}

void step(void *worlds, unsigned ticks, unsigned sub_ticks)
{
    const float dt = real(1.0 / (PEER_RATE * static_cast<double>(sub_ticks)));
    for (const auto &world : static_cast<box2d_worlds *>(worlds)->worlds) {
        for (unsigned k = 0; k < ticks * sub_ticks; k++) {
            world->Step(dt, VELOCITY_ITERATIONS, POSITION_ITERATIONS);
        }
    }
}

void read(const void *worlds, peer_circle *circles)
{
    for (const b2Body *body : static_cast<const box2d_worlds *>(worlds)->bodies) {
        const b2Vec2 p = body->GetPosition(), v = body->GetLinearVelocity();
        *circles++ = {p.x, p.y, static_cast<double>(v.x) / PEER_RATE, static_cast<double>(v.y) / PEER_RATE};
    }
}

void destroy(void *worlds)
{
    delete static_cast<box2d_worlds *>(worlds);
}

} // namespace

const peer carom_peer_box2d = {"box2d", BOX2D_VERSION, 0, 0, create, step, read, destroy, nullptr};
const peer carom_peer_box2d_discrete = {"box2d_discrete", BOX2D_VERSION, 0, 0, create, step, read, destroy, nullptr};
