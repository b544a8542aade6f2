# SPDX-License-Identifier: Apache-2.0
"""The rows of `profrender summary`."""
import re

import pytest

SHARE = re.compile(r" ([\d.]+) %")


@pytest.mark.parametrize("name", ["nightly", "cpu/etl.tachyon", "cpu/fanout.pyi.speedscope.json", "cpu/shop.jfr.zst"])
def test_rows_are_in_the_order_of_the_figure_they_show(program, samples, name):
    lines = program("summary", "--limit", "0", samples / name).out.splitlines()
    shares = [float(SHARE.search(line).group(1)) for line in lines if SHARE.search(line) and not line.endswith(" all")]
    assert len(shares) > 5
    assert shares == sorted(shares, reverse=True)


def test_qualified_names_that_are_cut_keep_what_tells_them_apart(program, samples):
    lines = program("summary", "--limit", "0", "--width", "120", samples / "cpu/shop.jfr.zst").out.splitlines()
    assert any("…PlatformRecorder.start " in line for line in lines)
    assert not any("jdk.jfr.internal.…" in line for line in lines)
