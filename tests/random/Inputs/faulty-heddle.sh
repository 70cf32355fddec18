#!/bin/sh
# In the place of heddle: ends by a signal where a model has a softmax, hangs where one has a hyperbolic
# tangent.
for word in "$@"; do
  case "$word" in
  *.mlir) model=$word ;;
  *'softmax '*) kill -SEGV $$ ;;
  esac
done
[ -n "${model:-}" ] || exit 0
grep -q linalg.softmax "$model" && kill -SEGV $$
grep -q math.tanh "$model" && exec sleep 60
exit 0
