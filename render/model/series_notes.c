/* SPDX-License-Identifier: Apache-2.0 */
/* By the names of series, which all formats share: capture/builder/series_builder.h. */
#include "render/model/series_notes.h"

#include "render/words/profile_times.h"

#include <string.h>

#define DEVICE_MEMORY "Device memory"

/* What a snapshot of GPUs' memory has in the place of a heap, also of a difference: "Device memory after". */
static bool is_device_memory(const struct pr_series *series)
{
    return !strncmp(series->name, "heap", strlen("heap")) &&
           !strncmp(series->title, DEVICE_MEMORY, strlen(DEVICE_MEMORY));
}

const char *pr_series_note_note(const struct pr_series *series)
{
    if (is_device_memory(series))
        return "allocated on GPUs";
    static const struct {
        const char *name, *note; /* or its title, where a name means different things */
    } notes[] = {
        {"cpu", "busy cores"},
        {"rss", "resident memory"},
        {"rss_captured", "of the captured process"},
        {"rss_anon", "resident, neither files nor shared"},
        {"rss_file", "resident pages of programs, libraries and data"},
        {"rss_shmem", "resident, shared memory"},
        {"pss", "shared pages divided among processes"},
        {"Java heap", "in use, with garbage"},
        {"heap", "allocated, by the tracker"},
        {"cgroup_memory", "memory, against its limit"},
        {"disk_read", "from storage"},
        {"disk_write", "to storage"},
        {"net_recv", "of the container or host"},
        {"net_sent", "of the container or host"},
        {"cpu_wait", "its threads, ready but without a core"},
        {"pressure_cpu", "some task of the machine waited"},
        {"pressure_memory", "some task of the machine waited"},
        {"pressure_io", "some task of the machine waited"},
        {"cgroup_pressure_cpu", "some task of the group waited"},
        {"cgroup_pressure_memory", "some task of the group waited"},
        {"cgroup_pressure_io", "some task of the group waited"},
        {"throttled", "time held back by the CPU limit"},
        {"gpu", "mean of all devices"},
        {"gpu_memory", "sum of all devices"},
    };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (!strcmp(notes[i].name, series->name) || !strcmp(notes[i].name, series->title))
            return notes[i].note;
    return "";
}

const char *pr_series_note_lane(const struct pr_series *series, const char **short_name)
{
    static const struct {
        const char *name, *lane, *short_name;
    } lanes[] = {
        {"cpu", "CPU", "busy"},          {"rss", "Memory", "RSS"},          {"heap", "Memory", "heap"},
        {"disk_read", "Disk", "read"},   {"disk_write", "Disk", "written"}, {"net_recv", "Network", "in"},
        {"net_sent", "Network", "out"},  {"gpu", "GPU", "GPU"},             {"gpu0", "GPU", "GPU 0"},
        /* of a difference */
        {"rss after", "RSS", "after"},   {"rss before", "RSS", "before"},   {"heap after", "Heap", "after"},
        {"heap before", "Heap", "before"}, {"cpu after", "CPU", "after"},   {"cpu before", "CPU", "before"},
    };
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        if (strcmp(lanes[i].name, series->name))
            continue;
        *short_name = lanes[i].short_name;
        if (is_device_memory(series))
            return strcmp(series->name, "heap") ? DEVICE_MEMORY : ""; /* it is no part of resident memory */
        return lanes[i].lane;
    }
    *short_name = series->title;
    return "";
}

struct pr_maybe pr_series_note_limit(const struct pr_profile *profile, const struct pr_series *series)
{
    const struct pr_run *run = &profile->run;
    const bool has_cgroup = pr_profile_series(profile, "cgroup_memory") >= 0;
    if (!strcmp(series->name, has_cgroup ? "cgroup_memory" : "rss"))
        return run->memory_limit_bytes;
    if (!strncmp(series->name, "gpu", 3) && series->unit == PR_UNIT_BYTES && strcmp(series->name, "gpu_memory"))
        return run->gpu_memory_bytes;
    if (strcmp(series->name, "cpu"))
        return (struct pr_maybe){false, 0};
    return run->cpu_limit_millicores.known ? run->cpu_limit_millicores : pr_maybe_times(run->machine_cpus, 1000);
}

struct pr_maybe pr_series_note_unknown_from(const struct pr_profile *profile, const struct pr_series *series)
{
    const struct pr_maybe reached = pr_times_reached_ms(profile);
    const bool ends_there = !profile->complete && reached.known && series->count &&
                            series->at_ms[series->count - 1] <= reached.value;
    return ends_there ? reached : (struct pr_maybe){false, 0};
}

bool pr_series_note_is_quiet(const struct pr_series *series)
{
    static const char *const quiet[] = {"swap",      "rss_shmem",        "disk_",    "net_",
                                        "pressure_", "cgroup_pressure_", "cpu_wait", "throttled",
                                        "gpu"};
    bool may_be = false;
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        may_be |= !strncmp(series->name, quiet[i], strlen(quiet[i]));
    for (size_t i = 0; i < series->count && may_be; i++)
        may_be = !series->value[i];
    return may_be && series->count;
}

void pr_series_notes_quiet(const struct pr_profile *profile, struct pr_buf *out)
{
    for (uint32_t i = 0; i < profile->series_count; i++)
        if (pr_series_note_is_quiet(&profile->series[i]))
            pr_buf_printf(out, "%s%s", out->length ? "; " : "", profile->series[i].title);
}

static bool has_any(const struct pr_profile *profile, const char *beginning)
{
    for (uint32_t i = 0; i < profile->series_count; i++)
        if (!strncmp(profile->series[i].name, beginning, strlen(beginning)) && profile->series[i].count)
            return true;
    return false;
}

void pr_series_notes_missing(const struct pr_profile *profile, struct pr_buf *out)
{
    static const struct {
        const char *beginning, *title;
    } lanes[] = {{"cpu", "CPU"},          {"rss", "RSS"},   {"pss", "PSS"},     {"heap", "heap"},
                 {"cgroup_memory", "cgroup memory"},        {"disk_", "disk"},  {"net_", "network"},
                 {"gpu", "GPU"},          {"pressure_", "pressure"}};
    if ((!profile->run.machine_cpus.known && !has_any(profile, "cpu")) || profile->is_difference)
        return;
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        if (!has_any(profile, lanes[i].beginning))
            pr_buf_printf(out, "%s%s", out->length ? ", " : "", lanes[i].title);
    }
}
