/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `profrender check` found: every rule with its numbers, and for each that was broken the reason, worst first,
 * with the functions that did it. How it is reported is the business of cli/check/verdict_*.c.
 *
 * Arenas of pymalloc are compared separately, because who filled them was not recorded: no function is blamed for one,
 * and they are not a leak. Only a limit on the whole of a metric other than `leaked` counts them, as they are memory
 * that the run needs.
 */
#ifndef PR_CLI_CHECK_VERDICT_H
#define PR_CLI_CHECK_VERDICT_H

#include "profrender/buf.h"
#include "profrender/diff.h"
#include "profrender/string_table.h"
#include "cli/check/chance.h"
#include "cli/check/check_figures.h"
#include "cli/check/check_insights.h"
#include "cli/check/check_phases.h"
#include "cli/check/check_rules.h"
#include "cli/check/trend.h"
#include "capture/base/bounds.h"
#include "capture/parse/changes.h"
#include "cli/io/output.h"
#include "render/words/units.h"

enum { PR_MOST_CULPRITS = 5 };

/* A function, and what it had and has. */
struct pr_culprit {
    pr_str function, file; /* of the difference's profile */
    uint32_t code;         /* as in pr_diff_row; 0: no function */
    int32_t line;          /* 0 = unknown */
    bool is_arenas;        /* no function: arenas of pymalloc */
    int64_t before, after; /* BEFORE: the median of the baselines; 0 without one */
    bool has_repeated;     /* all of several baselines had the same */
    enum pr_touch touch;   /* by the change under review, where it is known */
    struct pr_diff_path path; /* on which it grew; no steps: unknown */
};

enum pr_rule_kind {
    PR_RULE_MAX,        /* a limit for the whole */
    PR_RULE_BUDGET,     /* a limit for a function or file */
    PR_RULE_REGRESSION, /* the whole, against the baseline */
    PR_RULE_FUNCTION,   /* a function, against the baseline */
    PR_RULE_EVERY_RUN,  /* a function, against each of the last runs */
    PR_RULE_INSIGHT     /* what `explain` found */
};

/* What grows in each of the last runs, of PR_RULE_EVERY_RUN. */
struct pr_every_run {
    size_t runs;    /* that have more than the one before, the input too; 0: another rule */
    int64_t least;  /* growth of any of them; 0: nothing grew in each */
    double percent; /* more than this is growth */
};

/* A rule that was applied. */
struct pr_finding {
    enum pr_rule_kind kind;
    const struct pr_metric *metric; /* of its values */
    bool is_count;                  /* they are counts of it */
    const char *pattern;            /* PR_RULE_BUDGET */
    const char *asked;              /* its limit, as the user wrote it; NULL: it comes from the baselines */
    bool no_match;                  /* nothing matches the pattern */
    bool has_before;
    struct pr_baseline_values history;      /* of the baselines */
    int64_t after;
    struct pr_bounds bounds;        /* both are the same for a limit that was given */
    enum pr_answer answer;
    enum pr_doubt doubt;            /* of PR_CANNOT_TELL */
    int64_t arenas;                 /* bytes in arenas of pymalloc that AFTER leaves out */
    struct pr_trend trend;          /* of the whole of a metric, where there is a history; count 0: there is none */
    struct pr_rise rise;            /* steps above 0: BEFORE and AFTER are levels, and it is the rise between them */
    struct pr_every_run grew;       /* its BEFORE is what the first run had */
    struct pr_culprit culprit[PR_MOST_CULPRITS]; /* those that did it, most first; of the function itself */
    size_t culprit_count;
    struct pr_culprit ancestor; /* that explains them, with all that it called; no name, no file: there is none */
    const struct pr_check_insight *insight; /* PR_RULE_INSIGHT: borrowed from the verdict */
    bool has_cause;                 /* one before it has the same cause: it is not an alarm of its own */
};

struct pr_verdict {
    const struct pr_diff *diff;   /* the input first, then the baselines */
    struct pr_figures *figures;   /* [1 + baseline_count] of the runs as a whole, in the same order */
    struct pr_chance chance;      /* of any of them */
    struct pr_baseline_values worked;     /* time of processors in the baselines; none: not known of all */
    int64_t worked_ns;            /* in the input */
    struct pr_check_insights insights;    /* what `explain` found in the input, of the rules asked for */
    struct pr_check_phases phases;        /* figures of phases that rules ask for */
    char *failure;                /* how the run failed, owned; NULL: it did not, or that is unknown */
    const char *input;            /* its name */
    char *run_name;               /* what its run was called, owned; NULL: it has no name, or several inputs do */
    const struct pr_changes *changes; /* of the code, borrowed; NULL: not known */
    const char *card_url;         /* where the card of the input is; NULL: not known */
    const char *root;             /* the folder that files in reports are relative to */
    const char *const *baselines; /* [baseline_count] their names */
    size_t baseline_count;
    uint32_t *order;              /* [baseline_count] their numbers; of a history oldest first; owned */
    bool is_history;              /* the order of baselines counts, and those that failed are left out */
    const char **notes; /* [note_count] what to know about the verdict, a sentence each; borrowed from `noted` */
    size_t note_count, note_capacity;
    struct pr_strings noted; /* the same, to be found: there can be as many as functions */
    struct pr_finding *finding; /* [count] broken ones first, worst first; then the undecided; then others */
    size_t count, capacity;
    size_t broken, untold; /* of these */
    size_t causes;         /* of those that are broken: places that did it, and findings without one */
};

