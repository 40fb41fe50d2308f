"""Apache::Request#data and Apache::Response#data=: documents of any format, by Content-Type and by Accept."""

import pytest

from server import WIRES

ON = WIRES
CONF = """
<Location /echo>
  SetHandler mruby-native-script
  MrubyHandlerCode "Apache.response.data = Apache.request.data"
</Location>
<Location /formats>
  SetHandler mruby-native-script
  MrubyHandlerCode "print JSON.generate(Kumihimo.formats)"
</Location>
<Location /rescued>
  SetHandler mruby-native-script
  MrubyHandlerCode "begin; Apache.request.data; rescue Apache::ClientError, Kumihimo::ParserError => e; print e.message; end"
</Location>
<Location /varies>
  SetHandler mruby-native-script
  MrubyHandlerCode "Apache.response['Vary'] = 'Cookie'; Apache.response.data = 1; Apache.response.data = 2"
</Location>
<Location /unsayable>
  SetHandler mruby-native-script
  MrubyHandlerCode "Apache.response.data = Object.new"
</Location>
"""

VALUE = {"id": 7, "price": 0.5, "list": [1, None, "x"]}


def formats(ruby) -> list:
    return ruby.get("/formats").json()


def document(ruby, format: str) -> bytes:
    return ruby(f"print Kumihimo.dump({{'id' => 7, 'price' => 0.5, 'list' => [1, nil, 'x']}}, format: '{format}')").body


def test_by_content_type_and_accept(ruby):
    written = {row["name"]: document(ruby, row["name"]) for row in formats(ruby)}
    for source in formats(ruby):
        for type in source["media_types"]:
            said = ruby.post("/echo", written[source["name"]], headers={"Content-Type": f"{type.upper()}; x=1"})
            assert (said.status, said.header("Content-Type"), said.headers("Vary")) == (200, "application/json", ["Accept"])
            assert said.json() == VALUE
        for target in formats(ruby):
            for type in target["media_types"]:
                headers = {"Content-Type": source["media_types"][0], "Accept": f"text/html, {type};q=0.5, image/*"}
                said = ruby.post("/echo", written[source["name"]], headers=headers)
                assert (said.status, said.header("Content-Type"), said.body) == (200, type, written[target["name"]])


@pytest.mark.parametrize(
    "accept, wanted",
    [
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("application/cbor, application/json;q=0.9", "application/cbor"),
        ("application/json;q=0.5, application/cbor;q=0.6", "application/cbor"),
        ("*/*;q=0.1, application/json;q=0, text/json;q=0", "application/vnd.msgpack"),
        ("APPLICATION/CBOR", "application/cbor"),
        ("application/cbor;q=0.001,text/html", "application/cbor"),
        ("text/html", None),
        ("application/json;q=0", None),
        ("application/jso", None),
    ],
)
def test_accept(ruby, accept, wanted):
    said = ruby.post("/echo", b"[1]", headers={"Content-Type": "application/json", "Accept": accept})
    assert (said.status, said.header("Content-Type")) == (200, wanted) if wanted else said.status == 406


def test_refused(ruby):
    def status(type: str, body: bytes) -> int:
        return ruby.post("/echo", body, headers={"Content-Type": type} if type else {}).status

    assert status("text/plain", b"[1]") == status("", b"[1]") == 415
    assert status("application/json", b"[1,]") == status("application/cbor", b"\x82\x01") == status("application/json", b"") == 400

    def rescued(type: str, body: bytes) -> str:
        return ruby.post("/rescued", body, headers={"Content-Type": type} if type else {}).text

    assert rescued("text/plain", b"1") == "no format has the media type text/plain"
    assert rescued("", b"1") == "the body has no Content-Type"
    assert "byte 3" in rescued("application/json", b"[1,]")
    assert ruby.get("/unsayable").status == 500


def test_what_the_response_varies_by_is_said_once(ruby):
    said = ruby.get("/varies", headers={"Accept": "application/json"})
    assert said.body == b"12" and sorted(name.strip() for line in said.headers("Vary") for name in line.split(",")) == ["Accept", "Cookie"]
