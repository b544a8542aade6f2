/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of a label become frames above the outermost function, "worker: 3", as in `go tool pprof -tagroot`; there
 * the name of the function is the bare value and the key is its file, which says little on its own. A sample without
 * the label goes below "(no worker)": totals stay whole.
 *
 * Source: google/pprof internal/driver/tagroot.go and profile/encode.go (postDecode) of Go 1.26.
 */
#include "capture/readers/pprof_labels.h"

#include "capture/base/checked.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * The maximum number of keys listed: a file can have any number. Two bytes of a file can refer to any text, over and
 * over: several values of one label in one sample are all shown while they take no more bytes than this, a longer text
 * is shown alone and made a frame once, and a unit longer than any real one is not shown.
 */
enum { MOST_TOLD = 8, MOST_BYTES_OF_SEVERAL = 256, MOST_BYTES_OF_UNIT = 64 };

void pr_pprof_labels_init(struct pr_pprof_labels *labels, struct pr_profile_builder *c, const char *tag_root)
{
    *labels = (struct pr_pprof_labels){
        .c = c, .shown = {.words = 1}, .others = {.words = 1}, .long_texts = {.words = 2}};
    while (tag_root && *tag_root && c->status == PR_OK) {
        const size_t length = strcspn(tag_root, ",");
        if (length && labels->count == PR_MAX_TAG_ROOTS)
            c->status = pr_fail(c->err, PR_ERR_LIMIT, PR_NO_OFFSET, NULL, "more than %d labels are wanted as levels",
                                PR_MAX_TAG_ROOTS);
        else if (length)
            labels->root[labels->count++].key = pr_build_string(c, tag_root, length);
        tag_root += length + (tag_root[length] == ',');
    }
}

void pr_pprof_labels_clear(struct pr_pprof_labels *labels)
{
    pr_idset_clear(&labels->shown);
    pr_idset_clear(&labels->others);
    pr_idset_clear(&labels->long_texts);
    free(labels->frame_of_long_text);
    for (uint32_t i = 0; i < labels->count; i++)
        pr_buf_clear(&labels->root[i].values);
}

void pr_pprof_labels_begin(struct pr_pprof_labels *labels)
{
    for (uint32_t i = 0; i < labels->count; i++) {
        labels->root[i].values.length = 0;
        labels->root[i].long_text = 0;
    }
}

static void add_value(struct pr_pprof_labels *labels, struct pr_tag_root *root, const struct pr_pprof_label *label)
{
    const struct pr_text text = pr_profile_text(labels->c->profile, label->text);
    struct pr_text unit = pr_profile_text(labels->c->profile, label->unit);
    struct pr_buf *values = &root->values;
    const bool is_none = !text.length && !unit.length && !label->number;
    if (text.length || unit.length > MOST_BYTES_OF_UNIT || label->unit == label->key) /* "bytes: 64" needs no unit */
        unit.length = 0;
    if (is_none || root->long_text ||
        (values->length && values->length + text.length + unit.length > MOST_BYTES_OF_SEVERAL))
        return;
    if (text.length > MOST_BYTES_OF_SEVERAL) {
        root->long_text = label->text;
        return;
    }
    if (values->length)
        pr_buf_text(values, ", ");
    if (text.length)
        pr_buf_add(values, text.bytes, text.length);
    else
        pr_buf_printf(values, "%" PRId64, label->number);
    if (unit.length) {
        pr_buf_byte(values, ' ');
        pr_buf_add(values, unit.bytes, unit.length);
    }
}

void pr_pprof_labels_add(struct pr_pprof_labels *labels, const struct pr_pprof_label *label)
{
    const uint64_t key = label->key;
    if (pr_idset_add(label->is_shown ? &labels->shown : &labels->others, &key, 1) == PR_NO_ID)
        pr_build_no_memory(labels->c);
    for (uint32_t i = 0; i < labels->count; i++)
        if (labels->root[i].key == label->key)
            add_value(labels, &labels->root[i], label);
}

/* "worker: 3", or "(no worker)" without a value. */
static pr_frame_id make_frame(struct pr_pprof_labels *labels, pr_str key, struct pr_text values)
{
    const struct pr_text text = pr_profile_text(labels->c->profile, key);
    struct pr_place place = {.kind = PR_FRAME_OTHER};
    struct pr_buf name = {0};
    pr_buf_text(&name, values.length ? "" : "(no ");
    pr_buf_add(&name, text.bytes, text.length);
    pr_buf_text(&name, values.length ? ": " : ")");
    pr_buf_add(&name, values.bytes, values.length);
    place.function = pr_build_buf(labels->c, &name);
    return pr_build_frame(labels->c, &place);
}

static pr_frame_id frame_of_long_text(struct pr_pprof_labels *labels, uint32_t level)
{
    const struct pr_tag_root *root = &labels->root[level];
    const uint64_t key[2] = {level, root->long_text};
    const uint32_t known = labels->long_texts.count, index = pr_idset_add(&labels->long_texts, key, 2);
    if (index == PR_NO_ID || !pr_grow(&labels->frame_of_long_text, &labels->long_text_capacity, index + (size_t)1,
                                      sizeof *labels->frame_of_long_text)) {
        pr_build_no_memory(labels->c);
        return 0;
    }
    if (index == known)
        labels->frame_of_long_text[index] =
            make_frame(labels, root->key, pr_profile_text(labels->c->profile, root->long_text));
    return labels->frame_of_long_text[index];
}

static pr_frame_id frame_of(struct pr_pprof_labels *labels, uint32_t level)
{
    const struct pr_tag_root *root = &labels->root[level];
    if (root->long_text)
        return frame_of_long_text(labels, level);
    if (root->values.failed) {
        pr_build_no_memory(labels->c);
        return 0;
    }
    return make_frame(labels, root->key, (struct pr_text){root->values.bytes, (uint32_t)root->values.length});
}

pr_node_id pr_pprof_labels_root(struct pr_pprof_labels *labels)
{
    pr_node_id node = PR_ROOT;
    for (uint32_t i = 0; i < labels->count && labels->c->status == PR_OK; i++)
        node = pr_build_child(labels->c, node, frame_of(labels, i));
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

/* Adds the keys to LIST; with NOT_WANTED only those that are not levels. */
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
    struct pr_profile_builder *c = labels->c;
    struct pr_buf list = {0};
    const struct pr_tag_root *lacks = missing(labels);
    if (c->status == PR_FAILED)
        return;
    if (lacks)
        list_keys(labels, &labels->shown, false, &list);
    list_keys(labels, &labels->others, !lacks, &list);
    if (list.failed) {
        pr_build_no_memory(c);
    } else if (lacks) {
        if (c->err) /* an earlier cut is not why there is nothing to show */
            *c->err = (struct pr_error){0};
        c->status = pr_fail(c->err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL, "no sample has a label '%s'; %s%s",
                            pr_profile_text(c->profile, lacks->key).bytes,
                            list.length ? "the labels are " : "there are no labels", list.length ? list.bytes : "");
    } else if (list.length) {
        pr_build_note(c,
                      "labels that are not shown: %s; --tag-root KEY groups the stacks by one of them",
                      list.bytes);
    }
    pr_buf_clear(&list);
}