/*
 * Applies RULES to VERDICT, which has everything but its findings. Owner: pr_verdict_clear.
 * Returns 0, or an exit status with the reason reported: a rule that cannot be applied gives no verdict.
 */
int pr_verdict_make(struct pr_verdict *verdict, const struct pr_rules *rules);
void pr_verdict_clear(struct pr_verdict *verdict);

/* Adds a note, once. False: no memory. */
bool pr_verdict_note(struct pr_verdict *verdict, const char *format, ...) PR_PRINTF(2, 3);

/* ---- words for reports: cli/check/verdict_words.c --------------------------------------------------------------- */

/* Its name for machines: "max-peak", "budget-peak:features.py", "regression-leaked", "function-peak". */
void pr_finding_name(struct pr_buf *buf, const struct pr_finding *finding);

/* The same for the same rule and place, whatever the figures: platforms use it to find what is new. */
void pr_finding_fingerprint(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding);

/* A value of it as people read it, and a change. */
struct pr_figure pr_finding_figure(const struct pr_finding *finding, int64_t value);
struct pr_figure pr_finding_change(const struct pr_finding *finding, int64_t change);

/* The name of the run with that INDEX in its trend; the input's for the one after all of the history. */
const char *pr_finding_run(const struct pr_verdict *verdict, const struct pr_finding *finding, size_t index);

/* The commit of that run; empty: not known. */
struct pr_text pr_finding_commit(const struct pr_verdict *verdict, const struct pr_finding *finding, size_t index);

/* What an alarm is about: the common ancestor, or else the first to blame; NULL: nobody is. */
const struct pr_culprit *pr_finding_place(const struct pr_finding *finding);

/* Its limit: as the user wrote it, where that is a figure with a unit. */
struct pr_figure pr_finding_limit(const struct pr_finding *finding);

/* "peak: 22.0 MiB, +10 % (+2.00 MiB) from 20.0 MiB; the limit is 20.6 MiB"; of a function, its name and place first. */
void pr_finding_sentence(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding);

/* The same with the function that did it most in front: "load: peak: 22.0 MiB, ..." */
void pr_finding_message(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding);

/* "main > train > ... > load": how the one that did it most was called; nothing if nobody called it, or unknown. */
void pr_finding_path(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding);

/* "also peak: 22.0 MiB, ...", a line for each finding after a broken one that has the same cause. */
void pr_finding_also(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding);

/* Why it cannot be told: "the baselines spread by 31 %, from 10.0 MiB to 13.1 MiB (monday.bin)". */
void pr_finding_doubt(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding);

/* How noisy the value is, from two baselines or more: by how much they differ, "0.004 %" or "none". */
void pr_finding_noise(struct pr_buf *buf, const struct pr_finding *finding);

/* "2 of 3 rules broken by 1 cause, cannot tell of 1" */
void pr_verdict_summary(struct pr_buf *buf, const struct pr_verdict *verdict);

/* The function of a culprit, or what is shown for one without; its file, relative to the root if it is below it. */
struct pr_text pr_culprit_function(const struct pr_verdict *verdict, const struct pr_culprit *culprit);
/* The function for people: "load › list comprehension". */
struct pr_text pr_culprit_shown(const struct pr_verdict *verdict, const struct pr_culprit *culprit);
struct pr_text pr_culprit_file(const struct pr_verdict *verdict, const struct pr_culprit *culprit);

/* Whether it has a limit: what no function broke in every run has none. */
bool pr_finding_has_limit(const struct pr_finding *finding);

/* How much more it has than it had, held at the end of the range. */
int64_t pr_culprit_change(const struct pr_culprit *culprit);

/* ---- reports ---------------------------------------------------------------------------------------------------- */

/* A format that --report can write. */
struct pr_report_format {
    const char *name;
    bool appends; /* to what a file contains: "markdown+=FILE" */
    void (*write)(struct pr_output *out, const struct pr_verdict *verdict);
};
extern const struct pr_report_format pr_report_formats[]; /* ends with an entry without a name */

void pr_verdict_write_json(struct pr_output *out, const struct pr_verdict *verdict);
void pr_verdict_write_junit(struct pr_output *out, const struct pr_verdict *verdict);
void pr_verdict_write_github(struct pr_output *out, const struct pr_verdict *verdict);
void pr_verdict_write_markdown(struct pr_output *out, const struct pr_verdict *verdict);
void pr_verdict_write_codequality(struct pr_output *out, const struct pr_verdict *verdict);
void pr_verdict_write_openmetrics(struct pr_output *out, const struct pr_verdict *verdict);
void pr_verdict_write_sarif(struct pr_output *out, const struct pr_verdict *verdict);
void pr_verdict_write_bencher(struct pr_output *out, const struct pr_verdict *verdict);
void pr_verdict_write_benchmark(struct pr_output *out, const struct pr_verdict *verdict);

#endif
