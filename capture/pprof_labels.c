/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of a label become frames above the outermost function, "worker: 3", as `go tool pprof -tagroot` has them;
 * there the name of the function is the bare value and the key is its file, which says little on its own. A sample
 * without the label goes below "(no worker)": totals stay whole.
 *
 * Source: google/pprof internal/driver/tagroot.go and profile/encode.go (postDecode) of Go 1.26.
 */
#include "capture/pprof_labels.h"

#include <inttypes.h>
#include <string.h>

/*
 * So many keys are told: a file can have any number of them. Of several values of one label in one sample only the
 * first may make the name longer than this: two bytes of a file can stand for any text, over and over.
 */
enum { MOST_TOLD = 8, MOST_BYTES_OF_SEVERAL = 256 };

void pr_pprof_labels_init(struct pr_pprof_labels *labels, struct pr_collect *c, const char *tag_root)
{
    *labels = (struct pr_pprof_labels){.c = c, .shown = {.words = 1}, .others = {.words = 1}};
    while (tag_root && *tag_root && c->status == PR_OK) {
        const size_t length = strcspn(tag_root, ",");
        if (length && labels->count == PR_MAX_TAG_ROOTS)
            c->status = pr_fail(c->err, PR_ERR_LIMIT, PR_NO_OFFSET, NULL, "more than %d labels are wanted as levels",
                                PR_MAX_TAG_ROOTS);
        else if (length)
            labels->root[labels->count++].key = pr_collect_string(c, tag_root, length);
        tag_root += length + (tag_root[length] == ',');
    }
}

void pr_pprof_labels_clear(struct pr_pprof_labels *labels)
{
    pr_idset_clear(&labels->shown);
    pr_idset_clear(&labels->others);
    for (uint32_t i = 0; i < labels->count; i++)
        pr_buf_clear(&labels->root[i].values);
}

void pr_pprof_labels_begin(struct pr_pprof_labels *labels)
{
    for (uint32_t i = 0; i < labels->count; i++)
        labels->root[i].values.length = 0;
}

static void add_value(struct pr_pprof_labels *labels, struct pr_buf *values, const struct pr_pprof_label *label)
{
    const struct pr_text text = pr_profile_text(labels->c->profile, label->text);
    const struct pr_text unit = pr_profile_text(labels->c->profile, label->unit);
    const bool is_none = !text.length && !unit.length && !label->number;
    if (is_none || (values->length && values->length + text.length + unit.length > MOST_BYTES_OF_SEVERAL))
        return;
    if (values->length)
        pr_buf_text(values, ", ");
    if (text.length)
        pr_buf_add(values, text.bytes, text.length);
    else
        pr_buf_printf(values, "%" PRId64, label->number);
    if (!text.length && unit.length && label->unit != label->key) { /* "bytes: 64" needs no unit */
        pr_buf_byte(values, ' ');
        pr_buf_add(values, unit.bytes, unit.length);
    }
}

void pr_pprof_labels_add(struct pr_pprof_labels *labels, const struct pr_pprof_label *label)
{
    const uint64_t key = label->key;
    if (pr_idset_add(label->is_shown ? &labels->shown : &labels->others, &key, 1) == PR_NO_ID)
        pr_collect_no_memory(labels->c);
    for (uint32_t i = 0; i < labels->count; i++)
        if (labels->root[i].key == label->key)
            add_value(labels, &labels->root[i].values, label);
}

pr_node_id pr_pprof_labels_root(struct pr_pprof_labels *labels)
{
    pr_node_id node = PR_ROOT;
    struct pr_buf name = {0};
    for (uint32_t i = 0; i < labels->count && labels->c->status == PR_OK; i++) {
        const struct pr_tag_root *root = &labels->root[i];
        const struct pr_text key = pr_profile_text(labels->c->profile, root->key);
        name.length = 0;
        pr_buf_text(&name, root->values.length ? "" : "(no ");
        pr_buf_add(&name, key.bytes, key.length);
        pr_buf_text(&name, root->values.length ? ": " : ")");
        pr_buf_add(&name, root->values.bytes, root->values.length);
        if (name.failed || root->values.failed) {
            pr_collect_no_memory(labels->c);
            break;
        }
        const struct pr_place place = {.function = pr_collect_string(labels->c, name.bytes, name.length),
                                       .kind = PR_FRAME_OTHER};
        node = pr_collect_child(labels->c, node, pr_collect_frame(labels->c, &place));
    }
    pr_buf_clear(&name);
    return node;
}

static bool has(const struct pr_idset *keys, pr_str key)
{
    const uint64_t word = key;
    return pr_idset_find(keys, &word, 1) != PR_NO_ID;
}

static bool is_wanted(const struct pr_pprof_labels *labels, uint64_t key)
{
    for (uint32_t i = 0; i < labels->count; i++)
        if (labels->root[i].key == key)
            return true;
    return false;
}

/* Adds the keys to LIST; with NOT_WANTED only those that are no level. */
static void list_keys(const struct pr_pprof_labels *labels, const struct pr_idset *keys, bool not_wanted,
                      struct pr_buf *list)
{
    uint32_t told = 0;
    for (uint32_t i = 0; i < keys->count && told <= MOST_TOLD; i++) {
        const struct pr_text key = pr_profile_text(labels->c->profile, (pr_str)keys->keys[i]);
        if ((not_wanted && is_wanted(labels, keys->keys[i])) || !key.length)
            continue;
        pr_buf_text(list, list->length ? ", " : "");
        pr_buf_text(list, told++ == MOST_TOLD ? "..." : key.bytes);
    }
}

/* The first wanted key that no sample has, or NULL. */
static const struct pr_tag_root *missing(const struct pr_pprof_labels *labels)
{
    for (uint32_t i = 0; i < labels->count; i++)
        if (!has(&labels->others, labels->root[i].key) && !has(&labels->shown, labels->root[i].key))
            return &labels->root[i];
    return NULL;
}

void pr_pprof_labels_end(struct pr_pprof_labels *labels)
{
    struct pr_collect *c = labels->c;
    struct pr_buf list = {0};
    const struct pr_tag_root *lacks = missing(labels);
    if (c->status == PR_FAILED)
        return;
    if (lacks)
        list_keys(labels, &labels->shown, false, &list);
    list_keys(labels, &labels->others, !lacks, &list);
    if (list.failed) {
        pr_collect_no_memory(c);
    } else if (lacks) {
        if (c->err) /* an earlier cut is not why there is nothing to show */
            *c->err = (struct pr_error){0};
        c->status = pr_fail(c->err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL, "no sample has a label '%s'; %s%s",
                            pr_profile_text(c->profile, lacks->key).bytes,
                            list.length ? "the labels are " : "there are no labels", list.length ? list.bytes : "");
    } else if (list.length) {
        pr_collect_note(c, "samples have labels that are not shown: %s; --tag-root KEY makes one the first level "
                        "of the stacks", list.bytes);
    }
    pr_buf_clear(&list);
}
