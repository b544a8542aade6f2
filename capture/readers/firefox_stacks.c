/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame of the processed format has a function, and that a name, a file and a line. One of Gecko's has a text:
 * "g_free (in libglib-2.0.so)", "onClick (http://a.example/b.js:12:3)", "0x7f1c00042a10", or any label.
 *
 * Source: firefox-profiler src/profile-logic/process-profile.ts, extractFuncsAndResourcesFromFrameLocations.
 */
#include "capture/readers/firefox_stacks.h"

#include "capture/base/ascii.h"
#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/parse/frame_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void pr_firefox_read_strings(struct pr_profile_builder *c, struct pr_json_stream *json,
                             struct pr_firefox_stacks *stacks)
{
    stacks->string_count = 0;
    if (!pr_json_enter(json, PR_JSON_ARRAY))
        return;
    while (pr_build_going(c) && pr_json_item(json)) {
        const pr_str text = pr_json_intern(json, stacks->texts);
        pr_json_skip(json);
        if (text == PR_NO_STR || !pr_grow(&stacks->strings, &stacks->string_capacity, stacks->string_count + 1,
                                          sizeof *stacks->strings))
            pr_build_no_memory(c);
        else
            stacks->strings[stacks->string_count++] = text;
    }
}

struct maker {
    struct pr_profile_builder *c;
    const struct pr_firefox_columns *columns;
    struct pr_firefox_stacks *stacks;
    struct pr_firefox_libs *libs;
    pr_frame_id *frames; /* [frame_count] PR_NO_ID = not made yet */
    size_t frame_count;
    uint32_t *depths; /* [node_count] */
};

/* String INDEX of the file; empty if there is none. */
static struct pr_text text_at(const struct maker *m, int64_t index)
{
    if (index < 0 || (uint64_t)index >= m->stacks->string_count)
        return (struct pr_text){"", 0};
    return pr_strings_get(m->stacks->texts, m->stacks->strings[index]);
}

static pr_str build(struct maker *m, struct pr_text text)
{
    return pr_build_string(m->c, text.bytes, text.length);
}

static enum pr_frame_kind kind_in(struct pr_text library)
{
    return pr_text_starts(library, "[kernel") || pr_text_is(library, "[guest.kernel.kallsyms]") ||
                   pr_text_is(library, "kernel")
               ? PR_FRAME_KERNEL
               : PR_FRAME_NATIVE;
}

/* Where WORD begins the last time in TEXT, or PR_NO_ID. */
static uint32_t last_of(struct pr_text text, const char *word)
{
    const uint32_t length = (uint32_t)strlen(word);
    for (uint32_t at = text.length >= length ? text.length - length + 1 : 0; at-- > 0;)
        if (!memcmp(text.bytes + at, word, length))
            return at;
    return PR_NO_ID;
}

/* Takes ":12" from the end of TEXT. */
static bool take_number(struct pr_text *text, int64_t *number)
{
    uint32_t at = text->length;
    uint64_t value;
    while (at && pr_is_digit(text->bytes[at - 1]))
        at--;
    if (at == text->length || at < 2 || text->bytes[at - 1] != ':' || !pr_text_number(pr_text_from(*text, at), &value))
        return false;
    *number = value > INT32_MAX ? 0 : (int64_t)value;
    text->length = at - 1;
    return true;
}

/* "b.js:12:3" and "b.js:12", without an index of sources in brackets. */
static bool take_script(struct maker *m, struct pr_text text, struct pr_place *place)
{
    int64_t last, line;
    if (!take_number(&text, &last))
        return false;
    place->definition_line = take_number(&text, &line) ? line : last;
    place->file = build(m, text);
    place->kind = PR_FRAME_PYTHON;
    return true;
}

/* "g (http://a.example/b.js:12:3)", perhaps with the index of a source behind it: "[4]". */
static void take_name_and_script(struct maker *m, struct pr_text text, struct pr_place *place, struct pr_text *name)
{
    const uint32_t bracket = last_of(text, ")[");
    text.length = bracket == PR_NO_ID ? text.length : bracket + 1;
    const uint32_t script = last_of(text, " (");
    if (script == PR_NO_ID || text.bytes[text.length - 1] != ')') {
        take_script(m, text, place);
        return;
    }
    text.length--;
    if (take_script(m, pr_text_from(text, script + 2), place))
        name->length = script;
}

