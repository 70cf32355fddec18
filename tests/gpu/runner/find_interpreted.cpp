// find_interpreted.cpp - finds a device of the runtime, or one that only tools have, for tests of the kit.
#include "heddle/Session.h"

#include <cstdio>

extern "C" heddle_device *find_device(const char *name, char *error, size_t size) {
  llvm::Expected<heddle::DevicePtr> device = heddle::openDevice(name);
  if (!device) {
    snprintf(error, size, "%s", toString(device.takeError()).c_str());
    return nullptr;
  }
  static auto *opened = new heddle::DevicePtr(std::move(*device)); // the caller closes it
  return opened->get();
}
