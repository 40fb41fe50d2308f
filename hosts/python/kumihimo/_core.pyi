from collections.abc import Callable, Iterable, Iterator
from types import GenericAlias
from typing import Any, Generic, Literal, Optional, TypedDict, TypeVar, Union

_Data = Union[bytes, bytearray, memoryview, str]
_Binary = Union[bytes, bytearray, memoryview]
_Result = TypeVar("_Result", covariant=True)

__version__: str

def dumps(
    obj: Any,
    /,
    default: Optional[Callable[[Any], Any]] = None,
    *,
    sort_keys: bool = False,
    indent: Union[None, int, str] = None,
    separators: Optional[tuple[str, str]] = None,
    ensure_ascii: bool = False,
    allow_nan: Optional[bool] = None,
    non_str_keys: bool = False,
    decimal: bool = False,
    binary: Optional[Literal["base64", "base64url"]] = None,
    escape: Optional[Literal["html", "script", "slash"]] = None,
    utc_z: bool = False,
    newline: bool = False,
    depth: Optional[int] = 1024,
    floats: Literal["python", "orjson"] = "python",
) -> bytes:
    """JSON as bytes, compact and in UTF-8 unless asked otherwise.

    Writes dict, list, tuple, str, int of any size, float, bool, None, their subclasses, dataclasses (fields that begin with an underscore
    stay out), datetime, date, time (RFC 3339), UUID, Enum (its value), and NumPy's scalars and arrays.

    default: called with any other object; what it returns is written in its place.
    sort_keys: keys in the order of their code points.
    indent: spaces per level (0 to 64) or the white space itself, one value per line; None is compact.
    separators: the pair (item, key), such as (", ", ": "); white space around a comma and a colon.
    ensure_ascii: everything above U+007E as \\uXXXX.
    allow_nan: None writes NaN and the infinities as null, True as NaN and Infinity (which is not JSON), False raises.
    non_str_keys: keys that are int, float, bool, None, datetime, UUID, Enum... as text; else they raise.
    decimal: Decimal as a number with all its digits; else it goes to `default`.
    binary: 'base64' or 'base64url' writes bytes, bytearray and memoryview so; else they go to `default`.
    escape: 'html' (also < > & U+2028 U+2029), 'script' (also / U+2028 U+2029) or 'slash' (also /), for JSON inside other text.
    utc_z: Z in place of +00:00.
    newline: a line feed at the end.
    depth: containers in one another, at most.
    floats: 'python' writes 1e-07 and 1e-05 as repr() and json do, 'orjson' 1e-7 and 0.00001.

    Raises EncodeError, a TypeError and a ValueError, whose `path` says where: for what cannot be written, and for a container that holds
    itself. What `default` raises goes through.
    """

def loads(
    data: _Data,
    /,
    *,
    decimal: bool = False,
    allow_nan: bool = False,
    relaxed: bool = False,
    unique_keys: bool = False,
    lone_surrogates: bool = False,
    depth: Optional[int] = 1024,
) -> Any:
    """Python objects from one JSON document: bytes, bytearray, memoryview (UTF-8) or str.

    decimal: numbers with a fraction or an exponent become Decimal, with all their digits; else float, and one beyond the largest float is
    an error. Integers are int, of any size that sys.set_int_max_str_digits() allows.
    allow_nan: NaN, Infinity and -Infinity are taken.
    relaxed: comments, trailing commas and a byte order mark are taken.
    unique_keys: a key that comes twice in an object is an error; else the last one counts.
    lone_surrogates: half a surrogate pair such as "\\ud800" is taken.
    depth: containers in one another, at most.

    Raises JSONDecodeError, a json.JSONDecodeError; its `offset` counts bytes, `path` is like $.asks[0][1], `code` is one word.
    """

