// Apache::Filter: the piece of the body at hand, in an output filter's or input filter's script. What is in the
// brigade when the script is over goes on.
#include <algorithm>

#include "config.hpp"
#include "ruby.hpp"

namespace kumihimo::inline v0::apache {
namespace {

void must_be_filter(mrb_state* mrb, const exchange& x) {
    if (!x.filter.f || !x.filter.brigade)
        raise_phase(mrb, x, "Apache::Filter is for filters (MrubyOutputFilter, MrubyInputFilter)");
}

exchange& filter_of(mrb_state* mrb, mrb_value self) {
    request_of(mrb, self);
    exchange& x = exchange::of(mrb);
    must_be_filter(mrb, x);
    return x;
}

mrb_value initialize(mrb_state* mrb, mrb_value self) noexcept {
    const exchange& x = exchange::of(mrb);
    must_be_filter(mrb, x);
    begin_object(mrb, self, x.r);
    return self;
}

constexpr std::size_t of_bucket = 3 * 128;        // a bucket, what it refers to, and small data
constexpr std::size_t at_least = 8192 + 2 * 128;  // APR takes pages for more

// Adds a piece; false when the script has put in more than it may. In a host_section.
enum class end { head, tail };
bool put(exchange& x, end where, std::string_view s) {
    if (s.empty()) return true;
    apr_bucket_brigade* const to = x.filter.brigade;
    apr_bucket_alloc_t* const buckets = x.filter.f->c->bucket_alloc;
    // Small pieces share a bucket, as those that modules write do.
    if (apr_bucket* const last = APR_BRIGADE_LAST(to);
        where == end::tail && last != APR_BRIGADE_SENTINEL(to) && APR_BUCKET_IS_HEAP(last)) {
        auto* const heap = static_cast<apr_bucket_heap*>(last->data);
        const std::size_t used = static_cast<std::size_t>(last->start) + last->length;
        if (heap->refcount.refcount == 1 && heap->alloc_len - used >= s.size()) {
            std::memcpy(heap->base + used, s.data(), s.size());
            last->length += s.size();
            return true;
        }
    }
    const bool shared = where == end::tail && s.size() <= APR_BUCKET_BUFF_SIZE / 2;
    const std::size_t size = s.size() <= 64 && !shared ? of_bucket : std::max(at_least, s.size() + 4096);
    if ((x.filter.put += size) > x.config.limits().memory) return false;
    apr_bucket* b;
    if (shared) {
        auto* const room = static_cast<char*>(apr_bucket_alloc(APR_BUCKET_BUFF_SIZE, buckets));
        std::memcpy(room, s.data(), s.size());
        b = apr_bucket_heap_create(room, APR_BUCKET_BUFF_SIZE, apr_bucket_free, buckets);
        b->length = s.size();
    } else {
        b = apr_bucket_heap_create(s.data(), s.size(), nullptr, buckets);
    }
    if (where == end::head)
        APR_BRIGADE_INSERT_HEAD(to, b);
    else
        APR_BRIGADE_INSERT_TAIL(to, b);
    return true;
}

// What was printed meanwhile takes its place in the brigade. In a host_section.
bool take_printed(exchange& x) {
    const bool done = put(x, end::tail, x.pending());
    x.discard();
    return done;
}
void must_have_room(mrb_state* mrb, bool has) {
    if (!has) mrb_exc_raise(mrb, mrb_obj_value(mrb->nomem_err));
}

// -- adding

template <end End>
mrb_value insert(mrb_state* mrb, mrb_value self) noexcept {
    mrb_value said = mrb_get_arg1(mrb);
    if (!mrb_string_p(said)) said = mrb_obj_as_string(mrb, said);
    exchange& x = filter_of(mrb, self);
    bool has_room;
    {
        host_section section;
        has_room = take_printed(x) && put(x, End, {RSTRING_PTR(said), static_cast<std::size_t>(RSTRING_LEN(said))});
    }
    must_have_room(mrb, has_room);
    return self;
}

mrb_value puts(mrb_state* mrb, mrb_value self) noexcept {
    insert<end::tail>(mrb, self);
    return mrb_fixnum_value(APR_SUCCESS);
}

// The body's end goes on by itself, behind what is in the brigade.
mrb_value insert_eos(mrb_state* mrb, mrb_value self) noexcept {
    filter_of(mrb, self);
    return self;
}

mrb_value error_create(mrb_state* mrb, mrb_value self) noexcept {
    const int status = status_of(mrb, mrb_get_arg1(mrb));
    if (status < 400)
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "%i is no status of an error: 400 to 599", static_cast<mrb_int>(status));
    exchange& x = filter_of(mrb, self);
    host_section section;
    x.discard();
    apr_brigade_cleanup(x.filter.brigade);
    x.filter.error = status;
    return mrb_fixnum_value(status);
}

mrb_value cleanup(mrb_state* mrb, mrb_value self) noexcept {
    exchange& x = filter_of(mrb, self);
    host_section section;
    x.discard();
    x.filter.put = 0;
    return mrb_fixnum_value(apr_brigade_cleanup(x.filter.brigade));
}

// -- reading

void must_succeed(mrb_state* mrb, apr_status_t status) {
    if (status == APR_SUCCESS) return;
    char why[128];
    {
        host_section section;
        apr_strerror(status, why, sizeof why);
    }
    mrb_raisef(mrb, mrb_class_get_under(mrb, mrb_class_get(mrb, "Apache"), "ClientError"), "the body cannot be read: %s",
               static_cast<const char*>(why));
}

apr_off_t length_of(mrb_state* mrb, exchange& x) {
    apr_off_t length = 0;
    apr_status_t status;
    bool has_room;
    {
        host_section section;  // all that there is has been read before
        has_room = take_printed(x);
        status = apr_brigade_length(x.filter.brigade, 1, &length);
    }
    must_have_room(mrb, has_room);
    must_succeed(mrb, status);
    return length;
}

mrb_value length(mrb_state* mrb, mrb_value self) noexcept {
    exchange& x = filter_of(mrb, self);
    return mrb_int_value(mrb, length_of(mrb, x));
}

// Straight into the String, whose memory is the run's: a body that is too large raises before it is read.
mrb_value flatten(mrb_state* mrb, mrb_value self) noexcept {
    exchange& x = filter_of(mrb, self);
    const apr_off_t length = length_of(mrb, x);
    const mrb_value text = mrb_str_new(mrb, nullptr, static_cast<std::size_t>(length));
    apr_size_t size = static_cast<apr_size_t>(length);
    apr_status_t status;
    {
        host_section section;
        status = apr_brigade_flatten(x.filter.brigade, RSTRING_PTR(text), &size);
    }
    must_succeed(mrb, status);
    return mrb_str_resize(mrb, text, static_cast<mrb_int>(size));
}

// The next bucket that has bytes, taken out; null when there is none. Empty ones and httpd's marks in front of it are
// dropped.
apr_bucket* next_of(apr_bucket_brigade* brigade, const char*& data, apr_size_t& size, apr_status_t& status) {
    while (!APR_BRIGADE_EMPTY(brigade)) {
        apr_bucket* const b = APR_BRIGADE_FIRST(brigade);
        size = 0;
        status = APR_BUCKET_IS_METADATA(b) ? APR_SUCCESS : apr_bucket_read(b, &data, &size, APR_BLOCK_READ);
        if (status != APR_SUCCESS) return nullptr;
        if (size) return b;
        apr_bucket_delete(b);
    }
    return nullptr;
}

// What is read is taken out of the brigade, and what is put goes behind: so that a script can read and write in turn,
// all that was there is set aside at the first read.
mrb_value read(mrb_state* mrb, mrb_value self) noexcept {
    exchange& x = filter_of(mrb, self);
    handle& h = handle_of(mrb, self);
    if (!h.taken) {
        charge(mrb, x, 256);
        bool has_room;
        {
            host_section section;
            has_room = take_printed(x);
            h.taken = apr_brigade_create(x.r->pool, x.filter.f->c->bucket_alloc);
            APR_BRIGADE_CONCAT(h.taken, x.filter.brigade);
        }
        must_have_room(mrb, has_room);
    }
    const char* data = nullptr;
    apr_size_t size = 0;
    apr_status_t status = APR_SUCCESS;
    apr_bucket* b;
    {
        host_section section;
        b = next_of(h.taken, data, size, status);
    }
    must_succeed(mrb, status);
    if (!b) return mrb_nil_value();
    const mrb_value text = mrb_str_new(mrb, data, size);
    host_section section;
    apr_bucket_delete(b);
    return text;
}

mrb_value first_bucket(mrb_state* mrb, mrb_value self) noexcept {
    exchange& x = filter_of(mrb, self);
    const char* data = nullptr;
    apr_size_t size = 0;
    apr_status_t status = APR_SUCCESS;
    bool has_room;
    {
        host_section section;
        has_room = take_printed(x);
        for (apr_bucket* b = APR_BRIGADE_FIRST(x.filter.brigade); b != APR_BRIGADE_SENTINEL(x.filter.brigade) && !size;
             b = APR_BUCKET_NEXT(b)) {
            if (APR_BUCKET_IS_METADATA(b)) continue;
            status = apr_bucket_read(b, &data, &size, APR_BLOCK_READ);
            if (status != APR_SUCCESS) break;
        }
    }
    must_have_room(mrb, has_room);
    must_succeed(mrb, status);
    return size ? mrb_str_new(mrb, data, size) : mrb_nil_value();
}

mrb_value is_empty(mrb_state* mrb, mrb_value self) noexcept {
    exchange& x = filter_of(mrb, self);
    return mrb_bool_value(APR_BRIGADE_EMPTY(x.filter.brigade) && x.pending().empty());
}

// Sends on what there is, now: for what follows, there is room again.
mrb_value pass(mrb_state* mrb, mrb_value self) noexcept {
    exchange& x = filter_of(mrb, self);
    if (x.current_phase != phase::output_filter) raise_phase(mrb, x, "only an output filter can pass on a part");
    apr_status_t status;
    bool has_room;
    {
        waiting_section section;
        has_room = take_printed(x);
        status = APR_BRIGADE_EMPTY(x.filter.brigade) ? APR_SUCCESS : ap_pass_brigade(x.filter.f->next, x.filter.brigade);
        apr_brigade_cleanup(x.filter.brigade);
        x.filter.put = 0;
    }
    must_have_room(mrb, has_room);
    return mrb_bool_value(status == APR_SUCCESS);
}

// -- what it is

// Whose file the body is, when it is one.
template <apr_int32_t Wanted, auto Member>
mrb_value owner(mrb_state* mrb, mrb_value self) noexcept {
    const apr_finfo_t& finfo = filter_of(mrb, self).r->finfo;
    return finfo.filetype == APR_REG && (finfo.valid & Wanted) ? to_ruby(mrb, finfo.*Member) : mrb_nil_value();
}

mrb_value is_last(mrb_state* mrb, mrb_value self) noexcept { return mrb_bool_value(filter_of(mrb, self).filter.last); }
mrb_value is_input(mrb_state* mrb, mrb_value self) noexcept {
    return mrb_bool_value(filter_of(mrb, self).current_phase == phase::input_filter);
}
mrb_value name(mrb_state* mrb, mrb_value self) noexcept { return to_ruby(mrb, filter_of(mrb, self).filter.f->frec->name); }

constexpr auto one = MRB_ARGS_REQ(1);
constexpr method methods[] = {
    {"initialize", initialize},
    {"puts", puts, one},
    {"write", insert<end::tail>, one},
    {"<<", insert<end::tail>, one},
    {"insert_tail", insert<end::tail>, one},
    {"insert_head", insert<end::head>, one},
    {"insert_eos", insert_eos},
    {"error_create", error_create, one},
    {"cleanup", cleanup},
    {"destroy", cleanup},
    {"flatten", flatten},
    {"length", length},
    {"read", read},
    {"first_bucket", first_bucket},
    {"empty?", is_empty},
    {"pass", pass},
    {"uid", owner<APR_FINFO_USER, &apr_finfo_t::user>},
    {"gid", owner<APR_FINFO_GROUP, &apr_finfo_t::group>},
    {"last?", is_last},
    {"eos?", is_last},
    {"input?", is_input},
    {"name", name},
};

}  // namespace

void define_filter(mrb_state* mrb, RClass* apache) { define_class(mrb, apache, "Filter", methods); }

}  // namespace kumihimo::inline v0::apache
