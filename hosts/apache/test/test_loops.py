"""No loop that Ruby can write outlives MrubyTimeout: 500 within the limit, the file and line in the log, the child goes on.

Each script gets a request of its own, all at the same time; none of them can be rescued or ensured away.
"""

import resource
from concurrent.futures import ThreadPoolExecutor

import pytest

from client import Client
from server import WIRES

ON = WIRES
LOOPS = {
    "while": "while true\nend",
    "while with work": "i = 0\nwhile true\n  i += 1\nend",
    "until": "until false\nend",
    "loop": "loop { }",
    "begin end while": "begin\nend while true",
    "times": "(2**61).times { }",
    "upto": "0.upto(2**61) { }",
    "step": "0.step { }",
    "range each": "(0..2**61).each { }",
    "redo by retry": "begin\n  raise 'x'\nrescue\n  retry\nend",
    "rescue exception": "begin\n  while true\n  end\nrescue Exception\n  retry\nend",
    "rescue around everything": "loop {\n  begin\n    loop { }\n  rescue Exception\n  end\n}",
    "ensure": "begin\n  while true\n  end\nensure\n  while true\n  end\nend",
    "ensure nest": "def f\n  begin\n    f2\n  ensure\n    f2\n  end\nend\ndef f2\n  while true\n  end\nend\nf",
    "raise storm": "while true\n  begin\n    raise 'x'\n  rescue => e\n    e.backtrace\n  end\nend",
    "sort block": "[3, 2, 1].sort { |a, b|\n  while true\n  end\n}",
    "sort with a lying block": "a = (0..2000).to_a\nloop { a.sort { |x, y| 1 } }",
    "sort_by": "loop { (0..1000).sort_by { |x| -x } }",
    "hash default": "h = Hash.new { |hash, k| hash[k + 1] }\nbegin\n  h[0]\nrescue Exception\n  retry\nend",
    "each over oneself": "a = [1] * 200\nloop { a.each { |x| a << x; a.shift } }",
    "method_missing": "class X\n  def method_missing(n, *a)\n    begin\n      self.other\n    rescue Exception\n      while true\n      end\n    end\n  end\nend\nX.new.go",
    "to_s in interpolation": "class X\n  def to_s\n    while true\n    end\n  end\nend\n\"#{X.new}\"",
    "to_s printed": "class X\n  def to_s\n    while true\n    end\n  end\nend\nApache.rputs X.new",
    "to_str": "class X\n  def to_str\n    while true\n    end\n  end\nend\nbegin\n  'a' + X.new\nrescue TypeError\n  X.new.to_str\nend",
    "inspect": "class X\n  def inspect\n    while true\n    end\n  end\nend\n[X.new].inspect",
    "to_json": "class X\n  def to_json(*a)\n    while true\n    end\n  end\nend\nJSON.generate([X.new])\nwhile true\nend",
    "compare": "class X\n  include Comparable\n  def <=>(o)\n    while true\n    end\n  end\nend\nX.new < X.new",
    "hash": "class X\n  def hash\n    while true\n    end\n  end\nend\nh = {}\n50.times { |i| h[X.new] = i }",
    "coerce": "class X\n  def coerce(o)\n    while true\n    end\n  end\nend\nbegin\n  1 + X.new\nrescue TypeError\n  while true\n  end\nend",
    "fiber": "f = Fiber.new { loop { Fiber.yield } }\nloop { f.resume }",
    "loop in a fiber": "Fiber.new { while true\nend }.resume",
    "fibers made": "loop { Fiber.new { Fiber.yield }.resume }",
    "enumerator": "e = loop\ne.each { }",
    "lazy": "(1..Float::INFINITY).lazy.map { |x| x * 2 }.select { |x| x < 0 }.first(1)",
    "cycle": "[1].cycle { }",
    "each_object": "loop { ObjectSpace.each_object { } }",
    "gc": "loop { GC.start }",
    "big string work": "s = 'x' * 1_000_000\nloop { s.reverse }",
    "gsub": "s = 'ab' * 100_000\nloop { s.gsub('a', 'b') }",
    "index in strings": "a = 'a' * 500_000\nb = 'a' * 250_000 + 'b'\nloop { a.index(b) }",
    "sprintf": "loop { sprintf('%0100d %s %f', 1, 'x', 1.5) }",
    "float formats": "loop { sprintf('%.300f', 1.0 / 3) }",
    "array product": "a = (0..300).to_a\nloop { a.permutation(2).to_a rescue a.product(a) }",
    "array pack": "a = (0..10000).to_a\nloop { a.pack('N*').unpack('N*') }",
    "flatten": "a = [1]\n200.times { a = [a, a.dup] if a.size < 2; a = [a] }\nloop { a.flatten }",
    "hash work": "loop { h = {}; 10000.times { |i| h[i] = i } }",
    "symbols": "i = 0\nloop { \"s#{i % 100}\".to_sym; i += 1 }",
    "instance_eval": "loop { Object.new.instance_eval { } }",
    "define_method": "loop { Class.new { define_method(:a) { } } }",
    "eval": "loop { eval('1 + 1') }",
    "eval of a loop": "eval('while true; end')",
    "json parse": "s = '[' + (['1.5'] * 100_000).join(',') + ']'\nloop { JSON.parse(s) }",
    "json generate": "a = [{'a' => 1.5, 'b' => 'x' * 100}] * 10_000\nloop { JSON.generate(a) }",
    "message pack": "a = [{'a' => 1.5, 'b' => 'x' * 100}] * 10_000\nloop { MessagePack.unpack(MessagePack.pack(a)) }",
    "time": "loop { Time.now.to_s }",
    "strftime": "loop { Time.now.strftime('%Y %m %d') }",
    "headers": "r = Apache::Request.new\nloop { r.headers_in['Host'] }",
    "tables": "r = Apache::Request.new\nloop { r.headers_in.all }",
    "notes": "r = Apache::Request.new\nloop { r.notes['a'] }",
    "uri": "loop { URI.decode_www_form_component('%41' * 1000) }",
    "escape": "s = '<&>' * 1000\nloop { HTML.escape(s) }",
    "regexp": "Regexp.new('(a+)+$').match('a' * 50_000 + 'b')\nloop { }",
    "regexps": "re = Regexp.new('^(([a-z])+.)+[A-Z]([a-z])+$')\nloop { re.match('a' * 40) }",
    "regexp alternatives": "re = Regexp.new('(x|xx|xxx|xxxx)*y')\nloop { re.match('x' * 200) }",
    "regexp gsub block": "loop { ('a' * 10_000).gsub(Regexp.new('a')) { |m| m } }",
    "regexp scan": "loop { ('ab' * 10_000).scan(Regexp.new('a|b')) }",
    "regexp compile": "loop { Regexp.new('(' * 100 + ')' * 100) }",
    "sleep": "sleep 3600",
    "sleep in a loop": "loop { sleep 0.01 }",
    "Apache.sleep": "Apache.sleep 3600",
    "rescued sleep": "begin\n  sleep 3600\nrescue Exception\n  retry\nend",
    "output": "loop { Apache.rputs '' }",
    "log": "loop { Apache.log Apache::LOG_DEBUG, 'x' }",
    "throw": "loop {\n  begin\n    [1].each { |x| raise StopIteration }\n  rescue StopIteration\n  end\n}",
    "random": "loop { rand; [1, 2, 3].shuffle }",
    "rational": "r = Rational(1, 3)\nloop { r * r / r }",
    "catch in Struct": "S = Struct.new(:a)\nloop { S.new(1).a }",
    "objects": "loop { Object.new }",
    "deep then loop": "def f(n)\n  n == 0 ? (loop { }) : f(n - 1)\nend\nf(100)",
    "at_exit by ensure": "begin\n  Apache.return 200\nensure\n  loop { }\nend",
    "in parse": "eval('[' * 200_000)\nloop { }",
    "big integer text": "loop { ('9' * 10_000).to_i rescue ('9' * 10_000).to_f }",
    "module hooks": "class X\n  def self.inherited(c)\n    while true\n    end\n  end\nend\nclass Y < X\nend",
    "respond_to_missing": "class X\n  def respond_to_missing?(*a)\n    while true\n    end\n  end\nend\nX.new.respond_to?(:x)",
    "pipe": "r, w = IO.pipe\nr.read(1)",
    "rescued pipe": "r, w = IO.pipe\nbegin\n  r.read(1)\nrescue Exception\n  retry\nend",
    "program": "`sleep 3600`",
    "socket": "TCPServer.new('127.0.0.1', 0).accept",
    "select": "r, w = IO.pipe\nIO.select([r])",
    "rack body each": "class Body\n  def each\n    loop { }\n  end\nend\nrun ->(env) { [200, {}, Body.new] }",
    "rack app": "run ->(env) { loop { } }",
}
CONF = "MrubyTimeout 500ms\nMrubyMemoryLimit 128M\nMrubyAllow io process socket\n"
SETTINGS = {"workers": 16}


