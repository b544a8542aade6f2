/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `record`: runs a command and writes down what it used and how it ended. The command comes first: whatever goes wrong
 * here after it has begun is reported, and changes neither what it does nor what it returns.
 */
#include "capture/base/decimal.h"
#include "cli/args/options.h"
#include "cli/io/output.h"
#include "cli/record/record_child.h"
#include "cli/record/record_evidence.h"
#include "cli/record/record_start_end.h"
#include "cli/record/record_memray.h"
#include "cli/record/record_profiler.h"
#include "cli/record/record_run.h"
#include "cli/record/record_schedule.h"
#include "cli/io/say.h"
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
    SHORTEST_MS = 10,         /* interval */
    GPU_START_MS = 100,       /* how long the start waits for the driver, where there is one */
    STDERR_END_MS = 200,      /* how long the end waits for what is still on its way to stderr */
    PROFILER_DELAY_MS = 100,  /* before a profiler looks at the command: it needs something to see */
    PROFILER_END_MS = 10000,  /* for what a profiler writes at the end */
    PROFILER_HURRY_MS = 3000, /* the same when the command was told to end */
    CARD_LIMIT_MS = 8000      /* for the card, once the command was told to end: schedulers kill 10 to 30 s later */
};

enum stderr_kept { KEEP_AUTO, KEEP_ALWAYS, KEEP_NEVER };
static const char *const profilers[] = {"none", "py-spy", "perf", "austin", NULL}; /* enum pr_profiler_kind */
static const char *const stderr_words[] = {"auto", "always", "never", NULL};

struct settings {
    struct pr_common common;
    struct pr_run_names names;
    const char *interval;
    const char *cgroup;
    const char *card;
    int keep_stderr;
    int profiler;
    bool memray;
    bool wait_all;
    bool is_shared;
};

#define SETTING(member) offsetof(struct settings, member)

static const struct pr_option options[] = {
    {.name = "output", .letter = 'o', .kind = PR_OPTION_TEXT, .offset = SETTING(common.output), .argument = "DIR",
     .help = "the folder of the run; an earlier run in it is\n"
             "replaced once the command has started; default: run-,\n"
             "the time, the command's name"},
    {.name = "card", .kind = PR_OPTION_TEXT, .offset = SETTING(card), .argument = "FILE",
     .help = "also write the card, whatever becomes of the command"},
    {.name = "memray", .kind = PR_OPTION_FLAG, .offset = SETTING(memray),
     .help = "record the allocations of a Python command with\n"
             "memray, if its Python has it"},
    {.name = "cpu", .kind = PR_OPTION_CHOICE, .offset = SETTING(profiler), .argument = "TOOL", .choices = profilers,
     .help = "profile the command with py-spy, perf or austin, if\n"
             "it is installed; none (default) does not"},
    {.name = "interval", .kind = PR_OPTION_TEXT, .offset = SETTING(interval), .argument = "SECONDS",
     .help = "time between two samples; default: 0.5. It doubles\n"
             "with each 20,000 samples"},
    {.name = "stderr", .kind = PR_OPTION_CHOICE, .offset = SETTING(keep_stderr), .argument = "WHEN",
     .choices = stderr_words,
     .help = "keep the last 64 KiB of the command's stderr: always,\n"
             "never, or auto: unless it is a terminal"},
    {.name = "wait-all", .kind = PR_OPTION_FLAG, .offset = SETTING(wait_all),
     .help = "go on until every process that the command has left\n"
             "behind has ended too"},
    {.name = "shared", .kind = PR_OPTION_FLAG, .offset = SETTING(is_shared),
     .help = "others may read the run, as far as the umask lets\n"
             "them; without it folder and files are the owner's"},
    {.name = "cgroup", .kind = PR_OPTION_TEXT, .offset = SETTING(cgroup), .argument = "DIR",
     .help = "read this control group, not the command's own"},
    {.name = "name", .kind = PR_OPTION_TEXT, .offset = SETTING(names.name), .argument = "TEXT",
     .help = "what the run is called; default: the command line"},
    {.name = "flow", .kind = PR_OPTION_TEXT, .offset = SETTING(names.flow), .argument = "TEXT",
     .help = "what it is a run of; this and the next four come from\n"
             "Airflow, GitHub, GitLab or Slurm if they start it"},
    {.name = "run", .kind = PR_OPTION_TEXT, .offset = SETTING(names.run), .argument = "TEXT",
     .help = "of the runs of that, which"},
    {.name = "step", .kind = PR_OPTION_TEXT, .offset = SETTING(names.step), .argument = "TEXT",
     .help = "of the run, which step"},
    {.name = "task", .kind = PR_OPTION_TEXT, .offset = SETTING(names.task), .argument = "TEXT",
     .help = "of the step, which task"},
    {.name = "attempt", .kind = PR_OPTION_TEXT, .offset = SETTING(names.attempt), .argument = "N",
     .help = "which attempt at it, from 1 on"},
    {.name = "quiet", .letter = 'q', .kind = PR_OPTION_FLAG, .offset = SETTING(common.quiet),
     .help = "no word where the run is; problems are still said"},
    {.name = "help", .letter = 'h', .kind = PR_OPTION_FLAG, .offset = SETTING(common.help), .help = "show this help"},
    {.name = NULL}};

