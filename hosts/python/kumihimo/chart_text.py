"""A chart in characters: candles, bars in eighths of a line, and lines in Braille's dots. For the terminal, and for FILE.txt.

     107,925 │     ┃
             │  █  ┃        ┃ rises from open to close, █ falls, │ reaches to the highest and the lowest
     107,910 │  │  │
"""

from __future__ import annotations

import math
import os
import shutil
import sys
from typing import Callable, Optional, Sequence

from .chart import Candles, Chart, Line, Panel
from .output import write_all

GREEN, RED, PLAIN = "\x1b[32m", "\x1b[31m", "\x1b[0m"
EIGHTHS = " ▁▂▃▄▅▆▇█"
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # of a Braille character, by row and column
LABEL = 12
Cell = tuple[str, str]  # a character and its color


def drawing(chart: Chart, width: int = 100, height: int = 30, colors: bool = False) -> str:
    """The chart as lines of at most `width` characters."""
    columns = max(10, width - LABEL - 2)
    panels = chart.layout()
    out = [_fitting(chart.title, width)]
    if not panels:
        return "\n".join([*out, "(nothing to draw)", ""])
    first, last = _range(chart)
    weights = sum(panel.weight for panel in panels)
    for panel in panels:
        rows = max(3, (height - 2) * panel.weight // weights - 1)
        out += _panel(chart, panel, first, last, columns, rows, colors, width)
    out.append(" " * LABEL + " └" + "─" * columns)
    out.append(" " * (LABEL + 2) + _ends(chart, first, last, columns))
    return "\n".join(line.rstrip() for line in out) + "\n"


def show(chart: Chart) -> None:
    """The chart on standard output, as wide as the terminal."""
    size = shutil.get_terminal_size()
    text = drawing(chart, size.columns, max(12, size.lines - 2), sys.stdout.isatty() and not os.environ.get("NO_COLOR"))
    write_all(open(1, "wb", buffering=0, closefd=False), memoryview(text.encode(sys.stdout.encoding or "utf-8", "replace")))


def _range(chart: Chart) -> tuple[int, int]:
    xs = [x for line in chart.lines for x in (line.xs[0], line.xs[-1])]
    return min(xs), max(xs) + max(1, chart.interval)


def _ends(chart: Chart, first: int, last: int, columns: int) -> str:
    left, right = _moment(chart, first), _moment(chart, last - max(1, chart.interval))
    return left + right.rjust(columns - len(left)) if len(left) + len(right) < columns else left


def _moment(chart: Chart, x: int) -> str:
    if not chart.is_time:
        return str(x)
    text = chart._times([x])[0].isoformat(" ")
    return text if chart.zone else text.removesuffix("+00:00")


def _fitting(text: str, width: int) -> str:
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= width else text[: width - 1] + "…"


def _number(y: float) -> str:
    return f"{y:,.6g}" if abs(y) < 1e6 or abs(y) >= 1e15 else f"{y:,.0f}"


def _panel(chart: Chart, panel: Panel, first: int, last: int, columns: int, rows: int, colors: bool, width: int) -> list[str]:
    out = []
    for scale in panel.scales:
        grid: list[list[Optional[Cell]]] = [[None] * columns for _ in range(rows)]

        def place(x: int) -> int:
            return min(columns - 1, (x - first) * columns // (last - first))

        sums = {id(series): _together(series, place) for series in scale if isinstance(series, Line) and series.role == "bar"}
        low, high = _heights([y for series in scale for y in (series.ys if id(series) not in sums else [0.0, *sums[id(series)].values()])])

        def level(y: float) -> float:
            """From 0 at the bottom to 1 at the top; halves first, as the difference of two doubles may be none."""
            return (y / 2 - low / 2) / (high / 2 - low / 2)

        for series in scale:
            if isinstance(series, Candles):
                _candles(grid, series, place, level)
            elif series.role == "bar":
                _bars(grid, sums[id(series)], level)
            else:
                _line(grid, chart, series, first, last, level)
        out.append(_fitting(" " * (LABEL + 2) + ", ".join(series.name for series in scale), width))
        for i, row in enumerate(grid):
            label = _number(high) if i == 0 else _number(low) if i == rows - 1 else ""
            out.append(label[:LABEL].rjust(LABEL) + " │" + "".join(_colored(cell, colors) for cell in row))
    return out


def _colored(cell: Optional[Cell], colors: bool) -> str:
    if cell is None:
        return " "
    return cell[1] + cell[0] + PLAIN if colors and cell[1] else cell[0]


def _heights(all_: Sequence[float]) -> tuple[float, float]:
    ys = [y for y in all_ if math.isfinite(y)] or [0.0]
    low, high = min(ys), max(ys)
    if low == high:
        return (low - 1, high + 1) if abs(low) < 1e15 else (min(low, low / 2), max(high, high / 2)) if low else (-1.0, 1.0)
    return low, high


def _candles(grid: list[list[Optional[Cell]]], series: Candles, place: Callable[[int], int], level: Callable[[float], float]) -> None:
    together: dict[int, list[float]] = {}
    for x, opened, high, low, close in zip(series.xs, series.opens, series.highs, series.lows, series.closes):
        known = together.setdefault(place(x), [opened, high, low, close])
        known[1:] = [max(known[1], high), min(known[2], low), close]
    rows = len(grid)

    def row_of(y: float) -> int:
        return min(rows - 1, max(0, int((1 - level(y)) * rows)))

    for column, (opened, high, low, close) in together.items():
        rising = close >= opened
        body = range(row_of(max(opened, close)), row_of(min(opened, close)) + 1)
        for row in range(row_of(high), row_of(low) + 1):
            grid[row][column] = (("┃" if rising else "█") if row in body else "│", GREEN if rising else RED)


def _together(series: Line, place: Callable[[int], int]) -> dict[int, float]:
    """Bars by column: what shares one is added up."""
    sums: dict[int, float] = {}
    for x, y in zip(series.xs, series.ys):
        sums[place(x)] = sums.get(place(x), 0.0) + y
    return sums


def _bars(grid: list[list[Optional[Cell]]], sums: dict[int, float], level: Callable[[float], float]) -> None:
    rows, zero = len(grid), level(0.0)
    for column, y in sums.items():
        top, bottom = sorted((level(y), zero), reverse=True)
        for row in range(rows):
            floor, ceiling = (rows - 1 - row) / rows, (rows - row) / rows
            filled = (min(top, ceiling) - floor) * rows
            if filled > 0 and bottom < ceiling and (top > bottom or row == rows - 1):
                grid[row][column] = (EIGHTHS[min(8, max(1, round(filled * 8)))], "")


def _line(grid: list[list[Optional[Cell]]], chart: Chart, series: Line, first: int, last: int, level: Callable[[float], float]) -> None:
    """Two dots to a character's width and four to its height."""
    rows, columns = len(grid) * 4, len(grid[0]) * 2
    dots: set[tuple[int, int]] = set()
    before: Optional[tuple[int, int]] = None
    for x, y in zip(*chart._with_gaps(series)):
        if not math.isfinite(y):
            before = None
            continue
        at = (min(columns - 1, (x - first) * columns // (last - first)), min(rows - 1, max(0, int((1 - level(y)) * rows))))
        steps = max(abs(at[0] - before[0]), abs(at[1] - before[1])) if before else 0
        for k in range(steps + 1):
            part = k / steps if steps else 1.0
            start = before or at
            dots.add((round(start[0] + (at[0] - start[0]) * part), round(start[1] + (at[1] - start[1]) * part)))
        before = at
    for column, row in dots:
        cell = grid[row // 4][column // 2]
        if cell is not None and not "\u2800" <= cell[0] <= "\u28ff":
            continue
        lit = (ord(cell[0]) if cell else 0x2800) | DOTS[row % 4][column % 2]
        grid[row // 4][column // 2] = (chr(lit), "")
