"""Runs a bench and shows its ratios: `run.py NAME [--quick] [--json FILE]`, as `./dev bench` calls it.

Every measured comparison is one line, `ratio<TAB>task<TAB>kumihimo/rival<TAB>value<TAB>runs`: value above 1 means that
Kumihimo is faster. A line that begins with `study` is a row of a published study's table, made anew: codecs, form, milliseconds
to save and to load, size of the file (bench/results.py). The programs that measure print these lines; this file picks the programs, gathers the lines, and compares
them with the least each task must reach (TARGETS), so that a change that loses ground is seen.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = Path(os.environ.get("KUMIHIMO_BENCH", HERE.parent / ".dev" / "bench" / "bench"))
WORK = Path(os.environ.get("KUMIHIMO_WORK", HERE.parent / ".dev" / "bench-data"))

BENCHES = {
    "scalar": [["scalar"]],
    "cbor": [["cbor"]],
    "json": [["project"], ["check"], ["read"], ["write"]],
    "tagged": [["tagged"]],
    "bulk": [["ceiling"], [HERE / "bulk.py"]],
    "python": [[HERE.parent / "hosts" / "python" / "bench" / "bench.py"]],
    "ruby": [[HERE.parent / "hosts" / "ruby" / "bench" / "bench.rb"]],
    "perl": [[HERE.parent / "hosts" / "perl" / "bench" / "bench.pl"]],
    "apache": [[HERE.parent / "hosts" / "apache" / "bench" / "bench.py"]],
    "jvm": [[HERE.parent / "hosts" / "jvm" / "bench" / "bench.py"]],
}

# task -> {rival: least ratio}; "@avx2" tasks have their own.
TARGETS: dict[str, dict[str, float]] = {
    "bulk.zip.two_fields": {"ceiling": 0.87, "zipfile+msgspec": 4},
    "bulk.zip.two_fields@avx2": {"ceiling": 0.78},
    "bulk.zip.two_fields_structural": {"ceiling": 0.93},
    "bulk.zip.two_fields_structural@avx2": {"ceiling": 0.90},
    "bulk.zip.two_fields_trusted": {"ceiling": 0.96},
    "bulk.zip.two_fields_trusted@avx2": {"ceiling": 0.94},
    "bulk.zip.two_threads": {"one_thread": 1.8},
    "bulk.files.two_fields": {"orjson": 3},
    "bulk.ndjson.two_fields": {"duckdb": 4, "polars": 10},
    "bulk.repack.msgpack.lz4.two_fields": {"zip": 3},
    "bulk.repack.cbor.lz4.two_fields": {"zip": 3},
    "bulk.repack.json.lz4.two_fields_structural": {"zip": 3},
    "bulk.repack.json.lz4.two_fields_trusted": {"zip": 4},
    "bulk.msgpack.two_fields": {"msgspec": 1.4, "ormsgpack": 8},
    "bulk.msgpack.two_fields.stream.strict": {"ndjson": 1.1},
    "bulk.cbor.two_fields.stream.strict": {"ndjson": 1.1},
    "json.project.two_fields": {"simdjson_ondemand": 1.0},
    "json.project.two_fields@avx2": {"simdjson_ondemand": 0.8},
    "json.project.two_fields_structural": {"simdjson_ondemand": 2.2},
    "json.project.two_fields_structural@avx2": {"simdjson_ondemand": 2.4},
    "json.project.two_fields_trusted": {"simdjson_ondemand": 3.5},
    "json.project.two_fields_trusted@avx2": {"simdjson_ondemand": 3.5},
    "json.check.twitter": {"simdjson_dom": 1.3},
    "json.check.citm": {"simdjson_dom": 1.3},
    "json.check.canada": {"simdjson_dom": 2},
    "json.check.twitter@avx2": {"simdjson_dom": 0.8},
    "json.check.citm@avx2": {"simdjson_dom": 0.8},
    "json.check.canada@avx2": {"simdjson_dom": 2},
}
for _name in ("twitter", "citm", "canada"):
    TARGETS[f"json.read.{_name}"] = TARGETS[f"json.read.{_name}@avx2"] = {"simdjson_dom": 1.0}
    TARGETS[f"json.write.{_name}"] = {"rapidjson": 2}
for _name in ("films", "twitter", "citm", "canada", "small"):
    for _way in ("loads", "dumps"):
        TARGETS[f"python.{_way}.{_name}"] = {"orjson": 1.0}
    for _way in ("read", "write"):
        TARGETS[f"msgpack.{_way}.{_name}"] = {"ormsgpack": 1.0}
for _name in ("ascii", "escapes", "quotes", "latin1", "ucs2", "emoji"):
    TARGETS[f"python.dumps.long_{_name}"] = {"orjson": 1.0}
for _name in ("films", "twitter", "citm", "canada", "texts", "small"):
    for _way in ("loads", "dumps"):
        TARGETS[f"python.cbor.{_way}.{_name}"] = {"cbor2": 3}
TARGETS["python.partial.two_fields"] = {"msgspec": 2}
TARGETS |= {
    "ruby.rails.films": {"activesupport": 60, "oj": 1.5},
    "ruby.rails.films_time": {"oj": 2.2},
    "ruby.rails.films_twz_tokyo": {"oj": 4},
    "ruby.rails.films_twz_utc": {"oj": 4},
    "ruby.rails.twitter": {"oj": 1.5},
    "ruby.rails.small": {"oj": 1.9},
    "ruby.rails.html": {"oj": 2.0},
    "ruby.generate.films": {"json": 2.5, "oj": 1.2},
    "ruby.generate.twitter": {"json": 2.5, "oj": 1.2},
    "ruby.generate.citm": {"json": 2.5, "oj": 1.2},
    "ruby.rails.kinds.string_answer": {"activesupport": 3},
    "ruby.rails.kinds.decimal": {"activesupport": 3},
    "ruby.rails.kinds.duration": {"activesupport": 3},
    "ruby.rails.kinds.record": {"activesupport": 2},
    "ruby.generate.canada": {"json": 12},
    "ruby.parse.films": {"json": 1.9, "oj": 1.2},
    "ruby.parse.twitter": {"json": 2.2, "oj": 1.2},
    "ruby.parse.citm": {"json": 2.6, "oj": 1.2},
    "ruby.parse.canada": {"json": 12, "oj": 4},
    "ruby.msgpack.pack": {"msgpack": 1.2},
    "ruby.msgpack.unpack": {"msgpack": 1.3},
    "ruby.partial.two_fields": {"json": 8},
    "perl.encode.small": {"mojo+cpanel": 2.0, "mojo pure": 30},
    "perl.encode.twitter": {"mojo+cpanel": 2.5},
    "perl.encode.citm": {"mojo+cpanel": 2.5},
    "perl.encode.canada": {"mojo+cpanel": 3.5},
    "perl.encode.twitter_unsorted": {"JSON::XS": 2.0},
    "perl.decode.small": {"mojo+cpanel": 1.4, "JSON::XS": 1.15},
    "perl.decode.twitter": {"mojo+cpanel": 1.4, "JSON::XS": 1.15},
    "perl.decode.citm": {"mojo+cpanel": 1.15, "JSON::XS": 1.08},
    "perl.decode.canada": {"mojo+cpanel": 2.0, "JSON::XS": 1.5},
    "perl.partial.two_fields": {"JSON::XS": 5},
    "perl.msgpack.pack.twitter": {"Data::MessagePack": 1.2},
    "perl.msgpack.unpack.twitter": {"Data::MessagePack": 1.1},
    "perl.cbor.dump.twitter": {"CBOR::XS": 2.5},
    "perl.cbor.load.twitter": {"CBOR::XS": 1.5},
    "perl.http.large": {"mojo+cpanel": 1.4},
}
for _shape in ("rows", "optional", "unique_keys", "unique_rows", "messages", "envelopes", "scalars", "floats", "integers", "pairs", "long_text", "short_text"):
    for _way in ("write", "read"):
        TARGETS[f"tagged.{_way}.{_shape}"] = {"msgpack": 0.67}
# Against our own MessagePack: no slower than by 1.3.
for _shape in ("rows", "keys", "small", "scalars", "integers", "floats", "short_floats", "long_text", "words", "bytes", "nested"):
    for _way in ("read", "write", "write_late", "burst"):
        TARGETS[f"cbor.{_way}.{_shape}"] = {"msgpack": 0.77}
for _mpm in ("prefork", "event"):
    TARGETS[f"apache.hello.{_mpm}"] = {"c_handler": 0.85, "mod_lua default": 2.5, "mod_lua best": 0.9}
    TARGETS[f"apache.json100.{_mpm}"] = {"lua-cjson best": 2.2, "mod_php": 0.85}
    TARGETS[f"apache.parse100.{_mpm}"] = {"lua-cjson best": 2.5, "mod_php": 1.2}
for _script in ("empty", "globals"):
    TARGETS[f"apache.isolation.{_script}"] = {"8 us": 1.0}
for _way, _least in (("save", 4.5), ("load", 5)):
    TARGETS |= {
        f"jvm.{_way}.module_ids": {"jsoniter-scala": 1.0},
        f"jvm.{_way}.module_ids.sjson": {"sjson-new": _least},
        f"jvm.{_way}.module_ids.msgpack": {"json": 1.2},
        f"jvm.{_way}.module_ids.tagged": {"json": 0.8},
        f"jvm.{_way}.module_ids.gzip": {"jsoniter-scala+gzip": 1.0},
    }
for _name in ("twitter", "citm", "canada", "films"):
    for _way in ("read", "write"):
        TARGETS[f"jvm.{_way}.{_name}"] = {"jsoniter-scala": 0.95, "jackson": 2}
        TARGETS[f"jvm.plain.{_way}.{_name}"] = {"jackson": 2, "fastjson2": 1.0}
TARGETS["jvm.read.small"] = {"jsoniter-scala": 1.0}
TARGETS["jvm.partial.two_fields"] = {"jsoniter-scala": 1.0}
TARGETS["jvm.partial.two_fields_trusted"] = {"jsoniter-scala": 1.5}


def machine() -> str:
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    return f"{os.cpu_count()} x {model}"


# What prints the versions of a bench's rivals, a name and a version on each line.
VERSIONS = {
    "ruby": [os.environ.get("RUBY", "ruby"), "-e", """puts "ruby #{RUBY_VERSION}"
        %w[activesupport json oj msgpack].each { |name| spec = Gem::Specification.find_all_by_name(name).max_by(&:version); puts "#{name} #{spec.version}" if spec }"""],
    "perl": [os.environ.get("PERL", "perl"), "-e", """printf "perl %vd\n", $^V;
        for (qw(Mojolicious JSON::XS Cpanel::JSON::XS Data::MessagePack CBOR::XS)) { print "$_ ", $_->VERSION, "\n" if eval "require $_" }"""],
    "apache": ["sh", "-c", "apache2 -v | sed -n 's|.*Apache/\\([0-9.]*\\).*|httpd \\1|p'; dpkg-query -W -f '${Package} ${Version}\n' libmruby-dev lua-cjson libapache2-mod-php8.2 2>/dev/null"],
    "python": [sys.executable, "-c", """import importlib.metadata as m
