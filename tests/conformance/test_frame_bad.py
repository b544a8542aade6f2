# SPDX-License-Identifier: Apache-2.0
"""Tables that are at the edge of being one, or lie: each ends in a card or in a sentence, soon, in bounded memory."""

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
ARROW = (ROOT / "samples/tables/stock.arrow").read_bytes()
COLUMNS = 10_000
FIELD = 100_000_000
MOST_MB = 250
MOST_S = 10
FINE, REFUSED = 0, 3


def wide():
    return "\n".join([",".join(f"c{number}" for number in range(COLUMNS)), ",".join(["1"] * COLUMNS)]).encode()


def wide_lines():
    return "\n".join(["{" + ", ".join(f'"c{number}": {number}' for number in range(COLUMNS)) + "}"] * 20).encode()


def big_endian():
    """An Arrow stream that begins as one of an IBM Z does: a schema without columns, in a message by hand."""
    message = struct.pack("<I6HiIhB5xq", 16, 12, 24, 8, 10, 4, 16, 12, 28, 4, 1, 0)  # the table at 16, of 24 bytes
    schema = struct.pack("<4HiIh2xI", 8, 12, 8, 4, 8, 8, 1, 0)  # at 40: endianness 1, and no fields
    return struct.pack("<Ii", 0xFFFFFFFF, len(message + schema)) + message + schema


CASES = {
    "one column.csv": (lambda: b"x\n1\n2\n", FINE, '"rows": 2'),
    "no rows.csv": (lambda: b"a,b,c\n", FINE, '"rows": 0'),
    "empty.csv": (lambda: b"", REFUSED, "is empty"),
    "many columns.csv": (wide, FINE, f'"cells": {COLUMNS}'),
    "large field.csv": (lambda: b"a,b\n1," + b"x" * FIELD + b"\n2,y\n", FINE, "longer than 32 MiB"),
    "large field in quotes.csv": (lambda: b'a,b\n1,"' + b"x" * FIELD + b'"\n2,y\n', FINE, "longer than 32 MiB"),
    "one line.csv": (lambda: b"x" * FIELD, REFUSED, "first line is longer than 32 MiB"),
    "NUL.csv": (lambda: b"a,b\n1,x\0y\n2,z\n" * 20, FINE, "NUL bytes"),
    "only NUL.csv": (lambda: b"\0" * 100_000, REFUSED, "not a table in a text format"),
    "line ends.csv": (lambda: b"a,b\r\n1,2\r\n3,4\r5,6\n", FINE, '"rows": 3'),
    "quotes.csv": (lambda: b"a,b\n" + b'"' * 5_000_001 + b"\n", FINE, "a misplaced quote"),
    "one column.jsonl": (lambda: b'{"a": 1}\n', FINE, '"rows": 1'),
    "no column.jsonl": (lambda: b"{}\n" * 5, REFUSED, "no line is a JSON object"),
    "many columns.jsonl": (wide_lines, FINE, f'"cells": {20 * COLUMNS}'),
    "large field.jsonl": (lambda: b'{"a": "' + b"x" * FIELD + b'"}\n{"a": 2}\n', FINE, "longer than 32 MiB"),
    "NUL.jsonl": (lambda: b'{"a": "x\\u0000y\0"}\n{"a": "z"}\n', FINE, '"rows": '),
    "deep.jsonl": (lambda: b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b'\n{"a": 1}\n', FINE, "not a JSON object"),
    "line ends.jsonl": (lambda: b'{"a":1}\r\n{"a":2}\n{"a":3}', FINE, '"rows": 3'),
    "large number.csv": (lambda: b"a,b\n1," + b"7" * FIELD + b"\n2,3\n", FINE, "longer than 32 MiB"),
    "large header.csv": (lambda: b"a," + b"x" * FIELD + b"\n1,2\n", REFUSED, "first line is longer than 32 MiB"),
    "large number.jsonl": (lambda: b'{"a": ' + b"7" * FIELD + b'}\n{"a": 2}\n', FINE, "longer than 32 MiB"),
    "large list.jsonl": (lambda: b'{"a": [' + b"7," * (FIELD // 2) + b'1]}\n{"a": 2}\n', FINE, "longer than 32 MiB"),
    "large key.jsonl": (lambda: b'{"' + b"k" * FIELD + b'": 1}\n{"a": 2}\n', FINE, "longer than 32 MiB"),
    "one large line.jsonl": (lambda: b'{"a": "' + b"x" * FIELD + b'"}',
                             REFUSED, "each of its lines is longer than 32 MiB"),
    "hardly too large.csv": (lambda: b"a,b\n" + b"1,2\n" * 9999 + b"1," + b"x" * 34_000_000 + b"\n2,y\n", FINE,
                             "longer than 32 MiB and is left out (row 10,000)"),
    "fits.csv": (lambda: b"a,b\n1," + b"x" * 30_000_000 + b"\n2,y\n", FINE, '"longest": 30000000'),
    "fits in quotes.csv": (lambda: b'a,b\n1,"' + b'""' * 15_000_000 + b'"\n2,y\n', FINE, '"longest": 15000000'),
    "fits.jsonl": (lambda: b'{"a": "' + b"x" * 30_000_000 + b'"}\n{"a": 2}\n', FINE, '"longest": 30000000'),
    "long lines.jsonl": (lambda: (b'{"a": "' + b"x" * 7_000_000 + b'"}\n') * 50, FINE, '"rows": 50'),
    "big endian.arrows": (big_endian, REFUSED, "big-endian byte order, which profrender does not read"),
    "only its beginning.arrow": (lambda: ARROW[:8], REFUSED, "Arrow"),
}


# A process begins with the memory of the one that starts it: the tests' own would be counted.
MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(done.returncode, used.ru_utime, used.ru_maxrss, file=sys.stderr)
sys.stdout.buffer.write(done.stdout)
"""


def run(program, path):
    """Status, what it printed, and the most memory in MB."""
    done = subprocess.run([sys.executable, "-c", MEASURE, program.path, "frame", "--json", path], check=True,
                          capture_output=True, env={**os.environ, "MALLOC_ARENA_MAX": "2"})
    status, user_s, most_kb = done.stderr.split()
    assert float(user_s) < MOST_S, path
    return int(status), done.stdout.decode(errors="replace"), int(most_kb) / 1024


@pytest.mark.parametrize("name", CASES)
def test_what_is_hardly_a_table_ends_in_a_card_or_a_sentence(program, tmp_path, name):
    make, status, words = CASES[name]
    path = tmp_path / name
    path.write_bytes(make())
    found, text, megabytes = run(program, path)
    assert found == status and words in text, text[:1000]
    assert megabytes < MOST_MB, megabytes


LIES = [0xFFFFFFFF, 0x7FFFFFFF, 0x01000000]


@pytest.mark.parametrize("lie", LIES)
def test_an_arrow_header_that_lies_is_found_out(program, tmp_path, lie):
    """Every other number of 32 bits in the schema, the first messages and the list at the end; each lie at a third."""
    path = tmp_path / "lie.arrow"
    places = [*range(8, 600, 8), *range(2000, 2400, 8), *range(len(ARROW) - 700, len(ARROW) - 6, 8)]
    for at in places[LIES.index(lie)::len(LIES)]:
        lying = bytearray(ARROW)
        struct.pack_into("<I", lying, at, lie)
        path.write_bytes(lying)
        status, text, megabytes = run(program, path)
        assert status in (FINE, REFUSED) and megabytes < MOST_MB, (at, status, megabytes, text[-500:])
        assert status == FINE or "lie.arrow: " in text, (at, text)
