# SPDX-License-Identifier: Apache-2.0
"""What an OpenTelemetry profile contains, by OpenTelemetry's own classes, as JSON.

    python otlp_truth.py FILE

For each type of sample and each stack, a list of functions, the outermost first: the sum of its values.
"""

import gzip
import json
import sys
from collections import defaultdict

from opentelemetry.proto.profiles.v1development import profiles_pb2 as otlp


def names_of(dictionary, location):
    """Functions of a location, the outermost first."""
    strings, functions = dictionary.string_table, dictionary.function_table
    if location.lines:
        return [strings[functions[line.function_index].name_strindex] for line in reversed(location.lines)]
    mapping = dictionary.mapping_table[location.mapping_index]
    file = strings[mapping.filename_strindex]
    address = location.address - mapping.memory_start + mapping.file_offset if file else location.address
    return [f"{file.rsplit('/', 1)[-1]}{'+' if file else ''}{address:#x}"]


def stacks_of(data):
    dictionary = data.dictionary
    found = defaultdict(lambda: defaultdict(int))
    for resource in data.resource_profiles:
        for profile in (each for scope in resource.scope_profiles for each in scope.profiles):
            kind = dictionary.string_table[profile.sample_type.type_strindex]
            for sample in profile.samples:
                locations = dictionary.stack_table[sample.stack_index].location_indices
                names = [name for index in reversed(locations)
                         for name in names_of(dictionary, dictionary.location_table[index])]
                found[kind][tuple(names)] += sum(sample.values) or len(sample.timestamps_unix_nano)
    return {kind: sorted([list(stack), value] for stack, value in stacks.items()) for kind, stacks in found.items()}


def main():
    with open(sys.argv[1], "rb") as source:
        content = source.read()
    data = otlp.ProfilesData.FromString(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
    json.dump(stacks_of(data), sys.stdout)


if __name__ == "__main__":
    main()
