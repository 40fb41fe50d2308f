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

# name -> (document, "code offset path", "line column"): where a fault is, in documents of several lines and with odd keys. A column
# counts bytes from 1; a line ends with \n, \r\n or \r.
PLACES: dict[str, tuple[bytes, str, str]] = {
    "first-byte": (b"x", "syntax 0 $", "1 1"),
    "one-line": (b'{"a": tru}', "syntax 6 $.a", "1 7"),
    "line-feed": (b'{\n  "a": tru\n}', "syntax 9 $.a", "2 8"),
    "carriage-return-and-line-feed": (b'{\r\n  "a": tru\r\n}', "syntax 10 $.a", "2 8"),
    "carriage-return": (b'{\r  "a": tru\r}', "syntax 9 $.a", "2 8"),
    "line-feed-and-carriage-return": (b'[\n\r1,\n\rx]', "syntax 7 $[1]", "5 1"),
    "carriage-returns": (b"[\r\r\r\nx]", "syntax 5 $[0]", "4 1"),
    "empty-lines": (b"\n\n\n[1 2]", "syntax 6 $[0]", "4 4"),
    "fault-is-the-line-feed": (b'["a\nb"]', "syntax 3 $[0]", "1 4"),
    "fault-is-the-carriage-return": (b'["a\r\nb"]', "syntax 3 $[0]", "1 4"),
    "fault-is-a-line-feed-behind-a-carriage-return": (b'[1,"\\\r\n"]', "syntax 4 $[1]", "1 5"),
    "end-of-the-line": (b"[1,\n2", "truncated 5 $[1]", "2 2"),
    "end-behind-a-line-feed": (b"[1,\n2\n", "truncated 6 $[1]", "3 1"),
    "end-behind-a-carriage-return": (b"[1,\r2\r", "truncated 6 $[1]", "3 1"),
    "end-behind-both": (b"[1,\r\n", "truncated 5 $[1]", "2 1"),
    "column-counts-bytes": ('{"é€😀": x}'.encode(), "syntax 14 $.é€😀", "1 15"),
    "column-counts-bytes-in-a-string": ('["é",\n"€", \'"]'.encode(), "syntax 14 $[2]", "2 8"),
    "column-counts-a-tab-as-one": (b"[\n\t\tx]", "syntax 4 $[0]", "2 3"),
    "line-separator-is-no-line": ("[\"\u2028\u2029\x85\",\nx]".encode(), "syntax 13 $[1]", "2 1"),
    "trailing": (b"{}\n\n 1", "trailing 5 $", "3 2"),
    "string-open-over-lines": (b'{"a":\n"bc', "truncated 6 $.a", "2 1"),
    "encoding": (b'[\n"a\xff"]', "encoding 4 $[0]", "2 3"),
    # Paths.
    "path-nested": (b'{"a":{"b":[{},{"c":[0,1,x]}]}}', "syntax 24 $.a.b[1].c[2]", "1 25"),
    "path-behind-closed-values": (b'{"a":[1,{"b":2}],"c":{"d":[]},"e":x}', "syntax 34 $.e", "1 35"),
    "path-element-counts": (b'["a,b",{"x":1},[2,3],x]', "syntax 21 $[3]", "1 22"),
    "path-key-with-dot": (b'{"a.b":x}', 'syntax 7 $["a.b"]', "1 8"),
    "path-key-with-blank": (b'{"a b":x}', 'syntax 7 $["a b"]', "1 8"),
    "path-key-empty": (b'{"":x}', 'syntax 4 $[""]', "1 5"),
    "path-key-of-digits": (b'{"0":x}', 'syntax 5 $["0"]', "1 6"),
    "path-key-begins-with-a-digit": (b'{"1a":x}', 'syntax 6 $["1a"]', "1 7"),
    "path-key-with-a-digit": (b'{"a1":x}', "syntax 6 $.a1", "1 7"),
    "path-key-bare-characters": (b'{"_$-Z9":x}', "syntax 9 $._$-Z9", "1 10"),
    "path-key-with-brackets": (b'{"[0]":x}', 'syntax 7 $["[0]"]', "1 8"),
    "path-key-star": (b'{"*":x}', 'syntax 5 $["*"]', "1 6"),
    "path-key-with-quotes": (rb'{"\"\'\\":x}'.replace(b"\\'", b"'"), r'syntax 9 $["\"\'\\"]'.replace("\\'", "'"), "1 10"),
    "path-key-with-controls": (rb'{"\b\t\n\f\r\u0000\u001f\u007f":x}', r'syntax 32 $["\b\t\n\f\r\u0000\u001f\u007f"]', "1 33"),
    "path-key-with-slash": (rb'{"a\/b":x}', 'syntax 8 $["a/b"]', "1 9"),
    "path-key-not-ascii": ('{"価格":x}'.encode(), "syntax 10 $.価格", "1 11"),
    "path-key-escaped": (rb'{"\u0061\u00e9\ud83d\ude00":x}', "syntax 28 $.aé😀", "1 29"),
    "path-key-twice": (b'{"a":1,"a":x}', "syntax 11 $.a", "1 12"),
    "path-fault-in-a-key": (b'{"a":{"b\x01":1}}', "syntax 8 $.a", "1 9"),
    "path-fault-in-a-later-key": (b'{"a":{"b":1,"c\x01":2}}', "syntax 14 $.a", "1 15"),
    "path-no-colon": (b'{"a":{"b" 1}}', "syntax 10 $.a.b", "1 11"),
    "path-no-key": (b'{"a":{1:2}}', "syntax 6 $.a", "1 7"),
    "path-no-later-key": (b'{"a":{"b":1,2}}', "syntax 12 $.a", "1 13"),
    "path-comma-behind-the-last-member": (b'{"a":{"b":1,}}', "syntax 12 $.a.b", "1 13"),
    "path-comma-missing": (b'{"a":{"b":1 "c":2}}', "syntax 12 $.a.b", "1 13"),
    "path-of-200-bytes": (b'{"' + b"k" * 198 + b'":x}', "syntax 202 $." + "k" * 198, "1 203"),
    "path-of-201-bytes": (b'{"' + b"k" * 199 + b'":x}', "syntax 203 $." + "k" * 118 + "..." + "k" * 60, "1 204"),
    "path-is-cut-between-characters": (
        b'{"' + "é".encode() * 150 + b'":x}', "syntax 304 $." + "é" * 59 + "..." + "é" * 30, "1 305",
    ),
    "path-is-cut-between-characters-of-three-bytes": (
        b'{"a' + "価".encode() * 100 + b'":x}', "syntax 305 $.a" + "価" * 39 + "..." + "価" * 20, "1 306",
    ),
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
    (HERE / "places").mkdir(exist_ok=True)
    for name, (document, error, place) in PLACES.items():
        (HERE / "places" / f"err-{name}.in").write_bytes(document)
        (HERE / "places" / f"err-{name}.error").write_bytes(error.encode() + b"\n")
        (HERE / "places" / f"err-{name}.place").write_bytes(place.encode() + b"\n")
    for area, documents in ANY.items():
        (HERE / area).mkdir(parents=True, exist_ok=True)
        for name, document in documents.items():
            (HERE / area / f"any-{name}.in").write_bytes(document)


if __name__ == "__main__":
    main()
