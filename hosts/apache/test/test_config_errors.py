"""What is wrong in a configuration is said by `apachectl -t`, with the file and the line, and what would be right."""

import pytest

from server import MODULES


def complaint(httpd, conf: str, line: int, **more) -> str:
    done = httpd.check(conf, **more)
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
        ("MrubyMaxTime", ["x", "-1", "", "1 2", "5parsecs"], ["0", "5", "500ms", "2mi"]),
        ("MrubyMaxResponse", ["x", "-1", "", "1 2", "10X"], ["0", "1048576", "1M", "4G"]),
        ("MrubyMemoryLimit", ["x", "-1", "", "12Q", "99999999999999999999G"], ["16777216", "16M", "1G"]),
        ("MrubyMaxBody", ["x", "-1", "", "1 2", "10X"], ["0", "1048576", "1M"]),
        ("MrubyScope", ["forever", "", "thread request"], ["request", "thread"]),
        ("MrubyCodeCache", ["sometimes", ""], ["stat", "forever", "never"]),
        ("MrubyErrorsToClient", ["maybe", ""], ["On", "Off"]),
        ("MrubyAllow", ["everything", "read,write", "none read", "read none", "write none socket"], ["read", "read write", "process socket", "none"]),
        ("MrubyMethods", ["G=T", "", "BREW", "GET BREW", "get", "TRACE", "CONNECT", "GETX"], ["GET POST", "PROPFIND", "HEAD PATCH OPTIONS"]),
    ],
)
def test_values(httpd, directive, values, good):
    for value in good:
        done = httpd.check(f"{directive} {value}\n")
        assert done.returncode == 0, f"{directive} {value}: {done.stderr}"
    for value in values:
        said = complaint(httpd, f"# a comment\n{directive} {value}\n", 2)
        assert directive.lower() in said.lower(), said


def test_methods_are_httpd_s(httpd):
    """A name that nobody knows is a slip of the pen, unless httpd is told of it."""
    assert "knows no method BREW; RegisterHttpMethod BREW" in complaint(httpd, "MrubyMethods GET BREW\n", 1)
    assert httpd.check("RegisterHttpMethod BREW\nMrubyMethods GET BREW\n").returncode == 0
    assert httpd.check("MrubyMethods GET PATCH\n").returncode == 0  # the one before has left nothing behind


@pytest.mark.parametrize("name", ["mod_mruby.c", "mruby_module"])
def test_if_module(httpd, name):
    """The configuration that comes with the older module asks for the name of its source."""
    assert "MrubyTimeout" in complaint(httpd, f"<IfModule {name}>\nMrubyTimeout x\n</IfModule>\n", 2)
    assert "mruby_module (shared)" in httpd.check("", "-M").stdout


@pytest.mark.parametrize("place", ["", "First", "Middle", "Last"])
def test_child_init(httpd, place):
    """The older module's second word says nothing here, and is taken."""
    httpd.script("a.rb", "1")
    for more in ("", " cache"):
        done = httpd.check(f'MrubyChildInit{place} "${{ROOT}}/scripts/a.rb"{more}\n')
        assert done.returncode == 0, done.stderr
    said = complaint(httpd, f'MrubyChildInit{place} "${{ROOT}}/scripts/a.rb" often\n', 1)
    assert f"MrubyChildInit{place}" in said and "`cache`" in said and "often" in said
    assert "No such file" in complaint(httpd, f'MrubyChildInit{place} "${{ROOT}}/scripts/none.rb" cache\n', 1)


@pytest.mark.parametrize("name", ["bad name", "a;b", "a/b", "é", "scripts/f.rb"])
@pytest.mark.parametrize("directive", ["MrubyOutputFilter", "MrubyInputFilter"])
def test_name_of_a_filter(httpd, directive, name):
    """SetOutputFilter would take it for several, or for none."""
    httpd.script("f.rb", "1")
    assert "name of a filter" in complaint(httpd, f'{directive} "{name}" "${{ROOT}}/scripts/f.rb"\n', 1)
    assert "name of a filter" in complaint(httpd, f'{directive}Code "{name}" "1"\n', 1)
    assert httpd.check(f'{directive} My-filter_2.0 "${{ROOT}}/scripts/f.rb"\n').returncode == 0


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


def test_file_that_takes_too_long_to_compile(httpd):
    """mruby's parser takes hours for this one, and nothing can be sent to a server that is being started."""
    text = "a 1\n" * 2_000_000
    httpd.script("long.rb", text)
    # The limit is 10 s of the processor's time, which others may want as well.
    said = complaint(httpd, '# a comment\nMrubyFixupsFirst "${ROOT}/scripts/long.rb"\n', 2, timeout=400)
    assert f"long.rb:1: the script could not be compiled in 10 s: it has {len(text)} bytes" in said


