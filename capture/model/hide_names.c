/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile gets a new table of strings, into which each string is taken for what it is: what nobody takes is not
 * there any more, so a text that this file does not know cannot come out.
 */
#include "profrender/hide_names.h"

#include "capture/base/ascii.h"
#include "capture/base/text.h"
#include "capture/base/textmap.h"
#include "capture/model/code_path.h"
#include "capture/model/nameless.h"
#include "capture/model/pseudonym.h"
#include "capture/model/runtime_names.h"
#include "profrender/owner.h"

#include <stdlib.h>
#include <string.h>

struct hiding {
    const struct pr_profile *before; /* with the old strings */
    const struct pr_name_key *key;
    const struct pr_text *folders; /* [folder_count] below which all is the user's */
    uint32_t folder_count;
    struct pr_arena *arena;    /* of the profile */
    struct pr_strings strings; /* the new ones */
    struct pr_textmap own;     /* stems of the user's files and names of their folders */
    pr_str *file, *name;       /* [before's strings] what became of a Python file and of a name; PR_NO_STR: not yet */
    uint8_t *is_own;           /* [before's strings] of a file of Python: 1 + whether it is the user's; 0: not yet */
    struct pr_buf buf;
    bool failed;
};

static struct pr_text text_of(const struct hiding *h, pr_str string)
{
    return pr_profile_text(h->before, string);
}

static pr_str add(struct hiding *h, struct pr_text text)
{
    const pr_str string = pr_strings_add(&h->strings, text.bytes, text.length);
    h->failed |= string == PR_NO_STR;
    return string;
}

static pr_str take_buf(struct hiding *h)
{
    h->failed |= h->buf.failed;
    const pr_str string = h->failed ? 0 : add(h, (struct pr_text){h->buf.bytes, (uint32_t)h->buf.length});
    h->buf.length = 0;
    return string;
}

/* A copy of COUNT elements of SIZE, to be changed; NULL for none. */
static void *copy_of(struct hiding *h, const void *elements, size_t count, size_t size)
{
    void *copy = count && elements ? pr_arena_array(h->arena, count, size) : NULL;
    h->failed |= count && elements && !copy;
    if (copy)
        memcpy(copy, elements, count * size);
    return copy;
}

/* ---- names and paths --------------------------------------------------------------------------------------------- */

static pr_str hidden_name(struct hiding *h, struct pr_text name)
{
    pr_pseudonym_of_name(h->key, &h->buf, name);
    return take_buf(h);
}

static pr_str hidden_path(struct hiding *h, struct pr_text path, uint32_t keep)
{
    pr_pseudonym_of_path(h->key, &h->buf, path, keep);
    return take_buf(h);
}

static pr_str hidden_folder(struct hiding *h, pr_str folder)
{
    pr_hide_folder(h->key, text_of(h, folder), &h->buf);
    return take_buf(h);
}

/* "<string>", "<frozen os>" say nothing; "<attrs generated init app.Order>" does from its third word on. */
static pr_str hidden_angle(struct hiding *h, struct pr_text file)
{
    static const char *const plain[] = {
        "<string>", "<stdin>", "<console>", "<input>", "<built-in>", "<unknown>", "<__array_function__ internals>"};
    static const char generated[] = "<attrs generated ";
    if (pr_text_is_one_of(file, plain, sizeof plain / sizeof *plain) || pr_path_is_frozen(file))
        return add(h, file);
    const bool is_known = pr_text_starts(file, generated) && file.bytes[file.length - 1] == '>';
    const uint32_t keep = is_known ? (uint32_t)sizeof generated - 1 : 1;
    pr_buf_add(&h->buf, file.bytes, keep);
    pr_pseudonym_of_name(h->key, &h->buf, (struct pr_text){file.bytes + keep, file.length - keep - 1});
    pr_buf_byte(&h->buf, '>');
    return take_buf(h);
}

static uint32_t below_packages(const struct hiding *h, struct pr_text file)
{
    const struct pr_meta *meta = &h->before->meta;
    uint32_t best = pr_path_in_packages(file);
    for (uint32_t i = 0; !best && i < meta->site_packages_count; i++) {
        const struct pr_text folder = text_of(h, meta->site_packages[i]);
        if (pr_path_below(file, folder) && folder.length < file.length)
            best = folder.length;
    }
    const struct pr_text environment = pr_owner_environment(h->before, file);
    return best ? best : environment.length;
}

