# SPDX-License-Identifier: Apache-2.0
"""A program that runs out of memory, in its libraries too: it reports it or gives the whole answer, never less.

    scarce = Scarce(folder)                      # compiles preload/scarce.c into FOLDER
    good = scarce.answer(command)
    refused, wrong = scarce.run(command, good, at=7, least=4000)
"""
import os
import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "preload/scarce.c"
LIMIT_S = 120


class Scarce:
    def __init__(self, folder):
        self.library = Path(folder) / "scarce.so"
        compiler = os.environ.get("CC", "cc").split()
        subprocess.run([*compiler, "-O1", "-fPIC", "-shared", "-o", self.library, SOURCE], check=True)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("DEBUGINFOD")}

    def _run(self, command, **environment):
        words = [str(word) for word in command]
        return subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, timeout=LIMIT_S,
                              env={**self.environment, **environment})

    def answer(self, command):
        """The command's output with enough memory."""
        return self._run(command).stdout

    def run(self, command, good, **settings):
        """(an allocation failed, what is wrong, as lines); SETTINGS are those of scarce.c, in lower case."""
        done = self._run(command, LD_PRELOAD=str(self.library),
                         **{f"SCARCE_{name.upper()}": str(number) for name, number in settings.items()})
        said = done.stderr.decode().replace("scarce\n", "")
        whole = done.returncode == 0 and done.stdout == good and not said
        told = done.returncode in (3, 4) and "memory" in said and len(said.splitlines()) == 1
        return b"scarce" in done.stderr, [] if whole or told else [f"{settings}: exit status {done.returncode}", said]

    def works(self, command):
        """Whether the program's allocations can be replaced; a sanitizer's cannot."""
        return self.run(command, b"", bytes=1)[0]

    def each(self, command, first=1, step=1, most=100000, **settings):
        """(how many runs lacked memory, what is wrong with the first of them that was not right)"""
        good, runs = self.answer(command), 0
        for nth in range(first, most, step):
            refused, wrong = self.run(command, good, at=nth, **settings)
            if wrong or not refused:
                return runs, wrong
            runs += 1
        return runs, [f"still not enough memory after {runs} runs"]
