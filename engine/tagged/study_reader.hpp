// The layout `study` becomes values (study.hpp has its bytes). The names come last, so the document's outermost fields
// are skipped to find them before the first verb.
//
// Elements must come in the order of their numbers. Fields are passed on in the order they stand in, whatever it is,
// and a tag that comes twice is passed on twice. Booleans arrive as the integers they were written as, NaN as null.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "engine/core/located.hpp"
#include "engine/core/stack.hpp"
#include "engine/json/number.hpp"
#include "engine/scalar/integer.hpp"
#include "engine/tagged/header.hpp"
#include "engine/tagged/input.hpp"
#include "engine/tagged/study.hpp"

namespace kumihimo::inline v0::tagged {

/// One document, of which the caller has set first_ and last_.
class study_walk : private input {
public:
    explicit study_walk(const input& from) noexcept : input(from) {}

    /// next: where the next document begins.
    template <sink K>
    errc walk(K& to, const unsigned char*& next) {
        const unsigned char* const whole = at_;
        const unsigned char* body_end = nullptr;  // where the names begin, or the document ends
        bool map = false;
        KUMIHIMO_TRY(find_table(whole, map, body_end, next));
        open_.clear();
        const unsigned char* p = whole;
        if (map) {
            if (ctx_.limits.depth == 0) return too_deep(p);
            place_study(to, p, p);
            KUMIHIMO_TRY(told(to.map({}), p));
            if (!open_.push({body_end, 0, true})) return no_memory(p);
        }
        for (;;) {
            while (!open_.empty() && p == open_.top().end) {
                place_study(to, p, p);
                KUMIHIMO_TRY(told(to.end(), p));
                open_.pop();
            }
            if (open_.empty() && (map || p != whole)) break;
            const unsigned char* const limit = open_.empty() ? body_end : open_.top().end;
            const unsigned char* const start = p;
            published::header h;
            KUMIHIMO_TRY(header_at<true>(p, limit, h));
            if (!open_.empty()) {
                level& now = open_.top();
                if (now.map) {
                    KUMIHIMO_TRY(send_key(to, start, h));
                } else if (h.tag != published::element_tag(now.index++, h.type())) {
                    return stop(errc::syntax, start, "an array's elements are not numbered one by one");
                }
            }
            p += h.size + h.payload;
            KUMIHIMO_TRY(value(to, start, h, p));
        }
        return errc::ok;
    }

private:
    struct level {
        const unsigned char* end;
        std::uint64_t index;
        bool map;
    };
    struct entry {
        std::uint32_t tag;
        bool ascii;
        const unsigned char* name;
        std::size_t size;
    };

    errc told(errc code, const unsigned char* at) noexcept { return code == errc::ok ? code : refused(code, at); }

    template <class K>
    void place_study(K& to, const unsigned char* from, const unsigned char* until) noexcept {
        if constexpr (located_sink<K>) to.at(offset(from), offset(until));
    }

    /// A header and what it announces, within [p, limit).
    template <bool Inside = false>
    errc header_at(const unsigned char* p, const unsigned char* limit, published::header& h) noexcept {
        using kind = published::header::kind;
        h = published::read_header(p, limit);
        if (h.is == kind::reserved) return stop(errc::syntax, p, "no value of the layout study begins so");
        if (h.is == kind::cut || h.payload > static_cast<std::uint64_t>(limit - p) - h.size) {
            return Inside ? stop(errc::syntax, p, "a value is longer than what it stands in") : cut(p);
        }
        return errc::ok;
    }

    /// Goes over the outermost fields, or the one value, to the names, and reads those. next: where the document ends.
    errc find_table(const unsigned char* p, bool& map, const unsigned char*& body_end, const unsigned char*& next) noexcept {
        published::header h;
        KUMIHIMO_TRY(header_at(p, last_, h));
        map = h.tag >> 8 != 0;
        names_.clear();
        cut_short_ = false;
        if (!map) {
            if (h.tag >= 0x10 || h.type() == published::table || h.type() == published::message) {
                return stop(errc::syntax, p, "no value of the layout study begins so");
            }
            body_end = next = p + h.size + h.payload;
            if (h.type() != published::array || !has_fields(p + h.size, body_end)) return errc::ok;
            cut_short_ = last_ - next < 4;
            if (cut_short_ || load<std::uint32_t>(next) != published::table_tag) return errc::ok;
            p = next;
            KUMIHIMO_TRY(header_at(p, last_, h));
        } else {
            while (h.tag != published::table_tag) {
                if ((h.tag & 0xf0) != 0) return stop(errc::syntax, p, "no field of the layout study begins so");
                p += h.size + h.payload;
                KUMIHIMO_TRY(header_at(p, last_, h));
            }
            body_end = p;
        }
        next = p + h.size + h.payload;
        return read_table(p + h.size, next);
    }

    /// Whether a map with a field is within an array's elements, so that names must follow.
    static bool has_fields(const unsigned char* p, const unsigned char* const e) noexcept {
        while (p != e) {
            const published::header h = published::read_header(p, e);
            if (h.is != published::header::kind::value || h.payload > static_cast<std::uint64_t>(e - p) - h.size) return false;
            if (h.type() == published::message && h.payload != 0) return true;
            p += h.size + (h.type() == published::array ? 0 : h.payload);
        }
        return false;
    }

