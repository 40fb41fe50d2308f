"""The conformance vectors that every implementation runs; tests/vectors/README.md has the layout and the notation.

tests/vectors/held/python says what Python's values hold otherwise. What its calls have otherwise stands here, by name: what is in a
list without need fails, and so does what is not there any more.
"""

from __future__ import annotations

import datetime
import re
import struct
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

import pytest

import kumihimo
from kumihimo import _core, msgpack

VECTORS = Path(__file__).resolve().parents[3] / "tests" / "vectors"
FORMATS = {f["name"]: f for f in kumihimo.formats()}
FRAMES = [f["name"] for f in kumihimo.frames()]

HALF = "a str with half a surrogate pair is not written, and so has no trace"
LEVELS = "a trace is written as everything is, with 1024 levels at most"
BEYOND = "a number beyond a float is asked for by decimal=True"
CHARACTERS = "lineno and colno are json's: they count characters, and lines that end with a line feed"
UTC = "the document says UTC, which is read as an offset of 0: so it is not seen that it does not say all"
NAMES = "a str as a key is a name, whichever way it was said"


def named(reason: str, prefix: str, names: str) -> dict[str, str]:
    return {prefix + name: reason for name in names.split()}


# By a check's name, or by what stands before the first dot of it, which stands for all dialects.
LEFT_OUT = {
    **named(HALF, "read/json/", "half-first half-first-and-letter half-first-and-six-letters half-in-a-key half-second half-swapped bytes-surrogate"),
    **named(HALF, "read/msgpack/", "text-surrogate"),
    **named(HALF, "model/str-surrogate.", "msgpack.lenient msgpack.ruby cbor.lenient cbor.any_text"),
    **named(LEVELS, "read/json/", "deep-and-an-empty-one.ruby_read deep-and-an-empty-map.ruby_read"),
    **named(BEYOND, "project/beyond-a-double.in_", "json msgpack tagged cbor"),
    **named(BEYOND, "project/beyond-a-double-wanted.in_", "json msgpack tagged cbor"),
    **named(BEYOND, "project/beyond-a-double-within.in_", "json msgpack tagged cbor"),
    **named(CHARACTERS, "json/places/err-", "carriage-return.place carriage-returns.place column-counts-bytes-in-a-string.place"),
    **named(CHARACTERS, "json/places/err-", "column-counts-bytes.place end-behind-a-carriage-return.place path-key-not-ascii.place"),
    **named(CHARACTERS, "json/places/err-", "line-feed-and-carriage-return.place path-is-cut-between-characters.place"),
    **named(CHARACTERS, "json/places/err-", "path-is-cut-between-characters-of-three-bytes.place"),
    "model/key-str.tagged.safe": NAMES,
    "convert/time-offset-zero": UTC,
}
AREAS = [*(f"{where}{format}/" for where in ("", "read/", "streams/") for format in FORMATS), *(f"frames/{frame}/" for frame in FRAMES)]
BINARY = [name for name, row in FORMATS.items() if not row["text"]]
AREAS += [f"levels/{format}/" for format in BINARY]
AREAS += ["model/", "convert/", "paths/", "project/", "detect/"]
Checks = dict[str, Callable[[], None]]


# ---- what the files say


def text(file: Path, ending: str = "") -> str:
    return (file.with_suffix(ending) if ending else file).read_text("utf-8")


def held_in(file: Path) -> dict[str, str]:
    held: dict[str, str] = {}
    for part in f"\n{text(file)}".split("\n= ")[1:]:
        name, _, trace = part.partition("\n")
        held[name] = trace.rstrip("\n") + "\n" if trace else ""
    return held


HELD = held_in(VECTORS / "held" / "python") if VECTORS.is_dir() else {}
ASKED: set[str] = set()  # of those


def name_of(file: Path) -> str:
    return file.relative_to(VECTORS).with_suffix("").as_posix()


def expected(trace: Path) -> str:
    """What a value's trace is here; empty where there is no such value."""
    ASKED.add(name_of(trace))
    return HELD.get(name_of(trace), text(trace))


def run(area: str, checks: Checks) -> None:
    """What fails needs a reason in LEFT_OUT, and every reason of the area must be needed; so must what is held otherwise."""
    assert area in AREAS and checks
    wrong, needed = [], set()
    for name, check in checks.items():
        try:
            check()
        except (AssertionError, ValueError, TypeError, OverflowError) as error:
            reason = name if name in LEFT_OUT else name.partition(".")[0]
            needed.add(reason)
            if reason not in LEFT_OUT:
                wrong.append(f"{name}: {error}")
    assert not wrong, "\n".join(wrong)
    assert not (listed := {name for name in LEFT_OUT if name.startswith(area)} - needed), f"without need: {listed}"
    assert not (listed := {name for name in HELD if name.startswith(area)} - ASKED), f"there is no such vector: {listed}"


