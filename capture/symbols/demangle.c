/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libiberty's demanglers, through their callbacks, which neither allocate memory nor end the process. Names that would
 * grow out of proportion (they can, by repetition) are left mangled.
 */
#include "capture/symbols/demangle.h"

#include <libiberty/demangle.h>
#include <string.h>

enum { MAX_NAME_BYTES = 1 << 16 };

struct sink {
    struct pr_buf *out;
    size_t start;
};

static void take(const char *part, size_t length, void *context)
{
    const struct sink *sink = context;
    if (sink->out->length - sink->start <= MAX_NAME_BYTES)
        pr_buf_add(sink->out, part, length);
}

void pr_demangle(const char *symbol, struct pr_buf *out)
{
    enum { STYLE = DMGL_PARAMS | DMGL_ANSI };
    struct sink sink = {out, out->length};
    bool good = false;
    /* Rust first: its older mangling is C++ with a hash at the end. */
    if (!strncmp(symbol, "_R", 2) || !strncmp(symbol, "_ZN", 3))
        good = rust_demangle_callback(symbol, STYLE, take, &sink);
    if (!good && !strncmp(symbol, "_Z", 2)) {
        out->length = sink.start;
        good = cplus_demangle_v3_callback(symbol, STYLE, take, &sink);
    }
    if (good && out->length > sink.start && out->length - sink.start <= MAX_NAME_BYTES)
        return;
    out->length = sink.start;
    pr_buf_text(out, symbol);
}
