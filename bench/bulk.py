"""`./dev bench bulk`, the Python side: what a user of each rival would run, on the same frames, outputs compared first.

Frames come from the project's seeded generator (bench/make_frames): 20,000 of them in 97 Zip archives, as 20,000 loose files, as
one NDJSON file, and as MessagePack and CBOR; without --quick also 355,000 in Zip archives, the size of the 2018 study. CPU time of the whole process, page
cache warm, one thread unless said, medians of alternating rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Callable, Iterator

os.environ.setdefault("POLARS_MAX_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads spin, and their time is the process's
sys.path.insert(0, str(Path(__file__).parent))

import cbor2  # noqa: E402
import duckdb  # noqa: E402
import kumihimo  # noqa: E402
import msgspec  # noqa: E402
import orjson  # noqa: E402
import ormsgpack  # noqa: E402
import polars  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet  # noqa: E402
import simdjson  # noqa: E402
from measure import alternate, ratio  # noqa: E402
from row_shapes import Shapes  # noqa: E402

WORK = Path(os.environ["KUMIHIMO_WORK"])
MAKE = Path(os.environ["KUMIHIMO_BENCH"]) / "make_frames"
FIELDS = ["last_price.price", "timestamp"]
Rows = tuple[int, float, str, str]  # count, sum of prices, first and last timestamp


def frames(kind: str, count: int) -> Path:
    """The folder (zips, files) or file (ndjson) of `count` frames, made once."""
    at = WORK / f"{kind}-{count}"
    if not at.exists():
        part = at.with_name(at.name + ".part")
        subprocess.run([MAKE, f"--{kind}", str(part), "--count", str(count)], check=True)
        part.rename(at)
    return at


class LastPrice(msgspec.Struct):
    price: float


class Frame(msgspec.Struct):
    last_price: LastPrice
    timestamp: str


def summary(prices: list[float], stamps: list[str]) -> Rows:
    return len(prices), round(sum(prices), 3), stamps[0], stamps[-1]


def table_summary(table: pa.Table) -> Rows:
    return summary(table.column(0).to_pylist(), [str(t) for t in table.column(1).to_pylist()])


def entries(folder: Path) -> Iterator[bytes]:
    for archive in sorted(folder.iterdir()):
        with zipfile.ZipFile(archive) as opened:
            for name in opened.namelist():
                yield opened.read(name)


def ours(inputs: list[str], *, level: str = "strict", jobs: int = 1) -> Callable[[], pa.Table]:
    fields = ["price=last_price.price:float64", "timestamp=timestamp:string"]
    return lambda: pa.table(kumihimo.extract(inputs, fields, level=level, jobs=jobs))


def with_msgspec(documents: Callable[[], Iterator[bytes]]) -> Callable[[], pa.Table]:
    decode = msgspec.json.Decoder(Frame).decode

    def work() -> pa.Table:
        prices, stamps = [], []
        for document in documents():
            frame = decode(document)
            prices.append(frame.last_price.price)
            stamps.append(frame.timestamp)
        return pa.table({"price": prices, "timestamp": stamps})

    return work


def with_orjson_files(folder: Path) -> Callable[[], pa.Table]:
    def work() -> pa.Table:
        prices, stamps = [], []
        for name in sorted(os.listdir(folder)):
            with open(folder / name, "rb") as file:
                document = orjson.loads(file.read())
            prices.append(document["last_price"]["price"])
            stamps.append(document["timestamp"])
        return pa.table({"price": prices, "timestamp": stamps})

    return work


def compare(task: str, contenders: dict[str, Callable[[], pa.Table]], rounds: int) -> None:
    """Checks that all give the same rows, then measures them; the first is ours."""
    seen = {name: table_summary(work()) for name, work in contenders.items()}
    mine = next(iter(seen.values()))
    for name, rows in seen.items():
        if rows != mine:
            sys.exit(f"{task}: {name} gave {rows}, {next(iter(seen))} gave {mine}")
    taken = alternate(contenders, rounds)
    own = taken.pop(next(iter(contenders)))
    print(f"{task}: {mine[0]:,} rows; kumihimo {own:.3f} s CPU ({mine[0] / own:,.0f} documents/s)")
    for name, seconds in taken.items():
        print(f"    {name}: {seconds:.3f} s ({mine[0] / seconds:,.0f} documents/s)")
        ratio(task, name, seconds / own, rounds)


def arrow_of(duck: duckdb.DuckDBPyConnection, query: str) -> pa.Table:
    """A query's rows. Of what execute() gives duckdb makes one copy more, and says so."""
    found = duck.sql(query)
    return found.to_arrow_table() if hasattr(found, "to_arrow_table") else found.arrow()


