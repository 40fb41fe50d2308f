"""The `kumihimo` command and its subcommands. docs/extract.md, docs/convert.md and docs/repack.md describe them.

Only click is imported at the start; whatever draws, shows progress or writes Parquet is imported when it is used, because
`kumihimo --help` must answer before anyone notices.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Optional, Sequence

import click

from kumihimo import ending_signals
from kumihimo.exit_status import BAD, INTERRUPTED, USAGE
from kumihimo.forms import EXISTING, NAMES

LARGEST = (1 << 63) - 1  # what the engine counts with
MOST_JOBS = 1024
SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class Size(click.ParamType):
    """A number of bytes: 65536, 64K, 1.5G."""

    name = "SIZE"

    def convert(self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]) -> int:
        if isinstance(value, int):
            return value
        text = value.strip().upper().removesuffix("B").removesuffix("I")
        unit = text[-1:] if text[-1:] in SIZES and text[-1:] else ""
        try:
            number = text.removesuffix(unit)
            size = int(number) * SIZES[unit] if number.isdecimal() else int(float(number) * SIZES[unit])
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is not a size; write bytes, or a number with K, M or G, such as 64M", param, ctx)
        if not 0 < size <= LARGEST:
            self.fail("a size is larger than 0, and smaller than 8388608T", param, ctx)
        return size


class Count(click.IntRange):
    """A whole number from `least`; the help says nothing of the engine's own limit."""

    def __init__(self, least: int, most: int = LARGEST) -> None:
        super().__init__(least, most)

    def convert(self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]) -> Any:
        number = click.INT.convert(value, param, ctx)
        if number > self.max:
            self.fail(f"{number} is more than {self.max}", param, ctx)
        return super().convert(number, param, ctx)

    def _describe_range(self) -> str:
        return f"x>={self.min}"


class Share(click.ParamType):
    """A share of the rows: 1%, 0.5%."""

    name = "PERCENT"

    def convert(self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]) -> float:
        if isinstance(value, float):
            return value
        try:
            percent = float(value.removesuffix("%")) if value.endswith("%") else -1.0
        except ValueError:
            percent = -1.0
        if not 0 <= percent <= 100:
            self.fail(f"{value!r} is no share of the rows; write 1% or 0.5%", param, ctx)
        return percent / 100


class Names(click.ParamType):
    """Names with commas between them; one that has a comma is in double quotes, as in CSV."""

    name = "COLUMN,..."

    def convert(self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]) -> list[str]:
        if isinstance(value, list):
            return value
        import csv

        names = next(csv.reader([value], skipinitialspace=True), [])
        if not names or "" in names:
            self.fail(f"{value!r} are no names of columns; write price,pair", param, ctx)
        return names


class OnError(click.ParamType):
    """stop, skip, null or quarantine=FILE."""

    name = "POLICY"

    def convert(self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]) -> tuple[str, Optional[str]]:
        if isinstance(value, tuple):
            return value
        policy, equals, file = value.partition("=")
        if policy == "quarantine" and file == "-":
            self.fail("standard output is for the rows: name a file for the bad records", param, ctx)
        if policy == "quarantine" and file:
            return policy, file
        if policy in ("stop", "skip", "null") and not equals:
            return policy, None
        self.fail(f"{value!r} is none of stop, skip, null and quarantine=FILE", param, ctx)

    def completions(self) -> list[str]:
        return ["stop", "skip", "null", "quarantine="]


def version_text() -> str:
    from kumihimo import __version__, _core

    return f"kumihimo {__version__} (kernel {_core.kernel()}, of {', '.join(_core.kernels())}; {_core.inflate_library()})"


def show_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(version_text())
        ctx.exit()


def run(job: Any) -> None:
    """Does the work and ends with its status."""
    ending_signals.raise_late()  # a signal may have come while the job's module was imported
    sys.exit(job.run())


