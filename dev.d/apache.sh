# The Apache host's part of `dev`, which sources this file: building the module, its tests, sanitizers, fuzzers.
# shellcheck shell=bash disable=SC2154

apache=$state/apache
# Not the package `apache2`: that one starts a server. These hold the program, its modules, apxs and ab; nothing of them runs by itself.
need_apache() { need_base; need apache2-bin apache2-dev apache2-utils libmruby-dev libpcre2-dev curl; }

# apache_configure DIR OPTION...: hosts/apache is a CMake project of its own, which adds hosts/mruby.
apache_configure() { alone "configure-${1##*/}" apache_configure_alone "$@"; }
apache_configure_alone() {
    local dir=$1; shift
    [ -e "$dir/build.ninja" ] && [ "$(cat "$dir/.options" 2>/dev/null)" = "$*" ] && return 0
    mkdir -p "$dir"
    cmake -S "$top/hosts/apache" -B "$dir" -G Ninja "$@" >"$dir/configure.log" 2>&1 || { tail -20 "$dir/configure.log" >&2; return 1; }
    printf '%s' "$*" >"$dir/.options"
}
apache_host() {  # apache_host [TARGETS]: the module and the program, or what is named
    need_apache
    engine && apache_configure "$apache" -DKUMIHIMO_TESTS=ON -DKUMIHIMO_BUILT="$build" && make_all "$apache" "${1:-mod_mruby kumihimo-mruby}"
}

# vm_tests DIR: the tests of the part without httpd.
vm_tests() {
    ctest --test-dir "$1" --output-on-failure --no-tests=error --timeout 900 -j "$jobs" >"$1/ctest.log" 2>&1 || { cat "$1/ctest.log"; return 1; }
    grep -E 'tests passed' "$1/ctest.log"
    while read -r line; do not_proven apache "$line"; done < <(grep -rhoE 'not proven: .*' "$1/Testing/Temporary/LastTest.log" | sed 's/^not proven: //' | sort -u)
}

# server_tests LOGS FILE...: each file's tests in a process of their own, twice as many at a time as there are processors: much of a test is waiting.
# One part's at a time.
server_tests() { alone servers server_tests_alone "$@"; }
server_tests_alone() {
    local logs=$1 log failures=0; shift
    rm -rf "$logs"; mkdir -p "$logs"
    # The heaviest first, so that none of them is left alone at the end.
    printf '%s\n' "$@" | sort -t_ -k2 | (grep -E 'load|restart|first_script|edits' || true; printf '%s\n' "$@" | grep -vE 'load|restart|first_script|edits') |
        LOGS=$logs PYTHON=$venv/bin/python xargs -P $((2 * jobs)) -I{} bash -c '
            log=$LOGS/$(basename "$1" .py)
            timeout 1200 "$PYTHON" -B -m pytest -q -p no:cacheprovider -rs --durations=3 "$1" >"$log" 2>&1
            echo "exit status $?" >>"$log"' bash {}
    for log in "$logs"/*; do
        tail -1 "$log" | grep -qx 'exit status 0' && continue
        failures=1; echo "--- ${log##*/}"; tail -150 "$log"
    done
    while read -r line; do not_proven apache "$line"; done < <(sed -nE 's/^SKIPPED \[[0-9]+\] [^ ]+ (not proven: )?(.*)$/\2/p' "$logs"/* | sort -u)
    echo "$# files, $(sed -nE 's/^([0-9]+) passed.*/\1/p' "$logs"/* | awk '{n += $1} END {print n + 0}') tests"
    return $failures
}
server_test_files() { find hosts/apache/test -maxdepth 1 -name 'test_*.py' | sort; }

test_apache() {
    apache_host all && pips pytest prometheus-client && vm_tests "$apache" || return 1
    # shellcheck disable=SC2046
    KUMIHIMO_APACHE=$apache server_tests "$apache/tests" $(server_test_files)
}

