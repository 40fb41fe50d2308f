"""zstd and lz4 as inputs of the command: files made by the programs of those names, in every way that they write them."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import pytest

for program in ("zstd", "lz4"):
    if shutil.which(program) is None:
        pytest.skip(f"not proven: the program {program} is not installed", allow_module_level=True)

ZSTD = [["-3"], ["-19"], ["--fast=5"], ["--no-check"], ["-T2"], ["--rsyncable"], ["--long=25"], ["--no-content-size"]]
LZ4 = [["-1"], ["-12"], ["-BD"], ["-B4"], ["-B7"], ["-BX"], ["--content-size"], ["--no-frame-crc"]]
WAYS = [("zstd", *how) for how in ZSTD] + [("lz4", *how) for how in LZ4]


def packed(data: bytes, *how: str) -> bytes:
    return subprocess.run([how[0], "-q", "-c", *how[1:]], input=data, capture_output=True, check=True).stdout


def lines(count: int) -> bytes:
    some = random.Random(count)
    return b"".join(b'{"n":%d,"x":%d}\n' % (i, some.getrandbits(40)) for i in range(count))


def command(*words: str, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "kumihimo.cli", *words], cwd=cwd, input=stdin, capture_output=True, timeout=120)


def numbers(done: subprocess.CompletedProcess[bytes]) -> list[int]:
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()[1:]]


def zstandard_zip(entries: dict[str, bytes], pack: bool = True) -> bytes:
    """A Zip whose entries have method 93, which zipfile writes from Python 3.14 on: by hand, from one that stores them."""
    local, directory = b"", b""
    for name, text in entries.items():
        data = packed(text, "zstd", "-3") if pack else text
        fields = struct.pack("<HHIIIIHH", 0, 93, 0x21 << 16, zlib.crc32(text), len(data), len(text), len(name), 0)
        directory += b"PK\x01\x02" + struct.pack("<HH", 63, 63) + fields + struct.pack("<HHHII", 0, 0, 0, 0, len(local)) + name.encode()
        local += b"PK\x03\x04" + struct.pack("<H", 63) + fields + name.encode() + data
    return local + directory + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, len(entries), len(entries), len(directory), len(local), 0)


@pytest.mark.parametrize("count", [3, 20_000])
@pytest.mark.parametrize("how", WAYS, ids=" ".join)
def test_what_the_programs_write(tmp_path: Path, how: tuple[str, ...], count: int) -> None:
    data = lines(count)
    half = data.index(b"\n", len(data) // 2) + 1
    one, two = packed(data, *how), packed(data[:half], *how) + packed(data[half:], *how)
    (tmp_path / "one").write_bytes(one)
    (tmp_path / "two.json").write_bytes(two)
    with zipfile.ZipFile(tmp_path / "both.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", one)
        archive.writestr("b", two)
    want = list(range(count))
    assert numbers(command("extract", "one", "two.json", "both.zip", "-f", "n", cwd=tmp_path)) == want * 4
    assert numbers(command("extract", "-", "-f", "n", cwd=tmp_path, stdin=two)) == want
    assert numbers(command("extract", "-", "-f", "n:int64", cwd=tmp_path, stdin=one)) == want


@pytest.mark.parametrize("program", ["zstd", "lz4"])
def test_large_files_by_any_number_of_threads(tmp_path: Path, program: str) -> None:
    data = lines(900_000)
    (tmp_path / "large").write_bytes(packed(data, program, "-1"))
    assert (tmp_path / "large").stat().st_size > 4 << 20
    for jobs in ("1", "3"):
        assert numbers(command("extract", "large", "-f", "n:int64", "-j", jobs, cwd=tmp_path)) == list(range(900_000))


def test_arrays_documents_and_folders(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    documents = [{"n": i} for i in range(50)]
    (folder / "a.zst").write_bytes(packed(json.dumps(documents).encode(), "zstd"))
    (folder / "b.lz4").write_bytes(packed("".join(json.dumps(d, indent=2) for d in documents).encode(), "lz4"))
    (folder / "c.gz").write_bytes(gzip.compress(json.dumps({"n": 50}).encode()))
    (folder / "d.json.zst").write_bytes(packed(json.dumps({"n": 51}).encode(), "zstd"))
    assert numbers(command("extract", "in", "-f", "n", cwd=tmp_path)) == [*range(50), *range(50), 50, 51]


def test_zip_entries_in_zstandard(tmp_path: Path) -> None:
    (tmp_path / "z.zip").write_bytes(zstandard_zip({f"{i}.json": b'{"n":%d}' % i for i in range(30)} | {"lines": lines(1000)}))
    (tmp_path / "large.zip").write_bytes(zstandard_zip({"lines": lines(700_000)}))
    assert numbers(command("extract", "z.zip", "-f", "n", cwd=tmp_path)) == [*range(30), *range(1000)]
    assert numbers(command("extract", "large.zip", "-f", "n", cwd=tmp_path)) == list(range(700_000))
    (tmp_path / "cut.zip").write_bytes((tmp_path / "z.zip").read_bytes()[:-30])
    done = command("extract", "cut.zip", "-f", "n", "--on-error", "skip", cwd=tmp_path)
    assert numbers(done) == [*range(30), *range(1000)] and b"no end record" in done.stderr
    (tmp_path / "bad.zip").write_bytes(zstandard_zip({"x.json": b'{"n":1}'}, pack=False))
    done = command("extract", "bad.zip", "-f", "n", cwd=tmp_path)
    assert done.returncode == 1 and b"x.json" in done.stderr and b"zstd" in done.stderr


@pytest.mark.parametrize("program", ["zstd", "lz4"])
@pytest.mark.parametrize("through", ["file", "pipe"])
def test_cut_and_damaged(tmp_path: Path, program: str, through: str) -> None:
    data = lines(40_000)
    whole = packed(data, program, *(["-B4"] if program == "lz4" else []))  # lz4 gives whole blocks, of 4 MB if not told

    def run(file: bytes, policy: str) -> subprocess.CompletedProcess[bytes]:
        (tmp_path / "f").write_bytes(file)
        return command("extract", "f" if through == "file" else "-", "-f", "n:int64", "--on-error", policy, cwd=tmp_path, stdin=file)

    done = run(whole[:-1], "skip")
    assert numbers(done) == list(range(40_000)) and b"no check sum proves them" in done.stderr
    got = numbers(run(whole[: len(whole) // 2], "skip"))
    assert got == list(range(len(got))) and 10_000 < len(got) < 30_000
    done = run(whole[: len(whole) // 2], "stop")
    assert done.returncode == 1 and b"cut off" in done.stderr
    broken = bytearray(whole)
    broken[-1] ^= 1
    done = run(bytes(broken), "skip")
    assert b"does not match its checksum" in done.stderr
    if through == "file":
        assert numbers(done) == []
    done = run(whole + b"something else", "skip")
    assert numbers(done) == list(range(40_000)) and b"follows the last" in done.stderr


def test_limits(tmp_path: Path) -> None:
    (tmp_path / "bomb.zst").write_bytes(packed(b" " * (64 << 20), "zstd"))
    done = command("extract", "bomb.zst", "-f", "n", cwd=tmp_path)
    assert done.returncode == 1 and b"--max-ratio" in done.stderr
    rng = random.Random(3)
    (tmp_path / "long.zst").write_bytes(packed(b'{"n":"%s"}' % rng.randbytes(50).hex().encode(), "zstd", "--long=31", "--no-content-size"))
    done = command("extract", "-", "-f", "n", cwd=tmp_path, stdin=(tmp_path / "long.zst").read_bytes())
    assert done.returncode == 1 and b"--long" in done.stderr


def test_what_is_not_read_says_so(tmp_path: Path) -> None:
    data = lines(3)
    (tmp_path / "legacy").write_bytes(packed(data, "lz4", "-l"))
    done = command("extract", "legacy", "-f", "n", cwd=tmp_path)
    assert done.returncode == 1 and b"legacy" in done.stderr
    (tmp_path / "twice.gz").write_bytes(gzip.compress(packed(data, "zstd")))
    done = command("extract", "twice.gz", "-f", "n", cwd=tmp_path)
    assert done.returncode == 1 and b"inside of packed data" in done.stderr
    (tmp_path / "samples").mkdir()
    for i in range(500):
        (tmp_path / "samples" / str(i)).write_bytes(lines(1) + b"%d" % i * 10)
    subprocess.run(["zstd", "-q", "--train", "-r", "samples", "-o", "dictionary", "--maxdict=4096"], cwd=tmp_path, capture_output=True, check=True)
    (tmp_path / "d.zst").write_bytes(packed(data, "zstd", "-D", str(tmp_path / "dictionary")))
    done = command("extract", "d.zst", "-f", "n", cwd=tmp_path)
    assert done.returncode == 1 and b"dictionary" in done.stderr
