"""What no sample had: fields, shapes and kinds of values that come late. None of it is lost, whatever the rows go to."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path
from typing import Any, Iterable

import pytest

import kumihimo

pa = pytest.importorskip("pyarrow", reason="not proven: pyarrow is not installed")
import pyarrow.ipc  # noqa: E402
import pyarrow.parquet  # noqa: E402

EARLY = [{"id": 1, "p": {"x": 1}}] * 1000
LATE = [{"id": 1, "p": 5, "late": "lost"}] * 30_000


def command(*words: str, cwd: Path, stdin: bytes = b"", **more: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "kumihimo.cli", *words], cwd=cwd, input=stdin, capture_output=True, timeout=300, **more)


def good(*words: str, cwd: Path, stdin: bytes = b"") -> bytes:
    done = command(*words, cwd=cwd, stdin=stdin)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def lines(documents: Iterable[Any]) -> bytes:
    return "".join((d if isinstance(d, str) else json.dumps(d)) + "\n" for d in documents).encode()


def rows_of(file: Path) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns and rows of an output, whatever its form; texts that are JSON stay texts."""
    if file.suffix == ".ndjson":
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        return list(rows[0]), rows
    if file.suffix == ".csv":
        import csv

        with open(file, newline="") as text:
            read = list(csv.DictReader(text))
        return list(read[0]), read
    table = pyarrow.parquet.read_table(file) if file.suffix == ".parquet" else pyarrow.ipc.open_file(file).read_all()
    return table.column_names, table.to_pylist()


@pytest.mark.parametrize("jobs", ["1", "3"])
@pytest.mark.parametrize("form", ["csv", "ndjson", "arrow", "parquet"])
def test_files_get_the_columns_that_come_late(tmp_path: Path, form: str, jobs: str) -> None:
    (tmp_path / "late.nd").write_bytes(lines(EARLY + LATE))
    out = tmp_path / f"out.{form}"
    done = command("extract", "late.nd", "-o", out.name, "-j", jobs, cwd=tmp_path)
    assert done.returncode == 0
    assert b'"late"' in done.stderr and b"late.nd: byte 25000" in done.stderr
    names, rows = rows_of(out)
    assert names == ["id", "p", "late"] and len(rows) == 31_000
    plain = form == "ndjson"
    assert rows[0]["p"] == ({"x": 1} if plain else '{"x": 1}') and rows[0]["late"] in (None, "")
    assert rows[-1]["p"] == (5 if plain else "5") and rows[-1]["late"] == "lost"
    # Through a pipe, and with the whole as the sample: the same bytes.
    whole = tmp_path / f"whole.{form}"
    good("extract", "late.nd", "-o", whole.name, "--sample", "1000000", cwd=tmp_path)
    assert rows_of(whole) == (names, rows)
    if form in ("csv", "ndjson"):
        assert whole.read_bytes() == out.read_bytes()
    out.unlink()
    good("extract", "-", "-o", out.name, "-j", jobs, cwd=tmp_path, stdin=lines(EARLY + LATE))
    assert rows_of(out) == (names, rows)


def test_a_pipe_gets_the_rest(tmp_path: Path) -> None:
    (tmp_path / "late.nd").write_bytes(lines(EARLY + LATE))
    done = command("extract", "late.nd", cwd=tmp_path)
    text = done.stdout.decode().splitlines()
    assert text[:2] == ["id,p.x,rest", "1,1,"]
    assert text[1000:1002] == ["1,1,", '1,,"{""p"":5,""late"":""lost""}"'] and len(text) == 31_001
    assert b"note: 30000 rows have values without a column of their own" in done.stderr and b"the first: late.nd: byte 25000" in done.stderr
    rows = [json.loads(line) for line in good("extract", "late.nd", "--to", "ndjson", cwd=tmp_path).splitlines()]
    assert rows[999] == {"id": 1, "p.x": 1, "rest": None} and rows[1000] == {"id": 1, "p.x": None, "rest": {"p": 5, "late": "lost"}}
    table = pyarrow.ipc.open_file(io.BytesIO(good("extract", "late.nd", "--to", "arrow", cwd=tmp_path))).read_all()
    assert table.column_names in (["id", "p", "late"], ["id", "p.x", "rest"]) and table.num_rows == 31_000
    # Where the sample is all there is, nothing can come late.
    (tmp_path / "few.nd").write_bytes(lines(EARLY[:5] + LATE[:5]))
    assert good("extract", "few.nd", cwd=tmp_path).splitlines()[0] == b"id,p,late"
    assert good("extract", "few.nd", "--sample", "5", cwd=tmp_path).splitlines()[0] == b"id,p.x,rest"


