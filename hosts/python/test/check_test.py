"""`kumihimo check` on files of every format, in every frame."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import kumihimo
from kumihimo import _core

VALUES: list[Any] = [{"id": i, "text": "é" * (i % 7), "list": [i, None, 0.5, {"deep": [[]]}]} for i in range(500)]
BINARY = [row["name"] for row in kumihimo.formats() if not row["text"]]
FRAMES = [None, *(row["name"] for row in _core.frames() if row["available"])]


def command(*arguments: str, given: bytes = b"", cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "kumihimo", *arguments], input=given, capture_output=True, cwd=cwd)


def ending(format: str) -> str:
    return str(next(row["endings"][0] for row in kumihimo.formats() if row["name"] == format))


def stream(format: str) -> bytes:
    return b"".join(kumihimo.dump(value, format) for value in VALUES)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("format", BINARY)
def test_valid(format: str, frame: str | None, tmp_path: Path) -> None:
    data = stream(format)
    (tmp_path / f"a{ending(format)}").write_bytes(data if frame is None else _core.pack(data, frame))
    (tmp_path / "b.ndjson").write_text('{"a":1}\n[2]\n')
    done = command("check", f"a{ending(format)}", "b.ndjson", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == b"" and b"502 documents" in done.stderr and b"all valid" in done.stderr
    done = command("check", "-", "--from", format, given=(tmp_path / f"a{ending(format)}").read_bytes(), cwd=tmp_path)
    assert done.returncode == 0 and b"500 documents" in done.stderr
    assert command("check", "-q", f"a{ending(format)}", cwd=tmp_path).stderr == b""


@pytest.mark.parametrize("format", BINARY)
def test_bad(format: str, tmp_path: Path) -> None:
    data = stream(format)
    name = f"a{ending(format)}"
    (tmp_path / name).write_bytes(data[:-1])
    (tmp_path / "bad.json").write_text("[1,]")
    start = len(data) - len(kumihimo.dump(VALUES[-1], format))
    done = command("check", name, "bad.json", cwd=tmp_path)
    assert done.returncode == 1 and b"501 documents" in done.stderr and b"2 bad" in done.stderr
    place = re.search(rf"{re.escape(name)}: byte (\d+)".encode(), done.stderr)
    assert place and start <= int(place[1]) <= len(data) and b"bad.json" in done.stderr
    deep: Any = 1
    for _ in range(50):
        deep = [deep]
    (tmp_path / name).write_bytes(kumihimo.dump(deep, format))
    assert command("check", name, cwd=tmp_path).returncode == 0
    done = command("check", name, "--max-depth", "40", cwd=tmp_path)
    assert done.returncode == 1 and b"deep" in done.stderr
    (tmp_path / name).write_bytes(_core.pack(data, "gzip")[:-20])
    done = command("check", name, cwd=tmp_path)
    assert done.returncode == 1 and f"{name}: ".encode() in done.stderr and b"compressed data is cut off" in done.stderr


@pytest.mark.parametrize("format", BINARY)
def test_archives_folders_and_limits_count_for_every_format(format: str, tmp_path: Path) -> None:
    name = f"a{ending(format)}"
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / name).write_bytes(stream(format))
    (tmp_path / "in" / "bad.json").write_text("{")
    with zipfile.ZipFile(tmp_path / "z.zip", "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr(name, stream(format))
        z.writestr("bad" + ending(format), stream(format)[:-1])
    done = command("check", "in", "z.zip", "--match", name, "--jobs", "2", cwd=tmp_path)
    assert done.returncode == 0 and b"1,000 documents" in done.stderr, done.stderr
    assert command("check", "z.zip", cwd=tmp_path).returncode == 1
    (tmp_path / name).write_bytes(_core.pack(kumihimo.dump("x" * 30_000_000, format), "gzip"))
    done = command("check", name, "--max-ratio", "100", cwd=tmp_path)
    assert done.returncode == 1 and b"ratio" in done.stderr


@pytest.mark.parametrize("format", BINARY)
def test_goes_on_behind_a_bad_document(format: str, tmp_path: Path) -> None:
    good = kumihimo.dump({"a": "text"}, format)
    bad = good.replace(b"text", b"te\xfft")
    (tmp_path / f"a{ending(format)}").write_bytes(good + bad + good)
    done = command("check", f"a{ending(format)}", cwd=tmp_path)
    assert done.returncode == 1 and b"3 documents" in done.stderr and b"1 bad" in done.stderr and b"$.a" in done.stderr


def test_every_document_is_checked_like_load(tmp_path: Path) -> None:
    """What another format can be made of passes, whatever byte was changed; by every dialect that grants no less."""
    file = tmp_path / "x"
    for row in kumihimo.formats():
        if row["text"]:
            continue
        good = kumihimo.dump(VALUES[3], row["name"])
        for at in range(len(good)):
            for byte in (0x00, 0xFF, good[at] ^ 0x80):
                document = good[:at] + bytes([byte]) + good[at + 1 :]
                try:
                    kumihimo.convert(document, row["name"], "json", target_dialect="lenient")
                except ValueError:
                    continue
                file.write_bytes(document)
                for dialect in ("", *(name for name in row["read_dialects"] if name.startswith(("exact", "plain")))):
                    run = _core.Extraction([str(file)], [], form="none", format=row["name"], dialect=dialect, layout="document", jobs=1)
                    count = 0
                    while (more := run.next_count()) is not None:
                        count += more
                    assert count == 1, (row["name"], dialect, document)


def test_dialects(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text("[1,2,] // more")
    assert command("check", "c.json", cwd=tmp_path).returncode == 1
    assert command("check", "c.json", "--from", "json", "--from-dialect", "relaxed", cwd=tmp_path).returncode == 0
    assert command("check", "c.json", "--from-dialect", "relaxed", cwd=tmp_path).returncode == 0
    (tmp_path / "d.cbor").write_bytes(kumihimo.dump(1, "cbor"))
    for words, arguments in (
        ("Error: --from-dialect of 'json'", ["c.json", "--from", "json", "--from-dialect", "nope"]),
        ("name that with --from", ["nothing.txt", "--from-dialect", "relaxed"]),
        ("name that with --from", ["c.json", "d.cbor", "--from-dialect", "unique_keys"]),
        ("none of", ["c.json", "--from", "yaml"]),
    ):
        (tmp_path / "nothing.txt").write_text(json.dumps(1))
        refused = command("check", *arguments, cwd=tmp_path)
        assert refused.returncode == 2 and words.encode() in refused.stderr, refused.stderr


def test_every_option_counts_with_a_dialect(tmp_path: Path) -> None:
    """Folders, archives, --match, --jobs, the limits, and what stands behind a bad document."""
    relaxed = ["--from", "json", "--from-dialect", "relaxed"]
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "a.json").write_text('{"a": [1, 2,], // "two"\n}')
    (tmp_path / "in" / "deep" / "b.json").write_text("\ufeff/* first */ [{},]")
    (tmp_path / "in" / "bad.json").write_text('{"a": // no value\n}')
    with zipfile.ZipFile(tmp_path / "in" / "z.zip", "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("c.json", "[1,]")
        z.writestr("d.json.gz", _core.pack(b"[1,2,]", "gzip"))
    done = command("check", "in", *relaxed, cwd=tmp_path)
    assert done.returncode == 1 and b"5 documents" in done.stderr and b"1 bad" in done.stderr, done.stderr
    assert b"in/bad.json: byte 18 (line 2, column 1), at $.a" in done.stderr
    for jobs in ("1", "4"):
        done = command("check", "in", "--match", "[a-d].json", "--match", "*.zip", "--jobs", jobs, *relaxed, cwd=tmp_path)
        assert done.returncode == 0 and b"3 documents" in done.stderr, done.stderr
    (tmp_path / "deep.json").write_text("[[[1,],],]")
    assert command("check", "deep.json", *relaxed, cwd=tmp_path).returncode == 0
    assert b"--max-depth" in command("check", "deep.json", "--max-depth", "2", *relaxed, cwd=tmp_path).stderr
    (tmp_path / "large.json").write_text("[" + "1," * 200_000 + "]")
    assert command("check", "large.json", *relaxed, cwd=tmp_path).returncode == 0
    assert b"--max-size" in command("check", "large.json", "--max-size", "300K", *relaxed, cwd=tmp_path).stderr
    (tmp_path / "bomb.json.gz").write_bytes(_core.pack(b"[" + b" " * 30_000_000 + b"1,]", "gzip"))
    assert b"ratio" in command("check", "bomb.json.gz", "--max-ratio", "100", *relaxed, cwd=tmp_path).stderr
    assert command("check", "bomb.json.gz", "--max-ratio", "100000", *relaxed, cwd=tmp_path).returncode == 0
    assert command("check", "-", *relaxed, given=b"[1, /* two */]", cwd=tmp_path).returncode == 0


def test_goes_on_behind_a_document_that_a_dialect_refuses(tmp_path: Path) -> None:
    good, twice = b"\xa2\x61a\x01\x61b\x02", b"\xa2\x61a\x01\x61a\x02"
    late = b"\xa2\x61b\x01\x61a\x02"
    (tmp_path / "a.cbor").write_bytes(good + twice + late + good)
    assert command("check", "a.cbor", cwd=tmp_path).returncode == 0
    for dialect, bad in (("unique_keys", 1), ("deterministic_read", 2), ("preferred_read", 0), ("standard_read", 0)):
        done = command("check", "a.cbor", "--from-dialect", dialect, cwd=tmp_path)
        assert b"4 documents" in done.stderr and (b"%d bad" % bad if bad else b"all valid") in done.stderr, (dialect, done.stderr)
    (tmp_path / "a.ndjson").write_text('{"a":1,"a":2}\n{"a":1e400}\n{"a":NaN}\n')
    for dialect, lines in (("rfc8259", {3}), ("unique_keys", {1, 3}), ("doubles", {2, 3}), ("exact_decimals", {3}), ("python_read", set())):
        done = command("check", "a.ndjson", "--from-dialect", dialect, cwd=tmp_path)
        assert {int(n) for n in re.findall(rb"line (\d)", done.stderr)} == lines, (dialect, done.stderr)
