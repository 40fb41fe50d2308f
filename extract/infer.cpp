#include "extract/infer.hpp"

#include <unordered_map>
#include <unordered_set>

#include "engine/json/reader.hpp"
#include "engine/json/string.hpp"
#include "engine/scalar/time_text.hpp"
#include "extract/digits.hpp"
#include "extract/row_walk.hpp"
#include "extract/timestamp.hpp"

namespace kumihimo::inline v0::extract {

// --------------------------------------------------------------------------------------------------------------- discovery

namespace {

/// The keys of all documents seen, as one tree, with what was seen at each place. Arrays are leaves.
struct tree {
    struct node {
        std::string key;
        std::vector<std::uint32_t> members;  // in the order first seen
        evidence seen;
        bool object = false;
        std::uint64_t present = 0;
        std::uint64_t counted = 0;  // the last document that was
    };

    std::vector<node> nodes{1};  // [0] is the document
    std::unordered_map<std::string, std::uint32_t> index;
    bool overflow = false;
    std::uint64_t document = 0;  // the one under way

    /// A value stands there. A key that comes twice is in one document all the same.
    void count(std::uint32_t at) {
        node& n = nodes[at];
        if (n.counted != document) ++n.present;
        n.counted = document;
    }

    std::uint32_t member(std::uint32_t parent, std::uint32_t expected, std::string_view key) {
        const node& p = nodes[parent];
        if (expected < p.members.size() && nodes[p.members[expected]].key == key) return p.members[expected];
        std::string name(reinterpret_cast<const char*>(&parent), sizeof parent);
        name += key;
        const auto [at, fresh] = index.try_emplace(std::move(name), static_cast<std::uint32_t>(nodes.size()));
        if (fresh) {
            if (nodes.size() > std::size_t{8} * inference::most_columns) {
                overflow = true;
                index.erase(at);
                return 0;
            }
            nodes.emplace_back();
            nodes.back().key = key;
            nodes[parent].members.push_back(at->second);
        }
        return at->second;
    }
};

/// The sink that grows the tree. Documents have been validated before, so nothing needs undoing.
class discovery {
public:
    explicit discovery(tree& to) : tree_(to) { ++tree_.document; }

    void begin() {
        open_.clear();
        inside_ = 0;
        at_ = 0;
    }

    errc null() { return errc::ok; }
    errc boolean(bool) { return leaf(evidence::boolean); }
    errc i64(std::int64_t n) {
        const bool exact = n >= -(std::int64_t{1} << 53) && n <= (std::int64_t{1} << 53);
        return leaf(exact || static_cast<__int128>(static_cast<double>(n)) == n ? evidence::integer : evidence::wide_integer);
    }
    errc u64(std::uint64_t) { return leaf(evidence::huge_integer); }
    errc f64(double) { return leaf(evidence::fraction); }
    errc big(kumihimo::text lexeme) {
        if (inside_ == 0 && !lost_) {
            tree_.nodes[at_].seen.number(lexeme.view());
            tree_.count(at_);
        }
        return errc::ok;
    }
    errc str(kumihimo::text t) {
        if (inside_ == 0 && !lost_) {
            tree_.nodes[at_].seen.string(t.view());
            tree_.count(at_);
        }
        return errc::ok;
    }
    errc bin(bytes) { return leaf(evidence::text); }
    errc time(const instant&) { return leaf(evidence::text); }
    errc ext(int, bytes) { return leaf(evidence::container); }
    errc array(count) {
        if (inside_ == 0) leaf_always(evidence::container);
        ++inside_;
        return errc::ok;
    }
    errc map(count) {
        if (inside_ != 0 || lost_) {
            ++inside_;
            return errc::ok;
        }
        tree_.nodes[at_].object = true;
        tree_.count(at_);
        open_.push_back({at_, 0});
        return errc::ok;
    }
    errc key(kumihimo::text t) {
        if (inside_ != 0) return errc::ok;
        frame& f = open_.back();
        at_ = tree_.member(f.node, f.next++, t.view());
        lost_ = at_ == 0;
        return errc::ok;
    }
    errc key(next_value) { return errc::unsupported; }
    errc end() {
        if (inside_ != 0)
            --inside_;
        else
            open_.pop_back();
        return errc::ok;
    }

private:
    struct frame {
        std::uint32_t node;
        std::uint32_t next;  // member expected next: documents of one kind have one order
    };
    void leaf_always(evidence::kind k) {
        if (lost_) return;
        tree_.nodes[at_].seen.add(k);
        tree_.count(at_);
    }
    errc leaf(evidence::kind k) {
        if (inside_ == 0) leaf_always(k);
        return errc::ok;
    }

