/* SPDX-License-Identifier: Apache-2.0 */
/* The path says most, then the name; what neither says is called by its owner. */
#include "capture/model/package.h"

#include "capture/base/ascii.h"
#include "capture/base/text.h"
#include "capture/model/code_path.h"
#include "capture/model/language_owner.h"
#include "capture/model/object_group.h"

#include <string.h>

static const struct pr_text none = {"", 0};

/* What follows the last FOLDER, as "/node_modules/", in PATH, also right at its beginning; empty: it has none. */
static struct pr_text past_last(struct pr_text path, const char *folder)
{
    struct pr_text rest = none;
    if (pr_text_starts(path, folder + 1))
        rest = pr_text_from(path, strlen(folder) - 1);
    for (struct pr_text left = path; left.length;) {
        const char *found = memmem(left.bytes, left.length, folder, strlen(folder));
        if (!found)
            break;
        rest = left = pr_text_from(left, (size_t)(found - left.bytes) + strlen(folder));
        left.bytes--; /* the slash may be the first of the next one */
        left.length++;
    }
    return rest;
}

/* The first COUNT parts of TEXT between SEPARATORs; all of it if it has no more. */
static struct pr_text first_parts(struct pr_text text, char separator, unsigned count)
{
    for (uint32_t i = 0; i < text.length; i++)
        if (text.bytes[i] == separator && !--count)
            return pr_text_part(text, 0, i);
    return text;
}

/* "pandas" of "pandas/core/frame.py", "six" of "six.py", "_cffi_backend" of "_cffi_backend.cpython-312.so". */
static struct pr_text python_name(struct pr_text rest)
{
    while (rest.length && *rest.bytes == '/')
        rest = pr_text_from(rest, 1);
    return first_parts(first_parts(rest, '/', 1), '.', 1);
}

/* "serde" of "serde-1.0.203/src/de.rs". */
static struct pr_text without_version(struct pr_text rest)
{
    struct pr_text name = first_parts(rest, '/', 1);
    for (uint32_t i = name.length; i-- > 1;)
        if (name.bytes[i - 1] == '-' && i < name.length && pr_is_digit(name.bytes[i]))
            return pr_text_part(name, 0, i - 1);
    return name;
}

/* Where package managers put what they install. */
static struct pr_text installed(const struct pr_profile *profile, struct pr_text file)
{
    if (pr_path_in_packages(file))
        return python_name(pr_text_from(file, pr_path_in_packages(file)));
    for (uint32_t i = 0; i < profile->meta.site_packages_count && i < 64; i++) {
        const struct pr_text rest =
            pr_path_past(file, pr_profile_text(profile, profile->meta.site_packages[i]).bytes);
        if (rest.length)
            return python_name(rest);
    }
    struct pr_text rest = past_last(file, "/node_modules/");
    if (rest.length)
        return first_parts(rest, '/', *rest.bytes == '@' ? 2 : 1);
    rest = past_last(file, "/gems/");
    if (rest.length)
        return without_version(rest);
    rest = past_last(file, "/registry/src/"); /* of cargo; then a folder for the registry */
    const char *slash = rest.length ? memchr(rest.bytes, '/', rest.length) : NULL;
    if (slash)
        return without_version(pr_text_from(rest, (size_t)(slash - rest.bytes) + 1));
    rest = past_last(file, "/pkg/mod/");
    return rest.length ? first_parts(rest, '@', 1) : none;
}

/* "github.com/lib/pq" of "github.com/lib/pq/oid": a module is three parts on the sites that many have theirs on. */
static struct pr_text go_module(struct pr_text path)
{
    const struct pr_text site = first_parts(path, '/', 1);
    const bool is_hosted = pr_text_is(site, "github.com") || pr_text_is(site, "gitlab.com") ||
                           pr_text_is(site, "bitbucket.org") || pr_text_is(site, "golang.org");
    return first_parts(path, '/', is_hosted ? 3 : memchr(site.bytes, '.', site.length) ? 2 : 1);
}

/* "org.apache.kafka" of "org/apache/kafka/clients/Producer". */
static struct pr_text java_package(struct pr_text name)
{
    uint32_t end = 0, parts = 0;
    for (uint32_t i = 0; i < name.length && parts < 3; i++)
        if (name.bytes[i] == '.' || name.bytes[i] == '/') {
            end = i;
            parts++;
        }
    return pr_text_part(name, 0, end);
}

