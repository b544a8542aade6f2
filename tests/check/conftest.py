# SPDX-License-Identifier: Apache-2.0
"""What the tests of `check` share."""

import json
from dataclasses import dataclass

import pytest

FORMATS = ("json", "junit", "github", "markdown", "codequality", "openmetrics", "sarif", "bencher", "benchmark")


@dataclass
class Verdict:
    """The exit status, the document, and the other messages."""

    status: int
    document: dict
    err: str

    def rules(self, answer):
        return [finding["rule"] for finding in self.document[answer]]

    @property
    def broken(self):
        return self.rules("reasons")

    @property
    def untold(self):
        return self.rules("cannot_tell")

    def finding(self, rule):
        """The one finding of a rule, whatever became of it."""
        found = [finding for answer in ("reasons", "cannot_tell", "kept") for finding in self.document[answer]
                 if finding["rule"] == rule]
        assert len(found) == 1, (rule, self.document)
        return found[0]


@pytest.fixture
def check(program):
    """`check(run, "--max-peak", "1MiB")` is a verdict; baseline=[...] lists what it is compared with."""

    def judge(run, *words, baseline=(), **how):
        words += tuple(word for path in baseline for word in ("--baseline", path))
        answer = program("check", run, "--json", *words, **how)
        return Verdict(answer.status, json.loads(answer.out) if answer.out else None, answer.err)

    return judge


@pytest.fixture
def reports(program, tmp_path):
    """The same check in every format, and in the terminal: texts by their names."""

    def write(run, *words, baseline=()):
        words += tuple(word for path in baseline for word in ("--baseline", path))
        files = {name: tmp_path / f"report.{name}" for name in FORMATS}
        answer = program("check", run, *words, *[word for name, path in files.items()
                                                 for word in ("--report", f"{name}={path}")])
        return {"text": answer.out, **{name: path.read_text() for name, path in files.items()}}

    return write
