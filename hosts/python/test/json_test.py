"""dumps and loads against the standard library's json, on random and hostile values."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import math
import pickle
import random
import uuid
from typing import Any

import pytest

import kumihimo
import values


def stock(value: Any, **options: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), **options).encode()


@pytest.mark.parametrize("seed", range(400))
def test_random_values(seed: int) -> None:
    r = random.Random(seed)
    value = values.value(r)
    written = kumihimo.dumps(value)
    assert written == stock(value)
    for document in (written, bytearray(written), memoryview(written), written.decode()):
        assert repr(kumihimo.loads(document)) == repr(value)
    assert kumihimo.dumps(value, ensure_ascii=True) == json.dumps(value, separators=(",", ":")).encode()
    assert kumihimo.dumps(value, indent=2) == json.dumps(value, indent=2, ensure_ascii=False).encode()
    assert kumihimo.dumps(value, sort_keys=True) == stock(value, sort_keys=True)
    assert kumihimo.dumps(value, separators=(", ", ": ")) == json.dumps(value, ensure_ascii=False).encode()
    assert kumihimo.dumps(value, newline=True) == written + b"\n"


@pytest.mark.parametrize("seed", range(300))
def test_broken_documents_get_the_verdict_of_the_standard_library(seed: int) -> None:
    r = random.Random(seed)
    document = bytearray(kumihimo.dumps([values.value(r), values.value(r)]))
    for _ in range(r.randrange(1, 4)):
        at = r.randrange(len(document))
        pick = r.randrange(3)
        if pick == 0:
            del document[at]
        elif pick == 1:
            document[at] = r.choice(b'{}[],:"\\0123456789.eE+-truefalsn \n\x00\xff\x80')
        else:
            document.insert(at, r.choice(b'{}[],:"\\0123456789.eE+- '))
        if not document:
            return

    def refuse(_: str) -> None:
        raise ValueError

    try:
        expected = json.loads(document.decode("utf-8"), parse_constant=refuse)
        json.dumps(expected, ensure_ascii=False).encode()
        valid = True
    except ValueError:
        valid = False
    else:
        if "inf" in repr(expected):
            return  # a number beyond the largest float: refused here, inf there
    try:
        got = kumihimo.loads(bytes(document))
    except kumihimo.JSONDecodeError as error:
        if error.code == "range":
            return  # a number that Python's float cannot hold came before what breaks the grammar
        assert not valid, (bytes(document), error)
        assert 0 <= error.offset <= len(document)
        with pytest.raises(kumihimo.JSONDecodeError) as again:
            kumihimo.check(bytes(document))
        assert (again.value.msg, again.value.offset) == (error.msg, error.offset)
    else:
        assert valid, bytes(document)
        kumihimo.check(bytes(document))
        assert got == expected


def test_corpora(corpus: bytes) -> None:
    value = json.loads(corpus)
    assert kumihimo.loads(corpus) == value
    assert kumihimo.dumps(value) == stock(value)
    assert kumihimo.lazy(corpus).value() == value


def test_json_test_suite(data: Any) -> None:
    files = sorted((data / "JSONTestSuite" / "test_parsing").glob("*.json"))
    assert len(files) > 300
    for file in files:
        document = file.read_bytes()
        if file.name.startswith("y_"):
            assert kumihimo.loads(document) == json.loads(document), file.name
        elif file.name.startswith("n_"):
            with pytest.raises(kumihimo.JSONDecodeError):
                kumihimo.loads(document)


@pytest.mark.parametrize("n", [10**19, -(10**19), 2**64, 2**200, -(2**200), 10**4000])
def test_integers_of_any_size(n: int) -> None:
    assert kumihimo.dumps([n]) == b"[%d]" % n
    assert kumihimo.loads(b"[%d]" % n) == [n]


def test_an_integer_beyond_pythons_own_limit_is_refused() -> None:
    with pytest.raises(ValueError):
        kumihimo.loads(b"1" * 5000)
    with pytest.raises(ValueError):
        kumihimo.dumps(10**5000)


def test_numbers_that_no_float_holds() -> None:
    with pytest.raises(kumihimo.JSONDecodeError, match="decimal=True"):
        kumihimo.loads("1e400")
    assert kumihimo.loads("1e400", decimal=True) == decimal.Decimal("1e400")
    assert kumihimo.loads("[0.1, 12345678901234567890.12345678901234567890]", decimal=True) == [
        decimal.Decimal("0.1"),
        decimal.Decimal("12345678901234567890.12345678901234567890"),
    ]
    assert kumihimo.dumps([decimal.Decimal("0.10"), decimal.Decimal("-1E+5")], decimal=True) == b"[0.10,-1E+5]"
    with pytest.raises(TypeError):
        kumihimo.dumps(decimal.Decimal(1))


def test_numbers_that_are_not_numbers() -> None:
    hostile = [math.nan, math.inf, -math.inf]
    assert kumihimo.dumps(hostile) == b"[null,null,null]"
    assert kumihimo.dumps(hostile, allow_nan=True) == b"[NaN,Infinity,-Infinity]"
    with pytest.raises(ValueError):
        kumihimo.dumps(hostile, allow_nan=False)
    with pytest.raises(kumihimo.JSONDecodeError):
        kumihimo.loads("[NaN]")
    assert repr(kumihimo.loads("[NaN,-Infinity]", allow_nan=True)) == "[nan, -inf]"


def test_options_of_loads() -> None:
    assert kumihimo.loads('\ufeff{"a": [1, 2,], /* and */ "b": 3 // so on\n}'.encode(), relaxed=True) == {"a": [1, 2], "b": 3}
    assert kumihimo.loads('{"a":1,"a":2}') == {"a": 2}
    with pytest.raises(kumihimo.JSONDecodeError) as caught:
        kumihimo.loads('{"a":1,"a":2}', unique_keys=True)
    assert caught.value.code == "duplicate"
    with pytest.raises(kumihimo.JSONDecodeError):
        kumihimo.loads('"\\ud800"')
    assert kumihimo.loads('"\\ud800"', lone_surrogates=True) == "\ud800"
    with pytest.raises(kumihimo.JSONDecodeError):
        kumihimo.loads("\ud800")
    for wrong in ({"nope": 1}, {"depth": 0}, {"depth": "x"}):
        with pytest.raises((TypeError, ValueError)):
            kumihimo.loads("1", **wrong)  # type: ignore[arg-type]
    for wrong_type in (1, None, [], {}):
        with pytest.raises(TypeError):
            kumihimo.loads(wrong_type)  # type: ignore[arg-type]


def test_where_an_error_is() -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        kumihimo.loads('{"é": 1,\n "b": [1, tru]}'.encode())
    error = caught.value
    assert isinstance(error, kumihimo.JSONDecodeError)
    assert (error.lineno, error.colno, error.pos, error.offset, error.path) == (2, 11, 19, 20, "$.b[1]")
    assert error.doc == '{"é": 1,\n "b": [1, tru]}'
    again = pickle.loads(pickle.dumps(error))
    assert (again.offset, again.path, str(again)) == (error.offset, error.path, str(error))


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"a b": [1, {"é": object()}]}, '$["a b"][1].é'),
        ({"x": {'q"\n': object()}}, '$.x["q\\"\\n"]'),
        ([{"7": object()}], '$[0]["7"]'),
        ({"": {"plain-name": object()}}, '$[""].plain-name'),
    ],
)
def test_where_a_value_is_that_cannot_be_written(value: Any, path: str) -> None:
    with pytest.raises(kumihimo.EncodeError) as caught:
        kumihimo.dumps(value)
    assert caught.value.path == path


@pytest.mark.parametrize("empty", [b"[]", b"{}"])
@pytest.mark.parametrize("count", [*range(250, 262), 511, 512, 513, 1024, 4097, 20000])
def test_empty_containers_wherever_the_builders_stack_ends(empty: bytes, count: int) -> None:
    many = b"[" + b",".join([empty] * count) + b"]"
    assert kumihimo.loads(many) == json.loads(many)
    assert kumihimo.msgpack.unpackb(kumihimo.convert(many, "json", "msgpack")) == json.loads(many)
    for before in (b"1,", b'"a",', b"[1],"):
        mixed = b"[" + before * (count - 1) + b",".join([empty] * 3) + b"]"
        assert kumihimo.loads(mixed) == json.loads(mixed)
    deep = min(count, 400)
    nested = (b"[" + empty + b",") * deep + empty + b"]" * deep
    assert kumihimo.loads(nested) == json.loads(nested)


def test_depth() -> None:
    assert kumihimo.loads(b"[" * 1024 + b"]" * 1024) is not None
    with pytest.raises(kumihimo.JSONDecodeError):
        kumihimo.loads(b"[" * 1025 + b"]" * 1025)
    for value in ([], {}, [[]], [{}], {"a": []}, {"a": {}}, [1, [], 2], [[[]], [{}]], {"a": [{}], "b": [1, []]}):
        levels = 1 + max((1 + bool(x) for x in (value.values() if isinstance(value, dict) else value) if isinstance(x, (list, dict))), default=0)
        assert kumihimo.dumps(value, depth=levels) == stock(value)
        if levels > 1:
            with pytest.raises(ValueError, match="nested"):
                kumihimo.dumps(value, depth=levels - 1)
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    written = kumihimo.dumps(deep, depth=200_000)
    assert written == b"[" * 100_001 + b"]" * 100_001
    assert kumihimo.dumps(kumihimo.loads(written, depth=200_000), depth=200_000) == written
    for circular in ([], {}):
        inner: Any = {"a": [circular]} if isinstance(circular, list) else [circular]
        circular.append(inner) if isinstance(circular, list) else circular.update(x=inner)
        with pytest.raises(ValueError, match="holds itself"):
            kumihimo.dumps(circular)
        with pytest.raises(ValueError, match="holds itself"):
            kumihimo.dumps(circular, indent=1)


class Color(enum.Enum):
    RED = "red"
    BLUE = 2


class Number(enum.IntEnum):
    ONE = 1


@dataclasses.dataclass
class Point:
    x: int
    y: Any
    _private: int = 5


@dataclasses.dataclass
class Slotted:
    __slots__ = ("a", "b")
    a: int
    b: list[Any]


class Text(str):
    pass


class Whole(int):
    def __repr__(self) -> str:
        return "nonsense"


class Real(float):
    pass


class Items(list):  # type: ignore[type-arg]
    pass


class Pairs(dict):  # type: ignore[type-arg]
    pass


def test_types_of_the_standard_library() -> None:
    utc, jst = datetime.timezone.utc, datetime.timezone(datetime.timedelta(hours=9))
    moment = datetime.datetime(2026, 11, 20, 7, 30, 0, 500000)
    identity = uuid.UUID("0123456789abcdef0123456789abcdef")
    cases: list[tuple[Any, bytes]] = [
        (moment, b'"2026-11-20T07:30:00.500000"'),
        (moment.replace(microsecond=0), b'"2026-11-20T07:30:00"'),
        (moment.replace(tzinfo=utc), b'"2026-11-20T07:30:00.500000+00:00"'),
        (moment.replace(tzinfo=jst), b'"2026-11-20T07:30:00.500000+09:00"'),
        (datetime.date(1, 1, 1), b'"0001-01-01"'),
        (datetime.time(1, 2, 3), b'"01:02:03"'),
        (identity, b'"01234567-89ab-cdef-0123-456789abcdef"'),
        (Color.RED, b'"red"'),
        (Color.BLUE, b"2"),
        (Number.ONE, b"1"),
        (Point(1, [Point(2, None)]), b'{"x":1,"y":[{"x":2,"y":null}]}'),
        (Slotted(1, []), b'{"a":1,"b":[]}'),
        ((1, (2, 3), ()), b"[1,[2,3],[]]"),
        (Text("té"), '"té"'.encode()),
        (Whole(7), b"7"),
        (Real(1.5), b"1.5"),
        (Items([1, Items()]), b"[1,[]]"),
        (Pairs(a=Pairs(b=1)), b'{"a":{"b":1}}'),
        ({Text("k"): 1}, b'{"k":1}'),
    ]
    for value, expected in cases:
        assert kumihimo.dumps(value) == expected, value
        assert kumihimo.dumps([value, {"a": value}]) == b"[" + expected + b',{"a":' + expected + b"}]"
        assert kumihimo.dumps({"a": value}, indent=1, sort_keys=True) == json.dumps({"a": json.loads(expected)}, indent=1, ensure_ascii=False).encode()
    assert kumihimo.dumps(moment.replace(tzinfo=utc), utc_z=True) == b'"2026-11-20T07:30:00.500000Z"'
    with pytest.raises(kumihimo.EncodeError):
        kumihimo.dumps(datetime.time(1, tzinfo=utc))


def test_default() -> None:
    assert kumihimo.dumps([1, {2, 3}, {"a": {4}}], default=sorted) == b'[1,[2,3],{"a":[4]}]'
    assert kumihimo.dumps({1j: 1} and [1j], default=lambda o: {"re": o.real}) == b'[{"re":0.0}]'
    with pytest.raises(TypeError, match=r"complex.*\$\[1\]\.a"):
        kumihimo.dumps([0, {"a": 1j}])
    with pytest.raises(ZeroDivisionError):
        kumihimo.dumps(1j, default=lambda _: 1 // 0)
    with pytest.raises(kumihimo.EncodeError):
        kumihimo.dumps(1j, default=lambda o: o)
    with pytest.raises(TypeError):
        kumihimo.dumps(1, default=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        kumihimo.dumps(b"raw")
    assert kumihimo.dumps([b"raw", bytearray(b"raw"), memoryview(b"\xff\xfe")], binary="base64url") == b'["cmF3","cmF3","__4"]'
    assert kumihimo.dumps(b"raw", default=lambda b: b.decode()) == b'"raw"'


def test_user_code_that_changes_what_is_walked() -> None:
    for make in (lambda: [1j, 2, 3, [4]], lambda: {"a": 1j, "b": [2], "c": 3}):
        container: Any = make()

        def empty(_: Any) -> int:
            container.clear()
            return 1

        for options in ({}, {"indent": 1}):
            container = make()
            with pytest.raises(RuntimeError):
                kumihimo.dumps({"x": container}, default=empty, **options)


def test_a_key_that_replaces_its_own_value() -> None:
    class Thief(enum.Enum):
        KEY = 1

        @property
        def value(self) -> str:
            container[Thief.KEY] = None
            return "stolen"

    container: Any = {Thief.KEY: ["the only reference", [str(i) for i in range(100)], 1.5], "b": [2]}
    written = kumihimo.dumps([container], non_str_keys=True)
    first = ["the only reference", [str(i) for i in range(100)], 1.5]
    assert written in (stock([{"stolen": first, "b": [2]}]), stock([{"stolen": None, "b": [2]}]))


def test_dicts_of_every_inner_form() -> None:
    holes = {str(i): i for i in range(50)}
    for i in range(0, 50, 3):
        del holes[str(i)]
    emptied = {"a": 1, "b": [2]}
    emptied.clear()
    once_mixed: dict[Any, Any] = {1: 2, "a": "b", "c": [[]]}
    del once_mixed[1]

    class Plain:
        def __init__(self) -> None:
            self.x, self.y, self.z = 1, [2, {}], "é"

    gone = Plain()
    del gone.y
    large = {f"key {i}": [i] if i % 7 == 0 else {} if i % 11 == 0 else i for i in range(70000)}
    huge_holes = dict(large)
    for i in range(0, 70000, 2):
        del huge_holes[f"key {i}"]
    forms = [holes, emptied, once_mixed, vars(Plain()), vars(gone), {**holes, "é": 1, "日本": []}, large, huge_holes, {}]
    for form in forms:
        for value in (form, [form], {"in": form, "and": [form, []]}):
            assert kumihimo.dumps(value) == stock(value)


def test_keys() -> None:
    mixed = {1: "int", 1.5: "float", True and "t": 0, None: "none", Color.RED: "enum", False: "no"}
    with pytest.raises(TypeError, match="non_str_keys"):
        kumihimo.dumps(mixed)
    assert kumihimo.dumps(mixed, non_str_keys=True) == '{"1":"int","1.5":"float","t":0,"null":"none","red":"enum","false":"no"}'.encode()
    assert kumihimo.dumps({"日本": 1, "a\n": {"é😀": 2}}) == '{"日本":1,"a\\n":{"é😀":2}}'.encode()
    with pytest.raises(TypeError):
        kumihimo.dumps({(1, 2): 3}, non_str_keys=True)


def test_lone_surrogates_are_refused() -> None:
    for broken in ("\ud800", "a\udfff", "日\ud800", "😀\udc00", "\ud83d\ude00"):
        for value in (broken, [broken], {"a": broken}, {broken: 1}):
            with pytest.raises(kumihimo.EncodeError):
                kumihimo.dumps(value)
            with pytest.raises(kumihimo.EncodeError):
                kumihimo.dumps(value, indent=1)


def test_long_text() -> None:
    for long in ("é" * 70_000, "日" * 70_000, "😀" * 70_000 + '"', "a" * 300_000 + "\n"):
        assert kumihimo.dumps([long, {long: 1}]) == stock([long, {long: 1}])
        assert kumihimo.loads(stock([long])) == [long]


def test_escapes() -> None:
    assert kumihimo.dumps("</a>&\u2028", escape="html") == b'"\\u003c/a\\u003e\\u0026\\u2028"'
    assert kumihimo.dumps("</a>", escape="script") == b'"<\\/a>"'
    with pytest.raises(ValueError):
        kumihimo.dumps("", escape="xml")
    with pytest.raises(ValueError):
        kumihimo.dumps([], separators=(";", ":"))
    with pytest.raises(ValueError):
        kumihimo.dumps([1], indent="--")


def test_numpy() -> None:
    np = pytest.importorskip("numpy")
    assert kumihimo.dumps([np.int64(-5), np.float64(1.5), np.float32(0.5), np.bool_(True), np.uint8(3)]) == b"[-5,1.5,0.5,true,3]"
    assert kumihimo.dumps({"a": np.arange(6).reshape(2, 3)}) == b'{"a":[[0,1,2],[3,4,5]]}'
    assert kumihimo.dumps(np.datetime64("2026-11-20T07:30:00.5")) == b'"2026-11-20T07:30:00.500000"'
    with pytest.raises(TypeError):
        kumihimo.dumps(np.complex128(1j))
    assert kumihimo.dumps(np.complex128(1j), default=str) == b'"1j"'


def test_importing_does_next_to_nothing() -> None:
    import subprocess
    import sys

    code = "import sys, kumihimo; print(sorted(m for m in sys.modules if m in ('json', 're', 'click', 'rich', 'kumihimo._core', 'typing')))"
    assert subprocess.run([sys.executable, "-S", "-c", "import sys; sys.path[:] = %r\n%s" % (sys.path, code)], capture_output=True, text=True, check=True).stdout.strip() == "[]"  # fmt: skip


def test_an_offset_with_seconds_keeps_its_moment() -> None:
    for seconds in (33539, -33539, 29, -30, 86399, -86399):
        moment = datetime.datetime(1880, 1, 1, 0, 0, 0, 5, tzinfo=datetime.timezone(datetime.timedelta(seconds=seconds)))
        text = kumihimo.loads(kumihimo.dumps(moment))
        assert len(text) == len("1880-01-01T00:00:01.000005+09:19")
        assert datetime.datetime.fromisoformat(text) == moment
    tokyo = datetime.timezone(datetime.timedelta(hours=9, minutes=18, seconds=59))
    assert kumihimo.dumps(datetime.datetime(1880, 1, 1, tzinfo=tokyo)) == b'"1880-01-01T00:00:01+09:19"'


@pytest.mark.parametrize("work", [kumihimo.loads, kumihimo.check, lambda text: kumihimo.convert(text, "json", "msgpack")])
def test_half_a_pair_in_a_str_has_its_place(work: Any) -> None:
    with pytest.raises(kumihimo.JSONDecodeError) as caught:
        work('["\u00e9\u4fa1\U0001f600", "\ud800"]')
    assert (caught.value.code, caught.value.offset, caught.value.pos) == ("encoding", 15, 9)


@pytest.mark.parametrize("depth", [0, -1, 10**30, -(10**30)])
def test_a_depth_that_is_no_depth_is_a_value_error(depth: int) -> None:
    for work in (kumihimo.loads, kumihimo.dumps, kumihimo.check, kumihimo.msgpack.packb, kumihimo.msgpack.unpackb):
        with pytest.raises(ValueError, match="depth is"):
            work(b"1", depth=depth)
    with pytest.raises(TypeError):
        kumihimo.loads(b"1", depth="7")


def test_a_long_path_is_shortened_in_the_middle() -> None:
    for text in (b"[" * 5000, b'{"\xe4\xbe\xa1":' * 5000, b'{"' + b"k" * 100_000 + b'":tru}'):
        with pytest.raises(kumihimo.JSONDecodeError) as caught:
            kumihimo.loads(text)
        path = caught.value.path
        assert len(path) < 200 and "..." in path and path.startswith("$") and "\ufffd" not in path
        assert len(str(caught.value)) < 400
    with pytest.raises(kumihimo.EncodeError) as refused:
        kumihimo.dumps({"k" * 100_000: object()})
    assert len(refused.value.path) < 200 and "..." in refused.value.path
