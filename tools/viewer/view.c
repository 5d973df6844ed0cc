/* SPDX-License-Identifier: MIT
 * `carom view`: a page for watching a replay, a game or a scene in the browser. It is served on 127.0.0.1, where games
 * and scenes play on while the page is open, or written to a file.
 */
#define _POSIX_C_SOURCE 200809L

#include "../command/out_file.h"
#include "browser.h"
#include "film_text.h"
#include "server.h"
#include "viewer_page.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MARK "<!--film-->" /* the position of the film in the page */
#define EVERY_WORLD SIZE_MAX
#define MOST_MEMORY 448 /* MiB: browsers have no strings of more than 512 */

#define PLANNED_GHOSTS 16    /* default for a generation */
#define SHOWN_GENERATIONS 12 /* the most of a search: a page keeps all of them */

typedef struct view_options {
    played_options from;
    const char *out, *against;
    uint64_t ticks;
    size_t ghosts, horizon;
    size_t ghosts_of; /* a world, or EVERY_WORLD */
    uint16_t port;
    unsigned idle;
    size_t memory; /* MiB that the page may keep */
    bool no_open, human, playground, worlds_said, ticks_said, ghosts_said;
} view_options;

/* A world, or "all". */
static void take_world(const char *name, const char *text, void *to)
{
    *(size_t *)to = strcmp(text, "all") == 0 ? EVERY_WORLD : (size_t)carom_parse_count(name, text, 0, 1000000);
}

#define OPTIONS view_options
static const argument_row rows[] = {
    WORD("game, scene or replay", from.name),
    TEXT("--out PAGE.html", out, NULL, "write one self-contained page to a file instead"),
    FLAG("--no-open", no_open, "only print the address of the page"),
    COUNT("--port P", port, 1, 65535, 0, "any free one by default"),
    COUNT("--ticks N", ticks, 0, 1000000, 100,
          "ticks to play before the page opens: $ by default, 300 with --out; for a replay all"),
    COUNT("--ghosts K", ghosts, 0, 10000, 0,
          "futures of a world, in every tick: of player 0, with drawn actions; if a planner plays, those of its "
          "search, K of each generation, 16 by default, and its plan"),
    CALL("--ghosts-of W", ghosts_of, take_world, "0", "the world of the ghosts, or 'all'; $ by default"),
    COUNT("--horizon H", horizon, 1, 1000, 12, "ticks of a ghost with drawn actions"),
    COUNT("--memory MIB", memory, 1, MOST_MEMORY, 256,
          "memory of the page, $ by default; when it is used up, play stops"),
    FLAG("--human", human, "play a side yourself, with the mouse: csb and fantastic_bits"),
    FLAG("--playground", playground,
         "open the playground instead, with the engine in the page: change and fork games there, edit scenes"),
    TEXT("--against NAME", against, NULL, "your opponent: a policy or a planner, as for --policy"),
    COUNT("--idle SECONDS", idle, 1, 1000000, 60, "how long the server waits after the page was closed"),
    GROUP(carom_played_rows, from),
    END};

/* ---- the film ---- */

typedef struct viewing {
    const view_options *options;
    film f;
    ghost_list ghosts;  /* in the order of frames */
    ghost_watch *watch; /* NULL: no planner, or no ghosts */
    size_t told;        /* frames sent to the page */
    size_t bytes;       /* bytes of the film in the page */
    char *scene;        /* the text of the scene's file, or NULL */
    size_t scene_size;
} viewing;

/* The worlds with ghosts: [first, end). */
static void find_watched(const viewing *v, size_t *first, size_t *end)
{
    const size_t of = v->options->ghosts_of;
    *first = of == EVERY_WORLD ? 0 : of;
    *end = of == EVERY_WORLD ? v->f.worlds : of + 1;
}

/* Adds the ghosts of the last frame. */
static void add_ghosts(viewing *v)
{
    const view_options *o = v->options;
    size_t first, end;
    find_watched(v, &first, &end);
    if (v->watch != NULL) {
        carom_ghosts_think(v->watch, SHOWN_GENERATIONS, &v->ghosts);
    }
    for (size_t world = first; world < end && o->ghosts > 0 && !v->f.from.plans; world++) {
        carom_ghosts_draw(&v->f, world, o->ghosts, o->horizon, o->from.seed + v->f.from.tick, &v->ghosts);
    }
}

/* Reports once that the film is full. */
static void fill(viewing *v)
{
    v->f.whole = v->f.full = true;
    carom_progress_erase();
    fprintf(stderr, "carom: the page is full after %zu ticks: it keeps %zu MiB (see --memory)\n", v->f.count - 1,
            v->options->memory);
}

