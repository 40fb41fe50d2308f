#include "extract/infer.hpp"

#include <new>
#include <unordered_set>

#include "engine/json/reader.hpp"
#include "extract/calculation.hpp"
#include "extract/digits.hpp"
#include "extract/discovery.hpp"
#include "extract/judge.hpp"
#include "extract/row_walk.hpp"
#include "extract/text_of_json.hpp"
#include "extract/timestamp.hpp"
#include "extract/unique_name.hpp"

namespace kumihimo::inline v0::extract {

struct inference::state {
    struct field {
        evidence seen;
        std::uint64_t present = 0;
        bool naive = false, zoned = false;
        bool wild = false;  // the path has a [*]
    };

    std::vector<column_spec> specs;
    std::vector<field> fields;
    bool provenance = false;
    json::level level = json::level::strict;
    bool discover = false;
    std::size_t documents = 0;
    std::uint64_t bytes_seen = 0;
    bool refused = false;  // a document
    layout_of_text text = layout_of_text::none;
    bool types = true;  // are to be guessed
    std::vector<std::string> notes;
    std::unordered_set<std::string> given_up;
    field_tree found;
    bool nested = false;
    evidence whole;               // of nested types: what the documents, or the rows' elements, are
    std::uint64_t looked_in = 0;  // so many of them
    json::projection paths;
    std::unique_ptr<json::projector> projector;
    errc broken = errc::ok;  // the paths could not be compiled
    std::string why;

    // Where the rows are elements of arrays.
    std::optional<row_path> rows;
    std::unique_ptr<row_walk> walk;
    std::vector<std::uint64_t> serials, elements;  // by level: of the last element that was looked at; how many they were
    std::vector<std::size_t> level_of;             // by field
    bool taken = false;                            // a row of the last document

    // Columns that are calculated.
    std::vector<made_column> made;
    std::vector<calculation> calculations;

