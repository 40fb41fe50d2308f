"""The provider for httpd's own Basic and Digest authentication: AuthBasicProvider mruby."""

import base64
import hashlib
import re
import subprocess

import pytest

from server import WIRES, Server

ON = WIRES
CHECK = """
users = {'user1' => 'passwd', 'ünï' => 'pässwörd'}
a = Apache::AuthnProvider.new
if users[a.user] == a.password
  Apache.return Apache::AuthnProvider::AUTH_GRANTED
elsif users[a.user]
  Apache.return Apache::AuthnProvider::AUTH_DENIED
else
  Apache.return Apache::AuthnProvider::AUTH_USER_NOT_FOUND
end
"""


def protected(directives: str) -> str:
    return f'<Location "/private">\nAuthType Basic\nAuthName "here"\nAuthBasicProvider mruby\n{directives}\nRequire valid-user\n</Location>'


def basic(user: str, password: str) -> dict:
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


@pytest.fixture
def by_file(httpd: Server) -> Server:
    httpd.script("check.rb", CHECK)
    httpd.page("private/page.html", "private")
    return httpd.start(protected('MrubyAuthnCheckPassword "${ROOT}/scripts/check.rb"'))


def test_basic(by_file):
    assert by_file.get("/private/page.html").status == 401
    assert by_file.get("/private/page.html", headers=basic("user1", "wrong")).status == 401
    assert by_file.get("/private/page.html", headers=basic("nobody", "passwd")).status == 401
    assert by_file.get("/private/page.html", headers=basic("user1", "passwd")).text == "private"


def test_names_and_passwords_are_bytes(by_file):
    assert by_file.get("/private/page.html", headers=basic("ünï", "pässwörd")).text == "private"


def test_by_code(httpd):
    httpd.page("private/page.html", "private")
    code = "a = Apache::AuthnProvider.new; Apache.return(a.password == a.user + '!' ? Apache::AuthnProvider::AUTH_GRANTED : Apache::AuthnProvider::AUTH_DENIED)"
    httpd.start(protected(f'MrubyAuthnCheckPasswordCode "{code}"'))
    assert httpd.get("/private/page.html", headers=basic("me", "me!")).text == "private"
    assert httpd.get("/private/page.html", headers=basic("me", "me")).status == 401


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("", 401),  # says nothing: denied
        ("1", 401),
        ("Apache.return Apache::AuthnProvider::AUTH_USER_FOUND", 401),  # found is not granted
        ("Apache.return Apache::OK", 401),  # the same number as AUTH_DENIED
        ("Apache.return Apache::DECLINED", 500),  # no answer of a provider
        ("Apache.return Apache::AuthnProvider::AUTH_GENERAL_ERROR", 500),
        ("raise 'broken'", 500),
        ("raise Exception, 'broken'", 500),
        ("while true; end", 500),
        ("def f; f; end; f", 500),
        ("x = (", 500),
    ],
)
def test_only_granted_is_granted(httpd, code, status):
    """Whatever goes wrong keeps the door shut."""
    httpd.script("check.rb", "")
    httpd.page("private/page.html", "private")
    httpd.start(protected('MrubyTimeout 1\nMrubyAuthnCheckPassword "${ROOT}/scripts/check.rb"'))
    httpd.script("check.rb", code)
    answer = httpd.get("/private/page.html", headers=basic("user1", "passwd"))
    assert answer.status == status
    assert "broken" not in answer.text and "private" not in answer.text


@pytest.mark.on(["event"])
def test_wrong_answers_are_told(make_httpd):
    """The phase, where its code is, and what to do: a script's file, or the configuration's line."""
    httpd = make_httpd(modules=("auth_digest",))
    file = httpd.script("check.rb", "Apache.response.redirect '/'")
    code = httpd.write("conf/realm.conf", '<Location "/digest">\nAuthType Digest\nAuthName "here"\nAuthDigestProvider mruby\nMrubyAuthnGetRealmHashCode "Apache.return Apache::AuthnProvider::AUTH_USER_FOUND"\nRequire valid-user\n</Location>\n')
    httpd.start(protected('MrubyAuthnCheckPassword "${ROOT}/scripts/check.rb"') + '\nInclude "${ROOT}/conf/realm.conf"')
    assert httpd.get("/private/page.html", headers=basic("a", "b")).status == 500
    told = f"mruby: check_password: {file}: the script answered 302, which a provider cannot: Apache.return takes Apache::AuthnProvider::AUTH_..."
    assert told in httpd.wait_log("mruby: check_password:")
    nonce = re.search(r'nonce="([^"]+)"', httpd.get("/digest").header("WWW-Authenticate"))[1]
    assert httpd.get("/digest", headers={"Authorization": f'Digest username="a", realm="here", nonce="{nonce}", uri="/digest", qop=auth, nc=00000001, cnonce="abc", response="{"0" * 32}"'}).status == 500
    assert f"mruby: realm_hash: {code}:5: the script found the user, but gave no hash: it has to set rethash" in httpd.wait_log("mruby: realm_hash:")


