"""`--resume DIR`: an extraction that is ended at any moment and started again has the output of one run, byte for byte, and reads nothing twice
that was finished. What has changed meanwhile is told."""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

import kumihimo

pyarrow = pytest.importorskip("pyarrow")

FILES, LINES = 6, 3000
FIELDS = ["n:int64", "day:string", "v", "text"]


def line(n: int) -> str:
    return json.dumps({"n": n, "day": f"d{n % 5}", "v": n / 4, "text": f"{n * 7919 % 100003:x}" + "x" * (n % 40)}) + "\n"


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    for k in range(FILES):
        lines = "".join(line(k * LINES + i) for i in range(LINES)) + ("{bad}\n" if k % 2 else "")
        if k == 2:
            with zipfile.ZipFile(tmp_path / "in" / f"{k}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
                for part in range(0, len(lines), 20_000):
                    end = lines.rfind("\n", 0, part + 20_000) + 1
                    begin = lines.rfind("\n", 0, part) + 1 if part else 0
                    archive.writestr(f"{part:07}.ndjson", lines[begin:end])
        elif k == 3:
            (tmp_path / "in" / f"{k}.ndjson.gz").write_bytes(gzip.compress(lines.encode()))
        else:
            (tmp_path / "in" / f"{k}.ndjson").write_text(lines)
    return tmp_path


def command(*words: str, cwd: Path, **more: Any) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "kumihimo.cli", "extract", *words], cwd=cwd, capture_output=True, timeout=120, **more)


# name of the output, its options
OUTPUTS: dict[str, tuple[str, dict[str, Any]]] = {
    "csv": ("t.csv", {}),
    "tsv": ("t.tsv.gz", {}),
    "ndjson": ("t.ndjson.zst", {"compress_level": 7}),
    "json": ("t.json", {}),
    "msgpack": ("t.msgpack.lz4", {}),
    "cbor": ("t.cbor", {}),
    "tagged": ("t.tagged", {}),
    "arrow": ("t.arrow", {}),
    "parquet": ("t.parquet", {}),
    "row groups": ("t.parquet", {"row_group_rows": 701}),
    "split": ("t", {"to": "csv", "split_rows": 2500, "compress": "gzip"}),
    "partitions": ("t", {"to": "parquet", "partition_by": "day", "split_rows": 900}),
    "sqlite": ("t.sqlite", {"table": "t"}),
    "duckdb": ("t.duckdb", {"table": "t"}),
}


def content(path: Path) -> Any:
    """The bytes of an output. DuckDB's files differ from run to run, so of one the rows count."""
    if path.suffix == ".duckdb":
        import duckdb

        with duckdb.connect(str(path), read_only=True) as connection:
            return connection.execute("SELECT * FROM t").fetchall()
    if path.is_dir():
        return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}
    return path.read_bytes()


# Ends itself, as SIGKILL would, at the k-th call that changes something in the file system; says how many calls there were when it comes to its end.
KILLED = """
import json, os, sys
import pyarrow, kumihimo
from kumihimo import resume_folder, resume_run, saving

asked = json.loads(sys.argv[1])
first, step = int(sys.argv[2]), int(sys.argv[3])

def run(at):
    left = [at]
    def guarded(call):
        def instead(*words, **more):
            left[0] -= 1
            if left[0] == 0:
                os._exit(9)
            return call(*words, **more)
        return instead
    for name in ("replace", "rename", "unlink", "fsync", "rmdir", "mkdir"):
        setattr(os, name, guarded(getattr(os, name)))
    kumihimo.extract_to(**asked)

ended = []
at = first
while True:
    child = os.fork()
    if child == 0:
        try:
            run(at)
        except FileExistsError:
            # Of one that was ended between its last two steps nothing is left but its output.
            if not os.path.isdir(asked["resume"]) or not os.listdir(asked["resume"]):
                os._exit(0)
            print("failed: the output is there", flush=True)
            os._exit(1)
        except BaseException as error:
            print("failed:", repr(error), flush=True)
            os._exit(1)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    ended.append(status)
    if status != 9:
        break
    at += step
print(json.dumps(ended))
"""


