/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads by name, and what their stacks hold: a node for each frame with local variables, below the thread, as Eclipse
 * MAT has local variables. So a thread retains what only its stack holds.
 */
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/base/utf8.h"
#include "capture/graph/hprof.h"

#include <inttypes.h>

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* What the last field NAME of the object refers to: of those of one name, the one of the topmost class. */
static uint32_t target_of(const struct pr_hprof *r, uint32_t node, const char *name)
{
    const struct pr_graph *graph = &r->graph;
    if (pr_hprof_form_of(r, graph->kind[node]) != PR_HPROF_INSTANCE)
        return PR_NO_ID;
    const struct pr_hprof_class *class = &r->classes[pr_hprof_what(r, graph->kind[node])];
    for (uint32_t i = class->reference_count; i-- > 0;) {
        if (i >= graph->first[node + 1] - graph->first[node] ||
            !pr_hprof_is_called(r, r->references[class->first_reference + i].name, name))
            continue;
        const uint32_t to = graph->to[graph->first[node] + i];
        return to == node ? PR_NO_ID : to;
    }
    return PR_NO_ID;
}

/* The place of NODE in a list of nodes that rises, whose elements have SIZE bytes and begin with the node. */
static size_t place_of(const void *list, size_t count, size_t size, uint32_t node)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        uint32_t at;
        memcpy(&at, (const char *)list + middle * size, sizeof at);
        if (at == node)
            return middle;
        if (at < node)
            low = middle + 1;
        else
            high = middle;
    }
    return count;
}

static void add_units(struct pr_buf *out, const uint8_t *bytes, size_t length, unsigned unit_bytes, bool high_first)
{
    uint32_t high = 0;
    for (size_t i = 0; i + unit_bytes <= length; i += unit_bytes) {
        const uint32_t unit = unit_bytes == 1 ? bytes[i]
                              : high_first    ? (uint32_t)bytes[i] << 8 | bytes[i + 1]
                                              : (uint32_t)bytes[i + 1] << 8 | bytes[i];
        pr_utf8_add_utf16(out, &high, unit);
    }
    pr_utf8_end_utf16(out, high);
}

static bool is_blank(const uint8_t *bytes, size_t length)
{
    while (length && !bytes[length - 1])
        length--;
    return !length;
}

/*
 * Appends the string of NODE, a java.lang.String; false: its contents were not kept, or are nothing but zeros, as in a
 * dump from which all contents were taken.
 */
static bool add_string(const struct pr_hprof *r, uint32_t node, struct pr_buf *out)
{
    const struct pr_hprof_threads *threads = &r->threads;
    const uint32_t array = node == PR_NO_ID ? PR_NO_ID : target_of(r, node, "value");
    const size_t at = place_of(threads->texts, threads->text_count, sizeof *threads->texts, array);
    if (array == PR_NO_ID || at == threads->text_count)
        return false;
    const uint8_t *bytes = (const uint8_t *)threads->text_bytes.bytes + threads->texts[at].at;
    if (is_blank(bytes + 1, *bytes))
        return false;
    const bool is_char = pr_hprof_what(r, r->graph.kind[array]) == PR_HPROF_CHAR,
               is_wide = is_char || place_of(threads->wide, threads->wide_count, sizeof *threads->wide, node) <
                                        threads->wide_count;
    add_units(out, bytes + 1, *bytes, is_wide ? 2 : 1, is_char);
    return true;
}

/* "thread main", or its number. */
static pr_str name_of(struct pr_hprof *r, uint32_t index)
{
    const struct pr_hprof_thread *thread = &r->threads.list[index];
    const struct pr_text known = pr_profile_text(r->c.profile, thread->name ? pr_hprof_string(r, thread->name) : 0);
    struct pr_buf text = {0};
    pr_buf_text(&text, "thread ");
    if (known.length)
        pr_buf_add(&text, known.bytes, known.length);
    else if (!add_string(r, target_of(r, thread->node, "name"), &text))
        pr_buf_printf(&text, "number %" PRIu64, r->threads.serials.keys[index]);
    return pr_build_buf(&r->c, &text);
}

/* Of elements that begin with a node. */
static int by_node(const void *a, const void *b, const void *context)
{
    const uint32_t *x = a, *y = b;
    (void)context;
    return PR_ORDER(*x, *y);
}

