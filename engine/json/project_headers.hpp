// A few values out of a document of a format whose values tell their lengths: json/project.hpp's sibling. What no path
// leads to is passed over by its headers, and the same walk finds where the document ends.
//
//      header_projector<msgpack::headers> p(wanted, level::strict);       // one per thread
//      p.run(input, given::stream, ctx);                                  // the document that `input` begins with
//      p.size();                                                          // its bytes; the next one begins behind them
//      p.give(p.value(0), sink, ctx);                                     // one value's verbs
//
// strict: the whole document is one that the reader takes. structural and trusted: by the headers; of a document that
// the reader would refuse the result is unspecified, but stays inside the input. trusted also looks for nothing more
// once every path has its value, where no path has a [*]; of a stream it then only finds the document's end. So of a
// key that comes twice the last value counts, at trusted the last one up to there, whatever was given.
//
// A format says in a class `headers` how its values begin:
//
//      reader, boundary                  of its row in the table
//      opening open(p, e)                what begins at p
//      bool closes(p)                    whether the container of open end that p is in ends there
//      const byte* text_key(p, e, text)  a key that is text in one piece: its text, and the byte behind it; else nullptr
//      const byte* skip(p, e, known, starved)
//                                        the byte behind the value at p; nullptr where there is none, and where memory was out:
//                                        then `starved` is set
//      const byte* pass(p, e, depth, known, starved)
//                                        the same for a value that the reader takes, with `depth` levels of containers
//      locate(document, ctx)             the path of a failure
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>

#include "engine/core/context.hpp"
#include "engine/core/guarded.hpp"
#include "engine/core/mold.hpp"
#include "engine/core/null.hpp"
#include "engine/core/opening.hpp"
#include "engine/core/source.hpp"
#include "engine/core/stack.hpp"
#include "engine/json/given.hpp"
#include "engine/json/project.hpp"

namespace kumihimo::inline v0::json {

/// A format's `headers`, as they stand above.
template <class H>
concept value_headers = kumihimo::reader<typename H::reader> &&
    requires(const unsigned char* p, const unsigned char* e, std::string_view& text, std::size_t depth, molds& known,
             bool& starved, bytes document, context& ctx, typename H::boundary where, const char* chunk) {
    { where.next(chunk, std::size_t{}) } -> std::same_as<std::size_t>;
    { H::open(p, e) } -> std::same_as<opening>;
    { H::closes(p) } -> std::same_as<bool>;
    { H::text_key(p, e, text) } -> std::same_as<const unsigned char*>;
    { H::skip(p, e, known, starved) } -> std::same_as<const unsigned char*>;
    { H::pass(p, e, depth, known, starved) } -> std::same_as<const unsigned char*>;
    { H::locate(document, ctx) } -> std::same_as<void>;
};

template <value_headers H>
class header_projector {
    using byte = unsigned char;

public:
    using dialect = typename H::reader::dialect;

    explicit header_projector(const projection& wanted, level strictness = level::strict, const dialect& = {})
        : wanted_(wanted), level_(strictness) {
        for (std::size_t i = 0; i < wanted.size(); ++i) any_wild_ = any_wild_ || wanted.wild(i);
    }

    /// Whether documents by that dialect are projected as it says: the headers know what a reader by the default
    /// takes.
    static constexpr bool suits(const dialect& granted, level) noexcept { return granted == dialect{}; }

    /// Whether run() looks at what is wanted as give() does, and not only at headers.
    static constexpr bool checks(const dialect&, level strictness) noexcept { return strictness == level::strict; }

    // As json::projector has them.
    void limit_memory(std::size_t bytes) noexcept { harvest_.memory_limit = bytes; }
    std::size_t memory() const noexcept { return harvest_.memory() + open_.memory() + key_.capacity(); }

    /// Looks at one document. Its bytes are not kept, but give() reads in them. A failure's offset counts in it.
    errc run(bytes input, given input_kind, context& ctx) try {
        input_ = input;
        harvest_.depth_limit = ctx.limits.depth;
        starved_ = false;
        const byte* const begin = input.data();
        const byte* const e = begin + (input.size() < ctx.limits.size ? input.size() : ctx.limits.size);
        const bool hurried = level_ == level::trusted && !any_wild_;
        bounded_ = input_kind == given::document;
        const byte* const end = level_ == level::strict ? walk<true>(begin, e, false) : walk<false>(begin, e, hurried);
        if (end != nullptr && (input_kind == given::stream || end == begin + input.size())) [[likely]] {
            size_ = static_cast<std::size_t>(end - begin);
            return errc::ok;
        }
        return explain(input_kind, ctx);
    } catch (const std::bad_alloc&) {
        return ctx.fail(errc::memory, failure::nowhere, "out of memory while projecting");
    }

