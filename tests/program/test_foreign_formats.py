# SPDX-License-Identifier: Apache-2.0
"""A format that is not read is named, and what converts it, in the message and in the JSON of `info`."""

import gzip
import pickle
import sqlite3
import subprocess
import sys

import pytest

HTML = b"<!DOCTYPE html>\n<html><head><title>%s</title></head></html>\n"

# Beginnings as the tools write them, minimal: (bytes, what it is called, what converts it).
FORMATS = {
    "Go trace": (b"go 1.22 trace\0\0\0" + bytes(16), "a Go execution trace", "go tool trace -pprof="),
    "ETL": ((0x10000).to_bytes(4, "little") + bytes(68) + bytes([2, 0, 2, 0xC0]) + bytes(64),
            "a trace of Windows (ETL)", "PerfView"),
    "OTLP": (b'{"resourceProfiles":[{"scopeProfiles":[]}]}', "an OpenTelemetry profile (JSON)", "pprof"),
    "core": (b"\x7fELF\2\1\1" + bytes(9) + b"\4\0\x3e\0", "a core dump, one moment of a program's memory", None),
    "ELF": (b"\x7fELF\2\1\1" + bytes(9) + b"\3\0\x3e\0", "an ELF program or library", None),
    "Parquet": (b"PAR1" + bytes(32), "a Parquet table", None),
    "Arrow": (b"ARROW1\0\0" + bytes(32), "an Arrow table", None),
    "event log": (b"hdrb" + b"hetb" + bytes(32), "a GHC event log", "hs-speedscope"),
    "gmon.out": (b"gmon\1\0\0\0" + bytes(12), "counts of gprof (gmon.out)", "perf record -g"),
    "minidump": (b"MDMP\x93\xa7" + bytes(26), "a minidump of Windows", None),
    "macOS sample": (b"Analysis of sampling Safari (pid 1) every 1 millisecond\n", "a macOS sample report",
                     "stackcollapse-sample.awk"),
    "bpftrace": (b"@[\n    vfs_read+0\n    sys_read+10\n]: 12\n", "a bpftrace map of stacks",
                 "stackcollapse-bpftrace.pl"),
    "Instruments": (b'<?xml version="1.0"?>\n<trace-query-result>\n<node/></trace-query-result>\n',
                    "an export of Instruments", "instrumentsToPprof"),
    "memray HTML": (HTML % b"memray - flamegraph", "a page of memray", "memray run"),
    "pyinstrument HTML": (HTML % b"pyinstrument", "a page of pyinstrument", "pyinstrument -r session"),
    "Scalene HTML": (HTML % b"scalene", "a page of Scalene", "scalene --json"),
    "async-profiler HTML": (HTML % b"async-profiler", "a page of async-profiler", "jfrconv -o collapsed"),
    "HTML": (HTML % b"report", "an HTML page", "the capture that it was made of"),
    "SVG": (b"<svg xmlns='x'></svg>", "a picture (SVG)", "speedscope"),
    "PDF": (b"%PDF-1.7\n", "a PDF", None),
    "PNG": (b"\x89PNG\r\n\x1a\n", "a picture (PNG)", None),
    "zip": (b"PK\3\4" + bytes(26), "a zip archive", "unzip"),
    "xz": (b"\xfd7zXZ\0\0\4" + bytes(8), "xz-packed data", "xz -dc"),
    "bzip2": (b"BZh91AY&SY" + bytes(8), "bzip2-packed data", "bzip2 -dc"),
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
                                          ("orders", "an SQLite database")])
def test_the_tables_of_a_database_show_whose_it_is(table, title, program, tmp_path):
    path = tmp_path / "report.sqlite"
    with sqlite3.connect(path) as database:
        database.execute(f"CREATE TABLE {table} (start INT)")
    assert program("info", path, "--json").json()["looks_like"] == title


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
