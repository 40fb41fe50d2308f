"""What `kumihimo extract` does once the command line is understood (cli.py), and what it shares with `check`."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import time
from pathlib import Path
from typing import IO, Any, BinaryIO, Iterator, Optional, Sequence

import click

from kumihimo import _core
from kumihimo.clashes import refuse_clashes
from kumihimo.endings import format_of_path
from kumihimo.extraction import expand
from kumihimo.output import Whole, naming, open_part, write_all
from kumihimo.progress import Bar
from kumihimo.wording import counted, size_of

SUFFIXES = {".csv": "csv", ".ndjson": "ndjson", ".jsonl": "ndjson", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".parquet": "parquet", ".pq": "parquet"}
SHOWN = 20  # bad records that are printed one by one; the rest is counted


class Restart(Exception):
    """A guessed type did not hold: the output is written again with the wider one."""


def shown(text: str) -> str:
    """`text` as one line: file, entry and column names may hold bytes that are no text, line ends, and commands to the terminal."""
    if not text.isprintable():
        text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text


def tell(text: str) -> None:
    """A line on standard error."""
    click.echo(shown(text), err=True)


OPTIONS = {"where": "--where", "distinct": "--distinct", "dialect": "--from-dialect", "source_dialect": "--from-dialect", "target_dialect": "--to-dialect", "to_dialect": "--to-dialect", "frame_level": "--frame-level"}


def by_options(error: Exception) -> str:
    """The library's sentence about a parameter, which it begins with, as one about the command's option."""
    name, space, rest = str(error).partition(" ")
    return OPTIONS.get(name, name) + space + rest


def refuse(given: Sequence[str], inputs: Sequence[str], outputs: Sequence[Optional[str]], match: Optional[Sequence[str]] = None) -> None:
    """clashes.refuse_clashes() for a command line, where - is a standard stream."""
    try:
        refuse_clashes(given, inputs, [name if name != "-" else None for name in outputs], match)
    except ValueError as clash:
        raise click.UsageError(str(clash)) from None


class Job:
    """What the commands over extractions share: the run, its bar, its reports and its summary."""

    def __init__(self, inputs: Sequence[str], match: Sequence[str], jobs: Optional[int], max_size: int, max_ratio: int, max_depth: int, quiet: bool) -> None:
        try:
            self.inputs = expand(inputs)
        except FileNotFoundError as nothing:
            raise click.UsageError(str(nothing)) from None
        if self.inputs.count("-") > 1:
            raise click.UsageError("standard input (-) can be read once only")
        self.given = inputs
        self.common = {"match": list(match), "jobs": jobs or 0, "depth": max_depth, "document_size": max_size, "ratio": max_ratio}
        self.quiet = quiet
        self.bad = self.told = self.known = 0
        self.on_error = "skip"
        self.started = time.perf_counter()
        self.run_: Any = None

    def read_by(self, source: Optional[str], dialect: Optional[str]) -> dict[str, str]:
        """The parameters that say how documents are read. A dialect is one format's: that of the files' endings, where --from names none."""
        if dialect is not None and source is None:
            source, *others = {format_of_path(name) if name != "-" else None for name in self.inputs}
            if source is None or others:
                raise click.UsageError("--from-dialect is a dialect of one format: name that with --from")
        return {"format": source or "", "dialect": dialect or ""}

    def reports(self) -> None:
        """Prints the bad records that came in since the last call. Under `stop` there is one, and it is the error at the end."""
        for report in self.run_.take_reports():
            self.bad += 1
            if self.on_error == "stop" or self.bad <= self.known:
                continue
            if self.told < SHOWN:
                self.told += 1
                tell(f"bad record: {report}")
            elif self.bad == SHOWN + 1:
                tell("more bad records follow; they are counted only")

    def update(self, bar: Bar) -> None:
        now = self.run_.progress()
        bar.update(now["bytes"], now["total"] if now["complete_total"] else None, now["documents"], now["bad"])

    def fault(self, error: Exception) -> int:
        """The end by a bad record or an input that cannot be read."""
        if self.run_ is not None:
            self.reports()
        tell(f"kumihimo: {error}")
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

    def __init__(self, *, inputs: Sequence[str], fields: Sequence[str], output: str, to: Optional[str], charts: Sequence[str], source: bool, limit: Optional[int],
                 on_error: str, quarantine: Optional[str], level: str, sample: int, quiet: bool, format: Optional[str] = None, dialect: Optional[str] = None,
                 where: Optional[str] = None, distinct: Optional[Sequence[str]] = None, distinct_size: Optional[int] = None, sample_rows: Optional[float] = None,
                 seed: int = 0, limit_per_archive: Optional[int] = None, **common: Any) -> None:  # fmt: skip
        super().__init__(inputs, quiet=quiet, **common)
        self.chosen = {"where": where, "distinct": list(distinct or ()), "distinct_size": distinct_size, "sample_rows": sample_rows, "seed": seed,
                       "limit_per_archive": limit_per_archive}  # fmt: skip
        self.fields, self.source, self.limit, self.level, self.sample = list(fields), source, limit, level, sample
        self.output, self.charts, self.on_error, self.quarantine = output, list(charts), on_error, quarantine
        self.read = self.read_by(format, dialect)
        refuse(self.given, self.inputs, [output, *charts, quarantine], self.common["match"])
        self.form = to or SUFFIXES.get(Path(output).suffix.lower(), "csv")
        if to is None and output != "-" and Path(output).suffix.lower() not in SUFFIXES and not Path(output).exists():
            raise click.UsageError(f"{output}: its ending says no form; add --to csv, ndjson, arrow or parquet")
        if self.charts:
            from kumihimo.chart import missing_library, suffix_of

            try:
                self.suffixes = [suffix_of(chart) for chart in self.charts]
            except ValueError as wrong:
                raise click.UsageError(str(wrong)) from None
            for suffix in self.suffixes:
                if missing := missing_library(suffix):  # known before the work and not after it
                    raise click.ClickException(missing)
        if self.form in ("arrow", "parquet"):
            if output == "-" and sys.stdout.isatty():
                raise click.UsageError(f"{self.form} is not for a terminal: name a file with -o")
            try:
                import pyarrow  # noqa: F401
            except ImportError:
                raise click.ClickException(f"writing {self.form} needs pyarrow: pip install pyarrow") from None

    def open(self) -> Any:
        """Starts a run: looks at the sample, decides the types."""
        from kumihimo.chart import WIDTH

        form = self.form if self.form in ("csv", "ndjson") else "columns"
        try:
            return _core.Extraction(self.inputs, self.fields, form=form, level=self.level, on_error=self.on_error, source=self.source, limit=self.limit,
                                    sample=self.sample, chart=WIDTH if self.charts else 0, rewritable=self.rewritable(), **self.chosen, **self.read, **self.common)  # fmt: skip
        except ValueError as wrong:
            if type(wrong) is ValueError:
                raise click.UsageError(by_options(wrong)) from None
            raise

    def rewritable(self) -> bool:
        """Whether the output is a file, which can be written again from its beginning; a pipe cannot."""
        try:
            return self.output != "-" and stat.S_ISREG(os.stat(self.output).st_mode)
        except OSError:
            return True

    def run(self) -> int:
        from kumihimo.errors import ExtractionError

        try:
            self.run_ = self.open()
            with contextlib.ExitStack() as files:
                put_aside = files.enter_context(open_part(files.enter_context(Whole(self.quarantine)))) if self.quarantine else None
                part = files.enter_context(Whole(self.output)) if self.output != "-" else None
                pictures = [Whole(chart) for chart in self.charts]
                for picture in pictures:
                    files.enter_context(picture)
                # Rows and a bar on the same terminal would write into each other.
                alone = self.output != "-" or not sys.stdout.isatty()
                bar = files.enter_context(Bar(None if alone and not self.quiet else False))
                while not self.write(part, put_aside, bar):
                    pass
                drawn = self.draw(pictures) if pictures else True
        except ExtractionError as bad:
            return self.fault(bad)
        except (ImportError, OSError) as error:
            if isinstance(error, BrokenPipeError):
                self.cancel()
                raise
            return self.fault(error)
        except KeyboardInterrupt:
            self.cancel()
            raise
        if not self.quiet:
            for note in self.run_.notes:
                tell(f"note: {note}")
            if self.run_.progress()["documents"] == 0 and self.limit != 0:
                tell("note: there was no document")
        self.summary(counted(self.run_.progress()["rows"], "row"))
        return 0 if drawn else 1

    def cancel(self) -> None:
        if self.run_ is not None:
            self.run_.cancel()

    def write(self, part: Optional[Path], put_aside: Optional[BinaryIO], bar: Bar) -> bool:
        """Writes all rows; False when a guess was wrong and all is to be written again by a new run."""
        if put_aside is not None and stat.S_ISREG(os.fstat(put_aside.fileno()).st_mode):
            put_aside.seek(0)
            put_aside.truncate()
        file: BinaryIO = open_part(part) if part is not None else open(1, "wb", buffering=0, closefd=False)
        with file, naming(self.output):
            try:
                if self.form in ("csv", "ndjson"):
                    self.write_text(file, put_aside, bar)
                else:
                    self.write_columns(file, put_aside, bar)
            except Restart:
                self.reports()
                self.known, self.bad = max(self.known, self.bad), 0  # they come again
                self.run_ = self.run_.again()
                return False
        self.aside(put_aside)
        self.reports()
        return True

    def aside(self, put_aside: Optional[BinaryIO]) -> None:
        if put_aside is not None and (records := self.run_.take_quarantine()):
            with naming(self.quarantine):
                write_all(put_aside, memoryview(records))

    def between(self, put_aside: Optional[BinaryIO], bar: Bar) -> None:
        self.aside(put_aside)
        self.update(bar)
        self.reports()

    def write_text(self, file: BinaryIO, put_aside: Optional[BinaryIO], bar: Bar) -> None:
        if self.form == "csv":
            write_all(file, memoryview(self.run_.header()))
        while (chunk := self.run_.next_bytes(pause=True)) is not None:
            write_all(file, memoryview(chunk))
            self.between(put_aside, bar)
        if self.run_.contradiction:
            raise Restart

    def write_columns(self, file: BinaryIO, put_aside: Optional[BinaryIO], bar: Bar) -> None:
        import pyarrow

        reader = pyarrow.RecordBatchReader.from_stream(self.run_)
        with self.writer(file, reader.schema) as writer:
            for batch in self.batches(reader):
                writer.write_batch(batch)
                self.between(put_aside, bar)

    def batches(self, reader: Any) -> Iterator[Any]:
        """The reader's batches; its errors, which pyarrow makes OSError and worse, as what they were."""
        while True:
            try:
                batch = reader.read_next_batch()
            except StopIteration:
                return
            except KeyboardInterrupt:
                raise
            except Exception as wrapped:
                if self.run_.contradiction:
                    raise Restart from None
                if (failure := self.run_.failure) is not None:
                    from kumihimo.errors import ExtractionError

                    raise ExtractionError(failure) from None
                raise wrapped
            yield batch

    def writer(self, file: IO[bytes], schema: Any) -> Any:
        if self.form == "arrow":
            import pyarrow.ipc

            return pyarrow.ipc.new_file(file, schema)
        from kumihimo.row_groups import RowGroups

        return RowGroups(file, schema)

    def draw(self, pictures: Sequence[Whole]) -> bool:
        """Draws all charts; False when one could not be drawn, which is said. The rows are kept even so."""
        from kumihimo.chart import Chart, Line

        x_name, is_time, zone, lines, outside = self.run_.series()
        chart = Chart(", ".join(name for name, xs, _ in lines if xs) or "no numeric column", x_name, is_time)
        if zone:
            from zoneinfo import ZoneInfo

            with contextlib.suppress(Exception):  # a fixed zone such as +09:00 has no entry in the database
                chart.zone = ZoneInfo(zone)
        chart.lines = [Line(name, xs, ys) for name, xs, ys in lines if xs]
        if not self.quiet:
            if not chart.lines:
                rows = self.run_.progress()["rows"]
                tell("note: the chart is empty: " + ("there are no rows" if rows == 0 else "no numeric column has a value" if lines else "no column is numeric"))
            if outside:
                tell(f"note: the chart leaves out {counted(outside, 'row')}: its calendar has the years 1 to 9999")
        drawn = True
        for name, suffix, picture in zip(self.charts, self.suffixes, pictures):
            try:
                with naming(name):
                    chart.draw(picture.part, suffix)
            except Exception as error:  # whatever the system or the drawing library has to say: the rows are worth more
                picture.drop()
                drawn = False
                why = (error.strerror if isinstance(error, OSError) else None) or " ".join(str(error).split()) or type(error).__name__
                tell(f"kumihimo: {name}: the chart cannot be drawn: {why}; the rows are complete")
        return drawn
