// Apache: what a script prints, answers, logs, and asks the server.
#include <syslog.h>
#include <unistd.h>

#include <ctime>

#include "ruby.hpp"

namespace kumihimo::inline v0::apache {
namespace {

mrb_value print(mrb_state* mrb, mrb_value self, bool newline) {
    mrb_value said = mrb_get_arg1(mrb);
    if (!mrb_string_p(said)) said = mrb_obj_as_string(mrb, said);
    exchange& x = response_to_write(mrb);
    host_section section;
    x.append(RSTRING_PTR(said), static_cast<std::size_t>(RSTRING_LEN(said)));
    if (newline) x.append("\n", 1);
    return self;
}
mrb_value rputs(mrb_state* mrb, mrb_value self) noexcept { return print(mrb, self, false); }
mrb_value echo(mrb_state* mrb, mrb_value self) noexcept { return print(mrb, self, true); }

mrb_value flush(mrb_state* mrb, mrb_value) noexcept {
    exchange& x = response_to_write(mrb);
    bool sent;
    {
        host_section section;
        sent = x.flush();
    }
    return mrb_bool_value(sent);
}

bool is_authn(phase p) { return p == phase::check_password || p == phase::realm_hash; }

// What each phase may answer, besides HTTP's statuses: httpd takes no other, and a suspended request would never end.
bool may_answer(phase p, mrb_int code) {
    if (is_authn(p)) return code >= AUTH_DENIED && code <= AUTH_GENERAL_ERROR;
    return code == OK || code == DECLINED || code == DONE || (code >= 100 && code <= 599);
}

mrb_value answer(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_int code = mrb_as_int(mrb, mrb_get_arg1(mrb));
    exchange& x = exchange::of(mrb);
    if (!may_answer(x.current_phase, code)) {
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "%i is no answer that %s can give: %s", code, name_of(x.current_phase),
                   is_authn(x.current_phase) ? "Apache::AuthnProvider::AUTH_GRANTED, AUTH_DENIED ..."
                                             : "Apache::OK, DECLINED, DONE, or an HTTP status");
    }
    // 200 is a success of the script's, not an error document of this status.
    x.answers(code == HTTP_OK && !is_authn(x.current_phase) ? OK : static_cast<int>(code));
    return self;
}

mrb_value request(mrb_state* mrb, mrb_value) noexcept { return new_object(mrb, "Request", exchange::of(mrb).r); }
mrb_value response(mrb_state* mrb, mrb_value) noexcept { return new_object(mrb, "Response", exchange::of(mrb).r); }
mrb_value connection(mrb_state* mrb, mrb_value) noexcept { return new_object(mrb, "Connection", exchange::of(mrb).r); }
mrb_value server(mrb_state* mrb, mrb_value) noexcept { return new_object(mrb, "Server", exchange::of(mrb).r); }
mrb_value phase_name(mrb_state* mrb, mrb_value) noexcept { return to_ruby(mrb, name_of(exchange::of(mrb).current_phase)); }

// -- messages

mrb_value log(mrb_state* mrb, mrb_value self) noexcept {
    log_arguments(mrb, nullptr);
    return self;
}

mrb_value to_syslog(mrb_state* mrb, mrb_value self) noexcept {
    mrb_int priority;
    mrb_value message;
    mrb_get_args(mrb, "io", &priority, &message);
    if (priority < 0 || priority > LOG_DEBUG)
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "%i is no level of syslog's: 0 (emerg) to 7 (debug)", priority);
    const bytes text = text_of(mrb, message);
    host_section section;
    // httpd may have opened it for its own log (ErrorLog syslog): its name and facility stay.
    ::syslog(static_cast<int>(priority), "%.*s", static_cast<int>(text.size), text.data);
    return self;
}

