#include "run.hpp"

#include <algorithm>
#include <cstdarg>

#include "body.hpp"

namespace kumihimo::inline v0::apache {
namespace {

using mruby::outcome;

constexpr std::size_t most_frames = 100;  // of a backtrace, in the log

int status_of(const exchange& x, const outcome& o, const source& from) noexcept {
    switch (o.type) {
        case outcome::kind::raised: return x.status_if_raised();
        case outcome::kind::unreadable: return from.status != 0 ? from.status : HTTP_INTERNAL_SERVER_ERROR;
        default: return HTTP_INTERNAL_SERVER_ERROR;
    }
}

// One line for what happened and one for each frame: httpd writes a newline within an entry as \n.
void log_error(const exchange& x, const outcome& o) {
    const char* const in = x.current_phase == phase::handler ? "" : name_of(x.current_phase);
    const char* const space = *in == '\0' ? "" : ": ";
    if (o.file.empty())
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, x.r, "mruby: %s%s%s", in, space, o.message.c_str());
    else if (o.line == 0)
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, x.r, "mruby: %s%s%s: %s", in, space, o.file.c_str(), o.message.c_str());
    else
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, x.r, "mruby: %s%s%s:%d: %s", in, space, o.file.c_str(), o.line,
                      o.message.c_str());
    const std::size_t frames = std::min(o.backtrace.size(), most_frames);
    for (std::size_t i = 0; i < frames; ++i)
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, x.r, "mruby:     from %s", o.backtrace[i].c_str());
    if (o.backtrace.size() > frames)
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, x.r, "mruby:     and %zu more", o.backtrace.size() - frames);
}

const char* as_text(const exchange& x, const outcome& o) {
    std::string all;
    if (!o.file.empty()) all.append(o.file);
    if (o.line != 0) all.append(":").append(std::to_string(o.line));
    if (!o.file.empty()) all.append(": ");
    all.append(o.message).append("\n");
    for (const std::string& frame : o.backtrace) all.append("    from ").append(frame).append("\n");
    return apr_pstrmemdup(x.r->pool, all.data(), all.size());
}

/// The error as the response, for who asked to see it: plain text that no browser takes for anything else.
int show(exchange& x, int status, const char* text) {
    x.r->status = status;
    x.r->status_line = nullptr;
    ap_set_content_type(x.r, "text/plain; charset=utf-8");
    apr_table_setn(x.r->headers_out, "X-Content-Type-Options", "nosniff");
    apr_table_unset(x.r->headers_out, "Content-Length");
    apr_table_unset(x.r->headers_out, "Content-Encoding");
    x.finished = false;
    x.append(text);
    return x.finish();
}

bool may_respond(const exchange& x) noexcept {
    return x.current_phase == phase::handler || x.current_phase == phase::quick_handler;
}

bool is_status(int code) noexcept { return code >= 200 && code <= 599; }

// What is printed goes to the client by then.
constexpr char so_early[] = "before it flushes or has printed 64 KB";

/// What a wrong answer, which is an error of the script, is to httpd.
int refused(exchange& x) { return x.started() ? x.break_off() : HTTP_INTERNAL_SERVER_ERROR; }

/// What a handler's end is to httpd.
int conclude_handler(exchange& x, const mruby::script& s) {
    request_rec* const r = x.r;
    // A quick handler that says nothing has handled what it printed to.
    const int answer =
        x.current_phase == phase::quick_handler && !x.answered && (x.started() || !x.pending().empty()) ? OK : x.answer;
    if (answer == OK || answer == DONE) return x.finish();
    if (answer == DECLINED) {
        if (!x.started()) return DECLINED;
        log_wrong(x, s, "the script answered DECLINED after a part of the response was sent: it can %s", so_early);
        return refused(x);
    }
    if (!is_status(answer)) {
        log_wrong(x, s,
                  "the script answered %d, which a handler cannot: Apache.return takes OK, DONE, DECLINED or a status from 200 "
                  "to 599",
                  answer);
        return refused(x);
    }
    if (!x.started()) put_into_words(r, answer);
    if (answer < 300) {
        if (!x.started()) r->status = answer;
        return x.finish();
    }
    if (x.started()) {
        log_wrong(x, s, "the script answered %d after a part of the response was sent as %d: it can %s", answer, r->status,
                  so_early);
        return refused(x);
    }
    return answer;
}

