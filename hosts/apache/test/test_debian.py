"""An httpd as Debian's package apache2 sets it up: its apache2.conf, its modules as a2enmod enables them, its MIME types, a site, applications."""

import gzip
import json
import os
import shutil
import subprocess

import pytest

from conftest import alive, end
from server import MODULE, MODULES, Server

ON = ("event", "prefork")
# What the package enables when it is installed.
ENABLED = "authz_core authz_host authn_core auth_basic access_compat authn_file authz_user alias dir autoindex env mime negotiation setenvif filter deflate status reqtimeout".split()

APPLICATIONS = {
    "hello.rb": "require 'Apache'\nApache.rputs('hello world!')\n",
    "hello.mrb": "Apache.rputs 'hello'\n",
    "sub/index.mrb": "puts 'index of ' + Apache.request.uri\n",
    "users.rb": "r = Apache.request\nr.content_type = 'application/json'\n"
    "puts JSON.generate({ users: (1..3).map { |i| { id: 2**62 + i, name: \"n#{i}\", score: 0.1 * i } }, page: r.query['page'].to_i })\n",
    "order.mrb": "order = Apache.request.json\nputs \"#{order['name']} orders #{order['items'].size}\"\np JSON.partial(Apache.request.body, 'items[*].price')\n",
    "form.mrb": "f = Apache.request.form\nputs HTML.escape(f['name']), f['tags'].inspect\nApache.response.headers['Set-Cookie'] = Cookies.make('seen', f['name'])\n",
    "rack.rb": "run ->(env) { [201, { 'content-type' => 'text/plain', 'x-from' => env['SERVER_NAME'] }, [env['REQUEST_METHOD'], ' ', env['QUERY_STRING']]] }\n",
    "large.rb": "Apache.rputs 'hello ' * 2000",
    "late.mrb": "loop {}\n",
    "page.html": "<p>page</p>\n",
}
SITE = """
AddHandler mruby-script .rb
<Files "late.mrb">
  MrubyTimeout 500ms
</Files>
<Location "/mruby-status">
  SetHandler mruby-status
  Require local
</Location>
<Directory "${ROOT}/htdocs/sub">
  DirectoryIndex index.mrb
</Directory>
<Directory "${ROOT}/htdocs">
  Options +MultiViews
</Directory>
"""


class DebianServer(Server):
    """Its configuration is the package's, but for the places of files."""

    def configuration(self, conf: str) -> str:
        at = self.root / "etc/apache2"
        for name, was, now in (("ports.conf", "Listen 80\n", f"Listen 127.0.0.1:{self.port}\n"), ("sites-available/000-default.conf", "*:80", f"*:{self.port}")):
            text = (self.package / name).read_text()
            assert was in text
            (at / name).write_text(text.replace(was, now).replace("/var/www/html", str(self.docroot)).replace("</VirtualHost>", conf + "\n</VirtualHost>"))
        (at / "apache2.conf").write_text((self.package / "apache2.conf").read_text().replace("/var/www/", str(self.docroot)))
        places = {"ROOT": self.root, "PORT": self.port, "APACHE_LOG_DIR": self.root / "logs", "APACHE_RUN_DIR": self.root / "run", "APACHE_LOCK_DIR": self.root / "run", "APACHE_PID_FILE": self.root / "run/httpd.pid"}
        places |= {"APACHE_RUN_USER": "www-data", "APACHE_RUN_GROUP": "www-data"}
        return "".join(f'Define {name} "{value}"\n' for name, value in places.items()) + f'ServerRoot "{at}"\nServerName localhost\nInclude "{at}/apache2.conf"\n'


