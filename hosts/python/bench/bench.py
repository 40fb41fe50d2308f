"""kumihimo against orjson, ormsgpack, cbor2 and msgspec, through Python.

    python bench.py [--quick] [--json FILE] [NAME...]

Outputs are compared before anything is timed. Each task alternates ours and the rival's, in blocks of calls, by thread CPU time; a block
gives its fastest call, the ratio is of the medians over blocks. One line per comparison at the end:

    ratio<TAB>python.loads.citm<TAB>kumihimo/orjson<TAB>value<TAB>blocks        above 1: kumihimo is faster

Corpora are looked for in the folder KUMIHIMO_DATA.
"""

from __future__ import annotations

import argparse
import functools
import gc
import importlib.metadata
import json
import os
import random
import resource
import statistics
import sys
import time
import types
from pathlib import Path
from typing import Any, Callable, Iterator

import kumihimo
from kumihimo import _core

Call = Callable[[Any], Any]
CORPORA = {"films": "films", "twitter": "twitter", "citm": "citm_catalog", "canada": "canada"}
SMALL = {"id": 123456, "name": "Kumihimo", "price": 107910.5, "tags": ["a", "b", "cd"], "ok": True, "none": None, "n": [1, 2, 3]}


def frames(n: int) -> list[bytes]:
    """Order-book frames of about 4 KB, as an exchange's stream has them; seeded."""
    r = random.Random(20161225)
    out = []
    price = 107910.0
    for i in range(n):
        price += r.choice([-5.0, 0.0, 5.0])
        side = lambda sign: [[price + sign * 5.0 * k, round(r.random(), 4)] for k in range(1, 21)]  # noqa: E731
        trades = [
            {"currenty_pair": "btc_jpy", "trade_type": r.choice(["ask", "bid"]), "price": price, "currency_pair": "btc_jpy", "tid": 22360218 + i * 21 - k, "amount": round(r.random(), 4), "date": 1482598389 + i}
            for k in range(21)
        ]  # fmt: skip
        frame = {"asks": side(1), "last_price": {"action": "ask", "price": price}, "target_users": ["a102ae95a9"], "trades": trades, "bids": side(-1), "currency_pair": "btc_jpy", "timestamp": f"2016-12-25 {i // 3600 % 24:02d}:{i // 60 % 60:02d}:{i % 60:02d}.602955"}  # fmt: skip
        out.append(json.dumps(frame).encode())
    return out


# Texts of which a few make a document: by what a str of them is inside, and by what has to be escaped.
LONG_TEXTS = {
    "ascii": "lorem ipsum dolor sit amet, ",
    "escapes": "a line of a log, as it is: nothing but text up to its end, and there are many of these lines in it, all told\n",
    "quotes": '{"a": "b"}, ',
    "latin1": "où l'été est passé, ",
    "ucs2": "組紐は糸を組む。",
    "emoji": "hello 😀 world, ",
}


def fastest(call: Call, argument: Any, seconds: float) -> float:
    """Seconds of the fastest call in a block that lasts about that long; calls of less than 200 us are timed in groups."""
    start = time.thread_time()
    call(argument)
    once = max(time.thread_time() - start, 1e-7)
    group = max(1, int(200e-6 / once))
    best = float("inf")
    end = time.perf_counter() + seconds
    while True:
        start = time.thread_time()
        for _ in range(group):
            call(argument)
        best = min(best, (time.thread_time() - start) / group)
        if time.perf_counter() >= end:
            return best


def faults(call: Call, argument: Any) -> float:
    """Minor page faults per call in steady state: what the result's memory costs beside the writing."""
    for _ in range(3):
        call(argument)
    n = 20
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(n):
        call(argument)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / n


def compare(ours: Call, our_argument: Any, theirs: Call, their_argument: Any, blocks: int, seconds: float) -> tuple[float, float]:
    """Medians over alternating blocks, in seconds."""
    a, b = [], []
    for _ in range(blocks):
        a.append(fastest(ours, our_argument, seconds))
        b.append(fastest(theirs, their_argument, seconds))
    return statistics.median(a), statistics.median(b)


def must_equal(what: str, ours: Any, theirs: Any) -> None:
    if ours != theirs:
        raise SystemExit(f"{what}: the outputs differ, nothing is timed")


