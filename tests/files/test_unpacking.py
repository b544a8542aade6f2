# SPDX-License-Identifier: Apache-2.0
"""Small files that unpack to huge ones end with a message, not after hours."""

import gzip
import json
import subprocess
import tarfile

import pytest

LINE = b"main;work 1\n"


def zst(data, path):
    path.write_bytes(subprocess.run(["zstd", "-q"], input=data, capture_output=True, check=True).stdout)
    return path


@pytest.fixture(scope="module")
def bomb(tmp_path_factory):
    """3 KB that are 600 MB: packed twice."""
    return zst(zst(LINE * 50_000_000, tmp_path_factory.mktemp("bomb") / "b.zst").read_bytes(),
               tmp_path_factory.mktemp("bomb") / "b.zst.zst")


def problem(program, *words):
    return json.loads(program("info", "--json", *words).out)["problem"]


def test_a_bomb_ends_with_a_word_and_what_was_read_is_kept(program, bomb):
    assert bomb.stat().st_size < 10_000
    done = program("info", bomb, "--strict")
    assert done.status == 3
    assert "not complete" in done.err and "times its size" in done.err and "--max-unpack-ratio" in done.err
    assert "Weight" in done.out


def test_the_limit_is_an_option(program, tmp_path):
    packed = zst(LINE * 100_000, tmp_path / "c.zst")
    assert problem(program, packed) is None
    assert "more than the limit of 1000000 bytes" in str(problem(program, packed, "--max-unpacked", "1MB"))
    assert problem(program, packed, "--max-unpacked", "1200000") is None
    assert problem(program, packed, "--max-unpack-ratio", "1") is None  # 256 MiB are free


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: subprocess.run(
    ["zstd", "-q"], input=data, capture_output=True, check=True).stdout])
def test_all_files_of_a_run_count_together(program, tmp_path, pack):
    run = tmp_path / "run"
    run.mkdir()
    (run / "run.json").write_text('{"schema": "profrender/run/1"}')
    for i in range(8):
        (run / f"a{i}.folded.gz").write_bytes(pack(LINE * 10_000))
    with tarfile.open(tmp_path / "run.tar", "w") as tar:
        tar.add(run, "run")
    (tmp_path / "packed.tar.gz").write_bytes(pack((tmp_path / "run.tar").read_bytes()))
    for path in (run, tmp_path / "run.tar", tmp_path / "packed.tar.gz"):
        assert program("info", path, "--strict").status == 0
        assert program("info", path, "--strict", "--max-unpacked", "2MB").status == 0
        done = program("info", path, "--strict", "--max-unpacked", "900kB")
        assert done.status == 3
        assert "unpacks to more than the limit of 900000 bytes" in done.err


def test_what_is_not_packed_has_no_limit(program, tmp_path):
    (tmp_path / "c.folded").write_bytes(LINE * 1000)
    assert program("info", tmp_path / "c.folded", "--strict", "--max-unpacked", "1").status == 0


def test_a_digest_counts_too(program, samples, tmp_path):
    assert program("digest", samples / "daily-sales.bin", "-o", tmp_path / "d.prz").status == 0
    done = program("info", tmp_path / "d.prz", "--max-unpacked", "100")
    assert done.status == 3
    assert "unpacks to more than the limit" in done.err
