# SPDX-License-Identifier: Apache-2.0
"""Compares the program's output for a sample with memray's (NAME.expected.json, see expect.py)."""

import datetime
import functools
import hashlib
import json
from collections import Counter, defaultdict

VIEWS = {"peak": "high_watermark", "leaks": "leaked", "temporary": "temporary"}
FREES = {"FREE", "MUNMAP", "PYMALLOC_FREE"}
FIRST_RELEASE = {13: (1, 20), 12: (1, 19), 11: (1, 11), 10: (1, 7), 9: (1, 4), 8: (1, 2), 7: (1, 1), 6: (1, 0)}


def groups_of(records, by_thread):
    """{(stack, thread): [bytes, allocations]}: memray may have several records of one stack, we have one."""
    groups = defaultdict(lambda: [0, 0])
    for record in records:
        stack = tuple(tuple(frame) for frame in record["stack"])
        group = groups[stack, record["tid"] if by_thread else 0]
        group[0] += record["size"]
        group[1] += record["n_allocations"]
    return dict(groups)


def digest_of(groups):
    lines = sorted(json.dumps([*key, *values], separators=(",", ":")) for key, values in groups.items())
    return hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest()


def stack_text(key):
    stack, tid = key
    text = " < ".join("{} ({}:{})".format(*frame) for frame in stack[:3]) or "(no stack)"
    return text + (f" in thread {tid}" if tid else "")


class Refused(Exception):
    """The program ended with another status than 0."""

    def __init__(self, status, said):
        super().__init__(f"exit status {status}: {said}")
        self.status = status


