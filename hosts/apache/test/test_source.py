"""A script's source is never sent, whatever is asked for and whatever has gone wrong."""

import os
from urllib.parse import quote

import pytest

from server import HOST, WIRES

ON = WIRES
SECRET = "SECRET-IN-THE-SOURCE"
CODE = f"# {SECRET}\nApache.rputs 'answer'\n"
# What is no script, and holds one's source all the same.
LEFT = [".mrb", "a.MRB", "a.Mrb", ".MRB", "a.mrb.swp", "a.MRB.bak", "a.Mrb~", "a.mrb.", "a.mrb-old", "a.mrb_2", "a.mrb,v", "a.mrb copy", "a.mrb2", "a.mrbold", "a.mrbOLD.txt", "a.MRB2", "a.mrb.mrb", "a.mrb\nb", "a.mrbé", "#a.MRB#", ".a.Mrb.swp", ".#a.mrb"]
FILES = {
    "a.mrb": CODE,
    "a.mrb.bak": CODE,
    "a.mrb~": CODE,
    "a.mrb.txt": CODE,
    ".mrb": CODE,
    **{f"left/{name}": CODE for name in LEFT},
    "dir/b.mrb": CODE,
    "broken.mrb": f"# {SECRET}\nx = (\n",
    "raises.mrb": f"# {SECRET}\nraise 'x'\n",
}
HANDLER = (HOST / "conf/mruby.conf").read_text() if (HOST / "conf/mruby.conf").exists() else ""


def silent(answer) -> None:
    assert SECRET.encode() not in answer.body, answer


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND", "MKCOL", "QUERY", "NONSENSE", "get"])
def test_methods(ruby, method):
    for path in ("/a.mrb", "/broken.mrb", "/raises.mrb"):
        body = b"x" if method in ("POST", "PUT", "PATCH") else None
        silent(ruby.request(method, path, body=body))


