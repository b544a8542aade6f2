#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Thousands of captures become one digest, on as many machines as there are: `digest` is the map, `merge` the reduce.

    pip install dask distributed
    python3 samples/scale_out.py captures/*.bin -o all.prz                       processes of this machine
    python3 samples/scale_out.py captures/ -o all.prz --scheduler tcp://head:8786     a cluster of Dask's

Every worker needs `profrender` on PATH and reads the captures by the same paths (a shared file system, or a mounted
bucket). Only digests travel: some kB to a few MB each. Sums of sums are the same sum, to the byte, whatever the order,
so digests are added up in a tree, --fan-in at a time, as soon as they are there; no machine ever holds all of them.

A capture that cannot be read is reported and left out; with --strict the exit status is then 3.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from dask.distributed import Client, LocalCluster, as_completed


def run(*words):
    """Runs profrender: (what it writes, what it says)."""
    done = subprocess.run(["profrender", *map(str, words), "--quiet"], stdin=subprocess.DEVNULL, capture_output=True)
    said = done.stderr.decode(errors="replace").splitlines()
    if done.returncode:
        raise RuntimeError("\n".join(said) or f"profrender: exit status {done.returncode}")
    return done.stdout, said


# What comes of captures: (digest or None, how many are in it, what is to be said of the others).


def digest(capture):
    """The map."""
    try:
        made, said = run("digest", capture, "-o", "-")
        return made, 1, said
    except (OSError, RuntimeError) as error:
        return None, 0, str(error).splitlines()


def merge(results):
    """The reduce: one from several."""
    with tempfile.TemporaryDirectory(prefix="profrender-") as folder:
        paths = []
        for number, (made, _, _) in enumerate(results):
            if made is not None:
                paths.append(Path(folder) / f"{number}.prz")
                paths[-1].write_bytes(made)
        merged = run("merge", *paths, "-o", "-")[0] if paths else None
    return merged, sum(count for _, count, _ in results), [line for _, _, said in results for line in said]


def add_up(client, captures, fan_in):
    """The tree: whatever is ready is merged, fan_in at a time, until one is left."""
    pending = as_completed(client.map(digest, captures, pure=False))
    ready, running = [], len(captures)
    for future in pending:
        ready.append(future)
        running -= 1
        if len(ready) >= fan_in or (not running and len(ready) > 1):
            pending.add(client.submit(merge, ready, pure=False))
            ready, running = [], running + 1
    # One capture goes through merge too, so that the result is a sum whatever their number.
    return merge([ready[0].result()])


def captures_in(places):
    for place in map(Path, places):
        yield from sorted(path for path in place.rglob("*") if path.is_file()) if place.is_dir() else [place]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("captures", nargs="+", help="files, or folders of them")
    parser.add_argument("-o", "--output", required=True, type=Path, help="the digest of all")
    parser.add_argument("--scheduler", help="address of a Dask cluster; default: processes of this machine")
    parser.add_argument("--workers", type=int, help="how many of those; default: as many as there are processors")
    parser.add_argument("--fan-in", type=int, default=16, help="digests that are merged at a time; default: 16")
    parser.add_argument("--strict", action="store_true", help="exit with 3 when a capture could not be read")
    return parser.parse_args()


def main():
    how = arguments()
    captures = [str(path.resolve()) for path in captures_in(how.captures)]
    if not captures or how.fan_in < 2:
        sys.exit("nothing to add up" if not captures else "--fan-in must be at least 2")
    cluster = how.scheduler or LocalCluster(n_workers=how.workers, threads_per_worker=1, dashboard_address=None)
    with Client(cluster) as client:
        merged, count, said = add_up(client, captures, how.fan_in)
    for line in said:
        print(line, file=sys.stderr)
    if merged is None:
        sys.exit(3)
    unfinished = how.output.with_name(how.output.name + ".part")
    unfinished.write_bytes(merged)
    unfinished.replace(how.output)
    print(f"{how.output}: the sum of {count} of {len(captures)} captures", file=sys.stderr)
    sys.exit(3 if how.strict and count < len(captures) else 0)


if __name__ == "__main__":
    main()
