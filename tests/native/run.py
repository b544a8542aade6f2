#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names of native frames, from files of code with debug information of each kind, and from files that are not there.

    python3 tests/native/run.py                                         with build/profrender
    PROFRENDER=build/asan/profrender python3 tests/native/run.py        with another one
"""
import copy
import ctypes
import http.server
import json
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import address_captures as addresses  # noqa: E402
import libraries  # noqa: E402
from native_capture import Image, capture  # noqa: E402
from scarce import Scarce  # noqa: E402
from tally import Tally  # noqa: E402

PROGRAM = ROOT / os.environ.get("PROFRENDER", "build/profrender")
BIAS = 0x7F0000000000
LIMIT_S = 120
OPEN_FILES = 256  # of the program
SOURCE = HERE / "code/store.c"

tally = Tally()


def line_of(text, source=SOURCE):
    return next(number for number, line in enumerate(source.read_text().splitlines(), 1) if text in line)


def program(folder, data, *options, **environment):
    path = folder / "made.bin"
    path.write_bytes(data)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("DEBUGINFOD")}
    return subprocess.run([PROGRAM, "export", path, *options], capture_output=True, timeout=LIMIT_S,
                          env={**clean, **environment}, preexec_fn=few_descriptors)


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))


def stacks_of(folder, data, *options, stack="hybrid_stack", **environment):
    """[[(function, file, line), innermost first], ...] of the one record of each stack, in the order of the file."""
    done = program(folder, data, *options, **environment)
    if done.returncode:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr.decode()}")
    return [[tuple(frame) for frame in record[stack]] for record in json.loads(done.stdout)["records"]]


def show(wanted, found):
    return [f"expected {frame}" for frame in wanted] + [f"got {frame}" for frame in found]


def check_stack(name, folder, image, wanted, function="outer", called="malloc", **environment):
    found = stacks_of(folder, capture([image], [[image.behind_call(function, called)]]), **environment)
    tally.check(name, found == [wanted], *show(wanted, found))


def inlined(path=SOURCE):
    file = str(path)
    return [("innermost", file, line_of("return malloc")), ("middle", file, line_of("= innermost(size)")),
            ("outer", file, line_of("= middle(size)"))]


def check_debug_information(folder):
    # The libraries' callers of malloc: inlined whatever the optimisation, as they ask for it.
    for name in "libplain.so", "libfast.so", "libseparate.so":
        check_stack(f"functions, files and lines of {name}", folder, Image(folder / name, BIAS), inlined())
    (folder / ".debug").mkdir()
    shutil.move(folder / "libseparate.debug", folder / ".debug/libseparate.debug")
    image = Image(folder / "libseparate.so", BIAS)
    check_stack("debug information in .debug", folder, image, inlined())
    with open(folder / ".debug/libseparate.debug", "ab") as debug:
        debug.write(b"of another build")
    check_stack("a debug link with another checksum is not followed", folder, image, [("outer", str(image.path), 0)])
    os.remove(folder / ".debug/libseparate.debug")
    os.mkfifo(folder / ".debug/libseparate.debug")
    check_stack("a debug link to a pipe is not waited for", folder, image, [("outer", str(image.path), 0)])
    os.remove(folder / ".debug/libseparate.debug")
    os.symlink(folder / "libfast.so", folder / "link.so")
    check_stack("a link to a library", folder, Image(folder / "link.so", BIAS), inlined())


def check_symbols(folder):
    seen, stripped = Image(folder / "libfast.so", BIAS), Image(folder / "libstripped.so", 2 * BIAS)
    # Compiled alike, so that the code lies in the same places; the stripped one has no names in its disassembly.
    calls = [seen.behind_call("outer", "malloc"), seen.behind_call("hidden", "calloc")]
    moved = [address - seen.bias + stripped.bias for address in calls]
    shift = moved[1] - 1 - stripped.bias
    found = stacks_of(folder, capture([seen, stripped], [moved]))
    wanted = [("outer", str(stripped.path), 0), (f"libstripped.so+{shift:#x}", str(stripped.path), 0)]
    tally.check("a stripped library has its exported names, and offsets", found == [wanted], *show(wanted, found))


def check_cxx(folder):
    image = Image(folder / "libboxes.so", BIAS)
    mangled = "_ZN5boxes5ShelfC2Ei"
    symbol = next(name for name in re.findall(r"<(_ZN5boxes5ShelfC\dEi)>:", libraries.run("objdump", "-d", image.path)))
    called = next(name for name in re.findall(r"call .*<(_ZN5boxes3BoxIdE4fillEi[^>]*?)(?:@plt)?>",
                                              libraries.run("objdump", "-d", image.path)))
    found = stacks_of(folder, capture([image], [[image.behind_call(symbol, called)]]))[0]
    source = HERE / "code/boxes.cc"
    wanted = [("boxes::Shelf::Shelf(int)", str(source), line_of("box.fill(count)", source))]
    tally.check(f"C++ names are readable ({mangled})", found == wanted, *show(wanted, found))


def check_files_that_are_not_as_recorded(folder):
    data = {}
    fast = folder / "libfast.so"
    for name in "gone.so", "pipe.so", "text.so", "folder.so", "other.so":
        shutil.copy(fast, folder / name)
        image = Image(folder / name, BIAS)
        data[name] = capture([image], [[image.behind_call("outer", "malloc")]]), image.behind_call("outer", "malloc")
        os.remove(folder / name)
    os.mkfifo(folder / "pipe.so")
    (folder / "text.so").write_text("not a library any more\n")
    (folder / "folder.so").mkdir()
    (folder / "more.c").write_text(SOURCE.read_text() + "char more[100000];\n")
    libraries.compile_c(folder / "other.so", "-g", "-O2", source=folder / "more.c")
    said = {"gone.so": "cannot be read", "pipe.so": "cannot be read", "folder.so": "cannot be read",
            "text.so": "neither a program nor a shared library", "other.so": "another build"}
    for name, (bytes_, address) in data.items():
        wanted = [(f"{name}+{address - 1 - BIAS:#x}", str(folder / name), 0)]
        found = stacks_of(folder, bytes_)
        tally.check(f"{name}: an offset", found == [wanted], *show(wanted, found))
        done = program(folder, bytes_, "--native", "require")
        message = done.stderr.decode()
        good = done.returncode == 3 and said[name] in message and f"/{name} " in message
        tally.check(f"{name}: required", good, f"exit status {done.returncode}", message)
        message = program(folder, bytes_).stderr.decode()
        tally.check(f"{name}: told", "1 of 1 files" in message and name in message, message)
    found = stacks_of(folder, capture([Image(fast, BIAS)], [[0x1234]]))
    tally.check("code that belongs to no file has no frame", found == [[]], *found)
    off = json.loads(program(folder, data["gone.so"][0], "--native", "off").stdout)
    tally.check("--native off", "hybrid_stack" not in off["records"][0], off)


class Server(http.server.BaseHTTPRequestHandler):
    """A debuginfod with one file."""
    file, asked = b"", []

    def do_GET(self):
        self.asked.append(self.path)
        found = self.path.endswith("/debuginfo")
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(self.file) if found else 0))
        self.end_headers()
        if found:
            self.wfile.write(self.file)

    def log_message(self, *_):
        pass


def check_debuginfod(folder):
    name = "debug information from a server"
    try:
        ctypes.CDLL("libdebuginfod.so.1")
    except OSError:
        tally.skip(name, "there is no libdebuginfod")
        return
    libraries.compile_c(folder / "libfar.so", "-g", "-O2")
    libraries.take_debug(folder / "libfar.so", folder / "libfar.debug")
    Server.file = (folder / "libfar.debug").read_bytes()
    os.remove(folder / "libfar.debug")
    image = Image(folder / "libfar.so", BIAS)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        urls = f"http://127.0.0.1:{server.server_port}"
        check_stack("no server is asked unless the environment names it", folder, image,
                    [("outer", str(image.path), 0)])
        tally.none("not at all", Server.asked)
        check_stack(name, folder, image, inlined(), DEBUGINFOD_URLS=urls, DEBUGINFOD_CACHE_PATH=str(folder / "cache"))
        server.shutdown()
    check_stack("a server that is not there", folder, image, [("outer", str(image.path), 0)],
                DEBUGINFOD_URLS="http://127.0.0.1:9", DEBUGINFOD_CACHE_PATH=str(folder / "empty"))


def check_addresses(folder):
    """Profiles that have nothing but addresses and the map of the process."""
    image, gone = Image(folder / "libfast.so", BIAS), folder / "addresses.so"
    shutil.copy(image.path, gone)
    call, mapping = image.behind_call("outer", "malloc"), addresses.Mapping(image)
    missing = addresses.Mapping(Image(gone, 2 * BIAS))
    os.remove(gone)
    unknown = ("addresses.so+{:#x}", str(gone), 0)
    outside = missing.start + 0x30
    wanted = [*inlined(), (unknown[0].format(missing.offset + 0x30), *unknown[1:]), ("0x10", "", 0)]
    maps = [mapping, missing]
    for name, data in (("a heap profile", addresses.heap_text(maps, [[call, outside, 0x10]])),
                       ("a CPU profile", addresses.cpu_words(maps, [[call - 1, outside, 0x10]])),
                       ("a pprof", addresses.pprof(maps, [[call - 1, outside, 0x10]], ["", ""])),
                       ("a pprof with build ids",
                        addresses.pprof(maps, [[call - 1, outside, 0x10]], [mapping.build_id.upper(), "ab" * 20]))):
        found = stacks_of(folder, data, stack="stack")
        tally.check(f"functions, files and lines in {name}", found == [wanted], *show(wanted, *found))
        known = stacks_of(folder, data, "--native", "off", stack="stack")[0]
        tally.check(f"none of them in {name} with --native off", [frame[0].partition("+")[0] for frame in known]
                    == ["libfast.so", "addresses.so", "0x10"], *show(known, []))
        done = program(folder, data, "--native", "require")
        tally.check(f"{name}: --native require names the file", done.returncode == 3
                    and f"{gone} cannot be read".encode() in done.stderr, done.stderr.decode())
        info = subprocess.run([PROGRAM, "info", folder / "made.bin"], capture_output=True, text=True, timeout=LIMIT_S)
        told = "functions are named by the files of code as they are now" in info.stdout
        tally.check(f"{name}: whether names are proven is told", told == ("build ids" not in name), info.stdout)
        table = subprocess.run([PROGRAM, "table", folder / "made.bin"], capture_output=True, text=True, timeout=LIMIT_S)
        tally.check(f"{name}: tables have the names", "innermost " in table.stdout, table.stdout)


def check_address_kinds(folder):
    """What ran last is meant as it is; an address behind a call belongs to the call, even where a function begins."""
    image = Image(folder / "libfast.so", BIAS)
    begin = BIAS + int(re.search(r"^([0-9a-f]+) <outer>:", libraries.run("objdump", "-d", image.path), re.M)[1], 16)
    mapping = addresses.Mapping(image)
    for name, data, is_outer in (("a leaf of a CPU profile", addresses.cpu_words([mapping], [[begin]]), True),
                                 ("a caller in a CPU profile", addresses.cpu_words([mapping], [[begin, begin]]), False),
                                 ("a leaf of a heap profile", addresses.heap_text([mapping], [[begin]]), False)):
        outermost = stacks_of(folder, data, stack="stack")[0][-1]
        tally.check(f"{name} where a function begins", (outermost[0] == "outer") == is_outer, *show([outermost], []))


def check_mappings_of_other_builds(folder):
    image = Image(folder / "libfast.so", BIAS)
    call, good, long = image.behind_call("outer", "malloc"), *(addresses.Mapping(image, spare) for spare in (0, 4096))
    for name, data in (("a mapping of another size", addresses.heap_text([long], [[call]])),
                       ("a mapping of another size in a pprof", addresses.pprof([long], [[call - 1]], [""])),
                       ("another build id", addresses.pprof([good], [[call - 1]], ["ab" * 20])),
                       ("a build id that is too short", addresses.pprof([good], [[call - 1]], [good.build_id[:-2]]))):
        found = stacks_of(folder, data, stack="stack")[0]
        tally.check(f"{name}: an offset", len(found) == 1 and found[0][0].startswith("libfast.so+0x"), *show(found, []))
        done = program(folder, data, "--native", "require")
        tally.check(f"{name}: is told", done.returncode == 3 and b"is another build" in done.stderr,
                    done.stderr.decode())
    found = stacks_of(folder, addresses.pprof([long], [[call - 1]], [good.build_id]), stack="stack")
    tally.check("with its build id a file may be mapped otherwise", found == [inlined()], *show(inlined(), *found))


def check_many_mappings_of_one_file(folder):
    """More of them than files are opened; among them one that is not of this build."""
    count = 9000
    image = Image(folder / "libfast.so", BIAS)
    call, maps, of_build = image.behind_call("outer", "malloc"), [], addresses.Mapping(image)
    for number in range(count):
        maps.append(copy.copy(of_build))
        maps[-1].start += number << 20
        maps[-1].end += (number << 20) + (4096 if number == count // 2 else 0)
    # The odd one has an address of its own, so that offsets in others are another stack.
    stacks = [[call + (number << 20) + (number == count // 2)] for number in range(count)]
    found = stacks_of(folder, addresses.heap_text(maps, stacks), stack="stack")
    other = [frame[0][:13] for stack in found if stack != inlined() for frame in stack]
    tally.check(f"{count} mappings of one file", len(found) == 2 and inlined() in found and other == ["libfast.so+0x"],
                *show([inlined()], found))


def check_many(folder):
    """Each byte of the code, as if it were called from there."""
    image = Image(folder / "libboxes.so", BIAS)
    start, size = max(image.segments, key=lambda segment: segment[1])
    addresses = [BIAS + start + 1 + offset % size for offset in range(40000)]
    data = capture([image], [[address] for address in addresses])
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = program(folder, data, "-q")
    took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    tally.check("40,000 addresses are named in time", done.returncode == 0 and took < 15, f"{took:.1f} s", done.stderr)


def check_many_files(folder):
    """More files than a process may have open."""
    count = 1500
    (folder / "many").mkdir()
    first = Image(folder / "libfast.so", BIAS)
    offset = first.behind_call("outer", "malloc") - BIAS
    images = []
    for number in range(count):
        path = folder / f"many/lib{number}.so"
        os.link(folder / "libfast.so", path)
        image = Image.__new__(Image)
        image.path, image.bias, image.segments = path, BIAS + number * 0x1000000, first.segments
        images.append(image)
    stacks = [[image.bias + offset] for image in images]
    found = stacks_of(folder, capture(images, stacks), "-q")
    named = sum(stack == inlined() for stack in found)
    total = json.loads(program(folder, capture(images, stacks), "-q").stdout)["records"]
    tally.check(f"{count} libraries at once", named == 1 and total[0]["n_allocations"] == count,
                f"{len(found)} different stacks, {named} named")


def check_scarce_memory(folder):
    """Memory that runs out anywhere, elfutils included, which would end the process."""
    images = [Image(folder / f"lib{name}.so", BIAS * (1 + at)) for at, name in enumerate(["fast", "stripped", "boxes"])]
    addresses = [image.bias + start + 1 + size // 16 * part for image in images
                 for start, size in [max(image.segments, key=lambda segment: segment[1])] for part in range(16)]
    (folder / "scarce.bin").write_bytes(capture(images, [[address] for address in addresses]))
    command, scarce = [PROGRAM, "export", "-q", folder / "scarce.bin"], Scarce(folder)
    if not scarce.works(command):
        tally.skip("memory that runs out", "the allocations of this program cannot be replaced")
        return
    good, step, wrong, refused, limit = scarce.answer(command), 40000, [], True, 0
    while refused and not wrong and limit < 1000 * step:
        limit += step
        refused, wrong = scarce.run(command, good, bytes=limit)
    tally.check(f"an error with each limit on memory, {step} bytes apart", limit > 10 * step and not wrong, *wrong)
    # Smaller ones are not in question: libdw does not check some of these.
    runs, wrong = scarce.each(command, least=4000)
    tally.check("an error for each large allocation that fails", runs > 20 and not wrong, f"{runs} runs", *wrong)


def main():
    with tempfile.TemporaryDirectory(prefix="profrender-native-") as name:
        folder = Path(name)
        if not tally.none("the libraries are built", libraries.build(folder)):
            sys.exit(tally.finish())
        for check in (check_debug_information, check_symbols, check_cxx, check_files_that_are_not_as_recorded,
                      check_addresses, check_address_kinds, check_mappings_of_other_builds,
                      check_many_mappings_of_one_file, check_debuginfod, check_many, check_many_files,
                      check_scarce_memory):
            try:
                check(folder)
            except (RuntimeError, subprocess.TimeoutExpired, LookupError, ValueError, struct.error) as error:
                tally.check(check.__name__.replace("_", " "), False, f"{type(error).__name__}: {error}")
    sys.exit(tally.finish())


if __name__ == "__main__":
    main()
