"""Every hook, by file and by inline code, in the contexts httpd knows: server, virtual host, directory, location."""

import pytest

from server import WIRES

ON = WIRES
# Each hook leaves its name in the response's headers, or in the log where the response is already gone.
MARK = "Apache::Request.new.headers_out['X-Hook'] = '{}'"
# Those that httpd comes to when it knows the location; the others are the server's alone.
HOOKS = ("TranslateName", "AccessChecker", "Fixups")
SERVER_WIDE = ("PostReadRequest", "MapToStorage", *HOOKS)


def marked(conf: str, httpd, host: str = "localhost") -> str | None:
    httpd.page("page.html", "page")
    httpd.start(conf)
    answer = httpd.get("/page.html", headers={"Host": host})
    assert (answer.status, answer.text) == (200, "page")
    return answer.header("X-Hook")


@pytest.mark.parametrize("place", ["First", "Middle", "Last"])
@pytest.mark.parametrize("hook", SERVER_WIDE)
def test_code_for_the_server(httpd, hook, place):
    code = MARK.format(hook)
    assert marked(f'Mruby{hook}{place}Code "{code}"', httpd) == hook


@pytest.mark.parametrize("hook", SERVER_WIDE)
def test_file_for_the_server(httpd, hook):
    httpd.script("hook.rb", MARK.format(hook))
    assert marked(f'Mruby{hook}First "${{ROOT}}/scripts/hook.rb"', httpd) == hook


@pytest.mark.parametrize("hook", SERVER_WIDE)
def test_for_a_virtual_host(httpd, hook):
    code = MARK.format(hook)
    conf = f'<VirtualHost *:${{PORT}}>\nServerName one\nMruby{hook}FirstCode "{code}"\n</VirtualHost>\n<VirtualHost *:${{PORT}}>\nServerName two\n</VirtualHost>\n'
    assert marked(conf, httpd, "one") == hook
    assert httpd.get("/page.html", headers={"Host": "two"}).header("X-Hook") is None


@pytest.mark.parametrize("hook", HOOKS)
def test_for_a_location(httpd, hook):
    code = MARK.format(hook)
    httpd.page("other.html", "other")
    assert marked(f'<Location "/page.html">\nMruby{hook}FirstCode "{code}"\n</Location>', httpd) == hook
    assert httpd.get("/other.html").header("X-Hook") is None


@pytest.mark.parametrize("hook", ["AccessChecker", "Fixups"])
def test_for_a_directory(httpd, hook):
    code = MARK.format(hook)
    httpd.page("dir/page.html", "inside")
    assert marked(f'<Directory "${{ROOT}}/htdocs/dir">\nMruby{hook}MiddleCode "{code}"\n</Directory>', httpd) is None
    assert httpd.get("/dir/page.html").header("X-Hook") == hook


def test_places_run_in_their_order(httpd):
    code = "r = Apache::Request.new; r.headers_out['X-Hook'] = r.headers_out['X-Hook'].to_s + '{}'"
    conf = "".join(f'MrubyFixups{place}Code "{code.format(place[0])}"\n' for place in ("Last", "First", "Middle"))
    assert marked(conf, httpd) == "FML"


def test_log_transaction(httpd):
    httpd.script("log.rb", "r = Apache::Request.new\nApache.log Apache::LOG_NOTICE, \"by file #{r.uri} #{r.status}\"")
    httpd.page("page.html", "page")
    httpd.start(
        'MrubyLogTransactionMiddle "${ROOT}/scripts/log.rb"\n'
        "<Location \"/own.html\">\nMrubyLogTransactionLastCode \"Apache.log Apache::LOG_NOTICE, 'by code'\"\n</Location>"
    )
    assert httpd.get("/page.html").status == 200
    assert httpd.get("/nowhere").status == 404
    assert httpd.get("/own.html").status == 404
    httpd.wait_log("by file /page.html 200")
    httpd.wait_log("by file /nowhere 404")
    httpd.wait_log("by code")


