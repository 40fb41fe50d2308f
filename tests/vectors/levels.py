"""Writes the vectors of projection in binary documents: tests/vectors/levels/<format>/<name>.in, .paths, .<level>.found, .<level>.error.

Documents are in hexadecimal. What is found of each path is written by hand as README.md has it: "offset length", "absent", or for a path
with [*] the list of its elements. Run it from anywhere after changing the tables, and commit what it writes.
"""

from __future__ import annotations

import pathlib
import shutil

HERE = pathlib.Path(__file__).parent / "levels"
LEVELS = ("strict", "structural", "trusted")

# name -> (document, path -> what is found): documents that are valid, so that all levels find the same
VALID: dict[str, dict[str, tuple[str, dict[str, "str | list[str]"]]]] = {
    "msgpack": {
        "root": ("81 a161 01", {"": "0 4", "a": "3 1", "b": "absent"}),
        "long-headers": ("de0001 d90161 dd00000002 07 cf0000000000000001", {"a": "6 15", "a[0]": "11 1", "/a/1": "12 9", "a[*]": ["11 1", "12 9"]}),
        "numbers-as-keys": ("83 00 01 a130 02 ff 03", {"0": "5 1", "/0": "5 1", "[0]": "absent"}),
        "bin-and-other-keys": ("84 c40161 01 c0 02 9101 03 a161 04", {"a": "12 1"}),
        "nil-on-the-way": ("82 a161 c0 a162 07", {"a.b": "absent", "a": "3 1", "a[*]": [], "b": "6 1"}),
        "scalar-on-the-way": ("82 a161 c3 a162 07", {"a.b": "absent", "a[0]": "absent", "b": "6 1"}),
        "extensions": ("82 a161 d40102 a162 c70201aabb", {"a": "3 3", "b": "8 5"}),
        "elements-alike": ("81 a161 dc0014" + "92 01 02" * 20, {"a[0][1]": "8 1", "a[19]": "63 3", "a[19][1]": "65 1", "a[20]": "absent"}),
        "each": ("93 81a17001 80 82a17802a17003", {"[*].p": ["4 1", "absent", "12 1"]}),
    },
    "cbor": {
        "root": ("a1 6161 01", {"": "0 4", "a": "3 1", "b": "absent"}),
        "open-end": ("bf 6161 01 6162 9f0203ff ff", {"a": "3 1", "b": "6 4", "b[1]": "8 1", "b[*]": ["7 1", "8 1"]}),
        "key-in-pieces": ("a2 7f61616162ff 05 6161 06", {"ab": "7 1", "a": "10 1"}),
        "long-headers": ("b90001 780161 9b0000000000000002 07 1b0000000000000001", {"a": "6 19", "a[0]": "15 1", "/a/1": "16 9"}),
        "self-described": ("d9d9f7 a1 6161 01", {"": "0 7", "a": "6 1"}),
        "numbers-as-keys": ("a3 00 01 6130 02 20 03", {"0": "5 1", "/0": "5 1", "[0]": "absent"}),
        "bytes-and-other-keys": ("a4 4161 01 f6 02 8101 03 6161 04", {"a": "11 1"}),
        "undefined-on-the-way": ("a2 6161 f7 6162 07", {"a.b": "absent", "a[*]": [], "b": "6 1"}),
        "a-time": ("a2 6161 c11a00000001 6162 07", {"a": "3 6", "b": "11 1"}),
        "elements-alike": ("a1 6161 94" + "82 01 02" * 20, {"a[0][1]": "6 1", "a[19]": "61 3", "a[19][1]": "63 1", "a[20]": "absent"}),
        "each": ("83 a1617001 a0 a2617802617003", {"[*].p": ["4 1", "absent", "12 1"]}),
    },
}

# A key that comes twice: the last one counts, but by the level trusted one may stop at the first.
TWICE = {
    "msgpack": {"key-twice": ("82 a161 01 a161 02", {"a": "6 1"}), "key-twice-without-the-rest": ("82 a161 81a16201 a161 80", {"a.b": "absent"})},
    "cbor": {"key-twice": ("a2 6161 01 6161 02", {"a": "6 1"}), "key-twice-without-the-rest": ("a2 6161 a1616201 6161 a0", {"a.b": "absent"})},
}

# name -> (document, paths, error of every level): what is wanted is checked whatever the level
WANTED = {
    "msgpack": {
        "wanted-not-utf-8": ("82 a162 07 a161 a2fffe", ["a"], "encoding 7 $.a"),
        "wanted-not-utf-8-in-an-array": ("81 a161 92 a178 a1ff", ["a"], "encoding 7 $.a[1]"),
    },
    "cbor": {
        "wanted-not-utf-8": ("a2 6162 07 6161 62fffe", ["a"], "encoding 7 $.a"),
        "wanted-not-utf-8-in-an-array": ("a1 6161 82 6178 61ff", ["a"], "encoding 7 $.a[1]"),
    },
}

# The same for the level strict, where all is checked. The others may refuse these documents, or find what there is.
SKIPPED = {
    "msgpack": {
        "skipped-not-utf-8": ("82 a161 a2fffe a162 07", ["b"], "encoding 4 $.a"),
        "skipped-key-not-utf-8": ("82 a1ff 01 a162 07", ["b"], "encoding 2"),
        "skipped-too-deep": ("82 a161" + "91" * 1024 + "01 a162 07", ["b"], "depth"),
        "cut": ("82 a161 07 a162 9201", ["a"], "truncated"),
        "trailing": ("81 a161 07 c0", ["a"], "trailing 4"),
    },
    "cbor": {
        "skipped-not-utf-8": ("a2 6161 62fffe 6162 07", ["b"], "encoding 4 $.a"),
        "skipped-key-not-utf-8": ("a2 61ff 01 6162 07", ["b"], "encoding 2"),
        "skipped-too-deep": ("a2 6161" + "81" * 1024 + "01 6162 07", ["b"], "depth"),
        "cut": ("a2 6161 07 6162 8201", ["a"], "truncated"),
        "trailing": ("a1 6161 07 f6", ["a"], "trailing 4"),
    },
    "tagged": {"skipped-not-utf-8": ("c1fe54 c5 a161 82fffe a162 07 c6", ["b"], "encoding 7 $.a"), "trailing": ("c1fe54 c5 a161 07 c6 c0", ["a"], "trailing 8")},
}


def lines_of(found: dict[str, "str | list[str]"]) -> str:
    return "".join(f"{one}\n" if isinstance(one, str) else "".join(f"{line}\n" for line in (f"each {len(one)}", *one)) for one in found.values())


def main() -> None:
    shutil.rmtree(HERE, ignore_errors=True)

    def put(format: str, name: str, document: str, paths: "list[str]", endings: dict[str, str]) -> None:
        folder = HERE / format
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.in").write_bytes(bytes.fromhex(document))
        (folder / f"{name}.paths").write_bytes("".join(path + "\n" for path in paths).encode())
        for ending, text in endings.items():
            (folder / f"{name}.{ending}").write_bytes(text.encode())

    for table, levels in ((VALID, LEVELS), (TWICE, LEVELS[:2])):
        for format, vectors in table.items():
            for name, (document, found) in vectors.items():
                put(format, name, document, list(found), {f"{level}.found": lines_of(found) for level in levels})
    for refused, levels in ((WANTED, LEVELS), (SKIPPED, LEVELS[:1])):
        for format, broken in refused.items():
            for name, (document, paths, error) in broken.items():
                put(format, name, document, paths, {f"{level}.error": error + "\n" for level in levels})


if __name__ == "__main__":
    main()
