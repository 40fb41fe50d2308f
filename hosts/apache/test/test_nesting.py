"""A run within a run: subrequests, internal redirects, filters, error documents. Each has its own VM, its own limits, its own end."""

import pytest

from server import WIRES

ON = WIRES
HANDLER = '<FilesMatch ".+\\.mrb$">\n  SetHandler mruby-script\n</FilesMatch>\n'
FILES = {
    "inner.mrb": "$a = 'inner'\nApache.rputs \"<inner #{Apache::Request.new.main?}>\"",
    "outer.mrb": "$a = 'outer'\nApache.rputs 'before '\ns = Apache::Request.new.subrequest('/inner.mrb').run\nApache.rputs \" after #{$a} #{s}\"",
    "static.mrb": "Apache.rputs '['\nApache::Request.new.subrequest('/page.txt').run\nApache.rputs ']'",
    "page.txt": "a page",
    "twice.mrb": "r = Apache::Request.new\n2.times { r.subrequest('/inner.mrb').run }",
    "missing.mrb": "Apache.rputs Apache::Request.new.subrequest('/none.mrb').run",
    "deep.mrb": "n = Apache::Request.new.args.to_i\nApache.rputs \"#{n} \"\nApache::Request.new.subrequest(\"/deep.mrb?#{n + 1}\").run if n < 4",
    "ring.mrb": "Apache.rputs 'r'\nApache.rputs Apache::Request.new.subrequest('/ring.mrb').run",
    "redirect.mrb": "Apache.rputs 'dropped'\nApache::Request.new.internal_redirect('/target.mrb?x=1')",
    "target.mrb": "r = Apache::Request.new\nApache.rputs \"target #{r.args} #{r.prev?}\"",
    "redirect_ring.mrb": "Apache::Request.new.internal_redirect('/redirect_ring.mrb')",
    "outer_raises.mrb": "Apache::Request.new.subrequest('/inner.mrb').run\nraise 'x'",
    "inner_raises.mrb": "Apache.rputs 'a '\ns = Apache::Request.new.subrequest('/raises.mrb').run\nApache.rputs \"status #{s}\"",
    "raises.mrb": "raise 'in the inner one'",
    "inner_loops.mrb": "s = Apache::Request.new.subrequest('/loops.mrb').run\nApache.rputs \"status #{s}\"",
    "inner_loops_alike.mrb": "Apache::Request.new.subrequest('/loops.mrb').run\nwhile true\nend",
    "loops.mrb": "begin\n  while true\n  end\nrescue Exception\n  retry\nend",
    "inner_bombs.mrb": "s = Apache::Request.new.subrequest('/bombs.mrb').run\nApache.rputs \"status #{s}\"",
    "bombs.mrb": "a = 'x' * 1000\na += a while true",
    "loops_outside.mrb": "Apache::Request.new.subrequest('/inner.mrb').run\nwhile true\nend",
    "lookup.mrb": "r = Apache::Request.new.subrequest('/inner.mrb')\nApache.rputs [r.status, r.filename.split('/').last, r.uri].inspect",
    "same.mrb": "r = Apache::Request.new\nr.subrequest('/page.txt').run\nApache.rputs r.uri",
    "env.mrb": "Apache::Request.new.notes['n'] = 'outer'\nApache::Request.new.subrequest('/reads_note.mrb').run",
    "reads_note.mrb": "Apache.rputs Apache::Request.new.notes['n'].inspect",
    "secret/page.mrb": "Apache.rputs 'secret'",
    "to_secret.mrb": "Apache.rputs Apache::Request.new.subrequest('/secret/page.mrb').run",
}
CONF = "MrubyTimeout 1s\nMrubyMemoryLimit 16M\n<Location /secret>\nRequire all denied\n</Location>\n<Files inner_loops.mrb>\nMrubyTimeout 20s\n</Files>\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/outer.mrb", "before <inner true> after outer 200"),
        ("/static.mrb", "[a page]"),
        ("/twice.mrb", "<inner true><inner true>"),
        ("/missing.mrb", "404"),
        ("/deep.mrb?0", "0 1 2 3 4 "),
        ("/redirect.mrb", "target x=1 true"),
        ("/inner_raises.mrb", "a status 500"),
        ("/lookup.mrb", '[200, "inner.mrb", "/inner.mrb"]'),
        ("/same.mrb", "a page/same.mrb"),
        ("/to_secret.mrb", "403"),
    ],
)
def test_nested(ruby, path, text):
    answer = ruby.get(path)
    assert (answer.status, answer.text) == (200, text)


