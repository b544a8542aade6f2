/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/args/redact_option.h"

#include "capture/base/text.h"
#include "profrender/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char variable[] = "PROFRENDER_REDACT_KEY";

enum { MOST_KEY = 65536 };

/* Reads PATH, a file or a pipe, into TEXT. Returns 0, or an errno. */
static int read_key(const char *path, struct pr_buf *text)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    int problem = fd < 0 ? errno : 0;
    for (ssize_t got = 1; !problem && got > 0 && text->length <= MOST_KEY;) {
        char *room = pr_buf_room(text, 4096);
        got = room ? read(fd, room, 4096) : 0;
        if (got > 0)
            pr_buf_use(text, (size_t)got);
        problem = got < 0 && errno != EINTR ? errno : !room ? ENOMEM : 0;
        got = got < 0 ? 1 : got;
    }
    if (fd >= 0)
        close(fd);
    return problem ? problem : text->length > MOST_KEY ? EFBIG : 0;
}

/* The line end of a text file is not part of the key: $(cat FILE) gives the same one. */
static size_t without_line_end(const char *bytes, size_t length)
{
    while (length && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r'))
        length--;
    return length;
}

/* The key, from where the user has it. False: as WHY says. */
static bool get_key(const struct pr_common *common, struct pr_buf *text, char why[PR_REDACT_WHY])
{
    const char *word = getenv(variable);
    int problem = 0;
    if (common->redact_key)
        problem = read_key(common->redact_key, text);
    else if (word && *word)
        pr_buf_text(text, word);
    else
        snprintf(
            why, PR_REDACT_WHY,
            "--redact names needs a key, so that nobody else can try names, and yours match: --redact-key FILE, or "
            "$%s; to make one: (umask 077; head -c 32 /dev/urandom > FILE)",
            variable);
    if (problem)
        snprintf(why, PR_REDACT_WHY, "--redact-key: %.200s: %s", common->redact_key, strerror(problem));
    return !*why;
}

bool pr_redact_read_key(struct pr_common *common, char why[PR_REDACT_WHY])
{
    struct pr_buf text = {0};
    struct pr_error err = {0};
    *why = '\0';
    if (common->redact != PR_REDACT_NAMES && common->redact_key)
        snprintf(why, PR_REDACT_WHY, "--redact-key is for --redact names");
    if (common->redact != PR_REDACT_NAMES)
        return !*why;
    if (get_key(common, &text, why) &&
        pr_name_key_make(&common->name_key, text.bytes, without_line_end(text.bytes, text.length), &err) == PR_FAILED)
        snprintf(why, PR_REDACT_WHY, "%.200s: %s", common->redact_key ? common->redact_key : variable, err.text);
    pr_buf_clear(&text);
    return !*why;
}

const char *pr_redact_input(const struct pr_common *common, const char *path, char room[PR_REDACTED_INPUT])
{
    struct pr_buf name = {0};
    if (common->redact != PR_REDACT_NAMES || strcmp(path, "standard input") == 0 || strcmp(path, "-") == 0)
        return path;
    struct pr_text text = pr_text_of(path);
    while (text.length && text.bytes[text.length - 1] == '/')
        text.length--;
    const char *slash = text.length ? memrchr(text.bytes, '/', text.length) : NULL;
    pr_hide_file(&common->name_key, slash ? pr_text_from(text, (size_t)(slash + 1 - text.bytes)) : text, &name);
    snprintf(room, PR_REDACTED_INPUT, "%.*s", (int)name.length, name.bytes ? name.bytes : "");
    pr_buf_clear(&name);
    return room;
}

const char *const *pr_redact_inputs(const struct pr_common *common, const char *const *paths, size_t count,
                                    struct pr_arena *arena)
{
    static const char *const none[] = {"-"};
    if (common->redact != PR_REDACT_NAMES)
        return paths;
    const char **names = pr_arena_array(arena, count, sizeof *names);
    for (size_t i = 0; names && i < count; i++) {
        char room[PR_REDACTED_INPUT];
        const char *name = pr_redact_input(common, paths[i], room);
        names[i] = pr_arena_copy(arena, name, strlen(name));
        names[i] = names[i] ? names[i] : none[0];
    }
    return names ? (const char *const *)names : none;
}
