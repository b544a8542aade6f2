/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary of OpenTelemetry's profiles: tables whose rows refer to one another by their place, row 0 being none.
 * Those that pprof has too (strings, mappings, locations, functions) are kept as pprof's, so that a location means the
 * same in both; stacks and attributes are kept here.
 *
 * Source: doc/formats/otlp.md.
 */
#ifndef PR_CAPTURE_READERS_OTLP_TABLES_H
#define PR_CAPTURE_READERS_OTLP_TABLES_H

#include "capture/readers/pprof_frames.h"

/* Fields of message ProfilesDictionary. */
enum {
    PR_OTLP_MAPPING = 1,
    PR_OTLP_LOCATION = 2,
    PR_OTLP_FUNCTION = 3,
    PR_OTLP_LINK = 4,
    PR_OTLP_STRING = 5,
    PR_OTLP_ATTRIBUTE = 6,
    PR_OTLP_STACK = 7
};

/* What an attribute is about, by its key. */
enum pr_otlp_role {
    PR_OTLP_LABEL,
    PR_OTLP_THREAD_ID,
    PR_OTLP_THREAD_NAME,
    PR_OTLP_PROCESS_ID,
    PR_OTLP_PROCESS_NAME,
    PR_OTLP_SERVICE_NAME,
    PR_OTLP_BUILD_ID
};

struct pr_otlp_attribute {
    uint64_t key_index, unit_index, text_index; /* of strings; 0 = given otherwise */
    struct pr_pprof_label label; /* complete after pr_otlp_resolve */
    enum pr_otlp_role role;
    uint64_t number; /* of a process or thread; one that is no number is that of its text */
};

struct pr_otlp_list {
    size_t first;
    uint32_t count;
};

struct pr_otlp_tables {
    struct pr_pprof p;
    struct pr_otlp_attribute *attributes;
    size_t attribute_count, attribute_capacity;
    struct pr_otlp_list *stacks;            /* of location indexes, leaf first */
    size_t stack_count, stack_capacity;
    struct pr_otlp_list *mapping_attributes; /* by mapping */
    size_t mapping_attributes_capacity;
    uint64_t *items; /* of the lists */
    size_t item_count, item_capacity;
};

/* Called with each number of a list; VALUE is what field->value would be. */
typedef void pr_otlp_take(void *context, uint64_t value);

/* The numbers of a repeated field, packed or one by one: varints, or with IS_FIXED of 8 bytes. False: damaged. */
bool pr_otlp_numbers(const struct pr_protobuf_field *field, bool is_fixed, pr_otlp_take *take, void *context);

/* The number of a field of 8 bytes. */
uint64_t pr_otlp_fixed64(const struct pr_protobuf_field *field);

/* A row of table FIELD of the dictionary; links are skipped. False: it is damaged, and kept as far as it goes. */
bool pr_otlp_read_row(struct pr_otlp_tables *t, uint32_t field, struct pr_protobuf_span message);

/* A KeyValue or KeyValueAndUnit: a key's text (IS_TEXT) or its index. False: it is damaged. */
bool pr_otlp_read_attribute(struct pr_otlp_tables *t, struct pr_protobuf_span message, bool is_text,
                            struct pr_otlp_attribute *attribute);

/* To be called once all rows are there: attributes get their texts, mappings their build ids. */
void pr_otlp_resolve(struct pr_otlp_tables *t);
void pr_otlp_resolve_attribute(struct pr_otlp_tables *t, struct pr_otlp_attribute *attribute);

void pr_otlp_tables_clear(struct pr_otlp_tables *t);

#endif
