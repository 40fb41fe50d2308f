#include "pattern_cache.hpp"

#include <pcre2.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <unordered_map>
#include <vector>

#include "../src/characters.hpp"
#include "../vm/deadline.hpp"
#include "../vm/thread_specific.hpp"
#include "engine/simd/dispatch.hpp"
#include "pattern_syntax.hpp"
// mruby's headers last
#include "../vm/stack.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

constexpr std::size_t most_patterns = 256;
constexpr std::size_t longest_source = std::size_t{64} << 10;
constexpr std::size_t shown_source = 200;  // of it in an error's message
// PHP's limit. PCRE2 counts anew for each place where a match may begin, so many places can still take long: they are
// tried in windows, and the deadline is looked at in between.
constexpr std::uint32_t match_limit = 1'000'000;
constexpr std::uint32_t heap_limit = 16 << 10;  // KiB
constexpr std::size_t first_window = 32, largest_window = std::size_t{16} << 10;
constexpr std::int64_t short_time = 1'000'000;  // nanoseconds
// What the interpreter took for its stack is kept by PCRE2; after a longer subject it is given back.
constexpr std::size_t short_subject = std::size_t{16} << 10;

pcre2_code* code_of(void* p) noexcept { return static_cast<pcre2_code*>(p); }

// What a match needs besides the pattern.
struct matching {
    pcre2_match_data* data = nullptr;
    pcre2_match_context* context = nullptr;
    pcre2_jit_stack* stack = nullptr;
    std::uint32_t pairs = 0;
    bool spent = false;

    bool ready(std::uint32_t groups) {
        if (context == nullptr) {
            context = pcre2_match_context_create(nullptr);
            if (context == nullptr) return false;
            pcre2_set_match_limit(context, match_limit);
            pcre2_set_heap_limit(context, heap_limit);
            stack = pcre2_jit_stack_create(32 << 10, 1 << 20, nullptr);
            if (stack != nullptr) pcre2_jit_stack_assign(context, nullptr, stack);
        }
        if (data == nullptr || pairs < groups || spent) {
            pcre2_match_data_free(data);
            pairs = std::max(groups, std::uint32_t{16});
            data = pcre2_match_data_create(pairs, nullptr);
            spent = false;
        }
        return data != nullptr;
    }
    ~matching() {
        pcre2_match_data_free(data);
        pcre2_match_context_free(context);
        pcre2_jit_stack_free(stack);
    }
};
constinit thread_local thread_specific<matching> of_thread;

std::atomic<std::uint64_t> next_id{1};

// Groups within groups are frames within frames of PCRE2's, in passes of its own that ask nobody for room (of
// lookbehinds, of first characters) and in its JIT too.
constexpr std::size_t stack_of_group = 2048;  // bytes
constexpr std::uint32_t most_nested = 250;    // PCRE2's own default

std::uint32_t nesting_of(std::string_view pattern) noexcept {
    std::uint32_t open = 0, most = 0;
    bool in_class = false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const char c = pattern[i];
        if (c == '\\') {
            ++i;
        } else if (in_class) {
            in_class = c != ']';
        } else if (c == '[') {
            in_class = true;
        } else if (c == '(') {
            most = std::max(most, ++open);
        } else if (c == ')' && open != 0) {
            --open;
        }
    }
    return most;
}

struct key {
    std::string_view source;
    unsigned options;
    friend bool operator==(const key&, const key&) = default;
};
struct key_hash {
    std::size_t operator()(const key& k) const noexcept { return std::hash<std::string_view>{}(k.source) * 31 + k.options; }
};

}  // namespace

subject::subject(std::string_view s) noexcept : data(s.data()), size(s.size()) {
    std::uint64_t high = 0;
    std::size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        std::uint64_t word;
        std::memcpy(&word, data + i, 8);
        high |= word;
    }
    for (; i < size; ++i) high |= static_cast<unsigned char>(data[i]);
    if ((high & 0x8080808080808080u) == 0) return;
    type = simd::active().utf8(data, size) ? kind::utf8 : kind::bytes;
}

std::size_t subject::character(std::size_t at) const noexcept {
    if (type != kind::utf8 || at >= size) return 1;
    std::size_t n = 1;
    while (at + n < size && is_continuation(data[at + n])) ++n;
    return n;
}