def packb(
    obj: Any,
    /,
    default: Optional[Callable[[Any], Any]] = None,
    *,
    sort_keys: bool = False,
    non_str_keys: bool = False,
    decimal: bool = False,
    depth: Optional[int] = 1024,
) -> bytes:
    """MessagePack as bytes, every value in its smallest encoding; a float is always a float 64.

    Writes what dumps() writes, and bytes, bytearray, memoryview (bin), kumihimo.msgpack.Ext (ext) and datetimes with a zone (timestamp).

    default: called with any other object; what it returns is written in its place.
    sort_keys: keys in the order of their code points.
    non_str_keys: keys that are no str, as themselves; else they raise.
    decimal: Decimal, and integers beyond 64 bits, as text (a str); else they raise, Decimal after `default` was asked.
    depth: containers in one another, at most.

    Raises EncodeError, a TypeError and a ValueError, whose `path` says where. What `default` raises goes through.
    """

def unpackb(
    data: _Binary,
    /,
    *,
    ext_hook: Optional[Callable[[int, bytes], Any]] = None,
    non_str_keys: bool = False,
    raw: bool = False,
    depth: Optional[int] = 1024,
) -> Any:
    """Python objects from one MessagePack document: bytes, bytearray or memoryview.

    ext_hook: called with (type, data) for each extension; what it returns takes its place. Else it is a kumihimo.msgpack.Ext, and a
    timestamp is a datetime in UTC.
    non_str_keys: keys that are no str are taken; else they raise.
    raw: a str that is not UTF-8 becomes bytes; else it raises.
    depth: containers in one another, at most.

    Raises DecodeError, a ValueError, with `offset` (bytes), `path` and `code`. What `ext_hook` raises goes through.
    """

class _FormatDict(TypedDict):
    name: str
    text: bool
    media_types: tuple[str, ...]
    endings: tuple[str, ...]
    line_endings: tuple[str, ...]
    read_dialects: tuple[str, ...]
    write_dialects: tuple[str, ...]

def dump(
    obj: Any,
    /,
    format: str,
    dialect: Optional[str] = None,
    *,
    default: Optional[Callable[[Any], Any]] = None,
    sort_keys: bool = False,
    non_str_keys: bool = False,
    decimal: bool = False,
    depth: Optional[int] = 1024,
    frame: Optional[str] = None,
    frame_level: Optional[int] = None,
) -> bytes:
    """A value in any format, as bytes. Formats and their dialects: formats().

    format: a name, such as 'json' or 'msgpack'.
    dialect: how the format is spelled and what becomes of values it does not have, by name; None is what dumps() or packb() write with no
    options, or the format's first dialect.
    default: called with any object that the format has no way to write; what it returns is written in its place.
    sort_keys: keys in the order of their code points.
    non_str_keys: keys that are no str are written as the format has them; else they raise.
    decimal: Decimal as a number with all its digits where the format has such numbers, else as the dialect says; else it goes to `default`.
    depth: containers in one another, at most.
    frame, frame_level: 'gzip', 'zstd' or 'lz4' compresses the document, at a level of frames(); None is its usual one.

    Raises EncodeError, a TypeError and a ValueError, whose `path` says where. What `default` raises goes through.
    """

def load(
    data: _Data,
    /,
    format: Optional[str] = None,
    dialect: Optional[str] = None,
    *,
    ext_hook: Optional[Callable[[int, bytes], Any]] = None,
    non_str_keys: bool = False,
    decimal: bool = False,
    depth: Optional[int] = 1024,
) -> Any:
    """Python objects from one document of any format: bytes, bytearray, memoryview, and str where the format is text.
    A document in a frame (gzip, zstd, lz4: frames()) is unpacked first; its first bytes tell.

    format: a name of formats(); None is what the first bytes tell.
    dialect: what is granted, by name; None is what loads() or unpackb() take with no options, or the format's first dialect.
    ext_hook: called with (type, data) for each extension; what it returns takes its place. Else it is a kumihimo.msgpack.Ext.
    non_str_keys: keys that are no str are taken; else they raise.
    decimal: numbers with a fraction or an exponent in decimal digits become Decimal, with all of them.
    depth: containers in one another, at most.

    Raises JSONDecodeError or DecodeError, with `offset` (bytes), `path` and `code`. What `ext_hook` raises goes through.
    """

