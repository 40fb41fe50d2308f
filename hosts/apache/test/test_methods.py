"""Which methods reach a script: those that httpd's own handlers for pages of this kind take, others when the script says so."""

import pytest

from server import WIRES

ON = WIRES
CODE = "Apache.rputs Apache::Request.new.method"
CONF = "<Location /open.mrb>\nMrubyMethods GET POST DELETE PROPFIND\n</Location>"
FILES = {"a.mrb": CODE, "open.mrb": CODE}


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_usual_methods(ruby, method):
    answer = ruby.request(method, "/a.mrb", body=b"" if method == "POST" else None)
    assert (answer.status, answer.text) == (200, method)


def test_head(ruby):
    answer = ruby.request("HEAD", "/a.mrb")
    assert (answer.status, answer.body) == (200, b"")


def test_options_says_what_is_allowed(ruby):
    answer = ruby.request("OPTIONS", "/a.mrb")
    assert answer.status == 405
    allowed = {name.strip() for name in answer.header("Allow").split(",")}
    assert {"GET", "HEAD", "POST"} <= allowed  # and TRACE, if httpd's TraceEnable says so


@pytest.mark.parametrize("method", ["NONSENSE", "get", "CONNECTX", "MKCOL"])
def test_unknown_methods_do_not_run(ruby, method):
    answer = ruby.request(method, "/a.mrb")
    assert answer.status in (400, 405, 501)
    assert method not in answer.text.split("<body>")[0]


def test_more_methods_where_they_are_named(ruby):
    for method in ("GET", "POST", "DELETE", "PROPFIND"):
        answer = ruby.request(method, "/open.mrb", body=b"" if method == "POST" else None)
        assert (answer.status, answer.text) == (200, method)
    refused = ruby.request("PUT", "/open.mrb", body=b"")
    assert refused.status == 405 and "DELETE" in refused.header("Allow")
    assert ruby.request("DELETE", "/a.mrb").status == 405


def test_a_method_that_httpd_is_told_of(httpd):
    httpd.page("a.mrb", CODE)
    httpd.start('RegisterHttpMethod BREW\nAddHandler mruby-script .mrb\nMrubyMethods GET BREW\n')
    assert [httpd.request(name, "/a.mrb").text for name in ("GET", "BREW")] == ["GET", "BREW"]
    assert httpd.request("POST", "/a.mrb", body=b"").status == 405


def test_trace_is_httpd_s(ruby):
    """Never the script's: it would show a client's own fields to whom they are hidden from."""
    answer = ruby.request("TRACE", "/a.mrb")
    assert (answer.status, answer.header("Content-Type")) == (200, "message/http") and not answer.text.endswith("TRACE")
