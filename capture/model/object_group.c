/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources: names of classes as capture/graph/hprof_classes.c makes them; those of V8 are the names of the nodes of a
 * snapshot, and types in brackets: v8_snapshot_reader.c.
 */
#include "capture/model/object_group.h"

#include "capture/base/ascii.h"
#include "capture/base/text.h"

#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* ---- the JVM ----------------------------------------------------------------------------------------------------- */

/*
 * Up to the first part that begins like the name of a class; where none does, as after a shrinker, all but the last
 * part.
 */
static struct pr_text java_package(struct pr_text name)
{
    uint32_t end = 0;
    for (uint32_t i = 0, start = 0; i < name.length; i++) {
        if (i == start && pr_is_upper(name.bytes[i]))
            break;
        if (name.bytes[i] == '.') {
            end = i;
            start = i + 1;
        }
    }
    return pr_text_part(name, 0, end);
}

struct pr_text pr_java_object_group(struct pr_text name)
{
    static const char *const primitive[] = {"boolean[]", "byte[]", "char[]",  "double[]",
                                            "float[]",   "int[]",  "long[]", "short[]"};
    if (memchr(name.bytes, ' ', name.length) || pr_text_starts(name, "("))
        return pr_text_of("GC roots");
    const char *bracket = memchr(name.bytes, '[', name.length);
    const uint32_t base = bracket ? (uint32_t)(bracket - name.bytes) + 2 : name.length;
    if (pr_text_is_one_of(pr_text_part(name, 0, base < name.length ? base : name.length), primitive, COUNT(primitive)))
        return pr_text_of("arrays of primitives");
    const struct pr_text package = java_package(name);
    return package.length ? package : pr_text_of("(default package)");
}

/* ---- V8 ---------------------------------------------------------------------------------------------------------- */

/* "Shelf" of "Shelf.books". */
static struct pr_text v8_class(struct pr_text name)
{
    const char *point = memchr(name.bytes, '.', name.length);
    const bool is_type = name.length && *name.bytes == '(';
    return point && point != name.bytes && !is_type ? pr_text_part(name, 0, (uint32_t)(point - name.bytes)) : name;
}

struct pr_text pr_v8_object_group(struct pr_text name)
{
    static const char *const strings[] = {"(string)", "(concatenated string)", "(sliced string)", "String"};
    static const char *const closures[] = {"(closure)", "Function", "AsyncFunction", "GeneratorFunction",
                                           "AsyncGeneratorFunction"};
    static const char *const plain[] = {"Object",  "Map",       "Set",      "WeakMap",     "WeakSet",  "WeakRef",
                                        "Promise", "Date",      "RegExp",   "(regexp)",    "Symbol",   "(symbol)",
                                        "Number",  "(number)",  "Boolean",  "BigInt",      "(bigint)",
                                        "global",  "(object)",  "(heap number)"};
    const struct pr_text class = v8_class(name);
    if (pr_text_is_one_of(class, strings, COUNT(strings)))
        return pr_text_of("strings");
    if (pr_text_is_one_of(class, closures, COUNT(closures)))
        return pr_text_of("closures");
    if (pr_text_is(class, "(array)") || pr_text_ends(class, "Array") || pr_text_ends(class, "ArrayBuffer") ||
        pr_text_is(class, "DataView"))
        return pr_text_of("arrays");
    if (pr_text_is_one_of(class, plain, COUNT(plain)) || pr_text_ends(class, "Error"))
        return pr_text_of("built-in objects");
    if (!class.length || *class.bytes == '(' || pr_text_starts(class, "system / "))
        return pr_text_of("system");
    return pr_text_of("constructors");
}
