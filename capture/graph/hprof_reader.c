/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heap dumps of the JVM (hprof): of jmap, jcmd GC.heap_dump, HeapDumpOnOutOfMemoryError, Android, and the
 * agent of JDK 8 and before.
 *
 * Source: doc/formats/heap-graphs.md.
 */
#include "capture/base/checked.h"
#include "capture/builder/reader.h"
#include "capture/graph/hprof.h"

#include <inttypes.h>

static const char magic[] = "JAVA PROFILE 1.0";

enum { MAGIC_BYTES = sizeof magic - 1, NAME_BYTES = 19, HEAD_BYTES = NAME_BYTES + 12, RECORD_BYTES = 9 };

enum {
    STRING = 1,
    LOAD_CLASS = 2,
    FRAME = 4,
    STACK = 5,
    START_THREAD = 6,
    HEAP_DUMP = 0x0c,
    SEGMENT = 0x1c,
    END = 0x2c
};

/* "JAVA PROFILE 1.0.2", a NUL, the size of ids, and when it was written. */
static enum pr_status read_head(struct pr_hprof *r)
{
    if (!pr_source_need(r->src, HEAD_BYTES))
        return pr_fail(r->c.err, PR_ERR_TRUNCATED, 0, "header", "the input ends in its header");
    r->id_bytes = (unsigned)pr_hprof_number(r->src->at + NAME_BYTES, 4);
    r->c.profile->meta.format_version = r->src->at[NAME_BYTES - 2] - '0';
    if (r->src->at[NAME_BYTES - 1] || (r->id_bytes != 4 && r->id_bytes != 8))
        return pr_fail(r->c.err, PR_ERR_DAMAGED, 0, "header", "ids have %u bytes; 4 and 8 are known", r->id_bytes);
    pr_source_skip(r->src, HEAD_BYTES);
    return PR_OK;
}

static enum pr_status cut(struct pr_hprof *r)
{
    if (r->src->error.code != PR_ERR_NONE && r->c.err->code == PR_ERR_NONE)
        *r->c.err = r->src->error;
    return pr_cut(r->c.err, PR_ERR_TRUNCATED, pr_source_offset(r->src), "heap dump",
                  "the input ends before the dump does");
}

static enum pr_status skip(struct pr_hprof *r, uint64_t bytes)
{
    while (bytes && pr_source_need(r->src, 1)) {
        const size_t have = (size_t)(r->src->end - r->src->at), now = bytes < have ? (size_t)bytes : have;
        pr_source_skip(r->src, now);
        bytes -= now;
    }
    return bytes ? cut(r) : PR_OK;
}

static enum pr_status read_string(struct pr_hprof *r, uint64_t length)
{
    enum { MOST_BYTES = 4096 };
    const uint64_t text = length - r->id_bytes;
    const size_t kept = text < MOST_BYTES ? (size_t)text : MOST_BYTES;
    if (!pr_source_need(r->src, r->id_bytes + kept))
        return cut(r);
    pr_hprof_add_string(r, pr_hprof_number(r->src->at, r->id_bytes),
                        pr_build_string(&r->c, r->src->at + r->id_bytes, kept));
    return skip(r, length);
}

/* Serial number, class, stack, name. */
static enum pr_status read_class(struct pr_hprof *r, uint64_t length)
{
    if (!pr_source_need(r->src, 8 + 2 * r->id_bytes))
        return cut(r);
    const uint32_t index = pr_hprof_class(r, pr_hprof_number(r->src->at + 4, r->id_bytes));
    pr_hprof_add_class_serial(r, (uint32_t)pr_hprof_number(r->src->at, 4),
                              pr_hprof_number(r->src->at + 4, r->id_bytes));
    if (index != PR_NO_ID)
        r->classes[index].name = pr_hprof_number(r->src->at + 8 + r->id_bytes, r->id_bytes);
    return skip(r, length);
}

/* A frame, a stack or a thread, of LENGTH bytes. */
static enum pr_status read_stack(struct pr_hprof *r, uint8_t tag, uint64_t length)
{
    enum { MOST_BYTES = 1 << 20 };
    const bool is_known = length <= MOST_BYTES;
    if (is_known && !pr_source_need(r->src, (size_t)length))
        return cut(r);
    const uint8_t *record = r->src->at;
    const bool is_good = is_known && (tag == FRAME   ? pr_hprof_add_frame(r, record, (size_t)length)
                                      : tag == STACK ? pr_hprof_add_stack(r, record, (size_t)length)
                                                     : pr_hprof_add_thread(r, record, (size_t)length));
    pr_build_damage(&r->c, PR_DAMAGE_RECORDS, !is_good);
    return skip(r, length);
}

