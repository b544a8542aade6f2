/* SPDX-License-Identifier: Apache-2.0 */
/* Source: the command lines of CPython 3.8 to 3.14 (`python --help`) and of memray 1.20 (`memray run --help`). */
#include "cli/record/record_memray.h"
#include "capture/base/text.h"

#include "cli/io/local_file.h"
#include "cli/record/record_spawn.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ADDED = 16, SHEBANG_BYTES = 256 };

/* Profilers that take the interpreter's one profile hook, or the allocators, as memray does. */
static const char *const rivals[] = {"memray",  "cProfile", "profile",       "pyinstrument", "yappi",
                                     "scalene", "kernprof", "line_profiler", "fil_profile",  NULL};

static bool refuse(struct pr_memray_line *line, const char *format, ...) PR_PRINTF(2, 3);

static bool refuse(struct pr_memray_line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line->why_not, sizeof line->why_not, format, arguments);
    va_end(arguments);
    return false;
}

static bool refuse_rival(struct pr_memray_line *line, const char *name)
{
    return refuse(line, "the command runs %.100s, which needs the same interpreter hook", name);
}

/* "python", "python3", "python3.12", also with a folder before it. */
static bool is_python(const char *program)
{
    static const char name[] = "python";
    const char *part = pr_path_last_part(program);
    if (strncmp(part, name, sizeof name - 1) != 0)
        return false;
    part += sizeof name - 1;
    return part[strspn(part, "0123456789.")] == '\0';
}

static bool is_rival(const char *name)
{
    for (size_t i = 0; rivals[i]; i++)
        if (strncmp(name, rivals[i], strlen(rivals[i])) == 0 && !pr_is_alphanumeric(name[strlen(rivals[i])]))
            return true;
    return false;
}

/* ---- scripts ---------------------------------------------------------------------------------------------------- */

/* The interpreter that the first line of a script names, with its one argument; both are in TEXT. */
static bool read_shebang(const char *path, char text[SHEBANG_BYTES], const char **python, const char **option)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd < 0 ? -1 : read(fd, text, SHEBANG_BYTES - 1);
    char *rest;
    if (fd >= 0)
        close(fd);
    if (length < 3 || memcmp(text, "#!", 2) != 0)
        return false;
    text[length] = '\0';
    text[strcspn(text, "\n")] = '\0';
    *python = strtok_r(text + 2, " \t\r", &rest);
    *option = *python ? strtok_r(NULL, " \t\r", &rest) : NULL;
    if (*python && *option && strcmp(pr_path_last_part(*python), "env") == 0) {
        *python = *option;
        *option = strtok_r(NULL, " \t\r", &rest);
    }
    return *python && is_python(*python);
}

/* ---- the line --------------------------------------------------------------------------------------------------- */

struct maker {
    struct pr_memray_line *line;
    size_t count;
    size_t used; /* of the texts */
};

static void add(struct maker *maker, const char *word)
{
    maker->line->argv[maker->count++] = word;
}

/* A word that has to be made up. */
static const char *keep(struct maker *maker, const char *text, size_t length)
{
    char *place = maker->line->texts + maker->used;
    if (length >= sizeof maker->line->texts - maker->used)
        return NULL;
    memcpy(place, text, length);
    place[length] = '\0';
    maker->used += length + 1;
    return place;
}

static void add_memray(struct maker *maker, const char *path)
{
    static const char *const words[] = {"-m", "memray", "run", "-q", "-f", "-o"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        add(maker, words[i]);
    add(maker, path);
}

static void add_all(struct maker *maker, const char *const *words)
{
    while (*words)
        add(maker, *words++);
    add(maker, NULL);
}

/*
 * Goes through the options of the interpreter in WORDS, keeps them, and puts memray before what it runs: `-m MODULE`,
 * `-c TEXT` or a script.
 */
static bool add_python_words(struct maker *maker, const char *const *words, const char *path)
{
    for (; *words && **words == '-' && (*words)[1]; words++) {
        const char *word = *words;
        if (strcmp(word, "--check-hash-based-pycs") == 0 && words[1]) {
            add(maker, *words++);
            add(maker, *words);
            continue;
        }
        const size_t before = strcspn(word, "cmWXVh");
        const char letter = word[1] == '-' ? 'h' : word[before];
        if (letter == 'V' || letter == 'h')
            return refuse(maker->line, "the command runs no program");
        if (letter != 'c' && letter != 'm') {
            add(maker, word);
            if (letter && !word[before + 1] && words[1])
                add(maker, *++words);
            continue;
        }
        const char *kept = before > 1 ? keep(maker, word, before) : NULL;
        const char *value = word[before + 1] ? word + before + 1 : *++words;
        if (!value)
            return refuse(maker->line, "the command runs no program");
        if (letter == 'm' && is_rival(value))
            return refuse_rival(maker->line, value);
        if (kept)
            add(maker, kept);
        add_memray(maker, path);
        add(maker, letter == 'm' ? "-m" : "-c");
        add(maker, value);
        add_all(maker, words + 1);
        return true;
    }
    if (!*words || strcmp(*words, "-") == 0)
        return refuse(maker->line, "the program comes from standard input");
    if (is_rival(pr_path_last_part(*words)))
        return refuse_rival(maker->line, pr_path_last_part(*words));
    add_memray(maker, path);
    add_all(maker, words);
    return true;
}

static bool has_memray(const char *python)
{
    static const char ask[] = "import importlib.util, sys; sys.exit(importlib.util.find_spec('memray') is None)";
    const char *argv[] = {python, "-c", ask, NULL};
    return pr_spawn_wait(argv) == 0;
}

static bool make(struct pr_memray_line *line, const char *const *argv, const char *path)
{
    struct maker maker = {.line = line};
    char program[PATH_MAX], shebang[SHEBANG_BYTES];
    const char *python = argv[0], *option = NULL;
    bool is_script = false;
    if (!is_python(argv[0])) {
        is_script = pr_find_program(argv[0], program) && read_shebang(program, shebang, &python, &option);
        if (!is_script)
            return refuse(line, "%.100s is not Python", argv[0]);
        if (is_rival(pr_path_last_part(program)))
            return refuse_rival(line, pr_path_last_part(program));
    }
    if (!has_memray(python))
        return refuse(line, "%.100s has no memray: install it there with `pip install memray`", python);
    if (!is_script) {
        add(&maker, argv[0]);
        return add_python_words(&maker, argv + 1, path);
    }
    add(&maker, keep(&maker, python, strlen(python)));
    if (option)
        add(&maker, keep(&maker, option, strlen(option)));
    add_memray(&maker, path);
    add(&maker, keep(&maker, program, strlen(program)));
    add_all(&maker, argv + 1);
    return true;
}

bool pr_memray_line_make(struct pr_memray_line *line, const char *const *argv, const char *path)
{
    size_t count = 0;
    while (argv[count])
        count++;
    line->why_not[0] = '\0';
    line->argv = calloc(count + MOST_ADDED, sizeof *line->argv);
    if (!line->argv)
        return refuse(line, "out of memory");
    if (make(line, argv, path))
        return true;
    pr_memray_line_clear(line);
    return false;
}

void pr_memray_line_clear(struct pr_memray_line *line)
{
    free(line->argv);
    line->argv = NULL;
}
