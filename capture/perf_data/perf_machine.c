/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of functions as files of this machine. */
#include "capture/perf_data/perf_machine.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/parse/lines.h"
#include "capture/parse/words.h"
#include "capture/symbols/elf_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- the kernel ------------------------------------------------------------------------------------------------- */

struct symbol {
    uint64_t address;
    uint32_t name, length;
    char type;
};

struct list {
    struct symbol *symbol; /* [count] */
    size_t count, capacity;
    uint64_t text; /* address of _text */
    bool no_memory;
};

static uint32_t word_at(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Whether the notes, [LENGTH], have the build id that HEX writes. Source: elf.h, Elf64_Nhdr and NT_GNU_BUILD_ID. */
static bool notes_have(const uint8_t *notes, size_t length, const char *hex)
{
    enum { HEAD = 12, BUILD_ID = 3 };
    for (size_t at = 0; length - at >= HEAD && at < length;) {
        const size_t name = (word_at(notes + at) + (size_t)3) & ~(size_t)3;
        const size_t size = word_at(notes + at + 4), padded = (size + 3) & ~(size_t)3;
        const uint8_t *bytes = notes + at + HEAD + name;
        if (name > length || padded > length || HEAD + name + padded > length - at)
            return false;
        if (word_at(notes + at + 8) == BUILD_ID && name == 4 && !memcmp(bytes - 4, "GNU", 4)) {
            char text[2 * 64 + 1] = "";
            for (size_t i = 0; i < size && i < 64; i++)
                snprintf(text + 2 * i, 3, "%02x", bytes[i]);
            return !strcmp(text, hex);
        }
        at += HEAD + name + padded;
    }
    return false;
}

static bool is_same_kernel(const struct pr_perf_kernel *kernel)
{
    uint8_t notes[4096];
    struct utsname about;
    if (!*kernel->build_id)
        return *kernel->release && !uname(&about) && !strcmp(about.release, kernel->release);
    const int fd = pr_open_regular("/sys/kernel/notes");
    const ssize_t length = fd < 0 ? -1 : read(fd, notes, sizeof notes);
    if (fd >= 0)
        close(fd);
    return length > 0 && notes_have(notes, (size_t)length, kernel->build_id);
}

static bool is_function(char type)
{
    return type && strchr("tTwWdDbB", type);
}

/* `ffffffff81000000 T _text`, and after a tab `[module]` */
static void take_symbol(struct list *list, struct pr_perf_symbols *symbols, struct pr_text line)
{
    struct pr_text rest = line, address = pr_fields_word(&rest), type = pr_fields_word(&rest);
    const struct pr_text name = pr_fields_word(&rest);
    struct symbol symbol = {.name = (uint32_t)symbols->names.length, .length = name.length};
    if (pr_text_hex(address, &symbol.address) != address.length || type.length != 1 || !is_function(*type.bytes) ||
        !name.length || symbols->names.length > UINT32_MAX / 2)
        return;
    symbol.type = *type.bytes;
    if (pr_text_is(name, "_text"))
        list->text = symbol.address;
    if (!pr_grow(&list->symbol, &list->capacity, list->count + 1, sizeof *list->symbol)) {
        list->no_memory = true;
        return;
    }
    list->symbol[list->count++] = symbol;
    pr_buf_add(&symbols->names, name.bytes, name.length);
    pr_buf_byte(&symbols->names, 0);
}

static unsigned underscores(const char *name)
{
    unsigned count = 0;
    while (name[count] == '_')
        count++;
    return count;
}

/* Below 0: A is the better name of the two: not weak, global, with fewer underscores, longer. */
static int compare_names(const struct symbol *a, const struct symbol *b, const char *names)
{
    const bool weak_a = a->type == 'w' || a->type == 'W', weak_b = b->type == 'w' || b->type == 'W';
    const bool local_a = a->type > 'Z', local_b = b->type > 'Z';
    const unsigned low_a = underscores(names + a->name), low_b = underscores(names + b->name);
    if (weak_a != weak_b)
        return weak_a ? 1 : -1;
    if (local_a != local_b)
        return local_a ? 1 : -1;
    if (low_a != low_b)
        return PR_ORDER(low_a, low_b);
    return a->length != b->length ? PR_ORDER(b->length, a->length) : PR_ORDER(a->name, b->name);
}

static int compare_symbols(const void *a, const void *b, const void *context)
{
    const struct symbol *x = a, *y = b;
    return x->address != y->address ? PR_ORDER(x->address, y->address) : compare_names(x, y, context);
}

/* Each function reaches to the next. */
static bool make_spans(struct list *list, struct pr_perf_symbols *symbols)
{
    if (!pr_sort(list->symbol, list->count, sizeof *list->symbol, compare_symbols, symbols->names.bytes))
        return false;
    for (size_t i = 0, next = 0; i < list->count; i = next) {
        for (next = i + 1; next < list->count && list->symbol[next].address == list->symbol[i].address;)
            next++;
        if (next < list->count && !pr_spans_add(&symbols->spans, list->symbol[i].address,
                                                list->symbol[next].address, list->symbol[i].name))
            return false;
    }
    return pr_spans_sort(&symbols->spans);
}

/* FD as lines: WORK takes each. It is closed. */
static bool each_line(int fd, const char *name, void (*work)(void *context, struct pr_text line), void *context)
{
    struct pr_source *src;
    if (fd < 0 || pr_source_open_fd(fd, name, NULL, &src, NULL) != PR_OK)
        return false;
    struct pr_lines lines = pr_lines_begin(src, NULL);
    while (pr_lines_next(&lines))
        work(context, lines.text);
    pr_source_close(src);
    return true;
}

struct job {
    struct list list;
    struct pr_perf_symbols *symbols;
    bool failed;
};

static void take_kernel_line(void *context, struct pr_text line)
{
    struct job *job = context;
    take_symbol(&job->list, job->symbols, line);
}

bool pr_perf_machine_kernel(struct pr_perf_symbols *symbols, const struct pr_perf_kernel *kernel)
{
    struct job job = {.symbols = symbols};
    if (!kernel->text || !is_same_kernel(kernel))
        return false;
    bool good = each_line(pr_open_regular("/proc/kallsyms"), "/proc/kallsyms", take_kernel_line, &job) &&
                job.list.text && !job.list.no_memory && !symbols->names.failed && make_spans(&job.list, symbols);
    symbols->moved = job.list.text - kernel->text;
    free(job.list.symbol);
    return good;
}

/* ---- what a program wrote itself -------------------------------------------------------------------------------- */

/* `7f5e3c0010a0 1c8 LazyCompile:*sum /app/main.js:12` */
static void take_jit_line(void *context, struct pr_text line)
{
    struct job *job = context;
    struct pr_perf_symbols *symbols = job->symbols;
    struct pr_text rest = line, address = pr_fields_word(&rest), size = pr_fields_word(&rest);
    uint64_t start, bytes;
    address = pr_text_from(address, pr_text_starts(address, "0x") ? 2 : 0);
    size = pr_text_from(size, pr_text_starts(size, "0x") ? 2 : 0);
    rest = pr_text_trim(rest);
    if (!address.length || pr_text_hex(address, &start) != address.length || !size.length ||
        pr_text_hex(size, &bytes) != size.length || !rest.length || bytes > UINT64_MAX - start ||
        symbols->names.length > UINT32_MAX / 2)
        return;
    job->failed = job->failed || !pr_spans_add(&symbols->spans, start, start + bytes, (uint32_t)symbols->names.length);
    pr_buf_add(&symbols->names, rest.bytes, rest.length);
    pr_buf_byte(&symbols->names, 0);
}

/* Anyone may write to /tmp: as perf does, only lists of this user or root are believed. */
static int open_list(const char *path)
{
    struct stat about;
    const int fd = pr_open_regular(path);
    if (fd < 0 || (!fstat(fd, &about) && (about.st_uid == geteuid() || !about.st_uid)))
        return fd;
    close(fd);
    return -1;
}

bool pr_perf_machine_jit(struct pr_perf_symbols *symbols, uint32_t pid)
{
    struct job job = {.symbols = symbols};
    char path[40];
    snprintf(path, sizeof path, "/tmp/perf-%" PRIu32 ".map", pid);
    return each_line(open_list(path), path, take_jit_line, &job) && !job.failed && !symbols->names.failed &&
           pr_spans_sort(&symbols->spans);
}
