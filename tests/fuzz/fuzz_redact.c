/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a command line, as its arguments and as a log: nothing is read beyond them, and nothing is made up. */
#include <stdlib.h>
#include <string.h>

#include "capture/redact/redact.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* OUT without what was put in is a part of TEXT, in order. */
static void must_be_of(const struct pr_buf *out, struct pr_text text)
{
    static const char hidden[] = PR_REDACTED;
    size_t in = 0;
    for (size_t at = 0; at < out->length;) {
        if (out->length - at >= sizeof hidden - 1 && memcmp(out->bytes + at, hidden, sizeof hidden - 1) == 0) {
            at += sizeof hidden - 1;
            continue;
        }
        if (at + 1 == out->length && out->bytes[at] == '\n' && in == text.length)
            break;
        while (in < text.length && text.bytes[in] != out->bytes[at])
            in++;
        if (in++ >= text.length && out->bytes[at] != '\n')
            abort();
        at++;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char *copy = malloc(length ? length : 1); /* of exactly this length: a byte more is seen */
    if (!copy)
        return 0;
    memcpy(copy, bytes, length);
    const struct pr_text text = {copy, (uint32_t)length};
    struct pr_buf out = {0};
    struct pr_redactor redactor = {0};
    pr_redact(&out, text);
    must_be_of(&out, text);
    pr_buf_clear(&out);
    pr_redact_log(&out, text);
    pr_buf_clear(&out);
    for (size_t at = 0; at < length;) {
        const char *end = memchr(copy + at, '\0', length - at);
        const size_t word = end ? (size_t)(end - copy) - at : length - at;
        pr_redact_word(&redactor, &out, (struct pr_text){copy + at, (uint32_t)word});
        at += word + 1;
    }
    pr_buf_clear(&out);
    free(copy);
    return 0;
}
