# SPDX-License-Identifier: Apache-2.0
"""What the rules find in real captures: nothing wrong in healthy ones, and the same in every form.

    python3 -m pytest tests/explain -s -k captures      prints what each capture gets
"""

import html
import json
import re
import shlex
from pathlib import Path

import pytest

# Rules that claim more than who has most: real captures in which they speak, with the function they are about.
SHAPES = {"short-spike", "repeated-peak", "steady-growth", "fills-then-stays", "equal-blocks", "many-small", "churn",
          "peak-moment", "held-long", "doubling", "same-memory", "uneven-threads", "uneven-processes", "last-growth",
          "not-heap", "not-resident", "kept-resident", "known-calls", "imports", "idle", "memory-growth"}
EXPECTED = {
    "daily-sales.bin": {("short-spike", "lag_matrix"), ("fills-then-stays", "<module>"), ("peak-moment", "")},
    "train.torch.pickle": {("short-spike", "forward")},
    "metaflow-ok.profile_card_data.json": {("imports", "")},
    "wordcount.cpuprofile": {("known-calls", "(garbage collector)")},
    "nightly": {("held-long", "load"), ("peak-moment", "")},
}

# Of healthy programs: numpy's products are a spike, and the threads of a tree of calls make its peak together.
HEALTHY = {"numpy_arrays": {("short-spike", "matmul")}, "call_tree": {("peak-moment", "")}}


def findings(program, capture):
    answer = program("explain", "--json", "-q", capture)
    return answer.json()["findings"] if answer.out else []


def speaks_of_shape(found):
    return {(finding["rule"], finding["function"]) for finding in found if finding["rule"] in SHAPES}


def show(capture, found):
    for finding in found:
        print(f"{capture.name}: [{finding['rule']}] {finding['text']}")


def test_real_samples_get_what_is_known_of_them(program, samples):
    wrong = {}
    captures = [*sorted(samples.glob("*.bin")), samples / "nightly", *sorted((samples / "cpu").iterdir()),
                *sorted((samples / "timeline").iterdir())]
    captures = [capture for capture in captures if capture.name != "expected.json" and capture.suffix != ".md"]
    for capture in captures:
        found = findings(program, capture)
        show(capture, found)
        if speaks_of_shape(found) != EXPECTED.get(capture.name, set()):
            wrong[capture.name] = speaks_of_shape(found)
    print(f"{len(wrong)} of {len(captures)} samples get something wrong")
    assert len(captures) > 50 and not wrong


def test_healthy_captures_get_no_shape(program, shared):
    """Programs of a second or less: nothing else has a shape."""
    wrong, count = {}, 0
    for capture in sorted((shared / "memray").glob("*.bin")):
        found = findings(program, capture)
        show(capture, found)
        count += 1
        allowed = next((shapes for name, shapes in HEALTHY.items() if capture.name.startswith(name)), set())
        if speaks_of_shape(found) - allowed:
            wrong[capture.name] = speaks_of_shape(found)
    print(f"{len(wrong)} of {count} healthy captures get something wrong")
    assert count > 100
    assert not wrong


# What is known of the shared profiles of time and of their runs.
KNOWN_OF_SHARED = {"wordcount.cpuprofile": {("known-calls", "(garbage collector)")},
                   "metaflow-ok.profile_card_data.json": {("imports", "")}}


def test_shared_profiles_get_what_is_known_of_them(program, shared):
    wrong, count = {}, 0
    for capture in sorted([*(shared / "cpu").glob("*/*"), *(shared / "timeline").iterdir()]):
        if capture.suffix in (".md", ".py", ".c", ".js") or capture.name in ("expected.json", "goindex"):
            continue
        found = findings(program, capture)
        show(capture, found)
        count += 1
        if speaks_of_shape(found) != KNOWN_OF_SHARED.get(capture.name, set()):
            wrong[capture.name] = speaks_of_shape(found)
    print(f"{len(wrong)} of {count} shared profiles get something wrong")
    assert count > 40 and not wrong


def test_a_cause_is_named_once(program, samples):
    for capture in sorted(samples.glob("*.bin")):
        causes = [(f["function"], f["file"]) for f in findings(program, capture) if f["function"]]
        assert len(causes) == len(set(causes)), capture.name


