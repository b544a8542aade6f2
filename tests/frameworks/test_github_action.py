# SPDX-License-Identifier: Apache-2.0
"""samples/ci/github: its files follow GitHub's schemas, and its steps do what they should between environment files."""

import http.server
import json
import os
import re
import shutil
import subprocess
import threading
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
PULL = {"event_name": "pull_request", "ref_name": "7/merge", "base_ref": "main", "sha": "b" * 40,
        "event": {"pull_request": {"number": 7}}}


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


def test_the_summary_calls_runs_as_people_know_them(runner):
    """By the names of the card, the branch and the commit; a folder of the runner tells nobody anything."""
    push = {**PUSH, "ref_name": "release/1.2"}
    first = runner.run(push, command="python job.py 20", name="nightly", check="--max-peak 1GiB")
    assert "in `nightly`.\n" in first.summary
    job = runner.run({**push, "sha": "c" * 40}, command="python job.py 20", name="nightly")
    assert "in `nightly`, compared with `release-1.2-aaaaaaa.prz`." in job.summary
    pull = runner.run({**PULL, "base_ref": "release/1.2"}, command="python job.py 20", name="nightly")
    assert "in `nightly`, compared with `release-1.2-ccccccc.prz`." in pull.summary
    assert str(runner.place) not in pull.summary + job.summary + first.summary


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


@pytest.mark.parametrize("command, said, has_allocations", [
    ("NAME=mine GREETING=hello/you PYTHONHASHSEED=0 python greet.py", "hello/you mine", True),
    ("\n  GREETING=hello/you python greet.py\n", "hello/you profile", True),
    ("GREETING='hello; you' python \"greet.py\" 'a b' \"c 'd'\"", "hello; you profile a b|c 'd'", True),
    ("GREETING=$NAME python greet.py", "profile profile", False),
    ("time python greet.py", "real", False),
    ("exit 0", "", False)])
def test_a_line_of_plain_words_does_what_it_does_in_bash(command, said, has_allocations, runner):
    """Variables before the command, words that are not programs, quotes, and the newline that ends a block of YAML."""
    greet = ("import os, sys\nkept = bytearray(9 << 20)\n"
             "print(os.environ.get('GREETING'), os.environ['NAME'], '|'.join(sys.argv[1:]))\n")
    (runner.workspace / "greet.py").write_text(greet, encoding="utf-8")
    job = runner.run(PUSH, command=command)
    assert job.status == 0 and said in job.log, job.log
    assert list(job.artifacts) == ["profile.html"]
    assert ("Peak heap" in job.artifacts["profile.html"]) == has_allocations


def test_a_part_of_a_repository_is_recorded_in_its_folder(runner):
    """`cd part && python job.py` would be for bash, which hides the command from memray."""
    (runner.workspace / "parts/a b").mkdir(parents=True)
    (runner.workspace / "job.py").rename(runner.workspace / "parts/a b/job.py")
    job = runner.run(PUSH, **{"command": "python job.py 20", "working-directory": "parts/a b", "name": "part"})
    assert job.status == 0 and "Peak heap" in job.artifacts["part.html"], job.log
    job = runner.run(PUSH, **{"command": "true", "working-directory": "none"})
    assert job.status == 2 and "::error::profrender: the command cannot run in the folder none" in job.log


def test_a_job_may_use_it_twice_under_two_names(runner):
    """One card would replace the other, and the link to the first lead nowhere, if they had one name."""
    first = runner.run(PUSH, command="python job.py 20", name="load", check="--max-peak 1GiB")
    second = runner.run_after(first, PUSH, command="python job.py 30", name="fit", check="--max-peak 10MiB",
                              fail="false")
    assert (first.outputs["verdict"], second.outputs["verdict"]) == ("passed", "broken"), second.log
    assert (list(first.artifacts), list(second.artifacts)) == (["load.html"], ["fit.html"])
    assert Path(first.outputs["card"]).read_text(encoding="utf-8") == first.artifacts["load.html"]
    assert "**fit**" in second.summary and "load" not in second.summary
    assert len(list(runner.cache.iterdir())) == 2
    third = runner.run_after(first, PUSH, command="python job.py 40", name="load")
    assert (third.status, third.artifacts, third.summary) == (2, {}, ""), third.log
    assert "::error::profrender: an earlier step of this job has the name load too" in third.log
    assert Path(first.outputs["card"]).read_text(encoding="utf-8") == first.artifacts["load.html"]


