"""Output and input filters: what they see, what they may change, and that they cannot break what they fail on."""

import pytest

from server import WIRES

ON = WIRES


def filtered(httpd, code: str, page: str | bytes = "page", conf: str = "", name: str = "page.html"):
    httpd.script("filter.rb", "")
    httpd.page(name, page)
    httpd.start(f'<Location "/{name}">\nSetOutputFilter mruby\nMrubyOutputFilter "${{ROOT}}/scripts/filter.rb"\n</Location>\n' + conf)
    httpd.script("filter.rb", code)
    return httpd.get(f"/{name}")


def test_head_and_tail(httpd):
    answer = filtered(httpd, "f = Apache::Filter.new\nf.insert_head '<'\nf.insert_tail '>'\n")
    assert (answer.status, answer.text) == (200, "<page>")


def test_old_filter_runs(httpd):
    """mod_mruby's own example."""
    answer = filtered(httpd, "f = Apache::Filter.new\ndata = f.flatten\nf.cleanup\nf.insert_tail data.upcase\nf.insert_tail '!'\nf.insert_eos\n")
    assert answer.text == "PAGE!"


def test_body(httpd):
    answer = filtered(httpd, "f = Apache::Filter.new\nf.body = f.body.reverse\n")
    assert answer.text == "egap"


def test_inline(httpd):
    httpd.page("page.html", "page")
    httpd.start("<Location \"/page.html\">\nSetOutputFilter mruby\nMrubyOutputFilterCode \"f = Apache::Filter.new; f.body = f.body.upcase\"\n</Location>")
    assert httpd.get("/page.html").text == "PAGE"


def test_length_is_no_longer_the_page_s(httpd):
    answer = filtered(httpd, "Apache::Filter.new.insert_tail ' and more'")
    assert answer.text == "page and more"
    assert answer.header("Content-Length") in (None, str(len("page and more")))


def test_big_page(httpd):
    """Longer than one piece: each passes the filter once, in order, nothing is lost."""
    page = b"".join(b"%07d\n" % i for i in range(200000))
    answer = filtered(httpd, "f = Apache::Filter.new\nf.body = f.body.tr('0', 'o')\n", page)
    assert answer.body == page.replace(b"0", b"o")


def test_binary(httpd):
    page = bytes(range(256)) * 64
    answer = filtered(httpd, "f = Apache::Filter.new\nf.body = f.body\n", page)
    assert answer.body == page


def test_empty_page(httpd):
    answer = filtered(httpd, "f = Apache::Filter.new\nf.insert_tail 'x' if f.length == 0", "")
    assert answer.status == 200


def test_error_of_a_filter(httpd):
    """The page is broken off with the status it asks for."""
    assert filtered(httpd, "Apache::Filter.new.error_create Apache::HTTP_SERVICE_UNAVAILABLE").status == 503


@pytest.mark.on(["event"])
def test_printing_too_much_is_told(httpd):
    answer = filtered(httpd, "s = 'x' * (1 << 20); 65.times { print s }", "secret page")
    assert answer.status == 500 and "secret" not in answer.text
    assert "the script printed more than the 64 MB that are kept until its end: " in httpd.wait_log(f"mruby: output_filter: {httpd.scripts}/")


@pytest.mark.parametrize("code", ["raise 'x'", "x = (", "while true; end", "a = 'x' * 1000; a += a while true", "def f; f; end; f"])
def test_broken_filter_sends_nothing(httpd, code):
    """Unfiltered it must not go out: a filter may be there to hide something."""
    answer = filtered(httpd, code, "secret page", "MrubyTimeout 1\n")
    assert answer.status == 500 and "secret" not in answer.text
    httpd.page("other.html", "other")
    assert httpd.get("/other.html").text == "other"


