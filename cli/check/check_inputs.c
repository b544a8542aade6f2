/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/check_inputs.h"

#include "capture/base/checked.h"
#include "cli/args/input.h"
#include "cli/check/judge.h"
#include "cli/check/site_baselines.h"
#include "cli/args/redact_option.h"
#include "cli/io/failure_words.h"
#include "cli/io/say.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a check loads, and what for. */
struct check {
    const struct pr_common *common;
    const struct pr_words *named; /* as --baseline */
    const struct pr_rules *rules;
    struct pr_check_inputs *inputs;
    struct pr_verdict *verdict;
    struct pr_inputs *reading; /* the input, if it is one and not yet loaded, then the baselines: as they were found */
    bool is_loaded;            /* the input is; then baselines are not optional */
};

/* "exit status 1, ValueError: no rows (load.py:6)"; NULL: it did not fail, or there is no memory for it. */
static char *failure_of(const struct pr_profile *profile)
{
    struct pr_buf text = {0};
    pr_failure_words(profile, &text);
    if (!text.length && !text.failed)
        return NULL;
    pr_buf_byte(&text, '\0');
    char *words = text.failed ? NULL : strdup(text.bytes);
    pr_buf_clear(&text);
    return words;
}

/* Sets VERDICT's name of the run, if it has one. False: no memory. */
static bool take_run_name(struct pr_verdict *verdict, const struct pr_profile *profile)
{
    const struct pr_text name = pr_profile_text(profile, profile->run.name);
    verdict->run_name = name.length ? strndup(name.bytes, name.length) : NULL;
    return verdict->run_name || !name.length;
}

/* What is known of a profile beyond its stacks. False: no memory. */
static bool take_facts(const struct check *check, const struct pr_profile *profile, uint32_t number)
{
    struct pr_verdict *verdict = check->verdict;
    verdict->figures[number] = pr_figures_of(profile);
    verdict->chance = pr_chance_both(verdict->chance, pr_chance_of(profile));
    if (number)
        return true;
    verdict->failure = failure_of(profile);
    return take_run_name(verdict, profile) && pr_check_insights_find(profile, check->rules, &verdict->insights);
}

static int refuse_incomplete(const struct check *check, const char *name)
{
    const bool is_baseline = check->inputs->diff->count > 0;
    if (!check->rules->allow_incomplete) {
        pr_say("%s: it is incomplete, so there is no verdict; --allow-incomplete checks what could be read", name);
        return PR_EXIT_INPUT;
    }
    return pr_verdict_note(check->verdict, is_baseline ? "a baseline is incomplete"
                                                       : "the input is incomplete: only what could be read was checked")
               ? PR_EXIT_DONE
               : pr_judge_no_memory();
}

/* False: no memory. */
static bool add_run(struct pr_check_inputs *inputs, const struct pr_profile *profile)
{
    if (!pr_grow(&inputs->runs, &inputs->run_room, inputs->run_count + 1, sizeof *inputs->runs))
        return false;
    inputs->runs[inputs->run_count++] = pr_which_run_of(profile);
    return true;
}

/* Takes in a profile as the next one, and frees it. */
static int add_profile(const struct check *check, const char *name, struct pr_profile *profile)
{
    struct pr_error err = {0};
    struct pr_diff *diff = check->inputs->diff;
    int status = profile->complete ? PR_EXIT_DONE : refuse_incomplete(check, name);
    if (status == PR_EXIT_DONE && (!take_facts(check, profile, diff->count) || !add_run(check->inputs, profile)))
        status = pr_judge_no_memory();
    if (status == PR_EXIT_DONE && pr_diff_add(diff, profile, &err) == PR_FAILED) {
        pr_say("%s: %s", name, err.text);
        status = PR_EXIT_INPUT;
    }
    pr_profile_free(profile);
    return status;
}

