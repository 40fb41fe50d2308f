"""The calls that read the table of formats: they know no format, so each of these runs for every one there is."""

from __future__ import annotations

import io
import pickle
import random
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
import values

import kumihimo
from kumihimo import _core, msgpack

FORMATS = [f["name"] for f in kumihimo.formats()]
DIALECTS = [(f["name"], d) for f in kumihimo.formats() for d in f["write_dialects"]]
READ_DIALECTS = [(f["name"], d) for f in kumihimo.formats() for d in f["read_dialects"]]
TEXT = {f["name"]: f["text"] for f in kumihimo.formats()}
WRITE_DIALECTS = {f["name"]: f["write_dialects"] for f in kumihimo.formats()}


def part_is_document(format: str) -> bool:
    """Whether a value's own bytes are a document: not where a document begins with a mark."""
    return kumihimo.dump([1], format) in kumihimo.dump([[1]], format)


def taken(value: Any, format: str, read_dialect: str) -> bytes:
    """The value as the first dialect writes it that this one reads."""
    for dialect in WRITE_DIALECTS[format]:
        written = kumihimo.dump(value, format, dialect)
        try:
            kumihimo.load(written, format, read_dialect)
        except ValueError:
            continue
        return written
    raise AssertionError(f"{read_dialect} reads nothing that is written")


PLAIN: Any = {"id": 7, "tags": ["a", None, True, {"deep": [[], {}]}], "text": "caf\u00e9 \U0001f600 \"\\\n", "x": -1.5, "big": 2**63, "n": -(2**63), "": 0}


@pytest.mark.parametrize("format", FORMATS)
def test_there_and_back(format: str) -> None:
    assert kumihimo.load(kumihimo.dump(PLAIN, format), format) == PLAIN
    for value in (0, "", None, [], {}, 1.5, "text" * 50000, list(range(20000))):
        assert kumihimo.load(kumihimo.dump(value, format), format) == value


@pytest.mark.parametrize("format, dialect", DIALECTS)
def test_every_dialect_is_read_again(format: str, dialect: str) -> None:
    value = {"a": [1, "b", {"c": None}], "d": True}
    assert kumihimo.load(kumihimo.dump(value, format, dialect), format) == value


@pytest.mark.parametrize("format, dialect", READ_DIALECTS)
def test_every_dialect_reads(format: str, dialect: str) -> None:
    written = taken(PLAIN["tags"], format, dialect)
    assert kumihimo.load(written, format, dialect) == PLAIN["tags"]
    assert kumihimo.lazy(written, format=format, dialect=dialect).value() == PLAIN["tags"]
    assert list(kumihimo.each_document(written, format, dialect)) == [PLAIN["tags"]]
    assert kumihimo.load(kumihimo.convert(written, format, "json", source_dialect=dialect)) == PLAIN["tags"]


@pytest.mark.parametrize("format", FORMATS)
def test_random_values(format: str) -> None:
    rng = random.Random(13)
    for _ in range(300):
        value = values.value(rng)
        try:
            expected = kumihimo.loads(kumihimo.dumps(value))
        except (TypeError, ValueError):
            continue
        assert kumihimo.load(kumihimo.dump(expected, format), format) == expected


@pytest.mark.parametrize("source", FORMATS)
@pytest.mark.parametrize("target", FORMATS)
def test_any_format_into_any(source: str, target: str) -> None:
    written = kumihimo.dump(PLAIN, source)
    assert kumihimo.load(kumihimo.convert(written, source, target), target) == PLAIN


def test_the_usual_calls_are_the_default_dialects() -> None:
    moment = {"at": datetime(2016, 12, 25, 1, 53, 10, tzinfo=timezone.utc), "x": [1e-7, 0.1, float("nan")], "t": "\u2028"}
    assert kumihimo.dump(moment, "json") == kumihimo.dumps(moment)
    assert kumihimo.dump(moment, "msgpack") == msgpack.packb(moment)
    with pytest.raises(TypeError):
        kumihimo.dump(b"bytes", "json")
    assert kumihimo.dump(b"bytes", "json", "lenient") == b'"Ynl0ZXM="'
    assert kumihimo.dump({"a": 1}, "json", "pretty") == b'{\n  "a": 1\n}'
    assert kumihimo.dump(Decimal("1.50"), "json", decimal=True) == b"1.50"
    assert kumihimo.load(b"[1.50, 1e400]", "json", decimal=True) == [Decimal("1.50"), Decimal("1e400")]
    assert kumihimo.load(b"1.50", "json", "exact_decimals") == Decimal("1.50")
    assert kumihimo.load(b"-0", "json") == 0 and repr(kumihimo.load(b"-0", "json")) == "0"
    with pytest.raises(kumihimo.JSONDecodeError):
        kumihimo.load(b"[1,]", "json")
    assert kumihimo.load(b"[1,] // more", "json", "relaxed") == [1]


