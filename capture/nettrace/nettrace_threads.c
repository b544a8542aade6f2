/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/nettrace/nettrace.h"

#include "capture/base/checked.h"

/* What a thread of version 6 may have. */
enum { NAME = 1, PROCESS, SYSTEM, PAIR };

struct pr_nettrace_thread *pr_nettrace_thread_of(struct pr_nettrace *r, uint64_t number)
{
    const uint32_t known = r->thread_ids.count;
    const bool room = pr_grow(&r->threads, &r->thread_capacity, known + (size_t)1, sizeof *r->threads);
    const uint32_t at = room ? pr_idset_add(&r->thread_ids, &number, 1) : PR_NO_ID;
    if (at == PR_NO_ID) {
        pr_build_no_memory(&r->c);
        return NULL;
    }
    if (at == known)
        r->threads[at] = (struct pr_nettrace_thread){.thread = pr_build_thread(&r->c, r->process, number)};
    return &r->threads[at];
}

static void take_row(struct pr_nettrace *r, struct pr_nettrace_bytes row)
{
    const uint64_t number = pr_nettrace_varint(&row);
    uint64_t system = number;
    uint32_t process = r->process;
    struct pr_buf name = {0};
    while (!row.failed && row.at < row.end) {
        const uint64_t what = pr_nettrace_number(&row, 1);
        if (what == NAME) {
            name.length = 0;
            pr_nettrace_utf8(&row, &name);
        } else if (what == PROCESS) {
            process = pr_build_process(&r->c, pr_nettrace_varint(&row), 0);
        } else if (what == SYSTEM) {
            system = pr_nettrace_varint(&row);
        } else if (what == PAIR) {
            pr_nettrace_utf8(&row, NULL);
            pr_nettrace_utf8(&row, NULL);
        } else {
            break; /* of a later version */
        }
    }
    struct pr_nettrace_thread *thread = row.failed ? NULL : pr_nettrace_thread_of(r, number);
    if (row.failed)
        pr_nettrace_damaged(r, &row);
    if (thread) {
        pr_build_number_thread(&r->c, thread->thread, process, system);
        pr_build_name_thread(&r->c, thread->thread, pr_build_buf(&r->c, &name));
    }
    pr_buf_clear(&name);
}

void pr_nettrace_take_threads(struct pr_nettrace *r)
{
    struct pr_nettrace_bytes rest = r->block.bytes;
    while (!rest.failed && rest.at < rest.end && pr_build_going(&r->c)) {
        const struct pr_nettrace_bytes row = pr_nettrace_part(&rest, pr_nettrace_number(&rest, 2));
        if (!rest.failed)
            take_row(r, row);
    }
    if (rest.failed)
        pr_nettrace_damaged(r, &rest);
}
