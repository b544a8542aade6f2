# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of a composite action as GitHub's runner does: environment files, expressions, outputs.

Of actions that others have made there are two here: the cache, as a folder, and the upload, which only checks that
there is one file without a name of its own.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path


class Runner:
    def __init__(self, action, place, folder, path):
        self.action = action  # action.yml, parsed
        self.folder = folder  # where action.yml is
        self.place = place
        self.path = path
        self.cache = place / "cache"
        self.workspace = place / "workspace"
        for made in (self.cache, self.workspace):
            made.mkdir(parents=True)

    api = "http://127.0.0.1:9"  # of GitHub; nobody is there unless a test is

    def run(self, github, **inputs):
        """The result of a job with this one step."""
        return Job(self, github, inputs).run()

    def run_after(self, job, github, **inputs):
        """The result of a later step of JOB that uses the action again."""
        return Job(self, github, inputs, files=job.files).run()

    def cancel(self, begun, github, **inputs):
        """The same, but the job is cancelled when there is a file BEGUN in the workspace."""
        return Job(self, github, inputs, self.workspace / begun).run()


class Job:
    def __init__(self, runner, github, inputs, begun=None, files=None):
        self.runner = runner
        self.begun, self.is_cancelled = begun, False
        self.files = files or Path(runner.place) / f"job{len(list(runner.place.iterdir()))}"
        self.files.mkdir(exist_ok=True)
        known = {name: self.filled_default(known.get("default", ""))
                 for name, known in runner.action["inputs"].items()}
        required = {name for name, known in runner.action["inputs"].items() if known.get("required")}
        assert required <= set(inputs) <= set(known), inputs
        github = {"base_ref": "", "ref_name": "main", "event_name": "push", "sha": "0" * 40, **github}
        matrix, system = github.pop("matrix", None), github.pop("os", "Linux")
        self.context = {"inputs": {**known, **inputs}, "github": github, "steps": {},
                        "runner": {"os": system, "arch": "X64"}, "matrix": matrix,
                        "strategy": {"job-index": 0, "job-total": 3 if matrix else 1}}
        self.status, self.log, self.artifacts, self.summary = 0, "", {}, ""

    @staticmethod
    def filled_default(text):
        """The only expression in a default is the job's own token."""
        return text.replace("${{ github.token }}", "the-token-of-the-job")

    def run(self):
        for step in self.runner.action["runs"]["steps"]:
            condition = step.get("if", "true")
            may_run = "always()" in condition or (self.status == 0 and not self.is_cancelled)
            if may_run and self._value(condition) not in ("", False):
                outputs = self._used(step) if "uses" in step else self._shell(step)
                self.context["steps"][step.get("id")] = {"outputs": outputs}
        self.outputs = {name: self._filled(known["value"]) for name, known in self.runner.action["outputs"].items()}
        return self

    def _lookup(self, name):
        found = self.context
        for part in name.split("."):
            found = found.get(part, "") if isinstance(found, dict) else ""
        return found

    def _value(self, expression):
        """Names, texts, ==, !=, && and ||, always() and toJSON(matrix): what the action uses."""
        pieces = []
        words = {"&&": "and", "||": "or", "true": "True", "always()": "True",
                 "toJSON(matrix)": repr(json.dumps(self.context["matrix"], indent=2))}
        for piece in re.findall(r"'[^']*'|==|!=|&&|\|\||always\(\)|toJSON\(matrix\)|[\w.-]+", str(expression)):
            is_name = re.match(r"[A-Za-z]", piece) and piece not in words
            pieces.append(repr(self._lookup(piece)) if is_name else words.get(piece, piece))
        return eval(" ".join(pieces), {"__builtins__": {}})  # of our own action.yml

    def _filled(self, text):
        return re.sub(r"\$\{\{(.*?)\}\}", lambda found: str(self._value(found[1])), str(text))

    def _shell(self, step):
        output, summary = self.files / "output", self.files / "summary"
        output.write_text("", encoding="utf-8")
        summary.write_text("", encoding="utf-8")
        env = {"PATH": self.runner.path, "HOME": str(self.files), "GITHUB_OUTPUT": str(output),
               "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_ACTION_PATH": str(self.runner.folder),
               "GITHUB_WORKSPACE": str(self.runner.workspace), "GITHUB_SERVER_URL": "https://git.example.com",
               "GITHUB_API_URL": self.runner.api, "GITHUB_REPOSITORY": "team/app",
               "GITHUB_SHA": self.context["github"]["sha"], "GITHUB_REF_NAME": self.context["github"]["ref_name"],
               "GITHUB_BASE_REF": self.context["github"]["base_ref"],
               "RUNNER_TEMP": str(self.files), "RUNNER_OS": self.context["runner"]["os"], "LC_ALL": "C.UTF-8",
               **{name: self._filled(value) for name, value in step.get("env", {}).items()}}
        assert "${{" not in step["run"], "an expression in a script is an injection"
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        with (self.files / "log").open("w+", encoding="utf-8") as log:
            process = subprocess.Popen(command, env=env, cwd=self.runner.workspace, stdin=subprocess.DEVNULL,
                                       stdout=log, stderr=subprocess.STDOUT)
            if self.begun and not self.is_cancelled:
                self._cancel(process)
            status = process.wait(200)
            log.seek(0)
            self.log += log.read()
        self.status = self.status or status
        self.summary += summary.read_text(encoding="utf-8")
        return dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())

    def _cancel(self, process):
        """As the runner does: a signal to the shell that it started, a stronger one, and an end to all that is left."""
        while not self.begun.exists() and process.poll() is None:
            time.sleep(0.05)
        self.is_cancelled = True
        for number, seconds in ((signal.SIGINT, 7.5), (signal.SIGTERM, 2.5)):
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
        if process.poll() is None:
            for pid in reversed(below(process.pid)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def _used(self, step):
        name, version = step["uses"].split("@")
        assert re.fullmatch(r"[0-9a-f]{40}", version), "not pinned"
        words = {key: self._filled(value) for key, value in step["with"].items()}
        if name == "actions/upload-artifact":
            assert step["with"]["archive"] is False and "name" not in words
            card = Path(words["path"])
            self.artifacts[card.name] = card.read_text(encoding="utf-8")
            return {"artifact-url": f"https://git.example.com/artifacts/{card.name}"}
        assert "," not in words["key"], "actions/cache refuses it, and fails the job"
        kept, folder = self.runner.cache / words["key"].replace("/", "%"), Path(words["path"])
        if name == "actions/cache/save":
            shutil.copytree(folder, kept)
        else:
            assert name == "actions/cache/restore"
            wanted = words["restore-keys"].replace("/", "%")
            found = sorted(self.runner.cache.glob(f"{wanted}*"), key=os.path.getmtime)
            if found:
                shutil.copytree(found[-1], folder, dirs_exist_ok=True)
        return {}


def below(pid):
    """The process and its descendants, itself first."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    found = children.read_text().split() if children.exists() else []
    return [pid, *(each for child in found for each in below(int(child)))]
