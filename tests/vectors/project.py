"""Writes the vectors of projection: tests/vectors/project/<name>.in, .paths, and what each level must find or refuse.

In the documents below a value that path i must find stands between «i: and », the element j of a path with [*] between «i.j: and »;
the marks are taken out. Beside it stands what is found of each path: "one", "absent", or the number of elements that a path with
[*] walks (those without a mark are absent). The expectations are written by hand from README.md. Run it from anywhere after
changing the tables, and commit what it writes.
"""

from __future__ import annotations

import pathlib
import re
import shutil

HERE = pathlib.Path(__file__).parent / "project"
LEVELS = ("strict", "structural", "trusted")

Kinds = "list[str | int]"

# name -> (marked document, paths, what each finds): documents that are valid, so that all levels find the same
VALID: dict[str, tuple[str, list[str], Kinds]] = {
    # The whole document.
    "root": (' «0:«1:{"a":1}»» ', ["", "$"], ["one", "one"]),
    "root-scalar": ("\n«0:-1.5e3» ", ["$"], ["one"]),
    "root-scalar-no-member": ("5", ["a", "/0", "[0]", "[*]"], ["absent", "absent", "absent", 0]),
    "root-string": ('«0:"a\\"]"»', [""], ["one"]),
    "root-null": ("«0:null»", ["$", "a"], ["one", "absent"]),
    # Members.
    "member": ('{"a":«0:1»,"b":«1:2»}', ["a", "b"], ["one", "one"]),
    "members-spaced": ('{ "a" : «0:1» ,\n\t"b" :\r\n«1:[ 2 ]» }', ["a", "b"], ["one", "one"]),
    "member-absent": ('{"ab":1,"":2}', ["a", "abc", "x.y"], ["absent", "absent", "absent"]),
    "member-empty-key": ('{"":«0:«1:1»»}', ['[""]', "/"], ["one", "one"]),
    "member-nested": ('{"a":{"b":{"c":«0:[1]»,"d":2}},"b":«1:3»}', ["a.b.c", "b"], ["one", "one"]),
    "member-of-each-kind": (
        '{"n":«0:null»,"t":«1:true»,"f":«2:false»,"i":«3:-0»,"x":«4:1E+2»,"s":«5:"«x»"»,"a":«6:[]»,"o":«7:{}»}'.replace("«x»", "x,}"),
        ["n", "t", "f", "i", "x", "s", "a", "o"],
        ["one"] * 8,
    ),
    "member-keys-that-begin-alike": (
        '{"price":«0:1»,"price_total":«1:2»,"pric":«2:3»,"Price":«3:4»}', ["price", "price_total", "pric", "Price"], ["one"] * 4,
    ),
    "member-key-in-a-string": ('{"x":"\\"a\\":1","y":["a"],"z":{"a":3},"a":«0:4»}', ["a"], ["one"]),
    "member-key-utf-8": ('{"価格":«0:1»,"é":«1:2»}', ["価格", "/é"], ["one", "one"]),
    "member-key-of-62-and-63": (
        "{" + ",".join(f'"{"k" * (n - 1)}{c}":{v}' for n, c, v in
                       [(61, "a", "1"), (61, "b", "«0:2»"), (62, "a", "3"), (62, "b", "«1:4»"), (63, "a", "5"), (63, "b", "«2:6»"), (200, "b", "«3:7»")]) + "}",
        ["k" * (n - 1) + "b" for n in (61, 62, 63, 200)],
        ["one"] * 4,
    ),
    "member-key-escaped": (
        r'{"\u0061":«0:1»,"b\"c":«1:2»,"d\\":«2:3»,"\ud83d\ude00":«3:4»,"e\/f":«4:5»}', ["a", r'["b\"c"]', r'["d\\"]', "😀", "/e~1f"], ["one"] * 5,
    ),
    "member-odd-keys": ('{"a.b":«0:1»,"[0]":«1:2»,"*":«2:3»,"$":«3:4»," ":«4:5»}', ['["a.b"]', '["[0]"]', '["*"]', "$.$", " "], ["one"] * 5),
    "member-last-of-many": ("{" + "".join(f'"k{i}":"v{i}",' for i in range(3000)) + '"z":«0:1»}', ["z"], ["one"]),
    "members-in-another-order": ('{"c":«2:3»,"b":«1:2»,"a":«0:1»}', ["a", "b", "c"], ["one"] * 3),
    # Elements.
    "element": ("[«1:10»,11,«0:12»]", ["[2]", "/0", "[3]", "[18446744073709551615]"], ["one", "one", "absent", "absent"]),
    "element-nested": ('{"asks":[[1,«0:2»],«1:[3,4]»]}', ["asks[0][1]", "/asks/1", "asks[1][2]"], ["one", "one", "absent"]),
    "element-of-a-map": ('{"0":1}', ["[0]"], ["absent"]),
    "member-of-an-array": ('[{"a":1}]', ["a", '["0"]', "0"], ["absent"] * 3),
    "pointer-digits-in-both": ('{"a":[«0:1»,2],"b":{"0":«1:3»,"1":4},"0":«2:[5]»}', ["/a/0", "/b/0", "/0"], ["one"] * 3),
    "pointer-leading-zero": ('{"a":[1,2],"b":{"01":«1:3»}}', ["/a/01", "/b/01"], ["absent", "one"]),
    # [*].
    "each": ("[«0.0:1»,«0.1:[2]»,«0.2:null»]", ["[*]"], [3]),
    "each-member": ('{"t":[{"p":«0.0:1»,"q":«1.0:2»},{"p":«0.1:3»},{"q":«1.2:4»}]}', ["t[*].p", "t[*].q"], [3, 3]),
    "each-empty": ('{"t":[]}', ["t[*]", "t[*].p"], [0, 0]),
    "each-of-no-array": ('{"a":{"b":1},"c":5,"d":null}', ["a[*]", "c[*]", "d[*]", "x[*]"], [0, 0, 0, 0]),
    "each-element-of-other-kinds": ('[{"p":«0.0:1»},5,null,[1],{"p":«0.4:{}»},{}]', ["[*].p"], [6]),
    "each-each": ("[[«0.0:1»,«0.1:2»],[],[«0.2:3»],5]", ["[*][*]"], [3]),
    "each-each-member": ('{"a":[{"b":[{"c":«0.0:1»},{}]},{"d":0},{"b":[{"c":«0.2:2»}]}]}', ["a[*].b[*].c"], [3]),
    "each-then-element": ("[[«0.0:1»,2],[],[«0.2:3»]]", ["[*][0]"], [3]),
    "element-then-each": ("[[1],[«0.0:2»,«0.1:3»]]", ["[1][*]"], [2]),
    "each-beside-an-element": ("[«0.0:«1:7»»,«0.1:8»]", ["[*]", "[0]"], [2, "one"]),
    "each-key-of-digits": ('[{"0":«0.0:1»},[«1.1:2»]]', ['[*]["0"]', "[*][0]"], [2, 2]),
    # Several paths.
    "paths-that-share": ('{"a":«0:{"b":«1:{"c":«2:1»}»}»}', ["a", "a.b", "a.b.c"], ["one"] * 3),
    "path-twice": ('{"a":«0:«1:«2:1»»»}', ["a", "/a", "$.a"], ["one"] * 3),
    "path-behind-a-found-value": ('{"a":«0:[«1:1»,{"b":«2:2»}]»}', ["a", "a[0]", "a[1].b", "a[0].b"], ["one", "one", "one", "absent"]),
    # What does not lead on.
    "null-on-the-way": ('{"a":null}', ["a.b", "a[0]", "a[*].b"], ["absent", "absent", 0]),
    "null-at-the-end": ('{"a":«0:null»}', ["a"], ["one"]),
    "scalar-on-the-way": ('{"a":5,"b":"x","c":true}', ["a.b", "b[0]", "c[*]"], ["absent", "absent", 0]),
}

