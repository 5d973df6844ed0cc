/* SPDX-License-Identifier: MIT
 * A C program of another project: plays one tick of twenty worlds and computes one time of impact.
 */
#include <carom/carom.h>

#include <stdio.h>
#include <string.h>

#define WORLDS 20

static int failed(const char *what, carom_status status)
{
    fprintf(stderr, "%s: %s\n", what, carom_status_string(status));
    return 1;
}

int main(void)
{
    char version[64];
    snprintf(version, sizeof version, "%d.%d.%d", CAROM_VERSION_MAJOR, CAROM_VERSION_MINOR, CAROM_VERSION_PATCH);
    if (strcmp(version, carom_version()) != 0) {
        fprintf(stderr, "headers of %s, library of %s\n", version, carom_version());
        return 1;
    }

    const carom_game *csb = carom_game_find("csb");
    carom_worlds_desc desc = carom_worlds_desc_default(csb);
    desc.count = WORLDS;
    carom_worlds *worlds = NULL;
    carom_status status = carom_worlds_create(&desc, &worlds);
    if (status != CAROM_OK) {
        return failed("carom_worlds_create", status);
    }

    static const float actions[WORLDS][2][4]; /* no pod turns or accelerates */
    carom_step step = carom_step_default();
    step.actions = actions;
    status = carom_game_find_action_kind(csb, "relative", &step.action_kind);
    if (status != CAROM_OK) {
        return failed("carom_game_find_action_kind", status);
    }
    status = carom_worlds_play(worlds, &step);
    if (status != CAROM_OK) {
        return failed("carom_worlds_play", status);
    }
    uint64_t ticks = carom_worlds_counters(worlds).ticks;
    carom_worlds_destroy(worlds);
    if (ticks != WORLDS) {
        fprintf(stderr, "%d worlds played %llu ticks\n", WORLDS, (unsigned long long)ticks);
        return 1;
    }

    /* Radii add up to 2, 10 apart, approaching at 4: they touch at t = 2. */
    double px = 10, py = 0, vx = -4, vy = 0, r = 2, t = -1;
    carom_toi_pairs_f64 pairs = {&px, &py, &vx, &vy, &r};
    const carom_toi_contacts_f64 contacts = {.t = &t};
    status = carom_toi_circles_f64(CAROM_TOI_FAST, 1, &pairs, &contacts);
    if (status != CAROM_OK) {
        return failed("carom_toi_circles_f64", status);
    }
    if (t < 2 || t > 2) {
        fprintf(stderr, "impact at %g, not at 2\n", t);
        return 1;
    }
    return 0;
}
