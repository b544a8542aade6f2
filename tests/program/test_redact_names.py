# SPDX-License-Identifier: Apache-2.0
"""`--redact names`: no name of the user's own code is in any output, and everything still matches."""

import json
import re
import shutil
import subprocess
import sys

import pytest
from every_output import outputs, unpacked, unzstd

KEY = "a key for tests, no secret"
ENV_KEY = {"PROFRENDER_REDACT_KEY": KEY, "PATH": "/usr/bin:/bin"}
INTERPRETER = re.compile(r"<(main|top \(required\)|module|lambda|listcomp|dictcomp|setcomp|genexpr|string|stdin)>|"
                         r"\(\w[\w ]*\)|\[.*\]?|")
LIBRARY = re.compile(r"(^|/)(site|dist)-packages/|(^|/)lib(64)?/python\d|^<|^/usr/lib|^/lib|^\[|^\.\.?/|^/usr/local/go|"
                     r"^node:|^torch/|^(java|javax|jdk|sun)/")
WORDS_OF_ANYONE = {"pprof", "killed", "jobs", "internal", "parent", "wrap", "worker", "demo", "train"}  # also in ours


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    file = tmp_path_factory.mktemp("key") / "redact.key"
    file.write_text(KEY + "\n")
    return ("--redact", "names", "--redact-key", str(file))


def captures(samples):
    for name in ("daily-sales", "unicode_names", "line_tables", "killed", "threads_named-py3.13", "leaky"):
        yield from samples.glob(f"{name}*.bin")
    yield from sorted(path for path in (samples / "cpu").iterdir() if path.suffix != ".md")
    yield from sorted(path for path in (samples / "timeline").iterdir() if path.suffix != ".md")
    yield samples / "nightly"


def own_names(program, capture):
    """Functions and files of the user's own code, by a rule of this test's own, and those of libraries."""
    done = program("export", "--format", "json", capture)
    own, others = set(), set()
    for record in json.loads(done.bytes)["records"] if done.status == 0 and done.bytes else []:
        for function, file, _ in record["stack"]:
            if file and LIBRARY.search(file):
                others |= {function, *re.split(r"[/.\\]", file)}
            elif file:
                if not INTERPRETER.fullmatch(function):
                    own.add(function)
                own |= {part.rsplit(".", 1)[0] for part in file.split("/")[-2:]}
    own -= others | WORDS_OF_ANYONE | sys.stdlib_module_names  # types.py: paths may be short
    return {name for name in own if len(name) > 3 and not re.fullmatch(r"__\w+__", name)}


def found(names, data):
    return sorted(name for name in names
                  if re.search(rb"(?<![\w])" + re.escape(name.encode(errors="surrogatepass")) + rb"(?![\w])", data))


def words_of_ours(program, folder):
    """Words of the program's own: what it writes about a profile that has none."""
    plain = folder / "plain.folded"
    plain.write_text("a (b.py:1);c (b.py:2) 5\n")
    text = b" ".join(data for _, data in outputs(program, plain, (), folder))
    return {word.decode() for word in re.findall(rb"\w+", text)}


def test_no_own_name_is_in_any_output(program, samples, key, tmp_path):
    seen = 0
    problems = []
    vocabulary = words_of_ours(program, tmp_path)
    for capture in captures(samples):
        names = own_names(program, capture) - vocabulary
        place = tmp_path / "input.dat"
        if capture.is_dir():
            place = tmp_path / "folder"
            shutil.copytree(capture, place, dirs_exist_ok=True)
        else:
            shutil.copy(capture, place)
        for what, data in outputs(program, place, key, tmp_path):
            problems += [(name, capture.name, what) for name in found(names, data)]
        seen += len(names)
    assert seen > 150, "the captures have own names at all"
    assert not problems, "\n".join(map(str, problems))


def test_names_of_own_code_are_in_the_plain_output(program, samples, tmp_path):
    """The search of the test above finds names where they are: in all kinds of output."""
    names = own_names(program, samples / "daily-sales.bin")
    for what, data in outputs(program, samples / "daily-sales.bin", (), tmp_path):
        if what.split()[0] in ("table", "tree", "summary", "stats", "export", "card", "digest", "pprof"):
            assert found(names, data), what


