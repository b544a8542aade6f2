/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/record_run.h"

#include "cli/io/json_writer.h"
#include "cli/record/record_argv.h"
#include "cli/io/say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What a recording leaves in its folder. Everything else in it, such as notes, is not ours to touch. */
static const char *const files[] = {"timeline.jsonl",      "run.json", "stderr.log",   "memray.bin",
                                    "cpu.speedscope.json", "cpu.mojo", "cpu.perf.txt", "cpu.perf.data"};

int64_t pr_run_folder_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* Variables that schedulers set for what they run; a row counts where the first one of it is set. */
static const struct {
    const char *run, *flow, *step, *task, *attempt;
} hints[] = {
    {"AIRFLOW_CTX_DAG_RUN_ID", "AIRFLOW_CTX_DAG_ID", NULL, "AIRFLOW_CTX_TASK_ID", "AIRFLOW_CTX_TRY_NUMBER"},
    {"GITHUB_RUN_ID", "GITHUB_WORKFLOW", "GITHUB_ACTION", "GITHUB_JOB", "GITHUB_RUN_ATTEMPT"},
    {"CI_PIPELINE_ID", "CI_PROJECT_PATH", "CI_JOB_STAGE", "CI_JOB_NAME", NULL},
    {"SLURM_JOB_ID", "SLURM_JOB_NAME", "SLURM_STEP_ID", "SLURM_ARRAY_TASK_ID", "SLURM_RESTART_COUNT"}};

static void take_hint(const char **name, const char *variable)
{
    const char *value = variable ? getenv(variable) : NULL;
    if (!*name && value && *value)
        *name = value;
}

static void take_hints(struct pr_run_names *names)
{
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        const char *run = getenv(hints[i].run);
        if (!run || !*run)
            continue;
        take_hint(&names->run, hints[i].run);
        take_hint(&names->flow, hints[i].flow);
        take_hint(&names->step, hints[i].step);
        take_hint(&names->task, hints[i].task);
        take_hint(&names->attempt, hints[i].attempt);
        return;
    }
}

/* The command line, as far as there is room. */
static void name_after(struct pr_run_folder *run, const char *const *argv)
{
    struct pr_buf words = {0};
    if (run->names.name)
        return;
    pr_words_redact(&words, argv);
    for (size_t i = 0; i + 1 < words.length; i++)
        if (!words.bytes[i])
            words.bytes[i] = ' ';
    snprintf(run->name, sizeof run->name, "%s", words.bytes ? words.bytes : argv[0]);
    run->names.name = run->name;
    pr_buf_clear(&words);
}

/* ---- the folder ------------------------------------------------------------------------------------------------- */

static bool refuse(struct pr_run_folder *run, const char *why)
{
    pr_say("cannot record into %s: %s", run->folder, why);
    pr_say_hint("the command runs without a record");
    run->folder[0] = '\0';
    return false;
}

/* Like mkdir -p; a folder that is there is fine. */
static bool make_folders(const char *path)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *at = part + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return false;
        *at = '/';
    }
    struct stat found;
    if (mkdir(path, 0777) == 0)
        return true;
    return errno == EEXIST && stat(path, &found) == 0 && (S_ISDIR(found.st_mode) || (errno = ENOTDIR, false));
}

/* run-20260131-142501-python3; a number behind it where there is one already. */
static bool make_named_folder(struct pr_run_folder *run, const char *command)
{
    enum { TRIES = 100 };
    char stamp[32];
    struct tm local;
    const time_t now = time(NULL);
    const char *slash = strrchr(command, '/');
    localtime_r(&now, &local);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
    for (int i = 1; i <= TRIES; i++) {
        char number[16] = "";
        if (i > 1)
            snprintf(number, sizeof number, "-%d", i);
        snprintf(run->folder, sizeof run->folder, "run-%s-%.60s%s", stamp, slash ? slash + 1 : command, number);
        if (mkdir(run->folder, 0777) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

static bool remove_earlier(const struct pr_run_folder *run)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (pr_run_folder_path(run, files[i], path) && unlink(path) != 0 && errno != ENOENT)
            return false;
    return true;
}

bool pr_run_folder_open(struct pr_run_folder *run, const char *folder, const char *const *argv)
{
    run->folder[0] = '\0';
    take_hints(&run->names);
    name_after(run, argv);
    if (!folder)
        return make_named_folder(run, argv[0]) || refuse(run, strerror(errno));
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    snprintf(run->folder, sizeof run->folder, "%.*s", (int)(length < PATH_MAX ? length : PATH_MAX - 1), folder);
    if (length >= PATH_MAX)
        return refuse(run, strerror(ENAMETOOLONG));
    if (!make_folders(run->folder) || access(run->folder, W_OK | X_OK) != 0 || !remove_earlier(run))
        return refuse(run, strerror(errno));
    return true;
}

bool pr_run_folder_path(const struct pr_run_folder *run, const char *file, char path[PATH_MAX])
{
    return run->folder[0] && snprintf(path, PATH_MAX, "%s/%s", run->folder, file) < PATH_MAX;
}

int pr_run_folder_create(const struct pr_run_folder *run, const char *file)
{
    char path[PATH_MAX];
    if (!pr_run_folder_path(run, file, path))
        return -1;
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        pr_say("cannot write %s: %s", path, strerror(errno));
    return fd;
}

/* ---- run.json --------------------------------------------------------------------------------------------------- */

static void write_name(struct pr_json_writer *json, const char *key, const char *name)
{
    if (!name)
        return;
    pr_json_put_key(json, key);
    pr_json_put_text(json, name);
}

/* A number where it is one. */
static void write_attempt(struct pr_json_writer *json, const char *attempt)
{
    char *end;
    if (!attempt)
        return;
    const unsigned long number = strtoul(attempt, &end, 10);
    pr_json_put_key(json, "attempt");
    if (*attempt >= '0' && *attempt <= '9' && !*end)
        pr_json_put_uint(json, number);
    else
        pr_json_put_text(json, attempt);
}

static void write_time(struct pr_json_writer *json, const char *key, int64_t at_ms)
{
    if (!at_ms)
        return;
    pr_json_put_key(json, key);
    pr_json_put_int(json, at_ms);
}

void pr_run_folder_write(const struct pr_run_folder *run)
{
    char path[PATH_MAX];
    struct pr_output out;
    if (!pr_run_folder_path(run, "run.json", path) || pr_output_open(&out, path) != 0)
        return;
    struct pr_json_writer json = pr_json_writer_start(&out, false);
    pr_json_put_lines(&json, '{');
    write_name(&json, "schema", "profrender/run/1");
    write_name(&json, "name", run->names.name);
    write_name(&json, "flow", run->names.flow);
    write_name(&json, "run", run->names.run);
    write_name(&json, "step", run->names.step);
    write_name(&json, "task", run->names.task);
    write_attempt(&json, run->names.attempt);
    write_time(&json, "start_ms", run->start_ms);
    write_time(&json, "end_ms", run->end_ms);
    pr_json_put_close(&json, '}');
    pr_output_finish(&out);
}
