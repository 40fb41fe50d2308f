"""Writes tests/vectors/json from the tables below. The expectations are written by hand from RFC 8259, not by the engine.

Run it from anywhere: python3 tests/vectors/json.py
"""

from __future__ import annotations

from pathlib import Path

# A path of more than 200 bytes keeps its first 120 and its last 60.
DEEP = "$" + "[0]" * 1024
SHORTENED = DEEP[:120] + "..." + DEEP[-60:]

HERE = Path(__file__).parent / "json"

# area -> name -> (document, trace)
GOOD: dict[str, dict[str, tuple[bytes, str]]] = {
    "scalars": {
        "null": (b"null", "null"),
        "true": (b"true", "boolean true"),
        "false": (b" false ", "boolean false"),
        "spaces": (b" \t\r\n1\n", "i64 1"),
    },
    "numbers": {
        "zero": (b"0", "i64 0"),
        "minus-zero": (b"-0", "f64 0x8000000000000000 -0"),
        "i64-most": (b"9223372036854775807", "i64 9223372036854775807"),
        "i64-least": (b"-9223372036854775808", "i64 -9223372036854775808"),
        "u64-least": (b"9223372036854775808", "u64 9223372036854775808"),
        "u64-most": (b"18446744073709551615", "u64 18446744073709551615"),
        "integer-beyond": (b"18446744073709551616", "big 18446744073709551616"),
        "integer-below": (b"-9223372036854775809", "big -9223372036854775809"),
        "integer-long": (b"1" + b"0" * 100, "big 1" + "0" * 100),
        "half": (b"0.5", "f64 0x3fe0000000000000 0.5"),
        "tenth": (b"0.1", "f64 0x3fb999999999999a 0.1"),
        "exponent": (b"1e2", "f64 0x4059000000000000 100"),
        "exponent-upper-plus": (b"1E+2", "f64 0x4059000000000000 100"),
        "one-point-zero": (b"1.0", "f64 0x3ff0000000000000 1"),
        "most": (b"1.7976931348623157e308", "f64 0x7fefffffffffffff 1.7976931348623157e+308"),
        "rounds-to-most": (b"1.7976931348623158e308", "f64 0x7fefffffffffffff 1.7976931348623157e+308"),
        "too-large": (b"1e400", "big 1e400"),
        "too-large-negative": (b"-1.5E+999", "big -1.5E+999"),
        "too-small": (b"1e-400", "f64 0x0000000000000000 0"),
        "least": (b"5e-324", "f64 0x0000000000000001 5e-324"),
        "tie-to-even": (b"9007199254740993.0", "f64 0x4340000000000000 9007199254740992"),
        "above-tie": (b"9007199254740993.00000000000000000000000000001", "f64 0x4340000000000001 9007199254740994"),
        "zero-huge-exponent": (b"0e999999999999", "f64 0x0000000000000000 0"),
    },
    "strings": {
        "empty": (b'""', 'str ""'),
        "escapes": (rb'"\"\\\/\b\f\n\r\t"', r'str "\"\\/\u{8}\u{c}\u{a}\u{d}\u{9}"'),
        "unicode": (rb'"\u0041\u00e9\u20AC"', r'str "A\u{e9}\u{20ac}"'),
        "pair": (rb'"\ud834\udd1e"', r'str "\u{1d11e}"'),
        "nul": (rb'"\u0000"', r'str "\u{0}"'),
        "raw-two": (b'"\xc3\xa9"', r'str "\u{e9}"'),
        "raw-three": (b'"\xe2\x82\xac"', r'str "\u{20ac}"'),
        "raw-four": (b'"\xf4\x8f\xbf\xbf"', r'str "\u{10ffff}"'),
        "noncharacter": (b'"\xef\xbf\xbf"', r'str "\u{ffff}"'),
        "delete": (b'"\x7f"', r'str "\u{7f}"'),
        "backslashes": (b'"' + b"\\\\" * 33 + b'"', 'str "' + "\\\\" * 33 + '"'),
        "long": (b'"' + b"x" * 5000 + b'"', 'str "' + "x" * 5000 + '"'),
    },
    "containers": {
        "array-empty": (b"[]", "array\nend"),
        "map-empty": (b"{ }", "map\nend"),
        "nested": (b'{"a":[1,{"b":[]},"c"]}', 'map\nkey "a"\narray\ni64 1\nmap\nkey "b"\narray\nend\nend\nstr "c"\nend\nend'),
        "spaces-everywhere": (b'\n{ "a" : [ 1 , 2 ] , "b" : { } }\n', 'map\nkey "a"\narray\ni64 1\ni64 2\nend\nkey "b"\nmap\nend\nend'),
        "key-escaped": (rb'{"\u0061\n":1}', 'map\nkey "a\\u{a}"\ni64 1\nend'),
        "key-empty": (b'{"":""}', 'map\nkey ""\nstr ""\nend'),
        "keys-in-order": (b'{"b":1,"a":2}', 'map\nkey "b"\ni64 1\nkey "a"\ni64 2\nend'),
        "keys-twice": (b'{"a":1,"a":2}', 'map\nkey "a"\ni64 1\nkey "a"\ni64 2\nend'),
        "deep": (b"[" * 500 + b"]" * 500, "array\n" * 500 + "\n".join(["end"] * 500)),
    },
}