const std::size_t* pattern::offsets() noexcept { return pcre2_get_ovector_pointer(of_thread->data); }

pattern::compiled& pattern::code_for(const subject& in) {
    if (needs_bytes_) return bytes_;
    return in.type == subject::kind::utf8 || (in.type == subject::kind::ascii && needs_utf8_) ? utf8_ : bytes_;
}

// Where in Ruby's pattern a place of its translation comes from.
std::size_t pattern::place_in_source(bool utf8, std::size_t place) const {
    translation again;
    std::vector<std::pair<std::size_t, std::size_t>> places;
    translate(source_, options_, utf8, again, &places);
    std::size_t from = 0;
    for (const auto& [to, in_source] : places) {
        if (to <= place) from = in_source;
    }
    return from;
}

bool pattern::compile(bool utf8, compiled& to, std::string& error) {
    to.tried = true;
    translation ruby;
    if (!translate(source_, options_, utf8, ruby)) {
        error = ruby.error;
        // Where all of it is shown, these are Ruby's words.
        if (source_.size() > shown_source) error += " at byte " + std::to_string(ruby.error_at);
        return false;
    }
    needs_utf8_ = needs_utf8_ || ruby.needs_utf8;
    needs_bytes_ = needs_bytes_ || ruby.needs_bytes;
    anchored_search_ = ruby.anchored_search;
    std::uint32_t flags = PCRE2_MULTILINE | PCRE2_DUPNAMES | PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT;
    if (ruby.names_groups) flags |= PCRE2_NO_AUTO_CAPTURE;
    if (utf8) flags |= PCRE2_UTF | PCRE2_UCP;
    if (!utf8) flags |= PCRE2_NEVER_UTF;
    if ((options_ & regexp_ignore_case) != 0) flags |= PCRE2_CASELESS;
    if ((options_ & regexp_extended) != 0) flags |= PCRE2_EXTENDED;
    if ((options_ & regexp_multi_line) != 0) flags |= PCRE2_DOTALL;
    const std::unique_ptr<pcre2_compile_context, decltype(&pcre2_compile_context_free)> context(
        pcre2_compile_context_create(nullptr), pcre2_compile_context_free);
    if (context == nullptr) {
        error = "out of memory";
        return false;
    }
    pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
    pcre2_set_bsr(context.get(), PCRE2_BSR_UNICODE);
    pcre2_set_parens_nest_limit(context.get(), most_nested);
    nesting_ = std::max(nesting_, nesting_of(ruby.text));
    if (nesting_ <= most_nested && !machine_stack::has_room(nesting_ * stack_of_group)) {
        error = "parentheses are too deeply nested for what is left of the stack";
        return false;
    }
    pcre2_set_compile_recursion_guard(
        context.get(), [](std::uint32_t, void*) { return machine_stack::has_room() ? 0 : 1; }, nullptr);
    int number = 0;
    PCRE2_SIZE where = 0;
    pcre2_code* const code =
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(ruby.text.data()), ruby.text.size(), flags, &number, &where, context.get());
    if (code == nullptr) {
        char message[160] = "";
        pcre2_get_error_message(number, reinterpret_cast<PCRE2_UCHAR*>(message), sizeof message);
        error = message;
        error += " at byte " + std::to_string(place_in_source(utf8, where));
        return false;
    }
    to.code = code;
    std::uint32_t captures = 0, names = 0, name_size = 0;
    PCRE2_SPTR table = nullptr;
    std::size_t size = 0;
    pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &captures);
    pcre2_pattern_info(code, PCRE2_INFO_NAMECOUNT, &names);
    pcre2_pattern_info(code, PCRE2_INFO_NAMEENTRYSIZE, &name_size);
    pcre2_pattern_info(code, PCRE2_INFO_NAMETABLE, &table);
    pcre2_pattern_info(code, PCRE2_INFO_SIZE, &size);
    groups_ = captures + 1;
    named_ = names;
    name_size_ = name_size;
    names_.assign(reinterpret_cast<const char*>(table), std::size_t{names} * name_size);
    size_ += size;
    return true;
}