@pytest.mark.parametrize(
    "path",
    ["/a.mrb/", "/a.mrb/extra", "/a.mrb/extra/b.mrb", "/a.mrb?x", "/a.mrb?", "/A.MRB", "/a%2emrb", "/a.mrb%20", "/a.mrb%00", "/a.mrb%00.html", "/a.mrb;x=1", "/a.mrb%2f", "/./a.mrb", "//a.mrb", "/dir/../a.mrb"]
    + ["/dir/%2e%2e/a.mrb", "/a.mrb.bak", "/a.mrb~", "/.mrb", "/a.mrb.", "/a.mrb::$DATA", "/%61.mrb", "/dir/b.mrb/../../a.mrb", "/a.mrb\\", "/a.mrb%5c", "/a.mrb%0a", "/a.mrb%0d%0a"],
)
def test_paths(file_server, path):
    with file_server.raw() as raw:
        answer = raw.send(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").read_all()
    assert SECRET.encode() not in answer


@pytest.mark.parametrize("path", ["/a.mrb.bak", "/a.mrb~", "/.mrb", *(f"/left/{quote(name)}" for name in LEFT)])
def test_shipped_conf_denies_left_overs(ruby, path):
    assert ruby.get(path).status == 403


def test_other_suffix_is_no_script(ruby):
    """AddHandler would run it; the shipped conf takes it for what somebody left behind."""
    assert ruby.get("/a.mrb.txt").status == 403


@pytest.mark.parametrize(
    "fields",
    [
        {"Range": "bytes=0-20"},
        {"Range": "bytes=2-5,7-9"},
        {"Range": "bytes=-10"},
        {"If-Modified-Since": "Sat, 01 Jan 2050 00:00:00 GMT"},
        {"If-None-Match": "*"},
        {"If-Match": '"x"'},
        {"If-Range": '"x"', "Range": "bytes=0-20"},
        {"Accept": "text/plain"},
        {"Accept-Encoding": "gzip"},
        {"Translate": "f"},
        {"TE": "trailers"},
        {"Expect": "100-continue"},
    ],
)
def test_fields(ruby, fields):
    answer = ruby.get("/a.mrb", headers=fields)
    silent(answer)
    if answer.status == 200:
        assert answer.text == "answer"


def test_ranges_are_of_the_answer(ruby):
    answer = ruby.get("/a.mrb", headers={"Range": "bytes=2-4"})
    assert (answer.status, answer.text) in ((206, "swe"), (200, "answer"))


def test_head_has_no_body(ruby):
    answer = ruby.request("HEAD", "/a.mrb")
    assert answer.status == 200 and answer.body == b""


def test_head_has_get_s_fields(ruby):
    get, head = ruby.get("/a.mrb"), ruby.request("HEAD", "/a.mrb")
    assert head.header("Content-Type") == get.header("Content-Type")
    assert head.header("Content-Length") in (None, get.header("Content-Length"))


def test_unreadable(make_httpd):
    """Those who open scripts are the children: as root the parent could read it."""
    httpd = make_httpd(workers=2)
    httpd.page("a.mrb", CODE)
    httpd.page("b.mrb", "Apache.rputs 'b'")
    httpd.start()
    assert httpd.get("/a.mrb").text == "answer"
    pids = httpd.pids()
    path = httpd.page("a.mrb", CODE, 0o000)
    if os.access(path, os.R_OK) and os.getuid() != 0:
        pytest.skip("not proven: this file system knows no permissions")
    for _ in range(20):  # more often than there are threads: each of them goes on
        answer = httpd.get("/a.mrb")
        assert answer.status in (403, 404, 500)
        silent(answer)
    for _ in range(8):
        assert httpd.get("/b.mrb").text == "b"
    assert httpd.pids() == pids
    path.chmod(0o644)
    assert httpd.get("/a.mrb").text == "answer"


def test_unreadable_folder(httpd):
    httpd.page("dir/a.mrb", CODE)
    httpd.start()
    assert httpd.get("/dir/a.mrb").text == "answer"
    (httpd.docroot / "dir").chmod(0o000)
    answer = httpd.get("/dir/a.mrb")
    (httpd.docroot / "dir").chmod(0o755)
    assert answer.status == 403
    silent(answer)


@pytest.mark.parametrize("kind", ["directory", "fifo", "socket", "link to nothing", "link to a device"])
def test_not_a_file(httpd, kind):
    """Only regular files are run; whatever else has such a name is not there, and nobody waits at a pipe."""
    import socket

    path = httpd.docroot / "x.mrb"
    if kind == "directory":
        path.mkdir(mode=0o755)
    elif kind == "fifo":
        os.mkfifo(path, 0o666)
    elif kind == "socket":
        socket.socket(socket.AF_UNIX).bind(str(path))
    else:
        path.symlink_to("/nothing/there" if kind == "link to nothing" else "/dev/zero")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nDirectorySlash Off\n<Directory />\nOptions FollowSymLinks\n</Directory>')
    assert httpd.get("/x.mrb").status in (403, 404)


def test_links_are_the_core_s_policy(httpd):
    outside = httpd.script("out.mrb", "Apache.rputs 'linked'")
    (httpd.docroot / "link.mrb").symlink_to(outside)
    conf = '<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\n<Directory "${ROOT}/htdocs">\nOptions %s\n</Directory>'
    httpd.start(conf % "FollowSymLinks")
    assert httpd.get("/link.mrb").text == "linked"
    httpd.restart(conf % "None")
    assert httpd.get("/link.mrb").status == 403


def test_path_info(httpd):
    """As for a page: what follows the script's name is not found, unless somebody wants it."""
    httpd.page("a.mrb", "Apache.rputs Apache::Request.new.path_info.inspect")
    httpd.page("dir/a.mrb", "Apache.rputs Apache::Request.new.path_info.inspect")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\n<Directory "${ROOT}/htdocs/dir">\nAcceptPathInfo On\n</Directory>')
    assert httpd.get("/a.mrb/extra").status == 404
    assert httpd.get("/dir/a.mrb/extra").text == '"/extra"'


def test_no_source_in_the_error(httpd):
    """Neither of the script nor of its message, until somebody asks."""
    httpd.page("a.mrb", f"# {SECRET}\nputs 'half'\nraise '{SECRET}'\n")
    handler = '<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\n'
    httpd.start(handler)
    answer = httpd.get("/a.mrb")
    assert answer.status == 500 and SECRET not in answer.text and "half" not in answer.text and "a.mrb" not in answer.text
    httpd.restart(handler + "MrubyErrorsToClient On\n")
    answer = httpd.get("/a.mrb")
    assert answer.status == 500 and SECRET in answer.text
    httpd.page("a.mrb", "raise '<script>alert(1)</script>'\n")
    answer = httpd.get("/a.mrb")
    assert "<script>" not in answer.text or answer.header("Content-Type").startswith("text/plain")
