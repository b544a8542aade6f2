# SPDX-License-Identifier: Apache-2.0
"""Does the program report the same for the captures of samples/ as memray's own reader?"""

from pathlib import Path

import pytest
from memray_samples import Sample

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"
CAPTURES = [path.with_name(path.name.replace(".expected.json", ".bin"))
            for path in sorted(SAMPLES.glob("*.expected.json"))]
DOCUMENTS = [(path, name) for path in CAPTURES for name in Sample(None, path).documents()]


@pytest.mark.parametrize("path, name", DOCUMENTS, ids=[f"{path.stem}: {name}" for path, name in DOCUMENTS])
def test_a_document_is_as_memray_has_it(path, name, program):
    wrong = list(Sample(program, path).documents()[name]())
    assert not wrong, "\n".join(wrong[:5])
