/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles are taken in one after another: frames are looked up by function and file, paths by frames, and each metric
 * becomes a column over the paths known so far.
 */
#include "profrender/diff.h"

#include "capture/base/ascii.h"
#include "capture/base/checked.h"
#include "capture/compose/diff_internal.h"
#include "capture/model/functions.h"
#include "capture/model/nameless.h"
#include "capture/model/owner_settle.h"
#include "capture/parse/frame_text.h"
#include "profrender/owner.h"

#include <stdio.h>

static const uint64_t root_key = UINT64_MAX;

static bool copy_words(char **copy, const char *words)
{
    *copy = words ? strdup(words) : NULL;
    return *copy || !words;
}

enum pr_status pr_diff_new(struct pr_diff **diff, struct pr_error *err)
{
    struct pr_diff *d = *diff = calloc(1, sizeof *d);
    struct pr_diff_parts *parts = d ? d->parts = calloc(1, sizeof *parts) : NULL;
    if (!parts) {
        free(d);
        *diff = NULL;
        return pr_fail_memory(err);
    }
    parts->frames.words = 1;
    parts->nodes.words = 1;
    if (pr_strings_init(&parts->strings, err) != PR_FAILED && pr_samefile_init(&parts->same, err) != PR_FAILED &&
        pr_idset_add(&parts->nodes, &root_key, 1) == PR_ROOT)
        return PR_OK;
    pr_diff_free(d);
    *diff = NULL;
    return pr_fail_memory(err);
}

static void metric_clear(struct pr_diff_metric *metric)
{
    for (size_t i = 0; i < metric->column_count; i++) {
        free(metric->columns[i].value);
        free(metric->columns[i].count);
        free(metric->columns[i].arena);
        free(metric->columns[i].exact);
        free(metric->columns[i].at);
    }
    free(metric->columns);
    free(metric->lines);
    free(metric->name);
    free(metric->title);
    free(metric->count_name);
}

void pr_diff_free(struct pr_diff *diff)
{
    if (!diff)
        return;
    struct pr_diff_parts *parts = diff->parts;
    for (uint32_t i = 0; i < parts->metric_count; i++)
        metric_clear(&parts->metrics[i]);
    free(parts->metrics);
    pr_samefile_clear(&parts->same);
    pr_samefunction_clear(&parts->same_functions);
    pr_strings_clear(&parts->strings);
    pr_idset_clear(&parts->frames);
    pr_idset_clear(&parts->nodes);
    free(parts->frame);
    free(parts->is_own);
    free(parts->code);
    free(parts->site_packages);
    free(parts->format);
    free(parts->format_title);
    pr_diff_runs_clear(parts);
    pr_diff_objects_clear(parts);
    free(parts);
    pr_profile_free(diff->profile);
    free(diff);
}

/* ---- one profile on its way in ---------------------------------------------------------------------------------- */

struct incoming {
    struct pr_diff *diff;
    struct pr_diff_parts *parts;
    const struct pr_profile *profile;
    uint32_t *file;     /* [strings] numbers of files */
    uint64_t *name;     /* [frames] function, as a string of ours, and number of the file */
    uint32_t *function; /* [frames] as of pr_samefunction_add */
    pr_frame_id *frame; /* [frames] ours */
    pr_node_id *node;   /* [nodes] ours */
    pr_node_id *own;    /* [facts] as of pr_diff_own_leaves */
};

static pr_str add_string(struct pr_diff_parts *parts, const struct pr_profile *profile, pr_str string)
{
    struct pr_text text = pr_profile_text(profile, string);
    return pr_strings_add(&parts->strings, text.bytes, text.length);
}

/* "process 1234", which a merger puts above the stacks of a process: no other run has that number. */
static bool is_process(const struct pr_frame *frame, struct pr_text name)
{
    static const char start[] = "process ";
    return frame->kind == PR_FRAME_OTHER && name.length > strlen(start) && !memcmp(name.bytes, start, strlen(start)) &&
           pr_is_digit(name.bytes[strlen(start)]);
}

