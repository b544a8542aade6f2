/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of pprof's samples: which there are, and those that the user wants as the first levels of all stacks.
 *
 *     struct pr_pprof_labels labels;
 *     pr_pprof_labels_init(&labels, &collect, options->tag_root);
 *     for (each sample) {
 *         pr_pprof_labels_begin(&labels);
 *         for (each of its labels)
 *             pr_pprof_labels_add(&labels, &label);
 *         pr_node_id outermost = pr_pprof_labels_root(&labels);
 *     }
 *     pr_pprof_labels_end(&labels);
 *     pr_pprof_labels_clear(&labels);
 */
#ifndef PR_CAPTURE_READERS_PPROF_LABELS_H
#define PR_CAPTURE_READERS_PPROF_LABELS_H

#include "capture/builder/profile_builder.h"

#include "profrender/buf.h"

enum { PR_MAX_TAG_ROOTS = 8 };

/* A label as the file has it: text, or otherwise a number. One with neither has no value, as for `go tool pprof`. */
struct pr_pprof_label {
    pr_str key, text, unit; /* the unit is that of the number */
    int64_t number;
    bool is_shown; /* it identifies the thread */
};

struct pr_pprof_labels {
    struct pr_profile_builder *c;
    struct pr_idset shown, others; /* keys */
    uint32_t count; /* levels that are wanted */
    struct pr_tag_root {
        pr_str key;
        struct pr_buf values; /* of the sample, with commas between */
        pr_str long_text;     /* the only value of the sample, instead of these; 0 = none */
    } root[PR_MAX_TAG_ROOTS];
    struct pr_idset long_texts;      /* level, text */
    pr_frame_id *frame_of_long_text; /* [long_texts] */
    size_t long_text_capacity;
};

/* TAG_ROOT: keys with commas between, the outermost level first; NULL: none. C is borrowed until the clear. */
void pr_pprof_labels_init(struct pr_pprof_labels *labels, struct pr_profile_builder *c, const char *tag_root);
void pr_pprof_labels_clear(struct pr_pprof_labels *labels);

void pr_pprof_labels_begin(struct pr_pprof_labels *labels);
void pr_pprof_labels_add(struct pr_pprof_labels *labels, const struct pr_pprof_label *label);

/* The node that the sample's stack begins below: PR_ROOT, or a level for each wanted key, such as "worker: 3". */
pr_node_id pr_pprof_labels_root(struct pr_pprof_labels *labels);

/* Notes which labels are not shown. A wanted one that no sample has is an error of the collection, PR_ERR_ABSENT. */
void pr_pprof_labels_end(struct pr_pprof_labels *labels);

#endif