def test_the_rest_has_the_last_of_two_values(tmp_path: Path) -> None:
    late = ['{"b":[1],"b":null}', '{"b":[1],"b":{"x":2}}', '{"b":[1],"b":{}}', r'{"b":[1],"c":0,"\u0062":[2]}', '{"b":{"x":3},"b":[4]}']
    (tmp_path / "in.nd").write_bytes(lines(['{"b":{"x":1},"c":0}', *late]))
    rows = [json.loads(line) for line in good("extract", "in.nd", "--sample", "1", "--to", "ndjson", cwd=tmp_path).splitlines()]
    assert [r["b.x"] for r in rows] == [1, None, 2, None, None, None]
    assert [r["rest"] for r in rows] == [None, None, None, None, {"b": [2]}, {"b": [4]}]


SHAPES: list[tuple[str, Any, str, Any]] = [
    # what, early, late, the late row of an NDJSON file
    ("a scalar where an object was", {"p": {"x": 1}}, '{"p": "s"}', {"p": "s"}),
    ("an object where a scalar was", {"p": 1}, '{"p": {"y": [1]}}', {"p": {"y": [1]}}),
    ("an array where an object was", {"p": {"x": 1}}, '{"p": [1, 2]}', {"p": [1, 2]}),
    ("an object where an array was", {"p": [1]}, '{"p": {"x": 1}}', {"p": {"x": 1}}),
    ("a nested key", {"p": {"x": {"y": 1}}}, '{"p": {"x": {"y": 2, "z": true}}}', {"p.x.y": 2, "p.x.z": True}),
    ("an object of its own", {"a": 1}, '{"a": 2, "n": {"b": {"c": 3}}}', {"a": 2, "n.b.c": 3}),
    ("an empty object of its own", {"a": 1}, '{"a": 2, "n": {}}', {"a": 2, "n": {}}),
    ("keys that a path has to quote", {"a": 1}, r'{"a": 2, "b.c": 3, "d[0]": 4, "": 5, "q\"\\": 6, "=:": 7}', {"a": 2, "b.c": 3, "d[0]": 4, "": 5, 'q"\\': 6, "=:": 7}),
    ("a key with escapes that has a column", {"aé": 1}, r'{"\u0061\u00e9": 2}', {"aé": 2}),
    ("a key that comes twice", {"a": 1}, '{"a": 5, "n": 1, "a": 2, "n": 3}', {"a": 2, "n": 3}),
    ("only null", {"a": 1}, '{"a": 2, "n": null}', {"a": 2, "n": None}),
    ("null where an object was", {"p": {"x": 1}}, '{"p": null}', {"p.x": None}),
    ("an empty object where one with members was", {"p": {"x": 1}}, '{"p": {}}', {"p.x": None}),
    ("no field at all", {"p": 1}, "{}", {"p": None}),
    ("another order", {"a": 1, "b": {"c": 2}}, ' { "b" : { "c" : 3 } , "a" : 4 } ', {"a": 4, "b.c": 3}),
    ("an object where only null was", {"a": 1, "p": None}, '{"a": 2, "p": {"x": 1}}', {"a": 2, "p.x": 1}),
    ("an object where only empty ones were", {"a": 1, "p": {}}, '{"a": 2, "p": {"x": 1}}', {"a": 2, "p.x": 1}),
    ("the name of the last resort", {"rest": 1}, '{"rest": 2, "rest_2": 3}', {"rest": 2, "rest_2": 3}),
    ("a document that is no object", {"a": 1}, "[7]", {"value": [7]}),
    ("a document that is a number", {"a": 1}, "7", {"value": 7}),
]