/* "torch/_tensor.py": recorders that shorten paths leave those of libraries with the name of the library first. */
static bool is_short(struct pr_text path)
{
    return path.length && path.bytes[0] != '/' && !pr_path_in_packages(path) && !pr_path_in_stdlib(path);
}

static uint32_t below_stdlib(const struct hiding *h, struct pr_text file)
{
    const struct pr_text folder = text_of(h, h->before->meta.stdlib_path);
    return pr_path_below(file, folder) && folder.length < file.length ? folder.length : pr_path_in_stdlib(file);
}

static bool is_below_own(const struct hiding *h, struct pr_text file)
{
    for (uint32_t i = 0; i < h->folder_count; i++)
        if (pr_path_below(file, h->folders[i]))
            return true;
    return false;
}

static bool is_own(const struct hiding *h, pr_str file)
{
    const struct pr_text path = text_of(h, file);
    if (!h->is_own[file])
        h->is_own[file] = is_below_own(h, path) || pr_owner_of_file(h->before, path) == PR_OWNER_MINE ? 2 : 1;
    return h->is_own[file] == 2;
}

static pr_str hide_file(struct hiding *h, pr_str file)
{
    const struct pr_text path = text_of(h, file);
    if (path.bytes[0] == '<')
        return hidden_angle(h, path);
    if (is_own(h, file))
        return hidden_path(h, path, 0);
    const uint32_t packages = below_packages(h, path);
    if ((packages && is_short(path)) || pr_text_starts(path, "node:")) /* Node's own modules have no folder */
        return add(h, path);
    return hidden_path(h, path, packages ? packages : below_stdlib(h, path));
}

static pr_str hidden_python_file(struct hiding *h, pr_str file)
{
    if (file && h->file[file] == PR_NO_STR)
        h->file[file] = hide_file(h, file);
    return file ? h->file[file] : 0;
}

static pr_str hidden_python_function(struct hiding *h, pr_str function, pr_str file)
{
    const struct pr_text name = text_of(h, function);
    if (pr_runtime_function(name) || !is_own(h, file))
        return add(h, name);
    if (h->name[function] == PR_NO_STR)
        h->name[function] = hidden_name(h, name);
    return h->name[function];
}

/* Whether a name of the interpreter's making has one of the user's modules in it: "<built-in method mine._fast.f>". */
static bool names_own_module(struct hiding *h, struct pr_text function)
{
    for (uint32_t at = 0; at < function.length;) {
        uint32_t end = at;
        while (end < function.length && (function.bytes[end] == '_' || pr_is_alphanumeric(function.bytes[end])))
            end++;
        if (end < function.length && function.bytes[end] == '.' && end > at) {
            const uint32_t *known = pr_textmap_at(&h->own, function.bytes + at, end - at);
            h->failed |= !known;
            if (known && *known != PR_TEXTMAP_NEW)
                return true;
        }
        at = end + 1;
    }
    return false;
}

static void hide_native(struct hiding *h, struct pr_frame *frame, struct pr_text function, struct pr_text file)
{
    uint32_t keep = 0;
    const bool is_known = pr_runtime_native(function, file, &keep) && !names_own_module(h, function);
    frame->function = is_known ? add(h, function) : hidden_name(h, function);
    if (is_known && !keep)
        frame->file = add(h, file);
    else if (is_known)
        frame->file = hidden_path(h, file, keep);
    else
        frame->file = file.length && file.bytes[0] == '<' ? hidden_angle(h, file) : hidden_path(h, file, 0);
}

/* py-spy's frames for processes and threads: their numbers stay. "process 12:\"python x.py\"" becomes "process 12". */
static pr_str hidden_place(struct hiding *h, struct pr_text function)
{
    const char *end = memchr(function.bytes, ':', function.length);
    return add(h, (struct pr_text){function.bytes, end ? (uint32_t)(end - function.bytes) : function.length});
}

