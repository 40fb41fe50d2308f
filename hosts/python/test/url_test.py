"""URLs as inputs, by fsspec: a web server that gives parts of files, one that does not, and S3 as moto plays it."""

from __future__ import annotations

import gzip
import http.server
import io
import os
import random
import re
import subprocess
import sys
import tarfile
import threading
import zipfile
from pathlib import Path
from typing import Any, Iterator

import pytest

import kumihimo

pytest.importorskip("fsspec", reason="not proven: fsspec is not installed")
pytest.importorskip("aiohttp", reason="not proven: aiohttp is not installed")


def lines(first: int, count: int, pad: int) -> bytes:
    some = random.Random(first)
    return b"".join(b'{"n":%d,"pad":"%s"}\n' % (i, some.randbytes(pad).hex().encode()) for i in range(first, first + count))


def a_zip(method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for i in range(60):
            archive.writestr(f"{'a' if i % 3 else 'b'}/{i:02}.ndjson", lines(i * 100, 100, 500))
    return out.getvalue()


class Server:
    """Files over HTTP. `ranges`: parts of them, too. It counts the bytes that it gives."""

    def __init__(self, files: dict[str, bytes], ranges: bool = True, cut: int = 0) -> None:
        self.given, self.requests = 0, 0
        self.asked: set[str] = set()  # for what
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_HEAD(self) -> None:
                self.answer(head=True)

            def do_GET(self) -> None:
                self.answer()

            def answer(self, head: bool = False) -> None:
                data = files.get(self.path.split("?")[0])
                if data is None:
                    return self.send_error(404)
                asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", "")) if ranges else None
                if asked:
                    first, last = int(asked[1]), min(int(asked[2]), len(data) - 1)
                    self.send_response(206)
                    self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
                    data = data[first : last + 1]
                else:
                    self.send_response(200)
                if ranges:
                    self.send_header("Accept-Ranges", "bytes")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if head:
                    return
                server.requests += 1
                server.asked.add(self.path)
                server.given += len(data)
                self.wfile.write(data[: len(data) - cut] if cut else data)
                if cut:
                    self.close_connection = True

            def log_message(self, *_: Any) -> None:
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)
        self.thread.start()
        self.at = f"http://127.0.0.1:{self.http.server_address[1]}"

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


def command(*words: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "kumihimo.cli", *words], cwd=cwd, capture_output=True, timeout=120, env={**os.environ, **environment})


def numbers(done: subprocess.CompletedProcess[bytes]) -> list[int]:
    assert done.returncode == 0, done.stderr
    return [int(line.split(b",")[0]) for line in done.stdout.split()[1:]]


