// Lists and structs: one value's JSON, read once, goes into the rows of a column and of what is in it; and the lists
// that paths with [*] walk.
//
//      column  book: struct[bid:list[float64],at:string]        row 3
//      value   {"at":"x","bid":[1,2.5],"more":[..]}             at      "x"     row 3
//                                                               bid     row 3: the next two rows of its element
//                                                               more    no place: passed over; of a guess, which was wrong
#include <string>

#include "engine/core/located.hpp"
#include "engine/core/null.hpp"
#include "engine/core/path_text.hpp"
#include "engine/json/locate.hpp"
#include "engine/json/reader.hpp"
#include "extract/batch_scratch.hpp"

namespace kumihimo::inline v0::extract {

class batch::filler {
public:
    filler(batch& of, const slot& root, std::string_view value, bytes document, context& ctx) noexcept
        : of_(of), root_(root), text_(value), document_(document), ctx_(ctx), open_(of.scratch_->open) {
        open_.clear();
    }

    /// The steps from the value to where it failed.
    std::string path() const {
        std::string out;
        for (const nested_frame& f : open_) {
            if (f.spec->type == column_type::list)
                add_index(out, f.count != 0 ? f.count - 1 : 0);
            else
                add_key(out, f.member == nothing ? std::string_view(new_key_) : f.spec->members[f.member].name);
        }
        return out;
    }

    bool wants_places() const noexcept { return true; }
    void at(std::size_t from, std::size_t to) noexcept { from_ = from, to_ = to; }

    errc null() {
        return scalar([](const slot& here, auto) {
            here.to->put_null(here.row);
            return true;
        });
    }
    errc boolean(bool b) {
        return scalar([b](const slot& here, column_type as) {
            if (as == column_type::boolean) here.to->put(here.row, b);
            return as == column_type::boolean;
        });
    }
    errc i64(std::int64_t n) {
        return scalar([n](const slot& here, column_type as) {
            if (as == column_type::int64) here.to->put(here.row, n);
            return as == column_type::int64;
        });
    }
    errc f64(double x) {
        return scalar([&](const slot& here, column_type as) {
            // More digits than a double surely has are the column's to judge.
            if (as != column_type::float64 || (here.spec->inferred && to_ - from_ > 15)) return false;
            here.to->put(here.row, x);
            return true;
        });
    }
    errc str(text t) {
        return scalar([t](const slot& here, column_type as) {
            if (as != column_type::string || t.charset == encoding::utf16) return false;
            char* const to = here.to->text_room(here.row, t.size);
            if (to == nullptr) return false;  // and the column says so of the text
            std::memcpy(to, t.data, t.size);
            here.to->put_text(here.row, to + t.size);
            return true;
        });
    }
    errc u64(std::uint64_t) { return scalar(by_its_text); }
    errc big(text) { return scalar(by_its_text); }
    // What JSON does not have.
    errc bin(bytes) { return errc::unsupported; }
    errc time(const instant&) { return errc::unsupported; }
    errc ext(int, bytes) { return errc::unsupported; }

    errc array(count) { return open(column_type::list); }
    errc map(count) { return open(column_type::structure); }
    errc key(text t) {
        if (passing_ != 0) return errc::ok;
        nested_frame& f = open_.back();
        f.member = of_.scratch_->member(f, t.view());
        if (f.member != nothing || !root_.spec->inferred) return errc::ok;
        new_key_ = t.view();
        return of_.refuse_member(root_.field, slice(from_, to_), document_, ctx_);
    }
    errc key(next_value) { return errc::unsupported; }
    errc end() {
        if (passing_ != 0) {
            if (--passing_ != 0 || held_.to == nullptr) return errc::ok;
            return of_.convert(held_, slice(began_, to_), document_, ctx_);
        }
        const nested_frame& f = open_.back();
        if (f.spec->type == column_type::list) f.to->put_list(f.row, f.first + f.count);
        open_.pop_back();
        return errc::ok;
    }

private:
    static constexpr std::uint32_t nothing = nested_frame::nothing;
    static constexpr auto by_its_text = [](const slot&, column_type) noexcept { return false; };

