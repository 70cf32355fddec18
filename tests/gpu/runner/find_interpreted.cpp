// find_interpreted.cpp - a device of the runtime's, or the interpreter of PTX, for tests of the kit.
#include "heddle/InterpretedDevice.h"

#include "heddle/device.h"

extern "C" heddle_device *find_device(const char *name, char *error, size_t size) {
  return name == heddle::interpretedDevice ? heddle::openInterpretedDevice() : heddle_device_open(name, error, size);
}
