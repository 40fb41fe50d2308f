// Apache::Scoreboard: what httpd's workers do at the moment. Counts of requests and bytes need ExtendedStatus On.
#include "httpd.hpp"
// httpd's own order: httpd.h first
#include <ap_mpm.h>
#include <scoreboard.h>
#include <unistd.h>

#include "ruby.hpp"

namespace kumihimo::inline v0::apache {
namespace {

mrb_value initialize(mrb_state* mrb, mrb_value self) noexcept {
    const exchange& x = exchange::of(mrb);
    if (!ap_exists_scoreboard_image()) raise(mrb, "Error", "this httpd has no scoreboard");
    begin_object(mrb, self, x.r);
    return self;
}

int limit_of(int query) {
    int limit = 0;
    ap_mpm_query(query, &limit);
    return limit;
}
int server_limit(request_rec*) { return limit_of(AP_MPMQ_HARD_LIMIT_DAEMONS); }
int thread_limit(request_rec*) { return limit_of(AP_MPMQ_HARD_LIMIT_THREADS); }

template <class Each>
void for_each_worker(Each each) {
    const int servers = server_limit(nullptr), threads = thread_limit(nullptr);
    for (int i = 0; i < servers; i++)
        for (int j = 0; j < threads; j++)
            if (const worker_score* const w = ap_get_scoreboard_worker_from_indexes(i, j)) each(i, *w);
}

bool in_use(const worker_score& w) { return w.access_count || (w.status != SERVER_READY && w.status != SERVER_DEAD); }
bool of_running_process(int i) {
    const process_score* const p = ap_get_scoreboard_process(i);
    return p && !p->quiescing && p->pid;
}
bool idle(int i, const worker_score& w) {
    return w.status == SERVER_READY &&
           ap_get_scoreboard_process(i)->generation == ap_get_scoreboard_global()->running_generation;
}

int idle_workers(request_rec*) {
    int n = 0;
    for_each_worker([&](int i, const worker_score& w) { n += of_running_process(i) && idle(i, w); });
    return n;
}
int busy_workers(request_rec*) {
    int n = 0;
    for_each_worker([&](int i, const worker_score& w) {
        n += of_running_process(i) && !idle(i, w) && w.status != SERVER_DEAD && w.status != SERVER_STARTING &&
             w.status != SERVER_IDLE_KILL;
    });
    return n;
}

// Floats, as mod_mruby has them: scripts divide them.
template <auto Count>
mrb_value counted(mrb_state* mrb, mrb_value self) noexcept {
    request_of(mrb, self);
    double n;
    {
        host_section section;
        n = ap_extended_status ? Count() : 0;
    }
    return mrb_float_value(mrb, n);
}
double total_access() {
    double n = 0;
    for_each_worker([&](int, const worker_score& w) {
        if (in_use(w)) n += static_cast<double>(w.access_count);
    });
    return n;
}
double total_kbyte() {
    apr_off_t n = 0;
    for_each_worker([&](int, const worker_score& w) {
        if (in_use(w)) n += w.bytes_served;
    });
    return static_cast<double>(n >> 10);
}
double restart_time() { return static_cast<double>(ap_get_scoreboard_global()->restart_time); }
double uptime() { return static_cast<double>(apr_time_sec(apr_time_now() - ap_get_scoreboard_global()->restart_time)); }

// Processor time of the workers since the start, in percent of the time since.
double cpu_load() {
    clock_t ticks = 0;
    for_each_worker([&](int, const worker_score& w) {
        if (in_use(w)) ticks += w.times.tms_utime + w.times.tms_stime + w.times.tms_cutime + w.times.tms_cstime;
    });
    const double up = uptime();
    return up > 0 ? static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK)) / up * 100 : 0;
}

mrb_value load_average(mrb_state* mrb, mrb_value self) noexcept {
    request_of(mrb, self);
    ap_loadavg_t t;
    {
        host_section section;
        ap_get_loadavg(&t);
    }
    const mrb_value three[] = {mrb_float_value(mrb, t.loadavg), mrb_float_value(mrb, t.loadavg5),
                               mrb_float_value(mrb, t.loadavg15)};
    return mrb_ary_new_from_values(mrb, 3, three);
}

