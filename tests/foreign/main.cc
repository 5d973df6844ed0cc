/* SPDX-License-Identifier: MIT
 * A C++ program of another project: the same as main.c, with C++'s containers.
 */
#include <carom/carom.h>

#include <cstdio>
#include <memory>
#include <vector>

namespace
{

void check(carom_status status, const char *what)
{
    if (status != CAROM_OK) {
        throw what;
    }
}

void play()
{
    const carom_game *csb = carom_game_find("csb");
    carom_worlds_desc desc = carom_worlds_desc_default(csb);
    desc.count = 20;
    carom_worlds *made = nullptr;
    check(carom_worlds_create(&desc, &made), "carom_worlds_create");
    std::unique_ptr<carom_worlds, decltype(&carom_worlds_destroy)> worlds(made, carom_worlds_destroy);

    std::vector<float> actions(desc.count * 2 * 4, 0.0F);
    carom_step step = carom_step_default();
    step.actions = actions.data();
    check(carom_game_find_action_kind(csb, "relative", &step.action_kind), "carom_game_find_action_kind");
    check(carom_worlds_play(worlds.get(), &step), "carom_worlds_play");
    if (carom_worlds_counters(worlds.get()).ticks != desc.count) {
        throw "ticks";
    }

    std::vector<float> px(9, 10.0F), py(9, 0.0F), vx(9, -4.0F), vy(9, 0.0F), r(9, 2.0F), t(9, -1.0F);
    const carom_toi_pairs_f32 pairs = {px.data(), py.data(), vx.data(), vy.data(), r.data()};
    carom_toi_contacts_f32 contacts = {};
    contacts.t = t.data();
    check(carom_toi_circles_f32(CAROM_TOI_FAST, t.size(), &pairs, &contacts), "carom_toi_circles_f32");
    for (float impact : t) {
        if (impact < 2 || impact > 2) {
            throw "impact";
        }
    }
}

} // namespace

int main()
{
    try {
        play();
    } catch (const char *what) {
        std::fprintf(stderr, "failed: %s\n", what);
        return 1;
    }
    return 0;
}
