#!/bin/sh
# missing.sh TOOL: takes the place of tests that need TOOL. Status 77, skipped, unless HEDDLE_TESTS_NEED_TOOLS is set:
# then .ci/setup should have installed it.
echo "there is no $1"
[ -z "${HEDDLE_TESTS_NEED_TOOLS:-}" ] || exit 1
exit 77
