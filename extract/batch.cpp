#include "extract/batch.hpp"

#include <algorithm>

#include "engine/json/check.hpp"
#include "engine/json/locate.hpp"
#include "engine/json/string.hpp"
#include "engine/scalar/float_read.hpp"
#include "engine/scalar/time_text.hpp"
#include "engine/scalar/utf8.hpp"
#include "extract/batch_scratch.hpp"
#include "extract/digits.hpp"
#include "extract/infer.hpp"
#include "extract/timestamp.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t first_room = std::size_t{2} << 20;  // bytes that all columns together begin with, at most

}  // namespace

batch::batch(std::shared_ptr<const schema> of, json::level level)
    : schema_(std::move(of)), scratch_(new scratch(*schema_, level)), level_(level) {
    columns_.reserve(schema_->columns().size());
    for (const column_spec& c : schema_->columns()) columns_.emplace_back(c);
    for (const column& c : columns_) row_size_ += c.row_size();
    // Thousands of columns have room for fewer rows at first.
    for (column& c : columns_) c.first_rows(first_room / std::max<std::size_t>(row_size_, 1));
}
batch::~batch() = default;
batch::batch(batch&&) noexcept = default;
batch& batch::operator=(batch&&) noexcept = default;

errc batch::append(bytes document, const origin& from, context& ctx) {
    unread();
    if (scratch_->any_astray) {  // also of a document that came to nothing
        scratch_->astray.assign(schema_->fields(), false);
        scratch_->any_astray = false;
    }
    KUMIHIMO_TRY(scratch_->projector.run(document, ctx));
    blocked_ = scratch_->projector.blocked();
    const std::size_t fields = schema_->fields();
    const column_spec* spec = schema_->columns().data();
    for (std::size_t i = 0; i < fields; ++i) {
        if (!columns_[i].room(rows_)) [[unlikely]]
            return ctx.fail(errc::memory, failure::nowhere, "no memory for another row");
        if (spec[i].made_of) [[unlikely]]
            continue;
        if (schema_->paths().wild(i)) {
            KUMIHIMO_TRY(convert_list(i, ctx, document));
            continue;
        }
        const json::slice s = scratch_->projector.value(i);
        if (s.length == 0 || document[s.offset] == 'n') {
            columns_[i].put_null(rows_);
            continue;
        }
        if (const errc e = convert({spec + i, &columns_[i], rows_, i}, text_at(document, s), document, ctx); e != errc::ok)
            [[unlikely]] {
            if (!disagreed() || schema_->others() != beyond::kept) return e;
            // The guess was wrong, and the schema cannot be changed any more.
            scratch_->astray[i] = scratch_->any_astray = true;
            columns_[i].put_null(rows_);
            failed_ = none;
            ctx.clear();
        }
    }
    if (!schema_->made().empty()) KUMIHIMO_TRY(put_made(document, ctx));
    if (schema_->provenance()) KUMIHIMO_TRY(put_provenance(from, ctx));
    if (scratch_->others) KUMIHIMO_TRY(put_rest(document, ctx));
    ++rows_;
    return errc::ok;
}

std::size_t batch::blocked() const noexcept {
    if (blocked_ == json::nowhere || scratch_->others) [[likely]]
        return none;
    return field_of_path(blocked_, schema_->fields(), schema_->made());
}

