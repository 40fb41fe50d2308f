"""A script computes and answers. Files, programs and sockets are there only where MrubyAllow names them."""

import tempfile

import pytest

from server import WIRES

ON = WIRES
HANDLER = """
<FilesMatch ".+\\.mrb$">
  SetHandler mruby-script
</FilesMatch>
<Directory "${ROOT}/htdocs/may/read">
  MrubyAllow read
</Directory>
<Directory "${ROOT}/htdocs/may/process">
  MrubyAllow io process
</Directory>
<Directory "${ROOT}/htdocs/may/socket">
  MrubyAllow io socket
</Directory>
"""
CANARY = f"{tempfile.gettempdir()}/kumihimo-canary"

ESCAPES = {
    "backquote": "`id`",
    "percent x": "%x(id)",
    "popen": "IO.popen('id').read",
    "popen by send": "IO.send(:popen, 'id').read",
    "_popen": "IO._popen('id', 'r', {}).read",
    "system": "system('id')",
    "exec": "exec('id')",
    "spawn": "spawn('id')",
    "fork": "fork",
    "pipe open": "open('|id').read",
    "kernel backquote by send": "Kernel.send(:`, 'id')",
    "object send": "Object.new.__send__(:`, 'id')",
    "read": "File.read('/etc/passwd')",
    "open": "File.open('/etc/passwd').read",
    "kernel open": "open('/etc/passwd').read",
    "io read": "IO.read('/etc/passwd')",
    "sysopen": "IO.sysopen('/etc/passwd')",
    "file new": "File.new('/etc/passwd').read",
    "io for fd": "IO.new(2, 'w').write('x'); 1",
    "io for_fd": "IO.for_fd(0).read",
    "write": f"File.open('{CANARY}', 'w') {{ |f| f.write 'x' }}; 1",
    "append": f"File.open('{CANARY}', 'a') {{ |f| f.write 'x' }}; 1",
    "delete": f"File.delete('{CANARY}')",
    "unlink": f"File.unlink('{CANARY}')",
    "rename": f"File.rename('{CANARY}', '{CANARY}2')",
    "symlink": f"File.symlink('/etc/passwd', '{CANARY}')",
    "chmod": f"File.chmod(0777, '{CANARY}')",
    "exist": "File.exist?('/etc/passwd') or raise 'no'",
    "file test": "FileTest.exist?('/etc/passwd') or raise 'no'",
    "readlink": "File.readlink('/proc/self/exe')",
    "realpath": "File.realpath('/proc/self/exe')",
    "tcp": "TCPSocket.new('127.0.0.1', 1)",
    "tcp server": "TCPServer.new('127.0.0.1', 0)",
    "udp": "UDPSocket.new",
    "unix": "UNIXSocket.new('/nowhere/x')",
    "unix pair": "UNIXSocket.pair",
    "addrinfo": "Addrinfo.getaddrinfo('localhost', 'http')",
    "dir": "Dir.entries('/')",
    "require path": "require '/etc/passwd'",
    "load path": "load '/etc/passwd'",
    "require up": "require '../../../../etc/passwd'",
    "kept before": "ObjectSpace.each_object(Class) { |c| raise 'x' if false; c.popen('id') if c.respond_to?(:popen) } ; raise 'none'",
    "class by name": "Object.const_get('IO').popen('id').read",
    "exit": "exit!(3)",
    "kill": "Process.kill(9, Process.pid)",
    "gets": "gets",
}


@pytest.mark.parametrize("name", ESCAPES)
def test_forbidden(ruby, name):
    """It raises, and the script goes on: neither the result nor the process is reached."""
    code = ESCAPES[name]
    pids = ruby.server.pids()
    answer = ruby(f"begin\n  x = ({code})\n  Apache.rputs \"GOT \" + x.inspect\nrescue Exception => e\n  Apache.rputs \"refused #{{e.class}}\"\nend")
    assert answer.status == 200 and answer.text.startswith("refused "), answer
    assert "root:" not in answer.text and "uid=" not in answer.text
    assert ruby.server.pids() == pids


def test_standard_streams_are_the_request_s(ruby):
    """The process's own go nowhere that a script may write to."""
    assert ruby("$stdout.write('to the client')\nSTDERR.puts('to the error log')").text == "to the client"
    ruby.server.wait_log("to the error log")


def test_eval_has_no_more(ruby):
    answer = ruby("begin\n  eval('`id`')\n  Apache.rputs 'GOT'\nrescue Exception => e\n  Apache.rputs 'refused'\nend")
    assert answer.text == "refused"


def test_the_shell_runs_where_it_is_allowed(ruby):
    answer = ruby("Apache.rputs IO.popen('echo allowed').read", name="may/process/a.mrb")
    assert answer.text == "allowed\n"


def test_reading_where_it_is_allowed(ruby):
    ruby.server.script("data.txt", "data")
    answer = ruby(f"Apache.rputs File.read('{ruby.server.scripts}/data.txt')", name="may/read/a.mrb")
    assert answer.text == "data"
    answer = ruby(f"begin\n  File.open('{ruby.server.root}/run/x', 'w')\n  Apache.rputs 'written'\nrescue Exception => e\n  Apache.rputs 'refused'\nend", name="may/read/b.mrb")
    assert answer.text == "refused"


def test_sockets_where_they_are_allowed(ruby):
    answer = ruby("s = TCPServer.new('127.0.0.1', 0)\nApache.rputs s.addr[0]\ns.close", name="may/socket/a.mrb")
    assert answer.text == "AF_INET"


def test_one_place_s_permission_is_not_another_s(ruby):
    """The same thread, another profile."""
    for _ in range(10):
        assert ruby("Apache.rputs IO.popen('echo y').read", name="may/process/b.mrb").text == "y\n"
        assert ruby("begin\n  IO.popen('echo y')\nrescue Exception => e\n  Apache.rputs 'refused'\nend", name="plain.mrb").text == "refused"


def test_runs_unprivileged(ruby):
    """As whom httpd's children run: not root."""
    answer = ruby("Apache.rputs IO.popen('id -u').read", name="may/process/c.mrb")
    import os

    assert answer.text != "0\n" and (os.getuid() == 0 or answer.text == f"{os.getuid()}\n")


def test_descriptors_do_not_leak_into_programs(ruby):
    """httpd's sockets and logs stay closed to what a script starts, as for CGI."""
    answer = ruby("Apache.rputs IO.popen('ls -l /proc/self/fd').read", name="may/process/d.mrb")
    assert "socket:" not in answer.text
