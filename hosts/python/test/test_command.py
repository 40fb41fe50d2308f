"""The `kumihimo` command as its user meets it: what it prints where, what it leaves behind, its exit status."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from pathlib import Path

import pytest

FRAMES = [{"last_price": {"price": 100.0 + i / 2}, "timestamp": f"2016-12-25 01:53:{i:02}.602955", "n": i} for i in range(60)]


def command(*words: str, cwd: Path, stdin: bytes = b"", **more) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "kumihimo.cli", *words], cwd=cwd, input=stdin, capture_output=True, timeout=120, **more)


def good(*words: str, cwd: Path, stdin: bytes = b"") -> str:
    done = command(*words, cwd=cwd, stdin=stdin)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.fixture
def at(tmp_path: Path) -> Path:
    (tmp_path / "zips").mkdir()
    for part in range(3):
        with zipfile.ZipFile(tmp_path / "zips" / f"{part}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for i in range(20):
                archive.writestr(f"day/{part * 20 + i:03}.json", json.dumps(FRAMES[part * 20 + i]))
    (tmp_path / "all.ndjson").write_text("".join(json.dumps(f) + "\n" for f in FRAMES))
    (tmp_path / "bad.ndjson").write_text('{"n": 1}\n{"n": 01}\n{"n": 3}\n')
    return tmp_path


def prices() -> str:
    return "last_price.price\n" + "".join(f"{f['last_price']['price']}\n" for f in FRAMES)


@pytest.mark.parametrize("jobs", ["1", "2", "5"])
def test_rows_come_in_input_order(at: Path, jobs: str) -> None:
    assert good("extract", "zips", "-f", "last_price.price", "-j", jobs, cwd=at) == prices()


def test_every_way_in_gives_the_same_rows(at: Path) -> None:
    lines = (at / "all.ndjson").read_bytes()
    (at / "array.json").write_text(json.dumps(FRAMES, indent=1))
    (at / "after.json").write_text("".join(json.dumps(f, indent=2) for f in FRAMES))
    (at / "all.gz").write_bytes(gzip.compress(lines[:100]) + gzip.compress(lines[100:]))
    with zipfile.ZipFile(at / "inside.whl", "w") as archive:
        archive.writestr("data/all.ndjson.gz", gzip.compress(lines))
        archive.writestr("data/readme.txt", "no JSON")
    (at / "loose").mkdir()
    for i, f in enumerate(FRAMES):
        (at / "loose" / f"{i:04}.json").write_text(json.dumps(f))
    for name in ("all.ndjson", "array.json", "after.json", "all.gz", "loose", "loose/*.json", "zips/*.zip"):
        assert good("extract", name, "-f", "last_price.price", cwd=at) == prices(), name
    assert good("extract", "inside.whl", "--match", "*.gz", "-f", "last_price.price", cwd=at) == prices()
    for data in (lines, gzip.compress(lines)):
        assert good("extract", "-", "-f", "last_price.price", cwd=at, stdin=data) == prices()


def test_forms(at: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.ipc
    import pyarrow.parquet

    fields = ("-f", "price=last_price.price", "-f", "at=timestamp:timestamp[Asia/Tokyo]")
    for name in ("t.csv", "t.ndjson", "t.arrow", "t.parquet"):
        assert good("extract", "zips", *fields, "-o", name, cwd=at) == ""
    table = pyarrow.parquet.read_table(at / "t.parquet")
    assert table.equals(pyarrow.ipc.open_file(at / "t.arrow").read_all())
    assert table.column("price").to_pylist() == [f["last_price"]["price"] for f in FRAMES]
    assert str(table.schema.field("at").type) == "timestamp[us, tz=Asia/Tokyo]"
    rows = [json.loads(line) for line in (at / "t.ndjson").read_text().splitlines()]
    assert rows[1] == {"price": 100.5, "at": "2016-12-25T01:53:01.602955+09:00"}
    assert (at / "t.csv").read_text().splitlines()[1] == "100.0,2016-12-25T01:53:00.602955+09:00"
    assert good("extract", "zips", *fields, "--to", "ndjson", cwd=at) == (at / "t.ndjson").read_text()


@pytest.mark.parametrize(("name", "start"), [("c.png", b"\x89PNG"), ("c.svg", b"<?xml"), ("c.html", b"<")])
def test_chart(at: Path, name: str, start: bytes) -> None:
    pytest.importorskip("matplotlib")
    good("extract", "zips", "-f", "price=last_price.price", "-f", "at=timestamp:timestamp[Asia/Tokyo]", "-o", "t.csv", "--chart", name, cwd=at)
    assert (at / name).read_bytes().startswith(start)
    good("extract", "zips", "-f", "n", "-o", "t.parquet", "--chart", name, cwd=at)
    assert command("extract", "zips", "-f", "n", "--chart", "c.gif", cwd=at).returncode == 2


def test_two_charts_are_both_drawn(at: Path) -> None:
    pytest.importorskip("matplotlib")
    good("extract", "zips", "-f", "n", "-o", "t.csv", "--chart", "a.png", "--chart", "b.svg", cwd=at)
    assert (at / "a.png").read_bytes().startswith(b"\x89PNG") and (at / "b.svg").read_bytes().startswith(b"<?xml")
    assert command("extract", "zips", "-f", "n", "-o", "t.csv", "--chart", "c.png", "--chart", "c.png", cwd=at).returncode == 2


def test_source_and_limit(at: Path) -> None:
    text = good("extract", "all.ndjson", "-f", "n", "--source", "--limit", "2", cwd=at)
    size = len(json.dumps(FRAMES[0])) + 1
    assert text.splitlines() == ["n,archive,entry,offset", "0,all.ndjson,,0", f"1,all.ndjson,,{size}"]
    assert good("extract", "zips", "-f", "n", "--limit", "0", cwd=at) == "n\n"


def test_a_wrong_guess_loses_nothing(at: Path) -> None:
    values = [*range(50), 2.5, "text", {"a": [1]}, None]
    (at / "mixed.ndjson").write_text("".join(json.dumps({"v": v}) + "\n" for v in values))
    done = command("extract", "mixed.ndjson", "-f", "v", "--sample", "10", "--to", "ndjson", cwd=at)
    assert [json.loads(line)["v"] for line in done.stdout.splitlines()] == values
    assert b"note" not in done.stderr  # a guess does not show in text
    pytest.importorskip("pyarrow")
    import pyarrow.parquet

    done = command("extract", "mixed.ndjson", "-f", "v", "--sample", "10", "-o", "m.parquet", cwd=at)
    assert done.returncode == 0 and b'column "v" was taken for int64 but holds 2.5; it becomes float64' in done.stderr and b"becomes json" in done.stderr
    found = pyarrow.parquet.read_table(at / "m.parquet").column("v").to_pylist()
    assert [None if v is None else json.loads(v) for v in found] == values


def test_bad_records_stop(at: Path) -> None:
    done = command("extract", "bad.ndjson", "-f", "n", "-o", "out.csv", cwd=at)
    assert done.returncode == 1
    assert b"bad.ndjson: byte 16 (line 2, column 8), at $.n" in done.stderr
    assert done.stderr.count(b"line 2") == 1
    assert not (at / "out.csv").exists() and not list(at.glob(".out.csv*"))


def test_bad_records_pass(at: Path) -> None:
    for policy, wanted in (("skip", "n\n1\n3\n"), ("null", "n\n1\n\n3\n"), ("quarantine=q.ndjson", "n\n1\n3\n")):
        done = command("extract", "bad.ndjson", "-f", "n", "--on-error", policy, cwd=at)
        assert (done.returncode, done.stdout.decode()) == (0, wanted), policy
        assert b"line 2, column 8" in done.stderr and b"1 bad" in done.stderr
    (record,) = [json.loads(line) for line in (at / "q.ndjson").read_text().splitlines()]
    assert record["archive"] == "bad.ndjson" and record["document"] == '{"n": 01}'


def test_hostile_archives_are_named(at: Path) -> None:
    with zipfile.ZipFile(at / "sum.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.json", json.dumps({"n": list(range(200))}))
    raw = bytearray((at / "sum.zip").read_bytes())
    for signature, place in ((b"PK\x03\x04", 14), (b"PK\x01\x02", 16)):
        where = raw.index(signature) + place
        raw[where : where + 4] = struct.pack("<I", zlib.crc32(b"other"))
    (at / "sum.zip").write_bytes(raw)
    (at / "cut.zip").write_bytes((at / "zips" / "0.zip").read_bytes()[:-40])
    with zipfile.ZipFile(at / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("b.json", b" " * (64 << 20) + b"{}")
    for name, words in (("sum.zip", [b"a.json", b"CRC"]), ("cut.zip", [b"cut.zip"]), ("bomb.zip", [b"b.json", b"expand", b"--max-ratio"])):
        done = command("extract", name, "-f", "n", cwd=at)
        assert done.returncode == 1, name
        for word in words:
            assert word in done.stderr, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("extract",),
        ("extract", "all.ndjson", "-f", "a[", "-o", "x.csv"),
        ("extract", "all.ndjson", "-f", "a:int65"),
        ("extract", "all.ndjson", "-f", "a:timestamp[No/Where]"),
        ("extract", "all.ndjson", "-f", "n", "-f", "n"),
        ("extract", "all.ndjson", "-f", "n", "--on-error", "ignore"),
        ("extract", "all.ndjson", "-f", "n", "-o", "x.xyz"),
        ("extract", "none*.json", "-f", "n"),
        ("extract", "-", "-", "-f", "n"),
        ("extract", "all.ndjson", "--max-size", "big"),
        ("unknown",),
    ],
)
def test_wrong_command_lines(at: Path, words: tuple[str, ...]) -> None:
    done = command(*words, cwd=at)
    assert done.returncode == 2, done.stderr
    assert b"Traceback" not in done.stderr and done.stderr.strip()
    assert not (at / "x.csv").exists()


def test_missing_inputs(at: Path) -> None:
    done = command("extract", "absent.json", "-f", "n", "-o", "x.csv", cwd=at)
    assert done.returncode == 1 and b"absent.json" in done.stderr and b"Traceback" not in done.stderr
    assert not (at / "x.csv").exists()
    done = command("extract", "all.ndjson", "-f", "n", "-o", "nowhere/x.csv", cwd=at)
    assert done.returncode == 1 and b"nowhere/x.csv" in done.stderr and b"Traceback" not in done.stderr


def test_a_match_that_matches_nothing_is_an_error(at: Path) -> None:
    for words in (("extract", "zips", "-f", "n:int64"), ("extract", "zips"), ("extract", "zips/0.zip", "-f", "n", "-o", "x.csv"), ("check", "zips")):
        done = command(*words, "--match", "none/*", cwd=at)
        assert done.returncode == 1 and b"no entry and no file has a path that matches --match" in done.stderr, words
    assert not (at / "x.csv").exists()
    # What matches and is empty, and a file that is named, are not such a case.
    (at / "zips" / "none").mkdir()
    (at / "zips" / "none" / "empty.json").write_text("")
    done = command("extract", "zips", "--match", "none/*", "-f", "n:int64", cwd=at)
    assert (done.returncode, done.stdout) == (0, b"n\n") and b"note: there was no document" in done.stderr
    assert good("extract", "all.ndjson", "--match", "none/*", "-f", "n", "--limit", "1", cwd=at) == "n\n0\n"
    assert b"no document" not in command("extract", "all.ndjson", "--limit", "0", cwd=at).stderr


def test_an_output_is_replaced_whole(at: Path) -> None:
    (at / "x.csv").write_text("before")
    assert command("extract", "bad.ndjson", "-f", "n", "-o", "x.csv", cwd=at).returncode == 1
    assert (at / "x.csv").read_text() == "before"
    good("extract", "all.ndjson", "-f", "n", "-o", "x.csv", cwd=at)
    assert (at / "x.csv").read_text().startswith("n\n0\n1\n")


def test_interrupted_leaves_nothing(at: Path) -> None:
    """Ctrl-C while a pipe stays open and silent: the command ends by itself and no file is left."""
    words = [sys.executable, "-m", "kumihimo.cli", "extract", "-", "-f", "n:int64", "-o", "out.csv"]
    with subprocess.Popen(words, cwd=at, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b'{"n":1}\n')
        process.stdin.flush()
        while not list(at.glob(".out.csv.part-*")):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    assert not list(at.glob("*out.csv*"))


def test_a_closed_pipe_is_no_error(at: Path) -> None:
    (at / "long.ndjson").write_text("".join(json.dumps({"n": "x" * 200}) + "\n" for _ in range(50000)))
    done = subprocess.run(f"{sys.executable} -m kumihimo.cli extract long.ndjson -f n | head -2", shell=True, cwd=at, capture_output=True, timeout=120)
    assert done.stdout.count(b"\n") == 2 and b"Traceback" not in done.stderr and b"Error" not in done.stderr


def on_terminal(at: Path, *words: str) -> str:
    """What the command draws on a terminal's standard error."""
    ours, theirs = pty.openpty()
    drawn = b""
    with subprocess.Popen([sys.executable, "-m", "kumihimo.cli", *words], cwd=at, stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, "TERM": "xterm"}) as process:
        os.close(theirs)
        while select.select([ours], [], [], 60)[0]:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            drawn += piece
        assert process.wait(60) == 0
    os.close(ours)
    return drawn.decode()


