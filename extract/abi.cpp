#include "extract/abi.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <utility>

#include "extract/abi_state.hpp"
#include "extract/arrow.hpp"
#include "extract/description.hpp"
#include "extract/entry_rules.hpp"
#include "extract/glob.hpp"
#include "extract/sealed.hpp"
#include "extract/session.hpp"

using namespace kumihimo;
using extract::session;
using extract::trouble;

static_assert(KUMIHIMO_LINE_CLOSE == static_cast<int>(extract::chart_role::kind::close) &&
              KUMIHIMO_LINE_BARS == static_cast<int>(extract::chart_role::kind::bar));
static_assert(KUMIHIMO_SCOPE_ENTRY == static_cast<int>(extract::report::scope::entry) &&
              KUMIHIMO_SCOPE_INPUT == static_cast<int>(extract::report::scope::input));

struct kumihimo_strings {
    std::vector<std::string> all;
};
struct kumihimo_records {
    std::vector<extract::report> all;
};
struct kumihimo_series {
    extract::series all;
};

struct kumihimo_extraction {
    std::shared_ptr<session> of;  // null after a description that was refused
    std::mutex lock;
    trouble last;
};

namespace {

constexpr const char* begun_elsewhere =
    "this extraction was begun in another process: call extract() in the process that reads the rows";

// Locks and threads of another process's session are not to be touched, so it is left where it is.
std::shared_ptr<session> owned(std::unique_ptr<session> s) {
    return {s.release(), [](session* p) {
                if (!p->elsewhere()) delete p;
            }};
}

// Copies a struct as far as the caller knows it; its own struct_size stays.
template <class T>
void hand_out(T from, T* to) noexcept {
    if (to == nullptr) return;
    from.struct_size = to->struct_size;
    std::memcpy(to, &from, std::min(static_cast<std::size_t>(to->struct_size), sizeof from));
}

void copy_text(char (&to)[256], std::string_view from) noexcept {
    const std::size_t n = std::min(from.size(), sizeof to - 1);
    std::memcpy(to, from.data(), n);
    to[n] = 0;
}

std::uint32_t tell(std::uint32_t code, std::string_view what, const extract::report* record, kumihimo_error* error) noexcept {
    kumihimo_error e{};
    e.code = code;
    e.offset = UINT64_MAX;
    if (record != nullptr) {
        e.offset = record->offset;
        e.line = record->line;
        e.column = record->column;
        copy_text(e.path, record->path);
    }
    copy_text(e.what, what);
    hand_out(e, error);
    return code;
}

std::uint32_t fail(kumihimo_extraction* x, trouble why, kumihimo_error* error) {
    const auto code = static_cast<std::uint32_t>(why.code);
    const std::lock_guard hold(x->lock);
    x->last = std::move(why);
    return tell(code, x->last.what, x->last.record ? &*x->last.record : nullptr, error);
}

// The exception at hand becomes a code, and is kept as any other failure is.
std::uint32_t caught(kumihimo_extraction* x, kumihimo_error* error) noexcept {
    const auto keep = [&](errc code, const char* what) {
        if (x != nullptr) {
            const std::lock_guard hold(x->lock);
            x->last = {};
            x->last.code = code;
            try {
                x->last.what = what;
            } catch (const std::bad_alloc&) {  // no sentence is better than that of another failure
            }
        }
        return tell(static_cast<std::uint32_t>(code), what, nullptr, error);
    };
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return keep(errc::memory, "out of memory");
    } catch (const std::exception& other) {  // of the standard library: the system gives no thread, no lock
        return keep(errc::host, other.what());
    }
}

// What leaves C++ as an exception leaves C as a code.
template <class Call>
std::uint32_t guarded(kumihimo_extraction* x, kumihimo_error* error, Call call) noexcept {
    try {
        if (x->of == nullptr) {
            const std::lock_guard hold(x->lock);
            return tell(KUMIHIMO_MISUSE, x->last.what, nullptr, error);
        }
        if (x->of->elsewhere()) return tell(KUMIHIMO_EXTRACT_ELSEWHERE, begun_elsewhere, nullptr, error);
        hand_out(kumihimo_error{0, 0, UINT64_MAX, 0, 0, {}, {}}, error);
        return call(*x->of);
    } catch (const std::exception&) {
        return caught(x, error);
    }
}

