/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Separate debug information by debug link: a bare file name and a checksum of the file's bytes. Next to the file, in
 * .debug/ there, or at the same path below /usr/lib/debug.
 */
#include "profrender/buf.h"
#include "capture/symbols/elf_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static bool has_checksum(int fd, uint32_t wanted)
{
    unsigned char bytes[16384];
    uLong crc = crc32(0, NULL, 0);
    ssize_t length;
    off_t at = 0;
    while ((length = pread(fd, bytes, sizeof bytes, at)) > 0) {
        crc = crc32(crc, bytes, (uInt)length);
        at += length;
    }
    return length == 0 && crc == wanted;
}

int pr_elf_debuglink(const char *path, const char *name, uint32_t crc, char **found)
{
    static const char *const before[] = {"", "", "/usr/lib/debug"}, *const behind[] = {"/", "/.debug/", "/"};
    char *real = strchr(name, '/') ? NULL : realpath(path, NULL);
    char *end = real ? strrchr(real, '/') : NULL;
    int fd = -1;
    for (int i = 0; end && fd < 0 && i < 3; i++) {
        struct pr_buf candidate = {0};
        pr_buf_printf(&candidate, "%s%.*s%s%s", before[i], (int)(end - real), real, behind[i], name);
        fd = candidate.failed ? -1 : pr_open_regular(candidate.bytes);
        if (fd >= 0 && !has_checksum(fd, crc)) {
            close(fd);
            fd = -1;
        }
        if (fd >= 0)
            *found = candidate.bytes; /* malloc'd, as libdwfl wants it */
        else
            pr_buf_clear(&candidate);
    }
    free(real);
    return fd;
}
