/* SPDX-License-Identifier: MIT
 * Games of an arena that are played one at a time: those with programs or with searches limited by time, and recorded
 * ones.
 */
#include "../bot/plan.h"
#include "notes.h"
#include "play.h"
#include "seats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The player on a seat: one of three; a policy, or zero, if both pointers are NULL. */
typedef struct seat_player {
    program *program;
    carom_player *planner;
    size_t policy;
    bool zero;
} seat_player;

/* A single world, from start to end. */
typedef struct arena_run {
    const arena_job *job;
    uint64_t number; /* of the game: for messages */
    carom_worlds *world;
    replay_writer *writer; /* NULL: not recorded */
    seat_player players[CAROM_MAX_PLAYERS];
    arena_answers answers[CAROM_MAX_PLAYERS];
    unsigned char *given;  /* actions of the players that are not policies, */
    unsigned char *played; /* and of all players in the last tick; NULL: not needed */
    lines_text question;
    carom_result result;
    int guilty; /* the seat that lost by its behaviour; -1: none */
    bool ended, fault, interrupted;
} arena_run;

/* ---- programs ---- */

static void note_trouble(arena_run *run, unsigned seat, int32_t tick, const program_answer *answer)
{
    arena_answers *answers = &run->answers[seat];
    arena_conduct *conduct = &answers->conduct;
    char verdict[128];
    snprintf(verdict, sizeof verdict, "%s: %s", carom_trouble_names[answer->trouble], answer->why);
    carom_note_verdict(run->writer, seat, verdict);
    conduct->troubles[answer->trouble]++;
    if (answers->trouble == TROUBLE_NONE) {
        answers->trouble = answer->trouble;
        answers->turn = tick;
        snprintf(answers->why, sizeof answers->why, "%s", answer->why);
        snprintf(conduct->why, sizeof conduct->why, "game %" PRIu64 ", turn %d: %s", run->number, (int)tick,
                 answer->why);
        conduct->first = run->number;
        carom_plain(answers->why); /* may quote a program's output */
        carom_plain(conduct->why);
    }
}

/* Keeps the last line of `text` that is not empty. */
static void keep_last_line(arena_answers *answers, const char *text, size_t length)
{
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r')) {
        length--;
    }
    size_t begin = length;
    while (begin > 0 && text[begin - 1] != '\n') {
        begin--;
    }
    if (length > begin) {
        snprintf(answers->error, sizeof answers->error, "%.*s", (int)(length - begin), text + begin);
        carom_plain(answers->error);
    }
}

/* Collects a program's standard error since the last call. */
static void hear_errors(arena_run *run, unsigned seat)
{
    size_t length, more;
    if (run->players[seat].program != NULL) {
        const char *errors = carom_program_errors(run->players[seat].program, &length, &more);
        carom_note_errors(run->writer, seat, errors, length, more);
        keep_last_line(&run->answers[seat], errors, length);
    }
}

/* Writes a program's input for this tick. */
static void write_question(arena_run *run, unsigned seat, int32_t tick)
{
    const arena_job *job = run->job;
    lines_text *question = &run->question;
    question->length = 0;
    if (job->speech == NULL) {
        if (tick == 0) {
            carom_lines_greet(&job->lines, run->world, seat, question);
        }
        carom_lines_tell(&job->lines, run->world, seat, tick > 0 ? run->played : NULL, question);
        return;
    }
    protocol_text text; /* large */
    text.length = 0;
    if (tick == 0) {
        job->speech->greet(run->world, seat, &text);
    }
    job->speech->tell(run->world, seat, job->options->scores, &text);
    if (question->room < sizeof text.bytes) {
        question->bytes = (char *)carom_allocate(1, sizeof text.bytes); /* not used by anything else */
        question->room = sizeof text.bytes;
    }
    memcpy(question->bytes, text.bytes, text.length);
    question->length = text.length;
}

