"""Signals, other threads and cancelling while an extraction is under way."""

from __future__ import annotations

import contextlib
import gzip
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Iterator

import pytest

import kumihimo

LINE = '{"n":%d,"pad":"' + "x" * 80 + '"}\n'


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("long") / "long.ndjson"
    with open(path, "w") as file:
        for start in range(0, 600_000, 10_000):
            file.write("".join(LINE % i for i in range(start, start + 10_000)))
    return path


class Struck(Exception):
    pass


@contextlib.contextmanager
def killed_at_last(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """So that a test which fails does not wait for it."""
    try:
        yield
    finally:
        process.kill()


def silent_pipe() -> tuple[int, int]:
    read, write = os.pipe()
    os.write(write, b'{"n":1}\n{"n":2}\n')
    return read, write


def waits(thread: int) -> bool:
    """Whether a thread of this process sleeps in the kernel."""
    return Path(f"/proc/self/task/{thread}/stat").read_text().rsplit(")", 1)[1].split()[0] == "S"


@pytest.mark.parametrize("how", ["sample", "bytes", "arrow"])
def test_a_handler_s_exception_ends_the_wait_for_a_silent_pipe(how: str) -> None:
    """A handler that raises is heard while nothing arrives, whatever call waits."""
    pyarrow = pytest.importorskip("pyarrow") if how == "arrow" else None
    read, write = silent_pipe()
    source = f"/proc/self/fd/{read}"
    before = signal.signal(signal.SIGUSR1, lambda *_: (_ for _ in ()).throw(Struck()))
    rows = None if how == "sample" else kumihimo.extract(source, ["n:int64"], form="columns" if how == "arrow" else "csv", jobs=2)
    main, calls = threading.get_native_id(), threading.Event()

    def strike() -> None:
        calls.wait(60)
        asleep = 0
        while asleep < 20:  # in the call itself, not on its way there
            asleep = asleep + 1 if waits(main) else 0
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGUSR1)

    thread = threading.Thread(target=strike)
    thread.start()
    try:
        with pytest.raises(Struck):
            calls.set()
            if rows is None:
                kumihimo.extract(source, form="csv")
            elif pyarrow is not None:
                try:
                    pyarrow.table(rows)
                except (OSError, pyarrow.ArrowException):
                    for _ in range(600):  # pyarrow has an error of its own; the handler's follows between two instructions
                        time.sleep(0.1)
            else:
                while rows.next_bytes() is not None:
                    pass
    finally:
        thread.join()
        signal.signal(signal.SIGUSR1, before)
        os.close(read)
        os.close(write)


@pytest.mark.parametrize("jobs", [1, 2])
def test_handlers_run_between_the_chunks_of_long_work(long: Path, jobs: int) -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda *_: heard.append(1))
    try:
        rows = kumihimo.extract(long, ["n:int64"], form="csv", jobs=jobs)
        sent = count = 0
        while (chunk := rows.next_bytes()) is not None:
            if sent < 5:
                os.kill(os.getpid(), signal.SIGUSR1)
                sent += 1
            count += chunk.count(b"\n")
        assert count == 600_000 and len(heard) >= 1
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("jobs", [1, 2])
def test_other_threads_run_meanwhile(long: Path, jobs: int) -> None:
    """The engine works without the GIL: a second thread goes on, and reads the counters."""
    seen: set[int] = set()
    patience = time.monotonic() + 60
    while len(seen) < 4 and time.monotonic() < patience:
        rows = kumihimo.extract(long, ["n:int64"], form="csv", jobs=jobs)
        seen.clear()
        over = threading.Event()

        def watch() -> None:
            while not over.is_set():
                seen.add(rows.progress()["rows"])
                time.sleep(0)

        thread = threading.Thread(target=watch)
        thread.start()
        while rows.next_bytes() is not None:
            pass
        over.set()
        thread.join(60)
        assert not thread.is_alive()
    # None and all of them could be seen by a thread that stands still meanwhile.
    assert len(seen) >= 4


