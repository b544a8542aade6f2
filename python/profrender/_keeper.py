# SPDX-License-Identifier: Apache-2.0
"""A process beside a recording: if the recorded process is killed, it writes down how, and makes the card.

It is a script without imports of this package, as it starts while the recorded block already runs, and is ended by a
signal where the block ends by itself.
"""

import errno
import fcntl
import json
import os
import re
import select
import shutil
import struct
import subprocess
import sys
import time

UNKNOWN = "The process ended without leaving what was recorded. How it ended is not known"
KILLED = "; the kernel killed a process of its control group for lack of memory meanwhile"
PROFILER_S = 10  # for a profiler that writes its file once the process has gone
CARD_S = 300


# ---- in the recorded process -----------------------------------------------------------------------------------------


def start(job):
    """The keeper of this process, a Popen, or None. JOB: see main()."""
    if getattr(sys, "frozen", False) or not re.match("python|pypy", os.path.basename(sys.executable or "")):
        return None  # an interpreter within another program: starting that again would be no keeper
    try:
        pidfd = os.pidfd_open(os.getpid())
    except (OSError, AttributeError):  # Linux 5.3, Python 3.9
        pidfd = None
    try:
        words = [sys.executable, "-I", "-S", os.path.abspath(__file__),
                 json.dumps({**job, "pid": os.getpid(), "pidfd": pidfd, "memory": Memory.find().now()})]
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                cwd="/", start_new_session=True, pass_fds=[] if pidfd is None else [pidfd])
    except OSError:
        return None
    finally:
        if pidfd is not None:
            os.close(pidfd)


def stop(keeper):
    keeper.kill()
    keeper.stdin.close()
    keeper.wait()


# ---- evidence --------------------------------------------------------------------------------------------------------


def number(path, key=None):
    """The number in a file of a control group, or the one after KEY; None: there is none, or no limit."""
    try:
        with open(path, encoding="ascii") as file:
            found = re.search(r"^(\d+)$" if key is None else rf"^{key} (\d+)$", file.read(), re.M)
    except OSError:
        return None
    return int(found[1]) if found and int(found[1]) < 1 << 62 else None


class Memory:
    """Counters of the control group that a process is in, of either version: cgroups(7)."""

    def __init__(self, folder, root, is_v1):
        self.folder = folder
        self.root = root
        self.is_v1 = is_v1

    @staticmethod
    def find(root="/sys/fs/cgroup"):
        """Of this process. In a container its group may be the root of what can be seen."""
        try:
            with open("/proc/self/cgroup", encoding="utf-8") as file:
                lines = [line.rstrip("\n").split(":", 2) for line in file]
        except OSError:
            lines = []
        for _, controllers, path in lines:
            is_v1 = "memory" in controllers.split(",")
            if not is_v1 and controllers:
                continue
            top = os.path.join(root, "memory") if is_v1 else root
            name = "memory.oom_control" if is_v1 else "memory.events"
            for folder in (top + path.rstrip("/"), top):
                if os.path.exists(os.path.join(folder, name)):
                    return Memory(folder, top, is_v1)
        return Memory(None, None, False)

    def _limit(self):
        """The least of this group and those above it."""
        found, folder = [], self.folder
        while folder.startswith(self.root):
            found.append(number(os.path.join(folder, "memory.limit_in_bytes" if self.is_v1 else "memory.max")))
            folder = os.path.dirname(folder)
        return min((limit for limit in found if limit is not None), default=None)

    def now(self):
        """{"folder", "root", "is_v1", "kills", "peak", "limit"}, or {} where nothing can be known."""
        if not self.folder:
            return {}
        file = {name: os.path.join(self.folder, name) for name in os.listdir(self.folder)}
        kills = file.get("memory.oom_control" if self.is_v1 else "memory.events", "")
        peak = file.get("memory.max_usage_in_bytes" if self.is_v1 else "memory.peak", "")
        return {"folder": self.folder, "root": self.root, "is_v1": self.is_v1, "kills": number(kills, "oom_kill"),
                "peak": number(peak), "limit": self._limit(), "host_kills": number("/proc/vmstat", "oom_kill")}


