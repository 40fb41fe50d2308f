"""What a chart shows: scales that do not lie over each other, and no line where there is no data."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import kumihimo
import pytest

from kumihimo.chart import COLORS, FIRST, LAST, Chart, Line, default_style

MINUTE, DAY = 60 * 10**6, 86400 * 10**6


def data_of(page: str) -> dict[str, Any]:
    """What a page draws."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


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
    chart = Chart("t", "at", True, lines(1, 1e3, 1e6))
    chart.draw(tmp_path / "c", "." + form)
    text = (tmp_path / "c").read_text()
    if form == "svg":
        assert all(f'id="axes_{i}"' in text for i in (1, 2, 3)) and 'id="axes_4"' not in text
    else:
        assert [len(panel["scales"]) for panel in data_of(text)["panels"]] == [1, 1, 1]


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
    ("ys", "unit"), [([1e308, -1e308], "1e308"), ([1.0, 1e30], "1e30"), ([5e-324, 0], "1e-324"), ([2.5e-310, 1e-309], "1e-309"), ([2e-9, 3e-9], "1e-9"), ([math.inf, 1e20], "1e20")]
)
def test_sizes_beyond_any_axis(tmp_path: Path, form: str, ys: list[float], unit: str) -> None:
    pytest.importorskip("matplotlib")
    Chart("t", "row", False, [Line("a", [0, 1], ys)]).draw(tmp_path / "c", "." + form)
    text = (tmp_path / "c").read_text()
    assert f"({unit})" in text
    two = Chart("t", "row", False, [Line("a", [0, 1], ys), Line("b", [0, 1], ys)])
    two.draw(tmp_path / "d", "." + form)
    assert f"({unit})" in (tmp_path / "d").read_text()
    assert Chart._power([Line("a", [0, 1], [0.5, 1e14]), Line("b", [0], [0.0])]) == (0, "")


@pytest.mark.parametrize("y", [5e-324, 2.5e-310, 2.2250738585072014e-308, 1e-300, 3e-9, 1e15, 1.7976931348623157e308])
def test_a_scale_says_the_truth(y: float) -> None:
    from fractions import Fraction

    power, _ = Chart._power([Line("a", [0], [y])])
    scaled = Chart._scaled(y, power)
    assert 0.99 < scaled < 10.01
    assert abs(Fraction(scaled) * Fraction(10) ** power / Fraction(y) - 1) < 1e-14


