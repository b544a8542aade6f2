# SPDX-License-Identifier: Apache-2.0
"""Baselines in a store that checks signatures (moto), by the user's own aws and s5cmd."""

import pytest
from captures import MIB, Allocation, write
from packages import environment
from stores import BUCKET, PLAIN, REGION, Store

LOAD = [("main", "/ci/app/main.py", 3), ("load", "/ci/app/load.py", 7)]
ADDRESS = f"s3://{BUCKET}/ci of app"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    programs = environment("moto")
    if not programs:
        pytest.skip("moto could not be installed")
    with Store(programs, tmp_path_factory.mktemp("moto")) as running:
        yield running


@pytest.fixture(params=["aws", "s5cmd"])
def env(request, store, tmp_path):
    """One of the tools, with the keys and the address of the store as the user would set them."""
    programs = environment("store_tools")
    if not programs:
        pytest.skip("the tools could not be installed")
    for name in ("tools", "tmp"):
        (tmp_path / name).mkdir()
    (tmp_path / "tools" / request.param).symlink_to(programs / request.param)
    return {**PLAIN, **store.keys, "PATH": str(tmp_path / "tools"), "HOME": str(tmp_path), "AWS_REGION": REGION,
            "AWS_ENDPOINT_URL_S3": store.url, "S3_ENDPOINT_URL": store.url, "TMPDIR": str(tmp_path / "tmp")}


@pytest.fixture
def judge(check, env, request, tmp_path):
    """`judge(size, day)` checks a run against the branch, and adds it."""
    branch = f"feature/{request.node.name}"

    def judged(size, day, *words, **other):
        run = write(tmp_path / "new.bin", [Allocation(LOAD, size)], start_ms=1700000000000 + day * 86400000)
        words = words or ("--baseline-from", ADDRESS, "--update-baseline", ADDRESS)
        return check(run, *words, "--branch", branch, env={**env, **other})

    return judged


def test_a_branch_gets_its_history_in_a_store(judge, store, request, tmp_path):
    for day in range(3):
        verdict = judge(10 * MIB, day, "--baseline-from", ADDRESS, "--update-baseline", ADDRESS, "--baseline-optional")
        assert verdict.status == 0 and len(verdict.document["baselines"]) == day, verdict.err
    verdict = judge(12 * MIB, 3)
    assert verdict.status == 1 and verdict.document["reasons"][0]["function"] == "load"
    folder = f"ci of app/baselines/feature%2F{request.node.name}".replace("[", "%5B").replace("]", "%5D")
    assert len(store.objects(folder)) == 3, "a regression does not become a baseline"
    assert list((tmp_path / "tmp").iterdir()) == []


def test_an_empty_branch_is_no_failure_of_the_store(judge):
    verdict = judge(MIB, 0, "--baseline-from", ADDRESS)
    assert verdict.status == 3 and "has no baseline; --baseline-optional continues without one" in verdict.err


def assert_no_verdict(judge, tmp_path, **other):
    verdict = judge(MIB, 0, "--baseline-from", ADDRESS, "--baseline-optional", **other)
    assert verdict.status == 3 and verdict.document is None and "could not copy from s3://" in verdict.err
    verdict = judge(MIB, 0, "--max-peak", "1GiB", "--update-baseline", ADDRESS, **other)
    assert verdict.status == 4 and verdict.document["ok"] and "could not copy from" in verdict.err
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_store_that_refuses_gives_no_verdict(judge, tmp_path):
    """It is not an empty one: s5cmd's sync succeeds where it may not list."""
    assert_no_verdict(judge, tmp_path, AWS_SECRET_ACCESS_KEY="wrong")


@pytest.mark.parametrize("env", ["aws"], indirect=True)  # s5cmd tries for minutes before it gives up
def test_a_store_that_is_away_gives_no_verdict(judge, tmp_path):
    assert_no_verdict(judge, tmp_path, AWS_ENDPOINT_URL_S3="http://127.0.0.1:9", AWS_MAX_ATTEMPTS="1")
