# SPDX-License-Identifier: Apache-2.0
"""Messages of Protocol Buffers, as bytes."""


def varint(number):
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def message(*fields):
    """Fields as (number, value): a whole number, or its contents as bytes."""
    out = b""
    for number, value in fields:
        if isinstance(value, bytes):
            out += varint(number << 3 | 2) + varint(len(value)) + value
        else:
            out += varint(number << 3) + varint(value)
    return out
