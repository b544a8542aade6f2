/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what may be a run below a folder, and says by a key whether it changed since the last time. */
#include "capture/base/checked.h"
#include "capture/base/hash.h"
#include "capture/base/sort.h"
#include "profrender/load.h"
#include "cli/publish/publish.h"
#include "cli/io/say.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 4096 };

struct finder {
    const struct pr_publish_settings *settings;
    struct pr_publish_items *items;
    char **folders; /* still to be looked at, below the input; "" is the input itself */
    size_t folder_count, folder_capacity;
    struct stat site; /* of the site; st_ino is 0 when there is none yet */
    bool failed;      /* out of memory */
};

static char *joined(const char *folder, const char *name)
{
    char *path = NULL;
    if (!*folder)
        return strdup(name);
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* Takes FOLDER over. */
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

/* Takes SOURCE over. */
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

static bool is_card(const char *path)
{
    static const char mark[] = "<meta name=\"generator\" content=\"profrender\">";
    char head[512];
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof head);
    if (fd >= 0)
        close(fd);
    return got > 0 && memmem(head, (size_t)got, mark, sizeof mark - 1);
}

static bool ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

static bool is_site(const struct finder *finder, const struct stat *found)
{
    return finder->site.st_ino && found->st_ino == finder->site.st_ino && found->st_dev == finder->site.st_dev;
}

static void look_at(struct finder *finder, int folder_fd, const char *folder, const char *name)
{
    struct stat found, link;
    /* A link to a file is that file; one to a folder could lead round in a circle. */
    if (name[0] == '.' || fstatat(folder_fd, name, &found, 0) || fstatat(folder_fd, name, &link, AT_SYMLINK_NOFOLLOW))
        return;
    if (S_ISDIR(link.st_mode) && !is_site(finder, &found)) {
        push_folder(finder, joined(folder, name));
    } else if (S_ISREG(found.st_mode)) {
        char *source = joined(folder, name);
        char *path = source && ends_with(name, ".html") ? joined(finder->settings->common.input, source) : NULL;
        if (!path || is_card(path))
            add_item(finder, source, path ? PR_PUBLISH_CARD : PR_PUBLISH_FILE);
        else
            free(source);
        free(path);
    }
}

static bool is_run(int folder_fd)
{
    return faccessat(folder_fd, "run.json", F_OK, 0) == 0 || faccessat(folder_fd, "timeline.jsonl", F_OK, 0) == 0;
}

/* FOLDER is below the input. One that cannot be opened is said and left out. */
static void walk_folder(struct finder *finder, const char *folder)
{
    char *path = joined(finder->settings->common.input, *folder ? folder : ".");
    DIR *directory = path ? opendir(path) : NULL;
    if (!directory) {
        pr_say("%s: %s", path ? path : folder, strerror(errno));
        finder->items->closed++;
        free(path);
        return;
    }
    if (is_run(dirfd(directory))) {
        add_item(finder, strdup(*folder ? folder : "."), PR_PUBLISH_RUN);
    } else {
        const struct dirent *entry;
        while (!finder->failed && (entry = readdir(directory)))
            look_at(finder, dirfd(directory), folder, entry->d_name);
    }
    closedir(directory);
    free(path);
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/* What would be different if the file were: its size, the time of its last change, its beginning. */
static void mix_file(uint64_t *hash, uint64_t *size_bytes, const char *path)
{
    char head[HEAD_BYTES];
    struct stat found;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &found)) {
        *hash = pr_hash_two(*hash, 1);
    } else {
        const ssize_t got = S_ISREG(found.st_mode) ? read(fd, head, sizeof head) : 0;
        *hash = pr_hash_two(*hash, (uint64_t)found.st_size);
        *hash = pr_hash_two(*hash, (uint64_t)found.st_mtim.tv_sec * 1000000000 + (uint64_t)found.st_mtim.tv_nsec);
        *hash = pr_hash_two(*hash, pr_hash_bytes(head, got > 0 ? (size_t)got : 0));
        *size_bytes += (uint64_t)found.st_size;
    }
    if (fd >= 0)
        close(fd);
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void mix_folder(uint64_t *hash, uint64_t *size_bytes, const char *path)
{
    struct dirent **names;
    const int count = scandir(path, &names, not_hidden, alphasort);
    for (int i = 0; i < count; i++) {
        char *file = joined(path, names[i]->d_name);
        *hash = pr_hash_two(*hash, pr_hash_bytes(names[i]->d_name, strlen(names[i]->d_name)));
        if (file)
            mix_file(hash, size_bytes, file);
        free(file);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
}

static void mix_text(uint64_t *hash, const char *text)
{
    *hash = pr_hash_two(*hash, pr_hash_bytes(text ? text : "", text ? strlen(text) : 0));
}

/* What would be different in every card. */
static void mix_settings(uint64_t *hash, const struct pr_publish_settings *settings)
{
    mix_text(hash, pr_version());
    mix_text(hash, settings->common.input_format);
    mix_text(hash, settings->how->root);
    mix_text(hash, settings->how->source_url);
    for (size_t i = 0; i < settings->code.path_maps.count; i++)
        mix_text(hash, settings->code.path_maps.word[i]);
    *hash = pr_hash_two(*hash, (uint64_t)settings->theme * 2 + settings->how->redact_paths);
}

static void make_key(const struct pr_publish_settings *settings, struct pr_publish_item *item)
{
    uint64_t hash = pr_hash_two(1, (uint64_t)item->kind);
    mix_settings(&hash, settings);
    if (item->kind == PR_PUBLISH_RUN)
        mix_folder(&hash, &item->size_bytes, item->path);
    else
        mix_file(&hash, &item->size_bytes, item->path);
    if (item->ready)
        mix_file(&hash, &item->size_bytes, item->ready);
    snprintf(item->key, sizeof item->key, "%016" PRIx64, hash);
}

/* The end of the path in letters that need no encoding, and a hash, so that no two sources share a card. */
static void name_card(struct pr_publish_item *item)
{
    enum { MOST = 80 };
    const size_t length = strlen(item->source), from = length > MOST ? length - MOST : 0;
    char readable[MOST + 1] = "";
    for (size_t i = from; i < length; i++) {
        const char letter = item->source[i];
        const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                           (letter >= '0' && letter <= '9') || letter == '_' || (letter == '.' && i > from);
        readable[i - from] = plain ? letter : '-';
    }
    snprintf(item->card, sizeof item->card, "cards/%s-%08" PRIx32 ".html", readable,
             (uint32_t)pr_hash_bytes(item->source, length));
}

/* ---- cards that are there ---------------------------------------------------------------------------------------- */

static int by_source(const void *a, const void *b, const void *context)
{
    (void)context;
    return strcmp(((const struct pr_publish_item *)a)->source, ((const struct pr_publish_item *)b)->source);
}

static bool is_newer(const char *path, const char *than)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(than, &b) == 0 &&
           (a.st_mtim.tv_sec != b.st_mtim.tv_sec ? a.st_mtim.tv_sec > b.st_mtim.tv_sec
                                                 : a.st_mtim.tv_nsec >= b.st_mtim.tv_nsec);
}

