/* SPDX-License-Identifier: Apache-2.0 */
/* The document of a card's sections: each is read as a whole, then what it names. */
#include "profrender/data_sections.h"

#include "capture/base/beneath.h"
#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/frame/section_file.h"
#include "capture/parse/json_stream.h"
#include "profrender/data_schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_DOCUMENT = 8 << 20, DEFAULT_ROWS = 1000 };

/* What the document says of the section at hand. */
struct said {
    bool has_kind, has_text;
    const char *file, *separator, *header, *schema;
    struct pr_data_wanted wanted;
    const char *pairs[PR_DATA_PAIRS]; /* "A,B" */
    uint64_t first_line;
    uint32_t members; /* bits of enum member */
};

struct reading {
    const struct pr_data_options *options;
    struct pr_data_sections *made;
    size_t capacity;
    struct pr_json_stream *json;
    struct pr_text document;
    uint64_t bytes; /* of texts and images */
    int folder;
    struct pr_error *err;
};

const char *pr_section_kind_name(enum pr_section_kind kind)
{
    static const char *const names[] = {"profile", "table", "box", "gantt", "markdown", "source", "image"};
    return kind < PR_SECTION_KINDS ? names[kind] : "";
}

/* ---- members ---------------------------------------------------------------------------------------------------- */

enum member {
    KIND,
    TITLE,
    FILE_NAME,
    TEXT,
    SEPARATOR,
    HEADER,
    SCHEMA,
    PAIRS,
    SORT,
    DESCENDING,
    ROWS,
    VALUE,
    BY,
    START,
    FINISH,
    NAME,
    GROUP,
    FIRST_LINE,
    ALT,
    MEMBERS
};

/* Of which kinds a member is: bits of enum pr_section_kind. */
#define OF(kind) (1u << PR_SECTION_##kind)
#define OF_TABLES (OF(PROFILE) | OF(TABLE) | OF(BOX) | OF(GANTT))
#define OF_ALL (OF_TABLES | OF(MARKDOWN) | OF(SOURCE) | OF(IMAGE))

static const struct {
    const char *name;
    unsigned kinds;
} members[MEMBERS] = {
    [KIND] = {"kind", OF_ALL},
    [TITLE] = {"title", OF_ALL},
    [FILE_NAME] = {"file", OF_ALL},
    [TEXT] = {"text", OF(MARKDOWN) | OF(SOURCE)},
    [SEPARATOR] = {"separator", OF_TABLES},
    [HEADER] = {"header", OF_TABLES},
    [SCHEMA] = {"schema", OF_TABLES},
    [PAIRS] = {"pairs", OF(PROFILE)},
    [SORT] = {"sort", OF(TABLE)},
    [DESCENDING] = {"descending", OF(TABLE)},
    [ROWS] = {"rows", OF(TABLE)},
    [VALUE] = {"value", OF(BOX)},
    [BY] = {"by", OF(BOX)},
    [START] = {"start", OF(GANTT)},
    [FINISH] = {"finish", OF(GANTT)},
    [NAME] = {"name", OF(GANTT)},
    [GROUP] = {"group", OF(GANTT)},
    [FIRST_LINE] = {"first_line", OF(SOURCE)},
    [ALT] = {"alt", OF(IMAGE)},
};

/* The section at hand is the last one. Its reason is there already: it stays. */
static bool wrong(const struct reading *reading, const char *what, struct pr_text which)
{
    const int length = which.length < 60 ? (int)which.length : 60;
    if (reading->err->code == PR_ERR_NONE)
        pr_fail(reading->err, PR_ERR_DAMAGED, PR_NO_OFFSET, NULL, "section %zu: %s '%.*s'", reading->made->count, what,
                length, which.bytes);
    return false;
}

static bool wrong_member(const struct reading *reading, enum member member, const char *what)
{
    const char *name = members[member].name;
    return wrong(reading, what, (struct pr_text){name, (uint32_t)strlen(name)});
}

static bool take_text(const struct reading *reading, enum member member, struct pr_text *text)
{
    const struct pr_json_stream *json = reading->json;
    const char *copy = NULL;
    if (json->token != PR_JSON_STRING)
        return wrong_member(reading, member, "takes a text:");
    if (!(copy = pr_arena_copy(&reading->made->arena, json->text.bytes, json->text.length)))
        return pr_fail_memory(reading->err) == PR_OK;
    *text = (struct pr_text){copy, json->text.length};
    return true;
}

