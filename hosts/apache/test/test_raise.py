"""An exception, wherever it comes from: 500, nothing of what was printed, the message with file, line and way there in the error log."""

import http.client

import pytest

import h2
from server import MPMS, WIRES

ON = WIRES
HANDLER = '<FilesMatch ".+\\.mrb$">\n  SetHandler mruby-script\n</FilesMatch>\n'

RAISES = {
    "a text": ("raise 'some reason'", "some reason (RuntimeError)"),
    "a class": ("raise ArgumentError", "ArgumentError"),
    "an own class": ("class Mine < StandardError; end\nraise Mine, 'text'", "text (Mine)"),
    "exception": ("raise Exception, 'top'", "top (Exception)"),
    "no method": ("nil.foo", "undefined method 'foo'"),
    "no constant": ("Foo", "uninitialized constant Foo"),
    "no name": ("foo", "undefined"),
    "division": ("1 / 0", "ZeroDivisionError"),
    "argument": ("def f(a); end\nf", "wrong number of arguments"),
    "frozen": ("'a'.freeze << 'b'", "frozen"),
    "type": ("[1].first('x')", "TypeError"),
    "key": ("{}.fetch(1)", "KeyError"),
    "in a block": ("[1].each { |x| raise 'inside' }", "inside"),
    "in sort": ("[2, 1].sort { |a, b| raise 'inside' }", "inside"),
    "in a method": ("def f\n  raise 'inside'\nend\nf", "inside"),
    "in a fiber": ("Fiber.new { raise 'inside' }.resume", "inside"),
    "in a proc": ("proc { raise 'inside' }.call", "inside"),
    "in to_s": ("class X\n  def to_s\n    raise 'inside'\n  end\nend\nApache.rputs X.new", "inside"),
    "in to_json": ("JSON.generate(Object.new => 1)\nraise 'inside'", ""),
    "in ensure": ("begin\n  raise 'first'\nensure\n  raise 'second'\nend", "second"),
    "again": ("begin\n  raise 'one'\nrescue => e\n  raise e\nend", "one"),
    "with newlines": ("raise \"two\\nlines\\r\\nof text\"", "two"),
    "empty": ("raise ''", ""),
    "with NUL": ("raise \"a\\0b\"", ""),
    "not UTF-8": ("raise \"\\xff\\xfe\"", ""),
    "not a text": ("class E < StandardError\n  def message\n    42\n  end\nend\nraise E", ""),
    "message raises": ("class E < StandardError\n  def message\n    raise 'deeper'\n  end\nend\nraise E", ""),
    "message loops": ("class E < StandardError\n  def message\n    while true\n    end\n  end\nend\nraise E", ""),
    "message nil": ("class E < StandardError\n  def message\n    nil\n  end\nend\nraise E", ""),
    "to_s reopened": ("class Exception\n  def message\n    Object.new\n  end\n  def to_s\n    nil\n  end\nend\nraise 'x'", ""),
    "class's name reopened": ("class RuntimeError\n  def self.name\n    raise 'x'\n  end\n  def self.to_s\n    nil\n  end\nend\nraise 'x'", ""),
    "backtrace reopened": ("class Exception\n  def backtrace\n    raise 'x'\n  end\nend\nraise 'x'", ""),
    "backtrace set": ("e = RuntimeError.new('x')\ne.set_backtrace(['%s%n%d', nil.to_s])\nraise e", ""),
    "format signs": ("raise '%s%s%n%d'", "%s%s%n%d"),
    "local jump": ("proc { return 1 }.call\nraise 'x'", ""),
    "break from proc": ("def f(&b)\n  b\nend\nf { break }.call", ""),
    "stop iteration": ("raise StopIteration", "StopIteration"),
    "no memory by hand": ("raise NoMemoryError, 'by hand'", "by hand"),
    "system stack by hand": ("raise SystemStackError, 'by hand'", "by hand"),
    "not an exception": ("raise 42", ""),
    "nil": ("raise nil", ""),
    "rack raises": ("run ->(env) { raise 'inside' }", "inside"),
    "rack nonsense": ("run ->(env) { 42 }", ""),
    "rack nil": ("run ->(env) { nil }", ""),
    "rack short": ("run ->(env) { [200] }", ""),
    "rack body raises": ("class B\n  def each\n    yield 'a'\n    raise 'inside'\n  end\nend\nrun ->(env) { [200, {}, B.new] }", "inside"),
    "rack headers": ("run ->(env) { [200, 42, []] }", ""),
    "rack no app": ("run nil", ""),
    "syntax": ("a = (\n", "syntax error"),
    "syntax late": ("a = 1\nb = 2\nend\n", "syntax error"),
    "unclosed text": ("x = 'abc", "unterminated string"),
    "not Ruby": ("<html>\n<body>not Ruby</body>\n", "syntax error"),
    "binary": ("\x7fELF\x02\x01\x01\x00\x00\x00", ""),
    "missing file": ("require 'nothing/like/this'", "LoadError"),
}


@pytest.mark.parametrize("name", RAISES)
def test_in_a_script(ruby, name):
    code, text = RAISES[name]
    path = ruby.page(f"{ruby.protocol}_" + name.replace(" ", "_").replace("'", "") + ".mrb", f"Apache.rputs 'half a page'\n{code}\n")
    answer = ruby.get(path, timeout=60)
    assert answer.status == 500
    assert "half a page" not in answer.text and "inside" not in answer.text and path not in answer.text
    assert answer.header("Content-Type").startswith("text/html")
    said = "\n".join(line for line in ruby.server.error_log.splitlines() if path in line)
    assert said and text in said, said
    assert ruby("Apache.rputs 'next'").text == "next"


