"""Apache's own methods and constants, and what they share with mod_mruby's."""

import re

import pytest

from server import WIRES

ON = WIRES
HEADERS = {"/usr/include/apache2/httpd.h", "/usr/include/apache2/http_log.h"}
CONF = """
LogLevel debug
<Location /native>
  SetHandler mruby-native-script
  MrubyHandlerCode "Apache.rputs 'native ' + Apache.phase"
</Location>
<Location /fixups>
  MrubyFixupsCode "Apache.return 403"
</Location>
<Location /logged>
  MrubyLogTransactionCode "begin; Apache.rputs 'x'; rescue Apache::PhaseError => e; Apache.log Apache::APLOG_NOTICE, e.message; end"
</Location>
"""


def test_hello(ruby):
    answer = ruby("require 'Apache'\nApache.rputs(\"hello world!\")\n")
    assert (answer.status, answer.text) == (200, "hello world!")


@pytest.mark.parametrize("call, text", [("rputs", "a1b"), ("write", "a1b"), ("echo", "a\n1\nb\n")])
def test_printing(ruby, call, text):
    assert ruby(f"Apache.{call} 'a'\nApache.{call} 1\nApache.{call}(:b)").text == text


def test_prints_bytes(ruby):
    assert ruby('Apache.rputs "a\\0b\\xff"').body == b"a\0b\xff"


def test_prints_what_to_s_says(ruby):
    assert ruby("class C; def to_s; 'mine'; end; end\nApache.rputs C.new").text == "mine"


def test_to_s_that_raises(ruby):
    assert ruby("class C; def to_s; raise 'no'; end; end\nApache.rputs 'before'\nApache.rputs C.new").status == 500


def test_result_of_rputs(ruby):
    assert ruby("Apache.rputs(Apache.rputs('a') == Apache)").text == "atrue"


@pytest.mark.parametrize("size", [0, 1, 16383, 16384, 65535, 65536, 65537, 1 << 20])
def test_sizes(ruby, size):
    assert ruby(f"Apache.rputs 'x' * {size}").body == b"x" * size


def test_flush(ruby):
    assert ruby("Apache.rputs 'a'\nok = Apache.flush\nApache.rputs ok").text == "atrue"


def test_request_and_response(ruby):
    code = "p [Apache.request, Apache.response, Apache.connection, Apache.server].map { |x| x.class }"
    assert ruby(code).text == "[Apache::Request, Apache::Response, Apache::Connection, Apache::Server]\n"


# Answers -------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code, status", [("Apache::OK", 200), ("200", 200), ("404", 404), ("Apache::HTTP_SERVICE_UNAVAILABLE", 503), ("201", 201), ("Apache::DONE", 200)])
def test_return(ruby, code, status):
    assert ruby(f"Apache.return {code}").status == status


def test_return_does_not_end_the_script(ruby):
    assert ruby("Apache.return Apache::OK\nApache.rputs 'still here'").text == "still here"


def test_last_return_counts(ruby):
    assert ruby("Apache.return 404\nApache.return Apache::OK\nApache.rputs 'x'").text == "x"


def test_output_of_a_refusal_is_dropped(ruby):
    answer = ruby("Apache.rputs 'secret'\nApache.return 403")
    assert answer.status == 403 and b"secret" not in answer.body


@pytest.mark.parametrize("status", [299, 418, 599])
def test_answers_without_a_name(ruby, status):
    """httpd makes 500 of a status that it has no words for."""
    answer = ruby(f"Apache.rputs 'tea'\nApache.return {status}")
    assert answer.status == status and (answer.text == "tea") == (status == 299)


def test_hook_s_answer_without_a_name(make_httpd):
    httpd = make_httpd()
    httpd.start('MrubyAccessCheckerCode "Apache.return 418"')
    assert httpd.get("/").status == 418


@pytest.mark.parametrize("code", ["99", "600", "-3", "Apache::SUSPENDED", "1 << 40"])
def test_answers_that_are_none(ruby, code):
    assert ruby(f"begin; Apache.return({code}); rescue ArgumentError => e; puts e.message; end").text.endswith("is no answer that handler can give: Apache::OK, DECLINED, DONE, or an HTTP status\n")


@pytest.mark.parametrize("code", ["nil", "'404'", "[]", "Object.new"])
def test_answers_of_other_types(ruby, code):
    assert ruby(f"begin; Apache.return({code}); rescue TypeError => e; puts 'TypeError'; end").text == "TypeError\n"


SENT = "Apache.rputs 'x'; Apache.flush; "


@pytest.mark.on(["event"])
@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("Apache.return 150", "the script answered 150, which a handler cannot: Apache.return takes OK, DONE, DECLINED or a status from 200 to 599"),
        (SENT + "Apache.return 404", "the script answered 404 after a part of the response was sent as 200: it can before it flushes or has printed 64 KB"),
        (SENT + "Apache.return Apache::DECLINED", "the script answered DECLINED after a part of the response was sent: it can before it flushes or has printed 64 KB"),
        ("Apache.request.internal_redirect '/'; " + SENT, "internal_redirect is of no use after a part of the response was sent: the script can redirect before it flushes or has printed 64 KB"),
    ],
)
def test_wrong_answers_are_told(ruby, file_server, code, told):
    """The phase, where its script is, and what to do."""
    path = ruby.page("wrong.mrb", code)
    with file_server.raw() as raw:  # some end in the middle
        raw.send(f"GET {path} HTTP/1.0\r\n\r\n".encode())
        raw.read_all()
    assert f"mruby: handler: {file_server.docroot}{path}: {told}" in file_server.wait_log("mruby: handler:")


