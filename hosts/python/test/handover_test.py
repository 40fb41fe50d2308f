"""The manual page, the completions, doctor: all of them know every option, and the programs that read them take them."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Iterator

import click
import pytest

from kumihimo.cli import group
from kumihimo.command_tree import tree
from kumihimo.completion import SHELLS, script
from kumihimo.exit_status import STATUSES
from kumihimo.manual import page


def command(*words: str, **more) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "kumihimo.cli", *words], capture_output=True, text=True, timeout=120, **more)


def options() -> Iterator[tuple[str, str]]:
    """Every command's names of options, asked of click itself."""
    whole = click.Context(group, info_name="kumihimo", **group.context_settings)
    for name, one in group.commands.items():
        for param in one.get_params(click.Context(one, info_name=name, parent=whole)):
            if isinstance(param, click.Option):
                for spelled in param.opts:
                    yield name, spelled


OPTIONS = list(options())


def test_the_tree_has_all() -> None:
    _, commands = tree(group)
    found = {(command.name, name) for command in commands for option in command.options for name in option.names}
    assert found == set(OPTIONS)
    assert {("extract", "--partition-by"), ("extract", "-h"), ("man", "--help")} <= found and len(commands) == len(group.commands)


def section_of(text: str, name: str) -> str:
    found = re.search(rf"^   kumihimo {name}\b.*?(?=^   kumihimo |^[A-Z])", text, re.M | re.S)
    assert found, name
    return found[0]


def test_every_option_is_in_the_manual() -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("not proven: groff is not installed")
    done = subprocess.run([groff, "-man", "-Tascii", "-P-c", "-ww", "-rLL=120n", "-rLT=120n"], input=page(group), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == ""
    text = re.sub(".\b", "", done.stdout)
    for name, spelled in OPTIONS:
        assert re.search(rf"(^ +|, ){spelled}(,| |$)", section_of(text, name), re.M), (name, spelled)
    for name, one in group.commands.items():
        section = " ".join(section_of(text, name).split())
        for param in one.params:
            if isinstance(param, click.Option):
                assert " ".join((param.help or "").split())[:40] in section, (name, param.help)
    assert "EXIT STATUS" in text and all(status in text for status, _ in STATUSES)
    assert "extract ticks/ -f price=last_price.price -f 'at=timestamp:timestamp[Asia/Tokyo]'" in text  # as it has to be typed


def test_the_command_prints_them() -> None:
    done = command("man")
    assert (done.returncode, done.stdout) == (0, page(group))
    for shell in SHELLS:
        done = command("completion", shell)
        assert (done.returncode, done.stdout) == (0, script(group, shell))
    assert command("completion", "csh").returncode == 2


def test_the_statuses_are_in_the_documents() -> None:
    documents = Path(__file__).resolve().parents[3] / "docs" / "extract.md"
    if not documents.is_file():
        pytest.skip("not proven: no docs beside this package")
    for status, _ in STATUSES:
        assert re.search(rf"^\| `?{re.escape(status)}`? \|", documents.read_text(), re.M), status


# ---- bash -------------------------------------------------------------------------------------------------------------------


def in_bash(line: str, at: Path) -> list[str]:
    """What bash itself would offer behind this line: the words as it cuts them, the function as it calls it."""
    code = script(group, "bash") + "\nline=$1\n" + r"""
set -u
read -ra words <<<"${line//=/ = }"
[[ $line == *' ' ]] && words+=('')
COMP_WORDS=("${words[@]}"); COMP_CWORD=$((${#words[@]} - 1)); COMP_LINE=$line; COMP_POINT=${#line}
_kumihimo kumihimo "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\n' "${COMPREPLY[@]}"
"""
    done = subprocess.run(["bash", "-c", code, "bash", line], cwd=at, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return [word for word in done.stdout.split("\n") if word]


def test_bash_offers_every_option(tmp_path: Path) -> None:
    for name in group.commands:
        wanted = {spelled for of, spelled in OPTIONS if of == name}
        assert set(in_bash(f"kumihimo {name} -", tmp_path)) == wanted
    assert set(in_bash("kumihimo ", tmp_path)) >= set(group.commands) | {"--version"}


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("kumihimo ext", ["extract"]),
        ("kumihimo extract --part", ["--partition-by"]),
        ("kumihimo extract x --to par", ["parquet"]),
        ("kumihimo extract x --to=nd", ["ndjson"]),
        ("kumihimo extract x --to=", ["csv", "tsv", "ndjson", "json", "msgpack", "tagged", "cbor", "arrow", "parquet", "sqlite", "duckdb"]),
        ("kumihimo extract x --on-error q", ["quarantine="]),
        ("kumihimo extract x --from ms", ["msgpack"]),
        ("kumihimo extract x --compress ", ["gzip", "zstd", "lz4", "none"]),
        ("kumihimo convert x --to cb", ["cbor"]),
        ("kumihimo completion z", ["zsh"]),
        ("kumihimo extract x -o ", []),
        ("kumihimo extract ", []),
        ("kumihimo doctor ", []),
        ("kumihimo nothing ", []),
    ],
)
def test_bash_offers_values(tmp_path: Path, line: str, offered: list[str]) -> None:
    assert in_bash(line, tmp_path) == offered