    std::string_view slice(std::size_t from, std::size_t to) const noexcept { return text_.substr(from, to - from); }

    // Where the value at hand goes; `to` is null where nobody wants it.
    errc arrive(slot& here) {
        if (open_.empty()) {
            here = root_;
            return errc::ok;
        }
        nested_frame& f = open_.back();
        if (f.spec->type == column_type::structure) {
            if (f.member != nothing) here = {&f.spec->members[f.member], &f.to->child(f.member), f.row, root_.field};
            return errc::ok;
        }
        column& inside = f.to->child(0);
        const std::size_t row = f.first + f.count;
        if (row >= column::most_text) return full(ctx_);
        if (!inside.room(row)) return ctx_.fail(errc::memory, failure::nowhere, "no memory for another element");
        ++f.count;
        here = {&f.spec->members[0], &inside, row, root_.field};
        return errc::ok;
    }
    template <class Put>
    errc scalar(Put put) {
        if (passing_ != 0) return errc::ok;
        slot here;
        KUMIHIMO_TRY(arrive(here));
        if (here.to == nullptr || put(here, here.spec->type)) return errc::ok;
        return of_.convert(here, slice(from_, to_), document_, ctx_);
    }
    errc open(column_type as) {
        if (passing_ != 0) {
            ++passing_;
            return errc::ok;
        }
        slot here;
        KUMIHIMO_TRY(arrive(here));
        if (here.to == nullptr || here.spec->type != as) {
            // As a whole, when it has ended: a column of json takes it, another one says that it does not.
            passing_ = 1;
            held_ = here;
            began_ = from_;
            return errc::ok;
        }
        nested_frame f{here.spec, here.to, here.row};
        if (as == column_type::list)
            f.first = here.to->first_element(here.row);
        else
            here.to->put_struct(here.row);
        open_.push_back(f);
        return errc::ok;
    }

