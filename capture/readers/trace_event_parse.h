/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The document of a trace-event file: its events one after another, each with what is of interest in it.
 *
 *     struct pr_trace_document document = {.c = &collect, .take = take_event, .context = &mine};
 *     status = pr_trace_document_begin(&document);
 *     if (status == PR_OK)
 *         status = pr_trace_document_read(&document);        // calls take_event(&mine, event) for each
 *     pr_trace_document_end(&document);
 *
 * Source: as of trace_event_reader.c.
 */
#ifndef PR_CAPTURE_READERS_TRACE_EVENT_PARSE_H
#define PR_CAPTURE_READERS_TRACE_EVENT_PARSE_H

#include "capture/builder/profile_builder.h"
#include "capture/parse/json_stream.h"
#include "capture/readers/trace_v8.h"

/* What the category of an event says about it. */
enum pr_trace_category {
    PR_TRACE_PLAIN,
    PR_TRACE_FUNCTION, /* of Python, in PyTorch */
    PR_TRACE_OPERATOR, /* written as it begins */
    PR_TRACE_SPAN,     /* of the recording */
    PR_TRACE_LAUNCH,   /* a call that gives a device work; written as it begins */
    PR_TRACE_KERNEL,   /* of a device */
    PR_TRACE_COPY,     /* of a device; also memset */
    PR_TRACE_ASIDE,    /* an annotation as a device ran it: no call */
    PR_TRACE_COST,     /* what the recorder itself cost: no call */
    PR_TRACE_SAMPLE    /* of py-spy */
};

/* An event, as far as it is of interest. */
struct pr_trace_event {
    char phase;
    bool has_name;
    enum pr_trace_category category;
    bool is_annotation;           /* in cat user_annotation */
    pr_str name;                  /* in the document's texts */
    pr_str category_text;         /* the category itself, in the document's texts */
    pr_str category_name;         /* the same as a string of the profile; set by the reader where it needs it */
    struct pr_maybe ts, duration; /* as they were read */
    bool has_duration;
    int64_t ts_ns, duration_ns;
    uint64_t pid, tid;
    pr_str pid_name, tid_name;
    pr_str file, given_name, labels; /* args.filename, args.name, args.labels */
    int64_t line;                    /* args.line */
    int64_t correlation, device;     /* args.correlation, args.device of a device's work; -1 = none */
    int64_t xla_correlation;         /* args.correlation_id; -1 = none */
    bool has_id, is_local;           /* `id`, or `id2`, which may be of its process alone */
    uint64_t id_hash;
    pr_str scope, step;              /* `scope`, args.step */
    int64_t number, caller;          /* of a function, args."Python id" and "Python parent id"; -1 = none */
};

struct pr_trace_document {
    struct pr_profile_builder
        *c; /* has source, limits and error; gets strings, and counts of damaged events; borrowed */
    void (*take)(void *context, struct pr_trace_event *event); /* EVENT is borrowed until it returns */
    void *context;
    struct pr_json_stream json;
    struct pr_strings texts; /* names of events as they are written */
    struct pr_trace_v8 v8;   /* args.data; `take` says of which event it was */
    struct {
        pr_str text;
        enum pr_trace_category category;
        bool is_annotation;
    } last; /* what was found out of the last category that is not empty */
    bool is_array;
    int64_t base_ns; /* `baseTimeNanoseconds`: what times count from; 0: it is not there */
    bool overflow; /* viztracer's: the oldest events are missing */
};

/* PR_FAILED: out of memory. */
enum pr_status pr_trace_document_begin(struct pr_trace_document *document);

/* Reads all of it. PR_CUT: up to the damage; PR_FAILED: it is not a trace, or memory ran out. */
enum pr_status pr_trace_document_read(struct pr_trace_document *document);

void pr_trace_document_end(struct pr_trace_document *document); /* also after a failed begin */

#endif
