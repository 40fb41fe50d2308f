#include "status.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include <ap_mpm.h>
#include <apr_shm.h>
#include <mpm_common.h>

#include "child_slots.hpp"
#include "engine/json/writer.hpp"
#include "hooks.hpp"
#include "hosts/mruby/vm/counters.hpp"
#include "run.hpp"
#include "whole_request.hpp"

namespace kumihimo::inline v0::apache {
namespace {

using child_slots::number;
using child_slots::number_of;
using mruby::counters;

struct alignas(64) child_slot {
    child_slots::owner owner;
    std::atomic<std::int64_t> since;
    counters counts;
};
// Everything lies in one anonymous piece of shared memory, made by the parent and never moved. Its numbers are
// relaxed: each is right, together they are a moment's blur.
struct board {
    std::uint64_t layout;
    std::int64_t since;
    std::uint32_t children;  // slots behind
    number restarts;
    number died;     // children
    counters ended;  // what children counted that are gone

    child_slot* slots() noexcept {
        return reinterpret_cast<child_slot*>(reinterpret_cast<char*>(this) + room_of(sizeof(board)));
    }
    static constexpr std::size_t room_of(std::size_t n) noexcept {
        return (n + alignof(child_slot) - 1) / alignof(child_slot) * alignof(child_slot);
    }
};
// Another build of the module, loaded at a restart, must not take an older one's memory for its own. The lowest byte
// of the upper half counts what sizes do not show.
constexpr std::uint64_t this_layout = 0x6d727504'00000000 + sizeof(child_slot) * 4096 + sizeof(board);
constexpr char pool_key[] = "mod_mruby:status";

board* all = nullptr;
child_slot* mine = nullptr;

constexpr std::array counts = {&counters::runs,      &counters::compiled,   &counters::raised,
                               &counters::syntax,    &counters::unreadable, &counters::expired,
                               &counters::exhausted, &counters::crashed,    &counters::unmade};
constexpr std::array levels = {&counters::vms, &counters::image_bytes, &counters::memory_bytes, &counters::scripts,
                               &counters::mappings};

// `metric` is of ?metrics: a family's name without mruby_, and of the failures the label that tells them apart.
struct name {
    const char* key;    // of ?auto and ?json
    const char* label;  // of the page, under the heading of its group
    const char* metric = nullptr;
    const char* help = nullptr;
};
constexpr name count_names[counts.size()] = {
    {"Runs", "in all", "runs", "Runs of scripts: handlers, hooks, filters and providers."},
    {"Compiled", "compiled to be kept", "compiled_scripts", "Scripts that were compiled to be kept."},
    {"Raised", "exception", "exception"},
    {"SyntaxErrors", "syntax error", "syntax_error"},
    {"Unreadable", "unreadable file", "unreadable_file"},
    {"Expired", "over MrubyTimeout, MrubyMaxTime", "time"},
    {"Exhausted", "over MrubyMemoryLimit, MrubyMaxResponse", "size"},
    {"Crashed", "crash of mruby", "crash"},
    {"Unmade", "no VM could be made", "no_vm"}};
constexpr std::size_t failures = 2;  // those from here on
constexpr name level_names[levels.size()] = {
    {"VMs", "VMs", "vms", "VMs that are held."},
    {"ImageBytes", "bytes that runs begin with", "image_bytes",
     "Memory that runs begin with: mruby, the library, what MrubyInit made, compiled scripts."},
    {"MemoryBytes", "bytes in all", "memory_bytes", "Memory that VMs hold."},
    {"Scripts", "scripts kept", "scripts", "Compiled scripts that are kept, in all VMs."},
    {"Mappings", "mappings of memory", "mappings", "Mappings of memory that VMs take, of vm.max_map_count."}};

std::uint64_t process_of(pid_t number) noexcept {
    char stat[1024];
    std::snprintf(stat, sizeof stat, "/proc/%d/stat", static_cast<int>(number));
    const auto unknown = static_cast<std::uint64_t>(number);
    const int file = open(stat, O_RDONLY | O_CLOEXEC);
    if (file < 0) return unknown;
    const ssize_t n = read(file, stat, sizeof stat - 1);
    close(file);
    stat[n < 0 ? 0 : n] = '\0';
    // The second word is the program's name in brackets, which may hold blanks and brackets.
    const char* at = std::strrchr(stat, ')');
    for (int word = 2; word < 22 && at != nullptr; ++word) at = std::strchr(at + 1, ' ');
    return at == nullptr ? unknown : std::strtoull(at, nullptr, 10) << 32 | unknown;
}

bool is_alive(std::uint64_t process) noexcept {
    const pid_t number = number_of(process);
    if (kill(number, 0) != 0 && errno == ESRCH) return false;
    const std::uint64_t there = process_of(number);
    return there == (process & ~child_slots::ended) || there >> 32 == 0 || process >> 32 == 0;
}

bool claim(child_slot& s, std::uint64_t me) noexcept {
    if (!child_slots::claim(s.owner, me, all->died, is_alive)) return false;
    for (const auto c : counts)
        (all->ended.*c).fetch_add((s.counts.*c).exchange(0, std::memory_order_relaxed), std::memory_order_relaxed);
    for (const auto l : levels) (s.counts.*l).store(0, std::memory_order_relaxed);
    s.since.store(std::time(nullptr), std::memory_order_relaxed);
    return true;
}

/// What one child has, or all of them.
struct sums {
    std::array<std::uint64_t, counts.size()> count{};
    std::array<std::uint64_t, levels.size()> level{};

