"""Writes the vectors of streams: tests/vectors/streams/<format>/<expect>-<name>.in, documents one behind the other.

The expectations are written by hand from README.md, RFC 8742 and the formats' own specifications. Run it from anywhere after
changing the tables, and commit what it writes.
"""

from __future__ import annotations

import pathlib
import shutil
import struct

from read import f64

HERE = pathlib.Path(__file__).parent / "streams"

# A stream is what stands before each document, the document and its trace, and what stands behind the last one.
Stream = "tuple[list[tuple[bytes, bytes, str]], bytes]"
# Of one with a fault: the same, then the fault's document as what is left, with its error in place of a trace.
A, ONE, TWO = 'map\nkey "a"\ni64 1\nend', "array\ni64 1\nend", "array\ni64 2\nend"


def row(*documents: tuple[bytes, str], between: bytes = b"", behind: bytes = b"") -> Stream:
    return [(between if i else b"", document, trace) for i, (document, trace) in enumerate(documents)], behind


J1, J2 = (b'{"a":1}', A), (b"[1]", ONE)
JSON_GOOD: dict[str, Stream] = {
    "none": row(),
    "white-space-alone": row(behind=b" \r\n\t\n"),
    "one": row(J1),
    "lines": row(J1, J2, (b"null", "null"), (b'"x"', 'str "x"'), (b"1.5", f64(1.5, "1.5")), between=b"\n", behind=b"\n"),
    "lines-without-the-last-end": row(J1, J2, (b"12", "i64 12"), between=b"\n"),
    "lines-of-carriage-return-and-line-feed": row(J1, J2, (b"true", "boolean true"), between=b"\r\n", behind=b"\r\n"),
    "lines-empty": row(J1, J2, between=b"\n\n \n", behind=b"\n\n"),
    "nothing-between": row(J1, J2, J1, (b'"a"', 'str "a"'), (b'"b"', 'str "b"'), J2),
    "spaces": row(J1, (b"1", "i64 1"), (b"2", "i64 2"), (b"-0.5", f64(-0.5, "-0.5")), between=b" "),
    "white-space-first": ([(b"\n \t", *J1)], b""),
    "several-lines": row((b'{\n  "a": 1\n}', A), (b"[\n\n1\n]", ONE), between=b"\n"),
    "scalar-before-a-bracket": row((b"1", "i64 1"), J2, (b"null", "null"), J1, (b"false", "boolean false"), (b'"x"', 'str "x"'), (b"7", "i64 7")),
    "brackets-in-strings": row((b'["]}\\"]"]', 'array\nstr "]}\\"]"\nend'), (b'{"}":"{"}', 'map\nkey "}"\nstr "{"\nend'), (b'"\\\\"', 'str "\\\\"'), (b'"]\\""', 'str "]\\""')),
    "long": row(*[(b'{"n":%d,"s":"%s"}' % (i, b"x" * i), f'map\nkey "n"\ni64 {i}\nkey "s"\nstr "{"x" * i}"\nend') for i in range(0, 200, 7)], between=b"\n"),
    "separated-records": row(J1, J2, between=b"\n\r\t "),
}
JSON_BAD: dict[str, tuple[Stream, bytes, str]] = {
    "cut": (row(J1, J2, between=b"\n", behind=b"\n"), b'{"a":', "truncated 5 $.a"),
    "cut-string": (row(J1), b'"ab', "truncated 0 $"),
    "cut-word": (row(J1), b"tru", "truncated 3 $"),
    "cut-with-line-end": (row(J1, behind=b"\n"), b"[1\n", "truncated 3 $[0]"),
    "fault": (row(J1, J2, between=b"\n", behind=b"\n"), b'{"b":[1,x]}\n{"a":1}', "syntax 8 $.b[1]"),
    "comma-between": (row(J2), b",[2]", "syntax 0 $"),
    "comma-behind-a-number": (row(J2, behind=b" "), b"1,2", "trailing 1 $"),
    "words-that-touch": (row(J2), b"truefalse", "syntax 0 $"),
    "closing-bracket": (row(J2), b"]", "syntax 0 $"),
    "byte-order-mark": (row(), b'\xef\xbb\xbf{"a":1}', "syntax 0 $"),
    "record-separator": (row(J1, behind=b"\n"), b'\x1e{"a":1}', "syntax 0 $"),
    "crossed": (row(J2, behind=b"\n"), b'[{"a":1]}\n[1]', "syntax 7 $[0].a"),
}