static const struct pr_exit_meaning exits[] = {
    {-1, "the command's own status; 128 and its number when a signal ended it"},
    {PR_EXIT_USAGE, "wrong usage"},
    {125, "the recorder failed before the command began"},
    {126, "the command could not be executed"},
    {127, "the command was not found"},
    {0, NULL}};

/* All of a recording; too large for a stack of unknown size. */
struct recording {
    const struct settings *settings;
    const char *const *argv;
    struct pr_recorded_run run;
    struct pr_folder folder;
    struct pr_log log;
    struct pr_stderr tail;
    struct pr_child child;
    struct pr_sampler sampler;
    struct pr_schedule schedule;
    struct pr_profiler profiler;
    struct pr_memray_line memray;
    int64_t interval_ns;
    uint64_t host_oom_kills;
    int start_error;
    int64_t released_ns; /* when the command was released */
    char memray_path[PATH_MAX];
};

/* ---- before the command ----------------------------------------------------------------------------------------- */

static bool parse_interval(const char *text, int64_t *interval_ns)
{
    struct pr_decimal seconds;
    const size_t length = strlen(text);
    if (pr_decimal_parse(text, length, &seconds) != length || !length)
        return false;
    *interval_ns = pr_decimal_scaled(seconds, 9);
    return *interval_ns >= (int64_t)SHORTEST_MS * PR_NS_PER_MS && *interval_ns <= (int64_t)86400 * PR_NS_PER_S;
}

static int failed(const char *doing)
{
    pr_say("cannot %s: %s", doing, strerror(errno));
    return RECORDER_FAILED;
}

/* Descriptor 2 that was closed for us (main.c) is closed for the command too. */
static bool has_stderr(void)
{
    const int flags = fcntl(STDERR_FILENO, F_GETFD);
    return flags >= 0 && !(flags & FD_CLOEXEC);
}

static void keep_stderr(struct recording *recording)
{
    const int when = recording->settings->keep_stderr;
    recording->tail.write_fd = -1;
    if (when == KEEP_NEVER || !has_stderr() || (when == KEEP_AUTO && isatty(STDERR_FILENO)))
        return;
    const bool is_ours = recording->folder.fd >= 0 && !recording->folder.has_their_log;
    if (!pr_stderr_start(&recording->tail, is_ours ? &recording->folder : NULL)) {
        pr_say("stderr is not kept: %s", strerror(errno));
        return;
    }
    recording->child.tail = &recording->tail;
    if (is_ours)
        pr_recorded_run_makes(&recording->run, "stderr.log");
}

static void open_files(struct recording *recording)
{
    const struct pr_common *common = &recording->settings->common;
    recording->run.names = recording->settings->names;
    recording->folder.is_shared = recording->settings->is_shared;
    pr_recorded_run_name(&recording->run, recording->argv);
    const bool recorded = pr_folder_open(&recording->folder, common->output, recording->argv[0]);
    if (recorded && !common->output && !common->quiet)
        pr_say("recording into %s", recording->folder.path);
    pr_recorded_run_makes(&recording->run, "run.json");
    pr_recorded_run_makes(&recording->run, "timeline.jsonl");
    pr_log_init(&recording->log, pr_folder_create(&recording->folder, "timeline.jsonl"));
}

/* What is started: the command, or memray with it. */
static const char *const *command_line(struct recording *recording)
{
    if (!recording->settings->memray)
        return recording->argv;
    if (!pr_folder_path(&recording->folder, "memray.bin", recording->memray_path))
        return recording->argv;
    if (pr_memray_line_make(&recording->memray, recording->argv, recording->memray_path)) {
        pr_recorded_run_makes(&recording->run, "memray.bin");
        return recording->memray.argv;
    }
    pr_say("no memory capture: %s", recording->memray.why_not);
    return recording->argv;
}

static void begin_profile(struct recording *recording)
{
    const enum pr_profiler_kind kind = (enum pr_profiler_kind)recording->settings->profiler;
    pr_profiler_choose(&recording->profiler, kind, &recording->folder, recording->child.pid, &recording->sampler.tree);
    recording->child.profiler = &recording->profiler;
}

