"""What all outputs are: something that takes an extraction's rows, once or, where a guess about them was wrong, again."""

from __future__ import annotations

import contextlib
from pathlib import Path
from types import TracebackType
from typing import Any, Callable, Optional, Protocol, Type


class Writer(Protocol):
    """Takes rows: text as whole lines where the form is text, else record batches."""

    def write(self, piece: Any) -> None: ...


class Output:
    """`with output:` appears whole or not at all. Inside of it, `with output.begin(run, schema) as writer:` is one attempt: a second one throws
    away what the first one wrote."""

    path: str  # as it was named; - is standard output
    form: str
    engine: str  # what the engine is asked for: csv, ndjson or columns
    delimiter = ","
    rewritable = True  # can be begun again
    written: Optional[int] = None  # bytes, where they are known; after the end
    sealed: Optional[Callable[[Path, Path], None]] = None  # called when all is written under a hidden name, before it takes the output's

    @property
    def example(self) -> str:
        """A file that is written: the output, or a part of it."""
        return self.path

    def __enter__(self) -> Output:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        pass

    def refuse_existing(self) -> None:
        """FileExistsError for what is in the way, as entering says it."""

    def begin(self, run: Any, schema: Any) -> contextlib.AbstractContextManager[Writer]:
        raise NotImplementedError
