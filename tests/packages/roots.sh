#!/usr/bin/env bash
# roots.sh PACKAGES [SUITE...]: installs the packages in the folder PACKAGES (as packages.sh leaves it) in new Debian systems
# that have nothing else (bookworm, trixie), and uses them there: first alone, then with a C compiler. Needs root,
# debootstrap and a Debian mirror: HEDDLE_MIRROR, as debootstrap takes it, or else the one of this system. Takes minutes;
# results.md has what it said.
set -euo pipefail
packages=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- bookworm trixie
source=$(cd "$(dirname "$0")/../.." && pwd)
sources=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2> /dev/null || :)
mirror=${HEDDLE_MIRROR:-$(grep -v '^#' <<< "$sources" | grep -oE '[a-z]+://[^ ]*/debian(/| |$)' | head -n 1 | sed 's,[/ ]*$,,')}
root=
finish() {
  [ -z "$root" ] || { umount "$root/proc" 2> /dev/null || :; rm -rf "$root"; }
}
trap finish EXIT
here() { chroot "$root" env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive HOME=/root "$@"; }
check() { # WHAT COMMAND...: runs it in the root
  local what=$1
  shift
  if here "$@" > "$packages/log" 2>&1; then
    echo "| $suite | $what | ok |"
  else
    echo "| $suite | $what | FAIL |"
    sed 's/^/    /' "$packages/log" >&2
    status=1
  fi
}

status=0
echo '| system | step | result |'
echo '|---|---|---|'
for suite in "$@"; do
  finish
  root=$(mktemp -d)
  debootstrap --variant=minbase "$suite" "$root" "$mirror" > "$packages/log" 2>&1 || { tail "$packages/log" >&2; exit 1; }
  mount -t proc proc "$root/proc"
  cp "$packages"/*.deb "$packages"/*.tar.gz "$root/root"
  cp -r "$source/tests/data/abi3" "$source/examples" "$source/tests/packages/in_root.sh" "$root/root"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  check 'dpkg -i, nothing else installed' sh -c 'dpkg -i /root/*.deb'
  check 'the dynamic linker finds libheddle.so.0' sh -c 'ldconfig -p | grep -q libheddle.so.0'
  check 'a library of an earlier version is called' sh /root/in_root.sh runner /usr
  check 'a model is compiled and judged' sh /root/in_root.sh verify /usr
  check 'the archive, unpacked elsewhere and moved: the same' sh /root/in_root.sh archive
  check 'with gcc: example 05, against the package' sh -c 'apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && sh /root/in_root.sh example /usr'
  check 'the packages are removed' sh -c 'dpkg -r heddle heddle-runtime && ! ldconfig -p | grep -q libheddle'
done
exit "$status"
