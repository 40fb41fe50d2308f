"""Rows as intervals of time (`--every`): against plain Python over generated archives, and against pandas' resample."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
import zipfile
from datetime import date, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable, Optional
from zoneinfo import ZoneInfo

import kumihimo
import pytest

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MICROSECOND = timedelta(microseconds=1)
COUNT = int(os.environ.get("KUMIHIMO_COUNT", "20"))
SEED = int(os.environ.get("KUMIHIMO_SEED", "5"))
LENGTHS = {"us": 1, "ms": 1000, "s": 10**6, "min": 60 * 10**6, "h": 3600 * 10**6}


# ---- the oracle ------------------------------------------------------------------------------------------------------------------


def midnight(day: date, zone: tzinfo) -> int:
    return (datetime(day.year, day.month, day.day, tzinfo=zone) - EPOCH) // MICROSECOND


def starts(unit: str, n: int, zone: tzinfo) -> Callable[[int], tuple[int, int]]:
    """The interval of a moment: from, until."""

    def day_of(number: int) -> date:
        if unit == "month":
            return date(number * n // 12, number * n % 12 + 1, 1)
        return date(1970, 1, 1) + timedelta(days=number * n if unit == "day" else number * 7 * n - 3)

    def span(t: int) -> tuple[int, int]:
        local = (EPOCH + timedelta(microseconds=t)).astimezone(zone).date()
        if unit in LENGTHS:
            begin = midnight(local, zone)
            length = n * LENGTHS[unit]
            start = begin + (t - begin) // length * length
            return start, min(start + length, midnight(local + timedelta(days=1), zone))
        days = (local - date(1970, 1, 1)).days
        number = (local.year * 12 + local.month - 1) // n if unit == "month" else days // n if unit == "day" else (days + 3) // (7 * n)
        return midnight(day_of(number), zone), midnight(day_of(number + 1), zone)

    return span


def neumaier(values: list[float]) -> float:
    total = lost = 0.0
    for v in values:
        t = total + v
        lost += (total - t) + v if abs(total) >= abs(v) else (v - t) + total
        total = t
    return total + lost


def made(how: str, rows: list[tuple[int, Any]]) -> Any:
    """An aggregate of (time, value) in input order; None where there is no value."""
    rows = [(t, v) for t, v in rows if v is not None]
    values = [v for _, v in rows]
    if how == "count":
        return len(values)
    if how == "sum":
        return neumaier(values) if any(isinstance(v, float) for v in values) else sum(values)
    if not values:
        return None
    if how == "mean":
        return neumaier(values) / len(values) if isinstance(values[0], float) else sum(values) / len(values)
    if how in ("open", "first"):
        return min(rows, key=lambda row: row[0])[1]
    if how in ("close", "last"):
        return max(enumerate(rows), key=lambda row: (row[1][0], row[0]))[1][1]
    return min(values) if how in ("low", "min") else max(values)


def expected(rows: list[tuple[Optional[int], dict[str, Any]]], span: Callable[[int], tuple[int, int]], outputs: list[tuple[str, str, str]], gaps: str) -> list[dict[str, Any]]:
    """`outputs`: (column, value, aggregate)."""
    found: dict[tuple[int, int], list[tuple[int, dict[str, Any]]]] = {}
    for t, values in rows:
        if t is not None:
            found.setdefault(span(t), []).append((t, values))
    out: list[dict[str, Any]] = []
    carried: dict[str, Any] = {}

    def put(start: int, inside: list[tuple[int, dict[str, Any]]]) -> None:
        row: dict[str, Any] = {"at": start}
        for value in {value for _, value, _ in outputs}:
            if (latest := made("last", [(t, v.get(value)) for t, v in inside])) is not None:
                carried[value] = latest
        for column, value, how in outputs:
            result = made(how, [(t, v.get(value)) for t, v in inside])
            if result is None and gaps == "carry":
                result = carried.get(value)
            row[column] = result
        out.append(row)

    following: Optional[int] = None
    for start, until in sorted(found):
        while gaps != "skip" and following is not None and following < start:
            missing = span(following)
            put(missing[0], [])
            following = missing[1]
        put(start, found[start, until])
        following = until
    return out


# ---- what is compared -------------------------------------------------------------------------------------------------------------


def chunks(run: Any) -> bytes:
    out = b""
    while (chunk := run.next_bytes()) is not None:
        out += chunk
    return out


def moment(text: str, zone: tzinfo = timezone.utc) -> int:
    parsed = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return ((parsed if parsed.tzinfo else parsed.replace(tzinfo=zone)) - EPOCH) // MICROSECOND


def exactly(value: Any) -> Any:
    return Decimal(repr(value)) if isinstance(value, float) else value


def same(got: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
    assert len(got) == len(wanted), (len(got), len(wanted))
    for one, other in zip(got, wanted):
        assert one == {name: exactly(value) for name, value in other.items()}, (one, other)


class Generated:
    """Archives of ticks over a few weeks around a change of clocks, in several inputs, with times in any order of the inputs."""

    def __init__(self, folder: Path, r: random.Random, zone: tzinfo, count: int) -> None:
        self.rows: list[tuple[Optional[int], dict[str, Any]]] = []
        begin = midnight(date(2016, 10, 12), zone)
        stretch = r.choice([2, 40]) * 86400 * 10**6
        texts = []
        now = begin
        for i in range(count):
            now += r.randrange(2 * stretch // count)
            t: Optional[int] = now - (r.randrange(stretch // 10) if r.random() < 0.2 else 0)
            if r.random() < 0.1 and self.rows and self.rows[-1][0] is not None:
                t = self.rows[-1][0]
            values = {"n": r.randrange(-(10**6), 10**6), "x": r.choice([r.uniform(-1e3, 1e3), r.uniform(-1, 1) * 10.0 ** r.randrange(-8, 16)]), "d": Decimal(r.randrange(-(10**8), 10**8)).scaleb(-4)}
            document: dict[str, Any] = {"n": values["n"], "o": {"x": values["x"]}, "d": str(values["d"]), "pad": "x" * r.randrange(200)}
            values |= {"s": r.choice(["", "ask", "bid", "x" * r.randrange(60), "日本"]), "b": r.random() < 0.5, "tags": [r.choice([None, r.randrange(9)]) for _ in range(r.randrange(4))], "who": {"id": i, "as": [{"z": "y" * r.randrange(20)}] * r.randrange(3)}}
            document |= {name: values[name] for name in ("s", "b", "tags", "who")}
            for name in ("n", "d", "s", "b", "tags", "who"):
                if r.random() < 0.1:
                    del values[name]
                    document[name] = None
            if r.random() < 0.02:
                t = None
            elif r.random() < 0.5:
                assert t is not None
                document["t"] = (EPOCH + timedelta(microseconds=t)).astimezone(r.choice([timezone.utc, timezone(timedelta(hours=9))])).isoformat()
            else:
                document["t"] = t
            self.rows.append((t, values))
            texts.append(json.dumps(document))
        third = count // 3
        with zipfile.ZipFile(folder / "a.zip", "w") as archive:
            for i, text in enumerate(texts[:third]):
                archive.writestr(f"{i:05}.json", text)
        (folder / "b.ndjson").write_text("\n".join(texts[third : 2 * third]) + "\n")
        (folder / "c.json").write_text("[" + ",".join(texts[2 * third :]) + "]")


FIELDS = ["n:int64:ohlc", "sum=n:int64:sum", "n_mean=n:int64:mean", "x_sum=o.x:float64:sum", "x_mean=o.x:float64:mean", "x_max=o.x:float64:max", "x_first=o.x:float64:first",
          "d_sum=d:decimal(12,4):sum", "d_low=d:decimal(12,4):low", "d_last=d:decimal(12,4):last", "rows=t:count",
          "s_first=s:string:first", "s_last=s:string:last", "b_first=b:bool:open", "tags_last=tags:list[int64]:last", "who_first=who:struct[id:int64,as:list[struct[z:string]]]:first", "d_text=d:decimal:close", "s_count=s:string:count"]  # fmt: skip
OUTPUTS = [("open", "n", "open"), ("high", "n", "high"), ("low", "n", "low"), ("close", "n", "close"), ("sum", "n", "sum"), ("n_mean", "n", "mean"), ("x_sum", "x", "sum"),
           ("x_mean", "x", "mean"), ("x_max", "x", "max"), ("x_first", "x", "first"), ("d_sum", "d", "sum"), ("d_low", "d", "low"), ("d_last", "d", "last"), ("rows", "t", "count"),
           ("s_first", "s", "first"), ("s_last", "s", "last"), ("b_first", "b", "first"), ("tags_last", "tags", "last"), ("who_first", "who", "first"), ("d_text", "d", "last"), ("s_count", "s", "count")]  # fmt: skip
EVERY = [("min", 5), ("min", 7), ("h", 1), ("h", 4), ("s", 1000), ("ms", 123456), ("day", 1), ("day", 3), ("week", 1), ("month", 1)]
ZONES = ["UTC", "Asia/Tokyo", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo"]


@pytest.mark.parametrize("number", range(COUNT))
def test_against_plain_python(tmp_path: Path, number: int) -> None:
    r = random.Random(SEED * 1000 + number)
    unit, n = EVERY[number % len(EVERY)]
    name = r.choice(ZONES)
    zone = ZoneInfo(name)
    data = Generated(tmp_path, r, zone, 1200)
    gaps = r.choice(["skip", "empty", "carry"])
    rows = [(t, {**values, "t": 1}) for t, values in data.rows]
    wanted = expected(rows, starts(unit, n, zone), OUTPUTS, gaps)
    texts = set()
    for jobs in (1, 2, 3, 4):
        run = kumihimo.extract(tmp_path, FIELDS, every=f"{n}{unit}", time="at=t:timestamp", zone=name, gaps=gaps, jobs=jobs, form="ndjson")
        texts.add(chunks(run))
        assert any("have no time" in note or "has no time" in note for note in run.notes) == any(t is None for t, _ in data.rows)
        assert run.progress()["rows"] == len(wanted)
    assert len(texts) == 1
    got = [json.loads(line, parse_float=Decimal) for line in texts.pop().splitlines()]
    for row in got:
        row["at"] = moment(row["at"])
        for decimal in ("d_sum", "d_low", "d_last", "d_text"):
            row[decimal] = None if row[decimal] is None else Decimal(row[decimal])
    # A sum of no decimals is 0.0000.
    same(got, [{**row, "d_sum": Decimal(row["d_sum"])} for row in wanted])


@pytest.mark.parametrize("number", range(max(2, COUNT // 6)))
def test_late_rows_against_plain_python(tmp_path: Path, number: int) -> None:
    """Which rows are late does not depend on the threads: those of which the interval has `open` later ones before it is asked for."""
    r = random.Random(SEED * 2000 + number)
    data = Generated(tmp_path, r, timezone.utc, 900)
    span = starts("h", 1, timezone.utc)
    most = r.choice([1, 2, 5])
    begun: set[int] = set()
    kept, late = [], 0
    for t, values in data.rows:
        if t is None:
            continue
        start = span(t)[0]
        if len([one for one in begun if one > start]) >= most:
            late += 1
            continue
        begun.add(start)
        kept.append((t, values))
    wanted = expected(kept, span, [("n", "n", "sum")], "skip")
    for jobs in (1, 2, 3, 4):
        run = kumihimo.extract(tmp_path, ["n:int64:sum"], every="1h", time="at=t:timestamp", open_intervals=most, on_error="skip", jobs=jobs, form="ndjson")
        got = [json.loads(line) for line in chunks(run).splitlines()]
        same([{**row, "at": moment(row["at"])} for row in got], wanted)
        reports = run.take_reports()
        assert len(reports) == late == run.progress()["bad"] and late > 0
        assert {report.code for report in reports} == {"range"} and all("is closed, for" in report.message and report.offset is not None for report in reports)
    with pytest.raises(kumihimo.ExtractionError, match=r"is closed, for \d+ later ones are open: raise --open-intervals \(open_intervals\), or sort"):
        chunks(kumihimo.extract(tmp_path, ["n:int64:sum"], every="1h", time="at=t:timestamp", open_intervals=most, form="csv"))


@pytest.mark.parametrize(("every", "rule"), [("5min", "5min"), ("1h", "1h"), ("1day", "1D"), ("1month", "MS")])
@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "Europe/Berlin"])
def test_against_pandas(tmp_path: Path, every: str, rule: str, zone: str) -> None:
    pandas = pytest.importorskip("pandas", reason="not proven: pandas is not installed")
    r = random.Random(SEED)
    begin = midnight(date(2016, 10, 28), ZoneInfo(zone))
    times = [begin + r.randrange(5 * 86400) * 10**6 for _ in range(3000)]
    prices = [round(r.uniform(100, 200), 2) for _ in times]
    amounts = [r.randrange(100) for _ in times]
    (tmp_path / "a.ndjson").write_text("".join(json.dumps({"t": t, "p": p, "a": a}) + "\n" for t, p, a in zip(times, prices, amounts)))
    run = kumihimo.extract(tmp_path / "a.ndjson", ["p:ohlc", "volume=a:sum", "n=p:count", "mean=p:mean"], every=every, time="at=t:timestamp", zone=zone, gaps="empty", form="ndjson")
    got = [json.loads(line) for line in chunks(run).splitlines()]
    frame = pandas.DataFrame({"p": prices, "a": amounts}, index=pandas.to_datetime(times, unit="us", utc=True).tz_convert(zone))
    bars = frame.resample(rule)
    wanted = bars["p"].ohlc().assign(volume=bars["a"].sum(), n=bars["p"].count(), mean=bars["p"].mean())
    assert [moment(row["at"]) for row in got] == [(one.to_pydatetime() - EPOCH) // MICROSECOND for one in wanted.index]
    for name in ("open", "high", "low", "close", "volume", "n"):
        assert [row[name] for row in got] == [None if v != v else v for v in wanted[name].tolist()], name
    assert all((row["mean"] is None and math.isnan(v)) or math.isclose(row["mean"], v, rel_tol=1e-12) for row, v in zip(got, wanted["mean"]))


# ---- columns, types, outputs -------------------------------------------------------------------------------------------------------


def ticks(count: int, step: int = 60) -> str:
    """One every minute of 25 December 2016, in Tokyo's wall clock."""
    begin = datetime(2016, 12, 25)
    return "".join(json.dumps({"timestamp": str(begin + timedelta(seconds=i * step)), "price": 100 + i % 7, "amount": i}) + "\n" for i in range(count))