@pytest.mark.parametrize("format", [f for f in FORMATS if f != "json"])
def test_more_than_json_has(format: str) -> None:
    value = {"raw": b"\x00\xff", "at": datetime(2016, 12, 25, 1, 53, 10, 250000, tzinfo=timezone.utc)}
    assert kumihimo.load(kumihimo.dump(value, format), format) == value
    ext = msgpack.Ext(5, b"abc")
    assert kumihimo.load(kumihimo.dump([ext], format), format) == [ext]
    assert kumihimo.load(kumihimo.dump(ext, format), format, ext_hook=lambda t, d: (t, d)) == (5, b"abc")
    keys = {1: "a", -5: "b", "c": True, b"d": None}
    written = kumihimo.dump(keys, format, non_str_keys=True)
    assert kumihimo.load(written, format, non_str_keys=True) == keys
    with pytest.raises(kumihimo.DecodeError, match="non_str_keys=True"):
        kumihimo.load(written, format)
    with pytest.raises(TypeError):
        kumihimo.dump(keys, format)


def test_the_format_that_the_bytes_tell() -> None:
    assert kumihimo.load(b' {"a": 1}') == {"a": 1}
    assert kumihimo.load('["\u00e9"]') == ["\u00e9"]
    assert kumihimo.load(b"\x93\x01\x02\x03") == [1, 2, 3]
    assert kumihimo.load(memoryview(b"\x81\xa1a\xc0")) == {"a": None}
    assert kumihimo.load(kumihimo.dump([1, 2], "tagged")) == [1, 2]
    assert kumihimo.load(b"\xd9\xd9\xf7\x82\x01\x02") == [1, 2]
    with pytest.raises(ValueError, match="do not tell their format: name it, one of 'json'"):
        kumihimo.load(b"")
    with pytest.raises(kumihimo.JSONDecodeError):
        kumihimo.load("\x93")
    with pytest.raises(kumihimo.JSONDecodeError, match="not valid"):
        kumihimo.load('"\ud800"')
    with pytest.raises(TypeError):
        kumihimo.load(5)  # type: ignore[arg-type]


def test_names_that_are_none() -> None:
    everything = ", ".join(repr(f) for f in FORMATS)
    calls: list[Any] = [
        lambda f: kumihimo.dump(1, f),
        lambda f: kumihimo.load(b"1", f),
        lambda f: kumihimo.lazy(b"1", format=f),
        lambda f: kumihimo.each_document(b"1", f),
    ]
    for call in calls:
        for name in ("yaml", "JSON", "", 5):
            with pytest.raises(ValueError, match=f"^format is one of {everything}"):
                call(name)
    with pytest.raises(ValueError, match=f"source is one of {everything}"):
        kumihimo.convert(b"1", "yaml", "json")
    for f in kumihimo.formats():
        written = kumihimo.dump(1, f["name"])
        for work in (
            lambda: kumihimo.dump(1, f["name"], "no such one"),
            lambda: kumihimo.convert(b"1", "json", f["name"], target_dialect="no such one"),
        ):
            with pytest.raises(ValueError, match=f"dialect of '{f['name']}' is one of '{f['write_dialects'][0]}'"):
                work()
        for work in (
            lambda: kumihimo.load(written, f["name"], "no such one"),
            lambda: kumihimo.lazy(written, format=f["name"], dialect="no such one"),
            lambda: kumihimo.each_document(written, f["name"], "no such one"),
        ):
            with pytest.raises(ValueError, match=f"dialect of '{f['name']}' is one of '{f['read_dialects'][0]}'"):
                work()
    with pytest.raises(TypeError, match="needs the argument 'format'"):
        kumihimo.dump(1)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="say how JSON is read"):
        kumihimo.lazy(b"\x80", format="msgpack", relaxed=True)


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_bytes(format: str) -> None:
    rng = random.Random(7)
    written = kumihimo.dump(PLAIN, format)
    for cut in range(len(written)):
        with pytest.raises((kumihimo.DecodeError, kumihimo.JSONDecodeError)) as caught:
            kumihimo.load(written[:cut], format)
        assert 0 <= caught.value.offset <= cut
        with pytest.raises((kumihimo.DecodeError, kumihimo.JSONDecodeError)):
            kumihimo.lazy(written[:cut], format=format)
    for _ in range(2000):
        noise = bytearray(written)
        for _ in range(rng.randrange(1, 4)):
            noise[rng.randrange(len(noise))] = rng.randrange(256)
        try:
            kumihimo.load(noise, format, non_str_keys=True)
        except (kumihimo.DecodeError, kumihimo.JSONDecodeError, TypeError):
            pass
    deep = kumihimo.dump(None, format)
    value: Any = None
    for _ in range(30):
        value = [value]
    deep = kumihimo.dump(value, format)
    with pytest.raises((kumihimo.DecodeError, kumihimo.JSONDecodeError)) as caught:
        kumihimo.load(deep, format, depth=29)
    assert caught.value.code == "depth"
    with pytest.raises(kumihimo.EncodeError):
        kumihimo.dump(value, format, depth=29)


