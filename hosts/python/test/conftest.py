from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

# `python -m pytest` puts the working folder on the path, and in this one the package lies without its compiled part.
_SOURCES = str(Path(__file__).resolve().parents[1])
sys.path[:] = [p for p in sys.path if os.path.realpath(p or os.getcwd()) != _SOURCES]

CORPORA = ("films", "twitter", "citm_catalog", "canada")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of corpora; a test that needs it is skipped, visibly, where there is none."""
    folder = os.environ.get("KUMIHIMO_DATA")
    if not folder:
        pytest.skip("not proven: KUMIHIMO_DATA is not set")
    return Path(folder)


@pytest.fixture(params=CORPORA)
def corpus(request: pytest.FixtureRequest, data: Path) -> bytes:
    return (data / f"{request.param}.json").read_bytes()


@pytest.fixture(scope="session")
def vectors() -> Path:
    folder = Path(__file__).resolve().parents[3] / "tests" / "vectors"
    if not folder.is_dir():
        pytest.skip("not proven: no tests/vectors beside this package")
    return folder
