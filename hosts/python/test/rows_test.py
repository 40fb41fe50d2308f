"""Rows that are elements of arrays, against an oracle in plain Python: generated documents in every spelling, format and packing."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, Iterator, Optional

import pytest

import kumihimo

ABSENT = object()


# ---- the oracle


def loads(text: Any) -> Any:
    return json.loads(text, parse_float=str, parse_int=str)


def steps_of(path: str) -> list[Any]:
    """Dotted paths as these tests spell them: names, [3], [*]."""
    out: list[Any] = []
    for name, inside in re.findall(r"([^.\[\]]+)|\[([^\]]*)\]", path.removeprefix("$")):
        out.append(name if name else "*" if inside == "*" else int(inside))
    return out


def lookup(value: Any, steps: list[Any]) -> Any:
    """What one path leads to; the list of all where it has [*], None where that walks no array."""
    for i, step in enumerate(steps):
        if step == "*":
            if not isinstance(value, list):
                return ABSENT
            rest = steps[i + 1 :]
            if "*" in rest:
                found = []
                for one in value:
                    inner = lookup(one, rest)
                    found += inner if isinstance(inner, list) else []
                return found
            return [None if (v := lookup(one, rest)) is ABSENT else v for one in value]
        if isinstance(step, str):
            if not isinstance(value, dict) or step not in value:
                return ABSENT
        elif not isinstance(value, list) or step >= len(value):
            return ABSENT
        value = value[step]
    return value


def rows_of(document: Any, arrays: list[str], outer: bool) -> Iterator[tuple[tuple[int, ...], list[Any]]]:
    """The numbers of the elements, and the values from the document to the row's element."""

    def inside(value: Any, left: list[str]) -> Iterator[tuple[tuple[int, ...], list[Any]]]:
        if not left:
            yield (), [value]
            return
        found = lookup(value, steps_of(left[0]))
        if isinstance(found, list) and found:
            for i, one in enumerate(found):
                for numbers, values in inside(one, left[1:]):
                    yield (i, *numbers), [value, *values]
        elif outer:
            yield (), [value] + [ABSENT] * len(left)

    yield from inside(document, arrays)


def field_of(values: list[Any], path: str) -> Any:
    dots = len(path) - len(path.lstrip("."))
    value = values[-dots] if dots else values[0]
    found = ABSENT if value is ABSENT else lookup(value, steps_of(path[dots:]))
    return None if found is ABSENT else found


def expected(documents: list[Any], rows: str, fields: list[str], outer: bool = False) -> list[dict[str, Any]]:
    arrays = rows.split("[*]")[:-1]
    return [{f"c{i}": field_of(values, path) for i, path in enumerate(fields)} for d in documents for _, values in rows_of(d, arrays, outer)]


# ---- generated documents


