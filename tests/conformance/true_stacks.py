# SPDX-License-Identifier: Apache-2.0
"""Runs a script under a tracer that knows the stacks, and writes what cProfile would have kept of them.

    true_stacks.py SCRIPT STACKS.json PSTATS

STACKS.json: [[index of the parent, [file, line, name], nanoseconds itself, calls], ...], the root first. PSTATS: the
same run as a graph of calls, with recursion counted once in cumulative time, as _lsprof.c counts.
"""
import json
import marshal
import sys
import time
from collections import Counter, defaultdict

ROOT = [-1, None, 0, 0]


def key_of(frame, event, function):
    """A function as cProfile.label() names it."""
    if not event.startswith("c_"):
        return frame.f_code.co_filename, frame.f_code.co_firstlineno, frame.f_code.co_name
    if function.__module__:
        return "~", 0, f"<built-in method {function.__module__}.{function.__name__}>"
    return "~", 0, f"<method {function.__name__!r} of {type(function.__self__).__name__!r} objects>"


class Tracer:
    def __init__(self):
        self.nodes, self.children = [list(ROOT)], [{}]
        self.at = self.left_at = 0

    def __call__(self, frame, event, function):
        self.nodes[self.at][2] += time.perf_counter_ns() - self.left_at
        if event in ("call", "c_call"):
            self.at = self.child(key_of(frame, event, function))
            self.nodes[self.at][3] += 1
        elif self.at:
            self.at = self.nodes[self.at][0]
        self.left_at = time.perf_counter_ns()

    def child(self, key):
        found = self.children[self.at].setdefault(key, len(self.nodes))
        if found == len(self.nodes):
            self.nodes.append([self.at, key, 0, 0])
            self.children.append({})
        return found

    def run(self, script):
        code = compile(open(script, encoding="utf-8").read(), script, "exec")
        self.left_at = time.perf_counter_ns()
        sys.setprofile(self)
        exec(code, {"__name__": "__main__", "__file__": script})  # noqa: S102: this is the traced script
        sys.setprofile(None)
        self.nodes[0][2] = 0


def graph_of(tracer):
    """{key: [primitive calls, calls, self, cumulative, {caller: the same four}]} in seconds."""
    nodes = tracer.nodes
    total = [node[2] for node in nodes]
    for index in range(len(nodes) - 1, 0, -1):
        total[nodes[index][0]] += total[index]
    graph = defaultdict(lambda: [0, 0, 0.0, 0.0, defaultdict(lambda: [0, 0, 0.0, 0.0])])
    above, calls_above = Counter(), Counter()
    todo = [(child, False) for child in tracer.children[0].values()]
    while todo:
        index, is_done = todo.pop()
        parent, key, own, calls = nodes[index]
        call = nodes[parent][1], key
        if is_done:
            above[key] -= 1
            calls_above[call] -= 1
            continue
        for entry, recurs in (graph[key], above[key]), (graph[key][4][call[0]], calls_above[call]):
            entry[1] += calls
            entry[2] += own / 1e9
            if not recurs:
                entry[0] += calls
                entry[3] += total[index] / 1e9
        above[key] += 1
        calls_above[call] += 1
        todo.append((index, True))
        todo.extend((child, False) for child in tracer.children[index].values())
    return {key: (*entry[:4], {caller: tuple(four) for caller, four in entry[4].items() if caller})
            for key, entry in graph.items()}


def main():
    script, stacks, pstats = sys.argv[1:]
    sys.setrecursionlimit(20000)
    tracer = Tracer()
    tracer.run(script)
    with open(stacks, "w", encoding="utf-8") as out:
        json.dump(tracer.nodes, out)
    with open(pstats, "wb") as out:
        marshal.dump(graph_of(tracer), out)


if __name__ == "__main__":
    main()