def rows_of(*given: Any, **how: Any) -> list[str]:
    run = kumihimo.extract(*given, form="csv", **how)
    header = run.header().decode()
    return [*header.splitlines(), *chunks(run).decode().splitlines()]


def test_the_time_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text(ticks(10))
    run = kumihimo.extract(tmp_path / "a.ndjson", ["price:ohlc", "amount:sum"], every="5min", form="csv")
    assert run.header() == b"timestamp,open,high,low,close,amount\n"
    assert chunks(run) == b"2016-12-25T00:00:00,100,104,100,104,10\n2016-12-25T00:05:00,105,106,100,102,35\n"
    assert "timestamp: timestamp[naive], along which intervals run" in run.notes
    assert rows_of(tmp_path / "a.ndjson", ["amount:count"], every="1day", zone="Asia/Tokyo") == ["timestamp,amount", "2016-12-25T00:00:00+09:00,10"]
    assert rows_of(tmp_path / "a.ndjson", ["at=timestamp", "amount:count"], every="1day", zone="+09:00") == ["at,amount", "2016-12-25T00:00:00+09:00,10"]
    # One that has a zone keeps it, and its days are another's.
    assert rows_of(tmp_path / "a.ndjson", ["at=timestamp:timestamp[UTC]", "amount:count"], every="1day", zone="America/New_York") == ["at,amount", "2016-12-24T00:00:00-05:00,10"]
    (tmp_path / "b.ndjson").write_text('{"a":"2016-12-25T00:00:00Z","b":{"c":"2016-12-25T00:00:00Z"},"p":1}\n')
    with pytest.raises(ValueError, match='the sample has several times, "a", "b.c": name the one'):
        kumihimo.extract(tmp_path / "b.ndjson", ["p:last"], every="1h")
    assert rows_of(tmp_path / "b.ndjson", ["p:last"], every="1h", time="b.c") == ["b.c,p", "2016-12-25T00:00:00Z,1"]
    (tmp_path / "c.ndjson").write_text('{"p":1}\n')
    with pytest.raises(ValueError, match="the sample has no time that intervals could run along: name one"):
        kumihimo.extract(tmp_path / "c.ndjson", ["p:last"], every="1h")
    (tmp_path / "d.ndjson").write_text("")
    with pytest.raises(kumihimo.ExtractionError, match="there is no document to find times in"):
        kumihimo.extract(tmp_path / "d.ndjson", ["p:last"], every="1h")


