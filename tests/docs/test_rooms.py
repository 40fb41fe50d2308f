"""The folders of the source tree stand in one order: of two folders, at most one includes files of the other."""
import pathlib
import re

TOP = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# What an instruction set's file includes by a macro; the name stands in the file that sets it.
KERNELS = re.compile(r'^\s*#\s*define\s+KUMIHIMO_KERNELS\s+"([^"]+)"', re.MULTILINE)


def sources():
    for area in ("engine", "extract", "hosts"):
        for path in (TOP / area).rglob("*"):
            # hosts/ruby/ext/kumihimo/engine and its like are links to engine/.
            if path.suffix in (".hpp", ".cpp", ".h", ".c") and path.resolve() == path and path.is_file():
                yield path


def bases(path):
    """Where the builds look for what a file includes: the top, its own folder, and for a host all of the host's folders."""
    parts = path.relative_to(TOP).parts
    host = [TOP / "hosts" / parts[1]] if parts[0] == "hosts" else []
    return [TOP, path.parent, *host, *(inner for folder in host for inner in sorted(folder.iterdir()) if inner.is_dir())]


def arrows():
    """The pairs (a folder, a folder that it includes), each with one place that shows it."""
    seen = {}
    for path in sources():
        text = path.read_text(encoding="utf-8", errors="replace")
        for name in INCLUDE.findall(text) + KERNELS.findall(text):
            target = next((base / name for base in bases(path) if (base / name).is_file()), None)
            if target is not None and TOP in target.resolve().parents:
                pair = tuple(file.parent.relative_to(TOP).as_posix() for file in (path, target.resolve()))
                if pair[0] != pair[1]:
                    seen.setdefault(pair, f"{path.relative_to(TOP)} includes {name}")
    return seen


def test_includes_are_seen_in_every_area():
    seen = arrows()
    for pair in [("engine/json", "engine/core"), ("engine/json/kernels", "engine/json"), ("engine/json/kernels", "engine/simd"),
                 ("extract", "engine/json"), ("hosts/python/src", "engine/core"), ("hosts/python/src", "extract"),
                 ("hosts/mruby/library", "hosts/mruby/src")]:
        assert pair in seen, pair


def test_hosts_use_extraction_by_its_abi_alone():
    used = {name for path in sources() if "hosts" in path.relative_to(TOP).parts[:1] for name in INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace"))
            if name.startswith("extract/")}
    assert used == {"extract/abi.h"}


def test_no_two_folders_include_each_other():
    seen = arrows()
    assert [f"{seen[pair]}, and {seen[pair[::-1]]}" for pair in seen if pair[::-1] in seen] == []
