#!/bin/sh
# validated.sh CONTROL PROGRAM ARGUMENT...: runs PROGRAM under Vulkan's validation layers, after checking that the
# layers detect the mistake that CONTROL makes. Exits with status 77 if there are no layers.
control=$("$1" --gtest_filter='Validation.*' 2>&1) || { echo 'no validation layers'; exit 1; }
case $control in *SKIPPED*) echo 'no validation layers'; exit 77 ;; esac
shift
exec "$@"
