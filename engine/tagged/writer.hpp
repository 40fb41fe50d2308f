// Values become tagged. header.hpp has the bytes of the layout `safe`, which is written here as the verbs come;
// `study` is recorded and written at the end (study_writer.hpp).
//
// Which names get numbers is the writer's choice, a reader takes any. Here: those from a document's fourth map on, so
// that a small message costs nothing; and where hardly any comes again (a dictionary, maps by id) one in seventeen.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

#include "engine/core/append.hpp"
#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/order.hpp"
#include "engine/core/sink.hpp"
#include "engine/core/stack.hpp"
#include "engine/json/number.hpp"
#include "engine/scalar/utf8.hpp"
#include "engine/simd/text.hpp"
#include "engine/tagged/dialect.hpp"
#include "engine/tagged/header.hpp"
#include "engine/tagged/names.hpp"
#include "engine/tagged/scratch.hpp"
#include "engine/tagged/study_writer.hpp"

namespace kumihimo::inline v0::tagged {

/// A sink that appends one document to `out`; finish() gives its bytes.
template <output B = buffer>
class basic_writer {
public:
    using dialect = tagged::dialect;

    basic_writer(B& out, context& ctx, const tagged::dialect& dialect = safe) noexcept
        : out_(out),
          ctx_(ctx),
          order_(ctx, memory_of(out)),
          start_(out.size()),
          study_(dialect.layout == layout::study),
          names_(memory_of(out), memory_of(out)) {
        if (study_) record_.emplace(ctx, out);
    }

    /// Another document where the buffer now ends; what was open is forgotten.
    void begin() noexcept {
        order_.clear();
        if (study_) [[unlikely]]
            record_->clear();
        start_ = out_.size();
        most_ = 0;
        plain_maps_ = first_maps;
        unsearched_ = no_search;
    }
    /// A lone key(). Its bytes, a name without a number, are those of a key in any document of the layout `safe`; in
    /// `study` they are the name alone.
    void begin_key() noexcept {
        begin();
        order_.begin_key();
        plain_maps_ = 0;
        if (!study_) most_ = ctx_.limits.size;
    }