class Commands(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # The reader of our standard output is gone (| head): that is its right, and no error of ours. click would make it one.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            sys.exit(0)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=show_version, help="The version, and the kernels of this machine.")
def group() -> None:
    """JSON and MessagePack at the speed of the hardware.

    \b
    Examples:
      kumihimo extract archives/ -f last_price.price -f timestamp -o ticks.csv
      kumihimo check *.json
      kumihimo convert ticks.ndjson -o ticks.msgpack.zst
      kumihimo schema archives/
      kumihimo repack archives/ -o ticks.msgpack.zst
      kumihimo measure ticks.ndjson
    """


class FormatName(click.ParamType):
    """A name of the table of formats, or of the table of frames, or an ending of such files; the tables are read when one is given."""

    def __init__(self, table: str, *more: str) -> None:
        self.table, self.more, self.name = table, more, table[:-1].upper()

    def convert(self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]) -> str:
        from kumihimo import _core

        rows = getattr(_core, self.table)()
        names = [row["name"] for row in rows] + list(self.more)
        if value in names:
            return str(value)
        for row in rows:
            if "." + str(value).lower().removeprefix(".") in row.get("endings", (row.get("ending"),)):
                return str(row["name"])
        self.fail(f"{value!r} is none of {', '.join(names)}, nor an ending of their files", param, ctx)

    def completions(self) -> list[str]:
        from kumihimo import _core

        return [row["name"] for row in getattr(_core, self.table)()] + list(self.more)


class Stated(FormatName):
    """What all documents are: an ending stays one, for `ndjson` says more than `json`."""

    def __init__(self) -> None:
        super().__init__("formats")

    def convert(self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]) -> str:
        name = super().convert(value, param, ctx)
        return name if value == name else str(value).lower().removeprefix(".")


EXTRACT_HELP = """Turn JSON documents into rows: one row per document, one column per field.

INPUT is a file, a folder (all files below it), a glob in quotes, a URL (by fsspec), or - for standard input. Zip archives (.whl and .jar alike),
tar, gzip, zstd, lz4, xz, bzip2, NDJSON, top-level arrays, concatenated and single documents are told by their content. Rows come out in
input order.

\b
Examples:
  Two fields of every document in a folder of Zip archives, with a chart:
    kumihimo extract ticks/ -f price=last_price.price -f 'at=timestamp:timestamp[Asia/Tokyo]' \\
        -o ticks.csv --chart ticks.png
  Some entries of a wheel, gzip inside, to Parquet:
    kumihimo extract botocore.whl --match '**/service-2.json.gz' -f metadata.serviceFullName -o services.parquet
  A row of each trade, with the time of its document:
    kumihimo extract ticks/ --rows 'trades[*]' -f .price -f .amount -f '$.timestamp' -o trades.parquet
  Into a table, and into a folder of Parquet files by day:
    kumihimo extract ticks/ -o ticks.sqlite --table ticks --if-exists append
    kumihimo extract ticks/ -f 'at=timestamp:timestamp' -f id -o days --to parquet --partition-by 'DATE(at)'
  Candles of five minutes, and a page that shows them:
    kumihimo extract ticks/ --every 5min -f price:ohlc -f volume=amount:sum -o candles.csv --chart candles.html
  From a pipe to a pipe, bad documents put aside:
    curl ... | kumihimo extract - -f id -f 'prices=trades[*].price' --to ndjson --on-error quarantine=bad.ndjson | ...

\b
Fields: [NAME=]PATH[:TYPE]
  PATH  last_price.price   asks[0][1]   trades[*].price   /json/pointer   ["key with . = : ["]   $ (all of it)
        trades[-1].price (the last)   pairs.*.price (of each member)   $..price (however deep)
  TYPE  int64 float64 decimal string bool timestamp timestamp[Zone] timestamp[%d/%b/%Y] json list[TYPE]
        struct[NAME:TYPE,...]; inferred when left out
        with --rows: .price is of the row's element, ..name of the one around it, $.timestamp of the document; .~ is a member's key
        with --every: PATH[:TYPE]:AGGREGATE, of ohlc open high low close first last min max mean sum count
  NAME[:TYPE] := EXPRESSION calculates: spread := ask - bid; + - * / ( ) coalesce concat length strptime
Without fields, every value outside arrays becomes a column.
"""


