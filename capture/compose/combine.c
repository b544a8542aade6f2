/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uniting: the facts of all inputs follow one another, so what belongs to a fact by its number (steps, moves) is copied
 * unchanged, and only strings, frames, nodes and threads get new numbers.
 */
#include "profrender/combine.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/compose/renumber.h"
#include "capture/model/owner_settle.h"

#include <stdio.h>

/* With more threads than this, they are not matched by name: it compares each with each. */
enum { MOST_BY_NAME = 4096 };

/* An input on its way in: the combined profile's numbers for its own. */
struct incoming {
    const struct pr_profile *profile;
    struct pr_renumber parts;
    size_t first_fact, first_exact;
    uint32_t first_part;
};

struct combining {
    struct pr_profile *out;
    struct pr_arena *arena; /* of it */
    struct incoming *in;    /* [count] */
    size_t count;
    struct incoming *main; /* whose run is described */
    struct pr_numbers numbers;
    struct pr_process *processes;
    struct pr_metric *metrics;
    struct pr_part *parts;
};

bool pr_is_same_kind(const struct pr_profile *a, const struct pr_profile *b)
{
    const bool a_has = pr_profile_has_allocations(a), b_has = pr_profile_has_allocations(b);
    if (a_has || b_has)
        return a_has && b_has && !a->part_count == !b->part_count;
    return a->metric_count && b->metric_count && a->metrics[0].unit == b->metrics[0].unit &&
           !strcmp(a->metrics[0].name, b->metrics[0].name) && !strcmp(a->meta.format, b->meta.format);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static bool is_unknown(const struct pr_process *process)
{
    return !process->pid && !process->name;
}

/* A process without a number is taken for that of the first input: most CPU profiles do not know theirs. */
static uint32_t add_process(struct combining *c, struct incoming *in, const struct pr_process *process)
{
    const struct pr_process mine = {process->pid, pr_renumber_string(&in->parts, process->name)};
    struct pr_process *known = c->processes;
    const uint32_t count = c->out->process_count;
    for (uint32_t i = 0; i < count; i++) {
        if (known[i].pid == mine.pid && known[i].name == mine.name)
            return i;
    }
    if (count && is_unknown(&mine))
        return 0;
    if (count == 1 && is_unknown(&known[0])) {
        known[0] = mine;
        return 0;
    }
    known[c->out->process_count++] = mine;
    return count;
}

/* How many of the first COUNT known threads are PROCESS's and called NAME; WHICH = the last of them. */
static uint32_t known_of_name(const struct combining *c, uint32_t count, uint32_t process, pr_str name, uint32_t *which)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct pr_thread known = pr_numbers_thread(&c->numbers, i);
        if (known.process == process && known.name == name) {
            *which = i;
            same++;
        }
    }
    return same;
}

/*
 * Whether THREAD is known to be the main one of its process: the kernel gives it the number of the process, memray's
 * header has its own number of it.
 */
static bool is_main(const struct pr_profile *profile, const struct pr_thread *thread)
{
    const uint64_t pid = profile->processes[thread->process].pid, tid = thread->tid;
    const bool is_of_memray = profile->process_count == 1 && !strcmp(profile->meta.format, "memray");
    return pid && (tid == pid || (is_of_memray && tid && tid == profile->meta.main_tid));
}

/* The first main thread of process PID in any input, one with a name before others; NULL: none. */
static const struct pr_thread *find_main(const struct combining *c, uint64_t pid, const struct pr_profile **of)
{
    const struct pr_thread *found = NULL;
    for (const struct incoming *in = c->in; in < c->in + c->count && !(found && found->name); in++) {
        const struct pr_profile *profile = in->profile;
        const uint32_t count = profile->thread_count <= MOST_BY_NAME ? profile->thread_count : 0;
        for (uint32_t i = 0; i < count && !(found && found->name); i++) {
            const struct pr_thread *thread = &profile->threads[i];
            if (profile->processes[thread->process].pid == pid && is_main(profile, thread) &&
                (!found || thread->name)) {
                found = thread;
                *of = profile;
            }
        }
    }
    return found;
}

