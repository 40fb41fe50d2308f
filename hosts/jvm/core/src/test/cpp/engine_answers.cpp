// Answers for documents what the engine makes of them, as kumihimo.Differential does for the JVM: differential.py
// beside it asks both the same. Reader and writer are piped into one another, so that no host's rules come between.
//
//      in    format dialect format dialect length\n  document        from, and into
//      in    frame - unpacked - length\n  packed bytes
//      out   ok length\n  document      or      code offset path\n; -1 and - where there is none
//
// With --table it says what there is: a line for each format with its dialects of reading and of writing, and for each
// frame that is at hand.
#include <cstdlib>
#include <iostream>
#include <string>

#include "engine/core/pipe.hpp"
#include "engine/formats.hpp"
#include "engine/frame/frame.hpp"

using namespace kumihimo;

namespace {

bytes as_bytes(const std::string& s) { return {reinterpret_cast<const unsigned char*>(s.data()), s.size()}; }

void put(errc code, const failure& why, bytes made) {
    if (code == errc::ok) {
        std::cout << "ok " << made.size() << "\n";
        std::cout.write(reinterpret_cast<const char*>(made.data()), static_cast<std::streamsize>(made.size()));
        return;
    }
    std::cout << name(code) << " ";
    why.offset == failure::nowhere ? std::cout << "-1" : std::cout << why.offset;
    std::cout << " " << (why.path.empty() ? std::string("-") : std::string(why.path)) << "\n";
}

template <class From, class To>
void convert(const std::string& document, const std::string& read, const std::string& write) {
    const auto* const granted = dialect_of(From::read_dialects, read);
    const auto* const asked = dialect_of(To::write_dialects, write);
    if (granted == nullptr || asked == nullptr) {
        std::cerr << "no dialect " << (granted == nullptr ? read : write) << "\n";
        std::exit(2);
    }
    context ctx;
    buffer out;
    typename From::reader from(as_bytes(document), ctx, *granted);
    typename To::template writer<buffer> to(out, ctx, *asked);
    bytes made;
    const errc code = pipe(from, to, made);
    put(code, ctx.failure, made);
}

void unpack(const std::string& packed, const std::string& name) {
    for (const frame::codec* const codec : frame::all()) {
        if (codec->name != name) continue;
        context ctx;
        buffer out;
        const errc code = frame::unpack(*codec, as_bytes(packed), out, ctx);
        put(code, ctx.failure, {reinterpret_cast<const unsigned char*>(out.data()), out.size()});
    }
}

std::string_view name_of(std::string_view text) { return text; }
template <class D>
std::string_view name_of(const named<D>& dialect) {
    return dialect.name;
}

template <class Names>
std::string listed(const Names& all) {
    std::string out;
    for (const auto& one : all) out += (out.empty() ? "" : ",") + std::string(name_of(one));
    return out;
}

void table() {
    each_format([](auto row) {
        using rows = decltype(row);
        std::cout << "format " << rows::name << " " << listed(rows::read_dialects) << " " << listed(rows::write_dialects) << " "
                  << listed(rows::media_types) << " " << listed(rows::endings) << "\n";
    });
    for (const frame::codec* const codec : frame::all())
        if (frame::available(*codec)) std::cout << "frame " << codec->name << "\n";
}

}  // namespace

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    if (argc == 2 && std::string(argv[1]) == "--table") {
        table();
        return 0;
    }
    std::string source, read, target, write;
    std::size_t size = 0;
    while (std::cin >> source >> read >> target >> write >> size && std::cin.get() == '\n') {
        std::string document(size, '\0');
        if (!std::cin.read(document.data(), static_cast<std::streamsize>(size))) return 1;
        if (target == "unpacked") {
            unpack(document, source);
        } else {
            visit_format(source, [&](auto from) {
                visit_format(target, [&](auto to) { convert<decltype(from), decltype(to)>(document, read, write); });
            });
        }
        std::cout.flush();
    }
    return 0;
}
