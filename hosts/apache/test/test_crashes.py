"""Scripts that Debian's mruby crashes on: an error of the script's. The thread goes on with a new VM; the child knows nothing of it."""

import pytest

from server import WIRES

ON = WIRES
CRASHES = {
    "call": "Proc.allocate.call",
    "instance_eval": "Object.new.instance_eval(&Proc.allocate)",
    "bind": "UnboundMethod.allocate.bind(1)",
    "rescued": "begin\n  Proc.allocate.call\nrescue Exception\n  Apache.rputs 'RESCUED'\nensure\n  Apache.rputs 'ENSURED'\nend",
    "in a fiber": "Fiber.new { Proc.allocate.call }.resume",
    "while natives hold memory": "a = Regexp.new('(a|b)*')\nJSON.generate([1] * 1000)\n'ab'.gsub(a) { Proc.allocate.call }",
}
FILES = {
    "count.mrb": "$n = $n.to_i + 1\nApache.rputs $n",
    "kept/count.mrb": "$n = $n.to_i + 1\nApache.rputs $n",
    "outer.mrb": "Apache.rputs Apache.request.subrequest('/inner.mrb').run",
    "inner.mrb": "Proc.allocate.call",
}
SETTINGS = {"workers": 1}
CONF = '<Directory "${ROOT}/htdocs/kept">\nMrubyScope thread\n</Directory>\n'


@pytest.fixture(autouse=True)
def crashes(ruby):
    """What crashed 3.1 is a TypeError in 3.3."""
    if "TypeError" in ruby("begin\n  Proc.allocate\nrescue TypeError => e\n  puts e.class\nend").text:
        pytest.skip("not proven: that a child survives a crash of mruby needs an mruby that scripts can crash, as 3.1")


@pytest.mark.parametrize("folder", ["", "kept/"])
@pytest.mark.parametrize("name", CRASHES)
def test_crash(ruby, name, folder):
    pids, file = ruby.server.pids(), f"{folder}{name.replace(' ', '_')}.mrb"
    answer = ruby(f"Apache.rputs 'HALF A PAGE'\n{CRASHES[name]}", name=file)
    assert answer.status == 500 and not any(word in answer.text for word in ("HALF", "RESCUED", "ENSURED")), answer
    assert "mruby crashed in this script" in ruby.server.wait_log(f"/{file}:")
    assert ruby.get("/count.mrb").text == "1"
    assert ruby.server.pids() == pids


def test_kept_state_begins_anew(ruby):
    """What a crash may have left half done is not used again."""
    first = int(ruby.get("/kept/count.mrb").text)
    assert int(ruby.get("/kept/count.mrb").text) == first + 1
    assert ruby("$n = 100\nProc.allocate.call", name="kept/crash.mrb").status == 500
    assert [ruby.get("/kept/count.mrb").text for _ in range(2)] == ["1", "2"]


def test_inner_crash_is_the_inner_run_s(ruby):
    assert ruby.get("/outer.mrb").text == "500"
