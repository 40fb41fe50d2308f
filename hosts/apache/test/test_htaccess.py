"""A .htaccess is written by those who may write pages: it brings no code into other requests and loosens no limit."""

import pytest

BASE = '<FilesMatch ".+\\.mrb$">\nSetHandler mruby-script\n</FilesMatch>\n<Directory "${ROOT}/htdocs">\nAllowOverride All\n</Directory>\n'


def with_htaccess(httpd, text: str, conf: str = ""):
    httpd.page(".htaccess", text)
    httpd.page("page.html", "page")
    httpd.page("a.mrb", "Apache.rputs 'script'")
    httpd.script("x.rb", "Apache.rputs 'x'")
    httpd.start(BASE + conf)
    return httpd.get("/page.html")


@pytest.mark.parametrize(
    "line",
    [
        "MrubyHandlerCode \"Apache.rputs 'mine'\"",
        "MrubyHandlerMiddleCode \"Apache.rputs 'mine'\"",
        "MrubyHandlerMiddle /etc/passwd",
        'MrubyFixupsMiddleCode "1"',
        "MrubyFixupsMiddle x.rb",
        'MrubyAccessCheckerFirstCode "1"',
        "MrubyOutputFilter x.rb",
        'MrubyOutputFilterCode "1"',
        "MrubyInputFilter x.rb",
        "MrubyAuthnCheckPassword x.rb",
        'MrubyAuthnCheckPasswordCode "1"',
        "MrubyLogTransactionMiddle x.rb",
        "MrubyAllow process",
        "MrubyScope thread",
        "MrubyLoadPath /",
        "MrubyTimeout 1000",
        "MrubyMemoryLimit 1G",
        "MrubyMaxBody 1G",
    ],
)
def test_refused(httpd, line):
    answer = with_htaccess(httpd, line)
    assert answer.status == 500 and "mine" not in answer.text
    said = httpd.wait_log(".htaccess: ")
    assert line.split()[0].lower() in said.lower() and "not allowed here" in said


def test_handler_may_be_set_where_httpd_allows_it(httpd):
    """SetHandler is httpd's own, under AllowOverride FileInfo: whoever may not, cannot."""
    answer = with_htaccess(httpd, "SetHandler mruby-script\n")
    assert answer.status == 500  # "page" is no Ruby that gives a page: it ran
    httpd.restart(BASE.replace("AllowOverride All", "AllowOverride None"))
    assert httpd.get("/page.html").text == "page"
