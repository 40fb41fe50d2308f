# The Ruby host's part of `dev`, which sources this file: building the extension, its tests, the gem, other projects' own tests.
# shellcheck shell=bash disable=SC2154

ruby=${RUBY:-/usr/bin/ruby}  # Debian's; another one needs the gems below installed for it
ruby_path=$state/ruby/lib:$top/hosts/ruby/lib

need_ruby() { need g++ make ruby ruby-dev ruby-minitest rake tzdata; }
# What the tests compare with and run in: ActiveSupport and the rest of Rails, the other encoders.
need_ruby_rivals() {
    need ruby-activesupport ruby-activemodel ruby-activerecord ruby-actionpack ruby-actioncable ruby-railties ruby-sqlite3 ruby-jbuilder \
        ruby-multi-json ruby-oj ruby-msgpack ruby-test-unit puma
    # Not in every Debian.
    if apt-cache show ruby-active-model-serializers >/dev/null 2>&1; then need ruby-active-model-serializers; fi
}

# ruby_build DIR OPTION...: the extension into DIR/lib, with extconf.rb's options; what ruby_flags holds comes behind all of the compiler's. A new source file asks for a new Makefile.
ruby_build() { alone "${1##*/}" ruby_build_alone "$@"; }
ruby_build_alone() {
    local dir=$1 log=$1/build.log wanted; shift
    mkdir -p "$dir/lib/kumihimo"
    wanted=$(echo "$ruby $* ${ruby_flags:-}"; cksum hosts/ruby/ext/kumihimo/extconf.rb; find engine hosts/ruby/ext/kumihimo -name '*.cpp' | sort)
    if [ ! -e "$dir/Makefile" ] || [ "$(cat "$dir/.sources" 2>/dev/null)" != "$wanted" ]; then
        say "configuring the Ruby extension"
        (cd "$dir" && "$ruby" "$top/hosts/ruby/ext/kumihimo/extconf.rb" "$@") >"$log" 2>&1 || { tail -20 "$log"; return 1; }
        printf '%s' "$wanted" >"$dir/.sources"
    fi
    make -C "$dir" -j "$jobs" ${ruby_flags:+ARCH_FLAG="$ruby_flags"} >"$log" 2>&1 || { grep -E 'error|Error' "$log" | head -20; tail -5 "$log"; return 1; }
    cmp -s "$dir/kumihimo.so" "$dir/lib/kumihimo/kumihimo.so" || cp "$dir/kumihimo.so" "$dir/lib/kumihimo/"
}
ruby_host() { need_ruby; engine && ruby_build "$made/ruby" --enable-symbols --with-kumihimo-engine="$build/libkumihimo_engine.a"; }

