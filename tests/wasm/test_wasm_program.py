# SPDX-License-Identifier: Apache-2.0
"""The WebAssembly program in node: the same bytes as the native one, and files as on any system.

`python3 tests/run.py wasm` runs the golden and conformance suites with it too; differences.txt lists what differs.
"""

import gzip
import subprocess

import pytest

MOST_GZIP_BYTES = 1_000_000  # of the program: a page has it within


def files_of(samples):
    """Samples of all formats: captures, profiles, timelines."""
    found = [*samples.glob("*.bin"), *(samples / "cpu").iterdir(), *(samples / "timeline").iterdir()]
    return sorted(path for path in found if path.is_file())


def differing(one, other, words, paths):
    """Names of PATHS for which the two programs do not answer the same, byte for byte."""
    for path in paths:
        answers = [program(*words, "--", path) for program in (one, other)]
        if len({(answer.status, answer.bytes, answer.err) for answer in answers}) > 1:
            yield f"{path.name}: {answers}"


def test_cards_are_the_native_ones(program, wasm, samples):
    paths = files_of(samples)
    assert len(paths) > 40
    # Native names are looked up on this machine, which a WebAssembly program cannot.
    assert not list(differing(program, wasm, ["card", "--native", "off", "-o", "-"], paths))


def test_digests_are_the_native_ones(program, wasm, samples):
    assert not list(differing(program, wasm, ["digest", "-o", "-"], sorted(samples.glob("*daily*.bin"))))


def test_a_run_and_several_files_are_one_card(program, wasm, samples):
    for words in ([samples / "nightly"], [samples / "daily-sales.bin", samples / "nightly/stderr.log"]):
        cards = [one("card", "--native", "off", "-o", "-", "--", *words) for one in (program, wasm)]
        assert cards[0].status == cards[1].status == 0
        assert cards[0].bytes == cards[1].bytes


def test_a_card_from_a_pipe_goes_to_a_pipe(program, wasm, samples):
    capture = (samples / "daily-sales.bin").read_bytes()
    cards = [one("card", "-o", "-", "--", "-", input=capture).bytes for one in (program, wasm)]
    assert cards[0] == cards[1] and cards[0]


def test_an_output_appears_whole_and_replaces_what_a_link_leads_to(wasm, samples, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real/card.html").write_text("old")
    (tmp_path / "link.html").symlink_to("real/card.html")
    assert wasm("card", samples / "daily-sales.bin", "-o", tmp_path / "link.html").status == 0
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "real/card.html").read_bytes().startswith(b"<!doctype html>")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["card.html", "link.html", "real"]


def test_a_refused_output_leaves_nothing(wasm, samples, tmp_path):
    (tmp_path / "card.html").write_text("old")
    assert wasm("card", "--input-format", "memray", samples / "README.md", "-o", tmp_path / "card.html").status == 3
    assert [path.name for path in tmp_path.iterdir()] == ["card.html"]
    assert (tmp_path / "card.html").read_text() == "old"
    assert wasm("card", samples / "daily-sales.bin", "-o", tmp_path / "no/card.html").status == 4


def test_names_are_relative_to_the_working_folder(wasm, samples, tmp_path):
    (tmp_path / "capture.bin").write_bytes((samples / "daily-sales.bin").read_bytes())
    assert wasm("card", "capture.bin", "-o", "./x.html", cwd=tmp_path).status == 0
    assert (tmp_path / "x.html").is_file()


@pytest.mark.parametrize("link", ["file", "folder", "way out"])
def test_source_is_only_read_beneath_the_root(program, wasm, samples, tmp_path, link):
    """--source puts lines of files into the card that the capture names: no link leads to another file."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir(), outside.mkdir()
    script = samples / "demo/daily_sales.py"
    (outside / "daily_sales.py").write_text(f"secret_word = 1\n{script.read_text()}")
    if link == "file":
        (root / "daily_sales.py").symlink_to(outside / "daily_sales.py")
    elif link == "folder":
        (root / "samples").symlink_to(outside)
    else:
        (root / "samples").symlink_to("..")
    card = wasm("card", samples / "daily-sales.bin", "--root", root, "--source", "-o", "-")
    assert card.status == 0 and b"secret_word" not in card.bytes


def test_memory_grows_in_node(wasm, root, tmp_path):
    """Hundreds of megabytes: there node 20 and 22 crash without the flag that the command sets."""
    capture = tmp_path / "large.bin"
    maker = root / "build/tests/make_capture"
    subprocess.run([maker, "live", "4000000", capture], check=True)
    assert wasm("stats", capture).status == 0


def test_the_program_is_small(wasm, root):
    packed = gzip.compress((root / "build/wasm/package/profrender.wasm").read_bytes(), 9)
    assert len(packed) < MOST_GZIP_BYTES


def test_the_program_names_no_folder_of_its_build(wasm, root):
    assert str(root).encode() not in (root / "build/wasm/package/profrender.wasm").read_bytes()


def test_the_package_has_its_licences(wasm, root):
    licences = root / "build/wasm/package/licenses"
    assert {"wasi-libc", "libzstd-dev", "libcmark-dev", "libiberty-dev"} <= {path.name for path in licences.iterdir()}
