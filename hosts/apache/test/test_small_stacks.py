"""Threads with little machine stack: what would need more is refused."""

import pytest

from server import WIRES

ON = WIRES
CONF = "ThreadStackSize 131072\n"


@pytest.mark.parametrize(
    "code",
    [
        "Regexp.new('(' * 200 + 'a' + ')' * 200) =~ 'a'",
        "Regexp.new('(?=' * 200 + 'a' + ')' * 200) =~ 'a'",
        "Regexp.new('(a|' * 200 + 'a' + ')*' * 200) =~ 'a' * 50",
        "Regexp.new('(?<a>' * 100 + '\\\\g<a>' + ')?' * 100) =~ 'a'",
        "('(' * 240 + ')' * 240).match(Regexp.new('(?<p>\\\\((\\\\g<p>)*\\\\))'))",
        "JSON.parse('[' * 90 + ']' * 90)",
        "JSON.generate(90.times.inject(1) { |a, _| [a] })",
        "MessagePack.unpack(MessagePack.pack(500.times.inject(1) { |a, _| [a] }))",
        "def f\n  f\nend\nf",
        "def f\n  [1].each { f }\nend\nf",
        "def f\n  [2, 1].sort { f }\nend\nf",
        "eval('[' * 500 + ']' * 500)",
        "eval('1' + '+(1' * 500 + ')' * 500)",
        "a = []\na << a\na.inspect\na.flatten\na.hash",
        "Apache.request.subrequest('/plain.txt').run",
    ],
)
def test_ends(ruby, code):
    answer = ruby(f"begin\n{code}\nputs 'done'\nrescue StandardError, SystemStackError, ScriptError => e\n  puts e.class\nend")
    assert answer.status in (200, 500)
    assert ruby("puts 'next'").text == "next\n"
