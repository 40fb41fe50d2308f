"""`kumihimo.extract_to`: an extraction into a file, a folder or a table. `extract_command.py` is the command around it."""

from __future__ import annotations

import os
from typing import Any, BinaryIO, Iterable, Optional, Sequence, Union

from .clashes import refuse_clashes
from .extraction import Fields, Path, _fields, _inputs, extract
from .output import Files, Whole, aside, begin_again, open_part
from .outputs.choice import missing_package, output_for
from .outputs.driving import Clock, attempt
from .run_summary import Causes, summary_of

__all__ = ["extract_to"]


def extract_to(
    inputs: Union[Path, Iterable[Path]],
    output: Union[str, "os.PathLike[str]"],
    fields: Fields = None,
    *,
    to: Optional[str] = None,
    compress: Optional[str] = None,
    compress_level: Optional[int] = None,
    table: Optional[str] = None,
    if_exists: Optional[str] = None,
    split_rows: Optional[int] = None,
    partition_by: Union[str, Sequence[str]] = (),
    row_group_rows: Optional[int] = None,
    match: Union[str, Sequence[str]] = (),
    on_error: str = "stop",
    quarantine: Union[None, str, "os.PathLike[str]"] = None,
    chart: Union[None, Path, Iterable[Path]] = None,
    resume: Union[None, str, "os.PathLike[str]"] = None,
    resume_every: Optional[int] = None,
    **options: Any,
) -> dict[str, Any]:
    """Writes the rows of an extraction, whole or not at all, and gives its summary: rows, documents, bytes, bad records by cause, columns, seconds.

        >>> kumihimo.extract_to("day/*.zip", "ticks.parquet", ["timestamp", "price=last_price.price:float64"])
        >>> kumihimo.extract_to("day/*.zip", "ticks.sqlite", table="ticks", if_exists="append")

    `to`: 'csv', 'tsv', 'ndjson', 'json' (one array), 'msgpack', 'cbor', 'tagged', 'arrow', 'parquet', 'sqlite', 'duckdb'; by the ending of `output` when not
    given. `compress`: 'gzip', 'zstd', 'lz4' or 'none', by the ending too, for forms that are streams of bytes, with `compress_level`.

    `table`: the table's name in a database ('rows' when not given). `if_exists`: 'fail', 'replace' or, for tables, 'append'; a file is replaced
    when it is not given, a table or a folder not. In a database that exists the table is written in one transaction.

    `split_rows`: a folder of files with at most so many rows each. `partition_by`: a folder of folders, `[NAME=]COLUMN` or `[NAME=]DATE(COLUMN)`.
    `row_group_rows`: rows of a row group of Parquet.

    `chart`: files for pictures of the numeric columns over the first column of times, or over the row's number where there is none: .png and .svg,
    which need matplotlib, .html or .txt. When one cannot be drawn the rows are kept, and then an OSError
    (the system's) or a RuntimeError (the drawing library's) names it. Not with `resume`.

    `resume`: a folder, which is made. What is read is kept in it until the output is complete; after whatever ended the process the same call goes
    on where it was, and the output has the bytes of one run. An input that has changed meanwhile is an OSError that names it, another option
    a ValueError. `resume_every`: bytes of input, or of rows, that are kept at a time, 64 MB when not given.

    `on_error`: as for extract(); 'quarantine' writes to the file of the name `quarantine`. `inputs`, `fields`, `match` and all further options are those of
    kumihimo.extract.
    """
    if (on_error == "quarantine") != (quarantine is not None):
        raise ValueError("quarantine names the file of on_error='quarantine'")
    name = os.fspath(output)
    if name == "-":
        raise ValueError("extract_to() writes to a file")
    target = output_for(name, to=to, compress=compress, compress_level=compress_level, table=table, if_exists=if_exists, split_rows=split_rows,
                        partition_by=[partition_by] if isinstance(partition_by, str) else list(partition_by), row_group_rows=row_group_rows)  # fmt: skip
    if missing := missing_package(target.form):
        raise ImportError(missing)
    given = [os.fspath(one) for one in ([inputs] if isinstance(inputs, (str, bytes, os.PathLike)) else inputs)]
    names = _inputs(given)
    patterns = [match] if isinstance(match, str) else list(match)
    aside_to = None if quarantine is None else os.fspath(quarantine)
    kept_in = None if resume is None else os.path.join(resume, "manifest.json")
    charts = [os.fsdecode(one) for one in ([chart] if isinstance(chart, (str, bytes, os.PathLike)) else chart or ())]
    if charts:
        from .chart import WIDTH, chart_of, draw_all, refuse_undrawable

        if "-" in charts:
            raise ValueError("chart names files; only the command draws on the terminal (-)")
        refuse_undrawable(charts)
        options["chart"] = WIDTH
    schema = options.get("schema")
    read = [*names, schema] if isinstance(schema, (str, bytes, os.PathLike)) else names
    refuse_clashes(given, read, [target.example, *charts, aside_to, kept_in], patterns)
    clock, causes = Clock(), Causes()
    if resume is not None:
        return _resumed(resume, resume_every, given, names, _fields(fields), target, aside_to, clock, causes, {"match": patterns, "on_error": on_error, **options})
    if resume_every is not None:
        raise ValueError("resume_every is of resume: name the folder")
    run = extract(names, fields, form=target.engine, delimiter=target.delimiter, rewritable=target.rewritable, match=patterns, on_error=on_error, **options)
    clock.stage("open")
    failed: list[tuple[str, Exception]] = []
    chart_notes: list[str] = []
    try:
        with Files() as files:
            # Names are taken in reverse order, pictures last: one whose rename fails costs at most other pictures.
            pictures = [Whole(one) for one in charts]
            for picture in pictures:
                files.enter_context(picture)
            put_aside: Optional[BinaryIO] = files.enter_context(open_part(files.enter_context(Whole(os.fspath(quarantine))))) if quarantine is not None else None
            files.enter_context(target)

            def between() -> None:
                aside(run, put_aside, quarantine)
                for report in run.take_reports():
                    causes.add(report)

            while not attempt(run, target, clock, between):
                run = run.again()
                causes = Causes()
                begin_again(put_aside)
            between()
            if pictures:
                of_rows, chart_notes = chart_of(run)
                failed = draw_all(of_rows, charts, pictures)
                clock.stage("chart")
        clock.stage("finish")
    except BaseException:
        run.cancel()
        raise
    if failed:
        raise _not_drawn(failed) from failed[0][1]
    return summary_of(run, target, causes, clock.seconds, chart_notes=chart_notes)


