/* SPDX-License-Identifier: Apache-2.0 */
/* A table of members and the series they become. */
#include "capture/run/timeline_sample.h"

#include "capture/base/ascii.h"
#include "capture/parse/frame_text.h"

#include "capture/base/checked.h"

#include <stdio.h>
#include <string.h>

/* A SHARE of time cannot be over 100 %: where it is, two clocks were read one after the other. */
enum scale { MIB, PERCENT, SHARE, CORES, COUNT };

struct field {
    const char *member, *name, *title;
    enum scale scale;
    enum pr_unit unit;
};

static const struct field fields[PR_SAMPLE_FIELDS] = {
    {"cpu_pct", "cpu", "CPU", CORES, PR_UNIT_CORES},
    {"rss_mb", "rss", "RSS", MIB, PR_UNIT_BYTES},
    {"rss_anon_mb", "rss_anon", "RSS, its own", MIB, PR_UNIT_BYTES},
    {"rss_file_mb", "rss_file", "RSS, files", MIB, PR_UNIT_BYTES},
    {"rss_shmem_mb", "rss_shmem", "RSS, shared", MIB, PR_UNIT_BYTES},
    {"pss_mb", "pss", "PSS", MIB, PR_UNIT_BYTES},
    {"uss_mb", "uss", "USS", MIB, PR_UNIT_BYTES},
    {"swap_mb", "swap", "Swap", MIB, PR_UNIT_BYTES},
    {"cg_mem_mb", "cgroup_memory", "Cgroup", MIB, PR_UNIT_BYTES},
    {"thread_count", "threads", "Threads", COUNT, PR_UNIT_COUNT},
    {"nproc", "processes", "Processes", COUNT, PR_UNIT_COUNT},
    {"fds", "open_files", "Open files", COUNT, PR_UNIT_COUNT},
    {"disk_read_mb_s", "disk_read", "Disk read", MIB, PR_UNIT_BYTES_PER_SECOND},
    {"disk_write_mb_s", "disk_write", "Disk written", MIB, PR_UNIT_BYTES_PER_SECOND},
    {"net_recv_mb_s", "net_recv", "Network in", MIB, PR_UNIT_BYTES_PER_SECOND},
    {"net_sent_mb_s", "net_sent", "Network out", MIB, PR_UNIT_BYTES_PER_SECOND},
    {"throttled_pct", "throttled", "Throttled", PERCENT, PR_UNIT_PERCENT},
    {"cpu_wait_pct", "cpu_wait", "CPU wait", PERCENT, PR_UNIT_PERCENT},
    {"cg_psi_cpu_some_pct", "cgroup_pressure_cpu", "Cgroup CPU wait", SHARE, PR_UNIT_PERCENT},
    {"cg_psi_mem_some_pct", "cgroup_pressure_memory", "Cgroup memory wait", SHARE, PR_UNIT_PERCENT},
    {"cg_psi_io_some_pct", "cgroup_pressure_io", "Cgroup disk wait", SHARE, PR_UNIT_PERCENT},
    {"psi_cpu_some_pct", "pressure_cpu", "Host CPU wait", SHARE, PR_UNIT_PERCENT},
    {"psi_mem_some_pct", "pressure_memory", "Host memory wait", SHARE, PR_UNIT_PERCENT},
    {"psi_io_some_pct", "pressure_io", "Host disk wait", SHARE, PR_UNIT_PERCENT},
    {"gpu_pct", "gpu", "GPU", PERCENT, PR_UNIT_PERCENT},
    {"gpu_mem_mb", "gpu_memory", "GPU memory", MIB, PR_UNIT_BYTES},
};

enum { PERCENT_TO_MILLICORES = 1, THOUSANDTHS = 3, WHOLE = 100 * 1000, MAX_GPUS = 64 };

static int64_t scaled(struct pr_decimal number, enum scale scale)
{
    int64_t percent;
    switch (scale) {
    case MIB: return pr_mib_to_bytes(number);
    case CORES: return pr_decimal_scaled(number, PERCENT_TO_MILLICORES);
    case PERCENT: return pr_decimal_scaled(number, THOUSANDTHS);
    case SHARE:
        percent = pr_decimal_scaled(number, THOUSANDTHS);
        return percent < WHOLE ? percent : WHOLE;
    case COUNT: break;
    }
    return pr_decimal_scaled(number, 0);
}

/* Keeps the number at hand. Anything else, or NaN, was not measured. KNOWN is the series + 1, 0 = not looked up. */
static void keep(struct pr_timeline_sample *sample, struct pr_timeline *t, const struct pr_json_stream *json,
                 const struct field *field, uint32_t *known)
{
    struct pr_decimal number;
    if (!pr_json_number(json, &number) || sample->count == PR_SAMPLE_MAX_VALUES)
        return;
    if (!*known)
        *known = pr_timeline_series(t, field->name, field->title, field->unit) + 1;
    sample->value[sample->count].series = *known - 1; /* 0 - 1 is PR_NO_SERIES */
    sample->value[sample->count++].value = scaled(number, field->scale);
}

