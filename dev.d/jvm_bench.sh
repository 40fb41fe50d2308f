# The JVM host's benches, and sjson-new's tests against it; `dev` sources this file behind jvm.sh.
# shellcheck shell=bash disable=SC2154

# Compiles the benches and names their class path; sbt is out of the way when they run.
jvm_bench() {
    need_base
    local log=$state/jvm-bench.log
    mkdir -p "$state"
    (cd hosts/jvm && jvm_sbt bench/Jmh/compile 'export bench/Jmh/fullClasspath') >"$log" 2>&1 || { tail -20 "$log"; return 1; }
    KUMIHIMO_JVM_CLASSES=$(grep -v '^\[' "$log" | grep -F .jar | tail -1)
    export KUMIHIMO_JVM_CLASSES
}

# peers_jvm CHECKOUT: sjson-new's own tests, with our backend in the place of its three.
peers_jvm() {
    local at=$state/peers/sjson-new log=$state/peers-jvm.log checkout left
    [ -d "${1:-}/core/src/test" ] || die "peers jvm takes the folder of a checkout of sjson-new"
    checkout=$(realpath "$1")
    mkdir -p "$at"
    cp -r hosts/jvm/sjson-new/peers/. "$at/"
    cp hosts/jvm/project/build.properties "$at/project/"
    JAVA_TOOL_OPTIONS="-Dpeers.checkout=$checkout -Dpeers.kumihimo=$top/hosts/jvm" peers_jvm_in "$at" >"$log" 2>&1 ||
        { grep -E '^\[error\]|\*\*\* FAILED' "$log" | head -40; tail -3 "$log"; return 1; }
    # MurmurhashSpec's 19 tests ask for hashes of 32 bits, which we do not have.
    left=$(grep -c 'should\|test(' "$checkout"/support/murmurhash/src/test/scala/sjsonnew/support/murmurhash/MurmurhashSpec.scala)
    grep -E '^\[info\] (Passed|Failed|Tests|Error):? ' "$log"
    echo "left out: MurmurhashSpec ($left tests), whose hashes have 32 bits"
}
peers_jvm_in() { (cd "$1" && jvm_sbt +test); }

# A running sbt whose caches are kept by our backend, and its own UpdateReport, saved and loaded by each form. The artifacts are
# those that jvm_published has published.
jvm_sbt_cache() {
    local at log=$state/jvm-sbt-cache.log known
    at=$(mktemp -d)
    cp -r hosts/jvm/sjson-new/sbt-test/. "$at/"
    cp hosts/jvm/project/build.properties "$at/project/"
    (cd "$at" && jvm_sbt counted counted another counted broken counted counted reports) >"$log" 2>&1 ||
        { tail -30 "$log"; return 1; }
    known=$(grep -o '^counted: .*' "$log" | tr '\n' ';')
    [ "$known" = 'counted: anew, 1;counted: known, 1;counted: anew, 2;counted: anew, 2;counted: known, 2;' ] ||
        { echo "sbt's cache says: $known"; return 1; }
    grep '^report: ' "$log"
    rm -rf "$at"
}
