/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pstats: what cProfile and profile dump (`python -m cProfile -o`), and yappi in that form. One marshalled dictionary
 * without a header:
 *
 *     (file, line, name) -> (primitive calls, calls, self s, total s, callers)
 *     callers: (file, line, name) -> (calls, primitive calls, self s, total s) of this function when called from there;
 *                                    very old files have the number of calls alone
 *
 * - The line is that of the definition. Built-in functions have file `~` and line 0.
 * - The total counts recursion once; self times add up to the whole. Totals above the whole are clock noise.
 * - It is a graph: the table is exact, the tree an estimate (capture/builder/call_graph.h). Functions without callers
 *   are roots; the call that ends the profiling is one of them.
 * - There is one thread: cProfile records the one that started it.
 *
 * Source: CPython Lib/cProfile.py (create_stats, snapshot_stats), Lib/pstats.py, 2.7.18 and 3.13; yappi 1.7.6 yappi.py
 * (convert2pstats).
 */
#include "capture/builder/call_graph.h"
#include "capture/parse/marshal.h"
#include "capture/builder/reader.h"

#include "capture/base/checked.h"
#include "capture/parse/frame_text.h"

#include <string.h>

#define NS_PER_S 1e9

struct pstats {
    struct pr_profile_builder c;
    struct pr_marshal m;
    struct pr_idset function_ids; /* frame -> function */
    struct pr_call_graph_function *functions;
    size_t function_capacity;
    struct pr_call_graph_call *calls;
    size_t call_count, call_capacity;
    bool has_no_counts; /* of calls: pyinstrument writes -1, and Tachyon counts samples */
};

static bool is_string_type(uint8_t byte)
{
    return memchr("zZaAutsrR", byte & 0x7F, 9) != NULL;
}

/* A dictionary, a tuple of three as its first key, a string in that. An empty profile is two bytes. */
static unsigned probe(struct pr_source *src)
{
    pr_source_need(src, 7);
    const uint8_t *at = src->at;
    size_t have = (size_t)(src->end - at);
    if (have < 2 || (at[0] & 0x7F) != '{')
        return 0;
    if (have == 2)
        return at[1] == '0' ? 16 : 0;
    if ((at[1] & 0x7F) == ')' && have > 3)
        return at[2] == 3 && is_string_type(at[3]) ? 29 : 0;
    if ((at[1] & 0x7F) == '(' && have > 6)
        return !memcmp(at + 2, "\3\0\0", 4) && is_string_type(at[6]) ? 53 : 0;
    return 0;
}

/* The index of the function of a key, made when it is new. False: OBJECT is not a key. */
static bool function_of(struct pstats *r, uint32_t object, uint32_t *function)
{
    uint32_t parts[3];
    int64_t line;
    if (!pr_marshal_tuple(&r->m, object, parts, 3) || !pr_marshal_scaled(&r->m, parts[1], 1, &line))
        return false;
    const struct pr_marshal_object *file = pr_marshal_get(&r->m, parts[0]), *name = pr_marshal_get(&r->m, parts[2]);
    if (file->kind != PR_MARSHAL_STRING || name->kind != PR_MARSHAL_STRING)
        return false;
    bool builtin = pr_text_is(pr_profile_text(r->c.profile, file->value.string), "~");
    const struct pr_place place = {.function = name->value.string,
                                   .file = builtin ? 0 : file->value.string,
                                   .definition_line = line,
                                   .kind = builtin ? PR_FRAME_NATIVE : PR_FRAME_PYTHON};
    const pr_frame_id frame = pr_build_frame(&r->c, &place);
    const uint64_t key = frame;
    const uint32_t known = r->function_ids.count;
    uint32_t index = PR_NO_ID;
    if (pr_grow(&r->functions, &r->function_capacity, known + (size_t)1, sizeof *r->functions))
        index = pr_idset_add(&r->function_ids, &key, 1);
    if (index == PR_NO_ID) {
        pr_build_no_memory(&r->c);
        return false;
    }
    if (index == known)
        r->functions[index] = (struct pr_call_graph_function){.frame = frame};
    *function = index;
    return true;
}

/* A caller of FUNCTION and what it says about the calls. */
static bool add_caller(struct pstats *r, uint32_t function, uint32_t key, uint32_t value)
{
    struct pr_call_graph_call call = {.callee = function, .total = -1, .self = -1};
    uint32_t parts[4];
    int64_t calls[2] = {0, 0};
    bool good = function_of(r, key, &call.caller);
    if (pr_marshal_tuple(&r->m, value, parts, 4)) {
        /* The order of the two counts differs between writers; there are never fewer calls than primitive ones. */
        good = good && pr_marshal_scaled(&r->m, parts[0], 1, &calls[0]) &&
               pr_marshal_scaled(&r->m, parts[1], 1, &calls[1]) &&
               pr_marshal_scaled(&r->m, parts[2], NS_PER_S, &call.self) &&
               pr_marshal_scaled(&r->m, parts[3], NS_PER_S, &call.total);
        call.self = call.self > 0 ? call.self : 0;
        call.total = call.total > 0 ? call.total : 0;
    } else {
        good = good && pr_marshal_scaled(&r->m, value, 1, &calls[0]);
    }
    call.count = calls[0] > calls[1] ? calls[0] : calls[1];
    if (!good)
        return false;
    if (!pr_grow(&r->calls, &r->call_capacity, r->call_count + 1, sizeof *r->calls)) {
        pr_build_no_memory(&r->c);
        return false;
    }
    r->calls[r->call_count++] = call;
    return true;
}