static void take_size(struct pr_timeline_sample *sample, struct pr_maybe size)
{
    sample->gpus_differ |= !size.known || size.value <= 0 ||
                           (sample->gpu_memory_bytes.known && sample->gpu_memory_bytes.value != size.value);
    sample->gpu_memory_bytes = size;
}

/*
 * One device: {"i": 0, "util": 37, "mem_mb": 1024, ...}; "i" comes first, else devices count from 0. At the start of
 * the recording: {"index": 0, "name": "...", "mem_total": 17179869184}.
 */
static void read_gpu(struct pr_timeline_sample *sample, struct pr_timeline *t, struct pr_json_stream *json,
                     int64_t index)
{
    char name[32], title[32];
    while (pr_json_key(json)) {
        const bool is_index = pr_json_is(json, "i"), is_load = pr_json_is(json, "util"),
                   is_memory = pr_json_is(json, "mem_mb"), is_size = pr_json_is(json, "mem_total");
        pr_json_next(json);
        if (is_index) {
            index = pr_json_scaled(json, 0, index);
        } else if (is_size) {
            take_size(sample, pr_json_maybe(json, 0));
        } else if ((is_load || is_memory) && index >= 0 && index < MAX_GPUS) {
            snprintf(name, sizeof name, is_load ? "gpu%d" : "gpu%d_memory", (int)index);
            snprintf(title, sizeof title, is_load ? "GPU %d" : "GPU %d memory", (int)index);
            const struct field field = {NULL, name, title, is_load ? PERCENT : MIB,
                                        is_load ? PR_UNIT_PERCENT : PR_UNIT_BYTES};
            uint32_t unknown = 0;
            keep(sample, t, json, &field, &unknown);
        }
        pr_json_skip(json);
    }
}

static void read_gpus(struct pr_timeline_sample *sample, struct pr_timeline *t, struct pr_json_stream *json)
{
    int64_t index = 0;
    if (!pr_json_enter(json, PR_JSON_ARRAY))
        return;
    while (pr_json_object(json))
        read_gpu(sample, t, json, index++);
}

bool pr_timeline_sample_member(struct pr_timeline_sample *sample, struct pr_timeline *t, struct pr_json_stream *json)
{
    if (pr_json_is(json, "gpus")) {
        read_gpus(sample, t, json);
        return true;
    }
    if (pr_json_is(json, "ts")) {
        const struct pr_maybe ts = pr_json_value(json, 3);
        sample->timed = ts.known;
        sample->ts_ms = ts.value;
        return true;
    }
    for (uint32_t i = 0; i < PR_SAMPLE_FIELDS; i++, sample->next = (sample->next + 1) % PR_SAMPLE_FIELDS) {
        const struct field *field = &fields[sample->next];
        if (!pr_text_is(json->text, field->member))
            continue;
        pr_json_next(json);
        keep(sample, t, json, field, &sample->known[sample->next]);
        pr_json_skip(json);
        return true;
    }
    return false;
}

void pr_timeline_sample_add(struct pr_timeline_sample *sample, struct pr_timeline *t, int64_t base_ms)
{
    const int64_t at_ms = pr_add_saturated(base_ms, sample->ts_ms);
    for (uint32_t i = 0; sample->timed && i < sample->count; i++)
        pr_timeline_add(t, sample->value[i].series, at_ms, sample->value[i].value);
    sample->timed = false;
    sample->count = 0;
}

/* "gpu0" and the like */
static bool is_of_one_gpu(const char *name)
{
    return !strncmp(name, "gpu", 3) && pr_is_digit(name[3]);
}

void pr_timeline_sample_finish(struct pr_timeline *t)
{
    bool one_by_one = false;
    for (uint32_t i = 0; i < t->count; i++)
        one_by_one = one_by_one || is_of_one_gpu(t->series[i].name);
    if (one_by_one) {
        pr_timeline_drop(t, "gpu");
        pr_timeline_drop(t, "gpu_memory");
    }
}

unsigned pr_timeline_sample_evidence(const struct pr_json_peek *peek, const char *prefix)
{
    char path[PR_JSON_PEEK_PATH];
    unsigned bits = 0;
    snprintf(path, sizeof path, "%sts", prefix);
    if (!pr_json_evidence(peek, path, '0'))
        return 0;
    for (size_t i = 0; i < PR_SAMPLE_FIELDS; i++) {
        snprintf(path, sizeof path, "%s%s", prefix, fields[i].member);
        bits += pr_json_evidence(peek, path, '0');
    }
    return bits;
}
