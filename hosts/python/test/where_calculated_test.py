"""Conditions that calculate (`--where 'price * amount > 100'`) against an oracle in plain Python, over the documents of where_test.py."""

from __future__ import annotations

import decimal
import json
import math
import random
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable

import pytest
from where_test import ORDER, PATHS, SEED, TEXTS, Judge, Maker, Mismatch, Truth, agree, agree_in_binary, archives, command, compare, follow, kind, load, plain, quoted, run  # noqa: F401

import kumihimo

Value = Callable[[Any], Any]  # of a document; None: null


def number(value: Any) -> Any:
    if kind(value) == "null":
        return None
    if kind(value) != "number":
        raise Mismatch
    return plain(value)


def checked(value: Decimal) -> Decimal:
    if value != 0 and len(value.normalize().as_tuple().digits) > 38:
        raise Mismatch
    return value


def calculate(sign: str, a: Any, b: Any) -> Any:
    a, b = number(a), number(b)
    if a is None or b is None:
        return None
    if sign == "/":
        x, y = float(a), float(b)
        if math.isinf(x) or math.isinf(y) or y == 0 or math.isinf(x / y):
            raise Mismatch
        return Decimal(repr(x / y))
    with decimal.localcontext() as context:
        context.prec = 5000
        checked(a), checked(b)
        return checked(a + b if sign == "+" else a - b if sign == "-" else a * b)


def length(value: Any) -> Any:
    if kind(value) == "null":
        return None
    if kind(value) not in ("text", "array", "object"):
        raise Mismatch
    return Decimal(len(value))


def as_text(value: Any) -> Any:
    if kind(value) == "null":
        return None
    if kind(value) in ("array", "object"):
        raise Mismatch
    return str(value).lower() if kind(value) == "bool" else value if kind(value) == "text" else value.text


def is_call(text: str, function: str) -> bool:
    """Whether it is one call of this function, and not only begins with it."""
    depths = [text[: i + 1].count("(") - text[: i + 1].count(")") for i in range(len(text))]
    return text.startswith(function + "(") and 0 not in depths[len(function) : -1]


