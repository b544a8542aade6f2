# SPDX-License-Identifier: Apache-2.0
"""Names of native frames, from code files with every kind of debug information, and from files that are missing."""
import copy
import ctypes
import http.server
import os
import re
import resource
import shutil
import threading
from pathlib import Path

import address_captures as addresses
import libraries
import pytest
from native_capture import Image, capture
from scarce import Scarce

HERE = Path(__file__).resolve().parent
BIAS = 0x7F0000000000
OPEN_FILES = 256  # of the program
SOURCE = HERE / "code/store.c"


def line_of(text, source=SOURCE):
    return next(number for number, line in enumerate(source.read_text().splitlines(), 1) if text in line)


def inlined(path=SOURCE):
    """The callers of malloc in the libraries: inlined whatever the optimisation, as they ask for it."""
    file = str(path)
    return [("innermost", file, line_of("return malloc")), ("middle", file, line_of("= innermost(size)")),
            ("outer", file, line_of("= middle(size)"))]


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("native")
    libraries.build(folder)
    return folder


@pytest.fixture
def folder(built, tmp_path):
    """The libraries, in a folder of the test's own."""
    for path in built.iterdir():
        shutil.copy(path, tmp_path)
    return tmp_path


@pytest.fixture
def export(program, tmp_path):
    """`export(DATA, OPTIONS, VARIABLES)` of a profile made of these bytes."""
    def run(data, *options, **environment):
        path = tmp_path / "made.bin"
        path.write_bytes(data)
        clean = {name: value for name, value in os.environ.items() if not name.startswith("DEBUGINFOD")}
        return program("export", path, *options, env={**clean, **environment}, preexec_fn=few_descriptors)
    return run


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))


@pytest.fixture
def stacks_of(export):
    """[[(function, file, line), innermost first], ...] of the one record of each stack, in the order of the file."""
    def run(data, *options, stack="hybrid_stack", **environment):
        done = export(data, *options, **environment)
        assert done.status == 0, done.err
        return [[tuple(frame) for frame in record[stack]] for record in done.json()["records"]]
    return run


@pytest.fixture
def stack_at_malloc(stacks_of):
    """The stack of the allocation in `outer` of an image."""
    def run(image, **environment):
        found = stacks_of(capture([image], [[image.after_call("outer", "malloc")]]), **environment)
        assert len(found) == 1
        return found[0]
    return run


# ---- debug information -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["libplain.so", "libfast.so", "libseparate.so"])
def test_functions_files_and_lines(name, folder, stack_at_malloc):
    assert stack_at_malloc(Image(folder / name, BIAS)) == inlined()


@pytest.fixture
def separate(folder):
    """An image whose debug information is in .debug."""
    (folder / ".debug").mkdir()
    shutil.move(folder / "libseparate.debug", folder / ".debug/libseparate.debug")
    return Image(folder / "libseparate.so", BIAS)


def test_debug_information_in_dot_debug(separate, stack_at_malloc):
    assert stack_at_malloc(separate) == inlined()


def test_a_debug_link_with_another_checksum_is_not_followed(separate, folder, stack_at_malloc):
    with open(folder / ".debug/libseparate.debug", "ab") as debug:
        debug.write(b"of another build")
    assert stack_at_malloc(separate) == [("outer", str(separate.path), 0)]


def test_a_debug_link_to_a_pipe_is_not_waited_for(separate, folder, stack_at_malloc):
    os.remove(folder / ".debug/libseparate.debug")
    os.mkfifo(folder / ".debug/libseparate.debug")
    assert stack_at_malloc(separate) == [("outer", str(separate.path), 0)]


def test_a_link_to_a_library(folder, stack_at_malloc):
    os.symlink(folder / "libfast.so", folder / "link.so")
    assert stack_at_malloc(Image(folder / "link.so", BIAS)) == inlined()


def test_a_stripped_library_has_its_exported_names_and_offsets(folder, stacks_of):
    seen, stripped = Image(folder / "libfast.so", BIAS), Image(folder / "libstripped.so", 2 * BIAS)
    # Compiled alike, so that the code is at the same addresses; the stripped one has no names in its disassembly.
    calls = [seen.after_call("outer", "malloc"), seen.after_call("hidden", "calloc")]
    moved = [address - seen.bias + stripped.bias for address in calls]
    shift = moved[1] - 1 - stripped.bias
    assert stacks_of(capture([seen, stripped], [moved])) == \
        [[("outer", str(stripped.path), 0), (f"libstripped.so+{shift:#x}", str(stripped.path), 0)]]


