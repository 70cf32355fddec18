#!/bin/sh
# A replacement for heddle, with which tests check how random-cases handles and reduces failures. It kills itself with a
# signal if the model has a softmax, and hangs if the model has a hyperbolic tangent.
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
