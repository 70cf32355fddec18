#!/usr/bin/env bash
# make.sh BUILD FOLDER: makes packages from the build folder BUILD in FOLDER and checks their contents. Unpacks the
# packages in folders other than their installation prefix and runs heddle from there, to test that heddle finds its
# files wherever it is. Prints the sizes of the packages.
set -euo pipefail
build=$1 folder=$2
fail() { echo "make.sh: $*" >&2; exit 1; }
rm -rf "$folder"
mkdir -p "$folder"
cpack --config "$build/CPackConfig.cmake" -B "$folder" > "$folder/log" 2>&1 || { cat "$folder/log" >&2; fail 'cpack fails'; }
rm -rf "$folder/_CPack_Packages"

runtime=$(ls "$folder"/heddle-runtime_*_*.deb) compiler=$(ls "$folder"/heddle_*_*.deb) archive=$(ls "$folder"/*.tar.gz)
[ "$(dpkg-deb --field "$runtime" Depends)" = 'libc6 (>= 2.36)' ] || fail "$runtime depends on $(dpkg-deb --field "$runtime" Depends)"
dpkg-deb --ctrl-tarfile "$runtime" | tar -t | grep -q triggers || fail 'ldconfig is not triggered'
! dpkg-deb --contents "$runtime" | grep -q 'bin/heddle$' || fail "the compiler is in $runtime"

mkdir "$folder/debs"
dpkg-deb -x "$runtime" "$folder/debs"
dpkg-deb -x "$compiler" "$folder/debs"
mkdir "$folder/archive"
tar -xzf "$archive" -C "$folder/archive" --strip-components=1
for prefix in "$folder/debs/usr" "$folder/archive"; do
  env -i PATH=/usr/bin:/bin "$prefix/bin/heddle" verify 'softmax rows=3 d=20' | grep ': ok$' || fail "$prefix/bin/heddle fails"
  { env -i PATH=/usr/bin:/bin "$prefix/bin/heddle-runner" 2>&1 || :; } | grep -q '^usage' || fail "$prefix/bin/heddle-runner fails"
  [ -z "$(readelf -d "$prefix/bin/heddle" | grep PATH | grep -v 'ORIGIN/')" ] || fail 'heddle looks for libraries outside its own folder'
done
du -b "$runtime" "$compiler" "$archive" | awk '{n = split($2, part, "/"); print part[n] ": " $1 " bytes"}'
