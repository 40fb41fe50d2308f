"""Lists and structs against an oracle in plain Python: given types, guessed types, every output and every reader."""

from __future__ import annotations

import base64
import csv
import io
import json
import os
import random
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any, Optional

import pytest

import kumihimo

pa = pytest.importorskip("pyarrow", reason="not proven: pyarrow is not installed")
import pyarrow.ipc  # noqa: E402
import pyarrow.parquet  # noqa: E402

COUNT = int(os.environ.get("KUMIHIMO_COUNT", "40"))
NAMES = ["a", "b", "price", "a b", "x.y", 'q"', "", "価格"]
Kind = Any  # a word, ("list", Kind) or ("struct", {name: Kind})


class Unfit(Exception):
    """A value that its type does not hold."""


# ---- given types


def some_type(r: random.Random, depth: int = 0) -> Kind:
    if depth == 3 or r.random() < 0.35:
        return r.choice(["int64", "float64", "string", "bool", "json"])
    if r.random() < 0.5:
        return "list", some_type(r, depth + 1)
    return "struct", {name: some_type(r, depth + 1) for name in r.sample(NAMES, r.randint(1, 4))}


def spelled(kind: Kind) -> str:
    if isinstance(kind, str):
        return kind
    if kind[0] == "list":
        return f"list[{spelled(kind[1])}]"
    return "struct[" + ",".join(f"{json.dumps(name)}:{spelled(of)}" for name, of in kind[1].items()) + "]"


def value_of(r: random.Random, kind: Kind, wrong: float) -> Any:
    """A value of the type, null now and then, and another one with the probability `wrong`."""
    if r.random() < 0.12:
        return None
    if r.random() < wrong:
        return r.choice([True, 1, 2.5, "text", "7", [], [1], {}, {"a": 1}])
    if isinstance(kind, tuple):
        if kind[0] == "list":
            return [value_of(r, kind[1], wrong) for _ in range(r.choice([0, 1, 2, 5]))]
        made = {name: value_of(r, of, wrong) for name, of in kind[1].items() if r.random() < 0.8}
        if r.random() < 0.2:
            made["nobody wants it"] = [{"a": [1]}]
        return dict(r.sample(list(made.items()), len(made)))
    return {
        "int64": lambda: r.choice([0, -1, r.randrange(-(1 << 63), 1 << 63), 5.0, "12"]),
        "float64": lambda: r.choice([0, 1.5, -2e300, r.random(), 3, "0.25"]),
        "string": lambda: r.choice(["", "x", 'say "é"\n', "\U0001f600", 5, True, 1.5]),
        "bool": lambda: r.choice([True, False, "true"]),
        "json": lambda: r.choice([1, "x", [1, {"a": None}], {"b": []}, True]),
    }[kind]()


def fitted(kind: Kind, value: Any) -> Any:
    """What a column of the type holds of the value; JSON is kept as a value."""
    if value is None:
        return None
    if isinstance(kind, tuple):
        if not isinstance(value, list if kind[0] == "list" else dict):
            raise Unfit
        if kind[0] == "list":
            return [fitted(kind[1], one) for one in value]
        return {name: fitted(of, value.get(name)) for name, of in kind[1].items()}
    if kind == "json":
        return value
    number = value
    if isinstance(value, str) and kind in ("int64", "float64"):
        try:
            number = json.loads(value)
        except ValueError:
            raise Unfit from None
    if kind in ("int64", "float64") and (isinstance(number, bool) or not isinstance(number, (int, float))):
        raise Unfit
    if kind == "int64":
        if number != int(number) or not -(1 << 63) <= number < 1 << 63:
            raise Unfit
        return int(number)
    if kind == "float64":
        return float(number)
    if kind == "bool":
        if value not in (True, False, "true", "false") or isinstance(value, (int, float)) and not isinstance(value, bool):
            raise Unfit
        return value in (True, "true")
    if isinstance(value, (list, dict)):
        raise Unfit
    return value if isinstance(value, str) else json.dumps(value)


