"""What a script may take is limited: a clean 500 with file and line in the log, and the child's memory comes back."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from client import Client
from server import WIRES

ON = WIRES
BOMBS = {
    "string doubling": "s = 'x' * 1000\ns += s while true",
    "string times": "'x' * (1 << 33)",
    "string times huge": "'x' * (1 << 61)",
    "string append": "s = ''\ns << 'x' * 100_000 while true",
    "string in place": "s = 'x' * 1000\nwhile true\n  s << s\nend",
    "ljust": "'x'.ljust(1 << 33)",
    "center": "'x'.center(1 << 40)",
    "array new": "Array.new(1 << 30)",
    "array new huge": "Array.new(1 << 61)",
    "array fill": "a = []\na << 'x' * 100 while true",
    "array index": "a = []\na[1 << 30] = 1",
    "array times": "[1, 2, 3] * (1 << 30)",
    "array doubling": "a = [1]\na += a while true",
    "array product": "a = (0..3000).to_a\na.product(a, a)",
    "combination": "(0..40).to_a.combination(20).to_a",
    "array of arrays": "a = []\na = [a, a.dup, a.dup] while true",
    "range to_a": "(0..1 << 40).to_a",
    "hash": "h = {}\ni = 0\nwhile true\n  h[i] = 'x' * 50\n  i += 1\nend",
    "hash of hashes": "h = {}\nh = {h => {1 => h}} while h",
    "symbols": "i = 0\nwhile true\n  \"symbol_number_#{i}_with_a_long_name\".to_sym\n  i += 1\nend",
    "globals by eval": "i = 0\nwhile true\n  eval(\"$g#{i} = 'x' * 1000\")\n  i += 1\nend",
    "constants": "i = 0\nwhile true\n  Object.const_set(\"C#{i}\", 'x' * 1000)\n  i += 1\nend",
    "classes": "a = []\na << Class.new { def x; end } while true",
    "objects": "a = []\na << Object.new while true",
    "objects rescued": "a = []\nbegin\n  a << 'x' * 10_000 while true\nrescue NoMemoryError\n  retry\nend",
    "rescued by exception": "a = []\nbegin\n  a << 'x' * 10_000 while true\nrescue Exception\n  retry\nend",
    "ensure takes more": "a = []\nbegin\n  a << 'x' * 10_000 while true\nensure\n  b = 'y' * 50_000_000\nend",
    "procs": "a = []\na << proc { a } while true",
    "fibers": "a = []\nwhile true\n  f = Fiber.new { Fiber.yield }\n  f.resume\n  a << f\nend",
    "big fiber stacks": "def deep(n)\n  n == 0 ? Fiber.yield : deep(n - 1)\nend\na = []\nwhile true\n  f = Fiber.new { deep(200) }\n  f.resume\n  a << f\nend",
    "sprintf width": "sprintf('%1000000000d', 1)",
    "sprintf precision": "sprintf('%.1000000000f', 1.5)",
    "sprintf star": "sprintf('%*d', 1 << 30, 1)",
    "pack": "[1].pack('x1000000000')",
    "pack star": "(['x' * 1_000_000] * 1000).pack('a*' * 1000)",
    "unpack": "('x' * 10_000_000).unpack('C*')",
    "join": "(['x' * 1_000_000] * 10_000).join",
    "interpolation": "s = 'x' * 10_000_000\n\"#{s}#{s}#{s}#{s}#{s}#{s}#{s}\"",
    "inspect": "s = \"\\0\" * 20_000_000\ns.inspect",
    "gsub growth": "s = 'a' * 10_000\n5.times { s = s.gsub('a', 'a' * 100) }",
    "regexp gsub growth": "s = 'a' * 10_000\n5.times { s = s.gsub(Regexp.new('a'), 'a' * 100) }",
    "regexps": "a = []\ni = 0\nwhile true\n  a << Regexp.new(\"(x#{i}){1,500}\" * 20)\n  i += 1\nend",
    "regexp repeat": "Regexp.new('(' * 200 + 'a' + '){1,100}' * 200)\ns = 'x'\ns += s while true",
    "split": "('a,' * 10_000_000).split(',')",
    "json generate": "a = ['x' * 1_000_000] * 1000\nJSON.generate(a)",
    "json nested": "a = [1]\n40.times { a = [a, a] }\nJSON.generate(a)",
    "json parse": "JSON.parse('[' + '{\"a\":1},' * 2_000_000 + '1]')",
    "json parse strings": "JSON.parse('[' + '\"' + 'x' * 30_000_000 + '\"]')",
    "message pack": "MessagePack.pack(['x' * 1_000_000] * 1000)",
    "message pack promise": "MessagePack.unpack(\"\\xdd\\x0f\\xff\\xff\\xff\")\ns = 'x'\ns += s while true",
    "notes": "r = Apache::Request.new\ni = 0\nwhile true\n  r.notes[\"n#{i}\"] = 'x' * 10_000\n  i += 1\nend",
    "headers": "r = Apache::Request.new\ni = 0\nwhile true\n  r.headers_out[\"X-#{i}\"] = 'x' * 10_000\n  i += 1\nend",
    "env": "r = Apache::Request.new\ni = 0\nwhile true\n  Apache::Env.new[\"n#{i}\"] = 'x' * 10_000\n  i += 1\nend",
    "one note again": "r = Apache::Request.new\nr.notes['a'] = 'x' * 100_000 while true",
    "filename": "r = Apache::Request.new\nr.filename = '/x' * 100_000 while true",
    "exceptions": "e = []\nwhile true\n  begin\n    raise 'x' * 10_000\n  rescue => x\n    e << x\n  end\nend",
    "big exception": "raise 'x' * 30_000_000",
    "escape": "HTML.escape('<' * 10_000_000)",
    "uri": "URI.encode_www_form_component(\"\\xff\" * 10_000_000)",
    "struct": "S = Struct.new(:a)\na = []\na << S.new('x' * 1000) while true",
    "lambda arguments": "a = (0..2_000_000).to_a\ndef f(*x)\n  x.size\nend\nf(*a, *a, *a)",
    "method args": "def f(*x)\n  f(*x, *x)\nend\nf(1, 2)",
    "eval source": "eval('x = [' + '1,' * 3_000_000 + '1]')",
    "eval nesting": "eval('[' * 100_000 + ']' * 100_000)\ns = 'x'\ns += s while true",
    "string to array": "('x' * 20_000_000).bytes",
    "each_slice": "(0..10_000_000).each_slice(1).to_a",
    "rational": "r = Rational(1, 3)\nr *= r while true\n",
}
CONF = "MrubyMemoryLimit 16M\nMrubyTimeout 2s\n"
SETTINGS = {"workers": 8}


@pytest.fixture(scope="module")
def answers(file_server, protocol):
    names = list(BOMBS)
    for i, name in enumerate(names):
        file_server.page(f"{protocol}{i}.mrb", f"Apache.rputs 'HALF A PAGE'\n{BOMBS[name]}\n")
    file_server.page("fine.mrb", "a = 'x' * 8_000_000\nApache.rputs a.size")
    pids, before = file_server.pids(), file_server.usage()

    def ask(i: int):
        with Client(file_server.port, protocol) as client:
            return client.get(f"/{protocol}{i}.mrb")

    with ThreadPoolExecutor(6) as pool:
        got = dict(zip(names, pool.map(ask, range(len(names)))))
    return got, pids, before


@pytest.mark.parametrize("name", BOMBS)
def test_ends(answers, file_server, protocol, name):
    answer = answers[0][name]
    assert answer.status == 500 and "HALF A PAGE" not in answer.text, (answer.status, answer.body[:200])
    number = list(BOMBS).index(name)
    assert f"{protocol}{number}.mrb" in file_server.error_log, "not logged with its file"


def test_most_are_out_of_memory(answers, file_server, protocol):
    """The scripts are what they are meant to be. On a machine with more to do some run out of time before."""
    log = file_server.error_log.splitlines()
    ends = ("memory", "Memory", "longer than its limit")
    others = [name for i, name in enumerate(BOMBS) if not any(f"/{protocol}{i}.mrb" in line and any(end in line for end in ends) for line in log)]
    assert len(others) <= 20, others


def test_everybody_goes_on(answers, file_server):
    assert file_server.pids() == answers[1]
    for _ in range(20):
        assert file_server.get("/fine.mrb").text == "8000000"


def test_the_memory_comes_back(answers, file_server):
    """8 threads that each took 16 MB and more: what stays is what VMs take."""
    for _ in range(20):
        assert file_server.get("/fine.mrb").status == 200
    after = file_server.usage()
    assert after.memory - answers[2].memory < 8 * 12_000_000, f"{answers[2]} -> {after}"


def test_line_is_named(ruby):
    ruby("a = 1\ns = 'x'\ns += s while true\n", name="line.mrb")
    assert "line.mrb:3" in ruby.server.wait_log("line.mrb")


def test_cannot_be_rescued(ruby):
    """Neither the limit's end nor what it would take to go on is the script's to decide."""
    for code in ("a = 'x' * 100_000_000", "s = 'x' * 1000\n  s += s while true"):
        answer = ruby(f"begin\n  {code}\nrescue NoMemoryError, Exception => e\n  Apache.rputs 'RESCUED'\nensure\n  Apache.rputs 'ENSURED'\nend\nApache.rputs 'WENT ON'")
        assert answer.status == 500 and not any(word in answer.text for word in ("RESCUED", "ENSURED", "WENT ON"))


def test_limit_is_the_place_s(httpd):
    httpd.page("a.mrb", "Apache.rputs(('x' * 20_000_000).size)")
    httpd.page("big/a.mrb", "Apache.rputs(('x' * 20_000_000).size)")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nMrubyMemoryLimit 8M\n<Directory "${ROOT}/htdocs/big">\nMrubyMemoryLimit 64M\n</Directory>')
    for _ in range(3):
        assert httpd.get("/a.mrb").status == 500
        assert httpd.get("/big/a.mrb").text == "20000000"


def test_response_without_end_stops_with_its_reader(ruby):
    """What is printed leaves the process: a client that reads on gets on, up to the time limit; one that goes away ends it."""
    ruby.server.page("endless.mrb", "s = 'x' * 65536\nApache.rputs s while true")
    pids = ruby.server.pids()
    with ruby.server.raw() as raw:
        raw.send("GET /endless.mrb HTTP/1.0\r\n\r\n")
        got = 0
        while got < 5_000_000:
            got += len(raw.socket.recv(65536))
    assert ruby("Apache.rputs 'next'").text == "next"
    assert ruby.server.pids() == pids