def test_names_of_libraries_stay(program, samples, key):
    text = program("table", "--format", "csv", *key, samples / "daily-sales.bin").out
    for name in ("site-packages/pandas/", "nan_to_num", "<frozen importlib._bootstrap>", "_compile_bytecode",
                 "/lib/python3.11/"):
        assert name in text


def rows_of(answer):
    return sorted((row["before"], row["after"], row.get("line")) for row in answer.json()["rows"])


def test_differences_have_the_same_rows(program, samples, key, tmp_path):
    """Also between two Pythons, whose libraries and projects are in other places."""
    pairs = (("json_dict-py3.9-memray1.6.0-default.bin", "json_dict-py3.13-memray1.18.0-default.bin"),
             ("daily-sales.bin", "json_dict-py3.9-memray1.2.0-default.bin"))
    for names in pairs:
        hidden = []
        for name in names:
            hidden.append(tmp_path / f"{name}.prz")
            assert program("digest", "-q", *key, samples / name, "-o", hidden[-1]).status == 0
        plain = program("diff", "--json", "--limit", "0", samples / names[0], samples / names[1])
        redacted = program("diff", "--json", "--limit", "0", *hidden)
        assert plain.status == redacted.status == 0, redacted
        assert len(rows_of(plain)) > 5 and rows_of(plain) == rows_of(redacted)


MAKE_DUMPS = """
const v8 = require('v8');
class SecretThing { constructor(i) { this.parts = [i, `part ${i}`]; } }
const things = [new SecretThing(0)];
v8.writeHeapSnapshot('before.heapsnapshot');
for (let i = 1; i < 500; i++) things.push(new SecretThing(i));
v8.writeHeapSnapshot('after.heapsnapshot');
globalThis.things = things;
"""


def new_and_kept(answer):
    """What became of each class's objects, and what it grew by: once by its name, and once in order."""
    document = answer.json()
    objects = {row["class"]: (row["new"], row["gone"], row["kept"])
               for row in document["objects"]}
    return objects, sorted(objects.values()), {row["function"]: row["after"] for row in document["rows"]}


def test_classes_of_objects_are_hidden_as_their_rows_are(program, key, tmp_path):
    subprocess.run(["node", "-e", MAKE_DUMPS], cwd=tmp_path, check=True, timeout=60)
    dumps = tmp_path / "before.heapsnapshot", tmp_path / "after.heapsnapshot"
    plain = new_and_kept(program("diff", "--json", "--limit", "0", *dumps))
    answer = program("diff", "--json", "--limit", "0", *key, *dumps)
    hidden = new_and_kept(answer)
    assert b"SecretThing" not in answer.bytes and plain[0]["SecretThing"][0] == 499
    assert hidden[1] == plain[1] and len(hidden[0]) > 5
    pairs = {(of, plain[2].get(name)) for name, of in plain[0].items()}
    assert pairs == {(of, hidden[2].get(name)) for name, of in hidden[0].items()}


def test_twice_is_once_and_another_key_gives_other_names(program, samples, key, tmp_path):
    once = program("digest", *key, samples / "daily-sales.bin", "-o", "-").bytes
    (tmp_path / "once.prz").write_bytes(once)
    names = [program("table", "--format", "csv", *words, file).bytes
             for words, file in ((key, samples / "daily-sales.bin"), ((), tmp_path / "once.prz"),
                                 (key, tmp_path / "once.prz"))]
    assert names[0] == names[1] == names[2]
    other = tmp_path / "other.key"
    other.write_text("another key for tests")
    words = ("--redact", "names", "--redact-key", other)
    answer = program("table", "--format", "csv", *words, samples / "daily-sales.bin")
    assert answer.status == 0 and answer.bytes != names[0]


def test_the_environment_has_the_key_too(program, samples, key):
    capture = samples / "daily-sales.bin"
    by_file = program("table", *key, capture)
    by_environment = program("table", "--redact", "names", capture, env=ENV_KEY)
    assert by_file.status == by_environment.status == 0 and by_file.bytes == by_environment.bytes


