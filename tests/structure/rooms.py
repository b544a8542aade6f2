# SPDX-License-Identifier: Apache-2.0
"""The table of rooms: what each may use, from the bottom up. A room may use itself, the public API and what is listed
here.

ARCHITECTURE.md describes what each room is for. A folder that is not in this table is an error, and so is an include or
a call that points from a room to one that it does not list.
"""

from sources import API

# What render/ and cli/ may use of capture/ besides the public API: plain tools, and a few headers by name.
TOOLS = ["capture/base", "capture/redact/redact.h", "capture/model/charged_modules.h", "capture/model/code_path.h",
         "capture/model/failure_text.h", "capture/model/time_slices.h", "capture/model/time_moments.h",
         "capture/model/own_code.h", "capture/model/own_root.h", "capture/model/code_world.h",
         "capture/model/package.h", "capture/model/code_groups.h", "capture/model/owner_settle.h",
         "capture/model/functions.h", "capture/model/nameless.h",
         "capture/model/run_figures.h", "capture/model/run_times.h", "capture/model/gpu_use.h",
         "capture/heap/history.h",
         "capture/parse/changes.h", "capture/parse/frame_text.h"]

LIBRARY = {
    API: [],
    "capture/base": [],
    "capture/redact": ["capture/base"],
    "capture/input": ["capture/base"],
    "capture/parse": ["capture/input", "capture/base"],
    "capture/model": ["capture/base"],
    "capture/query": ["capture/model", "capture/base"],
    "capture/explain": ["capture/query", "capture/model", "capture/base"],
    "capture/builder": ["capture/model", "capture/parse", "capture/input", "capture/base"],
    "capture/heap": ["capture/builder", "capture/model", "capture/base"],
    "capture/symbols": ["capture/builder", "capture/model", "capture/base"],
    "capture/memray": ["capture/symbols", "capture/heap", "capture/builder", "capture/model", "capture/parse",
                       "capture/input", "capture/base"],
    "capture/readers": ["capture/symbols", "capture/builder", "capture/model", "capture/parse", "capture/input",
                        "capture/base"],
    "capture/perf_data": ["capture/readers", "capture/symbols", "capture/builder", "capture/model", "capture/parse",
                          "capture/input", "capture/base"],
    "capture/jfr": ["capture/heap", "capture/builder", "capture/model", "capture/parse", "capture/input",
                    "capture/base"],
    "capture/nettrace": ["capture/builder", "capture/model", "capture/input", "capture/base"],
    "capture/snapshots": ["capture/heap", "capture/builder", "capture/model", "capture/parse", "capture/input",
                          "capture/base"],
    "capture/graph": ["capture/builder", "capture/model", "capture/parse", "capture/input", "capture/base"],
    "capture/run": ["capture/builder", "capture/model", "capture/parse", "capture/input", "capture/redact",
                    "capture/base"],
    "capture/digest": ["capture/heap", "capture/builder", "capture/model", "capture/input", "capture/base"],
    "capture/compose": ["capture/heap", "capture/query", "capture/model", "capture/parse", "capture/base"],
    "capture/arrow": ["capture/input", "capture/base"],
    "capture/frame": ["capture/arrow", "capture/parse", "capture/input", "capture/base"],
    "capture": ["capture/compose", "capture/digest", "capture/run", "capture/readers", "capture/snapshots",
                "capture/graph", "capture/jfr", "capture/nettrace", "capture/perf_data", "capture/memray",
                "capture/symbols", "capture/builder", "capture/model", "capture/parse", "capture/input",
                "capture/redact", "capture/base"],
}

