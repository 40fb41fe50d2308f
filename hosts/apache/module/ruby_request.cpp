// Apache::Request: the fields of request_rec, and what httpd tells about them.
#include "hosts/mruby/src/characters.hpp"
#include "reading.hpp"
#include "request_state.hpp"
#include "ruby.hpp"

namespace kumihimo::inline v0::apache {
namespace {

// -- what is asked

const char* scheme(request_rec* r) { return ap_http_scheme(r); }
bool is_https(request_rec* r) { return !std::strcmp(ap_http_scheme(r), "https"); }
bool is_initial(request_rec* r) { return ap_is_initial_req(r); }
const char* construct_url(request_rec* r) { return ap_construct_url(r->pool, r->unparsed_uri, r); }
const char* etag(request_rec* r) { return ap_make_etag(r, 0); }

mrb_value has_main(mrb_state* mrb, mrb_value self) noexcept { return mrb_bool_value(request_of(mrb, self)->main != nullptr); }
mrb_value has_prev(mrb_state* mrb, mrb_value self) noexcept { return mrb_bool_value(request_of(mrb, self)->prev != nullptr); }
mrb_value has_next(mrb_state* mrb, mrb_value self) noexcept { return mrb_bool_value(request_of(mrb, self)->next != nullptr); }

mrb_value seconds(mrb_state* mrb, apr_time_t t) { return mrb_float_value(mrb, static_cast<mrb_float>(t) / APR_USEC_PER_SEC); }
mrb_value request_time(mrb_state* mrb, mrb_value self) noexcept { return seconds(mrb, request_of(mrb, self)->request_time); }
mrb_value response_time(mrb_state* mrb, mrb_value self) noexcept {
    request_rec* const r = request_of(mrb, self);
    apr_time_t now;
    {
        host_section section;
        now = apr_time_now();
    }
    return seconds(mrb, now - r->request_time);
}

template <table Which>
mrb_value table_object(mrb_state* mrb, mrb_value self) noexcept {
    constexpr const char* names[] = {nullptr, "Headers_in", "Headers_out", "Err_headers_out", "Notes", "Env"};
    request_rec* const r = request_of(mrb, self);
    if (Which == table::env) fill_env(mrb, r);
    return new_object(mrb, names[static_cast<int>(Which)], r, Which);
}
template <auto Name>
mrb_value part_object(mrb_state* mrb, mrb_value self) noexcept {
    return new_object(mrb, Name(), request_of(mrb, self));
}
constexpr const char* connection_name() { return "Connection"; }
constexpr const char* server_name() { return "Server"; }
constexpr const char* finfo_name() { return "Finfo"; }

// -- what is set

mrb_value set_method(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value value = set_field<&request_rec::method, rule::token>(mrb, self);
    request_rec* const r = request_of(mrb, self);
    host_section section;
    r->method_number = ap_method_number_of(r->method);
    return value;
}

mrb_value set_args(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value value = set_field<&request_rec::args, rule::text, nil::is_null>(mrb, self);
    request_rec* const r = request_of(mrb, self);
    r->parsed_uri.query = r->args;
    return value;
}

// What httpd knows about the file is of the old one: the handlers look there.
refusal rename_file(request_rec* r, char* path, bool may_read) noexcept {
    if (std::strncmp(path, "proxy:", 6) != 0) {
        if (const refusal no = may_read || only_judging() ? refusal::none : judge_name(r, path); no != refusal::none) return no;
        if (apr_stat(&r->finfo, path, APR_FINFO_MIN, r->pool) != APR_SUCCESS) r->finfo.filetype = APR_NOFILE;
    }
    r->filename = path;
    return refusal::none;
}

// Until httpd has looked at the file and its folders itself, and when nobody looks any more, any name will do.
mrb_value set_filename(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value value = mrb_get_arg1(mrb);
    request_rec* const r = request_of(mrb, self);
    exchange& x = exchange::of(mrb);
    const bytes name = text_of(mrb, value);
    check(mrb, name, rule::text);
    charge(mrb, x, name.size + 64);
    char* const path = keep(mrb, x, r->pool, name);
    if (r == x.r && (x.current_phase < phase::access_checker || x.current_phase == phase::quick_handler ||
                     x.current_phase == phase::log_transaction)) {
        r->filename = path;
        x.names_file = true;
        return value;
    }
    const bool may_read = vm::of(mrb)->made_with().allow.read;
    refusal why;
    {
        host_section section;
        why = rename_file(r, path, may_read);
    }
    if (why != refusal::none) mrb_raisef(mrb, E_ARGUMENT_ERROR, "filename=: %s: %s", path, because(why));
    return value;
}

mrb_value set_status(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value value = mrb_get_arg1(mrb);
    request_rec* const r = request_of(mrb, self);
    const int status = status_of(mrb, value);
    exchange& x = exchange::of(mrb);
    response_must_be_open(mrb, x);
    charge(mrb, x, 32);
    host_section section;
    r->status = status;
    r->status_line = nullptr;
    put_into_words(r, status);
    return value;
}

// "200 OK": httpd sends it only if it is that of the status.
mrb_value set_status_line(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value value = mrb_get_arg1(mrb);
    request_rec* const r = request_of(mrb, self);
    const bytes line = text_of(mrb, value);
    check(mrb, line, rule::line);
    const auto digit = [&](std::size_t i) { return mruby::is_digit(line.data[i]); };
    if (line.size < 3 || !digit(0) || !digit(1) || !digit(2) || (line.size > 3 && line.data[3] != ' '))
        mrb_raise(mrb, E_ARGUMENT_ERROR, "a status line is a status and its reason: \"404 Not Found\"");
    const int status = (line.data[0] - '0') * 100 + (line.data[1] - '0') * 10 + (line.data[2] - '0');
    status_of(mrb, mrb_fixnum_value(status));
    exchange& x = exchange::of(mrb);
    response_must_be_open(mrb, x);
    r->status_line = keep(mrb, x, r->pool, line);
    r->status = status;
    return value;
}

mrb_value set_content_type(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value value = mrb_get_arg1(mrb);
    request_rec* const r = request_of(mrb, self);
    exchange& x = exchange::of(mrb);
    if (mrb_nil_p(value)) {
        response_must_be_open(mrb, x);
        r->content_type = nullptr;
        return value;
    }
    const bytes type = text_of(mrb, value);
    set_header(mrb, x, r, table::headers_out, {"Content-Type", 12}, &type, false);
    return value;
}

mrb_value set_content_length(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value value = mrb_get_arg1(mrb);
    request_rec* const r = request_of(mrb, self);
    const bytes length = text_of(mrb, value);
    set_header(mrb, exchange::of(mrb), r, table::headers_out, {"Content-Length", 14}, &length, false);
    return value;
}

mrb_value set_document_root(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value value = mrb_get_arg1(mrb);
    request_rec* const r = request_of(mrb, self);
    const bytes path = text_of(mrb, value);
    check(mrb, path, rule::text);
    exchange& x = exchange::of(mrb);
    const char* const copy = keep(mrb, x, r->pool, path);
    host_section section;
    // Of this request alone. What may be read is what was in the one before, once httpd has judged the request.
    if (request_state& known = state_of(r); !known.document_root && x.current_phase >= phase::access_checker)
        known.document_root = ap_document_root(r);
    ap_set_document_root(r, copy);
    return value;
}

mrb_value set_proxyreq(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value value = mrb_get_arg1(mrb);
    request_rec* const r = request_of(mrb, self);
    const mrb_int way = mrb_as_int(mrb, value);
    if (way < PROXYREQ_NONE || way > PROXYREQ_RESPONSE)
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "%i is none of Apache::PROXYREQ_NONE, _PROXY, _REVERSE, _RESPONSE", way);
    r->proxyreq = static_cast<int>(way);
    return value;
}

template <auto Member>
mrb_value set_flag(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value value = mrb_get_arg1(mrb);
    request_of(mrb, self)->*Member = mrb_test(value) && !(mrb_integer_p(value) && mrb_integer(value) == 0);
    return value;
}

// -- the methods that the resource knows: what OPTIONS and 405 tell (the Allow header)

mrb_value allowed_methods(mrb_state* mrb, mrb_value self) noexcept {
    request_rec* const r = request_of(mrb, self);
    const mrb_value list = mrb_ary_new(mrb);
    const apr_int64_t allowed = r->allowed | (r->allowed_methods ? r->allowed_methods->method_mask : 0);
    for (int i = 0; i < M_INVALID; i++) {
        if (!(allowed & (AP_METHOD_BIT << i))) continue;
        const char* name = "GET";  // httpd has one number for GET and HEAD
        if (i != M_GET) {
            charge(mrb, exchange::of(mrb), 64);  // it goes through a hash
            host_section section;
            name = ap_method_name_of(r->pool, i);
        }
        if (name) mrb_ary_push(mrb, list, to_ruby(mrb, name));
    }
    for (int i = 0; r->allowed_methods && i < r->allowed_methods->method_list->nelts; i++)
        mrb_ary_push(mrb, list, to_ruby(mrb, reinterpret_cast<char**>(r->allowed_methods->method_list->elts)[i]));
    return list;
}

mrb_value set_allowed_methods(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value value = mrb_get_arg1(mrb);
    request_rec* const r = request_of(mrb, self);
    const mrb_value list = mrb_ensure_array_type(mrb, value);
    exchange& x = exchange::of(mrb);
    for (mrb_int i = 0; i < RARRAY_LEN(list); i++) check(mrb, text_of(mrb, RARRAY_PTR(list)[i]), rule::token);
    {
        host_section section;
        r->allowed = 0;
        ap_clear_method_list(&methods_of(r));
    }
    for (mrb_int i = 0; i < RARRAY_LEN(list); i++) {
        const char* const name = keep(mrb, x, r->pool, text_of(mrb, RARRAY_PTR(list)[i]));
        charge(mrb, x, 4 * sizeof name);
        host_section section;
        ap_method_list_add(r->allowed_methods, name);
        if (const int number = ap_method_number_of(name); number != M_INVALID) r->allowed |= AP_METHOD_BIT << number;
    }
    return value;
}

// -- what is done

mrb_value log(mrb_state* mrb, mrb_value self) noexcept {
    log_arguments(mrb, request_of(mrb, self));
    return self;
}

mrb_value error_log_into(mrb_state* mrb, mrb_value) noexcept {
    mrb_raise(mrb, E_NOTIMP_ERROR,
              "error_log_into would send the whole process's messages elsewhere: use Apache.log, and ErrorLog");
    __builtin_unreachable();
}

// The handler of the moment may be the one this script is: it is no loop, as that would be another request's.
mrb_value run_handler(mrb_state* mrb, mrb_value self) noexcept {
    request_rec* const r = request_of(mrb, self);
    exchange& x = response_to_write(mrb);
    if (x.current_phase != phase::fixups && x.current_phase != phase::handler)
        raise_phase(mrb, x, "run_handler is for handlers and fixups, when it is known which handler it is");
    go_within(mrb, x);
    const bool may_read = vm::of(mrb)->made_with().allow.read;
    bool shows;
    {
        host_section section;
        shows = !may_read && shows_source(r);
        if (!shows) x.hand_over();
    }
    if (shows) mrb_raisef(mrb, E_ARGUMENT_ERROR, "run_handler: %s: %s", r->filename, because(refusal::handled));
    int result;
    {
        waiting_section section;
        result = ap_invoke_handler(r);
    }
    return mrb_fixnum_value(result);
}

constexpr auto one = MRB_ARGS_REQ(1);
// What is the response's: Apache::Response has it too.
constexpr method of_response[] = {
    {"status", field<&request_rec::status>},
    {"status=", set_status, one},
    {"status_line", field<&request_rec::status_line>},
    {"status_line=", set_status_line, one},
    {"content_type", field<&request_rec::content_type>},
    {"content_type=", set_content_type, one},
    {"content_length", field<&request_rec::clength>},
    {"clength", field<&request_rec::clength>},
    {"content_length=", set_content_length, one},
    {"content_encoding", field<&request_rec::content_encoding>},
    {"content_encoding=", set_field<&request_rec::content_encoding, rule::line, nil::is_null>, one},
    {"sent_bodyct", field<&request_rec::sent_bodyct>},
    {"bytes_sent", field<&request_rec::bytes_sent>},
    {"headers_out", table_object<table::headers_out>},
    {"err_headers_out", table_object<table::err_headers_out>},
};

constexpr method methods[] = {
    {"initialize", stand_for_request},
    {"the_request", field<&request_rec::the_request>},
    {"the_request=", set_field<&request_rec::the_request, rule::line>, one},
    {"protocol", field<&request_rec::protocol>},
    {"protocol=", set_field<&request_rec::protocol, rule::line>, one},
    {"proto_num", field<&request_rec::proto_num>},
    {"assbackwards", field<&request_rec::assbackwards>},
    {"header_only", field<&request_rec::header_only>},
    {"header_only?", flag<&request_rec::header_only>},
    {"hostname", field<&request_rec::hostname>},
    {"hostname=", set_field<&request_rec::hostname, rule::line>, one},
    {"method", field<&request_rec::method>},
    {"method=", set_method, one},
    {"method_number", field<&request_rec::method_number>},
    {"allowed_methods", allowed_methods},
    {"allowed_methods=", set_allowed_methods, one},
    {"unparsed_uri", field<&request_rec::unparsed_uri>},
    {"unparsed_uri=", set_field<&request_rec::unparsed_uri, rule::text>, one},
    {"uri", field<&request_rec::uri>},
    {"uri=", set_field<&request_rec::uri, rule::text>, one},
    {"args", field<&request_rec::args>},
    {"args=", set_args, one},
    {"path_info", field<&request_rec::path_info>},
    {"path_info=", set_field<&request_rec::path_info, rule::text>, one},
    {"used_path_info", field<&request_rec::used_path_info>},
    {"filename", field<&request_rec::filename>},
    {"filename=", set_filename, one},
    {"canonical_filename", field<&request_rec::canonical_filename>},
    {"canonical_filename=", set_field<&request_rec::canonical_filename, rule::text>, one},
    {"document_root", asked<ap_document_root>},
    {"document_root=", set_document_root, one},
    {"handler", field<&request_rec::handler>},
    {"handler=", set_field<&request_rec::handler, rule::line, nil::is_null>, one},
    {"proxyreq", field<&request_rec::proxyreq>},
    {"proxyreq=", set_proxyreq, one},
    {"user", field<&request_rec::user>},
    {"user=", set_field<&request_rec::user, rule::line, nil::is_null>, one},
    {"ap_auth_type", field<&request_rec::ap_auth_type>},
    {"ap_auth_type=", set_field<&request_rec::ap_auth_type, rule::line, nil::is_null>, one},
    {"auth_type", made<ap_auth_type>},
    {"auth_name", made<ap_auth_name>},
    {"vlist_validator", field<&request_rec::vlist_validator>},
    {"vlist_validator=", set_field<&request_rec::vlist_validator, rule::line, nil::is_null>, one},
    {"range", field<&request_rec::range>},
    {"range=", set_field<&request_rec::range, rule::line, nil::is_null>, one},
    {"etag", made<etag>},
    {"mtime", field<&request_rec::mtime>},
    {"chunked", field<&request_rec::chunked>},
    {"read_body", field<&request_rec::read_body>},
    {"read_chunked", field<&request_rec::read_chunked>},
    {"remaining", field<&request_rec::remaining>},
    {"read_length", field<&request_rec::read_length>},
    {"eos_sent", field<&request_rec::eos_sent>},
    {"no_cache", field<&request_rec::no_cache>},
    {"no_cache=", set_flag<&request_rec::no_cache>, one},
    {"no_local_copy", field<&request_rec::no_local_copy>},
    {"no_local_copy=", set_flag<&request_rec::no_local_copy>, one},
    {"log_id", field<&request_rec::log_id>},
    {"useragent_ip", field<&request_rec::useragent_ip>},
    {"remote_ip", field<&request_rec::useragent_ip>},
    {"request_time", request_time},
    {"response_time", response_time},
    {"scheme", asked<scheme>},
    {"https?", asked<is_https>},
    {"is_https?", asked<is_https>},
    {"port", asked<ap_get_server_port>},
    {"url", made<construct_url>},
    {"main?", has_main},
    {"sub_request?", has_main},
    {"prev?", has_prev},
    {"internal_redirect?", has_prev},
    {"next?", has_next},
    {"external_redirect?", has_next},
    {"initial?", asked<is_initial>},
    {"headers_in", table_object<table::headers_in>},
    {"headers", table_object<table::headers_in>},
    {"headers_err", table_object<table::err_headers_out>},
    {"notes", table_object<table::notes>},
    {"env", table_object<table::env>},
    {"finfo", part_object<finfo_name>},
    {"connection", part_object<connection_name>},
    {"server", part_object<server_name>},
    {"log", log, MRB_ARGS_ARG(1, 1)},
    {"error_log", log, MRB_ARGS_ARG(1, 1)},
    {"error_log_into", error_log_into, one},
    {"run_handler", run_handler},
};

}  // namespace

void define_request(mrb_state* mrb, RClass* apache) {
    define_methods(mrb, define_class(mrb, apache, "Request", methods), of_response);
    define_class(mrb, apache, "Response", of_response);
}

}  // namespace kumihimo::inline v0::apache