/* A text of Gecko. */
static struct pr_place place_of_location(struct maker *m, struct pr_text text)
{
    struct pr_place place = {.kind = PR_FRAME_OTHER};
    struct pr_text name = text;
    const uint32_t library = last_of(text, " (in ");
    if (pr_text_starts(text, "0x")) {
        place.kind = PR_FRAME_NATIVE;
        m->libs->unnamed++;
    } else if (library != PR_NO_ID) {
        struct pr_text rest = pr_text_from(text, library + strlen(" (in "));
        const char *end = memchr(rest.bytes, ')', rest.length);
        rest.length = end ? (uint32_t)(end - rest.bytes) : rest.length;
        name.length = library;
        place.kind = kind_in(rest);
        place.file = build(m, rest);
    } else {
        take_name_and_script(m, text, &place, &name);
    }
    place.function = name.length ? build(m, name) : pr_build_text(m->c, "(unknown)");
    return place;
}

/* "libc.so.6+0x1234" for an address without a name. */
static pr_str name_of_address(struct maker *m, int64_t lib, int64_t address)
{
    struct pr_buf name = {0};
    const struct pr_text library = pr_profile_text(m->c->profile, m->libs->names[lib]);
    const char *slash = memrchr(library.bytes, '/', library.length);
    const uint32_t base = slash ? (uint32_t)(slash + 1 - library.bytes) : 0;
    pr_buf_add(&name, library.bytes + base, library.length - base);
    pr_buf_printf(&name, "+0x%" PRIx64, (uint64_t)address);
    m->libs->unnamed++;
    return pr_build_buf(m->c, &name);
}

static int64_t of_frame(const struct maker *m, enum pr_firefox_name name, int64_t frame, int64_t flag)
{
    return pr_firefox_flagged_cell(m->columns, name, frame, PR_FIREFOX_FRAME_FLAGS, flag);
}

static int64_t of_function(const struct maker *m, enum pr_firefox_name name, int64_t func, int64_t flag)
{
    return pr_firefox_flagged_cell(m->columns, name, func, PR_FIREFOX_FUNC_FLAGS, flag);
}

static struct pr_place place_of_function(struct maker *m, int64_t frame)
{
    const struct pr_firefox_columns *columns = m->columns;
    const int64_t func = pr_firefox_cell(columns, PR_FIREFOX_FRAME_FUNC, frame),
                  address = of_frame(m, PR_FIREFOX_FRAME_ADDRESS, frame, PR_FIREFOX_FRAME_HAS_LIB),
                  source = of_function(m, PR_FIREFOX_FUNC_SOURCE, func, PR_FIREFOX_FUNC_HAS_SOURCE),
                  resource = of_function(m, PR_FIREFOX_FUNC_RESOURCE, func, PR_FIREFOX_FUNC_HAS_RESOURCE),
                  line = pr_firefox_cell(columns, PR_FIREFOX_FUNC_LINE, func);
    const struct pr_text name = text_at(m, pr_firefox_cell(columns, PR_FIREFOX_FUNC_NAME, func)),
                         file = text_at(m, source >= 0 ? pr_firefox_cell(columns, PR_FIREFOX_SOURCE_FILE, source)
                                                       : pr_firefox_cell(columns, PR_FIREFOX_FUNC_FILE, func));
    int64_t lib = of_frame(m, PR_FIREFOX_FRAME_LIB, frame, PR_FIREFOX_FRAME_HAS_LIB);
    struct pr_place place = {.kind = PR_FRAME_PYTHON, .definition_line = line > 0 ? line : 0};
    lib = lib >= 0 ? lib : pr_firefox_cell(columns, PR_FIREFOX_RESOURCE_LIB, resource);
    const bool in_lib = lib >= 0 && (uint64_t)lib < m->libs->count;
    if (!name.length && !in_lib)
        pr_build_damage(m->c, PR_DAMAGE_FRAMES, 1);
    place.file = file.length ? build(m, file) : in_lib ? m->libs->names[lib] : 0;
    if (in_lib)
        place.kind = kind_in(pr_profile_text(m->c->profile, m->libs->names[lib]));
    else if (address >= 0 || pr_text_starts(name, "0x"))
        place.kind = PR_FRAME_NATIVE;
    else
        place.kind = pr_frame_kind_of(name, file);
    if (in_lib && address >= 0 && (!name.length || pr_text_starts(name, "0x")))
        place.function = name_of_address(m, lib, address);
    else
        place.function = name.length ? build(m, name) : pr_build_text(m->c, "(unknown)");
    return place;
}

