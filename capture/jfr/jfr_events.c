/* SPDX-License-Identifier: Apache-2.0 */
/* Each event is looked up by the number of its type, and read only if its kind is in a table. */
#include "capture/jfr/jfr_events.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/base/text.h"
#include "capture/jfr/jfr_native_memory.h"

#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static const struct pr_jfr_event_kind *kind_of(struct pr_text name)
{
    for (const struct pr_jfr_event_kind *kind = pr_jfr_stack_kinds; kind->name; kind++)
        if (pr_text_is(name, kind->name))
            return kind;
    for (const struct pr_jfr_event_kind *kind = pr_jfr_series_kinds; kind->name; kind++)
        if (pr_text_is(name, kind->name))
            return kind;
    return NULL;
}

static const char *role_name(const struct pr_jfr_event_kind *kind, enum pr_jfr_role role)
{
    static const char *const shared[] = {"startTime", "duration", "eventThread", "stackTrace"};
    if (role >= PR_JFR_A)
        return kind->own[role - PR_JFR_A];
    return role == PR_JFR_THREAD && kind->thread_name ? kind->thread_name : shared[role];
}

/* What of SEEN is the same for all events of its type. */
static void bind(const struct pr_jfr *r, uint32_t type, const struct pr_jfr_event_kind *kind, struct pr_jfr_seen *seen)
{
    *seen = (struct pr_jfr_seen){.kind = kind, .type = type};
    for (unsigned role = 0; role < PR_JFR_ROLES; role++) {
        const char *name = role_name(kind, role);
        seen->field[role] = name ? pr_jfr_field_of(&r->types, type, name) : PR_NO_ID;
        if (seen->field[role] != PR_NO_ID)
            seen->fields[role] = &r->types.fields[r->types.types[type].first_field + seen->field[role]];
    }
}

static void take_event(struct pr_jfr *r, struct pr_jfr_seen *seen, struct pr_jfr_bytes bytes)
{
    struct pr_jfr_value values[PR_JFR_MAX_VALUES];
    pr_jfr_values(&r->types, seen->type, &bytes, values);
    if (bytes.failed) {
        pr_build_damage_at(&r->c, PR_DAMAGE_RECORDS, r->chunk.offset + (uint64_t)(bytes.end - r->chunk.bytes));
        return;
    }
    for (unsigned role = 0; role < PR_JFR_ROLES; role++)
        if (seen->fields[role])
            seen->values[role] = values[seen->field[role]];
    seen->all = values;
    seen->kind->take(r, seen);
    seen->all = NULL;
    const int64_t at_ns = pr_jfr_seen_time(r, seen, PR_JFR_START);
    if (at_ns > r->facts.last_ns)
        r->facts.last_ns = at_ns;
}

struct bound {
    uint16_t *number;         /* [types] of the seen + 1; 0: not read */
    struct pr_jfr_seen *seen; /* [count] */
    size_t capacity;
    uint16_t count;
};

static bool bind_all(struct pr_jfr *r, struct bound *bound)
{
    const uint32_t types = r->types.ids.count;
    bound->number = calloc(types + (size_t)1, sizeof *bound->number);
    for (uint32_t i = 0; i < types && bound->number && bound->count < UINT16_MAX; i++) {
        const struct pr_jfr_event_kind *kind = kind_of(r->types.types[i].name);
        if (!kind || r->types.types[i].kind != PR_JFR_FIELDS)
            continue;
        if (!pr_grow(&bound->seen, &bound->capacity, bound->count + (size_t)1, sizeof *bound->seen))
            return false;
        bind(r, i, kind, &bound->seen[bound->count++]);
        bound->number[i] = bound->count;
    }
    return bound->number;
}

static void take_all(struct pr_jfr *r, struct bound *bound, bool settings)
{
    struct pr_jfr_bytes rest = pr_jfr_chunk_events(&r->chunk);
    struct pr_jfr_event event;
    while (pr_build_going(&r->c) && pr_jfr_next_event(&rest, &event)) {
        const uint32_t type = pr_jfr_type_by_id(&r->types, event.type);
        const uint16_t number = type != PR_NO_ID ? bound->number[type] : 0;
        const struct pr_jfr_event_kind *kind = number ? bound->seen[number - 1].kind : NULL;
        r->facts.has_weights |= kind && kind->is_weight;
        if (kind && kind->is_setting == settings)
            take_event(r, &bound->seen[number - 1], event.bytes);
    }
}

void pr_jfr_take_events(struct pr_jfr *r)
{
    struct bound bound = {0};
    r->facts.has_weights = false;
    if (bind_all(r, &bound)) {
        take_all(r, &bound, true);
        take_all(r, &bound, false);
        pr_jfr_native_chunk(r);
    } else {
        pr_build_no_memory(&r->c);
    }
    free(bound.number);
    free(bound.seen);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static size_t rank(const char *name)
{
    size_t at = 0;
    if (!strcmp(name, PR_JFR_COUNTED))
        return 0; /* instead of the first one */
    while (pr_jfr_stack_kinds[at].name &&
           (!pr_jfr_stack_kinds[at].metric.name || strcmp(pr_jfr_stack_kinds[at].metric.name, name) != 0))
        at++;
    return at;
}

static int compare_metrics(const void *a, const void *b, const void *context)
{
    const struct pr_built_metric *x = a, *y = b;
    (void)context;
    return PR_ORDER(rank(x->name), rank(y->name));
}

void pr_jfr_order_metrics(struct pr_jfr *r)
{
    if (r->c.metric_count && !pr_sort(r->c.metrics, r->c.metric_count, sizeof *r->c.metrics, compare_metrics, NULL))
        pr_build_no_memory(&r->c);
}
