#!/usr/bin/env bash
# run.sh PREFIX [BUILD_DIR]: compiles a softmax of 1 to 64 rows to a shared library, builds main.cpp with the
# runtime that is installed in PREFIX, without exceptions or run-time type information, and runs the program. HEDDLE is
# the path of Heddle's compiler, and CXX the path of the C++ compiler.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
prefix=$(cd "$1" && pwd)
build=${2:-$(mktemp -d)}
mkdir -p "$build"
"${HEDDLE:-$prefix/bin/heddle}" compile 'softmax rows=1..64 d=1000' -o "$build/softmax.so"
"${CXX:-c++}" -std=c++17 -pedantic -Wall -Wextra -Werror -O2 -fno-exceptions -fno-rtti -I"$prefix/include" "$here/main.cpp" \
  -L"$prefix/lib" -lheddle -lpthread -Wl,-rpath,"$prefix/lib" -o "$build/softmax"
"$build/softmax" "$build/softmax.so"