@pytest.mark.parametrize(("early", "late", "wanted"), [s[1:] for s in SHAPES], ids=[s[0] for s in SHAPES])
@pytest.mark.parametrize("level", ["strict", "structural", "trusted"])
def test_shapes(tmp_path: Path, early: Any, late: str, wanted: dict[str, Any], level: str) -> None:
    data = lines([early] * 30 + [late] + [early] * 30)
    (tmp_path / "in.nd").write_bytes(data)
    good("extract", "in.nd", "-o", "out.ndjson", "--sample", "10", "--level", level, cwd=tmp_path)
    names, rows = rows_of(tmp_path / "out.ndjson")
    assert rows[30] == wanted and len(rows) == 61
    assert good("extract", "in.nd", "-o", "/dev/stdout", "--to", "ndjson", "--sample", "100", "--level", level, cwd=tmp_path) == (tmp_path / "out.ndjson").read_bytes()
    # A pipe: what stood in the document is in its columns and in the rest, and nowhere twice.
    rows = [json.loads(line) for line in good("extract", "in.nd", "--to", "ndjson", "--sample", "10", "--level", level, cwd=tmp_path).splitlines()]
    last = list(rows[0])[-1]
    assert all(r[last] is None for r in rows[:30] + rows[31:])
    at = dict(rows[30])
    left = at.pop(last)
    assert rebuilt(at, left) == emptied(json.loads(late)), rows[30]


def rebuilt(columns: dict[str, Any], rest: Any) -> Any:
    if rest is not None and not isinstance(rest, dict):
        assert all(v is None for v in columns.values())
        return rest

    def merge(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
        for k, v in b.items():
            a[k] = merge(a[k], v) if isinstance(a.get(k), dict) and isinstance(v, dict) else v
        return a

    out: dict[str, Any] = {}
    for name, value in columns.items():
        if value is None:
            continue
        at = out
        *path, leaf = name.split(".")
        for step in path:
            at = at.setdefault(step, {})
        at[leaf] = value
    return emptied(merge(out, rest or {}))


def emptied(value: Any) -> Any:
    """Without what a table cannot tell from absence: null, and objects that hold nothing else."""
    if not isinstance(value, dict):
        return value
    return {k: v for k, v in ((k, emptied(v)) for k, v in value.items()) if v is not None and v != {}}


def test_many_late_keys(tmp_path: Path) -> None:
    documents = [{"id": i, f"k{i % 700 if i > 2000 else 0}": i} for i in range(30_000)]
    (tmp_path / "in.nd").write_bytes(lines(documents))
    for jobs in ("1", "3"):
        good("extract", "in.nd", "-o", f"{jobs}.csv", "-j", jobs, cwd=tmp_path)
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "3.csv").read_bytes()
    names, rows = rows_of(tmp_path / "1.csv")
    assert len(names) == 701
    assert [{k: int(v) for k, v in r.items() if v != ""} for r in rows] == documents


def test_more_keys_than_columns(tmp_path: Path) -> None:
    (tmp_path / "in.nd").write_bytes(lines([{"id": 1}] * 1000 + [{f"k{i}": i} for i in range(5000)]))
    done = command("extract", "in.nd", "-o", "out.csv", cwd=tmp_path)
    assert done.returncode == 1 and b"more than 4096 different fields" in done.stderr and not (tmp_path / "out.csv").exists()
    assert json.loads(good("extract", "in.nd", "--to", "ndjson", cwd=tmp_path).splitlines()[-1]) == {"id": None, "rest": {"k4999": 4999}}
    table = pa.table(kumihimo.extract(tmp_path / "in.nd", sample=10, limit=500))
    assert table.column_names == ["id"]


