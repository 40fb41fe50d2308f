"""What Kumihimo raises. Imported at the first error (or when one of the names is asked for), not with the package."""

from __future__ import annotations

import json
from typing import Any, Union

__all__ = ["DecodeError", "EncodeError", "ExtractionError", "JSONDecodeError", "JSONEncodeError"]

Document = Union[bytes, bytearray, memoryview, str]


class JSONDecodeError(json.JSONDecodeError):
    """A document that is not valid JSON, or that Python cannot hold.

    A subclass of `json.JSONDecodeError` and so of `ValueError`, with its attributes:

    - `msg`: what is wrong, without the place
    - `doc`: the document as a str (bytes that are not UTF-8 appear as U+FFFD)
    - `pos`, `lineno`, `colno`: the place in `doc`, in characters; the last two count from 1

    and these:

    - `offset`: the place in bytes of UTF-8, from 0
    - `path`: the place in the document, such as `$.asks[0][1]`
    - `code`: one word for the kind of mistake, such as `syntax`, `truncated`, `depth`
    """

    offset: int
    path: str
    code: str

    @classmethod
    def at(cls, msg: str, doc: Document, offset: int, code: str, path: str) -> JSONDecodeError:
        """Makes the error from the byte offset."""
        if isinstance(doc, str):
            raw = doc.encode("utf-8", "surrogatepass")
            text = doc
        else:
            raw = bytes(doc)
            text = raw.decode("utf-8", "replace")
        error = cls(msg, text, len(raw[:offset].decode("utf-8", "replace")))
        error.offset = offset
        error.path = path
        error.code = code
        if path and path != "$":
            error.args = (f"{error.args[0]} at {path}",)
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        return _json_error_again, (self.msg, self.doc, self.pos, self.offset, self.code, self.path, self.args)


def _json_error_again(msg: str, doc: str, pos: int, offset: int, code: str, path: str, args: tuple[Any, ...]) -> JSONDecodeError:
    error = JSONDecodeError(msg, doc, pos)
    error.offset, error.code, error.path, error.args = offset, code, path, args
    return error


class DecodeError(ValueError):
    """Bytes that are not valid MessagePack, or that Python cannot hold. `offset` is the byte, `path` the place, `code` one word."""

    offset: int = 0
    path: str = ""
    code: str = ""

    @classmethod
    def at(cls, msg: str, doc: Document, offset: int, code: str, path: str) -> DecodeError:
        """Makes the error from the byte offset."""
        error = cls(f"{msg}: byte {offset}" + (f" at {path}" if path else ""))
        error.offset = offset
        error.path = path
        error.code = code
        return error


class EncodeError(TypeError, ValueError):
    """A value that cannot be written. `path` says where it is, `code` why in one word (`unsupported`, `depth`, `encoding`, ...).

    A subclass of both TypeError and ValueError, because the stock modules raise the one or the other.
    """

    path: str = ""
    code: str = ""

    @classmethod
    def at(cls, msg: str, code: str, path: str) -> EncodeError:
        """Makes the error from its place."""
        error = cls(msg + (f" (at {path})" if path and path != "$" else ""))
        error.path = path
        error.code = code
        return error


JSONEncodeError = EncodeError


class ExtractionError(ValueError):
    """What ended an extraction: a bad record under on_error='stop', an input that cannot be read.

    `report` has all of it; its attributes are here too: `scope`, `code`, `archive`, `entry`, `document`, `offset`, `line`, `column`, `path`,
    `message`.
    """

    def __init__(self, report: Any) -> None:
        super().__init__(str(report))
        self.report = report

    def __getattr__(self, name: str) -> Any:
        if name in ("scope", "code", "archive", "entry", "document", "offset", "line", "column", "path", "message"):
            return getattr(self.report, name)
        raise AttributeError(name)
