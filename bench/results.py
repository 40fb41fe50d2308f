"""Makes docs/results.md, its charts and the README's table out of what benches measured: `results.py FILE...`, as `./dev results` calls it.

FILE is what `run.py NAME --json FILE` wrote. docs/results.json keeps the newest measurement of each task and rival with its machine, versions
and date, so that a bench can be run again alone, on another machine; the page and the charts (docs/results-NAME.svg) are made of that.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections import defaultdict
from pathlib import Path
from typing import Any

README = Path(__file__).parent.parent / "README.md"
DOCS = README.parent / "docs"
TITLES = {
    "bulk": "Extraction", "json": "JSON in C++", "cbor": "CBOR in C++", "tagged": "Tagged in C++", "scalar": "Numbers in C++",
    "python": "Python", "ruby": "Ruby and Rails", "perl": "Perl and Mojolicious", "apache": "mruby in Apache",
    "jvm": "Java and Scala",
}  # fmt: skip
HEAD = """# Results

Made by `./dev results` out of the benches' own output; `./dev bench NAME` prints the same of your machine. A ratio is
the rival's time by Kumihimo's: 2 means that Kumihimo needs half the time, and below 1 it is slower. Each is the median
of alternating runs in one process or on one machine (with 1 run a single measurement), and outputs are compared before
anything is measured. A task with `@avx2`, `@sse2` or `@scalar` ran with the kernels of that name on a machine that has
AVX-512.
"""

STUDY_HEAD = """### The study of sjson-new, again

20,000 ModuleIDs, saved to a file and loaded, in every format and frame: by a codec that Scala derives, and by
sjson-new's codecs, unchanged, on Kumihimo's backend and on its own. Times of one process, in which each form has its
turn; the study's figures are of its machine and of shorter documents (empty collections left out).
"""

# The README's rows: what is done, beside what, and the task and rival whose ratio it is.
HEADLINES = [
    ("small JSON files in a Zip to two typed columns", "Python's zipfile + msgspec, typed", "bulk.zip.two_fields", "zipfile+msgspec"),
    ("NDJSON to two columns", "duckdb, columns given", "bulk.ndjson.two_fields", "duckdb"),
    ("two fields of a 4 KB document, memory to memory", "simdjson On-Demand, which checks less", "json.project.two_fields", "simdjson_ondemand"),
    ("reading twitter.json, every value consumed", "simdjson DOM, walked", "json.read.twitter", "simdjson_dom"),
    ("writing it from C++ values", "RapidJSON with SSE4.2", "json.write.twitter", "rapidjson"),
    ("Python: `loads` of it", "orjson", "python.loads.twitter", "orjson"),
    ("Python: `dumps` of it", "orjson", "python.dumps.twitter", "orjson"),
    ("Rails: `ActiveSupport::JSON.encode` of it", "ActiveSupport 6.1", "ruby.rails.twitter", "activesupport"),
    ("Mojolicious: `encode_json` of it", "Mojo::JSON with Cpanel::JSON::XS", "perl.encode.twitter", "mojo+cpanel"),
    ("Apache: 100 records printed as JSON, each request in a VM as new", "mod_lua with lua-cjson at its best", "apache.json100.prefork", "lua-cjson best"),
    ("Scala: 20,000 records loaded from a file, derived codec", "jsoniter-scala", "jvm.load.module_ids", "jsoniter-scala"),
]
HEADLINE_TABLE = re.compile(r"\| job \| beside it \|.*?\n(?=\n)", re.S)


def merge(kept: dict[str, Any], measured: dict[str, Any]) -> None:
    """The newest measurement of each pair; what the bench no longer measures goes."""
    rows = {(row["task"], row["pair"]): row for row in kept.get(measured["bench"], [])}
    new = {(row["task"], row["pair"]): {**row, "where": measured["where"]} for row in measured["ratios"]}
    kept[measured["bench"]] = [new[key] for key in new] + ([] if not measured["quick"] else [rows[key] for key in rows if key not in new])
    if "study" in measured:
        kept[f"{measured['bench']}.study"] = {"rows": measured["study"], "where": measured["where"]}


def wrapped(text: str, first: str = "") -> str:
    """As all prose of the documents: lines under 120 characters."""
    return textwrap.fill(text, 119, initial_indent=first, subsequent_indent=" " * len(first), break_on_hyphens=False, break_long_words=False)


def rival(row: dict[str, Any]) -> str:
    return str(row["pair"].split("/", 1)[1])


def table(rows: list[dict[str, Any]]) -> list[str]:
    places: dict[str, int] = {}
    for row in rows:
        places.setdefault(row["where"], len(places) + 1)
    lines = ["| task | against | ratio | runs | measured |", "|---|---|---:|---:|---|"]
    lines += [f"| `{row['task']}` | {rival(row)} | {row['ratio']:.2f} | {row['runs']} | {places[row['where']]} |" for row in rows]
    return lines + [""] + [wrapped(where, f"{number}. ") for where, number in places.items()]


def headline_table(kept: dict[str, Any]) -> str:
    """The README's table. A row that nobody measured is an error: the README would say what is not so."""
    found = {(row["task"], rival(row)): row["ratio"] for name in TITLES for row in kept.get(name, [])}
    lines = ["| job | beside it | ratio | row |", "|---|---|---:|---|"]
    lines += [f"| {job} | {beside} | {found[task, against]:.1f} | `{task}` |" for job, beside, task, against in HEADLINES]
    return "\n".join(lines) + "\n"


