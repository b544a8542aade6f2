/* SPDX-License-Identifier: Apache-2.0 */
/* The columns exact.*: what a file says about each function itself, where the tree is an estimate. */
#include "render/payload/payload_internal.h"

#include <stdio.h>
#include <string.h>

/* One member of the rows of metric NUMBER as a column. */
static void add_column(struct pr_encoder *encoder, unsigned number, const char *what, size_t offset)
{
    const struct pr_exact *rows = encoder->profile->metrics[number].exact;
    char name[40];
    snprintf(name, sizeof name, "exact.%u.%s", number, what);
    pr_columns_begin(&encoder->columns);
    for (size_t i = 0; i < encoder->profile->exact_count; i++) {
        int64_t value;
        memcpy(&value, (const char *)&rows[i] + offset, sizeof value);
        pr_columns_sv(&encoder->columns, value);
    }
    pr_columns_end(&encoder->columns, name, "sv");
}

void pr_payload_add_exact(struct pr_encoder *encoder)
{
    const struct pr_profile *profile = encoder->profile;
    struct pr_columns *columns = &encoder->columns;
    if (!profile->exact_count)
        return;
    pr_columns_begin(columns);
    for (size_t i = 0; i < profile->exact_count; i++)
        pr_columns_uv(columns, pr_number_of(&encoder->frames, profile->exact_frame[i]));
    pr_columns_end(columns, "exact.frame", "uv");
    pr_columns_begin(columns);
    for (size_t i = 0; i < profile->exact_count; i++)
        pr_columns_uv(columns, profile->exact_thread[i]);
    pr_columns_end(columns, "exact.thread", "uv");
    for (unsigned i = 0; i < profile->metric_count; i++) {
        if (!profile->metrics[i].exact)
            continue;
        add_column(encoder, i, "self", offsetof(struct pr_exact, self));
        add_column(encoder, i, "total", offsetof(struct pr_exact, total));
        add_column(encoder, i, "selfCount", offsetof(struct pr_exact, self_count));
        add_column(encoder, i, "totalCount", offsetof(struct pr_exact, total_count));
    }
}
