"""Writes tests/vectors/held/<host>: the traces that a host's values hold otherwise than the vectors say, by name.

Here is the one definition of what which host lacks, and of what becomes of a value there. The README's section
"What a host holds" has the layout. Run it from anywhere after changing vectors or these tables, and commit what it
writes.
"""

from __future__ import annotations

import datetime
import itertools
import pathlib
import re
import struct
import sys
from decimal import Decimal
from typing import Any, Callable, Iterator, Optional

HERE = pathlib.Path(__file__).parent
HEAD = "# Written by held.py, as many lines as the traces have that are held otherwise; README.md has the layout.\n"
FOLDERS = ("json", "msgpack", "tagged", "cbor", "read", "streams", "model")


class NoValue(Exception):
    """The host has no value for it, and refuses."""


class Node:
    """A value of a trace: its verb and what stands behind it, or its elements, or its pairs."""

    def __init__(self, verb: str, rest: str = "", parts: Optional[list[Any]] = None) -> None:
        self.verb, self.rest, self.parts = verb, rest, parts if parts is not None else []

    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines([]))

    def lines(self, out: list[str]) -> list[str]:
        out.append(f"{self.verb} {self.rest}" if self.rest else self.verb)
        if self.verb not in ("array", "map"):
            return out
        for part in self.parts:
            if self.verb == "array":
                part.lines(out)
                continue
            key, value = part
            if key.verb != "key":
                out.append("key")
            key.lines(out)
            value.lines(out)
        out.append("end")
        return out


def parsed(lines: Iterator[str]) -> Node:
    verb, _, rest = next(lines).partition(" ")
    if verb not in ("array", "map"):
        return Node(verb, rest)
    node = Node(verb)  # without its count
    while (part := parsed(lines)).verb != "end":
        if verb == "map":
            key = part if part.rest else parsed(lines)
            node.parts.append((key, parsed(lines)))
        else:
            node.parts.append(part)
    return node


def documents(text: str) -> list[Node]:
    lines, nodes = iter(text.splitlines()), []
    for first in lines:
        nodes.append(parsed(itertools.chain([first], lines)))
    return nodes


def bytes_of(quoted: str) -> bytes:
    """The bytes of a trace's text."""

    def one(m: "re.Match[str]") -> str:
        if m[1]:
            return chr(int(m[1], 16)).encode("utf-8", "surrogatepass").decode("latin-1")
        return chr(int(m[2], 16)) if m[2] else m[3]

    return re.sub(r"\\(?:u\{([0-9a-f]+)\}|x([0-9a-f]{2})|(.))", one, quoted[1:-1]).encode("latin-1")


def quoted(text: str) -> str:
    return '"' + "".join("\\" + c if c in '"\\' else c if " " <= c <= "~" else f"\\u{{{ord(c):x}}}" for c in text) + '"'


def is_text(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def f64(x: float) -> Node:
    if x in (float("inf"), float("-inf")) or str(x) == "-0.0":
        text = str(x).removesuffix(".0")
    else:
        text = plain_digits(repr(x)) if 1e-6 <= abs(x) < 1e21 or x == 0 else repr(x).replace("e-0", "e-")
    return Node("f64", f"0x{struct.pack('>d', x).hex()} {text}")


# ---- rules: what becomes of a value; `name` is the trace's. A key that is text is a node of the verb "key".


def once(node: Node, name: str) -> Node:
    """The last value of a key, at the first one's place."""
    if node.verb == "map":
        pairs: dict[str, tuple[Node, Node]] = {}
        for key, value in node.parts:
            same = key.text() if key.verb not in ("key", "str") else key.rest
            pairs[same] = (pairs[same][0] if same in pairs else key, value)
        node.parts = list(pairs.values())
    return node


def no_type(node: Node, name: str) -> Node:
    if node.verb == "ext" and not -128 <= int(node.rest.split()[0]) <= 127:
        raise NoValue
    return node


def refused_keys(*verbs: str) -> Callable[[Node, str], Node]:
    def rule(node: Node, name: str) -> Node:
        if node.verb == "map" and any(key.verb in verbs for key, _ in node.parts):
            raise NoValue
        return node

    return rule


def bytes_are_text(node: Node, name: str) -> Node:
    """A string is text where it is UTF-8, and bytes where it is not."""
    if node.verb == "bin" and is_text(raw := bytes.fromhex(node.rest[2:])):
        return Node("str", quoted(raw.decode()))
    if node.verb in ("str", "key") and not is_text(raw := bytes_of(node.rest)):
        return Node("bin", f"0x{raw.hex()}")
    return node


def decimals_are_doubles(node: Node, name: str) -> Node:
    return f64(float(node.rest)) if node.verb == "big" and set(node.rest) & set(".eE") else node


def int64(node: Node, name: str) -> Node:
    return f64(float(node.rest)) if node.verb in ("u64", "big") else node


def no_minus_zero(node: Node, name: str) -> Node:
    return Node("i64", "0") if node.verb == "big" and node.rest == "-0" else node


def parts(number: str) -> tuple[int, str, int]:
    """The sign, the digits without zeros at the end, and the exponent behind them."""
    sign, digits, exponent = Decimal(number).as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits)).lstrip("0") or "0"
    kept = text.rstrip("0") or "0"
    return sign, kept, exponent + len(text) - len(kept) if kept != "0" else 0