/* "thread (1234): MainThread" of a sampler: the number is another one in each run. */
static struct pr_text without_number(const struct pr_frame *frame, struct pr_text name)
{
    static const char start[] = "thread (";
    uint32_t i = (uint32_t)strlen(start);
    if (frame->file || name.length <= i || memcmp(name.bytes, start, i) || !pr_is_digit(name.bytes[i]))
        return name;
    while (i < name.length && pr_is_digit(name.bytes[i]))
        i++;
    const uint32_t rest = i + (uint32_t)strlen("): ");
    if (rest >= name.length || memcmp(name.bytes + i, "): ", strlen("): ")))
        return name;
    return (struct pr_text){name.bytes + rest, name.length - rest};
}

/* "load.<locals>.<listcomp>", as Python itself qualifies names: lines move, the function around one does not. */
static pr_str add_qualified(struct pr_diff_parts *parts, struct pr_text around, struct pr_text function)
{
    struct pr_buf name = {0};
    pr_buf_add(&name, around.bytes, around.length);
    pr_buf_text(&name, ".<locals>.");
    pr_buf_add(&name, function.bytes, function.length);
    const pr_str made = name.failed ? PR_NO_STR : pr_strings_add(&parts->strings, name.bytes, name.length);
    pr_buf_clear(&name);
    return made;
}

static pr_str add_function(struct pr_diff_parts *parts, const struct pr_profile *profile, pr_frame_id id)
{
    const struct pr_frame *frame = &profile->frames[id];
    if (profile->around && profile->around[id] != PR_NO_FRAME)
        return add_qualified(parts, pr_function_around(profile, id), pr_profile_text(profile, frame->function));
    const struct pr_text whole = pr_profile_text(profile, frame->function), text = without_number(frame, whole);
    struct pr_buf name = {0};
    if (is_process(frame, whole))
        return pr_strings_add(&parts->strings, "process", strlen("process"));
    if (!pr_text_without_addresses(text, &name))
        return pr_strings_add(&parts->strings, text.bytes, text.length);
    const pr_str made = name.failed ? PR_NO_STR : pr_strings_add(&parts->strings, name.bytes, name.length);
    pr_buf_clear(&name);
    return made;
}

/* Which functions the frames are of: by their names, and where a file has several of one name by their lines. */
static bool find_names(struct incoming *in)
{
    for (pr_frame_id i = 0; i < in->profile->frame_count; i++) {
        const pr_str function = add_function(in->parts, in->profile, i);
        if (function == PR_NO_STR)
            return false;
        in->name[i] = pr_pair(function, in->file[in->profile->frames[i].file]);
    }
    return pr_samefunction_add(&in->parts->same_functions, in->profile, in->name, in->function);
}

/* Gives frame number KNOWN, which is new and of function number FUNCTION, the code of that. False: no memory. */
static bool add_code(struct pr_diff_parts *parts, uint32_t known, uint32_t function)
{
    if (!pr_grow(&parts->code, &parts->code_capacity, known + (size_t)1, sizeof *parts->code))
        return false;
    parts->code[known] = known + 1;
    for (uint64_t kind = PR_FRAME_PYTHON; kind <= PR_FRAME_OTHER; kind++) {
        const uint64_t key = pr_pair(function, (uint32_t)kind);
        const uint32_t twin = pr_idset_find(&parts->frames, &key, 1);
        if (twin < known)
            parts->code[known] = parts->code[twin];
    }
    return true;
}

static bool add_frame(struct incoming *in, pr_frame_id id)
{
    struct pr_diff_parts *parts = in->parts;
    struct pr_frame frame = in->profile->frames[id];
    const uint32_t known = parts->frames.count;
    const uint64_t key = pr_pair(in->function[id], frame.kind);
    in->frame[id] = pr_idset_add(&parts->frames, &key, 1);
    if (in->frame[id] == PR_NO_ID)
        return false;
    if (parts->frames.count == known)
        return true;
    frame.file = add_string(parts, in->profile, frame.file);
    if (frame.file == PR_NO_STR ||
        !pr_grow(&parts->frame, &parts->frame_capacity, known + (size_t)1, sizeof *parts->frame) ||
        !pr_grow(&parts->is_own, &parts->own_capacity, known + (size_t)1, sizeof *parts->is_own) ||
        !add_code(parts, known, in->function[id]))
        return false;
    parts->frame[known] =
        (struct pr_frame){.function = pr_high(in->name[id]), .file = frame.file, .kind = frame.kind};
    parts->is_own[known] = pr_owner_of(in->profile, id) == PR_OWNER_MINE && !pr_role_of(in->profile, id) &&
                           !pr_is_comprehension(in->profile, id);
    return true;
}