@pytest.mark.parametrize(("place", "shown"), [("", "set made"), ("First", "set made"), ("Middle", "set made"), ("Last", "- -")])
def test_what_a_log_hook_notes_is_in_the_log(httpd, place, shown):
    """httpd's own log is written when the hooks have run, but for those that come last."""
    httpd.page("page.html", "page")
    httpd.start(f"MrubyLogTransaction{place}Code \"r = Apache.request; r.notes['told'] = 'set'; r.env['made'] = 'made'\"\nCustomLog \"${{ROOT}}/logs/notes.log\" \"%U %{{told}}n %{{made}}e\"\n")
    assert httpd.get("/page.html").status == 200
    log = httpd.root / "logs/notes.log"
    httpd.until(lambda: log.exists() and "\n" in log.read_text())
    assert log.read_text() == f"/page.html {shown}\n"


def test_translate_name_maps(httpd):
    httpd.script("secret.html", "from elsewhere")
    httpd.script("map.rb", "r = Apache::Request.new\nif r.uri == '/virtual'\n  r.filename = '%s'\n  Apache.return Apache::OK\nelse\n  Apache.return Apache::DECLINED\nend" % (httpd.scripts / "secret.html"))
    httpd.page("page.html", "page")
    httpd.start('MrubyTranslateNameFirst "${ROOT}/scripts/map.rb"\n<Directory "${ROOT}/scripts">\nRequire all granted\n</Directory>')
    assert httpd.get("/virtual").text == "from elsewhere"
    assert httpd.get("/page.html").text == "page"


@pytest.mark.parametrize("place", ["First", "Middle", "Last"])
def test_translate_name_that_says_nothing(httpd, place):
    """To name a file is an answer; where none is named httpd goes on, as it does after DECLINED."""
    httpd.script("secret.html", "from elsewhere")
    httpd.page("page.html", "page")
    httpd.page("aliased/page.html", "aliased")
    code = "r = Apache.request; r.filename = '%s' if r.uri.start_with?('/virtual'); Apache.return(Apache::DECLINED) if r.uri == '/virtual/not'"
    httpd.start(f'MrubyTranslateName{place}Code "{code % (httpd.scripts / "secret.html")}"\nAlias /virtual/alias ${{ROOT}}/htdocs/aliased\n<Directory "${{ROOT}}/scripts">\nRequire all granted\n</Directory>')
    assert httpd.get("/virtual").text == "from elsewhere"
    assert httpd.get("/page.html").text == "page"
    assert httpd.get("/virtual/not").status == 404
    # Alias answers among the modules in the middle.
    if place != "Middle":
        assert httpd.get("/virtual/alias/page.html").text == ("from elsewhere" if place == "First" else "aliased")


@pytest.mark.parametrize(
    "code", ["r.reverse_proxy 'http://127.0.0.1:${PORT}/page.html'", "r.handler = 'proxy-server'; r.proxyreq = Apache::PROXYREQ_REVERSE; r.filename = 'proxy:http://127.0.0.1:${PORT}/page.html'"]
)
def test_translate_name_to_a_proxy(make_httpd, code):
    httpd = make_httpd(modules=("proxy", "proxy_http"), workers=8)
    httpd.page("page.html", "page")
    httpd.start(f'MrubyTranslateNameFirstCode "r = Apache.request; if r.uri == \'/proxied\'; {code}; end"')
    answer = httpd.get("/proxied")
    assert (answer.status, answer.text) == (200, "page")


def test_map_to_storage_that_names_a_file(httpd):
    """What is said about its folder holds: that is httpd's own answer, behind."""
    httpd.page("page.html", "page")
    httpd.page("kept/page.html", "kept")
    httpd.start("MrubyMapToStorageFirstCode \"r = Apache.request; r.filename = r.document_root + '/' + r.args if r.args\"\n<Directory \"${ROOT}/htdocs/kept\">\nRequire all denied\n</Directory>")
    assert httpd.get("/x?page.html").text == "page"
    assert httpd.get("/page.html?kept/page.html").status == 403


@pytest.mark.parametrize("hook", ["CheckUserId", "AuthChecker"])
def test_saying_nothing_lets_nobody_in(httpd, hook):
    httpd.page("page.html", "the page")
    other = "CheckUserId" if hook == "AuthChecker" else "AuthChecker"
    code = "r = Apache.request; r.user = 'ada'; r.filename = r.filename"
    httpd.start(f'<Location "/page.html">\nAuthType Own\nAuthName x\nRequire user root\nMruby{hook}Code "{code}"\nMruby{other}Code "Apache.request.user = \'ada\'; Apache.return Apache::OK"\n</Location>')
    answer = httpd.get("/page.html")
    assert answer.status in (401, 403, 500) and "the page" not in answer.text


