# SPDX-License-Identifier: Apache-2.0
"""Writes samples/cpu/endpoints.otlp.gz: endpoints.cpu.pb.gz as OpenTelemetry's own classes write it.

    python3 tests/support/pprof_to_otlp.py samples/cpu/endpoints.cpu.pb.gz samples/cpu/endpoints.otlp.gz

Both formats are protobuf; of pprof's messages only what the sample has is decoded here.
"""

import gzip
import sys

from opentelemetry.proto.profiles.v1development import profiles_pb2 as otlp


def fields(data):
    """Field numbers and values of a message: an integer, or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        value = varint()
        if key & 7 == 2:
            at += value
            value = data[at - value:at]
        yield key >> 3, value


def numbers(value):
    """A list of numbers, packed or a single one."""
    return [value] if isinstance(value, int) else [int_of for _, int_of in fields(b"".join(
        b"\x08" + part for part in split(value)))]


def split(data):
    start = 0
    for at, byte in enumerate(data):
        if byte < 128:
            yield data[start:at + 1]
            start = at + 1


def message(data):
    """All values of each field."""
    found = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


def one(found, number):
    return found.get(number, [0])[-1]


def listed(found, number):
    return [each for value in found.get(number, []) for each in numbers(value)]


def convert(data):
    pprof = message(data)
    strings = [each.decode() for each in pprof[6]]
    result = otlp.ProfilesData()
    table = result.dictionary
    table.string_table.extend(strings)
    for rows in (table.mapping_table, table.location_table, table.function_table, table.link_table,
                 table.attribute_table, table.stack_table):
        rows.add()

    def index(text):
        if text not in strings:
            strings.append(text)
            table.string_table.append(text)
        return strings.index(text)

    attributes, stacks, places = {}, {}, {}

    def attribute(key, value, unit=0):
        if (key, value, unit) not in attributes:
            attributes[key, value, unit] = len(table.attribute_table)
            row = table.attribute_table.add(key_strindex=index(key), unit_strindex=unit)
            if isinstance(value, str):
                row.value.string_value = value
            else:
                row.value.int_value = value
        return attributes[key, value, unit]

    for number, values in ((3, pprof.get(3, [])), (5, pprof.get(5, []))):
        for position, each in enumerate(map(message, values)):
            places[number, one(each, 1)] = position + 1
            if number == 3:
                row = table.mapping_table.add(memory_start=one(each, 2), memory_limit=one(each, 3),
                                              file_offset=one(each, 4), filename_strindex=one(each, 5))
                if one(each, 6):
                    row.attribute_indices.append(
                        attribute("process.executable.build_id.gnu", strings[one(each, 6)]))
            else:
                table.function_table.add(name_strindex=one(each, 2), system_name_strindex=one(each, 3),
                                         filename_strindex=one(each, 4), start_line=one(each, 5))
    for position, each in enumerate(map(message, pprof.get(4, []))):
        places[4, one(each, 1)] = position + 1
        row = table.location_table.add(mapping_index=places.get((3, one(each, 2)), 0), address=one(each, 3))
        for line in map(message, each.get(4, [])):
            row.lines.add(function_index=places[5, one(line, 1)], line=one(line, 2))
    resource = result.resource_profiles.add()
    for key, value in (("service.name", "endpoints"), ("telemetry.sdk.language", "go")):
        pair = resource.resource.attributes.add(key=key)
        pair.value.string_value = value
    scope = resource.scope_profiles.add()
    scope.scope.name = "pprof_to_otlp"
    for column, kind in enumerate(map(message, pprof[1])):
        profile = scope.profiles.add(time_unix_nano=one(pprof, 9), duration_nano=one(pprof, 10), period=one(pprof, 12))
        profile.sample_type.type_strindex, profile.sample_type.unit_strindex = one(kind, 1), one(kind, 2)
        period = message(one(pprof, 11) or b"")
        profile.period_type.type_strindex, profile.period_type.unit_strindex = one(period, 1), one(period, 2)
        for sample in map(message, pprof[2]):
            stack = tuple(places[4, each] for each in listed(sample, 1))
            if stack not in stacks:
                stacks[stack] = len(table.stack_table)
                table.stack_table.add(location_indices=stack)
            row = profile.samples.add(stack_index=stacks[stack], values=[listed(sample, 2)[column]])
            for label in map(message, sample.get(3, [])):
                text = strings[one(label, 2)] if one(label, 2) else one(label, 3)
                row.attribute_indices.append(attribute(strings[one(label, 1)], text, one(label, 4)))
    return result


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as source:
        written = convert(gzip.decompress(source.read())).SerializeToString(deterministic=True)
    with open(sys.argv[2], "wb") as target:
        target.write(gzip.compress(written, 9, mtime=0))