static void begin_timeline(struct recording *recording)
{
    struct pr_gpu_device gpus[PR_GPUS_MAX];
    struct pr_marks_start start = {.argv = recording->argv,
                                   .pid = recording->child.pid,
                                   .interval_ns = recording->interval_ns,
                                   .sampler = &recording->sampler,
                                   .gpus = gpus};
    recording->sampler.gpus = pr_gpus_start();
    const char *profile = pr_profiler_file((enum pr_profiler_kind)recording->settings->profiler);
    if (profile)
        pr_recorded_run_makes(&recording->run, profile);
    if (recording->settings->profiler == PR_PROFILER_PERF)
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
    if (!pr_child_prepare(child))
        return failed("wait for signals");
    recording->host_oom_kills = pr_evidence_host_oom_kills();
    open_files(recording);
    keep_stderr(recording);
    child->is_looked_at = recording->settings->profiler != PR_PROFILER_NONE;
    if (!pr_child_start(child, (char *const *)command_line(recording), recording->tail.write_fd))
        return failed("start a process");
    pr_stderr_close_writer(&recording->tail);
    if (!pr_sampler_init(&recording->sampler, &recording->log, child->pid, recording->tail.pid,
                         recording->settings->cgroup)) {
        pr_say("out of memory");
        return RECORDER_FAILED;
    }
    if (recording->settings->cgroup && !pr_cgroup_is_known(&recording->sampler.cgroup))
        pr_say("%s: no files of a control group in it", recording->settings->cgroup);
    child->tree = &recording->sampler.tree;
    begin_timeline(recording);
    begin_profile(recording);
    return 0;
}

/* ---- while it runs ---------------------------------------------------------------------------------------------- */

static bool waits_for_others(const struct recording *recording)
{
    return recording->settings->wait_all && recording->sampler.last.tree.processes && !recording->child.told_to_end;
}

/* Until the command has ended, and with --wait-all what it left running. The last sample is of that moment. */
static void watch(struct recording *recording)
{
    struct pr_sampler *sampler = &recording->sampler;
    int64_t now_ns = pr_child_now_ns();
    recording->schedule = pr_schedule_start(now_ns, recording->interval_ns);
    pr_sampler_start(sampler, recording->released_ns);
    do {
        pr_schedule_next(&recording->schedule, now_ns);
        if (pr_child_wait(&recording->child, recording->schedule.due_ns))
            sampler->pid = 0;
        now_ns = pr_child_now_ns();
        pr_sampler_take(sampler, now_ns);
        if (sampler->pid && now_ns - sampler->start_ns >= (int64_t)PROFILER_DELAY_MS * PR_NS_PER_MS)
            pr_profiler_tend(&recording->profiler);
    } while (sampler->pid || waits_for_others(recording));
}

/* ---- after it --------------------------------------------------------------------------------------------------- */

static void tell_lost_lines(const struct recording *recording)
{
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
    pr_stderr_text(&recording->tail, &stderr_text);
    recording->run.end_ms = pr_recorded_run_now_ms();
    const struct pr_marks_end end = {.at_ms = recording->run.end_ms,
                                     .wall_ns = sampler->last.at_ns - sampler->start_ns,
                                     .command = recording->argv[0],
                                     .child = &recording->child,
                                     .start_error = recording->start_error,
                                     .sampler = sampler,
                                     .evidence = &evidence,
                                     .stderr_text = &stderr_text};
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
    const char *argv[] = {"card", "-o", recording->settings->card, "--", recording->folder.path, NULL};
    const int argc = (int)(sizeof argv / sizeof *argv) - 1;
    pr_child_restore_signals(&recording->child);
    _exit(pr_command_card.run(&pr_command_card, argc, (char **)argv));
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
    if (!recording->settings->card || !recording->folder.path[0])
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
        pr_say("no card: it was not done in time");
        kill(pid, SIGKILL);
    }
}

static void tell_status(const struct recording *recording)
{
    const struct pr_child *child = &recording->child;
    const struct pr_sampler *sampler = &recording->sampler;
    if (recording->settings->common.quiet || !recording->folder.path[0] || !isatty(STDERR_FILENO))
        return;
    char how[64] = "done";
    if (WIFSIGNALED(child->status))
        snprintf(how, sizeof how, "ended by SIG%s", sigabbrev_np(WTERMSIG(child->status)));
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
    if (recording->start_error)
        pr_say("cannot run %s: %s", recording->argv[0], strerror(recording->start_error));
    pr_folder_settle(&recording->folder, !recording->start_error);
    watch(recording);
    pr_profiler_finish(&recording->profiler, recording->child.told_to_end ? PROFILER_HURRY_MS : PROFILER_END_MS);
    write_end(recording);
    pr_folder_restrict(&recording->folder, "memray.bin");
    make_card(recording);
    tell_status(recording);
    return pr_child_exit_status(&recording->child);
}

