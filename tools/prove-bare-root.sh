#!/usr/bin/env bash
# Proves the package list of tools/setup.sh: makes a minimal Debian in a folder, puts a clone of this repository there
# and runs the commands of the README in it, as somebody on a fresh machine would.
#
#   tools/prove-bare-root.sh FOLDER [COMMAND…]      as root; the default is `make demo` and then `make check`
#
# Nothing of this machine is seen inside but its mirror and how to reach it (apt's mirror, proxy and certificates, names
# of hosts) and, copied, ../shared/data; with that, MEGURI_REQUIRE_ALL=1 is set. FOLDER stays for a look; a second run in
# it begins afresh from its debootstrap. Variables for another system: SUITE, MIRROR, COMPONENTS, and DEBOOTSTRAP, the
# command with its options, to which suite, folder, mirror and SCRIPT are added:
#
#   SUITE=noble MIRROR=https://archive.ubuntu.com/ubuntu COMPONENTS="main universe" SCRIPT=gutsy \
#       DEBOOTSTRAP="debootstrap --no-check-gpg" tools/prove-bare-root.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { echo "usage: tools/prove-bare-root.sh FOLDER [COMMAND…]" >&2 && exit 2; }
[ "$(id -u)" = 0 ] || { echo "prove-bare-root.sh needs root, for debootstrap and mounts." >&2 && exit 1; }
command -v debootstrap >/dev/null || { echo "Install debootstrap first: apt-get install debootstrap." >&2 && exit 1; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- sh -c "make demo && make check"
suite=${SUITE:-bookworm} components=${COMPONENTS:-main}
root=$folder/root

# The mirror this machine uses, in apt's own words.
mirror=${MIRROR:-$(apt-get indextargets --format '$(SITE) $(RELEASE)' | awk -v s="$suite" '$2 == s { print $1; exit }')}
[ -n "$mirror" ] || { echo "apt knows no mirror for $suite here; name one in MIRROR." >&2 && exit 1; }
proxy=$(apt-config dump --format '%f "%v";%n' | grep -i '^Acquire::https\?::Proxy' || true)

if [ ! -s "$folder/base.tar" ]; then
    rm -rf "$folder/base"
    eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
    export http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}"
    ${DEBOOTSTRAP:-debootstrap} --variant=minbase --include=ca-certificates "$suite" "$folder/base" "$mirror" \
        ${SCRIPT:+/usr/share/debootstrap/scripts/$SCRIPT}
    tar -C "$folder/base" -cf "$folder/base.tar.new" . && mv "$folder/base.tar.new" "$folder/base.tar"
    rm -rf "$folder/base"
fi
rm -rf "$root"
mkdir "$root"
tar -C "$root" -xf "$folder/base.tar"

echo "deb $mirror $suite $components" >"$root/etc/apt/sources.list"
[ -z "$proxy" ] || echo "$proxy" >"$root/etc/apt/apt.conf.d/90proxy"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/" 2>/dev/null || true

# A clone of what is committed, and the data beside it.
mkdir "$root/project"
git clone -q --no-hardlinks . "$root/project/meguri"
all=
if [ -d ../shared/data ]; then
    mkdir -p "$root/project/shared"
    cp -rL ../shared/data "$root/project/shared/data"
    chmod -R a-w "$root/project/shared/data"
    all=1
fi

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
