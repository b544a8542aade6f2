/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots of Python's tracemalloc: what Snapshot.dump writes, a pickle of the object.
 *
 * A trace is a block that was alive: (domain, size, traceback, frames in all); (domain, size, traceback) before
 * CPython 3.9, (size, traceback) before 3.6. A traceback has (file, line) for each frame, innermost first, and no
 * functions: a frame is a place.
 *
 * Source: doc/formats/tracemalloc.md.
 */
#include "capture/base/text.h"
#include "capture/builder/profile_builder.h"
#include "capture/builder/reader.h"
#include "capture/parse/pickle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LOOK_BYTES = 160, OLDEST_PARTS = 2, MOST_PARTS = 4 };

struct tracemalloc {
    struct pr_profile_builder c;
    struct pr_pickle p;
    pr_str limit_key;
    uint32_t process;
    unsigned memory;
    int64_t limit; /* frames that were recorded of each stack; 0 = not known */
};

/* Numbers of frames and of stacks are kept apart by their lowest bits. */
enum { FRAME, STACK, KINDS };

static bool is_numbered(pr_pickled value, uint32_t kind, uint32_t *number)
{
    uint32_t handle;
    const bool is = pr_pickle_is_handle(value, &handle) && handle % KINDS == kind;
    *number = is ? handle / KINDS : 0;
    return is;
}

static pr_pickled numbered(uint32_t number, uint32_t kind, pr_pickled otherwise)
{
    return number <= UINT32_MAX / KINDS ? pr_pickle_handle(number * KINDS + kind) : otherwise;
}

/* (file, line): the place is all there is of a function. */
static pr_pickled take_frame(struct tracemalloc *r, pr_pickled tuple, pr_str file, int64_t line)
{
    char text[512];
    const struct pr_text name = pr_text_file_name_anywhere(pr_profile_text(r->c.profile, file));
    const int length =
        snprintf(text, sizeof text, "%.*s:%" PRId64, (int)(name.length < 400 ? name.length : 400), name.bytes, line);
    const struct pr_place place = {.function = pr_build_string(&r->c, text, (size_t)length), .file = file,
                                   .line = line > 0 && line <= INT32_MAX ? line : 0};
    return numbered(pr_build_frame(&r->c, &place), FRAME, tuple);
}

/* A traceback, innermost first. */
static pr_pickled take_stack(struct tracemalloc *r, pr_pickled tuple, const pr_pickled *items, uint32_t count)
{
    uint32_t frame;
    pr_node_id leaf = PR_ROOT;
    if (count > r->c.options->limits.max_depth)
        return tuple;
    for (uint32_t i = count; i-- > 0;) {
        if (!is_numbered(items[i], FRAME, &frame))
            return tuple;
        leaf = pr_build_child(&r->c, leaf, frame);
    }
    return numbered(leaf, STACK, tuple);
}

/* A domain is an allocator that reports its blocks itself, such as numpy's; 0 is Python's own. A thread for each. */
static uint32_t thread_of(struct tracemalloc *r, int64_t domain)
{
    char name[40];
    const uint32_t known = r->c.thread_ids.count;
    const uint32_t thread = pr_build_thread(&r->c, r->process, (uint64_t)domain);
    if (domain && thread == known) {
        const int length = snprintf(name, sizeof name, "domain %" PRId64, domain);
        pr_build_name_thread(&r->c, thread, pr_build_string(&r->c, name, (size_t)length));
    }
    return thread;
}

/* ITEMS: size, traceback, perhaps how many frames there were. False: it is no trace. */
static bool take_trace(struct tracemalloc *r, int64_t domain, const pr_pickled *items, uint32_t count)
{
    int64_t size, frames;
    uint32_t leaf;
    if (!pr_pickle_integer(&r->p, items[0], &size) || !is_numbered(items[1], STACK, &leaf))
        return false;
    if (count > 2 && !pr_pickle_integer(&r->p, items[2], &frames))
        return false;
    if (size < 0) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        return true;
    }
    pr_build_add(&r->c, pr_build_fact(&r->c, leaf, thread_of(r, domain)), r->memory, size, 1);
    return true;
}