def test_an_image_needs_bash_and_the_tools_that_each_has(action, program, tmp_path):
    """No Python, curl or jq; realpath has fewer options in some images, find is in few. Folders have spaces."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("bash", "cat", "env", "grep", "head", "mkdir", "rm", "sed", "sleep", "tr"):
        (tools / name).symlink_to(shutil.which(name))
    (tools / "profrender").symlink_to(program.path)
    folder = shutil.copytree(ACTION, tmp_path / "the action")
    job = Runner(action, tmp_path / "a runner", folder, str(tools)).run(
        PULL, command="sleep 0.1", check="--max-duration 1min", comment="true")
    assert (job.status, job.outputs["verdict"]) == (0, "passed"), job.log
    assert list(job.artifacts) == ["profile.html"]
    assert "::warning::profrender: the comment could not be written" in job.log


def test_a_branch_has_a_baseline_whatever_its_name(runner):
    push = {**PUSH, "ref_name": "fix/a,b's"}
    assert runner.run(push, command="python job.py 20").status == 0
    grown = runner.run({**PULL, "base_ref": "fix/a,b's"}, command="python job.py 40")
    assert grown.outputs["verdict"] == "broken", grown.log


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


@pytest.mark.parametrize("command, said, ended", [
    ("python wait.py", "the command failed with status 130", "KeyboardInterrupt"),
    ("trap '' INT; touch begun; sleep 60", "the command failed with status 143", "SIGTERM"),
    ("trap '' INT TERM; touch begun; while :; do sleep 1; done", "the command was killed",
     "The recorder was stopped too|SIGKILL")])
def test_a_job_that_is_cancelled_has_its_card(command, said, ended, runner):
    """Its command ends when asked to, when it must, or never: then the recorder may see that before it is killed."""
    (runner.workspace / "wait.py").write_text("import time\nopen('begun', 'w')\ntime.sleep(60)\n", encoding="utf-8")
    job = runner.cancel("begun", PUSH, command=command)
    assert list(job.artifacts) == ["profile.html"], job.log
    assert re.search(ended, job.artifacts["profile.html"])
    assert said in job.summary and "[Open the card](https://" in job.summary
    assert job.outputs["verdict"] == "none" and list(runner.cache.iterdir()) == []


def test_a_job_that_is_cancelled_before_it_records_says_nothing_of_a_card(runner):
    job = runner.cancel("begun", PUSH, command="true", interval="often")
    assert job.artifacts == {} and job.summary == "" and "cannot be opened" not in job.log, job.log


@pytest.mark.parametrize("system", ["Windows", "macOS"])
def test_a_runner_without_linux_is_refused_by_name(system, runner):
    job = runner.run({**PUSH, "os": system}, command="true")
    assert (job.status, job.artifacts) == (2, {})
    assert f"::error::profrender: only Linux runners can record, this one has {system}" in job.log


@pytest.mark.parametrize("name, matrix, is_warned", [
    ("profile", {"python": "3.13", "os": "ubuntu-24.04"}, True),
    ("profile", {"size": 2, "deep": {"er": [1]}}, True),
    ("profile-3.13", {"python": "3.13"}, False),
    ("profile-2", {"size": 2}, False),
    ("profile-0", {"path": "a/b"}, False),
    ("profile", None, False)])
def test_a_name_that_jobs_of_a_matrix_share_is_a_warning(name, matrix, is_warned, runner):
    job = runner.run({**PUSH, "matrix": matrix}, command="true", name=name)
    assert job.status == 0, job.log
    assert (f"::warning::profrender: 3 jobs of the matrix share the name {name}:" in job.log) == is_warned, job.log


def test_what_cannot_be_checked_is_not_passed(runner):
    """The summary has the reason, in which nothing is Markdown."""
    job = runner.run(PULL, command="true", check="--max-peak 1GiB")
    assert (job.status, job.outputs["verdict"]) == (1, "none"), job.log
    assert re.search("^    profrender: .*no 'peak' to check", job.summary, re.M), job.summary
    job = runner.run(PULL, command="python job.py 20", check="--max-peak <b>`x`")
    assert job.outputs["verdict"] == "none"
    assert re.search("^    profrender: the limit '<b>`x`' ", job.summary, re.M), job.summary


def test_the_summary_says_when_nothing_was_compared(runner):
    remark = "There is no baseline yet"
    first = runner.run(PULL, command="python job.py 20")
    assert (first.status, first.outputs["verdict"]) == (0, "passed")
    assert remark in first.summary and "there was no rule to check" in first.summary
    compared = runner.run(PULL, command="python job.py 20", check="--functions")
    assert (compared.status, compared.outputs["verdict"]) == (0, "passed"), compared.log
    assert remark in compared.summary and "there was no rule to check" in compared.summary
    limited = runner.run(PULL, command="python job.py 20", check="--max-peak 1GiB")
    assert remark in limited.summary and "every rule holds" in limited.summary
    assert remark not in runner.run(PULL, command="python job.py 20", baseline="false").summary
    assert remark not in runner.run(PULL, command="true").summary, "without allocations there never is one"
    runner.run(PUSH, command="python job.py 20")
    assert remark not in runner.run(PULL, command="python job.py 20").summary


@pytest.mark.parametrize("wrong, status, said", [
    ({"command": " \n"}, 2, "there is no command to record"),
    ({"command": "true", "interval": "often"}, 2, "--interval takes seconds"),
    ({"command": "true", "cpu": "any"}, 2, "--cpu cannot be 'any'")])
def test_a_wrong_input_fails_the_step_that_it_is_for(wrong, status, said, runner):
    job = runner.run(PUSH, **wrong)
    assert job.status == status and said in job.log and "::error::profrender: " in job.log, job.log
    assert "cannot be opened" not in job.log
    assert job.artifacts == {}


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
    with_token = [step["name"] for step in action["runs"]["steps"] if "token" in json.dumps(step).lower()]
    assert with_token == ["Comment"]


class Comments(http.server.BaseHTTPRequestHandler):
    """The comments of pull request 7, as GitHub's interface has them; `server.comments`, `server.refused`."""

    def answer(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_one(self):
        path, _, query = self.path.partition("?")
        length = int(self.headers.get("Content-Length") or 0)
        document = json.loads(self.rfile.read(length)) if length else None
        if self.headers["Authorization"] != "Bearer the-token-of-the-job" or self.server.refused:
            return self.answer(403, {"message": "Resource not accessible by integration"})
        kept = self.server.comments
        if self.command == "GET" and path == "/repos/team/app/issues/7/comments":
            words = dict(word.split("=") for word in query.split("&"))
            size = int(words["per_page"])
            first = (int(words["page"]) - 1) * size
            return self.answer(200, kept[first:first + size])
        if self.command == "POST" and path == "/repos/team/app/issues/7/comments":
            kept.append({"id": len(kept) + 1, "user": {"type": "Bot"}, "body": document["body"]})
            return self.answer(201, kept[-1])
        if self.command == "PATCH" and path.startswith("/repos/team/app/issues/comments/"):
            found = next(comment for comment in kept if comment["id"] == int(path.rsplit("/", 1)[1]))
            found["body"] = document["body"]
            return self.answer(200, found)
        return self.answer(404, {"message": "Not Found"})

    do_GET = do_POST = do_PATCH = handle_one

    def log_message(self, *_):
        pass


@pytest.fixture
def github(runner):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Comments) as server:
        server.comments, server.refused = [], False
        threading.Thread(target=server.serve_forever, daemon=True).start()
        runner.api = f"http://127.0.0.1:{server.server_port}"
        yield server
        server.shutdown()


