/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/io/progress.h"

#include "capture/base/text.h"
#include "capture/base/time.h"
#include "profrender/buf.h"
#include "cli/io/terminal.h"
#include "cli/io/terminal_names.h"
#include "render/words/units.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int64_t QUIET_NS = 500 * PR_NS_PER_MS, REDRAW_NS = 100 * PR_NS_PER_MS;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * PR_NS_PER_S + now.tv_nsec;
}

struct pr_progress pr_progress_start(const char *name, bool quiet)
{
    int64_t now = now_ns();
    return (struct pr_progress){
        .name = strcmp(name, "-") == 0 ? "standard input" : name,
        .enabled = !quiet && pr_term_of(STDERR_FILENO, PR_COLOR_AUTO).erases,
        .started_ns = now,
        .drawn_ns = now + QUIET_NS - REDRAW_NS,
    };
}

/* "1.21 GiB of 4.07 GiB, 29.7 %, 486 MiB/s, 6 s left", as far as these are known. */
static void describe(struct pr_buf *line, uint64_t done_bytes, uint64_t size_bytes, int64_t elapsed_ns)
{
    int64_t done = (int64_t)done_bytes, size = (int64_t)size_bytes;
    double rate = elapsed_ns > 0 ? (double)done * 1e9 / (double)elapsed_ns : 0; /* bytes a second */
    pr_buf_text(line, pr_units_bytes(done).text);
    if (size >= done && size)
        pr_buf_printf(line, " of %s, %s", pr_units_bytes(size).text, pr_units_percent(done, size).text);
    pr_buf_printf(line, ", %s", pr_units_value(PR_UNIT_BYTES_PER_SECOND, (int64_t)rate).text);
    if (size >= done && size && rate >= 1) {
        int64_t left_s = (int64_t)((double)(size - done) / rate) + 1; /* whole seconds, and never 0 */
        if (left_s < 60)
            pr_buf_printf(line, ", %d s left", (int)left_s);
        else
            pr_buf_printf(line, ", %s left", pr_units_duration(left_s * PR_NS_PER_S).text);
    }
}

static void draw(struct pr_progress *progress, uint64_t done_bytes, uint64_t size_bytes)
{
    struct pr_buf line = {0}, figures = {0};
    size_t columns = pr_term_of(STDERR_FILENO, PR_COLOR_AUTO).columns - 1; /* the last column would wrap */
    describe(&figures, done_bytes, size_bytes, progress->drawn_ns - progress->started_ns);
    pr_buf_text(&line, "\r\033[K");
    if (figures.length + 20 <= columns) {
        pr_buf_text(&line, "reading ");
        pr_text_cut_path(&line, pr_text_of(progress->name), columns - figures.length - 10);
        pr_buf_text(&line, ": ");
    }
    if (figures.bytes)
        pr_text_cut_end(&line, pr_text_of(figures.bytes), columns);
    if (!line.failed && !figures.failed) {
        fwrite(line.bytes, 1, line.length, stderr);
        fflush(stderr);
        progress->shown = true;
    }
    pr_buf_clear(&line);
    pr_buf_clear(&figures);
}

bool pr_progress_step(void *context, uint64_t done_bytes, uint64_t size_bytes)
{
    struct pr_progress *progress = context;
    int64_t now = progress->enabled ? now_ns() : 0;
    if (progress->enabled && now - progress->drawn_ns >= REDRAW_NS) {
        progress->drawn_ns = now;
        draw(progress, done_bytes, size_bytes);
    }
    return true;
}

void pr_progress_end(struct pr_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
