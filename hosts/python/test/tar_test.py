"""tar, xz and bzip2 as inputs of the command, with Python's tarfile, lzma and bz2 as the oracle."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Callable, Optional

import pytest

import kumihimo


def lines(first: int, count: int, pad: int = 1) -> bytes:
    some = random.Random(first)
    return b"".join(b'{"n":%d,"x":"%x"}\n' % (i, some.getrandbits(4 * pad)) for i in range(first, first + count))


def zstd(data: bytes) -> bytes:
    if shutil.which("zstd") is None:
        pytest.skip("not proven: the program zstd is not installed")
    return subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout


PACKINGS: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress, ".zst": zstd}
FORMATS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}


def member(name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = "", pax: Optional[dict[str, str]] = None) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname = kind, len(data), link
    info.pax_headers = pax or {}
    return info, data


def tar(*members: tuple[tarfile.TarInfo, bytes], format: int = tarfile.PAX_FORMAT, encoding: str = "utf-8") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format, encoding=encoding) as archive:
        for info, data in members:
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def oracle(data: bytes) -> list[tuple[str, bytes]]:
    """Names and data of the files that tarfile finds."""
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return [(one.name, archive.extractfile(one).read()) for one in archive if one.isreg()]  # type: ignore[union-attr]


def command(*words: str, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "kumihimo.cli", *words], cwd=cwd, input=stdin, capture_output=True, timeout=300)


def numbers(done: subprocess.CompletedProcess[bytes]) -> list[int]:
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()[1:]]


def rows(path: Path, *, fields: str = "n", **how: object) -> list[tuple[str, int]]:
    """Entry and number of each row."""
    run = kumihimo.extract([path], [fields], form="ndjson", source=True, **how)  # type: ignore[arg-type]
    text = b""
    while (chunk := run.next_bytes()) is not None:
        text += chunk
    return [(row["entry"], row[fields]) for row in map(json.loads, text.splitlines())]


def reports(path: Path, **how: object) -> tuple[list[tuple[str, int]], list[str]]:
    run = kumihimo.extract([path], ["n"], form="ndjson", source=True, on_error="skip", **how)  # type: ignore[arg-type]
    text = b""
    while (chunk := run.next_bytes()) is not None:
        text += chunk
    return [(row["entry"], row["n"]) for row in map(json.loads, text.splitlines())], [str(one) for one in run.take_reports()]


def some_members() -> list[tuple[tarfile.TarInfo, bytes]]:
    return [
        member("folder/", kind=tarfile.DIRTYPE),
        member("folder/one.json", b'{"n": 1}'),
        member("folder/" + "long" * 60 + ".ndjson", lines(10, 5)),
        member("a link", kind=tarfile.SYMTYPE, link="folder/one.json"),
        member("another", kind=tarfile.LNKTYPE, link="folder/one.json"),
        member("pipe", kind=tarfile.FIFOTYPE),
        member("empty.json"),
        member("two.json.gz", gzip.compress(b'{"n": 2}')),
        member("three.json.xz", lzma.compress(b'{"n": 3}')),
        member("four.json.bz2", bz2.compress(b'{"n": 4}')),
        member("päth/five.json", b'{"n": 5}'),
        member("._five.json", b"\0\1\2"),
    ]


WANT = [1, *range(10, 15), 2, 3, 4, 5]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("ending", PACKINGS)
def test_members_in_every_format_and_packing(tmp_path: Path, format: str, ending: str) -> None:
    members = some_members()
    if format == "ustar":  # it has no place for the name
        members[2] = member("f" * 90 + "/" + "long" * 20 + ".ndjson", lines(10, 5))
    plain = tar(*members, format=FORMATS[format])
    data = PACKINGS[ending](plain)
    at = tmp_path / f"some.tar{ending}"
    at.write_bytes(data)
    (tmp_path / "nameless").write_bytes(data)
    names = [name for name, text in oracle(plain) if text and not name.startswith("._")]
    for jobs in (1, 2, 4):
        got = rows(at, jobs=jobs)
        assert [n for _, n in got] == WANT
        assert list(dict.fromkeys(entry for entry, _ in got)) == names
    assert numbers(command("extract", "some.tar" + ending, "nameless", "-f", "n", cwd=tmp_path)) == WANT * 2
    assert numbers(command("extract", "-", "-f", "n", cwd=tmp_path, stdin=data)) == WANT
    assert numbers(command("extract", "-", "-f", "n:int64", "--sample", "2", cwd=tmp_path, stdin=data)) == WANT
    parquet = command("extract", "-", "-f", "n", "-o", "n.parquet", "--sample", "2", cwd=tmp_path, stdin=data)
    assert parquet.returncode == 0, parquet.stderr
    done = command("check", "some.tar" + ending, cwd=tmp_path)
    assert done.returncode == 0 and b"10 documents" in done.stderr, done.stderr


def test_what_gnu_tar_writes(tmp_path: Path) -> None:
    below = tmp_path / "below" / ("deep" * 20) / ("er" * 45)
    below.mkdir(parents=True)
    for i in range(300):
        (below / f"{i:03}.json").write_bytes(b'{"n": %d}' % i)
    for format in ("v7", "oldgnu", "gnu", "ustar", "posix"):
        names = ["-C", str(below), "."] if format == "v7" else ["-C", str(tmp_path), "below"]
        subprocess.run(["tar", "--sort=name", f"--format={format}", "-cf", tmp_path / f"{format}.tar", *names], check=True)
        data = (tmp_path / f"{format}.tar").read_bytes()
        got = rows(tmp_path / f"{format}.tar")
        assert [n for _, n in got] == list(range(300))
        assert [name for name, _ in got] == [name.removeprefix("./") for name, _ in oracle(data)]


def test_patterns_pick_entries(tmp_path: Path) -> None:
    (tmp_path / "some.tar.gz").write_bytes(gzip.compress(tar(*some_members())))
    assert numbers(command("extract", "some.tar.gz", "--match", "folder/*.json", "-f", "n", cwd=tmp_path)) == [1]
    assert numbers(command("extract", "some.tar.gz", "--match", "*.json", "-f", "n", cwd=tmp_path)) == [1, 5]
    assert command("extract", "some.tar.gz", "--match", "nothing", "-f", "n", cwd=tmp_path).returncode == 1


@pytest.mark.parametrize("ending", PACKINGS)
def test_many_and_large_members_by_any_number_of_threads(tmp_path: Path, ending: str) -> None:
    """More than a task each way: hundreds of small members, and one that is cut as a stream, packed and not."""
    members = [member(f"{i:04}.ndjson", lines(i * 100, 100)) for i in range(700)]
    members.insert(300, member("large.ndjson", lines(100_000, 9_000, 2000)))
    members.insert(500, member("large.json.gz", gzip.compress(lines(2_000_000, 9_000, 4000), 1)))
    at = tmp_path / ("many.tar" + ending)
    at.write_bytes(PACKINGS[ending](tar(*members)) if ending != ".xz" else lzma.compress(tar(*members), preset=0))
    want = [int(json.loads(line)["n"]) for _, data in members for line in (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).splitlines()]
    outputs = set()
    for jobs in ("1", "2", "3", "4"):
        done = command("extract", at.name, "-f", "n", "--source", "-j", jobs, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        outputs.add(done.stdout)
    assert len(outputs) == 1
    got = [line.split(b",") for line in outputs.pop().splitlines()[1:]]
    assert [int(line[0]) for line in got] == want
    assert numbers(command("extract", "-", "-f", "n:int64", cwd=tmp_path, stdin=at.read_bytes())) == want


def test_names_that_are_no_utf_8(tmp_path: Path) -> None:
    (tmp_path / "old.tar").write_bytes(tar(member("caf\xe9.json", b'{"n": 1}'), format=tarfile.GNU_FORMAT, encoding="iso8859-1"))
    assert rows(tmp_path / "old.tar") == [("café.json", 1)]


def test_paths_are_only_names(tmp_path: Path) -> None:
    """Nothing is written, so a path that leads elsewhere leads nowhere."""
    names = ["../../etc/passwd", "/etc/shadow", "a/../b.json", "./c.json", "//d", "C:\\e", "new\nline"]
    (tmp_path / "paths.tar").write_bytes(tar(*(member(name, b'{"n": %d}' % i) for i, name in enumerate(names))))
    assert rows(tmp_path / "paths.tar") == [(name.removeprefix("./"), i) for i, name in enumerate(names)]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["paths.tar"]


def test_a_name_that_comes_twice_is_two_entries(tmp_path: Path) -> None:
    (tmp_path / "twice.tar").write_bytes(tar(member("a", b'{"n":1}'), member("a", b'{"n":2}')))
    assert rows(tmp_path / "twice.tar") == [("a", 1), ("a", 2)]


def test_one_tar_behind_another(tmp_path: Path) -> None:
    one, two = tar(member("a", b'{"n":1}')), tar(member("b", b'{"n":2}'))
    (tmp_path / "both.tar").write_bytes(one + two)
    (tmp_path / "both.tar.gz").write_bytes(gzip.compress(one) + gzip.compress(two))
    for name in ("both.tar", "both.tar.gz"):
        assert rows(tmp_path / name) == [("a", 1), ("b", 2)]
    (tmp_path / "both.tar").write_bytes(one + b"something else".ljust(600))
    got, said = reports(tmp_path / "both.tar")
    assert got == [("a", 1)]
    assert [f"{tmp_path}/both.tar: byte {len(one)}: something that is no tar follows the tar's end"] == said


@pytest.mark.parametrize("ending", ["", ".gz", ".xz", ".bz2"])
def test_cut_off_anywhere(tmp_path: Path, ending: str) -> None:
    members = [member(f"{i}.ndjson", lines(i * 10, 10)) for i in range(4)]
    whole = PACKINGS[ending](tar(*members))
    full = [(f"{i // 10}.ndjson", i) for i in range(40)]
    at = tmp_path / ("cut.tar" + ending)
    end = len(whole) if ending else whole.rindex(b"\n") + 1
    for size in [*range(600, end, max(1, end // 40)), end - 1]:
        at.write_bytes(whole[:size])
        got, said = reports(at)
        assert got == full[: len(got)], size
        assert said and all(str(at) in one for one in said), size
        assert command("extract", at.name, "-f", "n", cwd=tmp_path).returncode == 1


def test_every_byte_of_a_header(tmp_path: Path) -> None:
    """A header whose check sum is wrong is reported with its place, and reading goes on at the next one."""
    good = tar(member("a", b'{"n":1}'), member("b", b'{"n":2}'), member("c", b'{"n":3}'), format=tarfile.USTAR_FORMAT)
    at = tmp_path / "bad.tar"
    for i in range(0, 512, 7):
        bad = bytearray(good)
        bad[1024 + i] ^= 0x15
        at.write_bytes(bad)
        got, said = reports(at)
        if got == [("a", 1), ("b", 2), ("c", 3)]:
            continue  # a byte of the sum's own place that means nothing
        assert got == [("a", 1), ("c", 3)], i
        assert len(said) == 1 and "byte 1024 of the archive: the tar is damaged" in said[0], said


def test_sparse_files_are_refused(tmp_path: Path) -> None:
    with open(tmp_path / "sparse", "wb") as file:
        file.write(b'{"n":1}')
        file.seek(1 << 20)
        file.write(b"\n")
    (tmp_path / "z").write_bytes(b'{"n":2}')
    for format in ("gnu", "posix", "oldgnu"):
        subprocess.run(["tar", "--sparse", f"--format={format}", "-cf", "sparse.tar", "sparse", "z"], cwd=tmp_path, check=True)
        got, said = reports(tmp_path / "sparse.tar")
        assert got == [("z", 2)], format
        assert len(said) == 1 and "sparse.tar: sparse: byte 0 of the archive: the entry is a sparse file" in said[0], said


def header(**fields: bytes) -> bytes:
    """A header by hand, with its check sum."""
    places = {"name": (0, 100), "size": (124, 12), "kind": (156, 1), "mark": (257, 8), "prefix": (345, 155)}
    block = bytearray(512)
    for key, value in {"mark": b"ustar\x0000", "size": b"0", "kind": b"0", **fields}.items():
        at, room = places[key]
        assert len(value) <= room
        block[at : at + len(value)] = value
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def padded(data: bytes) -> bytes:
    return data.ljust(-(-len(data) // 512) * 512, b"\0")


END = bytes(1024)


@pytest.mark.parametrize(
    ("before", "says"),
    [
        (header(name=b"b", size=b"12x"), "no valid size"),
        (header(name=b"b", size=b"\x80" + b"\xff" * 11), "no valid size"),
        (header(name=b"b", kind=b"x", size=b"%o" % 10) + padded(b"99 path=b\n") + header(name=b"b"), "an extended header of the tar is damaged"),
        (header(name=b"b", kind=b"x", size=b"%o" % 9) + padded(b"9 path=b\0") + header(name=b"b"), "an extended header of the tar is damaged"),
        (header(name=b"b", kind=b"x", size=b"%o" % 12) + padded(b"12 size=-10\n") + header(name=b"b"), "an extended header of the tar is damaged"),
        (header(name=b"b", kind=b"L", size=b"%o" % (3 << 20)) + bytes(3 << 20) + header(name=b"b"), "larger than any name"),
        (header(name=b"b", kind=b"M"), "another volume"),
    ],
)
def test_hostile_headers(tmp_path: Path, before: bytes, says: str) -> None:
    rest = header(name=b"c", size=b"%o" % 7) + padded(b'{"n":3}') + END
    for name, data in {"x.tar": bytes, "x.tar.gz": gzip.compress}.items():
        (tmp_path / name).write_bytes(data(header(name=b"a", size=b"%o" % 7) + padded(b'{"n":1}') + before + rest))
        got, said = reports(tmp_path / name)
        assert got == [("a", 1), ("c", 3)]
        assert len(said) == 1 and says in said[0] and "byte 1024 of the archive" in said[0], said


def test_a_size_beyond_the_archive(tmp_path: Path) -> None:
    for size in (b"77777777777", b"\x80\0\0\0\x00\xff\xff\xff\xff\xff\xff\xf0", b"%o" % 100_000):
        for name, data in {"x.tar": bytes, "x.tar.gz": gzip.compress}.items():
            (tmp_path / name).write_bytes(data(header(name=b"a", size=b"%o" % 7) + padded(b'{"n":1}') + header(name=b"b", size=size) + b'{"n":2}\n{"n":'))
            got, said = reports(tmp_path / name)
            assert got[:1] == [("a", 1)] and got[1:] in ([], [("b", 2)])
            assert said and "byte 1024 of the archive" in said[0], said


def test_binary_sizes_and_signed_sums(tmp_path: Path) -> None:
    """What GNU tar writes for large sizes, and what old programs took for a check sum."""
    block = bytearray(header(name="é".encode(), size=b"\x80" + (7).to_bytes(11, "big")))
    (tmp_path / "x.tar").write_bytes(bytes(block) + padded(b'{"n":1}') + END)
    assert rows(tmp_path / "x.tar") == [("é", 1)]
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(c - 256 if c > 127 else c for c in block)
    (tmp_path / "x.tar").write_bytes(bytes(block) + padded(b'{"n":1}') + END)
    assert rows(tmp_path / "x.tar") == [("é", 1)]


def test_bombs(tmp_path: Path) -> None:
    zeros = tar(member("a", b'{"n":1}'), member("zeros", bytes(200 << 20)), member("b", b'{"n":2}'))
    (tmp_path / "bomb.tar.xz").write_bytes(lzma.compress(zeros, preset=0))
    (tmp_path / "bomb.tar.bz2").write_bytes(bz2.compress(zeros))
    for name in ("bomb.tar.xz", "bomb.tar.bz2"):
        done = command("extract", name, "-f", "n", cwd=tmp_path)
        assert done.returncode == 1 and b"expands beyond the allowed ratio" in done.stderr, done.stderr
    (tmp_path / "large.tar").write_bytes(zeros)
    got, said = reports(tmp_path / "large.tar", document_size=100 << 20)
    assert got == [("a", 1), ("b", 2)]
    assert len(said) == 1 and "zeros" in said[0] and "larger than the size limit" in said[0], said


@pytest.mark.parametrize("ending", [".xz", ".bz2"])
def test_damage_of_packed_files(tmp_path: Path, ending: str) -> None:
    """No wrong row comes out of a damaged file, and each is reported."""
    text = lines(0, 3000)
    whole = PACKINGS[ending](text)
    want = list(range(3000))
    at = tmp_path / ("x.ndjson" + ending)
    some = random.Random(7)
    for _ in range(60):
        bad = bytearray(whole)
        bad[some.randrange(len(bad))] ^= 1 << some.randrange(8)
        at.write_bytes(bad)
        got, said = reports(at)
        seen = [n for _, n in got]
        assert seen == want[: len(seen)]
        assert said or seen == want
    for size in range(1, len(whole), len(whole) // 25):
        at.write_bytes(whole[:size])
        got, said = reports(at)
        assert [n for _, n in got] == want[: len(got)] and said


def test_several_streams_and_padding(tmp_path: Path) -> None:
    one, two = lines(0, 3), lines(3, 3)
    (tmp_path / "x.xz").write_bytes(lzma.compress(one) + bytes(8) + lzma.compress(two) + bytes(4))
    (tmp_path / "x.bz2").write_bytes(bz2.compress(one) + bz2.compress(two))
    (tmp_path / "none.xz").write_bytes(lzma.compress(one, check=lzma.CHECK_NONE) + lzma.compress(two, check=lzma.CHECK_SHA256))
    for name in ("x.xz", "x.bz2", "none.xz"):
        assert numbers(command("extract", name, "-f", "n", cwd=tmp_path)) == list(range(6))
    (tmp_path / "x.xz").write_bytes(lzma.compress(one) + b"more")
    assert b"something that is not xz follows" in command("extract", "x.xz", "-f", "n", cwd=tmp_path).stderr


@pytest.mark.parametrize("ending", [".xz", ".bz2"])
def test_binary_documents_in_them(tmp_path: Path, ending: str) -> None:
    documents = b"".join(kumihimo.dump({"n": i}, "msgpack") for i in range(5))
    (tmp_path / ("x.msgpack" + ending)).write_bytes(PACKINGS[ending](documents))
    assert numbers(command("extract", "x.msgpack" + ending, "-f", "n", cwd=tmp_path)) == list(range(5))
    (tmp_path / ("x.msgpack" + ending)).write_bytes(documents)
    assert b"by its name this is compressed" in command("extract", "x.msgpack" + ending, "-f", "n", cwd=tmp_path).stderr


def test_in_parts_like_in_one(tmp_path: Path) -> None:
    """Rows of many empty columns: a task is handed over in parts, and each goes on where the last one ended."""
    members = [member(f"{i}.tar", tar(*(member(f"{k}.ndjson", lines(i * 40 + k * 10, 10)) for k in range(4)))) for i in range(40)]
    (tmp_path / "x.tar").write_bytes(tar(*members))
    fields = [f"c{i}=none{i}" for i in range(3000)] + ["n"]
    run = kumihimo.extract([tmp_path / "x.tar"], fields, form="csv", nested=1, jobs=2)
    text = b""
    while (chunk := run.next_bytes()) is not None:
        text += chunk
    assert [int(line.rsplit(b",", 1)[1]) for line in text.splitlines()] == [i * 40 + k * 10 + n for i in range(40) for k in range(4) for n in range(10)]
