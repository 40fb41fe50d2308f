"""Paths that no projection compiles (counted from the end, `*`, `..`, keys), calculated columns, and conditions over rows and times,
against an oracle in plain Python: generated documents, in JSON and binary formats, by any number of threads."""

from __future__ import annotations

import decimal
import json
import os
import random
import re
import subprocess
import sys
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

import pytest

import kumihimo

COUNT = int(os.environ.get("KUMIHIMO_COUNT", "1"))
ABSENT = object()


# ---- the oracle


def loads(text: Any) -> Any:
    return json.loads(text, parse_float=str, parse_int=str)


def steps_of(path: str) -> list[Any]:
    out: list[Any] = []
    for dots, name, inside in re.findall(r"(\.{0,2})(?:([^.\[\]]+)|\[([^\]]*)\])", path.removeprefix("$")):
        if dots == "..":
            out.append("..")
        if inside:
            out.append("[*]" if inside == "*" else int(inside))
        else:
            out.append(name if name in ("*", "~") else ("key", name))
    return out


Place = tuple[Any, ...]


def places(value: Any, at: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every value with the keys, or numbers and sizes, that lead to it, in the order of the document."""
    yield at, value
    if isinstance(value, dict):
        for k, one in value.items():
            yield from places(one, (*at, k))
    elif isinstance(value, list):
        for i, one in enumerate(value):
            yield from places(one, (*at, (i, len(value))))


def leads(steps: list[Any], at: Place) -> bool:
    if not steps:
        return not at
    if steps[0] == "..":
        return leads(steps[1:], at) or (bool(at) and leads(steps, at[1:]))
    if not at:
        return False
    if isinstance(at[0], str):
        return (steps[0] == "*" or steps[0] == ("key", at[0])) and leads(steps[1:], at[1:])
    return (steps[0] == "[*]" or steps[0] in (at[0][0], at[0][0] - at[0][1])) and leads(steps[1:], at[1:])


def matches(value: Any, steps: list[Any]) -> Iterator[Any]:
    """For each value that the last step of several leads to what the rest leads to from there, or ABSENT; or its key."""
    names = steps[-1] == "~"
    last = [i for i, s in enumerate(steps) if s in ("*", "[*]") or (i and steps[i - 1] == "..")][-1]
    for at, one in places(value):
        if leads(steps[: last + 1], at):
            yield at[-1] if names else single(one, steps[last + 1 :])


def single(value: Any, steps: list[Any]) -> Any:
    for step in steps:
        if isinstance(step, tuple):
            if not isinstance(value, dict) or step[1] not in value:
                return ABSENT
            value = value[step[1]]
        else:
            if not isinstance(value, list) or not -len(value) <= step < len(value):
                return ABSENT
            value = value[step]
    return value


def lookup(value: Any, path: str) -> Any:
    """None for null and for what is absent; a list where the path leads to several values."""
    steps = steps_of(path)
    several = [i for i, s in enumerate(steps) if s in ("*", "[*]", "..")]
    if not several:
        found = single(value, steps)
        return None if found is ABSENT else found
    start = single(value, steps[: several[0]])
    walks = {"*": isinstance(start, dict), "[*]": isinstance(start, list), "..": isinstance(start, (dict, list))}
    if not walks[steps[several[0]]]:
        return None
    return [None if v is ABSENT else v for v in matches(start, steps[several[0] :])]


# ---- generated documents


KEYS = ["a", "b", "price", "l", "é", "a b", "x"]


class Maker:
    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)

    def value(self, depth: int) -> Any:
        r = self.r
        if depth == 0 or r.random() < 0.25:
            return r.choice([None, True, False, 0, 1, -7, 2**53 + 1, 0.5, -1.25, "", "text", 'q"\\', "é日", "}]", "12"])
        if r.random() < 0.5:
            return {k: self.value(depth - 1) for k in r.sample(KEYS, r.randrange(5))}
        return [self.value(depth - 1) for _ in range(r.randrange(5))]

    def document(self) -> dict[str, Any]:
        return {k: self.value(4) for k in KEYS if self.r.random() < 0.8}

    def spelled(self, value: Any) -> str:
        """JSON with white space and escapes anywhere."""
        r = self.r

        def space() -> str:
            return r.choice(["", "", "", " ", "\t "])

        if isinstance(value, dict):
            members = (space() + self.spelled(k) + space() + ":" + space() + self.spelled(v) + space() for k, v in value.items())
            return "{" + (",".join(members) or space()) + "}"
        if isinstance(value, list):
            return "[" + (",".join(space() + self.spelled(v) + space() for v in value) or space()) + "]"
        if isinstance(value, str) and r.random() < 0.2:
            return '"' + "".join(f"\\u{ord(c):04x}" for c in value) + '"'
        return json.dumps(value, ensure_ascii=r.random() < 0.5)


PATHS = [
    "l[-1]", "l[-2]", "a[-1][-1]", "a[-1].price", "l[-1].a[-2].b", "b[0][-1]", "l[-100]", "$[-1]", "a[*][-1]", "l[*].a[-1].b",
    "*.price", "*.a", "a.*", "*", "*.*", "*.*.price", "a.*.b[0]", "a.*[*]", "a[*].*", "*.l[-1]", "a.*.l[*].price", "*.~", "a.*.~", "a[*].*.~", "*.*.~",
    "$..price", "a..price", "$..price.a", "$..a..b", "$..a.a", "$..[*]", "$..*", "$..[0]", "$..l[0].a", "a..*.~", "$..a[*].b", "*..price", "a[*]..b",
]  # fmt: skip


@pytest.fixture(scope="module")
def documents() -> list[Any]:
    maker = Maker(1)
    return [maker.document() for _ in range(60 * COUNT)]


@pytest.fixture(scope="module")
def lines(documents: list[Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    maker = Maker(2)
    file = tmp_path_factory.mktemp("paths") / "documents.ndjson"
    file.write_text("".join(maker.spelled(d) + "\n" for d in documents))
    return file


def text_of(rows: kumihimo.Extraction) -> bytes:
    out = b""
    while (chunk := rows.next_bytes()) is not None:
        out += chunk
    return out


def ndjson(inputs: Any, fields: list[str], **more: Any) -> bytes:
    return text_of(kumihimo.extract(inputs, fields, form="ndjson", **more))


def parsed(text: bytes) -> list[Any]:
    return [loads(line) for line in text.splitlines()]


def plain(value: Any) -> Any:
    """As loads() reads it: numbers are their text."""
    return loads(json.dumps(value))


def test_paths_of_documents(documents: list[Any], lines: Path) -> None:
    fields = [f"c{i}={path}" for i, path in enumerate(PATHS)]
    wanted = [{f"c{i}": lookup(plain(d), path) for i, path in enumerate(PATHS)} for d in documents]
    for level in ("strict", "structural", "trusted"):
        assert [loads(line) for line in ndjson(lines, fields, level=level).splitlines()] == wanted
    by_jobs = {ndjson(lines, fields, jobs=jobs) for jobs in (1, 2, 3, 4)}
    assert len(by_jobs) == 1
    for path in PATHS:  # a column alone is found as it is among others
        got = [loads(line)["c"] for line in ndjson(lines, ["c=" + path]).splitlines()]
        assert got == [row[f"c{PATHS.index(path)}"] for row in wanted], path
    found = [sum(row[f"c{i}"] not in (None, []) for row in wanted) for i in range(len(PATHS))]
    assert sum(n > 2 for n in found) > 0.8 * len(PATHS)


def test_paths_of_binary_documents(documents: list[Any], tmp_path: Path) -> None:
    fields = [f"c{i}={path}" for i, path in enumerate(PATHS)]
    plain_file = tmp_path / "plain.ndjson"
    plain_file.write_bytes(b"".join(kumihimo.dump(d, "json") + b"\n" for d in documents))
    wanted = parsed(ndjson(plain_file, fields))
    for form in ("msgpack", "cbor", "tagged"):
        file = tmp_path / f"stream.{form}"
        file.write_bytes(b"".join(kumihimo.dump(d, form) for d in documents))
        for level in ("strict", "structural", "trusted"):
            assert parsed(ndjson(file, fields, format=form, level=level, jobs=3)) == wanted, (form, level)


def test_a_key_that_comes_twice(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"l":[{"a":{"x":1},"a":{"x":2,"x":3}},{"a":{"x":4},"a":5}],"m":{"k":{"a":1,"a":2},"k":{"\\u0061":3}}}')
    fields = ["c0=l[-2].a.x", "c1=l[-1].a.x", "c2=m.*.a", "c3=m.*.~", "c4=l..a.x", "c5=$..a"]
    assert loads(ndjson(file, fields)) == {"c0": "3", "c1": None, "c2": ["2", "3"], "c3": ["k", "k"], "c4": ["1", "3", "4", None], "c5": [{"x": "1"}, {"x": "3"}, {"x": "4"}, "5", "1", "2", "3"]}


def test_a_deep_document(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"a":' * 1000 + "1" + "}" * 1000)
    (row,) = ndjson(file, ["c=$..a", "n := length($..a)"]).splitlines()
    assert row.endswith(b',"n":1000}')


def test_paths_that_meet_another_kind_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    file.write_text('{"t":[{"p":1}]}\n{"t":5}\n{"t":[5]}\n{"t":null}\n{"t":[]}\n')
    rows = kumihimo.extract(file, ["x=t[-1].p"], form="csv")
    assert text_of(rows) == b"1\n\n\n\n\n"
    assert any(note.startswith('in 2 rows a field is empty because its path meets another kind of value; the first: "t[-1].p"') for note in rows.notes), rows.notes


# ---- rows of members


def test_rows_of_members(documents: list[Any], lines: Path, tmp_path: Path) -> None:
    def members(value: Any) -> list[tuple[str, Any]]:
        return list(value.items()) if isinstance(value, dict) else []

    def elements(value: Any) -> list[Any]:
        return value if isinstance(value, list) else []

    plains = [plain(d) for d in documents]
    cases: list[tuple[str, list[str], list[dict[str, Any]]]] = [
        ("*", ["k=.~", "p=.price", "last=.[-1]", "x=$.x"], [{"k": k, "p": lookup(v, "price"), "last": lookup(v, "[-1]"), "x": d.get("x")} for d in plains for k, v in members(d)]),
        ("a.*", ["k=.~", "v=."], [{"k": k, "v": v} for d in plains for k, v in members(d.get("a"))]),
        ("*.*", ["o=..~", "k=.~", "v=."], [{"o": o, "k": k, "v": v} for d in plains for o, inner in members(d) for k, v in members(inner)]),
        ("*[*]", ["k=..~", "v=.", "n := concat(..~, '/', length($.*))"], [{"k": k, "v": v, "n": f"{k}/{len(d)}"} for d in plains for k, all_ in members(d) for v in elements(all_)]),
        ("l[*].*", ["k=.~", "v=.a"], [{"k": k, "v": lookup(v, "a")} for d in plains for one in elements(d.get("l")) for k, v in members(one)]),
    ]  # fmt: skip
    for form in ("msgpack", "cbor", "tagged"):
        (tmp_path / f"stream.{form}").write_bytes(b"".join(kumihimo.dump(d, form) for d in documents))
    for rows, fields, wanted in cases:
        assert len(wanted) > 10, rows
        for level in ("strict", "structural", "trusted"):
            assert [loads(line) for line in ndjson(lines, fields, rows=rows, level=level).splitlines()] == wanted, rows
        assert len({ndjson(lines, fields, rows=rows, jobs=jobs, source=True) for jobs in (1, 2, 3, 4)}) == 1
        for form in ("msgpack", "cbor", "tagged"):
            assert parsed(ndjson(tmp_path / f"stream.{form}", fields, rows=rows, format=form)) == wanted, (rows, form)


def test_members_without_fields_and_with_outer(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    file.write_text('{"pairs":{"btc":{"last":1,"vol":2},"eth":{"last":3}},"t":1}\n{"pairs":{},"t":2}\n{"t":3}\n{"pairs":[1],"t":4}\n')
    assert ndjson(file, ["pair=.~", ".last", "t"], rows="pairs.*", rows_outer=True) == (
        b'{"pair":"btc","last":1,"t":1}\n{"pair":"eth","last":3,"t":1}\n' + b"".join(b'{"pair":null,"last":null,"t":%d}\n' % t for t in (2, 3, 4))
    )
    assert text_of(kumihimo.extract(file, rows="pairs.*", form="csv")) == b"1,2\n3,\n"
    rows = kumihimo.extract(file, [".~", ".last:string"], rows="pairs.*", form="csv")
    assert [name for name, _, _ in rows.schema] == ["key", "last"]
    assert text_of(rows) == b"btc,1\neth,3\n"
    assert any("another kind of value stood" in note for note in rows.notes), rows.notes


def test_a_bad_member(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    text = '{"pairs": {"a b": {"n": 1}, "c\\u0022": {"n": "x"}, "d": {"n": 3}}}'
    file.write_text(text)
    for form in ("json", "msgpack"):
        if form == "msgpack":
            file = tmp_path / "a.msgpack"
            file.write_bytes(kumihimo.dump(json.loads(text), "msgpack"))
        rows = kumihimo.extract(file, ["k=.~", "n=.n:int64"], rows="pairs.*", form="csv", on_error="skip")
        assert text_of(rows) == b"a b,1\nd,3\n"
        (report,) = rows.take_reports()
        assert report.path == '$.pairs["c\\""].n' and (form != "json" or text[report.offset :].startswith('"x"'))


# ---- calculated columns


decimal.getcontext().prec = 20_000


class Bad(Exception):
    pass


def exact(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        raise Bad
    return Decimal(value)


def checked(value: Decimal) -> Decimal:
    digits = value.normalize().as_tuple().digits
    if value != 0 and len(digits) > 38:
        raise Bad
    return value


Formula = Callable[[dict[str, Any]], Any]


class Expression:
    """Expressions, each as text and as what it makes of a document."""

    def __init__(self, r: random.Random) -> None:
        self.r = r

    def leaf(self) -> tuple[str, Formula]:
        if self.r.random() < 0.3:
            text = self.r.choice(["2", "0.10", "1e3", "0", "12345678901234567890", "0.000001"])
            return text, lambda d: Decimal(text)
        key = self.r.choice(["i", "f", "s", "big", "gone"])
        return self.r.choice([key, "$." + key, f'["{key}"]']), lambda d: d.get(key)

    def make(self, depth: int) -> tuple[str, Formula]:
        r = self.r
        if depth == 0 or r.random() < 0.2:
            return self.leaf()
        k = r.random()
        if k < 0.12:
            text, one = self.make(depth - 1)

            def negative(d: dict[str, Any]) -> Any:
                v = one(d)
                return None if v is None else -exact(v)

            return f"-({text})", negative
        if k < 0.3:
            parts = [self.make(depth - 1) for _ in range(r.randrange(1, 4))]

            def first(d: dict[str, Any]) -> Any:
                return next((v for _, p in parts if (v := p(d)) is not None), None)

            return "coalesce(" + ", ".join(t for t, _ in parts) + ")", first
        (left, a), (right, b) = self.make(depth - 1), self.make(depth - 1)
        op = r.choice("+-*")

        def both(d: dict[str, Any]) -> Any:
            x, y = a(d), b(d)
            x, y = (None if x is None else exact(x)), (None if y is None else exact(y))
            if x is None or y is None:
                return None
            checked(x), checked(y)
            return checked(x + y if op == "+" else x - y if op == "-" else x * y)

        space = r.choice(["", " "])
        return f"({left}{space}{op}{space}{right})", both


def test_arithmetic_is_exact(tmp_path: Path) -> None:
    r = random.Random(5)
    texts = []
    for _ in range(60 * COUNT):
        members = [f'"i": {r.choice([0, 1, -5, 7, 2**63 - 1, -(2**63), 10**20])}', f'"f": {r.choice(["0.1", "0.2", "-1.50", "1e-7", "3E2", "99999.99", "0.0"])}', f'"s": {r.choice(["1", "null", "2.5", chr(34) + "x" + chr(34), "true", "[1]"])}']
        if r.random() < 0.5:
            members.append(f'"big": {r.choice(["1e30", "123456789012345678901234567890.12345678", "1e-30", "1e400"])}')
        texts.append("{" + ", ".join(members) + "}")
    file = tmp_path / "a.ndjson"
    file.write_text("".join(t + "\n" for t in texts))
    documents = [json.loads(t, parse_float=Decimal) for t in texts]
    maker = Expression(r)
    bad = good = 0
    for turn in range(120 * COUNT):
        text, formula = maker.make(3)
        if not re.search("[a-z]", re.sub("coalesce|e[0-9]", "", text)):
            continue
        wanted: list[Any] = []
        for d in documents:
            try:
                wanted.append(formula(d))
            except Bad:
                wanted.append("bad")
        rows = kumihimo.extract(file, [f"c := {text}"], form="ndjson", on_error="null", jobs=1 + turn % 4)
        out = [json.loads(line, parse_float=Decimal)["c"] for line in text_of(rows).splitlines()]
        assert [None if w == "bad" else w for w in wanted] == out, text
        assert len(rows.take_reports()) == wanted.count("bad"), text
        bad += wanted.count("bad")
        good += sum(w is not None for w in wanted)
    assert bad > 100 and good > 1000


@pytest.mark.parametrize(
    "expression,document,wanted",
    [
        ("a + b", '{"a":0.1,"b":0.2}', "0.3"),
        ("a + b", '{"a":1.10,"b":2}', "3.10"),
        ("a + 1", '{"a":9223372036854775807}', "9223372036854775808"),
        ("a * 1000", '{"a":1e3}', "1000000"),
        ("a * a", '{"a":1e200}', "1e400"),
        ("a - a", '{"a":-0.50}', "0.00"),
        ("-a", '{"a":0}', "0"),
        ("a / b", '{"a":1,"b":3}', repr(1 / 3)),
        ("a / b", '{"a":6,"b":3}', "2.0"),
        ("a / b", '{"a":1e300,"b":1e-7}', repr(1e300 / 1e-7)),
        ("/a/1 + 1", '{"a":[5,7]}', "8"),
        ("/a/1 + 1", '{"a":{"1":7}}', "8"),
        ('a."x y"*2', '{"a":{"x y":4}}', "8"),
        ("2 + a * 3", '{"a":4}', "14"),
        ("(2 + a) * 3", '{"a":4}', "18"),
        ("10 - a - 3", '{"a":4}', "3"),
        ("a:decimal * 2", '{"a":"1.5"}', "3.0"),
        ("a - b", '{"a":1}', "null"),
        ("a - b", '{"a":null,"b":1}', "null"),
        ("coalesce(a, b, 7)", '{"a":null}', "7"),
        ("coalesce(a, b)", '{"a":null,"b":{"x":[1, 2]}}', '{"x":[1, 2]}'),
        ("coalesce(a[-1], 'none')", '{"a":[]}', '"none"'),
        ("concat(a, '-', b, true)", '{"a":"x\\n\\"","b":1.50}', '"x\\n\\"-1.50true"'),
        ("concat(a, b)", '{"a":"x"}', "null"),
        ("length(a)", '{"a":"\\u00e9\\ud83d\\ude00x"}', "3"),
        ("length(a)", '{"a":[1,[2,3],{"x":","}]}', "3"),
        ("length(a)", '{"a": { "x" : 1 , "y]" : {} } }', "2"),
        ("length(a)", '{"a":[ ]}', "0"),
        ("length(a[*].b)", '{"a":[{"b":1},{}]}', "2"),
        ("length(a)", '{"a":null}', "null"),
        ("a[*].b", '{"a":[{"b":1},{}]}', "[1,null]"),
        ("strptime(a, '%d/%b/%Y:%H:%M:%S %z')", '{"a":"25/Dec/2016:10:53:10 +0900"}', '"2016-12-25T01:53:10Z"'),
        ("strptime(a, '%F %T')", '{"a":"2016-12-25 10:53:10"}', '"2016-12-25T10:53:10"'),
    ],
)  # fmt: skip
def test_expressions(tmp_path: Path, expression: str, document: str, wanted: str) -> None:
    file = tmp_path / "a.json"
    file.write_text(document)
    assert ndjson(file, [f"c := {expression}"]).decode() == '{"c":' + wanted + "}\n"
    if re.search(r"\d[.eE]", document):
        return  # a spelling that binary formats do not have
    for form in ("msgpack", "cbor", "tagged"):
        file = tmp_path / f"a.{form}"
        file.write_bytes(kumihimo.dump(json.loads(document), form))
        assert parsed(ndjson(file, [f"c := {expression}"])) == [{"c": loads(wanted)}], form


@pytest.mark.parametrize(
    "expression,why",
    [
        ("a == 1", "an operator"),
        ("a + ", "a path or a value is expected here"),
        ("1 + 2", "there is no path in this expression"),
        ("sqrt(a)", "there is no function of this name"),
        ("(a", "a \\( is not closed"),
        ("a)", "there is a \\) without its \\("),
        ("length(a, b)", "length is of one value"),
        ("strptime(a)", "strptime takes a text and its form"),
        ("strptime(a, '%Q')", "%Q is no directive"),
        ("a[-1] + b..c[-1]", "an element is not counted from the end in a path with .."),
        ("-" * 300 + "a", "more than 200 deep"),
        ("a[*].b * 2", "this is a list of values, and not a number to calculate with"),
        ("a + length(b * 2)", "this is a number, and length is of texts, arrays and objects"),
        ("a" + "+a" * 1000, "more than 1000 parts"),
        ("", "an expression is missing"),
    ],
)
def test_mistakes_in_expressions(tmp_path: Path, expression: str, why: str) -> None:
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(ValueError, match=f"(?s)field.* at column .*{why}"):
        kumihimo.extract(tmp_path / "a.json", [f"c := {expression}"])


@pytest.mark.parametrize(
    "expression,document,why",
    [
        ("a + b", '{"a":"5","b":1}', 'column "c": "a" is text, "5", and not a number to calculate with; of texts that hold one write a:decimal'),
        ("a + b", '{"a":null,"b":[1]}', 'column "c": "b" is an array or an object, .*, and not a number'),
        ("a / b", '{"a":1,"b":0.0}', 'column "c": 1 / 0.0 divides by zero'),
        ("a * b", '{"a":12345678901234567890.1,"b":12345678901234567890.1}', "has more than 38 digits"),
        ("a / b", '{"a":1e308,"b":1e-308}', "is beyond the largest double"),
        ("concat(a, b)", '{"a":[1],"b":2}', '"a" is an array or an object, .*and concat joins'),
        ("length(a)", '{"a":5}', '"a" is a number, 5, and length is of texts, arrays and objects'),
        ("strptime(a, '%F')", '{"a":"x"}', "not of the form %F: at character 1 it lacks"),
        ("a:decimal + 1", '{"a":"x"}', '"a" is taken for a number, but here it is text, "x"'),
        ("coalesce(a:decimal, 1)", '{"a":true}', '"a" is taken for a number, but here it is true or false, true'),
    ],
)
def test_what_cannot_be_calculated(tmp_path: Path, expression: str, document: str, why: str) -> None:
    (tmp_path / "a.json").write_text(document)
    (tmp_path / "a.msgpack").write_bytes(kumihimo.dump(json.loads(document), "msgpack"))
    for name in ("a.json", "a.msgpack") if "e" not in document and "890.1" not in document and "0.0" not in document else ("a.json",):
        with pytest.raises(kumihimo.ExtractionError, match=why):
            ndjson(tmp_path / name, [f"c := {expression}"])


def test_types_of_calculated_columns(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="not proven: pyarrow is not installed")
    file = tmp_path / "a.ndjson"
    file.write_text("".join(json.dumps({"bid": i, "ask": i + 0.5, "n": 2**62 + i, "at": f"{1 + i % 28:02}/Jan/2024", "t": [1] * (i % 3), "s": "x"}) + "\n" for i in range(3000)))
    fields = ["spread := ask - bid", "sum := n + bid", "twice := n + n", "mid:decimal(10,2) := (ask + bid) / 2", "len := length(t)", "id := concat(s, bid)", "at := strptime(at, '%d/%b/%Y')",
              "tokyo:timestamp[Asia/Tokyo] := strptime(at, '%d/%b/%Y')", "first := coalesce(t[-1], bid)"]  # fmt: skip
    for jobs in (1, 4):
        rows = kumihimo.extract(file, fields, jobs=jobs)
        assert [t for _, t, _ in rows.schema] == ["float64", "int64", "decimal", "decimal(10,2)", "int64", "string", "timestamp[naive]", "timestamp[Asia/Tokyo]", "int64"]
        table = pa.table(rows)
        assert table.column("spread").to_pylist() == [0.5] * 3000
        assert table.column("sum").to_pylist() == [2**62 + 2 * i for i in range(3000)]
        assert table.column("twice").to_pylist() == [str(2**63 + 2 * i) for i in range(3000)]
        assert table.column("mid").to_pylist() == [Decimal(f"{i}.25") for i in range(3000)]
        assert table.column("at").to_pylist()[:2] == [datetime(2024, 1, 1), datetime(2024, 1, 2)]
        assert table.column("tokyo").to_pylist()[0].astimezone(timezone.utc) == datetime(2023, 12, 31, 15, tzinfo=timezone.utc)
        assert table.column("first").to_pylist() == [1 if i % 3 else i for i in range(3000)]
    late = tmp_path / "late.ndjson"
    late.write_text('{"a":1,"b":2}\n' * 2000 + '{"a":0.5,"b":1}\n')
    table = pa.table(kumihimo.extract(late, ["s := a + b"], sample=10))
    assert table.column("s").to_pylist() == [3.0] * 2000 + [1.5]


def test_where_a_calculation_fails(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    text = '{"t":[{"p":1}],"k":1}\n{"t":[{"p":1},{"p":"x"}], "k": 2}\n{"k":"y","t":[{"p":3}]}\n'
    file.write_text(text)
    rows = kumihimo.extract(file, ["s := .p + $.k"], rows="t[*]", form="csv", on_error="quarantine")
    assert text_of(rows) == b"2\n3\n"
    reports = rows.take_reports()
    assert [(r.path, r.line) for r in reports] == [("$.t[1].p", 2), ("$.k", 3)]
    assert text[reports[0].offset :].startswith('"x"') and text[reports[1].offset :].startswith('"y"')
    assert [json.loads(q)["document"] for q in rows.take_quarantine().splitlines()] == ['{"p":"x"}', text.splitlines()[2]]
    rows = kumihimo.extract(file, ["s := t[-1].p + k"], form="csv", on_error="skip")
    assert text_of(rows) == b"2\n" and [(r.path, r.line) for r in rows.take_reports()] == [("$.t[-1].p", 2), ("$.k", 3)]


def test_a_dict_of_fields(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"ask":3,"bid":1}')
    assert ndjson(file, {"spread": ":= ask - bid", "a b": ":= ask", "bid": "bid"}) == b'{"spread":2,"a b":3,"bid":1}\n'  # type: ignore[arg-type]


# ---- conditions


def test_conditions_over_rows(tmp_path: Path) -> None:
    r = random.Random(9)
    documents = [
        {"kind": r.choice(["a", "b"]), "id": i, "g": [{"name": r.choice("xyz"), "t": [{"p": r.choice([1, 2.5, 3, None, "n/a"]), "l": [r.randrange(4) for _ in range(r.randrange(3))]} for _ in range(r.randrange(5))]} for _ in range(r.randrange(4))]}
        for i in range(200 * COUNT)
    ]  # fmt: skip
    lines = tmp_path / "a.ndjson"
    lines.write_text("".join(json.dumps(d) + "\n" for d in documents))
    for form in ("msgpack", "cbor", "tagged"):
        (tmp_path / f"a.{form}").write_bytes(b"".join(kumihimo.dump(d, form) for d in documents))

    def more(value: Any, than: float) -> Optional[bool]:
        if isinstance(value, str):
            raise Bad
        return None if value is None else value > than

    def last_is(t: Any, n: int) -> bool:
        return bool(t["l"]) and t["l"][-1] == n

    cases: list[tuple[str, Callable[[Any, Any, Any], Optional[bool]]]] = [
        (".p > 2", lambda d, g, t: more(t["p"], 2)),
        (".p > 2 and $.kind == 'a'", lambda d, g, t: False if more(t["p"], 2) is False else (d["kind"] == "a" and more(t["p"], 2))),
        ("kind == 'a' and ..name in ('x', 'y')", lambda d, g, t: d["kind"] == "a" and g["name"] in "xy"),
        ("any(.l[*]) == 3", lambda d, g, t: 3 in t["l"]),
        (".l[-1] == 1 or .p is null", lambda d, g, t: last_is(t, 1) or t["p"] is None),
        (".p:string == 'n/a'", lambda d, g, t: t["p"] == "n/a"),
        ("..t[-1].p is null and .p is null", lambda d, g, t: g["t"][-1]["p"] is None and t["p"] is None),
    ]  # fmt: skip
    for where, holds in cases:
        wanted, bad = [], 0
        for d in documents:
            for g in d["g"]:
                for i, t in enumerate(g["t"]):
                    try:
                        if holds(d, g, t):
                            wanted.append(f"{d['id']},{g['name']},{i}")
                    except Bad:
                        bad += 1
        assert len(wanted) > 20
        for form in ("ndjson", "msgpack", "cbor", "tagged"):
            for jobs in (1, 2, 3, 4):
                rows = kumihimo.extract(tmp_path / f"a.{form}", ["id", "..name"], rows="g[*].t[*]", where=where, form="csv", on_error="skip", source=True, jobs=jobs)
                out = [",".join([line.split(",")[0], line.split(",")[1], line.split(",")[-1]]) for line in text_of(rows).decode().splitlines()]
                assert out == wanted, (where, form, jobs)
                assert len(rows.take_reports()) == bad, (where, form)
        # Columns are found, limits counted, types guessed of the rows that it leaves.
        for limit in (1, 7):
            rows = kumihimo.extract(lines, ["id"], rows="g[*].t[*]", where=where, form="csv", on_error="skip", limit=limit)
            assert len(text_of(rows).splitlines()) == limit


def test_conditions_over_rows_report_places(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    text = '{"k":1,"t":[{"p":1},{"p":"x"},{"p":3}]}\n{"k":"z","t":[{"p":0},{"p":9}]}\n'
    file.write_text(text)
    rows = kumihimo.extract(file, [".p"], rows="t[*]", where=".p > 0 and $.k == 1", form="csv", on_error="quarantine")
    assert text_of(rows) == b"1\n3\n"
    reports = rows.take_reports()
    assert [(r.path, r.line, r.column) for r in reports] == [("$.t[1].p", 1, text.index('"x"') + 1), ("$.k", 2, 6)]
    assert [json.loads(q)["document"] for q in rows.take_quarantine().splitlines()] == ['{"p":"x"}', '{"p":9}']
    rows = kumihimo.extract(file, [".p"], rows="t[*]", where=".p > 0", form="csv", on_error="null")
    assert text_of(rows) == b"1\n\n3\n9\n"
    with pytest.raises(kumihimo.ExtractionError, match=r'at \$\.t\[1\]\.p: the condition compares ".p" with a number'):
        text_of(kumihimo.extract(file, [".p"], rows="t[*]", where=".p > 0", form="csv"))


def test_columns_that_are_found_in_rows_that_hold(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    lines = [json.dumps({"t": [{"kind": "b", f"k{i % 60}": i}] * 3 + ([{"kind": "a", "x": i}] if i % 50 == 49 else [])}) for i in range(2000)]
    file.write_text("\n".join(lines))
    for jobs in (1, 3):
        rows = kumihimo.extract(file, rows="t[*]", where=".kind == 'a'", form="csv", jobs=jobs, sample=5)
        assert [name for name, _, _ in rows.schema] == ["kind", "x", "rest"]  # the sample was not all of it
        assert text_of(rows).decode().splitlines() == [f"a,{i}," for i in range(49, 2000, 50)]


def test_conditions_over_keys_members_and_descent(documents: list[Any], lines: Path) -> None:
    plains = [plain(d) for d in documents]

    def count(where: str, rows: Optional[str] = None) -> int:
        taken = kumihimo.extract(lines, ["c=$.a"], where=where, rows=rows, form="csv", on_error="skip")
        return len(text_of(taken).splitlines())

    assert count(".~ == 'price'", "*") == sum("price" in d for d in plains)
    assert count(".~ matches '^[a-b]$' and ..~ like 'a%'", "*.*") == sum(k in "ab" for d in plains for o, v in d.items() if o.startswith("a") and isinstance(v, dict) for k in v)
    assert count("any(*.~) == 'price'") == sum("price" in d for d in plains)
    assert count("exists $..price") == sum(lookup(d, "$..price") != [] for d in plains)
    assert count("l[-1] is null") == sum(lookup(d, "l[-1]") is None for d in plains)
    assert count("any($..x:string) == 'text'") == sum("text" in (lookup(d, "$..x") or []) for d in plains if not any(isinstance(v, (dict, list)) for v in before(lookup(d, "$..x") or [], "text")))


def before(values: list[Any], stop: Any) -> list[Any]:
    """Those that are looked at until one is `stop`."""
    return values[: values.index(stop)] if stop in values else values


def test_times_in_conditions(tmp_path: Path) -> None:
    r = random.Random(3)
    base = 1_700_000_000
    moments, texts = [], []
    for _ in range(400):
        at = base + r.randrange(-3, 4)
        offset = r.choice([0, 9 * 3600, -5 * 3600 - 1800])
        clock = datetime.fromtimestamp(at + offset, timezone.utc).strftime("%Y-%m-%d{}%H:%M:%S").format(r.choice(["T", " "]))
        zone = "Z" if offset == 0 else f"{'+' if offset > 0 else '-'}{abs(offset) // 3600:02}:{abs(offset) % 3600 // 60:02}"
        moments.append(at)
        texts.append(json.dumps({"i": len(texts), "at": r.choice([clock + r.choice(["", ".0", ".000"]) + zone, at, at * 1000, f"{clock}{zone}"])}))
    file = tmp_path / "a.ndjson"
    file.write_text("\n".join(texts))
    binary = tmp_path / "a.msgpack"
    binary.write_bytes(b"".join(kumihimo.dump(json.loads(t), "msgpack") for t in texts))
    limit = datetime.fromtimestamp(base, timezone.utc)
    tests = {">=": lambda a: a >= base, "<": lambda a: a < base, "==": lambda a: a == base, "!=": lambda a: a != base, ">": lambda a: a > base, "<=": lambda a: a <= base}
    for op, holds in tests.items():
        wanted = [str(i) for i, at in enumerate(moments) if holds(at)]
        for literal in (limit.strftime("%Y-%m-%dT%H:%M:%SZ"), datetime.fromtimestamp(base + 9 * 3600, timezone.utc).strftime("%Y-%m-%d %H:%M:%S+09")):
            for inputs in (file, binary):
                for where, fields in ((f"time(at) {op} '{literal}'", ["i"]), (f"at {op} '{literal}'", ["i", "at:timestamp"])):
                    rows = kumihimo.extract(inputs, fields, where=where, form="csv", jobs=2)
                    assert [line.split(",")[0] for line in text_of(rows).decode().splitlines()] == wanted, where
    assert len(text_of(kumihimo.extract(file, ["i"], where=f"time(at) in ('{limit.isoformat()}', '2000-01-01T00:00Z')", form="csv")).splitlines()) == moments.count(base)


def test_times_of_zones_and_forms(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    file.write_text('{"at":"2016-12-25 10:00:00","d":"25/Dec/2016","u":"2016-12-25T01:00:00Z"}\n{"at":"2016-12-25 11:00:00","d":"26/Dec/2016","u":null}\n')

    def taken(where: str, *fields: str) -> int:
        return len(text_of(kumihimo.extract(file, [*fields, "d"], where=where, form="csv")).splitlines())

    assert taken("at >= '2016-12-25T01:30:00Z'", "at:timestamp[Asia/Tokyo]") == 1
    assert taken("at >= '2016-12-25 10:30:00'", "at:timestamp[Asia/Tokyo]") == 1
    assert taken("at == u", "at:timestamp[Asia/Tokyo]", "u:timestamp") == 1
    assert taken("at >= '2016-12-25 10:30'", "at:timestamp[naive]") == 1
    assert taken("time(at) >= '2016-12-25 10:30'") == 1
    assert taken("time(at) >= '2016-12-25 10:30' or time(u) is null") == 1
    assert taken("time(d, '%d/%b/%Y') > '25/Dec/2016'") == 1
    assert taken("not time(u) < '2016-12-25T01:00Z'") == 1
    assert taken("at > 'a'") == 0  # texts, where nobody says that they are times
    assert taken("time == '1'") == 0  # a key of that name
    for where, fields, why in (
        ("time(at) > 'yesterday'", [], "column 12: this is no time, such as"),
        ("at > 'yesterday'", ["at:timestamp"], "column 6: this is no time, such as"),
        ("time(at) > 5", [], "column 12: a time is compared with a time"),
        ("time(at) like '2016%'", [], "column 1: a time is compared, or one of a list"),
        ("time(at", [], r"a \) is expected here"),
        ("time(at:decimal) > '2016-12-25T00:00Z'", [], "column 6: a time is read from the value as it is"),
        ("time(d, '%Q') > '1'", [], "column 9: "),
        ("at > '2016-12-25T00:00Z'", ["at:timestamp[naive]"], "column 6: this time has a zone, and the other one has none"),
    ):
        with pytest.raises(ValueError, match=why):
            kumihimo.extract(file, [*fields, "d"], where=where)
    with pytest.raises(kumihimo.ExtractionError, match='compares "at" with a time with a zone, but here it is a time without a zone'):
        taken("time(at) > '2016-12-25T00:00Z'")
    with pytest.raises(kumihimo.ExtractionError, match='takes "d" for a time, but here it is "25/Dec/2016"'):
        taken("time(d) > '2016-12-25T00:00Z'")


# ---- what is refused, and the command


@pytest.mark.parametrize(
    "fields,more,why",
    [
        (["a[-0]"], {}, "there is no \\[-0\\]"),
        (["a.."], {}, "\\.\\. stands before a name"),
        (["a...b"], {}, "more than two dots"),
        (["~"], {}, "a document has no key"),
        (["a.~"], {}, "~ is the key of a member"),
        (["a.*.~.b"], {}, "a key has no members"),
        (["a.*:int64"], {}, "finds a list, so its type is json"),
        (["..price"], {}, "needs rows"),
        ([".~"], {"rows": "t[*]"}, "is the key of a member, but the rows of"),
        (["x := ..~"], {"rows": "t[*]"}, "no array so far around"),
        (["x := .p"], {}, "needs rows"),
        (["x"], {"rows": "$..t[*]"}, "the way to its arrays is of names"),
        (["x"], {"rows": "t[-1].b[*]"}, "the way to its arrays is of names"),
        (["x"], {"rows": "t[*]", "where": "..p > 5"}, "no array so far around"),
        (["x"], {"rows": "t[*]", "where": ".~ == 'a'"}, "is the key of a member, but the rows of"),
        ([":= a"], {}, "a calculated column has a name"),
        (["x=y := a"], {}, "without another ="),
        (["x:int := a"], {}, "write int64"),
        (["x := a:int64"], {}, "values are taken as they are, as :decimal or as :string"),
    ],
)
def test_what_is_refused(tmp_path: Path, fields: list[str], more: dict[str, Any], why: str) -> None:
    file = tmp_path / "a.json"
    file.write_text("{}")
    with pytest.raises(ValueError, match=why):
        kumihimo.extract(file, fields, **more)


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text('{"pairs":{"btc":{"ask":3,"bid":1},"eth":{"ask":2,"bid":2}}}\n')

    def command(*words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([sys.executable, "-m", "kumihimo.cli", "extract", *words], cwd=tmp_path, capture_output=True, timeout=300)

    done = command("a.ndjson", "--rows", "pairs.*", "-f", "pair=.~", "-f", "spread := .ask - .bid", "--where", ".ask > .bid")
    assert done.stdout == b"pair,spread\nbtc,2\n", done.stderr
    wrong = command("a.ndjson", "-f", "spread := ask -")
    assert wrong.returncode == 2
    assert b"at column 16: a path or a value is expected here\n  spread := ask -\n                 ^\n" in wrong.stderr, wrong.stderr
