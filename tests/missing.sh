#!/bin/sh
# missing.sh TOOL: runs in place of tests that need TOOL. Exits with status 77, with which ctest reports the test as
# skipped; or with 1 if HEDDLE_TESTS_NEED_TOOLS is set, because .ci/setup should have installed TOOL.
echo "this test was not run, because a tool is missing: $1"
[ -z "${HEDDLE_TESTS_NEED_TOOLS:-}" ] || exit 1
exit 77
