# SPDX-License-Identifier: Apache-2.0
"""Do Cramér's V and phi-k of `frame` agree with scipy's chi2 and with the package phik?

V to nine digits. phik solves for its result to within 1e-5, and sums the normal distribution with random points, so
phi-k is compared to 2e-5; tests/unit/frame has it against figures of thirty digits.
"""

import json
import math
import random
import subprocess
from pathlib import Path

import pytest
from test_frame import ENCODINGS, HERE, pandas, shipped  # noqa: F401 - a fixture

CLOSE = {"cramers_v": 1e-9, "phi_k": 2e-5}
NUMBERS = ("integer", "real", "decimal")
MOST_COLUMNS = 7  # phik takes a second for more
LEAST_TABLES = 20


def truth_of(python, documents):
    asked = [{"path": str(path), "separator": document["separator"], "header": document["header"],
              "encoding": ENCODINGS.get(document["encoding"], "utf-8"),
              "categories": document["correlations"]["cramers_v"]["columns"],
              "measured": document["correlations"]["phi_k"]["columns"],
              "numbers": [column for column in document["correlations"]["phi_k"]["columns"]
                          if document["columns"][column]["type"] in NUMBERS]}
             for path, document in documents.items()]
    done = subprocess.run([python, HERE / "frame_pairs_truth.py", json.dumps(asked)], capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(zip(documents, json.loads(done.stdout)))


def is_close(ours, theirs, most):
    if ours is None or theirs is None:
        return ours is theirs
    return math.isclose(ours, theirs, rel_tol=most, abs_tol=most)


def compare(program, python, paths, most_columns=MOST_COLUMNS):
    documents = {path: program("frame", "--json", "-q", path).json() for path in paths}
    documents = {path: document for path, document in documents.items()
                 if len(document["correlations"]["phi_k"]["columns"]) <= most_columns}
    for path, truth in truth_of(python, documents).items():
        for name, most in CLOSE.items():
            ours = documents[path]["correlations"][name]
            wrong = [(name, a, b, ours["values"][i][k], truth[name][i][k])
                     for i, a in enumerate(ours["columns"]) for k, b in enumerate(ours["columns"])
                     if i != k and not is_close(ours["values"][i][k], truth[name][i][k], most)]
            assert wrong == [], path
    return documents


def test_tables_that_packages_ship(program, pandas):  # noqa: F811
    documents = compare(program, pandas, shipped(pandas))
    assert sum(len(document["correlations"]["phi_k"]["columns"]) > 1 for document in documents.values()) >= LEAST_TABLES
    assert all(document["correlations"]["rows"] == document["rows"] for document in documents.values())


def rows_of(rng, count):
    for number in range(count):
        kind = rng.choice("abcdefg")
        size = rng.gauss(ord(kind), 2)
        yield [kind, kind.upper() if rng.random() < 0.7 else rng.choice("ABC"), rng.choice(["yes", "no", ""]),
               rng.choice(["True", "False", "TRUE", ""]), f"{size:.3f}" if rng.random() < 0.9 else "",
               f"{size * size + rng.gauss(0, 9):.2f}", rng.randrange(3), f"code {rng.randrange(25)}", "same",
               f"text {number}", rng.choice(["inf", "1.5", "2.5", "-7"]), "late" if number > count - 9 else ""]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    path, rng = tmp_path_factory.mktemp("pairs") / "mixed.csv", random.Random(11)
    path.write_text("kind,other,answer,flag,size,square,few,code,same,text,infinite,late\n" +
                    "".join(",".join(map(str, row)) + "\n" for row in rows_of(rng, 9000)))
    return path


def test_mixed_columns(program, pandas, mixed):  # noqa: F811
    found = compare(program, pandas, [mixed], most_columns=20)[mixed]["correlations"]
    assert found["cramers_v"]["columns"] == [0, 1, 2, 3, 7] and found["cramers_v"]["left_out"] == 0
    assert found["phi_k"]["columns"] == [0, 1, 2, 3, 4, 5, 6, 7, 10] and found["phi_k"]["left_out"] == 0
    assert found["phi_k"]["values"][0][4] > 0.5 and found["cramers_v"]["values"][0][1] > 0.5


def test_the_number_of_threads_changes_nothing(program, mixed):
    assert len({program("frame", "--json", "-q", "--jobs", str(jobs), mixed).out for jobs in (1, 2, 7)}) == 1


@pytest.mark.parametrize("bulky", ["numbers", "categories"])
def test_a_large_table_has_a_sample(program, tmp_path, bulky):
    """What leaves memory is sampled; the sample shows what all rows show, and is no different next time."""
    rng, path = random.Random(3), tmp_path / "large.csv"
    columns = 8 if bulky == "numbers" else 60
    rows = 480_000 if bulky == "numbers" else 150_000
    kinds = [(kind, "".join(f",{kind if n % 7 else rng.choice('xyz')}" for n in range(columns)))
             for kind in rng.choices("pqr", k=50)]
    with path.open("w") as out:
        out.write("kind" + "".join(f",c{n}" for n in range(columns)) + "\n")
        for number in range(rows):
            kind, rest = kinds[number % 50]
            if bulky == "numbers":
                rest = f",{number % 9973}" * columns
            out.write(f"{kind}{rest}\n")
    document = program("frame", "--json", "-q", path).json()
    found = document["correlations"]
    assert not document["exact"] and 16_000 < found["rows"] < rows
    if bulky == "numbers":
        assert found["phi_k"]["values"][1][2] == 1
        assert found["phi_k"]["values"][0][1] < 0.05
    else:
        assert found["phi_k"]["left_out"] > 0 and found["cramers_v"]["values"][0][2] > 0.99
    assert program("frame", "--json", "-q", path).json() == document


def test_columns_are_bounded(program, tmp_path):
    rng, path = random.Random(7), tmp_path / "wide.csv"
    with path.open("w") as out:
        out.write(",".join(f"c{n}" for n in range(50)) + "\n")
        for _ in range(1000):
            out.write(",".join(f"v{rng.randrange(30 if n % 2 else 99)}" for n in range(50)) + "\n")
    found = program("frame", "--json", "-q", path).json()["correlations"]
    assert 10 < len(found["phi_k"]["columns"]) < 40
    assert len(found["phi_k"]["columns"]) + found["phi_k"]["left_out"] == 50
    assert found["cramers_v"]["columns"] == found["phi_k"]["columns"]


def test_estimates_are_said_to_be_estimates_on_the_page(program, mixed, tmp_path):
    page = tmp_path / "page.html"
    program("frame", "-q", mixed, "-o", page)
    html = Path(page).read_text(encoding="utf-8")
    assert "phi-k and Cramér’s V: 0 where" in html and "Cramér’s V" in html and "from a sample" not in html


CHARTS = """
import json, sys
import numpy, pandas
table = pandas.read_csv(sys.argv[1])
both = table[["size", "square"]].dropna().to_numpy()
ranges = [(column.min(), column.max()) for column in (table["size"].dropna(), table["square"].dropna())]
points = numpy.histogram2d(both[:, 0], both[:, 1], bins=[40, 25], range=ranges)[0].T
cross = pandas.crosstab(table.other, table.kind)
by = table[["kind", "size"]].dropna().groupby("kind")["size"].quantile([0, .25, .5, .75, 1]).unstack()
print(json.dumps({"points": points.astype(int).tolist(), "cross": {y: {x: int(cross.loc[y, x]) for x in cross.columns}
                                                                    for y in cross.index},
                  "boxes": {kind: list(row) for kind, row in zip(by.index, by.to_numpy())}}))
"""


def test_charts_are_those_of_numpy_and_pandas(program, pandas, mixed):  # noqa: F811
    done = subprocess.run([pandas, "-c", CHARTS, mixed], capture_output=True, text=True, check=True)
    truth = json.loads(done.stdout)
    asked = [word for pair in ("size,square", "kind,other", "kind,size", "few,size") for word in ("--pairs", pair)]
    points, cross, boxes, few = program("frame", "--json", "-q", mixed, *asked).json()["pairs"]
    assert [pair["kind"] for pair in (points, cross, boxes, few)] == ["points", "categories", "boxes", "points"]
    assert points["counts"] == truth["points"] and sum(map(sum, points["counts"])) == points["rows"]
    ours = {y: dict(zip(cross["x_labels"], row)) for y, row in zip(cross["y_labels"], cross["counts"])}
    assert ours == truth["cross"]
    assert cross["rows_left_out"] == 0
    for box in boxes["boxes"]:
        ours = [box[key] for key in ("min", "25%", "50%", "75%", "max")]
        assert all(map(lambda a, b: is_close(a, b, 1e-9), ours, truth["boxes"][box["category"]])), box
    assert len(boxes["boxes"]) == 7 and boxes["x"] == 4 and boxes["y"] == 0
    assert few["x_range"] == [-0.5, 2.5] and len(few["counts"][0]) == 3


def test_the_pairs_that_depend_most_have_charts(program, mixed):
    document = program("frame", "--json", "-q", mixed).json()
    found = [max(abs(pair["pearson"] or 0), pair["phi_k"]) for pair in document["pairs"]]
    assert len(found) == 4 and found == sorted(found, reverse=True)
    values, columns = document["correlations"]["phi_k"]["values"], document["correlations"]["phi_k"]["columns"]
    chosen = {(pair["x"], pair["y"]) for pair in document["pairs"]}
    rest = [value for i, row in enumerate(values) for k, value in enumerate(row[:i])
            if not chosen & {(columns[i], columns[k]), (columns[k], columns[i])}]
    assert max(rest) <= found[-1]


def test_dates_of_a_large_table_are_left_out_and_named(program, tmp_path):
    path = tmp_path / "large.csv"
    with path.open("w") as out:
        out.write("at,a,b,c\n")
        for number in range(800_000):
            out.write(f"2026-01-{number % 28 + 1:02},{number % 7},{number % 11},{number % 13}\n")
    document = program("frame", "--json", "-q", path, "--pairs", "at,a", "--pairs", "a,b").json()
    assert document["pairs_left_out"] == 1
    assert document["pairs"][0]["rows"] == document["correlations"]["rows"] < 800_000
