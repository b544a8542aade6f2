/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source: proc(5), Documentation/scheduler/sched-stats.rst: the second number of schedstat; task_io_accounting_add() in
 * kernel/exit.c of Linux 6.1: a wait hands counters to the parent.
 */
#include "cli/record/record_processes.h"

#include "cli/record/record_proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Twice as many as processes, so that searches stay short. */
enum { SLOTS = 2 * PR_PROCESSES_MAX };

/* Threads whose children are looked for at every sample; those of processes with more, at thorough ones. */
enum { THREADS_A_SAMPLE = 64 };

/* What the processes that are alive, and those that have gone, changed since the last look. */
struct change {
    int64_t own_us, children_us;
    int64_t read_bytes, written_bytes;
};

/* ---- the table -------------------------------------------------------------------------------------------------- */

bool pr_processes_init(struct pr_processes *tree)
{
    memset(tree, 0, sizeof *tree);
    const long page_bytes = sysconf(_SC_PAGESIZE), ticks_per_s = sysconf(_SC_CLK_TCK);
    tree->processes = calloc(PR_PROCESSES_MAX, sizeof *tree->processes);
    tree->slots = calloc(SLOTS, sizeof *tree->slots);
    tree->page_bytes = page_bytes > 0 ? (uint64_t)page_bytes : 4096;
    tree->us_per_tick = ticks_per_s > 0 ? 1000000 / (uint64_t)ticks_per_s : 10000;
    tree->has_lists = pr_file_read(AT_FDCWD, "/proc/thread-self/children", &tree->list).bytes != NULL;
    if (tree->processes && tree->slots)
        return true;
    pr_processes_clear(tree);
    return false;
}

void pr_processes_clear(struct pr_processes *tree)
{
    free(tree->processes);
    free(tree->slots);
    tree->processes = NULL;
    tree->slots = NULL;
    tree->count = 0;
}

void pr_processes_leave_out(struct pr_processes *tree, int32_t pid)
{
    if (tree->other_count < PR_PROCESSES_MAX_OTHERS)
        tree->others[tree->other_count++] = pid;
}

static bool is_left_out(const struct pr_processes *tree, int32_t pid)
{
    for (uint32_t i = 0; i < tree->other_count; i++)
        if (tree->others[i] == pid)
            return true;
    return false;
}

void pr_processes_leave_out_others(struct pr_processes *tree, int32_t command)
{
    const struct pr_text text = pr_file_read(AT_FDCWD, "/proc/thread-self/children", &tree->list);
    size_t at = 0;
    for (int32_t pid; text.bytes && (pid = pr_proc_next_pid(text, &at)) > 0;)
        if (pid != command && !is_left_out(tree, pid))
            pr_processes_leave_out(tree, pid);
    if (text.bytes)
        return;
    struct pr_file_numbers all = pr_file_numbers_open("/proc");
    for (int32_t pid; (pid = pr_file_numbers_next(&all)) > 0;) {
        struct pr_proc_stat stat;
        const struct pr_text line = pr_file_read_proc(pid, "stat", &tree->text);
        if (pid != command && line.bytes && pr_proc_parse_stat(line, &stat) && stat.parent == (int32_t)getpid() &&
            !is_left_out(tree, pid))
            pr_processes_leave_out(tree, pid);
    }
}

/* Where PID is, or would be. */
static uint16_t *slot_of(struct pr_processes *tree, int32_t pid)
{
    uint32_t at = (uint32_t)pid * 2654435761u % SLOTS;
    while (tree->slots[at] && tree->processes[tree->slots[at] - 1].pid != pid)
        at = (at + 1) % SLOTS;
    return &tree->slots[at];
}

static void fill_slots(struct pr_processes *tree)
{
    memset(tree->slots, 0, SLOTS * sizeof *tree->slots);
    for (uint32_t i = 0; i < tree->count; i++)
        *slot_of(tree, tree->processes[i].pid) = (uint16_t)(i + 1);
}

/* ---- one process ------------------------------------------------------------------------------------------------ */

