"""Apache::Response: writing, flushing, sending files, cookies, redirections."""

import pytest

from server import WIRES

ON = WIRES
CONF = """
<Location /private>
  Require all denied
</Location>
<Directory "${ROOT}/htdocs/denied">
  Require all denied
</Directory>
<Location /free>
  SetHandler mruby-native-script
  MrubyAllow read
  MrubyHandlerCode "Apache.response.sendfile \\"${ROOT}/scripts/outside.txt\\""
</Location>
<Location /login>
  SetHandler mruby-native-script
  MrubyFixupsCode "Apache.response.set_cookie('s', '1'); Apache.response.redirect '/elsewhere'"
</Location>
<Location /target>
  SetHandler mruby-native-script
  MrubyHandlerCode "r = Apache.request; Apache.rputs [r.uri, r.args, r.internal_redirect?].inspect"
</Location>
<Location /moved>
  MrubyFixupsCode "Apache.response.internal_redirect '/target?by=hook'"
</Location>
"""
FILES = {"file.txt": "0123456789", "page.html": "<p>", "denied/file.txt": "secret", "source.mrb": "puts 1", "empty.txt": ""}
SCRIPTS = {"outside.txt": "outside"}


def refused(ruby, code: str) -> str:
    return ruby(f"begin\n{code}\nrescue StandardError => e\n  puts e.class, e.message\nend").text


def test_writing(ruby):
    code = "o = Apache::Response.new\nn = o.write('a', 1, :b, nil)\no << n << 'x' << \"\\0\"\no.print 'p', 'q'\no.puts\no.puts 'r', ['s', [\"t\\n\"]], 3"
    assert ruby(code).body == b"a1b3x\0pq\nr\ns\nt\n3\n"


def test_status_and_headers(ruby):
    code = "o = Apache::Response.new\no.status = 201\no.content_type = 'text/plain'\no.headers['X-A'] = 'b'\no['X-C'] = 'd'\no << o['X-C'] << o.status << o.content_type"
    answer = ruby(code)
    assert (answer.status, answer.header("X-A"), answer.header("X-C"), answer.text) == (201, "b", "d", "d201text/plain")
    assert answer.header("Content-Type") == "text/plain"


def test_streaming(ruby):
    answer = ruby("o = Apache::Response.new\n3.times { |i| o.write i.to_s * 3; o.flush }\nputs o.started?")
    assert answer.text == "000111222true\n"


def test_streaming_more_than_was_said(ruby):
    """What has begun with a length and goes on is sent without one."""
    answer = ruby("o = Apache::Response.new\no.content_length = 3\n20.times { |i| o.write(i.to_s * 5000); o.flush }")
    assert answer.text == "".join(str(i) * 5000 for i in range(20)) and answer.header("Content-Length") is None
    assert ruby("puts 'next'").text == "next\n"


def test_not_started(ruby):
    assert ruby("o = Apache::Response.new\no << 'a'\nputs o.started?, o.finished?, o.closed?").text == "afalse\nfalse\nfalse\n"


@pytest.mark.parametrize("name", ["finish", "close"])
def test_finished(ruby, name):
    code = f"o = Apache::Response.new\no << 'all'\no.{name}\no.{name}\nbegin\n  o << 'more'\nrescue Apache::Error => e\n  Apache.log 'refused: ' + e.message\nend\nputs 'more'"
    answer = ruby(code)
    assert (answer.text, answer.header("Content-Length")) == ("all", "3")
    ruby.server.wait_log("refused: the response is finished")


def test_discard(ruby):
    assert ruby("o = Apache::Response.new\no << 'wrong'\no.discard\no << 'right'").text == "right"


# Files ---------------------------------------------------------------------------------------------------------------------------


def test_sendfile(ruby):
    answer = ruby("Apache::Response.new.sendfile Apache.request.document_root + '/file.txt'")
    assert (answer.status, answer.text, answer.header("Content-Length"), answer.header("Content-Type")) == (200, "0123456789", "10", "text/plain")


def test_sendfile_behind_output(ruby):
    answer = ruby("o = Apache::Response.new\no << 'head '\no.content_type = 'text/x-mine'\no.sendfile Apache.request.document_root + '/file.txt'\nputs 'not this'")
    assert (answer.text, answer.header("Content-Length"), answer.header("Content-Type")) == ("head 0123456789", "15", "text/x-mine")


def test_sendfile_in_a_stream(ruby):
    answer = ruby("o = Apache::Response.new\no << 'head '\no.flush\no.sendfile Apache.request.document_root + '/file.txt'")
    assert answer.text == "head 0123456789"


def test_sendfile_of_nothing(ruby):
    assert ruby("Apache::Response.new.sendfile Apache.request.document_root + '/empty.txt'").body == b""


def test_sendfile_and_ranges(ruby):
    answer = ruby("Apache::Response.new.sendfile Apache.request.document_root + '/file.txt'", headers={"Range": "bytes=2-4"})
    assert (answer.status, answer.text) == (206, "234")


def test_sendfile_and_head(ruby):
    answer = ruby("Apache::Response.new.sendfile Apache.request.document_root + '/file.txt'", "HEAD")
    assert (answer.status, answer.body, answer.header("Content-Length")) == (200, b"", "10")


