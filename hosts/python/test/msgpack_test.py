"""packb and unpackb: round trips, and against another implementation where one is installed."""

from __future__ import annotations

import datetime
import random
from typing import Any

import pytest

import kumihimo
import values
from kumihimo import msgpack


@pytest.mark.parametrize("seed", range(300))
def test_random_values(seed: int) -> None:
    value = values.value(random.Random(seed))
    written = msgpack.packb(value)
    assert repr(msgpack.unpackb(written)) == repr(value)
    assert msgpack.unpackb(memoryview(written)) == value
    assert repr(kumihimo.loads(kumihimo.convert(written, "msgpack", "json"))) == repr(value)
    assert kumihimo.convert(kumihimo.dumps(value), "json", "msgpack") == written
    for cut in {0, len(written) // 2, len(written) - 1}:
        with pytest.raises(kumihimo.DecodeError):
            msgpack.unpackb(written[:cut])
    with pytest.raises(kumihimo.DecodeError) as caught:
        msgpack.unpackb(written + b"\x00")
    assert (caught.value.code, caught.value.offset) == ("trailing", len(written))


@pytest.mark.parametrize("seed", range(200))
def test_against_ormsgpack(seed: int) -> None:
    ormsgpack = pytest.importorskip("ormsgpack")
    value = values.value(random.Random(seed))
    assert msgpack.packb(value) == ormsgpack.packb(value)


def test_corpora(corpus: bytes) -> None:
    value = kumihimo.loads(corpus)
    assert msgpack.loads(msgpack.dumps(value)) == value


def test_what_json_cannot_say() -> None:
    value = [b"raw", bytes(70_000), msgpack.Ext(5, b"xyz"), float("inf"), (1, 2)]
    assert msgpack.unpackb(msgpack.packb(value)) == [b"raw", bytes(70_000), msgpack.Ext(5, b"xyz"), float("inf"), [1, 2]]
    assert msgpack.unpackb(msgpack.packb(msgpack.Ext(1, b"a")), ext_hook=lambda t, d: (t, d)) == (1, b"a")
    with pytest.raises(ZeroDivisionError):
        msgpack.unpackb(msgpack.packb([msgpack.Ext(1, b"a")]), ext_hook=lambda t, d: 1 // 0)
    with pytest.raises(kumihimo.EncodeError):
        msgpack.packb(2**64)
    assert kumihimo.convert(msgpack.packb([b"raw", msgpack.Ext(5, b"x")]), "msgpack", "json") == b'["cmF3",{"type":5,"data":"eA=="}]'


def test_keys() -> None:
    value = {1: 2, None: 3, 1.5: 4, b"k": 5, (1, (2, 3)): 6, "s": 7, True and "x": 8}
    with pytest.raises(kumihimo.EncodeError, match="non_str_keys"):
        msgpack.packb(value)
    written = msgpack.packb(value, non_str_keys=True)
    assert msgpack.unpackb(written, non_str_keys=True) == value
    with pytest.raises(kumihimo.DecodeError, match="non_str_keys"):
        msgpack.unpackb(written)
    with pytest.raises(ValueError):
        msgpack.unpackb(b"\x81\x80\x01", non_str_keys=True)  # a map as key


def test_moments() -> None:
    utc = datetime.timezone.utc
    for moment in (
        datetime.datetime(2026, 11, 20, 7, 30, tzinfo=utc),
        datetime.datetime(1, 1, 1, tzinfo=utc),
        datetime.datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=utc),
        datetime.datetime(1969, 12, 31, 23, 59, 59, 5, tzinfo=utc),
    ):
        assert msgpack.unpackb(msgpack.packb(moment)) == moment
    tokyo = datetime.datetime(2026, 11, 20, 16, 30, tzinfo=datetime.timezone(datetime.timedelta(hours=9)))
    assert msgpack.unpackb(msgpack.packb(tokyo)) == tokyo
    assert msgpack.unpackb(msgpack.packb(datetime.date(2026, 1, 2))) == "2026-01-02"
    # A nanosecond is more than a datetime can hold: nothing is lost.
    fine = b"\xc7\x0c\xff\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01"
    assert msgpack.packb(msgpack.unpackb(fine)) == fine


def test_keys_that_python_cannot_hash_say_where() -> None:
    deep = b"\x91" * 40 + b"\x01"
    for key in (b"\x80", b"\x91\x80", deep):
        document = b"\x92\x01\x81" + key + b"\x02"
        with pytest.raises(kumihimo.DecodeError, match="key") as caught:
            msgpack.unpackb(document, non_str_keys=True)
        error = caught.value
        assert error.code == "unsupported" and 2 <= error.offset <= len(document) and f"byte {error.offset}" in str(error)
    with pytest.raises(kumihimo.DecodeError) as long:
        msgpack.unpackb(b"\x91" * 2000)
    assert len(long.value.path) < 200 and "..." in long.value.path
