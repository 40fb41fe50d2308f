"""`kumihimo schema`: what stands at each path, against an oracle in plain Python that groups all values by their paths; and the ways back to columns."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import subprocess
import sys
import tarfile
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import kumihimo

SEED = 11
COUNT = int(os.environ.get("KUMIHIMO_COUNT", 1500))


def command(*words: Any, **more: Any) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "kumihimo.cli", *map(str, words)], capture_output=True, text=True, timeout=120, **more)


# ---------------------------------------------------------------------------------------------------------------------- oracle


class Written(str):
    """A number as it is written."""


class Pairs(list):
    """An object, with keys that come twice."""


def parsed(document: str) -> Any:
    return json.loads(document, object_pairs_hook=Pairs, parse_int=Written, parse_float=Written)


KINDS = ("null", "boolean", "integer", "number", "string", "object", "array")


def kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, Written):
        return "number" if any(c in value for c in ".eE") or value == "-0" else "integer"
    return "string" if isinstance(value, str) else "object" if isinstance(value, Pairs) else "array"


TIME = "2024-01-02T03:04:05"


def column(values: list[Any]) -> str:
    """The column's type for scalars, by the rules of docs/extract.md. Texts of times are of one shape or none here."""
    seen = [v for v in values if v is not None]
    kinds = {"number" if kind(v) == "integer" else kind(v) for v in seen}
    if len(kinds) != 1:
        return "json"
    if kinds == {"boolean"}:
        return "bool"
    if kinds == {"string"}:
        shapes = {v[19:] for v in seen} if all(v.startswith(TIME) for v in seen) else {None}
        return {"Z": "timestamp", "": "timestamp[naive]"}.get(shapes.pop(), "string") if len(shapes) == 1 else "string"
    fractions = [v for v in seen if kind(v) == "number"]
    whole = [int(v) for v in seen if kind(v) == "integer"]
    if any(not -(2**63) <= n < 2**63 for n in whole) or any(len(Decimal(v).as_tuple().digits) > 17 for v in fractions):
        return "decimal"
    return "int64" if not fractions else "decimal" if any(int(float(n)) != n for n in whole) else "float64"


def example(value: Any) -> Any:
    return value[:40] + "…" if isinstance(value, str) and len(value) > 40 else value


def step(key: str) -> str:
    return f".{key}" if key.replace("-", "_").isidentifier() else f"[{json.dumps(key, ensure_ascii=False)}]"


class Value:
    def __init__(self, value: Any, document: int, at: int) -> None:
        self.value, self.document, self.at, self.owner = value, document, at, -1  # owner: the object that it is a member of


def numbered(documents: list[Any]) -> tuple[list[Value], dict[int, list]]:
    """The documents as values with their positions; and of containers what is in them, by position."""
    inside: dict[int, list] = {}
    count = 0

    def visit(value: Any, document: int) -> Value:
        nonlocal count
        mine = Value(value, document, count)
        count += 1
        if isinstance(value, Pairs):
            inside[mine.at] = [(key, visit(v, document)) for key, v in value]
        elif isinstance(value, list):
            inside[mine.at] = [visit(v, document) for v in value]
        return mine

    return [visit(d, i) for i, d in enumerate(documents)], inside


