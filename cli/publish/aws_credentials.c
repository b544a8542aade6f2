/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/publish/aws_credentials.h"

#include "capture/parse/frame_text.h"
#include "capture/base/text.h"
#include "cli/io/local_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_BYTES = 1 << 20 };

/* ---- one file ---------------------------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_word(struct pr_text text, const char *word)
{
    return strlen(word) == text.length && strncasecmp(text.bytes, word, text.length) == 0;
}

/* "[name]", with blanks. Names of sections are case-sensitive. */
static bool is_section(struct pr_text line, const char *section)
{
    const struct pr_text name = pr_text_trim((struct pr_text){line.bytes + 1, line.length - 2});
    return strlen(section) == name.length && memcmp(section, name.bytes, name.length) == 0;
}

bool pr_aws_find(struct pr_text file, const char *section, const char *key, char *value, size_t size, bool *found)
{
    bool inside = false, has_value = false;
    for (uint32_t at = 0, end; at < file.length; at = end + 1) {
        const char *newline = memchr(file.bytes + at, '\n', file.length - at);
        end = newline ? (uint32_t)(newline - file.bytes) : file.length;
        /* What is indented belongs to the value of the line before: settings of a service. */
        const struct pr_text line = pr_text_trim((struct pr_text){file.bytes + at, end - at});
        if (!line.length || is_blank(file.bytes[at]) || line.bytes[0] == '#' || line.bytes[0] == ';')
            continue;
        if (line.bytes[0] == '[') {
            inside = line.bytes[line.length - 1] == ']' && line.length > 2 && is_section(line, section);
            *found |= inside;
            continue;
        }
        const char *equals = inside ? memchr(line.bytes, '=', line.length) : NULL;
        const uint32_t key_length = equals ? (uint32_t)(equals - line.bytes) : 0;
        if (!equals || !is_word(pr_text_trim((struct pr_text){line.bytes, key_length}), key))
            continue;
        const struct pr_text text = pr_text_trim(pr_text_from(line, key_length + (size_t)1));
        has_value = text.length && text.length < size && !memchr(text.bytes, '\0', text.length);
        if (has_value) {
            memcpy(value, text.bytes, text.length);
            value[text.length] = '\0';
        }
    }
    return has_value;
}

/* ---- the files and the environment ------------------------------------------------------------------------------- */

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* The file that VARIABLE names, or the one of this NAME in ~/.aws; empty where there is none. */
static struct pr_text read_file(const char *variable, const char *name, struct pr_buf *buf)
{
    char path[PATH_MAX] = "";
    const char *file = environment(variable), *home = environment("HOME");
    if (!file && home && snprintf(path, sizeof path, "%s/.aws/%s", home, name) < (int)sizeof path)
        file = path;
    if (!file || !pr_local_file_read(file, MOST_BYTES, buf))
        return (struct pr_text){"", 0};
    return (struct pr_text){buf->bytes ? buf->bytes : "", (uint32_t)buf->length};
}

static void find_keys(struct pr_aws *aws, struct pr_text file, const char *section)
{
    if (!pr_aws_find(file, section, "aws_access_key_id", aws->id, sizeof aws->id, &aws->is_known) ||
        !pr_aws_find(file, section, "aws_secret_access_key", aws->secret, sizeof aws->secret, &aws->is_known))
        aws->id[0] = aws->secret[0] = '\0';
    else if (!pr_aws_find(file, section, "aws_session_token", aws->session, sizeof aws->session, &aws->is_known))
        aws->session[0] = '\0';
}

static void read_files(struct pr_aws *aws)
{
    struct pr_buf credentials_bytes = {0}, config_bytes = {0};
    char section[256];
    const struct pr_text credentials = read_file("AWS_SHARED_CREDENTIALS_FILE", "credentials", &credentials_bytes);
    const struct pr_text config = read_file("AWS_CONFIG_FILE", "config", &config_bytes);
    const bool is_default = strcmp(aws->profile, "default") == 0;
    snprintf(section, sizeof section, "%s%s", is_default ? "" : "profile ", aws->profile);
    find_keys(aws, credentials, aws->profile);
    if (!*aws->id)
        find_keys(aws, config, section);
    if (!pr_aws_find(config, section, "region", aws->region, sizeof aws->region, &aws->is_known))
        aws->region[0] = '\0';
    if (!pr_aws_find(config, section, "endpoint_url", aws->endpoint, sizeof aws->endpoint, &aws->is_known))
        aws->endpoint[0] = '\0';
    pr_buf_clear(&credentials_bytes);
    pr_buf_clear(&config_bytes);
}

/* The first of two variables that is set becomes the value. */
static void take(char *value, size_t size, const char *first, const char *second)
{
    const char *set = environment(first);
    if (!set && second)
        set = environment(second);
    if (set)
        snprintf(value, size, "%s", set);
}

void pr_aws_load(struct pr_aws *aws)
{
    *aws = (struct pr_aws){.profile = environment("AWS_PROFILE")};
    if (!aws->profile)
        aws->profile = "default";
    read_files(aws);
    if (environment("AWS_ACCESS_KEY_ID") && environment("AWS_SECRET_ACCESS_KEY")) {
        aws->session[0] = '\0';
        take(aws->id, sizeof aws->id, "AWS_ACCESS_KEY_ID", NULL);
        take(aws->secret, sizeof aws->secret, "AWS_SECRET_ACCESS_KEY", NULL);
        take(aws->session, sizeof aws->session, "AWS_SESSION_TOKEN", NULL);
    }
    take(aws->region, sizeof aws->region, "AWS_REGION", "AWS_DEFAULT_REGION");
    take(aws->endpoint, sizeof aws->endpoint, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL");
}