    errc read_table(const unsigned char* p, const unsigned char* const e) noexcept {
        bool sorted = true;
        while (p != e) {
            bool broken = false;
            std::uint64_t n = 0;
            const unsigned char* const name = e - p < 4 ? nullptr : load_varint(p + 4, e, n, broken);
            if (name == nullptr || n > static_cast<std::uint64_t>(e - name)) {
                return stop(errc::syntax, p, "a name is longer than the table of names");
            }
            text t{name, static_cast<std::size_t>(n), encoding::ascii};
            if (!simd::classify(t)) return not_utf8(t);
            const auto tag = load<std::uint32_t>(p);
            sorted = sorted && (names_.empty() || before(names_.top().tag, tag));
            if (!names_.push({tag, t.charset == encoding::ascii, name, t.size})) return no_memory(p);
            p = name + n;
        }
        if (sorted) return errc::ok;
        entry* const first = names_.data();
        std::sort(first, first + names_.size(), [](const entry& a, const entry& b) { return before(a.tag, b.tag); });
        for (std::size_t i = 1; i < names_.size(); ++i) {
            if (names_[i - 1].tag == names_[i].tag) {
                const unsigned char* const later = std::max(names_[i - 1].name, names_[i].name);
                return stop(errc::syntax, later, "two names have the same tag");
            }
        }
        return errc::ok;
    }
    static bool before(std::uint32_t a, std::uint32_t b) noexcept {
        return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
    }

    template <class K>
    errc send_key(K& to, const unsigned char* p, const published::header& h) {
        const entry* const first = names_.data();
        const entry* const last = first + names_.size();
        const entry* const named =
            std::lower_bound(first, last, h.tag, [](const entry& a, std::uint32_t tag) { return before(a.tag, tag); });
        if (named == last || named->tag != h.tag) {
            // The names of a document that is no map may be what the input ends before.
            if (cut_short_) return cut(last_);
            return stop(errc::syntax, p, "a field's name is not in the table of names");
        }
        place_study(to, p, p + 4);
        return told(to.key({named->name, named->size, named->ascii ? encoding::ascii : encoding::utf8}), p);
    }

    /// The value at start; p: behind it, of a container behind its header.
    template <class K>
    errc value(K& to, const unsigned char* start, const published::header& h, const unsigned char*& p) {
        const unsigned char* const payload = start + h.size;
        const bytes b{payload, static_cast<std::size_t>(h.payload)};
        const bool container = h.type() == published::message || h.type() == published::array;
        if (container && open_.size() >= ctx_.limits.depth) return too_deep(start);
        place_study(to, start, container ? payload : p);
        switch (h.type()) {
            case published::null:
                if (h.number != 0) return stop(errc::syntax, start, "null is followed by 0");
                return told(to.null(), start);
            case published::int32:
                if (h.number > UINT32_MAX) return too_large(start);
                return told(to.i64(unzigzag(h.number)), start);
            case published::uint32:
                if (h.number > UINT32_MAX) return too_large(start);
                return told(to.i64(static_cast<std::int64_t>(h.number)), start);
            case published::int64: return told(to.i64(unzigzag(h.number)), start);
            case published::real: return told(to.f64(std::bit_cast<double>(load<std::uint64_t>(payload))), start);
            case published::fixed32: return told(to.i64(static_cast<std::int32_t>(load<std::uint32_t>(payload))), start);
            case published::fixed64: return told(to.i64(static_cast<std::int64_t>(load<std::uint64_t>(payload))), start);
            case published::string: {
                text t{payload, b.size(), encoding::ascii};
                if (!simd::classify(t)) return not_utf8(t);
                return told(to.str(t), start);
            }
            case published::message:
            case published::array: {
                const bool map = h.type() == published::message;
                KUMIHIMO_TRY(told(map ? to.map({}) : to.array({}), start));
                if (!open_.push({p, 0, map})) return no_memory(start);
                p = payload;
                return errc::ok;
            }
            case published::digits: return number(to, start, b);
            default: return stop(errc::syntax, start, "the names stand at the document's end, and once");
        }
    }

    /// An integer that 64 bits hold arrives as one; all else keeps its digits.
    template <class K>
    errc number(K& to, const unsigned char* start, bytes b) {
        const char* const s = reinterpret_cast<const char*>(b.data());
        const char* const e = s + b.size();
        if (json::number_end(s, e) != e) return stop(errc::syntax, start, "a number's digits break JSON's grammar");
        const bool whole = std::find_if(s, e, [](char c) { return c == '.' || c == 'e' || c == 'E'; }) == e;
        const bool negative = *s == '-';
        const std::size_t count = b.size() - negative;
        if (whole && count <= 20 && !(negative && s[1] == '0')) {
            std::uint64_t n = 0;
            bool fits = true;
            for (const char* d = s + negative; d != e; ++d) {
                const auto digit = static_cast<std::uint64_t>(*d - '0');
                fits = fits && (n < UINT64_MAX / 10 || (n == UINT64_MAX / 10 && digit <= UINT64_MAX % 10));
                n = n * 10 + digit;
            }
            if (fits && n <= static_cast<std::uint64_t>(INT64_MAX) + negative) {
                return told(to.i64(static_cast<std::int64_t>(negative ? 0 - n : n)), start);
            }
            if (fits && !negative) return told(to.u64(n), start);
        }
        return told(to.big({s, b.size(), encoding::ascii}), start);
    }

    [[gnu::cold, gnu::noinline]] errc too_large(const unsigned char* at) noexcept {
        return stop(errc::range, at, "a number of 32 bits is larger than that");
    }

    stack<level> open_;
    stack<entry> names_;
    bool cut_short_ = false;  // the input ends where the names might begin
};

}  // namespace kumihimo::inline v0::tagged
