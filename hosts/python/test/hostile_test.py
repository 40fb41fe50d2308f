"""Odd and hostile use: containers that change under the walk, names that are no text, closed streams, numbers beyond the engine's."""

from __future__ import annotations

import gc
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
from kumihimo import msgpack

COMMAND = (sys.executable, "-m", "kumihimo.cli")


def command(*words: Any, cwd: Path, **more: Any) -> subprocess.CompletedProcess:
    more.setdefault("stdin", subprocess.DEVNULL)
    more.setdefault("stdout", subprocess.PIPE)
    more.setdefault("stderr", subprocess.PIPE)
    return subprocess.run([*COMMAND, *words], cwd=cwd, timeout=60, **more)


@pytest.fixture
def at(tmp_path: Path) -> Path:
    (tmp_path / "a.ndjson").write_text('{"a":1}\n{"a":2}\n')
    (tmp_path / "bad.ndjson").write_text('{"a":1}\n{"a":}\n')
    return tmp_path


# ---- dumps

class Thing:
    pass


OUT_OF_MEMORY = """
import sys
import _testcapi
import kumihimo
from kumihimo import msgpack

class Text(str):
    pass

class Thing:
    pass

text = lambda n: "x" * n
shapes = [
    lambda n: {"\\u00e9" + "\\x01" * n: 1},
    lambda n: {"\\u00e9" + text(6 * n): [1, 2]},
    lambda n: {Text(text(6 * n)): "\\u00e9"},
    lambda n: {text(6 * n): 1, "b": 2},
    lambda n: [text(3 * n), Thing(), text(3 * n)],
    lambda n: [text(6 * n), 2**63],
    lambda n: "\\u00e9" + text(6 * n),
    lambda n: Text(text(6 * n)),
    lambda n: [text(40)] * (n // 7),
]
ways = [
    lambda value: kumihimo.dumps(value, default=lambda o: {"a": 1.5}),
    lambda value: kumihimo.dumps(value, default=lambda o: {"a": 1.5}, newline=True),
    lambda value: kumihimo.dumps(value, default=lambda o: {"a": 1.5}, indent=2),
    lambda value: msgpack.packb(value, default=lambda o: {"a": 1.5}),
]
refused = 0
for n in [*range(325, 345), *range(1360, 1370), 2500]:
    for shape in shapes:
        for way in ways:
            wanted = way(shape(n))
            for first in range(1, 9):
                value = shape(n)
                got = None
                _testcapi.set_nomemory(first, first + 1)
                try:
                    got = way(value)
                except MemoryError:
                    refused += 1
                finally:
                    _testcapi.remove_mem_hooks()
                if got is not None and got != wanted:
                    sys.exit("%d bytes for %d: %r" % (len(got), len(wanted), got[:50]))
print(refused)
"""


