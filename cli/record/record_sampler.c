/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/record_sampler.h"

#include "cli/record/record_proc.h"
#include "cli/record/record_schedule.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    THOROUGH_EVERY = 5,  /* samples */
    COST_TO_PAUSE = 500, /* what a thorough look costs is at most this part of the time until the next one */
    MIB = 1024 * 1024
};

void pr_sampler_clear(struct pr_sampler *sampler)
{
    pr_processes_clear(&sampler->tree);
    pr_cgroup_close(&sampler->cgroup);
    pr_gpus_stop(sampler->gpus);
    sampler->gpus = NULL;
}

/* ---- counters --------------------------------------------------------------------------------------------------- */

static int64_t own_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * PR_NS_PER_S + now.tv_nsec;
}

static bool is_thorough_now(const struct pr_sampler *sampler, int64_t now_ns)
{
    return sampler->since_thorough + 1 >= THOROUGH_EVERY && now_ns >= sampler->thorough_due_ns;
}

static void take_tree(struct pr_sampler *sampler, struct pr_sampler_counters *now)
{
    const bool thoroughly = is_thorough_now(sampler, now->at_ns);
    const int64_t before_ns = own_cpu_ns();
    pr_processes_take(&sampler->tree, thoroughly, &now->tree);
    sampler->since_thorough = thoroughly ? 0 : sampler->since_thorough + 1;
    if (thoroughly)
        sampler->thorough_due_ns = now->at_ns + (own_cpu_ns() - before_ns) * COST_TO_PAUSE;
    if (now->tree.resident_bytes > sampler->peak_resident_bytes)
        sampler->peak_resident_bytes = now->tree.resident_bytes;
    if (now->tree.left_out > sampler->most_left_out)
        sampler->most_left_out = now->tree.left_out;
}

/* One that is ending has given back its memory; then version 1 shows it in the topmost group, wherever it was. */
static bool has_memory(struct pr_sampler *sampler)
{
    struct pr_proc_stat stat;
    const struct pr_text text = pr_file_read_proc(sampler->pid, "stat", &sampler->text);
    return text.bytes && pr_proc_parse_stat(text, &stat) && stat.resident_pages > 0;
}

/* A command that moves to another control group is followed; its counters begin there. */
static void take_cgroup(struct pr_sampler *sampler, struct pr_sampler_counters *now)
{
    const bool moved = sampler->follows_cgroup && sampler->pid &&
                       pr_cgroup_has_moved(&sampler->cgroup, sampler->pid) && has_memory(sampler);
    if (moved) {
        pr_cgroup_close(&sampler->cgroup);
        pr_cgroup_find(&sampler->cgroup, sampler->pid);
    }
    pr_cgroup_read(&sampler->cgroup, &now->cgroup);
    if (moved)
        sampler->first.cgroup = sampler->last.cgroup = now->cgroup;
}

static void take_net(struct pr_sampler *sampler, struct pr_sampler_counters *now)
{
    const struct pr_text text = sampler->pid ? pr_file_read_proc(sampler->pid, "net/dev", &sampler->text)
                                             : (struct pr_text){NULL, 0};
    now->has_net = text.bytes && pr_proc_parse_net(text, &now->received_bytes, &now->sent_bytes);
}

static void take_counters(struct pr_sampler *sampler, int64_t now_ns, struct pr_sampler_counters *now)
{
    memset(now, 0, sizeof *now);
    now->at_ns = now_ns;
    take_tree(sampler, now);
    take_cgroup(sampler, now);
    take_net(sampler, now);
}

/* ---- the line --------------------------------------------------------------------------------------------------- */

/* NUMERATOR / DENOMINATOR with PLACES decimals. */
static void write_ratio(struct pr_json_writer *json, const char *name, double numerator, double denominator,
                        unsigned places)
{
    double scaled = numerator / denominator;
    for (unsigned i = 0; i < places; i++)
        scaled *= 10;
    pr_json_put_key(json, name);
    pr_json_put_fixed(json, (int64_t)(scaled + 0.5), places);
}

static void write_mib(struct pr_json_writer *json, const char *name, uint64_t bytes)
{
    write_ratio(json, name, (double)bytes, MIB, 2);
}

/* The rise of a counter, one UNIT of it being worth 1, per second; a counter that fell was restarted. */
static void write_rate(struct pr_json_writer *json, const char *name, uint64_t before, uint64_t now, double unit,
                       double gap_s)
{
    write_ratio(json, name, now > before ? (double)(now - before) : 0, unit * gap_s, 2);
}

