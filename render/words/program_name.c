/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter and memray, with their own options, are skipped; the first word left is the program. */
#include "render/words/program_name.h"

#include "capture/base/ascii.h"
#include "capture/base/text.h"
#include "capture/model/run_times.h"
#include "profrender/owner.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct pr_text next_word(struct pr_text *line)
{
    while (line->length && *line->bytes == ' ') {
        line->bytes++;
        line->length--;
    }
    struct pr_text word = {line->bytes, 0};
    while (word.length < line->length && word.bytes[word.length] != ' ')
        word.length++;
    line->bytes += word.length;
    line->length -= word.length;
    return word;
}

static bool is(struct pr_text word, const char *text)
{
    return word.length == strlen(text) && !memcmp(word.bytes, text, word.length);
}

/* What follows the last slash; for `pkg/__main__.py`, which is how `python -m pkg` appears, the folder. */
static struct pr_text base_name(struct pr_text path)
{
    static const char main_file[] = "/__main__.py";
    const size_t main_length = sizeof main_file - 1;
    if (path.length > main_length && !memcmp(path.bytes + path.length - main_length, main_file, main_length))
        path.length -= (uint32_t)main_length;
    return pr_text_file_name_anywhere(path);
}

static bool is_memray(struct pr_text program)
{
    return program.length >= 6 && !memcmp(program.bytes, "memray", 6) &&
           (program.length == 6 || pr_is_digit(program.bytes[6]));
}

/* Airflow's services share a program: "airflow dag-processor". REST follows PROGRAM on the command line. */
static struct pr_text with_service(struct pr_text program, struct pr_text rest)
{
    const struct pr_text service = next_word(&rest);
    if (!is(program, "airflow") || service.bytes != program.bytes + program.length + 1 || !service.length ||
        !pr_is_letter(*service.bytes))
        return program;
    return (struct pr_text){program.bytes, (uint32_t)(service.bytes + service.length - program.bytes)};
}

/* What the options of `memray run` mean for us. Source: memray 1.20, commands/run.py. */
struct options {
    bool is_command;  /* -c: the program is code */
    bool takes_value; /* the next word belongs to this option */
};

/* One word of options: --name, --name=value, or letters that share a dash, the last of which may want a value. */
static void read_option(struct pr_text word, struct options *options)
{
    options->takes_value = is(word, "--output") || is(word, "--live-port");
    if (word.length > 1 && word.bytes[1] == '-')
        return;
    for (uint32_t i = 1; i < word.length; i++) {
        char letter = word.bytes[i];
        options->is_command |= letter == 'c';
        if (letter == 'o' || letter == 'p') {
            options->takes_value = i + 1 == word.length;
            return;
        }
    }
}

/*
 * The value of an option. Command lines are kept without quotes: a value is one word, but the path that `profrender
 * record` gives memray has an end of its own, and may contain spaces.
 */
static void skip_value(struct pr_text *line)
{
    struct pr_text ahead = *line, word;
    do
        word = next_word(&ahead);
    while (word.length && *word.bytes != '-' && !pr_text_ends(word, ".py") && !pr_text_ends(word, ".bin"));
    if (pr_text_ends(word, "/memray.bin"))
        *line = ahead;
    else
        next_word(line);
}

/* The program after `memray run`: a script, with -m a module, with -c code. */
static struct pr_text after_memray_run(struct pr_text line)
{
    struct options options = {false, false};
    for (;;) {
        struct pr_text word = next_word(&line);
        if (word.length && *word.bytes == '-') {
            read_option(word, &options);
            if (options.takes_value)
                skip_value(&line);
        } else if (word.length && options.is_command) {
            return (struct pr_text){"python -c", 9};
        } else {
            return with_service(base_name(word), line);
        }
    }
}

/* True for python, python3, python3.12, pythonw. */
static bool is_python(struct pr_text program)
{
    static const char name[] = "python";
    uint32_t at = sizeof name - 1;
    if (program.length < at || memcmp(program.bytes, name, at))
        return false;
    while (at < program.length && strchr("0123456789.w", program.bytes[at]))
        at++;
    return at == program.length;
}

/*
 * What python is to run: a script, with -m a module, with -c code; LINE then begins after it. Empty: none.
 * Source: `python3 --help`: letters may share a dash; the last one may want a value.
 */
static struct pr_text after_python(struct pr_text *line)
{
    for (;;) {
        const struct pr_text word = next_word(line);
        const char last = word.length > 1 ? word.bytes[word.length - 1] : '\0';
        if (!word.length || *word.bytes != '-')
            return base_name(word);
        if (last == 'c')
            return (struct pr_text){"python -c", 9};
        if (last == 'm')
            return next_word(line);
        if (is(word, "-X") || is(word, "-W"))
            next_word(line);
    }
}

