"""What is installed: the module with one symbol, and Debian's layout, which a2enmod works on."""

import os
import re
import shutil
import subprocess

import pytest

from server import HOST, MODULE, MODULES


def test_layout(installed):
    files = {str(path.relative_to(installed)) for path in installed.rglob("*") if path.is_file()}
    assert str(MODULES).lstrip("/") + "/mod_mruby.so" in files
    assert {"etc/apache2/mods-available/mruby.load", "etc/apache2/mods-available/mruby.conf"} <= files


def test_load_file(installed):
    text = (installed / "etc/apache2/mods-available/mruby.load").read_text()
    assert re.search(rf"^LoadModule mruby_module {re.escape(str(MODULES))}/mod_mruby\.so$", text, re.M)


def test_enabled_as_a2enmod_does(installed, make_httpd):
    """Links in mods-enabled, both read before the sites."""
    available, enabled = installed / "etc/apache2/mods-available", installed / "etc/apache2/mods-enabled"
    enabled.mkdir(exist_ok=True)
    if (HOST / "conf").is_dir():
        for name in ("mruby.load", "mruby.conf"):
            link = enabled / name
            if not link.exists():
                link.symlink_to(f"../mods-available/{name}")
    httpd = make_httpd(mruby=False)
    for name in ("mruby.load", "mruby.conf"):
        text = (available / name).read_text().replace(str(MODULES) + "/mod_mruby.so", str(MODULE))
        httpd.write(f"conf/{name}", text)
    httpd.page("hello.mrb", "Apache.rputs 'hello'")
    httpd.page(".mrb", "Apache.rputs 'hidden'")
    httpd.page("x.mrb.bak", "Apache.rputs 'backup'")
    httpd.start('Include "${ROOT}/conf/mruby.load"\nInclude "${ROOT}/conf/mruby.conf"\n')
    assert httpd.get("/hello.mrb").text == "hello"
    assert httpd.get("/.mrb").status == 403
    assert "backup" not in httpd.get("/x.mrb.bak").text


def test_a2enmod(installed, package, tmp_path):
    confdir = tmp_path / "apache2"
    shutil.copytree(installed / "etc/apache2/mods-available", confdir / "mods-available")
    enabled = confdir / "mods-enabled"
    enabled.mkdir()
    environment = {**os.environ, "APACHE_CONFDIR": str(confdir), "APACHE_STATE_DIRECTORY": str(tmp_path / "state")}

    def run(program: str) -> None:
        done = subprocess.run([package / "usr/sbin" / program, "mruby"], env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and "ERROR" not in done.stdout + done.stderr, done.stdout + done.stderr

    run("a2enmod")
    assert sorted(path.name for path in enabled.iterdir() if path.exists()) == ["mruby.conf", "mruby.load"]
    run("a2dismod")
    assert not list(enabled.iterdir())


def test_conf_stands_without_the_module(installed, make_httpd):
    """Where somebody includes the .conf alone, it keeps the sources from being sent."""
    httpd = make_httpd(mruby=False)
    names = ("hello.mrb", "hello.MRB", "hello.Mrb~", "hello.mrb.bak", "hello.mrb2", ".mrb")
    for name in names:
        httpd.page(name, "Apache.rputs 'SOURCE'")
    httpd.write("conf/mruby.conf", (installed / "etc/apache2/mods-available/mruby.conf").read_text())
    httpd.start('Include "${ROOT}/conf/mruby.conf"\n')
    assert [httpd.get(f"/{name}").status for name in names] == [403] * len(names)


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def needs(program: str) -> None:
    if not shutil.which(program):
        pytest.skip(f"not proven: {program} (binutils) is not here")


def test_one_symbol():
    """libmruby's 593 functions stay inside: another module may bring another mruby."""
    needs("nm")
    names = [line.split()[-1] for line in output("nm", "-D", "--defined-only", str(MODULE)).splitlines()]
    assert names == ["mruby_module"]


def test_no_text_relocations():
    needs("readelf")
    dynamic = output("readelf", "-d", str(MODULE))
    assert "TEXTREL" not in dynamic and "RPATH" not in dynamic and "RUNPATH" not in dynamic
    libraries = set(re.findall(r"NEEDED.*\[(.*?)\]", dynamic))
    assert not any("mruby" in name for name in libraries), "libmruby is linked in"


def test_loads_lazily_bound_into_a_bare_server(make_httpd):
    """No other module is needed for it."""
    httpd = make_httpd()
    httpd.modules = ("authz_core", "mime", "dir", "alias", "authn_core")
    httpd.page("hello.mrb", "Apache.rputs 'hello'")
    httpd.start()
    assert httpd.get("/hello.mrb").text == "hello"
