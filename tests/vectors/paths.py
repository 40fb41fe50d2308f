"""Writes the vectors of the path grammar: tests/vectors/paths/<expect>-<name>.path, with .steps or .error beside it.

The expectations are written by hand from the grammar in README.md. Run it from anywhere after changing the tables, and commit
what it writes.
"""

from __future__ import annotations

import pathlib
import shutil

HERE = pathlib.Path(__file__).parent / "paths"

# name -> (path, steps, one a line)
OK: dict[str, tuple[bytes, str]] = {
    # The whole document.
    "empty": (b"", ""),
    "root": (b"$", ""),
    # Pointers.
    "pointer": (b"/a/b", 'key "a"\nkey "b"'),
    "pointer-slash-alone": (b"/", 'key ""'),
    "pointer-empty-tokens": (b"//a/", 'key ""\nkey "a"\nkey ""'),
    "pointer-escapes": (b"/a~1b~0c/~01", 'key "a/b~c"\nkey "~1"'),
    "pointer-digits": (b"/0/10", "either 0\neither 10"),
    "pointer-digits-most": (b"/18446744073709551615", "either 18446744073709551615"),
    "pointer-digits-beyond": (b"/18446744073709551616", 'key "18446744073709551616"'),
    "pointer-leading-zero": (b"/00/01", 'key "00"\nkey "01"'),
    "pointer-no-number": (b"/-/-1/+1/1x", 'key "-"\nkey "-1"\nkey "+1"\nkey "1x"'),
    "pointer-no-wildcard": (b"/*/[*]", 'key "*"\nkey "[*]"'),
    "pointer-takes-everything": (b'/a.b/["x"]/ c/$/\\n', 'key "a.b"\nkey "[\\"x\\"]"\nkey " c"\nkey "$"\nkey "\\\\n"'),
    "pointer-utf-8": ("/価/é".encode(), 'key "\\u{4fa1}"\nkey "\\u{e9}"'),
    "pointer-control": (b"/a\nb\x00", 'key "a\\u{a}b\\u{0}"'),
    # Bare names.
    "name": (b"a", 'key "a"'),
    "names": (b"last_price.price", 'key "last_price"\nkey "price"'),
    "name-of-digits": (b"0.1", 'key "0"\nkey "1"'),
    "name-with-blanks": (b" a b .c ", 'key " a b "\nkey "c "'),
    "name-with-slash": (b"a/b", 'key "a/b"'),
    "name-with-apostrophes": (b"'a.b'", "key \"'a\"\nkey \"b'\""),
    "name-with-backslash": (b"a\\n", 'key "a\\\\n"'),
    "name-utf-8": ("価格.é😀".encode(), 'key "\\u{4fa1}\\u{683c}"\nkey "\\u{e9}\\u{1f600}"'),
    "name-control": (b"a\tb\x00", 'key "a\\u{9}b\\u{0}"'),
    "name-with-star": (b"*a.b*", 'key "*a"\nkey "b*"'),
    "name-with-tilde": (b"~1", 'key "~1"'),
    # The dollar sign.
    "dollar-name": (b"$.a", 'key "a"'),
    "dollar-bracket": (b"$[0]", "index 0"),
    "dollar-in-a-name": (b"$a", 'key "$a"'),
    "dollar-twice": (b"$$.a$", 'key "$$"\nkey "a$"'),
    "dollar-later": (b"$.$.a", 'key "$"\nkey "a"'),
    "dollar-quoted": (b'["$"].a', 'key "$"\nkey "a"'),
    # Elements.
    "index": (b"a[0]", 'key "a"\nindex 0'),
    "index-first": (b"[7].a", 'index 7\nkey "a"'),
    "indexes": (b"asks[0][12]", 'key "asks"\nindex 0\nindex 12'),
    "index-most": (b"[18446744073709551615]", "index 18446744073709551615"),
    "each": (b"trades[*].price", 'key "trades"\neach\nkey "price"'),
    "each-first": (b"[*]", "each"),
    "each-twice": (b"$[*][*]", "each\neach"),
    # Quoted names.
    "quoted": (b'["a.b"].c', 'key "a.b"\nkey "c"'),
    "quoted-apostrophes": (b"['a.b']", 'key "a.b"'),
    "quoted-empty": (b'[""]', 'key ""'),
    "quoted-empty-apostrophes": (b"a['']", 'key "a"\nkey ""'),
    "quoted-without-brackets": (b'"a.b"."c"[0]', 'key "a.b"\nkey "c"\nindex 0'),
    "quoted-without-brackets-empty": (b'""', 'key ""'),
    "quoted-digits": (b'["0"]', 'key "0"'),
    "quoted-star": (b'["*"]', 'key "*"'),
    "quoted-brackets": (b'["[0]"]', 'key "[0]"'),
    "quoted-other-quote": (b"[\"a'b\"]['a\"b']", "key \"a'b\"\nkey \"a\\\"b\""),
    "quoted-own-quote": (b"[\"a\\\"b\"]['a\\'b']", "key \"a\\\"b\"\nkey \"a'b\""),
    "quoted-escapes": (rb'["\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC"]', r'key "\"\\/\u{8}\u{c}\u{a}\u{d}\u{9}A\u{e9}\u{20ac}"'),
    "quoted-pair": (rb'["\ud83d\uDE00"]', r'key "\u{1f600}"'),
    "quoted-nul": (rb'["\u0000"]', r'key "\u{0}"'),
    "quoted-control": (b'["a\nb"]', r'key "a\u{a}b"'),
    "quoted-utf-8": ('["é"]'.encode(), r'key "\u{e9}"'),
}

