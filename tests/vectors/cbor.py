"""Writes the CBOR vectors: tests/vectors/cbor/<area>/<expect>-<name>.{in,trace,error}.

The expectations are written by hand from RFC 8949; nothing here calls a CBOR implementation. The RFC's own examples are in
tests/engine/cbor_examples_test.cpp. Run it in this folder after changing the table, and commit what it writes.
"""

import pathlib
import shutil
import struct

# A path of more than 200 bytes keeps its first 120 and its last 60.
DEEP = "$" + "[0]" * 1024
SHORTENED = DEEP[:120] + "..." + DEEP[-60:]

HERE = pathlib.Path(__file__).parent / "cbor"


def f64(x: float) -> str:
    """The line of a double: its bits, and a text that only people read."""
    text = {"1.0": "1", "-0.0": "-0", "0.0": "0"}.get(repr(x), repr(x))
    return f"f64 0x{struct.pack('>d', x).hex()} {text}"


def text(n: int) -> str:
    return "61" * n


# area/name: bytes in hexadecimal, trace lines
OK: dict[str, tuple[str, str]] = {
    "scalars/null": ("f6", "null"),
    "scalars/undefined": ("f7", "null"),
    "scalars/false": ("f4", "boolean false"),
    "scalars/true": ("f5", "boolean true"),
    "scalars/simple": ("e0", "ext 24 0xe0"),
    "scalars/simple-19": ("f3", "ext 24 0xf3"),
    "scalars/simple-32": ("f820", "ext 24 0xf820"),
    "scalars/simple-255": ("f8ff", "ext 24 0xf8ff"),
    "floats/half": ("f93e00", f64(1.5)),
    "floats/half-minus-zero": ("f98000", f64(-0.0)),
    "floats/half-denormal": ("f90001", "f64 0x3e70000000000000 5.960464477539063e-8"),
    "floats/half-infinity": ("f9fc00", "f64 0xfff0000000000000 -inf"),
    "floats/half-nan": ("f97e01", "f64 0x7ff8000000000000 nan"),
    "floats/single": ("fa3dcccccd", "f64 0x3fb99999a0000000 0.10000000149011612"),
    "floats/single-denormal": ("fa00000001", "f64 0x36a0000000000000 1.401298464324817e-45"),
    "floats/single-longer-than-needed": ("fa3f800000", f64(1.0)),
    "floats/double": ("fb3fb999999999999a", f64(0.1)),
    "floats/double-longer-than-needed": ("fb3ff0000000000000", f64(1.0)),
    "str/empty": ("60", 'str ""'),
    "str/23": ("77" + text(23), f'str "{"a" * 23}"'),
    "str/24": ("7818" + text(24), f'str "{"a" * 24}"'),
    "str/256": ("790100" + text(256), f'str "{"a" * 256}"'),
    "str/wide-lengths": ("85780161790001617a00000001617b00000000000000016160", 'array\nstr "a"\nstr "a"\nstr "a"\nstr "a"\nstr ""\nend'),
    "str/utf-8": ("69c3a9e282acf09f9880", 'str "\\u{e9}\\u{20ac}\\u{1f600}"'),
    "str/utf-8-late": ("7864" + text(98) + "c3a9", f'str "{"a" * 98}\\u{{e9}}"'),
    "str/chunks": ("7f616162626360ff", 'str "abc"'),
    "str/no-chunks": ("7fff", 'str ""'),
    "bin/empty": ("40", "bin 0x"),
    "bin/2": ("4200ff", "bin 0x00ff"),
    "bin/256": ("590100" + "00" * 256, "bin 0x" + "00" * 256),
    "bin/chunks": ("5f42000140410240ff", "bin 0x000102"),
    "bin/no-chunks": ("5fff", "bin 0x"),
    "array/empty": ("80", "array\nend"),
    "array/24": ("9818" + "00" * 24, "array\n" + "i64 0\n" * 24 + "end"),
    "array/wide-counts": ("8498009900009a000000009b0000000000000000", "array\n" + "array\nend\n" * 4 + "end"),
    "array/indefinite": ("9f019fff81f6ff", "array\ni64 1\narray\nend\narray\nnull\nend\nend"),
    "array/deep": ("81" * 1023 + "80", "array\n" * 1024 + "end\n" * 1023 + "end"),
    "array/deep-indefinite": ("9f" * 1024 + "ff" * 1024, "array\n" * 1024 + "end\n" * 1023 + "end"),
    "map/empty": ("a0", "map\nend"),
    "map/order": ("a2616201616102", 'map\nkey "b"\ni64 1\nkey "a"\ni64 2\nend'),
    "map/duplicate-keys": ("a2616101616102", 'map\nkey "a"\ni64 1\nkey "a"\ni64 2\nend'),
    "map/indefinite": ("bf6161bfff6162f6ff", 'map\nkey "a"\nmap\nend\nkey "b"\nnull\nend'),
    "map/key-in-chunks": ("a17f61616162ff01", 'map\nkey "ab"\ni64 1\nend'),
    "map/keys-of-all-kinds": (
        "a901f6f6f6f5f6f93800f64161f68101f6a10203f6c601f6c100f6",
        "map\nkey\ni64 1\nnull\nkey\nnull\nnull\nkey\nboolean true\nnull\nkey\n" + f64(0.5) + "\nnull\nkey\nbin 0x61\nnull\n"
        "key\narray\ni64 1\nend\nnull\nkey\nmap\nkey\ni64 2\ni64 3\nend\nnull\nkey\next 24 0xc601\nnull\nkey\ntime utc 0 0 0\nnull\nend",
    ),
    "tags/self-described": ("d9d9f7a1d9d9f7616101", 'map\nkey "a"\ni64 1\nend'),
    "tags/unknown": ("d82a8101", "ext 24 0xd82a8101"),
    "tags/unknown-indefinite": ("82c69f7f6161ffff01", "array\next 24 0xc69f7f6161ffff\ni64 1\nend"),
    "tags/unknown-widest": ("dbffffffffffffffff00", "ext 24 0xdbffffffffffffffff00"),
    "tags/embedded": ("d8184101", "ext 24 0xd8184101"),
    "tags/typed": ("da6b6d00054161", "ext 5 0x61"),
    "tags/typed-negative": ("da6b6d0080420a0b", "ext -128 0x0a0b"),
    "tags/typed-empty": ("da6b6d001840", "ext 24 0x"),
    "tags/typed-other-content": ("da6b6d000501", "ext 24 0xda6b6d000501"),
    "time/epoch": ("c11a585f1100", "time utc 1482625280 0 0"),
    "time/epoch-negative": ("c120", "time utc -1 0 0"),
    "time/epoch-half": ("c1f93800", "time utc 0 500000000 0"),
    "time/epoch-double": ("c1fb41d617c440200000", "time utc 1482625280 500000000 0"),
    "time/text": ("c074323031362d31322d32355430303a32313a32305a", "time utc 1482625280 0 0"),
    "time/text-offset": ("c07819323031362d31322d32355430393a32313a32302b30393a3030", "time offset 1482625280 0 32400"),
    "time/days": ("d864194308", "time date 1482624000 0 0"),
    "time/date-text": ("d903ec6a323031362d31322d3235", "time date 1482624000 0 0"),
    "time/extended": ("d903e9a2011a585f11002807", "time utc 1482625280 7 0"),
    "time/extended-other-clock": ("d903e9a201002001", "ext 24 0xd903e9a201002001"),
    "big/natural": ("c249010000000000000000", "big 18446744073709551616"),
    "big/negative": ("c349010000000000000000", "big -18446744073709551617"),
    "big/negative-64-bits": ("3bffffffffffffffff", "big -18446744073709551616"),
    "big/natural-small": ("c2420001", "i64 1"),
    "big/natural-empty": ("c240", "i64 0"),
    "big/negative-empty": ("c340", "i64 -1"),
    "big/natural-chunks": ("c25f4101480000000000000000ff", "big 18446744073709551616"),
    "big/decimal": ("c48221196ab3", "big 273.15"),
    "big/decimal-negative": ("c48221391387", "big -50.00"),
    "big/decimal-large": ("c48219019001", "big 1e400"),
    "big/decimal-small": ("c4822901", "big 1e-10"),
    "big/decimal-bignum": ("c48220c249010000000000000000", "big 1844674407370955161.6"),
    "big/bigfloat": ("c5822003", f64(1.5)),
    "big/bigfloat-long": ("c58220c249020000000000000001", "big 18446744073709551616.5"),
}
for name, data, n in [
    ("0", "00", 0),
    ("23", "17", 23),
    ("24", "1818", 24),
    ("255", "18ff", 255),
    ("256", "190100", 256),
    ("65536", "1a00010000", 65536),
    ("2-to-32", "1b0000000100000000", 2**32),
    ("2-to-63-less-1", "1b7fffffffffffffff", 2**63 - 1),
    ("wide-8", "1800", 0),
    ("wide-16", "190001", 1),
    ("wide-32", "1a00000001", 1),
    ("wide-64", "1b0000000000000001", 1),
    ("minus-1", "20", -1),
    ("minus-24", "37", -24),
    ("minus-25", "3818", -25),
    ("minus-256", "38ff", -256),
    ("minus-65537", "3a00010000", -65537),
    ("minus-2-to-63", "3b7fffffffffffffff", -(2**63)),
    ("minus-1-wide", "3b0000000000000000", -1),
]:
    OK[f"integers/{name}"] = (data, f"i64 {n}")