def tasks() -> Iterator[tuple[str, str, Call, Any, Call, Any]]:
    """(task, rival, our call, its argument, the rival's call, its argument). Both get objects of their own, so that neither profits from what
    the other left in them."""
    folder = os.environ.get("KUMIHIMO_DATA")
    documents: dict[str, bytes] = {}
    if folder:
        documents = {name: (Path(folder) / f"{file}.json").read_bytes() for name, file in CORPORA.items()}
    else:
        print("not measured: films, twitter, citm, canada (KUMIHIMO_DATA is not set)", file=sys.stderr)
    documents["texts"] = json.dumps([{"id": i, "text": "lorem ipsum " * 200, "tags": ["a", "b"]} for i in range(1264)], separators=(",", ":")).encode()
    documents["small"] = json.dumps(SMALL, separators=(",", ":")).encode()
    try:
        import orjson
    except ImportError:
        print("not measured: python.loads, python.dumps (orjson is not installed)", file=sys.stderr)
    else:
        for name, document in documents.items():
            must_equal(name, kumihimo.loads(document), orjson.loads(document))
            yield f"python.loads.{name}", f"orjson {orjson.__version__}", kumihimo.loads, document, orjson.loads, document
        for name, document in documents.items():
            value = orjson.loads(document)
            must_equal(name, kumihimo.loads(kumihimo.dumps(value)), orjson.loads(orjson.dumps(value)))
            yield f"python.dumps.{name}", f"orjson {orjson.__version__}", kumihimo.dumps, orjson.loads(document), orjson.dumps, orjson.loads(document)
        for name, text in LONG_TEXTS.items():
            document = json.dumps([text * (size // len(text)) for size in (300, 3000, 30_000, 300_000)] * 3).encode()
            must_equal(name, kumihimo.dumps(json.loads(document)), orjson.dumps(json.loads(document)))
            yield f"python.dumps.long_{name}", f"orjson {orjson.__version__}", kumihimo.dumps, json.loads(document), orjson.dumps, json.loads(document)
    try:
        import ormsgpack
    except ImportError:
        print("not measured: msgpack.write, msgpack.read (ormsgpack is not installed)", file=sys.stderr)
    else:
        from kumihimo import msgpack

        for name, document in documents.items():
            value = json.loads(document)
            packed = ormsgpack.packb(value)
            must_equal(name, msgpack.packb(value), packed)
            must_equal(name, msgpack.unpackb(packed), ormsgpack.unpackb(packed))
            yield f"msgpack.read.{name}", f"ormsgpack {ormsgpack.__version__}", msgpack.unpackb, packed, ormsgpack.unpackb, packed
            yield f"msgpack.write.{name}", f"ormsgpack {ormsgpack.__version__}", msgpack.packb, json.loads(document), ormsgpack.packb, json.loads(document)
    try:
        import cbor2
    except ImportError:
        print("not measured: python.cbor (cbor2 is not installed)", file=sys.stderr)
    else:
        # Up to 5 it runs in plain Python where its extension in C is missing; from 6 on there is one in Rust and nothing else.
        if not isinstance(cbor2.dumps, types.BuiltinFunctionType):
            raise SystemExit("cbor2 runs without its compiled part, nothing is timed")
        dump, load = functools.partial(kumihimo.dump, format="cbor"), functools.partial(kumihimo.load, format="cbor")
        rival = f"cbor2 {importlib.metadata.version('cbor2')}"
        for name, document in documents.items():
            value = json.loads(document)
            packed = cbor2.dumps(value)
            must_equal(name, kumihimo.dump(value, "cbor", "doubles"), packed)  # cbor2 shortens no float
            must_equal(name, load(packed), cbor2.loads(packed))
            must_equal(name, cbor2.loads(dump(value)), value)
            yield f"python.cbor.loads.{name}", rival, load, packed, cbor2.loads, packed
            yield f"python.cbor.dumps.{name}", rival, dump, json.loads(document), cbor2.dumps, json.loads(document)
    try:
        import msgspec
    except ImportError:
        print("not measured: python.partial.two_fields (msgspec is not installed)", file=sys.stderr)
    else:
        last = msgspec.defstruct("Last", [("price", float)])
        frame = msgspec.defstruct("Frame", [("last_price", last), ("timestamp", str)])
        many = frames(200)
        decoder = msgspec.json.Decoder(frame)
        wanted = kumihimo.partial(["last_price.price", "timestamp"])

        def ours(documents: list[bytes]) -> list[Any]:
            return [wanted(d) for d in documents]

        def theirs(documents: list[bytes]) -> list[Any]:
            return [((f := decoder.decode(d)).last_price.price, f.timestamp) for d in documents]

        must_equal("two_fields", ours(many), theirs(many))
        yield "python.partial.two_fields", f"msgspec {msgspec.__version__}", ours, many, theirs, many


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="only tasks whose name begins with one of these")
    parser.add_argument("--quick", action="store_true", help="under a minute, less certain")
    parser.add_argument("--json", metavar="FILE", help="write the results there too")
    options = parser.parse_args()
    blocks, seconds = (7, 0.05) if options.quick else (21, 0.15)
    print(f"python {sys.version.split()[0]}, kumihimo {_core.__version__}, kernel {_core.kernel()}")
    best = _core.kernels()[-1]
    kernel = "" if _core.kernel() == best else f"@{_core.kernel()}"
    gc.collect()
    gc.freeze()
    rows = []
    for task, rival, ours, our_argument, theirs, their_argument in tasks():
        if options.names and not any(task.startswith(name) for name in options.names):
            continue
        a, b = compare(ours, our_argument, theirs, their_argument, blocks, seconds)
        our_faults, their_faults = faults(ours, our_argument), faults(theirs, their_argument)
        print(f"{task + kernel:32} {a * 1e6:12.2f} us   {rival:18} {b * 1e6:12.2f} us   {b / a:6.2f}   faults per call {our_faults:.1f} / {their_faults:.1f}", flush=True)
        rows.append({"task": task + kernel, "rival": rival, "ours": a, "theirs": b, "ratio": b / a, "blocks": blocks, "faults": our_faults, "their_faults": their_faults})
    for row in rows:
        print(f"ratio\t{row['task']}\tkumihimo/{row['rival'].split()[0]}\t{row['ratio']:.3f}\t{row['blocks']}")
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
