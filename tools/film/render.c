/* SPDX-License-Identifier: MIT
 * `carom render`: a picture of a tick, or a movie, of a game, a scene or a replay.
 */
#define _POSIX_C_SOURCE 200809L

#include "../command/out_file.h"
#include "encoder.h"
#include "layout.h"
#include "motion.h"
#include "png.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_TICK UINT64_MAX
#define MOST_TICKS 1000000
#define MOST_WAIT 10000 /* ticks in which it searches for an impact */

typedef enum format { FORMAT_SVG, FORMAT_PNG, FORMAT_GIF, FORMAT_MP4 } format;
static const char *const format_names[] = {"svg", "png", "gif", "mp4"};

typedef struct render_options {
    played_options from;
    const char *out;
    format kind;
    double tick;          /* NAN: not said */
    uint64_t first, last; /* NO_TICK: not said */
    size_t world, trail, ghosts, horizon, width, fps, per_tick;
    uint64_t generation; /* NO_TICK: not said */
    bool impacts, dark, bare, ghosts_said;
} render_options;

#define OPTIONS render_options
static const argument_row rows[] = {
    WORD("game, scene or replay", from.name),
    TEXT("--out PICTURE", out, NULL, "its name ends in .svg, .png, .gif or .mp4"),
    NUMBER("--tick T", tick, 0, MOST_TICKS, (double)NAN,
           "time in ticks, also within one, such as 41.37; 100 by default, for a replay the last one"),
    FLAG("--impacts", impacts,
         "draws impacts at their instants: the circles, the normal, the velocities before (pale) and after, the "
         "impulse. "
         "A picture shows the next impact from --tick on; in a movie each stays for a quarter of a second"),
    COUNT("--from A", first, 0, MOST_TICKS, NO_TICK, "of a movie: from the state after A ticks, 0 by default"),
    COUNT("--to B", last, 0, MOST_TICKS, NO_TICK,
          "to the state after B ticks; 200 ticks later by default, or the end of a replay"),
    COUNT("--world W", world, 0, SIZE_MAX, 0, ""),
    COUNT("--trail N", trail, 0, 100000, 30, "ticks that leave a trail"),
    COUNT("--ghosts K", ghosts, 0, 100000, 0,
          "also draw K futures, coloured by return from blue to red: of player 0, with drawn actions, $ by default; "
          "if a planner plays, those of a generation of its search, 16 by default, and its plan"),
    COUNT("--horizon H", horizon, 1, 10000, 12, "ticks of a ghost with drawn actions"),
    COUNT("--generation G", generation, 0, UINT32_MAX, NO_TICK,
          "which generation, from 0; the last by default, in movies one after another within a tick"),
    COUNT("--width PIXELS", width, 64, 8192, 960, ""),
    COUNT("--fps N", fps, 1, 120, 20, "pictures a second"),
    COUNT("--per-tick N", per_tick, 1, 1000, 1,
          "pictures a tick, $ by default: slow motion, on the bodies' exact paths"),
    FLAG("--dark", dark, "light on dark"),
    FLAG("--no-captions", bare, "only the field, without captions"),
    GROUP(carom_played_rows, from),
    END};

static format format_of(const char *out)
{
    const char *dot = strrchr(out, '.');
    for (size_t k = 0; dot != NULL && k < sizeof format_names / sizeof format_names[0]; k++) {
        if (strcmp(dot + 1, format_names[k]) == 0) {
            return (format)k;
        }
    }
    carom_die("--out: '%s' does not end in .svg, .png, .gif or .mp4", out);
}

static render_options parse(arguments *args)
{
    render_options o;
    memset(&o, 0, sizeof o);
    carom_read_arguments(args, rows, &o);
    o.from.changed = carom_played_changed(args);
    o.ghosts_said = carom_was_given(args, "--ghosts");
    if (o.out == NULL) {
        carom_die("which picture? Please say --out FILE.svg, .png, .gif or .mp4");
    }
    o.kind = format_of(o.out);
    const bool moves = o.kind == FORMAT_GIF || o.kind == FORMAT_MP4;
    if (moves ? !isnan(o.tick) : o.first != NO_TICK || o.last != NO_TICK) {
        carom_die(moves ? "--tick is for .svg and .png; a movie has --from and --to"
                        : "--from and --to are for .gif and .mp4; a still picture has --tick");
    }
    return o;
}

/* Room for rgb[height][width][3]; to be freed. */
static uint8_t *pixels_for(size_t width, size_t height)
{
    return carom_allocate(3 * width, height);
}

/* ---- still ---- */

static layout layout_of(const render_options *o)
{
    const layout c = {.colours = &carom_themes[o->dark],
                      .width = (double)o->width,
                      .world = o->world,
                      .trail = o->trail,
                      .instants = o->impacts,
                      .captions = !o->bare};
    return c;
}

