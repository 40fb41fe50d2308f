"""partial, lazy, check."""

from __future__ import annotations

import gc
import json
import random
import sys
import threading
import weakref
from pathlib import Path
from typing import Any, Literal

import pytest

import kumihimo
import values

FRAME = {"asks": [[107925.0, 0.0007], [107926.0, 1e-08]], "last_price": {"action": "ask", "price": 107910.0}, "a.b": {"c": None}, "trades": [{"price": 1}, {}, {"price": "é"}], "timestamp": "2016-12-25"}  # fmt: skip
DOCUMENT = json.dumps(FRAME, ensure_ascii=False).encode()


@pytest.mark.parametrize("level", ["strict", "structural", "trusted"])
def test_paths(level: str) -> None:
    wanted = kumihimo.partial(["last_price.price", "/asks/1/0", "asks[0]", '"a.b".c', "trades[*].price", "nope", "last_price"], level)
    expected = (107910.0, 107926.0, [107925.0, 0.0007], None, [1, None, "é"], None, {"action": "ask", "price": 107910.0})
    for document in (DOCUMENT, bytearray(DOCUMENT), memoryview(DOCUMENT), DOCUMENT.decode()):
        assert wanted(document) == expected
    assert wanted.many([DOCUMENT] * 1000) == [expected] * 1000
    assert len(wanted) == 7


def test_options() -> None:
    absent = object()
    wanted = kumihimo.partial({"p": "last_price.price", "x": "nope"}, missing=absent)
    assert wanted(DOCUMENT) == {"p": 107910.0, "x": absent}
    assert kumihimo.partial("trades[*].price", raw=True)(DOCUMENT) == ([b"1", None, '"é"'.encode()],)
    assert str(kumihimo.partial("a", decimal=True)(b'{"a":0.10}')[0]) == "0.10"
    for wrong in (["a..b["], ["a[x]"], [""] * 0):
        if wrong:
            with pytest.raises(ValueError, match="not valid"):
                kumihimo.partial(wrong)
    with pytest.raises(ValueError):
        kumihimo.partial("a", "sloppy")


def test_errors() -> None:
    wanted = kumihimo.partial(["a"])
    with pytest.raises(kumihimo.JSONDecodeError) as caught:
        wanted(b'{"a": 1, "b": [1, }')
    with pytest.raises(kumihimo.JSONDecodeError) as full:
        kumihimo.loads(b'{"a": 1, "b": [1, }')
    assert str(caught.value) == str(full.value)
    with pytest.raises(kumihimo.JSONDecodeError) as many:
        wanted.many([b'{"a":1}'] * 300 + [b"[", b"1"])
    assert many.value.index == 300  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        wanted.many([b"1", 5])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        wanted(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(200))
def test_against_a_full_decode(seed: int) -> None:
    r = random.Random(seed)
    value = {"x": values.value(r), "y": [values.value(r), {"z": values.value(r)}], "k": {values.text(r): values.value(r)}}
    document = kumihimo.dumps(value, indent=r.choice([None, 1]), ensure_ascii=r.random() < 0.5)
    expected = (value["x"], value["y"][1]["z"], value["y"])
    assert repr(kumihimo.partial(["x", "y[1].z", "/y"])(document)) == repr(expected)
    lazy = kumihimo.lazy(document)
    assert repr(lazy.value()) == repr(value)
    assert list(lazy) == list(value) and len(lazy) == 3
    inner = lazy["y"][1]["z"]
    assert repr(inner.value() if isinstance(inner, kumihimo.Lazy) else inner) == repr(value["y"][1]["z"])


@pytest.mark.parametrize("level", ["strict", "structural", "trusted"])
def test_a_value_that_is_refused_has_its_place_in_the_document(level: Literal["strict", "structural", "trusted"]) -> None:
    wanted = kumihimo.partial("a", level, dialect="doubles")
    for call in (lambda: wanted(b'{"a":\n {"x":1, "b":1e400}}'), lambda: wanted.many([b'{"a":\n {"x":1, "b":1e400}}'])):
        with pytest.raises(kumihimo.JSONDecodeError) as caught:
            call()
        assert (caught.value.offset, caught.value.lineno, caught.value.colno, caught.value.path) == (19, 2, 14, "$.a.b")


