"""The rows of an extraction into an output, from the first to the last, and from the first again where a guess about them was wrong."""

from __future__ import annotations

import time
from typing import Any, Callable, Iterator

from .base import Output


class Restart(Exception):
    """A guessed type did not hold: all is to be written again by a new run."""


class Clock:
    """Seconds by stage: what is waited for (`read`), and what is done with it (`write`)."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.last = time.perf_counter()

    def stage(self, name: str) -> None:
        """What passed since the last call was that stage."""
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self.last
        self.last = now


def _texts(run: Any) -> Iterator[bytes]:
    while (chunk := run.next_bytes(pause=True)) is not None:
        yield chunk
    if run.contradiction:
        raise Restart


def _batches(run: Any, reader: Any) -> Iterator[Any]:
    """The reader's batches; its errors, which pyarrow makes OSError and worse, as what they were."""
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except KeyboardInterrupt:
            raise
        except Exception as wrapped:
            if run.contradiction:
                raise Restart from None
            if (failure := run.failure) is not None:
                from ..errors import ExtractionError

                raise ExtractionError(failure) from None
            raise wrapped
        yield batch


def rows_of(run: Any, output: Output) -> tuple[Any, Iterator[Any]]:
    """The rows as the output takes them, and the schema of batches, which text has not. Restart comes out of them where a guess was wrong."""
    if output.engine == "columns":
        import pyarrow

        reader = pyarrow.RecordBatchReader.from_stream(run)
        return reader.schema, _batches(run, reader)
    return None, _texts(run)


def attempt(run: Any, output: Output, clock: Clock, between: Callable[[], None]) -> bool:
    """Writes all rows; False when a guess was wrong, and all is to be written again by run.again(). `between` is called at times."""
    schema, pieces = rows_of(run, output)
    clock.stage("read")
    try:
        with output.begin(run, schema) as writer:
            for piece in pieces:
                clock.stage("read")
                writer.write(piece)
                between()
                clock.stage("write")
            clock.stage("read")
        clock.stage("write")
    except Restart:
        return False
    return True
