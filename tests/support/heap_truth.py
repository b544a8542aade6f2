# SPDX-License-Identifier: Apache-2.0
"""Heap dumps read once more, by other means: for each class its objects, their size, and what they retain.

    classes, unreachable = of_v8(text)      # {"Book": [objects, shallow, retained]}, {class: [objects, shallow]}
    classes, unreachable = of_hprof(bytes)

What a class retains is what its objects retain that are not retained by another one of the class. Dominators are found
by iteration (Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm"), not as the program finds them.
"""

import json
import re
from collections import Counter, defaultdict

VALUE_BYTES = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
VALUE_NAMES = {4: "boolean", 5: "char", 6: "float", 7: "double", 8: "byte", 9: "short", 10: "int", 11: "long"}
LETTERS = {"Z": "boolean", "C": "char", "F": "float", "D": "double", "B": "byte", "S": "short", "I": "int", "J": "long"}
ROOT_BYTES = {0x01: 8, 0x02: 8, 0x03: 8, 0x04: 4, 0x05: 0, 0x06: 4, 0x07: 0, 0x08: 8, 0xFF: 0}
PAIR = re.compile(r"^\d+ / part of key \(.*? @\d+\) -> value \(.*? @\d+\) pair in WeakMap \(table @(\d+)\)$")


def dominators(targets):
    """The immediate dominator of each node that is reachable from node 0."""
    order, number, stack = [], {0: -1}, [(0, iter(targets[0]))]
    while stack:
        node, rest = stack[-1]
        for to in rest:
            if to not in number:
                number[to] = -1
                stack.append((to, iter(targets[to])))
                break
        else:
            number[node] = len(order)
            order.append(node)
            stack.pop()
    sources = defaultdict(list)
    for node in order:
        for to in targets[node]:
            sources[to].append(node)
    above = {0: 0}
    changed = True
    while changed:
        changed = False
        for node in reversed(order[:-1]):
            new = None
            for source in sources[node]:
                if source not in above:
                    continue
                a, b = source, source if new is None else new
                while a != b:
                    while number[a] < number[b]:
                        a = above[a]
                    while number[b] < number[a]:
                        b = above[b]
                new = a
            if above.get(node) != new:
                above[node] = new
                changed = True
    return above


def by_class(targets, sizes, names):
    """What the classes retain. NAMES: the class of each node, None for nodes that are no objects."""
    above = dominators(targets)
    below = defaultdict(list)
    for node, dominator in above.items():
        if node:
            below[dominator].append(node)
    order = [0]
    for node in order:
        order.extend(below[node])
    retained = {node: sizes[node] for node in order}
    for node in reversed(order[1:]):
        retained[above[node]] += retained[node]
    found, open_classes, stack = defaultdict(lambda: [0, 0, 0]), Counter(), [(0, False)]
    while stack:
        node, is_left = stack.pop()
        name = names[node]
        if is_left:
            open_classes[name] -= 1
            continue
        if name is not None:
            row = found[name]
            row[0] += 1
            row[1] += sizes[node]
            row[2] += 0 if open_classes[name] else retained[node]
        open_classes[name] += 1
        stack.append((node, True))
        stack.extend((each, False) for each in below[node])
    unreachable = defaultdict(lambda: [0, 0])
    for node, name in enumerate(names):
        if node not in above and name is not None:
            unreachable[name][0] += 1
            unreachable[name][1] += sizes[node]
    return dict(found), dict(unreachable)


# ---- V8 --------------------------------------------------------------------------------------------------------------

def class_of(kind, name):
    known = {"hidden": "(system)", "code": "(compiled code)", "closure": "Function", "regexp": "RegExp"}
    if kind in ("object", "native"):
        return name
    return None if kind == "synthetic" else known.get(kind, f"({kind})")


def objects_of_v8(text):
    """{id: (class, size)} of the objects that DevTools counts: those with a size, and native ones."""
    document = json.loads(text)
    meta, strings = document["snapshot"]["meta"], document["strings"]
    fields, kinds, nodes = meta["node_fields"], meta["node_types"][0], document["nodes"]
    found = {}
    for at in range(0, len(nodes), len(fields)):
        row = dict(zip(fields, nodes[at:at + len(fields)]))
        kind, name = kinds[row["type"]], class_of(kinds[row["type"]], strings[row["name"]])
        if name is None or not (row["self_size"] or kind == "native"):
            continue
        is_detached = row["detachedness"] == 2 and kind in ("object", "native")
        found[row["id"]] = (f"Detached {name}" if is_detached else name, row["self_size"])
    return found