/* The same in percent of the time, for counters of microseconds. */
static void write_percent(struct pr_json_writer *json, const char *name, uint64_t before, uint64_t now, double gap_s)
{
    if (before != PR_CGROUP_UNKNOWN && now != PR_CGROUP_UNKNOWN)
        write_rate(json, name, before, now, 1e4, gap_s);
}

/* A share of the time: the kernel adds it up in steps, one of which may be of the time before. */
static void write_pressure(struct pr_json_writer *json, const char *name, uint64_t before, uint64_t now, double gap_s)
{
    const uint64_t most = before + (uint64_t)(gap_s * 1e6);
    write_percent(json, name, before, now != PR_CGROUP_UNKNOWN && now > most ? most : now, gap_s);
}

static uint32_t at_least_one(uint32_t count)
{
    return count ? count : 1;
}

/* The rise of a time since what was TOLD of it, at most MOST; what is too much for this sample belongs to the next. */
static void write_told(struct pr_json_writer *json, const char *name, uint64_t *told, uint64_t now, uint64_t most,
                       double gap_s)
{
    const uint64_t due = now > *told ? now - *told : 0, part = due < most ? due : most;
    write_percent(json, name, 0, part, gap_s);
    *told += part;
}

/*
 * The system counts in steps of 10 ms, and on a busy machine a sample is read later than it was due: in a short time
 * that is more than all threads can have used, or waited. Where processes came and went, those that are left say
 * little of how many there were, but no more than all cores were used.
 */
static void write_cpu(struct pr_json_writer *json, struct pr_sampler *sampler, const struct pr_sampler_counters *now,
                      double gap_s)
{
    const struct pr_sampler_counters *before = &sampler->last;
    const uint32_t threads = before->tree.threads > now->tree.threads ? before->tree.threads : now->tree.threads;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t cores = at_least_one(online > 0 ? (uint32_t)online : threads);
    const bool are_same = before->tree.processes == now->tree.processes;
    const double gap_us = gap_s * 1e6;
    write_told(json, "cpu_pct", &sampler->told_cpu_us, now->tree.cpu_us,
               (uint64_t)(gap_us * (threads < cores && are_same ? at_least_one(threads) : cores)), gap_s);
    if (before->tree.has_waited)
        write_told(json, "cpu_wait_pct", &sampler->told_wait_us, now->tree.waited_us,
                   are_same ? (uint64_t)(gap_us * at_least_one(threads)) : UINT64_MAX, gap_s);
    else
        sampler->told_wait_us = now->tree.waited_us;
}

static void write_rates(struct pr_json_writer *json, struct pr_sampler *sampler, const struct pr_sampler_counters *now)
{
    static const char *const pressures[2][3] = {{"cg_psi_cpu_some_pct", "cg_psi_mem_some_pct", "cg_psi_io_some_pct"},
                                                {"psi_cpu_some_pct", "psi_mem_some_pct", "psi_io_some_pct"}};
    const struct pr_sampler_counters *before = &sampler->last;
    const double gap_s = (double)(now->at_ns - before->at_ns) / 1e9;
    write_cpu(json, sampler, now, gap_s);
    if (before->tree.has_io && now->tree.has_io) {
        write_rate(json, "disk_read_mb_s", before->tree.read_bytes, now->tree.read_bytes, MIB, gap_s);
        write_rate(json, "disk_write_mb_s", before->tree.written_bytes, now->tree.written_bytes, MIB, gap_s);
    }
    if (before->has_net && now->has_net) {
        write_rate(json, "net_recv_mb_s", before->received_bytes, now->received_bytes, MIB, gap_s);
        write_rate(json, "net_sent_mb_s", before->sent_bytes, now->sent_bytes, MIB, gap_s);
    }
    write_percent(json, "throttled_pct", before->cgroup.throttled_us, now->cgroup.throttled_us, gap_s);
    for (size_t i = 0; i < 3; i++)
        write_pressure(json, pressures[sampler->cgroup.is_of_host[i]][i], before->cgroup.pressure_us[i],
                       now->cgroup.pressure_us[i], gap_s);
}

static void write_memory(struct pr_json_writer *json, const struct pr_sampler_counters *now)
{
    /* What has ended, or is ending, has no memory any more: not 0, but none to report. */
    if (now->tree.processes && now->tree.resident_bytes) {
        write_mib(json, "rss_mb", now->tree.resident_bytes);
        pr_json_put_key(json, "thread_count");
        pr_json_put_uint(json, now->tree.threads);
    }
    pr_json_put_key(json, "nproc");
    pr_json_put_uint(json, now->tree.processes);
    if (now->tree.has_pss && now->tree.processes) {
        write_mib(json, "pss_mb", now->tree.pss_bytes);
        write_mib(json, "swap_mb", now->tree.swap_bytes);
    }
    if (now->tree.has_kinds && now->tree.processes) {
        write_mib(json, "rss_anon_mb", now->tree.anonymous_bytes);
        write_mib(json, "rss_file_mb", now->tree.file_bytes);
        write_mib(json, "rss_shmem_mb", now->tree.shared_bytes);
    }
    if (now->cgroup.memory_bytes != PR_CGROUP_UNKNOWN)
        write_mib(json, "cg_mem_mb", now->cgroup.memory_bytes);
}

