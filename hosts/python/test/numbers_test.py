"""One rule for numbers in all calls that read JSON: what loads() refuses, the others refuse, with the same words at the same place."""

from __future__ import annotations

import json
import random
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable

import kumihimo
import pytest
from kumihimo import msgpack

ZEROS = "0" * 400
BEYOND_A_FLOAT = ["1e400", "-1e400", "1E+309", "1.7976931348623159e308", "1" + ZEROS + ".0", "12345e99999999999999999999", "1.5e0000400"]
WITHIN = ["1e308", "1.7976931348623157e308", "1e-400", "0e400", "0." + ZEROS + "1e500", "1" + ZEROS + "e-300", "-0", "1e007"]
WHOLE = ["123456789012345678901234567890", "-" + "9" * 400, "18446744073709551616", "-9223372036854775809"]

CALLS: dict[str, Callable[..., Any]] = {
    "loads": kumihimo.loads,
    "check": kumihimo.check,
    "lazy": kumihimo.lazy,
    "partial": lambda data, **o: kumihimo.partial(["zz"], **o)(data),
    "partial with a wanted number": lambda data, **o: kumihimo.partial(["/0", "/a", "/1/a"], **o)(data),
    "partial of many paths": lambda data, **o: kumihimo.partial([f"k{i}" for i in range(40)], **o)(data),
    "many": lambda data, **o: kumihimo.partial(["zz"], **o).many([b"{}", data]),
    "raw": lambda data, **o: kumihimo.partial(["zz"], raw=True, **o)(data),
    "convert to json": lambda data, **o: kumihimo.convert(data, "json", "json", **o),
    "convert to msgpack": lambda data, **o: kumihimo.convert(data, "json", "msgpack", **o),
}


def documents(number: str) -> list[bytes]:
    texts = [number, f"[{number}]", f'{{"a":{number}}}', f'[{{}},{{"a": {number} , "b":[true,1e5]}}]', f'{{"a":"{"x" * 70000}","b":[{number}]}}']
    texts += [f'{{"k":[{" " * n}{number},1e-7]}}' for n in range(0, 130, 7)]
    return [text.encode() for text in texts]


def said(call: Callable[..., Any], data: bytes, **options: Any) -> Any:
    try:
        call(data, **options)
    except kumihimo.JSONDecodeError as error:
        return error.msg, error.code, error.offset, error.path, error.lineno, error.colno
    return None


@pytest.mark.parametrize("number", BEYOND_A_FLOAT)
def test_beyond_a_float_is_refused_by_all(number: str) -> None:
    for document in documents(number):
        first = said(kumihimo.loads, document)
        assert first is not None and first[1] == "range" and "decimal=True" in first[0]
        assert document[first[2] :].startswith(number.encode())
        for name, call in CALLS.items():
            assert said(call, document) == first, name
            assert said(call, document, decimal=True) == said(kumihimo.loads, document, decimal=True), name


@pytest.mark.parametrize("number", WITHIN + WHOLE)
def test_the_rest_is_taken_by_all(number: str) -> None:
    for document in documents(number):
        for name, call in CALLS.items():
            if name == "convert to msgpack" and number in WHOLE:
                continue
            assert said(call, document) is None, name
            assert said(call, document, decimal=True) is None, name


@pytest.mark.parametrize("decimals", [False, True])
def test_what_only_the_interpreter_refuses(decimals: bool) -> None:
    limit = sys.get_int_max_str_digits()
    try:
        for digits in (0, 640, 700):
            sys.set_int_max_str_digits(digits)
            for length in (640, 641, 700, 701, 5000):
                for document in documents("9" * length):
                    first = said(kumihimo.loads, document, decimal=decimals)
                    assert (first is None) == (digits == 0 or length <= digits)
                    for name, call in CALLS.items():
                        if name != "convert to msgpack":  # which has no such number anyway, or writes it as text
                            assert said(call, document, decimal=decimals) == first, (name, digits, length)
    finally:
        sys.set_int_max_str_digits(limit)


@pytest.mark.parametrize("number", ["1e9999999999999999999", "-1.5E+1000000000000000000", "1e-99999999999999999999"])
def test_exponents_that_no_decimal_has(number: str) -> None:
    for document in documents(number):
        first = said(kumihimo.loads, document, decimal=True)
        assert first is not None and first[1] == "range"
        for name, call in CALLS.items():
            assert said(call, document, decimal=True) == first, name