@pytest.fixture(scope="module")
def debian(package, installed, mpm):
    server = DebianServer(mpm)
    alive.append(server)  # as begin() does
    try:
        server.package = package / "etc/apache2"
        at = server.root / "etc/apache2"
        shutil.copytree(server.package, at)
        for name in ("mruby.load", "mruby.conf"):
            text = (installed / "etc/apache2/mods-available" / name).read_text().replace(f"{MODULES}/mod_mruby.so", str(MODULE))
            (at / "mods-available" / name).write_text(text)
        for folder in ("mods-enabled", "sites-enabled", "conf-enabled"):
            (at / folder).mkdir(exist_ok=True)
        wanted = [f"mpm_{mpm}", *ENABLED, "mruby"]
        for php in sorted(MODULES.glob("libphp*.so"))[-1:] if mpm == "prefork" else ():
            version = php.stem.removeprefix("libphp")
            (at / f"mods-available/php{version}.load").write_text(f"# Conflicts: php5\nLoadModule php_module {php}\n")
            (at / f"mods-available/php{version}.conf").write_text('<FilesMatch ".+\\.ph(?:ar|p|tml)$">\nSetHandler application/x-httpd-php\n</FilesMatch>\n')
            wanted.append(f"php{version}")
        environment = {**os.environ, "APACHE_CONFDIR": str(at), "APACHE_STATE_DIRECTORY": str(server.root / "state")}
        for program, names in (("a2enmod", wanted), ("a2ensite", ["000-default"]), ("a2enconf", ["charset", "security", "localized-error-pages", "other-vhosts-access-log"])):
            done = subprocess.run([package / "usr/sbin" / program, "-q", *names], env=environment, capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, done.stdout + done.stderr
        for name, text in APPLICATIONS.items():
            os.utime(server.page(name, text), (1, 1))
        yield server.start(SITE)
    finally:
        end(server)


def test_serves(debian):
    before = debian.pids()
    for _ in range(3):
        assert (debian.get("/hello.rb").text, debian.get("/hello.mrb").text) == ("hello world!", "hello")
    assert debian.get("/hello.rb").header("Content-Type") == "text/html; charset=utf-8"
    assert debian.get("/page.html").text == "<p>page</p>\n"
    assert debian.get("/sub/").text == "index of /sub/index.mrb\n"
    assert set(before) <= set(debian.pids())


def test_negotiated(debian):
    """mod_negotiation finds the script behind a name without an ending, and says of it what type its file has."""
    assert debian.get("/hello").text in ("hello world!", "hello")


def test_applications(debian):
    told = json.loads(debian.get("/users.rb?page=7").body)
    assert told == {"users": [{"id": 2**62 + i, "name": f"n{i}", "score": round(0.1 * i, 1)} for i in (1, 2, 3)], "page": 7}
    order = debian.post("/order.mrb", '{"name": "Ada", "items": [{"price": 1.5}, {"price": 2}]}')
    assert order.text == "Ada orders 2\n[[1.5, 2]]\n"
    form = debian.post("/form.mrb", "name=%3Cb%3E&tags[]=1&tags[]=2", headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert form.text == '&lt;b&gt;\n["1", "2"]\n' and form.header("Set-Cookie").startswith("seen=")
    rack = debian.get("/rack.rb?a=b")
    assert (rack.status, rack.text, rack.header("X-From")) == (201, "GET a=b", "127.0.0.1")


def test_failures_are_the_script_s(debian):
    assert debian.get("/late.mrb").status == 500 and "ran longer than its limit" in debian.error_log
    assert debian.get("/none.mrb").status == 404 and debian.request("DELETE", "/hello.rb").status == 405
    assert debian.get("/hello.rb").text == "hello world!"
    assert "mruby_runs_total" in debian.get("/mruby-status?metrics").text


def test_filters_of_httpd(debian):
    """Debian's deflate.conf compresses what is HTML."""
    answer = debian.get("/large.rb", headers={"Accept-Encoding": "gzip"})
    assert answer.header("Content-Encoding") == "gzip" and gzip.decompress(answer.body) == b"hello " * 2000


def test_graceful(debian):
    debian.restart()
    assert debian.get("/hello.rb").text == "hello world!" and debian.get("/users.rb?page=1").status == 200


@pytest.mark.on(["prefork"])
def test_php_beside_it(debian):
    if not sorted(MODULES.glob("libphp*.so")):
        pytest.skip("not proven: PHP beside it needs mod_php")
    debian.page("a.php", "<?php echo json_encode(['a' => preg_match('/b+/', 'abbb')]);")
    debian.page("deep.php", "<?php function f($n) { return $n ? f($n - 1) + 1 : 0; } echo f(20000);")
    for _ in range(20):
        assert debian.get("/a.php").text == '{"a":1}' and debian.get("/hello.mrb").text == "hello"
    assert debian.get("/late.mrb").status == 500
    assert debian.get("/deep.php").text == "20000" and debian.get("/users.rb?page=1").status == 200
