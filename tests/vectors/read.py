"""Writes the vectors of read dialects: tests/vectors/read/<format>/<name>.in, and <name>.<dialect>.trace or .error for each dialect.

The expectations are written by hand from docs/formats.md and the formats' own specifications. Run it from anywhere after changing
the tables, and commit what it writes.
"""

from __future__ import annotations

import pathlib
import shutil
import struct

from expectation import Refused

HERE = pathlib.Path(__file__).parent / "read"


# What each dialect makes of a document; "*" are all dialects that have a name and are not named in the same row.
Row = "tuple[bytes, dict[str, str]]"


def f64(x: float, text: str) -> str:
    return f"f64 0x{struct.pack('>d', x).hex()} {text}"


def one(line: str) -> str:
    """An array of one value."""
    return f"array\n{line}\nend"


NAN, INF = "f64 0x7ff8000000000000 nan", "f64 0x7ff0000000000000 inf"
DEEP = "$" + "[0]" * 1024
SHORTENED = DEEP[:120] + "..." + DEEP[-60:]
ONE, TWO = one("i64 1"), "array\ni64 1\ni64 2\nend"
MAP = 'map\nkey "a"\ni64 1\nend'
COMMENTS = ("relaxed", "ruby_read", "old_ruby_read", "+comments")
RUBY = ("ruby_read", "old_ruby_read")


def granted(to: tuple[str, ...], what: str, else_: str) -> dict[str, str]:
    return {"*": else_} | dict.fromkeys(to, what)