def test_any_numbers() -> None:
    r = random.Random(20261122)
    for _ in range(4000):
        whole = r.choice(["0", str(r.randrange(1, 10 ** r.choice([1, 5, 19, 20, 25, 60, 70, 130, 310, 700])))])
        number = r.choice(["", "-"]) + whole
        if r.random() < 0.5:
            number += "." + "".join(r.choices("0123456789", k=r.choice([1, 3, 17, 70, 400])))
        if r.random() < 0.6:
            number += r.choice("eE") + r.choice(["", "+", "-"]) + str(r.choice([r.randrange(12), r.randrange(400), 308, 309, r.randrange(10**20)]))
        document = f'{r.choice(["", "[1,", "[true,[],"])}'.encode()
        document = document + b" " * r.randrange(70) + number.encode() + (b"]" if document else b"")
        for options in ({}, {"decimal": True}):
            first = said(kumihimo.loads, document, **options)
            stock = json.loads(document, parse_float=float)
            if not options:
                assert (first is not None) == ("inf" in repr(stock)), document
            for name, call in CALLS.items():
                if name == "convert to msgpack" and first is None:
                    continue
                assert said(call, document, **options) == first, (name, document)


def test_convert_is_loads_and_a_writer(corpus: bytes) -> None:
    assert kumihimo.convert(corpus, "json", "json") == kumihimo.dumps(kumihimo.loads(corpus))
    assert kumihimo.convert(corpus, "json", "msgpack") == msgpack.packb(kumihimo.loads(corpus))
    exact = kumihimo.loads(corpus, decimal=True)
    assert kumihimo.loads(kumihimo.convert(corpus, "json", "json", decimal=True), decimal=True) == exact


def test_digits_become_text_only_when_asked_for() -> None:
    document = b'{"a":[123456789012345678901234567890,1.50],"b":-1}'
    with pytest.raises(kumihimo.JSONDecodeError, match="big='text'") as error:
        kumihimo.convert(document, "json", "msgpack")
    assert (error.value.offset, error.value.path, error.value.code) == (6, "$.a[0]", "unsupported")
    with pytest.raises(kumihimo.EncodeError, match="decimal=True"):
        msgpack.packb([10**30])
    as_text = kumihimo.convert(document, "json", "msgpack", big="text")
    assert msgpack.unpackb(as_text) == {"a": ["123456789012345678901234567890", 1.5], "b": -1}
    assert kumihimo.convert(b"[1e400]", "json", "msgpack", big="text") == msgpack.packb(["1e400"])
    assert kumihimo.convert(document, "json", "json", big="text") == b'{"a":["123456789012345678901234567890",1.5],"b":-1}'
    assert kumihimo.convert(b"[1e400]", "json", "json", big="text") == b'["1e400"]'
    assert kumihimo.convert(document, "json", "json") == b'{"a":[123456789012345678901234567890,1.5],"b":-1}'
    assert kumihimo.convert(document, "json", "json", decimal=True) == document
    kept = kumihimo.convert(document, "json", "msgpack", decimal=True)
    assert msgpack.unpackb(kept) == {"a": ["123456789012345678901234567890", "1.50"], "b": -1}
    assert kept == msgpack.packb(kumihimo.loads(document, decimal=True), decimal=True)
    with pytest.raises(ValueError, match="big is one of 'text'"):
        kumihimo.convert(document, "json", "msgpack", big="number")  # type: ignore[arg-type]


def test_levels_that_do_not_look() -> None:
    for level in ("structural", "trusted"):
        assert kumihimo.partial(["b"], level)(b'{"a":1e400,"b":2}') == (2,)
        with pytest.raises(kumihimo.JSONDecodeError, match="decimal=True"):
            kumihimo.partial(["a"], level)(b'{"a":1e400,"b":2}')


def test_a_file_is_checked_by_the_same_rule(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b"[1e400]")
    with pytest.raises(kumihimo.JSONDecodeError, match="decimal=True"):
        kumihimo.check(file)
    kumihimo.check(file, decimal=True)


# ---- the other questions that JSON leaves open, asked of all that read it -------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "option"),
    [
        (b'{"a":1,"b":{"c":1,"c":2}}', "unique_keys"),
        (b'{"a":1,"\\u0061":2}', "unique_keys"),
        (b"[1, /* two */ 2,]", "relaxed"),
        (b"\xef\xbb\xbf[1]", "relaxed"),
        (b"[NaN,-Infinity]", "allow_nan"),
    ],
)
def test_options_mean_the_same_everywhere(document: bytes, option: str) -> None:
    refused_when = option == "unique_keys"
    calls = dict(CALLS) if refused_when else {name: CALLS[name] for name in ("loads", "check", "lazy", "convert to json", "convert to msgpack")}
    first = said(kumihimo.loads, document, **{option: refused_when})
    assert first is not None
    for name, call in calls.items():
        assert said(call, document, **{option: refused_when}) == first, name
        assert said(call, document, **{option: not refused_when}) is None, name