// What no column holds: an error, or the column `rest`.
errc batch::put_rest(bytes document, context& ctx) {
    const bool keep_it = schema_->others() == beyond::kept;
    remainder& others = *scratch_->others;
    for (const std::size_t i : scratch_->unknown) {
        const std::string_view value = text_at(document, scratch_->projector.value(i));
        if (value.empty() || value[0] != '{' || value.find('"') == std::string_view::npos) continue;
        unplaced_ = true;
        return ctx.fail(errc::unsupported, failure::nowhere, "the document has fields that no column was made for");
    }
    if (!scratch_->any_astray && others.none(document, scratch_->projector)) [[likely]]
        return keep_it ? put_null_rest(ctx) : errc::ok;
    // Between the values other levels look at brackets only; the walk takes the document for valid.
    if (level_ != json::level::strict) KUMIHIMO_TRY(json::check(document, ctx));
    std::string& rest = scratch_->rest;
    rest.clear();
    if (!others.walk(document, scratch_->astray, rest)) others.remember(document);
    if (rest.empty()) return keep_it ? put_null_rest(ctx) : errc::ok;
    if (!keep_it) {
        unplaced_ = true;
        return ctx.fail(errc::unsupported, failure::nowhere, "the document has fields that no column was made for");
    }
    const std::size_t i = columns_.size() - 1;
    if (!columns_[i].room(rows_)) return ctx.fail(errc::memory, failure::nowhere, "no memory for another row");
    kept_rest_ = true;
    return put_text(slot_of(i), rest, ctx);
}

errc batch::put_null_rest(context& ctx) {
    const std::size_t i = columns_.size() - 1;
    if (!columns_[i].room(rows_)) return ctx.fail(errc::memory, failure::nowhere, "no memory for another row");
    columns_[i].put_null(rows_);
    return errc::ok;
}

errc batch::adopt(std::shared_ptr<const schema> wider) {
    if (wider->fields() != schema_->fields() || wider->provenance() != schema_->provenance()) return errc::misuse;
    if (wider->others() == beyond::kept && schema_->others() != beyond::kept) {
        column rest(wider->columns().back());
        for (std::size_t r = 0; r < rows_; ++r) {
            if (!rest.room(r)) return errc::memory;
            rest.put_null(r);
        }
        row_size_ += rest.row_size();
        columns_.push_back(std::move(rest));
    }
    scratch_.reset(new scratch(*wider, level_));
    schema_ = std::move(wider);
    return errc::ok;
}

errc batch::append_null(const origin& from, context& ctx) {
    unread();
    const std::size_t fields = schema_->fields();
    for (std::size_t i = 0; i < fields; ++i) {
        if (!columns_[i].room(rows_)) return ctx.fail(errc::memory, failure::nowhere, "no memory for another row");
        columns_[i].put_null(rows_);
    }
    if (schema_->provenance()) KUMIHIMO_TRY(put_provenance(from, ctx));
    if (schema_->others() == beyond::kept) KUMIHIMO_TRY(put_null_rest(ctx));
    ++rows_;
    return errc::ok;
}

// A JSON string's text without quotes and escapes; a view into the document where there are none.
bool batch::unquoted(std::string_view value, std::string_view& out) {
    return plain_text(inside_of(value), scratch_->text, out);
}