def test_hook(ruby):
    assert ruby.get("/fixups").status == 403


def test_phase(ruby):
    assert ruby.get("/native").text == "native handler"
    assert ruby("puts Apache.phase").text == "handler\n"


def test_printing_in_the_log_phase(ruby):
    ruby.get("/logged")
    assert "(this script runs as log_transaction)" in ruby.server.wait_log("the response has been sent already")


# The server ----------------------------------------------------------------------------------------------------------------------


def test_names(ruby):
    text = ruby("puts Apache.module_name, Apache.module_version, Apache.server_version, Apache.server_build, server_name, get_server_class").text
    name, version, server, build, product, of = text.splitlines()
    assert name == "mod_mruby" and re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert server.startswith("Apache") and re.match(r"\d{4}-\d\d-\d\d", build)
    assert (product, of) == ("Apache", "Apache")


def test_thread(ruby):
    assert int(ruby("puts Apache.get_tid").text) > 1


def test_old_ones(ruby):
    text = ruby("$x = 1\nputs Apache.remove_global_variable(:$x).include?(:$x), $x.inspect, Apache.count_arena.class").text
    assert text == "false\nnil\nInteger\n"


def test_constants(ruby):
    """All that httpd names; the numbers are httpd's."""
    known = {}
    for header in HEADERS:
        try:
            known |= dict(re.findall(r"#define\s+(HTTP_[A-Z_]+|M_[A-Z_]+|OK|DECLINED|DONE|SUSPENDED)\s+(-?\d+)\b", open(header).read()))
        except FileNotFoundError:
            pytest.skip(f"not proven: {header} is not here")
    assert len(known) > 80
    text = ruby("\n".join(f'puts "{name} #{{Apache::{name}}}"' for name in known)).text
    assert dict(line.split() for line in text.splitlines()) == known
    more = {"APLOG_EMERG": 0, "APLOG_ALERT": 1, "APLOG_CRIT": 2, "APLOG_ERR": 3, "APLOG_WARNING": 4, "APLOG_NOTICE": 5, "APLOG_INFO": 6, "APLOG_DEBUG": 7}
    more |= {name[2:]: value for name, value in more.items()} | {"LOG_WARN": 4, "PROXYREQ_NONE": 0, "PROXYREQ_PROXY": 1, "PROXYREQ_REVERSE": 2, "PROXYREQ_RESPONSE": 3}
    text = ruby("\n".join(f'puts "{name} #{{Apache::{name}}}"' for name in more)).text
    assert {name: int(value) for name, value in (line.split() for line in text.splitlines())} == more


# Messages ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", ["Apache.log", "Apache.errlogger", "Apache.request.log", "Apache.request.error_log"])
def test_log(ruby, call):
    mark = f"said by {call}"
    assert ruby(f"{call} Apache::APLOG_ERR, '{mark}'\n{call} '{mark} at notice'").status == 200
    assert "[mruby:error]" in ruby.server.wait_log(mark)
    assert "[mruby:notice]" in ruby.server.wait_log(mark + " at notice")


def test_log_takes_anything(ruby):
    assert ruby('Apache.log "bytes \\0\\xff\\n [core:error] forged"\nApache.log nil\nApache.log 3, [1]\nApache.log "x" * 100000').status == 200
    assert "forged" in ruby.server.wait_log("bytes ")


@pytest.mark.parametrize("arguments, error", [("", "ArgumentError"), ("1, 2, 3", "ArgumentError"), ("99, 'x'", "ArgumentError"), ("-1, 'x'", "ArgumentError"), ("'x', 'x'", "TypeError")])
def test_log_refuses(ruby, arguments, error):
    assert ruby(f"begin; Apache.log({arguments}); rescue => e; puts e.class; end").text == error + "\n"


def test_syslog(ruby):
    assert ruby("Apache.syslog Apache::LOG_DEBUG, 'x'\nApache.syslogger 7, 'y'\nputs 'ok'").text == "ok\n"
    assert ruby("begin; Apache.syslog 99, 'x'; rescue ArgumentError; puts 'refused'; end").text == "refused\n"


def test_sleep(ruby):
    """Sleeping is the script's time."""
    assert ruby("a = Time.now\nApache.sleep 0.05\nputs Time.now - a >= 0.05, Apache.sleep(0), sleep(0.01)").text == "true\n0\n0\n"
    assert ruby("begin; Apache.sleep(-1); rescue ArgumentError; puts 'refused'; end").text == "refused\n"
    assert ruby("begin; Apache.sleep(0.0 / 0); rescue ArgumentError; puts 'refused'; end").text == "refused\n"


def test_sleep_ends_with_the_script_s_time(httpd):
    httpd.page("sleep.mrb", "begin; Apache.sleep 1e6; rescue Exception; end\nputs 'woke'")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nMrubyTimeout 200ms')
    assert httpd.get("/sleep.mrb").status == 500


def test_without_a_request(httpd):
    """While the VM is made."""
    httpd.script("init.rb", "Apache.log 'said by init'\n$said = [:request, :response, :flush, :phase].map { |m| begin; Apache.__send__(m); rescue Apache::Error => e; e.class; end } + [Apache::Request, Apache::Notes, Apache::Filter].map { |c| begin; c.new; rescue Apache::Error => e; e.class; end }\n")
    httpd.page("said.mrb", "puts $said.inspect")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nMrubyInit "${ROOT}/scripts/init.rb"\n')
    assert httpd.get("/said.mrb").text == "[" + ", ".join(["Apache::Error"] * 7) + "]\n"
    httpd.wait_log("said by init")
