# SPDX-License-Identifier: Apache-2.0
"""`profrender publish`: what a site consists of, that only changes are rendered again, and what it survives."""

import html.parser
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from sites import without_way_back

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"
DEMO = SAMPLES / "daily-sales.bin"
SMALL = SAMPLES / "json_dict-py3.13-memray1.18.0-default.bin"
MANY = 2000


class Site:
    """Runs of samples in `folder`/runs, published as `folder`/site."""

    def __init__(self, program, folder):
        self.program, self.folder, self.place = program, folder, folder / "site"
        (folder / "runs").mkdir()

    def put(self, name, source):
        """A file of the runs, with these bytes or as a copy."""
        target = self.folder / "runs" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(source, bytes):
            target.write_bytes(source)
        else:
            shutil.copyfile(source, target)
        return target

    def publish(self, *words):
        return self.program("publish", self.folder / "runs", "-o", self.place, *words)

    def runs(self):
        """{source: its entry in the list}"""
        document = json.loads((self.place / "runs.json").read_bytes())
        assert document["schema"] == "profrender/runs/1"
        return {run["source"]: run for run in document["runs"]}

    def page(self):
        return (self.place / "index.html").read_text(encoding="utf-8")

    def card(self, source):
        """The file of a run's card."""
        return self.place / self.runs()[source]["card"]

    def state(self):
        """What is in the site: {name: (inode, time, bytes)}; a file that was written again has another inode."""
        found = {}
        for path in sorted(self.place.rglob("*")):
            if path.is_file():
                status = path.stat()
                found[str(path.relative_to(self.place))] = status.st_ino, status.st_mtime_ns, path.read_bytes()
        return found


@pytest.fixture
def site(program, tmp_path):
    return Site(program, tmp_path)


@pytest.fixture(scope="module")
def make_site(program, tmp_path_factory):
    """`make_site()` for a fixture of a whole module."""
    return lambda: Site(program, tmp_path_factory.mktemp("site"))


def cards(state):
    return {name: value for name, value in state.items() if name.startswith("cards/")}


# ---- what a site consists of -----------------------------------------------------------------------------------------

STATUS = {"a/demo.bin": "recorded", "a/demo.prz": "recorded", "cut.bin": "incomplete", "failed.txt": "failed",
          "newer.bin": "unreadable"}


@pytest.fixture(scope="module")
def mixed(make_site):
    """(a site of runs of all kinds, the answer of `publish`)"""
    site = make_site()
    site.put("a/demo.bin", DEMO)
    site.program("digest", DEMO, "-o", site.folder / "runs/a/demo.prz")
    site.put("cut.bin", SAMPLES / "killed-py3.12-memray1.20.0-default.bin")
    site.put("failed.txt", SAMPLES / "timeline/fail.stderr.txt")
    site.put("newer.bin", b"memray\0\xff\0\0\0" + bytes(64))
    site.put("README.md", b"# nothing to see\n")
    site.put(".hidden.bin", DEMO)
    return site, site.publish()


def test_what_cannot_be_read_is_said_and_stops_nothing(mixed):
    done = mixed[1]
    assert done.status == 0
    assert done.err.count("\n") == 1
    assert "newer.bin: header version 255" in done.err


def test_runs_captures_and_digests_are_found_hidden_and_other_files_are_not(mixed):
    assert set(mixed[0].runs()) == set(STATUS)


@pytest.mark.parametrize("name", STATUS)
def test_a_run_has_its_status(name, mixed):
    assert mixed[0].runs()[name]["status"] == STATUS[name]


@pytest.mark.parametrize("name", ["a/demo.bin", "a/demo.prz"])
def test_the_figures_are_those_of_info(name, mixed, program):
    run, info = mixed[0].runs()[name], program("info", DEMO, "--json").json()["metadata"]
    of = {"start_ms": "start_time", "end_ms": "end_time", "peak_heap_bytes": "peak_memory"}
    assert {key: run.get(key) for key in of} == {key: info[other] for key, other in of.items()}


