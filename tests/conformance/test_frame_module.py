# SPDX-License-Identifier: Apache-2.0
"""profrender.frame() of the Python module, with real frames of pandas, polars, pyarrow and DuckDB: each hands over the
same table, with its types.
"""

import pytest

TYPES = [3, 1, "integer", "real", "boolean", "moment", "text", "category"]


@pytest.mark.parametrize("table", [
    "df", "__import__('polars').from_pandas(df)", "__import__('polars').from_pandas(df).lazy()",
    "__import__('pyarrow').Table.from_pandas(df)", "__import__('duckdb').sql('select * from df')"])
def test_whoever_has_the_frame_its_types_arrive(job, table):
    assert job(f"types({table})") == [TYPES]


def test_a_parquet_file_is_read_by_pyarrow_or_polars(job):
    text = "df.to_parquet('t.parquet')\ntypes('t.parquet')\nsys.modules['pyarrow'] = None\n" \
           "types(pathlib.Path('t.parquet'))"
    assert job(text) == [TYPES, TYPES]


def test_a_folder_of_parquet_files_is_one_table(job):
    """As Spark writes it: parts, folders of one value of a column, and a file without a table."""
    assert job("""
for day, part in ((1, df.iloc[:1]), (2, df.iloc[1:])):
    folder = pathlib.Path(f"out/day={day}")
    folder.mkdir(parents=True)
    part.to_parquet(folder / "part-0.snappy.parquet", index=False)
pathlib.Path("out/_SUCCESS").touch()
for _ in range(2):
    told = card("out").to_json()
    show([told["rows"], [c["name"] for c in told["columns"]][-1], sorted(c["type"] for c in told["columns"])[:4]])
    sys.modules["pyarrow"] = None
""") == [[3, "day", ["boolean", "category", "integer", "integer"]]] * 2


def test_without_pyarrow_the_types_of_pandas_arrive_too(job):
    assert job("types(df)", without=["pyarrow"]) == [TYPES]


def test_columns_of_one_name_are_shown_each(job):
    text = """
twice = pd.DataFrame([[1, "x", {"k": 1}], [2, "y", [3]]], columns=["a", "a", "b"]).set_index(pd.Index([7, 8], name="n"))
show([[c["name"], c["type"]] for c in card(twice).to_json()["columns"]])
"""
    told, = job(text)
    assert told[:3] == [["a", "integer"], ["a.1", "text"], ["b", "text"]] and told[3:] == [["n", "integer"]]


ODD = """
import datetime as dt, decimal
odd = pd.DataFrame({
    "big": pd.array([2**63 - 1, None], dtype="Int64"), "infinite": [float("inf"), 0.1],
    "span": pd.to_timedelta(["1 days 02:03:04", None]), "zone": pd.to_datetime(["2026-01-01T10:00+02:00"] * 2),
    "day": [dt.date(2026, 1, 1), None], "clock": [dt.time(10, 0), dt.time(11, 30)], "list": [[1, 2], None],
    "exact": [decimal.Decimal("1.50"), decimal.Decimal("2.25")], "digits": ["007", "12"], "yes": [True, None],
    "none": [None, None], "name with \\"": ["a\\nb", "\\u00e9"]})
"""


def test_without_pyarrow_odd_columns_are_as_with_it(job):
    text = ODD + """
told = card(odd).to_json()
show([told["rows"], told["missing"]])
show({c["name"]: [c["type"], c["count"], c.get("numbers", {}).get("sum")] for c in told["columns"]})
"""
    with_it, without = job(text), job(text, without=["pyarrow"])
    assert without[1]["exact"][0] == "real" and with_it[1]["exact"][0] == "decimal"
    with_it[1]["exact"] = without[1]["exact"]
    assert without == with_it


def test_without_pyarrow_what_json_cannot_say_goes_as_csv(job):
    told = job("""
for table in (df.iloc[:0], pd.DataFrame([[1, 2]], columns=["a", "a"]), df.set_index("kind").rename_axis("text")):
    show(card(table).to_json()["format"])
""", without=["pyarrow"])
    assert told == ["csv"] * 3