class Sample:
    def __init__(self, program, path):
        self.program, self.path = program, path
        self.expected = json.loads(path.with_name(path.stem + ".expected.json").read_text(encoding="utf-8"))
        self.metadata = self.expected["metadata"]
        self.damaged = "damage" in self.expected
        self.aggregated = "aggregate" in self.expected["options"]
        release = tuple(map(int, self.expected["memray"].split(".")))[:2]
        self.version = max(version for version, first in FIRST_RELEASE.items() if release >= first)
        # A file of version 6 or 7 does not show whether its writer finished.
        self.complete = None if self.version < 8 else not self.damaged and self.expected["exit_status"] >= 0

    def ask(self, *arguments):
        done = self.program(arguments[0], self.path, *arguments[1:])
        if done.status != 0:
            raise Refused(done.status, done.err.strip()[-2000:])
        return done.json()

    def section(self, name):
        """memray's value, or None where it has none."""
        section = self.expected.get(name)
        return None if section is None or "error" in section else section

    # ---- a generator of differences for each document

    def view(self, view):
        for threads, ending in ("merge", "merged"), ("split", "by_thread"):
            section = self.section(f"{VIEWS[view]}_{ending}")
            arguments = "export", "--view", view, "--threads", threads, "--format", "json"
            if section is None and self.aggregated:
                yield from self.must_refuse(*arguments)
                continue
            got = self.ask(*arguments)
            yield from (f"{threads}: {problem}" for problem in self.form(got, view, threads))
            if section is not None:  # else this release of memray does not have the view
                yield from (f"{threads}: {problem}" for problem in self.records(section, got, threads == "split"))

    def form(self, got, view, threads):
        wanted = {"schema": "profrender/records/1", "source": "memray", "view": view, "unit": "bytes",
                  "threads": threads}
        if self.complete is not None:
            wanted["complete"] = self.complete
        yield from (f"{name} is {got.get(name)!r}, not {want!r}" for name, want in wanted.items()
                    if got.get(name) != want)
        if (got["problem"] is None) != got["complete"]:
            yield f"problem is {got['problem']}"
        for total, field in ("total_size", "size"), ("total_allocations", "n_allocations"):
            if got[total] != sum(record[field] for record in got["records"]):
                yield f"{total} is not the sum of the records"
        order = [(-record["size"], -record["n_allocations"]) for record in got["records"]]
        if order != sorted(order):
            yield "records are not in the order of size and count"

    def records(self, section, got, by_thread):
        if got["total_size"] != section["total_size"]:
            yield f"total_size: expected {section['total_size']}, got {got['total_size']}"
        found = groups_of(got["records"], by_thread)
        wanted = groups_of(section.get("records", section.get("top")), by_thread)
        if "groups" in section:
            same = section["groups"] == {"count": len(found), "sha256": digest_of(found)}
            if not same:
                yield f"{len(found)} stacks of {section['groups']['count']}, or some values, differ from memray's"
            wanted = {} if same else wanted
        else:
            yield from (f"not in memray's: {stack_text(key)}: {found[key]}" for key in found.keys() - wanted.keys())
        for key, (size, count) in wanted.items():
            have = found.get(key, [0, 0])
            # memray counts a row of an aggregated capture as one allocation
            if have[0] != size or (have[1] < count if self.aggregated else have[1] != count):
                yield f"{stack_text(key)}: expected {[size, count]}, got {have}"

    def allocated(self):
        every = self.section("all_allocations")
        arguments = "export", "--view", "allocated", "--format", "json"
        if every is None:
            yield from self.must_refuse(*arguments)
            return
        got = self.ask(*arguments)
        yield from self.form(got, "allocated", "merge")
        if got["total_size"] != every["allocated_size"]:
            yield f"total_size: expected {every['allocated_size']}, got {got['total_size']}"
        counts = Counter()
        for record in got["records"]:
            counts[record["allocator"]] += record["n_allocations"]
        wanted = {name: count for name, count in every["count_by_allocator"].items() if name not in FREES}
        if counts != wanted:
            yield f"by allocator: expected {wanted}, got {dict(counts)}"

    def must_refuse(self, *arguments):
        try:
            self.ask(*arguments)
            yield "an aggregated capture cannot have this view, but there is an answer"
        except Refused as refused:
            if refused.status != 3:
                yield str(refused)

    def stats(self):
        got = self.ask("stats", "--json")
        yield from self.metadata_differences(got["metadata"], milliseconds)
        stats, command = self.section("stats"), self.section("stats_command") or {}
        if stats is None:
            if self.aggregated and got["total_num_allocations"] is not None:
                yield "total_num_allocations of an aggregated capture is not null"
            return
        wanted = {
            "total_num_allocations": stats["total_num_allocations"],
            "total_bytes_allocated": stats["total_memory_allocated"],
            "allocator_type_distribution": stats["allocation_count_by_allocator"],
            "allocation_size_histogram": command.get("allocation_size_histogram"),
        }
        yield from (f"{name}: expected {want}, got {got[name]}" for name, want in wanted.items()
                    if want is not None and got[name] != want)
        for name, field in ("size", "size"), ("count", "count"):
            places = Counter()
            for place, value in stats[f"top_locations_by_{name}"]:
                places["<stack trace unavailable>" if place[0] == "<unknown>" else "{}:{}:{}".format(*place)] += value
            top = f"top_allocations_by_{name}"
            yield from top_differences(top, places, {row["location"]: row[field] for row in got[top]})
        for name, field, index in ("size", "total_bytes", 2), ("count", "num_allocations", 1):
            top = f"top_modules_by_allocation_{name}"
            if top in stats:
                modules = {row[0]: row[index] for row in stats[top]}
                yield from top_differences(top, modules, {row["module"]: row[field] for row in got[top]})

    def objects(self):
        """Created, alive and lives by call path, as memray's own reader gives them record by record."""
        wanted, got = self.expected["objects"], self.ask("stats", "--json")["profrender"]["objects"]
        yield from (f"{name}: expected {wanted[name]}, got {got[name]}" for name in ("older", "replaced")
                    if wanted[name] != got[name])
        paths = {tuple(map(tuple, path["stack"])): path for path in wanted["paths"]}
        if got["path_count"] != len(paths) or got["path_count"] != len(got["paths"]):
            yield f"{got['path_count']} call paths, {len(got['paths'])} of them listed, not {len(paths)}"
        for total in "created", "alive":
            if got[total] != sum(path[total] for path in paths.values()):
                yield f"{total}: {got[total]} is not the sum of memray's"
        for row in got["paths"]:
            path = paths.get(tuple(map(tuple, row["stack"])))
            problem = "no such call path" if path is None else object_difference(path, row)
            if problem:
                yield f"{stack_text((row['stack'], 0))}: {problem}"

    def info(self):
        got = self.ask("info", "--json")
        yield from self.metadata_differences(got["metadata"])
        for name, want in {"schema": "profrender/info/1", "format": "memray", "format_version": self.version,
                           "size_bytes": self.path.stat().st_size}.items():
            if got[name] != want:
                yield f"{name}: expected {want}, got {got[name]}"
        want = self.expected["memory_snapshots"]
        have = [sample[: len(want[0])] for sample in got["memory_samples"]]  # versions 6 and 7 have no heap
        if have != want:
            yield f"memory_samples: expected {str(want)[:200]}, got {str(have)[:200]}"
        names = {thread["tid"]: thread["name"] for thread in got["threads"]}
        for record in self.expected["high_watermark_by_thread"].get("records", []):
            tid, name = record["tid"], record["thread"]
            if name and not name.startswith("0x") and names.get(tid) != name:
                yield f"thread {tid} is {names.get(tid)!r}, not {name!r}"
        read = got["records"]["allocations"] + got["records"]["frees"]
        if not self.aggregated and read != self.metadata["total_allocations"]:
            yield f"records: expected {self.metadata['total_allocations']}, got {read}"

    def metadata_differences(self, got, time=lambda value: value):
        for name, want in self.metadata.items():
            value = time(got.get(name)) if name in ("start_time", "end_time") else got.get(name)
            if value != want and name != "stderr":
                yield f"metadata.{name}: expected {want!r}, got {value!r}"

    def what_is_left(self):
        """A damaged capture gives all before the damage: at least what memray finds."""
        info, leaks = self.ask("info", "--json"), self.ask("export", "--view", "leaks", "--format", "json")
        for document in info, leaks:
            if document["complete"] is not False or not document["problem"]["text"]:
                yield f"complete is {document['complete']}, problem {document['problem']}"
        every, leaked = self.section("all_allocations"), self.section("leaked_merged")
        read = info["records"]["allocations"] + info["records"]["frees"]
        if every and read < every["count"]:
            yield f"{read} records, memray reads {every['count']}"
        if every and leaked and read == every["count"] and leaks["total_size"] != leaked["total_size"]:
            yield f"leaks: expected {leaked['total_size']}, got {leaks['total_size']}"

    def documents(self):
        """{name: a generator of differences} of everything that is compared."""
        if self.damaged:
            return {"what is left of it": self.what_is_left}
        more = {"objects": self.objects} if "objects" in self.expected else {}
        return {**more, **{view: functools.partial(self.view, view) for view in VIEWS}, "allocated": self.allocated,
                "stats": self.stats, "info": self.info}


def object_difference(path, row):
    """Lives are kept with seven binary digits, the longest exactly."""
    lives = sorted(int(ms) for ms, count in path["lives_ms"].items() for _ in range(count))
    wanted = path["created"], len(lives), path["alive"], lives[-1] if lives else None
    got = row["created"], row["destroyed"], row["alive"], row["longest_ms"]
    if wanted != got:
        return f"expected created, destroyed, alive, longest {wanted}, got {got}"
    if not lives:
        return None if row["median_ms"] is None else "a median without lives"
    median = lives[(len(lives) - 1) // 2]
    return None if median - median / 64 <= row["median_ms"] <= median else f"median {row['median_ms']}, not {median}"


def milliseconds(text):
    time = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round(time.timestamp() * 1000) if time.tzinfo else text


def top_differences(name, wanted, got):
    """Equal values may come in any order, so any of those that tie at the end of the list."""
    values = sorted(wanted.values(), reverse=True)[: len(got)]
    if list(got.values()) != values or len(got) < min(5, len(wanted)):
        yield f"{name}: expected the values {values}, got {list(got.values())}"
    yield from (f"{name}: {key}: expected {wanted.get(key)}, got {value}" for key, value in got.items()
                if wanted.get(key) != value)