def test_translate_name_to_a_handler(httpd):
    httpd.start("MrubyTranslateNameFirstCode \"r = Apache::Request.new; r.handler = 'mruby-native-script' if r.uri == '/x'\"\n<Location /x>\nMrubyHandlerCode \"Apache.rputs 'made up'\"\n</Location>")
    assert httpd.get("/x").text == "made up"


def test_access_checker_refuses(httpd):
    httpd.page("page.html", "page")
    httpd.start("MrubyAccessCheckerMiddleCode \"Apache.return(Apache::Request.new.headers_in['X-Key'] == 'yes' ? Apache::DECLINED : Apache::HTTP_FORBIDDEN)\"")
    refused = httpd.get("/page.html")
    assert refused.status == 403 and "page" not in refused.text.replace("webpage", "").split("<body>")[0]
    assert httpd.get("/page.html", headers={"X-Key": "yes"}).text == "page"


def test_check_user_and_auth_checker(httpd):
    httpd.page("page.html", "page")
    httpd.script("who.rb", "r = Apache::Request.new\nname = r.headers_in['X-User']\nif name\n  r.user = name\n  Apache.return Apache::OK\nelse\n  Apache.return Apache::HTTP_UNAUTHORIZED\nend")
    httpd.script("may.rb", "Apache.return(Apache::Request.new.user == 'root' ? Apache::OK : Apache::HTTP_FORBIDDEN)")
    httpd.start(
        '<Location "/page.html">\nAuthType Own\nAuthName x\nRequire valid-user\nMrubyCheckUserIdFirst "${ROOT}/scripts/who.rb"\nMrubyAuthCheckerFirst "${ROOT}/scripts/may.rb"\n</Location>'
    )
    assert httpd.get("/page.html").status == 401
    assert httpd.get("/page.html", headers={"X-User": "somebody"}).status == 403
    assert httpd.get("/page.html", headers={"X-User": "root"}).text == "page"


def test_where_httpd_s_modules_answer(httpd):
    """First: who comes behind them is not asked any more."""
    httpd.page("page.html", "page")
    code = "".join(f'Mruby{hook}{place}Code "Apache.request.headers_out.add \'X-Asked\', \'{hook}{place}\'"\n' for hook in ("CheckUserId", "AuthChecker") for place in ("First", "Middle", "Last"))
    httpd.start(f'<Location "/page.html">\nAuthType Basic\nAuthName x\nAuthBasicProvider mruby\nMrubyAuthnCheckPasswordCode "Apache.return Apache::AuthnProvider::AUTH_GRANTED"\nRequire valid-user\n{code}</Location>')
    answer = httpd.get("/page.html", headers={"Authorization": "Basic YTpi"})
    assert (answer.text, answer.headers("X-Asked")) == ("page", ["CheckUserIdFirst", "AuthCheckerFirst", "AuthCheckerMiddle"])


def test_fixups_changes_the_handler(httpd):
    httpd.page("page.txt", "Apache.rputs 'run after all'")
    httpd.start("<Location \"/page.txt\">\nMrubyFixupsLastCode \"Apache::Request.new.handler = 'mruby-script'\"\n</Location>")
    assert httpd.get("/page.txt").text == "run after all"


def test_done_with_a_body(httpd):
    """A hook that answers the request itself."""
    httpd.page("page.html", "page")
    httpd.start("MrubyFixupsMiddleCode \"r = Apache::Request.new; r.content_type = 'text/plain'; Apache.rputs 'answered early'; Apache.return Apache::DONE\"")
    answer = httpd.get("/page.html")
    assert (answer.status, answer.text, answer.header("Content-Type")) == (200, "answered early", "text/plain")


