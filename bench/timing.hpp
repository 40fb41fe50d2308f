// How the benches take time and say what they found. Thread CPU time, so that a busy machine disturbs less; rivals
// take turns, and the median of the rounds' ratios counts, so that what disturbs both sides of a round cancels.
#pragma once
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace bench {

/// CPU time of the calling thread, in microseconds with a fraction.
inline double cpu_us() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) / 1e3;
}

/// The upper one of the two in the middle when their number is even. `v` is not empty.
inline double median(std::vector<double> v) {
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
}

/// The line that run.py gathers; above 1 means that Kumihimo is faster.
inline void print_ratio(const std::string& task, const char* rival, double ratio, std::size_t rounds) {
    std::printf("ratio\t%s\tkumihimo/%s\t%.3f\t%zu\n", task.c_str(), rival, ratio, rounds);
    std::fflush(stdout);
}

/// The rounds of two rivals.
class contest {
public:
    void add(double ours, double theirs) {
        ours_.push_back(ours);
        theirs_.push_back(theirs);
        ratios_.push_back(theirs / ours);
    }
    double ours() const { return median(ours_); }
    double theirs() const { return median(theirs_); }
    void print(const std::string& task, const char* rival) const { print_ratio(task, rival, median(ratios_), ratios_.size()); }

private:
    std::vector<double> ours_, theirs_, ratios_;
};

}  // namespace bench
