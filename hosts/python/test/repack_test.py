"""`kumihimo repack`: the same documents in blocks, and every way to read them again."""

import json
import os
import random
import re
import subprocess
import sys
import zipfile
import zlib

import pytest

import kumihimo
from kumihimo import _core

FORMATS = {row["name"]: row["endings"][0] for row in _core.formats()}
FRAMES = {row["name"]: row["ending"] for row in _core.frames() if row["available"]}
INDEXED = [name for name in ("zstd", "lz4") if name in FRAMES]
FIELDS = ["id", "price=p.price", "p.name", "second=t[1].v", "odd"]


def documents(n):
    return [{"id": i, "p": {"price": i / 4 + 0.1, "name": f"caf\u00e9 {i}"}, "t": [{"v": i}, {"v": -i}], "long": "x" * 300, "odd": None if i % 3 else i} for i in range(n)]


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """Zips of one document an entry, and of several."""
    at = tmp_path_factory.mktemp("archives")
    docs = documents(3000)
    for k in range(3):
        with zipfile.ZipFile(at / f"{k}.zip", "w", zipfile.ZIP_DEFLATED) as z:
            for i in range(k * 900, k * 900 + 900):
                z.writestr(f"day/{i:07}.json", json.dumps(docs[i], ensure_ascii=False))
    with zipfile.ZipFile(at / "3.zip", "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("rest.ndjson", "".join(json.dumps(d, ensure_ascii=False) + "\n" for d in docs[2700:]))
    return at


def rows(inputs, fields=FIELDS, **options):
    run = kumihimo.extract(inputs, fields, form="ndjson", **options)
    out = []
    while (chunk := run.next_bytes()) is not None:
        out += bytes(chunk).splitlines()
    return out, run


def command(*words, **options):
    return subprocess.run([sys.executable, "-m", "kumihimo", *map(str, words)], capture_output=True, **options)


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("frame", [*FRAMES, "none"])
def test_the_same_rows(tmp_path, archives, to, frame):
    out = tmp_path / ("all" + FORMATS[to] + FRAMES.get(frame, ""))
    done = kumihimo.repack([archives], out, block_size=100_000)
    assert (done.documents, done.reports, done.written) == (3000, [], out.stat().st_size)
    want = rows(archives)[0]
    for jobs in (1, 2, 4):
        assert rows(out, jobs=jobs)[0] == want
    for level in ("structural", "trusted"):
        assert rows(out, level=level)[0] == want


@pytest.mark.parametrize("frame", INDEXED)
@pytest.mark.parametrize("to", FORMATS)
def test_where_rows_came_from(tmp_path, archives, to, frame):
    out = tmp_path / ("all" + FORMATS[to] + FRAMES[frame])
    kumihimo.repack(archives, out, block_size=65536)
    want = rows(archives, ["id"], source=True)[0]
    assert json.loads(want[0])["entry"] == "day/0000000.json" and json.loads(want[-1])["offset"] > 0
    for jobs in (1, 4):
        assert rows(out, ["id"], source=True, jobs=jobs)[0] == want
    # Without the index a row is where it is.
    stream = command("extract", "-", "--format", to, "-f", "id", "--source", "--to", "ndjson", "-q", input=out.read_bytes())
    assert json.loads(stream.stdout.splitlines()[5])["archive"] == "-", stream.stderr


@pytest.mark.parametrize("frame", INDEXED)
def test_repacking_keeps_the_origins(tmp_path, archives, frame):
    first, second = tmp_path / ("a.msgpack" + FRAMES[frame]), tmp_path / ("b.cbor" + FRAMES[frame])
    kumihimo.repack(archives, first)
    kumihimo.repack(first, second, block_size=5000)
    assert rows(second, ["id"], source=True)[0] == rows(archives, ["id"], source=True)[0]


@pytest.mark.parametrize("frame", INDEXED)
def test_jobs_write_the_same_file(tmp_path, archives, frame):
    files = []
    for jobs in (1, 2, 4):
        out = tmp_path / (f"{jobs}.msgpack" + FRAMES[frame])
        kumihimo.repack(archives, out, jobs=jobs, block_size=30_000)
        files.append(out.read_bytes())
    assert files[0] == files[1] == files[2]


@pytest.mark.parametrize("frame", INDEXED)
def test_a_stream_for_everybody(tmp_path, archives, frame):
    """What another program unpacks is what convert writes."""
    out = tmp_path / ("all.msgpack" + FRAMES[frame])
    kumihimo.repack(archives, out, block_size=50_000)
    plain = subprocess.run([frame, "-dc", out], capture_output=True, check=True).stdout
    assert plain == b"".join(kumihimo.dump(d, "msgpack") for d in documents(3000))
    assert out.read_bytes()[:4] == _core.pack(b"", frame)[:4]
    converted = command("convert", out, "--to", "json", "-q")
    assert [json.loads(line) for line in converted.stdout.splitlines()] == documents(3000)
    with open(out, "rb") as stream:
        assert list(kumihimo.each_document(stream, "msgpack")) == documents(3000)
    checked = command("check", out)
    assert checked.returncode == 0 and b"3,000 documents" in checked.stderr, checked.stderr
    measured = command("measure", out, "--runs", "1", "-q")
    assert measured.returncode == 0 and b"msgpack" in measured.stdout, measured.stderr


@pytest.mark.parametrize("frame", INDEXED)
def test_check_reads_text_by_its_blocks(tmp_path, archives, frame):
    out = tmp_path / ("all.ndjson" + FRAMES[frame])
    kumihimo.repack(archives, out)
    checked = command("check", out)
    assert checked.returncode == 0 and b"3,000 documents" in checked.stderr, checked.stderr


@pytest.mark.parametrize("frame", INDEXED)
def test_joined_files(tmp_path, archives, frame):
    ending = ".cbor" + FRAMES[frame]
    a, b, all_ = tmp_path / ("a" + ending), tmp_path / ("b" + ending), tmp_path / ("all" + ending)
    kumihimo.repack(archives / "0.zip", a, block_size=40_000)
    kumihimo.repack(archives / "1.zip", b)
    all_.write_bytes(a.read_bytes() + b.read_bytes())
    assert rows(all_, ["id"], source=True)[0] == rows([archives / "0.zip", archives / "1.zip"], ["id"], source=True)[0]
    # Behind blocks what is none is a stream, whose places count on.
    plain = b"".join(kumihimo.dump(d, "cbor") for d in documents(700))
    all_.write_bytes(a.read_bytes() + _core.pack(plain, frame))
    found = [json.loads(row) for row in rows(all_, ["id"], source=True)[0]]
    assert [row["id"] for row in found] == [*range(900), *range(700)]
    assert found[0]["archive"].endswith("0.zip") and found[900]["archive"] == str(all_)
    assert found[900]["offset"] == sum(len(kumihimo.dump(d, "cbor")) for d in documents(900))


@pytest.mark.parametrize("frame", INDEXED)
def test_lines_count_on_behind_the_blocks(tmp_path, archives, frame):
    out = tmp_path / ("all.ndjson" + FRAMES[frame])
    kumihimo.repack(archives, out, block_size=40_000)
    out.write_bytes(out.read_bytes() + _core.pack(b'{"id":1}\n{"id":\n{"id":2}\n', frame))
    found, run = rows(out, ["id"], on_error="skip")
    (report,) = run.take_reports()
    assert len(found) == 3002 and report.line == 3002


@pytest.mark.parametrize("frame", INDEXED)
@pytest.mark.parametrize("to", ["json", "msgpack"])
def test_reports_name_the_origin(tmp_path, archives, to, frame):
    out = tmp_path / ("all" + FORMATS[to] + FRAMES[frame])
    kumihimo.repack(archives, out, block_size=20_000)
    _, run = rows(out, ["odd:bool"], on_error="skip")
    reports = run.take_reports()
    assert len(reports) == 1000
    assert reports[1].archive == str(out) and reports[1].entry == f"{archives / '0.zip'}: day/0000003.json" and reports[1].path == "$.odd"
    assert f"{out}: {archives / '0.zip'}: day/0000003.json: byte " in str(reports[1])
    unpacked = subprocess.run([frame, "-dc", out], capture_output=True, check=True).stdout
    where = len(b"".join(unpacked.splitlines(True)[:3])) if to == "json" else sum(len(kumihimo.dump(d, to)) for d in documents(3))
    assert reports[1].document in (where, None) and reports[1].offset >= where
    assert reports[1].line == (4 if to == "json" else 0)


def test_numbers_keep_their_digits_between_texts(tmp_path):
    lines = b'{"a":1.10,"b":1E2,"a":18446744073709551616,"c":0.30000000000000004,"d":1e400}\n{"b":[],"a":"\\u00e9"}\n'
    (tmp_path / "x.ndjson").write_bytes(lines)
    kumihimo.repack(tmp_path / "x.ndjson", tmp_path / "y.ndjson")
    assert (tmp_path / "y.ndjson").read_bytes() == lines.replace(b"\\u00e9", "\u00e9".encode())


# Values that some format cannot say, as documents of the format that says them.
STRANGE = [
    *[("json", text.encode()) for text in ("1E400", "-1e400", "[1E400]", "-0", "-0.0", "1.10", "12345678901234567890", "123456789012345678901", "NaN", '{"b":1,"b":2}', '"\\ud800"')],
    *[("msgpack", kumihimo.dump(value, "msgpack")) for value in (float("nan"), float("-inf"), b"\xff", 2**64 - 1, -0.0)],
    *[("cbor", kumihimo.dump(value, "cbor")) for value in (float("nan"), b"\xff", 2**70)],
    ("msgpack", b"\x81\x01\x02"),
    ("cbor", b"\xa1\x01\x02"),
    ("cbor", b"\xa1\x61a\xa1\xf6\x40"),
]


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("source, document", STRANGE)
def test_it_writes_and_refuses_what_convert_does(tmp_path, source, document, to):
    (tmp_path / "x").write_bytes(document)
    done = command("convert", tmp_path / "x", "--from", source, "--to", to, "--quiet")
    out = tmp_path / "y"
    try:
        kumihimo.repack(tmp_path / "x", out, to=to, format=source, frame="none", layout="document")
        assert done.returncode == 0, done.stderr
        assert out.read_bytes().rstrip(b"\n" if to == "json" else b"") == done.stdout.rstrip(b"\n" if to == "json" else b"")
    except kumihimo.ExtractionError:
        assert done.returncode == 1, done.stdout


def test_the_library_needs_no_command():
    """click is a package of the command alone."""
    code = "import sys; sys.modules['click'] = None; import kumihimo; kumihimo.repack"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_what_the_format_cannot_say(tmp_path):
    (tmp_path / "x.ndjson").write_bytes(b'{"a":1}\n{"a":123456789012345678901234567890}\n{"a":2}\n')
    out = tmp_path / "y.msgpack"
    done = command("repack", tmp_path / "x.ndjson", "-o", out)
    assert done.returncode == 1 and not out.exists()
    assert re.search(rb"x\.ndjson: .*MessagePack has no number of this size", done.stderr), done.stderr
    done = command("repack", tmp_path / "x.ndjson", "-o", out, "--to-dialect", "lenient")
    assert done.returncode == 0 and list(kumihimo.each_document(open(out, "rb"), "msgpack"))[1] == {"a": "123456789012345678901234567890"}
    assert kumihimo.repack(tmp_path / "x.ndjson", tmp_path / "y.cbor").documents == 3
    assert list(kumihimo.each_document(open(tmp_path / "y.cbor", "rb"), "cbor"))[1] == {"a": 123456789012345678901234567890}


def test_bad_documents(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as z:
        z.writestr("a.json", '{"a":1}')
        z.writestr("b.json", '{"a":')
        z.writestr("c.json", '{"a":3}')
    out = tmp_path / "y.msgpack.zst"
    with pytest.raises(kumihimo.ExtractionError, match="b.json"):
        kumihimo.repack(tmp_path / "x.zip", out)
    assert os.listdir(tmp_path) == ["x.zip"]
    done = kumihimo.repack(tmp_path / "x.zip", out, on_error="skip")
    assert done.documents == 2 and [r.entry for r in done.reports] == ["b.json"]
    done = kumihimo.repack(tmp_path / "x.zip", out, on_error="null")
    assert done.documents == 3 and [json.loads(r) for r in rows(out, ["a"])[0]] == [{"a": 1}, {"a": None}, {"a": 3}]
    assert [json.loads(r)["entry"] for r in rows(out, ["a"], source=True)[0]] == ["a.json", "b.json", "c.json"]
    kumihimo.repack(tmp_path / "x.zip", out, on_error="quarantine", quarantine=tmp_path / "bad")
    assert json.loads((tmp_path / "bad").read_text())["document"] == '{"a":'
    with pytest.raises(ValueError, match="quarantine"):
        kumihimo.repack(tmp_path / "x.zip", out, on_error="quarantine")


def test_the_command(tmp_path, archives):
    out = tmp_path / "all.msgpack.zst"
    done = command("repack", archives / "0.zip", "-o", out, "--match", "day/00000*", "--jobs", "2", "--frame-level", "5")
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(rb"100 documents, [\d.]+ [KM]B into [\d.]+ [KM]B \([\d.]+ : 1\) in [\d.]+ s\n", done.stderr), done.stderr
    piped = command("repack", archives / "3.zip", "--to", "json", "--limit", "2", "-q")
    assert [json.loads(line)["id"] for line in piped.stdout.splitlines()] == [2700, 2701] and not piped.stderr
    piped = command("repack", "-", "--to", "cbor", "--frame", "zstd", "-q", input=(archives / "3.zip").read_bytes())
    (tmp_path / "p.cbor.zst").write_bytes(piped.stdout)
    assert len(rows(tmp_path / "p.cbor.zst", ["id"])[0]) == 300
    noted = command("repack", archives / "3.zip", "-o", tmp_path / "all.msgpack.gz")
    assert noted.returncode == 0 and b"note: gzip has no place for an index" in noted.stderr


@pytest.mark.parametrize(
    "words, why",
    [
        (["-o", "x"], b"name the format to write"),
        (["-o", "x.msgpack", "--frame-level", "3"], b"--frame-level is the level of a frame"),
        (["-o", "x.msgpack.zst", "--frame-level", "99"], b"level"),
        (["-o", "x.msgpack.zst", "--to-dialect", "nonsense"], b"Error: --to-dialect of 'msgpack' is one of 'standard'"),
        (["-o", "x.msgpack.zst", "--block-size", "1K"], b"--block-size is at least 4096"),
        (["-o", "x.msgpack.zst", "--block-size", "1G"], b"at most 268435456 bytes"),
        (["-o", "0.zip", "--to", "msgpack"], b"0.zip is also an input"),
        (["-o", "x.msgpack", "--on-error", "quarantine=x.msgpack"], b"would be written twice"),
    ],
)
def test_wrong_command_lines(tmp_path, archives, words, why):
    for name in os.listdir(archives):
        (tmp_path / name).write_bytes((archives / name).read_bytes())
    done = command("repack", "0.zip", *words, cwd=tmp_path)
    assert done.returncode == 2 and why in done.stderr, done.stderr
    assert not (tmp_path / "x.msgpack.zst").exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="not proven: there is no /dev/full")
def test_a_quarantine_without_room_is_named(tmp_path):
    """And not the output, to which nothing has happened."""
    (tmp_path / "bad.ndjson").write_text('{"n": 1}\n{"n": 01}\n')
    done = command("repack", "bad.ndjson", "-o", "x.msgpack", "--on-error", "quarantine=/dev/full", cwd=tmp_path)
    assert done.returncode == 1 and b"No space left on device: '/dev/full'" in done.stderr, done.stderr
    with pytest.raises(OSError, match="/dev/full"):
        kumihimo.repack(tmp_path / "bad.ndjson", tmp_path / "x.msgpack", on_error="quarantine", quarantine="/dev/full")
    assert os.listdir(tmp_path) == ["bad.ndjson"]


def test_wrong_parameters(tmp_path, archives, monkeypatch):
    """What cannot be is known before anything is written, and nothing is packed to find it out."""
    monkeypatch.setattr(_core, "Packer", None)
    out = tmp_path / "x.msgpack.gz"
    for why, parameters in (("the levels of gzip are", {"frame_level": 99}), ("frame is one of 'none', 'gzip'", {"frame": "nonsense"}), ("dialect of 'json' is one of", {"format": "json", "dialect": "nope"})):
        with pytest.raises(ValueError, match=why):
            kumihimo.repack(archives / "0.zip", out, **parameters)
    assert os.listdir(tmp_path) == []
    kumihimo.repack(archives / "0.zip", out, frame_level=1)
    assert len(rows(out, ["id"])[0]) == 900


def test_no_document(tmp_path):
    (tmp_path / "empty.ndjson").write_bytes(b"")
    for frame, ending in [*FRAMES.items(), ("none", "")]:
        out = tmp_path / ("none.msgpack" + ending)
        assert kumihimo.repack(tmp_path / "empty.ndjson", out).documents == 0
        assert rows(out, ["a"])[0] == []
        assert command("convert", out, "--to", "json").returncode == 0
        assert frame == "none" or _core.unpack(out.read_bytes(), frame) == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="not proven: there is no /dev/full")
