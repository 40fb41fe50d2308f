// Tagged's writer where the output owns what the writer must remember (core/stack.hpp): the same bytes, no destructor,
// and errc::memory wherever a block is refused.
#include <doctest/doctest.h>

#include <cstddef>
#include <deque>
#include <string>
#include <type_traits>

#include "engine/core/buffer.hpp"
#include "engine/tagged/writer.hpp"

using namespace kumihimo;

namespace {

/// Its blocks are kept here until it goes, those given up too. `left`: so many more are lent.
class lending_buffer : public buffer {
public:
    class memory {
    public:
        explicit memory(lending_buffer& of) noexcept : of_(of) {}
        void* resize(std::size_t n) {
            if (of_.left == 0) return nullptr;
            --of_.left;
            std::string& made = of_.blocks.emplace_back(at_ == nullptr ? std::string() : *at_);
            made.resize(n);
            at_ = &made;
            return made.data();
        }

    private:
        lending_buffer& of_;
        std::string* at_ = nullptr;
    };
    std::deque<std::string> blocks;
    std::size_t left = static_cast<std::size_t>(-1);
};

using lent = tagged::basic_writer<lending_buffer>;
static_assert(std::is_trivially_destructible_v<lent>);
static_assert(std::is_trivially_destructible_v<tagged::basic_names<memory_for<lending_buffer>>>);
static_assert(std::is_trivially_destructible_v<tagged::basic_study_recorder<memory_for<lending_buffer>>>);

/// Rows of more names than the writer has room for in itself, names and text in other encodings, and deep nesting.
template <class Writer>
errc send(Writer& to, bytes& document) {
    KUMIHIMO_TRY(to.array({}));
    for (int i = 0; i < 3; ++i) {
        KUMIHIMO_TRY(to.map({0}));
        KUMIHIMO_TRY(to.end());
    }
    for (int row = 0; row < 4; ++row) {
        KUMIHIMO_TRY(to.map({}));
        for (int k = 0; k < 100; ++k) {
            const std::string name = "name" + std::to_string(k);
            KUMIHIMO_TRY(to.key(text{name.data(), name.size(), encoding::utf8}));
            KUMIHIMO_TRY(to.i64(k));
        }
        KUMIHIMO_TRY(to.key(text{"caf\xe9", 4, encoding::latin1}));
        KUMIHIMO_TRY(to.str(text{u"\u7d44\u7d10", 2, encoding::utf16}));
        KUMIHIMO_TRY(to.end());
    }
    for (int i = 0; i < 100; ++i) KUMIHIMO_TRY(to.array({1}));
    const std::string wide(3000, '\xe9');
    KUMIHIMO_TRY(to.str(text{wide.data(), wide.size(), encoding::latin1}));
    for (int i = 0; i < 101; ++i) KUMIHIMO_TRY(to.end());
    return to.finish(document);
}

std::string as_text(bytes b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }

}  // namespace

TEST_CASE("the bytes are the same, of every document that a writer makes") {
    for (const tagged::dialect& as : {tagged::safe, tagged::study}) {
        context ctx;
        bytes document;
        buffer plain;
        tagged::writer expected(plain, ctx, as);
        REQUIRE(send(expected, document) == errc::ok);
        const std::string bytes_expected = as_text(document);
        lending_buffer out;
        lent to(out, ctx, as);
        for (int again = 0; again < 3; ++again) {
            out.clear();
            to.begin();
            REQUIRE(send(to, document) == errc::ok);
            CHECK(as_text(document) == bytes_expected);
        }
    }
}

TEST_CASE("a block refused is errc::memory, whichever it is") {
    for (const tagged::dialect& as : {tagged::safe, tagged::study}) {
        std::size_t refused = 0;
        for (;; ++refused) {
            REQUIRE(refused < 200);
            context ctx;
            bytes document;
            lending_buffer out;
            out.left = refused;
            lent to(out, ctx, as);
            const errc code = send(to, document);
            if (code == errc::ok) break;
            CHECK(code == errc::memory);
            CHECK(ctx.failure.code == errc::memory);
            // With memory again the writer begins anew.
            out.left = 200;
            out.clear();
            to.begin();
            CHECK(send(to, document) == errc::ok);
        }
        CHECK(refused > 5);
    }
}
