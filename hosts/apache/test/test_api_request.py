"""Apache::Request: what it tells and what can be set."""

import pytest

from server import WIRES

ON = WIRES
CONF = """
<Location /whole>
  SetHandler mruby-native-script
  MrubyHandlerCode "r = Apache::Request.new; puts r.uri, r.args.inspect, r.unparsed_uri, r.path_info.inspect, r.filename"
</Location>
<Location /file/>
  SetHandler mruby-script
</Location>
AcceptPathInfo On
<Location /translated>
  MrubyFixupsCode "r = Apache::Request.new; r.filename = r.document_root + '/plain.txt'"
</Location>
<Location /who>
  MrubyFixupsCode "r = Apache::Request.new; r.user = 'bilbo'; r.ap_auth_type = 'Mine'; r.handler = 'mruby-native-script'"
  MrubyHandlerCode "r = Apache::Request.new; puts r.user, r.ap_auth_type, r.handler"
</Location>
<Location /proxied>
  MrubyTranslateNameCode "Apache::Request.new.reverse_proxy 'http://127.0.0.1:${PORT}/plain.txt'; Apache.return Apache::OK"
</Location>
"""
SETTINGS = {"modules": ("proxy", "proxy_http")}
FILES = {"plain.txt": "plain text"}


def value(ruby, code: str, *arguments, **more) -> str:
    return ruby(f"r = Apache::Request.new\nputs(({code}).inspect)", *arguments, **more).text.rstrip("\n")


@pytest.mark.parametrize(
    "code, text",
    [
        ("r.method", '"GET"'),
        ("r.method_number == Apache::M_GET", "true"),
        ("r.args", '"a=1&b=%202"'),
        ("r.hostname", '"127.0.0.1"'),
        ("r.scheme", '"http"'),
        ("r.https?", "false"),
        ("r.is_https?", "false"),
        ("r.user", "nil"),
        ("r.ap_auth_type", "nil"),
        ("r.auth_type", "nil"),
        ("r.auth_name", "nil"),
        ("r.handler", '"mruby-script"'),
        ("r.path_info", '""'),
        ("r.status", "200"),
        ("r.status_line", "nil"),
        ("r.content_type", "nil"),
        ("r.content_encoding", "nil"),
        ("r.content_length", "0"),
        ("r.clength", "0"),
        ("r.range", "nil"),
        ("r.vlist_validator", "nil"),
        ("r.proxyreq", "0"),
        ("r.header_only", "0"),
        ("r.header_only?", "false"),
        ("r.assbackwards", "0"),
        ("r.chunked", "0"),
        ("r.read_body", "0"),
        ("r.read_chunked", "0"),
        ("r.eos_sent", "0"),
        ("r.no_cache", "0"),
        ("r.no_local_copy", "0"),
        ("r.sent_bodyct", "0"),
        ("r.bytes_sent", "0"),
        ("r.remaining", "0"),
        ("r.main?", "false"),
        ("r.sub_request?", "false"),
        ("r.prev?", "false"),
        ("r.internal_redirect?", "false"),
        ("r.next?", "false"),
        ("r.external_redirect?", "false"),
        ("r.initial?", "true"),
        ("r.remote_ip", '"127.0.0.1"'),
        ("r.useragent_ip", '"127.0.0.1"'),
        ("r.get?", "true"),
        ("r.post?", "false"),
        ("r.head?", "false"),
        ("r.mtime.class", "Integer"),
        ("r.used_path_info.class", "Integer"),
        ("r.request_time > 1_600_000_000", "true"),
        ("r.response_time >= 0 && r.response_time < 60", "true"),
        ("r.etag.class", "String"),
        ("r.headers_in.class", "Apache::Headers_in"),
        ("r.headers.class", "Apache::Headers_in"),
        ("r.headers_out.class", "Apache::Headers_out"),
        ("r.err_headers_out.class", "Apache::Err_headers_out"),
        ("r.headers_err.class", "Apache::Err_headers_out"),
        ("r.notes.class", "Apache::Notes"),
        ("r.env.class", "Apache::Env"),
        ("r.finfo.class", "Apache::Finfo"),
        ("r.connection.class", "Apache::Connection"),
        ("r.server.class", "Apache::Server"),
    ],
)
def test_reads(ruby, code, text):
    assert value(ruby, code, "GET", "?a=1&b=%202") == text


def test_protocol(ruby, protocol):
    said = ["HTTP/2.0", 2000] if protocol == "h2c" else ["HTTP/1.1", 1001]
    assert value(ruby, "[r.protocol, r.proto_num, r.the_request.split(' ')[2]]") == f'["{said[0]}", {said[1]}, "{said[0]}"]'


