"""The picture beside the rows: `kumihimo extract ... --chart FILE.png|.svg|.html`.

The points arrive thinned by the engine (first, lowest, highest and last of every pixel column), so a day of ticks and a year
of them draw equally fast and no spike is lost. matplotlib draws png and svg, plotly html; each is imported when it is used.
"""

from __future__ import annotations

import html
import importlib.util
import math
import warnings
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any, Optional, Sequence

LIBRARIES = {".png": "matplotlib", ".svg": "matplotlib", ".html": "plotly"}
WIDTH, HEIGHT = 1200, 600  # pixels; the engine thins to WIDTH columns
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MICROSECOND = timedelta(microseconds=1)
# The engine leaves out what is outside (extract/session.cpp): two days short of what datetime can hold, for the clocks of all zones.
FIRST, LAST = ((datetime(*day, tzinfo=timezone.utc) - EPOCH) // MICROSECOND for day in ((1, 1, 3), (9999, 12, 29)))
COLORS = ("#3b5bdb", "#e8590c", "#2b8a3e", "#9c36b5", "#c92a2a", "#0b7285")


@dataclass
class Line:
    """One column over the chart's x: microseconds since 1970 in UTC for a time chart, else row numbers."""

    name: str
    xs: Sequence[int]
    ys: Sequence[float]


@dataclass
class Chart:
    title: str
    x_name: str
    is_time: bool
    lines: list[Line] = field(default_factory=list)
    zone: Optional[tzinfo] = None
    """What the times are shown in: the time column's zone, else UTC."""

    def draw(self, to: Path, suffix: str) -> None:
        """Writes the picture. Raises ImportError, with what to install, when the drawing library is missing."""
        if missing := missing_library(suffix):
            raise ImportError(missing)
        if suffix == ".html":
            self._html(to)
        else:
            self._image(to, suffix[1:])

    def _times(self, xs: Sequence[int]) -> list[datetime]:
        zone = self.zone or timezone.utc
        return [(EPOCH + timedelta(microseconds=x)).astimezone(zone) for x in xs]

    def _image(self, to: Path, form: str) -> None:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.dates
        from matplotlib import pyplot

        with matplotlib.rc_context({"text.parse_math": False}):  # a $ in a name is a $
            self._plot(to, form, pyplot, matplotlib.dates)

    def _plot(self, to: Path, form: str, pyplot: Any, dates: Any) -> None:
        panels = self.panels()
        figure, axes = pyplot.subplots(len(panels), 1, sharex=True, squeeze=False, figsize=(WIDTH / 100, HEIGHT / 100 * max(1.0, len(panels) / 2)), dpi=100,
                                       layout="constrained")  # fmt: skip
        try:
            drawn = 0
            for axis, panel in zip(axes[:, 0], panels):
                for side, lines in enumerate(panel):
                    on = axis if side == 0 else axis.twinx()
                    power, unit = self._power(lines)
                    for line in lines:
                        color = COLORS[drawn % len(COLORS)]
                        drawn += 1
                        xs, ys = self._with_gaps(line, power)
                        marker = "." if len(line.xs) == 1 else None
                        on.plot(self._times(xs) if self.is_time else xs, ys, color=color, linewidth=0.9, marker=marker, label=self._label(line.name))
                        if lonely := self._lonely(ys):
                            on.plot(self._times([xs[i] for i in lonely]), [ys[i] for i in lonely], color=color, linestyle="none", marker=".")
                    on.set_ylabel(self._axis_title(lines, unit), color=color if len(lines) == 1 < len(self.lines) else "black")
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
            if len(self.lines) > 1:
                figure.legend(loc="outside upper right")
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Glyph .* missing")  # the picture has a box for the character, as everywhere
                figure.savefig(to, format=form)
        finally:
            pyplot.close(figure)

    def _html(self, to: Path) -> None:
        import plotly.graph_objects as graph
        from plotly.subplots import make_subplots

        panels = self.panels()
        figure = make_subplots(rows=len(panels), cols=1, shared_xaxes=True, specs=[[{"secondary_y": True}]] * len(panels))
        drawn = 0
        for row, panel in enumerate(panels, 1):
            for side, lines in enumerate(panel):
                power, unit = self._power(lines)
                for line in lines:
                    xs, ys = self._with_gaps(line, power)
                    style = {"color": COLORS[drawn % len(COLORS)], "width": 1}
                    drawn += 1
                    trace = graph.Scatter(x=self._times(xs) if self.is_time else list(xs), y=list(ys), mode="lines" if len(line.xs) > 1 else "markers",
                                          name=self._escaped(line.name), line=style, connectgaps=False)  # fmt: skip
                    figure.add_trace(trace, row=row, col=1, secondary_y=side == 1)
                    if lonely := self._lonely(ys):
                        dots = graph.Scatter(x=self._times([xs[i] for i in lonely]), y=[ys[i] for i in lonely], mode="markers", name=self._escaped(line.name),
                                             marker={"color": style["color"], "size": 4}, showlegend=False)  # fmt: skip
                        figure.add_trace(dots, row=row, col=1, secondary_y=side == 1)
                figure.update_yaxes(title_text=self._escaped(self._axis_title(lines, unit)), title_font_color=style["color"] if len(lines) == 1 < len(self.lines) else None,
                                    row=row, col=1, secondary_y=side == 1)  # fmt: skip
        figure.update_layout(title=self._escaped(self.title), template="plotly_white", showlegend=len(self.lines) > 1)
        figure.update_xaxes(title_text=self._escaped(self.x_name), row=len(panels), col=1)
        # The page carries plotly itself, so that it opens without a network.
        figure.write_html(str(to), include_plotlyjs=True, full_html=True)

    def panels(self) -> list[list[list[Line]]]:
        """The lines by scale: one panel with a scale at the left and perhaps another at the right; three scales and more get a panel each."""
        scales: list[list[Line]] = []
        for line in self.lines:
            for scale in scales:
                if not self._apart(max(scale, key=self._size), line):
                    scale.append(line)
                    break
            else:
                scales.append([line])
        return [scales] if len(scales) <= 2 else [[scale] for scale in scales]

    @staticmethod
    def _label(name: str) -> str:
        """matplotlib keeps a name that begins with an underscore out of the legend."""
        return " " + name if name.startswith("_") else name

    @staticmethod
    def _escaped(name: str) -> str:
        """plotly reads names as HTML, of which it knows a few tags."""
        return html.escape(name, quote=False)

    @staticmethod
    def _axis_title(lines: Sequence[Line], unit: str) -> str:
        """The line that a scale belongs to, and its unit; of several lines the legend has the names."""
        return lines[0].name + unit if len(lines) == 1 else unit.strip()

    @staticmethod
    def _power(lines: Sequence[Line]) -> tuple[int, str]:
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
        """The points with an empty one in every gap: a stretch of time without data that is wide enough to see and much longer than steps usually are."""
        xs, ys = list(line.xs), [self._scaled(y, power) for y in line.ys] if power else list(line.ys)
        if not self.is_time or len(xs) < 3:
            return xs, ys
        steps = sorted(b - a for a, b in zip(xs, xs[1:]))
        least = max(20 * steps[len(steps) // 2], (xs[-1] - xs[0]) // 100)
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
    def _size(line: Line) -> float:
        return max((abs(y) for y in line.ys if math.isfinite(y)), default=0.0)

    @classmethod
    def _apart(cls, first: Line, other: Line) -> bool:
        """Whether two lines are of so different a size that one scale would flatten one of them."""
        big, small = sorted(map(cls._size, (first, other)), reverse=True)
        return small > 0 and big / small > 20


def missing_library(suffix: str) -> str:
    """What to install for charts of this kind, as a sentence; empty when it is there."""
    library = LIBRARIES[suffix]
    return "" if importlib.util.find_spec(library) else f"drawing a {suffix} needs {library}: pip install {library}"


def suffix_of(path: str) -> str:
    """The picture's kind by its name, or ValueError that says which there are."""
    suffix = Path(path).suffix.lower()
    if suffix not in LIBRARIES:
        raise ValueError(f"{path}: a chart is .png, .svg or .html, by its name's ending")
    return suffix
