#include "any_build.hpp"

#include <cstring>

#include "message_pack.hpp"

namespace kumihimo::inline v0::ruby {

bool any_builder::paired(const text& t) noexcept {
    const auto* const units = static_cast<const char16_t*>(t.data);
    for (std::size_t i = 0; i < t.size; ++i) {
        if ((units[i] & 0xF800) != 0xD800) continue;
        if ((units[i] & 0x0400) != 0 || i + 1 == t.size || (units[i + 1] & 0xFC00) != 0xDC00) return false;
        ++i;
    }
    return true;
}

errc any_builder::big(text digits) {
    const std::string_view all = digits.view();
    if (options_.build.decimal != 0 || all.find_first_of(".eE") == all.npos) return builder::big(digits);
    rb_require("bigdecimal");
    return object(rb_funcall(rb_mKernel, rb_intern("BigDecimal"), 1, rb_str_new(all.data(), static_cast<long>(all.size()))));
}

// What a tape cannot hold is refused here too, in its words: load, lazy and partial have one verdict.
errc any_builder::time(const instant& t) {
    if (t.offset < -86399 || t.offset > 86399)
        return ctx_.fail(errc::range, failure::nowhere, "an instant's nanoseconds or offset are out of range");
    if (t.clock == instant::kind::local) {
        // A Time in the process's zone would be shown with that zone's offset: the document's is kept instead.
        instant shown = t;
        shown.clock = instant::kind::offset;
        return builder::time(shown);
    }
    if (t.clock != instant::kind::date) return builder::time(t);
    rb_require("date");
    constexpr long long day = 86400, unix_jd = 2440588;
    const long long days = t.seconds / day - (t.seconds % day < 0 ? 1 : 0);
    return object(rb_funcall(rb_path2class("Date"), rb_intern("jd"), 1, LL2NUM(days + unix_jd)));
}

errc any_builder::ext(int type, bytes data) {
    if (type < -128 || type > 127)
        return ctx_.fail(errc::range, failure::nowhere, "an extension's type is not within -128 and 127");
    const VALUE parts[] = {INT2FIX(type),
                           rb_str_new(reinterpret_cast<const char*>(data.data()), static_cast<long>(data.size()))};
    return object(NIL_P(options_.ext) ? rb_class_new_instance(2, parts, extension_class)
                                      : rb_funcallv(options_.ext, rb_intern("call"), 2, parts));
}

}  // namespace kumihimo::inline v0::ruby