def test_days_of_23_and_25_hours(tmp_path: Path) -> None:
    for day, hours in ((date(2016, 3, 27), 23), (date(2016, 10, 30), 25), (date(2016, 6, 1), 24)):
        begin = midnight(day - timedelta(days=1), ZoneInfo("Europe/Berlin")) // 10**6
        (tmp_path / "a.ndjson").write_text("".join(f'{{"t":{begin + i * 3600}}}\n' for i in range(24 * 3 + 1)))
        rows = rows_of(tmp_path / "a.ndjson", ["t:count"], every="1day", time="at=t:timestamp", zone="Europe/Berlin")
        assert rows[2].startswith(str(day)) and rows[2].endswith(f",{hours}"), rows


def test_rows_of_arrays(tmp_path: Path) -> None:
    document = {"timestamp": "2016-12-25T01:53:10Z", "trades": [{"p": 5, "d": 1482630790}, {"p": 7, "d": 1482630850}]}
    (tmp_path / "a.json").write_text(json.dumps(document))
    assert rows_of(tmp_path / "a.json", [".p:ohlc"], rows="trades[*]", every="1min", time=".d") == ["d,open,high,low,close", "2016-12-25T01:53:00Z,5,5,5,5", "2016-12-25T01:54:00Z,7,7,7,7"]
    assert rows_of(tmp_path / "a.json", [".p:ohlc"], rows="trades[*]", every="1min", time="$.timestamp") == ["timestamp,open,high,low,close", "2016-12-25T01:53:00Z,5,7,5,7"]


