"""`./dev demo braid`: one data set through every host that is built, a hash per hop, all equal. `braid.py DIR [HOST=REASON...]`

Each hop takes what the hop before left, carries it in its own way, and hands on bytes. The hash is taken of the same
text at every hop: the data as compact JSON, made from the hop's bytes by that hop's host. The hops of a HOST that could
not be built are named with the REASON, and the braid goes on without them.
"""

from __future__ import annotations

import gzip
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


def frames() -> Path:
    at = OUT / f"braid-{COUNT}"
    if not at.exists():
        OUT.mkdir(parents=True, exist_ok=True)
        subprocess.run([os.environ["KUMIHIMO_FRAMES"], "--zips", str(at), "--count", str(COUNT)], check=True)
    return at


def hop(name: str, compact: bytes, size: int) -> str:
    digest = hashlib.sha256(compact).hexdigest()
    print(f"    {name:70} {size:>10,} bytes  {digest[:16]}", flush=True)
    return digest


def plain(source: str, target: str, data: bytes) -> bytes:
    """The C++ reference host: reads into its own values and writes from them."""
    return subprocess.run([os.environ["KUMIHIMO_PLAIN"], source, target], input=data, capture_output=True, check=True).stdout


def ruby(source: str, target: str, data: bytes) -> bytes:
    """The Ruby host, a process per hop."""
    script = Path(__file__).with_suffix(".rb")
    return subprocess.run([os.environ["RUBY"], str(script), source, target], input=data, capture_output=True, check=True).stdout


def perl(source: str, target: str, data: bytes) -> bytes:
    """The Perl host, a process per hop."""
    script = Path(__file__).with_suffix(".pl")
    return subprocess.run([os.environ["PERL"], str(script), source, target], input=data, capture_output=True, check=True).stdout


def apache(source: str, target: str, data: bytes) -> bytes:
    """The Apache host, a private server per hop: `data` is a request's body, and what a script makes of it the response.

    mruby's floats, as Debian builds them, have 51 bits instead of 53. A decimal of up to 15 digits comes out as it went in all the same,
    in both formats, and this data has no longer ones; doubles that need 16 or 17 digits would not.
    """
    sys.path.insert(0, str(Path(__file__).parents[1] / "hosts" / "apache" / "bench"))
    from servers import Measured

    module = Path(os.environ["KUMIHIMO_APACHE"]) / "mod_mruby.so"
    lines = f"LoadModule mruby_module {module}\nMrubyMaxBody 64M\nMrubyMemoryLimit 512M\n<Files braid.mrb>\n  SetHandler mruby-script\n</Files>"
    server = Measured("event", lines, [Path(__file__).with_suffix(".mrb")])
    try:
        return server.body(f"braid.mrb?{target}", data, f"application/{source}")
    finally:
        server.remove()


HOSTS = {"Plain": plain, "Ruby": ruby, "Perl": perl, "Apache": apache}


def main() -> None:
    archives = sorted(frames().iterdir())
    print("\nThe braid: the same data through every host, a hash per hop")
    digests = []

    # Out of the Zips by extract, whole documents as JSON text.
    data = documents(kumihimo.extract([str(a) for a in archives], ["frame=$:json"]))
    compact = kumihimo.dumps(data)
    digests.append(hop("Zip archives, kumihimo.extract (C++), into Python", compact, sum(a.stat().st_size for a in archives)))

    # The same out of the same archives with the standard library alone, as a witness.
    stock = b"[" + b",".join(zipfile.ZipFile(a).read(n) for a in archives for n in zipfile.ZipFile(a).namelist()) + b"]"
    digests.append(hop("the standard library's zipfile, for comparison", kumihimo.dumps(kumihimo.loads(stock)), len(stock)))

    packed = kumihimo.msgpack.packb(data)
    digests.append(hop("Python to MessagePack, and back to JSON by pipe(reader, writer)", kumihimo.convert(packed, "msgpack", "json"), len(packed)))

    text = kumihimo.convert(packed, "msgpack", "json")
    for name, carry in HOSTS.items():
        if name.lower() in MISSING:
            print(f"    {name}: both hops are missing, because it could not be built: {MISSING[name.lower()]}", flush=True)
            continue
        packed = carry("json", "msgpack", text)
        digests.append(hop(f"{name}: JSON into its values, its values to MessagePack; Python reads", kumihimo.dumps(kumihimo.msgpack.unpackb(packed)), len(packed)))
        text = carry("msgpack", "json", packed)
        # Ruby and mruby spell 1e-08 as 1.0e-08, so the hash is of what Python reads.
        digests.append(hop(f"{name}: MessagePack into its values, its values to JSON; Python reads", kumihimo.dumps(kumihimo.loads(text)), len(text)))

    framed = gzip.compress(text, 6)
    (OUT / "braid.json.gz").write_bytes(framed)
    back = kumihimo.extract([str(OUT / "braid.json.gz")], ["frame=$:json"])
    rejoined = b"[" + b",".join(kumihimo.dumps(row) for row in documents(back)) + b"]"
    digests.append(hop("framed in gzip, a top-level array, kumihimo.extract", rejoined, len(framed)))

    if len(set(digests)) != 1:
        sys.exit("the braid is broken: the hashes differ")
    print(f"    {len(digests)} hops, one hash" + (f"; without {', '.join(name for name in HOSTS if name.lower() in MISSING)}" if MISSING else ""))


def documents(rows: kumihimo.Extraction) -> list[object]:
    import pyarrow

    return [kumihimo.loads(value) for value in pyarrow.table(rows).column("frame").to_pylist()]


if __name__ == "__main__":
    main()
