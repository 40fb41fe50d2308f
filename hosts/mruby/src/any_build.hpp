// Verbs of any format and any dialect -> mruby values.
#pragma once
#include "engine/scalar/utf8.hpp"

#include "any_format.hpp"
#include "build.hpp"
#include "message_pack_types.hpp"
#include "moment.hpp"

namespace kumihimo::inline v0::mruby {

struct load_options {
    std::string_view format, dialect;  // the table's
    build_options build;
    mrb_int max_nesting = any_nesting;
    message_pack_types types{};
    RClass* time = nullptr;  // null: moments are Timestamps

    void find_classes(mrb_state* mrb, bool timestamps) {
        types = message_pack_types_of(mrb);
        if (!timestamps && mrb_class_defined(mrb, "Time")) time = mrb_class_get(mrb, "Time");
    }
};

/// The options of load, lazy and each_document. The document tells the format where they do not.
struct asked_options {
    load_options options;
    mrb_value dialect = mrb_nil_value();
    bool timestamps = false;

    bool named() const noexcept { return !options.format.empty(); }
    load_options for_document(mrb_state* mrb, bytes document) {
        if (!named()) options.format = format_named_or_told(mrb, mrb_nil_value(), document);
        options.dialect = dialect_named(mrb, options.format, direction::read, dialect);
        options.find_classes(mrb, timestamps);
        return options;
    }
};
asked_options load_options_of(mrb_state*, mrb_value given);

// All that a reader of any dialect sends. A moment becomes a Time in UTC, or in local time where the document has an
// offset; a date, and a reading of a clock without a zone, are taken for UTC's.
class any_builder : public typed_builder {
public:
    any_builder(mrb_state* mrb, context& ctx, const load_options& o, key_cache& keys) noexcept
        : typed_builder(mrb, ctx, o.build, keys, o.types), time_(o.time) {}

    errc str(const text& t) {
        if (t.charset == encoding::utf8 || t.charset == encoding::ascii) [[likely]]
            return builder::str(t);
        return builder::str(as_utf8(t));
    }
    using builder::key;
    errc key(const text& t) {
        if (t.charset == encoding::utf8 || t.charset == encoding::ascii) [[likely]]
            return builder::key(t);
        return builder::key(as_utf8(t));
    }
    errc time(const instant& t) {
        if (time_ == nullptr) return timestamp(t);
        const bool utc = t.clock != instant::kind::local && t.clock != instant::kind::offset;
        return push(time_at(mrb_, mrb_obj_value(time_), t.seconds, t.nanoseconds, utc));
    }

private:
    // Half a surrogate pair gets the three bytes that UTF-8 would give it.
    [[gnu::cold, gnu::noinline]] text as_utf8(const text& t) {
        const mrb_value s = mrb_str_new(mrb_, nullptr, t.size * 3);
        char* const begin = RSTRING_PTR(s);
        char* p = begin;
        if (t.charset == encoding::latin1) {
            p = scalar::latin1_to_utf8(static_cast<const char*>(t.data), t.size, p);
        } else {
            const auto* from = static_cast<const char16_t*>(t.data);
            for (std::size_t left = t.size; left != 0;) {
                std::size_t written = 0;
                const errc e = scalar::utf16_to_utf8(from, left, p, written);
                p += written;
                if (e == errc::ok) break;
                const std::size_t good = scalar::utf16_size(p - written, written);
                const char16_t half = from[good];
                *p++ = static_cast<char>(0xE0 | half >> 12);
                *p++ = static_cast<char>(0x80 | (half >> 6 & 0x3F));
                *p++ = static_cast<char>(0x80 | (half & 0x3F));
                from += good + 1;
                left -= good + 1;
            }
        }
        return {begin, static_cast<std::size_t>(p - begin), encoding::utf8};
    }

    RClass* time_;
};
static_assert(kumihimo::builder<any_builder> && std::is_trivially_destructible_v<any_builder>);

}  // namespace kumihimo::inline v0::mruby
