"""The body and the parameters of a request: whole, in parts, as a form, as JSON; cookies."""

import pytest

from server import WIRES

ON = WIRES
CONF = "MrubyMaxBody 100000\n"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def post(ruby, code: str, body: bytes | str, headers: dict | None = None, query: str = "", method: str = "POST"):
    return ruby(f"r = Apache::Request.new\n{code}", method, query, body=body, headers=headers or {})


def value(ruby, code: str, body: bytes | str = b"", headers: dict | None = None, query: str = "") -> str:
    answer = ruby(f"r = Apache::Request.new\nputs(({code}).inspect)", "POST" if body else "GET", query, headers=headers or {}, **({"body": body} if body else {}))
    assert answer.status == 200, answer
    return answer.text.rstrip("\n")


# Reading -------------------------------------------------------------------------------------------------------------------------


def test_body(ruby):
    assert post(ruby, "Apache.rputs r.body", b"\0\xff\r\n").body == b"\0\xff\r\n"
    assert value(ruby, "[r.body, r.read, r.read(1), r.gets]") == '["", "", nil, nil]'


@pytest.mark.parametrize(
    "code, text",
    [
        ("[r.read(3), r.read(3), r.read, r.read, r.read(1), r.read(0)]", '["abc", "def", "ghij", "", nil, ""]'),
        ("[r.read(100), r.read(1)]", '["abcdefghij", nil]'),
        ("[r.readpartial(4), r.readpartial, r.readpartial]", '["abcd", "efghij", nil]'),
        ("[r.read(3), r.body]", '["abc", "defghij"]'),
        ("[r.body, r.read(3), r.body]", '["abcdefghij", "abc", "abcdefghij"]'),
        ("(x = []; r.each_chunk(4) { |s| x << s }; x.join)", '"abcdefghij"'),
        ("[r.read(nil), r.read(nil)]", '["abcdefghij", ""]'),
    ],
)
def test_reading(ruby, code, text):
    assert value(ruby, code, b"abcdefghij") == text


def test_lines(ruby):
    assert value(ruby, "(x = []; while s = r.gets; x << s; end; x)", b"a\nbc\n\nlast") == '["a\\n", "bc\\n", "\\n", "last"]'
    assert value(ruby, "(x = []; r.each_line { |s| x << s.size }; x)", b"x" * 50000 + b"\n" + b"y") == "[50001, 1]"


@pytest.mark.parametrize("code, error", [("r.read(-1)", "ArgumentError"), ("r.read('x')", "TypeError"), ("r.read([])", "TypeError"), ("r.read(1, 2)", "ArgumentError"), ("r.readpartial(0)", "ArgumentError"), ("r.readpartial(-1)", "ArgumentError"), ("r.readpartial(nil)", "TypeError"), ("r.body(1)", "ArgumentError")])
def test_reading_refuses(ruby, code, error):
    assert value(ruby, f"begin; {code}; rescue => e; e.class; end", b"abc") == error


def test_huge_read(ruby):
    assert value(ruby, "r.read(1 << 60).size", b"abc") == "3"


def test_too_large(ruby):
    body = b"x" * 100_001
    assert post(ruby, "r.body", body).status == 413
    assert value(ruby, "begin; r.body; rescue Apache::BodyTooLarge => e; e.message; end", body) == '"the body of the request is larger than MrubyMaxBody allows"'
    assert post(ruby, "r.read", body).status == 413


def test_hook_and_handler(httpd):
    """Both read the whole body, and so does a handler that is no script."""
    httpd.script("hook.rb", "Apache.log 'hook read ' + Apache.request.body")
    httpd.page("page.mrb", "Apache.rputs Apache.request.body + Apache.request.read(3)")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nMrubyFixups "${ROOT}/scripts/hook.rb"\n')
    assert httpd.post("/page.mrb", b"hello").text == "hellohel"
    httpd.wait_log("hook read hello")


def test_log_phase(httpd):
    httpd.page("page.mrb", "puts 'x'")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nMrubyLogTransactionCode "begin; Apache.request.body; rescue Apache::PhaseError => e; Apache.log e.message; end"\n')
    httpd.post("/page.mrb", b"hello")
    assert "log_transaction" in httpd.wait_log("can be read by handlers")


# Parameters ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query, text",
    [
        ("", "{}"),
        ("?", "{}"),
        ("?a=1&b=2", '{"a"=>"1", "b"=>"2"}'),
        ("?a=1&a=2", '{"a"=>"2"}'),
        ("?a=%20b%2Bc+d", '{"a"=>" b+c d"}'),
        ("?a[]=1&a[]=2", '{"a"=>["1", "2"]}'),
        ("?a[b]=1&a[c]=2", '{"a"=>{"b"=>"1", "c"=>"2"}}'),
        ("?a=", '{"a"=>""}'),
        ("?%41=%zz", '{"A"=>"%zz"}'),
    ],
)
def test_query(ruby, query, text):
    for name in ("query", "GET"):
        assert value(ruby, f"r.{name}", query=query) == text