def test_guessed_types_are_corrected(tmp_path: Path) -> None:
    """Before anything is handed out all is begun again, and a file is written again."""
    lines = ticks(3000) + '{"timestamp":"2016-12-27T02:00:00","price":100.5,"amount":1}\n'
    (tmp_path / "a.ndjson").write_text(lines)
    how = {"every": "1day", "sample": 10}
    wanted = ["timestamp,open,high,low,close", "2016-12-25T00:00:00,100.0,106.0,100.0,104.0", "2016-12-26T00:00:00,105.0,106.0,100.0,102.0", "2016-12-27T00:00:00,103.0,106.0,100.0,100.5"]
    assert rows_of(tmp_path / "a.ndjson", ["price:ohlc"], **how) == wanted
    for name in ("o.csv", "o.parquet"):
        if name.endswith("parquet"):
            pytest.importorskip("pyarrow")
        about = kumihimo.extract_to(tmp_path / "a.ndjson", tmp_path / name, ["price:ohlc"], **how)
        assert about["rows"] == 3 and about["widened"][0]["to"] == "float64"
    assert (tmp_path / "o.csv").read_text().splitlines() == wanted
    (tmp_path / "a.ndjson").write_text(ticks(50) + '{"timestamp":"2016-12-27T02:00:00","price":"n/a"}\n')
    for write in (lambda: rows_of(tmp_path / "a.ndjson", ["price:ohlc"], **how), lambda: kumihimo.extract_to(tmp_path / "a.ndjson", tmp_path / "p.csv", ["price:ohlc"], **how)):
        with pytest.raises(ValueError, match='ohlc is of numbers and times, and column "price" is json: give the field a type, price:float64:ohlc'):
            write()
    assert not (tmp_path / "p.csv").exists()