def test_lazy() -> None:
    lazy = kumihimo.lazy(DOCUMENT)
    assert lazy["last_price"]["price"] == 107910.0
    assert lazy["asks"][-1][0] == 107926.0
    assert [pair[1] for pair in lazy["asks"]] == [0.0007, 1e-08]
    assert [x.value() for x in lazy["asks"][::-1]] == FRAME["asks"][::-1]  # type: ignore[index]
    assert "asks" in lazy and "nope" not in lazy and 107925.0 in lazy["asks"][0]
    assert dict(lazy["last_price"].items()) == FRAME["last_price"]
    assert list(lazy.keys()) == list(FRAME) and len(list(lazy.values())) == 5
    assert lazy.get("nope", 5) == 5 and lazy.type == "object" and lazy["asks"].type == "array"
    with pytest.raises(KeyError):
        lazy["nope"]
    with pytest.raises(IndexError):
        lazy["asks"][2]
    for wrong in (lambda: lazy[0], lambda: lazy["asks"]["x"], lambda: len(kumihimo.lazy(b"1"))):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(kumihimo.JSONDecodeError):
        kumihimo.lazy(b"[1,")
    assert kumihimo.lazy(b"1").value() == 1


def test_lazy_raw() -> None:
    lazy = kumihimo.lazy(DOCUMENT)
    assert lazy.raw == DOCUMENT
    assert json.loads(lazy["asks"].raw) == FRAME["asks"]
    assert lazy["trades"][2].raw == '{"price": "é"}'.encode() and bytes(lazy["a.b"]) == b'{"c": null}'
    odd = kumihimo.lazy(b'{"a/b~c": [ [ ], {"": [7 ] } ], "1": [{"x": [8]}]}')
    assert odd["a/b~c"][1][""].raw == b"[7 ]" and odd["1"][0]["x"].raw == b"[8]" and odd["a/b~c"][0].raw == b"[ ]"


# Walks from the beginning, and a reading of the document for each, would take minutes.
def test_lazy_elements_in_any_order() -> None:
    many = 200_000
    document = b'{"long": [' + b",".join(b"[%d]" % i for i in range(many)) + b"]}"
    lazy = kumihimo.lazy(document)
    elements = lazy["long"]
    for order in (range(many - 1, -1, -1), range(0, many, 3), random.Random(1).sample(range(many), many)):
        assert all(elements[i][0] == i for i in order)
    assert all(elements[i - many][0] == i for i in range(many))
    assert [x[0] for x in elements[::-1]] == list(range(many - 1, -1, -1))
    assert all(lazy["long"][i][0] == i for i in range(many - 1, -1, -1))
    for wrong in (many, -many - 1, 2**62):
        with pytest.raises(IndexError):
            elements[wrong]
    assert all(element.raw == b"[%d]" % i for i, element in enumerate(elements))
    assert all(repr(element) == "<kumihimo.Lazy [%d]>" % i for i, element in enumerate(elements))
    assert lazy.raw == document


def test_lazy_keeps_its_input_alive() -> None:
    lazy = kumihimo.lazy(bytearray(DOCUMENT))["last_price"]
    gc.collect()
    assert lazy["action"] == "ask"


def test_check(tmp_path: Path) -> None:
    assert kumihimo.check(DOCUMENT) is None
    assert kumihimo.check(b" " * 200_000 + DOCUMENT) is None
    file = tmp_path / "a.json"
    file.write_bytes(DOCUMENT)
    assert kumihimo.check(file) is None
    file.write_bytes(b"")
    with pytest.raises(kumihimo.JSONDecodeError):
        kumihimo.check(file)


def test_threads() -> None:
    wanted = kumihimo.partial(["last_price.price", "asks"])
    large = b"[" + b",".join([DOCUMENT] * 2000) + b"]"
    first = kumihimo.partial("[1999].last_price.price")
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(20):
                assert wanted(DOCUMENT)[0] == 107910.0
                assert wanted.many([DOCUMENT] * 600)[599][0] == 107910.0
                assert first(large) == (107910.0,)
                assert kumihimo.loads(kumihimo.dumps(FRAME)) == FRAME
                kumihimo.check(large)
        except BaseException as error:  # noqa: BLE001  (handed to the main thread)
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def resident() -> int:
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="not proven: no /proc on this system")
def test_nothing_leaks() -> None:
    wanted = kumihimo.partial({"p": "last_price.price", "t": "trades[*]"})
    value = [FRAME, 2**70, "日本" * 20, {"k": (1, 2)}]
    written, packed = kumihimo.dumps(value), kumihimo.msgpack.packb(FRAME)

    def once() -> None:
        kumihimo.loads(written)
        kumihimo.dumps(value)
        kumihimo.dumps(value, indent=1, sort_keys=True)
        kumihimo.msgpack.unpackb(packed)
        wanted(DOCUMENT)
        kumihimo.lazy(DOCUMENT)["asks"][0].value()
        for bad in (b'{"a":[1,2,{"b":', b'["\\x"]', b"[1e999]"):
            try:
                kumihimo.loads(bad)
            except ValueError:
                pass
        for unsupported in ([1, {"a": object()}], {1: 2}, ["\ud800"]):
            try:
                kumihimo.dumps(unsupported)
            except TypeError:
                pass

    for _ in range(300):
        once()
    gc.collect()
    blocks, before = sys.getallocatedblocks(), resident()
    for _ in range(3000):
        once()
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 500
    assert resident() - before < 8 << 20


