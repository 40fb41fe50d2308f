# What compares the JVM host with the engine, and its fuzzers; `dev` sources this file behind jvm.sh.
# shellcheck shell=bash disable=SC2154

# The classes of the core's tests, without sbt.
jvm_tests=$jvm/core-test
jvm_core_tests() { jvm_host && alone jvm-core-test jvm_core_tests_alone; }
jvm_core_tests_alone() {
    local log=$state/jvm-core-test.log
    [ ! -e "$jvm_tests" ] || [ -n "$(find hosts/jvm/core/src/test/java "$jvm/core" -newer "$jvm_tests" -print -quit)" ] || return 0
    rm -rf "$jvm_tests.new" && mkdir -p "$jvm_tests.new" || return 1
    # shellcheck disable=SC2046
    javac --release 11 -nowarn -cp "$jvm_path" -d "$jvm_tests.new" $(find hosts/jvm/core/src/test/java -name '*.java') >"$log" 2>&1 || { tail -5 "$log" >&2; return 1; }
    rm -rf "$jvm_tests" && mv "$jvm_tests.new" "$jvm_tests" && touch "$jvm_tests"
}

# jvm_differential OPTION...: the same documents for this host and for the engine, which Python's host has in it.
jvm_differential() {
    need_frames
    python_host && jvm_core_tests || return 1
    (cd "$state" && "$venv/bin/python" -B "$top/hosts/jvm/core/src/test/differential.py" "$@" -- java -cp "$jvm_path:$jvm_tests" kumihimo.Differential)
}

# Each for fuzz_seconds, by a seed that is said where something fails.
fuzz_jvm() {
    local seed=$RANDOM log=$state/jvm-fuzz.log status=0
    jvm_fuzz_differential "$seed" || status=1
    java -cp "$jvm_path:$jvm_tests" kumihimo.MutationRunner "$top/tests/vectors" seconds "$fuzz_seconds" "$seed" || status=1
    (cd hosts/jvm && jvm_sbt "scala/Test/runMain kumihimo.codec.MutationRunner $fuzz_seconds $seed" \
        "sjson-new/Test/runMain kumihimo.sjson.MutationRunner $fuzz_seconds $seed") >"$log" 2>&1 || { tail -60 "$log"; status=1; }
    sed -nE 's/^\[info\] (fuzz )/\1/p' "$log"
    return $status
}
jvm_fuzz_differential() {
    local seed=$1 end=$((SECONDS + fuzz_seconds)) runs=0 said
    while [ $SECONDS -lt $end ]; do
        said=$(jvm_differential --count 20000 --seed "$seed") || { printf '%s\nfuzz %-28s failed (seed %s)\n' "$said" jvm_differential "$seed"; return 1; }
        runs=$((runs + $(sed -nE 's/^([0-9]+) documents, .*/\1/p' <<<"$said")))
        seed=$((seed + 1))
    done
    printf 'fuzz %-28s Done %s runs\n' jvm_differential "$runs"
}
