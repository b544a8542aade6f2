/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/recording.h"

#include "cli/io/say.h"
#include "cli/record/record_child.h"
#include "cli/record/record_evidence.h"
#include "cli/record/record_marks.h"
#include "cli/record/record_memray.h"
#include "cli/record/record_schedule.h"
#include "cli/record/record_start_end.h"
#include "profrender/run.h"
#include "render/words/units.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    RECORDER_FAILED = 125,    /* before the command has begun */
    NOT_EXECUTABLE = 126,
    NOT_FOUND = 127,
    GPU_START_MS = 100,       /* how long the start waits for the driver, where there is one */
    STDERR_END_MS = 200,      /* how long the end waits for what is still on its way to stderr */
    PROFILER_DELAY_MS = 100,  /* before a profiler looks at the command: it needs something to see */
    PROFILER_END_MS = 10000,  /* for what a profiler writes at the end */
    PROFILER_HURRY_MS = 3000, /* the same when the command was told to end */
    CARD_LIMIT_MS = 8000      /* for the card, once the command was told to end: schedulers kill 10 to 30 s later */
};

/* All of a recording; too large for a stack of unknown size. */
struct recording {
    const struct pr_recording *how;
    struct pr_recorded_run run;
    struct pr_folder folder;
    struct pr_log log;
    struct pr_stderr tail;
    struct pr_child child;
    struct pr_sampler sampler;
    struct pr_schedule schedule;
    struct pr_profiler profiler;
    struct pr_memray_line memray;
    struct pr_marks marks;
    uint64_t host_oom_kills;
    int start_error;
    int64_t released_ns; /* when the command was released */
    char memray_path[PATH_MAX];
};

/* ---- before the command ----------------------------------------------------------------------------------------- */

static int failed(const char *doing)
{
    pr_say("cannot %s: %s", doing, strerror(errno));
    return RECORDER_FAILED;
}

