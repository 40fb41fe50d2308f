"""Files that httpd would read for a script: without MrubyAllow read, only those of the document root that it would send anyway."""

import pytest

from server import WIRES

ON = WIRES
CONF = """
<Directory "${ROOT}/htdocs/closed">
  Require all denied
</Directory>
<Directory "${ROOT}/htdocs/free">
  MrubyAllow read
</Directory>
<Directory "${ROOT}/htdocs/fixed">
  MrubyFixupsCode "r = Apache.request; r.filename = File.join(r.document_root, 'plain.txt') if r.uri == '/fixed/a.txt'"
</Directory>
<Location /program.txt>
  SetHandler mruby-native-script
  MrubyHandlerCode "r = Apache.request; r.handler = 'default-handler'; r.run_handler"
</Location>
<Location /inserted.txt>
  MrubyInsertFilterCode "r = Apache.request; r.filename = File.join(r.document_root, '../scripts/outside.txt')"
</Location>
MrubyQuickHandlerCode "r = Apache.request; r.uri == '/quick' ? Apache.response.sendfile(File.join(r.document_root, 'plain.txt')) : Apache.return(Apache::DECLINED)"
"""
FILES = {"plain.txt": "plain", "program.txt": "x", "inserted.txt": "x", "closed/secret.txt": "secret", "fixed/a.txt": "a", "source.mrb": "puts 'SOURCE'"}
SCRIPTS = {"outside.txt": "outside"}

HAND_ON = "r.method = 'GET'; r.handler = 'default-handler'; r.run_handler"


def tried(ruby, code: str, **more) -> str:
    prelude = "r = Apache.request\nroot = r.document_root\n"
    return ruby(f"{prelude}begin\n{code}\nrescue StandardError => e\n  puts \"#{{e.class}}: #{{e.message}}\"\nend", **more).text


@pytest.mark.parametrize(
    "path, why",
    [
        ("'/etc/passwd'", "not within the document root"),
        ("root + '/../scripts/outside.txt'", "not within the document root"),
        ("root + '/closed/secret.txt'", "denied"),
        ("root + '/closed/not-there.txt'", "denied"),
        ("root + '/source.mrb'", "source is not sent"),
        ("'relative.txt'", "not within the document root"),
    ],
)
@pytest.mark.parametrize("of", ["r", "r.subrequest('/plain.txt')", "r.lookup_file(root + '/plain.txt')"])
def test_filename_refuses(ruby, of, path, why):
    said = tried(ruby, f"x = {of}\nx.handler = 'default-handler'\nwas = x.filename\nbegin\n  x.filename = {path}\nrescue ArgumentError => e\n  puts e.message, x.filename == was\nend")
    assert why in said and said.endswith("\ntrue\n")


@pytest.mark.parametrize("path", ["root + '/plain.txt'", "root + '/not-there.txt'", "'/nowhere/at/all'", "'proxy:http://127.0.0.1/'", "root"])
def test_filename_takes(ruby, path):
    assert tried(ruby, f"was = r.filename\nr.filename = {path}\nputs r.filename == {path}\nr.filename = was") == "true\n"


def test_run_handler_of_an_allowed_file(ruby):
    assert tried(ruby, f"r.filename = root + '/plain.txt'; {HAND_ON}").endswith("plain")


def test_run_handler_shows_no_source(ruby):
    said = tried(ruby, HAND_ON)
    assert "source is not sent" in said and "run_handler" in said and "default-handler" not in said
    assert ruby.get("/program.txt").text == "x"  # that file has no handler but the place's


def test_document_root_is_no_way_around(ruby):
    assert "not within the document root" in tried(ruby, f"r.document_root = '/'\nr.filename = '/etc/hostname'\n{HAND_ON}")
    assert "not within the document root" in tried(ruby, "r.document_root = '/'\nApache.response.sendfile '/etc/hostname'")
    assert "not within the document root" in tried(ruby, "s = r.lookup_file(root + '/plain.txt')\ns.document_root = '/'\ns.filename = '/etc/hostname'\ns.run")


def test_a_folder_is_not_judged_by_the_script_s_word(ruby):
    """httpd takes the folder of the request's own file for one it has judged."""
    for name in ("not-there.txt", "x/../not-there.txt"):
        said = tried(ruby, f"begin; r.filename = root + '/closed/{name}'; rescue ArgumentError; end\nApache.response.sendfile root + '/closed/secret.txt'")
        assert "secret\n" not in said and "denied" in said
        assert tried(ruby, f"begin; r.filename = root + '/closed/{name}'; rescue ArgumentError; end\nputs r.lookup_file(root + '/closed/secret.txt').status") == "403\n"


@pytest.mark.parametrize("how", ["s.status = 200", "s.status = 200; s.handler = 'default-handler'", "s.status_line = '200 OK'"])
@pytest.mark.parametrize("made", ["r.lookup_file(root + '/closed/secret.txt')", "r.subrequest('/closed/secret.txt')", "r.lookup_file('/etc/hostname')"])
def test_a_denied_subrequest_stays_so(ruby, made, how):
    assert tried(ruby, f"s = {made}\n{how}\nputs s.run") == "403\n"


def test_a_subrequest_shows_no_source(ruby):
    assert "source is not sent" in tried(ruby, "s = r.subrequest('/source.mrb')\ns.handler = 'default-handler'\ns.run")
    assert tried(ruby, "r.subrequest('/source.mrb').run") == "SOURCE\n"


def test_lookup_file_outside(ruby):
    assert tried(ruby, "s = r.lookup_file('/etc/hostname')\nputs s.status, s.finfo.size") == "403\n0\n"


def test_what_runs_behind_the_checks(ruby):
    assert ruby.get("/inserted.txt").status == 500
    assert "not within the document root" in ruby.server.wait_log("filename=")


def test_in_fixups_of_a_folder(ruby):
    """Looking at the file asks the folder's rules, and not this hook again."""
    assert ruby.get("/fixed/a.txt").text == "plain"


def test_sendfile_before_there_is_a_file(ruby):
    assert ruby.get("/quick").text == "plain"


def test_allowed(ruby):
    assert "root:" in tried(ruby, f"r.filename = '/etc/passwd'; {HAND_ON}", name="free/a.mrb")
    assert "HAND" in tried(ruby, f"# HAND\n{HAND_ON}", name="free/b.mrb")
    assert tried(ruby, "puts r.lookup_file('/etc/passwd').finfo.size > 0", name="free/c.mrb") == "true\n"