    void add(const counters& c, bool alive) noexcept {
        for (std::size_t i = 0; i < counts.size(); ++i) count[i] += (c.*counts[i]).load(std::memory_order_relaxed);
        if (!alive) return;
        for (std::size_t i = 0; i < levels.size(); ++i) level[i] += (c.*levels[i]).load(std::memory_order_relaxed);
    }
};
struct child {
    pid_t pid;
    std::int64_t since;
    sums has;
};
struct overview {
    std::int64_t since = 0;
    std::uint64_t restarts = 0, died = 0;
    sums total;
    std::vector<child> children;
};

overview look() {
    overview o;
    if (all == nullptr) {
        o.total.add(mruby::counted(), true);
        o.children.push_back({getpid(), 0, o.total});
        return o;
    }
    o.since = all->since;
    o.restarts = all->restarts.load(std::memory_order_relaxed);
    o.died = all->died.load(std::memory_order_relaxed);
    o.total.add(all->ended, false);
    for (std::uint32_t i = 0; i < all->children; ++i) {
        const child_slot& s = all->slots()[i];
        const std::uint64_t owner = s.owner.load(std::memory_order_acquire);
        if (owner == 0) continue;
        const bool alive = is_alive(owner);
        o.total.add(s.counts, alive);
        if (!alive) continue;
        child one{number_of(owner), s.since.load(std::memory_order_relaxed), {}};
        one.has.add(s.counts, true);
        o.children.push_back(one);
    }
    return o;
}

std::int64_t age(std::int64_t since) { return since == 0 ? 0 : static_cast<std::int64_t>(std::time(nullptr)) - since; }

// -- in four forms

std::string as_lines(const overview& o) {
    std::string all_lines;
    const auto line = [&all_lines](std::string_view key, std::uint64_t value) {
        all_lines.append(key).append(": ").append(std::to_string(value)).append("\n");
    };
    line("Uptime", static_cast<std::uint64_t>(age(o.since)));
    line("Restarts", o.restarts);
    line("Children", o.children.size());
    line("Died", o.died);
    for (std::size_t i = 0; i < counts.size(); ++i) line(count_names[i].key, o.total.count[i]);
    for (std::size_t i = 0; i < levels.size(); ++i) line(level_names[i].key, o.total.level[i]);
    return all_lines;
}

// The writer reads text in whole vectors, up to the end of a page: the compiler objects when it sees how short a
// literal is.
void key(json::writer& to, std::string_view name) {
    char padded[64] = {};
    to.key(text(padded, name.copy(padded, sizeof padded), encoding::ascii));
}
void put(json::writer& to, std::string_view name, std::uint64_t value) {
    key(to, name);
    to.i64(static_cast<std::int64_t>(value));
}
void put(json::writer& to, const sums& s) {
    for (std::size_t i = 0; i < counts.size(); ++i) put(to, count_names[i].key, s.count[i]);
    for (std::size_t i = 0; i < levels.size(); ++i) put(to, level_names[i].key, s.level[i]);
}

std::string as_json(const overview& o) {
    buffer out;
    context ctx;
    json::writer to(out, ctx);
    to.map({});
    put(to, "Uptime", static_cast<std::uint64_t>(age(o.since)));
    put(to, "Restarts", o.restarts);
    put(to, "Died", o.died);
    put(to, o.total);
    key(to, "Children");
    to.array({static_cast<std::int64_t>(o.children.size())});
    for (const child& c : o.children) {
        to.map({});
        put(to, "Pid", static_cast<std::uint64_t>(c.pid));
        put(to, "Uptime", static_cast<std::uint64_t>(age(c.since)));
        put(to, c.has);
        to.end();
    }
    to.end();
    to.end();
    bytes document;
    if (to.finish(document) != errc::ok) return {};
    return std::string(reinterpret_cast<const char*>(document.data()), document.size()) + "\n";
}

// OpenMetrics 1.0, which Prometheus reads. Sums over all children alone: counters that stay when a child goes.
class metrics {
public:
    std::string text;

