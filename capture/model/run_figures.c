/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over time: a sample of a rate covers the time since the sample before it. */
#include "capture/model/run_figures.h"

#include "capture/base/decimal.h"

#include <string.h>

static const struct pr_run_figure unknown = {false, 0, ""};

const struct pr_series *pr_run_series(const struct pr_profile *profile, const char *name)
{
    const int index = pr_profile_series(profile, name);
    return index < 0 || !profile->series[index].count ? NULL : &profile->series[index];
}

/* Value times milliseconds. */
static double integral(const struct pr_series *series)
{
    double sum = 0;
    for (size_t i = 1; i < series->count; i++)
        sum += (double)series->value[i] * ((double)series->at_ms[i] - (double)series->at_ms[i - 1]);
    return sum;
}

static double span_ms(const struct pr_series *series)
{
    return (double)series->at_ms[series->count - 1] - (double)series->at_ms[0];
}

struct pr_run_figure pr_run_wall(const struct pr_profile *profile)
{
    const struct pr_maybe wall = profile->run.wall_ns;
    return (struct pr_run_figure){wall.known, wall.value, "measured by the recorder"};
}

struct pr_run_figure pr_run_cpu_time(const struct pr_profile *profile)
{
    const struct pr_run *run = &profile->run;
    const struct pr_series *cpu = pr_run_series(profile, "cpu");
    int64_t sum;
    if (run->user_ns.known && run->system_ns.known &&
        !__builtin_add_overflow(run->user_ns.value, run->system_ns.value, &sum))
        return (struct pr_run_figure){true, sum, "user and system time, counted by the system"};
    if (!cpu || cpu->count < 2)
        return unknown;
    return (struct pr_run_figure){true, pr_double_scaled(integral(cpu), 1000), "CPU samples added up over time"};
}

struct pr_run_figure pr_run_busy_cores(const struct pr_profile *profile)
{
    const struct pr_run_figure time = pr_run_cpu_time(profile), wall = pr_run_wall(profile);
    const struct pr_series *cpu = pr_run_series(profile, "cpu");
    if (time.known && wall.known && wall.value > 0 && profile->run.user_ns.known)
        return (struct pr_run_figure){true, pr_double_scaled((double)time.value / (double)wall.value, 1000),
                                      "CPU time divided by wall time"};
    if (!cpu || cpu->count < 2 || span_ms(cpu) <= 0)
        return unknown;
    return (struct pr_run_figure){true, pr_double_scaled(integral(cpu) / span_ms(cpu), 1),
                                  "mean of the CPU samples"};
}

bool pr_run_cpu_is_missed(const struct pr_profile *profile, struct pr_run_figure busy)
{
    const struct pr_series *cpu = pr_run_series(profile, "cpu");
    return cpu && busy.known && pr_series_most(cpu) < busy.value;
}

struct pr_run_figure pr_run_usable_cores(const struct pr_profile *profile)
{
    const struct pr_run *run = &profile->run;
    const struct pr_maybe machine = pr_maybe_times(run->machine_cpus, 1000);
    if (run->cpu_limit_millicores.known)
        return (struct pr_run_figure){true, run->cpu_limit_millicores.value, "its cgroup's limit"};
    return (struct pr_run_figure){machine.known && machine.value > 0, machine.value, "those of the machine"};
}

const struct pr_series *pr_run_memory_series(const struct pr_profile *profile)
{
    const struct pr_series *cgroup = pr_run_series(profile, "cgroup_memory"), *rss = pr_run_series(profile, "rss");
    const bool is_all = !rss && !profile->run.max_rss_bytes.known;
    return cgroup && (profile->run.memory_limit_bytes.known || is_all) ? cgroup : rss;
}

/* "rss_4711": of one process by itself. Others of that beginning are parts of the run's memory, or the capture's. */
static bool is_of_one_process(const struct pr_series *series)
{
    return strncmp(series->name, "rss_", 4) == 0 && series->name[4] >= '0' && series->name[4] <= '9';
}

/* mprof samples the memory of the first process, and of each child by itself: that of the one with most. */
static const struct pr_series *largest_process(const struct pr_profile *profile, const struct pr_series *first)
{
    const struct pr_series *largest = first;
    for (uint32_t i = 0; i < profile->series_count; i++) {
        const struct pr_series *one = &profile->series[i];
        if (is_of_one_process(one) && one->count && pr_series_most(one) > pr_series_most(largest))
            largest = one;
    }
    return largest;
}

struct pr_run_figure pr_run_peak_memory(const struct pr_profile *profile, int64_t *at_ms)
{
    const struct pr_series *series = pr_run_memory_series(profile);
    const struct pr_maybe largest = profile->run.max_rss_bytes;
    if (!series || !series->count)
        return unknown;
    if (!strcmp(series->name, "rss"))
        series = largest_process(profile, series);
    const size_t best = pr_series_highest(series);
    *at_ms = series->at_ms[best];
    if (is_of_one_process(series))
        return (struct pr_run_figure){true, series->value[best], "highest RSS sample, of one process alone"};
    if (!strcmp(series->name, "rss") && largest.known && largest.value > series->value[best]) {
        *at_ms = PR_NO_MOMENT;
        return (struct pr_run_figure){true, largest.value, "of its largest process alone (ru_maxrss): at least"};
    }
    return (struct pr_run_figure){true, series->value[best],
                                  strcmp(series->name, "rss") ? "highest sample of cgroup memory"
                                                              : "highest RSS sample"};
}

struct pr_maybe pr_run_peak_rss(const struct pr_profile *profile)
{
    struct pr_maybe most = profile->run.max_rss_bytes;
    const struct pr_series *rss = pr_run_series(profile, "rss");
    if (!rss || !rss->count)
        return most;
    const int64_t sampled = pr_series_most(largest_process(profile, rss));
    return most.known && most.value >= sampled ? most : (struct pr_maybe){true, sampled};
}

struct pr_run_figure pr_run_waited(const struct pr_profile *profile)
{
    struct pr_run_figure waited = pr_run_sum(profile, "cpu_wait");
    waited.source = "at least: run delay of each thread, counted by the kernel (schedstat)";
    return waited;
}

struct pr_run_figure pr_run_sum(const struct pr_profile *profile, const char *name)
{
    const struct pr_series *series = pr_run_series(profile, name);
    if (!series || series->count < 2)
        return unknown;
    if (series->unit == PR_UNIT_PERCENT) /* thousandths of a percent, by ms: a full one is 100,000 */
        return (struct pr_run_figure){true, pr_double_scaled(integral(series), 10),
                                      "pressure samples added up over time"};
    return (struct pr_run_figure){true, pr_double_scaled(integral(series), 1e-3),
                                  "rate samples added up over time"};
}
