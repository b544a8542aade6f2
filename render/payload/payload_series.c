/* SPDX-License-Identifier: Apache-2.0 */
/* The series of the payload: unchanged, or if long, in buckets of lowest, mean and highest. */
#include "render/payload/payload_internal.h"

#include <stdio.h>
#include <string.h>

enum { MAX_POINTS = 4000 }; /* of a series */

struct bucket {
    int64_t at_ms, min, mean, max;
};

/* The points FIRST .. LAST - 1 as one. */
static struct bucket bucket_of(const struct pr_series *series, size_t first, size_t last)
{
    struct bucket bucket = {series->at_ms[first], series->value[first], 0, series->value[first]};
    double sum = 0;
    for (size_t i = first; i < last; i++) {
        int64_t value = series->value[i];
        bucket.min = value < bucket.min ? value : bucket.min;
        bucket.max = value > bucket.max ? value : bucket.max;
        sum += (double)value / (double)(last - first);
    }
    bucket.mean = sum <= (double)bucket.min ? bucket.min : sum >= (double)bucket.max ? bucket.max : (int64_t)sum;
    return bucket;
}

static void add_series_column(struct pr_columns *columns, const struct pr_series *series, unsigned number,
                              const char *what, size_t offset)
{
    size_t step = series->count / MAX_POINTS + (series->count % MAX_POINTS != 0);
    char name[40];
    snprintf(name, sizeof name, "series.%u.%s", number, what);
    pr_columns_begin(columns);
    for (size_t first = 0; first < series->count; first += step) {
        size_t last = series->count - first < step ? series->count : first + step;
        struct bucket bucket = bucket_of(series, first, last);
        int64_t value;
        memcpy(&value, (const char *)&bucket + offset, sizeof value);
        pr_columns_dv(columns, value);
    }
    pr_columns_end(columns, name, "dv");
}

void pr_payload_add_series(struct pr_encoder *encoder)
{
    for (unsigned i = 0; i < encoder->profile->series_count; i++) {
        const struct pr_series *series = &encoder->profile->series[i];
        add_series_column(&encoder->columns, series, i, "at", offsetof(struct bucket, at_ms));
        add_series_column(&encoder->columns, series, i, "min", offsetof(struct bucket, min));
        add_series_column(&encoder->columns, series, i, "mean", offsetof(struct bucket, mean));
        add_series_column(&encoder->columns, series, i, "max", offsetof(struct bucket, max));
    }
}
