"""What `kumihimo extract` does once the command line is understood (cli.py), and what it shares with `check`."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from typing import Any, BinaryIO, Callable, Optional, Sequence

import click

from kumihimo import _core
from kumihimo.clashes import refuse_clashes
from kumihimo.ending_signals import raise_late
from kumihimo.endings import format_of_path
from kumihimo.events import report_of
from kumihimo.extraction import expand, sources
from kumihimo.forms import FORMS
from kumihimo.output import Whole, aside, begin_again, naming, open_part, write_all
from kumihimo.outputs.choice import missing_package, output_for
from kumihimo.outputs.driving import Clock, attempt
from kumihimo.progress import Bar
from kumihimo.run_summary import Causes, summary_of
from kumihimo.sequences import fault_of
from kumihimo.wording import counted, size_of

SHOWN = 20  # bad records that are printed one by one; the rest is counted


def shown(text: str) -> str:
    """`text` as one line: file, entry and column names may hold bytes that are no text, line ends, and commands to the terminal."""
    if not text.isprintable():
        text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text


class Speech:
    """How tell() speaks: `on` is there under --progress json, and then every line is an event (events.py)."""

    on: Any = None


EVENTS = Speech()


def tell(text: str, event: str = "note", **facts: Any) -> None:
    """A line on standard error."""
    if EVENTS.on is None:
        click.echo(shown(text), err=True)
    else:
        EVENTS.on.say(event, text=text.removeprefix("note: ").removeprefix("kumihimo: "), **facts)


def read_password(file: Optional[str]) -> Optional[bytes]:
    """The first line of the file, without its end."""
    if file is None:
        return None
    try:
        with open(file, "rb") as source:
            password = source.readline(4096).rstrip(b"\r\n")
    except OSError as error:
        raise click.UsageError(f"{file}: the password cannot be read: {error.strerror}") from None
    if not password or b"\0" in password:
        raise click.UsageError(f"{file}: the first line is no password")
    return password


# What the library calls a parameter, where the command's option is not the same word behind two dashes.
OPTIONS = {"dialect": "--from-dialect", "source_dialect": "--from-dialect", "target_dialect": "--to-dialect", "format": "--from", "fields": "--field", "inputs": "INPUT",
           "quarantine": "--on-error", "document_size": "--max-size", "ratio": "--max-ratio", "depth": "--max-depth", "joined": "--join"}  # fmt: skip
SAME = ("to_dialect", "frame_level", "to", "compress", "compress_level", "table", "if_exists", "split_rows", "partition_by", "row_group_rows", "where", "distinct", "rows",
        "resume", "rows_outer", "output", "match", "on_error", "level", "source", "limit", "limit_per_archive", "sample", "sample_rows", "seed", "nested", "distinct_size", "block_size", "fold", "infer", "schema", "nested_types",
        "every", "time", "zone", "gaps", "open_intervals")  # fmt: skip


def option_of(name: str) -> str:
    return OPTIONS.get(name) or ("--" + name.replace("_", "-") if name in SAME else name)


def by_options(error: Exception) -> str:
    """The library's sentence about a parameter, which it begins with, as one about the command's option."""
    name, space, rest = str(error).partition(" ")
    return option_of(name) + space + rest


def refuse(given: Sequence[str], inputs: Sequence[str], outputs: Sequence[Optional[str]], match: Optional[Sequence[str]] = None) -> None:
    """clashes.refuse_clashes() for a command line, where - is a standard stream."""
    try:
        refuse_clashes(given, inputs, [name if name != "-" else None for name in outputs], match)
    except ValueError as clash:
        raise click.UsageError(str(clash)) from None


class Job:
    """What the commands over extractions share: the run, its bar, its reports and its summary."""

    def __init__(self, inputs: Sequence[str], match: Sequence[str], jobs: Optional[int], max_size: int, max_ratio: int, max_depth: int, quiet: bool,
                 nested: int = 0, password_file: Optional[str] = None, join: bool = False) -> None:  # fmt: skip
        try:
            self.inputs = expand(inputs)
        except FileNotFoundError as nothing:
            raise click.UsageError(str(nothing)) from None
        except (ImportError, OSError) as error:  # of a URL with a pattern
            raise click.ClickException(str(error)) from None
        if self.inputs.count("-") > 1:
            raise click.UsageError("standard input (-) can be read once only")
        self.given = inputs
        self.common = {"match": list(match), "jobs": jobs or 0, "depth": max_depth, "document_size": max_size, "ratio": max_ratio,
                       "nested": nested, "joined": join, "password": read_password(password_file)}  # fmt: skip
        if join and (fault := fault_of(self.inputs)):
            raise click.UsageError(fault)
        self.quiet = quiet
        self.bad = self.told = self.known = 0
        self.on_error = "skip"
        self.quarantine: Optional[str] = None
        self.started = time.perf_counter()
        self.run_: Any = None
        self.causes = Causes()
        self.error: Optional[Exception] = None

    def read_by(self, source: Optional[str], dialect: Optional[str]) -> dict[str, str]:
        """The parameters that say how documents are read. A dialect is one format's: that of the files' endings, where --from names none."""
        if dialect is not None and source is None:
            source, *others = {format_of_path(name) if name != "-" else None for name in self.inputs}
            if source is None or others:
                raise click.UsageError("--from-dialect is a dialect of one format: name that with --from")
        return {"format": source or "", "dialect": dialect or ""}

    def sources(self) -> list[Any]:
        """The inputs, with what an extraction of them needs in `common`. OSError and ImportError where nothing reads such a URL."""
        self.common |= sources(self.inputs, self.common["match"], self.common["nested"], self.common["joined"])
        return self.inputs

    def reports(self) -> None:
        """Prints the bad records that came in since the last call. Under `stop` there is one, and it is the error at the end."""
        for report in self.run_.take_reports():
            self.bad += 1
            self.causes.add(report)
            if self.on_error == "stop" or self.bad <= self.known:
                continue
            if EVENTS.on is not None:
                EVENTS.on.say("bad_record", **report_of(report))
            elif self.told < SHOWN:
                self.told += 1
                tell(f"bad record: {report}")
            elif self.bad == SHOWN + 1:
                tell("more bad records follow; they are counted only")

    def update(self, bar: Bar) -> None:
        now = self.run_.progress()
        bar.update(now["bytes"], now["total"] if now["complete_total"] else None, now["documents"], now["bad"], now["rows"])

    def between(self, put_aside: Optional[BinaryIO], bar: Bar) -> None:
        """What is done at times while a run is read."""
        aside(self.run_, put_aside, self.quarantine)
        self.update(bar)
        self.reports()

    def cancel(self) -> None:
        if self.run_ is not None:
            self.run_.cancel()

    def guarded(self, work: Callable[[], int]) -> int:
        """The exit status that `work` gives, or that of what ended it: an input, an output, a package, the command line."""
        from kumihimo.errors import ExtractionError

        try:
            return work()
        except ExtractionError as bad:
            return self.fault(bad)
        except (KeyboardInterrupt, BrokenPipeError):
            self.cancel()
            raise
        except (ImportError, OSError, RuntimeError) as error:
            return self.fault(error)
        except ValueError as wrong:
            self.cancel()
            if type(wrong) is not ValueError:
                raise
            raise click.UsageError(by_options(wrong)) from None

    def fault(self, error: Exception) -> int:
        """The end by a bad record or an input that cannot be read."""
        self.error = error
        if self.run_ is not None:
            self.reports()
        tell(f"kumihimo: {error}", "error", status=1)
        if self.run_ is not None and (failure := self.run_.failure) is not None and (failure.scope == "document" or failure.code in ("syntax", "truncated", "trailing")):
            tell("(--on-error skip, null or quarantine=FILE goes on past bad records; --match picks entries)")
        return 1

    def summary(self, what: str) -> None:
        if self.quiet:
            return
        now, wall = self.run_.progress(), time.perf_counter() - self.started
        bad = f"; {counted(self.bad, 'bad record')}" if self.bad else ""
        tell(f"{what} from {counted(now['documents'], 'document')}, {size_of(now['bytes'])} in {wall:.2f} s{bad}")


class Extract(Job):
    """`kumihimo extract`, from understood options to an exit status."""

    def __init__(self, *, inputs: Sequence[str], fields: Sequence[str], output: str, charts: Sequence[str], source: bool, limit: Optional[int],
                 on_error: str, quarantine: Optional[str], level: str, sample: int, quiet: bool, summary: Optional[str], progress: Optional[str], target: dict[str, Any],
                 format: Optional[str] = None, dialect: Optional[str] = None,
                 where: Optional[str] = None, distinct: Optional[Sequence[str]] = None, distinct_size: Optional[int] = None, sample_rows: Optional[float] = None,
                 seed: Optional[int] = None, limit_per_archive: Optional[int] = None, rows: Optional[str] = None, rows_outer: bool = False,
                 nested_types: bool = False, schema: Optional[str] = None, infer: str = "sample", resume: Optional[str] = None, resume_every: Optional[int] = None,
                 every: Optional[str] = None, time: Optional[str] = None, zone: Optional[str] = None, gaps: Optional[str] = None,
                 open_intervals: Optional[int] = None, **common: Any) -> None:  # fmt: skip
        super().__init__(inputs, quiet=quiet, **common)
        self.chosen = {"where": where, "distinct": list(distinct or ()), "distinct_size": distinct_size, "sample_rows": sample_rows, "seed": seed,
                       "limit_per_archive": limit_per_archive}  # fmt: skip
        self.fields, self.source, self.limit, self.level, self.sample = list(fields), source, limit, level, sample
        self.output, self.charts, self.on_error, self.quarantine = output, list(charts), on_error, quarantine
        self.summary_file, self.progress = summary, progress
        if progress == "json" and quiet:
            raise click.UsageError("--quiet leaves nothing to say for --progress json")
        self.read = self.read_by(format, dialect)
        self.guessed: dict[str, Any] = {"nested_types": nested_types, "infer": infer}
        self.of = {"rows": rows, "rows_outer": rows_outer, **self.guessed, "every": every, "time": time, "zone": zone, "gaps": gaps,
                   "open_intervals": open_intervals}  # fmt: skip
        self.schema = schema
        if schema is not None:
            self.fields = self.columns(schema)
        try:
            self.target = output_for(output, live="-" in self.inputs, **target)
        except ValueError as wrong:
            raise click.UsageError(by_options(wrong)) from None
        except RuntimeError as missing:  # a library that compresses
            raise click.ClickException(str(missing)) from None
        kept_in = None if resume is None else os.path.join(resume, "manifest.json")
        refuse(self.given, [*self.inputs, *([schema] if schema else [])], [self.target.example, *charts, quarantine, summary, kept_in], self.common["match"])
        self.resume, self.resume_every, self.before = resume, resume_every, None
        if resume is not None:
            from kumihimo.resume_run import refuse as refuse_resume

            try:
                refuse_resume(self.target, quarantine)
            except ValueError as cannot:
                raise click.UsageError(by_options(cannot)) from None
        elif resume_every is not None:
            raise click.UsageError("--resume-every is of --resume: name the folder")
        self.chart_notes: list[str] = []
        if self.charts:
            from kumihimo.chart import refuse_undrawable

            try:
                refuse_undrawable(self.charts)
            except ValueError as wrong:
                raise click.UsageError(f"{wrong}, or - for the terminal") from None
            except ImportError as missing:
                raise click.ClickException(str(missing)) from None
        if summary == "-" and (output == "-" or "-" in self.charts):
            raise click.UsageError(f"the {'rows' if output == '-' else 'chart'} and the summary cannot both go to standard output: name a file for one of them")
        if output == "-" and "-" in self.charts:
            raise click.UsageError("the rows and the chart cannot both go to standard output: name a file for the rows with -o")
        if output == "-" and sys.stdout.isatty() and (not FORMS[self.target.form].text or self.target.frame is not None):
            raise click.UsageError(f"{self.target.frame or self.target.form} is not for a terminal: name a file with -o")
        # pyarrow's usual pool keeps what it once had, and rows come and go in pieces. It reads this when it is imported.
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
        if missing := missing_package(self.target.form):
            raise click.ClickException(missing)
        self.clock = Clock()

    def columns(self, schema: str) -> list[Any]:
        """What the file of --schema says."""
        from kumihimo.schema_files import read_fields, refuse_beside

        try:
            refuse_beside(self.fields, **self.guessed)
            return list(read_fields(schema))
        except ValueError as wrong:
            raise click.UsageError(by_options(wrong)) from None
        except OSError as error:
            raise click.UsageError(f"--schema {schema}: {error.strerror}") from None

    def options(self) -> dict[str, Any]:
        """What is asked of the engine, but for the inputs and the fields."""
        return {"level": self.level, "on_error": self.on_error, "source": self.source, "limit": self.limit, "sample": self.sample,
                **self.of, **self.chosen, **self.read, **self.common}  # fmt: skip

    def open(self, **more: Any) -> Any:
        """Starts a run: looks at the sample, decides the types."""
        from kumihimo.chart import WIDTH
        from kumihimo.schema_files import COLUMN, naming_schema

        files = self.sources()
        with naming_schema(self.schema, COLUMN):
            return _core.Extraction(files, self.fields, form=self.target.engine, delimiter=self.target.delimiter, chart=WIDTH if self.charts else 0,
                                    rewritable=self.target.rewritable, **self.options(), **more)  # fmt: skip

    def run(self) -> int:
        if self.progress == "json":
            from kumihimo.events import Events

            EVENTS.on = Events()
        if self.summary_file is None:
            return self.guarded(self.extract)
        written = True
        with contextlib.ExitStack() as files:
            try:
                whole = Whole(self.summary_file) if self.summary_file != "-" else None
                part = files.enter_context(whole) if whole is not None else None
            except OSError as error:
                tell(self.unwritten(error), "error", status=1)
                return 1
            status = self.guarded(self.extract)
            try:
                file: BinaryIO = files.enter_context(open_part(part) if part is not None else open(1, "wb", buffering=0, closefd=False))
                write_all(file, memoryview(json.dumps(self.about(status), indent=1).encode() + b"\n"))
                raise_late()  # before the file takes its name
            except OSError as error:
                if isinstance(error, BrokenPipeError):
                    raise
                if whole is not None:
                    whole.drop()
                written = False
                tell(self.unwritten(error) + ("; the rows are complete" if status == 0 else ""), "error")
        return status if written else status or 1

    def unwritten(self, error: OSError) -> str:
        where = "standard output" if self.summary_file == "-" else self.summary_file
        return f"kumihimo: {where}: the summary cannot be written: {error.strerror or error}"

    def about(self, status: int) -> dict[str, Any]:
        return summary_of(self.run_, self.target, self.causes, self.clock.seconds, status, self.error, self.before, self.chart_notes)

    def extract(self) -> int:
        drawn = self.straight() if self.resume is None else self.resumed(self.resume)
        self.clock.stage("finish")
        if not self.quiet:
            for note in self.run_.notes:
                tell(f"note: {note}")
            if self.run_.progress()["documents"] == 0 and self.limit != 0:
                tell("note: there was no document")
        status = 0 if drawn else 1
        if EVENTS.on is not None:
            EVENTS.on.say("end", **self.about(status))
        else:
            self.summary(counted(self.run_.progress()["rows"], "row"))
        return status

    def straight(self) -> bool:
        """From the inputs to the output and the charts. False when one of these could not be drawn."""
        self.run_ = self.open()
        self.clock.stage("open")
        with contextlib.ExitStack() as files:
            # The first to be entered takes its name last: one that cannot takes nothing along but other pictures.
            pictures = [Whole(chart) if chart != "-" else None for chart in self.charts]
            for picture in filter(None, pictures):
                files.enter_context(picture)
            put_aside = files.enter_context(open_part(files.enter_context(Whole(self.quarantine)))) if self.quarantine else None
            files.enter_context(self.target)
            bar = files.enter_context(self.bar())
            while not self.write(put_aside, bar):
                pass
            drawn = self.draw(pictures) if pictures else True
            if pictures:
                self.clock.stage("chart")
            raise_late()  # before the outputs take their names
        return drawn

    def resumed(self, path: str) -> bool:
        """From the inputs into a folder, and from there to the output."""
        from kumihimo.resume_folder import ResumeFolder
        from kumihimo.resume_run import Resumed, request_of

        request = request_of(self.target, self.quarantine, self.given, {"fields": self.fields, **self.options()})
        with ResumeFolder(path) as folder, self.bar() as bar:

            def open_run(token: Optional[str], every: int) -> Any:
                self.bad = sum(self.causes.codes.values())
                if not self.quiet and folder.damaged is not None:
                    tell(f"note: {folder.damaged} is not as it was written: what it held is read again")
                if not self.quiet and folder.parts:
                    tell(f"note: {path} has {counted(folder.last['counted']['rows'], 'row')} already; reading goes on behind them")
                self.run_ = self.open(resume_token=token, pause_every=every)
                return self.run_

            def come_by(run: Any) -> None:
                self.run_ = run
                self.update(bar)
                self.reports()

            def renew() -> None:
                self.known, self.bad = max(self.known, self.bad), 0  # they come again

            work = Resumed(folder, self.target, self.quarantine, request, self.resume_every, self.clock, self.causes, open_run, come_by, renew)
            try:
                self.run_ = work.run()
            finally:
                self.before = work.before
        return True

    def bar(self) -> Any:
        if EVENTS.on is not None:
            return EVENTS.on
        # Rows and a bar on the same terminal would write into each other.
        alone = self.output != "-" or not sys.stdout.isatty()
        return Bar(None if alone and not self.quiet and self.progress != "none" else False)

    def write(self, put_aside: Optional[BinaryIO], bar: Bar) -> bool:
        """Writes all rows; False when a guess was wrong and all is to be written again by a new run."""
        begin_again(put_aside)
        with naming(self.output):
            whole = attempt(self.run_, self.target, self.clock, lambda: self.between(put_aside, bar))
        if not whole:
            self.reports()
            self.known, self.bad = max(self.known, self.bad), 0  # they come again
            self.causes = Causes()
            self.run_ = self.run_.again()
            return False
        aside(self.run_, put_aside, self.quarantine)
        self.reports()
        return True

    def draw(self, pictures: Sequence[Optional[Whole]]) -> bool:
        """Draws all charts; False when one could not be drawn, which is said. The rows are kept even so."""
        from kumihimo.chart import chart_of, draw_all, not_drawn

        chart, self.chart_notes = chart_of(self.run_)
        if not self.quiet:
            for note in self.chart_notes:
                tell(f"note: {note}")
        failed = draw_all(chart, self.charts, pictures)
        for name, error in failed:
            tell(f"kumihimo: {not_drawn(name, error)}; the rows are complete", "error")
        return not failed
