/* SPDX-License-Identifier: Apache-2.0 */
/* Merging: the parts of each profile are looked up among the known ones, and their values added. */
#include "profrender/merge.h"
#include "capture/base/text.h"

#include "capture/base/checked.h"
#include "capture/compose/merge_internal.h"

/* One profile on its way in: the merger's numbers for its own. */
struct incoming {
    struct pr_merger *merger;
    const struct pr_profile *profile;
    struct pr_renumber parts;
    uint32_t *fact;
    uint32_t *exact;
};

enum pr_status pr_merger_new(enum pr_merge_mode mode, struct pr_merger **merger, struct pr_error *err)
{
    struct pr_merger *m = *merger = calloc(1, sizeof *m);
    if (!m)
        return pr_fail_memory(err);
    m->mode = mode;
    m->exact.words = 1;
    m->facts.words = 2;
    if (pr_strings_init(&m->strings, err) == PR_OK && pr_strings_init(&m->notes, err) == PR_OK &&
        pr_numbers_init(&m->numbers, &m->strings))
        return PR_OK;
    pr_merger_free(m);
    *merger = NULL;
    return pr_fail_memory(err);
}

void pr_merger_free(struct pr_merger *m)
{
    if (!m)
        return;
    pr_strings_clear(&m->strings);
    pr_strings_clear(&m->notes);
    pr_numbers_clear(&m->numbers);
    pr_idset_clear(&m->facts);
    pr_idset_clear(&m->exact);
    for (uint32_t i = 0; i < m->metric_count; i++) {
        free(m->metrics[i].value);
        free(m->metrics[i].count);
        free(m->metrics[i].exact);
    }
    for (uint32_t i = 0; i < m->series_count; i++)
        free(m->series[i].changes);
    pr_profile_free(m->single);
    free(m->metrics);
    free(m->series);
    free(m->processes);
    free(m->roots);
    pr_sizes_clear(&m->sizes);
    pr_arena_clear(&m->arena);
    free(m);
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

static bool incoming_init(struct incoming *in)
{
    in->fact = pr_renumber_array(in->profile->fact_count);
    in->exact = pr_renumber_array(in->profile->exact_count);
    return pr_renumber_init(&in->parts, &in->merger->numbers, in->profile) && in->fact && in->exact;
}

static void incoming_clear(struct incoming *in)
{
    pr_renumber_clear(&in->parts);
    free(in->fact);
    free(in->exact);
}

/* PROCESS is the number of the profile's first process; in a sum, that of all of them. */
static bool add_threads(struct incoming *in, uint32_t process)
{
    const bool is_sum = in->merger->mode == PR_MERGE_ADD;
    for (uint32_t i = 0; i < in->profile->thread_count; i++)
        if (!pr_renumber_thread(&in->parts, i, process + (is_sum ? 0 : in->profile->threads[i].process)))
            return false;
    return true;
}

/* Facts without native frames use the Python stack for both, so that they match facts that have them. */
static bool add_facts(struct incoming *in)
{
    const struct pr_profile *profile = in->profile;
    struct pr_merger *m = in->merger;
    m->has_hybrid |= profile->fact_hybrid != NULL;
    m->has_allocators |= profile->fact_allocator != NULL;
    for (size_t i = 0; i < profile->fact_count; i++) {
        const pr_node_id leaf = in->parts.node[profile->fact_leaf[i]];
        const pr_node_id hybrid = profile->fact_hybrid ? in->parts.node[profile->fact_hybrid[i]] : leaf;
        const uint8_t allocator = profile->fact_allocator ? profile->fact_allocator[i] : PR_ALLOC_NONE;
        const uint64_t key[2] = {pr_pair(leaf, in->parts.thread[profile->fact_thread[i]]), pr_pair(hybrid, allocator)};
        in->fact[i] = pr_idset_add(&m->facts, key, 2);
        if (in->fact[i] == PR_NO_ID)
            return false;
    }
    return true;
}

static bool add_exact(struct incoming *in)
{
    const struct pr_profile *profile = in->profile;
    in->merger->tree_estimated |= profile->tree_estimated;
    for (size_t i = 0; i < profile->exact_count; i++) {
        const pr_frame_id frame = pr_renumber_frame(&in->parts, profile->exact_frame[i]);
        const uint64_t key = pr_pair(frame, in->parts.thread[profile->exact_thread[i]]);
        in->exact[i] = frame == PR_NO_ID ? PR_NO_ID : pr_idset_add(&in->merger->exact, &key, 1);
        if (in->exact[i] == PR_NO_ID)
            return false;
    }
    return true;
}

static bool add_notes(struct incoming *in)
{
    for (uint32_t i = 0; i < in->profile->note_count; i++) {
        if (pr_strings_add(&in->merger->notes, in->profile->notes[i], strlen(in->profile->notes[i])) == PR_NO_STR)
            return false;
    }
    return true;
}

/* ---- processes -------------------------------------------------------------------------------------------------- */

static bool grow_processes(struct pr_merger *m, uint32_t more)
{
    const size_t count = m->process_count + (size_t)more;
    return pr_grow(&m->processes, &m->process_capacity, count, sizeof *m->processes) &&
           pr_grow(&m->roots, &m->root_capacity, count, sizeof *m->roots);
}

/* The frame above a process; its name is known once all are there, so it gets a unique number. */
static pr_frame_id add_root_frame(struct pr_merger *m)
{
    const struct pr_frame frame = {.line = -1 - (int32_t)m->process_count, .kind = PR_FRAME_OTHER};
    return pr_frame_table_add(&m->numbers.frames, &frame);
}

/* A single process gets a frame above its tree; several were merged before and already have theirs. */
static bool add_processes(struct incoming *in, const char *name, pr_node_id *root)
{
    const struct pr_profile *profile = in->profile;
    struct pr_merger *m = in->merger;
    const bool is_one = profile->process_count <= 1;
    const char *file = pr_path_last_part(name ? name : "");
    *root = PR_ROOT;
    if (!grow_processes(m, profile->process_count + 1))
        return false;
    if (is_one) {
        const pr_frame_id frame = add_root_frame(m);
        const struct pr_process process = profile->process_count ? profile->processes[0] : (struct pr_process){0};
        const pr_str process_name = pr_renumber_string(&in->parts, process.name);
        *root = pr_numbers_node(&m->numbers, PR_ROOT, frame);
        m->processes[m->process_count] = (struct pr_process){process.pid, process_name};
        m->roots[m->process_count] = (struct pr_root){frame, pr_strings_add(&m->strings, file, strlen(file))};
        return *root != PR_NO_ID && process_name != PR_NO_STR && m->roots[m->process_count++].name != PR_NO_STR;
    }
    for (uint32_t i = 0; i < profile->process_count; i++) {
        const pr_str process_name = pr_renumber_string(&in->parts, profile->processes[i].name);
        if (process_name == PR_NO_STR)
            return false;
        m->processes[m->process_count] = (struct pr_process){profile->processes[i].pid, process_name};
        m->roots[m->process_count++] = (struct pr_root){PR_NO_ID, 0};
    }
    return true;
}

/* A sum has one process: the common one, where all agree. */
static bool fold_processes(struct incoming *in)
{
    struct pr_merger *m = in->merger;
    for (uint32_t i = 0; i < in->profile->process_count; i++) {
        const struct pr_process *process = &in->profile->processes[i];
        const pr_str name = pr_renumber_string(&in->parts, process->name);
        if (name == PR_NO_STR || !grow_processes(m, 1))
            return false;
        if (!m->process_count) {
            m->roots[0] = (struct pr_root){PR_NO_ID, 0};
            m->processes[m->process_count++] = (struct pr_process){process->pid, name};
        } else {
            m->processes[0].pid = m->processes[0].pid == process->pid ? process->pid : 0;
            m->processes[0].name = m->processes[0].name == name ? name : 0;
        }
    }
    return true;
}

/* ---- metrics ---------------------------------------------------------------------------------------------------- */

/* The threshold is part of what "temporary" means. */
static uint32_t threshold_of(const struct pr_profile *profile, const char *name)
{
    return strcmp(name, "temporary") ? 0 : profile->origin.temporary_threshold;
}

static const char *copy_words(struct pr_merger *m, const char *words)
{
    return pr_arena_copy(&m->arena, words, strlen(words));
}

static bool add_metric(struct pr_merger *m, const struct pr_profile *profile, const struct pr_metric *metric)
{
    if (!pr_grow(&m->metrics, &m->metric_capacity, m->metric_count + (size_t)1, sizeof *m->metrics))
        return false;
    const char *count_name = metric->count ? metric->count_name : NULL;
    struct pr_merged_metric *made = &m->metrics[m->metric_count++];
    *made = (struct pr_merged_metric){.name = copy_words(m, metric->name),
                                      .title = copy_words(m, metric->title),
                                      .count_name = count_name ? copy_words(m, count_name) : NULL,
                                      .unit = metric->unit,
                                      .decimals = metric->decimals,
                                      .has_exact = true,
                                      .input = metric->part,
                                      .threshold = threshold_of(profile, metric->name),
                                      .left_out = m->added > 0};
    return made->name && made->title && (!count_name || made->count_name);
}

static bool is_same_metric(const struct pr_merged_metric *a, const struct pr_profile *profile,
                           const struct pr_metric *b)
{
    return !strcmp(a->name, b->name) && a->unit == b->unit && a->threshold == threshold_of(profile, b->name);
}

static const struct pr_metric *find_metric(const struct pr_profile *profile, const struct pr_merged_metric *metric)
{
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        if (is_same_metric(metric, profile, &profile->metrics[i]))
            return &profile->metrics[i];
    }
    return NULL;
}

