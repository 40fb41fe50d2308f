// A regular expression's states, made when they are first met.
#include <algorithm>
#include <cstring>

#include "extract/regular_expression.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr bool word_byte(unsigned char c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

}  // namespace

using kind = regular_expression::instruction::kind;

void search::forget() noexcept {
    states_.clear();
    table_.clear();
    known_.clear();
    memory_ = 0;
    first_ = unknown;
    ++forgotten_;
}

void search::clear_set() noexcept {
    for (const std::uint32_t i : set_) member_[i] = false;
    set_.clear();
    has_match_ = false;
}

// What can be reached without a byte. `next`: what is known of the byte behind, which says whether a word ends or the
// text does; nullptr where that has not come yet.
void search::reach(std::uint32_t instruction, bool begins, const ahead* next) {
    pending_.push_back(instruction);
    while (!pending_.empty()) {
        const std::uint32_t i = pending_.back();
        pending_.pop_back();
        if (member_[i]) continue;
        member_[i] = true;
        set_.push_back(i);
        const auto& one = what_->program_[i];
        bool on = false;
        switch (one.type) {
            case kind::byte: break;
            case kind::fork:
                pending_.push_back(one.other);
                on = true;
                break;
            case kind::begins: on = begins; break;
            case kind::ends: on = next != nullptr && next->ends; break;
            case kind::word_edge: on = next != nullptr && next->edge; break;
            case kind::no_word_edge: on = next != nullptr && !next->edge && !next->inside; break;
            case kind::matched: has_match_ = true; break;
        }
        if (on) pending_.push_back(one.next);
    }
}

// The state of the set at hand.
std::int32_t search::enter(bool begins, bool word) {
    if (has_match_) return matched;
    state made;
    made.begins = begins;
    made.word = word;
    for (const std::uint32_t i : set_) {
        const kind type = what_->program_[i].type;
        if (type != kind::fork && type != kind::begins) made.at.push_back(i);
    }
    if (made.at.empty()) return failed;
    std::sort(made.at.begin(), made.at.end());
    std::string key(1, static_cast<char>(begins | word << 1));
    key.append(reinterpret_cast<const char*>(made.at.data()), made.at.size() * sizeof(std::uint32_t));
    if (const auto at = known_.find(key); at != known_.end()) return at->second;
    const std::size_t takes = 2 * key.size() + symbols() * sizeof(std::int32_t) + 128;
    if (memory_ + takes > most_memory && !states_.empty()) forget();
    memory_ += takes;
    const auto number = static_cast<std::int32_t>(states_.size());
    states_.push_back(std::move(made));
    table_.resize(table_.size() + symbols(), unknown);
    known_.emplace(std::move(key), number);
    return number;
}

std::int32_t search::step(std::int32_t from, std::size_t symbol, unsigned char sample) {
    const state& s = states_[static_cast<std::size_t>(from)];
    const bool ends = symbol == what_->classes_;
    const bool word = !ends && word_byte(sample);
    clear_set();
    const ahead next{ends, s.word != word, !ends && (sample & 0xC0) == 0x80};
    for (const std::uint32_t i : s.at) reach(i, s.begins, &next);
    std::int32_t to = has_match_ ? matched : failed;
    const std::uint64_t age = forgotten_;
    if (!has_match_ && !ends) {
        std::vector<std::uint32_t> targets;
        for (const std::uint32_t i : set_) {
            const auto& one = what_->program_[i];
            if (one.type == kind::byte && sample >= one.low && sample <= one.high) targets.push_back(one.next);
        }
        clear_set();
        for (const std::uint32_t i : targets) reach(i, false, nullptr);
        reach(what_->start_, false, nullptr);
        to = enter(false, word);
    }
    if (age == forgotten_) table_[static_cast<std::size_t>(from) * symbols() + symbol] = to;
    return to;
}

bool search::found_in(std::string_view text) {
    if (first_ == unknown) {
        member_.resize(what_->program_.size());
        clear_set();
        reach(what_->start_, true, nullptr);
        const std::int32_t begun = enter(true, false);
        if (begun < 0) return begun == matched;
        first_ = begun;
    }
    std::int32_t at = first_;
    for (const char c : text) {
        const auto b = static_cast<unsigned char>(c);
        const std::size_t symbol = what_->class_of_[b];
        std::int32_t to = table_[static_cast<std::size_t>(at) * symbols() + symbol];
        if (to == unknown) [[unlikely]]
            to = step(at, symbol, b);
        if (to < 0) return to == matched;
        at = to;
    }
    std::int32_t to = table_[static_cast<std::size_t>(at) * symbols() + what_->classes_];
    if (to == unknown) to = step(at, what_->classes_, 0);
    return to == matched;
}

}  // namespace kumihimo::inline v0::extract
