// Where a condition's values are: in a document, or in a row's element and those around it.
#include "extract/binary.hpp"
#include "extract/cell_sink.hpp"
#include "extract/judge.hpp"
#include "extract/row_walk.hpp"

namespace kumihimo::inline v0::extract {
namespace {

column_spec any_value() {
    column_spec c;
    c.type = column_type::json;
    return c;
}

}  // namespace

judge::judge(std::shared_ptr<const condition> of, json::level level)
    : of_(std::move(of)),
      // Rows are found in a document that was looked at before, and what lies in it was looked at with it.
      level_(of_->judges_rows() && level == json::level::strict ? json::level::structural : level),
      sides_(of_->dots() + 1),
      of_path_(of_->paths().size()),
      stretches_(of_->clocks()),
      cell_column_(any_value()) {
    for (const regular_expression& p : of_->patterns()) searches_.emplace_back(p);
    for (const condition::path& p : of_->paths()) tails_.emplace_back(p.tail);
    for (const condition::calculated& c : of_->all_calculated()) expressions_.emplace_back(c);
    for (std::size_t dots = 0; dots < sides_.size(); ++dots)
        if (of_->of_element(dots).size() != 0) sides_[dots].in.emplace(of_->of_element(dots), level_);
}
judge::~judge() = default;

// `values_of` gives the slices of a path by its number in the projection; they count from `text`, and there is
// `offset` of the document before that.
template <class Values>
void judge::take(std::size_t dots, const char* text, std::size_t offset, const Values& values_of) {
    const std::span<const condition::path> paths = of_->paths();
    std::vector<found>& to = sides_[dots].values;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (paths[i].dots != dots || paths[i].key) continue;
        const std::span<const json::slice> all = values_of(paths[i].place);
        of_path_[i] = {static_cast<std::uint32_t>(to.size()), static_cast<std::uint32_t>(all.size())};
        for (const json::slice& s : all) {
            const auto from = static_cast<std::size_t>(s.offset);
            to.push_back({{text + from, static_cast<std::size_t>(s.length)}, offset + from});
        }
    }
}

// There is no such element.
void judge::absent(std::size_t dots) {
    const std::span<const condition::path> paths = of_->paths();
    for (std::size_t i = 0; i < paths.size(); ++i)
        if (paths[i].dots == dots) of_path_[i] = {};
    sides_[dots].values.assign(1, {});
}

// Of paths that a projection finds the beginning of: what their other steps lead to. A value's place is that of its
// beginning in a JSON document, in a binary one that of the value they were walked in.
void judge::follow(std::size_t dots) {
    const std::span<const condition::path> paths = of_->paths();
    std::vector<found>& all = sides_[dots].values;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (paths[i].dots != dots || paths[i].tail.empty()) continue;
        const found head = of_path_[i].count == 0 ? found{} : all[of_path_[i].first];
        slots s{static_cast<std::uint32_t>(all.size()), 0, false};
        if (!head.json.empty()) {
            tails_[i].run(head.json);
            s.list = tails_[i].list();
            for (const std::string_view v : tails_[i].found())
                all.push_back({v, binary_ != nullptr || v.empty()
                                      ? head.offset
                                      : head.offset + static_cast<std::size_t>(v.data() - head.json.data())});
        } else if (!paths[i].wild) {
            all.push_back({});
        }
        s.count = static_cast<std::uint32_t>(all.size()) - s.first;
        of_path_[i] = s;
    }
}

errc judge::look(bytes document, context& ctx) {
    forget();
    sides_[0].values.clear();
    renew();
    document_ = document;
    binary_ = nullptr;
    // One that is only over rows leaves the document to whoever finds those.
    if (of_->of_document().size() == 0) return errc::ok;
    KUMIHIMO_TRY(sides_[0].in->run(document, ctx));
    take(0, reinterpret_cast<const char*>(document.data()), 0, [&](std::uint32_t i) { return sides_[0].in->values(i); });
    follow(0);
    return errc::ok;
}

errc judge::look_at_row(const row_walk& walk, context& ctx) {
    forget();
    for (expression& e : expressions_) e.known = false;
    const row_plan& plan = *walk.plan();
    for (std::size_t dots = 1; dots < sides_.size(); ++dots)
        if (of_->looks_at(dots)) KUMIHIMO_TRY(look_at_element(dots, walk, plan.level_of(dots), ctx));
    return errc::ok;
}