/* A text that a NUL may end: the name of a file or column. */
static bool take_name(const struct reading *reading, enum member member, const char **name)
{
    struct pr_text text;
    if (!take_text(reading, member, &text))
        return false;
    *name = text.bytes;
    return (text.length && strlen(text.bytes) == text.length) ||
           wrong_member(reading, member, "takes a text that is not empty, without NUL:");
}

static bool take_kind(const struct reading *reading, struct pr_data_section *section, struct said *said)
{
    const struct pr_json_stream *json = reading->json;
    said->has_kind = true;
    for (enum pr_section_kind kind = 0; json->token == PR_JSON_STRING && kind < PR_SECTION_KINDS; kind++) {
        const char *name = pr_section_kind_name(kind);
        if (strlen(name) == json->text.length && memcmp(name, json->text.bytes, json->text.length) == 0) {
            section->kind = kind;
            return true;
        }
    }
    return wrong(reading, "kinds are profile, table, box, gantt, markdown, source and image, not",
                 json->token == PR_JSON_STRING ? json->text : (struct pr_text){"", 0});
}

static bool take_number(const struct reading *reading, enum member member, uint64_t least, uint64_t most,
                        uint64_t *number)
{
    return (pr_json_index(reading->json, number) && *number >= least && *number <= most) ||
           wrong_member(reading, member, "takes a whole number within its limits:");
}

/* The object as it is written: what reads a schema reads it. */
static bool take_schema(const struct reading *reading, struct said *said)
{
    struct pr_json_stream *json = reading->json;
    const size_t start = (size_t)json->offset;
    if (json->token != PR_JSON_OBJECT)
        return wrong_member(reading, SCHEMA, "takes an object:");
    pr_json_skip(json);
    if (json->token == PR_JSON_BAD)
        return false;
    const size_t end = (size_t)pr_source_offset(json->src);
    said->schema = pr_arena_copy(&reading->made->arena, reading->document.bytes + start, end - start);
    return said->schema || pr_fail_memory(reading->err) == PR_OK;
}

/* ["A", "B"] as "A,B". */
static bool take_pair(const struct reading *reading, const char **pair)
{
    struct pr_json_stream *json = reading->json;
    const char *names[2] = {0};
    size_t count = 0;
    if (json->token != PR_JSON_ARRAY)
        return wrong_member(reading, PAIRS, "takes arrays of two columns:");
    while (pr_json_item(json)) {
        if (count == 2)
            return wrong_member(reading, PAIRS, "takes arrays of two columns:");
        if (!take_name(reading, PAIRS, &names[count++]))
            return false;
    }
    if (json->token != PR_JSON_CLOSE || count != 2)
        return wrong_member(reading, PAIRS, "takes arrays of two columns:");
    const size_t first = strlen(names[0]), second = strlen(names[1]);
    char *both = pr_arena_array(&reading->made->arena, first + second + 2, 1);
    if (!both)
        return pr_fail_memory(reading->err) == PR_OK;
    memcpy(both, names[0], first);
    both[first] = ',';
    memcpy(both + first + 1, names[1], second + 1);
    *pair = both;
    return true;
}

static bool take_pairs(const struct reading *reading, struct said *said)
{
    struct pr_json_stream *json = reading->json;
    if (json->token != PR_JSON_ARRAY)
        return wrong_member(reading, PAIRS, "takes an array:");
    while (pr_json_item(json)) {
        if (said->wanted.pair_count == PR_DATA_PAIRS)
            return wrong_member(reading, PAIRS, "has more than there are charts for:");
        if (!take_pair(reading, &said->pairs[said->wanted.pair_count++]))
            return false;
    }
    return (json->token == PR_JSON_CLOSE && said->wanted.pair_count) ||
           wrong_member(reading, PAIRS, "takes an array that is not empty:");
}

static bool take_flag(const struct reading *reading, enum member member, bool *flag)
{
    const enum pr_json_token token = reading->json->token;
    *flag = token == PR_JSON_TRUE;
    return token == PR_JSON_TRUE || token == PR_JSON_FALSE || wrong_member(reading, member, "is true or false:");
}