def study_table(study: dict[str, Any]) -> list[str]:
    """A published study's table, made anew, with its own rows at the end: see run.py."""
    lines = ["| codecs | form | save, ms | load, ms | file, bytes |", "|---|---|---:|---:|---:|"]
    for codecs, form, save, load, size in study["rows"]:
        lines.append(f"| {codecs} | {form} | {save} | {load} | {f'{int(size):,}' if size.isdigit() else size} |")
    return [*lines, "", wrapped(study["where"])]


def study_chart(name: str, study: dict[str, Any]) -> None:
    """Two bars a row: saving and loading."""
    pyplot = plain_pyplot(name)
    rows = study["rows"][::-1]
    figure, axes = pyplot.subplots(figsize=(9, 1.2 + 0.22 * len(rows)))
    for column, up, color, label in ((2, 0.2, "#2a6f97", "save"), (3, -0.2, "#61a5c2", "load")):
        axes.barh([y + up for y in range(len(rows))], [float(row[column]) for row in rows], height=0.38, color=color, label=label)
    axes.set_yticks(range(len(rows)), [f"{row[0]}: {row[1]}" for row in rows], fontsize=7)
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.set_xlabel("milliseconds for 20,000 ModuleIDs")
    axes.legend(loc="upper right")
    figure.tight_layout()
    figure.savefig(DOCS / f"results-{name}.svg", metadata={"Date": None})
    pyplot.close(figure)


def plain_pyplot(name: str) -> Any:
    """The same numbers make the same file."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = name
    from matplotlib import pyplot

    return pyplot


def chart(name: str, rows: list[dict[str, Any]]) -> None:
    """Bars from 1, on a logarithmic scale: to the right Kumihimo is faster, to the left the rival."""
    from matplotlib.ticker import FuncFormatter

    pyplot = plain_pyplot(name)
    rows = rows[::-1]
    figure, axes = pyplot.subplots(figsize=(9, 1.2 + 0.2 * len(rows)))
    axes.barh(range(len(rows)), [row["ratio"] - 1 for row in rows], left=1, color=["#2a6f97" if row["ratio"] >= 1 else "#c8553d" for row in rows])
    axes.set_xscale("log")
    axes.axvline(1, color="#333333", linewidth=0.8)
    axes.set_yticks(range(len(rows)), [f"{row['task'].split('.', 1)[1]}  ({rival(row)})" for row in rows], fontsize=7)
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.set_xlabel("the rival's time by Kumihimo's")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.set_title(TITLES[name])
    figure.tight_layout()
    figure.savefig(DOCS / f"results-{name}.svg", metadata={"Date": None})
    pyplot.close(figure)


def main() -> None:
    store = DOCS / "results.json"
    kept = json.loads(store.read_text()) if store.exists() else {}
    for file in sys.argv[1:]:
        merge(kept, json.loads(Path(file).read_text()))
    store.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    page = [HEAD]
    groups = defaultdict(list, kept)
    for name, title in TITLES.items():
        if not groups[name]:
            continue
        chart(name, groups[name])
        page += [f"## {title}", "", f"![{title}: ratios](results-{name}.svg)", "", *table(groups[name]), ""]
        if study := kept.get(f"{name}.study"):
            study_chart(f"{name}-study", study)
            page += [STUDY_HEAD, f"![20,000 ModuleIDs in every form](results-{name}-study.svg)", "", *study_table(study), ""]
    (DOCS / "results.md").write_text("\n".join(page).rstrip("\n") + "\n")
    README.write_text(HEADLINE_TABLE.sub(lambda _: headline_table(kept), README.read_text(), count=1))


if __name__ == "__main__":
    main()
