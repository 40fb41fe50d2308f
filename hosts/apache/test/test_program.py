"""kumihimo-mruby: what its options do, and what --help says of them."""

import re
import subprocess

import pytest
from server import BUILD, HOST

PROGRAM = BUILD / "kumihimo-mruby"
pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")


def run(*options):
    return subprocess.run([PROGRAM, *options], capture_output=True, text=True, timeout=60)


def test_a_limit_that_is_not_zero_is_one():
    for time, told in [("1e-10", "1 ns"), ("0.0004", "400 us"), ("0.0007", "700 us"), ("0.02", "20 ms")]:
        ran = run("--time", time, "-e", "loop {}")
        assert ran.returncode == 1
        assert f"longer than its limit of {told}\n" in ran.stderr
    assert run("--time", "0", "-e", "puts 1").stdout == "1\n"


def test_help_names_every_option(tmp_path):
    text = run("--help").stdout
    assert run("-h").stdout == text
    source = (HOST.parent / "mruby" / "program" / "main.cpp").read_text()
    taken = set(re.findall(r'option == "(-[^"]+)"', source)) - {"--"}
    assert {"-I", "-h", "--runs"} <= taken
    named = set(re.findall(r"(?<![\w-])--?[A-Za-z][a-z-]*", text))
    assert taken <= named
    (tmp_path / "one.rb").write_text("puts 'one'")
    for option in ["-I", "--load-path"]:
        assert run(option, tmp_path, "-e", "require 'one'").stdout == "one\n"