def test_over_a_script(httpd):
    """A filter that runs while a script's output passes: one run within another."""
    handler = '<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\n'
    answer = filtered(httpd, "$count = $count.to_i + 1\nf = Apache::Filter.new\nf.insert_head \"<#{$count}\"\n", "$count = 41\nApache.rputs 'x' * 100\nApache::Response.new.flush rescue nil\nApache.rputs $count.to_s\n", handler, "a.mrb")
    assert answer.status == 200 and answer.text.startswith("<1") and answer.text.replace("<1", "") == "x" * 100 + "41"


def test_error_documents_pass_too(httpd):
    httpd.script("filter.rb", "f = Apache::Filter.new\nf.body = f.body.gsub('e', 'E') if f.length > 0\n")
    httpd.page("none.txt", "none here")
    httpd.start('SetOutputFilter mruby\nMrubyOutputFilter "${ROOT}/scripts/filter.rb"\nErrorDocument 404 /none.txt\n')
    answer = httpd.get("/nowhere")
    assert (answer.status, answer.text) == (404, "nonE hErE")


def test_streaming(httpd):
    """What a script flushes passes at once."""
    handler = '<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\n'
    httpd.script("filter.rb", "f = Apache::Filter.new\nf.body = f.body.upcase if f.length > 0\n")
    httpd.page("a.mrb", "Apache.rputs 'one'\nApache::Response.new.flush\nApache::Request.new.body\nApache.rputs 'two'\n")
    httpd.start(handler + 'SetOutputFilter mruby\nMrubyOutputFilter "${ROOT}/scripts/filter.rb"\n')
    with httpd.raw() as raw:
        raw.send("POST /a.mrb HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n")
        raw.read_until(b"ONE")
        raw.send("x")
        raw.read_until(b"TWO")


ECHO = "Apache.rputs Apache::Request.new.body"


def echoed(httpd, code: str, body: bytes, conf: str = "", **more):
    httpd.script("filter.rb", "")
    httpd.page("echo.mrb", ECHO)
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nSetInputFilter mruby\nMrubyInputFilter "${ROOT}/scripts/filter.rb"\n' + conf)
    httpd.script("filter.rb", code)
    return httpd.post("/echo.mrb", body, **more)


def test_input(httpd):
    assert echoed(httpd, "f = Apache::Filter.new\nf.body = f.body.upcase if f.length > 0\n", b"posted").text == "POSTED"


def test_input_inline(httpd):
    httpd.page("echo.mrb", ECHO)
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nSetInputFilter mruby\nMrubyInputFilterCode "f = Apache::Filter.new; f.body = f.body.tr(\'a\', \'b\') if f.length > 0"')
    assert httpd.post("/echo.mrb", "banana").text == "bbnbnb"


def test_input_big(httpd):
    body = b"".join(b"%07d\n" % i for i in range(50000))
    assert echoed(httpd, "f = Apache::Filter.new\nf.body = f.body.tr('0', 'o') if f.length > 0\n", body).body == body.replace(b"0", b"o")


@pytest.mark.parametrize("code", ["raise 'x'", "x = (", "while true; end"])
def test_input_broken(httpd, code):
    answer = echoed(httpd, code, b"posted", "MrubyTimeout 1\n")
    assert 400 <= answer.status <= 599 and "posted" not in answer.text


def test_input_before_another_handler(make_httpd):
    """It is httpd's filter: whoever reads the body gets what it gave."""
    from server import MODULES

    httpd = make_httpd()
    httpd.script("filter.rb", "f = Apache::Filter.new\nf.body = f.body.upcase if f.length > 0\n")
    httpd.page("echo.lua", "function handle(r) local body = r:requestbody() r:puts(body) return apache2.OK end")
    httpd.start(f'LoadModule lua_module "{MODULES}/mod_lua.so"\nAddHandler lua-script .lua\nSetInputFilter mruby\nMrubyInputFilter "${{ROOT}}/scripts/filter.rb"\n')
    assert httpd.post("/echo.lua", "posted").text == "POSTED"
