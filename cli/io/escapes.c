/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/io/escapes.h"

#include "capture/base/utf8.h"

void pr_xml_text(struct pr_buf *buf, const char *bytes, size_t length)
{
    size_t size;
    for (size_t at = 0; at < length; at += size) {
        const uint32_t c = pr_utf8_next(bytes + at, length - at, &size);
        if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'' || c == '\n')
            pr_buf_printf(buf, "&#%u;", (unsigned)c);
        else if (c == PR_UTF8_BAD || (c < 0x20 && c != '\t') || c == 0xFFFE || c == 0xFFFF)
            pr_buf_text(buf, "\xEF\xBF\xBD");
        else
            pr_buf_add(buf, bytes + at, size);
    }
}

void pr_workflow_text(struct pr_buf *buf, const char *bytes, size_t length, bool is_property)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        if (c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ',')))
            pr_buf_printf(buf, "%%%02X", c);
        else
            pr_buf_byte(buf, c);
    }
}
