// The request hooks: one function for all phases and positions, registered where the configuration names code.
//
// Within a position the code runs in the order of the configuration, and what it answers counts as httpd counts its
// modules' answers: in phases where the first module wins, the first answer that is not DECLINED; in those that ask
// all, the first refusal.
#include "hooks.hpp"

#include <algorithm>
#include <array>

#include "reading.hpp"
#include "run.hpp"

namespace kumihimo::inline v0::apache {
namespace {

bool registered[phases][positions];

bool asks_all(phase p) noexcept {
    return p == phase::post_read_request || p == phase::access_checker || p == phase::fixups || p == phase::log_transaction ||
           p == phase::insert_filter;
}

int run_hook(request_rec* r, phase p, position at) noexcept {
    const directory_config& c = config_of(r);
    const phase_code* const of_phase = c.code[static_cast<int>(p)];
    const apr_array_header_t* const list = of_phase == nullptr ? nullptr : of_phase->in[static_cast<int>(at)];
    if (list == nullptr || (p == phase::fixups && only_judging())) return DECLINED;
    int said = DECLINED;
    for (int i = 0; i < list->nelts; ++i) {
        const int answer = run_code(r, p, *reinterpret_cast<const code* const*>(list->elts)[i], c);
        if (answer == DECLINED) continue;
        said = answer;
        if (answer != OK || !asks_all(p)) break;
    }
    return said;
}

template <phase P, position At>
int hook(request_rec* r) {
    return run_hook(r, P, At);
}
template <position At>
int quick_hook(request_rec* r, int lookup) {
    // Who only asks what would be gets the usual answer.
    return lookup != 0 ? DECLINED : run_hook(r, phase::quick_handler, At);
}
// httpd asks for no answer here. Who fails may have been about to put in a filter that keeps something.
template <position At>
void filter_hook(request_rec* r) {
    const int answer = run_hook(r, phase::insert_filter, At);
    if (answer >= 300) refuse_response(r, answer);
}
// The response is sent: nothing can be answered any more.
template <position At>
int log_hook(request_rec* r) {
    run_hook(r, phase::log_transaction, At);
    return OK;
}

template <phase P>
constexpr std::array hooks_of{hook<P, position::first>, hook<P, position::middle>, hook<P, position::last>};
constexpr std::array quick{quick_hook<position::first>, quick_hook<position::middle>, quick_hook<position::last>};
constexpr std::array filter{filter_hook<position::first>, filter_hook<position::middle>, filter_hook<position::last>};
constexpr std::array logging{log_hook<position::first>, log_hook<position::middle>, log_hook<position::last>};
// Hooks of first and middle run before mod_log_config, so that its line can show what they put into notes and
// variables.
constexpr const char* before_access_log[] = {"mod_log_config.c", nullptr};
constexpr int order_of[positions] = {APR_HOOK_FIRST, APR_HOOK_MIDDLE, APR_HOOK_LAST};

}  // namespace

void forget_hooks() noexcept {
    for (auto& of_phase : registered) std::fill(std::begin(of_phase), std::end(of_phase), false);
}

void want_hook(phase p, position at) {
    const auto i = static_cast<std::size_t>(at);
    bool& done = registered[static_cast<int>(p)][i];
    if (done) return;
    done = true;
    const int order = order_of[i];
    // The access hooks in the form that says: the answer may depend on anything, so a subrequest asks again.
    switch (p) {
        case phase::post_read_request:
            ap_hook_post_read_request(hooks_of<phase::post_read_request>[i], nullptr, nullptr, order);
            break;
        case phase::translate_name: ap_hook_translate_name(hooks_of<phase::translate_name>[i], nullptr, nullptr, order); break;
        case phase::map_to_storage: ap_hook_map_to_storage(hooks_of<phase::map_to_storage>[i], nullptr, nullptr, order); break;
        case phase::access_checker: ap_hook_access_checker(hooks_of<phase::access_checker>[i], nullptr, nullptr, order); break;
        case phase::check_user_id: ap_hook_check_user_id(hooks_of<phase::check_user_id>[i], nullptr, nullptr, order); break;
        case phase::auth_checker: ap_hook_auth_checker(hooks_of<phase::auth_checker>[i], nullptr, nullptr, order); break;
        case phase::fixups: ap_hook_fixups(hooks_of<phase::fixups>[i], nullptr, nullptr, order); break;
        case phase::handler: ap_hook_handler(hooks_of<phase::handler>[i], nullptr, nullptr, order); break;
        case phase::log_transaction:
            ap_hook_log_transaction(logging[i], nullptr, at == position::last ? nullptr : before_access_log, order);
            break;
        case phase::quick_handler: ap_hook_quick_handler(quick[i], nullptr, nullptr, order); break;
        case phase::insert_filter: ap_hook_insert_filter(filter[i], nullptr, nullptr, order); break;
        default: break;  // filters and providers are no hooks
    }
}

}  // namespace kumihimo::inline v0::apache
