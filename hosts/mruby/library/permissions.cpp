// Everything of mruby's gems that reaches beyond the VM, and is taken away unless it is allowed:
//
//      print     __printstr__ writes to the process's output: replaced (output.cpp)
//      io        IO, File, FileTest, Kernel#` open gets, STDIN, $stdin
//      socket    BasicSocket and all below, Addrinfo, SocketError
//
// Sockets are IOs. Where they are allowed and io is not, IO keeps what an open one can do and what reading and waiting
// need of the class, and takes no descriptor but a socket's. What remains is that a script may name a socket of the
// process that it has not opened, by its number.
//
// The other gems compute. A constant that is gone is not enough, as ObjectSpace or a superclass may still lead to its
// class: the methods are taken away first.
#include <sys/stat.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <span>

#include "../vm/deadline.hpp"
#include "../vm/stock_method.hpp"
#include "../vm/vm.hpp"
#include "files.hpp"
#include "library.hpp"
#include "native.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

struct names {
    mrb_sym* found;
    mrb_int n, room;
    std::span<const mrb_sym> but;
};

int note_name(mrb_state*, mrb_sym name, mrb_method_t method, void* to) {
    auto* list = static_cast<names*>(to);
    if (MRB_METHOD_UNDEF_P(method) || std::ranges::find(list->but, name) != list->but.end()) return 0;
    if (list->n < list->room) list->found[list->n++] = name;
    return 0;
}

// Undefines all methods that the class itself defines but some, as many at a time as there is room for.
void strip(mrb_state* mrb, RClass* c, std::span<const mrb_sym> but = {}) {
    mrb_sym room[64];
    names list{room, 0, 64, but};
    do {
        list.n = 0;
        mrb_mt_foreach(mrb, c, note_name, &list);
        for (mrb_int i = 0; i < list.n; ++i) mrb_undef_method_id(mrb, c, room[i]);
    } while (list.n != 0);
}

RClass* singleton_of(mrb_state* mrb, RClass* c) { return mrb_class_ptr(mrb_singleton_class(mrb, mrb_obj_value(c))); }

RClass* constant(mrb_state* mrb, const char* name) {
    const mrb_value object = mrb_obj_value(mrb->object_class);
    const mrb_sym symbol = mrb_intern_cstr(mrb, name);
    if (!mrb_const_defined(mrb, object, symbol)) return nullptr;
    const mrb_value v = mrb_const_get(mrb, object, symbol);
    return mrb_type(v) == MRB_TT_CLASS || mrb_type(v) == MRB_TT_MODULE ? mrb_class_ptr(v) : nullptr;
}

void remove_constant(mrb_state* mrb, const char* name) {
    const mrb_value object = mrb_obj_value(mrb->object_class);
    const mrb_sym symbol = mrb_intern_cstr(mrb, name);
    if (mrb_const_defined(mrb, object, symbol)) mrb_const_remove(mrb, object, symbol);
}

void remove_class(mrb_state* mrb, const char* name) {
    if (RClass* const c = constant(mrb, name); c != nullptr) {
        strip(mrb, c);
        strip(mrb, singleton_of(mrb, c));
        if (mrb_type(mrb_obj_value(c)) == MRB_TT_CLASS) {
            // Nothing of it can be made, through a subclass either.
            mrb_undef_class_method(mrb, c, "new");
            mrb_undef_class_method(mrb, c, "allocate");
        }
    }
    remove_constant(mrb, name);
}

// Undefines a method where it can be seen.
void remove_kernel(mrb_state* mrb, const char* name) {
    const mrb_sym symbol = mrb_intern_cstr(mrb, name);
    if (mrb_obj_respond_to(mrb, mrb->object_class, symbol)) mrb_undef_method_id(mrb, mrb->kernel_module, symbol);
    RClass* const singleton = singleton_of(mrb, mrb->kernel_module);
    if (mrb_obj_respond_to(mrb, singleton, symbol)) mrb_undef_method_id(mrb, singleton, symbol);
}

void remove_method(mrb_state* mrb, RClass* c, const char* name) {
    const mrb_sym symbol = mrb_intern_cstr(mrb, name);
    if (mrb_obj_respond_to(mrb, c, symbol)) mrb_undef_method_id(mrb, c, symbol);
}

constexpr const char* of_sockets[] = {
    "UNIXServer", "UNIXSocket", "TCPServer",   "TCPSocket", "UDPSocket",
    "IPSocket",   "Socket",     "BasicSocket", "Addrinfo",  "SocketError",
};

void remove_sockets(mrb_state* mrb) {
    if (RClass* const socket = constant(mrb, "Socket"); socket != nullptr) {
        const mrb_value object = mrb_obj_value(socket);
        for (const char* inner : {"Constants", "Option"}) {
            const mrb_sym symbol = mrb_intern_cstr(mrb, inner);
            if (mrb_const_defined_at(mrb, object, symbol)) mrb_const_remove(mrb, object, symbol);
        }
    }
    for (const char* name : of_sockets) remove_class(mrb, name);
}

