/* SPDX-License-Identifier: Apache-2.0 */
/* Times by the units that their types have. */
#include "capture/jfr/jfr_seen.h"

#include "capture/base/time.h"

int64_t pr_jfr_seen_number(const struct pr_jfr_seen *event, enum pr_jfr_role role)
{
    return event->fields[role] ? event->values[role].number : 0;
}

int64_t pr_jfr_seen_span(const struct pr_jfr *r, const struct pr_jfr_seen *event, enum pr_jfr_role role)
{
    const int64_t number = pr_jfr_seen_number(event, role);
    int64_t factor = 1, ns;
    switch (event->fields[role] ? event->fields[role]->unit : PR_JFR_PLAIN) {
    case PR_JFR_TICKS: return pr_jfr_span_ns(&r->chunk, number);
    case PR_JFR_MICROSECONDS: factor = PR_NS_PER_MS / 1000; break;
    case PR_JFR_MILLISECONDS: factor = PR_NS_PER_MS; break;
    case PR_JFR_SECONDS: factor = PR_NS_PER_S; break;
    case PR_JFR_PLAIN:
    case PR_JFR_NANOSECONDS: break;
    }
    if (__builtin_mul_overflow(number, factor, &ns))
        return number < 0 ? INT64_MIN : INT64_MAX;
    return ns;
}

/* A moment is in ticks unless its type says otherwise; what is not annotated is so, too. */
int64_t pr_jfr_seen_time(const struct pr_jfr *r, const struct pr_jfr_seen *event, enum pr_jfr_role role)
{
    const struct pr_jfr_field *field = event->fields[role];
    if (field && field->unit > PR_JFR_TICKS)
        return pr_jfr_seen_span(r, event, role);
    return pr_jfr_time_ns(&r->chunk, pr_jfr_seen_number(event, role));
}
