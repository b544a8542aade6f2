# SPDX-License-Identifier: Apache-2.0
"""Every file is in a room, and rooms use only what is below them, by includes and by the symbols that they call."""

import collections
import functools
import re
from pathlib import Path

import pytest
from rooms import LIBC, PACKAGES, ROOMS, may_know
from sources import API, ROOT, c_sources, find, included, nothing, read, room_of, symbols, tracked


def objects():
    """{source: its object in build/obj} for the .c files of the three layers."""
    found = {path: ROOT / "build/obj" / path.with_suffix(".o") for path in c_sources() if path.suffix == ".c"}
    missing = [path for path, file in found.items() if not file.is_file()]
    if missing:
        pytest.fail(f"not compiled: {missing[:3]}; make lib build/profrender")
    return found


@functools.cache
def calls():
    """(caller, callee, symbol) over all files of the three layers."""
    defined, wanted = {}, {}
    for source, file in objects().items():
        table = symbols(file)
        wanted[source] = {name for kind, name in table if kind == "U"}
        defined.update({name: source for kind, name in table if kind.isupper() and kind != "U"})
    return [(source, defined[name], name) for source, names in wanted.items() for name in sorted(names)
            if name in defined and defined[name] != source]


def all_sources():
    return c_sources("capture", "render", "cli", "platform")


def test_every_file_is_in_a_room():
    nothing(f"{path}: there is no room {room_of(path)}/" for path in all_sources() if room_of(path) not in ROOMS)


def test_every_room_has_files():
    used = {room_of(path) for path in all_sources()}
    nothing(sorted(set(ROOMS) - used))


def test_the_table_has_no_circle():
    """Rooms are listed from the bottom up, so each uses only what is listed before it; the entry points come last."""
    order = {room: at for at, room in enumerate(ROOMS)}
    nothing(f"{room} is listed before {known}" for room, may in ROOMS.items() for known in may
            if known in order and order[known] > order[room])


def test_includes_point_downwards():
    wrong = []
    for path in all_sources():
        for kind, name in included(path):
            if kind == "<" or name.startswith("assets/"):
                continue
            if not (ROOT / name).is_file():
                wrong.append(f"{path}: there is no {name}")
            elif not may_know(room_of(path), name, room_of(name)):
                wrong.append(f"{path}: {room_of(path)}/ must not know {name}")
    nothing(wrong)


def test_only_doors_include_the_built_assets():
    nothing(f"{path}: {name}" for path in c_sources() for kind, name in included(path)
            if kind == '"' and name.startswith("assets/") and "assets" not in ROOMS[room_of(path)])


def test_system_and_package_headers_are_known():
    wrong = []
    for path in all_sources():
        layer = next(layer for layer in PACKAGES if str(path).startswith(layer + "/"))
        for kind, name in included(path):
            stem = name.removesuffix(".h")
            if kind == "<" and stem not in LIBC and stem not in PACKAGES[layer]:
                wrong.append(f"{path}: <{name}> is not for {layer}/")
    nothing(wrong)


def declared_in_api(name, _cache={}):
    if not _cache:
        text = "".join(read(path) for path in c_sources("capture") if room_of(path) == API)
        _cache.update(dict.fromkeys(re.findall(r"\bpr_\w+", text), True))
    return name in _cache


def test_calls_point_downwards():
    """The linker would let an `extern` in a .c file call upwards where no include shows it."""
    wrong = []
    for caller, callee, name in calls():
        inside = str(caller).split("/")[0] == str(callee).split("/")[0]
        header = callee.with_suffix(".h")
        if inside and not declared_in_api(name) and not may_know(room_of(caller), header, room_of(callee)):
            wrong.append(f"{caller} calls {name} of {callee}")
        if not inside and str(caller).split("/")[0] == "capture":
            wrong.append(f"{caller} calls {name} of {callee}")
    nothing(wrong)


