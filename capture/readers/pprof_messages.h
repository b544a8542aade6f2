/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages of a pprof file, kept as they are: fields come in any order and refer to one another by ids, so none
 * has a meaning before all are there. pprof_reader.c then makes a profile of them.
 *
 * Source: google/pprof proto/profile.proto.
 */
#ifndef PR_CAPTURE_READERS_PPROF_MESSAGES_H
#define PR_CAPTURE_READERS_PPROF_MESSAGES_H

#include "capture/builder/profile_builder.h"
#include "capture/parse/protobuf.h"
#include "capture/readers/address_names.h"
#include "capture/readers/pprof_labels.h"

#include "profrender/buf.h"

enum { PR_PPROF_MAX_TYPES = 32 };

/* Fields of message Profile. */
enum {
    PR_PPROF_SAMPLE_TYPE = 1,
    PR_PPROF_SAMPLE = 2,
    PR_PPROF_MAPPING = 3,
    PR_PPROF_LOCATION = 4,
    PR_PPROF_FUNCTION = 5,
    PR_PPROF_STRING_TABLE = 6,
    PR_PPROF_TIME_NANOS = 9,
    PR_PPROF_DURATION_NANOS = 10,
    PR_PPROF_COMMENT = 13,
    PR_PPROF_DEFAULT_SAMPLE_TYPE = 14,
    PR_PPROF_LAST_FIELD = 15 /* doc_url */
};

#define PR_PPROF_NONE UINT32_MAX

struct pr_pprof_type {
    uint64_t type, unit; /* indexes of strings */
    unsigned metric, count_of; /* METRIC has the values; they are the count of COUNT_OF; PR_PPROF_NONE */
    int64_t factor; /* to the unit of the metric */
};

struct pr_pprof_mapping {
    uint64_t start, limit, offset, file, build_id; /* the last two are indexes of strings */
};

struct pr_pprof_line {
    uint64_t function; /* id */
    int64_t line;
};

struct pr_pprof_location {
    uint64_t mapping, address;
    size_t first_line;
    uint32_t line_count;
    bool resolved;
};

struct pr_pprof_function {
    uint64_t name, system_name, file;
    int64_t start_line;
};

struct pr_pprof {
    struct pr_profile_builder c;
    pr_str *strings;
    size_t string_count, string_capacity;
    bool lacks_strings; /* one past the last one was referenced */
    struct pr_pprof_type types[PR_PPROF_MAX_TYPES];
    uint32_t type_count;
    struct pr_idset mapping_ids, location_ids, function_ids; /* the index of each is its number */
    struct pr_pprof_mapping *mappings;
    struct pr_pprof_location *locations;
    struct pr_pprof_function *functions;
    size_t mapping_capacity, location_capacity, function_capacity;
    struct pr_pprof_line *lines;
    pr_frame_id *frame_of_line; /* [line_count], of locations that are resolved */
    size_t line_count, line_capacity, frame_capacity;
    struct pr_idset walk_ids; /* (node, location of many lines) that was walked */
    pr_node_id *walks;        /* [walk_ids.count] the innermost node of each */
    size_t walk_capacity;
    struct pr_buf samples; /* each after its length of 4 bytes */
    pr_str program; /* the name of its file; 0: not known */
    pr_frame_id unknown; /* if has_unknown: the frame of locations of which nothing is known */
    bool has_unknown;
    uint64_t default_type;
    int64_t time_ns, duration_ns;
    uint64_t sample_count;
    struct pr_pprof_labels labels;
    struct pr_address_names names; /* by the number of the mapping */
    uint64_t *stack; /* location ids of one sample */
    size_t stack_capacity;
};

/* The string of a number in the file, "" where it has none; that this happened is noted. */
pr_str pr_pprof_string(struct pr_pprof *r, uint64_t index);
struct pr_text pr_pprof_text(struct pr_pprof *r, uint64_t index);

/*
 * For formats with the same tables, each under an ID; a second one replaces the first. Failures are those of the
 * collection.
 */
void pr_pprof_add_string(struct pr_pprof *r, struct pr_protobuf_span bytes);
void pr_pprof_add_mapping(struct pr_pprof *r, uint64_t id, const struct pr_pprof_mapping *mapping);
void pr_pprof_add_location(struct pr_pprof *r, uint64_t id, const struct pr_pprof_location *location);
void pr_pprof_add_function(struct pr_pprof *r, uint64_t id, const struct pr_pprof_function *function);

/* A line of the location that is added next; field 1 is its function, field 2 the line. False: it is damaged. */
bool pr_pprof_add_line(struct pr_pprof *r, struct pr_protobuf_span message);

/* Field n of MESSAGE, from 1 to COUNT, becomes NUMBERS[n - 1]; others are skipped. False: it is damaged. */
bool pr_pprof_read_numbers(struct pr_protobuf_span message, uint64_t *numbers, uint32_t count);

/* Fills R from its source. PR_CUT: with what comes before the damage. */
enum pr_status pr_pprof_read_messages(struct pr_pprof *r);

void pr_pprof_clear(struct pr_pprof *r);

#endif
