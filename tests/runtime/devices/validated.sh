#!/bin/sh
# validated.sh CONTROL PROGRAM ARGUMENT...: runs the program under Vulkan's validation layers, after checking that they
# detect the mistake that CONTROL makes. Status 77 if there are none.
control=$("$1" --gtest_filter='Validation.*' 2>&1) || { echo 'no validation layers'; exit 1; }
case $control in *SKIPPED*) echo 'no validation layers'; exit 77 ;; esac
shift
exec "$@"
