# SPDX-License-Identifier: Apache-2.0
"""Does the program report the same for other tools' timelines as plain parsing of the files?

Compares samples/timeline/ with its expected.json, and the larger collection next to the project's root if it exists.
Each file is read through a pipe, so that it has no name.
"""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = [folder for folder in (ROOT / "samples/timeline", ROOT.parent / "shared/captures/timeline")
           if folder.is_dir()]
TRUTH = [(folder / name, want) for folder in FOLDERS
         for name, want in json.loads((folder / "expected.json").read_text(encoding="utf-8")).items()]
MIB = 1 << 20
of_each_folder = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)


def ask(program, path, *command):
    done = program(*command, input=path.read_bytes())
    assert done.status == 0
    return done.json()


class Series(dict):
    """{name: [(ms, value), ...]}"""

    def __init__(self, program, path):
        document = ask(program, path, "export", "-", "--view", "series")
        super().__init__((one["name"], one["points"]) for one in document["series"])

    def peak(self, name):
        return max(value for _, value in self[name])

    def seconds(self, name):
        return (self[name][-1][0] - self[name][0][0]) / 1000


def metaflow(want, series):
    rss = [value for _, value in series["rss"]]
    yield "samples", want["samples"], len(rss)
    yield "first_ts", want["first_ts"], series["rss"][0][0] / 1000
    yield "last_ts", want["last_ts"], series["rss"][-1][0] / 1000
    yield "peak_cpu_pct", want["peak_cpu_pct"], series.peak("cpu") * 100
    yield "peak_rss_mb", want["peak_rss_mb"], series.peak("rss") / MIB
    yield "avg_rss_mb", want["avg_rss_mb"], sum(rss) / len(rss) / MIB
    yield "peak_net_recv_mb_s", want["peak_net_recv_mb_s"], series.peak("net_recv") / MIB
    yield "peak_disk_write_mb_s", want["peak_disk_write_mb_s"], series.peak("disk_write") / MIB
    yield "samples_without_io", want["samples_without_io"], len(rss) - len(series["disk_read"])


def mprof(want, series):
    children = {name for name in series if name.startswith("rss_")}
    yield "samples", want["samples"], len(series["rss"])
    yield "peak_mib", want["peak_mib"], series.peak("rss") / MIB
    yield "seconds", want["seconds"], series.seconds("rss")
    yield "child_lines", want["child_lines"], sum(len(series[name]) for name in children)
    yield "children", want["children"], len(children)
    if children:
        yield "child_peak_mib", want["child_peak_mib"], max(series.peak(name) for name in children) / MIB


def psrecord(want, series):
    yield "samples", want["samples"], len(series["rss"])
    yield "peak_cpu_pct", want["peak_cpu_pct"], series.peak("cpu") * 100
    yield "peak_real_mb", want["peak_real_mb"], series.peak("rss") / MIB
    yield "seconds", want["seconds"], series.seconds("rss")


def sadf(want, series):
    cores = 2
    yield "samples", want["samples"], len(series["host_cpu"])
    yield "lowest_idle_pct", want["lowest_idle_pct"], 100 - series.peak("host_cpu") / cores * 100
    yield "peak_kbmemused", want["peak_kbmemused"], series.peak("host_memory") / 1024
    yield "peak_bread", want["peak_bread"], series.peak("host_disk_read") / 512
    yield "peak_bwrtn", want["peak_bwrtn"], series.peak("host_disk_write") / 512
    yield "peak_rx_kb", want["peak_rx_kb"], series.peak("host_net_recv") / 1024
    yield "peak_some_io_pct", want["peak_some_io_pct"], series.peak("pressure_io")


def gnu_time(want, info):
    words = want["first_line"].split()
    killed = "signal" in words
    yield "exit", None if killed else want["exit_status_line"], info["exit"]
    yield "signal", int(words[-1]) if killed else None, info["signal"]


def differences(pairs):
    close = 1.5e-3  # times are whole milliseconds, bytes are whole
    for name, want, got in pairs:
        numbers = isinstance(want, float) and got is not None
        if (abs(want - got) > close * max(1, abs(want)) if numbers else want != got):
            yield f"{name}: expected {want}, got {got}"


def pairs_of(program, path, want):
    if ".gnu-time." in path.name:
        return gnu_time(want, ask(program, path, "info", "-", "--json"))
    series = Series(program, path)
    kinds = {"mprof": mprof, "psrecord": psrecord, "profile_card": metaflow, "sadf": sadf}
    return next(check(want, series) for word, check in kinds.items() if word in path.name)


@pytest.mark.parametrize("path, want", TRUTH, ids=[f"{path.parent.parent.name}-{path.name}" for path, _ in TRUTH])
def test_a_timeline_is_as_plain_parsing_has_it(path, want, program):
    wrong = list(differences(pairs_of(program, path, want)))
    assert not wrong, "\n".join(wrong)


@of_each_folder
def test_a_card_and_its_lines_have_the_same_samples(folder, program):
    assert Series(program, folder / "metaflow-ok.profile_card_data.json") == \
        Series(program, folder / "metaflow-ok.jsonl")


@of_each_folder
def test_the_exception_that_a_failed_run_ended_with(folder, program):
    frames = [["main", "/app/jobs/crawl.py", 45], ["<module>", "/app/jobs/crawl.py", 49]]
    assert ask(program, folder / "fail.stderr.txt", "info", "-", "--json")["exception"] == \
        {"type": "RuntimeError", "message": "upstream table is empty", "frames": frames}
