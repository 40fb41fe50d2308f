// What the configuration says about a place (server, virtual host, directory, location), and how inner places inherit.
//
// The rule of merging: an inner place (a directory in another, a virtual host in the server) takes over what it does
// not set itself. Of code, a phase is one setting: who names a script for a phase replaces all that the outer place
// names for that phase, in all three positions; `none` leaves it empty.
#pragma once
#include <atomic>
#include <cstdint>
#include <limits>

#include "exchange.hpp"
#include "script.hpp"

namespace kumihimo::inline v0::apache {

/// Where among the other modules' a hook runs.
enum class position : std::uint8_t { first, middle, last };
inline constexpr int positions = 3;

/// The code of one phase, in the order of the configuration; null where there is none. Arrays of const code*.
struct phase_code {
    apr_array_header_t* in[positions];
};

enum class on_off : std::int8_t { unset = -1, off, on };

/// Made in a pool, never destroyed: members are trivial.
struct directory_config {
    const phase_code* code[phases] = {};
    const apache::code* native = nullptr;  // the handler mruby-native-script

    // What a VM is made with (vm_profile); null or unset: the default.
    on_off keep_state = on_off::unset;
    std::int16_t allow = -1;                        // bits of `may`
    const apr_array_header_t* load_path = nullptr;  // const char*
    const apr_array_header_t* init = nullptr;       // const char*

    std::int64_t nanoseconds = -1;
    std::int64_t memory = -1;
    std::int64_t body = -1;
    std::int64_t in_all = -1;    // nanoseconds
    std::int64_t response = -1;  // bytes
    std::int8_t cache = -1;      // script::reuse
    on_off errors_to_client = on_off::unset;
    on_off puts_to_log = on_off::unset;
    on_off handler = on_off::unset;
    std::int64_t methods = 0;  // bits of method numbers; 0: unset

    // The profile, once somebody asked for it.
    mutable std::atomic<const mruby::profile*> made_with = nullptr;

    /// Of a phase in which one script answers; null if none is named.
    const apache::code* only_code(phase p) const noexcept {
        const phase_code* const scripts = code[static_cast<int>(p)];
        const apr_array_header_t* const list = scripts == nullptr ? nullptr : scripts->in[static_cast<int>(position::middle)];
        return list == nullptr || list->nelts == 0 ? nullptr : reinterpret_cast<const apache::code* const*>(list->elts)[0];
    }

    // With the defaults.
    std::int64_t most_body() const noexcept { return body < 0 ? std::int64_t{1} << 20 : body; }
    std::uint64_t most_response() const noexcept {
        return response <= 0 ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(response);
    }
    mruby::run_limits limits() const noexcept {
        mruby::run_limits l;
        if (nanoseconds >= 0) l.nanoseconds = nanoseconds;
        if (in_all >= 0) l.in_all = in_all;
        if (memory >= 0) l.memory = static_cast<std::size_t>(memory);
        return l;
    }
    mruby::script::reuse reuse() const noexcept {
        return cache < 0 ? mruby::script::reuse::while_same : static_cast<mruby::script::reuse>(cache);
    }
    std::int64_t takes_methods() const noexcept {
        return methods == 0 ? (std::int64_t{1} << M_GET) | (std::int64_t{1} << M_POST) : methods;
    }
};

/// What MrubyAllow names.
enum may : std::int16_t { may_read = 1, may_write = 2, may_io = 4, may_process = 8, may_socket = 16 };

const directory_config& config_of(const request_rec*) noexcept;
/// One for each distinct combination, for as long as the process lives: VMs point to it. Not to be called in the
/// parent.
const mruby::profile& profile_of(const directory_config&);

void* create_config(apr_pool_t*, char* directory) noexcept;
void* merge_configs(apr_pool_t*, void* outer, void* inner) noexcept;

extern const command_rec directives[];

}  // namespace kumihimo::inline v0::apache
