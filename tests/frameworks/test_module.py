# SPDX-License-Identifier: Apache-2.0
"""The Python module of the wheel, with memray and py-spy themselves, and its magic in a real kernel of Jupyter."""

import json
import os
import re
import subprocess
import time

import pytest
from control_group import limited_group, within
from frameworks import assert_alone, has_code, look, text, with_wheel


@pytest.fixture(scope="module")
def programs():
    return with_wheel("jupyter")


@pytest.fixture
def python(programs, tmp_path):
    """`python(TEXT)` runs a script in an empty folder: its output. Nothing but the wheel is on PATH."""
    (tmp_path / "tmp").mkdir()

    def run(text, status=0, **env):
        script = tmp_path / "job.py"
        script.write_text(text, encoding="utf-8")
        done = subprocess.run([programs / "python", script], cwd=tmp_path, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=200,
                              env={"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path / "tmp"), **env})
        assert done.returncode == status, done.stdout
        assert list((tmp_path / "tmp").iterdir()) == [], "left over"
        return done.stdout
    return run


BLOCK = """
import profrender
def load(megabytes):
    return bytearray(megabytes << 20)
with profrender.record("train.html") as made:
    here = bytearray(7 << 20)
    held = load(30)
assert made.problem is None and made.page.startswith("<!doctype html>")
"""


def test_the_card_of_a_block_has_its_allocations_with_their_stacks(python, tmp_path):
    python(BLOCK)
    card = text(tmp_path / "train.html")
    assert "Succeeded" in card and "37.0 MiB" in card
    assert "in a terminal" not in card, "of a recording that is gone"
    assert re.search(r"(load holds 30\.0 MiB|30\.0 MiB from load) .{1,160}job\.py:4", card), card


def test_the_run_knows_the_commit_that_a_pipeline_runs(python, tmp_path):
    python("""
import os, profrender
os.environ["GIT_COMMIT"] = "c0ffee0"
for folder, ids in ("a", None), ("b", {"commit": "v1"}):
    with profrender.record(folder=folder, memory=False, ids=ids):
        pass
""")
    assert [json.loads((tmp_path / name / "run.json").read_text())["commit"] for name in "ab"] == ["c0ffee0", "v1"]


def test_a_recording_is_told_what_ran_where_the_command_line_is_another(python, program, tmp_path):
    python("""
import profrender
with profrender.record(folder="a", command=["sales.load", 7]):
    pass
""")
    assert program("info", "--json", tmp_path / "a").json()["metadata"]["command_line"] == "sales.load 7"


def test_another_profiler_of_the_thread_goes_on(python, tmp_path):
    """memray would take its hook and, if that is in C as cProfile's up to Python 3.11, raise where the block ends."""
    said = python("""
import cProfile, sys, profrender
def work():
    return bytearray(7 << 20)
called = []
def hook(frame, event, _):
    called.append(frame.f_code.co_name)
sys.setprofile(hook)
with profrender.record("hook.html") as made:
    held = work()
sys.setprofile(None)
print(made.problem, "work" in called)
profile = cProfile.Profile()
with profile, profrender.record("cprofile.html") as made:
    held = work()
print(made.problem, any(entry.code is work.__code__ for entry in profile.getstats()))
""")
    assert said == "None True\nNone True\n"
    assert "__main__.hook was profiling this thread already" in text(tmp_path / "hook.html")


def test_what_ends_a_recording_is_not_in_it(python, program, tmp_path):
    """The process that watches over the block is ended after memray: what that takes was the largest leak here."""
    python("""
import profrender
with profrender.record(folder="run", python_allocators=True):
    held = bytearray(4 << 20)
    del held
""")
    leaks = program("table", "--leaks", "--format", "csv", tmp_path / "run/memray.bin").out
    assert "job.py" in leaks and "subprocess.py" not in leaks and "_keeper.py" not in leaks, leaks


def test_no_frame_of_a_stack_is_lost(python, program, tmp_path):
    """memray would lose one for each frame of ours that returns after it has started."""
    python("""
import profrender
def inner(): return bytearray(5 << 20)
def outer(): return inner()
def job():
    with profrender.record(folder="kept"):
        own = bytearray(3 << 20)
        other = outer()
job()
""")
    said = program("tree", tmp_path / "kept/memray.bin").out
    names = re.findall(r"[├└─ ]([a-z]+)  \S*job\.py:(\d+)", said)
    assert {("job", "7"), ("job", "8"), ("outer", "4"), ("inner", "3")} <= set(names), said
    assert program("check", tmp_path / "kept", "--require-success", "--max-peak", "9MiB").status == 0


def test_a_function_has_a_card_for_its_last_call_and_what_it_raises_is_on_it(python, tmp_path):
    said = python("""
import asyncio, profrender
@profrender.record("sync.html", ids={"flow": "sales", "run": 17})
def fails(megabytes):
    "doc"
    held = bytearray(megabytes << 20)
    raise LookupError("no store <b>")
@profrender.record("async.html", name="later")
async def later():
    held = bytearray(11 << 20)
    await asyncio.sleep(0.01)
    return len(held)
assert (fails.__name__, fails.__doc__) == ("fails", "doc")
try:
    fails(20)
except LookupError as error:
    print("raised", error)
print(asyncio.run(later()))
""")
    assert said == f"raised no store <b>\n{11 << 20}\n"
    failed = text(tmp_path / "sync.html")
    assert "LookupError : no store <b>" in failed and "20.0 MiB" in failed and "sales / 17" in failed
    assert "11.0 MiB" in text(tmp_path / "async.html")


def test_time_comes_from_py_spy(python, tmp_path):
    python("""
import profrender
def spin():
    return sum(number * number for number in range(6_000_000))
with profrender.record("time.html", cpu="py-spy"):
    spin()
""")
    card = text(tmp_path / "time.html")
    if "py-spy: " in card and "ermission" in card:
        pytest.skip("this machine allows no process to look at another")
    assert "speedscope profile" in card or "speedscope" in card
    assert re.search(r"spin", card)


def test_of_two_recordings_at_once_the_second_says_what_it_lacks(python, tmp_path):
    python("""
import profrender
with profrender.record("outer.html"):
    with profrender.record("inner.html"):
        held = bytearray(5 << 20)
""")
    assert "memray was already recording this process" in text(tmp_path / "inner.html")
    assert "5.00 MiB" in text(tmp_path / "outer.html")


THREADS = """
import threading, profrender
raised, problems = [], []
def work(number):
    for turn in range(6):
        try:
            with profrender.record(f"cards/{number}-{turn}.html") as made:
                block = bytearray(1 << 20)
            problems.extend([made.problem] if made.problem else [])
        except BaseException as error:
            raised.append(error)
threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not raised and not problems, (raised, problems)
"""


def test_threads_that_record_at_once_get_no_error_of_memray_s(python, tmp_path):
    """Between asking whether memray is free and starting it, another thread may have started it."""
    python(THREADS)
    cards = [text(path) for path in (tmp_path / "cards").iterdir()]
    assert len(cards) == 18
    assert all(("already recording this process" in card) != ("Peak heap" in card) for card in cards)
    assert any("Peak heap" in card for card in cards)


def test_memray_starts_once_for_a_recording(python):
    """Each start looks at the frames of all threads, which now and then ends a process whose threads are at work."""
    said = python("""
import threading, profrender
starts, setprofile = [], threading.setprofile
def counted(hook):
    starts.extend([hook] if getattr(hook, "__name__", "") == "start_thread_trace" else [])
    setprofile(hook)
threading.setprofile = counted
with profrender.record("outer.html"):
    with profrender.record("inner.html"):
        pass
print(len(starts))
""")
    assert said == "1\n"


def test_a_generator_is_recorded_while_it_is_read(python, tmp_path):
    said = python("""
import asyncio, profrender
@profrender.record("read.html")
def read():
    block = bytearray(11 << 20)
    more = yield 1
    yield more
    return 3
@profrender.record("await.html")
async def awaited():
    block = bytearray(12 << 20)
    yield 1
    yield 2
@profrender.record("left.html")
def left():
    block = bytearray(5 << 20)
    yield 5
    yield 6
def all_of():
    made = read()
    yield from (next(made), made.send(2))
    yield (yield from made)
async def every(): return [value async for value in awaited()]
some = left()
print(list(all_of()), asyncio.run(every()), next(some))
some.close()
""")
    assert said == "[1, 2, 3] [1, 2] 5\n"
    for card, peak in (("read", "11.0 MiB"), ("await", "12.0 MiB"), ("left", "5.00 MiB")):
        assert peak in text(tmp_path / f"{card}.html") and "Succeeded" in text(tmp_path / f"{card}.html")


def test_an_asynchronous_generator_gets_all_that_its_reader_sends_it(python, tmp_path):
    said = python("""
import asyncio, profrender
@profrender.record("sent.html")
async def reads():
    try:
        print("got", (yield 1), (yield 2))
        yield 3
    except KeyError as error:
        print("caught", error)
        yield 4
    finally:
        print("closed")
async def main():
    one = reads()
    print(await one.asend(None), await one.asend("a"), await one.asend("b"), await one.athrow(KeyError("k")))
    print([value async for value in one])
    other = reads()
    await anext(other)
    await other.aclose()
    print("after")
asyncio.run(main())
""")
    assert said.splitlines() == ["got a b", "caught 'k'", "1 2 3 4", "closed", "[]", "closed", "after"]
    assert "Succeeded" in text(tmp_path / "sent.html")


def test_what_is_called_need_not_be_a_function(python, tmp_path):
    said = python("""
import functools, profrender
class Loads:
    def __call__(self, megabytes): return bytearray(megabytes << 20)
for card, called in ("part", functools.partial(bytearray, 6 << 20)), ("object", functools.partial(Loads(), 7)):
    print(len(profrender.record(f"{card}.html", args=["--source"])(called)()))
""")
    assert said == f"{6 << 20}\n{7 << 20}\n"
    assert "6.00 MiB" in text(tmp_path / "part.html") and "7.00 MiB" in text(tmp_path / "object.html")


def test_methods_are_recorded_on_either_side_of_what_makes_them_methods_of_the_class(python, tmp_path):
    said = python("""
import profrender
class Loads:
    @profrender.record("class.html")
    @classmethod
    def of_class(cls, megabytes): return cls, len(bytearray(megabytes << 20))
    @profrender.record("static.html")
    @staticmethod
    def static(megabytes): return len(bytearray(megabytes << 20))
    @classmethod
    @profrender.record("below.html")
    def below(cls): return cls
print(Loads().of_class(6) == (Loads, 6 << 20), Loads.static(7) == Loads().static(7) == 7 << 20, Loads.below() is Loads)
try:
    profrender.record("type.html")(Loads)
except TypeError as error:
    print(error)
""")
    assert said == "True True True\nprofrender.record decorates functions and methods, not a class such as Loads\n"
    assert "6.00 MiB" in text(tmp_path / "class.html") and "7.00 MiB" in text(tmp_path / "static.html")


def test_a_recording_may_be_used_again_and_within_itself(python, tmp_path):
    said = python("""
import memray, profrender
made = profrender.record("again.html", program="no-such-program")
with made:
    pass
print(made.problem)
made.program = "profrender"
with made as outer:
    one = bytearray(3 << 20)
    with made as inner:
        other = bytearray(4 << 20)
    assert inner is made and made.page is None
    last = bytearray(5 << 20)
assert made.problem is None and made.page
with memray.Tracker("free.bin"):
    print("memray is free")
""")
    assert said.splitlines()[-1] == "memray is free" and "no program no-such-program" in said
    assert "it is part of that" in said
    assert "12.0 MiB" in text(tmp_path / "again.html")


def test_the_code_is_in_the_card_with_source_wherever_the_process_is(python, tmp_path):
    """The program reads files below --root only, and refuses --source without it."""
    (tmp_path / "shop/part").mkdir(parents=True)
    (tmp_path / "shop/__init__.py").touch()
    (tmp_path / "shop/part/__init__.py").touch()
    (tmp_path / "shop/part/load.py").write_text("""
import profrender
@profrender.record("function.html", args=["--source"])
def load(): return bytearray(5 << 20)
""", encoding="utf-8")
    python("""
import os, profrender
from shop.part.load import load
def own(): return bytearray(3 << 20)
here = os.getcwd()
os.mkdir("else")
with profrender.record("block.html", args=["--source"]) as made:
    os.chdir("else")
    held = own(), load()
os.chdir(here)
load()
os.rmdir("else") if not os.listdir("else") else os.rename("else", "gone")
with profrender.record("other.html", args=["--source", "--root=/usr"]) as other:
    held = own()
assert not made.problem and not other.problem
""")
    cards = {name: (tmp_path / f"{name}.html").read_text(encoding="utf-8") for name in ("block", "function", "other")}
    assert [name for name, card in cards.items() if has_code(card)] == ["block", "function"]


@pytest.mark.parametrize("args, root, wanted", [
    ("--source", "src", "--source --root src"), ("--source --root=lib", "src", "--source --root=lib"),
    ("--source --root lib", "src", "--source --root lib"), ("--source --lite", None, "--lite"),
    ("--lite", "src", "--lite")])
def test_other_recorders_know_the_root_that_source_needs(args, root, wanted, python):
    assert python(f"""
import profrender
print(*profrender.with_root({args.split()}, {root!r}))
""").strip() == wanted


NO_RECORDING = {
    "a folder that has files": ("folder='used'", "the folder used is not empty"),
    "no place for it": ("folder='/proc/nowhere'", "No such file or directory"),
    "a number that is none": ("'x.html', interval_ms=float(10)", None),
    "an id of any kind": ("'x.html', ids={'run': object()}", None),
    "a path of bytes": ("b'x.html'", None),
}


@pytest.mark.parametrize("case", NO_RECORDING)
def test_what_a_recording_is_given_never_stops_the_block(case, python, tmp_path):
    (tmp_path / "used").mkdir()
    (tmp_path / "used/mine.txt").write_text("mine", encoding="utf-8")
    words, problem = NO_RECORDING[case]
    said = python(f"""
import profrender
with profrender.record({words}, cpu="py-spy") as made:
    print("ran")
print(made.problem)
""")
    assert "ran" in said and (problem or "") in said.splitlines()[-1], said
    assert [path.name for path in (tmp_path / "used").iterdir()] == ["mine.txt"]


def test_in_a_fork_of_a_process_that_memray_follows_the_block_runs_and_says_what_it_lacks(python, tmp_path):
    said = python("""
import memray, os, profrender, threading
with memray.Tracker("outer.bin"):
    if not os.fork():
        hook = threading._profile_hook
        with profrender.record("inner.html"):
            print("done", threading._profile_hook is hook, flush=True)
        os._exit(0)
    os.wait()
""")
    assert said == "done True\n"
    assert "memray was already recording this process, or the one that forked it" in text(tmp_path / "inner.html")


@pytest.mark.parametrize("first, said", [
    ("import sys; sys.modules['memray'] = None", "memray is not installed where it ran"),
    ("import profrender._program as p; f = p.find; p.find = lambda n='profrender': None if n == 'py-spy' else f(n)",
     "py-spy is not installed where it ran"),
    ("import memray\nclass Tracker(memray.Tracker):\n    def __new__(*_, **__): raise PermissionError('not yours')\n"
     "memray.Tracker = Tracker", "memray could not start: not yours"),
])
def test_what_is_not_installed_is_named_on_the_card(first, said, python, tmp_path):
    python(f"{first}\nimport profrender\nwith profrender.record('job.html', cpu='py-spy'): pass\n")
    assert said in text(tmp_path / "job.html")


@pytest.mark.parametrize("how", ["program='no-such-program'", "args=['--no-such-option']", "folder='/proc/none'"])
def test_a_card_that_cannot_be_made_changes_nothing_else(how, python, tmp_path):
    said = python(f"""
import profrender
with profrender.record("job.html", {how}) as made:
    print("done")
assert made.problem and made.page is None
""")
    assert said.startswith("done\n") or said.endswith("done\n")
    assert "no card: " in said or "cannot record: " in said
    assert not (tmp_path / "job.html").exists()


def test_a_process_at_its_limit_of_open_files_runs_its_block(python):
    """memray opens files and starts a thread within `with`, whose error nobody could catch."""
    said = python("""
import contextlib, memray, os, profrender, resource
least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
pages = []
for spare in range(1, 14):
    taken = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, most))
    with contextlib.suppress(OSError):
        while True:
            taken.append(os.open(os.devnull, os.O_RDONLY))
    for _ in range(spare):
        os.close(taken.pop())
    with profrender.record("job.html") as made:
        for one in taken:
            os.close(one)
        print(spare, end=" ")
    pages.append(made.page)
print(all(pages), "or open no file" in pages[3], "or open no file" in pages[-1])
""")
    assert said == f"{' '.join(map(str, range(1, 14)))} True True False\n"


def test_wrong_options_are_refused(python):
    python("import profrender; profrender.record('x.html', cpu='gdb')", status=1)
    python("import profrender; profrender.record()", status=1)


def in_time(found, seconds=30):
    """FOUND() once it is true."""
    end = time.monotonic() + seconds
    while not found() and time.monotonic() < end:
        time.sleep(0.1)
    return found()


@pytest.fixture
def killed(programs, tmp_path):
    """`killed(TEXT)`: the card of a script that does not live to leave its block. It is made by whoever is left."""
    (tmp_path / "tmp").mkdir()

    def run(text_of_script, status, start=lambda *words: words):
        script, card = tmp_path / "job.py", tmp_path / "killed.html"
        script.write_text(text_of_script, encoding="utf-8")
        done = subprocess.run(start(programs / "python", script), cwd=tmp_path, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=200,
                              env={"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path / "tmp")})
        assert done.returncode == status, done.stdout
        assert in_time(card.exists), "no card"
        assert in_time(lambda: not list((tmp_path / "tmp").iterdir())), "left over"
        return text(card)
    return run


def test_a_block_that_is_killed_for_memory_has_its_card(killed):
    with limited_group(200 << 20) as group:
        card = killed("""
import profrender, time
def load():
    held = []
    while True:
        held.append(bytes([1]) * (10 << 20))
        time.sleep(0.01)
with profrender.record("killed.html"):
    profrender.mark("first")
    load()
""", -9, lambda *words: within(group, *words))
    assert re.search(r"(load grew by|load grows by|from load) .{1,80}MiB", card) or "load holds" in card, card[:1500]
    assert "out of memory" in card or "out-of-memory" in card or "for lack of memory" in card, card[:1500]
    assert "first" in card


POOL = """
import multiprocessing as mp, sys, time
from concurrent.futures import ProcessPoolExecutor
import profrender
def work(megabytes):
    held = bytes([1]) * (megabytes << 20)
    return sum(range(4_000_000)) and len(held)
if __name__ == "__main__":
    for how in "fork", "spawn", "forkserver":
        with profrender.record(f"{how}.html", follow_fork=True, name=how):
            with ProcessPoolExecutor(2, mp_context=mp.get_context(how)) as pool:
                assert list(pool.map(work, [21, 22])) == [21 << 20, 22 << 20]
"""


def test_a_pool_is_recorded_where_it_forks_and_else_the_card_says_that_it_is_not(python, tmp_path):
    python(POOL)
    cards = {how: text(tmp_path / f"{how}.html") for how in ("fork", "spawn", "forkserver")}
    assert "of 2 that it forked are on the card" in cards["fork"] and "43.0 MiB" in cards["fork"]
    for how in "spawn", "forkserver":
        assert "are those of one process" in cards[how] and "what they allocated was not recorded" in cards[how]


def test_the_process_that_outlives_a_block_is_none_that_the_block_started(python, tmp_path):
    python("""
import profrender, profrender._processes, time
profrender._processes.LEAST_S = 1e-6
with profrender.record("job.html"):
    held = bytearray(4 << 20)
    time.sleep(1)
""")
    assert "what they allocated was not recorded" not in text(tmp_path / "job.html")


@pytest.mark.parametrize("code, status", [("3", 3), ("-1", 255), ("'no ledger'", 1)])
def test_the_exit_status_on_the_card_is_that_of_the_process(code, status, python, tmp_path):
    python(f"""
import profrender, sys
with profrender.record("job.html", memory=False):
    sys.exit({code})
""", status)
    assert f"Exit status {status} " in text(tmp_path / "job.html")


def test_a_block_that_is_interrupted_ended_by_a_signal(python, tmp_path):
    """As its process does, which has no exit status then."""
    python("""
import os, profrender, signal, time
with profrender.record("job.html", memory=False):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(20)
""", -2)
    card = text(tmp_path / "job.html")
    assert "Ended by SIGINT" in card and "Exit status" not in card and "KeyboardInterrupt" in card, card[:1000]


ENDINGS = {"exit": ("os._exit(3)", 3, "Exit status 3"),
           "signal": ("os.kill(os.getpid(), 11)", -11, "Ended by SIGSEGV"),
           "another program": ("os.execvp('sh', ['sh', '-c', 'sleep 0.2; exit 5'])", 5, "Exit status 5"),
           "a child lives on": ("os.fork() and os.kill(os.getpid(), 9) or time.sleep(5)", -9, "Ended by SIGKILL")}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_process_that_ends_within_its_block_has_a_card_that_says_how_if_that_is_known(ending, killed):
    code, status, said = ENDINGS[ending]
    card = killed(f"import os, profrender, time\nwith profrender.record('killed.html', memory=False):\n    {code}\n",
                  status)
    assert said in card or "How it ended is not known" in card, card[:1000]


def test_a_generator_that_is_open_when_python_ends_has_its_card(killed):
    """It is closed when little of Python works any more: the helper makes the card."""
    card = killed("""
import profrender
@profrender.record("killed.html")
def read():
    held = bytearray(11 << 20)
    yield 1
    yield 2
made = read()
next(made)
""", 0)
    assert "11.0 MiB" in card and ("Succeeded" in card or "How it ended is not known" in card), card[:1000]


def test_a_fork_that_leaves_the_block_is_none_of_it(python, tmp_path):
    python("""
import os, profrender
with profrender.record("job.html"):
    held = bytearray(4 << 20)
    if not os.fork():
        raise SystemExit(9)
    os.wait()
""")
    assert "Succeeded" in text(tmp_path / "job.html") and "4.00 MiB" in text(tmp_path / "job.html")


CELLS = ["%load_ext profrender",
         "%%profrender --name 'two rows' --card kept.html --source\nrows = bytearray(12 << 20)\nlen(rows) >> 20",
         "len(rows) >> 20",
         "%%profrender\nheld = bytearray(9 << 20)\nheld[-1:].decode().missing",
         "%%profrender\nimport asyncio\nheld = bytearray(6 << 20)\nawait asyncio.sleep(0.01)\nlen(held) >> 20",
         "%%profrender\nkept = bytearray(3 << 20)\nawait asyncio.sleep(0.01)\nkept.missing",
         "%%profrender\nnext(iter([]))",
         "%%profrender\nlambda: await held",
         "import profrender\nwith profrender.record('block.html', name='block') as made:\n"
         "    a = bytearray(8 << 20)\nmade",
         "profrender.frame([{'a': 1}, {'a': 2}], 'rows')"]
EXECUTE = """
import json, sys, nbformat
from nbclient import NotebookClient
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in json.loads(sys.argv[1])])
NotebookClient(book, timeout=120, kernel_name="python3", allow_errors=True).execute()
print(json.dumps([cell.outputs for cell in book.cells]))
"""


@pytest.fixture(scope="module")
def notebook(programs, tmp_path_factory):
    """(folder, outputs of each cell)"""
    folder = tmp_path_factory.mktemp("notebook")
    done = subprocess.run([programs / "python", "-c", EXECUTE, json.dumps(CELLS)], cwd=folder, capture_output=True,
                          text=True, timeout=200, env={**os.environ, "PATH": f"{programs}:/usr/bin:/bin",
                                                       "HOME": str(folder), "IPYTHONDIR": str(folder)})
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout)


def shown(outputs, folder, body="<body>", **how):
    """The card, as a notebook puts it into its page."""
    found = [output["data"]["text/html"] for output in outputs if "text/html" in output.get("data", {})]
    assert len(found) == 1, outputs
    page = folder / "page.html"
    page.write_text(f"<!doctype html><title>notebook</title>{body}<div class=output>{found[0]}</div>", encoding="utf-8")
    return look(page.as_uri(), **how)["card"]


def is_dark(card):
    return max(map(int, re.findall(r"\d+", card["background"]))) < 60


def test_a_cell_of_a_notebook_has_its_card_below_it_and_does_what_it_did(notebook):
    folder, (loaded, cell, after, *_) = notebook
    assert loaded == []
    values = [output["data"]["text/plain"] for output in (*cell, *after) if output["output_type"] == "execute_result"]
    assert values == ["12", "12"]
    card = shown(cell, folder)
    assert (card["title"], card["state"]) == ("two rows", "ok")
    assert re.search(r"Peak heap\s+12\.0\s+MiB", card["text"])
    assert card["frames"] > 0 and card["height"] > 20
    assert_alone(card)
    assert (folder / "kept.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def errors_of(cell):
    return [output for output in cell if output["output_type"] == "error"]


def test_a_cell_may_await(notebook):
    folder, (_, _, _, _, awaits, fails, *_) = notebook
    assert [output["data"]["text/plain"] for output in awaits if output["output_type"] == "execute_result"] == ["6"]
    card = shown(awaits, folder)
    assert (card["title"], card["state"]) == ("cell", "ok")
    assert re.search(r"Peak heap\s+6\.0\d\s+MiB", card["text"]), card["text"]
    assert card["frames"] > 0
    assert [error["evalue"] for error in errors_of(fails)] == ["'bytearray' object has no attribute 'missing'"]
    assert shown(fails, folder)["state"] == "failed"


def test_the_last_line_of_a_cell_shows_the_card_of_a_block(notebook):
    folder, cells = notebook
    card = shown(cells[-2], folder)
    assert (card["title"], card["state"]) == ("block", "ok")
    assert re.search(r"Peak heap\s+8\.0\d*\s+MiB", card["text"])
    assert "<recording 'block'>" in [output["data"]["text/plain"] for output in cells[-2] if "data" in output]


@pytest.mark.parametrize("body, dark", [
    ('<body data-jp-theme-light="false">', True),  # of JupyterLab and Notebook 7
    ('<body data-jp-theme-light="true">', False),
    ('<body class="vscode-dark">', True),
])
def test_a_card_is_dark_where_the_notebook_is_dark(body, dark, notebook):
    folder, cells = notebook
    assert is_dark(shown(cells[-2], folder, body, scheme="page")) == dark
    (frame,) = [output["data"]["text/html"] for output in cells[-1] if "data" in output]
    assert frame.startswith("<style>") and frame.count("<iframe ") == 1


def test_what_a_cell_raises_is_what_the_shell_alone_would_raise(notebook):
    stops, wrong = notebook[1][6:8]
    assert [error["ename"] for error in errors_of(stops)] == ["StopIteration"]
    assert [error["ename"] for error in wrong] == ["SyntaxError"], "and no card"


def test_a_cell_that_raises_shows_its_card_and_its_error(notebook):
    folder, (_, _, _, cell, *_) = notebook
    errors = errors_of(cell)
    assert [error["ename"] for error in errors] == ["AttributeError"]
    assert "held[-1:].decode().missing" in "\n".join(errors[0]["traceback"])
    card = shown(cell, folder, scheme="dark")
    assert card["state"] == "failed"
    assert "AttributeError" in card["text"]


def test_the_folder_of_a_card_is_made_and_stays_where_it_was_asked_for(python, tmp_path):
    python("""
import os, profrender
os.mkdir("else")
with profrender.record("cards/of/today.html", folder="kept") as made:
    os.chdir("else")
assert made.problem is None and made.page
""")
    assert "in a terminal" in text(tmp_path / "cards/of/today.html") and (tmp_path / "kept/run.json").is_file()
    assert list((tmp_path / "else").iterdir()) == []
