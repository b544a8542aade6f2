/* SPDX-License-Identifier: Apache-2.0 */
/* Links and texts of source. The island is packed JSON: {"url", "root", "files": [[path, lines]]}. */
#include "render/page/source_links.h"

#include "capture/base/ascii.h"
#include "capture/base/text.h"
#include "capture/model/code_path.h"
#include "render/html/pack.h"

#include <inttypes.h>
#include <string.h>

/* Unreserved letters of RFC 3986, and the slashes between folders. */
static bool stays(unsigned char byte)
{
    return pr_is_alphanumeric(byte) || (byte && strchr("-._~/", byte));
}

static void add_encoded(struct pr_text text, struct pr_buf *out)
{
    for (uint32_t i = 0; i < text.length; i++) {
        const unsigned char byte = (unsigned char)text.bytes[i];
        if (stays(byte))
            pr_buf_byte(out, byte);
        else
            pr_buf_printf(out, "%%%02X", byte);
    }
}

static bool is_absolute(struct pr_text path)
{
    return path.length && path.bytes[0] == '/';
}

/* FILE as the repository knows it; empty if that is unknown. */
static struct pr_text in_repository(const struct pr_card_options *options, struct pr_text file)
{
    if (options->root && !options->redact_paths && is_absolute(file))
        return pr_path_past(file, options->root);
    if (options->redact_paths && !options->root)
        return (struct pr_text){"", 0};
    while (file.length && *file.bytes == '/')
        file = (struct pr_text){file.bytes + 1, file.length - 1};
    return file;
}

void pr_code_url(const struct pr_page *page, struct pr_text file, int32_t line, struct pr_buf *out)
{
    const char *at = page->options.source_url, *mark;
    struct pr_text known = in_repository(&page->options, file);
    if (!at || !known.length)
        return;
    while ((mark = strchr(at, '{'))) {
        pr_buf_add(out, at, (size_t)(mark - at));
        if (!strncmp(mark, "{file}", 6)) {
            add_encoded(known, out);
            at = mark + 6;
            if (line <= 0)
                return;
        } else if (!strncmp(mark, "{line}", 6)) {
            pr_buf_printf(out, "%" PRId32, line);
            at = mark + 6;
        } else {
            pr_buf_byte(out, '{');
            at = mark + 1;
        }
    }
    pr_buf_text(out, at);
}

struct pr_text pr_code_file(const struct pr_page *page, pr_frame_id frame)
{
    const struct pr_frame *f = &page->profile->frames[frame];
    const struct pr_text none = {"", 0}, file = pr_profile_text(page->profile, f->file);
    const bool own = f->kind == PR_FRAME_PYTHON && pr_traits_is_own(&page->traits, frame);
    return own && !pr_text_starts(file, "<") ? file : none;
}

bool pr_code_frame_link(const struct pr_page *page, pr_frame_id frame, int32_t line, struct pr_buf *out)
{
    struct pr_buf url = {0};
    pr_code_url(page, pr_code_file(page, frame), line, &url);
    if (url.length)
        pr_html(out, "<a href='%s' target='_blank' rel='noreferrer'>", url.bytes);
    const bool linked = url.length > 0;
    out->failed |= url.failed;
    pr_buf_clear(&url);
    return linked;
}

bool pr_code_link(const struct pr_page *page, pr_node_id node, int32_t line, struct pr_buf *out)
{
    const struct pr_tree *tree = &page->profile->tree;
    return node != PR_ROOT && node < tree->count && pr_code_frame_link(page, tree->frame[node], line, out);
}

enum pr_status pr_code_island(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    const struct pr_card_options *options = &page->options;
    const bool links = options->source_url && (options->root || !options->redact_paths);
    struct pr_buf json = {0};
    if (!links && !options->read_source)
        return PR_OK;
    pr_buf_text(&json, "{\"url\":");
    pr_json_string(&json, links ? options->source_url : "");
    pr_buf_text(&json, ",\"root\":");
    pr_json_string(&json, options->root && !options->redact_paths ? options->root : "");
    pr_buf_text(&json, ",\"files\":[");
    pr_buf_add(&json, page->sources.json.bytes, page->sources.json.length);
    pr_buf_text(&json, "]}");
    pr_buf_text(out, "<script type=\"application/octet-stream\" id=\"pr-sources\">");
    enum pr_status status = !json.failed ? pr_pack(&json, PR_PACK_TREE, out, err) : pr_fail_memory(err);
    pr_buf_text(out, "</script>\n");
    pr_buf_clear(&json);
    return status;
}