/* Threads whose object is known, by it, with their names. */
static bool find_threads(struct pr_hprof *r)
{
    struct pr_hprof_threads *threads = &r->threads;
    for (size_t i = 0; i < r->root_count; i++) {
        const uint32_t index = r->roots[i].kind == PR_HPROF_THREAD ? pr_hprof_thread(r, r->roots[i].thread) : PR_NO_ID;
        if (index == PR_NO_ID || r->roots[i].node == PR_NO_ID || threads->list[index].node != PR_NO_ID)
            continue;
        threads->list[index].node = r->roots[i].node;
        threads->list[index].stack = r->roots[i].frame;
    }
    if (r->c.status == PR_FAILED)
        return false;
    threads->by_node = malloc((threads->serials.count + (size_t)1) * sizeof *threads->by_node);
    for (uint32_t i = 0; threads->by_node && i < threads->serials.count; i++) {
        const uint32_t node = threads->list[i].node;
        if (node == PR_NO_ID || pr_hprof_form_of(r, r->graph.kind[node]) != PR_HPROF_INSTANCE)
            continue;
        r->classes[pr_hprof_what(r, r->graph.kind[node])].has_threads = true;
        threads->list[i].text = name_of(r, i);
        threads->by_node[threads->by_node_count].node = node;
        threads->by_node[threads->by_node_count++].thread = i;
    }
    return threads->by_node && r->c.status != PR_FAILED &&
           pr_sort(threads->by_node, threads->by_node_count, sizeof *threads->by_node, by_node, NULL);
}