static bool is_known_metric(const struct pr_merger *m, const struct pr_profile *profile, const struct pr_metric *metric)
{
    for (uint32_t i = 0; i < m->metric_count; i++) {
        if (is_same_metric(&m->metrics[i], profile, metric))
            return true;
    }
    return false;
}

/*
 * Settles whether there are counts, and of what. A profile without a value, such as a capture cut before its first
 * record, knows neither and is ignored.
 */
static bool fold_counts(struct pr_merger *m, struct pr_merged_metric *sum, const struct pr_profile *profile,
                        const struct pr_metric *metric)
{
    const char *mine = metric->count ? metric->count_name : NULL;
    if (!profile->fact_count || (!mine && !metric->total_value)) {
        if (!sum->counts_settled && !sum->count_name && mine) /* of profiles that all lack values */
            sum->count_name = copy_words(m, mine);
        return true;
    }
    if (!sum->counts_settled)
        sum->count_name = mine ? copy_words(m, mine) : NULL;
    else if (sum->count_name && (!mine || strcmp(mine, sum->count_name) != 0))
        sum->count_name = NULL;
    const bool copied = sum->counts_settled || !mine || sum->count_name;
    sum->counts_settled = true;
    return copied;
}

/*
 * Labels of a metric that all have, where they differ: the lowest title by its bytes, the lowest input. Neither depends
 * on which came first, nor on what intermediate sums have left out.
 */
