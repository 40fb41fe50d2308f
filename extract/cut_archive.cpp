// Of the cutter: archives become runs of entries, and large entries streams. An archive in an archive is opened where
// that was asked for: one at hand where it lies, any other out of a temporary file, but a tar out of its stream.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "extract/binary.hpp"
#include "extract/cut_state.hpp"
#include "extract/entry_rules.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t most_entries = 8192;  // in one task, however small they are

failure failure_of(errc code, std::uint64_t at, const char* what) {
    failure f;
    f.code = code;
    f.offset = static_cast<std::size_t>(at);
    f.what = what;
    return f;
}

}  // namespace

bool cutter::open_zip(task& out, std::shared_ptr<opened> file) {
    context ctx;
    auto a = std::make_unique<open_archive>();
    const bool member = !file->entry.empty();
    if (a->directory.open(file->data, ctx) == errc::ok) {
        file->directory = a->directory.begin();
    } else if (a->directory.walkable()) {
        a->walk = zip_walk(file->data, options_.allowed);
        a->broken = ctx.failure;
        file->directory = file->data.size();
    } else {
        if (!member) out.cost = file->data.size();
        return fault(out, member ? report::scope::entry : report::scope::input, file->entry, ctx.failure);
    }
    if (member) file->prefix = file->entry + '/';
    a->left = member ? 0 : file->data.size();
    a->from = std::move(file);
    archives_.push_back(std::move(a));
    return false;
}

void cutter::open_tar(std::shared_ptr<opened> file, source_chain chain, byte_source* from) {
    auto a = std::make_unique<open_archive>();
    if (!file->entry.empty()) file->prefix = file->entry + '/';
    a->from = std::move(file);
    a->chain = std::move(chain);
    if (from != nullptr)
        a->tar.emplace(*from);
    else
        a->tar.emplace(a->from->data);
    archives_.push_back(std::move(a));
}

void cutter::close_archive() noexcept { archives_.pop_back(); }

// Archives that lie in an archive may hold, all together, what one entry of that size may. One in an input is the
// outermost of them; `packed`: its bytes there.
void cutter::measure(const opened& archive, std::uint64_t packed) noexcept {
    if (archive.depth == 1) budget_ = nested_budget(packed, options_.allowed);
}

bool cutter::affordable(const open_archive& in, std::uint64_t size) noexcept {
    if (in.from->depth == 0) return true;
    if (size > budget_) return false;
    budget_ -= size;
    return true;
}

// Whether what is expanded turns out to be an archive. What was read to see it stays in the stream; what goes wrong is
// said again to whoever reads on.
bool cutter::expands_to_archive(text_stream& made, byte_source*& text, const binary_format* binary) {
    if (binary != nullptr) return false;
    std::string head;
    context ctx;
    static_cast<void>(read_head(*text, tar_reader::block, false, head, ctx));
    const char* why = "";
    made.is = sniff(as_bytes(head), why);
    text = &made.chain.add<prefixed_source>(std::move(head), *text);
    return is_archive(made.is);
}

// An archive of which `text` are the bytes.
bool cutter::open_expanded(task& out, std::unique_ptr<text_stream> made, std::shared_ptr<opened> file, byte_source& text) {
    const bool member = !file->entry.empty();
    const report::scope of = member ? report::scope::entry : report::scope::input;
    if (const char* const refused = not_opened(made->is, false, file->depth, options_.nested, ""))
        return fault(out, of, file->entry, failure_of(errc::unsupported, made->header, refused));
    auto inner = std::make_shared<opened>();
    inner->name = file->name;
    inner->entry = file->entry;
    inner->depth = file->depth;
    inner->outer = std::move(file);
    measure(*inner, made->packed);
    if (made->is == content::tar) {
        open_tar(std::move(inner), std::move(made->chain), &text);
        return false;
    }
    context ctx;
    const int file_number = spool(text, ctx);
    if (file_number < 0) {
        if (member) ctx.failure.offset = made->header;
        return fault(out, of, inner->entry, ctx.failure);
    }
    const descriptor fd(file_number);
    struct stat s;
    if (::fstat(fd.fd, &s) != 0 || !inner->file.map(fd.fd, static_cast<std::size_t>(s.st_size)))
        return fault(out, of, inner->entry, system_failure("the temporary file cannot be mapped", errno));
    inner->data = inner->file.data();
    return open_zip(out, std::move(inner));
}