def circles(edges):
    """The strongly connected groups of more than one, each sorted (Tarjan, without recursion)."""
    graph = collections.defaultdict(set)
    for a, b in edges:
        graph[a].add(b)
    index, low, stack, found = {}, {}, [], []
    for start in sorted(graph):
        work = [(start, None)] if start not in index else []
        while work:
            node, rest = work.pop()
            if rest is None:
                index[node] = low[node] = len(index)
                stack.append(node)
                rest = iter(sorted(graph[node]))
            for other in rest:
                if other not in index:
                    work += [(node, rest), (other, None)]
                    break
                if other in stack:
                    low[node] = min(low[node], low[other], index[other])
            else:
                if low[node] == index[node]:
                    group = [stack.pop()]
                    while group[-1] != node:
                        group.append(stack.pop())
                    if len(group) > 1:
                        found.append(sorted(group))
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
    return found


def test_circles_are_found():
    assert circles([(1, 2), (2, 3), (3, 1), (3, 4), (5, 4)]) == [[1, 2, 3]]
    assert circles([(1, 2), (2, 3), (1, 3)]) == []


def test_no_file_calls_one_that_calls_it():
    edges = [(str(a), str(b)) for a, b, _ in calls()]
    nothing(" -> ".join(group) for group in circles(edges))


def test_no_header_includes_one_that_includes_it():
    edges = [(str(path), name) for path in c_sources() if path.suffix == ".h" for kind, name in included(path)
             if kind == '"']
    nothing(" -> ".join(group) for group in circles(edges))


def test_base_names_are_unique():
    """`ar` replaces members by base name: of two reader.o, an archive would keep one. Each layer has one."""
    names = collections.Counter((path.parts[0], path.name) for path in c_sources() if path.suffix == ".c")
    nothing(sorted(name for name, count in names.items() if count > 1))


def test_architecture_names_each_room():
    text = read(Path("ARCHITECTURE.md"))
    nothing(f"ARCHITECTURE.md does not name {room}/" for room in ROOMS if f"`{room}/`" not in text)
    named = set(re.findall(r"`((?:capture|render|cli)(?:/\w+)*)/`", text))
    nothing(f"ARCHITECTURE.md names {room}/, which does not exist" for room in sorted(named)
            if not (ROOT / room).is_dir())


def test_unit_tests_are_in_the_rooms_that_they_test():
    """tests/unit/heap is for capture/heap, tests/unit/render/words for render/words."""
    rooms = {room.removeprefix("capture/") for room in ROOMS}
    folders = {path.parent.relative_to("tests/unit").as_posix() for path in tracked()
               if str(path).startswith("tests/unit/") and path.suffix == ".c" and len(path.parts) > 3}
    nothing(f"tests/unit/{folder}: there is no such room" for folder in folders - rooms)


def replaced(path):
    """The file, or a pattern of files, that the first comment of a file in platform/ says it is there for."""
    return re.search(r"For ([\w/*]+\.c)\b", read(path)).group(1)


def test_a_platform_replaces_whole_files_that_its_build_leaves_out():
    """Readers and reports know no platform: each file of platform/wasi and platform/posix is there for another, and
    no #if asks for one. What platform/cross and platform/macos have stands in for functions of other projects."""
    makefiles = {"wasi": "wasm.mk", "posix": "posix.mk"}
    for path in c_sources("platform/wasi", "platform/posix"):
        assert list(ROOT.glob(replaced(path))), path
        makefile = read(path.with_name(makefiles[path.parent.name])).replace("\\\n", " ")
        left_out = re.search(r"_LEFT_OUT := (.*)", makefile).group(1)
        assert replaced(path).replace("*", "%") in left_out.split(), path
    nothing(find(r"#\s*(?:if|ifdef|ifndef|elif)\b.*(?:wasi|wasm|__APPLE__|_WIN32|__FreeBSD__)", c_sources()))