// The script's own time: in slices, so that a deadline is seen soon.
mrb_value sleep(mrb_state* mrb, mrb_value) noexcept {
    mrb_float seconds;
    mrb_get_args(mrb, "f", &seconds);
    if (!(seconds >= 0)) mrb_raise(mrb, E_ARGUMENT_ERROR, "sleep takes a number of seconds, 0 or more");
    constexpr double most = 1e9, slice = 0.05;
    const std::int64_t begun = mruby::deadline::now();
    const std::int64_t until = begun + static_cast<std::int64_t>((seconds < most ? seconds : most) * 1e9);
    for (std::int64_t now = begun; now < until; now = mruby::deadline::now()) {
        const std::int64_t rest = until - now;
        const std::int64_t nap = rest < static_cast<std::int64_t>(slice * 1e9) ? rest : static_cast<std::int64_t>(slice * 1e9);
        const timespec t{static_cast<time_t>(nap / 1'000'000'000), static_cast<long>(nap % 1'000'000'000)};
        host_section section;
        nanosleep(&t, nullptr);
    }
    return mrb_int_value(mrb, (mruby::deadline::now() - begun + 500'000'000) / 1'000'000'000);
}

// -- the server

mrb_value module_name(mrb_state* mrb, mrb_value) noexcept { return mrb_str_new_lit(mrb, "mod_mruby"); }
mrb_value module_version(mrb_state* mrb, mrb_value) noexcept { return mrb_str_new_lit(mrb, KUMIHIMO_VERSION); }
mrb_value server_version(mrb_state* mrb, mrb_value) noexcept {
    const char* said;
    {
        host_section section;
        said = ap_get_server_description();
    }
    return to_ruby(mrb, said);
}
mrb_value server_build(mrb_state* mrb, mrb_value) noexcept { return to_ruby(mrb, ap_get_server_built()); }
mrb_value thread_id(mrb_state*, mrb_value) noexcept {
    host_section section;
    return mrb_fixnum_value(gettid());
}
mrb_value server_name(mrb_state* mrb, mrb_value) noexcept { return mrb_str_new_lit(mrb, AP_SERVER_BASEPRODUCT); }
mrb_value server_class(mrb_state* mrb, mrb_value) noexcept { return mrb_obj_value(mrb_class_get(mrb, "Apache")); }

// -- mod_mruby had these for states that lived on

mrb_value remove_global_variable(mrb_state* mrb, mrb_value self) noexcept {
    mrb_sym name;
    mrb_get_args(mrb, "n", &name);
    mrb_gv_remove(mrb, name);
    return mrb_funcall(mrb, self, "global_variables", 0);
}
mrb_value count_arena(mrb_state* mrb, mrb_value) noexcept { return mrb_fixnum_value(mrb_gc_arena_save(mrb)); }

constexpr method class_methods[] = {
    {"rputs", rputs, MRB_ARGS_REQ(1)},
    {"write", rputs, MRB_ARGS_REQ(1)},
    {"echo", echo, MRB_ARGS_REQ(1)},
    {"flush", flush},
    {"return", answer, MRB_ARGS_REQ(1)},
    {"request", request},
    {"response", response},
    {"connection", connection},
    {"server", server},
    {"phase", phase_name},
    {"log", log, MRB_ARGS_ARG(1, 1)},
    {"errlogger", log, MRB_ARGS_ARG(1, 1)},
    {"syslog", to_syslog, MRB_ARGS_REQ(2)},
    {"syslogger", to_syslog, MRB_ARGS_REQ(2)},
    {"sleep", sleep, MRB_ARGS_REQ(1)},
    {"module_name", module_name},
    {"module_version", module_version},
    {"server_version", server_version},
    {"server_build", server_build},
    {"get_tid", thread_id},
    {"remove_global_variable", remove_global_variable, MRB_ARGS_REQ(1)},
    {"global_remove", remove_global_variable, MRB_ARGS_REQ(1)},
    {"count_arena", count_arena},
};

constexpr method kernel_methods[] = {
    {"server_name", server_name},
    {"get_server_class", server_class},
    {"sleep", sleep, MRB_ARGS_REQ(1)},
};

}  // namespace

exchange& response_to_write(mrb_state* mrb) {
    exchange& x = exchange::of(mrb);
    if (x.current_phase == phase::log_transaction) raise_phase(mrb, x, "the response has been sent already");
    if (x.finished) raise(mrb, "Error", "the response is finished: nothing can be added to it");
    return x;
}

void log_arguments(mrb_state* mrb, request_rec* r) {
    mrb_value first, second;
    mrb_int level = APLOG_NOTICE;
    if (mrb_get_args(mrb, "o|o", &first, &second) == 2)
        level = mrb_as_int(mrb, first);
    else
        second = first;
    if (level < APLOG_EMERG || level > APLOG_TRACE8)
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "%i is no level of httpd's: APLOG_EMERG (0) to APLOG_DEBUG (7), or up to 15", level);
    if (!mrb_string_p(second)) second = mrb_obj_as_string(mrb, second);
    const bytes text{RSTRING_PTR(second), static_cast<std::size_t>(RSTRING_LEN(second))};
    if (!r)
        if (exchange* const x = exchange::find(mrb)) r = x->r;
    host_section section;
    // httpd writes control characters as escapes, and cuts a line at 8 KB; at a NUL it would end.
    char line[HUGE_STRING_LEN];
    std::size_t n = 0;
    for (std::size_t i = 0; i < text.size && n < sizeof line - 3; i++) {
        if (text.data[i])
            line[n++] = text.data[i];
        else
            line[n++] = '\\', line[n++] = '0';
    }
    line[n] = 0;
    if (r)
        ap_log_rerror(APLOG_MARK, static_cast<int>(level), 0, r, "%s", line);
    else
        ap_log_error(APLOG_MARK, static_cast<int>(level), 0, ap_server_conf, "%s", line);
}

void define_ruby(mrb_state* mrb) {
    const int arena = mrb_gc_arena_save(mrb);
    RClass* const apache = mrb_define_class(mrb, "Apache", mrb->object_class);
    RClass* const error = mrb_define_class_under(mrb, apache, "Error", mrb->eStandardError_class);
    for (const char* const name : {"StaleError", "PhaseError", "ClientError", "BodyTooLarge"})
        mrb_define_class_under(mrb, apache, name, error);
    define_class_methods(mrb, apache, class_methods);
    define_methods(mrb, mrb->kernel_module, kernel_methods);
    for (const auto define : {define_constants, define_request, define_tables, define_finfo, define_body, define_forms,
                              define_response, define_data, define_connection, define_server, define_scoreboard, define_filter,
                              define_authn, define_subrequest, define_run}) {
        define(mrb, apache);
        mrb_gc_arena_restore(mrb, arena);
    }
    define_prelude(mrb);
    mrb_gc_arena_restore(mrb, arena);
}

}  // namespace kumihimo::inline v0::apache