M1, M2 = (b"\x81\xa1a\x01", A), (b"\x91\x01", ONE)
MSGPACK_GOOD: dict[str, Stream] = {
    "none": row(),
    "one": row(M1),
    "several": row(M1, M2, (b"\xc0", "null"), (b"\x0a", "i64 10"), (b"\x20", "i64 32"), (b"\xa1x", 'str "x"'), (b"\xcb" + struct.pack(">d", 0.5), f64(0.5, "0.5"))),
    "lengths": row((b"\xd9\x03abc", 'str "abc"'), (b"\xda\x00\x01a", 'str "a"'), (b"\xdb\x00\x00\x00\x01a", 'str "a"'), (b"\xc4\x02\x00\xff", "bin 0x00ff"), (b"\xc5\x00\x01\x07", "bin 0x07")),
    "containers": row((b"\xdc\x00\x02\x90\x80", "array\narray\nend\nmap\nend\nend"), (b"\xdf\x00\x00\x00\x01\xa1a\x01", A), (b"\x81\x91\x01\xc0", "map\nkey\narray\ni64 1\nend\nnull\nend")),
    "extensions": row((b"\xd4\x05\x0a", "ext 5 0x0a"), (b"\xc7\x03\x05\x01\x02\x03", "ext 5 0x010203"), (b"\xd6\x05\x00\x00\x00\x01", "ext 5 0x00000001"), (b"\xd8\x05" + bytes(16), "ext 5 0x" + "00" * 16)),
    "line-feed-is-a-number": row(M1, (b"\n", "i64 10"), M2),
}
MSGPACK_BAD: dict[str, tuple[Stream, bytes, str]] = {
    "cut": (row(M1, M2), b"\x92\xa1a", "truncated 3 $[1]"),
    "cut-count": (row(M1, M2), b"\x92\x01", "truncated 0 $"),
    "cut-header": (row(M1), b"\xdc\x00", "truncated 0 $"),
    "cut-text": (row(M1), b"\xa3ab", "truncated 0 $"),
    "fault": (row(M1), b"\x93\x01\xc1\x02\x01", "syntax 2 $[1]"),
    "fault-first": (row(), b"\xc1", "syntax 0 $"),
    "text": (row(M2), b"\xa2a\xff\x01", "encoding 2 $"),
}

C1, C2 = (b"\xa1\x61a\x01", A), (b"\x81\x01", ONE)
CBOR_GOOD: dict[str, Stream] = {
    "none": row(),
    "one": row(C1),
    "several": row(C1, C2, (b"\xf6", "null"), (b"\x0a", "i64 10"), (b"\x61x", 'str "x"'), (b"\xf9\x38\x00", f64(0.5, "0.5"))),
    "indefinite": row((b"\x9f\x01\xff", ONE), (b"\xbf\x61a\x01\xff", A), (b"\x7f\x61a\x61b\xff", 'str "ab"'), (b"\x9f\x9f\xff\xbf\xff\x80\xff", "array\narray\nend\nmap\nend\narray\nend\nend")),
    "tags": row((b"\xc2\x49\x01" + bytes(8), "big 18446744073709551616"), (b"\xd9\xd9\xf7\x81\x01", ONE), (b"\xd9\x03\xe8\x82\x01\x02", "ext 24 0xd903e8820102")),
    "lengths": row((b"\x78\x03abc", 'str "abc"'), (b"\x79\x00\x01a", 'str "a"'), (b"\x58\x02\x00\xff", "bin 0x00ff"), (b"\x98\x01\x01", ONE)),
}
CBOR_BAD: dict[str, tuple[Stream, bytes, str]] = {
    "cut": (row(C1, C2), b"\x82\x61a", "truncated 3 $[1]"),
    "cut-count": (row(C1, C2), b"\x82\x01", "truncated 0 $"),
    "cut-indefinite": (row(C1), b"\x9f\x01", "truncated 2 $[1]"),
    "cut-text": (row(C1), b"\x63ab", "truncated 0 $"),
    "break": (row(C2), b"\xff", "syntax 0 $"),
    "reserved": (row(C2), b"\x1c\x01", "syntax 0 $"),
    "text": (row(C2), b"\x62a\xff\x01", "encoding 2 $"),
}