/* Reads the numbers of an answer; TROUBLE_RUBBISH if it is invalid. */
static void read_answer(arena_run *run, unsigned seat, program_answer *answer, void *numbers)
{
    const arena_job *job = run->job;
    if (job->speech == NULL) {
        const char *message = NULL;
        if (carom_lines_read(&job->lines, answer->lines[0], numbers, &message)) {
            carom_note_message(run->writer, seat, message);
            return;
        }
        answer->trouble = TROUBLE_RUBBISH;
        snprintf(answer->why, sizeof answer->why, "'%.50s' is not a row of %u numbers", answer->lines[0],
                 job->lines.action.size);
        return;
    }
    carom_note_messages(run->writer, seat, job->options->name, answer->lines);
    for (size_t k = 0; k < PROTOCOL_LINES; k++) {
        if (!job->speech->read(answer->lines[k], (double *)numbers + k * job->speech->numbers)) {
            answer->trouble = TROUBLE_RUBBISH;
            snprintf(answer->why, sizeof answer->why, "'%.60s' is not a command", answer->lines[k]);
            break;
        }
    }
}

/* Gets a program's actions for the tick; false if it has lost the game. */
static bool ask(arena_run *run, unsigned seat, void *numbers)
{
    const arena_options *options = run->job->options;
    program_answer answer;
    int32_t tick;
    carom_protocol_get(run->world, 0, "tick", &tick);
    write_question(run, seat, tick);
    carom_program_ask(run->players[seat].program, run->question.bytes, run->question.length,
                      1e-3 * (tick == 0 ? options->first_ms : options->ms), options->patience, &answer);
    if (answer.interrupted) {
        run->interrupted = true;
        return false;
    }
    hear_errors(run, seat);
    if (answer.trouble == TROUBLE_NONE || answer.trouble == TROUBLE_LATE) {
        carom_answers_add(&run->answers[seat], answer.seconds, options->results != NULL);
        read_answer(run, seat, &answer, numbers);
    }
    if (answer.trouble == TROUBLE_NONE) {
        return true;
    }
    note_trouble(run, seat, tick, &answer);
    return answer.trouble == TROUBLE_LATE && options->late_plays;
}

/* Some rules accept forbidden commands and end the game with a score of -1. */
static void look_for_fouls(arena_run *run)
{
    size_t field;
    int8_t score[2];
    int32_t tick;
    if (carom_worlds_find_field(run->world, "score", &field) != CAROM_OK ||
        carom_worlds_get(run->world, field, 0, 1, score) != CAROM_OK) {
        return;
    }
    carom_protocol_get(run->world, 0, "tick", &tick);
    for (unsigned seat = 0; seat < 2; seat++) {
        if (score[seat] < 0) {
            const program_answer answer = {.trouble = TROUBLE_RUBBISH, .why = "a command that the rules forbid"};
            note_trouble(run, seat, tick - 1, &answer);
        }
    }
}

/* ---- a run ---- */

/* Gets the actions of the players that are not policies; false if the game is over before this tick. */
static bool decide(arena_run *run)
{
    unsigned char *to = run->given;
    for (unsigned seat = 0; seat < run->job->seats; seat++) {
        const seat_player *player = &run->players[seat];
        if (player->planner != NULL) {
            const double start = carom_now();
            carom_planner_act(player->planner, run->world, to, 0);
            carom_answers_add(&run->answers[seat], carom_now() - start, run->job->options->results != NULL);
        } else if (player->program == NULL) {
            continue;
        } else if (!ask(run, seat, to)) {
            run->guilty = (int)seat;
            return false;
        }
        to += run->job->part;
    }
    return true;
}

