"""Files that say columns: what `kumihimo schema` writes, JSON Schema and Arrow schemas of others. Each becomes a list of fields for an extraction."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Iterator, Union

from . import _core

Field = tuple[str, str, str]  # name, path, type

# Metadata of Arrow fields.
PATH, TYPE = b"kumihimo.path", b"kumihimo.type"

TYPES = {"integer": "int64", "number": "float64", "string": "string", "boolean": "bool"}


def read_fields(file: Union[str, bytes, "os.PathLike[Any]"]) -> list[Field]:
    """The fields that the file says. ValueError where it says none, OSError where it cannot be read."""
    name = os.fsdecode(os.fspath(file))
    with open(file, "rb") as opened:
        data = opened.read()
    try:
        if data.lstrip()[:1] not in (b"{", b"["):
            return _checked(arrow_fields(data))
        return _checked(fields_in(_core.loads(data)))
    except ValueError as wrong:
        raise ValueError(f"schema {name}: {wrong}") from None


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


def json_schema_fields(root: dict[str, Any]) -> Iterator[Field]:
    """A field for each value that is no object with known members. What JSON Schema leaves open is JSON."""
    taken: set[str] = set()
    todo: list[tuple[tuple[str, ...], Any]] = [((), root)]
    while todo:
        steps, said = todo.pop()
        said = said if isinstance(said, dict) else {}
        types, members = types_of(said), said.get("properties")
        if types <= {"object"} and isinstance(members, dict) and members and not isinstance(said.get("additionalProperties"), dict):
            todo += [((*steps, key), member) for key, member in reversed(members.items())]
            continue
        path = "$" + "".join(map(step, steps))
        name = "" if steps else "value"
        for key in steps:
            name = f"{name}.{key}" if name else key
        yield unique_name(name, path, taken), path, column_type(said, types)


def column_type(said: dict[str, Any], types: set[str]) -> str:
    if isinstance(own := said.get("x-kumihimo-type"), str):
        return own
    if types == {"integer", "number"}:
        return "float64"
    if types == {"string"} and said.get("format") == "date-time":
        return "timestamp"
    return TYPES.get(*types, "json") if len(types) == 1 else "json"


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
    import pyarrow as pa

    said = field.metadata or {}
    if PATH in said and TYPE in said:
        return field.name, said[PATH].decode(), said[TYPE].decode()
    t = field.type
    if pa.types.is_integer(t):
        kind = "int64"
    elif pa.types.is_floating(t):
        kind = "float64"
    elif pa.types.is_boolean(t):
        kind = "bool"
    elif pa.types.is_decimal128(t):
        kind = f"decimal({t.precision},{t.scale})"
    elif pa.types.is_timestamp(t):
        inside = [*(["ns"] if t.unit == "ns" else []), t.tz or "naive"]
        kind = f"timestamp[{','.join(inside)}]"
    else:
        kind = "string" if pa.types.is_string(t) or pa.types.is_large_string(t) else "json"
    return field.name, field.name, kind


def arrow_schema(found: Any) -> bytes:
    """A Schema's columns as the bytes of an Arrow schema, each with its path."""
    import pyarrow as pa

    fields = [field.with_metadata({**(field.metadata or {}), PATH: path, TYPE: kind}) for field, (_, path, kind) in zip(pa.schema(found), found.fields)]
    return bytes(pa.schema(fields).serialize())
