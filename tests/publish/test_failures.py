# SPDX-License-Identifier: Apache-2.0
"""What this machine once lacked is not a property of a file, and a publish stopped anywhere can be repeated."""

import fcntl
import os
import resource
import shutil
import signal
import subprocess
import time

import pytest

STACKS = "main;work 5\n"


@pytest.fixture
def full(site, samples):
    for number in range(3):
        site.put(f"{number}.folded", f"main;work{number} 5\n")
    shutil.copy(samples / "daily-sales.bin", site.runs)
    return site


def all_are_fine(site):
    answer = site.publish()
    entries = site.entries()
    assert answer.status == 0 and answer.err == ""
    assert len(entries) == 4 and {entry["status"] for entry in entries.values()} == {"recorded"}
    assert all(site.card(source).is_file() and "key" in entry for source, entry in entries.items())


def limited(what, value):
    return lambda: resource.setrlimit(what, (value, value))


@pytest.mark.parametrize("descriptors", range(4, 14))
def test_few_descriptors_are_not_remembered(full, descriptors):
    full.publish(preexec_fn=limited(resource.RLIMIT_NOFILE, descriptors))
    all_are_fine(full)


@pytest.mark.parametrize("megabytes", (20, 40, 80, 120))
def test_little_memory_is_not_remembered(full, megabytes):
    full.publish(preexec_fn=limited(resource.RLIMIT_AS, megabytes << 20))
    all_are_fine(full)


def test_few_processes_are_not_remembered(full):
    if os.getuid() == 0:
        pytest.skip("root may have any number of processes")
    full.publish(preexec_fn=limited(resource.RLIMIT_NPROC, 1))
    all_are_fine(full)


def readers_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
        return [int(child) for child in children.read().split()]


def test_a_reader_that_is_killed_is_not_remembered(site, samples):
    """As the system does when memory runs out."""
    for number in range(20):
        shutil.copy(samples / "daily-sales.bin", site.runs / f"{number}.bin")
    running = subprocess.Popen([site.program.path, "publish", site.runs, "-o", site.path, "-j1", "-q"],
                               stderr=subprocess.PIPE)
    killed = 0
    while running.poll() is None and killed < 3:
        for child in readers_of(running.pid):
            os.kill(child, signal.SIGKILL)
            killed += 1
    said = running.communicate()[1].decode()
    unreadable = {name for name, entry in site.entries().items() if entry["status"] == "unreadable"}
    assert running.returncode == 0 and unreadable and "was ended by signal 9" in said
    assert all("key" not in site.entries()[name] for name in unreadable)
    assert site.publish().err == ""
    assert {entry["status"] for entry in site.entries().values()} == {"recorded"}


def test_a_reader_gets_so_much_time_and_is_tried_again(site, program):
    """A million and a half stacks take the reader some seconds."""
    site.put("slow.folded", "".join(f"main;{'x' * 40}{number};{number % 977} 1\n" for number in range(1_500_000)))
    site.put("fast.folded", STACKS)
    start = time.monotonic()
    answer = site.publish("--time-limit", "1")
    took = time.monotonic() - start
    entries = site.entries()
    assert answer.status == 0 and entries["fast.folded"]["status"] == "recorded"
    assert "not read within 1 s" in answer.err and "--time-limit" in entries["slow.folded"]["problem"], took
    assert took < 20 and site.publish("--time-limit", "1", "--strict").status == 3
    assert site.publish().status == 0
    assert site.entries()["slow.folded"]["status"] == "recorded"


def test_the_time_limit_holds_where_alarms_are_ignored(site):
    site.put("slow.folded", "".join(f"main;{'x' * 40}{number} 1\n" for number in range(1_500_000)))
    answer = site.publish("--time-limit", "1", preexec_fn=lambda: (
        signal.signal(signal.SIGALRM, signal.SIG_IGN), signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})))
    assert answer.status == 0 and "not read within 1 s" in answer.err


def test_what_cannot_be_looked_through_is_not_pruned(site):
    """A folder that is closed for a moment does not cost its cards."""
    site.put("open/a.folded", STACKS)
    site.put("deep/b.folded", STACKS)
    site.publish()
    folder = site.runs / "deep"
    folder.rename(site.runs / "kept")
    os.symlink("kept", folder)
    assert site.publish("--prune").status == 0  # a link is known not to be a file of the folder
    assert set(site.entries()) == {"open/a.folded", "kept/b.folded"}


