"""Where the process has no more memory, for what the module itself needs: a request may fail, its child lives, and the next one is served."""

import http.client
import mmap
import os
import struct

import pytest

from server import BUILD, MPMS

ON = MPMS
CONF = """
<FilesMatch ".+\\.mrb$">
  SetHandler mruby-script
</FilesMatch>
<Location "/hooks/">
  MrubyFixups "${ROOT}/scripts/hook.rb"
  MrubyLogTransaction "${ROOT}/scripts/hook.rb"
</Location>
<Location "/inited/">
  MrubyInit "${ROOT}/scripts/init.rb"
</Location>
<Location "/filtered/">
  SetOutputFilter mruby
  MrubyOutputFilter "${ROOT}/scripts/filter.rb"
</Location>
"""
PAGE = """
r = Apache::Request.new
r.headers_out['X-Long'] = 'x' * 300
r.content_type = 'application/json'
Apache.rputs JSON.generate(JSON.parse('{"a":[1,2.5,"' + 'y' * 5000 + '"]}'))
Apache.rputs r.args.to_s + 'z' * 70_000
Regexp.new('(?<name>a+)').match('b' * 100 + 'aaa')
"""
FAILING = "x = ["
PATHS = ["/page.mrb?a=1", "/hooks/page.mrb", "/inited/page.mrb", "/filtered/page.txt", "/syntax.mrb", "/missing.mrb", "/raise.mrb"]


@pytest.mark.skipif("KUMIHIMO_PRELOAD" in os.environ, reason="a sanitizer gives memory itself")
def test_each_memory_refused(make_httpd, tmp_path):
    server = make_httpd(workers=2, children=1)
    control = tmp_path / "left"
    control.write_bytes(struct.pack("=qq", -1, 0))
    server.environment |= {"LD_PRELOAD": str(BUILD / "no_memory.so"), "KUMIHIMO_NEW": str(control)}

    def renew(path: str, about: str) -> None:
        """Changes the script, which is compiled again: what is kept asks for no memory."""
        name = path.partition("?")[0].lstrip("/")
        if name.endswith("page.mrb"):
            server.page(name, f"{PAGE}# {about}")
        elif name == "filtered/page.txt":
            server.script("filter.rb", f"f = Apache::Filter.new; f.body = f.body.upcase # {about}")

    for path in PATHS:
        renew(path, "")
    server.page("filtered/page.txt", "text\n" * 4000)
    server.page("syntax.mrb", FAILING)
    server.page("raise.mrb", "raise 'x' * 3000")
    server.script("hook.rb", "Apache.log 7, 'hooked'\nApache::Request.new.notes['n'] = 'v' * 100\nApache.return Apache::DECLINED")
    server.script("init.rb", "T = 'x' * 1000")
    server.start(CONF)
    with control.open("r+b") as file, mmap.mmap(file.fileno(), 16) as left:

        def give(times: int) -> None:
            left[:8] = struct.pack("=q", times)

        def status(path: str) -> int:
            try:
                return server.get(path).status
            except (OSError, http.client.HTTPException):  # what was sent is broken off
                return 0

        usual = {path: status(path) for path in PATHS}
        assert list(usual.values()) == [200, 200, 200, 200, 500, 404, 500]
        pids = server.pids()
        for path in PATHS:
            refused = struct.unpack("=qq", left[:16])[1]
            for times in range(200):
                renew(path, f"with memory for {times}")
                give(times)
                said = status(path)
                asked = struct.unpack("=q", left[:8])[0] == 0
                give(-1)
                assert said in (usual[path], 500, 503, 0), f"{path}: {said} with memory for {times}"
                assert status(path) == usual[path], f"{path}: the request after one with memory for {times}"
                assert server.pids() == pids, f"{path}: a child is gone with memory for {times}"
                if not asked:
                    break
            else:
                pytest.fail(f"{path}: memory is asked for more than 200 times")
            assert struct.unpack("=qq", left[:16])[1] > refused or path == "/missing.mrb", f"{path}: no memory was refused"
