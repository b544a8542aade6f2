# SPDX-License-Identifier: Apache-2.0
"""Makes snapshots of PyTorch's memory without a GPU: an allocator that does what c10/cuda/CUDACachingAllocator.cpp
does, and writes what torch/csrc/cuda/Module.cpp (THCPModule_memorySnapshot) writes, with the same objects shared.

    python3 tests/support/torch_snapshot.py OUT.pickle                   the sample, samples/memory/train.torch.pickle
    python3 tests/support/torch_snapshot.py OUT.pickle --steps 4000      a large one

What is kept of the original: requests are rounded up to 512 bytes; up to 1 MiB they come from segments of 2 MiB, up to
10 MiB from segments of 20 MiB, larger ones from segments of a multiple of 2 MiB; the smallest free block that fits is
taken and split; free neighbours are united; a block used by another stream is free when that has finished; with the
device full, segments without blocks are given back before the error. Entries share the context of their allocation; the
stack of a context is a list of its own whose frames are shared.
"""

import argparse
import bisect
import json
import pickle
import random

ROUND, SMALL, SMALL_SEGMENT, LARGE, LARGE_SEGMENT = 512, 1 << 20, 2 << 20, 10 << 20, 20 << 20
START_US = 1_700_000_000_000_000


class OutOfMemory(Exception):
    pass


class Context:
    """A gathered stack: one list of frames for all that refer to it."""

    frames_by_place = {}

    def __init__(self, places):
        self.frames = [self.frames_by_place.setdefault(place, dict(zip(("filename", "line", "name"), place)))
                       for place in places]


class Block:
    def __init__(self, segment, offset, size):
        self.segment, self.offset, self.size = segment, offset, size
        self.state, self.requested, self.context = "inactive", 0, None

    @property
    def address(self):
        return self.segment.address + self.offset


class Segment:
    def __init__(self, address, size, large, stream, context):
        self.address, self.size, self.large, self.stream, self.context = address, size, large, stream, context
        self.blocks = [Block(self, 0, size)]


