"""Rows can be much larger than their text: `{}` among thousands of columns. Memory is bounded by what is handed out at once, not by the input;
Parquet's directory grows, but slower than the rows."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import zlib
from pathlib import Path

import kumihimo
import pytest
from kumihimo import _core

pytest.importorskip("pyarrow")

COLUMNS, ROWS = 4000, 25_000
MOST = 250 << 20  # pyarrow itself takes 80 MB
GRACE = 4 << 30  # what a failing run may reserve before it is stopped
MANY = 60 << 20  # elements of a list that is a few KB when packed


def peak(code: str, *arguments: str) -> int:
    """Bytes of memory that a process of its own held at most. Not ru_maxrss: that begins with what this process held when it forked."""
    ending = "\nprint('peak', next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", "import sys\n" + code + ending, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (GRACE, GRACE)),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return int(done.stderr.rsplit("peak", 1)[1]) * 1024


@pytest.mark.parametrize("from_file", [False, True])
@pytest.mark.parametrize("frame", ["gzip", "zstd", "lz4"])
def test_small_documents_of_a_bomb(frame: str, from_file: bool) -> None:
    """A small packed piece may hold any amount of text: it is unpacked as its documents are taken."""
    if not next(f["available"] for f in kumihimo.frames() if f["name"] == frame):
        pytest.skip(f"not proven: no library for {frame}")
    code = (
        "import hashlib, io, kumihimo\n"
        "from kumihimo import _core\n"
        # One member of 5 MB, 40 times; each document has so much of its own that the ratio is an honest one.
        "text = ''.join(f'[{i}, \"{hashlib.sha256(b\"%d\" % i).hexdigest() + \"a\" * 10_000}\"]\\n' for i in range(500)).encode()\n"
        "bomb = _core.pack(text, sys.argv[1]) * 40\n"
        "source = io.BytesIO(bomb) if sys.argv[2] == 'True' else bomb\n"
        "n = sum(len(document) for document in kumihimo.each_document(source, 'json'))\n"
        "assert n == 2 * 500 * 40, n"
    )
    assert peak(code, frame, str(from_file)) < 60 << 20


@pytest.mark.parametrize("kind", ["lengths", "origins"])
def test_indexes_of_blocks_that_lie(tmp_path: Path, kind: str) -> None:
    """An index is expanded before anybody knows what it says; it is small, and so is what is made of it."""
    if not next(f["available"] for f in kumihimo.frames() if f["name"] == "zstd"):
        pytest.skip("not proven: no library for zstd")
    block = _core.pack(b"\x01", "zstd")
    told = {"format": "msgpack", "packed": len(block), "check": zlib.crc32(block), "lengths": [1], "origins": b""}
    if kind == "origins":
        told["origins"] = kumihimo.dump({"archives": [b"a" * (7 << 20), 1], "entries": [0, b""], "offsets": [0]}, "msgpack")
    index = kumihimo.dump(told, "msgpack")
    if kind == "lengths":
        index = index.replace(b"lengths\x91\x01", b"lengths\xdd" + MANY.to_bytes(4, "big") + b"\x01" * MANY)
    packed = _core.pack(index, "zstd")
    one = b"\x5b\x2a\x4d\x18" + (9 + len(packed)).to_bytes(4, "little") + b"kumihimo\x01" + packed + block
    file = tmp_path / "x.msgpack.zst"
    file.write_bytes(_core.pack(b"", "zstd") + one * (1 if kind == "lengths" else 120_000 // len(one)))
    code = (
        "import kumihimo\n"
        "run = kumihimo.extract(sys.argv[1], ['$'], form='ndjson', source=True, on_error='skip', jobs=2)\n"
        "while run.next_bytes() is not None: pass"
    )
    assert peak(code, str(file)) < 120 << 20


@pytest.fixture(scope="module")
def sparse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("sparse") / "sparse.ndjson"
    file.write_text(json.dumps({f"k{i}": i for i in range(COLUMNS)}) + "\n" + "{}\n" * ROWS)
    return file


COUNTED = f"assert n == {ROWS + 1}, n"


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_text(sparse: Path, form: str, jobs: str) -> None:
    code = (
        "import kumihimo\n"
        "rows = kumihimo.extract(sys.argv[1], form=sys.argv[2], jobs=int(sys.argv[3]))\n"
        "n = 0\n"
        "while (chunk := rows.next_bytes()) is not None: n += chunk.count(b'\\n')\n" + COUNTED
    )
    assert peak(code, str(sparse), form, jobs) < MOST


def test_batches(sparse: Path) -> None:
    code = "import kumihimo, pyarrow\nn = sum(b.num_rows for b in pyarrow.RecordBatchReader.from_stream(kumihimo.extract(sys.argv[1])))\n" + COUNTED
    assert peak(code, str(sparse)) < MOST


def test_an_array_in_one_document(tmp_path: Path) -> None:
    file = tmp_path / "array.json"
    file.write_text("[" + json.dumps({f"k{i}": i for i in range(COLUMNS)}) + ",{}" * ROWS + "]")
    code = "import kumihimo, pyarrow\nn = sum(b.num_rows for b in pyarrow.RecordBatchReader.from_stream(kumihimo.extract(sys.argv[1])))\n" + COUNTED
    assert peak(code, str(file)) < MOST


COMMAND = "from kumihimo.cli import main\ntry: main(sys.argv[1:])\nexcept SystemExit as e: assert not e.code, e.code"


def test_parquet(sparse: Path, tmp_path: Path) -> None:
    import pyarrow.parquet

    out = tmp_path / "out.parquet"
    assert peak(COMMAND, "extract", str(sparse), "-o", str(out)) < MOST * 2
    about = pyarrow.parquet.ParquetFile(out).metadata
    assert about.num_rows == ROWS + 1
    assert about.num_row_groups < 22


@pytest.mark.parametrize("words", [("-o", "out.parquet"), ("-o", "out.arrow"), ("-o", "days", "--to", "parquet", "--partition-by", "DATE(at)")])
def test_pandas_stays_outside(words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pyarrow imports it, which takes 40 MB, for a scalar or an array of Python's numbers."""
    pytest.importorskip("pandas", reason="not proven: pandas is not installed")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.ndjson").write_text('{"a":1,"at":"2016-12-25T00:00:00Z"}\n{"a":2,"at":"2016-12-26T00:00:00Z"}\n')
    peak(COMMAND + "\nassert 'pandas' not in sys.modules", "extract", "in.ndjson", "-f", "a", "-f", "at:timestamp", *words)


