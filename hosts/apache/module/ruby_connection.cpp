// Apache::Connection: the connection that the request came by.
#include "ruby.hpp"

namespace kumihimo::inline v0::apache {
namespace {

const conn_rec* connection_of(mrb_state* mrb, mrb_value self) { return request_of(mrb, self)->connection; }

template <apr_sockaddr_t* conn_rec::*Address>
mrb_value port(mrb_state* mrb, mrb_value self) noexcept {
    const apr_sockaddr_t* const address = connection_of(mrb, self)->*Address;
    return address ? mrb_fixnum_value(address->port) : mrb_nil_value();
}

// Looked up (DNS) only as HostnameLookups says.
const char* remote_host(request_rec* r) { return ap_get_remote_host(r->connection, r->per_dir_config, REMOTE_HOST, nullptr); }

mrb_value is_alive(mrb_state* mrb, mrb_value self) noexcept {
    return mrb_bool_value(!connection_of(mrb, self)->aborted && exchange::of(mrb).alive());
}
mrb_value is_secondary(mrb_state* mrb, mrb_value self) noexcept {
    return mrb_bool_value(connection_of(mrb, self)->master != nullptr);
}
mrb_value keeps_alive(mrb_state* mrb, mrb_value self) noexcept {
    return mrb_bool_value(connection_of(mrb, self)->keepalive == AP_CONN_KEEPALIVE);
}

constexpr method methods[] = {
    {"initialize", stand_for_request},
    {"remote_ip", field<&conn_rec::client_ip>},
    {"remote_port", port<&conn_rec::client_addr>},
    {"remote_host", made<remote_host>},
    {"remote_logname", field<&conn_rec::remote_logname>},
    {"local_ip", field<&conn_rec::local_ip>},
    {"local_port", port<&conn_rec::local_addr>},
    {"local_host", field<&conn_rec::local_host>},
    {"keepalives", field<&conn_rec::keepalives>},
    {"keepalive?", keeps_alive},
    {"data_in_input_filters", field<&conn_rec::data_in_input_filters>},
    {"id", field<&conn_rec::id>},
    {"log_id", field<&conn_rec::log_id>},
    {"aborted?", flag<&conn_rec::aborted>},
    {"alive?", is_alive},
    {"secondary?", is_secondary},
};

}  // namespace

void define_connection(mrb_state* mrb, RClass* apache) { define_class(mrb, apache, "Connection", methods); }

}  // namespace kumihimo::inline v0::apache
