// Of infer.hpp: what was seen in arrays and objects, and the lists and structs that it makes.
//
//      {"bid":[1,2.5],"at":null}       an object: bid   an array: integer, fraction        struct[bid:list[float64],at:json]
//      {"bid":[]}                                 at    nothing yet
#include <map>

#include "engine/core/located.hpp"
#include "engine/json/reader.hpp"
#include "extract/infer.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t most_places = std::size_t{8} * inference::most_columns;  // in one piece of evidence

}  // namespace

struct evidence::inside {
    bool array = false, object = false;
    std::vector<evidence> element;                            // none or one
    std::vector<member> members;                              // in the order first seen
    std::map<std::string, std::uint32_t, std::less<>> index;  // of them
    std::size_t places = 0;                                   // members and elements, of all below: of the outermost only
};

evidence::evidence() = default;
evidence::evidence(const evidence& o)
    : kinds_(o.kinds_), shape_(o.shape_), inside_(o.inside_ ? std::make_unique<inside>(*o.inside_) : nullptr) {}
evidence::evidence(evidence&&) noexcept = default;
evidence& evidence::operator=(evidence o) noexcept {
    kinds_ = o.kinds_;
    shape_ = o.shape_;
    inside_ = std::move(o.inside_);
    return *this;
}
evidence::~evidence() = default;

evidence::inside& evidence::open() {
    if (!inside_) inside_ = std::make_unique<inside>();
    return *inside_;
}

// The sink that grows it. A value is a valid one, or what comes of it is a run's to report.
class evidence::growth {
public:
    /// `around`: lists and structs that the value lies in. `document`: its number, 0 for a value.
    growth(evidence& root, std::string_view text, std::size_t around, std::uint64_t document)
        : root_(root), text_(text), most_(most_nested_types - around + (document != 0)), document_(document) {}

    bool wants_places() const noexcept { return true; }
    void at(std::size_t from, std::size_t to) noexcept { from_ = from, to_ = to; }
    errc null() {
        if (passing_ == 0) arrive(false);
        return errc::ok;
    }
    errc boolean(bool) { return scalar(); }
    errc i64(std::int64_t) { return scalar(); }
    errc u64(std::uint64_t) { return scalar(); }
    errc f64(double) { return scalar(); }
    errc big(kumihimo::text) { return scalar(); }
    errc str(kumihimo::text) { return scalar(); }
    errc bin(bytes) { return errc::unsupported; }
    errc time(const instant&) { return errc::unsupported; }
    errc ext(int, bytes) { return errc::unsupported; }
    errc array(count) { return open(false); }
    errc map(count) { return open(true); }
    errc key(kumihimo::text t) {
        if (passing_ != 0) return errc::ok;
        frame& f = open_.back();
        inside& in = *f.of->inside_;
        const std::string_view key = t.view();
        f.pending = nullptr;
        std::uint32_t at = f.next;
        if (at >= in.members.size() || in.members[at].key != key) {
            const auto known = in.index.find(key);
            if (known == in.index.end()) {
                // A map keyed by ids would make a member of each.
                if (in.members.size() == inference::most_columns || !room()) {
                    if (document_ != 0 && f.of == &root_)
                        root_.open().places = most_places;
                    else
                        f.of->add(anything);
                    return errc::ok;
                }
                at = static_cast<std::uint32_t>(in.members.size());
                in.index.emplace(key, at);
                in.members.emplace_back().key = key;
            } else {
                at = known->second;
            }
        }
        f.next = at + 1;
        f.pending = &in.members[at];
        return errc::ok;
    }
    errc key(next_value) { return errc::unsupported; }
    errc end() {
        if (passing_ != 0)
            --passing_;
        else
            open_.pop_back();
        return errc::ok;
    }

private:
    struct frame {
        evidence* of;
        bool object;
        std::uint32_t next = 0;     // member expected next: documents of one kind have one order
        member* pending = nullptr;  // whose value is at hand; none: there was no room for it
    };