def plain_digits(number: str) -> str:
    sign, digits, exponent = parts(number)
    text = digits + "0" * max(exponent, 0)
    point = len(text) + min(exponent, 0)
    if exponent < 0:
        text = text[:point] + "." + text[point:] if point > 0 else "0." + "0" * -point + text
    return "-" * sign + text


def big_float(node: Node, name: str) -> Node:
    """Math::BigFloat: a value without its spelling, written without an exponent; what is whole is an integer."""
    if node.verb != "big":
        return node
    text = plain_digits(node.rest)
    if text in ("0", "-0"):
        return Node("i64", "0")
    if "." in text:
        return Node("big", text)
    whole = int(text)
    return Node("i64" if -(2**63) <= whole < 2**63 else "u64" if 0 <= whole < 2**64 else "big", text)


def big_decimal(node: Node, name: str) -> Node:
    """Ruby's BigDecimal: a value without its spelling, with a point, and with an exponent where that is far away."""
    if node.verb != "big" or not set(node.rest) & set(".eE"):
        return node
    sign, digits, exponent = parts(node.rest)
    first = exponent + len(digits) - 1
    if -21 <= first <= 59:
        text = plain_digits(node.rest)
        return Node("big", text if "." in text else text + ".0")
    point = "." if len(digits) > 1 else ""
    return Node("big", f"{'-' * sign}{digits[0]}{point}{digits[1:]}e{first}")


def python_decimal(node: Node, name: str) -> Node:
    """A Decimal spells an exponent its own way; without decimal=True or a dialect that asks for it there is none."""
    if node.verb != "big" or not set(node.rest) & set(".eE"):
        return node
    if name.startswith("model/") or name.endswith(".exact_decimals"):
        return Node("big", str(Decimal(node.rest)))
    raise NoValue


def python_moment(node: Node, name: str) -> Node:
    """A datetime has microseconds and years of four digits. Read, it is in UTC; of a moment beyond it the 12 bytes of
    MessagePack's extension -1 are kept."""
    if node.verb != "time":
        return node
    kind, seconds, nanoseconds, offset = node.rest.split()
    days = int(seconds) // 86400 + datetime.date(1970, 1, 1).toordinal()
    held = int(nanoseconds) % 1000 == 0 and 1 <= days <= datetime.date.max.toordinal()
    if not name.startswith("model/"):
        if not held:
            return Node("ext", f"-1 0x{struct.pack('>Iq', int(nanoseconds), int(seconds)).hex()}")
        return Node("time", f"offset {seconds} {nanoseconds} 0")
    if not held or kind == "local":
        raise NoValue
    return Node("time", f"offset {seconds} {nanoseconds} {offset}") if kind == "utc" else node


def python_text(node: Node, name: str) -> Node:
    """A str has code points, halves of a surrogate pair among them, and no bytes."""
    if node.verb in ("str", "key"):
        try:
            bytes_of(node.rest).decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise NoValue from None
    return node


