#include "extract/path_report.hpp"

#include <initializer_list>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/core/path_text.hpp"
#include "engine/json/path.hpp"
#include "engine/json/writer.hpp"
#include "extract/unique_name.hpp"

namespace kumihimo::inline v0::extract {
namespace {

using kind = path_summary::kind;
using node = path_summary::node;

constexpr const char* names[path_summary::kinds] = {"null", "boolean", "integer", "number", "string", "object", "array"};

bool is_scalar(const node& n) noexcept { return !n.has(kind::object) && !n.has(kind::array); }

// What a column of these values has to hold.
evidence seen_at(const node& n) {
    evidence all = n.seen;
    if (n.has(kind::boolean)) all.add(evidence::boolean);
    if (!is_scalar(n)) all.add(evidence::container);
    return all;
}

// The type of a column of these values. `nested`: a list or a struct where that holds them. `around`: those that they
// lie in.
column_spec column_at(const path_summary& all, const node& n, bool nested, std::size_t around = 0) {
    column_spec c;
    seen_at(n).decide(c);
    const bool array = n.has(kind::array);
    const bool one = array != n.has(kind::object) && n.seen.none() && !n.has(kind::boolean);
    if (!nested || !one || around == most_nested_types) return c;
    if (array) {
        c.type = column_type::list;
        if (n.element == path_summary::none)
            evidence().decide(c.members.emplace_back());
        else
            c.members.push_back(column_at(all, all.at(n.element), nested, around + 1));
    } else if (n.any == path_summary::none && !n.members.empty()) {
        c.type = column_type::structure;
        for (const std::uint32_t m : all.in_order(n)) {
            c.members.push_back(column_at(all, all.at(m), nested, around + 1));
            c.members.back().name = all.at(m).key;
        }
    }
    return c;
}

// Whether its members are columns, and not the value itself: a struct holds what is below the document.
bool opens(const node& n, bool nested) noexcept {
    if (nested && n.parent != path_summary::none) return false;
    return n.has(kind::object) && n.any == path_summary::none && !n.members.empty() && !n.has(kind::array) && n.seen.none() &&
           !n.has(kind::boolean);
}

// A column of each value that is no object with members, or of each member of the documents, in the order of their
// keys.
std::vector<column_spec> fields_of(const path_summary& all, bool nested) {
    struct visit {
        std::uint32_t node;
        std::size_t depth;
    };
    std::vector<column_spec> out;
    std::unordered_set<std::string> taken;
    std::vector<visit> pending{{0, 0}};
    json::path path;
    while (!pending.empty()) {
        const visit v = pending.back();
        pending.pop_back();
        const node& n = all.at(v.node);
        path.resize(v.depth == 0 ? 0 : v.depth - 1);
        if (v.depth != 0) path.push_back({json::step::kind::key, n.key, 0});
        if (opens(n, nested)) {
            const std::vector<std::uint32_t> members = all.in_order(n);
            for (auto m = members.rbegin(); m != members.rend(); ++m) pending.push_back({*m, v.depth + 1});
            continue;
        }
        column_spec c = column_at(all, n, nested);
        c.path = json::print(path);
        c.name = unique_name(path, c.path, taken);
        out.push_back(std::move(c));
    }
    return out;
}

// Writes documents and what stands between them. Failures are for want of memory alone: the texts are valid, the verbs
// in order.
class page {
public:
    page(buffer& out, const json::dialect& as) : out_(out), to(out, ctx_, as) { ctx_.limits.depth = SIZE_MAX; }

