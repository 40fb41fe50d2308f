"""Conditions (`--where`) against an oracle in plain Python: generated documents in generated archives, generated conditions."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable, Optional

import pytest

import kumihimo

SEED = 20161225


class Mismatch(Exception):
    """A value of another kind than it is compared with: the document is bad."""


class Exact:
    """A number of a document, with its own spelling."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.value = Decimal(text)


def load(text: str) -> Any:
    return json.loads(text, parse_int=Exact, parse_float=Exact)


ABSENT = object()
Truth = Optional[bool]  # None: unknown


def follow(value: Any, steps: list[Any]) -> Any:
    for step in steps:
        if isinstance(step, str):
            value = value.get(step, ABSENT) if isinstance(value, dict) else ABSENT
        else:
            value = value[step] if isinstance(value, list) and step < len(value) else ABSENT
    return value


def kind(value: Any) -> str:
    if value is None or value is ABSENT:
        return "null"
    return {bool: "bool", Exact: "number", Decimal: "number", str: "text", list: "array", dict: "object"}[type(value)]


def plain(value: Any) -> Any:
    return value.value if isinstance(value, Exact) else value.encode() if isinstance(value, str) else value


ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def compare(op: str, a: Any, b: Any) -> Truth:
    if kind(a) == "null" or kind(b) == "null":
        return None
    if kind(a) != kind(b) or kind(a) in ("array", "object") or (kind(a) == "bool" and op not in ("==", "!=")):
        raise Mismatch
    return ORDER[op](plain(a), plain(b))


def any_of(all_: Any) -> Truth:
    out: Truth = False
    for one in all_:
        if one:
            return True
        out = None if one is None else out
    return out


def negate(t: Truth) -> Truth:
    return None if t is None else not t


Judge = Callable[[Any], Truth]

PATHS: list[tuple[str, list[Any]]] = [
    ("n", ["n"]), ("t", ["t"]), ("b", ["b"]), ("any_kind", ["any_kind"]), ("o.n", ["o", "n"]), ("$.o.t", ["o", "t"]), ("/o/n", ["o", "n"]), ("list[1]", ["list", 1]),
    ("/list/0", ["list", 0]), ('["a.b"]', ["a.b"]), ('o["x y"]', ["o", "x y"]), ('o."x y"', ["o", "x y"]), ("gone.x", ["gone", "x"]), ("n.x", ["n", "x"]),
]  # fmt: skip
NUMBERS = ["0", "-0", "1", "1.0", "10e-1", "2", "-3.5", "9007199254740992", "9007199254740993", "9007199254740992.0", "1e400", "-1e400", "0.1", "0.10", "18446744073709551616", "1e-30"]
TEXTS = ["", "a", "b", "ab", "abc", "ä", "日本", "a b", "it's", 'q"q', "A", "\n", "😀", "100%", "a_b"]


def quoted(text: str, r: random.Random) -> str:
    return "'" + text.replace("'", "''") + "'" if r.random() < 0.5 else json.dumps(text, ensure_ascii=r.random() < 0.5)


