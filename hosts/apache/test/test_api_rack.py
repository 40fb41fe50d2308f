"""`run`: Rack's environment, and every form of its result."""

import pytest

from server import WIRES

ON = WIRES
CONF = """
AcceptPathInfo On
<Location /inline>
  SetHandler mruby-native-script
  MrubyHandlerCode "run ->(env) { [200, {}, [env['SCRIPT_NAME'], '|', env['PATH_INFO'], '|', env['REQUEST_URI'], '|', env['QUERY_STRING']]] }"
</Location>
<Location /two>
  SetHandler mruby-native-script
  MrubyAccessCheckerCode "run ->(env) { env['HTTP_AUTH_TOKEN'] == 'aaa' ? [Apache::DECLINED, { 'x-client-ip' => env['REMOTE_ADDR'] }, []] : [403, { 'x-why' => 'token' }, []] }"
  MrubyHandlerCode "run ->(env) { [200, [], ['OK']] }"
</Location>
<Location /answered>
  MrubyAccessCheckerCode "run ->(env) { [401, { 'content-type' => 'application/json', 'www-authenticate' => 'Mine' }, ['{}']] }"
</Location>
<Location /sent-on>
  MrubyFixupsCode "run ->(env) { [302, { 'location' => '/there', 'set-cookie' => 'a=b' }, []] }"
</Location>
<Location /passed>
  SetHandler mruby-native-script
  MrubyFixupsCode "run ->(env) { [200, { 'x-passed' => 'yes' }, []] }"
  MrubyHandlerCode "Apache.rputs 'handled'"
</Location>
"""
FILES = {
    "env.mrb": "run ->(env) { [200, { 'content-type' => 'application/json' }, [JSON.generate(env.reject { |k, v| k.start_with?('rack.input', 'rack.errors') })]] }",
    "inline": "", "two": "", "answered": "", "sent-on": "", "passed": "",
    "closing.mrb": "b = Object.new\ndef b.each; yield 'a'; raise 'in each'; end\ndef b.close; Apache.log 'body closed'; end\nrun ->(env) { [200, {}, b] }",
}  # fmt: skip


def rack(ruby, result: str, *arguments, before: str = "", **more):
    return ruby(f"{before}\nrun ->(env) {{ {result} }}", *arguments, **more)


def refused(ruby, result: str) -> str:
    return ruby(f"begin\n  run ->(env) {{ {result} }}\nrescue StandardError => e\n  puts e.class, e.message\nend").text


def test_environment(ruby, protocol):
    env = ruby.get("/env.mrb/a/b?c=1&d=2", headers={"X-Hoge": "foo", "Host": "apache.example.com:1234", "Proxy": "evil", "Cookie": "k=v"}).json()
    expected = {
        "REQUEST_METHOD": "GET", "SCRIPT_NAME": "/env.mrb", "PATH_INFO": "/a/b", "QUERY_STRING": "c=1&d=2", "REQUEST_URI": "/env.mrb/a/b?c=1&d=2",
        "SERVER_NAME": "apache.example.com", "SERVER_PROTOCOL": "HTTP/2.0" if protocol == "h2c" else "HTTP/1.1", "SERVER_ADDR": "127.0.0.1", "REMOTE_ADDR": "127.0.0.1", "HTTP_X_HOGE": "foo",
        "HTTP_HOST": "apache.example.com:1234", "HTTP_COOKIE": "k=v", "rack.url_scheme": "http", "rack.version": [3, 0], "rack.multithread": False,
        "rack.multiprocess": True, "rack.run_once": True, "rack.hijack?": False, "server.name": "Apache", "DOCUMENT_ROOT": str(ruby.server.docroot),
    }  # fmt: skip
    assert {key: env.get(key) for key in expected} == expected
    assert env["server.version"].startswith("Apache/") and env["REMOTE_PORT"].isdigit() and env["SERVER_PORT"].isdigit()
    assert "HTTP_PROXY" not in env and "REMOTE_USER" not in env and "CONTENT_TYPE" not in env


def test_run_once(make_httpd):
    """Whether what the app keeps is there when it is called again."""
    httpd = make_httpd(workers=1)
    for name in ("a.mrb", "kept.mrb"):
        httpd.page(name, "$calls = $calls.to_i + 1\nrun ->(env) { [200, {}, [\"#{env['rack.run_once']} #{$calls}\"]] }")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\n<Files kept.mrb>\nMrubyScope thread\n</Files>\n')
    assert [httpd.get("/a.mrb").text for _ in range(2)] == ["true 1", "true 1"]
    assert [httpd.get("/kept.mrb").text for _ in range(2)] == ["false 1", "false 2"]