ALL = list(range(6000))
B = [n for n in ALL if n // 100 % 3 == 0]


@pytest.fixture
def files() -> dict[str, bytes]:
    text = lines(0, 900, 400)
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w:gz") as archive:
        info = tarfile.TarInfo("x.ndjson")
        info.size = len(text)
        archive.addfile(info, io.BytesIO(text))
    return {"/day.zip": a_zip(), "/x.ndjson": text, "/x.ndjson.gz": gzip.compress(text), "/x.tar.gz": tar.getvalue(), "/small.zip": small_zip(), "/bad.ndjson": b'{"n":1}\n{"n":\n'}


def small_zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("x.json", b'{"n":7}')
    return out.getvalue()


def test_a_zip_is_read_by_its_directory(tmp_path: Path, files: dict[str, bytes]) -> None:
    size = len(files["/day.zip"])
    with Server(files) as server:
        url = server.at + "/day.zip"
        assert numbers(command("extract", url, "-f", "n", cwd=tmp_path)) == ALL
        assert server.given < size * 1.1
        server.given = server.requests = 0
        assert numbers(command("extract", url, "--match", "b/03.ndjson", "-f", "n", cwd=tmp_path)) == list(range(300, 400))
        assert server.given < size // 10 and server.requests <= 4
        assert numbers(command("extract", url, "--match", "b/**", "-f", "n", "-j", "3", cwd=tmp_path)) == B
        done = command("extract", url, "--match", "b/**", "-f", "n", "--source", "--limit", "1", cwd=tmp_path)
        assert done.stdout.splitlines()[1] == b"0,%s,b/00.ndjson,0" % url.encode()
        assert command("extract", url, "--match", "none", "-f", "n", cwd=tmp_path).returncode == 1


def test_what_is_no_zip(tmp_path: Path, files: dict[str, bytes]) -> None:
    with Server(files) as server:
        for name in ("/x.ndjson", "/x.ndjson.gz", "/x.tar.gz", "/x.ndjson?key=a*b"):
            assert numbers(command("extract", server.at + name, "-f", "n:int64", cwd=tmp_path)) == list(range(900))
        assert numbers(command("extract", server.at + "/small.zip", server.at + "/x.ndjson", "-f", "n", cwd=tmp_path)) == [7, *range(900)]
        done = command("extract", server.at + "/bad.ndjson", "-f", "n", cwd=tmp_path)
        assert done.returncode == 1 and f"kumihimo: {server.at}/bad.ndjson: byte 13 (line 2".encode() in done.stderr, done.stderr
        done = command("check", server.at + "/x.ndjson.gz", server.at + "/day.zip", cwd=tmp_path)
        assert done.returncode == 0 and b"6,900 documents" in done.stderr, done.stderr
        done = command("repack", server.at + "/day.zip", "-o", "day.ndjson", cwd=tmp_path)
        assert done.returncode == 0 and (tmp_path / "day.ndjson").read_bytes().count(b"\n") == 6000


def test_a_server_without_parts(tmp_path: Path, files: dict[str, bytes]) -> None:
    with Server(files, ranges=False) as server:
        assert numbers(command("extract", server.at + "/day.zip", "--match", "b/**", "-f", "n", cwd=tmp_path)) == B
        assert numbers(command("extract", server.at + "/x.ndjson.gz", "-f", "n", cwd=tmp_path)) == list(range(900))


def test_a_large_file_of_a_server_without_parts(tmp_path: Path) -> None:
    data = lines(0, 17_000, 500)
    assert len(data) > 16 << 20
    with Server({"/large.ndjson": data}, ranges=False) as server:
        assert numbers(command("extract", server.at + "/large.ndjson", "-f", "n", cwd=tmp_path)) == list(range(17_000))
        assert server.requests <= 2 and server.given <= 2 * len(data)


def test_secrets_of_a_url_are_not_shown(tmp_path: Path, files: dict[str, bytes]) -> None:
    with Server(files) as server:
        at = server.at.replace("://", "://user:hidden@")
        done = command("extract", at + "/x.ndjson?sign=hidden", "-f", "n", "--source", "--limit", "1", cwd=tmp_path)
        assert done.returncode == 0 and f"{server.at}/x.ndjson".encode() in done.stdout and b"hidden" not in done.stdout + done.stderr, done
        for name in ("/bad.ndjson", "/none.ndjson"):
            done = command("extract", at + name + "?sign=hidden", "-f", "n", cwd=tmp_path)
            assert done.returncode == 1 and (server.at + name).encode() in done.stderr and b"hidden" not in done.stdout + done.stderr, done


def test_what_goes_wrong(tmp_path: Path, files: dict[str, bytes]) -> None:
    with Server(files) as server:
        done = command("extract", server.at + "/none.zip", "-f", "n", "-o", "x.csv", cwd=tmp_path)
        assert done.returncode == 1 and f"{server.at}/none.zip: there is no such file".encode() in done.stderr, done.stderr
        gone = server.at
    done = command("extract", gone + "/x.ndjson", "-f", "n", "-o", "x.csv", cwd=tmp_path)
    assert done.returncode == 1 and gone.encode() in done.stderr and b"Traceback" not in done.stderr, done.stderr
    assert b"no such file" not in done.stderr
    with Server(files, cut=1000) as server:
        for name in ("/x.ndjson", "/day.zip"):
            done = command("extract", server.at + name, "-f", "n", "-o", "x.csv", cwd=tmp_path)
            assert done.returncode == 1 and server.at.encode() in done.stderr and b"Traceback" not in done.stderr, done.stderr
    assert list(tmp_path.iterdir()) == []
    done = command("extract", "nosuch://x/y", "-f", "n", cwd=tmp_path)
    assert done.returncode == 1 and b"nosuch://x/y: " in done.stderr, done.stderr


def test_patterns_say_what_is_wrong(tmp_path: Path) -> None:
    for pattern, says in {
        f"file://{tmp_path}/none/*.json": "no file there matches",
        "memory://none/*.json": "memory://none/*.json: no file there matches",
        "nosuch://x/*": "nosuch://x/*: ",
    }.items():
        done = command("extract", pattern, "-f", "n", cwd=tmp_path)
        assert done.returncode in (1, 2) and says.encode() in done.stderr and b"Traceback" not in done.stderr, done.stderr
    for name in ("1.json", "2.json"):
        (tmp_path / name).write_text(f'{{"n":{name[0]}}}')
    assert numbers(command("extract", f"file://{tmp_path}/*.json", "-f", "n", cwd=tmp_path)) == [1, 2]


MANY = {f"/{i:03}.json": b'{"n":%d}' % i for i in range(150)}


def test_many_urls_have_few_descriptors(tmp_path: Path) -> None:
    with Server(MANY) as server:
        urls = [server.at + name for name in MANY]
        for fields in (["-f", "n"], ["-f", "n:int64", "-j", "1"], ["-f", "n:int64", "-j", "4"]):
            words = [sys.executable, "-m", "kumihimo.cli", "extract", *urls, *fields]
            done = subprocess.run(["sh", "-c", 'ulimit -n 64; exec "$@"', "sh", *words], cwd=tmp_path, capture_output=True, timeout=120)
            assert numbers(done) == list(range(150))
    assert os.listdir(tmp_path) == []


def test_urls_are_fetched_when_their_turn_comes(tmp_path: Path) -> None:
    with Server(MANY) as server:
        urls = [server.at + name for name in MANY]
        done = command("extract", *urls, "-f", "n", "--limit", "1", "-j", "1", cwd=tmp_path)
        # What worker and collector have under way, and what is fetched ahead of it.
        assert numbers(done) == [0] and len(server.asked) < 30, len(server.asked)
        server.asked.clear()
        rows = kumihimo.extract(urls, ["n"], form="csv", jobs=1)
        assert rows.next_bytes() is not None and len(server.asked) < 30, len(server.asked)
        rows.cancel()


def test_columns_that_come_late_read_urls_again(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars", reason="not proven: polars is not installed")
    files = {f"/{i}.ndjson": b'{"n":%d}\n' % i * 3 for i in range(9)} | {"/9.ndjson": b'{"n":1.5,"late":"x"}\n'}
    want = [float(i) for i in range(9) for _ in range(3)] + [1.5]
    with Server(files) as server:
        urls = [server.at + name for name in files]
        for fields in (["-f", "n"], []):
            done = command("extract", *urls, *fields, "--sample", "2", "-o", "x.parquet", cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            table = polars.read_parquet(tmp_path / "x.parquet")
            assert table["n"].cast(polars.Float64).to_list() == want and table.columns == (["n"] if fields else ["n", "late"])
        assert numbers(command("extract", *urls[:3], urls[0], "-f", "n", cwd=tmp_path)) == [0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 0, 0]


def test_one_of_many_that_is_missing(tmp_path: Path, files: dict[str, bytes]) -> None:
    with Server(files) as server:
        urls = [server.at + name for name in ("/small.zip", "/none.json", "/x.ndjson.gz")]
        done = command("extract", *urls, "-f", "n", "--on-error", "skip", cwd=tmp_path)
        assert numbers(done) == [7, *range(900)] and f"{server.at}/none.json: there is no such file".encode() in done.stderr, done.stderr
        done = command("extract", *urls, "-f", "n", "-o", "x.csv", cwd=tmp_path)
        assert done.returncode == 1 and b"/none.json: there is no such file" in done.stderr and os.listdir(tmp_path) == []
        done = command("extract", *urls[1:], "--join", "-f", "n", cwd=tmp_path)
        assert done.returncode == 1 and b"part 1 of 2" in done.stderr, done.stderr


def test_parts_are_joined(tmp_path: Path) -> None:
    text = lines(0, 500, 100)
    cut = len(text) // 3 + 5
    with Server({"/a": text[:cut], "/b": text[cut:]}) as server:
        for fields in ("n", "n:int64"):
            assert numbers(command("extract", server.at + "/a", server.at + "/b", "--join", "-f", fields, cwd=tmp_path)) == list(range(500))
        kumihimo.extract_to([server.at + "/a", server.at + "/b"], tmp_path / "x.ndjson", ["n"], joined=True)
    assert (tmp_path / "x.ndjson").read_bytes().count(b"\n") == 500


def test_no_room_for_what_is_fetched(tmp_path: Path, files: dict[str, bytes]) -> None:
    # A file system whose files cannot grow: by a limit of the process, as a disk that is full by another error.
    with Server(files) as server:
        code = "import resource, signal, sys, kumihimo.cli; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); sys.exit(kumihimo.cli.main())"
        done = subprocess.run([sys.executable, "-c", code, "extract", server.at + "/x.ndjson", "-f", "n"], cwd=tmp_path, capture_output=True, timeout=120)
    assert done.returncode == 1 and b"temporary file in" in done.stderr and b"TMPDIR" in done.stderr, done.stderr


def test_cancel_while_a_server_is_silent(tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        worker = subprocess.Popen([sys.executable, "-m", "kumihimo.cli", "extract", f"http://127.0.0.1:{silent.getsockname()[1]}/x.ndjson", "-f", "n"], cwd=tmp_path, stderr=subprocess.PIPE)
        silent.accept()
        worker.send_signal(2)
        assert worker.wait(timeout=60) == 130


def test_from_the_library(files: dict[str, bytes]) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="not proven: pyarrow is not installed")
    with Server(files) as server:
        rows = kumihimo.extract(server.at + "/day.zip", ["n"], match="b/**")
        assert pyarrow.table(rows)["n"].to_pylist() == B
        rows = kumihimo.extract([server.at + "/x.ndjson.gz", server.at + "/small.zip"], ["n:int64"], source=True)
        table = pyarrow.table(rows)
        assert table["n"].to_pylist() == [*range(900), 7]
        assert set(table["archive"].to_pylist()) == {server.at + "/x.ndjson.gz", server.at + "/small.zip"}


STILL_FETCHING = """
import threading, time
from kumihimo import _core

def fetch(wanted):
    def serve():
        while not (url := wanted.next()):
            time.sleep(0.01)
        wanted.refuse(url, "nobody has it")
        time.sleep(600)

    threading.Thread(target=serve, daemon=True).start()

run = _core.Extraction(["x://a"], [], form="none", on_error="skip", fetched=["x://a"], fetcher=fetch)
while run.next_count() is not None:
    pass
print(len(run.take_reports()))
"""


def test_a_thread_that_is_there_at_the_end_is_no_leak() -> None:
    done = subprocess.run([sys.executable, "-c", STILL_FETCHING], capture_output=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"1\n", b"")


@pytest.fixture
def s3(files: dict[str, bytes]) -> Iterator[dict[str, str]]:
    pytest.importorskip("s3fs", reason="not proven: s3fs is not installed")
    server = pytest.importorskip("moto.server", reason="not proven: moto is not installed")
    import boto3

    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    environment = {"AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}
    client = boto3.client("s3", endpoint_url=environment["AWS_ENDPOINT_URL"], aws_access_key_id="a", aws_secret_access_key="b", region_name="us-east-1")
    client.create_bucket(Bucket="days")
    for name, data in files.items():
        client.put_object(Bucket="days", Key=name[1:], Body=data)
    try:
        yield environment
    finally:
        running.stop()


def test_s3(tmp_path: Path, s3: dict[str, str]) -> None:
    assert numbers(command("extract", "s3://days/day.zip", "--match", "b/**", "-f", "n", cwd=tmp_path, **s3)) == B
    assert numbers(command("extract", "s3://days/x.*", "-f", "n", cwd=tmp_path, **s3)) == list(range(900)) * 3
    done = command("extract", "s3://days/none.zip", "-f", "n", cwd=tmp_path, **s3)
    assert done.returncode == 1 and b"s3://days/none.zip: there is no such file" in done.stderr, done.stderr