/* The assembly that dotnet is to run, "shop" of "shop.dll"; empty: none. */
static struct pr_text after_dotnet(struct pr_text line)
{
    static const char ending[] = ".dll";
    const uint32_t length = sizeof ending - 1;
    struct pr_text word;
    while ((word = next_word(&line)).length)
        if (word.length > length && !memcmp(word.bytes + word.length - length, ending, length))
            return base_name((struct pr_text){word.bytes, word.length - length});
    return word;
}

struct pr_text pr_program_name(struct pr_text command_line)
{
    struct pr_text program = base_name(next_word(&command_line));
    if (is(program, "dotnet")) {
        const struct pr_text assembly = after_dotnet(command_line);
        return assembly.length ? assembly : program;
    }
    if (is_python(program)) {
        struct pr_text rest = command_line, script = after_python(&rest);
        command_line = script.length ? rest : command_line;
        program = script.length ? script : program;
    }
    const bool is_recorder = is(program, "perf"); /* of what ran already */
    if (is(program, "-") || is_recorder)          /* some tools write "-" for unknown */
        return (struct pr_text){"", 0};
    if (is_memray(program)) {
        struct pr_text rest = command_line;
        if (is(next_word(&rest), "run"))
            return after_memray_run(rest);
    }
    return with_service(program, command_line);
}

bool pr_programs_differ(const struct pr_profile *profile, pr_str command_line, pr_str other, struct pr_text names[2])
{
    names[0] = pr_program_name(pr_profile_text(profile, command_line));
    names[1] = pr_program_name(pr_profile_text(profile, other));
    return names[0].length && names[1].length && pr_text_compare(names[0], names[1]) != 0;
}

/* ---- of profiles without a command line ------------------------------------------------------------------------- */

/* The code of a script outside of all functions: of Python, of Ruby, and of V8, which names it by its place alone. */
static bool is_top_level(const struct pr_profile *profile, pr_frame_id frame)
{
    const struct pr_frame *f = &profile->frames[frame];
    const struct pr_text function = pr_profile_text(profile, f->function), file = pr_profile_text(profile, f->file);
    const bool is_unnamed = !function.length || is(function, "(anonymous)");
    return file.length && *file.bytes != '<' &&
           (is(function, "<module>") || is(function, "<main>") ||
            (is_unnamed && (f->line == 1 || f->definition_line == 1)));
}

static struct pr_text main_script(const struct pr_profile *profile)
{
    const struct pr_tree *tree = &profile->tree;
    struct pr_text script = {"", 0};
    bool *is_below = profile->code ? calloc(tree->count, sizeof *is_below) : NULL;
    pr_str file = 0;
    bool is_one = is_below != NULL;
    for (pr_node_id i = 1; is_one && i < tree->count; i++) {
        const pr_frame_id frame = tree->frame[i];
        is_below[i] = is_below[tree->parent[i]];
        if (is_below[i] || profile->frames[frame].kind != PR_FRAME_PYTHON ||
            pr_owner_of(profile, frame) != PR_OWNER_MINE)
            continue;
        is_below[i] = true;
        if (!is_top_level(profile, frame))
            continue;
        is_one = !file || file == profile->frames[frame].file;
        file = profile->frames[frame].file;
    }
    if (is_one && file)
        script = base_name(pr_profile_text(profile, file));
    free(is_below);
    return script;
}

/* The one process of machine code. An interpreter's name says nothing of what it ran. */
static struct pr_text only_process(const struct pr_profile *profile)
{
    const struct pr_text none = {"", 0};
    for (pr_frame_id i = 0; i < profile->frame_count; i++)
        if (profile->frames[i].kind == PR_FRAME_PYTHON)
            return none;
    if (profile->process_count != 1)
        return none;
    struct pr_text words = pr_profile_text(profile, profile->processes[0].name);
    return is_python(next_word(&words)) ? none : base_name(pr_profile_text(profile, profile->processes[0].name));
}

/* perf's collapsed stacks begin with the command, which here calls what starts a program. */
static struct pr_text only_command(const struct pr_profile *profile)
{
    const struct pr_tree *tree = &profile->tree;
    pr_node_id root = 0;
    bool starts = false;
    for (pr_node_id i = 1; i < tree->count; i++) {
        if (tree->parent[i] == PR_ROOT && root && tree->frame[i] != tree->frame[root])
            return (struct pr_text){"", 0};
        if (tree->parent[i] == PR_ROOT)
            root = i;
        else if (root && tree->parent[tree->parent[i]] == PR_ROOT)
            starts |= profile->frames[tree->frame[i]].kind == PR_FRAME_NATIVE &&
                      (pr_role_of(profile, tree->frame[i]) & PR_ROLE_RUNNER) != 0;
    }
    const struct pr_frame *command = root ? &profile->frames[tree->frame[root]] : NULL;
    starts = starts && !(pr_role_of(profile, tree->frame[root]) & PR_ROLE_RUNNER);
    return starts && !command->file ? pr_profile_text(profile, command->function) : (struct pr_text){"", 0};
}

