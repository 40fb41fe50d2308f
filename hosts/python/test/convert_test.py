"""Streams of documents from a format into another, frames, and the commands convert and measure."""

from __future__ import annotations

import gc
import gzip
import io
import os
import random
import subprocess
import sys
import threading
import weakref
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import kumihimo
from kumihimo import _core

FORMATS = [f["name"] for f in kumihimo.formats()]
FRAMES = [f["name"] for f in kumihimo.frames() if f["available"]]
ENDING = {f["name"]: f["endings"][0] for f in kumihimo.formats()} | {f["name"]: f["ending"] for f in kumihimo.frames()}
DOCUMENTS: list[Any] = [{"id": 1, "a": [1.5, None, "caf\u00e9"]}, [], "text", {"deep": {"er": [[]]}}, [2**63, -(2**63)], {"k" * 300: True}]


def command(*arguments: str, given: bytes = b"", cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "kumihimo", *arguments], input=given, capture_output=True, cwd=cwd)


def written(format: str) -> bytes:
    return b"".join(kumihimo.dump(d, format) for d in DOCUMENTS)


@pytest.mark.parametrize("source", FORMATS)
@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("step", [1, 3, 50, 10**6])
def test_a_stream_in_pieces(source: str, target: str, step: int) -> None:
    stream = written(source)
    converter = _core.Converter(source, target)
    out = b"".join(converter.feed(stream[i : i + step]) for i in range(0, len(stream), step)) + converter.finish()
    assert list(kumihimo.each_document(out, target)) == DOCUMENTS
    assert converter.documents == len(DOCUMENTS)
    with pytest.raises(ValueError, match="ended"):
        converter.feed(b"1")


def test_text_keeps_its_digits_and_gets_a_line_each() -> None:
    converter = _core.Converter("json", "json")
    assert converter.feed(' {"a": 1.10}\n\n[1e400,-0]"x" 12345678901234567890123') + converter.finish() == b'{"a":1.10}\n[1e400,0]\n"x"\n12345678901234567890123\n'


def test_a_stream_that_breaks() -> None:
    converter = _core.Converter("json", "msgpack")
    assert converter.feed(b'{"a":1}\n') == kumihimo.dump({"a": 1}, "msgpack")
    with pytest.raises(kumihimo.JSONDecodeError) as caught:
        converter.feed(b'  {"a":1,}')
    assert (caught.value.start, caught.value.document, caught.value.offset) == (10, 1, 7)  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="ended"):
        converter.finish()
    cut = _core.Converter("msgpack", "json")
    assert cut.feed(b"\x92\x01") == b""
    with pytest.raises(kumihimo.DecodeError) as short:
        cut.finish()
    assert short.value.code == "truncated"
    large = _core.Converter("json", "json", size=100)
    with pytest.raises(kumihimo.JSONDecodeError) as beyond:
        for _ in range(100):
            large.feed(b"[" + b" " * 10)
    assert beyond.value.code == "size"
    first = _core.Converter("json", "json")
    assert first.feed(b"1 2 [x] 3 ") == b"1\n2\n" and first.documents == 2  # what is whole comes first
    with pytest.raises(kumihimo.JSONDecodeError) as later:
        first.feed(b"4")
    assert (later.value.start, later.value.document) == (4, 2)  # type: ignore[attr-defined]
    refused = _core.Converter("msgpack", "json")
    with pytest.raises(kumihimo.DecodeError, match="bytes that are not text"):
        refused.feed(b"\xc4\x01\x00")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("frame", FRAMES)
def test_documents_in_frames(format: str, frame: str) -> None:
    value = DOCUMENTS[0]
    packed = kumihimo.dump(value, format, frame=frame)
    assert packed == _core.pack(kumihimo.dump(value, format), frame) and _core.frame_of_bytes(packed) == frame
    assert kumihimo.load(packed, format) == kumihimo.load(packed + packed[:0], format) == value
    assert kumihimo.lazy(packed, format=format).value() == value
    assert kumihimo.load(kumihimo.convert(packed, format, "json")) == value
    assert kumihimo.convert(kumihimo.dump(value, format), format, format, frame=frame)[:4] == packed[:4]
    stream = kumihimo.dump(DOCUMENTS[0], format, frame=frame) + kumihimo.dump(DOCUMENTS[3], format, frame=frame)
    assert list(kumihimo.each_document(stream, format)) == [DOCUMENTS[0], DOCUMENTS[3]]
    assert list(kumihimo.each_document(io.BytesIO(stream), format)) == [DOCUMENTS[0], DOCUMENTS[3]]
    for cut in (5, len(packed) - 1):  # from four bytes on the frame is told
        with pytest.raises(ValueError):
            kumihimo.load(packed[:cut], format)
        with pytest.raises(ValueError):
            list(kumihimo.each_document(packed[:cut], format))


