"""The conformance vectors that every implementation runs; tests/vectors/README.md has the layout and the notation.

What Python's values cannot hold is left out by name, with the reason; a file that is left out without need fails.
"""

from __future__ import annotations

import datetime
import struct
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

import pytest

import kumihimo
from kumihimo import _core, msgpack

FORMATS = {f["name"]: f for f in kumihimo.formats()}
FRAMES = [f["name"] for f in kumihimo.frames()]

TWICE = "a dict has a key once"
NO_KEY = "a dict is no key"
UTC = "a datetime in UTC is one with an offset of 0"
NANOSECONDS = "a datetime has microseconds and the years 1 to 9999: an Ext of MessagePack's type -1"
DATE = "a date is a datetime at midnight in UTC"
OFFSET = "a datetime that is read is in UTC"
BIG_ZERO = "an int has no minus zero"
BEYOND = "a float ends at 1.8e308"
NO_FLOAT = "a number in decimal digits is asked for by decimal=True"
EXPONENT = "a Decimal spells its exponent E+400"
EXT_TYPE = "an Ext's type is from -128 to 127"
NOT_TEXT = "bytes that are no UTF-8 are no str"

HALF = "a str with half a surrogate pair is not written, and so has no trace"
LEVELS = "a trace is written as everything is, with 1024 levels at most"
NAMES = "a str as a key is a name, whichever way it was said"


def named(reason: str, prefix: str, names: str) -> dict[str, str]:
    return {prefix + name: reason for name in names.split()}


# By file, or by its name before the first dot, which stands for all its dialects.
READ_EXCEPT = {
    **named(TWICE, "", "json/containers/ok-keys-twice msgpack/map/ok-16 msgpack/map/ok-duplicate-keys cbor/map/ok-duplicate-keys"),
    **named(TWICE, "tagged/", "map/ok-order-and-duplicates names/ok-empty names/ok-far-form-of-none names/ok-last names/ok-utf-8 study/ok-field-twice"),
    **named(BEYOND, "json/numbers/ok-", "too-large too-large-negative"),
    **named(NO_FLOAT, "tagged/", "scalars/ok-big scalars/ok-big-exponent study/ok-decimal"),
    **named(NO_FLOAT, "cbor/big/ok-", "bigfloat-long decimal decimal-bignum decimal-large decimal-negative decimal-small"),
    **named(NO_KEY, "", "msgpack/map/ok-keys-of-all-kinds tagged/map/ok-keys-of-all-kinds cbor/map/ok-keys-of-all-kinds"),
    **named(UTC, "msgpack/time/ok-", "32 32-last 32-zero 64"),
    **named(UTC, "", "tagged/time/ok-utc cbor/time/ok-epoch cbor/time/ok-epoch-double cbor/time/ok-epoch-half cbor/time/ok-epoch-negative cbor/time/ok-text"),
    **named(NANOSECONDS, "msgpack/time/ok-", "64-last 96 96-before-1970 96-first"),
    **named(NANOSECONDS, "", "tagged/time/ok-local tagged/time/ok-naive tagged/time/ok-utc-nanoseconds cbor/time/ok-extended"),
    **named(DATE, "", "tagged/time/ok-date cbor/time/ok-date-text cbor/time/ok-days"),
    **named(OFFSET, "", "tagged/time/ok-offset cbor/time/ok-text-offset"),
    "tagged/ext/ok-type-first": EXT_TYPE,
    "tagged/study/ok-decimal-minus-zero": BIG_ZERO,
}
DIALECT_EXCEPT = {
    **named(TWICE, "read/json/", "key-twice key-twice-empty key-twice-escaped key-twice-nested"),
    **named(TWICE, "read/cbor/", "key-twice key-twice-in-chunks key-twice-in-order key-twice-in-two-widths"),
    **named(BEYOND, "read/json/", "decimals overflow overflow-least"),
    **named(EXPONENT, "read/json/", "overflow-none.exact_decimals zero-negative-fraction.exact_decimals"),
    **named(HALF, "read/json/", "half-first half-first-and-letter half-first-and-six-letters half-in-a-key half-second half-swapped bytes-surrogate"),
    **named(HALF, "read/msgpack/", "text-surrogate"),
    **named(LEVELS, "read/json/", "deep-and-an-empty-one.ruby_read deep-and-an-empty-map.ruby_read"),
    **named(NOT_TEXT, "read/json/", "bytes-in-a-key bytes-in-a-string"),
    **named(NOT_TEXT, "read/msgpack/", "text-cut.ruby_read text-not-utf-8.ruby_read text-not-utf-8-as-key.ruby_read"),
    **named(NOT_TEXT, "read/cbor/", "text-not-utf-8.any_text_read text-not-utf-8-as-key.any_text_read"),
}
WRITE_EXCEPT = {
    **named(TWICE, "", "key-twice-in-two-ways map-15 map-16 map-16-counted map-order-and-duplicates"),
    **named(UTC, "time-utc", " -34-bits -35-bits -half-second -nanoseconds"),
    **named(UTC, "", "time-utc key-time"),
    **named(NANOSECONDS, "time-", "local offset-beyond utc-before-1970 utc-before-the-first utc-behind-the-last utc-beyond-and-a-nanosecond utc-first utc-last utc-nanosecond"),
    **named(NOT_TEXT, "", "key-broken str-broken str-cut"),
    **named(HALF, "str-surrogate.", "msgpack.lenient msgpack.ruby cbor.lenient cbor.any_text"),
    "big-exponent": EXPONENT, "big-minus-zero": BIG_ZERO, "ext-type-128": EXT_TYPE, "key-map": NO_KEY, "key-str.tagged.safe": NAMES,
}


