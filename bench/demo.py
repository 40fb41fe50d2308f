"""`./dev demo`: the main job on real input, then beside what one would run instead. `demo.py DIR`; results stay in DIR.

(a) A wheel from PyPI is a Zip archive with about 1,900 JSON documents, most of them gzip inside: a few fields into a table.
(b) A day of an exchange's stream, made by the seeded generator in the exact shape of the real one, in a Zip every five minutes:
    two fields to CSV and a chart of the ticks.
(c) The same job with the standard library, orjson and msgspec: a table and a picture.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Callable

OUT = Path(sys.argv[1])
COUNT = 60_000
KUMIHIMO = shutil.which("kumihimo") or "kumihimo"


def heading(text: str) -> None:
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}", flush=True)


def run(*words: str) -> float:
    """Shows the command as one would type it, runs it, returns its wall seconds."""
    shown = [os.path.relpath(w) if os.path.isabs(w) else w for w in words]
    print("$ kumihimo " + " ".join(f"'{w}'" if set(w) & set("*[=|$ ") else w for w in shown), flush=True)
    started = time.perf_counter()
    subprocess.run([KUMIHIMO, *words], check=True)
    return time.perf_counter() - started


def wheel() -> Path | None:
    """botocore's wheel, fetched once by pip; None where there is no registry."""
    found = sorted(OUT.glob("botocore-*.whl"))
    if not found:
        print("fetching botocore's wheel from PyPI (16 MB, once)", flush=True)
        fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"]
        done = subprocess.run([*fetch, "--dest", str(OUT), "botocore"], capture_output=True, text=True)
        if done.returncode != 0:
            print("PyPI could not be reached, so this part is left out:", done.stderr.strip().splitlines()[-1:] or "no reason given")
            return None
        found = sorted(OUT.glob("botocore-*.whl"))
    return found[0]