def test_references_are_given_back() -> None:
    class Thing:
        pass

    thing = Thing()
    alive = weakref.ref(thing)
    wanted = kumihimo.partial("nope", missing=thing)
    assert wanted(b"{}")[0] is thing
    value: list[Any] = [thing, {"a": [thing]}]
    before = sys.getrefcount(thing)
    for _ in range(50):
        assert kumihimo.dumps(value, default=lambda _: 1) == b'[1,{"a":[1]}]'
        with pytest.raises(TypeError):
            kumihimo.dumps(value)
    assert sys.getrefcount(thing) == before
    thing.wanted = wanted  # type: ignore[attr-defined]  # a cycle through the decoder
    del thing, wanted, value
    gc.collect()
    assert alive() is None


def test_lazy_raw_of_equal_keys():
    values = list(kumihimo.lazy(b'{"a":[1],"a":[2], "b": {"a" : [3] }}').values())
    assert [v.raw for v in values] == [b"[1]", b"[2]", b'{"a" : [3] }']


def test_a_collector_that_calls_the_same_decoder() -> None:
    """Containers are made in the middle of a call; with them the collector runs, and with it anybody's code."""
    decoder = kumihimo.partial(["a[*].x", "b"])
    document = b'{"a":[' + b",".join(b'{"x":[%d]}' % i for i in range(50)) + b'],"b":"' + b"y" * 40 + b'"}'
    another = b'{"a":[' + b",".join([b'{"x":"%s"}' % (b"z" * 500)] * 300) + b'],"b":1}'
    expected = decoder(document)
    called = 0

    class Last:
        def __del__(self) -> None:
            nonlocal called
            called += 1
            decoder(another)

    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(300):
            last = Last()
            last.itself = last  # type: ignore[attr-defined]
            del last
            assert decoder(document) == expected
    finally:
        gc.set_threshold(*before)
    assert called > 0


def test_a_decimal_that_calls_the_same_decoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decimal may be anybody's code: it runs in the middle of a call, before all values are built."""
    decoder = kumihimo.partial(["n", "a[*].x", "b"], decimal=True)
    document = b'{"n":1.5,"a":[' + b",".join(b'{"x":"%d"}' % i for i in range(50)) + b'],"far":1e12345678901234567,"b":"' + b"y" * 40 + b'"}'
    another = b'{"n":1,"a":[' + b",".join([b'{"x":"%s"}' % (b"z" * 500)] * 300) + b'],"b":1}'
    expected = (1.5, [str(i) for i in range(50)], "y" * 40)
    called = 0

    def number(text: str) -> float:
        nonlocal called
        called += 1
        decoder(another)
        return 1.5

    monkeypatch.setattr("decimal.Decimal", number)
    for _ in range(20):
        assert decoder(document) == expected
        assert decoder.many([document, another, document])[::2] == [expected] * 2
    assert called >= 60


def test_nothing_is_kept_of_a_refused_list() -> None:
    class Missing:
        pass

    missing = Missing()
    document = b'{"t":[{"q":1},{"p":[1]},{"p":1e999}]}'
    for names in (["t[*].p"], {"p": "t[*].p"}):
        decoder = kumihimo.partial(names, "trusted", missing=missing)
        with pytest.raises(kumihimo.JSONDecodeError):
            decoder(document)
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(1000):
            with pytest.raises(kumihimo.JSONDecodeError):
                decoder(document)
            with pytest.raises(kumihimo.JSONDecodeError):
                decoder.many([document])
        gc.collect()
        assert sys.getallocatedblocks() - before < 500
