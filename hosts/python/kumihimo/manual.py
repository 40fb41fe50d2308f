"""The manual page kumihimo(1), out of the same definitions as the help."""

from __future__ import annotations

import re
from typing import Iterator

import click

from kumihimo import __version__
from kumihimo.command_tree import Command, Option, tree
from kumihimo.exit_status import STATUSES


def escaped(text: str) -> str:
    """Text as roff reads it: its own signs, and those that it would make typographic ones of."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.lstrip("\n ").startswith("\b"):
            lines = paragraph.lstrip("\n ")[1:].strip("\n")
            yield ".PP\n.nf\n" + escaped(lines) + "\n.fi"
        elif paragraph.strip():
            yield ".PP\n" + escaped(" ".join(paragraph.split()))


def option(of: Option) -> str:
    value = f" \\fI{escaped(of.metavar)}\\fR" if of.metavar else ""
    names = ", ".join(f"\\fB{escaped(name)}\\fR" for name in of.names)
    return f".TP\n{names}{value}\n{escaped(' '.join(of.help.split()))}"


def section(command: Command) -> Iterator[str]:
    words = " ".join(metavar for metavar, _ in command.arguments)
    yield f'.SS "kumihimo {command.name} [OPTION...]{" " if words else ""}{escaped(words)}"'
    yield from paragraphs(command.help)
    yield from map(option, command.options)


def page(group: click.Group) -> str:
    whole, commands = tree(group)
    first, *more = re.split(r"\n\s*\n", whole.help)
    lines = [
        f'.TH KUMIHIMO 1 "" "kumihimo {__version__}" "User Commands"',
        ".nh\n.ad l",
        ".SH NAME",
        f"kumihimo \\- {escaped(' '.join(first.split()).rstrip('.'))}",
        ".SH SYNOPSIS",
        ".B kumihimo\n.I COMMAND\n[\\fIOPTION\\fR...] [\\fIINPUT\\fR...]",
        ".SH DESCRIPTION",
        *paragraphs("\n\n".join(more)),
        *map(option, whole.options),
        ".SH COMMANDS",
    ]
    for command in commands:
        lines += section(command)
    lines.append('.SH "EXIT STATUS"')
    lines += [f".TP\n\\fB{escaped(status)}\\fR\n{escaped(meaning)}" for status, meaning in STATUSES]
    lines += [
        ".SH ENVIRONMENT",
        ".TP\n\\fBTMPDIR\\fR\nWhere temporary files are made, which have no name: of standard input that may have to be read again, of what is fetched from a URL,"
        " of Zips that come through a pipe or lie in archives; else /var/tmp.",
        ".TP\n\\fBKUMIHIMO_KERNEL\\fR\nThe instruction set to use, of those that kumihimo \\-\\-version names; else the widest.",
        '.SH "SEE ALSO"',
        ".BR jq (1),\n.BR duckdb (1),\n.BR zstd (1)",
    ]
    return "\n".join(lines) + "\n"