    errc run(bytes document, context& ctx) { return run(document, given::document, ctx); }

    /// The bytes of the document that `input` begins with, by the headers alone; 0 where it does not end there, or
    /// memory is out.
    static std::size_t length(bytes input, molds& known) noexcept {
        bool starved = false;
        const byte* const end = H::skip(input.data(), input.data() + input.size(), known, starved);
        return end == nullptr ? 0 : static_cast<std::size_t>(end - input.data());
    }

    /// What `input` begins with, and whether a container of open end that it is in ends there.
    static opening open(bytes input) noexcept { return H::open(input.data(), input.data() + input.size()); }
    static bool closes(bytes input) noexcept { return !input.empty() && H::closes(input.data()); }

    /// After run(), also one that failed: the bytes of the document.
    std::size_t size() const noexcept { return size_; }

    /// give() reads in this document, whose values run() has found before.
    void aim(bytes document) noexcept {
        input_ = document;
        size_ = document.size();
    }

    // As json::projector has them; slices are encoded values.
    slice value(std::size_t i) const {
        const auto s = harvest_.slices(i);
        return s.empty() ? slice{} : s[0];
    }
    std::span<const slice> values(std::size_t i) const { return harvest_.slices(i); }
    std::uint32_t blocked() const noexcept { return harvest_.blocked(); }

    bool is_array(slice s) const noexcept {
        const byte* const p = input_.data() + s.offset;
        return H::open(p, p + s.length).is == opening::kind::array;
    }
    /// Reads one of the values. A failure's offset and path are those in the document.
    template <sink K, class Guard = unguarded>
    errc give(slice s, K& to, context& ctx, Guard&& guarded = {}) {
        typename H::reader from(input_.subspan(s.offset, s.length), ctx);
        errc code = errc::ok;
        if (!guarded([&] { code = from.feed(to); })) return errc::host;
        if (code != errc::ok && ctx.failure.offset != failure::nowhere) [[unlikely]] {
            ctx.failure.offset += s.offset;
            ctx.failure.path.clear();
            H::locate(input_.first(size_), ctx);
        }
        return code;
    }

private:
    struct open_container {
        const byte* begin;
        std::uint64_t left;     // pairs or elements to come; of a container of open end never 0
        std::uint64_t element;  // of an array: the next one's number
        std::uint32_t state, marks;
        bool map, open_ended;
    };

    /// Over the value at p, which nobody looks into. Most are a few bytes.
    template <bool Strict>
    const byte* over(const byte* p, const byte* e) noexcept {
        return Strict ? H::pass(p, e, harvest_.depth_limit - open_.size(), known_, starved_) : H::skip(p, e, known_, starved_);
    }