class _FrameDict(TypedDict):
    name: str
    ending: str
    media_type: str
    levels: tuple[int, int]
    usual_level: int
    available: bool

def frames() -> tuple[_FrameDict, ...]:
    """The frames there are: a tuple with a dict for each, of name, ending (of files), media_type, levels (lowest and highest), usual_level,
    and whether its library is there (available).
    """

def pack(data: _Data, frame: str, level: Optional[int] = None) -> bytes: ...
def unpack(data: _Binary, frame: Optional[str] = None, size: int = ...) -> bytes: ...
def format_of_bytes(data: _Data) -> Optional[str]: ...
def format_of_media_type(type: str) -> Optional[str]: ...
def format_of_path(path: str) -> Optional[str]: ...
def frame_of_path(path: str) -> Optional[str]: ...
def glob_matches(pattern: bytes, path: bytes) -> bool: ...
def names_archive(path: bytes) -> bool: ...
def frame_of_bytes(data: _Binary) -> Optional[str]: ...

class Packer:
    """Packs a stream: feed() it in pieces, finish() at the end."""

    def __init__(self, frame: str, level: Optional[int] = None) -> None: ...
    def feed(self, chunk: _Data) -> bytes: ...
    def flush(self) -> bytes: ...
    def finish(self) -> bytes: ...

class Unpacker:
    """Unpacks a stream: feed() it in pieces, finish() at the end."""

    def __init__(self, frame: str, size: int = ...) -> None: ...
    def feed(self, chunk: _Binary) -> bytes: ...
    def finish(self) -> None: ...

class Converter:
    """Documents of a stream, one behind the other, from a format into another. What is text gets a line each."""

    @property
    def documents(self) -> int: ...
    def __init__(
        self,
        source: str,
        target: str,
        source_dialect: Optional[str] = None,
        target_dialect: Optional[str] = None,
        depth: int = 1024,
        size: int = ...,
    ) -> None: ...
    def feed(self, chunk: _Data) -> bytes: ...
    def finish(self) -> bytes: ...

class DocumentStream:
    """The documents of a stream, one after the other. Made by kumihimo.each_document()."""

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __next__(self) -> Any: ...

def each_document(
    source: Any,
    /,
    format: str,
    dialect: Optional[str] = None,
    *,
    ext_hook: Optional[Callable[[int, bytes], Any]] = None,
    non_str_keys: bool = False,
    decimal: bool = False,
    depth: Optional[int] = 1024,
) -> DocumentStream:
    """The documents of a stream, one after the other, as load() reads them: an iterator.

    source: bytes, bytearray, memoryview, str, or an object with read(n) that gives such, as an open file does; it is read as far as the
    documents asked for need.
    format: a name of formats(). JSON's documents may have white space, line feeds or nothing between them.
    dialect, ext_hook, non_str_keys, decimal, depth: as in load(), for each document.

    Raises what load() raises; `start` is then where in the stream the document begins, `offset` counts from there. The stream ends with it.
    """

def formats() -> tuple[_FormatDict, ...]:
    """The formats there are: a tuple with a dict for each, of name, text (whether its documents are text), media_types, endings (of files),
    line_endings (those of files with a document a line), read_dialects and write_dialects, the default first.
    """

