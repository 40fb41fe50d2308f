"""What is wrong in a configuration is said by `apachectl -t`, with the file and the line, and what would be right."""

import pytest


def complaint(httpd, conf: str, line: int) -> str:
    done = httpd.check(conf)
    assert done.returncode != 0, f"taken: {conf}"
    assert f"Syntax error on line {line} of {httpd.root}/conf/tested.conf" in done.stderr, done.stderr
    return done.stderr


def test_good(httpd):
    httpd.script("a.rb", "1")
    done = httpd.check('MrubyTimeout 5\nMrubyHandlerMiddle "${ROOT}/scripts/a.rb"\nMrubyFixupsMiddleCode "1 + 1"\n')
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("directive", "values", "good"),
    [
        ("MrubyTimeout", ["x", "-1", "", "1 2", "1e9", "99999999999999999999", "5parsecs"], ["0", "5", "30"]),
        ("MrubyMemoryLimit", ["x", "-1", "", "12Q", "99999999999999999999G"], ["16777216", "16M", "1G"]),
        ("MrubyMaxBody", ["x", "-1", "", "1 2", "10X"], ["0", "1048576", "1M"]),
        ("MrubyScope", ["forever", "", "thread request"], ["request", "thread"]),
        ("MrubyCodeCache", ["sometimes", ""], ["stat", "forever", "never"]),
        ("MrubyErrorsToClient", ["maybe", ""], ["On", "Off"]),
        ("MrubyAllow", ["everything", "read,write"], ["read", "read write", "process socket", "none"]),
        ("MrubyMethods", ["G=T", ""], ["GET POST", "PROPFIND"]),
    ],
)
def test_values(httpd, directive, values, good):
    for value in good:
        done = httpd.check(f"{directive} {value}\n")
        assert done.returncode == 0, f"{directive} {value}: {done.stderr}"
    for value in values:
        said = complaint(httpd, f"# a comment\n{directive} {value}\n", 2)
        assert directive.lower() in said.lower(), said


def test_unknown_directive(httpd):
    assert "MrubyHandlr" in complaint(httpd, "MrubyHandlr x\n", 1)


@pytest.mark.parametrize("directive", ["MrubyHandlerMiddle", "MrubyFixupsFirst", "MrubyOutputFilter", "MrubyInputFilter", "MrubyAuthnCheckPassword", "MrubyLogTransactionLast", "MrubyTranslateNameMiddle"])
def test_file_that_is_not_there(httpd, directive):
    said = complaint(httpd, f'\n{directive} "${{ROOT}}/scripts/none.rb"\n', 2)
    assert "none.rb" in said and "No such file" in said


@pytest.mark.parametrize("directive", ["MrubyHandlerMiddle", "MrubyFixupsFirst"])
def test_file_that_does_not_compile(httpd, directive):
    httpd.script("bad.rb", "a = 1\nb = 2\nif a ==\n")
    said = complaint(httpd, f'{directive} "${{ROOT}}/scripts/bad.rb"\n', 1)
    assert "bad.rb:" in said and "syntax error" in said


@pytest.mark.parametrize("directive", ["MrubyHandlerCode", "MrubyHandlerMiddleCode", "MrubyFixupsFirstCode", "MrubyOutputFilterCode", "MrubyAuthnCheckPasswordCode"])
def test_code_that_does_not_compile(httpd, directive):
    said = complaint(httpd, f'\n\n{directive} "x = ("\n', 3)
    assert "syntax error" in said


def test_no_argument(httpd):
    assert "MrubyHandlerMiddle" in complaint(httpd, "MrubyHandlerMiddle\n", 1)


@pytest.mark.parametrize("hook", ["PostReadRequest", "MapToStorage", "QuickHandler"])
def test_where_it_may_stand(httpd, hook):
    """These hooks run before httpd knows a directory or a location: code for them there would never run."""
    for section in ('Directory "/x"', 'Location "/x"', 'Files "x"'):
        said = complaint(httpd, f'<{section}>\nMruby{hook}MiddleCode "1"\n</{section.split()[0]}>\n', 2)
        assert f"Mruby{hook}MiddleCode" in said


def test_translate_name_knows_locations_only(httpd):
    assert httpd.check('<Location "/x">\nMrubyTranslateNameMiddleCode "1"\n</Location>\n').returncode == 0
    complaint(httpd, '<Directory "/x">\nMrubyTranslateNameMiddleCode "1"\n</Directory>\n', 2)


def test_nothing_runs_in_the_parent(httpd):
    """It is root there."""
    assert "MrubyInit" in complaint(httpd, "MrubyPostConfigMiddle x.rb\n", 1)


def test_load_path_must_be_a_folder(httpd):
    httpd.script("lib/a.rb", "1")
    assert httpd.check('MrubyLoadPath "${ROOT}/scripts/lib"\n').returncode == 0
    complaint(httpd, 'MrubyLoadPath "${ROOT}/scripts/none"\n', 1)


def test_script_names_relative_to_the_server_root(httpd):
    httpd.script("a.rb", "Apache.rputs 'relative'")
    httpd.start('<Location "/x">\nMrubyHandlerMiddle scripts/a.rb\n</Location>')
    assert httpd.get("/x").text == "relative"


def test_broken_reload_keeps_the_old_server(httpd):
    """A graceful restart with an error in the configuration: httpd's own behaviour, the module must not be in its way."""
    httpd.page("a.mrb", "Apache.rputs 'old'")
    httpd.start()
    assert httpd.get("/a.mrb").text == "old"
    assert httpd.check("MrubyTimeout never\n").returncode != 0
    assert httpd.get("/a.mrb").text == "old"
