"""Writes the vectors of frames: tests/vectors/frames/<frame>/<expect>-<name>.in, with .out or .error beside it.

What a library packs is made by Python's zlib and by the commands zstd and lz4, which must be there; their releases may pack the
same text in other bytes, so only what is new need be committed. Headers, blocks and all that is wrong with them are written by
hand from RFC 1952, RFC 8878 and the description of the LZ4 frame format.
"""

from __future__ import annotations

import pathlib
import shutil
import struct
import subprocess
import zlib

HERE = pathlib.Path(__file__).parent / "frames"
TEXT = b'{"id":7,"tags":["a",0.5]}\n'
LONG = b"".join(b'{"id":%d,"name":"n%d","price":%d.25}\n' % (i, i * i % 97, i % 13) for i in range(400))

# name -> (packed, text), name -> (packed, code and where it is certain the offset)
Good = "dict[str, tuple[bytes, bytes]]"
Bad = "dict[str, tuple[bytes, str]]"


# ---- gzip
def gzip(text: bytes, level: int = 6, flags: int = 0, extra: bytes = b"", deflated: "bytes | None" = None) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    body = packer.compress(text) + packer.flush() if deflated is None else deflated
    return b"\x1f\x8b\x08" + bytes([flags]) + bytes(4) + b"\x00\xff" + extra + body + struct.pack("<II", zlib.crc32(text), len(text) & 0xFFFFFFFF)


def stored(text: bytes) -> bytes:
    return b"\x01" + struct.pack("<HH", len(text), len(text) ^ 0xFFFF) + text


def header_crc(flags: int, extra: bytes) -> bytes:
    return struct.pack("<H", zlib.crc32(b"\x1f\x8b\x08" + bytes([flags]) + bytes(4) + b"\x00\xff" + extra) & 0xFFFF)


ONE = gzip(TEXT)
WRONG_CRC = ONE[:-8] + bytes([ONE[-8] ^ 1]) + ONE[-7:]
GZIP_GOOD: Good = {
    "text": (ONE, TEXT),
    "empty": (gzip(b""), b""),
    "fastest": (gzip(LONG, 1), LONG),
    "smallest": (gzip(LONG, 9), LONG),
    "stored": (gzip(TEXT, deflated=stored(TEXT)), TEXT),
    "with-name": (gzip(TEXT, flags=8, extra=b"a.json\0"), TEXT),
    "with-everything": (gzip(TEXT, flags=31, extra=b"\x04\x00abcd" + b"a.json\0" + b"why\0" + header_crc(31, b"\x04\x00abcd" + b"a.json\0" + b"why\0")), TEXT),
    "members": (ONE + gzip(b"[1]") + gzip(b"[2]\n", flags=8, extra=b"b\0"), TEXT + b"[1][2]\n"),
    "member-empty-between": (ONE + gzip(b"") + ONE, TEXT + TEXT),
    "padded": (ONE + bytes(512), TEXT),
}
GZIP_BAD: Bad = {
    "empty-file": (b"", "truncated 0"),
    "other": (b"hello, world", "syntax 0"),
    "other-method": (b"\x1f\x8b\x07" + ONE[3:], "syntax 0"),
    "zlib": (zlib.compress(TEXT), "syntax 0"),
    "zeros-alone": (bytes(16), "syntax 0"),
    "cut-magic": (ONE[:2], "truncated 2"),
    "cut-header": (ONE[:7], "truncated 7"),
    "cut-body": (ONE[:20], "truncated 20"),
    "cut-check": (ONE[:-5], f"truncated {len(ONE) - 5}"),
    "cut-second": (ONE + ONE[:-1], f"truncated {2 * len(ONE) - 1}"),
    "cut-second-magic": (ONE + ONE[:1], f"truncated {len(ONE) + 1}"),
    "check": (WRONG_CRC, "syntax"),
    "check-of-second": (ONE + WRONG_CRC, "syntax"),
    "length": (ONE[:-4] + struct.pack("<I", len(TEXT) + 1), "syntax"),
    "header-check": (gzip(TEXT, flags=2, extra=b"\x00\x00"), "syntax"),
    "flags": (ONE[:3] + b"\xe0" + ONE[4:], "syntax"),
    "block-type": (gzip(TEXT, deflated=b"\x07"), "syntax"),
    "trailing": (ONE + b"x", f"trailing {len(ONE)}"),
    "trailing-line-feed": (ONE + b"\n", f"trailing {len(ONE)}"),
    "trailing-behind-padding": (ONE + bytes(3) + b"x", f"trailing {len(ONE) + 3}"),
    "trailing-member-behind-padding": (ONE + bytes(3) + ONE, f"trailing {len(ONE) + 3}"),
    "bomb": (gzip(bytes(20_000_000), 9), "size"),
}


# ---- zstd
def command(*line: str, text: bytes) -> bytes:
    return subprocess.run(line, input=text, capture_output=True, check=True).stdout


def zstd(text: bytes, *options: str) -> bytes:
    return command("zstd", "-q", "-c", *options, text=text)


def block(kind: int, size: int, content: bytes, last: bool = True) -> bytes:
    return (int(last) | kind << 1 | size << 3).to_bytes(3, "little") + content


