// Elements of one form, one behind the other: where an array's element has its headers the next ones mostly have the
// same, and then one comparison of all its bytes says what a walk from header to header would find.
//
//      92 cb .. .. .. .. .. .. .. .. cb .. .. .. .. .. .. .. ..       compared: the three bytes that are written here
//
// Whoever walks over the first element says which of its bytes are headers; their equality is enough, because they
// alone decide where the next header lies and where the element ends. Documents of one kind have the same arrays, so
// the last forms are kept from one to the next.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kumihimo::inline v0 {

class mold {
public:
    /// An element begins at p.
    void begin(const unsigned char* p) noexcept {
        begin_ = p;
        fits_ = true;
        size_ = 0;
        std::memset(mask_, 0, sizeof mask_);
    }
    /// The n bytes at p must be the same in each element.
    void header(const unsigned char* p, std::size_t n) noexcept { set(p, n, 0xff); }
    /// The n bytes at p are text, which is known to be valid where it is ASCII.
    void text(const unsigned char* p, std::size_t n) noexcept { set(p, n, 0x80); }
    /// This element says nothing about the next ones.
    void spoil() noexcept { fits_ = false; }
    /// The element ended at p, and had so many containers in it.
    void finish(const unsigned char* p, std::size_t containers) noexcept {
        const auto size = static_cast<std::size_t>(p - begin_);
        if (!fits_ || size > room) return;
        size_ = size;
        containers_ = containers;
        words_ = (size + 7) / 8;
        // Of the bytes behind the element none is compared; they may lie behind the input.
        wanted_[words_ - 1] = 0;
        std::memcpy(wanted_, begin_, size);
        // All bits of headers; of text only that the top one is not set.
        for (std::size_t i = 0; i < words_; ++i) wanted_[i] &= (mask_[i] & 0x0101010101010101u) * 255;
    }
    /// Of no element, or of one that says nothing: 0.
    std::size_t size() const noexcept { return size_; }
    std::size_t containers() const noexcept { return containers_; }

    /// How many of the next n elements, one behind the other from p, are of the form.
    std::uint64_t alike(const unsigned char* p, const unsigned char* e, std::uint64_t n) const noexcept {
        const auto left = static_cast<std::size_t>(e - p), needed = words_ * 8;
        if (size_ == 0 || left < needed || differs(p, 0)) return 0;
        n = std::min<std::uint64_t>(n, (left - needed) / size_ + 1);
        std::uint64_t found = 0;
        for (; found < n; ++found, p += size_) {
            std::uint64_t differ = 0;
            for (std::size_t i = 0; i < words_; ++i) differ |= differs(p, i);
            if (differ != 0) break;
        }
        return found;
    }

private:
    static constexpr std::size_t room = 256;

    std::uint64_t differs(const unsigned char* p, std::size_t word) const noexcept {
        std::uint64_t here;
        std::memcpy(&here, p + 8 * word, 8);
        return (here & mask_[word]) ^ wanted_[word];
    }
    void set(const unsigned char* p, std::size_t n, int to) noexcept {
        const auto at = static_cast<std::size_t>(p - begin_);
        if (at >= room || n > room - at) {
            fits_ = false;
            return;
        }
        std::memset(reinterpret_cast<unsigned char*>(mask_) + at, to, n);
    }

    const unsigned char* begin_ = nullptr;
    bool fits_ = false;
    std::size_t size_ = 0, words_ = 0, containers_ = 0;
    std::uint64_t mask_[room / 8], wanted_[room / 8];
};

/// The last forms. For walks of one kind: those that note text and those that do not must not share them.
class molds {
public:
    /// How many of the next n elements are of a form that is known, and then which it is.
    std::uint64_t alike(const unsigned char* p, const unsigned char* e, std::uint64_t n, const mold*& match) noexcept {
        for (std::size_t k = 0; k < kept; ++k) {
            const std::size_t i = (likely_ + k) % kept;
            if (const std::uint64_t found = all_[i].alike(p, e, n); found != 0) {
                match = &all_[i];
                likely_ = (i + 1) % kept;  // arrays mostly come in the same order
                return found;
            }
        }
        return 0;
    }
    /// The place of a form that is about to be made. It is reused unless it is kept.
    mold& fresh() noexcept { return all_[next_]; }
    void keep() noexcept { next_ = (next_ + 1) % kept; }

private:
    static constexpr std::size_t kept = 8;
    mold all_[kept];
    std::size_t next_ = 0, likely_ = 0;
};

/// Forms on a walk from header to header that counts: `to_come`, values that are due, and `opened`, containers so far.
/// Elements that are alike are passed over here: p goes behind them, and both counts with it.
class mold_run {
public:
    /// Elements of an array from which on their form is looked at.
    static constexpr std::uint64_t several = 4;

    explicit mold_run(molds& known) noexcept : known_(known), form_(&known.fresh()) {}

    /// Whether the form of an element is looked at.
    bool on() const noexcept { return on_; }

    /// An array of n elements, `several` at least, was opened; the first one is at p.
    [[gnu::always_inline]] void array(std::uint64_t n, const unsigned char*& p, const unsigned char* e, std::uint64_t& to_come,
                                      std::size_t& opened) noexcept {
        const mold* same = nullptr;
        const std::uint64_t found = known_.alike(p, e, n, same);
        if (found != 0) {
            p += found * same->size();
            to_come -= found;
            opened += same->containers();
        }
        on_ = n - found >= several;
        if (on_) {
            behind_ = n - found - 1;
            element(p, to_come, opened);
        }
    }
    /// Where it is on: something else was passed, whose header of n bytes is at `at`; what follows it is at p.
    [[gnu::always_inline]] void item(const unsigned char* at, std::size_t n, const unsigned char*& p, const unsigned char* e,
                                     std::uint64_t& to_come, std::size_t opened) noexcept {
        form_->header(at, n);
        if (to_come != until_) [[likely]]
            return;
        form_->finish(p, opened - around_);
        const std::uint64_t found = form_->alike(p, e, behind_);
        p += found * form_->size();
        to_come -= found;
        behind_ -= found + (found != behind_);
        if (found != 0) known_.keep();
        on_ = found != 0 && behind_ >= several;
        // Not `if (on_)`: with that g++ 12 makes 4 % more instructions of a walk over rows.
        if (found != 0 && behind_ >= several) element(p, to_come, opened);
    }
    /// What was passed has text of n bytes at p, which was found valid.
    [[gnu::always_inline]] void text(const unsigned char* p, std::size_t n) noexcept {
        if (on_) form_->text(p, n);
    }
    /// What was passed says nothing about the elements to come.
    void spoil() noexcept { form_->spoil(); }
    /// The counts are others from here on.
    void stop() noexcept { on_ = false; }

private:
    [[gnu::always_inline]] void element(const unsigned char* p, std::uint64_t to_come, std::size_t opened) noexcept {
        form_ = &known_.fresh();
        form_->begin(p);
        until_ = to_come - 1;
        around_ = opened;
    }

    molds& known_;
    mold* form_;
    bool on_ = false;
    std::uint64_t until_ = 0, behind_ = 0;  // the element under way ends when `until_` values are to come; so many follow it
    std::size_t around_ = 0;                // containers opened before that element
};

}  // namespace kumihimo::inline v0
