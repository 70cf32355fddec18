#!/usr/bin/env bash
# add_model.sh PROJECT PREFIX MODEL BUILD: builds PROJECT with the Heddle in PREFIX, once with Ninja and once with make,
# runs its programs, and checks which models are compiled again when a file changes. Also checks the errors of
# heddle_add_model. MODEL is the folder of a Hugging Face model. BUILD is the folder for all files; its old contents are
# removed. The environment variable HEDDLE is the program heddle.
set -euo pipefail
project=$1 prefix=$2 model=$3 build=$4
fail() { echo "add_model.sh: $*" >&2; exit 1; }
rm -rf "$build"
mkdir -p "$build"
cp -r "$project" "$build/source"
cp -r "$model" "$build/encoder folder"
"$HEDDLE" strategies --show softmax-rows > "$build/source/own-strategy.mlir"
touch "$build/source/extra.txt"

for generator in Ninja 'Unix Makefiles'; do
  out=$build/$(echo "$generator" | tr -d ' ')
  cmake -G "$generator" -S "$build/source" -B "$out" -DCMAKE_PREFIX_PATH="$prefix" -DENCODER="$build/encoder folder" \
    > "$out.log" 2>&1 || { cat "$out.log" >&2; fail 'cmake fails'; }
  cmake --build "$out" > "$out.log" 2>&1 || { cat "$out.log" >&2; fail 'the build fails'; }
  [ "$("$out/linked_program")" = '0: 1 4 0.05' ] || fail "linked_program prints $("$out/linked_program")"
  for program in loaded_program static_program; do
    [ "$("$out/$program")" = '0.10697 -0.05705' ] || fail "$program prints $("$out/$program")"
  done
  nm -D "$out/linked.so" | grep -q ' T other_arena_size' ||
    fail 'linked.so does not export other_arena_size, although its PREFIX is other'
  ! grep -qF "$build" "$out/halves.h" && head -n 3 "$out/halves.h" | grep -q halves.a || fail "$(head -n 3 "$out/halves.h")"

  # A second build compiles no model. After a file changes, exactly the models that depend on it are compiled again.
  [ -z "$(cmake --build "$out" | grep Compiling)" ] || fail 'a build without changes compiles models again'
  again() { # FILE EXPECTED: after a change of FILE, the build must print the lines EXPECTED about models
    sleep 1 # some file systems store times in seconds
    touch "$1"
    [ "$(cmake --build "$out" | grep -o 'Compiling the model [a-z]*' | sort | tr '\n' ' ')" = "$2" ] ||
      fail "after a change of $1, the wrong models are compiled"
  }
  again "$build/encoder folder/1_Pooling/config.json" 'Compiling the model loaded '
  again "$build/source/own-strategy.mlir" 'Compiling the model linked '
  again "$build/source/halves.mlir" 'Compiling the model halves '
  again "$build/source/extra.txt" 'Compiling the model loaded '
done

# CMake reports mistakes when it configures the project.
wrong() { # TEXT LINE...: for a project with these LINEs, CMake must print TEXT
  local text=$1
  shift
  {
    printf 'cmake_minimum_required(VERSION 3.20)\nproject(Wrong LANGUAGES C)\nfind_package(Heddle REQUIRED)\n'
    printf '%s\n' "$@"
  } > "$build/wrong/CMakeLists.txt"
  # shellcheck disable=SC2086
  cmake -S "$build/wrong" -B "$build/wrong/out" -DCMAKE_PREFIX_PATH="$prefix" ${flags:-} > "$build/wrong.log" 2>&1 || :
  tr -s ' \n' ' ' < "$build/wrong.log" | grep -qF "$text" || { cat "$build/wrong.log" >&2; fail "CMake does not print: $text"; }
}
mkdir "$build/wrong"
wrong 'heddle_add_model(soft): unknown arguments: SIZES;b=1' \
  'heddle_add_model(soft SIZES b=1 MODEL "softmax rows=2 d=2")'
wrong 'heddle_add_model(soft): no value after DIMS' 'heddle_add_model(soft MODEL "softmax rows=2 d=2" DIMS)'
wrong 'no MODEL is given, and there is no soft.onnx, soft.mlir or soft in' 'heddle_add_model(soft)'
wrong 'TYPE must be static, shared or module, found archive' 'heddle_add_model(soft MODEL "softmax rows=2 d=2" TYPE archive)'
wrong 'WEIGHTS must be embedded or file, found apart' 'heddle_add_model(soft MODEL "softmax rows=2 d=2" WEIGHTS apart)'
flags='-DHEDDLE_EXECUTABLE= -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=riscv64' \
  wrong 'the program heddle was not found; set HEDDLE_EXECUTABLE to the path of a program heddle that runs on this machine' \
  'set(HEDDLE_EXECUTABLE "")' 'heddle_add_model(soft MODEL "softmax rows=2 d=2")'
rm -rf "$build/wrong/out"
flags='-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=riscv64 -DHEDDLE_EXECUTABLE=heddle' \
  wrong 'no target triple is known for the processor riscv64; give one with TARGET' 'heddle_add_model(soft MODEL "softmax rows=2 d=2")'
