#!/bin/sh
# in_root.sh STEP [PREFIX]: runs a step of the test roots.sh in a new Debian system, into whose folder /root roots.sh
# has copied the packages, wheels, examples and test data. PREFIX is the folder in which the packages are installed.
set -eu
cd /root
step=$1 prefix=${2:-/usr}
# Installs packages of Debian.
with() { apt-get update && apt-get install -y --no-install-recommends "$@"; }
case $step in
runner)
  "$prefix/bin/heddle-runner" abi3/dense.so | grep -q '"name":"m","low":1,"high":64' ;;
verify)
  "$prefix/bin/heddle" verify 'softmax rows=3 d=20' | grep ': ok$'
  "$prefix/bin/heddle" verify examples/data/tiny-bert --dim batch_size=1 --dim sequence_length=4 | grep ': ok$'
  "$prefix/bin/heddle" compile 'softmax rows=3 d=20' -o softmax.a ;;
archive)
  mkdir -p unpacked
  tar -xzf heddle-*.tar.gz -C unpacked --strip-components=1
  mv unpacked /opt/moved
  sh "$0" runner /opt/moved
  sh "$0" verify /opt/moved ;;
example)
  with gcc libc6-dev
  mkdir -p build
  for operation in 'normalize:rms_norm rows=1..64 d=64' 'project:linear m=1..64 n=10 k=64 bias=1'; do
    "$prefix/bin/heddle" compile "${operation#*:}" -o "build/${operation%%:*}.a"
  done
  gcc -std=c99 -pedantic -Wall -Wextra -Werror -Ibuild examples/05-two-models-in-c/main.c build/normalize.a build/project.a \
    -lheddle -lm -o scores
  ./scores | grep 'scores of the last row' ;;
find-package)
  with gcc libc6-dev cmake make
  examples/04-installed-in-cmake-meson-make/run.sh examples/data/tiny-bert /opt/moved 04 cmake 1 3 4 5 , 6 3 7 8 9 9 2 |
    tee embeddings
  grep '^4 tokens: 0.10697 -0.05705 -0.0859' embeddings
  grep '^7 tokens: ' embeddings ;;
wheels)
  with python3 python3-venv
  python3 -m venv venv
  venv/bin/pip install ./*.whl tokenizers ;;
encode)
  venv/bin/python encode.py all-MiniLM-L6-v2 ;;
no-llvm)
  find / -xdev \( -name 'libLLVM*' -o -name 'libMLIR*' -o -name 'ld.lld*' -o -name clang -o -name 'clang-[0-9]*' \) > llvm
  cat llvm
  [ ! -s llvm ] ;;
*) echo "in_root.sh: unknown step '$step'" >&2; exit 2 ;;
esac