def test_a_comment_is_written_once_and_then_replaced(runner, github):
    other = "<!-- profrender: profile -->\nnot by a program"
    github.comments += [{"id": 1, "user": {"type": "User"}, "body": other}]
    github.comments += [{"id": number, "user": {"type": "User"}, "body": "x"} for number in range(2, 131)]
    first = runner.run(PULL, command="python job.py 20", check="--max-peak 1GiB", comment="true")
    assert first.status == 0, first.log
    assert len(github.comments) == 131
    body = github.comments[-1]["body"]
    assert body.startswith("<!-- profrender: profile -->\n**profile**: every rule holds. [Open the card](https://")
    second = runner.run(PULL, command="python job.py 20", check="--max-peak 10MiB", comment="true", fail="false")
    assert second.status == 0, second.log
    assert len(github.comments) == 131
    assert "a rule is broken" in github.comments[-1]["body"] and "features" in github.comments[-1]["body"]
    assert github.comments[0]["body"] == other
    assert "the-token" not in first.log + second.log


def test_without_being_asked_it_writes_no_comment(runner, github):
    runner.run(PULL, command="python job.py 20")
    runner.run({**PUSH}, command="python job.py 20", comment="true")
    assert github.comments == []


def test_a_comment_that_may_not_be_written_is_a_warning(runner, github):
    github.refused = True
    job = runner.run(PULL, command="python job.py 20", comment="true")
    assert job.status == 0
    assert "::warning::profrender: the comment could not be written" in job.log and "not accessible" in job.log
    assert "the-token" not in job.log


ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"


@pytest.fixture(scope="module")
def actionlint():
    """Its package is one of Go."""
    folder = ACTION.parent.parent.parent / "build/tests/actionlint"
    go = shutil.which("go") or pytest.skip("no Go here, which actionlint is installed by")
    if not (folder / "actionlint").is_file():
        done = subprocess.run([go, "install", ACTIONLINT], env={**os.environ, "GOBIN": str(folder)}, text=True,
                              capture_output=True, timeout=500)
        if done.returncode:
            pytest.skip(f"actionlint could not be installed: {done.stderr[-300:]}")
    return folder / "actionlint"


@pytest.mark.parametrize("mistake", ["", "no-such-input: 1"])
def test_actionlint_has_nothing_to_say_of_a_workflow_with_it(mistake, actionlint, tools, tmp_path):
    """It also looks into the action: a workflow that gives it what it does not take is an error."""
    shutil.copytree(ACTION, tmp_path / ".github/actions/profrender")
    (tmp_path / ".github/workflows").mkdir()
    example = (ACTION / "example.yml").read_text(encoding="utf-8")
    (tmp_path / ".github/workflows/profrender.yml").write_text(
        re.sub(r"( +)name: nightly-job\n", rf"\g<0>\1{mistake}\n", example), "utf-8")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    done = subprocess.run([actionlint, "-no-color", "-shellcheck", tools / "shellcheck"], cwd=tmp_path, text=True,
                          capture_output=True)
    assert (done.returncode, "no-such-input" in done.stdout) == ((1, True) if mistake else (0, False)), done.stdout
