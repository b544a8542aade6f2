/* SPDX-License-Identifier: Apache-2.0 */
/* The callers of each nameless frame are looked at once; where all that are known agree, the frame has its function. */
#include "capture/model/nameless.h"

#include "capture/base/checked.h"
#include "capture/base/idset.h"
#include "capture/base/sort.h"
#include "capture/base/text.h"
#include "profrender/buf.h"

#include <stdlib.h>
#include <string.h>

/* Callers between a generator and its function are few: those of a library that consumes it. */
enum { MOST_CALLERS = 64 };

#define NOT_FOUND PR_NO_FRAME
#define SEVERAL (PR_NO_FRAME - 1)

static const struct kind {
    const char *name, *words;
} kinds[] = {{"<listcomp>", "list comprehension"},
             {"<dictcomp>", "dict comprehension"},
             {"<setcomp>", "set comprehension"},
             {"<genexpr>", "generator expression"},
             {"<lambda>", "lambda"}};

/* The kinds before RUNS_IN_CALLER are called where they are. */
enum { RUNS_IN_CALLER = 3, GENERATOR = 3, KINDS = sizeof kinds / sizeof *kinds };

static size_t cut(struct pr_text *name, const char *end)
{
    const size_t length = pr_text_ends(*name, end) ? strlen(end) : 0;
    name->length -= (uint32_t)length;
    return length;
}

/* The kind at the end of NAME, which is cut off with the dots before it; KINDS: none. */
static size_t cut_kind(struct pr_text *name)
{
    const struct pr_text whole = *name;
    if (!name->length || name->bytes[name->length - 1] != '>') /* nearly every name */
        return KINDS;
    for (size_t i = 0; i < KINDS; i++) {
        if (!cut(name, kinds[i].name))
            continue;
        if (!name->length || cut(name, ".<locals>.") || cut(name, "."))
            return i;
        *name = whole;
    }
    return KINDS;
}

/* The same; what remains is the function around all comprehensions in each other. */
static size_t kind_of(struct pr_text name, struct pr_text *around)
{
    const size_t kind = cut_kind(&name);
    while (kind < KINDS && name.length && cut_kind(&name) < KINDS) {
    }
    *around = name;
    return kind;
}

const char *pr_nameless_kind(struct pr_text name, struct pr_text *around)
{
    const size_t kind = kind_of(name, around);
    return kind < KINDS ? kinds[kind].words : NULL;
}

bool pr_nameless_is_comprehension(struct pr_text name)
{
    struct pr_text around;
    return kind_of(name, &around) < KINDS - 1;
}

/* ---- the function around one ------------------------------------------------------------------------------------- */

struct search {
    const struct pr_profile *profile;
    uint8_t *kind;              /* [frames] of one whose name does not contain its function, else KINDS */
    pr_frame_id *around;        /* [frames] */
    uint32_t *function;         /* [frames] of Python with a name, by name, file and first line */
    struct pr_idset functions;
    int32_t *first, *last;      /* [functions] of the lines that are known */
    uint64_t *begins;           /* [begin_count] where functions with a name begin, (file, line), sorted */
    size_t begin_count;
    bool has_any, has_lines;    /* nameless frames, and among them some that lines must prove */
};

static int32_t begin_of(const struct pr_frame *frame)
{
    return frame->definition_line > 0 ? frame->definition_line : frame->line;
}

static void find_kinds(struct search *s)
{
    const struct pr_profile *profile = s->profile;
    for (pr_frame_id i = 0; i < profile->frame_count; i++) {
        struct pr_text around = {"", 0};
        const bool is_python = profile->frames[i].kind == PR_FRAME_PYTHON;
        const size_t kind = is_python ? kind_of(pr_profile_text(profile, profile->frames[i].function), &around) : KINDS;
        s->has_any |= kind < KINDS;
        s->kind[i] = (uint8_t)(around.length ? KINDS : kind);
        s->has_lines |= s->kind[i] >= RUNS_IN_CALLER && s->kind[i] < KINDS;
        s->around[i] = NOT_FOUND;
    }
}

