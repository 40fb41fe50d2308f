"""Writes the seeds of the fuzz corpora: fuzz/corpus/<target>/seed-<n>. Small documents that reach every corner of a target;
what fuzzers found lies beside them as found-<what> and is not touched. Run it anywhere after changing the tables, and commit
what it writes. Deterministic: archives carry fixed times.
"""

import bz2
import gzip
import io
import lzma
import pathlib
import struct
import tarfile
import zipfile
import zlib

CORPUS = pathlib.Path(__file__).parent / "corpus"

JSON = [
    b"null",
    b" true ",
    b"[false,-0,0,1e5,1.5E-3,123456789012345678901234567890,1e400,9223372036854775808,0.1]",
    b'{"a":1,"b":{"c":[1,2,{"b":null}]},"a":[{"b":1},{},3],"id":"x","b~c":2,"":0}',
    rb'["\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00",""]',
    '{"caf\u00e9":"\u20ac \U0001f600","k":"' .encode() + b"x" * 70 + b'"}',
    b"[" * 40 + b"]" * 40,
    b'[[],{},[[]],{"a":{}},[{"a":[]}]]',
    b'{"a":[1,2',
    b'["\xff"]',
    b'["\\ud800"]',
    b"[1,]",
    b"[NaN,Infinity,-Infinity]",
    b"// c\n[1,/* d */2,]",
    b'{"trades":[{"price":1.5,"amount":2},{"price":3}],"last_price":{"price":7},"timestamp":"2018-01-01T00:00:00Z"}',
    b"1 2",
    b'{"a":1}{"a":2}\n[3] 4 "5"',
]
MSGPACK = [
    b"\xc0",
    b"\x93\xc2\xc3\xc0",
    b"\x9a\x7f\xff\xe0\xcc\x80\xcd\x01\x00\xce\x00\x01\x00\x00\xcf" + b"\xff" * 8 + b"\xd0\x80\xd1\x80\x00\xd3" + b"\x80" * 8,
    b"\x92\xca\x3f\x80\x00\x00\xcb\x3f\xf0" + bytes(6),
    b"\x83\xa1a\x01\xa1b\xd9\x02xy\x07\xda\x00\x03\xe2\x82\xac",
    b"\x94\xc4\x02\x00\xff\xc5\x00\x01\x00\xc6\x00\x00\x00\x01\x00\xc7\x00\x05",
    b"\x95\xd4\x05\x0a\xd5\x05ab\xd6\x05abcd\xd7\x05abcdefgh\xd8\x05abcdefghijklmnop",
    b"\x93\xd6\xff\x58\x5f\x11\x00\xd7\xff" + struct.pack(">Q", 5 << 34 | 7) + b"\xc7\x0c\xff" + struct.pack(">Iq", 1, -1),
    b"\xdc\x00\x02\x90\x80",
    b"\xdd\x00\x00\x00\x01\xdf\x00\x00\x00\x01\x91\x01\xde\x00\x01\x80\xc0",
    b"\xdd\xff\xff\xff\xff\x01\x02\x03",
    b"\xc1",
    b"\xa2\xc0\x80",
    b"\x01\xa1a\x92\xc0\xc3",
]
TAGGED = [
    b"\xc1\xfe\x54" + body
    for body in (
        b"\xc0",
        b"\xc4\xc2\xc3\xc0\x3f\xe0\xc8\x40\xc9\x00\x01\xca" + bytes(4) + b"\xcb" + b"\xff" * 8 + b"\xcc\x80\xcd\x00\x80\xce" + bytes(4) + b"\xcf" + bytes(8) + b"\xc6",
        b"\xc4\xc7" + struct.pack("<d", 0.1) + b"\xd8\x041.10\xd9\x0a\x01a\xda\x00\x02\x00\xda\x01\x02\x00\xa0\xfa\x03\xc6",
        b"\xc4\x83abc\xd0\x01a\xd1\x01\x00a\xd2\x01\x00\x00\x00a\xd4\x01\x00\xd5\x01\x00\x00\xc6",
        b"\xc4\xc5\xdb\x02id\x01\xdb\x01b\x02\xc6\xc5\x41\x03\x40\x04\xc6\xc6",
        b"\xc5\xa1a\x01\xdc\x01a\x02\xdd\xc4\xc6\xc0\xdd\x82ab\xc3\xc6",
        b"\xc5" + b"".join(b"\xdb\x02%02d\xc0" % n for n in range(66)) + b"\x7f\xc0\xf0\x00\xc0\xf0\x01\xc0\xc6",
        b"\xc4" * 40 + b"\xc6" * 40,
        b"\xd3" + b"\xff" * 8,
        b"\xc5\x40\x01\xc6",
        b"\x01\xc1\xfe\x54\x80",
    )
] + [
    b"\x01\x00\x00\x00\xac\x02",
    b"\x07\x00\x00\x00\x05Hello",
    b"\x01\x96\x44\x87\x02\x01\x41\xf9\xe8\x04\x0a\x00\x00\x00\x0c\x01\x96\x44\x87\x01a\x01\x41\xf9\xe8\x01b",
    b"\x09\x00\x00\x00\x0a\x11\x00\x00\x00\x02\x21\x00\x00\x00\x04",
    b"\x08\x41\xf9\xe8\x05\x01\x96\x44\x87\x02\x0a\x00\x00\x00\x0c\x01\x96\x44\x87\x01a\x08\x41\xf9\xe8\x01b",
    b"\x09\x00\x00\x00\x0f\x18\x00\x00\x00\x05\x01\x96\x44\x87\x02\x28\x00\x00\x00\x00\x0a\x00\x00\x00\x06\x01\x96\x44\x87\x01a",
    b"\x0b\x00\x00\x00\x041.10",
    b"\x04\x00\x00\x00" + struct.pack("<d", 4.2) + b"\x05\x00\x00\x00\x01\x00\x00\x00\x06\x00\x00\x00" + bytes(8),
]
CBOR = [
    bytes.fromhex(h)
    for h in (
        "f6", "8af4f5f6f7e0f820f93c00fa47c35000fb3ff199999999999af97e00", "881717181819010019ffff1a000100001bffffffffffffffff3bffffffffffffffff20",
        "a3616101616202a16163f6f6", "9f018202039f0405ffff", "bf61610161629f0203ffff", "5f42010243030405ff", "7f657374726561646d696e67ff",
        "c074323031332d30332d32315432303a30343a30305a", "82c11a514b67b0c1fb41d452d9ec200000", "84d86420d903ec6a323031362d31322d3235d903e9a2010a2801c1f93e00",
        "84c249010000000000000000c349010000000000000000c48221196ab3c5822003", "c58220c249020000000000000001", "d82a9f7f6161ffff", "d818456449455446",
        "82da6b6d00054161da6b6d001840", "d9d9f7a1d9d9f7616101", "a2616101616102", "a201f61801f6", "a80af61864f620f6617af6626161f6811864f68120f6f4f6",
        "9bffffffffffffffff01", "62c328", "016161820102c100", "a1a26162016161026163", "bf7f6161616201ff02ff",
    )
]
# One document in MessagePack and CBOR: what is wanted lies beside elements of one form, and between tags and open ends.
PACKED = [
    bytes.fromhex(h)
    for h in (
        "83a16185a13181a16201a13281a16202a16201a162c081a162a1e9a17895cb3ff0000000000000cb4000000000000000cb4010000000000000c001a16281a163d7ff0000000000000001",
        "a3616185a1616201a1616202a161621903e8a16162f6a16162617a617885fb3ff199999999999afb3ff3333333333333f93c00f60161629f82c11a514b67b0c11a514b67b1ff",
        "9582a16101a1620082a16102a1620082a16103a1620082a16104a1620081a16190", "d9d9f7bf616182a1616201a16162827f6178ff5f4101ff6162bf616301ffff",
    )
]
PATHS = [b"a;b.c;a[0].b", b"a[*].b;a[1]", b"trades[*].price;last_price.price;timestamp", b"/a/0;/b~1c;/b~0c;", b'$;["a"];$[*];[0]', b"[*][*];[*].a[*]"]
TRACES = [
    b'map\nkey "a"\narray 3\nnull\nboolean true\ni64 -1\nend\nkey\nu64 18446744073709551615\nbig 1e400\nend\n',
    b'array\nf64 0x3ff8000000000000 1.5\nstr "\\u{e9}\\"\\\\\\xff"\nbin 0x00ff\next -1 0x\ntime offset 1 2 3600\nend\n',
]
SCALARS = [
    b"0", b"-1.5e10", b"123456789012345678901234567890", b"9223372036854775807", b"-9223372036854775808", b"1e-400", b"2.2250738585072011e-308",
    b"8.41e21", b"2016-12-25", b"2016-12-25T01:53:10.602955Z", b"2017-01-01 09:00:00+09:00", b"2017/01/01 09:00:00 +0900",
    b"a.b[0][*]", b"/a~1b/0", b'["a.b"].c', b"\x3f\xf8" + bytes(6), b"AP8Q", b"+w==", "\u20ac\U0001f600".encode(),
]
# Ten times {"a":1} and a line end in zstd and in lz4, and "text" in zstd without a check sum.
ZSTD = bytes.fromhex("28b52ffd0468750000407b2261223a317d0a010015bd5ca7a334f2")
LZ4 = bytes.fromhex("04224d186440a7120000008f7b2261223a317d0a08003050223a317d0a0000000010ca2933")
ZSTD_PLAIN = bytes.fromhex("28b52ffd005821000074657874")
SKIPPABLE = b"\x5a\x2a\x4d\x18\x03\x00\x00\x00abc"
LINES = [b'{"a":1}\n{"a":2}\r\n\n{"a":3}', b'[{"a":1}, {"a":2}\n,3]', b'{"a":\n1}{"b":2} 7 "x"', b'\xef\xbb\xbf{"a":1}\n', b"[1,2", b"[1}2]"]


