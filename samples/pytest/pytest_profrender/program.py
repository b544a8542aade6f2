# SPDX-License-Identifier: Apache-2.0
"""The program profrender: figures, verdicts and cards."""

import json
import re
import shutil
import subprocess
import sysconfig

from . import real

LIMITS = ("max_peak", "max_leaked", "max_allocated", "max_allocations", "max_duration")
BROKEN = 1  # the exit status of `check`
KEPT = 30  # runs of a test in a history
OF_A_HISTORY = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z-[0-9a-f]{12}\.prz")  # as --update-baseline names them


def find(name):
    """Next to this Python, whose environment need not be active, or on PATH; None: it is not there."""
    return shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)


def call(program, *words):
    return subprocess.run([program, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", timeout=300,
                          env=real.environment() or None)


def figures(program, capture):
    """{"peak", "leaked", "allocated", "allocations"} as the card shows them; {} of a capture that cannot be read."""
    done = call(program, "stats", capture, "--json")
    if done.returncode != 0:
        return {}
    stats = json.loads(done.stdout)
    if not stats["profrender"]["complete"] and not stats["total_num_allocations"]:  # cut before the first: unknown
        return {}
    found = {"peak": stats["profrender"]["peak"]["bytes"], "leaked": stats["profrender"]["leaked"]["bytes"],
             "allocated": stats["total_bytes_allocated"], "allocations": stats["total_num_allocations"]}
    return {name: value for name, value in found.items() if value is not None}


def wrong_budget(mark):
    """What is wrong with a mark `profrender`, or None."""
    if mark.args:
        return "takes no positional arguments"
    unknown = sorted(set(mark.kwargs) - {*LIMITS, "budget"})
    if unknown:
        return f"has no {', '.join(unknown)}; there are {', '.join(LIMITS)}, budget"
    return None


def limits(marks):
    """The options of `check` for MARKS: the limits of the nearest mark, and the budgets of all of them."""
    words = []
    for name in LIMITS:
        value = next((mark.kwargs[name] for mark in marks if name in mark.kwargs), None)
        if value is not None:
            words += [f"--{name.replace('_', '-')}", value]
    for mark in marks:
        budgets = mark.kwargs.get("budget", ())
        for budget in [budgets] if isinstance(budgets, str) else budgets:
            words += ["--budget", budget]
    return words


def earlier_runs(folder, update):
    """The options of `check` for a test whose earlier runs are in FOLDER; UPDATE adds this one."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["--history", folder, "--baseline-optional"]
    return [*words, "--update-baseline", folder] if update else words


def forget_old(folder):
    """Their names begin with their start."""
    runs = sorted(path for path in folder.iterdir() if OF_A_HISTORY.fullmatch(path.name))
    for path in runs[:-KEPT]:
        path.unlink(missing_ok=True)  # another session of the same history may do so too


def broken(program, capture, words, root):
    """What `check` says if a rule is broken, or if it has no verdict; "" if all hold."""
    done = call(program, "check", capture, "--root", root, "--allow-incomplete", *words)
    if done.returncode == 0:
        return ""
    return done.stdout if done.returncode == BROKEN else f"no verdict: {done.stderr}"


def make_card(program, run, page, root):
    """None, or why there is no card. It names no commands for a terminal, as RUN is removed."""
    done = call(program, "card", "-q", run, "-o", page, "--root", root, "--no-commands")
    return None if done.returncode == 0 else done.stderr.strip()