@pytest.mark.parametrize("bad", ["skip", "null", "quarantine=bad.nd"])
@pytest.mark.parametrize("piped", [False, True])
def test_a_sample_of_damaged_documents(tmp_path: Path, bad: str, piped: bool) -> None:
    """What the run passes over is no sample: the columns are those of the first documents that can be read."""
    text = b'{"a":x}\n' * 5 + b'{"a":1,"b":"t"}\n{"a":2}\n'
    (tmp_path / "in.nd").write_bytes(text)
    where = "-" if piped else "in.nd"
    done = command("extract", where, "--sample", "2", "--on-error", bad, "-o", "out.csv", cwd=tmp_path, stdin=text)
    names, rows = rows_of(tmp_path / "out.csv")
    assert done.returncode == 0 and names == ["a", "b"], done.stderr
    assert [r["a"] for r in rows] == [""] * (5 if bad == "null" else 0) + ["1", "2"]


def test_archives_and_files(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for i in range(1500):
            archive.writestr(f"{i:05}.json", json.dumps({"n": i}))
        archive.writestr("late.json.gz", gzip.compress(b'{"n":1500,"zip":true}'))
    (tmp_path / "folder").mkdir()
    for i in range(1501, 1600):
        (tmp_path / "folder" / f"{i}.json").write_text(json.dumps({"n": i, "file": i} if i == 1550 else {"n": i}))
    good("extract", "a.zip", "folder", "-", "-o", "out.ndjson", "-j", "2", "--sample", "10", cwd=tmp_path, stdin=b'{"n":1600,"pipe":{"x":1}}')
    names, rows = rows_of(tmp_path / "out.ndjson")
    assert set(names) == {"n", "zip", "file", "pipe.x"} and [r["n"] for r in rows] == list(range(1601))
    assert (rows[1500]["zip"], rows[1550]["file"], rows[1600]["pipe.x"]) == (True, 1550, 1)


def test_the_schema_of_a_table_stays_as_it_was_handed_out(tmp_path: Path) -> None:
    """What comes after the schema was handed out goes to `rest`; before that there are columns for it."""
    filler = "x" * 4000
    early = [{"id": i, "t": filler} for i in range(15_000)]  # more than is read ahead
    (tmp_path / "long.nd").write_bytes(lines(early + [{"id": 1.5, "t": "end", "late": {"a": [1]}}]))
    rows = kumihimo.extract(tmp_path / "long.nd")
    assert [(name, type) for name, type, _ in rows.schema] == [("id", "int64"), ("t", "string"), ("rest", "json")]
    table = pa.table(rows)
    assert table.num_rows == 15_001 and table.column("rest").null_count == 15_000
    last = table.slice(15_000).to_pylist()[0]
    assert (last["id"], last["t"], json.loads(last["rest"])) == (None, "end", {"id": 1.5, "late": {"a": [1]}})
    assert any("1 row has values without a column" in note for note in rows.notes)
    # With a limit it ends before anything is late: no such column.
    assert [name for name, *_ in kumihimo.extract(tmp_path / "long.nd", limit=100).schema] == ["id", "t"]
    (tmp_path / "short.nd").write_bytes(lines(EARLY + LATE[:10]))
    rows = kumihimo.extract(tmp_path / "short.nd")
    assert [(name, type) for name, type, _ in rows.schema] == [("id", "int64"), ("p", "json"), ("late", "string")]
    assert pa.table(rows).num_rows == 1010


def test_a_column_without_a_value_in_the_sample(tmp_path: Path) -> None:
    (tmp_path / "in.nd").write_bytes(lines([{"b": 1}] * 1000 + [{"a": "x", "n": 5}]))
    assert good("extract", "in.nd", "-f", "a", "-f", "n", cwd=tmp_path).splitlines()[-1] == b"x,5"
    assert good("extract", "in.nd", "-f", "a", "-f", "n", "--to", "ndjson", cwd=tmp_path).splitlines()[-1] == b'{"a":"x","n":5}'
    good("extract", "in.nd", "-f", "a", "-f", "n", "-f", "never", "-o", "out.parquet", cwd=tmp_path)
    table = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert [str(table.schema.field(c).type) for c in ("a", "n")] == ["string", "int64"] and table.column("never").null_count == 1001
    table = pa.table(kumihimo.extract(tmp_path / "in.nd", ["a", "n"]))
    assert [str(f.type) for f in table.schema] == ["string", "int64"]


# ---- a guess prints what stood there

WRITTEN = ["1.10", "2", "1E2", "0.000001", "-0", "1e400", "123456789012345678901234567890", '"text"', '""', '" padded "', '"1.0"', "true", "null", "[1, 2]", '{"a": 1.0}', '"é\\n\\u00e9"', '"2024-01-01T00:00:00.100Z"']


@pytest.mark.parametrize("sample", ["1", "5", "1000"])
@pytest.mark.parametrize("fields", [["-f", "v", "-f", "k"], []])
def test_a_guess_prints_what_stood_there(tmp_path: Path, fields: list[str], sample: str) -> None:
    import csv

    (tmp_path / "in.nd").write_bytes("".join(f'{{"k":1,"v":{v}}}\n' for v in WRITTEN).encode())
    wanted_csv = [json.loads(v) if v.startswith('"') else "" if v == "null" else v for v in WRITTEN]
    wanted_lines = [f'"v":{v}' for v in WRITTEN]
    for order in (False, True):
        data = (tmp_path / "in.nd").read_bytes().splitlines(keepends=True)
        (tmp_path / "in.nd").write_bytes(b"".join(reversed(data) if order else data))
        for to in ([], ["-o", "o"]):
            out = good("extract", "in.nd", *fields, "--sample", sample, "--to", "csv", *to, cwd=tmp_path)
            text = ((tmp_path / "o").read_bytes() if to else out).decode()
            assert [row["v"] for row in csv.DictReader(io.StringIO(text, newline=""))] == (wanted_csv[::-1] if order else wanted_csv)
            out = good("extract", "in.nd", *fields, "--sample", sample, "--to", "ndjson", *to, cwd=tmp_path)
            text = ((tmp_path / "o").read_bytes() if to else out).decode()
            for got, want in zip(text.splitlines(), wanted_lines[::-1] if order else wanted_lines):
                assert want in got


def test_a_given_type_prints_its_own_text(tmp_path: Path) -> None:
    (tmp_path / "in.nd").write_bytes(b'{"v":1.10}\n{"v":2}\n{"v":1E2}\n{"v":"0.000001"}\n')
    assert good("extract", "in.nd", "-f", "v:float64", cwd=tmp_path) == b"v\n1.1\n2.0\n100.0\n1e-06\n"
    assert good("extract", "in.nd", "-f", "v:decimal(9,6)", cwd=tmp_path) == b"v\n1.100000\n2.000000\n100.000000\n0.000001\n"


def test_one_fraction_changes_no_integer(tmp_path: Path) -> None:
    numbers = [str(i) for i in range(1000)] + ["1.5"] + [str(i) for i in range(1000)]
    (tmp_path / "in.nd").write_bytes("".join(f'{{"v":{n}}}\n' for n in numbers).encode())
    for jobs in ("1", "2"):
        assert good("extract", "in.nd", "-f", "v", "-j", jobs, cwd=tmp_path).decode().split() == ["v", *numbers]
        assert good("extract", "in.nd", "-j", jobs, cwd=tmp_path).decode().split()[0] in ("v,rest", "v")


class Slow:
    """A sender that falls silent in the middle of its first document."""

    def __init__(self, pieces: list[bytes], pause: float) -> None:
        self.pieces, self.pause = pieces, pause

    def into(self, fd: int) -> None:
        with open(fd, "wb", buffering=0) as pipe:
            for i, piece in enumerate(self.pieces):
                if i:
                    time.sleep(self.pause)
                view = memoryview(piece)
                while view:
                    view = view[pipe.write(view) :]


@pytest.mark.parametrize("words", [("-f", "n"), (), ("--to", "ndjson"), ("-f", "n", "-o", "out.arrow"), ("-f", "at:timestamp", "-f", "n"), ("-o", "out.csv")])
def test_a_pipe_and_a_file_give_the_same(tmp_path: Path, words: tuple[str, ...]) -> None:
    first = {"n": 1, "at": "2024-01-01 00:00:00", "big": "x" * 3_000_000}
    data = lines([first] + [{"n": i, "at": "2024-01-01 00:00:00"} for i in range(1500)] + [{"n": 1, "new": 1}])
    (tmp_path / "in.nd").write_bytes(data)
    out = tmp_path / words[words.index("-o") + 1] if "-o" in words else None
    wanted = good("extract", "in.nd", *words, cwd=tmp_path)
    wanted = out.read_bytes() if out else wanted
    for pieces in ([data], [data[:10], data[10:]], [data[:2_000_000], data[2_000_000:3_000_500], data[3_000_500:]]):
        ours, theirs = os.pipe()
        sender = threading.Thread(target=Slow(pieces, 1.2).into, args=(theirs,))
        sender.start()
        done = subprocess.run([sys.executable, "-m", "kumihimo.cli", "extract", "-", *words], cwd=tmp_path, stdin=ours, capture_output=True, timeout=120)
        os.close(ours)
        sender.join()
        assert done.returncode == 0, done.stderr
        assert (out.read_bytes() if out else done.stdout) == wanted


@pytest.mark.parametrize("form", ["csv", "ndjson", "columns"])
@pytest.mark.parametrize("fields", [["at", "price", "name"], []])
def test_charts_go_by_the_guess(tmp_path: Path, form: str, fields: list[str]) -> None:
    (tmp_path / "in.nd").write_bytes(b"".join(b'{"at":"2024-01-01T00:00:0%dZ","price":%d.50,"name":"n"}\n' % (i, i) for i in range(5)))
    rows = kumihimo.Extraction([str(tmp_path / "in.nd")], fields, form=form, chart=100)
    if form == "columns":
        pa.table(rows)
    else:
        while rows.next_bytes() is not None:
            pass
    x, is_time, zone, drawn, outside = rows.series()
    assert outside == 0
    start = 1704067200000000
    assert (x, is_time) == ("at", True)
    assert [(name, list(xs), list(ys)) for name, xs, ys, *_ in drawn] == [("price", [start + i * 1_000_000 for i in range(5)], [i + 0.5 for i in range(5)])]


def test_a_path_that_meets_another_kind_of_value_is_said(tmp_path: Path) -> None:
    (tmp_path / "in.nd").write_bytes(b'{"p":{"x":1}}\n{"p":5}\n{"p":null}\n{}\n{"p":[1]}\n')
    for words in ((), ("-o", "out.parquet"), ("--level", "trusted")):
        done = command("extract", "in.nd", "-f", "p.x", *words, cwd=tmp_path)
        assert done.returncode == 0 and b'note: in 2 rows a field is empty' in done.stderr and b'the first: "p.x" in in.nd: byte 14' in done.stderr


# ---- other silent losses

def test_lists_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "in.nd").write_bytes(b'{}\n{"t":[]}\n{"t":null}\n{"t":{"p":1}}\n{"t":5}\n{"t":[{}]}\n{"t":[{"p":1},{"q":2}]}\n{"t":[1],"t":{}}\n')
    wanted = [None, [], None, None, None, [None], [1, None], None]
    got = [json.loads(line)["p"] for line in good("extract", "in.nd", "-f", "p=t[*].p", "--to", "ndjson", cwd=tmp_path).splitlines()]
    assert got == wanted
    text = good("extract", "in.nd", "-f", "p=t[*].p", "-f", "t[0]", cwd=tmp_path).decode().splitlines()
    assert text[1:3] == [",", "[],"]
    (tmp_path / "deep.nd").write_bytes(b'{"a":[]}\n{"a":[{}]}\n{"a":[{"b":[]}]}\n{"a":[{"b":[{"c":1}]}]}\n{}\n')
    got = [json.loads(line)["c"] for line in good("extract", "deep.nd", "-f", "c=a[*].b[*].c", "--to", "ndjson", cwd=tmp_path).splitlines()]
    assert got == [[], [], [], [1], None]
    (tmp_path / "top.json").write_bytes(b"[]")
    assert good("extract", "top.json", "-f", "c=[*]", "--to", "ndjson", cwd=tmp_path) == b""


