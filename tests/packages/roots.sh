#!/usr/bin/env bash
# roots.sh PACKAGES MODEL [SUITE...]: installs the packages and wheels in the folder PACKAGES, which make.sh and
# python/wheels.sh made, in new, minimal Debian systems (by default bookworm and trixie). It tests them there, first
# with no other packages and then with a C compiler, CMake and Python, but without LLVM. MODEL is the folder of
# all-MiniLM-L6-v2. A step that takes more than five minutes fails.
#
# Needs root, debootstrap and a Debian mirror: HEDDLE_MIRROR, in a form that debootstrap accepts, by default the mirror
# of this system. Also needs PyPI, or the index in the pip configuration of this machine, which is copied to the new
# systems. Takes minutes; results.md contains the output.
set -euo pipefail
packages=$(cd "$1" && pwd) model=$(cd "$2" && pwd)
shift 2
[ $# -gt 0 ] || set -- bookworm trixie
source=$(cd "$(dirname "$0")/../.." && pwd)
sources=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2> /dev/null || :)
mirror=${HEDDLE_MIRROR:-$(grep -v '^#' <<< "$sources" | grep -oE '[a-z]+://[^ ]*/debian(/| |$)' | head -n 1 | sed 's,[/ ]*$,,')}
root=
# Removes the current system, if there is one.
finish() {
  [ -z "$root" ] || { umount "$root/proc" 2> /dev/null || :; rm -rf "$root"; }
}
trap finish EXIT

# The settings with which pip reaches an index on this machine. Certificates are copied to a path that no package of the
# new system uses.
mapfile -t network < <(env | grep -E '^(PIP_[A-Z_]+|[A-Za-z]+_(proxy|PROXY))=' | grep -v '^PIP_C' || :)
certificates=${PIP_CERT:-${SSL_CERT_FILE:-$("$packages/venv/bin/pip" config get global.cert 2> /dev/null || :)}}
[ ! -f "$certificates" ] || network+=(PIP_CERT=/root/certificates)
# Copies the settings for the network and for pip into the new system.
share_network() {
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  [ ! -f "$certificates" ] || cp "$certificates" "$root/root/certificates"
  local file
  for file in "${PIP_CONFIG_FILE:-}" ~/.config/pip/pip.conf ~/.pip/pip.conf /etc/pip.conf; do
    [ ! -f "$file" ] || { cp "$file" "$root/etc/pip.conf"; break; }
  done
}
# Runs a command in the new system, without the variables of this environment except those for the network.
here() {
  chroot "$root" env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive HOME=/root "${network[@]}" "$@"
}
check() { # WHAT COMMAND...: runs the command in the new system and prints a row of the table, which begins with WHAT
  local what=$1 begin=$SECONDS result=ok
  shift
  here timeout -k 5 300 "$@" > "$log" 2>&1 || result=FAIL
  echo "| $suite | $what | $result | $((SECONDS - begin)) |"
  [ "$result" = ok ] || { sed 's/^/    /' "$log" >&2; status=1; }
}
in_root() { # WHAT STEP [PREFIX]: runs a step of in_root.sh, with WHAT as its description
  check "$1" sh /root/in_root.sh "${@:2}"
}

status=0
echo '| system | step | result | seconds |'
echo '|---|---|---|---|'
for suite in "$@"; do
  finish
  root=$(mktemp -d) log=$packages/$suite.log
  debootstrap --variant=minbase "$suite" "$root" "$mirror" > "$log" 2>&1 || { tail "$log" >&2; exit 1; }
  mount -t proc proc "$root/proc"
  cp "$packages"/*.deb "$packages"/*.tar.gz "$packages"/*.whl "$root/root"
  cp -r "$source/tests/data/abi3" "$source/examples" "$source/tests/packages/in_root.sh" "$source/tests/packages/encode.py" \
    "$root/root"
  cp -r "$model" "$root/root/all-MiniLM-L6-v2"
  share_network
  check 'dpkg -i, nothing else installed' sh -c 'dpkg -i /root/*.deb'
  check 'the dynamic linker finds libheddle.so.0' sh -c 'ldconfig -p | grep -q libheddle.so.0'
  in_root 'a library of an earlier version is called' runner /usr
  in_root 'a model is compiled and verified' verify /usr
  in_root 'the archive, unpacked and moved: the same two steps' archive
  in_root 'with gcc: example 05 is built against the package' example
  check 'the packages are removed' sh -c 'dpkg -r heddle heddle-runtime && ! ldconfig -p | grep -q libheddle'
  in_root 'with CMake: example 04, find_package and heddle_add_model of the archive' find-package
  in_root 'pip install of the two wheels, numpy and tokenizers' wheels
  in_root 'encode(): the similarities that sentence-transformers documents' encode
  in_root 'the system has no file of LLVM' no-llvm
done
exit "$status"