@pytest.mark.parametrize("sample", ["daily-sales.bin", "nightly"])
def test_every_form_has_the_same_sentences(program, samples, tmp_path, sample):
    capture = samples / sample
    found = findings(program, capture)
    assert found
    text = re.sub(r"\s+", " ", program("explain", capture, "--budget", "0", "--width", "300").out)
    program("card", capture, "-q", "-o", tmp_path / "card.html")
    card = (tmp_path / "card.html").read_text(encoding="utf-8")
    plain = re.sub(r"<[^>]*>", "", re.search(r"<ol class='findings'>.*?</section>", card, re.S).group(0))
    plain = re.sub(r"\s+", " ", plain.replace("\u00a0", " ").replace("&gt;", ">").replace("&lt;", "<"))
    for finding in found:
        assert finding["text"] in text
        assert finding["text"] in plain.replace("\u200b", "")
        for figure in finding["figures"]:
            assert figure["text"] in finding["text"]


def card_findings(program, capture, page, *words):
    program("card", capture, "-q", *words, "-o", page)
    found = re.search(r"<ol class='findings'>.*?</section>", page.read_text(encoding="utf-8"), re.S).group(0)
    return html.unescape(re.sub(r"<[^>]*>", "", found)).replace("\u200b", "").replace("\u00a0", " ")


def test_own_code_is_what_is_below_the_root(program, samples, tmp_path):
    """As on a card made with the same root: what is elsewhere is a library, and counts for its caller."""
    capture = samples / "daily-sales.bin"
    for root, holder in (("/srv/demo/sales", "lag_matrix"), ("/usr", "main")):
        found = program("explain", "--json", "-q", capture, "--root", root).json()["findings"]
        assert found[0]["function"] == holder, root
        shown = card_findings(program, capture, tmp_path / "card.html", "--root", root)
        assert all(finding["headline"] in shown for finding in found)


def test_what_a_profiler_imports_for_itself_is_not_an_import_of_the_program(program, samples):
    """memray's own start is 1.43 s of this run of 3.27 s."""
    answer = program("explain", "--json", "-q", samples / "nightly").json()
    outcomes = {rule["rule"]: rule["outcome"] for rule in answer["rules"]}
    assert outcomes["imports"] == "fine"
    assert "memray" not in str([finding["text"] for finding in answer["findings"]])


def test_a_file_that_names_no_package_is_not_said_to_take_the_imports(program, samples):
    """Metaflow's card has the names of files without their folders."""
    found = findings(program, samples / "timeline/metaflow-ok.profile_card_data.json")
    assert [finding["text"] for finding in found] == ["Imports take 95.4 % of the time: 460 ms."]


def test_the_command_prints_the_figure(program, samples):
    """The figure that a finding begins with is that of the function in the command's rows."""
    for finding in findings(program, samples / "daily-sales.bin"):
        if not finding["command"] or " summary " not in finding["command"]:
            continue
        words = finding["command"].split()[1:]
        rows = program(*words, "--json", "--limit", "0").json()["rows"]
        totals = [row["total"] for row in rows if row["function"] == finding["function"]]
        claimed = next(f["value"] for f in finding["figures"] if f["unit"] == "bytes")
        assert claimed in totals, finding["text"]


def printed_numbers(value):
    if isinstance(value, dict):
        return set().union(*map(printed_numbers, value.values()))
    if isinstance(value, list):
        return set().union(*map(printed_numbers, value))
    return {value} if isinstance(value, (int, float)) else set()


def proven_by(program, words):
    """What a command prints, and the exact figures of its JSON."""
    shown = program(*words).out.replace("\u00a0", " ")
    if words[0] == "export":
        return shown, printed_numbers(json.loads(shown))
    rows = ["--limit", "0"] if words[0] in ("summary", "table") else []
    return shown, printed_numbers(program(*words, "--json", *rows).json())