errc batch::convert(const slot& at, std::string_view value, bytes document, context& ctx) {
    const column_spec& spec = *at.spec;
    column& c = *at.to;
    const bool is_text = value[0] == '"';
    const bool is_number = value[0] == '-' || (value[0] >= '0' && value[0] <= '9');
    // Text that holds exactly one number counts as one (exchanges quote their prices), unless the type is only a
    // guess.
    std::string_view number = value;
    switch (spec.type) {
        case column_type::int64:
        case column_type::float64:
        case column_type::decimal:
            if (is_number) break;
            if (!is_text || spec.inferred || !unquoted(value, number) || !is_json_number(number))
                return refuse(errc::type, at, value, document, ctx);
            break;
        default: break;
    }
    switch (spec.type) {
        case column_type::float64: {
            double v = 0;
            if (!short_double(number, v)) {
                if (scalar::read_f64(number.data(), number.data() + number.size(), v) != errc::ok)
                    return refuse(errc::range, at, value, document, ctx);
                // A guess must not cost digits: what a double would change shows that it was wrong.
                if (spec.inferred && number.size() > 15 && loses_digits(number))
                    return refuse(errc::type, at, value, document, ctx);
            }
            c.put(at.row, v);
            return errc::ok;
        }
        case column_type::int64: {
            std::int64_t v = 0;
            const errc e = read_whole(number, v, !spec.inferred);
            if (e != errc::ok) return refuse(e, at, value, document, ctx);
            c.put(at.row, v);
            return errc::ok;
        }
        case column_type::decimal: {
            if (spec.precision == 0) return put_text(at, number, ctx);
            __int128 v = 0;
            const errc e = read_scaled(number, spec.scale, spec.precision, v);
            if (e != errc::ok) return refuse(errc::range, at, value, document, ctx);
            c.put(at.row, v);
            return errc::ok;
        }
        case column_type::string: {
            if (is_text) {
                const char* b = value.data() + 1;
                const std::size_t n = value.size() - 2;
                if (n == 0 || std::memchr(b, '\\', n) == nullptr) return put_text(at, {b, n}, ctx);
                char* to = c.text_room(at.row, n + json::unescape_slack);
                if (to == nullptr) return full(ctx);
                const json::unescaped u = json::unescape(b, b + n, b + n, to, json::half_pair::refuse);
                if (u.end == nullptr) return refuse(errc::encoding, at, value, document, ctx);
                c.put_text(at.row, u.end);
                return errc::ok;
            }
            if (!spec.verbatim && (spec.inferred || value[0] == '{' || value[0] == '['))
                return refuse(errc::type, at, value, document, ctx);
            return put_text(at, value, ctx);
        }
        case column_type::boolean: {
            std::string_view word = value;
            if (is_text && !spec.inferred && !unquoted(value, word)) word = value;
            if (word != "true" && word != "false") return refuse(errc::type, at, value, document, ctx);
            c.put(at.row, word[0] == 't');
            return errc::ok;
        }
        case column_type::timestamp: return convert_time(at, value, document, ctx);
        case column_type::json:
            if (spec.unseen || (spec.only != 0 && value[0] != spec.only)) [[unlikely]]
                return refuse(errc::type, at, value, document, ctx);
            return put_text(at, value, ctx);
        case column_type::list:
        case column_type::structure:
            if (value[0] != (spec.type == column_type::list ? '[' : '{')) return refuse(errc::type, at, value, document, ctx);
            return convert_nested(at, value, document, ctx);
        case column_type::infer: break;
    }
    return ctx.fail(errc::misuse, failure::nowhere, "a column has no type");
}

errc batch::convert_time(const slot& at, std::string_view value, bytes document, context& ctx) {
    const column_spec& spec = *at.spec;
    column& c = *at.to;
    std::string_view text;
    const bool quoted = value[0] == '"';
    if (quoted && !unquoted(value, text)) return refuse(errc::encoding, at, value, document, ctx);
    // Text that holds exactly one number counts as one here as well, unless the type is only a guess.
    const bool quoted_number = quoted && !spec.inferred && spec.format == nullptr && is_json_number(text);
    if ((!quoted || quoted_number) && spec.format == nullptr) {
        const std::string_view number = quoted ? text : value;
        if (spec.inferred || spec.naive || (number[0] != '-' && (number[0] < '0' || number[0] > '9')))
            return refuse(errc::type, at, value, document, ctx);
        int below = 0;
        if (unit_of(number, spec.unit, below) != errc::ok) return refuse(errc::range, at, value, document, ctx);
        __int128 v = 0;
        if (read_scaled(number, (spec.nanoseconds ? 9 : 6) - below, 38, v) != errc::ok || v > INT64_MAX || v <= INT64_MIN ||
            !printable(whole_seconds(static_cast<std::int64_t>(v), spec), spec))
            return refuse(errc::range, at, value, document, ctx);
        c.put(at.row, static_cast<std::int64_t>(v));
        return errc::ok;
    }
    instant t;
    if (!quoted) text = value;
    time_format::mismatch where;
    const errc e = spec.format != nullptr ? spec.format->read(text, t, where)
                   : spec.inferred        ? scalar::read_time(text.data(), text.data() + text.size(), t)
                                          : read_moment(text, t);
    if (e != errc::ok && spec.format != nullptr) {
        refuse(e, at, value, document, ctx);
        sample_ += "; at character " + std::to_string(where.at + 1) + " it lacks " + where.wanted;
        return e;
    }
    if (e != errc::ok) return refuse(e == errc::range && !spec.inferred ? errc::range : errc::type, at, value, document, ctx);
    const bool zoned = t.clock == instant::kind::utc || t.clock == instant::kind::offset;
    if (spec.inferred) {
        if (!holds(spec.shape, text, t)) return refuse(errc::type, at, value, document, ctx);
    } else if (zoned ? spec.naive : !spec.naive && spec.in_zone == nullptr) {
        return refuse(errc::type, at, value, document, ctx);
    } else if (!zoned && spec.in_zone != nullptr) {
        zone::stretch fresh;
        t.seconds = spec.in_zone->to_utc(t.seconds, is_field(at) ? scratch_->wall[at.field] : fresh);
    }
    std::int64_t v = 0;
    if (!cell_of(t, spec.nanoseconds, v) || (!spec.nanoseconds && t.nanoseconds % 1000 != 0) ||
        (spec.format == nullptr && finer_than_nanoseconds(text)) || !printable(t.seconds, spec))
        return refuse(errc::range, at, value, document, ctx);
    c.put(at.row, v);
    return errc::ok;
}