MAGIC = b"\x28\xb5\x2f\xfd"
WINDOW = b"\x00\x38"  # no content size, no check sum; 128 KB to look back
RAW = MAGIC + WINDOW + block(0, len(TEXT), TEXT)
SINGLE = MAGIC + b"\x20" + bytes([len(TEXT)]) + block(0, len(TEXT), TEXT)
SKIP = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
CHECKED = zstd(TEXT)
ZSTD_GOOD: Good = {
    "text": (CHECKED, TEXT),
    "empty": (zstd(b""), b""),
    "no-check": (zstd(TEXT, "--no-check"), TEXT),
    "long": (zstd(LONG, "-19"), LONG),
    "raw-block": (RAW, TEXT),
    "single-segment": (SINGLE, TEXT),
    "blocks": (MAGIC + WINDOW + block(0, 3, b"[1,", False) + block(0, 0, b"", False) + block(0, 2, b"2]"), b"[1,2]"),
    "run-length-block": (MAGIC + WINDOW + block(1, 1000, b"7"), b"7" * 1000),
    "frames": (CHECKED + RAW + SINGLE, TEXT * 3),
    "skippable-first": (SKIP + RAW, TEXT),
    "skippable-between-and-last": (RAW + SKIP + b"\x5f\x2a\x4d\x18\x00\x00\x00\x00" + CHECKED + SKIP, TEXT * 2),
}
ZSTD_BAD: Bad = {
    "empty-file": (b"", "truncated 0"),
    "other": (b"hello, world", "syntax 0"),
    "older-magic": (b"\x27\xb5\x2f\xfd" + RAW[4:], "syntax 0"),
    "cut-magic": (RAW[:3], "truncated 3"),
    "cut-header": (RAW[:5], "truncated 5"),
    "cut-block-header": (RAW[:8], "truncated 8"),
    "cut-block": (RAW[:-1], f"truncated {len(RAW) - 1}"),
    "cut-check": (CHECKED[:-1], f"truncated {len(CHECKED) - 1}"),
    "cut-second": (RAW + RAW[:-1], f"truncated {2 * len(RAW) - 1}"),
    "cut-skippable": (RAW + SKIP[:-1], f"truncated {len(RAW) + len(SKIP) - 1}"),
    "check": (CHECKED[:-1] + bytes([CHECKED[-1] ^ 1]), "syntax"),
    "block-type": (MAGIC + WINDOW + block(3, 1, b"x"), "syntax"),
    "reserved-bit": (MAGIC + b"\x08\x38" + block(0, 1, b"1"), "unsupported"),
    "content-size": (MAGIC + b"\x20" + bytes([len(TEXT) + 1]) + block(0, len(TEXT), TEXT), "syntax"),
    "dictionary": (MAGIC + b"\x01\x38\x07" + block(0, 1, b"1"), "unsupported"),
    "window": (MAGIC + b"\x00" + bytes([18 << 3]) + block(0, 1, b"1"), "size"),
    "trailing": (RAW + b"xxxx", f"trailing {len(RAW)}"),
    "trailing-byte": (RAW + b"x", f"trailing {len(RAW)}"),
    "trailing-zeros": (RAW + bytes(8), f"trailing {len(RAW)}"),
    "bomb": (MAGIC + WINDOW + b"".join(block(1, 1 << 17, b"\0", i == 159) for i in range(160)), "size"),
}


# ---- lz4
def lz4(text: bytes, *options: str) -> bytes:
    return command("lz4", "-q", "-c", *options, text=text)


PACKED = lz4(TEXT)
LZ4_GOOD: Good = {
    "text": (PACKED, TEXT),
    "empty": (lz4(b""), b""),
    "no-check": (lz4(TEXT, "--no-frame-crc"), TEXT),
    "long": (lz4(LONG, "-9"), LONG),
    "blocks-that-depend": (lz4(LONG, "-BD", "-B4"), LONG),
    "blocks-checked": (lz4(LONG, "-BX", "-B4"), LONG),
    "frames": (PACKED + PACKED, TEXT * 2),
    "skippable-first": (SKIP + PACKED, TEXT),
    "skippable-between-and-last": (PACKED + SKIP + PACKED + SKIP, TEXT * 2),
}
LZ4_BAD: Bad = {
    "empty-file": (b"", "truncated 0"),
    "other": (b"hello, world", "syntax 0"),
    "legacy": (b"\x02\x21\x4c\x18" + PACKED[4:], "syntax 0"),
    "cut-magic": (PACKED[:3], "truncated 3"),
    "cut-header": (PACKED[:6], "truncated 6"),
    "cut-block": (PACKED[:20], "truncated 20"),
    "cut-check": (PACKED[:-1], f"truncated {len(PACKED) - 1}"),
    "cut-second": (PACKED + PACKED[:-1], f"truncated {2 * len(PACKED) - 1}"),
    "check": (PACKED[:-1] + bytes([PACKED[-1] ^ 1]), "syntax"),
    "header-check": (PACKED[:6] + bytes([PACKED[6] ^ 1]) + PACKED[7:], "syntax"),
    "version": (PACKED[:4] + bytes([PACKED[4] ^ 0xC0]) + PACKED[5:], "syntax"),
    "version-cut": (PACKED[:4] + bytes([PACKED[4] ^ 0xC0]) + PACKED[5:6], "truncated 6"),
    "trailing": (PACKED + b"xxxx", f"trailing {len(PACKED)}"),
    "trailing-byte": (PACKED + b"x", f"trailing {len(PACKED)}"),
    "trailing-zeros": (PACKED + bytes(8), f"trailing {len(PACKED)}"),
}


def main() -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    for frame, good, bad in (("gzip", GZIP_GOOD, GZIP_BAD), ("zstd", ZSTD_GOOD, ZSTD_BAD), ("lz4", LZ4_GOOD, LZ4_BAD)):
        folder = HERE / frame
        folder.mkdir(parents=True)
        for name, (packed, text) in good.items():
            (folder / f"ok-{name}.in").write_bytes(packed)
            (folder / f"ok-{name}.out").write_bytes(text)
        for name, (packed, error) in bad.items():
            (folder / f"err-{name}.in").write_bytes(packed)
            (folder / f"err-{name}.error").write_text(error + "\n")


if __name__ == "__main__":
    main()
