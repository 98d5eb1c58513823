#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that building (`setup.sh build`) or building and testing (`setup.sh test`)
# needs, if any is missing. As root or with sudo it installs them; without rights it says what to type.
# MEGURI_SETUP=skip leaves the machine alone: for systems without dpkg, where you have installed the like yourself.
set -euo pipefail

# The one list: group, package, what it is for. @ stands for the version of clang, chosen below; ? at the end: only where
# the distribution has it.
list='
build gcc                the compiler of what is shipped
build libc6-dev          headers of the C library
build cmake              configures the build (3.25 or later)
build ninja-build        runs the build in parallel
build pkg-config         finds the libraries below
build zlib1g-dev         reads and writes gzip
build libzstd-dev        reads and writes zstd
build liblzma-dev        reads and writes xz
build libxxhash-dev      checksums of .meg files
build libjansson-dev     reads traces, GeoJSON and questions about paths
build libssl-dev         TLS to graph databases; libmeguri_db is left out where there is none
build opencl-c-headers   headers of OpenCL, which itself is loaded at run time, where it is
build libopenmpi-dev     clusters; a plug-in that is left out where there is no MPI
test  libcmocka-dev      framework of the unit tests
test  ocl-icd-libopencl1 loads the drivers of devices
test  pocl-opencl-icd    such a driver: the processor as a device
test  oclgrind?          runs kernels and reports races and accesses out of bounds (Debian 13 has none: its test is skipped there)
test  openmpi-bin        starts clusters
test  iproute2           makes network namespaces, which stand for the machines of a cluster
test  openjdk-17-jdk-headless? runs a real Neo4j
test  openjdk-21-jdk-headless? the same, where that is the older one
test  maven              fetches it
test  openssl            makes certificates
test  g++                compiles the public headers as C++
test  clang@             second compiler; sanitizers and fuzzing
test  libclang-rt@-dev   runtimes of the sanitizers and of libFuzzer
test  llvm@              names and lines in the reports of sanitizers
test  clang-format@      checks the layout of the source
test  python3            checks the arrows of docs/map.md, and the command from outside
test  python3-igraph     costs and numbers of paths on real roads, to compare with
test  python3-networkx   the same: which paths there are
test  locales            a locale with a decimal comma, which must change nothing
test  groff-base         formats the man page
test  man-db             shows it
test  gzip               makes compressed inputs for tests
test  zstd               the same
test  xz-utils           the same
test  chromium?          opens the report page (Ubuntu has none that is a package: its test is skipped there)
test  fonts-dejavu-core  letters for it
'

case "${1:-}" in
build | test) group=$1 ;;
*) echo "usage: tools/setup.sh build|test" >&2 && exit 2 ;;
esac
[ "${MEGURI_SETUP:-}" != skip ] || exit 0

# Whether apt offers the package $1, as far as it can tell: without lists of packages it cannot. A name that others only
# stand in for (Ubuntu's chromium-browser, which wants a snap) shows nothing, and succeeds.
offered() { [ -n "$(apt-cache show "$1" 2>/dev/null)" ] || ! apt-cache show gcc >/dev/null 2>&1; }

# Names of the packages of the group with clang of version $1: "-14", or "" for the one the distribution prefers.
names() {
    while read -r in_group package _; do
        if [ -z "$in_group" ] || { [ "$in_group" = test ] && [ "$group" = build ]; }; then continue; fi
        if [ "$package" = "${package%\?}" ] || offered "${package%\?}"; then
            package=${package%\?}
            echo "${package/@/$1}"
        fi
    done <<<"$list"
}

if ! command -v dpkg-query >/dev/null; then
    echo "This is not Debian or Ubuntu: install what these packages hold, then run again with MEGURI_SETUP=skip:" \
        $(names "") >&2
    exit 1
fi

# Those of the packages $@ that are not installed.
missing() {
    local package
    for package; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
    done
}

# Enough is there with either version of clang?
if [ -z "$(missing $(names -14))" ] || [ -z "$(missing $(names ""))" ]; then exit 0; fi

# clang 14 is what the project is tested with; a distribution that has it no more gives its own.
wanted() {
    if ! apt-cache show clang-14 >/dev/null 2>&1 && apt-cache show clang >/dev/null 2>&1; then
        missing $(names "")
    else
        missing $(names -14)
    fi
}

as_root=()
if [ "$(id -u)" != 0 ]; then
    # sudo may ask for a password, but only where somebody can type one.
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || { [ -t 0 ] && [ -t 2 ] && sudo true; }; }; then
        as_root=(sudo)
    else
        echo "Packages are missing and there are no rights to install them; run this as root, then try again:" \
            "apt-get update && apt-get install --no-install-recommends -y" $(wanted) >&2
        exit 1
    fi
fi

# The lists of packages may be old or absent; a source that cannot be reached matters only if a package is not found.
"${as_root[@]}" apt-get update -q </dev/null >/dev/null || echo "apt-get update failed; going on with what is known." >&2
packages=$(wanted)
echo "Installing" $packages
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
    -o DPkg::Lock::Timeout=300 $packages </dev/null
