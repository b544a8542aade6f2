/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "libz.so.1+0x8f2" in "/usr/lib/libz.so.1": the name of a place in a module that no symbol names. What it says about
 * whose code it is, its file says: no list of names in this folder contains an offset, so all places of a file get the
 * same answer. Of a million native addresses without symbols, one is asked for each file.
 */
#ifndef PR_CAPTURE_MODEL_PLACE_NAME_H
#define PR_CAPTURE_MODEL_PLACE_NAME_H

#include "profrender/string_table.h"

#include <stdbool.h>
#include <string.h>

/* Whether FUNCTION is the last part of FILE, "+0x" and lower-case hexadecimal digits. */
static inline bool pr_is_place_name(struct pr_text function, struct pr_text file)
{
    uint32_t end = function.length;
    while (end && ((unsigned char)(function.bytes[end - 1] - '0') < 10 ||
                   (unsigned char)(function.bytes[end - 1] - 'a') < 6))
        end--;
    if (end == function.length || end < 4 || memcmp(function.bytes + end - 3, "+0x", 3))
        return false;
    const uint32_t module = end - 3;
    return module <= file.length && !memcmp(file.bytes + file.length - module, function.bytes, module) &&
           (module == file.length || file.bytes[file.length - module - 1] == '/');
}

#endif