def test_names_of_cxx_are_readable(folder, stacks_of):
    image = Image(folder / "libboxes.so", BIAS)
    code = libraries.run("objdump", "-d", image.path)
    symbol = next(re.finditer(r"<(_ZN5boxes5ShelfC\dEi)>:", code))[1]
    called = next(re.finditer(r"call .*<(_ZN5boxes3BoxIdE4fillEi[^>]*?)(?:@plt)?>", code))[1]
    source = HERE / "code/boxes.cc"
    assert stacks_of(capture([image], [[image.after_call(symbol, called)]]))[0] == \
        [("boxes::Shelf::Shelf(int)", str(source), line_of("box.fill(count)", source))]


# ---- files that differ from the recorded ones ------------------------------------------------------------------------

REASONS = {"gone.so": "cannot be read", "pipe.so": "cannot be read", "folder.so": "cannot be read",
           "text.so": "neither a program nor a shared library", "other.so": "another build"}


def replace(path, folder):
    """Replaces a library as its own name says."""
    os.remove(path)
    if path.name == "pipe.so":
        os.mkfifo(path)
    elif path.name == "text.so":
        path.write_text("not a library any more\n")
    elif path.name == "folder.so":
        path.mkdir()
    elif path.name == "other.so":
        (folder / "more.c").write_text(SOURCE.read_text() + "char more[100000];\n")
        libraries.compile_c(path, "-g", "-O2", source=folder / "more.c")


@pytest.fixture(params=REASONS)
def changed(request, folder):
    """(path, a capture that names it, the address of its one call) of a library that has since been replaced."""
    path = folder / request.param
    shutil.copy(folder / "libfast.so", path)
    image = Image(path, BIAS)
    address = image.after_call("outer", "malloc")
    replace(path, folder)
    return path, capture([image], [[address]]), address


def test_a_changed_file_has_offsets(changed, stacks_of):
    path, data, address = changed
    assert stacks_of(data) == [[(f"{path.name}+{address - 1 - BIAS:#x}", str(path), 0)]]


def test_a_changed_file_that_is_required(changed, export):
    path, data, _ = changed
    done = export(data, "--native", "require")
    assert done.status == 3
    assert REASONS[path.name] in done.err
    assert f"/{path.name} " in done.err


def test_a_changed_file_is_reported(changed, export):
    path, data, _ = changed
    said = export(data).err
    assert "1 of 1 files" in said
    assert path.name in said


def test_code_that_belongs_to_no_file_has_no_frame(folder, stacks_of):
    assert stacks_of(capture([Image(folder / "libfast.so", BIAS)], [[0x1234]])) == [[]]


def test_native_off_reads_no_file(changed, export):
    assert "hybrid_stack" not in export(changed[1], "--native", "off").json()["records"][0]


# ---- a server of debug information -----------------------------------------------------------------------------------


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


@pytest.fixture
def far(folder):
    """(an image whose debug information a server has, the server's address)"""
    try:
        ctypes.CDLL("libdebuginfod.so.1")
    except OSError:
        pytest.skip("there is no libdebuginfod")
    libraries.compile_c(folder / "libfar.so", "-g", "-O2")
    libraries.take_debug(folder / "libfar.so", folder / "libfar.debug")
    Server.file, Server.asked[:] = (folder / "libfar.debug").read_bytes(), []
    os.remove(folder / "libfar.debug")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Image(folder / "libfar.so", BIAS), f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_no_server_is_asked_unless_the_environment_names_it(far, stack_at_malloc):
    image, _ = far
    assert stack_at_malloc(image) == [("outer", str(image.path), 0)]
    assert not Server.asked


def test_debug_information_from_a_server(far, folder, stack_at_malloc):
    image, url = far
    cache = str(folder / "cache")
    assert stack_at_malloc(image, DEBUGINFOD_URLS=url, DEBUGINFOD_CACHE_PATH=cache) == inlined()


def test_a_server_that_is_not_there(far, folder, stack_at_malloc):
    image, _ = far
    assert stack_at_malloc(image, DEBUGINFOD_URLS="http://127.0.0.1:9", DEBUGINFOD_CACHE_PATH=str(folder / "empty")) \
        == [("outer", str(image.path), 0)]


