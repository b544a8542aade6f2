/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `profrender check` found: every rule with its numbers, and for each that was broken the reason, worst first,
 * with the functions that did it. How it is reported is the business of cli/verdict_*.c.
 */
#ifndef PR_CLI_CHECK_VERDICT_H
#define PR_CLI_CHECK_VERDICT_H

#include "profrender/buf.h"
#include "profrender/diff.h"
#include "cli/check/check_figures.h"
#include "cli/check/check_rules.h"
#include "cli/io/output.h"
#include "render/words/units.h"

enum { PR_MOST_CULPRITS = 5 };

/* A function, and what it had and has. */
struct pr_culprit {
    pr_str function, file; /* of the difference's profile */
    int32_t line;          /* 0 = unknown */
    int64_t before, after; /* BEFORE: the median of the baselines; 0 without one */
};

enum pr_rule_kind {
    PR_RULE_MAX,        /* a limit for the whole */
    PR_RULE_BUDGET,     /* a limit for a function or file */
    PR_RULE_REGRESSION, /* the whole, against the baseline */
    PR_RULE_FUNCTION    /* a function, against the baseline */
};

/* A rule that was applied. */
struct pr_finding {
    enum pr_rule_kind kind;
    const struct pr_metric *metric; /* that its values are of */
    bool is_count;                  /* they are counts of it */
    const char *pattern;            /* PR_RULE_BUDGET */
    bool has_before;
    int64_t before, spread; /* median and spread of the baselines; SPREAD is 0 for fewer than three */
    int64_t after, limit;
    bool broken;
    struct pr_culprit culprit[PR_MOST_CULPRITS]; /* those that did it, most first; of the function itself */
    size_t culprit_count;
};

struct pr_verdict {
    const struct pr_diff *diff;   /* the input first, then the baselines */
    struct pr_figures *figures;   /* [1 + baseline_count] of the runs as a whole, in the same order */
    const char *input;            /* its name */
    const char *root;             /* what files in reports are told from: a folder */
    const char *const *baselines; /* [baseline_count] their names */
    size_t baseline_count;
    const char *notes[4]; /* [note_count] what to know about the verdict, a sentence each */
    size_t note_count;
    struct pr_finding *finding; /* [count] broken ones first, worst first; then the others in the order of the rules */
    size_t count, capacity;
    size_t broken;
};

/*
 * Applies RULES to VERDICT, which has everything but its findings. Owner: pr_verdict_clear.
 * Returns 0, or an exit status with the reason said: a rule that cannot be applied is no verdict.
 */
int pr_verdict_make(struct pr_verdict *verdict, const struct pr_rules *rules);
void pr_verdict_clear(struct pr_verdict *verdict);

/* ---- for reports ------------------------------------------------------------------------------------------------ */

/* Its name for machines: "max-peak", "budget-peak:features.py", "regression-leaked", "function-peak". */
void pr_finding_name(struct pr_buf *buf, const struct pr_finding *finding);

/* A value of it as people read it, and a change. */
struct pr_figure pr_finding_figure(const struct pr_finding *finding, int64_t value);
struct pr_figure pr_finding_change(const struct pr_finding *finding, int64_t change);

/* "peak: 22.0 MiB, +10 % over 20.0 MiB before; the limit is 20.6 MiB" */
void pr_finding_sentence(struct pr_buf *buf, const struct pr_finding *finding);

/* The function of a culprit, or what stands for one that has none; its file, from the root on if it lies below it. */
struct pr_text pr_culprit_function(const struct pr_verdict *verdict, const struct pr_culprit *culprit);
struct pr_text pr_culprit_file(const struct pr_verdict *verdict, const struct pr_culprit *culprit);

/* How much more it has than it had, held at the end of the range. */
int64_t pr_culprit_change(const struct pr_culprit *culprit);

/* A format that --report can write. */
struct pr_report_format {
    const char *name;
    void (*write)(struct pr_output *out, const struct pr_verdict *verdict);
};
extern const struct pr_report_format pr_report_formats[]; /* ends with an entry without a name */

void pr_verdict_write_json(struct pr_output *out, const struct pr_verdict *verdict);
void pr_verdict_write_junit(struct pr_output *out, const struct pr_verdict *verdict);
void pr_verdict_write_github(struct pr_output *out, const struct pr_verdict *verdict);
void pr_verdict_write_markdown(struct pr_output *out, const struct pr_verdict *verdict);
void pr_verdict_write_codequality(struct pr_output *out, const struct pr_verdict *verdict);
void pr_verdict_write_openmetrics(struct pr_output *out, const struct pr_verdict *verdict);

#endif
