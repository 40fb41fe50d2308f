"""The encode vectors of CBOR, and those of MessagePack and tagged for models that are not in model.py, which takes them from here.

The expectations are written by hand from RFC 8949, MessagePack's specification and docs/formats.md; the helpers below spell a
header, a varint or a double, no more.
"""

from __future__ import annotations

import struct

from expectation import Refused

UNSUPPORTED, RANGE, ENCODING = Refused("unsupported"), Refused("range"), Refused("encoding")
PREFERRED = "cbor.preferred"
ALL_CBOR = tuple(f"cbor.{name}" for name in (
    "preferred", "deterministic", "canonical", "exact", "doubles", "time_text", "moments", "streaming", "big_text", "lenient", "any_text"))
MARK = b"\xc1\xfe\x54"


def head(major: int, n: int) -> bytes:
    if n < 24:
        return bytes([major << 5 | n])
    for code, width in ((24, 1), (25, 2), (26, 4)):
        if n < 1 << 8 * width:
            return bytes([major << 5 | code]) + n.to_bytes(width, "big")
    return bytes([major << 5 | 27]) + n.to_bytes(8, "big")


def integer(n: int) -> bytes:
    return head(0, n) if n >= 0 else head(1, -1 - n)


def text(s: str) -> bytes:
    return head(3, len(s.encode())) + s.encode()


def binary(b: bytes) -> bytes:
    return head(2, len(b)) + b


def double(x: float) -> bytes:
    return b"\xfb" + struct.pack(">d", x)


def typed(kind: int, data: bytes) -> bytes:
    return b"\xda\x6b\x6d\x00" + struct.pack("b", kind) + binary(data)


def varint(n: int) -> bytes:
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def zigzag(n: int) -> bytes:
    return varint(2 * n if n >= 0 else -2 * n - 1)


def same(expected: "bytes | Refused", **other: "bytes | Refused") -> "dict[str, bytes | Refused]":
    """What all of CBOR's dialects write, and those that do not."""
    return dict.fromkeys(ALL_CBOR, expected) | {f"cbor.{dialect}": what for dialect, what in other.items()}


def moment(stamp: bytes, utc_text: str, zoned_text: "str | None" = None, others: "dict[str, bytes | Refused] | None" = None) -> "dict[str, bytes | Refused]":
    """UTC by `stamp`, or as text; with a zone by text, but for the dialect that loses it."""
    if zoned_text is None:
        return same(stamp, time_text=b"\xc0" + text(utc_text)) | (others or {})
    return same(b"\xc0" + text(zoned_text), moments=stamp) | (others or {})


def stamp_96(seconds: int, nanoseconds: int) -> bytes:
    return b"\xc7\x0c\xff" + struct.pack(">Iq", nanoseconds, seconds)


def tagged_time(kind: int, seconds: int, nanoseconds: int, offset: "int | None" = None) -> bytes:
    return MARK + b"\xda" + bytes([kind]) + zigzag(seconds) + varint(nanoseconds) + (zigzag(offset) if offset is not None else b"")