# area -> name -> (document, "code offset path")
BAD: dict[str, dict[str, tuple[bytes, str]]] = {
    "numbers": {
        "leading-zero": (b"[01]", "syntax 2 $[0]"),
        "plus": (b"[+1]", "syntax 1 $[0]"),
        "no-digit-after-point": (b"[1.]", "syntax 3 $[0]"),
        "no-digit-before-point": (b"[.5]", "syntax 1 $[0]"),
        "no-exponent": (b"[1e]", "syntax 3 $[0]"),
        "hexadecimal": (b"[0x1]", "syntax 2 $[0]"),
        "runs-on": (b"[12a]", "syntax 3 $[0]"),
        "minus-alone": (b"-", "truncated 1 $"),
        "nan": (b"[NaN]", "syntax 1 $[0]"),
        "minus-infinity": (b"[-Infinity]", "syntax 2 $[0]"),
    },
    "strings": {
        "open": (b'["abc', "truncated 1 $[0]"),
        "control": (b'["a\tb"]', "syntax 3 $[0]"),
        "line-break": (b'["a\nb"]', "syntax 3 $[0]"),
        "unknown-escape": (rb'["\x41"]', "syntax 2 $[0]"),
        "three-hex": (rb'["\u12g4"]', "syntax 2 $[0]"),
        "first-half-alone": (rb'["\ud800"]', "encoding 2 $[0]"),
        "second-half-alone": (rb'["\udc00"]', "encoding 2 $[0]"),
        "halves-swapped": (rb'["\udc00\ud800"]', "encoding 2 $[0]"),
        "overlong": (b'["\xc0\xaf"]', "encoding 2 $[0]"),
        "surrogate-raw": (b'["\xed\xa0\x80"]', "encoding 2 $[0]"),
        "beyond-unicode": (b'["\xf4\x90\x80\x80"]', "encoding 2 $[0]"),
        "cut-sequence": (b'["\xe2\x82"]', "encoding 2 $[0]"),
        "single-quotes": (b"['a']", "syntax 1 $[0]"),
    },
    "containers": {
        "empty-document": (b"", "truncated 0 $"),
        "open-array": (b"[1", "truncated 2 $[0]"),
        "open-map": (b'{"a":1', "truncated 6 $.a"),
        "no-value": (b'{"a":}', "syntax 5 $.a"),
        "no-colon": (b'{"a" 1}', "syntax 5 $.a"),
        "no-comma": (b"[1 2]", "syntax 3 $[0]"),
        "trailing-comma": (b"[1,]", "syntax 3 $[1]"),
        "trailing-comma-map": (b'{"a":1,}', "syntax 7 $.a"),
        "crossed": (b"[1}", "syntax 2 $[0]"),
        "key-not-text": (b"{1:2}", "syntax 1 $"),
        "trailing": (b"[1] 2", "trailing 4 $"),
        "one-closer-too-many": (b"[1]]", "trailing 3 $"),
        "comment": (b"[1 // x\n]", "syntax 3 $[0]"),
        "byte-order-mark": (b"\xef\xbb\xbf{}", "syntax 0 $"),
        "path": (b'{"asks":[[1,2],[3,4x]]}', "syntax 19 $.asks[1][1]"),
        "too-deep": (b"[" * 1025 + b"]" * 1025, "depth 1024 " + SHORTENED),
    },
}

# What RFC 8259 leaves to the implementation, and docs/formats.md may decide one way or the other in a host: no expectation.
ANY: dict[str, dict[str, bytes]] = {
    "numbers": {
        "exponent-of-thirty-digits": b"[1e" + b"9" * 30 + b"]",
        "exponent-of-thirty-digits-down": b"[-1e-" + b"9" * 30 + b"]",
        "long-fraction": b"[0." + b"0" * 5000 + b"1]",
    },
    "strings": {
        "utf-16": b"\xff\xfe" + '["a"]'.encode("utf-16-le"),
        "utf-16-unmarked": '["a"]'.encode("utf-16-be"),
        "half-pair-as-key": rb'{"\ud800":1}',
    },
    "containers": {
        "deep": b"[" * 10_000 + b"]" * 10_000,
        "deep-open": b'{"a":' * 10_000,
        "mark-alone": b"\xef\xbb\xbf",
    },
}


def main() -> None:
    for area, documents in GOOD.items():
        (HERE / area).mkdir(parents=True, exist_ok=True)
        for name, (document, trace) in documents.items():
            (HERE / area / f"ok-{name}.in").write_bytes(document)
            (HERE / area / f"ok-{name}.trace").write_bytes(trace.encode("ascii") + b"\n")
    for area, documents in BAD.items():
        (HERE / area).mkdir(parents=True, exist_ok=True)
        for name, (document, error) in documents.items():
            (HERE / area / f"err-{name}.in").write_bytes(document)
            (HERE / area / f"err-{name}.error").write_bytes(error.encode("ascii") + b"\n")
    for area, documents in ANY.items():
        (HERE / area).mkdir(parents=True, exist_ok=True)
        for name, document in documents.items():
            (HERE / area / f"any-{name}.in").write_bytes(document)


if __name__ == "__main__":
    main()
