/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names as dotnet-trace has them: "Module!Namespace.Class.Method(int32)". A method has several pieces of code, as it is
 * compiled again when it is called often: they are one function.
 */
#include "capture/nettrace/nettrace.h"

#include "capture/base/checked.h"

#include <string.h>

void pr_nettrace_take_module(struct pr_nettrace *r, struct pr_nettrace_bytes payload, bool has_domain)
{
    struct pr_nettrace_methods *m = &r->methods;
    const uint64_t id = pr_nettrace_number(&payload, 8);
    pr_nettrace_part(&payload, 8 + (has_domain ? 8 : 0) + 4 + 4); /* assembly, domain, flags, reserved */
    const size_t first = m->texts.length;
    pr_nettrace_utf16(&payload, &m->texts);
    if (payload.failed) {
        pr_nettrace_damaged(r, &payload);
        m->texts.length = first;
        return;
    }
    const bool room = pr_grow(&m->modules, &m->module_capacity, m->module_ids.count + (size_t)1, sizeof *m->modules);
    const uint32_t at = room && !m->texts.failed ? pr_idset_add(&m->module_ids, &id, 1) : PR_NO_ID;
    if (at == PR_NO_ID)
        pr_build_no_memory(&r->c);
    else
        m->modules[at] = (struct pr_nettrace_text){first, m->texts.length - first};
}

/* "Namespace.Class", "Method", "instance void  (int32)": the parameters are what is between the brackets. */
static void add_name(struct pr_nettrace_bytes *payload, struct pr_buf *out)
{
    pr_nettrace_utf16(payload, out);
    if (out->length)
        pr_buf_byte(out, '.');
    pr_nettrace_utf16(payload, out);
    const size_t name = out->length;
    pr_nettrace_utf16(payload, out);
    const char *bracket = out->length > name ? memchr(out->bytes + name, '(', out->length - name) : NULL;
    const size_t skipped = bracket ? (size_t)(bracket - out->bytes) - name : out->length - name;
    if (skipped) {
        memmove(out->bytes + name, out->bytes + name + skipped, out->length - name - skipped);
        out->length -= skipped;
    }
}

void pr_nettrace_take_method(struct pr_nettrace *r, struct pr_nettrace_bytes payload)
{
    struct pr_nettrace_methods *m = &r->methods;
    struct pr_buf name = {0};
    pr_nettrace_number(&payload, 8); /* its id */
    const uint64_t module = pr_nettrace_number(&payload, 8);
    const uint64_t start = pr_nettrace_number(&payload, 8), size = pr_nettrace_number(&payload, 4);
    pr_nettrace_part(&payload, 4 + 4); /* token, flags */
    add_name(&payload, &name);
    if (payload.failed || size > UINT64_MAX - start) {
        pr_nettrace_damaged(r, &payload);
        pr_buf_clear(&name);
        return;
    }
    const size_t first = m->texts.length;
    pr_buf_add(&m->texts, name.bytes, name.length);
    if (m->count >= UINT32_MAX || name.failed || m->texts.failed ||
        !pr_grow(&m->methods, &m->capacity, m->count + 1, sizeof *m->methods) ||
        !pr_spans_add(&m->spans, start, start + size, (uint32_t)m->count))
        pr_build_no_memory(&r->c);
    else
        m->methods[m->count++] = (struct pr_nettrace_method){module, first, name.length};
    pr_buf_clear(&name);
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static struct pr_text part(const struct pr_nettrace_methods *m, size_t first, size_t length)
{
    return (struct pr_text){length ? m->texts.bytes + first : "", (uint32_t)length};
}

static struct pr_text path_of(const struct pr_nettrace_methods *m, uint64_t module)
{
    const uint32_t at = pr_idset_find(&m->module_ids, &module, 1);
    return at == PR_NO_ID ? part(m, 0, 0) : part(m, m->modules[at].first, m->modules[at].length);
}

/* "shelf" of "/app/shelf.dll" and of "C:\app\shelf.dll". */
static struct pr_text stem_of(struct pr_text path)
{
    uint32_t start = path.length, end = path.length;
    while (start && path.bytes[start - 1] != '/' && path.bytes[start - 1] != '\\')
        start--;
    if (end - start > 4 && path.bytes[end - 4] == '.')
        end -= 4;
    return (struct pr_text){path.bytes + start, end - start};
}

static void name_frame(struct pr_nettrace *r, uint64_t address)
{
    struct pr_nettrace_methods *m = &r->methods;
    struct pr_place place = {.kind = PR_FRAME_NATIVE};
    /* What calls does so before the address that it returns to, which may be behind its end. */
    const struct pr_span *span = pr_spans_find(&m->spans, address);
    if (!span && address)
        span = pr_spans_find(&m->spans, address - 1);
    if (!span) {
        place.function = pr_build_text(&r->c, "[code without a method]");
        place.kind = PR_FRAME_OTHER;
    } else {
        struct pr_buf name = {0};
        const struct pr_nettrace_method *method = &m->methods[span->number];
        const struct pr_text path = path_of(m, method->module), stem = stem_of(path);
        const struct pr_text text = part(m, method->first, method->length);
        pr_buf_add(&name, stem.bytes, stem.length);
        if (stem.length)
            pr_buf_byte(&name, '!');
        pr_buf_add(&name, text.bytes, text.length);
        place.function = pr_build_buf(&r->c, &name);
        place.file = pr_build_string(&r->c, path.bytes, path.length);
    }
    pr_build_define(&r->c, address, &place);
}

void pr_nettrace_name_frames(struct pr_nettrace *r)
{
    if (!pr_spans_sort(&r->methods.spans))
        pr_build_no_memory(&r->c);
    for (uint32_t i = 0; i < r->c.forward_ids.count && r->c.status != PR_FAILED; i++)
        name_frame(r, r->c.forward_ids.keys[i]);
}
