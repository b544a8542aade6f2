/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/source_texts.h"

#include "capture/base/beneath.h"
#include "render/page/source_links.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES_MAX = 256 * 1024, ALL_BYTES_MAX = 2 * 1024 * 1024, FILES_MAX = 500, TAB_COLUMNS = 4 };

/* The lines of TEXT as a JSON list; tabs become spaces. */
static void add_lines(const struct pr_buf *text, struct pr_buf *json)
{
    struct pr_buf line = {0};
    size_t end;
    pr_buf_byte(json, '[');
    for (size_t at = 0; at < text->length; at = end + 1) {
        const char *newline = memchr(text->bytes + at, '\n', text->length - at);
        end = newline ? (size_t)(newline - text->bytes) : text->length;
        line.length = 0;
        for (size_t i = at; i < end; i++) {
            if (text->bytes[i] == '\t')
                pr_buf_printf(&line, "%*s", (int)(TAB_COLUMNS - line.length % TAB_COLUMNS), "");
            else if (text->bytes[i] != '\r')
                pr_buf_byte(&line, (unsigned char)text->bytes[i]);
        }
        pr_buf_text(json, at ? "," : "");
        pr_json_string(json, line.length ? line.bytes : "");
    }
    pr_buf_byte(json, ']');
    json->failed |= line.failed;
    pr_buf_clear(&line);
}

/* Whether what follows the last dot of PATH is a suffix of source files. */
static bool is_code(const char *path)
{
    static const char endings[] =
        " py pyw pyx pxd pxi ipy js mjs cjs jsx ts mts cts tsx vue svelte c h cc cpp cxx hh hpp "
        "hxx inl m mm cu cuh go rs java kt kts scala groovy clj cljs rb php pl pm lua jl r "
        "swift cs fs vb hs ml mli erl ex exs dart nim zig d f for f90 f95 f03 f08 pas asm s "
        "sh bash zsh fish sql ";
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    const size_t length = dot && (!slash || dot > slash) ? strlen(dot + 1) : 0;
    for (const char *at = endings; length && (at = strstr(at, dot + 1)); at++)
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

static bool is_hidden(const char *path)
{
    return *path == '.' || strstr(path, "/.");
}

/* The file of FRAME as a clean path beneath the root. False: there is no file to ask for. */
static bool place_of(const struct pr_page *page, pr_frame_id frame, char place[PATH_MAX])
{
    const struct pr_text path = page->paths.local[page->profile->frames[frame].file];
    struct pr_text below = path;
    if (path.length && *path.bytes == '/')
        below = pr_path_past(path, page->options.root);
    /* texts end with a NUL; one before their end makes them no path */
    return below.length && strlen(below.bytes) == below.length && pr_clean_beneath(below.bytes, place) &&
           !is_hidden(place) && is_code(place);
}

static bool is_known(const struct pr_buf *names, const char *place)
{
    const size_t length = strlen(place);
    for (const char *at = names->length ? names->bytes : NULL; at && (at = strstr(at, place)); at++)
        if ((at == names->bytes || at[-1] == '\n') && at[length] == '\n')
            return true;
    return false;
}

static void add_file(const char *shown, const char *place, const struct pr_buf *text, struct pr_source_texts *texts)
{
    pr_buf_text(&texts->json, texts->json.length ? ",[" : "[");
    pr_json_string(&texts->json, shown);
    pr_buf_byte(&texts->json, ',');
    add_lines(text, &texts->json);
    pr_buf_byte(&texts->json, ']');
    if (is_known(&texts->names, place)) /* by another spelling, which the script looks for */
        return;
    texts->count++;
    pr_buf_text(&texts->names, place);
    pr_buf_byte(&texts->names, '\n');
}

enum pr_status pr_source_texts_make(const struct pr_page *page, struct pr_source_texts *texts, struct pr_error *err)
{
    const struct pr_card_options *options = &page->options;
    const struct pr_profile *profile = page->profile;
    if (!options->read_source || !options->root)
        return PR_OK;
    uint8_t *asked = calloc(profile->strings.count ? profile->strings.count : 1, 1);
    struct pr_buf text = {0};
    size_t left = ALL_BYTES_MAX;
    unsigned read = 0;
    for (pr_frame_id i = 0; asked && i < profile->frame_count && read < FILES_MAX; i++) {
        const pr_str file = profile->frames[i].file;
        char place[PATH_MAX];
        if (file >= profile->strings.count || asked[file] || !pr_code_file(page, i).length)
            continue;
        asked[file] = 1;
        text.length = 0;
        if (!place_of(page, i, place) ||
            !options->read_source(options->read_context, place, left < FILE_BYTES_MAX ? left : FILE_BYTES_MAX, &text) ||
            memchr(text.length ? text.bytes : "", '\0', text.length))
            continue;
        left -= text.length;
        read++;
        add_file(pr_profile_text(profile, file).bytes, place, &text, texts);
    }
    const bool failed = !asked || text.failed || texts->json.failed || texts->names.failed;
    pr_buf_clear(&text);
    free(asked);
    return failed ? pr_fail_memory(err) : PR_OK;
}

void pr_source_texts_clear(struct pr_source_texts *texts)
{
    pr_buf_clear(&texts->json);
    pr_buf_clear(&texts->names);
    *texts = (struct pr_source_texts){0};
}
