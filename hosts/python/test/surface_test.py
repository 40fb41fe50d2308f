"""What a user sees of the package without running it: docstrings, stubs, types, pickles, what is installed."""

from __future__ import annotations

import ast
import copy
import importlib.metadata
import inspect
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import kumihimo
import pytest
from kumihimo import _core, msgpack

FUNCTIONS = [kumihimo.dump, kumihimo.load, kumihimo.each_document, kumihimo.dumps, kumihimo.loads, msgpack.packb, msgpack.unpackb, kumihimo.convert, _core.check, kumihimo.check, kumihimo.lazy, kumihimo.partial]
FOLDER = Path(inspect.getfile(kumihimo)).parent


def stub_functions() -> dict[str, ast.FunctionDef]:
    tree = ast.parse((FOLDER / "_core.pyi").read_text())
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def options_of(node: ast.FunctionDef) -> list[str]:
    return [a.arg for a in node.args.args + node.args.kwonlyargs if a.arg not in ("data", "obj", "source", "target", "paths")]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f"{f.__module__}.{f.__name__}")
def test_every_option_is_in_its_docstring(function: Any) -> None:
    doc = inspect.getdoc(function)
    assert doc
    stub = stub_functions().get(function.__name__)
    names = options_of(stub) if stub is not None else list(inspect.signature(function).parameters)
    for name in names:
        if name != "paths" and name != "data":
            assert re.search(rf"^(\w+, )*{name}(, \w+)*:", doc, re.MULTILINE), f"{name} is not described"


@pytest.mark.parametrize("name", ["dump", "load", "formats", "each_document", "dumps", "loads", "packb", "unpackb", "convert", "check", "lazy", "trace"])
def test_the_stub_has_the_same_docstring(name: str) -> None:
    written = ast.get_docstring(stub_functions()[name])
    doc = inspect.getdoc(getattr(_core, name)) or ""
    assert written is not None and doc.endswith(written)


@pytest.mark.parametrize("name", ["dump", "load", "each_document", "dumps", "loads", "packb", "unpackb", "convert", "check", "lazy"])
def test_every_option_of_the_signature_is_taken(name: str) -> None:
    """The signature is text; this asks the function itself."""
    function = getattr(_core, name)
    first: Any = {"loads": b"1", "unpackb": b"\x01", "check": b"1", "convert": b"1", "load": b"1", "each_document": b"1", "lazy": b"1"}.get(name, 1)
    more = {"convert": ("json", "json"), "dump": ("json",), "each_document": ("json",)}.get(name, ())
    parameters = inspect.signature(function).parameters.values()
    for p in parameters:
        if p.default is not p.empty:
            function(first, *more, **{p.name: p.default})
    with pytest.raises(TypeError, match="no argument named 'other'"):
        function(first, *more, other=1)
    # What the function takes beyond its signature would be an option that nobody is told of.
    assert [p.name for p in parameters][1 + len(more) :] == options_of(stub_functions()[name])[1 if name in ("dump", "each_document") else 0 :]


