//===- aarch64_test.cpp - code for 64-bit Arm -----------------------------===//
//
// Compiles 40 random attention operations for Neoverse N1 or N2, runs them in an emulator, and compares their results
// with those of the interpreter.
//
//===----------------------------------------------------------------------===//

#include "e2e/AttentionCases.h"
#include "e2e/Compiled.h"
#include "random/CaseCount.h"

using namespace heddle;

/// The cases are distributed over this number of tests, which can run in parallel.
constexpr unsigned numGroups = 5;

/// A fixture that runs code in an emulator. Since the emulator is slow, each model is called only once.
struct AArch64 : QuotedOperations {
  const char *cpu = "neoverse-n1";

  AArch64() { isCalledTwice = false; }

  std::unique_ptr<Session> compileAndLoad(Model model) override {
    CompileOptions options;
    options.target = {"cpu", "aarch64-linux-gnu", cpu, ""};
    options.exportQuery = options.embedWeights = true;
    auto compiled = compileModel(std::move(model), options);
    if (failed(compiled)) {
      ADD_FAILURE() << "the model does not compile";
      return nullptr;
    }
    EXPECT_NE(compiled->whyNotHere, "");
    auto session = loadElsewhere(context, *compiled, HEDDLE_AARCH64_RUNNER);
    if (session)
      return std::move(*session);
    ADD_FAILURE() << llvm::toString(session.takeError());
    return nullptr;
  }
};

TEST_P(AArch64, AgreesWithTheInterpreter) {
  auto cases = attentionCases(caseCount(40), 2);
  for (unsigned i = GetParam(); i < cases.size(); i += numGroups) {
    SCOPED_TRACE("inputs from seed " + std::to_string(cases[i].seed));
    // Only neoverse-n2 has instructions for dot products of bf16.
    cpu = i / numGroups % 2 ? "neoverse-n1" : "neoverse-n2";
    check(cases[i].operation, [&](mlir::func::FuncOp main) { return attentionInputs(main, cases[i].seed); });
  }
}
INSTANTIATE_TEST_SUITE_P(Random, AArch64, testing::Range(0u, numGroups));
