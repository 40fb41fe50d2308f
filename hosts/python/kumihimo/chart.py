"""The picture beside the rows: `kumihimo extract ... --chart FILE.png|.svg|.html|.txt`, or - for the terminal.

The points arrive thinned by the engine (first, lowest, highest and last of every pixel column; of intervals neighbours as one), so a day of
ticks and a year of them draw equally fast and no spike is lost. matplotlib, imported when it is used, draws png and svg; chart_page.py writes html,
chart_text.py text.
"""

from __future__ import annotations

import contextlib
import importlib.util
import math
import os
import threading
import warnings
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any, Iterator, Optional, Sequence, Union

from .output import Whole, naming
from .wording import counted

LIBRARIES = {".png": "matplotlib", ".svg": "matplotlib", ".html": "", ".txt": ""}
WIDTH, HEIGHT = 1200, 600  # pixels; the engine thins to WIDTH columns
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MICROSECOND = timedelta(microseconds=1)
# The engine leaves out what is outside (extract/session.cpp): two days short of what datetime can hold, for the clocks of all zones.
FIRST, LAST = ((datetime(*day, tzinfo=timezone.utc) - EPOCH) // MICROSECOND for day in ((1, 1, 3), (9999, 12, 29)))
COLORS = ("#3b5bdb", "#e8590c", "#2b8a3e", "#9c36b5", "#c92a2a", "#0b7285")
RISING, FALLING, BARS = "#2b8a3e", "#c92a2a", "#868e96"


@dataclass
class Line:
    """One column over the chart's x: microseconds since 1970 in UTC for a time chart, else row numbers."""

    name: str
    xs: Sequence[int]
    ys: Sequence[float]
    role: str = "value"
    """What it is of an interval: open, high, low or close of a candle, bar for a sum or count."""
    of: str = ""
    """The path of the field that it is made of."""


@dataclass
class Candles:
    """Four lines that are one."""

    name: str
    xs: Sequence[int]
    opens: Sequence[float]
    highs: Sequence[float]
    lows: Sequence[float]
    closes: Sequence[float]
    of: str = ""

    @property
    def ys(self) -> Sequence[float]:
        return [*self.highs, *self.lows]


Series = Union[Line, Candles]


@dataclass
class Panel:
    weight: int
    """Its height beside that of the others."""
    scales: list[list[Series]]
    """One at the left, and perhaps another at the right."""


@dataclass
class Chart:
    title: str
    x_name: str
    is_time: bool
    lines: list[Line] = field(default_factory=list)
    zone: Optional[tzinfo] = None
    """What the times are shown in: the time column's zone, else UTC."""
    interval: int = 0
    """Microseconds that one x stands for, from itself on, where the rows are intervals."""

    def draw(self, to: Path, suffix: str) -> None:
        """Writes the picture. Raises ImportError, with what to install, when the drawing library is missing."""
        if missing := missing_library(suffix):
            raise ImportError(missing)
        if suffix == ".html":
            from .chart_page import page

            to.write_text(page(self), encoding="utf-8")
        elif suffix == ".txt":
            from .chart_text import drawing

            to.write_text(drawing(self), encoding="utf-8")
        else:
            self._image(to, suffix[1:])

    def _times(self, xs: Sequence[int]) -> list[datetime]:
        zone = self.zone or timezone.utc
        return [(EPOCH + timedelta(microseconds=x)).astimezone(zone) for x in xs]

    def _image(self, to: Path, form: str) -> None:
        with default_style():
            self._plot(to, form)

    def _plot(self, to: Path, form: str) -> None:
        from matplotlib import dates
        from matplotlib.figure import Figure

        panels = self.layout()
        weights = [panel.weight for panel in panels] or [1]
        height = HEIGHT / 100 * max(1.0, sum(weights) / max(weights) / 2)
        figure = Figure(figsize=(WIDTH / 100, height), dpi=100, layout="constrained")
        axes = figure.subplots(len(weights), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": weights})
        drawn = 0
        for axis, panel in zip(axes[:, 0], panels):
            for side, lines in enumerate(panel.scales):
                on = axis if side == 0 else axis.twinx()
                power, unit = self._power(lines)
                for line in lines:
                    if isinstance(line, Candles):
                        self._plot_candles(on, line, power)
                        color = RISING
                    elif line.role == "bar":
                        on.bar(self._middles(line.xs), [self._scaled(y, power) for y in line.ys], width=self._width(), color=BARS, label=self._label(line.name))
                        color = BARS
                    else:
                        color = COLORS[drawn % len(COLORS)]
                        drawn += 1
                        self._plot_line(on, line, power, color)
                on.set_ylabel(self._axis_title(lines, unit), color=color if len(lines) == 1 < len(self.lines) and not self.interval else "black")
                on.margins(x=0.01)
                on.ticklabel_format(axis="y", useOffset=False, style="plain")
            axis.grid(alpha=0.3)
        if self.is_time:
            low, high = axes[-1, 0].get_xlim()
            first, last = dates.date2num([EPOCH + timedelta(microseconds=x) for x in (FIRST, LAST)])
            axes[-1, 0].set_xlim(max(low, first), min(high, last))  # the margin may reach beyond the calendar
            # The first and the last year of the calendar begin and end in UTC: no other clock has a tick for them.
            zone = self.zone if self.zone and low > first + 366 and high < last - 366 else timezone.utc
            locator = dates.AutoDateLocator(tz=zone)
            axes[-1, 0].xaxis.set_major_locator(locator)
            axes[-1, 0].xaxis.set_major_formatter(dates.ConciseDateFormatter(locator, tz=zone))
        axes[0, 0].set_title(self.title)
        axes[-1, 0].set_xlabel(self.x_name)
        # A scale of intervals has the name of what is alone in it.
        if any(len(scale) > 1 for panel in panels for scale in panel.scales) if self.interval else len(self.lines) > 1:
            figure.legend(loc="outside upper right")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing")  # the picture has a box for the character, as everywhere
            figure.savefig(to, format=form)

    def _plot_line(self, on: Any, line: Line, power: int, color: str) -> None:
        xs, ys = self._with_gaps(line, power)
        marker = "." if len(line.xs) == 1 else None
        on.plot(self._middles(xs), ys, color=color, linewidth=0.9, marker=marker, label=self._label(line.name))
        if lonely := self._lonely(ys):
            on.plot(self._middles([xs[i] for i in lonely]), [ys[i] for i in lonely], color=color, linestyle="none", marker=".")

    def _plot_candles(self, on: Any, line: Candles, power: int) -> None:
        middles = self._middles(line.xs)
        columns = [[self._scaled(y, power) for y in ys] for ys in (line.opens, line.highs, line.lows, line.closes)]
        for rising, color in ((True, RISING), (False, FALLING)):
            chosen = [i for i in range(len(middles)) if (line.closes[i] >= line.opens[i]) == rising]
            at = [middles[i] for i in chosen]
            opens, highs, lows, closes = ([column[i] for i in chosen] for column in columns)
            tops, bottoms = [max(*pair) for pair in zip(opens, closes)], [min(*pair) for pair in zip(opens, closes)]
            # A hollow body has no wick in it.
            on.vlines(at + at, tops + lows, highs + bottoms, color=color, linewidth=0.9)
            on.bar(at, [top - bottom for top, bottom in zip(tops, bottoms)], bottom=bottoms, width=self._width(), linewidth=0.9,
                   edgecolor=color, facecolor="none" if rising else color, label=self._label(line.name) if rising else None)  # fmt: skip

    def _middles(self, xs: Sequence[int]) -> Sequence[Any]:
        """Where points stand: of an interval in its middle."""
        if not self.is_time:
            return xs
        return self._times([min(x + self.interval // 2, LAST) for x in xs] if self.interval else xs)

    def _width(self) -> float:
        """In days, which matplotlib takes where there is nothing to draw, too; a timedelta it cannot place there."""
        return max(1, self.interval * 4 // 5) / 86_400_000_000

    def layout(self) -> list[Panel]:
        """The panels from the top: every candle of its own scale, with the lines of the same field in it; sums and counts below."""
        if not self.interval:
            return [Panel(1, [list(scale) for scale in panel]) for panel in self.panels()]
        candles, bars, others = self._sorted()
        panels: list[Panel] = []
        for one in candles:
            mates = [line for line in others if line.of == one.of and not self._apart(one, line)]
            others = [line for line in others if line not in mates]
            panels.append(Panel(3, [[one, *mates]]))
        panels += [Panel(3, [list(scale) for scale in panel]) for panel in self.panels(others)]
        return panels + [Panel(1, [[bar]]) for bar in bars]

    def _sorted(self) -> tuple[list[Candles], list[Line], list[Line]]:
        """Candles, sums and counts, and what else there is."""
        candles: list[Candles] = []
        bars: list[Line] = []
        others: list[Line] = []
        at = 0
        while at < len(self.lines):
            line = self.lines[at]
            if line.role == "open":
                four = self.lines[at : at + 4]
                opens, highs, lows, closes = (one.ys for one in four)
                candles.append(Candles(candle_name(line.name, line.of), line.xs, opens, highs, lows, closes, line.of))
                at += 4
                continue
            (bars if line.role == "bar" else others).append(line)
            at += 1
        return candles, bars, others

    def panels(self, lines: Optional[Sequence[Line]] = None) -> list[list[list[Line]]]:
        """The lines by scale: one panel with a scale at the left and perhaps another at the right; three scales and more get a panel each."""
        scales: list[list[Line]] = []
        for line in self.lines if lines is None else lines:
            for scale in scales:
                if not self._apart(max(scale, key=self._size), line):
                    scale.append(line)
                    break
            else:
                scales.append([line])
        return ([scales] if scales else []) if len(scales) <= 2 else [[scale] for scale in scales]

    @staticmethod
    def _label(name: str) -> str:
        """matplotlib keeps a name that begins with an underscore out of the legend."""
        return " " + name if name.startswith("_") else name

    @staticmethod
    def _axis_title(lines: Sequence[Series], unit: str) -> str:
        """The line that a scale belongs to, and its unit; of several lines the legend has the names."""
        return lines[0].name + unit if len(lines) == 1 else unit.strip()

    @staticmethod
    def _power(lines: Sequence[Series]) -> tuple[int, str]:
        """The power of ten that a scale counts in, and how it says so: 0 and nothing, or that of sizes that no axis has room for (matplotlib cannot have one from -1e308 to 1e308 at all)."""
        largest = max(map(Chart._size, lines))
        if largest == 0 or 1e-6 <= largest < 1e15:
            return 0, ""
        power = math.floor(math.log10(largest))
        return power, f" (1e{power})"

    @staticmethod
    def _scaled(y: float, power: int) -> float:
        """y / 10**power, in two steps where 10**power itself is too small for a float to hold well."""
        return y / 10.0**power if power >= -300 else y * 1e300 / 10.0 ** (power + 300)

    def _with_gaps(self, line: Line, power: int = 0) -> tuple[list[int], list[float]]:
        """The points with an empty one in every gap: a stretch of time without data that is wide enough to see and much longer than steps usually are; of intervals each that is missing."""
        xs, ys = list(line.xs), [self._scaled(y, power) for y in line.ys] if power else list(line.ys)
        if not self.is_time or len(xs) < (2 if self.interval else 3):
            return xs, ys
        steps = sorted(b - a for a, b in zip(xs, xs[1:]))
        least = self.interval * 3 // 2 or max(20 * steps[len(steps) // 2], (xs[-1] - xs[0]) // 100)
        out_xs, out_ys = xs[:1], ys[:1]
        for x, y in zip(xs[1:], ys[1:]):
            if x - out_xs[-1] > least:
                out_xs.append(out_xs[-1] + (x - out_xs[-1]) // 2)
                out_ys.append(float("nan"))
            out_xs.append(x)
            out_ys.append(y)
        return out_xs, out_ys

    @staticmethod
    def _lonely(ys: Sequence[float]) -> list[int]:
        """Points between two gaps: no line leads to them, so they are drawn as dots."""
        empty = [y != y for y in ys]
        if not any(empty):
            return []
        return [i for i in range(len(ys)) if not empty[i] and (i == 0 or empty[i - 1]) and (i + 1 == len(ys) or empty[i + 1])]

    @staticmethod
    def _size(line: Series) -> float:
        return max((abs(y) for y in line.ys if math.isfinite(y)), default=0.0)

    @classmethod
    def _apart(cls, first: Series, other: Series) -> bool:
        """Whether two lines are of so different a size that one scale would flatten one of them."""
        big, small = sorted(map(cls._size, (first, other)), reverse=True)
        return small > 0 and big / small > 20


def chart_of(run: Any) -> tuple[Chart, list[str]]:
    """What an extraction with the option `chart` has kept of its rows, and notes on what it does not show."""
    x_name, is_time, zone, lines, outside = run.series()
    interval, roles = run.intervals() or (0, [("value", "")] * len(lines))
    drawn = [candle_name(name, of) if role == "open" else name for (name, xs, _), (role, of) in zip(lines, roles) if xs and role not in ("high", "low", "close")]
    chart = Chart(", ".join(drawn) or "no numeric column", x_name, is_time, zone=zone_of(zone), interval=interval)
    chart.lines = [Line(name, xs, ys, role, of) for (name, xs, ys), (role, of) in zip(lines, roles) if xs]
    notes = []
    if not chart.lines:
        why = "there are no rows" if run.progress()["rows"] == 0 else "no numeric column has a value" if lines else "no column is numeric"
        notes.append(f"the chart is empty: {why}")
    if outside:
        notes.append(f"the chart leaves out {counted(outside, 'row')}: it draws times from 0001-01-03 to 9999-12-28")
    return chart, notes


_styling = threading.Lock()  # of two at once the second would take the first one's settings for the program's, and put those back


def _renew_lock() -> None:
    global _styling
    _styling = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)  # the thread that held it is not in the child


@contextlib.contextmanager
def default_style() -> Iterator[None]:
    """matplotlib's defaults in place of the style of the program around it, or of a matplotlibrc. They are put back; until then other threads
    see them. Draw with a Figure, not with pyplot, whose backend and list of figures are the whole process's."""
    import matplotlib

    # Left alone: the backend, which a Figure does not use, and the epoch of dates, which is fixed after its first use.
    style = {name: value for name, value in matplotlib.rcParamsDefault.items() if name not in ("backend", "date.epoch")}
    with _styling, matplotlib.rc_context({**style, "text.parse_math": False}):  # a $ in a name is a $
        yield


def draw_all(chart: Chart, names: Sequence[str], files: Sequence[Optional[Whole]]) -> list[tuple[str, Exception]]:
    """Draws the chart into all files, None is the terminal. Returns the name and the error of each that could not be drawn, whatever the system or
    the drawing library has to say: the rows are worth more. A reader that went away is no error."""
    failed: list[tuple[str, Exception]] = []
    for name, file in zip(names, files):
        try:
            with naming(name):
                if file is None:
                    from .chart_text import show

                    show(chart)
                else:
                    chart.draw(file.part, suffix_of(name))
        except Exception as error:
            if file is not None:
                file.drop()
            if not isinstance(error, BrokenPipeError):
                failed.append((name, error))
    return failed


def not_drawn(name: str, error: Exception) -> str:
    """The sentence for an error of draw_all()."""
    why = (error.strerror if isinstance(error, OSError) else None) or " ".join(str(error).split()) or type(error).__name__
    return f"{'standard output' if name == '-' else name}: the chart cannot be drawn: {why}"


def refuse_undrawable(names: Sequence[str]) -> None:
    """ValueError for an ending of no picture, ImportError where its library is missing: known before the work and not after it."""
    suffixes = [suffix_of(name) for name in names]
    if missing := next(filter(None, map(missing_library, suffixes)), ""):
        raise ImportError(missing)


def missing_library(suffix: str) -> str:
    """What to install for charts of this kind, as a sentence; empty when it is there."""
    library = LIBRARIES.get(suffix, "matplotlib")  # .pdf, too, which `measure` draws
    return "" if not library or is_installed(library) else f"drawing a {suffix} needs {library}: pip install {library}"


def is_installed(library: str) -> bool:
    try:
        spec = importlib.util.find_spec(library)
    except ImportError:  # the program around it has a finder that refuses the module
        return False
    return spec is not None and spec.origin is not None  # a folder of that name in the working directory is no package


def suffix_of(path: str) -> str:
    """The picture's kind by its name, or ValueError that says which there are."""
    suffix = ".txt" if path == "-" else Path(path).suffix.lower()
    if suffix not in LIBRARIES:
        raise ValueError(f"{path}: a chart is .png, .svg, .html or .txt, by its name's ending")
    return suffix


def candle_name(opened: str, of: str) -> str:
    """The name of four columns by that of the first: btc_open is of btc, open of the field's path."""
    return opened.removesuffix("_open") if opened != "open" else of


def zone_of(name: Optional[str]) -> Optional[tzinfo]:
    """The zone of a time column, by a name in the database or as +09:00."""
    if not name:
        return None
    if name[0] in "+-":
        hours, minutes = int(name[1:3]), int(name[4:6])
        return timezone((1 if name[0] == "+" else -1) * timedelta(hours=hours, minutes=minutes))
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except Exception:
        return None