# ruby_tests DIR FILE...: each test file in a process of its own, because some load ActiveSupport, which changes classes, and some must not.
ruby_tests() {
    local dir=$1 logs=$1/tests log failures=0 tally; shift
    rm -rf "$logs"; mkdir -p "$logs"
    printf '%s\n' "$@" | LIBRARY=$dir/lib LOGS=$logs RUBY=$ruby PRELOAD=${preload:-} LIMIT=${limit:-900} xargs -P "$jobs" -I{} bash -c '
        log=$LOGS/$(basename "${1#hosts/ruby/test/}" .rb | tr / _)
        LD_PRELOAD=$PRELOAD timeout "$LIMIT" "$RUBY" -W1 -I"$LIBRARY" -Ihosts/ruby/lib -Ihosts/ruby/test "$1" --verbose >"$log" 2>&1
        echo "exit status $?" >>"$log"' bash {}
    for log in "$logs"/*; do
        grep -qE '^[1-9][0-9]* (runs|tests), .* 0 failures, 0 errors' "$log" && tail -1 "$log" | grep -qx 'exit status 0' && continue
        failures=1; echo "--- ${log##*/}"; sed -n '/^  1) /,$p' "$log" | head -60; tail -3 "$log"
    done
    tally=$(cat "$logs"/* | awk '/^[0-9]+ (runs|tests), /{for (i = 1; i < NF; i += 2) n[$(i + 1)] += $i} END {printf "%d runs, %d assertions, %d failures, %d errors, %d skips", n["runs,"], n["assertions,"], n["failures,"], n["errors,"], n["skips"]}')
    echo "$# files: $tally"
    return $failures
}

test_ruby() {
    ruby_host || return 1
    need_ruby_rivals
    # shellcheck disable=SC2046
    ruby_tests "$state/ruby" $(find hosts/ruby/test -name '*_test.rb' | sort) || return 1
    # Once more with public functions alone, as a Ruby that exports no more must: no result may tell which way was taken. Without optimisation,
    # which takes most of the time.
    ruby_flags=-O0 ruby_build "$state/ruby-public" --disable-internals --with-kumihimo-engine="$build/libkumihimo_engine.a" || return 1
    ruby_tests "$state/ruby-public" hosts/ruby/test/identity_test.rb hosts/ruby/test/rails/{to_json,number_text,active_record}_test.rb || return 1
    while read -r line; do not_proven ruby "$line"; done < <(grep -rhoE 'not proven: .*' "$state/ruby/tests" | sed 's/^not proven: //' | sort -u)
}

# What bench/run.py needs for the Ruby table: the extension, the rivals, and a program that makes an exchange's frames.
ruby_bench() {
    need_base
    ruby_host && configure "$build" -DKUMIHIMO_TESTS=ON && make_all "$build" make_frames || return 1
    need_ruby_rivals
    mkdir -p "$state/floor" && (cd "$state/floor" && "$ruby" "$top/hosts/ruby/bench/floor/extconf.rb" && make) >"$state/floor.log" 2>&1 || { tail -5 "$state/floor.log" >&2; return 1; }
    export RUBY=$ruby RUBYLIB=$ruby_path KUMIHIMO_FRAMES=$build/bench/make_frames KUMIHIMO_FLOOR=$state/floor
}

# The gem as its users get it: built, installed into an empty folder with nothing of the repository in reach, and used. Compiled without optimisation, as
# `ruby` has tested the optimised extension.
test_gem() {
    need_ruby
    local at; at=$(mktemp -d)
    # As whoever publishes it does: no address is invented in the gem itself.
    local -x KUMIHIMO_HOMEPAGE=https://example.org/kumihimo
    cmp LICENSE hosts/ruby/LICENSE || return 1
    if grep -rn 'https\?://[^ ]*/kumihimo' hosts/ruby/*.md hosts/ruby/kumihimo.gemspec; then echo "an address that the repository does not state"; return 1; fi
    # As rake makes it, which builds what gem build does, and in a copy: it writes beside what it reads.
    cp -rL hosts/ruby "$at/source" && (cd "$at/source" && "$ruby" -S rake gem) >"$state/gem.log" 2>&1 || { tail -20 "$state/gem.log"; return 1; }
    mv "$at"/source/pkg/kumihimo-*.gem "$at/kumihimo.gem" && rm -rf "$at/source"
    (cd hosts/ruby && "$ruby" -S gem build --strict kumihimo.gemspec --output "$at/again.gem") >>"$state/gem.log" 2>&1 || { tail -20 "$state/gem.log"; return 1; }
    (cd "$at" && env -u RUBYLIB GEM_HOME="$at/gems" GEM_PATH="$at/gems" MAKEFLAGS="-j$jobs ARCH_FLAG=-O0" \
        "$ruby" -S gem install --local --no-document --install-dir "$at/gems" kumihimo.gem) >>"$state/gem.log" 2>&1 || { tail -20 "$state/gem.log"; return 1; }
    if grep -rlF "$top/" "$at/gems" >/dev/null 2>&1; then echo "the installed gem names $top"; return 1; fi
    (cd "$at" && env -u RUBYLIB GEM_HOME="$at/gems" GEM_PATH="$at/gems" "$ruby" "$top/hosts/ruby/test/installed_gem.rb" "$at/gems") || return 1
    rm -rf "$at"
}

# The address and undefined-behaviour sanitizers. Ruby itself is built without them, so their libraries come in by LD_PRELOAD, and the C++ library
# with them, whose exceptions ASan intercepts when it starts. Ruby frees little at its end, so leaks are for the tests that count objects; it has
# signal stacks of its own; json 2.6 prints text without an end in its errors (strlen); and the quarantine is small for the tests that watch memory.
ruby_sanitized() {  # ruby_sanitized FILE...
    local dir=$state/ruby-sanitized library preload= limit=900
    need_ruby; need_ruby_rivals
    engine_sanitized && ruby_build "$dir" --enable-sanitizers --enable-symbols --with-kumihimo-engine="$sanitized/libkumihimo_engine.a" || return 1
    for library in libasan.so libubsan.so libstdc++.so; do preload+="$(g++ -print-file-name=$library) "; done
    ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0:intercept_strlen=0:quarantine_size_mb=8 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
        KUMIHIMO_SANITIZED=1 KUMIHIMO_COUNT=${KUMIHIMO_COUNT:-100} ruby_tests "$dir" "$@"
}
# shellcheck disable=SC2046
fuzz_ruby() { ruby_sanitized $(find hosts/ruby/test -name '*_test.rb' | sort); }
# A few files that together reach every source file of the extension; `./dev fuzz` runs all.
test_sanitized() {
    local file files=()
    for file in generate parse load message_pack partial lazy stream any_format vectors rails/to_json; do
        [ ! -e "hosts/ruby/test/${file}_test.rb" ] || files+=("hosts/ruby/test/${file}_test.rb")
    done
    ruby_sanitized "${files[@]}"
}
