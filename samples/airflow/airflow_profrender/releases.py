# SPDX-License-Identifier: Apache-2.0
"""What is elsewhere in Airflow 2.10 than in Airflow 3. The policy is loaded while Airflow itself is being imported, so
nothing here is imported before it is needed."""

from airflow import __version__

IS_2 = __version__.startswith("2.")


def object_storage(address):
    """The path of s3://CONNECTION@BUCKET/PREFIX, or of another scheme that a provider knows."""
    if IS_2:
        from airflow.io.path import ObjectStoragePath
    else:
        from airflow.sdk import ObjectStoragePath
    return ObjectStoragePath(address)


def current_context():
    """Of the task that runs; an error if there is none."""
    if IS_2:
        from airflow.operators.python import get_current_context
    else:
        from airflow.sdk import get_current_context
    return get_current_context()


def operator_link():
    """The class of links."""
    if IS_2:
        from airflow.models.baseoperatorlink import BaseOperatorLink
    else:
        from airflow.sdk import BaseOperatorLink
    return BaseOperatorLink
