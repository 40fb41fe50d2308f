"""--join: files that are the parts of one."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import kumihimo


def lines(count: int) -> bytes:
    return b"".join(b'{"n":%d,"x":"%s"}\n' % (i, b"y" * (i % 50)) for i in range(count))


def split(at: Path, data: bytes, size: int, mark: str = "{:03}") -> list[str]:
    names = []
    for i in range(0, len(data), size):
        names.append("part." + mark.format(i // size))
        (at / names[-1]).write_bytes(data[i : i + size])
    return names


def command(*words: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "kumihimo.cli", *words], cwd=cwd, capture_output=True, timeout=120)


def numbers(done: subprocess.CompletedProcess[bytes]) -> list[int]:
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()[1:]]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("size", [7, 4096, 100_000])
def test_what_was_cut_at_any_byte(tmp_path: Path, size: int, pack) -> None:  # type: ignore[no-untyped-def]
    count = 60 if size == 7 else 30_000
    names = split(tmp_path, pack(lines(count)), size)
    want = list(range(count))
    for jobs in ("1", "3"):
        assert numbers(command("extract", *names, "--join", "-f", "n", "-j", jobs, cwd=tmp_path)) == want
    assert numbers(command("extract", "part.*", "--join", "-f", "n:int64", "--sample", "10", cwd=tmp_path)) == want
    done = command("check", "part.*", "--join", cwd=tmp_path)
    assert done.returncode == 0 and f"{count:,} documents".encode() in done.stderr
    assert command("repack", "part.*", "--join", "-o", "all.ndjson", cwd=tmp_path).returncode == 0
    assert [json.loads(line)["n"] for line in (tmp_path / "all.ndjson").read_bytes().splitlines()] == want


def test_places_count_in_the_whole(tmp_path: Path) -> None:
    names = split(tmp_path, b'{"n":1}\n{"n":2}\n{"n":}\n{"n":4}\n', 5)
    run = kumihimo.extract([tmp_path / name for name in names], ["n"], form="csv", source=True, joined=True, on_error="skip")
    assert run.next_bytes() == b"".join(b"%d,%s/part.000,,%d\n" % (n, bytes(tmp_path), at) for n, at in ((1, 0), (2, 8), (4, 23)))
    assert [(one.offset, one.line) for one in run.take_reports()] == [(21, 3)]


def test_a_zip_in_parts(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("x.json", b'{"n":1}')
        archive.writestr("y.json", b'{"n":2}')
    names = split(tmp_path, out.getvalue(), 50)
    assert numbers(command("extract", *names, "--join", "-f", "n", cwd=tmp_path)) == [1, 2]
    assert numbers(command("extract", *names, "--join", "--match", "y*", "-f", "n:int64", "--sample", "1", cwd=tmp_path)) == [2]


def test_parts_that_are_missing_or_in_another_order(tmp_path: Path) -> None:
    names = split(tmp_path, lines(100), 100)
    done = command("extract", *names[:3], *names[4:], "--join", "-f", "n", cwd=tmp_path)
    assert done.returncode == 2 and b"part.003, a part between part.002 and part.004, is missing" in done.stderr, done.stderr
    done = command("extract", names[1], names[0], "--join", "-f", "n", cwd=tmp_path)
    assert done.returncode == 2 and b"part.000 comes behind part.001" in done.stderr, done.stderr
    with pytest.raises(ValueError, match="is missing"):
        kumihimo.extract([names[0], names[2]], ["n"], joined=True)
    for name, mark in zip(names[:3], ("ay", "az", "ba")):
        (tmp_path / f"letters.{mark}").write_bytes((tmp_path / name).read_bytes())
    assert command("extract", "letters.*", "--join", "-f", "n", "--limit", "3", cwd=tmp_path).returncode == 0
    (tmp_path / "letters.az").unlink()
    assert b"letters.az, a part between" in command("extract", "letters.*", "--join", "-f", "n", cwd=tmp_path).stderr
    done = command("extract", "one", names[0], "--join", "-f", "n", cwd=tmp_path)
    assert done.returncode == 1 and b"one: the input cannot be opened" in done.stderr, done.stderr
    done = command("extract", "-", names[0], "--join", "-f", "n", cwd=tmp_path)
    assert done.returncode == 1 and b"only files are joined" in done.stderr, done.stderr


@pytest.mark.parametrize(
    "names",
    [["x88", "x89", "x9000", "x9001"], ["xyy", "xyz", "xzaaa", "xzaab"], ["a.json", "a.ndjson"], ["log.gz", "log.xz"], ["log.xz", "log.gz"], ["part.9", "part.10"]],
)
def test_names_that_are_in_order(names: list[str]) -> None:
    from kumihimo.sequences import fault_of

    assert fault_of(names) is None
    assert fault_of(["x00", "x02"]) == "x01, a part between x00 and x02, is missing"
    assert fault_of(["part.8", "part.10"]) is not None and fault_of(["x9000", "x89"]) is not None
