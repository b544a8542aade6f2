/* SPDX-License-Identifier: Apache-2.0 */
/* Features that change what is shown; all others are skipped. */
#include "capture/perf_data/perf_features.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/base/time.h"
#include "capture/perf_data/perf_build_ids.h"

enum {
    HOSTNAME = 3,
    OS_RELEASE = 4,
    VERSION = 5,
    COMMAND_LINE = 11,
    EVENT_DESCRIPTION = 12,
    CLOCK_DATA = 29,
    SIMPLEPERF_FIRST = 128 /* features from here on are Android's */
};

bool pr_perf_feature_wanted(unsigned feature)
{
    static const unsigned wanted[] = {PR_PERF_BUILD_IDS, HOSTNAME, OS_RELEASE, VERSION, COMMAND_LINE, EVENT_DESCRIPTION,
                                      CLOCK_DATA};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (feature == wanted[i])
            return true;
    return false;
}

/* A length, which includes padding, and text. */
static struct pr_text take_text(struct pr_perf_bytes *content)
{
    const uint32_t length = pr_perf_u32(content);
    return pr_perf_text(pr_perf_take(content, length));
}

static pr_str take_string(struct pr_perf *r, struct pr_perf_bytes content)
{
    const struct pr_text text = take_text(&content);
    return pr_build_string(&r->c, text.bytes, text.length);
}

/* The words of the command, with blanks between them: what perf ran, where "--" shows it, or perf itself. */
static void take_command(struct pr_perf *r, struct pr_perf_bytes content)
{
    struct pr_buf line = {0};
    bool is_program = false;
    const uint32_t count = pr_perf_u32(&content);
    for (uint32_t i = 0; i < count && pr_perf_left(&content); i++) {
        const struct pr_text word = take_text(&content);
        if (!is_program && i + 1 < count && pr_text_is(word, "--")) {
            is_program = true;
            line.length = 0;
            continue;
        }
        pr_buf_add(&line, " ", line.length != 0);
        pr_buf_add(&line, word.bytes, word.length);
    }
    r->c.profile->meta.command_line = pr_build_buf(&r->c, &line);
}

/* Names of the events in their order; a pipe has no other list of their ids. */
static void take_names(struct pr_perf *r, struct pr_perf_bytes content)
{
    const uint32_t count = pr_perf_u32(&content), size = pr_perf_u32(&content);
    for (uint32_t i = 0; i < count && i < r->attrs.count && !content.failed; i++) {
        pr_perf_skip(&content, size);
        const uint32_t ids = pr_perf_u32(&content);
        const struct pr_text name = take_text(&content);
        pr_perf_skip(&content, (uint64_t)ids * sizeof(uint64_t));
        if (!content.failed && name.length)
            r->attrs.attr[i].name = pr_build_word(&r->c, name);
    }
}

/* When the clock of the samples showed what: the start of the run. */
static void take_clock(struct pr_perf *r, struct pr_perf_bytes content)
{
    pr_perf_skip(&content, 2 * sizeof(uint32_t)); /* version, which clock */
    const uint64_t wall_ns = pr_perf_u64(&content);
    if (!content.failed && wall_ns / PR_NS_PER_MS <= INT64_MAX)
        r->c.profile->meta.start_ms = (struct pr_maybe){true, (int64_t)(wall_ns / PR_NS_PER_MS)};
}

/* Records, one after another. */
static void take_build_ids(struct pr_perf *r, struct pr_perf_bytes content)
{
    while (pr_perf_left(&content) >= PR_PERF_HEAD && r->c.status == PR_OK) {
        pr_perf_skip(&content, sizeof(uint32_t));
        const unsigned misc = pr_perf_u16(&content), size = pr_perf_u16(&content);
        if (size < PR_PERF_HEAD)
            return;
        pr_perf_build_id_take(r, misc, pr_perf_take(&content, size - PR_PERF_HEAD));
    }
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

void pr_perf_feature_take(struct pr_perf *r, unsigned feature, struct pr_perf_bytes content)
{
    switch (feature) {
    case PR_PERF_BUILD_IDS:
        take_build_ids(r, content);
        break;
    case HOSTNAME:
        r->facts.host = take_string(r, content);
        break;
    case OS_RELEASE:
        r->places.kernel_release = take_string(r, content);
        break;
    case VERSION:
        r->facts.version = take_string(r, content);
        break;
    case COMMAND_LINE:
        take_command(r, content);
        break;
    case EVENT_DESCRIPTION:
        take_names(r, content);
        break;
    case CLOCK_DATA:
        take_clock(r, content);
        break;
    default:
        break;
    }
}
