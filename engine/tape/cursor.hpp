// Random access: a place on a tape. Two words, copied freely; asking for what is not there gives an empty cursor, so
// that `cursor(t)["asks"][0]["price"]` needs one test at its end.
#pragma once
#include <concepts>
#include <cstdint>
#include <string_view>

#include "engine/tape/tape.hpp"

namespace kumihimo::inline v0::tape {

class cursor {
public:
    cursor() = default;
    explicit cursor(const view& t, std::size_t index = 0) noexcept : tape_(&t), at_(index) {}

    explicit operator bool() const noexcept { return tape_ != nullptr; }
    /// Not of an empty cursor.
    kind is() const noexcept { return here().is(); }
    bool is(kind k) const noexcept { return tape_ != nullptr && here().is() == k; }
    std::size_t index() const noexcept { return at_; }

    /// Values of an array, pairs of a map, bytes of a str, bin, ext or big; 0 of all others.
    std::size_t size() const noexcept {
        if (tape_ == nullptr || !(here().container() || here().has_bytes())) return 0;
        return static_cast<std::size_t>(here().length());
    }

    // Scalars. errc::type: it is something else, or nothing at all; errc::range: a number that the type cannot hold as
    // it is.
    errc get(bool& out) const noexcept {
        if (!is(kind::boolean)) return errc::type;
        out = here().payload != 0;
        return errc::ok;
    }
    errc get(std::int64_t& out) const noexcept {
        if (is(kind::u64)) return errc::range;
        if (!is(kind::i64)) return errc::type;
        out = static_cast<std::int64_t>(here().payload);
        return errc::ok;
    }
    errc get(std::uint64_t& out) const noexcept {
        if (!is(kind::u64) && !is(kind::i64)) return errc::type;
        if (is(kind::i64) && static_cast<std::int64_t>(here().payload) < 0) return errc::range;
        out = here().payload;
        return errc::ok;
    }
    /// Any number that a double holds exactly.
    errc get(double& out) const noexcept {
        if (is(kind::f64)) {
            out = std::bit_cast<double>(here().payload);
            return errc::ok;
        }
        if (is(kind::i64)) {
            const auto n = static_cast<std::int64_t>(here().payload);
            const auto x = static_cast<double>(n);
            if (x == 0x1p63 || static_cast<std::int64_t>(x) != n) return errc::range;
            out = x;
            return errc::ok;
        }
        if (is(kind::u64)) {
            const auto x = static_cast<double>(here().payload);
            if (x == 0x1p64 || static_cast<std::uint64_t>(x) != here().payload) return errc::range;
            out = x;
            return errc::ok;
        }
        return errc::type;
    }
    /// A str, or the digits of a big.
    errc get(text& out) const noexcept {
        if (!is(kind::str) && !is(kind::big)) return errc::type;
        out = tape_->as_text(here());
        return errc::ok;
    }
    /// A bin, or what an ext holds (its type: ext_type()).
    errc get(bytes& out) const noexcept {
        if (!is(kind::bin) && !is(kind::ext)) return errc::type;
        out = tape_->as_bytes(here());
        return errc::ok;
    }
    errc get(instant& out) const noexcept {
        if (!is(kind::time)) return errc::type;
        out = view::as_instant(here());
        return errc::ok;
    }
    int ext_type() const noexcept { return is(kind::ext) ? static_cast<std::int8_t>(here().aux()) : 0; }

    /// The value's bytes in the input, as they were written; empty where the tape does not know them.
    bytes raw() const noexcept {
        if (tape_ == nullptr || tape_->spans == nullptr) return {};
        const span s = tape_->spans[at_];
        return tape_->input.subspan(static_cast<std::size_t>(s.begin), static_cast<std::size_t>(s.end - s.begin));
    }

    /// The first child: of a map its first key. Empty where there is none.
    cursor first() const noexcept { return size() != 0 && here().container() ? cursor(*tape_, at_ + 1) : cursor(); }
    /// What follows this value in its container, in a map keys and values in turn; empty behind the last, and behind
    /// the document.
    cursor next() const noexcept {
        const std::size_t i = (here().container() ? static_cast<std::size_t>(here().payload) : at_) + 1;
        return i < tape_->size && tape_->nodes[i].is() != kind::end ? cursor(*tape_, i) : cursor();
    }

    /// An array none of whose values is a container.
    bool flat() const noexcept { return is(kind::array) && here().payload - at_ - 1 == here().length(); }

    /// The i-th value of an array. At once where no child is a container, else a walk over the i values before it.
    template <std::integral I>
    cursor operator[](I index) const noexcept {
        auto i = static_cast<std::size_t>(index);
        if (!is(kind::array) || i >= size()) return {};
        if (flat()) return cursor(*tape_, at_ + 1 + i);
        cursor c = first();
        while (i-- > 0) c = c.next();
        return c;
    }

    /// The value of a text key, given in UTF-8; of duplicates the last, as a map in memory would keep it. A walk over
    /// the pairs.
    cursor operator[](std::string_view key) const noexcept {
        cursor found;
        if (!is(kind::map)) return found;
        for (cursor k = first(); k; k = k.next()) {
            const cursor item = k.next();
            const node& n = k.here();
            if (n.is() == kind::str && n.length() == key.size() &&
                (key.empty() || std::memcmp(tape_->data(n), key.data(), key.size()) == 0)) {
                found = item;
            }
            k = item;
        }
        return found;
    }
    cursor operator[](const char* key) const noexcept { return (*this)[std::string_view(key)]; }

    /// The value as a source of its own.
    player play() const noexcept { return player(*tape_, at_); }

private:
    const node& here() const noexcept { return tape_->nodes[at_]; }

    const view* tape_ = nullptr;
    std::size_t at_ = 0;
};

}  // namespace kumihimo::inline v0::tape
