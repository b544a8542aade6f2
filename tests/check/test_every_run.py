# SPDX-License-Identifier: Apache-2.0
"""`check --grows-in-every N` fails for what has more in each of the last N runs than in the run before."""

import html
import json
import urllib.parse

import pytest
from captures import KIB, MIB, Allocation, arenas, write

MAIN = ("main", "/ci/app/main.py", 3)
DAY = 86400000


@pytest.fixture
def runs(tmp_path):
    """`runs(keep=[10, 11], load=[5, 5])` is a capture for each number of KiB, a day apart."""

    def make(threads=1, **sizes):
        made = []
        for day in range(len(next(iter(sizes.values())))):
            allocations = [Allocation([MAIN, (name, f"/ci/app/{name}.py", 7)], int(of[day] * KIB) // threads,
                                      thread=thread + 1)
                           for name, of in sizes.items() if of[day] for thread in range(threads)]
            made.append(write(tmp_path / f"run-{day}.bin", allocations, start_ms=1700000000000 + day * DAY))
        return made

    return make


@pytest.fixture
def judge(check):
    """The last run against those before it, in that order."""

    def judged(made, number, *words):
        return check(made[-1], "--grows-in-every", number, *words, baseline=made[:-1])

    return judged


def test_what_grows_a_little_every_time_is_broken(runs, judge):
    """Each step is within the tolerance of three percent of the whole."""
    made = runs(keep=[10000, 10200, 10500, 10700], load=[100000] * 4)
    verdict = judge(made, 3)
    assert (verdict.status, verdict.broken) == (1, ["grew-peak", "grew-leaked", "grew-allocated"])
    found = verdict.finding("grew-peak")
    assert (found["function"], found["file"], found["line"]) == ("keep", "/ci/app/keep.py", 7)
    assert found["grew"] == {"runs": 3, "least": 200 * KIB}
    assert (found["before"], found["after"]) == (10000 * KIB, 10700 * KIB)
    assert found["limit"] == found["alarm_above"] == int(10500 * KIB * 1.01)
    assert found["sentence"] == ("keep (/ci/app/keep.py:7): peak grew in each of the last 3 runs, by at least 200 KiB: "
                                 "from 9.77 MiB to 10.4 MiB; the limit is 1 % a run")


@pytest.mark.parametrize("sizes", [(10000, 10200, 10200, 10700), (10000, 10700, 10400, 10800),
                                   (10800, 10500, 10300, 10100), (10000, 10050, 10110, 10150),
                                   (100, 130, 160, 190)])
def test_what_does_not_grow_every_time_is_kept(runs, judge, sizes):
    """Equal once, less once, less each time, by one percent or less, by 90 KiB in all."""
    verdict = judge(runs(keep=sizes, load=[100000] * 4), 3)
    kept = verdict.finding("grew-peak")
    assert not [rule for rule in verdict.broken if rule.startswith("grew")]
    assert (kept["answer"], kept["grew"], kept["limit"]) == ("kept", {"runs": 3, "least": None}, None)
    assert kept["sentence"] == "peak of no function grew in each of the last 3 runs"


def test_only_the_last_runs_count(runs, judge):
    made = runs(keep=[30000, 10000, 10200, 10400, 10600], load=[100000] * 5)
    assert judge(made, 3).finding("grew-peak")["before"] == 10000 * KIB
    assert judge(made, 4).finding("grew-peak")["answer"] == "kept"


@pytest.mark.parametrize(("least", "answer"), [("1", "broken"), ("1.9%", "broken"), ("2.5", "kept"), ("0", "broken")])
def test_the_least_growth_can_be_set(runs, judge, least, answer):
    made = runs(keep=[10000, 10200, 10500, 10710], load=[100000] * 4)
    assert judge(made, 3, "--least", least).finding("grew-peak")["answer"] == answer


def test_what_was_not_there_before_grew_too(runs, judge):
    made = runs(keep=[0, 500, 1000, 1500], load=[100000] * 4)
    assert judge(made, 3).finding("grew-peak")["grew"]["least"] == 500 * KIB


def test_fewer_runs_cannot_tell(runs, judge, check):
    made = runs(keep=[10000, 10200, 10400], load=[100000] * 3)
    verdict = judge(made, 3)
    assert verdict.finding("grew-peak")["doubt"] == "3 runs before this one are needed, and there are fewer"
    alone = check(made[0], "--grows-in-every", "2", "--max-peak", "1GiB")
    assert (alone.status, alone.untold) == (0, ["grew-peak", "grew-leaked", "grew-allocated"])
    assert alone.finding("grew-peak")["doubt"] == "2 runs before this one are needed, and there is none"


def test_a_history_is_in_the_order_of_starts(runs, check, tmp_path):
    made = runs(keep=[10000, 10200, 10400, 10600], load=[100000] * 4)
    folder = tmp_path / "history"
    folder.mkdir()
    for name, run in zip("cab", made):
        run.rename(folder / name)
    assert check(made[3], "--history", folder, "--grows-in-every", "3").finding("grew-peak")["answer"] == "broken"
    assert check(made[3], "--grows-in-every", "3", baseline=[folder]).finding("grew-peak")["answer"] == "kept"


def test_a_damaged_run_is_no_step_of_a_history(runs, check, tmp_path):
    made = runs(keep=[10000, 10200, 10400, 10600, 10800], load=[100000] * 5)
    made[2].write_bytes(made[2].read_bytes()[:-1])
    folder = tmp_path / "history"
    folder.mkdir()
    for run in made[:-1]:
        run.rename(folder / run.name)
    verdict = check(made[4], "--history", folder, "--grows-in-every", "3")
    assert verdict.finding("grew-peak")["grew"] == {"runs": 3, "least": 200 * KIB}
    assert any("run-2.bin" in note and "incomplete" in note for note in verdict.document["notes"])
    named = check(made[4], "--grows-in-every", "3", baseline=[folder / "run-2.bin"])
    assert (named.status, named.document) == (3, None)


