# SPDX-License-Identifier: Apache-2.0
"""The card of a difference: its verdict, what differs between the runs, and both curves."""

import html
import json
import re
import shutil

import made_capture
import pytest

MIB = 1 << 20
OLD = "json_dict-py3.9-memray1.2.0-default.bin"
NEW = "json_dict-py3.13-memray1.18.0-default.bin"


@pytest.fixture
def card(program, tmp_path):
    """The text of the difference of two inputs, and its HTML."""

    def make(before, after, *options):
        page = tmp_path / "card.html"
        answer = program("diff", before, after, "-o", page, *options)
        assert answer.status == 0, answer
        whole = page.read_text(encoding="utf-8")
        return Card(whole)

    return make


class Card:
    def __init__(self, whole):
        self.whole = whole
        self.body = whole[whole.index("<body>") : whole.index('id="pr-payload"')]

    def part(self, pattern):
        found = re.search(pattern, self.body, re.S)
        return html.unescape(re.sub(r"<[^>]*>", "", found.group(1))) if found else None

    @property
    def verdict(self):
        return self.part(r"<p class='verdict'>.*?<span>(.*?)</span></p>")

    @property
    def runs(self):
        return self.part(r"(<section class='panel runs'.*?</section>)") or ""


def total_of(program, before, after, metric):
    totals = program("diff", before, after, "--json").json()["totals"]
    return next((one["before"], one["after"]) for one in totals if one["metric"] == metric)


def test_the_verdict_says_how_much_the_peak_rose(program, samples, card):
    before, after = total_of(program, samples / OLD, samples / NEW, "peak")
    percent = round((after / before - 1) * 100)
    assert re.match(rf"Peak memory rose {percent} % \(.* → .*\), ", card(samples / OLD, samples / NEW).verdict)


def test_the_other_way_round_it_fell(program, samples, card):
    before, after = total_of(program, samples / NEW, samples / OLD, "peak")
    percent = round((1 - after / before) * 100)
    assert re.match(rf"Peak memory fell {percent} % ", card(samples / NEW, samples / OLD).verdict)


def test_the_same_run_twice_is_the_same(samples, card):
    assert re.fullmatch(r"Peak memory is the same \((.*) → \1\)\.", card(samples / OLD, samples / OLD).verdict)


def test_nothing_is_all_of_what_shrank(samples, card):
    for pair in [(OLD, NEW), (NEW, OLD)]:
        assert "100 % of all" not in card(*[samples / name for name in pair]).body


def two_metrics(folder, functions, seconds):
    """A run with allocations of these MiB and a CPU profile of so many seconds."""
    folder.mkdir()
    (folder / "memory.bin").write_bytes(made_capture.capture(
        [(name.encode(), f"/app/{name}.py".encode(), int(size * MIB)) for name, size in functions.items()],
        lines=True))
    (folder / "run.json").write_text(json.dumps({"schema": "profrender/run/1", "name": "nightly"}))
    (folder / "cpu.folded").write_text(f"work (/app/work.py:3) {seconds}\n")
    return folder


@pytest.mark.parametrize("factor, first", [(2, "peak"), (1, "weight")])
def test_the_first_tab_is_that_of_the_verdict(card, tmp_path, factor, first):
    page = card(two_metrics(tmp_path / "a", {"load": 10, "fit": 20}, 100),
                two_metrics(tmp_path / "b", {"load": 10 * factor, "fit": 20}, 300))
    tabs = re.findall(r"data-tab='([\w-]+)' data-metric='\d+' aria-controls='\S+' aria-selected='(\w+)'", page.body)
    assert re.search(r"<span title='[^']*'>▲ [^<>&]+</span></button>", page.body)
    assert tabs[0] == (first, "true") and {selected for _, selected in tabs[1:]} == {"false"}
    assert page.verdict.startswith({"peak": "Peak memory rose", "weight": "Weight is 3.0 times"}[first])


@pytest.mark.parametrize("after, share", [(0.012, "99.9"), (0.001, "99.9"), (0.08, "99.6"), (0.6, "97")])
def test_what_is_left_is_not_rounded_away(card, tmp_path, after, share):
    page = card(two_metrics(tmp_path / "a", {"load": 10, "fit": 10}, 100),
                two_metrics(tmp_path / "b", {"load": after / 2, "fit": after / 2}, 100))
    assert page.verdict.replace("\u00a0", " ").startswith(f"Peak memory fell {share} % ")


def test_findings_say_where_and_do_not_repeat_the_verdict(card, tmp_path):
    page = card(two_metrics(tmp_path / "a", {"load": 10, "fit": 20, "old": 5}, 100),
                two_metrics(tmp_path / "b", {"load": 30, "fit": 20.01, "new": 5}, 300))
    found = re.findall(r"<li><p><strong>.*?</p>", page.body)
    said = [html.unescape(re.sub(r"<[^>]*>", "", one)).replace("\u00a0", " ") for one in found]
    assert said[0] == "load ▲ 20.0 MiB at load.py:1: 10.0 MiB before, 30.0 MiB after, 28.6 % and 54.5 % of the whole."
    assert said[1] == "⇄ 5.00 MiB moved from old to new at new.py:1: it did not grow."
    assert said[2].startswith("Weight: work ▲ 200 at work.py:3: 100 before, 300 after.")
    assert len(said) == len(set(said))
    assert not [one for one in said if "as a whole" in one or "all growth" in one]
    assert "5.00 MiB moved from old to new" in page.verdict.replace("\u00a0", " ")
    assert page.part(r"<tr class='moved'>(.*?)</tr>").count("moved") == 1