def text(file: Path, ending: str) -> str:
    return file.with_suffix(ending).read_text("utf-8")


def name_of(vectors: Path, file: Path) -> str:
    return file.relative_to(vectors).with_suffix("").as_posix()


def left_out(done: dict[str, Callable[[], None]], reasons: dict[str, str]) -> None:
    """Runs the checks by name. What fails needs a reason, by its name or by what stands before the first dot of it, and every
    reason must be needed."""
    assert done
    wrong, needed = [], set()
    for name, check in done.items():
        try:
            check()
        except (AssertionError, ValueError, TypeError, OverflowError) as error:
            reason = name if name in reasons else name.partition(".")[0]
            needed.add(reason)
            if reason not in reasons:
                wrong.append(f"{name}: {error}")
    assert not wrong, "\n".join(wrong)
    assert set(reasons) <= needed, set(reasons) - needed


def said(error: Any) -> str:
    return f"{error.code} {error.offset} {error.path}"


def same(got: Any, expected: Any, what: str = "") -> None:
    assert got == expected, f"{what}\n   is {got!r:.300}\n   not {expected!r:.300}"


def refused(call: Callable[[], Any], expected: str) -> None:
    """The error has the code, the offset and the path of the line, as far as it goes."""
    try:
        value = call()
    except ValueError as error:
        same(said(error)[: len(expected)], expected)
    else:
        raise AssertionError(f"gives {value!r:.100} in place of {expected}")


# ---- decode


def decoded(vectors: Path, format: str) -> dict[str, Callable[[], None]]:
    dialect = FORMATS[format]["read_dialects"][0]

    def check(file: Path) -> None:
        document = file.read_bytes()
        if file.name.startswith("err-"):
            refused(lambda: kumihimo.load(document, format, dialect, non_str_keys=True), text(file, ".error").rstrip("\n"))
        elif file.name.startswith("ok-"):
            same(_core.trace(kumihimo.load(document, format, dialect, non_str_keys=True)), text(file, ".trace"))
        else:
            try:
                kumihimo.load(document, format, dialect, non_str_keys=True)
            except ValueError:
                pass

    files = sorted((vectors / format).rglob("*.in"))
    return {name_of(vectors, file): lambda file=file: check(file) for file in files}  # type: ignore[misc]


@pytest.mark.parametrize("format", FORMATS)
def test_decode(vectors: Path, format: str) -> None:
    left_out(decoded(vectors, format), {name: why for name, why in READ_EXCEPT.items() if name.startswith(format + "/")})


@pytest.mark.parametrize("format", FORMATS)
def test_read_dialects(vectors: Path, format: str) -> None:
    done: dict[str, Callable[[], None]] = {}
    for dialect in FORMATS[format]["read_dialects"]:
        for file in sorted((vectors / "read" / format).glob(f"*.{dialect}.*")):
            document = file.with_name(file.name.split(".")[0] + ".in").read_bytes()

            def load(document: bytes = document, dialect: str = dialect) -> Any:
                return kumihimo.load(document, format, dialect, non_str_keys=True)

            if file.suffix == ".error":
                done[name_of(vectors, file)] = lambda file=file, load=load: refused(load, file.read_text().rstrip("\n"))  # type: ignore[misc]
            else:
                done[name_of(vectors, file)] = lambda file=file, load=load: same(_core.trace(load()), file.read_text())  # type: ignore[misc]
    left_out(done, {name: why for name, why in DIALECT_EXCEPT.items() if name.startswith(f"read/{format}/")})


# ---- encode


class Unholdable(ValueError):
    """A trace that says what no Python value holds."""


