"""A script whose file has a type: what it prints has another. httpd's own types, which know .rb, are Debian's everywhere."""

import pytest

from server import MPMS

ON = MPMS
TYPES = ("application/x-ruby", "application/ruby", "text/x-ruby", "text/ruby", "application/x-httpd-mruby", "Text/X-Ruby", "'text/x-ruby; charset=utf-8'", "application/x-httpd-cgi")
CASES = {
    "the system's types, the older module's form": 'TypesConfig "/etc/mime.types"\nAddHandler mruby-script .rb\n',
    "the same by name": 'TypesConfig "/etc/mime.types"\n<FilesMatch ".+\\.rb$">\nSetHandler mruby-script\n</FilesMatch>\n',
    **{f"AddType {name}": f"AddType {name} .rb\nAddHandler mruby-script .rb\n" for name in TYPES},
    "ForceType": "ForceType text/x-ruby\nAddHandler mruby-script .rb\n",
    "a default character set": "AddType text/x-ruby .rb\nAddDefaultCharset utf-8\nAddHandler mruby-script .rb\n",
}


@pytest.mark.parametrize("case", CASES)
def test_of_the_file_is_not_that_of_the_response(httpd, case):
    httpd.page("a.rb", "Apache.echo 1 + 1")
    httpd.page("json.rb", "Apache.request.content_type = 'application/json'\nApache.echo Apache.request.content_type")
    httpd.start(CASES[case])
    before = httpd.pids()
    for _ in range(3):
        answer = httpd.get("/a.rb")
        assert (answer.status, answer.text, answer.header("Content-Type")) == (200, "2\n", "text/html; charset=utf-8")
    answer = httpd.get("/json.rb")
    assert (answer.text, answer.header("Content-Type").split(";")[0]) == ("application/json\n", "application/json")
    assert httpd.pids() == before


def test_of_something_else_stays(httpd):
    """A place says what its scripts print."""
    httpd.page("a.mrb", "Apache.rputs 1")
    httpd.start('ForceType application/json\n<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\n')
    assert httpd.get("/a.mrb").header("Content-Type") == "application/json"
