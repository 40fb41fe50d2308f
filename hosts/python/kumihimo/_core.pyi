from collections.abc import Callable, Iterable, Iterator
from typing import Any, Optional, Union

Data = Union[bytes, bytearray, memoryview, str]
Binary = Union[bytes, bytearray, memoryview]

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
    binary: Optional[str] = None,
    escape: Optional[str] = None,
    utc_z: bool = False,
    newline: bool = False,
    depth: Optional[int] = 1024,
) -> bytes:
    """JSON, compact and in UTF-8 unless asked otherwise.

    Writes dict, list, tuple, str, int of any size, float, bool, None, their subclasses, dataclasses (fields that begin with an underscore
    stay out), datetime, date, time (RFC 3339), UUID, Enum (its value), and NumPy's scalars and arrays. For anything else `default` is called
    and what it returns is written.

    allow_nan: None writes NaN and the infinities as null, True as NaN and Infinity, False raises.
    decimal: Decimal as its digits (else it goes to `default`). binary: 'base64' or 'base64url' for bytes (else they go to `default`).
    escape: 'html', 'script' or 'slash' for output inside other text. utc_z: Z in place of +00:00. newline: one at the end.
    Raises EncodeError, a TypeError and ValueError, whose `path` says where; for a container that holds itself, too.
    """

def loads(
    data: Data,
    /,
    *,
    decimal: bool = False,
    allow_nan: bool = False,
    relaxed: bool = False,
    unique_keys: bool = False,
    lone_surrogates: bool = False,
    depth: Optional[int] = 1024,
) -> Any:
    """Python objects from one JSON document.

    decimal: numbers with a fraction or an exponent become Decimal, with all their digits. relaxed: comments, trailing commas and a byte order
    mark. unique_keys: a key that comes twice is an error (else the last one counts).
    Raises JSONDecodeError. A number beyond the largest float is an error, not inf.
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
    """MessagePack, every value in its smallest encoding. decimal: Decimal, and integers beyond 64 bits, as text. Raises EncodeError."""

def unpackb(
    data: Binary,
    /,
    *,
    ext_hook: Optional[Callable[[int, bytes], Any]] = None,
    non_str_keys: bool = False,
    raw: bool = False,
    depth: Optional[int] = 1024,
) -> Any:
    """Python objects from one MessagePack document. raw: a str that is not UTF-8 becomes bytes. Raises DecodeError."""

def convert(data: Data, source: str, target: str, depth: Optional[int] = 1024) -> bytes:
    """One document from a format into another ('json', 'msgpack'), without Python objects in between. Other threads run meanwhile."""

def check(data: Data, *, depth: Optional[int] = 1024) -> None: ...
def trace(obj: Any, /) -> str: ...
def lazy(data: Data, *, decimal: bool = False, depth: int = 1024) -> Lazy: ...
def kernel() -> str: ...
def kernels() -> list[str]: ...
def use_kernel(name: str) -> bool: ...
def inflate_library() -> str: ...

class Partial:
    def __init__(
        self,
        paths: list[str],
        names: Optional[tuple[str, ...]] = None,
        level: str = "strict",
        decimal: bool = False,
        missing: Any = None,
        raw: bool = False,
        depth: int = 1024,
    ) -> None: ...
    def __call__(self, document: Data) -> Any: ...
    def many(self, documents: Iterable[Data]) -> list[Any]: ...
    def __len__(self) -> int: ...

class Lazy:
    def __getitem__(self, key: Any) -> Any: ...
    def get(self, key: str, default: Any = None) -> Any: ...
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
    ) -> None: ...
    @property
    def schema(self) -> list[tuple[str, str, str]]: ...
    @property
    def notes(self) -> list[str]: ...
    def next_bytes(self) -> Optional[bytes]: ...
    def next_count(self) -> Optional[int]: ...
    def header(self) -> bytes: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...
    def again(self) -> Optional[Extraction]: ...
    def progress(self) -> dict[str, Any]: ...
    def take_reports(self) -> list[Report]: ...
    def take_quarantine(self) -> bytes: ...
    def series(self) -> tuple[str, bool, Optional[str], list[tuple[str, list[int], list[float]]]]: ...
    def cancel(self) -> None: ...
    @property
    def failure(self) -> Optional[Report]: ...
    @property
    def contradiction(self) -> Optional[str]: ...
    @property
    def inputs(self) -> list[str]: ...
    @property
    def threads(self) -> int: ...
