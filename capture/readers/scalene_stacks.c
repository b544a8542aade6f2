/* SPDX-License-Identifier: Apache-2.0 */
/* Frames are kept as the file has them, because the functions of lines may be known only later. */
#include "capture/readers/scalene_stacks.h"

#include "capture/base/ascii.h"
#include "capture/base/checked.h"
#include "capture/base/text.h"

#include <stdlib.h>
#include <string.h>

static void add_frame(struct pr_profile_builder *c, struct pr_scalene_stacks *s, struct pr_scalene_frame frame)
{
    if (!pr_grow(&s->frames, &s->frame_capacity, s->frame_count + 1, sizeof *s->frames))
        pr_build_no_memory(c);
    else
        s->frames[s->frame_count++] = frame;
}

/* "/a b.py f:2;" */
static void add_text_frame(struct pr_profile_builder *c, struct pr_scalene_stacks *s, struct pr_text text)
{
    struct pr_scalene_frame frame = {0};
    uint64_t line = 0;
    text.length -= text.length && text.bytes[text.length - 1] == ';';
    uint32_t colon = text.length;
    while (colon && pr_is_digit(text.bytes[colon - 1]))
        colon--;
    if (colon && text.bytes[colon - 1] == ':' && pr_text_number(pr_text_from(text, colon), &line) && line <= INT32_MAX)
        text.length = colon - 1;
    else
        pr_build_damage(c, PR_DAMAGE_FRAMES, 1);
    frame.line = line <= INT32_MAX ? (int64_t)line : 0;
    const char *space = memrchr(text.bytes, ' ', text.length);
    const uint32_t file_length = space ? (uint32_t)(space - text.bytes) : 0;
    frame.file = pr_build_string(c, text.bytes, file_length);
    const struct pr_text function = pr_text_from(text, space ? file_length + 1 : 0);
    frame.function = pr_build_string(c, function.bytes, function.length);
    add_frame(c, s, frame);
}

static pr_str read_text(struct pr_profile_builder *c, struct pr_json_stream *json)
{
    pr_json_next(json);
    const bool is_text = json->token == PR_JSON_STRING;
    const pr_str text = is_text ? pr_build_string(c, json->text.bytes, json->text.length) : 0;
    pr_json_skip(json);
    return text;
}

/* An object; frames that are not Python's are left out. */
static void read_frame(struct pr_profile_builder *c, struct pr_json_stream *json, struct pr_scalene_stacks *s)
{
    struct pr_scalene_frame frame = {0};
    bool is_python = true;
    while (pr_json_key(json)) {
        if (pr_json_is(json, "display_name")) {
            frame.function = read_text(c, json);
        } else if (pr_json_is(json, "filename_or_module")) {
            frame.file = read_text(c, json);
        } else if (pr_json_is(json, "line")) {
            frame.line = pr_json_value(json, 0).value;
        } else if (pr_json_is(json, "kind")) {
            pr_json_next(json);
            is_python = pr_json_is(json, "py");
            pr_json_skip(json);
        } else {
            pr_json_skip(json);
        }
    }
    frame.line = frame.line > 0 && frame.line <= INT32_MAX ? frame.line : 0;
    if (is_python)
        add_frame(c, s, frame);
}

/* ["/a.py", "f", 2] */
static void read_list_frame(struct pr_profile_builder *c, struct pr_json_stream *json, struct pr_scalene_stacks *s)
{
    struct pr_scalene_frame frame = {0};
    for (unsigned i = 0; pr_json_item(json); i++) {
        if (json->token == PR_JSON_STRING && i < 2)
            *(i ? &frame.function : &frame.file) = pr_build_string(c, json->text.bytes, json->text.length);
        else if (json->token == PR_JSON_NUMBER && i == 2)
            frame.line = pr_json_scaled(json, 0, 0);
        pr_json_skip(json);
    }
    frame.line = frame.line > 0 && frame.line <= INT32_MAX ? frame.line : 0;
    add_frame(c, s, frame);
}

