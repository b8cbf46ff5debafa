"""The sizes of the pages of a Parquet file, as the headers of the pages state them.

A reader allocates the memory for a page by the size in its header, whatever the sizes in the file's footer are, and
pyarrow has no limit on it. Headers are structs of Thrift's compact protocol.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

_LARGEST_HEADER = 1 << 20
_UNPACKED, _PACKED = 2, 3
"""The numbers of the fields of a header with the size of its page."""
_DEEPEST = 8
"""The deepest nesting of structs and lists in a header; those of Parquet are three levels deep."""


def sizes_of_pages(file: BinaryIO, start: int, size: int) -> Iterator[int]:
    """The sizes in bytes, after unpacking, of the pages in `size` bytes of a file from `start` on. Raises ValueError if
    there is something else."""
    at, end = start, start + size
    while at < end:
        fields, length = _header(file, at)
        unpacked, packed = fields.get(_UNPACKED, -1), fields.get(_PACKED, -1)
        if unpacked < 0 or packed < 0:
            raise ValueError(f"the page at byte {at} states no size")
        yield unpacked
        at += length + packed


def _header(file: BinaryIO, at: int) -> tuple[dict[int, int], int]:
    """The integers of a page's header by number, and the length of the header."""
    count = 1 << 9
    while True:
        file.seek(at)
        data = file.read(count)
        try:
            return _struct(data, 0, 0)
        except IndexError:  # the header is longer
            if len(data) < count or count >= _LARGEST_HEADER:
                raise ValueError(f"there is no page at byte {at}") from None
        count *= 4


def _struct(data: bytes, at: int, depth: int) -> tuple[dict[int, int], int]:
    """The integers of a struct by number, and the position behind it."""
    if depth > _DEEPEST:
        raise ValueError("a page has a header that is nested too deeply")
    fields, number = dict[int, int](), 0
    while (head := data[at]) != 0:
        at += 1
        if head >> 4:
            number += head >> 4
        else:
            coded, at = _varint(data, at)
            number = _signed(coded)
        value, at = _value(data, at, head & 15, depth)
        if value is not None:
            fields[number] = value
    return fields, at + 1


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[int | None, int]:
    """The value of a field if it is an integer, and the position behind it."""
    match kind:
        case 1 | 2:  # true and false, which are part of the kind
            return None, at
        case 3:
            return None, at + 1
        case 4 | 5 | 6:
            coded, at = _varint(data, at)
            return _signed(coded), at
        case 7:
            return None, at + 8
        case 8:
            length, at = _varint(data, at)
            return None, at + length
        case 9 | 10:
            if depth > _DEEPEST:
                raise ValueError("a page has a header that is nested too deeply")
            count, inner = data[at] >> 4, data[at] & 15
            at += 1
            if count == 15:
                count, at = _varint(data, at)
            for _ in range(count):
                # Booleans in lists are a byte each, so that each value takes at least one.
                at = at + 1 if inner in (1, 2) else _value(data, at, inner, depth + 1)[1]
                if at > len(data):
                    raise IndexError
            return None, at
        case 12:
            return None, _struct(data, at, depth + 1)[1]
        case _:
            raise ValueError(f"a page has a header with a field of kind {kind}")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if not byte & 128:
            return value, at
        if shift > 63:
            raise ValueError("a page has a header with a number of more than 64 bits")


def _signed(value: int) -> int:
    return value >> 1 ^ -(value & 1)
