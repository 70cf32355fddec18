#!/bin/sh
# in_root.sh STEP [PREFIX]: one step of roots.sh, in the new system.
set -eu
cd /root
step=$1 prefix=${2:-}
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
  mkdir -p build
  for operation in 'normalize:rms_norm rows=1..64 d=64' 'project:linear m=1..64 n=10 k=64 bias=1'; do
    "$prefix/bin/heddle" compile "${operation#*:}" -o "build/${operation%%:*}.a"
  done
  gcc -std=c99 -pedantic -Wall -Wextra -Werror -Ibuild examples/05-two-models-in-c/main.c build/normalize.a build/project.a \
    -lheddle -lm -o scores
  ./scores | grep 'scores of the last row' ;;
esac