    errc null() {
        KUMIHIMO_TRY(order_.value());
        char* const to = room(1);
        if (to == nullptr) [[unlikely]]
            return study_ ? record_->null() : stopped_;
        return put_byte(to, code::null);
    }
    errc boolean(bool b) {
        KUMIHIMO_TRY(order_.value());
        char* const to = room(1);
        if (to == nullptr) [[unlikely]]
            return study_ ? record_->i64(b) : stopped_;
        return put_byte(to, b ? code::yes : code::no);
    }
    errc i64(std::int64_t n) {
        KUMIHIMO_TRY(order_.value());
        char* to = room(9);
        if (to == nullptr) [[unlikely]]
            return study_ ? record_->i64(n) : stopped_;
        if (n >= 0) {
            out_.commit(put_above(to, static_cast<std::uint64_t>(n)));
            return errc::ok;
        }
        if (n >= -16) {
            *to++ = static_cast<char>(code::far_name + n);
        } else if (n >= INT8_MIN) {
            to = put(to, code::below, static_cast<std::uint8_t>(n));
        } else if (n >= INT16_MIN) {
            to = put(to, code::below + 1, static_cast<std::uint16_t>(n));
        } else if (n >= INT32_MIN) {
            to = put(to, code::below + 2, static_cast<std::uint32_t>(n));
        } else {
            to = put(to, code::below + 3, static_cast<std::uint64_t>(n));
        }
        out_.commit(to);
        return errc::ok;
    }
    errc u64(std::uint64_t n) {
        KUMIHIMO_TRY(order_.value());
        char* to = room(9);
        if (to == nullptr) [[unlikely]]
            return study_ ? record_->u64(n) : stopped_;
        out_.commit(put_above(to, n));
        return errc::ok;
    }
    errc f64(double x) {
        KUMIHIMO_TRY(order_.value());
        char* to = room(9);
        if (to == nullptr) [[unlikely]]
            return study_ ? record_->f64(x) : stopped_;
        *to++ = static_cast<char>(code::f64);
        out_.commit(store(to, std::bit_cast<std::uint64_t>(x)));
        return errc::ok;
    }
    errc big(text lexeme) {
        KUMIHIMO_TRY(order_.value());
        const char* const s = static_cast<const char*>(lexeme.data);
        if (lexeme.charset == encoding::utf16 || json::number_end(s, s + lexeme.size) != s + lexeme.size) {
            return ctx_.fail(errc::range, failure::nowhere, "a number's digits break JSON's grammar");
        }
        if (study_) return record_->big({s, lexeme.size});
        char* to = room(lexeme.size + 1 + longest_varint);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        *to++ = static_cast<char>(code::big);
        out_.commit(append(store_varint(to, lexeme.size), s, lexeme.size));
        return errc::ok;
    }
    errc str(text t) {
        KUMIHIMO_TRY(order_.value());
        return put_text<false>(t);
    }
    errc bin(bytes b) {
        KUMIHIMO_TRY(order_.value());
        if (study_) return record_->none("the layout study has no bytes");
        char* to = room(b.size() + 9);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        to = put_sized(to, code::bin, b.size());
        out_.commit(append(to, b.data(), b.size()));
        return errc::ok;
    }
    errc time(const instant& t) {
        KUMIHIMO_TRY(order_.value());
        if (t.nanoseconds > 999'999'999) {
            return ctx_.fail(errc::range, failure::nowhere, "an instant's nanoseconds are 1,000,000,000 or more");
        }
        if (study_) return record_->none("the layout study has no moments");
        char* to = room(longest_header);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        *to++ = static_cast<char>(code::time);
        *to++ = static_cast<char>(t.clock);
        to = store_varint(store_varint(to, zigzag(t.seconds)), t.nanoseconds);
        if (t.clock == instant::kind::offset || t.clock == instant::kind::local) to = store_varint(to, zigzag(t.offset));
        out_.commit(to);
        return errc::ok;
    }
    errc ext(int type, bytes b) {
        KUMIHIMO_TRY(order_.value());
        if (study_) return record_->none("the layout study has no extensions");
        char* to = room(b.size() + longest_header);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        *to++ = static_cast<char>(code::ext);
        to = store_varint(store_varint(to, zigzag(type)), b.size());
        out_.commit(append(to, b.data(), b.size()));
        return errc::ok;
    }

    errc array(count n) {
        KUMIHIMO_TRY(order_.value());
        KUMIHIMO_TRY(order_.open(false, n));
        char* const to = room(1);
        if (to == nullptr) [[unlikely]]
            return study_ ? record_->open(false) : stopped_;
        return put_byte(to, code::array);
    }
    errc map(count n) {
        KUMIHIMO_TRY(order_.value());
        KUMIHIMO_TRY(order_.open(true, n));
        char* const to = room(1);
        if (to == nullptr) [[unlikely]]
            return study_ ? record_->open(true) : stopped_;
        if (plain_maps_ != 0 && --plain_maps_ == 0) {
            names_.clear();
            unsearched_ = 0;
        }
        return put_byte(to, code::map);
    }

    errc key(text t) {
        KUMIHIMO_TRY(order_.key());
        if (unsearched_ != 0) {
            --unsearched_;
            return put_text<true>(t);
        }
        if (t.charset != encoding::utf8 && t.charset != encoding::ascii) return put_converted<true>(t);
        return put_name(t);
    }
    errc key(next_value) {
        KUMIHIMO_TRY(order_.key_is_next());
        char* const to = room(1);
        if (to == nullptr) [[unlikely]]
            return study_ ? record_->key_is_next() : stopped_;
        return put_byte(to, code::key);
    }