JSON_NAMES = ("rfc8259", "unique_keys", "doubles", "relaxed", "exact_decimals", "python_read", "ruby_read", "old_ruby_read")
JSON: dict[str, Row] = {
    "plain": (b'{"a":[1,"\xc3\xa9",null]}', {"*": 'map\nkey "a"\narray\ni64 1\nstr "\\u{e9}"\nnull\nend\nend'}),
    # NaN and the infinities.
    "nan": (b"[NaN]", granted(("python_read", "+non_finite"), one(NAN), Refused("syntax 1 $[0]"))),
    "infinity": (b"[Infinity]", granted(("python_read", "+non_finite"), one(INF), Refused("syntax 1 $[0]"))),
    "minus-infinity": (b"[-Infinity]", granted(("python_read", "+non_finite"), one("f64 0xfff0000000000000 -inf"), Refused("syntax 2 $[0]"))),
    "nan-lower-case": (b"[nan]", {"*": Refused("syntax 1 $[0]"), "+non_finite": Refused("syntax 1 $[0]")}),
    "nan-negative": (b"[-NaN]", {"*": Refused("syntax 2 $[0]"), "+non_finite": Refused("syntax 2 $[0]")}),
    "infinity-plus": (b"[+Infinity]", {"*": Refused("syntax 1 $[0]"), "+non_finite": Refused("syntax 1 $[0]")}),
    "infinity-short": (b"[Inf]", {"*": Refused("syntax 1 $[0]"), "+non_finite": Refused("syntax 1 $[0]")}),
    "infinity-runs-on": (b"[Infinityx]", {"*": Refused("syntax 1 $[0]"), "+non_finite": Refused("syntax 1 $[0]")}),
    "nan-alone": (b"NaN", granted(("python_read", "+non_finite"), NAN, Refused("syntax 0 $"))),
    "nan-as-key": (b"{NaN:1}", {"*": Refused("syntax 1 $"), "+non_finite": Refused("syntax 1 $")}),
    # Comments.
    "comment-line": (b"[1, // x ]\n2]", granted(COMMENTS, TWO, Refused("syntax 4 $[1]"))),
    "comment-line-carriage-return": (
        b"[1 // x\r,2]\n]",
        granted(("relaxed", "+comments"), Refused("trailing 12 $"), Refused("syntax 3 $[0]")) | dict.fromkeys((*RUBY, "+comments+line_end=line_feed", "+comments+line_end=closed"), ONE),
    ),
    "comment-line-carriage-return-and-line-feed": (b"[1, // x ]\r\n2]", granted(COMMENTS, TWO, Refused("syntax 4 $[1]"))),
    "comment-line-at-the-end": (
        b"1 // x", granted(("relaxed", "ruby_read", "+comments", "+comments+line_end=line_feed"), "i64 1", Refused("trailing 2 $")) | {
            "old_ruby_read": Refused("truncated 2 $"), "+comments+line_end=closed": Refused("truncated 2 $")},
    ),
    "comment-line-at-the-end-closed": (b"1 // x\n", granted(COMMENTS, "i64 1", Refused("trailing 2 $"))),
    "comment-line-empty": (b"//\n1", granted(COMMENTS, "i64 1", Refused("syntax 0 $"))),
    "comment-block": (b"/* 1 */[1/**/,/* ] \n */2/***/] /*/ */", granted(COMMENTS, TWO, Refused("syntax 0 $"))),
    "comment-block-in-a-map": (b'{/**/"a"/**/:/**/1/**/}', granted(COMMENTS, MAP, Refused("syntax 1 $"))),
    "comment-block-nested": (b"[1 /* /* */ */]", granted(COMMENTS, Refused("syntax 12 $[0]"), Refused("syntax 3 $[0]"))),
    "comment-block-open": (b"[1 /* ]", granted(COMMENTS, Refused("truncated 3 $[0]"), Refused("syntax 3 $[0]"))),
    "comment-block-open-by-a-star": (b"[1 /*/ ]", granted(COMMENTS, Refused("truncated 3 $[0]"), Refused("syntax 3 $[0]"))),
    "comment-slash-alone": (b"[1 / 2]", {"*": Refused("syntax 3 $[0]"), "+comments": Refused("syntax 3 $[0]")}),
    "comment-hash": (b"[1 # 2\n]", {"*": Refused("syntax 3 $[0]"), "+comments": Refused("syntax 3 $[0]")}),
    "comment-in-a-string": (b'["// x", "/* y */"]', {"*": 'array\nstr "// x"\nstr "/* y */"\nend'}),
    "comment-in-a-number": (b"[1/**/2]", granted(COMMENTS, Refused("syntax 6 $[0]"), Refused("syntax 2 $[0]"))),
    "comment-alone": (b"/* x */", granted(COMMENTS, Refused("truncated 7 $"), Refused("syntax 0 $"))),
    "comment-not-utf-8": (
        b"[1 /* \xff */]",
        granted(("relaxed", "+comments"), Refused("encoding 6 $[0]"), Refused("syntax 3 $[0]")) | dict.fromkeys((*RUBY, "+comments+any_bytes"), ONE),
    ),
    # Trailing commas.
    "comma-last-array": (b"[1,]", granted(("relaxed", "+trailing_commas"), ONE, Refused("syntax 3 $[1]"))),
    "comma-last-map": (b'{"a":1,}', granted(("relaxed", "+trailing_commas"), MAP, Refused("syntax 7 $.a"))),
    "comma-last-spaced": (b'[{"a":1 , } ,\n]', granted(("relaxed", "+trailing_commas"), one(MAP), Refused("syntax 10 $[0].a"))),
    "comma-twice": (b"[1,,]", {"*": Refused("syntax 3 $[1]"), "+trailing_commas": Refused("syntax 3 $[1]")}),
    "comma-alone": (b"[,]", {"*": Refused("syntax 1 $[0]"), "+trailing_commas": Refused("syntax 1 $[0]")}),
    "comma-alone-map": (b"{,}", {"*": Refused("syntax 1 $"), "+trailing_commas": Refused("syntax 1 $")}),
    "comma-first": (b"[,1]", {"*": Refused("syntax 1 $[0]"), "+trailing_commas": Refused("syntax 1 $[0]")}),
    "comma-behind-the-document": (b"1,", {"*": Refused("trailing 1 $"), "+trailing_commas": Refused("trailing 1 $")}),
    "comma-last-and-comment": (b"[1, // x\n]", {"relaxed": ONE, "+comments+trailing_commas": ONE, "ruby_read": Refused("syntax 9 $[1]"), "+trailing_commas": Refused("syntax 4 $[1]")}),
    # A byte order mark.
    "mark": (b"\xef\xbb\xbf[1]", granted(("relaxed", "+byte_order_mark"), ONE, Refused("syntax 0 $"))),
    "mark-and-spaces": (b"\xef\xbb\xbf \n[1]", granted(("relaxed", "+byte_order_mark"), ONE, Refused("syntax 0 $"))),
    "mark-behind-spaces": (b" \xef\xbb\xbf[1]", {"*": Refused("syntax 1 $"), "+byte_order_mark": Refused("syntax 1 $")}),
    "mark-twice": (b"\xef\xbb\xbf\xef\xbb\xbf1", granted(("relaxed", "+byte_order_mark"), Refused("syntax 3 $"), Refused("syntax 0 $"))),
    "mark-alone": (b"\xef\xbb\xbf", granted(("relaxed", "+byte_order_mark"), Refused("truncated 3 $"), Refused("syntax 0 $"))),
    "mark-in-a-string": (b'["\xef\xbb\xbf"]', {"*": one('str "\\u{feff}"')}),
    # Control characters.
    "control": (b'["a\tb\x00\x1f\n"]', granted(("+control_characters",), one('str "a\\u{9}b\\u{0}\\u{1f}\\u{a}"'), Refused("syntax 3 $[0]"))),
    "control-in-a-key": (b'{"a\n":1}', granted(("+control_characters",), 'map\nkey "a\\u{a}"\ni64 1\nend', Refused("syntax 3 $"))),
    "control-outside": (b"[\x01]", {"*": Refused("syntax 1 $[0]"), "+control_characters": Refused("syntax 1 $[0]")}),
    # Numbers.
    "decimals": (
        b"[1.10,2e0,-0.0,5,1E400]",
        {
            "*": "array\n" + f64(1.1, "1.1") + "\n" + f64(2, "2") + "\n" + f64(-0.0, "-0") + "\ni64 5\nbig 1E400\nend",
            "exact_decimals": "array\nbig 1.10\nbig 2e0\nbig -0.0\ni64 5\nbig 1E400\nend",
            "+decimal_digits": "array\nbig 1.10\nbig 2e0\nbig -0.0\ni64 5\nbig 1E400\nend",
            "doubles": Refused("range 17 $[4]"),
            "+decimal_digits+overflows=refuse": "array\nbig 1.10\nbig 2e0\nbig -0.0\ni64 5\nbig 1E400\nend",
        },
    ),
    "zero-negative": (
        b"[-0]",
        granted(("python_read", *RUBY, "+integer_zero"), one("i64 0"), one(f64(-0.0, "-0"))),
    ),
    "zero-negative-fraction": (b"[-0.0,-0e1]", {"*": f"array\n{f64(-0.0, '-0')}\n{f64(-0.0, '-0')}\nend", "exact_decimals": "array\nbig -0.0\nbig -0e1\nend"}),
    "overflow": (b'{"a":[-1.5e999]}', granted(("doubles", "+overflows=refuse"), Refused("range 6 $.a[0]"), 'map\nkey "a"\narray\nbig -1.5e999\nend\nend')),
    "overflow-none": (b"[1.7976931348623158e308]", {"*": one(f64(1.7976931348623157e308, "1.7976931348623157e+308")), "exact_decimals": one("big 1.7976931348623158e308")}),
    "overflow-least": (b"[1.7976931348623159e308]", granted(("doubles", "+overflows=refuse"), Refused("range 1 $[0]"), one("big 1.7976931348623159e308"))),
    "integer-beyond": (b"[18446744073709551616]", {"*": one("big 18446744073709551616"), "+overflows=refuse": one("big 18446744073709551616")}),
    # Escapes.
    "escape-unknown": (rb'["\q\x41\-"]', granted(("old_ruby_read", "+unknown_escapes"), one('str "qx41-"'), Refused("syntax 2 $[0]"))),
    "escape-unknown-utf-8": ('["\\é"]'.encode(), granted(("old_ruby_read", "+unknown_escapes"), one('str "\\u{e9}"'), Refused("syntax 2 $[0]"))),
    "escape-unknown-in-a-key": (rb'{"\a":1}', granted(("old_ruby_read", "+unknown_escapes"), MAP, Refused("syntax 2 $"))),
    "escape-of-a-line-feed": (b'["\\\n"]', granted(("+unknown_escapes+control_characters",), one('str "\\u{a}"'), Refused("syntax 2 $[0]")) | {"+unknown_escapes": Refused("syntax 2 $[0]")}),
    "escape-without-hex": (rb'["\u12g4"]', {"*": Refused("syntax 2 $[0]"), "+unknown_escapes": Refused("syntax 2 $[0]")}),
    "escape-upper-u": (rb'["\U0041"]', granted(("old_ruby_read", "+unknown_escapes"), one('str "U0041"'), Refused("syntax 2 $[0]"))),
    # Bytes that are no UTF-8.
    "bytes-in-a-string": (b'["a\xff\xc0\xafb"]', granted((*RUBY, "+any_bytes"), one(r'str "a\xff\xc0\xafb"'), Refused("encoding 3 $[0]"))),
    "bytes-in-a-key": (b'{"\xe2\x82":1}', granted((*RUBY, "+any_bytes"), 'map\nkey "\\xe2\\x82"\ni64 1\nend', Refused("encoding 2 $"))),
    "bytes-surrogate": (b'["\xed\xa0\x80"]', granted((*RUBY, "+any_bytes"), one(r'str "\xed\xa0\x80"'), Refused("encoding 2 $[0]"))),
    "bytes-outside": (b"[\xff]", {"*": Refused("encoding 1 $[0]"), "+any_bytes": Refused("encoding 1 $[0]")}),
    # Half surrogate pairs.
    "half-first": (
        rb'["\ud800"]',
        granted(("python_read", "+surrogates=keep"), one(r'str "\xed\xa0\x80"'), Refused("encoding 2 $[0]"))
        | {"+surrogates=replace": one(r'str "\u{fffd}"'), "old_ruby_read": Refused("encoding 2 $[0]"), "+surrogates=greedy": Refused("encoding 2 $[0]"), "+surrogates=low": Refused("encoding 2 $[0]")},
    ),
    "half-second": (
        rb'["a\udc00b"]',
        granted(("python_read", "+surrogates=keep", *RUBY, "+surrogates=low", "+surrogates=greedy"), one(r'str "a\xed\xb0\x80b"'), Refused("encoding 3 $[0]"))
        | {"+surrogates=replace": one(r'str "a\u{fffd}b"')},
    ),
    "half-first-and-letter": (
        rb'["\ud800\u0041"]',
        granted(("python_read", "+surrogates=keep"), one(r'str "\xed\xa0\x80A"'), Refused("encoding 2 $[0]"))
        | dict.fromkeys(("old_ruby_read", "+surrogates=greedy"), one(r'str "\u{10041}"')) | {"+surrogates=replace": one(r'str "\u{fffd}A"'), "+surrogates=low": Refused("encoding 2 $[0]")},
    ),
    "half-first-and-six-letters": (
        rb'["\ud800abcdef"]',
        granted(("python_read", "+surrogates=keep"), one(r'str "\xed\xa0\x80abcdef"'), Refused("encoding 2 $[0]"))
        | dict.fromkeys(("old_ruby_read", "+surrogates=greedy"), one('str "?bcdef"')) | {"+surrogates=replace": one(r'str "\u{fffd}abcdef"')},
    ),
    "half-first-and-five-letters": (rb'["\ud800abcde"]', {"rfc8259": Refused("encoding 2 $[0]"), "old_ruby_read": Refused("encoding 2 $[0]"), "+surrogates=greedy": Refused("encoding 2 $[0]")}),
    "half-swapped": (
        rb'["\udc00\ud800"]',
        granted(("python_read", "+surrogates=keep"), one(r'str "\xed\xb0\x80\xed\xa0\x80"'), Refused("encoding 2 $[0]"))
        | {"+surrogates=replace": one(r'str "\u{fffd}\u{fffd}"'), "ruby_read": Refused("encoding 8 $[0]"), "+surrogates=low": Refused("encoding 8 $[0]"), "old_ruby_read": Refused("encoding 8 $[0]")},
    ),
    "half-in-a-key": (
        rb'{"\ud800":1}',
        granted(("python_read", "+surrogates=keep"), 'map\nkey "\\xed\\xa0\\x80"\ni64 1\nend', Refused("encoding 2 $")) | {"+surrogates=replace": 'map\nkey "\\u{fffd}"\ni64 1\nend'},
    ),
    "half-none": (rb'["\ud83d\ude00"]', {"*": one(r'str "\u{1f600}"'), "+surrogates=replace": one(r'str "\u{1f600}"'), "+surrogates=keep": one(r'str "\u{1f600}"')}),
    # A key twice.
    "key-twice": (
        b'{"a":1,"b":2,"a":3}',
        granted(("unique_keys", "+duplicates=error"), Refused("duplicate 13 $"), 'map\nkey "a"\ni64 1\nkey "b"\ni64 2\nkey "a"\ni64 3\nend')
        | {"+duplicates=last": 'map\nkey "b"\ni64 2\nkey "a"\ni64 3\nend'},
    ),
    "key-twice-escaped": (
        rb'{"a":1,"\u0061":2}',
        granted(("unique_keys", "+duplicates=error"), Refused("duplicate 7 $"), 'map\nkey "a"\ni64 1\nkey "a"\ni64 2\nend') | {"+duplicates=last": 'map\nkey "a"\ni64 2\nend'},
    ),
    "key-twice-nested": (
        b'{"x":[{"a":{"b":1},"a":2}]}',
        granted(("unique_keys", "+duplicates=error"), Refused("duplicate 19 $.x[0]"), 'map\nkey "x"\narray\nmap\nkey "a"\nmap\nkey "b"\ni64 1\nend\nkey "a"\ni64 2\nend\nend\nend')
        | {"+duplicates=last": 'map\nkey "x"\narray\nmap\nkey "a"\ni64 2\nend\nend\nend'},
    ),
    "key-twice-empty": (b'{"":1,"":2}', granted(("unique_keys", "+duplicates=error"), Refused("duplicate 6 $"), 'map\nkey ""\ni64 1\nkey ""\ni64 2\nend')),
    "key-thrice": (b'{"a":1,"a":2,"a":3}', {"unique_keys": Refused("duplicate 7 $"), "+duplicates=last": 'map\nkey "a"\ni64 3\nend'}),
    "key-in-two-maps": (b'{"a":{"a":1},"b":{"a":1}}', {"*": 'map\nkey "a"\nmap\nkey "a"\ni64 1\nend\nkey "b"\nmap\nkey "a"\ni64 1\nend\nend'}),
    "key-of-another-case": (b'{"a":1,"A":1}', {"*": 'map\nkey "a"\ni64 1\nkey "A"\ni64 1\nend'}),
    "key-twice-and-a-fault": (b'{"a":1,"a":2,x}', {"*": Refused("syntax 13 $"), "unique_keys": Refused("duplicate 7 $")}),
    # Depth: 1024 levels.
    "deep": (b"[" * 1024 + b"]" * 1024, {"*": "array\n" * 1024 + "\n".join(["end"] * 1024)}),
    "deep-and-an-empty-one": (
        b"[" * 1025 + b"]" * 1025,
        granted(("ruby_read", "+flat_empty"), "array\n" * 1025 + "\n".join(["end"] * 1025), Refused("depth 1024 " + SHORTENED)),
    ),
    "deep-and-an-empty-map": (
        b"[" * 1024 + b"{ }" + b"]" * 1024,
        granted(("ruby_read", "+flat_empty"), "array\n" * 1024 + "map\n" + "\n".join(["end"] * 1025), Refused("depth 1024 " + SHORTENED)),
    ),
    "deep-and-a-full-one": (b"[" * 1025 + b"1" + b"]" * 1025, {"*": Refused("depth 1024 " + SHORTENED), "+flat_empty": Refused("depth 1024 " + SHORTENED)}),
}

