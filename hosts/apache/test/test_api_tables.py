"""The tables of a request: headers in and out, notes, environment."""

import pytest

from server import WIRES

ON = WIRES
TABLES = ["r.headers_in", "r.headers_out", "r.err_headers_out", "r.notes", "r.env"]
CONF = """
SetEnvIf Request_URI ".*" FROM_CONF=yes
<Location /noted>
  SetHandler mruby-native-script
  MrubyFixupsCode "Apache::Notes.new['by'] = 'fixups'"
  MrubyHandlerCode "Apache.rputs Apache::Notes.new['by']"
</Location>
<Location /asked>
  SetHandler mruby-native-script
  MrubyFixupsCode "Apache::Request.new.headers_in['X-Added'] = 'fixups'"
  MrubyHandlerCode "Apache.rputs Apache::Request.new.headers_in['x-added']"
</Location>
"""


def value(ruby, code: str, **more) -> str:
    return ruby(f"r = Apache::Request.new\nputs(({code}).inspect)", **more).text.rstrip("\n")


@pytest.mark.parametrize("table", TABLES)
def test_shape(ruby, table):
    code = f"""
r = Apache::Request.new
t = {table}
before = t.size
t["X-One"] = "1"
t.add("X-Two", "2")
t.add("x-two", "3")
puts t["x-one"], t.get("X-ONE"), t["X-Two"], t.get_all("X-TWO").inspect, t["X-None"].inspect, t.get_all("X-None").inspect
puts t.key?("x-ONE"), t.include?("X-None"), t.has_key?("X-Two"), t.size - before, t.length == t.size, t.empty?
puts t.fetch("X-One"), t.fetch("X-None", "other"), t.fetch("X-None") {{ |n| n * 2 }}
puts (begin; t.fetch("X-None"); rescue KeyError => e; e.class; end)
puts t.delete("x-one"), t.delete("x-one").inspect, t.key?("X-One")
t["X-Two"] = "4"
puts t.get_all("X-Two").inspect
t["X-Two"] = nil
puts t["X-Two"].inspect, t.size == before
t.update("X-A" => 1, :"X-B" => :b)
puts t["X-A"], t["X-B"], t.to_h["X-A"], t.all["X-B"], t.keys.include?("X-A"), t.values.include?("b")
names = []
t.each {{ |name, value| names << name if value == "1" && name != "H2_STREAM_ID" }}
puts names.inspect, t.map {{ |name, value| name }}.include?("X-B"), t.to_a.include?(["X-A", "1"])
"""
    assert ruby(code).text.splitlines() == [
        "1", "1", "2", '["2", "3"]', "nil", "[]", "true", "false", "true", "3", "true", "false", "1", "other", "X-NoneX-None", "KeyError",
        "1", "nil", "false", '["4"]', "nil", "true", "1", "b", "1", "b", "true", "true", '["X-A"]', "true", "true",
    ]  # fmt: skip


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "code, error",
    [
        ("t[nil]", "TypeError"), ("t[1.5]", "TypeError"), ("t[Object.new]", "TypeError"), ("t['a'] = []", "TypeError"), ("t['a'] = 1.5", "TypeError"),
        ("t[[]] = 'a'", "TypeError"), ("t.add('a', nil)", "TypeError"), ("t['a'] = \"b\\0c\"", "ArgumentError"), ("t[\"a\\0b\"] = 'c'", "ArgumentError"),
        ("t[\"a\\0b\"]", "ArgumentError"), ("t[''] = 'x'", "ArgumentError"), ("t[]", "ArgumentError"), ("t['a', 'b']", "ArgumentError"),
        ("t.set('a')", "ArgumentError"), ("t.all(1)", "ArgumentError"), ("t.get_all", "ArgumentError"), ("t.delete(nil)", "TypeError"),
    ],
)  # fmt: skip
def test_refuses(ruby, table, code, error):
    assert value(ruby, f"(t = {table}; begin; {code}; rescue => e; e.class; end)") == error


@pytest.mark.parametrize("table", ["r.headers_in", "r.headers_out", "r.err_headers_out"])
@pytest.mark.parametrize("name", ["a b", "a:b", "a\\r\\nb", "(a)", "\\xe9", "a\\tb", '\\"a\\"', "a/b", "a=b"])
def test_names_of_headers(ruby, table, name):
    assert value(ruby, f'(begin; {table}["{name}"] = "x"; rescue ArgumentError; "refused"; end)') == '"refused"'


@pytest.mark.parametrize("table", ["r.headers_in", "r.headers_out", "r.err_headers_out"])
@pytest.mark.parametrize("text", ["a\\r\\nSet-Cookie: b", "a\\nb", "a\\rb", "\\e[0m", "\\x7f", "\\v"])
def test_values_of_headers(ruby, table, text):
    assert value(ruby, f'(begin; {table}["X-A"] = "{text}"; rescue ArgumentError; "refused"; end)') == '"refused"'
    assert value(ruby, f'(begin; {table}.add("X-A", "{text}"); rescue ArgumentError; "refused"; end)') == '"refused"'


def test_headers_of_the_request(ruby):
    more = {"headers": {"X-Request-Header": "hoge", "User-Agent": "tester", "Referer": "http://a.example/"}}
    assert value(ruby, "[r.headers_in['x-request-header'], r.headers_in.user_agent, r.headers_in.referer]", **more) == '["hoge", "tester", "http://a.example/"]'
    assert value(ruby, "r.headers_in.all['X-Request-Header']", **more) == '"hoge"'
    assert value(ruby, "Apache::Headers_in.new['X-Request-Header']", **more) == '"hoge"'


