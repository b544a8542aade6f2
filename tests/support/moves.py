# SPDX-License-Identifier: Apache-2.0
"""Programs whose code moves: made at random, and made again with functions renamed, split, inlined or in another file.

The work stays the same: the same blocks of the same sizes in the same order.

    program = Program(random.Random(7))
    program.write(folder / "before")
    what = program.move(random.Random(8))          # "split", ...
    program.write(folder / "after")                # python after/main.py
"""

KINDS = ["renamed", "split", "inlined", "another file"]
SIZES = (20_000, 90_000)


class Function:
    def __init__(self, name, work):
        self.name, self.work, self.file, self.has_moved = name, work, "job", False


class Program:
    """WORK of a function: ("hold" or "use", size, count), or ("call", name). The first function is the entrance."""

    def __init__(self, dice):
        self.functions = [Function(f"step{number}", []) for number in range(dice.randrange(6, 12))]
        for at, function in enumerate(self.functions):
            function.work += [(dice.choice(["hold", "use"]), dice.randrange(*SIZES), dice.randrange(5, 40))
                              for _ in range(dice.randrange(1, 4))]
            if at:  # some have two callers
                for caller in dice.sample(self.functions[:at], min(at, dice.choice([1, 1, 2]))):
                    caller.work.insert(dice.randrange(len(caller.work) + 1), ("call", function.name))

    def move(self, dice, kind=None):
        """Moves one function, not the entrance, and returns how and which."""
        kind = kind or dice.choice(KINDS)
        function = dice.choice(self.functions[1:])
        function.has_moved = True
        {"renamed": self.rename, "split": self.split, "inlined": self.inline,
         "another file": self.put_elsewhere}[kind](function, dice)
        return kind, function.name

    def rename(self, function, dice):
        old, function.name = function.name, f"{function.name}_{dice.choice(['rows', 'all', 'v2'])}"
        for caller in self.functions:
            caller.work = [("call", function.name) if one == ("call", old) else one for one in caller.work]

    def split(self, function, dice):
        first = dice.randrange(len(function.work))
        last = dice.randrange(first + 1, len(function.work) + 1)
        part = Function(f"{function.name}_part{len(self.functions)}", function.work[first:last])
        part.file, part.has_moved = function.file, True
        function.work[first:last] = [("call", part.name)]
        self.functions.append(part)

    def inline(self, function, _dice):
        for caller in self.functions:
            caller.has_moved |= ("call", function.name) in caller.work
            caller.work = [each for one in caller.work
                           for each in (function.work if one == ("call", function.name) else [one])]
        self.functions.remove(function)

    def put_elsewhere(self, function, _dice):
        function.file = "tables"

    def grow(self, dice):
        """One that did not move holds a megabyte more; returns its name."""
        function = dice.choice([each for each in self.functions if not each.has_moved])
        function.work.append(("hold", 1_000_000, 1))
        return function.name

    def write(self, folder):
        folder.mkdir(parents=True)
        names = {file: [each for each in self.functions if each.file == file] for file in ("job", "tables")}
        for file, functions in names.items():
            other = "tables" if file == "job" else "job"
            lines = [f"import {other}\n"] if names["tables"] else []
            lines += [self.text_of(function) for function in functions]
            if functions:
                (folder / f"{file}.py").write_text("\n".join(lines) + ("\nKEPT = []\n" if file == "job" else ""))
        (folder / "main.py").write_text(f"import job\njob.{self.functions[0].name}()\n")

    def text_of(self, function):
        file_of = {each.name: each.file for each in self.functions}
        kept = "KEPT" if function.file == "job" else "job.KEPT"
        lines = [f"def {function.name}():"]
        for what, *how in function.work:
            if what == "call":
                module = "" if file_of[how[0]] == function.file else f"{file_of[how[0]]}."
                lines.append(f"    {module}{how[0]}()")
                continue
            lines.append(f"    for number in range({how[1]}):")
            lines.append(f"        {kept}.append(bytearray({how[0]} + number))" if what == "hold"
                         else f"        bytearray({how[0]} + number)")
        return "\n".join([*lines, "    return", ""])