def comparisons(count: int, rounds: int) -> None:
    zips = frames("zips", count)
    compare("bulk.zip.two_fields", {"kumihimo": ours([str(zips)]), "zipfile+msgspec": with_msgspec(lambda: entries(zips))}, rounds)

    files = frames("files", count)
    compare("bulk.files.two_fields", {"kumihimo": ours([str(files)]), "orjson": with_orjson_files(files)}, rounds)

    lines = frames("ndjson", count)
    duck = duckdb.connect(config={"threads": 1})
    query = (
        f"select last_price.price as price, timestamp from read_json('{lines}', format='newline_delimited', "
        "columns={'last_price': 'struct(price double)', 'timestamp': 'varchar'})"
    )
    schema = {"last_price": polars.Struct({"price": polars.Float64}), "timestamp": polars.String}

    def with_duckdb() -> pa.Table:
        return arrow_of(duck, query)

    def with_polars() -> pa.Table:
        scan = polars.scan_ndjson(lines, schema=schema)
        return scan.select(polars.col("last_price").struct.field("price"), "timestamp").collect().to_arrow()

    compare("bulk.ndjson.two_fields", {"kumihimo": ours([str(lines)]), "duckdb": with_duckdb, "polars": with_polars}, rounds)


def conditions(count: int, rounds: int) -> None:
    """One document in a hundred is wanted, by one condition and by three: against all of them without a condition."""
    zips, lines = frames("zips", count), frames("ndjson", count)
    for name, place in (("", str(zips)), (".ndjson", str(lines))):
        everything = ours([place])()
        prices = sorted(everything.column(0).to_pylist())
        least = prices[-count // 100]
        fields = ["price=last_price.price:float64", "timestamp=timestamp:string"]

        def chosen(where: str) -> Callable[[], pa.Table]:
            return lambda: pa.table(kumihimo.extract([place], fields, where=where, jobs=1))

        simple = f"last_price.price >= {least}"
        contenders = {
            "none": ours([place]),
            "one": chosen(simple),
            "three": chosen(f"timestamp matches '^2' and {simple} and currency_pair like 'btc%'"),
            "all": chosen("last_price.price > 0"),
        }
        few = [row for row in zip(*(c.to_pylist() for c in everything.columns)) if row[0] >= least]
        for contender in ("one", "three"):
            if list(zip(*(c.to_pylist() for c in contenders[contender]().columns))) != few:
                sys.exit(f"the condition {contender} selects other rows")
        taken = alternate(contenders, rounds)
        print(f"{len(few):,} of {count:,} documents by a condition: {taken['one']:.3f} s CPU, by three {taken['three']:.3f} s; all {taken['all']:.3f} s; none {taken['none']:.3f} s")
        ratio(f"bulk.where.one_percent{name}", "no condition", taken["none"] / taken["one"], rounds)


def exploded(count: int, rounds: int) -> None:
    """A row of each trade, with the time of its frame."""
    lines = frames("ndjson", count)
    fields = ["price=.price:float64", "at=$.timestamp:string", "amount=.amount:float64", "tid=.tid:int64"]
    duck = duckdb.connect(config={"threads": 1})
    query = (
        "select t.price, timestamp, t.amount, t.tid from (select timestamp, unnest(trades) as t from "
        f"read_json('{lines}', format='newline_delimited', "
        "columns={'timestamp': 'varchar', 'trades': 'struct(price double, amount double, tid bigint)[]'}))"
    )
    trade = polars.Struct({"price": polars.Float64, "amount": polars.Float64, "tid": polars.Int64})

    def with_ours() -> pa.Table:
        return pa.table(kumihimo.extract(lines, fields, rows="trades[*]", jobs=1))

    def with_duckdb() -> pa.Table:
        return arrow_of(duck, query)

    def with_polars() -> pa.Table:
        scan = polars.scan_ndjson(lines, schema={"timestamp": polars.String, "trades": polars.List(trade)})
        one = polars.col("trades").struct
        return scan.explode("trades").select(one.field("price"), "timestamp", one.field("amount"), one.field("tid")).collect().to_arrow()

    compare("bulk.rows.trades", {"kumihimo": with_ours, "duckdb": with_duckdb, "polars": with_polars}, rounds)


def shapes(count: int, rounds: int) -> None:
    """Rows of arrays whose elements are short, wide, lack keys, have them in another order, or have texts; and arrays in arrays."""
    duck = duckdb.connect(config={"threads": 1})
    for name in ("short", "wide", "missing", "reordered", "texts", "groups"):
        lines = WORK / f"shape-{name}-{count}"
        if not lines.exists():
            make = getattr(Shapes(), name)
            lines.write_text("".join(json.dumps({"id": f"document {i}", "rows": make()}) + "\n" for i in range(count)))
        text = name in ("missing", "reordered", "texts")
        nested = name == "groups"
        fields = ["price=.b:float64", "id=$.id:string", "a=.a:int64"] + (["s=.s:string"] if text else []) + (["g=..g:int64"] if nested else [])
        struct = "struct(a bigint, b double" + (", s varchar)" if text else ")")
        element = f"struct(g bigint, b {struct}[])" if nested else struct
        source = f"select id, unnest(rows) as t from read_json('{lines}', format='newline_delimited', columns={{'id': 'varchar', 'rows': '{element}[]'}})"
        if nested:
            source = f"select id, t.g as g, unnest(t.b) as t from ({source})"
        query = "select t.b, id, t.a" + (", t.s" if text else "") + (", g" if nested else "") + f" from ({source})"
        contenders = {
            "kumihimo": lambda: pa.table(kumihimo.extract(lines, fields, rows="rows[*].b[*]" if nested else "rows[*]", jobs=1)),
            "duckdb": lambda: arrow_of(duck, query),
        }
        mine, theirs = ([c.to_pylist() for c in work().columns] for work in contenders.values())
        if mine != theirs:
            sys.exit(f"rows of the shape {name} differ from duckdb's")
        taken = alternate(contenders, rounds)
        rows = len(mine[0])
        print(f"bulk.rows.{name}: {rows:,} rows of {lines.stat().st_size / 1e6:.0f} MB; kumihimo {taken['kumihimo']:.3f} s CPU, duckdb {taken['duckdb']:.3f} s")
        ratio(f"bulk.rows.{name}", "duckdb", taken["duckdb"] / taken["kumihimo"], rounds)


def schemas(count: int, rounds: int) -> None:
    """Names and types of all that is in the frames, every one of them read."""
    lines, zips = str(frames("ndjson", count)), str(frames("zips", count))
    duck = duckdb.connect(config={"threads": 1})
    query = f"describe select * from read_json('{lines}', format='newline_delimited', sample_size=-1)"
    ours = kumihimo.schema(lines, jobs=1)
    names = {one["path"].split("[")[0].split(".")[1] for one in ours.paths if one["path"] != "$"}
    theirs = {row[0] for row in duck.execute(query).fetchall()}
    if names != theirs or ours.documents != count:
        sys.exit(f"schemas differ: {names} of {ours.documents:,} documents, {theirs}")
    contenders = {"kumihimo": lambda: kumihimo.schema(lines, jobs=1), "duckdb": lambda: duck.execute(query).fetchall(), "zip": lambda: kumihimo.schema(zips, jobs=1)}
    taken = alternate(contenders, rounds)
    print(f"the schema of {count:,} documents: {taken['kumihimo']:.3f} s CPU, out of Zips {taken['zip']:.3f} s; duckdb {taken['duckdb']:.3f} s")
    ratio("bulk.schema", "duckdb", taken["duckdb"] / taken["kumihimo"], rounds)


def candles(count: int, rounds: int) -> None:
    """Candles of a minute, with a count, against the rows that they are made of."""
    zips = str(frames("zips", count))
    fields = ["price=last_price.price:float64", "at=timestamp:timestamp[Asia/Tokyo]"]
    aggregates = ["last_price.price:float64:ohlc", "at=timestamp:timestamp[Asia/Tokyo]", "n=last_price.price:float64:count"]

    def rows() -> pa.Table:
        return pa.table(kumihimo.extract(zips, fields, jobs=1))

    def intervals() -> pa.Table:
        return pa.table(kumihimo.extract(zips, aggregates, every="1min", jobs=1))

    groups: dict[object, list[float]] = {}
    for price, at in sorted(zip(*(column.to_pylist() for column in rows().columns)), key=lambda row: row[1]):
        groups.setdefault(at.replace(second=0, microsecond=0), []).append(price)
    wanted = [(at, p[0], max(p), min(p), p[-1], len(p)) for at, p in groups.items()]
    if list(zip(*(column.to_pylist() for column in intervals().columns))) != wanted:
        sys.exit("bulk.candles: the candles are not those of the rows")
    taken = alternate({"candles": intervals, "rows": rows}, rounds)
    print(f"{len(wanted):,} candles of {count:,} documents: {taken['candles']:.3f} s CPU; the rows alone {taken['rows']:.3f} s")
    ratio("bulk.candles", "rows alone", taken["rows"] / taken["candles"], rounds)


def packed(count: int, form: str) -> Path:
    """The frames in a binary format, all of them in one array: one read of a rival's decoder."""
    at = WORK / f"array-{count}.{form}"
    if not at.exists():
        with open(frames("ndjson", count), "rb") as lines:
            at.write_bytes(kumihimo.dump([json.loads(line) for line in lines], form))
    return at


def stream(count: int, form: str) -> Path:
    """The same, one document behind the other."""
    at = WORK / f"stream-{count}.{form}"
    if not at.exists():
        with open(frames("ndjson", count), "rb") as lines, open(at, "wb") as out:
            for line in lines:
                out.write(kumihimo.dump(json.loads(line), form))
    return at


def binary(count: int, rounds: int) -> None:
    """Two fields out of binary documents, against typed and untyped decoders, and against ourselves on the same frames as NDJSON."""

    def taken(decode: Callable, price: Callable, stamp: Callable, file: Path) -> Callable[[], pa.Table]:
        def work() -> pa.Table:
            rows = decode(file.read_bytes())
            return pa.table({"price": [price(r) for r in rows], "timestamp": [stamp(r) for r in rows]})

        return work

    typed = msgspec.msgpack.Decoder(list[Frame]).decode
    in_dicts = (lambda r: r["last_price"]["price"], lambda r: r["timestamp"])
    rivals = {
        "msgpack": {
            "msgspec": taken(typed, lambda r: r.last_price.price, lambda r: r.timestamp, packed(count, "msgpack")),
            "ormsgpack": taken(ormsgpack.unpackb, *in_dicts, packed(count, "msgpack")),
        },
        "cbor": {"cbor2": taken(cbor2.loads, *in_dicts, packed(count, "cbor"))},
    }
    lines = str(frames("ndjson", count))
    for form, others in rivals.items():
        array, rows = str(packed(count, form)), str(stream(count, form))
        compare(f"bulk.{form}.two_fields", {"kumihimo": ours([array]), **others}, rounds)
        for level in ("strict", "trusted"):
            contenders = {"kumihimo": ours([rows], level=level), "ndjson": ours([lines], level=level)}
            compare(f"bulk.{form}.two_fields.stream.{level}", contenders, rounds)


REPACKED = (("msgpack", "zstd"), ("msgpack", "lz4"), ("cbor", "zstd"), ("cbor", "lz4"), ("json", "zstd"), ("json", "lz4"))


def repacked(count: int, rounds: int) -> None:
    """Two fields out of files that `kumihimo repack` made, against the same out of the Zips that it read."""
    zips = frames("zips", count)
    files = {}
    for to, frame in REPACKED:
        files[f"{to}.{frame}"] = at = WORK / f"repacked-{count}.{to}.{frame}"
        kumihimo.repack(zips, at, to=to, frame=frame)
    size = sum(f.stat().st_size for f in zips.iterdir())
    print(f"{count:,} documents repacked: zip {size / 1e6:.1f} MB, " + ", ".join(f"{name} {at.stat().st_size / 1e6:.1f} MB" for name, at in files.items()))
    for level in ("strict", "structural", "trusted"):
        suffix = "" if level == "strict" else f"_{level}"
        contenders = {"zip": ours([str(zips)], level=level), **{name: ours([str(at)], level=level) for name, at in files.items()}}
        rows = {name: table_summary(work()) for name, work in contenders.items()}
        if len(set(rows.values())) != 1:
            sys.exit(f"repacked files give other rows than the Zips: {rows}")
        taken = alternate(contenders, rounds)
        for name in files:
            print(f"{name}, {level}: {taken[name]:.3f} s CPU; from Zip {taken['zip']:.3f} s")
            ratio(f"bulk.repack.{name}.two_fields{suffix}", "zip", taken["zip"] / taken[name], rounds)
    both = {name: ours([str(at)], jobs=2) for name, at in (("zip", zips), ("file", files["msgpack.lz4"]))}
    taken = alternate(both, rounds, time.perf_counter)
    ratio("bulk.repack.msgpack.lz4.two_threads", "zip", taken["zip"] / taken["file"], rounds)


def own_pages(command: list[str]) -> tuple[float, int]:
    """Runs a command; wall seconds, and the peak of its own (anonymous) pages in bytes, sampled every 2 ms."""
    started = time.perf_counter()
    peak = 0
    with subprocess.Popen(command) as process:
        status = Path(f"/proc/{process.pid}/status")
        while process.poll() is None:
            try:
                for line in status.read_text().splitlines():
                    if line.startswith("RssAnon:"):
                        peak = max(peak, int(line.split()[1]) * 1024)
            except (OSError, ValueError):
                pass
            time.sleep(0.002)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} failed with status {process.returncode}")
    return time.perf_counter() - started, peak