class Maker:
    """Conditions, each as text and as what it says of a document."""

    def __init__(self, r: random.Random) -> None:
        self.r = r

    def word(self, w: str) -> str:
        return w if self.r.random() < 0.7 else w.upper()

    def literal(self) -> tuple[str, Any]:
        k = self.r.random()
        if k < 0.45:
            text = self.r.choice(NUMBERS)
            return text, Decimal(text)
        if k < 0.9:
            text = self.r.choice(TEXTS)
            return quoted(text, self.r), text
        value = self.r.random() < 0.5
        return self.word(str(value).lower()), value

    def quantified(self) -> tuple[str, Callable[[Any, Callable[[Any], Truth]], Truth]]:
        name, array, rest = self.r.choice([("list[*]", ["list"], []), ("rows[*].p", ["rows"], ["p"]), ("none[*].p", ["none"], ["p"]), ("o[*]", ["o"], [])])
        every = self.r.random() < 0.5

        def over(document: Any, test: Callable[[Any], Truth]) -> Truth:
            values = follow(document, array)
            if not isinstance(values, list):
                return None
            found = (test(follow(v, rest)) for v in values)
            return negate(any_of(negate(f) for f in found)) if every else any_of(found)

        return f"{self.word('all' if every else 'any')}({name})", over

    def test(self) -> tuple[str, Judge]:
        r = self.r
        path, steps = r.choice(PATHS)
        at = lambda d: follow(d, steps)  # noqa: E731
        k = r.random()
        if k < 0.35:
            text, value = self.literal()
            op = r.choice(["==", "!="] if isinstance(value, bool) else list(ORDER))
            spelled = {"==": r.choice(["==", "="]), "!=": r.choice(["!=", "<>"])}.get(op, op)
            if r.random() < 0.3:
                return f"{text} {spelled} {path}", lambda d: compare(op, value, at(d))
            return f"{path}{r.choice([' ', ''])}{spelled} {text}", lambda d: compare(op, at(d), value)
        if k < 0.5:
            other, others = r.choice(PATHS)
            op = r.choice(list(ORDER))
            return f"{path} {op} {other}", lambda d: compare(op, at(d), follow(d, others))
        if k < 0.6:
            no = r.random() < 0.5
            return f"{path} {self.word('is')} {self.word('not') + ' ' if no else ''}{self.word('null')}", lambda d: (kind(at(d)) == "null") != no
        if k < 0.67:
            return f"{self.word('exists')} {path}", lambda d: at(d) is not ABSENT
        if k < 0.75:
            pool = NUMBERS if r.random() < 0.5 else TEXTS
            chosen = r.sample(pool, 3)
            values = [Decimal(c) if pool is NUMBERS else c for c in chosen]
            no = r.random() < 0.3
            spelled = ", ".join(c if pool is NUMBERS else quoted(c, r) for c in chosen)

            def among(d: Any) -> Truth:
                found = any_of(compare("==", at(d), v) for v in values)
                return negate(found) if no else found

            return f"{path} {'not ' if no else ''}{self.word('in')} ({spelled})", among
        if k < 0.88:
            like = r.choice(["a%", "%b", "_", "%", "a_b", "a\\_b", "100\\%", "", "日_"])
            as_re = "".join(".*" if p == "%" else "." if p == "_" else re.escape(p[-1]) for p in re.findall(r"\\.|.", like))
            text, pattern = r.choice([(f"like {quoted(like, r) if False else chr(39) + like + chr(39)}", re.compile(as_re + r"\Z", re.S)), ("matches '^[a-c]+$'", re.compile(r"[a-c]+\Z"))])
            search = pattern.match
            no = r.random() < 0.3

            def matches(d: Any) -> Truth:
                value = at(d)
                if kind(value) == "null":
                    return None
                if kind(value) != "text":
                    raise Mismatch
                return (search(value) is not None) != no

            return f"{path} {'not ' if no else ''}{text}", matches
        if k < 0.97:
            spelled, over = self.quantified()
            text, value = self.literal()
            op = r.choice(["==", "!="] if isinstance(value, bool) else list(ORDER))
            return f"{spelled} {op} {text}", lambda d: over(d, lambda v: compare(op, v, value))

        def flag(d: Any) -> Truth:
            if kind(at(d)) == "null":
                return None
            if kind(at(d)) != "bool":
                raise Mismatch
            return bool(at(d))

        return path, flag

    def condition(self, depth: int = 3) -> tuple[str, Judge]:
        if depth == 0 or self.r.random() < 0.35:
            return self.test()
        if self.r.random() < 0.2:
            text, judge = self.condition(depth - 1)
            return f"{self.word('not')} ({text})", lambda d: negate(judge(d))
        parts = [self.condition(depth - 1) for _ in range(self.r.choice([2, 2, 3]))]
        conjunction = self.r.random() < 0.5
        text = f" {self.word('and' if conjunction else 'or')} ".join(f"({t})" for t, _ in parts)

        def joined(d: Any) -> Truth:
            if conjunction:
                return negate(any_of(negate(j(d)) for _, j in parts))
            return any_of(j(d) for _, j in parts)

        return text, joined


def value_text(r: random.Random, of: str) -> str:
    if r.random() < 0.12:
        return "null"
    if r.random() < 0.04 or of == "any":
        of = r.choice(["number", "text", "bool", "list", "object"])
    if of == "number":
        return r.choice(NUMBERS)
    if of == "text":
        return json.dumps(r.choice(TEXTS), ensure_ascii=r.random() < 0.5)
    if of == "bool":
        return r.choice(["true", "false"])
    if of == "list":
        inner = r.choice(["number", "number", "text"])
        return "[" + ", ".join(value_text(r, inner) for _ in range(r.randrange(4))) + "]"
    return '{"n": ' + value_text(r, "number") + "}"


