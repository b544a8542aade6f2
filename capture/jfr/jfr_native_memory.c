/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/jfr/jfr_native_memory.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <stdlib.h>

void pr_jfr_native_call(struct pr_jfr *r, const struct pr_jfr_seen *event, int64_t size, uint32_t fact)
{
    struct pr_jfr_native *native = &r->native;
    if (!pr_grow(&native->calls, &native->capacity, native->count + 1, sizeof *native->calls)) {
        pr_build_no_memory(&r->c);
        return;
    }
    native->calls[native->count++] = (struct pr_jfr_native_call){
        .at_ns = pr_jfr_seen_time(r, event, PR_JFR_START),
        .address = (uint64_t)pr_jfr_seen_number(event, PR_JFR_A),
        .size = size,
        .fact = fact,
    };
}

static int compare_calls(const void *a, const void *b, const void *context)
{
    const struct pr_jfr_native_call *x = a, *y = b;
    (void)context;
    return PR_ORDER(x->at_ns, y->at_ns);
}

void pr_jfr_native_chunk(struct pr_jfr *r)
{
    struct pr_jfr_native *native = &r->native;
    struct pr_live old;
    bool done = !native->count || ((native->live.slots || pr_liveset_init(&native->live)) &&
                                   pr_sort(native->calls, native->count, sizeof *native->calls, compare_calls, NULL));
    for (size_t i = 0; done && i < native->count; i++) {
        const struct pr_jfr_native_call *call = &native->calls[i];
        const struct pr_live entry = {call->address, (uint64_t)call->size, call->fact + 1, 0};
        if (call->fact == PR_NO_ID)
            pr_liveset_take(&native->live, call->address, &old);
        else
            done = pr_liveset_put(&native->live, &entry, &old);
    }
    if (!done)
        pr_build_no_memory(&r->c);
    native->count = 0;
}

void pr_jfr_native_finish(struct pr_jfr *r)
{
    const struct pr_liveset *live = &r->native.live;
    for (size_t i = 0; live->count && i <= live->mask; i++) {
        const struct pr_live *slot = &live->slots[i];
        if (slot->fact)
            pr_build_add(&r->c, slot->fact - 1,
                         pr_build_metric(&r->c, "native_kept", "Native memory not freed", PR_UNIT_BYTES, "samples"),
                         (int64_t)slot->size, 1);
    }
}

void pr_jfr_native_clear(struct pr_jfr *r)
{
    free(r->native.calls);
    pr_liveset_clear(&r->native.live);
}
