/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/record_start_end.h"

#include "cli/record/record_schedule.h"
#include "cli/record/record_argv.h"

#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* stderr.log has all that was kept; the timeline on its own has enough of it for a traceback. */
enum { TAIL_BYTES = 16 * 1024 };

/* ---- fields ----------------------------------------------------------------------------------------------------- */

static void write_int(struct pr_json_writer *json, const char *key, int64_t value)
{
    pr_json_put_key(json, key);
    pr_json_put_int(json, value);
}

static void write_text(struct pr_json_writer *json, const char *key, const char *text)
{
    pr_json_put_key(json, key);
    pr_json_put_text(json, text);
}

static void write_fixed(struct pr_json_writer *json, const char *key, int64_t value, unsigned places)
{
    pr_json_put_key(json, key);
    pr_json_put_fixed(json, value, places);
}

/* UNKNOWN: null. */
static void write_counter(struct pr_json_writer *json, const char *key, uint64_t value)
{
    pr_json_put_key(json, key);
    if (value == PR_CGROUP_UNKNOWN)
        pr_json_put_null(json);
    else
        pr_json_put_uint(json, value);
}

/* ---- start ------------------------------------------------------------------------------------------------------ */

/* Processors that this process, and so the command, may run on. */
static int64_t count_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    return sysconf(_SC_NPROCESSORS_ONLN); /* more than a cpu_set_t has room for */
}

/* What the command inherits: how much each of its processes may map. */
static uint64_t address_space_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : PR_CGROUP_UNKNOWN;
}

static void write_limits(struct pr_json_writer *json, const struct pr_cgroup *cgroup)
{
    pr_json_put_key(json, "limits");
    pr_json_put_open(json, '{');
    write_counter(json, "memory_max", cgroup->memory_limit_bytes);
    pr_json_put_key(json, "cpu_max");
    if (cgroup->cpu_limit_millis > INT64_MAX)
        pr_json_put_null(json);
    else
        pr_json_put_fixed(json, (int64_t)cgroup->cpu_limit_millis, 3);
    write_counter(json, "address_space_max", address_space_limit());
    pr_json_put_close(json, '}');
}