// Looks at the beginning of an entry's stream. True: a fault was made of it.
bool cutter::look_within(task& out, text_stream& made, byte_source*& text) {
    std::string head;
    context ctx;
    made.binary = binary_by_name(options_.format, made.entry);
    if (read_head(*text, head_size, made.binary != nullptr, head, ctx) != errc::ok) {
        ctx.failure.offset = made.header;
        return fault(out, report::scope::entry, made.entry, ctx.failure);
    }
    const char* why = "";
    made.is = binary_content(sniff(as_bytes(head), why), made.binary, made.entry, as_bytes(head), why);
    const char* const refused = not_opened(made.is, false, made.depth, options_.nested, why);
    if (refused != nullptr && !(made.only_as_archive && made.is == content::other)) {
        ctx.fail(errc::unsupported, made.header, refused);
        return fault(out, report::scope::entry, made.entry, ctx.failure);
    }
    text = &made.chain.add<prefixed_source>(std::move(head), *text);
    return false;
}

// Behind look_within(): an entry too large to be a task's is cut into pieces, or opened if it is an archive.
bool cutter::open_within(task& out, std::unique_ptr<text_stream> made, byte_source* text) {
    const auto inner = [&] {
        auto file = std::make_shared<opened>();
        file->name = now_->name;
        file->entry = made->entry;
        file->depth = made->depth;
        file->outer = made->from;
        return file;
    };
    if (is_archive(made->is)) return open_expanded(out, std::move(made), inner(), *text);
    if (packing_of(made->is) != packing::none) {
        text = &expand(made->chain, *text, packing_of(made->is), options_.allowed);
        if (made->depth >= 2) text = &made->chain.add<budgeted_source>(*text, budget_, made->header);
        if (expands_to_archive(*made, text, made->binary)) return open_expanded(out, std::move(made), inner(), *text);
    }
    if (made->only_as_archive) return false;
    made->cut = std::make_unique<text_cutter>(*text, options_.rules(made->entry), options_.document_limit, made->binary);
    stream_ = std::move(made);
    return false;
}

std::unique_ptr<cutter::text_stream> cutter::entry_stream(std::string path, std::uint64_t header, std::uint64_t packed,
                                                          bool only_as_archive) {
    auto made = std::make_unique<text_stream>();
    made->entry = std::move(path);
    made->header = header;
    made->packed = packed;
    made->from = archives_.back()->from;
    made->depth = made->from->depth + 1;
    made->only_as_archive = only_as_archive;
    return made;
}

// Entries of an archive without its directory, and the archive's own fault behind them.
bool cutter::next_walked(task& out) {
    open_archive& a = *archives_.back();
    const std::size_t want = aim();
    const bool opens = a.from->depth < options_.nested;
    std::uint64_t text = 0;
    out.type = task::kind::entries;
    std::string room;
    zip_entry e;
    while (text < want && out.entries.size() < most_entries && a.walk.next(e)) {
        const pick is = wanted(e, options_, a.from->prefix, opens, room);
        if (is == pick::no) continue;
        e.only_as_archive = is == pick::only_as_archive;
        if (e.lost == nullptr && !affordable(a, e.size)) e.lost = too_nested;
        out.cost += std::min(a.left, e.packed);
        a.left -= std::min(a.left, e.packed);
        out.entries.push_back(e);
        text += e.size;
    }
    out.from = a.from;
    if (!out.entries.empty()) return true;
    out.from.reset();
    out.cost = a.left;
    const failure why = *a.broken;
    const std::string entry = a.from->entry;
    close_archive();
    return fault(out, entry.empty() ? report::scope::input : report::scope::entry, entry, why);
}