class Oracle:
    def __init__(self, documents: list[str], fold: int) -> None:
        self.fold, self.paths, self.fields = fold, [], []  # type: ignore[var-annotated]
        values, self.inside = numbered([parsed(d) for d in documents])
        if values:
            self.look(values, "$", False, None, "")
        self.all = {"kumihimo": "schema", "documents": len(documents), "fold": fold, "paths": self.paths, "fields": self.fields}

    def look(self, group: list[Value], path: str, folded: bool, of: Any, name: Any) -> None:
        """What is said of all values at one path, and below it. `name`: of its column; None below one."""
        line: dict[str, Any] = {"path": path}
        if not folded:
            line["documents"] = len({v.document for v in group})
        line["values"] = len(group)
        if of is not None:
            line["of"] = of
            if twice := len(group) - len({v.owner for v in group}):
                line["repeated"] = twice
        kinds = [kind(v.value) for v in group]
        line["types"] = {k: kinds.count(k) for k in KINDS if k in kinds}
        if not {"object", "array"} & set(kinds):
            line["type"] = column([v.value for v in group])
        shown: dict[tuple[str, str], Any] = {}
        for v in sorted(group, key=lambda v: v.at):
            if kind(v.value) not in ("null", "object", "array"):
                shown.setdefault((kind(v.value), str(example(v.value))), example(v.value))
        if shown:
            line["examples"] = list(shown.values())[:3]
        self.paths.append(line)
        objects = [v for v in group if kind(v.value) == "object"]
        members = sorted(((m.at, key, m, v.at) for v in objects for key, m in self.inside[v.at]), key=lambda m: m[0])
        keys: dict[str, list[Value]] = {}
        for _, key, member, owner in members:
            member.owner = owner
            keys.setdefault(key, []).append(member)
        opens = set(kinds) - {"null"} == {"object"} and 0 < len(keys) <= self.fold
        if name is not None and not opens:
            name = "value" if path == "$" else name
            unique = path if name in {f["name"] for f in self.fields} else name
            self.fields.append({"name": unique, "path": path, "type": line.get("type", "json")})
            name = None
        if len(keys) > self.fold:
            self.look([m for _, _, m, _ in members], path + ".*", True, None, None)
        else:
            for key, at in keys.items():
                self.look(at, path + step(key), folded, len(objects), None if name is None else f"{name}.{key}" if name else key)
        if elements := [e for v in group if kind(v.value) == "array" for e in self.inside[v.at]]:
            self.look(elements, path + "[*]", folded, None, None)


def oracle(documents: list[str], fold: int) -> dict[str, Any]:
    return Oracle(documents, fold).all


# ------------------------------------------------------------------------------------------------------------------- documents

KEYS = ("a", "b", "c-d", "ü", "e f", "a.b", 'q"', "1", "", "deep")


def text(r: random.Random) -> str:
    return r.choice([TIME + "Z", TIME, "x", "", "ü" * 39, "ü" * 41, "y" * r.randrange(30, 50), 'q"\\\n', "日本"])


def made(r: random.Random, depth: int) -> str:
    if depth > 0 and r.random() < 0.45:
        if r.random() < 0.3:
            return "[" + ", ".join(made(r, depth - 1) for _ in range(r.randrange(4))) + "]"
        ids = r.random() < 0.15
        pairs = []
        for _ in range(r.randrange(5)):
            key = f"id{r.randrange(40)}" if ids else r.choice(KEYS)
            pairs.append(f"{json.dumps(key)}: {made(r, depth - 1)}")
        return "{" + ",".join(pairs) + "}"
    return r.choice(
        [
            lambda: "null",
            lambda: r.choice(["true", "false"]),
            lambda: str(r.randrange(-5, 30)),
            lambda: r.choice(["9007199254740993", "12345678901234567890", "-9223372036854775808", "1.5", "2.50", "-0.25", "1e3", "0.12345678901234567890123"]),
            lambda: json.dumps(text(r), ensure_ascii=r.random() < 0.3),
        ]
    )()


def record(r: random.Random, i: int) -> str:
    """A document of usual form: most keys are always there, in one order."""
    parts = [f'"id": {i}', f'"price": {r.randrange(1000)}.{r.randrange(10)}', f'"at": "{TIME}Z"', f'"pair": "{r.choice(["btc", "eth"])}"']
    if i % 7 == 0:
        parts.pop(r.randrange(4))
    if i % 11 == 0:
        parts.append(f'"deep": {made(r, 3)}')
    parts.append(f'"asks": [{", ".join(f"[{r.randrange(99)}.5, {r.randrange(9)}]" for _ in range(r.randrange(4)))}]')
    return "{" + ", ".join(parts) + "}"


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """All kinds of inputs with many tasks, and their documents in order."""
    folder, r = tmp_path_factory.mktemp("schema"), random.Random(SEED)
    documents: list[str] = []

    def some(n: int) -> list[str]:
        mine = [record(r, i) if r.random() < 0.9 else '{"deep": ' + made(r, 3) + "}" for i in range(n)]
        documents.extend(mine)
        return mine

    with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for i, d in enumerate(some(COUNT)):
            archive.writestr(f"{i:05}.json", d)
    (folder / "b.ndjson").write_text("\n".join(some(COUNT)) + "\n")
    (folder / "c.json").write_text("[" + ",\n".join(some(300)) + "]")
    (folder / "d.ndjson.gz").write_bytes(gzip.compress("\n".join(some(300)).encode()))
    for i in range(20):
        (folder / f"e{i:02}.json").write_text(some(1)[0])
    with tarfile.open(folder / "f.tar.gz", "w:gz") as archive:
        for i, d in enumerate(some(100)):
            entry = tarfile.TarInfo(f"{i:03}.json")
            entry.size = len(d.encode())
            archive.addfile(entry, io.BytesIO(d.encode()))
    return folder, documents