def same(got: Any, wanted: Any, what: str = "") -> None:
    assert got == wanted, f"{what}\n   is {got!r:.300}\n   not {wanted!r:.300}"


def refused(call: Callable[[], Any], line: str) -> Any:
    """The error, which has the code, offset and path of the line, as far as it says them."""
    try:
        value = call()
    except ValueError as error:
        wanted = line.rstrip("\n").split(" ", 2)
        same([str(getattr(error, what, "")) for what in ("code", "offset", "path")][: len(wanted)], wanted, str(error))
        return error
    raise AssertionError(f"gives {value!r:.100} in place of {line}")


def traced(load: Callable[[], Any], wanted: str) -> None:
    """The trace is as wanted; empty: there is no such value, and the host's own error says so."""
    if wanted:
        return same(_core.trace(load()), wanted)
    try:
        value = load()
    except (ValueError, TypeError, OverflowError):
        return
    raise AssertionError(f"gives {value!r:.100}")


# ---- documents


def load(document: bytes, format: str, dialect: str) -> Any:
    return kumihimo.load(document, format, dialect, non_str_keys=True)


@pytest.mark.parametrize("format", FORMATS)
def test_documents(vectors: Path, format: str) -> None:
    dialect = FORMATS[format]["read_dialects"][0]

    def check(file: Path) -> None:
        document = file.read_bytes()
        if file.name.startswith("ok-"):
            traced(lambda: load(document, format, dialect), expected(file.with_suffix(".trace")))
        elif file.name.startswith("err-"):
            refused(lambda: load(document, format, dialect), text(file, ".error"))
        else:
            try:
                load(document, format, dialect)
            except ValueError:
                pass

    def place(file: Path) -> None:
        error = refused(lambda: load(file.read_bytes(), format, dialect), text(file, ".error"))
        same(f"{error.lineno} {error.colno}\n", text(file, ".place"))

    files = sorted((vectors / format).rglob("*.in"))
    checks: Checks = {name_of(file): lambda file=file: check(file) for file in files}  # type: ignore[misc]
    checks |= {f"{name_of(file)}.place": lambda file=file: place(file) for file in files if file.with_suffix(".place").exists()}  # type: ignore[misc]
    run(f"{format}/", checks)


@pytest.mark.parametrize("format", FORMATS)
def test_read_dialects(vectors: Path, format: str) -> None:
    def check(file: Path, dialect: str) -> None:
        document = file.with_name(file.name.split(".")[0] + ".in").read_bytes()
        if file.suffix == ".error":
            refused(lambda: load(document, format, dialect), text(file))
        else:
            traced(lambda: load(document, format, dialect), expected(file))

    checks: Checks = {}
    for dialect in FORMATS[format]["read_dialects"]:
        for file in sorted((vectors / "read" / format).glob(f"*.{dialect}.*")):
            checks[name_of(file)] = lambda file=file, dialect=dialect: check(file, dialect)  # type: ignore[misc]
    run(f"read/{format}/", checks)


# ---- models


class NoValue(ValueError):
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
        raise NoValue(kind)
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
            pairs[tuple(key) if isinstance(key, list) else key] = built(lines)
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


def becomes(call: Callable[[], bytes], file: Path) -> None:
    """The call gives the file's bytes, or the error that stands beside it."""
    if file.exists():
        same(call(), file.read_bytes())
    else:
        refused(call, text(file.with_name(f"{file.name}.error")))


def models(vectors: Path) -> Iterator[tuple[Path, str, str, Path]]:
    """Each model, with each dialect that has a say of it: what it becomes."""
    for model in sorted((vectors / "model").glob("*.trace")):
        for format, row in FORMATS.items():
            for dialect in row["write_dialects"]:
                file = model.with_name(f"{model.stem}.{format}.{dialect}")
                if file.exists() or file.with_name(f"{file.name}.error").exists():
                    yield model, format, dialect, file


