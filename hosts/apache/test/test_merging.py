"""What a narrower context sets wins, what it leaves open it inherits; for hooks, handlers and limits alike."""

import pytest

from server import WIRES

ON = WIRES


def code(text: str) -> str:
    return f'MrubyFixupsMiddleCode "Apache::Request.new.headers_out[\'X-Hook\'] = \'{text}\'"\n'


def served(httpd, conf: str, path: str = "/dir/page.html", **headers) -> str | None:
    httpd.page("page.html", "page")
    httpd.page("dir/page.html", "page")
    httpd.page("dir/deep/page.html", "page")
    if httpd.process is None:
        httpd.start(conf)
    answer = httpd.get(path, headers=headers)
    assert answer.status == 200
    return answer.header("X-Hook")


def test_directory_over_server(httpd):
    conf = code("server") + f'<Directory "${{ROOT}}/htdocs/dir">\n{code("directory")}</Directory>'
    assert served(httpd, conf) == "directory"
    assert served(httpd, conf, "/page.html") == "server"
    assert served(httpd, conf, "/dir/deep/page.html") == "directory"


def test_location_over_directory(httpd):
    conf = f'<Directory "${{ROOT}}/htdocs/dir">\n{code("directory")}</Directory>\n<Location "/dir">\n{code("location")}</Location>'
    assert served(httpd, conf) == "location"


def test_deeper_directory_over_outer(httpd):
    conf = f'<Directory "${{ROOT}}/htdocs/dir/deep">\n{code("deep")}</Directory>\n<Directory "${{ROOT}}/htdocs/dir">\n{code("outer")}</Directory>'
    assert served(httpd, conf, "/dir/deep/page.html") == "deep"
    assert served(httpd, conf) == "outer"


def test_virtual_host_over_server_and_inherits(httpd):
    conf = code("server") + f"<VirtualHost *:${{PORT}}>\nServerName own\n{code('host')}</VirtualHost>\n<VirtualHost *:${{PORT}}>\nServerName bare\n</VirtualHost>"
    assert served(httpd, conf, Host="own") == "host"
    assert served(httpd, conf, Host="bare") == "server"


def test_directory_over_virtual_host(httpd):
    conf = f"<VirtualHost *:${{PORT}}>\nServerName own\n{code('host')}<Directory \"${{ROOT}}/htdocs/dir\">\n{code('directory')}</Directory>\n</VirtualHost>"
    assert served(httpd, conf, Host="own") == "directory"
    assert served(httpd, conf, "/page.html", Host="own") == "host"


def test_a_hook_is_one_setting(httpd):
    """Who names code for a hook replaces what the outer place names for it, at all three places in its order."""
    append = "r = Apache::Request.new; r.headers_out['X-Hook'] = r.headers_out['X-Hook'].to_s + '{}'"
    conf = f'MrubyFixupsFirstCode "{append.format("first ")}"\nMrubyFixupsMiddleCode "{append.format("middle")}"\n'
    conf += f'<Directory "${{ROOT}}/htdocs/dir">\nMrubyFixupsLastCode "{append.format("last")}"\n</Directory>'
    assert served(httpd, conf) == "last"
    assert served(httpd, conf, "/page.html") == "first middle"


def test_none_leaves_a_hook_empty(httpd):
    conf = code("server") + '<Directory "${ROOT}/htdocs/dir">\nMrubyFixupsMiddle none\n</Directory>'
    assert served(httpd, conf) is None
    assert served(httpd, conf, "/page.html") == "server"


@pytest.mark.on(["event"])
def test_none_after_code_takes_it_back(httpd):
    assert served(httpd, code("server") + "MrubyFixups none\n") is None


def test_other_hooks_stay(httpd):
    conf = code("server") + "<Directory \"${ROOT}/htdocs/dir\">\nMrubyAccessCheckerMiddleCode \"Apache::Request.new.headers_out['X-Other'] = 'set'\"\n</Directory>"
    assert served(httpd, conf) == "server"
    assert httpd.get("/dir/page.html").header("X-Other") == "set"


