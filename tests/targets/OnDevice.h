//===- OnDevice.h - quoted operations on a device ---------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_TARGETS_ONDEVICE_H
#define HEDDLE_TESTS_TARGETS_ONDEVICE_H

#include "e2e/Compiled.h"

#include "heddle/Devices.h"

#include <cstdlib>

/// A fixture that compiles for the device `name` and runs the code on it. `Base` is a fixture such as QuotedOperations,
/// which compiles for CPUs. If there is no such device, tests are skipped, or fail if HEDDLE_TESTS_NEED_TOOLS is set.
template <typename Base> struct OnDevice : Base {
  explicit OnDevice(const char *name) : name(name) {}

  void SetUp() override {
    auto opened = heddle::openDevice(name);
    if (opened) {
      this->device = std::move(*opened);
      return;
    }
    std::string reason = llvm::toString(opened.takeError());
    if (std::getenv("HEDDLE_TESTS_NEED_TOOLS"))
      FAIL() << reason;
    GTEST_SKIP() << reason;
  }

  std::unique_ptr<heddle::Session> compileAndLoad(heddle::Model model) override {
    heddle::CompileOptions options;
    options.target.device = heddle::findDeviceKind(name)->name;
    if (!strategy.empty())
      options.strategies = {strategy};
    auto compiled = heddle::compileModel(std::move(model), options);
    if (failed(compiled)) {
      ADD_FAILURE() << "the model does not compile";
      return nullptr;
    }
    auto session = heddle::loadHere(std::move(*compiled), "model", "", this->device);
    if (session)
      return std::move(*session);
    ADD_FAILURE() << llvm::toString(session.takeError());
    return nullptr;
  }

  const char *name;     // a name that heddle::openDevice accepts, such as "vulkan"
  std::string strategy; // the value of --strategy; empty for the default strategies
};

/// Uses the first Vulkan device.
template <typename Base> struct OnVulkan : OnDevice<Base> {
  OnVulkan() : OnDevice<Base>("vulkan") {}
};

/// Uses the PTX interpreter. The interpreter is single-threaded, so a second call would give the same result. Therefore
/// each model is called only once.
template <typename Base> struct OnInterpreter : OnDevice<Base> {
  OnInterpreter() : OnDevice<Base>("cuda-interpreted") { this->isCalledTwice = false; }
};

#endif // HEDDLE_TESTS_TARGETS_ONDEVICE_H
