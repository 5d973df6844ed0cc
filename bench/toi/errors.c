/* SPDX-License-Identifier: MIT
 * The error study: every time-of-impact variant, in both precisions, against exact arithmetic (MPFR, 400 bits), on
 * every distribution of distributions.h. tests/toi/mpfr_toi.h and --help explain the columns.
 *
 * Fails if the variant "accurate" breaks its guarantee, if a finite input gives NaN, or if two instruction sets differ.
 */
#define _POSIX_C_SOURCE 200809L

#include "error_study.h"

#include <carom/toi.h>

#include <errno.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CASES 200000
#define PROMISED 4 /* of "accurate": error in eps x condition, and position in eps max(|p|, r) */

typedef struct options {
    uint64_t cases, seed;
    int variant; /* or CAROM_TOI_VARIANTS: all */
    bool worst;
    const char *json; /* NULL: none */
} options;

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static _Noreturn void die(const char *what, const char *detail)
{
    fflush(stdout);
    fprintf(stderr, "bench_errors: %s%s\n", what, detail);
    exit(1);
}

/* ---- options ---- */

static void help(void)
{
    printf(
        "bench_errors: the errors of every time-of-impact variant against exact arithmetic\n\n"
        "  --cases N       pairs of each distribution and precision, %d by default\n"
        "  --seed S        of the pairs, 1 by default\n"
        "  --variant NAME  only this one\n"
        "  --worst         with the pair of the greatest error, and one that was decided wrongly\n"
        "  --json FILE     results as an array of objects; - is stdout, the tables then go to stderr\n\n"
        "hits       cases with an impact, by the exact answer\n"
        "ulp        error of t in units in the last place of the exact t, greatest and mean over the impacts at\n"
        "           t > 0 that were found (backward: t <= 0)\n"
        "eps x k    error of t in units of eps x condition number of the problem; eps is 2^-52 (f32: 2^-23)\n"
        "position   greatest ||p + v t| - r| in units of eps x max(|p|, r)\n"
        "missed     impacts that were not found, contact at t = 0 that was not seen\n"
        "false      impacts that are none, contact at t = 0 that is none yet\n"
        "outside    those of pairs farther than %d eps x max(|p|, r) from tangency (from contact, if only that is in\n"
        "           question)\n",
        CASES, MPFR_TOI_BAND);
}

static uint64_t parse_number(const char *option, const char *text)
{
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 0);
    if (errno != 0 || end == text || *end != '\0' || *text == '-') {
        die(option, ": not a number");
    }
    return value;
}

static options parse(int argc, char **argv)
{
    options o = {.cases = CASES, .seed = 1, .variant = CAROM_TOI_VARIANTS};
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        if (strcmp(option, "--help") == 0) {
            help();
            exit(0);
        }
        if (strcmp(option, "--worst") == 0) {
            o.worst = true;
            continue;
        }
        const char *value = argv[++i];
        if (value == NULL) {
            die(option, ": unknown, or without its value (see --help)");
        }
        if (strcmp(option, "--cases") == 0) {
            o.cases = parse_number(option, value);
        } else if (strcmp(option, "--seed") == 0) {
            o.seed = parse_number(option, value);
        } else if (strcmp(option, "--variant") == 0) {
            if (carom_toi_variant_find(value, &o.variant) != CAROM_OK) {
                die("no variant ", value);
            }
        } else if (strcmp(option, "--json") == 0) {
            o.json = value;
        } else {
            die(option, ": unknown (see --help)");
        }
    }
    if (o.cases == 0) {
        die("--cases", ": must not be 0");
    }
    return o;
}

/* ---- output ---- */

static double mean(double sum, uint64_t n)
{
    return n > 0 ? fmin(sum / (double)n, DBL_MAX) : 0; /* JSON has no infinity */
}

static void print_example(FILE *text, const char *what, const study_example *e)
{
    fprintf(text, "      %s: p = (%a, %a), v = (%a, %a), r = %a: %a\n", what, e->pair[0], e->pair[1], e->pair[2],
            e->pair[3], e->pair[4], e->answer);
}

static void print_head(FILE *text, distribution which, carom_precision precision, uint64_t cases)
{
    fprintf(text, "\nf%d, %s: %s; %llu cases\n", (int)precision, carom_distribution_name(which),
            carom_distribution_summary(which), (unsigned long long)cases);
    fprintf(text, "  %-15s %8s %18s %18s %9s %8s %8s %15s\n", "", "hits", "max ulp mean", "max eps x k mean",
            "position", "missed", "false", "both outside");
}

static void print_row(FILE *text, const char *name, const error_tally *t, bool worst)
{
    fprintf(text, "  %-15s %8llu %9.3g %8.2g %9.3g %8.2g %9.3g %8llu %8llu %7llu %7llu\n", name,
            (unsigned long long)t->hits, t->max_ulp, mean(t->sum_ulp, t->timed), t->max_condition,
            mean(t->sum_condition, t->timed), t->max_position, (unsigned long long)t->missed,
            (unsigned long long)t->false_hits, (unsigned long long)t->missed_outside,
            (unsigned long long)t->false_outside);
    if (t->broken > 0) {
        fprintf(text, "      %llu answers break the contract\n", (unsigned long long)t->broken);
        print_example(text, "one", &t->breach);
    }
    if (worst && t->max_condition > 0) {
        print_example(text, "greatest error", &t->worst);
    }
    if (worst && t->missed + t->false_hits > 0) {
        print_example(text, t->missed_outside + t->false_outside > 0 ? "wrong, outside" : "wrong", &t->wrong);
    }
}

