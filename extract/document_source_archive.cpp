// Of document_source: entries of archives, and archives among files and entries.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "extract/cut_state.hpp"
#include "extract/document_source_state.hpp"
#include "extract/entry_text.hpp"

namespace kumihimo::inline v0::extract {
namespace {

bool within(arena& a, bytes data) noexcept {
    const auto* const from = reinterpret_cast<const unsigned char*>(a.data());
    return from != nullptr && data.data() >= from && data.data() < from + a.capacity();
}

}  // namespace

document_source::begun document_source::begin_entry(bytes file, std::uint64_t directory, const zip_entry& e) {
    const std::string_view prefix = !archives_.empty() ? std::string_view(archives_.back()->prefix)
                                    : task_->from      ? std::string_view(task_->from->prefix)
                                                       : std::string_view();
    here_.entry = zip_path(e, prefix, name_room_);
    only_as_archive_ = e.only_as_archive;
    packed_ = e.packed;
    if (e.lost != nullptr)
        return refuse(e.lost == too_nested ? errc::size : errc::truncated, e.header, e.lost, report::scope::entry);
    if (e.cut) return begin_cut(file, e);
    bytes data;
    ++members_;
    if (zip_data(file, directory, e, !how_.password.empty(), data, ctx_) != errc::ok)
        return failed(report::scope::entry, ctx_.failure);
    if (const char* const why = too_much(e, how_.allowed)) return refuse(errc::size, e.header, why, report::scope::entry);
    if (e.size > cutter::whole && packing_of(e) != packing::none) return begin_large(data, e);
    if (expand_entry(e, file, data) == begun::faulted) return begun::faulted;
    if (e.has_crc() && crc32(0, data) != e.crc) [[unlikely]]
        return refuse(errc::syntax, e.header, wrong_checksum, report::scope::entry);
    return begin_text(data, report::scope::entry, e.header, false);
}

// All of an entry, in `data`, which was its packed bytes.
document_source::begun document_source::expand_entry(const zip_entry& e, bytes file, bytes& data) {
    const packing packed_as = packing_of(e);
    if (packed_as == packing::none) return begun::open;
    char* const to = expanded_.room(e.size);
    if (to == nullptr) throw std::bad_alloc();
    errc said = errc::ok;
    if (packed_as == packing::deflate) {
        const std::size_t readable = static_cast<std::size_t>(file.data() + file.size() - data.data());
        said = inflater_.exact(data, readable, to, e.size, e.header, ctx_);
    } else if (packed_as == packing::lzma) {
        said = deframer_.exact(e, data, to, ctx_);
    } else if (codec_of(packed_as) == nullptr) {  // what reads streams only
        // The sizes that the archive says were compared with what is allowed.
        source_chain chain;
        const entry_sources text = entry_text(chain, data, e, how_.password, expansion{.floor = e.size});
        checked_source checked(*text.text, e);
        std::size_t n = 0, got = 1;
        while (said == errc::ok && got != 0) {
            said = checked.read(to + n, e.size + 1 - n, got, ctx_);
            n += said == errc::ok ? got : 0;
        }
        if (said == errc::ok && packed_as == packing::deflate64 && text.expanding->taken() != data.size())
            said = ctx_.fail(errc::syntax, e.header, "the compressed data is not as long as the archive says");
    } else {
        said = deframer_.exact(packed_as, data, to, e.size, e.header, ctx_);
    }
    if (said != errc::ok) {
        ctx_.failure.offset = e.header;
        return failed(report::scope::entry, ctx_.failure);
    }
    data = {reinterpret_cast<const unsigned char*>(to), e.size};
    return begun::open;
}

// An entry that is more than should be in memory at once, in pieces; the cutter does so with those of outer archives
// (cutter::open_entry).
document_source::begun document_source::begin_large(bytes data, const zip_entry& e) {
    const auto text_in = [&](source_chain& chain) -> byte_source& {
        byte_source* const text = entry_text(chain, data, e, how_.password, how_.allowed).text;
        return chain.add<checked_source>(*text, e);
    };
    if (how_.prove && !sampled_) {
        source_chain first;
        proof known = prove(text_in(first), nullptr, -1, cancelled_);
        if (known.code != errc::ok) {
            known.why.offset = e.header;
            return failed(report::scope::entry, known.why);
        }
    }
    auto made = std::make_unique<stream>();
    byte_source& from = text_in(made->chain);
    return begin_looked_at(std::move(made), &from, data, e.header, false);
}

document_source::begun document_source::begin_member(const tar_member& m) {
    only_as_archive_ = m.only_as_archive;
    packed_ = m.data.size();
    if (m.lost != nullptr) return refuse(m.code, m.header, m.lost, report::scope::entry);
    ++members_;
    if (!m.cut) return begin_text(m.data, report::scope::entry, m.header, false);
    auto made = std::make_unique<stream>();
    byte_source& raw = made->chain.add<memory_source>(m.data);
    byte_source* const from = &made->chain.add<cut_source>(raw, tar_cut_off);
    return begin_looked_at(std::move(made), from, m.data, m.header, true);
}

// The entry that the archive is cut off in.
document_source::begun document_source::begin_cut(bytes file, const zip_entry& e) {
    context ctx;
    bytes data;
    zip_entry there = e;
    there.size = there.method == zip_entry::stored ? there.packed : there.size;
    if (zip_data(file, file.size(), there, !how_.password.empty(), data, ctx) != errc::ok)
        return failed(report::scope::entry, ctx.failure);
    auto made = std::make_unique<stream>();
    byte_source* from = entry_text(made->chain, data, e, how_.password, how_.allowed, true).text;
    from = &made->chain.add<cut_source>(*from);
    return begin_looked_at(std::move(made), from, data, e.header, true);
}

// The stream of an entry. `cut`: not all of it is there.
document_source::begun document_source::begin_looked_at(std::unique_ptr<stream> made, byte_source* from, bytes below,
                                                        std::uint64_t at, bool cut) {
    context ctx;
    std::string head(std::size_t{64} << 10, 0);
    std::size_t n = 0;
    for (std::size_t got = 1; got != 0 && n < 512; n += got)
        if (from->read(head.data() + n, head.size() - n, got, ctx) != errc::ok) break;
    head.resize(n);
    ctx.clear();
    const char* why = "";
    const bytes start{reinterpret_cast<const unsigned char*>(head.data()), head.size()};
    content is = sniff(start, why);
    is = binary_content(is, by_name(), here_.entry, start, why);
    const char* refused = not_opened(is, false, depth(), how_.nested, why);
    if (refused == nullptr && is == content::zip && cut) refused = "the entry is a Zip, and is cut off; it is not opened";
    if (refused != nullptr && !(only_as_archive_ && is == content::other))
        return refuse(errc::unsupported, at, refused, report::scope::entry);
    from = &made->chain.add<prefixed_source>(std::move(head), *from);
    if (is == content::tar) return begin_tar(std::move(made->chain), from, below);
    if (is == content::zip) return begin_spooled(*from, report::scope::entry, at);
    if (packing_of(is) != packing::none) {
        from = &expand(made->chain, *from, packing_of(is), how_.allowed);
        if (!archives_.empty() && depth() >= 2) from = &made->chain.add<budgeted_source>(*from, budget_, at);
        if (const auto archive = begin_if_archive(*made, from, by_name(), report::scope::entry, at, below)) return *archive;
    }
    if (only_as_archive_) return passed_over();
    made->cut.emplace(*from, how_.rules(name()), how_.document_limit, by_name());
    made->of = report::scope::entry;
    made->at = at;
    stream_ = std::move(made);
    lines_before_ = 0;
    return begun::open;
}

// Whether a stream that is expanded turns out to be an archive, which is then opened or refused; else it goes on where
// it was.
std::optional<document_source::begun> document_source::begin_if_archive(stream& made, byte_source*& text,
                                                                        const binary_format* binary, report::scope of,
                                                                        std::uint64_t at, bytes below) {
    if (binary != nullptr) return std::nullopt;
    // What goes wrong is said again to whoever reads on.
    std::string head(tar_reader::block, 0);
    context ctx;
    std::size_t n = 0;
    for (std::size_t got = 1; got != 0 && n < head.size(); n += got)
        if (text->read(head.data() + n, head.size() - n, got, ctx) != errc::ok) break;
    head.resize(n);
    const char* why = "";
    const content is = sniff({reinterpret_cast<const unsigned char*>(head.data()), n}, why);
    text = &made.chain.add<prefixed_source>(std::move(head), *text);
    if (!is_archive(is)) return std::nullopt;
    if (const char* const refused = not_opened(is, false, depth(), how_.nested, ""))
        return refuse(errc::unsupported, at, refused, of);
    return is == content::zip ? begin_spooled(*text, of, at) : begin_tar(std::move(made.chain), text, below);
}

// Archives that lie in an archive may hold, all together, what one entry of that size may.
bool document_source::affordable(std::uint64_t size) noexcept {
    if (archives_.empty() || depth() < 2) return true;
    if (size > budget_) return false;
    budget_ -= size;
    return true;
}

void document_source::open_archive(std::unique_ptr<archive> made, bytes data) {
    made->file = data;
    made->entry = std::string(here_.entry);
    if (!made->entry.empty()) made->prefix = made->entry + '/';
    // Its entries are expanded where it may lie itself.
    for (arena* const a : {&expanded_, &nested_})
        if (within(*a, data)) std::swap(made->own, *a);
    // In a large archive, which the cutter opened, each small entry has a budget of its own: with one for all of them,
    // what is refused would depend on the order of the threads. The whole is bounded all the same. The sizes of that
    // archive's entries are within its budget (cutter::affordable), however deep they lie, and each is expanded once
    // more at most, with all that lies deeper in it: to the ratio times its bytes, or to the floor. The same holds for
    // each packed file of a packed tar.
    const bool outermost = depth() == 1 || (depth() != 0 && archives_.empty());
    if (outermost) budget_ = nested_budget(packed_, how_.allowed);
    only_as_archive_ = false;
    archives_.push_back(std::move(made));
}

// What is no archive, and matches as one only.
document_source::begun document_source::passed_over() noexcept {
    --members_;
    return begun::nothing;
}

document_source::begun document_source::begin_archive(content is, bytes data, report::scope of) {
    --members_;  // what counts is in it
    auto made = std::make_unique<archive>();
    if (is == content::zip) return begin_zip(std::move(made), data, of);
    made->tar.emplace(data);
    open_archive(std::move(made), data);
    return begun::open;
}

// A tar that is read as a stream, out of the bytes `below`.
document_source::begun document_source::begin_tar(source_chain chain, byte_source* from, bytes below) {
    --members_;
    auto made = std::make_unique<archive>();
    made->chain = std::move(chain);
    made->tar.emplace(*from);
    open_archive(std::move(made), below);
    return begun::open;
}

document_source::begun document_source::begin_zip(std::unique_ptr<archive> made, bytes data, report::scope of) {
    if (made->directory.open(data, ctx_) != errc::ok) {
        made->why = ctx_.failure;
        ctx_.clear();
        if (!made->directory.walkable()) return failed(of, made->why);
        made->walk.emplace(data, how_.allowed);
    }
    open_archive(std::move(made), data);
    return begun::open;
}

// A Zip that comes out of a stream, by a temporary file: its directory is at its end.
document_source::begun document_source::begin_spooled(byte_source& from, report::scope of, std::uint64_t at) {
    --members_;
    auto made = std::make_unique<archive>();
    context ctx;
    const descriptor file(spool(from, ctx));
    struct stat s;
    if (file.fd >= 0 && (::fstat(file.fd, &s) != 0 || !made->spooled.map(file.fd, static_cast<std::size_t>(s.st_size))))
        ctx.failure = system_failure("the temporary file cannot be mapped", errno);
    if (ctx.failure.code != errc::ok) {
        if (of == report::scope::entry) ctx.failure.offset = static_cast<std::size_t>(at);
        return failed(of, ctx.failure);
    }
    const bytes data = made->spooled.data();
    return begin_zip(std::move(made), data, of);
}

document_source::begun document_source::next_archive_member() {
    return archives_.back()->tar ? next_tar_entry() : next_entry();
}

// Its last entry lies behind.
document_source::begun document_source::close_archive(const failure* why) {
    const std::string entry = std::move(archives_.back()->entry);
    const failure said = why == nullptr ? failure() : *why;
    archives_.pop_back();
    path_ = entry;
    here_.entry = path_;
    if (why == nullptr) return begun::nothing;
    return failed(entry.empty() ? report::scope::input : report::scope::entry, said);
}

document_source::begun document_source::next_entry() {
    archive& a = *archives_.back();
    std::uint64_t& member = at_.members[levels() - 1];
    const std::uint64_t known = skip_.members[levels() - 1];
    zip_entry e;
    while (a.walk ? a.walk->next(e) : !a.directory.done()) {
        if (!a.walk) e = a.directory.next();
        const pick is = cutter::wanted(e, how_, a.prefix, opens(), name_room_);
        if (is == pick::no) continue;
        e.only_as_archive = is == pick::only_as_archive;
        if (e.lost == nullptr && !affordable(e.size)) e.lost = too_nested;
        if (member >= known) return begin_entry(a.file, a.walk ? a.file.size() : a.directory.begin(), e);
        ++member;
    }
    const failure why = a.why;
    return close_archive(a.walk ? &why : nullptr);
}

document_source::begun document_source::next_tar_entry() {
    archive& a = *archives_.back();
    std::uint64_t& member = at_.members[levels() - 1];
    const std::uint64_t known = skip_.members[levels() - 1];
    tar_entry e;
    for (;;) {
        context ctx;
        const tar_reader::found said = a.tar->next(e, ctx);
        if (said == tar_reader::found::end) return close_archive(nullptr);
        if (said == tar_reader::found::fault) return close_archive(&ctx.failure);
        tar_member m;
        m.name = a.prefix + e.name;
        m.header = e.header;
        m.lost = e.lost;
        m.code = e.code;
        if (e.lost == nullptr && (!e.file || e.size == 0)) continue;
        if (!e.name.empty()) {
            const pick is = picked(m.name, how_.match, opens());
            if (is == pick::no) continue;
            m.only_as_archive = is == pick::only_as_archive;
        } else if (e.lost != nullptr || how_.match.empty()) {
            m.name = a.entry;
        } else {
            continue;  // what has no name matches none
        }
        if (m.lost == nullptr) {
            m.lost = too_much(e.size, how_.allowed);
            if (m.lost == nullptr && !affordable(e.size)) m.lost = too_nested;
            if (m.lost != nullptr) m.code = errc::size;
        }
        if (member < known) {
            ++member;
            continue;
        }
        path_ = std::move(m.name);
        here_.entry = path_;
        if (m.lost != nullptr) return refuse(m.code, m.header, m.lost, report::scope::entry);
        if (a.tar->at_hand()) {
            m.data = a.tar->data(e);
            m.cut = m.data.size() < e.size;
            return begin_member(m);
        }
        if (e.size > cutter::whole) {
            only_as_archive_ = m.only_as_archive;
            packed_ = e.size;
            ++members_;
            auto made = std::make_unique<stream>();
            byte_source* const from = &made->chain.add<tar_data>(*a.tar);
            return begin_looked_at(std::move(made), from, {}, e.header, false);
        }
        char* const to = expanded_.room(static_cast<std::size_t>(e.size));
        if (to == nullptr) throw std::bad_alloc();
        std::size_t n = 0;
        errc code = errc::ok;
        while (n < e.size) {
            std::size_t got = 0;
            code = a.tar->read(to + n, static_cast<std::size_t>(e.size) - n, got, ctx);
            if (code != errc::ok || got == 0) break;
            n += got;
        }
        m.data = {reinterpret_cast<const unsigned char*>(to), n};
        m.cut = n < e.size;
        if (m.cut && code != errc::truncated) continue;  // the archive's fault says it
        return begin_member(m);
    }
}

}  // namespace kumihimo::inline v0::extract
