# The JVM host's part of `dev`, which sources this file: the JDK, sbt with its caches in .dev/jvm, tests, what is published.
# shellcheck shell=bash disable=SC2154

jvm=$state/jvm
sbt_version() { sed -n 's/^sbt.version=//p' "$top/hosts/jvm/project/build.properties"; }

need_jvm() { need default-jdk-headless maven ca-certificates python3; }

# Maven keeps all it fetches here, and nothing at home. What it has fetched it does not ask for again.
jvm_mvn() { mvn -B -q -ntp -Dmaven.repo.local="$jvm/m2" -Duser.home="$jvm/home" "$@"; }

# sbt's launcher, by Maven's own client; sbt fetches the rest of itself when it first runs.
jvm_launcher() { alone jvm-launcher jvm_launcher_alone; }
jvm_launcher_alone() {
    need_jvm
    mkdir -p "$jvm/home"
    local version; version=$(sbt_version)
    [ ! -e "$jvm/sbt-launch-$version.jar" ] || return 0
    say "fetching sbt $version"
    jvm_mvn dependency:copy -Dartifact="org.scala-sbt:sbt-launch:$version" -DoutputDirectory="$jvm" >"$state/jvm-launcher.log" 2>&1 ||
        { tail -5 "$state/jvm-launcher.log" >&2; return 1; }
}

# sbt COMMAND...: in the folder that is current. One at a time: two would wait for each other's locks, and want the memory twice.
jvm_sbt() { jvm_launcher && alone sbt sbt_alone "$@"; }
sbt_alone() {
    # A file with this name keeps sbt from looking for its own in a home that may not be there.
    HOME=$jvm/home COURSIER_CACHE=$jvm/coursier COURSIER_CONFIG_DIR=$jvm/coursier-config \
        java -Xmx2g -Xss8m -Duser.home="$jvm/home" -Dsbt.boot.directory="$jvm/boot" -Dsbt.ivy.home="$jvm/ivy" \
        -Dsbt.global.base="$jvm/global" -Dsbt.coursier.home="$jvm/coursier-home" -Dsbt.server.autostart=false -Dsbt.supershell=false \
        -Dsbt.color=false -Dsbt.ci=true -Dsbt.io.implicit.relative.glob.conversion=allow -Dkumihimo.repository="$jvm/published" -Dkumihimo.build="${JVM_BUILD:-$jvm/build}" \
        ${JVM_DOCUMENTED:+-Dkumihimo.documented="$JVM_DOCUMENTED"} \
        ${JVM_OFFLINE:+-Dsbt.offline=true} -jar "$jvm/sbt-launch-$(sbt_version).jar" "$@" </dev/null
}

# jvm_run NAME COMMAND...: sbt in the host's folder, quiet where all is well.
jvm_run() {
    local log=$state/jvm-$1.log; shift
    (cd hosts/jvm && jvm_sbt "$@") >"$log" 2>&1 || { grep -E '^\[error\]|==> X|FAILED' "$log" | head -60; tail -3 "$log"; return 1; }
    grep -hE '^\[info\] +(Passed|Failed|Error): |[0-9] passed, ' "$log" || true
}

# The core's classes, without sbt, and zstd-jni beside them: what the braid and the documents' programs run with.
jvm_path="$jvm/core:$jvm/lib/*"
jvm_host() { need_jvm && alone jvm-core jvm_host_alone; }
jvm_host_alone() {
    local log=$state/jvm-core.log
    if [ ! -e "$jvm/core" ] || [ -n "$(find hosts/jvm/core/src/main/java -newer "$jvm/core" -name '*.java' -print -quit)" ]; then
        say "compiling the JVM's core"
        rm -rf "$jvm/core.new" && mkdir -p "$jvm/core.new" || return 1
        # shellcheck disable=SC2046
        javac --release 11 -nowarn -d "$jvm/core.new" $(find hosts/jvm/core/src/main/java -name '*.java') >"$log" 2>&1 || { tail -5 "$log" >&2; return 1; }
        rm -rf "$jvm/core" && mv "$jvm/core.new" "$jvm/core" && touch "$jvm/core"
    fi
    [ -e "$jvm/lib" ] || jvm_mvn dependency:copy -Dartifact="com.github.luben:zstd-jni:1.5.7-4" -DoutputDirectory="$jvm/lib" >"$log" 2>&1 || { tail -5 "$log" >&2; return 1; }
}