/* train.html is the card of train.bin beside it: both begin with "train.". True: it goes to that item. */
static bool join_card(struct pr_publish_items *items, size_t card)
{
    struct pr_publish_item *of = &items->items[card];
    const size_t stem = strlen(of->source) - strlen("html");
    for (int step = -1; step <= 1; step += 2) {
        for (size_t i = card + (size_t)step; i < items->count; i += (size_t)step) {
            struct pr_publish_item *item = &items->items[i];
            if (strncmp(item->source, of->source, stem) != 0)
                break;
            if (item->kind != PR_PUBLISH_FILE || strchr(item->source + stem, '/'))
                continue;
            if (!item->ready && is_newer(of->path, item->path)) {
                item->ready = of->path;
                of->path = NULL;
            }
            return true;
        }
    }
    return false;
}

static void join_cards(struct pr_publish_items *items)
{
    size_t kept = 0;
    bool *joins = calloc(items->count + 1, sizeof *joins);
    for (size_t i = 0; joins && i < items->count; i++)
        joins[i] = items->items[i].kind == PR_PUBLISH_CARD && join_card(items, i);
    for (size_t i = 0; i < items->count; i++) {
        if (joins && joins[i]) {
            free(items->items[i].path);
            free(items->items[i].source);
        } else {
            items->items[kept++] = items->items[i];
        }
    }
    items->count = kept;
    free(joins);
}

/* ---- the doors --------------------------------------------------------------------------------------------------- */

int pr_publish_find(const struct pr_publish_settings *settings, struct pr_publish_items *items)
{
    struct finder finder = {.settings = settings, .items = items};
    struct stat input;
    *items = (struct pr_publish_items){0};
    const bool found = stat(settings->common.input, &input) == 0;
    if (!found || !S_ISDIR(input.st_mode)) {
        pr_say("%s: %s", settings->common.input, found ? "it is no folder" : strerror(errno));
        return PR_EXIT_INPUT;
    }
    if (stat(settings->site, &finder.site))
        finder.site = (struct stat){0};
    push_folder(&finder, strdup(""));
    while (finder.folder_count && !finder.failed) {
        char *folder = finder.folders[--finder.folder_count];
        walk_folder(&finder, folder);
        free(folder);
    }
    while (finder.folder_count)
        free(finder.folders[--finder.folder_count]);
    free(finder.folders);
    if (finder.failed || !pr_sort(items->items, items->count, sizeof *items->items, by_source, NULL)) {
        pr_say("%s: out of memory", settings->common.input);
        return PR_EXIT_INPUT;
    }
    join_cards(items);
    for (size_t i = 0; i < items->count; i++) {
        make_key(settings, &items->items[i]);
        name_card(&items->items[i]);
    }
    return PR_EXIT_DONE;
}

void pr_publish_items_clear(struct pr_publish_items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        free(items->items[i].path);
        free(items->items[i].source);
        free(items->items[i].ready);
        json_decref(items->items[i].entry);
    }
    free(items->items);
    *items = (struct pr_publish_items){0};
}
