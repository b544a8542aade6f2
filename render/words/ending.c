/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the system become words; what is not proved is not claimed. */
#include "render/words/ending.h"

#include "render/words/units.h"

#include <inttypes.h>
#include <string.h>

static void add_signal(int64_t signal, struct pr_buf *out)
{
    const char *name = pr_signal_name(signal);
    if (*name)
        pr_buf_text(out, name);
    else
        pr_buf_printf(out, "signal %" PRId64, signal);
}

/* What it is usually sent for, if there is one main reason. */
static const char *meaning(int64_t signal)
{
    switch (signal) {
    case 2: return " (an interrupt)";
    case 6: return " (its own abort)";
    case 7:
    case 11: return " (a memory fault)";
    case 13: return " (a closed pipe)";
    case 15: return " (a request to end, such as by a time limit or a scheduler)";
    case 24: return " (its CPU time limit)";
    default: return "";
    }
}

void pr_ending_words(const struct pr_failure *failure, struct pr_buf *out)
{
    if (failure->signal.known && failure->signal.value) {
        pr_buf_text(out, "ended by ");
        add_signal(failure->signal.value, out);
        pr_buf_text(out, meaning(failure->signal.value));
    } else if (failure->exit.known) {
        const int64_t signal = pr_signal_of_exit(failure->exit.value);
        pr_buf_printf(out, "exit status %" PRId64, failure->exit.value);
        if (signal) {
            pr_buf_text(out, ", which a shell reports when ");
            add_signal(signal, out);
            pr_buf_text(out, " ended its command");
        }
    }
    if (failure->core)
        pr_buf_text(out, "; a core was written");
}

/* ": at most 7.98 GiB of the 8.00 GiB allowed were in use, 99.8 %" */
static void add_use(const struct pr_failure *failure, struct pr_buf *out)
{
    if (failure->peak_bytes.known && failure->limit_bytes.known)
        pr_buf_printf(out, ": at most %s of the %s allowed were in use, %s",
                      pr_units_bytes(failure->peak_bytes.value).text, pr_units_bytes(failure->limit_bytes.value).text,
                      pr_units_percent(failure->peak_bytes.value, failure->limit_bytes.value).text);
    else if (failure->peak_bytes.known)
        pr_buf_printf(out, ": at most %s were in use, without a known limit",
                      pr_units_bytes(failure->peak_bytes.value).text);
}

/* Whether memory ran out, and what shows it; without a full stop. Nothing where that is not in question. */
static void add_memory(const struct pr_failure *failure, struct pr_buf *out)
{
    const bool killed = (failure->signal.known && failure->signal.value == 9) ||
                        (failure->exit.known && pr_signal_of_exit(failure->exit.value) == 9);
    if (failure->oom == PR_OOM_YES) {
        pr_buf_text(out, "Killed by the out-of-memory killer");
        add_use(failure, out);
        pr_buf_printf(out, "; meanwhile, the kernel counted %s",
                      pr_units_counted(failure->oom_kills.value, "out-of-memory kills").text);
    } else if (failure->oom == PR_OOM_LIKELY && !killed) {
        pr_buf_text(out, "Meanwhile, the out-of-memory killer ended a process of this run or of another that shares "
                         "its limit");
        add_use(failure, out);
    } else if (failure->oom == PR_OOM_LIKELY) {
        pr_buf_text(out, "Likely killed by the out-of-memory killer");
        add_use(failure, out);
        pr_buf_text(out, failure->host_oom_kills.known && failure->host_oom_kills.value > 0
                             ? "; meanwhile, the kernel counted out-of-memory kills somewhere on this machine"
                             : "; no kernel counter proves it");
    } else if (killed) {
        pr_buf_text(out, failure->oom_kills.known
                             ? "It is not known who sent SIGKILL; the kernel counted no out-of-memory kill"
                             : "Nothing recorded who sent SIGKILL; the out-of-memory killer is a common cause");
        add_use(failure, out);
    }
}

void pr_ending_memory(const struct pr_failure *failure, struct pr_buf *out)
{
    const size_t before = out->length;
    add_memory(failure, out);
    if (out->length > before)
        pr_buf_byte(out, '.');
    if (failure->address_limit_bytes.known && pr_failure_is_one(failure))
        pr_buf_printf(out, "%sEach process could map at most %s (ulimit -v).", out->length > before ? " " : "",
                      pr_units_bytes(failure->address_limit_bytes.value).text);
}

const struct pr_exception *pr_ending_exception(const struct pr_failure *failure)
{
    return failure->final_exception < failure->exception_count ? &failure->exceptions[failure->final_exception] : NULL;
}

/* MemoryError, and what is one by name: numpy's _ArrayMemoryError. */
static bool is_of_memory(struct pr_text type)
{
    static const char name[] = "MemoryError";
    const size_t length = sizeof name - 1;
    return type.length >= length && !memcmp(type.bytes + type.length - length, name, length);
}

bool pr_ending_is_of_memory(const struct pr_profile *profile)
{
    const struct pr_failure *failure = &profile->run.failure;
    const struct pr_exception *exception = pr_ending_exception(failure);
    if (failure->oom == PR_OOM_YES || failure->oom == PR_OOM_LIKELY)
        return true;
    return exception && is_of_memory(pr_profile_text(profile, exception->type));
}

const char *pr_ending_in_use(const struct pr_metric *metric, bool failed, bool complete)
{
    if ((complete && !failed) || strcmp(metric->name, "leaked") != 0)
        return NULL;
    return failed ? "In use when it failed" : "In use when the capture ended";
}

static const char *in_use(const struct pr_profile *profile, const struct pr_metric *metric)
{
    return pr_ending_in_use(metric, pr_failure_is_one(&profile->run.failure), profile->complete);
}

bool pr_ending_is_in_use(const struct pr_profile *profile, const struct pr_metric *metric)
{
    return in_use(profile, metric) != NULL;
}

const char *pr_ending_metric(const struct pr_profile *profile, const struct pr_metric *metric)
{
    const char *words = in_use(profile, metric);
    return words ? words : metric->title;
}