def test_bar_only_on_a_terminal(at: Path) -> None:
    assert "documents" in on_terminal(at, "extract", "zips", "-f", "n:int64")
    assert on_terminal(at, "extract", "zips", "-f", "n:int64", "-q") == ""
    assert command("extract", "zips", "-f", "n:int64", "-q", cwd=at).stderr == b""
    assert b"\x1b" not in command("extract", "zips", "-f", "n:int64", cwd=at).stderr


def test_rows_on_a_terminal_are_alone_on_it(at: Path) -> None:
    """Standard output and standard error are one terminal: what arrives there are the rows, whole, and the summary."""
    (at / "many.ndjson").write_text("".join(f'{{"n":{i}}}\n' for i in range(60000)))
    ours, theirs = pty.openpty()
    shown = b""
    words = [sys.executable, "-m", "kumihimo.cli", "extract", "many.ndjson", "-f", "n"]
    with subprocess.Popen(words, cwd=at, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm"}) as process:
        os.close(theirs)
        while select.select([ours], [], [], 60)[0]:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        assert process.wait(60) == 0
    os.close(ours)
    lines = shown.decode().splitlines()
    assert "\x1b" not in shown.decode()
    assert lines[:60001] == ["n", *map(str, range(60000))]


def test_help_imports_little(at: Path) -> None:
    """The help must come at once, so nothing heavy may be imported for it. kumihimo._core, whose table has the forms' names, is not."""
    code = "import sys; sys.argv = ['kumihimo', 'extract', '--help']\nfrom kumihimo.cli import main\ntry: main()\nexcept SystemExit: pass\n"
    code += "print([m for m in ('numpy', 'pyarrow', 'matplotlib', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=at, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "Examples:" in done.stdout and "--on-error" in done.stdout


def test_version(at: Path) -> None:
    text = good("--version", cwd=at)
    assert text.startswith("kumihimo 0.") and "kernel" in text and "libdeflate" in text


def test_check(at: Path) -> None:
    done = command("check", "all.ndjson", "zips", cwd=at)
    assert done.returncode == 0 and b"120 documents" in done.stderr and b"all valid" in done.stderr
    done = command("check", "bad.ndjson", "all.ndjson", cwd=at)
    assert done.returncode == 1 and b"bad.ndjson: byte 16 (line 2, column 8), at $.n" in done.stderr and b"1 bad" in done.stderr
    assert command("check", "absent.json", cwd=at).returncode == 1


def live(at: Path, *words: str) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-m", "kumihimo.cli", "extract", "-", "-q", *words], cwd=at, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def until(process: subprocess.Popen, ending: bytes) -> bytes:
    """What comes out of a process whose input stays open; fails when it is silent."""
    out = b""
    while not out.endswith(ending):
        assert select.select([process.stdout], [], [], 30)[0], out
        piece = os.read(process.stdout.fileno(), 4096)
        assert piece, out
        out += piece
    return out


@pytest.mark.parametrize("words", [("-f", "n"), ("-f", "n:int64"), ("-f", "n", "-j", "1")])
def test_rows_leave_while_the_pipe_stays_open(at: Path, words: tuple[str, ...]) -> None:
    with live(at, *words) as running:
        running.stdin.write(b'{"n":1}\n{"n":2}\n{"n":')
        running.stdin.flush()
        assert until(running, b"2\n") == b"n\n1\n2\n"
        running.stdin.write(b'3}\n{"n":4}\n')
        running.stdin.flush()
        assert until(running, b"4\n") == b"3\n4\n"
        running.stdin.write(b'{"n":5}')
        running.stdin.close()
        assert running.stdout.read() == b"5\n"
    assert running.returncode == 0


def test_a_flushed_gzip_stream_is_live_too(at: Path) -> None:
    packer = zlib.compressobj(wbits=31)
    with live(at, "-f", "n:int64") as running:
        for n in (b"1", b"2"):
            running.stdin.write(packer.compress(b'{"n":' + n + b"}\n") + packer.flush(zlib.Z_SYNC_FLUSH))
            running.stdin.flush()
            until(running, n + b"\n")
        running.stdin.write(packer.flush())
        running.stdin.close()
    assert running.returncode == 0


def test_a_limit_ends_a_live_pipe(at: Path) -> None:
    with live(at, "-f", "n", "--limit", "2") as running:
        running.stdin.write(b'{"n":1}\n{"n":2}\n{"n":3}\n')
        running.stdin.flush()
        assert running.wait(30) == 0
        assert running.stdout.read() == b"n\n1\n2\n"


def test_an_empty_input_is_the_input_s_fault(at: Path) -> None:
    (at / "empty").write_bytes(b"")
    (at / "blank").write_bytes(b" \n\n")
    for words, told in ((("empty",), b"kumihimo: empty: "), (("blank",), b"kumihimo: blank: "), (("empty", "blank"), b"kumihimo: "), (("-",), b"kumihimo: standard input: ")):
        done = command("extract", *words, cwd=at)
        assert (done.returncode, done.stdout) == (1, b"")
        assert told in done.stderr and b"there is no document to find columns in" in done.stderr and b"Usage" not in done.stderr
    assert good("extract", "empty", "-f", "a:int64", cwd=at) == "a\n"
    assert command("extract", "empty", "-f", "a..", cwd=at).returncode == 2


@pytest.mark.parametrize("module", ["click", "kumihimo.job"])
def test_ctrl_c_during_the_imports_prints_no_traceback(at: Path, module: str) -> None:
    (at / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
    )
    words = [sys.executable, "-m", "kumihimo", "extract", "all.ndjson", "-f", "n"]
    done = subprocess.run(words, cwd=at, env={**os.environ, "PYTHONPATH": str(at)}, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, b"", b"interrupted")


def test_the_summary_of_little(tmp_path: Path) -> None:
    (tmp_path / "empty.ndjson").write_bytes(b"")
    for output in ("none.msgpack", "none.msgpack.gz"):
        done = command("repack", "empty.ndjson", "-o", output, cwd=tmp_path)
        assert re.search(rb"(^|\n)0 documents, 0 bytes into \d+ bytes in [\d.]+ s\n", done.stderr), done.stderr
    (tmp_path / "one.ndjson").write_bytes(b"1")
    done = command("repack", "one.ndjson", "-o", "one.ndjson.zst", cwd=tmp_path)
    ratio = re.fullmatch(rb"1 document, 1 byte into \d+ bytes \((0\.[\d]+) : 1\) in [\d.]+ s\n", done.stderr)
    assert ratio and float(ratio[1]) > 0, done.stderr
    for words, said in (
        (["extract", "one.ndjson"], b"1 row from 1 document, 1 byte in "),
        (["check", "one.ndjson"], b"1 document, 1 byte in "),
        (["convert", "one.ndjson", "--to", "cbor"], b"1 document, 1 byte into 1 byte in "),
        (["check", "empty.ndjson"], b"0 documents, 0 bytes in "),
    ):
        done = command(*words, cwd=tmp_path)
        assert said in done.stderr, done.stderr
    assert b"1 document, 1 byte as stored. One run, " in command("measure", "one.ndjson", "--runs", "1", cwd=tmp_path).stdout
    (tmp_path / "bad.ndjson").write_bytes(b"1\nx\n2\n")
    for words in (["extract", "bad.ndjson"], ["repack", "bad.ndjson", "--to", "json"]):
        assert b"; 1 bad record\n" in command(*words, "--on-error", "skip", cwd=tmp_path).stderr
    (tmp_path / "bad.ndjson").write_bytes(b"1\nx\n2\ny\n")
    assert b"2 rows from 4 documents, 8 bytes in " in command("extract", "bad.ndjson", "--on-error", "skip", cwd=tmp_path).stderr
    assert b"; 2 bad records\n" in command("extract", "bad.ndjson", "--on-error", "skip", cwd=tmp_path).stderr
    (tmp_path / "some.ndjson").write_bytes(b'"text"\n' * 200)
    assert b"200 documents, 1.4 KB into 1.0 KB (1.4 : 1) in" in command("repack", "some.ndjson", "-o", "some.msgpack", "--frame", "none", cwd=tmp_path).stderr


WORDS = {"extract": ["-o", "x.csv", "-f", "n"], "repack": ["-o", "x.msgpack"], "schema": ["-o", "x.json"], "check": []}


@pytest.mark.parametrize("name", WORDS)
def test_every_command_ends_alike(at: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends the work, it ends all commands over extractions in the same way."""
    import click
    from click.testing import CliRunner

    from kumihimo.cli import group
    from kumihimo.job import Job

    class Run:
        cancelled = False

        def cancel(self) -> None:
            self.cancelled = True

    monkeypatch.chdir(at)
    run = Run()

    def end(by: BaseException):
        def sources(job: Job) -> None:
            job.run_ = run if not isinstance(by, RuntimeError) else None
            raise by

        run.cancelled = False
        monkeypatch.setattr(Job, "sources", sources)
        return CliRunner().invoke(group, [name, "bad.ndjson", *WORDS[name]], standalone_mode=False).exception

    failed = end(RuntimeError("no library"))
    assert isinstance(failed, SystemExit) and failed.code == 1
    refused = end(ValueError("limit is wrong"))
    assert isinstance(refused, click.UsageError) and str(refused) == "--limit is wrong" and run.cancelled
    assert isinstance(end(UnicodeError("a mistake of our own")), UnicodeError) and run.cancelled
    end(BrokenPipeError(32, "Broken pipe"))
    assert run.cancelled
    end(KeyboardInterrupt())
    assert run.cancelled


def test_bounds_are_the_engines(at: Path) -> None:
    """Said once, by whoever reads the description, in the option's name."""
    for words, why in (
        (["extract", "bad.ndjson", "--nested", "16"], b"--nested is at most 15"),
        (["check", "bad.ndjson", "--nested", "16"], b"--nested is at most 15"),
        (["extract", "bad.ndjson", "--rows-outer"], b"--rows-outer is of rows: name the arrays"),
        (["schema", "bad.ndjson", "--fold", "0"], b"--fold is at least 1 and at most 32768"),
        (["schema", "bad.ndjson", "--on-error", "null"], b"--on-error is stop, skip or quarantine of a schema, which has no rows"),
    ):
        done = command(*words, cwd=at)
        assert done.returncode == 2 and why in done.stderr, (words, done.stderr)