    errc end() {
        order_frame closed;
        KUMIHIMO_TRY(order_.end(closed));
        char* const to = room(1);
        if (to == nullptr) [[unlikely]]
            return study_ ? record_->end() : stopped_;
        return put_byte(to, code::end);
    }

    /// Ends the document: `out` is its bytes, in the writer's buffer. The writer is then ready for a next one behind
    /// it.
    errc finish(bytes& out) {
        KUMIHIMO_TRY(order_.finish());
        if (study_) KUMIHIMO_TRY(record_->finish(out_));
        out = {reinterpret_cast<const unsigned char*>(static_cast<const char*>(out_.data())) + start_, out_.size() - start_};
        begin();
        return errc::ok;
    }

private:
    using memory = memory_for<B>;
    static constexpr std::uint64_t first_maps = 4;  // the first whose names may have numbers
    static constexpr std::uint64_t no_search = static_cast<std::uint64_t>(-1);
    static constexpr std::uint64_t pause = 256;  // names that are not searched for, after many in vain

    /// n writable bytes, or nullptr: the layout is study, or the reason is in stopped_.
    [[gnu::always_inline]] char* room(std::size_t n) noexcept {
        if (out_.size() - start_ + n > most_) [[unlikely]]
            return first_room(n);
        char* const to = out_.reserve(n);
        if (to == nullptr) [[unlikely]]
            return no_room();
        return to;
    }
    /// Writes the mark before a document's first piece. most_ is 0 until then, and stays 0 in the layout study, so
    /// that room() asks one question for all three.
    [[gnu::noinline]] char* first_room(std::size_t n) noexcept {
        if (study_) return nullptr;
        const bool first = most_ == 0;
        most_ = ctx_.limits.size;
        if (out_.size() - start_ + n + (first ? sizeof mark : 0) > most_) {
            // What is reserved is a little more than what is used, so that a document may be refused some bytes early.
            stopped_ = ctx_.fail(errc::size, failure::nowhere, "the document is larger than the limit");
            return nullptr;
        }
        char* const to = out_.reserve(n + sizeof mark);
        if (to == nullptr) return no_room();
        if (!first) return to;
        std::memcpy(to, mark, sizeof mark);
        out_.commit(to + sizeof mark);
        return to + sizeof mark;
    }
    [[gnu::cold, gnu::noinline]] char* no_room() noexcept {
        stopped_ = no_memory();
        return nullptr;
    }
    [[gnu::cold, gnu::noinline]] errc no_memory() noexcept {
        return ctx_.fail(errc::memory, failure::nowhere, "out of memory");
    }

    template <class N>
    static char* put(char* to, unsigned c, N n) noexcept {
        *to++ = static_cast<char>(c);
        return store(to, n);
    }
    /// n behind c, c + 1, c + 2 or c + 3, in as few bytes as it needs. Writes 9 at most.
    static char* put_sized(char* to, unsigned c, std::uint64_t n) noexcept {
        if (n <= UINT8_MAX) return put(to, c, static_cast<std::uint8_t>(n));
        if (n <= UINT16_MAX) return put(to, c + 1, static_cast<std::uint16_t>(n));
        if (n <= UINT32_MAX) return put(to, c + 2, static_cast<std::uint32_t>(n));
        return put(to, c + 3, n);
    }
    static char* put_above(char* to, std::uint64_t n) noexcept {
        if (n >= 64) return put_sized(to, code::above, n);
        *to++ = static_cast<char>(n);
        return to;
    }

    errc put_byte(char* to, unsigned c) noexcept {
        *to = static_cast<char>(c);
        out_.commit(to + 1);
        return errc::ok;
    }

    [[gnu::always_inline]] errc put_name(text t) noexcept {
        const std::size_t number = names_.find(out_.data(), static_cast<const char*>(t.data), t.size);
        return number != names::none ? put_number(number) : put_new_name(t);
    }