CONF = "MrubyTimeout 1\n"


def test_where_and_the_way_there(ruby):
    answer = ruby("def outer\n  inner\nend\ndef inner\n  raise 'deep'\nend\n\nouter\n", name="way.mrb")
    assert answer.status == 500
    log = ruby.server.error_log
    assert "way.mrb:5" in log and "deep (RuntimeError)" in log
    assert "way.mrb:2" in log and "way.mrb:8" in log


def test_syntax_error_says_the_line(ruby):
    assert ruby("a = 1\nb = (2\nc = 3\n", name="syn.mrb").status == 500
    line = ruby.server.wait_log("syn.mrb")
    assert "syn.mrb:" in line and "syntax error" in line


def test_one_request_one_report(ruby):
    """Not a line for each frame at error level, and no line breaks of the script's making."""
    ruby("raise \"first\\n[Mon Jan 01 00:00:00 2024] [core:error] forged\"", name="forge.mrb")
    ruby.server.wait_log("forge.mrb")
    assert not any(line.startswith("[Mon Jan 01") for line in ruby.server.error_log.splitlines())


def test_control_characters_are_escaped_in_the_log(ruby):
    ruby("raise \"\\e[31mred\\a\"", name="control.mrb")
    ruby.server.wait_log("control.mrb")
    assert "\x1b" not in ruby.server.error_log and "\x07" not in ruby.server.error_log


@pytest.mark.on((*MPMS, ("event", "h2c")))
@pytest.mark.parametrize("hook", ["PostReadRequest", "TranslateName", "MapToStorage", "AccessChecker", "Fixups", "QuickHandler", "InsertFilter"])
@pytest.mark.parametrize("code", ["raise 'in a hook'", "while true\nend", "a = 'x' * 1000\na += a while true", "def f\n  f\nend\nf"])
def test_in_a_hook(httpd, hook, code):
    """The page behind it is not served: the hook may be there to keep it."""
    httpd.page("page.html", "the page")
    httpd.script("hook.rb", code)
    place = "First" if hook in ("TranslateName", "MapToStorage") else "Middle"
    httpd.start(f'MrubyTimeout 300ms\nMrubyMemoryLimit 8M\nMruby{hook}{place} "${{ROOT}}/scripts/hook.rb"\n')
    answer = httpd.get("/page.html")
    assert answer.status == 500 and "the page" not in answer.text
    httpd.wait_log("hook.rb")


@pytest.mark.parametrize("code", ["raise 'late'", "while true\nend", "a = 'x' * 1000\na += a while true"])
def test_in_log_transaction(httpd, code):
    """The response is out already: it stays as it was."""
    httpd.page("page.html", "the page")
    httpd.script("hook.rb", code)
    httpd.start('MrubyTimeout 300ms\nMrubyMemoryLimit 8M\nMrubyLogTransactionMiddle "${ROOT}/scripts/hook.rb"\n')
    for _ in range(2):
        assert httpd.get("/page.html").text == "the page"
    httpd.wait_log("hook.rb")


def test_error_document(httpd):
    """The site's own page for 500, a script itself."""
    httpd.page("bad.mrb", "raise 'x'")
    httpd.page("sorry.mrb", "Apache.rputs \"sorry for #{Apache::Env.new['REDIRECT_URL']}\"")
    httpd.page("worse.mrb", "raise 'y'")
    httpd.start(HANDLER + "ErrorDocument 500 /sorry.mrb\n")
    answer = httpd.get("/bad.mrb")
    assert (answer.status, answer.text) == (500, "sorry for /bad.mrb")
    httpd.restart(HANDLER + "ErrorDocument 500 /worse.mrb\n")
    assert httpd.get("/bad.mrb").status == 500  # and no ring of error documents


def test_after_a_flush(ruby):
    """The head is out: what follows cannot be a 500. The client is told by a broken body, never by a whole one."""
    with pytest.raises((http.client.IncompleteRead, h2.Reset)):
        ruby("Apache.rputs 'x' * 20000\nApache::Response.new.flush\nraise 'late'\n")
    assert ruby("Apache.rputs 'next'").text == "next"


def test_errors_to_client(httpd):
    httpd.page("a.mrb", "def f\n  raise 'the <reason>'\nend\nf\n")
    httpd.start(HANDLER + "MrubyErrorsToClient On\n")
    answer = httpd.get("/a.mrb")
    assert answer.status == 500 and "RuntimeError" in answer.text and "a.mrb:2" in answer.text
    assert "<reason>" not in answer.text or answer.header("Content-Type").startswith("text/plain")


def test_a_rescued_error_of_the_client_is_over(httpd):
    """What goes wrong afterwards is the script's own."""
    httpd.page("a.mrb", "r = Apache.request\nbegin\n  r.json\nrescue JSON::ParserError\nend\nraise 'mine' if r.args == 'raise'\nr.json if r.args == 'again'\nputs 'fine'")
    httpd.page("b.mrb", "begin\n  Apache.request.body\nrescue Apache::BodyTooLarge => e\nend\nraise(Apache.request.args == 'same' ? e : 'mine')")
    httpd.start(HANDLER + "MrubyMaxBody 10\n")
    assert httpd.post("/a.mrb", "nonsense").text == "fine\n"
    assert httpd.post("/a.mrb?raise", "nonsense").status == 500
    assert httpd.post("/a.mrb?again", "nonsense").status == 400
    assert httpd.post("/b.mrb", "x" * 100).status == 500
    assert httpd.post("/b.mrb?same", "x" * 100).status == 413
