"""An extraction with `--resume`: the rows go into parts in a folder (resume_folder.py), and from there into the output.

Of a process that is killed the next one keeps what is finished: parts while it reads, all rows while it writes the output, and the output
itself once it has its name. The output is made of the same pieces as without the folder, so it has the same bytes.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any, Callable, Optional, Sequence

from .forms import FORMS
from .output import Files, Whole, naming, open_part, remove, write_all
from .outputs.base import Output
from .outputs.driving import Clock, Restart, rows_of
from .resume_folder import ResumeFolder, flush
from .run_summary import Causes

EVERY = 64 << 20  # bytes of inputs, or of rows, in a part
COUNTED = ("bytes", "documents", "rows")


def refuse(output: Output, quarantine: Optional[str]) -> None:
    """ValueError for files that cannot be written later, which begins with the parameter's name. Whether the reading can go on later the engine says
    when the run is opened."""
    if output.path == "-" or not output.rewritable:
        raise ValueError("resume is for an output that appears whole: name a file or a folder, no pipe and no device")
    if FORMS[output.form].table and getattr(output, "if_exists", None) == "append":
        raise ValueError("resume makes a table that is new or replaced: rows that are appended could come twice")
    if quarantine is not None and Whole(quarantine).direct:
        raise ValueError("resume is for a quarantine that appears whole: name a file, no pipe and no device")


def request_of(output: Output, quarantine: Optional[str], inputs: Sequence[Any], options: dict[str, Any]) -> dict[str, Any]:
    """What a run has to have in common with the one before it, by the names of the library's parameters."""
    names = {"form": "to", "frame": "compress", "level": "compress_level", "table": "table", "if_exists": "if_exists",
             "split_rows": "split_rows", "partition_by": "partition_by", "group_rows": "row_group_rows"}  # fmt: skip
    said: dict[str, Any] = {"inputs": [os.fsdecode(name) for name in inputs], "output": os.path.abspath(output.path)}
    said |= {name: getattr(output, own) for own, name in names.items() if hasattr(output, own)}
    said["quarantine"] = None if quarantine is None else os.path.abspath(quarantine)
    passing = ("jobs", "password", "shown", "fetched", "fetcher")  # change no byte
    said |= {name: value for name, value in options.items() if name not in passing}
    return json.loads(json.dumps(said, default=str))


class Kept:
    """Stands for the run whose rows are all in the folder."""

    failure = contradiction = None
    notes: list[str]

    def __init__(self, end: dict[str, Any]) -> None:
        self.schema = [tuple(column) for column in end["columns"]]
        self.notes, self.inputs, self.threads = end["notes"], range(end["inputs"]), end["threads"]
        self._header, self._progress = bytes.fromhex(end["header"]), end["progress"]

    def header(self) -> bytes:
        return self._header

    def progress(self) -> dict[str, Any]:
        return self._progress

    def take_reports(self) -> list[Any]:
        return []

    def cancel(self) -> None:
        pass


def identity(path: Path) -> Optional[list[int]]:
    """What stays of a file or a folder when it takes another name."""
    try:
        at = os.lstat(path)
    except OSError:
        return None
    return [at.st_dev, at.st_ino, at.st_size, at.st_mtime_ns]


