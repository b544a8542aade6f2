/* SPDX-License-Identifier: Apache-2.0 */
/* Growing byte buffer with a sticky failure. */
#include "profrender/buf.h"

#include "capture/base/checked.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct pr_buf *buf, size_t more)
{
    size_t need;
    if (!buf->failed && buf->capacity - buf->length > more) /* mostly; both are 0 at first */
        return true;
    if (buf->failed || !pr_add_size(buf->length, more, &need) || !pr_add_size(need, 1, &need) ||
        !pr_grow(&buf->bytes, &buf->capacity, need, 1)) {
        buf->failed = true;
        return false;
    }
    return true;
}

void pr_buf_add(struct pr_buf *buf, const void *bytes, size_t length)
{
    if (!reserve(buf, length))
        return;
    if (length)
        memcpy(buf->bytes + buf->length, bytes, length);
    buf->length += length;
    buf->bytes[buf->length] = '\0';
}

char *pr_buf_make_room(struct pr_buf *buf, size_t most)
{
    return reserve(buf, most) ? buf->bytes + buf->length : NULL;
}

void pr_buf_text(struct pr_buf *buf, const char *text)
{
    pr_buf_add(buf, text, strlen(text));
}

void pr_buf_byte(struct pr_buf *buf, unsigned byte)
{
    const char c = (char)byte;
    pr_buf_add(buf, &c, 1);
}

void pr_buf_printf(struct pr_buf *buf, const char *format, ...)
{
    va_list args;
    const size_t room = !buf->failed && buf->capacity > buf->length ? buf->capacity - buf->length : 0;
    va_start(args, format);
    int length = vsnprintf(room ? buf->bytes + buf->length : NULL, room, format, args);
    va_end(args);
    if (length >= 0 && (size_t)length < room) { /* as usual: it fits */
        buf->length += (size_t)length;
        return;
    }
    if (room)
        buf->bytes[buf->length] = '\0';
    if (length < 0) {
        buf->failed = true;
        return;
    }
    if (!reserve(buf, (size_t)length))
        return;
    va_start(args, format);
    vsnprintf(buf->bytes + buf->length, (size_t)length + 1, format, args);
    va_end(args);
    buf->length += (size_t)length;
}

void pr_buf_clear(struct pr_buf *buf)
{
    free(buf->bytes);
    *buf = (struct pr_buf){0};
}
