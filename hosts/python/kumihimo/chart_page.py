"""A chart as a page for the browser: one file without a network, with chart_page.js in it. It zooms, and says the values under the mouse."""

from __future__ import annotations

import html
import json
import math
from datetime import timezone
from pathlib import Path
from typing import Any, Optional, Sequence

from .chart import BARS, COLORS, FALLING, RISING, Candles, Chart, Series

PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ margin: 0; font: 13px system-ui, sans-serif; color: #222; background: #fff; display: flex; flex-direction: column; height: 100vh; }}
header {{ padding: 8px 12px 0; }}
h1 {{ margin: 0; font-size: 16px; overflow-wrap: anywhere; }}
#range, #values {{ min-height: 1.4em; font-variant-numeric: tabular-nums; }}
#values span {{ margin-right: 1.2em; white-space: nowrap; }}
#chart {{ flex: 1; min-height: 0; width: 100%; touch-action: none; }}
footer {{ padding: 0 12px 6px; color: #666; }}
</style>
<header><h1>{title}</h1><div id="range"></div><div id="values"></div></header>
<canvas id="chart" tabindex="0" aria-label="{title}"></canvas>
<footer>Wheel or + and - zoom, dragging or the arrow keys move, a double click or 0 shows all.</footer>
<script type="application/json" id="data">{data}</script>
<script>
{script}</script>
</html>
"""


def page(chart: Chart) -> str:
    title = html.escape(chart.title)
    # In a script nothing but < ends it.
    data = json.dumps(_data(chart), allow_nan=False, ensure_ascii=False).replace("<", "\\u003c")
    return PAGE.format(title=title, data=data, script=(Path(__file__).parent / "chart_page.js").read_text(encoding="utf-8"))


def _data(chart: Chart) -> dict[str, Any]:
    panels = []
    drawn = 0
    for panel in chart.layout():
        scales = []
        for lines in panel.scales:
            power, unit = Chart._power(lines)
            series = []
            for line in lines:
                series.append(_series(chart, line, COLORS[drawn % len(COLORS)]))
                drawn += series[-1]["kind"] == "line"
            alone = len(lines) == 1 < len(chart.lines) and not chart.interval
            scales.append({"title": Chart._axis_title(lines, unit), "color": series[0]["color"] if alone else "#222", "power": power, "series": series})
        panels.append({"weight": panel.weight, "scales": scales})
    return {"x": chart.x_name, "time": chart.is_time, "interval": chart.interval, "offsets": _offsets(chart) if chart.is_time else [], "rising": RISING,
            "falling": FALLING, "panels": panels}  # fmt: skip


def _series(chart: Chart, line: Series, color: str) -> dict[str, Any]:
    if isinstance(line, Candles):
        return {"kind": "candles", "name": line.name, "color": RISING, "x": list(line.xs), "open": _numbers(line.opens), "high": _numbers(line.highs),
                "low": _numbers(line.lows), "close": _numbers(line.closes)}  # fmt: skip
    if line.role == "bar":
        return {"kind": "bars", "name": line.name, "color": BARS, "x": list(line.xs), "y": _numbers(line.ys)}
    xs, ys = chart._with_gaps(line)
    return {"kind": "line", "name": line.name, "color": color, "x": xs, "y": _numbers(ys)}


def _numbers(ys: Sequence[float]) -> list[Optional[float]]:
    return [y if math.isfinite(y) else None for y in ys]


def _offsets(chart: Chart) -> list[list[int]]:
    """From which x on the clock of the chart's zone is so many microseconds ahead of UTC. Between two points a change stands at the later one."""
    zone = chart.zone or timezone.utc
    out: list[list[int]] = []
    for x, moment in zip(xs := sorted({x for line in chart.lines for x in line.xs}), chart._times(xs)):
        offset = moment.astimezone(zone).utcoffset()
        ahead = round(offset.total_seconds() * 1e6) if offset is not None else 0
        if not out or out[-1][1] != ahead:
            out.append([x, ahead])
    return out or [[0, 0]]