errc batch::put_text(const slot& at, std::string_view text, context& ctx) {
    char* to = at.to->text_room(at.row, text.size());
    if (to == nullptr) [[unlikely]]
        return full(ctx);
    std::memcpy(to, text.data(), text.size());
    at.to->put_text(at.row, to + text.size());
    return errc::ok;
}

errc batch::full(context& ctx) {
    return ctx.fail(errc::memory, failure::nowhere,
                    "no memory for a text, or a batch has more than 2 GiB of text in one column");
}

errc batch::put_provenance(const origin& from, context& ctx) {
    const std::size_t first = schema_->fields();
    for (std::size_t i = first; i < first + 3; ++i)
        if (!columns_[i].room(rows_)) return ctx.fail(errc::memory, failure::nowhere, "no memory for another row");
    for (std::size_t k = 0; k < 2; ++k) {
        const std::string_view name = k == 0 ? from.archive : from.entry;
        const std::size_t i = first + k;
        if (name.empty()) {
            columns_[i].put_null(rows_);
        } else if (scalar::utf8_valid_prefix(name.data(), name.size()) == name.size()) {
            KUMIHIMO_TRY(put_text(slot_of(i), name, ctx));
        } else {
            KUMIHIMO_TRY(put_text(slot_of(i), repaired(name), ctx));
        }
    }
    if (from.offset > static_cast<std::uint64_t>(INT64_MAX))
        return ctx.fail(errc::range, failure::nowhere, "an offset passes 2^63");
    columns_[first + 2].put(rows_, static_cast<std::int64_t>(from.offset));
    for (std::size_t i = first + 3, k = 0; i < first + schema_->sources(); ++i, ++k) {
        if (!columns_[i].room(rows_)) return ctx.fail(errc::memory, failure::nowhere, "no memory for another row");
        if (k < from.elements.size())
            columns_[i].put(rows_, static_cast<std::int64_t>(from.elements[k]));
        else
            columns_[i].put_null(rows_);
    }
    return errc::ok;
}

// A file's name need not be UTF-8, but a column of text is: each byte that is not becomes U+FFFD.
std::string batch::repaired(std::string_view name) {
    std::string out;
    while (!name.empty()) {
        const std::size_t good = scalar::utf8_valid_prefix(name.data(), name.size());
        out.append(name.substr(0, good));
        name.remove_prefix(good);
        if (name.empty()) break;
        out += "\xEF\xBF\xBD";
        name.remove_prefix(1);
    }
    return out;
}