for name in ("orjson", "msgspec", "ormsgpack", "cbor2", "duckdb", "polars", "pyarrow"):
    try: print(name, m.version(name))
    except m.PackageNotFoundError: pass"""],
}  # fmt: skip
VERSIONS["bulk"] = VERSIONS["python"]
# The class path of the benches names its jars by version.
VERSIONS["jvm"] = ["sh", "-c", r"""java -version 2>&1 | sed -n '1s/.*"\(.*\)".*/java \1/p'; echo "$KUMIHIMO_JVM_CLASSES" | tr : '\n' |
    sed -n 's|.*/\(jsoniter-scala\)-core_3-\([0-9.]*\)\.jar|\1 \2|p; s|.*/\(jackson\)-databind-\([0-9.]*\)\.jar|\1 \2|p;
        s|.*/\(fastjson2\)-\([0-9.]*\)\.jar|\1 \2|p; s|.*/\(sjson-new\)-core_3-\(.*\)\.jar|\1 \2|p'"""]


def where(name: str, quick: bool) -> str:
    """The machine, the versions and the day, as docs/results.md says them."""
    compiler = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
    release = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    said = subprocess.run(VERSIONS[name], capture_output=True, text=True).stdout.split("\n") if name in VERSIONS else []
    versions = [line.strip() for line in said if len(line.split()) == 2]
    return "; ".join([machine(), release, ", ".join([f"g++ {compiler}", *versions]), time.strftime("%Y-%m-%d") + (", quick runs" if quick else "")])


