"""What a chart shows: scales that do not lie over each other, and no line where there is no data."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from kumihimo.chart import Chart, Line

MINUTE, DAY = 60 * 10**6, 86400 * 10**6


def lines(*sizes: float) -> list[Line]:
    xs = [i * MINUTE for i in range(100)]
    return [Line(f"l{i}", xs, [size * (1 + i % 7) for i in range(100)]) for i, size in enumerate(sizes)]


@pytest.mark.parametrize(
    ("sizes", "panels"),
    [((1,), [[1]]), ((1, 3), [[2]]), ((1, 1000), [[1, 1]]), ((1, 1000, 2, 1500), [[2, 2]]), ((1, 1e3, 1e6), [[1], [1], [1]]), ((1, 1e3, 1e6, 2), [[2], [1], [1]])],
)
def test_three_scales_get_a_panel_each(sizes: tuple[float, ...], panels: list[list[int]]) -> None:
    chart = Chart("t", "at", True, lines(*sizes))
    assert [[len(scale) for scale in panel] for panel in chart.panels()] == panels


@pytest.mark.parametrize("form", ["svg", "html"])
def test_three_scales_are_drawn_apart(tmp_path: Path, form: str) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("plotly")
    chart = Chart("t", "at", True, lines(1, 1e3, 1e6))
    chart.draw(tmp_path / "c", "." + form)
    text = (tmp_path / "c").read_text()
    if form == "svg":
        assert all(f'id="axes_{i}"' in text for i in (1, 2, 3)) and 'id="axes_4"' not in text
    else:
        assert '"yaxis5"' in text  # three panels, each with a second scale kept free


def test_a_gap_is_no_line() -> None:
    xs = [i * MINUTE for i in range(500)] + [4 * DAY] + [9 * DAY + i * MINUTE for i in range(500)]
    line = Line("a", xs, [1.0] * len(xs))
    out_xs, out_ys = Chart("t", "at", True, [line])._with_gaps(line)
    gaps = [i for i, y in enumerate(out_ys) if math.isnan(y)]
    assert len(gaps) == 2 and [x for x, y in zip(out_xs, out_ys) if not math.isnan(y)] == xs
    assert Chart._lonely(out_ys) == [501]  # the point alone between two gaps is still drawn
    # Steps of any regular length are none, and neither are rows.
    for step in (1, MINUTE, DAY):
        even = Line("a", [i * step for i in range(40)], [1.0] * 40)
        assert Chart("t", "at", True, [even])._with_gaps(even) == (even.xs, even.ys)
    assert Chart("t", "row", False, [line])._with_gaps(line)[0] == xs


@pytest.mark.parametrize("form", ["svg", "html"])
@pytest.mark.parametrize(
    ("ys", "unit"), [([1e308, -1e308], "1e308"), ([1.0, 1e30], "1e30"), ([5e-324, 0], "1e-307"), ([2e-9, 3e-9], "1e-9"), ([math.inf, 1e20], "1e20")]
)
def test_sizes_beyond_any_axis(tmp_path: Path, form: str, ys: list[float], unit: str) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("plotly")
    Chart("t", "row", False, [Line("a", [0, 1], ys)]).draw(tmp_path / "c", "." + form)
    text = (tmp_path / "c").read_text()
    assert f"({unit})" in text
    two = Chart("t", "row", False, [Line("a", [0, 1], ys), Line("b", [0, 1], ys)])
    two.draw(tmp_path / "d", "." + form)
    assert f"({unit})" in (tmp_path / "d").read_text()
    assert Chart._unit([Line("a", [0, 1], [0.5, 1e14]), Line("b", [0], [0.0])]) == (1.0, "")
