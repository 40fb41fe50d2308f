"""Rows out of documents that another dialect than their format's usual one reads."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import kumihimo
from kumihimo import _core

RELAXED = '// settings\n{"price": 1.50, "n": 1E2, /* of "two" */ "list": [1, 2,], "deep": {"x": "caf\\u00e9",},}'


def text(inputs: Any, fields: Any = None, form: str = "csv", **options: Any) -> str:
    run = kumihimo.extract(inputs, fields, form=form, **options)
    return b"".join(iter(run.next_bytes, None)).decode()


def test_fields(tmp_path: Path) -> None:
    """Numbers keep their digits, in files, archives and frames."""
    (tmp_path / "a.json").write_text(RELAXED)
    (tmp_path / "b.json.gz").write_bytes(_core.pack(RELAXED.encode(), "gzip"))
    with zipfile.ZipFile(tmp_path / "c.zip", "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("d.json", RELAXED)
    how = {"format": "json", "dialect": "relaxed"}
    for level in ("strict", "structural", "trusted"):
        for jobs in (1, 4):
            assert text(tmp_path, ["price", "n", "list", "deep.x", "list[1]:int64"], level=level, jobs=jobs, **how) == '1.50,1E2,"[1,2]",café,2\n' * 3
    assert text(tmp_path / "a.json", **how) == "1.50,1E2,\"[1,2]\",café\n"
    rows = text(tmp_path / "a.json", ["price"], source=True, form="ndjson", **how)
    assert json.loads(rows)["offset"] == 0 and json.loads(rows)["price"] == 1.5
    with pytest.raises(kumihimo.ExtractionError):
        text(tmp_path / "a.json", ["price"])


def test_places_are_those_of_the_document(tmp_path: Path) -> None:
    """Of what the dialect refuses, and of what a column does not take."""
    (tmp_path / "a.json").write_text('{"b": 1, // one\n "a": "x",\n}')
    run = kumihimo.extract(tmp_path / "a.json", ["a:int64"], format="json", dialect="relaxed", on_error="skip", form="none")
    while run.next_count() is not None:
        pass
    (bad,) = run.take_reports()
    assert (bad.offset, bad.line, bad.column, bad.path) == (22, 2, 7, "$.a") and "takes" in bad.message
    (tmp_path / "a.ndjson").write_text('{"a":1}\n{"b":2,"a":NaN,"b":3}\n{"a":4}\n')
    for dialect, byte, path in (("unique_keys", 19, "$.a"), ("python_read", 19, "")):
        run = kumihimo.extract(tmp_path / "a.ndjson", ["a"], dialect=dialect, format="json", on_error="skip", form="csv")
        assert b"".join(iter(run.next_bytes, None)) == b"1\n4\n"
        (bad,) = run.take_reports()
        assert bad.line == 2, bad
        if dialect == "unique_keys":
            assert bad.offset == byte or "key" in bad.message, bad


@pytest.mark.parametrize("form", ["csv", "columns"])
def test_types_and_late_fields(tmp_path: Path, form: str) -> None:
    """The sample, guesses that do not hold, and fields that come late see the same documents."""
    (tmp_path / "a.ndjson").write_text('{"a":1}\n{"a":2.50}\n{"a":"n/a","b":"\\ud800"}\n{"late":[1]}\n')
    how = {"format": "json", "dialect": "python_read", "on_error": "skip", "sample": 1}
    if form == "csv":
        assert text(tmp_path / "a.ndjson", **how) == '1,\n2.50,\n,"{""late"":[1]}"\n'
    else:
        pyarrow = pytest.importorskip("pyarrow")
        found = pyarrow.table(kumihimo.extract(tmp_path / "a.ndjson", ["a"], **how)).column("a").to_pylist()
        assert found == ["1", "2.50", '"n/a"', None]


def test_pretty_printed_documents(tmp_path: Path) -> None:
    """What a dialect grants is no reason to look for a damaged document's end."""
    docs = '{"a":\n[\n{"c":1}],"b":NaN,\n"d":\n{"e":1}}\n'
    (tmp_path / "a.json").write_text(docs * 3)
    assert text(tmp_path / "a.json", ["d.e"], format="json", dialect="python_read") == "1\n" * 3
    (tmp_path / "b.json").write_text("[" + ",\n".join([docs] * 3) + "]")
    assert text(tmp_path / "b.json", ["d.e"], format="json", dialect="python_read") == "1\n" * 3