static void read_io(struct pr_processes *tree, struct pr_live_process *process)
{
    const struct pr_text text = pr_file_read_proc(process->pid, "io", &tree->text);
    process->has_io = text.bytes && pr_proc_find(text, "read_bytes", &process->read_bytes) &&
                      pr_proc_find(text, "write_bytes", &process->written_bytes);
}

/* How long PATH, a thread, was ready to run and had no core. */
static bool read_waited(struct pr_processes *tree, const char *path, uint64_t *waited_ns)
{
    const struct pr_text text = pr_file_read(AT_FDCWD, path, &tree->text);
    return text.bytes && pr_proc_parse_schedstat(text, waited_ns);
}

/* The threads of a process that is too large for this sample keep what they had. */
static void read_waited_of_threads(struct pr_processes *tree, struct pr_live_process *process)
{
    char path[64];
    uint64_t sum_ns = 0, waited_ns;
    if (process->threads > tree->threads_left) {
        process->waited_ns = 0;
        return;
    }
    tree->threads_left -= process->threads;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process->pid);
    struct pr_file_numbers threads = pr_file_numbers_open(path);
    for (int32_t thread; (thread = pr_file_numbers_next(&threads)) > 0;) {
        snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)process->pid, (int)thread);
        if (read_waited(tree, path, &waited_ns)) {
            sum_ns += waited_ns;
            tree->has_waited = true;
        }
    }
    process->waited_ns = sum_ns;
}

/* PROCESS has its pid. False: there is no such process any more. */
static bool look_at(struct pr_processes *tree, struct pr_live_process *process)
{
    struct pr_proc_stat stat;
    const struct pr_text text = pr_file_read_proc(process->pid, "stat", &tree->text);
    if (!text.bytes || !pr_proc_parse_stat(text, &stat))
        return false;
    process->is_zombie = stat.state == 'Z' || stat.state == 'X';
    process->threads = stat.threads;
    process->start_ticks = stat.start_ticks;
    process->own_ticks = stat.user_ticks + stat.system_ticks;
    process->children_ticks = stat.children_user_ticks + stat.children_system_ticks;
    process->resident_pages = stat.resident_pages;
    read_io(tree, process);
    read_waited_of_threads(tree, process);
    return true;
}

/* By how much NOW exceeds BEFORE. Counters that cannot be read any more, as those of a zombie, stay as they were. */
static void add_change(struct pr_processes *tree, struct change *change, const struct pr_live_process *before,
                       struct pr_live_process *now)
{
    if (!now->has_io) {
        now->has_io = before->has_io;
        now->read_bytes = before->read_bytes;
        now->written_bytes = before->written_bytes;
    }
    if (now->waited_ns > before->waited_ns) /* less: a thread has gone, along with its counts */
        tree->waited_ns += now->waited_ns - before->waited_ns;
    else if (!now->waited_ns)
        now->waited_ns = before->waited_ns;
    change->own_us += (int64_t)((now->own_ticks - before->own_ticks) * tree->us_per_tick);
    change->children_us += (int64_t)((now->children_ticks - before->children_ticks) * tree->us_per_tick);
    change->read_bytes += (int64_t)(now->read_bytes - before->read_bytes);
    change->written_bytes += (int64_t)(now->written_bytes - before->written_bytes);
}

/* A process has gone: what was counted for it is about to come again, in the counters of the one that waited for it. */
static void subtract_gone(const struct pr_processes *tree, struct change *change, const struct pr_live_process *process)
{
    change->children_us -= (int64_t)((process->own_ticks + process->children_ticks) * tree->us_per_tick);
    change->read_bytes -= (int64_t)process->read_bytes;
    change->written_bytes -= (int64_t)process->written_bytes;
}

static void look_at_known(struct pr_processes *tree, struct change *change)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct pr_live_process before = tree->processes[i];
        struct pr_live_process now = {.pid = before.pid};
        if (look_at(tree, &now) && now.start_ticks == before.start_ticks) {
            add_change(tree, change, &before, &now);
            tree->processes[kept++] = now;
        } else {
            subtract_gone(tree, change, &before);
        }
    }
    tree->count = kept;
    fill_slots(tree);
}