static void check_world(const render_options *o, const film *f)
{
    if (o->world >= f->worlds) {
        carom_die("--world: there are %zu world%s", f->worlds, f->worlds == 1 ? "" : "s");
    }
    const double height = (double)o->width * (f->view.y1 - f->view.y0) / (f->view.x1 - f->view.x0);
    if (!(height <= 32767)) {
        carom_die("--width: the picture would be %.0f pixels high", height);
    }
}

/* ---- ghosts ---- */

#define PLANNED_GHOSTS 16 /* of a generation by default */

/* The ghosts of the last frame: a generation and the plan of each planner, else drawn ones. */
static ghost_list find_ghosts(const render_options *o, film *f, uint64_t seed)
{
    ghost_list list = {NULL, 0, 0};
    const size_t count = f->from.plans && !o->ghosts_said ? PLANNED_GHOSTS : o->ghosts;
    if (count == 0) {
        return list;
    }
    if (!f->from.plans) {
        carom_ghosts_draw(f, o->world, count, o->horizon, seed, &list);
        return list;
    }
    ghost_watch *watch = carom_ghosts_watch(f, o->world, o->world + 1, count);
    carom_ghosts_think(watch, SIZE_MAX, &list);
    carom_ghosts_end(watch);
    return list;
}

/* Adds those of the last frame, unless the list has them. */
static void renew_ghosts(const render_options *o, film *f, ghost_list *list)
{
    if (list->count > 0 && list->all[0].frame != f->count - 1) {
        carom_ghosts_free(list);
        *list = find_ghosts(o, f, o->from.seed + f->first + f->count - 1);
    }
}

/* Selects, for each player's search, the requested generation, or the one at `part`, 0 to 1, of the search, below the
 * plan: *shown is a list that borrows from `list`. */
static void choose_ghosts(const render_options *o, const ghost_list *list, double part, layout *c, film_ghosts *shown)
{
    c->ghosts = shown;
    c->ghost_count = 0;
    for (size_t k = 0; k < list->count; k++) {
        const film_ghosts *g = &list->all[k];
        const size_t last = g->generations > 0 ? g->generations - 1 : 0;
        const size_t wanted = o->generation != NO_TICK ? (size_t)o->generation : (size_t)(part * (double)last + 0.5);
        if (wanted > last) {
            carom_die("--generation: the search had %zu", g->generations);
        }
        if (g->generation < 0 || (size_t)g->generation == wanted) {
            shown[c->ghost_count++] = *g;
        }
    }
}

/* The default tick of a still picture. */
static double usual_tick(const render_options *o)
{
    if (!carom_is_replay(o->from.name)) {
        return 100;
    }
    replay_reader reader = carom_replay_read(o->from.name);
    const uint64_t ticks = carom_replay_describe(reader.replay).ticks;
    carom_replay_free(&reader);
    return (double)ticks;
}

/* The time of the world's next impact from a time on, in ticks since frame 0, playing the film on until then; the
 * ghosts become those of the frame before it. */
static double next_impact(const render_options *o, film *f, double from, ghost_list *ghosts)
{
    for (size_t frame = (size_t)from; frame < (size_t)from + MOST_WAIT; frame++) {
        double next = (double)INFINITY;
        if (frame >= f->count) {
            renew_ghosts(o, f, ghosts);
            if (!carom_film_next(f)) {
                carom_die("--impacts: there are none from that tick on");
            }
        }
        for (size_t k = 0; k < f->frames[frame].impact_count; k++) {
            const film_impact *impact = &f->frames[frame].impacts[k];
            const double when = carom_film_when(frame, impact);
            next = impact->world == o->world && when >= from ? fmin(next, when) : next;
        }
        if (next == (double)frame) {
            renew_ghosts(o, f, ghosts);
        }
        if (next < (double)INFINITY) {
            return next;
        }
    }
    carom_die("--impacts: there are none in the next %d ticks", MOST_WAIT);
}

/* Plays until there is a frame at `tick` or after it. */
static void play_to(film *f, double tick)
{
    while ((double)(f->first + f->count - 1) < tick) {
        if (!carom_film_next(f)) {
            carom_die("--tick: the replay has %" PRIu64 " ticks", f->from.ticks);
        }
    }
}

