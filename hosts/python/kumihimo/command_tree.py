"""The commands and their options as click knows them: what the manual page and the completions are made from, so that a new option is in them."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional, Sequence

import click


class Option(NamedTuple):
    names: tuple[str, ...]  # -o, --output
    metavar: Optional[str]  # None: a flag
    help: str
    repeated: bool
    values: tuple[str, ...]  # that can be completed; one that ends in = goes on with a file
    files: bool  # the value is a file's name


class Command(NamedTuple):
    name: str
    short: str
    help: str  # paragraphs; one that begins with \b keeps its lines
    options: tuple[Option, ...]
    arguments: tuple[tuple[str, tuple[str, ...]], ...]  # metavar, values; no values: files


def _values(param: click.Parameter) -> tuple[str, ...]:
    if isinstance(param.type, click.Choice):
        return tuple(map(str, param.type.choices))
    values = getattr(param.type, "completions", None)
    if values is not None:
        return tuple(values())
    if isinstance(param, click.Option) and param.opts[-1] in ("--from-dialect", "--to-dialect"):
        from kumihimo import _core

        which = "read_dialects" if param.opts[-1] == "--from-dialect" else "write_dialects"
        return tuple(sorted({str(name) for row in _core.formats() for name in row[which]}))
    return ()


def _option(param: click.Option, context: click.Context) -> Option:
    metavar = None if param.is_flag else _plain(param.make_metavar(context))
    return Option(
        tuple(sorted((*param.opts, *param.secondary_opts), key=len)), metavar, param.help or "", bool(param.multiple), () if param.is_flag else _values(param), metavar in ("FILE", "DIR")
    )


def _plain(metavar: str) -> str:
    """[a|b] of a choice as a|b."""
    return metavar[1:-1] if re.fullmatch(r"\[.*\|.*\]", metavar) else metavar


def _command(name: str, command: click.Command, parent: click.Context) -> Command:
    context = click.Context(command, info_name=name, parent=parent)
    params = command.get_params(context)
    options = tuple(_option(param, context) for param in params if isinstance(param, click.Option))
    arguments = tuple((_plain(param.make_metavar(context)), _values(param)) for param in params if isinstance(param, click.Argument))
    return Command(name, command.get_short_help_str(200), _dedented(command.help or ""), options, arguments)


def _dedented(text: str) -> str:
    import inspect

    return inspect.cleandoc(text)


def tree(group: click.Group) -> tuple[Command, Sequence[Command]]:
    """The group itself, as a command, and its commands in the order of their definition."""
    context = click.Context(group, info_name="kumihimo", **group.context_settings)
    return _command("kumihimo", group, context), [_command(name, command, context) for name, command in group.commands.items()]
