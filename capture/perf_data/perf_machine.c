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
    uint32_t name;
    bool is_of_module;
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
    struct symbol symbol = {.name = (uint32_t)symbols->names.length, .is_of_module = pr_text_trim(rest).length > 0};
    if (pr_text_hex(address, &symbol.address) != address.length || type.length != 1 || !is_function(*type.bytes) ||
        !name.length || symbols->names.length > UINT32_MAX / 2)
        return;
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

static int compare_symbols(const void *a, const void *b, const void *context)
{
    (void)context;
    const struct symbol *x = a, *y = b;
    return PR_ORDER(x->address, y->address);
}

/* Where the last function of the kernel or of a module is taken to end: no function after it tells. */
static uint64_t page_after(uint64_t address)
{
    enum { PAGE = 4096 };
    return (address + PAGE + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

/*
 * Each function reaches to the next. Of several names for one address, perf gives all but the last no length and then
 * drops those without: the last one in the list remains.
 */
static bool make_spans(struct list *list, struct pr_perf_symbols *symbols)
{
    if (!pr_sort(list->symbol, list->count, sizeof *list->symbol, compare_symbols, NULL))
        return false;
    for (size_t i = 0; i < list->count; i++) {
        const struct symbol *symbol = list->symbol + i, *next = i + 1 < list->count ? symbol + 1 : NULL;
        const bool reaches_next = next && next->is_of_module == symbol->is_of_module;
        const uint64_t end = reaches_next ? next->address : page_after(symbol->address);
        if (!pr_spans_add(&symbols->spans, symbol->address, end, symbol->name))
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

bool pr_perf_machine_list(struct pr_perf_symbols *symbols, const struct pr_perf_kernel *kernel, const char *path)
{
    struct job job = {.symbols = symbols};
    const bool good = each_line(pr_open_regular(path), path, take_kernel_line, &job) && job.list.text &&
                      !job.list.no_memory && !symbols->names.failed && make_spans(&job.list, symbols);
    symbols->moved = job.list.text - kernel->text;
    free(job.list.symbol);
    return good;
}

bool pr_perf_machine_kernel(struct pr_perf_symbols *symbols, const struct pr_perf_kernel *kernel)
{
    return kernel->text && is_same_kernel(kernel) && pr_perf_machine_list(symbols, kernel, "/proc/kallsyms");
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