def run_folder(folder, samples, argv, exit_status, scale):
    """A run with a command, an end, curves and a capture."""
    folder.mkdir()
    start = {"type": "start", "version": 1, "t": 1000.0 * scale, "argv": argv, "host": "h", "pid": 7, "interval": 1,
             "clk_tck": 100, "ncpu": 2, "limits": {"memory_max": None, "cpu_max": None}, "gpus": []}
    rows = [{"ts": i, "rss_mb": 10 * scale + i, "cpu_pct": 50} for i in range(4)]
    end = {"type": "end", "t": 1000.0 * scale + 4, "wall": 4.0 * scale, "exit": exit_status, "signal": None}
    (folder / "timeline.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [start, *rows, end]))
    shutil.copy(samples / (OLD if scale == 1 else NEW), folder / "memray.bin")
    return folder


@pytest.fixture
def pair(samples, tmp_path):
    return (run_folder(tmp_path / "one", samples, ["job", "--day", "1", "<b>"], 0, 1),
            run_folder(tmp_path / "two", samples, ["job", "--day", "2", "<b>"], 3, 2))


def test_what_differs_between_the_runs_is_listed_and_what_does_not_is_named(pair, card):
    page = card(*pair)
    assert re.search(r"Ended\s*succeeded\s*failed, exit status 3", page.runs)
    assert page.part(r"<dt>Wall time</dt><dd class='v'[^>]*>(.*?)</dd>") == "4.00\xa0\u2192 8.00\xa0s"
    assert "Cores 2" in page.runs.split("Same:")[1]
    assert "<mark>1</mark>" in page.body and "<mark>2</mark>" in page.body
    row = re.search(r"Command</th>.*", page.body).group()
    assert "<mark>job</mark>" not in row and "&lt;b&gt;" in row


def test_host_commit_and_recorder_are_compared_where_they_are_known(pair, card):
    for folder, commit in zip(pair, ("7b12c3e", "e04d91a")):
        (folder / "run.json").write_text(json.dumps({"schema": "profrender/run/1", "name": "n", "commit": commit}))
    page = card(*pair)
    assert re.search(r"Commit\s*7b12c3e\s*e04d91a", page.runs)
    assert "Host h" in page.runs.split("Same:")[1]
    assert "Recorded by" not in page.runs, "what was not recorded is not listed"


def test_a_digest_keeps_them_and_hidden_names_hide_them(program, pair, card, tmp_path):
    digests = []
    (tmp_path / "key").write_bytes(bytes(range(32)))
    hiding = ["--redact", "names", "--redact-key", tmp_path / "key"]
    for number, folder in enumerate(pair):
        (folder / "run.json").write_text(json.dumps({"schema": "profrender/run/1", "host": f"secret-host-{number}",
                                                     "commit": f"c0ffee{number}", "recorder": f"profrender {number}"}))
        for words in ([], hiding):
            digests.append(tmp_path / f"{number}{len(words)}.prz")
            assert program("digest", folder, *words, "-o", digests[-1]).status == 0
    known = card(digests[0], digests[2]).runs
    assert re.search(r"Host\s*secret-host-0\s*secret-host-1", known) and "profrender 1" in known
    hidden = card(digests[1], digests[3])
    assert "secret-host" not in hidden.whole and "c0ffee" not in hidden.whole


def test_both_curves_are_in_the_card_from_the_same_start(pair, card):
    page = card(*pair)
    for name in ["RSS", "Heap", "CPU"]:
        for side in ["before", "after"]:
            assert f"{name} {side}" in page.body


def test_a_part_of_a_run_has_no_curve_of_the_whole(pair, card):
    assert "RSS before" not in card(*pair, "--window", "b0:b1").body


def test_the_number_of_a_thread_is_not_a_difference(program, tmp_path):
    for number in (8159, 8599):
        frames = [{"name": f"thread ({number}): MainThread"}, {"name": "work", "file": "work.py", "line": 3}]
        profile = {"type": "sampled", "name": "p", "unit": "seconds", "startValue": 0, "endValue": 2,
                   "samples": [[0, 1], [0]], "weights": [number, 1]}
        (tmp_path / f"{number}.json").write_text(json.dumps(
            {"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": frames},
             "profiles": [profile]}))
    rows = program("diff", tmp_path / "8159.json", tmp_path / "8599.json", "--by", "total", "--json").json()["rows"]
    assert sorted(row["function"] for row in rows) == ["MainThread", "work"]


def test_the_moment_of_the_heap_peak_is_that_of_the_card(program, samples, card, tmp_path):
    capture, page = samples / "daily-sales.bin", tmp_path / "one.html"
    assert program("card", capture, "-o", page).status == 0
    moment = r"342,414,746 bytes, ([\d.]+ s) after the\s+start"
    of_card = re.findall(moment, page.read_text(encoding="utf-8"))
    of_difference = re.findall(moment, card(capture, capture).body)
    assert of_card and of_difference
    assert set(of_card) == set(of_difference) == {"5.587 s"}


def test_two_programs_are_called_two_programs(card, program, samples):
    """A difference of unrelated programs reads as one that got smaller."""
    sides = samples / "daily-sales.bin", samples / "nightly" / "memray.bin"
    words = "The runs are of different programs, daily_sales.py and nightly.py."
    assert card(*sides).part(r"<p class='verdict'>(.*?)</p>").endswith("The programs differ.")
    assert f"\n\n{words}\n\n" in program("diff", *sides).out.replace("&#95;", "_")
    assert f"\n{words}\n\n**" in program("diff", *sides, "--format", "markdown").out.replace("&#95;", "_")
    assert "The programs differ" not in card(samples / OLD, samples / NEW).body