static int run(const struct pr_command *command, int argc, char **argv)
{
    struct settings settings = {.interval = "0.5"};
    int64_t interval_ns;
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    if (!parse_interval(settings.interval, &interval_ns))
        return pr_wrong_usage(command, "--interval takes seconds, from 0.01 to 86400, not '%s'", settings.interval);
    if (settings.common.output && !*settings.common.output)
        return pr_wrong_usage(command, "the name of the folder is empty");
    struct recording *recording = calloc(1, sizeof *recording);
    if (!recording)
        return failed("record");
    recording->settings = &settings;
    recording->argv = settings.common.inputs;
    recording->interval_ns = interval_ns;
    status = record(recording);
    pr_sampler_clear(&recording->sampler);
    pr_log_close(&recording->log);
    pr_stderr_clear(&recording->tail);
    pr_child_clear(&recording->child);
    pr_memray_line_clear(&recording->memray);
    pr_folder_close(&recording->folder);
    free(recording);
    return status;
}

const struct pr_command pr_command_record = {
    .name = "record",
    .takes_command = true,
    .arguments = "[--] COMMAND [ARGUMENT...]",
    .summary = "run a command; write down what it uses and how it ends",
    .about = "Runs COMMAND as it would run without, and samples all its processes: processor,\n"
             "memory, threads, disk, network, control group, pressure, GPUs. The run is a\n"
             "folder with timeline.jsonl, run.json and stderr.log; what a failure leaves\n"
             "behind is kept (exit status, signal, killed for memory or not, last lines of\n"
             "stderr). Secrets in arguments and stderr are hidden. The status returned is that\n"
             "of the command.\n",
    .details =
        "The command stays in the process group of the recorder: keys such as Ctrl-C and Ctrl-Z, pipelines and a\n"
        "shell's job control work as without it. A signal that was sent to the recorder alone is passed on. Orphans,\n"
        "such as daemons, are adopted and sampled as long as the command runs; `--wait-all` waits for them.\n"
        "\n"
        "The folder and its files are for their owner alone, unless `--shared` is given; a folder that was there\n"
        "keeps its rights. Only files that an earlier recording made are replaced, and only when the command has\n"
        "started: a folder that has other files under these names is refused, and the command runs without a record.\n"
        "If the shell\n"
        "has opened `DIR/stderr.log` for the command, it stays the command's own, whole and as it was written.\n"
        "\n"
        "Every line of the timeline is written at once. If the recorder is killed, the run is what was known until\n"
        "then, and the command goes on. If the folder cannot be made or the disk is full, the command runs all the\n"
        "same, and standard error says what is missing.\n"
        "\n"
        "Unless stderr is a terminal, it is a pipe for the command, from which a process of its own copies at once.\n"
        "With `2>&1` lines of the two may change places; `--stderr never` leaves stderr alone.\n"
        "\n"
        "How long its threads were ready and had no core is counted for each thread, and is a lower bound: threads\n"
        "that come and go between two samples are missing. Pressure is that of the control group, or where it has "
        "none\n"
        "of the whole machine; it is drawn, and not taken for what the run waited. Of the network, the figures are\n"
        "those of the whole container or host.\n"
        "\n"
        "A secret is known by its name or its form: values of options, variables, headers, members and parameters "
        "whose\n"
        "names say so, passwords of users in addresses, private keys, and tokens of well-known services. What has\n"
        "neither, such as a password that is a positional argument, stays; so does what the program writes elsewhere,\n"
        "and the command line in a capture that memray or another tool writes itself.\n"
        "\n"
        "`--memray` records inside the interpreter: `python train.py` is started as `python -m memray run train.py`.\n"
        "It is left out where the command is a profiler itself that needs the same hook of the interpreter. It does "
        "not\n"
        "go with `pytest --memray`, whose plugin needs memray's one tracker: use one of the two. The tools\n"
        "of `--cpu` look from outside, and go with it. What cannot be recorded is said, with the reason, and the\n"
        "command runs all the same.\n"
        "\n"
        "GPUs are asked through NVIDIA's `libnvidia-ml.so.1`, where there is one; this was tested with a library that\n"
        "stands in for it, not on a device.\n",
    .examples = "  profrender record -- python train.py --epochs 3\n"
                "  profrender record -o run/ --card card.html -- make -j8 test\n"
                "  profrender record --memray --cpu py-spy --card card.html -- python train.py\n"
                "  profrender record --task load --attempt 2 -- bash -c 'zcat data.gz | ./load'\n"
                "  profrender record -q -o run/ ./job; profrender card run/ -o card.html\n",
    .options = options,
    .exits = exits,
    .run = run,
};
