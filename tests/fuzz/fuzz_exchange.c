/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a profile, each of its metrics written for other tools: our readers take what was written, and the total
 * is the same.
 */
#include "profrender/load.h"
#include "cli/export/export_formats.h"
#include "tests/support/invariants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

typedef enum pr_status write_format(struct pr_output *out, const struct pr_exchange *what, struct pr_error *err);

static const struct {
    const char *name;
    write_format *write;
} formats[] = {
    {"collapsed", pr_exchange_collapsed}, {"speedscope", pr_exchange_speedscope}, {"pprof", pr_exchange_pprof}};

static struct pr_load_options limits(const char *format)
{
    struct pr_load_options options = pr_load_options_default();
    options.limits.max_nodes = 1u << 20;
    options.limits.max_string_bytes = 1u << 16;
    options.format = format;
    options.native = PR_NATIVE_OFFSETS; /* no file of this machine that the bytes name is opened */
    return options;
}

/* What was written for metric NUMBER has the total of its records; others that did not fit are not looked at. */
static void check_file(int file, const char *format, const struct pr_records *records)
{
    const struct pr_load_options options = limits(format);
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    const off_t size = lseek(file, 0, SEEK_END);
    void *bytes = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    if (bytes == MAP_FAILED)
        return;
    if (pr_load_memory("fuzz", bytes, (size_t)size, &options, &profile, &err) == PR_FAILED || !profile->complete) {
        fprintf(stderr, "%s: %s\n", format, profile ? profile->problem.text : err.text);
        abort();
    }
    check_invariants(profile);
    if (profile->metrics[0].total_value != records->total_value) {
        fprintf(stderr, "%s: %lld, not %lld\n", format, (long long)profile->metrics[0].total_value,
                (long long)records->total_value);
        abort();
    }
    munmap(bytes, (size_t)size);
    pr_profile_free(profile);
}

/* Sums past 63 bits stop at the maximum, in an order other than the file's; that is fine here. */
static bool is_small(const struct pr_records *records)
{
    const int64_t most = INT64_MAX / 4;
    int64_t sum = 0;
    for (size_t i = 0; i < records->count; i++) {
        const int64_t value = records->record[i].value;
        if (value < 0 || value > most - sum)
            return false;
        sum += value;
    }
    return records->count > 0 && sum > 0;
}

static void write_all(const struct pr_profile *profile, unsigned metric, bool split)
{
    struct pr_records records;
    struct pr_error err = {0};
    if (pr_records_make(profile, metric, split, &records, &err) == PR_FAILED)
        return;
    struct pr_exchange what = {
        .profile = profile, .metric = &profile->metrics[metric], .records = &records, .split_threads = split,
        .whole = true};
    for (size_t i = 0; is_small(&records) && i < sizeof formats / sizeof *formats; i++) {
        static struct pr_output out;
        enum pr_exchange_times times;
        if (pr_exchange_order(&what, true, &times, &err) == PR_FAILED)
            abort();
        const int file = memfd_create("exchange", 0);
        pr_output_attach(&out, "fuzz", file);
        if (formats[i].write(&out, &what, &err) == PR_FAILED || pr_output_flush(&out))
            abort();
        check_file(file, formats[i].name, &records);
        close(file);
    }
    pr_records_clear(&records);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const struct pr_load_options options = limits(NULL);
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    if (pr_load_memory("fuzz", bytes, length, &options, &profile, &err) != PR_FAILED) {
        for (uint32_t i = 0; i < profile->metric_count && i < 4; i++) {
            write_all(profile, i, false);
            write_all(profile, i, true);
        }
    }
    pr_profile_free(profile);
    return 0;
}