@pytest.mark.parametrize("jobs", [1, 4])
def test_an_output_that_breaks(tmp_path, archives, jobs):
    done = command("repack", archives, "-o", "/dev/full", "--to", "msgpack", "--frame", "zstd", "--jobs", jobs)
    assert done.returncode == 1 and b"/dev/full" in done.stderr and b"space" in done.stderr
    reader = subprocess.Popen([sys.executable, "-m", "kumihimo", "repack", archives, "--to", "msgpack", "--jobs", str(jobs)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    reader.stdout.read(10)
    reader.stdout.close()
    assert reader.stderr.read() == b""
    reader.wait(timeout=60)
    reader.stderr.close()


def test_one_document_larger_than_a_block(tmp_path):
    docs = [{"a": 1}, {"a": "x" * 50_000}, {"a": 2}, {"a": "y" * 4_096}]
    (tmp_path / "x.ndjson").write_text("".join(json.dumps(d) + "\n" for d in docs))
    for name in INDEXED:
        out = tmp_path / ("y.msgpack" + FRAMES[name])
        kumihimo.repack(tmp_path / "x.ndjson", out, block_size=4096)
        assert [json.loads(r) for r in rows(out, ["a"])[0]] == docs


# ---- damage -----------------------------------------------------------------------------------------------------------------------


def indexes(data):
    """Where the index of each block is, and how long it is with its head."""
    return [(m.start(), 8 + int.from_bytes(data[m.start() + 4 : m.start() + 8], "little")) for m in re.finditer(rb"\x5b\x2a\x4d\x18....kumihimo\x01", data, re.S)]


@pytest.fixture(scope="module", params=INDEXED)
def small(request, tmp_path_factory):
    """A block file that is read by one worker, and one that is cut into tasks; with the ids in each."""
    at = tmp_path_factory.mktemp("small")
    lines = "".join(json.dumps({"id": i, "text": "abc" * 3}) + "\n" for i in range(60))
    (at / "x.ndjson").write_text(lines)
    out = at / ("x.msgpack" + FRAMES[request.param])
    kumihimo.repack(at / "x.ndjson", out, block_size=4096)
    return request.param, out.read_bytes()


def ids(file, jobs=1):
    found, run = rows(file, ["id"], on_error="skip", jobs=jobs)
    return [json.loads(r)["id"] for r in found], run.take_reports()


def grown(data, frame):
    """The same file beyond the size up to which files are not mapped."""
    noise = random.Random(1).randbytes(200_000)
    return data + b"\x50\x2a\x4d\x18" + len(noise).to_bytes(4, "little") + noise


@pytest.mark.parametrize("mapped", [False, True])
def test_every_byte_of_an_index(tmp_path, small, mapped):
    frame, data = small
    ((at, length), *_) = indexes(data)
    file = tmp_path / ("x.msgpack" + FRAMES[frame])
    told = 0
    for i in range(at, at + length):
        for change in (1, 128):
            bad = bytearray(data)
            bad[i] ^= change
            file.write_bytes(grown(bytes(bad), frame) if mapped else bytes(bad))
            found, reports = ids(file)
            # All documents, by the stream if need be, or an error where the damage hides the block.
            assert found == list(range(60)) or (reports and found == list(range(len(found)))), (i - at, change, reports)
            if i < at + 17:
                continue
            assert found == list(range(60)), (i - at, reports)
            if reports:  # else what is packed otherwise is the same index
                assert len(reports) == 1 and "index of a block is damaged" in str(reports[0]) and reports[0].offset == at
            told += len(reports)
    assert told > length


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_byte_of_a_block(tmp_path, small, jobs):
    frame, data = small
    ((at, length), *_) = indexes(data)
    file = tmp_path / ("x.msgpack" + FRAMES[frame])
    for i in range(at + length, len(data)):
        bad = bytearray(data)
        bad[i] ^= 16
        file.write_bytes(bytes(bad))
        found, reports = ids(file, jobs)
        assert found == [] and len(reports) == 1 and "does not match its checksum" in str(reports[0]) and reports[0].offset == at


def test_damage_stops(tmp_path, archives):
    for name in INDEXED:
        out = tmp_path / ("all.msgpack" + FRAMES[name])
        kumihimo.repack(archives, out, block_size=50_000)
        data = bytearray(out.read_bytes())
        places = indexes(bytes(data))
        data[places[5][0] + 40] ^= 1  # the sixth index
        out.write_bytes(data)
        with pytest.raises(kumihimo.ExtractionError, match="index of a block is damaged"):
            rows(out, ["id"])
        assert ids(out, 4)[0] == list(range(3000))
        data[places[5][0] + 40] ^= 1
        data[places[3][0] + places[3][1] + 20] ^= 1  # the fourth block
        out.write_bytes(data)
        done = command("extract", out, "-f", "id", "-o", tmp_path / "rows.csv")
        assert done.returncode == 1 and b"does not match its checksum" in done.stderr and not (tmp_path / "rows.csv").exists()
        found, reports = ids(out, 4)
        assert len(reports) == 1 and 2000 < len(found) < 3000 and sorted(set(found)) == found


def test_every_cut(tmp_path, small):
    frame, data = small
    file = tmp_path / ("x.msgpack" + FRAMES[frame])
    for size in range(4, len(data)):
        file.write_bytes(data[:size])
        found, reports = ids(file)
        assert found == list(range(len(found))), size
        assert reports or not found or found == list(range(60)), size


def test_cut_between_many_blocks(tmp_path, archives):
    for name in INDEXED:
        out = tmp_path / ("all.cbor" + FRAMES[name])
        kumihimo.repack(archives, out, block_size=20_000)
        data = out.read_bytes()
        chance = random.Random(7)
        for _ in range(25):
            out.write_bytes(data[: chance.randrange(len(data) // 3, len(data))])
            found, reports = ids(out, 3)
            assert found == list(range(len(found))) and len(reports) <= 1


def lying(data, frame, **changes):
    """The file's first block with another index, whose check sum is right."""
    ((at, length), *_) = indexes(data)
    index = kumihimo.load(_core.unpack(data[at + 17 : at + length], frame), "msgpack")
    index.update(changes)
    packed = _core.pack(kumihimo.dump(index, "msgpack"), frame)
    return data[:at] + b"\x5b\x2a\x4d\x18" + (9 + len(packed)).to_bytes(4, "little") + b"kumihimo\x01" + packed + data[at + length :], index


@pytest.mark.parametrize("mapped", [False, True])
def test_indexes_that_lie(tmp_path, small, mapped):
    frame, data = small
    file = tmp_path / ("x.msgpack" + FRAMES[frame])
    true = lying(data, frame)[1]
    lengths = true["lengths"]

    def given(**changes):
        made = lying(data, frame, **changes)[0]
        file.write_bytes(grown(made, frame) if mapped else made)
        return ids(file)

    assert given() == (list(range(60)), [])
    # What cannot be an index is none: all documents, and a report.
    for wrong in (
        {"lengths": []}, {"lengths": [0, *lengths]}, {"lengths": [-1]}, {"lengths": "x"}, {"lengths": [2**63, 2**63]}, {"lengths": [[1]]},
        {"packed": 0}, {"packed": -1}, {"packed": None}, {"check": 2**32}, {"check": "x"}, {"format": 7}, {"format": "nonsense"}, {"origins": 3},
        {"lengths": [1] * (2**16 + 1)}, {"origins": bytes(9 << 20)}, {"more": [0] * 2**17},
    ):  # fmt: skip
        found, reports = given(**wrong)
        assert found == list(range(60)) and ["index of a block is damaged" in str(r) for r in reports] == [True], wrong
    # More bytes than the file has: it looks cut off, and is a stream.
    for wrong in (true["packed"] + 10**6, 2**63, 2**64 - 1):
        assert given(packed=wrong)[0] == list(range(60))
    # Other bytes than those of the check sum, or other lengths than the text has: the block is not given.
    for wrong in ({"check": true["check"] ^ 1}, {"lengths": lengths[:-1]}, {"lengths": [*lengths, 1]}, {"lengths": [2**40]}):
        found, reports = given(**wrong)
        assert found == [] and len(reports) >= 1 and reports[0].scope == "input", wrong
        assert "archive" not in reports[0].message and "entry" not in reports[0].message, wrong
    for wrong, words in ((lengths[:-1], "the block expands to more than its index says"), ([*lengths, 1], "the block expands to less than its index says")):
        assert words in str(given(lengths=wrong)[1][0])
    # Lengths that add up, and cut elsewhere: every document's reader says so within its bytes.
    found, reports = given(lengths=[lengths[0] + 1, lengths[1] - 1, *lengths[2:]])
    assert found == list(range(2, 60)) and [r.scope for r in reports] == ["document"] * 2
    found, reports = given(lengths=[sum(lengths)])
    assert found == [] and len(reports) == 1


@pytest.mark.parametrize(
    "origins",
    [b"", b"\xc1", {}, [], {"archives": [], "entries": [], "offsets": []}, {"archives": [b"a", 1], "entries": [0, b"e"], "offsets": [0]},
     {"archives": [b"a", 60], "entries": [7, b"e"] * 60, "offsets": [0] * 60}, {"archives": [b"a", -1], "entries": [0, b"e"] * 60, "offsets": [0] * 60},
     {"archives": [b"a", 60], "entries": [0, b"e" * (3 << 20), *[3 << 20, b"x"] * 59], "offsets": [0] * 60},
     {"archives": [b"a"], "entries": [0], "offsets": [2**64 - 1] * 60}, {"archives": ["a", 60], "entries": [0, "e"] * 60, "offsets": [0] * 60},
     {"archives": [b"a", 60], "entries": [0, b"e"] + [1, b""] * 59, "offsets": [2**64 - 1] + [0] * 59},
     {"archives": [b"a", 60], "entries": [0, b"e"] + [1, b""] * 59, "offsets": [2**63 - 1] + [1] * 59},
     {"archives": [b"a", 60], "entries": [0, b"e"] + [1, b""] * 59, "offsets": [5] + [-(2**63)] * 59}],
)  # fmt: skip
def test_origins_that_lie(tmp_path, small, origins):
    """Rows are what they are; where nothing is known of their origin they are from the file itself."""
    frame, data = small
    file = tmp_path / ("x.msgpack" + FRAMES[frame])
    packed = origins if isinstance(origins, bytes) else kumihimo.dump(origins, "msgpack")
    file.write_bytes(lying(data, frame, origins=packed)[0])
    found, run = rows(file, ["id"], source=True)
    assert [json.loads(r)["id"] for r in found] == list(range(60)) and not run.take_reports()
    assert json.loads(found[-1])["archive"] == str(file)


@pytest.mark.parametrize("mapped", [False, True])
def test_blocks_that_are_mostly_index(tmp_path, small, mapped):
    """Origins of 4 MB each before documents of a byte: no more than one is kept."""
    frame, _ = small
    origins = kumihimo.dump({"archives": [b"a" * (4 << 20) + b"b", 1], "entries": [0, b""], "offsets": [0]}, "msgpack")
    block = _core.pack(b"\x01", frame)
    index = _core.pack(kumihimo.dump({"format": "msgpack", "packed": len(block), "check": zlib.crc32(block), "lengths": [1], "origins": origins}, "msgpack"), frame)
    one = b"\x5b\x2a\x4d\x18" + (9 + len(index)).to_bytes(4, "little") + b"kumihimo\x01" + index + block
    file = tmp_path / ("x.msgpack" + FRAMES[frame])
    count = (200_000 if mapped else 100_000) // len(one) + 1
    file.write_bytes(_core.pack(b"", frame) + one * count)
    found, run = rows(file, ["$"], source=True, jobs=2)
    assert len(found) == count and not run.take_reports()


def test_another_version_is_a_stream(tmp_path, small):
    frame, data = small
    ((at, _), *_) = indexes(data)
    file = tmp_path / ("x.msgpack" + FRAMES[frame])
    file.write_bytes(data[: at + 16] + b"\x02" + data[at + 17 :])
    assert ids(file) == (list(range(60)), [])


def test_format_and_layout_that_are_stated(tmp_path, small, archives):
    """The index is used where it says what is asked for."""
    frame, data = small
    file = tmp_path / "x"
    file.write_bytes(data)
    assert len(rows(file, ["id"])[0]) == 60  # the index knows the format
    assert len(rows(file, ["id"], format="msgpack")[0]) == 60
    assert rows(file, ["id"], format="cbor", on_error="skip")[1].take_reports()
    out = tmp_path / ("all.ndjson" + FRAMES[frame])
    kumihimo.repack(archives / "3.zip", out)
    found, run = rows(out, ["id"], layout="document", on_error="skip")
    assert found == [] and len(run.take_reports()) == 1


@pytest.mark.parametrize("frame", INDEXED)
def test_limits_hold(tmp_path, frame):
    (tmp_path / "x.ndjson").write_text("".join(json.dumps({"a": "x" * 1_000_000}) + "\n" for _ in range(40)))
    out = tmp_path / ("y.msgpack" + FRAMES[frame])
    kumihimo.repack(tmp_path / "x.ndjson", out, block_size=64 << 20)
    assert len(rows(out, ["a"], ratio=100_000)[0]) == 40
    with pytest.raises(kumihimo.ExtractionError, match="ratio"):
        rows(out, ["a"], ratio=20)
    with pytest.raises(kumihimo.ExtractionError, match="size"):
        rows(out, ["a"], document_size=20_000_000)


@pytest.mark.parametrize("frame", INDEXED)
def test_in_a_zip_it_is_a_stream(tmp_path, archives, frame):
    name = "all.msgpack" + FRAMES[frame]
    kumihimo.repack(archives, tmp_path / name, block_size=50_000)
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as z:
        z.write(tmp_path / name, name)
    assert rows(tmp_path / "x.zip")[0] == rows(archives)[0]


def test_names_that_are_no_text(tmp_path):
    name = os.fsencode(tmp_path) + b"/caf\xe9.ndjson"
    with open(name, "wb") as file:
        file.write(b'{"a":1}\n')
    for frame in INDEXED:
        out = tmp_path / ("y.cbor" + FRAMES[frame])
        kumihimo.repack(name, out)
        assert rows(out, ["a"], source=True)[0] == rows(name, ["a"], source=True)[0]


def test_parts_that_are_handed_over_in_turns(tmp_path):
    """Rows much larger than their text: a block is given in parts, and each begins where the last ended."""
    (tmp_path / "x.ndjson").write_text("".join('{"k%d":%d}\n' % (i % 900, i) for i in range(40_000)))
    for frame in INDEXED:
        out = tmp_path / ("y.msgpack" + FRAMES[frame])
        kumihimo.repack(tmp_path / "x.ndjson", out)
        assert rows(out, None, sample=2000)[0] == rows(tmp_path / "x.ndjson", None, sample=2000)[0]