MSGPACK_NAMES = ("standard", "ruby_read", "raw")
MSGPACK: dict[str, Row] = {
    "plain": (b"\x81\xa1a\x93\x01\xc4\x01\xff\xa2\xc3\xa9", {"*": 'map\nkey "a"\narray\ni64 1\nbin 0xff\nstr "\\u{e9}"\nend\nend'}),
    "text-not-utf-8": (b"\x91\xa3a\xffb", {"standard": Refused("encoding 3 $[0]"), "ruby_read": one(r'str "a\xffb"'), "raw": one("bin 0x61ff62")}),
    "text-surrogate": (b"\xa3\xed\xa0\x80", {"standard": Refused("encoding 1 $"), "ruby_read": r'str "\xed\xa0\x80"', "raw": "bin 0xeda080"}),
    "text-not-utf-8-as-key": (b"\x81\xa1\xff\x01", {"standard": Refused("encoding 2 $"), "ruby_read": 'map\nkey "\\xff"\ni64 1\nend', "raw": "map\nkey\nbin 0xff\ni64 1\nend"}),
    "text-cut": (b"\xa2\xe2\x82", {"standard": Refused("encoding 1 $"), "ruby_read": r'str "\xe2\x82"', "raw": "bin 0xe282"}),
    "never-used": (b"\xc1", {"*": Refused("syntax 0 $")}),
}

