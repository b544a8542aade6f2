/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender record`: runs a command, and writes down what it used and how it ended. */
#include "capture/base/decimal.h"
#include "capture/base/time.h"
#include "cli/args/options.h"
#include "cli/io/say.h"
#include "cli/record/recording.h"

#include <errno.h>
#include <string.h>

enum { SHORTEST_MS = 10 }; /* interval */

static const char *const profilers[] = {"none", "py-spy", "perf", "austin", NULL}; /* enum pr_profiler_kind */
static const char *const stderr_words[] = {"auto", "always", "never", NULL}; /* enum pr_stderr_kept */

struct settings {
    struct pr_common common;
    struct pr_recording how;
    const char *interval;
    const char *marks;
    const char *log;
    int keep_stderr, profiler;
};

#define SETTING(member) offsetof(struct settings, member)

static const struct pr_option options[] = {
    {.name = "output", .letter = 'o', .kind = PR_OPTION_TEXT, .offset = SETTING(common.output), .argument = "DIR",
     .help = "the folder of the run; an earlier run in it is\n"
             "replaced once the command has started; default: run-,\n"
             "the time, the command's name"},
    {.name = "card", .kind = PR_OPTION_TEXT, .offset = SETTING(how.card), .argument = "FILE",
     .help = "also write the card, however the command ends"},
    {.name = "memray", .kind = PR_OPTION_FLAG, .offset = SETTING(how.memray),
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
    {.name = "log", .kind = PR_OPTION_TEXT, .offset = SETTING(log), .argument = "FILE",
     .help = "add what the recorder reports to FILE, not to stderr,\n"
             "which then has only what the command writes"},
    {.name = "marks", .kind = PR_OPTION_TEXT, .offset = SETTING(marks), .argument = "REGEX",
     .help = "a line of the command's stderr that matches begins a\n"
             "phase; its first group, or what matched, is the name"},
    {.name = "wait-all", .kind = PR_OPTION_FLAG, .offset = SETTING(how.wait_all),
     .help = "go on until every process that the command started\n"
             "has ended too"},
    {.name = "shared", .kind = PR_OPTION_FLAG, .offset = SETTING(how.is_shared),
     .help = "others may read the run, as far as the umask lets\n"
             "them; without it folder and files are the owner's"},
    {.name = "cgroup", .kind = PR_OPTION_TEXT, .offset = SETTING(how.cgroup), .argument = "DIR",
     .help = "read this control group, not the command's own"},
    {.name = "name", .kind = PR_OPTION_TEXT, .offset = SETTING(how.names.name), .argument = "TEXT",
     .help = "what the run is called; default: the command line"},
    {.name = "flow", .kind = PR_OPTION_TEXT, .offset = SETTING(how.names.flow), .argument = "TEXT",
     .help = "the workflow that it is a run of; Airflow, GitHub,\n"
             "GitLab and Slurm set this and the next four"},
    {.name = "run", .kind = PR_OPTION_TEXT, .offset = SETTING(how.names.run), .argument = "TEXT",
     .help = "which run of the flow"},
    {.name = "step", .kind = PR_OPTION_TEXT, .offset = SETTING(how.names.step), .argument = "TEXT",
     .help = "which step of the run"},
    {.name = "task", .kind = PR_OPTION_TEXT, .offset = SETTING(how.names.task), .argument = "TEXT",
     .help = "which task of the step"},
    {.name = "attempt", .kind = PR_OPTION_TEXT, .offset = SETTING(how.names.attempt), .argument = "N",
     .help = "which attempt at the task, from 1 on"},
    {.name = "commit", .kind = PR_OPTION_TEXT, .offset = SETTING(how.names.commit), .argument = "HASH",
     .help = "the version of the code; default: what GitHub, GitLab,\n"
             "Jenkins and Buildkite set"},
    {.name = "quiet", .letter = 'q', .kind = PR_OPTION_FLAG, .offset = SETTING(common.quiet),
     .help = "do not say where the run is; problems are still shown"},
    {.name = "help", .letter = 'h', .kind = PR_OPTION_FLAG, .offset = SETTING(common.help), .help = "show this help"},
    {.name = NULL}};

static const struct pr_exit_meaning exits[] = {
    {-1, "the command's own status; 128 and its number when a signal ended it"},
    {PR_EXIT_USAGE, "wrong usage"},
    {125, "the recorder failed before the command began"},
    {126, "the command could not be executed"},
    {127, "the command was not found"},
    {0, NULL}};

static bool parse_interval(const char *text, int64_t *interval_ns)
{
    struct pr_decimal seconds;
    const size_t length = strlen(text);
    if (pr_decimal_parse(text, length, &seconds) != length || !length)
        return false;
    *interval_ns = pr_decimal_scaled(seconds, 9);
    return *interval_ns >= (int64_t)SHORTEST_MS * PR_NS_PER_MS && *interval_ns <= (int64_t)86400 * PR_NS_PER_S;
}

/* Runs in a process of its own. */
static int make_card(const char *page, const char *folder)
{
    const char *argv[] = {"card", "-o", page, "--", folder, NULL};
    const int argc = (int)(sizeof argv / sizeof *argv) - 1;
    return pr_command_card.run(&pr_command_card, argc, (char **)argv);
}

/* Returns 0, or PR_EXIT_USAGE with the reason reported. */
static int compile(const struct pr_command *command, const char *text, regex_t *pattern)
{
    char why[120];
    const int error = regcomp(pattern, text, REG_EXTENDED);
    if (!error)
        return PR_EXIT_DONE;
    regerror(error, pattern, why, sizeof why);
    return pr_wrong_usage(command, "--marks '%s' is not a regular expression: %s", text, why);
}

static int record_with_marks(const struct pr_command *command, const char *text, struct pr_recording *how)
{
    regex_t pattern;
    int status = compile(command, text, &pattern);
    if (status != PR_EXIT_DONE)
        return status;
    how->marks = &pattern;
    status = pr_record(how);
    regfree(&pattern);
    return status;
}

static int run(const struct pr_command *command, int argc, char **argv)
{
    struct settings settings = {.interval = "0.5"};
    struct pr_recording *how = &settings.how;
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    if (!parse_interval(settings.interval, &how->interval_ns))
        return pr_wrong_usage(command, "--interval takes seconds, from 0.01 to 86400, not '%s'", settings.interval);
    if (settings.common.output && !*settings.common.output)
        return pr_wrong_usage(command, "the name of the folder is empty");
    if (settings.log && !pr_say_to(settings.log))
        pr_say("cannot write %s: %s", settings.log, strerror(errno));
    how->argv = settings.common.inputs;
    how->folder = settings.common.output;
    how->quiet = settings.common.quiet;
    how->keep_stderr = (enum pr_stderr_kept)settings.keep_stderr;
    how->profiler = (enum pr_profiler_kind)settings.profiler;
    how->make_card = make_card;
    return settings.marks ? record_with_marks(command, settings.marks, how) : pr_record(how);
}

const struct pr_command pr_command_record = {
    .name = "record",
    .takes_command = true,
    .arguments = "[--] COMMAND [ARGUMENT...]",
    .summary = "run a command; write down what it uses and how it ends",
    .about = "Runs COMMAND unchanged, and samples all its processes: processor, memory,\n"
             "threads, disk, network, control group, pressure, GPUs. The run is a folder with\n"
             "timeline.jsonl, run.json and stderr.log; it keeps how a failure ended (exit\n"
             "status, signal, killed for memory or not, last lines of stderr). Secrets in\n"
             "arguments and stderr are hidden. The exit status is that of the command.\n",
    .details =
        "The command stays in the process group of the recorder: keys such as Ctrl-C and Ctrl-Z, pipelines and a\n"
        "shell's job control work as without it. A signal that was sent to the recorder alone is passed on. Orphans,\n"
        "such as daemons, are adopted and sampled as long as the command runs; `--wait-all` waits for them.\n"
        "\n"
        "The folder and its files are for their owner alone, unless `--shared` is given; a folder that was there\n"
        "keeps its rights. Only files that an earlier recording made are replaced, and only when the command has\n"
        "started: a folder that has other files under these names is refused, and the command runs without being "
        "recorded.\n"
        "If the shell\n"
        "has opened `DIR/stderr.log` for the command, it stays the command's own, whole and as it was written.\n"
        "\n"
        "Every line of the timeline is written at once. If the recorder is killed, the run keeps what was known until\n"
        "then, and the command goes on. If the folder cannot be made or the disk is full, the command runs all the\n"
        "same, and standard error says what is missing.\n"
        "\n"
        "Unless stderr is a terminal, it is a pipe for the command, from which a process of its own copies at once.\n"
        "With `2>&1` lines of the two may change places; `--stderr never` leaves stderr alone.\n"
        "\n"
        "How long its threads were ready and had no core is counted for each thread, and is a lower bound: threads\n"
        "that come and go between two samples are missing. Pressure is that of the control group, or where it has "
        "none\n"
        "of the whole machine; it is drawn, but not counted as waiting of the run. Network figures are those\n"
        "of the whole container or host.\n"
        "\n"
        "A secret is known by its name or its form: values of options, variables, headers, members and parameters "
        "whose\n"
        "names say so, passwords of users in addresses, private keys, tokens of well-known services, and the\n"
        "passwords that a few programs take as a word (`vault login X`). What is none of these stays; so does what\n"
        "the program writes elsewhere, and the command line in a capture that memray or another tool writes itself.\n"
        "\n"
        "`--memray` records inside the interpreter: `python train.py` is started as `python -m memray run train.py`.\n"
        "It is left out where the command is a profiler itself that needs the same hook of the interpreter. It does "
        "not\n"
        "work with `pytest --memray`, whose plugin needs memray's one tracker: use one of the two. The tools\n"
        "of `--cpu` look from outside, and work with it. What cannot be recorded is reported with the reason, and the\n"
        "command runs all the same.\n"
        "\n"
        "The command can name its phases: with `profrender mark NAME`, with `mark` of the Python module, or with a\n"
        "line to the FIFO that it finds in PROFRENDER_MARKS. With `--marks`, an extended regular expression such as\n"
        "`epoch [0-9]+`, lines that it writes to stderr do; stderr is then kept also if it is a terminal.\n"
        "\n"
        "GPUs are read through NVIDIA's `libnvidia-ml.so.1`, if it is installed.\n",
    .examples = "  profrender record -- python train.py --epochs 3\n"
                "  profrender record -o run/ --card card.html -- make -j8 test\n"
                "  profrender record --memray --cpu py-spy --card card.html -- python train.py\n"
                "  profrender record --task load --attempt 2 -- bash -c 'zcat data.gz | ./load'\n"
                "  profrender record -q -o run/ ./job; profrender card run/ -o card.html\n",
    .options = options,
    .exits = exits,
    .run = run,
};
