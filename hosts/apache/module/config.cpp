#include "config.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "ruby.hpp"

namespace kumihimo::inline v0::apache {
namespace {

template <class T>
T over(T inner, T outer, T unset) noexcept {
    return inner == unset ? outer : inner;
}

std::vector<std::string> strings(const apr_array_header_t* list) {
    std::vector<std::string> all;
    for (int i = 0; list != nullptr && i < list->nelts; ++i)
        all.emplace_back(reinterpret_cast<const char* const*>(list->elts)[i]);
    return all;
}
bool same(const apr_array_header_t* list, const std::vector<std::string>& wanted) {
    if (list == nullptr) return wanted.empty();
    const auto names = reinterpret_cast<const char* const*>(list->elts);
    return static_cast<std::size_t>(list->nelts) == wanted.size() &&
           std::equal(wanted.begin(), wanted.end(), names, [](auto& a, auto b) { return a == b; });
}

mruby::permissions permissions_of(const directory_config& c) noexcept {
    const int may = std::max<int>(c.allow, 0);
    return {(may & may_read) != 0, (may & may_write) != 0, (may & may_io) != 0, (may & may_process) != 0,
            (may & may_socket) != 0};
}

// Directories are merged for each request, so a profile is looked for by what it says. There are few; the list only
// grows, and is read without a lock.
struct known_profile {
    mruby::profile profile;
    known_profile* next;
};
std::atomic<known_profile*> known = nullptr;
std::mutex adding;

const mruby::profile* find(const directory_config& c) noexcept {
    const bool keep = c.keep_state == on_off::on;
    const mruby::permissions allow = permissions_of(c);
    for (const known_profile* k = known.load(std::memory_order_acquire); k != nullptr; k = k->next) {
        if (k->profile.keep_state == keep && k->profile.allow == allow && same(c.load_path, k->profile.load_path) &&
            same(c.init, k->profile.init))
            return &k->profile;
    }
    return nullptr;
}

}  // namespace

const directory_config& config_of(const request_rec* r) noexcept {
    return *static_cast<const directory_config*>(ap_get_module_config(r->per_dir_config, &mruby_module));
}

const mruby::profile& profile_of(const directory_config& c) {
    if (const mruby::profile* const made = c.made_with.load(std::memory_order_acquire)) return *made;
    const mruby::profile* found = find(c);
    if (found == nullptr) {
        const std::lock_guard lock(adding);
        found = find(c);
        if (found == nullptr) {
            // Never freed: the VMs of threads that are still ending point to it.
            auto* const added = new known_profile{{}, known.load(std::memory_order_relaxed)};
            added->profile.keep_state = c.keep_state == on_off::on;
            added->profile.allow = permissions_of(c);
            added->profile.load_path = strings(c.load_path);
            added->profile.init = strings(c.init);
            added->profile.define = define_ruby;
            known.store(added, std::memory_order_release);
            found = &added->profile;
        }
    }
    c.made_with.store(found, std::memory_order_release);
    return *found;
}

void* create_config(apr_pool_t* pool, char*) noexcept {
    return new (apr_palloc(pool, sizeof(directory_config))) directory_config;
}

void* merge_configs(apr_pool_t* pool, void* from_outer, void* from_inner) noexcept {
    const auto& outer = *static_cast<const directory_config*>(from_outer);
    const auto& inner = *static_cast<const directory_config*>(from_inner);
    auto& c = *static_cast<directory_config*>(create_config(pool, nullptr));
    for (int i = 0; i < phases; ++i) c.code[i] = over<const phase_code*>(inner.code[i], outer.code[i], nullptr);
    c.native = over<const code*>(inner.native, outer.native, nullptr);
    c.keep_state = over(inner.keep_state, outer.keep_state, on_off::unset);
    c.allow = over<std::int16_t>(inner.allow, outer.allow, -1);
    c.load_path = over<const apr_array_header_t*>(inner.load_path, outer.load_path, nullptr);
    c.init = over<const apr_array_header_t*>(inner.init, outer.init, nullptr);
    c.nanoseconds = over<std::int64_t>(inner.nanoseconds, outer.nanoseconds, -1);
    c.memory = over<std::int64_t>(inner.memory, outer.memory, -1);
    c.body = over<std::int64_t>(inner.body, outer.body, -1);
    c.in_all = over<std::int64_t>(inner.in_all, outer.in_all, -1);
    c.response = over<std::int64_t>(inner.response, outer.response, -1);
    c.cache = over<std::int8_t>(inner.cache, outer.cache, -1);
    c.errors_to_client = over(inner.errors_to_client, outer.errors_to_client, on_off::unset);
    c.puts_to_log = over(inner.puts_to_log, outer.puts_to_log, on_off::unset);
    c.handler = over(inner.handler, outer.handler, on_off::unset);
    c.methods = over<std::int64_t>(inner.methods, outer.methods, 0);
    return &c;
}

}  // namespace kumihimo::inline v0::apache
