"""What a run says about itself: the summary's file, and the lines for programs on standard error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def command(*words: str, cwd: Path, stdin: bytes = b"", **more: Any) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "kumihimo.cli", *words], cwd=cwd, input=stdin, capture_output=True, timeout=120, **more)


def events(done: subprocess.CompletedProcess) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stderr.decode().splitlines()]


BAD = '{"n": 1}\n{"n": 01}\n{"n": 3}\n{"n": \n{"n": "text"}\n\xff\n'


@pytest.fixture
def at(tmp_path: Path) -> Path:
    (tmp_path / "good.ndjson").write_text("".join(f'{{"n":{i}}}\n' for i in range(100)))
    (tmp_path / "bad.ndjson").write_bytes(BAD.encode("latin-1"))
    return tmp_path


def test_a_summary(at: Path) -> None:
    done = command("extract", "good.ndjson", "-o", "t.csv", "--summary", "s.json", cwd=at)
    assert done.returncode == 0, done.stderr
    about = json.loads((at / "s.json").read_bytes())
    size = (at / "good.ndjson").stat().st_size
    assert (about["rows"], about["documents"], about["status"], about["error"]) == (100, 100, 0, None)
    assert about["bytes"] == {"read": size, "total": size, "written": (at / "t.csv").stat().st_size}
    assert about["bad_records"] == {"total": 0, "by_cause": {}, "by_scope": {}}
    assert about["output"] == {"path": "t.csv", "form": "csv"} and about["resumed"] is None and about["inputs"] == 1 and about["threads"] >= 1
    assert [column["name"] for column in about["columns"]] == ["n"]
    assert set(about["seconds"]) == {"open", "read", "write", "finish", "all"}
    assert abs(sum(spent for stage, spent in about["seconds"].items() if stage != "all") - about["seconds"]["all"]) < 1e-4
    assert all(spent >= 0 for spent in about["seconds"].values())
    assert sorted(path.name for path in at.iterdir()) == ["bad.ndjson", "good.ndjson", "s.json", "t.csv"]


def test_bad_records_by_cause(at: Path) -> None:
    for policy in ("skip", "null", "quarantine=q.ndjson"):
        done = command("extract", "bad.ndjson", "-f", "n:int64", "-o", "t.csv", "--on-error", policy, "--summary", "s.json", "-q", cwd=at)
        assert done.returncode == 0 and done.stderr.count(b"bad record: ") == 4
        about = json.loads((at / "s.json").read_bytes())["bad_records"]
        assert about["total"] == 4 == sum(about["by_cause"].values()) and about["by_scope"] == {"document": 4}
        assert about["by_cause"]["syntax"] >= 1 and len(about["by_cause"]) >= 2


def test_a_run_that_fails_has_a_summary_too(at: Path) -> None:
    done = command("extract", "bad.ndjson", "-f", "n:int64", "-o", "t.csv", "--summary", "s.json", cwd=at)
    assert done.returncode == 1
    about = json.loads((at / "s.json").read_bytes())
    assert about["status"] == 1 and "bad.ndjson" in about["error"]["message"]
    assert about["error"]["record"]["archive"] == "bad.ndjson" and about["error"]["record"]["line"] == 2
    assert not (at / "t.csv").exists()


@pytest.mark.parametrize("words, says", [
    (["good.ndjson", "-f", "a["], "a["), (["nothing*.ndjson"], "nothing matches nothing*.ndjson"), (["good.ndjson", "--bogus"], "--bogus"), ([], "INPUT"),
    (["good.ndjson", "--jobs", "0"], "--jobs"), (["good.ndjson", "-o", "good.ndjson"], "also an input"), (["good.ndjson", "--table", "t", "-o", "t.csv"], "--table"),
    (["good.ndjson", "--where", "n >"], "--where"), (["good.ndjson", "--password-file", "absent"], "absent"),
])  # fmt: skip
def test_a_wrong_command_line_for_programs(words: list[str], says: str, at: Path) -> None:
    before = {path.name: path.read_bytes() for path in at.iterdir()}
    done = command("extract", *words, "--progress", "json", "--summary", "s.json", cwd=at)
    assert done.returncode == 2 and done.stdout == b""
    (event,) = events(done)
    assert event["event"] == "error" and event["status"] == 2 and says in event["text"] and event["seconds"] >= 0
    about = json.loads((at / "s.json").read_bytes())
    assert about["status"] == 2 and about["error"]["message"] == event["text"] and about["rows"] == 0 and about["output"] is None
    (at / "s.json").unlink()
    assert {path.name: path.read_bytes() for path in at.iterdir()} == before
    # For people it is what it was, and the summary's other spelling counts too.
    done = command("extract", *words, "--summary=s.json", cwd=at)
    assert done.returncode == 2 and b"Error: " in done.stderr and json.loads((at / "s.json").read_bytes())["status"] == 2


def test_a_wrong_command_line_costs_no_file(at: Path) -> None:
    """The summary's name may be another file's, which a line that is not understood does not say."""
    before = {path.name: path.read_bytes() for path in at.iterdir()}
    for words in (["good.ndjson", "--summary", "good.ndjson", "--bogus"], ["-f", "n", ".", "--summary", "s.json", "--jobs", "0"], ["good.ndjson", "--output=s.json", "--summary", "s.json", "-j", "x"],
                  ["good.ndjson", "--bogus", "--summary", "nowhere/s.json"], ["good.ndjson", "--bogus", "--", "--summary", "s.json"]):  # fmt: skip
        done = command("extract", *words, "--progress=json" if "--" not in words else "x", cwd=at)
        assert done.returncode == 2 and b"Traceback" not in done.stderr
        if "--" not in words:
            assert {event["event"] for event in events(done)} == {"error"}
        assert {path.name: path.read_bytes() for path in at.iterdir()} == before


def test_a_summary_of_a_run_without_its_input(at: Path) -> None:
    done = command("extract", "absent.ndjson", "-f", "n:int64", "-o", "t.csv", "--summary", "s2.json", cwd=at)
    assert done.returncode == 1 and "absent.ndjson" in json.loads((at / "s2.json").read_bytes())["error"]["message"]


def test_the_columns_that_were_widened(at: Path) -> None:
    pytest.importorskip("pyarrow")
    values = [*range(50), 2.5, 'te"xt', {"a": [1]}, None]
    (at / "mixed.ndjson").write_text("".join(json.dumps({'v "w"': v, "e": None if v != 2.5 else 1}) + "\n" for v in values))
    done = command("extract", "mixed.ndjson", "-f", 'x y=["v \\"w\\""]', "-f", "e", "--sample", "10", "-o", "t.parquet", "--summary", "s.json", cwd=at)
    assert done.returncode == 0, done.stderr
    about = json.loads((at / "s.json").read_bytes())
    assert [change["column"] for change in about["widened"]].count("x y") == 2
    changes = {change["to"]: change for change in about["widened"] if change["column"] == "x y"}
    assert changes["float64"]["from"] == "int64" and changes["float64"]["value"] == "2.5" and changes["json"]["from"] == "float64"
    assert [change for change in about["widened"] if change["column"] == "e"] == [{"column": "e", "from": None, "value": "1", "to": "int64"}]
    assert {column["name"]: column["type"] for column in about["columns"]} == {"x y": "json", "e": "int64"}
    assert len(about["widened"]) == sum("becomes" in note for note in about["notes"])


def test_a_summary_that_cannot_be_written(at: Path) -> None:
    done = command("extract", "good.ndjson", "-o", "t.csv", "--summary", "nowhere/s.json", cwd=at)
    assert done.returncode == 1 and b"nowhere/s.json: the summary cannot be written: No such file" in done.stderr and not (at / "t.csv").exists()
    done = command("extract", "good.ndjson", "-o", "t.csv", "--summary", "/dev/full", cwd=at)
    assert done.returncode == 1 and b"/dev/full: the summary cannot be written: No space left on device; the rows are complete" in done.stderr and (at / "t.csv").exists()
    done = command("extract", "good.ndjson", "-o", "t.csv", "--summary", "t.csv", cwd=at)
    assert done.returncode == 2 and b"written twice" in done.stderr
    done = command("extract", "good.ndjson", "-o", "t.csv", "--summary", "good.ndjson", cwd=at)
    assert done.returncode == 2 and b"also an input" in done.stderr


def test_a_summary_on_standard_output(at: Path) -> None:
    done = command("extract", "good.ndjson", "-o", "t.csv", "--summary", "-", cwd=at)
    assert done.returncode == 0 and json.loads(done.stdout)["output"]["path"] == "t.csv" and not (at / "-").exists(), done.stderr
    for words in ((), ("-o", "t.csv", "--chart", "-")):
        done = command("extract", "good.ndjson", *words, "--summary", "-", cwd=at)
        assert done.returncode == 2 and done.stdout == b"" and b"cannot both go to standard output" in done.stderr and not (at / "-").exists()
    done = command("extract", "good.ndjson", "-o", "t.csv", "--on-error", "quarantine=-", cwd=at)
    assert done.returncode == 2 and b"name a file for the bad records" in done.stderr and not (at / "-").exists()


def test_every_line_is_an_event(at: Path) -> None:
    done = command("extract", "bad.ndjson", "good.ndjson", "-f", "n:int64", "-o", "t.csv", "--on-error", "skip", "--progress", "json", cwd=at)
    assert done.returncode == 0
    found = events(done)
    kinds = [event["event"] for event in found]
    assert set(kinds) <= {"progress", "bad_record", "note", "end"} and kinds.count("bad_record") == 4 and kinds[-1] == "end"
    assert all(isinstance(event["seconds"], (int, float, dict)) for event in found)
    records = [event for event in found if event["event"] == "bad_record"]
    assert [record["line"] for record in records] == [2, 4, 5, 6] and all(record["archive"] == "bad.ndjson" and record["code"] and record["message"] for record in records)
    progress = [event for event in found if event["event"] == "progress"]
    assert progress and set(progress[0]) == {"event", "seconds", "bytes", "total", "documents", "rows", "bad_records"}
    assert found[-1]["rows"] == 102 and found[-1]["bad_records"]["total"] == 4 and found[-1]["status"] == 0


def test_the_error_is_an_event(at: Path) -> None:
    done = command("extract", "bad.ndjson", "-f", "n:int64", "-o", "t.csv", "--progress", "json", cwd=at)
    assert done.returncode == 1
    (error,) = [event for event in events(done) if event["event"] == "error"]
    assert "line 2" in error["text"] and error["status"] == 1
    done = command("extract", "good.ndjson", "-o", "t.csv", "--progress", "json", "-q", cwd=at)
    assert done.returncode == 2


def test_more_bad_records_than_are_shown_to_people_are_all_events(at: Path) -> None:
    (at / "many.ndjson").write_text("x\n" * 100)
    done = command("extract", "many.ndjson", "-f", "n", "-o", "t.csv", "--on-error", "skip", "--progress", "json", cwd=at)
    assert sum(event["event"] == "bad_record" for event in events(done)) == 100


def test_names_that_are_no_text(at: Path) -> None:
    name = b"bad\xff.ndjson"
    try:
        (at / "bad.ndjson").rename(os.path.join(at, os.fsdecode(name)))
    except OSError:
        pytest.skip("not proven: this file system takes no name that is not UTF-8")
    done = subprocess.run([sys.executable.encode(), b"-m", b"kumihimo.cli", b"extract", name, b"-f", b"n:int64", b"--on-error", b"skip", b"--progress", b"json", b"--summary", b"s.json"],
                          cwd=at, capture_output=True, timeout=120)  # fmt: skip
    assert done.returncode == 0, done.stderr
    records = [event for event in events(done) if event["event"] == "bad_record"]
    assert {record["archive"] for record in records} == {"bad\ufffd.ndjson"}
    json.loads((at / "s.json").read_bytes())["output"]


def test_progress_none_draws_nothing(at: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-m", "kumihimo.cli", "extract", "good.ndjson", "-f", "n:int64", "--progress", "none"], cwd=at, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        drawn = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            drawn += piece
        assert process.wait(60) == 0
    os.close(ours)
    assert b"\x1b" not in drawn and b"100 rows from" in drawn


def test_a_summary_that_cannot_take_its_name(at: Path) -> None:
    """As in a folder where others may not replace a file (/tmp)."""
    script = """
import os
from kumihimo import cli
replace = os.replace

def refused(part, final):
    if final.name == "s.json":
        raise PermissionError(1, "Operation not permitted", str(part), None, str(final))
    replace(part, final)

os.replace = refused
cli.main(["extract", "good.ndjson", "-f", "n", "-o", "t.csv", "--summary", "s.json", "--quiet"])
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=at, capture_output=True, timeout=120)
    assert (done.returncode, done.stderr) == (1, b"kumihimo: s.json: the summary cannot be written: Operation not permitted; the rows are complete\n")
    assert sorted(one.name for one in at.iterdir()) == ["bad.ndjson", "good.ndjson", "t.csv"]
