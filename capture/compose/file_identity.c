/* SPDX-License-Identifier: Apache-2.0 */
/* A key for each file, independent of the machine; and where that is not enough, two folders that are the same. */
#include "capture/compose/file_identity.h"

#include "profrender/buf.h"
#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/model/code_path.h"

#include <stdlib.h>
#include <string.h>

/* At most this many own files are compared with as many others: enough for any project, and bounded. */
enum { MOST_FILES = 1000, MOST_ROUNDS = 4 };

/* Keys begin with the kind of folder that the rest is below, so "json/__init__.py" of two places are two files. */
static const char in_packages[] = "site-packages/", in_stdlib[] = "lib/python/";

enum pr_status pr_samefile_init(struct pr_samefile *same, struct pr_error *err)
{
    *same = (struct pr_samefile){.file = NULL};
    if (pr_strings_init(&same->keys, err) == PR_FAILED)
        return PR_FAILED;
    same->capacity = 1;
    same->file = calloc(1, sizeof *same->file);
    return same->file ? PR_OK : pr_fail_memory(err);
}

void pr_samefile_clear(struct pr_samefile *same)
{
    pr_strings_clear(&same->keys);
    free(same->file);
    *same = (struct pr_samefile){.file = NULL};
}

/* The number of a key, a new file if the key is new; PR_NO_STR: no memory. */
static pr_str add_key(struct pr_samefile *same, const struct pr_buf *key)
{
    const uint32_t known = same->keys.count;
    if (key->failed || !pr_grow(&same->file, &same->capacity, known + (size_t)1, sizeof *same->file))
        return PR_NO_STR;
    const pr_str number = pr_strings_add(&same->keys, key->bytes, key->length);
    if (number == known)
        same->file[number] = number;
    return number;
}

/* Where in FILE the part below DIRECTORY begins, 0 if FILE is not below it. */
static uint32_t behind(struct pr_text file, struct pr_text directory)
{
    if (!directory.length || !pr_path_below(file, directory))
        return 0;
    uint32_t at = directory.length;
    while (at < file.length && file.bytes[at] == '/')
        at++;
    return at < file.length ? at : 0;
}

/* The same for the longest directory of a list. */
static uint32_t after_any(const struct pr_profile *profile, struct pr_text file, const pr_str *list, uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = behind(file, pr_profile_text(profile, list[i]));
        best = at > best ? at : best;
    }
    return best;
}

/* "<frozen importlib._bootstrap>" is importlib/_bootstrap.py of an unfrozen standard library. */
static void make_frozen_key(struct pr_text file, struct pr_buf *key)
{
    const uint32_t start = (uint32_t)strlen("<frozen ");
    const uint32_t end = file.bytes[file.length - 1] == '>' ? file.length - 1 : file.length;
    pr_buf_text(key, in_stdlib);
    for (uint32_t i = start; i < end; i++)
        pr_buf_byte(key, file.bytes[i] == '.' ? '/' : (unsigned char)file.bytes[i]);
    pr_buf_text(key, ".py");
}

/* KEY becomes the name of FILE wherever it is installed. True: it is known where it was imported from. */
static bool make_key(const struct pr_profile *profile, struct pr_text file, struct pr_buf *key)
{
    const struct pr_meta *meta = &profile->meta;
    const char *below = in_packages;
    key->length = 0;
    if (pr_path_is_frozen(file)) {
        make_frozen_key(file, key);
        return true;
    }
    uint32_t at = after_any(profile, file, meta->site_packages, meta->site_packages_count);
    at = at ? at : pr_path_in_packages(file);
    if (!at) {
        below = in_stdlib;
        at = behind(file, pr_profile_text(profile, meta->stdlib_path));
        at = at ? at : pr_path_in_stdlib(file);
    }
    const bool is_installed = at > 0;
    if (!at) {
        below = "";
        at = after_any(profile, file, meta->sys_path, meta->sys_path_count);
    }
    pr_buf_text(key, below);
    pr_buf_add(key, file.bytes + at, file.length - at);
    return is_installed || pr_text_starts(file, "<");
}

/* ---- two folders that are the same ------------------------------------------------------------------------------ */

struct folders {
    struct pr_text theirs, ours; /* how paths begin, without a final slash; empty: relative paths */
};

/* Length of the longest common end, in whole parts. */
static uint32_t common_end(struct pr_text a, struct pr_text b)
{
    uint32_t most = a.length < b.length ? a.length : b.length, common = 0;
    for (uint32_t i = 0; i <= most; i++) {
        bool at_part = (i == a.length || a.bytes[a.length - i - 1] == '/') &&
                       (i == b.length || b.bytes[b.length - i - 1] == '/');
        if (at_part)
            common = i;
        if (i == most || a.bytes[a.length - i - 1] != b.bytes[b.length - i - 1])
            break;
    }
    return common;
}

static struct pr_text without_end(struct pr_text path, uint32_t end)
{
    uint32_t length = path.length - end;
    return (struct pr_text){path.bytes, length && path.bytes[length - 1] == '/' ? length - 1 : length};
}

