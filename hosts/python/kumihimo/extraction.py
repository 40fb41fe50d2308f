"""`kumihimo.extract` and `kumihimo.check`: bulk work from Python."""

from __future__ import annotations

import glob
import os
from typing import Any, Iterable, Mapping, Optional, Sequence, TypeVar, Union

from . import _core
from .sequences import fault_of
from .urls import expand_url, fetching, is_url
from ._core import Extraction

__all__ = ["Extraction", "check", "extract"]

Path = Union[str, bytes, "os.PathLike[str]"]
Fields = Union[None, str, Sequence[str], Mapping[str, str]]
Name = TypeVar("Name", bound=Union[str, bytes])


def expand(names: Iterable[Name]) -> list[Name]:
    """Globs become the files that match, sorted; a name that exists is itself, whatever characters it has. FileNotFoundError if none matches."""
    out: list[Name] = []
    for name in names:
        if "://" in os.fsdecode(name) and is_url(name):
            out += expand_url(name)  # type: ignore[arg-type]
            continue
        if name == "-" or os.path.lexists(name) or not glob.has_magic(name):
            out.append(name)
            continue
        found = sorted(glob.glob(name, recursive=True))
        if not found:
            raise FileNotFoundError(f"nothing matches {os.fsdecode(name)}")
        out += found
    return out


def _inputs(given: Union[Path, Iterable[Path]]) -> list[Union[str, bytes]]:
    return expand([os.fspath(one) for one in ([given] if isinstance(given, (str, bytes, os.PathLike)) else given)])


def sources(names: Sequence[Any], match: Sequence[Any], nested: int = 0, joined: bool = False) -> dict[str, Any]:
    """The parameters of an extraction that go with these inputs. ImportError or OSError where nothing reads such a URL."""
    if joined and (fault := fault_of(names)):
        raise ValueError(fault)
    urls = any("://" in os.fsdecode(name) and is_url(name) for name in names)
    return {"joined": joined, "nested": nested, **(fetching(names, match, nested) if urls else {})}


def _fields(given: Fields) -> list[str]:
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping):
        return [_field(name if _plain(name) else _quoted(name), path) for name, path in given.items()]
    return list(given)


def _of_schema(given: Any) -> list[Any]:
    from .schema_files import fields_of, read_fields
    from .schemas import Schema

    if isinstance(given, (str, bytes, os.PathLike)):
        return list(read_fields(given))
    return list(given.fields if isinstance(given, Schema) else fields_of(given))


def _field(name: str, path: str) -> str:
    return f"{name} {path}" if path.lstrip().startswith(":=") else f"{name}={path}"


