# SPDX-License-Identifier: Apache-2.0
"""Peak memory on the card of a run: never below the known peak of one of its processes."""

import json
import re

import pytest

MIB = 1024 * 1024


def card(program, folder, sampled_mib, largest_mib):
    lines = [{"type": "start", "version": 1, "t": 1795249143.5, "argv": ["job"], "pid": 1, "interval": 1, "ncpu": 2},
             {"ts": 0, "rss_mb": sampled_mib}, {"ts": 0.5, "rss_mb": sampled_mib},
             {"type": "end", "t": 1795249144.5, "wall": 1, "exit": 0, "signal": None, "core": False,
              "rusage": {"utime": 0.5, "stime": 0, "maxrss_kb": largest_mib * 1024}}]
    (folder / "timeline.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert program("card", folder / "timeline.jsonl", "-o", folder / "card.html").status == 0
    text = re.sub("<script.*?</script>|<style.*?</style>", "", (folder / "card.html").read_text(), flags=re.S)
    return re.sub(r"[\s\xa0\u202f]+", " ", re.sub("<[^>]+>", " ", text))


@pytest.mark.parametrize("sampled, largest, shown", [(16, 38, "38.0 MiB"), (40, 38, "40.0 MiB"), (38, 38, "38.0 MiB")])
def test_the_larger_of_samples_and_largest_process_is_the_peak(program, tmp_path, sampled, largest, shown):
    text = card(program, tmp_path, sampled, largest)
    assert re.search(r"Peak memory " + re.escape(shown), text)
    assert ("at least, for one process" in text) == (largest > sampled)
    assert "Largest process" not in text
