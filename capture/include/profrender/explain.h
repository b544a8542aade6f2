/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a profile shows by itself: a table of rules looks at its figures. Each rule answers with sentences, or that all
 * is fine, or why it cannot judge. Card, terminal, JSON and Markdown print these sentences and nothing else.
 *
 *     struct pr_explanation explanation;
 *     if (pr_explain(profile, NULL, &explanation, &err) != PR_FAILED)
 *         for (size_t i = 0; i < explanation.count; i++)
 *             print(explanation.insight[i].headline.phrase);    // the most important first
 *     pr_explanation_clear(&explanation);
 *
 * A sentence is a list of phrases: words, and figures with their units, so that each caller writes figures as it writes
 * all others. No rule names a cause that the figures do not prove.
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_EXPLAIN_H
#define PR_API_EXPLAIN_H

#include "profrender/profile.h"

PR_DECLS_BEGIN

enum pr_phrase_kind {
    PR_PHRASE_END,      /* no phrase: ends a list */
    PR_PHRASE_TEXT,     /* text */
    PR_PHRASE_FUNCTION, /* the function of `frame` */
    PR_PHRASE_PLACE,    /* the file of `frame`, and a line of it: value; 0 = unknown */
    PR_PHRASE_NAME,     /* a name from the file: `name` */
    PR_PHRASE_AMOUNT,   /* value; `text`: where it comes from, or empty */
    PR_PHRASE_CHANGE,   /* value, with its sign */
    PR_PHRASE_SHARE,    /* value as a percentage of whole */
    PR_PHRASE_GROWTH,   /* from whole to value, in percent */
    PR_PHRASE_COUNT,    /* value, of what `text` names: "allocations" */
    PR_PHRASE_CORES,    /* value in thousandths of a core, with one decimal and without a unit: "0.8" */
    PR_PHRASE_MOMENT    /* value: milliseconds, as those of pr_series.at_ms */
};

struct pr_phrase {
    enum pr_phrase_kind kind;
    enum pr_unit unit;
    const struct pr_metric *metric; /* NULL: `unit` is all there is to know */
    struct pr_text text;
    pr_frame_id frame;
    pr_str name;
    int64_t value, whole;
};

/* Pieces in a row, without spaces between them. */
struct pr_sentence {
    struct pr_phrase *phrase; /* [count] */
    size_t count;
};

enum pr_severity {
    PR_SEVERITY_NOTE, /* good to know */
    PR_SEVERITY_LOW,
    PR_SEVERITY_MEDIUM, /* could save a fifth */
    PR_SEVERITY_HIGH    /* could save half, or ended the run */
};

#define PR_NO_METRIC UINT32_MAX

struct pr_insight {
    const struct pr_rule *rule;
    enum pr_severity severity;
    struct pr_sentence headline, rest; /* one after the other they are the sentence */
    uint32_t metric;             /* index of the metric it is about, or PR_NO_METRIC */
    pr_frame_id frame;           /* the function it is about, at its heaviest line; PR_NO_NODE: none */
    pr_node_id node;             /* where to show it in the tree; PR_NO_NODE: nowhere */
    struct pr_maybe from_ms, to_ms; /* the part of the run it is about; not known: all of it */
    enum pr_unit unit;
    struct pr_maybe saving;      /* what could be saved of `whole`, at most, in `unit`; not known: no estimate */
    int64_t whole;
    int64_t score;               /* importance: thousandths of a percent of the peak or of the time */
    bool is_of_none;             /* it says that what the rule looks for is not there: "no single function ..." */
    const char *proof;           /* arguments of profrender that print the figures; INPUT is the input; NULL: none */
};

enum pr_outcome { PR_OUTCOME_FINE, PR_OUTCOME_FOUND, PR_OUTCOME_NOT_JUDGED };

/* One rule, as people read it. */
struct pr_rule {
    const char *name;    /* "peak-holder" */
    const char *summary; /* what it looks for */
    const char *trigger; /* when it speaks, with its numbers */
};

struct pr_rule_outcome {
    const struct pr_rule *rule;
    enum pr_outcome outcome;
    const char *why; /* of PR_OUTCOME_NOT_JUDGED: a sentence without its full stop; else "" */
};

struct pr_explanation {
    struct pr_arena arena;
    struct pr_insight *insight; /* [count] the most important first; one for each cause */
    size_t count;
    struct pr_rule_outcome *outcome; /* [outcome_count] of every rule, in the order of the table */
    size_t outcome_count;
};

/* What the caller knows better. */
struct pr_explain_options {
    const bool *is_own; /* [frame_count] the user's own code; NULL: by profrender/owner.h */
    bool keep_repeated; /* also what a more precise rule reports about the same function */
};

/*
 * Judges PROFILE by all rules. OPTIONS may be NULL.
 *
 * Owner:  pr_explanation_clear, also after an error; it borrows from PROFILE.
 * Errors: PR_FAILED: out of memory.
 */
PR_API enum pr_status pr_explain(const struct pr_profile *profile, const struct pr_explain_options *options,
                                 struct pr_explanation *explanation, struct pr_error *err);
PR_API void pr_explanation_clear(struct pr_explanation *explanation);

/* The rule called NAME, or NULL. */
PR_API const struct pr_rule *pr_rule_find(const char *name);

/* Rule number I of the table; NULL past its end. */
PR_API const struct pr_rule *pr_rule_at(size_t i);

PR_DECLS_END

#endif
