"""`./dev` on a machine that lacks something: what can be done is done, and what cannot is named with its reason."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def without_apache(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine that has no httpd, and no mirror to get it from."""
    (tmp_path / "bin").mkdir()
    for name, body in {
        "dpkg-query": "/usr/bin/dpkg-query \"$@\" | grep -v apache2-bin",
        "apt-get": "echo 'E: Unable to locate package apache2-bin' >&2\nexit 100",
        "sudo": "exit 1",
    }.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}


def dev(folder: Path, environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["./dev", *words], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=3600)


def test_the_braid_goes_on_without_a_host(without_apache: dict[str, str]) -> None:
    done = dev(ROOT, without_apache, "demo", "braid")
    assert done.returncode == 0, done.stdout
    lines = [line.strip() for line in done.stdout.splitlines()]
    missing = [line for line in lines if line.startswith("Apache: ")]
    assert len(missing) == 1 and "could not be built" in missing[0] and "apache2-bin" in missing[0], done.stdout
    assert any(line.startswith("Perl: MessagePack") for line in lines), done.stdout
    assert lines[-1].endswith("one hash; without Apache"), done.stdout


@pytest.mark.parametrize("kind", ["test", "fuzz"])
def test_a_part_that_fails_does_not_end_the_run(kind: str, without_apache: dict[str, str], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "dev.d", copy / "dev.d")
    shutil.copy(ROOT / "dev", copy)
    for name in ("hosts/apache/test", "engine", "hosts/perl", "docs"):
        (copy / name).mkdir(parents=True)
    done = dev(copy, without_apache, kind, "apache", "perl")
    assert done.returncode == 1, done.stdout
    lines = done.stdout.splitlines()
    for part in ("apache", "perl"):
        assert lines.index(f"== {kind} {part}") < lines.index(f"== {part} FAILED"), done.stdout
    assert lines[-2:] == ["0 passed, 2 failed", "failed: apache perl"]
