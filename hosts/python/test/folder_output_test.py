"""Folders of parts: which row lies where, what stands in its files, and what becomes of a folder that is there."""

from __future__ import annotations

import csv
import datetime
import json
import urllib.parse
from pathlib import Path
from typing import Any, Optional

import pytest

import kumihimo

pyarrow = pytest.importorskip("pyarrow")
import pyarrow.ipc  # noqa: E402
import pyarrow.parquet  # noqa: E402

FORMS = ["csv", "tsv", "ndjson", "json", "msgpack", "cbor", "arrow", "parquet"]
KEYS: list[Optional[str]] = ["mon", "tue/wed", "tü", "a=b", "", None, "..", "x,y", 'q"q', "l\nl", "%41", "cr\rcr"]
START = datetime.datetime(2024, 2, 28, 23, 0, 0)


def documents(count: int) -> list[dict[str, Any]]:
    return [{"n": i, "key": KEYS[i * i % len(KEYS)], "at": (START + datetime.timedelta(minutes=i * 11)).isoformat() + "Z", "text": f'a "{i}",\n\tb' if i % 3 else None} for i in range(count)]


FIELDS = ["n:int64", "key:string", "at:timestamp[Asia/Tokyo]", "text:string"]


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    (tmp_path / "in.ndjson").write_text("".join(json.dumps(row) + "\n" for row in documents(5000)))
    return tmp_path / "in.ndjson"


def read(path: Path) -> list[dict[str, Any]]:
    """A file's rows by a reader that is not ours, but for msgpack and cbor; texts where a form has nothing else."""
    name = path.name
    if name.endswith((".csv", ".tsv")):
        with open(path, newline="") as file:
            return list(csv.DictReader(file, delimiter="\t" if name.endswith(".tsv") else ","))
    if name.endswith(".ndjson"):
        return [json.loads(line) for line in path.read_text().split("\n")[:-1]]
    if name.endswith(".json"):
        return json.loads(path.read_bytes())
    if name.endswith((".msgpack", ".cbor")):
        return list(kumihimo.each_document(path.read_bytes(), name.rsplit(".", 1)[1]))
    table = pyarrow.ipc.open_file(path).read_all() if name.endswith(".arrow") else pyarrow.parquet.ParquetFile(path).read()
    return table.to_pylist()


def same(found: dict[str, Any], wanted: dict[str, Any], form: str) -> bool:
    at = datetime.datetime.fromisoformat(wanted["at"].removesuffix("Z")).replace(tzinfo=datetime.timezone.utc)
    told = found["at"] if isinstance(found["at"], datetime.datetime) else datetime.datetime.fromisoformat(found["at"])
    bare = form in ("csv", "tsv")
    return int(found["n"]) == wanted["n"] and told == at and found["text"] == (wanted["text"] or ("" if bare else None))


def day_of(row: dict[str, Any]) -> str:
    return (datetime.datetime.fromisoformat(row["at"].removesuffix("Z")) + datetime.timedelta(hours=9)).date().isoformat()


@pytest.mark.parametrize("form", FORMS)
def test_parts_of_so_many_rows(inputs: Path, tmp_path: Path, form: str) -> None:
    about = kumihimo.extract_to(inputs, tmp_path / "out", FIELDS, to=form, split_rows=450)
    files = sorted((tmp_path / "out").iterdir())
    assert [file.name for file in files] == [f"part-{i:02}.{form}" for i in range(12)]
    parts = [read(file) for file in files]
    assert [len(part) for part in parts] == [450] * 11 + [50]
    rows = [row for part in parts for row in part]
    assert all(same(found, wanted, form) and (found["key"] or "") == (wanted["key"] or "") for found, wanted in zip(rows, documents(5000), strict=True))
    assert about["bytes"]["written"] == sum(file.stat().st_size for file in files)


