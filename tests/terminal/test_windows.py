# SPDX-License-Identifier: Apache-2.0
"""Reports on part of a run: which parts can be selected, and that the report names the part."""

import csv
import io
import json

import pytest


@pytest.fixture
def capture(samples):
    return samples / "daily-sales.bin"


def heading(answer):
    assert answer.status == 0, answer.err
    return answer.out.splitlines()[0]


def test_the_heading_of_a_table_names_its_window(program, capture):
    assert " at the peak of 0 s to 1." in heading(program("table", capture, "--window", "0:1"))
    leaks = heading(program("table", capture, "--window", "0:1", "--leaks"))
    assert " allocated in 0 s to 1." in leaks and " and not freed by its end" in leaks


def test_the_heading_of_a_time_profile_names_its_window(program, samples):
    whole = heading(program("table", samples / "cpu/etl.pyspy.speedscope.json"))
    part = heading(program("table", samples / "cpu/etl.pyspy.speedscope.json", "--window", "0:0.5"))
    assert " to " not in whole and "0 s to 500 ms" in part


@pytest.mark.parametrize("window, words", [
    ("180000:181800", "180,000 s to 181,800 s"),  # both are "2 d 02 h"
    ("180000:259000", "2 d 02 h to 2 d 23 h"),
])
def test_a_short_part_of_days_has_the_digits_that_it_needs(program, tmp_path, window, words):
    path = tmp_path / "days.perf.txt"
    path.write_text("".join(f"app 1 {at}: 1 cpu-clock:\n\tdeadbeef work (app)\n\n" for at in (0.5, 180500.5, 259200.5)))
    assert words in program("table", path, "--window", window).out


def test_the_whole_run_has_no_window_in_its_heading(program, capture):
    assert " at the peak, " in heading(program("table", capture))


def test_json_has_the_window(program, capture):
    assert "window" not in json.loads(program("table", capture, "--json").out)
    start, end = json.loads(program("table", capture, "--json", "--window", "0:1").out)["window"]
    assert 1000 <= end - start < 1200


@pytest.mark.parametrize("open_end, closed", [("2:", "2:999"), (":2", "0:2"), ("b5:", "b5:b320"), (":b5", "b0:b5")])
def test_an_end_may_be_left_out(program, capture, open_end, closed):
    answer = program("table", capture, "--window", open_end)
    assert answer.status == 0 and answer.out == program("table", capture, "--window", closed).out


def test_bins_past_the_end_are_said(program, capture):
    answer = program("table", capture, "--window", "b3:b900")
    assert answer.status == 0 and "b0 to b320" in answer.err
    assert program("table", capture, "--window", "b3:b320").err == ""


@pytest.mark.parametrize("window, reason", [
    ("5:2", "5:2 ends before it starts"), ("b5:b2", "b5:b2 ends before it starts"), ("-1:2", "before the run"),
    (":", "takes FROM:TO"), ("1", "takes FROM:TO"), ("1:b2", "takes FROM:TO"), ("a:b", "takes FROM:TO"),
    ("nan:1", "takes FROM:TO"), ("1:2:3", "takes FROM:TO"), ("", "takes FROM:TO")])
def test_a_wrong_window_is_refused_with_its_reason(program, capture, window, reason):
    for command in ["table"], ["export"], ["diff", capture]:
        answer = program(*command, capture, "--window", window)
        assert answer.status == 2 and reason in answer.err, answer


def test_a_window_after_the_end_tells_how_long_the_run_is(program, capture):
    seconds, bins = (program("table", capture, "--window", window) for window in ("100:200", "b900:"))
    assert (seconds.status, bins.status) == (3, 3)
    assert "the run lasts 9.31 s" in seconds.err and "b0 to b320" in bins.err


def test_what_has_no_window_is_not_said_to_be_absent(program, capture):
    answer = program("table", capture, "--window", "0:1", "--metric", "temporary")
    assert answer.status == 2 and "peak, leaked and allocated only" in answer.err and "'temporary'" in answer.err


def allocated(program, path, window=None):
    """Bytes by function and line."""
    words = ["table", path, "--metric", "allocated", "--format", "csv", "-n", "0", "--raw"]
    answer = program(*words, *(["--window", window] if window else []))
    assert answer.status == 0, answer.err
    rows = list(csv.DictReader(io.StringIO(answer.out)))
    sums = {}
    for row in rows:
        key = (row["function"], row["file"], row["line"])
        sums[key] = sums.get(key, 0) + int(row["self"])
    return {key: value for key, value in sums.items() if value}


