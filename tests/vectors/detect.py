"""Writes the vectors of detection: tests/vectors/detect/format/<format>-<name>.in, detect/frame/<frame>-<name>.in, and the lists
detect/media-types and detect/names.

The expectations are written by hand from README.md. Run it from anywhere after changing the tables, and commit what it writes.
"""

from __future__ import annotations

import pathlib
import shutil

HERE = pathlib.Path(__file__).parent / "detect"
NONE = "none"

FORMAT: dict[str, dict[str, bytes]] = {
    "json": {
        "map": b'{"a":1}', "array": b"[1]", "string": b'"a"', "number": b"12", "negative": b"-1", "true": b"true", "false": b"false", "null": b"null", "nan": b"NaN", "infinity": b"Infinity",
        "spaces": b" \t\r\n[1]", "mark": b'\xef\xbb\xbf{"a":1}', "mark-and-spaces": b"\xef\xbb\xbf\n[1]", "comment": b"// x\n1", "one-byte": b"{", "white-space-alone": b" \n",
    },
    "msgpack": {
        "map": b"\x81\xa1a\x01", "array": b"\x93\x01\x02\x03", "nil": b"\xc0", "string": b"\xa5hello", "number": b"\x07", "letter": b"x", "map-16": b"\xde\x00\x01\xa1a\x01", "negative": b"\xff",
        "mark-of-json-and-more": b"\xef\xbb\xbe", "plus": b"+1", "dot": b".5", "closing-bracket": b"]", "apostrophe": b"'a'",
    },
    "tagged": {"map": b"\xc1\xfe\x54\xc5\xc6", "mark-alone": b"\xc1\xfe\x54"},
    "cbor": {"mark": b"\xd9\xd9\xf7\xa1\x61a\x01", "mark-alone": b"\xd9\xd9\xf7", "time": b"\xc1\x00", "mark-of-tagged-cut": b"\xc1\xfe"},
    NONE: {"empty": b""},
}
SKIP = b"\x50\x2a\x4d\x18\x02\x00\x00\x00ab"
FRAME: dict[str, dict[str, bytes]] = {
    "gzip": {"magic": b"\x1f\x8b\x08", "header": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"},
    "zstd": {"magic": b"\x28\xb5\x2f\xfd", "skippable-alone": SKIP, "skippable-cut": SKIP[:6], "skippable-header": SKIP[:8], "skippable-first": SKIP + b"\x28\xb5\x2f\xfd", "skippable-and-other": SKIP + b"abcd",
             "skippable-of-another-number": b"\x5f" + SKIP[1:] + b"\x28\xb5\x2f\xfd"},
    "lz4": {"magic": b"\x04\x22\x4d\x18", "skippable-first": SKIP + b"\x04\x22\x4d\x18", "skippable-twice": SKIP + SKIP + b"\x04\x22\x4d\x18"},
    NONE: {"empty": b"", "gzip-cut": b"\x1f\x8b", "gzip-of-another-method": b"\x1f\x8b\x07", "zstd-cut": b"\x28\xb5\x2f", "zstd-older": b"\x27\xb5\x2f\xfd", "lz4-legacy": b"\x02\x21\x4c\x18",
           "zlib": b"\x78\x9c\x03\x00", "json": b"{}", "skippable-magic-cut": SKIP[:3], "zip": b"PK\x03\x04"},
}
MEDIA_TYPES: list[tuple[str, str]] = [
    ("json", "application/json"), ("json", "text/json"), ("json", "application/json; charset=utf-8"), ("json", "Application/JSON"), ("json", "application/json ;q=0.5"), ("json", " application/json "),
    ("json", "application/json;"),
    ("msgpack", "application/vnd.msgpack"), ("msgpack", "application/msgpack"), ("msgpack", "application/x-msgpack"), ("msgpack", "APPLICATION/MSGPACK;x=y"),
    ("tagged", "application/x-tagged"), ("cbor", "application/cbor"), ("cbor", "application/cbor-seq"), ("cbor", "application/cbor; profile=\"a;b\""),
    (NONE, ""), (NONE, "application/json5"), (NONE, "application/problem+json"), (NONE, "text/plain"), (NONE, "json"), (NONE, "application/ json"), (NONE, ";application/json"), (NONE, "*/*"),
]
NAMES: list[tuple[str, str, str]] = [  # format, frame, name
    ("json", NONE, "data.json"), ("json", NONE, "a/b/data.json"), ("json", NONE, "DATA.JSON"), ("json", NONE, "data.ndjson"), ("json", NONE, "data.jsonl"), ("json", NONE, "x.gz.json"),
    ("msgpack", NONE, "data.msgpack"), ("msgpack", NONE, "data.mpk"), ("tagged", NONE, "data.tagged"), ("cbor", NONE, "data.cbor"), ("cbor", NONE, "a.json.cbor"),
    (NONE, "gzip", "data.json.gz"), (NONE, "gzip", "data.gz"), (NONE, "gzip", "DATA.JSON.GZ"), (NONE, "zstd", "data.cbor.zst"), (NONE, "lz4", "data.lz4"),
    (NONE, NONE, "data"), (NONE, NONE, ""), (NONE, NONE, "json"), (NONE, NONE, ".json"), (NONE, NONE, ".gz"), (NONE, NONE, "data.json5"), (NONE, NONE, "data.json "), (NONE, NONE, "data.zip"), (NONE, NONE, "datajson"),
    ("json", NONE, "a/.json"), (NONE, NONE, "data.json/x"), (NONE, NONE, "data.zstd"),
]


def main() -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    for what, table in (("format", FORMAT), ("frame", FRAME)):
        (HERE / what).mkdir(parents=True)
        for told, documents in table.items():
            for name, document in documents.items():
                (HERE / what / f"{told}-{name}.in").write_bytes(document)
    (HERE / "media-types").write_text("".join(f"{told}\t{text}\n" for told, text in MEDIA_TYPES))
    (HERE / "names").write_text("".join(f"{format}\t{frame}\t{name}\n" for format, frame, name in NAMES))


if __name__ == "__main__":
    main()