def test_times_beyond_the_calendar_of_a_zone(tmp_path: Path) -> None:
    for at, zone, why in (
        ("9999-12-31T23:59:59Z", "Asia/Tokyo", "its time is 9999-12-31T23:59:59Z, which is after the year 9999 in Asia/Tokyo"),
        ("0000-01-01T00:00:00Z", "America/New_York", "its time is 0000-01-01T00:00:00Z, which is before the year 0000 in America/New_York"),
        ("2262-04-11T23:47:16.854775807Z", None, "its time is 2262-04-11T23:47:16.854775807Z, whose interval ends after all times that the column can hold"),
    ):
        (tmp_path / "a.ndjson").write_text(json.dumps({"at": at, "p": 1}) + "\n")
        run = kumihimo.extract(tmp_path / "a.ndjson", ["p:last"], every="1day", zone=zone, form="csv", on_error="skip")
        chunks(run)
        assert [why in str(report) for report in run.take_reports()] == [True], at


def test_calculated_columns(tmp_path: Path) -> None:
    """They have aggregates, and one without is not taken for the time."""
    (tmp_path / "a.ndjson").write_text("".join(json.dumps({"at": f"2024-01-01T00:00:{i:02}Z", "p": i}) + "\n" for i in range(3)))
    run = kumihimo.extract(tmp_path / "a.ndjson", ["s:sum := p + 1", "t:int64:ohlc := p * 2", "p:sum"], every="1min", form="csv")
    assert chunks(run) == b"2024-01-01T00:00:00Z,6,0,4,0,4,3\n" and [name for name, _, _ in run.schema] == ["at", "s", "t_open", "t_high", "t_low", "t_close", "p"]
    with pytest.raises(ValueError, match='field "s" is calculated and does not say what is made of its values'):
        kumihimo.extract(tmp_path / "a.ndjson", ["s := p + 1", "p:sum"], every="1min")