def test_closed_folders_stop_pruning(site):
    if os.getuid() == 0:
        pytest.skip("root reads all")
    site.put("open/a.folded", STACKS)
    site.put("deep/b.folded", STACKS)
    site.publish()
    (site.runs / "deep").chmod(0)
    answer = site.publish("--prune")
    (site.runs / "deep").chmod(0o755)
    assert "nothing is pruned" in answer.err and len(site.entries()) == 2


# Where the program is stopped: each rename and each link that it makes.
@pytest.mark.parametrize("when", range(1, 9))
@pytest.mark.parametrize("call", ["renameat", "linkat", "unlinkat"])
def test_a_publish_that_is_killed_anywhere_can_be_repeated(full, call, when):
    strace = shutil.which("strace")
    if not strace:
        pytest.skip("there is no strace")
    killed = subprocess.run([strace, "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                             f"inject={call}:signal=KILL:when={when}", full.program.path, "publish", full.runs, "-o",
                             full.path, "-j1"], capture_output=True, timeout=60, check=False)
    if b"ptrace" in killed.stderr:
        pytest.skip(killed.stderr.decode())
    all_are_fine(full)
    assert not [name for name in full.files() if ".profrender" in name]


@pytest.mark.parametrize("call", ["write", "fsync", "renameat", "openat"])
def test_a_disk_that_fails_once_does_not_lock_the_site(full, call):
    strace = shutil.which("strace")
    if not strace:
        pytest.skip("there is no strace")
    for when in range(1, 60, 7):
        shutil.rmtree(full.path, ignore_errors=True)
        subprocess.run([strace, "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                        f"inject={call}:error=ENOSPC:when={when}", full.program.path, "publish", full.runs, "-o",
                        full.path, "-j1"], capture_output=True, timeout=60, check=False)
        all_are_fine(full)


def test_two_at_once_lose_nothing(site, tmp_path, program):
    other = tmp_path / "other"
    other.mkdir()
    for number in range(8):
        site.put(f"a{number}.folded", STACKS)
        (other / f"b{number}.folded").write_text(STACKS)
    both = [subprocess.Popen([program.path, "publish", folder, "-o", site.path, "-j1"], stderr=subprocess.PIPE)
            for folder in (site.runs, other, site.runs, other)]
    said = [running.communicate()[1] for running in both]
    assert [running.returncode for running in both] == [0] * 4, said
    names = {f"{letter}{number}.folded" for letter in "ab" for number in range(8)}
    assert set(site.entries()) == names and all(site.card(name).is_file() for name in names)
    assert all(entry["card"] in site.index() for entry in site.entries().values())
    assert not [name for name in site.files() if ".profrender" in name]


def test_one_waits_for_the_other_and_says_so(site):
    site.put("a.folded", STACKS)
    site.publish()
    lock = os.open(site.path / ".profrender.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    running = subprocess.Popen([site.program.path, "publish", site.runs, "-o", site.path], stderr=subprocess.PIPE)
    said = running.stderr.readline().decode()
    assert "another `profrender publish` is writing there" in said and running.poll() is None
    os.close(lock)
    assert running.wait(timeout=30) == 0


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.symlink("/etc/passwd", path), os.mkdir])
def test_what_lies_in_the_place_of_the_lock_is_refused(site, make):
    site.put("a.folded", STACKS)
    site.path.mkdir()
    make(site.path / ".profrender.lock")
    answer = site.publish(timeout=20)
    assert answer.status == 4 and "cannot lock" in answer.err


def is_running(pid):
    try:
        os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return False
    return True


def has_open(pid, path):
    files = [f"/proc/{pid}/fd/{name}" for name in os.listdir(f"/proc/{pid}/fd")]
    return os.path.realpath(path) in map(os.path.realpath, files)


def test_readers_end_with_the_program(site, samples):
    site.put("slow.folded", "".join(f"main;{'x' * 40}{number} 1\n" for number in range(1_500_000)))
    running = subprocess.Popen([site.program.path, "publish", site.runs, "-o", site.path])
    while not readers_of(running.pid):
        time.sleep(0.01)
    reader, = readers_of(running.pid)
    while has_open(reader, site.path / ".profrender.lock"):  # it leaves the lock once its end is tied to its parent's
        time.sleep(0.001)
    os.kill(reader, signal.SIGSTOP)  # it never ends by itself
    running.kill()
    running.wait()
    end = time.monotonic() + 10
    while is_running(reader) and time.monotonic() < end:
        time.sleep(0.01)
    survived = is_running(reader)
    if survived:
        os.kill(reader, signal.SIGKILL)
    assert not survived
