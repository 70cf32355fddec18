#!/bin/sh
# validated.sh CONTROL PROGRAM ARGUMENT...: runs PROGRAM under Vulkan's validation layers. First runs the tests
# Validation.* of the program CONTROL, which are skipped if no layers are installed; then exits with status 77.
control=$("$1" --gtest_filter='Validation.*' 2>&1) || { echo 'no validation layers'; exit 1; }
case $control in *SKIPPED*) echo 'no validation layers'; exit 77 ;; esac
shift
exec "$@"
