// find_interpreted.cpp - opens a device of the runtime, or the interpreter of PTX, which only the compiler contains.
#include "heddle/Session.h"

#include <cstdio>

extern "C" heddle_device *find_device(const char *name, char *error, size_t size) {
  llvm::Expected<heddle::DevicePtr> device = heddle::openDevice(name);
  if (!device) {
    snprintf(error, size, "%s", toString(device.takeError()).c_str());
    return nullptr;
  }
  static auto *opened = new heddle::DevicePtr(std::move(*device)); // never deleted: the caller closes the device
  return opened->get();
}