def test_query_all(ruby):
    assert value(ruby, "r.query_all", query="?a=1&a=2&b=3") == '{"a"=>["1", "2"], "b"=>["3"]}'


def test_same_hash_again(ruby):
    assert value(ruby, "(r.query['x'] = 'y'; [r.query['x'], Apache::Request.new.query['x']])", query="?a=1") == '["y", nil]'


@pytest.mark.parametrize("query", ["?a=1&a[b]=2", "?a" + "[b]" * 1000 + "=1", "?a[]=1&a[b]=2"])
def test_nonsense_is_the_client_s_error(ruby, query):
    assert ruby("Apache::Request.new.query", "GET", query).status == 400
    assert ruby("begin\n  Apache::Request.new.query\nrescue StandardError\n  puts 'rescued'\nend", "GET", query).text == "rescued\n"


def test_form(ruby):
    sent = (b"a=1&b=%C3%A9", FORM, "?q=2&a=0")
    assert value(ruby, "r.form", *sent) == value(ruby, "r.POST", *sent) == '{"a"=>"1", "b"=>"\\xc3\\xa9"}'
    assert value(ruby, "[r['a'], r['q'], r.params]", *sent) == '["1", "2", {"q"=>"2", "a"=>"1", "b"=>"\\xc3\\xa9"}]'
    assert value(ruby, "r.form", b"a=1", {"Content-Type": "Application/X-WWW-Form-Urlencoded; charset=utf-8"}) == '{"a"=>"1"}'
    assert value(ruby, "r.form", b"a=1", {"Content-Type": "text/plain"}) == "{}"
    assert value(ruby, "r.form", b"a=1", {"Content-Type": "application/x-www-form-urlencodedx"}) == "{}"
    assert value(ruby, "r.form") == "{}"


def multipart(*parts: tuple[str, bytes]) -> bytes:
    return b"".join(b"--B\r\nContent-Disposition: form-data; " + head.encode() + b"\r\n\r\n" + body + b"\r\n" for head, body in parts) + b"--B--\r\n"


MULTIPART = {"Content-Type": 'multipart/form-data; boundary="B"'}


def test_multipart(ruby):
    body = multipart(('name="text"', b"hello"), ('name="file"; filename="C:\\\\dir\\\\a.bin"\r\nContent-Type: application/x-mine', b"\0\xff\r\n--"), ('name="l[]"', b"1"), ('name="l[]"', b"2"))
    code = "f = r.form\nfile = f['file']\nputs f['text'], f['l'].inspect, file[:filename], file[:type], file[:name], file[:body].size"
    assert post(ruby, code, body, MULTIPART).text.splitlines() == ["hello", '["1", "2"]', "a.bin", "application/x-mine", "file", "6"]


@pytest.mark.parametrize("body", [b"", b"--B", b"--B\r\n", b"--B\r\nX", b"--B\r\n\r\nx\r\n--B--", b"garbage", multipart(('name="a"', b"1"))[:-4], b"--B\r\nContent-Disposition: form-data; name=\"" + b"a" * 50000])
def test_broken_multipart(ruby, body):
    assert post(ruby, "r.form\nputs 'parsed'", body, MULTIPART).status == 400


def test_multipart_without_a_boundary(ruby):
    assert post(ruby, "r.form", b"x", {"Content-Type": "multipart/form-data"}).status == 400


def test_many_parts(ruby):
    body = multipart(*[(f'name="a{i}"', b"") for i in range(1500)])
    assert post(ruby, "r.form", body, MULTIPART).status == 400


def test_json(ruby):
    assert value(ruby, "r.json['a'][1]", b'{"a": [1, "two"]}') == '"two"'
    assert post(ruby, "r.json", b"{").status == 400
    assert value(ruby, "begin; r.json; rescue JSON::ParserError; 'refused'; end", b"{") == '"refused"'


@pytest.mark.parametrize("cookie, text", [(None, "{}"), ("a=1", '{"a"=>"1"}'), ("a=1; b=2", '{"a"=>"1", "b"=>"2"}'), ("a=%20x", '{"a"=>" x"}'), ('a="q"', '{"a"=>"q"}'), ("a=1; a=2", '{"a"=>"1"}'), ("=;;; ,", "{}"), ("a", "{}")])
def test_cookies(ruby, cookie, text):
    assert value(ruby, "r.cookies", headers={"Cookie": cookie} if cookie is not None else {}) == text


def test_cookies_there_and_back(ruby):
    made = ruby("Apache.response.set_cookie 'c', \"a b;c,d=e%+\\\"\\xc3\\xa9\"").header("Set-Cookie")
    assert value(ruby, "r.cookies['c'] == \"a b;c,d=e%+\\\"\\xc3\\xa9\"", headers={"Cookie": made.split(";")[0]}) == "true"
