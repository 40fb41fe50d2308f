"""The picture beside the rows: `kumihimo extract ... --chart FILE.png|.svg|.html`.

The points arrive thinned by the engine (first, lowest, highest and last of every pixel column), so a day of ticks and a year
of them draw equally fast and no spike is lost. matplotlib draws png and svg, plotly html; each is imported when it is used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Optional, Sequence

SUFFIXES = (".png", ".svg", ".html")
WIDTH, HEIGHT = 1200, 600  # pixels; the engine thins to WIDTH columns
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
        if suffix == ".html":
            self._html(to)
        else:
            self._image(to, suffix[1:])

    def _times(self, xs: Sequence[int]) -> list[datetime]:
        epoch, zone = datetime(1970, 1, 1, tzinfo=timezone.utc), self.zone or timezone.utc
        return [(epoch + timedelta(microseconds=x)).astimezone(zone) for x in xs]

    def _image(self, to: Path, form: str) -> None:
        try:
            import matplotlib

            matplotlib.use("Agg")
            import matplotlib.dates
            from matplotlib import pyplot
        except ImportError:
            raise ImportError(f"drawing a .{form} needs matplotlib: pip install matplotlib") from None
        figure, axis = pyplot.subplots(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100, layout="constrained")
        try:
            for i, line in enumerate(self.lines):
                # A second column of another size gets its own scale at the right.
                on = axis if i == 0 or not self._apart(self.lines[0], line) else axis.twinx()
                xs = self._times(line.xs) if self.is_time else line.xs
                color = COLORS[i % len(COLORS)]
                on.plot(xs, line.ys, color=color, linewidth=0.9, marker="." if len(line.xs) == 1 else None, label=line.name)
                on.set_ylabel(line.name if on is not axis or len(self.lines) == 1 else "", color=color if on is not axis else "black")
                on.margins(x=0.01)
            if self.is_time:
                locator = matplotlib.dates.AutoDateLocator(tz=self.zone or timezone.utc)
                axis.xaxis.set_major_locator(locator)
                axis.xaxis.set_major_formatter(matplotlib.dates.ConciseDateFormatter(locator, tz=self.zone or timezone.utc))
            axis.set_title(self.title)
            axis.set_xlabel(self.x_name)
            axis.ticklabel_format(axis="y", useOffset=False, style="plain")
            axis.grid(alpha=0.3)
            if len(self.lines) > 1:
                figure.legend(loc="outside upper right")
            figure.savefig(to, format=form)
        finally:
            pyplot.close(figure)

    def _html(self, to: Path) -> None:
        try:
            import plotly.graph_objects as graph
        except ImportError:
            raise ImportError("drawing a .html needs plotly: pip install plotly") from None
        figure = graph.Figure()
        for i, line in enumerate(self.lines):
            apart = i > 0 and self._apart(self.lines[0], line)
            xs = self._times(line.xs) if self.is_time else list(line.xs)
            style = {"color": COLORS[i % len(COLORS)], "width": 1}
            figure.add_scatter(x=xs, y=list(line.ys), mode="lines", name=line.name, line=style, yaxis="y2" if apart else "y")
        figure.update_layout(title=self.title, xaxis_title=self.x_name, template="plotly_white", yaxis2={"overlaying": "y", "side": "right"})
        # The page carries plotly itself, so that it opens without a network.
        figure.write_html(str(to), include_plotlyjs=True, full_html=True)

    @staticmethod
    def _apart(first: Line, other: Line) -> bool:
        """Whether two lines are of so different a size that one scale would flatten one of them."""
        big, small = sorted((max(map(abs, line.ys), default=0.0) for line in (first, other)), reverse=True)
        return small > 0 and big / small > 20


def suffix_of(path: str) -> str:
    """The picture's kind by its name, or ValueError that says which there are."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: a chart is .png, .svg or .html, by its name's ending")
    return suffix
