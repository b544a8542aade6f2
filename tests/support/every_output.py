# SPDX-License-Identifier: Apache-2.0
"""All that the program makes of a capture, with what is packed in it unpacked: where names or secrets may still be.

    for command, data in outputs(program, capture, ("--redact", "names"), folder):
        assert b"hunter2" not in data, command
"""

import base64
import re
import shutil
import subprocess
import zlib

FRAME = b"\x28\xb5\x2f\xfd"  # how what zstd has compressed begins


def unpacked(page):
    """A page with what its script would unpack: every island of base64, as text."""
    text = page
    for island in re.findall(rb"[A-Za-z0-9+/]{200,}={0,2}", page):
        raw = base64.b64decode(island + b"=" * (-len(island) % 4))
        text += raw + unzstd(raw)
    return text


def unzstd(raw):
    """All that is compressed in RAW: the frames of a digest are among other bytes."""
    zstd = shutil.which("zstd")
    assert zstd, "the tests of what is in cards and digests need zstd"
    at, text = raw.find(FRAME), b""
    while at >= 0:
        end = raw.find(FRAME, at + 4)
        text += subprocess.run([zstd, "-dc"], input=raw[at:end if end > 0 else None], capture_output=True,
                               check=False).stdout
        at = end
    return text


def outputs(program, capture, words, folder):
    """The program's output about CAPTURE, of every kind."""
    for command in (("table",), ("table", "--format", "json"), ("table", "--format", "csv"), ("tree",),
                    ("tree", "--json"), ("summary",), ("summary", "--json"), ("stats",), ("stats", "--json"),
                    ("info",), ("info", "--json"), ("table", "--group", "module"), ("table", "--threads", "split"),
                    ("export", "--format", "json"), ("export", "--format", "collapsed"),
                    ("export", "--format", "speedscope"), ("export", "--format", "csv"),
                    ("explain",), ("explain", "--json"), ("explain", "--format", "markdown"),
                    ("table", "--format", "markdown"),
                    ("check", "--max-peak", "1", "--max-cpu", "1ms", "--format", "json")):
        yield " ".join(command), program(*command, *words, capture).bytes
    for command, name in (("card", "card.html"), ("card --lite", "lite.html"), ("digest", "digest.prz")):
        path = folder / name
        program(*command.split(), "-q", *words, capture, "-o", path)
        if path.exists():
            data = path.read_bytes()
            yield command, unpacked(data) + unzstd(data)
            path.unlink()
    path = folder / "out.pb.gz"
    program("export", "-q", "--format", "pprof", *words, capture, "-o", path)
    if path.exists():
        yield "pprof", zlib.decompress(path.read_bytes(), 31)
        path.unlink()
