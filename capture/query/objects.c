/* SPDX-License-Identifier: Apache-2.0 */
/* Facts with objects, grouped by their call path; the lives of a group are added up by length. */
#include "profrender/objects.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <stdlib.h>
#include <string.h>

struct gathering {
    const struct pr_profile *profile;
    const int64_t *created, *alive; /* [fact_count] */
    size_t *facts;                  /* [fact_count] those with objects, by call path */
    size_t count;
    size_t *first_life;             /* [fact_count + 1] into profile->objects.lives */
    struct pr_life *lives;          /* [profile->objects.life_count] room for those of a path */
};

static bool finds(const struct pr_profile *profile, const char *name, unsigned *metric)
{
    for (unsigned i = 0; i < profile->metric_count; i++) {
        const struct pr_metric *one = &profile->metrics[i];
        if (one->unit == PR_UNIT_COUNT && !one->base && pr_metric_is_of_heap(profile, one) &&
            !strcmp(one->name, name)) {
            *metric = i;
            return true;
        }
    }
    return false;
}

bool pr_profile_has_objects(const struct pr_profile *profile)
{
    unsigned metric;
    return finds(profile, "objects", &metric) && finds(profile, "objects_alive", &metric);
}

static int compare_paths(const void *a, const void *b, const void *context)
{
    const struct pr_profile *profile = context;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const int order = PR_ORDER(profile->fact_leaf[x], profile->fact_leaf[y]);
    return order ? order : PR_ORDER(x, y);
}

static int compare_lengths(const void *a, const void *b, const void *context)
{
    const struct pr_life *x = a, *y = b;
    (void)context;
    return PR_ORDER(x->lived_ms, y->lived_ms);
}

static int compare_rows(const void *a, const void *b, const void *context)
{
    const struct pr_object_row *x = a, *y = b;
    (void)context;
    int order = PR_ORDER(y->created, x->created);
    order = order ? order : PR_ORDER(y->alive, x->alive);
    return order ? order : PR_ORDER(x->leaf, y->leaf);
}

static void find_first_lives(struct gathering *g)
{
    const struct pr_objects *objects = &g->profile->objects;
    size_t at = 0;
    for (size_t fact = 0; fact <= g->profile->fact_count; fact++) {
        while (at < objects->life_count && objects->lives[at].fact < fact)
            at++;
        g->first_life[fact] = at;
    }
}

static bool gather(struct gathering *g)
{
    const struct pr_profile *profile = g->profile;
    g->facts = malloc((profile->fact_count + 1) * sizeof *g->facts);
    g->first_life = malloc((profile->fact_count + 1) * sizeof *g->first_life);
    g->lives = malloc((profile->objects.life_count + 1) * sizeof *g->lives);
    if (!g->facts || !g->first_life || !g->lives)
        return false;
    for (size_t i = 0; i < profile->fact_count; i++) {
        if (g->created[i] || g->alive[i])
            g->facts[g->count++] = i;
    }
    find_first_lives(g);
    return pr_sort(g->facts, g->count, sizeof *g->facts, compare_paths, profile);
}

/* The COUNT lives of a path, in g->lives, as the figures of its row. */
static bool measure(const struct gathering *g, size_t count, struct pr_object_row *row)
{
    uint32_t longest_ms = 0;
    for (size_t i = 0; i < count; i++) {
        row->destroyed += g->lives[i].count;
        longest_ms = g->lives[i].longest_ms > longest_ms ? g->lives[i].longest_ms : longest_ms;
    }
    if (!row->destroyed)
        return true;
    if (!pr_sort(g->lives, count, sizeof *g->lives, compare_lengths, NULL))
        return false;
    size_t middle = 0;
    for (uint64_t seen = g->lives[0].count; seen < row->destroyed - row->destroyed / 2;)
        seen += g->lives[++middle].count;
    row->median_ms = (struct pr_maybe){true, g->lives[middle].lived_ms};
    row->longest_ms = (struct pr_maybe){true, longest_ms};
    return true;
}

/* The row of the path whose facts begin at FACTS[AT]; *NEXT: where those of the next path do. */
static bool make_row(const struct gathering *g, size_t at, struct pr_object_row *row, size_t *next)
{
    const struct pr_profile *profile = g->profile;
    size_t lives = 0;
    *row = (struct pr_object_row){.leaf = profile->fact_leaf[g->facts[at]]};
    for (; at < g->count && profile->fact_leaf[g->facts[at]] == row->leaf; at++) {
        const size_t fact = g->facts[at];
        row->created = pr_add_saturated(row->created, g->created[fact]);
        row->alive = pr_add_saturated(row->alive, g->alive[fact]);
        for (size_t i = g->first_life[fact]; i < g->first_life[fact + 1]; i++)
            g->lives[lives++] = profile->objects.lives[i];
    }
    *next = at;
    return measure(g, lives, row);
}

static bool make_rows(const struct gathering *g, struct pr_object_table *table)
{
    table->row = malloc((g->count + 1) * sizeof *table->row);
    if (!table->row)
        return false;
    for (size_t at = 0; at < g->count;) {
        if (!make_row(g, at, &table->row[table->count++], &at))
            return false;
    }
    return pr_sort(table->row, table->count, sizeof *table->row, compare_rows, NULL);
}

enum pr_status pr_object_table_make(const struct pr_profile *profile, struct pr_object_table *table,
                                    struct pr_error *err)
{
    unsigned objects, alive;
    *table = (struct pr_object_table){0};
    if (!finds(profile, "objects", &objects) || !finds(profile, "objects_alive", &alive))
        return PR_OK;
    struct gathering g = {.profile = profile, .created = profile->metrics[objects].value,
                          .alive = profile->metrics[alive].value};
    const bool good = gather(&g) && make_rows(&g, table);
    free(g.facts);
    free(g.first_life);
    free(g.lives);
    return good ? PR_OK : pr_fail_memory(err);
}

void pr_object_table_clear(struct pr_object_table *table)
{
    free(table->row);
    *table = (struct pr_object_table){0};
}
