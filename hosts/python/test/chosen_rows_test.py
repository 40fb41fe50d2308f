"""Which of the rows: `--distinct`, `--limit-per-archive` and `--sample-rows`, against plain Python over generated archives."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import kumihimo

SEED = 7


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[list[dict[str, Any]]]]:
    """A large Zip (several tasks), a large NDJSON file (pieces), small ones of both, loose files; documents by input, in order."""
    folder = tmp_path_factory.mktemp("chosen")
    r = random.Random(SEED)
    inputs: list[list[dict[str, Any]]] = []
    count = 0

    def documents(n: int, padding: int = 0) -> list[dict[str, Any]]:
        nonlocal count
        made = []
        for _ in range(n):
            made.append({"i": count, "k": r.choice(["a", "b", "ü", "", None, "a,b", 'q"']), "n": r.choice([1, 2, 1.5, None]), "w": r.randrange(500), "pad": r.randbytes(padding).hex()})
            count += 1
        inputs.append(made)
        return made

    def lines(of: list[dict[str, Any]]) -> str:
        return "".join(json.dumps(d) + "\n" for d in of)

    for name, n, padding in (("a.zip", 3000, 600), ("b.zip", 40, 0)):
        with zipfile.ZipFile(folder / name, "w") as archive:
            for k, d in enumerate(documents(n, padding)):
                archive.writestr(f"{k:05}.json", json.dumps(d))
    (folder / "c.ndjson").write_text(lines(documents(9000, 300)))
    (folder / "d.ndjson").write_text(lines(documents(60)))
    for k in range(30):
        (folder / f"e{k:02}.json").write_text(json.dumps(documents(1)[0]))
    (folder / "f.json").write_text(json.dumps(documents(50)))
    return folder, inputs


def rows(folder: Any, fields: list[str], **how: Any) -> list[dict[str, Any]]:
    got = kumihimo.extract(folder, fields, form="ndjson", **how)
    out = b""
    while (chunk := got.next_bytes()) is not None:
        out += chunk
    return [json.loads(line) for line in out.splitlines()]


def unique(documents: list[dict[str, Any]], keys: list[str]) -> list[dict[str, Any]]:
    seen: set[str] = set()
    out = []
    for d in documents:
        key = json.dumps([d[k] for k in keys])
        if key not in seen:
            seen.add(key)
            out.append(d)
    return out


@pytest.mark.parametrize("jobs", [1, 2, 3, 4])
def test_limits_of_inputs(archives: tuple[Path, list[list[dict[str, Any]]]], jobs: int) -> None:
    folder, inputs = archives
    for most in (0, 1, 7, 50, 1500, 100_000):
        wanted = [d["i"] for made in inputs for d in made[:most]]
        assert [d["i"] for d in rows(folder, ["i"], limit_per_archive=most, jobs=jobs)] == wanted
        assert [d["i"] for d in rows(folder, ["i"], limit_per_archive=most, limit=60, jobs=jobs)] == wanted[:60]
        chosen = [d["i"] for made in inputs for d in [d for d in made if d["w"] < 100][:most]]
        assert [d["i"] for d in rows(folder, ["i"], limit_per_archive=most, where="w < 100", jobs=jobs)] == chosen


@pytest.mark.parametrize("jobs", [1, 2, 3, 4])
def test_distinct_rows(archives: tuple[Path, list[list[dict[str, Any]]]], jobs: int) -> None:
    folder, inputs = archives
    all_ = [d for made in inputs for d in made]
    fields = ["i", "k", "n", "w"]
    for keys in (["k"], ["n"], ["k", "n"], ["w"], ["w", "k", "n"], ["i"]):
        wanted = [d["i"] for d in unique(all_, keys)]
        assert [d["i"] for d in rows(folder, fields, distinct=keys, jobs=jobs)] == wanted
        assert [d["i"] for d in rows(folder, fields, distinct=keys, jobs=jobs, limit=9)] == wanted[:9]
    wanted = [d["i"] for d in unique([d for made in inputs for d in [d for d in made if d["w"] >= 250][:30]], ["w"])]
    assert [d["i"] for d in rows(folder, fields, distinct="w", where="w >= 250", limit_per_archive=30, jobs=jobs)] == wanted


@pytest.mark.parametrize("form", ["csv", "ndjson", "columns", "none"])
def test_distinct_rows_in_every_form(archives: tuple[Path, list[list[dict[str, Any]]]], form: str) -> None:
    folder, inputs = archives
    wanted = unique([d for made in inputs for d in made], ["k", "n"])
    x = kumihimo.extract(folder, ["k", "n:float64", "b=i:int64", "at=i:timestamp[s]", "d=n:decimal(18,8)"], distinct=["k", "n"], form=form)
    if form == "columns":
        pyarrow = pytest.importorskip("pyarrow", reason="not proven: pyarrow is not installed")
        table = pyarrow.table(x)
        assert table.column("k").to_pylist() == [d["k"] for d in wanted]
        assert table.column("n").to_pylist() == [d["n"] for d in wanted]
        assert table.column("b").to_pylist() == [d["i"] for d in wanted]
        assert [None if d is None else float(d) for d in table.column("d").to_pylist()] == [d["n"] for d in wanted]
        assert [t.timestamp() for t in table.column("at").to_pylist()] == [d["i"] for d in wanted]
        table.validate(full=True)
    elif form == "none":
        n = 0
        while (more := x.next_count()) is not None:
            n += more
        assert n == len(wanted)
    else:
        out = b""
        while (chunk := x.next_bytes()) is not None:
            out += chunk
        assert out.count(b"\n") == len(wanted)
    assert x.progress()["rows"] == len(wanted)


def test_distinct_memory_is_bounded(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text("".join('{"i": %d, "t": "%s"}\n' % (i, "x" * 100) for i in range(50_000)))
    for how in ({"jobs": 1}, {"jobs": 3}):
        with pytest.raises(kumihimo.ExtractionError, match=r"what is distinct takes more than 1000000 bytes; raise --distinct-size \(distinct_size\)"):
            rows(tmp_path / "a.ndjson", ["i", "t"], distinct=["i", "t"], distinct_size=1_000_000, **how)
        assert len(rows(tmp_path / "a.ndjson", ["i", "t"], distinct=["t"], distinct_size=1_000_000, **how)) == 1
        assert len(rows(tmp_path / "a.ndjson", ["i", "t"], distinct=["i"], distinct_size=8_000_000, **how)) == 50_000


def test_distinct_needs_columns(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text('{"a": 1, "b": 2}\n')
    with pytest.raises(ValueError, match='^distinct has no column "c" to look at; there are "a", "b"$'):
        kumihimo.extract(tmp_path / "a.ndjson", distinct="c")
    with pytest.raises(ValueError, match="^distinct needs columns"):
        kumihimo.extract(tmp_path / "a.ndjson", form="none", distinct="c")
    assert rows(tmp_path / "a.ndjson", [], distinct=["b", "entry"], source=True)[0]["b"] == 2


def test_sampled_rows(archives: tuple[Path, list[list[dict[str, Any]]]], tmp_path: Path) -> None:
    folder, inputs = archives
    total = sum(len(made) for made in inputs)
    taken = {}
    for seed in (0, 1):
        for share in (0.0, 0.01, 0.5, 1.0):
            got = [d["i"] for d in rows(folder, ["i"], sample_rows=share, seed=seed, jobs=1)]
            taken[seed, share] = got
            for jobs in (2, 3, 4):
                assert [d["i"] for d in rows(folder, ["i"], sample_rows=share, seed=seed, jobs=jobs)] == got
            assert abs(len(got) - share * total) <= 5 * (share * (1 - share) * total) ** 0.5
            assert got == sorted(got)
    assert taken[0, 0.0] == [] and len(taken[0, 1.0]) == total
    assert taken[0, 0.01] != taken[1, 0.01]
    assert set(taken[0, 0.01]) < set(taken[0, 0.5])
    # Of rows that are chosen otherwise, too, and whatever the fields are.
    few = {d["i"]: d["w"] for d in rows(folder, ["w", "i"], sample_rows=0.5, where="w < 100", jobs=2)}
    assert list(few) == [i for i in taken[0, 0.5] if i in few] and len(few) > 1000
    # Repacked documents are the same rows.
    kumihimo.repack(folder, tmp_path / "all.msgpack.zst", to="msgpack", frame="zstd")
    assert [d["i"] for d in rows(tmp_path / "all.msgpack.zst", ["i"], sample_rows=0.5, jobs=2)] == taken[0, 0.5]
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="^sample_rows is "):
            kumihimo.extract(folder, ["i"], sample_rows=wrong)


def command(*words: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "kumihimo.cli", "extract", *words], cwd=cwd, capture_output=True, timeout=300)


def test_what_means_nothing_alone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text('{"a":1}\n')
    with pytest.raises(ValueError, match="^seed is of sample_rows"):
        kumihimo.extract(tmp_path / "a.ndjson", seed=4)
    with pytest.raises(ValueError, match="^seed is of sample_rows"):
        kumihimo.schema(tmp_path / "a.ndjson", seed=0)
    with pytest.raises(ValueError, match="^distinct_size is of distinct"):
        kumihimo.extract(tmp_path / "a.ndjson", distinct_size=1 << 20)
    with pytest.raises(ValueError, match="^seed is of sample_rows"):
        kumihimo.repack(tmp_path / "a.ndjson", tmp_path / "b.ndjson.zst", seed=4)
    done = command("a.ndjson", "--seed", "4", cwd=tmp_path)
    assert done.returncode == 2 and b"--seed is of sample_rows" in done.stderr


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text('{"a,b": 1, "c": 1}\n{"a,b": 1, "c": 2}\n{"a,b": 2, "c": 3}\n')
    (tmp_path / "b.ndjson").write_text('{"a,b": 2, "c": 4}\n{"a,b": 3, "c": 5}\n')
    both = ("a.ndjson", "b.ndjson", "-f", "c", "-f", '["a,b"]')
    assert command(*both, "--distinct", '"a,b"', cwd=tmp_path).stdout == b'c,"a,b"\n1,1\n3,2\n5,3\n'
    assert command(*both, "--distinct", 'c,"a,b"', "--limit", "2", cwd=tmp_path).stdout == b'c,"a,b"\n1,1\n2,1\n'
    assert command(*both, "--limit-per-archive", "1", cwd=tmp_path).stdout == b'c,"a,b"\n1,1\n4,2\n'
    assert command(*both, "--sample-rows", "0%", cwd=tmp_path).stdout == b'c,"a,b"\n'
    assert command(*both, "--sample-rows", "100%", "--seed", "3", cwd=tmp_path).stdout.count(b"\n") == 6
    for wrong in ("1", "101%", "x%", "-1%"):
        refused = command(*both, f"--sample-rows={wrong}", cwd=tmp_path)
        assert refused.returncode == 2 and b"write 1% or 0.5%" in refused.stderr
    refused = command(*both, "--distinct", "a,b", cwd=tmp_path)
    assert refused.returncode == 2 and b'--distinct has no column "a" to look at; there are "c", "a,b"' in refused.stderr


@pytest.mark.parametrize("jobs", [1, 3])
def test_documents_are_chosen_as_rows_are(archives: tuple[Path, list[list[dict[str, Any]]]], tmp_path: Path, jobs: int) -> None:
    folder, _ = archives
    for how in ({"where": "w < 100 and k is not null"}, {"sample_rows": 0.1, "seed": 5}, {"limit_per_archive": 7}, {"where": "w < 250", "sample_rows": 0.5, "limit_per_archive": 20, "limit": 55}):
        wanted = [d["i"] for d in rows(folder, ["i"], jobs=jobs, **how)]
        for name in ("a.msgpack.zst", "a.ndjson"):
            done = kumihimo.repack(folder, tmp_path / name, jobs=jobs, **how)
            assert done.documents == len(wanted) > 0
            assert [d["i"] for d in rows(tmp_path / name, ["i"])] == wanted
    with pytest.raises(ValueError, match="^where at column 3: "):
        kumihimo.repack(folder, tmp_path / "b.ndjson", where="w ?")


def test_the_repack_command(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text('{"a": 1}\n{"a": 2}\n{"a": "x"}\n{"a": 3}\n')
    run = [sys.executable, "-m", "kumihimo.cli", "repack", "a.ndjson", "--to", "json", "-q"]
    done = subprocess.run([*run, "--where", "a > 1", "--on-error", "skip"], cwd=tmp_path, capture_output=True, timeout=300)
    assert done.stdout == b'{"a":2}\n{"a":3}\n' and b'compares "a" with a number, but here it is text' in done.stderr
    done = subprocess.run([*run, "--limit-per-archive", "1", "--sample-rows", "100%"], cwd=tmp_path, capture_output=True, timeout=300)
    assert done.stdout == b'{"a":1}\n'
    done = subprocess.run([*run, "--where", "a >"], cwd=tmp_path, capture_output=True, timeout=300)
    assert done.returncode == 2 and b"--where at column 4: " in done.stderr