static bool take_value(const struct reading *reading, enum member member, struct pr_data_section *section,
                       struct said *said)
{
    struct pr_data_wanted *wanted = &said->wanted;
    const struct {
        enum member member;
        const char **name;
    } names[] = {{FILE_NAME, &said->file},    {SEPARATOR, &said->separator}, {HEADER, &said->header},
                 {SORT, &wanted->sort},       {VALUE, &wanted->value},       {BY, &wanted->by},
                 {START, &wanted->start},     {FINISH, &wanted->finish},     {NAME, &wanted->name},
                 {GROUP, &wanted->group}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].member == member)
            return take_name(reading, member, names[i].name);
    switch (member) {
    case KIND:
        return take_kind(reading, section, said);
    case TITLE:
        return take_text(reading, member, &section->title);
    case TEXT:
        said->has_text = true;
        return take_text(reading, member, &section->bytes);
    case ALT:
        return take_text(reading, member, &section->alt);
    case SCHEMA:
        return take_schema(reading, said);
    case PAIRS:
        return take_pairs(reading, said);
    case DESCENDING:
        return take_flag(reading, member, &wanted->descending);
    case ROWS:
        return take_number(reading, member, 1, PR_DATA_MOST_SHEET, &wanted->most_rows);
    default:
        return take_number(reading, member, 1, INT32_MAX, &said->first_line);
    }
}

static bool take_member(const struct reading *reading, struct pr_data_section *section, struct said *said)
{
    struct pr_json_stream *json = reading->json;
    enum member member = 0;
    while (member < MEMBERS && (strlen(members[member].name) != json->text.length ||
                                memcmp(members[member].name, json->text.bytes, json->text.length) != 0))
        member++;
    if (member == MEMBERS)
        return wrong(reading, "there is no", json->text);
    if (said->members & 1u << member)
        return wrong(reading, "has twice", json->text);
    said->members |= 1u << member;
    return pr_json_next(json) > PR_JSON_CLOSE && take_value(reading, member, section, said);
}

/* ---- what a section names --------------------------------------------------------------------------------------- */

static bool is_word(const char *text, const char *word)
{
    return text && strcmp(text, word) == 0;
}

static bool set_how(const struct reading *reading, const struct said *said, struct pr_data_options *how)
{
    const char *separator = said->separator;
    if (is_word(separator, "tab"))
        how->separator = '\t';
    else if (separator && (separator[1] || *separator == '"' || *separator >= 0x7f ||
                           (*separator < ' ' && *separator != '\t')))
        return wrong_member(reading, SEPARATOR, "takes one character or tab:");
    else if (separator)
        how->separator = *separator;
    if (said->header && !is_word(said->header, "auto") && !is_word(said->header, "yes") && !is_word(said->header, "no"))
        return wrong_member(reading, HEADER, "is auto, yes or no:");
    how->header = is_word(said->header, "yes")  ? PR_HEADER_YES
                  : is_word(said->header, "no") ? PR_HEADER_NO
                                                : PR_HEADER_AUTO;
    return true;
}

static bool read_table(const struct reading *reading, struct pr_data_section *section, const struct said *said)
{
    struct pr_data_options how = *reading->options;
    struct pr_error why = {0};
    how.wanted = said->wanted;
    how.wanted.pairs = said->pairs;
    how.wanted.view = (enum pr_data_view)section->kind; /* of tables, kinds are in the order of views */
    if (section->kind == PR_SECTION_GANTT) {
        how.wanted.start = said->wanted.start ? said->wanted.start : "Start";
        how.wanted.finish = said->wanted.finish ? said->wanted.finish : "Finish";
        how.wanted.name = said->wanted.name ? said->wanted.name : "Name";
    }
    if (said->wanted.by && !said->wanted.value)
        return wrong_member(reading, BY, "needs value, whose numbers are compared:");
    if (said->wanted.descending && !said->wanted.sort)
        return wrong_member(reading, DESCENDING, "needs sort:");
    if (!set_how(reading, said, &how))
        return false;
    if (said->schema && pr_data_schema_read(said->schema, &how.schema, &why) == PR_FAILED) {
        pr_fail(reading->err, why.code, PR_NO_OFFSET, NULL, "section %zu: schema: %s", reading->made->count, why.text);
        return false;
    }
    const int fd = pr_open_beneath(reading->folder, said->file);
    if (fd < 0)
        pr_fail(reading->err, PR_ERR_IO, PR_NO_OFFSET, NULL, "section %zu: %s: %s", reading->made->count, said->file,
                pr_beneath_why(errno));
    else if (pr_data_frame_read_fd(fd, said->file, &how, &section->frame, &why) == PR_FAILED)
        pr_fail(reading->err, why.code, PR_NO_OFFSET, NULL, "section %zu: %s: %s", reading->made->count, said->file,
                why.text);
    pr_data_schema_free(how.schema);
    return section->frame != NULL;
}

