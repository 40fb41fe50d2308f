// Tars of any bytes: the same entries with the same data from bytes at hand and out of a stream that gives a few at a
// time.
#include <string>
#include <vector>

#include "engine/scalar/utf8.hpp"
#include "extract/source.hpp"
#include "extract/tar.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

class few final : public byte_source {
public:
    explicit few(bytes data) noexcept : all_(data) {}
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override {
        return all_.read(to, std::min<std::size_t>(room, 61), got, ctx);
    }
    std::uint64_t consumed() const noexcept override { return all_.consumed(); }

private:
    memory_source all_;
};

struct seen {
    std::string entries;
    tar_reader::found end;
    failure why;
};

seen all_of(tar_reader tar, std::size_t size) {
    seen s;
    std::uint64_t behind = 0;
    for (std::uint64_t n = 0;; ++n) {
        fuzz::expect(n <= size / tar_reader::block + 1, "the walk does not end");
        tar_entry e;
        context ctx;
        s.end = tar.next(e, ctx);
        if (s.end != tar_reader::found::entry) {
            s.why = ctx.failure;
            fuzz::expect((s.end == tar_reader::found::fault) == (ctx.failure.code != errc::ok), "a fault without a reason");
            return s;
        }
        fuzz::expect(n == 0 || e.header >= behind, "the walk goes back");
        behind = e.header;
        fuzz::expect(scalar::utf8_valid_prefix(e.name.data(), e.name.size()) == e.name.size(), "a name is not UTF-8");
        fuzz::expect((e.lost != nullptr) == (e.code != errc::ok), "an entry is lost without a reason");
        s.entries +=
            e.name + '\n' + std::to_string(e.header) + ' ' + std::to_string(e.size) + (e.lost != nullptr ? e.lost : "");
        if (e.lost != nullptr) continue;
        if (tar.at_hand()) {
            s.entries += fuzz::as_string(tar.data(e));
            continue;
        }
        char piece[100];
        for (std::size_t got = 1; got != 0;) {
            context local;
            if (tar.read(piece, sizeof piece, got, local) != errc::ok) break;
            s.entries.append(piece, got);
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const bytes file{data, size};
    tar_reader::recognises(file);
    few source(file);
    const seen whole = all_of(tar_reader(file), size), streamed = all_of(tar_reader(source), size);
    fuzz::expect(whole.end == streamed.end, "the stream ends in another way");
    fuzz::expect_equal(whole.entries, streamed.entries, "the stream's entries are others");
    fuzz::expect(whole.why.offset == streamed.why.offset && std::string(whole.why.what) == streamed.why.what,
                 "the stream fails in another way");
    return 0;
}
