#!/bin/sh
# verify.sh HEDDLE MODEL ARGUMENT...: runs heddle verify on the first Vulkan device. The script exits with status 77
# (skipped) if MODEL does not exist, or if the machine has no Vulkan device and HEDDLE_TESTS_NEED_TOOLS is not set.
heddle=$1
shift
[ -e "$1" ] || { echo "skipped: no $1"; exit 77; }
"$heddle" devices | grep -q '^vulkan:0' || [ -n "${HEDDLE_TESTS_NEED_TOOLS:-}" ] || exit 77
exec "$heddle" verify "$@" --device vulkan
