"""Deep recursion of every kind is an error of the script (SystemStackError or memory), never of the process."""

import pytest

from server import MPMS

ON = (*MPMS, ("worker", "h2c"), ("event", "h2c"))  # mod_http2 has threads, and stacks, of its own
DEEP = {
    "method": "def f\n  f\nend\nf",
    "method with arguments": "def f(a, b, *c)\n  f(b, a, *c, a)\nend\nf(1, 2)",
    "rescued": "def f\n  f\nrescue Exception\n  f\nend\nf",
    "ensure": "def f\n  f\nensure\n  f\nend\nf",
    "block": "f = proc { f.call }\nf.call",
    "yield": "def f(&b)\n  f { b.call }\nend\nf { }",
    "mutual": "def a\n  b\nend\ndef b\n  a\nend\na",
    "method_missing": "class X\n  def method_missing(n)\n    send(:\"#{n}x\")\n  end\nend\nX.new.a",
    "send": "def f\n  send(:f)\nend\nf",
    "native block each": "def f\n  [1].each { f }\nend\nf",
    "native map": "def f\n  [1].map { f }\nend\nf",
    "native sort": "def f\n  [2, 1].sort { f; 1 }\nend\nf",
    "native times": "def f\n  1.times { f }\nend\nf",
    "native hash": "def f\n  {1 => 2}.each { f }\nend\nf",
    "hash default": "h = Hash.new { |hash, k| hash[k + 1] }\nh[0]",
    "to_s": "class X\n  def to_s\n    \"#{self}\"\n  end\nend\nX.new.to_s",
    "inspect": "class X\n  def inspect\n    [self].inspect\n  end\nend\nX.new.inspect",
    "compare": "class X\n  include Comparable\n  def <=>(o)\n    self < o ? 1 : 0\n  end\nend\nX.new < X.new",
    "equal": "class X\n  def ==(o)\n    [self] == [o]\n  end\nend\n[X.new] == [X.new]",
    "hash method": "class X\n  def hash\n    h = {}\n    50.times { |i| h[i] = i }\n    h[self] = 1\n    1\n  end\nend\nh = {}\n50.times { |i| h[i] = i }\nh[X.new] = 1",
    "eval": "def f\n  eval('f')\nend\nf",
    "instance_eval": "def f\n  Object.new.instance_eval { f }\nend\nf",
    "define_method": "class Object\n  define_method(:g) { g }\nend\ng",
    "class body": "def f\n  Class.new { f }\nend\nf",
    "initialize": "class X\n  def initialize\n    X.new\n  end\nend\nX.new",
    "fiber": "def f\n  Fiber.new { f }.resume\nend\nf",
    "enumerator": "def f\n  Enumerator.new { |y| y << f }.next\nend\nf",
    "coerce": "class X\n  def coerce(o)\n    [self, o + self]\n  end\nend\n1 + X.new rescue 1 + X.new",
    "arrays printed": "a = []\n100_000.times { a = [a] }\nApache.rputs a.inspect\nraise 'deep'",
    "arrays compared": "a = []\nb = []\n100_000.times { a = [a]\nb = [b] }\na == b\nraise 'deep'",
    "arrays flattened": "a = []\n100_000.times { a = [a] }\na.flatten\nraise 'deep'",
    "arrays hashed": "a = []\n100_000.times { a = [a] }\na.hash\nraise 'deep'",
    "arrays joined": "a = []\n100_000.times { a = [a] }\na.join\nraise 'deep'",
    "array in itself": "a = []\na << a\na.hash\na.flatten",
    "array in itself compared": "a = []\na << a\nb = []\nb << b\na == b\nraise 'deep'",
    "json generate": "a = []\n100_000.times { a = [a] }\nJSON.generate(a)",
    "json of a ring": "a = []\na << a\nJSON.generate(a)",
    "json parse": "JSON.parse('[' * 100_000 + ']' * 100_000)",
    "json of hashes": "h = {}\n100_000.times { h = {'a' => h} }\nJSON.generate(h)",
    "message pack": "a = []\n100_000.times { a = [a] }\nMessagePack.pack(a)",
    "message unpack": "MessagePack.unpack(\"\\x91\" * 100_000 + \"\\xc0\")",
    "parser brackets": "eval('(' * 100_000 + '1' + ')' * 100_000)\nraise 'deep'",
    "parser arrays": "eval('[' * 50_000 + ']' * 50_000)\nraise 'deep'",
    "parser unary": "eval('-' * 100_000 + '1')\nraise 'deep'",
    "parser not": "eval('!' * 100_000 + '1')\nraise 'deep'",
    "parser plus": "eval('1' + '+1' * 100_000)\nraise 'deep'",
    "parser dots": "eval('a' + '.b' * 100_000)\nraise 'deep'",
    "parser ifs": "eval('if 1;' * 20_000 + 'end;' * 20_000)\nraise 'deep'",
    "parser blocks": "eval('a {' * 20_000 + '}' * 20_000)\nraise 'deep'",
    "parser defs": "eval('def a;' * 20_000 + 'end;' * 20_000)\nraise 'deep'",
    "parser classes": "eval('class A;' * 20_000 + 'end;' * 20_000)\nraise 'deep'",
    "parser strings": "eval('\"#{' * 20_000 + '}\"' * 20_000)\nraise 'deep'",
    "parser assignments": "eval('a = ' * 100_000 + '1')\nraise 'deep'",
    "parser ternary": "eval('1 ? 1 : ' * 50_000 + '1')\nraise 'deep'",
    "parser lambdas": "eval('->{' * 20_000 + '}' * 20_000)\nraise 'deep'",
    "regexp brackets": "Regexp.new('(' * 100_000 + ')' * 100_000)",
    "regexp match": "Regexp.new('(?:(a)|b)*').match('ab' * 1_000_000)\nraise 'deep'",
    "exception causes": "def f(n)\n  raise 'x'\nrescue => e\n  n > 5000 ? raise('deep') : f(n + 1)\nend\nf(0)\nraise 'deep'",
    "exception's message": "class E < StandardError\n  def message\n    raise E\n  end\nend\nraise E",
    "exception's to_s": "class E < StandardError\n  def to_s\n    raise E\n  end\nend\nraise E",
    "exception's inspect": "class E < StandardError\n  def inspect\n    inspect\n  end\n  def to_s\n    to_s\n  end\n  def message\n    message\n  end\nend\nraise E",
    "exception's backtrace": "class E < StandardError\n  def backtrace\n    backtrace\n  end\nend\nraise E",
}
CONF = "MrubyTimeout 1s\n"