@group.command(help=EXTRACT_HELP, short_help="Turn JSON documents into rows: files of many forms, folders of parts, tables, and a chart.")
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("-f", "--field", "fields", metavar="FIELD", multiple=True, help="A column: [NAME=]PATH[:TYPE], or calculated, NAME[:TYPE] := EXPRESSION. Repeat for more.")
@click.option("--schema", metavar="FILE", help="The columns, as `kumihimo schema` wrote them, or as JSON Schema or an Arrow schema says; in place of -f.")
@click.option("--rows", metavar="PATH[*]", help="Make a row of each element of these arrays, or member of objects, and not of each document: trades[*], a[*].b[*], pairs.*.")
@click.option("--rows-outer", is_flag=True, help="With --rows: a row also where there is no element.")
@click.option("--every", metavar="LENGTH", help="A row of each interval of time, and not of each document: 5min, 1h, 1day, 1week, 1month. Fields say what is made of their values.")
@click.option("--time", metavar="FIELD", help="With --every: the time that intervals run along.  [default: the field without an aggregate, else looked for]")
@click.option("--zone", metavar="ZONE", help="With --every: whose days they are, such as Asia/Tokyo.  [default: the times' own]")
@click.option("--gaps", type=click.Choice(["skip", "empty", "carry"]), help="With --every: for an interval without a row no row, an empty one, or one with the last values.  [default: skip]")
@click.option("--open-intervals", type=Count(1), metavar="N", help="With --every: intervals that wait for late rows.  [default: 1000000]")
@click.option("-o", "--output", metavar="FILE", default="-", help="Where the rows go; - is standard output.  [default: -]")
@click.option("--to", type=click.Choice(NAMES), help="The rows' form; json is one array, sqlite and duckdb are tables.  [default: by FILE's ending, else csv]")
@click.option("--compress", type=FormatName("frames", "none"), help="Compress what is written, where it is a stream of bytes.  [default: by FILE's ending]")
@click.option("--compress-level", type=int, metavar="N", help="How hard to compress.")
@click.option("--table", metavar="NAME", help="The table in a database.  [default: rows]")
@click.option("--if-exists", type=click.Choice(EXISTING), help="For what is there already; append is for tables.  [default: replace for a file, else fail]")
@click.option("--split-rows", type=Count(1), metavar="N", help="FILE is a folder of files with at most N rows each.")
@click.option("--partition-by", metavar="COLUMN", multiple=True, help="FILE is a folder of folders by a column's values: [NAME=]COLUMN or [NAME=]DATE(COLUMN). Repeat for more.")
@click.option("--row-group-rows", type=Count(1), metavar="N", help="Rows of a row group of Parquet.  [default: by their size]")
@click.option("--chart", "charts", metavar="FILE", multiple=True, help="Also draw the numeric columns, and candles of --every: .png, .svg, .html, .txt, or - for the terminal. Repeat for more.")
@click.option("--match", metavar="GLOB", multiple=True, help="Only entries and files below folders whose path matches; ** crosses folders. Repeat for more.")
@click.option("--from", "--format", "format", type=Stated(), help="What all documents are.  [default: by each name's ending, else by its bytes]")
@click.option("--from-dialect", "dialect", metavar="NAME", help="What reading grants or refuses, of the format that --from or the endings name; convert --list-formats names them.")
@click.option("--where", metavar="CONDITION", help="Only documents, or rows, for which it holds: 'price * amount > 100 and currency == \"jpy\"'.")
@click.option("--source", is_flag=True, help="Add columns that say where each row came from: archive, entry, offset.")
@click.option("--sample-rows", type=Share(), metavar="PERCENT", help="A share of the rows, such as 1%, the same ones in every run.")
@click.option("--seed", type=Count(0), metavar="N", help="With --sample-rows: another number takes other rows.  [default: 0]")
@click.option("--distinct", type=Names(), metavar="COLUMN,...", help="Only rows that are the first with their values in these columns.")
@click.option("--distinct-size", type=Size(), help="Memory for what --distinct has seen.  [default: 256M]")
@click.option("--limit", type=Count(0), metavar="N", help="Stop after N rows.")
@click.option("--limit-per-archive", type=Count(0), metavar="N", help="N rows of each input at most.")
@click.option("--on-error", type=OnError(), default="stop", help="For bad documents: stop, skip, null or quarantine=FILE.  [default: stop]")
@click.option("--level", type=click.Choice(["strict", "structural", "trusted"]), default="strict", help="How carefully what no field wants is checked.  [default: strict]")
@click.option("-j", "--jobs", type=Count(1, MOST_JOBS), metavar="N", help="Threads.  [default: all cores]")
@click.option("--sample", type=Count(1), default=1000, metavar="N", help="Documents to infer types from.  [default: 1000]")
@click.option("--nested-types", is_flag=True, help="Infer lists and structs, and not JSON; without -f one column for each member of a document.")
@click.option("--infer", type=click.Choice(["sample", "all"]), default="sample", help="Infer types and columns from a sample, or read all documents for it before the first row.  [default: sample]")
@click.option("--max-size", type=Size(), default="1G", help="Limit for one entry or document, inflated.  [default: 1G]")
@click.option("--max-ratio", type=Count(1), metavar="N", default=1000, help="Limit for an entry's expansion (Zip bombs).  [default: 1000]")
@click.option("--max-depth", type=Count(1), metavar="N", default=1024, help="Limit for nesting.  [default: 1024]")
@click.option("--resume", metavar="DIR", help="Keep what is read in DIR until the output is complete, then remove it: the same command goes on after whatever ended it.")
@click.option("--resume-every", type=Size(), metavar="SIZE", help="With --resume: input, or rows, that are kept at a time.  [default: 64M]")
@click.option("--summary", metavar="FILE", help="Also write what was done, as JSON, - to standard output: rows, bytes, bad records by cause, columns, seconds.")
@click.option("--progress", type=click.Choice(["bar", "json", "none"]), help="On standard error: a bar, or an object a line for programs.  [default: bar on a terminal]")
@click.option("--nested", type=Count(0), metavar="N", default=0, help="Open archives in archives, N in one another at most.  [default: 0]")
@click.option("--join", is_flag=True, help="INPUTs are the parts of one file, in this order: part.000 part.001 ...")
@click.option("--password-file", metavar="FILE", help="FILE's first line is the password of encrypted Zip entries.")
@click.option("-q", "--quiet", is_flag=True, help="No progress bar, notes or summary; errors only.")
def extract(**options: Any) -> None:
    from kumihimo.extract_command import Extract

    on_error, quarantine = options.pop("on_error")
    target = {name: options.pop(name) for name in ("to", "compress", "compress_level", "table", "if_exists", "split_rows", "partition_by", "row_group_rows")}
    run(Extract(on_error=on_error, quarantine=quarantine, target=target, **options))


