/* SPDX-License-Identifier: Apache-2.0 */
/* Source: CPython Python/perf_trampoline.c, perf_map_write_entry; Linux tools/perf/util/evsel.c, evsel__sw_names. */
#include "capture/readers/perf_names.h"

#include "capture/base/text.h"

#include <string.h>

bool pr_perf_python(struct pr_profile_builder *c, struct pr_text symbol, struct pr_place *place)
{
    const struct pr_text rest = pr_text_from(symbol, pr_text_starts(symbol, "py::") ? 4 : 0);
    const char *colon = rest.length < symbol.length ? memchr(rest.bytes, ':', rest.length) : NULL;
    if (!colon)
        return false;
    const size_t length = (size_t)(colon - rest.bytes);
    const struct pr_text file = pr_text_from(rest, length + 1);
    *place = (struct pr_place){.function = pr_build_string(c, rest.bytes, length),
                               .file = pr_build_string(c, file.bytes, file.length),
                               .kind = PR_FRAME_PYTHON};
    return true;
}

bool pr_perf_is_clock(struct pr_text event)
{
    return pr_text_starts(event, "cpu-clock") || pr_text_starts(event, "task-clock");
}

/* Source: Linux tools/perf/Documentation/perf-list.txt, EVENT MODIFIERS; tools/perf/util/evlist.c, "cycles:P". */
struct pr_text pr_perf_title(struct pr_text event)
{
    unsigned length = event.length;
    while (length && (event.bytes[length - 1] == 'p' || event.bytes[length - 1] == 'P'))
        length--;
    const bool is_modified = length > 1 && length < event.length && event.bytes[length - 1] == ':';
    return is_modified ? (struct pr_text){event.bytes, length - 1} : event;
}

enum pr_unit pr_perf_unit(struct pr_text event)
{
    if (pr_perf_is_clock(event))
        return PR_UNIT_NANOSECONDS;
    return pr_text_starts(event, "cycles") || pr_text_starts(event, "cpu-cycles") ? PR_UNIT_CYCLES : PR_UNIT_COUNT;
}
