# SPDX-License-Identifier: Apache-2.0
"""profrender.frame() of the Python module, with real frames of pandas, polars, pyarrow and DuckDB: each hands over the
same table, with its types.
"""

import json
import subprocess
from pathlib import Path

import pytest
from packages import environment

ROOT = Path(__file__).resolve().parent.parent.parent
HEAD = """
import json, pathlib, sys
sys.path.insert(0, MODULE)
BLOCKED
import pandas as pd
import profrender
df = pd.DataFrame({"whole": [1, 2, None], "real": [0.5, 2.5, 2.5], "flag": [True, False, True],
                   "moment": pd.to_datetime(["2026-01-01 10:00"] * 3), "text": ["a", "NA", "<b>"],
                   "kind": pd.Categorical(["x", "y", "x"])}).astype({"whole": "Int64"})
def card(table, title=None, **how):
    return profrender.frame(table, title, program=PROGRAM, **how)
def show(value):
    print(json.dumps(value))
def types(table):
    told = card(table).to_json()
    show([told["rows"], told["missing"], *(column["type"] for column in told["columns"])])
"""
TYPES = [3, 1, "integer", "real", "boolean", "moment", "text", "category"]


@pytest.fixture(scope="module")
def python():
    folder = environment("frames")
    assert folder, "pandas cannot be installed"

    def run(text, tmp, program, without=()):
        blocked = "\n".join(f"sys.modules[{name!r}] = None" for name in without)
        head = HEAD.replace("MODULE", repr(str(ROOT / "python"))).replace("PROGRAM", repr(str(program)))
        script = tmp / "job.py"
        script.write_text(head.replace("BLOCKED", blocked) + text, encoding="utf-8")
        done = subprocess.run([folder / "python", "-W", "ignore", script], cwd=tmp, capture_output=True, text=True,
                              timeout=120)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]
    return run


@pytest.fixture
def job(python, program, tmp_path):
    return lambda text, **how: python(text, tmp_path, program.path, **how)


@pytest.mark.parametrize("table", [
    "df", "__import__('polars').from_pandas(df)", "__import__('polars').from_pandas(df).lazy()",
    "__import__('pyarrow').Table.from_pandas(df)", "__import__('duckdb').sql('select * from df')"])
def test_whoever_has_the_frame_its_types_arrive(job, table):
    assert job(f"types({table})") == [TYPES]


def test_a_parquet_file_is_read_by_pyarrow_or_polars(job):
    text = "df.to_parquet('t.parquet')\ntypes('t.parquet')\nsys.modules['pyarrow'] = None\n" \
           "types(pathlib.Path('t.parquet'))"
    assert job(text) == [TYPES, TYPES]


def test_without_pyarrow_a_frame_of_pandas_goes_as_csv(job):
    told, = job("show(card(df).to_json())", without=["pyarrow"])
    assert (told["format"], told["rows"]) == ("csv", 3)


def test_columns_of_any_objects_are_texts(job):
    assert job("types(pd.DataFrame({'mixed': [1, 'a', None], 'sets': [{1}, object, 2]}))") == [[3, 1, "text", "text"]]


def test_an_index_with_a_name_is_a_column(job):
    told, = job("show([c['name'] for c in card(df.set_index('text')).to_json()['columns']])")
    assert told == ["whole", "real", "flag", "moment", "kind", "text"]


def test_a_card_is_a_page_a_file_and_what_jupyter_shows(job, tmp_path):
    page, shown = job("""
made = card(df, "<Sales>", redact=True)
made.save("new/card.html")
show(made.html)
show(made._repr_html_())
""")
    assert (tmp_path / "new/card.html").read_text(encoding="utf-8") == page
    assert "&lt;Sales&gt;" in page and "<script" not in page and "&lt;b&gt;" not in page
    assert shown.startswith("<iframe") and 'sandbox="allow-scripts allow-downloads"' in shown


def test_a_reason_is_given(job):
    said = job("""
for table, how in ((3, {}), (df, {"args": ["--nope"]}), (df, {"view": "gantt"}), ("no.csv", {})):
    try:
        card(table, **how).html
    except Exception as error:
        show([type(error).__name__, str(error)])
""")
    assert [name for name, _ in said] == ["TypeError", "Failed", "Failed", "FileNotFoundError"]
    assert "--nope" in said[1][1] and "Start" in said[2][1]
