/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of formats that are named instead of read, sorted by title and by name. The row with the most evidence
 * wins.
 *
 * Source: async-profiler docs/ConverterUsage.md; Go internal/trace/version and `go tool trace -h`; `dotnet-trace
 * convert --help`; Windows SDK evntrace.h, SYSTEM_TRACE_HEADER; FlameGraph's stackcollapse-*; GHC EventLogFormat.h;
 * binutils gprof/gmon_out.h; the file formats of Parquet, Arrow and SQLite; PEP 3154; libpcap pcap-savefile(5);
 * sysstat sa.h; atop rawlog.h; sysprof-capture-types.h; trace-cmd.dat(5); the Common Trace Format 1.8; PerfView
 * FastSerialization.cs; OpenJ9 "Portable Heap Dump"; rbspy storage; R's Rprof; LLVM InstrProfData.inc; gcc
 * gcov-io.h; rocprofiler-sdk's CSV; vmprof 0.6 reader.py; Perfetto data_source_config.proto,
 * docs/quickstart/traceconv.md; CPython 3.15 jsonl_collector.py; JavaScriptCore HeapSnapshotBuilder.cpp.
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
#define TRACY "tracy-csvexport FILE; perf record -g records what can be read"
#define TABLE "duckdb -c \"COPY (FROM 'FILE') TO 'FILE.csv'\"; profrender frame FILE.csv"