static bool fold_labels(struct pr_merger *m, struct pr_merged_metric *sum, const struct pr_metric *metric)
{
    if (strcmp(metric->title, sum->title) < 0)
        sum->title = copy_words(m, metric->title);
    sum->input = metric->part < sum->input ? metric->part : sum->input;
    return sum->title;
}

/* Metrics that come late are recorded too: as left out. */
static bool match_metrics(struct pr_merger *m, const struct pr_profile *profile)
{
    const char *main_metric = profile->metric_count ? profile->metrics[0].name : "";
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        if (!is_known_metric(m, profile, &profile->metrics[i]) && !add_metric(m, profile, &profile->metrics[i]))
            return false;
    }
    for (uint32_t i = 0; i < m->metric_count; i++) {
        const struct pr_metric *metric = find_metric(profile, &m->metrics[i]);
        m->metrics[i].left_out |= !metric;
        m->metrics[i].has_exact &= metric && metric->exact;
        if (metric &&
            (!fold_labels(m, &m->metrics[i], metric) || !fold_counts(m, &m->metrics[i], profile, metric)))
            return false;
    }
    if (!m->added)
        m->main_metric = copy_words(m, main_metric);
    else if (m->main_metric && strcmp(m->main_metric, main_metric))
        m->main_metric = NULL;
    return m->added || m->main_metric;
}

static bool grow_column(int64_t **column, size_t known, size_t count)
{
    int64_t *grown = realloc(*column, count * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + known, 0, (count - known) * sizeof *grown);
    *column = grown;
    return true;
}

static bool grow_exact(struct pr_merged_metric *metric, size_t count)
{
    struct pr_exact *grown = realloc(metric->exact, count * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + metric->exact_facts, 0, (count - metric->exact_facts) * sizeof *grown);
    metric->exact = grown;
    metric->exact_facts = count;
    return true;
}

/* Room for COUNT elements in a column that has KNOWN of them; 0 when that is too many. */
static size_t room_for(size_t known, size_t count, size_t size)
{
    const size_t room = count <= known ? known : count > known * 2 ? count : known * 2;
    return room > SIZE_MAX / size ? 0 : room;
}