def test_another_thread_cancels() -> None:
    read, write = silent_pipe()
    try:
        rows = kumihimo.extract(f"/proc/self/fd/{read}", ["n:int64"], form="csv", jobs=2)
        ended = threading.Event()

        def use() -> None:
            while rows.next_bytes() is not None:
                pass
            ended.set()

        reader = threading.Thread(target=use, daemon=True)
        reader.start()
        assert not ended.wait(0.3)  # the pipe is open: there may be more
        rows.cancel()
        assert ended.wait(60)
    finally:
        os.close(write)
        os.close(read)


def test_two_threads_share_an_extraction(long: Path) -> None:
    """Each chunk goes to one of them, and none is lost."""
    rows = kumihimo.extract(long, ["n:int64"], form="csv", jobs=2)
    counts = [0, 0]

    def read(i: int) -> None:
        while (chunk := rows.next_bytes()) is not None:
            counts[i] += chunk.count(b"\n")

    threads = [threading.Thread(target=read, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sum(counts) == 600_000


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("name", ["out.csv", "out.ndjson", "out.parquet"])
def test_a_signal_in_the_middle_of_writing_leaves_no_file(long: Path, tmp_path: Path, number: signal.Signals, name: str) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    # The pipe stays open, so the command cannot come to its end before the signal.
    read, write = os.pipe()
    # Under nohup the tests, and so the command, would ignore SIGHUP.
    words = ["env", f"--default-signal={int(number)}", sys.executable, "-m", "kumihimo.cli", "extract", str(long), "-", "-f", "n:int64", "-o", name]
    with subprocess.Popen(words, cwd=tmp_path, stdin=read, stderr=subprocess.PIPE) as process, killed_at_last(process):
        os.close(read)
        os.write(write, b'{"n":1}\n')
        patience = time.monotonic() + 60
        while not list(tmp_path.glob(f".{name}.part-*")):
            assert process.poll() is None and time.monotonic() < patience
            time.sleep(0.01)
        time.sleep(0.05)
        process.send_signal(number)
        assert process.wait(60) == 128 + number
        assert process.stderr is not None and b"Traceback" not in process.stderr.read()
    os.close(write)
    assert list(tmp_path.iterdir()) == []


COMMANDS = {
    "extract": ["-f", "n"],
    "check": [],
    "repack": ["--to", "json"],
    "convert": ["--to", "json"],
    "measure": [],
}


def first_and_silent(tmp_path: Path) -> None:
    for name in ("first.ndjson", "silent.ndjson"):
        os.mkfifo(tmp_path / name)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_signal_while_a_fifo_has_no_writer(tmp_path: Path, name: str, number: signal.Signals) -> None:
    first_and_silent(tmp_path)
    words = [sys.executable, "-m", "kumihimo.cli", name, "first.ndjson", "silent.ndjson", *COMMANDS[name]]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process, killed_at_last(process):
        with open(tmp_path / "first.ndjson", "wb") as first:  # once the command has opened it, too
            first.write(b'{"n":1}\n')
        asleep = 0
        while asleep < 20:  # mostly in its wait for the other one, and it must end wherever it is
            assert process.poll() is None
            asleep = asleep + 1 if Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "S" else 0
            time.sleep(0.01)
        process.send_signal(number)
        assert process.wait(60) == 128 + number
        assert process.stderr is not None and b"Traceback" not in process.stderr.read()


@pytest.mark.parametrize("more", [["-f", "n"], ["-f", "n:int64"], [], ["-o", "out.csv"]])
def test_a_bad_record_before_a_fifo_without_a_writer(tmp_path: Path, more: list[str]) -> None:
    """The command ends with the error, whether it looks at a sample first or not."""
    os.mkfifo(tmp_path / "silent.ndjson")
    (tmp_path / "bad.ndjson").write_text("x\n")
    sampled = "-f" not in more
    words = [sys.executable, "-m", "kumihimo.cli", "extract", "bad.ndjson", "silent.ndjson", *more, *(["--sample", "1"] if sampled else [])]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process, killed_at_last(process):
        if "-o" in more:  # the pipe is kept to its end first, so that the file can be written again
            with open(tmp_path / "silent.ndjson", "wb"):
                pass
        assert process.wait(60) == 1
        assert process.stderr is not None and b"bad.ndjson" in process.stderr.read()
    assert not (tmp_path / "out.csv").exists()


def test_a_cancel_while_a_fifo_has_no_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "silent")
    rows = kumihimo.extract(tmp_path / "silent", ["n:int64"], form="csv", jobs=2)
    ended = threading.Event()

    def use() -> None:
        assert rows.next_bytes() is None
        ended.set()

    reader = threading.Thread(target=use, daemon=True)
    reader.start()
    assert not ended.wait(0.3)
    rows.cancel()
    assert ended.wait(60)
    reader.join()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_writer_that_comes_later(tmp_path: Path, name: str) -> None:
    """And one that goes without a word, and process substitution."""
    first_and_silent(tmp_path)
    words = [sys.executable, "-m", "kumihimo.cli", name]
    with subprocess.Popen([*words, "first.ndjson", "silent.ndjson", *COMMANDS[name]], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process, killed_at_last(process):
        with open(tmp_path / "first.ndjson", "wb"):
            pass
        with open(tmp_path / "silent.ndjson", "wb") as late:
            late.write(b'{"n":1}\n')
            late.flush()
            time.sleep(0.1)
            late.write(b'{"n":2}\n')
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        assert b"2 documents, " in (out if name == "measure" else errors)
    (tmp_path / "x.ndjson.gz").write_bytes(gzip.compress(b'{"n":1}\n{"n":2}\n'))
    line = " ".join(f"'{word}'" for word in words) + " <(zcat x.ndjson.gz) <(cat x.ndjson.gz) " + " ".join(COMMANDS[name])
    if name in ("convert", "measure"):
        line += " --from ndjson"  # nothing else says it
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert b"4 documents, " in (done.stdout if name == "measure" else done.stderr)


def module_instead(folder: Path, name: str, code: str) -> dict[str, str]:
    """The environment where `name` is a module with this code."""
    (folder / "instead").mkdir()
    (folder / "instead" / f"{name}.py").write_text(code)
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder / "instead"), os.environ.get("PYTHONPATH", "")))}


