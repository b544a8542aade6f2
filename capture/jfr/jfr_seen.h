/* SPDX-License-Identifier: Apache-2.0 */
/* An event that was read: its kind, and its values by the part that they have in it. */
#ifndef PR_CAPTURE_JFR_JFR_SEEN_H
#define PR_CAPTURE_JFR_JFR_SEEN_H

#include "capture/jfr/jfr.h"

/* Values that several kinds have, and three of a kind's own. */
enum pr_jfr_role {
    PR_JFR_START,
    PR_JFR_DURATION,
    PR_JFR_THREAD,
    PR_JFR_STACK,
    PR_JFR_A,
    PR_JFR_B,
    PR_JFR_C,
    PR_JFR_ROLES
};

struct pr_jfr_seen;

struct pr_jfr_event_kind {
    const char *name;
    void (*take)(struct pr_jfr *r, const struct pr_jfr_seen *event);
    const char *own[3];      /* names of its own values; NULL: it has fewer */
    const char *thread_name; /* of the value with the thread; NULL: "eventThread" */
    struct {
        const char *name, *title;
        enum pr_unit unit;
        const char *count_name;
    } metric;           /* what it adds to; name NULL: to none */
    const char *about;  /* what its first own value, a class, is to it: "new"; NULL: the stack is all */
    bool is_setting;    /* taken before all others of the chunk */
    bool is_weight;     /* of allocations: those of other kinds in the same chunk are the same ones */
};

/* An event that was read. */
struct pr_jfr_seen {
    const struct pr_jfr_event_kind *kind;
    const struct pr_jfr_field *fields[PR_JFR_ROLES]; /* NULL: its type has none */
    struct pr_jfr_value values[PR_JFR_ROLES];
    uint32_t type;
    uint32_t field[PR_JFR_ROLES]; /* numbers within the type, for pr_jfr_text */
    const struct pr_jfr_value *all; /* values by these numbers */
};

/* What the value is as a time span or a moment in ns, by its unit; 0 without one. */
int64_t pr_jfr_seen_span(const struct pr_jfr *r, const struct pr_jfr_seen *event, enum pr_jfr_role role);
int64_t pr_jfr_seen_time(const struct pr_jfr *r, const struct pr_jfr_seen *event, enum pr_jfr_role role);

/* The number of the value; 0 without one. */
int64_t pr_jfr_seen_number(const struct pr_jfr_seen *event, enum pr_jfr_role role);

#endif