    tree& tree_;
    std::vector<frame> open_;
    std::size_t inside_ = 0;  // containers open in and below an array
    std::uint32_t at_ = 0;
    bool lost_ = false;  // below a key that the tree had no room for
};
static_assert(sink<discovery>);

}  // namespace

// --------------------------------------------------------------------------------------------------------------- inference

struct inference::state {
    struct field {
        evidence seen;
        std::uint64_t present = 0;
        bool naive = false, zoned = false;
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
    tree found;
    json::projection paths;
    std::unique_ptr<json::projector> projector;
    errc broken = errc::ok;  // the paths could not be compiled
    std::string why;

    // Where the rows are elements of arrays.
    std::optional<row_path> rows;
    std::unique_ptr<row_walk> walk;
    std::vector<std::uint64_t> serials, elements;  // by level: of the last element that was looked at; how many they were
    std::vector<std::size_t> level_of;             // by field

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
        for (std::size_t k = 0; k < plan->levels.size(); ++k)
            for (const std::uint32_t i : plan->levels[k].fields) level_of[i] = k;
        // Columns are only found in what is valid as a whole.
        walk = std::make_unique<row_walk>(std::move(plan), discover ? json::level::strict : level);
    }
    void compile() {
        std::vector<std::string_view> texts;
        for (const column_spec& c : specs) {
            texts.push_back(c.path);
            if (c.path[0] == '.' && broken == errc::ok) {
                broken = errc::misuse;
                why = needs_rows(c);
            }
        }
        if (broken != errc::ok) return;
        context ctx;
        broken = json::projection::compile(texts, paths, ctx);
        if (broken != errc::ok) {
            why = "the paths cannot be compiled: " + std::string(ctx.failure.what);
            if (!ctx.failure.path.empty()) why += " (" + ctx.failure.path + ')';
            return;
        }
        projector = std::make_unique<json::projector>(paths, level);
    }
    errc columns_from_tree(std::string& reason);
    void keep_text(column_spec& c, bool hollow = false) const;
    void note(const column_spec& c, const evidence& seen, std::uint64_t present, std::size_t level = 0);
    void see(std::size_t i, std::string_view value);
    errc observe_rows(bytes document, context& ctx);
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
    for (const column_spec& c : state_->specs)
        if ((c.type == column_type::infer && state_->types) || state::open_zone(c)) return true;
    return false;
}

std::size_t inference::documents() const noexcept { return state_->documents; }
const std::vector<std::string>& inference::notes() const noexcept { return state_->notes; }

void inference::as_text(layout_of_text form, bool types) noexcept {
    state_->text = form;
    state_->types = types || form == layout_of_text::none;
}

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
    ++fields[i].present;
    if (specs[i].type == column_type::infer) {
        fields[i].seen.value(value);
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

namespace {

std::string_view text_at(bytes document, json::slice s) noexcept {
    return {reinterpret_cast<const char*>(document.data()) + s.offset, static_cast<std::size_t>(s.length)};
}

}  // namespace

// The document is valid.
errc inference::state::discover_in(bytes document, context& ctx) {
    discovery d(found);
    return json::reader(document, ctx, json::exact_decimals).feed(d);
}

errc inference::state::observe_rows(bytes document, context& ctx) {
    if (const errc e = walk->open(document, ctx); e != errc::ok) {
        refused = true;
        return e;
    }
    ++documents;
    const row_plan& plan = *walk->plan();
    for (;;) {
        bool more = false;
        KUMIHIMO_TRY(walk->next(more, ctx));
        if (!more) return errc::ok;
        for (std::size_t k = 0; k < plan.levels.size(); ++k) {
            const row_walk::element& e = walk->at(k);
            if (!e.there() || e.serial() == serials[k]) continue;
            serials[k] = e.serial();
            ++elements[k];
            const row_plan::level& of = plan.levels[k];
            for (std::size_t i = 0; i < of.fields.size(); ++i)
                if (!of.paths.wild(of.path(i))) see(of.fields[i], text_at(document, e.value(of.path(i))));
            if (discover && k == plan.last()) KUMIHIMO_TRY(discover_in(document.subspan(e.begin(), e.size()), ctx));
        }
    }
}

errc inference::observe(bytes document, context& ctx) {
    state& s = *state_;
    s.bytes_seen += document.size();
    if (s.broken != errc::ok) return ctx.fail(errc::misuse, failure::nowhere, "the paths cannot be compiled");
    if (s.rows) return s.observe_rows(document, ctx);
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
    for (std::size_t i = 0; i < s.specs.size(); ++i) s.see(i, text_at(document, s.projector->value(i)));
    ++s.documents;
    return errc::ok;
}

void inference::state::note(const column_spec& c, const evidence& seen, std::uint64_t present, std::size_t level) {
    std::string text = c.name + ": " + c.type_text();
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
    as_is.type = text == layout_of_text::csv ? column_type::string : column_type::json;
    as_is.verbatim = true;
    as_is.guess = std::move(guess);
    c = std::move(as_is);
}

errc inference::state::columns_from_tree(std::string& reason) {
    specs.clear();
    notes.clear();
    const std::size_t level = rows ? elements.size() - 1 : 0;
    if (looked_at(level) == 0) {
        reason = rows && documents != 0 ? "no document of the sample has an element of " + rows->text +
                                              " to find columns in; name the fields you want, -f .PATH"
                                        : "there is no document to find columns in";
        return errc::misuse;
    }
    struct visit {
        std::uint32_t node;
        std::size_t depth;
    };
    std::vector<visit> todo{{0, 0}};
    json::path path;
    std::unordered_set<std::string> names;
    while (!todo.empty()) {
        const visit v = todo.back();
        todo.pop_back();
        tree::node& n = found.nodes[v.node];
        path.resize(v.depth == 0 ? 0 : v.depth - 1);
        if (v.depth != 0) path.push_back({json::step::kind::key, n.key, 0});
        if (n.object && n.seen.none() && !n.members.empty()) {
            for (auto m = n.members.rbegin(); m != n.members.rend(); ++m) todo.push_back({*m, v.depth + 1});
            continue;
        }
        const bool hollow = n.object && n.seen.none();  // empty objects and nothing else: not known yet either
        evidence seen = n.seen;
        if (n.object) seen.add(evidence::container);
        if (specs.size() == most_columns || found.overflow) {
            reason = "the documents have more than " + std::to_string(most_columns) +
                     " different fields; name the ones you want, -f PATH";
            return errc::misuse;
        }
        column_spec c;
        c.path = json::print(path);
        if (rows) c.path.erase(0, path.empty() || c.path[1] != '.' ? 0 : 1);
        if (rows && c.path[0] != '.') c.path[0] = '.';
        c.name = default_name(path);
        if (!names.insert(c.name).second) {  // "a.b" beside b in a
            c.name = c.path;
            names.insert(c.name);
        }
        seen.decide(c);
        if (given_up.count(c.path) != 0) {
            seen.add(evidence::container);
            seen.decide(c);
        }
        note(c, seen, n.present, level);
        keep_text(c, hollow);
        specs.push_back(std::move(c));
    }
    return errc::ok;
}

errc inference::finish(std::shared_ptr<const schema>& out, std::string& why, beyond others) {
    state& s = *state_;
    if (s.broken != errc::ok) {
        why = s.why;
        return errc::misuse;
    }
    if (s.discover) {
        KUMIHIMO_TRY(s.columns_from_tree(why));
    } else {
        for (std::size_t i = 0; i < s.specs.size(); ++i) {
            column_spec& c = s.specs[i];
            const state::field& f = s.fields[i];
            const std::size_t level = s.rows ? s.level_of[i] : 0;
            if (c.type == column_type::infer) {
                f.seen.decide(c);
                if (s.types && s.documents != 0) s.note(c, f.seen, f.present, level);
                s.keep_text(c);
            } else if (state::open_zone(c) && f.naive && !f.zoned) {
                c.naive = true;
                s.note(c, f.seen, f.present, level);
            }
        }
    }
    return schema::make(s.specs, s.provenance, out, why, s.discover ? others : beyond::ignored, s.rows ? &*s.rows : nullptr);
}

}  // namespace kumihimo::inline v0::extract
