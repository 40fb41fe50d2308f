// Rows that are elements of arrays: the values that a walk finds in the row's element and in those around it.
#include <algorithm>
#include <new>

#include "extract/batch_scratch.hpp"
#include "extract/digits.hpp"
#include "extract/row_walk.hpp"

namespace kumihimo::inline v0::extract {
void batch::renew() noexcept {
    for (scratch::level& l : scratch_->levels) l.serial = 0;
    for (calculation& c : scratch_->calculations) c.forget();
}

// Whether the field's first [*] walks an array, which is empty then.
bool batch::has_list(const row_walk& walk, std::size_t level, std::size_t path, context& ctx) {
    const row_walk::element& e = walk.at(level);
    const json::projection& of = walk.plan()->levels[level].lists;
    const bytes text = walk.document().subspan(e.begin(), e.size());
    scratch::level& mine = scratch_->levels[level];
    if (const binary_format* const as = walk.binary()) {
        if (scratch_->binary != as) {
            scratch_->binary = as;
            for (scratch::level& l : scratch_->levels) l.value_lists.reset();
        }
        if (!mine.value_lists) mine.value_lists = as->project(of, json::level::structural);
        if (mine.value_lists->run(text, json::given::document, ctx) != errc::ok) return false;
        const std::span<const json::slice> list = mine.value_lists->values(path);
        return !list.empty() && list[0].length != 0 && mine.value_lists->is_array(list[0]);
    }
    if (!mine.lists) mine.lists.emplace(of, json::level::structural);
    if (mine.lists->run(text, ctx) != errc::ok) return false;
    const json::slice list = mine.lists->value(path);
    return list.length != 0 && text[list.offset] == '[';
}

// Of a value that its column does not take. Lines are not counted here.
errc batch::place_failure(const row_walk& walk, std::size_t level, std::size_t offset, context& ctx) {
    failed_level_ = level;
    if (failed_ == none) return ctx.failure.code;
    ctx.failure.offset = offset;
    ctx.failure.line = ctx.failure.column = 0;
    ctx.failure.path = walk.where(level) + ctx.failure.path.substr(1);
    return ctx.failure.code;
}

errc batch::put_field(const row_walk& walk, std::size_t level, std::size_t field, context& ctx) {
    const row_walk::element& e = walk.at(level);
    const row_plan::level& of = walk.plan()->levels[level];
    const std::size_t i = of.fields[field], path = of.path(field);
    value_projector* const found = e.projector();
    if (of.wild && of.paths.wild(path)) {
        const std::span<const json::slice> all = e.values(path);
        if (all.empty() && !has_list(walk, level, path, ctx)) {
            if (ctx.failure.code != errc::ok) return ctx.failure.code;
            columns_[i].put_null(rows_);
            return errc::ok;
        }
        const errc said = found != nullptr ? put_list(i, *found, path, ctx) : put_joined(i, all, walk.document(), ctx);
        if (said == errc::ok) [[likely]]
            return said;
        // Binary values lie in their element, which has no place of its own there.
        return place_failure(walk, level, ctx.failure.offset + (found != nullptr ? e.begin() : 0), ctx);
    }
    const json::slice s = e.value(path);
    if (s.length == 0) {
        columns_[i].put_null(rows_);
        return errc::ok;
    }
    if (found != nullptr) {
        if (const errc said = put_value(slot_of(i), *found, s, ctx); said != errc::ok) [[unlikely]]
            return place_failure(walk, level, e.begin() + static_cast<std::size_t>(s.offset), ctx);
        return errc::ok;
    }
    const std::string_view text = text_at(walk.document(), s);
    if (text[0] == 'n') {
        columns_[i].put_null(rows_);
        return errc::ok;
    }
    const bytes alone{reinterpret_cast<const unsigned char*>(text.data()), text.size()};
    if (convert(slot_of(i), text, alone, ctx) != errc::ok) [[unlikely]]
        return place_failure(walk, level, static_cast<std::size_t>(s.offset) + ctx.failure.offset, ctx);
    return errc::ok;
}

errc batch::put_level(const row_walk& walk, std::size_t level, context& ctx) {
    const row_walk::element& e = walk.at(level);
    const row_plan::level& of = walk.plan()->levels[level];
    if (of.owners.empty()) return errc::ok;
    for (const std::uint32_t i : of.fields)
        if (!columns_[i].room(rows_)) [[unlikely]]
            return ctx.fail(errc::memory, failure::nowhere, "no memory for another row");
    if (!e.there()) {
        for (const std::uint32_t i : of.fields) columns_[i].put_null(rows_);
        return errc::ok;
    }
    if (e.blocked() != json::nowhere && e.blocked() >= of.array) [[unlikely]]
        blocked_ = of.owners[e.blocked() - of.array];
    const scratch::level& mine = scratch_->levels[level];
    if (mine.serial == e.serial()) {
        for (const std::uint32_t i : of.fields)
            if (!columns_[i].copy(mine.row, rows_)) return full(ctx);
        return errc::ok;
    }
    for (std::size_t k = 0; k < of.fields.size(); ++k) KUMIHIMO_TRY(put_field(walk, level, k, ctx));
    return errc::ok;
}

errc batch::append(const row_walk& walk, const origin& from, context& ctx) {
    const row_plan& plan = *walk.plan();
    const std::size_t last = plan.last();
    unread();
    blocked_ = json::nowhere;
    failed_level_ = last;
    if (plan.whole) {
        const row_walk::element& e = walk.at(last);
        if (!e.there()) return append_null(from, ctx);
        const errc said = append(walk.document().subspan(e.begin(), e.size()), from, ctx);
        return said == errc::ok ? said : place_failure(walk, last, e.begin() + ctx.failure.offset, ctx);
    }
    if (walk.binary() != nullptr && (!scratch_->cell || !scratch_->cell->fails_into(ctx))) scratch_->cell.emplace(ctx);
    for (std::size_t k = 0; k <= last; ++k) KUMIHIMO_TRY(put_level(walk, k, ctx));
    if (!plan.calculated.empty()) KUMIHIMO_TRY(put_made(walk, ctx));
    if (schema_->provenance()) KUMIHIMO_TRY(put_provenance(from, ctx));
    for (std::size_t k = 0; k < last; ++k) {
        scratch::level& l = scratch_->levels[k];
        if (l.serial != walk.at(k).serial()) l.serial = walk.at(k).serial(), l.row = rows_;
    }
    ++rows_;
    return errc::ok;
}

// Of column i the values of n rows ahead: how many of them it took.
std::size_t batch::put_ahead(const row_walk& walk, std::size_t path, std::size_t i, std::size_t n, context& ctx) {
    column& c = columns_[i];
    const column_spec& spec = schema_->columns()[i];
    if (!c.room(rows_ + n - 1)) return 0;
    const char* const end = reinterpret_cast<const char*>(walk.document().data()) + walk.document().size();
    // Any value. Those below are what most values are.
    const auto put = [&](std::string_view text, std::size_t row) {
        if (text.empty() || text[0] == 'n') {
            c.put_null(row);
            return true;
        }
        const bytes alone{reinterpret_cast<const unsigned char*>(text.data()), text.size()};
        return convert({&spec, &c, row, i}, text, alone, ctx) == errc::ok;
    };
    const auto put_all = [&](auto quickly) {
        for (std::size_t r = 0; r < n; ++r) {
            const std::string_view text = walk.ahead(path, r);
            if (!quickly(text, rows_ + r) && !put(text, rows_ + r)) [[unlikely]]
                return r;
        }
        return n;
    };
    short_number number;
    switch (spec.type) {
        case column_type::float64:
            c.mark_valid(rows_, n);
            return put_all([&](std::string_view text, std::size_t row) {
                double v = 0;
                if (end - text.data() <= 16 || !number.read(text) || !number.f64(v)) return false;
                c.set(row, v);
                return true;
            });
        case column_type::int64:
            c.mark_valid(rows_, n);
            return put_all([&](std::string_view text, std::size_t row) {
                std::int64_t v = 0;
                if (end - text.data() <= 16 || !number.read(text) || !number.i64(v)) return false;
                c.set(row, v);
                return true;
            });
        default: return put_all([](std::string_view, std::size_t) { return false; });
    }
}

std::size_t batch::append_ahead(row_walk& walk, std::uint64_t most, context& ctx) {
    const row_plan& plan = *walk.plan();
    const std::size_t last = plan.last();
    if (plan.whole || !plan.calculated.empty() || schema_->provenance()) return 0;
    if (alone_ != 0) {
        --alone_;
        return 0;
    }
    const std::size_t n = walk.look_ahead(static_cast<std::size_t>(std::min<std::uint64_t>(most, ahead_)));
    if (n == 0) return 0;
    unread();
    blocked_ = json::nowhere;
    std::size_t good = n;
    for (std::size_t k = 0; k < last && good != 0; ++k) {
        const row_walk::element& e = walk.at(k);
        const bool odd = e.blocked() != json::nowhere && e.blocked() >= plan.levels[k].array;
        if (odd || put_level(walk, k, ctx) != errc::ok) good = 0;
    }
    const row_plan::level& of = plan.levels[last];
    for (std::size_t k = 0; k < of.fields.size() && good != 0; ++k) good = put_ahead(walk, of.path(k), of.fields[k], good, ctx);
    for (std::size_t k = 0; k < last && good > 1; ++k)
        for (const std::uint32_t i : plan.levels[k].fields)
            if (!columns_[i].room(rows_ + good - 1) || !columns_[i].repeat(rows_, rows_ + 1, good - 1)) good = 0;
    if (good != n) {
        unread();
        ctx.clear();
    }
    ahead_ = good == n ? std::min(2 * ahead_, json::element_run::most) : std::max<std::size_t>(good, 1);
    if (good == 0) {
        // A row that was looked at in vain costs a fifth more. Where all are refused, few are looked at.
        alone_ = last_alone_ = std::min(2 * last_alone_ + 1, json::element_run::most);
        return 0;
    }
    last_alone_ = 0;
    for (std::size_t k = 0; k < last; ++k) {
        scratch::level& l = scratch_->levels[k];
        if (l.serial != walk.at(k).serial()) l.serial = walk.at(k).serial(), l.row = rows_;
    }
    rows_ += good;
    walk.pass(good);
    return good;
}

}  // namespace kumihimo::inline v0::extract