def test_inner_loop(ruby):
    """The inner run's time is over: its own end. What it took is the outer one's too, which has more, goes on and says so."""
    answer = ruby.get("/inner_loops.mrb")
    assert (answer.status, answer.text) == (200, "status 500")
    assert ruby.get("/page.txt").text == "a page"


def test_inner_loop_takes_the_outer_time(ruby):
    """As long a limit outside as inside: the outer run is over with the inner one."""
    assert ruby.get("/inner_loops_alike.mrb").status == 500
    ruby.server.wait_log("inner_loops_alike.mrb")


def test_inner_bomb(ruby):
    answer = ruby.get("/inner_bombs.mrb")
    assert (answer.status, answer.text) == (200, "status 500")


def test_outer_loop_after_an_inner_run(ruby):
    """The inner run's end does not take the outer one's limit away."""
    import http.client

    try:
        assert ruby.get("/loops_outside.mrb").status == 500
    except (http.client.IncompleteRead, ConnectionError):
        pass  # the inner output was on its way already
    ruby.server.wait_log("loops_outside.mrb")


def test_outer_raises_after_an_inner_run(ruby):
    import http.client

    try:
        assert ruby.get("/outer_raises.mrb").status == 500
    except (http.client.IncompleteRead, ConnectionError):
        pass


def test_rings_end(ruby):
    pids = ruby.server.pids()
    answer = ruby.get("/ring.mrb")
    assert answer.status in (200, 500) and len(answer.text) < 3000
    assert ruby.get("/redirect_ring.mrb").status == 500
    assert ruby.get("/page.txt").text == "a page"
    assert ruby.server.pids() == pids


def test_ssi_around_scripts(make_httpd):
    """mod_include makes the subrequests."""
    httpd = make_httpd(modules=("include",))
    httpd.page("inner.mrb", "$n = $n.to_i + 1\nApache.rputs $n")
    httpd.page("page.shtml", '<!--#include virtual="/inner.mrb" -->-<!--#include virtual="/inner.mrb" -->')
    httpd.start(HANDLER + "AddOutputFilter INCLUDES .shtml\n<Directory ${ROOT}/htdocs>\nOptions +Includes\n</Directory>\n")
    assert httpd.get("/page.shtml").text == "1-1"


def test_hooks_of_an_inner_request(httpd):
    httpd.page("inner.mrb", "Apache.rputs 'inner'")
    httpd.page("outer.mrb", "Apache::Request.new.subrequest('/inner.mrb').run")
    httpd.start(HANDLER + "MrubyFixupsMiddleCode \"r = Apache::Request.new; Apache.log Apache::APLOG_NOTICE, 'fixups of ' + r.uri\"\n")
    assert httpd.get("/outer.mrb").text == "inner"
    httpd.wait_log("fixups of /outer.mrb")
    httpd.wait_log("fixups of /inner.mrb")


def test_rewrite_to_a_script(httpd):
    """mod_rewrite in front of it, as usual."""
    httpd.page("app.mrb", "r = Apache::Request.new\nApache.rputs [r.unparsed_uri, r.args].inspect")
    httpd.start(HANDLER + 'RewriteEngine On\nRewriteRule "^/nice/(.*)$" "/app.mrb?path=$1" [L]\n')
    assert httpd.get("/nice/a/b").text == '["/nice/a/b", "path=a/b"]'


def test_dir_and_negotiation(make_httpd):
    """A folder's index that is a script: mod_dir asks by a subrequest and redirects internally."""
    httpd = make_httpd(modules=("negotiation",))
    httpd.page("dir/index.mrb", "Apache.rputs \"index #{Apache::Request.new.uri}\"")
    httpd.page("neg.mrb", "Apache.rputs 'negotiated'")
    httpd.start(HANDLER + "AddType text/html .mrb\nDirectoryIndex index.html index.mrb\n<Directory ${ROOT}/htdocs>\nOptions +MultiViews\n</Directory>\n")
    assert httpd.get("/dir/").text == "index /dir/index.mrb"
    assert httpd.get("/neg").text == "negotiated"
