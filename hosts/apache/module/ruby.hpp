// The Ruby classes: Apache and what is in it. What their natives share is here; each ruby_*.cpp defines a class or
// two.
//
// An object of these classes holds a handle: which run it belongs to, whose request, and which table of it. The handle
// is looked at before every use, so that an object that outlived its run raises Apache::StaleError. Natives that are
// alike are instances of one template (field, set_field) in a table of methods.
#pragma once
#include <concepts>
#include <span>
#include <type_traits>

#include "exchange.hpp"
#include "whole_request.hpp"

namespace kumihimo::inline v0::apache {

using mruby::host_section;
using mruby::vm;
using mruby::waiting_section;

/// Defines them all in a new VM (profile.define). Built-in names for `require`: Apache, apache.
void define_ruby(mrb_state*);

// One for each file; `apache` is the class Apache.
void define_constants(mrb_state*, RClass* apache);
void define_request(mrb_state*, RClass* apache);
void define_tables(mrb_state*, RClass* apache);
void define_finfo(mrb_state*, RClass* apache);
void define_body(mrb_state*, RClass* apache);
void define_forms(mrb_state*, RClass* apache);
void define_data(mrb_state*, RClass* apache);
void define_response(mrb_state*, RClass* apache);
void define_connection(mrb_state*, RClass* apache);
void define_server(mrb_state*, RClass* apache);
void define_scoreboard(mrb_state*, RClass* apache);
void define_filter(mrb_state*, RClass* apache);
void define_authn(mrb_state*, RClass* apache);
void define_subrequest(mrb_state*, RClass* apache);
void define_run(mrb_state*, RClass* apache);
/// What of it is written in Ruby; after all the others.
void define_prelude(mrb_state*);

/// Which table of a request an object stands for: its rules differ.
enum class table : std::uint8_t { none, headers_in, headers_out, err_headers_out, notes, env };

/// What an object of these classes holds. It lies in mruby's memory, and goes with it.
struct handle {
    std::uint64_t run;
    request_rec* r;
    apr_bucket_brigade* taken;  // a filter's: what was taken out of the brigade to be read piece by piece
    table which;
    bool finished;  // a subrequest's: it has run
    int found;      // a subrequest's: the status that httpd gave it, and who is to handle it
    const char* handler;
};

/// A new object of one of the classes, with a handle of this run.
mrb_value new_object(mrb_state*, const char* class_name, request_rec*, table = table::none);
/// The same for `initialize`: self gets the handle.
void begin_object(mrb_state*, mrb_value self, request_rec*, table = table::none);
/// `initialize` of the classes whose objects are about the run's request.
mrb_value stand_for_request(mrb_state*, mrb_value self) noexcept;
/// self's handle; raises StaleError when its run is over.
handle& handle_of(mrb_state*, mrb_value self);
inline request_rec* request_of(mrb_state* mrb, mrb_value self) { return handle_of(mrb, self).r; }

/// Apache::Error and the like. They do not return.
[[noreturn]] void raise(mrb_state*, const char* class_name, const char* text);
[[noreturn]] void raise_phase(mrb_state*, const exchange&, const char* what);
/// The exchange, if the script can still print; raises otherwise.
exchange& response_to_write(mrb_state*);
/// The native's arguments `[level,] message` to httpd's error log; of `r`, or of the run when null.
void log_arguments(mrb_state*, request_rec* r);
/// What is asked for makes sense where there is still a response to write.
void response_must_be_open(mrb_state*, const exchange&);

/// Bytes that mruby owns: valid as long as the value they came from.
struct bytes {
    const char* data;
    std::size_t size;
};
/// The text of a String, a Symbol or an Integer; TypeError for anything else.
bytes text_of(mrb_state*, mrb_value);
/// The method's one argument.
inline bytes text_argument(mrb_state* mrb) { return text_of(mrb, mrb_get_arg1(mrb)); }

/// What a text must be to go where it goes.
enum class rule : std::uint8_t {
    text,   // no NUL
    line,   // no control characters but tabs
    token,  // a name as HTTP has them
};
/// ArgumentError if the text breaks the rule.
void check(mrb_state*, bytes, rule);
/// A copy that httpd may keep, in r->pool. What a run keeps this way counts as its memory: NoMemoryError when it is
/// too much.
char* keep(mrb_state*, exchange&, apr_pool_t*, bytes);
/// Counts bytes of r->pool that a run causes to be taken otherwise; before they are taken.
void charge(mrb_state*, exchange&, std::size_t);
/// What a piece of a pool takes beside its size: the NUL behind a text, and up to the next multiple.
inline constexpr std::size_t pool_overhead = 17;
/// What a copy of a table takes, and httpd's sorting of it.
inline std::size_t copying(const apr_table_t* t) {
    return 3 * sizeof(apr_table_entry_t) * static_cast<std::size_t>(apr_table_elts(t)->nelts);
}
/// Counts a subrequest, or a handler that is run by hand. Apache::Error when there were too many.
exchange& go_within(mrb_state*, exchange&);

inline mrb_value to_ruby(mrb_state* mrb, const char* s) { return s ? mrb_str_new_cstr(mrb, s) : mrb_nil_value(); }
template <std::integral T>
mrb_value to_ruby(mrb_state* mrb, T v) {
    if constexpr (std::is_same_v<T, bool>)
        return mrb_bool_value(v);
    else
        return mrb_int_value(mrb, static_cast<mrb_int>(v));
}
template <class T>
requires std::is_enum_v<T> mrb_value to_ruby(mrb_state* mrb, T v) { return mrb_int_value(mrb, static_cast<mrb_int>(v)); }

/// The records that hang on a request.
template <class Record>
Record* record(request_rec* r) {
    if constexpr (std::is_same_v<Record, request_rec>)
        return r;
    else if constexpr (std::is_same_v<Record, conn_rec>)
        return r->connection;
    else if constexpr (std::is_same_v<Record, server_rec>)
        return r->server;
    else
        return &r->finfo;
}
template <class T, class Record>
Record record_of(T Record::*);

/// A native that reads a member: `field<&request_rec::uri>`.
template <auto Member>
mrb_value field(mrb_state* mrb, mrb_value self) noexcept {
    using record_type = decltype(record_of(Member));
    return to_ruby(mrb, record<record_type>(request_of(mrb, self))->*Member);
}
/// The same, true or false.
template <auto Member>
mrb_value flag(mrb_state* mrb, mrb_value self) noexcept {
    using record_type = decltype(record_of(Member));
    return mrb_bool_value(!!(record<record_type>(request_of(mrb, self))->*Member));
}
/// A native that asks httpd: `asked<f>`, where f takes a request_rec*. In a host_section.
template <auto Ask>
mrb_value asked(mrb_state* mrb, mrb_value self) noexcept {
    request_rec* const r = request_of(mrb, self);
    decltype(Ask(r)) answer;
    {
        host_section section;
        const whole_request whole(r);
        answer = Ask(r);
    }
    return to_ruby(mrb, answer);
}
/// The same for a text that httpd may make anew each time, in r->pool. May wait.
template <auto Make>
mrb_value made(mrb_state* mrb, mrb_value self) noexcept {
    request_rec* const r = request_of(mrb, self);
    exchange& x = exchange::of(mrb);
    charge(mrb, x, 256);
    const char* text;
    {
        waiting_section section;
        const whole_request whole(r);
        text = Make(r);
    }
    if (text) charge(mrb, x, std::strlen(text));
    return to_ruby(mrb, text);
}
enum class nil : std::uint8_t { refused, is_null };
/// A native that writes a text member; the value is its result.
template <auto Member, rule Rule, nil Nil = nil::refused>
mrb_value set_field(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value value = mrb_get_arg1(mrb);
    request_rec* const r = request_of(mrb, self);
    char* copy = nullptr;
    if (Nil == nil::refused || !mrb_nil_p(value)) {
        const bytes text = text_of(mrb, value);
        check(mrb, text, Rule);
        copy = keep(mrb, exchange::of(mrb), r->pool, text);
    }
    r->*Member = copy;
    return value;
}

struct method {
    const char* name;
    mrb_func_t call;
    mrb_aspec arguments = MRB_ARGS_NONE();
};
void define_methods(mrb_state*, RClass*, std::span<const method>);
void define_class_methods(mrb_state*, RClass*, std::span<const method>);
/// A class whose objects hold handles; Object's when `super` is null.
RClass* define_class(mrb_state*, RClass* apache, const char* name, std::span<const method>, RClass* super = nullptr);

/// A header of the response, by the rules of its name: Content-Type and Content-Length go where httpd keeps them,
/// framing is httpd's own. `add`: beside others of the name. A null value takes it away.
void set_header(mrb_state*, exchange&, request_rec*, table, bytes name, const bytes* value, bool add);
/// httpd's CGI variables go into the request's environment.
void fill_env(mrb_state*, request_rec*);
/// An HTTP status that a response may have; ArgumentError otherwise.
int status_of(mrb_state*, mrb_value);

}  // namespace kumihimo::inline v0::apache