def test_writing(vectors: Path) -> None:
    def value(model: Path) -> Any:
        return built(iter(text(model).splitlines()))

    checks: Checks = {}
    for model in sorted((vectors / "model").glob("*.trace")):
        if name_of(model) in HELD:
            checks[name_of(model)] = lambda model=model: traced(lambda: value(model), expected(model))  # type: ignore[misc]
    for model, format, dialect, file in models(vectors):
        if name_of(model) not in HELD:

            def dump(model: Path = model, format: str = format, dialect: str = dialect) -> bytes:
                return kumihimo.dump(value(model), format, dialect, non_str_keys=True, decimal=True)

            checks[f"model/{file.name}"] = lambda dump=dump, file=file: becomes(dump, file)  # type: ignore[misc]
    run("model/", checks)


def test_converting(vectors: Path) -> None:
    """From each format whose document is read as the model, into every dialect."""
    checks: Checks = {}
    for model, format, dialect, file in models(vectors):
        for source, row in FORMATS.items():
            document = model.with_name(f"{model.stem}.{source}.{row['write_dialects'][0]}")
            if not document.exists() or not is_read_as(document.read_bytes(), source, model):
                continue

            def convert(document: Path = document, source: str = source, format: str = format, dialect: str = dialect) -> bytes:
                read = FORMATS[source]["read_dialects"][0]
                return kumihimo.convert(document.read_bytes(), source, format, source_dialect=read, target_dialect=dialect)

            checks[f"convert/{file.name}.from_{source}"] = lambda convert=convert, file=file: becomes(convert, file)  # type: ignore[misc]
    run("convert/", checks)


def is_read_as(document: bytes, format: str, model: Path) -> bool:
    if name_of(model) in HELD:
        return False
    try:
        read = _core.trace(load(document, format, FORMATS[format]["read_dialects"][0]))
        return bool(read == re.sub(r"^(array|map) \d+$", r"\1", text(model), flags=re.MULTILINE))
    except (ValueError, TypeError):
        return False


# ---- paths


def test_paths(vectors: Path) -> None:
    def check(file: Path) -> None:
        path = file.read_bytes().decode("utf-8", "surrogateescape")
        if file.name.startswith("ok-"):
            kumihimo.partial([path])
            return
        code, offset = text(file, ".error").split()
        with pytest.raises(TypeError if code == "encoding" else ValueError) as caught:
            kumihimo.partial([path])
        assert code == "encoding" or f"byte {offset}" in str(caught.value), str(caught.value)

    run("paths/", {name_of(file): lambda file=file: check(file) for file in sorted((vectors / "paths").glob("*.path"))})  # type: ignore[misc]


def found(document: bytes, lines: list[str], format: str, decimal: bool = True) -> tuple[Any, ...]:
    """What a .found file says, as values."""

    def value(line: str) -> Any:
        if line == "absent":
            return None
        offset, length = map(int, line.split())
        return kumihimo.load(document[offset : offset + length], format, FORMATS[format]["read_dialects"][0], decimal=decimal)

    values: list[Any] = []
    while lines:
        line = lines.pop(0)
        values.append([value(lines.pop(0)) for _ in range(int(line[5:]))] if line.startswith("each ") else value(line))
    return tuple(values)


LEVELS_ASKED: dict[str, dict[str, Any]] = {
    **{level: {"level": level} for level in ("strict", "structural", "trusted")},
    "strict.unique_keys": {"level": "strict", "unique_keys": True},
}


def projection(folder: Path, format: str) -> Checks:
    def check(file: Path, level: str) -> None:
        wanted = kumihimo.partial(text(file, ".paths").split("\n")[:-1], format=format, decimal=True, **LEVELS_ASKED[level])
        if file.with_suffix(f".{level}.error").exists():
            refused(lambda: wanted(file.read_bytes()), text(file, f".{level}.error"))
        else:
            same(wanted(file.read_bytes()), found(file.read_bytes(), text(file, f".{level}.found").splitlines(), format))

    return {
        f"{name_of(file)}.{level}": lambda file=file, level=level: check(file, level)  # type: ignore[misc]
        for file in sorted(folder.glob("*.in"))
        for level in LEVELS_ASKED
        if any(file.with_suffix(f".{level}.{said}").exists() for said in ("found", "error"))
    }


def test_projection(vectors: Path) -> None:
    def elsewhere(file: Path, format: str) -> None:
        """The same paths in the document's other formats."""
        document = file.read_bytes()
        wanted = kumihimo.partial(text(file, ".paths").split("\n")[:-1], format=format)
        same(wanted(kumihimo.convert(document, "json", format)), found(document, text(file, ".strict.found").splitlines(), "json", decimal=False))

    checks = projection(vectors / "project", "json")
    for file in sorted((vectors / "project").glob("*.in")):
        if file.with_suffix(".strict.found").exists():
            for format in FORMATS:
                checks[f"{name_of(file)}.in_{format}"] = lambda file=file, format=format: elsewhere(file, format)  # type: ignore[misc]
    run("project/", checks)


