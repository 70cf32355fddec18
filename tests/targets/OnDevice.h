//===- OnVulkan.h - quoted operations on a Vulkan device --------*- C++ -*-===//

#ifndef HEDDLE_TESTS_TARGETS_VULKAN_ONVULKAN_H
#define HEDDLE_TESTS_TARGETS_VULKAN_ONVULKAN_H

#include "e2e/Compiled.h"

#include <cstdlib>

/// A fixture that compiles, as QuotedOperations does, for the first Vulkan device; skipped where there is none.
template <typename Base>
struct OnVulkan : Base {
  void SetUp() override {
    auto opened = heddle::openDevice("vulkan");
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
    options.target.device = "vulkan";
    if (!strategy.empty())
      options.strategies = {strategy};
    auto compiled = heddle::compileModel(std::move(model), options);
    if (failed(compiled)) {
      ADD_FAILURE() << "does not compile";
      return nullptr;
    }
    auto session = heddle::loadHere(std::move(*compiled), "model", "", this->device);
    if (session)
      return std::move(*session);
    ADD_FAILURE() << llvm::toString(session.takeError());
    return nullptr;
  }

  std::string strategy; // empty: as it is chosen
};

#endif // HEDDLE_TESTS_TARGETS_VULKAN_ONVULKAN_H