@pytest.fixture(scope="module")
def answers(file_server, protocol):
    names = list(LOOPS)
    for i, name in enumerate(names):
        file_server.page(f"{protocol}{i}.mrb", f"Apache.rputs 'HALF A PAGE'\n{LOOPS[name]}\n")
    file_server.page("fine.mrb", "Apache.rputs 'fine'")
    pids = file_server.pids()

    def ask(i: int):
        with Client(file_server.port, protocol) as client:
            return client.get(f"/{protocol}{i}.mrb")

    with ThreadPoolExecutor(12) as pool:
        got = dict(zip(names, pool.map(ask, range(len(names)))))
    return got, pids


@pytest.mark.parametrize("name", LOOPS)
def test_ends(answers, file_server, protocol, name):
    answer = answers[0][name]
    assert answer.status == 500 and "HALF A PAGE" not in answer.text, answer
    number = list(LOOPS).index(name)
    line = next((line for line in file_server.error_log.splitlines() if f"{protocol}{number}.mrb" in line), None)
    assert line is not None, "not logged with its file"


def test_most_are_broken_off_not_errors(answers, file_server, protocol):
    """The scripts are what they are meant to be: hardly any fails for a reason of its own."""
    late = [name for i, name in enumerate(LOOPS) if any(f"/{protocol}{i}.mrb" in line and "longer than its limit" in line for line in file_server.error_log.splitlines())]
    others = sorted(set(LOOPS) - set(late))
    assert len(others) <= 12, others