/* A descendant, known or not. */
static void meet(struct pr_processes *tree, int32_t pid, struct change *change)
{
    uint16_t *slot = slot_of(tree, pid);
    if (*slot)
        return;
    if (tree->count == PR_PROCESSES_MAX) {
        tree->left_out++;
        return;
    }
    const struct pr_live_process nothing = {0};
    struct pr_live_process *process = &tree->processes[tree->count];
    *process = (struct pr_live_process){.pid = pid};
    if (!look_at(tree, process))
        return;
    add_change(tree, change, &nothing, process);
    tree->count++;
    *slot = (uint16_t)tree->count;
}

/* ---- finding descendants ---------------------------------------------------------------------------------------- */

/* The children in the list of that name. They are few: what does not fit into the text is found later. */
static void meet_list(struct pr_processes *tree, const char *path, struct change *change)
{
    const struct pr_text text = pr_file_read(AT_FDCWD, path, &tree->list);
    size_t at = 0;
    for (int32_t pid; text.bytes && (pid = pr_proc_next_pid(text, &at)) > 0;)
        meet(tree, pid, change);
}

static void meet_own_children(struct pr_processes *tree, struct change *change)
{
    const struct pr_text text = pr_file_read(AT_FDCWD, "/proc/thread-self/children", &tree->list);
    size_t at = 0;
    for (int32_t pid; text.bytes && (pid = pr_proc_next_pid(text, &at)) > 0;)
        if (!is_left_out(tree, pid))
            meet(tree, pid, change);
}

/* The children that the other threads of PID have started. */
static void meet_children_of_threads(struct pr_processes *tree, int32_t pid, struct change *change)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    struct pr_file_numbers threads = pr_file_numbers_open(path);
    for (int32_t thread; (thread = pr_file_numbers_next(&threads)) > 0;) {
        snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)thread);
        if (thread != pid)
            meet_list(tree, path, change);
    }
}

/* The table is its own queue: those that are met are looked at for children later in the same loop. */
static void follow_lists(struct pr_processes *tree, bool thoroughly, struct change *change)
{
    uint32_t threads_left = THREADS_A_SAMPLE;
    meet_own_children(tree, change);
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct pr_live_process *process = &tree->processes[i];
        const int32_t pid = process->pid;
        const uint32_t threads = process->threads;
        char path[64];
        if (process->is_zombie)
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
        meet_list(tree, path, change);
        if (threads <= 1 || (!thoroughly && threads > threads_left))
            continue;
        meet_children_of_threads(tree, pid, change);
        threads_left -= threads < threads_left ? threads : threads_left;
    }
}

/* Without lists: looks at every process's parent, again as long as that finds one. */
static void scan_parents(struct pr_processes *tree, struct change *change)
{
    const int32_t me = (int32_t)getpid();
    uint32_t before;
    do {
        before = tree->count;
        struct pr_file_numbers all = pr_file_numbers_open("/proc");
        for (int32_t pid; (pid = pr_file_numbers_next(&all)) > 0;) {
            struct pr_proc_stat stat;
            if (is_left_out(tree, pid) || *slot_of(tree, pid))
                continue;
            const struct pr_text text = pr_file_read_proc(pid, "stat", &tree->text);
            if (text.bytes && pr_proc_parse_stat(text, &stat) &&
                (stat.parent == me || (stat.parent > 0 && *slot_of(tree, stat.parent))))
                meet(tree, pid, change);
        }
    } while (tree->count != before);
}

/* ---- totals ----------------------------------------------------------------------------------------------------- */

/* Moves a total on; what was lost between two counters must not turn it back. */
static void move_on(uint64_t *total, int64_t change)
{
    *total += change > 0 ? (uint64_t)change : 0;
}

static void add_shared_pages(struct pr_processes *tree, struct pr_processes_totals *totals)
{
    totals->has_pss = true;
    for (uint32_t i = 0; i < tree->count && totals->has_pss; i++) {
        uint64_t pss_kib = 0, swap_kib = 0;
        if (tree->processes[i].is_zombie)
            continue;
        const struct pr_text text = pr_file_read_proc(tree->processes[i].pid, "smaps_rollup", &tree->text);
        totals->has_pss = text.bytes && (!text.length || (pr_proc_find(text, "Pss", &pss_kib) &&
                                                          pr_proc_find(text, "SwapPss", &swap_kib)));
        totals->pss_bytes += pss_kib * 1024;
        totals->swap_bytes += swap_kib * 1024;
    }
}