def test_nothing_but_bad_records(tmp_path: Path) -> None:
    file = tmp_path / "bad.ndjson"
    file.write_text('{"a":1}\n' + "x\n" * 700_000 + '{"a":2}\n')
    assert peak(COMMAND, "extract", str(file), "-f", "a", "--on-error", "skip", "--to", "csv") < MOST
    assert peak(COMMAND, "extract", str(file), "-f", "a:int64", "--on-error", f"quarantine={tmp_path / 'q'}", "-o", str(tmp_path / "o.arrow")) < MOST
    assert (tmp_path / "q").read_bytes().count(b"\n") == 700_000


@pytest.fixture(scope="module")
def ticks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("ticks") / "ticks.ndjson"
    with open(file, "w") as to:
        for i in range(200_000):
            to.write(f'{{"id":{i},"price":{107910 + i % 4000 / 8},"at":"2016-12-{25 + i // 40_000}T01:{i // 60 % 60:02}:{i % 60:02}.602955Z","action":"{"ask" if i % 3 else "bid"}","asks":[[{107925 + i % 50}.0,0.0007],[107926.0,0.1]]}}\n')
    return file


@pytest.mark.parametrize(
    "words",
    [("-o", "t.json"), ("-o", "t.msgpack.zst"), ("-o", "t.arrow"), ("-o", "t.parquet"), ("-o", "t.sqlite"), ("-o", "t.duckdb"), ("-o", "parts", "--to", "parquet", "--split-rows", "9000"),
     ("-o", "days", "--to", "parquet", "--partition-by", "DATE(at)", "--partition-by", "action"), ("-o", "many", "--to", "csv", "--compress", "zst", "--partition-by", "day=DATE(at)")],  # fmt: skip
    ids=lambda words: words[1],
)
def test_outputs(ticks: Path, tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    if "t.duckdb" in words:
        pytest.importorskip("duckdb", reason="not proven: duckdb is not installed")
    fields = ("-f", "id", "-f", "price", "-f", "at:timestamp", "-f", "action", "-f", "asks")
    monkeypatch.chdir(tmp_path)
    libraries = "import pyarrow\n"  # they take more or less, by their versions
    if "t.duckdb" in words:
        libraries += "import duckdb\nduckdb.connect(sys.argv[1], config={'threads': 1}).execute('SELECT 1').fetchall()"
    assert peak(COMMAND, "extract", str(ticks), *fields, *words) < peak(libraries, str(tmp_path / "empty.duckdb")) + (120 << 20)