# A key that comes twice: the last one counts. Trusted may take any, so it has no say here.
TWICE: dict[str, tuple[str, list[str], Kinds]] = {
    "twice": ('{"a":1,"b":2,"a":«0:3»}', ["a"], ["one"]),
    "twice-escaped": (r'{"a":1,"\u0061":«0:3»}', ["a"], ["one"]),
    "twice-nested": ('{"x":{"a":1,"a":«0:3»}}', ["x.a"], ["one"]),
    "twice-the-last-lacks-the-rest": ('{"a":{"b":1},"a":{"c":2}}', ["a.b"], ["absent"]),
    "twice-the-last-is-a-scalar": ('{"a":{"b":1},"a":5}', ["a.b"], ["absent"]),
    "twice-a-list": ('{"t":[1,2,3],"t":[«0.0:4»]}', ["t[*]"], [1]),
    "twice-a-list-of-none": ('{"t":[1,2,3],"t":{}}', ["t[*]"], [0]),
    "twice-in-an-element": ('[{"p":1,"p":«0.0:2»},{"p":«0.1:3»}]', ["[*].p"], [2]),
    "twice-a-list-in-an-element": ('[{"t":[1,2],"t":[«0.0:3»]},{"t":[«0.1:4»]}]', ["[*].t[*]"], [2]),
}

