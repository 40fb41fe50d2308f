"""Charts in html, as a browser shows them: what is drawn, what the wheel, the keys and dragging do, what stands under the mouse."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kumihimo.chart import BARS, FALLING, RISING, Chart, Line, zone_of
from kumihimo.chart_page import page

MINUTE = 60 * 10**6
BROWSER = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
WIDTH, HEIGHT = 1000, 600

# What a hand would do, and what the page says then. Events need no screen; the page draws at each of them.
ACTIONS = """
const canvas = document.getElementById("chart"), said = [];
const look = (what) => said.push([what, document.getElementById("range").textContent, [...document.querySelectorAll("#values span")].map((one) => one.textContent)]);
const plot = (share) => 84 + share * (canvas.clientWidth - 84 - 16);
const send = (kind, type, at, more) => canvas.dispatchEvent(new kind(type, { clientX: at, clientY: 100, bubbles: true, cancelable: true, ...more }));
look("all");
for (const share of SHARES) send(PointerEvent, "pointermove", plot(share)), look("mouse " + share);
send(WheelEvent, "wheel", plot(0.5), { deltaY: -300 }), look("wheel");
send(PointerEvent, "pointerdown", plot(0.5)), send(PointerEvent, "pointermove", plot(0.25)), send(PointerEvent, "pointerup", plot(0.25)), look("dragged");
send(WheelEvent, "wheel", plot(0.5), { deltaY: -500 });
for (let i = 0; i < 60; ++i) send(WheelEvent, "wheel", plot(0.5), { deltaY: -500 });
look("closest");
canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "0", bubbles: true })), look("key 0");
canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "+", bubbles: true })), look("key +");
send(MouseEvent, "dblclick", plot(0.5)), send(PointerEvent, "pointerleave", 0), look("left");
const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data, colors = {};
for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3] === 255) { const c = [pixels[i], pixels[i + 1], pixels[i + 2]].join(); colors[c] = (colors[c] || 0) + 1; }
// Which columns of pixels have a candle's color.
const column = (x) => { for (let y = 0; y < canvas.height; ++y) { const i = 4 * (y * canvas.width + x); if (WANTED.includes([pixels[i], pixels[i + 1], pixels[i + 2]].join()) && pixels[i + 3] === 255) return "x"; } return " "; };
let columns = "";
for (let x = 85; x < canvas.width - 17; ++x) columns += column(x);
const out = document.createElement("pre");
out.id = "said";
out.textContent = JSON.stringify({ said, colors, columns });
document.body.append(out);
"""


def rgb(color: str) -> str:
    return ",".join(str(int(color[i : i + 2], 16)) for i in (1, 3, 5))


def candles() -> Chart:
    """Twenty minutes of candles in Tokyo, of which five in the middle are missing, with volume and a mean."""
    begin = 1482630780 * 10**6  # 10:53 in Tokyo
    kept = [i for i in range(20) if not 8 <= i < 13]
    xs = [begin + i * MINUTE for i in kept]
    closes = [100.0 + (i * 7 % 5) for i in kept]
    opens = [99.5 + (i * 3 % 5) for i in kept]
    highs, lows = [max(a, b) + 1 for a, b in zip(opens, closes)], [min(a, b) - 1 for a, b in zip(opens, closes)]
    chart = Chart("price </script><b>&", "at", True, zone=zone_of("Asia/Tokyo"), interval=MINUTE)
    chart.lines = [Line(name, xs, ys, name, "price") for name, ys in (("open", opens), ("high", highs), ("low", lows), ("close", closes))]
    chart.lines += [Line("mean", xs, [99.0 + i % 3 for i in kept], "value", "price"), Line("volume", xs, [float(i) for i in kept], "bar", "amount")]
    return chart


def browse(file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    assert BROWSER is not None
    profile = file.parent / "profile"
    return subprocess.run(
        [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars", f"--user-data-dir={profile}", f"--window-size={WIDTH},{HEIGHT}",
         "--force-device-scale-factor=1", "--virtual-time-budget=3000", *options, file.as_uri()],
        capture_output=True, text=True, timeout=120, env={**os.environ, "HOME": str(file.parent)},
    )  # fmt: skip


def shown(tmp_path: Path, text: str, shares: list[float]) -> dict[str, Any]:
    """What the browser makes of a page, after the actions. Its picture is beside it, and stays in the working folder when the test fails."""
    if BROWSER is None:
        pytest.skip("not proven: chromium is not installed, which shows charts in html")
    file = tmp_path / "page.html"
    actions = ACTIONS.replace("SHARES", json.dumps(shares)).replace("WANTED", json.dumps([rgb(RISING), rgb(FALLING)]))
    file.write_text(text.replace("</html>", f"<script>{actions}</script></html>"))
    done = browse(file, "--dump-dom")
    found = re.search(r'<pre id="said">(.*?)</pre>', done.stdout, re.S)
    assert found is not None, f"the page's script did not come to its end:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    said: dict[str, Any] = json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    return said


@pytest.fixture
def kept(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A picture of the page; a test that fails leaves it where the tests were started."""
    picture = tmp_path / "page.png"

    def keep() -> None:
        if picture.exists() and getattr(request.node, "failed", True):
            shutil.copy(picture, Path.cwd() / f"failed-{request.node.name}.png")

    request.addfinalizer(keep)
    return picture