bool cutter::next_entries(task& out) {
    open_archive& a = *archives_.back();
    if (a.broken) return next_walked(out);
    const std::size_t want = aim();
    const bool opens = a.from->depth < options_.nested, member = !a.from->entry.empty();
    std::uint64_t text = 0;
    out.type = task::kind::entries;
    std::string room;
    while (!a.directory.done() && out.entries.size() < most_entries) {
        const zip_directory before = a.directory;
        zip_entry e = a.directory.next();
        const std::uint64_t cost = member ? 0 : e.packed + e.name.size() * 2 + 76;
        out.cost += cost;
        const pick is = wanted(e, options_, a.from->prefix, opens, room);
        if (is == pick::no) continue;
        e.only_as_archive = is == pick::only_as_archive;
        // Large entries are streamed; encrypted ones without a password and those of unknown methods only fail,
        // whatever their size.
        const bool readable = e.readable() && !e.locked() && (!e.encrypted() || !options_.password.empty());
        const bool large = readable && e.size > whole && too_much(e, options_.allowed) == nullptr;
        if (large && !out.entries.empty()) {
            a.directory = before;
            out.cost -= cost;
            break;
        }
        if (e.lost == nullptr && !affordable(a, e.size)) e.lost = too_nested;
        if (large && e.lost == nullptr) {
            a.left -= std::min(a.left, e.packed);
            return open_entry(out, e);
        }
        out.entries.push_back(e);
        text += e.size;
        if (text >= want) break;
    }
    const std::shared_ptr<const opened> from = a.from;
    if (a.directory.done()) {
        out.cost = a.left;
        a.left = 0;
        if (!out.entries.empty()) {
            out.from = from;
            close_archive();
            return true;
        }
        close_archive();
        return false;
    }
    if (out.entries.empty()) return false;
    a.left -= std::min(a.left, out.cost);
    out.from = from;
    return true;
}

bool cutter::open_entry(task& out, const zip_entry& entry) {
    const std::shared_ptr<const opened> from = archives_.back()->from;
    std::string room;
    auto made =
        entry_stream(std::string(zip_path(entry, from->prefix, room)), entry.header, entry.packed, entry.only_as_archive);
    context ctx;
    bytes data;
    if (zip_data(from->data, from->directory, entry, !options_.password.empty(), data, ctx) != errc::ok)
        return fault(out, report::scope::entry, made->entry, ctx.failure);
    const auto text_in = [&](source_chain& chain) {
        byte_source* const text = entry_text(chain, data, entry, options_.password, options_.allowed).text;
        return &chain.add<checked_source>(*text, entry);
    };
    byte_source* text = text_in(made->chain);
    if (look_within(out, *made, text)) return true;
    if (options_.prove) {
        source_chain again;
        proof known = prove(*text_in(again), nullptr, wake_);
        if (known.code != errc::ok) {
            known.why.offset = entry.header;
            return fault(out, report::scope::entry, made->entry, known.why);
        }
    }
    return open_within(out, std::move(made), text);
}

// A large entry of the tar, whose header was read last.
bool cutter::open_member(task& out, const tar_entry& entry, bool only_as_archive) {
    open_archive& a = *archives_.back();
    std::string path = a.from->prefix + entry.name;
    if (!a.tar->at_hand()) {
        auto made = entry_stream(std::move(path), entry.header, entry.size, only_as_archive);
        byte_source* text = &made->chain.add<tar_data>(*a.tar);
        if (look_within(out, *made, text)) return true;
        return open_within(out, std::move(made), text);
    }
    auto file = std::make_shared<opened>();
    file->name = a.from->name;
    file->entry = std::move(path);
    file->depth = a.from->depth + 1;
    file->data = a.tar->data(entry);
    file->outer = a.from;
    file->only_as_archive = only_as_archive;
    return open_bytes(out, std::move(file));
}

