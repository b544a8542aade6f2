/* SPDX-License-Identifier: Apache-2.0 */
/* Source: proc(5), cgroups(7), Documentation/admin-guide/cgroup-v2.rst and accounting/psi.rst of Linux 6.1. */
#include "cli/record/record_proc.h"

#include "capture/base/text.h"

#include <string.h>

static size_t skip_blanks(struct pr_text text, size_t at)
{
    while (at < text.length && pr_is_blank(text.bytes[at]))
        at++;
    return at;
}

/* The digits at AT; a number that does not fit becomes the maximum. Returns where they end: AT if there are none. */
static size_t read_number(struct pr_text text, size_t at, uint64_t *value)
{
    *value = 0;
    for (; at < text.length && pr_is_digit(text.bytes[at]); at++) {
        const uint64_t digit = (uint64_t)(text.bytes[at] - '0');
        *value = *value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *value * 10 + digit;
    }
    return at;
}

/* The next word from *AT on. */
static bool next_word(struct pr_text text, size_t *at, struct pr_text *word)
{
    const size_t from = skip_blanks(text, *at);
    size_t to = from;
    while (to < text.length && !pr_is_blank(text.bytes[to]) && text.bytes[to] != '\n')
        to++;
    *at = to;
    *word = pr_text_part(text, from, to);
    return to > from;
}

bool pr_proc_next_line(struct pr_text text, size_t *at, struct pr_text *line)
{
    if (*at >= text.length)
        return false;
    const char *end = memchr(text.bytes + *at, '\n', text.length - *at);
    const size_t to = end ? (size_t)(end - text.bytes) : text.length;
    *line = pr_text_part(text, *at, to);
    *at = to + 1;
    return true;
}

bool pr_proc_parse_stat(struct pr_text text, struct pr_proc_stat *stat)
{
    enum { STATE = 3, PARENT, USER = 14, SYSTEM, CHILDREN_USER, CHILDREN_SYSTEM, THREADS = 20, START = 22, PAGES = 24 };
    size_t at = text.length;
    while (at > 0 && text.bytes[at - 1] != ')')
        at--;
    if (at == 0)
        return false;
    uint64_t values[PAGES + 1] = {0};
    for (int field = STATE; field <= PAGES; field++) {
        struct pr_text word;
        if (!next_word(text, &at, &word))
            return false;
        if (field == STATE)
            stat->state = *word.bytes;
        else
            read_number(word, 0, &values[field]); /* a negative one, which we never use, is 0 */
    }
    stat->parent = values[PARENT] <= INT32_MAX ? (int32_t)values[PARENT] : 0;
    stat->user_ticks = values[USER];
    stat->system_ticks = values[SYSTEM];
    stat->children_user_ticks = values[CHILDREN_USER];
    stat->children_system_ticks = values[CHILDREN_SYSTEM];
    stat->threads = values[THREADS] <= UINT32_MAX ? (uint32_t)values[THREADS] : UINT32_MAX;
    stat->start_ticks = values[START];
    stat->resident_pages = values[PAGES];
    return true;
}

bool pr_proc_find(struct pr_text text, const char *key, uint64_t *value)
{
    const size_t length = strlen(key);
    struct pr_text line;
    for (size_t at = 0; pr_proc_next_line(text, &at, &line);) {
        if (line.length <= length || memcmp(line.bytes, key, length) != 0)
            continue;
        size_t from = length + (line.bytes[length] == ':');
        const size_t digits = skip_blanks(line, from);
        if (digits > length && read_number(line, digits, value) > digits)
            return true;
    }
    return false;
}

bool pr_proc_parse_number(struct pr_text text, uint64_t *value)
{
    struct pr_text word;
    size_t at = 0;
    if (!next_word(text, &at, &word))
        return false;
    if (pr_text_is(word, "max")) {
        *value = UINT64_MAX;
        return true;
    }
    return read_number(word, 0, value) == word.length;
}

