/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of formats that are named instead of read, sorted by title. The row with the most evidence wins.
 *
 * Source: async-profiler docs/ConverterUsage.md; Go internal/trace/version and `go tool trace -h`; `dotnet-trace
 * convert --help`; Windows SDK evntrace.h, SYSTEM_TRACE_HEADER; FlameGraph's stackcollapse-*; GHC EventLogFormat.h;
 * binutils gprof/gmon_out.h; the file formats of Parquet, Arrow and SQLite; PEP 3154.
 */
#include "capture/foreign.h"

#include "capture/parse/json_peek.h"

#include <string.h>

struct row {
    struct pr_foreign foreign;
    const char *magic; /* at the beginning, `length` bytes; NULL = anything */
    size_t length;
    const char *word; /* also there: at `offset`, or within the first 64 KiB where that is 0 */
    size_t word_length, offset;
    const char *key; /* of a JSON document, as of pr_json_evidence */
};

/* clang-format off */
#define BEGINS(text) .magic = text, .length = sizeof text - 1
#define WITH(text) .word = text, .word_length = sizeof text - 1
#define AT(place, text) .offset = place, WITH(text)
#define DOCUMENT "give the capture that it was made of"

static const struct row rows[] = {
    {{"a bpftrace map of stacks", "stackcollapse-bpftrace.pl FILE >FILE.collapsed"}, BEGINS("@[\n")},
    {{"a core dump, one moment of a program's memory", NULL}, BEGINS("\177ELF"), AT(16, "\4\0")},
    {{"a document that profrender wrote", DOCUMENT}, BEGINS("{\n \"schema\": \"profrender/")},
    {{"a GHC event log", "hs-speedscope FILE"}, BEGINS("hdrb")},
    {{"a Go execution trace", "go tool trace -pprof=sched FILE >FILE.pb"}, BEGINS("go 1."), AT(7, " trace\0")},
    {{"a macOS sample report", "stackcollapse-sample.awk FILE >FILE.collapsed"}, BEGINS("Analysis of sampling ")},
    {{"a minidump of Windows", NULL}, BEGINS("MDMP")},
    {{"a page of async-profiler", "jfrconv -o collapsed FILE FILE.collapsed"}, BEGINS("<!DOCTYPE html>"),
     WITH("async-profiler")},
    {{"a page of memray", "give the capture that it was made of: memray run -o FILE"}, BEGINS("<!DOCTYPE html>"),
     WITH("memray")},
    {{"a page of pyinstrument", "pyinstrument -r session -o FILE script.py"}, BEGINS("<!DOCTYPE html>"),
     WITH("pyinstrument")},
    {{"a page of Scalene", "scalene --json --outfile FILE script.py"}, BEGINS("<!DOCTYPE html>"), WITH("scalene")},
    {{"a Parquet table", NULL}, BEGINS("PAR1")},
    {{"a PDF", NULL}, BEGINS("%PDF")},
    {{"a picture (PNG)", NULL}, BEGINS("\x89PNG")},
    {{"a picture (SVG)", "record with the profiler's raw format, for py-spy -f raw or -f speedscope"}, BEGINS("<svg")},
    {{"a Python pickle, not one of PyTorch's memory or tracemalloc", NULL}, BEGINS("\x80\2")},
    {{"a Python pickle, not one of PyTorch's memory or tracemalloc", NULL}, BEGINS("\x80\3")},
    {{"a Python pickle, not one of PyTorch's memory or tracemalloc", NULL}, BEGINS("\x80\4\x95")},
    {{"a Python pickle, not one of PyTorch's memory or tracemalloc", NULL}, BEGINS("\x80\5\x95")},
    {{"a recording of Nsight Systems (SQLite)", "torch.profiler's export_chrome_trace records what can be read"},
     BEGINS("SQLite format 3\0"), WITH("CUPTI_")},
    {{"a recording of Nsight Systems (SQLite)", "torch.profiler's export_chrome_trace records what can be read"},
     BEGINS("SQLite format 3\0"), WITH("TARGET_INFO_")},
    {{"a trace of Windows (ETL)", "save its view in PerfView as speedScope"}, AT(72, "\2\0\2\300")},
    {{"a zip archive", "unzip FILE"}, BEGINS("PK\3\4")},
    {{"an Arrow table", NULL}, BEGINS("ARROW1")},
    {{"an ELF program or library", NULL}, BEGINS("\177ELF")},
    {{"an export of Instruments", "copy the call tree with Edit > Deep Copy; pbpaste | instrumentsToPprof"},
     BEGINS("<?xml"), WITH("<trace-query-result")},
    {{"an HTML page", DOCUMENT}, BEGINS("<!DOCTYPE")},
    {{"an HTML page", DOCUMENT}, BEGINS("<!doctype")},
    {{"an HTML page", DOCUMENT}, BEGINS("<html")},
    {{"an OpenTelemetry profile (JSON)", "let the collector write pprof"}, .key = "resourceProfiles"},
    {{"an SQLite database", NULL}, BEGINS("SQLite format 3")},
    {{"an XLA profile (xplane)", "jax.profiler.trace(DIR, create_perfetto_trace=True) also writes what can be read"},
     BEGINS("\n"), WITH("/host:metadata")},
    {{"an XLA profile (xplane)", "jax.profiler.trace(DIR, create_perfetto_trace=True) also writes what can be read"},
     BEGINS("\n"), WITH("/host:CPU")},
    {{"bzip2-packed data", "bzip2 -dc FILE | profrender card - -o card.html"}, BEGINS("BZh")},
    {{"counts of gprof (gmon.out)", "gprof2dot shows them; perf record -g records what can be read"}, BEGINS("gmon")},
    {{"XML, perhaps a picture (SVG)", "record with the profiler's raw format, for py-spy -f raw"}, BEGINS("<?xml")},
    {{"xz-packed data", "xz -dc FILE | profrender card - -o card.html"}, BEGINS("\3757zXZ")},
};
/* clang-format on */

enum { LOOK_BYTES = 64 * 1024 };

static bool has_word(const struct row *row, const uint8_t *bytes, size_t length)
{
    if (!row->offset)
        return memmem(bytes, length, row->word, row->word_length) != NULL;
    return length >= row->offset + row->word_length && !memcmp(bytes + row->offset, row->word, row->word_length);
}

/* Bytes of evidence. */
static size_t evidence(const struct row *row, const struct pr_source *src, const struct pr_json_peek *peek)
{
    const size_t length = (size_t)(src->end - src->at);
    if (row->key)
        return pr_json_evidence(peek, row->key, 0) / 8;
    if (length < row->length || (row->length && memcmp(src->at, row->magic, row->length) != 0) ||
        (row->word && !has_word(row, src->at, length)))
        return 0;
    return row->length + row->word_length;
}

const struct pr_foreign *pr_foreign_find(struct pr_source *src)
{
    struct pr_json_peek peek;
    const struct pr_foreign *found = NULL;
    size_t most = 0;
    pr_json_peek(src, &peek);
    const struct pr_source view = pr_source_view(src, LOOK_BYTES);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t bytes = evidence(&rows[i], &view, &peek);
        if (bytes > most) {
            most = bytes;
            found = &rows[i].foreign;
        }
    }
    return found;
}
