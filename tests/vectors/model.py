"""Writes the encode vectors: tests/vectors/model/<name>.trace and, for each format and dialect, the bytes it must become.

<name>.<format>.<dialect> holds bytes, <name>.<format>.<dialect>.error the code of a refusal. The expectations are written
by hand; nothing here calls an implementation but Python's own struct and repr. JSON's and CBOR's dialects are in model_json.py
and model_binary.py. Run it from anywhere after changing a table, and commit what it writes.
"""

import pathlib
import shutil
import struct

from expectation import Refused
from model_binary import KNOWN, NEW
from model_json import JSON

HERE = pathlib.Path(__file__).parent / "model"
J, M = "json.compact", "msgpack.standard"


def f64(x: float, text: str) -> str:
    return f"f64 0x{struct.pack('>d', x).hex()} {text}"


def double(x: float) -> bytes:
    return b"\xcb" + struct.pack(">d", x)


Table = dict[str, tuple[str, dict[str, "bytes | Refused"]]]
MODEL: Table = {
    "null": ("null", {J: b"null", M: b"\xc0"}),
    "true": ("boolean true", {J: b"true", M: b"\xc3"}),
    "false": ("boolean false", {J: b"false", M: b"\xc2"}),
    "u64-2-to-63": ("u64 9223372036854775808", {J: b"9223372036854775808", M: b"\xcf\x80" + bytes(7)}),
    "u64-last": ("u64 18446744073709551615", {J: b"18446744073709551615", M: b"\xcf" + b"\xff" * 8}),
    # A double stays a double, in its shortest text.
    "f64-whole": (f64(1.0, "1"), {J: b"1.0", "json.javascript": b"1", "json.python_default": b"1.0", "json.ruby_generate": b"1.0", M: double(1.0)}),
    "f64-half": (f64(0.5, "0.5"), {J: b"0.5", M: double(0.5)}),
    "f64-tenth": (f64(0.1, "0.1"), {J: b"0.1", M: double(0.1)}),
    "f64-float-32-would-do": (f64(2.0**-130, "7.346839692639297e-40"), {J: b"7.346839692639297e-40", M: double(2.0**-130)}),
    "f64-large": (f64(1e21, "1e+21"), {J: b"1e+21", "json.python_default": b"1e+21", M: double(1e21)}),
    "f64-large-plain": (f64(1e20, "100000000000000000000"), {J: b"1e+20", "json.javascript": b"100000000000000000000", "json.python_default": b"1e+20", M: double(1e20)}),
    "f64-small": (f64(1e-7, "1e-7"), {J: b"1e-07", "json.javascript": b"1e-7", "json.python_default": b"1e-07", M: double(1e-7)}),
    "f64-minus-zero": (f64(-0.0, "-0"), {J: b"-0.0", "json.javascript": b"0", "json.python_default": b"-0.0", M: double(-0.0)}),
    "f64-largest": (f64(1.7976931348623157e308, "1.7976931348623157e+308"), {J: b"1.7976931348623157e+308", M: double(1.7976931348623157e308)}),
    "f64-smallest": (f64(5e-324, "5e-324"), {J: b"5e-324", M: double(5e-324)}),
    "f64-nan": (
        "f64 0x7ff8000000000000 nan",
        {J: Refused("unsupported"), "json.python_default": b"NaN", "json.lenient": b"null", M: b"\xcb\x7f\xf8" + bytes(6)},
    ),
    "f64-infinity": (
        "f64 0x7ff0000000000000 inf",
        {J: Refused("unsupported"), "json.python_default": b"Infinity", "json.lenient": b"null", M: b"\xcb\x7f\xf0" + bytes(6)},
    ),
    "f64-minus-infinity": (
        "f64 0xfff0000000000000 -inf",
        {J: Refused("unsupported"), "json.python_default": b"-Infinity", "json.lenient": b"null", M: b"\xcb\xff\xf0" + bytes(6)},
    ),
    # Numbers in their own digits.
    "big-integer": (
        "big 123456789012345678901234567890",
        {
            J: b"123456789012345678901234567890",
            M: Refused("unsupported"),
            "msgpack.exact": Refused("unsupported"),
            "msgpack.big_text": b"\xbe123456789012345678901234567890",
        },
    ),
    "big-decimal": (
        "big 1.10",
        {
            J: b"1.10",
            M: Refused("unsupported"),
            "msgpack.exact": Refused("unsupported"),
            "msgpack.big_text": b"\xa41.10",
            "msgpack.lenient": b"\xa41.10",
        },
    ),
    "big-exponent": ("big 1e400", {J: b"1e400", M: Refused("unsupported"), "msgpack.big_text": b"\xa51e400"}),
    # Text.
    "str-empty": ('str ""', {J: b'""', M: b"\xa0"}),
    "str-31": (f'str "{"a" * 31}"', {J: b'"' + b"a" * 31 + b'"', M: b"\xbf" + b"a" * 31}),
    "str-32": (f'str "{"a" * 32}"', {J: b'"' + b"a" * 32 + b'"', M: b"\xd9\x20" + b"a" * 32}),
    "str-255": (f'str "{"a" * 255}"', {J: b'"' + b"a" * 255 + b'"', M: b"\xd9\xff" + b"a" * 255}),
    "str-256": (f'str "{"a" * 256}"', {J: b'"' + b"a" * 256 + b'"', M: b"\xda\x01\x00" + b"a" * 256}),
    "str-quote-backslash": ('str "a\\"b\\\\c"', {J: b'"a\\"b\\\\c"', M: b'\xa5a"b\\c'}),
    "str-controls": (
        'str "\\u{0}\\u{8}\\u{9}\\u{a}\\u{c}\\u{d}\\u{1f}\\u{7f}"',
        {J: b'"\\u0000\\b\\t\\n\\f\\r\\u001f\x7f"', M: b"\xa8\x00\x08\x09\x0a\x0c\x0d\x1f\x7f"},
    ),
    "str-slash": ('str "</a>"', {J: b'"</a>"', "json.escape_slash": b'"<\\/a>"', "json.script_safe": b'"<\\/a>"', M: b"\xa4</a>"}),
    "str-html": (
        'str "<>&\\u{2028}\\u{2029}"',
        {J: b'"<>&\xe2\x80\xa8\xe2\x80\xa9"', "json.html_safe": b'"\\u003c\\u003e\\u0026\\u2028\\u2029"', M: b"\xa9<>&\xe2\x80\xa8\xe2\x80\xa9"},
    ),
    "str-unicode": (
        'str "\\u{e9}\\u{20ac}\\u{1f600}"',
        {
            J: b'"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"',
            "json.ascii_only": b'"\\u00e9\\u20ac\\ud83d\\ude00"',
            "json.python_default": b'"\\u00e9\\u20ac\\ud83d\\ude00"',
            M: b"\xa9\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
        },
    ),
    "str-broken": (
        'str "a\\xffb"',
        {J: Refused("encoding"), "json.lenient": b'"a\xef\xbf\xbdb"', M: Refused("encoding"), "msgpack.lenient": b"\xc4\x03a\xffb"},
    ),
    "str-surrogate": ('str "\\xed\\xa0\\x80"', {J: Refused("encoding"), M: Refused("encoding"), "msgpack.lenient": b"\xc4\x03\xed\xa0\x80"}),
    # Bytes.
    "bin": ("bin 0x00ff10", {J: b'"AP8Q"', M: b"\xc4\x03\x00\xff\x10"}),
    "bin-empty": ("bin 0x", {J: b'""', M: b"\xc4\x00"}),
    "bin-padding": ("bin 0xfb", {J: b'"+w=="', M: b"\xc4\x01\xfb"}),
    "bin-255": ("bin 0x" + "00" * 255, {J: b'"' + b"A" * 340 + b'"', M: b"\xc4\xff" + bytes(255)}),
    "bin-256": ("bin 0x" + "00" * 256, {M: b"\xc5\x01\x00" + bytes(256)}),
    # Extensions.
    "ext-0": ("ext 5 0x", {J: Refused("unsupported"), M: b"\xc7\x00\x05"}),
    "ext-1": ("ext 5 0x0a", {J: Refused("unsupported"), "json.lenient": b'{"type":5,"data":"Cg=="}', M: b"\xd4\x05\x0a"}),
    "ext-2": ("ext -128 0x0a0b", {M: b"\xd5\x80\x0a\x0b"}),
    "ext-3": ("ext 127 0x0a0b0c", {M: b"\xc7\x03\x7f\x0a\x0b\x0c"}),
    "ext-4": ("ext 5 0x00000000", {M: b"\xd6\x05" + bytes(4)}),
    "ext-8": ("ext 5 0x" + "00" * 8, {M: b"\xd7\x05" + bytes(8)}),
    "ext-16": ("ext 5 0x" + "00" * 16, {M: b"\xd8\x05" + bytes(16)}),
    "ext-17": ("ext 5 0x" + "00" * 17, {M: b"\xc7\x11\x05" + bytes(17)}),
    "ext-256": ("ext 5 0x" + "00" * 256, {M: b"\xc8\x01\x00\x05" + bytes(256)}),
    "ext-type-128": ("ext 128 0x00", {M: Refused("range")}),
    # Moments. 1482625280 is 2016-12-25T00:21:20Z.
    "time-utc": ("time utc 1482625280 0 0", {J: b'"2016-12-25T00:21:20Z"', M: b"\xd6\xff\x58\x5f\x11\x00", "msgpack.exact": b"\xd6\xff\x58\x5f\x11\x00"}),
    "time-utc-nanoseconds": (
        "time utc 1482625280 500000000 0",
        {J: b'"2016-12-25T00:21:20.5Z"', M: b"\xd7\xff" + struct.pack(">Q", 500_000_000 << 34 | 1482625280)},
    ),
    "time-utc-34-bits": ("time utc 17179869183 0 0", {J: b'"2514-05-30T01:53:03Z"', M: b"\xd7\xff" + struct.pack(">Q", (1 << 34) - 1)}),
    "time-utc-35-bits": ("time utc 17179869184 0 0", {J: b'"2514-05-30T01:53:04Z"', M: b"\xc7\x0c\xff" + struct.pack(">Iq", 0, 1 << 34)}),
    "time-utc-before-1970": (
        "time utc -1 999999999 0",
        {J: b'"1969-12-31T23:59:59.999999999Z"', M: b"\xc7\x0c\xff" + struct.pack(">Iq", 999_999_999, -1)},
    ),
    "time-offset": (
        "time offset 1482625280 0 32400",
        {
            J: b'"2016-12-25T09:21:20+09:00"',
            M: b"\xd6\xff\x58\x5f\x11\x00",
            "msgpack.time_text": b"\xb92016-12-25T09:21:20+09:00",
            "msgpack.exact": Refused("unsupported"),
        },
    ),
    "time-offset-zero": ("time offset 1482625280 0 0", {J: b'"2016-12-25T00:21:20+00:00"', M: b"\xd6\xff\x58\x5f\x11\x00"}),
    "time-local": (
        "time local 1482625280 0 -12600",
        {J: b'"2016-12-24T20:51:20-03:30"', M: b"\xd6\xff\x58\x5f\x11\x00", "msgpack.exact": Refused("unsupported")},
    ),
    "time-date": ("time date 1482624000 0 0", {J: b'"2016-12-25"', M: b"\xaa2016-12-25", "msgpack.exact": Refused("unsupported")}),
    "time-naive": (
        "time naive 1482625280 602955000 0",
        {J: b'"2016-12-25T00:21:20.602955"', M: b"\xba2016-12-25T00:21:20.602955", "msgpack.exact": Refused("unsupported")},
    ),
    # Containers, with and without counts.
    "array-empty": ("array\nend", {J: b"[]", "json.pretty": b"[]", M: b"\x90"}),
    "array-empty-counted": ("array 0\nend", {J: b"[]", M: b"\x90"}),
    "array-15": ("array\n" + "null\n" * 15 + "end", {J: b"[" + b",".join([b"null"] * 15) + b"]", M: b"\x9f" + b"\xc0" * 15}),
    "array-16": ("array\n" + "null\n" * 16 + "end", {M: b"\xdc\x00\x10" + b"\xc0" * 16}),
    "array-16-counted": ("array 16\n" + "null\n" * 16 + "end", {M: b"\xdc\x00\x10" + b"\xc0" * 16}),
    "map-empty": ("map\nend", {J: b"{}", "json.pretty": b"{}", M: b"\x80"}),
    "map-15": ("map\n" + 'key "a"\nnull\n' * 15 + "end", {M: b"\x8f" + b"\xa1a\xc0" * 15}),
    "map-16": ("map\n" + 'key "a"\nnull\n' * 16 + "end", {M: b"\xde\x00\x10" + b"\xa1a\xc0" * 16}),
    "map-16-counted": ("map 16\n" + 'key "a"\nnull\n' * 16 + "end", {M: b"\xde\x00\x10" + b"\xa1a\xc0" * 16}),
    "map-order-and-duplicates": (
        'map\nkey "b"\ni64 1\nkey "a"\ni64 2\nkey "b"\ni64 3\nend',
        {J: b'{"b":1,"a":2,"b":3}', M: b"\x83\xa1b\x01\xa1a\x02\xa1b\x03"},
    ),
    "nested": (
        'map\nkey "a"\narray\ni64 1\nmap\nkey "b"\nnull\nend\narray\nend\nend\nkey "c"\nboolean true\nend',
        {
            J: b'{"a":[1,{"b":null},[]],"c":true}',
            "json.pretty": b'{\n  "a": [\n    1,\n    {\n      "b": null\n    },\n    []\n  ],\n  "c": true\n}',
            "json.python_default": b'{"a": [1, {"b": null}, []], "c": true}',
            M: b"\x82\xa1a\x93\x01\x81\xa1b\xc0\x90\xa1c\xc3",
        },
    ),
    "nested-mixed-counts": (
        'array 3\narray\narray 1\narray\nend\nend\nend\narray\n' + "null\n" * 20 + "end\nmap 1\nkey \"a\"\nmap\nend\nend\nend",
        {M: b"\x93\x91\x91\x90\xdc\x00\x14" + b"\xc0" * 20 + b"\x81\xa1a\x80"},
    ),
    # Keys that are not text: JSON has none and writes a scalar's own text.
    "key-i64": ("map\nkey\ni64 -1\nnull\nend", {J: b'{"-1":null}', M: b"\x81\xff\xc0"}),
    "key-null": ("map\nkey\nnull\nnull\nend", {J: b'{"null":null}', M: b"\x81\xc0\xc0"}),
    "key-boolean": ("map\nkey\nboolean true\nnull\nend", {J: b'{"true":null}', M: b"\x81\xc3\xc0"}),
    "key-f64": ("map\nkey\n" + f64(1.5, "1.5") + "\nnull\nend", {J: b'{"1.5":null}', M: b"\x81" + double(1.5) + b"\xc0"}),
    "key-bin": ("map\nkey\nbin 0x00ff10\nnull\nend", {J: b'{"AP8Q":null}', M: b"\x81\xc4\x03\x00\xff\x10\xc0"}),
    "key-str": ('map\nkey\nstr "a"\nnull\nend', {J: b'{"a":null}', M: b"\x81\xa1a\xc0"}),
    "key-array": ("map\nkey\narray\nend\nnull\nend", {J: Refused("unsupported"), M: b"\x81\x90\xc0"}),
    "key-map": ("map\nkey\nmap\nend\nnull\nend", {J: Refused("unsupported"), M: b"\x81\x80\xc0"}),
    "key-broken": ('map\nkey "\\xff"\nnull\nend', {J: Refused("encoding"), M: Refused("encoding"), "msgpack.lenient": b"\x81\xc4\x01\xff\xc0"}),
}
for n, packed in [
    (0, b"\x00"),
    (127, b"\x7f"),
    (128, b"\xcc\x80"),
    (255, b"\xcc\xff"),
    (256, b"\xcd\x01\x00"),
    (65535, b"\xcd\xff\xff"),
    (65536, b"\xce\x00\x01\x00\x00"),
    (2**32 - 1, b"\xce\xff\xff\xff\xff"),
    (2**32, b"\xcf\x00\x00\x00\x01\x00\x00\x00\x00"),
    (2**63 - 1, b"\xcf\x7f" + b"\xff" * 7),
    (-1, b"\xff"),
    (-32, b"\xe0"),
    (-33, b"\xd0\xdf"),
    (-128, b"\xd0\x80"),
    (-129, b"\xd1\xff\x7f"),
    (-32768, b"\xd1\x80\x00"),
    (-32769, b"\xd2\xff\xff\x7f\xff"),
    (-(2**31), b"\xd2\x80\x00\x00\x00"),
    (-(2**31) - 1, b"\xd3\xff\xff\xff\xff\x7f\xff\xff\xff"),
    (-(2**63), b"\xd3\x80" + bytes(7)),
]:
    MODEL[f"i64-{n}" if n >= 0 else f"i64-minus-{-n}"] = (f"i64 {n}", {J: str(n).encode(), M: packed})

