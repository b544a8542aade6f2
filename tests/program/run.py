#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the program does beyond printing: files, pipes, terminals, signals, names of strangers.

    python3 tests/program/run.py                                        with build/profrender
    PROFRENDER=build/asan/profrender python3 tests/program/run.py       with another one
"""
import csv
import fcntl
import io
import json
import os
import pty
import random
import re
import resource
import select
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "support"))
from made_capture import capture  # noqa: E402
from scarce import Scarce  # noqa: E402
from tally import Tally  # noqa: E402

PROGRAM = str(ROOT / os.environ.get("PROFRENDER", "build/profrender"))
DEMO = str(ROOT / "samples" / "daily-sales.bin")
NIGHTLY = str(ROOT / "samples" / "nightly")
SMALL = str(ROOT / "samples" / "leaky-py3.12-memray1.19.3-aggregate.bin")
CUT = str(ROOT / "samples" / "json_dict-py3.12-memray1.20.0-nocompress+cut-most.bin")
COMMANDS = ("card", "table", "stats", "info", "export", "digest", "merge")
LIMIT_S = 120

tally = Tally()


def run(*arguments, **how):
    """(status, stdout, stderr) of the program; input= is its standard input."""
    how.setdefault("stdin" if "input" not in how else "timeout", subprocess.DEVNULL if "input" not in how else LIMIT_S)
    done = subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
    return done.returncode, done.stdout, done.stderr


def on_terminal(*arguments, columns=80, rows=30, stdin=b"", pause_s=0.0, cwd=None, **environment):
    """(status, all that a terminal gets, progress too if it takes long) with the three standard descriptors on it, or a
    pipe that is slow as stdin."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    env = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", **environment}
    process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.PIPE if stdin else other, stdout=other,
                               stderr=other, env=env, cwd=cwd)
    os.close(other)
    output = bytearray()

    def drain(seconds):
        end = time.monotonic() + seconds
        while select.select([main], [], [], max(0, end - time.monotonic()))[0]:
            try:
                part = os.read(main, 65536)
            except OSError:  # the other end is closed
                return False
            if not part:
                return False
            output.extend(part)
        return True

    if stdin:
        half = len(stdin) // 2
        process.stdin.write(stdin[:half])
        process.stdin.flush()
        drain(pause_s)
        process.stdin.write(stdin[half:])
        process.stdin.close()
    drain(LIMIT_S)
    os.close(main)
    return process.wait(LIMIT_S), bytes(output).replace(b"\r\n", b"\n")


# ---- names of strangers ---------------------------------------------------------------------------------------------

HOSTILE = [b"\x1b[2J\x1b]0;title\x07", b"a\nb\rc\td", b"\xff\xfe\x80", b"\xe2\x80\xaefdp.exe", b"\xc2\x9b31m", b"",
           b"</script><img src=x onerror=alert(1)>", b"=cmd|'/C calc'!A0", b'"quoted", and, commas', b"__proto__",
           b"\xed\xa0\x80 surrogate", b"\xf0\x9f\x98\x80 \xe5\x90\x8d\xe5\x89\x8d", b"x" * 100_000, b"%s%n%p"]


