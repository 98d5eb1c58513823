#!/usr/bin/env bash
# Proves the package list of tools/setup.sh: makes a minimal Debian or Ubuntu in a folder, puts a clone of this repository
# there and runs the commands of the README in it, as somebody on a fresh machine would.
#
#   tools/prove-bare-root.sh FOLDER [COMMAND…]      as root; the default is `make demo` and then `make check`
#
#   SUITE=trixie     the release: trixie (Debian 13, the default), bookworm (12), noble (Ubuntu 24.04), or another of
#                    theirs, with MIRROR and COMPONENTS
#   KEEP=1           goes on in the root of the last run: packages and builds stay, new commits are pulled. For work on
#                    what a proof has found; it proves nothing.
#
# Nothing of this machine is seen inside but how to reach a mirror (apt's proxy and certificates, names of hosts) and,
# copied, the real graphs: $MEGURI_DATA, else ../shared/data. With them MEGURI_REQUIRE_ALL=1 is set on Debian 12, which has
# all packages; Debian 13 has no clang-format 14 and no Oclgrind, Ubuntu no chromium, so that the tests of layout, of races
# in kernels and of the report page are skipped there, which the last line counts. FOLDER stays for a look; a second run in it begins afresh from its
# debootstrap.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { echo "usage: tools/prove-bare-root.sh FOLDER [COMMAND…]" >&2 && exit 2; }
[ "$(id -u)" = 0 ] || { echo "prove-bare-root.sh needs root, for debootstrap and mounts." >&2 && exit 1; }
command -v debootstrap >/dev/null || { echo "Install debootstrap first: apt-get install debootstrap." >&2 && exit 1; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- sh -c "make demo && make check"
root=$folder/root
data=${MEGURI_DATA:-../shared/data}

suite=${SUITE:-trixie} components=${COMPONENTS:-main} options=() script=()
case $suite in
noble)
    components=${COMPONENTS:-main universe} mirror=${MIRROR:-https://archive.ubuntu.com/ubuntu}
    script=(/usr/share/debootstrap/scripts/gutsy) # that of all Ubuntus, which older debootstraps do not know by name
    [ -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ] || options=(--no-check-gpg) # then https has to do
    ;;
*)
    # The mirror that this machine uses for the release, in apt's own words; else the one that is everywhere.
    mirror=${MIRROR:-$(apt-get indextargets --format '$(SITE) $(RELEASE)' | awk -v s="$suite" '$2 == s { print $1; exit }')}
    mirror=${mirror:-http://deb.debian.org/debian}
    ;;
esac
proxy=$(apt-config dump --format '%f "%v";%n' | grep -i '^Acquire::https\?::Proxy' || true)

if [ ! -s "$folder/base.tar" ]; then
    rm -rf "$folder/base"
    eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
    export http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}"
    debootstrap "${options[@]}" --variant=minbase --include=ca-certificates "$suite" "$folder/base" "$mirror" \
        "${script[@]}"
    tar -C "$folder/base" -cf "$folder/base.tar.new" . && mv "$folder/base.tar.new" "$folder/base.tar"
    rm -rf "$folder/base"
fi

# A clone of what is committed, and the data beside it.
if [ -n "${KEEP:-}" ] && [ -d "$root/project/meguri" ]; then
    git -C "$root/project/meguri" pull -q --ff-only "$PWD"
else
    rm -rf "$root"
    mkdir "$root"
    tar -C "$root" -xf "$folder/base.tar"
    mkdir -p "$root/project/shared"
    git clone -q --no-hardlinks . "$root/project/meguri"
    if [ -d "$data" ]; then
        cp -rL "$data" "$root/project/shared/data"
        chmod -R a-w "$root/project/shared/data"
    fi
fi
echo "deb $mirror $suite $components" >"$root/etc/apt/sources.list"
[ -z "$proxy" ] || echo "$proxy" >"$root/etc/apt/apt.conf.d/90proxy"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/" 2>/dev/null || true

# From here on in a mount namespace of its own, which ends with the last process in it: the folder becomes the root (not
# by chroot, in which a test could make no namespaces), with the file systems and devices every machine has.
enter='
set -e
cd "$1"
mount --bind . .
cd "$1"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/shm dev/pts
mount -t tmpfs tmpfs dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
while read -r name minor; do mknod -m 666 "dev/$name" c 1 "$minor"; done <<END
null 3
zero 5
full 7
random 8
urandom 9
END
mknod -m 666 dev/tty c 5 0
pivot_root . .
umount -l .
cd /
shift
exec "$@"
'
# What the README asks for comes first.
begin='
set -e
update-ca-certificates >/dev/null 2>&1 || true
apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends git make
cd /project/meguri
exec "$@"
'
all=
if [ "$suite" = bookworm ] && [ -d "$data" ]; then all=1; fi
status=0
unshare --mount --fork sh -c "$enter" sh "$root" \
    /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C ${all:+MEGURI_REQUIRE_ALL=1} \
    sh -c "$begin" sh "$@" </dev/null || status=$?
if [ $status = 0 ]; then
    echo "Proved in a bare $suite: $*"
else
    echo "Not proved: in a bare $suite, '$*' ended with $status." >&2
fi
exit $status