bool pattern::name(unsigned i, std::string_view& name, unsigned& group) const noexcept {
    if (i >= named_) return false;
    const char* const entry = names_.data() + i * name_size_;
    group = static_cast<unsigned>(static_cast<unsigned char>(entry[0]) << 8 | static_cast<unsigned char>(entry[1]));
    name = entry + 2;
    return true;
}

unsigned pattern::group_of(std::string_view asked, const std::size_t* bounds) const noexcept {
    std::string_view have;
    unsigned group = 0, found = 0;
    for (unsigned i = 0; name(i, have, group); ++i) {
        if (have != asked) continue;
        const bool took_part = bounds != nullptr && bounds[2 * group] != unset;
        const bool had = found != 0 && bounds != nullptr && bounds[2 * found] != unset;
        if (found == 0 || (took_part == had ? group > found : took_part)) found = group;
    }
    return found;
}

pattern::~pattern() {
    pcre2_code_free(code_of(utf8_.code));
    pcre2_code_free(code_of(bytes_.code));
}

// After a pattern has grown, in a host_section.
void make_room(const pattern& for_this) noexcept;

// In a host_section. Null: `result` says what the search ends with.
pattern::compiled* pattern::ready_for(const subject& in, matched& result) {
    result = matched::failed;
    compiled* use = &code_for(in);
    if (use->code == nullptr && !use->tried) {
        try {
            std::string error;
            compile(use == &utf8_, *use, error);
        } catch (const std::bad_alloc&) {
            use->tried = false;  // there may be memory another time
            return nullptr;
        }
        use = &code_for(in);
        make_room(*this);
    }
    // A pattern that has no Unicode form searches bytes.
    if (use->code == nullptr) use = use == &utf8_ ? &bytes_ : &utf8_;
    if (use->code == nullptr || (use == &utf8_ && in.type == subject::kind::bytes)) {
        if (use == &utf8_) result = matched::no;  // characters, none of which the bytes hold
        return nullptr;
    }
    if (!of_thread->ready(groups_)) return nullptr;
    if (++use->uses == 2 || (use->uses < 2 && in.size > 1024)) {
        use->uses = 2;
        use->jit = machine_stack::has_room(nesting_ * stack_of_group) &&
                   pcre2_jit_compile(code_of(use->code), PCRE2_JIT_COMPLETE) == 0;
        std::size_t size = 0;
        if (use->jit && pcre2_pattern_info(code_of(use->code), PCRE2_INFO_JITSIZE, &size) == 0) size_ += size;
        make_room(*this);
    }
    use->uses = std::min(use->uses, 3u);
    return use;
}

matched pattern::match(const subject& in, std::size_t from, bool here) {
    if (from > in.size) return matched::no;
    compiled* use;
    matched without;
    {
        host_section section;
        use = ready_for(in, without);
    }
    if (use == nullptr) return without;
    pcre2_code* const code = code_of(use->code);
    std::uint32_t flags = PCRE2_NO_UTF_CHECK;
    if (here) flags |= PCRE2_ANCHORED;
    const std::size_t most = std::max(largest_window, in.size / 256);
    std::size_t window = first_window, begin = from;
    for (;;) {
        const bool whole = here || anchored_search_ || in.size - begin <= window;
        int result;
        std::int64_t took = 0;
        {
            host_section section;
            pcre2_set_offset_limit(of_thread->context, whole ? PCRE2_UNSET : begin + window);
            const std::int64_t since = whole ? 0 : deadline::now();
            result = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(in.data), in.size, begin, flags, of_thread->data,
                                 of_thread->context);
            if (result == PCRE2_ERROR_JIT_STACKLIMIT) {
                result = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(in.data), in.size, begin, flags | PCRE2_NO_JIT,
                                     of_thread->data, of_thread->context);
                of_thread->spent = true;
            }
            if (!whole) took = deadline::now() - since;
            if (!use->jit && in.size > short_subject) of_thread->spent = true;
        }
        if (result > 0) {
            // \K in a group that a lookahead calls can put a match's begin behind its end.
            std::size_t* const bounds = pcre2_get_ovector_pointer(of_thread->data);
            bounds[0] = std::min(bounds[0], bounds[1]);
            return matched::yes;
        }
        if (result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_HEAPLIMIT || result == PCRE2_ERROR_DEPTHLIMIT ||
            result == PCRE2_ERROR_JIT_STACKLIMIT) {
            return matched::too_hard;
        }
        if (result != PCRE2_ERROR_NOMATCH) return matched::failed;
        if (whole) return matched::no;
        begin += window + 1;
        if (begin > in.size) return matched::no;
        while (in.type == subject::kind::utf8 && begin < in.size && is_continuation(in.data[begin])) {
            ++begin;
        }
        if (took < short_time && window < most) window *= 2;
    }
}