def test_candles_in_a_browser(tmp_path: Path, kept: Path, request: pytest.FixtureRequest) -> None:
    chart = candles()
    result = shown(tmp_path, page(chart), [0.02, 0.5, 0.98])
    assert browse(tmp_path / "page.html", f"--screenshot={kept}").returncode == 0 and kept.read_bytes().startswith(b"\x89PNG")
    said = {what: (span, values) for what, span, values in result["said"]}
    assert said["all"] == ("2016-12-25 10:53:00 \u2013 2016-12-25 11:13:00", ["price", "mean", "volume"])
    assert said["mouse 0.02"][1] == ["2016-12-25 10:53:00", "price open 99.5 high 101 low 98.5 close 100", "mean 99", "volume 0"]
    # In a gap nothing is under the mouse, and no other interval's values are shown for it.
    assert said["mouse 0.5"][1][1:] == ["price \u2014", "mean \u2014", "volume \u2014"]
    assert said["mouse 0.98"][1][0] == "2016-12-25 11:12:00" and said["mouse 0.98"][1][3] == "volume 19"

    def span(what: str) -> tuple[str, str]:
        first, last = said[what][0].split(" \u2013 ")
        return first, last

    assert span("wheel")[0] > span("all")[0] and span("wheel")[1] < span("all")[1]
    assert span("dragged")[0] > span("wheel")[0] and span("dragged")[1] > span("wheel")[1]
    assert span("closest")[1][:16] >= span("closest")[0][:16] and int(span("closest")[1][14:16]) - int(span("closest")[0][14:16]) <= 3
    assert span("key 0") == span("left") == span("all") and span("key +")[0] > span("all")[0]
    assert said["left"][1] == said["all"][1]
    for color in (RISING, FALLING):
        assert result["colors"].get(rgb(color), 0) > 50, color
    # The candles' columns: a gap is five intervals wide, which nothing else is.
    gaps = [len(gap) for gap in re.findall(" +", result["columns"].strip())]
    interval = len(result["columns"]) / 1.02 / 20
    assert 5 * interval < max(gaps) < 5.6 * interval and sorted(gaps)[-2] < interval / 2
    assert result["colors"].get(rgb(BARS), 0) > 1000
    request.node.failed = False


def test_lines_in_a_browser(tmp_path: Path, kept: Path, request: pytest.FixtureRequest) -> None:
    """A column of times as ever, two scales, sizes that no axis has, numbers of rows."""
    chart = Chart("a, b", "row", False, [Line("a", [0, 1, 2, 3], [1.5, 2.5, 0.1, 4.0]), Line("b", [0, 1, 2, 3], [1e308, -1e308, 5e-324, 0.0])])
    text = page(chart)
    result = shown(tmp_path, text, [0.34, 0.9])
    assert browse(tmp_path / "page.html", f"--screenshot={kept}").returncode == 0
    said = {what: values for what, _, values in result["said"]}
    assert said["mouse 0.34"] == ["1", "a 2.5", "b -1e+308"] and said["mouse 0.9"] == ["3", "a 4", "b 0"]
    request.node.failed = False


def test_an_empty_page(tmp_path: Path) -> None:
    result = shown(tmp_path, page(Chart("nothing", "row", False, [])), [0.5])
    assert result["said"][0][0] == "all"


def test_a_page_is_whole(tmp_path: Path) -> None:
    """It asks for nothing, and no name breaks out of it."""
    text = page(candles())
    assert text.count("</script>") == 2 and "<b>" not in text and "http" not in text.replace("https://www.w3.org", "")
    assert "<title>price &lt;/script&gt;&lt;b&gt;&amp;</title>" in text
    assert len(text) < 40_000