    void line(std::string_view s) { lost_ = !out_.append(s.data(), s.size()) || lost_; }
    void put(errc code) { lost_ = lost_ || code != errc::ok; }
    // Verbs one after the other: in braces they are called in this order.
    void put(std::initializer_list<errc> codes) {
        for (const errc code : codes) put(code);
    }
    void member(std::string_view name, std::uint64_t n) { put({to.key(text(name)), to.i64(static_cast<std::int64_t>(n))}); }
    void member(std::string_view name, std::string_view value) { put({to.key(text(name)), to.str(text(value))}); }
    void end_document() {
        bytes whole;
        put(to.finish(whole));
    }
    errc done() const noexcept { return lost_ ? errc::memory : errc::ok; }

private:
    buffer& out_;
    context ctx_;
    bool lost_ = false;

public:
    json::basic_writer<buffer> to;
};

void write_examples(page& p, const node& n) {
    if (n.examples.empty()) return;
    p.put({p.to.key(text("examples")), p.to.array({})});
    for (const path_summary::example& e : n.examples) {
        if (e.cut)
            p.put(p.to.str(text(e.text + "\xE2\x80\xA6")));
        else if (e.type == kind::string)
            p.put(p.to.str(text(e.text)));
        else if (e.type == kind::boolean)
            p.put(p.to.boolean(e.text == "true"));
        else
            p.put(p.to.big(text(e.text, encoding::ascii)));
    }
    p.put(p.to.end());
}

// ----------------------------------------------------------------------------------------------------------------------- paths

void write_path(page& p, const path_summary& all, std::uint32_t i, const std::string& path, bool folded) {
    const node& n = all.at(i);
    p.to.begin();
    p.put(p.to.map({}));
    p.member("path", path);
    if (!folded) p.member("documents", n.documents);
    p.member("values", n.values());
    if (n.parent != path_summary::none) {
        const node& around = all.at(n.parent);
        if (around.element != i && around.any != i) {
            p.member("of", around.of(kind::object));
            if (n.repeated != 0) p.member("repeated", n.repeated);
        }
    }
    p.put({p.to.key(text("types")), p.to.map({})});
    for (std::size_t k = 0; k < path_summary::kinds; ++k)
        if (n.count[k] != 0) p.member(names[k], n.count[k]);
    p.put(p.to.end());
    if (is_scalar(n)) p.member("type", column_at(all, n, false).type_text());
    write_examples(p, n);
    p.put(p.to.end());
    p.end_document();
}

errc write_paths(const path_summary& all, bool nested, buffer& out) {
    page p(out, json::compact);
    p.line("{\"kumihimo\":\"schema\",\"documents\":" + std::to_string(all.documents()) +
           ",\"fold\":" + std::to_string(all.most_keys()) + ",\n\"paths\":[");
    struct visit {
        std::uint32_t node;
        std::size_t prefix;  // of the path, behind which its own step comes
        bool folded;         // below a member `*`
        std::string step;
    };
    std::vector<visit> pending;
    std::string path = "$";
    if (all.documents() != 0) pending.push_back({0, 1, false, {}});
    for (bool first = true; !pending.empty(); first = false) {
        const visit v = std::move(pending.back());
        pending.pop_back();
        path.resize(v.prefix);
        path += v.step;
        p.line(first ? "\n" : ",\n");
        write_path(p, all, v.node, path, v.folded);
        const node& n = all.at(v.node);
        if (n.element != path_summary::none && all.at(n.element).values() != 0)
            pending.push_back({n.element, path.size(), v.folded, "[*]"});
        if (n.any != path_summary::none && all.at(n.any).values() != 0) pending.push_back({n.any, path.size(), true, ".*"});
        const std::vector<std::uint32_t> members = all.in_order(n);
        for (auto m = members.rbegin(); m != members.rend(); ++m) {
            std::string step;
            add_key(step, all.at(*m).key);
            pending.push_back({*m, path.size(), v.folded, std::move(step)});
        }
    }
    p.line("\n],\n\"fields\":[");
    bool first = true;
    if (all.documents() != 0) {
        for (const column_spec& c : fields_of(all, nested)) {
            p.line(std::exchange(first, false) ? "\n" : ",\n");
            p.to.begin();
            p.put(p.to.map({}));
            p.member("name", c.name);
            p.member("path", c.path);
            p.member("type", c.type_text());
            p.put(p.to.end());
            p.end_document();
        }
    }
    p.line("\n]}\n");
    return p.done();
}

// ----------------------------------------------------------------------------------------------------------------- JSON Schema

// The words of JSON Schema for the values at a path, but for what is in them. `column`: they are one.
void write_types(page& p, const path_summary& all, const node& n, bool column, bool nested) {
    std::vector<std::string_view> types;
    for (std::size_t k = 0; k < path_summary::kinds; ++k) {
        // `number` is any number there.
        const bool covered = k == static_cast<std::size_t>(kind::integer) && n.has(kind::number);
        if (n.count[k] != 0 && !covered) types.push_back(names[k]);
    }
    p.put(p.to.key(text("type")));
    if (types.size() != 1) p.put(p.to.array({}));
    for (const std::string_view t : types) p.put(p.to.str(text(t)));
    if (types.size() != 1) p.put(p.to.end());
    const column_spec c = column_at(all, n, nested);
    if (!is_scalar(n)) {
        if (column) p.member("x-kumihimo-type", c.type_text());
        return;
    }
    if (c.type == column_type::timestamp && c.shape.separator == 'T' && !c.naive) p.member("format", "date-time");
    const bool said = c.type == column_type::int64 || c.type == column_type::float64 || c.type == column_type::string ||
                      c.type == column_type::boolean || c.type == column_type::json;
    if (!said) p.member("x-kumihimo-type", c.type_text());
}

errc write_json_schema(const path_summary& all, bool nested, buffer& out) {
    page p(out, json::pretty);
    // What is left to be written, the next one last: a schema at a path, or what closes one.
    struct step {
        enum class what : std::uint8_t { schema, close, properties, required } is = what::schema;
        std::uint32_t node = 0;
        std::string_view key{};
        bool open = true;  // all that it lies in is open
    };
    using what = step::what;
    std::vector<step> pending;
    p.put(p.to.map({}));
    p.member("$schema", "https://json-schema.org/draft/2020-12/schema");
    pending.push_back({what::close});
    if (all.documents() != 0) pending.push_back({what::schema, 0});
    while (!pending.empty()) {
        const step s = pending.back();
        pending.pop_back();
        if (s.is == what::close) {
            p.put(p.to.end());
            continue;
        }
        const node& n = all.at(s.node);
        if (s.is == what::properties) {
            p.put({p.to.key(text("properties")), p.to.map({})});
            pending.push_back({what::close});
            const std::vector<std::uint32_t> members = all.in_order(n);
            for (auto m = members.rbegin(); m != members.rend(); ++m)
                pending.push_back({what::schema, *m, all.at(*m).key, s.open});
            continue;
        }
        if (s.is == what::required) {
            bool any = false;
            for (const std::uint32_t m : all.in_order(n)) {
                const node& one = all.at(m);
                if (one.values() - one.repeated != n.of(kind::object)) continue;
                if (!std::exchange(any, true)) p.put({p.to.key(text("required")), p.to.array({})});
                p.put(p.to.str(text(one.key)));
            }
            if (any) p.put(p.to.end());
            continue;
        }
        const bool inside = n.parent != path_summary::none;  // the document's own words stand beside $schema
        if (inside) {
            const node& around = all.at(n.parent);
            const std::string_view name = around.element == s.node ? "items"
                                          : around.any == s.node   ? "additionalProperties"
                                                                   : s.key;
            p.put({p.to.key(text(name)), p.to.map({})});
            pending.push_back({what::close});
        }
        const bool opened = s.open && opens(n, nested);
        write_types(p, all, n, s.open && !opened, nested);
        write_examples(p, n);
        for (const std::uint32_t below : {n.element, n.any})
            if (below != path_summary::none && all.at(below).values() != 0) pending.push_back({what::schema, below, {}, false});
        if (!n.members.empty()) {
            pending.push_back({what::required, s.node});
            pending.push_back({what::properties, s.node, {}, opened});
        }
    }
    p.end_document();
    p.line("\n");
    return p.done();
}

}  // namespace

errc write_schema(const path_summary& of, schema_text as, bool nested, buffer& out) {
    return as == schema_text::paths ? write_paths(of, nested, out) : write_json_schema(of, nested, out);
}

errc columns_of(const path_summary& of, bool nested, std::shared_ptr<const schema>& out, std::string& why) {
    std::vector<column_spec> fields;
    if (of.documents() != 0) fields = fields_of(of, nested);
    return schema::make(std::move(fields), false, out, why);
}

}  // namespace kumihimo::inline v0::extract
