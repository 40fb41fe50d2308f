"""The encode vectors of JSON's dialects: what each of them writes for the models of model.py, which takes them from here.

The texts of doubles are worked out from Python's repr, which has the shortest digits, by each layout's own rule; all else is
written by hand from docs/formats.md and from what the libraries write that a dialect stands for.
"""

from __future__ import annotations

import struct

from expectation import Refused

PYTHON = ("compact", "pretty", "script_safe", "html_safe", "ascii_only", "escape_slash", "python_default", "python_compact", "lenient")
DIALECTS = (*PYTHON, "javascript", "orjson", "ruby_generate", "ruby_pretty")
WITH_NULL, WITH_WORDS = ("javascript", "orjson", "lenient"), ("python_default", "python_compact")
UNSUPPORTED = Refused("unsupported")

# model -> (trace, what each dialect writes)
Table = "dict[str, tuple[str, dict[str, bytes | Refused]]]"


# ---------------------------------------------------------------------------------------------------------------- doubles
def parts(x: float) -> tuple[str, str, int]:
    """Sign, shortest digits, and where the point stands: 0.DIGITS * 10 ** point."""
    mantissa, _, exponent = repr(abs(x)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction.rstrip("0")).lstrip("0")
    point = len(whole) + int(exponent or 0) if whole != "0" else len(fraction.lstrip("0")) - len(fraction) + int(exponent or 0)
    return "-" if struct.pack(">d", x)[0] & 0x80 else "", digits.rstrip("0") or "0", point


def plain(digits: str, point: int, whole: str) -> str:
    """Without an exponent; `whole` is what stands behind a number without a fraction."""
    if point <= 0:
        return "0." + "0" * -point + digits
    return digits + "0" * (point - len(digits)) + whole if len(digits) <= point else digits[:point] + "." + digits[point:]


def scientific(digits: str, point: int, width: int, one: str) -> str:
    """With an exponent of at least `width` digits; `one` stands behind a single digit."""
    return f"{digits[0]}{'.' + digits[1:] if len(digits) > 1 else one}e{'-' if point <= 0 else '+'}{abs(point - 1):0{width}}"


def ecmascript(x: float) -> str:
    sign, digits, point = parts(x)
    if x == 0:
        return "0"
    return sign + (plain(digits, point, "") if -6 < point <= 21 else scientific(digits, point, 1, ""))


def ruby(x: float) -> str:
    sign, digits, point = parts(x)
    if x == 0:
        return sign + "0.0"
    # Zeros are filled in up to 15 digits before the point; digits of its own may be one more.
    return sign + (plain(digits, point, ".0") if -4 < point <= 15 or (point == 16 and len(digits) > 16) else scientific(digits, point, 2, ".0"))


def orjson(x: float) -> str:
    sign, digits, point = parts(x)
    if x == 0:
        return sign + "0.0"
    return sign + (plain(digits, point, ".0") if -5 < point <= 16 else scientific(digits, point, 1, ""))


def perl_shortest(x: float) -> str:
    sign, digits, point = parts(x)
    if x == 0:
        return sign + "0"
    return sign + (plain(digits, point, "") if -4 < point <= 17 else scientific(digits, point, 2, ""))


def cpanel15(x: float) -> str:
    text = "%.15g" % x
    return text + ".0" if x == int(x) and "e" not in text and "." not in text else text


def finite(x: float) -> dict[str, "bytes | Refused"]:
    texts = dict.fromkeys(PYTHON, repr(x)) | {
        "javascript": ecmascript(x), "orjson": orjson(x), "ruby_generate": ruby(x), "ruby_pretty": ruby(x),
        "+floats=perl15": "%.15g" % x, "+floats=g17": "%.17g" % x, "+floats=cpanel15": cpanel15(x), "+floats=perl_shortest": perl_shortest(x),
    }
    return {dialect: text.encode() for dialect, text in texts.items()}


def no_number(word: bytes) -> dict[str, "bytes | Refused"]:
    return dict.fromkeys(DIALECTS, UNSUPPORTED) | dict.fromkeys(WITH_NULL, b"null") | dict.fromkeys(WITH_WORDS, word) | {"+non_finite=text": b'"' + word + b'"'}