static void write_gpus(struct pr_json_writer *json, const struct pr_gpu_device *gpus, uint32_t count)
{
    pr_json_put_key(json, "gpus");
    pr_json_put_open(json, '[');
    for (uint32_t i = 0; i < count; i++) {
        pr_json_put_open(json, '{');
        write_int(json, "index", i);
        write_text(json, "name", gpus[i].name);
        write_text(json, "uuid", gpus[i].uuid);
        write_counter(json, "mem_total", gpus[i].memory_bytes ? gpus[i].memory_bytes : PR_CGROUP_UNKNOWN);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
}

void pr_marks_write_start(struct pr_log *log, const struct pr_marks_start *start)
{
    char folder[PATH_MAX], host[HOST_NAME_MAX + 1] = "";
    struct pr_json_writer json = pr_log_line(log);
    gethostname(host, sizeof host - 1);
    pr_json_put_open(&json, '{');
    write_text(&json, "type", "start");
    write_int(&json, "version", 1);
    write_fixed(&json, "t", start->at_ms, 3);
    pr_json_put_key(&json, "argv");
    pr_words_write(&json, start->argv);
    write_text(&json, "cwd", getcwd(folder, sizeof folder));
    write_text(&json, "host", host);
    write_int(&json, "pid", start->pid);
    write_fixed(&json, "interval", start->interval_ns, 9);
    write_int(&json, "clk_tck", sysconf(_SC_CLK_TCK));
    write_int(&json, "ncpu", count_processors());
    write_limits(&json, &start->sampler->cgroup);
    write_gpus(&json, start->gpus, start->gpu_count);
    pr_json_put_close(&json, '}');
    pr_log_end_line(log);
}

/* ---- end -------------------------------------------------------------------------------------------------------- */

static int64_t us_of(struct timeval time)
{
    return (int64_t)time.tv_sec * 1000000 + time.tv_usec;
}

static void write_usage(struct pr_json_writer *json, const struct rusage *usage)
{
    pr_json_put_key(json, "rusage");
    pr_json_put_open(json, '{');
    write_fixed(json, "utime", us_of(usage->ru_utime), 6);
    write_fixed(json, "stime", us_of(usage->ru_stime), 6);
    write_int(json, "maxrss_kb", usage->ru_maxrss);
    write_int(json, "majflt", usage->ru_majflt);
    write_int(json, "inblock", usage->ru_inblock);
    write_int(json, "oublock", usage->ru_oublock);
    pr_json_put_close(json, '}');
}

static void write_status(struct pr_json_writer *json, const struct pr_marks_end *end)
{
    const int status = end->child->status;
    const bool killed = WIFSIGNALED(status), core = killed && WCOREDUMP(status);
    char where[PATH_MAX];
    pr_json_put_key(json, "exit");
    if (killed)
        pr_json_put_null(json);
    else
        pr_json_put_int(json, WEXITSTATUS(status));
    pr_json_put_key(json, "signal");
    if (killed)
        pr_json_put_int(json, WTERMSIG(status));
    else
        pr_json_put_null(json);
    pr_json_put_key(json, "core");
    pr_json_put_bool(json, core);
    if (core) {
        pr_evidence_core(end->child->pid, end->command, WTERMSIG(status), where);
        if (*where)
            write_text(json, "core_file", where);
    }
    if (end->start_error)
        write_text(json, "start_error", strerror(end->start_error));
}

static void write_memory_evidence(struct pr_json_writer *json, const struct pr_evidence *evidence)
{
    pr_json_put_key(json, "oom");
    pr_json_put_open(json, '{');
    write_counter(json, "cgroup_oom_kill", evidence->cgroup_oom_kills);
    write_counter(json, "host_oom_kill", evidence->host_oom_kills);
    write_text(json, "verdict", pr_evidence_word(evidence->verdict));
    write_counter(json, "peak_bytes", evidence->peak_bytes);
    write_counter(json, "limit_bytes", evidence->limit_bytes);
    pr_json_put_close(json, '}');
}

/* The end of it, from the beginning of a line. */
static void write_tail(struct pr_json_writer *json, const struct pr_buf *text)
{
    size_t from = text->length > TAIL_BYTES ? text->length - TAIL_BYTES : 0;
    const char *line = from ? memchr(text->bytes + from, '\n', TAIL_BYTES) : NULL;
    if (line)
        from = (size_t)(line - text->bytes) + 1;
    pr_json_put_key(json, "stderr_tail");
    pr_json_put_name(json, (struct pr_text){text->bytes + from, (uint32_t)(text->length - from)});
}

void pr_marks_write_end(struct pr_log *log, const struct pr_marks_end *end)
{
    struct pr_json_writer json = pr_log_line(log);
    pr_json_put_open(&json, '{');
    write_text(&json, "type", "end");
    write_fixed(&json, "t", end->at_ms, 3);
    write_fixed(&json, "wall", end->wall_ns, 9);
    write_status(&json, end);
    write_usage(&json, &end->child->usage);
    write_memory_evidence(&json, end->evidence);
    if (end->sampler->last.tree.processes)
        write_int(&json, "left_running", end->sampler->last.tree.processes);
    if (end->sampler->most_left_out)
        write_int(&json, "left_out", end->sampler->most_left_out);
    if (end->marks_left_out)
        write_int(&json, "marks_left_out", (int64_t)end->marks_left_out);
    if (end->lines_lost)
        write_int(&json, "lines_lost", (int64_t)end->lines_lost);
    if (end->stderr_text && end->stderr_text->length)
        write_tail(&json, end->stderr_text);
    pr_json_put_close(&json, '}');
    pr_log_end_line(log);
}
