"""Each request finds the VM as it was made: nothing that a script did before is there. One thread, so one VM for all of them."""

import pytest

from server import WIRES

ON = WIRES
SETTINGS = {"workers": 1}
CONF = '<Directory "${ROOT}/htdocs/kept">\nMrubyScope thread\n</Directory>\n'

# What a script does, and how the next one would notice: it must print what it would have printed before.
LEAKS = {
    "global": ("$a = 1", "$a.inspect"),
    "global counter": ("$n = $n.to_i + 1", "$n.inspect"),
    "constant": ("LEFT = 1", "Object.const_defined?(:LEFT)"),
    "class": ("class Left; end", "Object.const_defined?(:Left)"),
    "module": ("module Left; end", "Object.const_defined?(:Left)"),
    "method of Object": ("def left; 1; end", "Object.new.respond_to?(:left)"),
    "reopened String": ("class String\n  def size\n    42\n  end\nend", "'abc'.size"),
    "reopened Integer": ("class Integer\n  def +(o)\n    42\n  end\nend", "1.send(:+, 1)"),
    "reopened Array": ("class Array\n  def each\n    raise 'x'\n  end\nend", "a = []\n[1].each { |x| a << x }\na"),
    "reopened Apache": ("class << Apache\n  def rputs(x)\n  end\nend", "Apache.respond_to?(:rputs)"),
    "undefined method": ("class String\n  undef_method :upcase\nend", "'a'.upcase"),
    "removed method": ("class Hash\n  remove_method :each\nend", "{1 => 2}.respond_to?(:each)"),
    "alias": ("class String\n  alias upcase downcase\nend", "'aB'.upcase"),
    "removed constant": ("Object.send(:remove_const, :JSON)", "Object.const_defined?(:JSON)"),
    "constant changed": ("Object.const_set(:Comparable, 1)", "Comparable"),
    "included": ("module M\n  def mixed; end\nend\nclass Object\n  include M\nend", "1.respond_to?(:mixed)"),
    "prepended": ("module M\n  def upcase; 'p'; end\nend\nclass String\n  prepend M\nend", "'a'.upcase"),
    "extended": ("module M\n  def mixed; end\nend\nKernel.extend M", "Kernel.respond_to?(:mixed)"),
    "singleton": ("def JSON.left; end", "JSON.respond_to?(:left)"),
    "class variable": ("class Object\n  @@left = 1\nend", "Object.class_variable_defined?(:@@left)"),
    "instance variable of a class": ("String.instance_variable_set(:@left, 1)", "String.instance_variable_get(:@left)"),
    "instance variable of main": ("@left = 1", "@left.inspect"),
    "frozen class": ("String.freeze", "String.frozen?"),
    "frozen main": ("self.freeze", "self.frozen?"),
    "frozen literal": ("X = 'lit'\nX << 'more'\ndef x; 'lit'; end\nx << 'x'", "'lit'"),
    "changed literal in an array": ("a = ['x'][0] << 'y'", "['x'][0]"),
    "required": ("require 'json'", "require 'json'"),
    "loaded features": ("$\" << 'x' if $\"", "$\".inspect"),
    "symbols": ("'only_here_1234567'.to_sym", "Symbol.all_symbols.include?(:x) if false\n1"),
    "random seed": ("srand(42)\nrand", "srand(1)\na = rand\nsrand(1)\na == rand"),
    "method_missing": ("class Object\n  def method_missing(n, *a)\n    'missed'\n  end\nend", "begin\n  nothing_here\nrescue NameError\n  'raised'\nend"),
    "to_s": ("class Object\n  def to_s\n    'mine'\n  end\nend", "Object.new.to_s.start_with?('#<')"),
    "inspect of nil": ("class NilClass\n  def inspect\n    'mine'\n  end\nend", "nil.inspect"),
    "truth": ("class TrueClass\n  def !\n    true\n  end\nend", "true.send(:!)"),
    "exceptions": ("class Exception\n  def message\n    'mine'\n  end\nend", "begin\n  raise 'x'\nrescue => e\n  e.message\nend"),
    "StandardError reopened": ("class StandardError\n  def self.new(*a)\n    raise Exception\n  end\nend", "begin\n  raise StandardError, 'x'\nrescue StandardError => e\n  e.message\nend"),
    "big heap": ("$a = (0..200_000).to_a\n$b = {}\n50_000.times { |i| $b[i] = 'x' * 20 }", "ObjectSpace.count_objects[:T_STRING] < 20_000"),
    "output left": ("puts 'printed, not raised'", "1"),
    "fiber alive": ("$f = Fiber.new { Fiber.yield 1 }\n$f.resume", "$f.inspect"),
    "enumerator alive": ("$e = [1, 2].each\n$e.next", "$e.inspect"),
    "gc settings": ("GC.disable\nGC.interval_ratio = 400", "[GC.interval_ratio, GC.generational_mode]"),
    "after raise": ("$a = 1\nclass Left; end\nraise 'x'", "[$a, Object.const_defined?(:Left)].inspect"),
    "after no memory": ("$a = []\n$a << 'x' * 1_000_000 while true", "$a.inspect"),
    "after deep recursion": ("$a = 1\ndef f\n  f\nend\nf", "[$a.inspect, Object.new.respond_to?(:f)]"),
    "after timeout": ("$a = 1\nclass Left; end\nwhile true\nend", "[$a, Object.const_defined?(:Left)].inspect"),
    "after return": ("$a = 1\nApache.return 404", "$a.inspect"),
    "time zone": ("ENV['TZ'] = 'Asia/Tokyo' rescue nil", "Time.at(0).utc.hour"),
    "apache constant": ("Apache::OK = 42 rescue Apache.const_set(:OK, 42)", "Apache::OK"),
}
CONF += "MrubyMemoryLimit 32M\nMrubyTimeout 500ms\n"