def test_addresses(ruby):
    code = "r = Apache::Request.new\nputs r.uri, r.unparsed_uri, r.url, r.port, r.filename, r.canonical_filename, r.document_root, r.inspect"
    server = ruby.server
    text = ruby(code, "GET", "?q=1", name="address.mrb").text.splitlines()
    root = str(server.docroot)
    assert text == [
        "/address.mrb",
        "/address.mrb?q=1",
        f"http://127.0.0.1:{server.port}/address.mrb?q=1",
        str(server.port),
        f"{root}/address.mrb",
        f"{root}/address.mrb",
        root,
        "#<Apache::Request GET /address.mrb?q=1>",
    ]


def test_without_a_query(ruby):
    assert value(ruby, "r.args") == "nil"
    assert ruby.get("/whole").text.splitlines()[:4] == ["/whole", "nil", "/whole", '"/whole"'] or ruby.get("/whole").status == 200


def test_path_info(ruby):
    ruby("puts 'x'", name="info.mrb")
    ruby.server.page("info.mrb", "puts Apache::Request.new.path_info, Apache::Request.new.uri")
    assert ruby.get("/info.mrb/a/b").text == "/a/b\n/info.mrb/a/b\n"


@pytest.mark.parametrize(
    "name",
    "the_request protocol hostname method unparsed_uri uri args path_info canonical_filename handler user ap_auth_type content_encoding vlist_validator range".split(),
)
def test_writes(ruby, name):
    assert value(ruby, f"r.{name} = 'New-1'; r.{name}") == '"New-1"'
    assert value(ruby, f"r.{name} = :sym; r.{name}") == '"sym"'
    assert value(ruby, f"begin; r.{name} = \"a\\0b\"; rescue ArgumentError; 'refused'; end") == '"refused"'
    for wrong in ("[]", "1.5", "Object.new", "{}"):
        assert value(ruby, f"begin; r.{name} = {wrong}; rescue TypeError; 'refused'; end") == '"refused"'


@pytest.mark.parametrize("name", "the_request protocol hostname method unparsed_uri uri path_info filename canonical_filename document_root".split())
def test_nil_is_refused(ruby, name):
    assert value(ruby, f"begin; r.{name} = nil; rescue TypeError; 'refused'; end") == '"refused"'


@pytest.mark.parametrize("name", "args handler user ap_auth_type content_encoding vlist_validator range content_type".split())
def test_nil_takes_away(ruby, name):
    assert value(ruby, f"r.{name} = 'x'; r.{name} = nil; r.{name}") == "nil"


@pytest.mark.parametrize("name", "the_request protocol hostname handler user ap_auth_type content_encoding vlist_validator range content_type status_line".split())
def test_lines(ruby, name):
    for wrong in ('"a\\r\\nb"', '"a\\nb"', '"\\e"', '"\\x7f"'):
        assert value(ruby, f"begin; r.{name} = {wrong}; rescue ArgumentError; 'refused'; end") == '"refused"'


def test_method_changes_its_number(ruby):
    assert value(ruby, "r.method = 'DELETE'; [r.method, r.method_number == Apache::M_DELETE]") == '["DELETE", true]'


def test_status(ruby):
    answer = ruby("r = Apache::Request.new\nr.status = 418\nApache.rputs 'tea'")
    assert (answer.status, answer.text) == (418, "tea")


@pytest.mark.parametrize("wrong, error", [("99", "ArgumentError"), ("100", "ArgumentError"), ("101", "ArgumentError"), ("199", "ArgumentError"), ("600", "ArgumentError"), ("-1", "ArgumentError"), ("nil", "TypeError"), ("'200'", "TypeError"), ("[]", "TypeError")])
def test_status_refuses(ruby, wrong, error):
    assert value(ruby, f"begin; r.status = {wrong}; rescue => e; e.class; end") == error


def test_status_line(ruby):
    answer = ruby("r = Apache::Request.new\nr.status_line = '299 Fine'\nApache.rputs r.status")
    assert (answer.status, answer.text) == (299, "299")
    for wrong in ("x", "20", "2000", "999 Much", "", "100 Continue", "101 x", "199"):
        assert value(ruby, f"begin; r.status_line = '{wrong}'; rescue ArgumentError; 'refused'; end") == '"refused"'


def test_content_type(ruby):
    assert ruby("Apache::Request.new.content_type = 'text/csv'\nApache.rputs 'a,b'").header("Content-Type") == "text/csv"
    assert ruby("Apache.rputs 'a'").header("Content-Type") == "text/html; charset=utf-8"


def test_content_length(ruby):
    assert value(ruby, "r.content_length = 5; r.content_length = 2; [r.content_length, r.headers_out['Content-Length']]")
    for wrong in ("'-1'", "-1", "'5x'", "''", "'99999999999999999999'"):
        assert value(ruby, f"begin; r.content_length = {wrong}; rescue ArgumentError; 'refused'; end") == '"refused"'


