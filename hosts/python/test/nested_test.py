"""Archives in archives, every method of Zip entries, and encrypted ones, with Python's zipfile and tarfile as the oracle."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path
from typing import Any, Mapping, Optional, Union

import pytest

import kumihimo

Tree = Mapping[str, Any]  # of names: bytes, or what an archive holds, whose kind its name says


def lines(first: int, count: int, pad: int = 0) -> bytes:
    some = random.Random(first)
    return b"".join(b'{"n":%d,"x":%d,"pad":"%s"}\n' % (i, some.getrandbits(40), b"%x" % some.getrandbits(4 * pad + 1)) for i in range(first, first + count))


def packed(name: str, tree: Union[Tree, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    if isinstance(tree, bytes):
        return tree
    held = {inner: packed(inner, below, method) for inner, below in tree.items()}
    out = io.BytesIO()
    if name.endswith((".zip", ".zip.gz")):
        with zipfile.ZipFile(out, "w", method) as archive:
            for inner, data in held.items():
                archive.writestr(inner, data)
    else:
        with tarfile.open(fileobj=out, mode="w") as tar:
            for inner, data in held.items():
                info = tarfile.TarInfo(inner)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    data = out.getvalue()
    return gzip.compress(data, 1) if name.endswith("gz") else lzma.compress(data, preset=0) if name.endswith("xz") else data


def read(path: Path, **how: Any) -> tuple[list[tuple[str, int]], list[str]]:
    run = kumihimo.extract([path], ["n"], form="ndjson", source=True, **{"on_error": "skip", **how})
    text = b""
    while (chunk := run.next_bytes()) is not None:
        text += chunk
    return [(row["entry"], row["n"]) for row in map(json.loads, text.splitlines())], [str(one).removeprefix(f"{path}: ") for one in run.take_reports()]


def command(*words: str, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "kumihimo.cli", *words], cwd=cwd, input=stdin, capture_output=True, timeout=300)


def numbers(done: subprocess.CompletedProcess[bytes]) -> list[int]:
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()[1:]]


NAMES = ["outer.zip", "outer.tar", "outer.tar.gz", "outer.tar.xz"]
TREE: Tree = {
    "one.json": b'{"n":1}',
    "a.zip": {"two.json": b'{"n":2}', "b.tar.gz": {"three.json": b'{"n":3}', "c.zip": {"four.json": b'{"n":4}'}}, "five.json.gz": gzip.compress(b'{"n":5}')},
    "d.tar": {"e/six.json": b'{"n":6}', "f.zip.gz": {"seven.json": b'{"n":7}'}},
    "eight.json": b'{"n":8}',
}
PATHS = ["one.json", "a.zip/two.json", "a.zip/b.tar.gz/three.json", "a.zip/b.tar.gz/c.zip/four.json", "a.zip/five.json.gz", "d.tar/e/six.json", "d.tar/f.zip.gz/seven.json", "eight.json"]
ROWS = list(zip(PATHS, range(1, 9)))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("outer", NAMES)
def test_to_the_depth_given(tmp_path: Path, outer: str, method: int) -> None:
    at = tmp_path / outer
    at.write_bytes(packed(outer, TREE, method))
    depths = {1: 0, 2: 1, 3: 2, 4: 3, 5: 1, 6: 1, 7: 2, 8: 0}
    for nested in range(5):
        for jobs in (1, 2, 4):
            rows, said = read(at, nested=nested, jobs=jobs)
            assert rows == [row for row in ROWS if depths[row[1]] <= nested]
            assert len(said) == {0: 2, 1: 2, 2: 1}.get(nested, 0), said
            assert all(("--nested" in one) and (one.split(":")[0] in ("a.zip", "d.tar", "a.zip/b.tar.gz", "d.tar/f.zip.gz", "a.zip/b.tar.gz/c.zip")) for one in said), said
    with pytest.raises(ValueError, match="nested is at most 15"):
        read(at, nested=16)
    assert numbers(command("extract", "-", "--nested", "3", "-f", "n", cwd=tmp_path, stdin=at.read_bytes())) == list(range(1, 9))
    assert numbers(command("extract", outer, "--nested", "3", "-f", "n:int64", "--sample", "1", cwd=tmp_path)) == list(range(1, 9))
    assert command("check", outer, "--nested", "3", cwd=tmp_path).returncode == 0
    assert command("check", outer, "--nested", "2", cwd=tmp_path).returncode == 1
    done = command("repack", outer, "--nested", "3", "-o", "all.ndjson", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["n"] for line in (tmp_path / "all.ndjson").read_bytes().splitlines()] == list(range(1, 9))


@pytest.mark.parametrize("outer", NAMES)
def test_patterns_see_the_whole_path(tmp_path: Path, outer: str) -> None:
    at = tmp_path / outer
    at.write_bytes(packed(outer, TREE))
    for pattern, want in {"**/four.json": [4], "a.zip/**": [2, 3, 4, 5], "*.json": [1, 2, 3, 4, 6, 7, 8], "a.zip/*.gz": [5], "d.tar/e/*": [6]}.items():
        rows, said = read(at, nested=3, match=pattern)
        assert [n for _, n in rows] == want and not said, pattern
    assert command("extract", outer, "--nested", "3", "--match", "nothing", "-f", "n", cwd=tmp_path).returncode == 1


@pytest.mark.parametrize("outer", NAMES)
def test_large_archives_in_archives(tmp_path: Path, outer: str) -> None:
    """Beyond what is held in memory: opened where they lie, out of a temporary file, or as a stream."""
    large = {f"{i}.ndjson": lines(i * 1000, 700, 2000) for i in range(9)}
    tree: Tree = {"first.json": b'{"n":-1}', "large.zip": large, "large.tar": large, "large.tar.gz": large, "last.json": b'{"n":-2}'}
    at = tmp_path / outer
    at.write_bytes(packed(outer, tree, zipfile.ZIP_STORED))
    want = [("first.json", -1), *((f"{name}/{entry}", i) for name in ("large.zip", "large.tar", "large.tar.gz") for k, entry in enumerate(large) for i in range(k * 1000, k * 1000 + 700)), ("last.json", -2)]
    for how in ({"jobs": 1, "on_error": "stop"}, {"jobs": 3}):
        rows, said = read(at, nested=1, **how)
        assert rows == want and not said


@pytest.mark.parametrize("outer", ["outer.zip", "outer.tar.gz"])
def test_large_entries_of_small_archives(tmp_path: Path, outer: str) -> None:
    """Text, packed text and archives of more than 16 MB, whose archive is small enough for memory."""
    wide = b"".join(b'{"n":%d,"pad":"%s"}\n' % (i, bytes([97 + i % 26]) * 1000) for i in range(17_000))
    assert len(wide) > 16 << 20
    inner = {f"{i}.ndjson": wide[:8_000_000].rpartition(b"\n")[0] for i in range(3)}
    stored = packed("stored.zip", inner, zipfile.ZIP_STORED)
    raw = gzip.compress(packed("in.tar", inner), 0)  # so large that it is a stream itself
    tree: Tree = {"a.zip": {"wide.ndjson": wide, "wide.ndjson.gz": gzip.compress(wide, 1), "in.zip": stored, "in.tar": packed("in.tar", inner), "in.zip.gz": gzip.compress(stored, 1), "in.tar.gz": raw, "last.json": b'{"n":-1}'}}
    at = tmp_path / outer
    at.write_bytes(packed(outer, tree))
    assert at.stat().st_size < 2 << 20
    all_of, some = [*range(17_000)], [*range(inner["0.ndjson"].count(b"\n") + 1)]
    want = [*(("a.zip/wide.ndjson", n) for n in all_of), *(("a.zip/wide.ndjson.gz", n) for n in all_of)]
    for name in ("in.zip", "in.tar", "in.zip.gz", "in.tar.gz"):
        want += [(f"a.zip/{name}/{entry}", n) for entry in inner for n in some]
    want.append(("a.zip/last.json", -1))
    for how in ({"jobs": 1, "on_error": "stop"}, {"jobs": 4}):
        rows, said = read(at, nested=2, ratio=100_000, **how)
        assert not said and rows == want
    # A check sum that is wrong: nothing of the entry, and all of the others.
    bad = bytearray(packed("a.zip", {"wide.ndjson": wide, "last.json": b'{"n":-1}'}))
    crc = struct.pack("<I", zlib.crc32(wide))
    while (found := bad.find(crc)) >= 0:
        bad[found] ^= 1
    at.write_bytes(packed(outer, {"a.zip": bytes(bad)}))
    rows, said = read(at, nested=1, ratio=100_000)
    assert rows == [("a.zip/last.json", -1)] and len(said) == 1 and "checksum" in said[0] and said[0].startswith("a.zip/wide.ndjson"), said


def test_memory_of_large_entries_of_small_archives(tmp_path: Path) -> None:
    """An entry of 200 MB in an archive of an archive is never all in memory."""
    wide = (b'{"n":%d,"pad":"' % 1) + b"x" * 100_000 + b'"}\n'
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as outer:
        outer.writestr("a.zip", packed("a.zip", {"wide.ndjson": wide * 2000}))
    code = (
        "import kumihimo\n"
        "run = kumihimo.extract(['outer.zip'], ['n'], form='csv', nested=1, ratio=100_000, jobs=2)\n"
        "rows = 0\n"
        "while (text := run.next_bytes()) is not None: rows += text.count(b'\\n')\n"
        "print(rows, *(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    rows, peak = map(int, done.stdout.split())
    assert rows == 2000 and peak < 150 << 10


def test_what_7z_writes(tmp_path: Path) -> None:
    program = next((path for name in ("7zz", "7z", "7za") if (path := shutil.which(name))), None)
    if program is None:
        pytest.skip("not proven: the program 7z is not installed")
    for count in (3, 60_000):
        (tmp_path / "x.ndjson").write_bytes(lines(0, count, 300))
        for level in ("1", "9"):
            subprocess.run([program, "a", "-bd", "-tzip", "-mm=Deflate64", f"-mx={level}", f"{count}-{level}.zip", "x.ndjson"], cwd=tmp_path, check=True, capture_output=True)
            at = tmp_path / f"{count}-{level}.zip"
            assert zipfile.ZipFile(at).infolist()[0].compress_type == 9
            rows, said = read(at)
            assert [n for _, n in rows] == list(range(count)) and not said, said


def test_loops_end(tmp_path: Path) -> None:
    """Zips in Zips, as deep as it goes: beyond what was asked for there is a report."""
    data: Tree = {"x.json": b'{"n":0}'}
    for i in range(20):
        data = {"x.json": b'{"n":%d}' % i, "deeper.zip": data}
    (tmp_path / "deep.zip").write_bytes(packed("deep.zip", data))
    rows, said = read(tmp_path / "deep.zip", nested=15)
    assert [n for _, n in rows] == list(range(19, 3, -1))
    assert said == ["deeper.zip/" * 15 + "deeper.zip: byte 48 of the archive: an archive lies deeper in archives than is opened; raise --nested (nested)"] or len(said) == 1


def test_bombs_of_archives(tmp_path: Path) -> None:
    """Every entry by itself keeps to the ratio; all together they do not."""
    zeros = b'{"n":1}'.ljust(10 << 20)
    inner = {f"{i}.json": zeros for i in range(40)}
    for name in ("inner.zip", "inner.tar.gz"):
        (tmp_path / "bomb.zip").write_bytes(packed("bomb.zip", {name: inner, "z.json": b'{"n":2}'}))
        rows, said = read(tmp_path / "bomb.zip", nested=1, ratio=200)
        assert rows[-1] == ("z.json", 2) and len(rows) < 41
        assert said and all("expand beyond the allowed ratio" in one or "expands beyond the allowed ratio" in one for one in said), said[:2]


def test_damage_within(tmp_path: Path) -> None:
    """A damaged archive in an archive is told of with its path, and the others are read."""
    inner = packed("inner.zip", {"x.json": b'{"n":1}', "y.json": b'{"n":2}'}, zipfile.ZIP_STORED)
    tree = {"cut.zip": inner[:-30], "bad.zip": inner.replace(b'{"n":1}', b'{"n":7}', 1), "good.zip": inner, "bad.tar": packed("x.tar", {"x.json": b'{"n":3}'})[:900]}
    for outer in NAMES:
        (tmp_path / outer).write_bytes(packed(outer, tree))
        rows, said = read(tmp_path / outer, nested=1)
        assert rows == [("cut.zip/x.json", 1), ("cut.zip/y.json", 2), ("bad.zip/y.json", 2), ("good.zip/x.json", 1), ("good.zip/y.json", 2), ("bad.tar/x.json", 3)]
        assert [one.split(":")[0] for one in said] == ["cut.zip", "bad.zip/x.json", "bad.tar"], said


def by_hand(method: int, text: bytes, data: bytes, flags: int = 0) -> bytes:
    """A Zip with one entry of a method that zipfile does not write."""
    fields = struct.pack("<HHIIIIHH", flags, method, 0x21 << 16, zlib.crc32(text), len(data), len(text), 1, 0)
    local = b"PK\x03\x04" + struct.pack("<H", 63) + fields + b"x" + data
    directory = b"PK\x01\x02" + struct.pack("<HH", 63, 63) + fields + struct.pack("<HHHII", 0, 0, 0, 0, 0) + b"x"
    return local + directory + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(directory), len(local), 0)


def lzma_data(text: bytes, mark: bool) -> bytes:
    alone = lzma.compress(text, lzma.FORMAT_ALONE)  # properties, length, data with an end mark
    raw = alone[13:]
    if not mark:
        filters = [{"id": lzma.FILTER_LZMA1, "lc": 3, "lp": 0, "pb": 2, "dict_size": 1 << 23}]
        raw = lzma.compress(text, lzma.FORMAT_RAW, filters=filters)
    return b"\x09\x14\x05\x00" + alone[:5] + raw


def ppmd(text: bytes) -> Optional[bytes]:
    try:
        import pyppmd
    except ImportError:
        return None
    encoder = pyppmd.Ppmd8Encoder(6, 8 << 20, pyppmd.PPMD8_RESTORE_METHOD_RESTART)
    return struct.pack("<H", 5 | 7 << 4) + encoder.encode(text) + encoder.flush(endmark=True)


def deflate64(text: bytes) -> Optional[bytes]:
    try:
        import inflate64
    except ImportError:
        return None
    packer = inflate64.Deflater()
    return bytes(packer.deflate(text) + packer.flush())


@pytest.mark.parametrize("count", [3, 60_000])
@pytest.mark.parametrize("method", [9, 12, 14, 95, 98])
def test_other_methods(tmp_path: Path, method: int, count: int) -> None:
    text = lines(0, count, 300)
    want = list(range(count))
    data = {9: deflate64, 12: bz2.compress, 14: lambda t: lzma_data(t, True), 95: lambda t: lzma.compress(t, preset=0), 98: ppmd}[method](text)
    if data is None:
        pytest.skip(f"not proven: {'inflate64' if method == 9 else 'pyppmd'} is not installed")
    whole = by_hand(method, text, data, 2 if method == 14 else 0)
    at = tmp_path / "x.zip"
    at.write_bytes(whole)
    if method in (12, 14):
        assert zipfile.ZipFile(at).read("x") == text
    rows, said = read(at)
    assert [n for _, n in rows] == want and not said, said
    # The text's check sum is compared, and damage is told.
    at.write_bytes(by_hand(method, text, data, 2 if method == 14 else 0).replace(struct.pack("<I", zlib.crc32(text)), b"abcd"))
    rows, said = read(at)
    assert rows == [] and len(said) == 1 and said[0].startswith("x: byte 0 of the archive: "), said
    some = random.Random(method)
    for _ in range(20 if count == 3 else 2):
        bad = bytearray(whole)
        bad[31 + some.randrange(len(data))] ^= 1 << some.randrange(8)
        at.write_bytes(bad)
        rows, said = read(at)
        assert (rows, len(said)) == ([], 1) or [n for _, n in rows] == want
    at.write_bytes(by_hand(method, text, data[: len(data) // 2], 2 if method == 14 else 0))
    rows, said = read(at)
    assert rows == [] and len(said) == 1


def test_zipfile_writes_bzip2_and_lzma(tmp_path: Path) -> None:
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        (tmp_path / "x.zip").write_bytes(packed("x.zip", {"a.json": b'{"n":1}', "b.ndjson": lines(2, 500)}, method))
        rows, said = read(tmp_path / "x.zip", jobs=2)
        assert [n for _, n in rows] == [1, *range(2, 502)] and not said
        # Without its directory it is walked.
        data = (tmp_path / "x.zip").read_bytes()
        (tmp_path / "x.zip").write_bytes(data[: data.rindex(b"PK\x01\x02")])
        rows, said = read(tmp_path / "x.zip")
        assert [n for _, n in rows] == [1, *range(2, 502)] and len(said) == 1


def old_cipher(path: Path, files: dict[str, bytes], password: str) -> None:
    if shutil.which("zip") is None:
        pytest.skip("not proven: the program zip is not installed")
    for name, data in files.items():
        (path.parent / name).write_bytes(data)
        subprocess.run(["zip", "-q", "-P", password, path.name, name], cwd=path.parent, check=True)
        (path.parent / name).unlink()


def aes(path: Path, files: dict[str, bytes], password: str, bits: int = 256, method: int = zipfile.ZIP_DEFLATED) -> None:
    pyzipper = pytest.importorskip("pyzipper", reason="not proven: pyzipper is not installed")
    with pyzipper.AESZipFile(path, "w", compression=method, encryption=pyzipper.WZ_AES) as archive:
        archive.setencryption(pyzipper.WZ_AES, nbits=bits)
        archive.setpassword(password.encode())
        for name, data in files.items():
            archive.writestr(name, data)


FILES = {"a.json": b'{"n":1}', "b.ndjson": lines(2, 400)}


@pytest.mark.parametrize("how", ["old", 128, 192, 256])
def test_encrypted_entries(tmp_path: Path, how: Any) -> None:
    at = tmp_path / "x.zip"
    old_cipher(at, FILES, "sésame, open") if how == "old" else aes(at, FILES, "sésame, open", how)
    want = [1, *range(2, 402)]
    for jobs in (1, 3):
        rows, said = read(at, password="sésame, open", jobs=jobs)
        assert [n for _, n in rows] == want and not said, said
    rows, said = read(at)
    assert rows == [] and len(said) == 2 and "the entry is encrypted; name a file that holds its password with --password-file (password)" in said[0]
    rows, said = read(at, password="wrong")
    assert rows == [] and len(said) == 2 and all("password" in one for one in said), said
    (tmp_path / "secret").write_bytes("sésame, open\nno more".encode())
    assert numbers(command("extract", "x.zip", "--password-file", "secret", "-f", "n", cwd=tmp_path)) == want
    assert command("check", "x.zip", "--password-file", "secret", cwd=tmp_path).returncode == 0
    assert numbers(command("extract", "-", "--password-file", "secret", "-f", "n:int64", "--sample", "1", cwd=tmp_path, stdin=at.read_bytes())) == want
    (tmp_path / "empty").write_bytes(b"\n")
    for file in ("empty", "none"):
        assert command("extract", "x.zip", "--password-file", file, "-f", "n", cwd=tmp_path).returncode == 2


@pytest.mark.parametrize("how", ["old", 256])
def test_damaged_and_large_encrypted_entries(tmp_path: Path, how: Any) -> None:
    at = tmp_path / "x.zip"
    large = {"large.ndjson": lines(0, 60_000, 320)}
    old_cipher(at, large, "word") if how == "old" else aes(at, large, "word", how, zipfile.ZIP_STORED)
    for on_error in ("stop", "skip"):
        rows, said = read(at, password="word", on_error=on_error)
        assert [n for _, n in rows] == list(range(60_000)) and not said
    data = bytearray(at.read_bytes())
    data[len(data) // 2] ^= 1
    at.write_bytes(data)
    rows, said = read(at, password="word")
    assert rows == [] and len(said) == 1, said
    at.unlink()
    old_cipher(at, FILES, "word") if how == "old" else aes(at, FILES, "word", how)
    whole = at.read_bytes()
    some = random.Random(3)
    for _ in range(30):
        bad = bytearray(whole)
        bad[some.randrange(70, len(bad) // 2)] ^= 1 << some.randrange(8)
        at.write_bytes(bad)
        rows, said = read(at, password="word")
        assert said or [n for _, n in rows] == [1, *range(2, 402)]
        assert set(n for _, n in rows) <= set(range(402))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_encrypted_entries_that_are_not_in_deflate(tmp_path: Path, method: int) -> None:
    aes(tmp_path / "x.zip", FILES, "word", method=method)
    rows, said = read(tmp_path / "x.zip", password="word")
    assert rows == [] and len(said) == 2 and all("packed by another method than deflate" in one for one in said), said


def test_a_password_where_nothing_is_encrypted(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(packed("x.zip", FILES))
    rows, said = read(tmp_path / "x.zip", password=b"word")
    assert len(rows) == 401 and not said


@pytest.mark.parametrize("outer", NAMES[:3])
def test_rows_of_an_input_are_limited_through_all_levels(tmp_path: Path, outer: str) -> None:
    large = {f"{i}.ndjson": lines(i * 1000, 700, 2000) for i in range(9)}
    tree: Tree = {"first.json": b'{"n":-1}', "large.zip": large, "large.ndjson": lines(50_000, 9000, 2000), "last.json": b'{"n":-2}'}
    for name in ("a-" + outer, "b-" + outer):
        (tmp_path / name).write_bytes(packed(outer, tree, zipfile.ZIP_STORED))
    every = [-1, *(i for k in range(9) for i in range(k * 1000, k * 1000 + 700)), *range(50_000, 59_000), -2]
    for limit in (1, 1000, 8000, 15_302, 20_000):
        want = b"".join(b"%d\n" % n for n in every[:limit] * 2)
        for jobs in (1, 3):
            run = kumihimo.extract([tmp_path / ("a-" + outer), tmp_path / ("b-" + outer)], ["n"], form="csv", nested=1, jobs=jobs, limit_per_archive=limit)
            text = b""
            while (chunk := run.next_bytes()) is not None:
                text += chunk
            assert text == want
