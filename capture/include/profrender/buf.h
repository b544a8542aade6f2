/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A byte buffer that grows. After a failed append it is `failed`, appends do nothing, and the check can wait until the
 * end:
 *
 *     struct pr_buf buf = {0};
 *     pr_buf_text(&buf, "peak ");
 *     pr_buf_printf(&buf, "%d", n);
 *     if (buf.failed) return pr_fail_memory(err);
 *     pr_buf_clear(&buf);
 *
 * Stable: changes with the number of the shared library only.
 */
#ifndef PR_API_BUF_H
#define PR_API_BUF_H

#include "profrender/error.h"

PR_DECLS_BEGIN

struct pr_buf {
    char *bytes; /* `length` bytes and a final NUL; NULL until something is appended */
    size_t length, capacity;
    bool failed; /* out of memory: everything appended since is missing */
};

PR_API void pr_buf_add(struct pr_buf *buf, const void *bytes, size_t length);
PR_API void pr_buf_text(struct pr_buf *buf, const char *text);
PR_API void pr_buf_byte(struct pr_buf *buf, unsigned byte);
PR_API void pr_buf_printf(struct pr_buf *buf, const char *format, ...) PR_PRINTF(2, 3);
PR_API void pr_buf_clear(struct pr_buf *buf);

/* For writing many bytes one by one: room for MOST more at the end; NULL if BUF has failed. */
PR_API char *pr_buf_make_room(struct pr_buf *buf, size_t most);
static inline char *pr_buf_room(struct pr_buf *buf, size_t most)
{
    const bool fits = buf->capacity > buf->length && buf->capacity - buf->length > most && !buf->failed;
    return fits ? buf->bytes + buf->length : pr_buf_make_room(buf, most);
}

/* LENGTH bytes of the room were written. */
static inline void pr_buf_use(struct pr_buf *buf, size_t length)
{
    if (buf->failed)
        return;
    buf->length += length;
    buf->bytes[buf->length] = '\0';
}

PR_DECLS_END

#endif
