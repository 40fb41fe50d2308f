#include "engine/json/project.hpp"

#include <new>

#include "engine/core/null.hpp"
#include "engine/json/diagnose.hpp"
#include "engine/json/kernels.hpp"
#include "engine/json/reader.hpp"
#include "engine/json/scan.hpp"
#include "engine/json/string.hpp"

namespace kumihimo::inline v0::json {
namespace {

// Any value but a container.
const char* scalar_end(const char* p, const char* end, bool& may_overflow) {
    switch (*p) {
        case '"': {
            bool escaped = false;
            const char* q = string_end(p + 1, end, escaped);
            return q == nullptr ? nullptr : q + 1;
        }
        case 't': return word_end(p, end, "true");
        case 'f': return word_end(p, end, "false");
        case 'n': return word_end(p, end, "null");
        default: return number_end(p, end, may_overflow);
    }
}

// The text of a string; false when an escape is broken or says half a surrogate pair.
bool unescape(const char* p, const char* close, std::string& to) {
    to.resize(static_cast<std::size_t>(close - p) + unescape_slack);
    const char* const end = unescape(p, close, close, to.data(), half_pair::refuse).end;
    if (end == nullptr) return false;
    to.resize(static_cast<std::size_t>(end - to.data()));
    return true;
}

}  // namespace

// While it grows, a vector's old memory is there beside its new one.
template <class T>
void harvest::grow(std::vector<T>& v) {
    const std::size_t had = v.capacity(), wanted = had < 4 ? 4 : had * 2;
    if (held_ > memory_limit || wanted > (memory_limit - held_) / sizeof(T)) throw std::bad_alloc();
    v.reserve(wanted);
    held_ += (v.capacity() - had) * sizeof(T);
}

void harvest::begin(const plan& p, const char* document) {
    document_ = document;
    blocked_ = nowhere;
    may_overflow = false;
    if (slots_.size() < p.wild.size()) held_ += (p.wild.size() - slots_.size()) * sizeof(slots_[0]);
    slots_.resize(p.wild.size());
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        slots_[i].clear();
        if (!p.wild[i]) put(slots_[i], {});
    }
}

void harvest::enter(const plan& p, std::uint32_t state, const plan::state* holder, const std::uint32_t* marks) {
    const plan::state& s = p.states[state];
    for (std::uint32_t i = 0; i < s.live_count; ++i) {
        const plan::live& l = p.lives[s.first_live + i];
        std::vector<slice>& slots = slots_[l.path];
        switch (l.type) {
            case plan::live::kind::fresh: put(slots, {}); break;
            case plan::live::kind::slot: slots.back() = {}; break;
            case plan::live::kind::list: slots.clear(); break;
            case plan::live::kind::nested:
                if (holder == nullptr) break;
                for (std::uint32_t j = 0, n = 0; j < holder->live_count; ++j) {
                    const plan::live& outer = p.lives[holder->first_live + j];
                    if (outer.type != plan::live::kind::nested) continue;
                    if (outer.path == l.path) slots.resize(marks[n]);
                    ++n;
                }
                break;
        }
    }
}

void harvest::mark(const plan& p, const plan::state& s) {
    for (std::uint32_t i = 0; i < s.live_count; ++i) {
        const plan::live& l = p.lives[s.first_live + i];
        if (l.type == plan::live::kind::nested) put(marks_, static_cast<std::uint32_t>(slots_[l.path].size()));
    }
}

const char* walk(const plan& p, std::uint32_t state, const char* at, const char* end, std::size_t depth, harvest& h) {
    using frame = harvest::frame;
    std::vector<frame>& stack = h.frames_;
    stack.clear();
    h.marks_.clear();

    // One turn: a value begins at `at` and belongs to `state`. Behind it, containers close and the next value is
    // found.
    for (;;) {
        if (at == end) return nullptr;
        const char* const begin = at;
        if (*at == '{' || *at == '[') {
            if (depth + stack.size() >= h.depth_limit) return nullptr;
            frame f{begin, 0, state, static_cast<std::uint32_t>(h.marks_.size()), *at == '{'};
            if (f.state != nowhere) {
                h.meet(p, p.states[f.state], *at);
                if (f.object) h.mark(p, p.states[f.state]);
            }
            h.put(stack, f);
            at = skip_space(at + 1, end);
            if (at == end) return nullptr;
            if (*at != (f.object ? '}' : ']')) {
                if (!f.object) goto element;
                goto key;
            }
        } else {
            at = scalar_end(at, end, h.may_overflow);
            if (at == nullptr) return nullptr;
            if (state != nowhere) {
                h.meet(p, p.states[state], *begin);
                h.keep(p, p.states[state], begin, at);
            }
            goto behind;
        }

        for (;;) {  // at a closing bracket that belongs here
            ++at;
            if (const frame& f = stack.back(); f.state != nowhere) {
                h.keep(p, p.states[f.state], f.begin, at);
                if (f.object) h.marks_.resize(f.marks);
            }
            stack.pop_back();
        behind:
            if (stack.empty()) return at;
            at = skip_space(at, end);
            if (at == end) return nullptr;
            frame& outer = stack.back();
            if (*at == ',') {
                at = skip_space(at + 1, end);
                if (outer.object) break;
                ++outer.element;
                goto element;
            }
            if (*at != (outer.object ? '}' : ']')) return nullptr;
        }

    key : {
        if (at == end || *at != '"') return nullptr;
        bool escaped = false;
        const char* text = at + 1;
        const char* close = string_end(text, end, escaped);
        if (close == nullptr) return nullptr;
        at = skip_space(close + 1, end);
        if (at == end || *at != ':') return nullptr;
        at = skip_space(at + 1, end);
        const frame& f = stack.back();
        state = nowhere;
        if (f.state != nowhere && p.states[f.state].wants_members()) {
            const plan::state& s = p.states[f.state];
            std::uint32_t k;
            if (escaped) {
                unescape(text, close, h.key_);
                k = p.find(s, h.key_.data(), h.key_.size());
            } else {
                k = p.find(s, text, static_cast<std::size_t>(close - text));
            }
            if (k != nowhere) {
                state = p.keys[k].target;
                h.enter(p, state, &s, h.marks_.data() + f.marks);
            }
        }
        continue;
    }

    element : {
        const frame& f = stack.back();
        state = nowhere;
        if (f.state != nowhere && p.states[f.state].wants_elements()) {
            state = p.find(p.states[f.state], f.element);
            if (state != nowhere) h.enter(p, state, nullptr, nullptr);
        }
    }
    }
}

