// The directives. Their names are httpd's habit (it ignores case, so the old mruby... spelling is the same).
//
// None is allowed in .htaccess: whoever may upload a file could otherwise run code in phases where it judges others'
// requests, or lift the limits that keep scripts in bounds.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <limits>
#include <string_view>

#include "config.hpp"
#include "hooks.hpp"

namespace kumihimo::inline v0::apache {
namespace {

constexpr int here = RSRC_CONF | ACCESS_CONF;

directory_config& place(void* config) noexcept { return *static_cast<directory_config*>(config); }

bool is(const char* a, const char* b) noexcept { return ap_cstr_casecmp(a, b) == 0; }

// -- code of phases

struct where {
    phase in;
    position at;
    bool inline_code;
};
template <phase In, position At, bool Inline>
constexpr where place_of{In, At, Inline};

const char* absolute(const cmd_parms* cmd, const char* file) { return ap_server_root_relative(cmd->pool, file); }

/// The code that a directive names; null with `wrong` set when it is not one.
const code* read_code(cmd_parms* cmd, const char* said, bool inline_code, bool once, const char*& wrong) {
    // In there httpd would take it for all methods.
    wrong = ap_check_cmd_context(cmd, NOT_IN_LIMIT);
    if (wrong != nullptr) return nullptr;
    auto* const c = new (apr_palloc(cmd->pool, sizeof(code))) code;
    if (inline_code) {
        c->file = cmd->directive->filename;
        c->first_line = cmd->directive->line_num;
        c->text = apr_pstrdup(cmd->pool, said);
        c->size = std::strlen(said);
        // A line may be read more than once, with other values of what is defined (Define, macros).
        const std::uint64_t hash = std::hash<std::string_view>{}({c->text, c->size});
        c->key = apr_psprintf(cmd->pool, "%s:%d:%" APR_UINT64_T_HEX_FMT, c->file, c->first_line, hash);
    } else {
        c->file = absolute(cmd, said);
        c->read_once = once;
        if (c->file == nullptr) {
            wrong = apr_psprintf(cmd->pool, "%s: %s is no path", cmd->cmd->name, said);
            return nullptr;
        }
    }
    wrong = check(cmd, *c);
    return wrong == nullptr ? c : nullptr;
}

// httpd comes to these before it knows the place; to the others after.
const char* check_place(cmd_parms* cmd, phase in) {
    const char* wrong = nullptr;
    switch (in) {
        case phase::post_read_request:
        case phase::quick_handler:
        case phase::map_to_storage: wrong = ap_check_cmd_context(cmd, NOT_IN_DIR_CONTEXT); break;
        case phase::translate_name: wrong = ap_check_cmd_context(cmd, NOT_IN_DIRECTORY | NOT_IN_FILES); break;
        default: break;
    }
    if (wrong == nullptr) return nullptr;
    return apr_psprintf(
        cmd->pool, "%s: httpd does not look at %s at this point of a request: it belongs into the server or a virtual host%s",
        cmd->cmd->name, cmd->directive->parent != nullptr ? cmd->directive->parent->directive : "this section",
        in == phase::translate_name ? ", or into <Location>" : "");
}

phase_code& phase_of(const cmd_parms* cmd, directory_config& c, phase in) {
    auto& scripts = c.code[static_cast<int>(in)];
    if (scripts == nullptr) scripts = static_cast<phase_code*>(apr_pcalloc(cmd->pool, sizeof(phase_code)));
    return const_cast<phase_code&>(*scripts);
}

void add(const cmd_parms* cmd, directory_config& c, phase in, position at, const code* what) {
    auto& list = phase_of(cmd, c, in).in[static_cast<int>(at)];
    if (list == nullptr) list = apr_array_make(cmd->pool, 1, sizeof(const code*));
    *static_cast<const code**>(apr_array_push(list)) = what;
}

const char* only_cache(const cmd_parms* cmd, const char* said) {
    return apr_psprintf(cmd->pool, "%s: after the file comes nothing, or `cache`; not '%s'", cmd->cmd->name, said);
}

const char* set_hook(cmd_parms* cmd, void* config, const char* said, const char* cache) {
    const where& w = *static_cast<const where*>(cmd->info);
    if (const char* const wrong = check_place(cmd, w.in)) return wrong;
    if (!w.inline_code && is(said, "none")) {
        if (cache != nullptr) return apr_psprintf(cmd->pool, "%s: none stands alone", cmd->cmd->name);
        phase_of(cmd, place(config), w.in) = {};
        return nullptr;
    }
    if (cache != nullptr && !is(cache, "cache")) return only_cache(cmd, cache);
    const char* wrong = nullptr;
    const code* const c = read_code(cmd, said, w.inline_code, cache != nullptr, wrong);
    if (c == nullptr) return wrong;
    add(cmd, place(config), w.in, w.at, c);
    want_hook(w.in, w.at);
    return nullptr;
}

const char* set_hook_code(cmd_parms* cmd, void* config, const char* said) { return set_hook(cmd, config, said, nullptr); }

const char* set_native(cmd_parms* cmd, void* config, const char* said) {
    const char* wrong = nullptr;
    const code* const c = read_code(cmd, said, true, false, wrong);
    if (c != nullptr) place(config).native = c;
    return wrong;
}

// An authn provider has one answer: who names a script again, replaces it.
const char* set_authn(cmd_parms* cmd, void* config, const char* said, const char* cache) {
    const where& w = *static_cast<const where*>(cmd->info);
    phase_of(cmd, place(config), w.in) = {};
    return set_hook(cmd, config, said, cache);
}

const char* set_authn_code(cmd_parms* cmd, void* config, const char* said) { return set_authn(cmd, config, said, nullptr); }

/// Where filters are named there are several, with ; or blanks between them.
bool is_filter_name(const char* name) noexcept {
    for (const char* c = name; *c != '\0'; ++c) {
        if (!apr_isalnum(*c) && std::strchr("-_.", *c) == nullptr) return false;
    }
    return true;
}

// FILE [cache] is the code of the filter "mruby" here; NAME FILE is a filter of that name anywhere.
const char* set_filter(cmd_parms* cmd, void* config, const char* first, const char* second) {
    const where& w = *static_cast<const where*>(cmd->info);
    const bool input = w.in == phase::input_filter;
    const bool named = second != nullptr && (w.inline_code || !is(second, "cache"));
    const char* wrong = nullptr;
    if (named && !is_filter_name(first))
        return apr_psprintf(cmd->pool, "%s: the name of a filter is of letters, digits, -, _ and ., not '%s'", cmd->cmd->name,
                            first);
    if (!named && !w.inline_code && is(first, "none")) return phase_of(cmd, place(config), w.in) = {}, nullptr;
    const code* const c = read_code(cmd, named ? second : first, w.inline_code, !named && second != nullptr, wrong);
    if (c == nullptr) return wrong;
    if (named) return want_filter(cmd, input, first, c);
    phase_of(cmd, place(config), w.in) = {};
    add(cmd, place(config), w.in, position::middle, c);
    return want_filter(cmd, input, "mruby", nullptr);
}

// -- the rest

const char* set_scope(cmd_parms* cmd, void* config, const char* said) {
    if (is(said, "request"))
        place(config).keep_state = on_off::off;
    else if (is(said, "thread"))
        place(config).keep_state = on_off::on;
    else
        return apr_psprintf(cmd->pool, "MrubyScope is request or thread, not '%s'", said);
    return nullptr;
}

const char* set_cache(cmd_parms* cmd, void* config, const char* said) {
    using reuse = mruby::script::reuse;
    reuse choice;
    if (is(said, "stat"))
        choice = reuse::while_same;
    else if (is(said, "forever"))
        choice = reuse::always;
    else if (is(said, "never"))
        choice = reuse::never;
    else
        return apr_psprintf(cmd->pool, "MrubyCodeCache is stat, forever or never, not '%s'", said);
    place(config).cache = static_cast<std::int8_t>(choice);
    return nullptr;
}

// MrubyTimeout, MrubyMaxTime.
template <std::int64_t directory_config::*Member>
const char* set_time(cmd_parms* cmd, void* config, const char* said) {
    apr_interval_time_t t = 0;
    if (!apr_isdigit(*said) || ap_timeout_parameter_parse(said, &t, "s") != APR_SUCCESS || t < 0 ||
        t > apr_time_from_sec(86400)) {
        return apr_psprintf(
            cmd->pool, "%s is a number of seconds, or with a unit (500ms, 2s, 1mi), at most a day; 0 is no limit; not '%s'",
            cmd->cmd->name, said);
    }
    place(config).*Member = t * 1000;
    return nullptr;
}

/// A number of bytes with K, M or G behind it; false if it is none.
bool size_of(const char* said, std::int64_t& bytes) {
    char* end = nullptr;
    errno = 0;
    const std::int64_t n = apr_strtoi64(said, &end, 10);
    if (errno != 0 || end == said || !apr_isdigit(*said) || n < 0) return false;
    int shift = 0;
    switch (*end) {
        case 'k':
        case 'K': shift = 10; break;
        case 'm':
        case 'M': shift = 20; break;
        case 'g':
        case 'G': shift = 30; break;
        default: break;
    }
    if (shift != 0) ++end;
    if ((*end == 'b' || *end == 'B') && shift != 0) ++end;
    if (*end != '\0' || n > (std::numeric_limits<std::int64_t>::max() >> shift)) return false;
    bytes = n << shift;
    return true;
}

constexpr std::int64_t least_memory = std::int64_t{256} << 10, most_memory = std::int64_t{1} << 30;

const char* set_memory(cmd_parms* cmd, void* config, const char* said) {
    if (!size_of(said, place(config).memory) || place(config).memory < least_memory || place(config).memory > most_memory) {
        return apr_psprintf(cmd->pool, "MrubyMemoryLimit is a size from 256K to 1G (64M), not '%s'", said);
    }
    return nullptr;
}

const char* set_body(cmd_parms* cmd, void* config, const char* said) {
    if (!size_of(said, place(config).body) || place(config).body > most_memory) {
        return apr_psprintf(cmd->pool, "MrubyMaxBody is a size up to 1G (1M), not '%s'", said);
    }
    return nullptr;
}

const char* set_response(cmd_parms* cmd, void* config, const char* said) {
    if (!size_of(said, place(config).response))
        return apr_psprintf(cmd->pool, "MrubyMaxResponse is a size (10M, 1G); 0 is no limit; not '%s'", said);
    return nullptr;
}

const char* set_allow(cmd_parms* cmd, void* config, const char* said) {
    struct {
        const char* name;
        may what;
    } constexpr names[] = {
        {"read", may_read}, {"write", may_write}, {"io", may_io}, {"process", may_process}, {"socket", may_socket}};
    auto& allow = place(config).allow;
    const bool none = is(said, "none");
    if (none ? allow > 0 : allow == 0) return "MrubyAllow: none stands alone";
    if (none) return allow = 0, nullptr;
    for (const auto& n : names) {
        if (!is(said, n.name)) continue;
        allow = static_cast<std::int16_t>(std::max<std::int16_t>(allow, 0) | n.what);
        return nullptr;
    }
    return apr_psprintf(cmd->pool, "MrubyAllow is none, or some of read, write, io, process and socket; not '%s'", said);
}

const char* add_to(cmd_parms* cmd, const apr_array_header_t*& list, const char* said) {
    if (list == nullptr) list = apr_array_make(cmd->pool, 2, sizeof(const char*));
    *static_cast<const char**>(apr_array_push(const_cast<apr_array_header_t*>(list))) = said;
    return nullptr;
}

const char* add_load_path(cmd_parms* cmd, void* config, const char* said) {
    const char* const folder = absolute(cmd, said);
    if (folder == nullptr || !ap_is_directory(cmd->temp_pool, folder))
        return apr_psprintf(cmd->pool, "MrubyLoadPath: %s is no directory", said);
    return add_to(cmd, place(config).load_path, folder);
}

const char* add_init(cmd_parms* cmd, void* config, const char* said) {
    const char* const file = absolute(cmd, said);
    if (file == nullptr) return apr_psprintf(cmd->pool, "%s: %s is no path", cmd->cmd->name, said);
    if (const char* const wrong = check_file(cmd, file)) return wrong;
    return add_to(cmd, place(config).init, file);
}

// FILE [cache], as of a hook; these files are read when a VM is made, with the word and without.
const char* add_child_init(cmd_parms* cmd, void* config, const char* said, const char* cache) {
    if (cache != nullptr && !is(cache, "cache")) return only_cache(cmd, cache);
    return add_init(cmd, config, said);
}

const char* add_method(cmd_parms* cmd, void* config, const char* said) {
    for (const char* c = said; *c != '\0'; ++c) {
        if (!apr_isupper(*c) && *c != '-')
            return apr_psprintf(cmd->pool, "MrubyMethods is some of GET, HEAD, POST, PUT, DELETE, PATCH ..., not '%s'", said);
    }
    const int number = ap_method_number_of(said);
    if (number == M_INVALID)
        return apr_psprintf(cmd->pool,
                            "MrubyMethods: httpd knows no method %s; RegisterHttpMethod %s, before this, makes it known", said,
                            said);
    if (number == M_TRACE || number == M_CONNECT) return apr_psprintf(cmd->pool, "MrubyMethods: %s is not for scripts", said);
    place(config).methods |= AP_METHOD_BIT << number;
    return nullptr;
}

const char* set_puts_to(cmd_parms* cmd, void* config, const char* said) {
    if (is(said, "response"))
        place(config).puts_to_log = on_off::off;
    else if (is(said, "log"))
        place(config).puts_to_log = on_off::on;
    else
        return apr_psprintf(cmd->pool, "MrubyPutsTo is response or log, not '%s'", said);
    return nullptr;
}

template <on_off directory_config::*Member>
const char* set_flag(cmd_parms*, void* config, int on) {
    place(config).*Member = on != 0 ? on_off::on : on_off::off;
    return nullptr;
}

const char* refuse_post_config(cmd_parms* cmd, void*, const char*) {
    return apr_psprintf(cmd->pool,
                        "%s would run as root in httpd's parent: MrubyInit runs a file in the children, when a VM is made",
                        cmd->cmd->name);
}

// httpd calls each with the arguments that its kind (TAKE1, FLAG ...) says.
template <class F>
cmd_func untyped(F f) noexcept {
    return reinterpret_cast<cmd_func>(reinterpret_cast<void*>(f));
}
template <phase In, position At, bool Inline>
void* info() noexcept {
    return const_cast<where*>(&place_of<In, At, Inline>);
}

}  // namespace

// Each phase: MrubyFixups (as ...Middle), MrubyFixupsFirst, ...Middle, ...Last FILE [cache], and the same with Code
// behind.
#define HOOK_AT(NAME, PHASE, AT)                                                                                               \
    {                                                                                                                          \
        NAME,                                                                                                                  \
        untyped(set_hook),                                                                                                     \
        info<phase::PHASE, position::AT, false>(),                                                                             \
        here,                                                                                                                  \
        TAKE12,                                                                                                                \
        "a script for this phase: FILE [cache]"},                                                                              \
    {                                                                                                                          \
        NAME "Code", untyped(set_hook_code), info<phase::PHASE, position::AT, true>(), here, TAKE1, "Ruby code for this phase" \
    }
#define HOOKS(NAME, PHASE)                                                                                         \
    HOOK_AT(NAME "First", PHASE, first), HOOK_AT(NAME "Middle", PHASE, middle), HOOK_AT(NAME "Last", PHASE, last), \
        HOOK_AT(NAME, PHASE, middle)

const command_rec directives[] = {
    HOOKS("MrubyPostReadRequest", post_read_request),
    HOOKS("MrubyTranslateName", translate_name),
    HOOKS("MrubyMapToStorage", map_to_storage),
    HOOKS("MrubyAccessChecker", access_checker),
    HOOKS("MrubyCheckUserId", check_user_id),
    HOOKS("MrubyAuthChecker", auth_checker),
    HOOKS("MrubyFixups", fixups),
    HOOKS("MrubyLogTransaction", log_transaction),
    HOOKS("MrubyQuickHandler", quick_handler),
    HOOKS("MrubyInsertFilter", insert_filter),
    HOOK_AT("MrubyHandlerFirst", handler, first),
    HOOK_AT("MrubyHandlerMiddle", handler, middle),
    HOOK_AT("MrubyHandlerLast", handler, last),
    {"MrubyHandler", untyped(set_hook), info<phase::handler, position::middle, false>(), here, TAKE12,
     "a script that handles what is here: FILE [cache]"},
    {"MrubyHandlerCode", untyped(set_native), nullptr, here, TAKE1, "Ruby code for the handler mruby-native-script"},

    {"MrubyAuthnCheckPassword", untyped(set_authn), info<phase::check_password, position::middle, false>(), here, TAKE12,
     "a script that checks a password"},
    {"MrubyAuthnCheckPasswordCode", untyped(set_authn_code), info<phase::check_password, position::middle, true>(), here, TAKE1,
     "the same as code"},
    {"MrubyAuthnGetRealmHash", untyped(set_authn), info<phase::realm_hash, position::middle, false>(), here, TAKE12,
     "a script that finds a digest"},
    {"MrubyAuthnGetRealmHashCode", untyped(set_authn_code), info<phase::realm_hash, position::middle, true>(), here, TAKE1,
     "the same as code"},

    {"MrubyOutputFilter", untyped(set_filter), info<phase::output_filter, position::middle, false>(), here, TAKE12,
     "FILE [cache], or NAME FILE"},
    {"MrubyOutputFilterCode", untyped(set_filter), info<phase::output_filter, position::middle, true>(), here, TAKE12,
     "[NAME] and Ruby code"},
    {"MrubyInputFilter", untyped(set_filter), info<phase::input_filter, position::middle, false>(), here, TAKE12,
     "FILE [cache], or NAME FILE"},
    {"MrubyInputFilterCode", untyped(set_filter), info<phase::input_filter, position::middle, true>(), here, TAKE12,
     "[NAME] and Ruby code"},

    {"MrubyHandlerEnable", untyped(set_flag<&directory_config::handler>), nullptr, here, FLAG,
     "Off: mruby-script answers 403 (default On)"},
    {"MrubyScope", untyped(set_scope), nullptr, here, TAKE1,
     "request: scripts leave no state behind (default); thread: to the thread's next run"},
    {"MrubyCodeCache", untyped(set_cache), nullptr, here, TAKE1,
     "stat: compiled again when the file changed (default); forever; never: each time"},
    {"MrubyTimeout", untyped(set_time<&directory_config::nanoseconds>), nullptr, here, TAKE1,
     "the time a script may run (default 30)"},
    {"MrubyMaxTime", untyped(set_time<&directory_config::in_all>), nullptr, here, TAKE1,
     "the time a run may take in all, with what it waits for the client (default none)"},
    {"MrubyMaxResponse", untyped(set_response), nullptr, here, TAKE1, "the largest response a script prints (default none)"},
    {"MrubyMemoryLimit", untyped(set_memory), nullptr, here, TAKE1, "the memory a script may take (default 64M)"},
    {"MrubyMaxBody", untyped(set_body), nullptr, here, TAKE1, "the largest request body a script reads (default 1M)"},
    {"MrubyAllow", untyped(set_allow), nullptr, here, ITERATE,
     "what scripts may do beyond computing: read write io process socket (default none)"},
    {"MrubyLoadPath", untyped(add_load_path), nullptr, here, ITERATE, "directories where require looks"},
    {"MrubyInit", untyped(add_init), nullptr, here, ITERATE,
     "scripts run when a VM is made: what they define is there in every run"},
    {"MrubyChildInit", untyped(add_child_init), nullptr, here, TAKE12, "the same for one: FILE [cache]"},
    {"MrubyErrorsToClient", untyped(set_flag<&directory_config::errors_to_client>), nullptr, here, FLAG,
     "On: exceptions are shown to the client (default Off)"},
    {"MrubyMethods", untyped(add_method), nullptr, here, ITERATE,
     "the methods that a script's file takes (default GET HEAD POST)"},
    {"MrubyPutsTo", untyped(set_puts_to), nullptr, here, TAKE1, "where puts and p go: response (default) or log"},

    {"MrubyPostConfig", untyped(refuse_post_config), nullptr, here, RAW_ARGS, "not offered"},
    {"MrubyPostConfigFirst", untyped(refuse_post_config), nullptr, here, RAW_ARGS, "not offered"},
    {"MrubyPostConfigMiddle", untyped(refuse_post_config), nullptr, here, RAW_ARGS, "not offered"},
    {"MrubyPostConfigLast", untyped(refuse_post_config), nullptr, here, RAW_ARGS, "not offered"},
    {"MrubyChildInitFirst", untyped(add_child_init), nullptr, here, TAKE12, "the same as MrubyChildInit"},
    {"MrubyChildInitMiddle", untyped(add_child_init), nullptr, here, TAKE12, "the same as MrubyChildInit"},
    {"MrubyChildInitLast", untyped(add_child_init), nullptr, here, TAKE12, "the same as MrubyChildInit"},
    {nullptr, {}, nullptr, 0, RAW_ARGS, nullptr},
};
#undef HOOKS
#undef HOOK_AT

}  // namespace kumihimo::inline v0::apache