def test_stubs_agree_with_the_package(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="not proven: mypy is not installed")
    # The command's own modules have no stubs; what they import may have no types. nanobind's classes have a metaclass of its own and cannot be
    # two bases at once, and its functions are objects of its own, which a stub has no need to say.
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\nignore_missing_imports = True\n[mypy-kumihimo.cli,kumihimo.job,kumihimo.extract_command,kumihimo.check_command,kumihimo.chart,kumihimo.extraction,kumihimo.convert_command,kumihimo.endings,kumihimo.measure_command,kumihimo.repack_command,kumihimo.repacking,kumihimo.sequences,kumihimo.urls,kumihimo.saving,kumihimo.outputs.*,kumihimo.run_summary,kumihimo.resume_folder,kumihimo.resume_run,kumihimo.refusals,kumihimo.events,kumihimo.completion,kumihimo.manual,kumihimo.doctor,kumihimo.command_tree,kumihimo.schemas,kumihimo.schema_files,kumihimo.schema_table,kumihimo.schema_command]\nignore_errors = True\n")
    allowed = tmp_path / "allowed"
    allowed.write_text("".join(f"kumihimo._core.{name}\n" for name in ("Converter", "DocumentStream", "Extraction", "Fetches", "Fetches.__init__", "Lazy", "Packer", "Partial", "Report", "Unpacker", "format_of_bytes", "format_of_media_type", "format_of_path", "frame_of_bytes", "frame_of_path", "frames", "glob_matches", "has_libarchive", "names_archive", "pack", "readable_frames", "unpack")))
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "kumihimo", "--ignore-missing-stub", "--concise", "--ignore-unused-allowlist"]
        + ["--mypy-config-file", str(config), "--allowlist", str(allowed)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_that_a_checker_finds(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="not proven: mypy is not installed")
    program = tmp_path / "program.py"
    program.write_text(
        "import kumihimo\n"
        "from typing import Any\n"
        "reveal_type(kumihimo.partial(['a']))\n"
        "reveal_type(kumihimo.partial({'x': 'a'}, decimal=True))\n"
        "reveal_type(kumihimo.partial('a')(b'{}'))\n"
        "reveal_type(kumihimo.partial({'x': 'a'}).many([b'{}']))\n"
        "reveal_type(kumihimo.lazy(b'[]').raw)\n"
        "reveal_type(kumihimo.dumps(1))\n"
        "price: kumihimo.Partial[tuple[float, str]] = kumihimo.Partial(['a', 'b'])\n"
        "reveal_type(price(b''))\n"
        "reveal_type(kumihimo.msgpack.packb(1))\n"
        "reveal_type(kumihimo.msgpack.Ext(1, b'').data)\n"
        "kumihimo.dumps(1, flaots='orjson')\n"
        "kumihimo.partial(['a'], level='loose')\n"
        "kumihimo.partial(['a'], depth=None)\n"
    )
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(program)], capture_output=True, text=True, cwd=tmp_path)
    revealed = [line.split('Revealed type is "')[1].rstrip('"').replace("builtins.", "") for line in done.stdout.splitlines() if "Revealed" in line]
    assert [r.replace("kumihimo._core.", "") for r in revealed] == [
        "Partial[tuple[Any, ...]]",
        "Partial[dict[str, Any]]",
        "tuple[Any, ...]",
        "list[dict[str, Any]]",
        "bytes",
        "bytes",
        "tuple[float, str]",
        "bytes",
        "bytes",
    ], done.stdout
    errors = [line for line in done.stdout.splitlines() if "error:" in line]
    assert len(errors) == 2 and "flaots" in errors[0] and 'No overload variant of "partial"' in errors[1], done.stdout


def test_no_depth_is_the_usual_depth() -> None:
    for depth, fine in ((1024, True), (1025, False)):
        document = b"[" * depth + b"]" * depth
        for read in (lambda: kumihimo.loads(document, depth=None), lambda: kumihimo.partial(["/0"], depth=None)(document), lambda: kumihimo.lazy(document, depth=None)):
            if fine:
                read()
            else:
                with pytest.raises(kumihimo.JSONDecodeError):
                    read()


def test_a_partial_travels() -> None:
    marker = object()
    wanted = kumihimo.partial({"x": "a[0].b", "y": "/c"}, "structural", decimal=True, missing=(1, 2), raw=False, depth=7)
    for again in (pickle.loads(pickle.dumps(wanted)), pickle.loads(pickle.dumps(wanted, 0)), copy.copy(wanted), copy.deepcopy(wanted)):
        assert (again.paths, again.names, again.level, len(again)) == (["a[0].b", "/c"], ("x", "y"), "structural", 2)
        document = b'{"a":[{"b":1.10}]}'
        assert repr(again(document)) == repr(wanted(document)) == "{'x': Decimal('1.10'), 'y': (1, 2)}"
        with pytest.raises(kumihimo.JSONDecodeError):
            again(b"[" * 8 + b"]" * 8)
    strict = pickle.loads(pickle.dumps(kumihimo.partial(["a"], unique_keys=True, raw=True)))
    assert strict(b'{"a": 1.0}') == (b"1.0",)
    with pytest.raises(kumihimo.JSONDecodeError):
        strict(b'{"b":1,"b":2}')
    assert copy.deepcopy([kumihimo.partial(["q"], missing=marker)])[0](b"{}")[0] is marker
    assert "a[0].b" not in repr(wanted) and "x" in repr(wanted)


def test_functions_are_pickled_by_name() -> None:
    for function in FUNCTIONS:
        assert pickle.loads(pickle.dumps(function)) is function


def test_what_is_installed() -> None:
    """The wheel: typed, licensed, without debugging symbols, and links that work outside the repository."""
    files = importlib.metadata.files("kumihimo") or []
    names = {f.name for f in files}
    assert "py.typed" in names and "_core.pyi" in names
    about = importlib.metadata.metadata("kumihimo")
    assert about["Requires-Python"] == ">=3.10"
    classifiers = about.get_all("Classifier") or []
    versions = {c.rsplit(" ", 1)[1] for c in classifiers if c.startswith("Programming Language :: Python :: 3.")}
    assert versions == {"3.11", "3.13"}  # those that the tests ran on: docs/not-proven.md
    text = about.get_payload()
    assert isinstance(text, str) and "](../" not in text and "](docs" not in text
    library = Path(_core.__file__ or "")
    assert b".debug_info" not in library.read_bytes()
