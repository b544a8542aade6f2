/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several things in one card: tables, charts, texts and images, which a small document in JSON lists.
 *
 *     struct pr_data_sections *sections = NULL;
 *     if (pr_data_sections_read("card.json", NULL, &sections, &err) == PR_FAILED) ...
 *
 * The document is described by schemas/frame-sections.schema.json. What it names is beneath its folder: a file outside,
 * a link, or what is not a regular file is not opened.
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_DATA_SECTIONS_H
#define PR_API_DATA_SECTIONS_H

#include "profrender/data_frame.h"

PR_DECLS_BEGIN

enum pr_section_kind {
    PR_SECTION_PROFILE,
    PR_SECTION_TABLE,
    PR_SECTION_BOX,
    PR_SECTION_GANTT, /* up to here: a table of data */
    PR_SECTION_MARKDOWN,
    PR_SECTION_SOURCE,
    PR_SECTION_IMAGE,
    PR_SECTION_KINDS
};

enum {
    PR_MOST_SECTIONS = 200,
    PR_MOST_SECTION_TEXT = 2 << 20,  /* bytes of a text */
    PR_MOST_SECTION_IMAGE = 8 << 20, /* of an image */
    PR_MOST_SECTION_BYTES = 32 << 20 /* of all texts and images */
};

struct pr_data_section {
    enum pr_section_kind kind;
    struct pr_text title;        /* never empty */
    bool is_named_after_kind;    /* TITLE is "Notes 2": the document has none, and names no file */
    struct pr_text file;         /* as the document has it; empty: the text is in the document */
    struct pr_data_frame *frame; /* of a table */
    struct pr_text bytes;        /* Markdown, source code, or the image */
    uint64_t first_line;         /* of source code: the number of its first line */
    const char *media;           /* of an image: "image/png" */
    struct pr_text alt;          /* of an image, for who cannot see it */
};

struct pr_data_sections {
    struct pr_arena arena;
    struct pr_text title; /* empty: none */
    struct pr_data_section *sections;
    size_t count;
};

/*
 * Reads the document PATH ("-": standard input, beneath the current folder) and all that it names. OPTIONS, which may
 * be NULL, are those for tables; what the document says of one counts for more.
 *
 * Owner:  pr_data_sections_free.
 * Errors: PR_FAILED: the document is not one, or something that it names cannot be read; the text says which section.
 */
PR_API enum pr_status pr_data_sections_read(const char *path, const struct pr_data_options *options,
                                            struct pr_data_sections **sections, struct pr_error *err);

PR_API void pr_data_sections_free(struct pr_data_sections *sections);

/* "table". */
PR_API const char *pr_section_kind_name(enum pr_section_kind kind);

PR_DECLS_END

#endif
