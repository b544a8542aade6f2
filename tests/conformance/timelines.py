#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the program say about the timelines of other tools what plain parsing of the same files says?

    python3 tests/conformance/timelines.py build/profrender

Compares samples/timeline/ with its expected.json, and the larger collection beside the project's root where that is at
hand. Each file is read through a pipe, so that it has no name.
"""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDERS = ROOT / "samples" / "timeline", ROOT.parent / "shared" / "captures" / "timeline"
MIB = 1 << 20
sys.path.insert(0, str(HERE.parent / "support"))
from tally import Tally  # noqa: E402


def ask(program, path, *command):
    done = subprocess.run([program, *command], stdin=path.open("rb"), capture_output=True)
    if done.returncode:
        raise ValueError(f"exit status {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
    return json.loads(done.stdout)


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


def check_failure(program, tally, folder):
    """The exception that the failed run of the collection ended with."""
    path = folder / "fail.stderr.txt"
    exception = ask(program, path, "info", "-", "--json")["exception"]
    frames = [["main", "/app/jobs/crawl.py", 45], ["<module>", "/app/jobs/crawl.py", 49]]
    want = {"type": "RuntimeError", "message": "upstream table is empty", "frames": frames}
    tally.check(path.name, exception == want, f"expected {want}", f"got {exception}")


def main():
    program = Path(sys.argv[1]).resolve()
    tally = Tally()
    for folder in filter(Path.is_dir, FOLDERS):
        truth = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
        for name, want in truth.items():
            try:
                wrong = list(differences(pairs_of(program, folder / name, want)))
            except (ValueError, KeyError) as error:
                wrong = [f"{type(error).__name__}: {error}"]
            tally.check(name, not wrong, *wrong)
        card = Series(program, folder / "metaflow-ok.profile_card_data.json")
        lines = Series(program, folder / "metaflow-ok.jsonl")
        tally.check("metaflow-ok.jsonl: the samples of the card", card == lines)
        check_failure(program, tally, folder)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
