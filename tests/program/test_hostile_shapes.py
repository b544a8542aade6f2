# SPDX-License-Identifier: Apache-2.0
"""Small files of a shape that would cost minutes of processor time, were all in them compared with all else."""

import pickle
import resource

import pytest

MOST_CPU_S = 10  # each took more than twice that; now a tenth


def limited(program, *words):
    return program(*words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S)))


def test_many_errors_over_many_blocks_of_device_memory(program, tmp_path):
    frame = {"filename": "a.py", "line": 1, "name": "f"}
    block = {"size": 512, "requested_size": 512, "state": "active_allocated", "frames": [frame]}
    segments = [{"device": 0, "address": i << 21, "total_size": 1 << 21, "stream": 0, "segment_type": "small",
                 "is_expandable": False, "frames": [],
                 "blocks": [{**block, "address": (i << 21) + k * 512} for k in range(20)]} for i in range(5000)]
    errors = [{"action": "oom", "device_free": 5, "size": 512, "stream": 0, "time_us": 1_700_000_000_000_000 + i,
               "frames": [frame]} for i in range(3000)]
    path = tmp_path / "snapshot.pickle"
    path.write_bytes(pickle.dumps({"segments": segments, "device_traces": [errors], "allocator_settings": {}}))
    done = limited(program, "info", path)
    assert done.status == 0 and "out of memory 2996 more times" in " ".join(done.out.split()), done


@pytest.mark.sweep
def test_a_check_of_many_functions_that_are_all_new(program, tmp_path):
    for name, weight in (("f", 100), ("g", 900)):
        (tmp_path / f"{name}.folded").write_text("".join(f"main (m.py:1);{name}{i} (m.py:{i + 2}) {weight + i % 50}\n"
                                                         for i in range(40_000)))
    done = limited(program, "check", tmp_path / "g.folded", "--baseline", tmp_path / "f.folded", "--functions")
    assert done.status == 1 and "g39999" in done.out, (done.status, done.err)


@pytest.mark.sweep
def test_a_check_of_many_functions_that_all_moved(program, tmp_path):
    for name in "fg":
        (tmp_path / f"{name}.folded").write_text("".join(f"main (m.py:1);{name}{i} (m.py:{i + 2}) {100 + i % 50}\n"
                                                         for i in range(120_000)))
    done = limited(program, "check", tmp_path / "g.folded", "--baseline", tmp_path / "f.folded", "--functions")
    assert done.status == 0 and "149 of g39999 came from f99999: moved, not grown" in done.out, (done.status, done.err)