/* What is resident, by what it is: memory of its own, pages of files, and shared memory. Since Linux 4.5. */
static void add_kinds(struct pr_processes *tree, struct pr_processes_totals *totals)
{
    totals->has_kinds = tree->count > 0;
    for (uint32_t i = 0; i < tree->count && totals->has_kinds; i++) {
        uint64_t anonymous_kib = 0, file_kib = 0, shared_kib = 0;
        if (tree->processes[i].is_zombie)
            continue;
        const struct pr_text text = pr_file_read_proc(tree->processes[i].pid, "status", &tree->text);
        /* A process that is ending has no memory any more, and no such lines. */
        const bool is_there = text.bytes && pr_proc_find(text, "RssAnon", &anonymous_kib) &&
                              pr_proc_find(text, "RssFile", &file_kib) && pr_proc_find(text, "RssShmem", &shared_kib);
        totals->has_kinds = is_there || !tree->processes[i].resident_pages;
        totals->anonymous_bytes += anonymous_kib * 1024;
        totals->file_bytes += file_kib * 1024;
        totals->shared_bytes += shared_kib * 1024;
    }
}

void pr_processes_take(struct pr_processes *tree, bool thoroughly, struct pr_processes_totals *totals)
{
    struct change change = {.children_us = (int64_t)tree->gone_us,
                            .read_bytes = (int64_t)tree->gone_read_bytes,
                            .written_bytes = (int64_t)tree->gone_written_bytes};
    tree->gone_us = tree->gone_read_bytes = tree->gone_written_bytes = 0;
    tree->threads_left = thoroughly ? UINT32_MAX : THREADS_A_SAMPLE;
    look_at_known(tree, &change);
    tree->left_out = 0;
    if (tree->has_lists)
        follow_lists(tree, thoroughly, &change);
    else
        scan_parents(tree, &change);
    move_on(&tree->cpu_us, change.own_us);
    move_on(&tree->cpu_us, change.children_us);
    move_on(&tree->read_bytes, change.read_bytes);
    move_on(&tree->written_bytes, change.written_bytes);
    *totals = (struct pr_processes_totals){.left_out = tree->left_out,
                                      .cpu_us = tree->cpu_us,
                                      .has_waited = tree->has_waited,
                                      .waited_us = tree->waited_ns / 1000,
                                      .has_io = true,
                                      .read_bytes = tree->read_bytes,
                                      .written_bytes = tree->written_bytes};
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct pr_live_process *process = &tree->processes[i];
        totals->has_io = totals->has_io && process->has_io;
        if (process->is_zombie)
            continue;
        totals->processes++;
        totals->threads += process->threads;
        totals->resident_bytes += process->resident_pages * tree->page_bytes;
    }
    if (thoroughly) {
        add_shared_pages(tree, totals);
        add_kinds(tree, totals);
    }
}

/* A process that has ended still has its first thread: for most that is all. */
static void add_last_wait(struct pr_processes *tree, int32_t pid)
{
    char path[64];
    uint64_t now_ns = 0, before_ns = 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
    if (!read_waited(tree, path, &now_ns))
        return;
    for (uint32_t i = 0; i < tree->count; i++)
        if (tree->processes[i].pid == pid)
            before_ns = tree->processes[i].waited_ns;
    tree->has_waited = true;
    tree->waited_ns += now_ns > before_ns ? now_ns - before_ns : 0;
}

void pr_processes_going(struct pr_processes *tree, int32_t pid)
{
    struct pr_live_process process = {.pid = pid};
    add_last_wait(tree, pid);
    read_io(tree, &process);
    if (!process.has_io)
        for (uint32_t i = 0; i < tree->count; i++)
            if (tree->processes[i].pid == pid)
                process = tree->processes[i];
    tree->gone_read_bytes += process.read_bytes;
    tree->gone_written_bytes += process.written_bytes;
}

void pr_processes_gone(struct pr_processes *tree, uint64_t cpu_us)
{
    tree->gone_us += cpu_us;
}
