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

# jvm_differential OPTION...: the same documents for this host and for the engine.
jvm_differential() { jvm_core_tests && jvm_differential_of "$jvm_path:$jvm_tests" kumihimo.Differential "$@"; }
# jvm_differential_of CLASSES PROGRAM OPTION...: the same, where another program answers.
jvm_differential_of() {
    local classes=$1 program=$2; shift 2
    need_frames
    engine && alone engine-answers jvm_engine_answers || return 1
    (cd "$state" && python3 -B "$top/hosts/jvm/core/src/test/differential.py" --engine "$jvm/engine_answers" "$@" -- java -cp "$classes" "$program")
}
# The program that answers for the engine.
jvm_engine_answers() {
    local at=$jvm/engine_answers source=hosts/jvm/core/src/test/cpp/engine_answers.cpp
    [ ! "$at" -nt "$build/libkumihimo_engine.a" ] || [ ! "$at" -nt "$source" ] || return 0
    mkdir -p "$jvm"
    g++ -std=c++20 -O1 -I. -o "$at" "$source" "$build/libkumihimo_engine.a" -ldl
}

# Each for fuzz_seconds, by a seed that is said where something fails.
fuzz_jvm() {
    local seed=$RANDOM log=$state/jvm-fuzz.log status=0 scala sjson
    jvm_core_tests || return 1
    jvm_fuzz_differential jvm_differential "$seed" "$jvm_path:$jvm_tests" kumihimo.Differential || status=1
    java -cp "$jvm_path:$jvm_tests" kumihimo.MutationRunner "$top/tests/vectors" seconds "$fuzz_seconds" "$seed" || status=1
    (cd hosts/jvm && jvm_sbt "scala/Test/runMain kumihimo.codec.MutationRunner $fuzz_seconds $seed" \
        "sjson-new/Test/runMain kumihimo.sjson.MutationRunner $fuzz_seconds $seed" \
        'export scala/Test/fullClasspath' 'export sjson-new/Test/fullClasspath') >"$log" 2>&1 || { tail -60 "$log"; status=1; }
    sed -nE 's/^\[info\] (fuzz )/\1/p' "$log"
    jvm_jazzer || status=1
    # Each class path is a line that is nothing else.
    { read -r scala && read -r sjson; } < <(grep -v '^\[' "$log" | grep -F .jar) || return 1
    jvm_fuzz_differential jvm_scala_differential "$seed" "$scala:$jvm/lib/*" kumihimo.codec.Differential || status=1
    jvm_fuzz_differential jvm_sjson_differential "$seed" "$sjson:$jvm/lib/*" kumihimo.sjson.Differential || status=1
    return $status
}
# jvm_fuzz_differential NAME SEED CLASSES PROGRAM
jvm_fuzz_differential() {
    local name=$1 seed=$2 end=$((SECONDS + fuzz_seconds)) runs=0 said
    while [ $SECONDS -lt $end ]; do
        said=$(jvm_differential_of "$3" "$4" --count 20000 --seed "$seed") || { printf '%s\nfuzz %-28s failed (seed %s)\n' "$said" "$name" "$seed"; return 1; }
        runs=$((runs + $(sed -nE 's/^([0-9]+) documents, .*/\1/p' <<<"$said")))
        seed=$((seed + 1))
    done
    printf 'fuzz %-28s Done %s runs\n' "$name" "$runs"
}
# By the coverage of the core, and from the vectors on; what was found to go further is kept.
jvm_jazzer() {
    local at=$state/jazzer log=$state/jvm-jazzer.log name
    for name in jazzer jazzer-api; do
        [ -e "$at/lib/$name-0.24.0.jar" ] || jvm_mvn dependency:copy -Dartifact="com.code-intelligence:$name:0.24.0" -DoutputDirectory="$at/lib" >"$log" 2>&1 || { tail -5 "$log"; return 1; }
    done
    rm -rf "$at/seeds" && java -cp "$jvm_path:$jvm_tests" kumihimo.JazzerTarget "$top/tests/vectors" "$at/seeds" >"$log" && mkdir -p "$at/inputs" || return 1
    (cd "$at" && java -Xmx2g -cp "$at/lib/*:$jvm_path:$jvm_tests" com.code_intelligence.jazzer.Jazzer --target_class=kumihimo.JazzerTarget \
        '--instrumentation_includes=kumihimo.**' -max_total_time="$fuzz_seconds" -timeout=60 -rss_limit_mb=4096 -max_len=4096 inputs seeds) >"$log" 2>&1 || { tail -60 "$log"; return 1; }
    sed -nE 's/^Done ([0-9]+) runs .*/\1/p' "$log" | xargs printf 'fuzz %-28s Done %s runs\n' jvm_jazzer
}