static void read_frames(struct pr_profile_builder *c, struct pr_json_stream *json, struct pr_scalene_stacks *s)
{
    if (json->token != PR_JSON_ARRAY) {
        pr_json_skip(json);
        return;
    }
    while (pr_build_going(c) && pr_json_item(json)) {
        if (json->token == PR_JSON_OBJECT) {
            read_frame(c, json, s);
        } else if (json->token == PR_JSON_ARRAY) {
            read_list_frame(c, json, s);
        } else {
            if (json->token == PR_JSON_STRING)
                add_text_frame(c, s, json->text);
            pr_json_skip(json);
        }
    }
}

/* The value at hand as a share; 0 if it is not a number, or less. */
static double share_of(struct pr_json_stream *json)
{
    struct pr_decimal number;
    const bool is_number = json->token == PR_JSON_NUMBER && pr_json_number(json, &number);
    const double share = is_number ? pr_decimal_double(number) : 0;
    pr_json_skip(json);
    return share > 0 && share < 1e15 ? share : 0;
}

/* {"cpu_samples": 0.5}, [1, 0.2, 0.3, 0.5] or 0.5. */
static double read_share(struct pr_json_stream *json)
{
    double share = 0;
    if (json->token == PR_JSON_ARRAY) {
        while (pr_json_item(json))
            share = share_of(json);
        return share;
    }
    if (json->token != PR_JSON_OBJECT)
        return share_of(json);
    while (pr_json_key(json)) {
        const bool is_share = pr_json_is(json, "cpu_samples");
        pr_json_next(json);
        if (is_share)
            share = share_of(json);
        else
            pr_json_skip(json);
    }
    return share;
}

static void keep_stack(struct pr_profile_builder *c, struct pr_scalene_stacks *s, struct pr_scalene_stack stack)
{
    const struct pr_scalene_frame *leaf = &s->frames[s->frame_count - 1];
    const uint64_t key[2] = {leaf->file, (uint64_t)leaf->line};
    const uint32_t before = s->lines.count;
    uint32_t line = PR_NO_ID;
    if (s->stack_count < PR_NO_ID - 1 &&
        pr_grow(&s->newest, &s->newest_capacity, before + (size_t)1, sizeof *s->newest) &&
        pr_grow(&s->stacks, &s->stack_capacity, s->stack_count + 1, sizeof *s->stacks))
        line = pr_idset_add(&s->lines, key, 2);
    if (line == PR_NO_ID) {
        pr_build_no_memory(c);
        return;
    }
    stack.next = line == before ? PR_NO_ID : s->newest[line];
    s->newest[line] = (uint32_t)s->stack_count;
    s->stacks[s->stack_count++] = stack;
}

static void read_stack(struct pr_profile_builder *c, struct pr_json_stream *json, struct pr_scalene_stacks *s)
{
    struct pr_scalene_stack stack = {.first = s->frame_count, .caller = PR_NO_ID};
    if (json->token != PR_JSON_ARRAY) {
        pr_json_skip(json);
        return;
    }
    for (unsigned i = 0; pr_json_item(json); i++) {
        if (i == 0)
            read_frames(c, json, s);
        else if (i == 1)
            stack.share = read_share(json);
        else
            pr_json_skip(json);
    }
    const size_t count = s->frame_count - stack.first;
    const bool too_deep = count > c->options->limits.max_depth;
    pr_build_damage(c, PR_DAMAGE_RECORDS, too_deep);
    if (count && !too_deep && stack.share > 0) {
        stack.count = (uint32_t)count;
        keep_stack(c, s, stack);
    } else {
        s->frame_count = stack.first;
    }
}

void pr_scalene_read_stacks(struct pr_profile_builder *c, struct pr_json_stream *json,
                            struct pr_scalene_stacks *s)
{
    if (!pr_json_enter(json, PR_JSON_ARRAY))
        return;
    while (pr_build_going(c) && pr_json_item(json))
        read_stack(c, json, s);
}

uint32_t pr_scalene_find_stack(const struct pr_scalene_stacks *s, pr_str file, int64_t line)
{
    const uint64_t key[2] = {file, (uint64_t)line};
    const uint32_t found = pr_idset_find(&s->lines, key, 2);
    return found == PR_NO_ID ? PR_NO_ID : s->newest[found];
}

void pr_scalene_stacks_clear(struct pr_scalene_stacks *s)
{
    free(s->frames);
    free(s->stacks);
    free(s->newest);
    pr_idset_clear(&s->lines);
}
