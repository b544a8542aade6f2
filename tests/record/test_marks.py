# SPDX-License-Identifier: Apache-2.0
"""Phases of a run: marks by the program, by Python, by a line to the FIFO and by lines of stderr."""

import json
import os
import subprocess
import sys
import threading
from shlex import quote

import pytest
from recording import LIMIT_S, PROGRAM, ROOT, Run, command_line, record

MARK = f"{quote(str(PROGRAM))} mark"
MODULE = f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); import profrender; "


def marks(run):
    lines = [json.loads(line) for line in run.text("timeline.jsonl").splitlines()]
    return [line["mark"] for line in lines if line.get("type") == "mark"]


def info(folder):
    done = subprocess.run([PROGRAM, "info", "--json", folder], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_mark_begins_a_phase_that_lasts_until_the_next(folder):
    record(folder, "sh", "-c", f"sleep 0.2; {MARK} load; sleep 0.3; {MARK} fit; sleep 0.2")
    phases = info(folder)["phases"]
    assert [phase["name"] for phase in phases] == [None, "load", "fit"]
    for before, after in zip(phases, phases[1:]):
        assert before["to_seconds"] == after["from_seconds"]
    assert phases[0]["from_seconds"] == 0
    assert phases[1]["to_seconds"] - phases[1]["from_seconds"] >= 0.3


def test_a_mark_has_the_moment_at_which_it_was_made_however_late_it_is_read(folder):
    record(folder, "sh", "-c", f"{MARK} first; sleep 1.2; {MARK} second", options=("--interval", "60"))
    phases = {phase["name"]: phase["from_seconds"] for phase in info(folder)["phases"]}
    assert phases["second"] - phases["first"] >= 1.2


@pytest.mark.parametrize(("name", "kept"), [
    ("</script><b>&", "</script><b>&"),
    ("one\ntwo\x1b[31m", "one two [31m"),
    ("--password=hunter2", "--password=[redacted]"),
    ("x" * 5000, "x" * 200),
    ("\u00e4" * 150, "\u00e4" * 100),
    ("12 34", "12 34"),
    ("-", "-"),
])
def test_a_name_may_be_anything(folder, name, kept):
    line = command_line(folder, "sh", "-c", f"{MARK} -- {quote(name)}")
    subprocess.run(line, check=True, timeout=LIMIT_S)
    assert marks(Run(folder)) == [kept]


def test_any_program_can_write_a_line(folder):
    run = record(folder, "sh", "-c", 'echo "by hand" > "$PROFRENDER_MARKS"; printf "\\n \\n99999999999999999999 x\\n"'
                                     ' > "$PROFRENDER_MARKS"')
    assert marks(run) == ["by hand", "99999999999999999999 x"]


def test_a_moment_outside_of_the_run_is_not_believed(folder):
    run = record(folder, "sh", "-c", 'echo "1 past" > "$PROFRENDER_MARKS"; '
                                     'echo "999999999999999999 future" > "$PROFRENDER_MARKS"')
    times = [json.loads(line)["ts"] for line in run.text("timeline.jsonl").splitlines() if '"mark"' in line]
    assert len(times) == 2 and all(0 <= ts <= run.end["wall"] + 1 for ts in times)


def test_lines_of_stderr_make_marks_and_are_passed_on(folder):
    said = "INFO epoch 1\\nnothing\\nINFO epoch 2 of 9\\n"
    run = record(folder, "sh", "-c", f"printf '{said}' >&2", options=("--marks", "epoch ([0-9]+)"))
    assert marks(run) == ["1", "2"]
    assert run.err == said.encode().decode("unicode_escape").encode()
    again = record(folder, "sh", "-c", f"printf '{said}' >&2", options=("--marks", "epoch [0-9]+"))
    assert marks(again) == ["epoch 1", "epoch 2"]


def test_a_wrong_expression_is_refused(folder):
    done = subprocess.run(command_line(folder, "true", options=("--marks", "(")), capture_output=True, text=True)
    assert done.returncode == 2 and "--marks" in done.stderr
    assert not folder.exists()


def test_a_run_has_at_most_500_marks(folder):
    line = command_line(folder, "sh", "-c", 'seq 600 > "$PROFRENDER_MARKS"')
    done = subprocess.run(line, capture_output=True, text=True, timeout=LIMIT_S)
    assert marks(Run(folder)) == [str(number) for number in range(1, 501)]
    assert "100 marks were left out" in done.stderr
    info = subprocess.run([PROGRAM, "info", "--json", folder], capture_output=True, text=True, check=True)
    found = json.loads(info.stdout)
    assert found["complete"] is False and found["damage"][0]["count"] == 100


def test_names_can_be_hidden(folder):
    record(folder, "sh", "-c", f"{MARK} 'customer Smith'; {MARK} 7")
    key = folder.parent / "key"
    key.write_bytes(bytes(range(32)))
    done = subprocess.run([PROGRAM, "info", "--redact", "names", "--redact-key", key, folder], capture_output=True,
                          text=True, check=True)
    assert "Phases" in done.stdout and "Smith" not in done.stdout


def test_outside_of_a_recording_nothing_happens(tmp_path):
    other = tmp_path / "file"
    other.write_text("kept")
    for path in (None, str(tmp_path / "none"), str(other), str(tmp_path)):
        variables = {key: value for key, value in os.environ.items() if key != "PROFRENDER_MARKS"}
        if path:
            variables["PROFRENDER_MARKS"] = path
        done = subprocess.run([PROGRAM, "mark", "x"], env=variables, capture_output=True, timeout=LIMIT_S)
        assert done.returncode == 0
        done = subprocess.run([sys.executable, "-c", MODULE + "profrender.mark('x')"], env=variables, timeout=LIMIT_S,
                              capture_output=True)
        assert done.returncode == 0 and not done.stderr
    assert sorted(tmp_path.iterdir()) == [other]


def test_the_fifo_goes_with_the_recording_and_is_no_file_of_the_run(folder):
    run = record(folder, "sh", "-c", 'test -p "$PROFRENDER_MARKS" && stat -c %a "$PROFRENDER_MARKS"')
    assert run.out == b"600\n"
    assert sorted(path.name for path in folder.iterdir()) == ["run.json", "timeline.jsonl"]


def test_a_recording_within_another_has_its_own_marks(folder, tmp_path):
    inner = " ".join(map(quote, command_line(tmp_path / "inner", "sh", "-c", f"{MARK} inside")))
    run = record(folder, "sh", "-c", f"{MARK} before; {inner}; {MARK} after")
    assert marks(run) == ["before", "after"]
    assert marks(Run(tmp_path / "inner")) == ["inside"]


def test_python_marks_from_any_thread(folder):
    code = MODULE + ("import threading\n"
                     "threads = [threading.Thread(target=profrender.mark, args=(f'part {i}',)) for i in range(20)]\n"
                     "for thread in threads: thread.start()\n"
                     "for thread in threads: thread.join()\n"
                     "profrender.mark('a\\nb' + chr(0xdc80)); profrender.mark('  ')")
    run = record(folder, sys.executable, "-c", code)
    assert sorted(marks(run)[:20]) == sorted(f"part {i}" for i in range(20))
    assert marks(run)[20:] == ["a b\\udc80"]


def test_marks_of_a_block_are_in_its_own_folder(folder, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "python"))
    monkeypatch.delenv("PROFRENDER_MARKS", raising=False)
    import profrender

    with profrender.record(folder=folder, memory=False):
        profrender.mark("inside")
        other = threading.Thread(target=profrender.mark, args=("thread",))
        other.start()
        other.join()
    profrender.mark("after")
    assert marks(Run(folder)) == ["inside", "thread"]


