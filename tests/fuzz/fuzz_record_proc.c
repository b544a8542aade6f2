/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as what the kernel says: nothing is read past them, and everything found lies within. */
#include "cli/record/record_proc.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void must_lie_in(struct pr_text part, struct pr_text whole)
{
    if (part.bytes < whole.bytes || part.bytes + part.length > whole.bytes + whole.length)
        abort();
}

static void look_at_line(struct pr_text line)
{
    struct pr_proc_cgroup group;
    struct pr_proc_mount mount;
    if (pr_proc_parse_cgroup(line, &group)) {
        must_lie_in(group.controllers, line);
        must_lie_in(group.path, line);
        pr_proc_lists(group.controllers, "memory");
    }
    if (pr_proc_parse_mount(line, &mount)) {
        must_lie_in(mount.root, line);
        must_lie_in(mount.point, line);
        must_lie_in(mount.options, line);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char *copy = malloc(length ? length : 1); /* its end is the end: no NUL to run into */
    if (!copy)
        return 0;
    memcpy(copy, bytes, length);
    const struct pr_text text = {copy, (uint32_t)length};
    struct pr_proc_stat stat;
    struct pr_text line;
    uint64_t a, b;
    pr_proc_parse_stat(text, &stat);
    pr_proc_find(text, "oom_kill", &a);
    pr_proc_parse_number(text, &a);
    pr_proc_parse_net(text, &a, &b);
    pr_proc_parse_pressure(text, &a);
    for (size_t at = 0, before = 0; pr_proc_next_pid(text, &at) > 0; before = at)
        if (at <= before)
            abort();
    for (size_t at = 0; pr_proc_next_line(text, &at, &line);)
        look_at_line(line);
    free(copy);
    return 0;
}
