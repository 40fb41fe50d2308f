"""The folder of `--resume`: what an extraction has read so far, so that another process goes on behind it.

    manifest.json           the version, what was asked for, the inputs with their sizes and times
    part-0-00000007.rows    rows as they came from the engine, and .bad: the lines for a quarantine file
    part-0-00000007.json    written last: sizes and check sums of those two, the engine's token, what was counted, check sums of inputs
    start.json              after a guess about the columns was wrong: the next generation of parts (the first number), and its token
    output.json             which files are about to take the output's name (resume_run.py)

A file of JSON appears whole: it is written beside, flushed to the disk and renamed. Of the rest only what such a file knows counts, so a
process can be killed between any two instructions.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import struct
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Iterator, NamedTuple, Optional, Type

from .output import naming

FORMAT = 1
OWN = re.compile(r"(manifest|start|output)\.json(\.new)?|part-\d+-\d+\.(rows|bad|json)(\.new)?")
LENGTH = struct.Struct("<Q")
BLOCK = 1 << 20


def checksum(path: Any) -> str:
    with open(path, "rb", buffering=0) as file:
        sum_ = hashlib.blake2b(digest_size=16)
        while block := file.read(BLOCK):
            sum_.update(block)
    return sum_.hexdigest()


def flush(path: Any) -> None:
    """To the disk: a file, or what a folder has in it by name."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def state_of(name: str) -> Optional[list[int]]:
    """What of a file changes when its content does; None where there is none. Size, time of the content, time of any change."""
    try:
        at = os.stat(name)
    except (OSError, ValueError):
        return None
    return [at.st_size, at.st_mtime_ns, at.st_ctime_ns]


class Part(NamedTuple):
    """A finished one."""

    number: int
    about: dict[str, Any]


class OpenPart:
    """A part that is written. `schema` is that of its batches, None where its rows are text."""

    def __init__(self, folder: ResumeFolder, number: int, schema: Any) -> None:
        self.folder, self.number, self.schema = folder, number, schema
        self.path = folder.file(number, "rows")
        self.file: BinaryIO = open(self.path, "wb", buffering=BLOCK)
        self.bad: Optional[BinaryIO] = None
        self.batches: Any = None
        if schema is not None:
            import pyarrow.ipc

            self.batches = pyarrow.ipc.new_stream(self.file, schema, options=pyarrow.ipc.IpcWriteOptions(compression="lz4"))

    def put(self, piece: Any) -> None:
        """A piece as the engine gave it: what is made of rows may depend on where pieces end."""
        if self.schema is None:
            if piece:
                self.file.write(LENGTH.pack(len(piece)))
                self.file.write(piece)
        elif piece.num_rows:
            self.batches.write_batch(piece)

    def put_aside(self, lines: bytes) -> None:
        if lines and self.bad is None:
            self.bad = open(self.folder.file(self.number, "bad"), "wb", buffering=BLOCK)
        if self.bad is not None:
            self.bad.write(lines)

    @property
    def size(self) -> int:
        return self.file.tell()

    def close(self) -> None:
        if self.batches is not None:
            self.batches.close()
        for file in (self.file, self.bad):
            if file is not None:
                file.flush()
                os.fsync(file.fileno())
                file.close()

    def abandon(self) -> None:
        for file in (self.file, self.bad):
            if file is not None:
                with contextlib.suppress(OSError):  # what could not be written is thrown away
                    file.close()