# name -> (marked document, paths, by level (and read dialect): what each finds, or the error). A level that is not named may
# do either. Bytes that are no UTF-8 are written as U+DC80 to U+DCFF.
BROKEN: dict[str, tuple[str, list[str], dict[str, "Kinds | str"]]] = {
    # What structural does not look at.
    "other-scalar": ('{"x":tru,"a":«0:1»}', ["a"], {"strict": "syntax 5 $.x", "structural": ["one"]}),
    "other-number": ('{"x":01,"a":«0:1»}', ["a"], {"strict": "syntax 6 $.x", "structural": ["one"]}),
    "other-comma-missing": ('{"x":[1 2],"a":«0:1»}', ["a"], {"strict": "syntax 8 $.x[0]", "structural": ["one"]}),
    "other-closer": ('{"x":[1},"a":«0:1»}', ["a"], {"strict": "syntax 7 $.x[0]", "structural": ["one"]}),
    "other-colon-missing": ('{"x":{"y" 1},"a":«0:1»}', ["a"], {"strict": "syntax 10 $.x.y", "structural": ["one"]}),
    # What a path leads into is valid in full.
    "wanted-scalar": ('{"a":tru}', ["a"], {"strict": "syntax 5 $.a", "structural": "syntax 5 $.a", "trusted": "syntax 5 $.a"}),
    "wanted-number": ('{"a":01}', ["a"], {"strict": "syntax 6 $.a", "structural": "syntax 6 $.a", "trusted": "syntax 6 $.a"}),
    "wanted-sibling": ('{"a":{"x":nul,"b":1}}', ["a.b"], {"strict": "syntax 10 $.a.x", "structural": "syntax 10 $.a.x", "trusted": "syntax 10 $.a.x"}),
    "wanted-comma": ('{"a":[1 2]}', ["a[*]"], {"strict": "syntax 8 $.a[0]", "structural": "syntax 8 $.a[0]", "trusted": "syntax 8 $.a[0]"}),
    # What structural sees wherever it is.
    "utf-8-in-another": ('{"x":"\udcff","a":1}', ["a"], {"strict": "encoding 6 $.x", "structural": "encoding 6 $.x"}),
    "string-open": ('{"a":1,"x":"abc}', ["a"], {"strict": "truncated 11 $.x", "structural": "truncated 11 $.x"}),
    "string-control": ('{"x":"a\tb","a":1}', ["a"], {"strict": "syntax 7 $.x", "structural": "syntax 7 $.x"}),
    "string-escape": (r'{"x":"\q","a":1}', ["a"], {"strict": "syntax 6 $.x", "structural": "syntax 6 $.x"}),
    "string-escape-in-a-key": (r'{"\q":1,"a":1}', ["a"], {"strict": "syntax 2 $", "structural": "syntax 2 $"}),
    "bracket-open": ('{"x":[1,"a":1}', ["a"], {"strict": "syntax 11 $.x[1]", "structural": "syntax 11 $.x[1]"}),
    "bracket-cut": ('{"a":1,"x":[1', ["a"], {"strict": "truncated 13 $.x[0]", "structural": "truncated 13 $.x[0]"}),
    "too-deep": ('{"a":1,"x":' + "[" * 1024 + "]" * 1024 + "}", ["a"], {level: "depth 1034 $.x" + "[0]" * 39 + "..." + "[0]" * 20 for level in ("strict", "structural")}),
    "trailing": ('{"a":1} 2', ["a"], {"strict": "trailing 8 $", "structural": "trailing 8 $"}),
    "two-documents": ('{"a":1}{"a":2}', ["a"], {"strict": "trailing 7 $", "structural": "trailing 7 $"}),
    "empty": ("", ["a"], dict.fromkeys(LEVELS, "truncated 0 $")),
    "white-space-alone": (" \n", ["a"], dict.fromkeys(LEVELS, "truncated 2 $")),
    "first-fault-is-told": ('{"x":tru,"y":"\udcff","a":1}', ["a"], {"strict": "syntax 5 $.x", "structural": "syntax 5 $.x"}),
    # What a read dialect grants or refuses, in the level strict.
    "beyond-a-double": (
        '{"x":1e400,"a":«0:1»}', ["a"],
        {"strict": ["one"], "strict.rfc8259": ["one"], "strict.exact_decimals": ["one"], "strict.doubles": "range 5 $.x", "structural": ["one"], "trusted": ["one"]},
    ),
    "beyond-a-double-wanted": (
        '{"a":«0:-1e400»}', ["a"],
        {"strict": ["one"], "strict.exact_decimals": ["one"], "strict.doubles": "range 5 $.a", "structural": ["one"], "trusted": ["one"]},
    ),
    "beyond-a-double-within": (
        '{"a":\n «0:{"x":1, "b":1e400}»}', ["a"],
        {"strict": ["one"], "strict.exact_decimals": ["one"], "strict.doubles": "range 19 $.a.b", "structural": ["one"], "trusted": ["one"]},
    ),
    "key-twice": ('{"x":{"b":1,"b":2},"a":«0:3»}', ["a"], {"strict": ["one"], "strict.unique_keys": "duplicate 12 $.x", "structural": ["one"], "trusted": ["one"]}),
}


