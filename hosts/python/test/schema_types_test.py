"""Types that schemas of other programs say, out of Arrow schemas and JSON Schema: what those programs wrote comes back as they hold it."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import kumihimo

pa = pytest.importorskip("pyarrow")

AT = datetime.datetime(2024, 1, 2, 3, 4, 5, 678901)


def command(*words: Any, **more: Any) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "kumihimo.cli", *map(str, words)], capture_output=True, text=True, timeout=120, **more)


def types(schema: Any) -> list[str]:
    from kumihimo.schema_files import fields_of

    return [kind for _, _, kind in fields_of(schema)]


def lines(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(row, default=str) + "\n" for row in rows))
    return file


# Arrow's types, the column's, and values as JSON has them.
COLUMNS: list[tuple[Any, str, list[Any]]] = [
    (pa.string(), "string", ['x "q"', ""]),
    (pa.large_string(), "string", ["x"]),
    (pa.dictionary(pa.int8(), pa.string()), "string", ["jpy", "usd"]),
    (pa.dictionary(pa.int32(), pa.int64()), "int64", [7]),
    (pa.int8(), "int64", [-128]),
    (pa.uint32(), "int64", [2**32 - 1]),
    (pa.uint64(), "decimal(20,0)", [2**64 - 1, 0]),
    (pa.float32(), "float64", [0.5]),
    (pa.bool_(), "bool", [True]),
    (pa.decimal128(9, 2), "decimal(9,2)", ["1.25"]),
    (pa.decimal256(30, 1), "decimal(30,1)", ["1.5"]),
    (pa.timestamp("ms"), "timestamp[naive]", [AT.replace(microsecond=0)]),
    (pa.timestamp("us", "Asia/Tokyo"), "timestamp[Asia/Tokyo]", ["2024-01-02T03:04:05+09:00"]),
    (pa.timestamp("ns", "UTC"), "timestamp[ns,UTC]", ["2024-01-02T03:04:05Z"]),
    (pa.date32(), "string", ["2024-01-02"]),
    (pa.list_(pa.int16()), "list[int64]", [[1, 2], []]),
    (pa.large_list(pa.large_string()), "list[string]", [['"', None]]),
    (pa.list_(pa.float64(), 2), "list[float64]", [[1.5, 2.5]]),
    (pa.struct([("a b", pa.int8()), ("c", pa.list_(pa.struct([("d", pa.bool_())])))]), 'struct["a b":int64,"c":list[struct["d":bool]]]', [{"a b": 1, "c": [{"d": True}]}]),
]


def test_what_arrow_holds_comes_back(tmp_path: Path) -> None:
    """The columns can be cast to the schema's own types, and then hold the same values."""
    names = [f"c{i}" for i in range(len(COLUMNS))]
    schema = pa.schema([(name, t) for name, (t, _, _) in zip(names, COLUMNS)])
    assert types(schema) == [kind for _, kind, _ in COLUMNS]
    rows = [{name: values[i] for name, (_, _, values) in zip(names, COLUMNS) if i < len(values)} for i in range(2)]
    file = lines(tmp_path / "x.ndjson", rows)
    got = pa.table(kumihimo.extract(file, schema=schema))
    for name, (t, _, values) in zip(names, COLUMNS):
        plain = t.value_type if pa.types.is_dictionary(t) else t
        if pa.types.is_date(t):
            plain = pa.string()
        held = got[name].cast(plain).to_pylist()
        wanted = values + [None] * (2 - len(values))
        if pa.types.is_decimal(t) or pa.types.is_timestamp(t):
            wanted = pa.array([None if v is None else str(v) for v in wanted]).cast(plain).to_pylist()
        assert held == wanted, (name, t)


