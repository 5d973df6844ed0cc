/* SPDX-License-Identifier: MIT
 * Blocks of pairs, their exact solutions, and the statistics of a variant's results.
 */
#include "error_study.h"

#include <carom/toi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct error_study {
    distribution_stream stream;
    size_t n;
    exact_toi exact[STUDY_BLOCK];
    double inputs[5][STUDY_BLOCK];
    float inputs_f32[5][STUDY_BLOCK];
    double answers[STUDY_BLOCK], again[STUDY_BLOCK];
    char complaint[400];
};

error_study *carom_study_new(distribution which, carom_precision precision, uint64_t seed)
{
    error_study *s = calloc(1, sizeof *s);
    if (s != NULL) {
        s->stream = carom_distribution_begin(which, precision, seed);
        for (size_t i = 0; i < STUDY_BLOCK; i++) {
            exact_toi_init(&s->exact[i]);
        }
    }
    return s;
}

void carom_study_free(error_study *s)
{
    for (size_t i = 0; s != NULL && i < STUDY_BLOCK; i++) {
        exact_toi_clear(&s->exact[i]);
    }
    free(s);
}

void carom_study_draw(error_study *s, size_t n)
{
    s->n = n;
    for (size_t i = 0; i < n; i++) {
        double pair[5];
        carom_distribution_draw(&s->stream, pair);
        exact_toi_solve(&s->exact[i], s->stream.precision, pair);
        for (int k = 0; k < 5; k++) {
            s->inputs[k][i] = pair[k];
            if (s->stream.precision == CAROM_F32) {
                s->inputs_f32[k][i] = (float)pair[k];
            }
        }
    }
}

/* ---- answers ---- */

static carom_status answer(error_study *s, int variant, double *t)
{
    if (s->stream.precision == CAROM_F64) {
        double(*const in)[STUDY_BLOCK] = s->inputs;
        const carom_toi_pairs_f64 pairs = {in[0], in[1], in[2], in[3], in[4]};
        return carom_toi_circles_f64(variant, s->n, &pairs, &(carom_toi_contacts_f64){.t = t});
    }
    float(*const in)[STUDY_BLOCK] = s->inputs_f32;
    const carom_toi_pairs_f32 pairs = {in[0], in[1], in[2], in[3], in[4]};
    float singles[STUDY_BLOCK];
    const carom_status status = carom_toi_circles_f32(variant, s->n, &pairs, &(carom_toi_contacts_f32){.t = singles});
    for (size_t i = 0; status == CAROM_OK && i < s->n; i++) {
        t[i] = (double)singles[i];
    }
    return status;
}

/* NaN is one answer, whatever its bits. */
static bool same(double x, double y)
{
    return (isnan(x) && isnan(y)) || (x == y && signbit(x) == signbit(y));
}

static const char *complain(error_study *s, int variant, carom_isa isa, const char *what, size_t i)
{
    const double *p = s->exact[i].pair;
    snprintf(
        s->complaint, sizeof s->complaint, "%s%s, f%d, %s: %s; p = (%a, %a), v = (%a, %a), r = %a: %a, at first %a",
        carom_toi_variant_describe(variant)->name, (variant & CAROM_TOI_BRANCHES) != 0 ? "/branches" : "",
        (int)s->stream.precision, carom_isa_name(isa), what, p[0], p[1], p[2], p[3], p[4], s->again[i], s->answers[i]);
    return s->complaint;
}

/* Scalar answers first; those of every other way are compared with them. */
static const char *answer_all(error_study *s, int variant)
{
    const char *complaint = NULL;
    bool first = true;
    for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT && complaint == NULL; isa++) {
        if (carom_isa_force(isa) != CAROM_OK) {
            continue;
        }
        for (int way = 0; way < 2 && complaint == NULL; way++) {
            const carom_status status = answer(s, way == 0 ? variant : variant ^ CAROM_TOI_BRANCHES, s->again);
            if (status != CAROM_OK) {
                complaint = complain(s, variant, isa, carom_status_string(status), 0);
                break;
            }
            if (first) {
                memcpy(s->answers, s->again, s->n * sizeof *s->again);
                first = false;
            }
            for (size_t i = 0; i < s->n && complaint == NULL; i++) {
                if (!same(s->again[i], s->answers[i])) {
                    complaint = complain(s, variant, isa, way == 0 ? "other bits" : "other bits, branches", i);
                }
            }
        }
    }
    (void)carom_isa_force(CAROM_ISA_DEFAULT);
    return complaint;
}

toi_question carom_study_question(int variant)
{
    switch (variant & ~CAROM_TOI_BRANCHES) {
    case CAROM_TOI_NORMALISED:
        return TOI_TICK;
    case CAROM_TOI_BACKWARD:
        return TOI_BEHIND;
    default:
        return TOI_AHEAD;
    }
}

/* ---- the tally ---- */

static study_example example_of(const error_study *s, size_t i)
{
    study_example e = {.answer = s->answers[i]};
    memcpy(e.pair, s->exact[i].pair, sizeof e.pair);
    return e;
}

static void count(error_tally *t, const toi_verdict *v, const study_example *e)
{
    const bool wrong = v->missed || v->false_hit;
    if (v->broken && t->broken == 0) {
        t->breach = *e;
    }
    if (wrong && (t->missed + t->false_hits == 0 || (v->outside && t->missed_outside + t->false_outside == 0))) {
        t->wrong = *e;
    }
    if (v->condition > t->max_condition) {
        t->max_condition = v->condition;
        t->worst = *e;
    }
    t->cases++;
    t->hits += v->hit;
    t->broken += v->broken;
    t->missed += v->missed;
    t->false_hits += v->false_hit;
    t->missed_outside += v->missed && v->outside;
    t->false_outside += v->false_hit && v->outside;
    t->max_ulp = fmax(t->max_ulp, v->ulp);
    t->max_position = fmax(t->max_position, v->position);
    const double r = fabs(e->pair[4]), share = r > 0 ? r / fmax(hypot(e->pair[0], e->pair[1]), r) : 0;
    t->far_condition = fmax(t->far_condition, share > 0 ? v->condition * share : 0);
    t->far_position = fmax(t->far_position, share > 0 ? v->position * share : 0);
    if (v->timed) {
        t->timed++;
        t->sum_ulp += v->ulp;
        t->sum_condition += v->condition;
    }
}

const char *carom_study_measure(error_study *s, int variant, error_tally *tally)
{
    const toi_question question = carom_study_question(variant);
    const char *complaint = answer_all(s, variant);
    for (size_t i = 0; i < s->n && complaint == NULL; i++) {
        const toi_verdict v = exact_toi_judge(&s->exact[i], question, s->answers[i]);
        const study_example e = example_of(s, i);
        count(tally, &v, &e);
    }
    return complaint;
}
