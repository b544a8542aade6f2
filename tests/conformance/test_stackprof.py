# SPDX-License-Identifier: Apache-2.0
"""Dumps of stackprof, recorded here in each of its modes, compared with stackprof's own reports of the same file.

Needs Ruby with stackprof (Debian's ruby-stackprof).
"""

import json
import re
import shutil
import subprocess
from collections import Counter

import pytest

PROGRAM = """
require "stackprof"
class Cart
  def initialize(items)
    @items = items
  end
  def total
    @items.sum { |price, count| price * count }
  end
  def sorted
    @items.sort_by { |price, count| [-price * count, price] }
  end
end
def deep(n)
  n.zero? ? Array.new(50) { |i| i.to_s }.join : deep(n - 1)
end
def day(carts)
  carts.times { |k| cart = Cart.new(Array.new(40) { |i| [i * 7 % 31, (i + k) % 9] }); cart.sorted if cart.total > 9 }
end
mode, raw, aggregate, out = ARGV[0].to_sym, ARGV[1] == "raw", ARGV[2] == "aggregate", ARGV[3]
StackProf.run(mode: mode, raw: raw, aggregate: aggregate, out: out, interval: mode == :object ? 7 : 1000,
              metadata: { "at" => Time.at(0), list: [1.5, nil, 2**80], text: "é" }) do
  day(mode == :object ? 20 : 1200)
  deep(30)
end
"""

KINDS = [(mode, raw, "aggregate") for mode in ("wall", "cpu", "object") for raw in ("raw", "totals")]
KINDS.append(("wall", "raw", "no-aggregate"))
SHOW = """
require "stackprof"; require "json"
d = Marshal.load(File.binread(ARGV[0]))
raw, at, stacks = d[:raw] || [], 0, 0
while at < raw.size
  at += raw[at] + 2
  stacks += raw[at - 1]
end
puts JSON.generate({samples: d[:samples], stacks: stacks, us: (d[:raw_timestamp_deltas] || []).sum,
  frames: d[:frames].values.map { |f| [f[:name], f[:file], f[:line], f[:samples], f[:total_samples]] }})
"""


@pytest.fixture(scope="module", params=KINDS, ids="-".join)
def dump(request, tmp_path_factory):
    """(mode, raw, path of a dump, what Ruby says of it)"""
    if not shutil.which("ruby") or subprocess.run(["ruby", "-e", 'require "stackprof"'], capture_output=True,
                                                  check=False).returncode:
        pytest.skip("no Ruby with stackprof is on PATH")
    folder = tmp_path_factory.mktemp("stackprof")
    (folder / "work.rb").write_text(PROGRAM)
    path = folder / "work.stackprof"
    mode, raw, _ = request.param
    subprocess.run(["ruby", folder / "work.rb", *request.param, path], check=True)
    shown = subprocess.run(["ruby", "-e", SHOW, path], check=True, stdout=subprocess.PIPE).stdout
    return mode, raw, path, json.loads(shown)


def rows(program, path):
    return program("table", path, "--json", "--group", "function", "--limit", "0").json()


def test_functions_have_the_samples_that_stackprof_reports(dump, program):
    _, _, path, want = dump
    table = rows(program, path)
    assert table["total"] == want["samples"]
    expected = {}
    for name, file, line, samples, total in want["frames"]:  # program and file are both <main>
        own, most = expected.get((name, file, line), (0, 0))
        expected[name, file, line] = own + samples, max(most, total)
    merged = Counter((name, *figures) for (name, _, _), figures in expected.items())
    assert Counter((row["function"], row["self"], row["total"]) for row in table["rows"] if row["function"]) == merged


def test_stacks_are_those_of_stackcollapse(dump, program):
    _, raw, path, shown = dump
    if raw != "raw":
        pytest.skip("it has no stacks")
    lines = subprocess.run(["stackprof", "--stackcollapse", path], check=True, stdout=subprocess.PIPE,
                           text=True).stdout.splitlines()
    want, got = Counter(), Counter()
    for line in lines:
        stack, samples = line.rsplit(" ", 1)
        want[stack] += int(samples)
    for record in program("export", path).json()["records"]:  # now and then a sample has no stack, and is not in raw
        got[";".join(function for function, _, _ in reversed(record["stack"]))] += record["self"]
    assert got.pop("", 0) == shown["samples"] - shown["stacks"]
    assert got == want


def test_time_is_the_sum_of_the_times_between_samples(dump, program):
    mode, raw, path, want = dump
    metrics = program("info", path, "--json").json()["metrics"]
    if raw != "raw" or mode == "object":
        assert [metric["name"] for metric in metrics] == ["samples"]
    else:
        time = program("table", path, "--json", "--metric", "time").json()
        assert (time["total"], time["total_count"]) == (want["us"] * 1000 / 1e9, want["stacks"])


def test_the_dump_as_json_gives_the_same(dump, program):
    _, _, path, _ = dump
    printed = subprocess.run(["stackprof", "--json", path], check=True, stdout=subprocess.PIPE).stdout
    other = path.with_suffix(".json")
    other.write_bytes(printed)
    assert program("table", other, "--json").bytes == program("table", path, "--json").bytes
    assert program("export", other).bytes == program("export", path).bytes


def test_two_that_stackprof_adds_up_are_read(dump, program, tmp_path):
    mode, _, path, want = dump
    both = tmp_path / "both.stackprof"
    done = subprocess.run(["stackprof", "--dump", path, path], capture_output=True, check=False)
    if done.returncode or not re.match(rb"\x04\x08", done.stdout):
        pytest.skip("this stackprof does not add up files")
    both.write_bytes(done.stdout)
    table = rows(program, both)
    assert sum(row["self"] for row in table["rows"]) == 2 * sum(samples for *_, samples, _ in want["frames"])
    assert mode in ("wall", "cpu", "object")