# ---- profiles with only addresses and the process's map --------------------------------------------------------------

KINDS = ["a heap profile", "a CPU profile", "a pprof", "a pprof with build ids"]


def profile_of(kind, maps, call, others):
    """A profile with one stack: a call, and addresses that belong to no existing file."""
    if kind == "a heap profile":
        return addresses.heap_text(maps, [[call, *others]])
    if kind == "a CPU profile":
        return addresses.cpu_words(maps, [[call - 1, *others]])
    ids = [maps[0].build_id.upper(), "ab" * 20] if kind == "a pprof with build ids" else ["", ""]
    return addresses.pprof(maps, [[call - 1, *others]], ids)


@pytest.fixture(params=KINDS)
def addressed(request, folder):
    """(kind, bytes of the profile, its stack); one of its two files is gone, addresses.so."""
    image, gone = Image(folder / "libfast.so", BIAS), folder / "addresses.so"
    shutil.copy(image.path, gone)
    mapping, missing = addresses.Mapping(image), addresses.Mapping(Image(gone, 2 * BIAS))
    os.remove(gone)
    data = profile_of(request.param, [mapping, missing], image.after_call("outer", "malloc"),
                      [missing.start + 0x30, 0x10])
    unknown = (f"addresses.so+{missing.offset + 0x30:#x}", str(gone), 0)
    return request.param, data, [*inlined(), unknown, ("0x10", "", 0)]


def test_addresses_have_functions_files_and_lines(addressed, stacks_of):
    _, data, wanted = addressed
    assert stacks_of(data, stack="stack") == [wanted]


def test_addresses_have_none_with_native_off(addressed, stacks_of):
    known = stacks_of(addressed[1], "--native", "off", stack="stack")[0]
    assert [frame[0].partition("+")[0] for frame in known] == ["libfast.so", "addresses.so", "0x10"]


def test_require_names_the_file_that_is_not_there(addressed, export, folder):
    done = export(addressed[1], "--native", "require")
    assert done.status == 3
    assert f"{folder}/addresses.so cannot be read" in done.err


def test_info_says_whether_names_are_proven(addressed, program, folder):
    kind, data, _ = addressed
    (folder / "made.bin").write_bytes(data)
    said = "functions are named from the code files as they are now" in program("info", folder / "made.bin").out
    assert said == ("build ids" not in kind)


def test_tables_have_the_names(addressed, program, folder):
    (folder / "made.bin").write_bytes(addressed[1])
    assert "innermost " in program("table", folder / "made.bin").out


@pytest.mark.parametrize("kind, is_outer", [
    ("a leaf of a CPU profile", True),
    ("a caller in a CPU profile", False),
    ("a leaf of a heap profile", False),
])
def test_where_a_function_begins(kind, is_outer, folder, stacks_of):
    """The innermost address is used unchanged; one after a call belongs to the call, even where a function begins."""
    image = Image(folder / "libfast.so", BIAS)
    begin = BIAS + int(re.search(r"^([0-9a-f]+) <outer>:", libraries.run("objdump", "-d", image.path), re.M)[1], 16)
    stack = [begin, begin] if kind == "a caller in a CPU profile" else [begin]
    write = addresses.heap_text if kind == "a leaf of a heap profile" else addresses.cpu_words
    outermost = stacks_of(write([addresses.Mapping(image)], [stack]), stack="stack")[0][-1]
    assert (outermost[0] == "outer") == is_outer, f"{outermost}"


@pytest.fixture
def mapped(folder):
    """(the address of a call, the mapping of its file, one of another size)"""
    image = Image(folder / "libfast.so", BIAS)
    return image.after_call("outer", "malloc"), *(addresses.Mapping(image, spare) for spare in (0, 4096))


@pytest.fixture(params=["a mapping of another size", "a mapping of another size in a pprof", "another build id",
                        "a build id that is too short"])
def of_another_build(request, mapped):
    """A profile that claims another build of its file."""
    call, good, long = mapped
    return {
        "a mapping of another size": lambda: addresses.heap_text([long], [[call]]),
        "a mapping of another size in a pprof": lambda: addresses.pprof([long], [[call - 1]], [""]),
        "another build id": lambda: addresses.pprof([good], [[call - 1]], ["ab" * 20]),
        "a build id that is too short": lambda: addresses.pprof([good], [[call - 1]], [good.build_id[:-2]]),
    }[request.param]()


