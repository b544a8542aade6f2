/* SPDX-License-Identifier: Apache-2.0 */
/* A path or memory becomes a table: unpacked, put into UTF-8, and given to the reader that its content asks for. */
#include "capture/arrow/arrow_stream.h"
#include "capture/base/processors.h"
#include "capture/frame/pair_lanes.h"
#include "capture/frame/table_reader.h"
#include "capture/frame/utf16_source.h"
#include "capture/frame/view_build.h"
#include "profrender/data_frame.h"

#include <stdlib.h>
#include <string.h>

enum { PROBED_BYTES = 4096 };

struct pr_data_options pr_data_options_default(void)
{
    return (struct pr_data_options){.exact_values = 3000000, .limits = pr_load_options_default().limits};
}

/* ---- what it is ------------------------------------------------------------------------------------------------- */

/* Formats of tables, or of many tables, that other programs read. */
static enum pr_status refuse_known(const struct pr_source *src, struct pr_error *err)
{
    static const struct {
        const char *magic;
        size_t length;
        const char *name, *remedy;
    } known[] = {{"PAR1", 4, "a Parquet file", "profrender.frame() of the Python module reads it; pyarrow, "
                  "polars or DuckDB convert it to Arrow"},
                 {"FEA1", 4, "a Feather file of version 1", "pyarrow.feather writes version 2"},
                 {"PK\x03\x04", 4, "a ZIP archive, as spreadsheets are", "save it as CSV"},
                 {"SQLite format 3", 15, "an SQLite database", "sqlite3 -csv exports a table of it"},
                 {"\x89HDF", 4, "an HDF5 file", "pandas exports a table of it as CSV"}};
    const size_t have = (size_t)(src->end - src->at);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (have < known[i].length || memcmp(src->at, known[i].magic, known[i].length) != 0)
            continue;
        if (err) {
            err->looks_like = known[i].name;
            err->remedy = known[i].remedy;
        }
        return pr_fail(err, PR_ERR_UNSUPPORTED, PR_NO_OFFSET, NULL, "is %s, which profrender does not read; %s",
                       known[i].name, known[i].remedy);
    }
    return PR_OK;
}

/* Text has few control characters; NUL bytes among it are damage, mostly NUL bytes are another format. */
static bool is_binary(const struct pr_source *src)
{
    const size_t have = (size_t)(src->end - src->at), count = have < PROBED_BYTES ? have : PROBED_BYTES;
    size_t controls = 0;
    for (size_t i = 0; i < count; i++)
        controls += src->at[i] < 32 && (src->at[i] < 9 || src->at[i] > 13);
    return controls * 10 > count;
}

