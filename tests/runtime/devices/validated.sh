#!/bin/sh
# validated.sh CONTROL PROGRAM ARGUMENT...: runs PROGRAM under Vulkan's validation layers. First checks that the layers
# detect the wrong use of Vulkan in the test program CONTROL. Exits with status 77 if no layers are installed.
control=$("$1" --gtest_filter='Validation.*' 2>&1) || { echo 'no validation layers'; exit 1; }
case $control in *SKIPPED*) echo 'no validation layers'; exit 77 ;; esac
shift
exec "$@"