// Steps until there is something, or patience is over.
template <class Step>
std::uint32_t driven(kumihimo_extraction* x, std::int32_t patience, kumihimo_error* error, Step step) noexcept {
    return guarded(x, error, [&](session& s) -> std::uint32_t {
        const auto begun = std::chrono::steady_clock::now();
        auto left = session::turn;
        if (patience >= 0) left = std::min(left, std::chrono::milliseconds(patience));
        for (trouble why;;) {
            switch (step(s, left, why)) {
                case session::step::ready: return KUMIHIMO_OK;
                case session::step::end: return KUMIHIMO_EXTRACT_END;
                case session::step::failed: return fail(x, std::move(why), error);
                case session::step::waiting: break;
            }
            if (patience < 0) continue;
            const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
            if (passed.count() >= patience) return KUMIHIMO_EXTRACT_WAITING;
            left = std::min(session::turn, std::chrono::milliseconds(patience) - passed);
        }
    });
}

std::uint32_t strings(std::vector<std::string> all, kumihimo_strings** out) {
    *out = new kumihimo_strings{std::move(all)};
    return KUMIHIMO_OK;
}

std::uint32_t records(std::vector<extract::report> all, kumihimo_records** out) {
    *out = new kumihimo_records{std::move(all)};
    return KUMIHIMO_OK;
}

std::uint32_t records(const std::optional<extract::report>& one, kumihimo_records** out) {
    std::vector<extract::report> all;
    if (one) all.push_back(*one);
    return records(std::move(all), out);
}

std::uint32_t put(kumihimo_text* out, std::string_view text) noexcept {
    out->bytes.clear();
    return out->bytes.append(text.data(), text.size()) ? KUMIHIMO_OK : KUMIHIMO_MEMORY;
}

std::uint32_t done(errc e) {
    if (e == errc::memory) throw std::bad_alloc();
    return static_cast<std::uint32_t>(e);
}

}  // namespace