def parsed(kind: Kind, value: Any) -> Any:
    """What was read of a column, with its JSON as values."""
    if value is None or isinstance(kind, str):
        return json.loads(value) if kind == "json" and value is not None else value
    if kind[0] == "list":
        return [parsed(kind[1], one) for one in value]
    return {name: parsed(of, value[name]) for name, of in kind[1].items()}


def arrow_type(kind: Kind) -> Any:
    plain = {"int64": pa.int64(), "float64": pa.float64(), "string": pa.string(), "bool": pa.bool_(), "json": pa.string()}
    if isinstance(kind, str):
        return plain[kind]
    if kind[0] == "list":
        return pa.list_(arrow_type(kind[1]))
    return pa.struct([(name, arrow_type(of)) for name, of in kind[1].items()])


def storage(kind: Any) -> Any:
    """The type without extensions: whether pyarrow has one for JSON depends on its version."""
    if isinstance(kind, pa.BaseExtensionType):
        return kind.storage_type
    if pa.types.is_list(kind):
        return pa.list_(storage(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(kind.field(i).name, storage(kind.field(i).type)) for i in range(kind.num_fields)])
    return kind


def table_of(run: Any) -> Any:
    table = pa.table(run)
    table.validate(full=True)
    return table


def lines(documents: list[Any]) -> bytes:
    return "".join(json.dumps(d, ensure_ascii=bool(i % 2)) + "\n" for i, d in enumerate(documents)).encode()


def test_given_types_hold_what_fits(tmp_path: Path) -> None:
    source, packed = tmp_path / "in.ndjson", tmp_path / "in.msgpack"
    for seed in range(COUNT):
        r = random.Random(seed)
        kinds = {f"c{i}": some_type(r) for i in range(3)}
        documents = [{name: value_of(r, kind, 0.02) for name, kind in kinds.items() if r.random() < 0.9} for _ in range(60)]
        expected: list[Any] = []
        bad = 0
        for d in documents:
            try:
                expected.append({name: fitted(kind, d.get(name)) for name, kind in kinds.items()})
            except Unfit:
                bad += 1
        source.write_bytes(lines(documents))
        fields = [f"{name}:{spelled(kind)}" for name, kind in kinds.items()]
        packed.write_bytes(b"".join(kumihimo.dump(d, "msgpack") for d in documents))
        for path, level in ((source, "strict"), (source, "structural"), (packed, "strict")):
            run = kumihimo.extract(path, fields, on_error="skip", level=level, jobs=1 + seed % 3)
            table = table_of(run)
            assert [storage(field.type) for field in table.schema] == [arrow_type(kind) for kind in kinds.values()], seed
            found = [{name: parsed(kinds[name], value) for name, value in row.items()} for row in table.to_pylist()]
            assert found == expected, (seed, path, level)
            assert len(run.take_reports()) == bad
            assert [kind for _, kind, _ in run.schema] == [kumihimo.extract(path, [f"x:{kind}"]).schema[0][1] for _, kind, _ in run.schema]


