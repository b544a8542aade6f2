#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Thousands of captures become one digest, on as many machines as there are: `digest` is the map, `merge` the reduce.

    pip install dask distributed          or ray, or pyspark
    python3 samples/scale_out.py captures/*.bin -o all.prz                        Dask's processes on this machine
    python3 samples/scale_out.py captures/ -o all.prz --cluster tcp://head:8786        a cluster of Dask's
    python3 samples/scale_out.py captures/ -o all.prz --engine ray --cluster auto      the cluster of Ray that runs here
    spark-submit samples/scale_out.py captures/ -o all.prz --engine spark              where spark-submit sends it

Every worker needs `profrender` on PATH and reads the captures by the same paths (a shared file system, or a mounted
bucket). Only digests travel: some kB to a few MB each. Sums of sums are the same sum, to the byte, whatever the order
and whatever the engine, so digests are added up in a tree, --fan-in at a time; no machine ever holds all of them.

With --resume DIR, a folder that all workers see, digests are kept there. A job that is started again then only reads
captures that are new or have changed.

A capture that cannot be read is reported and left out; with --strict the exit status is then 3.
"""

import argparse
import functools
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*words):
    """Runs profrender: (what it writes, what it says)."""
    done = subprocess.run(["profrender", *map(str, words), "--quiet"], stdin=subprocess.DEVNULL, capture_output=True)
    said = done.stderr.decode(errors="replace").splitlines()
    if done.returncode:
        raise RuntimeError("\n".join(said) or f"profrender: exit status {done.returncode}")
    return done.stdout, said


# What comes of captures: (digest or None, how many are in it, what is to be said of the others, and what it lacks).


def digest(kept, capture):
    """The map. KEPT is the folder of --resume, or None."""
    try:
        state = os.stat(capture)
        known = f"{capture}\0{state.st_size}\0{state.st_mtime_ns}"
        path = kept and Path(kept, f"{hashlib.sha256(known.encode(errors='surrogateescape')).hexdigest()[:32]}.prz")
        if path and is_whole(path):
            return path.read_bytes(), 1, []
        made, said = run("digest", capture, "-o", "-")
        if path and not said:
            write(path, made)
        return made, 1, said
    except (OSError, RuntimeError) as error:
        return None, 0, str(error).splitlines()


def is_whole(path):
    """A machine that lost power may have left an empty file, which would end every job from then on."""
    try:
        return path.exists() and run("info", path) is not None
    except RuntimeError:
        return False


def write(path, data):
    """Another worker, or a job that ends halfway, leaves no half of a file."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as unfinished:
        unfinished.write(data)
    os.replace(unfinished.name, path)


def merge(results):
    """The reduce: one from several."""
    with tempfile.TemporaryDirectory(prefix="profrender-") as folder:
        paths = []
        for number, (made, _, _) in enumerate(results):
            if made is not None:
                paths.append(Path(folder) / f"{number}.prz")
                paths[-1].write_bytes(made)
        merged, own = run("merge", *paths, "-o", "-") if paths else (None, [])
    said = [line for _, _, lines in results for line in lines]
    said += [line for line in own if folder not in line]  # why a digest is not complete was said of its capture
    return merged, sum(count for _, count, _ in results), list(dict.fromkeys(said))


# An engine: the sum of all, of a job of which the map is known.


def with_dask(make, captures, how):
    """Whatever is ready is merged, fan_in at a time, until one is left."""
    from dask.distributed import Client, LocalCluster, as_completed
    cluster = how.cluster or LocalCluster(n_workers=how.workers, threads_per_worker=1, dashboard_address=None)
    with Client(cluster) as client:
        pending = as_completed(client.map(make, captures, pure=False))
        ready, running = [], len(captures)
        for future in pending:
            ready.append(future)
            running -= 1
            if len(ready) >= how.fan_in or (not running and len(ready) > 1):
                pending.add(client.submit(merge, ready, pure=False))
                ready, running = [], running + 1
        return merge([ready[0].result()])  # one capture goes through merge too, so that the result is always a sum


def with_ray(make, captures, how):
    """The same."""
    import ray
    ray.init(address=how.cluster, num_cpus=None if how.cluster else how.workers, include_dashboard=False,
             log_to_driver=False)
    map_task = ray.remote(lambda capture: make(capture))  # it takes no partial function
    merge_task = ray.remote(lambda *results: merge(results))
    pending, ready = [map_task.remote(capture) for capture in captures], []
    while pending:
        done, pending = ray.wait(pending, fetch_local=False)
        ready += done
        if len(ready) >= how.fan_in or (not pending and len(ready) > 1):
            pending.append(merge_task.remote(*ready))
            ready = []
    merged = merge([ray.get(ready[0])])
    ray.shutdown()
    return merged


def with_spark(make, captures, how):
    """Each partition is merged where it is, then partitions in a tree."""
    from pyspark.sql import SparkSession
    master = how.cluster or (f"local[{how.workers}]" if how.workers else None)
    builder = SparkSession.builder.appName("profrender")
    session = (builder.master(master) if master else builder).getOrCreate()
    parts = -(-len(captures) // how.fan_in)
    partitions = session.sparkContext.parallelize(captures, parts).mapPartitions(
        lambda some: [merge([make(capture) for capture in some])])
    merged = partitions.treeReduce(lambda one, other: merge([one, other]))
    session.stop()
    return merged


ENGINES = {"dask": with_dask, "ray": with_ray, "spark": with_spark}


def part_of(output):
    return output.with_name(output.name + ".part")


def below(place):
    """The files of a folder, and what cannot be looked into: that is named at the end, not passed over."""
    denied = []
    for folder, _, names in os.walk(place, onerror=lambda error: denied.append(Path(error.filename))):
        yield from (Path(folder, name) for name in names)
    yield from denied


def captures_in(places, output, kept):
    """What this job writes into such a folder is none: a second run would add the sum of the first."""
    own = {output.resolve(), part_of(output).resolve()}
    for place in map(Path, places):
        if not place.is_dir():
            yield place.resolve()
            continue
        for path in sorted(path for path in below(place) if path.is_file() or path.is_dir() or not path.exists()):
            if path.resolve() not in own and not (kept and kept.resolve() in path.resolve().parents):
                yield path.resolve() if path.exists() else path.absolute()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("captures", nargs="+", help="files, or folders of them")
    parser.add_argument("-o", "--output", required=True, type=Path, help="the digest of all")
    parser.add_argument("--engine", choices=ENGINES, default="dask", help="default: dask")
    parser.add_argument("--cluster", help="its address; default: processes of this machine")
    parser.add_argument("--resume", type=Path, metavar="DIR", help="keep digests there, and use those that are there")
    parser.add_argument("--workers", type=int, help="how many of those; default: as many as there are processors")
    parser.add_argument("--fan-in", type=int, default=16, help="digests that are merged at a time; default: 16")
    parser.add_argument("--strict", action="store_true", help="exit with 3 when a capture could not be read")
    return parser.parse_args()


def main():
    how = arguments()
    captures = [str(path) for path in captures_in(how.captures, how.output, how.resume)]
    if not captures or how.fan_in < 2:
        sys.exit("nothing to add up" if not captures else "--fan-in must be at least 2")
    if how.resume:
        how.resume.mkdir(parents=True, exist_ok=True)
    make = functools.partial(digest, how.resume and str(how.resume.resolve()))
    merged, count, said = ENGINES[how.engine](make, captures, how)
    for line in said:
        print(line, file=sys.stderr)
    if merged is None:
        sys.exit(3)
    unfinished = part_of(how.output)
    unfinished.write_bytes(merged)
    unfinished.replace(how.output)
    print(f"{how.output}: the sum of {count} of {len(captures)} captures", file=sys.stderr)
    sys.exit(3 if how.strict and count < len(captures) else 0)


if __name__ == "__main__":
    main()