@pytest.mark.parametrize("form", ["svg", "html"])
def test_names_are_text(tmp_path: Path, form: str) -> None:
    """Not mathematics, not HTML, and no name is kept out of the legend; a character without a glyph is no warning."""
    pytest.importorskip("matplotlib")
    names = ["$a_{$", "_b", "<b>c</b>", "\u5186\U0001f4b4", "d$"]
    chart = Chart(", ".join(names), "$x$ <i>", False, [Line(name, [0, 1], [i, 2.0]) for i, name in enumerate(names)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chart.draw(tmp_path / "c", "." + form)
    text = (tmp_path / "c").read_text()
    if form == "svg":
        assert all(f">{name}<" in text or f"<!-- {name} -->" in text for name in ("$a_{$", " _b", "d$"))
    else:
        assert text.count("<b>") == 0 and "<h1>$a_{$, _b, &lt;b&gt;c&lt;/b&gt;" in text
        assert [one["name"] for panel in data_of(text)["panels"] for scale in panel["scales"] for one in scale["series"]] == names


def test_html_axes_have_names(tmp_path: Path) -> None:
    Chart("t", "row", False, [Line("low", [0, 1], [1, 2]), Line("high", [0, 1], [1e30, 2e30])]).draw(tmp_path / "c", ".html")
    text = (tmp_path / "c").read_text()
    scales = data_of(text)["panels"][0]["scales"]
    assert [(scale["title"], scale["color"], scale["power"]) for scale in scales] == [("low", COLORS[0], 0), ("high (1e30)", COLORS[1], 30)]


def test_zeros_flatten_nothing() -> None:
    flat = Line("zeros", [0, 1], [0.0, 0.0])
    chart = Chart("t", "row", False, [flat, Line("a", [0, 1], [1.0, 2.0]), Line("b", [0, 1], [1e6, 2e6])])
    assert [[line.name for line in scale] for scale in chart.panels()[0]] == [["zeros", "a"], ["b"]]


@pytest.mark.parametrize("form", ["svg", "html"])
@pytest.mark.parametrize("zone", [None, "Asia/Tokyo", "America/Los_Angeles"])
@pytest.mark.parametrize("ends", [(FIRST, FIRST), (FIRST, LAST), (LAST - DAY, LAST), (FIRST, 0)])
def test_times_at_the_calendars_ends(tmp_path: Path, form: str, zone: str, ends: tuple[int, int]) -> None:
    pytest.importorskip("matplotlib")
    chart = Chart("t", "at", True, [Line("a", list(ends), [1.0, 2.0])], zone=ZoneInfo(zone) if zone else None)
    chart.draw(tmp_path / "c", "." + form)
    assert (tmp_path / "c").stat().st_size > 1000


def test_times_beyond_the_calendar_are_left_out(tmp_path: Path) -> None:
    """Before the points are thinned: one such row would else leave a single pixel column for all others."""
    rows = tmp_path / "rows.ndjson"
    lines = [f'{{"at":"2020-01-01T{i // 3600:02}:{i // 60 % 60:02}:{i % 60:02}Z","n":{i}}}' for i in range(20000)]
    beyond = ['{"at":"9999-12-31T23:59:59Z","n":1}', '{"at":"0001-01-01T00:00:00Z","n":2}', '{"at":"0000-06-01T00:00:00Z","n":3}']
    rows.write_text("\n".join(lines + beyond))
    run = kumihimo.extract(rows, ["at:timestamp", "n:int64"], form="csv", chart=1200)
    text = b""
    while (chunk := run.next_bytes()) is not None:
        text += chunk
    assert text.count(b"\n") == 20003
    x, is_time, _, drawn, outside = run.series()
    assert (x, is_time, outside) == ("at", True, 3) and len(drawn[0][1]) > 1200
    done = subprocess.run(
        [sys.executable, "-m", "kumihimo.cli", "extract", str(rows), "-f", "at:timestamp", "-f", "n", "-o", "o.csv", "--chart", "o.svg"], cwd=tmp_path, capture_output=True
    )
    assert done.returncode == 0 and b"note: the chart leaves out 3 rows" in done.stderr, done.stderr


@pytest.mark.parametrize(("error", "said"), [(ValueError("no\nink"), "no ink"), (OSError(errno.ENOSPC, "No space left on device"), "No space left on device")])
def test_a_picture_that_fails_keeps_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception, said: str) -> None:
    from kumihimo.cli import group

    (tmp_path / "a.json").write_text('{"n":1}')
    monkeypatch.setattr(Chart, "draw", lambda *_: (_ for _ in ()).throw(error))
    with pytest.raises(SystemExit) as end:
        group(["extract", str(tmp_path / "a.json"), "-f", "n", "-o", str(tmp_path / "o.csv"), "--chart", str(tmp_path / "o.svg")])
    assert end.value.code == 1 and (tmp_path / "o.csv").read_text() == "n\n1\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json", "o.csv"]
    assert f"o.svg: the chart cannot be drawn: {said}; the rows are complete" in capsys.readouterr().err


