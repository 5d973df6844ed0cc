/* SPDX-License-Identifier: MIT
 * carom.jax: the two functions that XLA calls by its foreign function interface, reset and step, on the CPU and for
 * CUDA.
 *
 * They are pure: results depend only on the arguments. The state of a world is an array of bytes: its seed (8 bytes,
 * little-endian) and its record (worlds.h). Everything that the worlds have in common (the game, its options, players,
 * observations, ...) is a text stored in the compiled program, the attribute `made`. Only scratch is kept between
 * calls: batches to work in, looked up by that text and the number of worlds.
 *
 * For CUDA the worlds play on the GPU, where all arrays are. Only the states pass through host memory, for which the
 * call waits for the GPU; so it cannot be part of a command buffer.
 *
 * XLA calls these functions from several of its threads at once, without the interpreter's lock.
 */
#include "binding.h"
#include "xla.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The start of `made`, which is in hexadecimal digits. `pointers` pairs of words follow: the word at options + first
 * must become the address options + second. The rest is the options; for a scene, its description. */
typedef struct made {
    char game[32]; /* "": a scene */
    int64_t precision, at_end, threads, action_kind, observation_kind, reward_kind, repeat;
    int64_t players[CAROM_MAX_PLAYERS]; /* a policy's number; -1: zero; -2: given */
    uint64_t seed, observed, pointers;
} made;

/* ---- scratch ---- */

enum { KEPT = 8 }; /* idle batches */

typedef struct scratch {
    struct scratch *next;
    char *text; /* `made`, size bytes */
    size_t size, count;
    carom_scene *scene; /* NULL: a shipped game */
    carom_worlds *worlds;
    carom_step step;
    size_t record;                    /* bytes of one */
    size_t actions, seen, gained;     /* numbers of a world */
    size_t players;                   /* of the game */
    uint64_t *ids, *seeds, *together; /* [world]: zeros, the batch's seeds, those of the call */
    unsigned char *records;
    carom_result *results; /* [world] */
    unsigned device;       /* as in carom_worlds_desc.device; the members below are for devices only */
    void *device_results;  /* [world], on the device */
    unsigned char *staged; /* staging for states, or for two sets of observations */
} scratch;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static scratch *waiting;