def of_v8(text):
    """By the rules of Chrome's DevTools: isEssentialEdge and markPageOwnedNodes in its HeapSnapshot.ts."""
    document = json.loads(text)
    meta, strings = document["snapshot"]["meta"], document["strings"]
    fields, kinds, edge_kinds = meta["node_fields"], meta["node_types"][0], meta["edge_types"][0]
    at = {name: fields.index(name) for name in fields}
    rows = [document["nodes"][i:i + len(fields)] for i in range(0, len(document["nodes"]), len(fields))]
    edges, flat = [], iter(document["edges"])
    for row in rows:
        mine = []
        for _ in range(row[at["edge_count"]]):
            kind, name, to = edge_kinds[next(flat)], next(flat), next(flat) // len(fields)
            mine.append((kind, strings[name] if kind == "internal" else "", to))
        edges.append(mine)
    page = {to for kind, _, to in edges[0] if kind == "shortcut"}
    stack = list(page)
    while stack:
        for kind, _, to in edges[stack.pop()]:
            if kind != "weak" and to not in page:
                page.add(to)
                stack.append(to)
    targets = []
    for node, mine in enumerate(edges):
        kept = []
        for kind, name, to in mine:
            pair = PAIR.match(name)
            is_lost = kind == "weak" or (kind == "shortcut" and node) or (node and to in page and node not in page)
            if not is_lost and not (pair and int(pair[1]) == rows[node][at["id"]]):
                kept.append(to)
        targets.append(kept)
    names = [class_of(kinds[row[at["type"]]], strings[row[at["name"]]]) for row in rows]
    for node, row in enumerate(rows):
        if names[node] and row[at["detachedness"]] == 2 and kinds[row[at["type"]]] in ("object", "native"):
            names[node] = "Detached " + names[node]
    return by_class(targets, [row[at["self_size"]] for row in rows], names)


# ---- the JVM ---------------------------------------------------------------------------------------------------------

class Dump:
    """The records of a dump with ids of eight bytes, as HotSpot writes it."""

    def __init__(self, data):
        self.data, self.strings, self.class_names, self.classes, self.objects, self.roots = data, {}, {}, {}, {}, []
        at = 19 + 12
        assert data.startswith(b"JAVA PROFILE 1.0.2\0") and self.number(19, 4) == 8
        while at < len(data):
            tag, length = data[at], self.number(at + 5, 4)
            at += 9
            if tag == 0x01:
                self.strings[self.number(at)] = data[at + 8:at + length].decode("utf-8", "replace")
            elif tag == 0x02:
                self.class_names[self.number(at + 4)] = self.number(at + 16)
            elif tag in (0x0C, 0x1C):
                self.read_segment(at, at + length)
            at += length

    def number(self, at, length=8):
        return int.from_bytes(self.data[at:at + length], "big")

    def read_segment(self, at, end):
        while at < end:
            tag = self.data[at]
            at = self.read_class(at + 1) if tag == 0x20 else self.read_other(tag, at + 1)
        assert at == end

    def read_class(self, at):
        number, statics, fields = self.number(at), [], []
        links = [self.number(at + 12 + i * 8) for i in range(4)]
        at += 7 * 8 + 8 + 2
        count, at = self.number(at, 2), at + 2
        for _ in range(count):
            kind = self.data[at + 8]
            size = 8 if kind == 2 else VALUE_BYTES[kind]
            statics.append((self.number(at), kind, self.number(at + 9, size)))
            at += 9 + size
        count, at = self.number(at, 2), at + 2
        for _ in range(count):
            fields.append((self.number(at), self.data[at + 8]))
            at += 9
        self.classes[number] = (links, statics, fields)
        self.objects[number] = ("class", number, 0, 0)
        return at

    def read_other(self, tag, at):
        if tag in ROOT_BYTES:
            thread = self.number(at + 8, 4) if ROOT_BYTES[tag] == 8 and tag != 0x01 else 0
            self.roots.append((tag, self.number(at), thread))
            return at + 8 + ROOT_BYTES[tag]
        number, count = self.number(at), self.number(at + 12, 4)
        if tag == 0x21:
            self.objects[number] = ("instance", self.number(at + 12), at + 24, 0)
            return at + 24 + self.number(at + 20, 4)
        if tag == 0x22:
            self.objects[number] = ("array", self.number(at + 16), at + 24, count)
            return at + 24 + 8 * count
        assert tag == 0x23
        self.objects[number] = ("values", self.data[at + 16], 0, count)
        return at + 17 + VALUE_BYTES[self.data[at + 16]] * count

    def line(self, number):
        """A class and those above it."""
        while number:
            yield number
            number = self.classes[number][0][0]

    def name(self, number):
        text = self.strings[self.class_names[number]]
        bare = text.lstrip("[")
        if bare != text:
            bare = LETTERS[bare] if len(bare) == 1 else bare[1:-1]
        return bare.replace("/", ".") + "[]" * (len(text) - len(text.lstrip("[")))