@group.command(short_help="Say whether files hold valid documents, and where they do not.")
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("--from", "source", type=Stated(), help="The files' format.  [default: by each name's ending, else JSON]")
@click.option("--from-dialect", "source_dialect", metavar="NAME", help="What reading grants or refuses, of the format that --from or the endings name; convert --list-formats names them.")
@click.option("--match", metavar="GLOB", multiple=True, help="Only entries and files below folders whose path matches. Repeat for more.")
@click.option("-j", "--jobs", type=Count(1, MOST_JOBS), metavar="N", help="Threads.  [default: all cores]")
@click.option("--max-size", type=Size(), default="1G", help="Limit for one entry or document, inflated.  [default: 1G]")
@click.option("--max-ratio", type=Count(1), metavar="N", default=1000, help="Limit for an entry's expansion.  [default: 1000]")
@click.option("--max-depth", type=Count(1), metavar="N", default=1024, help="Limit for nesting.  [default: 1024]")
@click.option("--nested", type=Count(0), metavar="N", default=0, help="Open archives in archives, N in one another at most.  [default: 0]")
@click.option("--join", is_flag=True, help="INPUTs are the parts of one file, in this order: part.000 part.001 ...")
@click.option("--password-file", metavar="FILE", help="FILE's first line is the password of encrypted Zip entries.")
@click.option("-q", "--quiet", is_flag=True, help="No progress bar and no summary; errors only.")
def check(**options: Any) -> None:
    """Say whether files hold valid documents, and where they do not.

    Every document of every INPUT (as in extract) is checked in full: RFC 8259, UTF-8, depth; archives with their CRC-32. Every bad one is
    reported with archive, entry, byte offset, line, column and path. Other formats are told by their names, in a frame (gzip, zstd, lz4, xz,
    bzip2) or not. Exit status 0 when all are valid, 1 when not.

    \b
    Examples:
      kumihimo check config.json data.ndjson
      kumihimo check backup.zip --match '**/*.json'
      kumihimo check 'log/*.msgpack.zst'
      kumihimo check settings/ --from json --from-dialect relaxed
      curl ... | kumihimo check - --from cbor --from-dialect deterministic_read
    """
    from kumihimo.check_command import Check

    run(Check(**options))