/* The pair of folders that explains most of the COUNT keys in OURS. False: no memory. */
static bool find_folders(const struct pr_samefile *same, const pr_str *theirs, uint32_t their_count, const pr_str *ours,
                         uint32_t our_count, struct folders *found)
{
    struct pr_textmap votes;
    struct pr_buf pair = {0};
    uint32_t most = 0;
    bool done = pr_textmap_init(&votes, NULL) != PR_FAILED;
    *found = (struct folders){{"", 0}, {"", 0}};
    for (uint32_t i = 0; done && i < our_count; i++) {
        for (uint32_t k = 0; done && k < their_count; k++) {
            struct pr_text a = pr_strings_get(&same->keys, theirs[k]), b = pr_strings_get(&same->keys, ours[i]);
            uint32_t end = common_end(a, b);
            if (!end)
                continue;
            const struct folders folders = {without_end(a, end), without_end(b, end)};
            pair.length = 0;
            pr_buf_add(&pair, folders.theirs.bytes, folders.theirs.length);
            pr_buf_byte(&pair, '\0');
            pr_buf_add(&pair, folders.ours.bytes, folders.ours.length);
            uint32_t *count = pair.failed ? NULL : pr_textmap_at(&votes, pair.bytes, pair.length);
            done = count != NULL;
            if (done && (*count = *count == PR_TEXTMAP_NEW ? 1 : *count + 1) > most) {
                most = *count;
                *found = folders;
            }
        }
    }
    pr_textmap_clear(&votes);
    pr_buf_clear(&pair);
    return done;
}

/* Own files of a profile that the others lack, and files of the others that it lacks. */
struct strangers {
    pr_str *theirs, *ours;
    uint32_t *file; /* of ours: its string in the profile */
    uint32_t their_count, our_count;
};

static bool take_away(pr_str *list, uint32_t *count, pr_str string)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (list[i] == string) {
            list[i] = list[--*count];
            return true;
        }
    }
    return false;
}

/* Files of ours that also exist in their folder are the same file. */
static bool match_folders(struct pr_samefile *same, uint32_t *number, struct strangers *strangers,
                          const struct folders *folders)
{
    const uint32_t count = strangers->our_count;
    struct pr_buf key = {0};
    bool done = true;
    strangers->our_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const pr_str ours = strangers->ours[i];
        const uint32_t file = strangers->file[i];
        const struct pr_text path = pr_strings_get(&same->keys, ours);
        const uint32_t at = behind(path, folders->ours);
        key.length = 0;
        pr_buf_add(&key, folders->theirs.bytes, folders->theirs.length);
        if (folders->theirs.length)
            pr_buf_byte(&key, '/');
        pr_buf_add(&key, path.bytes + at, path.length - at);
        const pr_str renamed = add_key(same, &key);
        done = done && renamed != PR_NO_STR;
        if (done && (at || !folders->ours.length) && take_away(strangers->theirs, &strangers->their_count, renamed)) {
            number[file] = same->file[ours] = same->file[renamed];
        } else {
            strangers->ours[strangers->our_count] = ours;
            strangers->file[strangers->our_count++] = file;
        }
    }
    pr_buf_clear(&key);
    return done;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* A script that ran from elsewhere needs a pair of folders of its own; each round takes the best remaining pair. */
static bool match_strangers(struct pr_samefile *same, uint32_t *number, struct strangers *strangers)
{
    bool done = true;
    for (unsigned round = 0; done && round < MOST_ROUNDS && strangers->their_count && strangers->our_count; round++) {
        struct folders folders;
        const uint32_t before = strangers->our_count;
        done = find_folders(same, strangers->theirs, strangers->their_count, strangers->ours, strangers->our_count,
                            &folders) &&
               match_folders(same, number, strangers, &folders);
        if (strangers->our_count == before)
            break;
    }
    return done;
}

/* True if a key may be a file of the user that is elsewhere on another machine. */
static bool may_move(struct pr_text key)
{
    return key.length && !pr_text_starts(key, "<") && !pr_text_starts(key, in_packages) &&
           !pr_text_starts(key, in_stdlib);
}

static bool number_files(struct pr_samefile *same, const struct pr_profile *profile, uint32_t *number,
                         struct strangers *strangers)
{
    const uint32_t known = same->keys.count;
    bool *seen = calloc(known, sizeof *seen);
    struct pr_buf key = {0};
    bool done = seen != NULL;
    for (pr_frame_id i = 0; done && i < profile->frame_count; i++) {
        const pr_str file = profile->frames[i].file;
        if (number[file] != PR_NO_STR)
            continue;
        bool installed = make_key(profile, pr_profile_text(profile, file), &key);
        const pr_str ours = add_key(same, &key);
        done = ours != PR_NO_STR;
        if (done)
            number[file] = same->file[ours];
        if (done && ours < known) {
            seen[same->file[ours]] = true;
        } else if (done && !installed && strangers->our_count < MOST_FILES) {
            strangers->file[strangers->our_count] = file;
            strangers->ours[strangers->our_count++] = ours;
        }
    }
    for (pr_str i = 1; done && i < known && strangers->their_count < MOST_FILES; i++)
        if (!seen[i] && same->file[i] == i && may_move(pr_strings_get(&same->keys, i)))
            strangers->theirs[strangers->their_count++] = i;
    free(seen);
    pr_buf_clear(&key);
    return done;
}

uint32_t *pr_samefile_add(struct pr_samefile *same, const struct pr_profile *profile, struct pr_error *err)
{
    const uint32_t count = profile->strings.count;
    uint32_t *number = malloc((count + (size_t)1) * sizeof *number);
    struct strangers strangers = {.theirs = malloc(MOST_FILES * sizeof(pr_str)),
                                  .ours = malloc(MOST_FILES * sizeof(pr_str)),
                                  .file = malloc(MOST_FILES * sizeof(uint32_t))};
    bool done = number && strangers.theirs && strangers.ours && strangers.file;
    for (uint32_t i = 0; done && i < count; i++)
        number[i] = PR_NO_STR;
    done = done && number_files(same, profile, number, &strangers) && match_strangers(same, number, &strangers);
    free(strangers.theirs);
    free(strangers.ours);
    free(strangers.file);
    if (done)
        return number;
    free(number);
    pr_fail_memory(err);
    return NULL;
}
