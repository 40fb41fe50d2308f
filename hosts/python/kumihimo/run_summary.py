"""What an extraction did, as a dict that JSON can say: the file of --summary, the last event of --progress json, the result of extract_to()."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Iterable, Optional, Sequence

from .events import report_of, text_of

WIDENED = re.compile(r'column "(.*)" (?:was taken for (.+?)|had no value in the sample),? but holds (.*); it becomes (.+?)(?: text)?\Z', re.DOTALL)


class Causes:
    """Bad records, counted. Those of an attempt that is begun again come again."""

    def __init__(self) -> None:
        self.codes: Counter[str] = Counter()
        self.scopes: Counter[str] = Counter()

    def add(self, report: Any) -> None:
        self.codes[report.code] += 1
        self.scopes[report.scope] += 1


def widened(notes: Iterable[str]) -> list[dict[str, Optional[str]]]:
    """The columns whose guessed type did not hold, and became another one."""
    found = [match for note in notes if (match := WIDENED.match(note))]
    return [{"column": text_of(match[1]), "from": match[2], "value": text_of(match[3]), "to": match[4]} for match in found]


def summary_of(run: Any, output: Any, causes: Causes, seconds: dict[str, float], status: int = 0, error: Optional[BaseException] = None,
               resumed: Optional[dict[str, int]] = None, chart_notes: Sequence[str] = ()) -> dict[str, Any]:  # fmt: skip
    """`run`: the last one, None where there was none; so is `output` of a command line that names none. `seconds`: by stage. `resumed`: what lay
    in the folder of an earlier process. `chart_notes`: what its charts do not show, in the words of notes."""
    from . import __version__

    now = run.progress() if run is not None else {"bytes": 0, "total": 0, "complete_total": True, "documents": 0, "rows": 0}
    notes = [text_of(note) for note in (*run.notes, *chart_notes)] if run is not None else []
    failure = run.failure if run is not None and error is not None else None
    return {
        "kumihimo": __version__,
        "status": status,
        "error": None if error is None else {"message": text_of(str(error)), "record": report_of(failure) if failure is not None else None},
        "rows": now["rows"],
        "documents": now["documents"],
        "bytes": {"read": now["bytes"], "total": now["total"] if now["complete_total"] else None, "written": output.written if output is not None else None},
        "bad_records": {"total": sum(causes.codes.values()), "by_cause": dict(sorted(causes.codes.items())), "by_scope": dict(sorted(causes.scopes.items()))},
        "output": {"path": text_of(output.path), "form": output.form} if output is not None else None,
        "resumed": resumed,
        "columns": [{"name": text_of(name), "type": kind, "path": text_of(path)} for name, kind, path in (run.schema if run is not None and error is None else [])],
        "widened": widened(run.notes if run is not None else []),
        "notes": notes,
        "inputs": len(run.inputs) if run is not None else 0,
        "threads": run.threads if run is not None else 0,
        "seconds": {**{stage: round(spent, 6) for stage, spent in seconds.items()}, "all": round(sum(seconds.values()), 6)},
    }