class Allocator:
    """The memory of one device. `clock` is a list with the time in microseconds, shared by devices."""

    def __init__(self, device=0, capacity=8 << 30, clock=None, max_entries=None, expandable=False):
        self.device, self.capacity, self.expandable = device, capacity, expandable
        self.clock = clock if clock is not None else [START_US]
        self.max_entries = max_entries
        self.segments, self.trace, self.next_address = [], [], 0x7F0000000000 + (device << 40)
        self.allocated = self.requested = self.peak = 0
        self.ooms = []

    def _entry(self, action, address, size, stream, context):
        self.clock[0] += 3
        entry = {"frames": context.frames} if context else {}
        entry["action"] = action
        entry["device_free" if action == "oom" else "addr"] = address
        entry.update(size=size, stream=stream, time_us=self.clock[0], compile_context="N/A", user_metadata="")
        self.trace.append(entry)
        if self.max_entries and len(self.trace) > self.max_entries:
            del self.trace[0]

    def reserved(self):
        return sum(segment.size for segment in self.segments)

    def free_blocks(self):
        return [block.size for segment in self.segments for block in segment.blocks if block.state == "inactive"]

    def _find(self, size, large, stream):
        found = [block for segment in self.segments if segment.large == large and segment.stream == stream
                 for block in segment.blocks if block.state == "inactive" and block.size >= size]
        return min(found, key=lambda block: (block.size, block.address), default=None)

    def _give_back(self):
        for segment in [segment for segment in self.segments if len(segment.blocks) == 1
                        and segment.blocks[0].state == "inactive"]:
            self.segments.remove(segment)
            self._entry("segment_free", segment.address, segment.size, segment.stream, segment.context)

    def _new_segment(self, size, stream, context):
        large = size > SMALL
        whole = -(-size // SMALL_SEGMENT) * SMALL_SEGMENT
        want = SMALL_SEGMENT if not large else LARGE_SEGMENT if size < LARGE else whole
        if self.reserved() + want > self.capacity:
            self._give_back()
        if self.reserved() + want > self.capacity:
            return None
        segment = Segment(self.next_address, want, large, stream, context)
        self.next_address += want + (64 << 20)
        bisect.insort(self.segments, segment, key=lambda each: each.address)
        self._entry("segment_alloc", segment.address, want, stream, context)
        return segment.blocks[0]

    def alloc(self, requested, places, stream=0):
        context = Context(places)
        size = max(ROUND, -(-requested // ROUND) * ROUND)
        block = self._find(size, size > SMALL, stream) or self._new_segment(size, stream, context)
        if not block:
            self.ooms.append({"asked": requested, "reserved": self.reserved(), "free": sum(self.free_blocks()),
                              "largest": max(self.free_blocks(), default=0)})
            self._entry("oom", self.capacity - self.reserved(), requested, stream, context)
            raise OutOfMemory(requested)
        segment = block.segment
        rest = block.size - size
        if rest >= ROUND if not segment.large else rest > SMALL:
            at = segment.blocks.index(block)
            segment.blocks.insert(at + 1, Block(segment, block.offset + size, rest))
            block.size = size
        block.state, block.requested, block.context = "active_allocated", requested, context
        self._entry("alloc", block.address, requested, stream, context)
        self.requested += requested
        self.peak = max(self.peak, self.requested)
        return block

    def free(self, block, places=None, pending=False):
        context = Context(places) if places else block.context
        self._entry("free_requested", block.address, block.requested, block.segment.stream, context)
        block.state = "active_pending_free"
        block.free_context = context
        if not pending:
            self.complete(block)

    def complete(self, block):
        """What a stream did with the block has ended."""
        self._entry("free_completed", block.address, block.requested, block.segment.stream, block.free_context)
        self.requested -= block.requested
        block.state, block.requested, block.context = "inactive", 0, None
        blocks = block.segment.blocks
        at = blocks.index(block)
        if at + 1 < len(blocks) and blocks[at + 1].state == "inactive":
            block.size += blocks.pop(at + 1).size
        if at and blocks[at - 1].state == "inactive":
            blocks[at - 1].size += blocks.pop(at).size


EMPTY = []


def segment_of(allocator, segment):
    blocks = [{"address": block.address, "size": block.size, "requested_size": block.requested, "state": block.state,
               "frames": block.context.frames if block.context else EMPTY} for block in segment.blocks]
    active = [block for block in segment.blocks if block.state != "inactive"]
    return {"device": allocator.device, "address": segment.address, "total_size": segment.size,
            "allocated_size": sum(block.size for block in active if block.state == "active_allocated"),
            "active_size": sum(block.size for block in active),
            "requested_size": sum(block.requested for block in active), "stream": segment.stream,
            "segment_type": "large" if segment.large else "small", "segment_pool_id": (0, 0),
            "is_expandable": allocator.expandable, "frames": segment.context.frames, "blocks": blocks}


def snapshot_of(allocators, settings=""):
    """The dictionary that torch.cuda.memory._snapshot returns."""
    traces = []
    for allocator in allocators:
        allocator._entry("snapshot", 0, 0, 0, None)
        traces.append(list(allocator.trace))
    return {"segments": [segment_of(allocator, segment) for allocator in allocators for segment in allocator.segments],
            "device_traces": traces,
            "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": settings, "max_split_size": -1,
                                   "garbage_collection_threshold": 0.0, "expandable_segments": False,
                                   "pinned_num_register_threads": 1, "release_lock_on_cudamalloc": False,
                                   "pinned_use_cuda_host_register": False,
                                   "roundup_power2_divisions": {"1": 0, "2": 0}},
            "external_annotations": []}


# ---- a program that trains -------------------------------------------------------------------------------------------

MAIN = ("/srv/train/train.py", 61, "<module>")
STEP = ("/srv/train/train.py", 44, "train_step")
CPP = [("??", 0, "c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc(signed char, unsigned long, "
                 "CUstream_st*)"),
       ("??", 0, "at::detail::empty_generic(c10::ArrayRef<long>, c10::Allocator*, c10::DispatchKeySet, "
                 "c10::ScalarType, std::optional<c10::MemoryFormat>)"),
       ("??", 0, "at::_ops::empty_memory_format::call(c10::ArrayRef<c10::SymInt>)")]


def layer(number, function, line):
    return [*CPP, ("/srv/train/model.py", line, function), (f"/srv/train/model.py", 100 + number, f"block_{number}"),
            ("/srv/venv/lib/python3.12/site-packages/torch/nn/modules/module.py", 1773, "_call_impl"), STEP, MAIN]


def train(allocator, steps=6, layers=6, seed=1, leak=True, depth=0):
    """Weights, then steps: activations forward, gradients backward, a workspace on a side stream, a log that leaks."""
    dice = random.Random(seed)
    deeper = [(f"/srv/train/engine.py", 10 + i, f"run_{i}") for i in range(depth)]
    build = [*CPP, ("/srv/train/model.py", 12, "__init__"), *deeper, ("/srv/train/train.py", 20, "build"), MAIN]
    weights = [allocator.alloc(dice.randrange(3 << 20, 30 << 20), build) for _ in range(layers)]
    kept = []
    for step in range(steps):
        allocator.clock[0] += 40_000
        forward = [(allocator.alloc(dice.randrange(1 << 10, 48 << 20), layer(i, "forward", 30) + deeper), i)
                   for i in range(layers)]
        workspace = allocator.alloc(8 << 20, layer(0, "workspace", 77) + deeper, stream=139_876_543_210_000)
        for block, i in reversed(forward):
            gradient = allocator.alloc(block.requested // 2 + 100, layer(i, "backward", 52) + deeper)
            allocator.clock[0] += 900
            allocator.free(block, [("/srv/train/train.py", 47, "backward"), STEP, MAIN] + deeper)
            allocator.free(gradient)
        allocator.free(workspace, pending=True)
        if leak:
            log = [*CPP, ("/srv/train/train.py", 50, "log_loss"), STEP, MAIN]
            kept.append(allocator.alloc(256 << 10, log + deeper))
        allocator.complete(workspace)
    return weights, kept


def sample():
    """Two devices; the second runs out of memory at its end, with much of it free in small parts."""
    clock = [START_US]
    first, second = Allocator(0, 2 << 30, clock), Allocator(1, 256 << 20, clock)
    train(first, steps=5)
    cache = [*CPP, ("/srv/train/serve.py", 9, "cache"), ("/srv/train/serve.py", 30, "<module>")]
    blocks = [second.alloc((7 << 20) - 1000, cache) for _ in range(24)]
    for block in blocks[::2]:
        second.free(block)
    try:
        second.alloc(100 << 20, [*CPP, ("/srv/train/serve.py", 14, "answer"), ("/srv/train/serve.py", 31, "<module>")])
    except OutOfMemory:
        pass
    return snapshot_of([first, second], "garbage_collection_threshold:0.8"), [first, second]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--layers", type=int, default=40)
    parser.add_argument("--depth", type=int, default=60)
    parser.add_argument("--protocol", type=int, default=4)
    options = parser.parse_args()
    if options.steps:
        allocator = Allocator(0, 60 << 30)
        train(allocator, options.steps, options.layers, depth=options.depth)
        snapshot = snapshot_of([allocator])
    else:
        snapshot, _ = sample()
    with open(options.out, "wb" if not options.out.endswith(".json") else "w") as out:
        if options.out.endswith(".json"):
            json.dump(snapshot, out)
        else:
            pickle.dump(snapshot, out, options.protocol)


if __name__ == "__main__":
    main()