def test_the_line_is_named(ruby):
    ruby("a = 1\nb = 2\nwhile true\n  a += b\nend\n", name="line.mrb")
    said = ruby.server.wait_log("line.mrb")
    assert any(f"line.mrb:{n}" in said for n in (3, 4)), said


def test_everybody_goes_on(answers, file_server):
    assert file_server.pids() == answers[1]
    for _ in range(40):
        assert file_server.get("/fine.mrb").text == "fine"


def test_time_is_the_script_s_alone(file_server):
    """A client that takes longer than the limit to send its body costs the script nothing."""
    import time

    file_server.page("slow.mrb", "Apache.rputs Apache::Request.new.body")
    with file_server.raw() as raw:
        raw.send("POST /slow.mrb HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\n")
        for byte in ("s", "l", "o", "w"):
            time.sleep(0.25)
            raw.send(byte)
        assert raw.response().text == "slow"


def test_no_limit(httpd):
    httpd.page("a.mrb", "i = 0\ni += 1 while i < 3_000_000\nApache.rputs i")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nMrubyTimeout 0\n')
    assert httpd.get("/a.mrb").text == "3000000"


def test_no_signal_may_be_queued(httpd):
    """`ulimit -i`, which counts the signals of all of a user's processes."""
    httpd.page("a.mrb", "loop { }")
    limits = resource.getrlimit(resource.RLIMIT_SIGPENDING)
    resource.setrlimit(resource.RLIMIT_SIGPENDING, (0, limits[1]))
    try:
        httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nMrubyTimeout 300ms\n')
    finally:
        resource.setrlimit(resource.RLIMIT_SIGPENDING, limits)
    assert httpd.get("/a.mrb").status == 500
    assert "longer than its limit" in httpd.error_log


def test_on_every_wire(ruby):
    answer = ruby("begin\n  while true\n  end\nrescue Exception\n  retry\nend")
    assert answer.status == 500
    assert ruby("Apache.rputs 'next'").text == "next"