def tape(*nodes: tuple[int, int]) -> bytes:
    return b"\x01" + b"".join(struct.pack("<QQ", *n) for n in nodes)


def node(kind: int, flags: int = 0, length: int = 0, aux: int = 0) -> int:
    return length << 24 | aux << 16 | flags << 8 | kind


def archive(*entries: tuple[str, bytes, int], comment: bytes = b"") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name, data, method in entries:
            info = zipfile.ZipInfo(name, (2018, 1, 1, 0, 0, 0))
            info.compress_type = method
            z.writestr(info, data)
        z.comment = comment
    return out.getvalue()


def zstandard(packed: bytes, text: bytes) -> bytes:
    """An archive of one entry of method 93, which Python's zipfile writes from 3.14 on."""
    made = bytearray(archive(("a.json", packed, zipfile.ZIP_STORED)))
    for at, local in ((made.index(b"PK\x03\x04"), True), (made.index(b"PK\x01\x02"), False)):
        struct.pack_into("<H", made, at + (8 if local else 10), 93)
        struct.pack_into("<I", made, at + (14 if local else 16), zlib.crc32(text))
        struct.pack_into("<I", made, at + (22 if local else 24), len(text))
    return bytes(made)


def unmarked() -> list[bytes]:
    """An entry of AES's method without the flag of encrypted ones: with a directory, and without one."""
    field = struct.pack("<HHH2sBH", 0x9901, 7, 2, b"AE", 3, zipfile.ZIP_DEFLATED)
    common = struct.pack("<HHIIIIHH", 0, 99, 0, 0x12345678, 5, 5, 1, len(field))
    local = b"PK\x03\x04\x14\x00" + common + b"a" + field + b"12345"
    record = b"PK\x01\x02\x14\x00\x14\x00" + common + bytes(14) + b"a" + field
    end = b"PK\x05\x06" + bytes(4) + struct.pack("<HHIIH", 1, 1, len(record), len(local), 0)
    return [local + record + end, local + b"x" * 60]