static bool read_bytes(struct reading *reading, struct pr_data_section *section, const struct said *said)
{
    struct pr_error why = {0};
    const bool is_image = section->kind == PR_SECTION_IMAGE;
    const size_t most = is_image ? PR_MOST_SECTION_IMAGE : PR_MOST_SECTION_TEXT;
    if (said->file && pr_section_file(reading->folder, said->file, most, &reading->made->arena, &section->bytes,
                                      &why) == PR_FAILED) {
        pr_fail(reading->err, why.code, PR_NO_OFFSET, NULL, "section %zu: %s", reading->made->count, why.text);
        return false;
    }
    reading->bytes += section->bytes.length;
    if (reading->bytes > PR_MOST_SECTION_BYTES)
        return wrong(reading, "is beyond the limit of 32 MiB of texts and images:", section->file);
    section->first_line = said->first_line ? said->first_line : 1;
    if (is_image && !(section->media = pr_section_media(section->bytes)))
        return wrong(reading, "is not a PNG, JPEG, GIF, WebP or SVG image:", section->file);
    return true;
}

/* "Notes"; "Notes 2" where an earlier section is called so. */
static bool name_after_kind(const struct reading *reading, struct pr_data_section *section)
{
    const char *name = section->kind == PR_SECTION_MARKDOWN ? "Notes" : "Source code"; /* others have a file */
    const char *copy;
    char text[40];
    size_t number = 1;
    for (const struct pr_data_section *other = reading->made->sections; other < section; other++)
        number += other->kind == section->kind && other->is_named_after_kind;
    section->is_named_after_kind = true;
    snprintf(text, sizeof text, number > 1 ? "%s %zu" : "%s", name, number);
    if (!(copy = pr_arena_copy(&reading->made->arena, text, strlen(text))))
        return pr_fail_memory(reading->err) == PR_OK;
    section->title = pr_text_of(copy);
    return true;
}

/* Called after its file, or after its kind. */
static bool name_section(const struct reading *reading, struct pr_data_section *section)
{
    const char *last = section->file.length ? memrchr(section->file.bytes, '/', section->file.length) : NULL;
    const char *name = last ? last + 1 : section->file.bytes;
    if (section->title.length)
        return true;
    if (!section->file.length)
        return name_after_kind(reading, section);
    section->title = (struct pr_text){name, (uint32_t)(section->file.bytes + section->file.length - name)};
    return true;
}

static bool check_members(const struct reading *reading, const struct pr_data_section *section,
                          const struct said *said)
{
    if (!said->has_kind)
        return wrong_member(reading, KIND, "lacks");
    for (enum member member = 0; member < MEMBERS; member++)
        if (said->members & 1u << member && !(members[member].kinds & 1u << section->kind))
            return wrong_member(reading, member, "is of a kind that has no");
    if (said->has_text && said->file)
        return wrong_member(reading, TEXT, "has a file, and also");
    return said->has_text || said->file || wrong_member(reading, FILE_NAME, "lacks");
}

static bool read_section(struct reading *reading)
{
    struct pr_data_sections *made = reading->made;
    struct pr_json_stream *json = reading->json;
    struct said said = {.wanted.most_rows = DEFAULT_ROWS};
    if (made->count == PR_MOST_SECTIONS) {
        pr_fail(reading->err, PR_ERR_LIMIT, PR_NO_OFFSET, NULL, "has more than %d sections", PR_MOST_SECTIONS);
        return false;
    }
    if (!pr_grow(&made->sections, &reading->capacity, made->count + 1, sizeof *made->sections))
        return pr_fail_memory(reading->err) == PR_OK;
    struct pr_data_section *section = &made->sections[made->count++];
    *section = (struct pr_data_section){.title = {"", 0}};
    if (json->token != PR_JSON_OBJECT)
        return wrong(reading, "is not an object", (struct pr_text){"", 0});
    while (pr_json_key(json))
        if (!take_member(reading, section, &said))
            return false;
    if (json->token != PR_JSON_CLOSE || !check_members(reading, section, &said))
        return false;
    if (said.file)
        section->file = (struct pr_text){said.file, (uint32_t)strlen(said.file)};
    if (!name_section(reading, section))
        return false;
    return section->kind <= PR_SECTION_GANTT ? read_table(reading, section, &said)
                                             : read_bytes(reading, section, &said);
}