static void play_ticks(arena_run *run)
{
    uint8_t end = 0;
    carom_step step = carom_step_default();
    step.action_kind = run->job->kind;
    step.actions = run->given;
    step.played = run->played;
    step.ends = &end;
    step.results = &run->result;
    for (unsigned seat = 0; seat < run->job->seats; seat++) {
        const bool given = run->players[seat].program != NULL || run->players[seat].planner != NULL;
        step.players[seat].source = given ? CAROM_GIVEN : run->players[seat].zero ? CAROM_ZERO : CAROM_POLICY;
        step.players[seat].policy = run->players[seat].policy;
    }
    while (end == 0) {
        if (!decide(run)) {
            return;
        }
        carom_demand(run->writer != NULL ? carom_replay_record(run->writer, run->world, &step)
                                         : carom_worlds_play(run->world, &step),
                     "play");
        if (carom_worlds_faults(run->world, NULL) > 0) {
            run->fault = true;
            return;
        }
        if (carom_interrupted()) {
            run->interrupted = true;
            return;
        }
    }
    run->ended = true;
    if (run->job->speech != NULL) {
        look_for_fouls(run);
    }
}

/* Seats the players. sides: [seat]. */
static void seat_players(arena_run *run, const arena_side *const *sides)
{
    const arena_job *job = run->job;
    const arena_options *options = job->options;
    const program_options started = {.lines = job->speech != NULL ? PROTOCOL_LINES : 1,
                                     .line = job->speech != NULL ? PROTOCOL_LINE : carom_lines_room(&job->lines),
                                     .show_errors = options->show_errors,
                                     .keep_errors = options->record != NULL || options->results != NULL};
    bool speaks = false;
    for (unsigned seat = 0; seat < job->seats; seat++) {
        seat_player *player = &run->players[seat];
        run->answers[seat] = carom_answers_begin();
        player->policy = sides[seat]->policy;
        player->zero = sides[seat]->zero;
        if (sides[seat]->command != NULL) {
            player->program = carom_program_start(sides[seat]->command, &started);
            speaks = true;
        } else if (sides[seat]->searches) {
            player->planner = carom_planner_create(run->world, &sides[seat]->plan, seat);
        }
    }
    run->given = carom_allocate(job->seats, job->part);
    run->played = speaks && job->speech == NULL ? carom_allocate(job->seats, job->part) : NULL;
}

/* The name of a game's replay: the sides, the game's number and, in a game of one player, the side that plays. */
static void name_replay(const arena_run *run, const arena_pairing *pairing, int alone, char path[4096])
{
    const char *folder = run->job->options->record;
    char who[8] = "";
    if (alone >= 0) {
        snprintf(who, sizeof who, "-%zu", pairing->sides[alone] + 1);
    }
    const int length = snprintf(path, 4096, "%s/%zu-%zu-%" PRIu64 "%s.carom", folder, pairing->sides[0] + 1,
                                pairing->sides[1] + 1, run->number, who);
    if (length >= 4096) {
        carom_die("--record: '%.60s...' is too long a name", folder);
    }
}

/* Plays a run from its start to its end. sides: [seat]; alone: the side of a game of one player, or -1. */
static void play_run(arena_run *run, const arena_pairing *pairing, const arena_side *const *sides, int alone)
{
    const arena_job *job = run->job;
    const arena_options *options = job->options;
    replay_writer writer;
    char path[4096];
    run->result.winner = -1;
    run->guilty = -1;
    run->world = carom_arena_worlds(options, run->number / options->rounds, 1, 1);
    seat_players(run, sides);
    if (options->record != NULL) {
        name_replay(run, pairing, alone, path);
        carom_replay_begin(&writer, path, run->world, options->set, 1, 256);
        run->writer = &writer;
    }
    for (unsigned seat = 0; seat < job->seats; seat++) {
        carom_note_name(run->writer, seat, sides[seat]->text);
    }
    play_ticks(run);
    for (unsigned seat = 0; seat < job->seats; seat++) {
        if (options->record != NULL || options->results != NULL) {
            hear_errors(run, seat);
        }
    }
    if (run->writer != NULL) {
        carom_replay_finish(&writer);
    }
    for (unsigned seat = 0; seat < job->seats; seat++) {
        carom_program_end(run->players[seat].program);
        carom_player_destroy(run->players[seat].planner);
    }
    free(run->given);
    free(run->played);
    free(run->question.bytes);
}

