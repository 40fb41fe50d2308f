"""Rows out of binary documents: the same as out of NDJSON of the same documents, wherever they lie."""

import base64
import gzip
import json
import os
import subprocess
import sys
import zipfile

import pytest

import kumihimo
from kumihimo import _core

BINARY = [row["name"] for row in _core.formats() if row["name"] != "json"]
ENDING = {row["name"]: row["endings"][0] for row in _core.formats()}


def documents(n):
    return [{"id": i, "p": {"price": i / 4, "name": f"caf\u00e9 {i}"}, "t": [{"v": i}, {"v": -i}], "long": "x" * 300, "odd": None if i % 3 else i} for i in range(n)]


def packed(docs, name):
    return b"".join(kumihimo.dump(d, name) for d in docs)


def rows(inputs, fields, **options):
    run = kumihimo.extract(inputs, fields, form="ndjson", **options)
    out = []
    while (chunk := run.next_bytes()) is not None:
        out += [json.loads(line) for line in bytes(chunk).splitlines()]
    return out, run


FIELDS = ["id", "price=p.price", "p.name", "second=t[1].v", "all=t[*].v", "odd"]


def expected(docs):
    return [{"id": d["id"], "price": d["p"]["price"], "p.name": d["p"]["name"], "second": d["t"][1]["v"], "all": [t["v"] for t in d["t"]], "odd": d["odd"]} for d in docs]


def plain(found):
    """Column names as the run gives them are compared by position."""
    return [list(row.values()) for row in found]


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("level", ["strict", "structural", "trusted"])
@pytest.mark.parametrize("jobs", [1, 4])
@pytest.mark.parametrize("count", [5, 6000])  # a file that is read as a whole, and one that is cut into pieces
def test_files(tmp_path, name, level, jobs, count):
    docs = documents(count)
    file = tmp_path / ("x" + ENDING[name])
    file.write_bytes(packed(docs, name))
    found, _ = rows(file, FIELDS, jobs=jobs, level=level)
    assert plain(found) == plain(expected(docs))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("count", [5, 3000])
def test_columns_are_found(tmp_path, name, count):
    docs = documents(count)
    (tmp_path / ("x" + ENDING[name])).write_bytes(packed(docs, name))
    (tmp_path / "x.ndjson").write_text("".join(json.dumps(d, ensure_ascii=False) + "\n" for d in docs))
    assert rows(tmp_path / ("x" + ENDING[name]), None)[0] == rows(tmp_path / "x.ndjson", None)[0]


@pytest.mark.parametrize("name", BINARY)
def test_zip_frames_and_statement(tmp_path, name):
    docs = documents(700)
    data = packed(docs, name)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("one" + ENDING[name], packed(docs[:300], name))
        z.writestr("two" + ENDING[name] + ".gz", gzip.compress(packed(docs[300:], name)))
    (tmp_path / ("x" + ENDING[name] + ".gz")).write_bytes(gzip.compress(data))
    (tmp_path / "plain").write_bytes(data)
    want = plain(expected(docs))
    assert plain(rows(tmp_path / "a.zip", FIELDS)[0]) == want
    assert plain(rows(tmp_path / ("x" + ENDING[name] + ".gz"), FIELDS)[0]) == want
    assert plain(rows(tmp_path / "plain", FIELDS, format=name)[0]) == want


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("frame", [row["name"] for row in _core.frames() if row["available"]])
def test_every_frame(tmp_path, name, frame):
    docs = documents(900)
    ending = next(row["ending"] for row in _core.frames() if row["name"] == frame)
    file = tmp_path / ("x" + ENDING[name] + ending)
    file.write_bytes(_core.pack(packed(docs[:400], name), frame) + _core.pack(packed(docs[400:], name), frame))
    assert plain(rows(file, FIELDS)[0]) == plain(expected(docs))
    done = subprocess.run([sys.executable, "-m", "kumihimo", "extract", "-", "--format", name, "--to", "ndjson", "-q", "-f", "id"], input=file.read_bytes(), capture_output=True)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == list(range(900)), done.stderr