static const struct row rows[] = {
    {{"a .NET heap dump or trace of PerfView's kind",
      "dotnet-trace convert --format Speedscope FILE; dotnet-gcdump report FILE"},
     BEGINS("\x14\0\0\0!FastSerialization.1")},
    {{"a 7z archive", "7z x FILE"}, BEGINS("7z\xbc\xaf\x27\x1c")},
    {{"a bpftrace map of stacks", "stackcollapse-bpftrace.pl FILE >FILE.collapsed"}, BEGINS("@[\n")},
    {{"a bpftrace map of stacks", "stackcollapse-bpftrace.pl FILE >FILE.collapsed"},
     BEGINS("Attaching "), WITH("\n@[")},
    {{"a call tree copied from Instruments", "instrumentsToPprof <FILE"}, BEGINS("Bytes Used\t")},
    {{"a call tree copied from Instruments", "instrumentsToPprof <FILE"}, BEGINS("Running Time\t")},
    {{"a call tree copied from Instruments", "instrumentsToPprof <FILE"}, BEGINS("Weight\tSelf Weight\t")},
    {{"a capture of network packets (pcap)", NULL}, BEGINS("\xd4\xc3\xb2\xa1\2\0\4\0")},
    {{"a capture of network packets (pcap)", NULL}, BEGINS("\xa1\xb2\xc3\xd4\0\2\0\4")},
    {{"a capture of network packets (pcap)", NULL}, BEGINS("\x4d\x3c\xb2\xa1\2\0\4\0")},
    {{"a capture of network packets (pcapng)", NULL}, BEGINS("\n\r\r\n")},
    {{"a class histogram of the JVM", "jcmd PID GC.heap_dump FILE records what can be read"},
     WITH(" #instances         #bytes  class name")},
    {{"a contention profile of C++", "pprof -proto FILE >FILE.pb.gz"}, BEGINS("--- contentionz ")},
    {{"a contention profile of C++", "pprof -proto FILE >FILE.pb.gz"}, BEGINS("--- contention\n")},
    {{"a core dump, one moment of a program's memory", "eu-stack --core=FILE shows its stacks"},
     BEGINS("\177ELF"), AT(16, "\4\0")},
    {{"a crash report of the JVM (hs_err)", "give the heap dump or recording of that run"},
     BEGINS("#\n# A fatal error has been detected by the Java Runtime")},
    {{"a document that profrender wrote", DOCUMENT}, BEGINS("{\n \"schema\": \"profrender/")},
    {{"a GHC event log", "hs-speedscope FILE"}, BEGINS("hdrb")},
    {{"a Go execution trace", "go tool trace -pprof=sched FILE >FILE.pb"}, BEGINS("go 1."), AT(7, " trace\0")},
    {{"a heap dump of Go", "curl .../debug/pprof/heap gives what can be read"}, BEGINS("go1.7 heap dump\n")},
    {{"a heap dump of OpenJ9 (PHD)", "Eclipse MAT opens it, with DTFJ"}, BEGINS("\0\x12portable heap dump")},
    {{"a heap profile of GHC", "ghc -eventlog and hs-speedscope record what can be read"}, BEGINS("JOB \"")},
    {{"a heap snapshot of JavaScriptCore", "v8.writeHeapSnapshot(FILE) in Bun writes what can be read"},
     BEGINS("{\"version\":"), WITH("\"type\":\"Inspector\"")},
    {{"a javacore of OpenJ9", "async-profiler records what can be read"},
     BEGINS("0SECTION       TITLE subcomponent")},
    {{"a log of the JVM's collector", "jcmd PID JFR.start records what can be read"}, BEGINS("["), WITH("[info][gc")},
    {{"a log of V8, for node --prof-process", "node --cpu-prof records what can be read"}, BEGINS("v8-version,")},
    {{"a Mach-O program or library", NULL}, BEGINS("\xcf\xfa\xed\xfe")},
    {{"a macOS sample report", "stackcollapse-sample.awk FILE >FILE.collapsed"}, BEGINS("Analysis of sampling ")},
    {{"a memory graph of Xcode, or another property list", "heap FILE and leaks FILE show it"}, BEGINS("bplist00")},
    {{"a method trace of Android", "open it in Android Studio; simpleperf record -g records what can be read"},
     BEGINS("*version\n")},
    {{"a method trace of Android", "open it in Android Studio; simpleperf record -g records what can be read"},
     BEGINS("SLOW"), AT(4, "\3\0")},
    {{"a minidump of Windows", NULL}, BEGINS("MDMP")},
    {{"a page of async-profiler", "jfrconv -o collapsed FILE FILE.collapsed"}, BEGINS("<!DOCTYPE html>"),
     WITH("async-profiler")},
    {{"a page of Fil", "give peak-memory.prof, which is next to it"}, BEGINS("\n<html>"), WITH("Fil Memory Profile")},
    {{"a page of memray", "give the capture that it was made of: memray run -o FILE"}, BEGINS("<!DOCTYPE html>"),
     WITH("memray")},
    {{"a page of pyinstrument", "pyinstrument -r session -o FILE script.py"}, BEGINS("<!DOCTYPE html>"),
     WITH("pyinstrument")},
    {{"a page of Scalene", "scalene --json --outfile FILE script.py"}, BEGINS("<!DOCTYPE html>"), WITH("scalene")},
    {{"a Parquet table", TABLE}, BEGINS("PAR1")},
    {{"a PDF", NULL}, BEGINS("%PDF")},
    {{"a Perfetto trace", "traceconv json FILE FILE.json"}, BEGINS("\n"), WITH("\n\x0btrack_event")},
    {{"a Perfetto trace", "traceconv json FILE FILE.json"}, BEGINS("\n"), WITH("\n\x0clinux.ftrace")},
    {{"a Perfetto trace with a heap profile", "traceconv profile FILE writes it in the format of pprof"}, BEGINS("\n"),
     WITH("\n\x11""android.heapprofd")},
    {{"a Perfetto trace with a Java heap", "am dumpheap PID FILE records what can be read"}, BEGINS("\n"),
     WITH("\n\x12""android.java_hprof")},
    {{"a Perfetto trace with sampled stacks", "traceconv profile --perf FILE writes them in the format of pprof"},
     BEGINS("\n"), WITH("\n\nlinux.perf")},
    {{"a picture (PNG)", NULL}, BEGINS("\x89PNG")},
    {{"a picture (SVG)", "record with the profiler's raw format, for py-spy -f raw or -f speedscope"}, BEGINS("<svg")},
    {{"a profile of GHC", "ghc -eventlog and hs-speedscope record what can be read"}, .key = "cost_centres"},
    {{"a profile of GHC", "ghc -eventlog and hs-speedscope record what can be read"},
     WITH("Time and Allocation Profiling Report")},
    {{"a profile of NYTProf", "nytprofcalls FILE >FILE.collapsed"}, BEGINS("NYTProf ")},
    {{"a profile of R", "Rscript -e 'profile::write_pprof(profile::read_rprof(\"FILE\"), \"FILE.pb.gz\")'"},
     BEGINS("sample.interval=")},
    {{"a profile of R", "Rscript -e 'profile::write_pprof(profile::read_rprof(\"FILE\"), \"FILE.pb.gz\")'"},
     BEGINS("memory profiling: "), WITH("sample.interval=")},
    {{"a profile of R", "Rscript -e 'profile::write_pprof(profile::read_rprof(\"FILE\"), \"FILE.pb.gz\")'"},
     BEGINS("GC profiling: "), WITH("sample.interval=")},
    {{"a profile of R", "Rscript -e 'profile::write_pprof(profile::read_rprof(\"FILE\"), \"FILE.pb.gz\")'"},
     BEGINS("line profiling: "), WITH("sample.interval=")},
    {{"a profile of vmprof", "py-spy record -f speedscope -o FILE records what can be read"},
     BEGINS("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), AT(40, "\5\0")},
    {{"a Python pickle, not one of PyTorch's memory or tracemalloc", NULL}, BEGINS("\x80\2")},
    {{"a Python pickle, not one of PyTorch's memory or tracemalloc", NULL}, BEGINS("\x80\3")},
    {{"a Python pickle, not one of PyTorch's memory or tracemalloc", NULL}, BEGINS("\x80\4\x95")},
    {{"a Python pickle, not one of PyTorch's memory or tracemalloc", NULL}, BEGINS("\x80\5\x95")},
    {{"a RAR archive", "unrar x FILE"}, BEGINS("Rar!\x1a\7")},
    {{"a recording of atop", "atop -r FILE shows it; profrender record and sadf record what can be read"},
     BEGINS("\xef\xbe\xed\xfe")},
    {{"a recording of Nsight Systems (SQLite)", "torch.profiler's export_chrome_trace records what can be read"},
     BEGINS("SQLite format 3\0"), WITH("CUPTI_")},
    {{"a recording of Nsight Systems (SQLite)", "torch.profiler's export_chrome_trace records what can be read"},
     BEGINS("SQLite format 3\0"), WITH("TARGET_INFO_")},
    {{"a recording of perf as JSON", DOCUMENT}, .key = "linux-perf-json-version"},
    {{"a recording of rbspy", "rbspy report -f collapsed -i FILE -o FILE.collapsed"}, BEGINS("rbspy"), AT(7, "\n")},
    {{"a recording of sar", "sadf -j FILE -- -A >FILE.json"}, BEGINS("\x96\xd5\x75\x21")},
    {{"a recording of simpleperf", "gecko_profile_generator.py -i perf.data >FILE.json"}, BEGINS("SIMPLEPERF")},
    {{"a recording of Sysprof", "perf record -g records what can be read"}, BEGINS("\x5e\x97\xca\xfd")},
    {{"a recording of trace-cmd", "perf record -g records what can be read"}, BEGINS("\x17\x8\x44tracing")},
    {{"a recording of Tracy", TRACY}, BEGINS("tlZ\4")},
    {{"a recording of Tracy", TRACY}, BEGINS("tZst")},
    {{"a report of callgrind_annotate", "give callgrind.out.PID, of which it was made"},
     WITH("\nProfile data file '")},
    {{"a report of cProfile", "python -m cProfile -o FILE script.py"}, WITH("\n   Ordered by: ")},
    {{"a report of Erlang's eprof", "fprof, and erlgrind after it, record what can be read"},
     BEGINS("FUNCTION  "), WITH("  [uS / CALLS]\n")},
    {{"a report of Erlang's fprof", "erlgrind FILE FILE.callgrind"}, BEGINS("%% Analysis results:\n")},
    {{"a report of line_profiler", "py-spy record -f speedscope -o FILE records what can be read"},
     BEGINS("Timer unit: "), WITH("Line Contents\n")},
    {{"a report of Memcheck", "valgrind --tool=dhat or --tool=massif records what can be read"},
     BEGINS("=="), WITH("== Memcheck, ")},
    {{"a report of memory_profiler", "mprof run script.py, or memray run, record what can be read"},
     BEGINS("Filename: "), WITH("  Mem usage    Increment ")},
    {{"a report of ms_print", "give massif.out.PID, of which it was made"}, WITH("\nms_print arguments: ")},
    {{"a report of perf", "give perf.data, of which it was made"},
     BEGINS("# To display the perf.data header info, ")},
    {{"a report of Ruby's memory_profiler", "stackprof --mode object records what can be read"},
     BEGINS("Total allocated: "), WITH("\nTotal retained: ")},
    {{"a rocprof table of kernels",
      "rocprofv3 --output-format pftrace records a trace; traceconv json FILE FILE.json converts it"},
     BEGINS("\"Kind\",\"Agent_Id\"")},
    {{"a rocprof table of kernels", "rocprof --sys-trace records a trace of Chrome's format"},
     BEGINS("\"Index\",\"KernelName\"")},
    {{"a snapshot of VisualVM", "export its heap dump, or jcmd PID JFR.start records what can be read"},
     BEGINS("nBpRoFiLeR")},
    {{"a stream of Tachyon, in lines of JSON", "python -m profiling.sampling run --binary -o FILE script.py"},
     BEGINS("{\"type\":\"meta\",\"v\":0,\"run_id\":")},
    {{"a table of VTune", "inferno-collapse-vtune FILE >FILE.collapsed"}, BEGINS("Function Stack,")},
    {{"a trace of Erlang's fprof", "fprof:profile, fprof:analyse and erlgrind convert it"},
     BEGINS("\0\0\0"), WITH("trace_ts")},
    {{"a trace of ftrace", "perf record -g records what can be read"}, BEGINS("# tracer: ")},
    {{"a trace of ftrace", "perf record -g records what can be read"}, BEGINS("TRACE:\n")},
    {{"a trace of LTTng or another in CTF", "babeltrace2 FOLDER shows its events"}, BEGINS("\xc1\x1f\xfc\xc1")},
    {{"a trace of LTTng or another in CTF", "babeltrace2 FOLDER shows its events"}, BEGINS("/* CTF 1.8 */")},
    {{"a trace of Windows (ETL)", "save its view in PerfView as speedScope"}, AT(72, "\2\0\2\300")},
    {{"a trace of Xdebug", "record with xdebug.mode=profile"}, BEGINS("Version: "), WITH("\nFile format: ")},
    {{"a trace of Xdebug", "record with xdebug.mode=profile"}, BEGINS("TRACE START [")},
    {{"a Windows program or library", NULL}, BEGINS("MZ\x90\0")},
    {{"a zip archive", "unzip FILE"}, BEGINS("PK\3\4")},
    {{"allocations of R (Rprofmem)", "Rscript -e 'profmem::readRprofmem(\"FILE\")' shows them"},
     WITH("\nnew page:\"")},
    {{"an Arrow table", "if it is a table: profrender frame FILE"}, BEGINS("ARROW1")},
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
    {{"an XML report of Valgrind", "valgrind --tool=dhat or --tool=massif records what can be read"},
     BEGINS("<?xml"), WITH("<valgrindoutput>")},
    {{"bzip2-packed data", "bzip2 -dc FILE | profrender card - -o card.html"}, BEGINS("BZh")},
    {{"code coverage, which has neither times nor memory", NULL}, BEGINS("<?xml"), WITH("<coverage ")},
    {{"code coverage, which has neither times nor memory", NULL}, BEGINS("SQLite format 3\0"), WITH("coverage_schema")},
    {{"code coverage, which has neither times nor memory", NULL}, BEGINS("TN:"), WITH("\nSF:")},
    {{"code coverage, which has neither times nor memory", NULL}, BEGINS("mode: set\n")},
    {{"code coverage, which has neither times nor memory", NULL}, BEGINS("mode: count\n")},
    {{"code coverage, which has neither times nor memory", NULL}, BEGINS("mode: atomic\n")},
    {{"code coverage, which has neither times nor memory", NULL}, BEGINS("adcg")},
    {{"code coverage, which has neither times nor memory", NULL}, BEGINS("oncg")},
    {{"code coverage, which has neither times nor memory", NULL}, BEGINS("\x81rforpl\xff")},
    {{"code coverage, which has neither times nor memory", NULL}, BEGINS("\xfflprofi\x81")},
    {{"counts of gprof (gmon.out)", "gprof2dot shows them; perf record -g records what can be read"}, BEGINS("gmon")},
    {{"import times of Python (-X importtime)", "python -m cProfile -o FILE script.py"},
     BEGINS("import time: self [us]")},
    {{"stacks of DTrace", "stackcollapse.pl FILE >FILE.collapsed"}, BEGINS("CPU     ID  "), WITH("FUNCTION:NAME\n")},
    {{"stacks of Go's goroutines", "curl .../debug/pprof/goroutine?debug=1, or 0 for pprof"},
     BEGINS("goroutine "), WITH("]:\n")},
    {{"stacks of a JVM's threads (jstack)", "several of them: stackcollapse-jstack.pl FILE >FILE.collapsed"},
     WITH("\nFull thread dump ")},
    {{"text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE >FILE.txt"}, BEGINS("\xfe\xff")},
    {{"text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE >FILE.txt"}, BEGINS("\xff\xfe")},
    {{"XML, perhaps a picture (SVG)", "record with the profiler's raw format, for py-spy -f raw"}, BEGINS("<?xml")},
    {{"xz-packed data", "xz -dc FILE | profrender card - -o card.html"}, BEGINS("\3757zXZ")},
};

#define NSYS {"a recording of Nsight Systems", "nsys stats FILE shows it; torch.profiler records what can be read"}

/* What has no beginning that is known for certain, or is a folder: by the end of its name. */
static const struct {
    const char *end;
    struct pr_foreign foreign;
    bool is_folder; /* files of this name are something else */
    bool is_member; /* a folder with such a file is this, too */
} names[] = {
    {.end = "default.opts",
     .foreign = {"a recording of uftrace", "uftrace dump --flame-graph -d FOLDER >FILE.collapsed"}, .is_member = true},
    {.end = ".dmp", .foreign = {"a crash dump", NULL}},
    {.end = ".dmw",
     .foreign = {"a workspace of dotMemory", "dotnet-gcdump collect and dotnet-trace collect record what can be read"}},
    {.end = ".dtp", .foreign = {"a snapshot of dotTrace", "dotnet-trace collect records what can be read"}},
    {.end = ".gcdump", .foreign = {"a .NET heap dump", "dotnet-gcdump report FILE"}},
    {.end = ".jps", .foreign = {"a snapshot of JProfiler", "jcmd PID JFR.start records what can be read"}},
    {.end = ".ncu-rep",
     .foreign = {"a report of Nsight Compute", "ncu --import FILE shows it; torch.profiler records what can be read"}},
    {.end = ".nsys-rep", .foreign = NSYS},
    {.end = ".perfetto-trace", .foreign = {"a Perfetto trace", "traceconv json FILE FILE.json"}},
    {.end = ".pftrace", .foreign = {"a Perfetto trace", "traceconv json FILE FILE.json"}},
    {.end = ".qdrep", .foreign = NSYS},
    {.end = ".qdstrm", .foreign = NSYS},
    {.end = ".trace",
     .foreign = {"a recording of Instruments", "copy its call tree (Edit > Deep Copy); pbpaste | instrumentsToPprof"},
     .is_folder = true},
    {.end = ".tracy", .foreign = {"a recording of Tracy", TRACY}},
    {.end = ".vtune", .foreign = {"a result of VTune", "perf record -g records what can be read"}, .is_member = true},
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

const struct pr_foreign *pr_foreign_named(const char *name, enum pr_foreign_place place)
{
    size_t length = name ? strlen(name) : 0;
    while (length && name[length - 1] == '/')
        length--;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t end = strlen(names[i].end);
        const bool counts = place == PR_FOREIGN_MEMBER ? names[i].is_member
                                                       : place == PR_FOREIGN_FOLDER || !names[i].is_folder;
        if (counts && length >= end && !memcmp(name + length - end, names[i].end, end))
            return &names[i].foreign;
    }
    return NULL;
}

/* It is of a kind that people have and no reader takes. */
enum pr_status pr_foreign_fail(const struct pr_foreign *foreign, struct pr_error *err)
{
    if (err && err->code == PR_ERR_NONE) {
        err->looks_like = foreign->title;
        err->remedy = foreign->remedy;
    }
    return pr_fail(err, PR_ERR_UNKNOWN, 0, "choose a format", "no known format: it looks like %s%s%s", foreign->title,
                   foreign->remedy ? "; " : "", foreign->remedy ? foreign->remedy : "");
}
