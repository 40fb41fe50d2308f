"""Every method of every class with arguments that make no sense: an exception of Ruby's, never a dead child; and objects that
outlive their request."""

import http.client

import pytest

import h2
from server import WIRES

ON = WIRES
# What is not called with anything: what ends or delays the script, and what only says that it is not there.
SKIPPED = "sleep exit! fork exec system abort fail raise throw loop instance_eval class_eval module_eval instance_exec class_exec module_exec eval __send__ send public_send"
CLASSES = ["Request", "Response", "Connection", "Server", "Scoreboard", "Finfo", "Headers_in", "Headers_out", "Err_headers_out", "Notes", "Env", "Subrequest", "Rack::Input", "Rack::Errors", "Rack::Text"]
MAKE = {"Subrequest": "Apache.request.subrequest('/part.txt')", "Rack::Input": "Apache::Rack::Input.new(Apache.request)"}
FUZZ = """
WRONG = [nil, true, 0, -1, 1 << 40, -(1 << 60), 1.5, 0.0 / 0, '', 'x', 'x' * 5000, "a\\0b", "\\r\\nX: y", "\\xff\\xfe", :sym, [], [nil], {}, { 1 => 2 }, Object.new,
         Class, Apache, Apache::Request, ->(x) { x }, 1..2, Apache.request, BasicObject]
def attempt(target, name, arguments)
  target.__send__(name, *arguments) { |*x| break }
rescue Exception => e
  raise if e.is_a?(NoMemoryError)
  e.class
end
"""
CONF = """
<Location /kept>
  SetHandler mruby-native-script
  MrubyScope thread
  MrubyHandlerCode "begin; $made ||= [Apache.request, Apache.response, Apache.connection, Apache.server, Apache.request.headers_in, Apache.request.finfo, Apache::Notes.new, Apache::Env.new, Apache::Scoreboard.new]; $turn = ($turn || 0) + 1; puts $turn; $made.each { |o| puts(begin; o.uri if o.respond_to?(:uri); o.status if o.respond_to?(:status); o.remote_ip if o.respond_to?(:remote_ip); o.hostname if o.respond_to?(:hostname); o['x'] if o.respond_to?(:get_all); o.size if o.respond_to?(:filetype); o.pid if o.respond_to?(:pid); 'live'; rescue Apache::StaleError; 'stale'; end) }; end"
</Location>
<Location /state>
  SetHandler mruby-native-script
  MrubyHandlerCode "puts $leaked.inspect; $leaked = Apache.request; class Apache::Request; def mine; 1; end; end"
</Location>
"""
SETTINGS = {"workers": 1}
FILES = {"part.txt": "part", "kept": "", "state": ""}


def fuzz(target: str, names: str, tail: str = "Apache.return Apache::OK\nputs 'survived'") -> str:
    return f"""{FUZZ}
skipped = %w[{SKIPPED}].map {{ |n| n.to_sym }}
({names}).each do |name|
  next if skipped.include?(name)
  WRONG.each do |wrong|
    target = {target}
    attempt(target, name, [])
    attempt(target, name, [wrong])
    attempt(target, name, [wrong, WRONG[(name.to_s.size + wrong.hash) % WRONG.size]])
    attempt(target, name, ['X-A', wrong])
  end
end
{tail}
"""


@pytest.fixture(autouse=True)
def many_headers(monkeypatch):
    """A fuzzed response may have more of them than Python's client takes."""
    monkeypatch.setattr(http.client, "_MAXHEADERS", 100000)


def survives(ruby, code):
    try:
        answer = ruby(code)
        assert answer.status in range(200, 600), answer
    except h2.Reset:
        # More than 64 KB of fields, which the library of HTTP/2 does not send.
        assert ruby.protocol == "h2c"
    assert ruby("puts 'next'").text == "next\n"


@pytest.mark.parametrize("name", CLASSES)
def test_methods(ruby, name):
    """What a method does with the response makes no difference: the child lives and the next request is served."""
    make = MAKE.get(name, f"Apache::{name}.new")
    survives(ruby, fuzz(make, f"Apache::{name}.instance_methods(false) + Apache::{name.split('::')[0]}.instance_methods(false)"))


def test_apache_s_own(ruby):
    survives(ruby, fuzz("Apache", "Apache.singleton_methods(false) - [:sleep]"))


def test_apps(ruby):
    code = FUZZ + "WRONG.each { |a| attempt(self, :run, [a]); WRONG.each { |b| attempt(self, :run, [->(e) { [200, a, b] }]); attempt(self, :run, [->(e) { [a, {}, b] }]) } }\nputs 'survived'"
    survives(ruby, code)


@pytest.mark.parametrize("name", [c for c in CLASSES if "::" not in c])
def test_without_initialize(ruby, name):
    code = f"class Mine < Apache::{name}\n  def initialize; end\nend\nm = Mine.new\nr = Apache::{name}.instance_methods(false).map {{ |n| begin; m.__send__(n); n; rescue TypeError, ArgumentError, NotImplementedError; nil; end }}.compact\nputs r.inspect"
    answer = ruby(code)
    assert answer.status == 200
    # Of all that, only what is never asked of the object itself may answer.
    assert set(answer.text.strip("[]\n").replace(":", "").split(", ")) <= {"", "initialize", "get?", "error_log_into"}


def test_twice_initialized(ruby):
    assert ruby("r = Apache::Request.new\n1000.times { r.__send__(:initialize) }\nputs r.uri.class").text == "String\n"


def test_copies(ruby):
    code = "r = Apache::Request.new\nputs [:dup, :clone].map { |m| begin; r.__send__(m).uri.class; rescue TypeError, NoMethodError => e; e.class; end }.inspect"
    assert ruby(code).status == 200


def test_other_classes_in_their_place(ruby):
    assert ruby("class Apache; Headers_in = String; end\nbegin\n  Apache.request.headers_in['x']\nrescue StandardError => e\n  puts 'refused'\nend").status == 200
    assert ruby("Apache = 5\nbegin\n  Object.new.run(->(e) {})\nrescue StandardError\n  puts 'refused'\nend").status == 200
    assert ruby("puts Apache::Headers_in").text == "Apache::Headers_in\n"


def test_strings_that_change_meanwhile(ruby):
    code = """
s = 'x' * 1000
class Evil; def initialize(s); @s = s; end; def to_s; @s.replace('y' * 100000); 'e'; end; def to_str; @s.clear; 'e'; end; end
o = Apache.response
o.write(s, Evil.new(s), s, Evil.new(s))
begin; o.headers[s] = Evil.new(s); rescue TypeError; end
begin; o.redirect(s, Evil.new(s)); rescue TypeError; end
o.puts s, Evil.new(s)
"""
    assert ruby(code).status == 200


# Objects that outlive their request ------------------------------------------------------------------------------------------------


def test_stale(ruby):
    ruby.server.restart(graceful=False)  # on prefork and over HTTP/2 another thread serves: it has made none of them yet
    first = ruby.get("/kept").text.split()
    second = ruby.get("/kept").text.split()
    assert first[0] == "1" and set(first[1:]) == {"live"} and len(first) == 10
    assert second[0] == "2" and set(second[1:]) == {"stale"} and len(second) == 10


def test_nothing_stays(ruby):
    assert [ruby.get("/state").text for _ in range(3)] == ["nil\n"] * 3
    assert ruby("puts Apache::Request.new.respond_to?(:mine)").text == "false\n"