static struct pr_load_options how_to_load(void)
{
    struct pr_load_options how = pr_load_options_default();
    how.native = PR_NATIVE_OFF; /* rules are about Python functions */
    return how;
}

/* ---- baselines -------------------------------------------------------------------------------------------------- */

/* The names are also those of the verdict. */
static void count_baselines(const struct check *check)
{
    check->verdict->baselines = (const char *const *)check->inputs->baselines.path;
    check->verdict->baseline_count = check->inputs->baselines.count;
}

/* PATH as people know it: what was copied from an address is called by that. */
static const char *shown_path(const struct check *check, const char *path, char room[PATH_MAX])
{
    const char *address = check->inputs->address, *folder = check->named->count ? check->named->word[0] : "";
    const size_t length = strlen(folder);
    if (!address || strncmp(path, folder, length) != 0)
        return path;
    size_t end = strlen(address);
    while (end && address[end - 1] == '/')
        end--;
    const char *below = path + length;
    if (*below == '\0')
        return address;
    return snprintf(room, PATH_MAX, "%.*s%s", (int)end, address, below) < PATH_MAX ? room : path;
}

/* A folder of baselines may hold a README: what is not a run and was not named is left out, with a message. */
static int leave_out(const struct check *check, size_t index, const char *why)
{
    struct pr_baselines *baselines = &check->inputs->baselines;
    char room[PR_REDACTED_INPUT], path[PATH_MAX];
    const char *shown = shown_path(check, baselines->path[index], path);
    if (!pr_verdict_note(check->verdict, "%s is not a baseline and was left out: %s",
                         pr_redact_input(check->common, shown, room), why))
        return pr_judge_no_memory();
    pr_baselines_drop(baselines, index);
    count_baselines(check);
    return PR_EXIT_DONE;
}

/* Why a run of a history is no measure for others; NULL: it is one. Whoever names a baseline means it. */
static const char *unfit(const struct check *check, const struct pr_profile *profile)
{
    if (!check->verdict->is_history)
        return NULL;
    if (pr_failure_is_one(&profile->run.failure))
        return "the run failed";
    if (!profile->complete && !check->rules->allow_incomplete)
        return "it is incomplete";
    const struct pr_which_run run = pr_which_run_of(profile);
    for (size_t i = 0; i < check->inputs->run_count; i++)
        if (pr_which_run_is_same(&check->inputs->runs[i], &run))
            return i ? "it is the same run as an earlier one" : "it is the run being checked";
    return NULL;
}

/*
 * What was found next to baselines need not be one. Of a history one file may be spoiled, as by an upload that was
 * broken off: all later checks would have no verdict. That the machine has no memory is not its fault.
 */
static bool may_be_left_out(const struct check *check, const struct pr_error *err)
{
    if (check->verdict->is_history)
        return err->code != PR_ERR_MEMORY && err->code != PR_ERR_IO;
    return err->code == PR_ERR_UNKNOWN || err->code == PR_ERR_EMPTY;
}

/* Adds the next baseline, which is that of INDEX, or removes it from the list. */
static int add_baseline(const struct check *check, size_t index)
{
    const struct pr_baselines *baselines = &check->inputs->baselines;
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    const char *path;
    if (pr_inputs_try_next(check->reading, &path, &profile, &err) == PR_FAILED)
        return baselines->is_found[index] && may_be_left_out(check, &err) ? leave_out(check, index, err.text)
                                                                           : pr_input_refuse(path, &err);
    const char *why = unfit(check, profile);
    if (!why && (!baselines->is_found[index] || !pr_input_is_nothing(profile)))
        return add_profile(check, path, profile);
    pr_profile_free(profile);
    return leave_out(check, index, why ? why : "it has nothing to compare");
}

