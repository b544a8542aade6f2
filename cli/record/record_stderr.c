/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/record_stderr.h"

#include "capture/redact/redact.h"
#include "capture/base/time.h"
#include "cli/io/local_file.h"
#include "cli/record/record_file.h"
#include "cli/record/record_marks.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * The ring has twice what is kept: a secret over several lines that begins before the kept part is recognised by what
 * comes before. All of it is redacted before its end is taken, so that nothing is cut inside a secret.
 */
enum { KEPT_BYTES = 64 * 1024, RING_BYTES = 2 * KEPT_BYTES, PART_BYTES = KEPT_BYTES, SIGNALS = 65,
       MARK_LINE_BYTES = 4096 };

/* Of both processes. */
struct pr_stderr_shared {
    _Atomic uint64_t written_bytes; /* all of them; the ring begins RING_BYTES before, if there are that many */
    _Atomic uint32_t seen[SIGNALS]; /* signals that came to the copying process */
    uint32_t asked[SIGNALS];        /* those that the recorder knows of */
    atomic_bool finished;           /* the recorder has what it needs: the folder is not ours to write any more */
    char ring[RING_BYTES];
};

_Static_assert(PART_BYTES <= RING_BYTES, "a part wraps around once at most");

/* ---- the copying process ---------------------------------------------------------------------------------------- */

static void keep(struct pr_stderr_shared *shared, const char *bytes, size_t length)
{
    const uint64_t written = atomic_load(&shared->written_bytes);
    const size_t at = (size_t)(written % RING_BYTES), until_end = RING_BYTES - at;
    const size_t first = length < until_end ? length : until_end;
    memcpy(shared->ring + at, bytes, first);
    memcpy(shared->ring, bytes + first, length - first);
    atomic_store(&shared->written_bytes, written + length);
}

/*
 * False: nobody reads stderr any more, which the command must notice as it would without us. What a full disk did not
 * take is lost; what comes later may not be.
 */
static bool pass_on(const char *bytes, size_t length)
{
    return pr_local_file_write_fd(STDERR_FILENO, bytes, length) != EPIPE;
}

/* What was written, line by line; of a long line the beginning counts. */
struct line_marks {
    struct pr_stderr_marks marks;
    char line[MARK_LINE_BYTES];
    size_t length;
};

/* One write of a short line is never torn apart. A mark for which the FIFO has no room is lost. */
static void mark_line(struct line_marks *lines)
{
    char mark[PR_MARK_LINE_BYTES];
    regmatch_t found[2];
    lines->line[lines->length] = 0;
    if (regexec(lines->marks.pattern, lines->line, 2, found, 0) != 0)
        return;
    const regmatch_t *name = &found[found[1].rm_so >= 0];
    const struct pr_text text = {lines->line + name->rm_so, (uint32_t)(name->rm_eo - name->rm_so)};
    (void)!write(lines->marks.fd, mark, pr_mark_line(text, mark));
}

static void mark_lines(struct line_marks *lines, const char *bytes, size_t length)
{
    for (size_t i = 0; lines->marks.pattern && i < length; i++) {
        if (bytes[i] == '\n') {
            mark_line(lines);
            lines->length = 0;
        } else if (lines->length + 1 < sizeof lines->line && bytes[i]) {
            lines->line[lines->length++] = bytes[i];
        }
    }
}

static void note_signals(struct pr_stderr_shared *shared, int signal_fd)
{
    struct signalfd_siginfo info;
    if (read(signal_fd, &info, sizeof info) == (ssize_t)sizeof info && info.ssi_signo < SIGNALS)
        atomic_fetch_add(&shared->seen[info.ssi_signo], 1);
}

static void copy(struct pr_stderr_shared *shared, int read_fd, int signal_fd, struct pr_stderr_marks marks)
{
    char part[PART_BYTES];
    struct line_marks lines = {.marks = marks};
    struct pollfd waits[2] = {{.fd = read_fd, .events = POLLIN}, {.fd = signal_fd, .events = POLLIN}};
    for (;;) {
        if (poll(waits, 2, -1) < 0 && errno != EINTR)
            return;
        if (waits[1].revents & POLLIN)
            note_signals(shared, signal_fd);
        if (!waits[0].revents)
            continue;
        const ssize_t count = read(read_fd, part, sizeof part);
        if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN))
            return;
        if (count < 0)
            continue;
        keep(shared, part, (size_t)count);
        mark_lines(&lines, part, (size_t)count);
        if (!pass_on(part, (size_t)count))
            return;
    }
}

/* Keeps nothing open but what it copies: anyone waiting for the end of another file must not wait for this process. */
static void leave_all_files(int read_fd, int signal_fd, int folder_fd, int marks_fd)
{
    const int null_fd = open("/dev/null", O_RDWR);
    dup2(null_fd, STDIN_FILENO);
    dup2(null_fd, STDOUT_FILENO);
    struct pr_file_numbers all = pr_file_numbers_open("/proc/self/fd");
    for (int32_t fd; (fd = pr_file_numbers_next(&all)) > 0;)
        if (fd > STDERR_FILENO && fd != read_fd && fd != signal_fd && fd != folder_fd && fd != marks_fd && fd != all.fd)
            close(fd);
}

