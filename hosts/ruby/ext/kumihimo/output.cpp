#include "output.hpp"

#include <ruby/ractor.h>

#include <algorithm>
#include <climits>

#include "engine/core/large.hpp"
#include "module.hpp"

namespace kumihimo::inline v0::ruby {
namespace {

// One String per Ractor, hidden; nil while a document is written into it. Threads take turns, so it is taken and given
// back in one go; who finds none makes one.
rb_ractor_local_key_t spare_key;

// As large as most answers of an application, and little beside it. What is larger is seldom, and takes longer than
// its pages.
constexpr std::size_t kept = std::size_t{8} << 20;

// A String that nobody needs any more is freed by a collection, with all that were made since the last: 33 MB at once,
// by Ruby's limit for malloc. glibc gives the end of its heap back to the system where it is larger than twice the
// largest mapping that it saw freed, and the next 33 MB are new pages again, 806 faults for 3.3 MB. So it is shown one
// that makes it keep 40 MB. It is a process's pages that stay, not more than it had before.
constexpr std::size_t shown = std::size_t{20} << 20;

VALUE take_spare() {
    const VALUE spare = rb_ractor_local_storage_value(spare_key);
    if (RB_NIL_P(spare)) return 0;
    rb_ractor_local_storage_value_set(spare_key, Qnil);
    return spare;
}

}  // namespace

void init_output() { spare_key = rb_ractor_local_storage_value_newkey(); }

void string_output::make_room(std::size_t n) {
    const std::size_t used = size();
    const auto capacity = static_cast<std::size_t>(end_ - begin_);
    std::size_t want = capacity * (capacity < 65536 ? 8 : 2);
    if (n > want / 2) want += n;
    if (want < n || want > static_cast<std::size_t>(LONG_MAX) / 2)
        rb_raise(rb_eNoMemError, "the document is larger than a String can be");
    if (string_ == 0) {
        VALUE to = take_spare();
        // Hidden: nobody can meet it in ObjectSpace while it is half written.
        if (to == 0) to = rb_obj_hide(rb_str_buf_new(static_cast<long>(want)));
        rb_str_set_len(to, 0);
        const auto has = static_cast<std::size_t>(rb_str_capacity(to));
        if (has < want) {
            rb_str_modify_expand(to, static_cast<long>(want));
        } else {
            want = has;
        }
        std::memcpy(RSTRING_PTR(to), begin_, used);
        string_ = to;
    } else {
        rb_str_set_len(string_, static_cast<long>(used));
        rb_str_modify_expand(string_, static_cast<long>(want - used));
    }
    begin_ = RSTRING_PTR(string_);
    at_ = begin_ + used;
    end_ = begin_ + want;
}

VALUE string_output::take_large(bool utf8) {
    const auto n = static_cast<long>(size());
    // A String keeps what it has reserved for as long as it lives; a quarter too much does not go with it.
    const bool loose = end_ - at_ > n / 4;
    if (loose && static_cast<std::size_t>(end_ - begin_) <= kept) {
        const VALUE made = utf8 ? rb_utf8_str_new(begin_, n) : rb_str_new(begin_, n);
        rb_ractor_local_storage_value_set(spare_key, string_);
        was_shrunk(RSTRING_PTR(made), shown, static_cast<std::size_t>(n));
        return made;
    }
    rb_str_set_len(string_, n);
    if (loose) rb_str_resize(string_, n);
    was_shrunk(RSTRING_PTR(string_), shown, static_cast<std::size_t>(n));
    rb_obj_reveal(string_, rb_cString);
    if (utf8) rb_enc_associate_index(string_, rb_utf8_encindex());
    return string_;
}

}  // namespace kumihimo::inline v0::ruby