    template <bool Strict>
    const byte* walk(const byte* p, const byte* const e, bool hurried) {
        const plan& plan = wanted_.plan();
        harvest& h = harvest_;
        h.begin(plan, chars(p));
        h.forget_marks(0);
        open_.clear();
        const byte* const end = e;
        std::size_t missing = plan.wild.size();
        std::uint32_t state = 0;

        // One turn: a value begins at p and belongs to `state`.
        for (;;) {
            const byte* const start = p;
            if (state != nowhere) {
                const plan::state& s = plan.states[state];
                const opening o = H::open(p, e);
                const bool map = o.is == opening::kind::map, array = o.is == opening::kind::array;
                h.meet(plan, s, map ? '{' : array ? '[' : o.is == opening::kind::null ? 'n' : '0');
                if ((map && s.wants_members()) || (array && s.wants_elements())) {
                    if (open_.size() >= h.depth_limit) return nullptr;
                    p += o.size;
                    if (!o.open_ended && o.count > static_cast<std::uint64_t>(e - p) >> map) return nullptr;
                    if (!open_.push({start, o.open_ended ? 1 : o.count, 0, state, h.marks(), map, o.open_ended}))
                        throw std::bad_alloc();
                    if (map) h.mark(plan, s);
                } else {
                    p = over<Strict>(start, e);
                    if (p == nullptr) [[unlikely]]
                        return nullptr;
                    missing -= h.keep(plan, s, chars(start), chars(p));
                    if (hurried && missing == 0 && (missing = absent()) == 0) return bounded_ ? end : behind(p, e);
                }
            } else {
                p = over<Strict>(p, e);
                if (p == nullptr) [[unlikely]]
                    return nullptr;
            }

            for (;;) {
                if (open_.empty()) return p;
                open_container& c = open_.top();
                if (c.open_ended ? p != e && H::closes(p) : c.left == 0) {
                    p += c.open_ended;
                    const plan::state& s = plan.states[c.state];
                    missing -= h.keep(plan, s, chars(c.begin), chars(p));
                    if (c.map) h.forget_marks(c.marks);
                    open_.pop();
                    if (hurried && missing == 0 && (missing = absent()) == 0) return bounded_ ? end : behind(p, e);
                    continue;
                }
                c.left -= !c.open_ended;
                const plan::state& s = plan.states[c.state];
                state = nowhere;
                if (c.map) {
                    std::string_view text;
                    const byte* behind = H::text_key(p, e, text);
                    const bool odd = behind == nullptr;
                    if (Strict || odd) behind = over<Strict>(p, e);
                    if (behind == nullptr) [[unlikely]]
                        return nullptr;
                    if (odd) text = odd_key(p, behind);
                    p = behind;
                    if (text.data() == nullptr) break;
                    const std::uint32_t k = plan.find(s, text.data(), text.size());
                    if (k == nowhere) break;
                    state = plan.keys[k].target;
                    h.enter(plan, state, &s, h.marks_from(c.marks));
                } else {
                    state = plan.find(s, c.element++);
                    if (state != nowhere) h.enter(plan, state, nullptr, nullptr);
                }
                break;
            }
        }
    }

    // Behind the containers that p is in, of which nothing more is wanted.
    const byte* behind(const byte* p, const byte* const e) noexcept {
        for (; !open_.empty(); open_.pop()) {
            open_container& c = open_.top();
            while (c.open_ended ? p == e || !H::closes(p) : c.left != 0) {
                c.left -= !c.open_ended;
                for (int i = 0; i <= c.map; ++i)
                    if ((p = over<false>(p, e)) == nullptr) return nullptr;
            }
            p += c.open_ended;
        }
        return p;
    }

    // Paths without a value. A key that comes twice is counted twice above, so zero has to be looked at.
    std::size_t absent() const noexcept {
        std::size_t n = 0;
        for (std::size_t i = 0; i < wanted_.size(); ++i) n += harvest_.slices(i)[0].length == 0;
        return n;
    }

    // The text of a key that is not text in one piece, if it is text at all: as the reader says it.
    struct text_catcher : null_sink {
        std::string* text;
        bool seen = false, nested = false;
        explicit text_catcher(std::string& to) : text(&to) {}
        errc str(kumihimo::text t) {
            if (nested) return errc::ok;
            text->assign(static_cast<const char*>(t.data), t.size);
            seen = true;
            return errc::ok;
        }
        errc array(count) { return nested = true, errc::ok; }
        errc map(count) { return nested = true, errc::ok; }
    };
    [[gnu::cold, gnu::noinline]] std::string_view odd_key(const byte* p, const byte* behind) {
        context aside;
        text_catcher to(key_);
        typename H::reader from({p, behind}, aside);
        if (from.feed(to) != errc::ok || !to.seen) return {};
        return {key_.data(), key_.size()};
    }

    // Why the walk said no: what the reader says of the document.
    [[gnu::cold, gnu::noinline]] errc explain(given input_kind, context& ctx) {
        size_ = input_.size();
        if (input_kind == given::stream) {
            typename H::boundary where;
            size_ = where.next(chars(input_.data()), input_.size());
        }
        null_sink nobody;
        typename H::reader from(input_.first(size_), ctx);
        KUMIHIMO_TRY(from.feed(nobody));
        if (starved_) return ctx.fail(errc::memory, failure::nowhere, "out of memory while projecting");
        return ctx.fail(errc::syntax, 0, "the document was refused, but reads well: please report this as a defect");
    }

    static const char* chars(const byte* p) noexcept { return reinterpret_cast<const char*>(p); }

    projection wanted_;
    level level_;
    bool any_wild_ = false, bounded_ = false;
    bytes input_;
    std::size_t size_ = 0;
    harvest harvest_;
    stack<open_container> open_;
    molds known_;
    bool starved_ = false;  // the walk said no because memory was out
    std::string key_;
};

}  // namespace kumihimo::inline v0::json