LONG, SHORT = (0.5, 1.25, 1.251), (0.1, 0.2, 0.21)


@pytest.mark.parametrize("name, edges", [
    ("daily-sales.bin", LONG), ("cpu/shop.jfr.zst", LONG), ("cpu/shop.jdk11.jfr.zst", LONG),
    ("cpu/shelf.nettrace.zst", SHORT), ("cpu/train.torch.pickle", SHORT)])
def test_what_was_allocated_in_windows_adds_up_to_the_run(program, samples, tmp_path, name, edges):
    whole = allocated(program, samples / name)
    digest = tmp_path / "run.digest"
    assert program("digest", samples / name, "-o", digest).status == 0
    sums = {}
    for start, end in zip(("", *edges), (*edges, "")):
        window = f"{start}:{end}"
        part = allocated(program, samples / name, window)
        assert part == allocated(program, digest, window)
        assert part != whole
        for key, value in part.items():
            sums[key] = sums.get(key, 0) + value
    assert sums == whole and len(whole) > 1


def test_a_bin_has_what_was_allocated_in_it(program, samples):
    capture = samples / "daily-sales.bin"
    halves = [allocated(program, capture, window) for window in ("b0:b99", "b100:")]
    sums = {key: halves[0].get(key, 0) + halves[1].get(key, 0) for key in halves[0].keys() | halves[1].keys()}
    assert sums == allocated(program, capture) and all(halves)


def torch_trace(path, times_from_us, base_ns=None):
    """Three steps of 100 ms that PyTorch's profiler named, each with an operator and, on a GPU, once more."""
    events = [{"ph": "X", "cat": "python_function", "name": "train.py(3): main", "pid": 7, "tid": 7,
               "ts": times_from_us, "dur": 400_000, "args": {"Python id": 1}}]
    for number in range(3):
        at = times_from_us + 100_000 * (number + 1)
        for category, pid, duration in (("user_annotation", 7, 99_000), ("gpu_user_annotation", 0, 50_000)):
            events.append({"ph": "X", "cat": category, "name": f"ProfilerStep#{number}", "pid": pid, "tid": 7, "ts": at,
                           "dur": duration})
        events.append({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": at + 1000,
                       "dur": 10_000 * (number + 1)})
    path.write_text(json.dumps({"traceEvents": events, **({"baseTimeNanoseconds": base_ns} if base_ns else {})}))
    return path


EPOCH_US = 1_795_303_275_000_000


@pytest.mark.parametrize(("from_us", "base_ns"), [(EPOCH_US, None), (0, EPOCH_US * 1000), (5_000_000, EPOCH_US * 1000)])
def test_steps_of_pytorch_are_phases(program, tmp_path, from_us, base_ns):
    """To PyTorch 2.2 times are since the epoch, later from a base in the file."""
    trace = torch_trace(tmp_path / "trace.json", from_us, base_ns)
    phases = program("info", "--json", trace).json()["phases"]
    assert [(phase["name"], phase["from_seconds"], phase["to_seconds"]) for phase in phases] == [
        (None, 0, 0.1), ("ProfilerStep#0", 0.1, 0.2), ("ProfilerStep#1", 0.2, 0.3), ("ProfilerStep#2", 0.3, 0.4)]
    for number in range(3):
        rows = program("table", "--json", trace, "--window", f"phase:ProfilerStep#{number}").json()["rows"]
        assert next(row["total"] for row in rows if row["function"] == "aten::mm") == pytest.approx(0.01 * (number + 1))
    digest = tmp_path / "trace.prz"
    program("digest", trace, "-o", digest)
    assert program("info", "--json", digest).json()["phases"] == phases
    assert "nothing was recorded in the window" in program("table", trace, "--window", "phase:other").err


def test_steps_without_a_date_are_calls_only(program, tmp_path):
    trace = torch_trace(tmp_path / "trace.json", 5_000_000)
    assert not program("info", "--json", trace).json().get("phases")
    assert program("table", trace, "--window", "phase:ProfilerStep#0").status == 3