    static bool open_zone(const column_spec& c) {
        return c.type == column_type::timestamp && !c.naive && c.format == nullptr && c.zone_name.empty() &&
               c.in_zone == nullptr;
    }
    void compile_rows() {
        std::shared_ptr<const row_plan> plan;
        broken = row_plan::make(specs, *rows, discover, plan, why);
        if (broken != errc::ok) return;
        serials.resize(plan->levels.size());
        elements.resize(plan->levels.size());
        level_of.resize(specs.size());
        for (std::size_t k = 0; k < plan->levels.size(); ++k) {
            const row_plan::level& of = plan->levels[k];
            for (std::size_t i = 0; i < of.fields.size(); ++i) {
                level_of[of.fields[i]] = k;
                fields[of.fields[i]].wild = of.paths.wild(of.path(i));
            }
        }
        for (const row_plan::made& m : plan->calculated) {
            calculations.emplace_back(*specs[m.field].made_of);
            for (const row_plan::made::place& in : m.inputs) level_of[m.field] = std::max(level_of[m.field], in.level);
        }
        // Columns are only found in what is valid as a whole.
        walk = std::make_unique<row_walk>(std::move(plan), discover ? json::level::strict : level);
    }
    void compile() {
        for (const column_spec& c : specs) {
            if (c.made_of) calculations.emplace_back(*c.made_of);
            if (is_of_element(c) && broken == errc::ok) {
                broken = errc::misuse;
                why = needs_rows(c);
            }
        }
        if (broken != errc::ok) return;
        std::vector<std::string> all;
        lay_out(specs, all, made);
        const std::vector<std::string_view> texts(all.begin(), all.end());
        context ctx;
        broken = json::projection::compile(texts, paths, ctx);
        if (broken != errc::ok) {
            why = "the paths cannot be compiled: " + std::string(ctx.failure.what);
            if (!ctx.failure.path.empty()) why += " (" + ctx.failure.path + ')';
            return;
        }
        projector = std::make_unique<json::projector>(paths, level);
        for (std::size_t i = 0; i < fields.size(); ++i) fields[i].wild = paths.wild(i);
    }
    // Whether the type is to be guessed: of lists that paths walk only where they may become lists.
    bool guesses(std::size_t i) const { return specs[i].type == column_type::infer && (!fields[i].wild || specs[i].nested); }
    errc columns_from_tree(std::string& reason);
    errc columns_from_members(std::string& reason);
    struct found_columns;
    void keep_text(column_spec& c, bool hollow = false) const;
    void note(const column_spec& c, const evidence& seen, std::uint64_t present, std::size_t level = 0);
    void see(std::size_t i, std::string_view value);
    void see_elements(std::size_t i, bytes document, std::span<const json::slice> all);
    void see_made(std::size_t k, std::size_t i);
    errc observe_rows(bytes document, judge* by, context& ctx);
    errc see_row(bytes document, context& ctx);
    errc discover_in(bytes document, context& ctx);
    std::uint64_t looked_at(std::size_t level) const { return rows ? elements[level] : documents; }
};

inference::inference(std::vector<column_spec> fields, bool provenance, json::level level, std::optional<row_path> rows)
    : state_(new state) {
    state_->discover = fields.empty();
    state_->specs = std::move(fields);
    state_->fields.resize(state_->specs.size());
    state_->provenance = provenance;
    state_->level = level;
    state_->rows = std::move(rows);
    if (state_->rows)
        state_->compile_rows();
    else if (!state_->discover)
        state_->compile();
}
inference::~inference() = default;

bool inference::needed() const noexcept {
    if (state_->discover) return true;
    for (std::size_t i = 0; i < state_->specs.size(); ++i)
        if ((state_->types && state_->guesses(i)) || state::open_zone(state_->specs[i])) return true;
    return false;
}

void inference::nest() noexcept {
    state_->nested = true;
    for (column_spec& c : state_->specs) c.nested = c.nested || c.type == column_type::infer;
}

bool inference::nests() const noexcept {
    if (!state_->types) return false;
    for (std::size_t i = 0; i < state_->specs.size(); ++i)
        if (state_->guesses(i) && state_->specs[i].nested) return true;
    return false;
}

std::size_t inference::documents() const noexcept { return state_->documents; }
const std::vector<std::string>& inference::notes() const noexcept { return state_->notes; }

bool inference::unites() const noexcept {
    if (state_->nested) return false;
    for (const column_spec& c : state_->specs)
        if (c.nested) return false;
    return true;
}

std::unique_ptr<inference> inference::another() const {
    const state& s = *state_;
    auto made = std::make_unique<inference>(s.discover ? std::vector<column_spec>() : s.specs, s.provenance, s.level, s.rows);
    made->state_->text = s.text;
    made->state_->types = s.types;
    return made;
}

void inference::unite(const inference& later) {
    state& s = *state_;
    const state& t = *later.state_;
    for (std::size_t i = 0; i < s.fields.size(); ++i) {
        s.fields[i].seen.unite(t.fields[i].seen);
        s.fields[i].present += t.fields[i].present;
        s.fields[i].naive = s.fields[i].naive || t.fields[i].naive;
        s.fields[i].zoned = s.fields[i].zoned || t.fields[i].zoned;
    }
    for (std::size_t k = 0; k < s.elements.size(); ++k) s.elements[k] += t.elements[k];
    s.found.unite(t.found);
    s.documents += t.documents;
    s.bytes_seen += t.bytes_seen;
    s.refused = s.refused || t.refused;
}

void inference::as_text(layout_of_text form, bool types) noexcept {
    state_->text = form;
    state_->types = types || form == layout_of_text::none;
}

bool inference::took_rows() const noexcept { return state_->taken; }

void inference::pass_over(std::size_t bytes) noexcept { state_->bytes_seen += bytes; }

bool inference::sated() const noexcept {
    const state& s = *state_;
    // Columns that are to be found need a document, wherever it is.
    if (s.bytes_seen >= most_bytes && (!s.discover || s.documents != 0)) return true;
    if (s.discover || s.types) return false;
    for (std::size_t i = 0; i < s.specs.size(); ++i)
        if (state::open_zone(s.specs[i]) && !s.fields[i].naive && !s.fields[i].zoned) return false;
    return true;
}
bool inference::unsure() const noexcept { return state_->refused && state_->level != json::level::strict; }
bool inference::discovers() const noexcept { return state_->discover; }
const json::plan* inference::paths() const noexcept {
    if (state_->walk) return &state_->walk->plan()->wanted.plan();
    return state_->projector ? &state_->paths.plan() : nullptr;
}
void inference::give_up(std::string_view path) { state_->given_up.emplace(path); }

// A value of a field.
void inference::state::see(std::size_t i, std::string_view value) {
    if (value.empty() || value[0] == 'n') return;
    if (specs[i].only != 0 && value[0] != specs[i].only) return;  // a bad record, whatever is guessed
    ++fields[i].present;
    if (specs[i].type == column_type::infer) {
        fields[i].seen.value(value, specs[i].nested);
    } else if (open_zone(specs[i]) && value[0] == '"' && value.size() > 2) {
        instant t;
        const std::string_view inside = value.substr(1, value.size() - 2);
        if (is_json_number(inside)) fields[i].zoned = true;
        if (read_moment(inside, t) != errc::ok) return;
        (t.clock == instant::kind::utc || t.clock == instant::kind::offset ? fields[i].zoned : fields[i].naive) = true;
    } else if (open_zone(specs[i])) {
        fields[i].zoned = true;  // a number counts from a moment, so it has one
    }
}

// A list that the field's path walks; none where it is empty, too.
void inference::state::see_elements(std::size_t i, bytes document, std::span<const json::slice> all) {
    if (!guesses(i) || all.empty()) return;
    ++fields[i].present;
    for (const json::slice& s : all) fields[i].seen.element(text_at(document, s));
}

// The document is valid.
errc inference::state::discover_in(bytes document, context& ctx) {
    if (nested) {
        whole.document(text_at(document, {0, document.size()}), ++looked_in);
        return errc::ok;
    }
    discovery d(found);
    return json::reader(document, ctx, json::exact_decimals).feed(d);
}

errc inference::state::see_row(bytes document, context& ctx) {
    const row_plan& plan = *walk->plan();
    std::size_t fresh = 0;  // the outermost level with another element than in the row before
    for (std::size_t k = plan.levels.size(); k-- != 0;)
        if (walk->at(k).there() && walk->at(k).serial() != serials[k]) fresh = k + 1;
    for (std::size_t k = 0; k < plan.levels.size(); ++k) {
        const row_walk::element& e = walk->at(k);
        if (!e.there() || e.serial() == serials[k]) continue;
        serials[k] = e.serial();
        ++elements[k];
        const row_plan::level& of = plan.levels[k];
        for (std::size_t i = 0; i < of.fields.size(); ++i) {
            if (of.paths.wild(of.path(i)))
                see_elements(of.fields[i], document, e.values(of.path(i)));
            else
                see(of.fields[i], text_at(document, e.value(of.path(i))));
        }
        if (discover && k == plan.last()) KUMIHIMO_TRY(discover_in(document.subspan(e.begin(), e.size()), ctx));
    }
    for (std::size_t k = 0; k < plan.calculated.size(); ++k) {
        const row_plan::made& m = plan.calculated[k];
        if (fresh == 0 || fresh - 1 > level_of[m.field]) continue;  // it is that of the row before
        calculation& c = calculations[k];
        for (std::size_t i = 0; i < m.inputs.size(); ++i) {
            const row_plan::made::place& in = m.inputs[i];
            const row_walk::element& e = walk->at(in.level);
            const std::uint64_t element = e.there() ? e.serial() : 0;
            if (c.has(i, element)) continue;
            if (in.key && e.there()) {
                std::string& text = c.room(i);
                KUMIHIMO_TRY(walk->key(in.level, text, ctx));
                c.give(i, text, element);
            } else {
                c.give(i, e.there() ? text_at(document, e.value(in.path)) : std::string_view(), element);
            }
        }
        see_made(k, m.field);
    }
    return errc::ok;
}

// `by`: only rows for which it holds are seen.
errc inference::state::observe_rows(bytes document, judge* by, context& ctx) {
    taken = by == nullptr;
    if (const errc e = walk->open(document, ctx); e != errc::ok) {
        refused = true;
        return e;
    }
    if (by != nullptr) KUMIHIMO_TRY(by->look(document, ctx));
    documents += taken;
    for (;;) {
        bool more = false, holds = true;
        KUMIHIMO_TRY(walk->next(more, ctx));
        if (!more) return errc::ok;
        if (by != nullptr) {
            if (by->look_at_row(*walk, ctx) != errc::ok || by->decide(holds, ctx) != errc::ok) {
                if (ctx.failure.code == errc::memory) throw std::bad_alloc();
                ctx.clear();
                continue;
            }
            if (!holds) continue;
            documents += !taken;
            taken = true;
        }
        KUMIHIMO_TRY(see_row(document, ctx));
    }
}

// What is calculated of the values that were given. What cannot be is the run's to say.
void inference::state::see_made(std::size_t k, std::size_t i) {
    if (calculations[k].run() == errc::ok) see(i, calculations[k].json());
}

errc inference::observe(bytes document, context& ctx, judge* by) {
    state& s = *state_;
    s.bytes_seen += document.size();
    s.taken = true;
    if (s.broken != errc::ok) return ctx.fail(errc::misuse, failure::nowhere, "the paths cannot be compiled");
    if (s.rows) return s.observe_rows(document, by, ctx);
    if (s.discover) {
        null_sink nothing;
        if (const errc e = json::reader(document, ctx).feed(nothing); e != errc::ok) {
            s.refused = true;
            return e;
        }
        KUMIHIMO_TRY(s.discover_in(document, ctx));
        ++s.documents;
        return errc::ok;
    }
    KUMIHIMO_TRY(s.projector->run(document, ctx));
    for (std::size_t i = 0; i < s.specs.size(); ++i) {
        if (s.specs[i].made_of) continue;
        if (s.fields[i].wild)
            s.see_elements(i, document, s.projector->values(i));
        else
            s.see(i, text_at(document, s.projector->value(i)));
    }
    for (std::size_t k = 0; k < s.made.size(); ++k) {
        for (std::size_t i = 0; i < s.made[k].paths.size(); ++i)
            s.calculations[k].give(i, text_at(document, s.projector->value(s.made[k].paths[i])));
        s.see_made(k, s.made[k].field);
    }
    ++s.documents;
    return errc::ok;
}

void inference::state::note(const column_spec& c, const evidence& seen, std::uint64_t present, std::size_t level) {
    std::string text = c.name + ": " + shown_type(c);
    if (c.type == column_type::json) {
        if (present == 0)
            text += ", because the sample has no value";
        else if (const std::string mixed = seen.summary(); mixed.find(',') != std::string::npos)
            text += " text, because it holds " + mixed;
    }
    const std::uint64_t all = looked_at(level);
    if (present != all)
        text += " (in " + std::to_string(present) + " of " + std::to_string(all) + (level == 0 ? " document" : " element") +
                (all == 1 ? ")" : "s)");
    notes.push_back(std::move(text));
}

// A column that is only guessed about becomes one that holds what stands in the documents.
void inference::state::keep_text(column_spec& c, bool hollow) const {
    if (text == layout_of_text::none || !c.inferred) return;
    auto guess = std::make_shared<column_spec>(c);
    guess->unseen = c.unseen || hollow;
    column_spec as_is;
    as_is.name = c.name;
    as_is.path = c.path;
    as_is.made_of = c.made_of;
    as_is.type = text == layout_of_text::csv ? column_type::string : column_type::json;
    as_is.verbatim = true;
    as_is.guess = std::move(guess);
    c = std::move(as_is);
}

// The columns as they are found, one after the other.
struct inference::state::found_columns {
    state& of;
    std::size_t level;  // of the elements that they are in
    std::unordered_set<std::string> names;

