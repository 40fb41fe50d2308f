// JSON text -> Ruby objects: what the options of Kumihimo.parse mean, and one document through the reader into the
// builder.
#pragma once
#include <cstddef>

#include "build.hpp"
#include "engine/core/context.hpp"
#include "engine/json/dialect.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::ruby {

/// The json gem's options, as it understands them. Its defaults are those of the json that is installed.
struct parse_options {
    build_options build;
    json::read_dialect granted;  // everything that is taken
    std::size_t depth = 100;

    parse_options() noexcept;
};

/// Reads the Hash of options, or nil. Raises TypeError or ArgumentError as the json gem does; keys that it does not
/// know are passed over. What `out` refers to afterwards is kept by `options`, or by the Hash that is returned instead
/// of it: keep that one alive.
VALUE read_parse_options(VALUE options, parse_options& out);

/// What a source is before it can be parsed: a String whose bytes are UTF-8, or are to be taken for it. Raises
/// TypeError.
VALUE document_of(VALUE source);

/// What reading one document came to: an object, an exception, or the state of a jump, whichever is set.
struct outcome {
    VALUE made = Qundef;
    VALUE error = Qnil;
    int state = 0;
};

/// Where in a stream a document starts: bytes and lines before it, and bytes before it on its own line.
struct stream_place {
    std::size_t offset = 0;
    std::size_t lines = 0;
    std::size_t columns = 0;
};

/// Reads one document. Raises nothing. Where options.build.calls(), and where the work is to be left now and then to
/// signals and other threads (`interruptible`), nobody may be able to change the bytes.
outcome read_document(bytes document, const parse_options& options, const stream_place& from = {}, bool interruptible = false);

/// Parses one document. Raises ParserError, NestingError or what the user's code raises.
VALUE parse_document(VALUE string, const parse_options& options);

}  // namespace kumihimo::inline v0::ruby