bool pr_proc_parse_schedstat(struct pr_text text, uint64_t *waited_ns)
{
    struct pr_text word;
    size_t at = 0;
    return next_word(text, &at, &word) && next_word(text, &at, &word) && read_number(word, 0, waited_ns) == word.length;
}

bool pr_proc_parse_net(struct pr_text text, uint64_t *received, uint64_t *sent)
{
    enum { RECEIVED = 1, SENT = 9 }; /* columns after the name */
    struct pr_text line;
    bool any = false;
    *received = *sent = 0;
    for (size_t next = 0; pr_proc_next_line(text, &next, &line);) {
        const char *colon = memrchr(line.bytes, ':', line.length);
        if (!colon)
            continue;
        size_t at = (size_t)(colon - line.bytes);
        const size_t name = skip_blanks(line, 0);
        any = true;
        if (pr_text_is(pr_text_part(line, name < at ? name : at, at), "lo"))
            continue;
        at++;
        struct pr_text word;
        for (int column = 1; column <= SENT && next_word(line, &at, &word); column++) {
            uint64_t value;
            read_number(word, 0, &value);
            *received += column == RECEIVED ? value : 0;
            *sent += column == SENT ? value : 0;
        }
    }
    return any;
}

bool pr_proc_parse_pressure(struct pr_text text, uint64_t *some_us)
{
    static const char label[] = "total=";
    struct pr_text line, word;
    size_t at = 0;
    if (!pr_proc_next_line(text, &at, &line))
        return false;
    at = 0;
    if (!next_word(line, &at, &word) || !pr_text_is(word, "some"))
        return false;
    while (next_word(line, &at, &word)) {
        const size_t length = sizeof label - 1;
        if (word.length > length && memcmp(word.bytes, label, length) == 0)
            return read_number(word, length, some_us) == word.length;
    }
    return false;
}

int32_t pr_proc_next_pid(struct pr_text text, size_t *at)
{
    struct pr_text word;
    uint64_t pid;
    while (next_word(text, at, &word))
        if (read_number(word, 0, &pid) == word.length && pid > 0 && pid <= INT32_MAX)
            return (int32_t)pid;
    return 0;
}

bool pr_proc_parse_cgroup(struct pr_text line, struct pr_proc_cgroup *cgroup)
{
    const char *first = memchr(line.bytes, ':', line.length);
    if (!first)
        return false;
    const size_t from = (size_t)(first - line.bytes) + 1;
    const char *second = memchr(line.bytes + from, ':', line.length - from);
    if (!second)
        return false;
    const size_t to = (size_t)(second - line.bytes);
    cgroup->controllers = pr_text_part(line, from, to);
    cgroup->path = pr_text_part(line, to + 1, line.length);
    return cgroup->path.length > 0 && *cgroup->path.bytes == '/';
}

bool pr_proc_parse_mount(struct pr_text line, struct pr_proc_mount *mount)
{
    enum { ROOT = 3, POINT, OPTIONS }; /* fields, from 0; after the options more of them, then a dash */
    struct pr_text word;
    size_t at = 0;
    for (int field = 0; field <= OPTIONS; field++) {
        if (!next_word(line, &at, &word))
            return false;
        if (field == ROOT)
            mount->root = word;
        if (field == POINT)
            mount->point = word;
    }
    while (next_word(line, &at, &word)) {
        struct pr_text source;
        if (pr_text_is(word, "-"))
            return next_word(line, &at, &mount->type) && next_word(line, &at, &source) &&
                   next_word(line, &at, &mount->options);
    }
    return false;
}

bool pr_proc_lists(struct pr_text list, const char *word)
{
    for (size_t from = 0; from <= list.length;) {
        const char *comma = from < list.length ? memchr(list.bytes + from, ',', list.length - from) : NULL;
        const size_t to = comma ? (size_t)(comma - list.bytes) : list.length;
        if (pr_text_is(pr_text_part(list, from, to), word))
            return true;
        from = to + 1;
    }
    return false;
}