/* A --baseline that is not there is an error, unless it is optional. */
static int lack_baseline(const struct check *check, const char *folder)
{
    char shown[PATH_MAX];
    const char *path = shown_path(check, folder, shown);
    const bool exists = access(folder, F_OK) == 0;
    if (check->is_loaded) {
        pr_say(exists ? "%s: there is no earlier run in it" : "%s: there is no earlier run", path);
        return PR_EXIT_INPUT;
    }
    if (!check->rules->baseline_optional) {
        pr_say(exists ? "%s: it has no baseline; --baseline-optional continues without one"
                      : "%s: there is no baseline; --baseline-optional continues without one", path);
        return PR_EXIT_INPUT;
    }
    char room[PR_REDACTED_INPUT];
    return pr_verdict_note(check->verdict, exists ? "%s has no baseline: nothing was compared with it"
                                                  : "%s does not exist: nothing was compared with it",
                           pr_redact_input(check->common, path, room))
               ? PR_EXIT_DONE
               : pr_judge_no_memory();
}

/* A site is a history, with baselines by branch. */
static enum pr_baseline_status add_named(const struct check *check, const char *path)
{
    struct pr_check_inputs *inputs = check->inputs;
    if (inputs->is_store || (check->verdict->is_history && pr_site_baselines_is_site(path)))
        return pr_site_baselines_add(&inputs->baselines, path, inputs->branch);
    return pr_baselines_add(&inputs->baselines, path);
}

static int find_baselines(const struct check *check)
{
    int status = PR_EXIT_DONE;
    for (size_t i = 0; i < check->named->count && status == PR_EXIT_DONE; i++) {
        const char *path = check->named->word[i];
        const enum pr_baseline_status found = add_named(check, path);
        if (found == PR_BASELINE_FAILED)
            return PR_EXIT_INPUT;
        if (found == PR_BASELINE_NONE)
            status = lack_baseline(check, path);
    }
    count_baselines(check);
    return status;
}

/* A folder may turn out to have no baseline at all. */
static int load_baselines(const struct check *check)
{
    const struct pr_baselines *baselines = &check->inputs->baselines;
    const bool any = baselines->count > 0;
    int status = PR_EXIT_DONE;
    for (size_t i = 0; i < baselines->count && status == PR_EXIT_DONE;) {
        const size_t before = baselines->count;
        status = add_baseline(check, i);
        i += baselines->count == before;
    }
    if (status == PR_EXIT_DONE && any && !baselines->count)
        status = lack_baseline(check, check->named->word[0]);
    return status;
}