def test_first_and_last_of_any_type(tmp_path: Path) -> None:
    lines = [{"t": 0, "side": "ask", "l": [1], "o": {"k": "é", "n": None}, "m": 1}, {"t": 30, "side": "bid", "l": [], "m": "x"}, {"t": 20, "side": "mid"}, {"t": 130, "side": None, "m": None}, {"t": 190, "side": "z", "l": [2, 3]}]
    (tmp_path / "a.ndjson").write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    how: dict[str, Any] = {"every": "1min", "time": "t:timestamp"}
    fields = ["first=side:first", "last=side:last", "l:list[int64]:close", "o:first", "m:open", "n=side:count"]
    assert rows_of(tmp_path / "a.ndjson", fields, **how) == ["t,first,last,l,o,m,n", '1970-01-01T00:00:00Z,ask,bid,[],"{""k"": ""é"", ""n"": null}",1,3', "1970-01-01T00:02:00Z,,,,,,0", '1970-01-01T00:03:00Z,z,z,"[2,3]",,,1']
    carried = rows_of(tmp_path / "a.ndjson", fields, gaps="carry", **how)
    assert carried[2:4] == [f'1970-01-01T00:0{i}:00Z,bid,bid,[],"{{""k"": ""é"", ""n"": null}}","""x""",0' for i in (1, 2)]
    if arrow := pytest.importorskip("pyarrow", reason="not proven: pyarrow is not installed"):
        table = arrow.table(kumihimo.extract(tmp_path / "a.ndjson", [*fields, "p=o:struct[k:string,n:int64]:last", "b=side:string:last"], **how))
        table.validate(full=True)
        assert [str(field.type) for field in table.schema][1:] == ["string", "string", "list<item: int64>", "extension<arrow.json>", "extension<arrow.json>", "int64", "struct<k: string, n: int64>", "string"]
        assert table["p"].to_pylist() == [{"k": "é", "n": None}, None, None] and table["l"].to_pylist() == [[], None, [2, 3]]
    with pytest.raises(ValueError, match='ohlc is of numbers and times, and column "side" is string'):
        kumihimo.extract(tmp_path / "a.ndjson", ["side:ohlc"], **how)
    # A guess that a later value widens.
    (tmp_path / "b.ndjson").write_text("".join(f'{{"t":{i},"v":{i}}}\n' for i in range(500)) + '{"t":500,"v":"text"}\n')
    assert rows_of(tmp_path / "b.ndjson", ["f=v:first", "v:last"], every="1h", time="t:timestamp", sample=10)[1:] == ['1970-01-01T00:00:00Z,0,"""text"""']


def test_long_texts_close_intervals(tmp_path: Path) -> None:
    """What first and last values take in open intervals is bounded; which are closed does not depend on the threads."""
    with open(tmp_path / "a.ndjson", "w") as file:
        for i in range(150):
            file.write(f'{{"t":{i * 60},"s":"{chr(97 + i % 26) * 1_000_000}"}}\n')
        for i in (149, 120, 3):
            file.write(f'{{"t":{i * 60},"s":"short"}}\n')
    said = set()
    for jobs in (1, 2, 3):
        run = kumihimo.extract(tmp_path / "a.ndjson", ["t:timestamp", "s:string:last", "n=s:count"], every="1min", on_error="skip", form="ndjson", jobs=jobs)
        rows = [json.loads(line) for line in chunks(run).splitlines()]
        assert [(len(row["s"]), row["s"][0], row["n"]) for row in rows] == [(5, "s", 2) if i in (149, 120) else (1_000_000, chr(97 + i % 26), 1) for i in range(150)]
        said.add(tuple(report.message for report in run.take_reports()))
    (reports,) = said
    assert len(reports) == 1 and "its time is 1970-01-01T00:03:00Z, and the interval that begins 1970-01-01T00:03:00Z is closed, for the first and last values of later ones take more than 64 MB: sort the inputs by time" in reports[0]


def test_carried_texts_end_a_batch(tmp_path: Path) -> None:
    """A long text that is carried into rows with nulls counts in each of them."""
    pa = pytest.importorskip("pyarrow")
    size, rows = 1 << 20, 60
    texts = ["x" * size, *[None] * (rows - 1)]
    lines = [json.dumps({"t": f"2024-01-01T00:00:{i:02}Z", "s": s}) for i, s in enumerate(texts)]
    (tmp_path / "a.ndjson").write_text("\n".join(lines) + "\n")
    made = kumihimo.extract(tmp_path / "a.ndjson", ["t:timestamp", "a=s:string:last", "b=s:string:first"], every="1s", gaps="carry", form="columns")
    batches = list(pa.RecordBatchReader.from_stream(made))
    assert sum(b.num_rows for b in batches) == rows
    assert all(b.column("a").to_pylist() == ["x" * size] * b.num_rows for b in batches)
    assert max(b.nbytes for b in batches) < 12 * size


