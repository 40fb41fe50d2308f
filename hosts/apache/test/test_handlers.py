"""The ways to make a script the handler: by file name, by location, as inline code."""

import pytest

from server import FILES_MATCH, WIRES

ON = WIRES
HANDLER = """
<FilesMatch ".+\\.mrb$">
  SetHandler mruby-script
</FilesMatch>
<Location "/by/file">
  MrubyHandler "${ROOT}/scripts/by_file.rb"
</Location>
<Location "/by/code">
  SetHandler mruby-native-script
  MrubyHandlerCode "Apache.rputs 'by code ' + Apache::Request.new.uri"
</Location>
<Location "/hook/first">
  MrubyHandlerFirstCode "Apache.rputs 'first'"
</Location>
<Location "/hook/middle">
  MrubyHandlerMiddle "${ROOT}/scripts/by_file.rb"
</Location>
<Location "/hook/last">
  MrubyHandlerLast "${ROOT}/scripts/by_file.rb"
</Location>
<Location "/hook/passes">
  MrubyHandlerFirstCode "Apache.return Apache::DECLINED"
  MrubyHandlerLastCode "Apache.rputs 'last'"
</Location>
<Files "special.txt">
  MrubyHandlerMiddleCode "Apache.rputs 'special'"
</Files>
<Location "/changing">
  MrubyHandler "${ROOT}/scripts/changing.rb"
</Location>
<Location "/cached">
  MrubyHandlerMiddle "${ROOT}/scripts/by_file.rb" cache
</Location>
<VirtualHost *:${PORT}>
  ServerName first
</VirtualHost>
<VirtualHost *:${PORT}>
  ServerName second
  MrubyHandlerMiddleCode "Apache.rputs 'the whole host'"
</VirtualHost>
"""
SCRIPTS = {"changing.rb": "", "by_file.rb": "Apache.rputs 'by file ' + Apache::Request.new.uri"}
FILES = {"script.mrb": "Apache.rputs 'script'", "special.txt": "a plain file", "other.txt": "another", "dir/script.mrb": "Apache.rputs 'in a folder'"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/script.mrb", "script"),
        ("/dir/script.mrb", "in a folder"),
        ("/by/file", "by file /by/file"),
        ("/by/code", "by code /by/code"),
        ("/by/code/deeper", "by code /by/code/deeper"),
        ("/hook/first", "first"),
        ("/hook/middle", "by file /hook/middle"),
        ("/hook/last", "by file /hook/last"),
        ("/hook/passes", "last"),
        ("/special.txt", "special"),
        ("/other.txt", "another"),
        ("/cached", "by file /cached"),
    ],
)
def test_handler(ruby, path, text):
    answer = ruby.get(path)
    assert (answer.status, answer.text) == (200, text)


def test_of_a_virtual_host(ruby):
    assert ruby.get("/anything", headers={"Host": "second"}).text == "the whole host"
    assert ruby.get("/anything", headers={"Host": "first"}).status == 404


def test_script_is_seen_anew(ruby):
    ruby.server.page("new.mrb", "Apache.rputs 'one'")
    assert ruby.get("/new.mrb").text == "one"
    ruby.server.page("new.mrb", "Apache.rputs 'two'")
    assert ruby.get("/new.mrb").text == "two"
    for text in ("one", "two"):
        ruby.server.script("changing.rb", f"Apache.rputs '{text}'")
        assert ruby.get("/changing").text == text


def test_directory_index(make_httpd):
    httpd = make_httpd()
    httpd.page("index.mrb", "Apache.rputs 'index'")
    httpd.start('DirectoryIndex index.mrb\n<FilesMatch ".+\\.mrb$">\n SetHandler mruby-script\n</FilesMatch>')
    assert httpd.get("/").text == "index"


def test_script_that_negotiation_chose(make_httpd):
    """To mod_negotiation a file with a handler and no type is of the type of CGI programs: browsers would store what it prints."""
    httpd = make_httpd(modules=("negotiation",))
    httpd.page("page.mrb", "Apache.rputs 'chosen'")
    httpd.start(FILES_MATCH + '<Directory "${ROOT}/htdocs">\n  Options +MultiViews\n  MultiviewsMatch Any\n</Directory>')
    answer = httpd.get("/page")
    assert (answer.status, answer.text, answer.header("Content-Type")) == (200, "chosen", "text/html; charset=utf-8")


def test_default_content_type(ruby):
    assert ruby.get("/script.mrb").header("Content-Type") == "text/html; charset=utf-8"


def test_content_length_of_a_whole_body(ruby):
    assert ruby.get("/script.mrb").header("Content-Length") == str(len("script"))