@pytest.mark.parametrize("words, why", [
    (("--redact", "names"), "needs a key"),
    (("--redact-key", "/dev/null"), "is for --redact names"),
    (("--redact", "names", "--redact-key", "/dev/null"), "at least 16 bytes"),
    (("--redact", "names", "--redact-key", "/nonexistent/key"), "No such file"),
    (("--redact", "everything"), "everything"),
])
def test_what_cannot_be_done_is_refused(program, samples, words, why):
    answer = program("table", *words, samples / "daily-sales.bin")
    assert answer.status == 2 and why in answer.err and not answer.bytes


@pytest.mark.parametrize("words", [("--notes", "notes.md"), ("--source", "--root", "/"),
                                   ("--source-url", "https://x/{file}#{line}")])
def test_options_that_bring_names_back_are_refused(program, samples, key, words, tmp_path):
    answer = program("card", *key, *words, samples / "daily-sales.bin", "-o", tmp_path / "card.html")
    assert answer.status == 2 and "--redact names" in answer.err and not (tmp_path / "card.html").exists()


def test_free_text_of_a_run_is_left_out(program, key, tmp_path):
    """Names in messages, tracebacks, logs, notes, commands, threads, classes and the run's own name."""
    run = tmp_path / "secretproject"
    run.mkdir()
    (run / "run.json").write_text(json.dumps({
        "schema": "profrender/run/1", "name": "secretrun", "flow": "SecretFlow", "run": "1732", "step": "secretstep",
        "start_ms": 1_700_000_000_000, "end_ms": 1_700_000_001_000}))
    (run / "stderr.log").write_text(
        'working on secretcustomer\nTraceback (most recent call last):\n'
        '  File "/home/secretuser/secretproject/secretfile.py", line 3, in secretfunction\n    secretline()\n'
        '  File "/usr/lib/python3.12/json/decoder.py", line 4, in raw_decode\n    x\n'
        'secretpackage.SecretError: secretmessage\n')
    (run / "notes.md").write_text("# about secretnotes\n")
    (run / "cpu.folded").write_text("secretfunction (secretfile.py:3);helper (secretfile.py:9) 5\n")
    site = tmp_path / "site"
    card = tmp_path / "card.html"
    answers = [program("info", *key, run).bytes, program("table", *key, run).bytes,
               program("check", *key, "--require-success", run).bytes]
    assert program("card", *key, run, "-o", card).status == 0
    assert program("publish", *key, tmp_path / "secretproject", "-o", site).status == 0
    assert program("digest", *key, run, "-o", tmp_path / "d.prz").status == 0
    pages = [file for file in site.rglob("*") if file.is_file()]
    assert len(pages) == 3
    texts = [unpacked(file.read_bytes()) + str(file.relative_to(site)).encode() for file in pages]
    texts += answers + [unpacked(card.read_bytes()), unzstd((tmp_path / "d.prz").read_bytes())]
    for text in texts:
        assert b"secret" not in text.lower(), re.search(rb".{60}secret.{20}", text, re.S | re.I)
    assert b"raw_decode" in texts[-2] or any(b"raw_decode" in text for text in texts)
    assert b"1732" in texts[0] + texts[1] + texts[2] + texts[3] and b"Raised in" in answers[0]


def test_what_is_below_the_root_is_own_code_wherever_it_was_installed(program, key, tmp_path):
    """Code of one's own that a container has installed is a library by its path, and --path-map says where it is."""
    folded = tmp_path / "a.folded"
    folded.write_text("secretfunction (/usr/lib/python3.12/site-packages/secretapp/secretfile.py:3);"
                      "helper (/usr/lib/python3.12/site-packages/numpy/core.py:9) 5\n")
    card = tmp_path / "card.html"
    answer = program("card", *key, "--root", "/home/me/secretapp", "--path-map",
                     "/usr/lib/python3.12/site-packages/secretapp=/home/me/secretapp", folded, "-o", card)
    assert answer.status == 0
    page = unpacked(card.read_bytes())
    assert b"secret" not in page.lower() and b"numpy" in page
