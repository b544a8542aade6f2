# SPDX-License-Identifier: Apache-2.0
"""A format that is not read is named, and what converts it, in the message and in the JSON of `info`."""

import gzip
import pickle
import sqlite3
import subprocess
import sys

import pytest

COVERAGE = "code coverage, which has neither times nor memory"
HTML = b"<!DOCTYPE html>\n<html><head><title>%s</title></head></html>\n"

# Beginnings as the tools write them, minimal: (bytes, what it is called, what converts it).
FORMATS = {
    "Go trace": (b"go 1.22 trace\0\0\0" + bytes(16), "a Go execution trace", "go tool trace -pprof="),
    "ETL": ((0x10000).to_bytes(4, "little") + bytes(68) + bytes([2, 0, 2, 0xC0]) + bytes(64),
            "a trace of Windows (ETL)", "PerfView"),
    "OTLP": (b'{"resourceProfiles":[{"scopeProfiles":[]}]}', "an OpenTelemetry profile (JSON)", "pprof"),
    "core": (b"\x7fELF\2\1\1" + bytes(9) + b"\4\0\x3e\0", "a core dump, one moment of a program's memory",
             "eu-stack --core"),
    "ELF": (b"\x7fELF\2\1\1" + bytes(9) + b"\3\0\x3e\0", "an ELF program or library", None),
    "Parquet": (b"PAR1" + bytes(32), "a Parquet table", "profrender frame FILE.csv"),
    "Arrow": (b"ARROW1\0\0" + bytes(32), "an Arrow table", "profrender frame"),
    "event log": (b"hdrb" + b"hetb" + bytes(32), "a GHC event log", "hs-speedscope"),
    "gmon.out": (b"gmon\1\0\0\0" + bytes(12), "counts of gprof (gmon.out)", "perf record -g"),
    "vmprof": (b"\0" * 8 + b"\3" + b"\0" * 15 + b"\xde\3" + b"\0" * 14 + b"\5\0\7\4\7cpython\6" + b"\x19" * 32,
               "a profile of vmprof", "py-spy record"),
    "Chrome, from its start": (b"\n\x63\x32\x5aP\1\x8a\2\x20\n\x1e\n\x0btrack_event\x10\0" + b"\x18\0" * 32,
                               "a Perfetto trace", "traceconv json"),
    "heapprofd": (b"\n\x63\x32\x5aP\1\x8a\2\x26\n\x24\n\x11android.heapprofd\x10\0" + b"\x18\0" * 32,
                  "a Perfetto trace with a heap profile", "traceconv profile FILE"),
    "linux.perf": (b"\n\x63\x32\x5aP\1\x8a\2\x26\n\x24\n\nlinux.perf\x10\0" + b"\x18\0" * 32,
                   "a Perfetto trace with sampled stacks", "traceconv profile --perf FILE"),
    "java_hprof": (b"\n\x63\x32\x5aP\1\x8a\2\x26\n\x24\n\x12android.java_hprof\x10\0" + b"\x18\0" * 32,
                   "a Perfetto trace with a Java heap", "am dumpheap"),
    "NYTProf": (b"NYTProf 5 0\n#Perl profile database.\n", "a profile of NYTProf", "nytprofcalls"),
    "perf data convert": (b'{\n\t"linux-perf-json-version": 1,\n\t"headers": {}}', "a recording of perf as JSON",
                          "the capture that it was made of"),
    "Bun and Safari": (b'{"version":3,"type":"Inspector","nodes":[0,0,0,0]}', "a heap snapshot of JavaScriptCore",
                       "v8.writeHeapSnapshot"),
    "minidump": (b"MDMP\x93\xa7" + bytes(26), "a minidump of Windows", None),
    "macOS sample": (b"Analysis of sampling Safari (pid 1) every 1 millisecond\n", "a macOS sample report",
                     "stackcollapse-sample.awk"),
    "bpftrace": (b"@[\n    vfs_read+0\n    sys_read+10\n]: 12\n", "a bpftrace map of stacks",
                 "stackcollapse-bpftrace.pl"),
    "bpftrace, as it prints": (b"Attaching 2 probes...\n\n@[\n    vfs_read+0\n]: 12\n", "a bpftrace map of stacks",
                               "stackcollapse-bpftrace.pl"),
    "Instruments": (b'<?xml version="1.0"?>\n<trace-query-result>\n<node/></trace-query-result>\n',
                    "an export of Instruments", "instrumentsToPprof"),
    "memray HTML": (HTML % b"memray - flamegraph", "a page of memray", "memray run"),
    "pyinstrument HTML": (HTML % b"pyinstrument", "a page of pyinstrument", "pyinstrument -r session"),
    "Scalene HTML": (HTML % b"scalene", "a page of Scalene", "scalene --json"),
    "async-profiler HTML": (HTML % b"async-profiler", "a page of async-profiler", "jfrconv -o collapsed"),
    "HTML": (HTML % b"report", "an HTML page", "the capture that it was made of"),
    "Fil HTML": (b"\n<html>\n<head><title>Fil Memory Profile (Sat Nov 28)</title></head></html>", "a page of Fil",
                 "peak-memory.prof"),
    "SVG": (b"<svg xmlns='x'></svg>", "a picture (SVG)", "speedscope"),
    "PDF": (b"%PDF-1.7\n", "a PDF", None),
    "PNG": (b"\x89PNG\r\n\x1a\n", "a picture (PNG)", None),
    "zip": (b"PK\3\4" + bytes(26), "a zip archive", "unzip"),
    "xz": (b"\xfd7zXZ\0\0\4" + bytes(8), "xz-packed data", "xz -dc"),
    "bzip2": (b"BZh91AY&SY" + bytes(8), "bzip2-packed data", "bzip2 -dc"),
    "7z": (b"7z\xbc\xaf\x27\x1c" + bytes(26), "a 7z archive", "7z x"),
    "rar": (b"Rar!\x1a\7\1\0" + bytes(8), "a RAR archive", "unrar x"),
    "pcap": (b"\xd4\xc3\xb2\xa1\2\0\4\0" + bytes(16), "a capture of network packets (pcap)", None),
    "pcap, big-endian": (b"\xa1\xb2\xc3\xd4\0\2\0\4" + bytes(16), "a capture of network packets (pcap)", None),
    "pcapng": (b"\n\r\r\n\x1c\0\0\0\x4d\x3c\x2b\x1a", "a capture of network packets (pcapng)", None),
    "gcdump": (b"\x14\0\0\0!FastSerialization.1" + bytes(8), "a .NET heap dump or trace of PerfView's kind",
               "dotnet-gcdump report"),
    "hs_err": (b"#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n",
               "a crash report of the JVM (hs_err)", "the heap dump"),
    "PHD": (b"\0\x12portable heap dump\0\0\0\6", "a heap dump of OpenJ9 (PHD)", "Eclipse MAT"),
    "javacore": (b"0SECTION       TITLE subcomponent dump routine\n", "a javacore of OpenJ9", "async-profiler"),
    "hp": (b'JOB "main +RTS -h"\nDATE "today"\n', "a heap profile of GHC", "hs-speedscope"),
    "GHC, text": (b"\tFri Nov 27 10:00 2026 Time and Allocation Profiling Report  (Final)\n", "a profile of GHC",
                  "hs-speedscope"),
    "GHC, JSON": (b'{"program": "x", "cost_centres": [{"id": 1, "label": "MAIN"}]}', "a profile of GHC",
                  "hs-speedscope"),
    "contention": (b"--- contentionz 1 ---\ncycles/second = 3201000000\n", "a contention profile of C++",
                   "pprof -proto"),
    "contention, brpc": (b"--- contention\ncycles/second=1000000000\n", "a contention profile of C++",
                         "pprof -proto"),
    "Instruments, copied": (b"Weight\tSelf Weight\t\tSymbol Name\n1 s 100%\t0 s\t \tmain\n",
                            "a call tree copied from Instruments", "instrumentsToPprof"),
    "DTrace": (b"CPU     ID                    FUNCTION:NAME\n  6  29091                        :tick-60s \n\n",
               "stacks of DTrace", "stackcollapse.pl"),
    "VTune": (b"Function Stack,CPU Time:Self,Module\nTotal,0.0,[Unknown]\n", "a table of VTune",
              "inferno-collapse-vtune"),
    "V8 log": (b"v8-version,12,4,254,21,-node.33,0\n", "a log of V8, for node --prof-process", "node --cpu-prof"),
    "Mach-O": (b"\xcf\xfa\xed\xfe\7\0\0\1", "a Mach-O program or library", None),
    "PE": (b"MZ\x90\0\3\0\0\0", "a Windows program or library", None),
    "UTF-16": ("a;b 1\n".encode("utf-16"), "text in UTF-16", "iconv -f UTF-16"),
    "UTF-16, big-endian": (b"\xfe\xff" + "a;b 1\n".encode("utf-16-be"), "text in UTF-16", "iconv -f UTF-16"),
    "Rprof": (b"sample.interval=20000\n\"f\" \"g\" \n", "a profile of R", "write_pprof"),
    "atop": (b"\xef\xbe\xed\xfe" + bytes(40), "a recording of atop", "atop -r"),
    "tachyon-jsonl": (b'{"type":"meta","v":0,"run_id":"48","sample_interval_usec":2000,"mode":"wall"}\n',
                      "a stream of Tachyon, in lines of JSON", "python -m profiling.sampling run --binary"),
    "rbspy": (b"rbspy02\n{}", "a recording of rbspy", "rbspy report -f collapsed"),
    "simpleperf": (b"SIMPLEPERF\1\0" + bytes(8), "a recording of simpleperf", "gecko_profile_generator.py"),
    "trace-cmd": (b"\x17\x08\x44tracing6\0" + bytes(8), "a recording of trace-cmd", "perf record"),
    "ftrace": (b"# tracer: function\n#\n", "a trace of ftrace", "perf record"),
    "CTF": (b"\xc1\x1f\xfc\xc1" + bytes(16), "a trace of LTTng or another in CTF", "babeltrace2"),
    "CTF metadata": (b"/* CTF 1.8 */\ntrace {\n", "a trace of LTTng or another in CTF", "babeltrace2"),
    "rocprofv3": (b'"Kind","Agent_Id","Queue_Id","Stream_Id"\n', "a rocprof table of kernels", "traceconv"),
    "rocprof": (b'"Index","KernelName","gpu-id"\n', "a rocprof table of kernels", "--sys-trace"),
    "Xdebug": (b"Version: 3.3.0\nFile format: 4\nTRACE START\n", "a trace of Xdebug", "xdebug.mode=profile"),
    "Android": (b"*version\n3\ndata-file-overflow=false\n", "a method trace of Android", "simpleperf"),
    "jstack": (b"2026-01-02 10:00:00\nFull thread dump OpenJDK 64-Bit Server VM:\n",
               "stacks of a JVM's threads (jstack)", "stackcollapse-jstack.pl"),
    "Valgrind": (b'<?xml version="1.0"?>\n\n<valgrindoutput>\n', "an XML report of Valgrind", "--tool=dhat"),
    "lcov": (b"TN:\nSF:/src/a.c\nDA:1,2\nend_of_record\n", COVERAGE, None),
    "coverage.xml": (b'<?xml version="1.0" ?>\n<coverage version="7.6" line-rate="1">\n', COVERAGE, None),
    "Go coverage": (b"mode: atomic\nexample.com/a.go:3.1,4.2 1 1\n", COVERAGE, None),
    "gcda": (b"adcg*33B" + bytes(8), COVERAGE, None),
    "profraw": (b"\x81rforpl\xff" + bytes(8), COVERAGE, None),
    "profdata": (b"\xfflprofi\x81" + bytes(8), COVERAGE, None),
    "Rprof, memory": (b'memory profiling: line profiling: sample.interval=10000\n:257636:932085:268:103:"f" "g" \n',
                      "a profile of R", "write_pprof"),
    "Rprofmem": (b'208 :"lapply" \n80048 :"numeric" "FUN" "lapply" \nnew page:"numeric" "FUN" "lapply" \n',
                 "allocations of R (Rprofmem)", "readRprofmem"),
    "eprof": (b"FUNCTION               CALLS        %   TIME  [uS / CALLS]\n--------               -----  -------\n",
              "a report of Erlang's eprof", "erlgrind"),
    "fprof": (b"%% Analysis results:\n{  analysis_options,\n [{callers, true},\n", "a report of Erlang's fprof",
              "erlgrind"),
    "fprof.trace": (bytes.fromhex("0000000059836805640008") + b"trace_tsd\0\x0dnonode@nohost",
                    "a trace of Erlang's fprof", "fprof:analyse"),
    "Xdebug, for people": (b"TRACE START [2026-11-27 14:59:27.812642]\n", "a trace of Xdebug", "xdebug.mode=profile"),
    "Sysprof": (b"\x5e\x97\xca\xfd\1\1\0\x002026-11-27T15:06:16Z", "a recording of Sysprof", "perf record"),
    "Tracy": (b"tlZ\4" + bytes(16), "a recording of Tracy", "tracy-csvexport"),
    "Tracy, zstd": (b"tZst" + bytes(16), "a recording of Tracy", "tracy-csvexport"),
    "VisualVM": (b"nBpRoFiLeR\1\2" + bytes(16), "a snapshot of VisualVM", "jcmd PID JFR.start"),
    "memgraph": (b"bplist00" + bytes(16), "a memory graph of Xcode, or another property list", "leaks FILE"),
    "atrace": (b"TRACE:\n# tracer: nop\n", "a trace of ftrace", "perf record"),
    "Go heap dump": (b"go1.7 heap dump\n\6\0\x08" + bytes(16), "a heap dump of Go", "debug/pprof/heap"),
    "class histogram": (b"22079:\n num     #instances         #bytes  class name (module)\n",
                        "a class histogram of the JVM", "GC.heap_dump"),
    "GC log": (b"[0.026s][info][gc] Using Serial\n", "a log of the JVM's collector", "JFR.start"),
    "importtime": (b"import time: self [us] | cumulative | imported package\n",
                   "import times of Python (-X importtime)", "-m cProfile -o"),
    "cProfile": (b"         3125 function calls (3052 primitive calls) in 0.004 seconds\n\n   Ordered by: name\n",
                 "a report of cProfile", "-m cProfile -o"),
    "memory_profiler": (b"Filename: a.py\n\nLine #    Mem usage    Increment  Occurrences   Line Contents\n",
                        "a report of memory_profiler", "mprof run"),
    "line_profiler": (b"Timer unit: 1e-09 s\n\nLine #      Hits         Time  Per Hit   % Time  Line Contents\n",
                      "a report of line_profiler", "py-spy record"),
    "memory_profiler of Ruby": (b"Total allocated: 40 bytes (1 objects)\nTotal retained:  0 bytes (0 objects)\n",
                                "a report of Ruby's memory_profiler", "stackprof"),
    "perf report": (b"# To display the perf.data header info, please use --header/--header-only options.\n#\n",
                    "a report of perf", "give perf.data"),
    "Memcheck": (b"==7== Memcheck, a memory error detector\n==7== Copyright\n", "a report of Memcheck", "--tool=dhat"),
    "ms_print": (b"--------\nCommand:            true\nMassif arguments:   (none)\nms_print arguments: ms.out\n",
                 "a report of ms_print", "massif.out"),
    "callgrind_annotate": (b"--------\nProfile data file 'cg.out' (creator: callgrind-3.19.0)\n",
                           "a report of callgrind_annotate", "callgrind.out"),
    "pickle 2": (pickle.dumps([1, 2], 2), "a Python pickle, not one of PyTorch's memory or tracemalloc", None),
    "pickle 5": (pickle.dumps([1, 2], 5), "a Python pickle, not one of PyTorch's memory or tracemalloc", None),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_that_is_not_read_is_named_with_what_converts_it(name, program):
    data, title, remedy = FORMATS[name]
    answer = program("info", "-", input=data)
    assert answer.status == 3
    assert answer.err.startswith(f"profrender: standard input: no known format: it looks like {title}")
    assert remedy in answer.err if remedy else answer.err.endswith(f"{title}\n")
    assert answer.out == ""


@pytest.mark.parametrize("name", FORMATS)
def test_info_has_it_as_json(name, program):
    data, title, remedy = FORMATS[name]
    answer = program("info", "-", "--json", input=data)
    assert answer.status == 3
    document = answer.json()
    assert document["format"] is None and document["looks_like"] == title
    assert (remedy in document["remedy"]) if remedy else document["remedy"] is None


def test_a_packed_one_is_named_too(program):
    data, title, _ = FORMATS["Go trace"]
    assert program("info", "-", "--json", input=gzip.compress(data)).json()["looks_like"] == title


@pytest.mark.parametrize("table, title", [("CUPTI_ACTIVITY_KIND_KERNEL", "a recording of Nsight Systems (SQLite)"),
                                          ("coverage_schema", COVERAGE), ("orders", "an SQLite database")])
def test_the_tables_of_a_database_show_whose_it_is(table, title, program, tmp_path):
    path = tmp_path / "report.sqlite"
    with sqlite3.connect(path) as database:
        database.execute(f"CREATE TABLE {table} (start INT)")
    assert program("info", path, "--json").json()["looks_like"] == title


@pytest.mark.parametrize("name, title, remedy", [
    ("run.nsys-rep", "a recording of Nsight Systems", "torch.profiler"),
    ("k.ncu-rep", "a report of Nsight Compute", "ncu --import"),
    ("app.pftrace", "a Perfetto trace", "traceconv json"),
    ("w.dmw", "a workspace of dotMemory", "dotnet-gcdump collect"),
    ("app.trace/", "a recording of Instruments", "instrumentsToPprof"),
    ("uftrace.data/default.opts", "a recording of uftrace", "uftrace dump --flame-graph"),
    ("r000hs/r000hs.vtune", "a result of VTune", "perf record")])
def test_what_has_no_beginning_of_its_own_is_named_by_its_name(program, tmp_path, name, title, remedy):
    path = tmp_path / name
    (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
    if name.endswith("/"):
        (path / "form.template").write_bytes(b"\1\2\3")
    else:
        path.write_bytes(b"\1\2\3\4")
    for given in {path, tmp_path / name.split("/")[0]}:
        answer = program("info", given, "--json")
        assert answer.status == 3 and answer.json()["looks_like"] == title and remedy in answer.json()["remedy"]
        assert title in answer.err and remedy in answer.err


def test_a_file_is_not_what_a_folder_of_its_name_is(program, tmp_path):
    """Instruments saves folders; files of that name are traces of anything."""
    path = tmp_path / "app.trace"
    path.write_bytes(b"\1\2\3\4")
    assert "Instruments" not in program("info", path).err


def test_a_folder_is_not_what_one_file_in_it_is(program, tmp_path):
    (tmp_path / "crash.dmp").write_bytes(b"\1\2\3")
    assert "a folder, but not that of a run" in program("info", tmp_path).err


def test_a_real_program_is_a_program_and_no_core_dump(program):
    assert program("info", sys.executable, "--json").json()["looks_like"] == "an ELF program or library"


def test_text_of_no_kind_is_described_as_before(program):
    answer = program("info", "-", "--json", input=b"neither this nor that\n")
    assert answer.out == "" and 'it is text, and begins with "neither this nor"' in answer.err


def test_a_closed_stdout_is_an_error_of_the_output(program):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([str(program.path), "info", "-", "--json"], input=FORMATS["Go trace"][0], stdout=full,
                              stderr=subprocess.PIPE, check=False)
    assert done.returncode == 4


@pytest.mark.parametrize("text", ["id,city\n1,Oslo\n", "id;city;price\n1;Oslo;2,5\n", "id\tcity\r\n1\tOslo\r\n"])
def test_a_table_of_data_is_sent_to_the_command_for_tables(program, tmp_path, text):
    table = tmp_path / "table.txt"
    table.write_text(text, encoding="utf-8", newline="")
    answer = program("card", table)
    assert answer.status == 3 and answer.err.rstrip().endswith("if it is a table: profrender frame")
    assert program("frame", table).status == 0


def test_text_with_commas_is_not_called_a_table(program, tmp_path):
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ada, dear Charles,\nthe machine works, at last.\n", encoding="utf-8")
    assert "profrender frame" not in program("card", letter).err
