# SPDX-License-Identifier: Apache-2.0
"""Does `frame` find in tables what pandas finds in them?

The tables are those that scikit-learn and statsmodels ship as CSV files, and made ones with every oddity. Counts must
be equal, and so must figures, to nine digits; estimates must be within the bounds that they state.
"""

import collections
import csv
import fractions
import itertools
import json
import math
import random
import subprocess
from pathlib import Path

import pytest

from packages import environment

HERE = Path(__file__).resolve().parent
ENCODINGS = {"Windows-1252": "cp1252", "UTF-16LE": "utf-16", "UTF-16BE": "utf-16"}
# Notes above the table, which are no part of it: pandas refuses both.
NOT_TABLES = ("macrodata/src/unemp.csv", "scotland/src/scotland_population.csv")
LEAST_TABLES = 35
DIGITS = 1e-9


@pytest.fixture(scope="module")
def pandas():
    folder = environment("frames")
    assert folder, "pandas cannot be installed"
    return folder / "python"


def shipped(python):
    found = sorted(python.parent.parent.glob("lib/python*/site-packages/*/datasets/**/*.csv"))
    return [path for path in found if not str(path).endswith(NOT_TABLES)]


def truth_of(python, tables):
    """What pandas says of {path: document}, in their order."""
    asked = [{"path": str(path), "separator": document["separator"], "header": document["header"],
              "encoding": ENCODINGS.get(document["encoding"], "utf-8")} for path, document in tables.items()]
    done = subprocess.run([python, "-W", "ignore", HERE / "frame_truth.py", json.dumps(asked)], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def is_close(ours, theirs):
    if ours is None or theirs is None:
        return ours is theirs
    return math.isclose(ours, theirs, rel_tol=DIGITS, abs_tol=1e-12)


def wrong_in_numbers(ours, theirs):
    exact = ("iqr", "mad") if ours["rank_error"] == 0 else ()
    wrong = [f"{key}: {ours[key]} {theirs[key]}"
             for key in ("mean", "sum", "std", "variance", "skewness", "kurtosis", "range", "cv", *exact)
             if not is_close(ours[key], theirs[key])]
    for name, value in theirs["quantiles"].items():
        if ours["rank_error"] == 0 and not is_close(ours["quantiles"][name], value):
            wrong.append(f"{name}: {ours['quantiles'][name]} {value}")
    return wrong


def wrong_in_words(ours, count, most):
    wrong = [] if ours["words"] == count else [f"words: {ours['words']} {count}"]
    return wrong + [f"word: {word} {most.get(word['value'])}" for word in ours["frequent_words"]
                    if not word["count"] <= most.get(word["value"], word["count"]) <= word.get("at_most",
                                                                                               word["count"])]


def wrong_in_characters(lengths, ours, theirs):
    off = lengths.get("median_error", 0)
    if lengths["median"] is None:
        return [] if not ours else [f"of texts the median length is known: {lengths}"]
    wrong = [] if abs(lengths["median"] - theirs["median"]) <= off else [f"median length: {lengths} {theirs['median']}"]
    if not ours:
        return wrong
    if ours["more"] and not ours["different"] <= theirs["different"] or (
            not ours["more"] and ours["different"] != theirs["different"]):
        wrong.append(f"different characters: {ours['different']} {theirs['different']}")
    if not ours["sampled"]:
        wrong += [f"character: {one}" for one in ours["frequent"] if one["count"] != theirs["counts"].get(one["value"])]
        if [one["count"] for one in ours["frequent"]] != sorted(theirs["counts"].values(), reverse=True)[:10]:
            wrong.append(f"most frequent characters: {ours['frequent']}")
    return wrong


def wrong_in_column(ours, theirs):
    wrong = []
    if ours["missing"] != theirs["missing"]:
        wrong.append(f"missing: {ours['missing']} {theirs['missing']}")
    if not ours["distinct"]["low"] <= theirs["distinct"] <= ours["distinct"]["high"]:
        wrong.append(f"distinct: {ours['distinct']} {theirs['distinct']}")
    for value in ours["frequent"][:1]:
        if not value["count"] <= theirs["highest_count"] <= value.get("at_most", value["count"]):
            wrong.append(f"most frequent: {value} {theirs['highest_count']}")
    is_number = ours["type"] in ("integer", "real", "decimal")
    if is_number != (theirs["numbers"] is not None):
        wrong.append(f"type: {ours['type']}")
    elif is_number:
        wrong += wrong_in_numbers(ours["numbers"], theirs["numbers"])
        if ours["numbers"]["order"] not in (theirs["order"], None):
            wrong.append(f"order: {ours['numbers']['order']} {theirs['order']}")
    if "lengths" in ours and theirs["characters"]:
        wrong += wrong_in_characters(ours["lengths"], ours.get("characters"), theirs["characters"])
    if "words" in ours:
        wrong += wrong_in_words(ours, *theirs["words"])
    return [f"{ours['name']}: {text}" for text in wrong]


def wrong_in_correlations(ours, theirs, name):
    at = {column: place for place, column in enumerate(theirs["numeric"])}
    return [f"{name} of {a} and {b}: {ours[name][i][k]} {theirs[name][at[a]][at[b]]}"
            for i, a in enumerate(ours["columns"]) for k, b in enumerate(ours["columns"])
            if i != k and not is_close(ours[name][i][k], theirs[name][at[a]][at[b]])
            and abs((ours[name][i][k] or 0) - (theirs[name][at[a]][at[b]] or 0)) > 1e-11]


def wrong_in_table(ours, theirs):
    wrong = []
    if ours["rows"] != theirs["rows"] or len(ours["columns"]) != len(theirs["columns"]):
        return [f"{ours['rows']} x {len(ours['columns'])}, not {theirs['rows']} x {len(theirs['columns'])}"]
    if not ours["duplicates"]["low"] <= theirs["repeated"] <= ours["duplicates"]["high"]:
        wrong.append(f"repeated rows: {ours['duplicates']} {theirs['repeated']}")
    groups = [group["count"] for group in ours["duplicate_groups"]]
    if groups != theirs["groups"] and ours["duplicates"]["low"] == ours["duplicates"]["high"]:
        wrong.append(f"groups of repeated rows: {groups} {theirs['groups']}")
    for column, truth in zip(ours["columns"], theirs["columns"]):
        wrong += wrong_in_column(column, truth)
    for name in {"pearson", "spearman", "kendall"} & set(ours["correlations"]):
        wrong += wrong_in_correlations(ours["correlations"], theirs, name)
    return wrong


def compare(program, python, paths):
    tables = {}
    for path in paths:
        done = program("frame", "--json", "-q", path)
        assert done.status == 0, done
        tables[path] = done.json()
    for (path, document), truth in zip(tables.items(), truth_of(python, tables)):
        assert wrong_in_table(document, truth) == [], path
    return tables


def test_tables_that_packages_ship(program, pandas):
    tables = compare(program, pandas, shipped(pandas))
    assert len(tables) >= LEAST_TABLES
    assert all(document["exact"] for document in tables.values())
    for name in ("spearman", "kendall"):
        assert sum(len(document["correlations"].get(name, [])) > 1 for document in tables.values()) > 20


def odd_rows(rng, count):
    for number in range(count):
        yield [number, f"id-{rng.randrange(10**9)}", rng.choice(["a", "b", "", "NA", "c, d", 'e "f"', "g\nh"]),
               rng.choice(["1", "1.0", "1.00", "2", "nan"]), rng.gauss(1e4, 1), rng.expovariate(1e-6),
               rng.choice(["True", "False"]), rng.choice(["0", "", "-0.0", "0.0"]), "same",
               rng.randrange(2**62, 2**63 - 1), rng.choice([math.inf, -math.inf, 1.5, 2.5]), "",
               rng.choice(["M\u00fcller", "S\u00f8ren", "\u5317\u4eac", "\U0001f600"]), f"{rng.uniform(0, 9):.2f}",
               1e-300 * rng.random(), 3 if number else "x"]


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("odd"), random.Random(5)
    header = [f"column {n}" for n in range(16)]
    forms = [("comma", ",", "\n", "utf-8", 3000), ("tab", "\t", "\r\n", "utf-16", 500),
             ("semicolon", ";", "\r\n", "utf-8-sig", 700), ("one", ",", "\n", "utf-8", 1)]
    for name, separator, end, encoding, count in forms:
        with (folder / f"{name}.csv").open("w", encoding=encoding, newline="") as out:
            writer = csv.writer(out, delimiter=separator, lineterminator=end)
            writer.writerow(header)
            writer.writerows(odd_rows(rng, count))
    latin = "name,number\n" + "".join(f"M\u00fcller {n % 7},{n}\n" for n in range(300))
    (folder / "latin.csv").write_bytes(latin.encode("cp1252"))
    (folder / "repeated.csv").write_text("a,b\n" + "1,x\n2,y\n1.0,x\n" * 50)
    (folder / "booleans.csv").write_text("yes,number,text\n" + "".join(
        f"{word},{2 * n + (word == 'TRUE')},{text}\n" for n in range(40) for word, text in zip(
            ("True", "TRUE", "false", "true", "False", "", "FALSE"), ("True", "TRUE", "maybe", "x", "x", "true", "x"))))
    (folder / "only_header.csv").write_text("a,b,c\n")
    return folder


def test_tables_with_every_oddity(program, pandas, odd):
    tables = compare(program, pandas, sorted(odd.glob("*.csv")))
    assert {document["encoding"] for document in tables.values()} == {"UTF-8", "UTF-16LE", "Windows-1252"}


def test_booleans_are_two_however_they_are_written(program, odd, tmp_path):
    path = odd / "booleans.csv"
    document = program("frame", "--json", "-q", "--pairs", "yes,text", path).json()
    truth, _, text = document["columns"]
    assert (truth["type"], truth["distinct"]["value"]) == ("boolean", 2)
    assert truth["frequent"] == [{"value": "false", "count": 120}, {"value": "true", "count": 120}]
    assert {one["value"] for one in text["frequent"]} == {"True", "TRUE", "maybe", "x", "true"}
    assert sorted(document["pairs"][0]["x_labels"] + document["pairs"][0]["y_labels"]) == sorted(
        ["true", "false", "True", "TRUE", "maybe", "x"])
    boxes = program("frame", "--json", "-q", path, "--as", "box", "--value", "number", "--by", "yes").json()
    assert [box["category"] for box in boxes["boxes"]] == ["true", "false", None]
    other = tmp_path / "other.csv"
    other.write_text(path.read_text().replace("TRUE,", "true,"))
    assert program("check", "--frame", other, "--baseline", path, "--rule", "yes: no new category").status == 0


ONE_VALUE = {"number": ("1", "1.0", "01", "+1", "1e0", "1.50", "1.5", "-0", "0", "0.0", "1000000", "1e6"),
             "boolean": ("True", "TRUE", "true", "False", "false"),
             "date": ("2024-01-05", "2024-01-05 00:00:00", "2024-01-05T00:00:00", "1970-01-01", "0", "1704412800000000",
                      "2024-01-05 12:00:00", "2024-01-05 12:00:00.0", "2024-01-05 12:00+00")}
FIRST_TEXTS = [0, 3000, None]


@pytest.fixture(scope="module")
def one_value(program, pandas, tmp_path_factory):
    """{(kind, first_text): (what the program finds, what is wrong of that)} of tables with equal values in other words.
    One column is of texts from first_text on, and the others are what they look like."""
    folder, tables = tmp_path_factory.mktemp("one value"), {}
    for kind, first_text in itertools.product(ONE_VALUE, FIRST_TEXTS):
        rng, path = random.Random(f"{kind} {first_text}"), folder / f"{kind}-{first_text}.csv"
        with path.open("w") as out:
            out.write("text,number,truth\n")
            for row in range(4000):
                is_text = first_text is not None and row >= first_text and row % 7 == 0
                out.write(f"{'x' if is_text else rng.choice(ONE_VALUE[kind])},{rng.choice(ONE_VALUE['number'])},"
                          f"{rng.choice(ONE_VALUE['boolean'])}\n")
        tables[kind, first_text] = path
    documents = {path: program("frame", "--json", "-q", path).json() for path in tables.values()}
    truths = dict(zip(documents, truth_of(pandas, documents)))
    return {key: (documents[path], wrong_in_table(documents[path], truths[path])) for key, path in tables.items()}


@pytest.mark.parametrize("kind", ONE_VALUE)
@pytest.mark.parametrize("first_text", FIRST_TEXTS)
def test_repeated_rows_are_equal_texts_in_a_text_and_equal_values_in_other_columns(one_value, kind, first_text):
    document, wrong = one_value[kind, first_text]
    assert document["duplicates"]["low"] == document["duplicates"]["high"] and document["exact"]
    if kind != "date" or first_text is not None:  # to pandas, dates are texts
        assert wrong == []


def test_repeated_rows_of_a_column_that_turns_out_to_be_of_texts_late_are_a_number(program, pandas, tmp_path):
    """Where the text does not follow from the value, a file is read again. A pipe has a bound, as sampled rows have."""
    rng, documents = random.Random(12), {}
    for name, odd, rows, keys in (("plain", ("1", "1.5", "-7", "2024"), 30_000, 900),
                                  ("day", ("2024-01-05", "2024-01-05 12:30:00"), 30_000, 900),
                                  ("odd", ("1", "1.0", "2.50", "2.5"), 30_000, 900),
                                  ("sampled", ("True", "TRUE", "1", "1.0"), 600_000, 400_000)):
        path = tmp_path / f"{name}.csv"
        with path.open("w") as out:
            out.write("key,text\n")
            for row in range(rows):
                out.write(f"{rng.randrange(keys)},{'x' if row == 20_000 else rng.choice(odd)}\n")
        documents[path] = program("frame", "--json", "-q", path).json()
    for (path, document), truth in zip(documents.items(), truth_of(pandas, documents)):
        name = path.stem
        assert wrong_in_table(document, truth) == [], name
        assert (document["duplicates"]["low"] == document["duplicates"]["high"]) == (name != "sampled"), name
        assert document["exact"] == (name != "sampled"), name
        assert document["duplicate_groups_sampled"] == (name == "sampled"), name
        packed = tmp_path / f"{name}.csv.gz"
        subprocess.run(["gzip", "-c", path], stdout=packed.open("wb"), check=True)
        with path.open("rb") as file:
            for other in (program("frame", "--json", "-q", packed).json(),
                          program("frame", "--json", "-q", "-", stdin=file).json()):
                assert {**other, "source": ""} == {**document, "source": ""}, name
        piped = program("frame", "--json", "-q", "-", input=path.read_bytes()).json()
        repeated = document["duplicates"]["value"]
        assert (piped["duplicates"]["low"] == piped["duplicates"]["high"]) == (name in ("plain", "day")), name
        assert name == "sampled" or piped["duplicates"]["low"] <= repeated <= piped["duplicates"]["high"], name


DATES = {
    "years": ([f"{year}-01-01" for year in range(1970, 2000)], 0),
    "years before": ([f"{year}-01-01" for year in range(1890, 1980) for _ in range(3)], 0),
    "days of two years": ([f"19{69 + n // 360}-{n // 30 % 12 + 1:02}-{n % 30 % 28 + 1:02}" for n in range(720)], 0),
    "born": ([f"{1930 + n % 50}-{n % 12 + 1:02}-{n % 28 + 1:02}" for n in range(900)], 0),
    "born, or unknown": ([f"{1930 + n % 50}-{n % 12 + 1:02}-{n % 28 + 1:02}" for n in range(900)]
                         + ["1970-01-01"] * 60, 61),
    "years of birth alone": ([f"{1930 + n % 50}-01-01" if n % 3 else f"{1930 + n % 50}-{n % 9 + 1:02}-07"
                              for n in range(900)], 0),
    "new": ([f"2026-{n % 12 + 1:02}-{n % 28 + 1:02}" for n in range(100)] + ["1970-01-01", "9999-12-31"], 2),
    "two": (["1970-01-01", "2024-05-01"], 1),
    "nothing else": (["1900-01-01"] * 5, 5),
    "times of a day": ([f"1970-01-01 {n % 24:02}:00:00" for n in range(50)], 0),
}


def suspicious_in(program, path, dates, more=0):
    path.write_text("day" + ",x" * more + "\n" + "".join(f"{day}{',1' * more}\n" for day in dates))
    document = program("frame", "--json", "-q", path).json()
    return document["exact"], [finding["text"].split(" that ")[0] for finding in document["findings"]
                               if finding["kind"] == "suspicious_dates"]


@pytest.mark.parametrize("name", DATES)
def test_dates_that_fit_their_neighbours_are_not_suspicious(program, tmp_path, name):
    dates, wanted = DATES[name]
    texts = [f"has {wanted} date{'s' * (wanted > 1)}"] if wanted else []
    assert suspicious_in(program, tmp_path / "t.csv", dates) == (True, texts)


@pytest.mark.parametrize("name", ["years before", "born, or unknown", "new"])
def test_the_same_dates_are_suspicious_in_a_table_whose_numbers_are_sampled(program, tmp_path, name):
    dates, wanted = DATES[name]
    times = 300_000 // len(dates)
    texts = [f"has {wanted * times:,} dates"] if wanted else []
    assert suspicious_in(program, tmp_path / "t.csv", dates * times, 10) == (False, texts)


def test_columns_that_say_the_same_are_a_finding_each_with_the_others(program, tmp_path):
    rng, path = random.Random(4), tmp_path / "alike.csv"
    rows = [[size := rng.random(), 2 * size + rng.random() / 3, size + rng.random() * 4, math.exp(30 * size),
             kind := rng.choice("abc"), kind.upper() if rng.random() < 0.97 else "A", rng.choice("xyz")]
            for _ in range(400)]
    with path.open("w", newline="") as out:
        csv.writer(out).writerows([["size", "twice", "loose", "steep", "kind", "Kind", "other"], *rows])
    findings = program("frame", "--json", "-q", path).json()["findings"]
    found = [(finding["column"], finding["text"].rsplit(" ", 1)[0])
             for finding in findings if finding["kind"] == "correlated"]
    assert found == [("size", "is highly correlated with \u201csteep\u201d and 1 more: Spearman"),
                     ("twice", "is highly correlated with \u201csteep\u201d: Spearman"),
                     ("kind", "is highly correlated with \u201cKind\u201d: Cram\u00e9r's V")]


def test_estimates_of_a_large_table_are_within_their_bounds(program, pandas, tmp_path):
    rng, path = random.Random(9), tmp_path / "large.csv"
    with path.open("w") as out:
        out.write("id,normal,key,text\n")
        for number in range(400_000):
            out.write(f"{number},{rng.gauss(0, 1):.6f},{int(rng.paretovariate(1))},v{rng.randrange(300_000)}\n")
    document = compare(program, pandas, [path])[path]
    assert document["columns"][0]["unique"]
    assert document["columns"][2]["frequent"][0]["value"] == 1


def test_packed_and_piped_tables_are_the_same(program, odd, tmp_path):
    plain = program("frame", "--json", "-q", odd / "comma.csv").json()
    packed = tmp_path / "comma.csv.gz"
    subprocess.run(["gzip", "-c", odd / "comma.csv"], stdout=packed.open("wb"), check=True)
    for document in (program("frame", "--json", "-q", packed).json(),
                     program("frame", "--json", "-q", "-", input=(odd / "comma.csv").read_bytes()).json()):
        assert {**document, "source": ""} == {**plain, "source": ""}


def exact_figures(values):
    """By fractions: pandas itself loses digits of numbers that are far from 0 and near to one another."""
    values = [fractions.Fraction(value) for value in values]
    n, mean = len(values), sum(values) / len(values)
    m2, m3, m4 = (sum((value - mean) ** power for value in values) for power in (2, 3, 4))
    shared = fractions.Fraction(n - 1, (n - 2) * (n - 3))
    return {"mean": float(mean), "variance": float(m2 / (n - 1)),
            "skewness": n * math.sqrt(n - 1) / (n - 2) * float(m3) / float(m2) ** 1.5,
            "kurtosis": float(n * (n + 1) * shared * m4 / m2**2 - 3 * (n - 1) * shared)}


def exact_pearson(x, y):
    mean_x, mean_y = (fractions.Fraction(sum(side), len(side)) for side in (x, y))
    both = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
    return float(both) / math.sqrt(sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y))


