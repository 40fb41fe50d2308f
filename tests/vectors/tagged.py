"""Writes the vectors of tagged: tests/vectors/tagged/<area>/<expect>-<name>.{in,trace,error}.

The expectations are written by hand from docs/formats.md, and in the area study from the published examples; nothing here calls
an implementation. Run it in this folder after changing the table, and commit what it writes.
"""

import pathlib
import shutil
import struct

HERE = pathlib.Path(__file__).parent / "tagged"
MARK = b"\xc1\xfe\x54"
DEEP = "$" + "[0]" * 1024
SHORTENED = DEEP[:120] + "..." + DEEP[-60:]
A, B = b"\x96\x44\x87", b"\x41\xf9\xe8"  # the low 24 bits of the hashes of "a" and "b"


def f64(x: float) -> str:
    """The line of a double: its bits, and a text that only people read."""
    text = {"1.0": "1", "-0.0": "-0", "0.0": "0"}.get(repr(x), repr(x))
    return f"f64 0x{struct.pack('>d', x).hex()} {text}"


def element(i: int, kind: int) -> bytes:
    return struct.pack("<I", (i + 1) << 4 | kind)


# area/name: bytes, trace lines. Documents of the layout safe, without their mark.
SAFE: dict[str, tuple[bytes, str]] = {
    "scalars/null": (b"\xc0", "null"),
    "scalars/false": (b"\xc2", "boolean false"),
    "scalars/true": (b"\xc3", "boolean true"),
    "scalars/double": (b"\xc7" + struct.pack("<d", 0.1), f64(0.1)),
    "scalars/double-minus-zero": (b"\xc7" + struct.pack("<d", -0.0), f64(-0.0)),
    "scalars/double-nan": (b"\xc7" + bytes(6) + b"\xf8\x7f", "f64 0x7ff8000000000000 nan"),
    "scalars/double-infinity": (b"\xc7" + bytes(6) + b"\xf0\x7f", "f64 0x7ff0000000000000 inf"),
    "scalars/big": (b"\xd8\x041.10", "big 1.10"),
    "scalars/big-exponent": (b"\xd8\x06-1E+99", "big -1E+99"),
    "integers/0": (b"\x00", "i64 0"),
    "integers/63": (b"\x3f", "i64 63"),
    "integers/minus-1": (b"\xef", "i64 -1"),
    "integers/minus-16": (b"\xe0", "i64 -16"),
    "integers/8": (b"\xc8\x40", "i64 64"),
    "integers/8-last": (b"\xc8\xff", "i64 255"),
    "integers/8-short": (b"\xc8\x01", "i64 1"),
    "integers/16": (b"\xc9\x00\x01", "i64 256"),
    "integers/32": (b"\xca\x00\x00\x01\x00", "i64 65536"),
    "integers/64": (b"\xcb\x00\x00\x00\x00\x01\x00\x00\x00", "i64 4294967296"),
    "integers/64-short": (b"\xcb" + bytes(8), "i64 0"),
    "integers/int64-last": (b"\xcb" + b"\xff" * 7 + b"\x7f", "i64 9223372036854775807"),
    "integers/uint64-first": (b"\xcb" + bytes(7) + b"\x80", "u64 9223372036854775808"),
    "integers/uint64-last": (b"\xcb" + b"\xff" * 8, "u64 18446744073709551615"),
    "integers/below-8": (b"\xcc\xef", "i64 -17"),
    "integers/below-8-first": (b"\xcc\x80", "i64 -128"),
    "integers/below-8-positive": (b"\xcc\x7f", "i64 127"),
    "integers/below-16": (b"\xcd\x7f\xff", "i64 -129"),
    "integers/below-32": (b"\xce\xff\x7f\xff\xff", "i64 -32769"),
    "integers/below-64": (b"\xcf" + bytes(7) + b"\x80", "i64 -9223372036854775808"),
    "str/0": (b"\x80", 'str ""'),
    "str/31": (b"\x9f" + b"a" * 31, f'str "{"a" * 31}"'),
    "str/8": (b"\xd0\x20" + b"a" * 32, f'str "{"a" * 32}"'),
    "str/8-short": (b"\xd0\x00", 'str ""'),
    "str/16": (b"\xd1\x00\x01" + b"a" * 256, f'str "{"a" * 256}"'),
    "str/32-short": (b"\xd2\x01\x00\x00\x00a", 'str "a"'),
    "str/64-short": (b"\xd3\x01\x00\x00\x00\x00\x00\x00\x00a", 'str "a"'),
    "str/utf-8": (b"\x89\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 'str "\\u{e9}\\u{20ac}\\u{1f600}"'),
    "bin/8": (b"\xd4\x02\x00\xff", "bin 0x00ff"),
    "bin/8-empty": (b"\xd4\x00", "bin 0x"),
    "bin/16-short": (b"\xd5\x01\x00\x07", "bin 0x07"),
    "bin/32-short": (b"\xd6\x01\x00\x00\x00\x07", "bin 0x07"),
    "bin/64-short": (b"\xd7\x01\x00\x00\x00\x00\x00\x00\x00\x07", "bin 0x07"),
    "ext/empty": (b"\xd9\x0a\x00", "ext 5 0x"),
    "ext/negative": (b"\xd9\x01\x02\x0a\x0b", "ext -1 0x0a0b"),
    "ext/type-first": (b"\xd9\xff\xff\xff\xff\x0f\x01\x0a", "ext -2147483648 0x0a"),
    "ext/length-of-two-bytes": (b"\xd9\x02\x80\x01" + bytes(128), "ext 1 0x" + "00" * 128),
    "time/utc": (b"\xda\x00\x80\xc4\xf8\x85\x0b\x00", "time utc 1482625280 0 0"),
    "time/utc-nanoseconds": (b"\xda\x00\x01\xff\x93\xeb\xdc\x03", "time utc -1 999999999 0"),
    "time/offset": (b"\xda\x01\x02\x00\xa0\xfa\x03", "time offset 1 0 32400"),
    "time/local": (b"\xda\x02\x02\x02\x01", "time local 1 2 -1"),
    "time/date": (b"\xda\x03\x80\xa3\x05\x00", "time date 43200 0 0"),
    "time/naive": (b"\xda\x04\x00\x01", "time naive 0 1 0"),
    "array/empty": (b"\xc4\xc6", "array\nend"),
    "array/nested": (b"\xc4\xc4\xc4\xc6\xc6\xc0\xc4\xc6\xc6", "array\narray\narray\nend\nend\nnull\narray\nend\nend"),
    "array/deep": (b"\xc4" * 1024 + b"\xc6" * 1024, "array\n" * 1024 + "end\n" * 1023 + "end"),
    "map/empty": (b"\xc5\xc6", "map\nend"),
    "map/order-and-duplicates": (b"\xc5\xa1b\x01\xa1a\x02\xa1b\x03\xc6", 'map\nkey "b"\ni64 1\nkey "a"\ni64 2\nkey "b"\ni64 3\nend'),
    "map/one-hash": (b"\xc5\xa5f3234\x01\xa6f13293\x02\xc6", 'map\nkey "f3234"\ni64 1\nkey "f13293"\ni64 2\nend'),
    "map/keys-of-all-kinds": (
        b"\xc5\xdd\x01\xc0\xdd\xc0\xc0\xdd\xc3\xc0\xdd\xc7" + struct.pack("<d", 0.5) + b"\xc0\xdd\xd4\x01a\xc0\xdd\xc4\x01\xc6\xc0"
        b"\xdd\xc5\xdd\x02\x03\xc6\xc0\xdd\xd9\x0a\x01a\xc0\xc6",
        "map\nkey\ni64 1\nnull\nkey\nnull\nnull\nkey\nboolean true\nnull\nkey\n" + f64(0.5) + "\nnull\nkey\nbin 0x61\nnull\n"
        "key\narray\ni64 1\nend\nnull\nkey\nmap\nkey\ni64 2\ni64 3\nend\nnull\nkey\next 5 0x61\nnull\nend",
    ),
    "names/empty": (b"\xc5\xa0\xc0\xdb\x00\xc0\x40\xc0\xc6", 'map\nkey ""\nnull\nkey ""\nnull\nkey ""\nnull\nend'),
    "names/long": (b"\xc5\xdc\x80\x01" + b"a" * 128 + b"\xc0\xc6", f'map\nkey "{"a" * 128}"\nnull\nend'),
    "names/long-form-of-a-short-one": (b"\xc5\xdc\x01a\xc0\xc6", 'map\nkey "a"\nnull\nend'),
    "names/numbered": (b"\xc4\xc5\xdb\x02id\x01\xdb\x01b\x02\xc6\xc5\x41\x03\x40\x04\xc6\xc6",
                       'array\nmap\nkey "id"\ni64 1\nkey "b"\ni64 2\nend\nmap\nkey "b"\ni64 3\nkey "id"\ni64 4\nend\nend'),
    "names/far-form-of-none": (b"\xc5" + b"".join(b"\xdb\x02%02d\xc0" % n for n in range(66)) + b"\x7f\xc0\xf0\x00\xc0\xf0\x01\xc0\xc6",
                               "map\n" + "".join(f'key "{n:02}"\nnull\n' for n in [*range(66), 63, 64, 65]) + "end"),
    "names/last": (b"\xc5" + b"\xdb\x01a\xc0" * 4159 + b"\xdb\x01b\xc0\xff\xff\xc0\xc6", "map\n" + 'key "a"\nnull\n' * 4159 + 'key "b"\nnull\n' * 2 + "end"),
    "names/utf-8": (b"\xc5\xdb\x02\xc3\xa9\x01\x40\x02\xc6", 'map\nkey "\\u{e9}"\ni64 1\nkey "\\u{e9}"\ni64 2\nend'),
}
STUDY: dict[str, tuple[bytes, str]] = {
    "int": (b"\x01\x00\x00\x00\xac\x02", "i64 150"),
    "int-negative": (b"\x01\x00\x00\x00\x01", "i64 -1"),
    "uint": (b"\x02\x00\x00\x00\xff\xff\xff\xff\x0f", "i64 4294967295"),
    "long": (b"\x03\x00\x00\x00\xac\x02", "i64 150"),
    "long-first": (b"\x03\x00\x00\x00" + b"\xff" * 9 + b"\x01", "i64 -9223372036854775808"),
    "double": (b"\x04\x00\x00\x00\xcd\xcc\xcc\xcc\xcc\xcc\x10\x40", f64(4.2)),
    "fixed-int": (b"\x05\x00\x00\x00\xff\xff\xff\xff", "i64 -1"),
    "fixed-long": (b"\x06\x00\x00\x00" + b"\xff" * 7 + b"\x7f", "i64 9223372036854775807"),
    "text": (b"\x07\x00\x00\x00\x05Hello", 'str "Hello"'),
    "null": (bytes(5), "null"),
    "decimal-whole": (b"\x0b\x00\x00\x00\x0242", "i64 42"),
    "decimal": (b"\x0b\x00\x00\x00\x041.10", "big 1.10"),
    "decimal-minus-zero": (b"\x0b\x00\x00\x00\x02-0", "big -0"),
    "decimal-int64-first": (b"\x0b\x00\x00\x00\x14-9223372036854775808", "i64 -9223372036854775808"),
    "decimal-beyond-int64": (b"\x0b\x00\x00\x00\x14-9223372036854775809", "big -9223372036854775809"),
    "decimal-uint64": (b"\x0b\x00\x00\x00\x1418446744073709551615", "u64 18446744073709551615"),
    "decimal-beyond-uint64": (b"\x0b\x00\x00\x00\x1418446744073709551616", "big 18446744073709551616"),
    "map": (b"\x01" + A + b"\x02\x01" + B + b"\x04\x0a\x00\x00\x00\x0c\x01" + A + b"\x01a\x01" + B + b"\x01b", 'map\nkey "a"\ni64 1\nkey "b"\ni64 2\nend'),
    "array": (b"\x09\x00\x00\x00\x0a\x11\x00\x00\x00\x02\x21\x00\x00\x00\x04", "array\ni64 1\ni64 2\nend"),
    "array-empty": (b"\x09\x00\x00\x00\x00", "array\nend"),
    "array-of-17": (b"\x09\x00\x00\x00\x55" + b"".join(element(i, 1) + b"\x02" for i in range(17)), "array\n" + "i64 1\n" * 17 + "end"),
    "map-in-map": (b"\x08" + B + b"\x05\x01" + A + b"\x02\x0a\x00\x00\x00\x0c\x01" + A + b"\x01a\x08" + B + b"\x01b", 'map\nkey "b"\nmap\nkey "a"\ni64 1\nend\nend'),
    "map-in-array": (b"\x09\x00\x00\x00\x0f\x18\x00\x00\x00\x05\x01" + A + b"\x02\x28\x00\x00\x00\x00\x0a\x00\x00\x00\x06\x01" + A + b"\x01a",
                     'array\nmap\nkey "a"\ni64 1\nend\nmap\nend\nend'),
    "map-empty-inside": (b"\x08" + A + b"\x00\x0a\x00\x00\x00\x06\x08" + A + b"\x01a", 'map\nkey "a"\nmap\nend\nend'),
    "field-twice": (b"\x01" + A + b"\x02\x01" + A + b"\x04\x0a\x00\x00\x00\x06\x01" + A + b"\x01a", 'map\nkey "a"\ni64 1\nkey "a"\ni64 2\nend'),
    "names-in-another-order": (b"\x01" + B + b"\x02\x01" + A + b"\x04\x0a\x00\x00\x00\x0c\x01" + B + b"\x01b\x01" + A + b"\x01a",
                               'map\nkey "b"\ni64 1\nkey "a"\ni64 2\nend'),
}

# area/name: bytes, code, offset, path
ERROR: dict[str, tuple[bytes, str]] = {
    "cut/empty": (b"", "truncated 0 $"),
    "cut/mark": (b"\xc1\xfe", "truncated 0 $"),
    "cut/mark-alone": (MARK, "truncated 3 $"),
    "cut/array": (MARK + b"\xc4\x01", "truncated 5 $[1]"),
    "cut/map-value": (MARK + b"\xc5\xa1a", "truncated 6 $.a"),
    "cut/integer": (MARK + b"\xc4\xcb\x00", "truncated 4 $[0]"),
    "cut/str-64-hostile": (MARK + b"\xd3" + b"\xff" * 8, "truncated 3 $"),
    "cut/bin-64-hostile": (MARK + b"\xd7" + b"\xff" * 8 + b"a", "truncated 3 $"),
    "cut/big-hostile": (MARK + b"\xd8" + b"\xff" * 9 + b"\x01", "truncated 3 $"),
    "cut/ext-hostile": (MARK + b"\xd9\x00" + b"\xff" * 9 + b"\x01", "truncated 3 $"),
    "cut/name-hostile": (MARK + b"\xc5\xdb" + b"\xff" * 9 + b"\x01", "truncated 4 $"),
    "cut/time": (MARK + b"\xda\x01\x00\x00", "truncated 3 $"),
    "cut/path": (MARK + b"\xc5\xa1a\xc4\x01\xc5\xdb\x03b c\xc9\x00", 'truncated 14 $.a[1]["b c"]'),
    "cut/path-of-a-number": (MARK + b"\xc4\xc5\xdb\x01x\x01\xc6\xc5\x40\xc9", "truncated 12 $[1].x"),
    "cut/path-other-key": (MARK + b"\xc5\xa1a\x01\xdd\x07\xc9", "truncated 9 ${1}"),
    "bytes/mark-wrong": (b"\xc1\xfe\x55\xc0", "syntax 0 $"),
    "bytes/c1-inside": (MARK + b"\xc4\xc1", "syntax 4 $[0]"),
    "bytes/de": (MARK + b"\xde", "syntax 3 $"),
    "bytes/df-as-key": (MARK + b"\xc5\xdf", "syntax 4 $"),
    "bytes/end-too-many": (MARK + b"\xc6", "syntax 3 $"),
    "bytes/end-for-a-value": (MARK + b"\xc5\xa1a\xc6", "syntax 6"),
    "bytes/value-for-a-key": (MARK + b"\xc5\x01\x01\xc6", "syntax 4 $"),
    "bytes/key-for-a-value": (MARK + b"\xc4\xa1a\xc6", "syntax 4 $[0]"),
    "bytes/number-of-no-name": (MARK + b"\xc5\x40\x01\xc6", "syntax 4 $"),
    "bytes/far-number-of-no-name": (MARK + b"\xc5\xf0\x00\x01\xc6", "syntax 4 $"),
    "bytes/names-too-many": (MARK + b"\xc5" + b"\xdb\x01a\xc0" * 4161 + b"\xc6", "syntax 16644 $"),
    "bytes/varint-of-65-bits": (MARK + b"\xd8" + b"\xff" * 9 + b"\x02", "syntax 3 $"),
    "bytes/trailing": (MARK + b"\x01\x02", "trailing 4 $"),
    "text/stray-byte": (MARK + b"\x83a\xffb", "encoding 5 $"),
    "text/surrogate": (MARK + b"\x83\xed\xa0\x80", "encoding 4 $"),
    "text/in-key": (MARK + b"\xc5\xa1a\xc5\xa1\xff\x01\xc6\xc6", "encoding 8 $.a"),
    "text/in-numbered-key": (MARK + b"\xc5\xdb\x01\xff\x01\xc6", "encoding 6 $"),
    "values/big-no-number": (MARK + b"\xd8\x0201", "syntax 3 $"),
    "values/big-empty": (MARK + b"\xd8\x00", "syntax 3 $"),
    "values/ext-type": (MARK + b"\xd9\x80\x80\x80\x80\x10\x00", "range 3 $"),
    "values/time-kind": (MARK + b"\xda\x05\x00\x00", "syntax 3 $"),
    "values/time-nanoseconds": (MARK + b"\xc4\xda\x00\x00\x80\x94\xeb\xdc\x03\xc6", "range 4 $[0]"),
    "values/time-offset": (MARK + b"\xda\x01\x00\x00\x80\x80\x80\x80\x10", "range 3 $"),
    "nesting/too-deep": (MARK + b"\xc4" * 1025, "depth 1027 " + SHORTENED),
    "study/cut-tag": (b"\x01\x00\x00", "truncated 0 $"),
    "study/cut-text": (b"\x07\x00\x00\x00\x05Hell", "truncated 0 $"),
    "study/cut-before-names": (b"\x01" + A + b"\x02", "truncated 5"),
    "study/cut-names": (b"\x01" + A + b"\x02\x0a\x00\x00\x00\x06\x01", "truncated 5"),
    "study/hostile-length": (b"\x09\x00\x00\x00" + b"\xff" * 9 + b"\x01", "truncated 0 $"),
    "study/type-c": (b"\x0c\x00\x00\x00\x00", "syntax 0 $"),
    "study/type-names": (b"\x0a\x00\x00\x00\x00", "syntax 0 $"),
    "study/hash-0-and-a-map": (b"\x08\x00\x00\x00\x00", "syntax 0 $"),
    "study/field-of-elements-tag": (b"\x11\x01\x00\x00\x02\x0a\x00\x00\x00\x00", "syntax 0"),
    "study/no-name": (b"\x01" + A + b"\x02\x0a\x00\x00\x00\x06\x01" + B + b"\x01b", "syntax 0 ${0}"),
    "study/null-with-a-number": (b"\x00\x00\x00\x00\x01", "syntax 0 $"),
    "study/int-too-large": (b"\x01\x00\x00\x00\x80\x80\x80\x80\x10", "range 0 $"),
    "study/elements-out-of-order": (b"\x09\x00\x00\x00\x0a\x21\x00\x00\x00\x02\x11\x00\x00\x00\x04", "syntax 5 $[0]"),
    "study/longer-than-its-array": (b"\x09\x00\x00\x00\x06\x17\x00\x00\x00\x05a\x00", "syntax 5 $[0]"),
    "study/names-inside": (b"\x09\x00\x00\x00\x05\x1a\x00\x00\x00\x00", "syntax 5 $[0]"),
    "study/digits": (b"\x0b\x00\x00\x00\x01a", "syntax 0 $"),
    "study/text-in-array": (b"\x09\x00\x00\x00\x06\x17\x00\x00\x00\x01\xff", "encoding 10 $[0]"),
    "study/text-in-names": (b"\x01" + A + b"\x02\x0a\x00\x00\x00\x06\x01" + A + b"\x01\xff", "encoding 15 $"),
    "study/tag-of-two-names": (b"\x01" + A + b"\x02\x0a\x00\x00\x00\x0c\x01" + A + b"\x01a\x01" + A + b"\x01b", "syntax 21 $"),
    "study/path": (b"\x08" + B + b"\x05\x00" + A + b"\x02\x0a\x00\x00\x00\x0c\x00" + A + b"\x01a\x08" + B + b"\x01b", "syntax 5 $.b.a"),
    "study/names-of-nothing": (bytes(5) + b"\x0a\x00\x00\x00\x00", "trailing 5 $"),
    "study/names-of-an-array-without-fields": (b"\x09\x00\x00\x00\x05\x18\x00\x00\x00\x00\x0a\x00\x00\x00\x00", "trailing 10"),
    "study/trailing": (b"\x01\x00\x00\x00\x02\x00", "trailing 5 $"),
}


def main() -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    ok = {key: (MARK + data, trace) for key, (data, trace) in SAFE.items()} | {f"study/{key}": row for key, row in STUDY.items()}
    for kind, table in (("ok", ok), ("err", ERROR)):
        for key, (data, expected) in table.items():
            area, name = key.split("/")
            folder = HERE / area
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{kind}-{name}.in").write_bytes(data)
            (folder / f"{kind}-{name}.{'trace' if kind == 'ok' else 'error'}").write_text(expected + "\n")


if __name__ == "__main__":
    main()