class Calculating(Maker):
    """Conditions that are refused before any document is read are not given to the tests: for them no document has a value, says the oracle."""

    def __init__(self, r: random.Random, archives: tuple[Path, list[str]]) -> None:  # noqa: F811
        super().__init__(r)
        self.input = archives[0] / "d.json"
        self.documents = [load(text) for text in archives[1]]
        self.refused = 0

    def is_refused(self, where: str, answer: Value) -> bool:
        try:
            kumihimo.extract(self.input, ["i"], where=where, form="csv")
        except ValueError as error:
            assert "where at column" in str(error)
        else:
            return False
        self.refused += 1
        for document in self.documents:
            try:
                assert kind(answer(document)) == "null", (where, document)
            except Mismatch:
                pass
        return True

    def path(self) -> tuple[str, Value]:
        name, steps = self.r.choice([*PATHS, ("list", ["list"]), ("o", ["o"]), ("rows", ["rows"])])
        return name, lambda d: follow(d, steps)

    def value(self, depth: int) -> tuple[str, Value]:
        """Of any kind; at its depth 0 a path."""
        while True:
            text, answer = self.any_value(depth)
            if not self.is_refused(f"{text} is null", answer):
                return text, answer

    def any_value(self, depth: int) -> tuple[str, Value]:
        k = self.r.random()
        if depth == 0 or k < 0.15:
            return self.path()
        if k < 0.65:
            return self.arithmetic(depth)
        if k < 0.75:
            name, one = self.path()
            return f"{self.word('length')}({name})", lambda d: length(one(d))
        parts = [self.value(depth - 1), *(self.value(depth - 1) if self.r.random() < 0.8 else self.constant() for _ in range(self.r.randrange(3)))]
        if k < 0.9:

            def first(d: Any) -> Any:
                return next((v for _, part in parts if kind(v := part(d)) != "null"), None)

            return f"coalesce({', '.join(t for t, _ in parts)})", first
        texts = [self.path(), *(self.path() if self.r.random() < 0.6 else self.text() for _ in range(self.r.randrange(3)))]
        self.r.shuffle(texts)

        def joined(d: Any) -> Any:
            values = [as_text(part(d)) for _, part in texts]
            return None if None in values else "".join(values)

        return f"concat({', '.join(t for t, _ in texts)})", joined

    def text(self) -> tuple[str, Value]:
        text = self.r.choice(TEXTS)
        return quoted(text, self.r), lambda d: text

    def constant(self) -> tuple[str, Value]:
        if self.r.random() < 0.3:
            return self.text()
        text = self.r.choice(["0", "1", "2.50", "1e2", "9007199254740993"])
        return text, lambda d: Decimal(text)

    def arithmetic(self, depth: int) -> tuple[str, Value]:
        if self.r.random() < 0.1:
            text, one = self.value(depth - 1)

            def negative(d: Any) -> Any:
                v = number(one(d))
                return None if v is None else -checked(v)

            return f"-({text})", negative
        sign, space = self.r.choice("+-*/"), self.r.choice(["", " "])
        (left, a), (right, b) = self.value(depth - 1), self.value(depth - 1) if self.r.random() < 0.7 else self.number()
        if self.r.random() < 0.2:
            (left, a), (right, b) = (right, b), (left, a)
        space = space if right[0] not in "/'\"" and left[0] != "/" else " "
        return f"({left}{space}{sign}{space}{right})", lambda d: calculate(sign, a(d), b(d))

    def number(self) -> tuple[str, Value]:
        text = self.r.choice(["0", "1", "2.50", "1e2", "9007199254740993"])
        return text, lambda d: Decimal(text)

    def test(self) -> tuple[str, Judge]:
        if self.r.random() < 0.2:
            return super().test()
        while True:
            text, judge = self.any_test()
            if not self.is_refused(text, judge):
                return text, judge

    def any_test(self) -> tuple[str, Judge]:
        r = self.r
        text, value = self.value(2)
        if text.startswith("(") and r.random() < 0.5:
            text = text[1:-1]  # the condition's own signs bind less
        k = r.random()
        if k < 0.1:
            no = r.random() < 0.5
            return f"{text} is {'not ' if no else ''}null", lambda d: (kind(value(d)) == "null") != no
        if k < 0.2 and is_call(text, "coalesce"):

            def flag(d: Any) -> Truth:
                v = value(d)
                if kind(v) not in ("null", "bool"):
                    raise Mismatch
                return None if kind(v) == "null" else bool(v)

            return text, flag
        op = r.choice(list(ORDER))
        if k < 0.35:
            other, second = self.value(1)
        elif k < 0.45:
            spelled, over = self.quantified()
            return f"{spelled} {op} {text}", lambda d: over(d, lambda v: compare(op, v, value(d)))
        elif is_call(text, "concat") != (r.random() < 0.1):
            other, second = self.text()
        else:
            other, second = self.number()
        if r.random() < 0.3:
            return f"{other} {op} {text}", lambda d: compare(op, second(d), value(d))
        return f"{text} {op} {other}", lambda d: compare(op, value(d), second(d))


def test_generated_expressions(archives: tuple[Path, list[str]]) -> None:  # noqa: F811
    maker = Calculating(random.Random(SEED + 3), archives)
    selected, errors = agree(maker, archives, 200, 2)
    assert selected > 60 and errors > 60 and maker.refused > 60


def test_expressions_of_binary_documents(archives: tuple[Path, list[str]], tmp_path: Path) -> None:  # noqa: F811
    agree_in_binary(Calculating(random.Random(SEED + 4), archives), archives[1], tmp_path, 2)