/* The first byte that is not blank. */
static int first_byte(const struct pr_source *src)
{
    const uint8_t *at = src->at;
    while (at < src->end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at < src->end ? *at : -1;
}

static const char *format_of(struct pr_table_reading *reading, struct pr_error *err)
{
    const char *format = reading->options->format;
    const int first = first_byte(reading->src);
    if (first < 0) {
        pr_fail(err, PR_ERR_EMPTY, PR_NO_OFFSET, NULL, "is empty");
        return NULL;
    }
    if (format)
        return format;
    if (first == '[') {
        pr_fail(err, PR_ERR_UNSUPPORTED, PR_NO_OFFSET, NULL,
                "is a JSON array; a table has one JSON object on each line (`jq -c '.[]'` writes them)");
        return NULL;
    }
    return first == '{' ? "jsonl" : "csv";
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static enum pr_status decode(struct pr_table_reading *reading, struct pr_error *err)
{
    static const char *const names[] = {"UTF-8", "UTF-16LE", "UTF-16BE"};
    const enum pr_utf16 utf16 = pr_utf16_probe(reading->src);
    reading->frame->encoding = names[utf16];
    if (utf16 != PR_NOT_UTF16) {
        struct pr_source *above = pr_utf16_source_new(reading->src, utf16);
        if (!above)
            return pr_fail_memory(err);
        reading->src = above;
    }
    pr_source_need(reading->src, PROBED_BYTES);
    pr_source_skip_byte_order_mark(reading->src);
    return PR_OK;
}

static enum pr_status read_table(struct pr_table_reading *reading, struct pr_error *err)
{
    const char *asked = reading->options->format;
    pr_source_need(reading->src, PROBED_BYTES);
    const bool is_arrow = pr_arrow_is_file(reading->src) || pr_arrow_is_stream(reading->src);
    if (asked ? strcmp(asked, "arrow") == 0 : is_arrow) {
        reading->frame->format = "arrow";
        return pr_read_arrow(reading, err);
    }
    if (refuse_known(reading->src, err) != PR_OK || decode(reading, err) != PR_OK)
        return PR_FAILED;
    if (is_binary(reading->src))
        return pr_fail(err, PR_ERR_UNKNOWN, PR_NO_OFFSET, NULL, "is not a table in a text format");
    reading->frame->format = format_of(reading, err);
    if (!reading->frame->format)
        return PR_FAILED;
    const bool is_json = strcmp(reading->frame->format, "jsonl") == 0;
    return is_json ? pr_read_json_lines(reading, err) : pr_read_csv(reading, err);
}

static enum pr_status finish(struct pr_data_build *build, struct pr_view_build *view, struct pr_data_frame *frame,
                             struct pr_error *err)
{
    if (pr_pairs_ask(build, &view->wanted, err) == PR_FAILED)
        return PR_FAILED;
    if (!pr_data_finish(build, frame))
        return pr_fail_memory(err);
    return pr_view_finish(view, build, frame, err);
}

static unsigned threads_for(const struct pr_data_options *options)
{
    enum { USUAL_THREADS = 8 };
    const unsigned processors = pr_processors();
    if (options->threads)
        return options->threads;
    return processors < USUAL_THREADS ? processors : USUAL_THREADS;
}

/* A table that is read, once or twice. */
struct attempt {
    struct pr_table_reading reading;
    struct pr_view_build view;
    bool *texts; /* [text_count] columns that the first reading found to be of texts late */
    size_t text_count;
};

static void forget(struct attempt *attempt)
{
    if (attempt->reading.build)
        pr_data_build_clear(attempt->reading.build);
    free(attempt->reading.build);
    pr_data_frame_free(attempt->reading.frame);
    pr_view_clear(&attempt->view);
    attempt->reading.build = NULL;
    attempt->reading.frame = NULL;
}

static enum pr_status read_rows(struct attempt *attempt, struct pr_error *err)
{
    struct pr_table_reading *reading = &attempt->reading;
    const struct pr_data_options *options = reading->options;
    struct pr_data_build *build = reading->build = calloc(1, sizeof *build);
    struct pr_data_frame *frame = reading->frame = calloc(1, sizeof *frame);
    const bool is_profile = options->wanted.view == PR_VIEW_PROFILE;
    if (!build || !frame)
        return pr_fail_memory(err);
    attempt->view = (struct pr_view_build){.wanted = options->wanted, .exact_values = options->exact_values};
    build->exact_values = options->exact_values;
    build->threads = threads_for(options);
    build->texts = attempt->texts;
    build->text_count = attempt->text_count;
    build->keeps = options->keep_distributions;
    build->codes.is_on = is_profile && !options->keep_distributions;
    build->take = is_profile ? NULL : pr_view_add;
    build->take_context = &attempt->view;
    if (read_table(reading, err) == PR_FAILED)
        return PR_FAILED;
    if (reading->interrupted)
        return pr_fail(err, PR_ERR_IO, PR_NO_OFFSET, NULL, "interrupted");
    if (frame->problem.code == PR_ERR_NONE)
        frame->problem = reading->src->error;
    frame->bytes = pr_source_offset(reading->src);
    return PR_OK;
}

/* Whether cells were compared by value in a column that turned out to be of texts. */
static bool has_late_texts(const struct pr_data_build *build)
{
    for (size_t c = 0; c < build->column_count; c++)
        if (build->columns[c].unsure)
            return true;
    return false;
}

/* Once more where that makes a number of what is a range so far, and the input can be read again. */
static enum pr_status read_again(struct attempt *attempt, struct pr_error *err)
{
    const struct pr_data_build *build = attempt->reading.build;
    if (attempt->reading.options->wanted.view != PR_VIEW_PROFILE || !has_late_texts(build))
        return PR_OK;
    attempt->texts = calloc(build->column_count, sizeof *attempt->texts);
    if (!attempt->texts)
        return pr_fail_memory(err);
    attempt->text_count = build->column_count;
    for (size_t c = 0; c < attempt->text_count; c++)
        attempt->texts[c] = build->columns[c].unsure > 0;
    const enum pr_status status = pr_source_rewind(&attempt->reading.src, err);
    if (status != PR_OK)
        return status;
    forget(attempt);
    return read_rows(attempt, err);
}

/* Reads SRC, which is closed then. */
static enum pr_status read_source(struct pr_source *src, const struct pr_data_options *options,
                                  struct pr_data_frame **frame, struct pr_error *err)
{
    struct attempt attempt = {.reading = {.src = src, .options = options}};
    enum pr_status status = read_rows(&attempt, err);
    if (status != PR_FAILED)
        status = read_again(&attempt, err);
    pr_source_close(attempt.reading.src); /* its window is the room for what follows */
    if (status != PR_FAILED)
        status = finish(attempt.reading.build, &attempt.view, attempt.reading.frame, err);
    if (status != PR_FAILED) {
        *frame = attempt.reading.frame;
        attempt.reading.frame = NULL;
    }
    forget(&attempt);
    free(attempt.texts);
    return status == PR_FAILED ? PR_FAILED : PR_OK;
}

enum pr_status pr_data_frame_read(const char *path, const struct pr_data_options *options, struct pr_data_frame **frame,
                                  struct pr_error *err)
{
    const struct pr_data_options defaults = pr_data_options_default();
    const struct pr_data_options *used = options ? options : &defaults;
    struct pr_unpack_budget budget = pr_unpack_budget_of(&used->limits);
    struct pr_source *src;
    *frame = NULL;
    if (pr_source_open(path, &budget, &src, err) == PR_FAILED) {
        pr_error_name(err, path);
        return PR_FAILED;
    }
    const enum pr_status status = read_source(src, used, frame, err);
    pr_error_name(err, path);
    return status;
}

enum pr_status pr_data_frame_read_fd(int fd, const char *name, const struct pr_data_options *options,
                                     struct pr_data_frame **frame, struct pr_error *err)
{
    const struct pr_data_options defaults = pr_data_options_default();
    const struct pr_data_options *used = options ? options : &defaults;
    struct pr_unpack_budget budget = pr_unpack_budget_of(&used->limits);
    struct pr_source *src;
    *frame = NULL;
    if (pr_source_open_fd(fd, name, &budget, &src, err) == PR_FAILED)
        return PR_FAILED;
    return read_source(src, used, frame, err);
}

enum pr_status pr_data_frame_read_memory(const char *name, const void *bytes, size_t length,
                                         const struct pr_data_options *options, struct pr_data_frame **frame,
                                         struct pr_error *err)
{
    const struct pr_data_options defaults = pr_data_options_default();
    const struct pr_data_options *used = options ? options : &defaults;
    struct pr_unpack_budget budget = pr_unpack_budget_of(&used->limits);
    struct pr_source *src;
    *frame = NULL;
    if (pr_source_open_memory(name, bytes, length, &budget, &src, err) == PR_FAILED)
        return PR_FAILED;
    return read_source(src, used, frame, err);
}

void pr_data_frame_free(struct pr_data_frame *frame)
{
    if (!frame)
        return;
    pr_arena_clear(&frame->arena);
    free(frame);
}