@pytest.mark.parametrize("name", LEAKS)
def test_nothing_leaks(ruby, name):
    leak, notice = LEAKS[name]
    noticing = ruby.page(f"notice_{name.replace(' ', '_')}.mrb", f"x = begin\n{notice}\nend\nApache.rputs x.inspect\n")
    leaking = ruby.page(f"leak_{name.replace(' ', '_')}.mrb", leak + "\n")
    before = ruby.get(noticing)
    assert before.status == 200, before
    for _ in range(2):
        ruby.get(leaking)
        after = ruby.get(noticing)
        assert (after.status, after.text) == (200, before.text)


def test_a_counter_stays_one(ruby):
    for _ in range(20):
        assert ruby("$n = $n.to_i + 1\nApache.rputs $n", name="counter.mrb").text == "1"


def test_a_changed_script_leaks_nothing_of_its_last_version(ruby):
    for i in range(5):
        answer = ruby(f"class V{i}; end\nApache.rputs (0..5).select {{ |j| Object.const_defined?(\"V#{{j}}\") }}.inspect", name="versions.mrb")
        assert answer.text == f"[{i}]"


def test_response_of_one_request_is_not_another_s(ruby):
    ruby("Apache.rputs 'first'\nApache::Request.new.headers_out['X-Left'] = '1'\nraise 'x'")
    answer = ruby("Apache.rputs 'second'")
    assert answer.text == "second" and answer.header("X-Left") is None


def test_request_object_of_before_is_stale(ruby):
    """Only where state is kept can it be reached at all."""
    ruby("$r = Apache::Request.new\n$h = $r.headers_in\n$n = $r.notes\nApache.rputs 'kept'", name="kept/put.mrb")
    for use in ("$r.uri", "$h['Host']", "$n['a'] = 'b'", "$r.headers_out['a'] = 'b'", "$r.body", "$r.user = 'x'"):
        answer = ruby(f"begin\n  {use}\n  Apache.rputs 'alive'\nrescue => e\n  Apache.rputs e.class\nend", name="kept/use.mrb")
        assert answer.text == "Apache::StaleError", (use, answer)


def test_thread_scope_keeps(ruby):
    answers = [ruby("$count = $count.to_i + 1\nclass Kept; end\nApache.rputs $count", name="kept/count.mrb").text for _ in range(5)]
    assert answers == ["1", "2", "3", "4", "5"]
    assert ruby("Apache.rputs Object.const_defined?(:Kept)", name="kept/look.mrb").text == "true"
    assert ruby("Apache.rputs Object.const_defined?(:Kept)", name="look.mrb").text == "false"


def test_thread_scope_after_an_exception(ruby):
    ruby("$kept = 'before'\nraise 'x'", name="kept/raise.mrb")
    assert ruby("Apache.rputs $kept.inspect", name="kept/look2.mrb").text == '"before"'


def test_thread_scope_after_a_timeout(ruby):
    """What was broken off in the middle is not used again."""
    ruby("$kept = 'before'", name="kept/before.mrb")
    assert ruby("$kept = 'half'\nwhile true\nend", name="kept/loop.mrb").status == 500
    assert ruby("Apache.rputs $kept.inspect", name="kept/look3.mrb").text in ("nil", '"before"')


def test_hook_and_handler_of_one_request(httpd):
    """Two runs: what they tell each other goes by the request (notes), not by globals."""
    httpd.page("a.mrb", "Apache.rputs [$g, Apache::Request.new.notes['n']].inspect")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nMrubyFixupsMiddleCode "$g = 1; Apache::Request.new.notes[\'n\'] = \'told\'"\n')
    assert httpd.get("/a.mrb").text == '[nil, "told"]'


def test_init_file_is_in_every_run(httpd):
    httpd.script("init.rb", "$ready = ['from init']\nclass Shared\n  VALUE = 42\nend\n")
    httpd.page("a.mrb", "$ready << 'changed'\nApache.rputs $ready.inspect + Shared::VALUE.to_s")
    httpd.start('<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\nMrubyInit "${ROOT}/scripts/init.rb"\n')
    for _ in range(3):
        assert httpd.get("/a.mrb").text == '["from init", "changed"]42'
