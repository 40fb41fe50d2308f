#include "extract/resume.hpp"

#include <limits>
#include <new>
#include <span>

#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/json/reader.hpp"
#include "engine/json/writer.hpp"
#include "engine/tape/cursor.hpp"
#include "engine/tape/tape.hpp"
#include "extract/formula.hpp"
#include "extract/hex.hpp"
#include "extract/row_plan.hpp"

namespace kumihimo::inline v0::extract {
namespace {

using tape::cursor;
using tape::kind;

// Of what a token says, and in which order. Another order is another version.
constexpr std::uint64_t version = 2;
constexpr std::size_t deepest = 64, most_inside = most_nested_types + 2;

// One JSON array of numbers, texts in hex, and arrays: everything is found by its place.
class token_writer {
public:
    token_writer() { must(to_.array({})); }
    void put(std::uint64_t n) { must(n > INT64_MAX ? to_.u64(n) : to_.i64(static_cast<std::int64_t>(n))); }
    void put_signed(std::int64_t n) { must(to_.i64(n)); }
    void put(std::string_view s) {
        const std::string hex = to_hex(s);
        must(to_.str(text(std::string_view(hex))));
    }
    void put(const noticed& n) {
        put(n.count);
        put(std::string_view(n.first));
    }
    void open() { must(to_.array({})); }
    void close() { must(to_.end()); }
    std::string finish() {
        bytes document;
        must(to_.end());
        must(to_.finish(document));
        return to_hex({reinterpret_cast<const char*>(document.data()), document.size()});
    }

private:
    // A writer of numbers and ASCII into memory can fail only for want of it.
    static void must(errc e) {
        if (e != errc::ok) throw std::bad_alloc();
    }
    buffer out_;
    context ctx_;
    json::writer to_{out_, ctx_};
};

// The same array again, element by element. After the first mistake nothing is read.
class token_reader {
public:
    token_reader(cursor array, bool& ok) : at_(array.is(kind::array) ? array.first() : cursor()), ok_(ok) {
        ok_ = ok_ && array.is(kind::array);
    }
    void get(std::uint64_t& out) { take(at_ && at_.get(out) == errc::ok); }
    template <class T>
    void small(T& out, std::uint64_t most = std::numeric_limits<T>::max()) {
        std::uint64_t n = 0;
        get(n);
        ok_ = ok_ && n <= most;
        if (ok_) out = static_cast<T>(n);
    }
    void get_signed(std::int64_t& out) { take(at_ && at_.get(out) == errc::ok); }
    void get(std::string& out) {
        text t;
        const bool is_text = at_ && at_.is(kind::str) && at_.get(t) == errc::ok;
        out.clear();
        take(is_text && from_hex({static_cast<const char*>(t.data), t.size}, out));
    }
    void get(noticed& out) {
        get(out.count);
        get(out.first);
    }
    cursor inner() {
        const cursor here = at_;
        take(at_ && at_.is(kind::array));
        return ok_ ? here : cursor();
    }
    bool more() const { return ok_ && static_cast<bool>(at_); }

private:
    void take(bool good) {
        ok_ = ok_ && good;
        if (ok_) at_ = at_.next();
    }
    cursor at_;
    bool& ok_;
};

// Of put_column(): bits. A list and a struct have nothing in a type's place, for their members follow.
constexpr unsigned is_inferred = 1, is_unseen = 2, is_verbatim = 4, may_nest = 8, is_list = 16, is_struct = 32,
                   is_expression = 64;

// The type as it is spelled, without what a column of texts only guesses.
std::string spelled(const column_spec& c) {
    if (c.is_nested()) return {};
    column_spec plain = c;
    plain.verbatim = false;
    plain.only = 0;
    plain.guess.reset();
    return plain.type_text();
}

void put_column(token_writer& to, const column_spec& c) {
    to.open();
    to.put(std::string_view(c.name));
    to.put(std::string_view(definition(c)));
    to.put(std::string_view(spelled(c)));
    to.put(std::uint64_t{(c.inferred ? is_inferred : 0) | (c.unseen ? is_unseen : 0) | (c.verbatim ? is_verbatim : 0) |
                         (c.nested ? may_nest : 0) | (c.type == column_type::list ? is_list : 0) |
                         (c.type == column_type::structure ? is_struct : 0) | (is_calculated(c) ? is_expression : 0)});
    to.put(std::uint64_t{static_cast<unsigned char>(c.only)});
    to.put(std::uint64_t{static_cast<unsigned char>(c.shape.separator)});
    to.put_signed(c.shape.digits);
    to.put(std::uint64_t{c.shape.fine});
    to.put(std::uint64_t{static_cast<unsigned>(c.shape.zone)});
    to.put_signed(c.shape.offset);
    to.open();
    for (const column_spec& m : c.members) put_column(to, m);
    to.close();
    if (c.guess) put_column(to, *c.guess);
    to.close();
}

void get_column(cursor array, column_spec& out, bool& ok, std::size_t depth = 0) {
    token_reader from(array, ok);
    std::string type, why;
    std::uint64_t flags = 0;
    from.get(out.name);
    from.get(out.path);
    from.get(type);
    from.get(flags);
    if (!ok) return;
    // The type's own word; `infer` is none that a column of a run could have.
    const std::string name = out.name, path = out.path;
    const unsigned nested = static_cast<unsigned>(flags & (is_list | is_struct));
    if (nested == 0)
        ok = parse_type(type, out, why) == errc::ok && out.type != column_type::infer && out.members.empty();
    else
        out.type = nested == is_list ? column_type::list : column_type::structure;
    ok = ok && flags < 2 * is_expression && nested != (is_list | is_struct) && depth < most_inside;
    out.name = name;
    if ((flags & is_expression) != 0)
        ok = ok && formula::compile(path, 0, out.made_of, why) == errc::ok;
    else
        out.path = path;
    out.inferred = (flags & is_inferred) != 0;
    out.unseen = (flags & is_unseen) != 0;
    out.verbatim = (flags & is_verbatim) != 0;
    out.nested = (flags & may_nest) != 0;
    std::uint8_t only = 0;
    from.small(only);
    ok = ok && (only == 0 || only == '[' || only == '{');
    out.only = static_cast<char>(only);
    if (out.inferred) out.unit = time_unit::automatic;
    std::int64_t digits = 0, offset = 0;
    std::uint8_t separator = 0, fine = 0, zone_is = 0;
    from.small(separator);
    from.get_signed(digits);
    from.small(fine, 1);
    from.small(zone_is, static_cast<std::uint64_t>(time_shape::zone_text::colon));
    from.get_signed(offset);
    constexpr std::int64_t most_offset = 24 * 60 * 60;
    ok = ok && digits >= time_shape::as_needed && digits <= 9 && offset >= -most_offset && offset <= most_offset;
    if (!ok) return;
    out.shape.separator = static_cast<char>(separator);
    out.shape.digits = static_cast<std::int8_t>(digits);
    out.shape.fine = fine != 0;
    out.shape.zone = static_cast<time_shape::zone_text>(zone_is);
    out.shape.offset = static_cast<std::int32_t>(offset);
    for (token_reader members(from.inner(), ok); members.more();)
        get_column(members.inner(), out.members.emplace_back(), ok, depth + 1);
    ok = ok && (nested == is_list ? out.members.size() == 1 : nested == is_struct || out.members.empty());
    if (!from.more()) return;
    auto guess = std::make_shared<column_spec>();
    get_column(from.inner(), *guess, ok, depth + 1);
    out.guess = std::move(guess);
}

}  // namespace

std::string write_token(const resume_state& state) {
    token_writer to;
    const resume_point& p = state.point;
    to.put(version);
    for (const std::uint64_t n : {std::uint64_t{p.at.input}, std::uint64_t{p.at.made}, std::uint64_t{p.at.done}, p.lines,
                                  p.of_archive, p.bytes, p.documents, p.rows, p.bad, p.members})
        to.put(n);
    for (const noticed* n : {&p.kept_rest, &p.blocked, &p.astray, &p.no_array}) to.put(*n);
    if (state.has_columns) {
        to.put(std::uint64_t{static_cast<unsigned>(state.others)});
        to.open();
        for (const column_spec& c : state.fields) put_column(to, c);
        to.close();
        to.open();
        for (const std::string& n : state.notes) to.put(std::string_view(n));
        to.close();
    }
    return to.finish();
}

bool read_token(std::string_view token, resume_state& out) {
    std::string json;
    if (!from_hex(token, json)) return false;
    context ctx;
    ctx.limits.depth = deepest;
    const bytes document{reinterpret_cast<const unsigned char*>(json.data()), json.size()};
    json::reader reads(document, ctx);
    tape::recorder record(ctx, document);
    tape::view all;
    errc e = reads.feed(record);
    if (e == errc::ok) e = record.finish(all);
    if (e == errc::memory) throw std::bad_alloc();
    if (e != errc::ok) return false;
    bool ok = true;
    token_reader from(cursor(all), ok);
    resume_point& p = out.point;
    std::uint64_t of = 0;
    from.get(of);
    ok = ok && of == version;
    from.small(p.at.input);
    from.small(p.at.made);
    from.small(p.at.done);
    for (std::uint64_t* n : {&p.lines, &p.of_archive, &p.bytes, &p.documents, &p.rows, &p.bad, &p.members}) from.get(*n);
    for (noticed* n : {&p.kept_rest, &p.blocked, &p.astray, &p.no_array}) from.get(*n);
    out.has_columns = from.more();
    if (!out.has_columns) return ok;
    from.small(out.others, static_cast<std::uint64_t>(beyond::kept));
    for (token_reader fields(from.inner(), ok); fields.more();) get_column(fields.inner(), out.fields.emplace_back(), ok);
    for (token_reader notes(from.inner(), ok); notes.more();) notes.get(out.notes.emplace_back());
    return ok && !from.more();
}

namespace {

// The rules of a zone that the columns of the sample have, or what is in them.
std::shared_ptr<const zone> known_zone(const std::string& name, std::span<const column_spec> in) {
    if (auto fixed = zone::fixed(name)) return fixed;
    for (const column_spec& c : in) {
        if (c.zone_name == name && c.in_zone) return c.in_zone;
        if (auto inside = c.members.empty() ? nullptr : known_zone(name, c.members)) return inside;
    }
    return nullptr;
}

void restore_zones(std::span<column_spec> fields, const schema& sampled) {
    for (column_spec& c : fields) {
        if (!c.zone_name.empty() && !c.in_zone) c.in_zone = known_zone(c.zone_name, sampled.columns());
        restore_zones(c.members, sampled);
        if (!c.guess) continue;
        auto guess = std::make_shared<column_spec>(*c.guess);
        restore_zones({guess.get(), 1}, sampled);
        c.guess = std::move(guess);
    }
}

}  // namespace

errc restore_columns(const resume_state& state, const schema& sampled, bool provenance, const row_path* rows,
                     std::shared_ptr<const schema>& out, std::string& why) {
    std::vector<column_spec> fields = state.fields;
    restore_zones(fields, sampled);
    return schema::make(std::move(fields), provenance, out, why, state.others, rows);
}

}  // namespace kumihimo::inline v0::extract