@pytest.mark.parametrize("format", FORMATS)
def test_lazy_is_load(format: str) -> None:
    packed = kumihimo.dump(PLAIN, format)
    node = kumihimo.lazy(packed, format=format)
    assert node.value() == PLAIN and list(node) == list(PLAIN)
    assert node["tags"][3]["deep"].value() == [[], {}]
    assert len(node["tags"].raw) > 5 and node["tags"].raw in packed
    if part_is_document(format):
        assert kumihimo.load(node["tags"].raw, format) == PLAIN["tags"]


@pytest.mark.parametrize("format", FORMATS)
def test_a_few_values(format: str) -> None:
    document = {"last": {"price": 5, "who": "a"}, "trades": [{"p": 1.5}, {}, {"p": b"x" if format != "json" else "x"}], "none": None}
    paths = {"price": "last.price", "each": "trades[*].p", "second": "/trades/1", "gone": "a.b", "none": "none"}
    expected = {"price": 5, "each": [1.5, "?", document["trades"][2]["p"]], "second": {}, "gone": "?", "none": None}
    packed = kumihimo.dump(document, format)
    wanted = kumihimo.partial(paths, missing="?", format=format)
    assert wanted(packed) == expected and wanted.many([packed, packed]) == [expected] * 2
    assert pickle.loads(pickle.dumps(wanted))(packed) == expected and len(wanted) == 5
    assert kumihimo.partial(list(paths.values()), format=format)(packed)[0] == 5
    raw = kumihimo.partial("last", format=format, raw=True)(packed)[0]
    assert len(raw) > 5 and raw in packed
    if part_is_document(format):
        assert kumihimo.load(raw, format) == document["last"]
    assert kumihimo.lazy(packed, format=format)["trades"].pick("[*].p", "?") == expected["each"]
    with pytest.raises((kumihimo.DecodeError, kumihimo.JSONDecodeError)) as caught:
        wanted.many([packed, packed[:-1]])
    assert caught.value.index == 1  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="is not valid"):
        kumihimo.partial("a[", format=format)


def test_a_partial_of_another_format_says_what_it_lacks() -> None:
    for wrong, words in (({"level": "lax"}, "level is one of"), ({"unique_keys": True}, "a dialect's question"), ({"dialect": "nope"}, "is one of")):
        with pytest.raises(ValueError, match=words):
            kumihimo.partial("a", format="msgpack", **wrong)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="format is one of"):
        kumihimo.partial("a", format="yaml")
    assert kumihimo.partial("a", format="json", dialect="relaxed")(b'{"a":1,}') == (1,)


