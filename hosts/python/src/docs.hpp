// The docstrings of the compiled functions. The first lines are their signatures, as inspect.signature() reads them;
// the same texts stand in kumihimo/_core.pyi, for editors (test/surface_test.py compares them).
#pragma once

namespace kumihimo::inline v0::python::docs {

inline constexpr char dumps[] =
    R"(dumps(obj, /, default=None, *, sort_keys=False, indent=None, separators=None, ensure_ascii=False, allow_nan=None, non_str_keys=False, decimal=False, binary=None, escape=None, utc_z=False, newline=False, depth=1024, floats='python')
--

JSON as bytes, compact and in UTF-8 unless asked otherwise.

Writes dict, list, tuple, str, int of any size, float, bool, None, their subclasses, dataclasses (fields that begin with an underscore
stay out), datetime, date, time (RFC 3339), UUID, Enum (its value), and NumPy's scalars and arrays.

default: called with any other object; what it returns is written in its place.
sort_keys: keys in the order of their code points.
indent: spaces per level (0 to 64) or the white space itself, one value per line; None is compact.
separators: the pair (item, key), such as (", ", ": "); white space around a comma and a colon.
ensure_ascii: everything above U+007E as \uXXXX.
allow_nan: None writes NaN and the infinities as null, True as NaN and Infinity (which is not JSON), False raises.
non_str_keys: keys that are int, float, bool, None, datetime, UUID, Enum... as text; else they raise.
decimal: Decimal as a number with all its digits; else it goes to `default`.
binary: 'base64' or 'base64url' writes bytes, bytearray and memoryview so; else they go to `default`.
escape: 'html' (also < > & U+2028 U+2029), 'script' (also / U+2028 U+2029) or 'slash' (also /), for JSON inside other text.
utc_z: Z in place of +00:00.
newline: a line feed at the end.
depth: containers in one another, at most.
floats: 'python' writes 1e-07 and 1e-05 as repr() and json do, 'orjson' 1e-7 and 0.00001.

Raises EncodeError, a TypeError and a ValueError, whose `path` says where: for what cannot be written, and for a container that holds
itself. What `default` raises goes through.)";

inline constexpr char loads[] =
    R"(loads(data, /, *, decimal=False, allow_nan=False, relaxed=False, unique_keys=False, lone_surrogates=False, depth=1024)
--

Python objects from one JSON document: bytes, bytearray, memoryview (UTF-8) or str.

decimal: numbers with a fraction or an exponent become Decimal, with all their digits; else float, and one beyond the largest float is
an error. Integers are int, of any size that sys.set_int_max_str_digits() allows.
allow_nan: NaN, Infinity and -Infinity are taken.
relaxed: comments, trailing commas and a byte order mark are taken.
unique_keys: a key that comes twice in an object is an error; else the last one counts.
lone_surrogates: half a surrogate pair such as "\ud800" is taken.
depth: containers in one another, at most.

Raises JSONDecodeError, a json.JSONDecodeError; its `offset` counts bytes, `path` is like $.asks[0][1], `code` is one word.)";

inline constexpr char packb[] =
    R"(packb(obj, /, default=None, *, sort_keys=False, non_str_keys=False, decimal=False, depth=1024)
--

MessagePack as bytes, every value in its smallest encoding; a float is always a float 64.

Writes what dumps() writes, and bytes, bytearray, memoryview (bin), kumihimo.msgpack.Ext (ext) and datetimes with a zone (timestamp).

default: called with any other object; what it returns is written in its place.
sort_keys: keys in the order of their code points.
non_str_keys: keys that are no str, as themselves; else they raise.
decimal: Decimal, and integers beyond 64 bits, as text (a str); else they raise, Decimal after `default` was asked.
depth: containers in one another, at most.

Raises EncodeError, a TypeError and a ValueError, whose `path` says where. What `default` raises goes through.)";

inline constexpr char unpackb[] = R"(unpackb(data, /, *, ext_hook=None, non_str_keys=False, raw=False, depth=1024)
--

Python objects from one MessagePack document: bytes, bytearray or memoryview.

ext_hook: called with (type, data) for each extension; what it returns takes its place. Else it is a kumihimo.msgpack.Ext, and a
timestamp is a datetime in UTC.
non_str_keys: keys that are no str are taken; else they raise.
raw: a str that is not UTF-8 becomes bytes; else it raises.
depth: containers in one another, at most.

Raises DecodeError, a ValueError, with `offset` (bytes), `path` and `code`. What `ext_hook` raises goes through.)";

inline constexpr char dump[] =
    R"(dump(obj, /, format, dialect=None, *, default=None, sort_keys=False, non_str_keys=False, decimal=False, depth=1024, frame=None, frame_level=None)
--

A value in any format, as bytes. Formats and their dialects: formats().

