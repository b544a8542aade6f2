/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a chunk says about its own types, and values of them.
 *
 * The event of types has a table of strings, then a tree of elements: a name, attributes as pairs of strings, elements
 * below. root > metadata > class (id, name, superType) > field (name, class = number of its type, dimension,
 * constantPool) > annotation (class, value). Events are classes with the super type jdk.jfr.Event. A class without
 * fields must be one of Java's primitive types, or its String. A field of a constant pool is a key of it; an array has
 * its length first; any other field is the fields of its type, one after the other.
 *
 * Invariants: every value takes at least a byte, or cannot be skipped at all, and types are nested up to a depth only:
 * so the time for a value is in proportion to its bytes, whatever the types are.
 *
 * Source: OpenJDK 17 to 25, jdk/jfr/internal/MetadataReader.java, MetadataDescriptor.java;
 * jdk/jfr/internal/consumer/ParserFactory.java; jdk/jfr/Timespan.java, Timestamp.java.
 */
#ifndef PR_CAPTURE_JFR_JFR_TYPES_H
#define PR_CAPTURE_JFR_JFR_TYPES_H

#include "capture/jfr/jfr_bytes.h"

#include "capture/base/idset.h"
#include "profrender/string_table.h"

enum pr_jfr_kind {
    PR_JFR_FIELDS, /* a class with fields */
    PR_JFR_BOOLEAN,
    PR_JFR_BYTE,
    PR_JFR_SHORT,
    PR_JFR_CHAR,
    PR_JFR_INT,
    PR_JFR_LONG,
    PR_JFR_FLOAT,
    PR_JFR_DOUBLE,
    PR_JFR_STRING,
    PR_JFR_UNKNOWN /* no value of it can be read, nor what follows it */
};

/* What a number of time counts: @Timespan and @Timestamp. */
enum pr_jfr_unit {
    PR_JFR_PLAIN,
    PR_JFR_TICKS,
    PR_JFR_NANOSECONDS,
    PR_JFR_MICROSECONDS,
    PR_JFR_MILLISECONDS,
    PR_JFR_SECONDS
};

struct pr_jfr_field {
    struct pr_text name;
    uint64_t type_id;
    uint32_t type; /* index; PR_NO_ID: not described */
    bool is_array, is_constant;
    uint64_t annotation_id; /* of the type of the last annotation that may be a unit */
    enum pr_jfr_unit unit;
};

struct pr_jfr_type {
    uint64_t id;
    struct pr_text name;
    enum pr_jfr_kind kind;
    uint32_t first_field, field_count;
};

struct pr_jfr_types {
    struct pr_idset ids; /* of types; their index */
    struct pr_jfr_type *types; /* [ids.count] */
    size_t type_capacity;
    struct pr_jfr_field *fields;
    uint32_t field_count;
    size_t field_capacity;
    struct pr_strings names;
    bool no_memory;
};

/* A value as it was read; what is below is read only when someone asks. */
struct pr_jfr_value {
    int64_t number;         /* whole numbers, booleans; the key of a constant */
    double real;            /* floats and doubles */
    struct pr_jfr_bytes at; /* where it begins */
};

/*
 * Reads the event of types at BYTES into TYPES, which must be empty. False: it makes no sense, or no_memory; TYPES must
 * be cleared then too.
 */
bool pr_jfr_types_read(struct pr_jfr_types *types, struct pr_jfr_bytes bytes);

void pr_jfr_types_clear(struct pr_jfr_types *types);

/* Index of the type with that number, or that name; PR_NO_ID. */
uint32_t pr_jfr_type_by_id(const struct pr_jfr_types *types, uint64_t id);
uint32_t pr_jfr_type_by_name(const struct pr_jfr_types *types, const char *name);

/* Number of the field NAME within the type, PR_NO_ID: it has none, or none of the first PR_JFR_MAX_VALUES. */
uint32_t pr_jfr_field_of(const struct pr_jfr_types *types, uint32_t type, const char *name);

enum { PR_JFR_MAX_VALUES = 64 };

/*
 * Reads the fields of a value of TYPE at BYTES, which moves on to what follows. VALUES has room for PR_JFR_MAX_VALUES;
 * further ones are skipped. bytes->failed: they cannot be read.
 */
void pr_jfr_values(const struct pr_jfr_types *types, uint32_t type, struct pr_jfr_bytes *bytes,
                   struct pr_jfr_value *values);

/* Moves on to what follows the value of TYPE. */
void pr_jfr_skip_value(const struct pr_jfr_types *types, uint32_t type, struct pr_jfr_bytes *bytes);

#endif