def test_where_chance_decides_a_few_runs_do_not(runs, judge):
    """What several threads hold at once differs from run to run; what they allocate does not."""
    made = runs(threads=4, keep=[10000 + 300 * day for day in range(7)], load=[100000] * 7)
    few, many = judge(made[:4], 3), judge(made, 6)
    assert few.finding("grew-peak")["answer"] == "cannot tell"
    assert "4 threads allocate" in few.finding("grew-peak")["sentence"]
    assert few.finding("grew-allocated")["answer"] == many.finding("grew-peak")["answer"] == "broken"


def test_arenas_grow_for_nobody(check, tmp_path):
    made = [write(tmp_path / f"{day}.bin", [arenas([MAIN, ("objects", "/ci/app/o.py", 2)], 2 + day)])
            for day in range(4)]
    verdict = check(made[3], "--grows-in-every", "3", baseline=made[:3])
    assert verdict.finding("grew-peak")["answer"] == "kept"


def test_a_figure_of_the_whole_run_may_grow(check, tmp_path):
    made = []
    for day in range(4):
        folder = tmp_path / f"run-{day}"
        folder.mkdir()
        lines = [{"type": "start", "version": 1, "t": 1700000000 + day, "argv": ["x"]},
                 {"ts": 0, "rss_mb": 100 + 20 * day},
                 {"type": "end", "t": 1700000001 + day, "wall": 1, "exit": 0, "signal": None}]
        (folder / "timeline.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        made.append(folder)
    verdict = check(made[3], "--grows-in-every", "3", "--tolerance", "50", baseline=made[:3])
    found = verdict.finding("grew-rss")
    assert (found["answer"], found["function"], found["grew"]["least"]) == ("broken", None, 20 * MIB)
    assert found["sentence"].startswith("rss grew in each of the last 3 runs, by at least 20.0 MiB: from 100 MiB to")


def test_the_file_has_it_too(runs, check, tmp_path):
    made = runs(keep=[10000, 10200, 10400], load=[100000] * 3)
    config = tmp_path / "check.json"
    config.write_text(json.dumps({"grows_in_every": 2, "least": "1%"}))
    assert "grew-peak" in check(made[2], "--config", config, baseline=made[:2]).broken
    verdict = check(made[2], "--config", config, "--least", "5", baseline=made[:2])
    assert verdict.finding("grew-peak")["answer"] == "kept"


@pytest.mark.parametrize("rules", [{"grows_in_every": 1}, {"grows_in_every": "3"}, {"grows_in_every": 1001},
                                   {"grows_in_every": -3}, {"grows_in_every": 2.5}, {"least": "1%"},
                                   {"grows_in_every": 2, "least": "much"}])
def test_a_wrong_file_is_refused(runs, program, tmp_path, rules):
    made = runs(keep=[10000, 10200])
    config = tmp_path / "check.json"
    config.write_text(json.dumps(rules))
    answer = program("check", made[1], "--baseline", made[0], "--config", config)
    assert (answer.status, answer.out) == (2, "")


@pytest.mark.parametrize("words", [("1",), ("0",), ("1001",), ("x",), ("-2",), ("2", "--least", "nan"),
                                   ("2", "--least", "-1")])
def test_wrong_usage_is_refused(runs, program, words):
    made = runs(keep=[10000, 10200])
    assert program("check", made[1], "--baseline", made[0], "--grows-in-every", *words).status == 2


def test_every_report_has_it(runs, reports):
    made = runs(keep=[10000, 10200, 10500, 10700], load=[100000] * 4)
    sentence = ("keep (/ci/app/keep.py:7): peak grew in each of the last 3 runs, by at least 200 KiB: from 9.77 MiB to "
                "10.4 MiB; the limit is 1 % a run")
    made = reports(made[-1], "--grows-in-every", "3", baseline=made[:-1])
    assert f"FAIL  {sentence}\n" in made["text"]
    assert json.dumps(sentence) in made["json"]
    assert sentence in html.unescape(made["junit"]) and 'name="grew-peak:keep"' in made["junit"]
    assert sentence in urllib.parse.unquote(made["github"])
    assert html.unescape(made["markdown"]).startswith(f"### {sentence}\n")
    assert [issue["description"] for issue in json.loads(made["codequality"])] == [sentence]
    assert "profrender_rules_broken 3\n" in made["openmetrics"] and 'rule="grew' not in made["openmetrics"]


def test_sarif_names_the_place(runs, program, tmp_path):
    made = runs(keep=[10000, 10200, 10500], load=[100000] * 3)
    report = tmp_path / "check.sarif"
    program("check", made[2], "--metric", "peak", "--grows-in-every", "2", "--report", f"sarif={report}",
            "--baseline", made[0], "--baseline", made[1])
    results = json.loads(report.read_text())["runs"][0]["results"]
    result, = [result for result in results if result["ruleId"] == "grew-peak"]
    assert result["level"] == "error"
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]) == ("file:///ci/app/keep.py", {"startLine": 7})


def test_a_hostile_name_is_harmless_in_every_report(reports, tmp_path):
    name = "f|`<b>\x1b[31m&amp;%0A::error::"
    made = [write(tmp_path / f"{day}.bin", [Allocation([(name, "/ci/x.py", 1)], (10 + day) * MIB)]) for day in range(3)]
    texts = reports(made[2], "--grows-in-every", "2", baseline=made[:2])
    assert "grew in each" in texts["text"]
    assert all("\x1b" not in text for text in texts.values())
    assert "<b>" not in texts["junit"] and "<b>" not in texts["markdown"]
