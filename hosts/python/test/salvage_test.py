"""What comes out of damaged inputs, by the command: the rows that are whole, and the place of what is not."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import kumihimo

FIELD = ("-f", "d=$:json", "--to", "ndjson")


def command(*words: str, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "kumihimo.cli", *words], cwd=cwd, input=stdin, capture_output=True, timeout=120)


def rows(done: subprocess.CompletedProcess[bytes]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return [line[len('{"d":') : -1] for line in done.stdout.decode().splitlines()]


@pytest.mark.parametrize("first", ['""a":1}', '1 {"a":1}', '{"a":[1', '{"a":"x', "}", "[1,2"])
@pytest.mark.parametrize("way", ["file", "pipe", "gz", "zip"])
def test_a_damaged_first_line_costs_itself_only(tmp_path: Path, first: str, way: str) -> None:
    data = f'{first}\n{{"a":2}}\n{{"a":"x\n{{"a":4}}\n{{"a":5}}\n'.encode()
    (tmp_path / "f").write_bytes(gzip.compress(data) if way == "gz" else data)
    if way == "zip":
        with zipfile.ZipFile(tmp_path / "f", "w") as archive:
            archive.writestr("x", data)
    done = command("extract", "-" if way == "pipe" else "f", *FIELD, "--on-error", "skip", cwd=tmp_path, stdin=data if way == "pipe" else b"")
    assert rows(done) == ['{"a":2}', '{"a":4}', '{"a":5}']
    assert b"2 bad" in done.stderr


def zipped(names: list[str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, f'{{"n":"{name}"}}\n' * 3)
    return out.getvalue()


class Pipe(io.RawIOBase):
    """Without a place to go back to, zipfile writes lengths and check sums behind the data."""

    def __init__(self) -> None:
        self.data = b""

    def writable(self) -> bool:
        return True

    def write(self, more: Any) -> int:
        self.data += bytes(more)
        return len(more)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_entry_is_whole_wherever_the_next_header_is_cut(tmp_path: Path, method: int) -> None:
    out = Pipe()
    with zipfile.ZipFile(out, "w", method) as archive:  # type: ignore[call-overload]
        archive.writestr("a", '{"n":1}\n{"n":2}')
        archive.writestr("b", '{"n":3}')
    second = out.data.index(b"PK\x03\x04", 4)
    for more in range(6):
        (tmp_path / "cut.zip").write_bytes(out.data[: second + more])
        run = kumihimo.extract(tmp_path / "cut.zip", ["n"], form="csv", on_error="skip")
        assert b"".join(iter(run.next_bytes, None)) == b"1\n2\n"
        assert any("no end record" in str(report) for report in run.take_reports())


def test_a_cut_zip_gives_its_whole_entries(tmp_path: Path) -> None:
    whole = zipped(["a", "b", "c"])
    cut = whole[: whole.index(b"PK\x03\x04", whole.index(b"PK\x03\x04", 4) + 4) + 33]  # a few bytes into the third
    for policy in ("skip", "null"):
        (tmp_path / "cut.zip").write_bytes(cut)
        done = command("extract", "cut.zip", *FIELD, "--on-error", policy, cwd=tmp_path)
        got = rows(done)
        assert got[:6] == ['{"n":"a"}'] * 3 + ['{"n":"b"}'] * 3
        assert got[6:] == ([] if policy == "skip" else ["null", "null"])
        assert b"cut.zip: c: byte" in done.stderr and b"no end record" in done.stderr
    assert command("extract", "cut.zip", *FIELD, "-o", "x.ndjson", cwd=tmp_path).returncode == 1
    assert not (tmp_path / "x.ndjson").exists()
    # The same through a pipe.
    assert rows(command("extract", "-", *FIELD, "--on-error", "skip", cwd=tmp_path, stdin=cut)) == got[:6]


@pytest.mark.parametrize("count", [3, 1_500_000])
@pytest.mark.parametrize("through", ["file", "pipe"])
def test_a_cut_gzip_gives_what_was_whole_whatever_its_size(tmp_path: Path, count: int, through: str) -> None:
    cut = gzip.compress(b"".join(b'{"n":%d}\n' % i for i in range(count)), 1)[:-8]
    (tmp_path / "cut.gz").write_bytes(cut)
    for policy in ("skip", "null"):
        words = ("extract", "cut.gz" if through == "file" else "-", "-f", "n:int64", "--on-error", policy)
        done = command(*words, cwd=tmp_path, stdin=cut if through == "pipe" else b"")
        assert done.returncode == 0 and done.stdout.count(b"\n") == 1 + count + (policy == "null")
        assert b"no check sum proves them" in done.stderr


def test_times(tmp_path: Path) -> None:
    texts = ["2024-01-01 00:00:00+09", "20240101T000000Z", "2024-01-01T00:00:00,5Z", "1704067200"]
    data = "".join(f'{{"t":"{t}"}}\n' for t in texts).encode()
    done = command("extract", "-", "-f", "t:timestamp", cwd=tmp_path, stdin=data)
    assert done.stdout.decode().split() == ["t", "2023-12-31T15:00:00Z", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.500Z", "2024-01-01T00:00:00Z"]
    # Guessed, they stay as they came.
    assert command("extract", "-", "-f", "t", cwd=tmp_path, stdin=data).stdout.decode().splitlines()[1] == texts[0]
    bad = command("extract", "-", "-f", "t:timestamp", cwd=tmp_path, stdin=b'{"t":"2016-12-31T23:59:60Z"}')
    assert bad.returncode == 1 and b"23:59:60" in bad.stderr


def test_time_formats_are_arrow_timestamps(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    (tmp_path / "log").write_text('{"t":"25/Dec/2016:10:53:10 +0900","l":"2016-12-25 01:53:10,602"}\n')
    table = pa.table(kumihimo.extract(tmp_path / "log", ["t:timestamp[%d/%b/%Y:%H:%M:%S %z]", "l:timestamp[%F %T,%f,Asia/Tokyo]"]))
    assert [str(f.type) for f in table.schema] == ["timestamp[us, tz=UTC]", "timestamp[us, tz=Asia/Tokyo]"]
    assert table.column("t")[0].as_py().isoformat() == "2016-12-25T01:53:10+00:00"
    assert table.column("l")[0].as_py().isoformat() == "2016-12-25T01:53:10.602000+09:00"
    with pytest.raises(ValueError, match="%Q is no directive.*at character 1"):
        kumihimo.extract(tmp_path / "log", ["t:timestamp[%Q]"])
    (tmp_path / "bad").write_text('{"t":"25/Dez/2016"}')
    with pytest.raises(kumihimo.ExtractionError, match="at character 4 it lacks %b"):
        kumihimo.extract(tmp_path / "bad", ["t:timestamp[%d/%b/%Y]"], form="csv").next_bytes()
