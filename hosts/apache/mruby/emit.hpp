// JSON in any layout and escapes, by verbs that cannot fail: for JSON.pretty_generate and its options. The engine's writer
// keeps its levels on the heap, which a jump would leave behind (guard.hpp); here the walk counts them.
#pragma once
#include <cstddef>
#include <cstring>
#include <string_view>

#include "characters.hpp"
#include "engine/json/escape.hpp"
#include "engine/scalar/float_write.hpp"
#include "engine/scalar/integer.hpp"
#include "output.hpp"

namespace kumihimo::inline v0::mruby {

/// What stands between the values, as the json gem's options say it.
struct json_layout {
    std::string_view indent, space, space_before, object_nl, array_nl;
    bool compact() const noexcept {
        return indent.empty() && space.empty() && space_before.empty() && object_nl.empty() && array_nl.empty();
    }
};

class emit_layout {
public:
    emit_layout(string_output& out, const json::escape_set& escapes, scalar::float_layout floats, const json_layout& as,
                std::size_t level) noexcept
        : out_(out), escapes_(escapes), floats_(floats), as_(as), level_(level) {}

    void null() { word("null"); }
    void boolean(bool b) { word(b ? "true" : "false"); }
    void i64(std::int64_t n) {
        before();
        out_.commit(scalar::write_i64(out_.reserve(scalar::integer_room), n));
    }
    void finite_f64(double x) {
        before();
        out_.commit(scalar::write_f64(out_.reserve(scalar::float_room), x, floats_));
    }
    void str(const char* s, std::size_t n) {
        before();
        quoted(s, n);
    }
    void key(const char* s, std::size_t n) {
        separate(as_.object_nl);
        quoted(s, n);
        put(as_.space_before);
        put(":");
        put(as_.space);
        after_key_ = true;
    }
    void open(bool map, std::size_t) {
        before();
        put(map ? "{" : "[");
        first_ = true;
        ++level_;
        ++inside_;
    }
    void close(bool map) {
        --level_;
        --inside_;
        const std::string_view nl = map ? as_.object_nl : as_.array_nl;
        if (!first_ && !nl.empty()) {
            put(nl);
            indent();
        }
        put(map ? "}" : "]");
        first_ = false;
    }
    void raw(const char* s, std::size_t n) {
        before();
        put({s, n});
    }
    void finish() noexcept {}

private:
    // Before a value: one of an array gets a place of its own; behind a key, or as the document, it has one.
    void before() {
        if (after_key_)
            after_key_ = false;
        else if (inside_ != 0)
            separate(as_.array_nl);
    }
    void separate(std::string_view nl) {
        if (!first_) put(",");
        first_ = false;
        put(nl);
        indent();
    }
    void indent() {
        if (as_.indent.empty()) return;
        for (std::size_t i = 0; i < level_; ++i) put(as_.indent);
    }
    void word(std::string_view w) {
        before();
        put(w);
    }
    void put(std::string_view s) {
        if (s.empty()) return;
        char* const p = out_.reserve(s.size());
        std::memcpy(p, s.data(), s.size());
        out_.commit(p + s.size());
    }
    // In pieces: a long string would reserve six times its length.
    void quoted(const char* s, std::size_t n) {
        put("\"");
        constexpr std::size_t piece = 4096;
        bool high = false;
        while (n != 0) {
            std::size_t take = n < piece ? n : piece;
            while (take != n && is_continuation(s[take])) --take;
            out_.commit(json::write_escaped(out_.reserve(json::escaped_bound(take)), s, take, escapes_, high));
            s += take;
            n -= take;
        }
        put("\"");
    }

    string_output& out_;
    const json::escape_set& escapes_;
    scalar::float_layout floats_;
    const json_layout& as_;
    std::size_t level_;       // of indentation
    std::size_t inside_ = 0;  // containers open here
    bool first_ = true;       // nothing is in the innermost one yet
    bool after_key_ = false;
};

}  // namespace kumihimo::inline v0::mruby
