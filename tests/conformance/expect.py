#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what memray's own reader reports for a capture: the expected numbers next to a sample.

    ENV/bin/python tests/conformance/expect.py samples/NAME.bin [OPTIONS]      writes samples/NAME.expected.json

Run it with a Python that has the memray release which recorded the capture: a release reads only the header version
that it writes. OPTIONS are words joined by `+` that describe how it was recorded (`default`, `aggregate`, ...).

One object: `metadata`, `memory_snapshots`, `stats`, `stats_command`, `all_allocations`, and for each view a section
with `count`, `total_size`, `total_allocations` and its `records`, each with the names and meaning of memray's
attributes. Of more than LIMIT records only the TOP largest are kept, and `groups`: how many stacks there are and a
digest of all of them (see `groups_of` in memray_samples.py), so that a difference anywhere is found though it cannot be
named.
"""

import datetime
import enum
import json
import platform
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import memray
from memray import FileReader
from memray._memray import compute_statistics

sys.path.insert(0, str(Path(__file__).resolve().parent))
from memray_samples import digest_of, groups_of  # noqa: E402

LIMIT = 300
TOP = 10
VIEWS = {
    "high_watermark": ("get_high_watermark_allocation_records", {}),
    "leaked": ("get_leaked_allocation_records", {}),
    "temporary": ("get_temporary_allocation_records", {"threshold": 1}),
}
FREES = {"FREE", "MUNMAP", "PYMALLOC_FREE"}


def plain(value):
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, datetime.datetime):
        return round(value.timestamp() * 1000)
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if hasattr(value, "__dataclass_fields__"):
        return fields(value)
    return value


def fields(value):
    return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}


def section(capture, method, arguments, by_thread):
    records = [
        {
            "allocator": memray.AllocatorType(record.allocator).name,
            "n_allocations": record.n_allocations,
            "size": record.size,
            "stack": [list(frame) for frame in record.stack_trace()],
            "thread": record.thread_name,
            "tid": record.tid,
        }
        for record in getattr(FileReader(capture), method)(merge_threads=not by_thread, **arguments)
    ]
    records.sort(key=lambda record: (-record["size"], -record["n_allocations"], json.dumps(record, sort_keys=True)))
    out = {
        "count": len(records),
        "total_size": sum(record["size"] for record in records),
        "total_allocations": sum(record["n_allocations"] for record in records),
    }
    if len(records) <= LIMIT:
        return {**out, "records": records}
    groups = groups_of(records, by_thread)
    return {**out, "groups": {"count": len(groups), "sha256": digest_of(groups)}, "top": records[:TOP]}


def all_allocations(capture):
    size, counts = 0, Counter()
    for record in FileReader(capture).get_allocation_records():
        name = memray.AllocatorType(record.allocator).name
        counts[name] += 1
        size += 0 if name in FREES else record.size
    return {"count": sum(counts.values()), "allocated_size": size, "count_by_allocator": dict(sorted(counts.items()))}


def tracks_objects(capture):
    out = subprocess.run([sys.executable, "-m", "memray", "parse", capture], check=True, capture_output=True, text=True)
    return " track_object_lifetimes=true " in out.stdout.partition("\n")[0]


def parsed_lines(capture):
    """What `memray parse` prints of each memory sample and each object, in the order of the file."""
    out = subprocess.run([sys.executable, "-m", "memray", "parse", capture], check=True, capture_output=True, text=True)
    for line in out.stdout.splitlines():
        kind, _, rest = line.partition(" ")
        if kind in ("MEMORY_RECORD", "OBJECT_RECORD"):
            yield kind, dict(field.split("=", 1) for field in rest.split())


def objects(capture, start_ms):
    """Objects by stack: created, alive at the end, and how many others lived for how many ms. Lives go from sample to
    sample: the reader of objects has stacks but no samples, `memray parse` prints both, in the same order."""
    records = iter(FileReader(capture).get_object_lifetime_events())
    made, paths, now_ms, older, replaced = {}, {}, start_ms, 0, 0
    for kind, line in parsed_lines(capture):
        if kind == "MEMORY_RECORD":
            now_ms = max(now_ms, int(line["time"]))
            continue
        record = next(records)
        assert record.address == int(line["address"], 16)
        if record.is_created:
            stack = tuple(tuple(frame) for frame in record.stack_trace())
            path = paths.setdefault(stack, {"created": 0, "alive": 0, "lives_ms": Counter()})
            if record.address in made:
                replaced += 1
                made[record.address][0]["alive"] -= 1
            path["created"] += 1
            path["alive"] += 1
            made[record.address] = path, now_ms
        elif record.address in made:
            path, born_ms = made.pop(record.address)
            path["alive"] -= 1
            path["lives_ms"][now_ms - born_ms] += 1
        else:
            older += 1
    assert next(records, None) is None
    return {"older": older, "replaced": replaced,
            "paths": [{"stack": stack, **path, "lives_ms": dict(sorted(path["lives_ms"].items()))}
                      for stack, path in paths.items()]}


def stats_command(capture):
    with tempfile.TemporaryDirectory() as folder:
        target = f"{folder}/stats.json"
        subprocess.run([sys.executable, "-m", "memray", "stats", "--json", "-o", target, capture], check=True,
                       stdout=subprocess.DEVNULL)
        return json.loads(Path(target).read_text())


def write(path, document):
    """JSON for people who compare versions: a line for each field, and for each record."""
    dumps = lambda value: json.dumps(value, ensure_ascii=False)
    lines = []
    for name, value in document.items():
        rows = next((key for key in ("records", "top", "paths") if isinstance(value, dict) and key in value), None)
        if rows is None:
            lines.append(f" {dumps(name)}: {dumps(value)}")
            continue
        head = dumps({key: one for key, one in value.items() if key != rows})
        records = "".join(f"\n   {dumps(record)}," for record in value[rows]).rstrip(",")
        lines.append(f' {dumps(name)}: {head[:-1]}, "{rows}": [{records}]}}')
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main():
    path = Path(sys.argv[1])
    capture = str(path)
    document = {
        "workload": path.stem,
        "options": sys.argv[2] if len(sys.argv) > 2 else "default",
        "python": ".".join(platform.python_version_tuple()[:2]),
        "memray": memray.__version__,
        "exit_status": 0,
        "metadata": fields(FileReader(capture).metadata),
        "memory_snapshots": [[s.time, s.rss, s.heap] for s in FileReader(capture).get_memory_snapshots()],
    }
    history = document["metadata"]["file_format"] == "ALL_ALLOCATIONS"
    for name, (method, arguments) in VIEWS.items():
        if name != "temporary" or history:
            document[f"{name}_merged"] = section(capture, method, arguments, False)
            document[f"{name}_by_thread"] = section(capture, method, arguments, True)
    if history:
        document["all_allocations"] = all_allocations(capture)
        document["stats"] = fields(compute_statistics(capture, num_largest=50))
        del document["stats"]["metadata"], document["stats"]["allocation_count_by_size"]  # the histogram has them
        document["stats_command"] = stats_command(capture)
        if tracks_objects(capture):
            document["objects"] = objects(capture, document["metadata"]["start_time"])
    write(path.with_name(path.stem + ".expected.json"), document)


if __name__ == "__main__":
    main()
