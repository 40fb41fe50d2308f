// Many threads, each with its VMs: what ThreadSanitizer is to look at.
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "../vm/counters.hpp"
#include "scripts.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

TEST_CASE("threads have nothing to do with one another") {
    static const profile plain;
    static profile other;
    other.allow.read = true;
    static counters shared{};
    count_into(&shared);
    std::atomic<int> wrong{0};
    for (int round = 0; round < 3; ++round) {
        std::vector<std::thread> all;
        for (int t = 0; t < 12; ++t) {
            all.emplace_back([t, &wrong] {
                const std::string mine = std::to_string(t);
                from_text s{"s" + mine + ".rb",
                            "$x = ($x || 0) + 1; a = (1..50).map { |i| {'id' => i, 'name' => \"n#{i}\"} }; "
                            "JSON.parse(JSON.generate(a)).size; "
                            "print $x, [1.5, 'a'].pack('Em').size, '" +
                                mine + "' =~ /\\d+/"};
                for (int i = 0; i < 40; ++i) {
                    outcome why;
                    const borrowed_vm v(i % 2 == 0 ? plain : other, why);
                    if (v.get() == nullptr) {
                        ++wrong;
                        continue;
                    }
                    if (i % 10 == 9) s.version = i;
                    const result r = run(*v.get(), s);
                    if (!r.end || r.out.substr(0, 1) != "1") ++wrong;
                    from_text faulty{"faulty.rb", "raise 'x'"};
                    if (run(*v.get(), faulty).end.type != outcome::kind::raised) ++wrong;
                }
            });
        }
        for (std::thread& t : all) t.join();
        CHECK(wrong == 0);
        CHECK(shared.vms == 0);
        CHECK(shared.image_bytes == 0);
    }
    CHECK(shared.runs == 3 * 12 * 40 * 2);
}
