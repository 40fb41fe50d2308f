#include "extract/sealed.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "engine/frame/over.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr int all_well = 0;
constexpr const char* wrong_password = "the password does not open this entry";
constexpr const char* does_not_open = "the entry does not come out whole: the password is wrong, or the archive is damaged";
constexpr const char* damaged = "the compressed data is damaged; copy or download the archive again";
constexpr const char* not_known = "the entry is packed in a way that this libarchive does not read";

using read_call = std::ptrdiff_t (*)(void*, void*, const void**);
using skip_call = std::int64_t (*)(void*, void*, std::int64_t);
using seek_call = std::int64_t (*)(void*, void*, std::int64_t, int);

struct functions {
    static constexpr frame::library which = frame::library::libarchive;
    static constexpr const char* missing =
        "encrypted entries and PPMd need the library libarchive (3.4 or newer), which is not found; install it (Debian: apt "
        "install libarchive13, macOS: brew install libarchive)";
    void* (*make)() = nullptr;
    int (*free)(void*) = nullptr;
    int (*zip)(void*) = nullptr;
    int (*passphrase)(void*, const char*) = nullptr;
    int (*on_read)(void*, read_call) = nullptr;
    int (*on_skip)(void*, skip_call) = nullptr;
    int (*on_seek)(void*, seek_call) = nullptr;
    int (*data)(void*, void*) = nullptr;
    int (*open)(void*) = nullptr;
    int (*next_header)(void*, void**) = nullptr;
    std::ptrdiff_t (*read)(void*, void*, std::size_t) = nullptr;
    const char* (*error)(void*) = nullptr;
    bool there = false;

    functions() noexcept {
        static constexpr const char* names[] = {"libarchive.so.13", "libarchive.so", "libarchive.13.dylib",
                                                "/opt/homebrew/opt/libarchive/lib/libarchive.13.dylib",
                                                "/usr/local/opt/libarchive/lib/libarchive.13.dylib"};
        using frame::wanted;
        const frame::function all[] = {wanted("archive_read_new", make),
                                       wanted("archive_read_free", free),
                                       wanted("archive_read_support_format_zip_seekable", zip),
                                       wanted("archive_read_add_passphrase", passphrase),
                                       wanted("archive_read_set_read_callback", on_read),
                                       wanted("archive_read_set_skip_callback", on_skip),
                                       wanted("archive_read_set_seek_callback", on_seek),
                                       wanted("archive_read_set_callback_data", data),
                                       wanted("archive_read_open1", open),
                                       wanted("archive_read_next_header", next_header),
                                       wanted("archive_read_data", read),
                                       wanted("archive_error_string", error)};
        there = frame::find(names, all);
    }
};

void put(std::string& to, std::uint64_t v, int n) {
    for (int i = 0; i < n; ++i) to += static_cast<char>(v >> 8 * i & 0xff);
}

}  // namespace

bool opens_sealed() noexcept { return frame::loaded<functions>() != nullptr; }

// The Zip of one entry, in three stretches.
struct sealed_source::shown {
    std::string head, tail;
    bytes data;
    std::uint64_t at = 0;

    shown(bytes d, const zip_entry& e) : data(d) {
        std::string extra;
        if (e.method == zip_entry::aes) {
            put(extra, 0x9901, 2), put(extra, 7, 2), put(extra, e.aes_version, 2), put(extra, 'A' | 'E' << 8, 2);
            put(extra, e.aes_strength, 1), put(extra, e.sealed_method, 2);
        }
        // The old cipher's check byte is the time's where the lengths stand behind the data, else the check sum's.
        std::string common;
        put(common, 51, 2), put(common, e.flags & 0x0f, 2), put(common, e.method, 2), put(common, e.time, 2),
            put(common, 0x21, 2);
        put(common, e.crc, 4), put(common, e.packed, 4), put(common, e.size, 4), put(common, 1, 2),
            put(common, extra.size(), 2);
        head = "PK\3\4" + common + 'x' + extra;
        tail = "PK\1\2";
        put(tail, 51, 2);
        tail += common;
        put(tail, 0, 2), put(tail, 0, 2), put(tail, 0, 2), put(tail, 0, 4), put(tail, 0, 4);
        tail += 'x' + extra;
        const std::uint64_t directory = tail.size();
        tail += "PK\5\6";
        put(tail, 0, 4), put(tail, 1, 2), put(tail, 1, 2), put(tail, directory, 4), put(tail, head.size() + data.size(), 4),
            put(tail, 0, 2);
    }

