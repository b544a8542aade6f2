/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/section_file.h"

#include "capture/base/beneath.h"
#include "profrender/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* At most MOST + 1 bytes of FD: one more shows that there are too many. False with errno: it cannot be read. */
static bool read_all(int fd, size_t most, struct pr_buf *out)
{
    enum { PART = 1 << 16 };
    char part[PART];
    while (out->length <= most && !out->failed) {
        const size_t rest = most + 1 - out->length;
        const ssize_t count = read(fd, part, rest < PART ? rest : PART);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return false;
        if (count == 0)
            break;
        pr_buf_add(out, part, (size_t)count);
    }
    return true;
}

enum pr_status pr_section_file(int folder, const char *name, size_t most, struct pr_arena *arena,
                               struct pr_text *bytes, struct pr_error *err)
{
    struct pr_buf buf = {0};
    const int fd = pr_open_beneath(folder, name);
    if (fd < 0)
        return pr_fail(err, PR_ERR_IO, PR_NO_OFFSET, NULL, "%s: %s", name, pr_beneath_why(errno));
    enum pr_status status = PR_OK;
    if (!read_all(fd, most, &buf))
        status = pr_fail(err, PR_ERR_IO, PR_NO_OFFSET, NULL, "%s: cannot be read: %s", name, strerror(errno));
    else if (buf.length > most)
        status = pr_fail(err, PR_ERR_LIMIT, PR_NO_OFFSET, NULL, "%s: has more than %zu KiB", name, most >> 10);
    close(fd);
    const char *copy = status == PR_OK && !buf.failed ? pr_arena_copy(arena, buf.length ? buf.bytes : "", buf.length)
                                                      : NULL;
    if (status == PR_OK && !copy)
        status = pr_fail_memory(err);
    *bytes = (struct pr_text){copy ? copy : "", (uint32_t)buf.length};
    pr_buf_clear(&buf);
    return status;
}

/* ---- images ----------------------------------------------------------------------------------------------------- */

static bool begins(struct pr_text text, const char *with, size_t length)
{
    return text.length >= length && memcmp(text.bytes, with, length) == 0;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip(struct pr_text *text, size_t count)
{
    text->bytes += count;
    text->length -= (uint32_t)count;
}

/* What is before the first element of XML: blanks, a declaration, comments, a document type. False: it does not end. */
static bool skip_before_element(struct pr_text *text)
{
    static const struct {
        const char *from, *to;
    } around[] = {{"<?", "?>"}, {"<!--", "-->"}, {"<!DOCTYPE", ">"}};
    for (;;) {
        size_t i = 0;
        while (text->length && is_space(*text->bytes))
            skip(text, 1);
        while (i < 3 && !begins(*text, around[i].from, strlen(around[i].from)))
            i++;
        if (i == 3)
            return true;
        const char *end = memmem(text->bytes, text->length, around[i].to, strlen(around[i].to));
        if (!end)
            return false;
        skip(text, (size_t)(end - text->bytes) + strlen(around[i].to));
    }
}

static bool is_svg(struct pr_text text)
{
    if (begins(text, "\xEF\xBB\xBF", 3))
        skip(&text, 3);
    return skip_before_element(&text) && begins(text, "<svg", 4) && text.length > 4 &&
           (is_space(text.bytes[4]) || text.bytes[4] == '>' || text.bytes[4] == '/');
}

/* Source: the signatures of the WHATWG's MIME Sniffing Standard, section 6.1. */
const char *pr_section_media(struct pr_text bytes)
{
    if (begins(bytes, "\x89PNG\r\n\x1a\n", 8))
        return "image/png";
    if (begins(bytes, "\xff\xd8\xff", 3))
        return "image/jpeg";
    if (begins(bytes, "GIF87a", 6) || begins(bytes, "GIF89a", 6))
        return "image/gif";
    if (begins(bytes, "RIFF", 4) && bytes.length >= 14 && memcmp(bytes.bytes + 8, "WEBPVP", 6) == 0)
        return "image/webp";
    return is_svg(bytes) ? "image/svg+xml" : NULL;
}
