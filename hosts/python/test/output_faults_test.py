"""Outputs under faults at random moments: killed, a full disk, a closed pipe, inputs that vanish. Nothing half-written has the output's name,
nothing that was there before is lost, nothing comes twice. KUMIHIMO_COUNT says how many moments of each fault, KUMIHIMO_SEED which."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable, Optional

import pytest

import kumihimo

pyarrow = pytest.importorskip("pyarrow")
import pyarrow.parquet  # noqa: E402

COUNT = int(os.environ.get("KUMIHIMO_COUNT", "25"))
SEED = int(os.environ.get("KUMIHIMO_SEED", "1"))
ROWS = 40_000


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("inputs") / "in.ndjson"
    with open(path, "w") as file:
        for i in range(ROWS):
            file.write(f'{{"n":{i},"day":"d{i % 7}","text":"{i * 7919 % 1000003:x}{"x" * (i % 50)}"}}\n')
    return path


FIELDS = ("-f", "n:int64", "-f", "day:string", "-f", "text:string")


def lines(data: bytes) -> list[int]:
    return [json.loads(line)["n"] for line in data.decode().split("\n")[:-1]]


def of_csv(path: Path) -> list[int]:
    return [int(line.split(",")[0]) for line in subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout.decode().split("\n")[1:-1]]


def of_sqlite(path: Path) -> list[int]:
    connection = sqlite3.connect(path)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return [n for (n,) in connection.execute("SELECT n FROM t ORDER BY rowid")]
    finally:
        connection.close()


def of_duckdb(path: Path) -> list[int]:
    import duckdb

    with duckdb.connect(str(path)) as connection:
        return [n for (n,) in connection.execute("SELECT n FROM t").fetchall()]


def of_folder(path: Path) -> list[int]:
    return sorted(n for file in path.rglob("part-*") for n in pyarrow.parquet.ParquetFile(file).read().column("n").to_pylist())


# name of the output, its options, its reader, what `before` makes of it
OUTPUTS: dict[str, tuple[str, tuple[str, ...], Callable[[Path], list[int]], bool]] = {
    "csv": ("t.csv.zst", (), of_csv, False),
    "json": ("t.json", (), lambda path: [row["n"] for row in json.loads(path.read_bytes())], False),
    "msgpack": ("t.msgpack", (), lambda path: [row["n"] for row in kumihimo.each_document(path.read_bytes(), "msgpack")], False),
    "parquet": ("t.parquet", ("--row-group-rows", "5000"), lambda path: pyarrow.parquet.read_table(path).column("n").to_pylist(), False),
    "folder": ("t", ("--to", "parquet", "--partition-by", "day", "--split-rows", "700"), of_folder, False),
    "sqlite": ("t.sqlite", ("--table", "t"), of_sqlite, False),
    "duckdb": ("t.duckdb", ("--table", "t"), of_duckdb, False),
    "sqlite append": ("t.sqlite", ("--table", "t", "--if-exists", "append"), of_sqlite, True),
    "sqlite replace": ("t.sqlite", ("--table", "t", "--if-exists", "replace"), of_sqlite, True),
    "duckdb append": ("t.duckdb", ("--table", "t", "--if-exists", "append"), of_duckdb, True),
    "duckdb replace": ("t.duckdb", ("--table", "t", "--if-exists", "replace"), of_duckdb, True),
    "folder replace": ("t", ("--to", "parquet", "--split-rows", "3000", "--if-exists", "replace"), of_folder, True),
}
ALL, OLD = list(range(ROWS)), [-1, -2, -3]
EACH = -(-COUNT // len(OUTPUTS))  # moments of a fault for one output


class Case:
    def __init__(self, name: str, inputs: Path, at: Path) -> None:
        if "duckdb" in name:
            pytest.importorskip("duckdb", reason="not proven: duckdb is not installed")
        self.file, self.options, self.reader, self.existing = OUTPUTS[name]
        self.inputs, self.at, self.out = inputs, at, at / self.file
        self.whole = [*OLD, *ALL] if "append" in name else ALL
        (at / "old.ndjson").write_text("".join(f'{{"n":{n},"day":"d","text":""}}\n' for n in OLD))

    def before(self) -> None:
        """The output as it was: there is none, or one of other rows."""
        subprocess.run(["rm", "-rf", self.out], check=True)
        if self.existing:
            options: dict[str, Any] = {"to": "parquet", "split_rows": 2} if self.file == "t" else {"table": "t"}
            kumihimo.extract_to(self.at / "old.ndjson", self.out, ["n:int64", "day:string", "text:string"], if_exists="replace", **options)

    def once(self) -> float:
        """One run that nothing disturbs, and how long it takes."""
        self.before()
        started = time.monotonic()
        subprocess.run(self.words(), cwd=self.at, check=True)
        took = time.monotonic() - started
        assert self.is_whole(self.state()) and self.beside() == set()
        return took

    def words(self) -> list[str]:
        return [sys.executable, "-m", "kumihimo.cli", "extract", str(self.inputs), *FIELDS, "-o", self.file, *self.options, "-q"]

    def state(self) -> Optional[list[int]]:
        return self.reader(self.out) if self.out.exists() else None

    def is_old(self, state: Optional[list[int]]) -> bool:
        return (state is None) if not self.existing else state is not None and sorted(state) == sorted(OLD)

    def is_whole(self, state: Optional[list[int]]) -> bool:
        return state == (sorted(self.whole) if self.file == "t" else self.whole)

    def beside(self) -> set[str]:
        return {path.name for path in self.at.iterdir()} - {"old.ndjson", self.file}


@pytest.mark.parametrize("name", list(OUTPUTS))
def test_killed(name: str, inputs: Path, tmp_path: Path) -> None:
    case, chance = Case(name, inputs, tmp_path), random.Random(SEED)
    took = case.once()
    for _ in range(EACH):
        case.before()
        with subprocess.Popen(case.words(), cwd=tmp_path) as process:
            time.sleep(chance.uniform(0, took * 1.1))
            process.kill()
        state = case.state()
        assert case.is_old(state) or case.is_whole(state), (name, state and len(state))
        for left in case.beside():  # what a killed process leaves has a name that nobody takes for the output
            assert left.startswith(".t") and ".part-" in left or left.startswith((".t.old-", "t.sqlite-", "t.duckdb.")), left
            subprocess.run(["rm", "-r", tmp_path / left], check=True)


def bytes_of(path: Path) -> Any:
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()} if path.is_dir() else path.read_bytes()


RESUMED = [name for name in OUTPUTS if "append" not in name]


@pytest.mark.parametrize("name", RESUMED)
def test_killed_and_resumed(name: str, inputs: Path, tmp_path: Path) -> None:
    """Whatever ends it and however often, the last of them has the bytes of one run."""
    case, chance = Case(name, inputs, tmp_path), random.Random(SEED + 4)
    took = case.once()
    whole = bytes_of(case.out) if "duckdb" not in name and name != "sqlite replace" else None  # a database that is there has its own history
    words, kept = [*case.words(), "--resume", "kept", "--resume-every", "200K"], tmp_path / "kept"

    def complete() -> bool:
        """Nothing is left to go on with, as the last of its steps is to remove that."""
        return not (kept.exists() and any(kept.iterdir())) and case.is_whole(case.state())

    for _ in range(max(1, COUNT // (2 * len(RESUMED)))):  # each is killed twice, about
        case.before()
        for _ in range(chance.randrange(1, 4)):
            with subprocess.Popen(words, cwd=tmp_path) as process:
                time.sleep(chance.uniform(0.1, took * 1.1))
                process.kill()
            state = case.state()
            assert case.is_old(state) or case.is_whole(state), (name, state and len(state))
            if complete():
                break
        if not complete():
            done = subprocess.run(words, cwd=tmp_path, capture_output=True)
            assert done.returncode == 0, done.stderr
        assert complete() and (whole is None or bytes_of(case.out) == whole)
        kept.rmdir() if kept.exists() else None
        assert case.existing or case.beside() == set()


@pytest.mark.parametrize("name", RESUMED)
def test_a_full_disk_and_then_room(name: str, inputs: Path, tmp_path: Path) -> None:
    case, chance = Case(name, inputs, tmp_path), random.Random(SEED + 5)
    case.once()
    whole = bytes_of(case.out) if "duckdb" not in name and name != "sqlite replace" else None
    words = [*case.words(), "--resume", "kept", "--resume-every", "200K"]
    for _ in range(max(1, COUNT // len(RESUMED))):
        case.before()
        limit = chance.randrange(1000, 2_000_000)
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        if done.returncode != 0:
            assert done.returncode == 1 and done.stderr.startswith(b"kumihimo: ") and b"Traceback" not in done.stderr, done.stderr
            assert case.is_old(case.state())
            done = subprocess.run(words, cwd=tmp_path, capture_output=True)
        assert done.returncode == 0, done.stderr
        assert case.is_whole(case.state()) and (whole is None or bytes_of(case.out) == whole)
        assert not (tmp_path / "kept").exists() and (case.existing or case.beside() == set())


@pytest.mark.parametrize("name", list(OUTPUTS))
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ended_by_a_signal(name: str, number: int, inputs: Path, tmp_path: Path) -> None:
    case, chance = Case(name, inputs, tmp_path), random.Random(SEED + 1)
    took = case.once()
    for _ in range(EACH):
        case.before()
        # Python itself has begun when it says so. In its last moments it is ended as any program: what is written is whole by then.
        words = [sys.executable, "-c", "import os, sys, kumihimo.cli; os.write(1, b'!'); kumihimo.cli.main(sys.argv[1:])", *case.words()[3:]]
        with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler)) as process:
            process.stdout.read(1)
            time.sleep(chance.uniform(0.01, took))
            process.send_signal(number)
            errors = process.stderr.read()
        state = case.state()
        assert process.returncode in (0, 128 + number, -number), errors
        assert (case.is_whole(state) if process.returncode == 0 else case.is_old(state) or case.is_whole(state)), errors
        assert case.beside() == set()


@pytest.mark.parametrize("name", list(OUTPUTS))
def test_a_full_disk(name: str, inputs: Path, tmp_path: Path) -> None:
    """No file may become larger than some size: the write behind it fails as it does on a full disk."""
    case, chance = Case(name, inputs, tmp_path), random.Random(SEED + 2)
    case.before()
    sizes = [file.stat().st_size for file in ([case.out] if case.out.is_file() else case.out.rglob("*"))]
    case.once()
    needed = max(file.stat().st_size for file in ([case.out] if case.out.is_file() else case.out.rglob("*")))
    for i in range(EACH):
        case.before()
        limit = chance.randrange(max(sizes, default=0), needed) if i else needed - 1
        done = subprocess.run(case.words(), cwd=tmp_path, capture_output=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        state = case.state()
        if done.returncode == 0:
            assert case.is_whole(state)  # an existing database has room inside
            continue
        assert done.returncode == 1 and done.stderr.startswith(b"kumihimo: ") and b"Traceback" not in done.stderr, done.stderr
        assert case.file.encode() in done.stderr
        assert case.is_old(state), (limit, state and len(state))
        assert case.beside() == set() if not case.existing else all(left.startswith(("t.", ".t.")) for left in case.beside()), case.beside()


@pytest.mark.parametrize("form", ["csv", "tsv", "ndjson", "json", "msgpack", "cbor", "arrow", "parquet"])
@pytest.mark.parametrize("compress", ["none", "gzip", "zstd"])
def test_a_closed_pipe(form: str, compress: str, inputs: Path, tmp_path: Path) -> None:
    if compress != "none" and form in ("arrow", "parquet"):
        return
    chance = random.Random(f"{SEED} {form} {compress}")
    for read in [chance.choice((chance.randrange(1, 100), chance.randrange(1000, 400_000))) for _ in range(-(-COUNT // 20))]:
        done = subprocess.run(f"{sys.executable} -m kumihimo.cli extract {inputs} -f n -f text --to {form} {f'--compress {compress}' if form not in ('arrow', 'parquet') else ''} | head -c {read} >/dev/null; echo ${{PIPESTATUS[0]}}",
                              shell=True, executable="/bin/bash", cwd=tmp_path, capture_output=True, timeout=120)  # fmt: skip
        assert done.stdout == b"0\n" and b"Traceback" not in done.stderr and b"rror" not in done.stderr, done.stderr


def test_inputs_that_vanish(tmp_path: Path) -> None:
    """A file that is gone when its turn comes is a bad record; what is given of the others is whole, and once."""
    chance = random.Random(SEED + 3)
    for _ in range(COUNT):
        folder = tmp_path / "in"
        folder.mkdir(exist_ok=True)
        for i in range(60):
            (folder / f"{i:02}.ndjson").write_text("".join(f'{{"n":{i * 2000 + k}}}\n' for k in range(2000)))
        gone = chance.sample(range(60), 20)

        def remove() -> None:
            for i in gone:
                (folder / f"{i:02}.ndjson").unlink()
                time.sleep(0.002)

        thread = threading.Thread(target=remove)
        thread.start()
        try:
            about = kumihimo.extract_to(folder, tmp_path / "t.sqlite", ["n:int64"], on_error="skip", table="t", if_exists="replace")
        finally:
            thread.join()
        found = of_sqlite(tmp_path / "t.sqlite")
        assert found == sorted(set(found)) and len(found) % 2000 == 0
        missing = about["bad_records"]["total"]
        assert len(found) // 2000 == about["inputs"] - missing and 40 <= len(found) // 2000 <= 60
        assert set(found) >= {i * 2000 for i in range(60) if i not in gone}


def test_inputs_that_vanish_before_it_goes_on(tmp_path: Path) -> None:
    """They are named, and nothing is written; where they come back as they were, it goes on."""
    chance = random.Random(SEED + 6)
    folder = tmp_path / "in"
    folder.mkdir()
    for i in range(8):
        (folder / f"{i}.ndjson").write_text("".join(f'{{"n":{i * 2000 + k}}}\n' for k in range(20_000)))
    kumihimo.extract_to(folder, tmp_path / "once.csv", ["n:int64"])
    words = [sys.executable, "-m", "kumihimo.cli", "extract", "in", "-f", "n:int64", "-o", "t.csv", "-q", "--resume", "kept", "--resume-every", "100K"]
    for _ in range(EACH):
        with subprocess.Popen(words, cwd=tmp_path) as process:
            while not (tmp_path / "kept" / "manifest.json").exists() and process.poll() is None:
                time.sleep(0.001)
            time.sleep(chance.uniform(0, 0.05))
            process.kill()
        gone = folder / f"{chance.randrange(8)}.ndjson"
        if (tmp_path / "kept" / "manifest.json").exists():
            gone.rename(tmp_path / "away")
            ended = (tmp_path / "t.csv").exists()  # killed in its last moments
            done = subprocess.run(words, cwd=tmp_path, capture_output=True)
            assert ended and done.returncode == 0 or done.returncode == 1 and f"in/{gone.name} has changed".encode() in done.stderr, done.stderr
            (tmp_path / "away").rename(gone)
            done = subprocess.run(words, cwd=tmp_path, capture_output=True) if not ended else done
            if done.returncode != 0:  # it was not read yet, and a rename is a change of its times, too
                assert done.returncode == 1 and f"in/{gone.name} has changed".encode() in done.stderr, done.stderr
                subprocess.run(["rm", "-r", tmp_path / "kept"], check=True)
                subprocess.run(words, cwd=tmp_path, check=True)
        assert (tmp_path / "t.csv").read_bytes() == (tmp_path / "once.csv").read_bytes()
        (tmp_path / "t.csv").unlink()
