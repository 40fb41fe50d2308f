"""The ways to make a script the handler: by file name, by location, as inline code."""

import pytest

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
SCRIPTS = {"by_file.rb": "Apache.rputs 'by file ' + Apache::Request.new.uri"}
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
def test_handler(wire, path, text):
    answer = wire.get(path)
    assert (answer.status, answer.text) == (200, text)


def test_of_a_virtual_host(wire):
    if wire.protocol == "h2c":
        return  # curl sends the port with the host; the others cover it
    assert wire.get("/anything", headers={"Host": "second"}).text == "the whole host"
    assert wire.get("/anything", headers={"Host": "first"}).status == 404


def test_script_is_seen_anew(file_server):
    file_server.page("new.mrb", "Apache.rputs 'one'")
    assert file_server.get("/new.mrb").text == "one"
    file_server.page("new.mrb", "Apache.rputs 'two'")
    assert file_server.get("/new.mrb").text == "two"
    file_server.script("by_file.rb", "Apache.rputs 'changed'")
    assert file_server.get("/by/file").text == "changed"


def test_directory_index(make_httpd):
    httpd = make_httpd()
    httpd.page("index.mrb", "Apache.rputs 'index'")
    httpd.start('DirectoryIndex index.mrb\n<FilesMatch ".+\\.mrb$">\n SetHandler mruby-script\n</FilesMatch>')
    assert httpd.get("/").text == "index"


def test_default_content_type(file_server):
    assert file_server.get("/script.mrb").header("Content-Type") == "text/html; charset=utf-8"


def test_content_length_of_a_whole_body(file_server):
    assert file_server.get("/script.mrb").header("Content-Length") == str(len("script"))