def rows_in(file: Path) -> int:
    with open(file, "rb") as lines:
        return sum(1 for _ in lines) - 1


def memory(count: int) -> None:
    """The peaks of the command, all threads, over many documents: of each kind of output that could keep what it has read."""
    zips, out, kept = frames("zips", count), WORK / "memory.out", WORK / "memory.resume"
    kumihimo_command = str(Path(sys.executable).parent / "kumihimo")
    two = ["--to", "csv", "-f", "last_price.price", "-f", "timestamp"]

    def measure(what: str, words: list[str], good: Callable[[], bool], before: Callable[[list[str]], None] = lambda command: None) -> None:
        command = [kumihimo_command, *words[:1], str(zips), *words[1:], "-o", str(out), "--quiet"]
        before(command)
        wall, peak = own_pages(command)
        if not good():
            sys.exit(f"{what}: the output is not that of {count:,} documents")
        out.unlink()
        print(f"{what}, {count:,} documents from Zip, all threads: {wall:.2f} s wall, peak of own pages {peak / 1e6:.0f} MB (least wanted: under 200 MB)", flush=True)

    def killed(command: list[str]) -> None:
        """An earlier run, ended when it has kept a part."""
        with subprocess.Popen(command) as process:
            while not (kept / "manifest.json").exists() and process.poll() is None:
                time.sleep(0.01)
            process.kill()

    measure("two fields to CSV", ["extract", *two], lambda: rows_in(out) == count)
    measure("all fields to NDJSON", ["extract", "--to", "ndjson"], lambda: rows_in(out) == count - 1)
    measure("rows out of arrays", ["extract", "--to", "csv", "--rows", "trades[*]", "-f", ".price", "-f", "at=$.timestamp"], lambda: rows_in(out) >= count)
    measure("a condition", ["extract", *two, "--where", "last_price.price * 2 > 0 and currency_pair like 'btc%'"], lambda: rows_in(out) == count)
    measure("distinct rows", ["extract", *two, "--distinct", "timestamp"], lambda: 0 < rows_in(out) <= count)
    for length in ("1min", "1us"):
        measure(f"intervals of {length}", ["extract", "--to", "csv", "--every", length, "-f", "at=timestamp:timestamp[UTC]", "-f", "last_price.price:float64:ohlc", "-f", "last_price.action:string:last"], lambda: 0 < rows_in(out) <= count)
    measure("two fields, resumed", ["extract", *two, "--resume", str(kept), "--resume-every", "1M"], lambda: rows_in(out) == count, killed)
    measure("the schema", ["schema", "--to", "json"], lambda: json.loads(out.read_text())["documents"] == count)
    measure("types of all documents, to Parquet", ["extract", "--infer", "all", "--to", "parquet"], lambda: pa.parquet.ParquetFile(out).metadata.num_rows == count)