static void write_gpu(struct pr_json_writer *json, uint32_t number, const struct pr_gpu_reading *reading)
{
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "i");
    pr_json_put_uint(json, number);
    if (reading->has_use) {
        pr_json_put_key(json, "util");
        pr_json_put_uint(json, reading->use_percent);
    }
    if (reading->has_memory)
        write_mib(json, "mem_mb", reading->memory_bytes);
    if (reading->has_power)
        write_ratio(json, "power_w", reading->power_milliwatts, 1000, 1);
    if (reading->has_temperature) {
        pr_json_put_key(json, "temp_c");
        pr_json_put_uint(json, reading->temperature_celsius);
    }
    pr_json_put_close(json, '}');
}

/* Each device; and all together, as tools show them that know only one: mean use, total memory. */
static void write_gpus(struct pr_json_writer *json, const struct pr_gpu_reading *readings, uint32_t count)
{
    unsigned used = 0, use_percent = 0;
    uint64_t memory_bytes = 0;
    bool has_memory = false;
    if (!count)
        return;
    pr_json_put_key(json, "gpus");
    pr_json_put_open(json, '[');
    for (uint32_t i = 0; i < count; i++) {
        write_gpu(json, i, &readings[i]);
        used += readings[i].has_use;
        use_percent += readings[i].has_use ? readings[i].use_percent : 0;
        has_memory = has_memory || readings[i].has_memory;
        memory_bytes += readings[i].has_memory ? readings[i].memory_bytes : 0;
    }
    pr_json_put_close(json, ']');
    if (used)
        write_ratio(json, "gpu_pct", use_percent, used, 1);
    if (has_memory)
        write_mib(json, "gpu_mem_mb", memory_bytes);
}

bool pr_sampler_init(struct pr_sampler *sampler, struct pr_log *log, int32_t pid, int32_t helper_pid,
                     const char *cgroup_folder)
{
    memset(sampler, 0, sizeof *sampler);
    sampler->log = log;
    sampler->pid = pid;
    sampler->follows_cgroup = !cgroup_folder;
    if (cgroup_folder)
        pr_cgroup_open(&sampler->cgroup, cgroup_folder);
    else
        pr_cgroup_find(&sampler->cgroup, pid);
    if (!pr_processes_init(&sampler->tree)) {
        pr_cgroup_close(&sampler->cgroup);
        return false;
    }
    if (helper_pid)
        pr_processes_leave_out(&sampler->tree, helper_pid);
    pr_processes_leave_out_others(&sampler->tree, pid);
    take_counters(sampler, 0, &sampler->first);
    sampler->last = sampler->first;
    return true;
}

void pr_sampler_start(struct pr_sampler *sampler, int64_t now_ns)
{
    sampler->start_ns = sampler->first.at_ns = sampler->last.at_ns = now_ns;
    sampler->told_cpu_us = sampler->last.tree.cpu_us;
    sampler->told_wait_us = sampler->last.tree.waited_us;
    pr_sampler_take(sampler, now_ns);
}

void pr_sampler_take(struct pr_sampler *sampler, int64_t now_ns)
{
    struct pr_sampler_counters now;
    struct pr_gpu_reading readings[PR_GPUS_MAX];
    take_counters(sampler, now_ns, &now);
    const uint32_t gpu_count = pr_gpus_take(sampler->gpus, readings);
    pr_gpus_ask(sampler->gpus);
    struct pr_json_writer json = pr_log_line(sampler->log);
    pr_json_put_open(&json, '{');
    write_ratio(&json, "ts", (double)(now_ns - sampler->start_ns), 1e9, 3);
    /* The system counts in ticks: what it moved on by in less than one is of the time before. */
    if (now_ns - sampler->last.at_ns >= (int64_t)sampler->tree.us_per_tick * 1000)
        write_rates(&json, sampler, &now);
    write_memory(&json, &now);
    write_gpus(&json, readings, gpu_count);
    pr_json_put_close(&json, '}');
    pr_log_end_line(sampler->log);
    sampler->last = now;
    sampler->samples++;
}