bool cutter::next_members(task& out) {
    open_archive& a = *archives_.back();
    // What was read of the input meanwhile, by this tar or by a stream of one of its entries.
    const auto count = [&] {
        if (!a.from->entry.empty()) return;
        const std::uint64_t now = a.chain.empty() ? a.tar->at() : a.chain.first().consumed();
        out.cost += now - std::min(now, a.reported);
        a.reported = now;
    };
    const auto end = [&](std::optional<failure> why) {
        const std::string entry = a.from->entry;
        const bool of_input = entry.empty() || a.tar->source_failed();
        close_archive();
        return why &&
               fault(out, of_input ? report::scope::input : report::scope::entry, of_input ? std::string() : entry, *why);
    };
    if (a.fault) {
        count();
        return end(std::exchange(a.fault, std::nullopt));
    }
    const std::size_t want = aim();
    const bool opens = a.from->depth < options_.nested;
    std::uint64_t text = 0;
    std::size_t room = 0, used = 0;  // of out.held
    out.type = task::kind::members;
    while (text < want && out.members.size() < most_entries) {
        tar_entry e;
        context ctx;
        if (a.waiting) {
            e = std::move(*std::exchange(a.waiting, std::nullopt));
        } else {
            const tar_reader::found said = a.tar->next(e, ctx);
            if (said == tar_reader::found::end && out.members.empty()) {
                count();
                return end(std::nullopt);
            }
            if (said == tar_reader::found::end) break;  // it says so again
            if (said == tar_reader::found::fault) {
                a.fault = ctx.failure;
                break;
            }
        }
        tar_member m;
        m.name = a.from->prefix + e.name;
        m.header = e.header;
        pick is = pick::yes;
        if (e.lost == nullptr && (!e.file || e.size == 0)) continue;
        if (!e.name.empty()) {
            is = picked(m.name, options_.match, opens);
            if (is == pick::no) continue;
        } else if (e.lost != nullptr || options_.match.empty()) {
            m.name = a.from->entry;
        } else {
            continue;  // what has no name matches none
        }
        m.only_as_archive = is == pick::only_as_archive;
        m.lost = e.lost;
        m.code = e.code;
        if (m.lost == nullptr && (m.lost = too_much(e.size, options_.allowed)) != nullptr) m.code = errc::size;
        if (m.lost == nullptr) {
            const bool at_hand = a.tar->at_hand();
            if (at_hand) {
                m.data = a.tar->data(e);
                m.cut = m.data.size() < e.size;
            }
            const bool large = e.size > whole && !m.cut;
            if ((large || (!at_hand && used + e.size > room)) && !out.members.empty()) {
                a.waiting = std::move(e);
                break;
            }
            if (!affordable(a, e.size)) {
                m.lost = too_nested;
                m.code = errc::size;
            } else if (large) {
                count();
                return open_member(out, e, m.only_as_archive);
            } else if (!at_hand && !read_member(a, e, m, out, room, used)) {
                break;
            }
        }
        text += e.size;
        out.members.push_back(std::move(m));
    }
    count();
    if (!out.members.empty()) {
        out.from = a.from;
        return true;
    }
    return a.fault && end(std::exchange(a.fault, std::nullopt));
}

// Reads the data of a small entry behind what the task holds. False: there is none to be given, and a.fault says why.
bool cutter::read_member(open_archive& a, const tar_entry& e, tar_member& m, task& out, std::size_t& room, std::size_t& used) {
    const auto size = static_cast<std::size_t>(e.size);
    if (!out.held) {
        room = std::max(aim(), size);
        out.held.reset(new char[room]);
        used = 0;
    }
    char* const to = const_cast<char*>(out.held.get()) + used;
    std::size_t n = 0;
    context ctx;
    errc said = errc::ok;
    while (n < size) {
        std::size_t got = 0;
        said = a.tar->read(to + n, size - n, got, ctx);
        if (said != errc::ok || got == 0) break;
        n += got;
    }
    m.data = {reinterpret_cast<const unsigned char*>(to), n};
    used += n;
    if (n == size) return true;
    a.fault = ctx.failure;
    m.cut = said == errc::truncated;
    return m.cut;
}

}  // namespace kumihimo::inline v0::extract
