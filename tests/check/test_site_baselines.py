# SPDX-License-Identifier: Apache-2.0
"""Baselines by branch, in a site of `publish` or in another folder."""

import os
import shutil
import sys

import pytest
from captures import MIB, Allocation, write

LOAD = [("main", "/ci/app/main.py", 3), ("load", "/ci/app/load.py", 7)]
DAY = 86400000


@pytest.fixture
def run(tmp_path):
    def make(size, day=0):
        return write(tmp_path / "new.bin", [Allocation(LOAD, size)], start_ms=1700000000000 + day * DAY)

    return make


@pytest.fixture
def site(program, run, tmp_path):
    """A published site, and no baselines in it."""
    runs = tmp_path / "runs"
    runs.mkdir()
    shutil.copy(run(MIB), runs / "first.bin")
    assert program("publish", runs, "-o", tmp_path / "site").status == 0
    return tmp_path / "site"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("option", ["--history", "--baseline-from"])
def test_a_site_has_the_history_of_a_branch(check, program, run, site, option, tmp_path):
    for day in range(4):
        verdict = check(run(10 * MIB, day), option, site, "--baseline-optional", "--update-baseline", site)
        assert verdict.status == 0 and len(verdict.document["baselines"]) == day, verdict.err
    assert len(names(site / "baselines/main")) == 4
    assert all(path.stat().st_size < 5000 for path in (site / "baselines/main").iterdir())
    verdict = check(run(12 * MIB, 5), option, site, "--update-baseline", site)
    assert verdict.status == 1 and verdict.document["reasons"][0]["function"] == "load"
    assert "not saved as a baseline" in verdict.err and len(names(site / "baselines/main")) == 4
    assert program("publish", tmp_path / "runs", "-o", site, "--prune").status == 0
    assert len(names(site / "baselines/main")) == 4, "publish leaves them alone"


def test_branches_do_not_meet(check, run, tmp_path):
    """Also in a folder that is no site, and that does not exist yet; names of branches are names of one folder."""
    store = tmp_path / "store"
    for branch, size in (("main", 10), ("feature/x", 20), ("../../up", 30), (".", 40)):
        words = ("--baseline-from", store, "--branch", branch, "--update-baseline", store)
        assert check(run(size * MIB), *words, "--baseline-optional").status == 0
        assert check(run(size * MIB, 1), *words).status == 0, "it finds its own"
    assert names(store / "baselines") == ["%2E", "%2E.%2F..%2Fup", "feature%2Fx", "main"]
    assert names(store) == ["baselines"] and not (tmp_path / "up").exists()
    assert check(run(10 * MIB), "--baseline-from", store, "--branch", "main").status == 0
    assert check(run(20 * MIB), "--baseline-from", store).status == 1
    assert check(run(MIB), "--baseline-from", store, "--branch", "").status == 3


