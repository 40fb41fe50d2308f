"""Files that say columns: what `kumihimo schema` writes, JSON Schema and Arrow schemas of others. Each becomes a list of fields for an extraction."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Mapping
from typing import Any, Iterator, Optional, Union

from . import _core

Field = tuple[str, str, str]  # name, path, type

# Metadata of Arrow fields.
PATH, TYPE = b"kumihimo.path", b"kumihimo.type"
# A column's type, where JSON Schema has no word for it.
OWN = "x-kumihimo-type"

TYPES = {"integer": "int64", "number": "float64", "string": "string", "boolean": "bool"}

DEEPEST = 8  # lists and structs in one another that a type may have
ANY = "json"  # what no other type holds
COLUMN = 'column "'  # errors of one begin so

File = Union[str, bytes, "os.PathLike[Any]"]


def read_fields(file: File) -> list[Field]:
    """The fields that the file says. ValueError where it says none, OSError where it cannot be read."""
    with open(file, "rb") as opened:
        data = opened.read()
    with naming_schema(file):
        if not data.strip():
            raise ValueError("the file is empty")
        if data.lstrip()[:1] not in (b"{", b"["):
            return _checked(arrow_fields(data))
        return _checked(fields_in(_core.loads(data)))


@contextlib.contextmanager
def naming_schema(file: Optional[File], begins: str = "") -> Iterator[None]:
    """A ValueError of the schema begins with its file's name. `begins`: with what those do that are of the schema."""
    try:
        yield
    except ValueError as wrong:
        # What is a ValueError of a kind of its own says where it is.
        if file is None or not str(wrong).startswith(begins) or (begins and type(wrong) is not ValueError):
            raise
        raise ValueError(f"schema {os.fsdecode(os.fspath(file))}: {wrong}") from None


def fields_of(given: Any) -> list[Field]:
    """The fields that a schema in memory says: a pyarrow.Schema and what Arrow takes for one, or JSON Schema as a dict."""
    if isinstance(given, Mapping):
        return _checked(fields_in(dict(given)))
    if not hasattr(given, "__arrow_c_schema__"):
        raise TypeError(f"schema is the name of a file, what kumihimo.schema() found, a pyarrow.Schema or JSON Schema as a dict, not {type(given).__name__}")
    import pyarrow as pa

    return _checked([arrow_field(field) for field in pa.schema(given)])


def refuse_beside(fields: Any, nested_types: bool, infer: str) -> None:
    """ValueError for what means nothing beside a schema."""
    if fields:
        raise ValueError("schema has the fields: name none beside it")
    for name, asked in (("nested_types", nested_types), ("infer", infer == "all")):
        if asked:
            raise ValueError(f"{name} is of types that are not given: those of a schema are")


def _checked(fields: list[Field]) -> list[Field]:
    if not fields:
        raise ValueError("it has no columns")
    return fields


def fields_in(said: Any) -> list[Field]:
    """The fields of a schema's own JSON, or of JSON Schema."""
    if not isinstance(said, dict):
        raise ValueError("it is no object of JSON")
    if said.get("kumihimo") == "schema":
        fields = said.get("fields")
        if not isinstance(fields, list):
            raise ValueError("it has no list \"fields\"")
        for one in fields:
            if not isinstance(one, dict) or not all(isinstance(one.get(k), str) for k in ("name", "path", "type")):
                raise ValueError('each of "fields" has a name, a path and a type, all of them text')
        return [(one["name"], one["path"], one["type"]) for one in fields]
    if "type" not in said and "properties" not in said:
        raise ValueError("it is neither what `kumihimo schema` writes nor JSON Schema with type or properties")
    return list(json_schema_fields(said))


def step(key: str) -> str:
    """A member's step in a path, as the engine spells it."""
    return f".{key}" if re.fullmatch(r"(?![0-9])[A-Za-z0-9_$\-\u0080-\U0010ffff]+", key) else f"[{json.dumps(key, ensure_ascii=False)}]"


def types_of(said: dict[str, Any]) -> set[str]:
    types = said.get("type", [])
    return {t for t in ([types] if isinstance(types, str) else types if isinstance(types, list) else []) if isinstance(t, str)} - {"null"}


def unique_name(name: str, path: str, taken: set[str]) -> str:
    """The name or, where that is taken ("a.b" beside b in a), the path, with a number behind it if need be: as the engine names columns."""
    n = 1
    while name in taken:
        name, n = f"{path}_{n}" if n > 1 else path, n + 1
    taken.add(name)
    return name


def members_of(said: dict[str, Any]) -> dict[str, Any]:
    """The members of what is an object with known ones, and nothing else."""
    members = said.get("properties")
    known = types_of(said) <= {"object"} and isinstance(members, dict) and not isinstance(said.get("additionalProperties"), dict)
    return dict(members) if known and isinstance(members, dict) else {}