def test_every_finding_has_a_command_that_prints_its_first_figure(program, samples):
    """Imports are a sum of many rows, the others here are reckoned from what the command prints."""
    reckoned = {"imports", "peak-moment", "held-long", "equal-blocks", "cores"}
    captures = [*sorted(samples.glob("*.bin")), samples / "nightly", *sorted((samples / "cpu").iterdir()),
                *sorted((samples / "timeline").iterdir())]
    missing, count = [], 0
    for capture in captures:
        for finding in findings(program, capture):
            assert finding["command"], finding["text"]
            shown, exact = proven_by(program, shlex.split(finding["command"])[1:])
            if finding["rule"] in reckoned or not finding["figures"]:
                continue
            first = finding["figures"][0]
            count += 1
            values = {first["value"], first["value"] / 1e9} if first["unit"] == "nanoseconds" else {first["value"]}
            if not values & exact and first["text"] not in shown:
                missing.append((capture.name, finding["text"], finding["command"]))
    assert count > 50 and not missing


def test_a_command_shows_the_metric_of_its_finding(program, samples):
    capture = samples / "cpu" / "endpoints.otlp.gz"
    found = next(finding for finding in findings(program, capture) if finding["rule"] == "time")
    assert found["metric"] == "cpu" and found["command"].endswith(" --metric cpu")


def test_the_same_input_gives_the_same_bytes(program, samples):
    first, second = (program("explain", samples / "daily-sales.bin", "--json").bytes for _ in range(2))
    assert first == second


def test_a_budget_is_kept(program, samples):
    for capture in (samples / "daily-sales.bin", samples / "nightly", *sorted((samples / "timeline").iterdir())):
        count = len(findings(program, capture))
        for budget in (50, 150, 500, 2000, 8000):
            first, second = (program("explain", capture, "--budget", budget) for _ in range(2))
            left_out = re.search(r"^(\d+) findings? left out", first.out, re.M)
            shown = len(re.findall(r"^\d+\. ", first.out, re.M))
            assert shown + int(left_out[1] if left_out else 0) == count, (capture.name, budget)
            assert len(first.out.encode()) <= 4 * budget + 80  # and the line that counts what is left out
            assert first.bytes == second.bytes
    capture = samples / "daily-sales.bin"
    least = len(program("explain", capture).out.encode()) // 4 + 1
    assert "\nRules left out by the budget of" in program("explain", "--rules", capture, "--budget", least).out


@pytest.mark.parametrize("name", ["daily-sales.bin", "nightly"])
def test_the_allocations_of_a_finding_are_those_of_its_bytes(program, samples, name):
    """What a function holds and in how many allocations are one row of the table: with all that it calls."""
    said = findings(program, samples / name)[0]
    count = next(figure["value"] for figure in said["figures"] if figure["text"].endswith(" allocations"))
    rows = program("summary", "--json", "-q", "--metric", "peak", samples / name).json()["rows"]
    function = said["function"]
    assert [(row["total"], row["total_count"]) for row in rows if row["function"] == function] == [
        (said["figures"][0]["value"], count)
    ]


def test_a_frame_that_is_called_by_its_place_has_it_once(program, samples):
    found = program("explain", "--json", samples / "cpu/shelf.tracemalloc").json()["findings"]
    assert found[0]["text"].startswith("shelf.py:5 has ")
    assert found[0]["text"].count("shelf.py:5") == 1


def explained(program, capture):
    """What the terminal has, each finding and reason as one line."""
    return re.sub(r"\n +(?!\$)", " ", program("explain", "-q", "--rules", capture).out)


AMOUNT = r"[\d.,]+ (?:[KMGT]iB|[nµm]?s|B)"


def test_rules_without_a_finding_are_counted_or_named(program, samples):
    """The same rules in the line of the terminal, in its list, and in the document."""
    capture = samples / "daily-sales.bin"
    rules = json.loads(program("explain", "--json", capture).out)["rules"]
    fine, not_judged = ([rule["rule"] for rule in rules if rule["outcome"] == outcome]
                        for outcome in ("fine", "not judged"))
    counted = f"{len(fine)} other rules found nothing, {len(not_judged)} could not judge; --rules lists them."
    assert f"\n\n{counted}\n" in program("explain", "-q", "--width", "200", capture).out
    listed = program("explain", "-q", "--rules", "--width", "1000", capture).out
    assert f"\nNothing to report: {', '.join(fine)}.\n" in listed
    named = [name for names in re.findall(r"^Not judged: (.*) \(", listed, re.M) for name in names.split(", ")]
    assert sorted(named) == sorted(not_judged)