static bool add_tree(struct incoming *in)
{
    const struct pr_tree *tree = &in->profile->tree;
    if (!find_names(in))
        return false;
    for (pr_frame_id i = 0; i < in->profile->frame_count; i++)
        if (!add_frame(in, i))
            return false;
    in->node[PR_ROOT] = PR_ROOT;
    for (pr_node_id i = 1; i < tree->count; i++) {
        const uint64_t key = pr_pair(in->node[tree->parent[i]], in->frame[tree->frame[i]]);
        in->node[i] = pr_idset_add(&in->parts->nodes, &key, 1);
        if (in->node[i] == PR_NO_ID)
            return false;
    }
    return true;
}

/* ---- metrics ---------------------------------------------------------------------------------------------------- */

/* Which accumulation points a heap has depends on shares of it: a new one may only have become large enough. */
static bool is_of_points(const struct pr_metric *metric)
{
    return pr_metric_is_of_objects(metric) && !strcmp(metric->name, "held_by");
}

/* The metrics of the first profile are looked for in all profiles. */
static bool take_metrics(struct pr_diff *diff, const struct pr_profile *profile)
{
    struct pr_diff_parts *parts = diff->parts;
    parts->metrics = calloc(profile->metric_count + (size_t)1, sizeof *parts->metrics);
    if (!parts->metrics)
        return false;
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        const struct pr_metric *metric = &profile->metrics[i];
        if (is_of_points(metric))
            continue;
        struct pr_diff_metric *made = &parts->metrics[parts->metric_count++];
        made->unit = metric->unit;
        made->decimals = metric->decimals;
        if (!copy_words(&made->name, metric->name) || !copy_words(&made->title, metric->title) ||
            !copy_words(&made->count_name, metric->count ? metric->count_name : NULL))
            return false;
    }
    return true;
}

static const struct pr_metric *find_metric(const struct pr_profile *profile, const struct pr_diff_metric *wanted)
{
    int index = pr_profile_metric(profile, wanted->name);
    const struct pr_metric *metric = index < 0 ? NULL : &profile->metrics[index];
    return metric && metric->unit == wanted->unit && metric->decimals == wanted->decimals ? metric : NULL;
}

static bool fill_exact(struct incoming *in, const struct pr_metric *metric, struct pr_diff_column *column)
{
    if (!metric->exact)
        return true;
    column->exact = calloc(column->frames + (size_t)1, sizeof *column->exact);
    for (size_t i = 0; column->exact && i < in->profile->exact_count; i++) {
        struct pr_exact *sum = &column->exact[in->frame[in->profile->exact_frame[i]]];
        pr_add_to(&sum->self, metric->exact[i].self);
        pr_add_to(&sum->total, metric->exact[i].total);
        pr_add_to(&sum->self_count, metric->exact[i].self_count);
        pr_add_to(&sum->total_count, metric->exact[i].total_count);
    }
    return column->exact != NULL;
}

static bool fill_column(struct incoming *in, uint32_t index, struct pr_diff_column *column)
{
    const struct pr_profile *profile = in->profile;
    const struct pr_metric *metric = &profile->metrics[index];
    column->nodes = in->parts->nodes.count;
    column->frames = in->parts->frames.count;
    column->value = calloc(column->nodes, sizeof *column->value);
    column->count = calloc(column->nodes, sizeof *column->count);
    column->arena = calloc(column->nodes, sizeof *column->arena);
    if (!column->value || !column->count || !column->arena)
        return false;
    column->arenas = pr_pymalloc_of(profile, index);
    for (size_t i = 0; i < profile->fact_count; i++) {
        const pr_node_id node = in->node[profile->fact_leaf[i]];
        pr_add_to(&column->value[node], metric->value[i]);
        pr_add_to(&column->count[node], metric->count ? metric->count[i] : 0);
        pr_add_to(&column->arena[node], pr_pymalloc_of_fact(profile, index, i).bytes);
    }
    return fill_exact(in, metric, column);
}