/* ---- the document ----------------------------------------------------------------------------------------------- */

static bool read_members(struct reading *reading)
{
    struct pr_json_stream *json = reading->json;
    if (pr_json_next(json) != PR_JSON_OBJECT)
        return false;
    while (pr_json_key(json)) {
        if (pr_json_is(json, "title")) {
            if (pr_json_next(json) <= PR_JSON_CLOSE || !take_text(reading, TITLE, &reading->made->title))
                return false;
        } else if (pr_json_is(json, "sections")) {
            if (reading->made->count || pr_json_next(json) != PR_JSON_ARRAY)
                return false;
            while (pr_json_item(json))
                if (!read_section(reading))
                    return false;
            if (json->token != PR_JSON_CLOSE)
                return false;
        } else if (pr_json_is(json, "$schema")) {
            pr_json_next(json);
            pr_json_skip(json);
        } else {
            return false;
        }
    }
    return json->token == PR_JSON_CLOSE && pr_json_finish(json) == PR_OK && reading->made->count;
}

static enum pr_status read_document(struct reading *reading)
{
    const struct pr_text text = reading->document;
    struct pr_source view = {.at = (const uint8_t *)text.bytes,
                             .end = (const uint8_t *)text.bytes + text.length,
                             .end_offset = text.length,
                             .at_eof = true,
                             .name = "sections"};
    reading->json = malloc(sizeof *reading->json);
    if (!reading->json)
        return pr_fail_memory(reading->err);
    pr_json_begin(reading->json, &view, &reading->options->limits, reading->err);
    const bool done = read_members(reading);
    pr_json_end(reading->json);
    free(reading->json);
    if (!done && reading->err->code == PR_ERR_NONE)
        pr_fail(reading->err, PR_ERR_DAMAGED, PR_NO_OFFSET, NULL,
                "is not a list of sections: a JSON object with `sections`, an array of objects, and perhaps a `title`");
    return done ? PR_OK : PR_FAILED;
}

/* The folder that PATH is in, opened. */
static int folder_of(const char *path)
{
    char *copy = strdup(path);
    char *last = copy ? strrchr(copy, '/') : NULL;
    if (last)
        last[last == copy] = '\0';
    const int folder = copy ? pr_beneath_open_folder(last ? copy : ".") : -1;
    free(copy);
    return folder;
}

static enum pr_status read_source(struct pr_source *src, const char *path, struct reading *reading)
{
    if (pr_source_need(src, MOST_DOCUMENT + 1))
        return pr_fail(reading->err, PR_ERR_LIMIT, PR_NO_OFFSET, NULL, "has more than %d MiB", MOST_DOCUMENT >> 20);
    reading->document = (struct pr_text){(const char *)src->at, (uint32_t)(src->end - src->at)};
    reading->folder = folder_of(path);
    if (reading->folder < 0)
        return pr_fail(reading->err, PR_ERR_IO, PR_NO_OFFSET, NULL, "its folder cannot be opened: %s", strerror(errno));
    const enum pr_status status = read_document(reading);
    close(reading->folder);
    return status;
}

enum pr_status pr_data_sections_read(const char *path, const struct pr_data_options *options,
                                     struct pr_data_sections **sections, struct pr_error *err)
{
    const struct pr_data_options defaults = pr_data_options_default();
    struct reading reading = {.options = options ? options : &defaults, .made = calloc(1, sizeof *reading.made)};
    struct pr_unpack_budget budget = pr_unpack_budget_of(&reading.options->limits);
    struct pr_error own = {0};
    struct pr_source *src;
    reading.err = err ? err : &own;
    *reading.err = (struct pr_error){0};
    *sections = NULL;
    if (!reading.made)
        return pr_fail_memory(reading.err);
    if (pr_source_open(path, &budget, &src, reading.err) == PR_FAILED) {
        pr_data_sections_free(reading.made);
        return PR_FAILED;
    }
    const enum pr_status status = read_source(src, path, &reading);
    pr_source_close(src);
    if (status == PR_OK)
        *sections = reading.made;
    else
        pr_data_sections_free(reading.made);
    return status;
}

void pr_data_sections_free(struct pr_data_sections *sections)
{
    if (!sections)
        return;
    for (size_t i = 0; i < sections->count; i++)
        pr_data_frame_free(sections->sections[i].frame);
    free(sections->sections);
    pr_arena_clear(&sections->arena);
    free(sections);
}
