/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that grow while the profile is made; its arena takes them over at the end. */
#include "tests/support/profile_maker.h"

#include "capture/base/checked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METRICS_MAX = 16, SERIES_MAX = 16 };

struct value {
    size_t fact;
    int64_t value, count;
};

struct metric {
    struct pr_metric metric;
    struct value *values; /* [count] as they were given */
    size_t count, capacity;
};

struct series {
    struct pr_series series;
    int64_t *at_ms, *value; /* [series.count] */
    size_t at_capacity, value_capacity;
};

struct maker {
    struct pr_profile *profile;
    struct pr_frame *frames;
    size_t frame_capacity;
    pr_node_id *parent;
    pr_frame_id *node_frame;
    size_t parent_capacity, node_frame_capacity;
    struct pr_thread *threads;
    size_t thread_capacity;
    pr_node_id *leaf, *hybrid;
    uint32_t *thread;
    uint8_t *allocator;
    size_t leaf_capacity, hybrid_capacity, fact_thread_capacity, allocator_capacity;
    bool has_hybrid, has_allocators;
    struct metric metrics[METRICS_MAX];
    struct series series[SERIES_MAX];
};

static void *need(void *memory)
{
    if (!memory) {
        fputs("profile_maker: out of memory\n", stderr);
        abort();
    }
    return memory;
}

/* Room for one element more than COUNT. */
#define GROW(array, capacity, count)                                                                                   \
    need(pr_grow(&(array), &(capacity), (size_t)(count) + 1, sizeof *(array)) ? (void *)(array) : NULL)

struct maker *maker_new(void)
{
    struct maker *maker = need(calloc(1, sizeof *maker));
    maker->profile = need(calloc(1, sizeof *maker->profile));
    if (pr_strings_init(&maker->profile->strings, NULL) != PR_OK)
        need(NULL);
    maker->profile->complete = true;
    maker->profile->meta.format = "made";
    maker->profile->meta.format_title = "made by hand";
    maker->profile->meta.python_allocator = "";
    maker_node(maker, PR_ROOT, 0);
    return maker;
}

pr_str maker_string(struct maker *maker, const char *text)
{
    pr_str string = pr_strings_add(&maker->profile->strings, text, strlen(text));
    if (string == PR_NO_STR)
        need(NULL);
    return string;
}

struct pr_meta *maker_meta(struct maker *maker)
{
    return &maker->profile->meta;
}

const pr_str *maker_paths(struct maker *maker, const char *const *texts, uint32_t *count)
{
    for (*count = 0; texts[*count];)
        ++*count;
    pr_str *paths = need(pr_arena_array(&maker->profile->arena, *count, sizeof *paths));
    for (uint32_t i = 0; i < *count; i++)
        paths[i] = maker_string(maker, texts[i]);
    return paths;
}

static pr_frame_id add_frame(struct maker *maker, struct pr_frame frame)
{
    GROW(maker->frames, maker->frame_capacity, maker->profile->frame_count);
    maker->frames[maker->profile->frame_count] = frame;
    return maker->profile->frame_count++;
}

pr_frame_id maker_frame(struct maker *maker, const char *function, const char *file, int32_t line, uint32_t kind)
{
    const struct pr_frame frame = {
        .function = maker_string(maker, function), .file = maker_string(maker, file), .line = line, .kind = kind};
    return add_frame(maker, frame);
}

pr_node_id maker_node(struct maker *maker, pr_node_id parent, pr_frame_id frame)
{
    struct pr_tree *tree = &maker->profile->tree;
    GROW(maker->parent, maker->parent_capacity, tree->count);
    GROW(maker->node_frame, maker->node_frame_capacity, tree->count);
    maker->parent[tree->count] = parent;
    maker->node_frame[tree->count] = frame;
    return tree->count++;
}

static pr_frame_id find_frame(struct maker *maker, struct pr_frame frame)
{
    for (pr_frame_id i = 0; i < maker->profile->frame_count; i++)
        if (!memcmp(&maker->frames[i], &frame, sizeof frame))
            return i;
    return add_frame(maker, frame);
}

static pr_node_id find_node(struct maker *maker, pr_node_id parent, pr_frame_id frame)
{
    for (pr_node_id i = 1; i < maker->profile->tree.count; i++)
        if (maker->parent[i] == parent && maker->node_frame[i] == frame)
            return i;
    return maker_node(maker, parent, frame);
}

pr_node_id maker_stack(struct maker *maker, const char *stack)
{
    pr_node_id node = PR_ROOT;
    char function[64], file[160];
    int line, length;
    for (; sscanf(stack, " %63[^@ ]@%159[^: ]:%d%n", function, file, &line, &length) == 3; stack += length) {
        struct pr_frame frame = {.function = maker_string(maker, function), .file = maker_string(maker, file),
                                 .line = line, .kind = PR_FRAME_PYTHON};
        node = find_node(maker, node, find_frame(maker, frame));
    }
    if (*stack) {
        fprintf(stderr, "profile_maker: not a stack: %s\n", stack);
        abort();
    }
    return node;
}

uint32_t maker_thread(struct maker *maker, uint64_t tid, const char *name)
{
    GROW(maker->threads, maker->thread_capacity, maker->profile->thread_count);
    maker->threads[maker->profile->thread_count] = (struct pr_thread){.tid = tid, .name = maker_string(maker, name)};
    return maker->profile->thread_count++;
}

