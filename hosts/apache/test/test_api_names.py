"""API.md names every class, method and constant that a script finds in Apache, and nothing else."""

import re
from pathlib import Path

import pytest

API = (Path(__file__).parent.parent / "API.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", API, flags=re.MULTILINE))
TABLES = ("Headers_in", "Headers_out", "Err_headers_out", "Notes", "Env")
CLASSES = ("Request", "Response", "Subrequest", "Connection", "Server", "Scoreboard", "Finfo", "AuthnProvider", "Filter", *TABLES)
EVERY_CLASS_HAS = {"initialize", "inspect"}


def names(section: str) -> set[str]:
    """Of methods: those in the first column of a table, or all where there is none. `uri(=)` is a reader and a writer."""
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("|")]
    text = re.sub(r"\(=\)", "(=", " ".join(rows) if rows else section)
    text = re.sub(r"\((?!=)[^`]*\)", "", text)
    found = set()
    for word in " ".join(re.findall(r"`([^`]+)`", text)).split():
        if re.fullmatch(r"[a-zGP_]\w*[?!=]?(\(=)?|\[\]=?|<<", word):
            found |= {word.removesuffix("(="), word.replace("(=", "=")}
    return found


def section_of(name: str) -> str:
    return SECTIONS["Tables" if name in TABLES else f"Apache::{name}"]


def listed(ruby, code: str) -> set[str]:
    return set(ruby(f'print ({code}).join(" ")').text.split())


@pytest.mark.parametrize("name", CLASSES)
def test_methods(ruby, name):
    there = listed(ruby, f"Apache::{name}.instance_methods(false)") - EVERY_CLASS_HAS
    of_one = {"user_agent", "referer"} if name in TABLES[1:] else set()
    inherited = {"new"}
    assert there - names(section_of(name)) == set(), "API.md does not name these"
    assert names(section_of(name)) - there - of_one - inherited == set(), "these are not there"


def test_methods_of_the_class_itself(ruby):
    assert listed(ruby, "Apache.singleton_methods(false)") == names(SECTIONS["Apache"])


def test_constants(ruby):
    """Each by its name, or by how its kind begins."""
    named = set(re.findall(r"\w+", " ".join(re.findall(r"^## .+|`[^`\n]+`", API, flags=re.MULTILINE))))
    kinds = ("HTTP_", "M_", "PROXYREQ_", "APLOG_", "LOG_", "APR_")
    there = listed(ruby, "Apache.constants + Apache::AuthnProvider.constants + Apache::Finfo.constants")
    assert {name for name in there - named if not name.startswith(kinds)} == set()