/* From which line to which each function is known to reach. */
static bool find_lines(struct search *s)
{
    const struct pr_profile *profile = s->profile;
    for (pr_frame_id i = 0; i < profile->frame_count; i++) {
        const struct pr_frame *frame = &profile->frames[i];
        const uint64_t key[2] = {pr_pair(frame->function, frame->file), (uint32_t)frame->definition_line};
        const uint32_t known = s->functions.count, number = pr_idset_add(&s->functions, key, 2);
        if (number == PR_NO_ID)
            return false;
        s->function[i] = number;
        if (number == known) {
            s->first[number] = begin_of(frame);
            s->last[number] = frame->line;
        } else if (frame->line > 0) {
            s->first[number] = begin_of(frame) < s->first[number] ? begin_of(frame) : s->first[number];
            s->last[number] = frame->line > s->last[number] ? frame->line : s->last[number];
        }
    }
    return true;
}

static int compare_begins(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
}

static bool find_begins(struct search *s)
{
    const struct pr_profile *profile = s->profile;
    s->begins = malloc(((size_t)profile->frame_count + 1) * sizeof *s->begins);
    for (pr_frame_id i = 0; s->begins && i < profile->frame_count; i++) {
        const struct pr_frame *frame = &profile->frames[i];
        if (frame->kind == PR_FRAME_PYTHON && s->kind[i] == KINDS && frame->definition_line > 0)
            s->begins[s->begin_count++] = pr_pair(frame->file, (uint32_t)frame->definition_line);
    }
    return s->begins && pr_sort(s->begins, s->begin_count, sizeof *s->begins, compare_begins, NULL);
}

/* Whether no function that is known begins between the one of CALLER and LINE of its file. */
static bool is_last_before(const struct search *s, const struct pr_frame *caller, int32_t line)
{
    size_t low = 0, high = s->begin_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->begins[middle] <= pr_pair(caller->file, (uint32_t)line))
            low = middle + 1;
        else
            high = middle;
    }
    return low && caller->definition_line > 0 &&
           s->begins[low - 1] == pr_pair(caller->file, (uint32_t)caller->definition_line);
}

/* Whether the lines of FRAME are between those of the function of CALLER. All of a file are those of its <module>. */
static bool encloses(const struct search *s, pr_frame_id caller, pr_frame_id frame)
{
    const struct pr_frame *c = &s->profile->frames[caller], *f = &s->profile->frames[frame];
    const int32_t line = begin_of(f);
    if (line <= 0 || c->line <= 0)
        return false;
    if (pr_text_is(pr_profile_text(s->profile, c->function), "<module>"))
        return c->line == line;
    if (s->first[s->function[caller]] <= line && line <= s->last[s->function[caller]])
        return true;
    /* A generator, where the lines that ran are few or unknown. A lambda may also be of no function, further down. */
    return s->kind[frame] == GENERATOR && is_last_before(s, c, line);
}

static pr_frame_id find_around(const struct search *s, pr_node_id node)
{
    const struct pr_tree *tree = &s->profile->tree;
    const pr_frame_id frame = tree->frame[node];
    const bool runs_in_caller = s->kind[frame] < RUNS_IN_CALLER;
    pr_node_id up = tree->parent[node];
    for (unsigned i = 0; up != PR_ROOT && i < MOST_CALLERS; i++, up = tree->parent[up]) {
        const pr_frame_id caller = tree->frame[up];
        const struct pr_frame *c = &s->profile->frames[caller];
        const bool is_here = c->file == s->profile->frames[frame].file;
        if (c->kind != PR_FRAME_PYTHON || (is_here && s->kind[caller] < KINDS)) /* it is in the same function then */
            continue;
        if (is_here && c->function && (runs_in_caller || encloses(s, caller, frame)))
            return caller;
        if (runs_in_caller)
            break;
    }
    return NOT_FOUND;
}

static bool is_one_function(const struct pr_profile *profile, pr_frame_id a, pr_frame_id b)
{
    const struct pr_frame *x = &profile->frames[a], *y = &profile->frames[b];
    return x->function == y->function && x->definition_line == y->definition_line; /* both are in the file of the one */
}

/* A frame with a line is one place in a file: one caller that is known is that of all. */
static void look_at(struct search *s, pr_node_id node)
{
    const pr_frame_id frame = s->profile->tree.frame[node], found = find_around(s, node);
    pr_frame_id *around = &s->around[frame];
    if (found == NOT_FOUND && begin_of(&s->profile->frames[frame]) > 0)
        return;
    if (found == NOT_FOUND || (*around < SEVERAL && !is_one_function(s->profile, *around, found)))
        *around = SEVERAL;
    else if (*around == NOT_FOUND)
        *around = found;
}