class Shell:
    """A shell on a terminal."""

    def __init__(self, words: list[str], at: Path, environment: dict[str, str]) -> None:
        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen(words, cwd=at, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True, env={**os.environ, "TERM": "dumb", "LC_ALL": "C.UTF-8", **environment})
        os.close(theirs)
        self.seen = ""

    def type(self, text: str) -> None:
        os.write(self.ours, text.encode())

    def until(self, wanted: str) -> str:
        """What is shown up to the text that is waited for; fails when the shell is silent."""
        end = time.monotonic() + 60
        while wanted not in self.seen:
            assert time.monotonic() < end and select.select([self.ours], [], [], 30)[0], self.seen
            self.seen += os.read(self.ours, 65536).decode(errors="replace")
        shown, self.seen = self.seen, ""
        return shown

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.ours)


@pytest.fixture
def bash(tmp_path: Path) -> Iterator[Shell]:
    (tmp_path / "complete").write_text(script(group, "bash"))
    (tmp_path / "file with space.ndjson").write_text("")
    shell = Shell(["bash", "--norc", "--noprofile", "-i"], tmp_path, {"PS1": "READY> ", "INPUTRC": "/dev/null"})
    shell.until("READY> ")
    shell.type("source complete; bind 'set enable-bracketed-paste off'; echo LOAD'ED'\n")
    shell.until("LOADED\r\n")
    yield shell
    shell.close()


@pytest.mark.parametrize(
    ("typed", "becomes"),
    [
        ("kumihimo ext\t", "kumihimo extract "),
        ("kumihimo extract --split\t", "kumihimo extract --split-rows "),
        ("kumihimo extract --to=parq\t", "kumihimo extract --to=parquet "),
        ("kumihimo extract --on-error quar\tq\t", "kumihimo extract --on-error quarantine=q"),
        ("kumihimo extract file\t", "kumihimo extract file\\ with\\ space.ndjson "),
        ("kumihimo extract x -o file\t", "kumihimo extract x -o file\\ with\\ space.ndjson "),
    ],
)
def test_bash_on_a_terminal(bash: Shell, typed: str, becomes: str) -> None:
    bash.type(typed)
    bash.until(becomes)


# ---- zsh, fish ----------------------------------------------------------------------------------------------------------------


def test_zsh_on_a_terminal(tmp_path: Path) -> None:
    if shutil.which("zsh") is None:
        pytest.skip("not proven: zsh is not installed")
    (tmp_path / "_kumihimo").write_text(script(group, "zsh"))
    (tmp_path / "data.ndjson").write_text("")
    shell = Shell(["zsh", "-f", "-i"], tmp_path, {"PS1": "READY> ", "HOME": str(tmp_path)})
    try:
        shell.until("READY> ")
        shell.type("PS1='READY> '; unsetopt zle_bracketed_paste; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; zstyle ':completion:*' list-prompt ''; echo LOAD'ED'\n")
        shell.until("LOADED")
        for typed, becomes in (
            ("kumihimo ext\t", "kumihimo extract "),
            ("kumihimo extract --split\t", "--split-rows="),
            ("kumihimo extract --to par\t", "parquet"),
            ("kumihimo extract dat\t", "data.ndjson"),
            ("kumihimo convert --from msg\t", "msgpack"),
            ("kumihimo completion fi\t", "fish"),
        ):
            shell.type(typed)
            shell.until(becomes)
            shell.type("\x15")
    finally:
        shell.close()


