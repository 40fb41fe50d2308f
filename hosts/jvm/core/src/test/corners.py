"""Documents that stand at a corner of a format: where reading begins and ends, keys that come twice, zeros with a sign, numbers that
are none, halves of surrogate pairs, lengths that lie, depth at its limit."""

from __future__ import annotations

JSON = [
    b"", b" ", b"\xef\xbb\xbf", b"\xef\xbb\xbf1", b'\xef\xbb\xbf{"a":1}', b"\xef\xbb", b"\xff\xfe1\x00", b"\xfe\xff\x001", b"1\x00", b"1 \x00",
    b"1 2", b"{} {}", b"[1]\xc3", b"[1] //x", b"[1]/**/", b"[1]#", b'{"a":1,"a":2}', b'{"a":1,"\\u0061":2}', b'{"a":{"b":1,"b":2},"a":3}',
    b'{"":1,"":2}', b'[{"a":1},{"a":1,"a":1}]', b"-0", b"-0.0", b"[-0,-0.0,-0e5,0e-5,-0.0e400]", b"-", b"+1", b"01", b"1.", b".5", b"1e", b"1e+",
    b"0x10", b"1_000", b"NaN", b"[NaN,Infinity,-Infinity]", b"nan", b"-NaN", b"inf", b"Infinity1", b"[nan]", b"1e308", b"1e309", b"-1e309",
    b"[1e309]", b"1e-400", b"5e-324", b"2.4703282292062327e-324", b"9223372036854775807", b"9223372036854775808", b"18446744073709551615",
    b"18446744073709551616", b"-9223372036854775808", b"-9223372036854775809", b"1" + b"0" * 400, b"0." + b"1" * 400,
    b"123456789012345678901234567890.5", b"1e99999999999999999999", b"16777217.0000000001", b'"\\ud800"', b'"\\udc00"', b'"\\ud800\\ud800"',
    b'"\\ud83d\\ude00"', b'"\\ud83dx"', b'"\\uDC00\\uD800"', b'{"\\ud800":1}', b'{"\\ud800":1,"\\ud800":2}', b'"\xed\xa0\x80"',
    b'"\xed\xa0\xbd\xed\xb8\x80"', b'{"\xed\xa0\x80":1}', b'"\xc0\x80"', b'"\xf4\x90\x80\x80"', b'"\xff"', b'"\\u0000"', b'"\x00"', b'"\x1f"',
    b'"\x7f"', b'"\t"', b'"\\x41"', b'"\\u12"', b'"\\', b'"a', b'"\xe2\x80\xa8"', b"'a'", b"{a:1}", b"[1,]", b'{"a":1,}', b"[,1]", b"tru", b"nullx",
    b"True", b"undefined", b"[" * 1023 + b"]" * 1023, b"[" * 1024 + b"]" * 1024, b"[" * 1025 + b"]" * 1025, b'{"a":' * 1024 + b'1' + b'}' * 1024,
    b'{"a":' * 1025 + b'1' + b'}' * 1025, b"[" * 100000, b'[{"a":' * 60000, b'{"' + b'k' * 70000 + b'":1}', b'"' + b'x' * 70000 + b'"',
    b'["2016-12-25T01:02:03Z","AAEC"]', b'{"__time__":1}', b'{"$date":"x"}', b'[1.5,2,"x",null,true,{"k":[]}]', b"[1e2,1E2,1e+2,100.0]",
]

# Of the binary formats each is given all of them.
BINARY = [
    b"", b"\xc0", b"\x80", b"\x00", b"\xf6", b"\xf7\xe0", b"\xa1aa\x01", b"\xa2aa\x01aa\x02", b"\x82\xa1a\x01\xa1a\x02", b"\x81\xc0\x01",
    b"\x81\x01\x02", b"\xf9\x80\x00", b"\xf9~\x00", b"\xf9|\x00", b"\xf9\xfc\x00", b"\xfa\x7f\xc0\x00\x00", b"\xfa\xff\xc0\x00\x01",
    b"\xfb\x7f\xf8\x00\x00\x00\x00\x00\x00", b"\xfb\xff\xf8\x00\x00\x00\x00\x00\x01", b"\xfb\x80\x00\x00\x00\x00\x00\x00\x00",
    b"\xca\x80\x00\x00\x00", b"\xca\x7f\xc0\x00\x00", b"\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00", b"\xcb\x80\x00\x00\x00\x00\x00\x00\x00",
    b"\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00", b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", b"\xd3\x80\x00\x00\x00\x00\x00\x00\x00", b"\xa3\xed\xa0\x80",
    b"c\xed\xa0\x80", b"\xa1\xff", b"a\xff", b"\xa2\xc3", b"\xc4\x02\x00", b"\xd4\xff\x00", b"\xd6\xff\xff\xff\xff\xff",
    b"\xd7\xff\x00\x00\x00\x00\x00\x00\x00\x00", b"\xc7\x0c\xff" + b";\x9a\xca\x00" + b"\x00" * 8, b"\xdd\xff\xff\xff\xff\x01",
    b"\xdf\xff\xff\xff\xff\x01\x01", b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff\x01", b"\x9f\x01", b"\x9f\x01\xff", b"\xbfaa\xff", b"\x7faaab\xff",
    b"\x7fAa\xff", b"_Aa\xff", b"\xc1\x1a\x00\x00\x00\x01", b"\xc1\xfb\x7f\xf8\x00\x00\x00\x00\x00\x00", b"\xc0`",
    b"\xc2I\x01\x00\x00\x00\x00\x00\x00\x00\x00", b"\xc3I\x01\x00\x00\x00\x00\x00\x00\x00\x00", b"\xc3@", b"\xc4\x82\x19\x13$\x01", b"\xc4\x82 \x01",
    b"\xc5\x82\x19\x13$\x01", b"\xc4\x82\x1b\xff\xff\xff\xff\xff\xff\xff\xff\x01", b"\xd8d\x00", b"\xd9\xd9\xf7\x01", b"\xd9\xd9\xf7", b"\xff",
    b"\xf8 ", b"\xf8\x18", b"\xf8\x01", b"\x18\x01", b"\x1c", b"\x01\x00", b"\x01\x01", b"\x81" * 1024 + b"\x01", b"\x81" * 1025 + b"\x01",
    b"\x91" * 1024 + b"\x01", b"\x91" * 1025 + b"\x01", b"\x81" * 1100 + b"\x80", b"\x9f" * 100000, b"\x91" * 100000, b"\xa1`" * 1100 + b"\x01",
    b"\x93\x01\x02", b"\xc1", b"\xd8" * 5000, b"\xc6" * 70000, b"\xef\xbb\xbf\x01",
]