# jvm_format [--check]: scalafmt over the Scala sources.
jvm_format() {
    local at=$jvm/format
    mkdir -p "$at"
    if [ ! -e "$at/Format.class" ] || [ hosts/jvm/format/Format.java -nt "$at/Format.class" ]; then
        need_jvm
        jvm_mvn -f hosts/jvm/format/pom.xml dependency:copy-dependencies -DoutputDirectory="$at/lib" >"$state/jvm-format.log" 2>&1 &&
            javac -cp "$at/lib/*" -d "$at" hosts/jvm/format/Format.java || { tail -5 "$state/jvm-format.log"; return 1; }
    fi
    # shellcheck disable=SC2046
    java -cp "$at:$at/lib/*" Format hosts/jvm/.scalafmt.conf ${1:-} \
        $(find hosts/jvm/scala hosts/jvm/sjson-new hosts/jvm/bench hosts/jvm/test -name '*.scala') hosts/jvm/project/*.scala hosts/jvm/build.sbt
}

# One run of sbt, which takes long to start and to turn to another Scala. API documentation is made for Scala 3 alone. A project that does not know
# a Scala keeps the one before it, and says nothing: sjson-new has a Scala 3 of its own.
test_jvm() {
    local scala commands=(core/test core/mimaReportBinaryIssues core/publish)
    for scala in $(jvm_scalas); do
        commands+=("++$scala" scala/{test,mimaReportBinaryIssues,publish})
        [[ $scala != 3.* ]] || commands+=("++$(sed -n 's/.*val newerScala3 = "\(.*\)"/\1/p' "$top/hosts/jvm/project/Shared.scala")")
        commands+=(sjson-new/{test,mimaReportBinaryIssues,publish})
        [[ $scala != 2.12.* ]] || commands+=(sbt-codecs/test)
    done
    rm -rf "$jvm/published"
    JVM_DOCUMENTED=3 jvm_run test "${commands[@]}" || return 1
    jvm_format --check || return 1
    jvm_differential --count 20000 | tail -1 || return 1
    jvm_published && jvm_sbt_cache
}
jvm_scalas() { sed -n 's/.*val scala[0-9]* = "\(.*\)"/\1/p' "$top/hosts/jvm/project/Shared.scala"; }

# The core by javac alone, its vectors and its short tests: sbt and one Scala take minutes to fetch and to compile.
quick_jvm() { jvm_host && alone jvm-core-tests quick_jvm_alone; }
quick_jvm_alone() {
    local name log=$state/jvm-quick.log run=(java -Xmx1g -ea "-Dkumihimo.vectors=$top/tests/vectors" -cp "$jvm/core-tests:$jvm_path")
    rm -rf "$jvm/core-tests"
    # shellcheck disable=SC2046
    javac -nowarn -cp "$jvm_path" -d "$jvm/core-tests" $(find hosts/jvm/core/src/test/java -name '*.java') >"$log" 2>&1 || { tail -5 "$log"; return 1; }
    "${run[@]}" kumihimo.VectorRunner "$top/tests/vectors" | tail -1 || return 1
    for name in KumihimoTest CallsTest json.JsonReaderTest json.JsonWriterTest plain.PlainTest plain.ScalarsTest AllocationTest msgpack.MsgpackTest cbor.CborTest tagged.TaggedTest; do
        "${run[@]}" "kumihimo.$name" >"$log" 2>&1 || { echo "--- $name"; tail -20 "$log"; return 1; }
    done
}

# What was published into an empty Maven repository, used from there by fresh projects of sbt, for each Scala, and of Maven.
# Their programs are those that the READMEs show, and print what these say.
jvm_published() {
    local at log=$state/jvm-fresh.log
    at=$(mktemp -d)
    cp -r hosts/jvm/test/. "$at/"
    mkdir -p "$at/sbt/project" && cp hosts/jvm/project/build.properties "$at/sbt/project/"
    (cd "$at/sbt" && EXAMPLE_SCALAS=$(jvm_scalas | tr '\n' ' ') jvm_sbt '+runMain Example' '+runMain Places') >"$log" 2>&1 || { tail -20 "$log"; return 1; }
    (cd "$at/maven" && jvm_mvn -Dkumihimo.repository="file://$jvm/published" compile dependency:copy-dependencies && java -cp "target/classes:target/dependency/*" Example) >"$state/jvm-maven.log" 2>&1 || { tail -20 "$state/jvm-maven.log"; return 1; }
    rm -rf "$at"
    python3 hosts/jvm/test/readmes.py "$jvm/published" "$log" "$state/jvm-maven.log" || return 1
    echo "published, and used from there by sbt with three Scalas and by Maven"
}