static bool find_all(struct search *s)
{
    const struct pr_profile *profile = s->profile;
    if (s->has_lines && (!find_lines(s) || !find_begins(s)))
        return false;
    for (pr_node_id i = 1; i < profile->tree.count; i++)
        if (s->kind[profile->tree.frame[i]] < KINDS)
            look_at(s, i);
    for (pr_frame_id i = 0; i < profile->frame_count; i++)
        if (s->around[i] == SEVERAL)
            s->around[i] = NOT_FOUND;
    return true;
}

/* ---- in words ---------------------------------------------------------------------------------------------------- */

/* "load › list comprehension", as a string of the profile; PR_NO_STR: no memory. */
static pr_str words_of(struct pr_profile *profile, struct pr_text around, const char *kind)
{
    struct pr_buf words = {0};
    pr_buf_add(&words, around.bytes, around.length);
    pr_buf_text(&words, around.length ? " \xE2\x80\xBA " : "");
    pr_buf_text(&words, kind);
    const pr_str made = words.failed ? PR_NO_STR : pr_strings_add(&profile->strings, words.bytes, words.length);
    pr_buf_clear(&words);
    return made;
}

static bool name_all(struct search *s, struct pr_profile *profile, pr_str *shown)
{
    for (pr_frame_id i = 0; i < profile->frame_count; i++) {
        struct pr_text around;
        const struct pr_frame *frame = &profile->frames[i];
        const char *kind = pr_nameless_kind(pr_profile_text(profile, frame->function), &around);
        shown[i] = frame->function;
        if (!kind || frame->kind != PR_FRAME_PYTHON)
            continue;
        if (s->around[i] != NOT_FOUND)
            around = pr_profile_text(profile, profile->frames[s->around[i]].function);
        shown[i] = words_of(profile, around, kind);
        if (shown[i] == PR_NO_STR)
            return false;
    }
    return true;
}

enum pr_status pr_nameless_settle(struct pr_profile *profile, struct pr_error *err)
{
    const size_t frames = profile->frame_count + (size_t)1;
    struct search s = {.profile = profile, .functions = {.words = 2}};
    s.kind = malloc(frames * sizeof *s.kind);
    s.around = malloc(frames * sizeof *s.around);
    profile->around = NULL;
    profile->shown = NULL;
    bool done = s.kind && s.around;
    if (done)
        find_kinds(&s);
    if (done && s.has_any) {
        pr_frame_id *around = pr_arena_array(&profile->arena, frames, sizeof *around);
        pr_str *shown = pr_arena_array(&profile->arena, frames, sizeof *shown);
        s.function = calloc(frames, sizeof *s.function);
        s.first = calloc(frames, sizeof *s.first);
        s.last = calloc(frames, sizeof *s.last);
        done = around && shown && s.function && s.first && s.last && find_all(&s) && name_all(&s, profile, shown);
        if (done) {
            memcpy(around, s.around, profile->frame_count * sizeof *around);
            profile->around = around;
            profile->shown = shown;
        }
    }
    pr_idset_clear(&s.functions);
    free(s.kind);
    free(s.around);
    free(s.function);
    free(s.first);
    free(s.last);
    free(s.begins);
    return done ? PR_OK : pr_fail_memory(err);
}

pr_str pr_shown_name(const struct pr_profile *profile, pr_frame_id frame)
{
    return profile->shown ? profile->shown[frame] : profile->frames[frame].function;
}

struct pr_text pr_shown_function(const struct pr_profile *profile, pr_frame_id frame)
{
    return pr_profile_text(profile, pr_shown_name(profile, frame));
}

struct pr_text pr_shown_function_of(const struct pr_profile *profile, pr_node_id node, pr_str function)
{
    const bool is_code = node != PR_ROOT && node < profile->tree.count;
    return is_code && profile->frames[profile->tree.frame[node]].function == function
               ? pr_shown_function(profile, profile->tree.frame[node])
               : pr_profile_text(profile, function);
}

struct pr_text pr_function_around(const struct pr_profile *profile, pr_frame_id frame)
{
    struct pr_text around = {"", 0};
    if (pr_shown_name(profile, frame) == profile->frames[frame].function)
        return around;
    if (profile->around[frame] != PR_NO_FRAME)
        return pr_profile_text(profile, profile->frames[profile->around[frame]].function);
    pr_nameless_kind(pr_profile_text(profile, profile->frames[frame].function), &around);
    return around;
}