def exact(text: str) -> Any:
    """Numbers as they are written, and not taken for texts."""
    return json.loads(text, parse_int=Written, parse_float=Written)


def same(said: Any, wanted: Any, where: str = "") -> None:
    """As ==, but a Written is no str, and a count may be either."""
    if isinstance(wanted, dict):
        assert list(said) == list(wanted), where
        for key in wanted:
            same(said[key], wanted[key], f"{where}/{wanted.get('path', key)}")
    elif isinstance(wanted, list):
        assert len(said) == len(wanted), (where, said, wanted)
        for i, (one, other) in enumerate(zip(said, wanted)):
            same(one, other, f"{where}[{i}]")
    elif isinstance(wanted, int) and not isinstance(wanted, bool):
        assert said == str(wanted), where
    else:
        cut = isinstance(wanted, str) and wanted.endswith("…")  # of a number, too, what is left is a text
        assert said == wanted and (cut or isinstance(said, Written) == isinstance(wanted, Written)), (where, said, wanted)


# ----------------------------------------------------------------------------------------------------------------------- tests


@pytest.mark.parametrize("fold", [2, 6, 1000])
def test_against_the_oracle(inputs: tuple[Path, list[str]], fold: int) -> None:
    folder, documents = inputs
    texts = {kumihimo.schema(folder, jobs=jobs, fold=fold).json() for jobs in (1, 2, 3, 4)}
    assert len(texts) == 1
    same(exact(texts.pop()), oracle(documents, fold))