    batch& of_;
    const slot root_;
    std::string_view text_;
    bytes document_;
    context& ctx_;
    std::vector<nested_frame>& open_;
    std::size_t from_ = 0, to_ = 0;
    std::size_t passing_ = 0;  // containers open in a value that is taken as a whole
    slot held_;                // for that value
    std::size_t began_ = 0;    // where it begins
    std::string new_key_;
};

std::uint32_t batch::scratch::member(nested_frame& f, std::string_view key) {
    const std::vector<column_spec>& all = f.spec->members;
    std::uint32_t at = f.next < all.size() && all[f.next].name == key ? f.next : nested_frame::nothing;
    if (at == nested_frame::nothing && all.size() <= 16) {
        for (std::uint32_t i = 0; i < all.size(); ++i)
            if (all[i].name == key) at = i;
    } else if (at == nested_frame::nothing) {
        auto& index = keys[f.spec];
        if (index.empty())
            for (std::uint32_t i = 0; i < all.size(); ++i) index.emplace(all[i].name, i);
        if (const auto found = index.find(key); found != index.end()) at = found->second;
    }
    if (at != nested_frame::nothing) f.next = at + 1;
    return at;
}

// A guess that knows no such member would lose it.
errc batch::refuse_member(std::size_t i, std::string_view key, bytes document, context& ctx) {
    failed_ = i;
    other_kind_ = false;
    show(key);
    sample_ = "a member " + sample_;
    return place_of_refusal(errc::type, i, schema_->wants(i), key, document, ctx);
}

errc batch::convert_nested(const slot& at, std::string_view value, bytes document, context& ctx) {
    // Of a key that comes twice the last value counts. That costs a pass of its own, so it is asked where one is at
    // fault.
    constexpr json::read_dialect last_of_each{.duplicates = json::duplicate_keys::last};
    const bytes text{reinterpret_cast<const unsigned char*>(value.data()), value.size()};
    context mine;
    mine.limits.depth = ctx.limits.depth;
    {
        filler to(*this, at, value, document, ctx);
        if (json::reader(text, mine).attempt(to) == errc::ok) [[likely]]
            return errc::ok;
    }
    if (failed_ != none) {
        ctx.clear();
        mine.clear();
        failed_ = none;
        filler to(*this, at, value, document, ctx);
        if (json::reader(text, mine, last_of_each).attempt(to) == errc::ok) return errc::ok;
        if (failed_ != none) {
            ctx.failure.path += to.path();
            if (is_field(at)) guess_again(at.field, {&value, 1}, false);
            return ctx.failure.code;
        }
    }
    if (ctx.failure.code != errc::ok) return ctx.failure.code;
    // It is not valid inside, where the level did not look, or memory is out.
    null_sink nothing;
    mine.clear();
    if (json::reader(text, mine).feed(nothing) == errc::ok)
        return ctx.fail(errc::memory, failure::nowhere, "no memory for a list or a struct");
    const auto base = static_cast<std::size_t>(text.data() - document.data());
    ctx.fail(mine.failure.code, base + (mine.failure.offset != failure::nowhere ? mine.failure.offset : 0), mine.failure.what);
    const json::place place = json::locate(document, ctx.failure.offset);
    ctx.failure.line = place.line;
    ctx.failure.column = place.column;
    ctx.failure.path = schema_->where(at.field);
    return ctx.failure.code;
}

// `trades[*].price` becomes [107910.0,null,...]: the values' own bytes, null where an element lacks it. Null as a
// whole where there is no array.
errc batch::convert_list(std::size_t i, context& ctx, bytes document) {
    column& c = columns_[i];
    const std::span<const json::slice> all = scratch_->projector.values(i);
    if (all.empty()) {  // an empty array, or none
        if (!scratch_->lists) scratch_->lists.emplace(*schema_->lists(), level_);
        KUMIHIMO_TRY(scratch_->lists->run(document, ctx));
        const json::slice list = scratch_->lists->value(i);
        if (list.length == 0 || document[list.offset] != '[') {
            c.put_null(rows_);
            return errc::ok;
        }
    }
    return put_joined(i, all, document, ctx);
}

// Where the path has one [*], it becomes the element's number.
void batch::name_element(std::size_t i, std::size_t element, context& ctx) {
    const std::string& where = schema_->where(i);
    const std::size_t at = where.find("[*]");
    if (at != where.npos && at == where.rfind("[*]")) ctx.failure.path.replace(at, 3, '[' + std::to_string(element) + ']');
}

errc batch::put_joined(std::size_t i, std::span<const json::slice> all, bytes document, context& ctx) {
    column& c = columns_[i];
    if (c.is_nested()) {
        const errc e = put_elements(i, all.size(), ctx, [&](std::size_t k, const slot& to) {
            if (all[k].length == 0 || document[all[k].offset] == 'n') return to.to->put_null(to.row), errc::ok;
            return convert(to, text_at(document, all[k]), document, ctx);
        });
        if (e != errc::ok && failed_ != none) [[unlikely]] {
            std::vector<std::string_view> values;
            for (const json::slice& s : all) values.push_back(text_at(document, s));
            guess_again(i, values, true);
        }
        return e;
    }
    std::size_t size = 2;
    for (const json::slice& s : all) size += 1 + (s.length == 0 ? 4 : static_cast<std::size_t>(s.length));
    char* to = c.text_room(rows_, size);
    if (to == nullptr) return full(ctx);
    *to++ = '[';
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (k != 0) *to++ = ',';
        const std::string_view v = all[k].length == 0 ? std::string_view("null") : text_at(document, all[k]);
        std::memcpy(to, v.data(), v.size());
        to += v.size();
    }
    *to++ = ']';
    c.put_text(rows_, to);
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
