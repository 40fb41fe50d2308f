// Deflate64 written plainly, as an oracle: each symbol by its fixed word, each code's range counted up from the first
// one.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace deflate64 {

class encoder {
public:
    encoder() {
        unsigned base = 3;
        for (unsigned i = 0; i < 28; ++i)
            lengths_.push_back({base, i < 8 ? 0 : (i - 4) / 4}), base += 1u << lengths_.back().extra;
        base = 1;
        for (unsigned i = 0; i < 32; ++i)
            distances_.push_back({base, i < 4 ? 0 : (i - 2) / 2}), base += 1u << distances_.back().extra;
    }

    void begin(bool last) { bits(last ? 1 : 0, 1), bits(1, 2); }
    void end() { symbol(256); }
    void literal(unsigned char c) { symbol(c), text_ += static_cast<char>(c); }
    /// 3 to 65538 bytes from 1 to 65536 before.
    void match(unsigned length, unsigned distance) {
        if (length > 258)
            symbol(285), bits(length - 3, 16);
        else
            put(lengths_, length, [&](unsigned code) { symbol(257 + code); });
        put(distances_, distance, [&](unsigned code) { word(code, 5); });
        for (unsigned i = 0; i < length; ++i) text_ += text_[text_.size() - distance];
    }
    void stored(std::string_view s, bool last) {
        bits(last ? 1 : 0, 1), bits(0, 2), align();
        const auto n = static_cast<unsigned>(s.size());
        bits(n & 0xffff, 16), bits(~n & 0xffff, 16);
        out_ += s;
        text_ += s;
    }
    void bits(unsigned value, unsigned n) {
        for (unsigned i = 0; i < n; ++i) {
            hold_ |= (value >> i & 1) << held_;
            if (++held_ == 8) align();
        }
    }
    void align() {
        if (held_ == 0) return;
        out_ += static_cast<char>(hold_);
        hold_ = held_ = 0;
    }
    /// The stream, and the text that it stands for.
    std::string finish() {
        align();
        return out_;
    }
    const std::string& text() const { return text_; }

private:
    struct range {
        unsigned base, extra;
    };

    void word(unsigned code, unsigned n) {
        while (n-- != 0) bits(code >> n & 1, 1);
    }
    void symbol(unsigned s) {
        if (s < 144)
            word(0x30 + s, 8);
        else if (s < 256)
            word(0x190 + s - 144, 9);
        else if (s < 280)
            word(s - 256, 7);
        else
            word(0xc0 + s - 280, 8);
    }
    template <class Name>
    void put(const std::vector<range>& of, unsigned value, Name name) {
        unsigned code = static_cast<unsigned>(of.size());
        while (of[--code].base > value) {
        }
        name(code);
        bits(value - of[code].base, of[code].extra);
    }

    std::vector<range> lengths_, distances_;
    std::string out_, text_;
    unsigned hold_ = 0, held_ = 0;
};

}  // namespace deflate64
