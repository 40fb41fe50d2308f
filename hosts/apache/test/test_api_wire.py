"""The same API over every MPM and protocol."""

import pytest

FILES = {
    "file.txt": "0123456789" * 1000,
    "part.mrb": "Apache.rputs '[' + Apache.request.args.to_s + ']'",
    "send.mrb": "o = Apache::Response.new\no << 'head:'\no.sendfile Apache.request.document_root + '/file.txt'",
    "sub.mrb": "Apache.rputs 'a'\nApache.request.subrequest('/part.mrb?x=1').run\nApache.request.subrequest('/file.txt').run\nApache.rputs 'b'",
    "stream.mrb": "o = Apache::Response.new\no.content_type = 'text/plain'\no.content_length = 3\n20.times { |i| o.write(i.to_s * 5000); o.flush }",
    "form.mrb": "r = Apache::Request.new\nputs r.form['a'], r.query['q'], r.cookies['c'], r.headers_in['x-one'], r.method",
    "pieces.mrb": "n = 0\nApache.request.each_chunk(1000) { |s| n += s.size }\nApache.rputs n",
    "app.mrb": "run ->(env) { [201, { 'x-a' => %w[1 2], 'set-cookie' => ['a=1', 'b=2'] }, [env['PATH_INFO'], '|', env['QUERY_STRING'], '|', env['rack.input'].read]] }",
    "moved.mrb": "Apache.response.set_cookie('s', '1').redirect '/elsewhere', 303",
    "inner.mrb": "Apache.request.internal_redirect '/part.mrb?from=inner'",
    "refused.mrb": "Apache.rputs 'x' * 1000\nApache.request.err_headers_out['X-Why'] = 'because'\nApache.return 403",
}


def test_sendfile(wire):
    answer = wire.get("/send.mrb")
    assert (answer.status, answer.text, answer.header("Content-Length")) == (200, "head:" + FILES["file.txt"], "10005")


def test_subrequests(wire):
    assert wire.get("/sub.mrb").text == "a[x=1]" + FILES["file.txt"] + "b"


def test_streaming(wire):
    answer = wire.get("/stream.mrb")
    assert answer.text == "".join(str(i) * 5000 for i in range(20)) and answer.header("Content-Length") is None
    assert wire.get("/part.mrb").text == "[]"


def test_parameters(wire):
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": "c=d", "X-One": "1"}
    assert wire.post("/form.mrb?q=2", b"a=1", headers=headers).text == "1\n2\nd\n1\nPOST\n"


def test_body_in_pieces(wire):
    assert wire.post("/pieces.mrb", b"x" * 100_000).text == "100000"
    assert wire.post("/pieces.mrb", b"").text == "0"


def test_rack(wire):
    answer = wire.post("/app.mrb?a=b", b"body")
    assert (answer.status, answer.text) == (201, "|a=b|body")
    assert (answer.headers("X-A"), answer.headers("Set-Cookie")) == (["1", "2"], ["a=1", "b=2"])


def test_redirections(wire):
    answer = wire.get("/moved.mrb")
    assert (answer.status, answer.header("Location"), answer.header("Set-Cookie")) == (303, "/elsewhere", "s=1")
    assert wire.get("/inner.mrb").text == "[from=inner]"


def test_refusal(wire):
    answer = wire.get("/refused.mrb")
    assert (answer.status, answer.header("X-Why")) == (403, "because") and b"xxxx" not in answer.body
