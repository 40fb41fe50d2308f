"""What `kumihimo measure` does once the command line is understood (cli.py): every format in every frame, on the user's own data."""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional, Sequence

import click

from kumihimo import _core
from kumihimo.chart import default_style, missing_library
from kumihimo.convert_command import Refused, place
from kumihimo.endings import format_of_path
from kumihimo.errors import DecodeError, EncodeError, JSONDecodeError
from kumihimo.extraction import expand
from kumihimo.job import tell
from kumihimo.output import Files, Whole, naming
from kumihimo.wording import counted


class Measured(NamedTuple):
    """A format in a frame: bytes, and the seconds of writing all values and of reading them again. None: the format cannot say them."""

    format: str
    frame: str
    size: int
    write: float
    read: float
    refused: Optional[str] = None


class Measure:
    """`kumihimo measure`, from understood options to an exit status."""

    def __init__(self, *, inputs: Sequence[str], source: Optional[str], runs: int, level: Optional[int], chart: Optional[str], to: str, quiet: bool) -> None:
        try:
            self.inputs = expand(inputs)
        except FileNotFoundError as nothing:
            raise click.UsageError(str(nothing)) from None
        if self.inputs.count("-") > 1:
            raise click.UsageError("standard input (-) can be read once only")
        if level is not None and not any(low <= level <= high for low, high in (frame["levels"] for frame in _core.frames())):
            raise click.UsageError(f"no frame has a level {level}")
        if chart is not None and (missing := missing_library(Path(chart).suffix.lower() or ".svg")):
            raise click.ClickException(missing)
        self.source, self.runs, self.level, self.chart, self.to, self.quiet = source, runs, level, chart, to, quiet

    def run(self) -> int:
        try:
            values, size = self.values()
            rows = self.measure(values)
            if self.to == "csv":
                self.print_csv(rows)
            else:
                self.print_table(rows, len(values), size)
            if self.chart is not None:
                self.draw(rows)
        except (Refused, OSError, ImportError) as error:
            tell(f"kumihimo: {error}")
            return 1
        return 0

    def values(self) -> tuple[list[Any], int]:
        """All documents of the inputs as Python objects, and their bytes as stored."""
        out: list[Any] = []
        size = 0
        for name in self.inputs:
            shown = "standard input" if name == "-" else name
            data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
            size += len(data)
            before = len(out)
            try:
                plain = _core.unpack(data) if _core.frame_of_bytes(data) is not None else data
                if not plain:
                    continue
                source = self.source or (format_of_path(name) if name != "-" else None) or _core.format_of_bytes(plain)
                if source is None:
                    raise Refused(f"{shown}: neither its name nor its bytes tell its format: name it with --from")
                for value in _core.each_document(plain, source, non_str_keys=True):
                    out.append(value)
            except (DecodeError, JSONDecodeError) as bad:
                raise Refused(place(shown, len(out) - before + 1, bad)) from None
        if not out:
            raise Refused("there is no document in the inputs")
        return out, size

    def measure(self, values: list[Any]) -> list[Measured]:
        rows = []
        for row in _core.formats():
            name = row["name"]
            dialect, written, refused = self.first_that_takes(values, name, row["write_dialects"])
            if written is None:
                rows.append(Measured(name, "none", 0, 0.0, 0.0, refused))
                continue
            write = self.seconds(lambda: self.written(values, name, dialect))
            read = self.seconds(lambda: list(_core.each_document(written, name, non_str_keys=True)))
            rows.append(Measured(name, "none", len(written), write, read))
            for frame in _core.frames():
                if not frame["available"]:
                    continue
                level = self.level if self.level is not None and frame["levels"][0] <= self.level <= frame["levels"][1] else None
                packed = _core.pack(written, frame["name"], level)
                packing = self.seconds(lambda: _core.pack(written, frame["name"], level))
                unpacking = self.seconds(lambda: _core.unpack(packed, frame["name"]))
                rows.append(Measured(name, frame["name"], len(packed), write + packing, read + unpacking))
        return rows

    def first_that_takes(self, values: list[Any], name: str, dialects: Sequence[str]) -> tuple[Optional[str], Optional[bytes], str]:
        """The host's own default, or the first dialect that takes what the default refuses; and all values as it writes them."""
        why = ""
        for dialect in (None, *dialects):
            try:
                return dialect, self.written(values, name, dialect), ""
            except (EncodeError, TypeError, ValueError) as refused:
                # Behind the colon of such a sentence stands the remedy of a program, which is none of this command's.
                why = why or " ".join(str(refused).split()).partition(": pass ")[0]
        return None, None, why

    @staticmethod
    def written(values: list[Any], name: str, dialect: Optional[str]) -> bytes:
        between = b"\n" if any(row["name"] == name and row["text"] for row in _core.formats()) else b""
        return between.join(_core.dump(v, name, dialect, non_str_keys=True) for v in values)

    def seconds(self, work: Callable[[], Any]) -> float:
        """The median of some runs."""
        times = []
        for _ in range(self.runs):
            started = time.perf_counter()
            work()
            times.append(time.perf_counter() - started)
        return statistics.median(times)

    def print_csv(self, rows: Sequence[Measured]) -> None:
        print("format,frame,bytes,write_seconds,read_seconds")
        for row in rows:
            numbers = f"{row.size},{row.write:.6f},{row.read:.6f}" if row.refused is None else ",,"
            print(f"{row.format},{row.frame},{numbers}")

    def print_table(self, rows: Sequence[Measured], documents: int, size: int) -> None:
        runs = f"Medians of {self.runs} runs" if self.runs > 1 else "One run"
        print(f"{counted(documents, 'document')}, {counted(size, 'byte')} as stored. {runs}, Python objects to bytes and back.")
        first = next((row for row in rows if row.refused is None), None)
        print(f"{'format':<10}{'frame':<8}{'bytes':>14}{'size':>8}{'write':>12}{'read':>12}")
        for row in rows:
            if row.refused is not None:
                print(f"{row.format:<10}cannot say this data: {row.refused}")
            elif first is not None:
                ratio = f"{100 * row.size / max(first.size, 1):.0f} %"
                print(f"{row.format:<10}{row.frame:<8}{row.size:>14,}{ratio:>8}{1e3 * row.write:>9.2f} ms{1e3 * row.read:>9.2f} ms")

    def draw(self, rows: Sequence[Measured]) -> None:
        """Three panels of bars: size, writing, reading."""
        from matplotlib.figure import Figure

        assert self.chart is not None
        shown = [row for row in rows if row.refused is None]
        labels = [row.format if row.frame == "none" else f"{row.format} + {row.frame}" for row in shown]
        with default_style():
            figure = Figure(figsize=(12, 0.35 * len(shown) + 1.6), layout="constrained")
            panels = figure.subplots(1, 3, sharey=True)
            columns = (("size, KB", [row.size / 1e3 for row in shown]), ("write, ms", [1e3 * row.write for row in shown]), ("read, ms", [1e3 * row.read for row in shown]))
            for panel, (title, numbers) in zip(panels, columns):
                bars = panel.barh(labels, numbers, color=["#1f5f8b" if row.frame == "none" else "#8bb8d8" for row in shown])
                panel.bar_label(bars, labels=[f"{n:,.1f}" for n in numbers], padding=3, fontsize=8)
                panel.set_title(title)
                panel.margins(x=0.18)
                panel.spines[["top", "right"]].set_visible(False)
            panels[0].invert_yaxis()
            with Files() as files, naming(self.chart):
                figure.savefig(files.enter_context(Whole(self.chart)), format=Path(self.chart).suffix[1:] or "svg")
        if not self.quiet:
            tell(f"{self.chart} is drawn")