def tars() -> list[bytes]:
    def made(format: int, *entries: tuple[str, bytes, bytes]) -> bytes:
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=format) as tar:
            for name, data, kind in entries:
                info = tarfile.TarInfo(name)
                info.size, info.type = len(data), kind
                tar.addfile(info, io.BytesIO(data))
        return out.getvalue().rstrip(b"\0") + bytes(1536)

    usual = (("a.json", b'{"a":1}', tarfile.REGTYPE), ("b", b"", tarfile.DIRTYPE), ("b/c.json", b'{"a":2}' * 80, tarfile.REGTYPE), ("l", b"", tarfile.SYMTYPE))
    long = (("x" * 120 + "/\u00e9.json", b"1", tarfile.REGTYPE), ("s", b"2", tarfile.GNUTYPE_SPARSE), ("z", b"3", tarfile.REGTYPE))
    whole = [made(format, *usual) for format in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)]
    longer = [made(format, *long) for format in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)]
    return [*whole, *longer, whole[0][:700], whole[0] + whole[1], longer[1][512:], whole[0][:512] + b"x" * 512 + whole[0][512:]]


def member(data: bytes, **fields: bytes) -> bytes:
    """A gzip member with the optional header fields that Python's gzip does not write."""
    flags = (4 if "extra" in fields else 0) | (8 if "name" in fields else 0) | (16 if "note" in fields else 0)
    head = b"\x1f\x8b\x08" + bytes([flags]) + bytes(4) + b"\x00\xff"
    if "extra" in fields:
        head += struct.pack("<H", len(fields["extra"])) + fields["extra"]
    for field in ("name", "note"):
        if field in fields:
            head += fields[field] + b"\x00"
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return head + packer.compress(data) + packer.flush() + struct.pack("<II", zlib.crc32(data), len(data))


