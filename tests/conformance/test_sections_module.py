# SPDX-License-Identifier: Apache-2.0
"""profrender.sections() of the Python module: frames, plots, pictures, code and plain lists in one card."""

import re

import pytest

HEAD = """
import os, tempfile
tempfile.tempdir = os.path.abspath("tmp")
os.mkdir("tmp")
def sections(*parts, **how):
    return profrender.sections("<Sales>", *parts, program=PROGRAM, **how)
"""


@pytest.fixture
def page(job, program, tmp_path):
    """`page(TEXT)` runs a script with `sections`, and what it shows; nothing is left of it."""
    def run(text, **how):
        said = job(HEAD.replace("PROGRAM", repr(str(program.path))) + text, **how)
        assert list((tmp_path / "tmp").iterdir()) == [], "left over"
        return said
    return run


def titles(page):
    return re.findall(r"<h2 class='part'>(.*?)</h2>", page)


ALL = """
made = sections()
made.markdown("What sold on *Monday*.").profile(df, "Orders").table(df, "Best", sort="real", descending=True, rows=2)
made.box(df, "By kind", value="real", by="kind")
made.gantt([{"task": "load", "from": 1, "to": 3}, {"task": "fit", "from": 3, "to": 9}], "Steps", start="from",
           finish="to", name="task", group="task")
made.source("print('</script>')", "Code", first_line=40)
"""


def test_each_method_is_a_section(page, tmp_path):
    shown, again, embedded = page(ALL + """
made.save("new/card.html")
show(made.html)
show(made._repr_html_())
show(made.markdown("more").html)
""")[0:3]
    assert titles(shown) == ["Notes", "Orders", "Best", "By kind", "Steps", "Code"]
    assert "<em>Monday</em>" in shown and "data-n='40'" in shown and "&lt;Sales&gt;" in shown
    assert "<script" not in shown and "print(&#39;&lt;/script&gt;&#39;)" in shown
    assert "sorted by" in shown and "the highest first" in shown
    assert (tmp_path / "new/card.html").read_text(encoding="utf-8") == shown
    assert "<iframe" in again and "sandbox=" in again
    assert titles(embedded)[-1] == "Notes 2", "what is added later is on the page that is made later"


@pytest.mark.parametrize("without", [[], ["pyarrow"]])
def test_tables_of_every_library_are_sections(page, without):
    polars = "__import__('polars').from_pandas(df)," if not without else ""
    shown, = page(f"""
df.to_csv("t.csv")
show(sections(df, {polars} [{{"a": 1}}, {{"b": "x"}}], {{"c": [1, 2]}}, pathlib.Path("t.csv")).html)
""", without=without)
    assert len(titles(shown)) == (4 if without else 5)
    assert shown.count("moment") >= (2 if without else 3)


def test_a_schema_reaches_its_table(page):
    both, = page("""
pathlib.Path("s.json").write_text('{"kind": "ignore"}')
show([sections().profile(df, schema=schema).html.count(">kind<") for schema in ({"kind": "ignore"}, "s.json", None)])
""")
    assert both[:2] == [0, 0] and both[2] > 0


PICTURES = """
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
from PIL import Image
figure, axes = plt.subplots()
axes.plot([1, 2, 3])
picture = Image.new("RGB", (8, 8), "red")
picture.save("red.gif")
class Drawn:
    def _repr_svg_(self): return "<svg xmlns='http://www.w3.org/2000/svg'/>"
made = sections(figure, axes, picture, pathlib.Path("red.gif").read_bytes())
made.image("red.gif", "Red", alt="red 'n' round").image(Drawn())
axes.set_title("later")
plt.close(figure)
show(made.html)
"""


def test_plots_and_pictures_are_images(page):
    shown, = page(PICTURES)
    images = re.findall(r"<img alt='(.*?)' src='data:(image/[a-z+]+);base64,", shown)
    assert [kind for _, kind in images] == ["image/png"] * 3 + ["image/gif"] * 2 + ["image/svg+xml"]
    assert images[4][0] == "red &#39;n&#39; round"


def test_a_function_shows_its_source(page):
    shown, = page("""
def best(rows):
    return max(rows)
show(sections().source(best).source(pathlib.Path("job.py"), "The job").html)
""")
    assert titles(shown) == ["best", "The job"]
    assert "return max(rows)" in shown and "import profrender" in shown


def test_what_is_no_section_is_an_error_where_it_is_added(page):
    said = page("""
for part in (3, [1, 2], [{"a": 1}, [2]], [], {"a": 3}, {"a": [1], "b": [1, 2]}):
    try:
        sections(part)
    except TypeError as error:
        show(str(error))
""")
    assert len(said) == 6
    assert "int" in said[0] and all("rows" in text for text in said[1:4]) and all("lists" in text for text in said[4:])


def test_a_reason_names_the_section(page):
    said = page("""
for make in (lambda: sections().box(df, value="nope"), lambda: sections("x").image(b"no image"), lambda: sections(),
             lambda: sections(df).gantt(df), lambda: sections().table(df), lambda: sections().table("no.csv")):
    try:
        show(make().html)
    except (profrender.Failed, OSError) as error:
        show([type(error).__name__, str(error)])
try:
    show(sections(redact=True).table(df).html)
except profrender.Failed as error:
    show(str(error))
""")
    assert [name for name, _ in said[:4]] == ["Failed"] * 4
    assert "section 1" in said[0][1] and "nope" in said[0][1]
    assert "section 2" in said[1][1] and "image" in said[1][1]
    assert "no section" in said[2][1]
    assert "section 2" in said[3][1] and "Start" in said[3][1]
    assert said[4].startswith("<!doctype html>")
    assert said[5][0] == "FileNotFoundError"
    assert "redact" in said[6]


def test_redacted_a_profile_has_no_values(page):
    shown, = page("show(sections(redact=True).profile(df.assign(text='secret-of-mine')).html)")
    assert "secret-of-mine" not in shown and "Values are left out" in shown


PLAIN = """
from collections import namedtuple
from dataclasses import dataclass
Row = namedtuple("Row", "a b")
@dataclass
class Made:
    a: int
    b: str
rows = [(1, "x"), (2, "y")]
for table in ([dict(zip("ab", row)) for row in rows], [Row(*row) for row in rows], [Made(*row) for row in rows],
              {"a": [1, 2], "b": ["x", "y"]}, [["a", "b"], *rows]):
    told = card(table).to_json()
    show([told["rows"], *([c["name"], c["type"]] for c in told["columns"])])
"""


def test_plain_lists_are_tables(job):
    assert job(PLAIN) == [[2, ["a", "integer"], ["b", "text"]]] * 5


def test_what_json_cannot_say_of_a_plain_list(job):
    told, = job("""
import datetime as dt, decimal
rows = [{"n": float("nan"), "i": float("inf"), "d": dt.date(2026, 1, 2), "e": decimal.Decimal("1.50"), 7: "\\ud800",
         "deep": {"x": [1]}}, {"n": 1.5, "i": 2, "d": dt.date(2026, 1, 3), "e": decimal.Decimal("2.25"), 7: "b"}]
loop = []; loop.append(loop); rows[1]["deep"] = loop
told = card(rows).to_json()
show({c["name"]: [c["type"], c["missing"]] for c in told["columns"]})
""")
    assert told == {"n": ["decimal", 1], "i": ["real", 0], "d": ["date", 0], "e": ["decimal", 0], "7": ["text", 0],
                    "deep": ["text", 0]}