@pytest.mark.parametrize("form", ["ndjson", "msgpack", "cbor", "tagged"])
def test_expressions_over_rows(tmp_path: Path, form: str) -> None:
    r = random.Random(SEED + 5)
    documents = [{"id": i, "fee": r.choice([1, 2, None]), "t": [{"p": r.randrange(5), "a": r.choice([1, 2, "x"]), "l": [0] * r.randrange(3)} for _ in range(r.randrange(4))]} for i in range(400)]
    file = tmp_path / f"a.{form}"
    file.write_bytes("".join(json.dumps(d) + "\n" for d in documents).encode() if form == "ndjson" else b"".join(kumihimo.dump(d, form) for d in documents))

    def amount(fee: Any, t: Any) -> Truth:
        if t["a"] == "x":
            raise Mismatch
        return None if fee is None else t["p"] * t["a"] - fee > 2

    for where, judge in (
        (".p * .a - $.fee > 2", amount),
        ("length(.l) == 2 and .p + 1 > length($.t)", None),
        ("coalesce(fee, length(.l)) <= .p", None),
    ):
        wanted, bad = [], 0
        for d in documents:
            for n, t in enumerate(d["t"]):
                try:
                    if judge is not None:
                        holds = judge(d["fee"], t)
                    elif where.startswith("length"):
                        holds = len(t["l"]) == 2 and t["p"] + 1 > len(d["t"])
                    else:
                        holds = (len(t["l"]) if d["fee"] is None else d["fee"]) <= t["p"]
                    if holds:
                        wanted.append(f"{d['id']},{n}")
                except Mismatch:
                    bad += 1
        assert len(wanted) > 50
        for jobs in (1, 3):
            rows = kumihimo.extract(file, ["id"], rows="t[*]", where=where, form="csv", on_error="skip", source=True, jobs=jobs)
            out = b""
            while (chunk := rows.next_bytes()) is not None:
                out += chunk
            assert [line.split(",")[0] + "," + line.split(",")[-1] for line in out.decode().splitlines()] == wanted, where
            assert len(rows.take_reports()) == bad, where


def test_the_command_calculates(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text('{"p": 5, "n": 3, "at": "2016-12-25"}\n{"p": "n/a", "n": 3}\n{"p": 70, "n": 3, "at": "2016-12-26"}\n')
    done = command("a.ndjson", "-f", "p", "--where", "p * n > 100", "--on-error", "skip", cwd=tmp_path)
    assert done.stdout == b"p\n70\n"
    assert b'byte 43 (line 2, column 7), at $.p: the condition cannot calculate "p * n": "p" is text, "n/a", and not a number' in done.stderr
    wrong = command("a.ndjson", "-f", "p", "--where", "p * n", cwd=tmp_path)
    assert wrong.returncode == 2 and b"--where at column 1: a comparison is missing behind this value\n  p * n\n  ^\n" in wrong.stderr
    done = command("a.ndjson", "-f", "n", "--where", 'strptime(at, "%F") > "2016-12-25T12:00"', cwd=tmp_path)
    assert done.stdout == b"n\n3\n" and done.returncode == 0
    # A column's own times, and those that are put together.
    rows = kumihimo.extract(tmp_path / "a.ndjson", ["p", "at:timestamp[UTC]"], where='time(concat(at, "T10:00Z")) < at or at == strptime("2016-12-26 +0000", "%F %z")', form="csv")
    assert rows.next_bytes() == b"70,2016-12-26T00:00:00+00:00\n"


def test_nothing_is_left_of_the_last_document(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text("".join(f'{{"i":{i},"l":[{",".join("1" * (i % 4))}]{"," + chr(34) + "m" + chr(34) + ":" + str(i) if i % 3 == 0 else ""}}}\n' for i in range(1000)))
    out, reports = run(tmp_path / "a.ndjson", "length(l) * 2 + coalesce(m, 0) - coalesce(m, 0) == 6 and m is null", 2)
    assert [int(line) for line in out.split()] == [i for i in range(1000) if i % 4 == 3 and i % 3 != 0] and not reports
