#!/usr/bin/env bash
# run.sh [BUILD_DIR]: compiles an attention operation for the CPU of this machine to an object file and a header, links
# it with main.cpp and runs the program. HEDDLE is the path of Heddle's compiler, and CXX the path of the C++ compiler.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$(mktemp -d)}
mkdir -p "$build"
"${HEDDLE:-heddle}" compile 'attention b=1 hq=8 s=200 d=64 causal=lower_right' --mcpu native -o "$build/causal_attention.o"
"${CXX:-c++}" -std=c++17 -pedantic -Wall -Wextra -Werror -O2 -fno-exceptions -fno-rtti -I"$build" "$here/main.cpp" \
  "$build/causal_attention.o" -lm -lpthread -o "$build/attention"
"$build/attention"
