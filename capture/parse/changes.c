/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/parse/changes.h"

#include "capture/base/ascii.h"
#include "capture/base/checked.h"
#include "capture/base/text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LINE = 100000000 };

struct parser {
    struct pr_changes *changes;
    struct pr_changed_file *file; /* the one at hand; NULL: none, or it was deleted */
    int32_t line;                 /* the next one in the new file */
    int32_t old_left, new_left;   /* lines of the hunk that are still to come */
    bool failed;
};

/* ---- names ------------------------------------------------------------------------------------------------------ */

static int octal(const char *text)
{
    return (text[0] - '0') * 64 + (text[1] - '0') * 8 + (text[2] - '0');
}

static bool is_octal(const char *text, const char *end)
{
    return end - text >= 3 && text[0] >= '0' && text[0] <= '3' && text[1] >= '0' && text[1] <= '7' &&
           text[2] >= '0' && text[2] <= '7';
}

/* A name in quotes, with the escapes of C. */
static void add_quoted(struct pr_buf *name, const char *text, const char *end)
{
    static const char from[] = "abtnvfr", to[] = "\a\b\t\n\v\f\r";
    for (text++; text < end && *text != '"'; text++) {
        if (*text != '\\' || text + 1 == end) {
            pr_buf_byte(name, (unsigned char)*text);
            continue;
        }
        text++;
        const char *escape = memchr(from, *text, sizeof from - 1);
        if (is_octal(text, end)) {
            pr_buf_byte(name, (unsigned char)octal(text));
            text += 2;
        } else {
            pr_buf_byte(name, (unsigned char)(escape ? to[escape - from] : *text));
        }
    }
}

/* The file of that name is the one at hand. */
static void add_file(struct parser *p, const char *name)
{
    struct pr_changes *c = p->changes;
    char *path = strdup(name);
    if (path && pr_grow(&c->file, &c->capacity, c->count + 1, sizeof *c->file)) {
        p->file = &c->file[c->count++];
        *p->file = (struct pr_changed_file){.path = path};
    } else {
        free(path);
        p->failed = true;
    }
}

/* "+++ b/src/load.py", perhaps with a time after a tab. */
static void take_name(struct parser *p, const char *text, const char *end)
{
    struct pr_buf name = {0};
    const char *tab = memchr(text, '\t', (size_t)(end - text));
    p->file = NULL;
    if (text < end && *text == '"')
        add_quoted(&name, text, end);
    else
        pr_buf_add(&name, text, (size_t)((tab ? tab : end) - text));
    pr_buf_byte(&name, '\0');
    const bool prefixed = !name.failed && strncmp(name.bytes, "b/", 2) == 0;
    const char *bare = name.failed ? "" : name.bytes + (prefixed ? 2 : 0);
    if (*bare && strcmp(name.bytes, "/dev/null") != 0)
        add_file(p, bare);
    p->failed |= name.failed;
    pr_buf_clear(&name);
}

/* What a file is called after "src/{old => new}/load.py" or "old.py => new.py"; another name is unchanged. */
static void add_renamed(struct pr_buf *name, const char *text, const char *end)
{
    static const char arrow[] = " => ";
    const size_t width = sizeof arrow - 1;
    const char *at = text;
    while (at + width <= end && memcmp(at, arrow, width) != 0)
        at++;
    if (at + width > end) {
        pr_buf_add(name, text, (size_t)(end - text));
        return;
    }
    const char *open = memchr(text, '{', (size_t)(at - text));
    const char *from = at + width, *close = open ? memchr(from, '}', (size_t)(end - from)) : NULL;
    if (!close) {
        pr_buf_add(name, from, (size_t)(end - from));
        return;
    }
    pr_buf_add(name, text, (size_t)(open - text));
    pr_buf_add(name, from, (size_t)(close - from));
    close += 1 + (close == from && close + 1 < end && close[1] == '/'); /* "src/{old => }/load.py" */
    pr_buf_add(name, close, (size_t)(end - close));
}

/* A number of lines, or "-" for a binary file, and the tab after it. */
static bool skip_count(const char **text, const char *end)
{
    const char *at = *text;
    if (at < end && *at == '-')
        at++;
    else
        while (at < end && pr_is_digit((unsigned char)*at))
            at++;
    if (at == *text || at == end || *at != '\t')
        return false;
    *text = at + 1;
    return true;
}