static bool add_callers(struct pstats *r, uint32_t function, uint32_t object)
{
    const struct pr_marshal_object *callers = pr_marshal_get(&r->m, object);
    if (callers->kind != PR_MARSHAL_DICT)
        return false;
    bool good = true;
    for (uint32_t key = (uint32_t)(callers - r->m.objects) + 1; key < r->m.objects[object].end;) {
        uint32_t value = r->m.objects[key].end;
        good &= add_caller(r, function, key, value);
        key = r->m.objects[value].end;
    }
    return good;
}

static bool add_entry(struct pstats *r, uint32_t key, uint32_t value)
{
    uint32_t parts[5], function;
    struct pr_exact row = {0};
    if (!function_of(r, key, &function) || !pr_marshal_tuple(&r->m, value, parts, 5) ||
        !pr_marshal_scaled(&r->m, parts[0], 1, &row.total_count) ||
        !pr_marshal_scaled(&r->m, parts[1], 1, &row.self_count) ||
        !pr_marshal_scaled(&r->m, parts[2], NS_PER_S, &row.self) ||
        !pr_marshal_scaled(&r->m, parts[3], NS_PER_S, &row.total))
        return false;
    r->has_no_counts |= row.self_count < 0 || row.total_count < 0;
    struct pr_exact *sum = &r->functions[function].row;
    pr_build_damage(&r->c, PR_DAMAGE_BOUNDED, pr_add_bounded(&sum->self, row.self));
    pr_build_damage(&r->c, PR_DAMAGE_BOUNDED, pr_add_bounded(&sum->total, row.total));
    pr_build_damage(&r->c, PR_DAMAGE_BOUNDED, pr_add_bounded(&sum->self_count, row.self_count));
    pr_build_damage(&r->c, PR_DAMAGE_BOUNDED, pr_add_bounded(&sum->total_count, row.total_count));
    return add_callers(r, function, parts[4]);
}

/* The last entry of statistics that Tachyon writes: ("__sampled__",). Source: CPython 3.15 pstats_collector.py. */
static bool is_mark_of_samples(const struct pstats *r, uint32_t key)
{
    uint32_t word;
    if (!pr_marshal_tuple(&r->m, key, &word, 1))
        return false;
    const struct pr_marshal_object *text = pr_marshal_get(&r->m, word);
    return text->kind == PR_MARSHAL_STRING &&
           pr_text_is(pr_profile_text(r->c.profile, text->value.string), "__sampled__");
}

static enum pr_status read_entries(struct pstats *r)
{
    uint32_t key, value;
    if (!pr_marshal_enter_dict(&r->m))
        return PR_FAILED;
    while (pr_build_going(&r->c) && (key = pr_marshal_next(&r->m)) != PR_NO_OBJECT) {
        value = pr_marshal_read(&r->m);
        if (value == PR_NO_OBJECT)
            break;
        if (is_mark_of_samples(r, key))
            r->has_no_counts = true;
        else
            pr_build_damage(&r->c, PR_DAMAGE_RECORDS, !add_entry(r, key, value));
    }
    return r->m.scan.failed ? PR_CUT : PR_OK;
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct pstats r = {.function_ids = {.words = 1}};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    pr_marshal_begin(&r.m, src, &profile->strings, &options->limits, &profile->damage, err);
    uint32_t thread = pr_build_thread(&r.c, pr_build_process(&r.c, 0, 0), 0);
    if (status == PR_OK)
        status = read_entries(&r);
    if (status == PR_CUT && err && err->code == PR_ERR_MEMORY)
        status = PR_FAILED;
    const unsigned metric =
        pr_build_metric(&r.c, "cpu", "Time", PR_UNIT_NANOSECONDS, r.has_no_counts ? NULL : "calls");
    struct pr_call_graph graph = {r.functions, r.function_ids.count, r.calls, r.call_count};
    if (status != PR_FAILED)
        pr_call_graph_collect(&r.c, thread, metric, &graph);
    pr_marshal_end(&r.m);
    free(r.functions);
    free(r.calls);
    pr_idset_clear(&r.function_ids);
    return pr_build_finish(&r.c, status);
}

const struct pr_reader pr_pstats_reader = {"pstats", "cProfile statistics", probe, read};
