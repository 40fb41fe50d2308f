"""Any text of httpd's may be missing: a script runs without it, and no child dies of it. mod_nulls.c takes each one away in turn.

What httpd makes for every request, and uses without a look itself, is not among them: tables, pools, configurations, the connection."""

import re
from pathlib import Path

import pytest

from server import BUILD

FIELDS = re.findall(r"^    OF_(?:\w+)\(([\w.]+)\)", (Path(__file__).parent / "mod_nulls.c").read_text(), flags=re.MULTILINE)

# Every method that takes nothing, of every class; those that set something are left out, and those that run the script again.
ASK_ALL = """
not_asked = [:initialize, :run_handler, :finish, :close, :discard, :flush, :subrequest, :body, :read, :readpartial, :json, :form, :POST, :dup, :clone]
asked = 0
["Request", "Response", "Connection", "Server", "Finfo", "Scoreboard", "Headers_in", "Headers_out", "Err_headers_out", "Notes", "Env"].each do |name|
  kind = Apache.const_get(name)
  object = kind.new
  kind.instance_methods(false).each do |method|
    next if not_asked.include?(method)
    begin
      object.__send__(method) { |*| }
      asked += 1
    rescue ArgumentError, Apache::PhaseError, Apache::Error, TypeError, RangeError, NotImplementedError, LocalJumpError, NoMethodError
    end
  end
end
request = Apache::Request.new
[[:lookup_file, "other.txt"], [:subrequest, "/other.txt"], [:filename=, request.document_root.to_s + "/other.txt"]].each do |call|
  begin
    request.__send__(*call)
  rescue ArgumentError, Apache::PhaseError, Apache::Error
  end
end if Apache.phase != "log_transaction"
Apache.log Apache::APLOG_NOTICE, "asked #{asked} in #{Apache.phase}"
Apache.echo "asked #{asked}" if Apache.phase == "handler"
"""

FILES = {"all.mrb": ASK_ALL, "one.mrb": "Apache.echo 'one'", "form.mrb": "r = Apache.request\np r.query, r.cookies, r.form, r.body", "other.txt": "other"}
SCRIPTS = {"all.rb": ASK_ALL, "run.rb": "run(->(env) { [200, {}, [env.size.to_s]] })"}
CONF = f"""
LoadModule nulls_module "{BUILD / "mod_nulls.so"}"
<Location "/nulls">
SetHandler nulls
</Location>
<Location "/hooked.html">
MrubyFixups "${{ROOT}}/scripts/all.rb"
MrubyLogTransaction "${{ROOT}}/scripts/all.rb"
</Location>
<Location "/run">
SetHandler mruby-native-script
MrubyHandlerCode "run(->(env) {{ [200, {{}}, [env['SERVER_PORT'].to_s]] }})"
</Location>
<Location "/status">
SetHandler mruby-status
</Location>
<Location "/canonical.mrb">
UseCanonicalName DNS
UseCanonicalPhysicalPort On
HostnameLookups On
</Location>
"""
FILES |= {"hooked.html": "hooked", "canonical.mrb": ASK_ALL}


def test_all_are_tried(ruby):
    names = ruby.get("/nulls").text.split()
    assert len(names) == len(set(names)) > 40
    assert [name.split(".", 1)[1] if name.startswith(("connection.", "server.")) else name for name in names] == FIELDS


@pytest.fixture
def names(ruby):
    return ruby.get("/nulls").text.split()


@pytest.mark.parametrize("path", ["/one.mrb", "/all.mrb", "/canonical.mrb", "/form.mrb", "/run"])
def test_in_the_handler(ruby, names, path):
    names.remove("handler")  # httpd has put a name there before it asks handlers
    for name in names:
        before = ruby.server.pids()
        answer = ruby.get(f"{path}?in=handler&null={name}")
        # Without a name there is no file to run.
        assert answer.status == (404 if name == "filename" and path != "/run" else 200), (name, ruby.server.error_log[-2000:])
        assert ruby.server.pids() == before, name
        if answer.status == 200 and path in ("/all.mrb", "/canonical.mrb"):
            assert int(answer.text.split()[1]) > 100, (name, answer.text)


@pytest.mark.parametrize("phase", ["fixups", "log"])
def test_in_hooks(ruby, names, phase):
    for name in names:
        before = ruby.server.pids()
        assert ruby.get(f"/hooked.html?in={phase}&null={name}").status == 200, name
        assert ruby.server.pids() == before, name


@pytest.mark.parametrize("method", ["DELETE", "OPTIONS"])
def test_refused_methods(ruby, names, method):
    """405 with the list of what is allowed, which may not have been made."""
    names.remove("handler")
    for path in ("/one.mrb", "/status"):
        for name in names:
            answer = ruby.request(method, f"{path}?in=handler&null={name}")
            assert answer.status == 405, (path, name)
            assert "GET" in answer.header("Allow"), (path, name)
