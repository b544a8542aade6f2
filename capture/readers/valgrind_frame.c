/* SPDX-License-Identifier: Apache-2.0 */
/* An address, a name, and a file with its line or the object that the address is in. */
#include "capture/readers/valgrind_frame.h"

#include "capture/base/text.h"
#include "capture/parse/frame_text.h"

#include <string.h>

/* `main.rs:3` with line 5, which was a column: `main.rs` with line 3. */
static void drop_column(struct pr_frame_text *parts)
{
    uint64_t line;
    const char *colon = memrchr(parts->file.bytes, ':', parts->file.length);
    if (!parts->line || !colon)
        return;
    const uint32_t length = (uint32_t)(colon - parts->file.bytes);
    const struct pr_text digits = pr_text_from(parts->file, length + (size_t)1);
    if (!digits.length || !pr_is_digit(*digits.bytes) || !pr_text_number(digits, &line) || line > INT32_MAX)
        return;
    parts->file.length = length;
    parts->line = (int32_t)line;
}

bool pr_valgrind_place(struct pr_profile_builder *c, struct pr_text text, struct pr_place *place)
{
    uint64_t address;
    const char *colon = memchr(text.bytes, ':', text.length);
    const struct pr_text at = {text.bytes, colon ? (uint32_t)(colon - text.bytes) : 0};
    if (!pr_text_starts(text, "0x") || !colon || !pr_text_number(at, &address))
        return false;
    text = pr_text_trim(pr_text_from(text, at.length + (size_t)1));
    struct pr_frame_text parts = pr_frame_text_parse(text);
    const char *in = memmem(text.bytes, text.length, " (in ", 5);
    if (!parts.line && in && text.bytes[text.length - 1] == ')') {
        const size_t name = (size_t)(in - text.bytes);
        parts.name = (struct pr_text){text.bytes, (uint32_t)name};
        parts.file = pr_text_from(text, name + 5);
        parts.file.length--;
    }
    drop_column(&parts);
    if (pr_text_is(parts.name, "???"))
        parts.name = at;
    *place = (struct pr_place){.function = pr_build_string(c, parts.name.bytes, parts.name.length),
                               .file = pr_build_string(c, parts.file.bytes, parts.file.length),
                               .line = parts.line,
                               .kind = PR_FRAME_NATIVE};
    return true;
}