def test_a_key_that_comes_twice() -> None:
    document = b'{"a":1,"b":0,"a":{"c":2,"c":3}}'
    assert kumihimo.loads(document) == {"a": {"c": 3}, "b": 0}
    assert kumihimo.lazy(document)["a"]["c"] == 3
    assert kumihimo.lazy(document).value() == {"a": {"c": 3}, "b": 0}
    assert kumihimo.partial(["a.c"])(document) == (3,)
    assert kumihimo.convert(document, "json", "json") == document
    assert kumihimo.convert(kumihimo.convert(document, "json", "msgpack"), "msgpack", "json") == document
    for level in ("strict", "structural", "trusted"):
        with pytest.raises(kumihimo.JSONDecodeError, match="has already"):
            kumihimo.partial(["b"], level, unique_keys=True)(document)  # type: ignore[call-overload]
        assert kumihimo.partial(["b"], level, unique_keys=True)(b'{"a":{"a":1},"b":0}') == (0,)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="source"):
        kumihimo.convert(b"\x80", "msgpack", "json", unique_keys=True)


def test_decimals_are_written_when_asked_for() -> None:
    with pytest.raises(kumihimo.EncodeError, match="decimal=True"):
        kumihimo.dumps({"price": Decimal("1.10")})
    assert kumihimo.dumps({"price": Decimal("1.10")}, decimal=True) == b'{"price":1.10}'
    with pytest.raises(kumihimo.EncodeError, match="decimal=True"):
        msgpack.packb(Decimal("1.10"))
    with pytest.raises(kumihimo.EncodeError, match="base64"):
        kumihimo.dumps(b"raw")


def test_floats_as_orjson_writes_them() -> None:
    orjson = pytest.importorskip("orjson", reason="not proven: orjson is not installed")
    if orjson.dumps([1e16, 1e-5]) != b"[1e+16,0.00001]":
        pytest.skip("not proven: this orjson has another layout than 3.13's")
    r = random.Random(7)
    values = [1e-7, 1e-5, 1e-6, 0.0001, 1.5e-5, 1e15, 1e16, 1e17, 1e21, 5e-324, 1.7976931348623157e308, -0.0, 0.1, 100.0, -2.5e-9]
    values += [r.uniform(-1, 1) * 10.0 ** r.randrange(-30, 30) for _ in range(20000)]
    for value in values:
        assert kumihimo.dumps(value, floats="orjson") == orjson.dumps(value)
    assert kumihimo.dumps(values, floats="orjson") == orjson.dumps(values)
    assert kumihimo.dumps([1e-7, 1e-5], floats="python") == kumihimo.dumps([1e-7, 1e-5]) == b"[1e-07,1e-05]"
    with pytest.raises(ValueError, match="floats is one of"):
        kumihimo.dumps(1.0, floats="json")  # type: ignore[arg-type]


@pytest.mark.parametrize("number", ["-0", "-0.0", "-0e0", "-0E-7", "0", "0.0", "-0.00"])
def test_a_zero_with_a_sign(number: str) -> None:
    """-0 is an integer by its spelling; everywhere else a double or a Decimal."""
    whole = number in ("0", "-0")
    for document in documents(number):
        stock = json.loads(document)
        for decimal in (False, True):
            ours = kumihimo.loads(document, decimal=decimal)
            exact = json.loads(document, parse_float=Decimal) if decimal else stock
            assert repr(ours) == repr(exact)
            assert repr(kumihimo.lazy(document, decimal=decimal).value()) == repr(ours)
            again = kumihimo.convert(document, "json", "json", decimal=decimal)
            assert repr(kumihimo.loads(again, decimal=decimal)) == repr(ours)
            if not decimal:
                assert again == kumihimo.dumps(ours)
                assert kumihimo.convert(document, "json", "msgpack") == msgpack.packb(ours)
    for decimal in (False, True):
        kept = b"0" if whole else number.encode() if decimal else b"-0.0"
        if number != "0.0":
            assert kumihimo.convert(number, "json", "json", decimal=decimal) == kept
            assert kumihimo.convert(number, "json", "msgpack", decimal=decimal) == msgpack.packb(0 if whole else number if decimal else -0.0)
    for decimal in (False, True):
        (part,) = kumihimo.partial(["a"], decimal=decimal)(f'{{"a":{number}}}')
        assert repr(part) == repr(json.loads(number, parse_float=Decimal if decimal else float))


# ---- documents with several faults ------------------------------------------------------------------------------------------------------