@pytest.mark.parametrize("name", DEEP)
def test_ends(ruby, name):
    pids = ruby.server.pids()
    answer = ruby(f"{DEEP[name]}\n", name="deep" + name.replace(" ", "_").replace("'", "") + ".mrb")
    assert answer.status == 500, answer
    assert "deep" not in answer.text
    assert ruby("Apache.rputs 'next'", name="next.mrb").text == "next"
    assert ruby.server.pids() == pids


@pytest.mark.parametrize("source", ["(" * 200_000, "[" * 200_000, "{" * 200_000, "->{" * 100_000, "if x;" * 100_000, '"#{' * 50_000, "!" * 200_000 + "1", "a." * 200_000 + "b", "1+" * 200_000 + "1", "def a;" * 50_000])
def test_script_that_is_deep(ruby, source):
    """The parser runs on the thread's stack, which httpd may have made small (ThreadStackSize)."""
    pids = ruby.server.pids()
    assert ruby(source, name="parsed.mrb").status in (200, 500)
    assert ruby("Apache.rputs 'next'", name="next.mrb").text == "next"
    assert ruby.server.pids() == pids


@pytest.mark.parametrize("name", ["method", "native map", "to_s", "arrays printed", "json parse", "parser brackets", "parser ifs", "regexp match", "hash default", "arrays hashed"])
def test_on_a_small_stack(make_httpd, name):
    """512 KB, as some set it to have more threads."""
    httpd = make_httpd()
    httpd.page("deep.mrb", DEEP[name] + "\n")
    httpd.page("next.mrb", "Apache.rputs 'next'")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nThreadStackSize 524288\nMrubyTimeout 1s\n')
    pids = httpd.pids()
    assert httpd.get("/deep.mrb").status == 500
    assert httpd.get("/next.mrb").text == "next"
    assert httpd.pids() == pids
