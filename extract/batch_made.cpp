// Columns that are calculated: their values are gathered, wherever they are, as JSON, and what is made of them goes
// the way of any other value into its column.
#include "extract/batch_scratch.hpp"
#include "extract/row_walk.hpp"

namespace kumihimo::inline v0::extract {

namespace {

json::slice only(value_projector& found, std::size_t path) {
    const std::span<const json::slice> all = found.values(path);
    return all.empty() ? json::slice{} : all[0];
}

}  // namespace

// A value of a binary document as JSON.
errc batch::render(value_projector& found, json::slice value, std::string& to, context& ctx) {
    if (value.length == 0) return errc::ok;
    // A cell of its own kind, so that only null is put there at once.
    cell_sink& cell = *scratch_->cell;
    column& unused = scratch_->unused;
    if (!unused.room(0)) return ctx.fail(errc::memory, failure::nowhere, "no memory for a value");
    cell.begin(unused, column_type::json, 0);
    KUMIHIMO_TRY(found.give(value, cell, ctx));
    std::string_view text;
    KUMIHIMO_TRY(cell.finish(text));
    to = text;
    return errc::ok;
}

// Column i, the k-th one that is calculated, of the values that were given. Of a failure offset and path are left
// to the caller: failed_input_ says whose they are.
errc batch::put_calculated(std::size_t k, std::size_t i, context& ctx) {
    scratch& s = *scratch_;
    calculation& c = s.calculations[k];
    const errc said = c.run();
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

// Of a document: the input at fault, whose value begins at `offset`, has the path.
errc batch::place_failure(std::size_t field, std::size_t offset, context& ctx) {
    ctx.failure.offset = offset;
    ctx.failure.line = ctx.failure.column = 0;
    ctx.failure.path = schema_->columns()[field].made_of->inputs()[failed_input()].printed;
    return ctx.failure.code;
}

errc batch::put_made(bytes document, context& ctx) {
    const json::projector& found = scratch_->projector;
    for (std::size_t k = 0; k < schema_->made().size(); ++k) {
        const made_column& m = schema_->made()[k];
        for (std::size_t i = 0; i < m.paths.size(); ++i)
            scratch_->calculations[k].give(i, text_at(document, found.value(m.paths[i])));
        if (put_calculated(k, m.field, ctx) != errc::ok) [[unlikely]]
            return place_failure(m.field, static_cast<std::size_t>(found.value(m.paths[failed_input()]).offset), ctx);
    }
    return errc::ok;
}

errc batch::put_made(value_projector& found, context& ctx) {
    for (std::size_t k = 0; k < schema_->made().size(); ++k) {
        const made_column& m = schema_->made()[k];
        calculation& c = scratch_->calculations[k];
        for (std::size_t i = 0; i < m.paths.size(); ++i) {
            std::string& text = c.room(i);
            KUMIHIMO_TRY(render(found, only(found, m.paths[i]), text, ctx));
            c.give(i, text);
        }
        if (put_calculated(k, m.field, ctx) != errc::ok) [[unlikely]]
            return place_failure(m.field, static_cast<std::size_t>(only(found, m.paths[failed_input()]).offset), ctx);
    }
    return errc::ok;
}

// Of a row: each value is of an element around it, of its own, or the key of one. Of an element that the row before
// had, too, the calculation knows it.
errc batch::put_made(const row_walk& walk, context& ctx) {
    const row_plan& plan = *walk.plan();
    for (std::size_t k = 0; k < plan.calculated.size(); ++k) {
        const row_plan::made& m = plan.calculated[k];
        calculation& c = scratch_->calculations[k];
        if (!columns_[m.field].room(rows_)) return ctx.fail(errc::memory, failure::nowhere, "no memory for another row");
        for (std::size_t i = 0; i < m.inputs.size(); ++i) {
            const row_plan::made::place& in = m.inputs[i];
            const row_walk::element& e = walk.at(in.level);
            const std::uint64_t element = e.there() ? e.serial() : 0;
            if (c.has(i, element)) continue;
            if (!e.there()) {
                c.give(i, {}, element);
            } else if (in.key || e.projector() != nullptr) {
                std::string& text = c.room(i);
                KUMIHIMO_TRY(in.key ? walk.key(in.level, text, ctx) : render(*e.projector(), e.value(in.path), text, ctx));
                c.give(i, text, element);
            } else {
                c.give(i, text_at(walk.document(), e.value(in.path)), element);
            }
        }
        if (put_calculated(k, m.field, ctx) == errc::ok) [[likely]]
            continue;
        const formula::input& of = schema_->columns()[m.field].made_of->inputs()[failed_input()];
        const row_plan::made::place& in = m.inputs[failed_input()];
        const row_walk::element& e = walk.at(in.level);
        failed_level_ = in.level;
        if (in.key)
            ctx.failure.offset = static_cast<std::size_t>(e.key().offset);
        else  // binary values count in their element
            ctx.failure.offset =
                !e.there() ? 0 : static_cast<std::size_t>(e.value(in.path).offset) + (e.projector() != nullptr ? e.begin() : 0);
        ctx.failure.line = ctx.failure.column = 0;
        ctx.failure.path = of.key ? walk.where(in.level) : walk.where(in.level) + of.printed.substr(1);
        return ctx.failure.code;
    }
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