# The names are those of model.py where it has the model already.
DOUBLES: dict[str, float] = {
    "f64-whole": 1.0, "f64-half": 0.5, "f64-tenth": 0.1, "f64-large": 1e21, "f64-large-plain": 1e20, "f64-small": 1e-7, "f64-minus-zero": -0.0,
    "f64-zero": 0.0, "f64-largest": 1.7976931348623157e308, "f64-smallest": 5e-324, "f64-float-32-would-do": 2.0**-130,
    "f64-hundred": 100.0, "f64-negative": -2.5, "f64-three-tenths": 0.1 + 0.2, "f64-just-below-three": 2.9999999999999996, "f64-third": 1 / 3,
    "f64-1e8": 1e8, "f64-1e14": 1e14, "f64-1e15": 1e15, "f64-1e16": 1e16, "f64-1e17": 1e17, "f64-1e22": 1e22,
    "f64-16-digits-whole": 1234567890123456.0, "f64-17-digits": 1234567890123456.8, "f64-2-to-53": 9007199254740992.0, "f64-17-digits-large": 1.2345678901234568e17,
    "f64-1e-4": 1e-4, "f64-15e-4": 1.5e-4, "f64-1e-5": 1e-5, "f64-15e-5": 1.5e-5, "f64-1e-6": 1e-6, "f64-15e-6": 1.5e-6, "f64-15e-7": 1.5e-7, "f64-1e-10": 1e-10,
    "f64-negative-small": -1.25e-9, "f64-negative-large": -1.25e25,
}
# The layouts of Ruby's json that use Grisu2, and mruby's: what those libraries were seen to write.
SEEN: dict[str, tuple[float, dict[str, bytes]]] = {
    "f64-whole": (1.0, {"json_2_11": b"1.0", "json_2_12": b"1.0", "json_2_15": b"1.0", "mruby": b"1.0"}),
    "f64-minus-zero": (-0.0, {"json_2_11": b"-0.0", "json_2_12": b"-0.0", "json_2_15": b"-0.0"}),
    "f64-1e8": (1e8, {"json_2_11": b"1e+8", "json_2_12": b"1e+8", "json_2_15": b"100000000.0"}),
    "f64-1e15": (1e15, {"json_2_15": b"1e+15"}),
    "f64-1e-4": (1e-4, {"json_2_11": b"0.0001", "json_2_12": b"0.0001"}),
    "f64-six-digits-small": (0.000123456, {"json_2_11": b"1.23456e-4", "json_2_12": b"0.000123456"}),
    "f64-1e-10": (1e-10, {"json_2_12": b"1e-10", "json_2_15": b"1e-10"}),
    "f64-grisu-is-longer": (0.02133, {"json_2_11": b"0.021329999999999998", "json_2_12": b"0.021329999999999998", "json_2_15": b"0.021329999999999998"}),
    "f64-tenth-cut-to-62-bits": (struct.unpack(">d", bytes.fromhex("3fb9999999999998"))[0], {"mruby": b"0.1"}),
}