def is_harmless(output):
    """Only printable characters and line ends, in UTF-8."""
    text = output.decode("utf-8")
    bad = {c for c in text if c != "\n" and (ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u2028\ufeff")}
    return sorted(map(repr, bad))


def hostile_names(folder):
    path = folder / "hostile.bin"
    path.write_bytes(capture([(name, name, 1000 + i) for i, name in enumerate(HOSTILE)], b"job\x1b[31m.py", HOSTILE[0]))
    for command in ("table", "stats", "info"):
        status, output, error = run(command, path)
        tally.check(f"{command}: hostile names are shown escaped", status == 0 and not is_harmless(output), error,
                    *is_harmless(output))
    status, output, _ = run("table", path, "--limit=-\x1b[1m")
    tally.check("a message about a hostile argument is escaped", status == 2 and not is_harmless(_))
    for words in (["table", "--color", "never"], ["table", "--format", "csv"], ["table", "--json"], ["stats", "--json"],
                  ["info", "--json"], ["export"], ["export", "--format", "csv"]):
        _, shown = on_terminal(*words, path, "--quiet", columns=200)
        tally.none(f"{' '.join(words)}: nothing raw reaches a terminal", is_harmless(shown))
    status, page, error = run("card", path, "-o", "-")
    page = page.decode("utf-8")
    good = status == 0 and "<img src=x" not in page and "\x1b" not in page
    tally.check("card: hostile names make a page", good, error)


def names_in_documents(folder):
    """Every name comes out as Python reads it: replaced, or kept as surrogates."""
    source = random.Random(7)
    pieces = [b"\xe2\x82", b"\xf0\x9f", b"\xed\xa0", b"\xc3\xa9", b"\xf4\x90", b"\xc0", b"abc", b"\x80\x80",
              b"\xe2\x82\xac"]
    names = HOSTILE + [b"".join(source.choice(pieces) for _ in range(source.randrange(1, 9))) for _ in range(400)]
    names += [bytes(source.choice(range(1, 256)) for _ in range(source.randrange(1, 12))) for _ in range(400)]
    names = sorted(set(names))
    path = folder / "names.bin"
    path.write_bytes(capture([(name, b"f.py", 100 + i) for i, name in enumerate(names)]))
    for words, how in (([], "replace"), (["--raw-names"], "surrogateescape")):
        _, output, _ = run("export", path, *words)
        got = {r["size"]: r["stack"][0][0] for r in json.loads(output)["records"]}
        wrong = [name for i, name in enumerate(names) if got.get(100 + i) != name.decode("utf-8", how)]
        tally.none(f"export {' '.join(words)}: names are decoded as by Python ({how})", wrong)
    for words, at in ((["table", "--format", "csv"], 0), (["export", "--format", "csv"], 5)):
        _, output, _ = run(*words, path)
        rows = list(csv.reader(io.StringIO(output.decode("utf-8"), newline="")))[1:]
        got = {row[at].rsplit(";f.py;", 1)[0] for row in rows}
        wrong = [name for name in names if name.decode("utf-8", "replace") not in got]
        tally.none(f"{words[0]}: CSV holds every name", wrong[:5] if len(rows) == len(names) else [f"{len(rows)} rows"])


# ---- files ----------------------------------------------------------------------------------------------------------

def listing(folder):
    return sorted(path.name for path in folder.iterdir())


def default_names(folder):
    for name, page in (("run.bin", "run.html"), ("run.bin.zst", "run.html"), ("job.memray", "job.memray.html"),
                       ("a.bin.123", "a.bin.123.html"), (".bin", ".bin.html")):
        place = folder / ("default" + page + name)
        (place / "in").mkdir(parents=True)
        (place / "in" / name).write_bytes(Path(SMALL).read_bytes())
        status, output, error = run("card", f"in/{name}", cwd=place)
        good = (status, output, error, listing(place)) == (0, b"", b"", sorted(["in", page]))
        tally.check(f"card {name} writes {page}", good, status, error, listing(place))
    status, output, _ = run("card", "-", input=Path(SMALL).read_bytes(), cwd=folder)
    tally.check("card - writes to a pipe", status == 0 and output.startswith(b"<!doctype html>"))


def files_appear_whole(folder):
    place = folder / "whole"
    place.mkdir()
    target = place / "out.json"
    old_umask = os.umask(0o027)
    run("export", SMALL, "-o", target)
    os.umask(old_umask)
    tally.check("a new file has the rights of the umask", stat.S_IMODE(target.stat().st_mode) == 0o640)
    want = run("export", SMALL)[1]
    tally.check("a file holds what standard output gets", target.read_bytes() == want)
    target.write_bytes(b"old")
    target.chmod(0o604)
    (place / "link").symlink_to("out.json")
    run("export", SMALL, "-o", place / "link")
    good = target.read_bytes() == want and stat.S_IMODE(target.stat().st_mode) == 0o604
    tally.check("through a link the target is replaced, with its rights", good and (place / "link").is_symlink())
    target.write_bytes(b"old")
    status, _, error = run("export", DEMO, "-o", target,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)))
    tally.check("a full disk: status 4, a reason, the old file stays, nothing beside it",
                status == 4 and error.count(b"\n") == 1 and target.read_bytes() == b"old"
                and listing(place) == ["link", "out.json"], status, error, listing(place))
    status, _, error = run("card", place / "nothing.bin", "-o", target)
    tally.check("an input that is not there leaves the old file", status == 3 and target.read_bytes() == b"old")
    (place / "same").write_bytes(Path(SMALL).read_bytes())
    os.link(place / "same", place / "same2")
    status, _, error = run("card", place / "same", "-o", place / "same2")
    tally.check("an output that is the input by another name is refused", status == 2, status, error)