@pytest.mark.parametrize("directive", ["MrubyHandlerCode", "MrubyHandlerMiddleCode", "MrubyFixupsFirstCode", "MrubyOutputFilterCode", "MrubyAuthnCheckPasswordCode"])
def test_code_that_does_not_compile(httpd, directive):
    said = complaint(httpd, f'\n\n{directive} "x = ("\n', 3)
    assert "syntax error" in said


@pytest.mark.parametrize(("directive", "name"), [("MrubyOutputFilter", "deflate"), ("MrubyOutputFilter", "INCLUDES"), ("MrubyOutputFilter", "chunk"), ("MrubyInputFilter", "deflate"), ("MrubyInputFilter", "http_in")])
def test_filter_of_another_module(make_httpd, directive, name):
    """It would be gone, for the whole server."""
    httpd = make_httpd(modules=("include",))
    httpd.script("f.rb", "1")
    assert name in complaint(httpd, f'# a comment\n{directive} {name} "${{ROOT}}/scripts/f.rb"\n', 2)
    assert name in complaint(httpd, f'{directive}Code {name} "1"\n', 1)


def test_filter_of_a_later_module(httpd):
    assert "includes" in complaint(httpd, f'MrubyOutputFilterCode includes "1"\nLoadModule include_module "{MODULES}/mod_include.so"\n', 1)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("MrubyOutputFilterCode", "ExtFilterDefine NAME cmd=/bin/cat"), ("MrubyInputFilterCode", "ExtFilterDefine NAME mode=input cmd=/bin/cat"), ("MrubyOutputFilterCode", "LuaOutputFilter NAME x.lua f")],
)
def test_filter_of_another_directive(make_httpd, ours, theirs):
    """In front of ours, ours is wrong; behind, only the whole configuration shows it."""
    httpd = make_httpd(modules=("ext_filter", "lua"))
    theirs = theirs.replace("NAME", "Shout")
    assert "shout" in complaint(httpd, f'{theirs}\n{ours} shout "1"\n', 2)
    for name in ("shout ", ""):  # one of its own, and the place's: mruby
        done = httpd.check(f'# a comment\n{ours} {name}"1"\n{theirs if name else theirs.replace("Shout", "mruby")}\n')
        assert done.returncode != 0 and f"{httpd.root}/conf/tested.conf:2: {ours}" in done.stderr, done.stderr
    other = "MrubyInputFilterCode" if ours == "MrubyOutputFilterCode" else "MrubyOutputFilterCode"
    assert httpd.check(f'{ours} "1"\n{other} shout "1"\n{theirs}\n').returncode == 0


def test_filters_after_a_restart(httpd):
    """Their names are free again when the configuration is read once more."""
    httpd.page("a.html", "text")
    conf = "MrubyOutputFilterCode shout 'f = Apache::Filter.new; f.body = f.body.upcase'\nMrubyOutputFilterCode '1'\nMrubyInputFilterCode shout '1'\nSetOutputFilter shout\n"
    httpd.start(conf)
    for graceful in (True, False, True):
        assert httpd.get("/a.html").text == "TEXT"
        httpd.restart(graceful=graceful)
    assert httpd.get("/a.html").text == "TEXT"


def test_none_stands_alone(httpd):
    """What another file of the same server says counts, too."""
    assert "stands alone" in complaint(httpd, "MrubyAllow none\nMrubyAllow read\n", 2)
    assert "stands alone" in complaint(httpd, "MrubyAllow read\nMrubyAllow none\n", 2)
    assert httpd.check('MrubyAllow read\n<Location "/x">\nMrubyAllow none\n</Location>\n').returncode == 0


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


def test_line_that_is_read_twice(make_httpd):
    """With another value each time: two scripts, both of which stay compiled."""
    httpd = make_httpd(workers=1)
    httpd.write("conf/place.conf", "<Location ${PLACE}>\nSetHandler mruby-native-script\nMrubyHandlerCode \"Apache.rputs '${PLACE}'\"\n</Location>\n")
    once = 'Define PLACE %s\nInclude "${ROOT}/conf/place.conf"\n'
    httpd.start(once % "/a" + once % "/b" + '<Location "/mruby-status">\nSetHandler mruby-status\n</Location>\n')
    for _ in range(3):
        assert (httpd.get("/a").text, httpd.get("/b").text) == ("/a", "/b")
    assert "Compiled: 2\n" in httpd.get("/mruby-status?auto").text


def test_broken_reload_keeps_the_old_server(httpd):
    """A graceful restart with an error in the configuration: httpd's own behaviour, the module must not be in its way."""
    httpd.page("a.mrb", "Apache.rputs 'old'")
    httpd.start()
    assert httpd.get("/a.mrb").text == "old"
    assert httpd.check("MrubyTimeout never\n").returncode != 0
    assert httpd.get("/a.mrb").text == "old"