static void hide_frame(struct hiding *h, struct pr_frame *frame, pr_frame_id number)
{
    const struct pr_text function = text_of(h, frame->function), file = text_of(h, frame->file);
    if (frame->kind == PR_FRAME_KERNEL) {
        frame->function = add(h, function);
        frame->file = add(h, file);
    } else if (pr_role_of(h->before, number) & PR_ROLE_PROFILER) {
        frame->function = hidden_place(h, function);
        frame->file = 0;
    } else if (frame->kind == PR_FRAME_PYTHON) {
        frame->function = hidden_python_function(h, frame->function, frame->file);
        frame->file = hidden_python_file(h, frame->file);
    } else {
        hide_native(h, frame, function, file);
    }
}

/* Remembers how the user's modules are called: their files' names without an ending, and the folders they are in. */
static void note_own(struct hiding *h, struct pr_text file)
{
    struct pr_text part;
    for (uint32_t at = 0; !h->failed && pr_path_part(file, &at, &part);) {
        const char *dot = memchr(part.bytes, '.', part.length);
        const size_t length = dot ? (size_t)(dot - part.bytes) : part.length;
        uint32_t *number = pr_textmap_at(&h->own, part.bytes, length);
        h->failed |= !number;
        if (number)
            *number = 1;
    }
}

static const struct pr_frame *hide_frames(struct hiding *h)
{
    const struct pr_profile *p = h->before;
    struct pr_frame *frames = copy_of(h, p->frames, p->frame_count, sizeof *frames);
    for (uint32_t i = 0; !h->failed && i < p->frame_count; i++) {
        const struct pr_text file = text_of(h, frames[i].file);
        if (frames[i].kind == PR_FRAME_PYTHON && file.length && file.bytes[0] != '<' && is_own(h, p->frames[i].file))
            note_own(h, file);
    }
    for (uint32_t i = 0; !h->failed && i < p->frame_count; i++)
        hide_frame(h, &frames[i], i);
    return frames;
}

/* ---- statistics -------------------------------------------------------------------------------------------------- */

/* The frame that a place of the statistics, "function:file:line", is; NULL: none, as in a sum that has lost it. */
static const struct pr_frame *frame_of(struct hiding *h, struct pr_text place, const struct pr_frame *hidden)
{
    const struct pr_profile *p = h->before;
    for (uint32_t i = 0; i < p->frame_count; i++) {
        const struct pr_text function = text_of(h, p->frames[i].function), file = text_of(h, p->frames[i].file);
        const size_t length = (size_t)function.length + file.length + 2;
        if (place.length <= length || memcmp(place.bytes, function.bytes, function.length) != 0 ||
            memcmp(place.bytes + function.length + 1, file.bytes, file.length) != 0 ||
            place.bytes[function.length] != ':' || place.bytes[length - 1] != ':')
            continue;
        h->buf.length = 0;
        pr_buf_printf(&h->buf, "%d", (int)p->frames[i].line);
        const bool is_line =
            h->buf.length == place.length - length && memcmp(h->buf.bytes, place.bytes + length, h->buf.length) == 0;
        h->buf.length = 0;
        if (is_line)
            return &hidden[i];
    }
    return NULL;
}

static void hide_places(struct hiding *h, struct pr_top *tops, uint32_t count, const struct pr_frame *hidden)
{
    for (uint32_t i = 0; i < count && !h->failed; i++) {
        const struct pr_text place = text_of(h, tops[i].name);
        const struct pr_frame *frame = frame_of(h, place, hidden);
        if (frame) {
            const struct pr_text function = pr_strings_get(&h->strings, frame->function),
                                 file = pr_strings_get(&h->strings, frame->file);
            pr_buf_printf(&h->buf, "%s:%s:%d", function.bytes, file.bytes, (int)frame->line);
            tops[i].name = take_buf(h);
        } else {
            tops[i].name = hidden_name(h, place);
        }
    }
}

