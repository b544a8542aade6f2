# SPDX-License-Identifier: Apache-2.0
"""The environments of third-party packages that tests use: tests/support/packages.py."""

import packages


def test_an_environment_whose_python_has_gone_is_made_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(packages, "ROOT", tmp_path)
    monkeypatch.setattr(packages, "by_uv", lambda *_: "")  # as on a machine without it
    folder = tmp_path / "any"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/python").symlink_to(tmp_path / "removed")
    (folder / packages.READY).write_text("", encoding="utf-8")
    assert packages.installed("any", folder, "") == folder / "bin"
    assert (folder / "bin/python").exists()