# The sanitizers. libmruby.a is built without them: what they see is ours. The VM's own page faults are meant (hosts/mruby/vm/arena.hpp), so they stay its own.
apache_options=(-DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1")
# Newer compilers would have locals on a heap of the sanitizer's, where the VM sees no depth of the stack.
asan_of_vm=handle_segv=0:allow_user_segv_handler=1:detect_stack_use_after_return=0
apache_asan=(-DKUMIHIMO_TESTS=ON -DKUMIHIMO_SANITIZE=address,undefined "${apache_options[@]}")
# The tests of the part without httpd come from a build that does not know of httpd; the same folder then builds the module too.
vm_sanitized() {
    need_apache
    apache_configure "$state/apache-asan" "${apache_asan[@]}" -DKUMIHIMO_APACHE=OFF && make_all "$state/apache-asan" vm_tests || return 1
    ASAN_OPTIONS=$asan_of_vm:detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 vm_tests "$state/apache-asan"
}
# The server itself is built without: the sanitizers' libraries come in by LD_PRELOAD.
server_sanitized() {  # server_sanitized FILE...
    local library preload=
    apache_configure "$state/apache-asan" "${apache_asan[@]}" -DKUMIHIMO_APACHE=ON && make_all "$state/apache-asan" "${asan_targets:-mod_mruby}" && pips pytest prometheus-client || return 1
    for library in libasan.so libubsan.so libstdc++.so; do preload+="${preload:+:}$(g++ -print-file-name=$library)"; done
    KUMIHIMO_APACHE=$state/apache-asan KUMIHIMO_PRELOAD=$preload \
        ASAN_OPTIONS=$asan_of_vm:detect_leaks=0:quarantine_size_mb=8:log_to_syslog=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
        server_tests "$state/apache-asan/tests" "$@"
}
vm_threads() {  # many threads, each with its VMs, under the thread sanitizer
    apache_configure "$state/apache-tsan" -DKUMIHIMO_TESTS=ON -DKUMIHIMO_APACHE=OFF -DKUMIHIMO_SANITIZE=thread "${apache_options[@]}" && make_all "$state/apache-tsan" "threads_test deadline_test" || return 1
    local -x TSAN_OPTIONS=handle_segv=0:allow_user_segv_handler=1:halt_on_error=1
    "$state/apache-tsan/threads_test" && "$state/apache-tsan/deadline_test" -tc='handlers are replaced*' || return 1
}
# A few files that reach most of the module; `./dev fuzz` runs all.
test_apache_sanitized() {
    local name files=()
    for name in api_body api_filter api_hostile api_request authn body filters hooks isolation raise; do
        [ -e "hosts/apache/test/test_$name.py" ] || { echo "hosts/apache/test/test_$name.py is not there" >&2; return 1; }
        files+=("hosts/apache/test/test_$name.py")
    done
    vm_sanitized && vm_threads && server_sanitized "${files[@]}"
}

fuzz_apache_programs() {  # fuzz_apache_programs LIMIT...: libFuzzer's options that say how long
    need_apache; need_clang
    apache_configure "$state/apache-fuzz" -DCMAKE_CXX_COMPILER="clang++-$clang_version" -DCMAKE_C_COMPILER="clang-$clang_version" -DKUMIHIMO_FUZZERS=ON -DKUMIHIMO_APACHE=OFF "${apache_options[@]}" &&
        make_all "$state/apache-fuzz" && ASAN_OPTIONS=detect_stack_use_after_return=0 fuzz_programs "$state/apache-fuzz/mruby/fuzz" hosts/mruby/fuzz/corpus "$@"
}
# All of the server's tests with the sanitizers, for `./dev fuzz`.
# shellcheck disable=SC2046
fuzz_apache() { vm_sanitized && vm_threads && asan_targets=all server_sanitized $(server_test_files); }

# What bench/run.py needs for the Apache table: the module, the floor in C, and the rivals, each where its package is to be had.
apache_bench() {
    need_apache && pips pip || return 1
    apache_configure "$state/apache-bench" -DKUMIHIMO_BENCHES=ON && make_all "$state/apache-bench" || return 1
    export KUMIHIMO_APACHE=$state/apache-bench
    # shellcheck disable=SC2046
    need lua-cjson nghttp2-client $(apt-cache search --names-only '^libapache2-mod-php[0-9.]+$' | awk '{print $1}' | sort -V | tail -1)
}
apache_long() { apache_bench && "$venv/bin/python" -B hosts/apache/bench/long.py "$@"; }