/* A main thread, as the input calls it that has a name for it. */
static bool add_main(struct combining *c, struct incoming *in, uint32_t i, uint32_t process)
{
    const struct pr_profile *profile = in->profile, *of = profile;
    const struct pr_thread *main = find_main(c, profile->processes[profile->threads[i].process].pid, &of);
    const struct pr_text text = pr_strings_get(&of->strings, main->name);
    const pr_str name = pr_strings_add(&c->out->strings, text.bytes, text.length);
    const uint64_t key[2] = {pr_pair(process, name), main->tid};
    in->parts.thread[i] = name == PR_NO_STR ? PR_NO_ID : pr_idset_add(&c->numbers.threads, key, 2);
    return in->parts.thread[i] != PR_NO_ID;
}

static bool is_only_one(const struct pr_profile *profile, const struct pr_thread *thread)
{
    uint32_t same = 0;
    for (const struct pr_thread *other = profile->threads; other < profile->threads + profile->thread_count; other++)
        same += other->process == thread->process && other->name == thread->name;
    return same == 1;
}

/*
 * Each profiler numbers threads in its own way, but a name that one thread of a process has, in this input and in those
 * before it, is the same thread, and so is the main one of a process. EARLIER = threads of the inputs before.
 */
static bool add_thread(struct combining *c, struct incoming *in, uint32_t i, uint32_t earlier)
{
    const struct pr_profile *profile = in->profile;
    const struct pr_thread *thread = &profile->threads[i];
    const uint32_t process = add_process(c, in, &profile->processes[thread->process]);
    const pr_str name = pr_renumber_string(&in->parts, thread->name);
    if (name == PR_NO_STR)
        return false;
    const bool is_searched = earlier <= MOST_BY_NAME && profile->thread_count <= MOST_BY_NAME;
    if (is_searched && is_main(profile, thread))
        return add_main(c, in, i, process);
    if (name && is_searched && is_only_one(profile, thread) &&
        known_of_name(c, earlier, process, name, &in->parts.thread[i]) == 1)
        return true;
    return pr_renumber_thread(&in->parts, i, process);
}

