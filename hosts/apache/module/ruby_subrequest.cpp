// Apache::Subrequest: what httpd makes of another address or file, and its output in the middle of the response.
#include "reading.hpp"
#include "ruby.hpp"

namespace kumihimo::inline v0::apache {
namespace {

exchange& asker_of(mrb_state* mrb, const request_rec* r) {
    exchange& x = exchange::of(mrb);
    if (x.current_phase < phase::access_checker || x.current_phase > phase::handler || !r->uri || !r->filename)
        raise_phase(mrb, x, "subrequests can be made by handlers, and by hooks from access_checker to fixups");
    return go_within(mrb, x);
}

// What a script sets afterwards makes nothing of it that httpd has not found.
mrb_value subrequest(mrb_state* mrb, request_rec* made) {
    const mrb_value object = new_object(mrb, "Subrequest", made);
    handle& h = handle_of(mrb, object);
    h.found = made->status;
    h.handler = made->handler;
    return object;
}

mrb_value lookup_uri(mrb_state* mrb, mrb_value self) noexcept {
    mrb_value uri, method_name = mrb_nil_value();
    mrb_get_args(mrb, "o|o", &uri, &method_name);
    request_rec* const r = request_of(mrb, self);
    exchange& x = asker_of(mrb, r);
    const bytes name = mrb_nil_p(method_name) ? bytes{"GET", 3} : text_of(mrb, method_name);
    check(mrb, name, rule::token);
    const char* const method = keep(mrb, x, r->pool, name);
    const bytes address = text_of(mrb, uri);
    check(mrb, address, rule::line);
    if (!address.size) mrb_raisef(mrb, E_ARGUMENT_ERROR, "%n: the address is empty", mrb_get_mid(mrb));
    const char* const where = keep(mrb, x, r->pool, address);
    request_rec* made;
    {
        waiting_section section;
        methods_of(r);
        made = ap_sub_req_method_uri(method, where, r, r->output_filters);
    }
    return subrequest(mrb, made);
}

mrb_value lookup_file(mrb_state* mrb, mrb_value self) noexcept {
    const bytes name = text_argument(mrb);
    request_rec* const r = request_of(mrb, self);
    exchange& x = asker_of(mrb, r);
    check(mrb, name, rule::text);
    if (!name.size) mrb_raise(mrb, E_ARGUMENT_ERROR, "lookup_file: the name is empty");
    const char* const path = keep(mrb, x, r->pool, name);
    const bool may_read = vm::of(mrb)->made_with().allow.read;
    request_rec* made;
    {
        waiting_section section;
        methods_of(r);
        made = ap_sub_req_lookup_file(path, r, r->output_filters);
        if (!may_read && made->finfo.filetype != APR_NOFILE && !is_within_root(r, made->filename)) {
            made->status = HTTP_FORBIDDEN;
            made->finfo = {};
        }
    }
    return subrequest(mrb, made);
}

mrb_value made_otherwise(mrb_state* mrb, mrb_value) noexcept {
    mrb_raise(mrb, E_NOTIMP_ERROR, "subrequests are made by Apache::Request#subrequest(uri) and #lookup_file(path)");
    __builtin_unreachable();
}

// Its output comes behind what is printed so far. The status of what was found, without output, if that is not 200.
mrb_value run(mrb_state* mrb, mrb_value self) noexcept {
    handle& h = handle_of(mrb, self);
    exchange& x = response_to_write(mrb);
    if (x.current_phase != phase::handler) raise_phase(mrb, x, "a subrequest's output belongs into a handler's");
    if (h.finished) raise(mrb, "Error", "this subrequest has been run: make another one");
    request_rec* const made = h.r;
    if (made->status != HTTP_OK || h.found != HTTP_OK) return mrb_fixnum_value(h.found != HTTP_OK ? h.found : made->status);
    if (made->handler != h.handler && !vm::of(mrb)->made_with().allow.read) {
        bool shows;
        {
            host_section section;
            shows = shows_source(made);
        }
        if (shows) mrb_raisef(mrb, E_ARGUMENT_ERROR, "run: %s: %s", made->filename, because(refusal::handled));
    }
    h.finished = true;
    int result = OK;
    bool alive;
    {
        host_section section;
        apr_table_unset(x.r->headers_out, "Content-Length");
        if (!x.r->content_type) ap_set_content_type(x.r, "text/html; charset=utf-8");
        alive = x.hand_over();
    }
    if (alive) {
        waiting_section section;
        result = ap_run_sub_req(made);
    }
    return mrb_fixnum_value(result == OK ? made->status : result);
}

constexpr method of_request[] = {
    {"subrequest", lookup_uri, MRB_ARGS_ARG(1, 1)},
    {"lookup_uri", lookup_uri, MRB_ARGS_ARG(1, 1)},
    {"lookup_file", lookup_file, MRB_ARGS_REQ(1)},
};
constexpr method methods[] = {
    {"initialize", made_otherwise, MRB_ARGS_ANY()},
    {"run", run},
};

}  // namespace

void define_subrequest(mrb_state* mrb, RClass* apache) {
    RClass* const request = mrb_class_get_under(mrb, apache, "Request");
    define_methods(mrb, request, of_request);
    define_class(mrb, apache, "Subrequest", methods, request);
}

}  // namespace kumihimo::inline v0::apache
