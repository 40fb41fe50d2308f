// What a format is to everything that is not a format: one row of the table (engine/formats.hpp). A host's generic
// calls, the C ABI, extraction and the command read the row and name no format.
//
//      struct format {                                      engine/<format>/format.hpp
//          static constexpr std::string_view name           "msgpack"
//          static constexpr bool is_text                    its documents are Unicode text (UTF-8)
//          static constexpr std::string_view media_types[]  the first is the one to send
//          static constexpr std::string_view endings[]      of files, with the dot; the first is the one to make
//          static constexpr std::string_view endings_of_lines[]      those of files with a document a line, if there are any
//          static likeness resembles(bytes)                 whether a document of it begins so
//          using reader, template writer<B>, boundary       bytes to verbs, verbs to bytes, where a document of a stream ends;
//                                                           a writer's begin() starts another document where its buffer ends,
//                                                           whatever came before, begin_key() one that is a lone key()
//          template burst<B>                                if the format can be written without looking back (core/burst.hpp)
//          using projector                                  if a few values can be had without reading the rest; by the headers
//                                                           (json/project_headers.hpp) in a walk that also finds the end
//          static constexpr named<...> read_dialects[]      by the names of dialect.hpp, the default first; lets_any_text(d)
//                                                           says whether text may arrive that is not UTF-8
//          static constexpr named<...> write_dialects[]
//      };
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/core/buffer.hpp"
#include "engine/core/burst.hpp"
#include "engine/core/context.hpp"
#include "engine/core/mold.hpp"
#include "engine/core/null.hpp"
#include "engine/core/opening.hpp"
#include "engine/core/sink.hpp"
#include "engine/core/source.hpp"

namespace kumihimo::inline v0 {

/// A dialect and its name; it is static.
template <class D>
struct named {
    std::string_view name;
    const D* dialect;
};

/// The dialect of that name, the first for an empty name, nullptr where there is none.
template <class D, std::size_t N>
constexpr const D* dialect_of(const named<D> (&all)[N], std::string_view name) noexcept {
    if (name.empty()) return all[0].dialect;
    for (const named<D>& d : all) {
        if (d.name == name) return d.dialect;
    }
    return nullptr;
}

/// What the first bytes say about the format.
enum class likeness : std::uint8_t {
    none,      // no document of the format begins so
    possible,  // some do, as do those of other formats: the first row of the table that says so has it
    certain,   // a mark that only this format has
};

template <class F>
concept format = reader<typename F::reader> && writer<typename F::template writer<buffer>> &&
    requires(bytes b, typename F::boundary where, const char* chunk, std::size_t n, typename F::template writer<buffer> to) {
    { F::name } -> std::convertible_to<std::string_view>;
    { F::is_text } -> std::convertible_to<bool>;
    { F::media_types[0] } -> std::convertible_to<std::string_view>;
    { F::endings[0] } -> std::convertible_to<std::string_view>;
    { F::resembles(b) } -> std::same_as<likeness>;
    { where.next(chunk, n) } -> std::same_as<std::size_t>;
    { where.started() } -> std::same_as<bool>;
    { where.complete } -> std::convertible_to<bool>;
    to.begin();
    to.begin_key();
    { dialect_of(F::read_dialects, "") } -> std::convertible_to<const typename F::reader::dialect*>;
    { lets_any_text(*F::read_dialects[0].dialect) } -> std::same_as<bool>;
    { dialect_of(F::write_dialects, "") } -> std::convertible_to<const typename F::template writer<buffer>::dialect*>;
};

/// A format whose documents can be written in bursts into B.
template <class F, class B>
concept bursting_format = format<F> && burst < typename F::template burst<B>,
        B,
typename F::template writer<B>::dialect > ;

/// A format with a projector of its own. suits(dialect, level): it finds and gives values as the dialect has them;
/// checks(): what it finds is as good as what it gives.
template <class F>
concept projecting_format = format<F> &&
    requires(typename F::projector p, const typename F::reader::dialect& granted, bytes b, context& ctx, null_sink& to) {
    { F::projector::suits(granted, {}) } -> std::same_as<bool>;
    { F::projector::checks(granted, {}) } -> std::same_as<bool>;
    { p.run(b, ctx) } -> std::same_as<errc>;
    { p.aim(b) } -> std::same_as<void>;
    { p.give(p.value(0), to, ctx) } -> std::same_as<errc>;
    { p.values(0).size() } -> std::convertible_to<std::size_t>;
    { p.limit_memory(p.memory()) } -> std::same_as<void>;
};

/// One whose projector finds the ends of values by their headers: a stream of documents, and an array's elements, need
/// no other walk.
template <class F>
concept header_projecting_format = projecting_format<F> &&
    requires(typename F::projector p, bytes b, context& ctx, molds& known) {
    { p.run(b, {}, ctx) } -> std::same_as<errc>;
    { p.size() } -> std::same_as<std::size_t>;
    { p.blocked() } -> std::convertible_to<std::size_t>;
    { p.is_array(p.value(0)) } -> std::same_as<bool>;
    { F::projector::length(b, known) } -> std::same_as<std::size_t>;
    { F::projector::open(b) } -> std::same_as<opening>;
    { F::projector::closes(b) } -> std::same_as<bool>;
};

}  // namespace kumihimo::inline v0
