# The Perl host's part of `dev`, which sources this file: building, its tests, the distribution, sanitizers.
# shellcheck shell=bash disable=SC2154

perl=${PERL:-/usr/bin/perl}  # Debian's; another one needs the modules below installed for it
perl_path=$state/perl/blib/arch:$state/perl/blib/lib

need_perl() { need g++ make perl libperl-dev; }
# What the tests compare with: the other encoders, and the module that finds leaks.
need_perl_encoders() {
    need_frames
    need libjson-xs-perl libcpanel-json-xs-perl libtypes-serialiser-perl libdata-messagepack-perl libcbor-xs-perl libtest-leaktrace-perl libdatetime-perl
}
# And what they run in: the frameworks.
need_perl_rivals() {
    need_perl_encoders
    need libmojolicious-perl libev-perl
    need libdancer2-perl libcatalyst-perl libplack-perl libjson-perl libjson-maybexs-perl
}

# perl_build DIR OPTION...: the distribution in DIR/blib, with Makefile.PL's options. MakeMaker builds where its sources are, so DIR holds links to
# them: the repository stays clean, and several builds stand side by side. A new source file asks for a new Makefile.
perl_build() { alone "${1##*/}" perl_build_alone "$@"; }
perl_build_alone() {
    local dir=$1 log=$1/build.log wanted; shift
    mkdir -p "$dir"
    wanted=$(echo "$perl $*"; cksum hosts/perl/Makefile.PL; find engine hosts/perl/src hosts/perl/lib -name '*.?pp' -o -name '*.pm' -o -name '*.pod' | sort)
    if [ ! -e "$dir/Makefile" ] || [ "$(cat "$dir/.sources" 2>/dev/null)" != "$wanted" ]; then
        say "configuring the Perl extension"
        (
            cd "$dir" && rm -rf lib src blib pm_to_blib engine Makefile.PL &&
                cp -rs "$top/hosts/perl/lib" "$top/hosts/perl/src" . && ln -s "$top/engine" engine && ln -s "$top/hosts/perl/Makefile.PL" . &&
                "$perl" Makefile.PL "$@"
        ) >"$log" 2>&1 && [ -e "$dir/Makefile" ] || { tail -20 "$log"; return 1; }
        printf '%s' "$wanted" >"$dir/.sources"
    fi
    make -C "$dir" -j "$jobs" >"$log" 2>&1 || { grep -E 'error|Error' "$log" | head -20; tail -5 "$log"; return 1; }
}
perl_host() { need_perl; engine && perl_build "$made/perl" --engine="$build/libkumihimo_engine.a"; }

# perl_tests DIR FILE...: each test file (named from hosts/perl) in a process and a time of its own, with the modules in DIR/blib. What they compare
# with and run in must be there (t/lib/Installed.pm).
perl_tests() {
    local dir=$1 logs=$1/tests log failures=0; shift
    rm -rf "$logs"; mkdir -p "$logs"
    (cd hosts/perl && printf '%s\n' "$@" | PERL5LIB=$dir/blib/arch:$dir/blib/lib KUMIHIMO_DEMAND_ALL=1 LOGS=$logs PERL=$perl PRELOAD=${preload:-} LIMIT=${limit:-900} xargs -P "$jobs" -I{} bash -c '
        log=$LOGS/$(echo "${1%.t}" | tr / _)
        prove --verbose --merge --exec "timeout $LIMIT env LD_PRELOAD=$PRELOAD $PERL" "$1" >"$log" 2>&1
        echo "exit status $?" >>"$log"' bash {})
    for log in "$logs"/*; do
        tail -1 "$log" | grep -qx 'exit status 0' && continue
        failures=1; echo "--- ${log##*/}"; grep -vE '^ *ok ' "$log" | head -40; tail -12 "$log"
    done
    echo "$# files, $(cat "$logs"/* | sed -nE 's/^Files=1, Tests=([0-9]+),.*/\1/p' | awk '{n += $1} END {print n + 0}') tests"
    return $failures
}
perl_test_files() { (cd hosts/perl && find t -name '*.t' | sort); }