static struct pr_text by_name(const struct pr_code_world *world, struct pr_text function, enum pr_owner owner)
{
    if (world->has_go && pr_go_import_path(function).length)
        return go_module(pr_go_import_path(function));
    if (world->has_jvm && pr_jvm_class(function).length)
        return java_package(pr_jvm_class(function));
    const char *mark = memchr(function.bytes, '!', function.length);
    if (mark && mark != function.bytes && !memchr(function.bytes, ' ', (size_t)(mark - function.bytes)))
        return pr_text_part(function, 0, (size_t)(mark - function.bytes));
    return owner == PR_OWNER_LIBRARY || world->has_rust ? pr_first_namespace(function) : none;
}

/* "libz.so.1": a mapped object, as native frames without debug information have one. */
static struct pr_text object_of(struct pr_text file)
{
    const struct pr_text name = pr_path_last(file);
    return pr_text_is_shared_object(name) || pr_text_starts(name, "[") ? name : none;
}

/* Of the user's own scripts: below sys.path the package, else the folder, with its slash, or the file alone. */
static struct pr_text own_package(const struct pr_profile *profile, struct pr_text file)
{
    struct pr_text best = none;
    for (uint32_t i = 0; i < profile->meta.sys_path_count && i < 64; i++) {
        const struct pr_text rest = pr_path_past(file, pr_profile_text(profile, profile->meta.sys_path[i]).bytes);
        if (rest.length && (!best.length || rest.length < best.length))
            best = rest;
    }
    if (best.length)
        return python_name(best);
    const struct pr_text name = pr_path_last(file), folder = pr_text_part(file, 0, file.length - (size_t)name.length);
    uint32_t start = folder.length ? folder.length - 1 : 0;
    while (start && folder.bytes[start - 1] != '/')
        start--;
    return folder.length > 1 ? pr_text_from(folder, start) : name;
}

static struct pr_text of_standard(const struct pr_code_world *world, struct pr_text function, struct pr_text file,
                                  bool is_script)
{
    if (pr_text_starts(file, "node:"))
        return pr_text_of("Node");
    if (world->has_go && pr_go_import_path(function).length)
        return pr_text_of("Go");
    if (world->has_jvm && pr_jvm_class(function).length)
        return pr_text_of("JDK");
    return pr_text_of(is_script && (pr_text_ends(file, ".py") || pr_path_is_frozen(file)) ? "Python"
                                                                                         : "standard library");
}

struct pr_text pr_package_of(const struct pr_profile *profile, struct pr_code_world *world, pr_frame_id frame,
                             enum pr_owner owner)
{
    const struct pr_frame *f = &profile->frames[frame];
    const struct pr_text file = pr_profile_text(profile, f->file), function = pr_profile_text(profile, f->function);
    const bool is_script = f->kind == PR_FRAME_PYTHON;
    if (world->is_heap)
        return world->has_java_objects ? pr_java_object_group(function) : pr_v8_object_group(function);
    if (owner == PR_OWNER_NONE || f->kind == PR_FRAME_OTHER)
        return none;
    if (owner == PR_OWNER_KERNEL)
        return pr_text_of("kernel");
    if (pr_role_of(profile, frame) & PR_ROLE_RUNNER)
        return pr_text_of("start-up");
    if (owner == PR_OWNER_STDLIB)
        return of_standard(world, function, file, is_script);
    if (world->asked_file != f->file) {
        world->installed = installed(profile, file);
        world->object = object_of(file);
    }
    world->asked_file = f->file;
    struct pr_text name = world->installed;
    if (!name.length && (!is_script || world->has_jvm))
        name = by_name(world, function, owner);
    if (!name.length && !is_script)
        name = world->object;
    if (!name.length && is_script && owner == PR_OWNER_MINE)
        name = own_package(profile, file);
    if (!name.length && is_script && owner == PR_OWNER_LIBRARY && *file.bytes != '/')
        name = python_name(file);
    return name.length ? name : pr_text_of(owner == PR_OWNER_MINE ? "my code" : pr_owner_name(owner));
}