MARK, HASH_A = b"\xc1\xfe\x54", b"\x96\x44\x87"
T1, T2 = (MARK + b"\xc5\xa1a\x01\xc6", A), (MARK + b"\xc4\x01\xc6", ONE)
S1, S2 = (b"\x01" + HASH_A + b"\x02\x0a\x00\x00\x00\x06\x01" + HASH_A + b"\x01a", A), (b"\x09\x00\x00\x00\x05\x11\x00\x00\x00\x02", ONE)
TAGGED_GOOD: dict[str, Stream] = {
    "none": row(),
    "one": row(T1),
    "several": row(T1, T2, (MARK + b"\xc0", "null"), (MARK + b"\x81x", 'str "x"'), (MARK + b"\xc7" + struct.pack("<d", 0.5), f64(0.5, "0.5"))),
    "names-of-their-own": row(*[(MARK + b"\xc4\xc5\xdb\x01a\x01\xc6\xc5\x40\x01\xc6\xc6", f"array\n{A}\n{A}\nend")] * 2),
    "study": row(S1, S2, (bytes(5), "null"), (b"\x07\x00\x00\x00\x01x", 'str "x"')),
    "both-layouts": row(T1, S1, T2, S2),
}
TAGGED_BAD: dict[str, tuple[Stream, bytes, str]] = {
    "cut": (row(T1), MARK + b"\xc4\x01", "truncated 5 $[1]"),
    "cut-mark": (row(T1), MARK[:2], "truncated 0 $"),
    "cut-text": (row(T1), MARK + b"\x83ab", "truncated 3 $"),
    "cut-study": (row(S1), b"\x01\x00\x00", "truncated 0 $"),
    "no-layout": (row(T1), b"\x0c\x00\x00\x00\x00", "syntax 0 $"),
}

FORMATS = {"json": (JSON_GOOD, JSON_BAD), "msgpack": (MSGPACK_GOOD, MSGPACK_BAD), "cbor": (CBOR_GOOD, CBOR_BAD), "tagged": (TAGGED_GOOD, TAGGED_BAD)}


def write(at: pathlib.Path, stream: Stream, fault: bytes = b"", error: str = "") -> None:
    documents, behind = stream
    whole, traces, ends = b"", "", ""
    for before, document, trace in documents:
        whole += before + document
        traces += trace + "\n"
        ends += f"{len(whole)}\n"
    whole += behind
    at.with_suffix(".trace").write_text(traces, "ascii")
    at.with_suffix(".ends").write_text(ends)
    at.with_suffix(".in").write_bytes(whole + fault)
    if error:
        at.with_suffix(".error").write_text(error + "\n")
        at.with_suffix(".start").write_text(f"{len(whole)}\n")


def main() -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    for format, (good, bad) in FORMATS.items():
        folder = HERE / format
        folder.mkdir(parents=True)
        for name, stream in good.items():
            write(folder / f"ok-{name}", stream)
        for name, (stream, fault, error) in bad.items():
            write(folder / f"err-{name}", stream, fault, error)


if __name__ == "__main__":
    main()