@pytest.mark.parametrize("rows", [40, 9000])
@pytest.mark.parametrize("holes", [False, True])
def test_numbers_far_from_0_and_near_to_one_another_lose_no_digits(program, tmp_path, rows, holes):
    """Times in microseconds and keys of 16 digits are: the sum of a batch, and its mean, lack their last digits."""
    rng, path = random.Random(rows), tmp_path / "t.csv"
    x = [10**15 + int(rng.expovariate(0.1)) for _ in range(rows)]
    y = [-(10**15) - value % 97 + rng.randrange(40) for value in x]
    lacks = [holes and row % 9 == 4 for row in range(rows)]
    path.write_text("x,y\n" + "".join(f"{a},{'' if lack else b}\n" for a, b, lack in zip(x, y, lacks)))
    document = program("frame", "--json", "-q", path).json()
    there = [value for value, lack in zip(y, lacks) if not lack]
    for column, values in zip(document["columns"], (x, there)):
        for name, truth in exact_figures(values).items():
            assert math.isclose(column["numbers"][name], truth, rel_tol=DIGITS), (column["name"], name, truth)
    truth = exact_pearson([value for value, lack in zip(x, lacks) if not lack], there)
    assert math.isclose(document["correlations"]["pearson"][0][1], truth, rel_tol=DIGITS)