static enum pr_status read_record(struct pr_hprof *r)
{
    const uint8_t tag = *r->src->at;
    const uint64_t length = pr_hprof_number(r->src->at + 5, 4);
    pr_source_skip(r->src, RECORD_BYTES);
    const uint64_t least = tag == STRING ? r->id_bytes : tag == LOAD_CLASS ? 8 + 2 * r->id_bytes : 0;
    if (length < least) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        return skip(r, length);
    }
    if (tag == STRING)
        return read_string(r, length);
    if (tag == LOAD_CLASS)
        return read_class(r, length);
    if (tag == FRAME || tag == STACK || tag == START_THREAD)
        return read_stack(r, tag, length);
    if (tag == HEAP_DUMP || tag == SEGMENT) {
        r->has_end = tag == HEAP_DUMP;
        const enum pr_status status = pr_hprof_read_segment(r, length);
        return status == PR_CUT ? cut(r) : status;
    }
    r->has_end |= tag == END;
    return skip(r, length);
}

/* Another dump in the same file: its ids are its own, so it is left out. */
static bool is_followed(struct pr_hprof *r)
{
    return r->has_end && pr_source_need(r->src, MAGIC_BYTES) && !memcmp(r->src->at, magic, MAGIC_BYTES);
}

/* The JVM's agent, in JDK 8 and before, writes all objects at each SIGQUIT and at the end: each time a whole dump. */
static bool has_next_dump(struct pr_hprof *r)
{
    return r->has_end && pr_source_need(r->src, RECORD_BYTES) && (*r->src->at == HEAP_DUMP || *r->src->at == SEGMENT);
}

static enum pr_status read_records(struct pr_hprof *r)
{
    enum pr_status status = read_head(r);
    while (status == PR_OK && pr_build_going(&r->c) && !is_followed(r) && !has_next_dump(r) &&
           pr_source_need(r->src, RECORD_BYTES))
        status = read_record(r);
    if (status == PR_OK && r->c.status == PR_OK && has_next_dump(r)) {
        r->is_whole = true;
        pr_build_note(&r->c, "the file has later dumps of the same heap, which are left out");
        return PR_OK;
    }
    if (status == PR_OK && is_followed(r)) {
        r->is_whole = true;
        return pr_cut(r->c.err, PR_ERR_DAMAGED, pr_source_offset(r->src), "heap dump",
                      "another dump follows in the same file");
    }
    if (status != PR_OK || r->c.status != PR_OK)
        return status;
    return r->has_end && r->src->at == r->src->end && r->src->error.code == PR_ERR_NONE ? PR_OK : cut(r);
}

/* ---- the profile ------------------------------------------------------------------------------------------------- */

static void add_metrics(struct pr_hprof *r, bool is_whole)
{
    const struct pr_graph_names names = pr_hprof_names(r);
    if (is_whole && r->root_count) {
        pr_graph_to_profile(&r->c, &r->graph, &names);
        pr_build_note(&r->c, "it shows one moment of a heap: below each frame is what would be unreachable without "
                             "it; soft, weak and phantom references retain nothing");
        if (r->undefined)
            pr_build_note(&r->c, "%" PRIu64 " reference%s to objects that the JVM did not write", r->undefined,
                          r->undefined == 1 ? " is" : "s are");
    } else {
        pr_graph_to_classes(&r->c, &r->graph, &names);
        pr_build_note(&r->c, is_whole ? "it has no GC roots, so what retains what is unknown"
                                      : "it ends before all references were read, so what retains what is unknown");
    }
}

static void clear(struct pr_hprof *r)
{
    pr_graph_clear(&r->graph);
    pr_idset_clear(&r->string_ids);
    pr_idset_clear(&r->class_ids);
    pr_idset_clear(&r->kinds);
    free(r->strings);
    free(r->classes);
    free(r->fields);
    free(r->statics);
    free(r->references);
    free(r->ids);
    free(r->targets);
    free(r->class_nodes);
    free(r->roots);
    free(r->held);
    pr_hprof_threads_clear(&r->threads);
    pr_buf_clear(&r->held_bytes);
}

/* The root of all, and those of each kind, come before all objects. */
static void add_labels(struct pr_hprof *r)
{
    for (uint32_t i = 0; i <= PR_HPROF_ROOTS; i++)
        pr_hprof_node(r, 0, PR_HPROF_LABEL, i, 0);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct pr_hprof r = {
        .src = src,
        .string_ids = {.words = 1},
        .class_ids = {.words = 1},
        .kinds = {.words = 1},
        .threads = {.class_serials = {.words = 1}, .frame_ids = {.words = 1}, .stack_serials = {.words = 1},
                    .serials = {.words = 1}, .local_keys = {.words = 2}}};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    add_labels(&r);
    if (status == PR_OK)
        status = read_records(&r);
    if (status != PR_FAILED && r.c.status != PR_FAILED) {
        pr_hprof_take_held(&r);
        if (status == PR_CUT && r.graph.count == 1 + PR_HPROF_ROOTS)
            status = PR_FAILED;
        pr_hprof_link(&r);
    }
    if (status != PR_FAILED && r.c.status != PR_FAILED)
        add_metrics(&r, (status == PR_OK || r.is_whole) && r.c.status == PR_OK);
    clear(&r);
    return pr_build_finish(&r.c, status);
}

static unsigned probe(struct pr_source *src)
{
    return pr_source_need(src, HEAD_BYTES) && !memcmp(src->at, magic, MAGIC_BYTES) ? 8 * MAGIC_BYTES : 0;
}

const struct pr_reader pr_hprof_reader = {"hprof", "JVM heap dump", probe, read};
