/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that tools write as one text: `name (file:line)`, `name (file)`, `name`. And what the file of a frame, or the
 * name, reveals about its kind.
 */
#ifndef PR_CAPTURE_PARSE_FRAME_TEXT_H
#define PR_CAPTURE_PARSE_FRAME_TEXT_H

#include "capture/base/text.h"
#include "profrender/buf.h"
#include "profrender/profile.h"

struct pr_frame_text {
    struct pr_text name, file; /* parts of the text; a missing file is empty */
    int32_t line;              /* 0 = none */
};

/*
 * Takes TEXT apart. `name (file:line)` is py-spy's and viztracer's; `name (file)` is py-spy's for native code, and
 * taken only if it looks like the name of a file. The name may hold brackets, the file colons. `file:line (name)` is
 * Fil's.
 */
struct pr_frame_text pr_frame_text_parse(struct pr_text text);

/* Whether TEXT is `file:line (name)`, which Fil alone writes. */
bool pr_frame_text_is_of_fil(struct pr_text text);

/*
 * The kind by what is known. Source with lines belongs to an interpreter (PR_FRAME_PYTHON) unless it is in a compiled
 * language; a shared object is native, and so is what has an address for a name; a name alone is native, in brackets
 * ([idle]) it is made up, and with perf's suffix `_[k]` of the kernel.
 */
enum pr_frame_kind pr_frame_kind_of(struct pr_text name, struct pr_text file);

/*
 * Appends TEXT to OUT, without addresses of objects, which no two objects and no two runs share: `<built-in method get
 * of dict object at 0x7f69>` gets "0x…". False: it has none, and nothing was appended.
 */
bool pr_text_without_addresses(struct pr_text text, struct pr_buf *out);

#endif