def test_environment_of_a_post(ruby):
    env = ruby.post("/env.mrb", b"abc", headers={"Content-Type": "text/plain"}).json()
    assert (env["REQUEST_METHOD"], env["CONTENT_TYPE"], env["CONTENT_LENGTH"], env["PATH_INFO"]) == ("POST", "text/plain", "3", "")
    assert "HTTP_CONTENT_TYPE" not in env and "HTTP_CONTENT_LENGTH" not in env


def test_paths_of_inline_code(ruby):
    assert ruby.get("/inline?a").text == "|/inline|/inline?a|a"
    assert ruby.get("/inline").text == "|/inline|/inline|"


@pytest.mark.parametrize(
    "result, status, text",
    [
        ("[200, {}, ['rack body']]", 200, "rack body"),
        ("[200, {}, ['rack', ' ', 'body']]", 200, "rack body"),
        ("[200, {}, 'text']", 200, "text"),
        ("[200, {}, []]", 200, ""),
        ("[200, {}, nil]", 200, ""),
        ("['201', {}, ['x']]", 201, "x"),
        ("[404, [], []]", 404, ""),
        ("[404, {}, ['mine']]", 404, "mine"),
        ("[500, {}, ['mine']]", 500, "mine"),
        ("[418, {}, ['tea']]", 418, "tea"),
        ("[204, {}, ['not sent']]", 204, ""),
        ("[304, {}, ['not sent']]", 304, ""),
        ("[200, {}, [1, :b, nil, 'c']]", 200, "1bc"),
        ("[200, {}, (1..3)]", 200, "123"),
        ("[200, {}, ->(out) { out.write 'a'; out << 'b'; out.flush; out.write 'c', 'd'; out.close }]", 200, "abcd"),
        ("[200, {}, [\"\\0\\xff\".size]]", 200, "2"),
        ("[Apache::OK, {}, []]", 200, ""),
    ],
)
def test_results(ruby, result, status, text):
    answer = rack(ruby, result)
    assert (answer.status, answer.text) == (status, text)


def test_objects_as_apps(ruby):
    assert ruby("class App; def call(env); [200, { 'x-hoge' => 'foo' }, ['rack body']]; end; end\nrun App.new").header("X-Hoge") == "foo"
    assert ruby("run Proc.new { |env| [200, {}, ['proc']] }").text == "proc"


def test_each_and_close(ruby):
    body = "class Body; def each; yield 'a'; yield 'b'; end; def close; Apache.rputs 'closed'; end; end"
    assert rack(ruby, "[200, {}, Body.new]", before=body).text == "abclosed"


def test_closed_after_a_failure(ruby):
    assert ruby.get("/closing.mrb").status == 500
    ruby.server.wait_log("body closed")


@pytest.mark.parametrize(
    "headers, expected",
    [
        ("{ 'X-A' => 'b' }", {"X-A": ["b"]}),
        ("{ 'x-a' => ['1', '2', '3'] }", {"X-A": ["1", "2", "3"]}),
        ("{ 'x-a' => \"1\\n2\" }", {"X-A": ["1", "2"]}),
        ("{ 'set-cookie' => ['a=1', 'b=2'] }", {"Set-Cookie": ["a=1", "b=2"]}),
        ("[['x-a', '1'], ['x-b', '2']]", {"X-A": ["1"], "X-B": ["2"]}),
        ("{ 'x-a' => 5, 'x-b' => nil, 'rack.x' => '1' }", {"X-A": ["5"], "X-B": [], "rack.x": []}),
        ("{ 'content-type' => 'text/csv' }", {"Content-Type": ["text/csv"]}),
        ("{ 'Content-Length' => '4' }", {"Content-Length": ["4"]}),
        ("{ 'Content-Length' => '99' }", {"Content-Length": ["4"]}),
        ("{ 'x-a' => '' }", {"X-A": [""]}),
    ],
)
def test_headers(ruby, headers, expected):
    answer = rack(ruby, f"[200, {headers}, ['body']]")
    assert answer.text == "body" and {name: answer.headers(name) for name in expected} == expected


