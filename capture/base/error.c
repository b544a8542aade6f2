/* SPDX-License-Identifier: Apache-2.0 */
/* Filling struct pr_error: the first error wins, long names keep their tail. */
#include "profrender/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fill(struct pr_error *err, enum pr_error_code code, uint64_t offset, const char *doing, const char *format,
                 va_list args) PR_PRINTF(5, 0);

static void fill(struct pr_error *err, enum pr_error_code code, uint64_t offset, const char *doing, const char *format,
                 va_list args)
{
    if (!err || err->code != PR_ERR_NONE)
        return;
    err->code = code;
    err->offset = offset;
    snprintf(err->doing, sizeof err->doing, "%s", doing ? doing : "");
    vsnprintf(err->text, sizeof err->text, format, args);
}

enum pr_status pr_fail(struct pr_error *err, enum pr_error_code code, uint64_t offset, const char *doing,
                       const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, code, offset, doing, format, args);
    va_end(args);
    return PR_FAILED;
}

enum pr_status pr_cut(struct pr_error *err, enum pr_error_code code, uint64_t offset, const char *doing,
                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, code, offset, doing, format, args);
    va_end(args);
    return PR_CUT;
}

enum pr_status pr_fail_memory(struct pr_error *err)
{
    return pr_fail(err, PR_ERR_MEMORY, PR_NO_OFFSET, NULL, "out of memory");
}

void pr_error_name(struct pr_error *err, const char *source)
{
    if (!err || err->source[0] || !source)
        return;
    size_t length = strlen(source);
    if (length < sizeof err->source) {
        memcpy(err->source, source, length + 1);
        return;
    }
    const char ellipsis[] = "...";
    size_t kept = sizeof err->source - sizeof ellipsis;
    memcpy(err->source, ellipsis, sizeof ellipsis - 1);
    memcpy(err->source + sizeof ellipsis - 1, source + length - kept, kept + 1);
}