def test_a_run_took_as_long_as_its_card_says(program, tmp_path):
    """run.json's end is 20 ms after the command's, as its recorder had something left to do."""
    shutil.copytree(SAMPLES / "nightly", tmp_path / "runs/nightly")
    program("publish", tmp_path / "runs", "-o", tmp_path / "site")
    run, = json.loads((tmp_path / "site/runs.json").read_text())["runs"]
    end = json.loads((SAMPLES / "nightly/timeline.jsonl").read_text().splitlines()[-1])
    assert run["end_ms"] - run["start_ms"] == int(end["wall"] * 1000) == 2826


def test_times_of_another_clock_make_no_run_of_a_year(program, tmp_path):
    """run.json is of another year than the capture: a run takes as long as the longer of both, also on the site."""
    run = tmp_path / "runs/one"
    run.mkdir(parents=True)
    shutil.copy(DEMO, run / "memory.bin")
    times = {"start_ms": 1_700_000_000_000, "end_ms": 1_700_000_001_010}
    (run / "run.json").write_text(json.dumps({"schema": "profrender/run/1", **times}))
    program("publish", tmp_path / "runs", "-o", tmp_path / "site")
    listed, = json.loads((tmp_path / "site/runs.json").read_text())["runs"]
    info = program("info", run, "--json").json()
    took = info["metadata"]["end_time"] - info["metadata"]["start_time"]
    assert listed["start_ms"] == times["start_ms"] and listed["end_ms"] - listed["start_ms"] == took < 60_000
    assert "one of the clocks was wrong" in str(info["notes"])