void batch::show(std::string_view value) {
    std::size_t shown = value.size() < 60 ? value.size() : 60;
    while (shown < value.size() && shown != 0 && (static_cast<unsigned char>(value[shown]) & 0xC0) == 0x80) --shown;
    sample_.assign(value.substr(0, shown));
    for (char& ch : sample_)
        if (static_cast<unsigned char>(ch) < 0x20) ch = ' ';  // reports are lines
    if (shown < value.size()) sample_ += "...";
}

errc batch::refuse(errc code, const slot& at, std::string_view value, bytes document, context& ctx) {
    failed_ = at.field;
    other_kind_ = is_field(at) && at.spec->only != 0 && value[0] != at.spec->only;
    show(value);
    if (is_field(at)) guess_again(at.field, {&value, 1}, false);
    return place_of_refusal(code, at.field, is_field(at) ? schema_->wants(at.field) : schema_->wants(*at.spec), value, document,
                            ctx);
}

errc batch::place_of_refusal(errc code, std::size_t i, const char* wanted, std::string_view value, bytes document,
                             context& ctx) {
    const auto offset = static_cast<std::size_t>(reinterpret_cast<const unsigned char*>(value.data()) - document.data());
    const bool first = ctx.failure.code == errc::ok;
    wanted_ = wanted;
    ctx.fail(code, offset, wanted);
    if (first) {
        const json::place at = json::locate(document, offset);
        ctx.failure.line = at.line;
        ctx.failure.column = at.column;
        ctx.failure.path = schema_->where(i);
    }
    return code;
}

// What the field's column would have to be, to hold these values as well.
void batch::guess_again(std::size_t i, std::span<const std::string_view> values, bool elements) {
    const column_spec& spec = schema_->columns()[i];
    if (!spec.inferred || other_kind_) return;
    becomes_ = spec;
    evidence seen;
    seen.column(spec);
    for (const std::string_view v : values) elements ? seen.element(v) : seen.value(v, spec.nested);
    seen.decide(becomes_);
    // The run is done again with what it becomes, so that must be another type; text and json take what is left.
    if (spec.unseen || !same_type(becomes_, spec)) return;
    becomes_.type = spec.type == column_type::timestamp ? column_type::string : column_type::json;
    becomes_.members.clear();
    becomes_.nanoseconds = becomes_.naive = false;
    becomes_.in_zone.reset();
    becomes_.zone_name.clear();
}

std::string batch::explanation() const {
    if (failed_ == none) return {};
    if (failed_input_ != none) return "column \"" + schema_->columns()[failed_].name + "\": " + sample_;
    return std::string(wanted_) + "; here it is " + sample_;
}

std::string batch::disagreement() const {
    if (!disagreed()) return {};
    const column_spec& spec = schema_->columns()[failed_];
    std::string out = "column \"" + spec.name + "\" ";
    out += spec.unseen ? "had no value in the sample" : "was taken for " + shown_type(spec);
    out += (spec.unseen ? ", but holds " : " but holds ") + sample_ + "; it becomes " + shown_type(becomes_);
    if (becomes_.type == column_type::json) out += " text";
    return out;
}

std::size_t batch::bytes_used() const noexcept {
    std::size_t n = rows_ * row_size_;
    for (const column& c : columns_) n += c.text_bytes(rows_);
    return n;
}

std::size_t batch::capacity() const noexcept {
    std::size_t n = scratch_->text.capacity() + (scratch_->cell ? scratch_->cell->capacity() : 0);
    for (const calculation& c : scratch_->calculations) n += c.capacity();
    for (const column& c : columns_) n += c.capacity();
    return n;
}

void batch::clear() noexcept {
    rows_ = 0;
    unread();
    renew();
    std::size_t kept = 0;
    for (column& c : columns_) {
        c.shrink(kept >= keep_all ? 0 : keep);
        kept += c.capacity();
    }
    if (scratch_->text.capacity() > keep) scratch_->text = {};
    for (calculation& c : scratch_->calculations) c.trim(keep);
    if (scratch_->cell) scratch_->cell->shrink(keep);
}

}  // namespace kumihimo::inline v0::extract
