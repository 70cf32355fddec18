// create.h - creation of objects whose initialisation may fail.
#ifndef HEDDLE_DEVICES_CREATE_H
#define HEDDLE_DEVICES_CREATE_H

#include "driver.h"

#include <new>

namespace heddle {

// Constructs a `Made` that belongs to the driver `owner`, initialises it with its member create(arguments...), and
// stores it in `object`. If create() fails, returns its status and leaves `object` unchanged.
template <typename Made, typename Base, typename Owner, typename... Arguments>
heddle_status create(Base *&object, Owner &owner, const Arguments &...arguments) {
  std::unique_ptr<Made> made(new (std::nothrow) Made(owner));
  if (!made)
    return failOutOfHostMemory();
  if (auto status = made->create(arguments...))
    return status;
  object = made.release();
  return HEDDLE_OK;
}

// Constructs a driver and initialises it with its member open(arguments...). Returns NULL on failure.
template <typename Made, typename... Arguments> Driver *open(const Arguments &...arguments) {
  std::unique_ptr<Made> driver(new (std::nothrow) Made);
  if (!driver) {
    failOutOfHostMemory();
    return nullptr;
  }
  return driver->open(arguments...) ? nullptr : driver.release();
}

} // namespace heddle

#endif // HEDDLE_DEVICES_CREATE_H