def test_fish(tmp_path: Path) -> None:
    if shutil.which("fish") is None:
        pytest.skip("not proven: fish is not installed")
    (tmp_path / "kumihimo.fish").write_text(script(group, "fish"))
    (tmp_path / "data.ndjson").write_text("")

    def offered(line: str) -> list[str]:
        done = subprocess.run(["fish", "--no-config", "-c", "source kumihimo.fish; complete -C $argv[1]", line], cwd=tmp_path, capture_output=True, text=True, timeout=60, env={**os.environ, "HOME": str(tmp_path)})
        assert done.returncode == 0 and done.stderr == "", done.stderr
        return [word.split("\t")[0] for word in done.stdout.splitlines()]

    assert set(offered("kumihimo ")) >= set(group.commands)
    for name in group.commands:
        assert {spelled for of, spelled in OPTIONS if of == name} <= set(offered(f"kumihimo {name} -") + offered(f"kumihimo {name} --"))
    assert offered("kumihimo extract --to par") == ["parquet"]
    assert offered("kumihimo extract dat") == ["data.ndjson"]
    assert offered("kumihimo extract x -o dat") == ["data.ndjson"]
    assert offered("kumihimo completion z") == ["zsh"]
    assert offered("kumihimo extract --split-rows ") == []


# ---- doctor -------------------------------------------------------------------------------------------------------------------


def test_doctor(tmp_path: Path) -> None:
    from kumihimo import _core

    done = command("doctor")
    assert done.returncode == 0 and done.stderr == ""
    lines = done.stdout.splitlines()
    assert all(re.match(r"(ok     |missing) ", line) for line in lines)
    assert f"kernel {_core.kernel()}" in done.stdout and "time zones" in done.stdout
    for name in ("click", "rich", "pyarrow", "duckdb", "matplotlib", "fsspec", "libarchive", "zstd", "lz4", "gzip", "xz", "bzip2"):
        assert re.search(rf"^(ok|missing) +{name}\b", done.stdout, re.M), name
    assert "zstd: inputs and --compress in .zst" in done.stdout and "xz: inputs in .xz" in done.stdout


def test_doctor_tells_what_is_missing_for_what(tmp_path: Path) -> None:
    (tmp_path / "duckdb.py").write_text("raise ImportError('half of it is gone')")
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nclass Finder:\n    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'matplotlib': raise ModuleNotFoundError(\"No module named 'matplotlib'\", name='matplotlib')\nsys.meta_path.insert(0, Finder())\n"
    )
    done = command("doctor", env={**os.environ, "PYTHONPATH": str(tmp_path), "TMPDIR": str(tmp_path / "absent")})
    assert done.returncode == 0, done.stderr
    assert "missing duckdb broken: half of it is gone, for --to duckdb: pip install duckdb" in done.stdout
    assert "missing matplotlib not installed, for --chart FILE.png and FILE.svg: pip install matplotlib" in done.stdout
    assert re.search("missing no temporary file can be made in .*absent", done.stdout)


def test_a_wheel_carries_them() -> None:
    """Where packages put them, below the environment's own folder."""
    import importlib.metadata

    files = {str(file).rsplit("share/", 1)[1] for file in importlib.metadata.files("kumihimo") or [] if "share/" in str(file)}
    wanted = {
        "man/man1/kumihimo.1": page(group),
        "bash-completion/completions/kumihimo": script(group, "bash"),
        "zsh/site-functions/_kumihimo": script(group, "zsh"),
        "fish/vendor_completions.d/kumihimo.fish": script(group, "fish"),
    }
    assert files == set(wanted)
    for file in importlib.metadata.files("kumihimo") or []:
        if "share/" in str(file):
            assert Path(str(file.locate())).read_text() == wanted[str(file).rsplit("share/", 1)[1]]