    // Whether one more place may be kept.
    bool room() {
        std::size_t& places = root_.open().places;
        if (places == most_places) return false;
        ++places;
        return true;
    }
    // Where the value at hand is seen; nullptr: nowhere.
    evidence* arrive(bool value) {
        if (open_.empty()) return &root_;
        frame& f = open_.back();
        if (f.object) {
            if (f.pending == nullptr) return nullptr;
            if (value && f.pending->counted != document_) {
                f.pending->counted = document_;
                ++f.pending->present;
            }
            return &f.pending->seen;
        }
        std::vector<evidence>& element = f.of->inside_->element;
        if (element.empty()) {
            if (!room()) {
                f.of->add(anything);
                return nullptr;
            }
            element.emplace_back();
        }
        return element.data();
    }
    errc scalar() {
        if (passing_ != 0) return errc::ok;
        if (evidence* const here = arrive(true)) here->value(text_.substr(from_, to_ - from_));
        return errc::ok;
    }
    errc open(bool object) {
        if (passing_ != 0) {
            ++passing_;
            return errc::ok;
        }
        evidence* const here = arrive(true);
        if (here != nullptr) here->add(container);
        if (here != nullptr && open_.size() == most_) here->add(anything);
        if (here == nullptr || (here->kinds_ & anything) != 0) {
            passing_ = 1;
            return errc::ok;
        }
        inside& in = here->open();
        (object ? in.object : in.array) = true;
        open_.push_back({here, object});
        return errc::ok;
    }

    evidence& root_;
    std::string_view text_;
    std::size_t most_;
    std::uint64_t document_;
    std::vector<frame> open_;
    std::size_t from_ = 0, to_ = 0;
    std::size_t passing_ = 0;  // containers open in a value that is not looked into
};

namespace {

template <class Sink>
void read_into(Sink to, std::string_view json) {
    context ctx;
    ctx.limits.depth = std::size_t{1} << 30;
    // Of one that is not valid nothing more is known.
    static_cast<void>(json::reader({reinterpret_cast<const unsigned char*>(json.data()), json.size()}, ctx).attempt(to));
}

}  // namespace

void evidence::look_inside(std::string_view json) { read_into(growth(*this, json, 0, 0), json); }

void evidence::document(std::string_view json, std::uint64_t number) { read_into(growth(*this, json, 0, number), json); }

void evidence::list() {
    add(container);
    open().array = true;
}

void evidence::element(std::string_view json) {
    list();
    if (json.empty() || json[0] == 'n') return;
    std::vector<evidence>& element = open().element;
    if (element.empty()) element.emplace_back();
    if (json[0] == '[' || json[0] == '{')
        read_into(growth(element[0], json, 1, 0), json);
    else
        element[0].value(json);
}

// Everything that a column of this list or struct can hold.
void evidence::column_inside(const column_spec& spec) {
    add(container);
    inside& in = open();
    if (spec.type == column_type::list) {
        in.array = true;
        if (in.element.empty()) in.element.emplace_back();
        in.element[0].column(spec.members[0]);
        return;
    }
    in.object = true;
    for (const column_spec& m : spec.members) {
        const auto [at, fresh] = in.index.emplace(m.name, static_cast<std::uint32_t>(in.members.size()));
        if (fresh) in.members.emplace_back().key = m.name;
        in.members[at->second].seen.column(m);
    }
}

bool evidence::only_objects() const noexcept {
    return kinds_ == container && inside_ && inside_->object && !inside_->array && !inside_->members.empty();
}

std::span<const evidence::member> evidence::members() const noexcept {
    return inside_ ? std::span<const member>(inside_->members) : std::span<const member>();
}

bool evidence::overflow() const noexcept { return inside_ && inside_->places >= most_places; }

// A list or a struct, where nothing but arrays or nothing but objects with members were seen.
bool evidence::decide_inside(column_spec& spec) const {
    if (!inside_ || inside_->array == inside_->object || overflow()) return false;
    const auto add = [&](std::string_view key, const evidence* seen) {
        column_spec& m = spec.members.emplace_back();
        m.name = key;
        m.nested = true;
        (seen != nullptr ? *seen : evidence()).decide(m);
    };
    if (inside_->array) {
        spec.type = column_type::list;
        add({}, inside_->element.empty() ? nullptr : inside_->element.data());
        return true;
    }
    if (inside_->members.empty()) return false;
    spec.type = column_type::structure;
    for (const member& m : inside_->members) add(m.key, &m.seen);
    return true;
}

}  // namespace kumihimo::inline v0::extract
