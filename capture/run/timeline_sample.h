/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sample of resources as a JSON object: {"ts": 0.5, "cpu_pct": 28.4, "rss_mb": 48.06, ...}. Metaflow's profile card
 * and our recorder write it, the latter with more members; unknown ones are skipped.
 *
 * Source: shared names of the Metaflow profile card 0.1.0 (its sampling thread), in doc/formats/timeline.md.
 */
#ifndef PR_CAPTURE_RUN_TIMELINE_SAMPLE_H
#define PR_CAPTURE_RUN_TIMELINE_SAMPLE_H

#include "capture/parse/json_peek.h"
#include "capture/parse/json_stream.h"
#include "capture/builder/series_builder.h"

enum { PR_SAMPLE_FIELDS = 26, PR_SAMPLE_MAX_VALUES = 256 };

struct pr_timeline_sample {
    bool timed;     /* it has a "ts" */
    int64_t ts_ms;
    uint32_t known[PR_SAMPLE_FIELDS]; /* their series + 1; 0 = not looked up yet */
    uint32_t next;                    /* the field to look at first: writers keep their order */
    struct pr_maybe gpu_memory_bytes; /* of the last GPU whose size was given */
    bool gpus_differ;                 /* in size, or that of one was not given */
    uint32_t count;                   /* of values */
    struct {
        uint32_t series;
        int64_t value;
    } value[PR_SAMPLE_MAX_VALUES];
};

/*
 * After a key of an object: takes the value and returns true if the key is one of a sample. Values are kept until
 * pr_timeline_sample_add, because "ts" may come last.
 */
bool pr_timeline_sample_member(struct pr_timeline_sample *sample, struct pr_timeline *t, struct pr_json_stream *json);

/* Adds the values at BASE_MS + ts, and makes SAMPLE ready for the next one. */
void pr_timeline_sample_add(struct pr_timeline_sample *sample, struct pr_timeline *t, int64_t base_ms);

/* After the last sample: drops what shows the same device twice. */
void pr_timeline_sample_finish(struct pr_timeline *t);

/* Bits of evidence that an object at PREFIX ("", or "data.timeline.") is a sample. */
unsigned pr_timeline_sample_evidence(const struct pr_json_peek *peek, const char *prefix);

#endif