static bool find_own_leaves(struct incoming *in)
{
    const struct pr_profile *profile = in->profile;
    bool *is_own = calloc(profile->frame_count + (size_t)1, sizeof *is_own);
    for (pr_frame_id i = 0; is_own && i < profile->frame_count; i++)
        is_own[i] = in->parts->is_own[in->frame[i]];
    in->own = is_own ? pr_diff_own_leaves(profile, is_own) : NULL;
    free(is_own);
    return in->own;
}

static bool add_columns(struct incoming *in)
{
    struct pr_diff_parts *parts = in->parts;
    for (uint32_t i = 0; i < parts->metric_count; i++) {
        struct pr_diff_metric *metric = &parts->metrics[i];
        const struct pr_metric *found = find_metric(in->profile, metric);
        if (!pr_grow(&metric->columns, &metric->column_capacity, metric->column_count + 1, sizeof *metric->columns))
            return false;
        struct pr_diff_column *column = &metric->columns[metric->column_count++];
        *column = (struct pr_diff_column){0};
        metric->left_out |= !found;
        const uint32_t index = found ? (uint32_t)(found - in->profile->metrics) : 0;
        if (found && (!fill_column(in, index, column) || !pr_diff_take_lines(in->diff, metric, in->profile, index,
                                                                             in->frame, in->own)))
            return false;
    }
    return true;
}

/* ---- what is known of the run ----------------------------------------------------------------------------------- */

static bool take_meta(struct pr_diff_parts *parts, const struct pr_profile *profile)
{
    const struct pr_meta *meta = &profile->meta;
    parts->meta = (struct pr_meta){.command_line = add_string(parts, profile, meta->command_line),
                                   .stdlib_path = add_string(parts, profile, meta->stdlib_path),
                                   .pid = meta->pid,
                                   .start_ms = meta->start_ms,
                                   .end_ms = meta->end_ms,
                                   .end_is_last_sample = meta->end_is_last_sample,
                                   .python_version = meta->python_version,
                                   .site_packages_count = meta->site_packages_count};
    parts->site_packages = calloc(meta->site_packages_count + (size_t)1, sizeof *parts->site_packages);
    if (!parts->site_packages || parts->meta.command_line == PR_NO_STR || parts->meta.stdlib_path == PR_NO_STR)
        return false;
    for (uint32_t i = 0; i < meta->site_packages_count; i++) {
        parts->site_packages[i] = add_string(parts, profile, meta->site_packages[i]);
        if (parts->site_packages[i] == PR_NO_STR)
            return false;
    }
    return copy_words(&parts->format, meta->format) && copy_words(&parts->format_title, meta->format_title);
}

static struct pr_maybe span_of(const struct pr_meta *meta)
{
    struct pr_maybe span = {.known = meta->start_ms.known && meta->end_ms.known};
    span.known = span.known && !__builtin_sub_overflow(meta->end_ms.value, meta->start_ms.value, &span.value);
    return span.known && span.value >= 0 ? span : (struct pr_maybe){false, 0};
}