/* "12\t3\tsrc/load.py", of `git diff --numstat`: the file, and no lines of it. */
static void take_counted(struct parser *p, const char *text, const char *end)
{
    struct pr_buf name = {0};
    if (!skip_count(&text, end) || !skip_count(&text, end) || text == end)
        return;
    if (*text == '"')
        add_quoted(&name, text, end);
    else
        add_renamed(&name, text, end);
    pr_buf_byte(&name, '\0');
    if (!name.failed && *name.bytes)
        add_file(p, name.bytes);
    p->failed |= name.failed;
    pr_buf_clear(&name);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* A number at *TEXT, which goes on after it; -1: none. */
static int32_t number(const char **text, const char *end)
{
    int64_t value = -1;
    for (; *text < end && pr_is_digit((unsigned char)**text); (*text)++) {
        value = (value < 0 ? 0 : value * 10) + (**text - '0');
        if (value > MOST_LINE)
            value = MOST_LINE;
    }
    return (int32_t)value;
}

/* "12,3" or "12": where it begins, and how many lines. */
static bool read_span(const char **text, const char *end, int32_t *first, int32_t *count)
{
    *first = number(text, end);
    *count = 1;
    if (*first >= 0 && *text < end && **text == ',') {
        (*text)++;
        *count = number(text, end);
    }
    return *first >= 0 && *count >= 0;
}

/* "@@ -12,3 +12,4 @@" */
static void take_hunk(struct parser *p, const char *text, const char *end)
{
    int32_t ignored;
    if (end - text < 4 || memcmp(text, "@@ -", 4) != 0)
        return;
    text += 4;
    if (!read_span(&text, end, &ignored, &p->old_left) || end - text < 2 || text[0] != ' ' || text[1] != '+')
        p->old_left = p->new_left = 0;
    else {
        text += 2;
        if (!read_span(&text, end, &p->line, &p->new_left))
            p->old_left = p->new_left = 0;
    }
}

static void touch_line(struct parser *p)
{
    struct pr_changed_file *file = p->file;
    if (file && file->count && file->range[file->count - 1].last == p->line - 1) {
        file->range[file->count - 1].last = p->line;
    } else if (file) {
        if (!pr_grow(&file->range, &file->capacity, file->count + 1, sizeof *file->range))
            p->failed = true;
        else
            file->range[file->count++] = (struct pr_line_range){p->line, p->line};
    }
}

/* A line inside of a hunk. */
static void take_content(struct parser *p, char kind)
{
    if (kind == '\\') /* "\ No newline at end of file" */
        return;
    if (kind == '+')
        touch_line(p);
    if (kind != '+')
        p->old_left--;
    if (kind != '-') {
        p->new_left--;
        p->line++;
    }
}

bool pr_changes_parse(const char *text, size_t length, struct pr_changes *changes)
{
    struct parser p = {.changes = changes};
    *changes = (struct pr_changes){.count = 0};
    bool any = length == 0; /* nothing changed */
    for (const char *end = text + length; text < end && !p.failed;) {
        const char *stop = memchr(text, '\n', (size_t)(end - text)), *next = stop ? stop + 1 : end;
        stop = stop ? stop : end;
        if (stop > text && stop[-1] == '\r')
            stop--;
        if (p.old_left > 0 || p.new_left > 0)
            take_content(&p, stop > text ? *text : ' ');
        else if (stop - text > 4 && memcmp(text, "+++ ", 4) == 0)
            take_name(&p, text + 4, stop);
        else if (stop > text && (pr_is_digit((unsigned char)*text) || *text == '-'))
            take_counted(&p, text, stop);
        else
            take_hunk(&p, text, stop);
        any |= p.file != NULL || (stop - text >= 10 && memcmp(text, "diff --git", 10) == 0);
        text = next;
    }
    if (!p.failed && any)
        return true;
    pr_changes_clear(changes);
    return false;
}

void pr_changes_clear(struct pr_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        free(changes->file[i].path);
        free(changes->file[i].range);
    }
    free(changes->file);
    *changes = (struct pr_changes){.count = 0};
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

static bool is_end_of(struct pr_text end, struct pr_text path)
{
    if (!end.length || end.length > path.length)
        return false;
    const char *at = path.bytes + path.length - end.length;
    return memcmp(at, end.bytes, end.length) == 0 && (end.length == path.length || at[-1] == '/');
}

enum pr_touch pr_changes_touch(const struct pr_changes *changes, struct pr_text file, int32_t line)
{
    enum pr_touch most = PR_UNTOUCHED;
    for (size_t i = 0; i < changes->count; i++) {
        const struct pr_changed_file *changed = &changes->file[i];
        const struct pr_text path = pr_text_of(changed->path);
        if (!is_end_of(path, file) && !is_end_of(file, path))
            continue;
        most = most > PR_TOUCHED_FILE ? most : PR_TOUCHED_FILE;
        for (size_t k = 0; k < changed->count; k++)
            if (line >= changed->range[k].first && line <= changed->range[k].last)
                most = PR_TOUCHED_LINE;
    }
    return most;
}