static bool grow_values(struct pr_merger *m)
{
    const size_t facts = room_for(m->fact_capacity, m->facts.count + (size_t)1, sizeof(int64_t));
    const size_t exact = room_for(m->exact_capacity, m->exact.count + (size_t)1, sizeof(struct pr_exact));
    if (!facts || !exact)
        return false;
    for (uint32_t i = 0; i < m->metric_count; i++) {
        struct pr_merged_metric *metric = &m->metrics[i];
        if (metric->left_out)
            continue;
        if (!grow_column(&metric->value, metric->facts, facts) || !grow_column(&metric->count, metric->facts, facts) ||
            !grow_exact(metric, exact))
            return false;
        metric->facts = facts;
    }
    m->fact_capacity = facts;
    m->exact_capacity = exact;
    return true;
}

static int64_t scaled(int64_t value, unsigned places)
{
    int64_t product = value;
    for (; places; places--) {
        if (__builtin_mul_overflow(product, 10, &product))
            return value < 0 ? INT64_MIN : INT64_MAX;
    }
    return product;
}

/* One profile has more decimals than all earlier ones. */
static void raise_decimals(struct pr_merged_metric *sum, unsigned decimals)
{
    const unsigned places = decimals - sum->decimals;
    for (size_t i = 0; i < sum->facts; i++)
        sum->value[i] = scaled(sum->value[i], places);
    for (size_t i = 0; i < sum->exact_facts; i++) {
        sum->exact[i].self = scaled(sum->exact[i].self, places);
        sum->exact[i].total = scaled(sum->exact[i].total, places);
    }
    sum->decimals = decimals;
}

static void add_metric_values(const struct incoming *in, struct pr_merged_metric *sum, const struct pr_metric *metric)
{
    if (metric->decimals > sum->decimals)
        raise_decimals(sum, metric->decimals);
    const unsigned places = sum->decimals - metric->decimals;
    for (size_t i = 0; i < in->profile->fact_count; i++) {
        pr_add_to(&sum->value[in->fact[i]], scaled(metric->value[i], places));
        if (metric->count)
            pr_add_to(&sum->count[in->fact[i]], metric->count[i]);
    }
    for (size_t i = 0; i < in->profile->exact_count && sum->has_exact; i++) {
        struct pr_exact *exact = &sum->exact[in->exact[i]];
        pr_add_to(&exact->self, scaled(metric->exact[i].self, places));
        pr_add_to(&exact->total, scaled(metric->exact[i].total, places));
        pr_add_to(&exact->self_count, metric->exact[i].self_count);
        pr_add_to(&exact->total_count, metric->exact[i].total_count);
    }
}

static void add_values(const struct incoming *in)
{
    struct pr_merger *m = in->merger;
    for (uint32_t i = 0; i < m->metric_count; i++) {
        const struct pr_metric *metric = m->metrics[i].left_out ? NULL : find_metric(in->profile, &m->metrics[i]);
        if (metric)
            add_metric_values(in, &m->metrics[i], metric);
    }
}

const char *pr_merger_left_out(const struct pr_merger *merger, size_t index)
{
    for (uint32_t i = 0; i < merger->metric_count; i++) {
        if (merger->metrics[i].left_out && !index--)
            return merger->metrics[i].name;
    }
    return NULL;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static bool add_parts(struct incoming *in, const char *name)
{
    struct pr_merger *m = in->merger;
    const uint32_t process = m->mode == PR_MERGE_ADD ? 0 : m->process_count;
    pr_node_id root = PR_ROOT;
    if (!incoming_init(in) || !(m->mode == PR_MERGE_ADD ? fold_processes(in) : add_processes(in, name, &root)))
        return false;
    if (!pr_renumber_tree(&in->parts, root) || !add_threads(in, process) || !add_facts(in) || !add_exact(in) ||
        !add_notes(in) || !match_metrics(m, in->profile) || !grow_values(m))
        return false;
    add_values(in);
    return true;
}

enum pr_status pr_merger_add(struct pr_merger *merger, const struct pr_profile *profile, const char *name,
                             struct pr_error *err)
{
    struct incoming in = {.merger = merger, .profile = profile};
    const bool good = add_parts(&in, name);
    incoming_clear(&in);
    if (!good)
        return pr_fail_memory(err);
    if (pr_merge_meta(merger, profile, err) == PR_FAILED ||
        (merger->mode == PR_MERGE_PROCESSES && pr_merge_series(merger, profile, err) == PR_FAILED))
        return PR_FAILED;
    merger->added++;
    return PR_OK;
}
