"""A connection to a DuckDB file, which is closed in order whenever a signal's handler raises."""

from __future__ import annotations

import atexit
import contextlib
import os
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, Callable, Optional, Sequence

MEMORY = "64MB"


def _wait(over: Event) -> None:
    """Waits to the end; what a signal's handler raises meanwhile is raised then."""
    raised: Optional[BaseException] = None
    while not over.is_set():
        try:
            over.wait()
        except BaseException as error:
            raised = error
    if raised is not None:
        raise raised


class Connection:
    """DuckDB looks for signals while it works in the main thread, and makes an error of its own of what their handlers raise. So it works in
    another thread, and who waits for it gets the exception as it is.

    A handler may raise between any two steps, and more than once. The thread always comes to its end: one that Python's end finds in the middle of
    DuckDB aborts the process. Thread.join() and executors are of no use, for they forget a thread when their wait for it is interrupted."""

    def __init__(self, path: str) -> None:
        import duckdb

        self.inner: Any = None
        self.failed: Optional[BaseException] = None  # why it was not closed well
        self.jobs: SimpleQueue[Optional[tuple[Future[Any], Event, Callable[[], Any]]]] = SimpleQueue()
        self.begun, self.over = Event(), Event()
        self.process = os.getpid()

        def connect() -> None:
            self.inner = duckdb.connect(path, config={"threads": 1, "memory_limit": MEMORY})

        try:
            atexit.register(self._end)
            Thread(target=self._work, daemon=True).start()  # Python's end waits for others before it calls _end()
            self._do(connect)
        except BaseException:
            try:
                self.begun.wait(5)
            finally:
                if not self.begun.is_set():
                    self.over.set()  # none could be started; one that begins later finds nothing to do
                self.close()
            raise

    def _work(self) -> None:
        self.begun.set()
        while (given := self.jobs.get()) is not None:
            job, done, work = given
            if job.set_running_or_notify_cancel():
                try:
                    job.set_result(work())
                except BaseException as error:
                    job.set_exception(error)
            done.set()
            del given, job, done, work  # else their rows stay until the next job
        try:
            if self.inner is not None:
                self.inner.close()
        except BaseException as error:
            self.failed = error
        self.inner = None
        self.over.set()

    def _do(self, work: Callable[[], Any]) -> Any:
        if self.over.is_set():
            raise RuntimeError("the connection is closed")
        job: Future[Any] = Future()
        done = Event()
        try:
            self.jobs.put((job, done, work))
            return job.result()
        except BaseException:
            if not job.cancel():  # it has begun
                if not job.done():
                    with contextlib.suppress(Exception):  # it may not be connected yet
                        self.inner.interrupt()
                _wait(done)
            raise

    def _end(self) -> None:
        """The thread closes the file and ends."""
        if os.getpid() != self.process:
            return  # a forked process has no such thread, and the file is its parent's
        try:
            self.jobs.put(None)
        finally:
            self.jobs.put(None)  # a second one does no harm
            _wait(self.over)

    def execute(self, words: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._do(lambda: self.inner.execute(words, list(values)).fetchall())

    def insert(self, words: str, name: str, table: Any) -> None:
        def work() -> None:
            self.inner.register(name, table)
            self.inner.execute(words)
            self.inner.unregister(name)

        self._do(work)

    def close(self) -> None:
        self._end()
        atexit.unregister(self._end)
        if self.failed is not None:
            raise self.failed