def test_another_build_has_offsets(of_another_build, stacks_of):
    found = stacks_of(of_another_build, stack="stack")[0]
    assert len(found) == 1
    assert found[0][0].startswith("libfast.so+0x")


def test_another_build_that_is_required(of_another_build, export):
    done = export(of_another_build, "--native", "require")
    assert done.status == 3
    assert "is another build" in done.err


def test_with_its_build_id_a_file_may_be_mapped_otherwise(mapped, stacks_of):
    call, good, long = mapped
    assert stacks_of(addresses.pprof([long], [[call - 1]], [good.build_id]), stack="stack") == [inlined()]


# ---- many, and little memory -----------------------------------------------------------------------------------------


def test_thousands_of_mappings_of_one_file(mapped, stacks_of):
    """More of them than the limit of open files; one of them is of another build."""
    count = 9000
    call, of_build, _ = mapped
    maps = []
    for number in range(count):
        maps.append(copy.copy(of_build))
        maps[-1].start += number << 20
        maps[-1].end += (number << 20) + (4096 if number == count // 2 else 0)
    # The odd one has its own address, so that offsets in others are another stack.
    stacks = [[call + (number << 20) + (number == count // 2)] for number in range(count)]
    found = stacks_of(addresses.heap_text(maps, stacks), stack="stack")
    assert len(found) == 2
    assert inlined() in found
    assert [frame[0][:13] for stack in found if stack != inlined() for frame in stack] == ["libfast.so+0x"]


def test_40000_addresses_are_named_in_time(folder, export):
    """Each byte of the code, as if it were called from there."""
    image = Image(folder / "libboxes.so", BIAS)
    start, size = max(image.segments, key=lambda segment: segment[1])
    stacks = [[BIAS + start + 1 + offset % size] for offset in range(40000)]
    data = capture([image], stacks)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = export(data, "-q")
    took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    assert done.status == 0
    assert took < 15


def test_more_libraries_than_files_that_a_process_may_have_open(folder, export, stacks_of):
    count = 1500
    (folder / "many").mkdir()
    first = Image(folder / "libfast.so", BIAS)
    offset = first.after_call("outer", "malloc") - BIAS
    images = []
    for number in range(count):
        path = folder / f"many/lib{number}.so"
        os.link(folder / "libfast.so", path)
        image = Image.__new__(Image)
        image.path, image.bias, image.segments = path, BIAS + number * 0x1000000, first.segments
        images.append(image)
    data = capture(images, [[image.bias + offset] for image in images])
    found = stacks_of(data, "-q")
    assert sum(stack == inlined() for stack in found) == 1, f"{len(found)} different stacks"
    assert export(data, "-q").json()["records"][0]["n_allocations"] == count


@pytest.fixture
def scarce(folder, program):
    """(Scarce, a command over three libraries); elfutils, too, runs out of memory, and would end the process."""
    images = [Image(folder / f"lib{name}.so", BIAS * (1 + at)) for at, name in enumerate(["fast", "stripped", "boxes"])]
    stacks = [[image.bias + start + 1 + size // 16 * part] for image in images
              for start, size in [max(image.segments, key=lambda segment: segment[1])] for part in range(16)]
    (folder / "scarce.bin").write_bytes(capture(images, stacks))
    command, scarce = [program.path, "export", "-q", folder / "scarce.bin"], Scarce(folder)
    if not scarce.works(command):
        pytest.skip("the allocations of this program cannot be replaced")
    return scarce, command


def test_an_error_with_each_limit_on_memory(scarce):
    scarce, command = scarce
    good, step, wrong, refused, limit = scarce.answer(command), 40000, [], True, 0
    while refused and not wrong and limit < 1000 * step:
        limit += step
        refused, wrong = scarce.run(command, good, bytes=limit)
    assert not wrong, "\n".join(wrong)
    assert limit > 10 * step


def test_an_error_for_each_large_allocation_that_fails(scarce):
    """Smaller ones are not in question: libdw does not check some of these."""
    scarce, command = scarce
    runs, wrong = scarce.each(command, least=4000)
    assert not wrong, "\n".join(wrong)
    assert runs > 20
