"""Makes the manual page and the completions of a package that is being built: handover.py FOLDER_OF_CORE TO.

They come out of the command's own definitions, which ask the compiled part what formats there are; the package is not installed yet, so it is put
together from its sources and the folder in which the compiled part lies.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def package(built: str) -> None:
    sources = Path(__file__).resolve().parent.parent / "kumihimo"
    spec = importlib.util.spec_from_file_location("kumihimo", sources / "__init__.py", submodule_search_locations=[str(sources), built])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["kumihimo"] = module
    spec.loader.exec_module(module)


def main(built: str, to: str) -> None:
    sys.dont_write_bytecode = True
    package(built)
    from kumihimo.cli import group
    from kumihimo.completion import script
    from kumihimo.manual import page

    for name, text in (
        ("man/man1/kumihimo.1", page(group)),
        ("bash-completion/completions/kumihimo", script(group, "bash")),
        ("zsh/site-functions/_kumihimo", script(group, "zsh")),
        ("fish/vendor_completions.d/kumihimo.fish", script(group, "fish")),
    ):
        file = Path(to, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


main(*sys.argv[1:])