def test_no_sentence_says_a_figure_twice(program, samples, shared):
    """"1.22 MiB itself (1.22 MiB at", and a saving that is the amount and the share before it."""
    count = 0
    for capture in [*sorted(samples.glob("*.bin")), samples / "nightly", *sorted((samples / "cpu").iterdir()),
                    *sorted((shared / "memray").glob("call_tree*.bin"))]:
        for line in explained(program, capture).splitlines():
            count += "Could save" in line
            assert not re.search(rf"({AMOUNT})(?: itself)?(?: and through libraries)? \(\1 at", line), line
            saving = re.search(rf"Could save at most ({AMOUNT}) of {AMOUNT} \(([\d.]+ %)\)", line)
            before = line[:saving.start()] if saving else ""
            assert not saving or saving[1] not in before or saving[2] not in before, line
    assert count > 20


@pytest.mark.parametrize("name", ["cpu/hashtab.massif.out", "cpu/hashtab.heaptrack.zst", "cpu/tree.dhat.json.gz"])
def test_sums_by_call_stack_are_not_called_unrecorded(program, samples, name):
    told = " ".join(explained(program, samples / name).split())
    assert "of the heap at its peak" in told or "of all unfreed memory" in told
    assert "peak was not recorded by call stack" not in told
    assert re.search(r"peak-holder[^)]*\(only the sums of call stacks were recorded\)", told)


def test_nothing_is_called_none(program, shared):
    told = explained(program, shared / "memray" / "json_dict-py3.12-memray1.20.0-default+cut-half.bin")
    assert "0 B (0 %)" not in told


def test_what_heaptrack_still_has_at_the_end_is_not_blamed(program, samples):
    told = explained(program, samples / "cpu" / "hashtab.heaptrack.zst")
    assert "Not freed 293 KiB" in told and "Leaked" not in told


@pytest.mark.parametrize(("name", "amount", "whole"), [
    ("cpu/hashtab.heaptrack.zst", "289 KiB from put", "289 KiB of 364 KiB (79.4 %)"),
    ("cpu/tree.dhat.json.gz", "235 KiB from make", "235 KiB of 239 KiB (98.3 %)")])
def test_sums_by_call_stack_show_who_did_not_free(program, samples, name, amount, whole):
    """Most of the peak is still there at the end: that is what a user has to know."""
    told = " ".join(explained(program, samples / name).split())
    assert f"1. {amount} is not freed" in told and f"Could save at most {whole}" in told
    assert re.search(r"of all unfreed memory, [\d,]+ (allocations|blocks) ", told), "not the amount again"
    assert not re.search(r"not-freed[^)]*\(", told)


def test_a_wait_of_milliseconds_is_not_where_the_time_went(program, samples):
    """Of 2 s, threads waited 5 ms for locks: what was allocated says more."""
    told = " ".join(explained(program, samples / "cpu" / "shop.jdk11.jfr.zst").split())
    assert "1. shop.Work.price has 40.2 % of the memory allocated" in told
    assert "of the waiting for locks" not in told


def stackprof_dump(folder, mode, raw):
    """Of ten samples, one is the first after a second of sleep, during which the CPU's clock did not run."""
    frames = {1: {"name": "sort", "file": "/app/shop.rb", "line": 1, "total_samples": 9, "samples": 9},
              2: {"name": "wake", "file": "/app/shop.rb", "line": 5, "total_samples": 1, "samples": 1}}
    path = folder / "shop.stackprof.json"
    path.write_text(json.dumps({"version": 1.2, "mode": mode, "interval": 1000, "samples": 10, "gc_samples": 0,
                                "missed_samples": 0, "frames": frames, "raw": raw,
                                "raw_timestamp_deltas": [1000] * 9 + [1_000_000]}))
    return path