/* Go's package main: the program is called as the folder of its source. */
static bool is_go_main(struct pr_text function, struct pr_text file)
{
    return pr_text_starts(function, "main.") && pr_text_ends(file, ".go");
}

static struct pr_text folder_of(struct pr_text file)
{
    file.length -= pr_text_file_name_anywhere(file).length;
    file.length -= file.length > 0; /* the slash */
    return file;
}

/* The one file of the user's code: a script, or a binary; of Go, the folder of package main. */
static struct pr_text only_own(const struct pr_profile *profile)
{
    struct pr_text one = {"", 0};
    for (pr_frame_id i = 0; profile->code && i < profile->frame_count; i++) {
        const struct pr_frame *f = &profile->frames[i];
        struct pr_text file = pr_profile_text(profile, f->file);
        if (!f->function || !file.length || *file.bytes == '<' || pr_owner_of(profile, i) != PR_OWNER_MINE ||
            (pr_role_of(profile, i) & PR_ROLE_RUNNER))
            continue;
        if (is_go_main(pr_profile_text(profile, f->function), file))
            file = folder_of(file);
        if (one.length && (one.length != file.length || memcmp(one.bytes, file.bytes, file.length) != 0))
            return (struct pr_text){"", 0};
        one = file;
    }
    return base_name(one);
}

/* Where nothing but a traceback is known: the outermost top-level code of a Python script. */
static struct pr_text traced_script(const struct pr_profile *profile)
{
    const struct pr_failure *failure = &profile->run.failure;
    if (failure->final_exception >= failure->exception_count)
        return (struct pr_text){"", 0};
    const struct pr_exception *raised = &failure->exceptions[failure->final_exception];
    for (uint32_t i = 0; i < raised->frame_count; i++) {
        const struct pr_text file = pr_profile_text(profile, raised->frames[i].file);
        if (is(pr_profile_text(profile, raised->frames[i].function), "<module>") && pr_text_ends(file, ".py") &&
            !is_memray(pr_text_file_name_anywhere(file)))
            return base_name(file);
    }
    return (struct pr_text){"", 0};
}

struct pr_text pr_subject_of_file(const char *path)
{
    static const char *const endings[] = {
        ".zst", ".gz", ".lz4", ".xz", ".bz2", ".json", ".jsonl", ".txt", ".bin", ".dat", ".data", ".out",
        ".log", ".pickle", ".pb", ".perf", ".torch", ".trace", ".sadf", ".psrecord", ".psrecord-io", ".hprof",
        ".heap", ".heapsnapshot", ".heapprofile", ".cpuprofile", ".folded", ".collapsed", ".pstats", ".prof",
        ".stderr", ".dhat", ".massif", ".austin", ".speedscope", ".gnu-time", ".mprof", ".jfr", ".nettrace",
        ".stackprof", ".heaptrack"};
    struct pr_text name = pr_text_of(pr_path_last_part(path));
    for (size_t i = 0; i < sizeof endings / sizeof *endings;) {
        const struct pr_text ending = pr_text_of(endings[i++]);
        if (name.length > ending.length && pr_text_ends(name, ending.bytes)) {
            name.length -= ending.length;
            i = 0;
        }
    }
    return name;
}

struct pr_text pr_program_of(const struct pr_profile *profile)
{
    struct pr_text program = pr_program_name(pr_profile_text(profile, profile->meta.command_line));
    if (profile->is_difference)
        return program; /* its frames are of both sides */
    if (!program.length)
        program = main_script(profile);
    if (!program.length)
        program = only_process(profile);
    if (!program.length)
        program = only_command(profile);
    if (!program.length)
        program = only_own(profile);
    return program.length ? program : traced_script(profile);
}

struct pr_text pr_subject_of(const struct pr_profile *profile, const char *path)
{
    if (profile->run.name)
        return pr_profile_text(profile, profile->run.name);
    const struct pr_text program = pr_program_of(profile);
    return !program.length && path && strcmp(path, "-") != 0 ? pr_subject_of_file(path) : program;
}

static bool is_end_of_path(char c)
{
    return c == ' ' || c == '\'' || c == '"' || c == ',' || c == ')' || c == ':';
}

void pr_leave_folders_out(struct pr_text message, struct pr_buf *out)
{
    for (uint32_t at = 0, end; at < message.length; at = end) {
        const bool begins = message.bytes[at] == '/' && (!at || is_end_of_path(message.bytes[at - 1]) ||
                                                         message.bytes[at - 1] == '(' || message.bytes[at - 1] == '=');
        end = at + 1;
        while (begins && end < message.length && !is_end_of_path(message.bytes[end]))
            end++;
        const struct pr_text part = {message.bytes + at, end - at},
                             name = begins ? pr_text_file_name_anywhere(part) : part;
        pr_buf_add(out, name.bytes, name.length);
    }
}
