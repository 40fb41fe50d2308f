"""What can happen to a script's file between two requests, and during one: the answer is right or an error, and the next one is right again."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from client import Client
from server import MPMS, WIRES

ON = WIRES
HANDLER = '<FilesMatch ".+\\.mrb$">\n  SetHandler mruby-script\n</FilesMatch>\n'


@pytest.fixture
def served(make_httpd):
    httpd = make_httpd(workers=2)
    httpd.page("a.mrb", "Apache.rputs 'one'")
    httpd.page("other.mrb", "Apache.rputs 'other'")
    httpd.start(HANDLER)
    for _ in range(4):
        assert httpd.get("/a.mrb").text == "one"
    pids = httpd.pids()
    yield httpd
    for _ in range(4):
        assert httpd.get("/other.mrb").text == "other"
    assert httpd.pids() == pids


def often(httpd, path: str = "/a.mrb") -> set:
    """More often than there are threads: each has seen it."""
    return {(answer.status, answer.text if answer.status == 200 else "") for answer in (httpd.get(path) for _ in range(8))}


def test_vanishes_and_comes_back(served):
    (served.docroot / "a.mrb").unlink()
    assert often(served) == {(404, "")}
    served.page("a.mrb", "Apache.rputs 'two'")
    assert often(served) == {(200, "two")}


def test_becomes_unreadable(served):
    served.page("a.mrb", "Apache.rputs 'two'", 0o000)
    assert {status for status, _ in often(served)} <= {403, 404, 500}
    served.page("a.mrb", "Apache.rputs 'three'")
    assert often(served) == {(200, "three")}


def test_becomes_broken_and_whole(served):
    served.page("a.mrb", "Apache.rputs 'two")
    assert often(served) == {(500, "")}
    served.page("a.mrb", "Apache.rputs 'three'")
    assert often(served) == {(200, "three")}


def test_becomes_empty(served):
    served.page("a.mrb", "")
    assert often(served) == {(200, "")}


def test_same_size_same_second(served):
    """Nothing but the inode or the fraction of a second tells them apart."""
    for text in ("two", "six", "ten"):
        served.page("a.mrb", f"Apache.rputs '{text}'")
        assert often(served) == {(200, text)}


def test_same_size_same_time_another_file(served):
    stat = (served.docroot / "a.mrb").stat()
    path = served.page("a.mrb", "Apache.rputs 'two'")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert often(served) == {(200, "two")}


def test_rewritten_in_place(served):
    """No new inode: the time and the size tell."""
    with open(served.docroot / "a.mrb", "r+") as file:
        file.write("Apache.rputs 'rewritten'")
    assert often(served) == {(200, "rewritten")}


def test_older_than_before(served):
    """A backup that is put back."""
    path = served.page("a.mrb", "Apache.rputs 'from the past'")
    os.utime(path, (1, 1))
    assert often(served) == {(200, "from the past")}


def test_becomes_a_folder(served):
    (served.docroot / "a.mrb").unlink()
    (served.docroot / "a.mrb").mkdir(mode=0o755)
    answers = {status for status, _ in often(served)}
    assert answers <= {301, 403, 404}


def test_replaced_by_a_link(served):
    target = served.script("linked.rb", "Apache.rputs 'linked'")
    (served.docroot / "a.mrb").unlink()
    (served.docroot / "a.mrb").symlink_to(target)
    assert {status for status, _ in often(served)} <= {200, 403}


def test_required_file_changes(httpd):
    """What a script requires is looked at as it is."""
    httpd.script("lib/part.rb", "PART = 'one'")
    httpd.page("a.mrb", "require 'part'\nApache.rputs PART")
    httpd.start(HANDLER + 'MrubyLoadPath "${ROOT}/scripts/lib"\n')
    assert httpd.get("/a.mrb").text == "one"
    httpd.script("lib/part.rb", "PART = 'two'")
    assert often(httpd) == {(200, "two")}
    (httpd.scripts / "lib/part.rb").unlink()
    assert often(httpd) == {(500, "")}


def test_hook_s_file_changes(httpd):
    httpd.page("page.html", "page")
    path = httpd.script("hook.rb", "Apache::Request.new.headers_out['X-Hook'] = 'one'")
    httpd.start('MrubyFixupsMiddle "${ROOT}/scripts/hook.rb"\n')
    assert httpd.get("/page.html").header("X-Hook") == "one"
    httpd.script("hook.rb", "Apache::Request.new.headers_out['X-Hook'] = 'two'")
    assert httpd.get("/page.html").header("X-Hook") == "two"
    path.unlink()
    assert httpd.get("/page.html").status == 500
    httpd.script("hook.rb", "x = (")
    assert httpd.get("/page.html").status == 500
    httpd.script("hook.rb", "Apache::Request.new.headers_out['X-Hook'] = 'three'")
    assert httpd.get("/page.html").header("X-Hook") == "three"


@pytest.mark.parametrize(("cache", "texts"), [("stat", ["one", "two"]), ("forever", ["one", "one"]), ("never", ["one", "two"])])
def test_code_cache(make_httpd, cache, texts):
    httpd = make_httpd(workers=1)
    httpd.page("a.mrb", "Apache.rputs 'one'")
    httpd.start(HANDLER + f"MrubyCodeCache {cache}\n")
    seen = [httpd.get("/a.mrb").text]
    httpd.page("a.mrb", "Apache.rputs 'two'")
    seen.append(httpd.get("/a.mrb").text)
    assert seen == texts
    httpd.restart()
    assert httpd.get("/a.mrb").text == "two"


@pytest.mark.on((*MPMS, ("event", "h2c")))
@pytest.mark.parametrize("cache", ["stat", "never"])
def test_truncated_and_rewritten_while_it_is_loaded(make_httpd, protocol, cache):
    """An editor that writes in place, no rename: a half-read script may fail (500), but what answers is one whole version."""
    httpd = make_httpd(workers=4)
    versions = {f"v{i}" * (1 + i * 3000): f"x = '{'#' * (i * 5000)}'\nApache.rputs 'v{i}' * {1 + i * 3000}\n" for i in range(4)}
    path = httpd.page("a.mrb", next(iter(versions.values())))
    httpd.start(HANDLER + f"MrubyCodeCache {cache}\n")
    stop = threading.Event()

    def edit() -> None:
        while not stop.is_set():
            for text in versions.values():
                with open(path, "w") as file:  # empty for a moment, then half, then whole
                    half = len(text) // 2
                    file.write(text[:half])
                    file.flush()
                    file.write(text[half:])
                stop.wait(0.002)

    def ask(_: int):
        with Client(httpd.port, protocol) as client:
            return client.get("/a.mrb")

    editor = threading.Thread(target=edit)
    editor.start()
    try:
        # A request waits a little for the editor to finish, which this one never does.
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(ask, range(40)))
    finally:
        stop.set()
        editor.join()
    wrong = [a for a in answers if not (a.status == 500 or (a.status == 200 and (a.text in versions or a.text == "")))]
    assert not wrong, wrong[:3]
    assert often(httpd) == {(200, list(versions)[-1])}


@pytest.mark.on(MPMS)
def test_many_scripts(make_httpd):
    """More than a VM keeps: memory stays bounded, answers stay right."""
    httpd = make_httpd(workers=1)
    filler = "\n".join(f"def f{i}(x)\n  x + {i}\nend" for i in range(200))
    for i in range(300):
        httpd.page(f"s{i}.mrb", f"{filler}\nApache.rputs f7({i})")
    httpd.start(HANDLER)

    def all_of_them() -> None:
        for i in range(300):
            assert httpd.get(f"/s{i}.mrb").text == str(i + 7)

    all_of_them()
    all_of_them()
    first = httpd.usage()
    all_of_them()
    assert httpd.usage().memory - first.memory < 4_000_000


@pytest.mark.on(MPMS)
def test_one_script_changed_very_often(make_httpd):
    """Each version is compiled into the image: it must not grow without end."""
    httpd = make_httpd(workers=1)
    filler = "\n".join(f"def f{i}(x)\n  x + {i}\nend" for i in range(100))
    httpd.page("a.mrb", "")
    httpd.start(HANDLER)

    def edits(n: int) -> None:
        for i in range(n):
            # As if written long ago: a file of this moment is waited for.
            os.utime(httpd.page("a.mrb", f"{filler}\nApache.rputs {i}"), (i, n))
            assert httpd.get("/a.mrb").text == str(i)

    edits(100)
    first = httpd.usage()
    edits(200)
    assert httpd.usage().memory - first.memory < 20_000_000, f"{first} -> {httpd.usage()}"