def test_small_ones_against_the_oracle(tmp_path: Path) -> None:
    r = random.Random(SEED)
    file = tmp_path / "x.ndjson"
    for _ in range(min(COUNT // 10, 2000)):
        documents = [made(r, 3) for _ in range(r.randrange(1, 6))]
        fold = r.randrange(1, 6)
        file.write_text("\n".join(documents) + "\n")
        same(exact(kumihimo.schema(file, jobs=1, fold=fold, layout="lines").json()), oracle(documents, fold))


def test_bad_documents_leave_no_trace(inputs: tuple[Path, list[str]], tmp_path: Path) -> None:
    """Also where they were found to be bad in their middle, with new keys before that."""
    _, documents = inputs
    r = random.Random(SEED)
    good, all_ = documents[:900], []
    for i, d in enumerate(good):
        if i % 97 == 5:
            all_.append(r.choice(['{"new": {"k": 1}, "id": 5, tru}', '{"id": "text", "other": [1, 2', '{"price": 1.5e}', '"\x01"']))
        all_.append(d)
    bad = len(all_) - len(good)
    (tmp_path / "x.ndjson").write_text("\n".join(all_) + "\n")
    with zipfile.ZipFile(tmp_path / "y.zip", "w") as archive:
        for i, d in enumerate(all_):
            archive.writestr(f"{i:04}.json", d)
    (tmp_path / "z").mkdir()
    for i, d in enumerate(all_[:60]):
        (tmp_path / "z" / f"{i:03}.json").write_text(d)
    wanted = oracle(good, 1000)
    for name in ("x.ndjson", "y.zip"):
        for jobs in (1, 2, 4):
            found = kumihimo.schema(tmp_path / name, on_error="skip", jobs=jobs)
            same(exact(found.json()), wanted)
            assert len(found.reports) == bad
    few = [d for d in all_[:60] if d in good]
    same(exact(kumihimo.schema(tmp_path / "z", on_error="skip").json()), oracle(few, 1000))
    with pytest.raises(kumihimo.ExtractionError):
        kumihimo.schema(tmp_path / "x.ndjson")
    aside = tmp_path / "bad.ndjson"
    found = kumihimo.schema(tmp_path / "x.ndjson", on_error="quarantine", quarantine=aside)
    assert len(aside.read_text().splitlines()) == bad and found.documents == len(good)
    done = command("schema", tmp_path / "x.ndjson", "--on-error", "skip", "--to", "json")
    assert done.returncode == 0 and done.stdout == found.json() and f"{bad} bad records" in done.stderr
    done = command("schema", tmp_path / "x.ndjson", "-o", tmp_path / "none.json")
    assert done.returncode == 1 and "line 6" in done.stderr and not (tmp_path / "none.json").exists()


def test_which_documents(inputs: tuple[Path, list[str]]) -> None:
    folder, documents = inputs
    for jobs in (1, 3):
        same(exact(kumihimo.schema(folder, limit=COUNT + 77, jobs=jobs).json()), oracle(documents[: COUNT + 77], 1000))
        chosen = [d for d in documents if '"pair": "btc"' in d and dict(parsed(d)).get("pair") == "btc"]
        same(exact(kumihimo.schema(folder, where='pair == "btc"', jobs=jobs).json()), oracle(chosen, 1000))
        same(exact(kumihimo.schema([folder / "a.zip", folder / "b.ndjson"], limit_per_archive=40, jobs=jobs).json()), oracle(documents[:40] + documents[COUNT : COUNT + 40], 1000))
        sample = [kumihimo.schema(folder, sample_rows=0.3, seed=5, jobs=jobs) for _ in range(2)]
        assert sample[0].json() == sample[1].json() and 0.2 < sample[0].documents / len(documents) < 0.4
    same(exact(kumihimo.schema(folder / "a.zip", limit=0).json()), oracle([], 1000))


def test_formats_and_frames(tmp_path: Path) -> None:
    values = [{"i": i, "f": i + 0.5, "s": "x" * (i % 3), "l": [i, None], "o": {"b": i % 2 == 0}} for i in range(400)]
    documents = [json.dumps(v) for v in values]
    (tmp_path / "x.ndjson").write_text("\n".join(documents))
    plain = kumihimo.schema(tmp_path / "x.ndjson").json()
    same(exact(plain), oracle(documents, 1000))
    for form in ("msgpack", "cbor", "tagged"):
        (tmp_path / f"x.{form}").write_bytes(b"".join(kumihimo.dump(v, form) for v in values))
        assert kumihimo.schema(tmp_path / f"x.{form}", jobs=2).json() == plain
    kumihimo.repack(tmp_path / "x.ndjson", tmp_path / "x.cbor.zst")
    assert kumihimo.schema(tmp_path / "x.cbor.zst").json() == plain
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as inner:
        inner.write(tmp_path / "x.ndjson", "x.ndjson")
    with zipfile.ZipFile(tmp_path / "out.zip", "w") as outer:
        outer.write(tmp_path / "in.zip", "in.zip")
    assert kumihimo.schema(tmp_path / "out.zip", nested=1).json() == plain
    relaxed = tmp_path / "r.json"
    relaxed.write_text('{"a": [1, 2,], // two\n "b": null}')
    same(exact(kumihimo.schema(relaxed, format="json", dialect="relaxed").json()), oracle(['{"a": [1, 2], "b": null}'], 1000))
    with open(tmp_path / "x.ndjson") as source:
        assert command("schema", "-", "--to", "json", stdin=source).stdout == plain


def test_limits(tmp_path: Path) -> None:
    """What does not end in a schema ends in a sentence, by any number of threads and whatever becomes of bad records."""
    (tmp_path / "deep.json").write_text("[" * 1000 + "]" * 1000)
    assert len(kumihimo.schema(tmp_path / "deep.json", layout="document").paths) == 1000
    with pytest.raises(kumihimo.ExtractionError, match="--max-depth"):
        kumihimo.schema(tmp_path / "deep.json", layout="document", depth=900)
    many = tmp_path / "many.ndjson"
    many.write_text("\n".join(json.dumps({f"a{i % 900}": {f"b{k}": 1 for k in range(60)}}) for i in range(900)))
    for jobs in (1, 2):
        with pytest.raises(kumihimo.ExtractionError, match="more than 32768 different paths.*lower --fold"):
            kumihimo.schema(many, on_error="skip", jobs=jobs)
    assert [one["path"] for one in kumihimo.schema(many, fold=500).paths] == ["$", "$.*", *(f"$.*.b{k}" for k in range(60))]
    with pytest.raises(ValueError, match="fold"):
        kumihimo.schema(many, fold=0)
    done = command("schema", many)
    assert done.returncode == 1 and "lower --fold" in done.stderr
    assert command("schema", many, "--on-error", "null").returncode == 2


def test_columns_are_those_that_extraction_finds(inputs: tuple[Path, list[str]], tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    folder, _ = inputs
    for source, nested in ((folder / "b.ndjson", []), (folder / "c.json", []), (folder, []), (folder / "b.ndjson", ["--nested-types"])):
        found = kumihimo.schema(source, nested_types=bool(nested))
        everything = kumihimo.extract(source, infer="all", nested_types=bool(nested))
        assert [(name, path, kind_) for name, kind_, path in everything.schema] == found.fields
        wanted = pyarrow.table(everything)
        assert wanted.column_names == [name for name, _, _ in found.fields] and wanted.schema.types == pyarrow.schema(found).types
        (tmp_path / "x.json").write_text(found.json())
        (tmp_path / "x.schema.json").write_bytes(found.json_schema_text())
        assert command("schema", source, "-o", tmp_path / "x.arrow", "-q", *nested).returncode == 0
        for given in (found, tmp_path / "x.json", tmp_path / "x.schema.json", str(tmp_path / "x.arrow")):
            got = pyarrow.table(kumihimo.extract(source, schema=given))
            assert got.column_names == wanted.column_names and got.schema.types == wanted.schema.types
            assert got.num_rows == wanted.num_rows
            for name in got.column_names:
                assert got[name].to_pylist() == wanted[name].to_pylist(), name


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "x.ndjson"
    file.write_text('{"at":"2024-01-02T03:04:05","n":1,"価格":[1.50]}\n{"at":"2024-01-02T03:04:06","n":null}\n')
    done = command("schema", file)
    assert (done.returncode, done.stdout) == (
        0,
        "path       documents  values  types                      examples\n"
        "$                  2       2  object\n"
        '$.at               2       2  string (timestamp[naive])  "2024-01-02T03:04:05", "2024-01-02T03:04:06"\n'
        "$.n                2       2  null 1, integer 1          1\n"
        "$.価格             1       1  array\n"
        "$.価格[*]          1       1  number                     1.50\n",
    )
    assert "2 documents" in done.stderr
    assert str(kumihimo.schema(file)) + "\n" == done.stdout
    found = json.loads(command("schema", file, "--to", "json-schema", "-q").stdout)
    assert found == kumihimo.schema(file).json_schema() and found["properties"]["at"] == {"type": "string", "x-kumihimo-type": "timestamp[naive]", "examples": ["2024-01-02T03:04:05", "2024-01-02T03:04:06"]}
    assert found["required"] == ["at", "n"]
    assert command("schema", file, "-o", file).returncode == 2
    out = tmp_path / "s.json"
    assert command("schema", file, "-o", out, "-q").stderr == ""
    done = command("extract", file, "--schema", out, "--to", "ndjson")
    assert (done.returncode, done.stdout) == (0, '{"at":"2024-01-02T03:04:05","n":1,"価格":[1.50]}\n{"at":"2024-01-02T03:04:06","n":null,"価格":null}\n')
    for words, said in (
        (("--schema", out, "-f", "n"), "--schema has the fields"),
        (("--schema", tmp_path / "none.json"), "No such file"),
        (("--schema", file), "--schema"),
        (("--schema", out, "-o", out), "is also an input"),
    ):
        done = command("extract", file, *words)
        assert done.returncode == 2 and said in done.stderr, (words, done.stderr)


def test_schemas_of_others(tmp_path: Path) -> None:
    file = tmp_path / "x.json"

    def fields(said: Any) -> list[tuple[str, str, str]]:
        from kumihimo.schema_files import read_fields

        file.write_text(json.dumps(said))
        return read_fields(file)

    assert fields({"type": "object", "properties": {"a": {"type": ["integer", "null"]}, "b": {"properties": {"c d": {"type": "string", "format": "date-time"}, "e": True}}, "f": {"$ref": "#/x"}}}) == [
        ("a", "$.a", "int64"),
        ("b.c d", '$.b["c d"]', "timestamp"),
        ("b.e", "$.b.e", "json"),
        ("f", "$.f", "json"),
    ]
    assert fields({"type": ["integer", "number"]}) == [("value", "$", "float64")]
    # Each has a name of its own, the one that the engine finds for such keys.
    clashing = {"$.a.b": 1, "a.b": 2.5, "a": {"b": True}}
    (tmp_path / "clashing.json").write_text(json.dumps(clashing))
    found = kumihimo.schema(tmp_path / "clashing.json")
    assert fields(found.json_schema()) == found.fields == [("$.a.b", '$["$.a.b"]', "int64"), ("a.b", '$["a.b"]', "float64"), ("$.a.b_2", "$.a.b", "bool")]
    for wrong in ({"x": 1}, [1], {"kumihimo": "schema"}, {"kumihimo": "schema", "fields": [{"name": 1}]}, {"kumihimo": "schema", "fields": []}):
        with pytest.raises(ValueError, match="schema .*x.json: "):
            fields(wrong)
    file.write_bytes(b"\x00\x01garbage")
    from kumihimo.schema_files import read_fields

    with pytest.raises(ValueError, match="schema .*x.json: "):
        read_fields(file)
    pyarrow = pytest.importorskip("pyarrow")
    schema = pyarrow.schema([("a", pyarrow.int32()), ("b", pyarrow.timestamp("ns", "Asia/Tokyo")), ("c", pyarrow.list_(pyarrow.int8())), ("d", pyarrow.decimal128(9, 2))])
    file.write_bytes(schema.serialize())
    assert read_fields(file) == [("a", "a", "int64"), ("b", "b", "timestamp[ns,Asia/Tokyo]"), ("c", "c", "list[int64]"), ("d", "d", "decimal(9,2)")]


def test_types_out_of_all_documents(tmp_path: Path) -> None:
    """`--infer all`: what comes late is known before the first row, so that nothing is written again and a pipe has no column `rest`."""
    documents = [{"n": i, "s": "x"} for i in range(3000)] + [{"n": 1.5, "late": {"x": True}, "s": None}]
    body = "".join(json.dumps(d) + "\n" for d in documents)
    (tmp_path / "x.ndjson").write_text(body)
    for jobs in ("1", "2", "4"):
        done = command("extract", tmp_path / "x.ndjson", "--sample", "10", "--infer", "all", "-j", jobs)
        lines_ = done.stdout.splitlines()
        assert done.returncode == 0 and lines_[0] == "n,s,late.x" and lines_[1] == "0,x," and lines_[-1] == "1.5,,true", done.stderr
        piped = command("extract", "-", "--sample", "10", "--infer", "all", "-j", jobs, input=body)
        assert piped.stdout == done.stdout
    pyarrow = pytest.importorskip("pyarrow")
    rows = kumihimo.extract(tmp_path / "x.ndjson", ["n", "late.x"], sample=5, infer="all")
    assert [t for _, t, _ in rows.schema] == ["float64", "bool"] and pyarrow.table(rows)["n"].to_pylist() == [float(d["n"]) for d in documents]
    assert any("bool" in note and "(in 1 of 3001 documents)" in note for note in rows.notes)
    trades = [{"t": [{"p": i}] * 3} for i in range(2000)] + [{"t": [{"p": "x", "q": 1}]}]
    (tmp_path / "t.ndjson").write_text("".join(json.dumps(d) + "\n" for d in trades))
    for jobs in (1, 3):
        rows = kumihimo.extract(tmp_path / "t.ndjson", rows="t[*]", sample=5, infer="all", jobs=jobs)
        assert [(n, t) for n, t, _ in rows.schema] == [("p", "json"), ("q", "int64")] and pyarrow.table(rows).num_rows == 6001
    with pytest.raises(ValueError, match="infer is one of"):
        kumihimo.extract(tmp_path / "t.ndjson", infer="some")


def test_memory_is_that_of_the_schema(tmp_path: Path) -> None:
    """A hundred times the documents take no more."""
    peaks = []
    # VmHWM is this program's own; ru_maxrss begins with that of the process which started it.
    program = "import sys, kumihimo; kumihimo.schema(sys.argv[1], jobs=2); print(next(int(line.split()[1]) // 1024 for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    line = json.dumps({"id": 1, "asks": [[1.5, 2]] * 100, "text": "x" * 500}) + "\n"
    for n in (600, 60_000):
        file = tmp_path / "x.ndjson.gz"
        with gzip.open(file, "wt", compresslevel=1) as out:
            for _ in range(n):
                out.write(line)
        peaks.append(int(subprocess.run([sys.executable, "-c", program, str(file)], capture_output=True, text=True, check=True).stdout))
    assert peaks[1] < peaks[0] + 60 and peaks[1] < 200, peaks