@pytest.mark.parametrize("twice", ["early", "late"])
@pytest.mark.parametrize("elements", [2, 60, 600, 6000])
@pytest.mark.parametrize("array", [False, True])
def test_what_a_dialect_refuses_does_not_cut(tmp_path: Path, twice: str, elements: int, array: bool) -> None:
    """A document of many lines that holds a key twice is one bad record; no rows come out of its inside."""

    def document(again: str) -> str:
        rows = ",\n".join('{"id": %d}' % n for n in range(100, 100 + elements))
        early, late = ('"id": 2,\n' if again == where else "" for where in ("early", "late"))
        return '{\n"id": 1,\n%s"list":\n[\n%s\n],\n%s"tail":\n[\n{"id":77},\n{"id":78}\n]\n}' % (early, rows, late)

    bad = document(twice)
    between = ",\n" if array else "\n"
    before, behind = ("[\n", "\n]\n") if array else ("", "\n")
    (tmp_path / "a.json").write_text(before + bad + between + document("") + behind)
    at = len(before) + bad.index('"id": 2,')
    for jobs in (1, 4):
        run = kumihimo.extract(tmp_path / "a.json", ["id"], format="json", dialect="unique_keys", on_error="skip", form="csv", jobs=jobs)
        assert b"".join(iter(run.next_bytes, None)) == b"1\n"
        (report,) = run.take_reports()
        assert (report.offset, report.line) == (at, (before + bad)[:at].count("\n") + 1)
        assert "already" in report.message


@pytest.mark.parametrize("dialect, want", [("plain_read", "7,1\n"), ("standard_read", ",1\n")])
def test_cbor(tmp_path: Path, dialect: str, want: str) -> None:
    """An unknown tag is dropped, an embedded item opened: then the value has a column."""
    (tmp_path / "a.cbor").write_bytes(b"\xa2\x61a\xd8\xc8\x07\x61b\x01")
    run = kumihimo.extract(tmp_path / "a.cbor", ["a", "b"], form="csv", format="cbor", dialect=dialect, on_error="null")
    assert b"".join(iter(run.next_bytes, None)).decode() == (want if dialect == "plain_read" else ",\n")
    assert len(run.take_reports()) == (dialect != "plain_read")


def test_another_format_than_the_dialect(tmp_path: Path) -> None:
    """A document with the mark of another format is no document of the dialect."""
    (tmp_path / "a").write_bytes(b"\xd9\xd9\xf7\xa1\x61a\x01")
    run = kumihimo.extract(tmp_path / "a", ["a"], form="csv", format="json", dialect="unique_keys", on_error="skip")
    assert b"".join(iter(run.next_bytes, None)) == b"" and "another format" in run.take_reports()[0].message


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(RELAXED)

    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "kumihimo", "extract", *arguments], capture_output=True, text=True, cwd=tmp_path)

    for words in (["--from", "json"], []):
        done = command("a.json", *words, "--from-dialect", "relaxed", "-f", "price", "-q")
        assert done.stdout == "price\n1.50\n", done.stderr
    done = command("a.json", "--from-dialect", "nope")
    assert done.returncode == 2 and "--from-dialect of 'json' is one of 'rfc8259'" in done.stderr
    done = command(".", "--from-dialect", "relaxed")
    assert done.returncode == 2 and "name that with --from" in done.stderr
    with pytest.raises(ValueError, match="dialect is a dialect of one format"):
        kumihimo.extract(tmp_path, ["price"], dialect="relaxed")


COMMENTED = '{"a": 1} // one\n{"a": [2,],} /* two */\n\n{"a": 3}\n'