    /// A name that has a number.
    errc put_number(std::size_t number) noexcept {
        char* to = room(2);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        if (number < 64) [[likely]] {
            *to++ = static_cast<char>(code::name | number);
        } else {
            number -= 64;
            *to++ = static_cast<char>(code::far_name | number >> 8);
            *to++ = static_cast<char>(number);
        }
        out_.commit(to);
        return errc::ok;
    }

    /// A name that has no number yet.
    [[gnu::noinline]] errc put_new_name(text t) noexcept {
        const char* const s = static_cast<const char*>(t.data);
        if (t.charset == encoding::utf8 && !simd::valid_utf8(s, t.size)) [[unlikely]]
            return not_utf8();
        char* to = room(t.size + 1 + longest_varint);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        const std::size_t offset = static_cast<std::size_t>(to - out_.data()) + 1 + varint_size(t.size);
        if (names_.takes(t.size)) {
            if (!names_.add(offset, t.size)) [[unlikely]]
                return no_memory();
            *to++ = static_cast<char>(code::new_name);
            to = append(store_varint(to, t.size), s, t.size);
        } else {
            to = append(header<true>(to, t.size), s, t.size);
        }
        if (names_.in_vain()) unsearched_ = pause;
        out_.commit(to);
        return errc::ok;
    }

    /// Before a str, or a name without a number.
    template <bool Name>
    static char* header(char* to, std::size_t n) noexcept {
        if (n < 32) [[likely]] {
            *to++ = static_cast<char>((Name ? code::lone_name : code::str) | n);
            return to;
        }
        if (!Name) return put_sized(to, code::long_str, n);
        *to++ = static_cast<char>(code::long_name);
        return store_varint(to, n);
    }

    template <bool Name>
    errc put_text(text t) noexcept {
        if (t.charset != encoding::utf8 && t.charset != encoding::ascii) return put_converted<Name>(t);
        const char* const s = static_cast<const char*>(t.data);
        if (t.charset == encoding::utf8 && !simd::valid_utf8(s, t.size)) [[unlikely]]
            return not_utf8();
        char* to = room(t.size + 1 + longest_varint);
        if (to == nullptr) [[unlikely]]
            return Name ? no_room_for_key(t) : no_room_for_str(t);
        out_.commit(append(header<Name>(to, t.size), s, t.size));
        return errc::ok;
    }
    [[gnu::noinline]] errc no_room_for_key(text t) noexcept { return study_ ? record_->key(t) : stopped_; }
    [[gnu::noinline]] errc no_room_for_str(text t) noexcept { return study_ ? record_->str(t) : stopped_; }

    template <bool Name>
    [[gnu::noinline]] errc put_converted(text t) noexcept {
        if (!converted_) converted_.emplace(memory_of(out_));
        converted_->clear();
        KUMIHIMO_TRY(add_utf8(t, *converted_, ctx_));
        const text utf8{converted_->data(), converted_->size(), encoding::ascii};  // as checked as ASCII would be
        if (Name && unsearched_ == 0) return put_name(utf8);
        return put_text<Name>(utf8);
    }

    [[gnu::cold, gnu::noinline]] errc not_utf8() noexcept {
        return ctx_.fail(errc::encoding, failure::nowhere, "a string is not valid UTF-8");
    }

    B& out_;
    context& ctx_;
    basic_order<memory> order_;
    std::size_t start_;
    std::size_t most_ = 0;  // bytes of a document, once it has begun
    errc stopped_ = errc::ok;
    const bool study_;
    std::uint64_t plain_maps_ = first_maps;  // maps to open before names may have numbers; 0: no more
    std::uint64_t unsearched_ = no_search;   // names to come that are not searched for
    basic_names<memory> names_;
    std::optional<scratch<memory>> converted_;            // text that came in another encoding
    std::optional<basic_study_recorder<memory>> record_;  // of the layout study
};

using writer = basic_writer<buffer>;
static_assert(kumihimo::writer<writer>);

}  // namespace kumihimo::inline v0::tagged
