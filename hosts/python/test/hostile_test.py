"""Odd and hostile use: containers that change under the walk, names that are no text, closed streams, numbers beyond the engine's."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import kumihimo
from kumihimo import msgpack

COMMAND = (sys.executable, "-m", "kumihimo.cli")


def command(*words: Any, cwd: Path, **more: Any) -> subprocess.CompletedProcess:
    more.setdefault("stdin", subprocess.DEVNULL)
    more.setdefault("stdout", subprocess.PIPE)
    more.setdefault("stderr", subprocess.PIPE)
    return subprocess.run([*COMMAND, *words], cwd=cwd, timeout=60, **more)


@pytest.fixture
def at(tmp_path: Path) -> Path:
    (tmp_path / "a.ndjson").write_text('{"a":1}\n{"a":2}\n')
    (tmp_path / "bad.ndjson").write_text('{"a":1}\n{"a":}\n')
    return tmp_path


# ---- dumps

class Thing:
    pass


@pytest.mark.parametrize("write", [kumihimo.dumps, msgpack.packb, lambda o, **k: kumihimo.dumps(o, indent=2, **k), lambda o, **k: kumihimo.dumps(o, sort_keys=True, **k)])
@pytest.mark.parametrize("empty_inner", [False, True])
@pytest.mark.parametrize("answer", [1, [1], {"z": [1]}])
def test_a_list_emptied_while_something_inside_is_written(write: Any, empty_inner: bool, answer: Any) -> None:
    outer: list[Any] = [[Thing(), Thing()], 1, 2]

    def default(o: Any) -> Any:
        if empty_inner and outer:
            outer[0].clear()
        outer.clear()
        gc.collect()
        return answer

    with pytest.raises(RuntimeError, match="changed its size"):
        write(outer, default=default)


@pytest.mark.parametrize("write", [kumihimo.dumps, msgpack.packb])
def test_a_dict_emptied_while_something_inside_is_written(write: Any) -> None:
    outer: dict[str, Any] = {"a": {"b": [Thing(), Thing()]}, "c": [1]}

    def default(o: Any) -> Any:
        outer.clear()
        gc.collect()
        return [1, {"k": 3}]

    with pytest.raises(RuntimeError, match="changed its size"):
        write(outer, default=default)
