// A value of the data model in C++: what a document is when nobody has a better idea. The readable reference of a
// host.
//
//      byte    0      1       2 ..  7    8 .. 15
//            | kind |       |          | bool, integer, double, or where the box of a rare kind is
//            | str  | state | text, up to 14 bytes          |
//            | str  | state | size     | where the text is
//            | array|       | size     | where the values are, one behind the other
//            | map  |       | size     | where the pairs are, a pair being two values
//
// 16 bytes each, because walking a tree is waiting for its memory: with std::variants of std::string and std::vector,
// 40 bytes each, citm_catalog took 1.8 times as long to read and free, and 1.3 times to walk into MessagePack. Arrays
// and maps have exactly the size of what they hold.
//
// Maps keep their order, their duplicates, and keys of any kind. Copying, comparing and destroying recurse with the
// nesting: limits.depth (default 1024) bounds it. Copying and making throw std::bad_alloc.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/sink.hpp"
#include "hosts/plain/string.hpp"

namespace kumihimo::inline v0::plain {

class value;
struct member;

struct null {
    friend bool operator==(null, null) = default;
};
/// A number in its own digits.
struct big {
    std::string digits;
    friend bool operator==(const big&, const big&) = default;
};
using bin = std::vector<unsigned char>;
struct ext {
    int type = 0;
    bin data;
    friend bool operator==(const ext&, const ext&) = default;
};
/// A double, equal to another when the bits are: a NaN equals itself, and -0.0 is not 0.0.
struct real {
    double x = 0;
    friend bool operator==(real a, real b) { return std::bit_cast<std::uint64_t>(a.x) == std::bit_cast<std::uint64_t>(b.x); }
};

/// Values or pairs in one block of exactly their number. They can be changed in place; for more or fewer make another
/// one from a std::vector.
template <class T, kind K>
class list {
public:
    using value_type = T;

    list() noexcept = default;
    list(std::initializer_list<T> from) : list(from.size()) {
        for (const T& x : from) append(T(x));
    }
    explicit list(std::vector<T>&& from) : list(from.size()) {
        for (T& x : from) append(std::move(x));
    }
    list(const list& o) : list(o.size()) {
        for (const T& x : o) append(T(x));
    }
    list(list&& o) noexcept : first_(std::exchange(o.first_, nullptr)) {
        put_size48(size_, o.size());
        put_size48(o.size_, 0);
    }
    list& operator=(list o) noexcept {
        std::swap(size_, o.size_);
        std::swap(first_, o.first_);
        return *this;
    }
    ~list() {
        std::destroy_n(first_, size());
        ::operator delete(first_);
    }

    std::size_t size() const noexcept { return size48(size_); }
    bool empty() const noexcept { return size() == 0; }
    T* begin() noexcept { return first_; }
    T* end() noexcept { return first_ + size(); }
    const T* begin() const noexcept { return first_; }
    const T* end() const noexcept { return first_ + size(); }
    T& operator[](std::size_t i) noexcept { return first_[i]; }
    const T& operator[](std::size_t i) const noexcept { return first_[i]; }

    friend bool operator==(const list& a, const list& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

private:
    friend class builder;
    // Room for n, and nothing in it: append() fills it.
    explicit list(std::size_t n) : first_(n == 0 ? nullptr : static_cast<T*>(::operator new(n * sizeof(T)))) {}
    void append(T&& x) noexcept {
        const std::size_t n = size();
        new (first_ + n) T(std::move(x));
        put_size48(size_, n + 1);
    }

    kind as_ = K;
    std::uint8_t unused_ = 0;
    char size_[6] = {};
    T* first_ = nullptr;
};
using array = list<value, kind::array>;
using map = list<member, kind::map>;

namespace detail {
template <class T>
constexpr kind kind_of() {
    if constexpr (std::is_same_v<T, plain::null>) return kind::null;
    if constexpr (std::is_same_v<T, bool>) return kind::boolean;
    if constexpr (std::is_same_v<T, std::int64_t>) return kind::i64;
    if constexpr (std::is_same_v<T, std::uint64_t>) return kind::u64;
    if constexpr (std::is_same_v<T, plain::real>) return kind::real;
    if constexpr (std::is_same_v<T, plain::string>) return kind::str;
    if constexpr (std::is_same_v<T, plain::big>) return kind::big;
    if constexpr (std::is_same_v<T, plain::bin>) return kind::bin;
    if constexpr (std::is_same_v<T, instant>) return kind::time;
    if constexpr (std::is_same_v<T, plain::ext>) return kind::ext;
    if constexpr (std::is_same_v<T, plain::array>) return kind::array;
    if constexpr (std::is_same_v<T, plain::map>) return kind::map;
    return kind::none;
}
}  // namespace detail

/// The C++ types of the data model.
template <class T>
concept alternative = detail::kind_of<T>()
!= kind::none;

/// One value. Integers are int64_t where they fit, uint64_t above; make one from the right C++ type:
/// value{std::int64_t{7}}.
class value {
public:
    /// Calls f with the T in it.
    template <class F>
    auto visit(F f) const {
        switch (word_.what) {
            case kind::boolean: return f(*as<bool>());
            case kind::i64: return f(*as<std::int64_t>());
            case kind::u64: return f(*as<std::uint64_t>());
            case kind::real: return f(*as<real>());
            case kind::str: return f(text_);
            case kind::array: return f(values_);
            case kind::map: return f(pairs_);
            case kind::big: return f(*as<big>());
            case kind::bin: return f(*as<bin>());
            case kind::time: return f(*as<instant>());
            case kind::ext: return f(*as<ext>());
            case kind::null:
            case kind::none: break;
        }
        return f(plain::null{});
    }