static bool play_on(viewing *v, const carom_step *who)
{
    const size_t ghosts = v->ghosts.count, sceneries = v->f.scenery_count;
    if (v->f.full || !(who != NULL ? carom_film_next_with(&v->f, who) : carom_film_next(&v->f))) {
        return false;
    }
    add_ghosts(v);
    v->bytes += film_text_size(&v->f, sceneries, v->ghosts.all + ghosts, v->ghosts.count - ghosts);
    if (v->bytes > v->options->memory << 20) {
        fill(v);
    }
    return true;
}

static server_answer give(text_buffer *text)
{
    const server_answer answer = {text->bytes, text->size};
    return answer;
}

static bool is_live(const viewing *v)
{
    return v->options->out == NULL && v->f.from.replay.replay == NULL;
}

static server_answer whole_film(void *user)
{
    viewing *v = user;
    text_buffer text = {NULL, 0, 0};
    film_text_head(&v->f, v->options->from.name, is_live(v), v->options->human, &text);
    film_text_frames(&v->f, 0, v->ghosts.all, v->ghosts.count, &text);
    return give(&text);
}

/* Actions of player 0 towards a point: csb's pods thrust towards it, and with the button raise their shields; wizards
 * fly there, and with the button throw what they hold. */
static void steer(const viewing *v, const server_asked *asked, double *actions)
{
    const bool csb = strcmp(v->f.from.about.name, "csb") == 0;
    for (size_t k = 0; k < 2; k++) {
        double *a = actions + k * (csb ? 3 : 4);
        if (csb) {
            a[0] = floor(asked->x + 0.5);
            a[1] = floor(asked->y + 0.5);
            a[2] = asked->press ? (double)CAROM_CSB_SHIELD : 100;
        } else {
            size_t field;
            int8_t hold[4] = {-1, -1, -1, -1};
            carom_worlds_find_field(v->f.from.worlds, "hold", &field);
            carom_worlds_get(v->f.from.worlds, field, 0, 1, hold);
            const bool throws = asked->press && hold[k] >= 0;
            a[0] = throws ? CAROM_FANTASTIC_BITS_THROW : CAROM_FANTASTIC_BITS_MOVE;
            a[1] = floor(asked->x + 0.5);
            a[2] = floor(asked->y + 0.5);
            a[3] = throws ? 500 : 150;
        }
    }
}

static server_answer more_film(void *user, const server_asked *asked)
{
    viewing *v = user;
    const server_answer nothing = {NULL, 0};
    if (!is_live(v) || asked->since > v->f.count) {
        return nothing;
    }
    carom_step who = v->f.from.step;
    double actions[16] = {0};
    if (v->options->human) {
        if (asked->steers) {
            steer(v, asked, actions);
        }
        who.players[0].source = CAROM_GIVEN;
        who.actions = actions;
    }
    for (uint64_t k = 0; k < asked->ticks && play_on(v, v->options->human ? &who : NULL); k++) {
    }
    text_buffer text = {NULL, 0, 0};
    text_put(&text, "{");
    film_text_frames(&v->f, (size_t)asked->since, v->ghosts.all, v->ghosts.count, &text);
    return give(&text);
}

/* ---- serving and writing it ---- */

static void write_page(viewing *v, const char *path)
{
    const char *place = strstr(viewer_page, MARK);
    const server_answer text = whole_film(v);
    FILE *file = carom_file_create(path);
    fwrite(viewer_page, 1, (size_t)(place - viewer_page), file);
    fputs("<script type=\"application/json\" id=\"film\">", file);
    fwrite(text.bytes, 1, text.size, file);
    fputs("</script>", file);
    fputs(place + strlen(MARK), file);
    carom_file_finish(file, path, true);
    free(text.bytes);
}

/* The text of a scene's file, for the playground; none for a pipe, which can be read only once. */
static void read_scene(viewing *v)
{
    const char *name = v->options->from.name;
    struct stat about;
    const bool is_scene = v->f.from.scene != NULL && v->f.from.replay.replay == NULL && strcmp(name, "gas") != 0;
    FILE *file = is_scene && stat(name, &about) == 0 && S_ISREG(about.st_mode) ? fopen(name, "rb") : NULL;
    if (file != NULL) {
        v->scene = carom_file_read(file, name, NULL, &v->scene_size);
    }
}

/* The part of the printed address after the token; static. */
static const char *start_of(const viewing *v)
{
    static char path[64];
    const bool game = carom_game_find(v->options->from.name) != NULL;
    if (!v->options->playground) {
        return "";
    }
    if (!game && v->scene == NULL) {
        carom_die("--playground: it plays only built-in games, and scenes from files");
    }
    snprintf(path, sizeof path, "playground/?served#%s", game ? v->options->from.name : "given");
    return path;
}

