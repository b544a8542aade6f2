/* SPDX-License-Identifier: Apache-2.0 */
#include "render/words/phase_figures.h"

#include <string.h>

#define AT(member) offsetof(struct pr_phase, member)

const struct pr_phase_figure pr_phase_figures[PR_PHASE_FIGURES] = {
    [PR_PHASE_RSS] = {"rss", "peak_bytes", "Peak RSS", "resident memory, highest sample",
                      PR_UNIT_BYTES, AT(peak_bytes)},
    [PR_PHASE_GROWTH] = {"growth", "growth_bytes", "Growth", "of resident memory, from the phase's start to its end",
                         PR_UNIT_BYTES, AT(growth_bytes)},
    [PR_PHASE_HEAP] = {"heap", "heap_bytes", "Peak heap", "highest heap",
                       PR_UNIT_BYTES, AT(heap_bytes)},
    [PR_PHASE_RETAINED] = {"retained", "retained_bytes", "Retained", "allocated in the phase and not freed by its end",
                           PR_UNIT_BYTES, AT(retained_bytes)},
    [PR_PHASE_CPU] = {"cpu", "cpu_seconds", "CPU", "CPU time",
                      PR_UNIT_NANOSECONDS, AT(cpu_ns)},
    [PR_PHASE_READ] = {"read", "read_bytes", "Read", "from disk",
                       PR_UNIT_BYTES, AT(read_bytes)},
    [PR_PHASE_WRITTEN] = {"written", "written_bytes", "Written", "to disk",
                          PR_UNIT_BYTES, AT(written_bytes)},
    [PR_PHASE_RECEIVED] = {"received", "received_bytes", "Received",
                            "from the network, for the whole machine or container",
                           PR_UNIT_BYTES, AT(received_bytes)},
    [PR_PHASE_SENT] = {"sent", "sent_bytes", "Sent", "to the network, for the whole machine or container",
                       PR_UNIT_BYTES, AT(sent_bytes)},
};

struct pr_maybe pr_phase_figure_of(const struct pr_phase *phase, size_t number)
{
    struct pr_maybe value;
    memcpy(&value, (const char *)phase + pr_phase_figures[number].offset, sizeof value);
    return value;
}