# Tagged: `safe` behind its mark, and `study`, by the names above. What is not here is the same rule again.
MARK = b"\xc1\xfe\x54"
HASH_A, HASH_B = b"\x96\x44\x87", b"\x41\xf9\xe8"
NONE = Refused("unsupported")
TAGGED: dict[str, "tuple[bytes | Refused, bytes | Refused]"] = {
    "null": (b"\xc0", bytes(5)),
    "true": (b"\xc3", b"\x01\x00\x00\x00\x02"),
    "false": (b"\xc2", b"\x01\x00\x00\x00\x00"),
    "u64-2-to-63": (b"\xcb" + bytes(7) + b"\x80", b"\x0b\x00\x00\x00\x139223372036854775808"),
    "u64-last": (b"\xcb" + b"\xff" * 8, b"\x0b\x00\x00\x00\x1418446744073709551615"),
    "f64-whole": (b"\xc7" + struct.pack("<d", 1.0), b"\x04\x00\x00\x00" + struct.pack("<d", 1.0)),
    "f64-tenth": (b"\xc7" + struct.pack("<d", 0.1), b"\x04\x00\x00\x00" + struct.pack("<d", 0.1)),
    "f64-minus-zero": (b"\xc7" + bytes(7) + b"\x80", b"\x04\x00\x00\x00" + bytes(7) + b"\x80"),
    "f64-nan": (b"\xc7" + bytes(6) + b"\xf8\x7f", bytes(5)),
    "f64-infinity": (b"\xc7" + bytes(6) + b"\xf0\x7f", bytes(5)),
    "f64-minus-infinity": (b"\xc7" + bytes(6) + b"\xf0\xff", bytes(5)),
    "big-integer": (b"\xd8\x1e123456789012345678901234567890", b"\x0b\x00\x00\x00\x1e123456789012345678901234567890"),
    "big-decimal": (b"\xd8\x041.10", b"\x0b\x00\x00\x00\x041.10"),
    "big-exponent": (b"\xd8\x051e400", b"\x0b\x00\x00\x00\x051e400"),
    "str-empty": (b"\x80", b"\x07\x00\x00\x00\x00"),
    "str-31": (b"\x9f" + b"a" * 31, b"\x07\x00\x00\x00\x1f" + b"a" * 31),
    "str-32": (b"\xd0\x20" + b"a" * 32, b"\x07\x00\x00\x00\x20" + b"a" * 32),
    "str-255": (b"\xd0\xff" + b"a" * 255, b"\x07\x00\x00\x00\xff\x01" + b"a" * 255),
    "str-256": (b"\xd1\x00\x01" + b"a" * 256, b"\x07\x00\x00\x00\x80\x02" + b"a" * 256),
    "str-unicode": (b"\x89\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", b"\x07\x00\x00\x00\x09\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
    "str-broken": (Refused("encoding"), Refused("encoding")),
    "str-surrogate": (Refused("encoding"), Refused("encoding")),
    "bin": (b"\xd4\x03\x00\xff\x10", NONE),
    "bin-empty": (b"\xd4\x00", NONE),
    "bin-255": (b"\xd4\xff" + bytes(255), NONE),
    "bin-256": (b"\xd5\x00\x01" + bytes(256), NONE),
    "ext-0": (b"\xd9\x0a\x00", NONE),
    "ext-2": (b"\xd9\xff\x01\x02\x0a\x0b", NONE),
    "ext-256": (b"\xd9\x0a\x80\x02" + bytes(256), NONE),
    "ext-type-128": (b"\xd9\x80\x02\x01\x00", NONE),
    "time-utc": (b"\xda\x00\x80\xc4\xf8\x85\x0b\x00", NONE),
    "time-utc-before-1970": (b"\xda\x00\x01\xff\x93\xeb\xdc\x03", NONE),
    "time-offset": (b"\xda\x01\x80\xc4\xf8\x85\x0b\x00\xa0\xfa\x03", NONE),
    "time-offset-zero": (b"\xda\x01\x80\xc4\xf8\x85\x0b\x00\x00", NONE),
    "time-local": (b"\xda\x02\x80\xc4\xf8\x85\x0b\x00\xef\xc4\x01", NONE),
    "array-empty": (b"\xc4\xc6", b"\x09\x00\x00\x00\x00"),
    "array-empty-counted": (b"\xc4\xc6", b"\x09\x00\x00\x00\x00"),
    "array-16": (b"\xc4" + b"\xc0" * 16 + b"\xc6", b"\x09\x00\x00\x00\x50" + b"".join(struct.pack("<I", i << 4) + b"\x00" for i in range(1, 17))),
    "array-16-counted": (b"\xc4" + b"\xc0" * 16 + b"\xc6", b"\x09\x00\x00\x00\x50" + b"".join(struct.pack("<I", i << 4) + b"\x00" for i in range(1, 17))),
    "map-empty": (b"\xc5\xc6", NONE),
    "map-15": (b"\xc5" + b"\xa1a\xc0" * 15 + b"\xc6", Refused("duplicate")),
    "map-order-and-duplicates": (b"\xc5\xa1b\x01\xa1a\x02\xa1b\x03\xc6", Refused("duplicate")),
    "nested-mixed-counts": (b"\xc4\xc4\xc4\xc4\xc6\xc6\xc6\xc4" + b"\xc0" * 20 + b"\xc6\xc5\xa1a\xc5\xc6\xc6\xc6", (
        b"\x09\x00\x00\x00\x82\x01\x19\x00\x00\x00\x0a\x19\x00\x00\x00\x05\x19\x00\x00\x00\x00"
        b"\x29\x00\x00\x00\x64" + b"".join(struct.pack("<I", i << 4) + b"\x00" for i in range(1, 21))
        + b"\x38\x00\x00\x00\x05\x08" + HASH_A + b"\x00\x0a\x00\x00\x00\x06\x08" + HASH_A + b"\x01a")),
    "key-i64": (b"\xc5\xdd\xef\xc0\xc6", NONE),
    "key-null": (b"\xc5\xdd\xc0\xc0\xc6", NONE),
    "key-boolean": (b"\xc5\xdd\xc3\xc0\xc6", NONE),
    "key-f64": (b"\xc5\xdd\xc7" + struct.pack("<d", 1.5) + b"\xc0\xc6", NONE),
    "key-bin": (b"\xc5\xdd\xd4\x03\x00\xff\x10\xc0\xc6", NONE),
    "key-str": (b"\xc5\xdd\x81a\xc0\xc6", b"\x00" + HASH_A + b"\x00\x0a\x00\x00\x00\x06\x00" + HASH_A + b"\x01a"),
    "key-array": (b"\xc5\xdd\xc4\xc6\xc0\xc6", NONE),
    "key-map": (b"\xc5\xdd\xc5\xc6\xc0\xc6", NONE),
    "key-broken": (Refused("encoding"), Refused("encoding")),
    # Published in the study.
    "study-150": (b"\xc8\x96", b"\x01\x00\x00\x00\xac\x02"),
    "study-hello": (b"\x85Hello", b"\x07\x00\x00\x00\x05Hello"),
    "study-map": (b"\xc5\xa1a\x01\xa1b\x02\xc6", b"\x01" + HASH_A + b"\x02\x01" + HASH_B + b"\x04\x0a\x00\x00\x00\x0c\x01" + HASH_A + b"\x01a\x01" + HASH_B + b"\x01b"),
    "study-map-in-map": (b"\xc5\xa1b\xc5\xa1a\x01\xc6\xc6", b"\x08" + HASH_B + b"\x05\x01" + HASH_A + b"\x02\x0a\x00\x00\x00\x0c\x01" + HASH_A + b"\x01a\x08" + HASH_B + b"\x01b"),
    "study-order": (b"\xc5\xa1b\x01\xa1a\x02\xc6", b"\x01" + HASH_A + b"\x04\x01" + HASH_B + b"\x02\x0a\x00\x00\x00\x0c\x01" + HASH_A + b"\x01a\x01" + HASH_B + b"\x01b"),
    "study-types": (b"\xc4\xc5\xa1a\x01\xc6\xc5\xa1a\xc0\xc6\xc6",  # a name stands once for each type
                    b"\x09\x00\x00\x00\x14\x18\x00\x00\x00\x05\x01" + HASH_A + b"\x02\x28\x00\x00\x00\x05\x00" + HASH_A + b"\x00"
                    b"\x0a\x00\x00\x00\x0c\x00" + HASH_A + b"\x01a\x01" + HASH_A + b"\x01a"),
    "study-array": (b"\xc4\x01\x02\xc6", b"\x09\x00\x00\x00\x0a\x11\x00\x00\x00\x02\x21\x00\x00\x00\x04"),
    "study-one-hash": (b"\xc5\xa5f3234\x01\xa6f13293\x02\xc6", NONE),
    "names-from-the-fourth-map": (b"\xc4" + b"\xc5\xa1a\x01\xc6" * 3 + b"\xc5\xdb\x01a\x01\xc6\xc5\x40\x01\xc6\xc6",
                                  b"\x09\x00\x00\x00\x32" + b"".join(struct.pack("<I", i << 4 | 8) + b"\x05\x01" + HASH_A + b"\x02" for i in range(1, 6))
                                  + b"\x0a\x00\x00\x00\x06\x01" + HASH_A + b"\x01a"),
}
for name, trace in {
    "study-150": "i64 150",
    "study-hello": 'str "Hello"',
    "study-map": 'map\nkey "a"\ni64 1\nkey "b"\ni64 2\nend',
    "study-map-in-map": 'map\nkey "b"\nmap\nkey "a"\ni64 1\nend\nend',
    "study-order": 'map\nkey "b"\ni64 1\nkey "a"\ni64 2\nend',
    "study-types": 'array\nmap\nkey "a"\ni64 1\nend\nmap\nkey "a"\nnull\nend\nend',
    "study-array": "array\ni64 1\ni64 2\nend",
    "study-one-hash": 'map\nkey "f3234"\ni64 1\nkey "f13293"\ni64 2\nend',
    "names-from-the-fourth-map": "array\n" + 'map\nkey "a"\ni64 1\nend\n' * 5 + "end",
}.items():
    MODEL[name] = (trace, {})
for n, safe, study in [
    (0, b"\x00", b"\x01\x00\x00\x00\x00"),
    (127, b"\xc8\x7f", b"\x01\x00\x00\x00\xfe\x01"),
    (256, b"\xc9\x00\x01", b"\x01\x00\x00\x00\x80\x04"),
    (65536, b"\xca\x00\x00\x01\x00", b"\x01\x00\x00\x00\x80\x80\x08"),
    (2**32 - 1, b"\xca\xff\xff\xff\xff", b"\x03\x00\x00\x00\xfe\xff\xff\xff\x1f"),
    (2**32, b"\xcb\x00\x00\x00\x00\x01\x00\x00\x00", b"\x03\x00\x00\x00\x80\x80\x80\x80\x20"),
    (2**63 - 1, b"\xcb" + b"\xff" * 7 + b"\x7f", b"\x03\x00\x00\x00\xfe" + b"\xff" * 8 + b"\x01"),
    (-1, b"\xef", b"\x01\x00\x00\x00\x01"),
    (-32, b"\xcc\xe0", b"\x01\x00\x00\x00\x3f"),
    (-129, b"\xcd\x7f\xff", b"\x01\x00\x00\x00\x81\x02"),
    (-32769, b"\xce\xff\x7f\xff\xff", b"\x01\x00\x00\x00\x81\x80\x04"),
    (-(2**31), b"\xce\x00\x00\x00\x80", b"\x01\x00\x00\x00\xff\xff\xff\xff\x0f"),
    (-(2**31) - 1, b"\xcf\xff\xff\xff\x7f\xff\xff\xff\xff", b"\x03\x00\x00\x00\x81\x80\x80\x80\x10"),
    (-(2**63), b"\xcf" + bytes(7) + b"\x80", b"\x03\x00\x00\x00" + b"\xff" * 9 + b"\x01"),
]:
    TAGGED[f"i64-{n}" if n >= 0 else f"i64-minus-{-n}"] = (safe, study)
for name, (safe, study) in TAGGED.items():
    MODEL[name][1]["tagged.safe"] = safe if isinstance(safe, Refused) else MARK + safe
    MODEL[name][1]["tagged.study"] = study

# JSON's and CBOR's dialects: models of their own, and more outputs of those above.
for name, (trace, outputs) in [*JSON.items(), *NEW.items(), *((name.partition("/")[0], (None, outputs)) for name, outputs in KNOWN.items())]:
    known, all_outputs = MODEL[name] if trace is None else MODEL.setdefault(name, (trace, {}))
    assert trace is None or known == trace, name
    for dialect, expected in outputs.items():
        assert all_outputs.setdefault(dialect, expected) == expected, (name, dialect)


def main() -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    HERE.mkdir()
    for name, (trace, outputs) in MODEL.items():
        (HERE / f"{name}.trace").write_text(trace + "\n")
        for dialect, expected in outputs.items():
            if isinstance(expected, Refused):
                (HERE / f"{name}.{dialect}.error").write_text(expected + "\n")
                continue
            # Only here do the bytes depend on whether the writer was told a count.
            counts = ".counts" if dialect == "cbor.streaming" and any(line.startswith(("array", "map")) for line in trace.split("\n")) else ""
            (HERE / f"{name}.{dialect}{counts}").write_bytes(expected)


if __name__ == "__main__":
    main()