extern "C" {

// ---- texts and lists

kumihimo_text* kumihimo_text_new(void) { return new (std::nothrow) kumihimo_text; }
void kumihimo_text_free(kumihimo_text* t) { delete t; }
const char* kumihimo_text_data(const kumihimo_text* t, size_t* size) {
    *size = t->bytes.size();
    return t->bytes.data() == nullptr ? "" : t->bytes.data();
}

size_t kumihimo_strings_count(const kumihimo_strings* s) { return s->all.size(); }
const char* kumihimo_strings_at(const kumihimo_strings* s, size_t i, size_t* size) {
    if (size != nullptr) *size = s->all[i].size();
    return s->all[i].c_str();
}
void kumihimo_strings_free(kumihimo_strings* s) { delete s; }

// ---- bad records

size_t kumihimo_records_count(const kumihimo_records* r) { return r->all.size(); }

void kumihimo_records_at(const kumihimo_records* r, size_t i, kumihimo_record* out) {
    const extract::report& one = r->all[i];
    kumihimo_record c{};
    c.scope = static_cast<std::uint32_t>(one.about);
    c.code = static_cast<std::uint32_t>(one.code);
    c.archive = one.archive.c_str(), c.archive_size = one.archive.size();
    c.entry = one.entry.c_str(), c.entry_size = one.entry.size();
    c.path = one.path.c_str(), c.path_size = one.path.size();
    c.message = one.message.c_str(), c.message_size = one.message.size();
    c.document = one.document;
    c.offset = one.offset;
    c.line = one.line;
    c.column = one.column;
    hand_out(c, out);
}

void kumihimo_records_free(kumihimo_records* r) { delete r; }

uint32_t kumihimo_record_text(const kumihimo_record* r, kumihimo_text* out) {
    kumihimo_record c{};
    std::memcpy(&c, r, std::min(static_cast<std::size_t>(r->struct_size), sizeof c));
    try {
        extract::report one;
        one.about = static_cast<extract::report::scope>(c.scope);
        one.code = static_cast<errc>(c.code);
        if (c.archive != nullptr) one.archive.assign(c.archive, c.archive_size);
        if (c.entry != nullptr) one.entry.assign(c.entry, c.entry_size);
        if (c.path != nullptr) one.path.assign(c.path, c.path_size);
        if (c.message != nullptr) one.message.assign(c.message, c.message_size);
        one.document = c.document;
        one.offset = c.offset;
        one.line = c.line;
        one.column = c.column;
        return put(out, one.text());
    } catch (const std::bad_alloc&) {
        return KUMIHIMO_MEMORY;
    }
}

// ---- opening

uint32_t kumihimo_extract_open(const char* description, size_t size, kumihimo_extraction** out, kumihimo_error* error) {
    *out = nullptr;
    std::unique_ptr<kumihimo_extraction> x;
    std::uint32_t code = KUMIHIMO_OK;
    try {
        x = std::make_unique<kumihimo_extraction>();
        extract::request asked;
        trouble why;
        why.code = extract::read_description({reinterpret_cast<const unsigned char*>(description), size}, asked, why.what);
        if (why.code == errc::ok)
            x->of = owned(std::make_unique<session>(std::move(asked)));
        else
            code = fail(x.get(), std::move(why), error);
    } catch (const std::exception&) {
        code = caught(x.get(), error);
        if (code == KUMIHIMO_MEMORY) return code;
    }
    *out = x.release();
    return code;
}

void kumihimo_extract_close(kumihimo_extraction* x) { delete x; }

uint32_t kumihimo_extract_zones(kumihimo_extraction* x, kumihimo_strings** out) {
    *out = nullptr;
    return guarded(x, nullptr, [&](session& s) { return strings(s.asked().zones_wanted(), out); });
}

uint32_t kumihimo_extract_put_zone(kumihimo_extraction* x, const char* name, int32_t first_offset, const int64_t* seconds,
                                   const int32_t* offsets, size_t count, const char* rule, kumihimo_error* error) {
    return guarded(x, error, [&](session& s) -> std::uint32_t {
        std::vector<extract::zone::transition> transitions;
        for (std::size_t i = 0; i < count; ++i) transitions.push_back({seconds[i], offsets[i]});
        std::shared_ptr<const extract::zone> rules;
        trouble why;
        why.code = extract::zone::make(name, first_offset, transitions, rule, rules, why.what);
        if (why.code != errc::ok) return fail(x, std::move(why), error);
        s.asked().put_zone(rules);
        return KUMIHIMO_OK;
    });
}

uint32_t kumihimo_extract_start(kumihimo_extraction* x, int32_t patience, kumihimo_error* error) {
    return driven(x, patience, error, [](session& s, auto left, trouble& why) { return s.start(left, why); });
}

// ---- rows

uint32_t kumihimo_extract_schema(kumihimo_extraction* x, int32_t patience, ArrowSchema* out, kumihimo_error* error) {
    *out = {};
    return driven(x, patience, error, [&](session& s, auto left, trouble& why) {
        const session::step decided = s.decide_columns(left, why);
        if (decided == session::step::ready) done(extract::to_arrow(*s.columns(), out));
        return decided;
    });
}

uint32_t kumihimo_extract_columns(kumihimo_extraction* x, int32_t patience, kumihimo_strings** out, kumihimo_error* error) {
    *out = nullptr;
    return driven(x, patience, error, [&](session& s, auto left, trouble& why) {
        const session::step decided = s.decide_columns(left, why);
        if (decided != session::step::ready) return decided;
        std::vector<std::string> all;
        const auto of = s.columns();
        for (const extract::column_spec& c : of->columns()) {
            all.push_back(c.name);
            all.push_back(c.type_text());
            all.push_back(definition(c));
        }
        strings(std::move(all), out);
        return decided;
    });
}

uint32_t kumihimo_extract_next(kumihimo_extraction* x, int32_t patience, ArrowArray* out, kumihimo_error* error) {
    *out = {};
    return driven(x, patience, error, [&](session& s, auto left, trouble& why) {
        std::unique_ptr<extract::batch> rows;
        const session::step got = s.next(rows, left, why);
        if (got == session::step::ready && extract::to_arrow(*rows, out) != errc::ok) {
            s.lose();
            throw std::bad_alloc();
        }
        return got;
    });
}

uint32_t kumihimo_extract_stream(kumihimo_extraction* x, int (*go_on)(void*), void* user, ArrowArrayStream* out,
                                 kumihimo_error* error) {
    *out = {};
    return driven(x, KUMIHIMO_NO_HURRY, error, [&](session& s, auto left, trouble& why) {
        if (!s.columns_out()) {
            std::unique_ptr<extract::batch> none;
            return s.next(none, left, why);  // which says so
        }
        const session::step decided = s.decide_columns(left, why);
        if (decided != session::step::ready) return decided;
        const auto next = [of = x->of, go_on, user](std::unique_ptr<extract::batch>& rows, std::string& sentence) -> errc {
            if (of->elsewhere()) {
                sentence = begun_elsewhere;
                return errc::host;
            }
            for (trouble why;;) {
                switch (of->next(rows, session::turn, why)) {
                    case session::step::ready: return errc::ok;
                    case session::step::end: rows.reset(); return errc::ok;
                    case session::step::failed: sentence = std::move(why.what); return why.code;
                    case session::step::waiting: break;
                }
                if (go_on == nullptr || go_on(user) != 0) continue;
                of->stop();
                sentence = "interrupted";
                return errc::host;
            }
        };
        done(extract::to_arrow(s.columns(), next, out));
        return decided;
    });
}

uint32_t kumihimo_extract_next_text(kumihimo_extraction* x, int32_t patience, uint32_t flags, kumihimo_text* out,
                                    kumihimo_error* error) {
    return driven(x, patience, error, [&](session& s, auto left, trouble& why) {
        return s.next(out->bytes, (flags & KUMIHIMO_PAUSE) != 0, left, why);
    });
}

uint32_t kumihimo_extract_header(kumihimo_extraction* x, kumihimo_text* out, kumihimo_error* error) {
    out->bytes.clear();
    return guarded(x, error, [&](session& s) { return done(s.header(out->bytes)); });
}

uint32_t kumihimo_extract_next_count(kumihimo_extraction* x, int32_t patience, uint64_t* rows, kumihimo_error* error) {
    return driven(x, patience, error, [&](session& s, auto left, trouble& why) { return s.next(*rows, left, why); });
}

uint32_t kumihimo_extract_paths(kumihimo_extraction* x, uint32_t as, kumihimo_text* out, kumihimo_error* error) {
    out->bytes.clear();
    return guarded(x, error, [&](session& s) -> std::uint32_t {
        trouble why;
        const auto form = as == KUMIHIMO_JSON_SCHEMA ? extract::schema_text::json_schema : extract::schema_text::paths;
        if (as > KUMIHIMO_JSON_SCHEMA) return fail(x, trouble::misuse("there is no schema of that form"), error);
        if (s.schema_of_paths(form, out->bytes, why) != session::step::ready) return fail(x, std::move(why), error);
        return KUMIHIMO_OK;
    });
}

uint32_t kumihimo_extract_again(kumihimo_extraction* x, kumihimo_extraction** out, kumihimo_error* error) {
    *out = nullptr;
    return guarded(x, error, [&](session& s) -> std::uint32_t {
        auto made = std::make_unique<kumihimo_extraction>();
        std::unique_ptr<session> next = s.again();
        if (next == nullptr) return KUMIHIMO_EXTRACT_END;
        made->of = owned(std::move(next));
        *out = made.release();
        return KUMIHIMO_OK;
    });
}

uint32_t kumihimo_extract_contradiction(kumihimo_extraction* x, kumihimo_text* out) {
    return guarded(x, nullptr, [&](session& s) { return put(out, s.contradiction()); });
}

// ---- going on later

uint32_t kumihimo_extract_resume_token(kumihimo_extraction* x, kumihimo_text* out) {
    return guarded(x, nullptr, [&](session& s) { return put(out, s.resume_token()); });
}

// ---- what is told

uint32_t kumihimo_extract_progress(kumihimo_extraction* x, kumihimo_progress* out) {
    return guarded(x, nullptr, [&](session& s) {
        const extract::counters c = s.progress();
        hand_out(kumihimo_progress{0, c.complete_total, c.bytes, c.total, c.documents, c.rows, c.bad, s.threads(), c.inputs},
                 out);
        return KUMIHIMO_OK;
    });
}

uint32_t kumihimo_extract_notes(kumihimo_extraction* x, kumihimo_strings** out) {
    *out = nullptr;
    return guarded(x, nullptr, [&](session& s) { return strings(s.notes(), out); });
}

uint32_t kumihimo_extract_inputs(kumihimo_extraction* x, kumihimo_strings** out) {
    *out = nullptr;
    return guarded(x, nullptr, [&](session& s) { return strings(s.inputs(), out); });
}

uint32_t kumihimo_extract_bad_records(kumihimo_extraction* x, kumihimo_records** out) {
    *out = nullptr;
    return guarded(x, nullptr, [&](session& s) { return records(s.take_reports(), out); });
}

uint32_t kumihimo_extract_quarantine(kumihimo_extraction* x, kumihimo_text* out) {
    return guarded(x, nullptr, [&](session& s) {
        out->bytes = s.take_quarantine();
        return KUMIHIMO_OK;
    });
}

uint32_t kumihimo_extract_failure(kumihimo_extraction* x, kumihimo_records** out) {
    *out = nullptr;
    return guarded(x, nullptr, [&](session& s) { return records(s.failure(), out); });
}

uint32_t kumihimo_extract_message(kumihimo_extraction* x, kumihimo_text* out) {
    if (x->of != nullptr && x->of->elsewhere()) {
        const std::uint32_t code = put(out, begun_elsewhere);
        return code == KUMIHIMO_OK ? std::uint32_t{KUMIHIMO_EXTRACT_ELSEWHERE} : code;
    }
    const std::lock_guard hold(x->lock);
    return put(out, x->last.what);
}

uint32_t kumihimo_extract_error_record(kumihimo_extraction* x, kumihimo_records** out) {
    *out = nullptr;
    if (x->of == nullptr) return KUMIHIMO_EXTRACT_END;
    return guarded(x, nullptr, [&](session&) {
        const std::lock_guard hold(x->lock);
        return records(x->last.record, out);
    });
}

uint32_t kumihimo_extract_series(kumihimo_extraction* x, kumihimo_series** out) {
    *out = nullptr;
    return guarded(x, nullptr, [&](session& s) {
        *out = new kumihimo_series{s.drawn()};
        return KUMIHIMO_OK;
    });
}

void kumihimo_series_axis(const kumihimo_series* s, kumihimo_axis* out) {
    const extract::series& a = s->all;
    hand_out(kumihimo_axis{0, a.is_time, a.x.c_str(), a.x.size(), a.zone.c_str(), a.zone.size(), a.lines.size(), a.outside,
                           a.interval},
             out);
}

void kumihimo_series_line(const kumihimo_series* s, size_t i, kumihimo_line* out) {
    const extract::series::line& l = s->all.lines[i];
    hand_out(kumihimo_line{0, static_cast<std::uint32_t>(l.role.is), l.name.c_str(), l.name.size(), l.xs.data(), l.ys.data(),
                           l.xs.size(), l.role.of.c_str(), l.role.of.size()},
             out);
}

void kumihimo_series_free(kumihimo_series* s) { delete s; }

uint32_t kumihimo_extract_cancel(kumihimo_extraction* x) {
    return guarded(x, nullptr, [](session& s) {
        s.cancel();
        return KUMIHIMO_OK;
    });
}

uint32_t kumihimo_extract_fetches(kumihimo_extraction* x, kumihimo_fetches** out) {
    *out = nullptr;
    return guarded(x, nullptr, [&](session& s) -> std::uint32_t {
        if (s.asked().reading.read.fetched == nullptr) return KUMIHIMO_EXTRACT_END;
        *out = new kumihimo_fetches{s.asked().reading.read.fetched};
        return KUMIHIMO_OK;
    });
}

int kumihimo_extract_names_archive(const char* path, size_t size) { return extract::named_archive({path, size}) ? 1 : 0; }

int kumihimo_extract_matches(const char* pattern, size_t pattern_size, const char* path, size_t path_size) {
    return extract::glob_matches({pattern, pattern_size}, {path, path_size}) ? 1 : 0;
}

int kumihimo_extract_has_libarchive(void) { return extract::opens_sealed() ? 1 : 0; }

}  // extern "C"
