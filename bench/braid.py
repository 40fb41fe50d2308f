"""`./dev demo braid`: one data set through every host that is built, a hash per hop, all equal.

    braid.py DIR [HOST=REASON...]

Each hop takes what the hop before left, makes values of it in its own way, and hands on bytes. In every host the data
goes through every format, and through every frame whose library is there. The hash is of the same text at every hop:
the data as compact JSON, as Python reads it from the hop's bytes. The hops of a HOST that could not be built are named
with the REASON, and the braid goes on without them.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import kumihimo

OUT = Path(sys.argv[1])
MISSING = dict(word.split("=", 1) for word in sys.argv[2:])
COUNT = 500
# Each host begins with what the one before left: JSON in zstd. tagged is in its dialect `safe`: `study` sorts keys, and
# has no booleans.
HOPS = [("msgpack", None), ("tagged", "lz4"), ("cbor", "gzip"), ("json", "zstd")]
NAMES = {"json": "JSON", "msgpack": "MessagePack", "tagged": "tagged", "cbor": "CBOR"}
THERE = {frame["name"] for frame in kumihimo.frames() if frame["available"]}


def frames() -> Path:
    at = OUT / f"braid-{COUNT}"
    if not at.exists():
        OUT.mkdir(parents=True, exist_ok=True)
        subprocess.run([os.environ["KUMIHIMO_FRAMES"], "--zips", str(at), "--count", str(COUNT)], check=True)
    return at


def hop(name: str, compact: bytes, size: int) -> str:
    digest = hashlib.sha256(compact).hexdigest()
    print(f"    {name:60} {size:>10,} bytes  {digest[:16]}", flush=True)
    return digest


def python(source: str, target: str, frame: str | None, data: bytes) -> bytes:
    return kumihimo.dump(kumihimo.load(data, source), target, frame=frame)


def program(command: list[str], data: bytes) -> bytes:
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


def words(source: str, target: str, frame: str | None) -> list[str]:
    return [source, target] if frame is None else [source, target, frame]


def plain(source: str, target: str, frame: str | None, data: bytes) -> bytes:
    """The C++ reference host: reads into its own values and writes from them."""
    return program([os.environ["KUMIHIMO_PLAIN"], *words(source, target, frame)], data)


def ruby(source: str, target: str, frame: str | None, data: bytes) -> bytes:
    """The Ruby host, a process per hop."""
    return program([os.environ["RUBY"], str(Path(__file__).with_suffix(".rb")), *words(source, target, frame)], data)


def perl(source: str, target: str, frame: str | None, data: bytes) -> bytes:
    """The Perl host, a process per hop."""
    return program([os.environ["PERL"], str(Path(__file__).with_suffix(".pl")), *words(source, target, frame)], data)


def jvm(source: str, target: str, frame: str | None, data: bytes) -> bytes:
    """The JVM host in plain Java, a process per hop."""
    return program(["java", "-cp", os.environ["KUMIHIMO_JVM"], str(Path(__file__).with_name("Braid.java")), *words(source, target, frame)], data)


def apache(source: str, target: str, frame: str | None, data: bytes) -> bytes:
    """The Apache host, a private server per hop: `data` is a request's body, what a script makes of it the response.

    mruby's floats, as Debian builds them, have 51 bits instead of 53. A decimal of up to 15 digits comes out as it went
    in all the same, in every format, and this data has no longer ones; doubles that need 16 or 17 digits would not.
    """
    sys.path.insert(0, str(Path(__file__).parents[1] / "hosts" / "apache" / "bench"))
    from servers import Measured

    module = Path(os.environ["KUMIHIMO_APACHE"]) / "mod_mruby.so"
    lines = f"LoadModule mruby_module {module}\nMrubyMaxBody 64M\nMrubyMemoryLimit 512M\n<Files braid.mrb>\n  SetHandler mruby-script\n</Files>"
    server = Measured("event", lines, [Path(__file__).with_suffix(".mrb")])
    try:
        return server.body(f"braid.mrb?{'/'.join(words(source, target, frame))}", data, "application/octet-stream")
    finally:
        server.remove()


HOSTS = {"Python": python, "Plain": plain, "Ruby": ruby, "Perl": perl, "Apache": apache, "JVM": jvm}


def said(form: str, frame: str | None) -> str:
    return NAMES.get(form, form) + (f" in {frame}" if frame else "")


def main() -> None:
    archives = sorted(frames().iterdir())
    print("\nThe braid: the same data through every host, format and frame, a hash per hop")
    digests = []

    # Out of the Zips by extract, whole documents as JSON text.
    data = documents(kumihimo.extract([str(a) for a in archives], ["frame=$:json"]))
    held = kumihimo.dumps(data)
    digests.append(hop("Zip archives, kumihimo.extract (C++), into Python", held, sum(a.stat().st_size for a in archives)))

    # The same out of the same archives with the standard library alone, as a witness.
    stock = b"[" + b",".join(zipfile.ZipFile(a).read(n) for a in archives for n in zipfile.ZipFile(a).namelist()) + b"]"
    digests.append(hop("the standard library's zipfile, for comparison", kumihimo.dumps(kumihimo.loads(stock)), len(stock)))

    source, source_frame = "json", None
    for name, carry in HOSTS.items():
        if name.lower() in MISSING:
            print(f"    {name}: all {len(HOPS)} hops are missing, because it could not be built: {MISSING[name.lower()]}", flush=True)
            continue
        for target, frame in HOPS:
            frame = frame if frame in THERE else None
            held = carry(source, target, frame, held)
            # Ruby and mruby spell 1e-08 as 1.0e-08, so the hash is of what Python reads.
            digests.append(hop(f"{name}: {said(source, source_frame)} to {said(target, frame)}", kumihimo.dumps(kumihimo.load(held, target)), len(held)))
            source, source_frame = target, frame

    last = OUT / f"braid.json{'.zst' if source_frame else ''}"
    last.write_bytes(held)
    rows = b"[" + b",".join(kumihimo.dumps(row) for row in documents(kumihimo.extract([str(last)], ["frame=$:json"]))) + b"]"
    digests.append(hop(f"{said(source, source_frame)}, a top-level array, kumihimo.extract", rows, len(held)))

    if len(set(digests)) != 1:
        sys.exit("the braid is broken: the hashes differ")
    without = [name for name in HOSTS if name.lower() in MISSING] + [frame for _, frame in HOPS if frame and frame not in THERE]
    print(f"    {len(digests)} hops, one hash" + (f"; without {', '.join(without)}" if without else ""))


def documents(rows: kumihimo.Extraction) -> list[object]:
    import pyarrow

    return [kumihimo.loads(value) for value in pyarrow.table(rows).column("frame").to_pylist()]


if __name__ == "__main__":
    main()
