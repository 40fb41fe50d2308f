"""Hooks, filters and authentication over every MPM and protocol: each phase has its own run, on the thread that httpd gives it."""

import base64

import pytest

CONF = """
MrubyPostReadRequestFirstCode "Apache.request.notes['read'] = 'yes'"
MrubyTranslateNameFirstCode "r = Apache.request; r.uri == '/virtual' ? (r.filename = r.document_root + '/page.html'; Apache.return(Apache::OK)) : Apache.return(Apache::DECLINED)"
<Location /fixed.html>
  MrubyFixupsMiddleCode "r = Apache.request; r.headers_out['X-Hook'] = [r.uri, r.notes['read'], $seen.inspect].join(' '); $seen = true"
  MrubyLogTransactionMiddleCode "r = Apache.request; Apache.log Apache::APLOG_NOTICE, ['logged', r.status, r.args].join(' ')"
</Location>
<Location /locked.html>
  MrubyAccessCheckerMiddleCode "Apache.return(Apache.request.headers_in['X-Key'] == 'yes' ? Apache::DECLINED : Apache::HTTP_FORBIDDEN)"
</Location>
<Location /raises.html>
  MrubyFixupsMiddleCode "raise 'in a hook'"
</Location>
<Location /loops.html>
  MrubyTimeout 100ms
  MrubyFixupsMiddleCode "loop { }"
</Location>
<Location /upper.html>
  SetOutputFilter mruby
  MrubyOutputFilterCode "f = Apache::Filter.new; f.body = f.body.upcase"
</Location>
<Location /echo.mrb>
  SetInputFilter mruby
  MrubyInputFilterCode "f = Apache::Filter.new; f.body = f.body.reverse"
</Location>
<Location /private.html>
  AuthType Basic
  AuthName here
  AuthBasicProvider mruby
  MrubyAuthnCheckPasswordCode "a = Apache::AuthnProvider.new; Apache.return(a.password == a.user * 2 ? Apache::AuthnProvider::AUTH_GRANTED : Apache::AuthnProvider::AUTH_DENIED)"
  Require valid-user
</Location>
"""
FILES = {f"{name}.html": name for name in ("page", "fixed", "locked", "raises", "loops", "upper", "private")}
FILES["echo.mrb"] = "Apache.rputs Apache.request.body"


def test_fixups_and_log(wire):
    tag = f"{wire.server.mpm}-{wire.protocol}"
    for i in range(3):
        answer = wire.get(f"/fixed.html?{tag}{i}")
        assert (answer.status, answer.text, answer.header("X-Hook")) == (200, "fixed", "/fixed.html yes nil")
    wire.server.wait_log(f"logged 200 {tag}2")


def test_translated(wire):
    assert wire.get("/virtual").text == "page"
    assert wire.get("/page.html").text == "page"


def test_access(wire):
    assert wire.get("/locked.html").status == 403
    assert wire.get("/locked.html", headers={"X-Key": "yes"}).text == "locked"


@pytest.mark.parametrize("name", ["raises", "loops"])
def test_a_hook_that_fails(wire, name):
    answer = wire.get(f"/{name}.html")
    assert answer.status == 500 and "hook" not in answer.text
    assert wire.get("/page.html").text == "page"


def test_filters(wire):
    assert wire.get("/upper.html").text == "UPPER"
    assert wire.post("/echo.mrb", b"body").text == "ydob"


def test_authentication(wire):
    def signed(text: str) -> dict:
        return {"Authorization": "Basic " + base64.b64encode(text.encode()).decode()}

    assert wire.get("/private.html").status == 401
    assert wire.get("/private.html", headers=signed("me:you")).status == 401
    assert wire.get("/private.html", headers=signed("me:meme")).text == "private"
