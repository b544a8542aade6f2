#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Help, manual pages and completion of every command, against what the program really accepts.

    python3 tests/manual/run.py        needs what `make doc` builds

All three are made from one table of commands and options; this holds them to it, whichever commands there are: a
constant in the sources that the table misses, an option without words, an example with an option that does not exist,
a page that roff complains about, a shell that does not offer what the program takes.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "support"))
from tally import Tally  # noqa: E402

PROGRAM = ROOT / os.environ.get("PROFRENDER", "build/profrender")
PAGES = ROOT / "build/doc"
SHELLS = "bash", "zsh", "fish"
MOST_COLUMNS = 80
ENVIRONMENT = {"PATH": f"{PROGRAM.parent}:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "dumb"}


def run(*command, stdin=b"", **environment):
    done = subprocess.run([str(word) for word in command], input=stdin, capture_output=True, timeout=120,
                          env={**ENVIRONMENT, **environment})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def say(*words):
    return run(PROGRAM, *words)[1]


def commands():
    return re.findall(r"^  ([a-z-]+) ", say("--help").split("Commands\n")[1].split("\n\n")[0], re.M)


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


def rendered(page):
    """(the page as text, what roff says about it)"""
    status, text, said = run("groff", "-man", "-ww", "-Tutf8", "-P-cbou", stdin=page.encode())
    return re.sub(r"\s+", " ", text.replace("‐\n", "-")), said if status == 0 else said or "groff failed"


def check_sources(tally, listed):
    """Every command that there is in the sources is in the table."""
    named = set()
    for path in (ROOT / "cli").glob("*.c"):
        text = path.read_text(encoding="utf-8")
        named |= set(re.findall(r"^const struct pr_command pr_command_\w+ = \{\s*\.name = \"([^\"]+)\"", text, re.M))
    tally.none("each command of cli/ is in the table of cli/commands.c, so it has help, manual and completion",
               sorted(named ^ set(listed)))


def check_help(tally, command, options):
    status, text, _ = run(PROGRAM, command, "--help")
    long = [line for line in text.splitlines() if len(line) > MOST_COLUMNS]
    tally.check(f"{command} --help fits {MOST_COLUMNS} columns", status == 0 and not long, *long)
    body = text.split("\nExamples\n")[1].split("\n\n")[0]
    wrong = [line.strip() for line in body.splitlines() for used in re.findall(r"\s--([a-z][a-z0-9-]*)", line)
             if re.search(rf"profrender {command} ", line) and used not in options.all() and " -- " not in line]
    tally.check(f"{command} --help has examples, with options that there are", f"profrender {command}" in body and
                not wrong, *wrong)
    letters = [letter for letter, _ in options.own.values() if letter]
    letters += [letter for letter, _ in options.common.values() if letter]
    names = [*options.own, *options.common]
    tally.check(f"{command}: no two options have the same name or letter",
                len(set(letters)) == len(letters) and len(set(names)) == len(names))
    # An option the help lists is one that is read: without its value, or behind it without an input, that is the error.
    unread = [name for name in names if name != "help" and "has no option" in run(PROGRAM, command, f"--{name}")[2]]
    tally.none(f"{command} reads the options of its help", unread)


def check_page(tally, name, options):
    page = (PAGES / f"{name}.1").read_text(encoding="utf-8") if (PAGES / f"{name}.1").exists() else ""
    if not tally.check(f"{name}(1) exists and is what the program writes",
                       page and page == say("help", "--man", *name.split("-", 1)[1:]), "make doc"):
        return
    version = say("--version").split()[1]
    tally.check(f"{name}(1) is of this version", f'"profrender {version}"' in page)
    documented = set(re.findall(r"^(?:\\fB\\-\w\\fR, )?\\fB\\-\\-([a-z0-9\\-]+)\\fR", page, re.M))
    documented = {name.replace("\\-", "-") for name in documented}
    tally.none(f"{name}(1) has the options of the help, and no others", sorted(documented ^ set(options)))
    if not shutil.which("groff"):
        tally.skip(f"{name}(1) as roff", "there is no groff")
        return
    text, said = rendered(page)
    tally.check(f"{name}(1) is good roff", not said, said)
    sections = "NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "EXAMPLES", "SEE ALSO"
    tally.none(f"{name}(1) has its sections", [section for section in sections if f" {section} " not in f" {text} "])


def check_words(tally, command, options):
    """The words of a choice, which the program tells in its error, are explained where the option is."""
    page = re.sub(r"\\f[BIR]|\\&", "", say("help", "--man", command)).replace("\\-", "-")
    silent = []
    for name, (_, argument) in options.own.items():
        said = run(PROGRAM, command, f"--{name}=\u00e4\u00e4\u00e4\u00e4")[2] if argument else ""
        words = re.search(r"it takes (\S+(?:, \S+)*)$", said.splitlines()[0] if said else "")
        for word in words[1].split(", ") if words else []:
            if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", page):
                silent.append(f"--{name}: {word}")
    tally.none(f"{command}: the manual names each word of each choice", silent)


# ---- completion: the shells are asked -----------------------------------------------------------------------------

BASH = r"""
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
compopt() { :; }
_profrender
printf '%s\n' "${COMPREPLY[@]}"
"""

# zsh completes on a terminal only: one of its own, which prints what is offered.
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
    """What a shell offers behind the words, of which the last one is not finished."""
    script = PAGES / f"profrender.{shell}"
    if shell == "bash":
        _, out, said = run("bash", "--norc", "-c", BASH, "bash", script, *words)
        return out.split(), said
    if shell == "fish":
        line = "source $argv[1]; complete -C $argv[2]"
        _, out, said = run("fish", "--no-config", "-c", line, script, " ".join(words), HOME=folder)
        return [line.split("\t")[0] for line in out.splitlines()], said
    _, out, said = run("zsh", "-f", "-c", ZSH, "zsh", script, folder, " ".join(words), HOME=folder)
    return re.findall(r"MATCH:([^\r\n]+)", out), said


# Lines, and what is offered behind them.
COMPLETED = {
    "table --group ": {"function", "location", "module"},
    "table -g lo": {"location"},
    "table --input-format mem": {"memray"},
    "export --view temporal-p": {"temporal-peak"},
    "completion ": set(SHELLS),
    "help exp": {"export"},
}


def check_shell(tally, shell, listed, options, folder):
    if not shutil.which(shell):
        tally.skip(f"completion in {shell}", f"there is no {shell}")
        return
    got, said = offered(shell, folder, "profrender", "")
    tally.check(f"{shell} offers the commands", not said and not {*listed, "help"} - set(got), got, said)
    for command in listed:
        got, said = offered(shell, folder, "profrender", command, "--")
        wanted = {f"--{name}" for name in options[command].all()}
        lacks = wanted ^ {word.removesuffix("=") for word in got if word.startswith("--")}
        tally.check(f"{shell} offers the options of {command}, and no others", not lacks and not said, lacks, said)
    for line, wanted in COMPLETED.items():
        got, said = offered(shell, folder, "profrender", *line.split(" "))
        tally.check(f"{shell} completes `{line}`", wanted == set(got) - {"--man"} and not said, got, said)


def main():
    tally = Tally()
    listed = commands()
    long = [line for line in say("--help").splitlines() if len(line) > MOST_COLUMNS]
    tally.none(f"the help of the program fits {MOST_COLUMNS} columns", long)
    options = {command: Options(say(command, "--help")) for command in listed}
    check_sources(tally, listed)
    for command in listed:
        check_help(tally, command, options[command])
        check_page(tally, f"profrender-{command}", options[command].all())
        check_words(tally, command, options[command])
    check_page(tally, "profrender", options[listed[0]].common)
    pages = {path.stem for path in PAGES.glob("*.1")}
    tally.none("there are no other pages", sorted(pages ^ {"profrender", *(f"profrender-{name}" for name in listed)}))
    with tempfile.TemporaryDirectory(prefix="profrender-") as folder:
        for shell in SHELLS:
            check_shell(tally, shell, listed, options, folder)
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