def test_figures_do_not_depend_on_how_much_a_read_gives(program, tmp_path):
    """To the last digit: a table of several windows as a file, packed, and from a pipe in pieces of any size."""
    rng, path, packed = random.Random(3), tmp_path / "t.csv", tmp_path / "t.csv.gz"
    with path.open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\r\n")
        writer.writerow(["number", "text", "long"])
        writer.writerows([rng.gauss(0, 1), rng.choice(["a, b", 'c "d" e', "two\nlines", "x" * rng.randrange(60)]),
                          "y" * rng.randrange(100_000) if row % 3000 == 0 else "z"] for row in range(120_000))
    subprocess.run(["gzip", "-c", path], stdout=packed.open("wb"), check=True)
    plain = {**program("frame", "--json", "-q", path).json(), "source": ""}
    assert {**program("frame", "--json", "-q", packed).json(), "source": ""} == plain
    with subprocess.Popen([program.path, "frame", "--json", "-q", "-"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as piped:
        with piped.stdin, path.open("rb") as content:  # it prints nothing before the end of its input
            while piece := content.read(rng.choice([7, 1000, 30_000, 60_000])):
                piped.stdin.write(piece)
                piped.stdin.flush()
        assert {**json.loads(piped.stdout.read()), "source": ""} == plain


BOXES = """
import json, sys
import numpy
import pandas
table = pandas.read_csv(sys.argv[1])
def box(values):
    values = numpy.sort(values.dropna().to_numpy(float))
    first, median, third = numpy.percentile(values, [25, 50, 75])
    reach = 1.5 * (third - first)
    inside = values[(values >= first - reach) & (values <= third + reach)]
    return [len(values), values[0], inside[0], first, median, third, inside[-1], values[-1],
            int((values < first - reach).sum()), int((values > third + reach).sum())]
print(json.dumps({"all": {name: box(table[name]) for name in sys.argv[2].split(",")},
                  "by": {name: box(part[sys.argv[3]]) for name, part in table.groupby(sys.argv[4])}}))
"""
BOX_FIELDS = ("count", "min", "low", "25%", "50%", "75%", "high", "max", "below", "above")


def test_boxes_are_those_of_numpy(program, pandas, tmp_path):
    rng, path = random.Random(3), tmp_path / "boxes.csv"
    with path.open("w") as out:
        out.write("kind,a,b\n")
        for _ in range(20_000):
            number = rng.choice(["", "1", "2", "-50", "99"])
            out.write(f"{rng.choice('wxyz')},{rng.lognormvariate(0, 1):.6f},{number}\n")
    done = subprocess.run([pandas, "-c", BOXES, path, "a,b", "a", "kind"], capture_output=True, text=True, check=True)
    truth = json.loads(done.stdout)
    whole = program("frame", "-q", "--json", "--as", "box", path).json()
    for box in whole["boxes"]:
        name = whole["columns"][box["column"]]["name"]
        assert all(map(is_close, [box[field] for field in BOX_FIELDS], truth["all"][name])), name
    parts = program("frame", "-q", "--json", "--as", "box", "--value", "a", "--by", "kind", path).json()["boxes"]
    assert {box["category"] for box in parts} == set("wxyz")
    for box in parts:
        assert all(map(is_close, [box[field] for field in BOX_FIELDS], truth["by"][box["category"]])), box


def test_a_sorted_table_has_the_rows_that_pandas_has(program, pandas, tmp_path):
    rng, path = random.Random(4), tmp_path / "sort.csv"
    with path.open("w") as out:
        out.write("number,text\n")
        for _ in range(30_000):
            number = rng.choice(["", rng.randrange(5000), -rng.randrange(5000)])
            out.write(f"{number},{rng.choice(['', 'b', 'a', 'Z'])}\n")
    for column in ("number", "text"):
        for descending in (False, True):
            script = f"""import json, pandas
t = pandas.read_csv({str(path)!r}).sort_values({column!r}, ascending={not descending}, kind="stable")
print(json.dumps([int(n) + 1 for n in t.index[:700]]))"""
            wanted = json.loads(subprocess.run([pandas, "-c", script], capture_output=True, check=True).stdout)
            more = ["--descending"] if descending else []
            rows = program("frame", "-q", "--json", "--as", "table", "--rows", "700", "--sort", column, *more,
                           path).json()["table"]["rows"]
            assert [row["number"] for row in rows] == wanted, (column, descending)


DISTANCES = """
import json, sys
import numpy, pandas
a, b = (pandas.read_csv(path) for path in sys.argv[1:3])
def smirnov(x, y):
    x, y = numpy.sort(x.dropna()), numpy.sort(y.dropna())
    at = numpy.concatenate([x, y])
    below = [numpy.searchsorted(one, at, "right") / len(one) for one in (x, y)]
    return float(numpy.abs(below[0] - below[1]).max())
def jensen(x, y):
    x, y = (one.value_counts(normalize=True) for one in (x, y))
    x, y = (one.reindex(sorted(set(x.index) | set(y.index)), fill_value=0).to_numpy() for one in (x, y))
    half = (x + y) / 2
    parts = [(one[one > 0] * numpy.log2(one[one > 0] / half[one > 0])).sum() for one in (x, y)]
    return float(numpy.sqrt(sum(parts) / 2))
print(json.dumps({"number": smirnov(a.number, b.number), "kind": jensen(a.kind, b.kind)}))
"""


def drawn(path, seed, shift, kinds, rows):
    rng = random.Random(seed)
    with path.open("w") as out:
        out.write("number,kind\n")
        for _ in range(rows):
            number = "" if rng.random() < 0.1 else f"{rng.gauss(shift, 1):.3f}"
            out.write(f"{number},{rng.choice(kinds)}\n")
    return path


def test_distances_are_those_of_numpy_and_mean_what_they_say(program, pandas, tmp_path):
    one = drawn(tmp_path / "one.csv", 1, 0, "abcd", 4000)
    for name, shift, kinds, rows, moved in (("same", 0, "abcd", 3000, False), ("moved", 0.6, "aabcde", 3000, True),
                                            ("far", 50, "xyz", 500, True)):
        other = drawn(tmp_path / f"{name}.csv", 7, shift, kinds, rows)
        document = program("frame", "diff", "-q", "--json", one, other).json()
        done = subprocess.run([pandas, "-c", DISTANCES, one, other], capture_output=True, check=True)
        truth = json.loads(done.stdout)
        for column in document["columns"]:
            assert is_close(column["distance"], truth[column["name"]]), (name, column)
            assert column["error"] == 0 and column["moved"] == moved, (name, column)


def test_chance_alone_seldom_moves_a_distribution(program, tmp_path):
    names = [f"c{number}" for number in range(400)]
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for seed, path in enumerate(paths):
        rng = random.Random(seed)
        rows = [",".join([str(rng.random()) if number % 2 else rng.choice("abcdefgh") for number in range(400)])
                for _ in range(40)]
        path.write_text("\n".join([",".join(names), *rows]) + "\n")
    columns = program("frame", "diff", "-q", "--json", *paths).json()["columns"]
    assert sum(column["measure"] is not None for column in columns) == 400
    assert sum(column["moved"] for column in columns) <= 3
    assert sum(column["distance"] > 0.1 for column in columns) > 200


ARROW = """
import datetime, random, sys
import pyarrow
from pyarrow import csv, ipc
rng, start = random.Random(1), datetime.datetime(2026, 1, 1)
times = [start + datetime.timedelta(seconds=number) for number in range(3000)]
ends = [None if number == 50 else at + datetime.timedelta(seconds=3, microseconds=7) for number, at in enumerate(times)]
table = pyarrow.table({
    "Name": [f"step {number % 7}" for number in range(3000)], "Start": pyarrow.array(times, pyarrow.timestamp("us")),
    "Finish": pyarrow.array(ends, pyarrow.timestamp("us")),
    "group": pyarrow.array([number % 4 for number in range(3000)], pyarrow.int8()),
    "value": [rng.gauss(0, 1) for _ in range(3000)]})
with ipc.new_file(sys.argv[1], table.schema) as out:
    out.write_table(table)
csv.write_csv(table, sys.argv[2])
"""


def test_rows_boxes_and_bars_of_arrow_are_those_of_csv(program, pandas, tmp_path):
    paths = [tmp_path / "steps.arrow", tmp_path / "steps.csv"]
    subprocess.run([pandas, "-c", ARROW, *paths], check=True)
    for member, words in (("boxes", ["box", "--value", "value", "--by", "group"]),
                          ("gantt", ["gantt", "--group", "group"]),
                          ("table", ["table", "--sort", "value", "--rows", "700"])):
        arrow, text = [program("frame", "-q", "--json", path, "--as", *words).json()[member] for path in paths]
        if member == "table":
            arrow, text = [[(row["number"], row["cells"][0], row["cells"][3:]) for row in one["rows"]]
                           for one in (arrow, text)]
        assert arrow == text and len(arrow) > 3, member


def test_any_number_of_jobs_writes_the_same_bytes(program, pandas, tmp_path):
    paths = [tmp_path / "large.arrow", tmp_path / "large.csv"]
    subprocess.run([pandas, "-c", ARROW.replace("3000", "60000"), *paths], check=True)
    for path in paths:
        for words in ([], ["--as", "table", "--sort", "value"], ["--as", "box", "--value", "value"]):
            one, *others = [program("frame", "-q", "--json", path, *words, "--jobs", jobs).bytes
                            for jobs in ("1", "2", "5")]
            assert others == [one, one] and len(one) > 1000, (path, words)


def test_words_are_those_that_pandas_counts(program, pandas, tmp_path):
    """Of few values at the end, of more than are kept as they come, of long ones, and none of single words."""
    rng, path = random.Random(6), tmp_path / "t.csv"
    common = ["The", "the", "(and)", "\u00c4rger", "\u00e4rger,", "\u041c\u0418\u0420", "\u043c\u0438\u0440.", "don't",
              "--", "\u0141\u00f3d\u017a"]
    with path.open("w", newline="") as out:
        write = csv.writer(out).writerow
        write(["few", "many", "long", "single", "mixed"])
        for row in range(20_000):
            words = " ".join(rng.choice(common) for _ in range(3))
            write([f"{rng.choice(common)} {row % 7}", f"{words}\n{row} z{rng.randrange(300)}",
                   ("x" * 250 + " end of it ") * (1 + row % 2), f"id-{row}",
                   row if row < 9000 else f"{rng.choice(common)} {row % 50} more"])
    columns = compare(program, pandas, [path])[path]["columns"]
    assert ["words" in column for column in columns] == [True, True, True, False, False]
    assert [len(column.get("frequent_words", ())) for column in columns] == [10, 10, 4, 0, 0]
    assert "at_most" not in columns[0]["frequent_words"][0] and "at_most" in columns[1]["frequent_words"][0]
    assert {word["value"] for word in columns[0]["frequent_words"]} >= {"the", "\u00e4rger", "\u043c\u0438\u0440"}
    hidden = program("frame", "--json", "-q", "--redact", "values", path).json()["columns"]
    assert all(word["value"] is None for column in hidden for word in column.get("frequent_words", []))


BEYOND_DOUBLES = """
import decimal, sys
import polars, pyarrow
from pyarrow import ipc
decimal.getcontext().prec = 80
wide, third = decimal.Decimal(10) ** 40, decimal.Decimal(12345678901234567)
columns = {"ns": pyarrow.array([10**18 + n // 2 for n in range(100)], pyarrow.timestamp("ns")),
           "long": pyarrow.array([wide + n // 2 for n in range(100)], pyarrow.decimal256(60, 2)),
           "third": pyarrow.array([third + decimal.Decimal(n // 2) / 1000 for n in range(100)],
                                  pyarrow.decimal128(22, 3)),
           "unsigned": pyarrow.array([2**64 - 1 - n // 2 for n in range(100)], pyarrow.uint64())}
for name, values in columns.items():
    table = pyarrow.table({"x": values})
    with ipc.new_file(f"{sys.argv[1]}/{name}.arrow", table.schema) as out:
        out.write_table(table)
longest = polars.DataFrame({"x": polars.Series([2**100 + n // 2 for n in range(100)], dtype=polars.Int128)})
longest.write_ipc(f"{sys.argv[1]}/longest.arrow")
for name, base in (("long", 10**25), ("unsigned", 2**64 - 100)):
    with open(f"{sys.argv[1]}/{name}.csv", "w") as out:
        out.write("x\\n" + "".join(f"{base + n // 2}\\n" for n in range(100)))
"""


def test_values_that_no_double_tells_apart_are_different(program, pandas, tmp_path):
    subprocess.run([pandas, "-c", BEYOND_DOUBLES, tmp_path], check=True)
    paths = sorted(tmp_path.iterdir())
    assert len(paths) == 7
    for path in paths:
        document = program("frame", "--json", "-q", path).json()
        column = document["columns"][0]
        assert column["distinct"] == {"value": 50, "low": 50, "high": 50}, path
        assert [value["count"] for value in column["frequent"]] == [2] * 10, path
        assert (document["duplicates"]["value"], len(document["duplicate_groups"])) == (50, 10), path
        assert column["type"] in ("moment", "decimal", "integer") and column["numbers"]["count"] == 100, path


def test_a_separator_that_the_header_has_is_preferred(program, tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("amount\tkind\n" + "".join(f"{n},000,000.50\tx\n" for n in range(30)))
    document = program("frame", "--json", "-q", path).json()
    assert ([column["name"] for column in document["columns"]], document["damage"]) == (["amount", "kind"], {})


def test_rows_that_are_there_most_often_are_those_of_a_count(program, pandas, tmp_path):
    """In a text and in Arrow, whose cells have no text in mid-table; only counts where values are hidden."""
    rng = random.Random(5)
    rows = [(rng.randrange(6), rng.choice("abc"), rng.choice((1.5, 2.25))) if rng.random() < 0.5 else
            (1000 + number, f"text {number}", number / 8) for number in range(9000)]
    with (tmp_path / "t.csv").open("w") as out:
        csv.writer(out).writerows([("number", "letter", "size"), *rows])
    made = "import pandas, sys; pandas.read_csv(sys.argv[1]).to_feather(sys.argv[2])"
    subprocess.run([pandas, "-c", made, tmp_path / "t.csv", tmp_path / "t.arrow"], check=True)
    most = collections.Counter(rows).most_common()
    for name in ("t.csv", "t.arrow"):
        groups = program("frame", "--json", "-q", tmp_path / name).json()["duplicate_groups"]
        assert [group["count"] for group in groups] == [count for _, count in most[:10]]
        assert all(rows[group["row"] - 1] == tuple(group["cells"]) for group in groups)
        assert all(dict(most)[tuple(group["cells"])] == group["count"] for group in groups)
    hidden = program("frame", "--json", "-q", "--redact", "values", tmp_path / "t.csv").json()
    assert [group["count"] for group in hidden["duplicate_groups"]] == [count for _, count in most[:10]]
    assert all(group["cells"] == [] for group in hidden["duplicate_groups"]) and hidden["duplicates"]["value"] > 4000


def test_counts_of_repeated_rows_are_exact_in_a_table_too_large_to_count_all(program, tmp_path):
    """Rows that are there often, from the first row on, among more different ones than are counted."""
    rng, path, often = random.Random(8), tmp_path / "large.csv", collections.Counter()
    with path.open("w") as out:
        out.write("number,letter\n")
        for number in range(700_000):
            row = f"{rng.randrange(30)},x" if rng.random() < 0.05 else f"{number % 600_000 + 1000},y"
            often[row] += 1
            out.write(row + "\n")
    document = program("frame", "--json", "-q", path).json()
    groups = document["duplicate_groups"]
    assert document["duplicate_groups_sampled"] and document["duplicates"]["low"] != document["duplicates"]["high"]
    assert len(groups) == 10 and min(group["count"] for group in groups) > 1000
    for group in groups:
        assert often[",".join(map(str, group["cells"]))] == group["count"], group