def test_a_phase_is_a_window_and_its_figures_are_those_of_the_table(folder):
    capture = ROOT / "samples" / "daily-sales.bin"
    folder.mkdir()
    (folder / "memray.bin").write_bytes(capture.read_bytes())
    series = json.loads(subprocess.run([PROGRAM, "export", "--view", "series", capture], capture_output=True,
                                       check=True).stdout)["series"][0]["points"]
    begin, end = series[0][0] / 1000, series[-1][0] / 1000
    lines = [{"type": "start", "version": 1, "t": begin, "argv": ["x"]},
             {"type": "mark", "ts": 5, "mark": "late"}, {"type": "mark", "ts": 2, "mark": "early"},
             {"type": "end", "t": end, "wall": end - begin, "exit": 0, "signal": None}]
    (folder / "timeline.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    phases = {phase["name"]: phase for phase in info(folder)["phases"]}
    assert list(phases) == [None, "early", "late"]
    for name in ("early", "late"):
        for metric, key in (("peak", "heap_bytes"), ("leaked", "retained_bytes")):
            done = subprocess.run([PROGRAM, "table", "--json", "--metric", metric, "--window", f"phase:{name}", folder],
                                  capture_output=True, check=True)
            assert json.loads(done.stdout)["total"] == phases[name][key]
    done = subprocess.run([PROGRAM, "table", "--window", "phase:none", folder], capture_output=True, text=True)
    assert done.returncode != 0 and "the run has 3 phases" in done.stderr
    digest = folder.parent / "run.prd"
    subprocess.run([PROGRAM, "digest", folder, "-o", digest], check=True, capture_output=True)
    assert {phase["name"]: phase for phase in info(digest)["phases"]} == phases