@pytest.mark.on(["event"])
def test_wrong_answers_are_told(httpd):
    """The phase, where its code is, and what to do: a script's file, or the configuration's line."""
    file = httpd.script("hook.rb", "Apache.return 204")
    httpd.page("page.html", "page")
    code = httpd.write("conf/hooks.conf", '# the first line\n<Location "/code">\nMrubyAccessCheckerCode "Apache.return 150"\n</Location>\n<Location "/many">\nMrubyFixupsCode "s = \'x\' * (1 << 20); 65.times { print s }"\n</Location>\n')
    httpd.start('Include "${ROOT}/conf/hooks.conf"\n<Location "/page.html">\nMrubyFixups "${ROOT}/scripts/hook.rb"\n</Location>')
    takes = "here Apache.return takes OK, DECLINED, DONE (what is printed is the response) or a status from 300 to 599"
    for path, told in (
        ("/page.html", f"mruby: fixups: {file}: the script answered 204, which a hook cannot: {takes}"),
        ("/code", f"mruby: access_checker: {code}:3: the script answered 150, which a hook cannot: {takes}"),
        ("/many", f"mruby: fixups: {code}:6: the script printed more than the 64 MB that are kept until its end: it has to print less, or to be a handler, whose output is sent as it comes"),
    ):
        assert httpd.get(path).status == 500
        assert told in httpd.wait_log(told[: told.index("the script")])


def test_hook_that_prints_and_declines(httpd):
    """Only who answers may print: a hook's output does not get into the page."""
    httpd.page("page.html", "page")
    httpd.start("MrubyFixupsMiddleCode \"Apache.rputs 'noise'\"")
    assert httpd.get("/page.html").text == "page"


def test_status_by_a_hook_keeps_the_error_document(httpd):
    httpd.page("page.html", "page")
    httpd.page("sorry.html", "sorry")
    httpd.start("ErrorDocument 503 /sorry.html\n<Location /page.html>\nMrubyFixupsMiddleCode \"Apache.rputs 'no'; Apache.return Apache::HTTP_SERVICE_UNAVAILABLE\"\n</Location>")
    answer = httpd.get("/page.html")
    assert (answer.status, answer.text) == (503, "sorry")


@pytest.mark.parametrize(("answer", "status"), [("HTTP_FORBIDDEN", 403), ("HTTP_SERVICE_UNAVAILABLE", 503), ("OK", 200), ("DECLINED", 200)])
def test_insert_filter_refuses(httpd, answer, status):
    """httpd asks it for no answer; a refusal counts all the same, over a page and over a script that flushes."""
    httpd.page("page.html", "the page")
    httpd.page("page.mrb", "3.times { Apache.rputs 'the page'; Apache.flush }")
    httpd.start(f'<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nMrubyInsertFilterCode "Apache.return Apache::{answer}"\n')
    for path in ("/page.html", "/page.mrb"):
        got = httpd.get(path)
        assert got.status == status and ("the page" in got.text) == (status == 200)


def test_all_hooks_in_one_request(ruby):
    answer = ruby.get("/all/page.html")
    assert (answer.status, answer.text) == (200, "page")
    assert answer.header("X-Order") == "TMAF"


def test_each_run_begins_anew(ruby):
    """Each phase has its own run, on the thread that httpd gives it."""
    for i in range(3):
        answer = ruby.get(f"/fixed.html?{i}")
        assert (answer.status, answer.text, answer.header("X-Hook")) == (200, "fixed", "/fixed.html yes nil")
        ruby.server.wait_log(f"logged 200 {i}")


CONF = "".join(
    f"MrubyXFirstCode \"r = Apache::Request.new; r.notes['order'] = r.notes['order'].to_s + 'Y' if r.uri.start_with? '/all/'\"\n".replace("X", hook).replace("Y", hook[0])
    for hook in ("TranslateName", "MapToStorage", "AccessChecker")
) + "MrubyFixupsFirstCode \"r = Apache::Request.new; r.headers_out['X-Order'] = r.notes['order'].to_s + 'F'\"\n"
CONF += """
MrubyPostReadRequestFirstCode "Apache.request.notes['read'] = 'yes'"
<Location /fixed.html>
  MrubyFixupsFirstCode "r = Apache.request; r.headers_out['X-Hook'] = [r.uri, r.notes['read'], $seen.inspect].join(' '); $seen = true"
  MrubyLogTransactionMiddleCode "r = Apache.request; Apache.log Apache::APLOG_NOTICE, ['logged', r.status, r.args].join(' ')"
</Location>
"""
FILES = {"all/page.html": "page", "fixed.html": "fixed"}