/// The same for the phases that only judge a request.
int conclude_hook(exchange& x, const mruby::script& s) {
    // After DECLINED httpd would name another file, and refuse what goes to a proxy. In map_to_storage it goes on with
    // this one, and OK would leave out what is said about the file's folders.
    if (x.current_phase == phase::translate_name && !x.answered && x.names_file) return OK;
    if (x.answer == DONE) {
        // The hook has made the response itself. A subrequest at this point only asks what would be.
        if (x.r->main != nullptr) return DONE;
        exchange response(x.r, phase::handler, x.config);
        response.append(x.pending());
        const int done = response.finish();
        return done == OK ? DONE : done;
    }
    if (x.answer == OK || x.answer == DECLINED) return x.answer;
    // Success is OK; httpd takes any other code for a refusal.
    if (x.answer >= 300 && is_status(x.answer)) return put_into_words(x.r, x.answer), x.answer;
    log_wrong(x, s,
              "the script answered %d, which a hook cannot: here Apache.return takes OK, DECLINED, DONE (what is printed "
              "is the response) or a status from 300 to 599",
              x.answer);
    return refused(x);
}

int conclude(exchange& x, const mruby::script& s, int failed, const char* shown) {
    // Unless somebody else is to answer, who may want it.
    const bool answers = failed != 0 || (x.redirect_to == nullptr && x.answer != DECLINED);
    if (may_respond(x) && answers && !x.started()) take_small_body(x.r);
    if (failed != 0) {
        if (may_respond(x) && x.started()) return x.break_off();
        x.discard();
        if (shown != nullptr && x.config.errors_to_client == on_off::on && may_respond(x) && failed >= 500)
            return show(x, failed, shown);
        return failed;
    }
    if (x.overflown()) {
        log_overflow(x, s);
        x.discard();
        return may_respond(x) && x.started() ? x.break_off() : HTTP_INTERNAL_SERVER_ERROR;
    }
    if (x.redirect_to != nullptr && x.r->main == nullptr) {
        if (x.started()) {
            log_wrong(x, s, "internal_redirect is of no use after a part of the response was sent: the script can redirect %s",
                      so_early);
            return refused(x);
        }
        x.discard();
        ap_internal_redirect(x.redirect_to, x.r);
        return may_respond(x) ? OK : DONE;
    }
    return may_respond(x) ? conclude_handler(x, s) : conclude_hook(x, s);
}

}  // namespace

int run(exchange& x, const mruby::script& s, const source& from, const char*& shown) {
    outcome o;
    {
        mruby::borrowed_vm borrowed(profile_of(x.config), o);
        if (mruby::vm* const v = borrowed.get()) v->run(s, x.config.limits(), &x, o);
    }
    if (o) [[likely]]
        return 0;
    log_error(x, o);
    shown = without_memory(x.r, static_cast<const char*>(nullptr), [&] { return as_text(x, o); });
    return status_of(x, o, from);
}

void log_wrong(const exchange& x, const mruby::script& s, const char* format, ...) {
    va_list values;
    va_start(values, format);
    const char* const what = apr_pvsprintf(x.r->pool, format, values);
    va_end(values);
    // Of a file all of it is meant; code of the configuration begins at a line.
    const char* const line = s.key.empty() ? "" : apr_psprintf(x.r->pool, ":%d", s.first_line);
    ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, x.r, "mruby: %s: %.*s%s: %s", name_of(x.current_phase),
                  static_cast<int>(s.name.size()), s.name.data(), line, what);
}

void log_overflow(const exchange& x, const mruby::script& s) {
    if (may_respond(x))
        log_wrong(x, s, "there is no memory for what the script prints");
    else
        log_wrong(x, s,
                  "the script printed more than the %d MB that are kept until its end: it has to print less, or to be a "
                  "handler, whose output is sent as it comes",
                  static_cast<int>(exchange::most_kept >> 20));
}

int run_file(request_rec* r, const directory_config& c) noexcept {
    return without_memory(r, HTTP_INTERNAL_SERVER_ERROR, [&] {
        source from;
        from.r = r;
        const char* shown = nullptr;
        exchange x(r, phase::handler, c);
        const mruby::script s = script_of_file(from, c.reuse());
        const int failed = run(x, s, from, shown);
        return conclude(x, s, failed, shown);
    });
}

int run_code(request_rec* r, phase p, const code& what, const directory_config& c) noexcept {
    return without_memory(r, HTTP_INTERNAL_SERVER_ERROR, [&] {
        source from;
        from.r = r;
        const char* shown = nullptr;
        exchange x(r, p, c);
        const mruby::script s = script_of(from, what, c.reuse());
        const int failed = run(x, s, from, shown);
        return conclude(x, s, failed, shown);
    });
}

}  // namespace kumihimo::inline v0::apache
