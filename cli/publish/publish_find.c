/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what may be a run below a folder, and says by a key whether it changed since the last time. */
#include "capture/base/text.h"
#include "capture/base/ascii.h"
#include "capture/base/beneath.h"
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "profrender/load.h"
#include "cli/publish/build_id.h"
#include "cli/publish/publish.h"
#include "capture/base/sha256.h"
#include "cli/io/local_file.h"
#include "cli/io/say.h"
#include "render/html/html.h"
#include "render/words/units.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 4096, MOST_WORDS = 10, PATH_OF_FD = 32 };

struct finder {
    const struct pr_publish_settings *settings;
    struct pr_publish_items *items;
    char **folders; /* still to be looked at, below the input; "" is the input itself */
    size_t folder_count, folder_capacity;
    struct stat site; /* what is in it is not published again */
    bool failed;      /* out of memory */
};

static char *joined(const char *folder, const char *name)
{
    char *path = NULL;
    if (!*folder)
        return strdup(name);
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* Takes ownership of FOLDER. */
static void push_folder(struct finder *finder, char *folder)
{
    if (!folder ||
        !pr_grow(&finder->folders, &finder->folder_capacity, finder->folder_count + 1, sizeof *finder->folders)) {
        free(folder);
        finder->failed = true;
        return;
    }
    finder->folders[finder->folder_count++] = folder;
}

/* Takes ownership of SOURCE. */
static void add_item(struct finder *finder, char *source, enum pr_publish_kind kind)
{
    struct pr_publish_items *items = finder->items;
    char *path = source ? joined(finder->settings->common.input, source) : NULL;
    if (!path || !pr_grow(&items->items, &items->capacity, items->count + 1, sizeof *items->items)) {
        free(source);
        free(path);
        finder->failed = true;
        return;
    }
    items->items[items->count++] = (struct pr_publish_item){.path = path, .source = source, .kind = kind};
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

/* Reports what is not looked at: the first few by name. ERROR: why, or 0 for what is never looked at. */
static void leave_out(struct finder *finder, const char *source, int error)
{
    const char *why = error ? pr_beneath_why(error) : "a link; only files of the folder itself are published";
    finder->items->unseen += error != 0;
    if (finder->items->left_out++ < MOST_WORDS)
        pr_say("%s/%s: %s", finder->settings->common.input, *source ? source : ".", why);
}

/* Whether SOURCE begins as the cards of this program do. Its content is checked when it is published. */
static bool is_card(struct finder *finder, const char *source)
{
    static const char mark[] = "<meta name=\"generator\" content=\"profrender\">";
    char head[512];
    const int fd = pr_open_beneath(finder->items->folder_fd, source);
    const ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof head);
    if (got < 0)
        leave_out(finder, source, errno);
    if (fd >= 0)
        close(fd);
    return got > 0 && memmem(head, (size_t)got, mark, sizeof mark - 1);
}

static void look_at(struct finder *finder, int folder_fd, const char *folder, const char *name)
{
    struct stat found;
    if (name[0] == '.')
        return;
    char *source = joined(folder, name);
    if (!source) {
        finder->failed = true;
        return;
    }
    if (fstatat(folder_fd, name, &found, AT_SYMLINK_NOFOLLOW))
        leave_out(finder, source, errno);
    else if (S_ISLNK(found.st_mode))
        leave_out(finder, source, 0);
    else if (S_ISDIR(found.st_mode) && !pr_is_same_file(&found, &finder->site)) {
        push_folder(finder, source);
        return;
    } else if (S_ISREG(found.st_mode)) {
        const bool is_page = pr_string_ends(name, ".html");
        if (!is_page || is_card(finder, source)) {
            add_item(finder, source, is_page ? PR_PUBLISH_CARD : PR_PUBLISH_FILE);
            return;
        }
    }
    free(source);
}

static bool has_file(int folder_fd, const char *name)
{
    struct stat found;
    return fstatat(folder_fd, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(found.st_mode);
}

static bool is_run(int folder_fd)
{
    return has_file(folder_fd, "run.json") || has_file(folder_fd, "timeline.jsonl");
}

static void walk_entries(struct finder *finder, DIR *directory, const char *folder)
{
    const struct dirent *entry;
    for (errno = 0; !finder->failed && (entry = readdir(directory)); errno = 0)
        look_at(finder, dirfd(directory), folder, entry->d_name);
    if (!finder->failed && errno)
        leave_out(finder, folder, errno);
}

/* FOLDER is below the input. One that cannot be opened is reported and left out. */
static void walk_folder(struct finder *finder, const char *folder)
{
    const int fd = pr_open_folder_beneath(finder->items->folder_fd, folder);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (!directory) {
        leave_out(finder, folder, errno);
        if (fd >= 0)
            close(fd);
        return;
    }
    if (is_run(fd))
        add_item(finder, strdup(*folder ? folder : "."), PR_PUBLISH_RUN);
    else
        walk_entries(finder, directory, folder);
    closedir(directory);
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/*
 * A key is a hash of a text with everything that the card depends on. It is SHA-256, because strangers choose the names
 * of files: no two files share a key or a card, however they were chosen.
 */
static void mix_number(struct pr_buf *text, uint64_t number)
{
    pr_buf_printf(text, "%" PRIu64 ";", number);
}

static void mix_text(struct pr_buf *text, const char *value)
{
    const size_t length = value ? strlen(value) : 0;
    mix_number(text, length + (value != NULL));
    pr_buf_add(text, value ? value : "", length);
}

/* What would be different if the file were: its size, the time of its last change, its beginning. */
static void mix_open_file(struct pr_buf *text, uint64_t *size_bytes, int fd)
{
    char head[HEAD_BYTES];
    struct stat found;
    const ssize_t got = fd < 0 || fstat(fd, &found) ? -1 : read(fd, head, sizeof head);
    mix_number(text, got < 0);
    if (got < 0)
        return;
    mix_number(text, (uint64_t)found.st_size);
    mix_number(text, (uint64_t)found.st_mtim.tv_sec);
    mix_number(text, (uint64_t)found.st_mtim.tv_nsec);
    mix_number(text, (uint64_t)got);
    pr_buf_add(text, head, (size_t)got);
    *size_bytes += (uint64_t)found.st_size;
}

static void mix_file(struct pr_buf *text, uint64_t *size_bytes, int folder_fd, const char *name)
{
    const int fd = pr_open_beneath(folder_fd, name);
    mix_open_file(text, size_bytes, fd);
    if (fd >= 0)
        close(fd);
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void mix_folder(struct pr_buf *text, uint64_t *size_bytes, int input_fd, const char *source)
{
    struct dirent **names = NULL;
    const int fd = pr_open_folder_beneath(input_fd, source);
    char path[PATH_OF_FD];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int count = fd < 0 ? -1 : scandir(path, &names, not_hidden, alphasort);
    for (int i = 0; i < count; i++) {
        mix_text(text, names[i]->d_name);
        mix_file(text, size_bytes, fd, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    if (fd >= 0)
        close(fd);
}

/* What would be different in every card that is made. */
static void mix_settings(struct pr_buf *text, const struct pr_publish_settings *settings)
{
    const struct pr_text build = pr_build_id();
    mix_text(text, pr_version());
    mix_number(text, build.length);
    pr_buf_add(text, build.bytes, build.length);
    mix_text(text, settings->common.input_format);
    mix_text(text, settings->how->root);
    mix_text(text, settings->how->source_url);
    for (size_t i = 0; i < settings->code.path_maps.count; i++)
        mix_text(text, settings->code.path_maps.word[i]);
    mix_number(text, (uint64_t)settings->theme * 2 + settings->how->redact_paths);
    if (settings->common.redact == PR_REDACT_NAMES)
        pr_buf_add(text, settings->common.name_key.bytes, sizeof settings->common.name_key.bytes);
}

/* A card that was made before stays what it is, whatever the options and the version are. */
static bool make_key(const struct pr_publish_settings *settings, const struct pr_publish_items *items,
                     struct pr_publish_item *item)
{
    struct pr_buf text = {0};
    char hash[PR_SHA256_HEX] = "";
    mix_number(&text, item->kind);
    if (item->kind != PR_PUBLISH_CARD)
        mix_settings(&text, settings);
    if (item->kind == PR_PUBLISH_RUN)
        mix_folder(&text, &item->size_bytes, items->folder_fd, item->source);
    else
        mix_file(&text, &item->size_bytes, items->folder_fd, item->source);
    const bool done = !text.failed;
    if (done)
        pr_sha256(text.bytes, text.length, hash);
    snprintf(item->key, sizeof item->key, "%.16s", hash);
    pr_buf_clear(&text);
    return done;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The end of the path in letters that need no encoding, and 64 bits of its hash: each source has a card of its own. */
static void name_card(struct pr_publish_item *item)
{
    enum { MOST = 80 };
    const size_t length = strlen(item->listed), from = length > MOST ? length - MOST : 0;
    char readable[MOST + 1] = "", hash[PR_SHA256_HEX];
    for (size_t i = from; i < length; i++) {
        const char letter = item->listed[i], before = i > from ? readable[i - from - 1] : '.';
        const bool plain = pr_is_alphanumeric(letter) || letter == '_' || (letter == '.' && before != '.');
        readable[i - from] = plain ? letter : '-';
    }
    pr_sha256(item->listed, length, hash);
    snprintf(item->card, sizeof item->card, "cards/%s-%.16s.html", readable, hash);
}

/* What the site may say about where the run was found. */
static bool list_source(const struct pr_publish_settings *settings, struct pr_publish_item *item)
{
    struct pr_buf listed = {0};
    item->hides_names = settings->common.redact == PR_REDACT_NAMES;
    if (item->hides_names)
        pr_hide_file(&settings->common.name_key, pr_text_of(item->source), &listed);
    else
        pr_buf_text(&listed, item->source);
    pr_buf_byte(&listed, '\0');
    item->listed = listed.failed ? NULL : listed.bytes;
    if (listed.failed)
        pr_buf_clear(&listed);
    return item->listed != NULL;
}

/* How the list shows the source. */
static bool show_source(struct pr_publish_item *item)
{
    struct pr_buf shown = {0};
    pr_visible(&shown, pr_text_of(item->listed));
    item->shown_source = shown.failed ? NULL : shown.bytes;
    if (shown.failed)
        pr_buf_clear(&shown);
    return item->shown_source != NULL;
}

static int by_card(const void *a, const void *b, const void *context)
{
    (void)context;
    return strcmp((*(struct pr_publish_item *const *)a)->card, (*(struct pr_publish_item *const *)b)->card);
}

bool pr_publish_tell_cards_apart(struct pr_publish_items *items)
{
    struct pr_publish_item **order = malloc((items->count + 1) * sizeof(struct pr_publish_item *));
    for (size_t i = 0; order && i < items->count; i++)
        order[i] = &items->items[i];
    const bool done = order && pr_sort(order, items->count, sizeof *order, by_card, NULL);
    for (size_t i = 1; done && i < items->count; i++)
        order[i]->shares_card = strcmp(order[i - 1]->card, order[i]->card) == 0;
    free(order);
    return done;
}

/* ---- cards that are there ---------------------------------------------------------------------------------------- */

static int by_source(const void *a, const void *b, const void *context)
{
    (void)context;
    return strcmp(((const struct pr_publish_item *)a)->source, ((const struct pr_publish_item *)b)->source);
}

bool pr_publish_has_capture(const struct pr_publish_items *items, size_t card)
{
    const struct pr_publish_item *of = &items->items[card];
    const size_t stem = strlen(of->source) - strlen("html");
    for (int step = -1; step <= 1; step += 2) {
        for (size_t i = card + (size_t)step; i < items->count; i += (size_t)step) {
            const struct pr_publish_item *item = &items->items[i];
            if (strncmp(item->source, of->source, stem) != 0)
                break;
            if (item->kind == PR_PUBLISH_FILE && !strchr(item->source + stem, '/') && item->entry &&
                !pr_publish_is_ignored(item->entry))
                return true;
        }
    }
    return false;
}

/* ---- the doors --------------------------------------------------------------------------------------------------- */

int pr_publish_open_input(const struct pr_publish_settings *settings, struct pr_publish_items *items)
{
    const char *input = settings->common.input;
    *items = (struct pr_publish_items){.folder_fd = pr_beneath_open_folder(input)};
    if (items->folder_fd >= 0)
        return PR_EXIT_DONE;
    if (errno == ENOTDIR)
        pr_say("%s is a file; publish takes a folder. For the card of one file: profrender card %s", input, input);
    else
        pr_say("%s: %s", input, strerror(errno));
    return PR_EXIT_INPUT;
}

/* What is known of all items once they are found. False: out of memory. */
static bool finish(const struct pr_publish_settings *settings, struct pr_publish_items *items)
{
    bool done = pr_sort(items->items, items->count, sizeof *items->items, by_source, NULL);
    for (size_t i = 0; done && i < items->count; i++) {
        done = list_source(settings, &items->items[i]);
        if (done)
            name_card(&items->items[i]);
        done = done && make_key(settings, items, &items->items[i]) && show_source(&items->items[i]);
    }
    return done && pr_publish_tell_cards_apart(items);
}

int pr_publish_find(const struct pr_publish_settings *settings, struct pr_publish_items *items)
{
    struct finder finder = {.settings = settings, .items = items};
    struct stat input;
    if (fstat(settings->site.folder_fd, &finder.site) || fstat(items->folder_fd, &input)) {
        pr_say("%s: %s", settings->common.input, strerror(errno));
        return PR_EXIT_INPUT;
    }
    if (pr_is_same_file(&input, &finder.site)) {
        pr_say("%s is the site itself; publish the folder with the captures", settings->common.input);
        return PR_EXIT_USAGE;
    }
    push_folder(&finder, strdup(""));
    while (finder.folder_count && !finder.failed) {
        char *folder = finder.folders[--finder.folder_count];
        walk_folder(&finder, folder);
        free(folder);
    }
    while (finder.folder_count)
        free(finder.folders[--finder.folder_count]);
    free(finder.folders);
    if (finder.failed || !finish(settings, items)) {
        pr_say("%s: out of memory", settings->common.input);
        return PR_EXIT_INPUT;
    }
    if (items->left_out > MOST_WORDS)
        pr_say("%s: %s more are left out", settings->common.input,
               pr_units_count((int64_t)(items->left_out - MOST_WORDS)).text);
    return PR_EXIT_DONE;
}

void pr_publish_items_clear(struct pr_publish_items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        free(items->items[i].path);
        free(items->items[i].source);
        free(items->items[i].shown_source);
        free(items->items[i].listed);
        json_decref(items->items[i].entry);
    }
    free(items->items);
    if (items->folder_fd >= 0)
        close(items->folder_fd);
    *items = (struct pr_publish_items){.folder_fd = -1};
}