def matrix(count: int) -> None:
    """The study's matrix in Python's terms: which library, which input, typed or dynamic, one thread or all."""
    zips = frames("zips", count)
    documents = list(entries(zips))
    texts = [d.decode() for d in documents]
    partial = kumihimo.partial(FIELDS)
    trusted = kumihimo.partial(FIELDS, level="trusted")
    typed = msgspec.json.Decoder(Frame).decode
    untyped = msgspec.json.Decoder().decode
    parser = simdjson.Parser()
    all_cores = os.cpu_count() or 1

    def each(decode: Callable, take: Callable, what: list) -> Callable[[], list]:
        return lambda: [take(decode(one)) for one in what]

    def fields(document: dict) -> tuple:
        return document["last_price"]["price"], document["timestamp"]

    def lazy_simdjson(what: list) -> Callable[[], list]:
        def work() -> list:
            rows = []
            for one in what:
                document = parser.parse(one)
                rows.append((document.at_pointer("/last_price/price"), document.at_pointer("/timestamp")))
                del document
            return rows

        return work

    def struct(frame: Frame) -> tuple:
        return frame.last_price.price, frame.timestamp

    cells: dict[str, dict[str, Callable]] = {}
    for kind, what in (("bytes", documents), ("str", texts)):
        cells[kind] = {
            "kumihimo, two fields, strict": each(partial, tuple, what),
            "kumihimo, two fields, trusted": each(trusted, tuple, what),
            "kumihimo, dynamic (loads)": each(kumihimo.loads, fields, what),
            "kumihimo, dynamic (lazy)": each(kumihimo.lazy, lambda d: (d["last_price"]["price"], d["timestamp"]), what),
            "msgspec, typed, two fields": each(typed, struct, what),
            "msgspec, dynamic": each(untyped, fields, what),
            "orjson, dynamic": each(orjson.loads, fields, what),
            "json, dynamic": each(json.loads, fields, what),
            "pysimdjson, two fields": lazy_simdjson([w if isinstance(w, bytes) else w.encode() for w in what] if kind == "str" else what),
        }
    stream = {
        "kumihimo extract, one thread": ours([str(zips)]),
        "zipfile + msgspec, typed": with_msgspec(lambda: entries(zips)),
        "zipfile + orjson": lambda: [fields(orjson.loads(d)) for d in entries(zips)],
        "zipfile + json": lambda: [fields(json.loads(d)) for d in entries(zips)],
        "zipfile alone": lambda: [len(d) for d in entries(zips)],
    }
    print(f"\nthe study's matrix, {count:,} documents, seconds of CPU (documents per second)")
    for heading, work in (("from bytes", cells["bytes"]), ("from str", cells["str"]), ("straight from the Zip", stream)):
        print(f"  {heading}")
        for name, seconds in sorted(alternate(work, 3).items(), key=lambda item: item[1]):
            print(f"    {name:34} {seconds:8.3f} s  {count / seconds:12,.0f}/s")
    print(f"  all {all_cores} threads, wall")
    for jobs in (1, all_cores):
        seconds = alternate({"kumihimo": ours([str(zips)], jobs=jobs)}, 5, time.perf_counter)["kumihimo"]
        print(f"    kumihimo extract, {jobs} thread{'s' if jobs > 1 else ''}: {seconds:8.3f} s  {count / seconds:12,.0f}/s")