    std::uint64_t size() const noexcept { return head.size() + data.size() + tail.size(); }

    static std::ptrdiff_t read(void*, void* self, const void** to) {
        shown& s = *static_cast<shown*>(self);
        std::uint64_t at = s.at;
        const std::pair<const void*, std::size_t> stretches[] = {
            {s.head.data(), s.head.size()}, {s.data.data(), s.data.size()}, {s.tail.data(), s.tail.size()}};
        for (const auto& [from, n] : stretches) {
            if (at < n) {
                *to = static_cast<const char*>(from) + at;
                s.at += n - at;
                return static_cast<std::ptrdiff_t>(n - at);
            }
            at -= n;
        }
        return 0;
    }
    static std::int64_t skip(void*, void* self, std::int64_t n) {
        shown& s = *static_cast<shown*>(self);
        const std::uint64_t before = s.at;
        if (n > 0) s.at = std::min(s.size(), s.at + static_cast<std::uint64_t>(n));
        return static_cast<std::int64_t>(s.at - before);
    }
    static std::int64_t seek(void*, void* self, std::int64_t to, int whence) {
        shown& s = *static_cast<shown*>(self);
        const std::int64_t base = whence == 0   ? 0
                                  : whence == 1 ? static_cast<std::int64_t>(s.at)
                                                : static_cast<std::int64_t>(s.size());
        s.at = static_cast<std::uint64_t>(std::clamp<std::int64_t>(base + to, 0, static_cast<std::int64_t>(s.size())));
        return static_cast<std::int64_t>(s.at);
    }
};

sealed_source::sealed_source(bytes data, const zip_entry& entry, const std::string& password, const expansion& allowed)
    : zip_(std::make_unique<shown>(data, entry)),
      password_(password),
      allowed_(allowed),
      header_(entry.header),
      packed_(data.size()),
      size_(entry.size),
      encrypted_(entry.encrypted()) {}

sealed_source::~sealed_source() {
    if (by_ != nullptr) frame::loaded<functions>()->free(by_);
}

errc sealed_source::begin(context& ctx) {
    begun_ = true;
    const functions* const f = frame::loaded<functions>();
    if (f == nullptr) return ctx.fail(errc::unsupported, header_, functions::missing);
    // What one small Zip of ours can say of lengths.
    if (packed_ >= 0xffffffff || size_ >= 0xffffffff)
        return ctx.fail(errc::unsupported, header_, "an encrypted entry of 4 GB and more is not read");
    void* const a = f->make();
    if (a == nullptr) return ctx.fail(errc::memory, header_, "no memory for libarchive");
    by_ = a;
    void* entry = nullptr;
    const bool good = f->zip(a) == all_well && (!encrypted_ || f->passphrase(a, password_.c_str()) == all_well) &&
                      f->on_read(a, shown::read) == all_well && f->on_skip(a, shown::skip) == all_well &&
                      f->on_seek(a, shown::seek) == all_well && f->data(a, zip_.get()) == all_well && f->open(a) == all_well &&
                      f->next_header(a, &entry) == all_well;
    return good ? errc::ok : explain(ctx);
}

errc sealed_source::explain(context& ctx) const {
    const char* const said = frame::loaded<functions>()->error(by_);
    const std::string_view why = said == nullptr ? "" : said;
    const auto has = [&](std::string_view word) { return why.find(word) != why.npos; };
    if (has("assphrase")) return ctx.fail(errc::syntax, header_, wrong_password);
    if (has("nsupported") || has("not supported")) return ctx.fail(errc::unsupported, header_, not_known);
    if (has("llocate") || has("memory")) return ctx.fail(errc::memory, header_, "no memory for libarchive");
    return ctx.fail(errc::syntax, header_, encrypted_ ? does_not_open : damaged);
}

errc sealed_source::read(char* to, std::size_t room, std::size_t& got, context& ctx) {
    got = 0;
    if (!begun_) KUMIHIMO_TRY(begin(ctx));
    if (by_ == nullptr) return ctx.fail(errc::unsupported, header_, functions::missing);
    const std::ptrdiff_t n = frame::loaded<functions>()->read(by_, to, room);
    if (n < 0) return explain(ctx);
    got = static_cast<std::size_t>(n);
    produced_ += got;
    most_ = std::min<std::uint64_t>(packed_, std::max(most_, zip_->at - std::min<std::uint64_t>(zip_->at, zip_->head.size())));
    if (allowed_.excessive(packed_, produced_)) return ctx.fail(errc::size, header_, bomb);
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
