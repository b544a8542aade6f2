# SPDX-License-Identifier: Apache-2.0
"""Secrets of a command line and of stderr are nowhere in a run, nor on its card; the command gets them unchanged."""

import sys

import pytest

SECRET = "Hunter2x"
ARGUMENTS = {
    "an option with blanks": ["--password", f"first second {SECRET}"],
    "an option and a value that begins with a dash": ["--password", f"-{SECRET}"],
    "a variable with blanks": [f"DB_PASSWORD=first {SECRET}"],
    "a user's password": ["-u", f"admin:{SECRET}"],
    "a password right after its letter": [f"-p{SECRET}"],
    "the second parameter of an address": [f"https://h/x?a=1&token={SECRET}"],
    "a signed address": [f"https://h/x?X-Amz-Signature={SECRET}&X-Amz-Credential={SECRET}"],
    "JSON": [f'{{"password":"{SECRET}"}}'],
    "a colon": [f"password:{SECRET}"],
    "a connection string": [f"AccountName=a;AccountKey={SECRET}==;EndpointSuffix=x"],
    "a cookie": ["-H", f"Cookie: session={SECRET}"],
    "a header in one word": ["-H", f"X-Api-Key:{SECRET}"],
    "authorization": ["-H", f"Authorization:Bearer {SECRET}"],
    "a DSN": [f"host=h user=u password={SECRET} dbname=d"],
    "an address": [f"postgresql://u:{SECRET}@h/d"],
    "a login at a host": [f"u:{SECRET}@h"],
    "a script": ["bash", "-c", f'export TOKEN="aa {SECRET}"; mysql --password="{SECRET}" 2>/dev/null; true'],
    "letters in one": ["curl", "-sSu", f"ada:{SECRET}"],
    "twine": ["twine", "upload", "-u", "ada", "-p", SECRET],
    "a line of netrc": [f"machine h login ada password {SECRET}"],
    "a variable of a container": [f'[{{"name": "DB_PASSWORD", "value": "{SECRET}"}}]'],
    "a store of keys": ["keytool", "-storepass", SECRET, "-keypass", SECRET],
    "a token that a template completes": ["printf", f'using "ghp_{SECRET}%s"\\n'],
    "a private key": [f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----"],
    "a token": [f"ghu_{SECRET}aaaaaaaaaaaaaaaaaaaaaaaaaaaa", f"dop_v1_{SECRET}aaaaaaaaaaaaaaaaaaaaaaaaaaaa"],
}


def texts_of(program, folder):
    page = folder.parent / "card.html"
    assert program("card", folder, "-o", page).status == 0
    return {path.name: path.read_text(errors="replace") for path in [*folder.iterdir(), page]}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_argument_leaves_no_secret(program, tmp_path, name):
    echo = 'import sys; print(*sys.argv[1:], sep="\\0", end="")'
    words = ARGUMENTS[name]
    done = program("record", "-q", "-o", tmp_path / "run", "--", sys.executable, "-S", "-c", echo, *words)
    assert done.out == "\0".join(words)
    texts = texts_of(program, tmp_path / "run")
    assert [file for file, text in texts.items() if SECRET in text] == []
    assert "[redacted]" in texts["run.json"] and "[redacted]" in texts["timeline.jsonl"]


def say(program, folder, code):
    """Runs CODE, which contains the secret reversed, so that its own text does not show it."""
    before = f"import sys, os\nsecret = {SECRET[::-1]!r}[::-1]\nsay = lambda t: os.write(2, t.encode())\n"
    script = folder.parent / "say.py"
    script.write_text(before + code)
    return program("record", "-q", "--stderr", "always", "-o", folder, "--", sys.executable, "-S", script)


LOGS = {
    "a token in quotes": "say('using \"ghp_' + secret + 'a' * 36 + '\"\\n')",
    "JSON": "say('{\"secret\":\"' + secret + '\"}\\n')",
    "a sentence": "say('password is ' + secret + '\\npassword = ' + secret + '\\n')",
    "a private key": "say('-----BEGIN PRIVATE KEY-----\\n' + secret + '\\n-----END PRIVATE KEY-----\\n')",
    "a message of an exception": "raise ValueError('cannot reach postgres://me:' + secret + '@db/x')",
    "written byte by byte": "for c in 'x password=' + secret + ' y\\n': say(c)",
}


@pytest.mark.parametrize("name", LOGS)
def test_stderr_leaves_no_secret(program, tmp_path, name):
    done = say(program, tmp_path / "run", LOGS[name])
    assert SECRET in done.err
    texts = texts_of(program, tmp_path / "run")
    assert [file for file, text in texts.items() if SECRET in text] == []
    assert "[redacted]" in texts["stderr.log"] and "[redacted]" in texts["timeline.jsonl"]


@pytest.mark.parametrize("after", [60000, 65400, 65536, 66000, 131000, 131072, 131200])
def test_a_private_key_whose_beginning_is_older_than_what_is_kept_is_hidden(program, tmp_path, after):
    code = ("say('x' * 70 + '\\n')\nsay('-----BEGIN PRIVATE KEY-----\\n' + (secret * 8 + '\\n') * 40)\n"
            "say('-----END PRIVATE KEY-----\\n')\n"
            f"line = 'log ' * 12 + '\\n'\nsay(line * ({after} // len(line)))\n")
    say(program, tmp_path / "run", code)
    text = (tmp_path / "run/stderr.log").read_text()
    assert SECRET not in text and len(text) > 50000
    assert SECRET not in (tmp_path / "run/timeline.jsonl").read_text()


def test_a_log_that_was_not_redacted_is_redacted_on_the_card(program, tmp_path):
    (tmp_path / "err.log").write_text("connecting with token=" + SECRET + "\nTraceback (most recent call last):\n"
                                      '  File "a.py", line 3, in f\n    login("x", password="' + SECRET + '")\n'
                                      "ValueError: bad password: '" + SECRET + "'\n")
    assert program("card", tmp_path / "err.log", "-o", tmp_path / "card.html").status == 0
    page = (tmp_path / "card.html").read_text()
    assert SECRET not in page and "ValueError" in page
    assert SECRET not in program("info", tmp_path / "err.log").out


def test_what_is_no_secret_stays(program, tmp_path):
    words = [
    "true",
    "--max-tokens",
    "512",
    "--token-file",
    "/run/token",
    "-p",
    "8080",
    "-u",
    "script.py",
    "s3://b/key=1/x",
    "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d",
    "123e4567-e89b-12d3-a456-426614174000",
     "a b  c"]
    program("record", "-q", "-o", tmp_path / "run", "--", *words)
    timeline = (tmp_path / "run/timeline.jsonl").read_text()
    assert "[redacted]" not in timeline and all(f'"{word}"' in timeline for word in words)