/* Frames without a node too: exact figures may have them. */
static bool number(struct combining *c, struct incoming *in)
{
    const struct pr_profile *profile = in->profile;
    const uint32_t earlier = c->numbers.threads.count;
    if (!pr_renumber_init(&in->parts, &c->numbers, profile))
        return false;
    for (pr_frame_id i = 0; i < profile->frame_count; i++)
        if (pr_renumber_frame(&in->parts, i) == PR_NO_ID)
            return false;
    if (!pr_renumber_tree(&in->parts, PR_ROOT))
        return false;
    for (uint32_t i = 0; i < profile->thread_count; i++)
        if (!add_thread(c, in, i, earlier))
            return false;
    return true;
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

static bool make_tree(struct combining *c)
{
    struct pr_profile *out = c->out;
    const struct pr_numbers *numbers = &c->numbers;
    const uint32_t frame_count = numbers->frames.frames.count, count = numbers->nodes.count;
    struct pr_frame *frames = pr_arena_array(c->arena, frame_count, sizeof *frames);
    pr_node_id *parent = pr_arena_array(c->arena, count, sizeof *parent);
    pr_frame_id *frame = pr_arena_array(c->arena, count, sizeof *frame);
    if (!frames || !parent || !frame)
        return false;
    for (pr_frame_id i = 0; i < frame_count; i++)
        frames[i] = pr_frame_table_get(&numbers->frames, i);
    for (pr_node_id i = 1; i < count; i++) {
        parent[i] = pr_numbers_parent(numbers, i);
        frame[i] = pr_numbers_frame(numbers, i);
    }
    out->frame_count = frame_count;
    out->frames = frames;
    out->tree = (struct pr_tree){count, parent, frame};
    return true;
}

static bool make_threads(struct combining *c)
{
    const uint32_t count = c->numbers.threads.count;
    struct pr_thread *threads = pr_arena_array(c->arena, count, sizeof *threads);
    if (!threads)
        return false;
    for (uint32_t i = 0; i < count; i++)
        threads[i] = pr_numbers_thread(&c->numbers, i);
    c->out->threads = threads;
    c->out->thread_count = count;
    c->out->processes = c->processes;
    return true;
}

static bool make_facts(struct combining *c)
{
    struct pr_profile *out = c->out;
    pr_node_id *leaf = pr_arena_array(c->arena, out->fact_count, sizeof *leaf);
    pr_node_id *hybrid = pr_arena_array(c->arena, out->fact_count, sizeof *hybrid);
    uint32_t *thread = pr_arena_array(c->arena, out->fact_count, sizeof *thread);
    uint8_t *allocator = pr_arena_array(c->arena, out->fact_count, sizeof *allocator);
    if (!leaf || !hybrid || !thread || !allocator)
        return false;
    for (const struct incoming *in = c->in; in < c->in + c->count; in++) {
        const struct pr_profile *from = in->profile;
        for (size_t i = 0, to = in->first_fact; i < from->fact_count; i++, to++) {
            leaf[to] = in->parts.node[from->fact_leaf[i]];
            hybrid[to] = from->fact_hybrid ? in->parts.node[from->fact_hybrid[i]] : leaf[to];
            thread[to] = in->parts.thread[from->fact_thread[i]];
            allocator[to] = from->fact_allocator ? from->fact_allocator[i] : (uint8_t)PR_ALLOC_NONE;
        }
        out->fact_hybrid = from->fact_hybrid ? hybrid : out->fact_hybrid;
        out->fact_allocator = from->fact_allocator ? allocator : out->fact_allocator;
    }
    out->fact_leaf = leaf;
    out->fact_thread = thread;
    return true;
}

/* COUNT elements of COLUMN, in a new column of TOTAL, from FIRST on; zeros elsewhere. */
static void *place(struct combining *c, const void *column, size_t size, size_t count, size_t first, size_t total)
{
    char *made = pr_arena_array(c->arena, total, size);
    if (made && count)
        memcpy(made + first * size, column, count * size);
    return made;
}

static char *copy_text(struct combining *c, const char *text)
{
    return pr_arena_copy(c->arena, text, strlen(text));
}

/* NAME, or if an existing metric has it, "name-format", "name-format-2", ... */
static const char *free_name(struct combining *c, const char *name, const char *format)
{
    char text[300];
    snprintf(text, sizeof text, "%s", name);
    for (unsigned i = 1; pr_profile_metric(c->out, text) >= 0; i++)
        snprintf(text, sizeof text, i > 1 ? "%.200s-%.80s-%c" : "%.200s-%.80s", name, format, i);
    return copy_text(c, text);
}

static bool add_metric(struct combining *c, const struct incoming *in, const struct pr_metric *metric)
{
    struct pr_profile *out = c->out;
    const size_t count = in->profile->fact_count;
    struct pr_metric made = *metric;
    made.part = in->first_part + metric->part;
    made.name = free_name(c, metric->name, c->parts[made.part].format);
    made.title = copy_text(c, metric->title);
    made.count_name = metric->count_name ? copy_text(c, metric->count_name) : NULL;
    made.value = place(c, metric->value, sizeof *metric->value, count, in->first_fact, out->fact_count);
    if (metric->count)
        made.count = place(c, metric->count, sizeof *metric->count, count, in->first_fact, out->fact_count);
    if (metric->exact)
        made.exact =
            place(c, metric->exact, sizeof *metric->exact, in->profile->exact_count, in->first_exact, out->exact_count);
    c->metrics[out->metric_count++] = made;
    return made.name && made.title && !metric->count_name == !made.count_name && made.value &&
           !metric->count == !made.count && !metric->exact == !made.exact;
}

static bool make_metrics(struct combining *c)
{
    c->out->metrics = c->metrics;
    for (const struct incoming *in = c->in; in < c->in + c->count; in++) {
        for (uint32_t i = 0; i < in->profile->metric_count; i++) {
            if (!add_metric(c, in, &in->profile->metrics[i]))
                return false;
        }
    }
    return true;
}

/* ---- exact figures ---------------------------------------------------------------------------------------------- */

static int compare_threads(const void *a, const void *b, const void *context)
{
    const uint32_t *thread = context;
    return PR_ORDER(thread[*(const uint32_t *)a], thread[*(const uint32_t *)b]);
}

/* Puts the rows of COLUMN in the order of ORDER; SPARE has room for them. */
static void reorder(void *column, size_t size, const uint32_t *order, size_t count, char *spare)
{
    for (size_t i = 0; i < count; i++)
        memcpy(spare + i * size, (const char *)column + order[i] * size, size);
    memcpy(column, spare, count * size);
}

/* Sorts them by thread, as tables want them. */
static bool sort_exact(struct combining *c, pr_frame_id *frame, uint32_t *thread)
{
    const size_t count = c->out->exact_count;
    uint32_t *order = malloc((count + 1) * sizeof *order);
    char *spare = malloc((count + 1) * sizeof(struct pr_exact));
    bool done = order && spare;
    for (uint32_t i = 0; done && i < count; i++)
        order[i] = i;
    done = done && pr_sort(order, count, sizeof *order, compare_threads, thread);
    if (done) {
        reorder(frame, sizeof *frame, order, count, spare);
        reorder(thread, sizeof *thread, order, count, spare);
        for (uint32_t i = 0; i < c->out->metric_count; i++) {
            if (c->metrics[i].exact)
                reorder((void *)c->metrics[i].exact, sizeof(struct pr_exact), order, count, spare);
        }
    }
    free(order);
    free(spare);
    return done;
}

static bool make_exact(struct combining *c)
{
    struct pr_profile *out = c->out;
    pr_frame_id *frame = pr_arena_array(c->arena, out->exact_count, sizeof *frame);
    uint32_t *thread = pr_arena_array(c->arena, out->exact_count, sizeof *thread);
    if (!frame || !thread)
        return false;
    for (const struct incoming *in = c->in; in < c->in + c->count; in++) {
        for (size_t i = 0; i < in->profile->exact_count; i++) {
            frame[in->first_exact + i] = in->parts.frame[in->profile->exact_frame[i]];
            thread[in->first_exact + i] = in->parts.thread[in->profile->exact_thread[i]];
        }
        out->tree_estimated |= in->profile->tree_estimated;
    }
    out->exact_frame = frame;
    out->exact_thread = thread;
    return sort_exact(c, frame, thread);
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

static int compare_slices(const void *a, const void *b, const void *context)
{
    const uint32_t *thread = context;
    const struct pr_slice *x = a, *y = b;
    int order = PR_ORDER(x->layer, y->layer);
    order = order ? order : PR_ORDER(thread[x->fact], thread[y->fact]);
    return order ? order : PR_ORDER(x->start_ns, y->start_ns);
}

static bool make_slices(struct combining *c)
{
    struct pr_profile *out = c->out;
    const struct incoming *in = c->in;
    while (in < c->in + c->count && !in->profile->slice_count)
        in++;
    if (in == c->in + c->count)
        return true;
    out->slice_count = in->profile->slice_count;
    out->slice_resolution_ns = in->profile->slice_resolution_ns;
    out->slices_lack_clock = in->profile->slices_lack_clock;
    out->slices_start_ms = in->profile->slices_start_ms;
    struct pr_slice *slices = place(c, in->profile->slices, sizeof *slices, out->slice_count, 0, out->slice_count);
    for (size_t i = 0; slices && i < out->slice_count; i++)
        slices[i].fact += (uint32_t)in->first_fact;
    out->slices = slices;
    return slices && pr_sort(slices, out->slice_count, sizeof *slices, compare_slices, out->fact_thread);
}

/* The moments of the first input that has some. */
static bool make_moments(struct combining *c)
{
    struct pr_profile *out = c->out;
    const struct incoming *in = c->in;
    while (in < c->in + c->count && !in->profile->moment_count)
        in++;
    if (in == c->in + c->count)
        return true;
    out->moment_count = in->profile->moment_count;
    out->moment_resolution_ns = in->profile->moment_resolution_ns;
    struct pr_moment *moments =
        place(c, in->profile->moments, sizeof *moments, out->moment_count, 0, out->moment_count);
    for (size_t i = 0; moments && i < out->moment_count; i++)
        moments[i].fact += (uint32_t)in->first_fact;
    out->moments = moments;
    return moments != NULL;
}

/* Where the rows of each fact begin; facts of other inputs have no rows. */
static size_t *make_firsts(struct combining *c, const struct incoming *in, const size_t *first)
{
    const size_t count = in->profile->fact_count;
    size_t *made = pr_arena_array(c->arena, c->out->fact_count + 1, sizeof *made);
    for (size_t i = 0; made && i <= c->out->fact_count; i++) {
        const size_t from = i < in->first_fact ? 0 : i - in->first_fact;
        made[i] = first[from < count ? from : count];
    }
    return made;
}

static bool make_bins(struct combining *c)
{
    struct pr_profile *out = c->out;
    const struct incoming *in = c->in;
    while (in < c->in + c->count && !in->profile->bin_count)
        in++;
    if (in == c->in + c->count)
        return true;
    const struct pr_profile *from = in->profile;
    const size_t steps = from->fact_first_step[from->fact_count], moves = from->fact_first_lifetime[from->fact_count];
    out->bin_count = from->bin_count;
    out->bins = place(c, from->bins, sizeof *from->bins, from->bin_count, 0, from->bin_count);
    out->steps = place(c, from->steps, sizeof *from->steps, steps, 0, steps);
    out->moves = place(c, from->moves, sizeof *from->moves, moves, 0, moves);
    out->fact_first_step = make_firsts(c, in, from->fact_first_step);
    out->fact_first_lifetime = make_firsts(c, in, from->fact_first_lifetime);
    return out->bins && out->steps && out->moves && out->fact_first_step && out->fact_first_lifetime;
}

/* Of the only input that has any: one with allocations. */
static bool make_objects(struct combining *c)
{
    for (const struct incoming *in = c->in; in < c->in + c->count; in++) {
        const struct pr_objects *from = &in->profile->objects;
        if (!from->known)
            continue;
        struct pr_life *lives = place(c, from->lives, sizeof *lives, from->life_count, 0, from->life_count);
        c->out->objects = *from;
        c->out->objects.lives = lives;
        for (size_t i = 0; lives && i < from->life_count; i++)
            lives[i].fact += (uint32_t)in->first_fact;
        return lives != NULL;
    }
    return true;
}

static bool add_series(struct combining *c, const struct pr_series *series, struct pr_series *made)
{
    *made = *series;
    made->name = copy_text(c, series->name);
    made->title = copy_text(c, series->title);
    made->at_ms = place(c, series->at_ms, sizeof *series->at_ms, series->count, 0, series->count);
    made->value = place(c, series->value, sizeof *series->value, series->count, 0, series->count);
    c->out->series_count++;
    return made->name && made->title && made->at_ms && made->value;
}

static bool make_series(struct combining *c)
{
    struct pr_profile *out = c->out;
    size_t most = 0;
    for (const struct incoming *in = c->in; in < c->in + c->count; in++)
        most += in->profile->series_count;
    struct pr_series *series = pr_arena_array(c->arena, most, sizeof *series);
    out->series = series;
    for (const struct incoming *in = c->in; series && in < c->in + c->count; in++) {
        for (uint32_t i = 0; i < in->profile->series_count; i++) {
            const struct pr_series *one = &in->profile->series[i];
            if (in->profile->meta.no_date != c->main->profile->meta.no_date)
                break; /* these cannot be placed next to the others */
            if (pr_profile_series(out, one->name) < 0 && !add_series(c, one, &series[out->series_count]))
                return false;
        }
    }
    return series != NULL;
}

/* ---- what is known of the run ----------------------------------------------------------------------------------- */

static const pr_str *copy_list(struct combining *c, struct incoming *in, const pr_str *list, uint32_t count)
{
    pr_str *made = pr_arena_array(c->arena, count, sizeof *made);
    for (uint32_t i = 0; made && i < count; i++)
        made[i] = pr_renumber_string(&in->parts, list[i]);
    return made;
}

static bool take_tops(struct incoming *in, struct pr_top *tops, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tops[i].name = pr_renumber_string(&in->parts, tops[i].name);
        if (tops[i].name == PR_NO_STR)
            return false;
    }
    return true;
}

static bool take_stats(struct combining *c, struct incoming *in)
{
    struct pr_alloc_stats *stats = &c->out->stats;
    *stats = in->profile->stats;
    if (stats->size_count)
        stats->sizes = place(c, stats->sizes, sizeof *stats->sizes, stats->size_count, 0, stats->size_count);
    return (!stats->size_count || stats->sizes) && take_tops(in, stats->by_size, stats->by_size_count) &&
           take_tops(in, stats->by_count, stats->by_count_count) &&
           take_tops(in, stats->modules_by_size, stats->modules_by_size_count) &&
           take_tops(in, stats->modules_by_count, stats->modules_by_count_count);
}

static bool take_meta(struct combining *c, struct incoming *in)
{
    struct pr_meta *meta = &c->out->meta;
    *meta = in->profile->meta;
    for (uint32_t i = 0; i < in->profile->thread_count; i++) {
        if (meta->main_tid && in->profile->threads[i].tid == in->profile->meta.main_tid)
            meta->main_tid = pr_numbers_thread(&c->numbers, in->parts.thread[i]).tid;
    }
    meta->format = copy_text(c, meta->format ? meta->format : "");
    meta->format_title = copy_text(c, meta->format_title ? meta->format_title : "");
    meta->compression = meta->compression ? copy_text(c, meta->compression) : NULL;
    meta->python_allocator = copy_text(c, meta->python_allocator ? meta->python_allocator : "");
    meta->command_line = pr_renumber_string(&in->parts, meta->command_line);
    meta->native_unnamed_file = pr_renumber_string(&in->parts, meta->native_unnamed_file);
    meta->stdlib_path = pr_renumber_string(&in->parts, meta->stdlib_path);
    meta->site_packages = copy_list(c, in, meta->site_packages, meta->site_packages_count);
    meta->sys_path = copy_list(c, in, meta->sys_path, meta->sys_path_count);
    return meta->format && meta->format_title && meta->python_allocator && meta->site_packages && meta->sys_path &&
           meta->command_line != PR_NO_STR && meta->native_unnamed_file != PR_NO_STR && meta->stdlib_path != PR_NO_STR;
}

static bool make_run(struct combining *c)
{
    struct pr_profile *out = c->out;
    const struct pr_profile *run = c->main->profile;
    out->origin = run->origin;
    out->records = run->records;
    out->peak_bytes = run->peak_bytes;
    out->peak_at_ms = run->peak_at_ms;
    out->peak_bin = run->peak_bin;
    out->complete = true;
    for (const struct incoming *one = c->in; one < c->in + c->count; one++) {
        pr_damage_add_all(&out->damage, &one->profile->damage);
        if (out->complete && !one->profile->complete) {
            out->complete = false;
            out->problem = one->profile->problem;
        }
        if (!out->meta.start_ms.known)
            out->meta.start_ms = one->profile->meta.start_ms;
    }
    return take_meta(c, c->main) && take_stats(c, c->main);
}

static bool make_notes(struct combining *c)
{
    size_t count = 0;
    for (const struct incoming *in = c->in; in < c->in + c->count; in++)
        count += in->profile->note_count;
    const char **notes = pr_arena_array(c->arena, count, sizeof *notes);
    c->out->notes = notes;
    for (const struct incoming *in = c->in; notes && in < c->in + c->count; in++) {
        for (uint32_t i = 0; i < in->profile->note_count; i++) {
            notes[c->out->note_count] = copy_text(c, in->profile->notes[i]);
            if (!notes[c->out->note_count++])
                return false;
        }
    }
    return notes != NULL;
}

static bool make_devices(struct combining *c)
{
    size_t count = 0;
    for (const struct incoming *in = c->in; in < c->in + c->count; in++)
        count += in->profile->device_count;
    struct pr_device *devices = pr_arena_array(c->arena, count, sizeof *devices);
    c->out->devices = devices;
    for (const struct incoming *in = c->in; devices && in < c->in + c->count; in++) {
        for (uint32_t i = 0; i < in->profile->device_count; i++) {
            struct pr_device *device = &devices[c->out->device_count++];
            *device = in->profile->devices[i];
            device->name = copy_text(c, device->name);
            if (!device->name)
                return false;
        }
    }
    return devices != NULL;
}

static bool make_device_ooms(struct combining *c)
{
    size_t count = 0;
    for (const struct incoming *in = c->in; in < c->in + c->count; in++)
        count += in->profile->device_oom_count;
    struct pr_device_oom *ooms = pr_arena_array(c->arena, count, sizeof *ooms);
    c->out->device_ooms = ooms;
    for (const struct incoming *in = c->in; ooms && in < c->in + c->count; in++) {
        for (uint32_t i = 0; i < in->profile->device_oom_count; i++) {
            struct pr_device_oom *oom = &ooms[c->out->device_oom_count++];
            *oom = in->profile->device_ooms[i];
            oom->name = copy_text(c, oom->name);
            if (!oom->name)
                return false;
        }
    }
    return ooms != NULL;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static bool add_part(struct combining *c, struct incoming *in, const char *name, uint32_t number)
{
    const struct pr_meta *meta = &in->profile->meta;
    const struct pr_part whole = {.format = meta->format,
                                  .format_title = meta->format_title,
                                  .format_version = meta->format_version,
                                  .compression = meta->compression,
                                  .size_bytes = meta->size_bytes,
                                  .has_allocations = pr_profile_has_allocations(in->profile)};
    struct pr_part part = in->profile->part_count ? in->profile->parts[number] : whole;
    part.format = copy_text(c, part.format ? part.format : "");
    part.format_title = copy_text(c, part.format_title ? part.format_title : "");
    part.compression = part.compression ? copy_text(c, part.compression) : NULL;
    part.name = in->profile->part_count ? pr_renumber_string(&in->parts, part.name)
                : name                  ? pr_strings_add(&c->out->strings, name, strlen(name))
                                        : 0;
    c->parts[c->out->part_count++] = part;
    return part.format && part.format_title && part.name != PR_NO_STR;
}

/* Room for everything that is counted before it is added. False: no memory, or more than can be numbered. */
static bool make_room(struct combining *c)
{
    struct pr_profile *out = c->out;
    size_t processes = 0, metrics = 0, parts = 0;
    for (struct incoming *in = c->in; in < c->in + c->count; in++) {
        const struct pr_profile *from = in->profile;
        in->first_fact = out->fact_count;
        in->first_exact = out->exact_count;
        in->first_part = (uint32_t)parts;
        if (!pr_add_size(out->fact_count, from->fact_count, &out->fact_count) ||
            !pr_add_size(out->exact_count, from->exact_count, &out->exact_count))
            return false;
        processes += from->process_count;
        metrics += from->metric_count;
        parts += from->part_count ? from->part_count : 1;
    }
    c->processes = pr_arena_array(c->arena, processes, sizeof *c->processes);
    c->metrics = pr_arena_array(c->arena, metrics, sizeof *c->metrics);
    c->parts = pr_arena_array(c->arena, parts, sizeof *c->parts);
    out->parts = c->parts;
    return c->processes && c->metrics && c->parts && out->fact_count < UINT32_MAX && out->exact_count < UINT32_MAX;
}

static bool combine(struct combining *c, const char *const *names)
{
    if (!make_room(c) || !pr_numbers_init(&c->numbers, &c->out->strings))
        return false;
    for (size_t i = 0; i < c->count; i++) {
        struct incoming *in = &c->in[i];
        if (!number(c, in))
            return false;
        for (uint32_t k = 0; k < (in->profile->part_count ? in->profile->part_count : 1); k++) {
            if (!add_part(c, in, names ? names[i] : NULL, k))
                return false;
        }
    }
    return make_tree(c) && make_threads(c) && make_facts(c) && make_metrics(c) && make_exact(c) && make_bins(c) &&
           make_objects(c) && make_slices(c) && make_moments(c) && make_series(c) && make_run(c) && make_notes(c) &&
           make_devices(c) && make_device_ooms(c);
}

static bool combining_init(struct combining *c, const struct pr_profile *const *profiles, size_t count)
{
    c->count = count;
    c->in = calloc(count + 1, sizeof *c->in);
    for (size_t i = 0; c->in && i < count; i++) {
        c->in[i].profile = profiles[i];
        if (!c->main && pr_profile_has_allocations(profiles[i]))
            c->main = &c->in[i];
    }
    c->main = c->main ? c->main : c->in;
    return c->in && c->out && pr_strings_init(&c->out->strings, NULL) == PR_OK;
}

static void combining_clear(struct combining *c)
{
    for (size_t i = 0; c->in && i < c->count; i++)
        pr_renumber_clear(&c->in[i].parts);
    free(c->in);
    pr_numbers_clear(&c->numbers);
}

enum pr_status pr_combine(const struct pr_profile *const *profiles, const char *const *names, size_t count,
                          struct pr_profile **combined, struct pr_error *err)
{
    *combined = NULL;
    if (!count)
        return pr_fail(err, PR_ERR_EMPTY, PR_NO_OFFSET, NULL, "there is nothing to combine");
    struct combining c = {.out = calloc(1, sizeof *c.out)};
    c.arena = c.out ? &c.out->arena : NULL;
    const bool done = combining_init(&c, profiles, count) && combine(&c, names) && pr_owner_settle(c.out, err) == PR_OK;
    combining_clear(&c);
    if (!done) {
        pr_profile_free(c.out);
        return pr_fail_memory(err);
    }
    *combined = c.out;
    return PR_OK;
}