@pytest.mark.parametrize("name", BINARY)
def test_quarantine_keeps_the_document(tmp_path, name):
    docs = [{"a": 1}, {"a": "x"}, {"a": 3}]
    (tmp_path / ("x" + ENDING[name])).write_bytes(packed(docs, name))
    done = subprocess.run([sys.executable, "-m", "kumihimo", "extract", "x" + ENDING[name], "-f", "a:int64", "--on-error", "quarantine=bad"], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0 and done.stdout == b"a\n1\n3\n" and b"; 1 bad record\n" in done.stderr
    record = json.loads((tmp_path / "bad").read_text())
    assert base64.b64decode(record["document_base64"]) == kumihimo.dump(docs[1], name) and record["path"] == "$.a"


@pytest.mark.parametrize("name", BINARY)
def test_standard_input(name):
    docs = documents(2000)
    for fields in (["-f", "id", "-f", "p.name"], []):
        done = subprocess.run([sys.executable, "-m", "kumihimo", "extract", "-", "--format", name, "--to", "ndjson", "-q", *fields], input=packed(docs, name), capture_output=True)
        assert done.returncode == 0, done.stderr
        found = [json.loads(line) for line in done.stdout.splitlines()]
        assert [(r["id"], r["p.name"]) for r in found] == [(d["id"], d["p"]["name"]) for d in docs]


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("jobs", [1, 4])
def test_cut_off(tmp_path, name, jobs):
    docs = documents(1500)
    file = tmp_path / ("x" + ENDING[name])
    data = packed(docs, name)
    start = len(data) - len(kumihimo.dump(docs[-1], name))
    file.write_bytes(data[:-7])
    found, run = rows(file, FIELDS, jobs=jobs, on_error="skip")
    assert plain(found) == plain(expected(docs[:-1]))
    (report,) = run.take_reports()
    assert report.scope == "document" and report.offset >= start and not report.line


@pytest.mark.parametrize("name", BINARY)
def test_a_value_that_does_not_fit(tmp_path, name):
    docs = [{"a": 1}, {"a": "x"}, {"a": 3}]
    file = tmp_path / ("x" + ENDING[name])
    file.write_bytes(packed(docs, name))
    found, run = rows(file, ["a:int64"], on_error="skip")
    assert found == [{"a": 1}, {"a": 3}]
    (report,) = run.take_reports()
    first, second = (kumihimo.dump(d, name) for d in docs[:2])
    assert report.offset == len(first) + second.index(b"x") - 1 and not report.line and report.path == "$.a"


def test_a_format_nobody_knows(tmp_path):
    (tmp_path / "x").write_bytes(b"{}")
    with pytest.raises(ValueError, match="format"):
        rows(tmp_path / "x", ["a"], format="nonsense")


# What of a top-level array becomes rows, in every format that has one whose elements stand alone.
ARRAYS = ["msgpack", "cbor"]


def opened(name, n):
    """The beginning of an array of n, and its end; n None: of CBOR's open end."""
    if n is None:
        return b"\x9f", b"\xff"
    if name == "msgpack":
        return (bytes([0x90 + n]) if n < 16 else b"\xdd" + n.to_bytes(4, "big")), b""
    return (bytes([0x80 + n]) if n < 24 else b"\x9a" + n.to_bytes(4, "big")), b""


def array_of(name, docs, count=-1):
    head, tail = opened(name, len(docs) if count == -1 else count)
    return head + packed(docs, name) + tail


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("jobs", [1, 4])
@pytest.mark.parametrize("count", [1, 5, 6000])
@pytest.mark.parametrize("level", ["strict", "trusted"])
def test_an_array_is_a_row_for_each_element(tmp_path, name, jobs, count, level):
    docs = documents(count)
    (tmp_path / "x.json").write_text(json.dumps(docs))
    want = rows(tmp_path / "x.json", FIELDS, jobs=jobs)[0]
    for data in [array_of(name, docs)] + ([array_of(name, docs, None), b"\xd9\xd9\xf7" + array_of(name, docs, None)] if name == "cbor" else []):
        file = tmp_path / ("x" + ENDING[name])
        file.write_bytes(data)
        assert rows(file, FIELDS, jobs=jobs, level=level)[0] == want
        assert rows(file, None, jobs=jobs)[0] == rows(tmp_path / "x.json", None, jobs=jobs)[0]
        (tmp_path / ("x" + ENDING[name] + ".gz")).write_bytes(gzip.compress(data))
        assert rows(tmp_path / ("x" + ENDING[name] + ".gz"), FIELDS, jobs=jobs, level=level)[0] == want
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as z:
            z.writestr("one" + ENDING[name], data)
        assert rows(tmp_path / "a.zip", FIELDS, jobs=jobs, level=level)[0] == want
        done = subprocess.run([sys.executable, "-m", "kumihimo", "extract", "-", "--format", name, "--to", "ndjson", "-q", "-f", "id"], input=data, capture_output=True)
        assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == list(range(count)), done.stderr


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_that_are_documents(tmp_path, name):
    file = tmp_path / ("x" + ENDING[name])
    stream = packed([[i, i * 2] for i in range(500)], name)
    file.write_bytes(stream)
    assert [r["n"] for r in rows(file, ["n=[0]:int64"])[0]] == list(range(500))
    file.write_bytes(packed([[{"a": 1}, {"a": 2}]], name))
    assert [r["a"] for r in rows(file, ["a"])[0]] == [1, 2]
    assert [r["a"] for r in rows(file, ["a=[*].a"], layout="document")[0]] == [[1, 2]]
    file.write_bytes(array_of(name, []))
    assert rows(file, ["a"])[0] == []


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("jobs", [1, 4])
@pytest.mark.parametrize("count", [6, 3000])
def test_an_array_that_is_cut_off(tmp_path, name, jobs, count):
    docs = documents(count)
    file = tmp_path / ("x" + ENDING[name])
    data = array_of(name, docs)
    file.write_bytes(data[:-7])
    found, run = rows(file, FIELDS, jobs=jobs, on_error="skip")
    assert plain(found) == plain(expected(docs[:-1]))
    (report,) = run.take_reports()
    assert report.scope == "document" and report.offset >= len(data) - len(kumihimo.dump(docs[-1], name))
    file.write_bytes(data[: -len(kumihimo.dump(docs[-1], name))])
    found, run = rows(file, FIELDS, jobs=jobs, on_error="skip")
    assert plain(found) == plain(expected(docs[:-1]))
    (report,) = run.take_reports()
    assert "not closed" in report.message
    file.write_bytes(data + b"\x01")
    if count == 3000:
        found, run = rows(file, FIELDS, jobs=jobs, on_error="skip")
        assert plain(found) == plain(expected(docs))
        (report,) = run.take_reports()
        assert "follows the top-level array" in report.message and report.offset == len(data)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("fields", [["a.b:int64"], ["a.b:int64", "rest=c"], None])
def test_the_place_of_a_value_that_does_not_fit(tmp_path, name, fields):
    """Offsets count in the document's own bytes, also where JSON was made of it."""
    docs = [{"a": {"b": 1}, "c": "x" * 40}] * 3 + [{"c": "y" * 50, "a": {"b": "no", "c": 1}}]
    file = tmp_path / ("x" + ENDING[name])
    file.write_bytes(packed(docs, name))
    if fields is None:
        fields = ["a.b:int64"]
        with zipfile.ZipFile(tmp_path / "z.zip", "w", zipfile.ZIP_DEFLATED) as z:
            z.writestr("in" + ENDING[name], file.read_bytes())
        file = tmp_path / "z.zip"
    found, run = rows(file, fields, on_error="skip")
    assert len(found) == 3
    (report,) = run.take_reports()
    start = len(packed(docs[:3], name))
    value = kumihimo.dump(docs[3], name).index(b"no")
    assert report.path == "$.a.b" and start + value - 2 <= report.offset <= start + value and not report.line


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("level", ["strict", "structural", "trusted"])
def test_cut_at_every_byte(tmp_path, name, level):
    """Rows before the damage are there, and nothing crashes."""
    docs = [{"id": i, "p": {"price": i / 4, "name": "x"}, "t": [{"v": 1}, {"v": 2}]} for i in range(3)]
    whole = packed(docs, name)
    one = len(kumihimo.dump(docs[0], name))
    file = tmp_path / ("x" + ENDING[name])
    for n in range(1, len(whole) + 1):
        file.write_bytes(whole[:n])
        found, run = rows(file, ["id", "p.price"], on_error="skip", level=level, jobs=1)
        assert [r["id"] for r in found][: n // one] == list(range(n // one))
        if level == "strict":
            assert len(found) == n // one and len(run.take_reports()) == (n % one != 0)


@pytest.mark.parametrize("name", ARRAYS)
def test_columns_take_values_as_they_do_from_json(tmp_path, name):
    values = [1, -1, 0, 2**53 + 1, 2**63, -(2**63), 1.5, -0.0, 1e300, 123456789012345678, "text", "1.5", "true", True, False, None, [1, {"a": "b"}], {"k": [None]}, "", "é\n\"", 10**15, "2016-12-25T01:53:10Z"]
    types = ["int64", "float64", "decimal", "decimal(38,4)", "string", "bool", "json", "timestamp"]
    file, text = tmp_path / ("x" + ENDING[name]), tmp_path / "x.ndjson"
    file.write_bytes(packed([{"v": v} for v in values], name))
    text.write_text("".join(json.dumps({"v": v}, separators=(",", ":"), ensure_ascii=False) + "\n" for v in values))
    for kind in types:
        a, b = rows(file, [f"v:{kind}"], on_error="null"), rows(text, [f"v:{kind}"], on_error="null")
        assert a[0] == b[0], kind
        assert [r.message for r in a[1].take_reports()] == [r.message for r in b[1].take_reports()], kind
    assert rows(file, ["v"])[0] == rows(text, ["v"])[0]
    assert rows(file, ["all=v[*].a", "k=v.k[*]"])[0] == rows(text, ["all=v[*].a", "k=v.k[*]"])[0]


@pytest.mark.parametrize("name", ["msgpack", "cbor"])
@pytest.mark.parametrize("level", ["strict", "trusted"])
def test_keys_that_are_no_text(tmp_path, name, level):
    """Columns that are found name an integer key by its digits; a path has text keys only."""
    file = tmp_path / f"x.{name}"
    file.write_bytes({"msgpack": b"\x82\x01\xa3one\xa1a\x02", "cbor": b"\xa2\x01\x63one\x61a\x02"}[name])
    assert rows(file, [], level=level)[0] == [{"1": "one", "a": 2}]
    assert rows(file, ["1", "a"], level=level)[0] == [{"1": None, "a": 2}]


FRAMES = {row["name"]: row["ending"] for row in _core.frames() if row["available"]}


def padded_array(name, size):
    """An array of so many bytes, and its elements."""
    docs = [{"a": i, "s": "x" * 50} for i in range(size // 70)]
    docs[-1]["s"] = "x" * 300
    docs[-1]["s"] += "x" * (size - len(array_of(name, docs)))
    data = array_of(name, docs)
    assert len(data) == size
    return data, docs


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("size", [65_535, 65_536, 65_537, 80_000, 400_000])
@pytest.mark.parametrize("behind", [False, True])
def test_the_first_64_kb_decide_by_every_transport(tmp_path, name, size, behind):
    data, docs = padded_array(name, size)
    if behind:
        data += kumihimo.dump({"a": -1}, name)
    array = not behind or size > 65_536
    want = [d["a"] for d in docs] if array else [None, -1]
    files = {"file": data, "unnamed": data, **{frame: _core.pack(data, frame) for frame in FRAMES}}
    for how, content in files.items():
        file = tmp_path / ("plain" if how == "unnamed" else "x" + ENDING[name] + FRAMES.get(how, ""))
        file.write_bytes(content)
        stored = tmp_path / "a.zip"
        with zipfile.ZipFile(stored, "w", zipfile.ZIP_DEFLATED) as z:
            z.writestr(file.name, content)
        for found in (file, stored):
            for jobs in (1, 4):
                got, run = rows(found, ["a"], jobs=jobs, on_error="skip", format=name if how == "unnamed" else None)
                assert [r["a"] for r in got] == want, (how, found)
                assert ["follows the top-level array" in str(r) for r in run.take_reports()] == [True] * (behind and array), (how, found)
        checked = subprocess.run([sys.executable, "-m", "kumihimo", "check", file, "--from", name, "-q"], capture_output=True)
        assert checked.returncode == (behind and array), (how, checked.stderr)
        done = subprocess.run([sys.executable, "-m", "kumihimo", "extract", "-", "--format", name, "--to", "ndjson", "-q", "-f", "a", "--on-error", "skip"], input=content, capture_output=True)
        assert [json.loads(line)["a"] for line in done.stdout.splitlines()] == want, how


TWICE = {
    "json": b'{"a":1,"b":2,"a":3}',
    "msgpack": b"\x83\xa1a\x01\xa1b\x02\xa1a\x03",
    "cbor": b"\xa3\x61a\x01\x61b\x02\x61a\x03",
}


@pytest.mark.parametrize("name", TWICE)
@pytest.mark.parametrize("level", ["strict", "structural", "trusted"])
@pytest.mark.parametrize("count", [1, 30_000])
def test_a_key_that_comes_twice_by_every_transport(tmp_path, name, level, count):
    end = b"\n" if name == "json" else b""
    data = (TWICE[name] + end) * count
    ending = ".ndjson" if name == "json" else ENDING[name]
    file = tmp_path / ("x" + ending)
    file.write_bytes(data)
    inputs = [file]
    for frame in FRAMES:
        inputs += [tmp_path / ("x" + ending + FRAMES[frame]), tmp_path / ("y" + ending + FRAMES[frame])]
        inputs[-2].write_bytes(_core.pack(data, frame))
        kumihimo.repack(file, inputs[-1], block_size=10_000)
    inputs.append(tmp_path / "a.zip")
    with zipfile.ZipFile(inputs[-1], "w") as z:
        z.writestr(file.name, data)
    for fields in (["a", "b"], ["a"], ["a", "none"]):
        # A binary document is not looked into any more when every field has a value.
        early = name != "json" and level == "trusted" and "none" not in fields
        want = [{"a": 1 if early else 3, **({"b": 2} if "b" in fields else {}), **({"none": None} if "none" in fields else {})}] * count
        if name == "json" and level == "trusted":  # any of them, but always the same
            want = rows(file, fields, level=level, jobs=1)[0]
        for found in inputs:
            for jobs in (1, 4):
                assert rows(found, fields, level=level, jobs=jobs)[0] == want, (fields, found)
        words = [w for f in fields for w in ("-f", f)]
        done = subprocess.run([sys.executable, "-m", "kumihimo", "extract", "-", "--format", name, "--to", "ndjson", "-q", "--level", level, *words], input=data, capture_output=True)
        assert [json.loads(line) for line in done.stdout.splitlines()] == want, (fields, done.stderr)


@pytest.mark.parametrize("name", ["msgpack", "cbor"])
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("stated", [False, True])
def test_a_name_that_says_compressed_over_bytes_that_are_not(tmp_path, name, frame, stated):
    """Documents that nobody wrote may be read out of a frame whose first bytes are damaged."""
    options = {"format": name if stated else None, "on_error": "skip"}
    file = tmp_path / ("x" + ENDING[name] + FRAMES[frame])
    for content in (_core.pack(packed(documents(5), name), frame), b"\0" * 50_000, b"\0" * (17 << 20)):
        damaged = bytearray(content)
        damaged[1] ^= 0x10
        file.write_bytes(damaged)
        stored, cut = tmp_path / "a.zip", tmp_path / "cut.zip"
        with zipfile.ZipFile(stored, "w") as z:
            z.writestr("in/" + file.name, bytes(damaged))
        cut.write_bytes(stored.read_bytes()[: -len(damaged) // 2])
        for found in (file, stored, cut):
            got, run = rows(found, ["id"], **options)
            reports = [str(r) for r in run.take_reports()]
            assert got == [] and sum("by its name this is compressed" in r for r in reports) == 1, (found, len(damaged), reports)
            assert len(reports) == 1 + (found == cut), reports
    pipe = tmp_path / ("pipe" + ENDING[name] + FRAMES[frame])
    os.mkfifo(pipe)
    sender = subprocess.Popen(["sh", "-c", 'head -c 1000 "$1" > "$2"', "sh", file, pipe])
    got, run = rows(pipe, ["id"], **options)
    assert got == [] and "by its name this is compressed" in str(run.take_reports()[0])
    sender.wait()
    # A frame of another kind than the name's is told by its content, and an empty file is nothing.
    file.write_bytes(gzip.compress(packed(documents(5), name)))
    assert [r["id"] for r in rows(file, ["id"], **options)[0]] == list(range(5))
    file.write_bytes(b"")
    assert rows(file, ["id"], **options)[0] == []