@pytest.mark.parametrize("form", FORMS)
def test_folders_by_a_column_and_by_days(inputs: Path, tmp_path: Path, form: str) -> None:
    kumihimo.extract_to(inputs, tmp_path / "out", FIELDS, to=form, partition_by=["key", "DATE(at)"])
    wanted: dict[tuple[Optional[str], str], list[dict[str, Any]]] = {}
    for row in documents(5000):
        wanted.setdefault((row["key"], day_of(row)), []).append(row)
    found = {}
    for file in (tmp_path / "out").rglob("part-*"):
        key, day = file.relative_to(tmp_path / "out").parts[:2]
        assert key.startswith("key=") and day.startswith("at_date=")
        value = None if key == "key=__HIVE_DEFAULT_PARTITION__" else urllib.parse.unquote(key[4:])
        found.setdefault((value, day[8:]), []).append(file)
    assert set(found) == set(wanted)
    for place, files in found.items():
        rows = [row for file in sorted(files) for row in read(file)]
        assert len(rows) == len(wanted[place]) and all(same(got, row, form) and "key" not in got for got, row in zip(rows, wanted[place]))


@pytest.mark.parametrize("form", ["csv", "ndjson", "parquet"])
def test_threads_and_pieces_change_no_byte(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where parts are written before their end, because too many are open or too much waits."""
    from kumihimo.outputs import folder

    (tmp_path / "in").mkdir()
    rows = documents(20_000)
    for i in range(40):
        (tmp_path / "in" / f"{i:02}.json").write_text("".join(json.dumps(row) + "\n" for row in rows[i * 500 : i * 500 + 500]))
    monkeypatch.setattr(folder, "MOST_WAITING", 200_000)
    monkeypatch.setattr(folder, "MOST_OPEN", 3)
    made = []
    for jobs in (1, 2, 3, 4):
        out = tmp_path / f"out{jobs}"
        kumihimo.extract_to(tmp_path / "in", out, FIELDS, to=form, partition_by="key", split_rows=900, jobs=jobs)
        made.append({file.relative_to(out).as_posix(): file.read_bytes() for file in out.rglob("part-*")})
    assert made[0] == made[1] == made[2] == made[3] and len(made[0]) > len(KEYS)
    numbers = [row["n"] for row in rows]
    out = tmp_path / "out1"
    assert sorted(int(row["n"]) for file in out.rglob("part-*") for row in read(file)) == numbers
    for key in out.iterdir():  # within a folder the rows are in the order of the input
        found = [int(row["n"]) for file in sorted(key.iterdir()) for row in read(file)]
        assert found == sorted(found)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_many_folders_at_once(tmp_path: Path, form: str) -> None:
    (tmp_path / "in.ndjson").write_text("".join(f'{{"n":{i},"key":{i % 700}}}\n' for i in range(7000)))
    kumihimo.extract_to(tmp_path / "in.ndjson", tmp_path / "out", ["n:int64", "key"], to=form, partition_by="key")
    assert len(list((tmp_path / "out").iterdir())) == 700
    for key in (tmp_path / "out").iterdir():
        assert [int(row["n"]) % 700 for file in sorted(key.iterdir()) for row in read(file)] == [int(key.name[4:])] * 10


def test_readers_take_the_folders_for_columns(inputs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    kumihimo.extract_to(inputs, out, [*FIELDS[:1], *FIELDS[2:]], to="parquet", partition_by="DATE(at)")
    table = pyarrow.parquet.read_table(out)
    assert table.num_rows == 5000 and "at_date" in table.column_names and "at" in table.column_names
    wanted = {day_of(row) for row in documents(5000)}
    polars = pytest.importorskip("polars", reason="not proven: polars is not installed")
    frame = polars.read_parquet(str(out / "**" / "*.parquet"), hive_partitioning=True)
    assert frame.height == 5000 and {str(day) for day in frame["at_date"]} == wanted
    duckdb = pytest.importorskip("duckdb", reason="not proven: duckdb is not installed")
    found = duckdb.sql(f"SELECT CAST(at_date AS VARCHAR), count(*), count(\"at\") FROM read_parquet('{out}/**/*.parquet', hive_partitioning=true) GROUP BY 1").fetchall()
    assert {day for day, _, _ in found} == wanted and sum(n for _, n, _ in found) == sum(n for _, _, n in found) == 5000


@pytest.mark.parametrize(
    ("partition_by", "told"),
    [
        (["nowhere"], "there is no column 'nowhere'"),
        (["DATE(n)"], "the column is of type int64 and not of times"),
        (["key", "key=text"], "names the same folders twice"),
        (["n=DATE(at)"], "there is a column 'n' already"),
        (["n", "key", "at", "text"], "leaves no column"),
        (["DATE(nowhere)"], "there is no column 'nowhere'"),
    ],
)
def test_what_cannot_be_partitioned(inputs: Path, tmp_path: Path, partition_by: list[str], told: str) -> None:
    for form in ("csv", "parquet"):
        with pytest.raises(ValueError, match="partition_by.*") as error:
            kumihimo.extract_to(inputs, tmp_path / "out", FIELDS, to=form, partition_by=partition_by)
        assert told in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["in.ndjson"]


def test_a_column_of_such_a_name_is_itself(tmp_path: Path) -> None:
    (tmp_path / "in.ndjson").write_text('{"DATE(x)":1,"a=b":2,"c":3}\n')
    kumihimo.extract_to(tmp_path / "in.ndjson", tmp_path / "out", to="csv", partition_by=["DATE(x)", "a=b"])
    (file,) = (tmp_path / "out").rglob("part-*")
    assert file.relative_to(tmp_path / "out").as_posix() == "DATE%28x%29=1/a%3Db=2/part-0.csv" and file.read_text() == "c\n3\n"


def test_more_folders_than_anybody_wants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kumihimo.outputs import folder

    monkeypatch.setattr(folder, "MOST_FOLDERS", 20)
    (tmp_path / "in.ndjson").write_text("".join(f'{{"n":{i},"m":1}}\n' for i in range(30)))
    for form in ("csv", "parquet"):
        with pytest.raises(OSError, match="more than 20 folders"):
            kumihimo.extract_to(tmp_path / "in.ndjson", tmp_path / "out", ["n:int64", "m"], to=form, partition_by="n")
    assert [path.name for path in tmp_path.iterdir()] == ["in.ndjson"]
    kumihimo.extract_to(tmp_path / "in.ndjson", tmp_path / "out", ["n:int64", "m"], to="csv", partition_by="m", split_rows=1)
    assert len(list((tmp_path / "out" / "m=1").iterdir())) == 30  # parts are no folders


def test_a_folder_that_is_there(inputs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    kumihimo.extract_to(inputs, out, FIELDS, to="csv", split_rows=3000)
    with pytest.raises(FileExistsError, match="such a folder already"):
        kumihimo.extract_to(inputs, out, FIELDS, to="csv", split_rows=4000)
    kumihimo.extract_to(inputs, out, FIELDS, to="parquet", partition_by="DATE(at)", if_exists="replace")
    kumihimo.extract_to(inputs, out, FIELDS, to="csv", split_rows=4000, if_exists="replace")
    assert sorted(path.name for path in out.iterdir()) == ["part-0.csv", "part-1.csv"] and len(read(out / "part-0.csv")) == 4000
    (out / "letters.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="letters.txt is no part"):
        kumihimo.extract_to(inputs, out, FIELDS, to="csv", split_rows=4000, if_exists="replace")
    assert (out / "letters.txt").read_text() == "mine" and len(list(out.iterdir())) == 3
    (tmp_path / "empty").mkdir()
    kumihimo.extract_to(inputs, tmp_path / "empty", FIELDS, to="csv", split_rows=4000)
    assert len(list((tmp_path / "empty").iterdir())) == 2
    with pytest.raises(FileExistsError, match="is a file"):
        kumihimo.extract_to(tmp_path / "out" / "part-0.csv", inputs, ["$"], to="csv", split_rows=1, format="json")
    with pytest.raises(ValueError, match="also an input"):
        kumihimo.extract_to(tmp_path / "out", tmp_path / "out", ["n"], to="csv", split_rows=1, if_exists="replace")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "in.ndjson", "out"]


def test_no_row_is_a_file_too(tmp_path: Path) -> None:
    (tmp_path / "in.ndjson").write_text("")
    kumihimo.extract_to(tmp_path / "in.ndjson", tmp_path / "out", ["a:int64"], to="csv", split_rows=5)
    assert (tmp_path / "out" / "part-0.csv").read_text() == "a\n"
    kumihimo.extract_to(tmp_path / "in.ndjson", tmp_path / "none", ["a:int64", "b"], to="csv", partition_by="b")
    assert list((tmp_path / "none").iterdir()) == []


@pytest.mark.parametrize("name", ["part-1.jpg", "part-2.csv.bak", "part-3.tar.gz", "part-4.sqlite", "part-\u0665.csv"])
def test_files_of_other_endings_are_no_parts(inputs: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    kumihimo.extract_to(inputs, out, FIELDS, to="csv", compress="gzip", split_rows=3000)
    (out / name).write_text("mine")
    with pytest.raises(FileExistsError, match="is no part"):
        kumihimo.extract_to(inputs, out, FIELDS, to="csv", split_rows=3000, if_exists="replace")
    assert (out / name).read_text() == "mine"


def test_what_came_into_the_folder_meanwhile_is_kept(inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kumihimo.outputs import folder

    out = tmp_path / "out"
    kumihimo.extract_to(inputs, out, FIELDS, to="csv", split_rows=3000)
    numbers = folder.Folder.give_numbers

    def also(self: Any) -> None:
        (out / "mine.txt").write_text("mine")
        numbers(self)

    monkeypatch.setattr(folder.Folder, "give_numbers", also)
    with pytest.raises(OSError, match=r"mine\.txt is no part of such a folder.*what was there is kept in .*out\.old-"):
        kumihimo.extract_to(inputs, out, FIELDS, to="csv", split_rows=1000, if_exists="replace")
    (kept,) = tmp_path.glob("out.old-*")
    assert (kept / "mine.txt").read_text() == "mine" and len(list(out.iterdir())) == 5


def test_a_folder_keeps_its_mode(inputs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    kumihimo.extract_to(inputs, out, FIELDS, to="csv", split_rows=3000)
    for mode in (0o750, 0o2775):
        out.chmod(mode)
        kumihimo.extract_to(inputs, out, FIELDS, to="csv", split_rows=3000, if_exists="replace")
        assert out.stat().st_mode & 0o7777 == mode


def test_a_folder_that_cannot_be_looked_into_is_not_replaced(inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    out = tmp_path / "out"
    (out / "a=1").mkdir(parents=True)
    scan = os.scandir

    def refused(path: Any = ".") -> Any:
        if str(path).endswith("a=1"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refused)
    with pytest.raises(PermissionError):
        kumihimo.extract_to(inputs, out, FIELDS, to="csv", split_rows=3000, if_exists="replace")


def test_the_limit_counts_a_folder_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kumihimo.outputs import folder

    monkeypatch.setattr(folder, "MOST_FOLDERS", 20)
    (tmp_path / "in.ndjson").write_text("".join(f'{{"n":{i},"m":{i % 20}}}\n' for i in range(100)))
    kumihimo.extract_to(tmp_path / "in.ndjson", tmp_path / "out", ["n:int64", "m"], to="csv", partition_by="m", split_rows=2)
    assert len(list((tmp_path / "out").iterdir())) == 20


@pytest.mark.parametrize("form", ["csv", "ndjson", "parquet"])
def test_values_that_are_no_plain_names(tmp_path: Path, form: str) -> None:
    null = "__HIVE_DEFAULT_PARTITION__"
    (tmp_path / "in.ndjson").write_text("".join(json.dumps({"n": 1, "k": k}) + "\n" for k in (null, None)))
    kumihimo.extract_to(tmp_path / "in.ndjson", tmp_path / "out", ["n", "k:string"], to=form, partition_by="k")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["k=%5F" + null[1:], "k=" + null]
    (tmp_path / "in.ndjson").write_text(json.dumps({"n": 1, "k": "x" * 300}) + "\n")
    with pytest.raises(ValueError, match="partition_by k: the value 'xxx.*302 bytes"):
        kumihimo.extract_to(tmp_path / "in.ndjson", tmp_path / "long", ["n", "k:string"], to=form, partition_by="k")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.ndjson", "out"]
