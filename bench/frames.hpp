// A seeded generator of order-book frames as a crypto exchange's web socket sends them: 20 levels a side, the last 20
// or 21 trades, Python's spacing, about 4,250 bytes each.
//
// It keeps the traps of real recordings: a misspelt key beside the right one (currenty_pair, currency_pair), prices
// that end in .0, amounts such as 1e-08, sides that are empty, frames that repeat the one before, a time stamp with a
// blank and microseconds, and (order::any) the order of keys that differs from year to year. The two usual wants lie
// at a tenth of the frame (last_price.price) and at its very end (timestamp).
#pragma once
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

namespace bench {

struct frame {
    std::string text;
    std::string price;      // what last_price.price says, as written
    std::string timestamp;  // with its quotes
};

class frame_maker {
public:
    enum class order { usual, any };

    explicit frame_maker(std::uint64_t seed = 1, order keys = order::usual) : state_(seed * 2 + 1), keys_(keys) {}

    frame next() {
        now_us_ += 600'000 + below(800'000);
        if (!last_.text.empty() && below(50) == 0) return last_;
        price_ += 5 * (static_cast<std::int64_t>(below(21)) - 10);
        if (price_ < 50'000) price_ = 107'910;
        frame f;
        f.price = decimal(price_ * 10, 1);
        f.timestamp = stamp();
        const bool ask = below(2) == 0;
        const std::string parts[7] = {
            "\"asks\": " + side(+1),
            "\"last_price\": {\"action\": \"" + std::string(ask ? "ask" : "bid") + "\", \"price\": " + f.price + "}",
            "\"target_users\": " + users(),
            "\"trades\": " + trades(),
            "\"bids\": " + side(-1),
            "\"currency_pair\": \"btc_jpy\"",
            "\"timestamp\": " + f.timestamp,
        };
        static constexpr int orders[3][7] = {{0, 1, 2, 3, 4, 5, 6}, {0, 1, 3, 4, 5, 2, 6}, {0, 4, 3, 6, 1, 5, 2}};
        const int which = keys_ == order::usual ? 0 : static_cast<int>(below(3));
        for (int i = 0; i < 7; ++i) {
            f.text += i == 0 ? "{" : ", ";
            f.text += parts[orders[which][i]];
        }
        f.text += '}';
        return last_ = f;
    }

    std::uint64_t below(std::uint64_t n) {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return (state_ * 0x2545F4914F6CDD1D >> 33) % n;
    }

private:
    // value / 10^places, as Python's repr has it: at least one digit behind the point, no trailing zeros.
    static std::string decimal(std::int64_t value, int places) {
        std::string s = std::to_string(value);
        if (static_cast<int>(s.size()) <= places) s.insert(0, static_cast<std::size_t>(places) + 1 - s.size(), '0');
        s.insert(s.size() - static_cast<std::size_t>(places), 1, '.');
        while (s.back() == '0' && s[s.size() - 2] != '.') s.pop_back();
        return s;
    }

    std::string amount() {
        if (below(200) == 0) return "1e-0" + std::to_string(8 - below(4));
        return decimal(static_cast<std::int64_t>(1 + below(below(4) == 0 ? 60'000 : 9'999)), 4);
    }

    std::string side(int direction) {
        if (below(200) == 0) return "[]";
        std::string s = "[";
        std::int64_t at = price_ + direction * 5;
        for (int i = 0; i < 20; ++i) {
            s += i == 0 ? "[" : ", [";
            s += decimal(at * 10, 1) + ", " + amount() + "]";
            at += direction * 5 * static_cast<std::int64_t>(1 + below(4));
        }
        return s + "]";
    }

    std::string trades() {
        std::string s = "[";
        std::int64_t date = now_us_ / 1'000'000 - 9 * 3600;  // UTC; the time stamp is Japan's
        const std::uint64_t n = below(3) == 0 ? 20 : 21;
        tid_ += below(4);
        for (std::uint64_t i = 0; i < n; ++i) {
            s += i == 0 ? "{" : ", {";
            s += "\"currenty_pair\": \"btc_jpy\", \"trade_type\": \"";
            s += below(2) == 0 ? "ask" : "bid";
            s += "\", \"price\": " + decimal((price_ + 5 * static_cast<std::int64_t>(below(9)) - 20) * 10, 1);
            s += ", \"currency_pair\": \"btc_jpy\", \"tid\": " + std::to_string(tid_ - static_cast<std::int64_t>(i));
            s += ", \"amount\": " + amount() + ", \"date\": " + std::to_string(date) + "}";
            date -= static_cast<std::int64_t>(below(6));
        }
        return s + "]";
    }

    std::string users() {
        std::string s = "[";
        for (std::uint64_t i = 0, n = 1 + below(18); i < n; ++i) {
            char id[16];
            std::snprintf(id, sizeof id, "\"%010llx\"", static_cast<unsigned long long>(below(1ull << 31) * 509));
            s += (i == 0 ? "" : ", ") + std::string(id);
        }
        return s + "]";
    }

    std::string stamp() const {
        const std::time_t seconds = now_us_ / 1'000'000;
        std::tm t{};
        gmtime_r(&seconds, &t);
        char s[96];
        std::snprintf(s, sizeof s, "\"%04d-%02d-%02d %02d:%02d:%02d.%06d\"", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
                      t.tm_hour, t.tm_min, t.tm_sec, static_cast<int>(now_us_ % 1'000'000));
        return s;
    }

    std::uint64_t state_;
    order keys_;
    std::int64_t now_us_ = 1'482'630'790'602'955;
    std::int64_t price_ = 107'910;
    std::int64_t tid_ = 22'360'218;
    frame last_;
};

/// count frames of one seed.
inline std::vector<frame> frames(std::size_t count, std::uint64_t seed = 1,
                                 frame_maker::order keys = frame_maker::order::usual) {
    frame_maker make(seed, keys);
    std::vector<frame> all;
    all.reserve(count);
    for (std::size_t i = 0; i < count; ++i) all.push_back(make.next());
    return all;
}

}  // namespace bench
