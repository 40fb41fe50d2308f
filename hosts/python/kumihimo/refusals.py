"""What a wrong command line says: a sentence, or for programs an object with --progress json, and the file of --summary.

click refuses some lines before it has understood them, so the words themselves are looked at here.
"""

from __future__ import annotations

import json
from typing import Iterator, Optional, Sequence

import click


def given(words: Sequence[str], option: str) -> Iterator[tuple[int, str]]:
    """What an option was given, each with the number of the word that it is in."""
    for i, word in enumerate(words):
        if word == "--":
            return
        if word == option and i + 1 < len(words):
            yield i + 1, words[i + 1]
        elif word.startswith(option + "="):
            yield i, word.removeprefix(option + "=")


def refused(words: Sequence[str], error: click.ClickException, status: int) -> None:
    """Says why, and writes the summary where there is a file for it."""
    if words[:1] != ["extract"]:
        error.show()
        return
    from kumihimo.events import Events
    from kumihimo.job import EVENTS, tell

    if any(form == "json" for _, form in given(words, "--progress")):
        EVENTS.on = EVENTS.on or Events()
        EVENTS.on.say("error", text=error.format_message(), status=status)
    else:
        error.show()
    for number, file in list(given(words, "--summary"))[-1:]:
        if file == "-":  # which may be for the rows
            continue
        others = [part for i, word in enumerate(words) if i != number for part in {word, word.partition("=")[2]} if part]
        if (why := write_summary(file, others, error, status)) is not None:
            tell(f"kumihimo: {why}", "error", status=status)


def write_summary(file: str, others: Sequence[str], error: click.ClickException, status: int) -> Optional[str]:
    """Never over a file that the line may mean for something else. What went wrong, or None."""
    from kumihimo.clashes import refuse_clashes
    from kumihimo.output import Files, Whole, naming, open_part, write_all
    from kumihimo.run_summary import Causes, summary_of

    try:
        refuse_clashes(others, others, [file], [])
        about = summary_of(None, None, Causes(), {}, status, RuntimeError(error.format_message()))
        with Files() as files, naming(file), open_part(files.enter_context(Whole(file))) as out:
            write_all(out, memoryview(json.dumps(about, indent=1).encode() + b"\n"))
    except ValueError:
        return None  # which is said already, or is not for sure
    except OSError as failed:
        return str(failed)
    return None