test_perl() {
    perl_host || return 1
    need_perl_rivals
    # shellcheck disable=SC2046
    perl_tests "$state/perl" $(perl_test_files) || return 1
    # Whatever is skipped is not proven, whether its reason says so or not.
    while read -r line; do not_proven perl "$line"; done < <(cat "$state"/perl/tests/* | sed -nE 's/^ *(ok [0-9]+|1\.\.0) .*# (skip|SKIP) (not proven: )?(.*)$/\4/p' | sort -u)
}

# What bench/run.py needs for the Perl table: the distribution, the rivals, an HTTP client, and a program that makes an exchange's frames.
perl_bench() {
    need_base
    perl_host && configure "$build" -DKUMIHIMO_TESTS=ON && make_all "$build" make_frames || return 1
    need libcpanel-json-xs-perl libjson-xs-perl libjson-perl libmojolicious-perl libev-perl libdata-messagepack-perl libcbor-xs-perl wrk
    mkdir -p "$state/perl-floor" && cp hosts/perl/bench/floor/* "$state/perl-floor/" && (cd "$state/perl-floor" && "$perl" Makefile.PL && make) >"$state/perl-floor.log" 2>&1 ||
        { tail -5 "$state/perl-floor.log" >&2; return 1; }
    export PERL=$perl PERL5LIB=$perl_path KUMIHIMO_FRAMES=$build/bench/make_frames KUMIHIMO_FLOOR=$state/perl-floor/blib
}

# The distribution as its users get it: packed, built and tested in an empty folder with nothing of the repository in reach, then installed as cpanm
# does it, without a network, and used.
test_cpan() {
    need_perl; need cpanminus libtest-pod-perl libtest-pod-coverage-perl
    local at log=$state/cpan.log tarball PERL_MM_OPT; at=$(mktemp -d)
    cmp LICENSE hosts/perl/LICENSE || return 1
    cp -rL hosts/perl "$at/source" && (
        cd "$at/source" && rm -rf blib objects Makefile MANIFEST pm_to_blib && "$perl" Makefile.PL && make manifest && make dist && mv Kumihimo-*.tar.gz "$at/"
    ) >"$log" 2>&1 || { tail -20 "$log"; return 1; }
    tarball=$(echo "$at"/Kumihimo-*.tar.gz)
    rm -rf "$at/source"
    # Compiled without optimisation, twice, and with few generated values: the part `perl` has done both in full. And as for a perl whose hashes are
    # not known from inside (src/values.hpp), so that that way is tested too.
    export PERL_MM_OPT='OPTIMIZE=-O0 DEFINE=-DKUMIHIMO_NO_INTERNALS'
    tar -xzf "$tarball" -C "$at" && (
        cd "$at"/Kumihimo-*/ && unset PERL5LIB && "$perl" Makefile.PL && make -j "$jobs" && HARNESS_OPTIONS=j$jobs KUMIHIMO_COUNT=${KUMIHIMO_COUNT:-50} make test && prove -b xt
    ) >>"$log" 2>&1 || { grep -E 'error|not ok|Failed|Dubious' "$log" | head -20; tail -20 "$log"; return 1; }
    grep -E '^Files=' "$log"
    (cd "$at" && env -u PERL5LIB HOME="$at/home" MAKEFLAGS="-j$jobs" http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 \
        cpanm --quiet --notest --mirror "file://$at/none" --mirror-only --local-lib-contained "$at/installed" "$tarball") >>"$log" 2>&1 || { tail -20 "$log"; return 1; }
    if grep -rlF "$top/" "$at/installed" >/dev/null 2>&1; then echo "what is installed names $top"; return 1; fi
    (cd "$at" && env -u PERL5LIB "$perl" "$top/hosts/perl/xt/installed.pl" "$at/installed") || return 1
    rm -rf "$at"
}

# The address and undefined-behaviour sanitizers. perl itself is built without them, so their libraries come in by LD_PRELOAD, and the C++ library with
# them, whose exceptions ASan intercepts when it starts. perl frees little at its end, so leaks are for the tests that count values.
perl_sanitized() {  # perl_sanitized FILE...
    local dir=$state/perl-sanitized library preload=
    need_perl; need_perl_rivals
    engine_sanitized && perl_build "$dir" --sanitizers --engine="$sanitized/libkumihimo_engine.a" || return 1
    for library in libasan.so libubsan.so libstdc++.so; do preload+="${preload:+:}$(g++ -print-file-name=$library)"; done
    ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=8 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
        KUMIHIMO_SANITIZED=1 perl_tests "$dir" "$@"
}
# shellcheck disable=SC2046
fuzz_perl() { KUMIHIMO_COUNT=${KUMIHIMO_COUNT:-1000} perl_sanitized $(perl_test_files); }
# A few files that together reach every source file of the extension; `./dev fuzz` runs all.
test_perl_sanitized() {
    local file files=()
    for file in leak threads fuzz incremental json_encode changed_while_walking asked_while_walking sort_by_keys hostile message_pack any_format frames partial lazy stream mojo/formats mojo/install \
        instead/json_pp instead/json_pp_encode instead/modules instead/differences instead/threads instead/install instead/signals instead/frameworks; do
        files+=("t/$file.t")
    done
    KUMIHIMO_COUNT=${KUMIHIMO_COUNT:-20} perl_sanitized "${files[@]}"
}
