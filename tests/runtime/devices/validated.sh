#!/bin/sh
# validated.sh CONTROL PROGRAM ARGUMENT...: runs PROGRAM under Vulkan's validation layers, which VK_INSTANCE_LAYERS
# selects. First runs the tests Validation.* of the program CONTROL. If they are skipped, because no layers are
# installed, exits with status 77 without running PROGRAM.
control=$("$1" --gtest_filter='Validation.*' 2>&1) || { echo 'no validation layers'; exit 1; }
case $control in *SKIPPED*) echo 'no validation layers'; exit 77 ;; esac
shift
exec "$@"