/* Another program has other figures, and is no measure: said, and such a run does not become a baseline of these. */
static int note_other_programs(const struct check *check)
{
    const struct pr_check_inputs *inputs = check->inputs;
    const struct pr_which_run *other = NULL;
    size_t count = 0;
    for (size_t i = 1; i < inputs->run_count; i++) {
        if (!pr_which_run_is_other(&inputs->runs[0], &inputs->runs[i]))
            continue;
        other = other ? other : &inputs->runs[i];
        count++;
    }
    if (!other)
        return PR_EXIT_DONE;
    if (inputs->kept && !inputs->kept->why && 2 * count > inputs->run_count - 1)
        inputs->kept->why = "most baselines ran a different program";
    char which[64], names[160] = "";
    snprintf(which, sizeof which, "%zu of %zu baselines", count, inputs->run_count - 1);
    if (check->common->redact != PR_REDACT_NAMES)
        snprintf(names, sizeof names, ": %s, not %s", other->program, inputs->runs[0].program);
    const bool done = pr_verdict_note(check->verdict, "%s ran a different program%s",
                                      inputs->run_count == 2 ? "the baseline" : which, names);
    return done ? PR_EXIT_DONE : pr_judge_no_memory();
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static int load_input(const struct check *check, const struct pr_load_options *how)
{
    struct pr_verdict *verdict = check->verdict;
    struct pr_profile *profile = NULL;
    const char *path;
    int status = PR_EXIT_DONE;
    if (check->is_loaded)
        profile = check->inputs->loaded;
    else if (check->common->input_count > 1)
        status = pr_input_load(check->common, how, &profile);
    else
        status = pr_inputs_next(check->reading, &path, &profile);
    check->inputs->loaded = NULL;
    if (status == PR_EXIT_DONE && check->inputs->kept)
        status = pr_new_baseline_take(check->inputs->kept, check->common, verdict->input, profile);
    if (status == PR_EXIT_DONE)
        return add_profile(check, verdict->input, profile);
    pr_profile_free(profile);
    return status;
}

static int load_all(const struct check *check, const struct pr_load_options *how)
{
    struct pr_verdict *verdict = check->verdict;
    struct pr_error err = {0};
    verdict->figures = calloc(verdict->baseline_count + 1, sizeof *verdict->figures);
    if (!verdict->figures)
        return pr_judge_no_memory();
    check->inputs->diff->may_lack_metrics = true;
    int status = load_input(check, how);
    if (status == PR_EXIT_DONE)
        status = load_baselines(check);
    if (status == PR_EXIT_DONE)
        status = note_other_programs(check);
    if (status == PR_EXIT_DONE && pr_diff_finish(check->inputs->diff, &err) == PR_FAILED) {
        pr_say("%s%s: %s", verdict->input, verdict->baseline_count ? " and its baseline" : "", err.text);
        status = PR_EXIT_INPUT;
    }
    return status;
}

/* All of them at once, up to --jobs. Their paths are copied: the list of baselines loses those that are left out. */
static int read_all(struct check *check)
{
    const struct pr_baselines *baselines = &check->inputs->baselines;
    const struct pr_load_options how = how_to_load();
    struct pr_inputs reading = {.ahead = NULL};
    const char **paths = calloc(baselines->count + 1, sizeof *paths);
    struct pr_arena copies = {0};
    size_t count = 0;
    bool copied = paths != NULL;
    if (copied && check->common->input_count <= 1 && !check->is_loaded)
        paths[count++] = check->common->input;
    for (size_t i = 0; copied && i < baselines->count; i++) {
        paths[count] = pr_arena_copy(&copies, baselines->path[i], strlen(baselines->path[i]) + 1);
        copied = paths[count++] != NULL;
    }
    int status = copied ? pr_inputs_begin(&reading, check->common, paths, count, &how) : pr_judge_no_memory();
    check->reading = &reading;
    if (status == PR_EXIT_DONE)
        status = load_all(check, &how);
    pr_inputs_end(&reading);
    pr_arena_clear(&copies);
    free(paths);
    return status;
}

int pr_check_inputs_load(struct pr_check_inputs *inputs, const struct pr_common *common, const struct pr_words *named,
                         const struct pr_rules *rules, struct pr_verdict *verdict)
{
    struct check check = {common, named, rules, inputs, verdict, NULL, inputs->loaded != NULL};
    struct pr_error err = {0};
    const int status = find_baselines(&check);
    if (status != PR_EXIT_DONE)
        return status;
    if (pr_diff_new(&inputs->diff, &err) == PR_FAILED) {
        pr_say("%s: %s", verdict->input, err.text);
        return PR_EXIT_INPUT;
    }
    verdict->diff = inputs->diff;
    return read_all(&check);
}

bool pr_check_inputs_name(struct pr_check_inputs *inputs, const struct pr_words *named)
{
    const struct check check = {.named = named, .inputs = inputs};
    for (size_t i = 0; inputs->address && i < inputs->baselines.count; i++) {
        char room[PATH_MAX];
        char *copy = strdup(shown_path(&check, inputs->baselines.path[i], room));
        if (!copy)
            return false;
        free(inputs->baselines.path[i]);
        inputs->baselines.path[i] = copy;
    }
    return true;
}

void pr_check_inputs_clear(struct pr_check_inputs *inputs)
{
    pr_profile_free(inputs->loaded);
    pr_diff_free(inputs->diff);
    free(inputs->runs);
    pr_baselines_clear(&inputs->baselines);
}
