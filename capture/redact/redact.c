/* SPDX-License-Identifier: Apache-2.0 */
/* One table of rules, each of which knows one form of a secret; a text is scanned from left to right. */
#include "capture/redact/redact.h"
#include "capture/redact/secret_rules.h"

static bool (*const rules[])(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit) = {
    pr_find_private_key,   pr_find_token,     pr_find_address_password, pr_find_oracle_password,
    pr_find_login_at_host, pr_find_member,    pr_find_paired,           pr_find_option,
    pr_find_spoken,        pr_find_foreign,   pr_find_bearer,           pr_find_letter,
    pr_find_prefixed,      pr_find_login_option, pr_find_letters,       pr_find_piped,
    pr_find_positional,    pr_find_literal_option, pr_find_pgpass,      pr_find_path_token};

static void add_part(struct pr_buf *out, struct pr_text text, size_t from, size_t to)
{
    if (to > from)
        pr_buf_add(out, text.bytes + from, to - from);
}

static bool find_any(const struct pr_secret_scan *scan, size_t at, struct pr_hit *hit)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i](scan, at, hit))
            return true;
    return false;
}

void pr_redact_part(struct pr_buf *out, struct pr_text text, enum pr_scan_place place)
{
    struct pr_scan_command command = {0};
    const struct pr_secret_scan scan = {text, place, &command};
    size_t kept = 0;
    for (size_t at = 0; at < text.length;) {
        struct pr_hit hit;
        if (!find_any(&scan, at, &hit)) {
            at++;
            continue;
        }
        add_part(out, text, kept, hit.from);
        pr_buf_text(out, PR_REDACTED);
        kept = at = hit.to;
    }
    add_part(out, text, kept, text.length);
}

void pr_redact(struct pr_buf *out, struct pr_text line)
{
    pr_redact_part(out, line, PR_SCAN_LINE);
}

/* The end of a private key whose beginning is not in TEXT; 0: none. */
static size_t end_of_cut_key(struct pr_text text)
{
    const size_t end = pr_scan_find(text, 0, "-----END "), begin = pr_scan_find(text, 0, "-----BEGIN ");
    const size_t key = pr_scan_find(text, end, "PRIVATE KEY");
    return end < begin && key < text.length && key < end + 64 ? end : 0;
}

void pr_redact_log(struct pr_buf *out, struct pr_text text)
{
    const size_t cut = end_of_cut_key(text);
    if (cut)
        pr_buf_text(out, PR_REDACTED "\n");
    pr_redact_part(out, pr_text_part(text, cut, text.length), PR_SCAN_LOG);
}

static pr_str intern(struct pr_strings *strings, struct pr_buf *buf)
{
    pr_str string = buf->failed ? PR_NO_STR : pr_strings_add(strings, buf->bytes, buf->length);
    pr_buf_clear(buf);
    return string;
}

pr_str pr_redacted_line(struct pr_strings *strings, struct pr_text line)
{
    struct pr_buf buf = {0};
    pr_redact(&buf, line);
    return intern(strings, &buf);
}

pr_str pr_redacted_log(struct pr_strings *strings, struct pr_text text)
{
    struct pr_buf buf = {0};
    pr_redact_log(&buf, text);
    return intern(strings, &buf);
}
