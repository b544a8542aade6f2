/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads and their stacks as records have them; and what could be the name of one. A dump has threads last, and their
 * names before or after them, as strings among all others: short arrays are kept until it is known which of them are.
 */
#include "capture/base/checked.h"
#include "capture/graph/hprof.h"

enum {
    MOST_CHARACTERS = 120,     /* of a name */
    LEAST_TEXT_BYTES = 16 << 20, /* that are kept, or 8 for each object */
    MOST_TEXT_BYTES = 1 << 30,
    MOST_FRAMES = 1 << 24      /* of all stacks */
};

void pr_hprof_add_class_serial(struct pr_hprof *r, uint32_t serial, uint64_t class_id)
{
    struct pr_hprof_threads *threads = &r->threads;
    const uint64_t key = serial;
    const uint32_t index = pr_idset_add(&threads->class_serials, &key, 1);
    if (index == PR_NO_ID || !pr_grow(&threads->class_of_serial, &threads->class_capacity, index + (size_t)1,
                                      sizeof *threads->class_of_serial))
        pr_build_no_memory(&r->c);
    else
        threads->class_of_serial[index] = class_id;
}

/* Id, method, signature, source file, class, line. */
bool pr_hprof_add_frame(struct pr_hprof *r, const uint8_t *record, size_t length)
{
    struct pr_hprof_threads *threads = &r->threads;
    const unsigned bytes = r->id_bytes;
    if (length < 4 * bytes + 8)
        return false;
    const uint64_t id = pr_hprof_number(record, bytes);
    const uint32_t index = pr_idset_add(&threads->frame_ids, &id, 1);
    if (index == PR_NO_ID ||
        !pr_grow(&threads->frames, &threads->frame_capacity, index + (size_t)1, sizeof *threads->frames)) {
        pr_build_no_memory(&r->c);
        return true;
    }
    threads->frames[index] = (struct pr_hprof_frame){
        .method = pr_hprof_number(record + bytes, bytes),
        .source = pr_hprof_number(record + 3 * bytes, bytes),
        .class_serial = (uint32_t)pr_hprof_number(record + 4 * bytes, 4),
        .line = (int32_t)(uint32_t)pr_hprof_number(record + 4 * bytes + 4, 4)};
    return true;
}

/* Serial number, thread, how many frames, and these. */
bool pr_hprof_add_stack(struct pr_hprof *r, const uint8_t *record, size_t length)
{
    struct pr_hprof_threads *threads = &r->threads;
    const unsigned bytes = r->id_bytes;
    if (length < 12)
        return false;
    const uint64_t serial = pr_hprof_number(record, 4);
    const uint32_t count = (uint32_t)pr_hprof_number(record + 8, 4);
    if (count > (length - 12) / bytes || threads->stack_frame_count + count > MOST_FRAMES)
        return false;
    const uint32_t index = pr_idset_add(&threads->stack_serials, &serial, 1);
    if (index == PR_NO_ID ||
        !pr_grow(&threads->stacks, &threads->stack_capacity, index + (size_t)1, sizeof *threads->stacks) ||
        !pr_grow(&threads->stack_frames, &threads->stack_frame_capacity, threads->stack_frame_count + count,
                 sizeof *threads->stack_frames)) {
        pr_build_no_memory(&r->c);
        return true;
    }
    threads->stacks[index] = (struct pr_hprof_stack){threads->stack_frame_count, count};
    for (uint32_t i = 0; i < count; i++)
        threads->stack_frames[threads->stack_frame_count++] =
            pr_hprof_number(record + 12 + (size_t)i * bytes, bytes);
    return true;
}

uint32_t pr_hprof_thread(struct pr_hprof *r, uint32_t serial)
{
    struct pr_hprof_threads *threads = &r->threads;
    const uint32_t known = threads->serials.count;
    const uint64_t key = serial;
    const uint32_t index = pr_idset_add(&threads->serials, &key, 1);
    if (index == PR_NO_ID ||
        !pr_grow(&threads->list, &threads->list_capacity, index + (size_t)1, sizeof *threads->list)) {
        pr_build_no_memory(&r->c);
        return PR_NO_ID;
    }
    if (index == known)
        threads->list[index] = (struct pr_hprof_thread){.node = PR_NO_ID};
    return index;
}

/* Serial number, object, stack, name, and two names of groups: agents of old JVMs write it, dumps do not. */
bool pr_hprof_add_thread(struct pr_hprof *r, const uint8_t *record, size_t length)
{
    if (length < 8 + 4 * r->id_bytes)
        return false;
    const uint32_t index = pr_hprof_thread(r, (uint32_t)pr_hprof_number(record, 4));
    if (index == PR_NO_ID)
        return true;
    r->threads.list[index].stack = (uint32_t)pr_hprof_number(record + 4 + r->id_bytes, 4);
    r->threads.list[index].name = pr_hprof_number(record + 8 + r->id_bytes, r->id_bytes);
    return true;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

bool pr_hprof_may_be_name(const struct pr_hprof *r, uint8_t type, uint64_t count)
{
    const struct pr_hprof_threads *threads = &r->threads;
    const bool is_text = type == PR_HPROF_BYTE || type == PR_HPROF_CHAR;
    if (!is_text || count > MOST_CHARACTERS * (type == PR_HPROF_BYTE ? 2 : 1))
        return false;
    const size_t taken = threads->text_bytes.length + threads->text_count * sizeof *threads->texts;
    return taken < LEAST_TEXT_BYTES || (taken / 8 < r->graph.count && taken < MOST_TEXT_BYTES);
}

void pr_hprof_keep_text(struct pr_hprof *r, const uint8_t *values, size_t bytes)
{
    struct pr_hprof_threads *threads = &r->threads;
    const size_t at = threads->text_bytes.length;
    pr_buf_byte(&threads->text_bytes, (uint8_t)bytes);
    pr_buf_add(&threads->text_bytes, values, bytes);
    if (threads->text_bytes.failed ||
        !pr_grow(&threads->texts, &threads->text_capacity, threads->text_count + 1, sizeof *threads->texts)) {
        pr_build_no_memory(&r->c);
        return;
    }
    threads->texts[threads->text_count].node = r->graph.count - 1;
    threads->texts[threads->text_count++].at = (uint32_t)at;
}

void pr_hprof_keep_wide(struct pr_hprof *r)
{
    struct pr_hprof_threads *threads = &r->threads;
    if (threads->wide_count * sizeof *threads->wide >= LEAST_TEXT_BYTES)
        return;
    if (!pr_grow(&threads->wide, &threads->wide_capacity, threads->wide_count + 1, sizeof *threads->wide))
        pr_build_no_memory(&r->c);
    else
        threads->wide[threads->wide_count++] = r->graph.count - 1;
}

void pr_hprof_threads_clear(struct pr_hprof_threads *threads)
{
    pr_idset_clear(&threads->class_serials);
    pr_idset_clear(&threads->frame_ids);
    pr_idset_clear(&threads->stack_serials);
    pr_idset_clear(&threads->serials);
    pr_idset_clear(&threads->local_keys);
    free(threads->class_of_serial);
    free(threads->frames);
    free(threads->stacks);
    free(threads->list);
    free(threads->stack_frames);
    free(threads->texts);
    free(threads->wide);
    free(threads->locals);
    free(threads->by_node);
    pr_buf_clear(&threads->text_bytes);
}
