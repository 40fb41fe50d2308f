"""The configuration and the script that everybody begins with, as they were written for the older mod_mruby: unchanged."""

import pytest

from server import MODULE, MODULES, WIRES, Server

ON = WIRES
HANDLER = "AddHandler mruby-script .mrb\n"
FILES = {"hello.mrb": "require 'Apache'\nApache.rputs(\"hello world!\")\n"}


def test_hello(ruby):
    for _ in range(3):
        answer = ruby.get("/hello.mrb")
        assert (answer.status, answer.text) == (200, "hello world!")


def test_loaded_by_a_path_of_the_server_root(make_httpd):
    httpd: Server = make_httpd(mruby=False)
    (httpd.root / "modules").mkdir(mode=0o755)
    (httpd.root / "modules/mod_mruby.so").symlink_to(MODULE)
    httpd.page("hello.mrb", FILES["hello.mrb"])
    httpd.start("LoadModule mruby_module modules/mod_mruby.so\nAddHandler mruby-script .mrb\n")
    assert httpd.get("/hello.mrb").text == "hello world!"


def test_beside_mod_lua(httpd):
    httpd.page("hello.mrb", FILES["hello.mrb"])
    httpd.page("hello.lua", 'function handle(r) r:puts("hello from Lua") return apache2.OK end')
    httpd.start(HANDLER + f'LoadModule lua_module "{MODULES}/mod_lua.so"\nAddHandler lua-script .lua\n')
    assert httpd.get("/hello.mrb").text == "hello world!"
    assert httpd.get("/hello.lua").text == "hello from Lua"


def test_old_switch_is_known(httpd):
    """mod_mruby wants it before it serves scripts."""
    httpd.page("hello.mrb", FILES["hello.mrb"])
    httpd.start("mrubyHandlerEnable On\n" + HANDLER)
    assert httpd.get("/hello.mrb").text == "hello world!"


@pytest.mark.on(("event",))
def test_all_the_same_without_the_module(make_httpd):
    """What the tests of this folder say about httpd itself holds without mod_mruby too: a page is served."""
    httpd = make_httpd(mruby=False)
    httpd.page("a.html", "page")
    httpd.start("")
    assert httpd.get("/a.html").text == "page"