def test_sendfile_large(ruby):
    ruby.server.page("large.txt", b"0123456789abcdef" * 200_000)
    assert ruby("Apache::Response.new.sendfile Apache.request.document_root + '/large.txt'").body == b"0123456789abcdef" * 200_000


@pytest.mark.parametrize(
    "path, why",
    [
        ("'/etc/passwd'", "not within the document root"),
        ("root + '/../scripts/outside.txt'", "not within the document root"),
        ("root", "not within the document root"),
        ("root + '/denied/file.txt'", "access to it is denied"),
        ("root + '/source.mrb'", "is a script, whose source is not sent"),
        ("root + '/link.txt'", "not within the document root"),
        ("root + '/nothing'", "not within the document root"),
        ("root + '/denied'", "denied"),
        ("''", "not within the document root"),
        ("'file.txt'", "not within the document root"),
        ("\"a\\0b\"", "cannot be in"),
        ("root + '/' + 'x' * 10000", "not within the document root"),
    ],
)
def test_sendfile_refuses(ruby, path, why):
    link = ruby.server.docroot / "link.txt"
    if not link.is_symlink():
        link.symlink_to("/etc/passwd")
    text = refused(ruby, f"root = Apache.request.document_root\nApache::Response.new.sendfile({path})")
    assert text.startswith("ArgumentError\n") and why in text


def test_sendfile_of_other_types(ruby):
    for wrong in ("nil", "[]", "1.5"):
        assert refused(ruby, f"Apache::Response.new.sendfile({wrong})").startswith("TypeError\n")


def test_sendfile_elsewhere_when_allowed(ruby):
    ruby.server.page("free", "x")
    assert ruby.get("/free").text == "outside"


def test_sendfile_of_a_pipe(ruby):
    """Nobody writes into it: that must not hang."""
    import os

    pipe = ruby.server.docroot / "pipe.txt"
    os.mkfifo(pipe, 0o666)
    try:
        assert refused(ruby, "Apache::Response.new.sendfile Apache.request.document_root + '/pipe.txt'").startswith("ArgumentError\n")
    finally:
        pipe.unlink()


# Elsewhere -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("of", ["Apache::Response.new", "Apache::Request.new"])
@pytest.mark.parametrize("code, status", [("", 302), (", 301", 301), (", 303", 303), (", 307", 307), (", 308", 308)])
def test_redirect(ruby, of, code, status):
    answer = ruby(f"{of}.redirect 'https://other.example/a?b=c'{code}\nputs 'not this'")
    assert (answer.status, answer.header("Location")) == (status, "https://other.example/a?b=c")
    assert b"not this" not in answer.body


@pytest.mark.parametrize("arguments, error", [("'x', 200", "ArgumentError"), ("'x', 404", "ArgumentError"), ("''", "ArgumentError"), ("nil", "TypeError"), ("\"a\\r\\nb\"", "ArgumentError"), ("", "ArgumentError"), ("'x', 'y'", "TypeError")])
def test_redirect_refuses(ruby, arguments, error):
    assert refused(ruby, f"Apache::Response.new.redirect({arguments})").startswith(error + "\n")


def test_cookies_go_with_redirections(ruby):
    answer = ruby.get("/login")
    assert (answer.status, answer.header("Location")) == (302, "/elsewhere")
    assert answer.header("Set-Cookie").startswith("s=1")


def test_internal_redirect(ruby):
    ruby.server.page("target", "")
    assert ruby("Apache::Response.new.internal_redirect '/target?a=1'\nputs 'not this'").text == '["/target", "a=1", true]'
    assert ruby.get("/moved").text == '["/target", "by=hook", true]'


@pytest.mark.parametrize("wrong, error", [("nil", "TypeError"), ("'target'", "ArgumentError"), ("''", "ArgumentError"), ("'http://other.example/'", "ArgumentError"), ("\"/a\\0\"", "ArgumentError")])
def test_internal_redirect_refuses(ruby, wrong, error):
    assert refused(ruby, f"Apache::Request.new.internal_redirect({wrong})").startswith(error + "\n")


def test_internal_redirect_to_itself_ends(ruby):
    assert ruby("Apache::Request.new.internal_redirect '/again.mrb'", name="again.mrb").status == 500


# Cookies -------------------------------------------------------------------------------------------------------------------------


def test_set_cookie(ruby):
    answer = ruby("o = Apache::Response.new\no.set_cookie 'a', 'b'\no.set_cookie 'c', 'd e', path: '/', max_age: 60, http_only: true, secure: true, same_site: :lax, domain: 'x.example'\no.delete_cookie 'e'")
    first, second, third = answer.headers("Set-Cookie")
    assert first == "a=b"
    parts = [part.strip().lower() for part in second.split(";")]
    assert parts[0] in ("c=d%20e", "c=d+e") and set(parts[1:]) == {"path=/", "max-age=60", "httponly", "secure", "samesite=lax", "domain=x.example"}
    assert third.startswith("e=;") and "max-age=0" in third.lower()


@pytest.mark.parametrize("arguments", ["'a b', 'c'", "'', 'c'", "'a;b', 'c'", "'a', 'b', path: \"/;x\"", "'a', 'b', domain: \"x\\r\\ny\""])
def test_set_cookie_refuses(ruby, arguments):
    assert refused(ruby, f"Apache::Response.new.set_cookie({arguments})").startswith("ArgumentError\n")