def test_newer_types_of_arrow() -> None:
    """Views, of which polars writes its texts; encodings, extensions, and what JSON alone holds."""
    for make, kind in (
        (lambda: pa.string_view(), "string"),
        (lambda: pa.binary_view(), "string"),
        (lambda: pa.list_view(pa.string_view()), "list[string]"),
        (lambda: pa.large_list_view(pa.uint64()), "list[decimal(20,0)]"),
        (lambda: pa.run_end_encoded(pa.int32(), pa.bool_()), "bool"),
        (lambda: pa.json_(), "json"),
        (lambda: pa.list_(pa.json_()), "list[json]"),
        (lambda: pa.decimal32(5, 2), "decimal(5,2)"),
        (lambda: pa.decimal256(60, 2), "decimal"),
        (lambda: pa.decimal128(5, -2), "decimal"),
        (lambda: pa.time64("us"), "string"),
        (lambda: pa.binary(3), "string"),
        (lambda: pa.map_(pa.string(), pa.int64()), "json"),
        (lambda: pa.struct([("a", pa.int8()), ("a", pa.int8())]), "json"),
        (lambda: pa.struct([]), "json"),
        (lambda: pa.null(), "json"),
    ):
        try:
            t = make()
        except AttributeError:  # of a later pyarrow
            continue
        assert types(pa.schema([("a", t)])) == [kind]
    deep = pa.int8()
    for _ in range(10):
        deep = pa.list_(deep)
    assert types(pa.schema([("a", deep)])) == ["list[" * 8 + "json" + "]" * 8]


def test_lists_and_structs_come_back_from_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"a": [{"x": i, "t": "2024-01-02T03:04:05Z", "y z": None if i % 2 else [True]}], "m": {"k": [1, "x"], "価": i + 0.5}, "s": "x", "e": []} for i in range(20)]
    file = lines(tmp_path / "x.ndjson", rows)
    kumihimo.extract_to(file, tmp_path / "x.parquet", nested_types=True)
    wanted = parquet.read_table(tmp_path / "x.parquet")
    (tmp_path / "x.arrow").write_bytes(wanted.schema.serialize())
    for schema in (wanted.schema, tmp_path / "x.arrow"):
        kumihimo.extract_to(file, tmp_path / "y.parquet", schema=schema)
        assert parquet.read_table(tmp_path / "y.parquet") == wanted


def test_polars(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(
        {"name": ['x "q"', None], "n": [1, 2], "u": [2**64 - 1, 0], "tags": [["a"], []], "at": [AT, None], "who": [{"a": 1}, {"a": None}], "kind": ["p", "q"]},
        schema_overrides={"u": pl.UInt64, "kind": pl.Categorical},
    )
    frame.write_ipc(tmp_path / "x.arrow")
    frame.write_ndjson(tmp_path / "x.ndjson")
    got = pl.DataFrame(kumihimo.extract(tmp_path / "x.ndjson", schema=tmp_path / "x.arrow"))
    assert got.cast(frame.schema).equals(frame)
    done = command("extract", tmp_path / "x.ndjson", "--schema", tmp_path / "x.arrow", "--limit", "1")
    assert done.stdout.splitlines()[1].startswith('"x ""q""",1,18446744073709551615,"[""a""]",'), done.stderr


def test_pandas(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"s": ["x", "y"], "c": pd.Categorical(["p", "q"]), "at": pd.to_datetime([AT, AT], utc=True), "f": [0.5, 1.5], "b": [True, False]})
    frame.to_json(tmp_path / "x.ndjson", orient="records", lines=True, date_format="iso", date_unit="ns")
    got = pa.table(kumihimo.extract(tmp_path / "x.ndjson", schema=pa.Schema.from_pandas(frame))).to_pandas()
    for name in frame.columns:
        assert list(got[name]) == list(frame[name]), name


