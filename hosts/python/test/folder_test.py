"""A folder as people have them: archives that are damaged, locked, empty, nested and misnamed, links to nowhere, pipes, files that nobody may read.

The folder is made here. Whatever the policy, the form and the number of threads: every document that can be read is in the rows, and everything that cannot
be read is named.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import random
import socket
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Any

import kumihimo
import pytest


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()


def patched(data: bytes, local: int, central: int, value: bytes) -> bytes:
    """The bytes of a Zip with a field of all its headers overwritten."""
    out = bytearray(data)
    for signature, place in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
        at = -1
        while (at := out.find(signature, at + 1)) >= 0:
            out[at + place : at + place + len(value)] = value
    return bytes(out)


class Ugly:
    """The folder; `good` are the numbers of the documents that can be read, `bad` names what cannot."""

    def __init__(self, at: Path) -> None:
        self.at, self.number = at, 0
        self.good: list[int] = []
        self.bad: set[str] = set()
        self.passed_over: set[str] = set()
        (at / "a" / "deep" / "er").mkdir(parents=True)
        rng = random.Random(7)
        some, lines = self.document, self.lines
        self.put("a/plain.json", some())
        self.put("a/deep/er/lines.ndjson", lines(300))
        self.put("a/lines.ndjson.gz", gzip.compress(lines(200)))
        self.put("a/misnamed.txt", zipped({"x.json": some(), "folder/y.json": some()}))
        self.put("a/misnamed.zip", lines(20))
        self.put("a/archive.zip", zipped({f"{i:03}.json": some() for i in range(150)}))
        self.put("a/stored.zip", zipped({"all.ndjson": lines(50), "in.gz": gzip.compress(lines(5))}, zipfile.ZIP_STORED))
        self.put("a/array.json", b"[" + b",\n".join(some() for _ in range(30)) + b"]")
        self.put("a/pretty.json", json.dumps(json.loads(some()), indent=4).encode())
        self.put("a/names with blanks, commas & \u00e9.json", some())
        self.put("a/with\nline end.json", some())
        self.put("a/mark.json", b"\xef\xbb\xbf" + some())
        self.put("a/empty.json", b"")
        self.put("a/blank.json", b" \n\n")
        self.put("a/empty.zip", zipped({}))
        self.put("a/nothing.gz", gzip.compress(b""))
        self.put("a/empty-entry.zip", zipped({"e.json": b"", "g.json": some()}))
        self.put("a/.hidden.json", b'{"n":-1}')
        (at / "a" / "__MACOSX").mkdir()  # a folder like any other; what macOS writes into it is hidden
        self.put("a/__MACOSX/._plain.json", rng.randbytes(100))
        self.put("a/__MACOSX/mine.json", some())
        # What cannot be read, alone.
        self.put("b-binary.json", rng.randbytes(5000), "b-binary.json")
        self.put("b-cut.json", b'{"n":-1,"t":[1,2', "b-cut.json")
        self.put("b-utf16.json", '{"n":-1}'.encode("utf-16"), "b-utf16.json")
        self.put("b-zstd.json", b"\x28\xb5\x2f\xfd" + b"x" * 100, "b-zstd.json")
        self.put("b-program", b"\x7fELF" + b"\0" * 100, "b-program")
        locked = patched(zipped({"secret.json": b'{"n":-1}'}), 6, 8, struct.pack("<H", 1))
        self.put("b-encrypted.zip", locked, "secret.json")
        self.put("b-method.zip", patched(zipped({"odd.json": b'{"n":-1}'}), 8, 10, struct.pack("<H", 97)), "odd.json")
        self.put("b-sum.zip", patched(zipped({"sum.json": b'{"n":-1}' * 1}), 14, 16, struct.pack("<I", zlib.crc32(b"other"))), "sum.json")
        self.put("b-nested.zip", zipped({"inner.zip": zipped({"x.json": b'{"n":-1}'}), "beside.json": some()}), "inner.zip")
        self.put("b-cut-large.gz", gzip.compress(rng.randbytes(300_000))[:-1000], "b-cut-large.gz")
        # What is no file, and what leads nowhere.
        (at / "c-dangling.json").symlink_to("nowhere.json")
        (at / "c-ring").symlink_to(".")
        (at / "c-self").symlink_to("c-self")
        os.mkfifo(at / "c-pipe.json")
        self.socket = socket.socket(socket.AF_UNIX)
        here = os.getcwd()
        os.chdir(at)  # a socket's name is short
        try:
            self.socket.bind("c-socket")
        finally:
            os.chdir(here)
        # Links are not followed.
        (at / "d-link.json").symlink_to("a/plain.json")
        self.passed_over |= {"c-dangling.json and 3 other links are", "c-pipe.json is", "c-socket is"}
        self.put("e-unreadable.json", b'{"n":-1}')
        (at / "e-unreadable.json").chmod(0)
        (at / "e-closed").mkdir()
        (at / "e-closed" / "x.json").write_bytes(b'{"n":-1}')
        (at / "e-closed").chmod(0)
        if os.geteuid() != 0:
            self.bad |= {"e-unreadable.json", "e-closed"}
        else:  # whom nothing is closed to
            (at / "e-unreadable.json").unlink()
            (at / "e-closed").chmod(0o700)
            (at / "e-closed" / "x.json").unlink()
        self.put("z-late.json", b'{"n":%d,"late":{"x":[1.50]}}' % self.next())

    def next(self) -> int:
        self.good.append(self.number)
        self.number += 1
        return self.number - 1

    def document(self) -> bytes:
        return b'{"n": %d, "t": {"s": "text"}}' % self.next()

    def lines(self, count: int) -> bytes:
        return b"".join(self.document() + b"\n" for _ in range(count))

    def put(self, name: str, content: bytes, bad: str = "") -> None:
        (self.at / name).write_bytes(content)
        if bad:
            self.bad.add(bad)


@pytest.fixture(scope="module")
def ugly(tmp_path_factory: pytest.TempPathFactory) -> Ugly:
    return Ugly(tmp_path_factory.mktemp("ugly"))


def command(*words: str, cwd: Path, **more: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "kumihimo.cli", *words], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, **more)


def named(ugly: Ugly, told: str) -> None:
    for name in ugly.bad:
        assert name in told, name
    for name in ugly.passed_over:
        assert f"{name} passed over" in told, name


@pytest.mark.parametrize("jobs", ["1", "4"])
@pytest.mark.parametrize("words", [["-f", "n"], []], ids=["fields", "all"])
@pytest.mark.parametrize("form", ["csv", "ndjson", "parquet"])
def test_all_that_can_be_read_is_read_and_the_rest_is_named(ugly: Ugly, tmp_path: Path, form: str, words: list[str], jobs: str) -> None:
    out = tmp_path / f"out.{form}"
    put_aside = tmp_path / "bad.ndjson"
    done = command("extract", str(ugly.at), *words, "-o", str(out), "-j", jobs, "--on-error", f"quarantine={put_aside}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = done.stderr.decode()
    records = [json.loads(line) for line in put_aside.read_text().splitlines()]
    # The first 20 are printed one by one, the others are in the file and in the count.
    named(ugly, told + "".join(r["archive"] + r["entry"] for r in records))
    assert f"{len(records):,} bad records" in told
    if form == "csv":
        with open(out, newline="") as text:
            rows: list[dict[str, Any]] = [{k: v for k, v in r.items() if v != ""} for r in csv.DictReader(text)]
    elif form == "ndjson":
        rows = [json.loads(line) for line in out.read_text().splitlines()]
    else:
        parquet = pytest.importorskip("pyarrow.parquet", reason="not proven: pyarrow is not installed")
        rows = parquet.read_table(out).to_pylist()
    assert sorted(int(r["n"]) for r in rows) == sorted(ugly.good)
    assert [int(r["n"]) for r in rows[-1:]] == [ugly.number - 1]
    if not words:
        assert json.dumps(rows[-1]["late.x"]).replace('"', "") == ("[1.5]" if form == "ndjson" else "[1.50]")


def test_the_policies(ugly: Ugly, tmp_path: Path) -> None:
    skipped = command("extract", str(ugly.at), "-f", "n", "--on-error", "skip", cwd=tmp_path)
    nulls = command("extract", str(ugly.at), "-f", "n", "--on-error", "null", cwd=tmp_path)
    assert skipped.returncode == nulls.returncode == 0
    rows = skipped.stdout.decode().splitlines()[1:]
    assert sorted(map(int, rows)) == sorted(ugly.good)
    with_nulls = nulls.stdout.decode().splitlines()[1:]
    assert [r for r in with_nulls if r] == rows
    # Every report is a row, and stands where its input stands.
    reports = int(nulls.stderr.decode().rsplit(";", 1)[1].split()[0].replace(",", ""))
    assert with_nulls.count("") == reports and with_nulls[-1] != "" and with_nulls[0] != ""
    sources = command("extract", str(ugly.at), "-f", "n", "--source", "--to", "ndjson", "--on-error", "null", cwd=tmp_path)
    places = [json.loads(line) for line in sources.stdout.splitlines()]
    assert len(places) == len(with_nulls)
    order = [Path(r["archive"]).relative_to(ugly.at).parts for r in places]
    assert order == sorted(order) and ("b-cut.json",) in order and ("c-dangling.json",) not in order
    stopped = command("extract", str(ugly.at), "-f", "n", "-o", "out.csv", cwd=tmp_path)
    assert stopped.returncode == 1 and any(name in stopped.stderr.decode() for name in ugly.bad) and not (tmp_path / "out.csv").exists()


def test_check_names_the_same(ugly: Ugly, tmp_path: Path) -> None:
    done = command("check", str(ugly.at), cwd=tmp_path)
    assert done.returncode == 1
    extracted = command("extract", str(ugly.at), "-f", "$:json", "--on-error", "skip", cwd=tmp_path)
    bad = [line for line in done.stderr.decode().splitlines() if line.startswith("bad record: ")]
    for name in ugly.passed_over:
        assert f"{name} passed over" in done.stderr.decode(), name
    assert bad and bad == [line for line in extracted.stderr.decode().splitlines() if line.startswith("bad record: ")]


def test_only_what_matches(ugly: Ugly, tmp_path: Path) -> None:
    done = command("extract", str(ugly.at), "-f", "n", "--match", "a/plain.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"n\n0\n"), done.stderr
    assert b"dangling" not in done.stderr and b"pipe" not in done.stderr
    done = command("extract", str(ugly.at), "-f", "n", "--match", "no such thing", cwd=tmp_path)
    assert done.returncode == 1 and b"--match" in done.stderr


def test_zips_whose_own_path_does_not_match(tmp_path: Path) -> None:
    """They are not looked into, which is said; with a pattern for them their entries are chosen by theirs."""
    day = tmp_path / "day"
    (day / "b").mkdir(parents=True)
    (day / "a.json").write_text('{"n":1}')
    for name in ("b/one.zip", "b/two.ZIP"):
        with zipfile.ZipFile(day / name, "w") as z:
            z.writestr("in.json", '{"n":2}')
            z.writestr("in.txt", "no JSON")
    done = command("extract", str(day), "-f", "n", "--match", "*.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"n\n1\n")
    assert "b/one.zip and 1 other Zip are not looked into" in done.stderr.decode()
    both = done.stderr.decode().split("add --match '")[1].split("'")[0]
    done = command("extract", str(day), "-f", "n", "--match", "*.json", "--match", both, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"n\n1\n2\n2\n"), done.stderr
    (day / "b/one.zip").unlink()
    done = command("extract", str(day), "-f", "n", "--match", "*.json", cwd=tmp_path)
    assert "b/two.ZIP is not looked into, as its own path does not match; add --match '**.ZIP'" in done.stderr.decode()
    done = command("extract", str(day), "-f", "n", "--match", "*.json", "--match", "**.ZIP", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"n\n1\n2\n"), done.stderr
    assert b"looked into" not in done.stderr
    # Where nothing matches at all, the error says it, whether columns are to be found or not.
    for more in ([], ["--on-error", "skip"], ["-f", "n"]):
        done = command("extract", str(day), *more, "--match", "none.json", cwd=tmp_path)
        said = done.stderr.decode()
        assert done.returncode == 1 and f"{day}: " in said and "b/two.ZIP is not looked into" in said, said
        done = command("extract", str(day), str(day / "b"), *more, "--match", "none.json", cwd=tmp_path)
        said = done.stderr.decode()
        assert done.returncode == 1 and "kumihimo: : " not in said and "two.ZIP" in said, said
    (day / "b/two.ZIP").unlink()
    (day / "b/gone.zip").symlink_to("nowhere")
    done = command("extract", str(day), "-f", "n", "--match", "*.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"n\n1\n") and b"looked into" not in done.stderr


def test_links_are_read_where_they_are_named(tmp_path: Path) -> None:
    """What they lead to may lie outside, be in the folder already, or be the folder itself: nothing is read twice, and nothing goes round."""
    day, other = tmp_path / "day", tmp_path / "other"
    (day / "sub").mkdir(parents=True)
    other.mkdir()
    (day / "sub" / "a.json").write_text('{"n":1}')
    (other / "b.json").write_text('{"n":2}')
    (day / "again.json").symlink_to("sub/a.json")
    (day / "out").symlink_to("../other")
    (day / "sub" / "up").symlink_to("..")
    (other / "back").symlink_to("../day/out")
    for words in (["day"], ["day", "--match", "*.json"]):
        done = command("extract", *words, "-f", "n", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, b"n\n1\n"), done.stderr
        assert b"note: day/again.json and 2 other links are passed over: links are read where they are named" in done.stderr
    assert b"day/again.json and 2 other" in command("check", "day", cwd=tmp_path).stderr
    done = command("extract", "day/out", "-f", "n", cwd=tmp_path)
    assert done.stdout == b"n\n2\n" and b"note: day/out/back is passed over: it is a link; name it to have it read" in done.stderr
    done = command("extract", "day/*", "-f", "n", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"n\n1\n2\n1\n"), done.stderr
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "a.json").symlink_to("../other/b.json")
    done = command("extract", "links", "--match", "*.json", "-f", "n", cwd=tmp_path)
    assert done.returncode == 1 and b"links/a.json is passed over: it is a link" in done.stderr, done.stderr


def test_notes_about_names_that_are_no_text(tmp_path: Path) -> None:
    """File names hold any bytes; a note about them must not end a run that is done."""
    day = tmp_path / "day"
    day.mkdir()
    (day / "a.json").write_text('{"n":1}')
    (day / os.fsdecode(b"\xff.zip")).write_bytes(zipped({"in.json": b'{"n":2}'}))
    os.mkfifo(os.fsencode(day) + b"/\xfe.json")
    done = command("extract", str(day), "-f", "n", "--match", "*.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"n\n1\n"), done.stderr
    assert b"is not looked into" in done.stderr and b"it is a pipe" in done.stderr
    os.unlink(os.fsencode(day) + b"/\xfe.json")
    rows = kumihimo.extract(day, ["n"], match="*.json", form="none")
    while rows.next_count() is not None:
        pass
    assert any(os.fsdecode(b"\xff.zip") in note for note in rows.notes)
