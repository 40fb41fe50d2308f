"""JSON and MessagePack at the speed of the hardware, and columns out of a million small documents.

    import kumihimo

    kumihimo.loads(b'{"price": 107910.0}')          # -> {'price': 107910.0}
    kumihimo.dumps({"at": datetime.now()})          # -> b'{"at":"2026-11-20T07:30:00.123456"}'
    kumihimo.msgpack.packb([1, 2, 3])               # -> b'\\x93\\x01\\x02\\x03'
    kumihimo.dump([1, 2, 3], "msgpack")             # the same; any format of kumihimo.formats(), and load() reads it
    wanted = kumihimo.partial({"price": "last_price.price"})
    wanted(frame)                                   # -> {'price': 107910.0}, and the rest of the frame is not built
    kumihimo.lazy(frame)["last_price"]["price"]   # -> 107910.0; objects and arrays stay lazy until .value()
    kumihimo.extract("day/*.zip", ["timestamp", "last_price.price"])   # -> a table for pyarrow, polars, duckdb, pandas
    kumihimo.extract_to("day/*.zip", "ticks.sqlite", table="ticks")    # the same rows into a file, a folder of parts or a table
    kumihimo.schema("day/*.zip")                      # -> what stands at each path: how often, of which types, with examples
    kumihimo.repack("day/*.zip", "day.msgpack.zst")   # the same documents in one file, which extract reads several times as fast

Everything is loaded when it is first used: `import kumihimo` itself does next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for true; importing typing would cost more than the rest of this file

__version__ = "0.1.0"

__all__ = [
    "DecodeError",
    "EncodeError",
    "Extraction",
    "ExtractionError",
    "JSONDecodeError",
    "JSONEncodeError",
    "Lazy",
    "Partial",
    "Schema",
    "check",
    "convert",
    "dump",
    "dumps",
    "each_document",
    "extract",
    "extract_to",
    "formats",
    "frames",
    "lazy",
    "load",
    "loads",
    "msgpack",
    "partial",
    "repack",
    "schema",
]

if TYPE_CHECKING:
    from typing import Any

    from . import msgpack
    from ._core import Extraction, Lazy, Partial, convert, dump, dumps, each_document, formats, frames, lazy, load, loads
    from .errors import DecodeError, EncodeError, ExtractionError, JSONDecodeError, JSONEncodeError
    from .extraction import check, extract
    from .partial_decoder import partial
    from .repacking import repack
    from .saving import extract_to
    from .schemas import Schema, schema

# Where each name lives. The module is imported at the first use of one of its names.
_HOMES = {
    "Lazy": "_core",
    "Partial": "_core",
    "convert": "_core",
    "dump": "_core",
    "dumps": "_core",
    "each_document": "_core",
    "formats": "_core",
    "frames": "_core",
    "lazy": "_core",
    "load": "_core",
    "loads": "_core",
    "DecodeError": "errors",
    "EncodeError": "errors",
    "ExtractionError": "errors",
    "JSONDecodeError": "errors",
    "JSONEncodeError": "errors",
    "Extraction": "_core",
    "check": "extraction",
    "extract": "extraction",
    "partial": "partial_decoder",
    "repack": "repacking",
    "extract_to": "saving",
    "Schema": "schemas",
    "schema": "schemas",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "msgpack":
        return import_module(".msgpack", __name__)
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module("." + home, __name__)
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