def test_a_key_twice_is_one_document(tmp_path: Path) -> None:
    (tmp_path / "in.nd").write_bytes(b'{"a":1,"a":2,"o":{"x":1},"o":{"x":2}}\n')
    done = command("extract", "in.nd", cwd=tmp_path)
    assert done.stdout == b"a,o.x\n2,2\n" and b" of " not in done.stderr.split(b"rows from")[0]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="not proven: there is no /dev/full")
def test_a_full_disk_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "in.nd").write_bytes(lines({"a": i} for i in range(100_000)))
    for words in (("-o", "/dev/full", "--to", "csv"), ("-o", "/dev/full", "--to", "ndjson"), ("-o", "/dev/full", "--to", "arrow"), ("-o", "/dev/full", "--to", "parquet")):
        done = command("extract", "in.nd", "-f", "a:int64", *words, cwd=tmp_path)
        assert done.returncode == 1 and b"No space left on device: '/dev/full'" in done.stderr, (words, done.stderr)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([sys.executable, "-m", "kumihimo.cli", "extract", "in.nd", "-f", "a"], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 1 and b"No space left on device: 'standard output'" in done.stderr


def test_a_forked_child_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.nd").write_bytes(lines({"id": i, "t": "x" * 100} for i in range(100_000)))
    script = """
import os, sys, warnings
warnings.simplefilter("ignore")
import kumihimo
for form in ("csv", "columns", "none"):
    e = kumihimo.extract(["m.nd"], ["id:int64"], form=form, jobs=2)
    if form == "csv": e.next_bytes()
    if form == "none": e.next_count()
    stream = e.__arrow_c_stream__() if form == "columns" else None
    child = os.fork()
    if child == 0:
        calls = {"csv": e.next_bytes, "none": e.next_count, "columns": e.__arrow_c_schema__}
        for call in (calls[form], e.progress, e.cancel, lambda: e.schema, lambda: e.notes, e.take_reports):
            try:
                call()
            except RuntimeError as refused:
                assert "another process" in str(refused)
            else:
                os._exit(3)
        if stream is not None:
            import pyarrow
            class Given:
                def __arrow_c_stream__(self, _=None): return stream
            try:
                pyarrow.table(Given())
            except Exception as refused:
                assert "another process" in str(refused), refused
            else:
                os._exit(4)
        del e, stream
        fresh = kumihimo.extract(["m.nd"], ["id:int64"], form="csv", jobs=2)
        assert len(fresh.next_bytes()) > 0
        del fresh
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0, form
    if form == "csv":
        rest = 0
        while (chunk := e.next_bytes()) is not None: rest += len(chunk)
        assert rest > 0
print("done")
"""
    done = subprocess.run([sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}\n{script}"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.stdout == "done\n", done.stderr


def test_damaged_documents_take_no_place_in_the_sample(tmp_path: Path) -> None:
    data = b'{"a":1}\nx\n{"a":2,"b":3}\n{"a":3,"b":4}\n'
    done = command("extract", "-", "--sample", "2", "--on-error", "skip", cwd=tmp_path, stdin=data)
    assert done.stdout.split(b"\n")[0] == b"a,b,rest", done.stderr


def test_what_is_missing_is_no_part_of_the_sample(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "good.json").write_text('{"a":1}')
    (tmp_path / "in" / "link.json").symlink_to("nowhere")
    for words in (["in"], ["in/good.json", "none.json"]):
        done = command("extract", *words, "--on-error", "skip", cwd=tmp_path)
        assert done.stdout == b"a\n1\n", done.stderr