def run(command: list, quick: bool) -> list[list[str]]:
    """Runs one measuring program, shows what it prints, returns its ratio lines as fields."""
    program = command[0]
    runners = {".py": sys.executable, ".rb": os.environ.get("RUBY", "ruby"), ".pl": os.environ.get("PERL", "perl")}
    line = [runners[program.suffix], str(program)] if isinstance(program, Path) else [str(PROGRAMS / program)]
    line += [str(word) for word in command[1:]] + (["--quick"] if quick else [])
    found = []
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env={**os.environ, "KUMIHIMO_WORK": str(WORK)}) as process:
        assert process.stdout is not None
        for text in process.stdout:
            if text.startswith(("ratio\t", "study\t")):
                found.append(text.rstrip("\n").split("\t"))
            else:
                print(text, end="", flush=True)
    if process.returncode != 0:
        sys.exit(f"{' '.join(line)} failed with status {process.returncode}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench")
    parser.add_argument("name", choices=sorted(BENCHES))
    parser.add_argument("--quick", action="store_true", help="smaller inputs and fewer runs: a minute or so, jvm some 15 minutes")
    parser.add_argument("--json", metavar="FILE", help="also write the ratios as JSON")
    options = parser.parse_args()

    WORK.mkdir(parents=True, exist_ok=True)
    print(f"machine: {machine()}, {platform.platform()}", flush=True)
    said = [line for command in BENCHES[options.name] for line in run(command, options.quick)]
    lines = [line for line in said if line[0] == "ratio"]
    study = [line[1:] for line in said if line[0] == "study"]

    print(f"\n{'task':44} {'against':28} {'ratio':>7} {'least':>6}")
    for _, task, who, value, runs in lines:
        rival = who.split("/", 1)[1]
        least = TARGETS.get(task, {}).get(rival)
        mark = "" if least is None else f"{least:>6g}" + ("" if float(value) >= least else "  below")
        print(f"{task:44} {rival:28} {float(value):7.2f} {mark}")
    print()
    for line in said:
        print("\t".join(line))
    if options.json:
        rows = [{"task": t, "pair": w, "ratio": float(v), "runs": int(n)} for _, t, w, v, n in lines]
        measured = {"where": where(options.name, options.quick), "bench": options.name, "quick": options.quick, "ratios": rows}
        Path(options.json).write_text(json.dumps(measured | ({"study": study} if study else {}), indent=1) + "\n")


if __name__ == "__main__":
    main()
