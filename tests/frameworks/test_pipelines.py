# SPDX-License-Identifier: Apache-2.0
"""samples/ci for GitLab, Buildkite and Jenkins: files that follow the platforms' schemas, and scripts that do it."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree
from pathlib import Path

import pytest
from frameworks import framework

CI = Path(__file__).resolve().parent.parent.parent / "samples/ci"
JOB = """
import sys
def features(megabytes):
    return bytearray(megabytes << 20)
held = features(int(sys.argv[1]))
if len(sys.argv) > 2:
    raise ValueError(sys.argv[2])
"""
AGENT = '#!/bin/sh\necho "$@" > agent.words; cat > agent.text\n'


@pytest.fixture(scope="module")
def tools():
    return framework("github_action")


class Checkout:
    """A repository with job.py and ci/, where a pipeline runs."""

    def __init__(self, folder, path):
        self.folder, self.path = folder, path
        (folder / "ci").mkdir()
        for script in (CI / "profile.sh", CI / "buildkite/annotate.sh"):
            shutil.copy(script, folder / "ci")
        (folder / "job.py").write_text(JOB, encoding="utf-8")
        agent = folder / "ci/buildkite-agent"
        agent.write_text(AGENT, encoding="utf-8")
        agent.chmod(0o755)

    def __call__(self, script, *words, **env):
        """(exit status, output)"""
        done = subprocess.run(["bash", f"ci/{script}", *words], cwd=self.folder, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=200,
                              env={"PATH": f"{self.folder}/ci:{self.path}", "HOME": str(self.folder), **env})
        return done.returncode, done.stdout

    def cancel(self, script, begun, *words):
        """The same, but all processes are asked to end once there is a file BEGUN, as platforms do."""
        job = subprocess.Popen(["bash", f"ci/{script}", *words], cwd=self.folder, text=True, start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               env={"PATH": f"{self.folder}/ci:{self.path}", "HOME": str(self.folder)})
        while not (self.folder / begun).exists() and job.poll() is None:
            time.sleep(0.05)
        os.killpg(job.pid, signal.SIGTERM)
        said, _ = job.communicate(timeout=200)
        return job.returncode, said

    def profile(self, *words, **env):
        return self("profile.sh", *words, **env)

    def made(self, name):
        return (self.folder / "profrender" / name).read_text(encoding="utf-8")

    def files(self):
        place = self.folder / "profrender"
        return sorted(path.name for path in place.iterdir()) if place.is_dir() else None


@pytest.fixture
def checkout(program, tmp_path):
    return Checkout(tmp_path, f"{framework('pytest_plugins')}:{program.path.parent}:/usr/bin:/bin")


@pytest.mark.parametrize("schema, file", [("vendor.gitlab-ci", "gitlab/profrender.yml"),
                                          ("vendor.gitlab-ci", "gitlab/example.gitlab-ci.yml"),
                                          ("vendor.buildkite", "buildkite/example.pipeline.yml")])
def test_it_follows_the_schema_of_the_platform(schema, file, tools):
    done = subprocess.run([tools / "check-jsonschema", "--builtin-schema", schema, CI / file], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout


def test_shellcheck_has_nothing_to_say(tools):
    done = subprocess.run([tools / "shellcheck", CI / "profile.sh", CI / "buildkite/annotate.sh"], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("file", ["gitlab/example.gitlab-ci.yml", "buildkite/example.pipeline.yml",
                                  "jenkins/Jenkinsfile"])
def test_the_command_of_an_example_does_it(file, checkout):
    """With another job and limit: the line is what counts."""
    line = re.search(r"bash ci/(\w+\.sh) (--max-peak) 2GiB (--functions) -- python", (CI / file).read_text("utf-8"))
    status, said = checkout(line[1], line[2], "15MiB", line[3], "--", "python", "job.py", "20")
    assert status == 1, said
    assert "peak" in said and "features" in said


def test_gitlab_finds_each_report_where_its_file_says(checkout):
    text = (CI / "gitlab/profrender.yml").read_text(encoding="utf-8")
    assert checkout.profile("--max-peak", "15MiB", "--", "python", "job.py", "20")[0] == 1
    named = re.findall(r"(?<=[ \[])profrender/([\w.]+)", text)
    assert sorted(named) == ["codequality.json", "junit.xml", "metrics.txt", "profile.html", "summary.md"]
    assert set(named) <= set(checkout.files())
    assert checkout.made("profile.html").startswith("<!doctype html>")
    suite = xml.etree.ElementTree.fromstring(checkout.made("junit.xml"))
    assert len(list(suite.iter("failure"))) == 1
    problem = json.loads(checkout.made("codequality.json"))[0]
    assert {"description", "check_name", "fingerprint", "severity", "location"} <= set(problem)
    assert problem["location"]["path"] == "job.py"
    assert re.search(r"^\w+(\{.*\})? [\d.e+]+$", checkout.made("metrics.txt"), re.M)
    assert "features" in checkout.made("summary.md")


def test_a_baseline_is_written_on_request_and_compared_with(checkout):
    baseline = {"PROFRENDER_BASELINE": "kept/base.prz"}
    assert checkout.profile("--", "python", "job.py", "20", **baseline)[0] == 0
    assert not (checkout.folder / "kept").exists()
    assert checkout.profile("--", "python", "job.py", "20", PROFRENDER_KEEP="true", **baseline)[0] == 0
    before = (checkout.folder / "kept/base.prz").read_bytes()
    status, said = checkout.profile("--", "python", "job.py", "40", **baseline)
    assert status == 1, said
    assert (checkout.folder / "kept/base.prz").read_bytes() == before
    checkout.profile("--", "python", "job.py", "40", PROFRENDER_KEEP="true", **baseline)
    assert (checkout.folder / "kept/base.prz").read_bytes() != before


def test_the_first_run_passes_with_options_that_only_say_how_to_compare(checkout):
    words, base = ("--functions", "--", "python", "job.py", "20"), {"PROFRENDER_BASELINE": "base.prz"}
    status, said = checkout.profile(*words, PROFRENDER_KEEP="true", **base)
    assert (status, said) == (0, "profile.sh: there is no baseline yet, so this run was compared with nothing\n")
    assert checkout.profile(*words, **base)[0] == 0
    assert checkout.profile(*words[:-1], "40", **base)[0] == 1
    assert checkout.profile(*words)[0] == 2, "without a baseline ever there is nothing to check"


def test_a_command_that_fails_keeps_its_status_and_has_a_card(checkout):
    status, said = checkout.profile("--max-peak", "1GiB", "--", "python", "job.py", "20", "no store <b>")
    assert status == 1, said
    assert "ValueError" in checkout.made("profile.html")
    assert checkout.files() == ["profile.html", "run"]
    assert checkout.profile("--", "bash", "-c", "exit 7")[0] == 7
    assert checkout.profile("--", "no-such-command")[0] == 127
    assert checkout.profile("--max-peak", "1GiB", "--", "true")[0] == 3, "a limit that nothing was recorded for"


@pytest.mark.parametrize("script", ["profile.sh", "annotate.sh"])
def test_a_job_that_is_cancelled_has_its_card(script, checkout):
    """Jenkins and Buildkite archive what there is then."""
    (checkout.folder / "wait.py").write_text("import time\nopen('begun', 'w')\ntime.sleep(60)\n", encoding="utf-8")
    status, said = checkout.cancel(script, "begun", "--max-peak", "1GiB", "--", "python", "wait.py")
    assert status == 143, said
    assert checkout.files() == ["profile.html", "run"]
    assert "SIGTERM" in checkout.made("profile.html")
    if script == "annotate.sh":
        assert "exit status 143" in (checkout.folder / "agent.text").read_text(encoding="utf-8")


def test_a_folder_that_is_not_a_recording_is_not_removed(checkout):
    (checkout.folder / "run").mkdir()
    (checkout.folder / "run/mine").write_text("", encoding="utf-8")
    status, said = checkout.profile("--", "true", PROFRENDER_OUT=".")
    assert (status, said) == (2, "profile.sh: ./run is not a recording, and would be removed: set PROFRENDER_OUT to "
                                 "another folder\n")
    assert (checkout.folder / "run/mine").exists()


def test_a_second_call_keeps_what_others_wrote_and_nothing_old_of_its_own(checkout):
    """Two jobs may share the folder, which may also be one that the repository has."""
    (checkout.folder / "profrender").mkdir()
    (checkout.folder / "profrender/mine").write_text("", encoding="utf-8")
    checkout.profile("--max-duration", "1h", "--", "true", PROFRENDER_NAME="one")
    assert {"mine", "one.html", "junit.xml"} <= set(checkout.files())
    checkout.profile("--max-duration", "1h", "--", "false", PROFRENDER_NAME="two")
    assert checkout.files() == ["mine", "one.html", "run", "two.html"]


def test_a_command_that_fails_keeps_its_status_without_a_card_too(checkout, program):
    broken = checkout.folder / "ci/profrender"
    broken.write_text(f'#!/bin/sh\n[ "$1" != card ] || exit 4\nexec {program.path} "$@"\n', encoding="utf-8")
    broken.chmod(0o755)
    assert checkout.profile("--", "bash", "-c", "exit 7")[0] == 7
    assert checkout.profile("--", "true")[0] == 4


def test_without_a_place_for_the_recording_a_limit_does_not_pass(checkout):
    nowhere = {"PROFRENDER_OUT": "/proc/nowhere"}
    status, said = checkout.profile("--max-peak", "1GiB", "--", "python", "job.py", "20", **nowhere)
    assert status == 3, said
    assert checkout.profile("--", "python", "job.py", "20", **nowhere)[0] == 0
    assert checkout.profile("--max-peak", "1GiB", "--", "bash", "-c", "exit 7", **nowhere)[0] == 7


@pytest.mark.parametrize("words, name", [([], "x"), (["--"], "x"), (["python"], "x"), (["--", "true"], "../x"),
                                         (["--", "true"], ".x"), (["--", "true"], "a b")])
def test_a_wrong_call_is_refused_before_anything_is_removed(words, name, checkout):
    (checkout.folder / "profrender").mkdir()
    (checkout.folder / "profrender/mine").write_text("", encoding="utf-8")
    status, said = checkout.profile(*words, PROFRENDER_NAME=name)
    assert status == 2 and said.startswith("usage: ")
    assert checkout.files() == ["mine"]


@pytest.mark.parametrize("limit, status, style", [("1GiB", 0, "success"), ("15MiB", 1, "error")])
def test_buildkite_gets_an_annotation_with_the_card(limit, status, style, checkout):
    ended, said = checkout("annotate.sh", "--max-peak", limit, "--", "python", "job.py", "20",
                           PROFRENDER_NAME="nightly")
    assert ended == status, said
    words = (checkout.folder / "agent.words").read_text(encoding="utf-8")
    assert words == f"annotate --style {style} --context profrender-nightly\n"
    text = (checkout.folder / "agent.text").read_text(encoding="utf-8")
    assert text.startswith('<a href="artifact://profrender/nightly.html">')
    assert "peak" in text
    assert "artifact_paths: profrender/*.html" in (CI / "buildkite/example.pipeline.yml").read_text(encoding="utf-8")