/* Modules of libraries have their names in the paths of frames, where they stay; "<root>" is nobody's. */
static bool is_library(const struct hiding *h, struct pr_text module)
{
    for (uint32_t i = 0; i < h->before->frame_count; i++) {
        const struct pr_text file = text_of(h, h->before->frames[i].file);
        const uint32_t at = is_own(h, h->before->frames[i].file) ? 0 : below_packages(h, file);
        if (!at || !pr_text_starts(file, "/"))
            continue;
        struct pr_text rest = pr_text_from(file, at);
        while (rest.length && rest.bytes[0] == '/')
            rest = pr_text_from(rest, 1);
        if (rest.length >= module.length && memcmp(rest.bytes, module.bytes, module.length) == 0 &&
            (rest.length == module.length || rest.bytes[module.length] == '/' || rest.bytes[module.length] == '.'))
            return true;
    }
    return false;
}

/* The module of a file of the user's is called as the file is. */
static void hide_modules(struct hiding *h, struct pr_top *tops, uint32_t count)
{
    for (uint32_t i = 0; i < count && !h->failed; i++) {
        const struct pr_text module = text_of(h, tops[i].name);
        const bool is_known = (module.length && module.bytes[0] == '<') || is_library(h, module);
        tops[i].name = is_known ? add(h, module) : hidden_path(h, module, 0);
    }
}

