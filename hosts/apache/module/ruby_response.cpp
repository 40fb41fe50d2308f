// Apache::Response: what is written, sent, redirected. Status and headers are Request's natives (ruby_request.cpp).
#include "config.hpp"
#include "reading.hpp"
#include "ruby.hpp"

namespace kumihimo::inline v0::apache {
namespace {

mrb_value headers(mrb_state* mrb, mrb_value self) noexcept {
    return new_object(mrb, "Headers_out", request_of(mrb, self), table::headers_out);
}

// All the arguments, without anything between; the number of bytes.
mrb_value write(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value* said;
    mrb_int n;
    mrb_get_args(mrb, "*", &said, &n);
    request_of(mrb, self);
    exchange& x = response_to_write(mrb);
    mrb_int size = 0;
    for (mrb_int i = 0; i < n; i++) {
        // to_s may call anything: the arguments are looked for again.
        const mrb_value one = mrb_obj_as_string(mrb, mrb_get_argv(mrb)[i]);
        size += RSTRING_LEN(one);
        host_section section;
        x.append(RSTRING_PTR(one), static_cast<std::size_t>(RSTRING_LEN(one)));
    }
    return mrb_int_value(mrb, size);
}

mrb_value append(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value one = mrb_obj_as_string(mrb, mrb_get_arg1(mrb));
    request_of(mrb, self);
    exchange& x = response_to_write(mrb);
    host_section section;
    x.append(RSTRING_PTR(one), static_cast<std::size_t>(RSTRING_LEN(one)));
    return self;
}

mrb_value flush(mrb_state* mrb, mrb_value self) noexcept {
    request_of(mrb, self);
    exchange& x = response_to_write(mrb);
    bool sent;
    {
        host_section section;
        sent = x.flush();
    }
    return mrb_bool_value(sent);
}

// What comes now would be behind the end.
mrb_value finish(mrb_state* mrb, mrb_value self) noexcept {
    request_of(mrb, self);
    exchange& x = exchange::of(mrb);
    if (!x.finished) {
        response_to_write(mrb);
        x.finished = true;
    }
    return mrb_nil_value();
}

// Takes back what is printed and not sent.
mrb_value discard(mrb_state* mrb, mrb_value self) noexcept {
    request_of(mrb, self);
    response_to_write(mrb).discard();
    return self;
}

mrb_value is_finished(mrb_state* mrb, mrb_value self) noexcept {
    request_of(mrb, self);
    return mrb_bool_value(exchange::of(mrb).finished);
}
mrb_value is_started(mrb_state* mrb, mrb_value self) noexcept {
    request_of(mrb, self);
    return mrb_bool_value(exchange::of(mrb).started());
}

// -- files

refusal send(exchange& x, const char* path, bool may_read) {
    request_rec* const r = x.r;
    apr_file_t* file = nullptr;
    apr_finfo_t finfo{};
    const char* type = nullptr;
    if (!may_read)
        if (const refusal no = judge(r, path, nullptr, &type); no != refusal::none) return no;
    // O_NONBLOCK: a pipe without a writer is opened too, and seen to be no file.
    if (apr_file_open(&file, path, APR_FOPEN_READ | APR_FOPEN_BINARY | APR_FOPEN_SENDFILE_ENABLED | APR_FOPEN_NONBLOCK, 0,
                      r->pool) != APR_SUCCESS)
        return refusal::missing;
    if (apr_file_info_get(&finfo, APR_FINFO_MIN, file) != APR_SUCCESS || finfo.filetype != APR_REG) {
        apr_file_close(file);
        return refusal::missing;
    }
    if (x.too_large(static_cast<std::uint64_t>(finfo.size))) {
        apr_file_close(file);
        return refusal::too_large;  // nobody hears it: the section's end leaves the run
    }
    if (!r->content_type && type) ap_set_content_type(r, type);
    return x.finish_with(file, finfo.size) ? refusal::none : refusal::broken;
}

// The rest of the response is the file.
mrb_value send_file(mrb_state* mrb, mrb_value self) noexcept {
    const bytes name = text_argument(mrb);
    request_rec* const r = request_of(mrb, self);
    exchange& x = response_to_write(mrb);
    if (x.current_phase != phase::handler && x.current_phase != phase::quick_handler)
        raise_phase(mrb, x, "sendfile is for handlers");
    check(mrb, name, rule::text);
    const char* const path = keep(mrb, x, r->pool, name);
    charge(mrb, x, 1024);
    const bool may_read = vm::of(mrb)->made_with().allow.read;
    refusal why;
    {
        host_section section;
        why = send(x, path, may_read);
    }
    if (why == refusal::none) return mrb_nil_value();
    if (why == refusal::broken) raise(mrb, "ClientError", "sendfile: the client is gone");
    mrb_raisef(mrb, E_ARGUMENT_ERROR, "sendfile: %s: %s", path, because(why));
    return mrb_nil_value();
}

// -- elsewhere

mrb_value redirect(mrb_state* mrb, mrb_value self) noexcept {
    mrb_value to;
    mrb_int code = HTTP_MOVED_TEMPORARILY;
    mrb_get_args(mrb, "o|i", &to, &code);
    request_rec* const r = request_of(mrb, self);
    exchange& x = response_to_write(mrb);
    if (code < 300 || code > 399) mrb_raisef(mrb, E_ARGUMENT_ERROR, "%i is no redirection: 300 to 399", code);
    const bytes url = text_of(mrb, to);
    if (!url.size) mrb_raise(mrb, E_ARGUMENT_ERROR, "redirect: the address is empty");
    set_header(mrb, x, r, table::headers_out, {"Location", 8}, &url, false);
    x.answers(static_cast<int>(code));
    return self;
}

mrb_value internal_redirect(mrb_state* mrb, mrb_value self) noexcept {
    const bytes uri = text_argument(mrb);
    request_rec* const r = request_of(mrb, self);
    exchange& x = response_to_write(mrb);
    response_must_be_open(mrb, x);
    check(mrb, uri, rule::line);
    if (!uri.size || uri.data[0] != '/')
        mrb_raise(mrb, E_ARGUMENT_ERROR, "internal_redirect takes a path of this server's, which begins with /");
    x.redirect_to = keep(mrb, x, r->pool, uri);
    return self;
}

constexpr method methods[] = {
    {"initialize", stand_for_request},
    {"headers", headers},
    {"write", write, MRB_ARGS_ANY()},
    {"print", write, MRB_ARGS_ANY()},
    {"<<", append, MRB_ARGS_REQ(1)},
    {"flush", flush},
    {"finish", finish},
    {"close", finish},
    {"discard", discard},
    {"finished?", is_finished},
    {"started?", is_started},
    {"sendfile", send_file, MRB_ARGS_REQ(1)},
};
constexpr method of_both[] = {
    {"redirect", redirect, MRB_ARGS_ARG(1, 1)},
    {"internal_redirect", internal_redirect, MRB_ARGS_REQ(1)},
};

}  // namespace

void define_response(mrb_state* mrb, RClass* apache) {
    RClass* const response = mrb_class_get_under(mrb, apache, "Response");
    define_methods(mrb, response, methods);
    define_methods(mrb, response, of_both);
    define_methods(mrb, mrb_class_get_under(mrb, apache, "Request"), of_both);
}

}  // namespace kumihimo::inline v0::apache