# A document that is not whole must not be given for one.
def test_memory_that_is_out_once() -> None:
    pytest.importorskip("_testcapi", reason="not proven: _testcapi is not installed, which lets memory run out")
    done = subprocess.run([sys.executable, "-c", "import sys; sys.path[:] = %r\n%s" % (sys.path, OUT_OF_MEMORY)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 500


@pytest.mark.parametrize("write", [kumihimo.dumps, msgpack.packb, lambda o, **k: kumihimo.dumps(o, indent=2, **k), lambda o, **k: kumihimo.dumps(o, sort_keys=True, **k)])
@pytest.mark.parametrize("empty_inner", [False, True])
@pytest.mark.parametrize("answer", [1, [1], {"z": [1]}])
def test_a_list_emptied_while_something_inside_is_written(write: Any, empty_inner: bool, answer: Any) -> None:
    outer: list[Any] = [[Thing(), Thing()], 1, 2]

    def default(o: Any) -> Any:
        if empty_inner and outer:
            outer[0].clear()
        outer.clear()
        gc.collect()
        return answer

    with pytest.raises(RuntimeError, match="changed its size"):
        write(outer, default=default)


@pytest.mark.parametrize("write", [kumihimo.dumps, msgpack.packb])
def test_a_dict_emptied_while_something_inside_is_written(write: Any) -> None:
    outer: dict[str, Any] = {"a": {"b": [Thing(), Thing()]}, "c": [1]}

    def default(o: Any) -> Any:
        outer.clear()
        gc.collect()
        return [1, {"k": 3}]

    with pytest.raises(RuntimeError, match="changed its size"):
        write(outer, default=default)


# ---- names of files

def test_a_file_name_that_is_not_utf_8(at: Path) -> None:
    name = os.path.join(os.fsencode(at), b"\xff\xfe.json")
    try:
        with open(name, "wb") as file:
            file.write(b'{"a":7}')
    except OSError:
        pytest.skip("not proven: this file system has UTF-8 names only")
    for given in (name, os.fsdecode(name), [Path(os.fsdecode(name))]):
        rows = kumihimo.extract(given, ["a"])
        assert [os.fsencode(path) for path in rows.inputs] == [name]
        assert rows.schema == [("a", "int64", "a")]
    done = command("extract", name, "-f", "a", cwd=at)
    assert (done.returncode, done.stdout) == (0, b"a\n7\n")


def test_names_are_shown_without_commands_to_the_terminal(at: Path) -> None:
    (at / "x\x1b[2J\ny.json").write_text('{"a')
    done = command("check", "x\x1b[2J\ny.json", cwd=at)
    assert done.returncode == 1
    assert b"x\\x1b[2J\\ny.json: byte" in done.stderr
    (at / "keys.json").write_text('{"a\\u001b[31m\\nb": 1}')
    done = command("extract", "keys.json", cwd=at)
    assert done.returncode == 0
    assert b"note: a\\x1b[31m\\nb: int64" in done.stderr


def test_a_file_is_not_read_and_written_at_once(at: Path) -> None:
    before = (at / "a.ndjson").read_bytes()
    (at / "link.ndjson").symlink_to("a.ndjson")
    for words in (["-o", "a.ndjson"], ["-o", "./link.ndjson"], ["-o", "out.csv", "--on-error", "quarantine=a.ndjson"]):
        done = command("extract", "a.ndjson", "-f", "a", *words, cwd=at)
        assert done.returncode == 2 and b"is also an input" in done.stderr
        assert (at / "a.ndjson").read_bytes() == before
    done = command("extract", "a.ndjson", "-f", "a", "-o", "same.csv", "--on-error", "quarantine=./same.csv", cwd=at)
    assert done.returncode == 2 and b"written twice" in done.stderr
    assert sorted(os.listdir(at)) == ["a.ndjson", "bad.ndjson", "link.ndjson"]


@pytest.mark.parametrize(
    "words, why",
    [
        (["repack", "fold", "-o", "fold/all.msgpack.zst"], b"by the folder fold"),
        (["repack", "fold", "-o", "fold/deep/all.msgpack.zst"], b"by the folder fold"),
        (["repack", "a.ndjson", "fold/", "-o", "out.msgpack", "--on-error", "quarantine=fold/bad"], b"by the folder fold/"),
        (["repack", "fold", "-o", "fold/all.msgpack.zst", "--match", "*.zst"], b"by the folder fold"),
        (["repack", "fold", "-o", "here"], b"by the folder fold"),
        (["extract", ".", "-o", "fold/rows.csv"], b"by the folder ."),
        (["extract", "f*d", "-o", "fold/rows.csv"], b"by the folder fold"),
        (["extract", "fold/**/*.ndjson", "-o", "fold/deep/rows.ndjson"], b"by the pattern fold/**/*.ndjson"),
        (["extract", "fold/**", "-o", "fold/rows.csv"], b"by the folder fold/"),
        (["convert", "fold/*.ndjson", "-o", "fold/all.ndjson"], b"by the pattern fold/*.ndjson"),
        (["convert", "*.ndjson", "-o", "./all.ndjson"], b"by the pattern *.ndjson"),
    ],
)
def test_an_output_is_no_input_of_the_next_run(at: Path, words: list[str], why: bytes) -> None:
    (at / "fold" / "deep").mkdir(parents=True)
    (at / "fold" / "a.ndjson").write_bytes(b'{"a":1}\n')
    (at / "here").symlink_to("fold/all.msgpack.zst")
    before = sorted(at.rglob("*"))
    done = command(*words, cwd=at)
    assert done.returncode == 2 and b"is also an input of the next run, " + why in done.stderr, done.stderr
    assert sorted(at.rglob("*")) == before
    for name in ("fold/all.msgpack.zst", "fold/all.ndjson", "fold/rows.csv", "all.ndjson"):
        (at / name).write_bytes(b'{"a":1}\n')
    done = command(*words, cwd=at)
    assert done.returncode == 2 and b"is also an input" in done.stderr, done.stderr


def test_an_output_beside_what_is_read_of_a_folder(at: Path) -> None:
    (at / "fold").mkdir()
    (at / "fold" / "a.ndjson").write_bytes(b'{"a":1}\n')
    for words in (
        ["repack", "fold", "-o", "fold/all.msgpack.zst", "--match", "*.ndjson"],
        ["repack", "fold", "-o", "fold/.all.msgpack.zst"],
        ["repack", "fold", "-o", "folder.msgpack"],
        ["extract", "fold/*.ndjson", "-o", "fold/rows.csv"],
        ["convert", "fold/*.ndjson", "-o", "fold/.all.ndjson"],
    ):
        for _ in range(2):
            done = command(*words, cwd=at)
            assert done.returncode == 0 and b"1 " in done.stderr and (at / words[3]).exists(), (words, done.stderr)
        (at / words[3]).unlink()
    with pytest.raises(ValueError, match="is also an input of the next run, by the folder"):
        kumihimo.repack(at / "fold", at / "fold" / "new.msgpack")
    (at / "fold" / "all.msgpack.zst").write_bytes(b"")
    with pytest.raises(ValueError, match="is also an input, by the folder"):
        kumihimo.repack(iter([at / "fold"]), at / "fold" / "all.msgpack.zst")
    with pytest.raises(ValueError, match="is also an input: "):
        kumihimo.repack(at / "fold" / "a.ndjson", at / "fold" / "a.ndjson", to="json")
    assert (at / "fold" / "a.ndjson").read_bytes() == b'{"a":1}\n'


# ---- streams

def test_bad_records_to_what_is_not_a_file(at: Path) -> None:
    done = command("extract", "bad.ndjson", "-f", "a", "--on-error", "quarantine=/dev/null", cwd=at)
    assert (done.returncode, done.stdout) == (0, b"a\n1\n")
    done = command("extract", "bad.ndjson", "-f", "a", "-q", "--on-error", "quarantine=/dev/stderr", cwd=at)
    assert done.returncode == 0 and b'{"archive":"bad.ndjson"' in done.stderr


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_standard_stream_that_is_closed(at: Path, closed: int) -> None:
    source = "-" if closed == 0 else "a.ndjson"
    done = command("extract", source, "-f", "a", cwd=at, preexec_fn=lambda: os.close(closed))
    assert done.returncode == (0 if closed == 2 else 1)
    assert b"Traceback" not in done.stderr
    if closed == 2:
        assert done.stdout == b"a\n1\n2\n"
    else:
        assert b"Bad file descriptor" in done.stderr


@pytest.mark.parametrize("zipped", [False, True])
def test_a_named_pipe_is_opened_once(at: Path, zipped: bool) -> None:
    os.mkfifo(at / "pipe")
    content = (at / "a.ndjson").read_bytes()
    if zipped:
        with zipfile.ZipFile(at / "a.zip", "w") as archive:
            archive.writestr("a.ndjson", content)
        content = (at / "a.zip").read_bytes()

    def feed() -> None:
        with open(at / "pipe", "wb") as pipe:
            pipe.write(content)

    writer = threading.Thread(target=feed)
    writer.start()
    done = command("extract", "pipe", "-f", "a", cwd=at)
    writer.join()
    assert (done.returncode, done.stdout) == (0, b"a\n1\n2\n")


def test_no_rows_of_a_pipe_that_does_not_end(at: Path) -> None:
    with subprocess.Popen(["yes", '{"a":1}'], stdout=subprocess.PIPE) as endless:
        done = command("extract", "-", "-f", "a", "--limit", "0", cwd=at, stdin=endless.stdout)
        endless.kill()
    assert (done.returncode, done.stdout) == (0, b"a\n")


# ---- numbers on the command line

@pytest.mark.parametrize("option", ["--limit", "--jobs", "--sample", "--max-depth", "--max-ratio", "--max-size"])
def test_numbers_too_large_for_the_engine(at: Path, option: str) -> None:
    done = command("extract", "a.ndjson", "-f", "a", option, "9" * 30, cwd=at)
    assert done.returncode == 2
    assert b"Invalid value" in done.stderr and b"Traceback" not in done.stderr
    done = command("extract", "a.ndjson", "-f", "a", option, "1024" if option == "--jobs" else str(2**63 - 1), cwd=at)
    assert (done.returncode, done.stdout) == (0, b"a\n1\n2\n")


# ---- signals

@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_no_half_written_file(at: Path, number: int) -> None:
    # Under nohup the tests, and so the command, would ignore SIGHUP.
    command = ["env", f"--default-signal={int(number)}", *COMMAND, "extract", "-", "-f", "a:int64", "-o", "out.csv"]
    running = subprocess.Popen(command, cwd=at, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdin is not None and running.stderr is not None
    running.stdin.write(b'{"a":1}\n')
    running.stdin.flush()
    until = time.monotonic() + 30
    while not any(".part-" in name for name in os.listdir(at)) and time.monotonic() < until:
        time.sleep(0.01)
    running.send_signal(number)
    assert running.wait(30) == 128 + number
    assert b"Traceback" not in running.stderr.read()
    running.stdin.close()
    running.stderr.close()
    assert sorted(os.listdir(at)) == ["a.ndjson", "bad.ndjson"]


@pytest.mark.parametrize("where", ["__enter__", "__exit__"])
def test_an_interrupt_while_a_file_is_opened_or_named(at: Path, where: str) -> None:
    script = f"""
import os, sys
from pathlib import Path
import kumihimo.output as output
def interrupted(*_):
    raise KeyboardInterrupt
if {where!r} == "__enter__":
    output.Whole.__enter__ = lambda self, enter=output.Whole.__enter__: (enter(self), interrupted())
else:
    os.replace = interrupted
from kumihimo.cli import main
main(["extract", "a.ndjson", "-f", "a", "-o", "out.csv"])
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=at, capture_output=True, timeout=60)
    assert done.returncode == 130
    assert sorted(os.listdir(at)) == ["a.ndjson", "bad.ndjson"]


@pytest.mark.parametrize(
    "format, dialect, document",
    [
        ("json", "ruby_read", b'"' + b"\x80" * 100_000 + b'"'),
        ("json", "ruby_read", b'{"' + b"\xff" * 1000 + b'":1}'),
        ("json", "old_ruby_read", b'["\\ud800' + "é".encode() + b'abcdefg"]'),
        ("json", "old_ruby_read", b'"a\xe2\x82"'),
        ("msgpack", "ruby_read", b"\xda\x10\x00" + b"\x80" * 4096),
        ("cbor", "any_text_read", b"\x79\x10\x00" + b"\xff\x80" * 2048),
    ],
)
def test_text_that_is_no_utf8_is_no_str(format: str, dialect: str, document: bytes) -> None:
    calls = [
        lambda: kumihimo.load(document, format, dialect),
        lambda: kumihimo.lazy(document, format=format, dialect=dialect).value(),
        lambda: list(kumihimo.each_document(document, format, dialect)),
    ]
    for call in calls:
        with pytest.raises(ValueError) as caught:
            call()
        assert caught.value.code == "encoding"  # type: ignore[attr-defined]
