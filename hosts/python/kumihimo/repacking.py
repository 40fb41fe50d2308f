"""`kumihimo.repack`: documents of archives into one file of blocks. `repack_command.py` is the command around it."""

from __future__ import annotations

import os
from typing import Any, BinaryIO, Callable, Iterable, NamedTuple, Optional, Sequence, Union

from . import _core
from .clashes import refuse_clashes
from .endings import format_of_path
from .extraction import Path, _inputs, sources
from .output import Files, Whole, aside, naming, open_part, write_all

__all__ = ["Repacked", "repack"]


class Repacked(NamedTuple):
    """What repack() did."""

    documents: int
    read: int  # bytes of the inputs, as they lie on disk
    written: int
    reports: list[Any]  # a Report for each bad record that was passed over
    notes: list[str]


def target_of(output: str, to: Optional[str], frame: Optional[str]) -> tuple[str, Optional[str]]:
    """Format and frame of a file: those that are named, else those of its ending. ValueError where neither tells the format."""
    named = output if output != "-" else ""
    chosen = to or format_of_path(named)
    if chosen is None:
        endings = ", ".join(row["endings"][0] for row in _core.formats())
        raise ValueError(f"name the format to write, by 'to' or by an ending of the output such as {endings}")
    packed = frame if frame is not None else _core.frame_of_path(named)
    return chosen, packed if packed != "none" else None


def start(inputs: Sequence[Any], target: tuple[str, Optional[str]], *, to_dialect: Optional[str], level: Optional[int], block_size: Optional[int], **options: Any) -> Any:
    """An extraction whose text is the file. ValueError for what cannot be, RuntimeError where the frame's library is missing."""
    to, frame = target
    return _core.Extraction(inputs, [], form="documents", to=to, to_dialect=to_dialect or "", frame=frame or "none", frame_level=level, block_size=block_size, **options)


def write(run: Any, file: BinaryIO, between: Callable[[], None]) -> int:
    """Writes the file to its end; how many bytes it has. `between` is called at times, when bad records may wait to be taken."""
    written = 0
    while (chunk := run.next_bytes(pause=True)) is not None:
        write_all(file, memoryview(chunk))
        written += len(chunk)
        between()
    between()
    return written


def repack(
    inputs: Union[Path, Iterable[Path]],
    output: Union[str, "os.PathLike[str]"],
    *,
    to: Optional[str] = None,
    to_dialect: Optional[str] = None,
    frame: Optional[str] = None,
    frame_level: Optional[int] = None,
    block_size: Optional[int] = None,
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
    nested: int = 0,
    joined: bool = False,
    **limits: Any,
) -> Repacked:
    """Writes the documents of files, folders and archives into one file, in blocks that are compressed as a whole and have an index.

        >>> kumihimo.repack("day/*.zip", "day.msgpack.zst")
        >>> kumihimo.extract("day.msgpack.zst", ["timestamp", "last_price.price"])      # several times as fast as from the Zips

    `inputs`: as for kumihimo.extract. `output` is a file of `to`, a format of kumihimo.formats(), in `frame` ('zstd', 'lz4', 'gzip', 'none'); both are told
    by its ending when they are not given. It appears whole or not at all, and is none of the inputs, of this call or of the same call once more. zstd and lz4 have a place for the index, with which extract() reads the file by many threads and
    knows where each document came from; any program that knows the format and the frame reads it as a stream.

    `to_dialect`: what becomes of what the format cannot say; else that is a bad record. `frame_level`: how hard to compress. `block_size`: bytes of a block's
    text, 1 MB when not given. `on_error`: 'stop' raises ExtractionError at the first bad record; 'skip' leaves it out, 'null' writes null in its place,
    'quarantine' writes it to the file of that name. `format`: what all documents of the inputs are, where endings and first bytes do not say it, or an
    ending of their files ('ndjson');
    `dialect`: by which of its read_dialects they are read. `match`, `where`, `jobs`, `limit` and `limit_per_archive`
    (documents), `sample_rows` with `seed`, `layout`, `nested`, `joined`, `password` and the further limits `depth`, `document_size` and `ratio` are those of kumihimo.extract.
    """
    if (on_error == "quarantine") != (quarantine is not None):
        raise ValueError("quarantine names the file of on_error='quarantine'")
    name = os.fspath(output)
    if name == "-":
        raise ValueError("repack() writes to a file")
    given = [os.fspath(one) for one in ([inputs] if isinstance(inputs, (str, bytes, os.PathLike)) else inputs)]
    names = _inputs(given)
    patterns = [match] if isinstance(match, str) else list(match)
    refuse_clashes(given, names, [name, None if quarantine is None else os.fspath(quarantine)], patterns)
    how = sources(names, patterns, nested, joined)
    run = start(names, target_of(name, to, frame), to_dialect=to_dialect, level=frame_level, block_size=block_size, match=patterns, jobs=jobs or 0,
                where=where, on_error=on_error, limit=limit, limit_per_archive=limit_per_archive, sample_rows=sample_rows, seed=seed, layout=layout, format=format or "", dialect=dialect or "", **how, **limits)  # fmt: skip
    reports: list[Any] = []
    try:
        with Files() as files:
            put_aside = files.enter_context(open_part(files.enter_context(Whole(os.fspath(quarantine))))) if quarantine is not None else None
            file = files.enter_context(open_part(files.enter_context(Whole(name))))

            def between() -> None:
                aside(run, put_aside, quarantine)
                reports.extend(run.take_reports())

            with naming(name):
                written = write(run, file, between)
    except BaseException:
        run.cancel()
        raise
    now = run.progress()
    return Repacked(now["rows"], now["bytes"], written, reports, run.notes)