def test_every_output(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="not proven: pyarrow is not installed")
    import pyarrow.parquet
    import sqlite3

    (tmp_path / "a.ndjson").write_text(ticks(600))
    fields = ["at=timestamp:timestamp[Asia/Tokyo]", "price:ohlc", "volume=amount:sum", "avg=amount:mean"]
    table = pyarrow.table(kumihimo.extract(tmp_path / "a.ndjson", fields, every="1h"))
    assert [str(field.type) for field in table.schema] == ["timestamp[us, tz=Asia/Tokyo]", "int64", "int64", "int64", "int64", "int64", "double"]
    table.validate(full=True)
    rows = table.to_pylist()
    assert len(rows) == 10 and rows[1]["volume"] == sum(range(60, 120)) and rows[1]["avg"] == 89.5
    for name in ("o.csv", "o.json", "o.msgpack.gz", "o.arrow", "o.parquet", "o.sqlite", "parts"):
        about = kumihimo.extract_to(tmp_path / "a.ndjson", tmp_path / name, fields, every="1h", **({"to": "csv", "split_rows": 3} if name == "parts" else {}))
        assert about["rows"] == 10 and [c["name"] for c in about["columns"]] == table.column_names and about["columns"][5]["type"] == "int64"
    assert pyarrow.parquet.read_table(tmp_path / "o.parquet").to_pylist() == rows
    assert [row["volume"] for row in json.loads((tmp_path / "o.json").read_text())] == [row["volume"] for row in rows]
    assert sqlite3.connect(tmp_path / "o.sqlite").execute("SELECT sum(volume), min(at) FROM rows").fetchone() == (sum(range(600)), "2016-12-25 00:00:00.000000+09:00")
    assert sorted(p.name for p in (tmp_path / "parts").iterdir()) == ["part-0.csv", "part-1.csv", "part-2.csv", "part-3.csv"]
    run = kumihimo.extract(tmp_path / "a.ndjson", fields, every="1h", form="none")
    total = 0
    while (more := run.next_count()) is not None:
        total += more
    assert total == 10
    assert pyarrow.table(kumihimo.extract(tmp_path / "a.ndjson", fields, every="1h", limit=4)).num_rows == 4
    assert len(rows_of(tmp_path / "a.ndjson", fields, every="1h", limit=0)) == 1
    nano = pyarrow.table(kumihimo.extract(tmp_path / "a.ndjson", ["at=timestamp:timestamp[ns,UTC]", "price:last"], every="1week"))
    assert str(nano.schema.field("at").type) == "timestamp[ns, tz=UTC]" and nano.num_rows == 1 and nano["at"][0].value == 1482105600 * 10**9


def test_bad_records_and_the_rest_of_the_options(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text(ticks(3) + '{"timestamp":"2016-12-24T00:00:00","price":1\n' + '{"timestamp":"2016-12-24T00:00:00","price":1}\n' + ticks(2))
    for policy in ("skip", "null", "quarantine"):
        run = kumihimo.extract(tmp_path / "a.ndjson", ["timestamp:timestamp[naive]", "price:int64:count"], every="1h", open_intervals=1, on_error=policy, form="csv")
        assert chunks(run) == b"2016-12-25T00:00:00,5\n"
        assert [report.code for report in run.take_reports()] == ["truncated", "range"]
        aside = [json.loads(line) for line in run.take_quarantine().splitlines()]
        assert [one["error"] for one in aside] == (["truncated", "range"] if policy == "quarantine" else [])
    assert rows_of(tmp_path / "a.ndjson", ["timestamp:timestamp[naive]", "price:int64:count"], every="1h", where="price > 100", on_error="skip")[1:] == ["2016-12-25T00:00:00,3"]
    assert rows_of(tmp_path / "a.ndjson", ["timestamp:timestamp[naive]", "price:int64:count"], every="1h", distinct=["timestamp"], on_error="skip")[1:] == ["2016-12-24T00:00:00,1", "2016-12-25T00:00:00,3"]


def test_intervals_leave_a_pipe_as_they_are_closed() -> None:
    reading, writing = os.pipe()
    run = kumihimo.extract(f"/proc/self/fd/{reading}", ["t:timestamp[UTC]", "p:int64:sum"], every="1min", open_intervals=1, form="csv")
    os.write(writing, b'{"t":0,"p":1}\n{"t":30,"p":2}\n{"t":60,"p":4}\n')
    assert run.next_bytes() == b"1970-01-01T00:00:00+00:00,3\n"
    os.write(writing, b'{"t":180,"p":8}\n')
    assert run.next_bytes() == b"1970-01-01T00:01:00+00:00,4\n"
    os.close(writing)
    assert chunks(run) == b"1970-01-01T00:03:00+00:00,8\n"
    os.close(reading)


def test_memory_is_bounded_by_the_open_intervals(tmp_path: Path) -> None:
    """Two million intervals, of which a thousand are open; a gap of years is filled as it is read."""
    with open(tmp_path / "a.ndjson", "w") as to:
        for i in range(300_000):
            to.write(f'{{"t":{1482600000 + i * 7},"p":{i % 97}}}\n')
    code = (
        "import sys, kumihimo\n"
        "run = kumihimo.extract(sys.argv[1], ['t:timestamp[UTC]', 'p:int64:ohlc'], every='1s', gaps='carry', open_intervals=1000, form='none', jobs=2)\n"
        "n = 0\n"
        "while (more := run.next_count()) is not None: n += more\n"
        "assert n == 299_999 * 7 + 1, n\n"
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "a.ndjson")], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) * 1024 < 120 << 20