/* Ends a run; returns the digest of its world. */
static uint64_t end_run(arena_run *run)
{
    uint64_t digest;
    carom_demand(carom_worlds_digest(run->world, &digest), "digest");
    carom_worlds_destroy(run->world);
    for (unsigned seat = 0; seat < CAROM_MAX_PLAYERS; seat++) {
        free(run->answers[seat].seconds);
    }
    return digest;
}

static arena_seat seat_of(const arena_run *run, unsigned seat, unsigned side)
{
    const carom_result *result = &run->result;
    return (arena_seat){side, result->ticks, result->score[seat], result->returns[seat]};
}

/* ---- a game ---- */

/* All players in one world. */
static bool play_together(arena_job *job, const arena_pairing *pairing, arena_record *record)
{
    const arena_options *options = job->options;
    const unsigned round = (unsigned)(record->number % options->rounds);
    const arena_side *sides[CAROM_MAX_PLAYERS];
    arena_run run = {.job = job, .number = record->number};
    record->seat_count = job->seats;
    for (unsigned seat = 0; seat < job->seats; seat++) {
        record->seats[seat].side = arena_side_on(job->seats, seat, round);
        sides[seat] = &options->sides[pairing->sides[record->seats[seat].side]];
    }
    play_run(&run, pairing, sides, -1);
    record->ended = run.ended;
    record->fault = run.fault;
    for (unsigned seat = 0; seat < job->seats; seat++) {
        const unsigned side = record->seats[seat].side;
        record->seats[seat] = seat_of(&run, seat, side);
        carom_arena_add_conduct(&record->conduct[side], &run.answers[seat].conduct);
    }
    if (run.guilty >= 0) {
        record->winner = (int)(1 - record->seats[run.guilty].side);
        record->winner_seat = job->seats == 2 ? 1 - run.guilty : -1;
    } else if (run.ended && run.result.winner >= 0) {
        record->winner_seat = (int)run.result.winner;
        record->winner = (int)record->seats[run.result.winner].side;
    }
    if (options->results != NULL && !run.interrupted) {
        record->line = carom_results_line(options, pairing, record, run.answers);
    }
    record->digest = end_run(&run);
    return !run.interrupted;
}

/* Each side alone from the same start; compares their scores. */
static bool play_apart(arena_job *job, const arena_pairing *pairing, arena_record *record)
{
    const arena_options *options = job->options;
    arena_run runs[2];
    arena_answers answers[2];
    bool whole = true;
    record->seat_count = 2;
    record->ended = true;
    for (unsigned k = 0; k < 2; k++) {
        const arena_side *side = &options->sides[pairing->sides[k]];
        runs[k] = (arena_run){.job = job, .number = record->number};
        play_run(&runs[k], pairing, &side, (int)k);
        record->seats[k] = seat_of(&runs[k], 0, k);
        record->ended = record->ended && runs[k].ended;
        record->fault = record->fault || runs[k].fault;
        answers[k] = runs[k].answers[0];
        record->conduct[k] = answers[k].conduct;
        whole = whole && !runs[k].interrupted;
    }
    record->winner = carom_arena_better(record, (bool[2]){runs[0].guilty >= 0, runs[1].guilty >= 0});
    if (options->results != NULL && whole) {
        record->line = carom_results_line(options, pairing, record, answers);
    }
    record->digest = end_run(&runs[0]) + end_run(&runs[1]);
    return whole;
}

bool carom_arena_play_game(arena_job *job, const arena_pairing *pairing, uint64_t number)
{
    arena_record record = {.pairing = (size_t)(pairing - job->result->pairings),
                           .number = number,
                           .winner = -1,
                           .winner_seat = -1,
                           .conduct = {{.first = UINT64_MAX}, {.first = UINT64_MAX}}};
    const bool whole = job->seats == 1 ? play_apart(job, pairing, &record) : play_together(job, pairing, &record);
    if (whole) {
        carom_arena_take(job, &record);
        __atomic_fetch_add(&job->done, 1, __ATOMIC_RELAXED);
    }
    return whole;
}