@pytest.mark.parametrize("jobs", [1, 4])
@pytest.mark.parametrize("dialect", ["relaxed", "ruby_read", "old_ruby_read"])
def test_names_say_what_comments_hide(tmp_path: Path, dialect: str, jobs: int) -> None:
    """Each file and entry is cut by its own name: lines by an ending of lines, else one document."""
    lines = COMMENTED if dialect == "relaxed" else COMMENTED.replace(",", "")
    one = lines.splitlines()[0] + "\n"
    spread = lines.splitlines()[0].replace(" ", "\n", 1) + "\n"
    (tmp_path / "a.json").write_text(spread)
    (tmp_path / "b.ndjson").write_text(lines)
    (tmp_path / "c.jsonl.gz").write_bytes(_core.pack(lines.encode(), "gzip"))
    (tmp_path / "d.NDJSON.zst").write_bytes(_core.pack(lines.encode(), "zstd"))
    with zipfile.ZipFile(tmp_path / "e.zip", "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("x.json", spread)
        z.writestr("y.ndjson", lines)
        z.writestr("z.jsonl.gz", _core.pack(lines.encode(), "gzip"))
    (tmp_path / "f.ndjson").write_text("")
    how: dict[str, Any] = {"format": "json", "dialect": dialect, "jobs": jobs}
    each = "1\n[2]\n3\n"
    assert text(tmp_path, ["a"], **how) == "1\n" + each * 3 + "1\n" + each * 2
    assert text([tmp_path / "b.ndjson", tmp_path / "a.json"], ["a"], **how) == each + "1\n"
    # All of them, and the sample that types are guessed from, too.
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(kumihimo.extract(tmp_path, **how))
    assert table.num_rows == 17 and table.column_names == ["a"]
    # Long ones are cut into pieces, or come out of frames as streams.
    (tmp_path / "long").mkdir()
    (tmp_path / "long" / "a.ndjson").write_text(one * 200_000)
    (tmp_path / "long" / "b.ndjson.gz").write_bytes(_core.pack((one * 200_000).encode(), "gzip"))
    assert text(tmp_path / "long", ["a"], **how) == "1\n" * 400_000
    # Lines that are stated are lines under any name, and what is stated to be JSON is judged by its name.
    (tmp_path / "lines.json").write_text(lines)
    assert text(tmp_path / "lines.json", ["a"], **{**how, "format": "ndjson"}) == each
    assert text(tmp_path / "lines.json", ["a"], **{**how, "format": "jsonl"}) == each
    assert text(tmp_path / "lines.json", ["a"], layout="lines", **how) == each
    with pytest.raises(kumihimo.ExtractionError):
        text(tmp_path / "lines.json", ["a"], **how)
    for wrong in ("ndjson.gz", ".ndjson", "nope", "x.ndjson"):
        with pytest.raises(ValueError, match="no format that is known"):
            kumihimo.extract(tmp_path, ["a"], format=wrong)


def test_the_command_and_lines(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(COMMENTED.splitlines()[0].replace(" ", "\n", 1) + "\n")
    (tmp_path / "b.ndjson").write_text(COMMENTED)

    def command(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "kumihimo", *arguments], capture_output=True, text=True, input=given, cwd=tmp_path)

    relaxed = ["--from-dialect", "relaxed", "-q"]
    for words in ([], ["--from", "json"]):
        assert command("extract", "a.json", "b.ndjson", *words, *relaxed, "-f", "a").stdout == "a\n1\n1\n[2]\n3\n"
        assert command("check", "a.json", "b.ndjson", *words, *relaxed).returncode == 0
    for ending in ("ndjson", "jsonl", ".NDJSON"):
        assert command("extract", "-", "--from", ending, *relaxed, "-f", "a", given=COMMENTED).stdout == "a\n1\n[2]\n3\n"
        assert command("check", "-", "--from", ending, *relaxed, given=COMMENTED).returncode == 0
        done = command("repack", "-", "--from", ending, *relaxed, "--to", "json", given=COMMENTED)
        assert done.stdout == '{"a":1}\n{"a":[2]}\n{"a":3}\n', done.stderr
        # Without comments the content decides, as ever.
        assert command("extract", "-", "--from", ending, "-q", "-f", "a", given='{"a":\n1}\n{"a":\n2}').stdout == "a\n1\n2\n"
    done = command("extract", "-", "--from", "json", *relaxed, "-f", "a", given=COMMENTED)
    advice = "something follows the document; state --from ndjson (layout=\"lines\") if each line is a document\n"
    assert done.returncode == 1 and f"standard input: byte 16 (line 2, column 1), at $: {advice}" in done.stderr, done.stderr
    for other in ('{"a":\n1}\n{"a":2}\n', '{"a":1} {"a":2}\n{"a":3}\n'):  # where lines would not help
        assert command("check", "-", "--from", "json", *relaxed, given=other).stderr.endswith("something follows the document\n")
    bad = command("check", "-", "--from", "ndjson", *relaxed, given='{"a": 1}\n// alone\n{"a": 2}\n')
    assert bad.returncode == 1 and bad.stderr == "bad record: standard input: byte 17 (line 2, column 9), at $: the document is empty\n"
    # A file of blocks has its documents' lengths, whatever its name.
    (tmp_path / "c.ndjson").write_text('{"a":1}\n{"a":2}\n')
    assert command("repack", "c.ndjson", "-o", "blocks.json.zst").returncode == 0
    assert command("extract", "blocks.json.zst", *relaxed, "-f", "a").stdout == "a\n1\n2\n"


def test_a_comment_may_end_with_its_line(tmp_path: Path) -> None:
    """The line end that such a comment must have is the document's."""
    for name, count in (("a.json", 1), ("a.ndjson", 2)):
        (tmp_path / name).write_text('{"a":1} // one\n' * count)
        assert text(tmp_path / name, ["a"], format="json", dialect="old_ruby_read") == "1\n" * count
        (tmp_path / name).write_text('{"a":1} // one')
        with pytest.raises(kumihimo.ExtractionError):
            text(tmp_path / name, ["a"], format="json", dialect="old_ruby_read")


def test_repack(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text('{"a": 1.50, /* one */ "b": [1,2,],}')
    (tmp_path / "in" / "b.json").write_text("// two\n[NaN]")
    for to in ("json", "msgpack"):
        done = kumihimo.repack(tmp_path / "in", tmp_path / f"x.{to}", format="json", dialect="relaxed", on_error="null")
        assert done.documents == 2 and [Path(r.archive).name for r in done.reports] == ["b.json"]
    assert (tmp_path / "x.json").read_bytes() == b'{"a":1.50,"b":[1,2]}\nnull\n'
    words = ["repack", "in", "--from", "json", "--from-dialect", "relaxed", "--on-error", "skip", "--to", "json", "-q"]
    skipped = subprocess.run([sys.executable, "-m", "kumihimo", *words], capture_output=True, cwd=tmp_path)
    assert skipped.stdout == b'{"a":1.50,"b":[1,2]}\n', skipped.stderr