def aligned(size):
    return (size + 7) // 8 * 8


class Sizes:
    """What objects take, of which a dump has only addresses: by default in a JVM with compressed references."""

    def __init__(self, dump, header, array_header, reference):
        self.dump, self.header, self.array_header, self.reference = dump, header, array_header, reference
        order = sorted(dump.objects)
        self.room = {number: after - number for number, after in zip(order, order[1:])}
        arrays = [number for number in self.room if dump.objects[number][0] in ("array", "values")]
        is_close = len([1 for number in arrays if self.of_array(number) == self.room[number]]) >= 0.98 * len(arrays)
        rooms = defaultdict(list)
        for number, room in self.room.items():
            if is_close and dump.objects[number][0] == "instance":
                rooms[dump.objects[number][1]].append(room)
        self.hidden = {}
        for number, found in rooms.items():
            hidden, exact = min(found) - self.of_fields(number), found.count(min(found))
            if exact >= 3 and exact >= len(found) // 2 and (0 <= hidden <= 16 or 256 <= hidden <= 272):
                self.hidden[number] = hidden
        self.of_class = next(header + self.fields(number) for number in dump.classes
                             if dump.name(number) == "java.lang.Class")
        bare = [room - self.statics(number) for number, room in self.room.items() if dump.objects[number][0] == "class"]
        if is_close and len([1 for room in bare if room < min(bare) + 8]) >= 3:
            self.of_class = min(bare)

    def width(self, kind):
        return self.reference if kind == 2 else VALUE_BYTES[kind]

    def fields(self, number):
        return sum(self.width(kind) for each in self.dump.line(number) for _, kind in self.dump.classes[each][2])

    def of_fields(self, number):
        return aligned(self.header + self.fields(number))

    def statics(self, number):
        statics, names = self.dump.classes[number][1], self.dump.strings
        return sum(self.width(kind) for name, kind, _ in statics if not names[name].startswith("<"))

    def of_array(self, number):
        form, what, _, count = self.dump.objects[number]
        return aligned(self.array_header + count * (self.reference if form == "array" else VALUE_BYTES[what]))

    def of(self, number):
        form, what, _, _ = self.dump.objects[number]
        if form == "class":
            return aligned(self.of_class + self.statics(number))
        if form == "instance":
            return self.of_fields(what) + next((self.hidden[each] for each in self.dump.line(what)
                                                if each in self.hidden), 0)
        return self.of_array(number)


def of_hprof(data, header=12, array_header=16, reference=4):
    dump = Dump(data)
    size_of = Sizes(dump, header, array_header, reference).of
    numbers = {number: 1 + i for i, number in enumerate(dump.objects)}
    groups = sorted({tag for tag, _, _ in dump.roots})
    threads = {thread: number for tag, number, thread in dump.roots if tag == 0x08 and number in dump.objects}
    local = defaultdict(list)  # what the stack of a thread refers to is below the thread
    for tag, number, thread in dump.roots:
        if tag in (0x02, 0x03) and thread in threads:
            local[threads[thread]].append(number)
    first = 1 + len(numbers)
    targets = [[first + i for i in range(len(groups))]]
    sizes, names = [0], [None]
    for number, (form, what, at, count) in dump.objects.items():
        if form == "class":
            links, statics, _ = dump.classes[number]
            to = links + [value for _, kind, value in statics if kind == 2]
            name = "java.lang.Class"
        elif form == "instance":
            to, name = [what], dump.name(what)
            above = [dump.name(each) for each in dump.line(what)]
            is_weak = "java.lang.ref.Reference" in above and "java.lang.ref.FinalReference" not in above
            for each in dump.line(what):
                for field, kind in dump.classes[each][2]:
                    if kind == 2 and not (is_weak and dump.strings[field] == "referent"):
                        to.append(dump.number(at))
                    at += 8 if kind == 2 else VALUE_BYTES[kind]
        elif form == "array":
            to = [what] + [dump.number(at + 8 * i) for i in range(count)]
            name = dump.name(what)
        else:
            to, name = [], VALUE_NAMES[what] + "[]"
        targets.append([numbers[each] for each in to + local[number] if each in numbers])
        sizes.append(size_of(number))
        names.append(name)
    for group in groups:
        targets.append([numbers[number] for tag, number, thread in dump.roots if tag == group and number in numbers and
                        not (tag in (0x02, 0x03) and thread in threads)])
        sizes.append(0)
        names.append(None)
    return by_class(targets, sizes, names)
