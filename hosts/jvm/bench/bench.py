"""Measures the JVM host with JMH and prints its ratios: `bench.py [--quick] [NAME...]`, as `./dev bench jvm` calls it.

KUMIHIMO_JVM_CLASSES is the class path of the benches, KUMIHIMO_DATA the corpora, KUMIHIMO_WORK a folder for files. A fork
of one contender follows a fork of another, round by round, so that what the machine does besides hits all alike; a ratio
is of medians over the forks. The heap is fixed (KUMIHIMO_JVM_HEAP, 2g), and beside each time stands how much was
allocated.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

JAVA = os.environ.get("JAVA", "java")
HEAP = os.environ.get("KUMIHIMO_JVM_HEAP", "2g")
OPTIONS = [f"-Xms{HEAP}", f"-Xmx{HEAP}", "-XX:+UseParallelGC", "-Dfile.encoding=UTF-8"]

# task, ours, [(rival's name, the rival)]: each a bench's class and method.
ROWS: list[tuple[str, str, list[tuple[str, str]]]] = []
for way in ("save", "load"):
    ids = f"ModuleIdsBench.{way}"
    ROWS += [
        (f"jvm.{way}.module_ids", f"{ids}Kumihimo", [("jsoniter-scala", f"{ids}Jsoniter")]),
        (f"jvm.{way}.module_ids.sjson", f"{ids}Sjson", [("sjson-new", f"{ids}Genuine")]),
        (f"jvm.{way}.module_ids.sjson.msgpack", f"{ids}SjsonMessagePack", [("sjson-new", f"{ids}Genuine")]),
        (f"jvm.{way}.module_ids.msgpack", f"{ids}MessagePack", [("json", f"{ids}Kumihimo")]),
        (f"jvm.{way}.module_ids.tagged", f"{ids}Tagged", [("json", f"{ids}Kumihimo")]),
        (f"jvm.{way}.module_ids.cbor", f"{ids}Cbor", [("json", f"{ids}Kumihimo")]),
        (f"jvm.{way}.module_ids.gzip", f"{ids}Gzip", [("jsoniter-scala+gzip", f"{ids}JsoniterGzip")]),
    ]
for way in ("read", "write"):
    for name in ("twitter", "citm", "canada", "films"):
        bench = f"{name.capitalize()}Bench.{way}"
        ROWS.append((f"jvm.{way}.{name}", f"{bench}Kumihimo", [("jsoniter-scala", f"{bench}Jsoniter"), ("jackson", f"{bench}Jackson")]))
    ROWS.append((f"jvm.{way}.small", f"SmallBench.{way}Kumihimo", [("jsoniter-scala", f"SmallBench.{way}Jsoniter")]))
for level in ("strict", "trusted"):
    task = "jvm.partial.two_fields" + ("" if level == "strict" else f"_{level}")
    ROWS.append((task, f"PartialBench.{level}Kumihimo", [("jsoniter-scala", "PartialBench.jsoniter")]))
for way in ("read", "write"):
    for name in ("twitter", "citm", "canada", "films"):
        bench = f"Plain{name.capitalize()}Bench.{way}"
        ROWS.append((f"jvm.plain.{way}.{name}", f"{bench}Kumihimo", [("jackson", f"{bench}Jackson"), ("fastjson2", f"{bench}Fastjson")]))

# The table of sjson-new's own study (2016), on its machine: backend, milliseconds to save and to load 20,000 ModuleIDs,
# size of the file.
STUDY = [
    ("Spray JSON", 34.2, 31.5, "1.4 MB"),
    ("Scala JSON", 31.2, 40.6, "1.4 MB"),
    ("Spray JSON, gzip", 42.8, 36.0, "123 KB"),
    ("Scala JSON, gzip", 43.5, 43.7, "123 KB"),
    ("MessagePack", 48.5, 71.3, "1.2 MB"),
    ("its own binary format", 152.4, 82.1, "896 KB"),
]


def measure(bench: str, settings: list[str]) -> tuple[float, float]:
    """Microseconds and bytes allocated for each call, of one fork."""
    with tempfile.TemporaryDirectory() as at:
        found = Path(at) / "found.json"
        line = [JAVA, "-cp", os.environ["KUMIHIMO_JVM_CLASSES"], "org.openjdk.jmh.Main", rf"^kumihimo\.bench\.{bench.replace('.', chr(92) + '.')}$"]
        line += ["-f", "1", "-foe", "true", "-prof", "gc", "-rf", "json", "-rff", str(found), "-jvmArgs", " ".join(OPTIONS), *settings]
        done = subprocess.run(line, capture_output=True, text=True)
        if done.returncode != 0 or not found.exists():
            sys.exit(f"{bench} failed:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        rows = json.loads(found.read_text())
    if len(rows) != 1:
        sys.exit(f"{bench} is {len(rows)} benches")
    allocated = [metric["score"] for name, metric in rows[0]["secondaryMetrics"].items() if name.endswith("gc.alloc.rate.norm")]
    return statistics.median(rows[0]["primaryMetric"]["rawData"][0]), allocated[0] if allocated else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="only tasks whose name begins with one of these")
    parser.add_argument("--quick", action="store_true", help="one fork each: some 15 minutes for all tasks and not 40, less certain")
    options = parser.parse_args()

    def named(task: str) -> bool:
        return not options.names or any(task.startswith(name) for name in options.names)

    rows = [row for row in ROWS if named(row[0])]
    if not rows and not named("jvm.study"):
        sys.exit("no such task")
    benches = list(dict.fromkeys(bench for _, ours, rivals in rows for bench in (ours, *(rival for _, rival in rivals))))
    rounds = 1 if options.quick else 3
    # The JVM's compiler takes seconds for codecs of records, beside the code: of twitter.json's types 4 to 7 s.
    settings = ["-wi", "7", "-w", "1s", "-i", "3" if options.quick else "6", "-r", "500ms"]

    version = subprocess.run([JAVA, "-version"], capture_output=True, text=True).stderr.split("\n")[0]
    print(f"{version}, {' '.join(OPTIONS)}, {rounds} {'fork' if rounds == 1 else 'forks'} of each, alternating", flush=True)
    classes = list(dict.fromkeys(bench.split(".")[0] for bench in benches))
    java = [JAVA, *OPTIONS, "-cp", os.environ["KUMIHIMO_JVM_CLASSES"]]
    if classes:
        subprocess.run([*java, "kumihimo.bench.Check", *classes], check=True)

    times: dict[str, list[float]] = {bench: [] for bench in benches}
    bytes_: dict[str, list[float]] = {bench: [] for bench in benches}
    for _ in range(rounds):
        for bench in benches:
            time, allocated = measure(bench, settings)
            times[bench].append(time)
            bytes_[bench].append(allocated)

    for task, ours, rivals in rows:
        for name, rival in rivals:
            a, b = statistics.median(times[ours]), statistics.median(times[rival])
            said = f"{task:36} {a:12.2f} us {statistics.median(bytes_[ours]):12.0f} B   {name:20}"
            print(f"{said} {b:12.2f} us {statistics.median(bytes_[rival]):12.0f} B   {b / a:6.2f}", flush=True)
    for task, ours, rivals in rows:
        for name, rival in rivals:
            value = statistics.median(times[rival]) / statistics.median(times[ours])
            print(f"ratio\t{task}\tkumihimo/{name}\t{value:.3f}\t{rounds}", flush=True)
    if named("jvm.study"):
        subprocess.run([*java, "kumihimo.bench.StudyTable", "7" if options.quick else "31"], check=True)
        for backend, save, load, size in STUDY:
            print(f"study\tthe study (2016)\t{backend}\t{save}\t{load}\t{size}", flush=True)


if __name__ == "__main__":
    main()