@pytest.mark.parametrize("sampled_mb", [0, 50])
def test_what_was_not_sampled_is_as_the_system_counted_it(program, tmp_path, sampled_mb):
    """Between two samples the process had more: card, site and check have shown different figures of it."""
    run = tmp_path / "runs/one"
    run.mkdir(parents=True)
    shutil.copy(DEMO, run / "memory.bin")
    start = program("info", DEMO, "--json").json()["metadata"]["start_time"] / 1000
    lines = [{"type": "start", "version": 1, "t": start}, {"ts": 0, "rss_mb": sampled_mb}, {"ts": 1, "rss_mb": 0},
             {"type": "end", "t": start + 2, "wall": 2, "exit": 0, "rusage": {"maxrss_kb": 120_000}}]
    (run / "timeline.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (run / "run.json").write_text(json.dumps({"schema": "profrender/run/1"}))
    program("publish", tmp_path / "runs", "-o", tmp_path / "site")
    listed, = json.loads((tmp_path / "site/runs.json").read_text())["runs"]
    page, = (tmp_path / "site/cards").glob("*.html")
    cell = page.read_text().split("Peak RSS", 1)[1][:600]
    assert listed["peak_rss_bytes"] == 122_880_000 and "122,880,000 bytes" in cell, cell
    assert program("check", run, "--max-rss", "122880000", "--json").status == 0
    assert program("check", run, "--max-rss", "122879999", "--json").status == 1


def test_a_run_near_its_memory_limit_is_listed_first(program, tmp_path):
    run = tmp_path / "runs/near"
    run.mkdir(parents=True)
    lines = [{"type": "start", "version": 1, "t": 1700000000, "limits": {"memory_max": 200 << 20}},
             {"ts": 0, "rss_mb": 10}, {"ts": 1, "rss_mb": 190},
             {"type": "end", "t": 1700000002, "wall": 2, "exit": 0}]
    (run / "timeline.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    program("publish", tmp_path / "runs", "-o", tmp_path / "site")
    listed, = json.loads((tmp_path / "site/runs.json").read_text())["runs"]
    assert listed["peak_memory_bytes"] * 100 == listed["memory_limit_bytes"] * 95
    page, = (tmp_path / "site/cards").glob("*.html")
    assert "95.0 % of the 200 MiB limit" in page.read_text()
    assert "1 job used 90 % or more of its memory limit" in (tmp_path / "site/index.html").read_text()


def test_a_card_is_what_card_makes(mixed, program, tmp_path):
    site, _ = mixed
    program("card", site.folder / "runs/a/demo.bin", "-o", tmp_path / "same.html")
    same = without_way_back(site.card("a/demo.bin")) == (tmp_path / "same.html").read_bytes()
    assert same


def test_with_strict_the_exit_status_is_3_and_the_site_is_there(mixed):
    site, _ = mixed
    assert site.publish("--strict").status == 3
    assert set(site.runs()) == set(STATUS)


# ---- the page --------------------------------------------------------------------------------------------------------


class Structure(html.parser.HTMLParser):
    """The elements of a page: which there are, whether they close, where links lead."""

    VOID = {"meta", "link", "br", "input", "wbr"}

    def __init__(self, text):
        super().__init__()
        self.open, self.wrong, self.links, self.names = [], [], [], set()
        self.feed(text)
        self.wrong += self.open

    def handle_starttag(self, name, attributes):
        self.names.add(name)
        self.links += [value for key, value in attributes if name == "a" and key == "href"]
        self.wrong += [f"{name} {key}" for key, _ in attributes if key == "style" or key.startswith("on")]
        if name not in self.VOID:
            self.open.append(name)

    def handle_startendtag(self, name, attributes):
        self.names.add(name)

    def handle_endtag(self, name):
        if self.open and self.open[-1] == name:
            self.open.pop()
        else:
            self.wrong.append(f"</{name}>")


@pytest.fixture(scope="module")
def hostile(make_site):
    """(the site of runs with hostile names, the answer of `publish`)"""
    site = make_site()
    site.put("<img src=x onerror=alert(1)>'\"&amp;\x1b[31m.bin", DEMO)
    site.put("b\udcff\u202e.bin".encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape"), SMALL)
    return site, site.publish("--title", "<script>alert(1)</script>")


def test_a_site_of_hostile_names_is_made(hostile):
    assert (hostile[1].status, hostile[1].err) == (0, "")


def test_its_page_is_well_formed_without_style_attributes_and_handlers(hostile):
    assert not Structure(hostile[0].page()).wrong


def test_names_stay_text(hostile):
    page = hostile[0].page()
    assert not Structure(page).names & {"img", "iframe"}
    assert "&lt;script&gt;" in page


def test_what_cannot_be_seen_is_shown(hostile):
    unbroken = hostile[0].page().replace("<wbr>", "")
    assert r"\x1b[31m" in unbroken
    assert r"\xff\u202e" in unbroken


def test_each_link_leads_to_a_file_of_the_site(hostile):
    site, _ = hostile
    links = [link for link in Structure(site.page()).links if not link.startswith("#")]
    assert links
    assert not [link for link in links if not (site.place / link).is_file()]


def test_its_policy_allows_the_own_script_and_style_by_their_hashes_and_nothing_else(hostile):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', hostile[0].page())[1]
    assert "default-src 'none'" in policy
    assert policy.count("sha256-") == 2
    assert "unsafe" not in policy


# ---- a second time ---------------------------------------------------------------------------------------------------


@pytest.fixture
def three(site):
    """A site of three runs and a file that is not a run."""
    for name in "one", "two", "three":
        site.put(f"{name}.bin", SMALL)
    site.put("other.txt", b"no profile\n")
    site.publish()
    return site


def test_the_second_time_makes_no_card_and_the_list_is_the_same_to_the_byte(three):
    before = three.state()
    three.publish()
    after = three.state()
    assert [name for name in cards(after) if after[name] != before.get(name)] == []
    same = [name for name in before if after[name][2] != before[name][2]]
    assert not same


def spoil(path):
    """What it contains can no longer be read; its size, its time and its beginning are as before."""
    status, head = path.stat(), path.read_bytes()[:4096]
    path.write_bytes(head + bytes(status.st_size - len(head)))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def without_figures_before(card):
    """A card without what it says of the runs before it, which changes with those."""
    return re.sub(rb"<dd class='s' id='pr-before-\w+'>.*?</dd>", b"", card)


def test_of_a_file_that_changed_the_card_is_made_again(three):
    before = three.state()
    three.put("two.bin", DEMO)
    for name in ("one.bin", "three.bin"):
        spoil(three.folder / "runs" / name)
    assert three.publish().status == 0
    changed = [name for name, value in cards(three.state()).items()
               if name not in before or without_figures_before(value[2]) != without_figures_before(before[name][2])]
    assert [name.split("-")[0] for name in changed] == ["cards/two.bin"]


def test_a_card_that_is_missing_is_made_again(three):
    three.card("one.bin").unlink()
    three.publish()
    assert three.card("one.bin").is_file()


def test_with_other_options_all_are_made_again(three):
    before = three.state()
    three.publish("--theme", "dark")
    assert not [name for name, value in three.state().items() if name in before and value[:2] == before[name][:2]]


def another_build(program, folder):
    """The program as another build of its version: with another build id."""
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
    build = bytes.fromhex(re.search("Build ID: ([0-9a-f]+)", notes)[1])
    code = Path(program).read_bytes()
    assert code.count(build) == 1
    other = folder / "profrender"
    other.write_bytes(code.replace(build, build[::-1]))
    other.chmod(0o755)
    return other


def test_cards_of_another_build_of_the_same_version_are_made_again(three, program, tmp_path):
    before = cards(three.state())
    other = another_build(program.path, tmp_path)
    subprocess.run([other, "publish", three.folder / "runs", "-o", three.place], check=True)
    after = cards(three.state())
    assert after.keys() == before.keys()
    stayed = [name for name in after if after[name][:2] == before[name][:2]]
    assert not stayed, "a card of the earlier build stayed"


def test_a_run_whose_source_is_gone_stays_until_prune(three):
    card = three.card("one.bin")
    (three.folder / "runs/one.bin").unlink()
    three.publish()
    assert "one.bin" in three.runs()
    assert card.is_file()
    three.publish("--prune")
    assert "one.bin" not in three.runs()
    assert not card.exists()


def test_the_same_site_comes_from_any_number_of_jobs(site):
    for name in range(12):
        site.put(f"run {name}.bin", (DEMO, SMALL)[name % 2])
    states = []
    for jobs in 1, 3, 12:
        shutil.rmtree(site.place, ignore_errors=True)
        assert site.publish("--jobs", jobs).status == 0
        states.append({name: value[2] for name, value in site.state().items()})
    same = states[0] == states[1] == states[2]
    assert same


# ---- existing cards --------------------------------------------------------------------------------------------------


@pytest.fixture
def made_before(site):
    """A site with a card next to its capture, a card on its own, and a page that is not a card."""
    site.put("train.bin", DEMO)
    site.program("card", DEMO, "-o", site.folder / "runs/train.html", "--title", "made before")
    site.program("card", SMALL, "-o", site.folder / "runs/alone.html", "--title", "Alone & <b>bold</b>")
    site.put("page.html", b"<!doctype html><title>no card</title>")
    site.publish()
    return site


def test_a_card_next_to_its_capture_is_made_again_of_that(made_before, program, tmp_path):
    assert set(made_before.runs()) == {"train.bin", "alone.html"}
    program("card", tmp_path / "runs/train.bin", "-o", tmp_path / "same.html")
    same = without_way_back(made_before.card("train.bin")) == (tmp_path / "same.html").read_bytes()
    assert same


def test_a_card_without_a_capture_is_listed_by_its_title_and_the_same_to_the_byte(made_before):
    assert made_before.runs()["alone.html"]["name"] == "Alone & <b>bold</b>"
    same = made_before.card("alone.html").read_bytes() == (made_before.folder / "runs/alone.html").read_bytes()
    assert same


# ---- options about code are those of `card`, for each card -----------------------------------------------------------

CODE = ["--root", "/srv/demo", "--source-url", "https://git.example.com/{file}#L{line}", "--path-map", "/x=/y"]


@pytest.fixture
def with_code(site):
    """A capture, and a run that failed with an exception."""
    site.put("demo.bin", DEMO)
    ends = {"type": "end", "t": 9, "wall": 8, "exit": 1, "signal": None,
            "stderr_tail": "Traceback (most recent call last):\n  File \"/home/ada/x.py\", line 3, in f\n"
                           "    open(p)\nOSError: no such file: '/home/ada/orders.csv'\n"}
    lines = {"type": "start", "version": 1, "t": 1, "argv": ["/home/ada/x.py"]}, {"ts": 0, "rss_mb": 5}, ends
    site.put("failed/timeline.jsonl", "".join(json.dumps(line) + "\n" for line in lines).encode())
    return site


def test_with_options_about_code_a_card_is_what_card_makes_with_them(with_code, program, tmp_path):
    assert with_code.publish(*CODE).status == 0
    program("card", tmp_path / "runs/demo.bin", "-o", tmp_path / "same.html", *CODE)
    card = without_way_back(with_code.card("demo.bin"))
    same = card == (tmp_path / "same.html").read_bytes()
    assert same
    linked = b"git.example.com" in card
    assert linked


def test_with_the_same_options_about_code_no_card_is_made_again(with_code):
    with_code.publish(*CODE)
    before = cards(with_code.state())
    with_code.publish(*CODE)
    after = cards(with_code.state())
    assert not [name for name in after if after[name][:2] != before[name][:2]]


def test_with_redact_paths_no_folder_is_in_any_file_but_what_happened_is_there(with_code):
    with_code.publish("--redact-paths", "--root", "/srv/demo")
    assert not [name for name, (_, _, text) in with_code.state().items() if re.search(b"/home|/ada|ada/", text)]
    assert with_code.runs()["failed"]["problem"] == "OSError: no such file: 'orders.csv'"


@pytest.mark.parametrize("words", [["--source-url", "file:///{file}"], ["--path-map", "x"], ["--root", ""]],
                         ids=lambda words: words[0])
def test_wrong_options_about_code(words, with_code):
    done = with_code.publish(*words)
    assert done.status == 2
    assert words[0] in done.err


# ---- flows -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def flow(site):
    """Three steps that start a second apart and last a second and a half each."""
    for number, step in enumerate(("start", "fit", "save")):
        text = json.dumps({"schema": "profrender/run/1", "flow": "forecast", "run": "7", "step": step,
                           "start_ms": 1763000000000 + 1000 * number, "end_ms": 1763000001500 + 1000 * number})
        site.put(f"{step}/run.json", text.encode())
        site.put(f"{step}/memory.bin", SMALL)
    site.publish()
    return site


def test_a_folder_with_run_json_is_one_run(flow):
    assert set(flow.runs()) == {"start", "fit", "save"}


def test_the_steps_of_a_flow_are_bars_on_one_axis_from_start_to_end(flow):
    bars = re.findall(r"<rect class='\w+' x='([\d.]+)%' y='4' width='([\d.]+)%'", flow.page())
    start, whole = 1.5, 97 / 3.5  # a margin on both sides; a second
    assert [tuple(map(float, bar)) for bar in bars] == [
        (pytest.approx(start + number * whole, abs=.001), pytest.approx(1.5 * whole, abs=.001)) for number in range(3)]
    assert re.findall(r"<text [^>]*>([^<]*)</text>", flow.page())[:3] == ["0 s", "1.00 s", "2.00 s"]


def test_tasks_of_a_foreach_have_lanes_and_attempts_share_one(site):
    start = 1763000000000
    for name, step, since, until in (("a", "<fit>", 0, 4000), ("b", "<fit>", 1000, 3000), ("c", "<fit>", 5000, 6000),
                                     ("d", "save", 5200, None), ("e", "save", 5500, 5500)):
        words = {"schema": "profrender/run/1", "flow": "f", "run": "1", "step": step, "start_ms": start + since}
        site.put(f"{name}/run.json", json.dumps({**words, **({"end_ms": start + until} if until else {})}).encode())
        site.put(f"{name}/stderr.log", b"Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n"
                                       b"ValueError: no\n" if name == "a" else b"done\n")
    assert site.publish().status == 0
    page = site.page()
    lanes = re.findall(r"<div class='lane'><span class='label'>(.*?)</span><svg class='strip' role='group' "
                       r"aria-label='(.*?)'>(.*?)</svg></div>", page)
    assert [(label, drawn.count("<rect")) for label, _, drawn in lanes] == [
        ("&lt;fit&gt;", 2), ("", 1), ("save", 1), ("", 1)], page
    assert lanes[0][1].startswith("&lt;fit&gt;: 2 bars, the first ")
    assert "finish not known" in lanes[2][2] + lanes[3][2] and " open'" in lanes[2][2] + lanes[3][2]
    assert not re.search(r"width='0\.0+%'", page), "what took no time is still a bar"
    ended = r"<b>f</b> 1 <span class='how bad'><svg .{0,199}</svg>&lt;fit&gt; failed</span> <span class='muted'>5 steps"
    assert re.search(ended, page), "a folded flow says how it ended"


# ---- what is refused, and unusual locations --------------------------------------------------------------------------


def test_pages_of_somebody_else_are_not_written_over(site):
    site.put("one.bin", SMALL)
    site.place.mkdir()
    (site.place / "index.html").write_text("mine")
    done = site.publish()
    assert done.status == 4
    assert "other pages" in done.err
    assert site.page() == "mine"


@pytest.mark.parametrize("words, status, said", [
    ("{folder}/absent", 3, "No such file"),
    (f"{DEMO}", 3, "is a file"),
    ("-", 2, "takes a folder"),
    ("{folder} --jobs x", 2, "whole number"),
    (f"{{folder}}/runs -o {DEMO}", 4, "cannot make the folder"),
], ids=["absent", "file", "stdin", "jobs", "output"])
def test_a_wrong_place(words, status, said, site, program):
    done = program("publish", *(word.format(folder=site.folder) for word in words.split()))
    assert done.status == status
    assert said in done.err


def test_a_folder_that_cannot_be_read_is_reported_and_with_strict_3(site):
    if os.getuid() == 0:
        pytest.skip("root reads all")
    closed = site.folder / "runs/closed"
    closed.mkdir(mode=0o000)
    done = site.publish("--strict")
    closed.rmdir()
    assert done.status == 3
    assert "closed: Permission denied" in done.err


def test_an_empty_folder_gives_an_empty_index(site):
    assert site.publish().status == 0
    assert "No runs yet" in site.page()


def test_a_site_inside_the_folder_is_not_published_itself(site, program):
    site.put("one.bin", SMALL)
    inside = site.folder / "runs/site"
    for _ in range(2):
        assert program("publish", site.folder / "runs", "-o", inside).status == 0
    assert len(json.loads((inside / "runs.json").read_bytes())["runs"]) == 1


def test_a_link_to_a_folder_leads_nowhere(site):
    site.put("one.bin", SMALL)
    os.symlink(".", site.folder / "runs/loop")
    assert site.publish().status == 0
    assert len(site.runs()) == 1


# ---- many ------------------------------------------------------------------------------------------------------------


def test_what_was_made_before_a_kill_is_not_made_again(site, program):
    for number in range(600):
        site.put(f"{number}.bin", SMALL)
    running = subprocess.Popen([program.path, "publish", site.folder / "runs", "-o", site.place, "--jobs", "1"],
                               start_new_session=True)
    while running.poll() is None and not ((site.place / "runs.json").exists() and site.runs()):
        time.sleep(0.01)
    ended = running.poll()
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    assert ended is None, "it has come to its end before it was killed"
    assert not (site.place / "index.html").exists()
    known = {source: run["card"] for source, run in site.runs().items()}
    before = site.state()
    for source in known:
        spoil(site.folder / "runs" / source)
    assert site.publish().status == 0
    after = site.state()
    assert known
    assert len(site.runs()) == 600
    assert not [card for card in known.values()
                if without_figures_before(before[card][2]) != without_figures_before(after[card][2])]


def processor_s():
    """What the programs that have ended used by now; how busy the machine is, and how many processors it has, matters
    little."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@pytest.fixture(scope="module")
def thousands(make_site):
    """(a site of thousands of runs, processor time of making it, of making it again)"""
    site = make_site()
    for number in range(MANY):
        site.put(f"{number % 20}/{number}.bin", SMALL)
    times = []
    for words in (["--jobs", os.cpu_count() or 1], []):
        start = processor_s()
        assert site.publish(*words).status == 0
        times.append(processor_s() - start)
    return site, *times


def test_thousands_of_runs_are_made_again_by_a_look_at_each_of_them(thousands):
    site, first, second = thousands
    assert len(site.runs()) == MANY
    assert second < first / 5


def test_the_index_of_thousands_of_runs_opens_at_once(thousands):
    assert len(thousands[0].page()) / MANY < 1200