def ruby_moment(node: Node, name: str) -> Node:
    """A Time has no clock without a zone and knows of no zone whether it is the process's own; a Date has no hour."""
    if node.verb != "time":
        return node
    kind, seconds, nanoseconds, offset = node.rest.split()
    if kind == "date":
        return Node("time", f"date {int(seconds) // 86400 * 86400} 0 0")
    kind = {"naive": "utc", "local": "offset"}.get(kind, kind)
    return Node("time", f"{kind} {seconds} {nanoseconds} {offset}")


def timestamp(node: Node, name: str) -> Node:
    """MessagePack::Timestamp: a moment, whose kind is UTC."""
    return Node("time", " ".join(["utc", *node.rest.split()[1:3], "0"])) if node.verb == "time" else node


def perl_text(node: Node, name: str) -> Node:
    """Text that is not UTF-8 is a string of bytes, which are the characters up to 255."""
    if node.verb in ("str", "key"):
        raw = bytes_of(node.rest)
        try:
            raw.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return Node(node.verb, quoted(raw.decode("latin-1")))
    return node


def perl_keys(node: Node, name: str) -> Node:
    """A hash's keys are text: of another scalar they are what Perl prints."""

    def text(key: Node) -> Node:
        if key.verb in ("key", "str"):
            return key
        if key.verb in ("array", "map", "ext", "time"):
            raise NoValue
        if key.verb == "f64":
            number = struct.unpack(">d", bytes.fromhex(key.rest[2:18]))[0]
            return Node("key", quoted("NaN" if number != number else f"{number:.15g}"))
        if key.verb == "bin":
            raw = bytes.fromhex(key.rest[2:])
            return Node("key", quoted(raw.decode("latin-1")))
        return Node("key", quoted(key.rest if key.verb != "null" else ""))

    if node.verb == "map":
        node.parts = [(text(key), value) for key, value in node.parts]
    return node


# ---- hosts: the kinds that each lacks, as rules in the order in which they hold

MRUBY = [refused_keys("array", "map", "ext", "time"), bytes_are_text, timestamp, no_type, decimals_are_doubles]
HOSTS: dict[str, list[Callable[[Node, str], Node]]] = {
    "python": [refused_keys("map"), python_text, no_type, no_minus_zero, python_decimal, python_moment, once],
    "ruby": [no_type, no_minus_zero, big_decimal, ruby_moment, once],
    "perl": [perl_text, perl_keys, big_float, once],
    # By what a build of mruby has: Integers of any length, or of 64 bits.
    "mruby": [*MRUBY, no_minus_zero, once],
    "mruby-int64": [*MRUBY, int64, once],
}


def lowered(node: Node, rules: list[Callable[[Node, str], Node]], name: str) -> Node:
    """Inside out, so that a map sees keys and values as they are held."""
    if node.verb == "array":
        node.parts = [lowered(part, rules, name) for part in node.parts]
    elif node.verb == "map":
        pairs = []
        for key, value in node.parts:
            held = lowered(key, rules, name)
            pairs.append((Node("key", held.rest) if held.verb == "str" != key.verb else held, lowered(value, rules, name)))
        node.parts = pairs
    for rule in rules:
        node = rule(node, name)
    return node


def held(host: str) -> str:
    """What stands in held/<host>."""
    sys.setrecursionlimit(100_000)  # as deep as the vectors are
    out = []
    for path in (path for folder in FOLDERS for path in sorted((HERE / folder).rglob("*.trace"))):
        name, text = path.relative_to(HERE).with_suffix("").as_posix(), path.read_text()
        if "+" in name:  # a dialect without a name is the engine's alone
            continue
        said = "".join(node.text() for node in documents(text))
        try:
            kept = "".join(lowered(node, HOSTS[host], name).text() for node in documents(text))
        except NoValue:
            kept = ""
        if kept != said:
            out.append(f"= {name}\n{kept}")
    return HEAD + "".join(out)


if __name__ == "__main__":
    (HERE / "held").mkdir(exist_ok=True)
    for host in HOSTS:
        (HERE / "held" / host).write_text(held(host))