int process_id(request_rec*) { return getpid(); }

mrb_value access_counter(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_int pid = mrb_as_int(mrb, mrb_get_arg1(mrb));
    request_of(mrb, self);
    mrb_int count = -1;
    {
        host_section section;
        for_each_worker([&](int, const worker_score& w) {
            if (count < 0 && pid > 0 && w.pid == pid) count = static_cast<mrb_int>(w.access_count);
        });
    }
    return mrb_int_value(mrb, count);
}

// -- which worker does what

constexpr struct {
    const char* name;
    int status;
    bool has_client;
} states[] = {
    {"SERVER_READY", SERVER_READY, false},
    {"SERVER_STARTING", SERVER_STARTING, false},
    {"SERVER_BUSY_READ", SERVER_BUSY_READ, true},
    {"SERVER_BUSY_WRITE", SERVER_BUSY_WRITE, true},
    {"SERVER_BUSY_KEEPALIVE", SERVER_BUSY_KEEPALIVE, true},
    {"SERVER_BUSY_LOG", SERVER_BUSY_LOG, true},
    {"SERVER_BUSY_DNS", SERVER_BUSY_DNS, true},
    {"SERVER_CLOSING", SERVER_CLOSING, true},
    {"SERVER_DEAD", SERVER_DEAD, false},
    {"SERVER_GRACEFUL", SERVER_GRACEFUL, true},
    {"SERVER_IDLE_KILL", SERVER_IDLE_KILL, false},
};
constexpr int state_count = sizeof states / sizeof *states;

mrb_value counter(mrb_state* mrb, mrb_value self) noexcept {
    request_of(mrb, self);
    int counts[state_count] = {};
    {
        host_section section;
        for_each_worker([&](int, const worker_score& w) {
            for (int k = 0; k < state_count; k++) counts[k] += states[k].status == w.status;
        });
    }
    const mrb_value all = mrb_hash_new_capa(mrb, state_count);
    for (int k = 0; k < state_count; k++)
        mrb_hash_set(mrb, all, mrb_str_new_cstr(mrb, states[k].name), mrb_fixnum_value(counts[k]));
    return all;
}

mrb_value status(mrb_state* mrb, mrb_value self) noexcept {
    request_of(mrb, self);
    const mrb_value all = mrb_hash_new(mrb);
    const int servers = server_limit(nullptr), threads = thread_limit(nullptr), arena = mrb_gc_arena_save(mrb);
    for (int i = 0; i < servers; i++)
        for (int j = 0; j < threads; j++) {
            char client[sizeof(worker_score::client64)] = {};
            int doing = -1;
            {
                host_section section;
                // A worker writes there at this moment: the copy ends where it should.
                if (const worker_score* const w = ap_get_scoreboard_worker_from_indexes(i, j)) {
                    doing = w->status;
                    std::memcpy(client, w->client64, sizeof client - 1);
                }
            }
            for (const auto& s : states) {
                if (s.status != doing || !s.has_client) continue;
                mrb_hash_set(mrb, all, mrb_str_new_cstr(mrb, client), mrb_str_new_cstr(mrb, s.name));
                mrb_gc_arena_restore(mrb, arena);
            }
        }
    return all;
}

constexpr method methods[] = {
    {"initialize", initialize},
    {"status", status},
    {"counter", counter},
    {"pid", asked<process_id>},
    {"cpu_load", counted<cpu_load>},
    {"loadavg", load_average},
    {"server_limit", asked<server_limit>},
    {"process_limit", asked<server_limit>},
    {"thread_limit", asked<thread_limit>},
    {"worker_limit", asked<thread_limit>},
    {"access_counter", access_counter, MRB_ARGS_REQ(1)},
    {"total_kbyte", counted<total_kbyte>},
    {"total_access", counted<total_access>},
    {"uptime", counted<uptime>},
    {"restart_time", counted<restart_time>},
    {"idle_worker", asked<idle_workers>},
    {"busy_worker", asked<busy_workers>},
};

}  // namespace

void define_scoreboard(mrb_state* mrb, RClass* apache) { define_class(mrb, apache, "Scoreboard", methods); }

}  // namespace kumihimo::inline v0::apache