const char* member(const plan& p, std::uint32_t key, const char* at, const char* end, harvest& h) {
    at = skip_space(at, end);
    const std::uint32_t state = p.keys[key].target;
    const plan::state& s = p.states[state];
    h.enter(p, state, nullptr, nullptr);
    if (at == end) return nullptr;
    if (*at != '{' && *at != '[') {  // no need for the walk's stack
        const char* const begin = at;
        at = scalar_end(at, end, h.may_overflow);
        if (at != nullptr) {
            h.meet(p, s, *begin);
            h.keep(p, s, begin, at);
        }
    } else {
        at = walk(p, state, at, end, 1, h);
    }
    if (at == nullptr) return nullptr;
    const char* next = skip_space(at, end);
    return next != end && (*next == ',' || *next == '}') ? at : nullptr;
}

void note_opening(const plan& p, std::uint32_t key, const char* at, const char* end, harvest& h) {
    at = skip_space(at, end);
    const std::uint32_t state = p.keys[key].target;
    h.enter(p, state, nullptr, nullptr);
    h.keep(p, p.states[state], at, at + 1);
}

std::uint32_t escaped_key(const plan& p, const char* begin, const char* close, harvest& h) {
    // The opening quote: the nearest one back that an even number of backslashes precedes.
    const char* open = close;
    for (;;) {
        if (open == begin) return nowhere;
        --open;
        if (*open != '"') continue;
        const char* b = open;
        while (b != begin && b[-1] == '\\') --b;
        if ((open - b) % 2 == 0) break;
    }
    if (!unescape(open + 1, close, h.key_)) return nowhere;
    return p.find(p.states[0], h.key_.data(), h.key_.size());
}

bool project_exactly(const plan& p, const char* data, std::size_t size, harvest& h) {
    h.begin(p, data);
    const char* const end = data + size;
    const char* at = skip_space(data, end);
    at = walk(p, 0, at, end, 0, h);
    return at != nullptr && skip_space(at, end) == end;
}

// What is found goes into vectors: a kernel unwinds when memory is out, and here is where that ends.
errc projector::run(bytes document, context& ctx) try {
    if (document.size() > ctx.limits.size) return ctx.fail(errc::size, 0, "the document is larger than the limit");
    harvest_.depth_limit = ctx.limits.depth;
    const kernels& k = active_kernels();
    const project_kernel run = level_ == level::strict       ? k.project_strict
                               : level_ == level::structural ? k.project_structural
                                                             : k.project_trusted;
    const char* data = reinterpret_cast<const char*>(document.data());
    const bool valid = run(what_.plan(), data, document.size(), harvest_);
    // What no kernel knows is the reader's to say, and then what else is wrong, too: the first mistake is that of a
    // decoder.
    const bool doubles_only = granted_.overflows == overflow::refuse && !granted_.decimal_digits;
    const bool unique = granted_.duplicates == duplicate_keys::error;
    if (level_ == level::strict && (valid ? unique || (doubles_only && harvest_.may_overflow) : unique || doubles_only)) {
        null_sink nobody;
        reader from(document, ctx, granted_);
        if (const errc e = from.feed(nobody); e != errc::ok) return e;
    }
    if (valid) {
        if (data[0] != '{') [[unlikely]] {  // kernels look for members, and find none in what is no object
            const char* const root = skip_space(data, data + document.size());
            harvest_.meet(what_.plan(), what_.plan().states[0], *root);
        }
        return errc::ok;
    }
    if (const errc e = diagnose(document, ctx); e != errc::ok) return e;
    // As in json/check.hpp: beyond its inline levels the strict kernels' bracket stack is on the heap, and a kernel
    // cannot say so.
    if (level_ == level::strict)
        return ctx.fail(errc::memory, failure::nowhere, "out of memory for the stack of open containers");
    return ctx.fail(errc::syntax, 0, "the document was refused, but reads well: please report this as a defect");
} catch (const std::bad_alloc&) {
    return ctx.fail(errc::memory, failure::nowhere, "out of memory while projecting");
}

}  // namespace kumihimo::inline v0::json