def document_text(r: random.Random, i: int) -> str:
    members = [f'"i": {i}']
    for key, of in (("n", "number"), ("t", "text"), ("b", "bool"), ("any_kind", "any"), ("list", "list"), ("a.b", "number")):
        if r.random() < 0.85:
            members.append(f"{json.dumps(key)}: {value_text(r, of)}")
    inner = [f'"n": {value_text(r, "number")}', f'"t": {value_text(r, "text")}', f'"x y": {value_text(r, "number")}']
    if r.random() < 0.9:
        members.append('"o": {' + ", ".join(r.sample(inner, r.randrange(4))) + "}")
    if r.random() < 0.8:
        rows = ", ".join(r.choice(['{"p": ' + value_text(r, "number") + "}", "{}"]) for _ in range(r.randrange(4)))
        members.append(f'"rows": [{rows}]')
    if r.random() < 0.5:
        members.append('"none": []')
    r.shuffle(members)
    return "{" + ", ".join(members) + "}"


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Zips, loose files, NDJSON and MessagePack in one folder, and the documents in input order."""
    folder = tmp_path_factory.mktemp("where")
    r = random.Random(SEED)
    texts = [document_text(r, i) for i in range(600)]
    for z in range(2):
        with zipfile.ZipFile(folder / f"a{z}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for i in range(z * 150, (z + 1) * 150):
                archive.writestr(f"{i:04}.json", texts[i])
    (folder / "b.ndjson").write_text("".join(t + "\n" for t in texts[300:500]))
    for i in range(500, 550):
        (folder / f"c{i}.json").write_text(texts[i])
    (folder / "d.json").write_text("[" + ",\n".join(texts[550:]) + "]")
    return folder, texts


def expected(texts: list[str], judge: Judge) -> tuple[list[int], list[int]]:
    good, bad = [], []
    for i, text in enumerate(texts):
        try:
            if judge(load(text)):
                good.append(i)
        except Mismatch:
            bad.append(i)
    return good, bad


def run(inputs: Any, where: str, jobs: int, **more: Any) -> tuple[bytes, list[str]]:
    rows = kumihimo.extract(inputs, ["i"], where=where, jobs=jobs, form="csv", on_error="skip", **more)
    out = b""
    while (chunk := rows.next_bytes()) is not None:
        out += chunk
    return out, [str(report) for report in rows.take_reports()]


def agree(maker: Maker, archives: tuple[Path, list[str]], turns: int, depth: int) -> tuple[int, int]:
    """Generated conditions select the documents that the oracle selects, with any number of threads and at any level. How many of them told
    documents apart, and how many found some that are bad."""
    folder, texts = archives
    selected = errors = 0
    for turn in range(turns):
        where, judge = maker.condition(depth)
        good, bad = expected(texts, judge)
        out, reports = run(folder, where, 1)
        assert [int(line) for line in out.split()] == good, where
        assert len(reports) == len(bad), where
        selected += 0 < len(good) < len(texts)
        errors += 0 < len(bad) < len(texts)
        if turn % 10 == 0:
            for jobs in (2, 3, 4):
                assert run(folder, where, jobs) == (out, reports), where
            for level in ("structural", "trusted"):
                assert run(folder, where, 2, level=level) == (out, reports), where
    return selected, errors


def agree_in_binary(maker: Maker, texts: list[str], folder: Path, depth: int) -> None:
    """Binary documents are judged as the same documents in JSON. Those formats hold numbers of 64 bits and doubles, so the spelling is theirs."""
    documents = [json.loads(t.replace("1e400", "7").replace("18446744073709551616", "8")) for t in texts]
    lines = folder / "all.ndjson"
    lines.write_text("".join(json.dumps(d) + "\n" for d in documents))
    files = [folder / f"all.{form}" for form in ("msgpack", "cbor", "tagged")]
    for file in files:
        file.write_bytes(b"".join(kumihimo.dump(d, file.suffix[1:]) for d in documents))
    for _ in range(25):
        where, _judge = maker.condition(depth)
        rows, reports = run(lines, where, 1)
        for file in files:
            got, said = run(file, where, 2)
            assert got == rows and len(said) == len(reports), (file.name, where)


def test_generated_conditions(archives: tuple[Path, list[str]]) -> None:
    assert agree(Maker(random.Random(SEED + 1)), archives, 150, 3)[0] > 75


def test_binary_documents(archives: tuple[Path, list[str]], tmp_path: Path) -> None:
    agree_in_binary(Maker(random.Random(SEED + 2)), archives[1], tmp_path, 3)


def test_a_condition_holds_for_columns_that_are_found(tmp_path: Path) -> None:
    """Neither the sample nor the columns know of documents that are not selected."""
    pyarrow = pytest.importorskip("pyarrow", reason="not proven: pyarrow is not installed")
    (tmp_path / "mixed.ndjson").write_text("".join(json.dumps({"kind": "a", "x": i} if i % 100 == 99 else {"kind": "b", "y": "text", f"k{i % 50}": i}) + "\n" for i in range(5000)))
    for jobs in (1, 3):
        for sample in (10, 1000):
            rows = kumihimo.extract(tmp_path / "mixed.ndjson", where="kind == 'a'", jobs=jobs, sample=sample)
            table = pyarrow.table(rows)
            assert table.column_names == ["kind", "x"] and table.column("x").to_pylist() == list(range(99, 5000, 100))
            assert rows.progress()["documents"] == 5000


def command(*words: str, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "kumihimo.cli", "extract", *words], cwd=cwd, input=stdin, capture_output=True, timeout=300)


def test_the_command_shows_mistakes(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text('{"p": 5}\n{"p": "n/a"}\n{"p": 7}\n')
    wrong = command("a.ndjson", "-f", "p", "--where", "p >", cwd=tmp_path)
    assert wrong.returncode == 2
    assert b"--where at column 4: a path or a value is expected here\n  p >\n     ^\n" in wrong.stderr
    with pytest.raises(ValueError, match="^where at column 4: "):
        kumihimo.extract(tmp_path / "a.ndjson", where="p >")
    with pytest.raises(ValueError, match="^where at column 1: a condition is missing"):
        kumihimo.extract(tmp_path / "a.ndjson", where="")
    with pytest.raises(ValueError, match="begins with a point"):
        kumihimo.extract(tmp_path / "a.ndjson", where=".p > 5")
    stopped = command("a.ndjson", "-f", "p", "--where", "p > 5", cwd=tmp_path)
    assert stopped.returncode == 1
    assert b'a.ndjson: byte 15 (line 2, column 7), at $.p: the condition compares "p" with a number, but here it is text, "n/a"' in stopped.stderr
    skipped = command("a.ndjson", "-f", "p", "--where", "p > 5", "--on-error", "skip", cwd=tmp_path)
    assert skipped.returncode == 0 and skipped.stdout == b"p\n7\n" and b"1 row from 3 documents" in skipped.stderr
    nulls = command("a.ndjson", "-f", "p", "--where", "p > 5", "--on-error", "null", cwd=tmp_path)
    assert nulls.stdout == b"p\n\n7\n"
    aside = command("a.ndjson", "-f", "p", "--where", "p > 5", "--on-error", "quarantine=bad", cwd=tmp_path)
    assert aside.stdout == b"p\n7\n" and json.loads((tmp_path / "bad").read_text())["document"] == '{"p": "n/a"}'


@pytest.mark.parametrize("jobs", ["1", "2", "3", "4"])
def test_paths_that_lead_nowhere_are_counted(tmp_path: Path, jobs: str) -> None:
    (tmp_path / "a.ndjson").write_text('{"p": {"x": 1}}\n{"p": 5}\n{"p": null}\n{"p": [1]}\n{"q": 1}\n' * 2000)
    told = command("a.ndjson", "-f", "p", "--where", "p.x is null", "-j", jobs, cwd=tmp_path)
    assert told.stdout.count(b"\n") == 8001
    assert b'note: for 4000 documents a path of the condition meets another kind of value, so it leads nowhere; the first: "p.x" in a.ndjson: byte 16' in told.stderr
    none = command("a.ndjson", "-f", "q", "--where", "p is not null", "-j", jobs, cwd=tmp_path)
    assert b"note" not in none.stderr


@pytest.mark.parametrize("jobs", [1, 2, 3, 4])
def test_limits_count_rows(archives: tuple[Path, list[str]], jobs: int) -> None:
    folder, texts = archives
    good, _ = expected(texts, lambda d: compare(">", follow(d, ["o", "n"]), Decimal(0)))
    for limit in (0, 1, 7, 50, len(good)):
        assert [int(line) for line in run(folder, "o.n > 0", jobs, limit=limit)[0].split()] == good[:limit]


def test_a_condition_is_asked_of_what_comes_through_a_pipe(tmp_path: Path) -> None:
    lines = b"".join(b'{"p": %d, "q": "%s"}\n' % (i, b"x" * (i % 7)) for i in range(20_000))
    piped = command("-", "--where", "p >= 19998 and q like 'xx%'", cwd=tmp_path, stdin=lines)
    assert piped.stdout == b"p,q\n19998,xxxxxx\n", piped.stderr


def test_expressions_find_what_python_finds(tmp_path: Path) -> None:
    r = random.Random(SEED + 3)

    def expression(depth: int) -> str:
        k = r.random()
        if depth == 0 or k < 0.35:
            return r.choice(["a", "b", "é", ".", "[ab]", "[^a]", r"\d", r"\w", r"\s", r"\D", r"\b", r"\B", "[a-é日]", r"\.", "^", "$"])
        if k < 0.6:
            return expression(depth - 1) + expression(depth - 1)
        if k < 0.75:
            return f"(?:{expression(depth - 1)}|{expression(depth - 1)})"
        if k < 0.8:
            return f"({expression(depth - 1)})"
        return f"(?:{expression(depth - 1)}){r.choice(['*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '??'])}"

    texts = ["".join(r.choice("aab é1._日\n") for _ in range(r.randrange(8))) for _ in range(300)]
    file = tmp_path / "texts.ndjson"
    file.write_text("".join(json.dumps({"i": i, "t": t}) + "\n" for i, t in enumerate(texts)))
    for _ in range(200):
        ours = expression(4)
        flags = r.choice(["", "(?i)", "(?s)"])
        # Python's $ also stands before a line break at the end, and its \B is never in an empty text.
        theirs = re.compile(flags + ours.replace("$", r"\Z"), re.A)
        if r"\B" in ours and sys.version_info < (3, 14):
            found = [i for i, t in enumerate(texts) if t and theirs.search(t)]
            out = [int(n) for n in run(file, f"t matches '{flags}{ours}' and t != ''", 1)[0].split()]
        else:
            found = [i for i, t in enumerate(texts) if theirs.search(t)]
            out = [int(n) for n in run(file, f"t matches '{flags}{ours}'", 1)[0].split()]
        assert out == found, flags + ours


def test_duckdb_selects_the_same(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="not proven: duckdb is not installed")
    r = random.Random(SEED + 4)
    file = tmp_path / "d.ndjson"
    file.write_text("".join(json.dumps({"i": i, "n": r.choice([None, *range(-5, 5)]), "t": r.choice([None, *TEXTS]), "o": {"x": r.choice([None, 0.5, 1.5])}}) + "\n" for i in range(2000)))
    columns = "{'i': 'bigint', 'n': 'bigint', 't': 'varchar', 'o': 'struct(x double)'}"
    for where in ("n > 0 and t like 'a%'", "not (n <= 2 or o.x = 0.5)", "n is null or t in ('a', '日本')", "o.x <> 1.5 and not (t = 'b' and n < 3)", "n not in (1, 2) and t is not null", "t > 'a b'"):
        wanted = [row[0] for row in duckdb.sql(f"select i from read_json('{file}', format='newline_delimited', columns={columns}) where {where} order by i").fetchall()]
        assert [int(n) for n in run(file, where, 2)[0].split()] == wanted and 0 < len(wanted) < 2000, where


def test_what_is_taken_for_a_number_is_one(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text('{"b":true}\n{"b":[1]}\n{"b":"7.5"}\n{"b":null}\n{}\n')
    for where in ("b == b:decimal", "b:decimal == b:decimal", "not (b:decimal != q)", "b:decimal in (1, 7.5)"):
        run = kumihimo.extract(tmp_path / "a.ndjson", ["b"], where=where, on_error="skip", form="none")
        while run.next_count() is not None:
            pass
        said = [str(report) for report in run.take_reports()]
        assert sum('takes "b" for a number, but here it is true or false, true' in one for one in said) == 1, (where, said)
        assert sum('takes "b" for a number, but here it is an array, [1]' in one for one in said) == 1, (where, said)
    for where in ("b:decimal == true", "false != b:decimal", "b:decimal == 'x'", "b:decimal in ('x')"):
        with pytest.raises(ValueError, match="a path with :decimal is compared with a number"):
            kumihimo.extract(tmp_path / "a.ndjson", ["b"], where=where)
