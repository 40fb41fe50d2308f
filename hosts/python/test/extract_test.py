"""kumihimo.extract: rows into Arrow consumers, reports, guesses that were wrong, zones, threads."""

from __future__ import annotations

import datetime
import gzip
import json
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

import kumihimo
from kumihimo import zones

pa = pytest.importorskip("pyarrow", reason="not proven: pyarrow is not installed")

N = 5000


def frame(i: int) -> dict[str, Any]:
    return {"last_price": {"price": 107910.0 + i}, "n": i, "timestamp": f"2016-12-25 {i // 3600 % 24:02d}:{i // 60 % 60:02d}:{i % 60:02d}.602955", "s": "é" * (i % 5)}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("day")
    for part in range(5):
        with zipfile.ZipFile(folder / f"{part}.zip", "w", zipfile.ZIP_DEFLATED) as z:
            for i in range(part * N // 5, (part + 1) * N // 5):
                document = json.dumps(frame(i)).encode()
                z.writestr(f"{i:06d}.json.gz" if i % 10 == 0 else f"{i:06d}.json", gzip.compress(document, 1) if i % 10 == 0 else document)
    return folder


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_rows_in_order(archive: Path, jobs: int) -> None:
    rows = kumihimo.extract(archive / "*.zip", ["n", "price=last_price.price", "s"], jobs=jobs)
    assert [(name, type) for name, type, _ in rows.schema] == [("n", "int64"), ("price", "float64"), ("s", "string")]
    table = pa.table(rows)
    assert table.column("n").to_pylist() == list(range(N))
    assert table.column("price").to_pylist() == [107910.0 + i for i in range(N)]
    assert table.column("s").to_pylist() == ["é" * (i % 5) for i in range(N)]
    progress = rows.progress()
    assert progress["documents"] == progress["rows"] == N and 0 < progress["bytes"] <= progress["total"]
    with pytest.raises(ValueError, match="once"):
        pa.table(rows)


def test_other_consumers(archive: Path) -> None:
    fields = {"at": "timestamp:timestamp[Asia/Tokyo]", "n": "n:int64"}
    polars = pytest.importorskip("polars", reason="not proven: polars is not installed")
    assert polars.DataFrame(kumihimo.extract(archive, fields))["n"].sum() == N * (N - 1) // 2
    duckdb = pytest.importorskip("duckdb", reason="not proven: duckdb is not installed")
    rows = kumihimo.extract(archive, fields)  # noqa: F841  (found by its name)
    assert duckdb.sql("SELECT count(*), max(n) FROM rows").fetchall() == [(N, N - 1)]


def test_zones(archive: Path) -> None:
    pytest.importorskip("zoneinfo")
    try:
        zones.rules("America/New_York")
    except ValueError:
        pytest.skip("not proven: no time zone database on this machine")
    rows = kumihimo.extract(archive, ["at=timestamp:timestamp[America/New_York]"], limit=1)
    (at,) = pa.table(rows).column("at").to_pylist()
    assert at.astimezone(datetime.timezone.utc) == datetime.datetime(2016, 12, 25, 5, 0, 0, 602955, tzinfo=datetime.timezone.utc)
    for wrong in ("Nope/Nope", "../../etc/passwd", "Asia"):
        with pytest.raises(ValueError):
            kumihimo.extract(archive, [f"at=timestamp:timestamp[{wrong}]"])


def test_text_forms(archive: Path) -> None:
    rows = kumihimo.extract(archive, ["n", "s"], form="csv", limit=3, source=True, jobs=1)
    assert rows.header() == b"n,s,archive,entry,offset\n"
    text = b""
    while (chunk := rows.next_bytes()) is not None:
        text += chunk
    first = str(archive / "0.zip")
    assert text.decode() == f'0,"",{first},000000.json.gz,0\n1,é,{first},000001.json,0\n2,éé,{first},000002.json,0\n'
    rows = kumihimo.extract(archive, ["n"], form="ndjson")
    lines = b""
    while (chunk := rows.next_bytes()) is not None:
        lines += chunk
    assert [json.loads(line)["n"] for line in lines.splitlines()] == list(range(N))


def test_the_form_that_only_counts(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    file.write_bytes(b'{"a":1}\n{"a":2}\n{"b":[1,}\n"4"\n')
    for fields, bad in (([], [3]), (["a:int64"], [3]), (["b:int64"], [3]), (["$:json"], [3]), (["a:bool"], [1, 2, 3])):
        rows = kumihimo.extract(file, fields, form="none", on_error="skip")
        counts = []
        while (count := rows.next_count()) is not None:
            counts.append(count)
        assert sum(counts) == rows.progress()["rows"] == 4 - len(bad) and rows.progress()["documents"] == 4
        assert [r.line for r in rows.take_reports()] == bad
    rows = kumihimo.extract(file, form="none")
    assert rows.schema == []
    with pytest.raises(kumihimo.ExtractionError, match="line 3"):
        while rows.next_count() is not None:
            pass


def test_each_form_is_read_its_own_way(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b'{"a":1}')
    text, count = kumihimo.Extraction.next_bytes, kumihimo.Extraction.next_count
    for form, right in (("columns", pa.table), ("csv", text), ("ndjson", text), ("none", count)):
        for read in (pa.table, text, count):
            rows = kumihimo.extract(file, ["a"], form=form)
            if read is right:
                assert read(rows) is not None
            else:
                with pytest.raises(ValueError, match="its form is|with the form"):
                    read(rows)


def test_a_guess_that_was_wrong(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    file.write_text("".join(f'{{"v": {i}}}\n' for i in range(20_000)) + '{"v": 1.5}\n{"v": "text"}\n')
    rows = kumihimo.extract(file, ["v"], sample=10)
    table = pa.table(rows)
    assert str(table.schema.field("v").type) in ("string", "extension<arrow.json>") and table.num_rows == 20_002
    assert any("was taken for int64" in note for note in rows.notes)
    with pytest.raises(Exception, match="line 20001"):
        pa.table(kumihimo.extract(file, ["v:int64"]))


def test_bad_records(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    file.write_bytes(b'{"a":1}\n{"a":2}\n{"a":[1,}\n{"a":4}\n')
    rows = kumihimo.extract(file, ["a"], form="csv")
    with pytest.raises(kumihimo.ExtractionError) as caught:
        while rows.next_bytes() is not None:
            pass
    error = caught.value
    assert isinstance(error, ValueError)
    assert (error.archive, error.line, error.scope, error.code, error.document) == (str(file), 3, "document", "syntax", 16)
    assert "a.ndjson" in str(error)
    rows = kumihimo.extract(file, ["a"], on_error="skip")
    assert pa.table(rows).column("a").to_pylist() == [1, 2, 4]
    assert [r.line for r in rows.take_reports()] == [3] and rows.take_reports() == []
    assert pa.table(kumihimo.extract(file, ["a"], on_error="null")).column("a").to_pylist() == [1, 2, None, 4]
    rows = kumihimo.extract(file, ["a"], on_error="quarantine")
    assert pa.table(rows).num_rows == 3
    assert json.loads(rows.take_quarantine())["document"] == '{"a":[1,}'


def test_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        kumihimo.extract(tmp_path / "*.zip")
    with pytest.raises(kumihimo.ExtractionError):
        kumihimo.extract(tmp_path / "nope.json")
    good = tmp_path / "a.json"
    good.write_text('{"a":1}')
    for wrong in ({"level": "sloppy"}, {"on_error": "pray"}, {"fields": ["a:int3"]}, {"fields": ["a["]}, {"form": "xml"}):
        with pytest.raises(ValueError):
            kumihimo.extract(good, **wrong)  # type: ignore[arg-type]


def test_cancel_from_another_thread(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    keep = os.open(fifo, os.O_RDWR)
    rows = kumihimo.extract(fifo, ["a:int64"], form="csv")
    threading.Timer(0.2, rows.cancel).start()
    assert rows.next_bytes() is None
    os.close(keep)


def test_an_interrupt_ends_the_wait(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    code = f"import kumihimo, os; keep = os.open({str(fifo)!r}, os.O_RDWR); print('ready', flush=True); kumihimo.extract({str(fifo)!r}, ['a']).schema"
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.path[:] = %r\n%s" % (sys.path, code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors


def test_cancel_is_not_lost_when_reading_begins_anew(tmp_path: Path) -> None:
    """A field that comes late starts the reading again behind the consumer's back. What another thread asks and orders meanwhile holds."""
    file = tmp_path / "late.ndjson"
    row = '{"n":%d,"pad":"' + "x" * 80 + '"}\n'
    with open(file, "w") as out:
        out.writelines(row % i for i in range(5000))
        out.write('{"n":1,"late":2}\n')
        out.writelines(row % i for i in range(200_000))
    met = 0
    until = time.monotonic() + 60
    while met < 3 and time.monotonic() < until:
        rows = kumihimo.extract(file, jobs=1 + met % 2)
        ended: list[object] = []

        def consume(rows: kumihimo.Extraction = rows, ended: list[object] = ended) -> None:
            try:
                ended.append(pa.table(rows))
            except (OSError, pa.ArrowException) as e:
                ended.append(e)

        reader = threading.Thread(target=consume)
        reader.start()
        while reader.is_alive() and rows.progress()["rows"] < 5001 + 10_000 * met:
            assert rows.inputs == [str(file)] and rows.failure is None and rows.contradiction is None
            assert isinstance(rows.notes, list) and rows.threads >= 0
        rows.cancel()
        early = not ended
        reader.join()
        if early:
            met += 1
            assert isinstance(ended[0], Exception) and "cancelled" in str(ended[0])
    assert met == 3


WAITING = """
import os, signal, threading
import pyarrow
from kumihimo._core import Extraction
read, write = os.pipe()
os.write(write, b'{"n":1}\\n{"n":2}\\n')
rows = Extraction([f"/proc/self/fd/{read}"], ["n:int64"], jobs=2, chart=100)
"""

ASKED_BY_A_THREAD = """
reader = threading.Thread(target=lambda: print(pyarrow.table(rows).num_rows))
reader.start()
for _ in range(20):
    rows.series(), rows.schema, rows.progress()
os.close(write)
reader.join()
"""

ASKED_BY_A_HANDLER = """
asked = []
def ask(*_):
    asked.append(rows.series())
    if len(asked) == 5:
        signal.setitimer(signal.ITIMER_REAL, 0)
        os.close(write)
signal.signal(signal.SIGALRM, ask)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
print(pyarrow.table(rows).num_rows)
"""


@pytest.mark.parametrize("ask", [ASKED_BY_A_THREAD, ASKED_BY_A_HANDLER], ids=["thread", "handler"])
def test_series_while_a_stream_waits(ask: str) -> None:
    """Whoever waits for rows keeps neither the GIL nor a lock from those who ask meanwhile."""
    code = WAITING + ask
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout == "2\n", done.stderr