def test_text_outputs_write_the_typed_value_as_json(tmp_path: Path) -> None:
    source = tmp_path / "in.ndjson"
    for seed in range(COUNT // 4):
        r = random.Random(1000 + seed)
        kind = ("struct", {"a": some_type(r, 1), "b": ("list", some_type(r, 2))})
        documents = [{"v": value_of(r, kind, 0)} for _ in range(40)]
        expected = [fitted(kind, d["v"]) for d in documents]
        source.write_bytes(lines(documents))
        field = f"v:{spelled(kind)}"
        for jobs in (1, 3):
            for ending in (".ndjson", ".json", ".csv", ".tsv", ".sqlite", ".msgpack", ".cbor"):
                out = tmp_path / f"out{jobs}{ending}"
                kumihimo.extract_to(source, out, [field], jobs=jobs, if_exists="replace")
                assert values_of(out) == expected, (seed, ending)
        for ending in (".ndjson", ".csv"):
            assert (tmp_path / f"out1{ending}").read_bytes() == (tmp_path / f"out3{ending}").read_bytes()


def values_of(out: Path) -> list[Any]:
    """The column v."""
    if out.suffix == ".ndjson":
        return [json.loads(line)["v"] for line in out.read_text().splitlines()]
    if out.suffix == ".json":
        return [row["v"] for row in json.loads(out.read_text())]
    if out.suffix in (".csv", ".tsv"):
        rows = list(csv.reader(io.StringIO(out.read_text(), newline=""), delimiter="," if out.suffix == ".csv" else "\t"))
        return [json.loads(row[0]) if row and row[0] else None for row in rows[1:]]
    if out.suffix == ".sqlite":
        return [None if v is None else json.loads(v) for (v,) in sqlite3.connect(out).execute("SELECT v FROM rows")]
    return [row["v"] for row in kumihimo.each_document(out.read_bytes(), out.suffix[1:])]


# ---- guessed types


def guess(values: list[Any], around: int = 0) -> Kind:
    """The type of values that were seen, None for nothing: what infer.hpp says, for values of few kinds. `around`: lists and structs."""
    seen = [v for v in values if v is not None]
    if not seen:
        return None
    if around == 8 and any(isinstance(v, (list, dict)) for v in seen):
        return "json"
    if all(isinstance(v, list) for v in seen):
        return "list", guess([one for v in seen for one in v], around + 1)
    if all(isinstance(v, dict) for v in seen):
        names = dict.fromkeys(name for v in seen for name in v)
        return ("struct", {name: guess([v.get(name) for v in seen], around + 1) for name in names}) if names else "json"
    if all(isinstance(v, bool) for v in seen):
        return "bool"
    if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in seen):
        return "int64" if all(isinstance(v, int) for v in seen) else "float64"
    return "string" if all(isinstance(v, str) for v in seen) else "json"


def known(kind: Kind) -> Kind:
    """The same where nothing seen is JSON."""
    if kind is None or isinstance(kind, str):
        return kind or "json"
    return (kind[0], known(kind[1])) if kind[0] == "list" else (kind[0], {name: known(of) for name, of in kind[1].items()})


def anything(r: random.Random, depth: int, mixed: float) -> Any:
    if r.random() < 0.15:
        return None
    if r.random() < mixed:
        return r.choice([1, "x", [1], {"z": 1}])
    kind = depth % 4
    if kind == 0:
        return {name: anything(r, 4 * r.randint(0, 1) + i + 1, mixed) for i, name in enumerate(("n", "l", "s", "w")) if r.random() < 0.7}
    if kind == 2:
        return [anything(r, depth * 5 + 3, mixed) for _ in range(r.choice([0, 1, 3]))]
    return r.choice([1, 2, 2.5]) if kind == 1 else r.choice(["a", "b", ""])


