"""Completion for bash, zsh and fish, out of the same definitions as the help. The scripts run without starting Python."""

from __future__ import annotations

import shlex
from typing import Iterator, Sequence

import click

from kumihimo.command_tree import Command, Option, tree

SHELLS = ("bash", "zsh", "fish")


def script(group: click.Group, shell: str) -> str:
    whole, commands = tree(group)
    make = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]
    return "\n".join(make(whole, commands)) + "\n"


def _all_names(options: Sequence[Option]) -> str:
    return " ".join(name for option in options for name in option.names)


# ---- bash ---------------------------------------------------------------------------------------------------------------------


def _bash(whole: Command, commands: Sequence[Command]) -> Iterator[str]:
    yield """# bash completion for kumihimo, made by `kumihimo completion bash`. An empty reply is completed by bash's own files.
_kumihimo() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= i
    # --to=csv is three words for bash.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == -* ]] || { command=${COMP_WORDS[i]}; break; }
    done
    COMPREPLY=()
    case $command in"""
    yield "    '')"
    yield f"        COMPREPLY=($(compgen -W {shlex.quote(' '.join([*(c.name for c in commands), _all_names(whole.options)]))} -- \"$cur\"))"
    yield "        [[ ${#COMPREPLY[@]} -gt 0 ]] || _kumihimo_nothing"
    yield "        ;;"
    for command in commands:
        yield f"    {command.name})"
        yield "        case $prev in"
        for option in command.options:
            if option.metavar is None:
                continue
            yield f"        {'|'.join(option.names)})"
            if option.values:
                yield f"            COMPREPLY=($(compgen -W {shlex.quote(' '.join(option.values))} -- \"$cur\"))"
                if any(value.endswith("=") for value in option.values):
                    yield "            [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null"
            if not option.files:
                yield "            [[ ${#COMPREPLY[@]} -gt 0 ]] || _kumihimo_nothing"
            yield "            return"
            yield "            ;;"
        yield "        esac"
        yield f"        if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W {shlex.quote(_all_names(command.options))} -- \"$cur\")); _kumihimo_if_none; return; fi"
        values = " ".join(value for _, some in command.arguments for value in some)
        if values:
            yield f"        COMPREPLY=($(compgen -W {shlex.quote(values)} -- \"$cur\"))"
        if values or not command.arguments:
            yield "        _kumihimo_if_none"
        yield "        ;;"
    yield """    esac
}
_kumihimo_nothing() { compopt +o default +o bashdefault 2>/dev/null; }
_kumihimo_if_none() { [[ ${#COMPREPLY[@]} -gt 0 ]] || _kumihimo_nothing; }
complete -o bashdefault -o default -F _kumihimo kumihimo"""


# ---- zsh ----------------------------------------------------------------------------------------------------------------------


def _in_brackets(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def _zsh_action(values: Sequence[str], files: bool) -> str:
    if files:
        return "_files"
    if any(value.endswith("=") for value in values):
        plain = " ".join(value for value in values if not value.endswith("="))
        named = " ".join(f"{value[:-1]}:file:_files" for value in values if value.endswith("="))
        return "{_values value " + " ".join(shlex.quote(word) for word in (*plain.split(), *named.split())) + "}"
    return f"({' '.join(values)})" if values else " "


def _zsh_option(option: Option) -> Iterator[str]:
    # Of the names of one option only one is offered, unless it can be repeated.
    before = "*" if option.repeated else f"({' '.join(option.names)})" if len(option.names) > 1 else ""
    for name in option.names:
        value = "" if option.metavar is None else f":{_in_brackets(option.metavar)}:{_zsh_action(option.values, option.files)}"
        equals = "" if option.metavar is None else "+" if len(name) == 2 else "="
        yield shlex.quote(f"{before}{name}{equals}[{_in_brackets(option.help)}]{value}")


def _zsh(whole: Command, commands: Sequence[Command]) -> Iterator[str]:
    yield """#compdef kumihimo
# zsh completion for kumihimo, made by `kumihimo completion zsh`.
_kumihimo() {
    local curcontext=$curcontext state line
    typeset -A opt_args
    local -a commands"""
    yield "    commands=("
    for command in commands:
        yield "        " + shlex.quote(f"{command.name}:{' '.join(command.short.split())}".replace(":", "\\:").replace("\\:", ":", 1))
    yield "    )"
    yield "    _arguments -C " + " ".join(word for option in whole.options for word in _zsh_option(option)) + " '1: :->command' '*:: :->words'"
    yield """    case $state in
    command) _describe -t commands command commands ;;
    words)
        curcontext=${curcontext%:*:*}:kumihimo-$words[1]:
        case $words[1] in"""
    for command in commands:
        words = [word for option in command.options for word in _zsh_option(option)]
        words += [shlex.quote(f"*:{_in_brackets(metavar)}:{_zsh_action(values, not values)}") for metavar, values in command.arguments]
        yield f"        {command.name})"
        yield "            _arguments -s -S \\\n                " + " \\\n                ".join(words)
        yield "            ;;"
    yield """        esac
        ;;
    esac
}
if [[ $funcstack[1] == _kumihimo ]]; then _kumihimo "$@"; else compdef _kumihimo kumihimo; fi"""


# ---- fish ---------------------------------------------------------------------------------------------------------------------


def _fish_text(text: str) -> str:
    return "'" + " ".join(text.split()).replace("\\", "\\\\").replace("'", "\\'") + "'"


def _fish_option(option: Option, when: str) -> str:
    words = ["complete -c kumihimo", when]
    words += [f"-s {name[1:]}" if len(name) == 2 else f"-l {name[2:]}" for name in option.names]
    if option.metavar is not None:
        words.append("-r -F" if option.files else "-x")
        if option.values:
            words.append("-a " + _fish_text(" ".join(option.values)))
    return " ".join([*words, "-d " + _fish_text(option.help)])


def _fish(whole: Command, commands: Sequence[Command]) -> Iterator[str]:
    yield "# fish completion for kumihimo, made by `kumihimo completion fish`."
    yield "complete -c kumihimo -f"
    for option in whole.options:
        yield _fish_option(option, "-n __fish_use_subcommand")
    for command in commands:
        yield f"complete -c kumihimo -n __fish_use_subcommand -a {command.name} -d {_fish_text(command.short)}"
    for command in commands:
        when = f"-n '__fish_seen_subcommand_from {command.name}'"
        for option in command.options:
            yield _fish_option(option, when)
        for _, values in command.arguments:
            yield f"complete -c kumihimo {when} " + (f"-a {_fish_text(' '.join(values))}" if values else "-F")
