"""What a script puts into the response's head is checked where it is put: a line's end in it raises there, and nothing of it is sent."""

import pytest

from server import WIRES

ON = WIRES
EVIL = ['"a\\r\\nX-Evil: 1"', '"a\\nX-Evil: 1"', '"a\\rX-Evil: 1"', '"a\\0b"', '"a\\x7fb"', '"a\\x01b"', '"\\r\\n\\r\\n<html>evil"']
NAMES = ['"X-A\\r\\nX-Evil"', '"X A"', '""', '"X-A:"', '"X-\\0A"', '"X-Ä"', '"(x)"']


def refused(ruby, code: str) -> None:
    """The assignment raises, and says so to the script; what was set before stays."""
    answer = ruby(f"r = Apache::Request.new\nr.headers_out['X-Before'] = 'ok'\nbegin\n  {code}\n  Apache.rputs 'taken'\nrescue => e\n  Apache.rputs \"raised #{{e.class}}\"\nend")
    assert answer.status == 200 and answer.text.startswith("raised "), answer
    assert answer.header("X-Evil") is None and answer.header("X-Before") == "ok"


@pytest.mark.parametrize("value", EVIL)
@pytest.mark.parametrize("table", ["headers_out", "err_headers_out"])
def test_value(ruby, table, value):
    refused(ruby, f"r.{table}['X-A'] = {value}")


@pytest.mark.parametrize("name", NAMES)
def test_name(ruby, name):
    refused(ruby, f"r.headers_out[{name}] = 'x'")


@pytest.mark.parametrize("value", EVIL)
def test_content_type(ruby, value):
    refused(ruby, f"r.content_type = {value}")


@pytest.mark.parametrize("value", ['"/a\\r\\nX-Evil: 1"', '"/a\\nX-Evil: 1"', '"/\\0"'])
def test_redirect(ruby, value):
    refused(ruby, f"r.redirect {value}")


@pytest.mark.parametrize("value", EVIL)
def test_rack(ruby, value):
    """Whoever returns such a field has made a mistake: an error, none of it sent. A single newline is Rack's way to say a field twice."""
    answer = ruby(f"run ->(env) {{ [200, {{'X-A' => {value}}}, ['body']] }}")
    assert answer.header("X-Evil") is None and "evil" not in answer.text
    if value == '"a\\nX-Evil: 1"':
        assert answer.headers("X-A") == ["a", "X-Evil: 1"]
    else:
        assert answer.status == 500


# 0 and -1 are Apache::OK and DECLINED, which hooks answer in this form.
@pytest.mark.parametrize("code", ["'200'", "99", "1000", "-5", "2**40", "nil", "[]"])
def test_rack_status(ruby, code):
    answer = ruby(f"run ->(env) {{ [{code}, {{}}, ['body']] }}")
    if code == "'200'":
        assert (answer.status, answer.text) == (200, "body")
    else:
        assert answer.status == 500


def test_good_values(ruby):
    answer = ruby("h = Apache::Request.new.headers_out\nh['X-A'] = \"tab\\tand ünïcode\"\nh['X-Empty'] = ''\nApache.rputs 'x'")
    assert answer.status == 200
    assert answer.header("X-A").encode("latin-1").decode() == "tab\tand ünïcode"


def test_status_line(ruby):
    answer = ruby("r = Apache::Request.new\nbegin\n  r.status_line = \"200 OK\\r\\nX-Evil: 1\"\nrescue => e\nend\nApache.rputs 'x'")
    assert answer.header("X-Evil") is None


def test_echoed_request(ruby):
    """The usual mistake: a query that goes back out as a header."""
    answer = ruby("r = Apache::Request.new\nr.headers_out['Location'] = URI.decode_www_form_component(r.args.to_s)\nApache.rputs 'x'", query="?%0d%0aX-Evil:%201")
    assert answer.header("X-Evil") is None and answer.status == 500