/* A job must not fail because it was to be watched: the command takes the place of the recorder. ERROR: why. */
static int run_unrecorded(struct recording *recording, const char *doing, int error)
{
    pr_say("cannot %s: %s", doing, strerror(error));
    pr_say_hint("the command runs without being recorded");
    pr_stderr_finish(&recording->tail, STDERR_END_MS);
    pr_marks_close(&recording->marks, &recording->folder);
    unsetenv(PR_MARKS_VARIABLE);
    if (recording->folder.fd >= 0)
        unlinkat(recording->folder.fd, "timeline.jsonl", 0);
    pr_folder_settle(&recording->folder, false);
    pr_child_become(&recording->child, (char *const *)recording->how->argv);
    error = errno;
    pr_say("cannot run %s: %s", recording->how->argv[0], strerror(error));
    return error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

/* Descriptor 2 that was closed for us (main.c) is closed for the command too. */
static bool has_stderr(void)
{
    const int flags = fcntl(STDERR_FILENO, F_GETFD);
    return flags >= 0 && !(flags & FD_CLOEXEC);
}

static void keep_stderr(struct recording *recording)
{
    const enum pr_stderr_kept when = recording->how->keep_stderr;
    recording->tail.write_fd = -1;
    const bool has_marks = recording->how->marks && recording->marks.fd >= 0;
    const struct pr_stderr_marks marks = {has_marks ? recording->how->marks : NULL, recording->marks.fd};
    const bool is_left = when == PR_STDERR_AUTO && !has_marks && isatty(STDERR_FILENO);
    if (when == PR_STDERR_NEVER || !has_stderr() || is_left)
        return;
    const bool is_ours = recording->folder.fd >= 0 && !recording->folder.has_their_log;
    if (!pr_stderr_start(&recording->tail, is_ours ? &recording->folder : NULL, marks)) {
        pr_say("stderr is not kept: %s", strerror(errno));
        return;
    }
    recording->child.tail = &recording->tail;
    if (is_ours)
        pr_recorded_run_makes(&recording->run, "stderr.log");
}

static void open_files(struct recording *recording)
{
    const struct pr_recording *how = recording->how;
    recording->run.names = how->names;
    recording->folder.is_shared = how->is_shared;
    pr_recorded_run_name(&recording->run, how->argv);
    const bool recorded = pr_folder_open(&recording->folder, how->folder, how->argv[0]);
    if (recorded && !how->folder && !how->quiet)
        pr_say("recording into %s", recording->folder.path);
    pr_recorded_run_makes(&recording->run, "run.json");
    pr_recorded_run_makes(&recording->run, "timeline.jsonl");
    pr_log_init(&recording->log, pr_folder_create(&recording->folder, "timeline.jsonl"));
}

/* What is started: the command, or memray with it. */
static const char *const *command_line(struct recording *recording)
{
    if (!recording->how->memray)
        return recording->how->argv;
    if (!pr_folder_path(&recording->folder, "memray.bin", recording->memray_path))
        return recording->how->argv;
    if (pr_memray_line_make(&recording->memray, recording->how->argv, recording->memray_path)) {
        pr_recorded_run_makes(&recording->run, "memray.bin");
        return recording->memray.argv;
    }
    pr_say("no memory capture: %s", recording->memray.why_not);
    return recording->how->argv;
}

static void begin_profile(struct recording *recording)
{
    const enum pr_profiler_kind kind = recording->how->profiler;
    pr_profiler_choose(&recording->profiler, kind, &recording->folder, recording->child.pid, &recording->sampler.tree);
    recording->child.profiler = &recording->profiler;
}

static void begin_timeline(struct recording *recording)
{
    struct pr_gpu_device gpus[PR_GPUS_MAX];
    struct pr_marks_start start = {.argv = recording->how->argv,
                                   .pid = recording->child.pid,
                                   .interval_ns = recording->how->interval_ns,
                                   .sampler = &recording->sampler,
                                   .gpus = gpus};
    recording->sampler.gpus = pr_gpus_start();
    const char *profile = pr_profiler_file(recording->how->profiler);
    if (profile)
        pr_recorded_run_makes(&recording->run, profile);
    if (recording->how->profiler == PR_PROFILER_PERF)
        pr_recorded_run_makes(&recording->run, "cpu.perf.txt");
    start.gpu_count = pr_gpus_devices(recording->sampler.gpus, GPU_START_MS, gpus);
    start.at_ms = recording->run.start_ms = pr_recorded_run_now_ms();
    pr_recorded_run_write(&recording->run, &recording->folder);
    pr_marks_write_start(&recording->log, &start);
}

/* Everything up to the moment when the command could begin. Returns 0, or what the program returns. */
static int prepare(struct recording *recording)
{
    struct pr_child *child = &recording->child;
    recording->folder.fd = recording->marks.fd = recording->tail.write_fd = -1;
    if (!pr_child_prepare(child))
        return run_unrecorded(recording, "wait for signals", errno);
    recording->host_oom_kills = pr_evidence_host_oom_kills();
    open_files(recording);
    pr_marks_open(&recording->marks, &recording->folder);
    keep_stderr(recording);
    child->is_looked_at = recording->how->profiler != PR_PROFILER_NONE;
    if (!pr_child_start(child, (char *const *)command_line(recording), recording->tail.write_fd))
        return run_unrecorded(recording, "start a process", errno);
    pr_stderr_close_writer(&recording->tail);
    if (!pr_sampler_init(&recording->sampler, &recording->log, child->pid, recording->tail.pid,
                         recording->how->cgroup)) {
        pr_say("out of memory");
        pr_marks_close(&recording->marks, &recording->folder);
        return RECORDER_FAILED;
    }
    if (recording->how->cgroup && !pr_cgroup_is_known(&recording->sampler.cgroup))
        pr_say("%s: it is not a control group", recording->how->cgroup);
    child->tree = &recording->sampler.tree;
    begin_profile(recording); /* before the run is said to begin: perf may take long to attach itself */
    begin_timeline(recording);
    return 0;
}

/* ---- while it runs ---------------------------------------------------------------------------------------------- */

static bool waits_for_others(const struct recording *recording)
{
    return recording->how->wait_all && recording->sampler.last.tree.processes && !recording->child.told_to_end;
}

/* Until the command has ended, and with --wait-all what it left running. The last sample is of that moment. */
static void watch(struct recording *recording)
{
    struct pr_sampler *sampler = &recording->sampler;
    int64_t now_ns = pr_child_now_ns();
    recording->schedule = pr_schedule_start(now_ns, recording->how->interval_ns);
    pr_sampler_start(sampler, recording->released_ns);
    do {
        pr_schedule_next(&recording->schedule, now_ns);
        if (pr_child_wait(&recording->child, recording->schedule.due_ns))
            sampler->pid = 0;
        now_ns = pr_child_now_ns();
        pr_sampler_take(sampler, now_ns);
        pr_marks_take(&recording->marks, &recording->log, sampler->start_ns, now_ns);
        if (sampler->pid && now_ns - sampler->start_ns >= (int64_t)PROFILER_DELAY_MS * PR_NS_PER_MS)
            pr_profiler_tend(&recording->profiler);
    } while (sampler->pid || waits_for_others(recording));
}

/* ---- after it --------------------------------------------------------------------------------------------------- */

static void tell_lost_lines(const struct recording *recording)
{
    if (recording->marks.left_out)
        pr_say("%s marks were left out: a run has at most %d",
               pr_units_count((int64_t)recording->marks.left_out).text, PR_MARKS_MAX);
    if (recording->log.lost_lines)
        pr_say("%s/timeline.jsonl lacks %s lines: %s", recording->folder.path,
               pr_units_count((int64_t)recording->log.lost_lines).text, strerror(recording->log.error));
}

static void write_end(struct recording *recording)
{
    struct pr_buf stderr_text = {0};
    const struct pr_sampler *sampler = &recording->sampler;
    const struct pr_evidence evidence =
        pr_evidence_weigh(&recording->child, sampler, recording->host_oom_kills);
    pr_stderr_finish(&recording->tail, STDERR_END_MS);
    pr_marks_take(&recording->marks, &recording->log, sampler->start_ns, sampler->last.at_ns);
    pr_marks_close(&recording->marks, &recording->folder);
    pr_stderr_text(&recording->tail, &stderr_text);
    const int64_t wall_ns = sampler->last.at_ns - sampler->start_ns;
    /* not what the clock says now: what still wrote to stderr was waited for, and the clock may have been set */
    recording->run.end_ms = recording->run.start_ms + pr_nearest_ms(wall_ns);
    const struct pr_marks_end end = {.at_ms = recording->run.end_ms,
                                     .wall_ns = wall_ns,
                                     .command = recording->how->argv[0],
                                     .child = &recording->child,
                                     .start_error = recording->start_error,
                                     .sampler = sampler,
                                     .evidence = &evidence,
                                     .stderr_text = &stderr_text,
                                     .marks_left_out = recording->marks.left_out,
                                     .lines_lost = recording->log.lost_lines};
    pr_marks_write_end(&recording->log, &end);
    if (stderr_text.length && !stderr_text.failed && !recording->folder.has_their_log)
        pr_folder_replace(&recording->folder, "stderr.log", stderr_text.bytes, stderr_text.length);
    pr_recorded_run_write(&recording->run, &recording->folder);
    pr_buf_clear(&stderr_text);
    tell_lost_lines(recording);
}

/* In a process of its own: a page that takes too long, or more memory than there is, must not cost the status. */
_Noreturn static void become_card(const struct recording *recording)
{
    pr_child_restore_signals(&recording->child);
    _exit(recording->how->make_card(recording->how->card, recording->folder.path));
}

/* As long as it takes; once we are asked to end, for the grace time. */
static bool wait_for_card(struct pr_child *card)
{
    enum { STEP_MS = 200 };
    for (int64_t hurried_ms = 0; hurried_ms < CARD_LIMIT_MS; hurried_ms += card->told_to_end ? STEP_MS : 0)
        if (pr_child_wait(card, pr_child_now_ns() + (int64_t)STEP_MS * PR_NS_PER_MS))
            return true;
    return false;
}

static void make_card(struct recording *recording)
{
    struct pr_child *child = &recording->child;
    if (!recording->how->card || !recording->folder.path[0])
        return;
    const pid_t pid = fork();
    if (pid == 0)
        become_card(recording);
    struct pr_child card = {.signal_fd = child->signal_fd,
                            .timer_fd = child->timer_fd,
                            .pid = pid,
                            .told_to_end = child->told_to_end,
                            .keeps_signals = true};
    if (pid < 0) {
        pr_say("no card: %s", strerror(errno));
    } else if (!wait_for_card(&card)) {
        pr_say("no card: making it took too long");
        kill(pid, SIGKILL);
    }
}

static void tell_status(const struct recording *recording)
{
    const struct pr_child *child = &recording->child;
    const struct pr_sampler *sampler = &recording->sampler;
    if (recording->how->quiet || !recording->folder.path[0] || !isatty(STDERR_FILENO))
        return;
    char how[64] = "done";
    const char *signal = WIFSIGNALED(child->status) ? pr_signal_name(WTERMSIG(child->status)) : "";
    if (*signal)
        snprintf(how, sizeof how, "ended by %s", signal);
    else if (WIFSIGNALED(child->status))
        snprintf(how, sizeof how, "ended by signal %d", WTERMSIG(child->status));
    else if (WEXITSTATUS(child->status))
        snprintf(how, sizeof how, "exit status %d", WEXITSTATUS(child->status));
    pr_say_quietly("%s: %s after %s, peak %s", recording->folder.path, how,
                   pr_units_duration(sampler->last.at_ns - sampler->start_ns).text,
                   pr_units_bytes((int64_t)sampler->peak_resident_bytes).text);
}

static int record(struct recording *recording)
{
    const int refused = prepare(recording);
    if (refused)
        return refused;
    recording->released_ns = pr_child_now_ns();
    recording->start_error = pr_child_release(&recording->child);
    if (recording->start_error) {
        pr_say("cannot run %s: %s", recording->how->argv[0], strerror(recording->start_error));
        pr_marks_close(&recording->marks, &recording->folder); /* an earlier run stays as it was */
    }
    pr_folder_settle(&recording->folder, !recording->start_error);
    watch(recording);
    pr_profiler_finish(&recording->profiler, recording->child.told_to_end ? PROFILER_HURRY_MS : PROFILER_END_MS);
    write_end(recording);
    pr_folder_restrict(&recording->folder, "memray.bin");
    make_card(recording);
    tell_status(recording);
    return pr_child_exit_status(&recording->child);
}

int pr_record(const struct pr_recording *how)
{
    struct recording *recording = calloc(1, sizeof *recording);
    if (!recording)
        return failed("record");
    recording->how = how;
    const int status = record(recording);
    pr_sampler_clear(&recording->sampler);
    pr_log_close(&recording->log);
    pr_stderr_clear(&recording->tail);
    pr_child_clear(&recording->child);
    pr_memray_line_clear(&recording->memray);
    pr_folder_close(&recording->folder);
    free(recording);
    return status;
}
