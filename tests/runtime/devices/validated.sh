#!/bin/sh
# validated.sh CONTROL PROGRAM ARGUMENT...: runs PROGRAM under Vulkan's validation layers, which VK_INSTANCE_LAYERS
# selects. Before that, runs the tests Validation.* of the program CONTROL. If they are skipped, because no layers are
# installed or no device can be opened, exits with status 77 without running PROGRAM. If they fail, exits with status 1
# without running PROGRAM; where HEDDLE_TESTS_NEED_TOOLS is set, they fail instead of being skipped.
control=$("$1" --gtest_filter='Validation.*' 2>&1) || {
  echo "$control"
  echo 'validated.sh: the tests Validation.* fail, so the validation layers cannot be used'
  exit 1
}
case $control in *SKIPPED*) echo 'skipped: no validation layers are installed, or no device can be opened'; exit 77 ;; esac
shift
exec "$@"