def _plain(name: str) -> bool:
    return bool(name) and not any(c in name for c in '"=:[].')


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def extract(
    inputs: Union[Path, Iterable[Path]],
    fields: Fields = None,
    *,
    match: Union[str, Sequence[str]] = (),
    where: Optional[str] = None,
    level: str = "strict",
    jobs: Optional[int] = None,
    on_error: str = "stop",
    source: bool = False,
    limit: Optional[int] = None,
    limit_per_archive: Optional[int] = None,
    distinct: Union[str, Sequence[str]] = (),
    sample_rows: Optional[float] = None,
    seed: Optional[int] = None,
    layout: str = "auto",
    format: Optional[str] = None,
    dialect: Optional[str] = None,
    form: str = "columns",
    sample: int = 1000,
    rows: Optional[str] = None,
    rows_outer: bool = False,
    nested_types: bool = False,
    schema: Any = None,
    infer: str = "sample",
    every: Optional[str] = None,
    time: Optional[str] = None,
    zone: Optional[str] = None,
    gaps: Optional[str] = None,
    open_intervals: Optional[int] = None,
    nested: int = 0,
    joined: bool = False,
    resume_token: Optional[str] = None,
    **limits: Any,
) -> Extraction:
    """One row per document, or per element of an array, out of files, folders, Zip and tar archives, gzip, zstd, lz4, xz and bzip2 files: JSON, NDJSON, arrays, and streams of binary formats.

        >>> frames = kumihimo.extract("day/*.zip", ["timestamp", "price=last_price.price:float64"])
        >>> pyarrow.table(frames)            # or polars.DataFrame(frames), or duckdb.sql("FROM frames")

    `inputs`: a path, a glob or several; folders are read whole; '-' is standard input; URLs are read by fsspec. `joined`: they are the parts of one file.

    `fields`: `[NAME=]PATH[:TYPE]` each, or a dict of name: PATH[:TYPE]; `NAME[:TYPE] := EXPRESSION` is calculated (`spread := ask - bid`); every value outside arrays when not given, and what comes only after
    the schema was handed out goes to one more column, `rest`, as JSON. Types: int64, float64,
    decimal, decimal(p,s), string, bool, timestamp, timestamp[ZONE], json, list[TYPE], struct[NAME:TYPE,...] (docs/extract.md has all); guessed from the first `sample` documents when not given
    (`.notes` says what was guessed); with form 'csv' and 'ndjson' such columns print what stood in the documents.

    `match`: only entries and files whose name matches one of these patterns. `where`: a condition, only documents (or rows) for which it holds:
    'last_price.price > 100000 and currency == "jpy"' (docs/extract.md has the language). `level`: 'strict', 'structural', 'trusted', as for
    kumihimo.partial. `jobs`: threads, all cores by default. `on_error`: 'stop' raises ExtractionError at the first bad record; 'skip',
    'null' and 'quarantine' go on, and `.take_reports()` has the list. `source=True` adds the columns archive, entry, offset. `limit`: rows;
    `limit_per_archive`: rows of each input. `distinct`: only rows that are the first with their values in these columns (what was seen
    takes `distinct_size` bytes at most). `sample_rows`: a share of the rows, 0.01, the same ones for the same `seed`.
    `layout`: 'auto', 'document', 'lines', 'array', 'concatenated'. `format`: what all documents are ('json', 'msgpack', 'cbor', ...), or an
    ending of their files ('ndjson'), where the inputs' endings and first bytes do not say it. `dialect`: by which of that format's read_dialects they are read ('relaxed', ...). `form`: 'columns' for Arrow, 'csv' or 'ndjson' for `.next_bytes()`,
    'none' for `.next_count()`: all is read and judged, and nothing is handed out.
    `schema`: in place of fields, what kumihimo.schema() found, a pyarrow.Schema (or what Arrow takes for one), JSON Schema as a dict, or the name of a file
    that `kumihimo schema` wrote, of JSON Schema or of an Arrow schema.
    `infer='all'`: types and columns that are not given are found in all documents, which are read for that before the first row.
    `rows`: the arrays whose elements are the rows, and not the documents, such as 'trades[*]' or 'a[*].b[*]', or the objects whose members are ('pairs.*', whose keys are '.~'); a field that begins with a dot
    is then of the element ('.price'), with two dots of the one around it, all others of the document. Without fields, all of the element.
    `rows_outer=True` gives a document whose arrays have no element one row, too.
    `nested_types=True`: what is guessed may be lists and structs, and without fields there is a column for each member of the documents,
    whatever is in it; else arrays and objects are JSON, and a field has a column of its own however deep it lies in objects.
    `every`: a row of each interval of time, '5min', '1day', and not of each document; `fields` then say what is made of their values,
    'price:ohlc', 'volume=amount:sum' (docs/extract.md, "Intervals of time"). `time`: the field that intervals run along; else the one field that says
    nothing of that, else it is looked for. `zone`: whose days they are. `gaps`: 'skip', 'empty' or 'carry' for intervals without a row.
    `open_intervals`: so many wait for late rows, a million when not given.
    `nested`: so many archives in one another are opened inside of an archive, none by default. `password`: of encrypted Zip entries, as text or bytes.
    `resume_token`: the `.resume_token` of an earlier extraction with the same inputs and options: the rows begin behind those that it had given by then.
    Further limits: `depth` (levels), `document_size` (bytes), `ratio` (expansion of compressed data).

    The rows come out in the order of the inputs however many threads work, and only as fast as they are read; they can be read once.
    """
    patterns = [match] if isinstance(match, str) else list(match)
    names = _inputs(inputs)
    from .schema_files import COLUMN, naming_schema, refuse_beside

    if schema is not None:
        refuse_beside(fields, nested_types, infer)
    asked = _fields(fields) if schema is None else _of_schema(schema)
    with naming_schema(schema if isinstance(schema, (str, bytes, os.PathLike)) else None, COLUMN):
        return Extraction(
            names,
            asked,
            match=patterns,
            **sources(names, patterns, nested, joined),
            where=where,
            level=level,
            jobs=jobs or 0,
            on_error=on_error,
            source=source,
            limit=limit,
            limit_per_archive=limit_per_archive,
            distinct=[distinct] if isinstance(distinct, str) else list(distinct),
            sample_rows=sample_rows,
            seed=seed,
            layout=layout,
            format=format or "",
            dialect=dialect or "",
            form=form,
            sample=sample,
            rows=rows,
            rows_outer=rows_outer,
            nested_types=nested_types,
            infer=infer,
            resume_token=resume_token,
            every=every,
            time=time,
            zone=zone,
            gaps=gaps,
            open_intervals=open_intervals,
            **limits,
        )


def check(
    data: Union[bytes, bytearray, memoryview, str, "os.PathLike[str]"],
    *,
    decimal: bool = False,
    allow_nan: bool = False,
    relaxed: bool = False,
    unique_keys: bool = False,
    lone_surrogates: bool = False,
    depth: Optional[int] = 1024,
) -> None:
    """Raises JSONDecodeError if `data` is not one JSON document that loads() takes with the same options; makes no Python objects of it.

    `data` is the document itself (bytes, bytearray, memoryview, str) or, as a `pathlib.Path`, the file that holds it.

    decimal: numbers beyond the largest float are valid.
    allow_nan: NaN, Infinity and -Infinity are valid.
    relaxed: comments, trailing commas and a byte order mark are valid.
    unique_keys: a key that comes twice in an object is an error.
    lone_surrogates: half a surrogate pair such as "\\ud800" is valid.
    depth: containers in one another, at most.
    """

    def look(document: Union[bytes, bytearray, memoryview, str]) -> None:
        _core.check(
            document,
            decimal=decimal,
            allow_nan=allow_nan,
            relaxed=relaxed,
            unique_keys=unique_keys,
            lone_surrogates=lone_surrogates,
            depth=depth,
        )

    if isinstance(data, os.PathLike):
        import mmap

        with open(data, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                return look(b"")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped, memoryview(mapped) as view:
                return look(view)
    return look(data)