def test_duckdb(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    sql = """SELECT 'x' AS s, 18446744073709551615::UBIGINT AS u, [1, 2]::INTEGER[] AS l, {'a': 1, 'b': ['y']} AS st, 1.25::DECIMAL(9,2) AS d,
             TIMESTAMP '2024-01-02 03:04:05' AS t, 'p'::ENUM('p', 'q') AS e"""
    schema = duckdb.sql(sql).to_arrow_table().schema
    duckdb.sql(f"COPY ({sql}) TO '{tmp_path / 'x.ndjson'}' (FORMAT json)")
    got = pa.table(kumihimo.extract(tmp_path / "x.ndjson", schema=schema))
    assert duckdb.sql("SELECT s, u::UBIGINT, l, st, d, t, e FROM got").fetchall() == duckdb.sql(sql).fetchall()


def test_json_schema() -> None:
    def of(said: Any) -> str:
        return types({"type": "object", "properties": {"a": said}})[0]

    whole = {"type": "integer"}
    for said, kind in (
        ({"type": "array", "items": whole}, "list[int64]"),
        ({"type": ["array", "null"], "items": {"type": ["string", "null"], "format": "date-time"}}, "list[timestamp]"),
        ({"type": "array", "items": {"type": "array", "items": {"type": "number"}}}, "list[list[float64]]"),
        ({"type": "array", "items": {"type": "object", "properties": {"a b": whole, "c": {}}}}, 'list[struct["a b":int64,"c":json]]'),
        ({"type": "array", "items": {"anyOf": [whole]}}, "list[json]"),
        ({"type": "array"}, "json"),
        ({"type": "array", "items": [whole, whole]}, "json"),
        ({"type": "array", "prefixItems": [whole], "items": whole}, "json"),
        ({"type": "array", "items": {"type": "object", "additionalProperties": whole}}, "list[json]"),
        ({"type": ["array", "string"], "items": whole}, "json"),
        ({"type": "array", "items": whole, "x-kumihimo-type": "json"}, "json"),
    ):
        assert of(said) == kind, said
    deep: Any = whole
    for _ in range(12):
        deep = {"type": "array", "items": deep}
    assert of(deep) == "list[" * 8 + "json" + "]" * 8


def test_schemas_in_memory(tmp_path: Path) -> None:
    file = lines(tmp_path / "x.ndjson", [{"a": 1, "b": ["x"]}])
    found = kumihimo.schema(file)
    for given in (found, pa.schema(found), found.json_schema()):
        rows = pa.table(kumihimo.extract(file, schema=given)).to_pylist()
        assert [row["a"] for row in rows] == [1]
    with pytest.raises(TypeError, match="schema is the name of a file.*not list"):
        kumihimo.extract(file, schema=["a"])
    with pytest.raises(ValueError, match="no columns"):
        kumihimo.extract(file, schema=pa.schema([]))


def test_errors_name_the_file_and_the_column(tmp_path: Path) -> None:
    file = lines(tmp_path / "x.ndjson", [{"a": 1}])
    said = tmp_path / "s.json"

    def fields(kind: str, path: str = "$.a") -> str:
        return json.dumps({"kumihimo": "schema", "fields": [{"name": "a", "path": path, "type": kind}]})

    for text, why in (
        (fields("int65"), 'column "a": unknown type "int65"'),
        (fields("int64", "$.a["), 'column "a": the path "\\$.a\\["'),
        (fields("int64", ".a"), 'column "a": the path ".a" is of an array'),
        ("", "the file is empty"),
        (" \n", "the file is empty"),
    ):
        said.write_text(text)
        with pytest.raises(ValueError, match=f"^schema .*s.json: {why}"):
            kumihimo.extract(file, schema=said)
    said.write_text(fields("int65"))
    done = command("extract", file, "--schema", said)
    assert done.returncode == 2 and f'--schema {said}: column "a": unknown type "int65"' in done.stderr
    with pytest.raises(ValueError, match="^infer is of types that are not given"):
        kumihimo.extract(file, schema=pa.schema([("a", pa.int64())]), infer="all")
    with pytest.raises(ValueError, match="^nested_types is of types that are not given"):
        kumihimo.extract(file, schema=pa.schema([("a", pa.int64())]), nested_types=True)
    said.write_text(fields("int64"))
    for word in (("--infer", "all"), ("--nested-types",)):
        done = command("extract", file, "--schema", said, *word)
        assert done.returncode == 2 and f"{word[0]} is of types that are not given" in done.stderr