static void write_object(FILE *json, bool first, const char *name, distribution which, carom_precision precision,
                         const error_tally *t)
{
    fprintf(json,
            "%s\n  {\"variant\": \"%s\", \"precision\": \"f%d\", \"distribution\": \"%s\", \"cases\": %llu, "
            "\"hits\": %llu, \"max_ulp\": %.6g, \"mean_ulp\": %.6g, \"max_condition\": %.6g, \"mean_condition\": %.6g, "
            "\"max_position\": %.6g, \"missed\": %llu, \"false_hits\": %llu, \"missed_outside_band\": %llu, "
            "\"false_outside_band\": %llu}",
            first ? "" : ",", name, (int)precision, carom_distribution_name(which), (unsigned long long)t->cases,
            (unsigned long long)t->hits, t->max_ulp, mean(t->sum_ulp, t->timed), t->max_condition,
            mean(t->sum_condition, t->timed), t->max_position, (unsigned long long)t->missed,
            (unsigned long long)t->false_hits, (unsigned long long)t->missed_outside,
            (unsigned long long)t->false_outside);
}

/* A line that is overwritten, and wiped at the end. */
static void show_progress(distribution which, carom_precision precision, uint64_t done, uint64_t cases)
{
    if (isatty(STDERR_FILENO) == 0) {
        return;
    }
    if (done < cases) {
        fprintf(stderr, "\rf%d, %s: %.0f%%   ", (int)precision, carom_distribution_name(which),
                100 * (double)done / (double)cases);
    } else {
        fprintf(stderr, "\r%40s\r", "");
    }
    fflush(stderr);
}

/* ---- the study ---- */

typedef struct subject {
    int variant;
    char name[64];
    error_tally tally;
} subject;

static size_t choose(const options *o, subject subjects[CAROM_TOI_VARIANTS])
{
    size_t count = 0;
    for (int variant = 0; variant < CAROM_TOI_VARIANTS; variant++) {
        if (o->variant == CAROM_TOI_VARIANTS || (o->variant & ~CAROM_TOI_BRANCHES) == variant) {
            subject *s = &subjects[count++];
            s->variant = o->variant == CAROM_TOI_VARIANTS ? variant : o->variant;
            snprintf(s->name, sizeof s->name, "%s%s", carom_toi_variant_describe(variant)->name,
                     (s->variant & CAROM_TOI_BRANCHES) != 0 ? "/branches" : "");
        }
    }
    return count;
}

static bool is_promised(const subject *s, distribution which)
{
    const error_tally *t = &s->tally;
    const bool accurate = (s->variant & ~CAROM_TOI_BRANCHES) == CAROM_TOI_ACCURATE && which < DISTRIBUTIONS_PROMISED;
    return t->broken == 0 && (!accurate || (t->missed_outside + t->false_outside == 0 && t->max_condition <= PROMISED &&
                                            t->max_position <= PROMISED));
}

/* Measures the subjects on one distribution; how many pairs. */
static uint64_t run(const options *o, distribution which, carom_precision precision, subject *subjects, size_t count)
{
    error_study *study = carom_study_new(which, precision, o->seed);
    uint64_t done = 0;
    if (study == NULL) {
        die("no memory", "");
    }
    for (size_t k = 0; k < count; k++) {
        subjects[k].tally = (error_tally){0};
    }
    while (done < o->cases && interrupted == 0) {
        const size_t n = o->cases - done < STUDY_BLOCK ? (size_t)(o->cases - done) : STUDY_BLOCK;
        carom_study_draw(study, n);
        for (size_t k = 0; k < count; k++) {
            const char *complaint = carom_study_measure(study, subjects[k].variant, &subjects[k].tally);
            if (complaint != NULL) {
                die(complaint, "");
            }
        }
        done += n;
        show_progress(which, precision, done, o->cases);
    }
    show_progress(which, precision, done, done);
    carom_study_free(study);
    return done;
}

int main(int argc, char **argv)
{
    static const carom_precision precisions[] = {CAROM_F32, CAROM_F64};
    static subject subjects[CAROM_TOI_VARIANTS];
    const options o = parse(argc, argv);
    const size_t count = choose(&o, subjects);
    FILE *json = o.json == NULL ? NULL : strcmp(o.json, "-") == 0 ? stdout : fopen(o.json, "w");
    FILE *text = json == stdout ? stderr : stdout;
    bool kept = true, first = true;
    if (o.json != NULL && json == NULL) {
        die("cannot write ", o.json);
    }
    sigaction(SIGINT, &(struct sigaction){.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND}, NULL);
    fprintf(text, "time of impact against %d bits: carom %s, seed %llu\n%s\n", MPFR_TOI_BITS, carom_version(),
            (unsigned long long)o.seed, carom_build_info());
    if (json != NULL) {
        fputs("[", json);
    }
    for (size_t p = 0; p < 2; p++) {
        for (distribution which = 0; which < DISTRIBUTIONS && interrupted == 0; which++) {
            const uint64_t done = run(&o, which, precisions[p], subjects, count);
            print_head(text, which, precisions[p], done);
            for (size_t k = 0; k < count; k++) {
                const bool promised = is_promised(&subjects[k], which);
                print_row(text, subjects[k].name, &subjects[k].tally, o.worst || !promised);
                kept = kept && promised;
                if (json != NULL) {
                    write_object(json, first, subjects[k].name, which, precisions[p], &subjects[k].tally);
                    first = false;
                }
            }
            fflush(text);
        }
    }
    if (json != NULL && (fputs("\n]\n", json) == EOF || fclose(json) != 0)) {
        die("cannot write the results", "");
    }
    if (!kept) {
        fprintf(text, "\nA promise is broken: see the pairs above.\n");
    }
    if (interrupted != 0) {
        fprintf(text, "\nInterrupted.\n");
        return 130;
    }
    return kept ? 0 : 1;
}
