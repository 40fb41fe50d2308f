"""Apache::Filter: every method, in both directions."""

import os

import pytest

from server import WIRES

ON = WIRES
PAGE = "0123456789"


def location(name: str, code: str, way: str = "Output") -> str:
    return f'<Location "/{name}">\nSet{way}Filter mruby\nMruby{way}Filter "${{ROOT}}/scripts/{code}"\n</Location>\n'


CONF = location("page.html", "filter.rb")
SCRIPTS = {"filter.rb": ""}


def out(ruby, code: str, page: str | bytes = PAGE, **more):
    seconds = next(ruby.numbers)
    os.utime(ruby.server.script("filter.rb", code), (seconds, seconds))  # as if written long ago
    ruby.server.page("page.html", page)
    return ruby.get("/page.html", **more)


@pytest.mark.parametrize(
    "code, text",
    [
        ("f.puts 'x'", PAGE + "x"),
        ("f.write 1\nf << :b << nil", PAGE + "1b"),
        ("f.insert_tail 'b'\nf.insert_tail 'c'\nf.insert_head 'a'", "a" + PAGE + "bc"),
        ("f.insert_eos", PAGE),
        ("f.cleanup", ""),
        ("f.destroy", ""),
        ("f.cleanup\nf.puts 'new'\nf.insert_eos", "new"),
        ("t = f.flatten\nf.puts t", PAGE + PAGE),
        ("t = f.body\nf.puts t.reverse", PAGE[::-1]),
        ("f.body = 'new'", "new"),
        ("f.body = f.body + '!'", PAGE + "!"),
        ("n = f.length\nf.puts \" #{n}\"", PAGE + " 10"),
        ("e = f.empty?\nf.cleanup\nf.puts [e, f.empty?].inspect", "[false, true]"),
        ("s = f.first_bucket\nf.puts s[0, 3]", PAGE + "012"),
        ("s = f.read\nf.puts \"<#{s}>\" \nf.puts f.read.inspect", f"<{PAGE}>nil"),
        ("f.each_bucket { |s| f.puts s.tr('0', 'o') }", "o123456789"),
        ("f.pass\nf.puts '!'", PAGE + "!"),
        ("f.cleanup\nf.puts 'a'\nf.pass\nf.puts 'b'", "ab"),
        ("f.puts [f.last?, f.eos?, f.input?].inspect", PAGE + "[true, true, false]"),
        ("f.puts ' ' + f.name", PAGE + " mruby"),
        ("f.puts [f.uid >= 0, f.gid >= 0].inspect", PAGE + "[true, true]"),
        ("puts 'printed'\nf.puts 'put'", PAGE + "printed\nput"),
        ("Apache.rputs 'a'\nf.puts 'b'\nApache.rputs 'c'", PAGE + "abc"),
        ("f.puts \"\\0\\xff\".size", PAGE + "2"),
        ("f.insert_head ''\nf.insert_tail ''", PAGE),
        ("g = Apache::Filter.new\ng.puts 'g'\nf.puts 'f'", PAGE + "gf"),
        ("f.puts Apache.phase", PAGE + "output_filter"),
        ("f.puts Apache.request.uri", PAGE + "/page.html"),
    ],
)
def test_output(ruby, code, text):
    answer = out(ruby, "f = Apache::Filter.new\n" + code)
    assert (answer.status, answer.text) == (200, text)


@pytest.mark.parametrize("status", [403, 404, 500, 503])
def test_error_create(ruby, status):
    answer = out(ruby, f"Apache::Filter.new.error_create {status}")
    assert answer.status == status and PAGE.encode() not in answer.body


@pytest.mark.parametrize(
    "code, error",
    [
        ("f.error_create 99", "ArgumentError"), ("f.error_create 100", "ArgumentError"), ("f.error_create 200", "ArgumentError"), ("f.error_create 302", "ArgumentError"), ("f.error_create nil", "TypeError"), ("f.error_create", "ArgumentError"), ("f.puts", "ArgumentError"),
        ("f.insert_head", "ArgumentError"), ("f.insert_tail 1, 2", "ArgumentError"), ("f.flatten 1", "ArgumentError"), ("f.read 1", "ArgumentError"),
        ("Apache.request.body", "Apache::PhaseError"), ("Apache.request.subrequest '/'", "Apache::PhaseError"), ("Apache::AuthnProvider.new", "Apache::PhaseError"),
    ],
)  # fmt: skip
def test_refuses(ruby, code, error):
    answer = out(ruby, f"f = Apache::Filter.new\nbegin\n  {code}\nrescue => e\n  f.puts e.class\nend")
    assert answer.text == PAGE + error


def test_headers_in_a_filter(ruby):
    assert out(ruby, "Apache.request.headers_out['X-Filtered'] = 'yes'\nApache::Filter.new.puts '!'").header("X-Filtered") == "yes"


def test_too_large_to_flatten(httpd):
    """The script's memory holds it, or the script hears that it does not."""
    httpd.script("filter.rb", "f = Apache::Filter.new\nx = []\nloop { x << f.flatten }")
    httpd.page("page.html", b"x" * 1_000_000)
    httpd.start(location("page.html", "filter.rb"))
    assert httpd.get("/page.html").status == 500
    httpd.page("other.html", "fine")
    assert httpd.get("/other.html").text == "fine"


def test_pieces_of_a_large_page(ruby):
    code = "f = Apache::Filter.new\nn = 0\nf.each_bucket { |s| n += s.size; f << s.upcase }\nApache.log \"piece of #{n}, last #{f.last?}\""
    page = b"abcdefgh" * 400_000
    assert out(ruby, code, page).body == page.upper()
    assert ruby.server.error_log.count("last true") == 1


@pytest.mark.parametrize(
    "code, text",
    [
        ("f.insert_head '<'\nf.insert_tail '>'", "<body>"),
        ("f.body = f.body.upcase", "BODY"),
        ("f.each_bucket { |s| f << s.reverse }", "ydob"),
        ("f.puts [f.input?, f.last?, Apache.phase].inspect", 'body[true, true, "input_filter"]'),
        ("begin\n  f.pass\nrescue Apache::PhaseError\n  f.puts '!'\nend", "body!"),
        ("f.cleanup", ""),
    ],
)
def test_input(httpd, code, text):
    httpd.script("filter.rb", "f = Apache::Filter.new\n" + code)
    httpd.page("echo.mrb", "Apache.rputs Apache.request.body")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\n' + location("echo.mrb", "filter.rb", "Input"))
    assert httpd.post("/echo.mrb", "body").text == text


def test_error_of_an_input_filter(httpd):
    httpd.script("filter.rb", "Apache::Filter.new.error_create 400")
    httpd.page("echo.mrb", "Apache.rputs Apache.request.body")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\n' + location("echo.mrb", "filter.rb", "Input"))
    assert httpd.post("/echo.mrb", "body").status == 400


@pytest.mark.parametrize("code", ["f.flatten", "f.read", "f.puts 'x'", "f.length", "f.pass", "f.cleanup", "f.uid"])
def test_only_in_filters(ruby, code):
    assert ruby(f"begin\n  f = Apache::Filter.new\n  {code}\nrescue Apache::PhaseError => e\n  puts e.message\nend").text.endswith("(this script runs as handler)\n")
