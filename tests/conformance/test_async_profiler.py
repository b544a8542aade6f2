# SPDX-License-Identifier: Apache-2.0
"""Flight recordings, compared with the converter of async-profiler: the weight of each stack.

Events without a stack, of which it has some and lacks others, are compared with `jfr print` (test_jfr.py).
"""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from jars import jar

CONVERTER = "tools.profiler:async-profiler-converter:3.0"
RECORDINGS = sorted((Path(__file__).resolve().parent.parent.parent / "samples/cpu").glob("*.jfr.zst"))
# option of the converter: (our metrics, what of a record counts, the unit of the converter)
ASKED = {
    "--alloc --total": (["allocated"], "self", 1),
    "--lock --total": (["lock", "park"], "self", 1e9),
    "": (["cpu", "native"], "samples", 1),
}


@pytest.fixture(scope="module")
def converter():
    if not shutil.which("java") or not shutil.which("mvn"):
        pytest.skip("there is no Java or no Maven")
    path = jar(CONVERTER)
    if not path:
        pytest.skip(f"{CONVERTER} cannot be had")
    return path


@pytest.fixture(scope="module", params=RECORDINGS, ids=lambda path: path.name)
def recording(request, tmp_path_factory):
    plain = tmp_path_factory.mktemp("jfr") / request.param.stem
    subprocess.run(["zstd", "-dqf", request.param, "-o", plain], check=True)
    return plain


def bare(frame):
    """A method or class without the kind of frame, the numbers of lambdas, and what is done with a class."""
    frame = re.sub(r"_\[.\]$", "", frame)
    frame = re.sub(r"(\$\$Lambda)(?:[$+/.](?:0x[0-9a-f]+|\d+))+", r"\1", frame)
    return re.sub("^(new|lock of|parked for) ", "", frame)


@pytest.mark.parametrize("option", ASKED)
def test_stacks_are_those_of_the_converter(option, converter, recording, program, tmp_path):
    metrics, key, unit = ASKED[option]
    subprocess.run(["java", "-cp", converter, "jfr2flame", "--collapsed", "--dot", *option.split(), recording,
                    tmp_path / "stacks"], check=True, stdout=subprocess.DEVNULL)
    want, got = Counter(), Counter()
    for line in (tmp_path / "stacks").read_text().splitlines():
        stack, _, value = line.rpartition(" ")
        want[tuple(bare(frame) for frame in reversed(stack.removesuffix(";null").split(";")))] += int(value)
    known = {metric["name"] for metric in program("info", recording, "--json").json()["metrics"]}
    for metric in known.intersection(metrics):
        for record in program("export", recording, "--metric", metric).json()["records"]:
            got[tuple(bare(function) for function, *_ in record["stack"])] += round(record[key] * unit)
    want, got = ({stack: value for stack, value in each.items() if len(stack) > 1} for each in (want, got))
    assert want
    assert got == pytest.approx(want, rel=1e-6)
