"""CBOR held to cbor2 (PyPI), the work of others: its bytes by the dialects that spell alike, its values of our bytes and ours of its."""

from __future__ import annotations

import io
import math
import random
from typing import Any

import pytest
import values

import kumihimo

cbor2 = pytest.importorskip("cbor2", reason="not proven: cbor2 is not installed")


def value(r: random.Random) -> Any:
    """With what CBOR has beyond JSON: bytes, integers beyond 64 bits, floats of every width. No denormal halves, which cbor2 5 writes as
    singles (RFC 8949's appendix A does not), and no infinities, which it shortens always."""
    more: list[Any] = [
        r.randbytes(r.choice([0, 1, 23, 24, 255, 256, 300])),
        r.randrange(-(2**100), 2**100),
        [math.ldexp(r.randrange(1024, 2048), r.randrange(-24, 5)) for _ in range(5)],
        [math.ldexp(r.randrange(-(2**24), 2**24), r.randrange(-160, 110)) for _ in range(5)],
        [0.0, -0.0],
    ]
    return [values.value(r), r.choice(more), r.choice(more)]


@pytest.mark.parametrize("seed", range(300))
def test_bytes_and_values(seed: int) -> None:
    v = value(random.Random(seed))
    theirs = cbor2.dumps(v)
    assert kumihimo.dump(v, "cbor", "doubles") == theirs
    assert kumihimo.dump(v, "cbor", "canonical") == cbor2.dumps(v, canonical=True)
    assert repr(kumihimo.load(theirs, "cbor")) == repr(cbor2.loads(theirs)) == repr(v)
    for dialect in ("preferred", "deterministic", "streaming"):
        assert cbor2.loads(kumihimo.dump(v, "cbor", dialect)) == v


@pytest.mark.parametrize("seed", range(100))
def test_damaged(seed: int) -> None:
    """What is read of a damaged document here, cbor2 reads too, to the same value and the same end."""
    r = random.Random(seed)
    document = cbor2.dumps([values.value(r), r.randbytes(3)])
    for _ in range(50):
        damaged = bytearray(document)
        damaged[r.randrange(len(damaged))] = r.randrange(256)
        try:
            ours = kumihimo.load(bytes(damaged), "cbor")
        except ValueError:
            continue
        if any(0xC0 <= b < 0xE0 or 0xE0 <= b < 0xF4 or b in (0xF7, 0xF8) for b in damaged):
            continue  # there may be tags and simple values, for which each has classes of its own
        stream = io.BytesIO(damaged)
        assert repr(cbor2.CBORDecoder(stream).decode()) == repr(ours)
        assert stream.read() == b""