static pr_frame_id make_frame(struct maker *m, int64_t frame)
{
    const int64_t location = pr_firefox_cell(m->columns, PR_FIREFOX_FRAME_LOCATION, frame),
                  line = pr_firefox_cell(m->columns, PR_FIREFOX_FRAME_LINE, frame);
    struct pr_place place;
    if (pr_firefox_cell(m->columns, PR_FIREFOX_FRAME_FUNC, frame) >= 0) {
        place = place_of_function(m, frame);
    } else if (location >= 0 && (uint64_t)location < m->stacks->string_count) {
        place = place_of_location(m, text_at(m, location));
    } else {
        pr_build_damage(m->c, PR_DAMAGE_FRAMES, 1);
        place = (struct pr_place){.function = pr_build_text(m->c, "(unknown)"), .kind = PR_FRAME_OTHER};
    }
    place.line = line > 0 ? line : 0;
    return pr_build_frame(m->c, &place);
}

static pr_frame_id frame_at(struct maker *m, int64_t frame)
{
    if (frame < 0 || (uint64_t)frame >= m->frame_count)
        return make_frame(m, -1);
    if (m->frames[frame] == PR_NO_ID)
        m->frames[frame] = make_frame(m, frame);
    return m->frames[frame];
}

/* The stack that stack I is called from; -1: none. */
static int64_t parent_of(const struct maker *m, int64_t i)
{
    const int64_t offset = pr_firefox_cell(m->columns, PR_FIREFOX_STACK_OFFSET, i);
    if (offset != PR_FIREFOX_NONE)
        return offset == 0 ? -1 : offset > 0 && offset <= i ? i - offset : PR_FIREFOX_NONE;
    const int64_t prefix = pr_firefox_cell(m->columns, PR_FIREFOX_STACK_PREFIX, i);
    return prefix == PR_FIREFOX_NONE || prefix == -1 ? -1 : prefix < 0 || prefix >= i ? PR_FIREFOX_NONE : prefix;
}

static void make_stack(struct maker *m, size_t i)
{
    int64_t parent = parent_of(m, (int64_t)i);
    if (parent == PR_FIREFOX_NONE) {
        pr_build_damage(m->c, PR_DAMAGE_FRAMES, 1);
        parent = -1;
    }
    const pr_node_id above = parent < 0 ? PR_ROOT : m->stacks->nodes[parent];
    m->depths[i] = parent < 0 ? 1 : m->depths[parent] + 1;
    if (m->depths[i] > m->c->options->limits.max_depth) { /* innermost frames of a stack too deep are their caller's */
        pr_build_damage(m->c, PR_DAMAGE_RECORDS, 1);
        m->depths[i]--;
        m->stacks->nodes[i] = above;
        return;
    }
    const pr_frame_id frame = frame_at(m, pr_firefox_cell(m->columns, PR_FIREFOX_STACK_FRAME, (int64_t)i));
    m->stacks->nodes[i] = pr_build_child(m->c, above, frame);
}

void pr_firefox_make_stacks(struct pr_profile_builder *c, const struct pr_firefox_columns *columns,
                            struct pr_firefox_stacks *stacks, struct pr_firefox_libs *libs)
{
    const size_t funcs = columns->of[PR_FIREFOX_FRAME_FUNC].count, texts = columns->of[PR_FIREFOX_FRAME_LOCATION].count;
    struct maker m = {.c = c, .columns = columns, .stacks = stacks, .libs = libs};
    if (stacks->made)
        return;
    stacks->made = true;
    m.frame_count = funcs > texts ? funcs : texts;
    stacks->node_count = columns->of[PR_FIREFOX_STACK_FRAME].count;
    stacks->nodes = calloc(stacks->node_count + 1, sizeof *stacks->nodes);
    m.depths = calloc(stacks->node_count + 1, sizeof *m.depths);
    m.frames = malloc((m.frame_count + 1) * sizeof *m.frames);
    if (!stacks->nodes || !m.depths || !m.frames) {
        pr_build_no_memory(c);
        stacks->node_count = 0;
    } else {
        memset(m.frames, 0xff, (m.frame_count + 1) * sizeof *m.frames); /* PR_NO_ID */
    }
    for (size_t i = 0; i < stacks->node_count && c->status == PR_OK; i++)
        make_stack(&m, i);
    free(m.frames);
    free(m.depths);
}

void pr_firefox_stacks_clear(struct pr_firefox_stacks *stacks)
{
    free(stacks->strings);
    free(stacks->nodes);
    *stacks = (struct pr_firefox_stacks){.texts = stacks->texts};
}
