/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer that is cut in half whenever it is full. */
#include "capture/run/stderr_tail.h"

#include <string.h>

static void forget_half(struct pr_buf *words)
{
    const size_t from = words->length - PR_LAST_WORDS_BYTES;
    const char *newline = memchr(words->bytes + from, '\n', words->length - from);
    const size_t start = newline ? (size_t)(newline - words->bytes) + 1 : from;
    memmove(words->bytes, words->bytes + start, words->length - start + 1);
    words->length -= start;
}

void pr_last_words_add(struct pr_buf *words, struct pr_text line)
{
    const uint32_t most = PR_LAST_WORDS_BYTES;
    const uint32_t from = line.length > most ? line.length - most : 0;
    pr_buf_add(words, line.bytes + from, line.length - from);
    pr_buf_byte(words, '\n');
    if (words->length > 2 * (size_t)PR_LAST_WORDS_BYTES)
        forget_half(words);
}

enum pr_status pr_last_words_read(struct pr_buf *words, struct pr_profile *profile, struct pr_failure *failure,
                                  struct pr_error *err)
{
    enum pr_status status = words->failed ? pr_fail_memory(err) : PR_OK;
    if (status == PR_OK && words->length)
        status = pr_traceback_read(profile, (struct pr_text){words->bytes, (uint32_t)words->length}, failure, err);
    pr_buf_clear(words);
    return status;
}
