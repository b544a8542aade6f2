/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/record_run.h"

#include "capture/base/ascii.h"
#include "capture/base/time.h"
#include "cli/io/code_version.h"
#include "cli/io/json_writer.h"
#include "cli/record/record_argv.h"
#include "profrender/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t pr_recorded_run_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / PR_NS_PER_MS;
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* Variables that schedulers set for what they run; a row counts if its first one is set. */
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
static void name_after(struct pr_recorded_run *run, const char *const *argv)
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

void pr_recorded_run_name(struct pr_recorded_run *run, const char *const *argv)
{
    take_hints(&run->names);
    if (!run->names.commit)
        run->names.commit = pr_code_version();
    name_after(run, argv);
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
    if (pr_is_digit(*attempt) && !*end)
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

/* What this run makes: another recording into the same folder may replace that, and nothing else. */
static void write_files(struct pr_json_writer *json, const struct pr_recorded_run *run)
{
    pr_json_put_key(json, "files");
    pr_json_put_open(json, '[');
    for (size_t i = 0; pr_folder_files[i]; i++)
        if (run->makes & 1u << i)
            pr_json_put_text(json, pr_folder_files[i]);
    pr_json_put_close(json, ']');
}

void pr_recorded_run_makes(struct pr_recorded_run *run, const char *file)
{
    for (size_t i = 0; pr_folder_files[i]; i++)
        if (strcmp(pr_folder_files[i], file) == 0)
            run->makes |= 1u << i;
}

void pr_recorded_run_write(const struct pr_recorded_run *run, const struct pr_folder *folder)
{
    char recorder[64];
    struct pr_output out;
    struct pr_unfinished file;
    snprintf(recorder, sizeof recorder, "profrender %s", pr_version());
    if (!pr_folder_begin(folder, "run.json", &file))
        return;
    pr_output_attach(&out, "run.json", file.fd);
    struct pr_json_writer json = pr_json_writer_start(&out, false);
    pr_json_put_lines(&json, '{');
    write_name(&json, "schema", "profrender/run/1");
    write_name(&json, "name", run->names.name);
    write_name(&json, "flow", run->names.flow);
    write_name(&json, "run", run->names.run);
    write_name(&json, "step", run->names.step);
    write_name(&json, "task", run->names.task);
    write_attempt(&json, run->names.attempt);
    write_name(&json, "commit", run->names.commit);
    write_name(&json, "recorder", recorder);
    write_time(&json, "start_ms", run->start_ms);
    write_time(&json, "end_ms", run->end_ms);
    write_files(&json, run);
    pr_json_put_close(&json, '}');
    pr_folder_end(folder, "run.json", &file, pr_output_flush(&out));
}