MARK = b"\xc1\xfe\x54"
TAGGED_NAMES = ("standard", "safe_read", "study_read")
TAGGED: dict[str, Row] = {
    "safe": (MARK + b"\xc4\x01\xc6", {"standard": ONE, "safe_read": ONE, "study_read": Refused("syntax 0 $")}),
    "study": (b"\x01\x00\x00\x00\x02", {"standard": "i64 1", "study_read": "i64 1", "safe_read": Refused("syntax 0 $")}),
    "empty": (b"", {"*": Refused("truncated 0 $")}),
}

PLAIN_CBOR = "array\ni64 24\nstr \"a\"\nend"
CBOR_NAMES = ("standard_read", "exact_read", "plain_read", "unique_keys", "last_key", "preferred_read", "deterministic_read", "raw_read", "any_text_read")
CBOR: dict[str, Row] = {
    "plain": (b"\x82\x18\x18\x61a", {"*": PLAIN_CBOR}),
    # What is taken, and arrives in more ways than one.
    "undefined": (b"\x81\xf7", {"*": one("null"), "exact_read": one("ext 24 0xf7")}),
    "simple": (b"\x81\xe0", {"*": one("ext 24 0xe0")}),
    "tag-unknown": (b"\x81\xd9\x03\xe8\x01", {"*": one("ext 24 0xd903e801"), "plain_read": one("i64 1")}),
    "tag-unknown-of-a-map": (b"\xd9\x03\xe8\xa1\x01\x02", {"*": "ext 24 0xd903e8a10102", "plain_read": "map\nkey\ni64 1\ni64 2\nend"}),
    "embedded": (b"\x81\xd8\x18\x43\x82\x01\x02", {"*": one("ext 24 0xd81843820102"), "plain_read": one(TWO)}),
    "tag-of-itself": (b"\xd9\xd9\xf7\x81\x01", {"*": ONE}),
    # A key twice: equal values, however they are encoded.
    "key-twice": (
        b"\xa3\x61a\x01\x61b\x02\x61a\x03",
        {
            "*": 'map\nkey "a"\ni64 1\nkey "b"\ni64 2\nkey "a"\ni64 3\nend',
            "unique_keys": Refused("duplicate 7 $"),
            "last_key": 'map\nkey "b"\ni64 2\nkey "a"\ni64 3\nend',
            "deterministic_read": Refused("syntax 7 $"),
        },
    ),
    "key-twice-in-order": (
        b"\xa2\x61a\x01\x61a\x02",
        {
            "*": 'map\nkey "a"\ni64 1\nkey "a"\ni64 2\nend',
            "unique_keys": Refused("duplicate 4 $"),
            "last_key": 'map\nkey "a"\ni64 2\nend',
            "deterministic_read": Refused("duplicate 4 $"),
        },
    ),
    "key-twice-in-two-widths": (
        b"\xa2\x01\xf4\x18\x01\xf5",
        {"*": "map\nkey\ni64 1\nboolean false\nkey\ni64 1\nboolean true\nend", "unique_keys": Refused("duplicate 3 $"), "last_key": "map\nkey\ni64 1\nboolean true\nend",
         "preferred_read": Refused("syntax 3 $"), "deterministic_read": Refused("syntax 3 $")},
    ),
    "key-twice-in-chunks": (
        b"\xa2\x62ab\x01\x7f\x61a\x61b\xff\x02",
        {"standard_read": 'map\nkey "ab"\ni64 1\nkey "ab"\ni64 2\nend', "unique_keys": Refused("duplicate 5 $"), "last_key": 'map\nkey "ab"\ni64 2\nend', "deterministic_read": Refused("syntax 5 $")},
    ),
    "key-text-and-bytes": (b"\xa2\x61a\x01\x41a\x02", {"standard_read": 'map\nkey "a"\ni64 1\nkey\nbin 0x61\ni64 2\nend', "unique_keys": 'map\nkey "a"\ni64 1\nkey\nbin 0x61\ni64 2\nend'}),
    # Encodings that are longer than need be: RFC 8949 4.1.
    "integer-in-two-bytes": (b"\x81\x18\x17", {"*": one("i64 23"), "preferred_read": Refused("syntax 1 $[0]"), "deterministic_read": Refused("syntax 1 $[0]")}),
    "length-in-two-bytes": (b"\x81\x78\x01a", {"*": one('str "a"'), "preferred_read": Refused("syntax 1 $[0]"), "deterministic_read": Refused("syntax 1 $[0]")}),
    "count-in-two-bytes": (b"\x98\x01\x01", {"*": ONE, "preferred_read": Refused("syntax 0 $"), "deterministic_read": Refused("syntax 0 $")}),
    "double-of-a-half": (b"\xfb" + struct.pack(">d", 1.5), {"*": f64(1.5, "1.5"), "preferred_read": Refused("syntax 0 $"), "deterministic_read": Refused("syntax 0 $")}),
    "single-of-a-half": (b"\xfa" + struct.pack(">f", 1.5), {"*": f64(1.5, "1.5"), "preferred_read": Refused("syntax 0 $"), "deterministic_read": Refused("syntax 0 $")}),
    "double-of-itself": (b"\xfb" + struct.pack(">d", 0.1), {"*": f64(0.1, "0.1")}),
    "bignum-that-fits": (b"\xc2\x41\x01", {"*": "i64 1", "preferred_read": Refused("syntax 0 $"), "deterministic_read": Refused("syntax 0 $")}),
    "bignum-with-a-zero": (b"\xc2\x4a\x00\x01" + bytes(8), {"*": "big 18446744073709551616", "preferred_read": Refused("syntax 0 $"), "deterministic_read": Refused("syntax 0 $")}),
    "bignum": (b"\xc2\x49\x01" + bytes(8), {"*": "big 18446744073709551616"}),
    # Indefinite lengths and the order of keys: 4.2.1.
    "array-indefinite": (b"\x9f\x01\xff", {"*": ONE, "deterministic_read": Refused("syntax 0 $")}),
    "text-indefinite": (b"\x7f\x61a\xff", {"*": 'str "a"', "deterministic_read": Refused("syntax 0 $")}),
    "keys-in-order": (b"\xa3\x01\xf6\x20\xf6\x61a\xf6", {"*": 'map\nkey\ni64 1\nnull\nkey\ni64 -1\nnull\nkey "a"\nnull\nend'}),
    "keys-out-of-order": (b"\xa2\x61b\x01\x61a\x02", {"*": 'map\nkey "b"\ni64 1\nkey "a"\ni64 2\nend', "deterministic_read": Refused("syntax 4 $")}),
    "keys-shorter-first": (b"\xa2\x61b\x01\x62aa\x02", {"*": 'map\nkey "b"\ni64 1\nkey "aa"\ni64 2\nend'}),
    "keys-by-first-byte": (b"\xa2\x19\x01\x00\x01\x20\x02", {"*": "map\nkey\ni64 256\ni64 1\nkey\ni64 -1\ni64 2\nend"}),
    # Text that is not UTF-8.
    "text-not-utf-8": (b"\x81\x63a\xffb", {"*": Refused("encoding 3 $[0]"), "raw_read": one("bin 0x61ff62"), "any_text_read": one(r'str "a\xffb"')}),
    "text-not-utf-8-as-key": (b"\xa1\x61\xff\x01", {"*": Refused("encoding 2 $"), "raw_read": "map\nkey\nbin 0xff\ni64 1\nend", "any_text_read": 'map\nkey "\\xff"\ni64 1\nend'}),
    "time-tag-around-text": (b"\xc1\x61a", {"*": Refused("syntax 1 $")}),
}

FORMATS = {"json": (JSON_NAMES, JSON), "msgpack": (MSGPACK_NAMES, MSGPACK), "tagged": (TAGGED_NAMES, TAGGED), "cbor": (CBOR_NAMES, CBOR)}


def main() -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    for format, (names, table) in FORMATS.items():
        folder = HERE / format
        folder.mkdir(parents=True)
        for name, (document, by_dialect) in table.items():
            (folder / f"{name}.in").write_bytes(document)
            expectations = dict.fromkeys(names, by_dialect["*"]) if "*" in by_dialect else {}
            expectations |= {dialect: expected for dialect, expected in by_dialect.items() if dialect != "*"}
            for dialect, expected in expectations.items():
                ending = "error" if isinstance(expected, Refused) else "trace"
                (folder / f"{name}.{dialect}.{ending}").write_text(expected + "\n", "ascii")


if __name__ == "__main__":
    main()
