# SPDX-License-Identifier: Apache-2.0
"""What both releases of Airflow are asked to run; each of their tests has an `airflow` of its own."""

import pytest


@pytest.fixture(scope="module")
def sales(airflow):
    """(run id, cards, output) of the example."""
    run, said = airflow.test_run("nightly_sales")
    return run, airflow.cards("nightly_sales", run), said


@pytest.fixture(scope="module")
def cases(airflow):
    """The same of cases_dag.py."""
    run, said = airflow.test_run("others")
    return run, airflow.cards("others", run), said


@pytest.fixture(scope="module")
def tables(airflow):
    """The same of cases_data_dag.py."""
    run, said = airflow.test_run("tables")
    return run, airflow.cards("tables", run), said
