/* SPDX-License-Identifier: Apache-2.0 */
/* Paths are read part by part, so that "my-site-packages/x.py" is not taken for a library. */
#include "capture/model/code_path.h"

#include "capture/base/ascii.h"
#include "capture/base/text.h"

#include <string.h>

bool pr_path_part(struct pr_text path, uint32_t *at, struct pr_text *part)
{
    uint32_t start = *at;
    if (start == 0 && path.length && path.bytes[0] == '/') {
        *part = (struct pr_text){path.bytes, 1};
        *at = 1;
        return true;
    }
    while (start < path.length) {
        const char *slash = memchr(path.bytes + start, '/', path.length - start);
        uint32_t end = slash ? (uint32_t)(slash - path.bytes) : path.length;
        *part = (struct pr_text){path.bytes + start, end - start};
        if (part->length && !pr_text_is(*part, ".")) {
            *at = end;
            return true;
        }
        start = end + 1;
    }
    *at = path.length;
    return false;
}

struct pr_text pr_path_last(struct pr_text path)
{
    for (uint32_t end = path.length; end;) {
        const char *slash = memrchr(path.bytes, '/', end);
        const uint32_t start = slash ? (uint32_t)(slash - path.bytes) + 1 : 0;
        const struct pr_text part = {path.bytes + start, end - start};
        if (part.length && !pr_text_is(part, "."))
            return part;
        end = start ? start - 1 : 0;
    }
    return (struct pr_text){"", 0};
}

bool pr_path_below(struct pr_text path, struct pr_text directory)
{
    uint32_t length = directory.length;
    while (length > 1 && directory.bytes[length - 1] == '/')
        length--;
    if (length == 0 || path.length < length || memcmp(path.bytes, directory.bytes, length))
        return false;
    return path.length == length || path.bytes[length] == '/' || directory.bytes[length - 1] == '/';
}

struct pr_text pr_path_past(struct pr_text path, const char *folder)
{
    const struct pr_text directory = pr_text_of(folder ? folder : ""), none = {"", 0};
    if (!directory.length || !pr_path_below(path, directory))
        return none;
    uint32_t at = directory.length;
    while (at < path.length && path.bytes[at] == '/')
        at++;
    return at < path.length ? pr_text_from(path, at) : none;
}

bool pr_path_is_frozen(struct pr_text path)
{
    return pr_text_starts(path, "<frozen ");
}

uint32_t pr_path_in_packages(struct pr_text path)
{
    struct pr_text part;
    for (uint32_t at = 0; pr_path_part(path, &at, &part);)
        if (pr_text_is(part, "site-packages") || pr_text_is(part, "dist-packages"))
            return at + 1 < path.length ? at + 1 : 0;
    return 0;
}

static bool digits(struct pr_text part, uint32_t *at)
{
    uint32_t start = *at;
    while (*at < part.length && pr_is_digit(part.bytes[*at]))
        ++*at;
    return *at > start;
}

bool pr_part_is_python(struct pr_text part)
{
    uint32_t at = pr_text_starts(part, "python") ? 6 : pr_text_starts(part, "pypy") ? 4 : 0;
    if (!at || !digits(part, &at) || at == part.length || part.bytes[at++] != '.' || !digits(part, &at))
        return false;
    while (at < part.length && pr_is_lower(part.bytes[at]))
        at++;
    return at == part.length;
}

uint32_t pr_path_in_stdlib(struct pr_text path)
{
    struct pr_text part;
    bool in_lib = false; /* the part before is "lib", "lib64" */
    for (uint32_t at = 0; pr_path_part(path, &at, &part);) {
        if (in_lib && pr_part_is_python(part))
            return at + 1 < path.length ? at + 1 : 0;
        in_lib = pr_text_is(part, "lib") || pr_text_is(part, "lib64");
    }
    return 0;
}
