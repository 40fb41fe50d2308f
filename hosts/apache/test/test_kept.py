"""What a script has httpd keep until the request is over counts as its memory, in its real size; so do subrequests, in their number."""

import pytest

from server import MPMS

ON = MPMS
SETTINGS = {"workers": 1, "modules": ("proxy",)}
CONF = """
MrubyMemoryLimit 16M
MrubyTimeout 2s
<Location /filtered.txt>
  SetOutputFilter mruby
  MrubyOutputFilter "${ROOT}/scripts/filter.rb"
</Location>
"""
FILES = {"plain.txt": "plain", "filtered.txt": "filtered"}
SCRIPTS = {"filter.rb": ""}

KEPT = {
    "etag": "r.etag",
    "url": "r.url",
    "auth_name": "r.auth_name",
    "status": "r.status = 599",
    "status line": "r.status_line = '299 x'",
    "notes": "n.add('a', '')",
    "env": "r.env",
    "env's entries": "e.add('a', '')",
    "headers": "r.headers_in.add('a', 'b')",
    "cookies": "o.set_cookie('a', 'b')",
    "content type": "o.content_type = 'a/b'",
    "allowed methods": "r.allowed_methods = ['GET']; r.allowed_methods",
    "user": "r.user = ''",
    "filename": "r.filename = '/nowhere/x'",
    "document root": "r.document_root = '/x'",
    "redirection": "o.internal_redirect '/x'",
    "server": "s.timeout = 1",
    "log level": "s.loglevel = 1",
    "remote host": "c.remote_host",
    "subrequests": "r.subrequest('/plain.txt')",
    "handler": "r.handler = 'default-handler'; r.filename = r.document_root + '/plain.txt'; r.run_handler",
    "printing": "Apache.rputs ''",
}
COPIED = {
    "environment into subrequests": "50_000.times { e.add('a', '') }\nloop { r.subrequest('/plain.txt') }",
    "headers into subrequests": "50_000.times { r.headers_in.add('a', '') }\nloop { r.subrequest('/plain.txt') }",
    "environment filled again": "50_000.times { |i| e.add(\"a#{i}\", '') }\nloop { r.env }",
}
FILTERED = {
    "pieces": "f << ''",
    "small pieces": "f << 'x'",
    "pieces of 200": "f << 'x' * 200",
    "pieces in front": "f.insert_head 'x' * 200",
    "large pieces": "f << 'x' * 100_000",
    "printing": "Apache.rputs 'x' * 200",
    "printing and putting": "Apache.rputs 'x' * 200; f << 'y'",
    "filters": "Apache::Filter.new.read",
}


def grown(server, ask) -> tuple:
    """The answer, and how far the child's memory went up meanwhile, in bytes."""
    ((pid,), before) = server.pids(), server.usage().memory
    with open(f"/proc/{pid}/clear_refs", "w") as peak:
        peak.write("5")
    answer = ask()
    with open(f"/proc/{pid}/status") as status:
        most = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    assert server.pids() == [pid]
    return answer, most - before


OBJECTS = "r = Apache.request\no = Apache.response\nn = r.notes\ne = r.env\ns = Apache.server\nc = Apache.connection\n"


@pytest.mark.parametrize("name", [*KEPT, *COPIED])
def test_kept(ruby, name):
    ruby.page("kept.mrb", OBJECTS + (COPIED[name] if name in COPIED else f"loop {{ {KEPT[name]} }}"))
    with ruby.server.raw() as raw:  # there may be more headers than Python's client takes
        answer, more = grown(ruby.server, lambda: raw.send("GET /kept.mrb HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").read_all())
    assert answer.startswith(b"HTTP/1.1 ") and more < 64_000_000, f"{more:,}"
    assert ruby("puts 'next'").text == "next\n"


@pytest.mark.parametrize("name", FILTERED)
def test_kept_by_a_filter(ruby, name):
    ruby.server.script("filter.rb", f"f = Apache::Filter.new\nloop {{ {FILTERED[name]} }}")
    answer, more = grown(ruby.server, lambda: ruby.get("/filtered.txt", timeout=30))
    assert answer.status == 500 and more < 96_000_000, f"{more:,}"
    assert ruby("puts 'next'").text == "next\n"


def test_a_filter_that_passes_on_has_room_again(ruby):
    ruby.server.script("filter.rb", "f = Apache::Filter.new\n40.times { f << 'x' * 1_000_000; f.pass }\n40.times { f << 'x' * 1_000_000; f.cleanup }\n1000.times { f << 'y' * 100 }")
    answer, more = grown(ruby.server, lambda: ruby.get("/filtered.txt"))
    assert len(answer.body) == 8 + 40_000_000 + 100_000 and more < 64_000_000


def test_refused_once_is_refused(ruby):
    """What is rescued does not go on where it stopped."""
    text = ruby(f"{OBJECTS}begin; loop {{ n.add('a', 'x' * 1000) }}; rescue NoMemoryError; end\nbegin; n.add('a', 'b'); rescue NoMemoryError; puts 'refused'; end").text
    assert text in ("refused\n", "") or "500" in text


def test_subrequests_are_counted(ruby):
    code = "begin\n  loop { r.subrequest('/plain.txt'); $n = $n.to_i + 1 }\nrescue Apache::Error => e\n  Apache.rputs \"#{$n} #{e.message}\"\nend"
    assert ruby(OBJECTS + code).text == "256 too many subrequests within one request: there may be 256"


def test_subrequests_within_subrequests_are_counted(ruby):
    """Each of them makes more: the depth alone is no bound."""
    ruby.page("tree.mrb", "begin\n  20.times { Apache.request.subrequest('/tree.mrb').run }\nrescue Apache::Error\nend\nApache.rputs 'x'")
    answer, more = grown(ruby.server, lambda: ruby.get("/tree.mrb", timeout=60))
    assert more < 200_000_000, f"{more:,}"
    assert ruby("puts 'next'").text == "next\n"
