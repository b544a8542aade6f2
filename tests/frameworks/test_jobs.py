# SPDX-License-Identifier: Apache-2.0
"""The pages of doc/integrations on Ray, Dagster, Prefect and Spark: their lines run and make the cards they promise."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from frameworks import look, text, with_wheel

PAGES = Path(__file__).resolve().parent.parent.parent / "doc/integrations"
SLOW_START = {"PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "400", "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
              "RAY_USAGE_STATS_ENABLED": "0", "DAGSTER_DISABLE_TELEMETRY": "1"}


def script(page):
    """The first indented block of a page that is Python."""
    blocks = re.findall(r"(?:^(?: {4}.*)?\n)+", (PAGES / f"{page}.md").read_text(encoding="utf-8"), re.M)
    found = next(block for block in blocks if block.lstrip().startswith("import profrender"))
    return "\n".join(line[4:] for line in found.splitlines()) + "\n"


@pytest.fixture
def job(tmp_path):
    """`job(PAGE, WORDS)` runs the script of a page in an empty folder: ({name of a card: its text}, output)."""
    def run(page, *words):
        programs = with_wheel(page)
        (tmp_path / "job.py").write_text(script(page), encoding="utf-8")
        env = {"PATH": f"{programs}:{Path(shutil.which('java') or '/usr/bin/java').parent}:/usr/bin:/bin",
               "HOME": str(tmp_path), **SLOW_START}
        done = subprocess.run([*(words or ("python",)), "job.py"], cwd=tmp_path, env=env, text=True, timeout=500,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0, done.stdout
        return {card.stem: text(card) for card in tmp_path.rglob("*.html")}, done.stdout
    return run


def test_tasks_of_ray_have_cards(job, tmp_path):
    cards, said = job("ray")
    assert "[100000, 100000]" in said
    assert sorted(cards) == ["load-north", "load-south"]
    for store in ("north", "south"):
        assert f"load {store}" in cards[f"load-{store}"] and "Succeeded" in cards[f"load-{store}"]
    card = look((tmp_path / "cards/load-north.html").as_uri())["card"]
    assert card["frames"] > 0 and "load" in card["text"]


def test_an_op_of_dagster_has_a_card_in_the_metadata_of_its_output(job):
    cards, _ = job("dagster")
    assert list(cards) == ["load"]
    assert "Succeeded" in cards["load"] and re.search(r"job\.py:\d+", cards["load"])


def test_tasks_of_prefect_have_cards_with_its_names(job):
    cards, said = job("prefect")
    assert "[100000, 100000]" in said
    assert len(cards) == 2
    for name, card in cards.items():
        assert name.startswith("load-") and f"Task {name}" in card and "Attempt 1" in card, card[:500]


def test_spark_is_recorded_in_the_driver_and_in_each_partition(job):
    cards, said = job("spark", "profrender", "record", "-o", "run", "--card", "driver.html", "--", "spark-submit")
    assert "333328333350000" in said
    assert sorted(cards) == ["driver", "part-0", "part-1"]
    assert "Succeeded" in cards["driver"] and re.search(r"Processes [2-9]", cards["driver"]), "the JVM and Python's"
    assert "squares" in cards["part-1"]


@pytest.mark.parametrize("page", sorted(path.stem for path in PAGES.glob("*.md") if path.stem != "python"))
def test_a_page_has_about_ten_lines(page):
    assert len([line for line in script(page).splitlines() if line]) <= 16
