"""The command's exit statuses, for the command and for what describes it."""

from __future__ import annotations

GOOD, BAD, USAGE, INTERRUPTED = 0, 1, 2, 130

STATUSES = (
    (str(GOOD), "All went well, also with bad records that --on-error skip, null or quarantine passes over; a reader of standard output that went away is no error."),
    (str(BAD), "A bad record under --on-error stop, an input that cannot be read, an output or a chart that cannot be written, a package that is missing; of check: a document that is not valid."),
    (str(USAGE), "A wrong command line. Nothing was read, and nothing written but the file of --summary."),
    (str(INTERRUPTED), "Ctrl-C. No half-written file is left."),
    ("128+N", "Ended by the signal N: 129 by SIGHUP, 143 by SIGTERM. No half-written file is left."),
)
