/* SPDX-License-Identifier: Apache-2.0 */
#include "render/words/phase_figures.h"

#include <string.h>

const struct pr_phase_figure pr_phase_figures[PR_PHASE_FIGURES] = {
#define FIGURE(name, key, title, about, unit, member) {name, key, title, about, unit, offsetof(struct pr_phase, member)}
    FIGURE("rss", "peak_bytes", "Peak RSS", "resident memory, the highest sample", PR_UNIT_BYTES, peak_bytes),
    FIGURE("growth", "growth_bytes", "Growth", "of resident memory, from its beginning to its end", PR_UNIT_BYTES,
           growth_bytes),
    FIGURE("heap", "heap_bytes", "Peak heap", "the highest heap", PR_UNIT_BYTES, heap_bytes),
    FIGURE("retained", "retained_bytes", "Retained", "allocated in it and not freed by its end", PR_UNIT_BYTES,
           retained_bytes),
    FIGURE("cpu", "cpu_seconds", "CPU", "CPU time", PR_UNIT_NANOSECONDS, cpu_ns),
    FIGURE("read", "read_bytes", "Read", "from disk", PR_UNIT_BYTES, read_bytes),
    FIGURE("written", "written_bytes", "Written", "to disk", PR_UNIT_BYTES, written_bytes),
    FIGURE("received", "received_bytes", "Received", "from the network, all of the machine's or the container's",
           PR_UNIT_BYTES, received_bytes),
    FIGURE("sent", "sent_bytes", "Sent", "to the network, all of the machine's or the container's", PR_UNIT_BYTES,
           sent_bytes),
#undef FIGURE
};

struct pr_maybe pr_phase_figure_of(const struct pr_phase *phase, size_t number)
{
    struct pr_maybe value;
    memcpy(&value, (const char *)phase + pr_phase_figures[number].offset, sizeof value);
    return value;
}
