/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing, cutting, trimming. */
#include "capture/base/text.h"

#include <string.h>

static bool is_blank(char c)
{
    return pr_is_blank(c) || c == '\r';
}

struct pr_text pr_text_trim(struct pr_text line)
{
    while (line.length && is_blank(line.bytes[line.length - 1]))
        line.length--;
    for (; line.length && is_blank(*line.bytes); line.length--)
        line.bytes++;
    return line;
}

/* How many bytes LINE and WORD begin with alike. Mostly none: names are compared with each word of long tables. */
static uint32_t same_bytes(struct pr_text line, const char *word)
{
    uint32_t count = 0;
    while (count < line.length && word[count] && line.bytes[count] == word[count])
        count++;
    return count;
}

bool pr_text_starts(struct pr_text line, const char *beginning)
{
    return !beginning[same_bytes(line, beginning)];
}

bool pr_text_ends(struct pr_text text, const char *end)
{
    const size_t length = strlen(end);
    return text.length >= length && !memcmp(text.bytes + text.length - length, end, length);
}

bool pr_text_is(struct pr_text text, const char *word)
{
    const uint32_t same = same_bytes(text, word);
    return same == text.length && !word[same];
}

bool pr_text_is_one_of(struct pr_text text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count && text.length; i++)
        if (*words[i] == *text.bytes && pr_text_is(text, words[i]))
            return true;
    return false;
}

bool pr_text_starts_with_one(struct pr_text text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count && text.length; i++)
        if (*words[i] == *text.bytes && pr_text_starts(text, words[i]))
            return true;
    return false;
}

bool pr_text_number(struct pr_text text, uint64_t *number)
{
    uint64_t base = 10;
    size_t at = 0;
    if (text.length > 2 && text.bytes[0] == '0' && (text.bytes[1] | 0x20) == 'x') {
        base = 16;
        at = 2;
    }
    size_t first = at;
    *number = 0;
    for (; at < text.length; at++) {
        const unsigned digit = pr_hex_digit(text.bytes[at]);
        if (digit >= base)
            break;
        if (*number > (UINT64_MAX - digit) / base)
            return false;
        *number = *number * base + digit;
    }
    return at > first;
}

struct pr_text pr_text_file_name_anywhere(struct pr_text path)
{
    uint32_t start = path.length;
    while (start && path.bytes[start - 1] != '/' && path.bytes[start - 1] != '\\')
        start--;
    return pr_text_from(path, start);
}

static struct pr_text mapped_file_name(struct pr_text file)
{
    static const char deleted[] = " (deleted)";
    struct pr_text name = pr_text_file_name_anywhere(file);
    if (pr_text_ends(name, deleted))
        name.length -= (uint32_t)strlen(deleted);
    return name;
}

bool pr_text_is_shared_object(struct pr_text file)
{
    const struct pr_text name = mapped_file_name(file);
    return pr_text_ends(name, ".so") || pr_text_ends(name, ".dylib") || pr_text_ends(name, ".dll") ||
           memmem(name.bytes, name.length, ".so.", 4);
}

struct pr_text pr_text_mapped_program(struct pr_text file)
{
    const struct pr_text name = mapped_file_name(file);
    const bool is_program = name.length && *name.bytes != '[' && !pr_text_is_shared_object(name);
    return is_program ? name : (struct pr_text){"", 0};
}

const char *pr_path_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool pr_string_ends(const char *text, const char *end)
{
    const size_t length = strlen(text), more = strlen(end);
    return length >= more && !strcmp(text + length - more, end);
}
