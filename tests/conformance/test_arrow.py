# SPDX-License-Identifier: Apache-2.0
"""Does `frame` find in Arrow data what pandas finds in it, whoever wrote it, in whichever way?

pyarrow writes a column of every type; pandas, polars and DuckDB write the same frame. Types are those of the file:
nothing is inferred. What a header claims and the file does not have ends the table there, with a message.
"""

import json
import subprocess
from pathlib import Path

import pytest
from packages import environment
from test_frame import wrong_in_numbers

HERE = Path(__file__).resolve().parent
TYPES = {"int": "integer", "uint": "integer", "wide": "integer", "half": "real", "single": "real", "double": "real",
         "not finite": "real", "decimal": "decimal", "date": "date", "moment": "moment", "zone": "moment",
         "duration": "duration", "time": "time", "boolean": "boolean", "dictionary": "category", "numbers": "integer",
         "runs": "real", "null": "empty", "list": "nested", "large list": "nested", "fixed list": "nested",
         "struct": "nested", "map": "nested", "sparse union": "nested", "dense union": "nested", "normal": "real",
         "flag": "boolean", "kind": "category", "holes": "real", "whole": "integer", "id": "integer"}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    python, folder = environment("frames"), tmp_path_factory.mktemp("arrow")
    assert python, "pyarrow, polars and DuckDB cannot be installed"
    done = subprocess.run([python / "python", "-W", "ignore", HERE / "arrow_tables.py", folder], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder, json.loads(done.stdout)


def wrong_in_column(ours, theirs):
    wrong = []
    for key, value in (("missing", ours["missing"]), ("distinct", ours["distinct"]["value"]),
                       ("highest_count", ours["frequent"][0]["count"] if ours["frequent"] else 0)):
        if value != theirs[key]:
            wrong.append(f"{key}: {value} {theirs[key]}")
    if (ours.get("numbers") is None) != (theirs["numbers"] is None):
        wrong.append(f"type: {ours['type']}")
    elif theirs["numbers"] and not ours["name"].startswith("wide"):  # where doubles are 1,024 apart
        is_moment = ours["type"] in ("date", "moment", "time")  # whose zero is no amount
        wrong += wrong_in_numbers(ours["numbers"], {**theirs["numbers"], **({"cv": None} if is_moment else {})})
    return [f"{ours['name']}: {text}" for text in wrong]


def test_figures_are_those_of_pandas_whoever_wrote_it(program, written):
    folder, tables = written
    assert len(tables) == 16
    for name, truth in tables.items():
        document = program("frame", "--json", "-q", folder / name).json()
        wrong = [] if document["rows"] == truth["rows"] else [f"{document['rows']} rows"]
        assert [column["name"] for column in document["columns"]] == list(truth["columns"]), name
        for column in document["columns"]:
            wrong += wrong_in_column(column, truth["columns"][column["name"]])
        assert wrong == [], name
        assert document["format"] == "arrow" and document["problem"] is None and document["exact"], name


def test_types_are_those_of_the_file(program, written):
    folder, tables = written
    for name in tables:
        for column in program("frame", "--json", "-q", folder / name).json()["columns"]:
            expected = TYPES.get(column["name"]) or TYPES.get(column["name"].split(" ")[0].rstrip("0123456789"))
            assert not expected or column["type"] == expected, (name, column["name"], column["type"])


def test_values_keep_all_their_digits(program, written):
    folder, _ = written
    document = program("frame", "--json", "-q", folder / "pyarrow-stream-None.arrow").json()
    columns = {column["name"]: column for column in document["columns"]}
    assert columns["wide unsigned"]["frequent"][0]["value"] == str(2**64 - 1)
    assert columns["moment ns"]["distinct"]["value"] == columns["moment ns"]["count"]
    assert columns["struct"]["frequent"][0]["value"] == '{"a": 1, "b": null}'


def test_piped_and_packed_streams_are_the_same(program, written, tmp_path):
    folder, _ = written
    bytes_of = (folder / "pyarrow-stream-lz4.arrow").read_bytes()
    plain = program("frame", "--json", "-q", folder / "pyarrow-stream-lz4.arrow").json()
    packed = tmp_path / "stream.gz"
    subprocess.run(["gzip", "-c", folder / "pyarrow-stream-lz4.arrow"], stdout=packed.open("wb"), check=True)
    for document in (program("frame", "--json", "-q", "-", input=bytes_of).json(),
                     program("frame", "--json", "-q", packed).json()):
        assert {**document, "source": ""} == {**plain, "source": ""}


@pytest.mark.parametrize("name", ["pyarrow-stream-None", "pyarrow-file-zstd", "polars-file-lz4", "polars-stream-zstd"])
def test_a_cut_anywhere_is_a_table_or_a_message(program, written, tmp_path, name):
    whole = (written[0] / f"{name}.arrow").read_bytes()
    rows = []
    for end in [*range(8, 60, 7), *range(60, len(whole), len(whole) // 17)]:
        path = tmp_path / "cut.arrow"
        path.write_bytes(whole[:end])
        done = program("frame", "--json", path)
        assert done.status in (0, 3), (end, done)
        assert done.err.strip() or "stream" in name, (end, done)  # a stream may end after any message
        rows.append(done.json()["rows"] if done.status == 0 else 0)
    assert rows == sorted(rows)
    assert rows[-1] > 0 or name.startswith("polars")  # which writes all rows as one batch


@pytest.mark.parametrize("name", ["pyarrow-stream-None", "pyarrow-file-lz4", "duckdb-stream"])
def test_a_lying_byte_anywhere_is_a_table_or_a_message(program, written, tmp_path, name):
    whole = bytearray((written[0] / f"{name}.arrow").read_bytes())
    path = tmp_path / "lie.arrow"
    for turn, at in enumerate(range(0, len(whole), len(whole) // 47)):
        changed = bytearray(whole)
        changed[at] = (0xFF, 0)[turn % 2]
        path.write_bytes(changed)
        done = program("frame", "--json", path)
        assert done.status in (0, 3), (at, done)
        assert done.status == 0 or done.err.strip(), at
