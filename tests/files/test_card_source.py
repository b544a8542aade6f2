# SPDX-License-Identifier: Apache-2.0
"""`card --source` reads files of my code beneath the root, whatever file a capture names."""

import base64
import json
import os
import re
import socket
import subprocess

import pytest

CODE = "".join(f"PROJLINE {i}\n" for i in range(1, 51))
SECRET = "".join(f"SECRETLINE {i}\n" for i in range(1, 51))


@pytest.fixture
def project(tmp_path, monkeypatch):
    """proj/ with code in it and every way out of it; out/ next to it has what must stay private."""
    root, out = tmp_path / "proj", tmp_path / "out"
    (root / "pkg").mkdir(parents=True)
    out.mkdir()
    (root / "pkg/a.py").write_text(CODE)
    (root / "pkg/data.txt").write_text(SECRET)
    (root / ".env").write_text(SECRET)
    (root / ".git").mkdir()
    (root / ".git/hook.py").write_text(SECRET)
    (root / "pkg/.secret.py").write_text(SECRET)
    (root / "id_rsa").write_text(SECRET)
    (root / "venv/lib/python3.12/site-packages/lib").mkdir(parents=True)
    (root / "venv/lib/python3.12/site-packages/lib/b.py").write_text(SECRET)
    (out / "secret.py").write_text(SECRET)
    (root / "pkg/link.py").symlink_to("../../out/secret.py")
    (root / "pkg/absolute.py").symlink_to(out / "secret.py")
    (root / "pkg/inside.py").symlink_to("../.env")
    (root / "dirlink").symlink_to("../out")
    (root / "magic").symlink_to("/proc/self/root")
    os.mkfifo(root / "pkg/fifo.py")
    with socket.socket(socket.AF_UNIX) as end:
        monkeypatch.chdir(root / "pkg")
        end.bind("socket.py")
    return root


def texts(page):
    """What the page holds: path -> its lines."""
    packed = re.search(r'id="pr-sources">([^<]*)<', page)
    if not packed:
        return {}
    raw = subprocess.run(["zstd", "-dcq"], input=base64.b64decode(packed.group(1)), capture_output=True, check=True)
    return dict(json.loads(raw.stdout)["files"])


def card(program, capture, *words, files):
    capture.write_text("".join(f"f ({file}:3) 5\n" for file in files))
    page = capture.with_suffix(".html")
    page.unlink(missing_ok=True)
    done = program("card", capture, "-o", page, "--source", *words, timeout=60)
    return done, page.read_text() if page.exists() else ""


OUT = ["{root}/../out/secret.py", "{root}/pkg/../../out/secret.py", "../out/secret.py", "pkg/../../out/secret.py",
       "{root}/pkg/link.py", "{root}/pkg/absolute.py", "{root}/pkg/inside.py", "{root}/dirlink/secret.py",
       "dirlink/secret.py", "{root}//etc/passwd", "/etc/passwd", "{root}/pkg/fifo.py", "{root}/pkg/socket.py",
       "{root}/pkg/./../../../../../../../etc/passwd", "{root}/magic/etc/passwd", "{root}/.env", ".env",
       "{root}/.git/hook.py", "{root}/pkg/.secret.py", "{root}/pkg/data.txt", "{root}/id_rsa", "{root}", "{root}/pkg",
       "{root}/venv/lib/python3.12/site-packages/lib/b.py", "{root}/pkg/../venv/lib/python3.12/site-packages/lib/b.py",
       "{root}/pkg/a.py/../../.env", "{root}-other/x.py", "{out}/secret.py", "./.env", "~/.ssh/id_rsa"]


@pytest.mark.parametrize("file", OUT)
def test_no_file_but_my_code_gets_into_the_page(program, project, tmp_path, file):
    name = file.format(root=project, out=tmp_path / "out")
    done, page = card(program, tmp_path / "c.folded", "--root", project, files=[name, f"{project}/pkg/a.py"])
    assert done.status == 0
    assert list(texts(page)) == [f"{project}/pkg/a.py"]
    assert "SECRETLINE" not in page and "root:x" not in page


def test_all_of_them_at_once_and_a_root_with_another_spelling(program, project, tmp_path, monkeypatch):
    names = [file.format(root=project, out=tmp_path / "out") for file in OUT]
    for root in (f"{project}/", f"{project}/../proj", "."):
        monkeypatch.chdir(project)
        done, page = card(program, tmp_path / "c.folded", "--root", root, files=names)
        assert done.status == 0
        assert texts(page) == {}


def test_my_code_gets_in_whatever_its_spelling(program, project, tmp_path):
    names = ["pkg/a.py", f"{project}/pkg/a.py", f"{project}/tests/../pkg/a.py", "./pkg//a.py"]
    done, page = card(program, tmp_path / "c.folded", "--root", project, "--verbose", files=names)
    assert sorted(texts(page)) == sorted(names)
    assert all(lines[:1] == ["PROJLINE 1"] for lines in texts(page).values())
    assert done.err.count("the text of pkg/a.py goes into the page (591 B)") == 4


def test_the_page_names_the_files_that_are_in_it(program, project, tmp_path):
    (project / "b.py").write_text(CODE)
    _, page = card(program, tmp_path / "c.folded", "--root", project, files=["pkg/a.py", "b.py", "none.py"])
    assert "The text of 2\u00a0files is in this page" in page or "The text of 2 files is in this page" in page
    assert re.search(r"<ul class='mono'>\s*<li>pkg/a.py</li>\s*<li>b.py</li>\s*</ul>", page.replace("<wbr>", ""))


def test_source_needs_a_root_that_is_here(program, project, tmp_path):
    done, page = card(program, tmp_path / "c.folded", files=["/etc/passwd", f"{project}/pkg/a.py"])
    assert (done.status, page) == (2, "")
    assert "--source needs --root DIR" in done.err
    for root in (tmp_path / "nowhere", project / "pkg/a.py"):
        done, page = card(program, tmp_path / "c.folded", "--root", root, files=["a.py"])
        assert (done.status, page) == (2, "")
        assert "cannot be opened" in done.err


def test_nothing_found_is_said(program, project, tmp_path):
    done, _ = card(program, tmp_path / "c.folded", "--root", project, files=["/srv/other/a.py"])
    assert done.status == 0
    assert "no file of your code" in done.err