    void counter(std::string_view name, const char* help, std::uint64_t value) {
        family(name, "counter", help);
        sample(std::string(name).append("_total"), value);
    }
    /// OpenMetrics wants a gauge's name to end in its unit.
    void gauge(std::string_view name, const char* help, std::uint64_t value) {
        family(name, "gauge", help);
        sample(name, value);
    }
    void family(std::string_view name, const char* type, const char* help) {
        line("TYPE", name, type);
        for (const std::string_view unit : {"_bytes", "_seconds"}) {
            if (name.size() > unit.size() && name.substr(name.size() - unit.size()) == unit) line("UNIT", name, unit.substr(1));
        }
        line("HELP", name, help);
    }
    void sample(std::string_view name, std::uint64_t value) {
        text.append("mruby_").append(name).append(" ").append(std::to_string(value)).append("\n");
    }

private:
    void line(std::string_view what, std::string_view name, std::string_view value) {
        text.append("# ").append(what).append(" mruby_").append(name).append(" ").append(value).append("\n");
    }
};

std::string as_metrics(const overview& o) {
    metrics m;
    m.gauge("start_time_seconds", "When httpd was started, in seconds since 1970.", static_cast<std::uint64_t>(o.since));
    m.counter("restarts", "Restarts of httpd, graceful ones too.", o.restarts);
    m.gauge("children", "Children of httpd that live.", o.children.size());
    m.counter("children_died", "Children that did not end as httpd ends them.", o.died);
    for (std::size_t i = 0; i < failures; ++i) m.counter(count_names[i].metric, count_names[i].help, o.total.count[i]);
    m.family("failed_runs", "counter", "Runs of scripts that failed, by what ended them.");
    for (std::size_t i = failures; i < counts.size(); ++i)
        m.sample(std::string("failed_runs_total{cause=\"").append(count_names[i].metric).append("\"}"), o.total.count[i]);
    for (std::size_t i = 0; i < levels.size(); ++i) m.gauge(level_names[i].metric, level_names[i].help, o.total.level[i]);
    return m.text.append("# EOF\n");
}

constexpr char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>mod_mruby</title>\n"
    "<style>body{font:15px sans-serif;margin:2em}td,th{padding:.2em "
    ".8em;text-align:right}tbody tr:nth-child(even){background:#f2f2f2}</style>"
    "</head>\n<body><h1>mod_mruby</h1>\n<p>Uptime: ";
constexpr char links[] =
    ". The same <a href=\"?auto\">as lines</a>, <a href=\"?json\">as "
    "JSON</a> and <a href=\"?metrics\">as OpenMetrics</a>.</p>\n<table>\n<thead>\n";

std::string as_page(const overview& o) {
    std::string page = head;
    page.append(std::to_string(age(o.since))).append(" s. Restarts: ").append(std::to_string(o.restarts));
    page.append(". Children that died: ").append(std::to_string(o.died)).append(links);
    const auto group = [&page](std::size_t columns, std::string_view label) {
        page.append("<th colspan=\"").append(std::to_string(columns)).append("\">").append(label).append("</th>");
    };
    // The title is the name that programs know.
    const auto column = [&page](const name& n) {
        page.append("<th title=\"").append(n.key).append("\">").append(n.label).append("</th>");
    };
    page += "<tr>";
    group(2, "child");
    group(failures, "runs");
    group(counts.size() - failures, "runs that failed");
    group(levels.size(), "held now");
    page += "</tr>\n<tr>";
    column({"Pid", "process"});
    column({"Uptime", "up for, s"});
    for (const name& n : count_names) column(n);
    for (const name& n : level_names) column(n);
    page += "</tr>\n</thead>\n<tbody>\n";
    const auto cell = [&page](std::uint64_t n) { page.append("<td>").append(std::to_string(n)).append("</td>"); };
    const auto row = [&](std::string_view who, std::int64_t up, const sums& s) {
        page.append("<tr><th>").append(who).append("</th>");
        cell(static_cast<std::uint64_t>(up));
        for (const std::uint64_t n : s.count) cell(n);
        for (const std::uint64_t n : s.level) cell(n);
        page += "</tr>\n";
    };
    for (const child& c : o.children) row(std::to_string(c.pid), age(c.since), c.has);
    row("all, with those that have ended", age(o.since), o.total);
    page += "</tbody></table></body></html>\n";
    return page;
}

apr_status_t leave(void* slot) noexcept {
    child_slots::leave(static_cast<child_slot*>(slot)->owner);
    return APR_SUCCESS;
}

// In the parent, when a child has ended.
void see_end(server_rec*, pid_t pid, ap_generation_t, int, mpm_child_status what) {
    if (what != MPM_CHILD_EXITED || all == nullptr) return;
    for (std::uint32_t i = 0; i < all->children; ++i) child_slots::see_end(all->slots()[i].owner, pid, all->died, is_alive);
}

int show(request_rec* r, std::string_view asked) {
    const overview o = look();
    std::string text;
    if (asked == "json") {
        ap_set_content_type(r, "application/json");
        text = as_json(o);
    } else if (asked == "metrics" || asked == "metrics=") {  // the second is how Prometheus writes a parameter
        ap_set_content_type(r, "application/openmetrics-text; version=1.0.0; charset=utf-8");
        text = as_metrics(o);
    } else if (asked == "auto") {
        ap_set_content_type(r, "text/plain; charset=utf-8");
        text = as_lines(o);
    } else {
        ap_set_content_type(r, "text/html; charset=utf-8");
        text = as_page(o);
    }
    apr_table_setn(r->headers_out, "Cache-Control", "no-store");
    ap_set_content_length(r, static_cast<apr_off_t>(text.size()));
    if (r->header_only == 0) ap_rwrite(text.data(), static_cast<int>(text.size()), r);
    return OK;
}

int handle_status(request_rec* r) {
    if (r->handler == nullptr || std::string_view(r->handler) != "mruby-status") return DECLINED;
    methods_of(r).method_mask |= AP_METHOD_BIT << M_GET;
    if (r->method_number != M_GET) return HTTP_METHOD_NOT_ALLOWED;
    const std::string_view asked = r->args == nullptr ? std::string_view() : std::string_view(r->args);
    return without_memory(r, HTTP_SERVICE_UNAVAILABLE, [&] { return show(r, asked); });
}

}  // namespace

apr_status_t open_counters(apr_pool_t*, server_rec* s) {
    // It hangs on the process's pool, which restarts do not clear: old children go on counting, new ones find it.
    apr_pool_t* const pool = s->process->pool;
    void* kept = nullptr;
    apr_pool_userdata_get(&kept, pool_key, pool);
    all = static_cast<board*>(kept);
    if (all != nullptr && all->layout == this_layout) {
        all->restarts.fetch_add(1, std::memory_order_relaxed);
        return APR_SUCCESS;
    }
    all = nullptr;
    int most = 0;
    if (ap_mpm_query(AP_MPMQ_HARD_LIMIT_DAEMONS, &most) != APR_SUCCESS || most < 1) most = 256;
    // Two generations of children live side by side for a while.
    const auto children = static_cast<std::uint32_t>(most < 4096 ? most * 2 : 8192);
    apr_shm_t* memory = nullptr;
    const apr_status_t made = apr_shm_create(
        &memory, board::room_of(sizeof(board)) + children * sizeof(child_slot) + alignof(child_slot), nullptr, pool);
    if (made != APR_SUCCESS) return made;
    const auto base = reinterpret_cast<std::uintptr_t>(apr_shm_baseaddr_get(memory));
    // Fresh shared memory is zero, which is what all of it begins with.
    all = reinterpret_cast<board*>((base + alignof(child_slot) - 1) / alignof(child_slot) * alignof(child_slot));
    all->layout = this_layout;
    all->since = std::time(nullptr);
    all->children = children;
    // Not setn: the key would be gone with the module, which httpd unloads at a restart.
    return apr_pool_userdata_set(all, pool_key, nullptr, pool);
}

void take_counters(apr_pool_t* pool, server_rec* s) {
    if (all == nullptr) return;
    const std::uint64_t me = process_of(getpid());
    for (std::uint32_t i = 0; i < all->children; ++i) {
        if (!claim(all->slots()[i], me)) continue;
        mine = &all->slots()[i];
        mruby::count_into(&mine->counts);
        // Whoever is killed does not come there.
        apr_pool_cleanup_register(pool, mine, leave, apr_pool_cleanup_null);
        return;
    }
    ap_log_error(APLOG_MARK, APLOG_NOTICE, 0, s, "mruby: the status page has no room for this child");
}

void register_status() {
    ap_hook_handler(handle_status, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_hook_child_status(see_end, nullptr, nullptr, APR_HOOK_MIDDLE);
}

}  // namespace kumihimo::inline v0::apache
