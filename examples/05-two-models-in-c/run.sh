#!/usr/bin/env bash
# run.sh PREFIX [BUILD_DIR]: compiles two operations, links both and the runtime that is installed in PREFIX with
# main.c, and runs the program. HEDDLE is the path of Heddle's compiler, and CC the path of the C compiler.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
prefix=$(cd "$1" && pwd)
build=${2:-$(mktemp -d)}
mkdir -p "$build"
heddle=${HEDDLE:-$prefix/bin/heddle}
"$heddle" compile 'rms_norm rows=1..64 d=64' -o "$build/normalize.a"
"$heddle" compile 'linear m=1..64 n=10 k=64 bias=1' -o "$build/project.a"
"${CC:-cc}" -std=c99 -pedantic -Wall -Wextra -Werror -O2 -I"$build" -I"$prefix/include" "$here/main.c" "$build/normalize.a" \
  "$build/project.a" -L"$prefix/lib" -lheddle -lm -Wl,-rpath,"$prefix/lib" -o "$build/scores"
"$build/scores"