@pytest.mark.parametrize("mixed", [0.0, 0.02])
def test_guessed_types_hold_everything(tmp_path: Path, mixed: float) -> None:
    """Whatever the sample had of it, the whole is as if it had been the sample."""
    source = tmp_path / "in.ndjson"
    for seed in range(COUNT // 4):
        r = random.Random(f"{seed} {mixed}")
        documents = [{f"c{i}": anything(r, i, mixed) for i in range(r.randint(1, 4)) if r.random() < 0.9} for _ in range(150)]
        source.write_bytes(lines(documents))
        kinds = guess(documents, -1)[1]
        tables = []
        for sample, jobs in ((1000, 1), (1000, 3), (3, 1), (3, 3)):
            run = kumihimo.extract(source, nested_types=True, sample=sample, jobs=jobs)
            table = table_of(run)
            tables.append(table)
            assert {field.name: storage(field.type) for field in table.schema} == {name: arrow_type(known(of)) for name, of in kinds.items()}, (seed, sample, run.notes)
            found = [{name: parsed(known(kinds[name]), value) for name, value in row.items()} for row in table.to_pylist()]
            assert found == [{name: fitted(known(of), d.get(name)) for name, of in kinds.items()} for d in documents], (seed, sample)
        assert tables[0].schema == tables[1].schema and tables[2].schema == tables[3].schema
        out = tmp_path / "out.parquet"
        kumihimo.extract_to(source, out, nested_types=True, sample=3, if_exists="replace")
        read = pyarrow.parquet.read_table(out)
        read.validate(full=True)
        assert read.to_pylist() == tables[0].to_pylist()


def test_fields_are_guessed_too(tmp_path: Path) -> None:
    source = tmp_path / "in.ndjson"
    documents: list[Any] = [{"t": [{"p": i, "q": [str(i)]}] * (i % 4), "book": {"at": f"x{i}", **({"late": [i]} if i > 60 else {})}} for i in range(100)]
    source.write_bytes(lines(documents))
    for sample in (1000, 10):
        table = table_of(kumihimo.extract(source, ["t[*].p", "t[*].q", "book", "first=t[0]"], nested_types=True, sample=sample))
        assert table.column("t[*].p").to_pylist() == [[e["p"] for e in d["t"]] for d in documents]
        assert table.column("t[*].q").to_pylist() == [[e["q"] for e in d["t"]] for d in documents]
        assert table.column("book").to_pylist() == [{"at": d["book"]["at"], "late": d["book"].get("late")} for d in documents]
        assert table.schema.field("book").type == pa.struct([("at", pa.string()), ("late", pa.list_(pa.int64()))])
        assert table.column("first").to_pylist() == [d["t"][0] if d["t"] else None for d in documents]
    # A kind that was asked for is no guess.
    run = kumihimo.extract(source, ["book:struct", "t:list", "wrong=book.at:list"], on_error="skip")
    assert table_of(run).num_rows == 0 and len(run.take_reports()) == 100
    assert table_of(kumihimo.extract(source, ["book:struct", "t:list"])).to_pylist() == [{"book": {"at": d["book"]["at"], "late": d["book"].get("late")}, "t": d["t"]} for d in documents]
    # Text prints what stood there.
    out = tmp_path / "out.ndjson"
    kumihimo.extract_to(source, out, ["book:struct", "t"], nested_types=True)
    assert [json.loads(line) for line in out.read_text().splitlines()] == [{"book": d["book"], "t": d["t"]} for d in documents]


def test_a_member_that_comes_late_through_a_pipe(tmp_path: Path) -> None:
    documents: list[Any] = [{"id": i, "book": {"bid": [i]}} for i in range(50)] + [{"id": 50, "book": {"bid": [1], "late": "x"}}, {"id": 51, "book": {"bid": [2]}}]
    words = [sys.executable, "-m", "kumihimo.cli", "extract", "-", "--nested-types", "--sample", "5"]
    text = subprocess.run([*words, "--to", "ndjson"], input=lines(documents), stdout=subprocess.PIPE, check=True).stdout
    rows = [json.loads(line) for line in text.splitlines()]
    assert [{"id": row["id"], "book": row["book"]} for row in rows] == documents
    # A column of structs that was handed out stays, and the value that does not fit it is in `rest`.
    data = subprocess.run([*words, "--to", "arrow"], input=lines(documents), stdout=subprocess.PIPE, check=True).stdout
    table = pyarrow.ipc.open_file(data).read_all()
    assert table.schema.field("book").type == pa.struct([("bid", pa.list_(pa.int64()))])
    assert table.column("book").to_pylist() == [d["book"] if d["id"] != 50 else None for d in documents]
    assert [json.loads(v) if v else None for v in table.column("rest").to_pylist()] == [{"book": documents[50]["book"]} if d["id"] == 50 else None for d in documents]


def test_rows_of_arrays(tmp_path: Path) -> None:
    documents = [{"day": {"n": d}, "t": [{"p": [d, i], "who": {"name": str(i), **({"tag": True} if i == 3 else {})}} for i in range(d % 5)]} for d in range(40)]
    (tmp_path / "in.ndjson").write_bytes(lines(documents))
    (tmp_path / "in.msgpack").write_bytes(b"".join(kumihimo.dump(d, "msgpack") for d in documents))
    expected = [{"p": e["p"], "who": {"name": e["who"]["name"], "tag": e["who"].get("tag")}, "day": d["day"]} for d in documents for e in d["t"]]
    for name in ("in.ndjson", "in.msgpack"):
        for fields in ([".p:list[int64]", ".who:struct[name:string,tag:bool]", "day:struct[n:int64]"], [".p", ".who", "day"]):
            for jobs in (1, 3):
                table = table_of(kumihimo.extract(tmp_path / name, fields, rows="t[*]", nested_types=True, sample=2, jobs=jobs))
                assert table.to_pylist() == expected
        table = table_of(kumihimo.extract(tmp_path / name, rows="t[*]", nested_types=True, sample=3))
        assert table.to_pylist() == [{"p": row["p"], "who": row["who"]} for row in expected]
    bad = tmp_path / "bad.ndjson"
    bad.write_bytes(lines([{"t": [{"p": [1]}, {"p": [1, "x"]}]}]))
    run = kumihimo.extract(bad, [".p:list[int64]"], rows="t[*]", on_error="skip")
    assert table_of(run).to_pylist() == [{"p": [1]}]
    (report,) = run.take_reports()
    assert report.path == "$.t[1].p[1]" and report.offset == bad.read_bytes().index(b'"x"')


def test_bad_values_name_their_place(tmp_path: Path) -> None:
    (tmp_path / "bad.ndjson").write_bytes(b'{"v":{"a":[1]}}\n{"v":{"a":[1,"no"]}}\n')
    (tmp_path / "bad.cbor").write_bytes(kumihimo.dump({"v": {"a": [1, "no"]}}, "cbor"))
    for name in ("bad.ndjson", "bad.cbor"):
        run = kumihimo.extract(tmp_path / name, ["v:struct[a:list[int64]]"], on_error="quarantine")
        table_of(run)
        (report,) = run.take_reports()
        assert report.path == "$.v.a[1]" and report.code == "type"
        assert 'column "v.a[*]" (int64) takes whole numbers' in report.message and '"no"' in report.message
    assert report.line == 0
    with pytest.raises(ValueError, match="two members named"):
        kumihimo.extract(tmp_path / "bad.ndjson", ["v:struct[a:int64,a:bool]"])


# ---- other readers


def test_duckdb_and_polars_read_the_parquet(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="not proven: duckdb is not installed")
    polars = pytest.importorskip("polars", reason="not proven: polars is not installed")
    r = random.Random(7)
    kind: Kind = ("list", ("struct", {"price": "float64", "tags": ("list", "string"), "n": "int64"}))
    documents = [{"id": i, "t": value_of(r, kind, 0)} for i in range(3000)]
    source, out = tmp_path / "in.ndjson", tmp_path / "out.parquet"
    source.write_bytes(lines(documents))
    expected = [(d["id"], fitted(kind, d["t"])) for d in documents]
    kumihimo.extract_to(source, out, ["id:int64", f"t:{spelled(kind)}"])
    assert duckdb.sql(f"SELECT id, t FROM '{out}' ORDER BY id").fetchall() == expected
    assert str(duckdb.sql(f"SELECT t FROM '{out}'").types[0]).lower() == "struct(price double, tags varchar[], n bigint)[]"
    frame = polars.read_parquet(out)
    assert frame.schema["t"] == polars.List(polars.Struct({"price": polars.Float64, "tags": polars.List(polars.String), "n": polars.Int64}))
    assert list(zip(frame["id"].to_list(), frame["t"].to_list())) == expected
    assert polars.DataFrame(kumihimo.extract(source, ["id:int64", f"t:{spelled(kind)}"])).equals(frame)
    rows = kumihimo.extract(source, ["id:int64", f"t:{spelled(kind)}"])
    assert duckdb.sql("SELECT id, t FROM rows").fetchall() == expected
    table = tmp_path / "out.duckdb"
    kumihimo.extract_to(source, table, ["id:int64", f"t:{spelled(kind)}"])
    with duckdb.connect(str(table)) as connection:
        assert connection.sql("SELECT id, t FROM rows ORDER BY id").fetchall() == expected
    # Guessed, with quoted numbers among the numbers.
    kumihimo.extract_to(source, out, nested_types=True, if_exists="replace")
    plain = [{"id": d["id"], "t": d["t"]} for d in documents]
    whole = guess(plain, -1)[1]
    assert [parsed(known(whole["t"]), t) for t in pyarrow.parquet.read_table(out).column("t").to_pylist()] == [fitted(known(whole["t"]), d["t"]) for d in plain]


def test_times_and_decimals_in_lists(tmp_path: Path) -> None:
    source = tmp_path / "in.ndjson"
    source.write_bytes(b'{"t":[{"at":"2016-12-25T01:53:10.5Z","d":1.10},{"at":null,"d":"2"}]}\n')
    kind = "list[struct[at:timestamp[ns,Asia/Tokyo],d:decimal,e:decimal(10,2)]]"
    table = table_of(kumihimo.extract(source, [f"t:{kind}"]))
    assert table.schema.field("t").type.value_type.field("at").type == pa.timestamp("ns", "Asia/Tokyo")
    assert [e["d"] for e in table.column("t").to_pylist()[0]] == ["1.10", "2"]
    assert kumihimo.extract(source, [f"t:{kind}"]).schema == [("t", kind, "t")]
    kumihimo.extract_to(source, tmp_path / "out.sqlite", [f"t:{kind}"])
    ((text,),) = sqlite3.connect(tmp_path / "out.sqlite").execute("SELECT t FROM rows").fetchall()
    assert text == '[{"at":"2016-12-25 10:53:10.500000000+09:00","d":1.10,"e":null},{"at":null,"d":2,"e":null}]'
    duckdb = pytest.importorskip("duckdb", reason="not proven: duckdb is not installed")
    kumihimo.extract_to(source, tmp_path / "out.duckdb", [f"t:{kind}"])
    with duckdb.connect(str(tmp_path / "out.duckdb")) as connection:
        assert connection.sql("SELECT epoch_ns(t[1].at) FROM rows").fetchall() == [(1482630790500000000,)]


def test_memory_does_not_grow_with_the_elements(tmp_path: Path) -> None:
    """A batch ends when its elements take so much, however few rows they are in."""
    source = tmp_path / "in.ndjson"
    source.write_bytes((json.dumps({"v": list(range(20_000))}) + "\n").encode() * 300)
    sizes = [batch.nbytes for batch in pa.RecordBatchReader.from_stream(kumihimo.extract(source, ["v:list[int64]"], jobs=1))]
    assert len(sizes) > 4 and max(sizes) < 16 << 20 and sum(sizes) > 300 * 20_000 * 8


def base(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else base64.b64encode(value).decode()


def test_bytes_of_binary_documents_are_text(tmp_path: Path) -> None:
    (tmp_path / "in.msgpack").write_bytes(kumihimo.dump({"v": [b"ab", None], "w": {"x": b"c"}}, "msgpack"))
    table = table_of(kumihimo.extract(tmp_path / "in.msgpack", ["v:list[string]", "w:struct[x:string]"]))
    assert table.to_pylist() == [{"v": [base(b"ab"), None], "w": {"x": base(b"c")}}]
