// A document of one format -> one of another, without values of mruby's between.
#include "engine/core/pipe.hpp"
#include "engine/formats.hpp"

#include "../vm/shelter.hpp"
#include "any_format.hpp"
#include "build.hpp"
#include "frames.hpp"
#include "options.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

struct convert_options {
    std::string_view from, to, read, write;  // the table's
    mrb_int max_nesting = any_nesting;
};

// Its objects with destructors are gone when it returns.
template <format From, format To>
[[gnu::noinline]] void convert_as(mrb_state* mrb, bytes document, const convert_options& o, any_outcome& out) {
    using writer = typename To::template writer<buffer>;
    const host_section at_work;
    context ctx;
    ctx.limits.depth = depth_of(o.max_nesting);
    ctx.limits.size = most_bytes(mrb);
    buffer room;
    typename From::reader from(document, ctx, *dialect_of(From::read_dialects, o.read));
    writer to(room, ctx, *dialect_of(To::write_dialects, o.write));
    bytes made;
    const errc e = pipe(from, to, made);
    if (e != errc::ok) return out.why.take(ctx, e, document, ctx.limits.depth);
    auto string = [&] { out.made = mrb_str_new(mrb, reinterpret_cast<const char*>(made.data()), made.size()); };
    sheltered(mrb, string, out.error);
}

// convert(source, to:, from: nil, source_dialect: nil, target_dialect: nil, max_nesting: 1024, frame: nil,
// frame_level: nil)
mrb_value convert(mrb_state* mrb, mrb_value) {
    mrb_value source, given = mrb_nil_value();
    mrb_value from = mrb_nil_value(), to = mrb_nil_value(), read = mrb_nil_value(), write = mrb_nil_value();
    frame_options in;
    mrb_get_args(mrb, "o|o", &source, &given);
    convert_options o;
    each_option(mrb, given, [&](std::string_view option, mrb_value is) {
        if (option == "from")
            from = is;
        else if (option == "to")
            to = is;
        else if (option == "source_dialect")
            read = is;
        else if (option == "target_dialect")
            write = is;
        else if (option == "max_nesting")
            o.max_nesting = nesting_of(mrb, is);
        else
            return in.take(option, is);
        return true;
    });
    if (mrb_nil_p(to)) mrb_raise(mrb, mrb_exc_get(mrb, "ArgumentError"), "missing keyword: :to");
    in.check(mrb);
    source = unframed(mrb, any_source(mrb, source));
    o.from = format_named_or_told(mrb, from, bytes_in(source));
    o.to = format_named(mrb, to);
    o.read = dialect_named(mrb, o.from, direction::read, read);
    o.write = dialect_named(mrb, o.to, direction::write, write);
    const mrb_value made = value_read(mrb, [&](any_outcome& out) {
        visit_format(o.from, [&](auto reads) {
            visit_format(o.to,
                         [&](auto writes) { convert_as<decltype(reads), decltype(writes)>(mrb, bytes_in(source), o, out); });
        });
    });
    return in.framed(mrb, made);
}

}  // namespace

void define_any_convert(mrb_state* mrb, RClass* module) {
    mrb_define_module_function(mrb, module, "convert", convert, MRB_ARGS_ARG(1, 1));
}

}  // namespace kumihimo::inline v0::mruby
