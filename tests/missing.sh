#!/bin/sh
# missing.sh TOOL: in the place of tests that need it. Status 77, skipped, unless HEDDLE_TESTS_NEED_TOOLS is set: then it
# was installed by .ci/setup, and should be there.
echo "there is no $1"
[ -z "${HEDDLE_TESTS_NEED_TOOLS:-}" ] || exit 1
exit 77
