# SPDX-License-Identifier: Apache-2.0
"""Writes folders of runs that made marks: a capture, and what the recorder samples."""

import json
import struct

from made_capture import MALLOC, header, sv, uv

MIB, START, FREE = 1 << 20, 1_700_000_000, 5


def stepwise(levels, start=START):
    """A capture in which `hold` has so many MiB in every ten seconds; a sample of memory each second."""
    out = [header(b"job.py", start * 1000), b"\x0c" + struct.pack("<Q", 1), b"\x0e\x00hold\0job.py\0" + sv(1) + uv(0)]
    for number, level in enumerate(levels):
        held = bytes([0x80 | 15 << 3 | MALLOC]) + sv(16) + uv(level * MIB)
        out += [b"\x02" + uv(500 * MIB) + uv(number * 10_000), b"\x41\x00" + sv(0), held, b"\x10"]
        out += [b"\x02" + uv(500 * MIB) + uv(number * 10_000 + second * 1000) for second in range(1, 10)]
        out.append(bytes([0x80 | 15 << 3 | FREE]) + sv(0))
    return b"".join(out) + b"\x02" + uv(500 * MIB) + uv(len(levels) * 10_000) + b"\x01"


def phased_run(folder, levels, marks=None, sampled=False, start=START):
    """LEVELS are (name of the phase, MiB); MARKS, where others are meant, (second, name). SAMPLED: with RSS, which is
    100 MiB more than the heap, and half a core."""
    folder.mkdir()
    wall = 10 * len(levels)
    (folder / "memray.bin").write_bytes(stepwise([level for _, level in levels], start))
    lines = [{"type": "start", "version": 1, "t": start, "argv": ["x"]}]
    lines += [{"type": "mark", "ts": at, "mark": name}
              for at, name in marks or [(10 * number, name) for number, (name, _) in enumerate(levels)]]
    for second in range(wall if sampled else 0):
        lines.append({"ts": second + 0.5, "rss_mb": 100 + levels[second // 10][1], "cpu_pct": 50})
    lines.append({"type": "end", "t": start + wall, "wall": wall, "exit": 0, "signal": None})
    (folder / "timeline.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder
