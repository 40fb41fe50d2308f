"""Connection, Server, Scoreboard, Finfo and AuthnProvider."""

import os
import re

import pytest

from server import WIRES

ON = WIRES
CONF = """
ExtendedStatus On
ServerAdmin admin@example.org
<Location /timeout>
  SetHandler mruby-native-script
  MrubyFixupsCode "Apache::Server.new.timeout = 3_000_000"
  MrubyHandlerCode "Apache.rputs Apache::Server.new.timeout"
</Location>
<Location /basic>
  AuthType Basic
  AuthName "names"
  AuthBasicProvider mruby
  MrubyAuthnCheckPasswordCode "a = Apache::AuthnProvider.new; Apache.return(a.user == 'user1' && a.password == 'passwd' && a.realm.nil? ? Apache::AuthnProvider::AUTH_GRANTED : Apache::AuthnProvider::AUTH_DENIED)"
  Require valid-user
  SetHandler mruby-native-script
  MrubyHandlerCode "r = Apache.request; Apache.rputs 'allowed ' + [r.user, r.ap_auth_type, r.auth_type, r.auth_name].inspect"
</Location>
<Location /wrong>
  AuthType Basic
  AuthName "names"
  AuthBasicProvider mruby
  MrubyAuthnCheckPasswordCode "begin; Apache.return 200; rescue ArgumentError => e; Apache.log 'wrong: ' + e.message; end; begin; Apache::AuthnProvider.new.rethash = []; rescue TypeError => e; Apache.log 'and ' + e.class.to_s; end"
  Require valid-user
</Location>
"""
FILES = {"sized.mrb": "f = Apache::Finfo.new\nputs f.size, f.mode.to_s(8), f.file?, f.directory?, f.filetype == Apache::Finfo::APR_REG, f.mtime, f.user, f.group, f.inode, f.nlink, f.permission"}


def value(ruby, code: str, **more) -> str:
    return ruby(f"c = Apache::Connection.new\ns = Apache::Server.new\nputs(({code}).inspect)", **more).text.rstrip("\n")


@pytest.mark.parametrize(
    "code, text",
    [
        ("c.remote_ip", '"127.0.0.1"'), ("c.remote_port.between?(1, 65535)", "true"), ("c.remote_host", "nil"), ("c.remote_logname", "nil"),
        ("c.local_ip", '"127.0.0.1"'), ("c.local_host", "nil"), ("c.keepalive?", "false"), ("c.id.class", "Integer"),
        ("c.aborted?", "false"), ("c.alive?", "true"), ("c.data_in_input_filters", "0"),
        ("s.hostname", '"localhost"'), ("s.admin", '"admin@example.org"'), ("s.port.class", "Integer"), ("s.redirect_server_scheme", "nil"),
        ("s.path", "nil"), ("s.pathlen", "0"), ("s.loglevel == Apache::APLOG_INFO", "true"), ("s.timeout", "30000000"), ("s.keep_alive", "1"),
        ("s.keep_alive_max", "100"), ("s.keep_alive_timeout", "5000000"), ("s.limit_req_line", "8190"), ("s.limit_req_fieldsize", "8190"),
        ("s.limit_req_fields", "100"), ("s.is_virtual", "0"), ("s.virtual?", "false"), ("s.document_root == s.docroot", "true"),
    ],
)  # fmt: skip
def test_reads(ruby, code, text):
    assert value(ruby, code) == text


def test_secondary(ruby, protocol):
    """mod_http2 gives each stream a connection of its own."""
    assert value(ruby, "c.secondary?") == ("true" if protocol == "h2c" else "false")


def test_local_port(ruby):
    assert value(ruby, "c.local_port") == str(ruby.server.port)


def test_error_log(ruby):
    assert value(ruby, "s.error_fname").strip('"').endswith("logs/error.log")


def test_setting_is_for_this_request(ruby):
    """The record is the whole process's."""
    assert ruby.get("/timeout").text == "3000000"
    assert value(ruby, "s.timeout") == "30000000"
    assert value(ruby, "s.error_fname = '/nowhere/x'; s.error_fname") == '"/nowhere/x"'
    assert value(ruby, "s.error_fname == '/nowhere/x'") == "false"


def test_loglevel_of_this_request(ruby):
    ruby("s = Apache::Server.new\nApache.log Apache::APLOG_DEBUG, 'not yet'\ns.loglevel = Apache::APLOG_DEBUG\nApache.log Apache::APLOG_DEBUG, 'now it is'\nputs s.loglevel")
    ruby("Apache.log Apache::APLOG_DEBUG, 'no longer'\nApache.log 'end of levels'")
    ruby.server.wait_log("end of levels")
    log = ruby.server.error_log
    assert "now it is" in log and "not yet" not in log and "no longer" not in log


