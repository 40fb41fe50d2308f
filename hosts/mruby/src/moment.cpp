#include "moment.hpp"

#include <string_view>

#include "../vm/stock_method.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

stock_method stock_at, stock_utc;

}  // namespace

bool is_time(mrb_value v) noexcept {
    return mrb_type(v) == MRB_TT_DATA && DATA_TYPE(v) != nullptr && DATA_PTR(v) != nullptr &&
           std::string_view(DATA_TYPE(v)->struct_name) == "Time";
}

bool moment_of(mrb_value v, instant& out) noexcept {
    if (!is_time(v)) return false;
    const auto& t = *static_cast<const time_data*>(DATA_PTR(v));
    out = {.seconds = t.sec, .nanoseconds = static_cast<std::uint32_t>(t.microseconds) * 1000};
    if (t.timezone != time_zone::utc) {
        out.clock = instant::kind::local;
        out.offset = static_cast<std::int32_t>(t.datetime.tm_gmtoff);
    }
    return true;
}

mrb_value time_at(mrb_state* mrb, mrb_value of_class, std::int64_t seconds, std::int64_t nanoseconds, bool utc) {
    const mrb_value made = stock_at.call(mrb, of_class, {mrb_int_value(mrb, seconds), mrb_int_value(mrb, nanoseconds / 1000)});
    return utc ? stock_utc.call(mrb, made, {}) : made;
}

void find_time_methods(mrb_state* mrb) {
    RClass* const c = mrb_class_get(mrb, "Time");
    stock_at.find(mrb, mrb_class_ptr(mrb_singleton_class(mrb, mrb_obj_value(c))), "at");
    stock_utc.find(mrb, c, "utc");
}

}  // namespace kumihimo::inline v0::mruby
