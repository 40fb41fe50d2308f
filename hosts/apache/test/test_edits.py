"""Scripts are edited while they are served, by rename as careful editors do: each answer is one whole version, and a new one is never followed by an old one."""

import threading
from concurrent.futures import ThreadPoolExecutor

from client import Client
from server import WIRES

ON = WIRES


def test_every_answer_is_one_version(make_httpd, protocol):
    httpd = make_httpd(workers=8)

    def text(version: int) -> str:
        return f"a = '{version}'\n{'# ' + 'x' * 200}\n" * 20 + f"Apache.rputs a + '-' + '{version}' + '-' + ('{version},' * 2000)\n"

    httpd.page("a.mrb", text(0))
    httpd.start()
    written, stop = [0], threading.Event()

    def edit() -> None:
        while not stop.is_set():
            version = written[0] + 1
            httpd.page("a.mrb", text(version))
            written[0] = version

    def read(_: int) -> int:
        client, last, changes = Client(httpd.port, protocol), 0, 0
        for _ in range(60):
            least = written[0]
            answer = client.get("/a.mrb")
            assert answer.status == 200, answer
            first, second, rest = answer.text.split("-")
            assert first == second and rest == f"{first}," * 2000, "two versions in one answer"
            # What was in place before the request began is the oldest that may answer it.
            assert int(first) >= least, f"version {first} after {least} was in place"
            changes += int(first) != last
            last = int(first)
        client.close()
        return changes

    editor = threading.Thread(target=edit)
    editor.start()
    try:
        with ThreadPoolExecutor(4) as pool:
            changes = list(pool.map(read, range(4)))
    finally:
        stop.set()
        editor.join()
    assert min(changes) > 1, "the edits were not seen"