def unquoted(quoted: str) -> str:
    raw, i = b"", 1
    while i < len(quoted) - 1:
        if quoted[i] != "\\":
            raw += quoted[i].encode()
            i += 1
        elif quoted[i + 1] == "u":
            end = quoted.index("}", i)
            raw += chr(int(quoted[i + 3 : end], 16)).encode()
            i = end + 1
        elif quoted[i + 1] == "x":
            raw += bytes.fromhex(quoted[i + 2 : i + 4])
            i += 4
        else:
            raw += quoted[i + 1].encode()
            i += 2
    return raw.decode("utf-8", "surrogatepass")


def moment(kind: str, seconds: int, nanoseconds: int, offset: int) -> Any:
    if nanoseconds % 1000 or kind == "local":
        raise Unholdable(kind)
    zone = {"naive": None, "utc": datetime.timezone.utc}.get(kind, datetime.timezone(datetime.timedelta(seconds=offset)))
    at = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=seconds, microseconds=nanoseconds // 1000)
    return at.date() if kind == "date" else at.replace(tzinfo=None) if zone is None else at.astimezone(zone)


END = object()


def built(lines: Iterator[str]) -> Any:
    """The value of a trace, line by line; END for an end."""
    verb, _, rest = next(lines).partition(" ")
    if verb == "array":
        return list(iter(lambda: built(lines), END))
    if verb == "map":
        pairs: dict[Any, Any] = {}
        while (key := built(lines)) is not END:
            key = tuple(key) if isinstance(key, list) else key
            if key in pairs:
                raise Unholdable("a key twice")
            pairs[key] = built(lines)
        return pairs
    if verb == "key":
        return unquoted(rest) if rest else built(lines)
    if verb == "big":
        return int(rest) if rest.lstrip("-").isdigit() else Decimal(rest)
    if verb == "ext":
        kind, _, data = rest.partition(" ")
        return msgpack.Ext(int(kind), bytes.fromhex(data[2:]))
    if verb == "time":
        kind, *numbers = rest.split()
        return moment(kind, *map(int, numbers))
    simple: dict[str, Callable[[], Any]] = {
        "null": lambda: None, "boolean": lambda: rest == "true", "i64": lambda: int(rest), "u64": lambda: int(rest), "end": lambda: END,
        "f64": lambda: struct.unpack(">d", bytes.fromhex(rest[2:18]))[0], "str": lambda: unquoted(rest), "bin": lambda: bytes.fromhex(rest[2:]),
    }
    return simple[verb]()


def test_encode(vectors: Path) -> None:
    done: dict[str, Callable[[], None]] = {}
    for model in sorted((vectors / "model").glob("*.trace")):
        for format, row in FORMATS.items():
            for dialect in row["write_dialects"]:

                def write(model: Path = model, format: str = format, dialect: str = dialect) -> bytes:
                    value = built(iter(model.read_text().splitlines()))
                    return kumihimo.dump(value, format, dialect, non_str_keys=True, decimal=True)

                def refuses(file: Path, model: Path = model, write: Callable[[], bytes] = write) -> None:
                    built(iter(model.read_text().splitlines()))
                    try:
                        write()
                    except ValueError as error:
                        same(getattr(error, "code", ""), file.read_text().rstrip("\n"))
                    else:
                        raise AssertionError("is written")

                bytes_of, refusal = (model.with_name(f"{model.stem}.{format}.{dialect}{more}") for more in ("", ".error"))
                if bytes_of.exists():
                    done[bytes_of.name] = lambda file=bytes_of, write=write: same(write(), file.read_bytes())  # type: ignore[misc]
                elif refusal.exists():
                    done[refusal.name] = lambda file=refusal, refuses=refuses: refuses(file)  # type: ignore[misc]
    left_out(done, WRITE_EXCEPT)


# ---- paths


def test_paths(vectors: Path) -> None:
    for file in sorted((vectors / "paths").glob("*.path")):
        raw = file.read_bytes()
        try:
            path = raw.decode()
        except UnicodeDecodeError:
            continue  # no str
        if file.name.startswith("ok-"):
            kumihimo.partial([path])
        else:
            with pytest.raises(ValueError) as caught:
                kumihimo.partial([path])
            code, offset = text(file, ".error").split()
            assert f"byte {offset}" in str(caught.value), (file.name, str(caught.value))


def value_at(document: bytes, line: str) -> Any:
    if line == "absent":
        return None
    offset, length = map(int, line.split())
    return kumihimo.load(document[offset : offset + length], "json", "rfc8259", decimal=True)


def found(document: bytes, lines: list[str]) -> tuple[Any, ...]:
    values: list[Any] = []
    while lines:
        line = lines.pop(0)
        if line.startswith("each "):
            values.append([value_at(document, lines.pop(0)) for _ in range(int(line[5:]))])
        else:
            values.append(value_at(document, line))
    return tuple(values)


