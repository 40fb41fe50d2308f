"""The note `sorting_columns` in a Parquet file that is written already.

Whether rows are in the order of a column is known at their end, and pyarrow wants it at the beginning. So the file's footer, a structure of
Thrift's compact protocol, is written again with one more field in each of its row groups. Its numbers are those of parquet.thrift: field 4 of
FileMetaData is the list of row groups, field 4 of RowGroup the list of SortingColumn, which has 1: the column's index, 2: descending, 3: nulls first.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Iterator

MARK = b"PAR1"
ROW_GROUPS = SORTING = 4
BYTE, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = 3, 7, 8, 9, 10, 11, 12  # 1 and 2 are true and false, 4 to 6 varints
TRUE, FALSE, I32 = 1, 2, 5


class _Reader:
    """Over a structure that was written by a library a moment ago; what does not look like one raises."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def fields(self) -> Iterator[tuple[int, int, int]]:
        """Of a struct: (where the field's header begins, its number, its type); whoever asks for the next one has read the value."""
        number = 0
        while True:
            begin, header = self.at, self.byte()
            if header == 0:
                return
            if header >> 4:
                number += header >> 4
            else:
                zigzag = self.varint()
                number = (zigzag >> 1) ^ -(zigzag & 1)
            yield begin, number, header & 0x0F

    def elements(self) -> tuple[int, int]:
        header = self.byte()
        count = header >> 4
        return self.varint() if count == 15 else count, header & 0x0F

    def skip(self, kind: int, in_list: bool = False) -> None:
        if kind in (TRUE, FALSE):
            self.at += in_list
        elif kind == BYTE:
            self.at += 1
        elif kind < DOUBLE:
            self.varint()
        elif kind == DOUBLE:
            self.at += 8
        elif kind == BINARY:
            length = self.varint()
            self.at += length
        elif kind in (LIST, SET):
            count, of = self.elements()
            for _ in range(count):
                self.skip(of, True)
        elif kind == MAP:
            count = self.varint()
            both = self.byte() if count else 0
            for _ in range(count):
                self.skip(both >> 4, True)
                self.skip(both & 0x0F, True)
        elif kind == STRUCT:
            for _, _, of in self.fields():
                self.skip(of)
        else:
            raise ValueError(f"type {kind} is none of Thrift's")


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _note(before: int, column: int, descending: bool) -> bytes:
    """The field, as it stands behind field `before`."""
    index = bytes([1 << 4 | I32]) + _varint(column << 1)  # zigzag of a number that is not negative
    return bytes([SORTING - before << 4 | LIST, 1 << 4 | STRUCT]) + index + bytes([1 << 4 | (TRUE if descending else FALSE), 1 << 4 | FALSE, 0])


def _group(reader: _Reader, column: int, descending: bool) -> bytes:
    """The row group that begins here, with the note."""
    begin, before = reader.at, 0
    put: bytes | None = None
    for at, number, kind in reader.fields():
        if put is None and number > SORTING:
            # The first field behind the note counts its number from it.
            rest = bytes([number - SORTING << 4 | kind]) if reader.data[at] >> 4 else reader.data[at : reader.at]
            put = reader.data[begin:at] + _note(before, column, descending) + rest
            begin = reader.at
        before = number
        reader.skip(kind)
    if put is None:
        return reader.data[begin : reader.at - 1] + _note(before, column, descending) + b"\0"
    return put + reader.data[begin : reader.at]


def with_order(footer: bytes, column: int, descending: bool) -> bytes:
    """The footer of a file whose rows are in the order of the leaf column of that index."""
    reader, out, done = _Reader(footer), bytearray(), 0
    for _, number, kind in reader.fields():
        if number != ROW_GROUPS:
            reader.skip(kind)
            continue
        count, _ = reader.elements()
        out += footer[done : reader.at]
        for _ in range(count):
            out += _group(reader, column, descending)
        done = reader.at
    return bytes(out) + footer[done:]


def put_order(path: Path, column: int, descending: bool) -> None:
    """Writes the note into a complete file."""
    with open(path, "r+b") as file:
        size = file.seek(-8, 2) + 8
        length, mark = struct.unpack("<I4s", file.read(8))
        if mark != MARK or length + 12 > size:
            raise ValueError(f"{path} is no Parquet file")
        file.seek(size - 8 - length)
        footer = with_order(file.read(length), column, descending)
        file.seek(size - 8 - length)
        file.write(footer + struct.pack("<I", len(footer)) + MARK)