def test_headers_of_the_response(ruby):
    answer = ruby("r = Apache::Request.new\nr.headers_out['X-A'] = '1'\nr.headers_out.add 'X-B', '2'\nr.headers_out.add 'X-B', '3'\nr.err_headers_out['X-C'] = \"t\\tab \\xe9\"")
    assert (answer.headers("X-A"), answer.headers("X-B")) == (["1"], ["2", "3"])
    assert answer.header("X-C") == "t\tab \xe9"


def test_old_header_script(ruby):
    """mod_mruby's own: setting a cookie again adds it, setting another header again replaces it."""
    code = """
r = Apache::Request.new
r.headers_out["Set-Cookie"] = "hoge1"
r.headers_out["Set-Cookie"] = "hoge2"
r.headers_out["X-RESPONSE-HEADER"] = "hogehoge"
r.headers_out["X-RESPONSE-HEADER"] = r.headers_in["X-REQUEST-HEADER"] || "nothing"
"""
    answer = ruby(code)
    assert answer.headers("Set-Cookie") == ["hoge1", "hoge2"] and answer.headers("X-Response-Header") == ["nothing"]
    assert ruby(code, headers={"X-Request-Header": "hoge"}).headers("X-Response-Header") == ["hoge"]


def test_cookies_as_one_hash(ruby):
    assert value(ruby, "(r.headers_out['Set-Cookie'] = 'a=1'; r.headers_out['Set-Cookie'] = 'b=2'; r.headers_out.add('X', '1'); r.headers_out.add('X', '2'); [r.headers_out.all['Set-Cookie'], r.headers_out.all['X']])") == '["a=1\\nb=2", "1, 2"]'


def test_errors_keep_err_headers(ruby):
    answer = ruby("r = Apache::Request.new\nr.headers_out['X-Out'] = '1'\nr.err_headers_out['X-Err'] = '2'\nApache.return 404")
    assert (answer.status, answer.header("X-Out"), answer.header("X-Err")) == (404, None, "2")


def test_content_type(ruby):
    assert ruby("h = Apache::Request.new.headers_out\nh['content-type'] = 'text/csv'\nputs h['Content-Type'], h.key?('content-TYPE'), h.get_all('Content-Type').inspect, Apache.request.content_type").text == 'text/csv\ntrue\n["text/csv"]\ntext/csv\n'
    answer = ruby("Apache::Request.new.headers_out['Content-Type'] = 'text/csv'\nApache.rputs 'a'")
    assert answer.headers("Content-Type") == ["text/csv"]
    assert value(ruby, "(r.headers_out['Content-Type'] = 'a/b'; r.headers_out.delete('Content-Type'); r.content_type)") == "nil"


def test_framing_is_httpd_s(ruby):
    for code in ("r.headers_out['Transfer-Encoding'] = 'chunked'", "r.err_headers_out['transfer-encoding'] = 'chunked'", "r.headers_out['Content-Length'] = 'x'", "r.headers_out['Content-Length'] = '-5'"):
        assert value(ruby, f"(begin; {code}; rescue ArgumentError; 'refused'; end)") == '"refused"'
    answer = ruby("Apache::Request.new.headers_out['Content-Length'] = 3\nApache.rputs 'hello'")
    assert (answer.header("Content-Length"), answer.text) == ("5", "hello")


def test_too_late(ruby):
    code = "r = Apache::Request.new\nApache.rputs 'a'\nApache.flush\nbegin\n r.headers_out['X-Late'] = '1'\nrescue Apache::Error => e\n Apache.rputs e.message\nend"
    answer = ruby(code)
    assert answer.text.startswith("athe headers have been sent already") and answer.header("X-Late") is None


def test_environment(ruby):
    code = "e = Apache::Env.new\nputs e['QUERY_STRING'], e['REQUEST_METHOD'], e['SERVER_SOFTWARE'].class, e['SCRIPT_NAME'], e['FROM_CONF'], e.all['REMOTE_ADDR']"
    assert ruby(code, "GET", "?a=1", name="env.mrb").text.splitlines() == ["a=1", "GET", "String", "/env.mrb", "yes", "127.0.0.1"]
    assert value(ruby, "(r.env['X'] = 'y'; [r.env['X'], Apache::Env.new['X'], r.env['NONE']])") == '["y", "y", nil]'


def test_notes_go_from_phase_to_phase(ruby):
    assert ruby.get("/noted").text == "fixups"
    assert ruby.get("/asked").text == "fixups"
    assert value(ruby, "Apache::Notes.new['by']") == "nil"


def test_long_names(ruby):
    assert value(ruby, "(k = 'k' * 100000; r.notes[k] = 'v'; [r.notes[k], r.notes.key?(k), r.notes.delete(k), r.notes[k]])") == '["v", true, "v", nil]'


def test_changed_while_walked(ruby):
    assert value(ruby, "(n = 0; r.notes['a'] = '1'; r.notes.each { |k, v| n += 1; 100.times { |i| r.notes[\"x#{i}\"] = 'y' }; r.notes.delete(k) }; n)") == "1"


def test_memory_of_tables_is_the_script_s(ruby):
    """What httpd keeps for a script counts as its memory."""
    answer = ruby("t = Apache::Request.new.notes\nbig = 'x' * 1_000_000\nloop { t.add('a', big) }")
    assert answer.status == 500
    assert ruby("puts 'next'").text == "next\n"