class Maker:
    """Documents as text, each in one of several spellings; keys that come twice, escapes, other kinds where an array should be."""

    def __init__(self, seed: int, twice: bool = True) -> None:
        self.r = random.Random(seed)
        self.twice = twice

    def scalar(self) -> str:
        r = self.r
        return r.choice(
            [
                str(r.randrange(-5, 1000)),
                f"{r.random() * 1000:.{r.randrange(1, 6)}f}",
                "1e-08",
                '"ask"',
                '"b\\u0069d \\"x\\" ]}"',
                '"' + "é" * r.randrange(4) + "y" * r.randrange(40) + '"',
                "true",
                "null",
                "-0.0",
                "12345678901234567890",
            ]
        )

    def object(self, members: list[tuple[str, str]]) -> str:
        comma, colon = self.style
        if self.twice and members and self.r.random() < 0.05:
            members = members + [self.r.choice(members)]
        if self.r.random() < 0.1:
            self.r.shuffle(members)
        spelled = [f'"{k}"' if self.r.random() > 0.02 else '"' + "".join(f"\\u{ord(c):04x}" for c in k) + '"' for k, _ in members]
        return "{" + comma.join(s + colon + v for s, (_, v) in zip(spelled, members)) + "}"

    def array(self, elements: list[str]) -> str:
        return "[" + self.style[0].join(elements) + "]"

    def some(self, of: Any, most: int = 6) -> str:
        kind = self.r.random()
        if kind < 0.1:
            return self.r.choice(["null", "5", '"[1]"', "{}", '{"0":1}', "true"])
        return self.array([of() for _ in range(0 if kind < 0.2 else self.r.randrange(1, most))])

    def trade(self) -> str:
        r = self.r
        if r.random() < 0.04:
            return r.choice([self.scalar(), "[]", "{}", "[1,[2]]"])
        members = [("price", self.scalar()), ("side", self.scalar())]
        if r.random() < 0.9:
            members.append(("p", self.object([("x", self.scalar()), ("y", self.scalar())]) if r.random() < 0.8 else self.scalar()))
        if r.random() < 0.5:
            members.append(("tags", self.some(lambda: self.object([("k", self.scalar())]) if r.random() < 0.7 else self.scalar())))
        if r.random() < 0.3:
            members.append(("pair", self.array([self.scalar(), self.scalar()])))
        return self.object(members)

    def group(self) -> str:
        members = [("id", self.scalar()), ("b", self.some(self.trade)), ("late", self.scalar())]
        return self.object(members) if self.r.random() < 0.9 else self.scalar()

    def document(self) -> str:
        r = self.r
        self.style = r.choice([(",", ":"), (", ", ": "), (" ,  ", " :\t")])
        members = [("id", self.scalar()), ("meta", self.object([("name", self.scalar()), ("trades", self.some(self.trade, 3))]))]
        for key, of in (("trades", self.trade), ("a", self.group), ("m", lambda: self.some(self.scalar, 4))):
            if r.random() < 0.9:
                members.append((key, self.some(of, r.choice([3, 6, 30]))))
        members.append(("timestamp", self.scalar()))
        return self.object(members)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    maker = Maker(1)
    return [maker.document() for _ in range(400)]