def convert(
    data: _Data,
    source: str,
    target: str,
    depth: Optional[int] = 1024,
    *,
    decimal: bool = False,
    big: Optional[Literal["text"]] = None,
    relaxed: bool = False,
    allow_nan: bool = False,
    unique_keys: bool = False,
    source_dialect: Optional[str] = None,
    target_dialect: Optional[str] = None,
    frame: Optional[str] = None,
    frame_level: Optional[int] = None,
) -> bytes:
    """One document from a format into another (formats()), as bytes; no Python objects are made, other threads run meanwhile.

    What loads() and unpackb() refuse is refused, and so is what the target cannot say; the order of keys and keys that come twice are kept.

    depth: containers in one another, at most.
    decimal: numbers of JSON keep all their digits: in JSON as they stand, in MessagePack as text (a str) where they have a fraction, an
    exponent, or more than 64 bits. Else they are doubles, and one beyond the largest double is an error.
    big: 'text' writes the digits of numbers beyond 64 bits and beyond the largest double as text; None keeps integers in JSON and refuses
    the rest.
    relaxed, allow_nan, unique_keys: of a source that is JSON, as in loads().
    source_dialect, target_dialect: by name; None is what the options above say.
    frame, frame_level: 'gzip', 'zstd' or 'lz4' compresses the document, at a level of frames(); None is its usual one.

    Raises JSONDecodeError or DecodeError, by the source, with the place there.
    """

def check(
    data: _Data,
    /,
    *,
    decimal: bool = False,
    allow_nan: bool = False,
    relaxed: bool = False,
    unique_keys: bool = False,
    lone_surrogates: bool = False,
    depth: Optional[int] = 1024,
) -> None:
    """Raises JSONDecodeError if `data` is not one JSON document that loads() takes with the same options; makes no Python objects of it.

    decimal: numbers beyond the largest float are valid.
    allow_nan: NaN, Infinity and -Infinity are valid.
    relaxed: comments, trailing commas and a byte order mark are valid.
    unique_keys: a key that comes twice in an object is an error.
    lone_surrogates: half a surrogate pair such as "\\ud800" is valid.
    depth: containers in one another, at most.
    """

def lazy(
    data: _Data,
    /,
    *,
    decimal: bool = False,
    allow_nan: bool = False,
    relaxed: bool = False,
    unique_keys: bool = False,
    depth: Optional[int] = 1024,
    format: str = "json",
    dialect: Optional[str] = None,
) -> Lazy:
    """Reads and checks one document (bytes, bytearray, memoryview; str where the format is text) without making Python objects of it.

    Indexing the result makes objects of what is touched. `data` must not change while the result is used.

    decimal: numbers with a fraction or an exponent become Decimal; else float, and one beyond the largest float is an error.
    allow_nan: NaN, Infinity and -Infinity are taken.
    relaxed: comments, trailing commas and a byte order mark are taken.
    unique_keys: a key that comes twice in an object is an error; else the last one counts.
    depth: containers in one another, at most.
    format: a name of formats().
    dialect: what is granted, by name; allow_nan, relaxed and unique_keys are JSON's.

    Raises JSONDecodeError or DecodeError, as load() does for the same document.
    """

def trace(obj: Any, /) -> str:
    """The verbs that a value is written with, one a line; for tests."""

def kernel() -> str: ...
def kernels() -> list[str]: ...
def use_kernel(name: str, /) -> bool: ...
def has_libarchive() -> bool: ...
def inflate_library() -> str: ...
def readable_frames() -> tuple[_FrameDict, ...]: ...

class Partial(Generic[_Result]):
    """A compiled partial decoder. Made by kumihimo.partial()."""

    def __init__(
        self,
        paths: list[str],
        names: Optional[tuple[str, ...]] = None,
        level: str = "strict",
        decimal: bool = False,
        missing: Any = None,
        raw: bool = False,
        depth: Optional[int] = 1024,
        unique_keys: bool = False,
        format: str = "json",
        dialect: Optional[str] = None,
    ) -> None: ...
    def __call__(self, document: _Data) -> _Result: ...
    def many(self, documents: Iterable[_Data]) -> list[_Result]: ...
    def __len__(self) -> int: ...
    def __copy__(self) -> Partial[_Result]: ...
    def __deepcopy__(self, memo: Any) -> Partial[_Result]: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...
    @property
    def paths(self) -> list[str]: ...
    @property
    def names(self) -> Optional[tuple[str, ...]]: ...
    @property
    def format(self) -> str: ...
    @property
    def level(self) -> str: ...