PAGE = {
    "render/words": TOOLS,
    "render/html": ["render/words", "render/card_options.h", *TOOLS],
    "render/charts": ["render/html", "render/words", *TOOLS],
    "render/model": ["render/words", "render/html", "render/card_options.h", *TOOLS],
    "render/payload": ["render/model", "render/html", "render/words", *TOOLS],
    "render/page": ["render/payload", "render/model", "render/html", "render/words", "render/card_options.h", "assets",
                    *TOOLS],
    "render/sections": ["render/page", "render/payload", "render/model", "render/html", "render/words", *TOOLS],
    "render/index": ["render/charts", "render/html", "render/words", "render/card_options.h", "assets", *TOOLS],
    "render/frame": ["render/sections/markdown.h", "render/charts", "render/html", "render/words",
                     "render/card_options.h", "assets", *TOOLS],
    "render": ["render/sections", "render/page", "render/payload", "render/model", "render/html", "render/words",
               "assets", *TOOLS],
}

# What the program may use of render/: the entry points, the words, and the escaping.
DOORS = ["render/card.h", "render/card_options.h", "render/index/index.h", "render/frame/frame_card.h",
         "render/html/html.h", "render/words", *TOOLS]

PROGRAM = {
    "cli/io": DOORS,
    "cli/args": ["capture/read_ahead.h", "cli/io", *DOORS],
    "cli/reports": ["cli/args", "cli/io", *DOORS],
    "cli/frame": ["cli/reports/report.h", "cli/args", "cli/io", *DOORS],
    "cli/export": ["cli/reports", "cli/args", "cli/io", *DOORS],
    "cli/check": ["cli/reports", "cli/args", "cli/io", *DOORS],
    "cli/record": ["cli/io", *DOORS],
    "cli/publish": ["cli/check/chance.h", "cli/args", "cli/io", "capture/run_folder.h", "capture/explain/code_sums.h",
                    "render/page/card_proof.h", *DOORS],
    "cli/commands": ["cli/publish", "cli/record", "cli/check", "cli/frame", "cli/export", "cli/reports", "cli/args",
                     "cli/io", *DOORS],
    "cli": ["cli/commands", "cli/args", "cli/io", *DOORS],
}

# Files instead of others, where a system lacks what those ask for. Nothing includes them.
PLATFORM = {
    "platform/wasi": ["cli/args/command.h", "capture/read_ahead.h", "cli/check/remote_store.h", "cli/io/exit.h",
                      "cli/io/say.h", "cli/io/system.h", "cli/io/unfinished.h",
                      "render/sections/notes_memory.h", "capture/symbols/elf_file.h", "capture/heap/pipeline.h",
                      "capture/perf_data/perf_machine.h",
                      "capture/base"],
    "platform/cross": [],
    "platform/posix": ["cli/io/system.h", "capture/base"],
    "platform/macos": [],
}

ROOMS = {**LIBRARY, **PAGE, **PROGRAM, **PLATFORM}


def may_know(room, target, target_room):
    """May ROOM include, or call what is defined in, the file TARGET of TARGET_ROOM?"""
    known = ROOMS[room]
    return target_room in (room, API) or target_room in known or str(target) in known


# Headers of other libraries that a layer may use.
PACKAGES = {
    "capture/include": [],
    "capture/base": ["xxhash", "zstd", "cpuid"],
    "capture": ["zstd", "zstd_errors", "lz4", "lz4frame", "lz4hc", "zlib", "xxhash", "elfutils/libdwfl", "dwarf",
                "elf", "gelf", "libiberty/demangle", "emmintrin"],
    "render": ["zstd", "cmark"],
    "cli": ["jansson", "zlib"],
    "platform": [],
}

LIBC = """assert ctype errno float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic stdbool
stddef stdint stdio stdlib stdnoreturn string time uchar wchar wctype dirent dlfcn elf endian fcntl fnmatch
ftw grp link poll pthread pwd sched spawn strings sys/file sys/ioctl sys/mman sys/prctl sys/random
regex sys/resource sys/sendfile sys/signalfd sys/socket sys/stat sys/statfs sys/statvfs sys/syscall sys/time
sys/timerfd sys/types sys/uio sys/un sys/utsname sys/vfs sys/wait sys/xattr termios unistd linux/openat2
linux/fs linux/magic linux/stat""".split()