pr_str pr_hprof_thread_name(const struct pr_hprof *r, uint32_t node)
{
    const struct pr_hprof_threads *threads = &r->threads;
    const uint32_t kind = r->graph.kind[node];
    if (pr_hprof_form_of(r, kind) != PR_HPROF_INSTANCE || !r->classes[pr_hprof_what(r, kind)].has_threads)
        return 0;
    const size_t at = place_of(threads->by_node, threads->by_node_count, sizeof *threads->by_node, node);
    return at < threads->by_node_count ? threads->list[threads->by_node[at].thread].text : 0;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static const struct pr_hprof_frame *frame_of(const struct pr_hprof *r, const struct pr_hprof_local *local)
{
    const struct pr_hprof_threads *threads = &r->threads;
    const uint64_t serial = threads->list[local->thread].stack;
    const uint32_t index = pr_idset_find(&threads->stack_serials, &serial, 1);
    if (index == PR_NO_ID || local->frame >= threads->stacks[index].count)
        return NULL;
    const uint64_t id = threads->stack_frames[threads->stacks[index].first + local->frame];
    const uint32_t frame = pr_idset_find(&threads->frame_ids, &id, 1);
    return frame == PR_NO_ID ? NULL : &threads->frames[frame];
}

/* "local in com.acme.Loader.run". */
void pr_hprof_local_place(struct pr_hprof *r, uint32_t what, struct pr_place *place)
{
    const struct pr_hprof_threads *threads = &r->threads;
    const struct pr_hprof_local *local = &threads->locals[what - PR_HPROF_ROOTS - 1];
    const struct pr_hprof_frame *frame = frame_of(r, local);
    struct pr_buf text = {0};
    pr_buf_text(&text, local->is_native ? "JNI local" : "local");
    if (frame) {
        const uint64_t serial = frame->class_serial;
        const uint32_t class = pr_idset_find(&threads->class_serials, &serial, 1);
        const struct pr_text method = pr_profile_text(r->c.profile, pr_hprof_string(r, frame->method));
        const struct pr_text owner = pr_profile_text(
            r->c.profile, class == PR_NO_ID ? 0 : pr_hprof_class_text(r, threads->class_of_serial[class]));
        pr_buf_text(&text, " in ");
        if (owner.length)
            pr_buf_add(&text, owner.bytes, owner.length);
        pr_buf_text(&text, owner.length ? "." : "");
        pr_buf_add(&text, method.bytes, method.length);
        place->file = pr_hprof_string(r, frame->source);
        place->line = place->definition_line = frame->line > 0 && place->file ? frame->line : 0;
    } else if (!local->is_native) {
        pr_buf_text(&text, " variable");
    }
    place->function = pr_build_buf(&r->c, &text);
}

/* ---- what they hold ---------------------------------------------------------------------------------------------- */

struct pair {
    uint32_t from, to;
};

static int by_pair(const void *a, const void *b, const void *context)
{
    const struct pair *x = a, *y = b;
    (void)context;
    return x->from != y->from ? PR_ORDER(x->from, y->from) : PR_ORDER(x->to, y->to);
}

/* The index of the local variables that root I is of; PR_NO_ID: none, or the thread is not known. */
static uint32_t local_of(struct pr_hprof *r, size_t i)
{
    struct pr_hprof_threads *threads = &r->threads;
    const bool is_native = r->roots[i].kind == PR_HPROF_JNI_LOCAL;
    const uint64_t serial = r->roots[i].thread;
    if ((r->roots[i].kind != PR_HPROF_FRAME && !is_native) || r->roots[i].node == PR_NO_ID)
        return PR_NO_ID;
    const uint32_t thread = pr_idset_find(&threads->serials, &serial, 1);
    if (thread == PR_NO_ID || !threads->list[thread].text)
        return PR_NO_ID;
    const uint64_t key[2] = {pr_pair(thread, is_native), r->roots[i].frame};
    const uint32_t known = threads->local_keys.count, index = pr_idset_add(&threads->local_keys, key, 2);
    if (index == PR_NO_ID ||
        !pr_grow(&threads->locals, &threads->local_capacity, index + (size_t)1, sizeof *threads->locals)) {
        pr_build_no_memory(&r->c);
        return PR_NO_ID;
    }
    if (index == known)
        threads->locals[index] = (struct pr_hprof_local){thread, r->roots[i].frame, is_native};
    return index;
}

/* Makes a node of each, which refers to its objects. HELD: [count] of locals and objects, sorted. */
static bool add_nodes(struct pr_hprof *r, const struct pair *held, size_t count)
{
    struct pr_graph *graph = &r->graph;
    size_t at = 0;
    for (uint32_t i = 0; i < r->threads.local_keys.count; i++) {
        const uint64_t key = (uint64_t)PR_HPROF_LABEL << 32 | (PR_HPROF_ROOTS + 1 + i);
        const uint32_t kind = pr_idset_add(&r->kinds, &key, 1);
        if (kind == PR_NO_ID || !pr_graph_node(graph, kind, 0))
            return false;
        for (; at < count && held[at].from == i; at++)
            if (!at || by_pair(&held[at - 1], &held[at], NULL))
                if (!pr_graph_edge(graph, held[at].to))
                    return false;
    }
    graph->first[graph->count] = graph->edge_count;
    return true;
}

/* Adds references of threads to nodes, which are sorted, after those that they have. */
static bool add_edges(struct pr_graph *graph, const struct pair *edges, uint32_t count)
{
    size_t end = graph->edge_count;
    if (graph->edge_count >= UINT32_MAX - 1 - count ||
        !pr_grow(&graph->to, &graph->edge_capacity, end + count, sizeof *graph->to))
        return false;
    for (uint32_t k = count; k; k--) {
        const size_t begin = graph->first[edges[k - 1].from + 1];
        memmove(graph->to + begin + k, graph->to + begin, (end - begin) * sizeof *graph->to);
        graph->to[begin + k - 1] = edges[k - 1].to;
        end = begin;
    }
    for (uint32_t node = 0, k = 0; node <= graph->count; node++) {
        while (k < count && edges[k].from < node)
            k++;
        graph->first[node] += k;
    }
    graph->edge_count += count;
    return true;
}

static bool add_locals(struct pr_hprof *r, struct pair *pairs)
{
    const uint32_t nodes = r->graph.count;
    size_t count = 0;
    for (size_t i = 0; i < r->root_count; i++) {
        const uint32_t local = local_of(r, i);
        if (local == PR_NO_ID)
            continue;
        pairs[count++] = (struct pair){local, r->roots[i].node};
        r->roots[i].node = PR_NO_ID;
    }
    if (r->c.status == PR_FAILED || !pr_sort(pairs, count, sizeof *pairs, by_pair, NULL) || !add_nodes(r, pairs, count))
        return false;
    const uint32_t locals = r->threads.local_keys.count; /* no more than pairs */
    for (uint32_t i = 0; i < locals; i++)
        pairs[i] = (struct pair){r->threads.list[r->threads.locals[i].thread].node, nodes + i};
    return pr_sort(pairs, locals, sizeof *pairs, by_pair, NULL) && add_edges(&r->graph, pairs, locals);
}

bool pr_hprof_link_threads(struct pr_hprof *r)
{
    struct pair *pairs = malloc((r->root_count + 1) * sizeof *pairs);
    const bool done = pairs && r->root_count < UINT32_MAX / 2 && find_threads(r) && add_locals(r, pairs);
    free(pairs);
    free(r->threads.texts);
    free(r->threads.wide);
    r->threads.texts = NULL;
    r->threads.wide = NULL;
    pr_buf_clear(&r->threads.text_bytes);
    return done;
}