def test_file_and_code_of_one_place(httpd):
    """The narrower one wins, whichever form it has."""
    httpd.script("hook.rb", "Apache::Request.new.headers_out['X-Hook'] = 'file'")
    conf = 'MrubyFixupsMiddle "${ROOT}/scripts/hook.rb"\n' + f'<Directory "${{ROOT}}/htdocs/dir">\n{code("code")}</Directory>'
    assert served(httpd, conf) == "code"
    assert served(httpd, conf, "/page.html") == "file"


def test_limits(httpd):
    httpd.page("dir/body.mrb", "Apache.rputs Apache::Request.new.body.size")
    httpd.page("body.mrb", "Apache.rputs Apache::Request.new.body.size")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nMrubyMaxBody 10\n<Directory "${ROOT}/htdocs/dir">\nMrubyMaxBody 100\n</Directory>')
    assert httpd.post("/body.mrb", "x" * 50).status == 413
    assert httpd.post("/dir/body.mrb", "x" * 50).text == "50"
    assert httpd.post("/dir/body.mrb", "x" * 101).status == 413


LISTS = """
found = %w(a b c).select { |name| begin; require "found_#{name}"; true; rescue LoadError; false; end }
may = %w(read write).select { |what| File.respond_to?(what) }
puts "init #{$init}, found #{found.join}, may #{may.join}"
"""


def lists(names: str, more: str) -> str:
    return "".join(f'MrubyInit "${{ROOT}}/scripts/{name}.rb"\nMrubyLoadPath "${{ROOT}}/scripts/{name}"\n' for name in names) + more


@pytest.mark.on(["event"])
def test_lists_replace_the_outer_place_s(httpd):
    """Within a place a list grows from line to line; an inner place's stands alone, and one that names none has the outer one."""
    for name in "abc":
        httpd.script(f"{name}.rb", f"$init = $init.to_s + '{name}'")
        httpd.script(f"{name}/found_{name}.rb", "")
    for folder in ("", "dir/", "dir/deep/", "other/"):
        httpd.page(f"{folder}lists.mrb", LISTS)
    conf = '<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\n' + lists("ab", "MrubyAllow read\nMrubyMethods GET\nMrubyMethods PUT\n")
    conf += '<Directory "${ROOT}/htdocs/dir">\n' + lists("c", "MrubyAllow write\nMrubyMethods GET\n") + "</Directory>\n"
    httpd.start(conf + '<Directory "${ROOT}/htdocs/other">\nMrubyTimeout 5\n</Directory>')
    for folder, text, status in (("", "init ab, found ab, may read\n", 200), ("dir/", "init c, found c, may write\n", 405), ("dir/deep/", "init c, found c, may write\n", 405), ("other/", "init ab, found ab, may read\n", 200)):
        assert httpd.get(f"/{folder}lists.mrb").text == text
        assert httpd.request("PUT", f"/{folder}lists.mrb").status == status


def test_handler_by_directory(httpd):
    httpd.page("dir/a.txt", "plain")
    httpd.page("a.txt", "plain")
    httpd.start("<Directory \"${ROOT}/htdocs/dir\">\nMrubyHandlerMiddleCode \"Apache.rputs 'mine'\"\n</Directory>")
    assert httpd.get("/dir/a.txt").text == "mine"
    assert httpd.get("/a.txt").text == "plain"


@pytest.mark.parametrize("order", [0, 1])
def test_two_files_sections(httpd, order):
    """Later sections of one kind win."""
    sections = [f'<FilesMatch "page">\n{code(name)}</FilesMatch>\n' for name in ("one", "two")]
    if order:
        sections.reverse()
    assert served(httpd, "".join(sections)) == ("one" if order else "two")
