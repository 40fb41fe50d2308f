"""Apache::Subrequest: looking up and running other addresses within a request."""

import pytest

from server import WIRES

ON = WIRES
CONF = """
<Location /denied>
  Require all denied
</Location>
<Location /inner>
  SetHandler mruby-native-script
  MrubyHandlerCode "r = Apache.request; Apache.rputs [r.uri, r.args, r.method, r.main?, r.initial?].inspect"
</Location>
<Location /fails>
  SetHandler mruby-native-script
  MrubyHandlerCode "raise 'inner failure'"
</Location>
<Location /late>
  SetHandler mruby-native-script
  MrubyTranslateNameCode "begin; Apache.request.subrequest '/inner'; rescue Apache::PhaseError => e; Apache.log e.message; end"
  MrubyHandlerCode "puts 'late'"
</Location>
"""
FILES = {"part.txt": "[part]", "inner": "", "denied": "", "fails": "", "late": "", "loop.mrb": "puts 'x'\nApache.request.subrequest('/loop.mrb').run"}


def value(ruby, code: str, **more) -> str:
    return ruby(f"r = Apache::Request.new\nputs(({code}).inspect)", **more).text.rstrip("\n")


def test_output_in_order(ruby):
    answer = ruby("Apache.rputs 'before '\nstatus = Apache.request.subrequest('/part.txt').run\nApache.rputs ' after '\nApache.rputs status")
    assert answer.text == "before [part] after 200"


def test_ruby_within_ruby(ruby):
    """Each has a VM of its own."""
    answer = ruby("$x = 1\nApache.rputs '<'\nApache.request.subrequest('/inner?a=1').run\nApache.rputs $x")
    assert answer.text == '<["/inner", "a=1", "GET", true, false]1'


def test_type_of_the_response_is_the_outer_s(ruby):
    assert ruby("Apache.request.subrequest('/part.txt').run").header("Content-Type") == "text/html; charset=utf-8"


def test_lookup(ruby):
    assert value(ruby, "(s = r.lookup_uri('/part.txt'); [s.class, s.status, s.uri, s.finfo.size, s.content_type, s.main?, s.filename == r.document_root + '/part.txt'])") == '[Apache::Subrequest, 200, "/part.txt", 6, "text/plain", true, true]'
    assert value(ruby, "r.subrequest('/nothing').finfo.filetype == Apache::Finfo::APR_NOFILE") == "true"
    assert value(ruby, "r.subrequest('/denied').status") == "403"
    assert value(ruby, "r.subrequest('part.txt').uri") == '"/part.txt"'
    assert value(ruby, "r.subrequest('/inner', 'POST').method") == '"POST"'
    assert value(ruby, "r.lookup_file(r.document_root + '/part.txt').content_type") == '"text/plain"'
    assert value(ruby, "r.lookup_file('/etc/passwd').status") == "403"


def test_what_is_not_there_is_not_run(ruby):
    answer = ruby("Apache.rputs Apache.request.subrequest('/denied').run\nApache.rputs ' '\nApache.rputs Apache.request.subrequest('/nothing').run")
    assert answer.text.startswith("403 ") and answer.text.endswith("404")


def test_headers_of_a_subrequest(ruby):
    assert value(ruby, "(s = r.subrequest('/inner'); s.headers_in['X-Added'] = '1'; [s.headers_in['X-Added'], s.notes.size, s.headers_out.class])").startswith('["1", ')


def test_failure_within(ruby):
    answer = ruby("Apache.rputs 'a'\nstatus = Apache.request.subrequest('/fails').run\nApache.rputs status")
    assert answer.status == 200 and answer.text.startswith("a") and answer.text.endswith("500")
    ruby.server.wait_log("inner failure")


def test_once(ruby):
    assert value(ruby, "(s = r.subrequest('/part.txt'); s.run; begin; s.run; rescue Apache::Error => e; e.message; end)").endswith('"this subrequest has been run: make another one"')


def test_no_body_of_its_own(ruby):
    assert value(ruby, "(begin; r.subrequest('/inner').body; rescue Apache::PhaseError; 'refused'; end)") == '"refused"'


def test_within_itself(ruby):
    """httpd's limit ends it."""
    assert ruby.get("/loop.mrb").status in (200, 500)
    assert ruby("puts 'next'").text == "next\n"


def test_too_early(ruby):
    assert ruby.get("/late").text == "late\n"
    assert "translate_name" in ruby.server.wait_log("subrequests can be made by")


@pytest.mark.parametrize(
    "code, error",
    [("r.subrequest(nil)", "TypeError"), ("r.subrequest('')", "ArgumentError"), ("r.subrequest(\"/a\\0b\")", "ArgumentError"), ("r.subrequest('/a', 'G T')", "ArgumentError"), ("r.subrequest('/a', 1.5)", "TypeError"), ("r.subrequest", "ArgumentError"), ("r.lookup_file('')", "ArgumentError"), ("r.lookup_file(nil)", "TypeError"), ("Apache::Subrequest.new", "NotImplementedError"), ("Apache::Subrequest.new('/x')", "NotImplementedError")],
)
def test_refuses(ruby, code, error):
    assert value(ruby, f"begin; {code}; rescue Exception => e; e.class; end") == error


def test_many(ruby):
    """Each takes memory until the request is over: a run may have so many."""
    assert ruby("r = Apache.request\nloop { r.subrequest('/inner') }").status == 500
    assert ruby("200.times { Apache.request.subrequest('/part.txt').run }").text == "[part]" * 200
