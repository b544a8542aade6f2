# SPDX-License-Identifier: Apache-2.0
"""samples/ci/github: its files follow GitHub's schemas, and its steps do what they should between environment files."""

import json
import subprocess
from pathlib import Path

import pytest
from frameworks import framework
from github_runner import Runner

ACTION = Path(__file__).resolve().parent.parent.parent / "samples/ci/github"
JOB = """
import sys
def features(megabytes):
    return bytearray(megabytes << 20)
held = features(int(sys.argv[1]))
if len(sys.argv) > 2:
    raise ValueError(sys.argv[2])
"""


@pytest.fixture(scope="module")
def tools():
    return framework("github_action")


@pytest.fixture(scope="module")
def action(tools):
    script = ("import json, sys; from ruamel.yaml import YAML;"
              "json.dump(YAML(typ='safe').load(open(sys.argv[1])), sys.stdout)")
    return json.loads(subprocess.check_output([tools / "python", "-c", script, ACTION / "action.yml"]))


@pytest.fixture
def runner(action, program, tmp_path):
    """A repository with job.py, and a Python with memray."""
    python = framework("pytest_plugins")
    made = Runner(action, tmp_path / "runner", ACTION, f"{python}:{program.path.parent}:/usr/bin:/bin")
    (made.workspace / "job.py").write_text(JOB, encoding="utf-8")
    return made


PUSH = {"event_name": "push", "ref_name": "main", "sha": "a" * 40}
PULL = {"event_name": "pull_request", "ref_name": "7/merge", "base_ref": "main", "sha": "b" * 40}


@pytest.mark.parametrize("schema, file", [("vendor.github-actions", "action.yml"),
                                          ("vendor.github-workflows", "example.yml")])
def test_it_follows_the_schema_of_the_platform(schema, file, tools):
    done = subprocess.run([tools / "check-jsonschema", "--builtin-schema", schema, ACTION / file], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout


def test_shellcheck_has_nothing_to_say(tools):
    done = subprocess.run([tools / "shellcheck", *sorted(ACTION.glob("*.sh"))], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_card_is_one_html_file_that_the_summary_links(runner):
    job = runner.run(PUSH, command="python job.py 20", name="nightly")
    assert job.status == 0, job.log
    assert list(job.artifacts) == ["nightly.html"]
    assert job.artifacts["nightly.html"].startswith("<!doctype html>")
    assert f"https://git.example.com/team/app/blob/{'a' * 40}/" in job.artifacts["nightly.html"]
    assert "[Open the card](https://git.example.com/artifacts/nightly.html)" in job.summary
    assert job.outputs == {"card": job.outputs["card"], "verdict": "passed",
                           "artifact-url": "https://git.example.com/artifacts/nightly.html"}
    assert Path(job.outputs["card"]).name == "nightly.html"


def test_a_pull_request_is_compared_with_its_base_branch(runner):
    assert runner.run(PUSH, command="python job.py 20").status == 0
    same = runner.run(PULL, command="python job.py 20")
    assert (same.status, same.outputs["verdict"]) == (0, "passed"), same.log
    grown = runner.run(PULL, command="python job.py 40")
    assert (grown.status, grown.outputs["verdict"]) == (1, "broken"), grown.log
    assert "features" in grown.summary
    assert "a rule is broken" in grown.summary
    assert "::error" in grown.log or "::warning" in grown.log
    assert list(grown.artifacts) == ["profile.html"]


def test_a_pull_request_writes_no_baseline_and_a_push_replaces_it(runner):
    runner.run(PULL, command="python job.py 40")
    assert list(runner.cache.iterdir()) == []
    runner.run(PUSH, command="python job.py 20")
    after = runner.run({**PUSH, "sha": "c" * 40}, command="python job.py 40")
    assert after.outputs["verdict"] == "broken"
    assert runner.run(PULL, command="python job.py 40").outputs["verdict"] == "passed"


def test_limits_need_no_baseline(runner):
    job = runner.run(PULL, command="python job.py 20", baseline="false",
                     check="--max-peak 10MiB\n\n--require-success\n")
    assert (job.status, job.outputs["verdict"]) == (1, "broken"), job.log
    kept = runner.run(PULL, command="python job.py 20", check="--max-peak 10MiB", fail="false")
    assert (kept.status, kept.outputs["verdict"]) == (0, "broken"), kept.log


def test_a_failed_command_has_its_card_and_its_status(runner):
    job = runner.run(PUSH, command="python job.py 20 'no stock'")
    assert (job.status, job.outputs["verdict"]) == (1, "none"), job.log
    assert "ValueError: no stock" in job.artifacts["profile.html"]
    assert "the command failed with status 1" in job.summary
    assert list(runner.cache.iterdir()) == []


def test_a_command_that_is_killed_has_its_card(runner):
    job = runner.run(PUSH, command="sleep 0.3; kill -9 $$")
    assert job.status == 137, job.log
    assert "SIGKILL" in job.artifacts["profile.html"]


def test_what_cannot_be_checked_is_not_passed(runner):
    job = runner.run(PULL, command="true", check="--max-peak 1GiB")
    assert (job.status, job.outputs["verdict"]) == (1, "none"), job.log


@pytest.mark.parametrize("name", ["../up", "a b", "$(touch x)", ".hidden", ""])
def test_a_name_that_is_not_a_file_name_is_refused(name, runner):
    job = runner.run(PUSH, command="true", name=name)
    assert job.status == 2
    assert job.artifacts == {}
    assert not (runner.workspace / "x").exists()


def test_without_the_program_it_says_what_to_do(runner):
    job = runner.run(PUSH, command="true", program="no-such-program")
    assert job.status == 127
    assert "::error::profrender: there is no program no-such-program on PATH" in job.log


def test_a_workflow_with_it_needs_only_to_read(action):
    assert "permissions:\n  contents: read\njobs:" in (ACTION / "example.yml").read_text(encoding="utf-8")
    assert "token" not in json.dumps(action).lower()
