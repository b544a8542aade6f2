/* SPDX-License-Identifier: Apache-2.0 */
#include "render/html/template.h"

#include <string.h>

enum pr_status pr_template_fill(const void *skeleton, size_t size, pr_template_slot *fill, const void *context,
                                struct pr_buf *out, struct pr_error *err)
{
    const char *at = skeleton, *end = at + size;
    const char *open, *close;
    while ((open = memmem(at, (size_t)(end - at), "{{", 2)) && (close = memmem(open, (size_t)(end - open), "}}", 2))) {
        char name[16] = "";
        size_t length = (size_t)(close - open - 2);
        pr_buf_add(out, at, (size_t)(open - at));
        memcpy(name, open + 2, length < sizeof name ? length : sizeof name - 1);
        if (fill(context, name, out, err) == PR_FAILED)
            return PR_FAILED;
        at = close + 2;
    }
    pr_buf_add(out, at, (size_t)(end - at));
    return out->failed ? pr_fail_memory(err) : PR_OK;
}

bool pr_template_shared(const char *name, enum pr_theme theme, struct pr_buf *out)
{
    static const char *const themes[] = {
        [PR_THEME_AUTO] = "", [PR_THEME_LIGHT] = " data-theme='light'", [PR_THEME_DARK] = " data-theme='dark'"};
    if (strcmp(name, "theme") != 0)
        return false;
    pr_buf_text(out, themes[theme]);
    return true;
}