def json_schema_fields(root: dict[str, Any]) -> Iterator[Field]:
    """A field for each value that is no object with known members. What JSON Schema leaves open is JSON."""
    taken: set[str] = set()
    todo: list[tuple[tuple[str, ...], Any]] = [((), root)]
    while todo:
        steps, said = todo.pop()
        said = said if isinstance(said, dict) else {}
        if OWN not in said and (members := members_of(said)):
            todo += [((*steps, key), member) for key, member in reversed(members.items())]
            continue
        path = "$" + "".join(map(step, steps))
        name = "" if steps else "value"
        for key in steps:
            name = f"{name}.{key}" if name else key
        yield unique_name(name, path, taken), path, column_type(said)


def column_type(said: Any, depth: int = 0) -> str:
    """The type of a column of these values, `depth` lists and structs deep."""
    if not isinstance(said, dict):
        return ANY
    if isinstance(own := said.get(OWN), str):
        return own
    types = types_of(said)
    if members := members_of(said):
        return struct_type([(key, column_type(member, depth + 1)) for key, member in members.items()]) if depth < DEEPEST else ANY
    items = said.get("items")
    if types <= {"array"} and items and isinstance(items, dict) and "prefixItems" not in said:
        return f"list[{column_type(items, depth + 1)}]" if depth < DEEPEST else ANY
    if types == {"integer", "number"}:
        return "float64"
    if types == {"string"} and said.get("format") == "date-time":
        return "timestamp"
    return TYPES.get(*types, ANY) if len(types) == 1 else ANY


def struct_type(members: list[tuple[str, str]]) -> str:
    names = [name for name, _ in members]
    if not names or len(set(names)) != len(names):
        return ANY
    return "struct[" + ",".join(f"{json.dumps(name, ensure_ascii=False)}:{kind}" for name, kind in members) + "]"


def arrow_fields(data: bytes) -> list[Field]:
    """Of an Arrow schema, as bytes of Arrow IPC: a schema alone, a stream or a file."""
    try:
        import pyarrow as pa
    except ImportError:
        raise ValueError("it is no JSON, and to read an Arrow schema takes pyarrow") from None
    try:
        found = pa.ipc.open_file(data).schema if data.startswith(b"ARROW1") else pa.ipc.read_schema(pa.py_buffer(data))
    except (pa.ArrowException, OSError) as broken:
        raise ValueError(f"it is neither JSON nor an Arrow schema: {broken}") from None
    return [arrow_field(field) for field in found]


def arrow_field(field: Any) -> Field:
    said = field.metadata or {}
    if PATH in said and TYPE in said:
        return field.name, said[PATH].decode(), said[TYPE].decode()
    return field.name, field.name, arrow_type(field)


def arrow_type(field: Any, depth: int = 0) -> str:
    """The type of a column that holds what this Arrow field does, `depth` lists and structs deep."""
    import pyarrow as pa

    t = field.type

    def of(*kinds: str) -> bool:
        # Later pyarrows have more.
        return any(test(t) for kind in kinds if (test := getattr(pa.types, f"is_{kind}", None)) is not None)

    if (field.metadata or {}).get(b"ARROW:extension:name") == b"arrow.json":
        return ANY
    while of("dictionary", "run_end_encoded") or isinstance(t, pa.BaseExtensionType):
        if getattr(t, "extension_name", "") == "arrow.json":
            return ANY
        t = t.storage_type if isinstance(t, pa.BaseExtensionType) else t.value_type
    if of("uint64"):
        return "decimal(20,0)"
    if of("integer"):
        return "int64"
    if of("floating"):
        return "float64"
    if of("boolean"):
        return "bool"
    if of("decimal"):
        return f"decimal({t.precision},{t.scale})" if 0 <= t.scale <= t.precision <= 38 else "decimal"
    if of("timestamp"):
        inside = [*(["ns"] if t.unit == "ns" else []), t.tz or "naive"]
        return f"timestamp[{','.join(inside)}]"
    if of("list", "large_list", "fixed_size_list", "list_view", "large_list_view"):
        return f"list[{arrow_type(t.value_field, depth + 1)}]" if depth < DEEPEST else ANY
    if of("struct"):
        return struct_type([(member.name, arrow_type(member, depth + 1)) for member in t]) if depth < DEEPEST else ANY
    # JSON has dates, times of a day and bytes as texts.
    texts = ("string", "large_string", "string_view", "date", "time", "binary", "large_binary", "binary_view", "fixed_size_binary")
    return "string" if of(*texts) else ANY


def arrow_schema(found: Any) -> bytes:
    """A Schema's columns as the bytes of an Arrow schema, each with its path."""
    import pyarrow as pa

    fields = [field.with_metadata({**(field.metadata or {}), PATH: path, TYPE: kind}) for field, (_, path, kind) in zip(pa.schema(found), found.fields)]
    return bytes(pa.schema(fields).serialize())
