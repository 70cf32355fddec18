# Reads the table of devices, runtime/devices/devices.def. Sets HEDDLE_DEVICES to their names, such as vulkan, and
# HEDDLE_DEVICE_TARGETS to the libraries that generate code for them, such as HeddleVulkan (compiler/targets/vulkan).
set(table ${CMAKE_SOURCE_DIR}/runtime/devices/devices.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
file(STRINGS ${table} rows REGEX "^HEDDLE_DEVICE\\(")
list(TRANSFORM rows REPLACE "^HEDDLE_DEVICE\\(([a-z]+), .*" "\\1" OUTPUT_VARIABLE HEDDLE_DEVICES)
list(TRANSFORM rows REPLACE "^HEDDLE_DEVICE\\([a-z]+, ([A-Za-z]+), .*" "Heddle\\1" OUTPUT_VARIABLE HEDDLE_DEVICE_TARGETS)