static void hide_stats(struct hiding *h, struct pr_alloc_stats *stats, const struct pr_frame *frames)
{
    hide_places(h, stats->by_size, stats->by_size_count, frames);
    hide_places(h, stats->by_count, stats->by_count_count, frames);
    hide_modules(h, stats->modules_by_size, stats->modules_by_size_count);
    hide_modules(h, stats->modules_by_count, stats->modules_by_count_count);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

/* Numbers, and dates made of them, stay: "1732" as the number of a run. */
static pr_str hidden_unless_number(struct hiding *h, pr_str string)
{
    const struct pr_text text = text_of(h, string);
    for (uint32_t i = 0; i < text.length; i++)
        if (!pr_is_digit(text.bytes[i]) && !memchr("-:. ", text.bytes[i], 4))
            return hidden_name(h, text);
    return add(h, text);
}

static pr_str hidden_thread(struct hiding *h, struct pr_text name)
{
    const uint32_t known = pr_runtime_thread(name);
    pr_buf_add(&h->buf, name.bytes, known);
    pr_pseudonym_of_name(h->key, &h->buf, pr_text_from(name, known));
    return take_buf(h);
}

static void hide_exceptions(struct hiding *h, struct pr_failure *failure)
{
    struct pr_exception *list = copy_of(h, failure->exceptions, failure->exception_count, sizeof *list);
    for (uint32_t i = 0; !h->failed && i < failure->exception_count; i++) {
        struct pr_trace_frame *frames = copy_of(h, list[i].frames, list[i].frame_count, sizeof *frames);
        const struct pr_text type = text_of(h, list[i].type);
        for (uint32_t k = 0; !h->failed && k < list[i].frame_count; k++) {
            frames[k].function = hidden_python_function(h, frames[k].function, frames[k].file);
            frames[k].file = hidden_python_file(h, frames[k].file);
        }
        list[i].type = pr_runtime_exception(type) ? add(h, type) : hidden_name(h, type);
        list[i].message = 0;
        list[i].frames = frames;
    }
    failure->exceptions = list;
    failure->traceback = failure->stderr_tail = 0;
}

static void hide_run(struct hiding *h, struct pr_run *run)
{
    pr_str *const strings[] = {&run->name, &run->flow, &run->run, &run->step, &run->task, &run->attempt,
                               &run->host, &run->commit, &run->recorder};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        *strings[i] = hidden_unless_number(h, *strings[i]);
    struct pr_mark *marks = copy_of(h, run->marks, run->mark_count, sizeof *marks);
    for (uint32_t i = 0; !h->failed && i < run->mark_count; i++)
        marks[i].name = hidden_unless_number(h, marks[i].name);
    run->marks = marks;
    hide_exceptions(h, &run->failure);
    run->notes = 0;
}

/* ---- what is said about the input -------------------------------------------------------------------------------- */

static const pr_str *hide_folders(struct hiding *h, const pr_str *folders, uint32_t count)
{
    pr_str *hidden = copy_of(h, folders, count, sizeof *hidden);
    for (uint32_t i = 0; !h->failed && i < count; i++)
        hidden[i] = hidden_folder(h, hidden[i]);
    return hidden;
}

/* Short ones are names of libraries, see is_short. */
static const pr_str *hide_packages(struct hiding *h, const pr_str *folders, uint32_t count)
{
    pr_str *hidden = copy_of(h, folders, count, sizeof *hidden);
    for (uint32_t i = 0; !h->failed && i < count; i++)
        hidden[i] = is_short(text_of(h, hidden[i])) ? add(h, text_of(h, hidden[i])) : hidden_folder(h, hidden[i]);
    return hidden;
}

static void hide_meta(struct hiding *h, struct pr_meta *meta)
{
    meta->command_line = 0;
    meta->stdlib_path = hidden_folder(h, meta->stdlib_path);
    meta->site_packages = hide_packages(h, meta->site_packages, meta->site_packages_count);
    meta->sys_path = hide_folders(h, meta->sys_path, meta->sys_path_count);
    struct pr_frame unnamed = {.function = 0};
    const struct pr_text file = text_of(h, meta->native_unnamed_file);
    hide_native(h, &unnamed, (struct pr_text){"[unknown]", 9}, file);
    meta->native_unnamed_file = unnamed.file;
}

static void hide_lists(struct hiding *h, struct pr_profile *p)
{
    struct pr_thread *threads = copy_of(h, p->threads, p->thread_count, sizeof *threads);
    struct pr_process *processes = copy_of(h, p->processes, p->process_count, sizeof *processes);
    struct pr_part *parts = copy_of(h, p->parts, p->part_count, sizeof *parts);
    for (uint32_t i = 0; !h->failed && i < p->thread_count; i++)
        threads[i].name = hidden_thread(h, text_of(h, threads[i].name));
    for (uint32_t i = 0; !h->failed && i < p->process_count; i++)
        processes[i].name = 0;
    for (uint32_t i = 0; !h->failed && i < p->part_count; i++) {
        const struct pr_text name = text_of(h, parts[i].name);
        parts[i].name = pr_runtime_run_file(name) ? add(h, name) : hidden_path(h, name, 0);
    }
    p->threads = threads;
    p->processes = processes;
    p->parts = parts;
}

/* A class of objects is hidden as its frame is, so both still match. */
static pr_str hidden_class(struct hiding *h, pr_str name)
{
    struct pr_frame frame = {.function = 0};
    if (name)
        hide_native(h, &frame, text_of(h, name), (struct pr_text){"", 0});
    return frame.function;
}

static void hide_objects(struct hiding *h, struct pr_profile *p)
{
    struct pr_object *objects = copy_of(h, p->objects_by_id, p->object_count, sizeof *objects);
    struct pr_object_change *changes = copy_of(h, p->object_changes, p->object_change_count, sizeof *changes);
    const uint32_t count = h->before->strings.count;
    pr_str *hidden = malloc(count * sizeof *hidden); /* [count] of the classes that were met */
    h->failed |= !hidden;
    for (uint32_t i = 0; hidden && i < count; i++)
        hidden[i] = PR_NO_STR;
    for (size_t i = 0; !h->failed && i < p->object_count; i++) {
        pr_str *name = &hidden[objects[i].name];
        objects[i].name = *name = *name == PR_NO_STR ? hidden_class(h, objects[i].name) : *name;
    }
    for (size_t i = 0; !h->failed && i < p->object_change_count; i++)
        changes[i].name = hidden_class(h, changes[i].name);
    free(hidden);
    p->objects_by_id = objects;
    p->object_changes = changes;
}

/* Notes of readers quote labels; one of ours says what became of them. */
static void hide_notes(struct hiding *h, struct pr_profile *p)
{
    static const char words[] = "names of the user's own code are hashes, and text in which they could be is left out";
    const char **notes = pr_arena_array(h->arena, 1, sizeof *notes);
    h->failed |= !notes;
    if (notes)
        notes[0] = words;
    p->notes = notes;
    p->note_count = 1;
    p->problem.source[0] = '\0';
}

/* Words of a reader may be strings of the profile, which end with it. */
static void keep_words(struct hiding *h, const char **words)
{
    if (!*words || h->failed)
        return;
    *words = pr_arena_copy(h->arena, *words, strlen(*words));
    h->failed |= !*words;
}

static void keep_words_of_devices(struct hiding *h, struct pr_profile *p)
{
    struct pr_device *devices = copy_of(h, p->devices, p->device_count, sizeof *devices);
    struct pr_device_oom *ooms = copy_of(h, p->device_ooms, p->device_oom_count, sizeof *ooms);
    for (uint32_t i = 0; !h->failed && i < p->device_count; i++)
        keep_words(h, &devices[i].name);
    for (uint32_t i = 0; !h->failed && i < p->device_oom_count; i++)
        keep_words(h, &ooms[i].name);
    p->devices = devices;
    p->device_ooms = ooms;
}

static void keep_all_words(struct hiding *h, struct pr_profile *p)
{
    struct pr_metric *metrics = copy_of(h, p->metrics, p->metric_count, sizeof *metrics);
    struct pr_series *series = copy_of(h, p->series, p->series_count, sizeof *series);
    struct pr_part *parts = copy_of(h, p->parts, p->part_count, sizeof *parts);
    for (uint32_t i = 0; !h->failed && i < p->metric_count; i++) {
        keep_words(h, &metrics[i].name);
        keep_words(h, &metrics[i].title);
        keep_words(h, &metrics[i].count_name);
    }
    for (uint32_t i = 0; !h->failed && i < p->series_count; i++) {
        keep_words(h, &series[i].name);
        keep_words(h, &series[i].title);
    }
    for (uint32_t i = 0; !h->failed && i < p->part_count; i++) {
        keep_words(h, &parts[i].format);
        keep_words(h, &parts[i].format_title);
        keep_words(h, &parts[i].compression);
    }
    keep_words(h, &p->meta.format);
    keep_words(h, &p->meta.format_title);
    keep_words(h, &p->meta.compression);
    keep_words(h, &p->meta.python_allocator);
    p->metrics = metrics;
    p->series = series;
    p->parts = parts;
}

static enum pr_status hide(struct hiding *h, struct pr_profile *profile)
{
    struct pr_profile after = *profile;
    after.frames = hide_frames(h);
    after.world = NULL;
    hide_stats(h, &after.stats, after.frames);
    hide_run(h, &after.run);
    hide_meta(h, &after.meta);
    hide_lists(h, &after);
    hide_objects(h, &after);
    hide_notes(h, &after);
    keep_all_words(h, &after);
    keep_words_of_devices(h, &after);
    if (h->failed)
        return PR_FAILED;
    after.arena = profile->arena; /* it has grown */
    after.strings = h->strings;
    pr_strings_clear(&profile->strings);
    after.shown = NULL; /* names in words */
    *profile = after;
    return PR_OK;
}

/* Room to remember what became of each string. */
static bool make_room(struct hiding *h)
{
    const uint32_t count = h->before->strings.count;
    h->file = malloc(count * sizeof *h->file);
    h->name = malloc(count * sizeof *h->name);
    h->is_own = calloc(count, sizeof *h->is_own);
    if (!h->file || !h->name || !h->is_own)
        return false;
    for (uint32_t i = 0; i < count; i++)
        h->file[i] = h->name[i] = PR_NO_STR;
    return true;
}

enum pr_status pr_hide_names(struct pr_profile *profile, const struct pr_name_key *key, const struct pr_text *own,
                             uint32_t own_count, struct pr_error *err)
{
    const struct pr_profile before = *profile;
    struct hiding h = {
        .before = &before, .key = key, .folders = own, .folder_count = own_count, .arena = &profile->arena};
    enum pr_status status = PR_FAILED;
    if (pr_strings_init(&h.strings, err) == PR_OK && pr_textmap_init(&h.own, err) == PR_OK && make_room(&h))
        status = hide(&h, profile);
    pr_textmap_clear(&h.own);
    pr_buf_clear(&h.buf);
    free(h.file);
    free(h.name);
    free(h.is_own);
    if (status == PR_OK)
        return before.shown ? pr_nameless_settle(profile, err) : PR_OK;
    pr_strings_clear(&h.strings);
    return pr_fail_memory(err);
}