// The thread's. Patterns are at fixed places; the one that was used least recently makes room.
class pattern_cache {
public:
    pattern* at(std::uint32_t place, std::uint64_t id) noexcept {
        pattern* const p = place < most_patterns ? places_[place].get() : nullptr;
        if (p == nullptr || p->id_ != id) return nullptr;
        p->used_ = ++clock_;
        return p;
    }

    pattern* find(std::string_view source, unsigned options, std::string_view& error) {
        if (const auto found = by_key_.find({source, options}); found != by_key_.end())
            return at(found->second, places_[found->second]->id_);
        if (source.size() > longest_source) {
            error = "regular expression is longer than 64 KB";
            return nullptr;
        }
        auto made = std::make_unique<pattern>();
        made->source_ = source;
        made->options_ = options;
        std::string why, why_not;
        const bool in_bytes = made->compile(false, made->bytes_, why);
        if (!in_bytes || made->needs_utf8_) {
            const bool in_utf8 = made->compile(true, made->utf8_, why_not);
            if (!in_utf8 && !in_bytes) {
                error_ = why;
                error = error_;
                return nullptr;
            }
            if (!in_utf8) made->needs_bytes_ = true;  // its text is no UTF-8
        }
        while (count_ == most_patterns || (count_ != 0 && held() + made->size_ > most_patterns_memory)) drop_oldest();
        std::uint32_t place = 0;
        while (places_[place] != nullptr) ++place;
        made->place_ = place;
        made->id_ = next_id.fetch_add(1, std::memory_order_relaxed);
        made->used_ = ++clock_;
        pattern* const p = made.get();
        by_key_.emplace(key{p->source_, options}, place);
        places_[place] = std::move(made);
        ++count_;
        return p;
    }

    // Patterns grow when they are compiled in their other form, and by the JIT.
    void make_room(const pattern& for_this) noexcept {
        while (count_ > 1 && held() > most_patterns_memory) drop_oldest(&for_this);
    }

    std::size_t held() const noexcept {
        std::size_t sum = 0;
        for (const auto& p : places_) sum += p == nullptr ? 0 : p->size_;
        return sum;
    }

private:
    void drop_oldest(const pattern* but = nullptr) noexcept {
        pattern* oldest = nullptr;
        for (auto& p : places_) {
            if (p == nullptr || p.get() == but) continue;
            if (oldest == nullptr || p->used_ < oldest->used_) oldest = p.get();
        }
        by_key_.erase({oldest->source_, oldest->options_});
        places_[oldest->place_].reset();
        --count_;
    }

    // On the heap: of the memory for thread-local variables, a module that is loaded later may have little.
    std::vector<std::unique_ptr<pattern>> places_{most_patterns};
    std::unordered_map<key, std::uint32_t, key_hash> by_key_;
    std::size_t count_ = 0;
    std::uint64_t clock_ = 0;
    std::string error_;
};

namespace {
constinit thread_local thread_specific<pattern_cache> patterns;
}

void make_room(const pattern& for_this) noexcept { patterns->make_room(for_this); }

pattern* find_pattern(std::string_view source, unsigned options, std::string_view& error) {
    try {
        return patterns->find(source, options, error);
    } catch (const std::bad_alloc&) {
        error = "out of memory";
        return nullptr;
    }
}
pattern* pattern_at(std::uint32_t place, std::uint64_t id) noexcept { return patterns->at(place, id); }
std::size_t patterns_memory() noexcept { return patterns->held(); }

}  // namespace kumihimo::inline v0::mruby