@pytest.mark.parametrize("level", ["strict", "structural", "trusted"])
def test_project(vectors: Path, level: str) -> None:
    done: dict[str, Callable[[], None]] = {}
    for file in sorted((vectors / "project").glob("*.in")):
        document, paths = file.read_bytes(), text(file, ".paths").split("\n")[:-1]
        wanted = kumihimo.partial(paths, level, decimal=True)
        calls = [(f".{level}", wanted)]
        if level == "strict":
            calls.append((".strict.unique_keys", kumihimo.partial(paths, level, decimal=True, unique_keys=True)))
        for ending, partial in calls:
            if file.with_suffix(ending + ".found").exists():
                expected = found(document, text(file, ending + ".found").splitlines())
                done[file.stem + ending] = lambda p=partial, d=document, e=expected: same(p(d), e)  # type: ignore[misc]
            elif file.with_suffix(ending + ".error").exists():
                error = text(file, ending + ".error").rstrip("\n")
                done[file.stem + ending] = lambda p=partial, d=document, e=error: refused(lambda: p(d), e)  # type: ignore[misc]
    left_out(done, {})


# ---- frames, streams, detection


@pytest.mark.parametrize("frame", FRAMES)
def test_frames(vectors: Path, frame: str) -> None:
    def stream(packed: bytes, piece: int) -> bytes:
        unpacker = _core.Unpacker(frame)
        out = b"".join(unpacker.feed(packed[i : i + piece]) for i in range(0, len(packed), piece))
        unpacker.finish()
        return out

    files = sorted((vectors / "frames" / frame).glob("*.in"))
    assert files
    for file in files:
        packed = file.read_bytes()
        calls = [lambda p=packed: _core.unpack(p, frame), lambda p=packed: stream(p, 7), lambda p=packed: stream(p, 1 << 20)]  # type: ignore[misc]
        for call in calls:
            if file.name.startswith("ok-"):
                assert call() == file.with_suffix(".out").read_bytes(), file
            else:
                with pytest.raises(ValueError) as caught:
                    call()
                code, *offset = text(file, ".error").split()
                assert caught.value.code == code, file  # type: ignore[attr-defined]
                assert not offset or caught.value.offset == int(offset[0]), file  # type: ignore[attr-defined]
        if file.name.startswith("ok-"):
            out = file.with_suffix(".out").read_bytes()
            if out.startswith(b"{"):
                assert list(kumihimo.each_document(packed, "json")) == list(kumihimo.each_document(out, "json"))
            assert _core.unpack(_core.pack(out, frame), frame) == out


class Pieces:
    """A stream that gives a few bytes at a time."""

    def __init__(self, whole: bytes, size: int) -> None:
        self.pieces = [whole[i : i + size] for i in range(0, len(whole), size)]

    def read(self, _: int = -1) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""


@pytest.mark.parametrize("format", FORMATS)
def test_streams(vectors: Path, format: str) -> None:
    dialect = FORMATS[format]["read_dialects"][0]

    def check(file: Path, size: Optional[int]) -> None:
        whole = file.read_bytes()
        traces, error = "", None
        try:
            for value in kumihimo.each_document(whole if size is None else Pieces(whole, size), format, dialect, non_str_keys=True):
                traces += _core.trace(value)
        except ValueError as caught:
            error = caught
        same(traces, text(file, ".trace"))
        same(error is None, file.name.startswith("ok-"), repr(error))
        if error is not None:
            same(said(error), text(file, ".error").rstrip("\n"))
            same(f"{error.start}\n", text(file, ".start"))  # type: ignore[attr-defined]

    done = {}
    for file in sorted((vectors / "streams" / format).glob("*.in")):
        for size in (None, 1, 3):
            done[f"{name_of(vectors, file)} by {size}"] = lambda file=file, size=size: check(file, size)  # type: ignore[misc]
    left_out(done, {})


def test_detection(vectors: Path) -> None:
    def told(file: Path) -> Optional[str]:
        word = file.name.partition("-")[0]
        return None if word == "none" else word

    for file in (vectors / "detect" / "format").glob("*.in"):
        assert _core.format_of_bytes(file.read_bytes()) == told(file), file
    for file in (vectors / "detect" / "frame").glob("*.in"):
        assert _core.frame_of_bytes(file.read_bytes()) == told(file), file
    for line in (vectors / "detect" / "names").read_text().split("\n")[:-1]:
        _, frame, name = line.split("\t")
        assert _core.frame_of_path(name) == (None if frame == "none" else frame), line