def index(lengths: bytes, origins: bytes, format: bytes = b"msgpack", packed: bytes = b"\x64") -> bytes:
    """A block's index (extract/block.hpp), of what is MessagePack already."""
    texts = {b"format": bytes([0xA0 | len(format)]) + format, b"packed": packed, b"check": b"\x00", b"lengths": lengths, b"origins": b"\xc4" + bytes([len(origins)]) + origins}
    return b"\x85" + b"".join(bytes([0xA0 | len(k)]) + k + v for k, v in texts.items())


# Of three documents: two entries of one archive, of names that share a part, and one of another archive.
ORIGINS = b"\x83\xa8archives\x94\xc4\x01a\x02\xc4\x01b\x01" + b"\xa7entries\x96\x00\xc4\x02x1\x01\xc4\x012\x00\xc4\x00" + b"\xa7offsets\x93\x00\x00\xcd\x01\x00"


def seeds() -> dict[str, list[bytes]]:
    deflated, stored = zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED
    whole = archive(("a.json", b'{"a":1}', deflated), ("b/", b"", stored), ("b/c.json", b'{"a":2}' * 50, deflated), ("d.txt", b"text", stored))
    return {
        "json_read": JSON,
        "json_round_trip": JSON,
        "msgpack_read": MSGPACK,
        "tagged_read": TAGGED,
        "tagged_round_trip": MSGPACK,
        "cbor_read": CBOR,
        "cbor_round_trip": CBOR,
        "convert": [b"\x00" + j for j in JSON] + [b"\x01" + m for m in MSGPACK],
        "project": [p + b"\n" + j for p in PATHS for j in (JSON[3], JSON[14], JSON[7], b"[[1,[2]],3]", b"{", b'{"\\u0061":5}')],
        "project_headers": [p + b"\n" + d for p in (PATHS[0], PATHS[4], b"a[1];a[*].b;[*]") for d in PACKED],
        "partial": [b"a.b;a[*].b;[*]\n" + d for d in (JSON[3], JSON[7], b'{"a":\n {"x":1, "b":1e400}}', b"[[1,[2]],3]", *PACKED[:4], b"\x81\xa1\x61\xa2\xff\xfe")],
        "kernels": [bytes([n]) + j for n, j in enumerate(JSON)] + [bytes([7]) + b'{"a":"' + b"\\" * n + b'"}' for n in range(2, 68, 6)],
        "tape": [b"\x00" + j for j in JSON] + [b"\x02" + m for m in MSGPACK]
        + [
            tape((node(10, length=2), 3), (node(0), 0), (node(2), 5), (node(12), 0)),
            tape((node(11, length=1), 3), (node(6, flags=1, length=3), 0), (node(6, flags=2, length=2), 4), (node(12), 0)),
            tape((node(9, length=4, aux=200), 0)),
            tape((node(8, flags=32) | 123 << 16 | 3600 << 46, 86400)),
            tape((node(10), 2), (node(12), 0)),
        ],
        "trace": TRACES,
        "scalars": SCALARS,
        "zip": [whole, archive(), archive(("a", b"", stored), comment=b"a comment"), b"#!prefix\n" + whole, whole[:-10], whole[20:], archive(("x", bytes(5000), deflated)), zstandard(ZSTD, b'{"a":1}\n' * 10), *unmarked()],
        "gzip": [
            gzip.compress(b'{"a":1}\n' * 20, mtime=0),
            member(b"one", name=b"one.json") + member(b"two", note=b"a note", extra=b"ab\x02\x00xy"),
            member(b"") + bytes(512),
            gzip.compress(b"cut", mtime=0)[:-6],
            member(b"a") + b"garbage",
        ],
        "frame": [
            gzip.compress(b'{"a":1}\n' * 20, mtime=0),
            member(b"one", name=b"one.json") + member(b"") + bytes(20),
            ZSTD,
            ZSTD_PLAIN + ZSTD,
            SKIPPABLE + ZSTD + SKIPPABLE,
            LZ4,
            LZ4 + SKIPPABLE + LZ4,
            ZSTD[:-2],
            LZ4[:-2],
            ZSTD + b"garbage",
            lzma.compress(b'{"a":1}\n' * 20) + bytes(4),
            lzma.compress(b"one") + lzma.compress(b"two")[:-5],
            bz2.compress(b'{"a":1}\n' * 20) + bz2.compress(b""),
            bz2.compress(b"cut")[:-3],
        ],
        # A first byte: a stream, or instructions to a writer of one.
        "inflate64": [
            *(b"\0" + zlib.compress(text, level)[2:-4] for text in (b"", b'{"a":1}\n' * 20, bytes(range(256)) * 3) for level in (0, 1, 9)),
            b"\0\x05\xc0\x81\x08" + bytes(40),
            b"\1" + b"".join(b"\x40" + bytes([c]) for c in b"abcde") + b"\x80\x40\0\4" + b"\xff\xff\xff\0\0" * 3 + b"\x00\x05hello" + b"\xc0\x80\x00\xff\xff",
            b"\1",
        ],
        "tar": tars(),
        "block": [
            ORIGINS,
            index(b"\x93\x01\x02\x03", ORIGINS),
            index(b"\x91\xcf" + b"\xff" * 8, b""),
            index(b"\x92\x00\x01", ORIGINS[:30]),
            index(b"\x91\x05", ORIGINS, b"json", b"\xcd\xff\xff"),
            index(b"\x91\x05", b"\xc0", b"cbor") + b"\x00",
            bytes.fromhex("28b52ffd2000010000") + b"\x5b\x2a\x4d\x18\x0a\x00\x00\x00kumihimo\x01x" + ZSTD,
            bytes.fromhex("04224d18604082000000005b2a4d18ffffffff") + b"kumihimo\x01" + LZ4,
        ],
        "condition": [
            (condition + '\n{"n": 5, "t": "jpy", "e": "\\u006a", "y": true, "o": {"x y": -1.5e3}, "l": [1, "a", null], "q": "7.50", "r": [{"p": 1}]}').encode()
            for condition in (
                "n > 4.99999999999999999999 and t == \"jpy\"",
                "not (y or n in (1, 2.0)) and exists o",
                "o.\"x y\" <= -1e3 or /l/0 <> 1",
                "any(l[*]) == 'a' and all(r[*].p) < 5",
                "t like 'j_%' and e matches '^(j|k){1,3}$' and t not matches '(?i)[^A-Z\\d]\\b|\\x{41}'",
                "q:decimal = 7.5 and n:string is not null",
                "[\"n\"] == $.n and l[2] is null",
                "(n + 1) * -2 <= o.\"x y\" / 2 - q:decimal and (y)",
                "length(l) in (2 + 1, 7) or concat(coalesce(l[-1], 'x'), n) like 'x%'",
                "strptime(t, '%d/%b/%Y') < time(concat(t, 'T', e)) or any(l[*]) == (/l/0 * 1)",
            )
        ],
        "path_summary": [
            bytes([n]) + b"\n".join(JSON[n % 3 :: 3]) + b"\n" + text
            for n in (0, 9, 22, 34)
            for text in (
                b'{"a":1,"b":{"c":[1.5,2]}}\n{"b":null,"a":"2024-01-01T00:00:00Z"}\n{"a":"x","a":2,"":{"":0}}',
                b'{"x":{"u1":{"n":1},"u2":{"n":"2024-01-01T00:00:00.5Z","m":[]},"u3":7}}\n{"x":{"u4":{"n":2,"k":{"l":1}}}}\n[[1],[[]],{"x":0}]',
            )
        ],
        "split": [bytes([n]) + t for n in (0, 1, 2, 3, 4, 17, 252) for t in LINES],
    }


def write(corpus: pathlib.Path, seeds: dict[str, list[bytes]]) -> None:
    for target, inputs in seeds.items():
        folder = corpus / target
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("seed-*"):
            old.unlink()
        for n, data in enumerate(inputs):
            (folder / f"seed-{n:02}").write_bytes(data)


if __name__ == "__main__":
    write(CORPUS, seeds())
