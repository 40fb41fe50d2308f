"""`kumihimo.schema`: what stands at each path of many documents, and the way back, from a file of it to columns. `schema_command.py` is the command around it."""

from __future__ import annotations

import os
from typing import Any, BinaryIO, Callable, Iterable, Optional, Sequence, Union

from . import _core
from .extraction import Path, _inputs, sources
from .output import Files, Whole, aside, open_part
from .schema_files import Field, fields_in

__all__ = ["Schema", "schema"]


class Schema:
    """What stands at each path of many documents: print() shows it as a table, kumihimo.extract(..., schema=it) makes its columns."""

    def __init__(self, run: Any, reports: Sequence[Any] = ()) -> None:
        self._run, self._text = run, run.paths()
        self._said = _core.loads(self._text)
        self.documents: int = self._said["documents"]
        self.paths: list[dict[str, Any]] = self._said["paths"]  # path, documents, values, of, types, type, examples
        self.fields: list[Field] = fields_in(self._said)
        self.notes: list[str] = run.notes
        self.reports = list(reports)  # a Report for each bad record that was passed over

    def json(self) -> str:
        """All of it as JSON, a path a line; --schema and extract(schema=...) take it."""
        return str(self._text, "utf-8")

    def json_schema(self) -> dict[str, Any]:
        """The same in the words of JSON Schema (2020-12)."""
        return dict(_core.loads(self.json_schema_text()))

    def json_schema_text(self) -> bytes:
        return bytes(self._run.paths(json_schema=True))

    def __arrow_c_schema__(self) -> Any:
        """The columns: pyarrow.schema(it)."""
        return self._run.__arrow_c_schema__()

    def __str__(self) -> str:
        from .schema_table import table

        return table(self._text)

    def __repr__(self) -> str:
        return f"<kumihimo Schema: {self.documents} documents, {len(self.paths)} paths>"


def start(inputs: Sequence[Any], **options: Any) -> Any:
    """An extraction that reads documents and gives no rows."""
    return _core.Extraction(inputs, [], form="schema", **options)


def read(run: Any, between: Callable[[], None]) -> None:
    """Reads all documents. `between` is called at times, when reports may wait to be taken."""
    while run.next_count() is not None:
        between()
    between()


def schema(
    inputs: Union[Path, Iterable[Path]],
    *,
    match: Union[str, Sequence[str]] = (),
    where: Optional[str] = None,
    jobs: Optional[int] = None,
    on_error: str = "stop",
    quarantine: Union[None, str, "os.PathLike[str]"] = None,
    limit: Optional[int] = None,
    limit_per_archive: Optional[int] = None,
    sample_rows: Optional[float] = None,
    seed: Optional[int] = None,
    layout: str = "auto",
    format: Optional[str] = None,
    dialect: Optional[str] = None,
    fold: int = 1000,
    nested: int = 0,
    joined: bool = False,
    nested_types: bool = False,
    **limits: Any,
) -> Schema:
    """What stands at each path of all documents: how often, of which types, with the first three different examples.

        >>> found = kumihimo.schema("day/*.zip")
        >>> print(found)                                                # a table
        >>> found.json_schema()                                         # or pyarrow.schema(found)
        >>> pyarrow.table(kumihimo.extract("day/*.zip", schema=found))  # no type is a guess any more

    All is read once, and what is kept has the size of the schema. An object with more than `fold` different keys, as one with ids for keys, has one path `*` for
    all of them. More than 32,768 paths, in spite of that, raise ExtractionError. `nested_types=True`: columns are lists and structs, where those hold the values,
    as extract(nested_types=True) finds them; else arrays are columns of JSON.

    `on_error`: 'stop' raises ExtractionError at the first bad record; 'skip' leaves it out, 'quarantine' writes it to the file of the name `quarantine`, and
    `.reports` has the list. `inputs`, `match`, `where`, `jobs`, `limit` and `limit_per_archive` (documents), `sample_rows` with `seed`, `layout`, `format`,
    `dialect`, `nested`, `joined`, `password` and the further limits `depth`, `document_size` and `ratio` are those of kumihimo.extract.
    """
    if (on_error == "quarantine") != (quarantine is not None):
        raise ValueError("quarantine names the file of on_error='quarantine'")
    given = [os.fspath(one) for one in ([inputs] if isinstance(inputs, (str, bytes, os.PathLike)) else inputs)]
    names = _inputs(given)
    patterns = [match] if isinstance(match, str) else list(match)
    if quarantine is not None:
        from .clashes import refuse_clashes

        refuse_clashes(given, names, [os.fspath(quarantine)], patterns)
    how = sources(names, patterns, nested, joined)
    run = start(names, match=patterns, where=where, jobs=jobs or 0, on_error=on_error, limit=limit, limit_per_archive=limit_per_archive, sample_rows=sample_rows, seed=seed,
                layout=layout, format=format or "", dialect=dialect or "", fold=fold, nested_types=nested_types, **how, **limits)  # fmt: skip
    reports: list[Any] = []
    try:
        with Files() as opened:
            put_aside: Optional[BinaryIO] = opened.enter_context(open_part(opened.enter_context(Whole(os.fspath(quarantine))))) if quarantine is not None else None

            def between() -> None:
                aside(run, put_aside, quarantine)
                reports.extend(run.take_reports())

            read(run, between)
    except BaseException:
        run.cancel()
        raise
    return Schema(run, reports)