@pytest.mark.parametrize("said", [1, 5, 500])
def test_wrong_content_length_is_put_right(ruby, said):
    """The next response of the connection would begin in the middle of this one."""
    answer = ruby(f"Apache::Request.new.content_length = {said}\nApache.rputs 'hello'")
    assert (answer.header("Content-Length"), answer.text) == ("5", "hello")


def test_document_root_of_this_request(ruby):
    assert value(ruby, "was = r.document_root; r.document_root = '/tmp'; [r.document_root, Apache::Server.new.document_root, r.document_root = was]").startswith('["/tmp", "/tmp", ')
    assert value(ruby, "r.document_root == '/tmp'") == "false"


def test_filename_brings_its_finfo(ruby):
    assert ruby.get("/translated").text == "plain text"
    assert value(ruby, "r.filename = r.document_root + '/plain.txt'; [r.finfo.size, r.finfo.file?]") == "[10, true]"
    assert value(ruby, "r.filename = '/nowhere/at/all'; r.finfo.filetype == Apache::Finfo::APR_NOFILE") == "true"


def test_user_and_handler(ruby):
    assert ruby.get("/who").text == "bilbo\nMine\nmruby-native-script\n"


def test_proxyreq(ruby):
    assert value(ruby, "r.proxyreq = Apache::PROXYREQ_REVERSE; r.proxyreq") == "2"
    assert value(ruby, "begin; r.proxyreq = 9; rescue ArgumentError; 'refused'; end") == '"refused"'


def test_reverse_proxy(ruby):
    assert ruby.get("/proxied").text == "plain text"


def test_flags(ruby):
    assert value(ruby, "r.no_cache = true; r.no_local_copy = 1; [r.no_cache, r.no_local_copy, (r.no_cache = 0; r.no_cache)]") == "[1, 1, 0]"


def test_allowed_methods(ruby):
    assert value(ruby, "r.allowed_methods = ['GET', 'POST', 'FROBNICATE']; r.allowed_methods") == '["GET", "POST", "FROBNICATE"]'
    answer = ruby("Apache::Request.new.allowed_methods = %w[GET PUT]\nApache.return 405")
    assert answer.status == 405 and {m.strip() for m in answer.header("Allow").split(",")} >= {"GET", "PUT"}
    for wrong, error in (("nil", "TypeError"), ("'GET'", "TypeError"), ("[nil]", "TypeError"), ("['a b']", "ArgumentError"), ("['']", "ArgumentError")):
        assert value(ruby, f"begin; r.allowed_methods = {wrong}; rescue => e; e.class; end") == error


def test_error_log_into_is_not_there(ruby):
    assert value(ruby, "begin; r.error_log_into('/nowhere/x'); rescue NotImplementedError => e; 'refused'; end") == '"refused"'


def test_run_handler(httpd):
    httpd.page("plain.txt", "plain")
    httpd.start('<Location /plain.txt>\nMrubyFixupsCode "Apache.log Apache::Request.new.run_handler.to_s + \' ran\'; Apache.return Apache::DONE"\n</Location>')
    assert httpd.get("/plain.txt").text == "plain"
    httpd.wait_log("0 ran")


def test_head(ruby):
    answer = ruby("r = Apache::Request.new\nr.headers_out['X-Head'] = r.header_only.to_s\nApache.rputs 'body'", "HEAD")
    assert (answer.status, answer.body, answer.header("X-Head")) == (200, b"", "1")


def test_old_test_script(ruby):
    """What mod_mruby's own demonstration prints."""
    code = """
r = Apache::Request.new
%w[the_request protocol vlist_validator user ap_auth_type unparsed_uri uri filename canonical_filename path_info args hostname
   document_root status_line method range content_type content_length assbackwards proxyreq header_only proto_num status method_number
   chunked read_body read_chunked used_path_info eos_sent no_cache no_local_copy scheme handler content_encoding].each { |name| Apache.echo r.__send__(name) }
s = Apache::Server.new
%w[error_fname document_root loglevel hostname path admin redirect_server_scheme defn_name is_virtual keep_alive_max keep_alive pathlen
   limit_req_line limit_req_fieldsize limit_req_fields timeout keep_alive_timeout redirect_server_port defn_line_number].each { |name| Apache.echo s.__send__(name) }
c = Apache::Connection.new
%w[remote_ip remote_port remote_host remote_logname local_ip local_port local_host keepalives data_in_input_filters].each { |name| Apache.echo c.__send__(name) }
%w[permission mode filetype group user device inode nlink size csize atime ctime mtime].each { |name| Apache.echo r.finfo.__send__(name) }
"""
    answer = ruby(code)
    assert answer.status == 200 and len(answer.text.splitlines()) == 34 + 19 + 9 + 13