    value() noexcept : word_{kind::null, {}} {}
    template <alternative T>
    value(T x) : word_{detail::kind_of<T>(), {}} {
        constexpr kind k = detail::kind_of<T>();
        if constexpr (k == kind::str || k == kind::array || k == kind::map)
            new (&word_) T(std::move(x));
        else if constexpr (boxed(k))
            word_.as.box = new T(std::move(x));
        else if constexpr (k != kind::null)
            new (&word_.as) T(x);
    }
    value(const value& o) : value() {
        o.visit([this](const auto& x) { new (this) value(x); });
    }
    value(value&& o) noexcept {
        std::memcpy(static_cast<void*>(this), &o, sizeof o);
        o.word_.what = kind::null;
    }
    value& operator=(value o) noexcept {
        swap(*this, o);
        return *this;
    }
    ~value() {
        if (word_.what >= kind::str) release();
    }
    friend void swap(value& a, value& b) noexcept {
        unsigned char kept[sizeof(value)];
        std::memcpy(kept, &a, sizeof kept);
        std::memcpy(static_cast<void*>(&a), &b, sizeof a);
        std::memcpy(static_cast<void*>(&b), kept, sizeof kept);
    }

    kind what() const noexcept { return word_.what; }
    /// The T in it, or nullptr when it is something else.
    template <alternative T>
    const T* as() const noexcept {
        constexpr kind k = detail::kind_of<T>();
        if (word_.what != k) return nullptr;
        if constexpr (k == kind::str)
            return &text_;
        else if constexpr (k == kind::array)
            return &values_;
        else if constexpr (k == kind::map)
            return &pairs_;
        else if constexpr (boxed(k))
            return static_cast<const T*>(word_.as.box);
        else
            return reinterpret_cast<const T*>(&word_.as);
    }
    template <alternative T>
    T* as() noexcept {
        return const_cast<T*>(std::as_const(*this).as<T>());
    }
    /// The value of a text key: of duplicates the last. nullptr if there is none, or this is no map.
    const value* find(std::string_view key) const noexcept;

    friend bool operator==(const value& a, const value& b) {
        return a.word_.what == b.word_.what &&
               a.visit([&b]<class T>(const T& x) { return std::is_same_v<T, plain::null> || x == *b.as<T>(); });
    }

private:
    static constexpr bool boxed(kind k) noexcept { return k >= kind::big && k <= kind::ext; }

    void release() noexcept {
        visit([this]<class T>(const T& x) {
            if constexpr (boxed(detail::kind_of<T>()))
                delete static_cast<T*>(word_.as.box);
            else
                x.~T();
        });
    }

    // Of one shape, each with its kind in front.
    struct word {
        kind what;
        union {
            bool boolean;
            std::int64_t i64;
            std::uint64_t u64;
            double real;
            void* box;
        } as;
    };
    union {
        word word_;
        string text_;
        array values_;
        map pairs_;
    };
};

/// One pair of a map.
struct member {
    value key;
    value item;
    friend bool operator==(const member&, const member&) = default;
};
static_assert(sizeof(value) == 16 && sizeof(member) == 32);

inline const value* value::find(std::string_view key) const noexcept {
    const map* const m = as<map>();
    if (m == nullptr) return nullptr;
    for (const member* at = m->end(); at != m->begin();) {
        const string* const name = (--at)->key.as<string>();
        if (name != nullptr && name->view() == key) return &at->item;
    }
    return nullptr;
}

}  // namespace kumihimo::inline v0::plain