class Lazy:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getitem__(self, key: Any) -> Any: ...
    def get(self, key: str, default: Any = None) -> Any: ...
    def pick(self, path: str, default: Any = None, raw: bool = False) -> Any: ...
    def __contains__(self, key: object) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def keys(self) -> Iterator[str]: ...
    def values(self) -> Iterator[Any]: ...
    def items(self) -> Iterator[tuple[str, Any]]: ...
    def value(self) -> Any: ...
    def __bytes__(self) -> bytes: ...
    @property
    def raw(self) -> bytes: ...
    @property
    def type(self) -> str: ...

class Report:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @property
    def scope(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def archive(self) -> str: ...
    @property
    def entry(self) -> str: ...
    @property
    def document(self) -> Optional[int]: ...
    @property
    def offset(self) -> Optional[int]: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def path(self) -> str: ...
    @property
    def message(self) -> str: ...

class Fetches:
    def next(self) -> Optional[str]: ...
    def over(self) -> bool: ...
    def give(self, input: str, file: int) -> None: ...
    def refuse(self, input: str, why: str) -> None: ...

class Extraction:
    def __init__(
        self,
        inputs: list[str],
        fields: list[Any],
        *,
        form: str = "columns",
        level: str = "strict",
        jobs: int = 0,
        match: list[str] = ...,
        on_error: str = "stop",
        source: bool = False,
        limit: Optional[int] = None,
        layout: str = "auto",
        delimiter: str = ",",
        sample: int = 1000,
        depth: Optional[int] = None,
        document_size: Optional[int] = None,
        ratio: Optional[int] = None,
        widen: Optional[bool] = None,
        chart: int = 0,
        rewritable: bool = False,
        format: str = "",
        dialect: str = "",
        to: Optional[str] = None,
        to_dialect: str = "",
        frame: str = "",
        frame_level: Optional[int] = None,
        block_size: Optional[int] = None,
        where: Optional[str] = None,
        distinct: list[str] = ...,
        distinct_size: Optional[int] = None,
        sample_rows: Optional[float] = None,
        seed: Optional[int] = None,
        limit_per_archive: Optional[int] = None,
        rows: Optional[str] = None,
        rows_outer: bool = False,
        nested_types: bool = False,
        every: Optional[str] = None,
        time: Optional[str] = None,
        zone: Optional[str] = None,
        gaps: Optional[str] = None,
        open_intervals: Optional[int] = None,
        nested: Optional[int] = None,
        password: Union[None, str, bytes] = None,
        joined: bool = False,
        shown: list[str] = ...,
        infer: str = "sample",
        fold: Optional[int] = None,
        fetched: list[str] = ...,
        fetcher: Optional[Callable[[Fetches], None]] = None,
        resume_token: Optional[str] = None,
        pause_every: int = 0,
    ) -> None: ...
    @property
    def resume_token(self) -> Optional[str]: ...
    @property
    def schema(self) -> list[tuple[str, str, str]]: ...
    @property
    def notes(self) -> list[str]: ...
    def next_bytes(self, *, pause: bool = False) -> Optional[bytes]: ...
    def next_count(self) -> Optional[int]: ...
    def paths(self, *, json_schema: bool = False) -> bytes: ...
    def header(self) -> bytes: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...
    def again(self) -> Optional[Extraction]: ...
    def progress(self) -> dict[str, Any]: ...
    def take_reports(self) -> list[Report]: ...
    def take_quarantine(self) -> bytes: ...
    def series(self) -> tuple[str, bool, Optional[str], list[tuple[str, list[int], list[float]]], int]: ...
    def intervals(self) -> Optional[tuple[int, list[tuple[str, str]]]]: ...
    def cancel(self) -> None: ...
    @property
    def failure(self) -> Optional[Report]: ...
    @property
    def contradiction(self) -> Optional[str]: ...
    @property
    def inputs(self) -> list[str]: ...
    @property
    def threads(self) -> int: ...