static void scratch_free(scratch *s)
{
    if (s != NULL) {
        carom_worlds_destroy(s->worlds);
        carom_scene_destroy(s->scene);
        carom_device_release(s->device, s->device_results);
        free(s->staged);
        free(s->text);
        free(s->ids);
        free(s->records);
        free(s->results);
        free(s);
    }
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The bytes of a hexadecimal text, to be freed by the caller; NULL if it is invalid. */
static unsigned char *bytes_of(const char *text, size_t size)
{
    unsigned char *bytes = size % 2 == 0 ? malloc(size / 2 + 1) : NULL;
    for (size_t k = 0; bytes != NULL && k < size / 2; k++) {
        const int high = digit(text[2 * k]), low = digit(text[2 * k + 1]);
        if (high < 0 || low < 0) {
            free(bytes);
            return NULL;
        }
        bytes[k] = (unsigned char)(high * 16 + low);
    }
    return bytes;
}

/* Puts the addresses into the options. NULL: there are none, or the text is invalid. */
static unsigned char *options_of(unsigned char *bytes, size_t size, const made *m, bool *good)
{
    const size_t pair = 2 * sizeof(uint64_t);
    *good = m->pointers <= (size - sizeof *m) / pair;
    const size_t start = *good ? sizeof *m + (size_t)m->pointers * pair : size;
    unsigned char *options = bytes + start;
    for (size_t k = 0; *good && k < m->pointers; k++) {
        uint64_t at[2];
        memcpy(at, bytes + sizeof *m + k * pair, sizeof at);
        *good = size - start >= sizeof(void *) && at[0] <= size - start - sizeof(void *) && at[1] <= size - start;
        if (*good) {
            void *target = options + at[1];
            memcpy(options + at[0], &target, sizeof target);
        }
    }
    return *good && start < size ? options : NULL;
}

/* The game; NULL if there is none. For a scene the `size` bytes of options start with its description. */
static const carom_game *game_of(scratch *s, const made *m, const unsigned char *options, size_t size)
{
    if (memchr(m->game, 0, sizeof m->game) == NULL) {
        return NULL;
    }
    if (m->game[0] != 0) {
        return carom_game_find(m->game);
    }
    carom_scene_desc desc;
    if (options == NULL || size < sizeof desc) {
        return NULL;
    }
    memcpy(&desc, options, sizeof desc);
    return carom_scene_create(&desc, &s->scene, NULL) == CAROM_OK ? carom_scene_game(s->scene) : NULL;
}

/* The batch and everything about it. */
static carom_status scratch_fill(scratch *s, const made *m, const unsigned char *options, size_t size)
{
    const carom_game *game = game_of(s, m, options, size);
    if (game == NULL || m->action_kind < 0 || m->observation_kind < 0 || m->reward_kind < 0 || m->repeat < 1 ||
        m->threads < 0) {
        return CAROM_ERROR_FORMAT;
    }
    const carom_game_info info = carom_game_describe(game);
    carom_action_kind kind;
    carom_observation_kind seen;
    carom_reward_kind reward;
    s->step = carom_step_default();
    s->step.action_kind = (size_t)m->action_kind;
    s->step.observation_kind = (size_t)m->observation_kind;
    s->step.reward_kind = (size_t)m->reward_kind;
    s->step.repeat = (size_t)m->repeat;
    s->step.observed = m->observed;
    carom_status status = carom_game_action_kind(game, s->step.action_kind, &kind);
    status = status == CAROM_OK ? carom_game_observation_kind(game, s->step.observation_kind, &seen) : status;
    status = status == CAROM_OK ? carom_game_reward_kind(game, s->step.reward_kind, &reward) : status;
    if (status != CAROM_OK) {
        return status;
    }
    if (kind.precision != CAROM_F32) {
        return CAROM_ERROR_UNSUPPORTED;
    }
    for (unsigned p = 0; p < info.players; p++) {
        const int64_t player = m->players[p];
        s->step.players[p].source = player == -2 ? CAROM_GIVEN : player < 0 ? CAROM_ZERO : CAROM_POLICY;
        s->step.players[p].policy = player < 0 ? 0 : (size_t)player;
        s->actions += player == -2 ? kind.size : 0;
    }
    s->seen = (m->observed != 0 ? bits_in(m->observed) : (size_t)info.players * seen.agents) * seen.size;
    s->gained = (size_t)info.players * reward.agents;
    s->players = info.players;
    carom_worlds_desc desc = carom_worlds_desc_default(game);
    desc.count = s->count;
    desc.precision = (carom_precision)m->precision;
    desc.at_end = (carom_at_end)m->at_end;
    desc.threads = (unsigned)m->threads;
    desc.seed = m->seed;
    desc.options = s->scene == NULL ? options : NULL;
    desc.device = s->device;
    status = carom_worlds_create(&desc, &s->worlds);
    if (status == CAROM_OK) {
        s->record = carom_worlds_record_size(s->worlds);
        s->records = malloc(s->count * s->record);
        s->results = malloc(s->count * sizeof *s->results);
        s->ids = calloc(3 * s->count, sizeof *s->ids);
        s->seeds = s->ids == NULL ? NULL : s->ids + s->count;
        s->together = s->ids == NULL ? NULL : s->seeds + s->count;
        status = s->records == NULL || s->results == NULL || s->ids == NULL
                     ? CAROM_ERROR_MEMORY
                     : carom_worlds_seeds(s->worlds, 0, s->count, s->seeds);
    }
    if (status == CAROM_OK && s->device != 0) {
        const size_t state = sizeof(uint64_t) + s->record, both = 2 * s->seen * sizeof(float);
        s->staged = malloc(s->count * (state > both ? state : both));
        status = s->staged == NULL
                     ? CAROM_ERROR_MEMORY
                     : carom_device_allocate(s->device, s->count * sizeof *s->results, &s->device_results, NULL);
    }
    return status;
}

static scratch *scratch_new(unsigned device, const char *text, size_t size, size_t count, carom_status *status)
{
    scratch *s = calloc(1, sizeof *s);
    unsigned char *bytes = bytes_of(text, size);
    *status = CAROM_ERROR_MEMORY;
    if (s != NULL && bytes != NULL) {
        s->device = device;
        s->count = count;
        s->size = size;
        s->text = malloc(size + 1);
    }
    if (s != NULL && s->text != NULL) {
        memcpy(s->text, text, size);
        *status = CAROM_ERROR_FORMAT;
        made m;
        if (size / 2 >= sizeof m) {
            memcpy(&m, bytes, sizeof m);
            bool good = false;
            const unsigned char *options = options_of(bytes, size / 2, &m, &good);
            const size_t left = options == NULL ? 0 : size / 2 - (size_t)(options - bytes);
            *status = good ? scratch_fill(s, &m, options, left) : CAROM_ERROR_FORMAT;
        }
    }
    free(bytes);
    if (*status != CAROM_OK) {
        scratch_free(s);
        return NULL;
    }
    return s;
}

/* Scratch for a call: an idle one, or a new one. */
static scratch *scratch_take(unsigned device, const char *text, size_t size, size_t count, carom_status *status)
{
    (void)pthread_mutex_lock(&lock);
    scratch **place = &waiting;
    while (*place != NULL && ((*place)->device != device || (*place)->count != count || (*place)->size != size ||
                              memcmp((*place)->text, text, size) != 0)) {
        place = &(*place)->next;
    }
    scratch *s = *place;
    if (s != NULL) {
        *place = s->next;
    }
    (void)pthread_mutex_unlock(&lock);
    *status = CAROM_OK;
    return s != NULL ? s : scratch_new(device, text, size, count, status);
}

/* Puts scratch back, the latest first; beyond the limit the oldest is freed. */
static void scratch_put(scratch *s)
{
    (void)pthread_mutex_lock(&lock);
    s->next = waiting;
    waiting = s;
    scratch *last = s;
    for (int k = 1; k < KEPT && last != NULL; k++) {
        last = last->next;
    }
    scratch *spare = last == NULL ? NULL : last->next;
    if (last != NULL) {
        last->next = NULL;
    }
    (void)pthread_mutex_unlock(&lock);
    scratch_free(spare); /* at most one: each call puts back one */
}

/* ---- states ---- */

/* Sets the batch's worlds from states. */
static carom_status read_states(scratch *s, const unsigned char *states)
{
    const size_t stride = sizeof(uint64_t) + s->record;
    if (s->device != 0) {
        const carom_status copied = carom_device_read(s->device, s->staged, states, s->count * stride, NULL);
        if (copied != CAROM_OK) {
            return copied;
        }
        states = s->staged;
    }
    for (size_t w = 0; w < s->count; w++) {
        memcpy(&s->together[w], states + w * stride, sizeof(uint64_t));
        memcpy(s->records + w * s->record, states + w * stride + sizeof(uint64_t), s->record);
    }
    carom_status status = CAROM_OK;
    if (memcmp(s->seeds, s->together, s->count * sizeof *s->seeds) != 0) {
        status = carom_worlds_restart(s->worlds, NULL, NULL, s->together);
        memcpy(s->seeds, s->together, s->count * sizeof *s->seeds);
    }
    return status == CAROM_OK ? carom_worlds_set_records(s->worlds, NULL, s->count, s->records, s->count * s->record)
                              : status;
}

static carom_status write_states(scratch *s, unsigned char *states)
{
    const carom_status status = carom_worlds_get_records(s->worlds, NULL, s->count, s->records, s->count * s->record);
    const size_t stride = sizeof(uint64_t) + s->record;
    unsigned char *to = s->device != 0 ? s->staged : states;
    for (size_t w = 0; status == CAROM_OK && w < s->count; w++) {
        memcpy(to + w * stride, &s->seeds[w], sizeof(uint64_t));
        memcpy(to + w * stride + sizeof(uint64_t), s->records + w * s->record, s->record);
    }
    return status == CAROM_OK && s->device != 0
               ? carom_device_write(s->device, states, s->staged, s->count * stride, NULL)
               : status;
}

/* winner, ticks, fault, the players' scores for games that have ended, by `ends`; for others -1, 0... */
enum { TOLD = 3 };

static void write_results(const scratch *s, const uint8_t *ends, int32_t *numbers)
{
    const size_t row = TOLD + s->players;
    for (size_t w = 0; w < s->count; w++, numbers += row) {
        const carom_result *result = &s->results[w];
        memset(numbers, 0, row * sizeof *numbers);
        numbers[0] = -1;
        if (ends[w] != 0) {
            numbers[0] = result->winner;
            numbers[1] = (int32_t)result->ticks;
            numbers[2] = (int32_t)result->fault;
            memcpy(numbers + TOLD, result->score, s->players * sizeof *numbers);
        }
    }
}

/* If no game has ended, the last observations are those of the step. */
static void fill_last(const scratch *s, const uint8_t *ends, const float *seen, float *last)
{
    for (size_t w = 0; w < s->count; w++) {
        if (ends[w] == 0) {
            memcpy(last + w * s->seen, seen + w * s->seen, s->seen * sizeof *last);
        }
    }
}

/* ---- functions that XLA calls ---- */

static xla_error *refused(const xla_call *frame, const char *text)
{
    xla_error_arguments arguments;
    memset(&arguments, 0, sizeof arguments);
    arguments.start.size = offsetof(xla_error_arguments, code) + sizeof arguments.code;
    arguments.message = text;
    arguments.code = XLA_INVALID_ARGUMENT;
    return frame->api->make_error(&arguments);
}

/* Answers XLA's query for the interface version. */
static bool answered(const xla_call *frame)
{
    xla_extension *extension = frame->start.extensions;
    if (extension == NULL || extension->type != XLA_EXTENSION_METADATA) {
        return false;
    }
    xla_metadata *metadata = ((xla_metadata_extension *)(void *)extension)->metadata;
    metadata->version.major = XLA_MAJOR;
    metadata->version.minor = XLA_MINOR;
    metadata->traits = 0;
    return true;
}

/* Buffers of a call: arguments first, then results. */
enum { MOST = 8 };

typedef struct call {
    const xla_call *frame;
    unsigned device;  /* of its arrays, as in carom_worlds_desc.device */
    void *stream;     /* of that device */
    const char *text; /* `made` */
    size_t size;
    void *data[MOST];
    size_t numbers[MOST];
} call;

/* Reads a call: `types` has a letter for each buffer, i (int32), u (uint32), f (float32) or b (bytes). Returns NULL or
 * an error. */
static const char *read_call(call *c, const char *types, int64_t arguments)
{
    const xla_call *frame = c->frame;
    const int64_t results = (int64_t)strlen(types) - arguments;
    if (frame->api->version.major != XLA_MAJOR) {
        return "carom.jax: this version of XLA has another foreign function interface";
    }
    if (frame->arguments.count != arguments || frame->results.count != results) {
        return "carom.jax: another number of arrays is expected";
    }
    for (int64_t k = 0; types[k] != 0; k++) {
        const xla_buffer *buffer = k < arguments ? frame->arguments.buffers[k] : frame->results.buffers[k - arguments];
        const int32_t type = types[k] == 'i' ? XLA_S32 : types[k] == 'u' ? XLA_U32 : types[k] == 'f' ? XLA_F32 : XLA_U8;
        if (buffer->type != type) {
            return "carom.jax: an array has another type of number";
        }
        c->data[k] = buffer->data;
        c->numbers[k] = 1;
        for (int64_t d = 0; d < buffer->rank; d++) {
            c->numbers[k] *= (size_t)buffer->dims[d];
        }
    }
    for (int64_t k = 0; k < frame->attributes.count; k++) {
        const xla_text *name = frame->attributes.names[k];
        if (frame->attributes.types[k] == XLA_STRING && name->length == 4 && memcmp(name->bytes, "made", 4) == 0) {
            const xla_text *value = frame->attributes.values[k];
            c->text = value->bytes;
            c->size = value->length;
            return NULL;
        }
    }
    return "carom.jax: the attribute `made` is missing";
}

/* The device of the arrays of a call for CUDA, and its stream. Returns NULL or an error. */
static const char *find_device(call *c)
{
    xla_stream_arguments asked;
    memset(&asked, 0, sizeof asked);
    asked.start.size = sizeof asked;
    asked.context = c->frame->context;
    if (c->frame->api->stream(&asked) != NULL) {
        return "carom.jax: XLA names no stream";
    }
    c->stream = asked.stream;
    const unsigned devices = carom_device_count(NULL);
    for (unsigned k = 0; k < devices; k++) {
        if (carom_device_owns(carom_device_cuda(k), c->data[0], 1, NULL) == CAROM_OK) {
            c->device = carom_device_cuda(k);
            return NULL;
        }
    }
    return "carom.jax: the arrays are on no device that Carom can use; carom info says why";
}

/* The end of a call: the error, with the batch's message if it has one. */
static xla_error *finished(const call *c, scratch *s, carom_status status)
{
    xla_error *error = NULL;
    if (status != CAROM_OK) {
        carom_problem problem = {""};
        if (s != NULL) {
            carom_worlds_problem(s->worlds, &problem);
        }
        error = refused(c->frame, problem.text[0] != 0 ? problem.text : carom_status_string(status));
    }
    if (status == CAROM_OK) {
        scratch_put(s);
    } else {
        scratch_free(s); /* it may be incomplete */
    }
    return error;
}

/* seeds u32 [world][word] -> state, observations. One word: a seed. Two words, low word first: a seed drawn from a
 * key. */
static xla_error *reset_on(xla_call *frame, bool cuda)
{
    if (answered(frame)) {
        return NULL;
    }
    call c = {.frame = frame};
    const char *wrong = read_call(&c, "ubf", 1);
    wrong = wrong == NULL && cuda && c.numbers[0] > 0 ? find_device(&c) : wrong;
    if (wrong != NULL) {
        return refused(frame, wrong);
    }
    const xla_buffer *given = frame->arguments.buffers[0];
    const size_t words = given->rank > 0 ? (size_t)given->dims[given->rank - 1] : 0;
    if (words != 1 && words != 2) {
        return refused(frame, "carom.jax: seeds of one word or two are expected");
    }
    if (words == 1 && given->rank > 2 &&
        given->dims[given->rank - 2] == 2) { /* under vmap only this function sees the shape */
        return refused(frame,
                       "seeds: (..., 2) is the shape of raw PRNG keys; convert them with jax.random.wrap_key_data()");
    }
    const size_t count = c.numbers[0] / words;
    if (count == 0) {
        return NULL;
    }
    const uint32_t *seeds = c.data[0];
    carom_status status;
    scratch *s = scratch_take(c.device, c.text, c.size, count, &status);
    if (s != NULL && c.device != 0) { /* large enough: two words are fewer bytes than a state */
        status = carom_device_read(c.device, s->staged, seeds, c.numbers[0] * sizeof *seeds, NULL);
        seeds = (const uint32_t *)(const void *)s->staged;
    }
    if (s != NULL && (c.numbers[1] != count * (sizeof(uint64_t) + s->record) || c.numbers[2] != count * s->seen)) {
        status = CAROM_ERROR_SIZE;
    }
    if (status == CAROM_OK) {
        for (size_t w = 0; w < count; w++) {
            s->seeds[w] = seeds[w * words] | (words == 2 ? (uint64_t)seeds[w * words + 1] << 32 : 0);
        }
        carom_step step = s->step;
        step.observations = c.data[2];
        step.stream = c.stream;
        status = carom_worlds_restart(s->worlds, NULL, s->ids, s->seeds);
        status = status == CAROM_OK ? carom_worlds_observe_step(s->worlds, &step) : status;
        status = status == CAROM_OK ? write_states(s, c.data[1]) : status;
    }
    return finished(&c, s, status);
}

static xla_error *on_reset(xla_call *frame)
{
    return reset_on(frame, false);
}

static xla_error *on_reset_cuda(xla_call *frame)
{
    return reset_on(frame, true);
}

/* Plays a step of a call. */
static carom_status play_call(const call *c, scratch *s)
{
    carom_step step = s->step;
    step.actions = c->data[1];
    step.observations = c->data[3];
    step.last_observations = c->data[4];
    step.rewards = c->data[5];
    step.ends = c->data[6];
    step.results = s->device != 0 ? s->device_results : s->results;
    step.stream = c->stream;
    carom_status status = read_states(s, c->data[0]);
    status = status == CAROM_OK ? carom_worlds_play(s->worlds, &step) : status;
    return status == CAROM_OK ? write_states(s, c->data[2]) : status;
}

/* Writes last observations and results after the step. */
static carom_status describe(const call *c, scratch *s)
{
    if (s->device == 0) {
        write_results(s, c->data[6], c->data[7]);
        fill_last(s, c->data[6], c->data[3], c->data[4]);
        return CAROM_OK;
    }

    /* The same through host memory; `together` has room for the ends. */
    const size_t count = s->count, seen = count * s->seen * sizeof(float);
    const size_t told = count * (TOLD + s->players) * sizeof(int32_t);
    uint8_t *ends = (uint8_t *)s->together;
    float *now = (float *)(void *)s->staged, *last = now + count * s->seen;
    int32_t *numbers = malloc(told);
    carom_status status = numbers == NULL ? CAROM_ERROR_MEMORY : CAROM_OK;
    struct {
        void *to;
        const void *from;
        size_t bytes;
    } copies[] = {{ends, c->data[6], count},
                  {now, c->data[3], seen},
                  {last, c->data[4], seen},
                  {s->results, s->device_results, count * sizeof *s->results}};
    for (size_t k = 0; k < sizeof copies / sizeof copies[0] && status == CAROM_OK; k++) {
        status = carom_device_read(s->device, copies[k].to, copies[k].from, copies[k].bytes, NULL);
    }
    if (status == CAROM_OK) {
        write_results(s, ends, numbers);
        fill_last(s, ends, now, last);
        status = carom_device_write(s->device, c->data[4], last, seen, NULL);
        status = status == CAROM_OK ? carom_device_write(s->device, c->data[7], numbers, told, NULL) : status;
    }
    free(numbers);
    return status;
}

/* state, actions -> state, observations, last observations, rewards, ends, results */
static xla_error *step_on(xla_call *frame, bool cuda)
{
    if (answered(frame)) {
        return NULL;
    }
    call c = {.frame = frame};
    const char *wrong = read_call(&c, "bfbfffbi", 2);
    wrong = wrong == NULL && cuda && c.numbers[6] > 0 ? find_device(&c) : wrong;
    if (wrong != NULL) {
        return refused(frame, wrong);
    }
    const size_t count = c.numbers[6];
    if (count == 0) {
        return NULL;
    }
    carom_status status;
    scratch *s = scratch_take(c.device, c.text, c.size, count, &status);
    if (s != NULL) {
        const size_t state = sizeof(uint64_t) + s->record;
        const size_t expected[] = {state, s->actions, state, s->seen, s->seen, s->gained, 1, TOLD + s->players};
        for (int k = 0; k < MOST; k++) {
            status = c.numbers[k] == count * expected[k] ? status : CAROM_ERROR_SIZE;
        }
    }
    if (status == CAROM_OK) {
        status = play_call(&c, s);
        status = status == CAROM_OK ? describe(&c, s) : status;
    }
    return finished(&c, s, status);
}

static xla_error *on_step(xla_call *frame)
{
    return step_on(frame, false);
}

static xla_error *on_step_cuda(xla_call *frame)
{
    return step_on(frame, true);
}

/* ---- for carom.jax ---- */

typedef union pointer {
    xla_function *function;
    void *object;
} pointer;

/* name: a capsule with the address of the function, as jax.ffi.register_ffi_target() takes it */
static PyObject *target(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    const char *name = NULL;
    if (!PyArg_ParseTuple(arguments, "s", &name)) {
        return NULL;
    }
    static const struct {
        const char *name;
        xla_function *function;
    } targets[] = {{"reset", on_reset}, {"step", on_step}, {"reset_cuda", on_reset_cuda}, {"step_cuda", on_step_cuda}};
    for (size_t k = 0; k < sizeof targets / sizeof targets[0]; k++) {
        if (strcmp(targets[k].name, name) == 0) {
            const pointer p = {.function = targets[k].function};
            return PyCapsule_New(p.object, NULL, NULL);
        }
    }
    PyErr_Format(PyExc_ValueError, "'%s': there is no such target", name);
    return NULL;
}

PyMethodDef jax_methods[] = {
    {"jax_target", target, METH_VARARGS, "A function that XLA calls."},
    {NULL, NULL, 0, NULL},
};
