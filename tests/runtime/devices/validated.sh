#!/bin/sh
# validated.sh CONTROL PROGRAM ARGUMENT...: the program, where Vulkan's validation layers watch: CONTROL makes a mistake
# that they see. Status 77 where there are none.
control=$("$1" --gtest_filter='Validation.*' 2>&1) || { echo 'no validation layers'; exit 1; }
case $control in *SKIPPED*) echo 'no validation layers'; exit 77 ;; esac
shift
exec "$@"