@pytest.mark.parametrize("level", ["strict", "structural", "trusted"])
@pytest.mark.parametrize("format", FORMATS)
def test_every_level_is_taken_for_every_format_and_dialect(format: str, level: Any) -> None:
    document = {"skipped": [{"x": 1.5, "y": ["text", None]}] * 9, "a": {"b": [1, 2]}, "list": [{"p": 1}, {}, {"p": "é"}]}
    packed, expected = kumihimo.dump(document, format), ([1, 2], [1, None, "é"], None)
    dialects: tuple[str, ...] = next(row["read_dialects"] for row in kumihimo.formats() if row["name"] == format)
    for dialect in (None, *dialects):
        if dialect in ("study_read", "deterministic_read"):  # which the document is not
            continue
        wanted = kumihimo.partial(["a.b", "list[*].p", "gone"], level, format=format, dialect=dialect)
        assert wanted(packed) == expected and wanted.many([packed] * 3) == [expected] * 3, dialect
        assert wanted(_core.pack(packed, "gzip")) == expected
        assert (wanted.level, wanted.format, pickle.loads(pickle.dumps(wanted))(packed)) == (level, format, expected)
        if level != "trusted":
            with pytest.raises(ValueError):
                wanted(packed[: len(packed) // 2])


@pytest.mark.parametrize(("format", "document"), [("msgpack", b"\x82\xa1a\xa2\xff\xfe\xa1b\x07"), ("cbor", b"\xa2\x61a\x62\xff\xfe\x61b\x07")])
def test_what_no_path_leads_to_is_as_the_level_says(format: str, document: bytes) -> None:
    with pytest.raises(kumihimo.DecodeError, match="UTF-8") as caught:
        kumihimo.partial("b", format=format)(document)
    assert caught.value.offset == document.index(b"\xff")
    for level in ("structural", "trusted"):
        assert kumihimo.partial("b", level, format=format)(document) == (7,)  # type: ignore[call-overload]
        with pytest.raises(kumihimo.DecodeError, match="UTF-8") as caught:
            kumihimo.partial("a", level, format=format)(document)  # type: ignore[call-overload]
        assert caught.value.offset == document.index(b"\xff") and caught.value.path == "$.a"
        raw = kumihimo.partial("a", level, format=format, raw=True)  # type: ignore[call-overload]
        for call in (lambda: raw(document), lambda: raw.many([document])):
            with pytest.raises(kumihimo.DecodeError, match="UTF-8") as caught:
                call()
            assert caught.value.offset == document.index(b"\xff") and caught.value.path == "$.a"
        # By a dialect that takes any text the documents are read whole.
        whole = kumihimo.partial("b", level, format=format, dialect="raw" if format == "msgpack" else "raw_read")  # type: ignore[call-overload]
        assert whole(document) == (7,)


class Slow(io.RawIOBase):
    """Gives a few bytes at a time."""

    def __init__(self, data: bytes, step: int) -> None:
        self.data, self.step, self.calls = data, step, 0

    def read(self, n: int = -1) -> bytes:
        self.calls += 1
        given, self.data = self.data[: self.step], self.data[self.step :]
        return given


@pytest.mark.parametrize("format", FORMATS)
def test_streams_of_documents(format: str) -> None:
    documents: list[Any] = [PLAIN, [], {"a": [1, 2]}, "text", [None], {"b": "x" * 3000}, ["end"]]
    written = b"".join(kumihimo.dump(d, format) for d in documents)
    assert list(kumihimo.each_document(written, format)) == documents
    assert list(kumihimo.each_document(io.BytesIO(written), format)) == documents
    for step in (1, 2, 3, 7, 100):
        assert list(kumihimo.each_document(Slow(written, step), format)) == documents
    slow = Slow(written, 64)
    assert next(kumihimo.each_document(slow, format)) == PLAIN
    assert len(slow.data) > 0, "no more is read than is needed"
    assert list(kumihimo.each_document(b"", format)) == []


@pytest.mark.parametrize("format", FORMATS)
def test_a_stream_that_is_cut_or_broken(format: str) -> None:
    one, two = kumihimo.dump({"a": 1}, format), kumihimo.dump([1, "text"], format)
    stream = kumihimo.each_document(one + two[:-1], format)
    assert next(stream) == {"a": 1}
    with pytest.raises((kumihimo.DecodeError, kumihimo.JSONDecodeError)) as caught:
        next(stream)
    assert caught.value.start == len(one)  # type: ignore[union-attr]
    assert list(stream) == []
    with pytest.raises(TypeError):
        list(kumihimo.each_document(5, format))


def test_json_documents_with_anything_between() -> None:
    assert list(kumihimo.each_document('{"a":1}\n{"a":2}{"a":3}  [4] 5 6', "json")) == [{"a": 1}, {"a": 2}, {"a": 3}, [4], 5, 6]
    assert list(kumihimo.each_document(io.StringIO('1\n"\u00e9"\n'), "json")) == [1, "\u00e9"]
    assert list(kumihimo.each_document(b" \n ", "json")) == []


def test_what_the_walk_runs_goes_through() -> None:
    class Thing:
        pass

    def fallback(o: Any) -> Any:
        if isinstance(o, Thing):
            return {"thing": 1}
        raise LookupError("no way")

    for format in FORMATS:
        assert kumihimo.load(kumihimo.dump([Thing()], format, default=fallback), format) == [{"thing": 1}]
        with pytest.raises(LookupError):
            kumihimo.dump([object()], format, default=fallback)
        assert kumihimo.dump({"b": 1, "a": 2}, format, sort_keys=True) == kumihimo.dump({"a": 2, "b": 1}, format)
    zoned = datetime(2016, 12, 25, 1, 53, 10, tzinfo=timezone(timedelta(hours=9)))
    assert kumihimo.dump([zoned, date(2016, 12, 25)], "json", "javascript") == b'["2016-12-25T01:53:10+09:00","2016-12-25"]'
