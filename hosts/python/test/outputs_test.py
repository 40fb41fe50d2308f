"""Every output against an oracle in plain Python, read back by somebody else's reader."""

from __future__ import annotations

import csv
import datetime
import decimal
import gzip
import io
import json
import random
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, Optional

import pytest

import kumihimo

pyarrow = pytest.importorskip("pyarrow")
import pyarrow.ipc  # noqa: E402
import pyarrow.parquet  # noqa: E402

TEXTS = ["", " ", "a", "tab\there", "line\nend", "\r\n", 'quote"s', '""', "comma,", "日本語", "\\", "null", "1.5", "e\u0301", "\x00", " both "]
FLOATS = [0.0, -0.0, 1.5, 1e300, 5e-324, 0.1, 123456789.125, -2.5e-7]
WHOLES = [0, 1, -1, 2**63 - 1, -(2**63), 2**53 + 1]
HUGE = [0, 2**64 - 1, 2**63, -(2**63), 10**30, -(10**25)]
RAW = [{"a": [1, 2.50, None]}, [], {}, "text", 7, True, {"k": {"é": "\t"}}]
FIELDS = ["id:int64", "u", "x:float64", "b:bool", "s:string", "at:timestamp", "raw:json", "money:decimal(20,4)", "day:string"]
NAMES = [field.split(":")[0] for field in FIELDS]


def documents(count: int, seed: int = 1) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    start = datetime.datetime(2024, 1, 1, 22, 0, 0, 123456)
    found = []
    for i in range(count):
        at = start + datetime.timedelta(seconds=i * 7, microseconds=chance.randrange(10**6))
        row = {"id": chance.choice(WHOLES) if i % 3 else i, "u": chance.choice(HUGE), "x": chance.choice(FLOATS), "b": chance.random() < 0.5, "s": chance.choice(TEXTS),
               "at": at.isoformat() + "Z", "raw": chance.choice(RAW), "money": str(decimal.Decimal(chance.randrange(10**9)) / 10000), "day": chance.choice(["mon", "tue/wed", "tü", "a=b"])}  # fmt: skip
        for name in ("u", "x", "b", "s", "raw", "money"):
            if chance.random() < 0.1:
                row[name] = None
            elif chance.random() < 0.1:
                del row[name]
        found.append(row)
    return found