def test_a_frame_and_a_format_told_by_the_bytes() -> None:
    for frame in FRAMES:
        assert kumihimo.load(kumihimo.dump({"a": 1}, "json", frame=frame)) == {"a": 1}
        assert kumihimo.load(kumihimo.dump({"a": 1}, "msgpack", frame=frame)) == {"a": 1}
    assert kumihimo.load(gzip.compress(b"[1]")) == [1]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("document", [b'{\n "a": 1,\n "b": x}', b'{"a": "' + bytes(range(97, 120)) * 3 + b'", "b": x}', b" " * 100_000, "[\n\"caf\u00e9\", x]".encode()])
def test_places_in_documents_in_frames(frame: str, document: bytes) -> None:
    """Errors show the document, and count in it: not in what it was packed into."""
    packed = _core.pack(document, frame)
    with pytest.raises(kumihimo.JSONDecodeError) as wanted:
        kumihimo.loads(document)
    want = wanted.value
    calls: list[Any] = [
        lambda: kumihimo.load(packed, "json"),
        lambda: kumihimo.lazy(packed),
        lambda: kumihimo.convert(packed, "json", "msgpack"),
        lambda: list(kumihimo.each_document(packed, "json")),
    ]
    if document[:1] in b"{[":
        calls.append(lambda: kumihimo.load(packed))
    for call in calls[: 4 if document.strip() else 3]:
        with pytest.raises(kumihimo.JSONDecodeError) as caught:
            call()
        got = caught.value
        assert (got.doc, got.pos, got.lineno, got.colno, got.offset, str(got)) == (want.doc, want.pos, want.lineno, want.colno, want.offset, str(want))


