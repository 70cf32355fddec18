//===- vulkan_attention_test.cpp - code for a Vulkan device against the interpreter -===//
//
// 200 random attentions.
//
//===----------------------------------------------------------------------===//

#include "e2e/AttentionCases.h"
#include "e2e/Compiled.h"

#include <cstdlib>

using namespace heddle;

constexpr unsigned numCases = 200, numGroups = 10;

namespace {
struct Vulkan : QuotedOperations {
  void SetUp() override {
    auto opened = openDevice("vulkan");
    if (opened) {
      device = std::move(*opened);
      return;
    }
    std::string reason = llvm::toString(opened.takeError());
    if (std::getenv("HEDDLE_TESTS_NEED_VULKAN"))
      FAIL() << reason;
    GTEST_SKIP() << reason;
  }

  std::unique_ptr<Session> compileAndLoad(Model model) override {
    CompileOptions options;
    options.target.device = "vulkan";
    auto compiled = compileModel(std::move(model), options);
    if (failed(compiled)) {
      ADD_FAILURE() << "does not compile";
      return nullptr;
    }
    auto session = loadHere(std::move(*compiled), "model", "", device);
    if (session)
      return std::move(*session);
    ADD_FAILURE() << llvm::toString(session.takeError());
    return nullptr;
  }

  DevicePtr device;
};
} // namespace

TEST_P(Vulkan, AgreesWithTheInterpreter) {
  auto cases = attentionCases(numCases, 4);
  for (unsigned i = GetParam(); i < numCases; i += numGroups) {
    SCOPED_TRACE("inputs from seed " + std::to_string(cases[i].seed));
    check(cases[i].operation, [&](mlir::func::FuncOp main) { return attentionInputs(main, cases[i].seed); });
  }
}
INSTANTIATE_TEST_SUITE_P(Random, Vulkan, testing::Range(0u, numGroups));