enum pr_status pr_diff_add(struct pr_diff *diff, const struct pr_profile *profile, struct pr_error *err)
{
    struct pr_diff_parts *parts = diff->parts;
    struct incoming in = {.diff = diff, .parts = parts, .profile = profile};
    bool done = pr_diff_take_run(parts, profile) && pr_diff_take_objects(parts, profile, !diff->count) &&
                (diff->count || (take_metrics(diff, profile) && take_meta(parts, profile)));
    in.file = done ? pr_samefile_add(&parts->same, profile, err) : NULL;
    in.frame = malloc((profile->frame_count + (size_t)1) * sizeof *in.frame);
    in.node = malloc((profile->tree.count + (size_t)1) * sizeof *in.node);
    in.name = malloc((profile->frame_count + (size_t)1) * sizeof *in.name);
    in.function = malloc((profile->frame_count + (size_t)1) * sizeof *in.function);
    done = done && in.file && in.name && in.function && in.frame && in.node && add_tree(&in) &&
           find_own_leaves(&in) && add_columns(&in);
    if (diff->count == 1)
        parts->meta.before_span_ms = span_of(&profile->meta);
    parts->tree_estimated |= profile->tree_estimated;
    pr_damage_add_all(&parts->damage, &profile->damage);
    if (!profile->complete && !parts->incomplete) {
        parts->incomplete = true;
        parts->problem = profile->problem;
    }
    diff->count++;
    free(in.file);
    free(in.name);
    free(in.function);
    free(in.frame);
    free(in.node);
    free(in.own);
    return done ? PR_OK : pr_fail_memory(err);
}

/* ---- the profile of all ----------------------------------------------------------------------------------------- */

static int64_t at(const int64_t *column, const struct pr_diff_column *of, pr_node_id node)
{
    return node < of->nodes ? column[node] : 0;
}

static bool has_value(const struct pr_diff *diff, pr_node_id node)
{
    for (uint32_t i = 0; i < diff->parts->metric_count; i++) {
        const struct pr_diff_metric *metric = &diff->parts->metrics[i];
        for (uint32_t k = 0; !metric->left_out && k < diff->count; k++)
            if (at(metric->columns[k].value, &metric->columns[k], node) ||
                at(metric->columns[k].count, &metric->columns[k], node))
                return true;
    }
    return false;
}

static const char *name_column(struct pr_arena *arena, const char *words, uint32_t profile)
{
    char name[120];
    int length = snprintf(name, sizeof name, profile ? "%s before" : "%s", words);
    return length < 0 ? NULL : pr_arena_copy(arena, name, (size_t)length < sizeof name ? (size_t)length : 119);
}

static bool make_metric(const struct pr_diff *diff, const struct pr_diff_metric *of, uint32_t profile,
                        struct pr_metric *metric)
{
    struct pr_profile *made = diff->profile;
    const struct pr_diff_column *column = &of->columns[profile];
    int64_t *value = pr_arena_array(&made->arena, made->fact_count, sizeof *value);
    int64_t *count = pr_arena_array(&made->arena, made->fact_count, sizeof *count);
    struct pr_exact *exact = column->exact ? pr_arena_array(&made->arena, made->exact_count, sizeof *exact) : NULL;
    *metric = (struct pr_metric){.name = name_column(&made->arena, of->name, profile),
                                 .title = name_column(&made->arena, of->title, profile),
                                 .unit = of->unit,
                                 .decimals = of->decimals,
                                 .value = value,
                                 .count = of->count_name ? count : NULL,
                                 .exact = exact,
                                 .base = !profile && diff->count > 1 ? made->metric_count + 1 : 0};
    if (of->count_name)
        metric->count_name = pr_arena_copy(&made->arena, of->count_name, strlen(of->count_name));
    if (!value || !count || !metric->name || !metric->title || (of->count_name && !metric->count_name) ||
        (column->exact && !exact))
        return false;
    for (size_t i = 0; i < made->fact_count; i++) {
        value[i] = at(column->value, column, made->fact_leaf[i]);
        count[i] = at(column->count, column, made->fact_leaf[i]);
        pr_add_to(&metric->total_value, value[i]);
        pr_add_to(&metric->total_count, of->count_name ? count[i] : 0);
    }
    for (size_t i = 0; exact && i < made->exact_count && i < column->frames; i++)
        exact[i] = column->exact[i];
    return true;
}

static bool make_arenas(const struct pr_diff *diff, const struct pr_diff_column *column, struct pr_diff_arenas *arenas)
{
    struct pr_profile *made = diff->profile;
    int64_t *bytes = column->arenas.count ? pr_arena_array(&made->arena, made->fact_count, sizeof *bytes) : NULL;
    *arenas = (struct pr_diff_arenas){.bytes = bytes, .total = column->arenas};
    for (size_t i = 0; bytes && i < made->fact_count; i++)
        bytes[i] = at(column->arena, column, made->fact_leaf[i]);
    return bytes || !column->arenas.count;
}

