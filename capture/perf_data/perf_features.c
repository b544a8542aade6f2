/* SPDX-License-Identifier: Apache-2.0 */
/* Features that change what is shown; all others are skipped. */
#include "capture/perf_data/perf_features.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/base/time.h"
#include "capture/perf_data/perf_build_ids.h"

#include <string.h>

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

/* A word of the options of perf record: whether the next is its value, and whether they choose what runs already. */
struct option {
    bool takes_value, attaches;
};

/* --name, --name=value, or letters that share a dash, of which the last one may want a value. */
static struct option read_option(struct pr_text word)
{
    static const char *const with_value[] = {
        "--event",    "--filter", "--freq",    "--count",    "--output",        "--pid",    "--tid",
        "--uid",      "--cpu",    "--cgroup",  "--delay",    "--mmap-pages",    "--control", "--affinity",
        "--realtime", "--synth",  "--clockid", "--max-size", "--branch-filter", "--call-graph"};
    static const char *const attaching[] = {"--pid", "--tid", "--uid", "--cpu", "--all-cpus"};
    const size_t names = sizeof with_value / sizeof *with_value, targets = sizeof attaching / sizeof *attaching;
    struct option option = {false, false};
    if (pr_text_starts(word, "--")) {
        option.takes_value = pr_text_is_one_of(word, with_value, names);
        option.attaches = pr_text_starts_with_one(word, attaching, targets);
        return option;
    }
    for (uint32_t i = 1; i < word.length && !option.takes_value; i++) {
        option.takes_value = strchr("eFcoptuCmrjGDk", word.bytes[i]) != NULL;
        option.attaches |= strchr("aptuC", word.bytes[i]) != NULL;
        if (option.takes_value && i + 1 < word.length)
            return (struct option){false, option.attaches};
    }
    return option;
}

/* Where in a command of perf the program begins that it ran; 0: it recorded what ran already, or this is not known. */
struct command {
    bool in_options, is_value, attaches;
    uint32_t program;
};

static void read_word(struct command *command, uint32_t at, struct pr_text word)
{
    if (command->is_value || !command->in_options) {
        command->in_options |= at == 1 && pr_text_is(word, "record");
        command->is_value = false;
    } else if (pr_text_is(word, "--") || !word.length || *word.bytes != '-') {
        command->program = command->attaches ? 0 : at + pr_text_is(word, "--");
        command->in_options = false;
    } else {
        const struct option option = read_option(word);
        command->is_value = option.takes_value;
        command->attaches |= option.attaches;
    }
}

static uint32_t program_in(struct pr_perf_bytes words, uint32_t count)
{
    struct command command = {false, false, false, 0};
    for (uint32_t i = 0; i < count && pr_perf_left(&words); i++)
        read_word(&command, i, take_text(&words));
    return command.program < count ? command.program : 0;
}

/* The words of the command, with blanks between them: what perf ran, or perf itself. */
static void take_command(struct pr_perf *r, struct pr_perf_bytes content)
{
    struct pr_buf line = {0};
    const uint32_t count = pr_perf_u32(&content), program = program_in(content, count);
    for (uint32_t i = 0; i < count && pr_perf_left(&content); i++) {
        const struct pr_text word = take_text(&content);
        if (i < program)
            continue;
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
    const uint64_t wall_ns = pr_perf_u64(&content), clock_ns = pr_perf_u64(&content);
    if (content.failed || wall_ns > INT64_MAX || clock_ns > INT64_MAX)
        return;
    r->c.profile->meta.start_ms = (struct pr_maybe){true, (int64_t)(wall_ns / PR_NS_PER_MS)};
    r->c.slices_epoch_ns = (struct pr_maybe){true, (int64_t)wall_ns - (int64_t)clock_ns};
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