class ResumeFolder:
    """`with ResumeFolder(path) as folder:` is the only process there. `manifest` is None where no run has begun."""

    def __init__(self, path: Any) -> None:
        self.path = Path(path)
        self.lock = -1
        self.manifest: Optional[dict[str, Any]] = None
        self.output: Optional[dict[str, Any]] = None
        self.generation = 0
        self.token: Optional[str] = None  # of the generation's beginning
        self.parts: list[Part] = []
        self.sums: dict[str, str] = {}  # of inputs that are read, by their index
        self.damaged: Optional[str] = None  # a part that was thrown away

    def __enter__(self) -> ResumeFolder:
        self.path.mkdir(exist_ok=True)
        self.lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.load()
        except BlockingIOError:
            os.close(self.lock)
            raise OSError(f"{self.path}: another run is under way in this folder") from None
        except BaseException:
            os.close(self.lock)
            raise
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        if self.manifest is None:  # nothing was begun
            with contextlib.suppress(OSError):
                os.rmdir(self.path)
        os.close(self.lock)

    def file(self, number: int, ending: str) -> Path:
        return self.path / f"part-{self.generation}-{number:08}.{ending}"

    # ---- reading

    def broken(self, name: str) -> OSError:
        return OSError(f"{self.path / name} is broken: remove {self.path} to begin anew")

    def read(self, name: str) -> Optional[dict[str, Any]]:
        try:
            found = json.loads((self.path / name).read_bytes())
        except FileNotFoundError:
            return None
        except ValueError:
            raise self.broken(name) from None
        if not isinstance(found, dict) or found.get("kumihimo_resume") != FORMAT:
            raise self.broken(name)
        return found

    def load(self) -> None:
        names = sorted(os.listdir(self.path))
        self.manifest, self.output = self.read("manifest.json"), self.read("output.json")
        if self.manifest is None:
            others = [name for name in names if not OWN.fullmatch(name)]
            if others:
                raise FileExistsError(f"{self.path} holds other files, such as {others[0]}: name a folder that is new or empty")
            return
        asked, inputs = self.manifest.get("request"), self.manifest.get("inputs")
        if not isinstance(asked, dict) or not isinstance(inputs, list) or not isinstance(self.manifest.get("version"), str):
            raise self.broken("manifest.json")
        if not all(isinstance(one, list) and len(one) == 2 and isinstance(one[0], str) and (one[1] is None or isinstance(one[1], list)) for one in inputs):
            raise self.broken("manifest.json")
        start = self.read("start.json")
        if start is not None:
            if not isinstance(start.get("generation"), int) or not isinstance(start.get("token"), str):
                raise self.broken("start.json")
            self.generation, self.token = start["generation"], start["token"]
        while (part := self.whole_part(len(self.parts))) is not None:
            self.parts.append(part)
            self.sums.update(part.about["sums"])
            if part.about["end"] is not None:
                break
        known = {self.file(part.number, ending).name for part in self.parts for ending in ("rows", "bad", "json")}
        for name in names:
            if name.startswith("part-") and OWN.fullmatch(name) and name not in known:
                os.unlink(self.path / name)

    def whole_part(self, number: int) -> Optional[Part]:
        """None where there is none, or it is not as it was written."""
        name = self.file(number, "json")
        if not name.exists():
            return None
        try:
            about = self.read(name.name)
            assert about is not None
            kept = [(self.file(number, ending), about[ending]) for ending in ("rows", "bad") if about[ending] is not None]
            if isinstance(about["sums"], dict) and isinstance(about["token"], str) and all([path.stat().st_size, checksum(path)] == was for path, was in kept):
                return Part(number, about)
        except (OSError, KeyError, TypeError):
            pass
        self.damaged = str(name.with_suffix(".rows"))
        return None

    @property
    def complete(self) -> bool:
        return bool(self.parts) and self.parts[-1].about["end"] is not None

    @property
    def last(self) -> dict[str, Any]:
        """What the last part says; nothing where there is none."""
        return self.parts[-1].about if self.parts else {"token": self.token, "counted": {}, "codes": {}, "scopes": {}}

    def pieces(self, text: bool) -> Iterator[Any]:
        """All that was put, piece by piece."""
        for part in self.parts:
            path = self.file(part.number, "rows")
            if not text:
                import pyarrow
                import pyarrow.ipc

                with pyarrow.OSFile(str(path)) as source, pyarrow.ipc.open_stream(source) as batches:
                    yield from batches
                continue
            with open(path, "rb", buffering=BLOCK) as file:
                while head := file.read(LENGTH.size):
                    yield file.read(LENGTH.unpack(head)[0])

    def schema(self) -> Any:
        """Of the batches."""
        import pyarrow
        import pyarrow.ipc

        with pyarrow.OSFile(str(self.file(0, "rows"))) as source, pyarrow.ipc.open_stream(source) as batches:
            return batches.schema

    def lines_aside(self) -> Iterator[bytes]:
        for part in self.parts:
            if part.about["bad"] is not None:
                with open(self.file(part.number, "bad"), "rb", buffering=0) as file:
                    while block := file.read(BLOCK):
                        yield block

    # ---- writing

    def write(self, name: str, content: dict[str, Any]) -> None:
        new = self.path / (name + ".new")
        with naming(str(self.path / name)):
            with open(new, "wb") as file:
                file.write(json.dumps({"kumihimo_resume": FORMAT, **content}).encode())
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, self.path / name)
            flush(self.path)

    def begin(self, version: str, request: dict[str, Any], inputs: list[str]) -> None:
        """What is not ours was refused when the folder was opened."""
        for name in os.listdir(self.path):
            if OWN.fullmatch(name):
                os.unlink(self.path / name)
        self.output = None
        self.manifest = {"version": version, "request": request, "inputs": [[name, state_of(name)] for name in inputs]}
        self.write("manifest.json", self.manifest)

    def part(self, schema: Any) -> OpenPart:
        return OpenPart(self, len(self.parts), schema)

    def finish(self, part: OpenPart, about: dict[str, Any], inputs_read: int) -> None:
        """`about`: token, counted, codes, scopes, end. `inputs_read`: how many inputs are read to their ends by now."""
        part.close()
        assert self.manifest is not None
        inputs, sums = self.manifest["inputs"], {}
        for i in range(self.last.get("inputs_read", 0), inputs_read):
            if inputs[i][1] is not None:
                sums[str(i)] = self.sum_of(i)
        kept = {}
        for ending, file in (("rows", part.file), ("bad", part.bad)):
            path = self.file(part.number, ending)
            kept[ending] = None if file is None else [path.stat().st_size, checksum(path)]
        content = {**kept, "sums": sums, "inputs_read": inputs_read, **about}
        self.write(self.file(part.number, "json").name, content)
        self.parts.append(Part(part.number, content))
        self.sums.update(sums)

    def begin_again(self, token: str) -> None:
        """A guess about the columns was wrong: the rows so far are not those that are wanted."""
        old = [(self.file(part.number, ending)) for part in reversed(self.parts) for ending in ("json", "bad", "rows")]
        self.generation, self.token, self.parts, self.sums = self.generation + 1, token, [], {}
        self.write("start.json", {"generation": self.generation, "token": token})
        for path in old:
            path.unlink(missing_ok=True)

    def remove(self) -> None:
        """All that is ours: the last part first, so that what is left is a beginning at any moment, and what knows the output at the end."""
        names = sorted((name for name in os.listdir(self.path) if OWN.fullmatch(name)), reverse=True)
        order = {"start.json": 1, "manifest.json": 2, "output.json": 3}
        for name in sorted(names, key=lambda name: order.get(name, 0)):
            if name.startswith("part-") and name.endswith(".json"):
                for ending in (".json", ".bad", ".rows"):
                    (self.path / name).with_suffix(ending).unlink(missing_ok=True)
            else:
                (self.path / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # somebody else's files may be in it
            os.rmdir(self.path)

    # ---- comparing

    def compare(self, version: str, request: dict[str, Any]) -> None:
        """ValueError for other options, which begins with the option's name; OSError for another version."""
        assert self.manifest is not None
        if self.manifest["version"] != version:
            raise OSError(f"{self.path} is of a run by kumihimo {self.manifest['version']}, and this is {version}: finish it with that one, or remove the folder to begin anew")
        there = self.manifest["request"]
        for name in [*there, *(name for name in request if name not in there)]:
            if there.get(name) != request.get(name):
                raise ValueError(
                    f"{name} is not as in the run that {self.path} is of: there it is {json.dumps(there.get(name))}, here {json.dumps(request.get(name))}; "
                    "give the same, or name another folder to begin anew"
                )

    def sum_of(self, index: int) -> str:
        """An input's check sum. It is unchanged by then."""
        assert self.manifest is not None
        name, was = self.manifest["inputs"][index]
        try:
            found = checksum(name)
        except OSError:
            raise self.changed(name, "it cannot be read any more") from None
        if state_of(name) != was:
            raise self.changed(name, "it was written to meanwhile")
        return found

    def changed(self, name: str, how: str) -> OSError:
        return OSError(f"{name} has changed since the run that {self.path} is of began: {how}; remove {self.path} to begin anew")

    def compare_inputs(self, inputs: Optional[list[str]] = None) -> None:
        """OSError for an input that has changed. `inputs`: what there is now, after folders were replaced by what is in them."""
        assert self.manifest is not None
        was = [name for name, _ in self.manifest["inputs"]]
        if inputs is not None and inputs != was:
            before, after = set(was), set(inputs)
            come, gone = [name for name in inputs if name not in before], [name for name in was if name not in after]
            raise self.changed((come or gone or inputs)[0], "it was not there" if come else "it is no input any more" if gone else "the inputs come in another order")
        for i, (name, known) in enumerate(self.manifest["inputs"]):
            now = state_of(name)
            if now == known:
                continue
            if known is None or now is None:
                raise self.changed(name, "it is gone" if now is None else "it was not there")
            if now[0] != known[0]:
                raise self.changed(name, f"it had {known[0]} bytes and has {now[0]}")
            if str(i) not in self.sums:
                raise self.changed(name, "its time is another, and it was not read to its end, so there is no check sum of it")
            if checksum(name) != self.sums[str(i)]:
                raise self.changed(name, "its content is another")
            self.manifest["inputs"][i][1] = now