static void serve(viewing *v)
{
    char address[256];
    browser shown = {"", ""};
    playground beside;
    playground_find(&beside);
    server s = {.port = v->options->port,
                .page = viewer_page,
                .page_size = strlen(viewer_page),
                .film = whole_film,
                .more = more_film,
                .user = v,
                .playground = &beside,
                .idle = v->options->idle};
    read_scene(v);
    const char *start = start_of(v);
    beside.scene = v->scene;
    beside.scene_size = v->scene_size;
    carom_catch_interrupt();
    server_start(&s);
    if (v->options->playground) {
        playground_tell_missing(&beside);
    }
    snprintf(address, sizeof address, "http://127.0.0.1:%u/%s/%s", s.port, s.token, start);
    printf("%s shows %s (Ctrl-C ends it)\n", address, v->options->from.name);
    fflush(stdout);
    if (!v->options->no_open) {
        browser_open(&shown, address);
    }
    server_wait();
    browser_forget(&shown);
    playground_free(&beside);
    free(v->scene);
}

static view_options parse(arguments *args)
{
    view_options o;
    memset(&o, 0, sizeof o);
    carom_read_arguments(args, rows, &o);
    o.from.changed = carom_played_changed(args);
    o.worlds_said = carom_was_given(args, "--worlds");
    o.ticks_said = carom_was_given(args, "--ticks");
    o.ghosts_said = carom_was_given(args, "--ghosts");
    const bool game = carom_game_find(o.from.name) != NULL;
    if (!carom_was_given(args, "--at-end") && !carom_is_replay(o.from.name) && o.out == NULL) {
        o.from.at_end = CAROM_RESET;
    }
    if (!o.worlds_said && game && !o.human) {
        o.from.worlds = 16;
    }
    if (o.out != NULL && !o.ticks_said) {
        o.ticks = 300;
    }
    if (o.playground && (o.out != NULL || o.human || o.from.changed || carom_is_replay(o.from.name))) {
        carom_die("--playground: only for a game or a scene with default options, without --out and --human");
    }
    if (!o.human && o.against != NULL) {
        carom_die("--against: only with --human");
    }
    if (!o.human) {
        return o;
    }
    if (o.out != NULL || !game || (strcmp(o.from.name, "csb") != 0 && strcmp(o.from.name, "fantastic_bits") != 0)) {
        carom_die("--human: only for csb and fantastic_bits, without --out");
    }
    if (o.worlds_said || o.from.actions != NULL) {
        carom_die("--human: plays one world with the referee's actions: no --worlds, no --actions");
    }
    if (o.against != NULL && o.from.workload != NULL) {
        carom_die("--against: --policy names the same player");
    }
    o.from.workload = o.against != NULL ? o.against : o.from.workload;
    o.from.people = 1;
    o.from.actions = "referee";
    o.ticks = o.ticks_said ? o.ticks : 0;
    return o;
}

static int run(arguments *args)
{
    view_options o = parse(args);
    viewing v;
    memset(&v, 0, sizeof v);
    v.options = &o;
    v.f = carom_film_open(&o.from, 0);
    if (o.ghosts_of != EVERY_WORLD && o.ghosts_of >= v.f.worlds) {
        carom_die("--ghosts-of: there are %zu world%s", v.f.worlds, v.f.worlds == 1 ? "" : "s");
    }
    o.ghosts = v.f.from.plans && !o.ghosts_said ? PLANNED_GHOSTS : o.ghosts;
    if (v.f.from.plans && o.ghosts > 0) {
        size_t first, end;
        find_watched(&v, &first, &end);
        v.watch = carom_ghosts_watch(&v.f, first, end, o.ghosts);
    }
    add_ghosts(&v);
    const bool replay = v.f.from.replay.replay != NULL;
    const uint64_t ticks = replay && !o.ticks_said ? v.f.from.ticks : o.ticks;
    for (uint64_t k = 0; k < ticks && play_on(&v, NULL); k++) {
        carom_progress_draw((double)k / (double)ticks, "");
    }
    carom_progress_erase();
    v.f.whole = v.f.whole || !is_live(&v);
    if (o.out != NULL) {
        write_page(&v, o.out);
    } else {
        serve(&v);
    }
    carom_ghosts_end(v.watch);
    carom_ghosts_free(&v.ghosts);
    carom_film_close(&v.f);
    return 0;
}

const command_row carom_view_command = {
    .name = "view",
    .usage = "GAME|FILE [options]",
    .summary = "watch a game, a scene or a replay in the browser; play it",
    .about = "Opens a page in the browser that shows a replay (FILE.carom), or a game or a scene (FILE.json) "
             "that plays on while you watch. The page is served only to you: its address is secret, and valid on "
             "this machine. The server ends on Ctrl-C, or a minute after you close the page.",
    .rows = rows,
    .notes = "Games have 16 worlds by default, and restart when they are over (--at-end reset).",
    .run = run};
