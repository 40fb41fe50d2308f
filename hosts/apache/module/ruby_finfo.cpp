// Apache::Finfo: what httpd knows about the file of a request (r->finfo).
#include "ruby.hpp"

namespace kumihimo::inline v0::apache {
namespace {

// As chmod has it: httpd's own form uses a hexadecimal digit for each three bits.
mrb_value mode(mrb_state* mrb, mrb_value self) noexcept {
    const auto p = static_cast<unsigned>(request_of(mrb, self)->finfo.protection);
    unsigned bits = (p >> 8 & 7) << 6 | (p >> 4 & 7) << 3 | (p & 7);
    if (p & APR_USETID) bits |= 04000;
    if (p & APR_GSETID) bits |= 02000;
    if (p & APR_WSTICKY) bits |= 01000;
    return mrb_fixnum_value(static_cast<mrb_int>(bits));
}

template <apr_filetype_e Type>
mrb_value is_type(mrb_state* mrb, mrb_value self) noexcept {
    return mrb_bool_value(request_of(mrb, self)->finfo.filetype == Type);
}

constexpr method methods[] = {
    {"initialize", stand_for_request},
    {"permission", field<&apr_finfo_t::protection>},
    {"mode", mode},
    {"filetype", field<&apr_finfo_t::filetype>},
    {"file?", is_type<APR_REG>},
    {"directory?", is_type<APR_DIR>},
    {"group", field<&apr_finfo_t::group>},
    {"user", field<&apr_finfo_t::user>},
    {"device", field<&apr_finfo_t::device>},
    {"inode", field<&apr_finfo_t::inode>},
    {"nlink", field<&apr_finfo_t::nlink>},
    {"size", field<&apr_finfo_t::size>},
    {"csize", field<&apr_finfo_t::csize>},
    {"atime", field<&apr_finfo_t::atime>},
    {"ctime", field<&apr_finfo_t::ctime>},
    {"mtime", field<&apr_finfo_t::mtime>},
};

}  // namespace

void define_finfo(mrb_state* mrb, RClass* apache) {
    RClass* const c = define_class(mrb, apache, "Finfo", methods);
    constexpr struct {
        const char* name;
        apr_filetype_e type;
    } types[] = {{"APR_NOFILE", APR_NOFILE}, {"APR_REG", APR_REG},   {"APR_DIR", APR_DIR},
                 {"APR_CHR", APR_CHR},       {"APR_BLK", APR_BLK},   {"APR_PIPE", APR_PIPE},
                 {"APR_LNK", APR_LNK},       {"APR_SOCK", APR_SOCK}, {"APR_UNKFILE", APR_UNKFILE}};
    for (const auto& t : types) mrb_define_const(mrb, c, t.name, mrb_fixnum_value(t.type));
}

}  // namespace kumihimo::inline v0::apache