def oom(before):
    """What happened since BEFORE, in the words of a timeline; a group's peak counts if it rose meanwhile."""
    if not before:
        return {}
    now = Memory(before["folder"], before["root"], before["is_v1"]).now()
    found = {"limit_bytes": now["limit"]}
    kills, of_host = rise(before, now, "kills"), rise(before, now, "host_kills")
    if not kills and of_host and before["is_v1"]:  # whose counter sees no group below, nor one that was entered since
        found.update(host_oom_kill=of_host, verdict="likely")
    elif kills is not None:
        found["cgroup_oom_kill"] = kills
    if rise(before, now, "peak"):
        found["peak_bytes"] = now["peak"]
    return found


def rise(before, now, name):
    return None if None in (before[name], now[name]) else now[name] - before[name]


def of_zombie(pid):
    """What its parent will be told, as in wait(2); None: the parent was told already. The 52nd field of proc(5)."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return int(fields[49]) if fields[0] == b"Z" and len(fields) > 49 else None


def of_reaped(pidfd):
    """The same once the parent was told; None: before, or an older kernel than Linux 6.15."""
    GET_INFO, EXIT, FORMAT = 0xC040FF0B, 8, "QQ11Ii"  # struct pidfd_info
    given = bytearray(struct.pack(FORMAT, EXIT, *[0] * 13))
    try:
        fcntl.ioctl(pidfd, GET_INFO, given)
    except OSError:
        return None
    mask, *_, code = struct.unpack(FORMAT, given)
    return code if mask & EXIT else None


def status(pid, pidfd):
    """(exit status, signal) of a process that has ended, as far as the kernel tells others than its parent."""
    code = of_zombie(pid)
    if code is None and pidfd is not None:
        code = of_reaped(pidfd)
    if code is None:
        return None, None
    return (None, os.WTERMSIG(code)) if os.WIFSIGNALED(code) else (os.WEXITSTATUS(code), None)


# ---- in the keeper ---------------------------------------------------------------------------------------------------


def wait_for_the_end(pid, pidfd):
    """Of the process that is recorded; a program that takes its place (exec) is the same process."""
    if pidfd is not None:
        select.select([pidfd], [], [])
        return
    while os.getppid() == pid:
        time.sleep(0.5)


def wait_for(path):
    """A profiler's file, complete: its size no longer changes."""
    size, end = -1, time.monotonic() + PROFILER_S
    while time.monotonic() < end:
        time.sleep(0.3)
        try:
            now = os.path.getsize(path)
        except OSError:
            now = 0
        if now and now == size:
            return
        size = now


def write_end(job, ended):
    end, code, killer = ended
    memory = oom(job["memory"])
    line = {"type": "end", "t": end, "wall": end - job["start"], "exit": code, "signal": killer, "oom": memory}
    notes = list(job["notes"])
    if code is None and killer is None:
        notes.append(UNKNOWN + (KILLED if memory.get("cgroup_oom_kill") else "") + ".")
    if notes:
        with open(os.path.join(job["place"], "notes.md"), "w", encoding="utf-8") as file:
            file.write("\n\n".join(notes))
    with open(os.path.join(job["place"], "timeline.jsonl"), "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    path = os.path.join(job["place"], "run.json")
    with open(path, encoding="utf-8") as file:
        run = json.load(file)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**run, "end_ms": int(end * 1000)}, file)


def main():
    """
    place, start    folder of the recording, and its start in seconds
    profile         a file that a profiler writes there, or None
    notes           texts for the card
    card            the words that make the card, or None
    is_kept         whether the folder stays, where there is a card
    """
    job = json.loads(sys.argv[1])
    wait_for_the_end(job["pid"], job["pidfd"])
    ended = (time.time(), *status(job["pid"], job["pidfd"]))  # at once: a parent may ask at any moment
    if job["profile"]:
        wait_for(job["profile"])
    write_end(job, ended)
    if not job["card"]:
        return
    done = subprocess.run(job["card"], stdin=subprocess.DEVNULL, timeout=CARD_S)
    if done.returncode == 0 and not job["is_kept"]:
        shutil.rmtree(job["place"], ignore_errors=True)


if __name__ == "__main__":
    try:
        main()
    except OSError as problem:
        sys.exit(0 if problem.errno == errno.ENOENT else 1)  # the folder was removed: nobody wants it
