#!/bin/sh
# headers.sh FOLDER COMPILER...: checks that each public header, FOLDER/heddle/**, compiles by itself, with each
# compiler, without a warning. A compiler whose name contains ++ compiles C++, any other compiler compiles C.
set -eu
folder=$1
shift
count=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() { # COMPILER WORD...: compiles a source file. WORD... contains the file and flags; $flags contains more flags.
  echo "$1: $header $flags" >&2
  # shellcheck disable=SC2086
  "$@" -Wall -Wextra -pedantic -Werror -O1 -I "$folder" $flags -c -o "$work/out.o"
  count=$((count + 1))
}
# Each header is included twice, to test its include guard.
for header in $(cd "$folder" && find heddle -name '*.h' -o -name '*.hpp' | sort); do
  printf '#include <%s>\n#include <%s>\n' "$header" "$header" > "$work/in.c"
  cp "$work/in.c" "$work/in.cpp"
  for compiler in "$@"; do
    case $header:$compiler in
    *.hpp:*++*)
      flags='-std=c++17'
      case $header in
      */openmp.hpp) # skipped if the compiler does not support OpenMP
        flags="$flags -fopenmp"
        echo '#include <omp.h>' > "$work/omp.cpp"
        "$compiler" -fopenmp -fsyntax-only "$work/omp.cpp" 2> /dev/null || continue ;;
      */tbb.hpp) # skipped if the compiler does not find oneTBB
        echo '#include <oneapi/tbb/version.h>' > "$work/tbb.cpp"
        "$compiler" -fsyntax-only "$work/tbb.cpp" 2> /dev/null || continue ;;
      *) check "$compiler" -fno-exceptions -fno-rtti "$work/in.cpp" ;;
      esac
      check "$compiler" "$work/in.cpp" ;;
    *.h:*++*) flags='-std=c++11 -fno-exceptions -fno-rtti'; check "$compiler" "$work/in.cpp" ;;
    *.h:*) flags=-std=c99; check "$compiler" "$work/in.c" ;;
    esac
  done
done
echo "$count compilations"
[ "$count" -ge 20 ] # fails if hardly any header was found
