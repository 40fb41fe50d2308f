"""Rows out of binary documents: the same as out of NDJSON of the same documents, wherever they lie."""

import base64
import gzip
import json
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
    assert done.returncode == 0 and done.stdout == b"a\n1\n3\n" and b"1 bad records" in done.stderr
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
    assert report.offset == len(kumihimo.dump(docs[0], name)) and not report.line and "a" in report.path


def test_a_format_nobody_knows(tmp_path):
    (tmp_path / "x").write_bytes(b"{}")
    with pytest.raises(ValueError, match="format"):
        rows(tmp_path / "x", ["a"], format="nonsense")