OK["integers/2-to-63"] = ("1b8000000000000000", "u64 9223372036854775808")
OK["integers/2-to-64-less-1"] = ("1bffffffffffffffff", "u64 18446744073709551615")
OK["integers/minus-2-to-63-less-1"] = ("3b8000000000000000", "big -9223372036854775809")

# area/name: bytes in hexadecimal, code, offset, path
ERROR: dict[str, tuple[str, str]] = {
    "cut/empty": ("", "truncated 0 $"),
    "cut/array": ("8201", "truncated 0 $"),  # one byte cannot hold two values
    "cut/array-inside": ("826161", "truncated 3 $[1]"),
    "cut/array-indefinite": ("9f01", "truncated 2 $[1]"),
    "cut/map-value": ("a16161", "truncated 3 $.a"),
    "cut/map-indefinite": ("bf", "truncated 1 $"),
    "cut/integer": ("811b0000", "truncated 1 $[0]"),
    "cut/double": ("fb00", "truncated 0 $"),
    "cut/str": ("62", "truncated 0 $"),
    "cut/str-chunk": ("7f6261", "truncated 0 $"),
    "cut/str-hostile": ("7bffffffffffffffff", "truncated 0 $"),
    "cut/bin-hostile": ("5affffffff616263", "truncated 0 $"),
    "cut/array-hostile": ("9bffffffffffffffff010203", "truncated 0 $"),
    "cut/map-hostile": ("bb8000000000000000010203", "truncated 0 $"),
    "cut/tag": ("c6", "truncated 1 $"),
    "cut/nested-path": ("a161618401028019", "truncated 7 $.a[3]"),
    "cut/path-odd-name": ("a16361206219", 'truncated 5 $["a b"]'),
    "cut/path-other-key": ("a207010819", "truncated 4 ${1}"),
    "bytes/reserved-argument": ("1c", "syntax 0 $"),
    "bytes/reserved-tag": ("81df", "syntax 1 $[0]"),
    "bytes/indefinite-integer": ("1f", "syntax 0 $"),
    "bytes/simple-in-two-bytes": ("f818", "syntax 0 $"),
    "bytes/simple-reserved": ("fc", "syntax 0 $"),
    "bytes/break": ("ff", "syntax 0 $"),
    "bytes/break-in-definite": ("8201ff", "syntax 2 $[1]"),
    "bytes/break-after-key": ("bf6161ff", "syntax 3 $.a"),
    "bytes/break-after-tag": ("9fc6ff", "syntax 2 $[0]"),
    "bytes/chunk-of-other-kind": ("7f4161ff", "syntax 1 $"),
    "bytes/chunk-indefinite": ("5f5f4161ffff", "syntax 1 $"),
    "bytes/trailing": ("0102", "trailing 1 $"),
    "bytes/trailing-after-array": ("8101f6", "trailing 2 $"),
    "text/stray-byte": ("6361ff62", "encoding 2 $"),
    "text/surrogate": ("63eda080", "encoding 1 $"),
    "text/overlong": ("62c080", "encoding 1 $"),
    "text/character-in-two-chunks": ("7f61c361a9ff", "encoding 2 $"),
    "text/in-key": ("a16161a161ff01", "encoding 5 $.a"),
    "text/in-unknown-tag": ("81c661ff", "encoding 3 $[0]"),
    "text/late": ("7864" + text(99) + "80", "encoding 101 $"),
    "tags/epoch-of-text": ("c16130", "syntax 1 $"),
    "tags/epoch-nan": ("c1f97e00", "range 1 $"),
    "tags/date-time-of-number": ("c000", "syntax 1 $"),
    "tags/date-time-no-such-day": ("c074323031362d30322d33305430303a32313a32305a", "range 1 $"),
    "tags/bignum-of-text": ("81c26161", "syntax 2 $[0]"),
    "tags/decimal-of-one": ("c48101", "syntax 1 $"),
    "tags/decimal-of-floats": ("c482f90000f90000", "syntax 2 $[0]"),
    "nesting/too-deep": ("81" * 1025, "depth 1024 " + SHORTENED),
    "nesting/too-deep-in-tag": ("81" * 1024 + "c681" + "00", "depth 1025 " + SHORTENED),
}


def main() -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    for kind, table in (("ok", OK), ("err", ERROR)):
        for key, (data, expected) in table.items():
            area, name = key.split("/")
            folder = HERE / area
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{kind}-{name}.in").write_bytes(bytes.fromhex(data))
            (folder / f"{kind}-{name}.{'trace' if kind == 'ok' else 'error'}").write_text(expected + "\n")


if __name__ == "__main__":
    main()
