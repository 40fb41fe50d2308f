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


def test_every_document_is_checked_like_load() -> None:
    for format in BINARY:
        good = kumihimo.dump(VALUES[3], format)
        for at in range(len(good)):
            for byte in (0x00, 0xFF, good[at] ^ 0x80):
                document = good[:at] + bytes([byte]) + good[at + 1 :]
                try:
                    wanted = [kumihimo.convert(document, format, "json", target_dialect="lenient") and 1]
                except ValueError:
                    wanted = None
                checker = _core.Converter.checker(format)
                try:
                    checker.feed(document)
                    checker.finish()
                    passed = checker.documents == 1
                except ValueError:
                    passed = False
                assert passed or wanted is None, (format, document)


def test_dialects(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text("[1,2,] // more")
    assert command("check", "c.json", cwd=tmp_path).returncode == 1
    assert command("check", "c.json", "--from", "json", "--from-dialect", "relaxed", cwd=tmp_path).returncode == 0
    for words, arguments in (
        ("Error: --from-dialect of 'json'", ["c.json", "--from", "json", "--from-dialect", "nope"]),
        ("name that with --from", ["nothing.txt", "--from-dialect", "relaxed"]),
        ("none of", ["c.json", "--from", "yaml"]),
    ):
        (tmp_path / "nothing.txt").write_text(json.dumps(1))
        refused = command("check", *arguments, cwd=tmp_path)
        assert refused.returncode == 2 and words.encode() in refused.stderr, refused.stderr
