# SPDX-License-Identifier: Apache-2.0
"""Help, manual pages and completion of every command, against what the program really accepts; needs `make doc`.

All three are made from one table of commands and options; this checks them against it, for all commands: a constant in
the sources that the table misses, an option without a text, an example with an option that does not exist, a page that
roff complains about, a shell that does not offer what the program accepts.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / os.environ.get("PROFRENDER", "build/profrender")
PAGES = ROOT / "build/doc"
SHELLS = "bash", "zsh", "fish"
MOST_COLUMNS = 80
ENVIRONMENT = {"PATH": f"{PROGRAM.parent}:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "dumb"}


def commands_of_sources():
    """The commands in the sources."""
    pattern = r"^const struct pr_command pr_command_\w+ = \{\s*\.name = \"([^\"]+)\""
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "cli").glob("**/*.c"))
    return sorted(name for text in sources for name in re.findall(pattern, text, re.M))


COMMANDS = commands_of_sources()
of_each_command = pytest.mark.parametrize("command", COMMANDS)
of_each_page = pytest.mark.parametrize("page", ["profrender", *(f"profrender-{name}" for name in COMMANDS)])
of_each_shell = pytest.mark.parametrize("shell", SHELLS)


def run(*command, stdin=b"", **environment):
    done = subprocess.run([str(word) for word in command], input=stdin, capture_output=True, timeout=120,
                          env={**ENVIRONMENT, **environment})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def say(*words):
    return run(PROGRAM, *words)[1]


class Options:
    """What the help of a command lists: {name: (letter, argument)}."""

    def __init__(self, text):
        self.own, self.common = {}, {}
        place = None
        for line in text.splitlines():
            if line in ("Options", "Options of every command"):
                place = self.own if line == "Options" else self.common
            found = re.match(r"  (?:-(\w), |    )--([a-z0-9-]+)(?: (\S+))?(?:  |$)", line)
            if found and place is not None:
                place[found[2]] = found[1], found[3]

    def all(self):
        return {**self.own, **self.common}


@pytest.fixture(scope="session")
def options():
    return {command: Options(say(command, "--help")) for command in COMMANDS}


# ---- help ------------------------------------------------------------------------------------------------------------


def test_each_command_of_the_sources_is_listed():
    listed = re.findall(r"^  ([a-z-]+) ", say("--help").split("Commands\n")[1].split("\n\n")[0], re.M)
    assert sorted(listed) == COMMANDS, "the table of commands, from which help, manual and completion are made"


def long_lines(text):
    return [line for line in text.splitlines() if len(line) > MOST_COLUMNS]


@pytest.mark.parametrize("words", [["help"], ["help", "help"], ["help", "--help"], ["help", "-h"]])
def test_help_about_help_is_that_of_the_program(words):
    assert say(*words) == say("--help")


def test_help_fits_80_columns():
    assert not long_lines(say("--help"))


@of_each_command
def test_help_of_a_command_fits_80_columns(command):
    status, text, _ = run(PROGRAM, command, "--help")
    assert status == 0
    assert not long_lines(text)


@of_each_command
def test_help_has_examples_with_options_that_there_are(command, options):
    body = say(command, "--help").split("\nExamples\n")[1].split("\n\n")[0]
    assert f"profrender {command}" in body
    wrong = [line.strip() for line in body.splitlines() for used in re.findall(r"\s--([a-z][a-z0-9-]*)", line)
             if f"profrender {command} " in line and used not in options[command].all() and " -- " not in line]
    assert not wrong, "\n".join(wrong)


@of_each_command
def test_no_two_options_have_the_same_name_or_letter(command, options):
    both = [*options[command].own.items(), *options[command].common.items()]
    letters = [letter for _, (letter, _) in both if letter]
    names = [name for name, _ in both]
    assert sorted(set(letters)) == sorted(letters)
    assert sorted(set(names)) == sorted(names)


@of_each_command
def test_the_options_of_the_help_are_read(command, options):
    """Without its value, or with no input after it, an option gives that error, not "no such option"."""
    names = [name for name in options[command].all() if name != "help"]
    assert not [name for name in names if "has no option" in run(PROGRAM, command, f"--{name}")[2]]


# ---- manual ----------------------------------------------------------------------------------------------------------


def text_of(page):
    return (PAGES / f"{page}.1").read_text(encoding="utf-8")


def test_there_is_a_page_for_each_command_and_no_other():
    assert sorted(path.stem for path in PAGES.glob("*.1")) == sorted(["profrender", *(f"profrender-{name}"
                                                                                      for name in COMMANDS)])


@of_each_page
def test_a_page_is_what_the_program_writes(page):
    same = text_of(page) == say("help", "--man", *page.split("-", 1)[1:])
    assert same, "make doc"


@of_each_page
def test_a_page_is_of_this_version(page):
    assert f'"profrender {say("--version").split()[1]}"' in text_of(page)


@of_each_page
def test_a_page_has_the_options_of_the_help_and_no_others(page, options):
    documented = set(re.findall(r"^(?:\\fB\\-\w\\fR, )?\\fB\\-\\-([a-z0-9\\-]+)\\fR", text_of(page), re.M))
    command = page.partition("-")[2]
    wanted = options[command].all() if command else options[COMMANDS[0]].common
    assert sorted(name.replace("\\-", "-") for name in documented) == sorted(wanted)


@pytest.fixture
def rendered(page):
    """(the page as text, roff's messages)"""
    if not shutil.which("groff"):
        pytest.skip("there is no groff")
    status, text, said = run("groff", "-man", "-ww", "-Tutf8", "-P-cbou", stdin=text_of(page).encode())
    return re.sub(r"\s+", " ", text.replace("‐\n", "-")), said if status == 0 else said or "groff failed"


@of_each_page
def test_a_page_is_good_roff(page, rendered):
    assert not rendered[1]


@of_each_page
def test_a_page_has_its_sections(page, rendered):
    sections = "NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "EXAMPLES", "SEE ALSO"
    assert not [section for section in sections if f" {section} " not in f" {rendered[0]} "]


@of_each_command
def test_each_word_of_each_choice_is_in_the_manual(command, options):
    """The program lists the words in its error; they are explained at the option."""
    page = re.sub(r"\\f[BIR]|\\&", "", say("help", "--man", command)).replace("\\-", "-")
    silent = []
    for name, (_, argument) in options[command].own.items():
        said = run(PROGRAM, command, f"--{name}=\u00e4\u00e4\u00e4\u00e4")[2] if argument else ""
        words = re.search(r"it takes (\S+(?:, \S+)*)$", said.splitlines()[0] if said else "")
        for word in words[1].split(", ") if words else []:
            if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", page):
                silent.append(f"--{name}: {word}")
    assert not silent


# ---- completion: the shells are asked --------------------------------------------------------------------------------

BASH = r"""
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
compopt() { :; }
_profrender
printf '%s\n' "${COMPREPLY[@]}"
"""

# zsh completes only on a terminal: its own one, which prints what is offered.
ZSH = r"""
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PROMPT='' RPROMPT='' PS2=''; stty -echo rows 500 columns 200"
zpty -w z "autoload -Uz compinit; compinit -u -d $2/dump"
zpty -w z 'compadd() { local -a shown; if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
 builtin compadd "$@"; return; fi;
 builtin compadd -O shown "$@"; print -l -- MATCH:${^shown}; builtin compadd "$@" }'
zpty -w z "source $1; zstyle ':completion:*' list-prompt ''; LISTMAX=10000; bindkey '^I' list-choices; print READ''Y"
while zpty -r z line; do [[ $line == *READY* ]] && break; done
zpty -w -n z "$3"$'\t'
zpty -w -n z $'\C-a\C-kprint DON\"E\"\n'
while zpty -r z line; do print -r -- "$line"; [[ $line == *DONE* ]] && break; done
"""


def offered(shell, folder, *words):
    """What a shell offers after the words, the last of which is incomplete."""
    if not shutil.which(shell):
        pytest.skip(f"there is no {shell}")
    script = PAGES / f"profrender.{shell}"
    if shell == "bash":
        _, out, said = run("bash", "--norc", "-c", BASH, "bash", script, *words)
        found = out.split()
    elif shell == "fish":
        line = "source $argv[1]; complete -C $argv[2]"
        _, out, said = run("fish", "--no-config", "-c", line, script, " ".join(words), HOME=str(folder))
        found = [line.split("\t")[0] for line in out.splitlines()]
    else:
        _, out, said = run("zsh", "-f", "-c", ZSH, "zsh", script, folder, " ".join(words), HOME=str(folder))
        found = re.findall(r"MATCH:([^\r\n]+)", out)
    assert not said
    return found


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@of_each_shell
def test_a_shell_offers_the_commands(shell, home):
    assert not {*COMMANDS, "help"} - set(offered(shell, home, "profrender", ""))


@of_each_shell
@of_each_command
def test_a_shell_offers_the_options_of_a_command_and_no_others(shell, command, options, home):
    found = [word.removesuffix("=") for word in offered(shell, home, "profrender", command, "--")]
    assert {word for word in found if word.startswith("--")} == {f"--{name}" for name in options[command].all()}


@of_each_shell
@pytest.mark.parametrize("line, wanted", [
    ("table --group ", {"code", "file", "function", "location", "module", "package"}),
    ("table -g lo", {"location"}),
    ("table --input-format mem", {"memray"}),
    ("export --view temporal-p", {"temporal-peak"}),
    ("completion ", set(SHELLS)),
    ("help expo", {"export"}),
])
def test_a_shell_completes_a_word(shell, line, wanted, home):
    assert set(offered(shell, home, "profrender", *line.split(" "))) - {"--man"} == wanted