def killed_again_and_again(asked: dict[str, Any], cwd: Path, first: int, step: int) -> list[int]:
    done = subprocess.run([sys.executable, "-c", KILLED, json.dumps(asked), str(first), str(step)], cwd=cwd, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    ended = json.loads(done.stdout.decode().splitlines()[-1])
    assert ended[-1] == 0, done.stdout.decode()
    return ended


def rest_of(at: Path) -> set[str]:
    return {path.name for path in at.iterdir()} - {"in"}


@pytest.mark.parametrize("name", list(OUTPUTS))
def test_killed_at_every_call_that_changes_something(name: str, at: Path) -> None:
    if name == "duckdb":
        pytest.importorskip("duckdb", reason="not proven: duckdb is not installed")
    out, options = OUTPUTS[name]
    asked = {"inputs": "in", "fields": FIELDS, "on_error": "skip", **options}
    wanted = kumihimo.extract_to(output="once" + out[1:], **asked)
    expected = content(at / ("once" + out[1:]))
    # Each process comes some calls further than the one before it, from wherever that one was.
    first, step = 1 + list(OUTPUTS).index(name) % 4, 3 + list(OUTPUTS).index(name) % 3
    ended = killed_again_and_again({**asked, "output": out, "resume": "kept", "resume_every": 20_000, "if_exists": "fail"}, at, first, step)
    assert len(ended) > 3
    assert content(at / out) == expected
    assert rest_of(at) == {"once" + out[1:], out}
    assert wanted["rows"] == FILES * LINES


def test_killed_with_a_quarantine_and_columns_that_come_late(at: Path) -> None:
    with open("in/5.ndjson", "a") as file:
        file.write('{"n":"text","late":[1]}\n{"n":1.5}\n{"n"\n')
    for out, more in (("t.parquet", {}), ("t.csv", {}), ("t.ndjson", {"where": "n > 4000"})):
        asked = {"inputs": "in", "on_error": "quarantine", "sample": 100, "source": True, **more}
        wanted = kumihimo.extract_to(output="once" + out[1:], quarantine="once.bad", **asked)
        assert wanted["widened"] or out != "t.parquet"
        killed_again_and_again({**asked, "output": out, "quarantine": "t.bad", "resume": "kept", "resume_every": 20_000}, at, 1, 5)
        assert content(at / out) == content(at / ("once" + out[1:]))
        assert content(at / "t.bad") == content(at / "once.bad")
        for name in (out, "once" + out[1:], "t.bad", "once.bad"):
            os.remove(name)
        assert rest_of(at) == set()


class Ended(BaseException):
    pass


def end_behind(parts: int, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs until so many parts are finished, and leaves them."""
    from kumihimo.resume_folder import ResumeFolder

    finish = ResumeFolder.finish

    def then_end(self: ResumeFolder, *words: Any) -> None:
        finish(self, *words)
        if len(self.parts) == parts:
            raise Ended

    with monkeypatch.context() as patch, pytest.raises(Ended):
        patch.setattr(ResumeFolder, "finish", then_end)
        kumihimo.extract_to(**asked)


ASKED: dict[str, Any] = {"inputs": "in", "output": "t.csv", "fields": ["n:int64"], "on_error": "skip", "resume": "kept", "resume_every": 20_000, "jobs": 2}


def test_what_is_finished_is_not_read_again(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = kumihimo.extract_to(**{**ASKED, "output": "once.csv", "resume": None, "resume_every": None})
    end_behind(4, ASKED, monkeypatch)
    about = json.loads((at / "kept" / "part-0-00000003.json").read_bytes())
    assert 0 < about["counted"]["rows"] < wanted["rows"] and about["inputs_read"] >= 1 and about["sums"]
    # What this process reads is what the other one has not: its first figures are those of the other's end.
    figures = []
    from kumihimo.resume_run import Resumed

    keep = Resumed.keep
    monkeypatch.setattr(Resumed, "keep", lambda self, run: (figures.append(run.progress()), keep(self, run))[1])
    found = kumihimo.extract_to(**ASKED)
    assert {name: figures[0][name] for name in about["counted"]} == about["counted"]
    assert found["resumed"] == {"parts": 4, **about["counted"]}
    assert {**found, "seconds": 0, "output": 0, "resumed": 0} == {**wanted, "seconds": 0, "output": 0, "resumed": 0}
    assert content(at / "t.csv") == content(at / "once.csv")
    assert rest_of(at) == {"t.csv", "once.csv"}


def times(path: str) -> tuple[int, int]:
    return os.stat(path).st_atime_ns, os.stat(path).st_mtime_ns


@pytest.mark.parametrize("name, how", [
    ("in/0.ndjson", "longer"), ("in/0.ndjson", "other"), ("in/5.ndjson", "other"), ("in/5.ndjson", "touched"), ("in/1.ndjson", "gone"), ("in/00.ndjson", "new"), ("in/5.ndjson", "longer"),
])  # fmt: skip
def test_an_input_that_changed(name: str, how: str, at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    end_behind(4, ASKED, monkeypatch)
    before = times(name) if how != "new" else None
    if how == "longer":
        with open(name, "a") as file:
            file.write("{}\n")
    elif how == "other":  # as long as before, and at the same time
        data = Path(name).read_bytes()
        time.sleep(0.02)  # of a clock that ticks every few milliseconds
        Path(name).write_bytes(data.replace(b'"n": 1', b'"n": 7'))
        os.utime(name, ns=before)
    elif how == "touched":
        os.utime(name, ns=(0, 0))
    elif how == "gone":
        os.remove(name)
    else:
        Path(name).write_text("{}\n")
    with pytest.raises(OSError, match=f"{name} has changed since the run that kept is of began"):
        kumihimo.extract_to(**ASKED)
    assert not (at / "t.csv").exists()
    done = command("in", "-f", "n:int64", "-o", "t.csv", "--on-error", "skip", "--resume", "other", cwd=at)
    assert done.returncode == 0


def test_an_input_that_was_only_touched(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its check sum is the same."""
    end_behind(6, ASKED, monkeypatch)
    os.utime("in/0.ndjson", ns=(0, 0))
    os.chmod("in/1.ndjson", 0o600)
    kumihimo.extract_to(**ASKED)
    kumihimo.extract_to(**{**ASKED, "output": "once.csv", "resume": None, "resume_every": None})
    assert content(at / "t.csv") == content(at / "once.csv")


def test_an_input_that_changes_while_it_is_read(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kumihimo.resume_folder import ResumeFolder

    part = ResumeFolder.part

    def touching(self: ResumeFolder, schema: Any) -> Any:
        if len(self.parts) == 2:
            os.utime("in/5.ndjson", ns=(0, 0))
        return part(self, schema)

    monkeypatch.setattr(ResumeFolder, "part", touching)
    with pytest.raises(OSError, match="in/5.ndjson has changed"):
        kumihimo.extract_to(**ASKED)


@pytest.mark.parametrize("change, says", [
    ({"fields": ["n:int64", "day"]}, "fields is not as"), ({"where": "n > 3"}, "where is not as"), ({"on_error": "null"}, "on_error is not as"),
    ({"output": "other.csv"}, "output is not as"), ({"output": "t.csv", "to": "tsv"}, "to is not as"), ({"source": True}, "source is not as"),
    ({"inputs": ["in", "in/0.ndjson"]}, "inputs is not as"), ({"limit": 3}, "limit is not as"), ({"compress": "gzip"}, "compress is not as"),
])  # fmt: skip
def test_other_options(change: dict[str, Any], says: str, at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    end_behind(2, ASKED, monkeypatch)
    with pytest.raises(ValueError, match=says):
        kumihimo.extract_to(**{**ASKED, **change})
    kumihimo.extract_to(**{**ASKED, "jobs": 1, "resume_every": 100_000})  # which change no byte
    assert (at / "t.csv").exists() and not (at / "kept").exists()


def test_the_command_says_which_option(at: Path) -> None:
    words = ["in", "-f", "n:int64", "-o", "nowhere/t.csv", "--on-error", "skip", "--resume", "kept"]
    assert command(*words, cwd=at).returncode == 1 and not os.path.exists("nowhere")
    os.mkdir("nowhere")
    assert command(*words[:-6], "-o", "nowhere", *words[-4:], cwd=at).returncode == 2  # no form
    with subprocess.Popen([sys.executable, "-m", "kumihimo.cli", "extract", *words], cwd=at, stderr=subprocess.DEVNULL) as process:
        while not os.path.exists("kept/manifest.json") and process.poll() is None:
            time.sleep(0.001)
        process.kill()
    if not os.path.exists("kept/manifest.json"):
        return  # it was faster
    for more, option in ((["--where", "n > 1"], "--where"), (["-f", "day"], "--field"), (["--level", "trusted"], "--level"), (["--max-depth", "9"], "--max-depth")):
        done = command(*words, *more, cwd=at)
        assert done.returncode == 2 and f"Error: {option} is not as in the run that kept is of".encode() in done.stderr, done.stderr


def test_another_version(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    end_behind(2, ASKED, monkeypatch)
    manifest = json.loads((at / "kept" / "manifest.json").read_bytes())
    (at / "kept" / "manifest.json").write_text(json.dumps({**manifest, "version": "0.0.9"}))
    with pytest.raises(OSError, match="kept is of a run by kumihimo 0.0.9"):
        kumihimo.extract_to(**ASKED)


@pytest.mark.parametrize("name", ["manifest.json", "start.json", "output.json"])
@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b'{"kumihimo_resume": 1}', b'{"kumihimo_resume": 2}', b"\xff"])
def test_a_broken_manifest(name: str, broken: bytes, at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    end_behind(2, ASKED, monkeypatch)
    (at / "kept" / name).write_bytes(broken)
    if name == "output.json" and broken == b'{"kumihimo_resume": 1}':
        kumihimo.extract_to(**ASKED)  # which says of no output that it is there
        return
    with pytest.raises(OSError, match=f"kept/{name} is broken: remove kept to begin anew"):
        kumihimo.extract_to(**ASKED)


def test_a_damaged_part_is_read_again(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kumihimo.extract_to(**{**ASKED, "output": "once.csv", "resume": None, "resume_every": None})
    for name, change in (("part-0-00000002.rows", lambda b: b[:-1] + b"?"), ("part-0-00000002.rows", lambda b: b[:-1]), ("part-0-00000001.json", lambda b: b[:-9]), ("part-0-00000003.rows", None)):
        end_behind(5, ASKED, monkeypatch)
        file = at / "kept" / name
        if change is None:
            file.unlink()
        else:
            file.write_bytes(change(file.read_bytes()))
        found = kumihimo.extract_to(**ASKED)
        assert found["resumed"]["parts"] == int(name[7:15])
        assert content(at / "t.csv") == content(at / "once.csv")


def test_a_folder_of_other_files(at: Path) -> None:
    os.mkdir("kept")
    (at / "kept" / "mine.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="kept holds other files, such as mine.txt"):
        kumihimo.extract_to(**ASKED)
    (at / "kept" / "mine.txt").rename(at / "mine.txt")
    (at / "kept" / "manifest.json.new").write_text("{")  # of one that was killed before it had begun
    kumihimo.extract_to(**ASKED)
    assert not (at / "kept").exists()
    # A file that came later stays, and its folder.
    end = at / "kept"
    with pytest.MonkeyPatch.context() as patch:
        end_behind(1, ASKED, patch)
    (end / "notes.txt").write_text("mine")
    kumihimo.extract_to(**ASKED)
    assert [path.name for path in end.iterdir()] == ["notes.txt"]


def test_one_process_at_a_time(at: Path) -> None:
    from kumihimo.resume_folder import ResumeFolder

    with ResumeFolder("kept"), pytest.raises(OSError, match="another run is under way in this folder"):
        kumihimo.extract_to(**ASKED)


@pytest.mark.parametrize("change, says", [
    ({"distinct": "n"}, "resume is not for distinct"), ({"inputs": "-"}, r"resume is not for what comes through a pipe or standard input \(-\)"), ({"inputs": "http://localhost/x.ndjson"}, "resume is not for URLs"),
    ({"output": "t.sqlite", "if_exists": "append"}, "resume makes a table that is new or replaced"), ({"output": "/dev/null"}, "resume is for an output that appears whole"),
    ({"resume": None}, "resume_every is of resume"), ({"resume": "in/kept"}, "also an input"), ({"inputs": "pipe"}, "resume is not for what comes through a pipe"), ({"every": "1s", "fields": ["s=n:sum"], "time": "n:timestamp"}, "resume is not for every"),
    ({"on_error": "quarantine", "quarantine": "/dev/null"}, "resume is for a quarantine"),
])  # fmt: skip
def test_what_is_refused(change: dict[str, Any], says: str, at: Path) -> None:
    os.mkfifo("pipe")
    with pytest.raises(ValueError, match=says):
        kumihimo.extract_to(**{**ASKED, "output": "t.csv" if "output" not in change else change["output"], **({"to": "csv"} if change.get("output") == "/dev/null" else {}), **change})
    assert rest_of(at) == {"pipe"}


def test_what_the_command_refuses(at: Path) -> None:
    for words, says in ((["--chart", "t.svg"], b"--resume is not for chart"), (["--distinct", "n"], b"--resume is not for distinct"), (["-o", "-"], b"--resume is for an output that appears whole")):
        done = command("in", "-f", "n:int64", "-o", "t.csv", "--resume", "kept", *words, cwd=at)
        assert done.returncode == 2 and says in done.stderr, done.stderr
    done = command("in", "-f", "n:int64", "-o", "t.csv", "--resume-every", "1M", cwd=at)
    assert done.returncode == 2 and b"--resume-every is of --resume" in done.stderr
    # What is in the way is said before the work.
    kumihimo.extract_to("in/0.ndjson", "t.sqlite", ["n:int64"])
    done = command("in", "-f", "n:int64", "-o", "t.sqlite", "--table", "other", "--on-error", "skip", "--resume", "kept", cwd=at)
    assert done.returncode == 1 and b"t.sqlite is there already" in done.stderr
    done = command("in", "-f", "n:int64", "-o", "t.sqlite", "--table", "other", "--if-exists", "replace", "--on-error", "skip", "--resume", "kept", cwd=at)
    assert done.returncode == 0, done.stderr


def test_a_bad_record_that_ends_the_run(at: Path) -> None:
    """It stays where it was: the parts before it are kept."""
    words = ["in", "-f", "n:int64", "-o", "t.csv", "--resume", "kept", "--resume-every", "20000"]
    for _ in range(2):
        done = command(*words, cwd=at)
        assert done.returncode == 1 and b"1.ndjson" in done.stderr and not os.path.exists("t.csv")
    assert os.path.exists("kept/part-0-00000000.json")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.sqlite"])
def test_a_full_disk(name: str, at: Path) -> None:
    """While it reads, and while it writes the output: then there is room, and the same command goes on."""
    words = ["in", *(word for field in FIELDS for word in ("-f", field)), "-o", name, "--on-error", "skip", "--resume", "kept", "--resume-every", "100K"]
    kumihimo.extract_to("in", "once" + name[1:], FIELDS, on_error="skip")
    needed = (at / ("once" + name[1:])).stat().st_size
    for limit in (50_000, needed - 1):
        done = command(*words, cwd=at, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        if done.returncode == 0:
            continue  # no file was so large
        assert done.returncode == 1 and done.stderr.splitlines()[-1].startswith(b"kumihimo: ") and b"Traceback" not in done.stderr, done.stderr
        assert not os.path.exists(name)
    if not os.path.exists(name):
        done = command(*words, cwd=at)
        assert done.returncode == 0, done.stderr
    assert content(at / name) == content(at / ("once" + name[1:]))
    assert rest_of(at) == {name, "once" + name[1:]}


def test_tokens_in_the_library(at: Path) -> None:
    """The rows behind a token, as text and as columns."""
    paths = sorted(str(path) for path in Path("in").iterdir())
    for jobs in (1, 3):
        run = kumihimo.extract(paths, FIELDS, form="csv", on_error="skip", jobs=jobs)
        pieces, tokens = [], []
        while (piece := run.next_bytes()) is not None:
            pieces.append(piece)
            tokens.append(run.resume_token)
        assert len(pieces) > 3
        assert None not in tokens
        for i, token in enumerate(tokens):
            rest = kumihimo.extract(paths, FIELDS, form="csv", on_error="skip", resume_token=token)
            found = []
            while (piece := rest.next_bytes()) is not None:
                found.append(piece)
            assert b"".join(found) == b"".join(pieces[i + 1 :])
        typed = ["n:int64", "text:string"]
        whole = kumihimo.extract(paths, typed, on_error="skip", jobs=jobs)
        batches, kept = [], []
        for batch in pyarrow.RecordBatchReader.from_stream(whole):
            batches.append(batch)
            kept.append(whole.resume_token)
        assert None not in kept and len(kept) > 3
        for i, token in enumerate(kept):
            rest = pyarrow.table(kumihimo.extract(paths, typed, on_error="skip", resume_token=token))
            assert rest.equals(pyarrow.Table.from_batches(batches[i + 1 :], batches[0].schema))
    with pytest.raises(ValueError, match="resume_token is no token"):
        kumihimo.extract(paths, FIELDS, resume_token="00")