def test_nothing_in_a_site_is_followed(check, run, site, tmp_path):
    """Links to files elsewhere, other names, folders: left out. A folder that is a link is refused."""
    assert check(run(10 * MIB), "--update-baseline", site).status == 0
    main = site / "baselines/main"
    good = names(main)[0]
    outside = tmp_path / "outside.prz"
    shutil.copy(main / good, outside)
    os.symlink(outside, main / good.replace("2023", "2024"))
    (main / good.replace("2023", "2025")).mkdir()
    for name in ("evil.prz", ".hidden.prz", "x\n2023.prz", "2023-01-01.prz.html"):
        shutil.copy(outside, main / name)
    os.mkfifo(main / good.replace("2023", "2026"))
    verdict = check(run(10 * MIB, 1), "--history", site)
    assert verdict.status == 0 and [path.rsplit("/", 1)[-1] for path in verdict.document["baselines"]] == [good]
    shutil.move(main, tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", main)
    for words in (["--history", site], ["--update-baseline", site]):
        verdict = check(run(10 * MIB, 2), *words)
        assert verdict.status in (3, 4) and "links of a site are not followed" in verdict.err, words
    assert len(names(tmp_path / "elsewhere")) == 8


def test_a_site_without_baselines_says_so(check, run, site):
    verdict = check(run(MIB), "--history", site)
    assert verdict.status == 3 and "has no baseline" in verdict.err
    assert check(run(MIB), "--history", site, "--baseline-optional").status == 0


def test_one_of_the_three_at_a_time(check, run, site):
    assert check(run(MIB), "--history", site, "--baseline-from", site).status == 2


# az storage blob upload-batch|download-batch, with a folder for each container; blobs are fetched by their whole names.
AZ = f"""#!{sys.executable}
import fnmatch, os, pathlib, shutil, sys
store, words = pathlib.Path(os.environ["STORE"]), sys.argv[1:]
assert words[:2] == ["storage", "blob"] and words[3:7] == ["--only-show-errors", "--output", "none", "--no-progress"]
how = dict(zip(words[7::2], words[8::2]))
print("[]")
if words[2] == "upload-batch":
    assert how.pop("--overwrite") == "true" and how.keys() == {{"--source", "--destination", "--destination-path"}}
    shutil.copytree(how["--source"], store / how["--destination"] / how["--destination-path"], dirs_exist_ok=True)
else:
    assert words[2] == "download-batch" and how.keys() == {{"--source", "--destination", "--pattern"}}
    container = store / how["--source"]
    for path in container.rglob("*.prz") if container.exists() else []:
        name = str(path.relative_to(container)).replace("__", "..")
        if fnmatch.fnmatch(name, how["--pattern"]):
            to = os.path.join(how["--destination"], name)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy(path, to)
"""

AWS = """#!/bin/sh
# aws s3 sync --no-follow-symlinks --only-show-errors FROM TO, with folders for buckets
echo "$@" >> "$STORE/calls"
[ "$1 $2 $3 $4" = "s3 sync --no-follow-symlinks --only-show-errors" ] || exit 2
from=$(echo "$5" | sed "s|^s3://|$STORE/|") to=$(echo "$6" | sed "s|^s3://|$STORE/|")
[ -d "$from" ] || exit 0
mkdir -p "$to" && cp -r "$from". "$to"
"""


@pytest.fixture
def bucket(tmp_path):
    """(environment with tools for s3 and az, where their buckets are)"""
    tools, store = tmp_path / "tools", tmp_path / "s3"
    tools.mkdir()
    store.mkdir()
    for name, text in (("aws", AWS), ("az", AZ)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    (tmp_path / "tmp").mkdir()
    return {"PATH": f"{tools}:/usr/bin:/bin", "STORE": str(store), "TMPDIR": str(tmp_path / "tmp")}, store


STORES = ("s3", "az")


@pytest.mark.parametrize("scheme", STORES)
@pytest.mark.parametrize("prefix", ["ci/app/", "ci", "ci/a[b]*?/c d"])
def test_baselines_in_a_bucket(check, run, bucket, tmp_path, scheme, prefix):
    env, store = bucket
    address = f"{scheme}://{prefix}"
    words = ("--baseline-from", address, "--branch", "x/y", "--update-baseline", address)
    for day in range(3):
        verdict = check(run(10 * MIB, day), *words, "--baseline-optional", env=env)
        assert verdict.status == 0 and len(verdict.document["baselines"]) == day, verdict.err
    assert len(names(store / prefix / "baselines/x%2Fy")) == 3
    verdict = check(run(12 * MIB, 4), *words, env=env)
    assert verdict.status == 1 and len(names(store / prefix / "baselines/x%2Fy")) == 3
    below = f"{scheme}://{prefix.rstrip('/')}/baselines/x%2Fy/2023-11-1"
    assert [path.startswith(below) for path in verdict.document["baselines"]] == [True] * 3, "as the user calls them"
    verdict = check(run(MIB), *words[:2], env=env)
    assert verdict.status == 3 and f"{address}: it has no baseline;" in verdict.err, "another branch has none"
    assert names(tmp_path / "tmp") == [], "nothing is left in the temporary folder"


@pytest.mark.parametrize("scheme", STORES)
def test_a_bucket_is_as_hostile_as_a_site(check, run, bucket, tmp_path, scheme):
    env, store = bucket
    address = f"{scheme}://ci"
    assert check(run(10 * MIB), "--update-baseline", address, env=env).status == 0
    main = store / "ci/baselines/main"
    good, = names(main)
    shutil.copy(main / good, main / "..evil.prz")
    os.symlink(main / good, main / good.replace("2023", "x"))
    (main / "__/__/__").mkdir(parents=True)
    shutil.copy(main / good, main / "__/__/__/up.prz")
    shutil.copy(main / good, main / "__/__/__" / good)
    verdict = check(run(10 * MIB, 1), "--baseline-from", address, env=env)
    assert verdict.status == 0 and len(verdict.document["baselines"]) == 1
    assert names(tmp_path / "tmp") == [] and not list(tmp_path.glob("*.prz"))


def test_a_run_without_a_date_is_found_in_az_too(check, bucket, tmp_path):
    env, _ = bucket
    collapsed = tmp_path / "time.txt"
    collapsed.write_text("main;load 100\nmain;save 20\n")
    assert check(collapsed, "--update-baseline", "az://ci/x", env=env).status == 0
    assert len(check(collapsed, "--baseline-from", "az://ci/x", env=env).document["baselines"]) == 1


@pytest.mark.parametrize("scheme, missing, failing", [("s3", "aws or s5cmd", "aws"), ("az", "az", "az"),
                                                      ("gs", "gcloud or gsutil", None)])
def test_a_tool_that_is_missing_or_fails_is_named(check, run, bucket, tmp_path, scheme, missing, failing):
    env, _ = bucket
    (tmp_path / "none").mkdir()
    nothing = {**env, "PATH": str(tmp_path / "none")}
    verdict = check(run(MIB), "--baseline-from", f"{scheme}://ci", env=nothing)
    assert verdict.status == 3 and f"none of its tools is installed: {missing}\n" in verdict.err
    verdict = check(run(MIB), "--update-baseline", f"{scheme}://ci", env=nothing)
    assert verdict.status == 4 and missing in verdict.err
    if failing:
        (tmp_path / "tools" / failing).write_text("#!/bin/sh\nexit 3\n")
        verdict = check(run(MIB), "--update-baseline", f"{scheme}://ci", env=env)
        assert verdict.status == 4 and f"{failing} could not copy" in verdict.err
        verdict = check(run(MIB), "--baseline-from", f"{scheme}://ci", "--baseline-optional", env=env)
        assert verdict.status == 3 and f"{failing} could not copy" in verdict.err, "a store that fails is not empty"
    assert names(tmp_path / "tmp") == []


@pytest.mark.parametrize("address", ["az://", "s3:///x", "gs://"])
def test_an_address_without_a_bucket_is_refused(check, run, address):
    verdict = check(run(MIB), "--baseline-from", address)
    assert verdict.status in (2, 3) and address in verdict.err


def test_two_branches_do_not_become_one(check, run, tmp_path):
    """What is escaped is escaped itself, and letters keep their case."""
    store = tmp_path / "store"
    branches = ("a/b", "a%2Fb", "A/b", "a%2fb", "a b", "a+b", "\u00e9", ".a", "a.")
    for number, branch in enumerate(branches):
        words = ("--baseline-from", store, "--branch", branch, "--baseline-optional", "--update-baseline", store)
        assert check(run((10 + 10 * number) * MIB), *words).document["baselines"] == []
    assert len(names(store / "baselines")) == len(branches)


@pytest.mark.parametrize("spoil, words", [
    (lambda data: b"", "the input is empty"), (lambda data: data[:len(data) // 2], "the digest ends here"),
    (lambda data: b"x" * 500, "")], ids=["empty", "cut", "garbage"])
def test_a_baseline_that_is_garbage_is_named_and_left_out(check, run, tmp_path, spoil, words):
    store = tmp_path / "store"
    for day in range(3):
        assert check(run(10 * MIB, day), "--update-baseline", store, "--baseline-from", store,
                     "--baseline-optional").status == 0
    spoiled = sorted((store / "baselines/main").iterdir())[1]
    spoiled.write_bytes(spoil(spoiled.read_bytes()))
    verdict = check(run(10 * MIB, 4), "--baseline-from", store)
    assert verdict.status == 0, verdict.err
    assert len(verdict.document["baselines"]) == 2
    note, = verdict.document["notes"]
    assert spoiled.name in note and "left out" in note and words in note
    for path in (store / "baselines/main").iterdir():
        path.write_bytes(b"")
    verdict = check(run(10 * MIB, 4), "--baseline-from", store)
    assert verdict.status == 3 and "no baseline" in verdict.err
