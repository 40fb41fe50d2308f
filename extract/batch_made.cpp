// Columns that are calculated: their values are gathered, wherever they are, as JSON, and what is made of them goes
// the way of any other value into its column.
#include "extract/batch_scratch.hpp"
#include "extract/row_walk.hpp"

namespace kumihimo::inline v0::extract {

void batch::begin_given() {
    scratch& s = *scratch_;
    s.given.clear();
    s.given_at.clear();
    s.given_text.clear();
    s.given_ends.clear();
}

// A value of a binary document becomes JSON behind those before it; `at`: where it begins in the document.
errc batch::give(value_projector& found, json::slice value, std::size_t at, context& ctx) {
    scratch& s = *scratch_;
    s.given_at.push_back(at);
    if (value.length != 0) {
        // A cell of its own kind, so that only null is put there at once.
        cell_sink& cell = *s.cell;
        if (!s.unused.room(0)) return ctx.fail(errc::memory, failure::nowhere, "no memory for a value");
        cell.begin(s.unused, column_type::json, 0);
        KUMIHIMO_TRY(found.give(value, cell, ctx));
        std::string_view text;
        KUMIHIMO_TRY(cell.finish(text));
        s.given_text += text;
    }
    s.given_ends.push_back(s.given_text.size());
    return errc::ok;
}
void batch::end_given() {
    scratch& s = *scratch_;
    std::size_t from = 0;
    for (const std::size_t end : s.given_ends) {
        s.given.push_back(std::string_view(s.given_text).substr(from, end - from));
        from = end;
    }
}

// Column i, the k-th one that is calculated, of the values that were gathered. Of a failure offset and path are left
// to the caller: failed_input_ says whose they are.
errc batch::put_calculated(std::size_t k, std::size_t i, context& ctx) {
    scratch& s = *scratch_;
    calculation& c = s.calculations[k];
    const errc said = c.run(s.given);
    if (c.blocked() != formula::none) blocked_ = static_cast<std::uint32_t>(i);
    if (said != errc::ok) [[unlikely]] {
        failed_ = i;
        failed_input_ = c.failed_input() == formula::none ? 0 : c.failed_input();
        sample_ = c.explanation();
        return ctx.fail(said, failure::nowhere, "a column cannot be calculated");
    }
    const std::string_view text = c.json();
    if (text.empty() || text[0] == 'n') {
        columns_[i].put_null(rows_);
        return errc::ok;
    }
    const bytes alone{reinterpret_cast<const unsigned char*>(text.data()), text.size()};
    return convert(slot_of(i), text, alone, ctx);
}

errc batch::put_made(bytes document, context& ctx) {
    scratch& s = *scratch_;
    for (std::size_t k = 0; k < schema_->made().size(); ++k) {
        const made_column& m = schema_->made()[k];
        begin_given();
        for (const std::uint32_t path : m.paths) {
            const json::slice v = s.projector.value(path);
            s.given_at.push_back(static_cast<std::size_t>(v.offset));
            s.given.emplace_back(reinterpret_cast<const char*>(document.data()) + v.offset, static_cast<std::size_t>(v.length));
        }
        if (put_calculated(k, m.field, ctx) == errc::ok) [[likely]]
            continue;
        const std::size_t in = failed_input_ == none ? 0 : failed_input_;
        ctx.failure.offset = s.given_at[in];
        ctx.failure.line = ctx.failure.column = 0;
        ctx.failure.path = schema_->columns()[m.field].made_of->inputs()[in].printed;
        return ctx.failure.code;
    }
    return errc::ok;
}

errc batch::put_made(value_projector& found, context& ctx) {
    scratch& s = *scratch_;
    for (std::size_t k = 0; k < schema_->made().size(); ++k) {
        const made_column& m = schema_->made()[k];
        begin_given();
        for (const std::uint32_t path : m.paths) {
            const std::span<const json::slice> all = found.values(path);
            const json::slice v = all.empty() ? json::slice{} : all[0];
            KUMIHIMO_TRY(give(found, v, static_cast<std::size_t>(v.offset), ctx));
        }
        end_given();
        if (put_calculated(k, m.field, ctx) == errc::ok) [[likely]]
            continue;
        const std::size_t in = failed_input_ == none ? 0 : failed_input_;
        ctx.failure.offset = s.given_at[in];
        ctx.failure.line = ctx.failure.column = 0;
        ctx.failure.path = schema_->columns()[m.field].made_of->inputs()[in].printed;
        return ctx.failure.code;
    }
    return errc::ok;
}

// Of a row: each value is of an element around it, of its own, or the key of one.
errc batch::put_made(const row_walk& walk, context& ctx) {
    scratch& s = *scratch_;
    const row_plan& plan = *walk.plan();
    for (std::size_t k = 0; k < plan.calculated.size(); ++k) {
        const row_plan::made& m = plan.calculated[k];
        if (!columns_[m.field].room(rows_)) return ctx.fail(errc::memory, failure::nowhere, "no memory for another row");
        begin_given();
        for (const row_plan::made::place& in : m.inputs) {
            const row_walk::element& e = walk.at(in.level);
            if (in.key && e.there()) {
                std::string text;
                KUMIHIMO_TRY(walk.key(in.level, text, ctx));
                s.given_text += text;
            }
            const json::slice v = e.there() && !in.key ? e.value(in.path) : json::slice{};
            if (value_projector* const found = e.projector(); found != nullptr && !in.key) {
                KUMIHIMO_TRY(give(*found, v, e.begin() + static_cast<std::size_t>(v.offset), ctx));
                continue;
            }
            s.given_text.append(reinterpret_cast<const char*>(walk.document().data()) + v.offset,
                                static_cast<std::size_t>(v.length));
            s.given_ends.push_back(s.given_text.size());
            s.given_at.push_back(in.key ? static_cast<std::size_t>(e.key().offset) : static_cast<std::size_t>(v.offset));
        }
        end_given();
        if (put_calculated(k, m.field, ctx) == errc::ok) [[likely]]
            continue;
        const std::size_t in = failed_input_ == none ? 0 : failed_input_;
        const formula::input& of = schema_->columns()[m.field].made_of->inputs()[in];
        const std::size_t level = m.inputs[in].level;
        failed_level_ = level;
        ctx.failure.offset = s.given_at[in];
        ctx.failure.line = ctx.failure.column = 0;
        ctx.failure.path = of.key ? walk.where(level) : walk.where(level) + of.printed.substr(1);
        return ctx.failure.code;
    }
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