def written(folder: Path, rows: list[dict[str, Any]]) -> Path:
    """The documents in archives and files of several kinds, in order."""
    inputs = folder / "in"
    inputs.mkdir()
    texts = [json.dumps(row, ensure_ascii=i % 2 == 0, separators=(",", ":")) for i, row in enumerate(rows)]
    third = len(texts) // 3
    with zipfile.ZipFile(inputs / "0.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for i, text in enumerate(texts[:third]):
            archive.writestr(f"{i:06}.json", text)
    (inputs / "1.ndjson").write_text("\n".join(texts[third : 2 * third]) + "\n")
    (inputs / "2.json.gz").write_bytes(gzip.compress(("[" + ",\n".join(texts[2 * third :]) + "]").encode()))
    return inputs


def oracle(row: dict[str, Any]) -> list[Any]:
    return [row.get(name) for name in NAMES]


def moment(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text.removesuffix("Z"))


def digits(at: datetime.datetime) -> str:
    """As CSV prints a second: 0, 3 or 6 digits of its fraction."""
    text = at.strftime("%Y-%m-%dT%H:%M:%S")
    return text + (f".{at.microsecond:06}".removesuffix("000") if at.microsecond else "") + "Z"


def raw_text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def same_json(one: Optional[str], value: Any) -> bool:
    return one is None if value is None else one is not None and json.loads(one) == value


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    rows = documents(3000)
    return written(tmp_path_factory.mktemp("corpus"), rows), rows


def as_csv(row: dict[str, Any]) -> list[Any]:
    """What a reader of CSV finds, but for raw, which is compared as JSON."""
    out = []
    for name, value in zip(NAMES, oracle(row)):
        if value is None:
            out.append("")
        elif name == "at":
            out.append(digits(moment(value)))
        elif name == "money":
            out.append(f"{decimal.Decimal(value):.4f}")
        elif name == "raw":
            out.append(value)
        elif isinstance(value, bool):
            out.append("true" if value else "false")
        elif isinstance(value, float):
            out.append(repr(value))
        else:
            out.append(str(value))
    return out


@pytest.mark.parametrize(("name", "delimiter"), [("t.csv", ","), ("t.tsv", "\t")])
def test_csv_and_tsv(corpus: Any, tmp_path: Path, name: str, delimiter: str) -> None:
    inputs, rows = corpus
    kumihimo.extract_to(inputs, tmp_path / name, FIELDS)
    with open(tmp_path / name, newline="") as file:
        header, *found = csv.reader((line.replace("\x00", "\x01") for line in file), delimiter=delimiter)  # Python 3.10's reader refuses NUL
    assert header == NAMES and len(found) == len(rows)
    for line, row in zip(found, rows):
        for got, wanted, column in zip(line, as_csv(row), NAMES):
            if column == "raw" and row.get("raw") is not None:
                assert json.loads(got) == wanted
            else:
                assert got.replace("\x01", "\x00") == wanted, (column, row)


def as_json(row: dict[str, Any]) -> dict[str, Any]:
    """What a reader of JSON finds."""
    out = dict(zip(NAMES, oracle(row)))
    out["at"] = digits(moment(row["at"]))
    if out["money"] is not None:
        out["money"] = decimal.Decimal(out["money"])
    return out


def approached(found: dict[str, Any]) -> dict[str, Any]:
    if found["money"] is not None:
        found["money"] = decimal.Decimal(repr(found["money"]) if isinstance(found["money"], float) else found["money"])
    return found


def check_objects(found: list[dict[str, Any]], rows: list[dict[str, Any]], huge_as_text: bool = False) -> None:
    assert len(found) == len(rows)
    for got, row in zip(found, rows):
        wanted = as_json(row)
        if huge_as_text and wanted["u"] is not None and not -(2**63) <= wanted["u"] < 2**64:
            wanted["u"] = str(wanted["u"])
        assert list(got) == NAMES
        assert approached(got) == wanted
        for name in NAMES:
            assert name in ("money",) or type(got[name]) is type(wanted[name]), name
        if wanted["x"] is not None:
            assert repr(got["x"]) == repr(wanted["x"])  # -0.0 is not 0.0


@pytest.mark.parametrize("name", ["t.json", "t.ndjson", "t.json.gz", "t.ndjson.zst", "t.jsonl.lz4"])
def test_json(corpus: Any, tmp_path: Path, name: str) -> None:
    inputs, rows = corpus
    kumihimo.extract_to(inputs, tmp_path / name, FIELDS)
    data = (tmp_path / name).read_bytes()
    if name.endswith(".gz"):
        data = gzip.decompress(data)
    elif not name.endswith(("json", "jsonl")):
        data = subprocess.run([{"st": "zstd", "z4": "lz4"}[name[-2:]], "-dc"], input=data, capture_output=True, check=True).stdout
    if ".json" in name and ".jsonl" not in name:
        found = json.loads(data)
        assert data.count(b"\n") == len(rows) + 2
    else:
        found = [json.loads(line) for line in data.decode().split("\n")[:-1]]
    check_objects(found, rows)


def test_msgpack(corpus: Any, tmp_path: Path) -> None:
    msgpack = pytest.importorskip("msgpack", reason="not proven: msgpack is not installed")
    inputs, rows = corpus
    kumihimo.extract_to(inputs, tmp_path / "t.msgpack", FIELDS)
    with open(tmp_path / "t.msgpack", "rb") as file:
        check_objects(list(msgpack.Unpacker(file)), rows, huge_as_text=True)


def test_cbor(corpus: Any, tmp_path: Path) -> None:
    cbor2 = pytest.importorskip("cbor2", reason="not proven: cbor2 is not installed")
    inputs, rows = corpus
    kumihimo.extract_to(inputs, tmp_path / "t.cbor", FIELDS)
    data = (tmp_path / "t.cbor").read_bytes()
    stream, found = io.BytesIO(data), []
    decoder = cbor2.CBORDecoder(stream)
    while stream.tell() < len(data):
        found.append(decoder.decode())
    check_objects(found, rows)


@pytest.mark.parametrize("format", [row["name"] for row in kumihimo.formats() if row["name"] != "json"])
def test_every_binary_format_of_the_engine(corpus: Any, tmp_path: Path, format: str) -> None:
    inputs, rows = corpus
    kumihimo.extract_to(inputs, tmp_path / "t", FIELDS, to=format, compress="zstd")
    data = subprocess.run(["zstd", "-dc"], input=(tmp_path / "t").read_bytes(), capture_output=True, check=True).stdout
    check_objects(list(kumihimo.each_document(data, format)), rows, huge_as_text=format == "msgpack")


def check_table(found: dict[str, list[Any]], rows: list[dict[str, Any]]) -> None:
    """Columns as Arrow's readers give them."""
    assert list(found) == NAMES
    for i, row in enumerate(rows):
        wanted = dict(zip(NAMES, oracle(row)))
        wanted["at"] = moment(row["at"]).replace(tzinfo=datetime.timezone.utc)
        if wanted["u"] is not None:
            wanted["u"] = str(wanted["u"])  # what no int64 holds makes a column of digits
        if wanted["money"] is not None:
            wanted["money"] = decimal.Decimal(wanted["money"])
        for name in NAMES:
            got = found[name][i]
            if name == "raw":
                assert same_json(got, wanted["raw"])
            else:
                assert got == wanted[name] and type(got) is type(wanted[name]), (name, i)


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_columns(corpus: Any, tmp_path: Path, name: str) -> None:
    inputs, rows = corpus
    kumihimo.extract_to(inputs, tmp_path / name, FIELDS)
    table = pyarrow.parquet.read_table(tmp_path / name) if name == "t.parquet" else pyarrow.ipc.open_file(tmp_path / name).read_all()
    check_table({column: table.column(column).to_pylist() for column in table.column_names}, rows)


def sqlite_rows(path: Path, table: str = "rows", columns: str = "*") -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return connection.execute(f'SELECT {columns} FROM "{table}" ORDER BY rowid').fetchall()
    finally:
        connection.close()


def check_sqlite(found: list[tuple[Any, ...]], rows: list[dict[str, Any]]) -> None:
    assert len(found) == len(rows)
    for got, row in zip(found, rows):
        for value, wanted, name in zip(got, oracle(row), NAMES):
            if wanted is None:
                assert value is None
            elif name == "raw":
                assert json.loads(value) == wanted
            elif name == "at":
                assert value == moment(wanted).isoformat(" ", "microseconds") + "Z"
            elif name == "b":
                assert value == int(wanted) and type(value) is int
            elif name == "u":
                assert value == str(wanted)
            elif name == "money":
                assert value == f"{decimal.Decimal(wanted):.4f}"
            else:
                assert value == wanted and type(value) is type(wanted), name


def test_sqlite(corpus: Any, tmp_path: Path) -> None:
    inputs, rows = corpus
    kumihimo.extract_to(inputs, tmp_path / "t.sqlite", FIELDS)
    check_sqlite(sqlite_rows(tmp_path / "t.sqlite"), rows)
    connection = sqlite3.connect(tmp_path / "t.sqlite")
    kinds = dict(row[1:3] for row in connection.execute("PRAGMA table_info(rows)"))
    # SQLite itself understands the times.
    (day,) = connection.execute("SELECT date(at) FROM rows ORDER BY rowid DESC LIMIT 1").fetchone()
    connection.close()
    assert kinds == {"id": "INTEGER", "u": "TEXT", "x": "REAL", "b": "BOOLEAN", "s": "TEXT", "at": "TEXT", "raw": "TEXT", "money": "TEXT", "day": "TEXT"}
    assert day == moment(rows[-1]["at"]).date().isoformat()


def duck_rows(path: Path, table: str = "rows") -> tuple[list[str], list[str], list[tuple[Any, ...]]]:
    duckdb = pytest.importorskip("duckdb", reason="not proven: duckdb is not installed")
    connection = duckdb.connect(str(path), read_only=True)
    try:
        connection.execute("SET TimeZone = 'UTC'")
        about = connection.execute(f'DESCRIBE "{table}"').fetchall()
        return [row[0] for row in about], [row[1] for row in about], connection.execute(f'SELECT * FROM "{table}"').fetchall()
    finally:
        connection.close()


def test_duckdb(corpus: Any, tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="not proven: duckdb is not installed")
    inputs, rows = corpus
    kumihimo.extract_to(inputs, tmp_path / "t.duckdb", FIELDS)
    names, kinds, found = duck_rows(tmp_path / "t.duckdb")
    assert dict(zip(names, kinds)) == {"id": "BIGINT", "u": "VARCHAR", "x": "DOUBLE", "b": "BOOLEAN", "s": "VARCHAR", "at": "TIMESTAMP WITH TIME ZONE", "raw": "VARCHAR", "money": "DECIMAL(20,4)", "day": "VARCHAR"}
    zone = datetime.timezone.utc
    columns = {name: [value.astimezone(zone) if name == "at" else value for value in column] for name, column in zip(names, zip(*found))}
    check_table(columns, rows)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.duckdb"]


FORMS = ["csv", "tsv", "ndjson", "json", "msgpack", "cbor", "tagged", "arrow", "parquet"]


@pytest.mark.parametrize("frame", [None, "gz", "zst"])
@pytest.mark.parametrize("form", FORMS)
def test_threads_change_no_byte(corpus: Any, tmp_path: Path, form: str, frame: Optional[str]) -> None:
    if frame and form in ("arrow", "parquet"):
        with pytest.raises(ValueError, match="compress is for"):
            kumihimo.extract_to(corpus[0], tmp_path / "x", FIELDS, to=form, compress={"gz": "gzip", "zst": "zstd"}[frame])
        return
    made = set()
    for jobs in (1, 2, 3, 4):
        path = tmp_path / f"{jobs}.{form}{'.' + frame if frame else ''}"
        kumihimo.extract_to(corpus[0], path, FIELDS, jobs=jobs)
        made.add(path.read_bytes())
    assert len(made) == 1


def test_the_table_of_forms_has_the_engine_s_formats() -> None:
    from kumihimo.forms import FORMS as known

    for row in kumihimo.formats():
        form = known[row["name"]]
        assert form.endings == tuple(ending for ending in row["endings"] if ending not in row["line_endings"])
        assert form.framed and form.text == row["text"] and form.engine == "ndjson" and form.endings
        assert set(row["line_endings"]) <= {*row["endings"]} & {*known["ndjson"].endings}
    assert [known[name].endings for name in ("json", "ndjson", "msgpack", "cbor", "tagged")] == [(".json",), (".ndjson", ".jsonl"), (".msgpack", ".mpk"), (".cbor",), (".tagged",)]
    endings = [ending for form in known.values() for ending in form.endings]
    assert len(endings) == len(set(endings))


def test_a_format_more_is_a_form_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine's next row needs no line here: its name, endings and dialects come out of the table."""
    from kumihimo import _core, forms
    from kumihimo.outputs import choice, file, text

    rows = kumihimo.formats()
    fifth: Any = {**next(row for row in rows if row["name"] == "cbor"), "name": "braid", "endings": (".braid", ".braids"), "line_endings": (".braids",)}
    table = forms.forms_of([*rows, fifth])
    assert table["braid"] == forms.Form("braid", (".braid",), "ndjson", framed=True)
    assert table["ndjson"].endings[-1] == ".braids"
    assert set(table) - set(forms.FORMS) == {"braid"} and len(table) == len(forms.FORMS) + 1
    for module in (forms, choice, file):
        monkeypatch.setattr(module, "FORMS", table)
    assert forms.form_of_ending("a/rows.BRAID") == "braid"
    # A stand-in for the engine, which has no such format: what it is asked for is its name and its dialect of this name.
    asked: list[Any] = []
    monkeypatch.setattr(_core, "formats", lambda: (*rows, fifth))
    monkeypatch.setattr(_core, "Converter", lambda *given: asked.append(given))
    text.shape_of("braid", b"")
    assert asked[0][:4] == ("json", "braid", None, "lenient")
    assert choice.output_for("rows.braid.gz") is not None


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("-o", "t.xyz"), "--to names the form"),
        (("-o", "t.csv", "--table", "t"), "table is a database's"),
        (("-o", "t.csv", "--if-exists", "append"), "--if-exists append is for tables"),
        (("-o", "t.csv", "--row-group-rows", "5"), "--row-group-rows is for parquet"),
        (("-o", "t.csv", "--compress-level", "5"), "--compress-level is the level"),
        (("-o", "t.csv.gz", "--compress-level", "500"), "level"),
        (("-o", "t.parquet", "--compress", "gz"), "--compress is for streams of bytes"),
        (("-o", "t.parquet.gz"), "--compress is for streams of bytes"),
        (("-o", "t.sqlite", "--split-rows", "5"), "--split-rows is for files"),
        (("-o", "t.duckdb", "--partition-by", "n"), "--partition-by is for files"),
        (("--to", "sqlite"), "--to sqlite makes a table in a file"),
        (("--split-rows", "5"), "--split-rows makes a folder"),
        (("-o", "out", "--to", "csv", "--partition-by", "x"), "--partition-by x: there is no column"),
        (("-o", "out", "--to", "csv", "--split-rows", "0"), "0"),
    ],
)
def test_what_does_not_go_together(tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    (tmp_path / "in.ndjson").write_text('{"n":1}\n')
    done = subprocess.run([sys.executable, "-m", "kumihimo.cli", "extract", "in.ndjson", *words], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and told in done.stderr.replace("\n", " ") and "Traceback" not in done.stderr, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.ndjson"]


def test_what_is_there_already(tmp_path: Path) -> None:
    (tmp_path / "in.ndjson").write_text('{"n":1}\n')
    kumihimo.extract_to(tmp_path / "in.ndjson", tmp_path / "t.csv")
    with pytest.raises(FileExistsError, match="t.csv is there already"):
        kumihimo.extract_to(tmp_path / "in.ndjson", tmp_path / "t.csv", if_exists="fail")
    kumihimo.extract_to(tmp_path / "in.ndjson", tmp_path / "t.csv", if_exists="replace")
    kumihimo.extract_to(tmp_path / "in.ndjson", tmp_path / "new.csv", if_exists="fail")
    assert (tmp_path / "new.csv").read_bytes() == (tmp_path / "t.csv").read_bytes() == b"n\n1\n"


def test_no_rows(tmp_path: Path) -> None:
    (tmp_path / "none.ndjson").write_text("")
    for name, wanted in (("t.csv", b"a,b\n"), ("t.tsv", b"a\tb\n"), ("t.ndjson", b""), ("t.json", b"[]\n"), ("t.msgpack", b""), ("t.cbor", b"")):
        kumihimo.extract_to(tmp_path / "none.ndjson", tmp_path / name, ["a:int64", "b:string"])
        assert (tmp_path / name).read_bytes() == wanted
    kumihimo.extract_to(tmp_path / "none.ndjson", tmp_path / "t.sqlite", ["a:int64", "b:string"])
    assert sqlite_rows(tmp_path / "t.sqlite") == []
    kumihimo.extract_to(tmp_path / "none.ndjson", tmp_path / "t.parquet", ["a:int64", "b:string"])
    assert pyarrow.parquet.read_table(tmp_path / "t.parquet").schema.names == ["a", "b"]
    pytest.importorskip("duckdb", reason="not proven: duckdb is not installed")
    kumihimo.extract_to(tmp_path / "none.ndjson", tmp_path / "t.duckdb", ["a:int64", "b:string"])
    assert duck_rows(tmp_path / "t.duckdb")[2] == []


def test_a_number_that_a_format_cannot_say(tmp_path: Path) -> None:
    (tmp_path / "in.ndjson").write_text('{"v":1}\n{"v":1e400}\n')
    for form in ("json", "csv", "parquet", "sqlite"):
        kumihimo.extract_to(tmp_path / "in.ndjson", tmp_path / f"t.{form}", ["v"])
    with pytest.raises(OSError, match=r"row 2 cannot be written as msgpack: a number is larger.* at \$\.v; with the type string"):
        kumihimo.extract_to(tmp_path / "in.ndjson", tmp_path / "t.msgpack", ["v"])
    assert not (tmp_path / "t.msgpack").exists()
    kumihimo.extract_to(tmp_path / "in.ndjson", tmp_path / "t.msgpack", ["v:string"])
    assert list(kumihimo.each_document((tmp_path / "t.msgpack").read_bytes(), "msgpack")) == [{"v": "1"}, {"v": "1e400"}]


def test_values_over_several_lines_are_on_one(tmp_path: Path) -> None:
    """What stood in several lines of a document is one line of every form that has lines."""
    rows = [{"v": {"a": [1, {"b": "x\ny"}]}}, {"v": [[], {}]}]
    (tmp_path / "in.json").write_text("\n".join(json.dumps(row, indent=2) for row in rows))
    kumihimo.extract_to(tmp_path / "in.json", tmp_path / "t.json", ["v"])
    assert json.loads((tmp_path / "t.json").read_bytes()) == rows
    assert (tmp_path / "t.json").read_bytes().count(b"\n") == 4


GUESSES = [*range(40), 2.5, "text", {"a": [1]}, None, 2**70]


@pytest.mark.parametrize("form", [*FORMS, "sqlite", "duckdb", "folder"])
def test_a_wrong_guess_loses_and_doubles_nothing(tmp_path: Path, form: str) -> None:
    if form == "duckdb":
        pytest.importorskip("duckdb", reason="not proven: duckdb is not installed")
    (tmp_path / "in.ndjson").write_text("".join(json.dumps({"v": v}) + "\n" for v in GUESSES) + json.dumps({"v": 1, "late": True}) + "\n")
    options: dict[str, Any] = {"split_rows": 7, "to": "parquet"} if form == "folder" else {"to": form}
    about = kumihimo.extract_to(tmp_path / "in.ndjson", tmp_path / "out", sample=5, **options)
    assert about["rows"] == len(GUESSES) + 1
    out = tmp_path / "out"
    if form in ("parquet", "arrow", "folder", "sqlite", "duckdb"):
        if form == "sqlite":
            found = sqlite_rows(out)
        elif form == "duckdb":
            found = duck_rows(out)[2]
        else:
            files = sorted(out.iterdir()) if form == "folder" else [out]
            tables = [pyarrow.ipc.open_file(file).read_all() if form == "arrow" else pyarrow.parquet.read_table(file) for file in files]
            found = [tuple(row.values()) for table in tables for row in table.to_pylist()]
            assert [table.num_rows for table in tables] == ([7] * 6 + [4] if form == "folder" else [46])
        assert [None if v is None else json.loads(v) for v, _ in found] == [*GUESSES, 1]
        assert [late for _, late in found] == [None] * len(GUESSES) + [True]
        assert about["widened"][0] == {"column": "v", "from": "int64", "value": "2.5", "to": "float64"}
    elif form == "ndjson":
        assert [json.loads(line) for line in out.read_text().splitlines()] == [{"v": v, "late": None} for v in GUESSES] + [{"v": 1, "late": True}]
    elif form in ("csv", "tsv"):
        with open(out, newline="") as file:
            header, *lines = csv.reader(file, delimiter="\t" if form == "tsv" else ",")
        assert header == ["v", "late"] and [line[1] for line in lines] == [""] * len(GUESSES) + ["true"]
    elif form == "json":
        assert json.loads(out.read_bytes())[-1] == {"v": 1, "late": True}
    else:
        assert list(kumihimo.each_document(out.read_bytes(), form))[-1] == {"v": 1, "late": True}