def test_what_was_not_sampled_is_not_charged_to_the_next_sample(program, tmp_path):
    """A profiler of the processor sees no wait: the time since the sample before it is not that of a stack."""
    told = explained(program, stackprof_dump(tmp_path, "cpu", [1, 1, 9, 1, 2, 1]))
    assert "1. sort has 90.0 % of the samples: 9 at shop.rb:1." in told and "wake" not in told


def test_samples_inside_of_a_function_are_several(program, samples):
    told = " ".join(explained(program, samples / "cpu/shop.wall.stackprof").split())
    assert "65 at shop.rb:14, including the libraries it calls. 37 of them are in Array#<=> itself." in told


def test_recorded_objects_are_not_called_samples(program, tmp_path):
    told = explained(program, stackprof_dump(tmp_path, "object", [1, 1, 9, 1, 2, 1]))
    assert "1. sort has 90.0 % of the recorded objects: 9 at shop.rb:1." in told


def test_functions_of_c_that_rbspy_cannot_name_are_not_one_function_of_the_user(program, tmp_path):
    path, c = tmp_path / "shop.collapsed", "(unknown) [c function] - (unknown)"
    path.write_text(f"{c};<main> - /app/shop.rb:9;nap - /app/shop.rb:4;{c} 80\n{c};<main> - /app/shop.rb:9 20\n")
    told = " ".join(explained(program, path).split())
    assert told.startswith("shop.rb Weight 100. 1. nap has 80.0 % of the weight: 80 at shop.rb:4, including the "
                           "libraries it calls. 80 of it is in (unknown) [c function] itself.")


def test_a_program_of_machine_code_has_no_python(program, tmp_path):
    path = tmp_path / "shop.folded"
    path.write_text("clone3;start_thread;free 990\nclone3;start_thread;weigh 1\n")
    told = " ".join(explained(program, path).split())
    assert "Your own code has next to nothing of the 991 weight: 1 (0.1 %)." in told and "Python" not in told


@pytest.mark.parametrize(("name", "whole"), [("goroutine", "of the goroutines"), ("mutex", "of the delay")])
def test_what_go_counts_has_words(program, name, whole):
    """As "of the goroutine" reads like a single one."""
    told = explained(program, Path(__file__).resolve().parent.parent / "conformance" / "go" / f"{name}.pb.gz")
    assert f" % {whole}" in " ".join(told.split())


def test_the_terminal_calls_memory_of_a_failed_run_what_the_card_calls_it(program, samples, tmp_path):
    run, page = samples / "nightly", tmp_path / "card.html"
    program("card", run, "-o", page, "-q")
    assert "In use when it failed" in page.read_text()
    assert "In use when it failed 17.3 MiB" in explained(program, run)
    assert program("summary", run, "--leaks").out.startswith("17.3 MiB in use when it failed,")
    verdict = program("check", run, "--max-leaked", "1MB").out
    assert verdict.startswith("FAIL  in use when it failed, without arenas: 12.3 MiB;")
    for words in (explained(program, run), verdict):
        assert "leaked" not in words.lower().replace("--max-leaked", "") and "Not freed" not in words


def test_a_run_is_called_what_its_card_is_called(program, samples, tmp_path):
    """The name that its scheduler gave it, not the script's."""
    run, page = samples / "nightly", tmp_path / "card.html"
    program("card", run, "-o", page, "-q")
    assert "<title>Failed: Nightly sales" in page.read_text()
    assert [program(command, run).out.splitlines()[0] for command in ("explain", "stats")] == ["Nightly sales"] * 2


def test_what_an_incomplete_capture_holds_is_not_called_unfreed(program, samples):
    cut = samples / "killed-py3.12-memray1.20.0-default.bin"
    told = " ".join(explained(program, cut).split())
    assert "In use when the capture ended 341 KiB" in told and "95.4 % of all that was held" in told
    table = program("table", cut, "--leaks").out
    assert table.startswith("341 KiB in use when the capture ended,")
    assert not re.search("not freed|unfreed", (told.split("Nothing to report")[0] + table).lower())


def test_what_an_incomplete_capture_could_save_is_not_known(program, samples):
    found = findings(program, samples / "killed-py3.12-memray1.20.0-default.bin")
    held = [finding for finding in found if finding["rule"] == "not-freed"]
    assert held and all(finding["saving"] is None for finding in held)