# It prints a sign at its beginning and at its end, and an exception in between ends the process at once.
SLOW_TO_IMPORT = """
import os, time
try:
    os.write(1, b"!")
    time.sleep(1)
    os.write(1, b"#")
except BaseException:
    os._exit(99)
class Error(Exception): pass
def connect(*_, **__): time.sleep(5)  # the signal comes again meanwhile
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_within_an_import(tmp_path: Path, number: signal.Signals) -> None:
    """A module in C++ may abort the process if it is interrupted while it begins, as DuckDB's does: the signal has to wait for its end."""
    pytest.importorskip("pyarrow", reason="not proven: pyarrow is not installed")
    (tmp_path / "in.ndjson").write_text('{"n":1}\n')
    words = ["env", f"--default-signal={int(number)}", sys.executable, "-m", "kumihimo.cli", "extract", "in.ndjson", "-f", "n:int64", "-o", "out.duckdb"]
    environment = module_instead(tmp_path, "duckdb", SLOW_TO_IMPORT)
    with subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process, killed_at_last(process):
        assert process.stdout is not None and process.stdout.read(1) == b"!"
        for _ in range(3):
            process.send_signal(number)
            time.sleep(0.05)
        out, errors = process.communicate(timeout=60)
    assert (out, process.returncode) == (b"#", 128 + number), errors
    assert b"Traceback" not in errors and (b"interrupted" in errors) == (number == signal.SIGINT)
    assert {path.name for path in tmp_path.iterdir()} == {"in.ndjson", "instead"}


def test_ctrl_c_again_and_again_leaves_no_thread_in_a_database(tmp_path: Path) -> None:
    """DuckDB aborts a process that ends while a thread is in it: it is closed first."""
    pytest.importorskip("pyarrow", reason="not proven: pyarrow is not installed")
    (tmp_path / "in.ndjson").write_text('{"n":1}\n')
    database = """
import os, time
class Error(Exception): pass
class connect:
    def __init__(self, *_, **__): pass
    def interrupt(self): pass
    def execute(self, *_):
        os.write(1, b"!")
        time.sleep(0.5)
        return self
    def fetchall(self): return []
    def close(self):
        os.write(1, b"(")
        time.sleep(1)
        os.write(1, b")")
"""
    words = ["env", f"--default-signal={int(signal.SIGINT)}", sys.executable, "-m", "kumihimo.cli", "extract", "in.ndjson", "-f", "n:int64", "-o", "out.duckdb"]
    environment = module_instead(tmp_path, "duckdb", database)
    with subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process, killed_at_last(process):
        assert process.stdout is not None and process.stdout.read(1) == b"!"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read(1) == b"("
        for _ in range(3):
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        out, errors = process.communicate(timeout=60)
    assert (out, process.returncode) == (b")", 130), errors
    assert {path.name for path in tmp_path.iterdir()} == {"in.ndjson", "instead"}


