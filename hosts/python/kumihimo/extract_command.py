"""What `kumihimo extract` does once the command line is understood (cli.py)."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, BinaryIO, Optional, Sequence

import click

from kumihimo import _core
from kumihimo.forms import FORMS
from kumihimo.job import EVENTS, Job, by_options, refuse, tell
from kumihimo.output import Files, Whole, aside, begin_again, naming, open_part, write_all
from kumihimo.outputs.choice import missing_package, output_for
from kumihimo.outputs.driving import Clock, attempt
from kumihimo.progress import Bar
from kumihimo.run_summary import Causes, summary_of
from kumihimo.wording import counted


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
        status: Optional[int] = None
        try:
            with Files() as files:
                part = files.enter_context(Whole(self.summary_file)) if self.summary_file != "-" else None
                status = self.guarded(self.extract)
                file: BinaryIO = files.enter_context(open_part(part) if part is not None else open(1, "wb", buffering=0, closefd=False))
                write_all(file, memoryview(json.dumps(self.about(status), indent=1).encode() + b"\n"))
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise
            tell(self.unwritten(error) + ("; the rows are complete" if status == 0 else ""), "error", **({"status": 1} if status is None else {}))
            return status or 1
        return status

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
        with Files() as files:
            # Names are taken in reverse order, pictures last: one whose rename fails costs at most other pictures.
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