@pytest.mark.parametrize("frame", FRAMES)
def test_packing_streams(frame: str) -> None:
    rng = random.Random(3)
    data = bytes(rng.choice(b"abcd") for _ in range(200_000))
    low, high = next(f["levels"] for f in kumihimo.frames() if f["name"] == frame)
    for level in (None, max(low, 1), min(high, 9)):
        packer = _core.Packer(frame, level)
        packed = b"".join(packer.feed(data[i : i + 7000]) for i in range(0, len(data), 7000)) + packer.finish()
        assert _core.unpack(packed) == data
        unpacker = _core.Unpacker(frame)
        assert b"".join(unpacker.feed(packed[i : i + 999]) for i in range(0, len(packed), 999)) == data
        unpacker.finish()
    with pytest.raises(ValueError, match="levels of"):
        _core.Packer(frame, high + 1)
    with pytest.raises(kumihimo.DecodeError) as bomb:
        _core.unpack(packed, size=1000)
    assert bomb.value.code == "size"
    broken = bytearray(packed)
    broken[len(broken) // 2] ^= 0xFF
    with pytest.raises(kumihimo.DecodeError):
        _core.unpack(bytes(broken), frame)


def test_names_of_frames() -> None:
    with pytest.raises(ValueError, match="frame is one of 'gzip', 'zstd', 'lz4'"):
        kumihimo.dump(1, "json", frame="bz2")
    with pytest.raises(ValueError, match="none is named"):
        kumihimo.dump(1, "json", frame_level=3)
    with pytest.raises(ValueError, match="the levels of gzip are"):
        kumihimo.dump(1, "json", frame="gzip", frame_level=99)
    with pytest.raises(ValueError, match="none of 'gzip'"):
        _core.unpack(b"[1]")
    assert _core.frame_of_path("a.json.gz") == "gzip" and _core.frame_of_path("a.json") is None


# ---- the commands


@pytest.mark.parametrize("source", FORMATS)
@pytest.mark.parametrize("frame", ["", *FRAMES])
def test_convert_by_endings(tmp_path: Path, source: str, frame: str) -> None:
    name = f"in{ENDING[source]}{ENDING.get(frame, '')}"
    (tmp_path / name).write_bytes(_core.pack(written(source), frame) if frame else written(source))
    for target in FORMATS:
        out = f"out{ENDING[target]}{ENDING.get(frame, '')}"
        done = command("convert", name, "-o", out, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert b"6 documents" in done.stderr
        packed = (tmp_path / out).read_bytes()
        assert _core.frame_of_bytes(packed) == (frame or None)
        assert list(kumihimo.each_document(packed, target)) == DOCUMENTS
        piped = command("convert", "-", "--from", source, "--to", target, "-q", given=(tmp_path / name).read_bytes(), cwd=tmp_path)
        assert piped.stderr == b"" and list(kumihimo.each_document(piped.stdout, target)) == DOCUMENTS


def test_convert_several_inputs_in_order(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"[1]")
    (tmp_path / "b.msgpack").write_bytes(b"\x91\x02\x91\x03")
    (tmp_path / "c").write_bytes(gzip.compress(b"[4]\n[5]"))
    done = command("convert", "a.json", "b.*", "c", "-", "--to", "json", given=b"[6]", cwd=tmp_path)
    assert done.stdout == b"[1]\n[2]\n[3]\n[4]\n[5]\n[6]\n" and b"6 documents" in done.stderr


def test_convert_says_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "big.json").write_bytes(b'{"a":1}\n{"b":[123456789012345678901]}')
    done = command("convert", "big.json", "-o", "out.msgpack", cwd=tmp_path)
    assert done.returncode == 1 and not (tmp_path / "out.msgpack").exists() and len(os.listdir(tmp_path)) == 1
    assert b"big.json: document 2 (from byte 8): the format to write has no number of this size" in done.stderr
    assert b"$.b[0]" in done.stderr and b"--to-dialect" in done.stderr
    lenient = command("convert", "big.json", "-o", "out.msgpack", "--to-dialect", "lenient", cwd=tmp_path)
    assert lenient.returncode == 0 and list(kumihimo.each_document((tmp_path / "out.msgpack").read_bytes(), "msgpack"))[1] == {"b": ["123456789012345678901"]}
    (tmp_path / "cut.json.gz").write_bytes(gzip.compress(b"[1]" * 1000)[:-9])
    cut = command("convert", "cut.json.gz", "-o", "x.json", cwd=tmp_path)
    assert cut.returncode == 1 and b"cut.json.gz: gzip: " in cut.stderr and not (tmp_path / "x.json").exists()
    for arguments, words in (
        (["nothing.json", "--to", "json"], b"nothing.json"),
        (["big.json"], b"name the format to write"),
        (["big.json", "--to", "yaml"], b"'yaml' is none of json, msgpack"),
        (["big.json", "--to", "json", "--to-dialect", "nope"], b"Error: --to-dialect of 'json' is one of"),
        (["big.json", "--to", "json", "--from", "json", "--from-dialect", "nope"], b"Error: --from-dialect of 'json' is one of"),
        (["big.json", "--to", "json", "--from-dialect", "nope"], b"Error: --from-dialect is one of"),
        (["big.json", "--to", "json", "--from-dialect", "raw"], b"big.json: --from-dialect of 'json' is one of"),
        (["big.json", "--to", "json", "--frame", "gzip", "--frame-level", "77"], b"the levels of gzip are 1 to 9"),
        (["big.json", "--to", "json", "--frame-level", "7"], b"name one with --frame"),
        (["big.json", "-o", "big.json"], b"also an input"),
        (["-", "-", "--to", "json"], b"once only"),
        (["no*thing", "--to", "json"], b"nothing matches"),
    ):
        refused = command("convert", *arguments, cwd=tmp_path)
        assert refused.returncode in (1, 2) and words in refused.stderr, (arguments, refused.stderr)
    cut = command("convert", "-", "--to", "json", given=b"\xc1", cwd=tmp_path)
    assert cut.returncode == 1 and cut.stdout == b"" and b"byte 1" in cut.stderr
    empty = command("convert", "-", "--to", "json", given=b"", cwd=tmp_path)
    assert empty.returncode == 0 and empty.stdout == b""


def test_convert_names_a_remedy_that_the_command_has(tmp_path: Path) -> None:
    (tmp_path / "vast.json").write_bytes(b'{"a":1e400}')
    for to in ("msgpack", "cbor"):
        refused = command("convert", "vast.json", "--to", to, cwd=tmp_path)
        assert refused.returncode == 1 and b"pass decimal" not in refused.stderr
        assert b"a number is larger than a float can hold: line 1 column 6 (char 5) at $.a (--from-dialect exact_decimals" in refused.stderr
    done = command("convert", "vast.json", "--to", "cbor", "--from-dialect", "exact_decimals", cwd=tmp_path)
    assert done.returncode == 0 and kumihimo.load(done.stdout, "cbor", decimal=True) == {"a": Decimal("1e400")}
    refused = command("convert", "vast.json", "--to", "msgpack", "--from-dialect", "exact_decimals", cwd=tmp_path)
    assert refused.returncode == 1 and b"(--to-dialect says what to do" in refused.stderr
    done = command("convert", "vast.json", "--to", "msgpack", "--from-dialect", "exact_decimals", "--to-dialect", "big_text", cwd=tmp_path)
    assert kumihimo.load(done.stdout, "msgpack") == {"a": "1e400"}
    refused = command("measure", "vast.json", cwd=tmp_path)
    assert refused.returncode == 1 and b"float can hold: line 1" in refused.stderr and b"pass " not in refused.stderr
    (tmp_path / "pass.json").write_bytes(b'{"x: pass y=1": nope}')
    assert b"$[\"x: pass y=1\"]" in command("convert", "pass.json", "--to", "cbor", cwd=tmp_path).stderr


def test_formats_are_named_by_their_endings_too(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"[1]\n[2]\n")
    for format, ending in (("ndjson", "gz"), (".jsonl", ".GZ"), ("JSON", "gzip")):
        done = command("convert", "in", "--from", format, "--to", format, "--frame", ending, cwd=tmp_path)
        assert done.returncode == 0 and gzip.decompress(done.stdout) == b"[1]\n[2]\n", done.stderr
        assert b"2 documents, 8 bytes into 8 bytes in" in done.stderr
        assert command("measure", "in", "--from", format, "--runs", "1", cwd=tmp_path).returncode == 0
        assert command("check", "in", "--from", format, cwd=tmp_path).returncode == 0
        assert command("repack", "in", "--from", format, "--to", format, "-q", cwd=tmp_path).stdout == b"[1]\n[2]\n"
        for option in ("--from", "--format"):
            assert command("extract", "in", option, format, "-q", cwd=tmp_path).returncode == 0
    refused = command("convert", "in", "--to", "gz", cwd=tmp_path)
    assert refused.returncode == 2 and b"'gz' is none of json, msgpack" in refused.stderr
    dialect = command("check", "in", "--from", "json", "--from-dialect", "nope", cwd=tmp_path)
    assert dialect.returncode == 2 and b"Error: --from-dialect of 'json' is one of" in dialect.stderr


def test_list_formats(tmp_path: Path) -> None:
    listed = command("convert", "--list-formats", cwd=tmp_path).stdout.decode()
    for f in kumihimo.formats():
        assert f"{f['name']}: {f['endings'][0]}" in listed and f["write_dialects"][-1] in listed
    for frame in kumihimo.frames():
        assert f"{frame['name']}: {frame['ending']}" in listed


def test_measure(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="not proven: matplotlib is not installed")
    (tmp_path / "in.ndjson").write_bytes(b'{"a":1,"b":"text"}\n' * 100)
    done = command("measure", "in.ndjson", "--runs", "1", "--chart", "out.svg", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert "100 documents, 1,900 bytes" in text
    for format in FORMATS:
        assert sum(line.startswith(format) for line in text.splitlines()) == 1 + len(FRAMES)
    assert (tmp_path / "out.svg").read_bytes().startswith(b"<?xml")
    rows = command("measure", "in.ndjson", "--runs", "1", "--to", "csv", cwd=tmp_path).stdout.decode().splitlines()
    assert rows[0] == "format,frame,bytes,write_seconds,read_seconds" and len(rows) == 1 + len(FORMATS) * (1 + len(FRAMES))
    assert rows[1].startswith("json,none,1899,")
    for arguments, given, words in ((["-"], b"", b"no document"), (["-"], b"[1", b"standard input"), (["none.json"], b"", b"none.json")):
        refused = command("measure", *arguments, given=given, cwd=tmp_path)
        assert refused.returncode == 1 and words in refused.stderr
    assert command("measure", "in.ndjson", "--chart", "x.txt", cwd=tmp_path).returncode == 2


def test_one_call_at_a_time() -> None:
    """What runs in the middle of the work may not call the same object again."""

    class Reading:
        stream: Any = None

        def read(self, n: int) -> bytes:
            return next(self.stream)

    source = Reading()
    source.stream = kumihimo.each_document(source, "json")
    with pytest.raises(RuntimeError, match="one call at a time"):
        next(source.stream)

    calls: list[Any] = []
    ext = kumihimo.dump([kumihimo.msgpack.Ext(5, b"x")], "msgpack")

    def hook(kind: int, data: bytes) -> Any:
        with pytest.raises(RuntimeError, match="one call at a time"):
            next(stream)
        calls.append(kind)
        return data

    stream = kumihimo.each_document(ext * 3, "msgpack", ext_hook=hook)
    assert list(stream) == [[b"x"]] * 3 and calls == [5, 5, 5]


@pytest.mark.parametrize("make", [lambda: _core.Converter("json", "msgpack"), lambda: _core.Packer("gzip")])
def test_threads_that_share_one(make: Any) -> None:
    shared, chunk = make(), b'{"a":[1,2,3,"text"]}' * 20000
    refused: list[str] = []

    def work() -> None:
        for _ in range(20):
            try:
                shared.feed(chunk)
            except RuntimeError as busy:
                refused.append(str(busy))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    shared.finish()
    assert set(refused) <= {"it is at work already: one call at a time"}


def test_a_stream_that_holds_itself_is_collected() -> None:
    class Reading:
        def read(self, n: int) -> bytes:
            return b""

    gone: list[bool] = []
    source = Reading()
    source.stream = kumihimo.each_document(source, "json")  # type: ignore[attr-defined]
    weakref.finalize(source, gone.append, True)
    del source
    gc.collect()
    assert gone == [True]


def test_what_json_cannot_say_is_refused_unless_a_dialect_says_otherwise() -> None:
    for packed in (b"\xc4\x01\xff", b"\xcb\x7f\xf0" + bytes(6), b"\xd4\x05x", b"\x81\xc0\x01", b"\x81\x01\x02"):
        with pytest.raises(kumihimo.DecodeError) as caught:
            _core.Converter("msgpack", "json").feed(packed)
        assert caught.value.code == "unsupported"
        assert _core.Converter("msgpack", "json", target_dialect="lenient").feed(packed).endswith(b"\n")
    assert _core.Converter("msgpack", "json").feed(b"\xd6\xff" + bytes(4)) == b'"1970-01-01T00:00:00Z"\n'


def test_comments_and_digits() -> None:
    text = b'\xef\xbb\xbf// one { "\n{"b": 2.00 /* } */ ,}\n// end\n'
    relaxed = _core.Converter("json", "json", "relaxed")
    assert b"".join(relaxed.feed(text[i : i + 3]) for i in range(0, len(text), 3)) + relaxed.finish() == b'{"b":2.00}\n'
    assert list(kumihimo.each_document(text, "json", "relaxed")) == [{"b": 2.0}]
    assert list(kumihimo.each_document(b"", "json", "relaxed")) == []
    late = kumihimo.each_document(b"[1]\n\n\n[2\n", "json")
    assert next(late) == [1]
    with pytest.raises(kumihimo.JSONDecodeError) as caught:
        next(late)
    assert caught.value.start == 6 and caught.value.lineno <= 2  # type: ignore[attr-defined]


def test_convert_waits_for_a_pipe_that_does_not_block(tmp_path: Path) -> None:
    ours, theirs = os.pipe()
    os.set_blocking(ours, False)
    child = subprocess.Popen([sys.executable, "-m", "kumihimo", "convert", "-", "--to", "json", "-q"], stdin=ours, stdout=subprocess.PIPE)
    os.close(ours)
    os.write(theirs, b'{"a":1}\n')
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(1)
    os.write(theirs, b'{"a":2}\n')
    os.close(theirs)
    assert child.communicate()[0] == b'{"a":1}\n{"a":2}\n' and child.returncode == 0


def test_names_in_any_case_and_of_any_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"[1]")
    assert command("convert", "a.json", "-o", "X.MSGPACK.GZ", cwd=tmp_path).returncode == 0
    assert gzip.decompress((tmp_path / "X.MSGPACK.GZ").read_bytes()) == b"\x91\x01"
    odd = os.fsdecode(b"q\xff.msgpack")
    assert command("convert", "a.json", "-o", odd, cwd=tmp_path).returncode == 0
    for arguments in (["--frame", "gzip", "--frame-level", "9" * 30], ["--from-dialect", "nonsense"]):
        done = command("convert", "a.json", "--to", "json", *arguments, cwd=tmp_path)
        assert done.returncode == 2 and b"Traceback" not in done.stderr


def test_measure_says_where_and_takes_what_a_dialect_takes(tmp_path: Path) -> None:
    (tmp_path / "big.json").write_bytes(b"[1]\n123456789012345678901234567890\n")
    done = command("measure", "big.json", "--runs", "1", cwd=tmp_path)
    assert done.returncode == 0 and b"cannot say" not in done.stdout
    (tmp_path / "bad.ndjson").write_bytes(b"[1]\n[\n")
    bad = command("measure", "bad.ndjson", cwd=tmp_path)
    assert bad.returncode == 1 and b"bad.ndjson: document 2 (from byte 4): " in bad.stderr
    assert command("measure", "-", "-", cwd=tmp_path).returncode == 2 and command("measure", "big.json", "--level", "4711", cwd=tmp_path).returncode == 2