class Resumed:
    """`open_run(token, pause_every)` opens the engine's run; `come_by(run)` is called at times, when reports may wait to be taken, which it counts
    in `causes`; `renew()` when they will come again."""

    def __init__(self, folder: ResumeFolder, output: Output, quarantine: Optional[str], request: dict[str, Any], every: Optional[int], clock: Clock,
                 causes: Causes, open_run: Callable[[Optional[str], int], Any], come_by: Callable[[Any], None], renew: Callable[[], None]) -> None:  # fmt: skip
        self.folder, self.output, self.quarantine, self.request, self.every = folder, output, quarantine, request, every or EVERY
        self.clock, self.causes, self.open_run, self.come_by, self.renew = clock, causes, open_run, come_by, renew
        self.before: dict[str, Any] = {"parts": 0, **dict.fromkeys(COUNTED, 0)}  # what lay in the folder
        self.finals = [Path(os.path.realpath(path)) for path in (output.path, quarantine) if path is not None]

    def run(self) -> Kept:
        from . import __version__

        folder = self.folder
        if folder.manifest is None:
            if (done := self.published()) is not None:
                return done
            self.refuse_existing()
            run = self.open_run(None, self.every)
            folder.begin(__version__, self.request, list(run.inputs))
        else:
            folder.compare(__version__, self.request)
            if (done := self.published()) is not None:
                return done
            self.clear_leftovers()
            self.refuse_existing()
            folder.compare_inputs()
            last = folder.last
            self.before = {"parts": len(folder.parts), **{name: last["counted"].get(name, 0) for name in COUNTED}}
            self.causes.codes.update(last["codes"])
            self.causes.scopes.update(last["scopes"])
            run = None
            if not folder.complete:
                run = self.open_run(last["token"], self.every)
                folder.compare_inputs(list(run.inputs))
        self.clock.stage("open")
        try:
            while run is not None and not self.keep(run):
                run = run.again()
                folder.begin_again(run.resume_token)
                self.before = {"parts": 0, **dict.fromkeys(COUNTED, 0)}
                self.causes.codes.clear()
                self.causes.scopes.clear()
                self.renew()
        except BaseException:
            if run is not None:
                run.cancel()
            raise
        return self.write()

    # ---- reading

    def keep(self, run: Any) -> bool:
        """All rows into parts; False when a guess about the columns was wrong."""
        folder, clock = self.folder, self.clock
        schema, pieces = rows_of(run, self.output)
        clock.stage("read")
        with naming(str(folder.path)):
            part = folder.part(schema)
        at = run.progress()["bytes"]

        def take() -> None:
            with naming(str(folder.path)):
                part.put_aside(run.take_quarantine())
            self.come_by(run)

        try:
            for piece in pieces:
                clock.stage("read")
                with naming(str(folder.path)):
                    part.put(piece)
                take()
                now = run.progress()
                if max(now["bytes"] - at, part.size) >= self.every and (token := run.resume_token) is not None:
                    self.finish(part, run, token, None)
                    part, at = folder.part(schema), now["bytes"]
                clock.stage("keep")
            take()
            folder.compare_inputs()
            end = {"header": (run.header() if self.output.engine == "csv" else b"").hex(), "columns": run.schema, "notes": run.notes,
                   "inputs": len(run.inputs), "threads": run.threads, "progress": run.progress()}  # fmt: skip
            self.finish(part, run, run.resume_token or "", end)
        except Restart:
            part.abandon()
            return False
        except BaseException:
            part.abandon()
            raise
        clock.stage("keep")
        return True

    def finish(self, part: Any, run: Any, token: str, end: Optional[dict[str, Any]]) -> None:
        now = run.progress()
        about = {"token": token, "counted": {name: now[name] for name in COUNTED}, "codes": self.causes.codes, "scopes": self.causes.scopes, "end": end}
        with naming(str(self.folder.path)):
            self.folder.finish(part, about, now["inputs"])

    # ---- writing

    def write(self) -> Kept:
        folder, output = self.folder, self.output
        end = folder.last["end"]
        kept = Kept(end)
        sealed: dict[str, Any] = {}
        record = {"process": os.getpid(), "finals": [str(path) for path in self.finals], "sealed": sealed, "end": end, "codes": self.causes.codes, "scopes": self.causes.scopes}
        folder.write("output.json", record)

        def seal(part: Path, final: Path) -> None:
            """It is complete, and takes its name next."""
            for path in [*part.rglob("*"), part] if part.is_dir() else [part]:
                flush(path)
            sealed[str(final)] = identity(part)
            folder.write("output.json", record)

        schema = folder.schema() if output.engine == "columns" else None
        with Files() as files:
            if self.quarantine is not None:
                whole = Whole(self.quarantine)
                whole.sealed = seal
                with open_part(files.enter_context(whole)) as file, naming(self.quarantine):
                    for lines in folder.lines_aside():
                        write_all(file, memoryview(lines))
            output.sealed = seal
            files.enter_context(output)
            with output.begin(kept, schema) as writer:
                for piece in folder.pieces(schema is None):
                    writer.write(piece)
                    self.come_by(kept)
        for final in self.finals:
            with contextlib.suppress(OSError):
                flush(final.parent)
        self.clock.stage("write")
        folder.remove()
        return kept

    def published(self) -> Optional[Kept]:
        """Where all has its name already: what there is to say of it."""
        record = self.folder.output
        if record is None or record.get("finals") != [str(path) for path in self.finals] or not all(self.ours(path) for path in self.finals):
            return None
        self.causes.codes.update(record["codes"])
        self.causes.scopes.update(record["scopes"])
        kept = Kept(record["end"])
        self.before = {"parts": len(self.folder.parts), **{name: kept.progress()[name] for name in COUNTED}}
        final = self.finals[0]
        self.output.written = sum(path.stat().st_size for path in final.rglob("part-*")) if final.is_dir() else final.stat().st_size
        self.clock.stage("open")
        self.folder.remove()
        return kept

    def ours(self, path: Path) -> bool:
        known = (self.folder.output or {}).get("sealed", {}).get(str(path))
        return known is not None and known == identity(path)

    def clear_leftovers(self) -> None:
        """Of a process that was killed while it wrote the output: half a file, and what had its name without the rest having theirs."""
        record = self.folder.output
        if record is None:
            return
        for name in record.get("finals", []):
            final = Path(name)
            hidden = f".{final.name}.part-{record.get('process')}"
            for path in final.parent.glob(glob_of(hidden) + "*") if final.parent.is_dir() else ():
                if path.name == hidden or path.name[len(hidden)] in "-.":
                    remove(path)
            if self.ours(final):
                remove(final)

    def refuse_existing(self) -> None:
        """What stands in the output's way is told before the work and not after it."""
        output = self.output
        if FORMS[output.form].table:
            if os.path.exists(output.path) and getattr(output, "if_exists", None) == "fail":
                raise FileExistsError(f"{output.path} is there already: with --resume (resume) a table is that of a new file, or replaced (--if-exists, if_exists)")
        output.refuse_existing()
        for path in self.finals:
            if not os.path.isdir(path.parent):
                raise FileNotFoundError(2, os.strerror(2), str(path))


def glob_of(name: str) -> str:
    import glob

    return glob.escape(name)