def interruption(folder):
    """Whenever the signal comes, the file is there in full or not at all."""
    place = folder / "interrupted"
    place.mkdir()
    target = place / "out.json"
    want = run("export", DEMO, "--view", "allocated")[1]
    wrong = []
    for attempt in range(24):
        target.unlink(missing_ok=True)
        command = [PROGRAM, "export", DEMO, "--view", "allocated", "-o", target]
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 10
        while not listing(place) and process.poll() is None and time.monotonic() < deadline:
            pass
        time.sleep(attempt % 6 * 0.002)
        process.send_signal(signal.SIGINT if attempt % 2 else signal.SIGTERM)
        process.communicate(timeout=LIMIT_S)
        found = listing(place)
        if found not in ([], ["out.json"]) or (found and target.read_bytes() != want):
            wrong.append(f"attempt {attempt}: status {process.returncode}, {found}")
    tally.none("an interrupted command leaves no half of a file", wrong)
    for number in signal.SIGINT, signal.SIGTERM:
        target.unlink(missing_ok=True)
        process = subprocess.Popen([PROGRAM, "export", "-", "-o", target], stdin=subprocess.PIPE)
        process.stdin.write(Path(DEMO).read_bytes()[:-1])
        process.stdin.flush()
        process.send_signal(number)
        ended = process.wait(LIMIT_S)
        process.stdin.close()
        tally.check(f"a signal in the middle ends the program as a signal: {number.name}", ended == -number and
                    not listing(place), ended, listing(place))


def pipes_and_descriptors(folder):
    script = f"set -o pipefail; '{PROGRAM}' export '{DEMO}' --view allocated | head -c 100 >/dev/null"
    done = subprocess.run(["bash", "-c", script], capture_output=True)
    tally.check("a reader that has seen enough is no error", (done.returncode, done.stderr) == (0, b""), done)
    done = subprocess.run(["sh", "-c", f"'{PROGRAM}' stats '{DEMO}' >&-"], capture_output=True)
    tally.check("a closed standard output is an error", done.returncode == 4 and b"cannot write" in done.stderr, done)
    page = folder / "closed.html"
    done = subprocess.run(["sh", "-c", f"'{PROGRAM}' card '{CUT}' -o '{page}' <&- >&- 2>&-"], capture_output=True)
    good = page.exists() and page.read_bytes() == run("card", CUT, "-o", "-")[1]
    tally.check("with all descriptors closed no message lands in the page", done.returncode == 0 and good, done)
    want = run("export", DEMO)[1]
    for name, packed in (("raw", Path(DEMO).read_bytes()), ("gzip", None)):
        data = packed or subprocess.run(["gzip", "-c", DEMO], capture_output=True).stdout
        tally.check(f"{name} through a pipe gives the same bytes", run("export", "-", input=data)[1] == want)
    padded = next((ROOT / "samples").glob("*nocompress.bin")).read_bytes() + bytes(1 << 20)  # more than a pipe holds
    path = folder / "padded.bin"
    path.write_bytes(padded)
    script = f"set -o pipefail; cat '{path}' | '{PROGRAM}' info --json -"
    done = subprocess.run(["bash", "-c", script], capture_output=True)
    tally.check("what follows the end mark is read from a pipe", done.returncode == 0, done)
    size = json.loads(done.stdout)["size_bytes"]
    tally.check("and is part of the size", size == len(padded), size, len(padded))


# ---- terminals ------------------------------------------------------------------------------------------------------

ESCAPE = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")


def terminals(folder):
    _, shown = on_terminal("table", DEMO, "--quiet", columns=80, rows=30)
    lines = ESCAPE.sub(b"", shown).decode().splitlines()
    tally.check("a table fits the terminal", max(map(len, lines)) <= 80 and len(lines) < 30 and b"\x1b[" in shown,
                len(lines), max(map(len, lines)))
    _, shown = on_terminal("table", NIGHTLY, "--quiet", columns=80, rows=30)
    lines = ESCAPE.sub(b"", shown).decode().splitlines()
    tally.check("so does one of a run with time and memory, which says so", max(map(len, lines)) <= 80 and
                len(lines) < 30 and "peak, leaked" in lines[1], *lines[:3], len(lines))
    _, shown = on_terminal("table", DEMO, "--quiet", columns=40)
    lines = ESCAPE.sub(b"", shown).decode().splitlines()
    tally.none("a narrow one too, but for the first line", [line for line in lines[1:-1] if len(line) > 40])
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        _, shown = on_terminal("table", DEMO, "--quiet", **environment)
        tally.check(f"no colours with {environment}", b"\x1b" not in shown)
    tally.check("--color never", b"\x1b" not in on_terminal("table", DEMO, "--quiet", "--color", "never")[1])
    tally.check("--color always", b"\x1b[" in run("table", DEMO, "--color=always")[1])
    tally.check("no colours in a pipe", b"\x1b" not in run("table", DEMO)[1])
    rows = json.loads(run("table", DEMO, "--json")[1])["rows"]
    printed = run("table", DEMO)[1].decode().splitlines()
    tally.check("in a pipe all rows are there", len(printed) == len(rows) + 4, len(printed), len(rows))
    tally.check("-o takes no measure of the terminal",
                on_terminal("table", DEMO, "-o", folder / "t.txt")[0] == 0 and
                (folder / "t.txt").read_bytes() == run("table", DEMO)[1])
    status, shown = on_terminal("card", DEMO, "-o", folder / "c.html", columns=200)
    tally.check("card says what it wrote", status == 0 and shown.count(b"\n") == 1 and b"c.html" in shown
                and b"peak" in shown, shown)
    tally.check("--quiet does not", on_terminal("card", DEMO, "-q", "-o", folder / "c.html") == (0, b""))
    status, shown = on_terminal("card", "-")
    tally.check("a page is not sent to a terminal", status == 2 and b"-o card.html" in shown, shown)
    status, shown = on_terminal("table", "-")
    tally.check("a capture is not typed in", status == 2 and b"terminal" in shown, shown)