def list_formats(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from kumihimo import _core

    for row in _core.formats():
        click.echo(f"{row['name']}: {' '.join(row['endings'])}")
        click.echo(f"  --from-dialect {', '.join(row['read_dialects'])}")
        click.echo(f"  --to-dialect   {', '.join(row['write_dialects'])}")
    for frame in _core.frames():
        low, high = frame["levels"]
        missing = "" if frame["available"] else "; its library is not installed"
        click.echo(f"{frame['name']}: {frame['ending']}, --frame-level {low} to {high}, usually {frame['usual_level']}{missing}")
    ctx.exit()


@group.command(short_help="Documents of any format into any other, compressed or not.")
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE", default="-", help="Where the documents go; - is standard output.  [default: -]")
@click.option("--from", "source", type=FormatName("formats"), help="The inputs' format.  [default: by each name's ending, else by its bytes]")
@click.option("--to", "target", type=FormatName("formats"), help="The format to write.  [default: by FILE's ending]")
@click.option("--from-dialect", "source_dialect", metavar="NAME", help="What reading grants; --list-formats names them.")
@click.option("--to-dialect", "target_dialect", metavar="NAME", help="How it is spelled, and what becomes of what the format cannot say.")
@click.option("--frame", type=FormatName("frames", "none"), help="Compress what is written.  [default: by FILE's ending]")
@click.option("--frame-level", type=int, metavar="N", help="How hard to compress.")
@click.option("--max-size", type=Size(), default="1G", help="Limit for one document.  [default: 1G]")
@click.option("--max-depth", type=Count(1), metavar="N", default=1024, help="Limit for nesting.  [default: 1024]")
@click.option("--list-formats", is_flag=True, expose_value=False, is_eager=True, callback=list_formats, help="The formats, their dialects and the frames.")
@click.option("-q", "--quiet", is_flag=True, help="No progress bar and no summary; errors only.")
def convert(**options: Any) -> None:
    """Documents of any format into any other, compressed or not.

    INPUT is a file, a glob in quotes, or - for standard input: one document, or several one behind the other (NDJSON too), in a frame
    (gzip, zstd, lz4) or not. All documents of all inputs go into one output, in order; a text gets a line for each. Keys keep their order,
    numbers their value: what the format that is written cannot say ends the work with its place, unless --to-dialect names what to do.

    \b
    Examples:
      kumihimo convert ticks.ndjson.gz -o ticks.msgpack.zst
      kumihimo convert 'log/*.msgpack' --to json | jq .level
      kumihimo convert config.json --from-dialect relaxed --to-dialect pretty --to json
    """
    from kumihimo.convert_command import Convert

    run(Convert(**options))


@group.command(short_help="Documents of archives into one file of blocks, which extract reads several times as fast.")
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE", default="-", help="Where the documents go; - is standard output.  [default: -]")
@click.option("--to", "target", type=FormatName("formats"), help="The format to write.  [default: by FILE's ending]")
@click.option("--to-dialect", "target_dialect", metavar="NAME", help="How it is spelled, and what becomes of what it cannot say; convert --list-formats names them.")
@click.option("--frame", type=FormatName("frames", "none"), help="How blocks are compressed; zstd and lz4 have a place for the index.  [default: by FILE's ending]")
@click.option("--frame-level", type=int, metavar="N", help="How hard to compress.  [default: 9 for lz4, else the usual one]")
@click.option("--block-size", type=Size(), default="1M", help="Text of one block, 4K to 256M.  [default: 1M]")
@click.option("--from", "source", type=Stated(), help="What all documents are.  [default: by each name's ending, else by its bytes]")
@click.option("--from-dialect", "source_dialect", metavar="NAME", help="What reading grants or refuses, of the format that --from or the endings name; convert --list-formats names them.")
@click.option("--match", metavar="GLOB", multiple=True, help="Only entries and files below folders whose path matches; ** crosses folders. Repeat for more.")
@click.option("--where", metavar="CONDITION", help="Only documents for which it holds, as in extract.")
@click.option("--sample-rows", type=Share(), metavar="PERCENT", help="A share of the documents, such as 1%, the same ones in every run.")
@click.option("--seed", type=Count(0), metavar="N", help="With --sample-rows: another number takes other documents.  [default: 0]")
@click.option("--limit", type=Count(0), metavar="N", help="Stop after N documents.")
@click.option("--limit-per-archive", type=Count(0), metavar="N", help="N documents of each input at most.")
@click.option("--on-error", type=OnError(), default="stop", help="For bad documents: stop, skip, null or quarantine=FILE.  [default: stop]")
@click.option("-j", "--jobs", type=Count(1, MOST_JOBS), metavar="N", help="Threads that read, and as many that compress.  [default: all cores]")
@click.option("--max-size", type=Size(), default="1G", help="Limit for one entry or document, inflated.  [default: 1G]")
@click.option("--max-ratio", type=Count(1), metavar="N", default=1000, help="Limit for an entry's expansion (Zip bombs).  [default: 1000]")
@click.option("--max-depth", type=Count(1), metavar="N", default=1024, help="Limit for nesting.  [default: 1024]")
@click.option("--nested", type=Count(0), metavar="N", default=0, help="Open archives in archives, N in one another at most.  [default: 0]")
@click.option("--join", is_flag=True, help="INPUTs are the parts of one file, in this order: part.000 part.001 ...")
@click.option("--password-file", metavar="FILE", help="FILE's first line is the password of encrypted Zip entries.")
@click.option("-q", "--quiet", is_flag=True, help="No progress bar, notes or summary; errors only.")
def repack(**options: Any) -> None:
    """Documents of archives into one file of blocks, which extract reads several times as fast.

    Every document of every INPUT (as in extract: Zip, tar, folders, gzip, zstd, lz4, xz, bzip2, NDJSON, arrays, binary documents) is written to FILE in input
    order, in blocks that are compressed as a whole. FILE is a stream of documents as any other (.msgpack.zst, .cbor.lz4, .ndjson.zst), which
    convert and every zstd or lz4 program read; its index lets extract read it by many threads, and say where each document came from.

    \b
    Examples:
      kumihimo repack archives/ -o ticks.msgpack.zst
      kumihimo repack 'log/*.zip' --match '**.json' --on-error quarantine=bad.ndjson -o log.cbor.lz4
      kumihimo extract ticks.msgpack.zst -f last_price.price -f timestamp --source
    """
    from kumihimo.repack_command import Repack

    on_error, quarantine = options.pop("on_error")
    run(Repack(on_error=on_error, quarantine=quarantine, **options))


@group.command(short_help="What stands at each path of documents: how often, of which types, with examples.")
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE", default="-", help="Where the schema goes; - is standard output.  [default: -]")
@click.option("--to", type=click.Choice(["table", "json", "json-schema", "arrow"]), help="Its form; json has everything.  [default: by FILE's ending (.json, .schema.json, .arrow), else table]")
@click.option("--fold", type=Count(0), default=1000, metavar="N", help="Keys of objects with more than N different ones count as one, *.  [default: 1000]")
@click.option("--nested-types", is_flag=True, help="Columns are lists and structs, as extract --nested-types finds them, and not JSON.")
@click.option("--from", "source", type=Stated(), help="What all documents are.  [default: by each name's ending, else by its bytes]")
@click.option("--from-dialect", "source_dialect", metavar="NAME", help="What reading grants or refuses, of the format that --from or the endings name; convert --list-formats names them.")
@click.option("--match", metavar="GLOB", multiple=True, help="Only entries and files below folders whose path matches; ** crosses folders. Repeat for more.")
@click.option("--where", metavar="CONDITION", help="Only documents for which it holds, as in extract.")
@click.option("--sample-rows", type=Share(), metavar="PERCENT", help="A share of the documents, such as 1%, the same ones in every run.")
@click.option("--seed", type=Count(0), metavar="N", help="With --sample-rows: another number takes other documents.  [default: 0]")
@click.option("--limit", type=Count(0), metavar="N", help="Stop after N documents.")
@click.option("--limit-per-archive", type=Count(0), metavar="N", help="N documents of each input at most.")
@click.option("--on-error", type=OnError(), default="stop", help="For bad documents: stop, skip or quarantine=FILE.  [default: stop]")
@click.option("-j", "--jobs", type=Count(1, MOST_JOBS), metavar="N", help="Threads.  [default: all cores]")
@click.option("--max-size", type=Size(), default="1G", help="Limit for one entry or document, inflated.  [default: 1G]")
@click.option("--max-ratio", type=Count(1), metavar="N", default=1000, help="Limit for an entry's expansion (Zip bombs).  [default: 1000]")
@click.option("--max-depth", type=Count(1), metavar="N", default=1024, help="Limit for nesting.  [default: 1024]")
@click.option("--nested", type=Count(0), metavar="N", default=0, help="Open archives in archives, N in one another at most.  [default: 0]")
@click.option("--join", is_flag=True, help="INPUTs are the parts of one file, in this order: part.000 part.001 ...")
@click.option("--password-file", metavar="FILE", help="FILE's first line is the password of encrypted Zip entries.")
@click.option("-q", "--quiet", is_flag=True, help="No progress bar, notes or summary; errors only.")
def schema(**options: Any) -> None:
    """What stands at each path of documents: how often, of which types, with examples.

    Every document of every INPUT (as in extract) is read once. What is kept has the size of the schema, not of the data: an object whose keys are data (ids, dates) has
    one path for all of them. extract --schema FILE makes the columns that it found.

    \b
    Examples:
      kumihimo schema archives/
      kumihimo schema archives/ -o ticks.json && kumihimo extract archives/ --schema ticks.json -o ticks.parquet
      curl ... | kumihimo schema - --to json-schema
    """
    from kumihimo.schema_command import SchemaJob

    on_error, quarantine = options.pop("on_error")
    run(SchemaJob(on_error=on_error, quarantine=quarantine, **options))


class ChartFile(click.ParamType):
    """A file whose ending says how it is drawn."""

    name = "FILE"

    def convert(self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]) -> str:
        if not str(value).lower().endswith((".png", ".svg", ".pdf")):
            self.fail(f"{value!r} does not end in .png, .svg or .pdf", param, ctx)
        return str(value)