@pytest.fixture(scope="module")
def lines(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("rows") / "documents.ndjson"
    file.write_text("".join(text + "\n" for text in texts))
    return file


CASES = [
    ("trades[*]", [".price", ".side", ".p.x", "$.id", "timestamp"]),
    ("trades[*]", [".price"]),
    ("trades[*]", ["."]),
    ("trades[*]", ["$.id"]),
    ("trades[*]", [".p", ".p.x", ".p.y", ".pair[0]", ".pair[1]", ".[0]", ".[1][0]"]),
    ("trades[*]", [".tags", ".tags[*].k", ".tags[0].k", ".price", "$.trades[*].price", "$.trades[0].price", "$.meta.trades"]),
    ("meta.trades[*]", [".price", "$.meta.name", "$.id"]),
    ("a[*].b[*]", [".price", ".p.x", "..id", "..late", "$.id", "timestamp"]),
    ("a[*].b[*]", [".side", "..", "$.a[*].id"]),
    ("a[*].b[*].tags[*]", [".k", "..price", "...late", "$.id"]),
    ("m[*][*]", [".", "..", "$.id"]),
    ("m[*]", [".", ".[0]", ".[*]"]),
]


def text_of(rows: kumihimo.Extraction) -> bytes:
    out = b""
    while (chunk := rows.next_bytes()) is not None:
        out += chunk
    return out


def ndjson(inputs: Any, rows: str, fields: list[str], **more: Any) -> bytes:
    return text_of(kumihimo.extract(inputs, [f"c{i}={path}" for i, path in enumerate(fields)], rows=rows, form="ndjson", **more))


def parsed(text: bytes) -> list[Any]:
    return [loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("outer", [False, True])
@pytest.mark.parametrize("rows,fields", CASES)
def test_values_of_elements(texts: list[str], lines: Path, rows: str, fields: list[str], outer: bool) -> None:
    wanted = expected([loads(t) for t in texts], rows, fields, outer)
    assert len(wanted) > 100
    for level in ("strict", "structural"):
        assert parsed(ndjson(lines, rows, fields, rows_outer=outer, level=level)) == wanted


@pytest.mark.parametrize("rows,fields", CASES)
def test_trusted_documents(tmp_path: Path, rows: str, fields: list[str]) -> None:
    maker = Maker(2, twice=False)  # of a key that comes twice the level may take either
    texts = [maker.document() for _ in range(200)]
    file = tmp_path / "a.ndjson"
    file.write_text("".join(text + "\n" for text in texts))
    assert parsed(ndjson(file, rows, fields, level="trusted")) == expected([loads(t) for t in texts], rows, fields)


@pytest.mark.parametrize("rows,fields", CASES)
def test_binary_documents(texts: list[str], tmp_path: Path, rows: str, fields: list[str]) -> None:
    values = [json.loads(text) for text in texts]
    plain = tmp_path / "plain.ndjson"
    plain.write_bytes(b"".join(kumihimo.dump(value, "json") + b"\n" for value in values))
    for outer in (False, True):
        wanted = ndjson(plain, rows, fields, rows_outer=outer)
        for form in ("msgpack", "cbor", "tagged"):
            file = tmp_path / f"stream.{form}"
            file.write_bytes(b"".join(kumihimo.dump(value, form) for value in values))
            for level in ("strict", "structural", "trusted"):
                assert parsed(ndjson(file, rows, fields, rows_outer=outer, format=form, level=level)) == parsed(wanted), (form, level)


def test_arrays_of_open_end(tmp_path: Path) -> None:
    file = tmp_path / "a.cbor"
    file.write_bytes(bytes.fromhex("bf6161 9f a1617801 a1617802 ff 626964 07 ff") + bytes.fromhex("a1 6161 9f ff") + bytes.fromhex("a1 6161 80"))
    assert ndjson(file, "a[*]", [".x", "id"]) == b'{"c0":1,"c1":7}\n{"c0":2,"c1":7}\n'
    assert ndjson(file, "a[*]", [".x", "id"], rows_outer=True).count(b"\n") == 4


def test_any_packing_and_any_number_of_threads(texts: list[str], lines: Path, tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as z:
        for i, text in enumerate(texts):
            z.writestr(f"{i:04d}.json", text)
    array = tmp_path / "array.json"
    array.write_text("[" + ",\n".join(texts) + "]")
    for rows, fields in CASES[:1] + CASES[7:8]:
        wanted = ndjson(lines, rows, fields, jobs=1)
        for inputs in (lines, archive, array):
            for jobs in (1, 2, 3, 4):
                assert ndjson(inputs, rows, fields, jobs=jobs) == wanted
        assert ndjson(array, rows, fields, layout="array") == wanted
    for fields in (None, ["price=.price", "at=timestamp"]):
        by_jobs = {text_of(kumihimo.extract(archive, fields, rows="trades[*]", form="csv", jobs=jobs, source=True)) for jobs in (1, 2, 3, 4)}
        assert len(by_jobs) == 1


def test_a_document_that_is_an_array(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('[{"x":1},{"x":2},{}]')
    assert ndjson(file, "$[*]", [".x"], layout="document") == b'{"c0":1}\n{"c0":2}\n{"c0":null}\n'


def test_dialects(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"a": [{"x": 1,}, {"x": 2}, /* and */ {"y": 3}], "id": 7}')
    assert ndjson(file, "a[*]", [".x", "id"], format="json", dialect="relaxed") == b'{"c0":1,"c1":7}\n{"c0":2,"c1":7}\n{"c0":null,"c1":7}\n'


def test_a_limit_is_of_rows(lines: Path, texts: list[str]) -> None:
    wanted = ndjson(lines, "trades[*]", [".price"], jobs=1).splitlines()
    for limit in (0, 1, 2, 7, 50, 333, 10**6):
        for jobs in (1, 3):
            assert ndjson(lines, "trades[*]", [".price"], limit=limit, jobs=jobs).splitlines() == wanted[:limit]


def test_where_rows_come_from(texts: list[str], lines: Path) -> None:
    pytest.importorskip("pyarrow", reason="not proven: pyarrow is not installed")
    import pyarrow as pa

    for outer in (False, True):
        table = pa.table(kumihimo.extract(lines, ["price=.price:json"], rows="trades[*]", rows_outer=outer, source=True))
        numbers = [(numbers, at) for at, text in enumerate(texts) for numbers, _ in rows_of(loads(text), ["trades"], outer)]
        assert table.column_names == ["price", "archive", "entry", "offset", "element"]
        assert table.column("element").to_pylist() == [n[0] if n else None for n, _ in numbers]
        begins = [0]
        for text in texts:
            begins.append(begins[-1] + len(text.encode()) + 1)
        assert table.column("offset").to_pylist() == [begins[at] for _, at in numbers]
    table = pa.table(kumihimo.extract(lines, ["price=.price:json", "element_1=..id:json"], rows="a[*].b[*]", source=True))
    assert table.column_names == ["price", "element_1", "source_archive", "source_entry", "source_offset", "source_element_1", "source_element_2"]
    numbers = [n for text in texts for n, _ in rows_of(loads(text), ["a", "b"], False)]
    assert list(zip(table.column(5).to_pylist(), table.column(6).to_pylist())) == numbers


BAD = ['{"id":1,"trades":[{"n":1},{"n":"x"},{"n":3}]}', '{"id":"no","trades":[{"n":4},{"n":5}]}', '{"id":2,"trades":[{"n":6}]}', '{"id":3,"trades":[{"n":7},{"n":[8]}]}']


def bad_rows(file: Path, **more: Any) -> kumihimo.Extraction:
    return kumihimo.extract(file, ["id:int64", "n=.n:int64"], rows="trades[*]", form="csv", **more)


def test_bad_rows(tmp_path: Path) -> None:
    file = tmp_path / "bad.ndjson"
    text = "\n".join(BAD) + "\n"
    file.write_text(text)
    with pytest.raises(kumihimo.ExtractionError, match=r'bad.ndjson: byte 31 \(line 1, column 32\), at \$\.trades\[1\]\.n: column "n" .*"x"'):
        text_of(bad_rows(file))
    rows = bad_rows(file, on_error="skip")
    assert text_of(rows) == b"1,1\n1,3\n2,6\n3,7\n"
    reports = rows.take_reports()
    assert [(r.path, r.line) for r in reports] == [("$.trades[1].n", 1), ("$.id", 2), ("$.trades[1].n", 4)]
    for report, value in zip(reports, ('"x"', '"no"', "[8]")):
        assert text[report.offset :].startswith(value)
        assert text.split("\n")[report.line - 1][report.column - 1 :].startswith(value)
    rows = bad_rows(file, on_error="null", source=True)
    name = str(file)
    starts = [text.index(line) for line in BAD]
    assert text_of(rows).decode().splitlines() == [
        f"1,1,{name},,0,0", f",,{name},,0,1", f"1,3,{name},,0,2", f",,{name},,{starts[1]},", f"2,6,{name},,{starts[2]},0", f"3,7,{name},,{starts[3]},0", f",,{name},,{starts[3]},1",
    ]  # fmt: skip
    rows = bad_rows(file, on_error="quarantine")
    text_of(rows)
    records = [json.loads(line) for line in rows.take_quarantine().splitlines()]
    assert [r["document"] for r in records] == ['{"n":"x"}', BAD[1], '{"n":[8]}']
    progress = rows.progress()
    assert (progress["documents"], progress["rows"], progress["bad"]) == (4, 4, 3)


def test_bad_rows_on_many_lines(tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    elements = [json.dumps({"n": i if i % 3 else f"bad {i}"}, indent=1) for i in range(60)]
    text = '{"trades":\r\n[' + ",\r\n".join(elements) + "]}"
    file.write_bytes(text.encode())
    rows = kumihimo.extract(file, ["n=.n:int64"], rows="trades[*]", form="csv", on_error="skip")
    assert text_of(rows) == b"".join(b"%d\n" % i for i in range(60) if i % 3)
    reports = rows.take_reports()
    assert len(reports) == 20
    for k, report in enumerate(reports):
        before = text[: text.index(f'"bad {3 * k}"')]
        assert (report.offset, report.line, report.column) == (len(before), before.count("\n") + 1, len(before) - before.rindex("\n"))
        assert report.path == f"$.trades[{3 * k}].n"


def test_an_element_around_the_row_is_bad(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    file.write_text('{"a":[{"id":1,"b":[1,2]},{"id":"x","b":[3,4]},{"b":[5],"id":6}]}\n')
    rows = kumihimo.extract(file, ["id=..id:int64", "v=.:int64"], rows="a[*].b[*]", form="csv", on_error="quarantine")
    assert text_of(rows) == b"1,1\n1,2\n6,5\n"
    (report,) = rows.take_reports()
    assert report.path == "$.a[1].id" and json.loads(rows.take_quarantine())["document"] == '{"id":"x","b":[3,4]}'


def test_bad_documents(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    file.write_text('{"a":[1,2]}\n{"a":[3,4,}\n{"a":[5]}\n')
    rows = kumihimo.extract(file, ["v=.:int64"], rows="a[*]", form="csv", on_error="skip")
    assert text_of(rows) == b"1\n2\n5\n"
    (report,) = rows.take_reports()
    assert (report.line, report.column) == (2, 11)


def test_bad_rows_of_binary_documents(tmp_path: Path) -> None:
    file = tmp_path / "a.msgpack"
    documents = [kumihimo.dump(json.loads(text), "msgpack") for text in BAD]
    file.write_bytes(b"".join(documents))
    rows = bad_rows(file, on_error="skip")
    assert text_of(rows) == b"1,1\n1,3\n2,6\n3,7\n"
    first = rows.take_reports()[0]
    assert first.path == "$.trades[1].n" and file.read_bytes()[first.offset :].startswith(b"\xa1x")


def test_another_kind_where_the_array_should_be(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    file.write_text('{"a":[1]}\n{"a":5}\n{"a":null}\n{}\n{"a":{"b":1}}\n')
    rows = kumihimo.extract(file, ["v=."], rows="a[*]", form="csv")
    assert text_of(rows) == b"1\n"
    assert any("stood 2 times" in note and "byte 10" in note for note in rows.notes)


def test_a_field_that_meets_another_kind(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    file.write_text('{"a":[{"p":{"x":1}},{"p":2},{"p":3},{"p":null}]}\n')
    rows = kumihimo.extract(file, ["x=.p.x"], rows="a[*]", form="ndjson")
    assert text_of(rows) == b'{"x":1}\n{"x":null}\n{"x":null}\n{"x":null}\n'
    assert any(note.startswith('in 2 rows a field is empty because its path meets another kind of value; the first: ".p.x"') for note in rows.notes)


def test_types_that_are_guessed(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="not proven: pyarrow is not installed")
    import pyarrow as pa

    file = tmp_path / "a.ndjson"
    lines = [json.dumps({"id": d, "at": "2024-01-01T00:00:00", "t": [{"n": d * 10 + i, "x": i / 2, "s": "a"} for i in range(d % 4)]}) for d in range(2000)]
    lines[1500] = json.dumps({"id": 1500, "at": "2024-01-01T00:00:00", "t": [{"n": 1.5, "x": "text", "new": [True]}]})
    file.write_text("\n".join(lines))
    for jobs in (1, 3):
        rows = kumihimo.extract(file, ["id", "at", "n=.n", "x=.x"], rows="t[*]", sample=50, jobs=jobs)
        assert [t for _, t, _ in rows.schema] == ["int64", "timestamp[naive]", "float64", "json"]
        table = pa.table(rows)
        assert table.num_rows == sum(len(json.loads(line)["t"]) for line in lines)
        assert any("it becomes float64" in note for note in rows.notes)
        found = kumihimo.extract(file, rows="t[*]", sample=50, jobs=jobs)
        assert [(name, path) for name, _, path in found.schema] == [("n", ".n"), ("x", ".x"), ("s", ".s"), ("new", ".new")]
        table = pa.table(found)
        assert [v for v in table.column("new").to_pylist() if v] == ["[true]"] and 1.5 in table.column("n").to_pylist()


def test_what_the_sample_did_not_have_goes_to_rest(tmp_path: Path) -> None:
    text = '{"t":[{"n":1},{"n":2}]}\n{"t":[{"n":"x","late":{"y":1}}]}\n'
    command = [sys.executable, "-m", "kumihimo", "extract", "-", "--rows", "t[*]", "--sample", "1"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, cwd=tmp_path)
    assert done.stdout.decode() == 'n,rest\n1,\n2,\nx,"{""late"":{""y"":1}}"\n', done.stderr


@pytest.mark.parametrize(
    "rows,fields,why",
    [
        ("trades", [".a"], r"does not end in \[\*\]"),
        ("trades[*].x", [".a"], r"does not end in \[\*\]"),
        ("/trades", [".a"], "JSON Pointer"),
        ("", [".a"], "write the path of arrays"),
        ("a[", [".a"], "path ends inside brackets"),
        ("a[*][*][*][*][*]", [".a"], "more than 4 arrays"),
        ("a[*]", ["..x"], "no array so far around"),
        (None, [".x"], "needs rows"),
        ("a[*]", [".x:int64", "$.x:int64"], 'two columns are named "x"'),
    ],
)
def test_what_is_refused(tmp_path: Path, rows: Optional[str], fields: list[str], why: str) -> None:
    file = tmp_path / "a.json"
    file.write_text("{}")
    with pytest.raises(ValueError, match=why):
        kumihimo.extract(file, fields, rows=rows)
    with pytest.raises(ValueError, match="rows_outer is of rows"):
        kumihimo.extract(file, ["x"], rows_outer=True)


def test_rows_are_counted(lines: Path, texts: list[str]) -> None:
    for outer in (False, True):
        rows = kumihimo.extract(lines, rows="trades[*]", rows_outer=outer, form="none")
        count = 0
        while (n := rows.next_count()) is not None:
            count += n
        assert count == len(expected([loads(t) for t in texts], "trades[*]", [], outer))


def test_one_large_document(tmp_path: Path) -> None:
    """Its rows go out in parts, so their memory is bounded; a text of the document stands in each of them."""
    file = tmp_path / "a.json"
    name = "n" * 2000
    file.write_text(json.dumps({"name": name, "t": [{"i": i, "s": "é" * (i % 7)} for i in range(60_000)]}, ensure_ascii=False))
    for jobs in (1, 2):
        rows = kumihimo.extract(file, ["name", "i=.i", "s=.s"], rows="t[*]", form="csv", jobs=jobs)
        at, largest, rest = 0, 0, b""
        while (chunk := rows.next_bytes()) is not None:
            largest = max(largest, len(chunk))
            lines = (rest + chunk).split(b"\n")
            rest = lines.pop()
            for line in lines:
                assert line == f"{name},{at},{'é' * (at % 7) or chr(34) * 2}".encode()
                at += 1
        assert at == 60_000 and rest == b"" and largest < 40_000_000


def test_conditions_samples_and_limits(texts: list[str], lines: Path, tmp_path: Path) -> None:
    fields = [".price", "$.id"]
    wanted = ndjson(lines, "trades[*]", fields, jobs=1).splitlines()
    chosen = [text for text in texts if isinstance(v := loads(text).get("id"), str) and v == "ask"]
    assert parsed(ndjson(lines, "trades[*]", fields, where='id == "ask"', on_error="skip")) == expected([loads(t) for t in chosen], "trades[*]", fields)
    other = tmp_path / "other.ndjson"
    other.write_bytes(lines.read_bytes())
    for jobs in (1, 3):
        some = ndjson(lines, "trades[*]", fields, sample_rows=0.3, seed=5, jobs=jobs).splitlines()
        assert some == ndjson(lines, "trades[*]", fields, sample_rows=0.3, seed=5, jobs=1).splitlines()
        assert 0.2 * len(wanted) < len(some) < 0.4 * len(wanted)
        rest = iter(wanted)
        assert all(row in rest for row in some)
        for n in (1, 5, 100):
            assert ndjson([lines, other], "trades[*]", fields, limit_per_archive=n, jobs=jobs).splitlines() == wanted[:n] * 2
        assert ndjson(lines, "trades[*]", fields, distinct=["c0", "c1"], jobs=jobs).splitlines() == list(dict.fromkeys(wanted))