def unmarked(marked: str) -> tuple[bytes, dict[tuple[int, int], tuple[int, int]]]:
    """The document, and offset and length of what is marked by path and element."""
    document, places, opened = b"", {}, []
    for part in re.split("(«\\d+(?:\\.\\d+)?:|»)", marked):
        if part == "»":
            which, at = opened.pop()
            places[which] = (at, len(document) - at)
        elif part.startswith("«"):
            path, _, element = part[1:-1].partition(".")
            opened.append(((int(path), int(element or 0)), len(document)))
        else:
            document += part.encode("utf-8", "surrogateescape")
    return document, places


def found(kinds: Kinds, places: dict[tuple[int, int], tuple[int, int]]) -> str:
    lines = []
    for i, kind in enumerate(kinds):
        if isinstance(kind, int):
            lines.append(f"each {kind}")
        for j in range(kind if isinstance(kind, int) else 1):
            assert (kind == "one") <= ((i, j) in places) and (kind == "absent") <= ((i, j) not in places)
            lines.append("{} {}".format(*places[i, j]) if (i, j) in places else "absent")
    return "\n".join(lines) + "\n"


def write(name: str, marked: str, paths: list[str], by_level: dict[str, "Kinds | str"]) -> None:
    document, places = unmarked(marked)
    (HERE / f"{name}.in").write_bytes(document)
    (HERE / f"{name}.paths").write_bytes("".join(path + "\n" for path in paths).encode())
    for level, expected in by_level.items():
        if isinstance(expected, str):
            (HERE / f"{name}.{level}.error").write_text(expected + "\n")
        else:
            (HERE / f"{name}.{level}.found").write_text(found(expected, places))


def main() -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    HERE.mkdir()
    for name, (marked, paths, kinds) in VALID.items():
        write(name, marked, paths, dict.fromkeys(LEVELS, kinds))
    for name, (marked, paths, kinds) in TWICE.items():
        write(name, marked, paths, {"strict": kinds, "structural": kinds})
    for name, (marked, paths, by_level) in BROKEN.items():
        write(name, marked, paths, by_level)


if __name__ == "__main__":
    main()