@pytest.mark.parametrize("format", BINARY)
def test_levels(vectors: Path, format: str) -> None:
    run(f"levels/{format}/", projection(vectors / "levels" / format, format))


# ---- frames, streams, detection


def pieces(whole: bytes, size: Optional[int]) -> list[bytes]:
    return [whole] if size is None else [whole[i : i + size] for i in range(0, len(whole), size)]


class Pieces:
    """A stream that gives a few bytes at a time."""

    def __init__(self, whole: bytes, size: Optional[int]) -> None:
        self.pieces = pieces(whole, size)

    def read(self, _: int = -1) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""


SIZES = (None, 1, 3)


@pytest.mark.parametrize("frame", FRAMES)
def test_frames(vectors: Path, frame: str) -> None:
    def stream(packed: bytes, size: Optional[int]) -> bytes:
        unpacker = _core.Unpacker(frame)
        out = b"".join(map(unpacker.feed, pieces(packed, size)))
        unpacker.finish()
        return out

    def check(file: Path, unpack: Callable[[bytes], bytes]) -> None:
        packed = file.read_bytes()
        if file.name.startswith("err-"):
            refused(lambda: unpack(packed), text(file, ".error"))
            return
        out = file.with_suffix(".out").read_bytes()
        same(unpack(packed), out)
        same(_core.frame_of_bytes(packed), frame)
        same(_core.unpack(_core.pack(out, frame), frame), out)

    checks: Checks = {}
    for file in sorted((vectors / "frames" / frame).glob("*.in")):
        checks[name_of(file)] = lambda file=file: check(file, lambda packed: _core.unpack(packed, frame))  # type: ignore[misc]
        for size in SIZES:
            checks[f"{name_of(file)}.by_{size}"] = lambda file=file, size=size: check(file, lambda packed: stream(packed, size))  # type: ignore[misc]
    run(f"frames/{frame}/", checks)


@pytest.mark.parametrize("format", FORMATS)
def test_streams(vectors: Path, format: str) -> None:
    def check(file: Path, size: Optional[int]) -> None:
        traces, error = "", None
        try:
            source: Any = file.read_bytes() if size is None else Pieces(file.read_bytes(), size)
            for value in kumihimo.each_document(source, format, FORMATS[format]["read_dialects"][0], non_str_keys=True):
                traces += _core.trace(value)
        except ValueError as caught:
            error = caught
        wanted = expected(file.with_suffix(".trace"))
        if not wanted and text(file, ".trace"):  # a document that is no value here
            assert error is not None
            return
        same(traces, wanted)
        same(error is None, file.name.startswith("ok-"), repr(error))
        if error is not None:
            same(f"{error.code} {error.offset} {error.path}\n", text(file, ".error"))  # type: ignore[attr-defined]
            same(f"{error.start}\n", text(file, ".start"))  # type: ignore[attr-defined]

    checks: Checks = {}
    for file in sorted((vectors / "streams" / format).glob("*.in")):
        for size in SIZES:
            checks[f"{name_of(file)}.by_{size}"] = lambda file=file, size=size: check(file, size)  # type: ignore[misc]
    run(f"streams/{format}/", checks)


def test_detection(vectors: Path) -> None:
    folder, checks = vectors / "detect", {}
    calls: dict[str, Callable[[bytes], Optional[str]]] = {"format": _core.format_of_bytes, "frame": _core.frame_of_bytes}
    for what, call in calls.items():
        for file in sorted((folder / what).glob("*.in")):
            checks[name_of(file)] = lambda file=file, call=call: same(call(file.read_bytes()) or "none", file.name.partition("-")[0])
    for line in text(folder / "media-types").split("\n")[:-1]:
        format, _, type = line.partition("\t")
        checks[f"detect/media-types {type}"] = lambda f=format, t=type: same(_core.format_of_media_type(t) or "none", f)  # type: ignore[misc]
    for line in text(folder / "names").split("\n")[:-1]:
        *told, name = line.split("\t")
        checks[f"detect/names {name}"] = lambda t=told, n=name: same([_core.format_of_path(n) or "none", _core.frame_of_path(n) or "none"], t)  # type: ignore[misc]
    run("detect/", checks)


def test_every_name_in_the_lists_is_of_an_area(vectors: Path) -> None:
    for name in [*LEFT_OUT, *HELD]:
        assert name.startswith(tuple(AREAS)), f"there is no such vector: {name}"