stock_method stock_io_initialize, stock_io_for_fd;

// What every class of sockets ends in: IO#initialize(descriptor, ...) and IO.for_fd, which does not call it.
template <stock_method& Stock>
mrb_value of_socket(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    need(mrb, a.n, 1, 3);
    const mrb_int number = mrb_as_int(mrb, a.v[0]);
    struct stat is;
    bool socket;
    {
        host_section section;
        socket = number >= 0 && number <= INT_MAX && ::fstat(static_cast<int>(number), &is) == 0 && S_ISSOCK(is.st_mode);
    }
    if (!socket) mrb_raisef(mrb, mrb_class_get(mrb, "ArgumentError"), "%i is no socket, and io is not allowed", number);
    return Stock(mrb, self);
}

void put_before_or_remove(mrb_state* mrb, RClass* c, const char* name, stock_method& stock, mrb_func_t ours) {
    if (!stock.put_before(mrb, c, name, ours)) mrb_undef_method(mrb, c, name);
}

// What begins a string, taken out of it. mruby 3.1's own believes that the string is that long.
mrb_value take(mrb_state* mrb, mrb_value from, mrb_int n) {
    const mrb_int size = RSTRING_LEN(from);
    n = std::clamp<mrb_int>(n, 0, size);
    const mrb_value taken = mrb_str_new(mrb, RSTRING_PTR(from), n);
    mrb_str_modify(mrb, mrb_str_ptr(from));
    char* const p = RSTRING_PTR(from);
    std::memmove(p, p + n, static_cast<std::size_t>(size - n));
    mrb_str_resize(mrb, from, size - n);
    return taken;
}
mrb_value io_bufread(mrb_state* mrb, mrb_value) {
    mrb_value from;
    mrb_int n;
    mrb_get_args(mrb, "Si", &from, &n);
    return take(mrb, from, n);
}
mrb_value io_readchar(mrb_state* mrb, mrb_value) {
    mrb_value from;
    mrb_get_args(mrb, "S", &from);
    return take(mrb, from, 1);
}

void read_with_care(mrb_state* mrb) {
    RClass* const io = constant(mrb, "IO");
    if (io == nullptr) return;
    if (mrb_obj_respond_to(mrb, singleton_of(mrb, io), mrb_intern_lit(mrb, "_bufread")))
        mrb_define_class_method(mrb, io, "_bufread", io_bufread, MRB_ARGS_REQ(2));
    if (mrb_obj_respond_to(mrb, io, mrb_intern_lit(mrb, "_readchar")))
        mrb_define_method(mrb, io, "_readchar", io_readchar, MRB_ARGS_REQ(1));
}

// Of the class itself stays what opens nothing but sockets.
void keep_sockets_only(mrb_state* mrb, RClass* io) {
    RClass* const singleton = singleton_of(mrb, io);
    const mrb_sym but[] = {mrb_intern_lit(mrb, "_bufread"), mrb_intern_lit(mrb, "for_fd"), mrb_intern_lit(mrb, "open"),
                           mrb_intern_lit(mrb, "select")};
    strip(mrb, singleton, but);
    put_before_or_remove(mrb, io, "initialize", stock_io_initialize, of_socket<stock_io_initialize>);
    put_before_or_remove(mrb, singleton, "for_fd", stock_io_for_fd, of_socket<stock_io_for_fd>);
}

void remove_io(mrb_state* mrb, bool sockets_stay) {
    if (sockets_stay) {
        if (RClass* const io = constant(mrb, "IO"); io != nullptr) keep_sockets_only(mrb, io);
    } else {
        remove_class(mrb, "IO");
    }
    remove_class(mrb, "File");
    remove_class(mrb, "FileTest");
    remove_kernel(mrb, "open");
    remove_kernel(mrb, "gets");
    remove_constant(mrb, "STDIN");
    mrb_gv_remove(mrb, mrb_intern_lit(mrb, "$stdin"));
}

void remove_processes(mrb_state* mrb) {
    for (const char* name : {"`", "system", "exec", "fork", "spawn"}) remove_kernel(mrb, name);
    RClass* const io = constant(mrb, "IO");
    if (io == nullptr) return;
    RClass* const singleton = singleton_of(mrb, io);
    for (const char* name : {"popen", "_popen"}) remove_method(mrb, singleton, name);
}

}  // namespace

void restrict_to(mrb_state* mrb, const permissions& allow) {
    read_with_care(mrb);
    // The process's, of all threads.
    if (RClass* const file = constant(mrb, "File"); file != nullptr) remove_method(mrb, singleton_of(mrb, file), "umask");
    remove_class(mrb, "Dir");  // mruby's, from 3.2 on, changes the process's folder, and its objects own memory of libc's
    if (!allow.socket) remove_sockets(mrb);
    if (!allow.process) remove_processes(mrb);
    if (!allow.io) remove_io(mrb, allow.socket);
    define_files(mrb, allow);
    mrb_full_gc(mrb);
}

}  // namespace kumihimo::inline v0::mruby
