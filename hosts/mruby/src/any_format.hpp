// Calls for any format, by its name in the engine's table (engine/formats.hpp). No format is named here or in the
// files of these calls, so a new row of the table is a format of theirs without a change.
//
//      any_format.cpp    names, and Kumihimo.formats      any_load.cpp      Kumihimo.load, each_document
//      any_dump.cpp      Kumihimo.dump                    any_convert.cpp   Kumihimo.convert
//      any_partial.cpp   Kumihimo.partial                 any_lazy.cpp      Kumihimo.lazy
//      frames.cpp        Kumihimo.pack, unpack, frames
#pragma once
#include <string_view>

#include "engine/core/sink.hpp"

#include "errors.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

/// Containers in one another, where the caller says nothing.
inline constexpr mrb_int any_nesting = 1024;

// Names are Strings or Symbols; what these give is the table's own text.

/// ArgumentError for a name that no format has, which lists those that there are.
std::string_view format_named(mrb_state*, mrb_value name);
/// For nil what the document's first bytes tell, or ArgumentError.
std::string_view format_named_or_told(mrb_state*, mrb_value name, bytes document);

enum class direction : std::uint8_t { read, write };
/// For nil the format's default. ArgumentError, which lists the format's dialects for that direction.
std::string_view dialect_named(mrb_state*, std::string_view format, direction, mrb_value name);

/// The String that a source is: itself, what it converts to, or what its read() gives. TypeError.
mrb_value any_source(mrb_state*, mrb_value source);
inline bytes bytes_in(mrb_value string) noexcept {
    return {reinterpret_cast<const unsigned char*>(RSTRING_PTR(string)), static_cast<std::size_t>(RSTRING_LEN(string))};
}

/// Most that a document may take which is made outside of the script's memory.
std::size_t most_bytes(mrb_state*) noexcept;

/// For the end of a call that reads: the value, or what stood in the way.
struct any_outcome {
    mrb_value made = mrb_undef_value();
    mrb_value error = mrb_nil_value();  // an exception of mruby's
    read_failure why;
};
mrb_value value_of(mrb_state*, const any_outcome&);
/// read(outcome), and once more behind a collection where it ran out of memory, since the collector is off in it.
template <class Read>
mrb_value value_read(mrb_state* mrb, Read read) {
    any_outcome out;
    read(out);
    if (!mrb_immediate_p(out.error) && mrb_basic_ptr(out.error) == reinterpret_cast<RBasic*>(mrb->nomem_err)) [[unlikely]] {
        mrb_full_gc(mrb);
        out = any_outcome();
        read(out);
    }
    return value_of(mrb, out);
}

/// A Kumihimo::Lazy's value, in full; undef of what is none.
mrb_value value_of_lazy(mrb_state*, mrb_value);

/// What the walk of dump says, in the reference notation without counts: a String, for the conformance vectors. No
/// script can ask for it. `max_nesting` 0: no limit but the stack. Raises.
mrb_value trace_of(mrb_state*, mrb_value, mrb_int max_nesting);

void define_any_dump(mrb_state*, RClass* module);
void define_any_load(mrb_state*, RClass* module);
void define_any_convert(mrb_state*, RClass* module);
void define_any_partial(mrb_state*, RClass* module);
void define_any_lazy(mrb_state*, RClass* module);

}  // namespace kumihimo::inline v0::mruby
