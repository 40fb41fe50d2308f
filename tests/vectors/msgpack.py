"""Writes the MessagePack vectors: tests/vectors/msgpack/<area>/<expect>-<name>.{in,trace,error}.

The expectations are written by hand from the specification; nothing here calls a MessagePack implementation. Run it in
this folder after changing the table, and commit what it writes.
"""

import pathlib
import shutil
import struct

# A path of more than 200 bytes keeps its first 120 and its last 60.
DEEP = "$" + "[0]" * 1024
SHORTENED = DEEP[:120] + "..." + DEEP[-60:]

HERE = pathlib.Path(__file__).parent / "msgpack"


def f64(x: float) -> str:
    """The line of a double: its bits, and a text that only people read."""
    text = {"1.0": "1", "-0.0": "-0", "0.0": "0"}.get(repr(x), repr(x))
    return f"f64 0x{struct.pack('>d', x).hex()} {text}"


def text(n: int) -> bytes:
    return b"a" * n


# area/name: bytes, trace lines
OK: dict[str, tuple[bytes, str]] = {
    "scalars/nil": (b"\xc0", "null"),
    "scalars/false": (b"\xc2", "boolean false"),
    "scalars/true": (b"\xc3", "boolean true"),
    "scalars/float-32": (b"\xca\x3f\xc0\x00\x00", f64(1.5)),
    "scalars/float-32-widened": (b"\xca\x3d\xcc\xcc\xcd", "f64 0x3fb99999a0000000 0.10000000149011612"),
    "scalars/float-32-denormal": (b"\xca\x00\x00\x00\x01", "f64 0x36a0000000000000 1.401298464324817e-45"),
    "scalars/float-32-infinity": (b"\xca\xff\x80\x00\x00", "f64 0xfff0000000000000 -inf"),
    "scalars/float-32-nan": (b"\xca\x7f\xc0\x00\x00", "f64 0x7ff8000000000000 nan"),
    "scalars/float-64": (b"\xcb" + struct.pack(">d", 0.1), f64(0.1)),
    "scalars/float-64-whole": (b"\xcb" + struct.pack(">d", 1.0), f64(1.0)),
    "scalars/float-64-minus-zero": (b"\xcb" + struct.pack(">d", -0.0), f64(-0.0)),
    "scalars/float-64-infinity": (b"\xcb\x7f\xf0" + bytes(6), "f64 0x7ff0000000000000 inf"),
    "scalars/float-64-nan": (b"\xcb\x7f\xf8" + bytes(6), "f64 0x7ff8000000000000 nan"),
    "str/fix-0": (b"\xa0", 'str ""'),
    "str/fix-3": (b"\xa3abc", 'str "abc"'),
    "str/fix-31": (b"\xbf" + text(31), f'str "{"a" * 31}"'),
    "str/8": (b"\xd9\x20" + text(32), f'str "{"a" * 32}"'),
    "str/8-empty": (b"\xd9\x00", 'str ""'),
    "str/16": (b"\xda\x01\x00" + text(256), f'str "{"a" * 256}"'),
    "str/16-short": (b"\xda\x00\x01a", 'str "a"'),
    "str/32-short": (b"\xdb\x00\x00\x00\x01a", 'str "a"'),
    "str/utf-8": (b"\xa9\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 'str "\\u{e9}\\u{20ac}\\u{1f600}"'),
    "str/utf-8-late": (b"\xd9\x64" + text(98) + b"\xc3\xa9", f'str "{"a" * 98}\\u{{e9}}"'),
    "str/nul": (b"\xa1\x00", 'str "\\u{0}"'),
    "bin/8": (b"\xc4\x02\x00\xff", "bin 0x00ff"),
    "bin/8-empty": (b"\xc4\x00", "bin 0x"),
    "bin/16": (b"\xc5\x01\x00" + bytes(256), "bin 0x" + "00" * 256),
    "bin/32-short": (b"\xc6\x00\x00\x00\x02\x00\xff", "bin 0x00ff"),
    "ext/fix-1": (b"\xd4\x05\x0a", "ext 5 0x0a"),
    "ext/fix-2": (b"\xd5\x80\x0a\x0b", "ext -128 0x0a0b"),
    "ext/fix-4": (b"\xd6\x7f\x01\x02\x03\x04", "ext 127 0x01020304"),
    "ext/fix-8": (b"\xd7\x00" + bytes(8), "ext 0 0x" + "00" * 8),
    "ext/fix-16": (b"\xd8\x01" + bytes(16), "ext 1 0x" + "00" * 16),
    "ext/8-empty": (b"\xc7\x00\x05", "ext 5 0x"),
    "ext/8": (b"\xc7\x03\x05abc", "ext 5 0x616263"),
    "ext/8-of-fix-size": (b"\xc7\x01\x05a", "ext 5 0x61"),
    "ext/16": (b"\xc8\x01\x00\x05" + bytes(256), "ext 5 0x" + "00" * 256),
    "ext/32-short": (b"\xc9\x00\x00\x00\x03\x05abc", "ext 5 0x616263"),
    "ext/minus-1-of-other-size": (b"\xc7\x03\xffabc", "ext -1 0x616263"),
    "time/32": (b"\xd6\xff\x58\x5f\x11\x00", "time utc 1482625280 0 0"),
    "time/32-zero": (b"\xd6\xff\x00\x00\x00\x00", "time utc 0 0 0"),
    "time/32-last": (b"\xd6\xff\xff\xff\xff\xff", "time utc 4294967295 0 0"),
    "time/64": (b"\xd7\xff" + struct.pack(">Q", 500_000_000 << 34 | 1482625280), "time utc 1482625280 500000000 0"),
    "time/64-last": (b"\xd7\xff" + struct.pack(">Q", 999_999_999 << 34 | (1 << 34) - 1), "time utc 17179869183 999999999 0"),
    "time/96": (b"\xc7\x0c\xff" + struct.pack(">Iq", 1, 1 << 34), "time utc 17179869184 1 0"),
    "time/96-before-1970": (b"\xc7\x0c\xff" + struct.pack(">Iq", 999_999_999, -1), "time utc -1 999999999 0"),
    "time/96-first": (b"\xc7\x0c\xff" + struct.pack(">Iq", 0, -(2**63)), "time utc -9223372036854775808 0 0"),
    "array/fix-0": (b"\x90", "array\nend"),
    "array/fix-15": (b"\x9f" + bytes(15), "array\n" + "i64 0\n" * 15 + "end"),
    "array/16": (b"\xdc\x00\x10" + bytes(16), "array\n" + "i64 0\n" * 16 + "end"),
    "array/16-short": (b"\xdc\x00\x01\xc0", "array\nnull\nend"),
    "array/32-short": (b"\xdd\x00\x00\x00\x02\xc0\x01", "array\nnull\ni64 1\nend"),
    "array/32-empty": (b"\xdd\x00\x00\x00\x00", "array\nend"),
    "array/nested": (b"\x93\x91\x90\xc0\x92\x90\x01", "array\narray\narray\nend\nend\nnull\narray\narray\nend\ni64 1\nend\nend"),
    "array/deep": (b"\x91" * 1023 + b"\x90", "array\n" * 1024 + "end\n" * 1023 + "end"),
    "map/fix-0": (b"\x80", "map\nend"),
    "map/fix-2": (b"\x82\xa1b\x01\xa1a\x02", 'map\nkey "b"\ni64 1\nkey "a"\ni64 2\nend'),
    "map/duplicate-keys": (b"\x82\xa1a\x01\xa1a\x02", 'map\nkey "a"\ni64 1\nkey "a"\ni64 2\nend'),
    "map/16": (b"\xde\x00\x10" + b"\xa1a\x01" * 16, "map\n" + 'key "a"\ni64 1\n' * 16 + "end"),
    "map/32-short": (b"\xdf\x00\x00\x00\x01\xa0\xc0", 'map\nkey ""\nnull\nend'),
    "map/32-empty": (b"\xdf\x00\x00\x00\x00", "map\nend"),
    "map/keys-of-all-kinds": (
        b"\x88\x01\xc0\xc0\xc0\xc3\xc0\xcb" + struct.pack(">d", 0.5) + b"\xc0\xc4\x01a\xc0\x91\x01\xc0\x81\x02\x03\xc0\xd4\x05a\xc0",
        "map\nkey\ni64 1\nnull\nkey\nnull\nnull\nkey\nboolean true\nnull\nkey\n" + f64(0.5) + "\nnull\nkey\nbin 0x61\nnull\n"
        "key\narray\ni64 1\nend\nnull\nkey\nmap\nkey\ni64 2\ni64 3\nend\nnull\nkey\next 5 0x61\nnull\nend",
    ),
    "map/nested": (b"\x81\xa1a\x81\xa1b\x92\x01\x80", 'map\nkey "a"\nmap\nkey "b"\narray\ni64 1\nmap\nend\nend\nend\nend'),
}
for name, data, n in [
    ("fix-0", b"\x00", 0),
    ("fix-127", b"\x7f", 127),
    ("fix-minus-1", b"\xff", -1),
    ("fix-minus-32", b"\xe0", -32),
    ("uint-8", b"\xcc\x80", 128),
    ("uint-8-last", b"\xcc\xff", 255),
    ("uint-8-small", b"\xcc\x01", 1),
    ("uint-16", b"\xcd\x01\x00", 256),
    ("uint-16-last", b"\xcd\xff\xff", 65535),
    ("uint-32", b"\xce\x00\x01\x00\x00", 65536),
    ("uint-32-last", b"\xce\xff\xff\xff\xff", 2**32 - 1),
    ("uint-64", b"\xcf\x00\x00\x00\x01\x00\x00\x00\x00", 2**32),
    ("uint-64-small", b"\xcf" + bytes(8), 0),
    ("uint-64-int64-last", b"\xcf\x7f" + b"\xff" * 7, 2**63 - 1),
    ("int-8", b"\xd0\xdf", -33),
    ("int-8-first", b"\xd0\x80", -128),
    ("int-8-positive", b"\xd0\x7f", 127),
    ("int-16", b"\xd1\xff\x7f", -129),
    ("int-16-first", b"\xd1\x80\x00", -32768),
    ("int-16-positive", b"\xd1\x7f\xff", 32767),
    ("int-32", b"\xd2\xff\xff\x7f\xff", -32769),
    ("int-32-first", b"\xd2\x80\x00\x00\x00", -(2**31)),
    ("int-64", b"\xd3\xff\xff\xff\xff\x7f\xff\xff\xff", -(2**31) - 1),
    ("int-64-first", b"\xd3\x80" + bytes(7), -(2**63)),
    ("int-64-last", b"\xd3\x7f" + b"\xff" * 7, 2**63 - 1),
]:
    OK[f"integers/{name}"] = (data, f"i64 {n}")
OK["integers/uint-64-2-to-63"] = (b"\xcf\x80" + bytes(7), "u64 9223372036854775808")
OK["integers/uint-64-last"] = (b"\xcf" + b"\xff" * 8, "u64 18446744073709551615")

# area/name: bytes, code, offset, path
ERROR: dict[str, tuple[bytes, str]] = {
    "cut/empty": (b"", "truncated 0 $"),
    "cut/array": (b"\x92\x01", "truncated 0 $"),  # one byte cannot hold two values
    "cut/array-inside": (b"\x92\xa1a", "truncated 3 $[1]"),
    "cut/map-value": (b"\x81\xa1a", "truncated 3 $.a"),
    "cut/uint-64": (b"\x91\xcf\x00\x00", "truncated 1 $[0]"),
    "cut/float-64": (b"\xcb\x00", "truncated 0 $"),
    "cut/str-8-header": (b"\xd9", "truncated 0 $"),
    "cut/str-32-header": (b"\xdb\x00\x00\x00", "truncated 0 $"),
    "cut/str-32-payload": (b"\xdb\xff\xff\xff\xff", "truncated 0 $"),
    "cut/bin-32-payload": (b"\xc6\xff\xff\xff\xffabc", "truncated 0 $"),
    "cut/ext-header": (b"\xc7\x01", "truncated 0 $"),
    "cut/ext-32-payload": (b"\xc9\xff\xff\xff\xff\x05abc", "truncated 0 $"),
    "cut/fixext-type": (b"\xd4", "truncated 0 $"),
    "cut/fixext-payload": (b"\xd8\x05abc", "truncated 0 $"),
    "cut/array-32-hostile": (b"\xdd\xff\xff\xff\xff\x01\x02\x03", "truncated 0 $"),
    "cut/map-32-hostile": (b"\xdf\xff\xff\xff\xff\x01\x02\x03", "truncated 0 $"),
    "cut/map-half": (b"\xdf\x00\x00\x00\x02\x01\x02\x03", "truncated 0 $"),
    "cut/nested-path": (b"\x81\xa1a\x94\x01\x02\x80\xcd\x00", "truncated 7 $.a[3]"),
    "cut/path-odd-name": (b"\x81\xa3a b\xcd\x00", 'truncated 5 $["a b"]'),
    "cut/path-other-key": (b"\x82\x07\x01\x08\xcd\x00", "truncated 4 ${1}"),
    "bytes/c1": (b"\xc1", "syntax 0 $"),
    "bytes/c1-inside": (b"\x92\x01\xc1", "syntax 2 $[1]"),
    "bytes/trailing": (b"\x01\x02", "trailing 1 $"),
    "bytes/trailing-after-array": (b"\x91\x01\xc0", "trailing 2 $"),
    "text/stray-byte": (b"\xa3a\xffb", "encoding 2 $"),
    "text/cut-sequence": (b"\xa2\xe2\x82", "encoding 1 $"),
    "text/surrogate": (b"\xa3\xed\xa0\x80", "encoding 1 $"),
    "text/overlong": (b"\xa2\xc0\x80", "encoding 1 $"),
    "text/in-key": (b"\x81\xa1a\x81\xa1\xff\x01", "encoding 5 $.a"),
    "text/late": (b"\xd9\x64" + text(99) + b"\x80", "encoding 101 $"),
    "time/64-nanoseconds": (b"\xd7\xff" + struct.pack(">Q", 1_000_000_000 << 34), "range 0 $"),
    "time/96-nanoseconds": (b"\x91\xc7\x0c\xff" + struct.pack(">Iq", 1_000_000_000, 0), "range 1 $[0]"),
    "nesting/too-deep": (b"\x91" * 1025, "depth 1024 " + SHORTENED),
}


def main() -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    for kind, table in (("ok", OK), ("err", ERROR)):
        for key, (data, expected) in table.items():
            area, name = key.split("/")
            folder = HERE / area
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{kind}-{name}.in").write_bytes(data)
            (folder / f"{kind}-{name}.{'trace' if kind == 'ok' else 'error'}").write_text(expected + "\n")


if __name__ == "__main__":
    main()