    explicit found_columns(state& s) : of(s), level(s.rows ? s.elements.size() - 1 : 0) {
        of.specs.clear();
        of.notes.clear();
    }
    bool nothing_seen(std::string& reason) const {
        if (of.looked_at(level) != 0) return false;
        reason = of.rows && of.documents != 0 ? "no document of the sample has an element of " + of.rows->text +
                                                    " to find columns in; name the fields you want, -f .PATH"
                                              : "there is no document to find columns in";
        return true;
    }
    errc too_many(std::string& reason) const {
        reason = "the documents have more than " + std::to_string(most_columns) +
                 " different fields; name the ones you want, -f PATH";
        return errc::misuse;
    }
    /// `hollow`: an empty object and nothing else, so what it is is not known either.
    errc add(const json::path& path, evidence seen, std::uint64_t present, bool hollow, std::string& reason) {
        if (of.specs.size() == most_columns) return too_many(reason);
        column_spec c;
        c.path = json::print(path);
        if (of.rows) c.path.erase(0, path.empty() || c.path[1] != '.' ? 0 : 1);
        if (of.rows && c.path[0] != '.') c.path[0] = '.';
        c.name = unique_name(path, c.path, names);
        c.nested = of.nested;
        if (of.given_up.count(c.path) != 0) seen.add(evidence::container), seen.add(evidence::anything);
        seen.decide(c);
        of.note(c, seen, present, level);
        of.keep_text(c, hollow);
        of.specs.push_back(std::move(c));
        return errc::ok;
    }
};

errc inference::state::columns_from_tree(std::string& reason) {
    found_columns columns(*this);
    if (columns.nothing_seen(reason)) return errc::misuse;
    struct visit {
        std::uint32_t node;
        std::size_t depth;
    };
    std::vector<visit> pending{{0, 0}};
    json::path path;
    while (!pending.empty()) {
        const visit v = pending.back();
        pending.pop_back();
        field_tree::node& n = found.nodes[v.node];
        path.resize(v.depth == 0 ? 0 : v.depth - 1);
        if (v.depth != 0) path.push_back({json::step::kind::key, n.key, 0});
        if (n.object && n.seen.none() && !n.members.empty()) {
            for (auto m = n.members.rbegin(); m != n.members.rend(); ++m) pending.push_back({*m, v.depth + 1});
            continue;
        }
        const bool hollow = n.object && n.seen.none();
        evidence seen = n.seen;
        if (n.object) seen.add(evidence::container);
        if (found.overflow) return columns.too_many(reason);
        KUMIHIMO_TRY(columns.add(path, std::move(seen), n.present, hollow, reason));
    }
    return errc::ok;
}

// With nested types: each member of the documents, or the documents as they are where some are no objects.
errc inference::state::columns_from_members(std::string& reason) {
    found_columns columns(*this);
    if (columns.nothing_seen(reason)) return errc::misuse;
    if (whole.overflow()) return columns.too_many(reason);
    if (!whole.only_objects()) return columns.add(json::path(), whole, looked_in, false, reason);
    for (const evidence::member& m : whole.members())
        KUMIHIMO_TRY(columns.add(json::path{{json::step::kind::key, m.key, 0}}, m.seen, m.present, false, reason));
    return errc::ok;
}

errc inference::finish(std::shared_ptr<const schema>& out, std::string& why, beyond others) {
    state& s = *state_;
    if (s.broken != errc::ok) {
        why = s.why;
        return errc::misuse;
    }
    if (s.discover) {
        KUMIHIMO_TRY(s.nested ? s.columns_from_members(why) : s.columns_from_tree(why));
        return schema::make(s.specs, s.provenance, out, why, others, s.rows ? &*s.rows : nullptr);
    }
    std::vector<column_spec> made = s.specs;
    s.notes.clear();
    for (std::size_t i = 0; i < made.size(); ++i) {
        column_spec& c = made[i];
        state::field& f = s.fields[i];
        const std::size_t level = s.rows ? s.level_of[i] : 0;
        if (s.guesses(i)) {
            if (s.text != layout_of_text::none && c.only != 0) {  // what stands there, if it is of that kind
                c.type = column_type::json;
                continue;
            }
            if (f.wild) f.seen.list();
            if (s.given_up.count(definition(c)) != 0) f.seen.add(evidence::anything), f.seen.add(evidence::container);
            f.seen.decide(c);
            if (s.types && s.documents != 0) s.note(c, f.seen, f.present, level);
            s.keep_text(c);
        } else if (state::open_zone(c) && f.naive && !f.zoned) {
            c.naive = true;
            s.note(c, f.seen, f.present, level);
        }
    }
    return schema::make(std::move(made), s.provenance, out, why, beyond::ignored, s.rows ? &*s.rows : nullptr);
}

}  // namespace kumihimo::inline v0::extract
