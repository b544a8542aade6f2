/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the columns of a table are, said by its owner: overrides the types that a file has or that its values show.
 *
 *     struct pr_data_schema *schema = NULL;
 *     if (pr_data_schema_read("{\"zip\": \"identifier\", \"day\": \"date\"}", &schema, &err) == PR_FAILED) ...
 *     options.schema = schema;                  // of pr_data_frame_read (data_frame.h)
 *     pr_data_schema_free(schema);              // when the table was read
 *
 * The document is a JSON object: names of columns, each with a type or with an object that has a `type` and more. See
 * schemas/frame-schema.schema.json.
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_DATA_SCHEMA_H
#define PR_API_DATA_SCHEMA_H

#include "profrender/arena.h"
#include "profrender/data_frame.h"

PR_DECLS_BEGIN

/* Of one column. A value that is not of the type is counted, and missing. */
struct pr_data_asked {
    struct pr_text name;
    enum pr_data_type type;
    bool is_ignored;           /* as if the table did not have the column */
    bool is_string;            /* a text that may be a category, as its values show */
    bool has_order, day_first; /* of dates such as 03/04/2026 */
    double us;                 /* microseconds of 1 where a date, moment or duration is a number; 0: it is none */
    bool is_found;             /* a table that was read with the schema has the column */
};

struct pr_data_schema {
    struct pr_arena arena;
    struct pr_data_asked *columns; /* [count] by name */
    size_t count;
    bool is_for_several; /* a table may lack columns: the caller looks for what is in none of them */
};

/*
 * Reads the document at PATH, or TEXT itself if it begins with '{'.
 *
 * Owner:  pr_data_schema_free.
 * Errors: PR_FAILED: cannot be read, is not such a document, or out of memory.
 */
PR_API enum pr_status pr_data_schema_read(const char *path_or_text, struct pr_data_schema **schema,
                                          struct pr_error *err);

/* The first column that no table had; NULL: all were found. */
PR_API const struct pr_data_asked *pr_data_schema_lacking(const struct pr_data_schema *schema);

PR_API void pr_data_schema_free(struct pr_data_schema *schema);

PR_DECLS_END

#endif