static pr_pickled take_tuple(struct tracemalloc *r, pr_pickled tuple)
{
    uint32_t count, number;
    int64_t line, domain = 0;
    pr_str file;
    const pr_pickled *items = pr_pickle_items(&r->p, tuple, &count);
    if (!pr_build_going(&r->c))
        pr_pickle_stop(&r->p, PR_ERR_LIMIT, "there are too many stacks");
    if (count == 2 && pr_pickle_string(&r->p, items[0], &file) && pr_pickle_integer(&r->p, items[1], &line))
        return take_frame(r, tuple, file, line);
    if (count && is_numbered(items[0], FRAME, &number))
        return take_stack(r, tuple, items, count);
    if (count < OLDEST_PARTS || count > MOST_PARTS)
        return tuple;
    const bool has_domain = count > OLDEST_PARTS && pr_pickle_integer(&r->p, items[0], &domain);
    return take_trace(r, domain, items + has_domain, count - has_domain) ? PR_PICKLE_NOTHING : tuple;
}

static pr_pickled take(void *context, pr_pickled container, pr_pickled value)
{
    struct tracemalloc *r = context;
    int64_t limit;
    (void)container;
    if (pr_pickle_kind(&r->p, value) == PR_PICKLE_TUPLE)
        return take_tuple(r, value);
    if (pr_pickle_integer(&r->p, pr_pickle_find(&r->p, value, r->limit_key), &limit))
        r->limit = limit;
    return value;
}

static void add_notes(struct tracemalloc *r)
{
    if (r->limit > 0)
        pr_build_note(&r->c, "at most %" PRId64 " frame%s of each stack %s recorded: tracemalloc.start(N) records N",
                      r->limit, r->limit == 1 ? "" : "s", r->limit == 1 ? "was" : "were");
    pr_build_note(&r->c, "it shows what was in use at one moment; tracemalloc records places, not functions");
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    static const char *const classes[] = {"tracemalloc Snapshot", "tracemalloc _Traces", NULL};
    struct tracemalloc r = {.limit = 0};
    const struct pr_pickle_rules rules = {.classes = classes, .take = take, .context = &r};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    r.process = pr_build_process(&r.c, 0, 0);
    r.memory = pr_build_metric(&r.c, "memory", "Memory", PR_UNIT_BYTES, "blocks");
    r.limit_key = pr_build_text(&r.c, "traceback_limit");
    pr_pickle_begin(&r.p, src, &profile->strings, &rules, &profile->damage, err);
    if (status == PR_OK) {
        const pr_pickled root = pr_pickle_read(&r.p);
        status = pr_pickle_status(&r.p);
        if (status == PR_OK && !pr_text_is(pr_pickle_class(&r.p, root), classes[0]))
            status = pr_cut(err, PR_ERR_DAMAGED, 0, "snapshot", "it is not a snapshot of tracemalloc");
        add_notes(&r);
    }
    pr_pickle_end(&r.p);
    return pr_build_finish(&r.c, status);
}

/* The class is named at the beginning: by STACK_GLOBAL, or by GLOBAL, in protocols 0 and 1 after copyreg's. */
static unsigned probe(struct pr_source *src)
{
    static const char name[] = "tracemalloc";
    const struct pr_source view = pr_source_view(src, LOOK_BYTES);
    const size_t length = (size_t)(view.end - view.at);
    const uint8_t *found = length ? memmem(view.at, length, name, sizeof name - 1) : NULL;
    if (!found || !(pr_pickle_evidence(src) || *view.at == 'c'))
        return 0;
    return memmem(found, (size_t)(view.end - found), "Snapshot", 8) ? 8 * (sizeof name - 1 + 8) : 0;
}

const struct pr_reader pr_tracemalloc_reader = {"tracemalloc", "tracemalloc snapshot", probe, read};
