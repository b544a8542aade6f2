/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks are kept as they came, and become nodes when a sample has them: most are of events that are not read. */
#include "capture/nettrace/nettrace.h"

#include "capture/base/checked.h"

void pr_nettrace_forget_stacks(struct pr_nettrace *r)
{
    pr_idset_clear(&r->stacks.ids);
    r->stacks.ids = (struct pr_idset){.words = 1};
    r->stacks.bytes.length = 0;
}

static void keep(struct pr_nettrace *r, uint64_t number, struct pr_nettrace_bytes stack)
{
    struct pr_nettrace_stacks *s = &r->stacks;
    const size_t first = s->bytes.length, size = (size_t)(stack.end - stack.at);
    pr_buf_add(&s->bytes, stack.at, size);
    const bool room = pr_grow(&s->stacks, &s->capacity, s->ids.count + (size_t)1, sizeof *s->stacks);
    const uint32_t at = room && !s->bytes.failed ? pr_idset_add(&s->ids, &number, 1) : PR_NO_ID;
    if (at == PR_NO_ID)
        pr_build_no_memory(&r->c);
    else
        s->stacks[at] = (struct pr_nettrace_stack){first, size, PR_NO_ID};
}

void pr_nettrace_take_stacks(struct pr_nettrace *r)
{
    struct pr_nettrace_bytes rest = r->block.bytes;
    const uint64_t first = pr_nettrace_number(&rest, 4), count = pr_nettrace_number(&rest, 4);
    for (uint64_t i = 0; i < count && !rest.failed && pr_build_going(&r->c); i++) {
        const struct pr_nettrace_bytes stack = pr_nettrace_part(&rest, pr_nettrace_number(&rest, 4));
        if (!rest.failed)
            keep(r, (uint32_t)(first + i), stack);
    }
    if (rest.failed)
        pr_nettrace_damaged(r, &rest);
}

/* Addresses are innermost first. */
static pr_node_id make(struct pr_nettrace *r, const struct pr_nettrace_stack *stack)
{
    const unsigned size = r->pointer_bytes;
    const uint8_t *bytes = (const uint8_t *)r->stacks.bytes.bytes + stack->first;
    pr_node_id node = PR_ROOT;
    if (stack->size % size || stack->size / size > r->c.options->limits.max_depth) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        return PR_ROOT;
    }
    for (size_t at = stack->size; at > 0; at -= size) {
        struct pr_nettrace_bytes address = {bytes + at - size, bytes + at, false};
        node = pr_build_child(&r->c, node, pr_build_forward(&r->c, pr_nettrace_number(&address, size)));
    }
    return node;
}

pr_node_id pr_nettrace_stack_of(struct pr_nettrace *r, uint32_t number)
{
    const uint64_t key = number;
    if (!number)
        return PR_ROOT;
    const uint32_t at = pr_idset_find(&r->stacks.ids, &key, 1);
    if (at == PR_NO_ID) {
        pr_build_damage(&r->c, PR_DAMAGE_FRAMES, 1);
        return PR_ROOT;
    }
    struct pr_nettrace_stack *stack = &r->stacks.stacks[at];
    if (stack->node == PR_NO_ID)
        stack->node = make(r, stack);
    return stack->node;
}
