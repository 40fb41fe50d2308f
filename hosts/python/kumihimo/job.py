"""What the commands share that run an extraction (extract, check, schema, repack), and how every command speaks on standard error."""

from __future__ import annotations

import time
from typing import Any, BinaryIO, Callable, Optional, Sequence

import click

from kumihimo.clashes import refuse_clashes
from kumihimo.endings import format_of_path
from kumihimo.events import report_of
from kumihimo.extraction import expand, sources
from kumihimo.output import aside
from kumihimo.progress import Bar
from kumihimo.run_summary import Causes
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