def test_the_end_of_a_forked_process_leaves_what_its_parent_writes(tmp_path: Path) -> None:
    """Neither does it wait for a thread that is its parent's."""
    pytest.importorskip("duckdb", reason="not proven: duckdb is not installed")
    script = """
import os, sys, threading, warnings
from kumihimo.output import Whole
from kumihimo.outputs.duck_connection import Connection

warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
connection = Connection("out.duckdb")
begun, forked = threading.Event(), threading.Event()

def write():
    with Whole("out") as part:
        part.write_text("whole")
        begun.set()
        forked.wait()

thread = threading.Thread(target=write)
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    sys.exit()
os.waitpid(child, 0)
forked.set()
thread.join()
print(open("out").read(), connection.execute("SELECT 7"))
connection.close()
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, timeout=60)
    assert done.stdout == b"whole [(7,)]\n", done.stderr
    assert not list(tmp_path.glob(".*"))


def test_a_ctrl_c_before_the_command_is_imported(tmp_path: Path) -> None:
    words = ["env", f"--default-signal={int(signal.SIGINT)}", sys.executable, "-m", "kumihimo", "--version"]
    environment = module_instead(tmp_path, "click", SLOW_TO_IMPORT)
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process, killed_at_last(process):
        assert process.stdout is not None and process.stdout.read(1) == b"!"
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    assert (out, errors, process.returncode) == (b"", b"\ninterrupted\n", 130)


# What a thread reads rows with: the form, and what makes the call. `direct` keeps the interpreter meanwhile, as a consumer of the stream may.
READERS = {
    "pyarrow": ("columns", "pyarrow.RecordBatchReader.from_stream(rows).read_next_batch"),
    "direct": ("columns", "direct(rows)"),
    "csv": ("csv", "rows.next_bytes"),
    "none": ("none", "rows.next_count"),
}


@pytest.mark.parametrize("asking", [False, True])
@pytest.mark.parametrize("reader", READERS)
def test_a_thread_that_is_left_behind(tmp_path: Path, reader: str, asking: bool) -> None:
    """Python ends while a thread waits for rows, or for the interpreter (`asking`): the process ends as it would without it."""
    pytest.importorskip("pyarrow", reason="not proven: pyarrow is not installed")
    os.mkfifo(tmp_path / "silent")
    form, call = READERS[reader]
    code = f"""
import atexit, ctypes, os, sys, threading, time
def keep():  # the interpreter, which the thread waits for until Python has ended
    sys.setswitchinterval(1000)
    until = time.monotonic() + 0.3
    while time.monotonic() < until: pass
if {asking}: atexit.register(keep)  # the first, so the last that is called
import kumihimo, pyarrow
held = os.open("silent", os.O_RDWR)
def direct(rows):
    capsule, at, room = rows.__arrow_c_stream__(), ctypes.pythonapi.PyCapsule_GetPointer, ctypes.create_string_buffer(200)
    at.restype, at.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = at(capsule, b"arrow_array_stream")
    get_next = ctypes.c_void_p.from_address(stream + ctypes.sizeof(ctypes.c_void_p)).value
    function = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(get_next)
    return lambda: function(stream, room) and capsule
begins = threading.Event()
def work():
    rows = kumihimo.extract("silent", ["p:int64"], form={form!r})
    read = {call}
    begins.set()
    read()
threading.Thread(target=work, daemon=True).start()
begins.wait()
time.sleep(0.2)
class Last:
    def __del__(self, sleep=time.sleep): sleep(0.3)  # Python has ended, and the thread may have the interpreter
sys.last = Last()  # this module is never cleared: the thread is in a function of it
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, timeout=60)
    assert done.returncode == 0 and b"terminate" not in done.stderr and b"FATAL" not in done.stderr, done.stderr
