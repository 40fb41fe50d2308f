"""Gives documents to the JVM's implementation and to the engine, and lists where they answer differently.

    python differential.py [--count N] [--seed N] [--shown N] [--only FORMAT] --engine ANSWERS -- java -cp CLASSES kumihimo.Differential

The documents are those of tests/vectors, what mutation makes of them, and those of corners.py by every read dialect. Each is
written by a write dialect of any format. Verdict, code, offset and path must be the same, and where a document is taken,
every byte. So it is with what is in frames, and what it unpacks to. The engine is the program that is built from
cpp/engine_answers.cpp, in which no host's rules come between reader and writer. What the JVM may answer otherwise is what
allowed() says, and README.md beside core/: exact other answers.
"""

from __future__ import annotations

import argparse
import itertools
import pathlib
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import NamedTuple

import corners

VECTORS = pathlib.Path(__file__).resolve().parents[5] / "tests" / "vectors"


class Format(NamedTuple):
    name: str
    read_dialects: "list[str]"
    write_dialects: "list[str]"


class Case(NamedTuple):
    source: str
    granted: str
    target: str
    dialect: str
    document: bytes


def rows_of(command: "list[str]") -> "list[list[str]]":
    """What a program says of its formats, with their dialects, media types and endings, and of frames."""
    said = subprocess.run([*command, "--table"], check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return [line.split(" ") for line in said.stdout.splitlines()]


def table(engine: str) -> "tuple[list[Format], list[str]]":
    """The formats that the engine has, and the frames that are at hand."""
    rows = rows_of([engine])
    return [Format(name, read[0].split(","), read[1].split(",")) for what, name, *read in rows if what == "format"], [r[1] for r in rows if r[0] == "frame"]


def documents(name: str) -> list[bytes]:
    found = [p for folder in (name, f"read/{name}", f"streams/{name}") for p in sorted((VECTORS / folder).rglob("*.in"))]
    found += sorted((VECTORS / "model").glob(f"*.{name}.*"))
    if name == "json":
        found += sorted((VECTORS / "project").glob("*.in"))
    return [p.read_bytes() for p in found if p.suffix != ".error"]


def mutated(source: list[bytes], pick: random.Random) -> bytes:
    document = bytearray(pick.choice(source))
    for _ in range(pick.randrange(3)):
        at = pick.randrange(len(document) + 1)
        what = pick.randrange(6)
        if what == 0 and document:
            document[at - 1] ^= 1 << pick.randrange(8)
        elif what == 1:
            document.insert(at, pick.choice(b'"\\{}[]:,0123456789.eE+-tfn/* \t\n\x00\x7f\x80\xbf\xc0\xed\xa0\xf4\xff') if pick.random() < 0.7 else pick.randrange(256))
        elif what == 2:
            del document[at : at + 1 + pick.randrange(4)]
        elif what == 3:
            del document[at:]
        elif what == 4:
            other = pick.choice(source)
            cut = pick.randrange(len(other) + 1)
            document[at:at] = other[cut : cut + pick.randrange(1, 20)]
        else:
            document[at:at] = document[max(0, at - pick.randrange(1, 12)) : at]
    return bytes(document)


def cases(count: int, seed: int, only: "str | None", engine: str) -> Iterator[Case]:
    pick = random.Random(seed)
    formats, there = table(engine)
    sources = [f for f in formats if only in (None, f.name)]
    frames = [name for name in there if only in (None, name)]
    known = {f.name: documents(f.name) for f in sources}
    for f in sources:
        for document in known[f.name]:
            yield Case(f.name, f.read_dialects[0], f.name, f.write_dialects[0], document)
    for name in frames:
        files = [p.read_bytes() for p in sorted((VECTORS / "frames" / name).glob("*.in"))]
        for file in files + [mutated(files, pick) for _ in range(count // 10)]:
            yield Case(name, "-", "unpacked", "-", file)
    for f in sources:
        for document in corners.JSON if f.name == "json" else corners.BINARY:
            for dialect in f.read_dialects:
                target = pick.choice(formats)
                yield Case(f.name, dialect, target.name, pick.choice(target.write_dialects), document)
    for _ in range(count if sources else 0):
        source, target = pick.choice(sources), pick.choice(formats)
        yield Case(source.name, pick.choice(source.read_dialects), target.name, pick.choice(target.write_dialects), mutated(known[source.name], pick))


def allowed(case: Case, said: str, told: "list[str]") -> bool:
    """Whether what the JVM told is what the engine said, or the one other answer that stands for it.

    The engine's writer works behind its reader, so that a document that is broken and cannot be written has two faults, of which
    either may be said: the JVM tells both. A Java String keeps no bytes that are no text, so a path has U+FFFD in their place.
    Where packed bytes are broken (syntax) each has the place from its own library, as far as that had come."""
    if case.target == "unpacked" and said.startswith("syntax "):
        return [one.split(" ")[0::2] for one in told] == [["syntax", "-"]]
    return said in told


class Answers:
    """A program that answers documents, one behind the other."""

    def __init__(self, command: "list[str]", pending: "list[Case]") -> None:
        self.running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        threading.Thread(target=self.send, args=(pending,), daemon=True).start()

    def send(self, pending: "list[Case]") -> None:
        with self.running.stdin as to:
            for case in pending:
                to.write(f"{case.source} {case.granted} {case.target} {case.dialect} {len(case.document)}\n".encode() + case.document)

    def next(self) -> "tuple[str, bytes]":
        line = self.running.stdout.readline()
        if not line:
            raise EOFError(f"{self.running.args[0]} has ended")
        # Behind the code and the offset stands a path, which may have broken text of the document in it.
        said = line.decode("utf-8", "replace").rstrip("\n")
        return ("ok", self.running.stdout.read(int(said[3:]))) if said.startswith("ok ") else (said, b"")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=20_000, help="documents that are made, beside the vectors' own")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--shown", type=int, default=20, help="differences that are listed")
    options.add_argument("--only", help="documents of this format alone")
    options.add_argument("--engine", required=True, help="what answers for the engine: cpp/engine_answers.cpp, compiled")
    options.add_argument("command", nargs="+", help="what answers for the JVM")
    asked = options.parse_args()

    mine, theirs = ([row for row in rows_of(command) if row[0] == "format"] for command in ([asked.engine], asked.command))
    # The programs of the Scala hosts have no table of their own, and say nothing.
    if theirs and mine != theirs:
        print("the tables of formats differ:", *(f"{one} / {other}" for one, other in itertools.zip_longest(mine, theirs) if one != other), sep="\n    ")
        return 1
    pending = list(cases(asked.count, asked.seed, asked.only, asked.engine))
    engine, jvm = Answers([asked.engine], pending), Answers(asked.command, pending)
    taken = different = 0
    for case in pending:
        (said, wanted), (verdict, written) = engine.next(), jvm.next()
        taken += said == "ok"
        if allowed(case, said, verdict.split(" | ")) and written == wanted:
            continue
        different += 1
        if different <= asked.shown:
            print(*case[:4], case.document[:300])
            print("    engine:", said, wanted[:200])
            print("    JVM:   ", verdict, written[:200])
    print(f"{len(pending)} documents, {taken} of them taken, {different} answered differently")
    print(f"{len(pending) - different} passed, {different} failed")
    return different != 0


if __name__ == "__main__":
    sys.exit(main())