errc judge::look_at_element(std::size_t dots, const row_walk& walk, std::size_t level, context& ctx) {
    side& to = sides_[dots];
    const row_walk::element& e = walk.at(level);
    if (!e.there()) {
        to.serial = 0;
        absent(dots);
        return errc::ok;
    }
    if (to.serial == e.serial()) return errc::ok;
    to.serial = 0;  // until all of it is found
    to.values.clear();
    const bytes element = walk.document().subspan(e.begin(), e.size());
    if (const binary_format* const as = walk.binary(); as == nullptr) {
        if (to.in) {
            KUMIHIMO_TRY(to.in->run(element, ctx));
            take(dots, reinterpret_cast<const char*>(element.data()), e.begin(),
                 [&](std::uint32_t i) { return to.in->values(i); });
        }
    } else if (to.in) {
        if (!to.encoded || binary_ != as) to.encoded = as->project(of_->of_element(dots), json::level::structural);
        binary_ = as;
        KUMIHIMO_TRY(to.encoded->run(element, json::given::document, ctx));
        KUMIHIMO_TRY(render(dots, element, *to.encoded, ctx));
        for (found& f : to.values) f.offset += e.begin();
    }
    if (of_->wants_key(dots)) {
        KUMIHIMO_TRY(walk.key(level, to.key, ctx));
        for (std::size_t i = 0; i < of_->paths().size(); ++i) {
            if (of_->paths()[i].dots != dots || !of_->paths()[i].key) continue;
            of_path_[i] = {static_cast<std::uint32_t>(to.values.size()), 1};
            to.values.push_back({to.key, static_cast<std::size_t>(e.key().offset)});
        }
    }
    follow(dots);
    to.serial = e.serial();
    return errc::ok;
}

errc judge::look(const binary_format& as, bytes input, json::given what, context& ctx) {
    forget();
    sides_[0].values.clear();
    renew();
    document_ = input;
    document_size_ = input.size();
    std::unique_ptr<value_projector>& values = sides_[0].encoded;
    if (binary_ != &as)
        for (side& s : sides_) s.encoded.reset();
    binary_ = &as;
    if (of_->of_document().size() == 0) return errc::ok;
    if (!values) values = as.project(of_->of_document(), level_);
    const errc said = values->run(input, what, ctx);
    document_size_ = values->size();
    KUMIHIMO_TRY(said);
    document_ = input.first(document_size_);
    KUMIHIMO_TRY(render(0, document_, *values, ctx));
    follow(0);
    return errc::ok;
}

// The values of a binary document, or of an element in it, as JSON.
errc judge::render(std::size_t dots, bytes of, value_projector& from, context& ctx) {
    side& to = sides_[dots];
    if (!cell_ || !cell_->fails_into(ctx)) cell_ = std::make_unique<cell_sink>(ctx);
    if (!cell_column_.room(0)) return ctx.fail(errc::memory, failure::nowhere, "no memory for a value");
    // First as they are encoded.
    take(dots, reinterpret_cast<const char*>(of.data()), 0, [&](std::uint32_t i) { return from.values(i); });
    to.ends.clear();
    to.rendered.clear();
    const auto only_a_list = [&](std::size_t slot) {
        for (std::size_t i = 0; i < of_path_.size(); ++i)
            if (of_->paths()[i].dots == dots && slot - of_path_[i].first < of_path_[i].count) return !of_->paths()[i].read;
        return false;
    };
    for (const found& f : to.values) {
        if (!f.json.empty() && only_a_list(to.ends.size())) {
            to.rendered += from.is_array({f.offset, f.json.size()}) ? "[]" : "{}";
        } else if (!f.json.empty()) {
            cell_->begin(cell_column_, column_type::json, 0);
            KUMIHIMO_TRY(from.give({f.offset, f.json.size()}, *cell_, ctx));
            std::string_view text;
            KUMIHIMO_TRY(cell_->finish(text));
            to.rendered += text.empty() ? std::string_view("null") : text;
        }
        to.ends.push_back(to.rendered.size());
    }
    std::size_t begin = 0;
    for (std::size_t i = 0; i < to.ends.size(); begin = to.ends[i++])
        to.values[i].json = std::string_view(to.rendered).substr(begin, to.ends[i] - begin);
    return errc::ok;
}

std::uint32_t judge::blocked() const noexcept {
    if (of_->of_document().size() == 0) return condition::none;
    const std::uint32_t place = binary_ != nullptr ? sides_[0].encoded->blocked() : sides_[0].in->blocked();
    if (place == json::nowhere) [[likely]]
        return condition::none;
    const std::span<const condition::path> paths = of_->paths();
    for (std::uint32_t i = 0; i < paths.size(); ++i)
        if (paths[i].dots == 0 && paths[i].place == place) return i;
    return condition::none;
}

}  // namespace kumihimo::inline v0::extract
