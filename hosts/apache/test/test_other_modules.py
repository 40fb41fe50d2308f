"""Other modules' code in the same threads: a script's timer is over when its run is, and interrupts nobody."""

import pytest

from server import FILES_MATCH, MODULES


def test_php_sleeps(make_httpd):
    """It says how much was left when it is woken."""
    found = sorted(MODULES.glob("libphp*.so"))
    if not found:
        pytest.skip("not proven: that others sleep undisturbed needs mod_php")
    httpd = make_httpd("prefork", workers=1)
    httpd.page("sleep.php", "<?php echo sleep(1) === 0 ? 'slept' : 'woken';")
    httpd.page("fine.mrb", "Apache.rputs 'fine'")
    httpd.page("late.mrb", "while true\nend")
    httpd.start(FILES_MATCH + f'MrubyTimeout 200ms\nLoadModule php_module "{found[-1]}"\nAddHandler application/x-httpd-php .php\n')
    assert httpd.get("/fine.mrb").text == "fine"
    assert httpd.get("/sleep.php").text == "slept"
    assert httpd.get("/late.mrb").status == 500
    assert httpd.get("/sleep.php").text == "slept"
