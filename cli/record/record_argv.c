/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/record_argv.h"

#include "capture/redact/redact.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 512, MOST_BYTES = 65536 };

/* How many words are kept. */
static size_t count_kept(const char *const *argv)
{
    size_t count = 0, bytes = 0;
    for (; argv[count] && count < MOST_WORDS && bytes <= MOST_BYTES; count++)
        bytes += strlen(argv[count]) + 1;
    return bytes > MOST_BYTES && count > 1 ? count - 1 : count;
}

void pr_words_redact(struct pr_buf *out, const char *const *argv)
{
    struct pr_redactor redactor = {0};
    const size_t count = count_kept(argv);
    for (size_t i = 0; i < count; i++) {
        pr_redact_word(&redactor, out, (struct pr_text){argv[i], (uint32_t)strnlen(argv[i], MOST_BYTES)});
        pr_buf_add(out, "", 1);
    }
}

void pr_words_write(struct pr_json_writer *json, const char *const *argv)
{
    struct pr_buf words = {0};
    size_t left = 0;
    pr_words_redact(&words, argv);
    pr_json_put_open(json, '[');
    for (size_t at = 0; !words.failed && at < words.length;) {
        const size_t length = strnlen(words.bytes + at, words.length - at);
        pr_json_put_name(json, (struct pr_text){words.bytes + at, (uint32_t)length});
        at += length + 1;
    }
    for (size_t kept = count_kept(argv); argv[kept + left];)
        left++;
    if (left) {
        char text[64];
        snprintf(text, sizeof text, "... %zu more", left);
        pr_json_put_text(json, text);
    }
    pr_json_put_close(json, ']');
    pr_buf_clear(&words);
}