def command(*words: str, cwd: Path, **how: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "kumihimo.cli", "extract", *words], cwd=cwd, capture_output=True, text=True, timeout=300, **how)


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text(ticks(20))
    done = command("a.ndjson", "--every", "5min", "-f", "price:ohlc", "-f", "amount:sum", "--limit", "2", cwd=tmp_path)
    assert done.stdout == "timestamp,open,high,low,close,amount\n2016-12-25T00:00:00,100,104,100,104,10\n2016-12-25T00:05:00,105,106,100,102,35\n"
    assert "2 rows from 20 documents" in done.stderr
    done = command("a.ndjson", "--every", "1day", "--zone", "Asia/Tokyo", "-f", "amount:sum", "--gaps", "carry", "--time", "day=timestamp", cwd=tmp_path)
    assert done.stdout == "day,amount\n2016-12-25T00:00:00+09:00,190\n"
    for words, said in (
        (["--every", "5m"], '--every "5m": m is no unit'),
        (["--every", "5min", "--source"], "--every makes a row of many documents"),
        (["--gaps", "empty"], "ohlc is of intervals: say how long they are (every)"),
        (["--every", "5min", "--zone", "Asia/Nowhere"], "there is no time zone 'Asia/Nowhere'"),
        (["--every", "5min", "-f", "price:ohlc"], 'two columns are named "close"'),
    ):
        done = command("a.ndjson", "-f", "price:ohlc", *words, cwd=tmp_path)
        assert done.returncode == 2 and said in done.stderr, (words, done.stderr)
    done = command("a.ndjson", "a.ndjson", "--every", "1min", "--open-intervals", "5", "-f", "price:ohlc", "-o", "o.csv", cwd=tmp_path)
    assert done.returncode == 1 and "a.ndjson: byte 0" in done.stderr and "raise --open-intervals" in done.stderr and not (tmp_path / "o.csv").exists()


def test_charts_of_candles(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "a.ndjson").write_text(ticks(90) + "\n".join(ticks(400).splitlines()[300:]) + "\n")
    words = ["a.ndjson", "--every", "5min", "-f", "price:ohlc", "-f", "avg=price:mean", "-f", "volume=amount:sum", "-o", "o.csv"]
    done = command(*words, "--chart", "c.svg", "--chart", "c.html", "--chart", "c.txt", "--chart", "c.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "c.svg").read_text().count('id="axes_') == 2
    text = (tmp_path / "c.txt").read_text()
    assert "┃" in text and "█" in text and "volume" in text and "2016-12-25 00:00:00" in text
    done = command(*words, "--chart", "-", cwd=tmp_path, env={**os.environ, "COLUMNS": "60", "LINES": "20"})
    assert done.returncode == 0 and "┃" in done.stdout and max(map(len, done.stdout.splitlines())) <= 60
    # What is no number has no line.
    done = command("a.ndjson", "--every", "5min", "-f", "price:ohlc", "-f", "note=timestamp:string:last", "-o", "o.csv", "--chart", "t.svg", "--chart", "t.txt", "--chart", "t.html", cwd=tmp_path)
    assert done.returncode == 0 and "note" not in (tmp_path / "t.txt").read_text(), done.stderr
    done = command("a.ndjson", "--every", "5min", "-f", "price:ohlc", "--chart", "-", cwd=tmp_path)
    assert done.returncode == 2 and "cannot both go to standard output" in done.stderr