static bool make_metrics(struct pr_diff *diff)
{
    struct pr_profile *made = diff->profile;
    const size_t columns = (size_t)diff->metric_count * diff->count;
    struct pr_metric *metrics = pr_arena_array(&made->arena, columns, sizeof *metrics);
    struct pr_diff_arenas *arenas = pr_arena_array(&made->arena, columns, sizeof *arenas);
    if (!metrics || !arenas)
        return false;
    made->metrics = metrics;
    diff->arenas = arenas;
    for (uint32_t i = 0; i < diff->parts->metric_count; i++) {
        const struct pr_diff_metric *metric = &diff->parts->metrics[i];
        for (uint32_t k = 0; !metric->left_out && k < diff->count; k++)
            if (!make_arenas(diff, &metric->columns[k], &arenas[made->metric_count]) ||
                !make_metric(diff, metric, k, &metrics[made->metric_count++]))
                return false;
    }
    return true;
}

/*
 * The line with most serves as the first line of a function. Where a file has several of one name, that distinguishes
 * them: should two have the same one, as they were in another place before, the second gets a number that is no line.
 */
static bool set_first_lines(const struct pr_diff_parts *parts, struct pr_frame *frames)
{
    struct pr_idset places = {.words = 2};
    bool done = true;
    for (pr_frame_id i = 0; done && i < parts->frames.count; i++) {
        frames[i].definition_line = frames[i].line;
        if (parts->code[i] != i + 1) {
            frames[i].definition_line = frames[parts->code[i] - 1].definition_line;
            continue;
        }
        const uint64_t key[2] = {pr_pair(frames[i].function, frames[i].file), (uint32_t)frames[i].line};
        const uint32_t known = places.count;
        done = pr_idset_add(&places, key, 2) != PR_NO_ID;
        if (places.count == known)
            frames[i].definition_line = PR_NO_LINE + (int32_t)(i % PR_NO_LINE);
    }
    pr_idset_clear(&places);
    return done;
}

static bool make_tree(struct pr_diff *diff)
{
    struct pr_diff_parts *parts = diff->parts;
    struct pr_profile *made = diff->profile;
    struct pr_frame *frames = pr_arena_array(&made->arena, parts->frames.count, sizeof *frames);
    pr_node_id *parent = pr_arena_array(&made->arena, parts->nodes.count, sizeof *parent);
    pr_frame_id *frame = pr_arena_array(&made->arena, parts->nodes.count, sizeof *frame);
    const struct pr_diff_metric *main_metric = NULL;
    if (!frames || !parent || !frame)
        return false;
    for (uint32_t i = parts->metric_count; i-- > 0;)
        main_metric = parts->metrics[i].left_out ? main_metric : &parts->metrics[i];
    for (pr_frame_id i = 0; i < parts->frames.count; i++) {
        frames[i] = parts->frame[i];
        if (main_metric && i < main_metric->line_count)
            frames[i].line = main_metric->lines[i].of[PR_DIFF_SELF].line;
    }
    if (!set_first_lines(parts, frames))
        return false;
    for (pr_node_id i = 1; i < parts->nodes.count; i++) {
        parent[i] = pr_high(parts->nodes.keys[i]);
        frame[i] = pr_low(parts->nodes.keys[i]);
    }
    made->frames = frames;
    made->frame_count = parts->frames.count;
    made->tree = (struct pr_tree){parts->nodes.count, parent, frame};
    made->tree_estimated = parts->tree_estimated;
    return true;
}

