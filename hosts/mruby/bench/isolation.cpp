// What a run costs beside the script's own work: the VM's limits set, the script entered, and the VM put back as it
// was.
//
//      isolation [--quick]
//
// Each script is run in a VM that is put back after every run and in one that keeps its state; the least of several
// rounds, since nothing makes a run faster than it is.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string_view>

#include "../vm/vm.hpp"

using namespace kumihimo::mruby;

namespace {

// What a run may cost beside its script, in nanoseconds.
constexpr double budget = 8'000;

struct sample {
    const char* task;
    const char* name;
    std::string_view text;
};
constexpr sample samples[] = {
    {"empty", "an empty script", ""},
    {"globals", "one that writes globals and reopens String",
     "$count = ($count || 0) + 1\n"
     "$seen = \"request #{$count}\"\n"
     "class String\n"
     "  def shout\n"
     "    upcase + '!'\n"
     "  end\n"
     "end\n"
     "$seen.shout\n"},
};

bool read(void* from, std::string& text, stamp&, std::string&) {
    text = static_cast<const sample*>(from)->text;
    return true;
}

double now() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

/// Nanoseconds of a run, and the bytes of the VM's image; negative if it cannot be made or a run fails.
double measure(const sample& s, bool keep_state, int rounds, int runs, std::size_t& image) {
    profile made_with;
    made_with.keep_state = keep_state;
    outcome out;
    const auto made = vm::make(made_with, out);
    if (made == nullptr) return std::fprintf(stderr, "isolation: %s\n", out.message.c_str()), -1;
    script what;
    what.name = s.name;
    what.keep = script::reuse::always;
    what.read = read;
    what.from = const_cast<sample*>(&s);
    double best = 1e300;
    for (int round = 0; round <= rounds; ++round) {
        const double began = now();
        for (int i = 0; i < runs; ++i) {
            made->run(what, {}, nullptr, out);
            if (!out) return std::fprintf(stderr, "isolation: %s: %s\n", s.name, out.message.c_str()), -1;
        }
        if (round > 0) best = std::min(best, (now() - began) / runs);
    }
    image = made->image();
    return best;
}

}  // namespace

int main(int argc, char** argv) {
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    const int rounds = quick ? 7 : 21, runs = quick ? 5'000 : 20'000;
    for (const sample& s : samples) {
        std::size_t image = 0, kept = 0;
        const double isolated = measure(s, false, rounds, runs, image), stays = measure(s, true, rounds, runs, kept);
        if (isolated < 0 || stays < 0) return 1;
        std::printf("isolation: %-44s %7.2f us a run, put back as it was; %7.2f us where state is kept; image of %zu bytes\n",
                    s.name, isolated / 1e3, stays / 1e3, image);
        std::printf("ratio\tapache.isolation.%s\tkumihimo/8 us\t%.3f\t%d\n", s.task, budget / isolated, rounds);
    }
}