VALUES = ["null", "true", "1.5", "-0", "[]", '{"k":[1,{}]}', '"text"', '"\\u00e9\\n"', '"é😀"', "12345678901234567890123"]
# Each is whole in itself, so that what follows it is read as it stands.
FAULTS: list[bytes] = [
    *(b"1e400", b"-1.5E999", b"9" * 5000, b"1." + b"3" * 700 + b"e99999", b"1e9999999999999999999", b"-0.0e-99999999999999999999"),
    *(b"01", b"1.", b"+1", b".5", b"1e", b"-", b"0x1", b"tru", b"nul", b"None", b"NaN", b"-Infinity", b"'a'", b"1e400x", b"1 1"),
    *(b'"\xff"', b'"a\xc3"', b'"\xed\xa0\x80"', b'"\x01"', b'"a\nb"', b'"\\q"', b'"\\u12"', b'"\\ud800"', b'"\\udc00\\ud800"', b"\x80", b"\x00"),
    *(b"[1,]", b'{"a":1,}', b'{"a"}', b'{"a" 1}', b"{1:2}", b"[1 2]", b"[,]", b"/* a */ 1", b"1 // b\n", b'{"d":1,"e":{},"d":2}', b"[" * 70 + b"]" * 70),
]
OPTIONS: list[dict[str, Any]] = [{}, {"decimal": True}, {"unique_keys": True}, {"depth": 60}, {"depth": 60, "decimal": True, "unique_keys": True}]
MORE_OPTIONS: list[dict[str, Any]] = [{"relaxed": True}, {"allow_nan": True}, {"relaxed": True, "allow_nan": True, "decimal": True, "unique_keys": True}]
ALL_LEVELS = {f"partial, {level}": (lambda level: lambda data, **o: kumihimo.partial(["zz"], level, **o)(data))(level) for level in ("structural", "trusted")}


def with_faults(r: random.Random, faults: list[bytes]) -> tuple[bytes, bytes]:
    """A document with them, in this order and far or near, and the same one with the first alone."""
    whole, first = b"", b""
    for n, fault in enumerate(faults):
        between = b",".join(r.choice(VALUES).encode() for _ in range(r.choice([1, 1, 2, 5])))
        between += b',"' + b"x" * r.choice([0, 3, 40, 130, 700, 17000, 70000]) + b'"'
        inside = r.choice([b"%s", b"[%s]", b'{"k":%s}', b'[{"k":[7,%s]}]'])
        whole += between + b"," + inside % fault + b","
        first += between + b"," + inside % (fault if n == 0 else b"0") + b","
    opening, closing = r.choice([(b"[", b"0]"), (b'{"a":[', b'0],"b":1}'), (b' [{"a":1},[', b"0]]\n")])
    return opening + whole + closing, opening + first + closing


@pytest.mark.parametrize("seed", range(6))
def test_the_first_fault_is_named_by_all(seed: int) -> None:
    r = random.Random(seed)
    seen = 0
    for _ in range(250):
        faults = [r.choice(FAULTS) for _ in range(r.choice([1, 2, 2, 3]))]
        document, alone = with_faults(r, faults)
        for options in [r.choice(OPTIONS), r.choice(MORE_OPTIONS)]:
            expected = said(kumihimo.loads, document, **options)
            if said(kumihimo.loads, alone, **options) is not None:
                assert expected == said(kumihimo.loads, alone, **options), (faults, options)
            for name, call in CALLS.items():
                if options in MORE_OPTIONS and name not in ("check", "lazy", "convert to json", "convert to msgpack"):
                    continue
                found = said(call, document, **options)
                if expected is None and name == "convert to msgpack" and found is not None and found[1] == "unsupported":
                    continue
                assert found == expected, (name, faults, options)
            seen += expected is not None
            if options in MORE_OPTIONS or options.get("unique_keys"):
                continue
            for name, call in ALL_LEVELS.items():  # they look at less, but what they refuse they refuse in the same words
                assert said(call, document, **options) in (None, expected), (name, faults, options)
    assert seen > 250


def test_a_str_with_half_a_pair_and_another_fault() -> None:
    for document, code, offset in (('[1,"\ud800"]', "encoding", 4), ('[1e400,"\ud800"]', "range", 1), ('["é",01,"\ud800"]', "syntax", 7), ('["é\udfff",01]', "encoding", 4)):
        first = said(kumihimo.loads, document)  # type: ignore[arg-type]
        assert first[1:3] == (code, offset)
        for name, call in CALLS.items():
            assert said(call, document) == first, name  # type: ignore[arg-type]


def test_the_first_bad_document_of_many() -> None:
    decoder = kumihimo.partial(["a"])
    for bad, index in (([b"{}", b"[1e400]", "\ud800"], 1), ([b"{}", "\ud800", b"["], 1), ([b"{", 5], 0), ([b"9" * 5000, "\ud800"], 0)):
        with pytest.raises(kumihimo.JSONDecodeError) as error:
            decoder.many(bad)  # type: ignore[arg-type]
        assert error.value.index == index  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        decoder.many([b"{}", 5])  # type: ignore[list-item]