def _not_drawn(failed: Sequence[tuple[str, Exception]]) -> Exception:
    """What is raised of these: an OSError where the first one is of the system, else a RuntimeError, with all of them in its sentence."""
    from .chart import not_drawn

    said = "; ".join([*(not_drawn(name, error) for name, error in failed), "the rows are complete"])
    first = failed[0][1]
    return OSError(first.errno, said) if isinstance(first, OSError) and first.errno is not None else RuntimeError(said)


def _resumed(resume: Any, every: Optional[int], given: Any, names: Any, fields: list[str], target: Any, quarantine: Optional[str], clock: Clock, causes: Causes, options: dict[str, Any]) -> dict[str, Any]:
    from .resume_folder import ResumeFolder
    from .resume_run import Resumed, refuse, request_of

    refuse(target, quarantine)

    def open_run(token: Optional[str], pause_every: int) -> Any:
        return extract(names, fields, form=target.engine, delimiter=target.delimiter, rewritable=True, resume_token=token, pause_every=pause_every, **options)

    def come_by(run: Any) -> None:
        for report in run.take_reports():
            causes.add(report)

    with ResumeFolder(resume) as folder:
        request = request_of(target, quarantine, given, {"fields": fields, **options})
        work = Resumed(folder, target, quarantine, request, every, clock, causes, open_run, come_by, lambda: None)
        run = work.run()
    clock.stage("finish")
    return summary_of(run, target, causes, clock.seconds, resumed=work.before)