def test_a_schema_converts_what_arrow_has(job):
    told, = job("""
from datetime import date, time, timedelta
both = pd.DataFrame({
    "whole": [1, 2, 2], "real": [1.0, 2.5, None], "flag": [True, False, None], "epoch": [0, 86400, 90000],
    "moment": pd.to_datetime(["2026-01-01 10:00", None, "2026-01-02 11:00"]), "day": [date(2026, 1, 1)] * 3,
    "clock": [time(1, 30), time(2, 0), None], "text": ["12", "NA", ""], "list": [[1], [2, 3], None],
    "span": pd.to_timedelta(["1 days", "2 days", None]), "kind": pd.Categorical(["1", "x", "1"])})
ask = {"whole": "identifier", "real": "integer", "flag": "integer", "epoch": {"type": "moment", "unit": "s"},
       "moment": "date", "day": "moment", "clock": "duration", "text": "integer", "list": "text", "span": "text",
       "kind": "real"}
made = card(both, schema=ask).to_json()
assert set(made["damage"]) == {"not_of_type"}, made["damage"]
show([[c["type"], c["count"], c.get("not_of_type", {}).get("value"), c.get("numbers", {}).get("sum")]
      for c in made["columns"]])
""")
    hours, day = 3_600_000_000, 86_400_000_000
    start = 20454 * day
    assert told == [["identifier", 3, None, None], ["integer", 1, "2.5", 1], ["integer", 2, None, 1],
                    ["moment", 3, None, 49 * hours], ["date", 2, None, 2 * start + day], ["moment", 3, None, 3 * start],
                    ["duration", 2, None, 3.5 * hours], ["integer", 1, None, 12], ["text", 2, None, None],
                    ["text", 2, None, None], ["real", 2, "x", 2]]


@pytest.mark.parametrize("without", [[], ["pyarrow"]])
def test_a_schema_says_what_columns_are(job, without):
    told, = job("""
pathlib.Path("s.json").write_text('{"whole": "category", "text": "ignore"}')
for schema in ({"whole": "category", "text": "ignore"}, "s.json"):
    made = card(df, schema=schema).to_json()
show([[c["name"], c["type"], c.get("by_schema")] for c in made["columns"]][:4])
""", without=without)
    by_schema = True if without else None
    assert told == [["whole", "category", True], ["real", "real", by_schema], ["flag", "boolean", by_schema],
                    ["moment", "moment", by_schema]]


def test_columns_of_any_objects_are_texts(job):
    assert job("types(pd.DataFrame({'mixed': [1, 'a', None], 'sets': [{1}, object, 2]}))") == [[3, 1, "text", "text"]]


HARD = """
years = pd.period_range("2020", periods=3, freq="Y", name="year")
half = pd.Series(["a" + chr(0xd800), "b", None], dtype=object, index=years)
hard = pd.DataFrame({"sparse": pd.arrays.SparseArray([0, 0, 1]), "large": [2 ** 70, 1, None], "half": half,
                     "month": pd.period_range("2020-01", periods=3, freq="M"), "complex": [1 + 2j, 3j, 0]},
                    index=years)
show([[c["name"], c["type"], c["count"]] for c in card(hard).to_json()["columns"]])
"""


def test_columns_that_arrow_has_no_type_for_are_the_nearest_that_it_has(job):
    assert job(HARD) == [[["sparse", "integer", 3], ["large", "decimal", 2], ["half", "text", 2],
                          ["month", "moment", 3], ["complex", "text", 3], ["year", "moment", 3]]]


def test_months_and_halves_of_characters_without_pyarrow(job):
    told, = job(HARD, without=["pyarrow"])
    assert told[:2] == [["year", "moment", 3], ["sparse", "integer", 3]]
    assert told[3:5] == [["half", "text", 2], ["month", "moment", 3]]


def test_objects_of_polars_are_texts_not_addresses(job):
    told, = job("""
import polars as pl
objects = pl.DataFrame({"any": pl.Series([{1}, None], dtype=pl.Object), "n": [1, 2]})
show([[c["type"], c["count"], [one["value"] for one in c["frequent"]]] for c in card(objects).to_json()["columns"]])
""")
    assert told == [["text", 1, ["{1}"]], ["integer", 2, [1, 2]]]


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
    assert "<iframe" in shown and 'sandbox="allow-scripts allow-downloads"' in shown


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
    assert said[2][1].startswith("profrender: the DataFrame: ")


def test_a_section_of_the_card_is_named_by_its_place(job):
    said, = job("""
try:
    profrender.sections("Card", df, program=card(df)._program).gantt(df).html
except profrender.Failed as error:
    show(str(error))
""")
    assert said.startswith("profrender: the card: section 2: ")


def test_repeated_rows_show_the_columns_that_a_schema_leaves(job):
    """Rows that are neither among the first nor the last get their texts late: by the column of the file, not of the
    card."""
    told, = job("""
rows = pd.DataFrame({"secret": 9, "n": [*range(500), *[777] * 100, *range(1000, 1400)], "m": 7})
show(card(rows, schema={"secret": "ignore"}).to_json()["duplicate_groups"])
""")
    assert [(group["count"], group["cells"]) for group in told] == [(100, [777, 7])]