STUDY = (
    ("Zip entries to strings / to bytes, nothing parsed", "50 s / 38 s"),
    ("the same as loose files", "26 min"),
    ("ServiceStack, Jil (typed, string; parsing alone)", "6 s, 7 s"),
    ("Utf8Json (typed; string / bytes; parsing alone)", "13.6 s / 8.7 s"),
    ("Json.NET, DataContract, DynamicJSON (parsing alone)", "43 s, 74 s, over 120 s"),
)


def full_size(count: int) -> None:
    zips = frames("zips", count)
    size = sum(f.stat().st_size for f in zips.iterdir())
    print(f"\nthe study's size: {count:,} documents, {size / 1e6:,.0f} MB of Zip archives, two fields to CSV")
    out = WORK / "full.csv"
    for jobs in (1, os.cpu_count() or 1):
        command = [str(Path(sys.executable).parent / "kumihimo"), "extract", str(zips), "-f", "last_price.price", "-f", "timestamp",
                   "-o", str(out), "--jobs", str(jobs)]  # fmt: skip
        wall, _ = own_pages(command)
        print(f"    kumihimo extract, {jobs} thread{'s' if jobs > 1 else ''}, inflate and parse and CSV: {wall:.2f} s")
    out.unlink()
    print("  the study's own figures (2018, another machine, .NET 4.6, 355,000 documents, 1.43 GB):")
    for what, figure in STUDY:
        print(f"    {what}: {figure}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    versions = {"msgspec": msgspec.__version__, "orjson": orjson.__version__, "ormsgpack": ormsgpack.__version__, "duckdb": duckdb.__version__, "polars": polars.__version__}
    print("rivals: " + ", ".join(f"{name} {version}" for name, version in versions.items()), flush=True)
    comparisons(5000 if quick else 20000, 3 if quick else 7)
    conditions(5000 if quick else 20000, 3 if quick else 7)
    exploded(5000 if quick else 20000, 3 if quick else 7)
    shapes(2000 if quick else 10000, 3 if quick else 7)
    schemas(5000 if quick else 20000, 3 if quick else 7)
    candles(5000 if quick else 20000, 3 if quick else 7)
    binary(5000 if quick else 20000, 3 if quick else 7)
    repacked(5000 if quick else 20000, 3 if quick else 7)
    if not quick:
        matrix(20000)
    memory(20000 if quick else 355000)
    if not quick:
        full_size(355000)


if __name__ == "__main__":
    main()