static bool make_facts(struct pr_diff *diff)
{
    struct pr_profile *made = diff->profile;
    size_t count = 0;
    for (pr_node_id i = 0; i < made->tree.count; i++)
        count += has_value(diff, i);
    pr_node_id *leaf = pr_arena_array(&made->arena, count, sizeof *leaf);
    uint32_t *thread = pr_arena_array(&made->arena, count, sizeof *thread);
    struct pr_thread *threads = pr_arena_array(&made->arena, 1, sizeof *threads);
    struct pr_process *processes = pr_arena_array(&made->arena, 1, sizeof *processes);
    if (!leaf || !thread || !threads || !processes)
        return false;
    for (pr_node_id i = 0; i < made->tree.count; i++)
        if (has_value(diff, i))
            leaf[made->fact_count++] = i;
    made->fact_leaf = leaf;
    made->fact_thread = thread;
    made->threads = threads;
    made->processes = processes;
    made->thread_count = made->process_count = 1;
    return true;
}

/* One row for each function, if one of the columns has exact figures. */
static bool make_exact(struct pr_diff *diff)
{
    struct pr_profile *made = diff->profile;
    bool any = false;
    for (uint32_t i = 0; i < diff->parts->metric_count; i++)
        for (size_t k = 0; k < diff->parts->metrics[i].column_count; k++)
            any |= !diff->parts->metrics[i].left_out && diff->parts->metrics[i].columns[k].exact;
    if (!any)
        return true;
    pr_frame_id *frame = pr_arena_array(&made->arena, made->frame_count, sizeof *frame);
    uint32_t *thread = pr_arena_array(&made->arena, made->frame_count, sizeof *thread);
    if (!frame || !thread)
        return false;
    for (pr_frame_id i = 0; i < made->frame_count; i++)
        frame[i] = i;
    made->exact_frame = frame;
    made->exact_thread = thread;
    made->exact_count = made->frame_count;
    return true;
}

/* Strings keep their numbers: they are added in the same order. */
static bool make_strings(struct pr_diff *diff)
{
    const struct pr_strings *strings = &diff->parts->strings;
    for (pr_str i = 1; i < strings->count; i++)
        if (pr_strings_add(&diff->profile->strings, strings->text[i].bytes, strings->text[i].length) != i)
            return false;
    return true;
}

static bool make_meta(struct pr_diff *diff)
{
    const struct pr_diff_parts *parts = diff->parts;
    struct pr_profile *made = diff->profile;
    pr_str *packages = pr_arena_array(&made->arena, parts->meta.site_packages_count, sizeof *packages);
    made->meta = parts->meta;
    made->meta.format = pr_arena_copy(&made->arena, parts->format, strlen(parts->format));
    made->meta.format_title = pr_arena_copy(&made->arena, parts->format_title, strlen(parts->format_title));
    made->meta.python_allocator = "";
    made->meta.site_packages = packages;
    for (uint32_t i = 0; packages && i < parts->meta.site_packages_count; i++)
        packages[i] = parts->site_packages[i];
    made->is_difference = diff->count > 1;
    made->complete = !parts->incomplete;
    made->problem = parts->problem;
    made->damage = parts->damage;
    made->origin.runs = 1;
    return packages && made->meta.format && made->meta.format_title;
}

enum pr_status pr_diff_finish(struct pr_diff *diff, struct pr_error *err)
{
    for (uint32_t i = 0; i < diff->parts->metric_count; i++)
        diff->metric_count += !diff->parts->metrics[i].left_out;
    if (!diff->metric_count && !diff->may_lack_metrics)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL, "they have no metric in common to compare");
    diff->profile = calloc(1, sizeof *diff->profile);
    if (diff->profile && pr_strings_init(&diff->profile->strings, err) != PR_FAILED && make_strings(diff) &&
        make_meta(diff) && pr_diff_make_runs(diff) && make_tree(diff) && make_facts(diff) && make_exact(diff) &&
        make_metrics(diff) && pr_diff_make_objects(diff) && pr_owner_settle(diff->profile, err) == PR_OK)
        return PR_OK;
    return pr_fail_memory(err);
}

int pr_diff_metric(const struct pr_diff *diff, const char *name)
{
    for (uint32_t i = 0; i < diff->metric_count; i++)
        if (strcmp(diff->profile->metrics[i * diff->count].name, name) == 0)
            return (int)i;
    return -1;
}
