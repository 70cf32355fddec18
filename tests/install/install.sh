#!/bin/sh
# install.sh CMAKE BUILD PREFIX: installs both components (runtime and compiler) of the build in BUILD into PREFIX with
# the program CMAKE. Checks that the compiler is not in the component runtime and that the most important files exist.
# Also checks that heddle-runner and the files in lib and include do not contain the path of the build, which other
# machines do not have.
set -eu
cmake=$1 build=$2 prefix=$3
rm -rf "$prefix"
"$cmake" --install "$build" --prefix "$prefix" --strip --component runtime > /dev/null
[ ! -e "$prefix/bin/heddle" ] || { echo 'the compiler is in the component runtime' >&2; exit 1; }
"$cmake" --install "$build" --prefix "$prefix" --strip --component compiler > /dev/null
for file in bin/heddle bin/heddle-runner include/heddle/heddle.hpp lib/libheddle.a lib/libheddle.so lib/libheddle.so.0 \
  lib/cmake/Heddle/HeddleConfig.cmake lib/pkgconfig/heddle.pc; do
  [ -e "$prefix/$file" ] || { echo "$file is missing" >&2; exit 1; }
done
if grep -rlF "$build" "$prefix/lib" "$prefix/include" "$prefix/bin/heddle-runner"; then
  echo 'these files contain the path of the build' >&2
  exit 1
fi