# name -> (path, code and offset)
ERR: dict[str, tuple[bytes, str]] = {
    "utf-8": (b"a\xff", "encoding 0"),
    "utf-8-cut": (b'["\xe2\x82"]', "encoding 0"),
    "utf-8-surrogate": (b"/\xed\xa0\x80", "encoding 0"),
    "pointer-tilde": (b"/a~2", "syntax 2"),
    "pointer-tilde-at-end": (b"/a/b~", "syntax 4"),
    "dot-first": (b".a", "syntax 0"),
    "dot-alone": (b".", "syntax 0"),
    "dot-last": (b"a.", "syntax 2"),
    "dot-twice": (b"a..b", "syntax 2"),
    "dot-before-bracket": (b"a.[0]", "syntax 2"),
    "dollar-dot": (b"$.", "syntax 2"),
    "star": (b"*", "syntax 0"),
    "star-later": (b"a.*.b", "syntax 2"),
    "name-with-closing-bracket": (b"a]", "syntax 1"),
    "name-with-quote": (b'a"b"', "syntax 1"),
    "bracket-open": (b"a[", "syntax 2"),
    "bracket-empty": (b"a[]", "syntax 2"),
    "bracket-word": (b"a[b]", "syntax 2"),
    "bracket-negative": (b"a[-1]", "syntax 2"),
    "bracket-blank": (b"a[ 1]", "syntax 2"),
    "bracket-blank-behind": (b"a[1 ]", "syntax 3"),
    "bracket-range": (b"a[1:2]", "syntax 3"),
    "bracket-list": (b"a[1,2]", "syntax 3"),
    "bracket-not-closed": (b"a[12", "syntax 4"),
    "bracket-star-not-closed": (b"[*", "syntax 2"),
    "bracket-star-and-more": (b"[*x]", "syntax 2"),
    "bracket-quoted-and-more": (b'["a"x]', "syntax 4"),
    "bracket-quoted-not-closed": (b'["a"', "syntax 4"),
    "index-leading-zero": (b"a[01]", "syntax 2"),
    "index-too-large": (b"[18446744073709551616]", "syntax 1"),
    "behind-bracket": (b"a[0]b", "syntax 4"),
    "behind-quoted": (b'"a"b', "syntax 3"),
    "behind-dollar-bracket": (b"$[0]$", "syntax 4"),
    "quoted-open": (b'["abc', "syntax 5"),
    "quoted-open-apostrophe": (b"['abc\"]", "syntax 7"),
    "quoted-escape-cut": (b'["a\\', "syntax 3"),
    "quoted-escape-unknown": (b'["a\\x"]', "syntax 3"),
    "quoted-escape-hex": (b'["\\u12g4"]', "syntax 2"),
    "quoted-escape-hex-cut": (b'["\\u12', "syntax 2"),
    "quoted-half-pair": (b'["\\ud800"]', "syntax 2"),
    "quoted-half-pair-second": (b'["\\udc00"]', "syntax 2"),
    "quoted-half-pair-and-other": (b'["a\\ud800\\u0041"]', "syntax 3"),
}


def main() -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    HERE.mkdir()
    for name, (path, steps) in OK.items():
        (HERE / f"ok-{name}.path").write_bytes(path)
        (HERE / f"ok-{name}.steps").write_text(steps + "\n" if steps else "", "ascii")
    for name, (path, error) in ERR.items():
        (HERE / f"err-{name}.path").write_bytes(path)
        (HERE / f"err-{name}.error").write_text(error + "\n", "ascii")


if __name__ == "__main__":
    main()