format: a name, such as 'json' or 'msgpack'.
dialect: how the format is spelled and what becomes of values it does not have, by name; None is what dumps() or packb() write with no
options, or the format's first dialect.
default: called with any object that the format has no way to write; what it returns is written in its place.
sort_keys: keys in the order of their code points.
non_str_keys: keys that are no str are written as the format has them; else they raise.
decimal: Decimal as a number with all its digits where the format has such numbers, else as the dialect says; else it goes to `default`.
depth: containers in one another, at most.
frame, frame_level: 'gzip', 'zstd' or 'lz4' compresses the document, at a level of frames(); None is its usual one.

Raises EncodeError, a TypeError and a ValueError, whose `path` says where. What `default` raises goes through.)";

inline constexpr char load[] =
    R"(load(data, /, format=None, dialect=None, *, ext_hook=None, non_str_keys=False, decimal=False, depth=1024)
--

Python objects from one document of any format: bytes, bytearray, memoryview, and str where the format is text.
A document in a frame (gzip, zstd, lz4: frames()) is unpacked first; its first bytes tell.

format: a name of formats(); None is what the first bytes tell.
dialect: what is granted, by name; None is what loads() or unpackb() take with no options, or the format's first dialect.
ext_hook: called with (type, data) for each extension; what it returns takes its place. Else it is a kumihimo.msgpack.Ext.
non_str_keys: keys that are no str are taken; else they raise.
decimal: numbers with a fraction or an exponent in decimal digits become Decimal, with all of them.
depth: containers in one another, at most.

Raises JSONDecodeError or DecodeError, with `offset` (bytes), `path` and `code`. What `ext_hook` raises goes through.)";

inline constexpr char each_document[] =
    R"(each_document(source, /, format, dialect=None, *, ext_hook=None, non_str_keys=False, decimal=False, depth=1024)
--

The documents of a stream, one after the other, as load() reads them: an iterator.

source: bytes, bytearray, memoryview, str, or an object with read(n) that gives such, as an open file does; it is read as far as the
documents asked for need.
format: a name of formats(). JSON's documents may have white space, line feeds or nothing between them.
dialect, ext_hook, non_str_keys, decimal, depth: as in load(), for each document.

Raises what load() raises; `start` is then where in the stream the document begins, `offset` counts from there. The stream ends with it.)";

inline constexpr char formats[] = R"(formats()
--

The formats there are: a tuple with a dict for each, of name, text (whether its documents are text), media_types, endings (of files),
line_endings (those of files with a document a line), read_dialects and write_dialects, the default first.)";

inline constexpr char convert[] =
    R"(convert(data, source, target, depth=1024, *, decimal=False, big=None, relaxed=False, allow_nan=False, unique_keys=False, source_dialect=None, target_dialect=None, frame=None, frame_level=None)
--

One document from a format into another (formats()), as bytes; no Python objects are made, other threads run meanwhile.

What loads() and unpackb() refuse is refused, and so is what the target cannot say; the order of keys and keys that come twice are kept.

depth: containers in one another, at most.
decimal: numbers of JSON keep all their digits: in JSON as they stand, in MessagePack as text (a str) where they have a fraction, an
exponent, or more than 64 bits. Else they are doubles, and one beyond the largest double is an error.
big: 'text' writes the digits of numbers beyond 64 bits and beyond the largest double as text; None keeps integers in JSON and refuses
the rest.
relaxed, allow_nan, unique_keys: of a source that is JSON, as in loads().
source_dialect, target_dialect: by name; None is what the options above say.
frame, frame_level: 'gzip', 'zstd' or 'lz4' compresses the document, at a level of frames(); None is its usual one.

Raises JSONDecodeError or DecodeError, by the source, with the place there.)";

inline constexpr char check[] =
    R"(check(data, /, *, decimal=False, allow_nan=False, relaxed=False, unique_keys=False, lone_surrogates=False, depth=1024)
--

Raises JSONDecodeError if `data` is not one JSON document that loads() takes with the same options; makes no Python objects of it.

decimal: numbers beyond the largest float are valid.
allow_nan: NaN, Infinity and -Infinity are valid.
relaxed: comments, trailing commas and a byte order mark are valid.
unique_keys: a key that comes twice in an object is an error.
lone_surrogates: half a surrogate pair such as "\ud800" is valid.
depth: containers in one another, at most.)";

inline constexpr char lazy[] =
    R"(lazy(data, /, *, decimal=False, allow_nan=False, relaxed=False, unique_keys=False, depth=1024, format='json', dialect=None)
--

Reads and checks one document (bytes, bytearray, memoryview; str where the format is text) without making Python objects of it.

Indexing the result makes objects of what is touched. `data` must not change while the result is used.

decimal: numbers with a fraction or an exponent become Decimal; else float, and one beyond the largest float is an error.
allow_nan: NaN, Infinity and -Infinity are taken.
relaxed: comments, trailing commas and a byte order mark are taken.
unique_keys: a key that comes twice in an object is an error; else the last one counts.
depth: containers in one another, at most.
format: a name of formats().
dialect: what is granted, by name; allow_nan, relaxed and unique_keys are JSON's.

Raises JSONDecodeError or DecodeError, as load() does for the same document.)";

inline constexpr char trace[] = R"(trace(obj, /)
--

The verbs that a value is written with, one a line; for tests.)";

}  // namespace kumihimo::inline v0::python::docs