static void draw_still(const render_options *o)
{
    const double tick = isnan(o->tick) ? usual_tick(o) : o->tick;
    const uint64_t whole = (uint64_t)tick;
    const size_t before = o->trail > MARK_TICKS ? o->trail : MARK_TICKS;
    film f = carom_film_open(&o->from, whole > before ? whole - before : 0);
    check_world(o, &f);
    play_to(&f, (double)whole);
    ghost_list ghosts = find_ghosts(o, &f, o->from.seed);
    play_to(&f, tick);
    double time = tick - (double)f.first;
    time = o->impacts ? next_impact(o, &f, time, &ghosts) : time;
    layout c = layout_of(o);
    film_ghosts *shown = carom_allocate(ghosts.count, sizeof *shown);
    choose_ghosts(o, &ghosts, 1, &c, shown);
    picture p;
    c.fraction = time - floor(time);
    carom_lay_out(&f, (size_t)time, &c, &p);
    FILE *file = carom_file_create(o->out);
    bool written = true;
    if (o->kind == FORMAT_SVG) {
        size_t size;
        char *text = carom_marks_svg(&p, &size);
        if (text == NULL) {
            carom_die("cannot draw: %s", carom_status_string(CAROM_ERROR_MEMORY));
        }
        fwrite(text, 1, size, file);
        free(text);
    } else {
        const size_t width = (size_t)p.width, height = (size_t)p.height;
        uint8_t *rgb = pixels_for(width, height);
        carom_marks_rgb(&p, rgb);
        written = carom_png_write(rgb, width, height, file);
        free(rgb);
    }
    carom_file_finish(file, o->out, written);
    carom_marks_free(&p);
    free(shown);
    carom_ghosts_free(&ghosts);
    carom_film_close(&f);
}

/* ---- moving ---- */

static bool draw_frame(const film *f, size_t frame, const layout *c, double height, uint8_t *pixels, FILE *to)
{
    const size_t bytes = 3 * (size_t)c->width * (size_t)height;
    picture p;
    carom_lay_out(f, frame, c, &p);
    p.width = c->width;
    p.height = height;
    carom_marks_rgb(&p, pixels);
    carom_marks_free(&p);
    return fwrite(pixels, 1, bytes, to) == bytes;
}

static void draw_moving(const render_options *o)
{
    const uint64_t first = o->first != NO_TICK ? o->first : 0;
    film f = carom_film_open(&o->from, first);
    check_world(o, &f);
    uint64_t last = o->last != NO_TICK ? o->last : f.from.replay.replay != NULL ? f.from.ticks : first + 200;
    if (last < first || last > f.from.ticks) {
        carom_die("--to: there are no ticks from %" PRIu64 " to %" PRIu64, first, last);
    }
    layout c = layout_of(o);
    c.width = (double)(o->width - o->width % 2);
    c.glow = (double)o->fps / 4 / (double)o->per_tick;
    const size_t width = (size_t)c.width, height = (size_t)carom_lay_out_height(&f, &c) / 2 * 2;
    uint8_t *pixels = pixels_for(width, height);
    encoder e = carom_encoder_begin(o->out, o->kind == FORMAT_GIF ? ENCODER_GIF : ENCODER_MP4, width, height, o->fps);
    bool taken = e.to != NULL;
    carom_catch_interrupt();
    for (uint64_t tick = first; tick <= last && taken && !carom_interrupted(); tick++) {
        ghost_list ghosts = find_ghosts(o, &f, o->from.seed + tick);
        film_ghosts *shown = carom_allocate(ghosts.count, sizeof *shown);
        const bool more = tick < last && carom_film_next(&f);
        for (size_t k = 0; k < (more ? o->per_tick : 1) && taken; k++) {
            c.fraction = (double)k / (double)o->per_tick;
            choose_ghosts(o, &ghosts, o->per_tick > 1 ? (double)k / (double)(o->per_tick - 1) : 1, &c, shown);
            taken = draw_frame(&f, (size_t)(tick - first), &c, (double)height, pixels, e.to);
        }
        free(shown);
        carom_ghosts_free(&ghosts);
        carom_progress_draw((double)(tick - first) / (double)(last - first + 1), "");
    }
    carom_progress_erase();
    carom_encoder_end(&e, o->out);
    free(pixels);
    carom_film_close(&f);
}

static int run(arguments *args)
{
    const render_options o = parse(args);
    if (o.kind == FORMAT_SVG || o.kind == FORMAT_PNG) {
        draw_still(&o);
    } else {
        draw_moving(&o);
    }
    return carom_interrupted() ? EXIT_INTERRUPTED : 0;
}

const command_row carom_render_command = {
    .name = "render",
    .usage = "GAME|FILE --out PICTURE [options]",
    .summary = "draw a game, a scene or a replay: SVG, PNG, movies",
    .about = "Draws a replay (FILE.carom), a game played by built-in policies, or a scene (FILE.json): .svg and .png "
             "show one tick; .gif and .mp4 are movies, made by ffmpeg.",
    .rows = rows,
    .run = run};