def test_from_python_as_by_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tmp_path / "a.ndjson"
    rows.write_text("".join(json.dumps({"at": f"2024-01-01T00:{i:02}:00Z", "p": i % 7}) + "\n" for i in range(60)))
    how = ["at:timestamp", "p:float64"]
    said = kumihimo.extract_to(rows, tmp_path / "a.csv", how, chart=[tmp_path / "a.html", str(tmp_path / "a.txt")])
    assert said["rows"] == 60
    run = [sys.executable, "-m", "kumihimo", "extract", str(rows), "-f", how[0], "-f", how[1], "-o", str(tmp_path / "b.csv")]
    subprocess.run([*run, "--chart", str(tmp_path / "b.html"), "--chart", str(tmp_path / "b.txt")], check=True)
    for kind in ("csv", "html", "txt"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
    kumihimo.extract_to(rows, tmp_path / "c.csv", ["p:ohlc"], every="5min", time="at", chart=tmp_path / "c.html")
    assert data_of((tmp_path / "c.html").read_text())

    with pytest.raises(ValueError, match=r"a\.gif: a chart is \.png"):
        kumihimo.extract_to(rows, tmp_path / "d.csv", how, chart="a.gif")
    with pytest.raises(ValueError, match="chart names files"):
        kumihimo.extract_to(rows, tmp_path / "d.csv", how, chart="-")
    with pytest.raises(ValueError, match="resume"):
        kumihimo.extract_to(rows, tmp_path / "d.csv", how, chart=tmp_path / "d.txt", resume=tmp_path / "d")
    with pytest.raises(ValueError, match="written twice"):
        kumihimo.extract_to(rows, tmp_path / "d.csv", how, chart=tmp_path / "d.csv.txt", quarantine=tmp_path / "d.csv.txt", on_error="quarantine")

    def fails(self: Chart, to: Path, suffix: str) -> None:
        raise OverflowError("too large a picture")

    monkeypatch.setattr(Chart, "draw", fails)
    with pytest.raises(RuntimeError, match=r"d\.txt: the chart cannot be drawn: too large a picture; the rows are complete"):
        kumihimo.extract_to(rows, tmp_path / "d.csv", how, chart=tmp_path / "d.txt")
    assert (tmp_path / "d.csv").read_bytes() == (tmp_path / "a.csv").read_bytes()
    assert [p.name for p in tmp_path.iterdir() if "d." in p.name and "a.nd" not in p.name] == ["d.csv"]


def test_charts_by_any_name(tmp_path: Path) -> None:
    rows = tmp_path / "a.ndjson"
    rows.write_text('{"n":1}\n{"n":2}\n')
    kumihimo.extract_to(rows, tmp_path / "a.csv", chart=os.fsencode(tmp_path / "a.txt"))
    assert (tmp_path / "a.txt").exists()
    kumihimo.extract_to(rows, tmp_path / "a.csv", chart=None)
    with pytest.raises(ValueError, match=r"a\.gif: a chart is .*ending$"):
        kumihimo.extract_to(rows, tmp_path / "a.csv", chart="a.gif")


def test_what_a_chart_leaves_out_is_a_note(tmp_path: Path) -> None:
    rows = tmp_path / "a.ndjson"
    rows.write_text('{"at":"2020-01-01T00:00:00Z","n":1}\n{"at":"9999-12-31T23:59:59Z","n":2}\n')
    about = kumihimo.extract_to(rows, tmp_path / "a.csv", ["at:timestamp", "n:int64"], chart=tmp_path / "a.txt")
    assert about["notes"] == ["the chart leaves out 1 row: it draws times from 0001-01-03 to 9999-12-28"] and "chart" in about["seconds"]
    run = [sys.executable, "-m", "kumihimo", "extract", str(rows), "-f", "at:timestamp", "-f", "n:int64", "-o", "b.csv", "--chart", "b.txt", "--summary", "b.json"]
    subprocess.run(run, cwd=tmp_path, check=True)
    assert json.loads((tmp_path / "b.json").read_text())["notes"] == about["notes"]
    about = kumihimo.extract_to(rows, tmp_path / "a.csv", ["at:string"], chart=tmp_path / "a.txt")
    assert about["notes"] == ["the chart is empty: no column is numeric"]


def test_no_chart_over_the_schema(tmp_path: Path) -> None:
    rows, schema = tmp_path / "a.ndjson", tmp_path / "schema.txt"
    rows.write_text('{"n":1}\n')
    schema.write_text('{"kumihimo":"schema","fields":[{"name":"n","path":"n","type":"int64"}]}')
    before = schema.read_bytes()
    for more in ({"output": tmp_path / "o.csv", "chart": schema}, {"output": schema, "to": "csv"}, {"output": tmp_path / "o.csv", "on_error": "quarantine", "quarantine": schema}):
        with pytest.raises(ValueError, match="is also an input"):
            kumihimo.extract_to(rows, schema=schema, **more)
    assert schema.read_bytes() == before and kumihimo.extract_to(rows, tmp_path / "o.csv", schema=schema)["rows"] == 1


class Strange(Exception):
    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"{first} {second}")


@pytest.mark.parametrize(
    ("error", "kind"), [(OSError(errno.ENOSPC, "No space left on device"), OSError), (PermissionError(errno.EACCES, "Denied"), PermissionError), (Strange(1, 2), RuntimeError)]
)
def test_all_pictures_that_fail_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, kind: type[Exception]) -> None:
    rows = tmp_path / "a.ndjson"
    rows.write_text('{"n":1}\n')
    monkeypatch.setattr(Chart, "draw", lambda self, to, suffix: to.write_text("good") if suffix == ".html" else (_ for _ in ()).throw(error))
    why = getattr(error, "strerror", None) or str(error)
    with pytest.raises(kind, match=rf"a\.txt: the chart cannot be drawn: {why}; [^;]*b\.txt: the chart cannot be drawn: {why}; the rows are complete$") as raised:
        kumihimo.extract_to(rows, tmp_path / "a.csv", chart=[tmp_path / "a.txt", tmp_path / "a.html", tmp_path / "b.txt"])
    assert type(raised.value.__cause__) is type(error) and getattr(raised.value, "errno", None) == getattr(error, "errno", None)
    assert {path.name for path in tmp_path.iterdir()} == {"a.ndjson", "a.csv", "a.html"}