_Noreturn static void run(struct pr_stderr *tail, int read_fd, pid_t recorder, const struct pr_folder *folder,
                          struct pr_stderr_marks marks)
{
    sigset_t all;
    sigfillset(&all);
    const int signal_fd = signalfd(-1, &all, SFD_NONBLOCK);
    leave_all_files(read_fd, signal_fd, folder ? folder->fd : -1, marks.pattern ? marks.fd : -1);
    copy(tail->shared, read_fd, signal_fd, marks);
    if (folder && getppid() != recorder && !atomic_load(&tail->shared->finished)) {
        struct pr_buf text = {0};
        pr_stderr_text(tail, &text);
        pr_folder_replace(folder, "stderr.log", text.bytes, text.length);
    }
    _exit(0);
}

/* ---- the recorder ----------------------------------------------------------------------------------------------- */

bool pr_stderr_start(struct pr_stderr *tail, const struct pr_folder *folder, struct pr_stderr_marks marks)
{
    int ends[2];
    const pid_t recorder = getpid();
    *tail = (struct pr_stderr){.write_fd = -1};
    void *shared = mmap(NULL, sizeof *tail->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return false;
    tail->shared = shared;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        pr_stderr_clear(tail);
        return false;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        run(tail, ends[0], recorder, folder, marks);
    }
    const int error = errno;
    close(ends[0]);
    tail->write_fd = ends[1];
    if (pid < 0)
        pr_stderr_clear(tail);
    else
        tail->pid = pid;
    errno = error;
    return pid > 0;
}

void pr_stderr_close_writer(struct pr_stderr *tail)
{
    if (tail->write_fd >= 0)
        close(tail->write_fd);
    tail->write_fd = -1;
}

static void sleep_ms(int ms)
{
    const struct timespec time = {.tv_nsec = ms * PR_NS_PER_MS};
    nanosleep(&time, NULL);
}

void pr_stderr_finish(struct pr_stderr *tail, int wait_ms)
{
    enum { STEP_MS = 2 };
    pr_stderr_close_writer(tail);
    if (tail->shared)
        atomic_store(&tail->shared->finished, true);
    for (int waited_ms = 0; tail->pid; waited_ms += STEP_MS) {
        const pid_t ended = waitpid(tail->pid, NULL, WNOHANG);
        if (ended != 0 && !(ended < 0 && errno == EINTR))
            tail->pid = 0;
        else if (waited_ms >= wait_ms)
            return;
        else
            sleep_ms(STEP_MS);
    }
}

/*
 * Keeps of TEXT what follows the first end of a line after FROM; where all is one line, of a word, or of a member of
 * JSON. The rest of a value could be that of a secret.
 */
static void cut_before_line(struct pr_buf *text, size_t from)
{
    static const char ends[] = {'\n', ' ', ',', '&', ';'};
    const char *end = NULL;
    for (size_t i = 0; !end && !text->failed && i < sizeof ends; i++)
        end = memchr(text->bytes + from, ends[i], text->length - from);
    if (text->failed || text->length == 0)
        return;
    if (!end) { /* all of it is one word */
        text->length = 0;
        pr_buf_text(text, PR_REDACTED);
        return;
    }
    const size_t cut = (size_t)(end + 1 - text->bytes);
    memmove(text->bytes, text->bytes + cut, text->length - cut + 1);
    text->length -= cut;
}

/* What is in the ring, in order; where its beginning was overwritten, from the first whole line on. */
static void unroll(const struct pr_stderr_shared *shared, struct pr_buf *text)
{
    const uint64_t written = atomic_load(&shared->written_bytes);
    const size_t split = (size_t)(written % RING_BYTES);
    if (written <= RING_BYTES) {
        pr_buf_add(text, shared->ring, (size_t)written);
        return;
    }
    pr_buf_add(text, shared->ring + split, RING_BYTES - split);
    pr_buf_add(text, shared->ring, split);
    cut_before_line(text, 0);
}

void pr_stderr_text(const struct pr_stderr *tail, struct pr_buf *text)
{
    struct pr_buf plain = {0};
    if (!tail->shared)
        return;
    unroll(tail->shared, &plain);
    if (plain.failed)
        text->failed = true;
    else if (plain.length)
        pr_redact_log(text, (struct pr_text){plain.bytes, (uint32_t)plain.length});
    pr_buf_clear(&plain);
    if (text->length > KEPT_BYTES)
        cut_before_line(text, text->length - KEPT_BYTES - 1);
}

bool pr_stderr_saw_signal(struct pr_stderr *tail, int signal_number)
{
    enum { WAIT_MS = 20 };
    if (!tail->pid || signal_number <= 0 || signal_number >= SIGNALS)
        return false;
    for (int waited_ms = 0; waited_ms < WAIT_MS; waited_ms++) {
        const uint32_t seen = atomic_load(&tail->shared->seen[signal_number]);
        if (seen != tail->shared->asked[signal_number]) {
            tail->shared->asked[signal_number] = seen;
            return true;
        }
        sleep_ms(1);
    }
    return false;
}

void pr_stderr_clear(struct pr_stderr *tail)
{
    pr_stderr_close_writer(tail);
    if (tail->shared)
        munmap(tail->shared, sizeof *tail->shared);
    tail->shared = NULL;
    tail->pid = 0;
}