def show(table: Path, rows: int) -> None:
    with open(table, newline="", encoding="utf-8") as file:
        lines = [[cell[:38] for cell in row] for row, _ in zip(csv.reader(file), range(rows + 1))]
    widths = [max(map(len, cells)) for cells in zip(*lines)]
    for line in lines:
        print("    " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def part_wheel() -> None:
    heading("(a) A PyPI wheel: 1,900 JSON documents in a Zip, most of them gzip inside")
    archive = wheel()
    if archive is None:
        return
    table = OUT / "services.csv"
    fields = ("service=metadata.serviceFullName", "protocol=metadata.protocol", "since=metadata.apiVersion", "signature=metadata.signatureVersion")
    wall = run("extract", str(archive), "--match", "**/service-2.json.gz", *(w for f in fields for w in ("-f", f)), "--source", "-o", str(table))
    show(table, 6)
    print(f"    ... in {wall:.2f} s, start of Python included")


def frames() -> Path:
    at = OUT / f"frames-{COUNT}"
    if not at.exists():
        print(f"making {COUNT:,} frames of an exchange's day (once)", flush=True)
        part = OUT / "frames.part"
        shutil.rmtree(part, ignore_errors=True)
        subprocess.run([os.environ["KUMIHIMO_FRAMES"], "--zips", str(part), "--count", str(COUNT)], check=True)
        part.rename(at)
    return at


FIELDS = ("price=last_price.price:float64", "at=timestamp:timestamp[Asia/Tokyo]")


def part_frames(at: Path) -> None:
    heading("(b) A day of an exchange's order book, in a Zip every five minutes: two fields to CSV and a tick chart")
    table, chart = OUT / "ticks.csv", OUT / "ticks.png"
    wall = run("extract", str(at), *(w for f in FIELDS for w in ("-f", f)), "-o", str(table), "--chart", str(chart))
    show(table, 4)
    print(f"    {COUNT:,} documents in {wall:.2f} s, with the chart: {os.path.relpath(chart)}")


def entries(at: Path):
    for archive in sorted(at.iterdir()):
        with zipfile.ZipFile(archive) as opened:
            for name in opened.namelist():
                yield opened.read(name)


def rivals(at: Path) -> dict[str, Callable[[], float]]:
    """Each reads every frame and returns the sum of the prices, which must agree."""

    def script(imports: str, price: str) -> Callable[[], float]:
        code = (
            f"import sys, os, zipfile\n{imports}\ntotal = 0.0\n"
            "for name in sorted(os.listdir(sys.argv[1])):\n"
            "    with zipfile.ZipFile(os.path.join(sys.argv[1], name)) as z:\n"
            "        with open(sys.argv[2], 'a') as out:\n"
            "            for entry in z.namelist():\n"
            f"                {price}\n"
            "                total += price; print(price, stamp, sep=',', file=out)\n"
            "print(total)"
        )

        def work() -> float:
            done = subprocess.run([sys.executable, "-c", code, str(at), os.devnull], check=True, capture_output=True, text=True)
            return float(done.stdout)

        return work

    def kumihimo(*more: str) -> Callable[[], float]:
        def work() -> float:
            table = OUT / "side.csv"
            words = [KUMIHIMO, "extract", str(at), "-f", "price=last_price.price:float64", "-f", "timestamp:string", "-o", str(table), "--quiet", *more]
            subprocess.run(words, check=True)
            return -1.0

        return work

    plain = "d = {}.loads(z.read(entry)); price, stamp = d['last_price']['price'], d['timestamp']"
    typed = (
        "import msgspec\nclass P(msgspec.Struct):\n    price: float\nclass F(msgspec.Struct):\n    last_price: P\n    timestamp: str\n"
        "decode = msgspec.json.Decoder(F).decode"
    )
    return {
        "kumihimo extract": kumihimo(),
        "kumihimo extract --jobs 1": kumihimo("--jobs", "1"),
        "zipfile + msgspec (typed)": script(typed, "f = decode(z.read(entry)); price, stamp = f.last_price.price, f.timestamp"),
        "zipfile + orjson": script("import orjson", plain.format("orjson")),
        "zipfile + json": script("import json", plain.format("json")),
    }


def part_rivals(at: Path) -> None:
    heading(f"(c) The same {COUNT:,} documents, Zip to two columns of CSV, beside what one would run instead (wall seconds, best of three)")
    taken: dict[str, float] = {}
    sums = set()
    contenders = rivals(at)
    for turn in range(3):
        for name, work in contenders.items():
            if turn > 0 and taken[name] > 2.0:
                continue
            started = time.perf_counter()
            total = work()
            taken[name] = min(taken.get(name, 1e9), time.perf_counter() - started)
            if total < 0:
                with open(OUT / "side.csv", newline="", encoding="utf-8") as file:
                    total = sum(float(row[0]) for row in list(csv.reader(file))[1:])
            sums.add(round(total, 2))
    if len(sums) != 1:
        sys.exit(f"the contenders disagree about the sum of the prices: {sums}")
    fastest = taken["kumihimo extract"]
    for name, seconds in taken.items():
        bar = "#" * max(1, round(50 * seconds / max(taken.values())))
        print(f"    {name:28} {seconds:7.2f} s {seconds / fastest:6.1f}x  {bar}")
    (OUT / "side.json").write_text(json.dumps({"count": COUNT, "seconds": taken}, indent=1))
    picture(taken, OUT / "side.png")
    print(f"    the same as a picture: {os.path.relpath(OUT / 'side.png')}")


def picture(taken: dict[str, float], to: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(9, 0.55 * len(taken) + 1.1), layout="constrained")
    names = list(taken)[::-1]
    bars = axis.barh(names, [taken[n] for n in names], color=["#3b5bdb" if n.startswith("kumihimo") else "#adb5bd" for n in names])
    axis.bar_label(bars, fmt="%.2f s", padding=4)
    axis.set_title(f"{COUNT:,} JSON documents in Zip archives to two columns of CSV")
    axis.set_xlabel("wall seconds, less is better")
    axis.spines[["top", "right"]].set_visible(False)
    axis.margins(x=0.12)
    figure.savefig(to, dpi=100)
    figure.savefig(to.with_suffix(".svg"), metadata={"Date": None})
    pyplot.close(figure)


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    part_wheel()
    at = frames()
    part_frames(at)
    part_rivals(at)


if __name__ == "__main__":
    main()
