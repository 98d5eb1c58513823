#!/usr/bin/env bash
# consume.sh WAY BUILD COMPILER LIBDIR: installs BUILD into a temporary folder and looks at it in one way.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
way=$1 build=$2 compiler=$3 libdir=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig LC_ALL=C
unset DESTDIR LD_LIBRARY_PATH

wrong() {
    echo "$1"
    exit 1
}
# install PREFIX: quietly, but the whole report where it fails.
install() { cmake --install "$build" --prefix "$1" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }; }
# The consumer must not need libmeguri.so where it was linked with the archive, and must where it was not.
needs() { readelf -d "$1" | grep -c 'NEEDED.*libmeguri' || true; }

case $way in
layout)
    # All under DESTDIR and nothing of the build's or of this machine's paths in it.
    DESTDIR=$work/stage install /opt/meguri
    cd "$work/stage"
    [ "$(ls)" = opt ] && [ "$(ls opt)" = meguri ] || wrong "files went elsewhere: $(ls . opt)"
    cd opt/meguri
    for file in bin/meguri include/meguri.h include/meguri/graph.h "$libdir/libmeguri.so" "$libdir/libmeguri.a" \
        "$libdir/libmeguri.so.1" "$libdir/pkgconfig/meguri.pc" "$libdir/cmake/meguri/meguri-config.cmake" share/man/man1/meguri.1 \
        share/bash-completion/completions/meguri share/doc/meguri/LICENSE; do
        [ -s "$file" ] || wrong "$file is missing"
    done
    ./bin/meguri --version | grep -q '[0-9]\.[0-9]' || wrong "the installed command does not run"
    # It finds the headers that vertex programs are compiled with.
    echo "1 2" >"$work/g.el"
    ran=$(XDG_CACHE_HOME=$work/cache ./bin/meguri run "$here/../../examples/pregel/components.c" "$work/g.el" -q -o -)
    [ "$(tail -1 <<<"$ran")" = "$(printf '2\t1')" ] || wrong "the installed command runs no vertex program: $ran"
    if grep -rIl -e "$work" -e "$build" .; then wrong "these files name a folder of this machine"; fi
    ;;
symbols)
    install "$prefix"
    cd "$prefix/$libdir"
    # The second library is there where OpenSSL is.
    exported=$(nm -D --defined-only libmeguri.so $(ls libmeguri_db.so 2>/dev/null) | awk 'NF == 3 && $2 != "A" { sub(/@.*/, "", $3); print $3 }')
    [ "$(grep -c '^meguri_' <<<"$exported")" -ge 10 ] || wrong "hardly anything is exported: $exported"
    # Sanitizers and coverage apart, names are the public ones alone, also in the archive.
    if grep -v '^meguri_' <<<"$exported"; then wrong "these names are exported and not public"; fi
    if nm -g --defined-only libmeguri.a | awk 'NF == 3 { print $3 }' | grep -v '^meguri_'; then
        wrong "these global names of the archive are not public"
    fi
    # Every function that a public header declares is there.
    [ -e libmeguri_db.so ] || rm "$prefix/include/meguri/db.h"
    declared=$(cat "$prefix"/include/meguri/*.h "$prefix"/include/meguri/extra/*.h | sed 's,/\*.*\*/,,' | grep -o '\bmeguri_[a-z0-9_]*(' | tr -d '(' | sort -u)
    # … but for those that become a part of vertex programs, and a type of functions.
    inlined=$(grep -h -o -E '^(static inline|MEGURI_INLINE|typedef) .*\bmeguri_[a-z0-9_]*\(' "$prefix"/include/meguri/*.h "$prefix"/include/meguri/extra/*.h | grep -o 'meguri_[a-z0-9_]*(' | tr -d '(' | sort -u)
    declared=$(comm -23 <(echo "$declared") <(echo "$inlined"))
    absent=$(comm -23 <(echo "$declared") <(sort -u <<<"$exported"))
    [ -z "$absent" ] || wrong "declared, but not exported: $absent"
    ;;
pkg-config)
    install "$prefix"
    "$compiler" "$here/consumer/consumer.c" -std=c11 -o "$work/consumer" $(pkg-config --cflags --libs meguri)
    [ "$(needs "$work/consumer")" = 1 ] || wrong "the consumer does not use the shared library"
    LD_LIBRARY_PATH=$prefix/$libdir "$work/consumer"
    ;;
pkg-config-static)
    install "$prefix"
    "$compiler" -static "$here/consumer/consumer.c" -std=c11 -o "$work/consumer" \
        $(pkg-config --static --cflags --libs meguri)
    [ "$(needs "$work/consumer")" = 0 ] || wrong "the consumer still needs the shared library"
    "$work/consumer"
    ;;
cmake | cmake-static | moved)
    install "$prefix"
    library=meguri::meguri component=
    if [ "$way" = cmake-static ]; then library=meguri::static component=static; fi
    if [ "$way" = moved ]; then mv "$prefix" "$work/moved" && prefix=$work/moved; fi
    cmake -S "$here/consumer" -B "$work/build" -D CMAKE_PREFIX_PATH="$prefix" -D CMAKE_C_COMPILER="$compiler" \
        -D LIBRARY=$library -D COMPONENTS=$component >"$work/log" 2>&1 &&
        cmake --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
    [ "$(needs "$work/build/consumer")" = "$([ "$way" = cmake-static ] && echo 0 || echo 1)" ] ||
        wrong "the consumer was linked with the other library"
    "$work/build/consumer"
    if [ "$way" = moved ]; then
        [ "$(PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig pkg-config --variable=libdir meguri | xargs realpath)" = \
            "$(realpath "$prefix/$libdir")" ] || wrong "meguri.pc names the place it was moved from"
    fi
    ;;
database)
    install "$prefix"
    [ -e "$prefix/$libdir/libmeguri_db.so" ] || exit 0 # built without OpenSSL
    "$compiler" "$here/consumer/database.c" -std=c11 -o "$work/database" $(pkg-config --cflags --libs meguri_db)
    LD_LIBRARY_PATH=$prefix/$libdir "$work/database"
    cmake -S "$here/consumer" -B "$work/build" -D CMAKE_PREFIX_PATH="$prefix" -D CMAKE_C_COMPILER="$compiler" \
        -D LIBRARY=meguri::db -D COMPONENTS=db -D SOURCE=database.c >"$work/log" 2>&1 &&
        cmake --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
    "$work/build/consumer"
    ;;
mpi)
    # A program linked with the archive finds the plug-in of the installed tree when it lies in a folder beside it.
    install "$prefix"
    [ -e "$prefix/$libdir/libmeguri_mpi.so" ] || exit 0 # built without MPI
    "$compiler" "$here/consumer/cluster.c" -std=c11 -I "$prefix/include" -o "$prefix/bin/cluster" \
        "$prefix/$libdir/libmeguri.a" $(pkg-config --static --libs meguri | sed 's/-lmeguri\b//')
    [ "$(needs "$prefix/bin/cluster")" = 0 ] || wrong "the program uses the shared library"
    cd / && "$prefix/bin/cluster"
    ;;
*) wrong "no such way: $way" ;;
esac
