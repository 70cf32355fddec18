#!/bin/sh
# verify.sh HEDDLE MODEL ARGUMENT...: runs heddle verify on the first Vulkan device. Exits with status 77 if there is no
# device, unless HEDDLE_TESTS_NEED_TOOLS is set, and if there is no such model.
heddle=$1
shift
[ -e "$1" ] || { echo "skipped: no $1"; exit 77; }
"$heddle" devices | grep -q '^vulkan:0' || [ -n "${HEDDLE_TESTS_NEED_TOOLS:-}" ] || exit 77
exec "$heddle" verify "$@" --device vulkan
