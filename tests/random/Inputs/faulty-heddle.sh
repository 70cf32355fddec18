#!/bin/sh
# Runs instead of heddle: ends by a signal if a model has a softmax, hangs if one has a hyperbolic tangent.
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