@pytest.mark.parametrize(
    "result, error",
    [
        ("nil", "TypeError"), ("'x'", "TypeError"), ("[200]", "TypeError"), ("[200, {}]", "TypeError"), ("[200, {}, [], 4]", "TypeError"), ("{}", "TypeError"),
        ("[nil, {}, []]", "TypeError"), ("[2.5, {}, []]", "TypeError"), ("[199, {}, []]", "ArgumentError"), ("[600, {}, []]", "ArgumentError"), ("[-7, {}, []]", "ArgumentError"),
        ("[200, nil, []]", "TypeError"), ("[200, 5, []]", "TypeError"), ("[200, 'x', []]", "TypeError"), ("[200, {5 => 'x'}, []]", "TypeError"), ("[200, {x: 'x'}, []]", "TypeError"),
        ("[200, {'a b' => 'x'}, []]", "ArgumentError"), ("[200, {'a' => \"x\\r\\ny\"}, []]", "ArgumentError"), ("[200, {'a' => {}}, []]", "TypeError"),
        ("[200, {'transfer-encoding' => 'chunked'}, []]", "ArgumentError"), ("[200, {}, 5]", "TypeError"), ("[200, {}, Object.new]", "TypeError"),
    ],
)  # fmt: skip
def test_wrong_shapes(ruby, result, error):
    assert refused(ruby, result).splitlines()[0] == error


@pytest.mark.parametrize("app", ["nil", "5", "Object.new"])
def test_no_app(ruby, app):
    assert ruby(f"begin; run {app}; rescue TypeError => e; puts e.message; end").text == "run takes an app, which responds to call\n"


def test_app_that_raises(ruby):
    assert rack(ruby, "raise 'no'").status == 500


def test_input(ruby):
    code = """
i = env['rack.input']
out = [i.read(2), i.read(2), i.gets, i.gets, i.read, i.read, i.read(1).inspect, i.read(0).inspect, i.gets.inspect, i.size]
i.rewind
i.each { |line| out << line.inspect }
i.rewind
b = 'old'
out << i.read(4, b).dup << b.dup << i.read(nil, b).dup << b.dup << i.read(1, b).inspect << b.inspect
i.close
[200, {}, [out.join('|')]]
"""
    text = ruby(f"run ->(env) {{ {code} }}", "POST", body=b"abcdef\nline\nlast").text
    assert text == 'ab|cd|ef\n|line\n|last||nil|""|nil|16|"abcdef\\n"|"line\\n"|"last"|abcd|abcd|ef\nline\nlast|ef\nline\nlast|nil|""'
    assert ruby("run ->(env) { begin; env['rack.input'].read(-1); rescue ArgumentError; [200, {}, ['refused']]; end }").text == "refused"


def test_input_of_a_get(ruby):
    assert rack(ruby, "[200, {}, [env['rack.input'].read.inspect, env['rack.input'].read(1).inspect]]").text == '""nil'


def test_errors(ruby):
    assert rack(ruby, "e = env['rack.errors']; e.puts 'rack said 1'; e.write 'rack said 2'; e << 'rack said 3'; e.flush; [200, {}, []]").status == 200
    for i in (1, 2, 3):
        assert "[mruby:error]" in ruby.server.wait_log(f"rack said {i}")


def test_streaming(ruby):
    answer = rack(ruby, "[200, {'content-type' => 'text/plain'}, ->(out) { 3.times { |i| out.write i.to_s; out.flush } }]")
    assert (answer.text, answer.header("Content-Type")) == ("012", "text/plain")


def test_head(ruby):
    answer = rack(ruby, "[200, {}, ['body']]", "HEAD")
    assert (answer.status, answer.body) == (200, b"")


def test_hooks(ruby):
    passed = ruby.get("/two", headers={"Auth-Token": "aaa"})
    assert (passed.status, passed.text, passed.header("X-Client-Ip")) == (200, "OK", "127.0.0.1")
    refusal = ruby.get("/two")
    assert (refusal.status, refusal.header("X-Why")) == (403, "token")


def test_hook_with_a_body_is_the_response(ruby):
    answer = ruby.get("/answered")
    assert (answer.status, answer.text, answer.header("Content-Type"), answer.header("WWW-Authenticate")) == (401, "{}", "application/json", "Mine")


def test_hook_that_redirects(ruby):
    answer = ruby.get("/sent-on")
    assert (answer.status, answer.header("Location"), answer.headers("Set-Cookie")) == (302, "/there", ["a=b"])


def test_hook_that_lets_pass(ruby):
    answer = ruby.get("/passed")
    assert (answer.text, answer.header("X-Passed")) == ("handled", "yes")