@group.command(short_help="Every format in every frame on your own data: size, time to write, time to read.")
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("--from", "source", type=FormatName("formats"), help="The inputs' format.  [default: by each name's ending, else by its bytes]")
@click.option("--runs", type=Count(1, 1000), default=5, metavar="N", help="Runs that a median is of.  [default: 5]")
@click.option("--level", type=int, metavar="N", help="The level of frames that have it; the others take their usual one.")
@click.option("--chart", type=ChartFile(), metavar="FILE", help="Also draw it: .svg, .png or .pdf.")
@click.option("--to", type=click.Choice(["table", "csv"]), default="table", help="How the numbers are printed.  [default: table]")
@click.option("-q", "--quiet", is_flag=True, help="The numbers only.")
def measure(**options: Any) -> None:
    """Every format in every frame on your own data: size, time to write, time to read.

    The documents of all INPUTs (files of any format, in a frame or not) become Python objects; these are written in each format, packed
    in each frame, and read again. Nothing is kept but the numbers. A format that cannot say the data says so.

    \b
    Examples:
      kumihimo measure ticks.ndjson
      kumihimo measure 'log/*.json' --chart formats.svg
    """
    from kumihimo.measure_command import Measure

    run(Measure(**options))


@group.command(short_help="The completion script of a shell.")
@click.argument("shell", metavar="bash|zsh|fish", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a shell.

    A package installs the scripts where the shells look for them; by hand:

    \b
      bash: kumihimo completion bash > ~/.local/share/bash-completion/completions/kumihimo
      zsh:  kumihimo completion zsh > FOLDER/_kumihimo, with FOLDER in $fpath
      fish: kumihimo completion fish > ~/.config/fish/completions/kumihimo.fish
    """
    from kumihimo.completion import script

    click.echo(script(group, shell), nl=False)


@group.command(short_help="The manual page kumihimo(1).")
def man() -> None:
    """Print the manual page kumihimo(1): kumihimo man | man -l -"""
    from kumihimo.manual import page

    click.echo(page(group), nl=False)


@group.command(short_help="This installation, and what is missing for which option.")
def doctor() -> None:
    """Say what is installed: the kernel, libraries, versions, and what is missing for which option."""
    from kumihimo.doctor import report

    click.echo(report(), nl=False)


def claim_standard_streams() -> None:
    """Gives what was closed (`<&-`, `>&-`) something that fails when it is used.

    Else the next file that is opened gets the number, and is taken for the standard stream.
    """
    for number, mode in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # the lowest free number, which is this one
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # type: ignore[unreachable]
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # type: ignore[unreachable]


def interrupted() -> None:
    job = sys.modules.get("kumihimo.job")
    if job is not None and job.EVENTS.on is not None:
        job.EVENTS.on.say("error", text="interrupted", status=INTERRUPTED)
    else:
        click.echo("\ninterrupted", err=True)


def dispatch(arguments: Optional[Sequence[str]]) -> None:
    """What the command line asks for, or why it is refused."""
    try:
        group.main(args=arguments, prog_name="kumihimo", standalone_mode=False)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.ClickException as wrong:
        from kumihimo.refusals import refused

        status = USAGE if isinstance(wrong, click.UsageError) else BAD
        refused(list(arguments) if arguments is not None else sys.argv[1:], wrong, status)
        sys.exit(status)


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """The console script's entry."""
    claim_standard_streams()
    ending_signals.install(main.__code__)
    try:
        try:
            dispatch(arguments)
        finally:
            ending_signals.raise_late()  # a signal that came late decides the status
    except (KeyboardInterrupt, click.Abort):
        interrupted()
        sys.exit(INTERRUPTED)
    finally:
        ending_signals.forget()


if __name__ == "__main__":
    main()