@pytest.mark.parametrize("code, error", [("s.timeout = 0", "ArgumentError"), ("s.timeout = -1", "ArgumentError"), ("s.timeout = nil", "TypeError"), ("s.loglevel = 99", "ArgumentError"), ("s.loglevel = 'x'", "TypeError"), ("s.error_fname = nil", "TypeError"), ("s.hostname = 'x'", "NoMethodError"), ("c.remote_ip = 'x'", "NoMethodError")])
def test_refuses(ruby, code, error):
    assert value(ruby, f"begin; {code}; rescue => e; e.class; end") == error


def test_keepalives(ruby, protocol):
    """How many requests this connection had before. A stream's own has had its one, as mod_http2 counts."""
    first, second = (int(value(ruby, "c.keepalives")) for _ in range(2))
    assert {"close": first == second == 0, "keep-alive": second == first + 1, "h2c": first == second == 1}[protocol], (first, second)


# Scoreboard ----------------------------------------------------------------------------------------------------------------------


def test_scoreboard(ruby, mpm, protocol):
    code = """
s = Apache::Scoreboard.new
puts s.pid, s.server_limit, s.thread_limit, s.process_limit, s.worker_limit, s.busy_worker, s.idle_worker
puts s.uptime, s.restart_time, s.total_access, s.total_kbyte, s.cpu_load
puts s.loadavg.inspect, s.status.inspect, s.counter.inspect, s.access_counter(s.pid), s.access_counter(0), s.access_counter(-5)
"""
    lines = ruby(code).text.splitlines()
    assert int(lines[0]) in ruby.server.pids()
    processes, threads = (4, 1) if mpm == "prefork" else (1, 8)
    assert [int(line) for line in lines[1:5]] == [processes, threads] * 2
    # HTTP/2's threads have no place in it: there the connection's own waits, or has gone back to event.
    assert int(lines[5]) >= (protocol != "h2c") and int(lines[5]) + int(lines[6]) <= processes * threads
    assert all(re.fullmatch(r"[\d.e+]+", line) for line in lines[7:12])
    assert lines[12].count(",") == 2 and '"127.0.0.1"=>"SERVER_' in lines[13] and '"SERVER_READY"=>' in lines[14]
    assert lines[16:] == ["-1", "-1"]


@pytest.mark.parametrize("arguments, error", [("", "ArgumentError"), ("nil", "TypeError"), ("'x'", "TypeError"), ("1, 2", "ArgumentError")])
def test_access_counter_refuses(ruby, arguments, error):
    assert value(ruby, f"begin; Apache::Scoreboard.new.access_counter({arguments}); rescue => e; e.class; end") == error


# Finfo ---------------------------------------------------------------------------------------------------------------------------


def test_finfo(ruby):
    stat = os.stat(ruby.server.docroot / "sized.mrb")
    lines = ruby.get("/sized.mrb").text.splitlines()
    assert lines[:5] == [str(stat.st_size), "644", "true", "false", "true"]
    assert lines[5:10] == [str(stat.st_mtime_ns // 1000), str(stat.st_uid), str(stat.st_gid), str(stat.st_ino), "1"]
    assert int(lines[10]) == 0x644


# AuthnProvider -------------------------------------------------------------------------------------------------------------------


def basic(ruby, path, name, password):
    import base64

    return ruby.get(path, headers={"Authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()})


def test_check_password(ruby):
    ruby.server.page("basic", "")
    answer = basic(ruby, "/basic", "user1", "passwd")
    assert (answer.status, answer.text) == (200, 'allowed ["user1", "Basic", "Basic", "names"]')
    assert basic(ruby, "/basic", "user1", "wrong").status == 401
    assert ruby.get("/basic").status == 401


def test_answers_of_a_provider(ruby):
    ruby.server.page("wrong", "")
    assert basic(ruby, "/wrong", "a", "b").status == 401
    assert "check_password" in ruby.server.wait_log("wrong: 200 is no answer")
    ruby.server.wait_log("and TypeError")


@pytest.mark.parametrize("name", ["AuthnProvider", "Filter"])
def test_only_where_they_belong(ruby, name):
    assert ruby(f"begin; Apache::{name}.new; rescue Apache::PhaseError => e; puts e.message; end").text.endswith("(this script runs as handler)\n")


def test_constants(ruby):
    code = "puts %w[AUTH_DENIED AUTH_GRANTED AUTH_USER_FOUND AUTH_USER_NOT_FOUND AUTH_GENERAL_ERROR].map { |n| Apache::AuthnProvider.const_get(n) }.inspect"
    assert ruby(code).text == "[0, 1, 2, 3, 4]\n"
