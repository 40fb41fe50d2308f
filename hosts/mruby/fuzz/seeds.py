"""Writes the seeds of the fuzz corpora: fuzz/corpus/<target>/seed-<n>. Small requests that reach every corner of a target; what
fuzzers found lies beside them as found-<what> and is not touched. Run it anywhere after changing the tables, and commit what it
writes. Documents are those of the repository's own fuzz/seeds.py.
"""

import importlib.util
import pathlib
import struct

HERE = pathlib.Path(__file__).parent
CORPUS = HERE / "corpus"

spec = importlib.util.spec_from_file_location("engine_seeds", HERE.parents[2] / "fuzz" / "seeds.py")
engine = importlib.util.module_from_spec(spec)
spec.loader.exec_module(engine)

JSON = engine.JSON + [
    b"[" * 100 + b"1" + b"]" * 100,
    b"[" * 101 + b"1" + b"]" * 101,
    b"[4611686018427387903,4611686018427387904,-4611686018427387905,9007199254740993,1e23,5e-324]",
    b'{"a":1,"a":2,"b":{"a":[3]}}',
    b"[" + b",".join(b'{"k%d":%d}' % (n, n) for n in range(20)) + b"]",
    b"{" + b",".join(b'"k%d":%d' % (n, n) for n in range(20)) + b"}",
    b'["' + b"y" * 27 + b'","' + b"z" * 28 + b'"]',
]
MESSAGE_PACK = engine.MSGPACK + [
    b"\x82\x91\x01\x02\x01\x02",
    b"\x83\xc0\x01\xc2\x02\x05\x03",
    b"\xcf\x40" + bytes(7),
    b"\x91" * 1025 + b"\xc0",
]
FORM = [
    b"a=1&b=2&a=3&c&d=%zz%41+x&=5&&e=",
    b"a%3Db=c%26d%00&%=%&%4=%4",
    b"a[b][]=1&a[b][]=2&k=v&q[w]=e",
    b"x[][y]=1&x[][z]=2&x[][y]=3",
    b"x[][y][z]=1&x[][y][w]=2",
    b"a[]=1&a[]&b[=2&[]=3&]=4&c]=6&[a]=7&a[b=8",
    b"a=1&a[b]=2",
    b"a[b]=1&a[]=2",
    b"a" + b"[b]" * 31 + b"=1",
    b"a" + b"[b]" * 32 + b"=1",
    b"a" + b"[]" * 40 + b"=1",
    b"a&" * 40,
    b"a&" * 4097,
    b"&".join(b"k%d=%d" % (n, n) for n in range(40)),
    b"caf%C3%A9=%E2%82%AC&\xff=\xfe",
]
COOKIE = [
    b'a=1; b="x y"; a=2;c=%41+ ; junk; =x; d=e=f;',
    b'a=";b"; c="; d=";";\t e \t=\t f\t',
    b'a="x"; b=""; c="',
    b"\x00name\x00value x;\r\n",
    b"\x80name\x00raw=value",
    b"\xffname\x00v\x00/\x00example.org\x00soon\x00lax",
    b"\x7f__Host-a\x00v\x00/\x00\x00\x00None",
    b"\x11__Host-a\x00v\x00/",
    b"\x10__Secure-a\x00v",
    b"\x0fname\x00v\x00/;x\x00a_b\x00x\ny\x00x",
    b"\x04name\x00v\x00\x00\x00Thu, 01 Jan 1970 00:00:00 GMT",
    b"\x01name\x00v\x00/;x",
    b"\x01name\x00v\x00/\r\nX: y",
    b"\x02name\x00v\x00/\x00a;b",
    b"\x04name\x00v\x00\x00\x00soon; Domain=x",
    b"\x00a b\x00v",
    b"\x80name\x00a,b",
]
LINE = b"--X\r\n"
FIELD = b'Content-Disposition: form-data; name="a"\r\n\r\n'
MULTIPART = [
    b"multipart/form-data; boundary=X\n" + LINE + FIELD + b"one\r\n" + LINE
    + b'Content-Disposition: form-data; name="f"; filename="C:\\\\dir\\\\a.txt"\r\nContent-Type: text/plain\r\n\r\n\r\n--X not\r\n--X--\r\n',
    b'Multipart/Form-Data; charset=utf-8; Boundary="X"\npreamble\r\n' + LINE + FIELD + b"\r\n--X--  \t\r\nepilogue",
    b"multipart/form-data; boundary=X\n" + LINE + FIELD + b"--X--",
    b"multipart/form-data; boundary=X\n--X--",
    b"multipart/form-data; boundary=X\n" + LINE + b"\r\nno head\r\n--X--",
    b"multipart/form-data; boundary=X\n" + LINE + FIELD + b"cut",
    b"multipart/form-data; boundary=X\n" + LINE + b"Content-Disposition: form-data; name=\"a%22\\\"%0D%0A\"; filename=../x\r\n\r\n1\r\n--X--",
    b"multipart/form-data; boundary=X\n" + LINE + b"content-disposition: form-data; name=a; name=b\r\n\r\n1\r\n--X--",
    b"multipart/form-data; boundary=X\n" + LINE + b"Content-Type: multipart/mixed\r\n" + FIELD + b"1\r\n--X--",
    b"multipart/form-data; boundary=X\n" + LINE + b"Content-Transfer-Encoding: base64\r\n" + FIELD + b"1\r\n--X--",
    b"multipart/form-data; boundary=X\n" + LINE + b"Bad Name: x\r\n" + FIELD + b"1\r\n--X--",
    b"multipart/form-data; boundary=X; boundary=Y\n" + LINE + FIELD,
    b"multipart/form-data; boundary=\"a\\\"b c\"\n--a\"b c\r\n" + FIELD + b"1\r\n--a\"b c--",
    b"multipart/form-data; boundary=" + b"b" * 71 + b"\n",
    b"multipart/form-data\n" + LINE + FIELD + b"1\r\n--X\r\n--X\r\n" + FIELD + b"2\r\n--X--",
    b"text/plain\n" + LINE + FIELD + b"\r\n--XY\r\n--X \t\r\n" + FIELD + b"\r\n\r\n--X--",
    b'name\x00file "x".txt\x00body\r\nof two lines\x00second\r\n\x00\x00\x00third\x00a/b\\c\x00\x00',
]
URI = [
    b"http://user:pass@example.org:8080/a/b;c?d=e&f#g",
    b"HTTPS://[::1]:443/", b"http://[::1", b"//host", b"?q", b"#f", b"", b"mailto:a@b", b"file:///x", b"http://a:", b"a:b:c",
    b"../../../g", b"./g/.", b"g/../h/./", b"/./g", b"/../g", b"g;x=1/../y", b"..", b".", b"g?y/../x", b"//g//..//",
    b"http:g", b"http://a/b c", b"%41%zz", b"%e2%82%ac", b"a b+c&d=e/f?*~-._", b"http://a:99999/", b"1a:b", b"+a:b",
    b"&amp;&lt;&gt;&quot;&#39;&apos;&#x20AC;&#8364;&#xD800;&#1114112;&#;&#x;&amp", b"<a href=\"x\">'&'</a>" + b"x" * 70 + b"<",
    b"\x00\xff%",
]
DATE = [
    b"Sun, 06 Nov 1994 08:49:37 GMT", b"Sunday, 06-Nov-94 08:49:37 GMT", b"Sun Nov  6 08:49:37 1994", b"6 Nov 1994 08:49 +0130",
    b"Sun, 06 Nov 1994 08:49:37 -0000", b"Sun, 06 Nov 94 08:49:37 UT", b"6 Nov 094 08:49:37 Z", b"29 Feb 2023 00:00:00 GMT",
    b"31 Dec 9999 23:59:60 -2359", b"1 Jan 0000 00:00:00 +2359", b"1994-11-06T08:49:37.123456789Z", b"1994-11-06 08:49:37 +09:00",
    b"1994-11-06", b" 1994-11-06T08:49 ", b"Sun, 06 Nov 1994 24:00:00 GMT", b"06 Nov 1994 08:49:37 EST",
] + [struct.pack("<q", n) for n in (0, -1, 951782400, 951868800, 253402300799, 253402300800, -62167219200, -62167219201, 2**63 - 1, -(2**63))]
STREAMS = [
    b'{"a":1}\n[2] "x"3\r\n[4,\n x]', b"[1] [2,", b"1,2", b"\r\n\r[1]\r[tru]", b"\x01\x91\x02\x81\xa1a\xc0\x92\x01\xc1", b"\x82\x01\x02",
    b"\xd9\xd9\xf7\x83\x01\x02\x03\x9f\x01\xff\xa1\x61a\xf6\x1c",
]
PATTERNS = [
    (0, rb"a+(b|c)*?", b"aabcb"), (1, rb"CAF\u00e9", "café".encode()), (2, rb"a .\n# c", b"a\n"), (4, rb"(?<year>\d{4})-\k<year>", b"1999-1999"),
    (0, rb"\A\h+\Z|\z", b"beef\n"), (0, rb"[[:alpha:]&&[^a-c]]+", b"abcdef"), (0, rb"(?<!a)b(?=c)(?>d|e)", b"bc"),
    (0, rb"\p{Alpha}\R\X", b"a\r\n\xcc\x81"),
    (0, rb"(a)|(b)\1\2", b"ab"), (0, rb"[", b""), (0, rb"a{2,1}", b"aa"), (0, rb"(?i-m:x)\G\K", b"X"), (0, rb"[\d\-\]\w]", b"]-"),
    (0, rb"\x{20ac}\x41\101\cA\M-a\e", "€A".encode()), (0, rb"(a+)+$", b"a" * 30 + b"b"),
    (7, b"\xff\xfe", b"\xff\xfe"), (0, rb"(?<a>.)(?<a>.)\g<a>", b"abc"),
    (0, rb"$^\b\B", b"a\nb"), (0, b"(" * 30 + b")" * 30, b""),
]


def seeds() -> dict[str, list[bytes]]:
    return {
        "json": JSON,
        "message_pack": MESSAGE_PACK,
        "any_format": JSON + MESSAGE_PACK,
        "frames": engine.seeds()["frame"] + STREAMS,
        "form": FORM,
        "cookie": COOKIE,
        "multipart": MULTIPART,
        "uri": URI,
        "date": DATE,
        "regexp": [bytes([options]) + source + b"\x00" + text for options, source, text in PATTERNS],
    }


if __name__ == "__main__":
    engine.write(CORPUS, seeds())
