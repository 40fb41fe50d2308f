// Rows out of binary documents: the values that the projector of their format finds go into the cells as they are, or
// by way of JSON text.
#include <new>

#include "extract/batch_scratch.hpp"

namespace kumihimo::inline v0::extract {

// The projector of this format for the fields, or for the arrays that their [*] walk.
value_projector& batch::values_of(const binary_format& as, bool lists) {
    scratch& s = *scratch_;
    if (s.binary != &as) {
        s.binary = &as;
        s.values.reset();
        s.value_lists.reset();
    }
    std::unique_ptr<value_projector>& p = lists ? s.value_lists : s.values;
    if (!p) p = as.project(lists ? *schema_->lists() : schema_->paths(), level_);
    return *p;
}

errc batch::append(const binary_format& as, bytes input, json::given what, const origin& from, context& ctx) {
    unread();
    document_size_ = input.size();
    value_projector& found = values_of(as, false);
    const errc said = found.run(input, what, ctx);
    document_size_ = found.size();
    KUMIHIMO_TRY(said);
    blocked_ = found.blocked();
    if (!scratch_->cell || !scratch_->cell->fails_into(ctx)) scratch_->cell.emplace(ctx);
    const std::size_t fields = schema_->fields();
    for (std::size_t i = 0; i < fields; ++i) {
        if (!columns_[i].room(rows_)) [[unlikely]]
            return ctx.fail(errc::memory, failure::nowhere, "no memory for another row");
        if (schema_->columns()[i].made_of) [[unlikely]]
            continue;
        const std::span<const json::slice> all = found.values(i);
        if (schema_->paths().wild(i)) {
            if (all.empty() && !has_list(i, as, input.first(document_size_), ctx)) {
                if (ctx.failure.code != errc::ok) return ctx.failure.code;
                columns_[i].put_null(rows_);
                continue;
            }
            KUMIHIMO_TRY(put_list(i, found, i, ctx));
        } else if (all.empty() || all[0].length == 0) {
            columns_[i].put_null(rows_);
        } else {
            KUMIHIMO_TRY(put_value(slot_of(i), found, all[0], ctx));
        }
    }
    if (!schema_->made().empty()) KUMIHIMO_TRY(put_made(found, ctx));
    if (schema_->provenance()) KUMIHIMO_TRY(put_provenance(from, ctx));
    ++rows_;
    return errc::ok;
}

errc batch::put_value(const slot& at, value_projector& found, json::slice value, context& ctx) {
    cell_sink& cell = *scratch_->cell;
    cell.begin(*at.to, at.spec->type, at.row);
    KUMIHIMO_TRY(found.give(value, cell, ctx));
    std::string_view text;
    KUMIHIMO_TRY(cell.finish(text));
    if (text.empty()) return errc::ok;
    const errc e = convert(at, text, {reinterpret_cast<const unsigned char*>(text.data()), text.size()}, ctx);
    if (e != errc::ok && failed_ != none) [[unlikely]] {
        ctx.failure.offset = value.offset;
        ctx.failure.line = ctx.failure.column = 0;
    }
    return e;
}

// Whether there is an array where the field's first [*] is.
bool batch::has_list(std::size_t i, const binary_format& as, bytes document, context& ctx) {
    value_projector& lists = values_of(as, true);
    if (lists.run(document, json::given::document, ctx) != errc::ok) return false;
    const std::span<const json::slice> list = lists.values(i);
    return !list.empty() && list[0].length != 0 && lists.is_array(list[0]);
}

// As put_joined: [107910.0,null,...].
errc batch::put_list(std::size_t i, value_projector& found, std::size_t path, context& ctx) {
    const std::span<const json::slice> all = found.values(path);
    std::string_view text;
    if (columns_[i].is_nested()) {
        const errc e = put_elements(i, all.size(), ctx, [&](std::size_t k, const slot& to) {
            if (all[k].length == 0) return to.to->put_null(to.row), errc::ok;
            return put_value(to, found, all[k], ctx);
        });
        if (e != errc::ok && disagreed() && join(i, all, found, ctx, text) == errc::ok) [[unlikely]]
            guess_again(i, {&text, 1}, false);
        return e;
    }
    KUMIHIMO_TRY(join(i, all, found, ctx, text));
    return put_text(slot_of(i), text, ctx);
}

errc batch::join(std::size_t i, std::span<const json::slice> all, value_projector& found, context& ctx,
                 std::string_view& text) {
    cell_sink& cell = *scratch_->cell;
    cell.begin(columns_[i], column_type::json, rows_);
    KUMIHIMO_TRY(cell.array({}));
    for (const json::slice& s : all) KUMIHIMO_TRY(s.length == 0 ? cell.null() : found.give(s, cell, ctx));
    KUMIHIMO_TRY(cell.end());
    return cell.finish(text);
}

}  // namespace kumihimo::inline v0::extract
