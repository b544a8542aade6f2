# SPDX-License-Identifier: Apache-2.0
"""An Airflow with a folder, a database and DAGs of its own, and its server: what tests of releases 2 and 3 share."""

import os
import re
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import quote

from frameworks import text, with_sample, with_wheel
from ports import free_port

HERE = Path(__file__).resolve().parent
EXAMPLE = HERE.parent.parent / "samples/airflow/example/nightly_sales.py"
START_S = 180


class Airflow:
    def __init__(self, programs, folder, **env):
        self.programs = programs
        self.home = folder / "home"
        self.dags = folder / "dags"
        self.dags.mkdir()
        shutil.copy(EXAMPLE, self.dags)
        shutil.copy(HERE / "cases_dag.py", self.dags)
        shutil.copy(HERE / "cases_data_dag.py", self.dags)
        self.env = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(folder), "AIRFLOW_HOME": str(self.home),
                    "AIRFLOW__CORE__LOAD_EXAMPLES": "false", "AIRFLOW__CORE__DAGS_FOLDER": str(self.dags),
                    "NO_COLOR": "1", "AIRFLOW__PROFRENDER__TASKS": "nightly_*, tag:heavy, others.chosen",
                    "AIRFLOW__PROFRENDER__INTERVAL": "0.1", **env}

    def __call__(self, *words, **env):
        done = subprocess.run([self.programs / "airflow", *words], env={**self.env, **env}, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=500)
        return done.returncode, done.stdout

    def test_run(self, dag, **env):
        """The run of `airflow dags test`: (its id, output)."""
        _, said = self("dags", "test", dag, **env)
        return re.search(r"DagRun Finished: .*? run_id=([^,]+),", said)[1], said

    def cards(self, dag, run):
        """{task/map index/attempt: text of the card}"""
        place = self.home / "profrender" / dag / run
        return {str(card.relative_to(place).with_suffix("")): text(card) for card in place.rglob("*.html")}

    def recordings(self):
        return [path for path in (self.home / "profrender").rglob("run.json")]


def airflow_of(name, folder, **env):
    """The one of tests/requirements/NAME.txt with our packages and a database."""
    with_wheel(name)
    made = Airflow(with_sample(name, "airflow"), folder, **env)
    status, said = made("db", "migrate")
    assert status == 0, said
    return made


class Server:
    """Airflow's server on a port of its own; `health` is the path that answers once it has started."""

    def __init__(self, airflow, words, health, **env):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            [airflow.programs / "airflow", *words, "--port", str(port), "--workers", "1"], env={**airflow.env, **env},
            start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + START_S
        while self.get(health)[0] != 200:
            assert time.monotonic() < end and self.process.poll() is None, "the server does not start"
            time.sleep(0.5)

    def get(self, path, token=None, opener=None, **how):
        """(status, headers, body)"""
        headers = {**how.pop("headers", {}), **({"Authorization": f"Bearer {token}"} if token else {})}
        request = urllib.request.Request(self.url + path, headers=headers, **how)
        try:
            with (opener.open if opener else urllib.request.urlopen)(request, timeout=60) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read().decode()
        except OSError:
            return 0, {}, ""

    def stop(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(60)


def page(run, task, index="-1", dag="nightly_sales"):
    return f"/profrender/ti/{dag}/{task}/{index}/{quote(run, safe='')}"
