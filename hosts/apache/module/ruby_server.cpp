// Apache::Server: the (virtual) server that the request is for.
#include "ruby.hpp"

namespace kumihimo::inline v0::apache {
namespace {

// Set for this request alone: the record is the whole process's, and other threads read it at this moment.
server_rec* own_server(mrb_state* mrb, request_rec* r) {
    charge(mrb, exchange::of(mrb), sizeof(server_rec));
    host_section section;
    r->server = static_cast<server_rec*>(apr_pmemdup(r->pool, r->server, sizeof(server_rec)));
    return r->server;
}

mrb_value set_log_level(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value value = mrb_get_arg1(mrb);
    request_rec* const r = request_of(mrb, self);
    const mrb_int level = mrb_as_int(mrb, value);
    if (level < APLOG_EMERG || level > APLOG_TRACE8)
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "%i is no level of httpd's: 0 to 15", level);
    server_rec* const s = own_server(mrb, r);
    s->log.level = static_cast<int>(level);
    charge(mrb, exchange::of(mrb), sizeof(ap_logconf));
    host_section section;
    auto* const log = static_cast<ap_logconf*>(apr_pmemdup(r->pool, r->log ? r->log : &s->log, sizeof(ap_logconf)));
    log->level = static_cast<int>(level);
    log->module_levels = nullptr;
    r->log = log;
    return value;
}

mrb_value log_level(mrb_state* mrb, mrb_value self) noexcept {
    const request_rec* const r = request_of(mrb, self);
    return mrb_fixnum_value((r->log ? r->log : &r->server->log)->level);
}

// Microseconds, as httpd has it.
mrb_value set_timeout(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value value = mrb_get_arg1(mrb);
    request_rec* const r = request_of(mrb, self);
    const mrb_int timeout = mrb_as_int(mrb, value);
    if (timeout <= 0) mrb_raisef(mrb, E_ARGUMENT_ERROR, "%i is no time to wait: microseconds, more than 0", timeout);
    own_server(mrb, r)->timeout = timeout;
    return value;
}

mrb_value set_error_fname(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value value = mrb_get_arg1(mrb);
    request_rec* const r = request_of(mrb, self);
    const bytes name = text_of(mrb, value);
    check(mrb, name, rule::text);
    char* const copy = keep(mrb, exchange::of(mrb), r->pool, name);
    own_server(mrb, r)->error_fname = copy;
    return value;
}

constexpr auto one = MRB_ARGS_REQ(1);
constexpr method methods[] = {
    {"initialize", stand_for_request},
    {"hostname", field<&server_rec::server_hostname>},
    {"admin", field<&server_rec::server_admin>},
    {"port", field<&server_rec::port>},
    {"redirect_server_port", field<&server_rec::port>},
    {"redirect_server_scheme", field<&server_rec::server_scheme>},
    {"path", field<&server_rec::path>},
    {"pathlen", field<&server_rec::pathlen>},
    {"document_root", asked<ap_document_root>},
    {"docroot", asked<ap_document_root>},
    {"error_fname", field<&server_rec::error_fname>},
    {"error_fname=", set_error_fname, one},
    {"loglevel", log_level},
    {"loglevel=", set_log_level, one},
    {"timeout", field<&server_rec::timeout>},
    {"timeout=", set_timeout, one},
    {"keep_alive", field<&server_rec::keep_alive>},
    {"keep_alive_max", field<&server_rec::keep_alive_max>},
    {"keep_alive_timeout", field<&server_rec::keep_alive_timeout>},
    {"limit_req_line", field<&server_rec::limit_req_line>},
    {"limit_req_fieldsize", field<&server_rec::limit_req_fieldsize>},
    {"limit_req_fields", field<&server_rec::limit_req_fields>},
    {"is_virtual", field<&server_rec::is_virtual>},
    {"virtual?", flag<&server_rec::is_virtual>},
    {"defn_name", field<&server_rec::defn_name>},
    {"defn_line_number", field<&server_rec::defn_line_number>},
};

}  // namespace

void define_server(mrb_state* mrb, RClass* apache) { define_class(mrb, apache, "Server", methods); }

}  // namespace kumihimo::inline v0::apache