unsigned maker_metric(struct maker *maker, const char *name, const char *title, enum pr_unit unit,
                      const char *count_name)
{
    struct metric *metric = need(maker->profile->metric_count < METRICS_MAX ? maker->metrics : NULL);
    metric[maker->profile->metric_count].metric =
        (struct pr_metric){.name = name, .title = title, .unit = unit, .count_name = count_name};
    return maker->profile->metric_count++;
}

size_t maker_fact(struct maker *maker, pr_node_id leaf, uint32_t thread, enum pr_allocator allocator)
{
    size_t fact = maker->profile->fact_count++;
    GROW(maker->leaf, maker->leaf_capacity, fact);
    GROW(maker->hybrid, maker->hybrid_capacity, fact);
    GROW(maker->thread, maker->fact_thread_capacity, fact);
    GROW(maker->allocator, maker->allocator_capacity, fact);
    maker->leaf[fact] = maker->hybrid[fact] = leaf;
    maker->thread[fact] = thread;
    maker->allocator[fact] = (uint8_t)allocator;
    maker->has_allocators |= allocator != PR_ALLOC_NONE;
    return fact;
}

void maker_hybrid(struct maker *maker, size_t fact, pr_node_id leaf)
{
    maker->hybrid[fact] = leaf;
    maker->has_hybrid = true;
}

void maker_value(struct maker *maker, size_t fact, unsigned metric, int64_t value, int64_t count)
{
    struct metric *m = &maker->metrics[metric];
    GROW(m->values, m->capacity, m->count);
    m->values[m->count++] = (struct value){fact, value, m->metric.count_name ? count : 0};
}

unsigned maker_series(struct maker *maker, const char *name, const char *title, enum pr_unit unit)
{
    struct series *series = need(maker->profile->series_count < SERIES_MAX ? maker->series : NULL);
    series[maker->profile->series_count].series = (struct pr_series){.name = name, .title = title, .unit = unit};
    return maker->profile->series_count++;
}

void maker_point(struct maker *maker, unsigned series, int64_t at_ms, int64_t value)
{
    struct series *s = &maker->series[series];
    GROW(s->at_ms, s->at_capacity, s->series.count);
    GROW(s->value, s->value_capacity, s->series.count);
    s->at_ms[s->series.count] = at_ms;
    s->value[s->series.count++] = value;
}

static void *take(struct maker *maker, void *memory)
{
    if (!pr_arena_take(&maker->profile->arena, memory))
        need(NULL);
    return memory;
}

static void finish_metric(struct maker *maker, struct metric *m)
{
    struct pr_arena *arena = &maker->profile->arena;
    int64_t *value = need(pr_arena_array(arena, maker->profile->fact_count, sizeof *value));
    int64_t *count = need(pr_arena_array(arena, maker->profile->fact_count, sizeof *count));
    for (size_t i = 0; i < m->count; i++) {
        value[m->values[i].fact] = m->values[i].value;
        count[m->values[i].fact] = m->values[i].count;
    }
    for (size_t i = 0; i < maker->profile->fact_count; i++) {
        m->metric.total_value = pr_add_saturated(m->metric.total_value, value[i]);
        m->metric.total_count = pr_add_saturated(m->metric.total_count, count[i]);
    }
    m->metric.value = value;
    m->metric.count = m->metric.count_name ? count : NULL;
    free(m->values);
}

static void finish_columns(struct maker *maker)
{
    struct pr_profile *profile = maker->profile;
    profile->frames = take(maker, maker->frames);
    profile->tree.parent = take(maker, maker->parent);
    profile->tree.frame = take(maker, maker->node_frame);
    profile->threads = take(maker, maker->threads);
    profile->fact_leaf = take(maker, maker->leaf);
    profile->fact_thread = take(maker, maker->thread);
    take(maker, maker->hybrid);
    take(maker, maker->allocator);
    profile->fact_hybrid = maker->has_hybrid ? maker->hybrid : NULL;
    profile->fact_allocator = maker->has_allocators ? maker->allocator : NULL;
}

struct pr_profile *maker_finish(struct maker *maker)
{
    struct pr_profile *profile = maker->profile;
    if (!profile->thread_count)
        maker_thread(maker, 1, "");
    struct pr_process *process = need(pr_arena_array(&profile->arena, 1, sizeof *process));
    profile->process_count = 1;
    profile->processes = process;
    finish_columns(maker);
    struct pr_metric *metrics = need(pr_arena_array(&profile->arena, METRICS_MAX, sizeof *metrics));
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        finish_metric(maker, &maker->metrics[i]);
        metrics[i] = maker->metrics[i].metric;
    }
    profile->metrics = metrics;
    struct pr_series *series = need(pr_arena_array(&profile->arena, SERIES_MAX, sizeof *series));
    for (uint32_t i = 0; i < profile->series_count; i++) {
        series[i] = maker->series[i].series;
        series[i].at_ms = take(maker, maker->series[i].at_ms);
        series[i].value = take(maker, maker->series[i].value);
    }
    profile->series = series;
    free(maker);
    return profile;
}
