#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`profrender publish`: what a site is made of, that only what changed is made again, and what it survives.

    python3 tests/publish/run.py        needs build/profrender
"""

import html.parser
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "support"))
from tally import Tally  # noqa: E402

PROGRAM = ROOT / os.environ.get("PROFRENDER", "build/profrender")
SAMPLES = ROOT / "samples"
DEMO = SAMPLES / "daily-sales.bin"
SMALL = SAMPLES / "json_dict-py3.13-memray1.18.0-default.bin"
MANY = 2000


def program(*words, **how):
    done = subprocess.run([str(word) for word in (PROGRAM, *words)], capture_output=True, timeout=300,
                          stdin=subprocess.DEVNULL, **how)
    return done.returncode, done.stdout, done.stderr.decode()


def publish(folder, *words):
    return program("publish", folder / "runs", "-o", folder / "site", *words)


def runs(folder):
    document = json.loads((folder / "site/runs.json").read_bytes())
    assert document["schema"] == "profrender/runs/1"
    return {run["source"]: run for run in document["runs"]}


def page_of(folder):
    return (folder / "site/index.html").read_text(encoding="utf-8")


def state(folder):
    """What lies in the site: {name: (inode, time, bytes)}; a file that was written again has another inode."""
    found = {}
    for path in sorted((folder / "site").rglob("*")):
        if path.is_file():
            status = path.stat()
            found[str(path.relative_to(folder / "site"))] = status.st_ino, status.st_mtime_ns, path.read_bytes()
    return found


def put(folder, name, source):
    target = folder / "runs" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(source, bytes):
        target.write_bytes(source)
    else:
        shutil.copyfile(source, target)
    return target


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


def check_site(tally, folder):
    put(folder, "a/demo.bin", DEMO)
    put(folder, "a/demo.prz", b"")
    program("digest", DEMO, "-o", folder / "runs/a/demo.prz")
    put(folder, "cut.bin", SAMPLES / "killed-py3.12-memray1.20.0-default.bin")
    put(folder, "failed.txt", SAMPLES / "timeline/fail.stderr.txt")
    put(folder, "newer.bin", b"memray\0\xff\0\0\0" + bytes(64))
    put(folder, "README.md", b"# nothing to see\n")
    put(folder, ".hidden.bin", DEMO)
    status, _, said = publish(folder)
    found = runs(folder)
    tally.check("what cannot be read is said and stops nothing", status == 0 and said.count("\n") == 1 and
                "newer.bin: header version 255" in said, said)
    tally.check("runs, captures, digests are found; hidden and other files are not",
                set(found) == {"a/demo.bin", "a/demo.prz", "cut.bin", "failed.txt", "newer.bin"}, *found)
    wanted = {"a/demo.bin": "recorded", "cut.bin": "incomplete", "failed.txt": "failed", "newer.bin": "unreadable"}
    tally.none("each has its status", [f"{name}: {found[name]['status']}" for name, word in wanted.items()
                                       if found[name]["status"] != word])
    info = json.loads(program("info", DEMO, "--json")[1])["metadata"]
    of = {"start_ms": "start_time", "end_ms": "end_time", "peak_heap_bytes": "peak_memory"}
    tally.none("the figures are those of info --json", [f"{name} {key}: {found[name].get(key)}" for name in found
               if name.startswith("a/") for key, other in of.items() if found[name].get(key) != info[other]])
    card = (folder / "site" / found["a/demo.bin"]["card"]).read_bytes()
    program("card", folder / "runs/a/demo.bin", "-o", folder / "same.html")
    tally.check("a card is what `profrender card` makes", card == (folder / "same.html").read_bytes())
    tally.check("with --strict, the exit status is 3, and the site is there", publish(folder, "--strict")[0] == 3)


def check_page(tally, folder):
    hostile = "<img src=x onerror=alert(1)>'\"&amp;\x1b[31m.bin"
    put(folder, hostile, DEMO)
    put(folder, "b\udcff\u202e.bin".encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape"), SMALL)
    status, _, said = publish(folder, "--title", "<script>alert(1)</script>")
    page = page_of(folder)
    structure = Structure(page)
    tally.check("a site of hostile names is made", status == 0 and not said, said)
    tally.none("its page is well-formed, without style attributes and handlers", structure.wrong)
    tally.check("names stay text", not structure.names & {"img", "iframe"} and "&lt;script&gt;" in page)
    unbroken = page.replace("<wbr>", "")
    tally.check("what cannot be seen is shown", r"\x1b[31m" in unbroken and r"\xff\u202e" in unbroken)
    lost = [link for link in structure.links if not link.startswith("#") and not (folder / "site" / link).is_file()]
    tally.none("each link leads to a file of the site", lost)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    tally.check("its policy allows the page's own script and style, by their hashes, and nothing else",
                "default-src 'none'" in policy and policy.count("sha256-") == 2 and "unsafe" not in policy, policy)


def check_again(tally, folder):
    for name in "one", "two", "three":
        put(folder, f"{name}.bin", SMALL)
    put(folder, "other.txt", b"no profile\n")
    publish(folder)
    before = state(folder)
    publish(folder)
    after = state(folder)
    again = [name for name in after if name.startswith("cards/") and after[name] != before.get(name)]
    tally.none("the second time makes no card", again)
    tally.check("and the list is the same to the byte", all(after[name][2] == before[name][2] for name in before))
    put(folder, "two.bin", DEMO)
    publish(folder)
    changed = [name for name, value in state(folder).items() if name.startswith("cards/") and value != after[name]]
    tally.check("of a file that changed, the card is made again", [name.split("-")[0] for name in changed] ==
                ["cards/two.bin"], *changed)
    (folder / "site" / runs(folder)["one.bin"]["card"]).unlink()
    publish(folder)
    tally.check("a card that is missing is made again", (folder / "site" / runs(folder)["one.bin"]["card"]).is_file())
    before = state(folder)
    publish(folder, "--theme", "dark")
    same = [name for name, value in state(folder).items() if value[:2] == before[name][:2]]
    tally.none("with other options, all are", same)
    gone = runs(folder)["one.bin"]["card"]
    (folder / "runs/one.bin").unlink()
    publish(folder, "--theme", "dark")
    tally.check("a run whose source is gone stays", "one.bin" in runs(folder) and (folder / "site" / gone).is_file())
    publish(folder, "--theme", "dark", "--prune")
    tally.check("until --prune", "one.bin" not in runs(folder) and not (folder / "site" / gone).exists())


def check_jobs(tally, folder):
    for name in range(12):
        put(folder, f"run {name}.bin", (DEMO, SMALL)[name % 2])
    pages = []
    for jobs in 1, 3, 12:
        shutil.rmtree(folder / "site", ignore_errors=True)
        status = publish(folder, "--jobs", jobs)[0]
        pages.append((status, {name: value[2] for name, value in state(folder).items()}))
    tally.check("the same site comes from any number of jobs", pages[0][0] == 0 and pages[0] == pages[1] == pages[2])


def check_cards(tally, folder):
    put(folder, "train.bin", DEMO)
    made = folder / "runs/train.html"
    program("card", DEMO, "-o", made, "--title", "made before")
    program("card", SMALL, "-o", folder / "runs/alone.html", "--title", "Alone & <b>bold</b>")
    put(folder, "page.html", b"<!doctype html><title>no card</title>")
    publish(folder)
    found = runs(folder)
    program("card", folder / "runs/train.bin", "-o", folder / "same.html")
    tally.check("a card beside its capture is made again of that", set(found) == {"train.bin", "alone.html"} and
                (folder / "site" / found["train.bin"]["card"]).read_bytes() == (folder / "same.html").read_bytes(),
                *found)
    tally.check("one without a capture is listed by its title", found["alone.html"]["name"] == "Alone & <b>bold</b>")
    tally.check("and is the same to the byte", (folder / "site" / found["alone.html"]["card"]).read_bytes() ==
                (folder / "runs/alone.html").read_bytes())


def check_code(tally, folder):
    """The options about code are those of `card`, for each card."""
    put(folder, "demo.bin", DEMO)
    ends = {"type": "end", "t": 9, "wall": 8, "exit": 1, "signal": None,
            "stderr_tail": "Traceback (most recent call last):\n  File \"/home/ada/x.py\", line 3, in f\n"
                           "    open(p)\nOSError: no such file: '/home/ada/orders.csv'\n"}
    lines = {"type": "start", "version": 1, "t": 1, "argv": ["/home/ada/x.py"]}, {"ts": 0, "rss_mb": 5}, ends
    put(folder, "failed/timeline.jsonl", "".join(json.dumps(line) + "\n" for line in lines).encode())
    code = ["--root", "/srv/demo", "--source-url", "https://git.example.com/{file}#L{line}", "--path-map", "/x=/y"]
    status, _, said = publish(folder, *code)
    card = folder / "site" / runs(folder)["demo.bin"]["card"]
    program("card", folder / "runs/demo.bin", "-o", folder / "same.html", *code)
    tally.check("with options about code, a card is what `card` makes with them", status == 0 and
                card.read_bytes() == (folder / "same.html").read_bytes() and b"git.example.com" in card.read_bytes(),
                said)
    before = state(folder)
    publish(folder, *code)
    again = state(folder)
    tally.check("with the same ones none is made again", all(again[name][:2] == before[name][:2] for name in again
                                                             if name.startswith("cards/")))
    publish(folder, "--redact-paths", "--root", "/srv/demo")
    told = [name for name, (_, _, text) in state(folder).items() if re.search(b"/home|/ada|ada/", text)]
    tally.none("with --redact-paths there are no folders, in no file", told)
    problem = runs(folder)["failed"]["problem"]
    tally.check("but what happened is there", problem == "OSError: no such file: 'orders.csv'", problem)
    for words in (["--source-url", "file:///{file}"], ["--path-map", "x"], ["--root", ""]):
        status, _, said = publish(folder, *words)
        tally.check(f"publish {' '.join(words)}: wrong usage", status == 2 and words[0] in said, status, said)


def check_flows(tally, folder):
    for number, step in enumerate(("start", "fit", "save")):
        text = json.dumps({"schema": "profrender/run/1", "flow": "forecast", "run": "7", "step": step,
                           "start_ms": 1763000000000 + 1000 * number, "end_ms": 1763000001500 + 1000 * number})
        put(folder, f"{step}/run.json", text.encode())
        put(folder, f"{step}/memory.bin", SMALL)
    publish(folder)
    page, found = page_of(folder), runs(folder)
    tally.check("a folder with run.json is one run", set(found) == {"start", "fit", "save"}, *found)
    bars = [tuple(map(float, bar)) for bar in re.findall(r"<rect class='\w+' x='([\d.]+)%' width='([\d.]+)%'", page)]
    tally.check("the steps of a flow are bars on one axis, from start to end",
                bars == [(0, 42.86), (28.57, 42.86), (57.14, 42.86)], bars)


def check_refusals(tally, folder):
    put(folder, "one.bin", SMALL)
    (folder / "site").mkdir()
    (folder / "site/index.html").write_text("mine")
    status, _, said = publish(folder)
    tally.check("pages of somebody else are not written over", status == 4 and "other pages" in said and
                page_of(folder) == "mine", said)
    for words, wanted, text in (([folder / "absent"], 3, "No such file"), ([DEMO], 3, "is a file"),
                                (["-"], 2, "takes a folder"), ([folder, "--jobs", "x"], 2, "whole number"),
                                ([folder / "runs", "-o", DEMO], 4, "cannot make the folder")):
        status, _, said = program("publish", *words)
        tally.check(f"publish {' '.join(Path(word).name for word in map(str, words))}: status {wanted}",
                    status == wanted and text in said, status, said)
    if os.getuid() == 0:
        tally.skip("a folder that cannot be read is told", "root reads all")
    else:
        (folder / "runs/closed").mkdir(mode=0o000)
        status, _, said = program("publish", folder / "runs", "-o", folder / "strict", "--strict")
        tally.check("a folder that cannot be read is told, and with --strict 3", status == 3 and
                    "closed: Permission denied" in said, status, said)
        (folder / "runs/closed").rmdir()
    (folder / "runs/empty").mkdir()
    status = program("publish", folder / "runs/empty", "-o", folder / "none")[0]
    tally.check("an empty folder gives an empty index", status == 0 and
                "There is no run yet" in (folder / "none/index.html").read_text())
    status = program("publish", folder / "runs", "-o", folder / "runs/site")[0]
    status = status or program("publish", folder / "runs", "-o", folder / "runs/site")[0]
    document = json.loads((folder / "runs/site/runs.json").read_bytes())
    tally.check("a site inside the folder is not published itself", status == 0 and len(document["runs"]) == 1)
    shutil.rmtree(folder / "runs/site")
    os.symlink(".", folder / "runs/loop")
    tally.check("a link to a folder leads nowhere", publish(folder, "-o", folder / "loop")[0] == 0 and
                len(json.loads((folder / "loop/runs.json").read_bytes())["runs"]) == 1)


def check_interrupted(tally, folder):
    """What was made before the program was killed is not made again."""
    for number in range(1500):
        put(folder, f"{number}.bin", SMALL)
    running = subprocess.Popen([PROGRAM, "publish", folder / "runs", "-o", folder / "site", "--jobs", "1"],
                               start_new_session=True)
    while running.poll() is None and not ((folder / "site/runs.json").exists() and runs(folder)):
        time.sleep(0.01)
    ended = running.poll()
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    tally.check("it can be killed in the middle", ended is None and not (folder / "site/index.html").exists())
    known = {run["card"] for run in runs(folder).values()}
    before = state(folder)
    status = publish(folder)[0]
    after = state(folder)
    tally.check("then the rest is made, and only the rest", status == 0 and known and len(runs(folder)) == 1500 and
                all(before[card] == after[card] for card in known), len(known))


def processor_s():
    """What the programs that have ended used by now; how busy the machine is, and how many processors it has, matters
    little."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def check_many(tally, folder):
    """Thousands of runs: the second time is a look at each of them, and the page opens at once."""
    for number in range(MANY):
        put(folder, f"{number % 20}/{number}.bin", SMALL)
    start = processor_s()
    status = publish(folder, "--jobs", os.cpu_count() or 1)[0]
    first = processor_s() - start
    start = processor_s()
    status = status or publish(folder)[0]
    second = processor_s() - start
    tally.check(f"{MANY:,} runs: {first:.1f} s of a processor, again {second:.2f} s", status == 0 and
                len(runs(folder)) == MANY and second < first / 5, first, second)
    size = len(page_of(folder))
    tally.check(f"their index has {size / MANY:.0f} bytes a run", size / MANY < 1200)


CHECKS = (check_site, check_page, check_again, check_jobs, check_cards, check_code, check_flows, check_refusals,
          check_interrupted, check_many)


def main():
    wanted = sys.argv[1:]
    tally = Tally()
    for check in CHECKS:
        if wanted and check.__name__.removeprefix("check_") not in wanted:
            continue
        folder = Path(tempfile.mkdtemp(prefix="profrender-test-"))
        (folder / "runs").mkdir()
        try:
            check(tally, folder)
        finally:
            shutil.rmtree(folder)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