def test_a_recorder_that_dropped_calls_has_no_finding_about_their_times(program, tmp_path):
    """The time of a dropped call is left with its caller, here 9 of 10 ms with main."""
    calls = [{"ph": "X", "pid": 1, "tid": 1, "ts": ts, "dur": dur, "name": f"{name} (job.py:1)"}
             for name, ts, dur in [("load", 9000, 500), ("main", 0, 10000)]]
    for overflow in False, True:
        trace = tmp_path / f"{overflow}.json"
        trace.write_text(json.dumps({"traceEvents": calls, "viztracer_metadata": {"overflow": overflow}}))
        answer = program("explain", "-q", trace).out
        assert ("main takes" in answer) is not overflow
        assert ("Incomplete: 1 buffer of the recorder overflowed" in answer) is overflow
        assert ("time, calls, known-calls, imports, uneven-threads (the recorder dropped calls" in answer) is overflow
        digest = tmp_path / f"{overflow}.prd"
        program("digest", "-q", trace, "-o", digest)
        kept = program("explain", "-q", digest).out
        assert ("main takes" in kept, "buffer of the recorder" in kept) == (not overflow, overflow)
        card = tmp_path / f"{overflow}.html"
        program("card", "-q", trace, "-o", card)
        page = card.read_text()
        assert ("part of the run was not recorded" in page) is overflow
        assert "Capture damaged" not in page


def test_a_profile_that_names_no_program_has_the_title_of_its_card(program, samples, tmp_path):
    capture, page = samples / "cpu" / "train.torch.pickle", tmp_path / "card.html"
    program("card", capture, "-o", page, "-q")
    assert "<h1>train" in page.read_text() and explained(program, capture).startswith("train\n")
    assert program("explain", "-q", "-", input=capture.read_bytes()).out.startswith("PyTorch memory snapshot\n")


def test_memory_of_a_device_is_not_called_a_heap(program, samples, tmp_path):
    capture, page = samples / "cpu" / "train.torch.pickle", tmp_path / "card.html"
    text = program("explain", "-q", capture).out
    assert "holds 175 MiB of the 308 MiB peak of device memory" in " ".join(text.split())
    assert "the device memory is above four fifths" in " ".join(text.split())
    program("card", capture, "-o", page, "-q")
    seen = re.sub(r"<(script|style).*?</\1>", "", page.read_text(), flags=re.S)
    assert "<dt>Peak device memory</dt>" in seen and "Device memory at its peak" in seen
    assert not re.search("heap", text + seen, re.I)
    assert "heap peak" in " ".join(explained(program, samples / "daily-sales.bin").split())
    difference = program("diff", "--format", "html", capture, capture, "-o", "-").out
    seen = re.sub(r"<(script|style).*?</\1>", "", difference, flags=re.S)
    assert "Device memory" in seen and not re.search("heap", seen, re.I)


def test_memory_of_a_device_is_no_part_of_resident_memory(program, samples, tmp_path):
    """A process of 100 MiB whose GPU has 308 MiB, and one of 2,000 MiB: neither is judged by the device's."""
    start = {"type": "start", "version": 1, "t": 1700000000.0, "argv": ["python", "x.py"], "cwd": "/", "host": "vm",
             "pid": 1, "interval": 0.01, "clk_tck": 100, "ncpu": 2, "limits": {}, "gpus": []}
    for rss in (100, 2000):
        run = tmp_path / str(rss)
        run.mkdir()
        points = [{"ts": i / 100, "cpu_pct": 50.0, "rss_mb": rss, "thread_count": 1, "nproc": 1} for i in range(23)]
        (run / "timeline.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [start, *points]))
        (run / "train.torch.pickle").write_bytes((samples / "cpu" / "train.torch.pickle").read_bytes())
        rules = {rule["rule"]: rule for rule in json.loads(program("explain", "--json", run).out)["rules"]}
        for name in ("not-heap", "not-resident", "kept-resident"):
            assert rules[name]["why"] == "device memory is not resident memory", name