def test_a_chart_that_cannot_take_its_name_keeps_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows take theirs first."""
    rows = tmp_path / "a.ndjson"
    rows.write_text('{"n":1}\nx\n')
    replace = os.replace

    def fails(part: Path, final: Path) -> None:
        if final.suffix == ".txt":
            raise OSError(errno.EIO, "Input/output error")
        replace(part, final)

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(OSError, match="Input/output error"):
        kumihimo.extract_to(rows, tmp_path / "a.csv", chart=[tmp_path / "a.txt"], on_error="quarantine", quarantine=tmp_path / "bad")
    assert {path.name for path in tmp_path.iterdir()} == {"a.ndjson", "a.csv", "bad"} and json.loads((tmp_path / "bad").read_text())["document"] == "x"


def test_a_reader_that_leaves_a_chart_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is its right: the rows are kept."""
    rows = tmp_path / "a.ndjson"
    rows.write_text('{"n":1}\n{"n":2}\n')
    read, write = os.pipe()
    os.close(read)
    try:
        words = [sys.executable, "-m", "kumihimo", "extract", str(rows), "-f", "n", "-o", "a.csv", "--chart", "-"]
        done = subprocess.run(words, cwd=tmp_path, stdout=write, stderr=subprocess.PIPE)
        assert done.returncode == 0 and b"2 rows" in done.stderr, done.stderr
    finally:
        os.close(write)
    monkeypatch.setattr(Chart, "draw", lambda *_: (_ for _ in ()).throw(BrokenPipeError(errno.EPIPE, "Broken pipe")))
    kumihimo.extract_to(rows, tmp_path / "b.csv", ["n"], chart=tmp_path / "b.txt")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes() == b"n\n1\n2\n"


# A program that has a backend, a style, and a figure of its own, and draws a chart: it prints what it finds of them then.
AROUND = """
import kumihimo, matplotlib, sys
matplotlib.use("svg")
from matplotlib import pyplot
pyplot.style.use("dark_background")
matplotlib.rcParams["lines.linewidth"] = 9
mine = pyplot.figure(figsize=(3, 2))
before = dict(matplotlib.rcParams)
kumihimo.extract_to("a.ndjson", "p.csv", ["at:timestamp", "n:int64", "m:int64"], chart=["p.png", "p.svg"])
assert matplotlib.get_backend().lower() == "svg" and dict(matplotlib.rcParams) == before
assert pyplot.get_fignums() == [mine.number] and pyplot.gcf() is mine and not mine.axes
"""


def test_a_chart_leaves_the_program_s_matplotlib_as_it_is(tmp_path: Path) -> None:
    """And the picture is the command's."""
    pytest.importorskip("matplotlib")
    (tmp_path / "a.ndjson").write_text("".join(json.dumps({"at": f"2024-01-01T00:{i:02}:00Z", "n": i % 7, "m": 1000 * i}) + "\n" for i in range(60)))
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "0"}
    subprocess.run([sys.executable, "-c", AROUND], cwd=tmp_path, check=True, env=environment)
    run = [sys.executable, "-m", "kumihimo", "extract", "a.ndjson", "-f", "at:timestamp", "-f", "n:int64", "-f", "m:int64", "-o", "c.csv", "--chart", "c.png", "--chart", "c.svg"]
    (tmp_path / "matplotlibrc").write_text("axes.facecolor: black\n")  # of the folder that the command stands in
    subprocess.run(run, cwd=tmp_path, check=True, env=environment)
    assert (tmp_path / "p.png").read_bytes() == (tmp_path / "c.png").read_bytes()
    # An svg names its clips and markers by chance.
    drawn = [re.sub(r"\b[a-z][0-9a-f]{10}\b", "id", (tmp_path / name).read_text()) for name in ("p.svg", "c.svg")]
    assert drawn[0] == drawn[1]


def test_charts_of_two_threads_leave_the_style_as_it_is() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    inside = threading.Event()

    def other() -> None:
        with default_style():
            inside.set()

    before = dict(matplotlib.rcParams)
    with matplotlib.rc_context({"lines.linewidth": 9}):
        with default_style():
            thread = threading.Thread(target=other)
            thread.start()
            assert not inside.wait(0.2)  # else the other puts back what this one has set
        thread.join()
        assert matplotlib.rcParams["lines.linewidth"] == 9
    assert dict(matplotlib.rcParams) == before
