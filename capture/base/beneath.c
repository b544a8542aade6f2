/* SPDX-License-Identifier: Apache-2.0 */
/* Names of files beneath a folder; beneath_open.c opens them. */
#include "capture/base/beneath.h"

#include <errno.h>
#include <string.h>

static bool refuse(int error)
{
    errno = error;
    return false;
}

/* Takes the last part off CLEAN. False: it has none. */
static bool go_up(char *clean, size_t *length)
{
    if (!*length)
        return false;
    while (*length && clean[*length - 1] != '/')
        --*length;
    *length -= *length > 0;
    clean[*length] = '\0';
    return true;
}

static bool go_down(char clean[PATH_MAX], size_t *length, const char *part, size_t part_length)
{
    if (*length + part_length + 2 > PATH_MAX)
        return false;
    if (*length)
        clean[(*length)++] = '/';
    memcpy(clean + *length, part, part_length);
    *length += part_length;
    clean[*length] = '\0';
    return true;
}

bool pr_clean_beneath(const char *path, char clean[PATH_MAX])
{
    size_t length = 0;
    clean[0] = '\0';
    if (*path == '/')
        return refuse(EXDEV);
    for (const char *part = path; *part;) {
        const size_t part_length = strcspn(part, "/");
        const bool up = part_length == 2 && !memcmp(part, "..", 2), here = part_length == 1 && *part == '.';
        if (up && !go_up(clean, &length))
            return refuse(EXDEV);
        if (!up && !here && part_length && !go_down(clean, &length, part, part_length))
            return refuse(ENAMETOOLONG);
        part += part_length;
        part += *part == '/';
    }
    return length ? true : refuse(ENOENT);
}

const char *pr_beneath_why(int error)
{
    switch (error) {
    case ELOOP:
        return "it is reached by a link: only files of the folder itself are read";
    case ENXIO:
        return "it is not a regular file";
    case EXDEV:
        return "it is outside the folder";
    default:
        return strerror(error);
    }
}
