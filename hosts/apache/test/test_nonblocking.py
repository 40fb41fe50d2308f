"""Who reads a body without waiting for it hears that nothing is there yet, a Ruby input filter in between or not (mod_nonblocking.c)."""

import pytest

import h2
from server import BUILD, MPMS

MODULE = BUILD / "mod_nonblocking.so"
UPCASE = "f = Apache::Filter.new\nf.body = f.body.upcase if f.length > 0\n"
FILTER = 'SetInputFilter mruby\nMrubyInputFilter "${ROOT}/scripts/filter.rb"\n'
WAYS = {"EAGAIN": FILTER, "empty": FILTER.replace("mruby", "mruby;EMPTY", 1)}  # to say that nothing is there


@pytest.fixture
def reader(httpd):
    """A server whose /read says what each reading of the body gave."""

    def start(conf: str):
        httpd.script("filter.rb", UPCASE)
        return httpd.start(f'LoadModule nonblocking_module "{MODULE}"\n<Location "/read">\nSetHandler nonblocking\n{conf}</Location>\n')

    return start


HTTP = [(mpm, "close") for mpm in MPMS]


@pytest.mark.on(HTTP)
def test_without_a_filter(reader):
    with reader("").raw() as raw:
        raw.send("POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n")
        raw.read_until(b"nothing\n")
        raw.send("abc")
        raw.read_until(b"data: abc\n")
        raw.read_until(b"end\n")


@pytest.mark.on(HTTP)
@pytest.mark.parametrize("begin", ["", "the f"])
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
@pytest.mark.parametrize("way", WAYS)
def test_through_a_filter(reader, way, begin, chunked):
    """The filter waits for a whole piece; who asks does not wait for the filter."""

    def part(text: str, last: bool = False) -> str:
        return f"{len(text):x}\r\n{text}\r\n" * bool(text) + "0\r\n\r\n" * last if chunked else text

    body = "the first, the rest"
    with reader(WAYS[way]).raw() as raw:
        length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(body)}"
        raw.send(f"POST /read HTTP/1.1\r\nHost: x\r\n{length}\r\n\r\n" + part(begin))
        raw.read_until(b"nothing\n")
        raw.send(part(body[len(begin) :], last=True))
        raw.read_until(b"data: " + body.upper().encode() + b"\n")
        raw.read_until(b"end\n")


@pytest.mark.on([("worker", "h2c"), ("event", "h2c")])
@pytest.mark.parametrize("begin", [b"", b"the f"])
@pytest.mark.parametrize("way", WAYS)
def test_through_a_filter_of_http2(reader, way, begin):
    body = b"the first, the rest"
    with h2.Connection(reader(WAYS[way]).port) as connection:
        stream = connection.open("POST", "/read")
        if begin:
            stream.send(begin)
        stream.until(lambda: b"nothing\n" in stream.body)
        stream.send(body[len(begin) :], end=True)
        stream.response()
        assert stream.body == b"nothing\ndata: " + body.upper() + b"\nend\n"