NOW = 1482625280
STAMP = b"\xc1\x1a\x58\x5f\x11\x00"
# model -> outputs; the traces are those of model.py and model_json.py.
KNOWN: "dict[str, dict[str, bytes | Refused]]" = {
    "null": same(b"\xf6"),
    "true": same(b"\xf5"),
    "false": {PREFERRED: b"\xf4"},
    "u64-2-to-63": {PREFERRED: b"\x1b\x80" + bytes(7)},
    "u64-last": same(b"\x1b" + b"\xff" * 8),
    "f64-whole": same(b"\xf9\x3c\x00", doubles=double(1.0)),
    "f64-half": same(b"\xf9\x38\x00", doubles=double(0.5)),
    "f64-tenth": same(double(0.1)),
    "f64-hundred": {PREFERRED: b"\xf9\x56\x40"},
    "f64-negative": {PREFERRED: b"\xf9\xc1\x00"},
    "f64-zero": {PREFERRED: b"\xf9\x00\x00", "cbor.doubles": double(0.0)},
    "f64-minus-zero": same(b"\xf9\x80\x00", doubles=double(-0.0)),
    "f64-float-32-would-do": same(b"\xfa\x00\x08\x00\x00", doubles=double(2.0**-130)),
    "f64-1e8": {PREFERRED: b"\xfa\x4c\xbe\xbc\x20", "cbor.doubles": double(1e8)},
    "f64-2-to-53": {PREFERRED: b"\xfa\x5a\x00\x00\x00"},
    "f64-largest": {PREFERRED: double(1.7976931348623157e308)},
    "f64-smallest": {PREFERRED: double(5e-324)},
    "f64-nan": same(b"\xf9\x7e\x00", doubles=b"\xfb\x7f\xf8" + bytes(6)),
    "f64-infinity": same(b"\xf9\x7c\x00", doubles=b"\xfb\x7f\xf0" + bytes(6)),
    "f64-minus-infinity": same(b"\xf9\xfc\x00", doubles=b"\xfb\xff\xf0" + bytes(6)),
    "big-integer": same(b"\xc2\x4d" + (123456789012345678901234567890).to_bytes(13, "big"), big_text=text("123456789012345678901234567890")),
    "big-decimal": same(b"\xc4\x82\x21\x18\x6e", big_text=text("1.10")),
    "big-exponent": same(b"\xc4\x82\x19\x01\x90\x01", big_text=text("1e400")),
    "str-empty": {PREFERRED: b"\x60"},
    "str-31": {PREFERRED: b"\x78\x1f" + b"a" * 31},
    "str-255": {PREFERRED: b"\x78\xff" + b"a" * 255},
    "str-256": {PREFERRED: b"\x79\x01\x00" + b"a" * 256, "cbor.streaming": b"\x79\x01\x00" + b"a" * 256},
    "str-unicode": same(b"\x69\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
    "str-broken": same(ENCODING, lenient=b"\x43a\xffb", any_text=b"\x63a\xffb"),
    "str-surrogate": same(ENCODING, lenient=b"\x43\xed\xa0\x80", any_text=b"\x63\xed\xa0\x80"),
    "str-cut": same(ENCODING, lenient=b"\x42\xe2\x82", any_text=b"\x62\xe2\x82") | {
        "msgpack.standard": ENCODING, "msgpack.exact": ENCODING, "msgpack.lenient": b"\xc4\x02\xe2\x82", "msgpack.ruby": b"\xa2\xe2\x82", "tagged.safe": ENCODING},
    "bin": same(b"\x43\x00\xff\x10"),
    "bin-empty": {PREFERRED: b"\x40"},
    "bin-255": {PREFERRED: b"\x58\xff" + bytes(255)},
    "bin-256": {PREFERRED: b"\x59\x01\x00" + bytes(256)},
    "bin-of-slashes": {PREFERRED: b"\x43\xff\xff\xff", "msgpack.standard": b"\xc4\x03\xff\xff\xff", "tagged.safe": MARK + b"\xd4\x03\xff\xff\xff"},
    "ext-0": {PREFERRED: typed(5, b"")},
    "ext-1": same(typed(5, b"\x0a")),
    "ext-2": {PREFERRED: typed(-128, b"\x0a\x0b")},
    "ext-3": {PREFERRED: typed(127, b"\x0a\x0b\x0c")},
    "ext-256": {PREFERRED: typed(5, bytes(256))},
    "ext-type-128": same(RANGE),
    "time-utc": moment(STAMP, "2016-12-25T00:21:20Z"),
    "time-utc-nanoseconds": moment(b"\xc1" + double(1482625280.5), "2016-12-25T00:21:20.5Z"),
    "time-utc-34-bits": {PREFERRED: b"\xc1\x1b\x00\x00\x00\x03\xff\xff\xff\xff"},
    "time-utc-35-bits": {PREFERRED: b"\xc1\x1b\x00\x00\x00\x04\x00\x00\x00\x00"},
    "time-utc-before-1970": moment(b"\xc1" + double(-1e-9), "1969-12-31T23:59:59.999999999Z"),
    "time-utc-first": moment(b"\xc1" + integer(-62167219200), "0000-01-01T00:00:00Z", None, {"msgpack.standard": stamp_96(-62167219200, 0), "tagged.safe": tagged_time(0, -62167219200, 0)}),
    "time-utc-last": same(b"\xc0" + text("9999-12-31T23:59:59.999999999Z")) | {
        "msgpack.standard": stamp_96(253402300799, 999999999), "tagged.safe": tagged_time(0, 253402300799, 999999999)},
    "time-utc-before-the-first": {PREFERRED: b"\xc1" + integer(-62167219201), "msgpack.standard": stamp_96(-62167219201, 0), "tagged.safe": tagged_time(0, -62167219201, 0)},
    "time-utc-behind-the-last": {PREFERRED: b"\xc1" + integer(253402300800), "msgpack.standard": stamp_96(253402300800, 0), "tagged.safe": tagged_time(0, 253402300800, 0)},
    "time-offset": moment(STAMP, "", "2016-12-25T09:21:20+09:00"),
    "time-offset-zero": moment(STAMP, "", "2016-12-25T00:21:20+00:00"),
    "time-offset-seconds": moment(b"\xc1" + integer(-33539), "", "1970-01-01T00:00:01+09:19", {
        "msgpack.standard": stamp_96(-33539, 0), "msgpack.time_text": b"\xb9" + b"1970-01-01T00:00:01+09:19", "msgpack.exact": UNSUPPORTED, "tagged.safe": tagged_time(1, -33539, 0, 33539)}),
    "time-local": moment(STAMP, "", "2016-12-24T20:51:20-03:30"),
    "time-date": same(b"\xd8\x64\x19\x43\x08", time_text=b"\xd9\x03\xec" + text("2016-12-25")) | {"tagged.safe": tagged_time(3, 1482624000, 0)},
    "time-date-before-1970": same(b"\xd8\x64\x20", time_text=b"\xd9\x03\xec" + text("1969-12-31")) | {
        "msgpack.standard": b"\xaa1969-12-31", "msgpack.exact": UNSUPPORTED, "tagged.safe": tagged_time(3, -86400, 0)},
    "time-naive": same(text("2016-12-25T00:21:20.602955"), exact=UNSUPPORTED) | {"tagged.safe": tagged_time(4, NOW, 602955000)},
    # Containers.
    "array-empty": same(b"\x80", streaming=b"\x9f\xff"),
    "array-empty-counted": same(b"\x80"),
    "array-16": {PREFERRED: b"\x90" + b"\xf6" * 16, "cbor.streaming": b"\x9f" + b"\xf6" * 16 + b"\xff"},
    "array-16-counted": {PREFERRED: b"\x90" + b"\xf6" * 16, "cbor.streaming": b"\x90" + b"\xf6" * 16},
    "map-empty": same(b"\xa0", streaming=b"\xbf\xff"),
    "map-15": {PREFERRED: b"\xaf" + b"\x61a\xf6" * 15, "cbor.deterministic": Refused("duplicate"), "cbor.canonical": Refused("duplicate"),
               "cbor.streaming": b"\xbf" + b"\x61a\xf6" * 15 + b"\xff"},
    "map-order-and-duplicates": same(b"\xa3\x61b\x01\x61a\x02\x61b\x03", deterministic=Refused("duplicate"), canonical=Refused("duplicate"), streaming=b"\xbf\x61b\x01\x61a\x02\x61b\x03\xff"),
    "nested": same(b"\xa2\x61a\x83\x01\xa1\x61b\xf6\x80\x61c\xf5", streaming=b"\xbf\x61a\x9f\x01\xbf\x61b\xf6\xff\x9f\xff\xff\x61c\xf5\xff"),
    "nested-mixed-counts": same(b"\x83\x81\x81\x80\x94" + b"\xf6" * 20 + b"\xa1\x61a\xa0", streaming=b"\x83\x9f\x81\x9f\xff\xff\x9f" + b"\xf6" * 20 + b"\xff\xa1\x61a\xbf\xff"),
    "empty-ones-inside": same(b"\xa2\x61a\x82\xa0\x80\x60\xa0", streaming=b"\xbf\x61a\x9f\xbf\xff\x9f\xff\xff\x60\xbf\xff\xff", deterministic=b"\xa2\x60\xa0\x61a\x82\xa0\x80", canonical=b"\xa2\x60\xa0\x61a\x82\xa0\x80") | {
        "msgpack.standard": b"\x82\xa1a\x92\x80\x90\xa0\x80", "tagged.safe": MARK + b"\xc5\xa1a\xc4\xc5\xc6\xc4\xc6\xc6\xa0\xc5\xc6\xc6"},
    "scalar-array": {PREFERRED: b"\x83\x01\x61a\xf6", "msgpack.standard": b"\x93\x01\xa1a\xc0", "tagged.safe": MARK + b"\xc4\x01\x81a\xc0\xc6"},
    # Keys.
    "key-i64": same(b"\xa1\x20\xf6", streaming=b"\xbf\x20\xf6\xff"),
    "key-u64": {PREFERRED: b"\xa1\x1b" + b"\xff" * 8 + b"\xf6", "msgpack.standard": b"\x81\xcf" + b"\xff" * 8 + b"\xc0", "tagged.safe": MARK + b"\xc5\xdd\xcb" + b"\xff" * 8 + b"\xc0\xc6"},
    "key-null": {PREFERRED: b"\xa1\xf6\xf6"},
    "key-boolean": {PREFERRED: b"\xa1\xf5\xf6"},
    "key-f64": {PREFERRED: b"\xa1\xf9\x3e\x00\xf6", "cbor.doubles": b"\xa1" + double(1.5) + b"\xf6"},
    "key-f64-whole": {PREFERRED: b"\xa1\xf9\x3c\x00\xf6", "msgpack.standard": b"\x81\xcb" + struct.pack(">d", 1.0) + b"\xc0"},
    "key-nan": {PREFERRED: b"\xa1\xf9\x7e\x00\xf6"},
    "key-big": {PREFERRED: b"\xa1\xc4\x82\x21\x18\x6e\xf6", "cbor.big_text": b"\xa1\x641.10\xf6", "msgpack.standard": UNSUPPORTED, "msgpack.big_text": b"\x81\xa41.10\xc0"},
    "key-bin": {PREFERRED: b"\xa1\x43\x00\xff\x10\xf6"},
    "key-time": {PREFERRED: b"\xa1" + STAMP + b"\xf6", "msgpack.standard": b"\x81\xd6\xff\x58\x5f\x11\x00\xc0"},
    "key-ext": {PREFERRED: b"\xa1" + typed(5, b"\x0a") + b"\xf6", "msgpack.standard": b"\x81\xd4\x05\x0a\xc0"},
    "key-str": same(b"\xa1\x61a\xf6", streaming=b"\xbf\x61a\xf6\xff"),
    "key-array": {PREFERRED: b"\xa1\x80\xf6", "cbor.streaming": b"\xbf\x9f\xff\xf6\xff"},
    "key-map": {PREFERRED: b"\xa1\xa0\xf6"},
    "key-broken": same(ENCODING, lenient=b"\xa1\x41\xff\xf6", any_text=b"\xa1\x61\xff\xf6") | {"msgpack.ruby": b"\x81\xa1\xff\xc0"},
    # MessagePack's other dialects, for models that are above all others'.
    "f64-hundred/msgpack": {"msgpack.standard": b"\xcb" + struct.pack(">d", 100.0)},
    "big-integer/msgpack": {"msgpack.lenient": b"\xbe123456789012345678901234567890", "msgpack.time_text": UNSUPPORTED, "msgpack.ruby": UNSUPPORTED},
    "str-broken/msgpack": {"msgpack.exact": ENCODING, "msgpack.big_text": ENCODING, "msgpack.time_text": ENCODING, "msgpack.ruby": b"\xa3a\xffb"},
    "str-surrogate/msgpack": {"msgpack.ruby": b"\xa3\xed\xa0\x80"},
    "str-unicode/msgpack": {f"msgpack.{dialect}": b"\xa9\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" for dialect in ("exact", "big_text", "time_text", "lenient", "ruby")},
    "time-local/msgpack": {"msgpack.time_text": b"\xb92016-12-24T20:51:20-03:30", "msgpack.lenient": b"\xd6\xff\x58\x5f\x11\x00"},
    "time-offset/msgpack": {f"msgpack.{dialect}": b"\xd6\xff\x58\x5f\x11\x00" for dialect in ("big_text", "lenient", "ruby")},
    "time-offset-zero/msgpack": {"msgpack.time_text": b"\xb92016-12-25T00:21:20+00:00", "msgpack.exact": UNSUPPORTED},
    "time-utc/msgpack": {f"msgpack.{dialect}": b"\xd6\xff\x58\x5f\x11\x00" for dialect in ("big_text", "time_text", "lenient", "ruby")},
    "time-date/msgpack": {f"msgpack.{dialect}": b"\xaa2016-12-25" for dialect in ("big_text", "time_text", "lenient", "ruby")},
    "nested/msgpack": {f"msgpack.{dialect}": b"\x82\xa1a\x93\x01\x81\xa1b\xc0\x90\xa1c\xc3" for dialect in ("exact", "big_text", "time_text", "lenient", "ruby")},
}

# model -> (trace, outputs): models that only binary formats tell apart.
RFC_KEYS = [("i64 10", b"\x0a"), ("i64 100", b"\x18\x64"), ("i64 -1", b"\x20"), ('str "z"', b"\x61z"), ('str "aa"', b"\x62aa"),
            ("array\ni64 100\nend", b"\x81\x18\x64"), ("array\ni64 -1\nend", b"\x81\x20"), ("boolean false", b"\xf4")]
GIVEN = [7, 4, 0, 6, 2, 5, 1, 3]  # in which order the trace has them
SHORTER_FIRST = [0, 2, 7, 1, 3, 6, 4, 5]  # RFC 8949 4.2.3's own example


def pairs(order: "list[int]") -> bytes:
    return b"\xa8" + b"".join(RFC_KEYS[i][1] + integer(i) for i in order)


NEW: "dict[str, tuple[str, dict[str, bytes | Refused]]]" = {
    "map-to-sort": (
        "map\n" + "".join(f"key\n{RFC_KEYS[i][0]}\ni64 {i}\n" for i in GIVEN) + "end",
        same(pairs(GIVEN), deterministic=pairs(list(range(8))), canonical=pairs(SHORTER_FIRST), streaming=b"\xbf" + pairs(GIVEN)[1:].replace(b"\x81\x20", b"\x9f\x20\xff").replace(b"\x81\x18\x64", b"\x9f\x18\x64\xff") + b"\xff"),
    ),
    "maps-to-sort-inside": (
        'map\nkey "b"\narray\nmap\nkey "d"\ni64 1\nkey "c"\ni64 2\nend\nend\nkey "a"\nmap\nend\nend',
        same(b"\xa2\x61b\x81\xa2\x61d\x01\x61c\x02\x61a\xa0", streaming=b"\xbf\x61b\x9f\xbf\x61d\x01\x61c\x02\xff\xff\x61a\xbf\xff\xff")
        | dict.fromkeys(("cbor.deterministic", "cbor.canonical"), b"\xa2\x61a\xa0\x61b\x81\xa2\x61c\x02\x61d\x01"),
    ),
    "key-twice-in-two-ways": ("map\nkey \"a\"\ni64 1\nkey\nstr \"a\"\ni64 2\nend", same(
        b"\xa2\x61a\x01\x61a\x02", deterministic=Refused("duplicate"), canonical=Refused("duplicate"), streaming=b"\xbf\x61a\x01\x61a\x02\xff")),
    "ext-item-undefined": ("ext 24 0xf7", same(b"\xf7") | {"msgpack.standard": b"\xd4\x18\xf7", "tagged.safe": MARK + b"\xd9\x30\x01\xf7"}),
    "ext-item-tag": ("ext 24 0xd903e801", same(b"\xd9\x03\xe8\x01")),
    "ext-24-that-is-no-item": ("ext 24 0x01", same(typed(24, b"\x01"))),
    "ext-24-of-two-items": ("ext 24 0xf7f7", same(typed(24, b"\xf7\xf7"))),
    "ext-item-not-preferred": ("ext 24 0xd903e81801", same(b"\xd9\x03\xe8\x18\x01", **dict.fromkeys(("deterministic", "canonical"), typed(24, b"\xd9\x03\xe8\x18\x01")))),
    "f64-half-largest": ("f64 0x40effc0000000000 65504", {PREFERRED: b"\xf9\x7b\xff", "cbor.doubles": double(65504.0)}),
    "f64-half-and-more": ("f64 0x40effc2000000000 65505", {PREFERRED: b"\xfa\x47\x7f\xe1\x00"}),
    "f64-half-least": ("f64 0x3e70000000000000 5.960464477539063e-8", {PREFERRED: b"\xf9\x00\x01"}),
    "f64-half-of-the-least": ("f64 0x3e60000000000000 2.9802322387695312e-8", {PREFERRED: b"\xfa\x33\x00\x00\x00"}),
    "f64-half-subnormal": ("f64 0x3e78000000000000 8.940696716308594e-8", {PREFERRED: b"\xfa\x33\xc0\x00\x00"}),
    "f64-single-largest": ("f64 0x47efffffe0000000 3.4028234663852886e+38", {PREFERRED: b"\xfa\x7f\x7f\xff\xff"}),
    "f64-single-least": ("f64 0x36a0000000000000 1.401298464324817e-45", {PREFERRED: b"\xfa\x00\x00\x00\x01"}),
    "big-below-int64": ("big -9223372036854775809", same(b"\x3b\x80" + bytes(7), big_text=text("-9223372036854775809"))),
    "big-least-integer": ("big -18446744073709551616", same(b"\x3b" + b"\xff" * 8, big_text=text("-18446744073709551616"))),
    "big-negative": ("big -18446744073709551617", same(b"\xc3\x49\x01" + bytes(8), big_text=text("-18446744073709551617"))),
    "big-least-bignum": ("big 18446744073709551616", {PREFERRED: b"\xc2\x49\x01" + bytes(8)}),
    "big-minus-zero": ("big -0", {PREFERRED: b"\xf9\x80\x00"}),
    "big-negative-decimal": ("big -273.15", {PREFERRED: b"\xc4\x82\x21\x39\x6a\xb2", "msgpack.standard": UNSUPPORTED, "tagged.safe": MARK + b"\xd8\x07-273.15"}),
    "big-zeros-kept": ("big 100.00", {PREFERRED: b"\xc4\x82\x21\x19\x27\x10"}),
    "big-capital-exponent": ("big 1.5E+3", {PREFERRED: b"\xc4\x82\x02\x0f", "cbor.big_text": text("1.5E+3")}),
    "time-utc-nanosecond": ("time utc 1482625280 1 0", same(b"\xc0" + text("2016-12-25T00:21:20.000000001Z")) | {
        "msgpack.standard": b"\xd7\xff" + struct.pack(">Q", 1 << 34 | NOW), "tagged.safe": tagged_time(0, NOW, 1), "json.compact": b'"2016-12-25T00:21:20.000000001Z"'}),
    "time-utc-half-second": ("time utc 0 500000000 0", {PREFERRED: b"\xc1\xf9\x38\x00", "cbor.doubles": b"\xc1" + double(0.5)}),
    "time-utc-beyond-and-a-nanosecond": ("time utc 253402300800 1 0", {
        PREFERRED: b"\xd9\x03\xe9\xa2\x01" + integer(253402300800) + b"\x28\x01", "msgpack.standard": stamp_96(253402300800, 1), "json.compact": RANGE}),
    "time-offset-beyond": ("time offset 253402300800 0 3600", {"json.compact": RANGE, "msgpack.time_text": RANGE, "msgpack.standard": stamp_96(253402300800, 0)}),
}
for n, packed in [(0, b"\x00"), (23, b"\x17"), (24, b"\x18\x18"), (127, b"\x18\x7f"), (255, b"\x18\xff"), (256, b"\x19\x01\x00"), (65535, b"\x19\xff\xff"), (65536, b"\x1a\x00\x01\x00\x00"),
                  (2**32 - 1, b"\x1a" + b"\xff" * 4), (2**32, b"\x1b\x00\x00\x00\x01" + bytes(4)), (2**63 - 1, b"\x1b\x7f" + b"\xff" * 7),
                  (-1, b"\x20"), (-24, b"\x37"), (-25, b"\x38\x18"), (-128, b"\x38\x7f"), (-256, b"\x38\xff"), (-257, b"\x39\x01\x00"), (-(2**31), b"\x3a\x7f\xff\xff\xff"),
                  (-(2**31) - 1, b"\x3a\x80\x00\x00\x00"), (-(2**63), b"\x3b\x7f" + b"\xff" * 7)]:
    NEW[f"i64-{n}" if n >= 0 else f"i64-minus-{-n}"] = (f"i64 {n}", {PREFERRED: packed})