# ---------------------------------------------------------------------------------------------------------------- text
REQUIRED = {"\x00": "\\u0000", "\x08": "\\b", "\t": "\\t", "\n": "\\n", "\x0b": "\\u000b", "\x0c": "\\f", "\r": "\\r", "\x1f": "\\u001f", '"': '\\"', "\\": "\\\\"}
SEPARATORS = {"\u2028": "\\u2028", "\u2029": "\\u2029"}
MORE = {
    "script_safe": SEPARATORS | {"/": "\\/"},
    "html_safe": SEPARATORS | {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"},
    "escape_slash": {"/": "\\/"},
}
ASCII = {"\x80": "\\u0080", "é": "\\u00e9", "\u2028": "\\u2028", "\u2029": "\\u2029", "€": "\\u20ac", "\uffff": "\\uffff", "😀": "\\ud83d\\ude00", "\U0010ffff": "\\udbff\\udfff"}
MORE |= {"ascii_only": ASCII, "python_default": ASCII | {"\x7f": "\\u007f"}}

TEXTS = {
    "str-every-escape": '\x00\x08\t\n\x0b\x0c\r\x1f"\\',
    "str-every-other": " !#/<=>&'[]~\x7f\x80é\u2028\u2029€\uffff😀\U0010ffff",
    "str-escape-behind-64-bytes": "x" * 64 + "/\u2028<é\n" + "y" * 64 + '"',
    "str-line-break-at-15": "a" * 15 + "\n",
    "str-line-break-at-16": "a" * 16 + "\n",
}


def spelled(text: str, dialect: str) -> bytes:
    table = REQUIRED | MORE.get(dialect, {})
    return ('"' + "".join(table.get(c, c) for c in text) + '"').encode()


def in_trace(text: str) -> str:
    return '"' + "".join("\\" + c if c in '"\\' else c if " " <= c <= "~" else f"\\u{{{ord(c):x}}}" for c in text) + '"'


# ---------------------------------------------------------------------------------------------------------------- all
def alike(expected: "bytes | Refused", **other: "bytes | Refused") -> dict[str, "bytes | Refused"]:
    return dict.fromkeys(DIALECTS, expected) | other


def fields(expected: "bytes | Refused", other: "dict[str, bytes | Refused]", **named: "bytes | Refused") -> dict[str, "bytes | Refused"]:
    return alike(expected, **named) | other


NOW = "1482625280"
TABLE: Table = {
    "null": ("null", alike(b"null")),
    "true": ("boolean true", alike(b"true")),
    "i64-minus-9223372036854775808": ("i64 -9223372036854775808", alike(b"-9223372036854775808")),
    "u64-last": ("u64 18446744073709551615", alike(b"18446744073709551615")),
    "f64-nan": ("f64 0x7ff8000000000000 nan", no_number(b"NaN")),
    "f64-infinity": ("f64 0x7ff0000000000000 inf", no_number(b"Infinity")),
    "f64-minus-infinity": ("f64 0xfff0000000000000 -inf", no_number(b"-Infinity")),
    "big-integer": ("big 123456789012345678901234567890", fields(b"123456789012345678901234567890", {"+big=text": b'"123456789012345678901234567890"'})),
    "big-decimal": ("big 1.10", fields(b"1.10", {"+big=text": b'"1.10"'})),
    "big-exponent": ("big 1e400", fields(b"1e400", {"+big=text": b'"1e400"'})),
    "str-empty": ('str ""', alike(b'""')),
    # Bytes, extensions.
    "bin": ("bin 0x00ff10", fields(b'"AP8Q"', {"+binary=base64url": b'"AP8Q"', "+binary=refuse": UNSUPPORTED}, orjson=UNSUPPORTED)),
    "bin-empty": ("bin 0x", fields(b'""', {"+binary=base64url": b'""'}, orjson=UNSUPPORTED)),
    "bin-padding": ("bin 0xfb", fields(b'"+w=="', {"+binary=base64url": b'"-w"'}, orjson=UNSUPPORTED)),
    "bin-of-slashes": ("bin 0xffffff", fields(b'"////"', {"+binary=base64url": b'"____"'}, script_safe=b'"\\/\\/\\/\\/"', escape_slash=b'"\\/\\/\\/\\/"', orjson=UNSUPPORTED)),
    "ext-1": ("ext 5 0x0a", fields(UNSUPPORTED, {"+extension=data": b'"Cg=="', "+extension=object": b'{"type":5,"data":"Cg=="}', "+extension=object+binary=base64url": b'{"type":5,"data":"Cg"}'},
                                   lenient=b'{"type":5,"data":"Cg=="}')),
    "ext-type-128": ("ext 128 0x00", fields(UNSUPPORTED, {}, lenient=b'{"type":128,"data":"AA=="}')),
    # Moments. 1482625280 is 2016-12-25T00:21:20Z.
    "time-utc": (f"time utc {NOW} 0 0", fields(b'"2016-12-25T00:21:20Z"', {
        "+time=refuse": UNSUPPORTED, "+time=epoch": b"1482625280", "+time_layout=rfc3339_milli": b'"2016-12-25T00:21:20.000Z"', "+time_layout=space": b'"2016-12-25 00:21:20Z"',
        "+time_layout=python": b'"2016-12-25T00:21:20+00:00"', "+time_layout=rails": b'"2016/12/25 00:21:20 +0000"'})),
    "time-utc-nanoseconds": (f"time utc {NOW} 500000000 0", fields(b'"2016-12-25T00:21:20.5Z"', {
        "+time=epoch": b"1482625280.5", "+time_layout=rfc3339_milli": b'"2016-12-25T00:21:20.500Z"', "+time_layout=python": b'"2016-12-25T00:21:20.500000+00:00"',
        "+time_layout=rails": b'"2016/12/25 00:21:20 +0000"'})),
    "time-utc-before-1970": ("time utc -1 999999999 0", fields(b'"1969-12-31T23:59:59.999999999Z"', {
        "+time=epoch": b"-0.000000001", "+time_layout=rfc3339_milli": b'"1969-12-31T23:59:59.999Z"', "+time_layout=python": b'"1969-12-31T23:59:59.999999+00:00"'})),
    "time-utc-first": ("time utc -62167219200 0 0", fields(b'"0000-01-01T00:00:00Z"', {"+time=epoch": b"-62167219200"})),
    "time-utc-last": ("time utc 253402300799 999999999 0", fields(b'"9999-12-31T23:59:59.999999999Z"', {"+time=epoch": b"253402300799.999999999"})),
    "time-utc-before-the-first": ("time utc -62167219201 0 0", fields(Refused("range"), {"+time=epoch": b"-62167219201"})),
    "time-utc-behind-the-last": ("time utc 253402300800 0 0", fields(Refused("range"), {"+time=epoch": b"253402300800"})),
    "time-offset": (f"time offset {NOW} 0 32400", fields(b'"2016-12-25T09:21:20+09:00"', {
        "+time=epoch": b"1482625280", "+time_layout=rails": b'"2016/12/25 09:21:20 +0900"', "+time_layout=python": b'"2016-12-25T09:21:20+09:00"'})),
    "time-offset-zero": (f"time offset {NOW} 0 0", alike(b'"2016-12-25T00:21:20+00:00"')),
    "time-offset-seconds": ("time offset -33539 0 33539", fields(b'"1970-01-01T00:00:01+09:19"', {
        "+time_layout=python": b'"1970-01-01T00:00:00+09:18:59"', "+time_layout=rails": b'"1970/01/01 00:00:00 +0918"'})),
    "time-local": (f"time local {NOW} 0 -12600", fields(b'"2016-12-24T20:51:20-03:30"', {"+time_layout=rails": b'"2016/12/24 20:51:20 -0330"'})),
    "time-date": ("time date 1482624000 0 0", fields(b'"2016-12-25"', {"+time=refuse": UNSUPPORTED, "+time_layout=rails": b'"2016/12/25"'})),
    "time-date-before-1970": ("time date -86400 0 0", alike(b'"1969-12-31"')),
    "time-naive": (f"time naive {NOW} 602955000 0", fields(b'"2016-12-25T00:21:20.602955"', {"+time_layout=python": b'"2016-12-25T00:21:20.602955"', "+time_layout=space": b'"2016-12-25 00:21:20.602955"'})),
    # Containers and white space.
    "array-empty": ("array\nend", alike(b"[]")),
    "map-empty": ("map\nend", alike(b"{}")),
    "empty-ones-inside": ('map\nkey "a"\narray\nmap\nend\narray\nend\nend\nkey ""\nmap\nend\nend', alike(
        b'{"a":[{},[]],"":{}}', python_default=b'{"a": [{}, []], "": {}}') | dict.fromkeys(("pretty", "ruby_pretty"), b'{\n  "a": [\n    {},\n    []\n  ],\n  "": {}\n}')),
    "nested": ('map\nkey "a"\narray\ni64 1\nmap\nkey "b"\nnull\nend\narray\nend\nend\nkey "c"\nboolean true\nend', alike(
        b'{"a":[1,{"b":null},[]],"c":true}', python_default=b'{"a": [1, {"b": null}, []], "c": true}')
        | dict.fromkeys(("pretty", "ruby_pretty"), b'{\n  "a": [\n    1,\n    {\n      "b": null\n    },\n    []\n  ],\n  "c": true\n}')),
    "scalar-array": ("array\ni64 1\nstr \"a\"\nnull\nend", alike(b'[1,"a",null]', python_default=b'[1, "a", null]') | dict.fromkeys(("pretty", "ruby_pretty"), b'[\n  1,\n  "a",\n  null\n]')),
}
# What a key that is no text becomes: the text that the value would be, in quotes.
KEYS: dict[str, tuple[str, dict[str, "bytes | Refused"]]] = {
    "key-i64": ("i64 -1", alike(b"-1")),
    "key-u64": ("u64 18446744073709551615", alike(b"18446744073709551615")),
    "key-null": ("null", alike(b"null")),
    "key-boolean": ("boolean true", alike(b"true")),
    "key-f64": ("f64 0x3ff8000000000000 1.5", alike(b"1.5")),
    "key-f64-whole": ("f64 0x3ff0000000000000 1", alike(b"1.0", javascript=b"1")),
    "key-nan": ("f64 0x7ff8000000000000 nan", no_number(b"NaN") | {"+non_finite=text": b"NaN"}),
    "key-big": ("big 1.10", alike(b"1.10")),
    "key-bin": ("bin 0x00ff10", alike(b"AP8Q", orjson=UNSUPPORTED)),
    "key-time": (f"time utc {NOW} 0 0", fields(b"2016-12-25T00:21:20Z", {"+time=epoch": b"1482625280"})),
    "key-ext": ("ext 5 0x0a", alike(UNSUPPORTED)),
    "key-str": ('str "a"', alike(b"a")),
    "key-str-escaped": ('str "\\u{a}\\u{e9}"', alike(b"\\n\xc3\xa9", ascii_only=b"\\n\\u00e9", python_default=b"\\n\\u00e9")),
    "key-array": ("array\nend", alike(UNSUPPORTED)),
    "key-map": ("map\nend", alike(UNSUPPORTED)),
}
# Text that is not valid in its own encoding.
BROKEN: Table = {
    "str-broken": ('str "a\\xffb"', fields(Refused("encoding"), {"+invalid=replace": b'"a\xef\xbf\xbdb"', "+invalid=keep": b'"a\xffb"'}, lenient=b'"a\xef\xbf\xbdb"')),
    "str-surrogate": ('str "\\xed\\xa0\\x80"', alike(Refused("encoding"))),
    "str-cut": ('str "\\xe2\\x82"', fields(Refused("encoding"), {"+invalid=keep": b'"\xe2\x82"'})),
    "key-broken": ('map\nkey "\\xff"\nnull\nend', fields(Refused("encoding"), {"+invalid=keep": b'{"\xff":null}'}, lenient=b'{"\xef\xbf\xbd":null}')),
}
for broken in ("str-surrogate", "str-cut"):
    del BROKEN[broken][1]["lenient"]  # how many U+FFFD a broken sequence becomes is the implementation's

for name, x in DOUBLES.items():
    TABLE[name] = (f"f64 0x{struct.pack('>d', x).hex()} {ecmascript(x) if x or repr(x) == '0.0' else '-0'}", finite(x))
for name, (x, layouts) in SEEN.items():
    trace, outputs = TABLE.setdefault(name, (f"f64 0x{struct.pack('>d', x).hex()} {ecmascript(x)}", finite(x)))
    outputs |= {f"+floats={layout}": text for layout, text in layouts.items()}
for name, text in TEXTS.items():
    TABLE[name] = ("str " + in_trace(text), {dialect: spelled(text, dialect) for dialect in DIALECTS})
TABLE["key-every-other"] = (f"map\nkey {in_trace(TEXTS['str-every-other'])}\nnull\nend", {
    dialect: b"{" + spelled(TEXTS["str-every-other"], dialect) + (b": null}" if dialect == "python_default" else b":null}")
    for dialect in DIALECTS if "pretty" not in dialect})
for name, (key, outputs) in KEYS.items():
    TABLE[name] = (f"map\nkey\n{key}\nnull\nend", {
        dialect: text if isinstance(text, Refused)
        else b'{\n  "' + text + b'": null\n}' if "pretty" in dialect
        else b'{"' + text + (b'": null}' if dialect == "python_default" else b'":null}')
        for dialect, text in (outputs | {"+keys=refuse": UNSUPPORTED}).items()})
TABLE |= BROKEN
JSON = {name: (trace, {f"json.{dialect}": expected for dialect, expected in outputs.items()}) for name, (trace, outputs) in TABLE.items()}