def progress():
    data = Path(DEMO).read_bytes()
    _, shown = on_terminal("stats", "-", stdin=data, pause_s=1.0)
    *lines, report = shown.split(b"\r\x1b[K")
    good = all(re.fullmatch(rb"reading standard input: [\d.]+ KiB, [\d.]+ [KM]iB/s", line) for line in lines[1:])
    good = good and len(lines) > 1 and lines[0] == b"" and report.startswith(b"\x1b[1mdaily_sales.py")
    tally.check("after half a second progress says how much and how fast, and is wiped", good, shown[:300])
    for _ in range(20):  # until the machine has time for it
        start = time.monotonic()
        _, shown = on_terminal("stats", "-", stdin=data, pause_s=0.1)
        if time.monotonic() - start < 0.5:
            tally.check("no progress in the first half second", b"reading" not in shown)
            break
    else:
        tally.skip("no progress in the first half second", "this machine takes longer for anything")
    _, shown = on_terminal("stats", "-", stdin=data, pause_s=1.0, TERM="dumb")
    tally.check("none on a terminal that cannot wipe it", b"reading" not in shown and b"\x1b" not in shown, shown[:300])
    _, shown = on_terminal("stats", "-", "--quiet", stdin=data, pause_s=1.0)
    tally.check("none with --quiet", b"reading" not in shown)


# ---- the rest -------------------------------------------------------------------------------------------------------

def strictness():
    for command in COMMANDS:
        status, output, error = run(command, CUT, "-o", "-")
        strict = run(command, CUT, "--strict", "-o", "-")
        good = (status, strict[0]) == (0, 3) and (output, error) == strict[1:] and b"at byte" in error
        tally.check(f"{command}: a cut input is status 0, with --strict 3, and the output is the same", good)
        good = run(command, DEMO, "--strict", "-o", "-")[0] == 0
        tally.check(f"{command}: a whole input is status 0 with --strict", good)


def same_input_same_bytes():
    for command in COMMANDS:
        for words in ([], ["--json"] if command in ("table", "stats", "info") else []):
            first, second = (run(command, DEMO, *words, "-o", "-")[1] for _ in range(2))
            tally.check(f"{' '.join([command, *words])} twice gives the same bytes", first and first == second)


def scarce_memory(folder):
    """Every few allocations of each report, so that all of it takes seconds."""
    scarce = Scarce(folder)
    if not scarce.works([PROGRAM, "info", SMALL]):
        tally.skip("memory that runs out", "the allocations of this program cannot be replaced")
        return
    for words in (["stats"], ["info"], ["table"], ["tree"], ["summary"], ["diff", DEMO], ["table", "--json"], ["card"],
                  ["check", "--max-peak", "1G"], ["digest"], ["export"]):
        name, *more = words
        runs, wrong = scarce.each([PROGRAM, name, *more, SMALL, "-q", "-o", "-"], first=1 + len(name), step=11)
        title = " ".join(word for word in words if word != DEMO)
        tally.check(f"{title}: memory that runs out is told, and nothing is left out",
                    runs > 5 and not wrong, f"{runs} runs", *wrong)


def main():
    with tempfile.TemporaryDirectory(prefix="profrender-") as name:
        folder = Path(name)
        hostile_names(folder)
        names_in_documents(folder)
        default_names(folder)
        files_appear_whole(folder)
        interruption(folder)
        pipes_and_descriptors(folder)
        terminals(folder)
        progress()
        strictness()
        same_input_same_bytes()
        scarce_memory(folder)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
