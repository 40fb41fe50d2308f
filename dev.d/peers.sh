# `./dev peers`: the test suites of the libraries that Kumihimo stands in for, run against it. `dev` sources this file.
#
# The suites travel in Debian's source packages. They are fetched with the system's own apt sources, through lists and caches of our own under
# .dev/, so that neither root nor a deb-src line in the system's configuration is needed.
# shellcheck shell=bash disable=SC2154

# with_sources LIST COMMAND...: apt's COMMAND with the source packages that LIST (a sources.list) names.
with_sources() {
    local list=$1 command=$2; shift 2
    "$command" -o Dir::Etc::SourceList="$list" -o Dir::Etc::SourceParts=- -o Dir::State="$state/apt" -o Dir::State::Lists="$state/apt/lists" \
        -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$state/apt/cache" -o APT::Sandbox::User= -o Acquire::Languages=none -qq "$@"
}

# The repositories of the system's packages, in a list each: a fixed package's source can be missing in one and there in another.
source_lists() {
    local keys
    [ ! -e "$state/apt/fetched" ] || return 0
    rm -rf "$state/apt"; mkdir -p "$state/apt/lists/partial" "$state/apt/cache/archives/partial" "$state/apt/each"
    keys=$(find /usr/share/keyrings -name '*-archive-keyring.gpg' 2>/dev/null | sort | paste -sd, -)
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' | sort -u |
        while read -r uri codename component; do
            echo "deb-src ${keys:+[signed-by=$keys] }$uri $codename $component" | tee -a "$state/apt/sources.list" >"$state/apt/each/$codename-$component.list"
        done
    [ -s "$state/apt/sources.list" ] && with_sources "$state/apt/sources.list" apt-get update >"$state/apt/log" 2>&1 && touch "$state/apt/fetched"
}

# debian_source PACKAGE PATTERN...: the files of the upstream source package that match, into .dev/peers/PACKAGE.
debian_source() {
    local package=$1 at=$state/peers/$1 list; shift
    [ ! -e "$at/.complete" ] || return 0
    source_lists || { echo "the lists of source packages could not be fetched"; return 1; }
    for list in "$state"/apt/each/*.list; do
        rm -rf "$at"; mkdir -p "$at/download"
        (cd "$at/download" && with_sources "$list" apt-get source --download-only --tar-only --only-source "$package") >>"$state/apt/log" 2>&1 || continue
        tar -xf "$(find "$at/download" -name '*.orig.tar.*' ! -name '*.asc' | head -1)" -C "$at" --strip-components=1 --wildcards "$@" || continue
        find "$at/download" -name '*.orig.tar.*' -printf '%f\n' | head -1 >"$at/.complete"
        rm -rf "$at/download"
        return 0
    done
    echo "Debian's source package $package could not be fetched"
    return 1
}

peers_ruby() {
    local reason
    ruby_host || return 1
    need_ruby_rivals; need xz-utils
    # Ruby's own sources carry the tests of the json it brings.
    local version; version=$("$ruby" -e 'print RUBY_VERSION[/\A\d+\.\d+/]')
    mkdir -p "$state/peers"
    reason=$(debian_source rails '*/activesupport/test' '*/tools/test_common.rb') && reason=$(debian_source "ruby$version" '*/test/json' '*/tool/lib') &&
        reason=$(debian_source ruby-oj '*/test') || { not_proven peers "$reason"; return 0; }
    ln -sfn "ruby$version" "$state/peers/json"; ln -sfn ruby-oj "$state/peers/oj"
    RUBYLIB=$ruby_path "$ruby" hosts/ruby/test/peers/peers.rb "$state/peers"
}

# peers_perl [--stock] [SUITE...]: --stock runs the suites against what they were written for.
peers_perl() {
    local reason stock=()
    [ "${1:-}" != --stock ] || { stock=(--stock); shift; }
    perl_host || return 1
    need_perl_rivals; need xz-utils
    mkdir -p "$state/peers"
    reason=$(debian_source libjson-xs-perl '*/t') && reason=$(debian_source libcpanel-json-xs-perl '*/t') &&
        reason=$(debian_source libmojolicious-perl '*/t' '*/lib' '*/script' '*/examples') &&
        reason=$(debian_source libdata-messagepack-perl '*/t') && reason=$(debian_source perl '*/cpan/JSON-PP/t') || { not_proven peers "$reason"; return 0; }
    PERL5LIB=$perl_path JOBS=$jobs "$perl" hosts/perl/xt/peers/run.pl ${stock[@]+"${stock[@]}"} "$state/peers" "$state/peers/perl" "$@"
}

peers() {
    case ${1:-} in
        ruby) peers_ruby ;;
        perl) shift; peers_perl "$@" ;;
        jvm) shift; peers_jvm "$@" ;;
        '') peers_ruby && peers_perl ;;
        *) die "peers of what? ruby, perl or jvm" ;;
    esac
}
test_peers() {
    local status=0
    peers_ruby || status=1
    peers_perl || status=1
    return $status
}