def test_script_that_is_not_there_denies(httpd):
    httpd.page("private/page.html", "private")
    path = httpd.script("check.rb", "Apache.return Apache::AuthnProvider::AUTH_GRANTED")
    httpd.start(protected('MrubyAuthnCheckPassword "${ROOT}/scripts/check.rb"'))
    assert httpd.get("/private/page.html", headers=basic("a", "b")).status == 200
    path.unlink()
    assert httpd.get("/private/page.html", headers=basic("a", "b")).status == 500


def test_without_a_script_denies(httpd):
    httpd.page("private/page.html", "private")
    httpd.start(protected(""))
    assert httpd.get("/private/page.html", headers=basic("a", "b")).status in (401, 500)


def test_user_is_set_for_later_hooks(httpd):
    httpd.script("check.rb", CHECK)
    httpd.page("private/who.mrb", "Apache.rputs Apache::Request.new.user")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\n' + protected('MrubyAuthnCheckPassword "${ROOT}/scripts/check.rb"'))
    assert httpd.get("/private/who.mrb", headers=basic("user1", "passwd")).text == "user1"


def test_digest(make_httpd):
    """The script gives the hash of user:realm:password; httpd does the rest."""
    httpd = make_httpd(modules=("auth_digest",))
    ha1 = hashlib.md5(b"user1:here:passwd").hexdigest()
    httpd.script("realm.rb", f"a = Apache::AuthnProvider.new\nif a.user == 'user1' && a.realm == 'here'\n  a.rethash = '{ha1}'\n  Apache.return Apache::AuthnProvider::AUTH_USER_FOUND\nelse\n  Apache.return Apache::AuthnProvider::AUTH_USER_NOT_FOUND\nend")
    httpd.page("private/page.html", "private")
    httpd.start('<Location "/private">\nAuthType Digest\nAuthName "here"\nAuthDigestProvider mruby\nMrubyAuthnGetRealmHash "${ROOT}/scripts/realm.rb"\nRequire valid-user\n</Location>')
    asked = httpd.get("/private/page.html")
    assert asked.status == 401
    nonce = re.search(r'nonce="([^"]+)"', asked.header("WWW-Authenticate"))[1]

    def digest(user: str, secret: str) -> dict:
        ha2 = hashlib.md5(b"GET:/private/page.html").hexdigest()
        response = hashlib.md5(f"{secret}:{nonce}:00000001:abc:auth:{ha2}".encode()).hexdigest()
        return {"Authorization": f'Digest username="{user}", realm="here", nonce="{nonce}", uri="/private/page.html", qop=auth, nc=00000001, cnonce="abc", response="{response}"'}

    assert httpd.get("/private/page.html", headers=digest("user1", ha1)).text == "private"
    assert httpd.get("/private/page.html", headers=digest("user1", "0" * 32)).status == 401
    assert httpd.get("/private/page.html", headers=digest("user2", ha1)).status == 401
    httpd.wait_log("AH01790")  # of mod_auth_digest: nobody of that name

    def curl(who: str) -> str:
        """The whole exchange as a client does it: asked, refused, answered. (curl answers in HTTP/1.1 alone.)"""
        command = ["curl", "-s", "--http1.1", "--digest", "-u", who, "-w", " %{http_code}", f"http://127.0.0.1:{httpd.port}/private/page.html"]
        return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout

    assert curl("user1:passwd") == "private 200"
    for wrong in ("user1:wrong", "user1:", "user2:passwd", "User1:passwd"):
        assert curl(wrong).endswith(" 401")
